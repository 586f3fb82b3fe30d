"""How far a question is from a training split. Questions and queries are our own."""

from __future__ import annotations

import pytest
from questions import question

from qaldgen.features.generalisation import (
    generalisation_level,
    query_items,
    training_items,
    with_level,
)
from qaldgen.features.query.query_features import FeatureValue
from qaldgen.features.resources import resource_features
from qaldgen.model import Question

TRAINING = [
    "SELECT ?m { ?m a dbo:Mill ; dbo:owner dbr:Ada }",
    "SELECT ?m { ?m dbo:river dbr:Alder ; dbo:length ?l }",
]


def asking(*queries: str, number: str = "1") -> Question:
    return question(number, queries={str(at): query for at, query in enumerate(queries)})


def level(query: str) -> object:
    return with_level(
        resource_features(query), training_items([asking(text) for text in TRAINING])
    ).get("generalisationLevel")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("ASK { ?m dbo:owner dbr:Ben . ?m rdf:type dbo:Mill }", "iid"),
        ("SELECT ?m { ?m dbo:owner dbr:Ada }", "compositional"),
        ("SELECT ?m { ?m a dbo:Mill ; dbo:river dbr:Alder }", "compositional"),
        ("SELECT ?m { ?m a dbo:Mill ; dbo:owner ?o . ?o dbo:spouse dbr:Ada }", "zero-shot"),
        ("SELECT ?m { ?m a dbo:Barn ; dbo:owner dbr:Ada }", "zero-shot"),
        ("SELECT ?m { ?m a dbo:owner }", "zero-shot"),
        ("ASK { ?x ?p dbr:Ada }", None),
    ],
)
def test_level(query: str, expected: str | None) -> None:
    assert level(query) == expected


def test_every_query_of_a_question_teaches() -> None:
    training = training_items([asking("ASK { ?x dbo:a ?y }", "ASK { ?x wdt:P1 ?y }")])
    assert training.combinations == {
        frozenset({"relation http://dbpedia.org/ontology/a"}),
        frozenset({"relation http://www.wikidata.org/prop/direct/P1"}),
    }


def test_query_that_cannot_be_parsed_is_named_and_teaches_nothing() -> None:
    training = training_items(
        [asking("ASK { ?x", number="7"), asking("", number="8"), asking("ASK { ?x dbo:a ?y }")]
    )
    assert training.unparsable == ("7",)
    assert len(training.combinations) == 1


def test_no_training_question_makes_everything_zero_shot() -> None:
    assert generalisation_level(query_items(["r"], []), training_items([])) == "zero-shot"


def test_level_against_a_training_split_takes_the_place_of_the_one_of_the_data() -> None:
    training = training_items([asking("ASK { ?x dbo:a ?y }")])
    said: dict[str, FeatureValue] = {
        "generalisationLevel": "zero-shot",
        "relationIris": ("http://dbpedia.org/ontology/a",),
        "length": 3,
    }
    assert with_level(said, training) == {**said, "generalisationLevel": "iid"}
    assert said["generalisationLevel"] == "zero-shot"
    assert with_level({"generalisationLevel": "iid"}, training) == {}
