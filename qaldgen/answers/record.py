"""The answers of one system, question by question, each with its status."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from qaldgen.io.text import count, one_line
from qaldgen.io.web.access import hide_credentials
from qaldgen.model import Answers, Mention, Question, QuestionSet
from qaldgen.questions.choices import question_choices
from qaldgen.questions.columns import NOTHING_CHOSEN, ChosenFields
from qaldgen.questions.values import NOTHING_KNOWN, Expected

if TYPE_CHECKING:
    import pandas as pd

#: The statuses of a question: `answered` has at least one answer, `empty` is a reply without any;
#: `failed` and `timeout` are errors, which are never taken for an empty answer; `not asked` is a
#: question that the run does not have.
STATUSES = ("answered", "empty", "failed", "timeout", "not asked")
#: Those of questions that the system replied to: they are not asked again.
DONE = frozenset(STATUSES[:2])
#: The ids that readers give to the second and each further question with the same id.
COPY = re.compile(r"(.+)#[0-9]+")
#: The rule of a remark on a run, for programs.
DUPLICATE_ID = "duplicate-id"
#: The type of questions in BioASQ with one gold answer, to which a list has candidates, the best
#: first.
RANKED = "factoid"


class Call(NamedTuple):
    """How an answer came: what a journal keeps besides the answer itself."""

    raw: str = ""  # the reply as it came; very long ones are cut, and say so
    attempts: int = 0  # how often the system was asked; 0 if not known
    #: As the system counts them.
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None  # what it cost, or at most; None if not known
    model: str = ""  # which model answered, in its own words
    time: str = ""  # when it was asked, as ISO 8601 in UTC


#: For an answer from a file, of which nothing is known.
UNKNOWN = Call()


@dataclasses.dataclass(frozen=True, slots=True)
class Response:
    """The response of a system to one question.

    Attributes
    ----------
    id : str
        The question.
    status : str
        One of `STATUSES`.
    answers : Answers or None
        The answers; free text is one entry of `Answers.texts`. None if it failed.
    query : str
        The SPARQL query of the system; empty if it gave none.
    answer_type : str
        The answer type that the system names: resource, string, number, date, boolean, or empty.
    mentions : tuple of Mention
        Entities, relations and classes, for linkers.
    seconds : float or None
        How long it took.
    error : str
        What went wrong, in the words of the system or the transport.
    call : Call
        How the answer came.
    verdicts : tuple of (str, float)
        The scores that another evaluator gave this answer, by their names.
    confidence : float or None
        How sure the system is of its answer, more for surer; None if it does not say.
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
    confidence: float | None = None

    @property
    def logged_score(self) -> float | None:
        """The first score in the log, 0 for an answer that never came; None without a share."""
        if self.status not in DONE:
            return 0.0
        if not self.verdicts or not 0 <= self.verdicts[0][1] <= 1:
            return None
        return self.verdicts[0][1]

    def could_be_right(self, gold: Answers | None) -> bool:
        """Return whether there is an answer, or the right answer is that there is none.

        Parameters
        ----------
        gold
            The gold answers.
        """
        if self.status == "answered":
            return True
        return self.status == "empty" and gold is not None and not gold.values()


@dataclasses.dataclass(frozen=True)
class Run:
    """The answers of one system to the questions of a set.

    Attributes
    ----------
    name : str
        The name of the system.
    format : str
        The format it was read from.
    responses : mapping of str to Response
        By question id, in the order of the file. In a format without ids the id is the
        number of the line, from 1.
    notes : tuple of str
        What the reader noticed and a user should know, in whole sentences.
    sha256 : str
        Hash of the file.
    repeats : mapping of str to tuple of Response
        The questions with several answers (samples, epochs), all of them in the order of the file;
        the last one is also in `responses`.
    unnumbered : tuple of str
        Those of them whose answers the file neither numbers nor lists as samples.
    others : mapping of str to Run
        What the file has for the same questions in other languages and wordings: ``de``, ``en.2``.
    system : str
        The name that the file itself gives to the system; empty if it gives none.
    gold : str
        The field with the gold that the file carries beside the answers; empty if it has none.
    differing : tuple of str
        The questions whose gold there is not that of the questions with which it was read.

    Examples
    --------
    >>> import qaldgen as qg
    >>> qg.read_run({"1": "Ulm", "2": ""}, name="mine").response("2").status
    'empty'
    """

    name: str
    format: str
    responses: Mapping[str, Response] = dataclasses.field(hash=False)
    notes: tuple[str, ...] = ()
    sha256: str = ""
    repeats: Mapping[str, tuple[Response, ...]] = dataclasses.field(
        default_factory=dict, hash=False
    )
    unnumbered: tuple[str, ...] = ()
    others: Mapping[str, Run] = dataclasses.field(default_factory=dict, repr=False, hash=False)
    system: str = ""
    gold: str = ""
    differing: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return one line: the name of the system, and how many responses there are."""
        return f"<Run {self.name}: {count(len(self.responses), 'response')}, {self.format}>"

    def to_frame(self) -> pd.DataFrame:
        """Return a table with status, answers and query of each response, by the question's id."""
        import pandas as pd

        rows = [
            {
                "id": name,
                "status": one.status,
                "answers": (one.answers or Answers()).values(),
                "query": one.query,
            }
            for name, one in self.responses.items()
        ]
        if not rows:
            return pd.DataFrame()
        return pd.DataFrame(rows).set_index("id")

    @property
    def marks(self) -> tuple[str, ...]:
        """What a sample that was chosen because of this run says of it: its name and its file."""
        if not self.sha256:
            return (self.name,)
        return self.name, f"sha256:{self.sha256[:16]}"

    def responses_to(self, question: Question) -> list[Response]:
        """Return the responses to a question, at least one; what never came answers nothing.

        Parameters
        ----------
        question
            The question; of several with the same id, each has the same responses.
        """
        name = question.id
        if name not in self.responses and (copy := COPY.fullmatch(name)):
            name = copy[1]
        responses = []
        for response in self.repeats.get(name) or (self.response(name),):
            if response.status not in DONE:
                response = dataclasses.replace(
                    response, answers=Answers(), query="", answer_type="", mentions=()
                )
            responses.append(response)
        return responses

    def response(self, question: str) -> Response:
        """Return the response to a question.

        Parameters
        ----------
        question
            Its id.

        Returns
        -------
        Response
            `not asked` if the run does not have it.
        """
        return self.responses.get(question) or Response(question, "not asked")


def status_of(answers: Answers) -> str:
    """Return `answered` or `empty`.

    >>> status_of(Answers()), status_of(Answers(boolean=False))
    ('empty', 'answered')
    """
    return "answered" if answers.values() else "empty"


def describe_unexpected_error(error: Exception) -> str:
    """Say in one line which unexpected error happened with one question, so that the run can go on.

    >>> describe_unexpected_error(KeyError("head"))
    "it could not be processed (KeyError: 'head')"
    """
    if isinstance(error, MemoryError):
        return "the memory is full"
    return (
        f"it could not be processed ({type(error).__name__}:"
        f" {one_line(hide_credentials(str(error)[:2000]))})"
    )


class ParsedResponse(NamedTuple):
    """One response of a file."""

    response: Response  # the response
    text: str = ""  # the question's text as the file repeats it; empty if it does not
    repeat: str = ""  # which try it is; empty if the file does not say
    #: The language or wording, if it is another one than that wanted: ``de``, ``en.2``.
    asked_as: str = ""


class ParsedRun(NamedTuple):
    """The result of a reader; what a user should know it tells `io.notes.note`."""

    responses: Sequence[ParsedResponse]  # the responses in the order of the file
    name: str = ""  # the name of the system, if the file has it
    gold: str = ""  # the field with the gold answers, if the file carries them


class RunOptions(NamedTuple):
    """What the caller specifies."""

    gold: QuestionSet | None  # the questions that were asked
    language: str  # which answers to take if the file has several languages
    filter: str = ""  # which answers to take of a log
    chosen_fields: ChosenFields = NOTHING_CHOSEN  # which fields hold what, as the user says
    first_choice: int | None = None  # where its answers that are places of choices count from
    only_numbers: bool = False  # whether all its answers are places of choices

    def expected(self, name: str, text: str = "") -> Expected:
        """Return what a question says about its answers, by its id or text."""
        if self.gold is None:
            return NOTHING_KNOWN
        question = self.gold.by_id.get(name) or self.gold.by_text.get(text or name)
        if question is None:
            return NOTHING_KNOWN
        answers = question.answers or Answers()
        truth = answers.boolean is not None
        kind = question.answer_type
        if truth or (answers.rows and not kind):  # texts have no type of their own
            kind = answers.type()
        choices = question_choices(question)
        if choices is not None:
            # without a number of the first one the gold is no place
            first = self.first_choice if choices.first is None else choices.first
            choices = choices._replace(first=first, only_numbers=self.only_numbers)
        several = len(answers.values()) > 1
        ranked = not several and question.metadata.get("type") == RANKED
        return Expected(
            kind,
            question.sparql,
            choices=choices,
            truth=truth,
            several=several,
            ranked=ranked,
            separator=self.gold.split_answers,
        )
