"""Polish words that set a feature, and words that only look like it."""

from __future__ import annotations

import pytest

from qaldgen.features.text.flags import NAMES, flags

SET = [
    ("hasSuperlative", "Który młyn jest najwyższy?"),
    ("hasComparative", "Który młyn jest większy niż kościół?"),
    ("hasNegation", "Który młyn nie spłonął?"),
    ("hasTemporal", "Który młyn spłonął w lutym?"),
    ("hasTemporal", "Kto był właścicielem młyna po wojnie?"),
    ("hasOrdinal", "Kto był drugim właścicielem?"),
    ("hasOrdinal", "Jak nazywa się 3. młyn?"),
    ("hasQuantifier", "Wymień wszystkie młyny."),
    ("hasConjunction", "Kto ma młyn oraz most?"),
    ("hasNumber", "Kto ma dwa młyny?"),
    ("hasNumber", "Kto rządził w wieku XIV?"),
]
NOT_SET = [
    ("hasSuperlative", "Kto najechał młyn?"),
    ("hasNegation", "Kto ma niebieski młyn?"),
    ("hasTemporal", "Kto przyszedł po mąkę?"),
]


@pytest.mark.parametrize(("name", "text"), SET)
def test_flag_is_set(name: str, text: str) -> None:
    assert flags(text, "pl")[name] is True


@pytest.mark.parametrize(("name", "text"), NOT_SET)
def test_flag_is_not_set(name: str, text: str) -> None:
    assert flags(text, "pl")[name] is False


def test_polish_knows_all_flags() -> None:
    assert set(flags("a", "pl")) == set(NAMES)
