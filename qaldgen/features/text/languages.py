"""Languages whose questions have rules of their own, and labels with the rule that gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from qaldgen.features.text.letters import FeatureValue
from qaldgen.io.extensions import Table


class LabelWithRule(NamedTuple):
    """A label, and the rule that gives it."""

    label: str  # A code of a feature
    rule: str  # what in the text decided, in a few words


def label_features(name: str, ruling: LabelWithRule) -> dict[str, FeatureValue]:
    """Return a feature and its twin, the rule that decided on it."""
    return {name: ruling.label, f"{name}Rule": ruling.rule}


class Language(NamedTuple):
    """Rules for questions in a language, which writes common nouns in lower case.

    Attributes
    ----------
    features : callable
        Returns the features of a question that its words tell: question word, category, and the
        classes of PolQA, each with the rule that decided.
    flags : mapping of str to str
        For each of `qaldgen.features.text.flags.NAMES` the words that set it, as a pattern.
    before_names : frozenset of str
        Words in lower case that may stand before the name in a gold answer.
    """

    features: Callable[[str], dict[str, FeatureValue]]
    flags: Mapping[str, str]
    before_names: frozenset[str]


#: Every such language, by its tag; plug-ins add theirs.
LANGUAGES: Table[Language] = Table("languages", Language, {})
