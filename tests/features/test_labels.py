"""Labels: one for each feature and value, different ones, short enough for a card."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import pytest

from qaldgen.features.catalogue import FEATURES, Feature
from qaldgen.features.labels import label_of, missing_phrase, range_phrase, value_phrase

NUMBERS = [one.name for one in FEATURES if one.kind == "integer"]


def wordless(feature: Feature) -> Iterator[str]:
    """Yield what a feature has no words for."""
    if feature.label in {"", feature.name}:
        yield feature.name
    if feature.kind in {"boolean", "integer"} and not (feature.yes and feature.no != feature.yes):
        yield f"{feature.name}: yes and no"
    for code in feature.codes:
        if value_phrase(feature.name, code) == f"{feature.label}: {code}":
            yield f"{feature.name}: {code}"


def test_every_feature_has_words_for_all_its_values() -> None:
    assert [what for feature in FEATURES for what in wordless(feature)] == []


def test_no_two_labels_or_phrases_are_the_same() -> None:
    labels = Counter(label_of(one.name) for one in FEATURES)
    phrases = Counter(
        phrase
        for one in FEATURES
        for phrase in (
            *(
                (value_phrase(one.name, True), value_phrase(one.name, False))
                if one.kind == "boolean"
                else ()
            ),
            *(value_phrase(one.name, code) for code in one.codes),
        )
    )
    assert [label for label, count in labels.items() if count > 1] == []
    assert [phrase for phrase, count in phrases.items() if count > 1] == []


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (1, 1, "one hop"), (2, 2, "two hops"),
        (0, 0, "no named thing leads to the answer (no hops)"), (12, math.inf, "12 or more hops"),
        (2, 3, "two to three hops"), (-math.inf, 1, "up to one hop"),
        (1, math.inf, "one or more hops"), (0, math.inf, "0 or more hops"),
        (-math.inf, 0, "up to 0 hops"), (-1, 1, "-1 to one hops"),
    ],
)  # fmt: skip
def test_ranges_in_words(low: float, high: float, words: str) -> None:
    assert range_phrase("hopCount", low, high, whole=True) == words


def test_a_feature_of_another_package_is_called_by_its_name() -> None:
    assert label_of("hasMyOwnMark") == "hasMyOwnMark"
    assert value_phrase("hasMyOwnMark", True) == "hasMyOwnMark: yes"
    assert range_phrase("myScore", 0.5, 0.75, whole=False) == "myScore: 0.5 to below 0.75"
    assert missing_phrase("myScore") == "myScore not known"


def test_a_column_of_a_set_is_called_by_its_name() -> None:
    assert value_phrase("Hop Count", 2) == "Hop Count: 2"
    assert value_phrase("queryType", "ASK") == "queryType: ASK"
    assert missing_phrase("hasAggregation") == "not known: computes (count, sum, ...)"
