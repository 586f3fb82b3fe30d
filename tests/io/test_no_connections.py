"""Nothing that is read from a file opens a connection.

Neither a query with SERVICE, however it is hidden, nor RDF or XML.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from calls import skip_without
from click.testing import CliRunner
from pyoxigraph import NamedNode, Quad, Store
from sink import Sink, listening
from sparql_servers import StubServer

from qaldgen.cli.main import cli
from qaldgen.errors import QaldgenError, UsageError
from qaldgen.features.query.query_features import query_features
from qaldgen.model import Question
from qaldgen.sparql.safety import called_services, prepare_local_query, refuse_foreign_services
from qaldgen.stores.endpoint import Endpoint
from qaldgen.stores.gold_queries import execute_gold
from qaldgen.stores.local import check_syntax, open_file, open_quads

Refused = Callable[..., str]
X = "http://x.org/"
LABELS = 'SERVICE wikibase:label { bd:serviceParam wikibase:language "en" }'
#: Ways to write a call of {url}; Oxigraph takes each of the first seventeen for one.
CALLS = [
    "SELECT * {{ SERVICE <{url}> {{ ?s ?p ?o }} }}",
    "SELECT * {{ ?s ?p ?o . SERVICE SILENT <{url}> {{ ?s ?q ?r }} }}",
    "select * {{ service<{url}>{{}} }}",
    "SELECT * {{ ?s ?p ?o OPTIONAL {{ SERVICE <{url}> {{ ?s ?q ?r }} }} }}",
    "SELECT * {{ {{ SELECT ?s {{ SERVICE <{url}> {{ ?s ?q ?r }} }} }} }}",
    "SELECT * {{ ?s ?p ?o FILTER NOT EXISTS {{ SERVICE <{url}> {{ ?s ?q ?r }} }} }}",
    "SELECT (EXISTS {{ SERVICE <{url}> {{ ?s ?q ?r }} }} AS ?e) {{ ?s ?p ?o }}",
    "SELECT * {{ ?s ?p ?o FILTERNOTEXISTS{{SERVICE<{url}>{{}}}} }}",
    "SELECT * {{ ?s ?p ?o . SERVICESILENT<{url}>{{ ?s ?q ?r }} }}",
    "PREFIX a:<{url}> SELECT * {{ ?s ?p ?o . SERVICEa:{{ ?s ?q ?r }} }}",
    "PREFIX a:<{url}> PREFIX SERVICEa:<urn:x> SELECT * {{ ?s ?p ?o . SERVICEa:{{ ?s ?q ?r }} }}",
    "PREFIX :<{url}> PREFIX service:<urn:x> SELECT * {{ ?s ?p ?o . service:{{ ?s ?q ?r }} }}",
    "PREFIX a:<http://x.org/o> SELECT * {{ ?s ?p a:.SERVICE<{url}>{{ ?s ?q ?r }} }}",
    (
        "BASE <http://x.org/o> SELECT * {{ {{ ?s ?p ?o }} UNION {{ ?s ?p <?a#>SERVICE<{url}>{{}}"
        " }}\n }}"
    ),
    (
        "BASE <http://x.org/o> SELECT * {{ {{ ?s ?p ?o }} UNION {{ ?s ?p <?a'>SERVICE<{url}>{{ ?s"
        " ?q '' }} }} }}"
    ),
    "PREFIX u:<urn:u> SELECT * {{ ?s ?p ?o FILTER(?o>u:x)SERVICE<{url}>{{}} }}",
    "SELECT * {{ ?s ?p ?o . SERVICE# {{\n<{url}>{{}} }}",
    (
        "PREFIX u:<urn:u> SELECT * {{ ?s ?p ?o BIND(<{url}> AS ?u) FILTER(?o<u:x)SERVICE?u#>\n{{ ?s"
        " ?q ?r }} }}"
    ),
    r"SELECT * {{ \u0053ERVICE <{url}> {{ ?s ?p ?o }} }}",
    r"SELECT * {{ \U00000053ervice <{url}> {{ ?s ?p ?o }} }}",
    "SELECT * {{ VALUES ?u {{ <{url}> }} SERVICE ?u {{ ?s ?p ?o }} }}",
    "SELECT * {{ \u017fERVICE <{url}> {{ ?s ?p ?o }} }}",
    "SELECT * FROM <{url}> {{ ?s ?p ?o }}",
    "SELECT * FROM NAMED <{url}> {{ GRAPH <{url}> {{ ?s ?p ?o }} }}",
    "LOAD <{url}>",
    "INSERT {{ ?s ?p ?o }} WHERE {{ SERVICE <{url}> {{ ?s ?p ?o }} }}",
    "DESCRIBE <{url}>",
    "CONSTRUCT {{ ?s ?p ?o }} {{ SERVICE <{url}> {{ ?s ?p ?o }} }}",
    "ASK {{ SERVICE <{url}> {{ ?s ?p ?o }} }}",
]


@pytest.fixture
def sink() -> Iterator[Sink]:
    with listening() as found:
        yield found


def statements() -> list[Quad]:
    return [
        Quad(*(NamedNode(X + name) for name in names))
        for names in (("s", "p", "o"), ("t", "service", "o"))
    ]


def calls(sink: Sink) -> list[str]:
    return [call.format(url=sink.url) for call in CALLS]


# --- queries --------------------------------------------------------------------------------------


def test_sink_counts_what_oxigraph_calls(sink: Sink) -> None:
    store = Store()
    store.extend(statements())
    for number, query in enumerate(calls(sink)[:10], start=1):
        list(store.query(query))  # type: ignore[arg-type]
        assert sink.connections >= number, query


@pytest.mark.parametrize("ask", [False, True])
def test_local_query_calls_nobody(sink: Sink, *, ask: bool) -> None:
    store = open_quads("graph", statements())
    for query in calls(sink):
        try:
            found = store.ask(query) if ask else store.select(query)
        except QaldgenError:
            continue
        assert "SERVICE" not in query.upper(), found
    assert sink.connections == 0


def test_syntax_check_and_features_call_nobody(sink: Sink) -> None:
    for query in calls(sink):
        for read in (check_syntax, query_features):
            try:
                read(query)
            except QaldgenError:
                continue
    assert sink.connections == 0


def test_call_is_refused_by_name(refused: Refused) -> None:
    store = open_quads("graph", statements())
    message = refused(
        lambda: store.select(f"SELECT * {{ SERVICE SILENT <{X}> {{ ?s ?p ?o }} }}"), UsageError
    )
    assert (
        message
        == "the query calls SERVICE <http://x.org/>, which is never done for a local file; remove"
        " it, or use an endpoint"
    )


def test_letters_of_service_elsewhere_are_harmless() -> None:
    for query, count in [
        (f"SELECT * {{ ?s <{X}service> ?o }}", 1),
        (f"PREFIX x: <{X}> SELECT * {{ ?s x:service ?o }}", 1),
        (f"PREFIX service: <{X}> SELECT * {{ service:t service:service service:o }}", 1),
        (f"PREFIX service: <{X}serv> SELECT * {{ ?s service:ice ?o }}", 1),
        ("SELECT ?service { ?service ?p $Service }", 2),
        ("SELECT * { ?s ?p ?o # SERVICE <http://x.org/> {\n}", 2),
        ("SELECT * { ?s ?p ?o FILTER(STR(?p) = 'http://x.org/service') }", 1),
        ("SELECT * { ?s ?p ?o FILTER(?p = <http://x.org/service>) }", 1),
        (
            (
                "SELECT * { ?s ?p ?o FILTER(?p IN (<urn:service>, <http://x.org/p#service>,"
                " <http://x.org/service>)) }"
            ),
            1,
        ),
        ("SELECT * { VALUES (?s ?p) { (<http://x.org/t> <http://x.org/service>) } ?s ?p ?o }", 1),
        ("SELECT * { ?s ?p _:service }", 2),
        ("SELECT (1 < 2 && 3<4&&?n<=5 AS ?b) { ?s ?p ?o BIND(1 AS ?n) }", 2),
    ]:
        assert called_services(query) == []
        prepare_local_query(query)
        assert len(open_quads("graph", statements()).select(query).rows) == count


def test_label_service_has_its_features(sink: Sink) -> None:
    query = (
        f"SELECT ?a ?aLabel {{ ?a wdt:P31 wd:Q5 . {LABELS} SERVICE <{sink.url}> {{ ?a wdt:P1 ?b"
        " } }"
    )
    found = query_features(query)
    assert (found["tpCount"], found["queryShape"], found["projectVarCount"]) == (3, "chain", 2)
    assert isinstance(found["usesFeature"], frozenset)
    assert "Service" in found["usesFeature"]
    assert sink.connections == 0


# --- verbs ----------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, sink: Sink, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A question set, features, a graph, a run and queries, all from somebody who calls home."""
    call = f"SELECT ?o {{ ?s ?p ?o SERVICE <{sink.url}> {{ ?s ?p ?o }} }}"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QALDGEN_CACHE", str(tmp_path / "cache"))
    given = {
        "head": {"vars": ["o"]},
        "results": {"bindings": [{"o": {"type": "uri", "value": X + "o"}}]},
    }
    asked = [
        {
            "id": str(number),
            "question": [{"language": "xx", "string": f"Who is number {number}?"}],
            "query": {"sparql": call if number < 3 else "SELECT ?o { ?s ?p ?o }"},
            "answers": [given],
        }
        for number in range(12)
    ]
    Path("questions.json").write_text(json.dumps({"questions": asked}), encoding="utf-8")
    Path("graph.ttl").write_text("".join(f"{quad} .\n" for quad in statements()), encoding="utf-8")
    for name, answer in (("run", X + "o"), ("other", X + "p")):
        answered = [{"id": str(number), "answers": [answer], "query": call} for number in range(12)]
        Path(f"{name}.jsonl").write_text("\n".join(map(json.dumps, answered)), encoding="utf-8")
    Path("plain.rq").write_text("SELECT ?qId ?n { ?qId <http://x.org/n> ?n }", encoding="utf-8")
    Path("call.rq").write_text(
        f"SELECT ?qId ?n {{ ?qId <http://x.org/n> ?n SERVICE SILENT <{sink.url}> {{ ?qId ?p ?n"
        " } }",
        encoding="utf-8",
    )
    lines = "".join(
        f"<http://x.org/q{n}> <http://x.org/n> {n} ; <http://lsq.aksw.org/vocab#text> '''{call}'''"
        f" ; <http://qald-gen.aksw.org/vocab#text> 'Who is {n}?'@en .\n"
        for n in range(6)
    )
    Path("features.ttl").write_text(lines, encoding="utf-8")
    return tmp_path


def qaldgen(*words: str) -> str:
    """Run the command line and return what it says.

    An error is fine, a traceback or a wrong option is not.
    """
    result = CliRunner().invoke(cli, list(words))
    assert result.exception is None or isinstance(result.exception, (SystemExit, QaldgenError)), (
        result.exception
    )
    assert "Usage:" not in result.output
    return f"{result.output}{result.exception or ''}"


@pytest.mark.parametrize(
    "words",
    [
        "check questions.json",
        "check questions.json --kg graph.ttl",
        "check features.ttl --no-shacl",
        "check run.jsonl --gold questions.json",
        "annotate questions.json --lang xx -o out.ttl",
        "annotate questions.json --lang xx --kg graph.ttl --refresh -o out.ttl",
        "select features.ttl -q call.rq",
        "select features.ttl -q call.rq --dropped",
        "sample features.ttl -q call.rq -n 2 -o bench.ttl",
        "sample features.ttl -q plain.rq -n 2 -o bench.extended.json",
        "sample features.ttl -q plain.rq -n 2 -o bench.json -o bench.ttl",
        "score questions.json run.jsonl --by tpCount --lang xx",
        "score questions.json run.jsonl --query call.rq --lang xx",
        "slices questions.json run.jsonl --lang xx --min-support 2",
        "compare questions.json run.jsonl other.jsonl --by tpCount --lang xx",
        "ask questions.json --system lookup --kg graph.ttl -o answers.jsonl",
    ],
)
def test_verb_calls_nobody(folder: Path, sink: Sink, words: str) -> None:
    skip_without(words.split()[0])
    qaldgen(*words.split())
    assert sink.connections == 0


def test_query_of_a_foreign_signature_calls_nobody(folder: Path, sink: Sink) -> None:
    qaldgen("sample", "features.ttl", "-q", "plain.rq", "-n", "2", "-o", "bench.ttl")
    bench = Path("bench.ttl").read_text(encoding="utf-8")
    plain, call = (Path(name).read_text(encoding="utf-8") for name in ("plain.rq", "call.rq"))
    assert plain in bench
    Path("theirs.ttl").write_text(bench.replace(plain, call), encoding="utf-8")
    qaldgen("sample", "features.ttl", "--from-signature", "theirs.ttl", "-o", "again.ttl")
    assert sink.connections == 0


# --- RDF and XML ----------------------------------------------------------------------------------

RDF_XML = (
    "<?xml version='1.0'?><!DOCTYPE rdf:RDF {dtd}><rdf:RDF"
    " xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'"
    " xmlns:x='http://x.org/'><rdf:Description"
    " rdf:about='http://x.org/a'><x:n>{n}</x:n></rdf:Description></rdf:RDF>"
)
QALD_XML = (
    "<?xml version='1.0'?><!DOCTYPE dataset {dtd}><dataset><question id='1'><string"
    " lang='en'>{n}</string></question></dataset>"
)
FILES = {
    "a.jsonld": '{{"@context": "{url}", "@id": "http://x.org/a", "http://x.org/n": 1}}',
    "b.jsonld": (
        '{{"@context": {{"@import": "{url}"}}, "@id": "http://x.org/a", "http://x.org/n": 1}}'
    ),
    "a.rdf": RDF_XML.format(dtd="SYSTEM '{url}'", n="1"),
    "b.rdf": RDF_XML.format(dtd="[<!ENTITY e SYSTEM '{url}'>]", n="&e;"),
    "c.rdf": RDF_XML.format(dtd="[<!ENTITY % e SYSTEM '{url}'> %e;]", n="1"),
    "a.ttl": (
        "<http://x.org/a> <http://www.w3.org/2002/07/owl#imports> <{url}> ; <http://x.org/n> 1 ."
    ),
    "a.xml": QALD_XML.format(dtd="SYSTEM '{url}'", n="Who?"),
    "b.xml": QALD_XML.format(dtd="[<!ENTITY e SYSTEM '{url}'>]", n="&e;"),
    "a.yaml": "- !!python/object/apply:urllib.request.urlopen ['{url}']",
}


@pytest.mark.parametrize("name", FILES)
def test_file_that_points_to_the_web_calls_nobody(tmp_path: Path, sink: Sink, name: str) -> None:
    path = tmp_path / name
    path.write_text(FILES[name].format(url=sink.url), encoding="utf-8")
    for words in (["describe"], ["annotate", "--lang", "xx", "-o", str(tmp_path / "out.ttl")]):
        qaldgen(words[0], str(path), *words[1:])
    with suppress(QaldgenError):
        open_file(path).select("SELECT * { ?s ?p ?o }")
    assert sink.connections == 0


# --- endpoints ------------------------------------------------------------------------------------


@pytest.fixture
def stub() -> Iterator[StubServer]:
    with StubServer("".join(f"{quad} .\n" for quad in statements())).running() as server:
        yield server


FOREIGN = "SELECT ?s {{ ?s ?p ?o SERVICE <{url}> {{ ?s ?q ?r }} }}"


def test_endpoint_is_not_made_to_call_another(
    stub: StubServer, sink: Sink, refused: Refused
) -> None:
    query = FOREIGN.format(url=sink.url)
    message = refused(lambda: Endpoint(stub.url).select(query), UsageError)
    assert (
        message == f"the query makes the endpoint call SERVICE <{sink.url}>;"
        " `allow_service=True` permits it"
    )
    refused(lambda: Endpoint(stub.url).ask(f"ASK {{ SERVICE <{sink.url}> {{}} }}"), UsageError)
    done = execute_gold([Question("1", {}, queries={"": query})], Endpoint(stub.url))
    assert done.responses["1"].status == "failed"
    assert stub.requests == []


def test_endpoint_calls_another_on_request(stub: StubServer, sink: Sink) -> None:
    Endpoint(stub.url, allow_service=True, retries=0).select(FOREIGN.format(url=sink.url))
    assert stub.requests
    assert sink.connections


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("wikibase:label", True),
        ("<http://wikiba.se/ontology#label>", True),
        ("bd:sample", True),
        ("<http://wikiba.se.example.org/>", False),
        ("<http://x.org/wikibase:label>", False),
        ("?where", False),
    ],
)
def test_services_of_the_endpoint_itself_are_sent(name: str, own: bool) -> None:
    query = f"SELECT * {{ ?s ?p ?o SERVICE {name} {{ ?s ?q ?r }} }}"
    if own:
        refuse_foreign_services(query)
    else:
        with pytest.raises(UsageError, match="SERVICE"):
            refuse_foreign_services(query)


def test_prefix_that_is_declared_elsewhere_is_no_service_of_wikidata() -> None:
    with pytest.raises(UsageError, match="wikibase:label"):
        refuse_foreign_services(
            "PREFIX wikibase: <http://x.org/> ASK { SERVICE wikibase:label { } }"
        )


@pytest.mark.parametrize("verb", ["select", "sample"])
def test_option_lets_the_endpoint_call_another(folder: Path, stub: StubServer, verb: str) -> None:
    words = [
        verb,
        "-e",
        stub.url,
        "-q",
        "call.rq",
        *(["-n", "1", "-o", "b.ttl"] if verb == "sample" else []),
    ]
    assert "--allow-service" in qaldgen(*words)
    assert stub.requests == []
    qaldgen(*words, "--allow-service")
    assert stub.requests


def test_option_without_an_endpoint_is_refused(folder: Path) -> None:
    assert "--allow-service needs an endpoint" in qaldgen(
        "select", "features.ttl", "-q", "plain.rq", "--allow-service"
    )
