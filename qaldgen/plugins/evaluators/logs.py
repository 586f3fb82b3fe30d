"""The shared parts of the readers of other evaluators' logs."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

from qaldgen.answers.reading import RunReader
from qaldgen.answers.record import ParsedResponse, ParsedRun, Response, RunOptions, status_of
from qaldgen.errors import UsageError
from qaldgen.io.arguments import one_of
from qaldgen.io.json_text import from_json
from qaldgen.io.notes import collecting, note
from qaldgen.model import Answers
from qaldgen.questions.choices import match_choices
from qaldgen.questions.collecting import ReadOptions, ReadSet, unique_id
from qaldgen.questions.conversations import ASKING, conversation, last_said
from qaldgen.questions.fields import ROLE_NAMES, normalize_name
from qaldgen.questions.file_content import Content
from qaldgen.questions.generic_records import read_plain
from qaldgen.questions.reading import Reader
from qaldgen.questions.records import scalar_text
from qaldgen.questions.values import Choices
from qaldgen.questions.written_lists import parse_list

#: A reply that only names a choice: a letter or number, in brackets or after "ANSWER:".
_LABEL = re.compile(r"(?:answer\s*:\s*)?\(?([A-Za-z]|\d{1,2})\)?[.:]?", re.IGNORECASE)
#: The last line that inspect_ai asks models for.
_LAST_LINE = re.compile(
    r"^[^\w\n]*answer\s{0,9}:\s{0,9}([A-Za-z](?:[ \t]*,[ \t]*[A-Za-z])*)[^\w\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
#: The field of our own tasks with all answers to a question, each with its accepted names.
ALL_ANSWERS = "answer_wordings"
_INTERPRETED = (
    "id", "question", "maybe question", "wordings", "gold", "answer", "variants", "choices",
    "choice", "maybe sparql", "impossible", "answerable",
)  # fmt: skip
#: Fields that readers would interpret; all others are kept as metadata.
_RESERVED = set(chain.from_iterable(ROLE_NAMES[role] for role in _INTERPRETED)) - {"sparql"}
#: If the last paragraph of a prompt has at most this many characters, the whole prompt is taken as
#: the question.
_MIN_CHARS = 10
#: Characters at the end of a prompt that are searched for "Answer:". On a whole prompt, often
#: full of white space, the regular expression would take quadratic time.
_TAIL_CHARS = 40
_PROMPT_START = re.compile(r"^(?:question|q)\s*:\s*", re.IGNORECASE)
_PROMPT_END = re.compile(r"\s*(?:short\s+)?(?:answer|a)\s*:\s*$", re.IGNORECASE)
#: The letters of inspect_ai for correct, partial, incorrect, and no answer.
_SCORE_OF_LETTER = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
#: The depth up to which lists are searched for texts.
_MAX_DEPTH = 8


class Sample(NamedTuple):
    """One answer in a log."""

    id: str  # the id of the question
    #: The question as a record of our own format: id, question, answers, choices, and metadata.
    question: Mapping[str, object]
    reply: str = ""  # the answer
    repeat: str = ""  # the label of one of several answers to the question; else empty
    status: str = ""  # ``failed`` or ``timeout``; empty if there is a reply
    error: str = ""  # the reason for a failure
    seconds: float | None = None  # the time that it took
    #: The log's scores of this answer, usually from 0 to 1.
    verdicts: tuple[tuple[str, float], ...] = ()
    confidence: float | None = None  # the confidence of the model, by its log-likelihoods


class Log(NamedTuple):
    """The answers in a log, in the order in which the questions were asked, and notes."""

    samples: Sequence[Sample]
    notes: Sequence[str] = ()
    model: str = ""  # the name of the run, instead of that of the file


#: Reads the log in a file; the second argument names the filter or scorer whose answers are wanted,
#: empty for the default ones.
ReadLog: TypeAlias = Callable[[Content, str], Log]
#: The name of the filter that leaves replies unchanged.
RAW = "raw"


def check_filter(name: str, available: Iterable[str], role: str, content: Content) -> None:
    """Refuse a filter or score that a log does not have."""
    names = list(dict.fromkeys(available))
    names.append(RAW)
    if name and name not in names:
        raise UsageError(f"has no {role} {name!r}; {one_of(name, names)}", where=content.path)


def flat_strings(value: object, depth: int = 0) -> Iterator[str]:
    """Yield the texts and numbers in a value or in nested lists, as text.

    >>> list(flat_strings([["a", ["b"]], None, 3]))
    ['a', 'b', '3']
    """
    if isinstance(value, list):
        if depth < _MAX_DEPTH:
            for item in value:
                yield from flat_strings(item, depth + 1)
    elif value is not None and not isinstance(value, dict):
        yield scalar_text(value)


def gold_texts(value: object) -> list[str]:
    """Return the accepted answers in a target: a scalar, a list, or a list written as text.

    >>> gold_texts("['Danube', 'Sava']"), gold_texts(3), gold_texts(None)
    (['Danube', 'Sava'], ['3'], [])
    """
    if isinstance(value, str):
        items = parse_list(value)
        if items is not None:
            value = items
    return list(dict.fromkeys(text for text in map(str.strip, flat_strings(value)) if text))


def choice_text(reply: str, choices: Choices) -> str:
    """Return the text of the choice that a reply names by its letter or label.

    >>> choice_text("(B)", Choices(("tea", "coffee")))
    'coffee'
    >>> choice_text("I think tea.", Choices(("tea", "coffee")))
    'I think tea.'
    """
    if not choices.texts or reply.strip() in choices.texts:
        return reply
    label = _LABEL.fullmatch(reply.strip())
    last_lines = _LAST_LINE.findall(reply)
    if label:
        letters = [label[1]]
    elif last_lines:
        # multiple answers are separated by commas; of several such lines the last counts
        letters = re.split(r"\s*,\s*", last_lines[-1].upper())
    else:
        return reply
    return "; ".join(match_choices(letters, choices)) or reply


def parse_number(value: object) -> float | None:
    """Return a score as a number, including inspect_ai's letters; None for anything else."""
    if isinstance(value, str) and value in _SCORE_OF_LETTER:
        return _SCORE_OF_LETTER[value]
    if not isinstance(value, (str, bool, int, float)):
        return None
    try:
        score = float(value)
    except (ValueError, OverflowError):  # an integer may have 400 digits
        return None
    if math.isfinite(score):
        return score
    return None


def numeric_scores(scores: Iterable[tuple[str, object]]) -> tuple[tuple[str, float], ...]:
    """Return the scores that are numbers, as numbers.

    >>> numeric_scores([("acc", "C"), ("note", "good")])
    (('acc', 1.0),)
    """
    numbers = ((name, parse_number(value)) for name, value in scores)
    return tuple((name, value) for name, value in numbers if value is not None)


def message_text(value: object) -> str:
    """Return the text of a prompt: a string, or the user's last message in a list or its JSON.

    Without a message of the user, the last message counts.
    """
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        value = value[0]
    if isinstance(value, str):
        if not value.lstrip().startswith("[{"):
            return value
        try:
            value = from_json(value)
        except ValueError:
            return str(value)
    messages = conversation(value)
    speakers = {message.speaker for message in messages}
    return last_said(messages, ASKING) or last_said(messages, speakers)


def unique_names(keys: Sequence[tuple[object, str]]) -> dict[object, str]:
    """Return a unique id for each key; the second key with an id gets ``#2``.

    >>> unique_names([(0, "a"), (1, "a"), (0, "a")])
    {0: 'a', 1: 'a#2'}
    """
    ids: dict[object, str] = {}
    counts: dict[str, int] = {}
    for key, question_id in keys:
        if key not in ids:
            ids[key] = unique_id(question_id, counts)
    return ids


def put_first(verdicts: Iterable[tuple[str, float]], name: str) -> tuple[tuple[str, float], ...]:
    """Return scores with those of a name, or of its parts, before the others.

    >>> put_first([("match", 1.0), ("judge", 0.0)], "judge")
    (('judge', 0.0), ('match', 1.0))
    """
    return tuple(sorted(verdicts, key=lambda verdict: verdict[0].partition("/")[0] != name))


def mean_scores(samples: Sequence[Sample]) -> dict[str, float]:
    """Return the mean of each score in a log, over the answers that have it."""
    values: dict[str, list[float]] = {}
    for sample in samples:
        for name, value in sample.verdicts:
            values.setdefault(name, []).append(value)
    return {name: math.fsum(numbers) / len(numbers) for name, numbers in values.items()}


def safe_metadata(fields: Mapping[str, object]) -> dict[str, object]:
    """Return the fields that readers do not interpret as question, id, answers or choices."""
    return {name: value for name, value in fields.items() if normalize_name(name) not in _RESERVED}


def bare_question(prompt: str) -> str:
    r"""Return the last part of a prompt, without the words around the question.

    >>> bare_question("Question: Who?\nAnswer: Ann\n\nQuestion: Where is Ulm?\nAnswer:")
    'Where is Ulm?'
    """
    question = prompt.strip()
    last_paragraph = question.rpartition("\n\n")[2]
    if len(last_paragraph) > _MIN_CHARS:
        question = last_paragraph
    question = _PROMPT_START.sub("", question)
    tail = _PROMPT_END.sub("", question[-_TAIL_CHARS:])
    return (question[:-_TAIL_CHARS] + tail).strip()


def make_readers(
    recognises: Callable[[Content], bool], read_log: ReadLog, help_: str
) -> tuple[Reader, RunReader]:
    """Return the readers of the distinct questions and of the answers in a log."""

    def read_questions(content: Content, options: ReadOptions) -> ReadSet:
        log = read_log(content, "")
        by_id = {sample.id: {**sample.question, "id": sample.id} for sample in log.samples}
        records = list(by_id.values())
        record_content = Content(content.path, "jsonl", "", content.sha256, document=records)
        # no notes on how fields were understood, as a user cannot change these records
        with collecting():
            return read_plain(record_content, options)

    def read_answers(content: Content, options: RunOptions) -> ParsedRun:
        log = read_log(content, options.filter)
        note(*log.notes)
        responses = []
        for sample in log.samples:
            status = sample.status
            answers = None
            if not status:
                answers = Answers()
                if sample.reply.strip():
                    answers = Answers(texts=((sample.reply,),))
                status = status_of(answers)

            response = Response(
                sample.id,
                status,
                answers,
                seconds=sample.seconds,
                error=sample.error,
                verdicts=sample.verdicts,
                confidence=sample.confidence,
            )
            text = scalar_text(sample.question.get("question", ""))
            responses.append(ParsedResponse(response, text, sample.repeat))

        return ParsedRun(responses, log.model, gold="target")

    return (
        Reader(recognises, read_questions, help_, answers=True),
        RunReader(recognises, read_answers, help_, tries=True, filters=True),
    )
