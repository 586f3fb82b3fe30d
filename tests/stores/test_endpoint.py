"""The endpoint client, against servers on the loopback interface."""

from __future__ import annotations

import base64
import json
import logging
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from email.utils import formatdate
from time import monotonic, time
from typing import Any

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode
from sparql_servers import (
    EX,
    Handler,
    Step,
    StubServer,
    basic,
    bearer,
    body,
    capped,
    digest,
    dripped,
    dripped_head,
    dropped,
    few_keys,
    free_port,
    honest,
    oxigraph,
    program,
    questions_turtle,
    sorted_top,
    stalled,
    stalled_late,
    stalled_midway,
    status,
    truncated,
    truncated_chunk,
    virtuoso,
    virtuoso_server,
)

from qaldgen.errors import EndpointError, UsageError
from qaldgen.rdf.terms import XSD
from qaldgen.stores.endpoint import Endpoint, endpoint_of
from qaldgen.stores.endpoint_pages import nested_page

TURTLE = questions_turtle()
IDS = f"SELECT ?q ?id WHERE {{ ?q <{EX}id> ?id }}"
FIRST = f"SELECT ?text WHERE {{ <{EX}q7> <{EX}text> ?text }}"

needs_oxigraph = pytest.mark.skipif(
    program("oxigraph") is None, reason="no oxigraph command; pip install oxigraph"
)
needs_virtuoso = pytest.mark.skipif(
    program("virtuoso-t") is None or program("isql-vt") is None,
    reason="no Virtuoso; apt-get install virtuoso-opensource-7",
)


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("USER", "PASSWORD", "AUTH", "TOKEN"):
        monkeypatch.delenv(f"QALDGEN_ENDPOINT_{name}", raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost,host.invalid")


@pytest.fixture
def stub() -> Iterator[StubServer]:
    with StubServer(TURTLE).running() as server:
        yield server


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with oxigraph(TURTLE, tmp_path_factory.mktemp("oxigraph")) as url:
        yield url


def endpoint(
    server: StubServer,
    *,
    timeout: float = 10.0,
    retries: int = 4,
    method: str = "auto",
    page_size: int = 10_000,
    backoff: float = 0.01,
) -> Endpoint:
    return Endpoint(server.url, timeout, retries, method, page_size, backoff)


def failure(client: Endpoint, query: str = IDS) -> str:
    """Return the message of the error that a query ends in; it must be one line."""
    with pytest.raises(EndpointError) as caught:
        client.select(query)
    message = str(caught.value)
    assert "\n" not in message
    assert client.name in message
    return message


def test_import_is_quick() -> None:
    check = (
        "import qaldgen.stores.endpoint, sys;"
        " print({'SPARQLWrapper', 'rdflib', 'numpy', 'pandas'} & sys.modules.keys())"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", check], check=True, capture_output=True, text=True
        ).stdout
        == "set()\n"
    )


# --- a real server --------------------------------------------------------------------------------


@needs_oxigraph
@pytest.mark.parametrize("method", ["get", "post", "auto"])
def test_select_gives_every_row(served: str, method: str) -> None:
    found = Endpoint(served, method=method).select(IDS)
    assert found.variables == ("q", "id")
    assert sorted(int(row[1].value) for row in found.rows if isinstance(row[1], Literal)) == list(
        range(300)
    )


@needs_oxigraph
def test_language_tags_and_unicode_survive(served: str) -> None:
    texts = {row[0] for row in Endpoint(served).select(FIRST).rows}
    assert texts == {
        Literal("Who wrote book № 7, “Żółć”?", language="en"),
        Literal("Кто написал книгу 7?", language="ru"),
    }


@needs_oxigraph
def test_unicode_in_the_query_survives(served: str) -> None:
    assert Endpoint(served).ask('ASK { ?q ?p "Кто написал книгу 7?"@ru }')


@needs_oxigraph
def test_datatypes_survive(served: str) -> None:
    query = f"SELECT ?t ?l ?a {{ <{EX}q7> <{EX}triples> ?t ; <{EX}length> ?l ; <{EX}ask> ?a }}"
    row = Endpoint(served).select(query).rows[0]
    assert [term.datatype.value for term in row if isinstance(term, Literal)] == [
        XSD + "integer",
        XSD + "decimal",
        XSD + "boolean",
    ]


@needs_oxigraph
def test_unbound_is_none(served: str) -> None:
    assert (
        Endpoint(served)
        .select("SELECT ?x ?y { BIND(1 AS ?x) OPTIONAL { ?x <x:none> ?y } }")
        .rows[0][1]
        is None
    )


@needs_oxigraph
def test_no_rows(served: str) -> None:
    assert Endpoint(served).select("SELECT ?x { ?x <x:none> ?y }").rows == []


@needs_oxigraph
@pytest.mark.parametrize(("pattern", "expected"), [("?q a ?c", True), ("?q a <x:none>", False)])
def test_ask(served: str, pattern: str, expected: bool) -> None:
    assert Endpoint(served).ask(f"ASK {{ {pattern} }}") is expected


@needs_oxigraph
def test_triples_of_more_subjects_than_one_batch(served: str) -> None:
    found = Endpoint(served).triples([f"{EX}q{number}" for number in range(120)])
    assert len(found) == 120 * 9
    assert {str(subject) for subject, _, _ in found} == {
        f"<{EX}q{number}>" for number in range(120)
    }


@needs_oxigraph
def test_subject_named_twice_gives_its_triples_once(served: str) -> None:
    assert len(Endpoint(served).triples([f"{EX}q1", f"{EX}q1"])) == 9


@needs_oxigraph
def test_comments_and_prefixes_do_not_confuse(served: str) -> None:
    query = (
        f"# INSERT\nPREFIX e: <{EX}> # add and drop\nSELECT ?q # ASK\n{{ ?q e:id '5' . FILTER(?q !="
        f" <{EX}add>) }}"
    )
    assert Endpoint(served).select(query).rows == [(NamedNode(f"{EX}q5"),)]


@needs_oxigraph
def test_bad_query_is_an_error_of_one_line(served: str) -> None:
    assert "HTTP 400 Bad Request: " in failure(Endpoint(served), "SELECT ?q WHERE { ?q ?p }")


# --- requests -------------------------------------------------------------------------------------


def test_auto_sends_short_queries_by_get(stub: StubServer) -> None:
    endpoint(stub).select(IDS)
    assert {request.method for request in stub.requests} == {"GET"}


def test_auto_sends_long_queries_by_post(stub: StubServer) -> None:
    endpoint(stub).ask(f"ASK {{ ?q ?p ?o FILTER(?q != <{EX}{'x' * 1_500}>) }}")
    assert [request.method for request in stub.requests] == ["POST"]


def test_json_is_asked_for_by_its_media_type(stub: StubServer) -> None:
    endpoint(stub).ask("ASK {}")
    assert (
        stub.requests[0].headers["Accept"]
        == "application/sparql-results+json, application/json;q=0.9"
    )


@pytest.mark.parametrize("method", ["get", "post"])
def test_parameters_of_the_url_are_kept(stub: StubServer, method: str) -> None:
    Endpoint(stub.url + "?a=x%26y&b=", method=method).ask("ASK {}")
    assert stub.requests[0].fields == {"query": ["ASK {}"], "a": ["x&y"], "b": [""]}


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("code", [301, 302, 307, 308])
def test_redirects_keep_the_query(stub: StubServer, method: str, code: int) -> None:
    def away(request: Handler) -> None:
        path = request.path.replace("/sparql", "/elsewhere")
        request.reply("", code, "text/plain", {"Location": path})

    stub.steps = [away]
    assert endpoint(stub, method=method).ask(f"ASK {{ <{EX}q1> ?p ?o }}")


def test_see_other_is_fetched_by_get_without_a_body(stub: StubServer) -> None:
    stub.steps = [status(303, headers={"Location": "/sparql?query=ASK%20%7B%7D"})]
    assert endpoint(stub, method="post").ask("ASK {}")
    assert stub.requests[1].method == "GET"
    assert "Content-Type" not in stub.requests[1].headers


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/x", "mailto:me"])
def test_redirect_to_something_else_than_http_is_refused(stub: StubServer, target: str) -> None:
    stub.always = status(302, headers={"Location": target})
    assert "The redirect leads nowhere" in failure(endpoint(stub))


def test_redirect_in_a_circle_ends(stub: StubServer) -> None:
    stub.always = status(302, headers={"Location": "/sparql"})
    assert "circle" in failure(endpoint(stub))


def test_credentials_do_not_follow_to_another_server(
    stub: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QALDGEN_ENDPOINT_TOKEN", "s3cret")
    with StubServer(TURTLE).running() as other:
        stub.always = status(307, headers={"Location": other.url})
        endpoint(stub, method="post").ask("ASK {}")
        assert "Authorization" in stub.requests[0].headers
        assert "Authorization" not in other.requests[0].headers


# --- completeness ---------------------------------------------------------------------------------


@pytest.mark.parametrize("header", [False, True])
def test_capped_answer_is_fetched_in_pages(stub: StubServer, header: bool) -> None:
    stub.always = capped(70, header)
    rows = endpoint(stub).select(IDS).rows
    assert len(rows) == len(set(rows)) == 300


def test_pages_are_no_longer_than_page_size(stub: StubServer) -> None:
    stub.always = capped(70)
    endpoint(stub, page_size=30).select(IDS)
    assert sum("LIMIT 30 OFFSET" in request.query for request in stub.requests) == 10


def test_equal_rows_are_all_kept_across_pages(stub: StubServer) -> None:
    stub.always = capped(70)
    assert len(endpoint(stub).select(f"SELECT ?t {{ ?q <{EX}triples> ?t }}").rows) == 300


def test_exactly_as_many_rows_as_the_cap_need_no_pages(stub: StubServer) -> None:
    stub.always = capped(300, header=True)
    assert len(endpoint(stub).select(IDS).rows) == 300
    assert len(stub.requests) == 2


def test_limit_of_the_query_is_not_taken_for_a_cut(stub: StubServer) -> None:
    assert len(endpoint(stub).select(IDS + " ORDER BY ?q LIMIT 10").rows) == 10
    assert len(stub.requests) == 2


def test_capped_pages_are_an_error_with_both_numbers(stub: StubServer) -> None:
    stub.steps = [capped(70), honest, capped(70), capped(40)]
    message = failure(endpoint(stub))
    assert "110 of 300 rows" in message
    assert "ResultSetMaxRows" in message


def test_pages_that_overlap_are_an_error(stub: StubServer) -> None:
    def first_page_again(request: Handler) -> None:
        request.query = request.query.replace("OFFSET 70", "OFFSET 0")
        capped(70)(request)

    stub.always = first_page_again
    assert "do not fit together" in failure(
        endpoint(stub), IDS.replace("SELECT", "SELECT DISTINCT")
    )


def test_rows_of_the_first_answer_that_no_page_has_are_an_error(stub: StubServer) -> None:
    def second_page_again(request: Handler) -> None:
        request.query = request.query.replace("OFFSET 200", "OFFSET 100")
        capped(100)(request)

    def last_rows_first(request: Handler) -> None:
        request.query += " ORDER BY DESC(?q)"
        capped(100)(request)

    stub.steps = [last_rows_first]
    stub.always = second_page_again
    assert "100 rows of the first answer missing" in failure(endpoint(stub))


def test_server_that_ignores_limits_is_an_error(stub: StubServer) -> None:
    def all_rows(request: Handler) -> None:
        request.query = request.query.partition(" LIMIT ")[0]
        honest(request)

    stub.steps = [capped(70), honest]
    stub.always = all_rows
    assert "300 rows came where a page should have 70" in failure(endpoint(stub))


def test_more_rows_than_counted_are_an_error(stub: StubServer) -> None:
    def count_low(request: Handler) -> None:
        result = request.result()
        result["results"]["bindings"][0]["qaldgenRows"]["value"] = "299"
        request.reply(json.dumps(result))

    stub.steps = [honest, count_low]
    assert "300 rows came, but a count of them gave 299" in failure(endpoint(stub))


def test_empty_answer_with_a_count_above_zero_is_an_error(stub: StubServer) -> None:
    stub.steps = [capped(0)]
    assert "0 of 300 rows came" in failure(endpoint(stub))


def test_refused_count_is_a_warning(stub: StubServer, caplog: pytest.LogCaptureFixture) -> None:
    stub.always = capped(1_000, count=False)
    with caplog.at_level(logging.WARNING, "qaldgen"):
        assert len(endpoint(stub).select(IDS).rows) == 300
    assert "completeness could not be verified: 300 rows came" in caplog.text


def test_refused_count_of_a_cut_answer_is_an_error(stub: StubServer) -> None:
    stub.always = capped(70, header=True, count=False)
    assert "refuses to count" in failure(endpoint(stub))


def test_silent_cut_of_a_server_that_does_not_count_is_an_error(stub: StubServer) -> None:
    stub.always = capped(70, count=False)
    message = failure(endpoint(stub))
    assert "the server cut its answer (70 rows came, and there are more)" in message
    assert "counting is too dear" in message
    assert "Raise the server's limit" in message


def test_triples_that_a_server_cuts_and_neither_counts_nor_pages_are_an_error(
    stub: StubServer,
) -> None:
    def stubborn(request: Handler) -> None:
        if "{ {" in request.query:
            request.reply("no subqueries", 400, "text/plain")
        elif "ASK" in request.query:
            honest(request)
        else:
            capped(70)(request)

    stub.always = stubborn
    with pytest.raises(EndpointError, match=r"of 20 resources came .* it cuts its answers"):
        endpoint(stub).triples([f"{EX}q{number}" for number in range(20)])
    assert endpoint(stub).triples([f"{EX}unknown"]) == []


def test_count_that_is_no_number_is_an_error(stub: StubServer) -> None:
    stub.steps = [honest, body('{"head": {"vars": ["qaldgenRows"]}, "results": {"bindings": []}}')]
    assert "answered with one number" in failure(endpoint(stub))


def test_partial_result_of_an_anytime_query_is_an_error(stub: StubServer) -> None:
    stub.always = body(
        '{"head": {"vars": ["q"]}, "results": {"bindings": []}}', headers={"X-SQL-State": "S1TAT"}
    )
    assert "partial result" in failure(endpoint(stub))


def test_virtuosos_limit_of_sorted_rows_is_got_round(stub: StubServer) -> None:
    stub.always = sorted_top(150, 70)
    rows = endpoint(stub).select(IDS).rows
    assert len(set(rows)) == 300


def wide(key: str) -> str:
    """Return a query with 25 variables of which only the last, ?qId, tells the rows apart."""
    same = " ".join(f"(?n AS ?same{number})" for number in range(24))
    return f"SELECT {same} (?q AS ?{key}) {{ ?q <{EX}id> ?id BIND(1 AS ?n) }}"


def test_virtuosos_limit_of_sorted_variables_is_got_round(stub: StubServer) -> None:
    stub.always = few_keys(20, 70)
    rows = endpoint(stub).select(wide("qId")).rows
    assert len(set(rows)) == 300


def test_order_that_leaves_rows_equal_between_pages_is_an_error(stub: StubServer) -> None:
    stub.always = few_keys(20, 70)
    message = failure(endpoint(stub), wide("other"))
    assert "rows 70 and 71 are equal" in message
    assert "fewer features" in message


def test_nested_page_keeps_prefixes_and_graphs() -> None:
    query = nested_page(
        "PREFIX e: <x:> SELECT ?s ?c FROM <g:g> { ?s a ?c }", ["s", "c"], ["s"], 5, 10
    )
    assert query.startswith("PREFIX e: <x:>\nSELECT ?s ?c FROM <g:g> WHERE")
    assert query.endswith("ORDER BY ?s } } LIMIT 5 OFFSET 10")


# --- dialects and terms ---------------------------------------------------------------------------


@pytest.mark.parametrize(("pattern", "expected"), [("?q a ?c", True), ("?q a <x:none>", False)])
def test_ask_answered_with_a_table(stub: StubServer, pattern: str, expected: bool) -> None:
    stub.always = virtuoso
    assert endpoint(stub).ask(f"ASK {{ {pattern} }}") is expected


def test_typed_literals_and_blank_nodes_of_virtuoso(stub: StubServer) -> None:
    stub.always = virtuoso
    row = (
        endpoint(stub).select(f"SELECT ?a ?b {{ <{EX}q7> <{EX}ask> ?a ; <{EX}answer> ?b }}").rows[0]
    )
    assert row[0] == Literal("1", datatype=NamedNode(XSD + "boolean"))
    assert isinstance(row[1], BlankNode)


def one_cell(cell: str) -> str:
    return f'{{"head": {{"vars": ["x"]}}, "results": {{"bindings": [{{"x": {cell}}}]}}}}'


def test_lexical_forms_are_kept(stub: StubServer) -> None:
    cell = f'{{"type": "literal", "datatype": "{XSD}int", "value": "009"}}'
    stub.steps = [body(one_cell(cell))]
    stub.always = status(403)
    assert endpoint(stub).select(FIRST).rows == [(Literal("009", datatype=NamedNode(XSD + "int")),)]


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ('{"type": "uri", "value": "http://x/a b"}', "the IRI <http://x/a b>"),
        ('{"type": "uri", "value": "\\ud800"}', "the IRI <"),
        ('{"type": "literal", "value": "x", "xml:lang": "not a tag"}', "not a valid RDF term"),
        ('{"type": "literal", "value": "x", "datatype": "no iri"}', "not a valid RDF term"),
        ('{"type": "literal", "value": "x", "datatype": 3}', "not a valid RDF term"),
        ('{"type": "literal", "value": 3}', "not an RDF term"),
        ('{"type": "thing", "value": "3"}', "not an RDF term"),
        ('{"type": [], "value": "3"}', "not an RDF term"),
        ('{"type": "triple", "value": {}}', "RDF-star"),
        ("7", "not an RDF term"),
    ],
)
def test_term_that_is_not_valid_is_named(stub: StubServer, cell: str, said: str) -> None:
    stub.always = body(one_cell(cell))
    assert said in failure(endpoint(stub))


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("[]", "the outermost value is an object"),
        ("{}", 'the variables in "head"'),
        ('{"boolean": true}', 'the variables in "head"'),
        ('{"head": [], "results": {"bindings": []}}', 'the variables in "head"'),
        ('{"head": {"vars": [1]}, "results": {"bindings": []}}', 'the variables in "head"'),
        ('{"head": {"vars": ["x"]}, "results": {"bindings": {}}}', '"bindings" in "results"'),
        ('{"head": {"vars": ["x"]}, "results": {"bindings": [3]}}', '"bindings" in "results"'),
        (
            '{"head": {"vars": ["x"]}, "results": {"bindings": [{"y": {}}]}}',
            "row 1 binds a variable",
        ),
    ],
)
def test_json_that_is_no_result_is_an_error(stub: StubServer, text: str, rule: str) -> None:
    stub.always = body(text)
    message = failure(endpoint(stub))
    assert "not a SPARQL result" in message
    assert rule in message


def test_ask_answered_with_something_else_is_an_error(stub: StubServer) -> None:
    stub.always = body('{"head": {}, "boolean": "maybe"}')
    with pytest.raises(EndpointError, match="answered with a boolean"):
        endpoint(stub).ask("ASK {}")


# --- further tries --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "trouble",
    [
        status(429),
        status(502),
        status(503),
        status(504),
        dropped,
        truncated(True),
        truncated(False),
        truncated_chunk,
    ],
)
def test_passing_trouble_is_tried_again(stub: StubServer, trouble: Step) -> None:
    stub.steps = [trouble, trouble]
    assert len(endpoint(stub).select(IDS).rows) == 300


@pytest.mark.parametrize("code", [400, 401, 403, 404, 500])
def test_lasting_trouble_is_not_tried_again(stub: StubServer, code: int) -> None:
    stub.always = status(code)
    failure(endpoint(stub))
    assert len(stub.requests) == 1


def test_tries_are_bounded(stub: StubServer) -> None:
    stub.always = status(503, "down for maintenance")
    assert "HTTP 503 Service Unavailable: down for maintenance (3 tries)" in failure(
        endpoint(stub, retries=2)
    )
    assert len(stub.requests) == 3


def test_truncated_json_says_so_in_the_end(stub: StubServer) -> None:
    stub.always = truncated(False)
    assert "JSON of the answer is truncated" in failure(endpoint(stub, retries=1))


def test_dropped_connection_says_so_in_the_end(stub: StubServer) -> None:
    stub.always = dropped
    assert "dropped the connection (does it expect https?) (1 try)" in failure(
        endpoint(stub, retries=0)
    )


def waits(stub: StubServer, monkeypatch: pytest.MonkeyPatch, retries: int = 4) -> list[float]:
    """Return how long the client would wait between its tries at a server that always fails."""
    slept: list[float] = []
    monkeypatch.setattr("qaldgen.io.web.retries.sleep", slept.append)
    failure(endpoint(stub, retries=retries, backoff=1.0))
    return slept


def test_waits_double(stub: StubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    stub.always = status(503)
    assert all(
        least <= wait <= 1.5 * least
        for least, wait in zip([1, 2, 4, 8], waits(stub, monkeypatch), strict=True)
    )


@pytest.mark.parametrize(
    ("value", "seconds"), [("7", 7), ("3600", 60), ("0", 0), ("soon", 1), ("-5", 1)]
)
def test_retry_after_in_seconds(
    stub: StubServer, monkeypatch: pytest.MonkeyPatch, value: str, seconds: float
) -> None:
    stub.always = status(429, headers={"Retry-After": value})
    (wait,) = waits(stub, monkeypatch, retries=1)
    assert seconds <= wait <= seconds + min(seconds / 2, 1)


@pytest.mark.parametrize(("ahead", "seconds"), [(20, 20), (-20, 0), (900, 60)])
def test_retry_after_as_a_date(
    stub: StubServer, monkeypatch: pytest.MonkeyPatch, ahead: float, seconds: float
) -> None:
    stub.always = status(503, headers={"Retry-After": formatdate(time() + ahead, usegmt=True)})
    assert waits(stub, monkeypatch, retries=1) == [pytest.approx(seconds, abs=3)]


# --- deadlines ------------------------------------------------------------------------------------


@pytest.mark.parametrize("slow", [stalled, stalled_midway, dripped, dripped_head])
def test_slow_answers_are_cut(stub: StubServer, slow: Step) -> None:
    stub.always = slow
    start = monotonic()
    assert "no complete answer within 0.3 seconds; allow more with `timeout`" in failure(
        endpoint(stub, timeout=0.3)
    )
    assert monotonic() - start < 2


def test_time_limit_does_not_start_anew_with_every_byte(stub: StubServer) -> None:
    stub.always = stalled_late
    start = monotonic()
    assert "within 0.6 seconds" in failure(endpoint(stub, timeout=0.6))
    assert monotonic() - start < 1


def test_slow_error_page_is_cut(stub: StubServer) -> None:
    def slow(request: Handler) -> None:
        request.head(400, {"Content-Length": "100000"})
        for _ in range(1_000):
            request.wfile.write(b"x")
            if request.wait(0.02):
                return

    stub.always = slow
    start = monotonic()
    assert "HTTP 400" in failure(endpoint(stub, timeout=0.3))
    assert monotonic() - start < 2


# --- messages -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (401, "QALDGEN_ENDPOINT_USER"),
        (403, "QALDGEN_ENDPOINT_TOKEN"),
        (404, "/sparql or /query"),
        (405, "other method"),
        (414, "POST"),
    ],
)
def test_status_says_what_to_do(stub: StubServer, code: int, said: str) -> None:
    stub.always = status(code)
    assert said in failure(endpoint(stub))


def test_explanation_of_virtuoso_is_its_first_line(stub: StubServer) -> None:
    stub.always = status(
        400, "Virtuoso 37000 Error SP030: SPARQL compiler, line 1: oh\n\nSPARQL query:\nSELECT"
    )
    expected = "HTTP 400 Bad Request: Virtuoso 37000 Error SP030: SPARQL compiler, line 1: oh. "
    assert expected in failure(endpoint(stub))


def test_explanation_in_html_is_shown_as_text(stub: StubServer) -> None:
    page = (
        "<!DOCTYPE html><html><head><style>x{}</style></head><body><h1>No &lt;such&gt;"
        " thing</h1>more</body></html>"
    )
    stub.always = status(500, page, "text/html")
    assert "HTTP 500 Internal Server Error: No <such> thing. " in failure(endpoint(stub))


def test_long_explanation_is_trimmed(stub: StubServer) -> None:
    stub.always = status(400, "word " * 1_000)
    assert len(failure(endpoint(stub))) < 400


def test_html_instead_of_results(stub: StubServer) -> None:
    stub.always = body("<html>Welcome</html>", "text/html; charset=utf-8")
    assert "answered text/html instead of SPARQL results in JSON" in failure(endpoint(stub))


def test_json_under_another_media_type_is_read(stub: StubServer) -> None:
    stub.always = body('{"boolean": true}', "text/plain")
    assert endpoint(stub).ask("ASK {}")


def test_invalid_json_is_an_error(stub: StubServer) -> None:
    stub.always = body('{"head": {"vars": [}}')
    assert "not valid JSON" in failure(endpoint(stub))


def test_deep_json_is_an_error(stub: StubServer) -> None:
    stub.always = body("[" * 100_000 + "}")
    assert "not valid JSON" in failure(endpoint(stub))


def test_empty_answer_is_an_error(stub: StubServer) -> None:
    stub.always = body("")
    assert "the answer is empty" in failure(endpoint(stub))


def test_refused_connection() -> None:
    assert "connection refused" in failure(Endpoint(f"http://127.0.0.1:{free_port()}/sparql"))


def test_unknown_host(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert "the host is unknown" in failure(Endpoint("http://host.invalid/sparql"))


def test_server_that_speaks_no_http() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(b"220 mail.example ready\r\n")

        thread = threading.Thread(target=greet, daemon=True)
        thread.start()
        message = failure(Endpoint(f"http://127.0.0.1:{server.getsockname()[1]}/sparql", timeout=5))
        thread.join(5)
    assert "does not speak HTTP" in message


def test_https_of_a_plain_server_is_an_error(stub: StubServer) -> None:
    assert "no connection" in failure(
        Endpoint(stub.url.replace("http:", "https:"), timeout=5, retries=0)
    )


# --- addresses and calls --------------------------------------------------------------------------


def test_bad_address_is_a_usage_error() -> None:
    for url in [
        "ftp://host/x",
        "localhost:8890/sparql",
        "file:///etc/passwd",
        "http://",
        "",
        "http://a b/",
        "http://h:99999/",
        "http://[::1",
    ]:
        with pytest.raises(UsageError):
            Endpoint(url)


@pytest.mark.parametrize(
    "url", ["ftp://me:s3cret@host/x", "http://me:s3/cret@host/x", "http://me:s3cret@/x"]
)
def test_bad_address_does_not_show_its_password(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        Endpoint(url)
    assert "cret" not in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"method": "put"},
        {"timeout": 0},
        {"timeout": float("nan")},
        {"retries": -1},
        {"page_size": 0},
    ],
)
def test_bad_option_is_a_usage_error(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Endpoint("http://localhost/sparql", **options)


@pytest.mark.parametrize(
    "query", ["ASK {}", "INSERT DATA {}", "hello", "CONSTRUCT WHERE { ?s ?p ?o }"]
)
def test_select_takes_select_queries_only(query: str) -> None:
    with pytest.raises(UsageError, match="SELECT query"):
        Endpoint("http://localhost/sparql").select(query)


def test_subject_that_is_no_iri_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="is not an IRI"):
        Endpoint("http://localhost/sparql").triples(["http://x/> } DROP"])


# --- credentials ----------------------------------------------------------------------------------


def test_basic_credentials_from_the_environment(
    stub: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QALDGEN_ENDPOINT_USER", "me")
    monkeypatch.setenv("QALDGEN_ENDPOINT_PASSWORD", "żółw:1")
    stub.always = basic("me", "żółw:1")
    assert endpoint(stub).ask(f"ASK {{ <{EX}q1> ?p ?o }}")


def test_basic_credentials_from_the_url(stub: StubServer) -> None:
    stub.always = basic("me", "p@ss")
    client = Endpoint(stub.url.replace("//", "//me:p%40ss@"))
    assert client.ask(f"ASK {{ <{EX}q1> ?p ?o }}")
    assert client.name == stub.url.removeprefix("http://")


@pytest.mark.parametrize("method", ["get", "post"])
def test_digest_credentials(stub: StubServer, monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    monkeypatch.setenv("QALDGEN_ENDPOINT_USER", "me")
    monkeypatch.setenv("QALDGEN_ENDPOINT_PASSWORD", "s3cret")
    monkeypatch.setenv("QALDGEN_ENDPOINT_AUTH", "digest")
    stub.always = digest("me")
    assert endpoint(stub, method=method).ask(f"ASK {{ <{EX}q1> ?p ?o }}")
    assert all("s3cret" not in str(request) for request in stub.requests)


def test_bearer_token(stub: StubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QALDGEN_ENDPOINT_TOKEN", "t0ken\n")
    stub.always = bearer("t0ken")
    assert endpoint(stub).ask(f"ASK {{ <{EX}q1> ?p ?o }}")


def test_wrong_credentials_do_not_show(stub: StubServer, caplog: pytest.LogCaptureFixture) -> None:
    stub.always = status(401, "wrong password: s3cret")
    with caplog.at_level(logging.DEBUG):
        client = Endpoint(stub.url.replace("//", "//me:s3cret@"))
        assert "s3cret" not in failure(client) + repr(client) + caplog.text


def test_token_that_no_header_can_carry_does_not_show(
    stub: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QALDGEN_ENDPOINT_TOKEN", "t0\nken")
    with pytest.raises(UsageError) as caught:
        endpoint(stub).ask("ASK {}")
    assert "ken" not in str(caught.value).replace("TOKEN", "")


@pytest.mark.parametrize("auth", [None, "kerberos"])
def test_incomplete_credentials_are_a_usage_error(
    stub: StubServer, monkeypatch: pytest.MonkeyPatch, auth: str | None
) -> None:
    monkeypatch.setenv("QALDGEN_ENDPOINT_USER", "me")
    if auth:
        monkeypatch.setenv("QALDGEN_ENDPOINT_PASSWORD", "s3cret")
        monkeypatch.setenv("QALDGEN_ENDPOINT_AUTH", auth)
    with pytest.raises(UsageError, match="QALDGEN_ENDPOINT_"):
        endpoint(stub).ask("ASK {}")


# --- Virtuoso -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real_virtuoso(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The endpoint of a Virtuoso that sends, and sorts, at most 1,000 rows at a time."""
    with virtuoso_server(questions_turtle(300, 4), tmp_path_factory.mktemp("virtuoso")) as url:
        yield url


@needs_virtuoso
def test_virtuoso_cuts_its_answers_and_all_come(real_virtuoso: str) -> None:
    query = f"SELECT ?q ?w ?ask ?n {{ ?q <{EX}word> ?w ; <{EX}ask> ?ask ; <{EX}length> ?n }}"
    client = Endpoint(real_virtuoso)
    rows = client.select(query).rows
    assert len(rows) == len(set(rows)) == 1_200
    assert client.ask(f"ASK {{ <{EX}q1> ?p ?o }}") is True
    assert client.ask(f"ASK {{ <{EX}q1> <x:none> ?o }}") is False
    assert len(client.triples([f"{EX}q1"])) == 12
    assert "SPARQL compiler" in failure(client, "SELECT ?q WHERE { ?q ?p }")


@needs_virtuoso
def test_virtuoso_sends_all_rows_of_more_variables_than_it_sorts_by(real_virtuoso: str) -> None:
    names = [f"n{number}" for number in range(20)]
    lengths = " ; ".join(f"<{EX}length> ?{name}" for name in names)
    query = f"SELECT ?q ?w ?{' ?'.join(names)} {{ ?q <{EX}word> ?w ; {lengths} }}"
    rows = Endpoint(real_virtuoso).select(query).rows
    assert len(rows) == len(set(rows)) == 1_200


# --- SPARQLWrapper --------------------------------------------------------------------------------


def test_endpoint_of_a_sparqlwrapper_is_asked_as_it_says(stub: StubServer) -> None:
    from SPARQLWrapper import POST, SPARQLWrapper

    wrapper = SPARQLWrapper(stub.url + "?key=k", returnFormat="json")
    wrapper.setCredentials("me@home", "s3:cret/")
    wrapper.setMethod(POST)
    wrapper.setTimeout(7)
    wrapper.addParameter("default-graph-uri", "http://x.org/g")
    wrapper.setQuery("ASK {}")
    found = endpoint_of(wrapper)
    assert (found.timeout, found.method) == (7.0, "post")
    assert "s3" not in repr(found)
    assert found.ask(f"ASK {{ <{EX}q1> ?p ?o }}")
    seen = stub.requests[0]
    assert seen.method == "POST"
    assert seen.fields["default-graph-uri"] == ["http://x.org/g"] and seen.fields["key"] == ["k"]
    assert (
        base64.b64decode(seen.headers["Authorization"].removeprefix("Basic "))
        == b"me@home:s3:cret/"
    )


def test_sparqlwrapper_with_headers_of_its_own_is_refused() -> None:
    from SPARQLWrapper import SPARQLWrapper

    wrapper = SPARQLWrapper("http://localhost/sparql")
    wrapper.addCustomHttpHeader("X-Key", "k3y")
    with pytest.raises(UsageError, match="QALDGEN_ENDPOINT_HEADERS") as caught:
        endpoint_of(wrapper)
    assert "k3y" not in str(caught.value)
