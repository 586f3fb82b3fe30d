"""The answers of one system, question by question, each with its status."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

from qaldgen.io.web.address import hide_credentials
from qaldgen.io.web.one_line import one_line
from qaldgen.model import Answers, Mention

#: What can become of a question: `answered` has at least one answer, `empty` is an answer without
#: any; `failed` and `timeout` are errors, which are never taken for an empty answer; `not asked` is
#: a question that the run does not speak of.
STATUSES = ("answered", "empty", "failed", "timeout", "not asked")


class Call(NamedTuple):
    """How an answer came: what a journal keeps beside the answer itself.

    Attributes
    ----------
    raw : str
        The reply as it came; very long ones are cut, and say so.
    attempts : int
        How often the system was asked; 0 where nobody says.
    tokens_in, tokens_out : int or None
        As the system counts them.
    cost : float or None
        What it cost, or at most; None where nobody knows.
    model : str
        Which model answered, in its own words.
    time : str
        When it was asked, as ISO 8601 in UTC.
    """

    raw: str = ""
    attempts: int = 0
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    model: str = ""
    time: str = ""


#: What is known of an answer that nobody asked for.
UNKNOWN = Call()


@dataclasses.dataclass(frozen=True, slots=True)
class Response:
    """What a system gave for one question.

    Attributes
    ----------
    id : str
        The question.
    status : str
        One of `STATUSES`.
    answers : Answers or None
        What it answered; free text is one entry of `Answers.texts`. None if it failed.
    query : str
        The SPARQL query it made; empty if it says none.
    answer_type : str
        The answer type it names: resource, string, number, date, boolean, or empty.
    mentions : tuple of Mention
        Entities, relations and classes that it found, for linkers.
    seconds : float or None
        How long it took.
    error : str
        What went wrong, in the words of the system or the transport.
    call : Call
        How the answer came.
    verdicts : tuple of (str, float)
        The scores that another evaluator gave this answer, by their names.
    """

    id: str
    status: str = "answered"
    answers: Answers | None = None
    query: str = ""
    answer_type: str = ""
    mentions: tuple[Mention, ...] = ()
    seconds: float | None = None
    error: str = ""
    call: Call = UNKNOWN
    verdicts: tuple[tuple[str, float], ...] = ()


@dataclasses.dataclass(frozen=True)
class Run:
    """The answers of one system to the questions of a set.

    Attributes
    ----------
    name : str
        What to call the system.
    format : str
        The form it was read from.
    responses : mapping of str to Response
        By question id, in the order of the file. For a form without ids (PolEval) the id is the
        number of the line, from 1.
    notes : tuple of str
        What the reader noticed and a user should know, in whole sentences.
    sha256 : str
        Of the file.
    repeats : mapping of str to tuple of Response
        The questions with several answers (samples, epochs), all of them in the order of the file;
        the last one also stands in `responses`.
    """

    name: str
    format: str
    responses: Mapping[str, Response]
    notes: tuple[str, ...] = ()
    sha256: str = ""
    repeats: Mapping[str, tuple[Response, ...]] = dataclasses.field(default_factory=dict)

    def __repr__(self) -> str:
        """Return one line: what the system is called, and how many responses there are."""
        return f"<Run {self.name}: {len(self.responses):,} responses, {self.format}>"

    def response(self, question: str) -> Response:
        """Return what the system gave for a question.

        `not asked` where the run does not speak of it.
        """
        return self.responses.get(question) or Response(question, "not asked")


def status_of(answers: Answers) -> str:
    """Return `answered` or `empty`.

    Examples
    --------
    >>> status_of(Answers()), status_of(Answers(boolean=False))
    ('empty', 'answered')
    """
    return "answered" if answers.values() else "empty"


def unforeseen(error: Exception) -> str:
    """Say in one line what went wrong with one question where nobody foresaw it, so that the others go on.

    Examples
    --------
    >>> unforeseen(KeyError("head"))
    "it could not be processed (KeyError: 'head')"
    """
    if isinstance(error, MemoryError):
        return "the memory is full"
    return (
        f"it could not be processed ({type(error).__name__}:"
        f" {one_line(hide_credentials(str(error)[:2000]))})"
    )
