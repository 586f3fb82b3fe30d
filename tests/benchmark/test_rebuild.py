"""A signature rebuilds its sample from any data with the same table, and names differences."""

from __future__ import annotations

import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import rdflib
from pyoxigraph import BlankNode, NamedNode, Quad, RdfFormat, Triple, parse, serialize
from sparql_servers import StubServer

from qaldgen.benchmark import signature
from qaldgen.benchmark.benchmark import Benchmark
from qaldgen.benchmark.make import sample
from qaldgen.benchmark.rebuild import rebuild
from qaldgen.errors import DataError, UsageError
from qaldgen.io.notes import collecting
from qaldgen.rdf.terms import Term
from qaldgen.selection.select import select
from qaldgen.stores.endpoint import Endpoint
from qaldgen.stores.local import DataSource, open_file, open_graph

Refused = Callable[..., str]
QUERY = """PREFIX q: <http://qald-gen.aksw.org/vocab#>
SELECT ?qId ?length ?kind { ?qId q:length ?length ; q:answerType ?kind }"""
PREFIXES = (
    "@prefix q: <http://qald-gen.aksw.org/vocab#> . @prefix : <http://example.org/question#> .\n"
)


def line(number: int, kind: str = "", length: str = "") -> str:
    kind = kind or ("list", "Number", "resource")[number % 3]
    return (
        f':{number} q:text "Which town {number}?"@en ; q:length {length or f"0{number % 7}"} ;'
        f' q:answerType "{kind}" ; q:source [ q:line {number} ] .\n'
    )


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "questions.ttl"
    path.write_text(PREFIXES + "".join(line(number) for number in range(1, 31)), encoding="utf-8")
    return path


@pytest.fixture
def query(tmp_path: Path) -> str:
    path = tmp_path / "query.rq"
    path.write_text(QUERY, encoding="utf-8")
    return str(path)


@pytest.fixture
def saved(data: Path, query: str, tmp_path: Path) -> Benchmark:
    made = sample(select(data, query), 7, method="lpm", random_state=3)
    made.save(tmp_path / "bench.ttl")
    return made


def renamed(term: Term) -> Any:  # noqa: ANN401
    return BlankNode(f"z{term.value}") if isinstance(term, BlankNode) else term


def rewritten(data: Path, form: str) -> Path:
    """Write the data in another form: other syntax, order, labels, prefixes or packing."""
    triples = [Triple(*map(renamed, quad.triple)) for quad in parse(path=str(data))]
    random.Random(5).shuffle(triples)
    target = data.parent / f"other.{form}"
    plain = {
        "nt": RdfFormat.N_TRIPLES,
        "nq": RdfFormat.N_QUADS,
        "rdf": RdfFormat.RDF_XML,
        "ttl": RdfFormat.TURTLE,
    }
    if form in plain:
        prefixes = {"first": "http://qald-gen.aksw.org/vocab#"} if form == "ttl" else None
        target.write_bytes(serialize(triples, format=plain[form], prefixes=prefixes) or b"")
    elif form == "trig":
        named = [
            Quad(t.subject, t.predicate, t.object, NamedNode("http://example.org/g"))
            for t in triples
        ]
        target.write_bytes(serialize(named, format=RdfFormat.TRIG) or b"")
    elif form == "jsonld":
        rdflib.Graph().parse(data).serialize(target, format="json-ld")
    else:
        with zipfile.ZipFile(target, "w") as archive:
            archive.writestr("inside.nt", serialize(triples, format=RdfFormat.N_TRIPLES) or b"")
    return target


@pytest.mark.parametrize("form", ["nt", "nq", "rdf", "ttl", "trig", "jsonld", "zip"])
@pytest.mark.parametrize("recipe", ["line", "file"])
def test_the_same_triples_in_another_form_rebuild_the_sample(
    data: Path, saved: Benchmark, query: str, form: str, recipe: str
) -> None:
    other = rewritten(data, form)
    given = saved.signature if recipe == "line" else str(data.parent / "bench.ttl")
    with collecting() as notes:
        made, _ = rebuild(open_file(other), given, query if recipe == "line" else None)
    assert [(m.iri, m.cluster, m.weight, m.values) for m in made.members] == [
        (m.iri, m.cluster, m.weight, m.values) for m in saved.members
    ]
    assert list(notes) == (
        [] if recipe == "line" else [f"7 of 7 questions are the same as in {given}"]
    )


@pytest.mark.parametrize("source", ["file of another syntax", "graph", "endpoint"])
def test_equal_tables_have_equal_signatures_wherever_the_data_are(
    data: Path, saved: Benchmark, query: str, source: str
) -> None:
    with StubServer(data.read_text(encoding="utf-8")).running() as server:
        opened: dict[str, Callable[[], DataSource]] = {
            "file of another syntax": lambda: open_file(rewritten(data, "nt")),
            "graph": lambda: open_graph(rdflib.Graph().parse(data)),
            "endpoint": lambda: Endpoint(server.url),
        }
        other = opened[source]()
        made = sample(select(other, query), 7, method="lpm", random_state=3)
        assert made.signature == saved.signature
        with collecting() as notes:
            again, _ = rebuild(other, saved.signature, query)
    assert [m.iri for m in again.members] == [m.iri for m in saved.members]
    assert list(notes) == []


def test_the_packed_file_is_the_same_file(data: Path, saved: Benchmark, query: str) -> None:
    packed = data.parent / "packed.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(data, data.name)
    with collecting() as notes:
        rebuild(open_file(packed), saved.signature, query)
    assert not notes


def changed(data: Path, *lines: str, without: int = 0) -> Path:
    kept = [
        text
        for text in data.read_text(encoding="utf-8").splitlines(keepends=True)
        if not text.startswith(f":{without} ")
    ]
    data.write_text("".join([*kept, *lines]), encoding="utf-8")
    return data


def test_more_questions_are_counted(data: Path, saved: Benchmark, refused: Refused) -> None:
    changed(data, line(31))
    message = refused(lambda: rebuild(open_file(data), str(data.parent / "bench.ttl")))
    assert "the selected table does not match the signature" in message
    assert "31 questions instead of 30" in message


def test_a_chosen_question_that_is_gone_is_named(
    data: Path, saved: Benchmark, refused: Refused
) -> None:
    iri = saved.members[2].iri
    changed(data, without=int(iri.rpartition("#")[2]))
    message = refused(lambda: rebuild(open_file(data), str(data.parent / "bench.ttl")))
    assert (
        f"29 questions instead of 30, 1 of the 7 sampled questions are not selected (first: {iri})"
        in message
    )


def test_a_value_that_changed_is_named(data: Path, saved: Benchmark, refused: Refused) -> None:
    member = saved.members[0]
    number = int(member.iri.rpartition("#")[2])
    changed(data, line(number, length="99"), without=number)
    message = refused(lambda: rebuild(open_file(data), str(data.parent / "bench.ttl")))
    assert f"other values of 1 sampled question (first: {member.iri})" in message


def test_a_feature_that_is_new_is_named(data: Path, saved: Benchmark, refused: Refused) -> None:
    changed(data, line(31, kind="date"))
    message = refused(lambda: rebuild(open_file(data), str(data.parent / "bench.ttl")))
    assert "other features (?kind=date)" in message


def test_a_change_outside_the_sample_is_said(
    data: Path, saved: Benchmark, refused: Refused
) -> None:
    number = next(
        n
        for n in range(1, 31)
        if f"http://example.org/question#{n}" not in {m.iri for m in saved.members}
    )
    changed(data, line(number, length="6.5"), without=number)
    message = refused(lambda: rebuild(open_file(data), str(data.parent / "bench.ttl")))
    assert (
        "the values of the sampled questions are unchanged, so other questions have changed"
        in message
    )


def test_a_line_says_how_many_questions_there_are(
    data: Path, saved: Benchmark, query: str, refused: Refused
) -> None:
    changed(data, line(31))
    message = refused(lambda: rebuild(open_file(data), saved.signature, query))
    assert message.endswith("the query now selects 31 questions; use the data of the sample")
    message = refused(lambda: rebuild(open_file(data), str(data.parent / "bench.ttl")))
    assert message.endswith("; the sample was made from 'questions.ttl'")


def test_other_answers_under_the_same_table_are_noticed(data: Path, saved: Benchmark) -> None:
    number = int(saved.members[0].iri.rpartition("#")[2])
    data.write_text(
        data.read_text(encoding="utf-8").replace(f"town {number}?", f"city {number}?"),
        encoding="utf-8",
    )
    with collecting() as notes:
        _, _ = rebuild(open_file(data), str(data.parent / "bench.ttl"))
    assert list(notes)[-1].startswith("the data differ from ")
    assert f"for 1 of them (first: {saved.members[0].iri})" in list(notes)[-1]


def test_another_table_in_the_line_is_refused(saved: Benchmark, data: Path, query: str) -> None:
    wrong = saved.signature.replace(f"table:{saved.provenance.table_sha256[:8]}", "table:00000000")
    with pytest.raises(DataError, match="the selected table does not match the signature"):
        rebuild(open_file(data), wrong, query)


@pytest.mark.parametrize(
    "value", [0.13749033305079908, 1 / 3, 12345678.0, "whType", "12", "'", "'12'", "kind=a|b:c"]
)
def test_an_option_is_read_back_from_a_signature_to_the_last_bit(value: float | str) -> None:
    assert signature.read_option(signature.option_text(value)) == value


def test_a_quote_alone_in_a_signature_is_no_empty_text() -> None:
    assert signature.read_option("'") == "'"
    assert signature.read_option("''") == ""


def test_a_signature_of_another_tie_rule_is_refused() -> None:
    line = (
        "table:1f2e3d4c|q:mine@2e3d4c5b|scale:max|missing:drop|m:km++|n:20|seed:7|ties:hash|v:0.1"
    )
    with pytest.raises(UsageError, match="the tie rule is not 'id'"):
        signature.parse_signature(line)
