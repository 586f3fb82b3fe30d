"""Polish questions: question words, and the question types of PolEval and PolQA.

The sentences are our own.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from qaldgen.features.text.flags import NAMES
from qaldgen.features.text.letters import letter_features
from qaldgen.features.text.text_features import text_features
from qaldgen.plugins.polish.language import (
    entity_kind,
    expected_category,
    formulation,
    information_sought,
    wh_type,
)

FORMS = {
    "Czy młyn spłonął?": "yes-no",
    "Młyn nad stawem – czy to zabytek?": "yes-no",
    "Kto zbudował młyn?": "who",
    "Kogo zatrudnił młynarz?": "whom",
    "O kim śpiewał młynarz?": "whom",
    "Czyja jest ta mąka?": "whose",
    "Co miele młyn?": "what",
    "Jaki kształt ma koło?": "what",
    "Jak nazywa się młynarz?": "what",
    "Jak ma na imię młynarz?": "what",
    "Gdzie stoi młyn?": "where",
    "Skąd przywieziono kamienie?": "where",
    "Kiedy spłonął młyn?": "when",
    "Dlaczego młyn stanął?": "why",
    "Ile młynów stoi nad rzeką?": "how-many",
    "Ile waży kamień młyński?": "how-much",
    "Jak młynarz miele zboże?": "how",
    "Jak długo stoi młyn?": "how-adj",
    "W którym roku spłonął młyn?": "which",
    "Młynarz, który miał syna, mieszkał w której wsi?": "which",
    "Podaj nazwę młyna.": "command",
    "Proszę wymienić młyny nad stawem.": "command",
    "Młyn to budowla, a jak nazywa się jej właściciel?": "what",
    "Gdzie stoi młyn? Nazwa wsi pochodzi od słowa staw.": "where",
    "Młyn stoi w lesie czy nad stawem?": "none",
    "Młynarz, który spał?": "none",
}


@pytest.mark.parametrize(("text", "code"), FORMS.items())
def test_question_class(text: str, code: str) -> None:
    assert wh_type(text) == code


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Kto zbudował młyn?", "plain"),
        ("Podaj nazwę młyna.", "command"),
        ("Młyn spłonął. Kto go podpalił?", "compound"),
        ("Kto w XIX w. zbudował młyn dla ks. Jana?", "plain"),
        ("Kto napisał „Młyn. Opowieść o stawie”?", "plain"),
    ],
)
def test_formulation(text: str, expected: str) -> None:
    assert formulation(text, wh_type(text)).label == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Kto zbudował młyn?", "single-entity"),
        ("Czy młyn spłonął?", "yes-no"),
        ("Czy młyn jest stary czy nowy?", "entity-choice"),
        ("Młyn stoi w lesie czy nad stawem?", "entity-choice"),
        ("Który młyn jest starszy: wodny lub wietrzny?", "entity-choice"),
        ("Które dwa młyny spłonęły?", "multiple-entities"),
        ("Podaj imiona młynarzy.", "multiple-entities"),
        ("Jaki przydomek miał młynarz?", "other-name"),
        ("Rozwiń skrót MZ.", "other-name"),
        ("Z którego języka pochodzi skrót MZ?", "single-entity"),
        ("Dokończ przysłowie: cicha woda brzegi...", "gap-filling"),
        ("Jakiego słowa brakuje: koło ___ i mąka?", "gap-filling"),
    ],
)
def test_information_sought(text: str, expected: str) -> None:
    assert information_sought(text).label == expected


@pytest.mark.parametrize(
    ("text", "kind", "category"),
    [
        ("Czy młyn spłonął?", "yes-no", "boolean"),
        ("Kto zbudował młyn?", "named", "resource"),
        ("Ile młynów spłonęło?", "named", "literal-number"),
        ("Kiedy spłonął młyn?", "named", "literal-date"),
        ("W którym roku spłonął młyn?", "named", "literal-date"),
        ("W którym mieście stoi młyn?", "named", "resource"),
        ("Jakie zwierzę ciągnie wóz?", "unnamed", "resource"),
        ("Co miele młyn?", "unnamed", "resource"),
        ("Jaki przydomek miał młynarz?", "named", "literal-string"),
    ],
)
def test_kind_and_category(text: str, kind: str, category: str) -> None:
    code = wh_type(text)
    expected = expected_category(text, code)
    assert (entity_kind(text, code, expected).label, expected) == (kind, category)


@pytest.mark.parametrize(("part", "missed", "wrong"), [("dev-0", 0, 0), ("test-A", 3, 2)])
def test_yes_no_of_poleval(shared_data: Path, part: str, missed: int, wrong: int) -> None:
    folder = shared_data / "poleval-2021" / part
    if not folder.is_dir():
        pytest.skip(f"the questions of PolEval 2021 are not at {folder}")
    texts = (folder / "in.tsv").read_text(encoding="utf-8").splitlines()
    answers = (folder / "expected.tsv").read_text(encoding="utf-8").splitlines()
    gold = [line.split("\t")[0].lower() in {"tak", "nie"} for line in answers]
    said = [information_sought(text).label == "yes-no" for text in texts]
    assert sum(yes and not no for yes, no in zip(gold, said, strict=True)) <= missed
    assert sum(no and not yes for yes, no in zip(gold, said, strict=True)) <= wrong


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
TOKENS = {"tokenCount", "avgTokenLength", "stopwordRatio", "typeTokenRatio"}


def test_polish_needs_no_model() -> None:
    (features,) = text_features(["W którym roku spłonął najstarszy młyn?"], language="pl-PL")
    assert set(features) == SURFACE | FORM | set(NAMES) | {"answerEntityTypeTold"}
    assert (features["whType"], features["expectedAnswerType"], features["hasSuperlative"]) == (
        "which",
        "date",
        True,
    )


def test_blank_pipeline_gives_tokens_only() -> None:
    spacy = pytest.importorskip("spacy")
    asked = ["Kto ma młyn, a kto ma most?"]
    (features,) = text_features(asked, language="pl", nlp=spacy.blank("pl"))
    assert set(features) == SURFACE | FORM | set(NAMES) | TOKENS | {"answerEntityTypeTold"}
    assert features["tokenCount"] == 7
    assert features["typeTokenRatio"] == pytest.approx(5 / 7, abs=1e-4)
