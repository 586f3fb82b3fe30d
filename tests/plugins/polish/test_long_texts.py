"""No text takes a Polish rule long."""

from __future__ import annotations

from long_texts import takes_no_text_long

from qaldgen.features.text.letters import ends_of
from qaldgen.plugins.polish.language import POLISH
from qaldgen.plugins.polish.nouns import type_of_option


def test_features_take_no_text_long() -> None:
    takes_no_text_long(lambda text: POLISH.features(ends_of(text)) if text.strip() else {})


def test_the_type_of_an_option_takes_no_text_long() -> None:
    takes_no_text_long(lambda text: type_of_option(ends_of(text)))
