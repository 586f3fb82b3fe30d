"""Words that set a feature, and words that only look like it."""

from __future__ import annotations

import pytest

from qaldgen.features.text.flags import flags

SET = [
    ("en", "hasSuperlative", "Which is the tallest mill?"),
    ("en", "hasSuperlative", "Which mill has the most stones?"),
    ("en", "hasComparative", "Which mill is taller than the church?"),
    ("en", "hasComparative", "Who has more than three mills?"),
    ("en", "hasNegation", "Which mills never burned?"),
    ("en", "hasNegation", "Who didn’t pay?"),
    ("en", "hasTemporal", "Who owned the mill before Ada?"),
    ("en", "hasTemporal", "Which mills burned in 1812?"),
    ("en", "hasTemporal", "Which mills burned in May?"),
    ("en", "hasOrdinal", "Who was the second owner?"),
    ("en", "hasOrdinal", "Who was the 21st owner?"),
    ("en", "hasQuantifier", "Name all mills."),
    ("en", "hasQuantifier", "Which mills have at least one wheel?"),
    ("en", "hasConjunction", "Who owns the mill and the bridge?"),
    ("en", "hasNumber", "Who has two mills?"),
    ("en", "hasNumber", "Who lives at 7b?"),
    ("de", "hasNumber", "Wer hat 2 Mühlen?"),
]
NOT_SET = [
    ("en", "hasSuperlative", "Which forest lies west of the mill?"),
    ("en", "hasComparative", "Who is the miller of the tower?"),
    ("en", "hasNegation", "Who ties the knot?"),
    ("en", "hasTemporal", "Which mill is named after Ada?"),
    ("en", "hasTemporal", "Which march may the band play?"),
    ("en", "hasOrdinal", "What is her first name?"),
    ("en", "hasConjunction", 'Who wrote "Mill and Bridge"?'),
    ("en", "hasNumber", "Who owns the mill?"),
]


@pytest.mark.parametrize(("language", "name", "text"), SET)
def test_flag_is_set(language: str, name: str, text: str) -> None:
    assert flags(text, language)[name] is True


@pytest.mark.parametrize(("language", "name", "text"), NOT_SET)
def test_flag_is_not_set(language: str, name: str, text: str) -> None:
    assert flags(text, language)[name] is False


def test_many_in_how_many_asks() -> None:
    assert flags("How many mills are there?", "en")["hasQuantifier"] is False
    assert flags("How many mills have many wheels?", "en")["hasQuantifier"] is True


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("de", "Wer hat 2 Mühlen?", {"hasNumber": True}),
        ("de", "Wer hat zwei Mühlen?", {}),
        ("ru", "У кого две мельницы?", {}),
        ("ar", "من يملك ٢ من المطاحن؟", {"hasNumber": True}),
        ("zh", "谁有两座磨坊？", {}),
    ],
)
def test_elsewhere_only_digits_show_a_number(
    language: str, text: str, found: dict[str, bool]
) -> None:
    assert flags(text, language) == found
