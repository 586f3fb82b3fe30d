"""The answers of one system to the questions of a set, each with its status."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from qaldgen.io.text import count, one_line
from qaldgen.io.web.access import hide_credentials
from qaldgen.model import Answers, Mention, Question, QuestionSet
from qaldgen.questions.choices import (
    are_choice_numbers,
    find_first_number,
    question_choices,
    shown_first_number,
)
from qaldgen.questions.columns import NOTHING_CHOSEN, ChosenFields
from qaldgen.questions.file_content import Content
from qaldgen.questions.values import Expected

if TYPE_CHECKING:
    import pandas as pd

#: The statuses of a question: `answered` has at least one answer, `empty` is a reply without any;
#: `failed` and `timeout` are errors, which are never taken for an empty answer; `not asked` is a
#: question that the run does not have.
STATUSES = ("answered", "empty", "failed", "timeout", "not asked")
#: The statuses of questions that the system replied to, which are not asked again.
DONE = frozenset(STATUSES[:2])
#: The ids that readers give to the second and each further question with the same id.
COPY = re.compile(r"(.+)#[0-9]+")
#: The rule of a remark on a run, for programs.
DUPLICATE_ID = "duplicate-id"
#: The type of questions in BioASQ with one gold answer, for which systems rank candidates.
RANKED = "factoid"


class CallDetails(NamedTuple):
    """How an answer was obtained."""

    raw: str = ""  # the original reply; a very long one is cut with a remark
    attempts: int = 0  # the number of requests; 0 if it is not known
    tokens_in: int | None = None  # as counted by the system
    tokens_out: int | None = None
    cost: float | None = None  # the cost, or its maximum; None if it is not known
    model: str = ""  # the model that answered, as it calls itself
    time: str = ""  # the time of the request, as ISO 8601 in UTC


#: The call of an answer from a file.
UNKNOWN = CallDetails()


@dataclasses.dataclass(frozen=True, slots=True)
class Response:
    """The response of a system to one question.

    Attributes
    ----------
    id : str
        The id of the question.
    status : str
        One of `STATUSES`.
    answers : Answers or None
        The answers; free text is one entry of `Answers.texts`. None for a failure.
    query : str
        The SPARQL query of the system; empty if it gave none.
    answer_type : str
        The answer type that the system names: resource, string, number, date, boolean, or empty.
    mentions : tuple of Mention
        Entities, relations and classes, for linkers.
    seconds : float or None
        The duration of the request.
    error : str
        The error message of the system or of the transport.
    call : CallDetails
        How the answer was obtained.
    verdicts : tuple of (str, float)
        Names and values of the scores that another evaluator gave this answer.
    confidence : float or None
        The confidence of the system in its answer; None if it is not known.
    """

    id: str
    status: str = "answered"
    answers: Answers | None = None
    query: str = ""
    answer_type: str = ""
    mentions: tuple[Mention, ...] = ()
    seconds: float | None = None
    error: str = ""
    call: CallDetails = UNKNOWN
    verdicts: tuple[tuple[str, float], ...] = ()
    confidence: float | None = None

    @property
    def given(self) -> Answers:
        """The answers; empty ones for a failure."""
        return self.answers or Answers()

    @property
    def logged_score(self) -> float | None:
        """The first verdict if it is from 0 to 1, else None; 0 for a failure."""
        if self.status not in DONE:
            return 0.0
        if not self.verdicts or not 0 <= self.verdicts[0][1] <= 1:
            return None
        return self.verdicts[0][1]

    def could_be_right(self, gold: Answers | None) -> bool:
        """Return whether there is an answer, or both the response and the gold are empty.

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
        By question id, in the order of the file. In a format without ids, the id is the number of
        the line, from 1.
    notes : tuple of str
        Notes of the reader for users, in whole sentences.
    sha256 : str
        Hash of the file.
    repeats : mapping of str to tuple of Response
        All responses to questions with several ones (samples, epochs), in the order of the file;
        the last one is also in `responses`.
    unnumbered : tuple of str
        The questions in `repeats` whose responses are neither numbered nor a list of samples.
    others : mapping of str to Run
        Runs on the same questions in other languages and wordings (``de``, ``en.2``) in the file.
    system : str
        The name of the system in the file; empty if it has none.
    gold : str
        The field of the file with gold answers; empty if it has none.
    differing : tuple of str
        The questions whose gold answers in the file differ from those with which it was read.

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
                "id": question_id,
                "status": response.status,
                "answers": response.given.values(),
                "query": response.query,
            }
            for question_id, response in self.responses.items()
        ]
        if not rows:
            return pd.DataFrame()
        return pd.DataFrame(rows).set_index("id")

    @property
    def marks(self) -> tuple[str, ...]:
        """Name and hash by which a sample refers to a run because of which it was chosen."""
        if not self.sha256:
            return (self.name,)
        return self.name, f"sha256:{self.sha256[:16]}"

    def responses_to(self, question: Question) -> list[Response]:
        """Return the responses to a question, at least one; failures have empty answers.

        Parameters
        ----------
        question
            The question. Several questions with the same id have the same responses.
        """
        question_id = question.id
        if question_id not in self.responses and (copy := COPY.fullmatch(question_id)):
            question_id = copy[1]
        responses = []
        for response in self.repeats.get(question_id) or (self.response(question_id),):
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
            The id of the question.

        Returns
        -------
        Response
            Its status is `not asked` if the run does not have it.
        """
        return self.responses.get(question) or Response(question, "not asked")


def status_of(answers: Answers) -> str:
    """Return the status of a response with some answers: `answered` or `empty`.

    >>> status_of(Answers()), status_of(Answers(boolean=False))
    ('empty', 'answered')
    """
    return "answered" if answers.values() else "empty"


def describe_unexpected_error(error: Exception) -> str:
    """Return one line on an unexpected error with one question, so that the run can continue.

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

    response: Response
    text: str = ""  # the text of the question in the file; empty if it has none
    repeat: str = ""  # the number of one of several answers in the file; else empty
    #: The language or wording, if it is not the wanted one: ``de``, ``en.2``.
    asked_as: str = ""


class ParsedRun(NamedTuple):
    """The result of a reader, which reports notes for users with `io.notes.note`."""

    responses: Sequence[ParsedResponse]  # the responses in the order of the file
    name: str = ""  # the name of the system, if the file has it
    gold: str = ""  # the field with gold answers, if the file has any
    #: The answers of each system by its name, if there are several; then there are no responses.
    systems: Mapping[str, Content] = {}


def several_systems(
    content: Content, records: Mapping[str, Sequence[Mapping[str, object]]]
) -> ParsedRun:
    """Return the answers of several systems, which are given as the records of each."""
    parts = {name: content.with_records(rows) for name, rows in records.items()}
    return ParsedRun([], systems=parts)


class RunOptions(NamedTuple):
    """How a run is read."""

    gold: QuestionSet | None  # the questions that were asked
    language: str  # the language of the answers to read, if the file has several
    filter: str = ""  # the filter of the answers to read, if the file is a log
    chosen_fields: ChosenFields = NOTHING_CHOSEN  # the fields that the user has chosen
    first_choice: int | None = None  # the number of the first choice, if answers are such numbers
    only_numbers: bool = False  # whether all answers are numbers of choices

    def with_choice_numbers(self, answers: Iterable[tuple[str, str, object]]) -> RunOptions:
        """Return options that say how a run numbers the choices of questions.

        `answers` has the answers of the run: the id and the text of the question, and the value.
        """
        if not any("choices" in question.metadata for question in self.gold or ()):
            return self
        pairs = []
        for question_id, text, value in answers:
            choices = self.expected(question_id, text).choices
            if choices is not None:
                pairs.append((value, choices))
        first = shown_first_number(pairs)
        if first is None:  # as in the gold, if its answers are numbers of choices
            first = find_first_number([pair for pair in pairs if pair[1].first is None])
        return self._replace(first_choice=first, only_numbers=are_choice_numbers(pairs))

    def expected(self, question_id: str, text: str = "", *, bars: bool = False) -> Expected:
        """Return what a question, by its id or text, says about its answers; see `Expected`."""
        if self.gold is None:
            return Expected(bars=bars)
        question = self.gold.by_id.get(question_id) or self.gold.by_text.get(text or question_id)
        if question is None:
            return Expected(bars=bars)
        answers = question.gold
        answer_type = question.answer_type
        # texts do not show their type
        if answers.boolean is not None or (answers.rows and not answer_type):
            answer_type = answers.type()
        choices = question_choices(question)
        if choices is not None:
            # a run may count from another number than the gold
            first = choices.first if self.first_choice is None else self.first_choice
            choices = choices._replace(first=first, only_numbers=self.only_numbers)
        several = len(answers.values()) > 1
        ranked = not several and question.metadata.get("type") == RANKED
        return Expected(
            answer_type,
            question.sparql,
            choices=choices,
            truth=answers.boolean is not None,
            several=several,
            ranked=ranked,
            separator=self.gold.split_answers,
            gold_texts=frozenset(chain.from_iterable(answers.texts)),
            bars=bars,
            names=question.names,
        )
