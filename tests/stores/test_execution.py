"""Gold queries executed on a local graph and on a server that misbehaves.

A failure never becomes an empty answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hearing import hearing
from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, parse
from questions import literal, question
from sparql_servers import (
    Handler,
    Step,
    StubServer,
    body,
    capped,
    dropped,
    honest,
    is_count,
    stalled,
    stalled_midway,
    status,
    virtuoso,
)

from qaldgen.answers.journal import read_journal
from qaldgen.errors import DataError, UsageError
from qaldgen.model import Answers, Cell, Question
from qaldgen.questions.reading import read_questions
from qaldgen.rdf.terms import XSD, Rows
from qaldgen.stores.endpoint import Endpoint
from qaldgen.stores.gold_queries import Executed, execute_gold, gold_query, source_name
from qaldgen.stores.local import LocalStore, open_file, open_quads
from qaldgen.stores.query_answers import rows_answers

ROOT = Path(__file__).resolve().parent.parent.parent
X = "http://x.org/"
GRAPH = f"""@prefix : <{X}> . @prefix xsd: <{XSD}> .
:Amber a :River ; :length 7 ; :name "Amber River"@en, "Bernsteinfluss"@de, "Amber" ;
  :found "1850-04-01"^^xsd:date ; :mouth _:sea .
:Birch a :River ; :length 12 ; :name "Birch" . _:sea :name "Sea" . :Cedar a :River .
"""
RIVERS = f"SELECT ?r {{ ?r a <{X}River> }}"
LENGTHS = f"SELECT ?r ?l {{ ?r a <{X}River> OPTIONAL {{ ?r <{X}length> ?l }} }}"
NAMES = f"SELECT ?n {{ <{X}Amber> <{X}name> ?n }}"
NOTHING = f"SELECT ?r {{ ?r a <{X}Mountain> }}"
IS_RIVER = f"ASK {{ <{X}Amber> a <{X}River> }}"
IS_HILL = f"ASK {{ <{X}Amber> a <{X}Hill> }}"
Refused = Callable[..., str]


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("USER", "PASSWORD", "AUTH", "TOKEN"):
        monkeypatch.delenv(f"QALDGEN_ENDPOINT_{name}", raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")


@pytest.fixture(scope="module")
def graph() -> LocalStore:
    return open_quads("rivers.ttl", list(parse(GRAPH, RdfFormat.TURTLE)))


@pytest.fixture
def stub() -> Iterator[StubServer]:
    with StubServer(GRAPH).running() as server:
        yield server


def endpoint(server: StubServer, timeout: float = 10.0, path: str = "") -> Endpoint:
    return Endpoint(server.url + path, timeout, retries=1, backoff=0.01)


def asking(query: str, name: str = "1", answers: Answers | None = None) -> Question:
    return question(name, query=query, answers=answers)


def given(done: Executed) -> Answers:
    """Return the answers of the one question, which must have some."""
    answers = done.questions[0].answers
    assert answers is not None
    return answers


# --- answers --------------------------------------------------------------------------------------


@pytest.fixture(params=["file", "endpoint", "virtuoso"])
def source(
    request: pytest.FixtureRequest, graph: LocalStore, stub: StubServer
) -> LocalStore | Endpoint:
    stub.always = virtuoso if request.param == "virtuoso" else honest
    return graph if request.param == "file" else endpoint(stub)


def test_rows_are_typed_and_sorted(source: LocalStore | Endpoint) -> None:
    names = execute_gold([asking(NAMES)], source)
    assert given(names).rows == (
        (literal("Amber"),),
        (literal("Amber River", language="en"),),
        (literal("Bernsteinfluss", language="de"),),
    )
    dates = execute_gold([asking(f"SELECT ?d {{ <{X}Amber> <{X}found> ?d }}")], source)
    assert given(dates).rows == ((literal("1850-04-01", "date"),),)


def test_unbound_cell_is_none(source: LocalStore | Endpoint) -> None:
    found = given(execute_gold([asking(LENGTHS)], source))
    assert found.variables == ("r", "l")
    assert found.rows[2] == (Cell("uri", X + "Cedar"), None)
    assert found.rows[0] == (Cell("uri", X + "Amber"), literal("7", "integer"))


def test_blank_node_is_one(source: LocalStore | Endpoint) -> None:
    found = given(execute_gold([asking(f"SELECT ?m {{ <{X}Amber> <{X}mouth> ?m }}")], source))
    assert [cell.type for row in found.rows for cell in row if cell] == ["bnode"]


@pytest.mark.parametrize(("query", "expected"), [(IS_RIVER, True), (IS_HILL, False)])
def test_ask_gives_a_boolean(source: LocalStore | Endpoint, query: str, expected: bool) -> None:
    done = execute_gold([asking(query)], source)
    assert given(done) == Answers(boolean=expected)
    assert done.responses["1"].status == "answered"


def test_empty_result_is_an_empty_answer(source: LocalStore | Endpoint) -> None:
    done = execute_gold([asking(NOTHING)], source)
    assert given(done) == Answers(variables=("r",))
    assert done.responses["1"].status == "empty"


def test_aggregate_of_nothing_is_an_empty_answer(source: LocalStore | Endpoint) -> None:
    done = execute_gold(
        [asking(f"SELECT (MAX(?l) AS ?m) {{ ?r a <{X}Mountain> ; <{X}length> ?l }}")], source
    )
    assert given(done).rows == ()


def test_order_of_the_query_is_kept(source: LocalStore | Endpoint) -> None:
    done = execute_gold([asking(f"SELECT ?l {{ ?r <{X}length> ?l }} ORDER BY DESC(?l)")], source)
    assert given(done).values() == ["12", "7"]


def test_query_is_repaired_for_sending_and_stays_as_it_was(source: LocalStore | Endpoint) -> None:
    query = f"SELECT DISTINCT COUNT(?r) WHERE {{ ?r rdf:type <{X}River> }}"
    done = execute_gold([asking(query)], source)
    assert given(done).rows == ((literal("3", "integer"),),)
    assert done.questions[0].sparql == query
    assert done.responses["1"].query.startswith("SELECT DISTINCT (COUNT(?r) AS ?count)")


def test_a_product_of_everything_fails_its_question_alone(
    graph: LocalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qaldgen.stores.gold_queries.MAX_GOLD_ROWS", 50, raising=False)
    product = "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"

    done = execute_gold([asking(product, "1"), asking(RIVERS, "2")], graph)

    assert [one.answers is None for one in done.questions] == [True, False]
    assert any("more than 50 rows" in note for note in done.notes)


def test_triple_as_a_value_is_refused() -> None:
    triple = Triple(NamedNode(X + "a"), NamedNode(X + "b"), Literal(1))
    with pytest.raises(DataError, match="RDF-star"):
        rows_answers(Rows(("t",), [(triple,)]))


# --- which queries --------------------------------------------------------------------------------


def test_only_questions_without_answers_are_filled(graph: LocalStore) -> None:
    known, empty = (
        Answers(variables=("r",), rows=((Cell("uri", X + "Old"),),)),
        Answers(variables=("r",)),
    )
    asked = [asking(RIVERS, "1", known), asking(RIVERS, "2", empty), asking(RIVERS, "3")]
    done = execute_gold(asked, graph)
    assert list(done.responses) == ["3"]
    assert done.questions[:2] == tuple(asked[:2])
    assert len(given(Executed(done.questions[2:], {}, 0, (), ())).rows) == 3


def test_refresh_replaces_answers_and_names_what_changed(graph: LocalStore) -> None:
    old = Answers(variables=("r",), rows=((Cell("uri", X + "Old"),),))
    same = Answers(
        variables=("other",),
        rows=tuple((Cell("uri", X + name),) for name in ("Cedar", "Amber", "Birch")),
    )
    done = execute_gold(
        [asking(RIVERS, "1", old), asking(RIVERS, "2", same), asking(RIVERS, "3")],
        graph,
        refresh=True,
    )
    assert [len(one.answers.rows) if one.answers else 0 for one in done.questions] == [3, 3, 3]
    assert done.changed == ("1",)
    assert "1 of 3 executed questions have other answers than before (1)" in done.notes


def test_new_name_of_a_blank_node_is_no_change(graph: LocalStore) -> None:
    old = Answers(variables=("m",), rows=((Cell("bnode", "other"),),))
    assert (
        execute_gold(
            [asking(f"SELECT ?m {{ <{X}Amber> <{X}mouth> ?m }}", answers=old)], graph, refresh=True
        ).changed
        == ()
    )


def test_boolean_that_turns_is_a_change(graph: LocalStore) -> None:
    assert execute_gold(
        [asking(IS_HILL, answers=Answers(boolean=True))], graph, refresh=True
    ).changed == ("1",)


@pytest.mark.parametrize(
    ("queries", "name", "expected"),
    [
        ({"dbpedia": "a", "wikidata": "b"}, "", "a"),
        ({"dbpedia": "a", "wikidata": "b"}, "wikidata", "b"),
        ({"dbpedia": "a"}, "wikidata", ""),
        ({"": "a"}, "wikidata", "a"),
        ({"": " "}, "", ""),
        ({}, "", ""),
    ],
)
def test_query_of_the_knowledge_graph(queries: dict[str, str], name: str, expected: str) -> None:
    assert gold_query(Question("1", {}, queries=queries), name) == expected


def test_questions_without_query_are_told(graph: LocalStore) -> None:
    asked = [
        Question("7", {}, queries={"dbpedia": RIVERS}),
        Question("8", {}, answers=Answers(boolean=True)),
    ]
    done = execute_gold(asked, graph, kg_name="wikidata")
    assert done.notes == (
        "1 question without answers and without a query for wikidata (7); that stays so",
    )
    assert done.questions == tuple(asked)


# --- failures -------------------------------------------------------------------------------------

BAD_STEPS: dict[str, Step] = {
    "HTTP 500 Internal Server Error": status(500, "no"),
    "HTTP 400 Bad Request": status(400, "no"),
    "(2 tries)": status(503),
    "text/html": body("<html><body>Welcome</body></html>", "text/html"),
    "the answer is empty": body(""),
    "not a SPARQL result": body('{"head": {}}'),
    "dropped the connection": dropped,
    "partial result": body(
        '{"head": {"vars": []}, "results": {"bindings": []}}', headers={"X-SQL-State": "S1TAT"}
    ),
}


@pytest.mark.parametrize("words", BAD_STEPS)
@pytest.mark.parametrize("query", [RIVERS, IS_RIVER])
@pytest.mark.parametrize("before", [None, Answers(boolean=True)])
def test_failed_call_leaves_the_answers_as_they_were(
    stub: StubServer, words: str, query: str, before: Answers | None
) -> None:
    stub.always = BAD_STEPS[words]
    done = execute_gold([asking(query, "q9", before)], endpoint(stub), refresh=True)
    assert done.questions[0].answers == before
    response = done.responses["q9"]
    assert (response.status, response.answers) == ("failed", None)
    assert words in response.error
    assert done.notes[0].startswith(
        "1 of 1 gold queries failed, so the answers stay as they were (q9): "
    )
    assert words in done.notes[0]


@pytest.mark.parametrize("step", [stalled, stalled_midway])
def test_stall_is_a_timeout(stub: StubServer, step: Step) -> None:
    stub.always = step
    done = execute_gold([asking(RIVERS)], endpoint(stub, timeout=0.2))
    response = done.responses["1"]
    assert (response.status, response.answers, done.questions[0].answers) == ("timeout", None, None)
    assert response.seconds is not None
    assert 0.1 < response.seconds < 5
    assert "did not end in time" in done.notes[0]


def test_server_that_is_not_there_fails_every_question(stub: StubServer) -> None:
    gone = endpoint(stub)
    stub.server_close()
    done = execute_gold([asking(RIVERS, str(number)) for number in range(5)], gone)
    assert {one.status for one in done.responses.values()} == {"failed"}
    assert "5 of 5 gold queries failed" in done.notes[0]
    assert "(0, 1, 2, ...)" in done.notes[0]
    assert "connection refused" in done.notes[0]


def test_reasons_are_told_apart_and_the_most_frequent_first(graph: LocalStore) -> None:
    queries = [
        *(f"SELECT ?x {{ ?x a u{number}:T }}" for number in range(7)),
        "DESCRIBE ?x {}",
        "DESCRIBE ?y {}",
    ]
    notes = execute_gold(
        [asking(query, str(number)) for number, query in enumerate(queries)], graph
    ).notes
    assert notes[0].startswith(
        "2 of 9 gold queries failed, so the answers stay as they were (7, 8): the query is DESCRIBE"
    )
    assert [
        f"({number}): the query uses the prefix u{number}:" in notes[number + 1]
        for number in range(4)
    ] == [True] * 4
    assert notes[5].startswith("3 of 9 gold queries failed for other reasons (4, 5, 6)")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }", "the query is CONSTRUCT"),
        (f"DESCRIBE <{X}Amber>", "the query is DESCRIBE"),
        (f"DELETE WHERE {{ <{X}Amber> ?p ?o }}", "the query is UPDATE"),
        ("rivers by length, the first one please", "the query is not SPARQL"),
    ],
)
def test_query_without_answers_is_not_sent(
    stub: StubServer, graph: LocalStore, query: str, words: str
) -> None:
    for where in (endpoint(stub), graph):
        response = execute_gold([asking(query)], where).responses["1"]
        assert response.status == "failed"
        assert words in response.error
    assert stub.requests == []


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELECT ?r { ?r a <unclosed }", "does not parse"),
        ("SELECT ?r { ?r a unknown:River }", "the prefix unknown:"),
        ("BASE <http://[> SELECT ?r { ?r a <River> }", "does not parse"),
        (
            f"SELECT ?r {{ {'{' * 300} ?r a <{X}River> {'}' * 300} }}",
            "brackets 301 deep (at most 64",
        ),
        ("SELECT ?r { ?r a '\ud800' }", "cannot be run"),
        (
            f"SELECT ?r FROM <{X}g> {{ ?r a <{X}River> }}",
            f"the graph <{X}g>, which is not in rivers.ttl",
        ),
        (f"SELECT ?r {{ GRAPH <{X}g> {{ ?r a <{X}River> }} }}", f"the graph <{X}g>"),
    ],
)
def test_query_that_a_local_file_cannot_answer_fails(
    graph: LocalStore, query: str, words: str
) -> None:
    done = execute_gold([asking(query)], graph)
    assert (done.responses["1"].status, done.questions[0].answers) == ("failed", None)
    assert words in done.responses["1"].error


@pytest.mark.parametrize("silent", ["", "SILENT "])
def test_local_query_with_service_reaches_nobody(
    stub: StubServer, graph: LocalStore, silent: str
) -> None:
    query = f"SELECT ?r {{ ?r a <{X}River> SERVICE {silent}<{stub.url}> {{ ?r ?p ?o }} }}"
    response = execute_gold([asking(query)], graph).responses["1"]
    assert response.status == "failed"
    assert "SERVICE" in response.error
    assert stub.requests == []


LABELS = 'SERVICE wikibase:label { bd:serviceParam wikibase:language "en". }'


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT ?r ?rLabel {{ ?r a <{X}River> . {LABELS} }}",
        f"SELECT ?rLabel ?r {{ ?r a <{X}River> {LABELS} . }} ORDER BY ?rLabel",
        f"SELECT DISTINCT ?r ?rDescription ?rAltLabel {{ {LABELS} ?r a <{X}River> }}",
        f"SELECT ?r ?rLabel {{ ?r a <{X}River> {LABELS} }} GROUP BY ?r ?rLabel",
        f"SELECT ?r ?name {{ ?r a <{X}River> SERVICE wikibase:label {{ ?r rdfs:label ?name }} }}",
        f"SELECT * {{ ?r a <{X}River> {LABELS} }}",
        f"SELECT * {{ SELECT * {{ SELECT ?r ?rLabel {{ ?r a <{X}River> {LABELS} }} }} }}",
    ],
)
def test_label_service_is_left_out_of_a_local_query(graph: LocalStore, query: str) -> None:
    done = execute_gold([asking(query), asking(RIVERS, "2")], graph)
    assert done.responses["1"].answers == done.responses["2"].answers
    assert [note for note in done.notes if "label service" in note] == [done.notes[-1]]
    assert done.notes[-1].startswith("1 queries were executed without Wikidata's label service")


def test_columns_of_the_label_service_are_named(graph: LocalStore) -> None:
    query = f"SELECT ?r ?rLabel ?rDescription {{ ?r a <{X}River> {LABELS} }}"
    assert (
        execute_gold([asking(query)], graph)
        .notes[-1]
        .endswith("(1); columns left out: ?rLabel, ?rDescription")
    )


def test_label_that_the_file_has_stays(graph: LocalStore) -> None:
    query = (
        f"SELECT ?rLabel {{ ?r a <{X}River> BIND('a' AS ?rLabel) {LABELS} }} ORDER BY ?rLabel"
        " LIMIT 1"
    )
    assert given(execute_gold([asking(query)], graph)).values() == ["a"]


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT ?rLabel {{ ?r a <{X}River> {LABELS} }}",
        f"SELECT ?r {{ ?r a <{X}River> {LABELS} FILTER(CONTAINS(?rLabel, 'a')) }}",
        f"SELECT ?r ?rLabel {{ ?r a <{X}River> {LABELS} }} ORDER BY ?rLabel LIMIT 1",
        f"SELECT ?r (SAMPLE(?rLabel) AS ?l) {{ ?r a <{X}River> {LABELS} }} GROUP BY ?r",
        f"SELECT (COUNT(?r) AS ?n) {{ ?r a <{X}River> {LABELS} }} GROUP BY ?rLabel",
        f"SELECT ?r {{ ?r a <{X}River> {LABELS} BIND(?rLabel AS ?l) }}",
    ],
)
def test_query_that_needs_a_label_fails_by_name(graph: LocalStore, query: str) -> None:
    response = execute_gold([asking(query)], graph).responses["1"]
    assert response.status == "failed"
    assert response.error.startswith("the query needs ?rLabel of Wikidata's label service")


def test_label_service_is_sent_to_an_endpoint(stub: StubServer) -> None:
    execute_gold([asking(f"SELECT ?r ?rLabel {{ ?r a <{X}River> {LABELS} }}")], endpoint(stub))
    assert "SERVICE <http://wikiba.se/ontology#label>" in stub.requests[0].query


def test_graph_that_the_file_has_is_read() -> None:
    quads = list(parse(f"<{X}a> <{X}b> <{X}c> <{X}g> .", RdfFormat.N_QUADS))
    done = execute_gold(
        [asking(f"SELECT ?s FROM <{X}g> {{ ?s ?p ?o }}")], open_quads("g.nq", quads)
    )
    assert given(done).values() == [X + "a"]


# --- answers that a server cuts -------------------------------------------------------------------


def test_cut_answer_is_fetched_whole(stub: StubServer) -> None:
    stub.always = capped(2)
    assert len(given(execute_gold([asking(RIVERS)], endpoint(stub))).rows) == 3


@pytest.mark.parametrize("header", [True, False])
def test_cut_answer_that_cannot_be_counted_is_a_failure(stub: StubServer, header: bool) -> None:
    stub.always = capped(2, header=header, count=False)
    done = execute_gold([asking(RIVERS)], endpoint(stub))
    assert (done.responses["1"].status, done.questions[0].answers) == ("failed", None)
    assert "cut its answer" in done.notes[0]


def test_answer_that_may_be_cut_is_told_with_its_question(
    stub: StubServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    stub.always = capped(3, count=False)
    journal = tmp_path / "j.jsonl"
    for _ in range(2):  # asked, and from the journal
        done = execute_gold([asking(RIVERS, "q7")], endpoint(stub), journal=journal)
        assert done.notes[0].startswith("1 answer may be cut by the server (q7): ")
        assert "completeness could not be verified" in done.notes[0]
    assert caplog.records == []  # told once, with the question


# --- the journal ----------------------------------------------------------------------------------


def fail_for(word: str) -> Step:
    def step(request: Handler) -> None:
        status(500, "no")(request) if word in request.query else honest(request)

    return step


ASKED = [asking(RIVERS, "1"), asking(NAMES, "2"), asking(NOTHING, "3"), asking(IS_RIVER, "4")]


def test_second_run_asks_nothing(stub: StubServer, tmp_path: Path) -> None:
    first = execute_gold(ASKED, endpoint(stub), journal=tmp_path / "j.jsonl")
    sent = len(stub.requests)
    second = execute_gold(ASKED, endpoint(stub), journal=tmp_path / "j.jsonl")
    assert sent > 0
    assert len(stub.requests) == sent
    assert second.questions == first.questions
    assert (first.asked, second.asked) == (4, 0)


def test_failures_are_asked_again_and_only_these(stub: StubServer, tmp_path: Path) -> None:
    journal = tmp_path / "j.jsonl"
    stub.always = fail_for("name")
    first = execute_gold(ASKED, endpoint(stub), journal=journal)
    assert [one.answers is None for one in first.questions] == [False, True, False, False]
    stub.always = honest
    stub.requests.clear()
    second = execute_gold(ASKED, endpoint(stub), journal=journal)
    assert {"name" in seen.query for seen in stub.requests} == {True}
    assert second.asked == 1
    assert second.notes == ()
    assert read_journal(journal).responses["2"].status == "answered"


def test_other_source_is_asked_anew(stub: StubServer, graph: LocalStore, tmp_path: Path) -> None:
    journal = tmp_path / "j.jsonl"
    for where in (graph, endpoint(stub), endpoint(stub, path="?default-graph-uri=")):
        assert execute_gold(ASKED, where, journal=journal).asked == 4
    assert execute_gold(ASKED, graph, journal=journal).asked == 0


def test_changed_file_is_another_source(tmp_path: Path) -> None:
    path, journal = tmp_path / "g.ttl", tmp_path / "j.jsonl"
    path.write_text(GRAPH, encoding="utf-8")
    assert execute_gold(ASKED, open_file(path), journal=journal).asked == 4
    path.write_text(GRAPH + ":Dale a :River .", encoding="utf-8")
    assert execute_gold(ASKED, open_file(path), journal=journal).asked == 4


def test_other_query_is_asked_anew(graph: LocalStore, tmp_path: Path) -> None:
    journal = tmp_path / "j.jsonl"
    execute_gold(ASKED, graph, journal=journal)
    done = execute_gold([asking(LENGTHS, "1"), *ASKED[1:]], graph, journal=journal)
    assert done.asked == 1
    assert len(given(done).variables) == 2


def test_crash_and_resume(stub: StubServer, tmp_path: Path) -> None:
    journal = tmp_path / "j.jsonl"
    whole = execute_gold(ASKED, endpoint(stub), journal=journal)
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:2]) + lines[2][: len(lines[2]) // 2])
    stub.requests.clear()
    resumed = execute_gold(ASKED, endpoint(stub), journal=journal)
    assert resumed.questions == whole.questions
    assert resumed.asked == 2
    assert not any("River" in seen.query and "SELECT" in seen.query for seen in stub.requests)
    assert "the last line is cut off" in resumed.notes[-1]
    assert [
        json.loads(line)["id"] for line in journal.read_text(encoding="utf-8").splitlines()
    ] == ["1", "2", "3", "4"]


def test_journal_is_written_while_questions_are_asked(stub: StubServer, tmp_path: Path) -> None:
    journal = tmp_path / "j.jsonl"
    seen: list[int] = []

    def count(done: int) -> None:
        seen.append(len(journal.read_text(encoding="utf-8").splitlines()))

    with hearing(count):
        execute_gold(ASKED, endpoint(stub), journal=journal)
    assert seen == [1, 2, 3, 4]


def test_journal_is_a_run(graph: LocalStore, tmp_path: Path) -> None:
    done = execute_gold(ASKED, graph, journal=tmp_path / "gold.jsonl")
    assert read_journal(tmp_path / "gold.jsonl").responses == done.responses


def test_journal_has_no_secrets(stub: StubServer, tmp_path: Path) -> None:
    secret = Endpoint(stub.url.replace("//", "//me:s3cret@") + "?apikey=k3y", retries=0)
    execute_gold(ASKED[:1], secret, journal=tmp_path / "j.jsonl")
    text = (tmp_path / "j.jsonl").read_text(encoding="utf-8")
    assert "s3cret" not in text
    assert "k3y" not in text


def test_damaged_journal_ends_the_call_before_anything_is_asked(
    stub: StubServer, tmp_path: Path, refused: Refused
) -> None:
    (tmp_path / "j.jsonl").write_text("{this is none\n", encoding="utf-8")
    message = refused(lambda: execute_gold(ASKED, endpoint(stub), journal=tmp_path / "j.jsonl"))
    assert "line 1" in message
    assert stub.requests == []


def test_incomplete_credentials_end_the_call(
    stub: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QALDGEN_ENDPOINT_USER", "me")
    with pytest.raises(UsageError, match="QALDGEN_ENDPOINT_PASSWORD"):
        execute_gold(ASKED, endpoint(stub))


def test_summary_counts_every_status(stub: StubServer, tmp_path: Path) -> None:
    stub.always = fail_for("name")
    done = execute_gold(ASKED, endpoint(stub), journal=tmp_path / "j.jsonl")
    assert str(done) == "4 gold queries: 2 answered, 1 empty, 1 failed"
    again = execute_gold(ASKED, endpoint(stub), journal=tmp_path / "j.jsonl")
    assert str(again).endswith("; 3 of them from the journal")
    assert "`refresh`" in str(execute_gold([], endpoint(stub)))


def test_source_names_are_told_apart(graph: LocalStore) -> None:
    assert source_name(graph) == "rivers.ttl (12 statements)"
    urls = [
        "http://x.org/sparql",
        "http://x.org/sparql?a=1",
        "http://x.org/sparql?a=2",
        "http://me:secret@x.org/sparql",
    ]
    names = [source_name(Endpoint(url)) for url in urls]
    assert len(set(names[:3])) == 3
    assert names[3] == names[0]


# --- the example ----------------------------------------------------------------------------------


def test_gold_queries_of_the_example_give_its_answers() -> None:
    questions = read_questions(ROOT / "examples" / "questions.json").questions
    done = execute_gold(questions, open_file(ROOT / "examples" / "graph.ttl"), refresh=True)
    assert done.questions == questions
    assert (len(done.responses), done.changed, done.notes) == (245, (), ())


def test_server_and_file_give_the_same_answers_for_the_example() -> None:
    questions = read_questions(ROOT / "examples" / "questions.json").questions[::5]
    with StubServer(
        (ROOT / "examples" / "graph.ttl").read_text(encoding="utf-8")
    ).running() as server:
        assert execute_gold(questions, endpoint(server), refresh=True).questions == questions
        assert sum(is_count(seen.query) for seen in server.requests) > 0
