"""The table of matchers: by which rules an answer is right, and which ones fit the data."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from qaldgen.errors import UsageError
from qaldgen.io.arguments import one_of
from qaldgen.io.extensions import Table
from qaldgen.io.text import count
from qaldgen.model import Answers, Question
from qaldgen.runs.record import Response, Run
from qaldgen.scoring.count_table import responses_to
from qaldgen.scoring.counts import Matcher
from qaldgen.scoring.gerbil.answers import SAME_AS, gerbil_2023_matcher, gerbil_matcher
from qaldgen.scoring.guesses import SURE
from qaldgen.scoring.strict import mintaka_match, strict_matcher
from qaldgen.scoring.verdicts import (
    JUDGE,
    LOGGED,
    Verdicts,
    count_logged,
    judge_matcher,
    not_asked,
    remarks_on_log,
)
from qaldgen.scoring.words.contains import contains
from qaldgen.scoring.words.extraction import make_extractor
from qaldgen.scoring.words.gold_names import Aliases
from qaldgen.scoring.words.guess_signs import SIGNS, Sureness, sureness
from qaldgen.scoring.words.short_answers import exact_match, token_f1
from qaldgen.scoring.words.tokens import readings

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.scoring.count_table import CountedRun
    from qaldgen.scoring.gold import Gold

#: The name that leaves the choice to `resolve`, and what it becomes.
AUTO = "auto"
TERMS, WORDS = "gerbil", "contains"
AUTO_HELP = f"{WORDS} if the answers are in words, {TERMS} if they are terms of a knowledge graph"


#: A smaller share of answers of the other kind does not make a run one of both kinds.
_SOME = 0.02


class Resolved(NamedTuple):
    """The matcher that was chosen; for answers of both kinds the other one, and a note."""

    match: str
    other: str = ""
    note: str = ""


def resolve(gold: Gold, runs: Sequence[Run] = ()) -> Resolved:
    """Choose the matcher for all runs of a call, by what they answer; without answers by the gold.

    >>> from qaldgen.model import Question, QuestionSet
    >>> from qaldgen.runs.record import Response
    >>> from qaldgen.scoring.gold import Gold
    >>> gold = Gold(QuestionSet("set", "table", (Question("1", {"en": ("Who?",)}),)))
    >>> given = [Answers(texts=(("Ada",),)), Answers(boolean=True)]
    >>> [resolve(gold, [Run("a", "x", {"1": Response("1", answers=one)})]).match for one in given]
    ['contains', 'gerbil']
    """
    said = [
        response.answers
        for run in runs
        for responses in (*run.repeats.values(), run.responses.values())
        for response in responses
        if response.status == "answered"
    ]
    words, terms = _kinds(said)
    asked_words, asked_terms = _kinds(question.answers for question in gold.questions.questions)
    if not words and not terms:
        texts = any(one.answers and one.answers.texts for one in gold.questions.questions)
        return Resolved(WORDS if texts and asked_words >= asked_terms else TERMS)
    # Terms cannot be compared with gold answers in words by GERBIL's rules.
    if not words:
        return Resolved(WORDS if asked_words and not asked_terms else TERMS)
    in_words = words >= terms or asked_words > asked_terms
    match, other = (WORDS, TERMS) if in_words else (TERMS, WORDS)
    if min(words, terms) < _SOME * (words + terms):
        return Resolved(match)
    note = (
        f"{count(words, 'answer')} in words, {terms:,} with terms of a knowledge graph: matched"
        f" by {match}; --match {other} takes the rules for the others"
    )
    return Resolved(match, other, note)


def _kinds(answers: Iterable[Answers | None]) -> tuple[int, int]:
    """Return how many answers are in words, and how many are terms.

    Truth values and bare numbers are neither: a number is a text in CSV and a term in JSON.
    """
    told = [one for one in answers if one and one.boolean is None]
    given = [one for one in told if not all(map(readings, one.values()))]
    words = sum(bool(one.texts) and not one.rows for one in given)
    return words, len(given) - words


class Rules(NamedTuple):
    """What matchers may need to know.

    Attributes
    ----------
    same_as : str
        A key of `SAME_AS`: whether GERBIL's rules recognise other IRIs of the same thing.
    language : str
        Language of answers in words.
    aliases : mapping or None
        Further accepted names of gold answers.
    extract : str
        A key of `qaldgen.scoring.words.extraction.EXTRACTIONS`: how the answer is found in a reply
        in words.
    verdicts : Verdicts or None
        What a judge says of the answers.
    """

    same_as: str = "none"
    language: str = "en"
    aliases: Aliases | None = None
    extract: str = "auto"
    verdicts: Verdicts | None = None


#: Takes the questions, the run, its counts and the rules; returns columns in the order of the
#: counts.
Beside: TypeAlias = (
    "Callable[[Sequence[Question], Run, pd.DataFrame, Rules], Mapping[str, Sequence[float]]]"
)


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
    gold : callable or None
        Takes the questions and returns those that it can score, with notes on the others; None if
        it needs gold answers.
    answers : bool
        Whether it compares answers to the questions, which have outcomes and may be in words.
    watches : callable or None
        Says of a response whether this matcher scores it while the system is still being asked; of
        none that says so, the first matcher does.
    gerbil : bool
        Whether questions are loaded as GERBIL loads them: without a text in the language they are
        dropped.
    extract : str
        What ``auto`` means: how the answer is found in a reply if the user does not say.
    beside : callable or None
        Returns further columns of the counts, for measures to be shown with the matcher's own.
    explain : callable or None
        Explains to people why a response is right or wrong.
    remarks : callable or None
        Returns what a user should know of a run and its judged answers, in place of notes on how
        answers were read.
    judged : bool
        Whether it takes the verdicts of a judge, which are a proxy for what is right.
    """

    make: Callable[[Rules], Matcher]
    help: str
    words: bool = False
    gold: Callable[[Sequence[Question]], tuple[Sequence[Question], list[str]]] | None = None
    answers: bool = True
    watches: Callable[[Response], bool] | None = None
    gerbil: bool = False
    extract: str = "auto"
    beside: Beside | None = None
    explain: Callable[[Question, Response, Rules], str] | None = None
    remarks: Callable[[Run, CountedRun], list[str]] | None = None
    judged: bool = False


def _text(function: Callable[..., object]) -> Callable[[Rules], Matcher]:
    def make(rules: Rules) -> Matcher:
        extract = make_extractor(rules.extract)
        return functools.partial(  # type: ignore[return-value]
            function, language=rules.language, aliases=rules.aliases, extract=extract
        )

    return make


def _sureness(rules: Rules) -> Callable[[Question, Response], Sureness]:
    """Return the function that says how sure a verdict of `contains` is."""
    return functools.partial(
        sureness,
        language=rules.language,
        aliases=rules.aliases,
        extract=make_extractor(rules.extract),
    )


def _doubts(question: Question, response: Response, rules: Rules) -> str:
    """Say why the verdict on an answer is a guess; nothing if it is sure."""
    sign = _sureness(rules)(question, response).sign
    return f"a guess: {SIGNS[sign]}" if sign else ""


def _sure(
    questions: Sequence[Question], run: Run, counts: pd.DataFrame, rules: Rules
) -> Mapping[str, Sequence[float]]:
    """Return the probability that the verdict on each question is right; the mean of several."""
    how, asked = _sureness(rules), {question.id: question for question in questions}
    return {
        SURE: [
            fmean(how(asked[name], one).probability for one in responses_to(asked[name], run))
            for name in map(str, counts.index)
        ]
    }


_OURS = {
    "gerbil": MatcherKind(
        lambda rules: gerbil_matcher(rules.same_as),
        "GERBIL QA's rules since September 2024",
        gerbil=True,
    ),
    "gerbil-2023": MatcherKind(
        lambda rules: gerbil_2023_matcher(rules.same_as),
        "GERBIL QA's rules before that, for comparison with older published scores",
        gerbil=True,
    ),
    "strict": MatcherKind(
        lambda rules: strict_matcher(),
        "sets of RDF terms, literals by value; a perfect run is always 1",
    ),
    "mintaka": MatcherKind(
        lambda rules: mintaka_match,
        "any given answer is a gold answer, as in Mintaka's script; its Hits@1 is our accuracy",
    ),
    "exact": MatcherKind(
        _text(exact_match),
        "an accepted variant after normalisation, as SQuAD's exact match",
        words=True,
    ),
    "token-f1": MatcherKind(
        _text(token_f1), "words in common with the best accepted variant, as SQuAD's F1", words=True
    ),
    "contains": MatcherKind(
        _text(contains),
        "a gold answer occurs in the free text; says which verdicts are guesses",
        words=True,
        beside=_sure,
        explain=_doubts,
        # GERBIL's rules would count nearly every answer in words as wrong
        watches=lambda response: response.answers is not None and bool(response.answers.texts),
    ),
    LOGGED: MatcherKind(
        lambda rules: count_logged,
        "the score that the log has for the answer (see --filter)",
        gold=lambda questions: (questions, []),
        remarks=remarks_on_log,
    ),
    JUDGE: MatcherKind(
        lambda rules: judge_matcher(rules.verdicts),
        "the verdict of a system that you name (--judge): a proxy, which --labels corrects",
        explain=lambda question, response, rules: not_asked(rules.verdicts, question, response),
        judged=True,
    ),
}
#: Every matcher, by name; `resolving` has the default. Other packages can add some by the entry
#: point group qaldgen.matchers.
MATCHERS = Table("matchers", MatcherKind, _OURS)


def make_matcher(name: str, rules: Rules) -> Matcher:
    """Return the matcher of that name."""
    if name not in MATCHERS:
        raise UsageError(f"there is no matcher {name!r}; {one_of(name, MATCHERS)}")
    if rules.same_as not in SAME_AS:
        raise UsageError(f"same-as is {rules.same_as!r}; {one_of(rules.same_as, SAME_AS)}")
    return MATCHERS[name].make(rules)


def rules_in_words(name: str, rules: Rules) -> str:
    """Return the rules of a matcher that are not the usual ones.

    >>> rules_in_words("gerbil", Rules(extract=extraction_of("gerbil", "auto")))
    ''
    >>> rules_in_words("contains", Rules(language="de", extract="last-line"))
    'language de, extract last-line'
    """
    usual = Rules(extract=extraction_of(name, "auto"))
    lines = []
    for field in ("same_as", "language", "extract"):
        if getattr(rules, field) != getattr(usual, field):
            lines.append(f"{field} {getattr(rules, field)}")
    if rules.aliases:
        text = json.dumps({key: sorted(rules.aliases[key]) for key in sorted(rules.aliases)})
        lines.append(f"aliases {sha256(text.encode()).hexdigest()[:16]}")
    return ", ".join(lines)


def extraction_of(name: str, extract: str) -> str:
    """Return how answers are found in replies: by the user's choice, or as suits the matcher."""
    kind = MATCHERS.get(name)
    return kind.extract if kind is not None and extract == "auto" else extract


def all_matchers() -> dict[str, str | MatcherKind]:
    """Return what ``match`` takes by name: the choice by the data, and the matchers."""
    return {AUTO: AUTO_HELP, **MATCHERS}


@dataclasses.dataclass(frozen=True)
class Scoring:
    """When an answer is right.

    Attributes
    ----------
    match : str or Verdicts
        A key of `qaldgen.scoring.matchers.MATCHERS`, what `judge` returned, or ``auto``.
    same_as : str
        ``none`` or ``offline``: whether GERBIL's rules see through other IRIs of the same thing.
    language : str
        The language of the experiment.
    aliases : mapping, file or None
        Aliases of gold answers, for text answers.
    labels : str
        Where gold answers that are IRIs get their names.
    extract : str
        How to find the answer in a free-text reply.
    repeats_as : str or None
        How several answers to one question count; None for the mean of samples.
    """

    match: str | Verdicts | Resolved = AUTO
    same_as: str = "none"
    language: str = "en"
    aliases: Mapping[str, Sequence[str]] | str | Path | None = None
    labels: str = ""
    extract: str = "auto"
    repeats_as: str | None = None

    @property
    def matcher(self) -> str:
        """The name of the matcher."""
        if isinstance(self.match, str):
            return self.match
        return self.match.match if isinstance(self.match, Resolved) else JUDGE
