"""Languages with rules for their questions, and labels with the rule behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from qaldgen.features.text.letters import FeatureValue
from qaldgen.io.extensions import Table


class LabelWithRule(NamedTuple):
    """A label, and the rule that gives it."""

    label: str  # one of the codes of a feature
    rule: str  # what in the text decided, in a few words


def label_features(name: str, decision: LabelWithRule) -> dict[str, FeatureValue]:
    """Return a feature, and the feature that names the rule behind it."""
    return {name: decision.label, f"{name}Rule": decision.rule}


class Language(NamedTuple):
    """Rules for questions in a language, which writes common nouns in lower case.

    Attributes
    ----------
    features : callable
        Returns the features that the words of a question show: question word, category, and the
        classes of PolQA, each with the rule that decided.
    flags : mapping of str to str
        For each of `qaldgen.features.text.flags.NAMES` the words that set it, as a pattern.
    before_names : frozenset of str
        Words in lower case that may stand before the name in a gold answer.
    """

    features: Callable[[str], dict[str, FeatureValue]]
    flags: Mapping[str, str]
    before_names: frozenset[str]


#: The languages besides English that have rules, by tag; plug-ins add theirs.
LANGUAGES: Table[Language] = Table("languages", Language, {})
