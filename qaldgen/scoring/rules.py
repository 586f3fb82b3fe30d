"""The rules of judging: when an answer is right."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from qaldgen.answers.record import Response
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import UsageError
from qaldgen.io.text import count
from qaldgen.model import Question

if TYPE_CHECKING:
    from qaldgen.scoring.guesses import Prior
    from qaldgen.scoring.words.gold_names import Aliases

#: The name that chooses the matcher of each question by its gold answers and the answer.
AUTO = "auto"
#: The name of the matcher that takes the verdicts of a judge.
JUDGE = "judge"
#: The name of the matcher that takes the scores in a log.
LOGGED = "logged"
_NO_DECISION_BY_JUDGE = (
    "the verdicts of a judge do not decide who is better, because the judge errs; match by a rule,"
    " or label a sample by hand ('qaldgen label')"
)


@dataclasses.dataclass(frozen=True, eq=False)
class Verdicts:
    """The verdicts of a judge on answers.

    Attributes
    ----------
    judge : str
        The name of the judge in its journal.
    template_name : str
        The name of the template, with a hash of its text.
    template : str
        The template.
    key : callable
        Returns the key of an answer to a question; it differs for other answers, gold answers and
        templates.
    found : mapping of str to float
        By key: 1 for right, 0.5 for partly right, 0 for wrong. Keys at which the judge failed are
        missing.
    notes : tuple of str
        What a user should know.
    guessed : frozenset of str
        The keys of verdicts that are best guesses by rule, as the judge was not asked.
    """

    judge: str
    template_name: str
    template: str
    key: Callable[[Question, Response], str]
    found: Mapping[str, float]
    notes: tuple[str, ...] = ()
    guessed: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        """Return one line: who judged, and how many answers."""
        return f"<Verdicts of {self.judge} on {count(len(self.found), 'answer')}>"

    def of(self, question: Question, response: Response) -> float | None:
        """Return the verdict on an answer; None where there is none.

        Parameters
        ----------
        question
            The question, with its gold answers.
        response
            The answer.

        Returns
        -------
        float or None
            From 0 (wrong) to 1 (right).
        """
        return self.found.get(self.key(question, response))

    @property
    def method(self) -> str:
        """A sentence for reports: the judge and its template."""
        template = " ".join(self.template.split())
        return f"judged by {self.judge}, by the template {self.template_name}: {template}"


class Rules(NamedTuple):
    """When an answer is right: the choices of the user, and what matchers learn from a run.

    Attributes
    ----------
    match : str
        A key of `MATCHERS`, or ``auto``.
    same_as : str
        A key of `SAME_AS`: whether GERBIL's rules recognise other IRIs of the same thing.
    language : str
        Language of answers in words.
    aliases : mapping or None
        Further accepted names of gold answers.
    extract : str
        A key of `qaldgen.scoring.words.extraction.EXTRACTIONS`: how the answer is found in a reply
        in words.
    repeats_as : str or None
        How several answers to one question count; None for the mean of samples.
    verdicts : Verdicts or None
        The verdicts of a judge.
    prior : Prior or None
        How probable answers of the run are right before they are read, which is learnt from each
        run; None for the prior of the model of verdicts.
    labels : mapping or None
        Hand labels of answers in words of the run by question, 0 to 1: each is the verdict on its
        answer, and they teach the prior.
    own_languages : mapping of str to str
        By id the languages of questions that are not in `language`; see `scoring.own_languages`.
    """

    match: str = AUTO
    same_as: str = "none"
    language: str = LANGUAGE
    aliases: Aliases | None = None
    extract: str = "auto"
    repeats_as: str | None = None
    verdicts: Verdicts | None = None
    prior: Prior | None = None
    labels: Mapping[str, float] | None = None
    own_languages: Mapping[str, str] = MappingProxyType({})

    def language_of(self, question: Question) -> str:
        """Return the language in which answers in words to a question are read."""
        return self.own_languages.get(question.id, self.language)

    def by(self, match: str | Verdicts) -> Rules:
        """Return the rules with another matcher, or with the verdicts of a judge.

        >>> Rules(language="de").by("contains").unusual
        'language de'
        """
        if isinstance(match, Verdicts):
            return self._replace(match=JUDGE, verdicts=match)
        return self._replace(match=match, verdicts=None)

    @property
    def unusual(self) -> str:
        """The rules that differ from the defaults, in words; without the matcher.

        >>> Rules("contains", language="de", extract="raw").unusual
        'language de, extract raw'
        """
        defaults = Rules()
        lines = list[str]()
        for field in ("same_as", "language", "extract"):
            if getattr(self, field) != getattr(defaults, field):
                lines.append(f"{field} {getattr(self, field)}")
        if self.aliases:
            text = json.dumps({key: sorted(self.aliases[key]) for key in sorted(self.aliases)})
            lines.append(f"aliases {sha256(text.encode()).hexdigest()[:16]}")
        return ", ".join(lines)


def refuse_judge(match: object) -> None:
    """Refuse the verdicts of a judge where they would decide who is better."""
    if match == JUDGE or isinstance(match, Verdicts):
        raise UsageError(_NO_DECISION_BY_JUDGE)
