"""Polish quiz questions without a question word, and words that mislead; a quiz of our own."""

from __future__ import annotations

import pytest

from qaldgen.plugins.polish.language import POLISH

#: Question, kind of the answer entity, and its type where it has a name.
QUIZ = [
    ("Najgłębsze jezioro świata?", "named", "lake"),
    ("Autor teorii względności?", "named", "person"),
    ("Autorka Pieśni o młynie?", "named", "person"),
    ("Stolica Peru?", "named", "city"),
    ("Najdłuższa rzeka Azji?", "named", "river"),
    ("Pierwszy król Polski?", "named", "person"),
    ("Największa wyspa świata?", "named", "island"),
    ("Kompozytor opery o młynarzu?", "named", "person"),
    ("Państwo na Półwyspie Iberyjskim?", "named", "country"),
    ("Najwyższa góra Afryki?", "named", "mountain"),
    ("Największy ssak lądowy?", "unnamed", None),
    ("Młyn na wodę?", "unnamed", None),
    ("W którym stuleciu spłonął młyn?", "named", "century"),
    ("Mistrzem została Francja, czy Hiszpania?", "named", "country"),
    ("Jaki jest stan skupienia rtęci?", "unnamed", None),
    ("W jakim stanie skupienia jest lód?", "unnamed", None),
    ("W jakim stanie leży Boston?", "named", "state"),
]


@pytest.mark.parametrize(("text", "kind", "type_"), QUIZ)
def test_what_a_short_question_asks_for(text: str, kind: str, type_: str | None) -> None:
    features = POLISH.features(text)
    assert (features["answerEntityKind"], features.get("answerEntityType")) == (kind, type_)


def test_a_century_is_a_date() -> None:
    features = POLISH.features("W którym stuleciu spłonął młyn?")
    assert features["expectedAnswerCategory"] == "literal-date"


def test_a_command_and_a_gap_stay_what_they_are() -> None:
    assert POLISH.features("Dokończ: młyn jest ...")["informationSought"] == "gap-filling"
    assert POLISH.features("Młyn spłonął.")["answerEntityKind"] == "unnamed"
