"""Cutting the text of a query: forms, clauses, patterns; and queries made of queries."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyoxigraph import NamedNode, Quad, QuerySolutions, RdfFormat, Store, parse

from qaldgen.errors import UsageError
from qaldgen.sparql.clauses import (
    count_query,
    group_elements,
    page_of,
    query_form,
    question_variable,
    split_select,
)
from qaldgen.sparql.tokens import tokenize, undeclared_prefixes

Refused = Callable[..., str]

DATA = """
@prefix : <http://x.org/> .
:q1 :n 1 ; :kind "a" . :q2 :n 2 ; :kind "b" . :q3 :n 3 ; :kind "a" . :q4 :n 4 . :q5 :n 5 .
"""


def store() -> Store:
    """Five questions in the default graph; the first two in the graph <http://x.org/g> too."""
    found = Store()
    quads = list(parse(DATA, RdfFormat.TURTLE))
    found.extend(quads)
    ours = (quad for quad in quads if str(quad.subject).endswith(("q1>", "q2>")))
    found.extend(
        [
            Quad(quad.subject, quad.predicate, quad.object, NamedNode("http://x.org/g"))
            for quad in ours
        ]
    )
    return found


def rows(query: str) -> list[list[str]]:
    answer = store().query(query)
    assert isinstance(answer, QuerySolutions)
    return [[getattr(term, "value", "-") for term in solution] for solution in answer]


def texts(where: str) -> list[str]:
    return [element.text for element in group_elements(where)]


def kinds(where: str) -> list[str]:
    return [element.kind for element in group_elements(where)]


def variables(where: str) -> list[str]:
    return [" ".join(sorted(element.variables)) for element in group_elements(where)]


def test_query_is_cut_into_tokens() -> None:
    for query, cut in [
        ("?q :a 'x # y' # no", ["?q", ":a", "'x # y'"]),
        ("?q <http://x.org/a#b> 1", ["?q", "<http://x.org/a#b>", "1"]),
        ("# all\r?q#x\n:a", ["?q", ":a"]),
        (r"'it\'s' \"a\"".replace(r"\"", '"'), [r"'it\'s'", '"a"']),
        ("'''a 'b' ''c''' \"\"\"d \"e\" f\"\"\"", ["'''a 'b' ''c'''", '"""d "e" f"""']),
        (r'"a\\" ?x "b"', [r'"a\\"', "?x", '"b"']),
        ("dbo:a.b.", ["dbo:a.b", "."]),
        ("dbo:a.b. ?q", ["dbo:a.b", ".", "?q"]),
        (":a:b-c_1%20 x:", [":a:b-c_1%20", "x:"]),
        (r"x:a\,b\(c\) d", [r"x:a\,b\(c\)", "d"]),
        ("_:b1 :p $v", ["_:b1", ":p", "$v"]),
        ("1 1.5 .5 1e6 1.5E-3 2.", ["1", "1.5", ".5", "1e6", "1.5E-3", "2", "."]),
        ("?a < ?b && ?c > 1", ["?a", "<", "?b", "&", "&", "?c", ">", "1"]),
        ("'x'@en-GB ^^xsd:int", ["'x'", "@", "en", "-", "GB", "^", "^", "xsd:int"]),
        ("été:p ?é", ["été:p", "?é"]),
        ("{FILTER(?x)}", ["{", "FILTER", "(", "?x", ")", "}"]),
    ]:
        assert [token.text for token in tokenize(query)] == cut


def test_tokens_know_their_place() -> None:
    query = "SELECT  ?q # c\n{ 'x' }"
    assert [query[token.start : token.end] for token in tokenize(query)] == [
        token.text for token in tokenize(query)
    ]


@pytest.mark.parametrize("query", ["?n<5&&?t>1", "?n<(?m)&&?t>1", "?n<-1&&?t>1", "3<?n&&5>?n"])
def test_comparison_without_spaces_is_no_iri(query: str) -> None:
    assert "iri" not in [token.kind for token in tokenize(query)]


def test_keyword_is_a_word_in_any_case() -> None:
    assert [token.word for token in tokenize("Select ?select 'select' select:x <select>")] == [
        "SELECT",
        "",
        "",
        "",
        "",
    ]


def test_form_of_a_query() -> None:
    for query, form in [
        ("SELECT * {}", "SELECT"),
        ("select * {}", "SELECT"),
        ("# ASK\nSELECT * {}", "SELECT"),
        ("BASE <http://x.org/> PREFIX a: <b> prefix : <c> Select * {}", "SELECT"),
        ("PREFIX select: <http://x.org/> ASK {}", "ASK"),
        ("PREFIX : <http://x.org/ASK> # DESCRIBE\nCONSTRUCT {} WHERE {}", "CONSTRUCT"),
        ("DESCRIBE <http://x.org/>", "DESCRIBE"),
        ("INSERT DATA {}", "UPDATE"),
        ("insert { } where { }", "UPDATE"),
        ("PREFIX : <http://x.org/> DELETE WHERE {}", "UPDATE"),
        ("WITH <http://x.org/> DELETE {} WHERE {}", "UPDATE"),
        ("LOAD <http://x.org/>", "UPDATE"),
        ("CLEAR ALL", "UPDATE"),
        ("CREATE GRAPH <g>", "UPDATE"),
        ("DROP ALL", "UPDATE"),
        ("COPY <a> TO <b>", "UPDATE"),
        ("MOVE <a> TO <b>", "UPDATE"),
        ("ADD <a> TO <b>", "UPDATE"),
        ("", ""),
        ("# SELECT", ""),
        ("PREFIX", ""),
        ("PREFIX :", ""),
        ("'SELECT' * {}", ""),
        ("{ ?q ?p ?o }", ""),
        ("SELECTION ?q {}", ""),
    ]:
        assert query_form(query) == form


def test_clauses_of_a_full_query() -> None:
    parts = split_select(
        "PREFIX : <http://x.org/>\nSELECT DISTINCT ?q (MAX(?n) AS ?m)\nFROM <http://x.org/g> "
        "FROM NAMED <http://x.org/h>\nWHERE { ?q :n ?n }\nGROUP BY ?q HAVING (COUNT(*) > 0) "
        "ORDER BY ?q LIMIT 3"
    )
    assert parts.prologue == "PREFIX : <http://x.org/>"
    assert parts.projection == "SELECT DISTINCT ?q (MAX(?n) AS ?m)"
    assert parts.dataset == "FROM <http://x.org/g> FROM NAMED <http://x.org/h>"
    assert parts.where == "?q :n ?n"
    assert parts.tail == "GROUP BY ?q HAVING (COUNT(*) > 0) ORDER BY ?q LIMIT 3"


@pytest.mark.parametrize(
    "head", ["SELECT ?q WHERE {", "select ?q where{", "SELECT ?q{", "SELECT ?q # { WHERE {\n{"]
)
def test_where_may_be_left_out(head: str) -> None:
    parts = split_select(head + " ?q ?p ?o }")
    assert (parts.projection.upper(), parts.where, parts.tail) == ("SELECT ?Q", "?q ?p ?o", "")


@pytest.mark.parametrize(
    "where",
    [
        "?q :p '}'",
        '?q :p "{" .',
        "?q <http://x.org/p> ?o",
        "{ ?q :p ?o } UNION { ?q :r ?o }",
        "FILTER NOT EXISTS { ?q :p '''}''' }",
    ],
)
def test_group_ends_at_its_own_brace(where: str) -> None:
    parts = split_select(f"SELECT ?q {{ {where} }} LIMIT 1")
    assert (parts.where, parts.tail) == (where, "LIMIT 1")


def test_comment_in_the_group_is_left_out() -> None:
    assert split_select("SELECT ?q { ?q :p ?o . # } the end\n?q :r ?s # last\n}").where.split() == [
        "?q",
        ":p",
        "?o",
        ".",
        "?q",
        ":r",
        "?s",
    ]


def test_keywords_as_names_are_no_clauses() -> None:
    parts = split_select(
        "PREFIX from: <http://x.org/> SELECT ?where ?from { ?where from:from ?from }"
    )
    assert (parts.dataset, parts.where) == ("", "?where from:from ?from")


def test_braces_of_the_projection_are_not_the_group() -> None:
    parts = split_select("SELECT ?q (EXISTS { ?q :a ?x } AS ?has) WHERE { ?q :b ?y }")
    assert parts.where == "?q :b ?y"
    assert parts.projection == "SELECT ?q (EXISTS { ?q :a ?x } AS ?has)"


@pytest.mark.parametrize("query", ["ASK {}", "SELECT ?q", "", "INSERT DATA {}"])
def test_what_is_no_select_with_a_group_is_refused(refused: Refused, query: str) -> None:
    assert "the query is not a SELECT query" in refused(lambda: split_select(query), UsageError)


@pytest.mark.parametrize(
    "query", ["SELECT ?q { ?q ?p ?o", "SELECT ?q { { ?q ?p ?o }", "SELECT ?q { ?q ?p '}' "]
)
def test_open_brace_is_refused(refused: Refused, query: str) -> None:
    assert refused(lambda: split_select(query), UsageError) == "the query has a '{' without its '}'"


@pytest.mark.parametrize("name", ["qId", "QID", "qid", "Qid"])
def test_question_is_qid_in_any_case(name: str) -> None:
    assert question_variable(f"SELECT ?x ?{name} {{ ?{name} :p ?x }}", ["x", name]) == name


def test_question_is_else_the_first_variable_of_the_text() -> None:
    assert question_variable("SELECT * { ?q :length ?l }", ["l", "q"]) == "q"


def test_question_is_among_the_variables_of_the_answer() -> None:
    assert question_variable("SELECT (?hidden AS ?b) ?a { ?a :p ?hidden }", ["a", "b"]) == "b"


def test_variable_in_a_comment_is_not_the_question() -> None:
    assert question_variable("# ?l is the length\nSELECT * { ?q :length ?l }", ["l", "q"]) == "q"


def test_variable_in_a_string_is_not_the_question() -> None:
    assert question_variable("SELECT * { BIND('?l' AS ?x) ?q :length ?l }", ["l", "q"]) == "q"


def test_undeclared_prefixes_come_in_order_and_once() -> None:
    query = "PREFIX b: <http://x.org/> SELECT ?q { ?q c:x a:x ; c:y b:x ; :z _:n }"
    assert undeclared_prefixes(query) == ["c:", "a:", ":"]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?q { ?q <a:b> 'c:d' } # e:f",
        "PREFIX a.b: <http://x.org/> SELECT ?q { ?q a.b:c 1 }",
        "prefix a:<x> SELECT ?q { ?q a:c 1 }",
    ],
)
def test_no_prefix_is_undeclared(query: str) -> None:
    assert undeclared_prefixes(query) == []


COUNTED = [
    ("PREFIX : <http://x.org/> SELECT ?q { ?q :n ?n }", "5"),
    (
        "PREFIX : <http://x.org/> SELECT ?q ?k WHERE { ?q :n ?n OPTIONAL { ?q :kind ?k } } # five",
        "5",
    ),
    ("PREFIX : <http://x.org/> SELECT DISTINCT ?k { ?q :kind ?k }", "2"),
    ("PREFIX : <http://x.org/> SELECT ?q { ?q :n ?n } ORDER BY ?n LIMIT 3", "3"),
    ("PREFIX : <http://x.org/> SELECT ?q { ?q :n ?n } OFFSET 4", "1"),
    (
        (
            "PREFIX : <http://x.org/> SELECT ?k (MAX(?n) AS ?m) { ?q :n ?n ; :kind ?k } GROUP BY ?k"
            " HAVING (COUNT(*) > 1)"
        ),
        "1",
    ),
    ("PREFIX : <http://x.org/> SELECT ?q FROM <http://x.org/g> { ?q :n ?n }", "2"),
    (
        "PREFIX : <http://x.org/> SELECT ?q FROM NAMED <http://x.org/g> { GRAPH ?g { ?q :n ?n } }",
        "2",
    ),
    ("PREFIX : <http://x.org/> SELECT ?q { ?q :n ?n } VALUES ?n { 1 2 9 }", "2"),
    ("PREFIX : <http://x.org/> SELECT * { { SELECT ?q { ?q :n ?n } LIMIT 2 } }", "2"),
    ("PREFIX : <http://x.org/> SELECT ?q { SELECT ?q { ?q :n ?n } LIMIT 2 }", "2"),
    ("PREFIX : <http://x.org/> SELECT ?q (EXISTS { ?q :kind ?k } AS ?has) { ?q :n ?n }", "5"),
    ("SELECT ?q { ?q <http://x.org/n> ?n . FILTER(?n > 3) # }\n}", "2"),
    ("SELECT ?q { ?q <http://x.org/none> ?n }", "0"),
]


def test_count_rows_counts_what_the_query_gives() -> None:
    for query, count in COUNTED:
        assert str(len(rows(query))) == count
        assert rows(count_query(query)) == [[count]]


def test_count_rows_keeps_the_dataset_outside() -> None:
    counted = count_query("SELECT ?q FROM <http://x.org/g> { ?q ?p ?o } LIMIT 1")
    assert counted.index("FROM <http://x.org/g>") < counted.index("{")
    assert counted.count("FROM") == 1


NUMBERS = "PREFIX : <http://x.org/> SELECT ?n ?q { ?q :n ?n }"


@pytest.mark.parametrize(
    ("limit", "offset", "expected"),
    [
        (2, 0, ["1", "2"]),
        (2, 2, ["3", "4"]),
        (2, 4, ["5"]),
        (2, 6, []),
        (9, 0, ["1", "2", "3", "4", "5"]),
    ],
)
def test_page_gives_the_rows_in_order(limit: int, offset: int, expected: list[str]) -> None:
    assert [
        row[0] for row in rows(page_of(NUMBERS, ["n", "q"], ["n", "q"], limit, offset))
    ] == expected


def test_page_orders_by_all_variables() -> None:
    query = "PREFIX : <http://x.org/> SELECT ?k ?q { ?q :n ?n OPTIONAL { ?q :kind ?k } }"
    paged = [
        row for at in range(0, 6, 2) for row in rows(page_of(query, ["k", "q"], ["k", "q"], 2, at))
    ]
    assert [row[1][-2:] for row in paged] == ["q4", "q5", "q1", "q3", "q2"]


def test_page_is_taken_of_the_limited_query() -> None:
    query = "PREFIX : <http://x.org/> SELECT ?q ?n { ?q :n ?n } ORDER BY DESC(?n) LIMIT 2"
    assert [row[1] for row in rows(page_of(query, ["q", "n"], ["q", "n"], 10, 0))] == ["4", "5"]


def test_page_keeps_the_dataset() -> None:
    query = "PREFIX : <http://x.org/> SELECT ?q ?n FROM <http://x.org/g> { ?q :n ?n }"
    assert [row[1] for row in rows(page_of(query, ["q", "n"], ["q", "n"], 10, 0))] == ["1", "2"]


def test_patterns_of_a_group() -> None:
    for where, cut in [
        ("?q :a ?x", ["?q :a ?x"]),
        ("?q :a ?x . ?q :b ?y .", ["?q :a ?x", "?q :b ?y"]),
        ("?q :a ?x ; :b ?y", ["?q :a ?x", "?q :b ?y"]),
        ("?q :a ?x ;; :b ?y ; .", ["?q :a ?x", "?q :b ?y"]),
        ("?q :a ?x , ?y ; :b 1", ["?q :a ?x , ?y", "?q :b 1"]),
        ("?q a :T ; a :U", ["?q a :T", "?q a :U"]),
        ("?q dbo:a.b ?x . ?q wdt:P1 wd:Q5.", ["?q dbo:a.b ?x", "?q wdt:P1 wd:Q5"]),
        ("?q :a 1.5 . ?q :b 2. ?q :c -3", ["?q :a 1.5", "?q :b 2", "?q :c -3"]),
        ("?q :a 'x . y ; z' ; :b \"{ FILTER\"@en", ["?q :a 'x . y ; z'", '?q :b "{ FILTER"@en']),
        ("?q <http://x.org/a;b.c> ?x . ?q :b ?y", ["?q <http://x.org/a;b.c> ?x", "?q :b ?y"]),
        ("?q :a [ :b ?x ; :c ?y . ] ; :d ?z", ["?q :a [ :b ?x ; :c ?y . ]", "?q :d ?z"]),
        ("[] :a ?q ; :b ?x", ["[] :a ?q", "[] :b ?x"]),
        ("[ :a ?q ; :b ?x ] :c ?y", ["[ :a ?q ; :b ?x ] :c ?y"]),
        ("?q :a (1 ?x) ; :b ?y", ["?q :a (1 ?x)", "?q :b ?y"]),
        ("(?x ?y) :a ?q ; :b ?z", ["(?x ?y) :a ?q", "(?x ?y) :b ?z"]),
        ("?q :a/:b ?x . ?q ^:c|:d+ ?y", ["?q :a/:b ?x", "?q ^:c|:d+ ?y"]),
        (
            "?q (:a/:b)* ?x ; !(:c|^:d) ?y ; :e? ?z",
            ["?q (:a/:b)* ?x", "?q !(:c|^:d) ?y", "?q :e? ?z"],
        ),
        ("_:b :a ?q . ?q ?p ?o", ["_:b :a ?q", "?q ?p ?o"]),
        ("?q :filter ?x . ?q :union ?optional", ["?q :filter ?x", "?q :union ?optional"]),
        ("?q :a ?x # . ?q :c ?z\n. ?q :b ?y", ["?q :a ?x", "?q :b ?y"]),
        ("", []),
        (" . # nothing\n", []),
    ]:
        assert texts(where) == cut
        assert set(kinds(where)) <= {"TRIPLE"}


def test_block_is_one_element_between_patterns() -> None:
    for block, kind in [
        ("FILTER(?x > 1)", "FILTER"),
        ("filter (?x > 1)", "FILTER"),
        ("FILTER regex(?x, ') }')", "FILTER"),
        ("FILTER xsd:boolean(?x)", "FILTER"),
        ("FILTER <http://x.org/f>(?x)", "FILTER"),
        ("FILTER(?x IN (1, 2))", "FILTER"),
        ("FILTER EXISTS { ?q :c ?z . }", "FILTER"),
        ("FILTER NOT EXISTS { ?q :c ?z FILTER(?z > 1) }", "FILTER"),
        ("FILTER not exists{?q :c ?z}", "FILTER"),
        ("FILTER (EXISTS { ?q :c ?z })", "FILTER"),
        ("FILTER (EXISTS { ?q :c ?z } || ?x > 1)", "FILTER"),
        ("FILTER (NOT EXISTS { ?q :c ?z })", "FILTER"),
        ("FILTER (!EXISTS { ?q :c ?z } && ?x > 1)", "FILTER"),
        ("BIND(IF(?x > 1, ')', \"(\") AS ?z)", "BIND"),
        ("BIND(EXISTS { ?q :c ?w } AS ?z)", "BIND"),
        ("OPTIONAL { ?q :c ?z OPTIONAL { ?q :d ?w } }", "OPTIONAL"),
        ("optional { ?q :c ?z }", "OPTIONAL"),
        ("MINUS { ?q :c ?z }", "MINUS"),
        ("GRAPH ?g { ?q :c ?z }", "GRAPH"),
        ("GRAPH <http://x.org/g> { ?q :c ?z }", "GRAPH"),
        ("SERVICE SILENT <http://x.org/> { ?q :c ?z }", "SERVICE"),
        ("VALUES ?x { 1 2 }", "VALUES"),
        ("VALUES (?x ?y) { (1 2) (UNDEF '}') }", "VALUES"),
        ("{ ?q :c ?z }", "GROUP"),
        ("{ ?q :c ?z } UNION { ?q :d ?z } union { ?q :e ?z }", "GROUP"),
        ("{ { ?q :c ?z } UNION { ?q :d ?z } }", "GROUP"),
        ("{ SELECT ?q (COUNT(*) AS ?z) { ?q :c ?w } GROUP BY ?q }", "GROUP"),
    ]:
        for stop in (" ", " . "):
            where = f"?q :a ?x {block}{stop}?q :b ?y"
            assert texts(where) == ["?q :a ?x", block, "?q :b ?y"]
            assert kinds(where) == ["TRIPLE", kind, "TRIPLE"]


def test_blocks_may_follow_each_other() -> None:
    where = "{ ?q :a ?x } { ?q :b ?y } FILTER(?x > 1) FILTER(?y > 1) BIND(1 AS ?z)"
    assert kinds(where) == ["GROUP", "GROUP", "FILTER", "FILTER", "BIND"]


def test_sub_select_without_braces_of_its_own_is_one_group() -> None:
    elements = group_elements("SELECT ?q (MAX(?n) AS ?m) { ?q :n ?n . ?q :o ?p } GROUP BY ?q")
    assert [element.kind for element in elements] == ["GROUP"]
    assert "q" in elements[0].variables


def test_variables_of_an_element() -> None:
    for where, names in [
        ("?q :a ?x ; :b ?y", ["q x", "q y"]),
        ("?q :a [ :b ?x ; :c $y ]", ["q x y"]),
        ("?q ?p ?o", ["o p q"]),
        ("?q :a '?x' # ?y", ["q"]),
        ("FILTER(?x > 1 && bound(?y))", ["x y"]),
        ("OPTIONAL { ?q :a ?x }", ["q x"]),
        ("{ ?q :a ?x } UNION { ?q :b ?y }", ["q x y"]),
        ("FILTER(?n<5&&?t>1)", ["n t"]),
    ]:
        assert variables(where) == names


def test_elements_put_together_again_ask_the_same() -> None:
    where = (
        "?q :n ?n ; :kind ?k . FILTER(?n < 3) OPTIONAL { ?q :none ?x } { ?q :n 1 } UNION { ?q :n 2"
        " } FILTER NOT EXISTS { ?q :kind 'b' } VALUES ?n { 1 2 3 } BIND(?n * 2 AS ?double)"
    )
    prefix = "PREFIX : <http://x.org/> SELECT ?q ?double "
    again = " ".join(f"{e.text} ." if e.kind == "TRIPLE" else e.text for e in group_elements(where))
    assert (
        rows(f"{prefix} {{ {again} }}")
        == rows(f"{prefix} {{ {where} }}")
        == [["http://x.org/q1", "2"]]
    )
