"""Labels of features, and phrases for their values, for people to read.

The words for a feature are in its row of the catalogue, those for its values in
``data/values_in_words.tsv``.
"""

from __future__ import annotations

import functools
import math

from qaldgen.features.catalogue import Feature, all_features
from qaldgen.io.packages import data_rows
from qaldgen.rdf.terms import last_part

#: Counts that are written as words.
_NUMBERS: dict[float, str] = {
    1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight",
    9: "nine",
}  # fmt: skip
#: Properties of the published QaldGenData that mean a feature of ours under another name.
PUBLISHED = {
    "tps": "tpCount", "bgps": "bgpCount", "resultSize": "resultCount",
    "projectVars": "projectVarCount",
}  # fmt: skip


@functools.cache
def _phrases() -> dict[str, str]:
    """Return the phrases by ``name=value``; ``name=`` stands for a missing value."""
    rows = data_rows("features/data/values_in_words.tsv")
    return {value: phrase for value, phrase, *_ in rows}


def our_name(name: str) -> str:
    """Return our name of a feature that has another name in the published data."""
    return PUBLISHED.get(name, name)


def _feature_of(name: str) -> Feature:
    """Return a feature by name; any other column counts as metadata without a label or phrases."""
    feature = all_features().get(name)
    if feature is None:
        return Feature(name, kind="", source="M", definition="", value=lambda _: None, term="")
    return feature


def label_of(name: str) -> str:
    """Return the label of a feature, in plain words; any other column keeps its name.

    >>> label_of("tpCount"), label_of("isCount"), label_of("Hop Count")
    ('number of triple patterns', 'the query counts', 'Hop Count')
    """
    name = our_name(name)
    if name == "cluster":
        return "cluster of the benchmark"
    return _feature_of(name).label or name


def value_phrase(name: str, value: object) -> str:
    """Return a phrase for the questions for which a feature has this value.

    >>> [value_phrase("isCount", value) for value in (True, False)]
    ['the query counts', 'the query does not count']
    >>> value_phrase("whType", "yes-no")
    'asks yes or no'
    >>> value_phrase("topicCategory", "music")
    'topic: music'
    """
    name = our_name(name)
    feature = _feature_of(name)
    if value is True:
        return feature.yes or f"{label_of(name)}: yes"
    if value is False:
        return feature.no or f"{label_of(name)}: no"
    phrase = _phrases().get(f"{name}={value}")
    return phrase or f"{label_of(name)}: {last_part(str(value)) or value}"


def range_phrase(name: str, low: float, high: float, *, whole: bool) -> str:
    """Return a phrase for the questions for which a feature is in a range, which may be open.

    >>> inf = float("inf")
    >>> range_phrase("tpCount", 2, inf, whole=True)
    'two or more triple patterns'
    >>> range_phrase("length", -inf, 11, whole=True)
    'up to 11 words'
    >>> range_phrase("hopCount", 1, 1, whole=True), range_phrase("hopCount", 0, 0, whole=True)
    ('one hop', 'no named thing leads to the answer (no hops)')
    >>> range_phrase("stopwordRatio", 0.25, inf, whole=False)
    'share of stop words: 0.25 or more'
    """
    name = our_name(name)
    phrase = _phrases().get(f"{name}={low:g}")
    if low == high and phrase:  # a number that means more than a count, such as no hops
        return phrase

    feature = _feature_of(name)
    plural, singular = feature.yes, feature.no  # what a number counts, see `Feature`
    is_count = bool(plural) and whole

    words: dict[float, str] = {}
    if is_count:
        is_open = math.inf in {-low, high}
        words = {0: "0" if is_open else "no", **_NUMBERS}  # "up to 0 hops", but "no hops"

    low_text = words.get(low, f"{low:.10g}")
    high_text = words.get(high, f"{high:.10g}")
    if low == high:
        range_text = low_text
    elif high == math.inf:
        range_text = f"{low_text} or more"
    elif low == -math.inf:
        range_text = f"up to {high_text}" if whole else f"below {high_text}"
    elif whole:
        range_text = f"{low_text} to {high_text}"
    else:
        range_text = f"{low_text} to below {high_text}"

    if not is_count:
        return f"{label_of(name)}: {range_text}"
    if high == 1 and low in {1, -math.inf}:
        return f"{range_text} {singular}"
    return f"{range_text} {plural}"


def missing_phrase(name: str) -> str:
    """Return a phrase for the questions for which a feature has no value.

    >>> missing_phrase("hopCount"), missing_phrase("totalWordsClass1")
    ('number of hops not known', 'no class in the query')
    >>> missing_phrase("isCount")
    'not known: the query counts'
    """
    name = our_name(name)
    if has_missing_phrase(name):
        return _phrases()[f"{name}="]
    if _feature_of(name).kind == "boolean":  # its label is a statement, not a noun
        return f"not known: {label_of(name)}"
    return f"{label_of(name)} not known"


def has_missing_phrase(name: str) -> bool:
    """Return whether a feature has a phrase of its own for the questions without a value.

    >>> has_missing_phrase("totalWordsClass1"), has_missing_phrase("topicCategory")
    (True, False)
    """
    return f"{our_name(name)}=" in _phrases()


def is_searched(name: str) -> bool:
    """Return whether a column of a feature table is searched for weak spots by default.

    >>> [is_searched(name) for name in ("isCount", "repairKinds", "stopwordRatio", "mine")]
    [True, False, False, True]
    """
    return _feature_of(name).searched


def cost_of(name: str) -> int:
    """Return how costly it is to name a feature in an explanation, 1 (plain) to 5.

    1 the question and its answers, 2 what the query means, 3 how either is written, 4 what the data
    set says, 5 codes and means of counts. Of conditions that fit equally the cheapest is named.

    >>> [cost_of(name) for name in ("whType", "isCount", "hasUnion", "split", "entityIris")]
    [1, 2, 3, 4, 5]
    """
    feature = _feature_of(name)
    if feature.cost:
        return feature.cost
    if "S" in feature.source:
        return 3
    if "T" in feature.source or "A" in feature.source:
        return 1
    return 4


def quantity_of(name: str) -> str:
    """Return the quantity that a feature measures, which similar features share.

    >>> quantity_of("tpCount") == quantity_of("tripleCountAll"), quantity_of("isExplicitClass1")
    (True, 'class')
    >>> quantity_of("whType")
    'whType'
    """
    return _feature_of(name).quantity or name
