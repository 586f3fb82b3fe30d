"""The features of one question never contradict each other."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest
from contradictions import RELATIONS, contradictions

from qaldgen.features.text.text_features import FeatureValue, text_features
from qaldgen.features.text.text_features import load_model as load_model_anew
from qaldgen.model import Question
from qaldgen.questions.reading import read_questions

#: Sets with English questions, and of how many questions one is looked at with a model, which takes
#: time.
ENGLISH = {
    "qald/qald-9-train-multilingual.json": 20,
    "qald/qald-9-test-multilingual.json": 10,
    "qald/qald-6-test-multilingual.json": 10,
    "qald/qald-7-test-en-wikidata.json": 2,
    "lc-quad/train-data.json": 200,
    "rubq/RuBQ_2.0_dev.json": 20,
    "simplequestions-wikidata/annotated_wd_data_valid_answerable.txt": 50,
    "smart/smarttask_dbpedia_train.json": 400,
}
WRITTEN = [
    "What year did Ada receive the mill?",
    "Was Ada born in Kiel?",
    "What number of wheels does the mill have?",
    "Is the mill in Kiel or in Dee?",
    "Which is older, the mill or the bridge?",
    "Name the two oldest mills.",
    "Count the mills.",
    "The mill stands in ____.",
    "When the mill burned, who owned it?",
    "Tell me whether the mill is old.",
    "How is the mill called?",
    "who was the first miller of dee",
    "The mill burned. When?",
    "",
]


load_model = functools.cache(load_model_anew)


def contradicting(
    texts: list[str], language: str = "en", *, model: bool = False
) -> Iterator[tuple[str, str]]:
    found = text_features(texts, language=language, nlp=load_model(language) if model else None)
    for text, features in zip(texts, found, strict=True):
        yield from ((text, broken) for broken in contradictions(features))


def english(questions: tuple[Question, ...]) -> list[str]:
    return [one.texts["en"][0] for one in questions if one.texts.get("en")]


@pytest.mark.parametrize("model", [False, True])
def test_questions_of_every_form(model: bool) -> None:
    assert list(contradicting(WRITTEN, model=model)) == []


@pytest.mark.parametrize("name", ENGLISH)
def test_english_sets(shared_data: Path, name: str) -> None:
    path = shared_data / name
    if not path.is_file():
        pytest.skip(f"the questions are not at {path}")
    texts = english(read_questions(path).questions)
    assert texts
    chosen = texts[:: ENGLISH[name]]
    assert list(chain(contradicting(texts[:200]), contradicting(chosen, model=True))) == []


@pytest.mark.parametrize(
    "features",
    [
        {"whType": "when", "expectedAnswerCategory": "resource"},
        {"expectedAnswerCategory": "literal-string", "answerEntityType": "year"},
        {"expectedAnswerCategory": "boolean", "answerEntityKind": "named"},
        {"namedEntityCount": 0, "hasNamedEntity": True},
        {"namedEntityCount": 1, "namedEntityTypes": ("GPE", "PERSON")},
        {"sentenceCount": 2, "questionFormulation": "plain"},
        {"headword": "mills"},
        {"valueTypes": ("DATE",), "hasTemporal": False},
    ],
)
def test_a_contradiction_is_found(features: dict[str, FeatureValue]) -> None:
    assert list(contradictions(features))


def test_what_is_absent_contradicts_nothing() -> None:
    assert list(contradictions({})) == []
    assert len({relation.text for relation in RELATIONS}) == len(RELATIONS)


def test_relations_name_features_and_codes_that_exist() -> None:
    from qaldgen.features.catalogue import all_features

    known = all_features()
    for relation in RELATIONS:
        for part in relation.text.split(" -> ") if "=" in relation.text else ():
            name, _, values = part.partition("=")
            assert name in known or name == "expectedAnswerType"  # it becomes a part of answerType
            codes = set(known[name].codes if name in known else ()) or {"true", "false"} | set(
                values.split("|")
            )
            assert set(values.split("|")) <= codes | {"-", "*"}
