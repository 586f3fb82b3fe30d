"""Where nearly all gold answers have a capital, the question tells which are names."""

from __future__ import annotations

import pytest

import qaldgen as qg
from qaldgen.features.text.text_features import text_features

#: Questions as of a quiz, and whether the answer has a name.
QUIZ = [
    ("Jaki gaz przeważa w powietrzu?", "Azot", False),
    ("Jak nazywa się samica konia?", "Klacz", False),
    ("Jaki metal jest ciekły?", "Rtęć", False),
    ("Jakim kolorem jest trawa?", "Zielony", False),
    ("Jaki ptak nie lata?", "Pingwin", False),
    ("Z czego robi się mąkę?", "Zboże", False),
    ("Kto zbudował młyn?", "Kowal", True),
    ("Stolica Peru?", "Lima", True),
    ("Najgłębsze jezioro świata?", "Bajkał", True),
    ("W jakim mieście stoi młyn?", "Kraków", True),
    ("Najdłuższa rzeka Polski?", "Wisła", True),
    ("Która planeta jest najbliżej Słońca?", "Merkury", True),
]


def kinds(rows: list[tuple[str, str, bool]]) -> list[str]:
    """Return the kinds of answer by the gold."""
    asked = [{"question": text, "answers": gold, "language": "pl"} for text, gold, _ in rows]
    frame = qg.annotate(qg.load(asked, language="pl"), language="pl", cache=None).to_frame()
    return list(frame["answerEntityKindGold"])


def wanted(rows: list[tuple[str, str, bool]]) -> list[str]:
    return ["named" if named else "unnamed" for *_, named in rows]


def test_the_question_decides_where_all_golds_have_a_capital() -> None:
    assert kinds(QUIZ) == wanted(QUIZ)


def test_the_spelling_decides_where_it_tells() -> None:
    rows = [(text, gold if named else gold.lower(), named) for text, gold, named in QUIZ]
    assert kinds(rows) == wanted(rows)
    # what the question alone would get wrong
    assert kinds([*rows, ("Jak nazywa się dom ze śniegu?", "igloo", False)])[-1] == "unnamed"


def test_few_golds_show_no_habit() -> None:
    assert kinds(QUIZ[:2]) == ["named", "named"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Autor teorii względności?", "person"),
        ("Drugie co do wielkości miasto kraju?", "city"),
        ("Stan ze stolicą w Austin?", "state"),
        ("Stan skupienia lodu?", None),
        ("Jaki jest stan zdrowia króla?", None),
        ("Skrót od Rady Młynarzy Polskich?", "organisation"),
        ("Francja, czy Hiszpania?", "country"),
        ("W którym stuleciu zbudowano młyn?", "century"),
    ],
)
def test_elliptical_questions(text: str, kind: str | None) -> None:
    assert next(iter(text_features([text], language="pl"))).get("answerEntityType") == kind
