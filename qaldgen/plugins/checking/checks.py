"""The input of a check, its rules and findings."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias, TypeVar

from qaldgen.answers.record import Response, Run
from qaldgen.benchmark.editions import Changes
from qaldgen.io.text import truncate
from qaldgen.model import Answers, LeftOut, Question, QuestionSet

#: Levels from worst to least: it is wrong; results may mislead; good to know.
LEVELS = ("error", "warning", "note")
_T = TypeVar("_T")
#: The most characters of a value that messages show.
_MAX_CHARS = 60


class Hit(NamedTuple):
    """A violation of a rule."""

    question: str  # the id of the question; empty if it concerns the whole file
    what: str  # the problem, without the full stop


class Finding(NamedTuple):
    """A violation of a rule, as it is reported."""

    rule: str  # the name of the rule
    level: str  # one of `LEVELS`
    file: str  # the file as the user named it
    question: str  # the id of the question; empty if it concerns the whole file
    what: str  # the problem, without the full stop
    advice: str  # the reason and the remedy

    @property
    def message(self) -> str:
        """Question, problem and advice, in one line."""
        text = f"{self.what}. {sentence(self.advice)}"
        if not self.question:
            return text
        return f"question {self.question}: {text}"


@dataclasses.dataclass(frozen=True)
class Case:
    """A file that was read, and the data to compare it with."""

    path: str  # the file
    questions: QuestionSet | None = None  # its questions; None for a run
    run: Run | None = None  # the answers of a system; None for questions
    gold: QuestionSet | None = None  # the questions that the run answers, if they are known
    #: The result of the query of each question by its id; empty without a knowledge graph.
    executed: Mapping[str, Response] = dataclasses.field(default_factory=dict)
    changes: Changes | None = None  # the changes of the gold in another edition or in the graph

    @property
    def members(self) -> tuple[Question, ...]:
        """The questions of a question set; none for a run."""
        if not self.questions:
            return ()
        return self.questions.questions

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """The records of a question set that were left out; none for a run."""
        if not self.questions:
            return ()
        return self.questions.left_out

    @property
    def responses(self) -> Collection[Response]:
        """The answers of a run; none for a question set."""
        if not self.run:
            return ()
        return self.run.responses.values()

    @property
    def format(self) -> str:
        """The format of the file."""
        source = self.run if self.questions is None else self.questions
        if source is not None:
            return source.format
        return ""

    @property
    def kind(self) -> str:
        """The kind of file: ``questions``, ``run`` or ``rdf``; empty if it could not be read."""
        if self.questions is None:
            return "run" if self.run else ""
        if self.format == "rdf":
            return "rdf"
        return "questions"

    def answers(self) -> Iterator[tuple[str, Answers]]:
        """Yield id and answers of every question or response with answers."""
        items: tuple[Question | Response, ...] = (*self.members, *self.responses)
        yield from ((item.id, item.answers) for item in items if item.answers is not None)

    def queries(self) -> Iterator[tuple[str, str]]:
        """Yield id and text of every query."""
        for member in self.members:
            yield from ((member.id, query) for query in member.queries.values())
        yield from ((response.id, response.query) for response in self.responses if response.query)

    def texts(self) -> Iterator[tuple[str, str, str]]:
        """Yield id, language and text of every text."""
        for member in self.members:
            for language, texts in member.texts.items():
                yield from ((member.id, language, text) for text in texts)


#: Yields the violations of a rule in a case.
Find: TypeAlias = Callable[[Case], Iterator[Hit]]


class Rule(NamedTuple):
    """A rule of the lint."""

    level: str  # one of `LEVELS`
    #: The kind of file that it applies to: ``questions``, ``run``, ``both``, or ``file``
    #: for problems that show while a file is read.
    applies_to: str
    help: str  # what the rule finds, in one line
    advice: str  # the reason and the remedy
    find: Find


def _rule_about(parts: Callable[[Case], Iterable[tuple[str, _T]]]) -> Callable[..., Find]:
    """Return a decorator for rules about parts of a case.

    The decorated function takes a part, and returns its problem or an empty text.
    """

    def rule(find_problem: Callable[[_T], str]) -> Find:
        @functools.wraps(find_problem)
        def find(case: Case) -> Iterator[Hit]:
            for name, part in parts(case):
                problem = find_problem(part)
                if problem:
                    yield Hit(name, problem)

        return find

    return rule


each_question = _rule_about(lambda case: [(member.id, member) for member in case.members])
each_response = _rule_about(lambda case: [(response.id, response) for response in case.responses])
each_answers = _rule_about(Case.answers)
each_query = _rule_about(Case.queries)


def sentence(text: str) -> str:
    """Return a text with a full stop, unless it is a question."""
    if text.endswith("?"):
        return text
    return text + "."


def quoted(value: str) -> str:
    """Return a value in quotes, shortened for messages."""
    return repr(truncate(value, _MAX_CHARS))
