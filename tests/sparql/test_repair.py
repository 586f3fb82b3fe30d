"""The repair of published SPARQL: every rule on a small query, and what comes out must parse."""

from __future__ import annotations

from collections import Counter

import pytest
from published import PUBLISHED, R1_TEXT, published_r1, records
from pyoxigraph import Store

from qaldgen.features.query.query_features import QueryError, query_features
from qaldgen.sparql.grammar import parse
from qaldgen.sparql.repair import (
    DEFAULT_PREFIXES,
    UNKNOWN_PREFIX,
    Repaired,
    repair,
    unknown_prefixes,
)
from qaldgen.stores.local import check_syntax

GROUP = "{ ?x <http://x.org/p> ?y }"
DATE = "http://www.w3.org/2001/XMLSchema#date"
HTTPS_TYPE = "https://www.w3.org/1999/02/22-rdf-syntax-ns#type"

#: Query, repaired query, codes; each must parse afterwards.
CASES = [
    # SELECT
    (f"SELECT COUNT(?x) {GROUP}", f"SELECT (COUNT(?x) AS ?count) {GROUP}", ["bare-aggregate"]),
    (f"SELECT DISTINCT COUNT(?x) {GROUP}", f"SELECT DISTINCT (COUNT(?x) AS ?count) {GROUP}",
        ["bare-aggregate"]),
    (f"SELECT Count(?x) as ?c WHERE {GROUP}", f"SELECT (Count(?x) AS ?c) WHERE {GROUP}",
        ["bare-aggregate"]),
    (f"SELECT (COUNT(?x)) AS ?c {GROUP}", f"SELECT ((COUNT(?x)) AS ?c) {GROUP}",
        ["bare-aggregate"]),
    (f"SELECT (COUNT(?x)) {GROUP}", f"SELECT (COUNT(?x) AS ?count) {GROUP}", ["missing-alias"]),
    (f"SELECT (?x-?y) {GROUP}", f"SELECT (?x-?y AS ?value) {GROUP}", ["missing-alias"]),
    (f"SELECT (COUNT(?x AS ?c)) {GROUP}", f"SELECT (COUNT(?x) AS ?c) {GROUP}",
        ["alias-inside", "missing-alias"]),
    (f"SELECT MIN(DISTINCT ?x AS ?c) {GROUP}", f"SELECT (MIN(DISTINCT ?x) AS ?c) {GROUP}",
        ["alias-inside", "bare-aggregate"]),
    (f"SELECT COUNT(?x AS ?x) {GROUP}", f"SELECT (COUNT(?x) AS ?count) {GROUP}",
        ["alias-inside", "bare-aggregate"]),
    (f"SELECT STR(?x) {GROUP}", f"SELECT (STR(?x) AS ?value) {GROUP}", ["bare-expression"]),
    (f"SELECT <{DATE}>(?x) {GROUP}", f"SELECT (<{DATE}>(?x) AS ?value) {GROUP}",
        ["bare-expression"]),
    (f"SELECT ?x AS ?z {GROUP}", f"SELECT (?x AS ?z) {GROUP}", ["bare-expression"]),
    (f"SELECT SUM(?x)/COUNT(?y) {GROUP}", f"SELECT (SUM(?x)/COUNT(?y) AS ?sum) {GROUP}",
        ["bare-aggregate"]),
    (f"SELECT MAX(?x) MAX(?y) {GROUP}", f"SELECT (MAX(?x) AS ?max) (MAX(?y) AS ?max2) {GROUP}",
        ["bare-aggregate"]),
    (f"SELECT -?x {GROUP}", f"SELECT (-?x AS ?value) {GROUP}", ["bare-expression"]),
    ("SELECT COUNT(?x) { ?x ?p ?count }", "SELECT (COUNT(?x) AS ?count2) { ?x ?p ?count }",
        ["bare-aggregate"]),
    (
        f"SELECT ?x {{ {{ SELECT ?x COUNT(?y) {GROUP} }} }}",
        f"SELECT ?x {{ {{ SELECT ?x (COUNT(?y) AS ?count) {GROUP} GROUP BY ?x }} }}",
        ["bare-aggregate", "implicit-grouping"],
    ),
    # ORDER BY and grouping
    (
        f"SELECT ?x {GROUP} ORDER BY DESC(COUNT(?y)) LIMIT 1",
        f"SELECT ?x {GROUP} GROUP BY ?x ORDER BY DESC(COUNT(?y)) LIMIT 1",
        ["implicit-grouping"],
    ),
    (
        f"SELECT ?x COUNT(?y) {GROUP} ORDER BY DESC(COUNT(?y))",
        f"SELECT ?x (COUNT(?y) AS ?count) {GROUP} GROUP BY ?x ORDER BY DESC(COUNT(?y))",
        ["bare-aggregate", "implicit-grouping"],
    ),
    (f"SELECT ?x {GROUP} HAVING (COUNT(?y) > 1)",
        f"SELECT ?x {GROUP} GROUP BY ?x HAVING (COUNT(?y) > 1)", ["implicit-grouping"]),
    # prefixes
    ("ASK { ?x a dbo:Film }", "ASK { ?x a <http://dbpedia.org/ontology/Film> }",
        ["undeclared-prefix"]),
    ("PREFIX dbo: <http://x.org/> ASK { ?x a dbo:Film }", "ASK { ?x a <http://x.org/Film> }", []),
    ("PREFIX : <http://x.org/> ASK { :a :b :c }",
        "ASK { <http://x.org/a> <http://x.org/b> <http://x.org/c> }", []),
    ("prefix a: <http://a/> prefix a: <http://b/> ASK { ?x ?p a:c }", "ASK { ?x ?p <http://b/c> }",
        []),
    ("PREFIX a: <http://a/> PREFIX b: <http://a/> ASK { a:x ?p b:y }",
        "ASK { <http://a/x> ?p <http://a/y> }", []),
    ("PREFIX a: <http://a/> ASK { a:A._B._C ?p a:c\\,d }",
        "ASK { <http://a/A._B._C> ?p <http://a/c,d> }", []),
    ("BASE <http://a/b/> PREFIX c: <c/> ASK { <d> ?p c:e }",
        "ASK { <http://a/b/d> ?p <http://a/b/c/e> }", []),
    ("BASE <http://a/b/> ASK { <http://f> ?q ?r }", "ASK { <http://f> ?q ?r }", []),
    # layout
    ("ASK { ?x <http://p> * ?y }", "ASK { ?x <http://p> * ?y }", []),
    ("ASK # what: OR\n{ ?x ?p ?y } # end", "ASK\n{ ?x ?p ?y }", []),
]  # fmt: skip

#: Standard queries; nothing may change.
STANDARD = [
    "SELECT  ?x\t?y\n{ ?x ?p ?y }",
    "SELECT DISTINCT * { ?x ?p ?y }",
    "SELECT (COUNT(*) AS ?n) { ?x ?p ?y }",
    (
        "SELECT ?x (COUNT(?y) AS ?n) { ?x ?p ?y } GROUP BY ?x HAVING (COUNT(?y) > 1) ORDER BY"
        " DESC(?n) ?x LIMIT 3 OFFSET 2"
    ),
    "SELECT (GROUP_CONCAT(?x; separator=', ') AS ?all) { ?x ?p ?y }",
    "SELECT ?x { ?x ?p 'OR', \"AND NOT\"@or } ORDER BY STR(?x)",
    "ASK { ?x ?p ?y FILTER(?y NOT IN (1, 2)) FILTER NOT EXISTS { ?y ?p _:b } }",
    "SELECT ?x { ?x ?p ?y FILTER(?x < ?y && ?y > 3) } ORDER BY (?x + 1)",
    "SELECT (COUNT(?x) AS ?n) { ?x ?p ?y } ORDER BY DESC(COUNT(?x))",
]


def parses(query: str) -> None:
    """Parse with both parsers: ours for features, Oxigraph's for what is executed."""
    parse(query)
    check_syntax(query)


def test_rule() -> None:
    for query, text, codes in CASES:
        assert repair(query) == Repaired(text, tuple(codes))
        assert repair(text) == Repaired(text, ()), "a repaired query needs no repair"
        parses(text)


def test_standard_query_stays_as_it_is() -> None:
    for query in STANDARD:
        assert repair(query) == Repaired(query, ())
        parses(query)


@pytest.mark.parametrize(
    "prefix",
    "dbo dbr res dbp dbc dct foaf yago rdf rdfs owl xsd skos geo georss schema".split(),  # noqa: SIM905
)
def test_default_prefix_of_dbpedia(prefix: str) -> None:
    assert repair(f"ASK {{ ?x ?p {prefix}:Name }}").repairs == ("undeclared-prefix",)
    assert DEFAULT_PREFIXES[prefix].startswith("http://")


def test_default_prefixes_of_wikidata() -> None:
    text, _ = repair(
        "ASK { wd:Q1 wdt:P1 ?a . wd:Q1 p:P2 [ ps:P2 ?b ; pq:P3 ?c ; "
        "psv:P2/wikibase:quantityAmount ?d ] }"
    )
    for part in (
        "entity/Q1",
        "prop/direct/P1",
        "prop/P2",
        "prop/statement/P2",
        "prop/qualifier/P3",
        "prop/statement/value/P2",
    ):
        assert f"<http://www.wikidata.org/{part}>" in text
    assert "<http://wikiba.se/ontology#quantityAmount>" in text


def test_default_prefixes_of_wikidata_are_those_of_its_endpoint() -> None:
    prop = "http://www.wikidata.org/prop/"
    folders = {
        "p": "", "wdt": "direct/", "wdtn": "direct-normalized/", "wdno": "novalue/",
        "pr": "reference/", "ps": "statement/", "psv": "statement/value/",
        "psn": "statement/value-normalized/", "pq": "qualifier/", "pqv": "qualifier/value/",
        "pqn": "qualifier/value-normalized/",
    }  # fmt: skip
    assert {prefix: iri for prefix, iri in DEFAULT_PREFIXES.items() if iri.startswith(prop)} == {
        prefix: prop + folder for prefix, folder in folders.items()
    }


def test_unknown_prefix_stays() -> None:
    assert repair("ASK { ?x ?p nobody:knows }") == Repaired("ASK { ?x ?p nobody:knows }", ())


@pytest.mark.parametrize(
    ("name", "iri"),
    [
        ("nobody:knows", f"{UNKNOWN_PREFIX}nobody#knows"),
        (":knows", f"{UNKNOWN_PREFIX}#knows"),
        ("nobody:a\\,b", f"{UNKNOWN_PREFIX}nobody#a,b"),
    ],
)
def test_unknown_prefix_is_bound_to_a_placeholder_on_request(name: str, iri: str) -> None:
    text, repairs = repair(f"ASK {{ ?x ?p {name} }}", bind_unknown=True)
    assert (text, repairs) == (f"ASK {{ ?x ?p <{iri}> }}", ("unknown-prefix",))
    parses(text)


def test_unknown_prefixes_are_those_that_neither_query_nor_usage_declares() -> None:
    assert unknown_prefixes(
        "PREFIX a: <http://x.org/> ASK { a:b dbo:c qb:d ; qb:e _:f ; :g 'h:i' }"
    ) == ["qb:", ":"]


def test_escaped_letters_are_read() -> None:
    assert repair(
        r"SEL\u0045CT ?x { ?x <http://x.org/caf\u00e9> '\u0022' }"
    ).text == r"SELECT ?x { ?x <http://x.org/caf\u00e9> '\u0022' }".replace(r"\u00e9", "\u00e9")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT (EXISTS { ?x ?p ?y . { SELECT ?x { ?x ?p ?z } } } AS ?e) { ?x ?p ?y }",
        "SELECT (!EXISTS { BIND(1 AS ?n) } AS ?e) { ?x ?p ?y }",
        "SELECT ?x (EXISTS { { SELECT (COUNT(?y) AS ?n) { ?x ?p ?y } } } AS ?e) { ?x ?p ?y }",
    ],
)
def test_what_stands_in_the_group_of_exists_is_left_to_it(query: str) -> None:
    assert repair(query) == Repaired(query, ())
    parses(query)


@pytest.mark.parametrize(
    "declaration",
    ["BASE <http://a/b/> PREFIX c: <d#>", "BASE <http://x/> PREFIX c: <http://a/b/d#>"],
)
def test_namespace_keeps_its_hash_under_a_base(declaration: str) -> None:
    assert repair(f"{declaration} ASK {{ ?x ?p c:e }}").text == "ASK { ?x ?p <http://a/b/d#e> }"


def test_wrong_iri_of_a_type_is_left_to_check() -> None:
    query = f"ASK {{ ?x <{HTTPS_TYPE}> ?y }}"
    assert repair(query) == Repaired(query, ())


def test_what_is_not_understood_does_no_harm() -> None:
    for query in [
        "",
        "SELECT",
        "SELECT (",
        "SELECT COUNT(?x",
        "SELECT ?x WHERE",
        "SELECT ?x { ?x ?p",
        "OUT OF SCOPE",
        "} { )",
    ]:
        assert repair(query).text == query


@pytest.mark.parametrize(("name", "size"), PUBLISHED.items())
def test_published_queries_run_after_the_repair(name: str, size: int) -> None:
    queries = [query for _, query, _ in records(name)]
    store = Store()
    for query in queries:
        store.query(repair(query).text)
    assert len(queries) == size


def test_published_r1_runs_after_the_repair() -> None:
    queries = [values[R1_TEXT][0] for values in published_r1(R1_TEXT).values()]
    repaired = [repair(query) for query in queries]
    store = Store()
    for text, _ in repaired:
        store.query(text)
    assert len(queries) == 5543
    assert {codes for _, codes in repaired} == {()}


def test_repairs_of_lc_quad() -> None:
    """In LC-QuAD, the bare COUNT is all there is to repair."""
    repairs = [
        repair(query).repairs
        for part in ("train", "test")
        for _, query, _ in records(f"lc-quad/{part}-data.json")
    ]
    assert (repairs.count(()), repairs.count(("bare-aggregate",))) == (4342, 658)


def test_repairs_of_qald_9() -> None:
    parts = [records(f"qald/qald-9-{part}-multilingual.json") for part in ("train", "test")]
    found = Counter(
        code for part in parts for _, query, _ in part for code in repair(query).repairs
    )
    assert found == {
        "undeclared-prefix": 26,
        "bare-expression": 7,
        "implicit-grouping": 7,
        "bare-aggregate": 4,
        "alias-inside": 3,
    }


@pytest.mark.parametrize(
    "query",
    [
        "SELECT COUNT(?u) ?x { ?x ?y ?u",
        "SELECT COUNT(?u) ?x { { ?x ?y ?u }",
        "SELECT (MAX(?u) ?x { (",
    ],
)
def test_group_that_is_not_closed_is_no_crash(query: str) -> None:
    with pytest.raises(QueryError, match="does not parse"):
        query_features(query)
