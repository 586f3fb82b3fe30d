"""Features of question texts: with a model, without one, and on questions labelled by hand."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from qaldgen.features.text import text_features as text
from qaldgen.features.text.flags import NAMES
from qaldgen.features.text.letters import letter_features
from qaldgen.features.text.text_features import POS_FLAGS, FeatureValue, load_model, text_features
from qaldgen.rdf.terms import python_value
from qaldgen.stores.local import LocalStore

if TYPE_CHECKING:
    from spacy.language import Language

LABELS = Path(__file__).resolve().parent.parent / "data" / "labels" / "questions.tsv"
#: In every language.
SURFACE = set(letter_features("Who is it?", ""))
FORM = {
    *("whType", "questionFormulation", "informationSought", "answerEntityKind"),
    *("expectedAnswerCategory", "expectedAnswerType", "answerEntityType"),
    *(
        f"{name}Rule"
        for name in (
            "questionFormulation",
            "informationSought",
            "answerEntityKind",
            "answerEntityType",
        )
    ),
}
#: Only in English.
ENGLISH = {"fleschReadingEase", "expectedAnswerTREC", "spellingSuspect"}
TOKENS = {"tokenCount", "avgTokenLength", "stopwordRatio", "typeTokenRatio"}
TAGGED = {
    *(
        *POS_FLAGS,
        "totalNouns",
        "totalAdjectives",
        "totalVerbs",
        "nouns",
        "adjectives",
        "verbs",
        "wordForms",
    ),
    *("maxDependencyDepth", "namedEntityCount", "hasNamedEntity", "namedEntityTypes", "valueTypes"),
}


@pytest.fixture(scope="module")
def english() -> Language:
    model = load_model("en")
    if model is None:
        pytest.skip(
            f"no English spaCy model is installed; one of {', '.join(text.MODELS['en'])} is needed"
        )
    return model


def one(
    question: str, language: str = "en", nlp: Language | None = None
) -> dict[str, FeatureValue]:
    (features,) = text_features([question], language=language, nlp=nlp)
    return features


def test_english_without_a_model() -> None:
    features = one("Who owns the old mill?")
    assert set(features) == SURFACE | FORM | set(NAMES) | ENGLISH
    assert features["length"] == 5
    assert features["charCount"] == 22
    assert features["whType"] == "who"
    assert features["expectedAnswerType"] == "resource"
    assert features["fleschReadingEase"] == pytest.approx(
        206.835 - 1.015 * 5 - 84.6 * 5 / 5, abs=0.01
    )


def test_other_languages_have_what_needs_no_rules() -> None:
    assert set(one("Wem gehören 2 Mühlen?", "de")) == SURFACE | {"hasNumber"}


def test_empty_text_has_only_lengths() -> None:
    features = one("  ")
    assert {"length", "charCount", "sentenceCount", "hasQuote"} <= set(features) < SURFACE
    assert not any(features.values())


def test_no_text_no_features() -> None:
    assert list(text_features([])) == []


@pytest.mark.parametrize(
    ("question", "length"), [("Who owns it ?", 4), (" Who  owns\u00a0it?", 3), ("Who\towns it?", 3)]
)
def test_length_counts_what_white_space_separates(question: str, length: int) -> None:
    assert one(question)["length"] == length


@pytest.mark.parametrize(
    ("question", "case"),
    [("who is ada?", "lower"), ("WHO?", "upper"), ("Who is it?", "mixed"), ("12?", None)],
)
def test_capitalisation(question: str, case: str | None) -> None:
    assert one(question).get("capitalisation") == case


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ('Who wrote "Mills"?', True),
        ("Who wrote “Mills”?", True),
        ("Kto napisał „Młyny”?", True),
        ("Who wrote 'Mills'?", True),
        ("Who is Ada's and Eva's cousin?", False),
    ],
)
def test_quotes(question: str, quoted: bool) -> None:
    assert one(question)["hasQuote"] is quoted


def test_model_is_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "MODELS", {"en": ("no_such_model", "nor_this_one")})
    assert load_model("en-GB") is None


def test_language_without_a_model() -> None:
    assert load_model("pl") is None


def test_english_with_a_model(english: Language) -> None:
    features = one("Which old mills in France did Ada Roe buy quickly?", nlp=english)
    assert set(features) == SURFACE | FORM | set(NAMES) | TOKENS | TAGGED | ENGLISH | {
        "headword",
        "headwordLemma",
    }
    assert (features["headword"], features["headwordLemma"]) == ("mills", "mill")
    assert features["tokenCount"] == 10
    assert all(features[tag] is True for tag in ("JJ", "NNS", "NNP", "IN", "RB", "VBD"))
    assert all(features[tag] is False for tag in ("SYM", "PRP", "JJS", "VBG"))
    assert features["nouns"] == ("mills", "France", "Ada", "Roe")
    assert (features["totalNouns"], features["totalAdjectives"]) == (4, 1)
    assert features["hasNamedEntity"] is True
    assert "GPE" in str(features["namedEntityTypes"])
    assert isinstance(features["maxDependencyDepth"], int)
    assert features["maxDependencyDepth"] >= 2


def test_no_head_noun_no_feature(english: Language) -> None:
    assert "headword" not in one("When did the mill burn?", nlp=english)


def test_batches_keep_the_order(english: Language) -> None:
    questions = [f"Which {noun} burned?" for noun in ("mill", "bridge", "church")] * 3
    assert [features["headword"] for features in text_features(questions, nlp=english)] == [
        "mill",
        "bridge",
        "church",
    ] * 3


def labelled(folder: Path) -> list[tuple[str, dict[str, str]]]:
    """Return text and labels of the questions of the sample."""
    texts: dict[tuple[str, str], str] = {}
    for part in ("train", "test"):
        qald = json.loads(
            (folder / "qald" / f"qald-9-{part}-multilingual.json").read_text(encoding="utf-8")
        )
        for record in qald["questions"]:
            english = [
                wording["string"] for wording in record["question"] if wording["language"] == "en"
            ]
            texts["qald-9", f"{part}-{record['id']}"] = english[0]
        for record in json.loads(
            (folder / "lc-quad" / f"{part}-data.json").read_text(encoding="utf-8")
        ):
            texts["lc-quad", record["_id"]] = record["corrected_question"]
    for record in json.loads((folder / "rubq" / "RuBQ_2.0_dev.json").read_text(encoding="utf-8")):
        texts["rubq", str(record["uid"])] = record["question_eng"]
    simple = folder / "simplequestions-wikidata" / "annotated_wd_data_valid_answerable.txt"
    for number, line in enumerate(simple.read_text(encoding="utf-8").splitlines(), 1):
        texts["simplequestions", str(number)] = line.split("\t")[3]
    with LABELS.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    return [(texts[row["set"], row["id"]], row) for row in rows]


@pytest.fixture(scope="module")
def sample(shared_data: Path) -> list[tuple[str, dict[str, str]]]:
    if not all(
        (shared_data / name).is_dir()
        for name in ("qald", "lc-quad", "rubq", "simplequestions-wikidata")
    ):
        pytest.skip(f"the labelled questions are not in {shared_data}")
    return labelled(shared_data)


def test_labels_hold_no_text() -> None:
    rows = [line.split("\t") for line in LABELS.read_text(encoding="utf-8").splitlines()]
    assert rows[0] == ["set", "id", "whType", "headword", "formulation"]
    assert len(rows) == 241
    assert not any(" " in cell for row in rows for cell in row)


def test_question_class_of_the_sample(sample: list[tuple[str, dict[str, str]]]) -> None:
    features = list(text_features([question for question, _ in sample]))
    right = sum(
        found["whType"] == row["whType"] for found, (_, row) in zip(features, sample, strict=True)
    )
    plain = sum(
        found["questionFormulation"] == row["formulation"]
        for found, (_, row) in zip(features, sample, strict=True)
    )
    assert right / len(sample) >= 0.95
    assert plain / len(sample) >= 0.95


def test_head_nouns_of_the_sample(
    sample: list[tuple[str, dict[str, str]]], english: Language
) -> None:
    features = text_features([question for question, _ in sample], nlp=english)
    right = sum(
        found.get("headwordLemma", "-") == row["headword"]
        for found, (_, row) in zip(features, sample, strict=True)
    )
    assert right / len(sample) >= 0.90


def test_length_equals_the_published_one(published_store: LocalStore) -> None:
    vocabulary = "http://qald-gen.aksw.org/vocab#"
    query = (
        f"SELECT ?text ?length {{ ?question <{vocabulary}text> "
        f"?text ; <{vocabulary}length> ?length }}"
    )
    rows = [
        [python_value(term) for term in row if term is not None]
        for row in published_store.select(query).rows
    ]
    assert len(rows) == 5543
    found = [letter_features(str(wording), "en") for wording, _ in rows]
    assert [features["length"] for features in found] == [length for _, length in rows]
