"""Slices.

What they are called, which questions they hold, and that their SPARQL selects the same ones.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import rdflib

from qaldgen.analysis.slices.slicing import (
    Slice,
    cross,
    group_scores,
    slice_where,
    slices_by,
)
from qaldgen.annotation.annotate import annotate
from qaldgen.annotation.statements import question_iri
from qaldgen.benchmark.gold import load_gold
from qaldgen.benchmark.question_features import features_of
from qaldgen.errors import UsageError
from qaldgen.features.catalogue import all_features
from qaldgen.model import Answers, Question, QuestionSet
from qaldgen.questions.reading import read_questions
from qaldgen.selection import conditions
from qaldgen.selection.conditions import search_conditions
from qaldgen.selection.select import select
from qaldgen.stores.local import LocalStore

ROOT = Path(__file__).resolve().parents[3]


def names(feature: str, values: list[Any], **options: Any) -> list[str]:  # noqa: ANN401
    table = pd.DataFrame(
        {feature: values}, index=[f"q{n}" for n in range(len(values))], dtype=object
    )
    return [one.name for one in slices_by(table, feature, **options)]


def own_questions() -> QuestionSet:
    """Return questions whose features have every oddity.

    Quotes in words, missing queries, several and no members.
    """
    patterns = (
        "?x <http://x.org/o/by> <http://x.org/r/A_B>",
        "?x a <http://x.org/o/Mill> ; <http://x.org/o/on> ?y . ?y a <http://x.org/o/Bay>",
    )
    made = []
    for n, word in enumerate(
        ['the "old" mill', "a\\b", "the tower", "Łódź", "12 mills", "the mill"] * 3
    ):
        query = {} if n % 5 == 0 else {"": f"SELECT DISTINCT ?x {{ {patterns[n % 2]} }} LIMIT {n}"}
        answers = None if n % 4 == 0 else Answers(boolean=bool(n % 3)) if n % 2 else Answers()
        texts = {} if n == 7 else {"en": (f"Which man built {word} {'and again ' * n}?",)}
        made.append(
            Question(str(n), texts, queries=query, answers=answers, metadata={"category": word})
        )
    return QuestionSet("own.json", "qald-json", tuple(made))


Annotated = tuple[pd.DataFrame, LocalStore, dict[str, str]]


@pytest.fixture(scope="module", params=["own", "example"])
def annotated(request: pytest.FixtureRequest) -> Annotated:
    questions = (
        own_questions()
        if request.param == "own"
        else read_questions(str(ROOT / "examples" / "questions.json"))
    )
    made = annotate(questions)
    table = pd.DataFrame(list(made.values[0]), index=[one.id for one in questions.questions])
    return (
        table,
        made.store(),
        {question_iri(questions, one): one.id for one in questions.questions},
    )


def selected(annotated: Annotated, one: Slice) -> set[str]:
    _, store, ids = annotated
    return {ids[str(row[0]).strip("<>")] for row in store.select(one.sparql).rows}


# --- SPARQL ---------------------------------------------------------------------------------------


def test_the_sparql_of_every_slice_selects_its_questions(
    annotated: Annotated, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conditions, "MOST_VALUES", 3)
    table = annotated[0]
    features = [name for name in table.columns if name in all_features()]
    assert len(features) > 50
    for feature in features:
        slices = slices_by(table, feature)
        assert {name for one in slices for name in one.ids} == set(table.index)
        for one in slices:
            assert selected(annotated, one) == set(one.ids), one.sparql


def test_the_sparql_of_open_ranges_selects_their_questions(annotated: Annotated) -> None:
    table = annotated[0]
    found = [
        condition
        for name in ("length", "avgTokenLength", "tpCount")
        for condition in search_conditions(table[name])
    ]
    assert any("or more" in one.name for one in found)
    for condition in found:
        one = slice_where(table.index, [condition])
        assert selected(annotated, one) == set(one.ids), one.sparql


def test_the_sparql_of_crossed_slices_selects_their_questions(annotated: Annotated) -> None:
    table = annotated[0]
    crossed = cross(
        slices_by(table, "joinVertexTypes"),
        slices_by(table, "length"),
        slices_by(table, "hasNumber"),
    )
    assert len(crossed) > 3
    for one in crossed:
        assert selected(annotated, one) == set(one.ids)


def test_two_conditions_on_one_feature_do_not_disturb_each_other(annotated: Annotated) -> None:
    table = annotated[0]
    conditions = search_conditions(table["length"])
    for one, two in itertools.combinations(conditions, 2):
        both = slice_where(table.index, [one, two])
        assert selected(annotated, both) == set(both.ids)


def test_a_slice_known_by_ids_alone_has_sparql_too(annotated: Annotated) -> None:
    one = Slice("half", tuple(annotated[0].index[::2]))
    assert not one.where
    assert selected(annotated, one) == set(one.ids)
    iris = Slice("iris", tuple(iri for iri, name in annotated[2].items() if name in one.ids))
    assert selected(annotated, iris) == set(one.ids)


def test_a_feature_that_the_catalogue_does_not_know_is_selected_by_ids(
    annotated: Annotated,
) -> None:
    table = annotated[0].assign(mine=[n % 2 for n in range(len(annotated[0]))])
    crossed = cross(slices_by(table, "mine"), slices_by(table, "hasNumber"))
    for one in crossed:
        assert selected(annotated, one) == set(one.ids)


def test_a_selection_restricted_to_a_slice_selects_from_it(annotated: Annotated) -> None:
    table, store, ids = annotated
    one = slices_by(table, "length")[1]
    plain = (
        "PREFIX qaldgen: <http://qald-gen.aksw.org/vocab#> SELECT ?qId ?length { ?qId"
        " qaldgen:charCount ?length }"
    )
    everything, found = select(store, plain), select(store, one.restrict(plain))
    assert {ids[iri] for iri in found.ids} == set(one.ids)
    assert 0 < len(found) < len(everything)


def test_a_query_of_the_user_is_kept() -> None:
    assert Slice("mine", ("a",), query="SELECT ?q { }").sparql == "SELECT ?q { }"


# --- names and members ----------------------------------------------------------------------------


def test_few_whole_numbers_are_slices_of_their_own() -> None:
    assert names("tpCount", [3, 1, 1, 2.0, None]) == [
        "tpCount = 1",
        "tpCount = 2",
        "tpCount = 3",
        "tpCount (missing)",
    ]


def test_many_whole_numbers_become_quartiles() -> None:
    assert names("length", list(range(1, 21))) == [
        "length up to 5",
        "length 6 to 10",
        "length 11 to 15",
        "length 16 or more",
    ]


def test_a_feature_that_is_mostly_its_least_value_is_still_cut() -> None:
    assert names("length", [1] * 90 + list(range(2, 12))) == ["length = 1", "length 2 or more"]


def test_decimals_are_cut_below_a_bound() -> None:
    table = pd.DataFrame({"avgTokenLength": [1.5, 2.0, 2.5, 4.0]}, index=list("abcd"))
    slices = slices_by(table, "avgTokenLength")
    assert [(one.name, "".join(one.ids)) for one in slices] == [
        ("avgTokenLength below 1.88", "a"),
        ("avgTokenLength 1.88 to below 2.25", "b"),
        ("avgTokenLength 2.25 to below 2.88", "c"),
        ("avgTokenLength 2.88 or more", "d"),
    ]


def test_values_with_more_digits_than_rdf_are_cut_where_rdf_is() -> None:
    table = pd.DataFrame({"avgTokenLength": [2.0 - 1e-9, 1.0]}, index=["a", "b"])
    assert slices_by(table, "avgTokenLength")[1].ids == ("a",)


def test_booleans_say_yes_and_no() -> None:
    assert names("isCount", [True, False, False, None]) == [
        "isCount = no",
        "isCount = yes",
        "isCount (missing)",
    ]


def test_numbers_in_a_boolean_feature_are_booleans() -> None:
    assert names("isCount", [1.0, 0.0, 1.0, math.nan]) == [
        "isCount = yes",
        "isCount = no",
        "isCount (missing)",
    ]


def test_members_of_sets_overlap_and_the_empty_set_is_missing() -> None:
    table = pd.DataFrame(
        {"joinVertexTypes": [frozenset(["star", "path"]), frozenset(["star"]), frozenset()]},
        index=["a", "b", "c"],
    )
    assert [(one.name, one.ids) for one in slices_by(table, "joinVertexTypes")] == [
        ("joinVertexTypes has star", ("a", "b")),
        ("joinVertexTypes has path", ("a",)),
        ("joinVertexTypes (missing)", ("c",)),
    ]


def test_rare_values_are_one_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditions, "MOST_VALUES", 2)
    found = names("headword", ["river"] * 3 + ["mill"] * 2 + ["bay", "tower"])
    assert found == ["headword = river", "headword = mill", "headword (other)"]


def test_an_unknown_feature_names_a_near_one(refused: Callable[..., str]) -> None:
    message = refused(lambda: slices_by(pd.DataFrame({"length": [1]}), "lenght"), UsageError)
    assert "did you mean length?" in message


def test_crossing_leaves_out_what_is_empty() -> None:
    table = pd.DataFrame({"isCount": [True, False], "hasUnion": [True, False]}, index=["a", "b"])
    crossed = cross(slices_by(table, "isCount"), slices_by(table, "hasUnion"))
    assert [one.name for one in crossed] == [
        "isCount = no and hasUnion = no",
        "isCount = yes and hasUnion = yes",
    ]


def test_ids_that_are_numbers_are_found() -> None:
    table = pd.DataFrame({"isCount": [True, False]}, index=[7, 8])
    assert slices_by(table, "isCount")[1].mask(table.index).tolist() == [True, False]


# --- scores ---------------------------------------------------------------------------------------


def test_scores_of_groups() -> None:
    counts = pd.DataFrame({"f1": [1.0, 1.0, 0.0, 1.0, 0.5, 0.0]}, index=list("abcdef"))
    found = group_scores(counts, [Slice("most", tuple("abcde")), Slice("few", ("f", "absent"))])
    assert found["n"].tolist() == [5, 1]
    assert found["share"].tolist() == pytest.approx([5 / 6, 1 / 6])
    assert found["estimate"].tolist() == pytest.approx([0.7, 0.0])
    assert found["method"].tolist() == ["Gaffke", "none: fewer than 5 questions"]
    assert 0.0 < found["low"]["most"] < 0.7 < found["high"]["most"] < 1.0


def test_weights_count_in_groups() -> None:
    counts = pd.DataFrame({"f1": [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]}, index=list("abcdef"))
    weights = pd.Series([5.0, 1, 1, 1, 1, 1], index=list("abcdef"))
    found = group_scores(counts, [Slice("x", tuple("abcde"))], weights=weights)
    assert found[["estimate", "share"]].to_numpy()[0].tolist() == pytest.approx([5 / 9, 0.9])


def test_an_empty_slice_is_listed() -> None:
    found = group_scores(pd.DataFrame({"f1": [1.0]}, index=["a"]), [Slice("x", ())])
    assert found["n"]["x"] == 0
    assert math.isnan(found["estimate"]["x"])


@pytest.mark.parametrize(
    "ids",
    [["http://x.org/7", "http://x.org/8 b"], ["http://x.org/7", "http://x.org/8"], ["7", "8"]],
)
def test_ids_that_look_like_iris_are_found_by_themselves(ids: list[str]) -> None:
    questions = QuestionSet(
        "own.json", "qald-json", tuple(Question(name, {"en": ("Who?",)}) for name in [*ids, "9"])
    )
    store = annotate(questions, language="xx").store()
    found = store.select(Slice("named", tuple(ids)).sparql).rows
    assert {str(row[0]).strip("<>") for row in found} == {
        question_iri(questions, one) for one in questions.questions[:2]
    }


def test_the_iris_of_questions_are_found_too() -> None:
    questions = QuestionSet(
        "own.json",
        "qald-json",
        (Question("7", {"en": ("Who?",)}), Question("8", {"en": ("What?",)})),
    )
    iri = question_iri(questions, questions.questions[0])
    found = annotate(questions, language="xx").store().select(Slice("named", (iri,)).sparql).rows
    assert [str(row[0]).strip("<>") for row in found] == [iri]


def test_the_slices_of_read_features_select_their_questions(tmp_path: Path) -> None:
    """The flags of a question that was read from RDF are those that the RDF says."""
    query = "SELECT (COUNT(?x) AS ?n) { ?x ?p ?o }"
    questions = QuestionSet(
        "own.json", "qald-json", (Question("7", {"en": ("How many?",)}, queries={"": query}),)
    )
    made = annotate(questions, language="xx")
    made.save(tmp_path / "own.ttl")
    table = features_of(load_gold(tmp_path / "own.ttl"), language="xx")
    assert "hasAggregation" in table.columns
    for name in table.columns:
        for one in slices_by(table, name):
            assert len(made.store().select(one.sparql).rows) == len(one), one.name


def test_the_only_value_of_a_decimal_is_one_slice() -> None:
    assert names("avgTokenLength", [2.5, 2.5, 2.5]) == ["avgTokenLength = 2.5"]


@pytest.mark.parametrize("end", [
    "} VALUES ?n { 1 2 }",
    "} # {a comment}\n",
])  # fmt: skip
def test_a_slice_restricts_the_conditions_of_a_query_whatever_follows_them(end: str) -> None:
    long = Slice("long", (), "?qId qaldgen:length ?length . FILTER (?length >= 9)")
    graph = rdflib.Graph()
    namespace = rdflib.Namespace("http://qald-gen.aksw.org/vocab#")
    for name, length in {"short": 2, "long": 9}.items():
        question = rdflib.URIRef(f"http://x.org/{name}")
        graph.add((question, rdflib.RDF.type, namespace.Question))
        graph.add((question, namespace.length, rdflib.Literal(length)))
        graph.add((question, rdflib.URIRef("http://x.org/n"), rdflib.Literal(1)))
        graph.add((question, rdflib.URIRef("http://x.org/b"), rdflib.Literal(1)))
    query = long.restrict(f"SELECT ?qId {{ ?qId <http://x.org/n> ?n {end}")
    assert [dict(row) for row in graph.query(query).bindings] == [
        {rdflib.Variable("qId"): rdflib.URIRef("http://x.org/long")}
    ]
