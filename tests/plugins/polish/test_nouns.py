"""Types of entities that Polish questions ask for."""

from __future__ import annotations

import pytest

from qaldgen.features.text.taxonomies import ENTITY_TYPES
from qaldgen.features.text.text_features import text_features
from qaldgen.plugins.polish import nouns

POLISH = {
    "Ile młynów stoi nad rzeką?": "count",
    "Ile lat ma młyn?": "quantity",
    "Kto zbudował młyn?": "person",
    "Gdzie stoi młyn?": "city",
    "Kiedy urodził się młynarz?": "day",
    "Kiedy spłonął młyn?": "year",
    "W którym wieku spłonął młyn?": "century",
    "W jakim mieście stoi młyn?": "city",
    "Nad którą rzeką leżą miasta z młynami?": "river",
    "Jak nazywa się państwo, w którym stoi młyn?": "country",
    "Jak ma na imię młynarz?": "name",
    "Jak brzmi imię i nazwisko młynarza?": "person",
    "Jak nazywał się właściciel, w którego mieście stoi młyn?": "person",
    "Czy młyn spłonął?": None,
}


@pytest.mark.parametrize(("text", "expected"), POLISH.items())
def test_polish(text: str, expected: str | None) -> None:
    assert next(text_features([text], language="pl")).get("answerEntityType") == expected


def test_the_table_of_nouns_names_known_types_only() -> None:
    assert set(nouns._noun_patterns()) <= {*ENTITY_TYPES, "unnamed"}
