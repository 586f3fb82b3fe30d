"""The table of matchers: is this answer right, by whose rules."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

from qaldgen.errors import UsageError
from qaldgen.io.extensions import Table
from qaldgen.scoring.counts import Matcher
from qaldgen.scoring.gerbil.answers import SAME_AS, gerbil_matcher
from qaldgen.scoring.gerbil.edition_2023 import gerbil_2023_matcher
from qaldgen.scoring.logged import logged
from qaldgen.scoring.strict import strict_matcher
from qaldgen.scoring.subtasks import linking_matcher
from qaldgen.scoring.words.contains import contains
from qaldgen.scoring.words.extraction import make_extractor
from qaldgen.scoring.words.matching import exact_first, exact_match, token_f1
from qaldgen.scoring.words.wordings import Aliases


class Rules(NamedTuple):
    """What matchers may need to know.

    Attributes
    ----------
    same_as : str
        A key of `SAME_AS`: whether GERBIL's rules see through other IRIs of the same thing.
    language : str
        Of the answers in words.
    aliases : mapping or None
        Further wordings of gold answers.
    extract : str
        A key of `qaldgen.scoring.words.extraction.EXTRACTIONS`: how the answer is found in a reply in words.
    """

    same_as: str = "none"
    language: str = "en"
    aliases: Aliases | None = None
    extract: str = "auto"


class MatcherKind(NamedTuple):
    """How to make a matcher, and what it needs.

    Attributes
    ----------
    make : callable
        Makes it from the rules that the user chose.
    help : str
        What it does, in one line.
    words : bool
        Whether it compares answers in words.
    linking : bool
        Whether it compares what linkers found with the gold query, and needs no gold answers.
    gerbil : bool
        Whether questions are loaded as GERBIL loads them: without a text in the language they are dropped.
    logged : bool
        Whether it takes the verdict in the log of another evaluator, and needs no gold answers.
    """

    make: Callable[[Rules], Matcher]
    help: str
    words: bool = False
    linking: bool = False
    gerbil: bool = False
    logged: bool = False


def _text(function: Callable[..., object]) -> Callable[[Rules], Matcher]:
    def make(rules: Rules) -> Matcher:
        extract = make_extractor(rules.extract)
        return functools.partial(  # type: ignore[return-value]
            function, language=rules.language, aliases=rules.aliases, extract=extract
        )

    return make


_OURS = {
    "gerbil": MatcherKind(lambda rules: gerbil_matcher(rules.same_as), "GERBIL QA's rules since September 2024", gerbil=True),
    "gerbil-2023": MatcherKind(
        lambda rules: gerbil_2023_matcher(rules.same_as),
        "GERBIL QA's rules before, under which old numbers were published",
        gerbil=True,
    ),
    "strict": MatcherKind(lambda rules: strict_matcher(), "sets of RDF terms, literals by value; a perfect run is always 1"),
    "exact": MatcherKind(_text(exact_match), "an accepted wording after normalisation, as SQuAD's exact match", words=True),
    "token-f1": MatcherKind(_text(token_f1), "words in common with the best accepted wording, as SQuAD's F1", words=True),
    "exact-first": MatcherKind(_text(exact_first), "the first answer is an accepted wording", words=True),
    "contains": MatcherKind(_text(contains), "a gold answer occurs in the free text", words=True),
    "logged": MatcherKind(lambda rules: logged, "the score that the log has for the answer (see --filter)", logged=True),
    "entities": MatcherKind(
        lambda rules: linking_matcher("entity"), "entities that a linker found, against the gold query", linking=True
    ),
    "relations": MatcherKind(
        lambda rules: linking_matcher("relation"), "relations that a linker found, against the gold query", linking=True
    ),
    "classes": MatcherKind(
        lambda rules: linking_matcher("class"), "classes that a linker found, against the gold query", linking=True
    ),
}
#: Every matcher, by name; the default is the first. Other packages add some by the entry point group qaldgen.matchers.
MATCHERS = Table("matchers", MatcherKind, _OURS)


def make_matcher(name: str, rules: Rules) -> Matcher:
    """Return the matcher of that name.

    Raises
    ------
    UsageError
        If there is no such matcher, no such rule for the same thing, or no such way to find answers.
    """
    if name not in MATCHERS:
        raise UsageError(f"there is no matcher {name!r}; choose one of {', '.join(MATCHERS)}")
    if rules.same_as not in SAME_AS:
        raise UsageError(f"same-as is {rules.same_as!r}; choose one of {', '.join(SAME_AS)}")
    return MATCHERS[name].make(rules)
