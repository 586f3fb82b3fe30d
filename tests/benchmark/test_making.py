"""A benchmark is written and read without loss, and its signature rebuilds it."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from pathlib import Path

import numpy as np
import pyoxigraph
import pyshacl
import pytest
import rdflib
from exports import render, rendered

from qaldgen.answers.record import Run
from qaldgen.benchmark.benchmark import FORMATS, Benchmark, format_of
from qaldgen.benchmark.gold import Gold, load_gold, why_not_tested
from qaldgen.benchmark.make import sample
from qaldgen.benchmark.rdf import load_benchmark
from qaldgen.benchmark.rebuild import rebuild
from qaldgen.benchmark.signature import parse_signature
from qaldgen.errors import DataError, UsageError
from qaldgen.io.notes import collecting
from qaldgen.io.packages import resource_dir
from qaldgen.model import Question, QuestionSet
from qaldgen.sampling import METHODS
from qaldgen.selection.select import select
from qaldgen.selection.vectors import Vectors
from qaldgen.sparql.ready_queries import with_choice
from qaldgen.stores.local import open_file

QUERY = """PREFIX q: <http://qald-gen.aksw.org/vocab#>
SELECT ?qId ?length ?kind { ?qId q:length ?length ; q:answerType ?kind }"""
PREFIXES = """@prefix q: <http://qald-gen.aksw.org/vocab#> .
@prefix lsq: <http://lsq.aksw.org/vocab#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix : <http://example.org/question#> .
"""


def turtle_of(number: int) -> str:
    """Return a question with a literal that stores rewrite, two languages and a blank node."""
    answers = (
        f"( ?uri = <http://example.org/City_(north),_{number}> ), ( ?uri ="
        " <http://example.org/x> ), "
    )
    return (
        f':{number} q:text "Which town {number}?"@en , "Welche Stadt {number}?"@de ; q:length'
        f' "00{number % 7}"^^xsd:int ; q:answerType "{("list", "Number", "resource")[number % 3]}"'
        f' ; lsq:text "SELECT ?uri {{ ?uri ?p {number} }}" ; lsq:answers "{answers}" ;'
        f' lsq:usesFeature lsq:Select ; q:source [ q:line "{number}"^^xsd:short ] .\n'
    )


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "questions.ttl"
    path.write_text(
        PREFIXES + "".join(turtle_of(number) for number in range(1, 31)), encoding="utf-8"
    )
    return path


@pytest.fixture
def vectors(data: Path) -> Vectors:
    return select(data, QUERY)


@pytest.fixture
def benchmark(vectors: Vectors) -> Benchmark:
    return sample(vectors, 7, method="km++", random_state=3, title="Seven towns", trials=2)


@pytest.mark.parametrize("ending", [".ttl", ".nt"])
def test_what_is_read_equals_what_was_written(
    benchmark: Benchmark, tmp_path: Path, ending: str
) -> None:
    benchmark.save(tmp_path / f"bench{ending}")
    assert load_benchmark(tmp_path / f"bench{ending}") == benchmark


@pytest.mark.parametrize("method", METHODS)
def test_round_trip_of_every_method(vectors: Vectors, tmp_path: Path, method: str) -> None:
    made = sample(vectors, 9, method=method)
    made.save(tmp_path / "bench.ttl")
    assert load_benchmark(tmp_path / "bench.ttl") == made


def test_literals_are_written_as_they_were_read(benchmark: Benchmark) -> None:
    text = rendered(benchmark, "turtle").decode()
    number = benchmark.members[0].iri.rpartition("#")[2]
    assert f'"00{int(number) % 7}"^^xsd:int' in text
    assert f'"{number}"^^xsd:short' in text


def test_blank_nodes_of_a_question_go_with_it(benchmark: Benchmark) -> None:
    assert all(len(member.triples) == 9 for member in benchmark.members)


def test_the_same_benchmark_gives_the_same_bytes(data: Path) -> None:
    query = QUERY.replace("q:answerType ?kind", "q:answerType ?kind . FILTER(?length >= 0)")
    plain = [
        s
        for s in rendered(sample(select(data, query), 5), "ntriples").splitlines()
        if b"_:" not in s
    ]
    again = [
        s
        for s in rendered(sample(select(data, query), 5), "ntriples").splitlines()
        if b"_:" not in s
    ]
    assert plain == again


def test_turtle_prefixes_stand_in_order(benchmark: Benchmark) -> None:
    lines = rendered(benchmark, "turtle").splitlines()
    prefixes = [line for line in lines if line.startswith(b"@prefix")]
    assert prefixes == sorted(prefixes)
    assert lines[: len(prefixes)] == prefixes


def test_benchmark_is_valid_against_the_shapes(benchmark: Benchmark) -> None:
    graph = rdflib.Graph().parse(data=rendered(benchmark, "turtle"), format="turtle")
    shapes = rdflib.Graph().parse(resource_dir("vocab") / "shapes.ttl")
    conforms, _, text = pyshacl.validate(graph, shacl_graph=shapes, allow_warnings=True)
    assert conforms, text


def test_every_term_of_ours_is_in_the_ontology(benchmark: Benchmark) -> None:
    ours = "http://qald-gen.aksw.org/vocab#"
    ontology = {
        quad.subject for quad in pyoxigraph.parse(path=str(resource_dir("vocab") / "qaldgen.ttl"))
    }
    data_terms = {"line", "source"}
    written = pyoxigraph.parse(rendered(benchmark, "turtle"), pyoxigraph.RdfFormat.TURTLE)
    used = {
        term
        for quad in written
        for term in (quad.predicate, quad.object)
        if str(term).startswith(f"<{ours}")
    }
    assert {term for term in used if str(term)[len(ours) + 1 : -1] not in data_terms} <= ontology


def test_weight_is_the_share_of_the_cluster(benchmark: Benchmark) -> None:
    assert sum(member.weight for member in benchmark.members) == pytest.approx(1.0)
    assert all(
        m.weight == pytest.approx(benchmark.cluster_sizes[m.cluster - 1] / 30)
        for m in benchmark.members
    )


def test_a_sample_of_a_benchmark_has_only_its_own_clusters(
    benchmark: Benchmark, tmp_path: Path
) -> None:
    benchmark.save(tmp_path / "bench.ttl")
    smaller = sample(select(tmp_path / "bench.ttl", QUERY), 3)
    smaller.save(tmp_path / "smaller.ttl")
    assert load_benchmark(tmp_path / "smaller.ttl") == smaller


def test_rows_in_another_order_give_the_same_sample(data: Path, tmp_path: Path) -> None:
    lines = data.read_text(encoding="utf-8").splitlines(keepends=True)
    shuffled = tmp_path / "shuffled.ttl"
    head = PREFIXES.count("\n")
    shuffled.write_text("".join(lines[:head] + lines[: head - 1 : -1]), encoding="utf-8")
    for method in METHODS:
        first, second = (sample(select(path, QUERY), 6, method=method) for path in (data, shuffled))
        assert [m.iri for m in first.members] == [m.iri for m in second.members]
        assert [m.cluster for m in first.members] == [m.cluster for m in second.members]


def test_a_graph_and_a_file_give_the_same_sample(data: Path) -> None:
    from_graph = sample(select(rdflib.Graph().parse(data), QUERY), 6)
    from_file = sample(select(data, QUERY), 6)
    assert [m.iri for m in from_graph.members] == [m.iri for m in from_file.members]
    assert from_graph.provenance.table_sha256 == from_file.provenance.table_sha256


# --- the signature ------------------------------------------------------------------------------


def test_signature_says_everything(benchmark: Benchmark) -> None:
    head, *rest = benchmark.signature.split("|")
    assert head == f"table:{benchmark.provenance.table_sha256[:8]}"
    assert rest[0].startswith("q:query@")
    assert rest[1:] == [
        "scale:max",
        "missing:drop",
        "m:km++",
        "i:10",
        "t:2",
        "n:7",
        "seed:3",
        "ties:id",
        "v:0.2.0",
    ]


def test_signature_line_rebuilds_the_sample(
    benchmark: Benchmark, data: Path, tmp_path: Path
) -> None:
    (tmp_path / "query.rq").write_text(QUERY, encoding="utf-8")
    with collecting() as notes:
        made, _ = rebuild(open_file(data), benchmark.signature, str(tmp_path / "query.rq"))
    assert [(m.iri, m.cluster, m.weight) for m in made.members] == [
        (m.iri, m.cluster, m.weight) for m in benchmark.members
    ]
    assert list(notes) == []


def test_benchmark_file_rebuilds_the_sample_without_the_query(
    benchmark: Benchmark, data: Path, tmp_path: Path
) -> None:
    benchmark.save(tmp_path / "bench.ttl")
    with collecting() as notes:
        made, _ = rebuild(open_file(data), str(tmp_path / "bench.ttl"))
    assert [m.iri for m in made.members] == [m.iri for m in benchmark.members]
    assert list(notes) == [f"7 of 7 questions are the same as in {tmp_path / 'bench.ttl'}"]


def test_signature_of_other_data_is_refused(
    benchmark: Benchmark, data: Path, tmp_path: Path
) -> None:
    (tmp_path / "query.rq").write_text(QUERY, encoding="utf-8")
    data.write_text(data.read_text(encoding="utf-8") + turtle_of(31), encoding="utf-8")
    with pytest.raises(DataError, match="the selected table does not match the signature"):
        rebuild(open_file(data), benchmark.signature, str(tmp_path / "query.rq"))


def test_signature_of_another_query_is_refused(
    benchmark: Benchmark, data: Path, tmp_path: Path
) -> None:
    (tmp_path / "query.rq").write_text(QUERY + " # changed", encoding="utf-8")
    with pytest.raises(UsageError, match="does not match the signature"):
        rebuild(open_file(data), benchmark.signature, str(tmp_path / "query.rq"))


@pytest.mark.parametrize(
    "line",
    ["x|y", "a@b|q:c@d|n:3", "a@b|q:c@d|scale:max|missing:drop|m:x|n:three|seed:1|ties:id|v:1"],
)
def test_damaged_signature_is_refused(line: str) -> None:
    with pytest.raises(UsageError, match="invalid signature"):
        parse_signature(line)


@pytest.mark.parametrize("seed", [0, 2**53 + 1, 2**64])
def test_large_seeds_survive(vectors: Vectors, tmp_path: Path, seed: int) -> None:
    made = sample(vectors, 4, method="random", random_state=seed)
    made.save(tmp_path / "bench.ttl")
    assert load_benchmark(tmp_path / "bench.ttl") == made


def test_options_are_kept_to_the_last_digit(vectors: Vectors, data: Path, tmp_path: Path) -> None:
    (tmp_path / "query.rq").write_text(QUERY, encoding="utf-8")
    made = sample(vectors, 4, method="db+km++", radius=0.13749033305079908, iterations=1234567)
    made.save(tmp_path / "bench.ttl")
    assert load_benchmark(tmp_path / "bench.ttl") == made
    assert parse_signature(made.signature).options == made.provenance.options


def test_rebuild_refuses_another_table(data: Path, tmp_path: Path) -> None:
    query = "SELECT ?qId (RAND() AS ?x) { ?qId <http://qald-gen.aksw.org/vocab#length> ?n }"
    sample(select(data, query), 3).save(tmp_path / "bench.ttl")
    with pytest.raises(DataError, match="the selected table does not match the signature"):
        rebuild(open_file(data), str(tmp_path / "bench.ttl"))


@pytest.mark.parametrize(
    "part", ["table:|q:x@1234567890", "data@|q:x@1234567890", "table:12345678|q:x@12345678|n:3"]
)
def test_signature_without_hash_or_with_a_part_twice_is_refused(part: str) -> None:
    with pytest.raises(UsageError, match="invalid signature"):
        parse_signature(f"{part}|scale:max|missing:drop|m:random|n:3|seed:1|ties:id|v:0.2.0")


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_features_named_as_columns_of_the_table_keep_apart(data: Path, form: str) -> None:
    query = (
        "SELECT ?qId (?n AS ?id) (?n AS ?question) (?n AS ?weight) { ?qId"
        " <http://qald-gen.aksw.org/vocab#length> ?n }"
    )
    first = rendered(sample(select(data, query), 3), form).decode().splitlines()[0]
    assert all(
        first.count(name) == 1 for name in ("feature:id", "feature:question", "feature:weight")
    )


# --- the other forms ----------------------------------------------------------------------------


def test_qald_json_has_the_answers_undamaged(benchmark: Benchmark) -> None:
    document = json.loads(rendered(benchmark, "qald-json"))
    entry = document["questions"][0]
    values = [row["uri"]["value"] for row in entry["answers"][0]["results"]["bindings"]]
    assert values == [f"http://example.org/City_(north),_{entry['id']}", "http://example.org/x"]
    assert document["dataset"].keys() == {"id", "metadata"}  # GERBIL refuses others
    assert document["dataset"]["metadata"].splitlines()[0] == benchmark.signature


def test_qald_json_entry_carries_cluster_and_weight(benchmark: Benchmark) -> None:
    entries = json.loads(rendered(benchmark, "qald-json"))["questions"]
    assert [(e["cluster"], e["weight"]) for e in entries] == [
        (m.cluster, m.weight) for m in benchmark.members
    ]


def test_answer_types_are_those_gerbil_knows(benchmark: Benchmark) -> None:
    entries = json.loads(rendered(benchmark, "qald-json"))["questions"]
    expected = {"0": "resource", "1": "number", "2": "resource"}
    assert all(entry["answertype"] == expected[str(int(entry["id"]) % 3)] for entry in entries)


def test_extended_qald_json_has_the_asked_language_last(benchmark: Benchmark) -> None:
    entry = json.loads(rendered(benchmark, "qald-extended", language="de"))["questions"][0][
        "question"
    ]
    assert [text["language"] for text in entry["language"]] == ["en", "de"]


@pytest.mark.parametrize("language", ["en", "de"])
def test_extended_qald_json_says_which_language_gerbil_reads(
    benchmark: Benchmark, language: str
) -> None:
    notes = render(benchmark, "qald-extended", language=language)[1]
    assert any(
        f"the last, here {language!r}: 7 of 7 questions have others too" in note for note in notes
    )


def test_csv_says_how_many_rows_have_a_mark_that_others_do_not_remove(
    data: Path, tmp_path: Path
) -> None:
    text = data.read_text(encoding="utf-8").replace('"Which town 3?"', '"=3+3"')
    (tmp_path / "marked.ttl").write_text(text, encoding="utf-8")
    every = sample(select(tmp_path / "marked.ttl", QUERY), 30, method="random")
    assert "1 of 30 rows have a cell" in render(every, "csv")[1][-1]
    assert not any("mark" in note for note in render(every, "jsonl")[1])


def test_csv_is_the_table(benchmark: Benchmark) -> None:
    rows = list(csv.DictReader(io.StringIO(rendered(benchmark, "csv").decode())))
    plain = ["id", "text", "language", "sparql", "answers", "answer_type"]
    assert list(rows[0]) == [
        *plain,
        "iri",
        "cluster",
        "weight",
        *(f"feature:{name}" for name in benchmark.features),
    ]
    assert [row["iri"] for row in rows] == [member.iri for member in benchmark.members]
    assert [float(row["feature:length"]) for row in rows] == [
        member.values[0] for member in benchmark.members
    ]


def test_json_lines_are_the_table(benchmark: Benchmark) -> None:
    rows = [json.loads(line) for line in rendered(benchmark, "jsonl").decode().splitlines()]
    assert [row["weight"] for row in rows] == pytest.approx(
        [member.weight for member in benchmark.members]
    )
    assert rows[0]["text"] == f"Which town {rows[0]['id']}?"


def test_one_question_has_no_diversity_and_still_round_trips(
    vectors: Vectors, tmp_path: Path
) -> None:
    made = sample(vectors, 1)
    made.save(tmp_path / "one.ttl")
    again = load_benchmark(tmp_path / "one.ttl")
    assert np.isnan(again.diversity)
    assert dataclasses.replace(again, diversity=0.0) == dataclasses.replace(made, diversity=0.0)


@pytest.mark.parametrize(
    ("name", "form"), [(f"x{form.ending}", name) for name, form in FORMATS.items()]
)
def test_ending_names_the_form(name: str, form: str) -> None:
    assert format_of(Path(name)) == form


def test_unknown_ending_is_refused(benchmark: Benchmark, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.ttl, \.nt, \.extended\.json"):
        benchmark.save(tmp_path / "bench.xlsx")


def test_existing_file_is_kept(benchmark: Benchmark, tmp_path: Path) -> None:
    target = tmp_path / "bench.ttl"
    target.write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="already exists"):
        benchmark.save(target)
    assert target.read_text(encoding="utf-8") == "mine"
    benchmark.save(target, force=True)
    assert load_benchmark(target) == benchmark


def test_failed_rendering_leaves_no_file(vectors: Vectors, tmp_path: Path) -> None:
    made = sample(vectors, 3)
    bare = dataclasses.replace(
        made, members=tuple(dataclasses.replace(m, triples=()) for m in made.members)
    )
    with pytest.raises(DataError, match="have no text"):
        bare.save(tmp_path / "bench.json")
    assert [path.name for path in tmp_path.iterdir()] == ["questions.ttl"]


def test_feature_file_is_no_benchmark(data: Path) -> None:
    with pytest.raises(DataError, match="expected one benchmark, found 0"):
        load_benchmark(data)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("qaldgen:randomState 3", "qaldgen:randomState 4", "the signature"),
        ('qaldgen:method "km++" ;', "", "qaldgen:method has 0 values"),
        ("qaldgen:poolSize 30", 'qaldgen:poolSize "many"', "'many', not an integer"),
        ("qaldgen:clusterIndex 1 ;", "", "qaldgen:clusterIndex has 0 values"),
        (
            "qaldgen:benchmarkSize 7",
            "qaldgen:benchmarkSize 8",
            "it has 7 questions, but qaldgen:benchmarkSize is 8",
        ),
        ("qaldgen:outlierCount 0", "qaldgen:outlierCount 2", "do not add up to the pool"),
        ("SELECT ?qId", "SELECT  ?qId", "the query does not match its checksum"),
        ('qaldgen:vector "[', 'qaldgen:vector "[true, ', "qaldgen:vector is not the JSON expected"),
        ('qaldgen:vector "[', 'qaldgen:vector "[1, ', "another length than the features"),
    ],
)
def test_changed_file_is_refused(
    benchmark: Benchmark, tmp_path: Path, old: str, new: str, message: str
) -> None:
    text = rendered(benchmark, "turtle").decode()
    assert old in text
    (tmp_path / "bench.ttl").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DataError, match=message):
        load_benchmark(tmp_path / "bench.ttl")


# --- the published data -------------------------------------------------------------------------


def test_published_questions_keep_every_triple(published_r1: Path, tmp_path: Path) -> None:
    made = sample(select(published_r1, "listing-1.2"), 40)
    made.save(tmp_path / "bench.ttl")
    kept = {
        member.iri: set(member.triples) for member in load_benchmark(tmp_path / "bench.ttl").members
    }
    source = open_file(published_r1).triples(list(kept))
    assert {iri: len(triples) for iri, triples in kept.items()} == {
        iri: sum(
            subject.value == iri
            for subject, _, _ in source
            if isinstance(subject, pyoxigraph.NamedNode)
        )
        for iri in kept
    }
    assert set().union(*kept.values()) == set(source)


@pytest.mark.parametrize("ending", [".ttl", ".json", ".csv", ".jsonl"])
def test_questions_that_a_failing_system_chose_say_so_in_every_file(
    data: Path, tmp_path: Path, ending: str
) -> None:
    made = sample(select(data, with_choice(QUERY, ["mine", "my other"])), 5)
    made.save(tmp_path / f"bench{ending}")
    gold = load_gold(tmp_path / f"bench{ending}")
    assert {one.chosen_by for one in gold.questions} == {("mine", "my other")}
    mine, newer = (Run(name, "table", {}, sha256="f" * 64) for name in ("mine", "newer"))
    assert why_not_tested(gold, [mine]).startswith("These questions were chosen because mine ")
    assert why_not_tested(gold, [newer]) == ""


def test_a_run_that_was_renamed_is_recognised_by_its_file() -> None:
    run = Run("mine", "table", {}, sha256="f" * 64)
    question = Question("1", {"en": ("Who?",)}).with_choice(run.marks)
    gold = Gold(QuestionSet("set", "table", (question,)))
    renamed, other = (Run("newer", "table", {}, sha256=mark * 64) for mark in "fe")
    assert "because newer did badly" in why_not_tested(gold, [renamed])
    assert why_not_tested(gold, [other]) == ""


@pytest.mark.parametrize("ending", [".ttl", ".csv"])
def test_a_sample_of_such_questions_says_so_too(data: Path, tmp_path: Path, ending: str) -> None:
    pool = tmp_path / f"bench{ending}"
    sample(select(data, with_choice(QUERY, ["mine"])), 9).save(pool)
    again = sample(select(pool, "text" if ending == ".csv" else QUERY), 4)
    assert {one.chosen_by for one in again.questions} == {("mine",)}
