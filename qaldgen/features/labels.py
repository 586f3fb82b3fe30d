"""What people read: a label for each feature, and phrases that complete "questions: ...".

The words for a feature are in its row of the catalogue, those for its values in
``data/values_in_words.tsv``.
"""

from __future__ import annotations

import functools
from itertools import pairwise

from qaldgen.features.catalogue import all_features
from qaldgen.io.packages import data_rows
from qaldgen.rdf.terms import last_part

#: Counts below ten are written as words.
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
#: The labels of columns that are not features of questions.
_COLUMNS = {"cluster": "cluster of the benchmark", "your queries": "your queries"}
#: Properties of the published QaldGenData that mean a feature of ours under another name.
PUBLISHED = {
    "tps": "tpCount", "bgps": "bgpCount", "resultSize": "resultCount",
    "projectVars": "projectVarCount",
}  # fmt: skip


@functools.cache
def _phrases() -> dict[str, str]:
    """Return the phrases for values, by ``name=value``; ``name=`` is for the absence of one."""
    rows = data_rows("features/data/values_in_words.tsv")
    return {value: phrase for value, phrase, *_ in rows}


def our_name(name: str) -> str:
    """Return our name of a feature that has another name in the published data."""
    return PUBLISHED.get(name, name)


def label_of(name: str) -> str:
    """Return what people call a feature.

    >>> label_of("tpCount"), label_of("isCount"), label_of("myOwnFeature")
    ('number of triple patterns', 'the query counts', 'my own feature')
    """
    name = our_name(name)
    feature = all_features().get(name)
    if feature is not None and feature.label:
        return feature.label
    return _COLUMNS.get(name) or split_name(name)


def value_in_words(name: str, value: object) -> str:
    """Return the phrase for questions with a value of a feature.

    >>> [value_in_words("isCount", value) for value in (True, False)]
    ['the query counts', 'the query does not count']
    >>> value_in_words("whType", "yes-no")
    'asks yes or no'
    >>> value_in_words("topicCategory", "music")
    'topic: music'
    """
    name = our_name(name)
    if isinstance(value, bool):
        yes, no = _yes_and_no(name)
        if value:
            return yes or f"{label_of(name)}: yes"
        return no or f"{label_of(name)}: no"
    return (
        _phrases().get(f"{name}={value}") or f"{label_of(name)}: {last_part(str(value)) or value}"
    )


def range_in_words(name: str, low: float, high: float, *, whole: bool) -> str:
    """Return the phrase for questions whose number is within a range; infinity leaves a side open.

    >>> inf = float("inf")
    >>> range_in_words("tpCount", 2, inf, whole=True)
    'two or more triple patterns'
    >>> range_in_words("length", -inf, 11, whole=True)
    'up to 11 words'
    >>> range_in_words("hopCount", 1, 1, whole=True), range_in_words("hopCount", 0, 0, whole=True)
    ('one hop', 'no named thing leads to the answer (no hops)')
    >>> range_in_words("stopwordRatio", 0.25, inf, whole=False)
    'share of stop words: 0.25 or more'
    """
    name = our_name(name)
    phrase = _phrases().get(f"{name}={low:g}")
    if low == high and phrase:  # a number that means more than a count, such as no hops
        return phrase
    plural, singular = _yes_and_no(name)
    is_count = bool(plural) and whole
    first = f"{low:.10g}"
    last = f"{high:.10g}"
    if is_count and low in range(len(_NUMBERS)):
        first = _NUMBERS[int(low)]
    if is_count and high in range(len(_NUMBERS)):
        last = _NUMBERS[int(high)]
    if low == high:
        numbers = first
    elif high == float("inf"):
        numbers = f"{first} or more"
    elif low == -float("inf"):
        numbers = f"up to {last}" if whole else f"below {last}"
    elif whole:
        numbers = f"{first} to {last}"
    else:
        numbers = f"{first} to below {last}"
    if not is_count:
        return f"{label_of(name)}: {numbers}"
    if numbers.startswith(("up to no", "no or")):  # "up to 0 hops", "0 or more hops"
        numbers = numbers.replace("no", "0", 1)
    if high == 1 and low in {1, -float("inf")}:
        return f"{numbers} {singular}"
    return f"{numbers} {plural}"


def missing_in_words(name: str) -> str:
    """Return the phrase for questions without a value.

    >>> missing_in_words("hopCount"), missing_in_words("totalWordsClass1")
    ('number of hops not known', 'no class in the query')
    >>> missing_in_words("isCount")
    'not known: the query counts'
    """
    name = our_name(name)
    if is_missing_a_kind(name):
        return _phrases()[f"{name}="]
    feature = all_features().get(name)
    if feature is not None and feature.kind == "boolean":  # its label is a statement, not a noun
        return f"not known: {label_of(name)}"
    return f"{label_of(name)} not known"


def is_missing_a_kind(name: str) -> bool:
    """Return whether there are words for the questions without a value of a feature.

    >>> is_missing_a_kind("totalWordsClass1"), is_missing_a_kind("topicCategory")
    (True, False)
    """
    return f"{our_name(name)}=" in _phrases()


def is_searched(name: str) -> bool:
    """Return whether a column of a feature table is searched for weak spots unasked.

    >>> [is_searched(name) for name in ("isCount", "repairKinds", "stopwordRatio", "mine")]
    [True, False, False, True]
    """
    feature = all_features().get(name)
    return feature is None or feature.searched


def cost_of(name: str) -> int:
    """Return how far a feature is from what people say about a question, 1 to 5.

    1 the question and its answers, 2 what the query means, 3 how either is written, 4 what the data
    set says, 5 codes and means of counts. Of conditions that fit equally the cheapest is named.

    >>> [cost_of(name) for name in ("whType", "isCount", "hasUnion", "split", "entityIris")]
    [1, 2, 3, 4, 5]
    """
    feature = all_features().get(name)
    if feature is None:
        return 4
    if feature.cost:
        return feature.cost
    if "S" in feature.source:
        return 3
    if "T" in feature.source or "A" in feature.source:
        return 1
    return 4


def kin_of(name: str) -> str:
    """Return the quantity that a feature measures, shared by features that measure nearly one.

    >>> kin_of("tpCount") == kin_of("tripleCountAll"), kin_of("isExplicitClass1"), kin_of("whType")
    (True, 'class', 'whType')
    """
    feature = all_features().get(name)
    if feature is None or not feature.kin:
        return name
    return feature.kin


def split_name(name: str) -> str:
    """Take a name apart: ``hasLangFilter`` is ``has lang filter``."""
    words = name[:1]
    for before, char in pairwise(name):
        if char.isupper() and not before.isupper():
            char = f" {char.lower()}"
        words += char
    return words


def _yes_and_no(name: str) -> tuple[str, str]:
    feature = all_features().get(name)
    if feature is None:
        return "", ""
    return feature.yes, feature.no
