"""How GERBIL's loader reads files: what it refuses, how it reads answers, and what to warn about.

A single error makes it refuse the whole file. The loader tries extended QALD JSON, then QALD JSON.
The rules were derived from the behaviour of the loader (qa.commons 0.4.24 with Jackson 2.9.10) on
191 small files. They are the same for gold questions and for answers of systems.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, NoReturn

import msgspec
from msgspec import UNSET, UnsetType

from qaldgen.io.json_text import as_list, member
from qaldgen.io.text import count
from qaldgen.model import Answers, Cell, Question, Remark, WrittenCell
from qaldgen.questions.records import id_note
from qaldgen.questions.writing import parses_as_query
from qaldgen.rdf.java_uris import is_uri, is_url
from qaldgen.rdf.terms import XSD

# --- what it refuses ------------------------------------------------------------------------------

#: The rule of a remark that GERBIL would refuse a file.
REFUSES = "gerbil-refuses"
#: What Jackson converts to a text, and to a truth value.
_Scalar = str | int | float | bool
_Text = _Scalar | None
_Flag = bool | int | Literal["true", "True", "false", "False", ""] | None
#: The first day of the Gregorian calendar (15 October 1582), as a Julian day number.
_CUTOVER = 2299161
_CUTOVER_YEAR = 1582
_DATE = re.compile(r"[ \t]*(-?[0-9]{1,18})-[ \t]*(-?[0-9]{1,18})-[ \t]*(-?[0-9]{1,18})")
#: Java's String.trim removes all characters up to the space.
_JAVA_SPACE = "".join(map(chr, range(0x21)))
#: Warnings by the name of the oddity; they continue a sentence about questions.
_WARNINGS = {
    "unknown": (
        "have no gold answers in the data; GERBIL treats them as "
        "empty, so an empty answer scores 1 there"
    ),
    "empty": "have an empty gold answer; an empty answer scores 1 there",
    "mixed": (
        "mix IRIs and literals in the gold answers; GERBIL then matches none of the IRIs, not even"
        " for a perfect system"
    ),
    "several": "have several variables in the gold rows; GERBIL counts every value as an answer",
    "illegal": (
        "have a gold IRI that GERBIL does not accept as an IRI "
        "(space, quote, pipe, second hash, ...)"
    ),
}
#: What the author of a benchmark can do about an oddity, and what those who score against one.
_ADVICE_FOR_WRITING = {"several": "`variables='first'` keeps only one"}
_ADVICE_FOR_SCORING = {"mixed": "`match='strict'` compares all of them"}


class _Closed(msgspec.Struct, forbid_unknown_fields=True):
    """An object that has no other keys than those of its class."""


class _Cell(_Closed):
    value: _Scalar
    type: _Text = None
    datatype: _Text = None
    language: _Text = msgspec.field(name="xml:lang", default=None)


class _Head(_Closed):
    vars: list[_Text] | None = None
    link: list[Any] | None = None


class _Solutions(_Closed):
    bindings: list[dict[str, _Cell]] = []


class _Results(_Closed):
    head: _Head | None = None
    results: _Solutions | None = None
    boolean: _Flag = None
    confidence: _Text = None


class _Wording(_Closed):
    language: _Text = None
    string: _Text = None
    keywords: _Text = None


class _Query(_Closed):
    sparql: _Text = None
    pseudo: _Text = None


class _Flags(msgspec.Struct):
    aggregation: _Flag = None
    onlydbo: _Flag = None
    hybrid: _Flag = None


class _Entry(_Flags):
    """A question of QALD JSON, where other keys are allowed."""

    id: _Text = None
    answertype: _Text = None
    question: list[_Wording] = []
    query: _Query | None = None
    answers: list[_Results | str | None] = []


class _KnownFlags(_Flags, forbid_unknown_fields=True):
    pass


class _ExtendedWording(_Closed):
    language: _Text = None
    question: _Text = None
    query: _Text = msgspec.field(name="SPARQL", default=None)
    schemaless: _Text = None
    pseudo: _Text = None
    keywords: _Scalar | UnsetType = UNSET
    annotations: list[Any] | None = None


class _ExtendedQuestion(_Closed):
    id: _Text = None
    name: _Text = None
    answertype: _Text = None
    confidence: _Text = None
    answeritemtype: list[_Text] | None = None
    metadata: _KnownFlags | None = None
    language: list[_ExtendedWording] = []
    answers: _Results | str | None = None


class _ExtendedEntry(_Closed):
    question: _ExtendedQuestion | None = None


class _DataSet(_Closed):
    id: _Text = None
    metadata: _Text = None


class _File(_Closed):
    dataset: _DataSet | None = None
    questions: list[Any] = []


class _QaldFile(_Closed):
    dataset: _DataSet | None = None
    questions: list[_Entry] = []


#: Reads a whole file of QALD JSON at once.
_QALD = msgspec.json.Decoder(_QaldFile)


class Complaint(NamedTuple):
    """A location in a file that GERBIL refuses, and the rule that it violates."""

    location: str
    rule: str


def gerbil_refusal(text: str) -> str | None:
    """Explain why GERBIL would refuse a file of QALD JSON or extended QALD JSON.

    >>> gerbil_refusal('{"questions": [{"id": 1, "answers": [{"boolean": true}]}]}')
    >>> gerbil_refusal('{"questions": [{"id": 1, "answers": [{"results": {"distinct": false}}]}]}')
    'question 1 (id 1), answers[0].results.distinct: unknown key'
    """
    complaints = gerbil_complaints(text)
    if not complaints:
        return None
    location, rule = complaints[0]
    if len(complaints) == 1:
        return f"{location}: {rule}"
    return f"{location}: {rule} (and {count(len(complaints) - 1, 'more place')})"


def refusals(text: str) -> list[Remark]:
    """Return a remark if GERBIL would refuse a file; none if it reads the file."""
    refusal = gerbil_refusal(text)
    if refusal is None:
        return []
    return [Remark(f"GERBIL would refuse this file: {refusal}", rule=REFUSES)]


def gerbil_complaints(text: str) -> Sequence[Complaint]:
    """Return what GERBIL refuses, one complaint per question; none if it reads the file."""
    try:
        if not any(map(_find_unreadable, _QALD.decode(text).questions)):
            return ()
    except (msgspec.MsgspecError, UnicodeError):  # where and why is found below
        pass
    try:
        # the loader ignores what follows the document
        document, _ = json.JSONDecoder(parse_constant=_refuse_constant).raw_decode(
            text.removeprefix("\ufeff").lstrip()
        )
    except (ValueError, RecursionError) as error:
        return [Complaint("the file", f"invalid JSON ({getattr(error, 'msg', error)})")]
    complaints = list(_complaints_by_format(document, _Entry))
    extended_complaints = list(_complaints_by_format(document, _ExtendedEntry))
    if not complaints or not extended_complaints:
        return ()
    # the loader tries both formats, but advice on the one that is not meant would only confuse
    first_entry = next(iter(as_list(member(document, "questions"))), None)
    is_extended = isinstance(member(first_entry, "question"), dict)
    return extended_complaints if is_extended else complaints


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _complaints_by_format(
    document: object, entry_type: type[_Entry | _ExtendedEntry]
) -> Iterator[Complaint]:
    """Yield what the loader refuses if it reads the entries as one of the two formats."""
    try:
        questions = msgspec.convert(document, _File).questions
    except msgspec.ValidationError as error:
        yield _make_complaint("", error)
        return
    for number, entry in enumerate(questions, 1):
        record = member(entry, "question")
        if not isinstance(record, dict):
            record = entry
        location = f"question {number}{id_note(record, ['id'])}"
        try:
            complaint = _find_unreadable(msgspec.convert(entry, entry_type))
        except msgspec.ValidationError as error:
            yield _make_complaint(location, error)
        else:
            if complaint is not None:
                yield Complaint(f"{location}, {complaint.location}", complaint.rule)


def _make_complaint(record: str, error: msgspec.ValidationError) -> Complaint:
    """Return the complaint for an error of msgspec, which names the path behind the reason."""
    reason, _, path = str(error).removesuffix("`").partition(" - at `$")
    _, _, key = reason.partition("unknown field `")
    if key:
        path = f"{path}.{key.rstrip('`')}"
        reason = "unknown key"
    path = re.sub(r"^\.?(?:question\.)?", "", path)
    location = ", ".join(filter(None, [record, path])) or "the file"
    return Complaint(location, reason[:1].lower() + reason[1:])


def _find_unreadable(entry: _Entry | _ExtendedEntry) -> Complaint | None:
    """Return what the loader cannot read in the texts of an entry: answers as JSON, and queries.

    A text that is not JSON counts as an empty answer. The loader removes an element whose query
    does not parse while it iterates over the list, which crashes it, except for the last element
    but one: then the iteration just ends early.
    """
    texts: list[_Results | str | None]
    queries: list[_Text] = []
    if isinstance(entry, _Entry):
        texts = entry.answers
    else:
        question = entry.question or _ExtendedQuestion()
        texts = [question.answers]
        queries = [language.query for language in question.language]
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            continue
        try:
            msgspec.convert(json.loads(text), _Results | None)
        except msgspec.ValidationError as error:
            return _make_complaint(f"answers[{index}]", error)
        except (ValueError, RecursionError):  # not JSON
            continue
    for index, query in enumerate(queries):
        if isinstance(query, str) and parses_as_query(query):
            continue
        if index == len(queries) - 2:
            return None
        return Complaint(
            f"language[{index}].SPARQL", "a query that parses is expected in every language"
        )
    return None


# --- how it reads answers -------------------------------------------------------------------------


def is_gerbil_iri(text: str) -> bool:
    """Return whether GERBIL takes a text for an IRI: one for ``java.net.URI``, with a colon inside.

    >>> texts = ("http://x.org/Zürich", "Foo:Bar", "5", "12:30", "Title: Subtitle")
    >>> [is_gerbil_iri(text) for text in texts]
    [True, True, False, False, False]
    """
    return ":" in text[1:-1] and is_uri(text)


def answer_strings(answers: Answers | None) -> Sequence[str]:
    """Return the answers as strings, as the loader has them; it treats unknown answers as empty.

    >>> cell = Cell("literal", "2012-1-1", XSD + "date")
    >>> written = {"datatype": cell.datatype, "value": cell.value}
    >>> written_cell = WrittenCell.of(cell, written)
    >>> answer_strings(Answers(variables=("x",), rows=((written_cell,), (cell,))))
    ['2012-01-01', '2012-1-1']
    """
    if answers is None:
        return ()
    if answers.boolean is not None:
        return [str(answers.boolean).lower(), *map(_gerbil_string, answers.beside)]
    cells = [
        cell.value if type(cell) is Cell else _gerbil_string(cell)
        for row in answers.rows
        for cell in row
        if cell is not None
    ]
    return cells + [wordings[0] for wordings in answers.texts if wordings]


def _gerbil_string(cell: Cell) -> str:
    if isinstance(cell, WrittenCell):
        return gerbil_value(cell.written)
    return cell.value


def gerbil_value(cell: Mapping[str, str]) -> str:
    """Return the string that GERBIL makes of a cell; it ignores a datatype after the value.

    >>> gerbil_value({"datatype": "http://www.w3.org/2001/XMLSchema#boolean", "value": "1"})
    'false'
    >>> gerbil_value({"value": "1", "datatype": "http://www.w3.org/2001/XMLSchema#boolean"})
    '1'
    """
    text = cell["value"]
    # the loader reads key by key, and converts a value only if it knows the datatype already
    keys = list(cell)
    if "datatype" in keys[: keys.index("value")]:
        if cell["datatype"] == XSD + "boolean":
            return str(text.lower() == "true").lower()
        if cell["datatype"] == XSD + "date":
            return gerbil_date(text)
    return text


def gerbil_date(text: str) -> str:
    """Return a date as GERBIL prints it, like Java's lenient ``SimpleDateFormat`` (yyyy-MM-dd).

    The start of the text is read as a date; the rest and the era are dropped. Months and days out
    of range roll over; days before 15 October 1582 are in the Julian calendar. Any other text is
    only trimmed.

    >>> gerbil_date("2012-02-30"), gerbil_date("2012-1-1T00:00:00Z")
    ('2012-03-01', '2012-01-01')
    >>> gerbil_date("-0044-03-15"), gerbil_date(" May 1982 ")
    ('0045-03-15', 'May 1982')
    """
    text = text.strip(_JAVA_SPACE)
    match = _DATE.match(text)
    if match is None:
        return text
    year, month, day = map(int, match.groups())
    number = _days_before(year, month, julian=False) + day
    if year < _CUTOVER_YEAR or number < _CUTOVER:
        number = _days_before(year, month, julian=True) + day
    year, month, day = _calendar_date(number)
    if year <= 0:
        year = 1 - year
    return f"{year:04}-{month:02}-{day:02}"


def _days_before(year: int, month: int, *, julian: bool) -> int:
    """Return the Julian day number of the day before a month; year and month may be any number."""
    months = 12 * (year + 4800) + month - 3  # counted from March, so that the leap day comes last
    years, since_march = divmod(months, 12)
    days = (153 * since_march + 2) // 5 + 365 * years + years // 4
    if julian:
        return days - 32083
    return days - years // 100 + years // 400 - 32045


def _calendar_date(number: int) -> tuple[int, int, int]:
    """Return year, month and day of a Julian day number (E. G. Richards, Mapping Time, 1998)."""
    shifted = number + 1401
    if number >= _CUTOVER:
        shifted += (4 * number + 274277) // 146097 * 3 // 4 - 38
    years, quarters = divmod(4 * shifted + 3, 1461)
    month_day = 5 * (quarters // 4) + 2
    month = (month_day // 153 + 2) % 12 + 1
    return years - 4716 + (14 - month) // 12, month, month_day % 153 // 5 + 1


# --- what to warn about ---------------------------------------------------------------------------


def load_warnings(questions: Sequence[Question], *, writing: bool = True) -> list[str]:
    """Return warnings about gold answers that GERBIL scores in unexpected ways.

    Advice is added, on how to write the questions otherwise if they are being written (`writing`).
    """
    advice = _ADVICE_FOR_WRITING if writing else _ADVICE_FOR_SCORING
    ids_by_oddity: dict[str, list[str]] = {name: [] for name in _WARNINGS}
    for question in questions:
        for name in _find_oddities(question.answers):
            ids_by_oddity[name].append(question.id)
    warnings = []
    for name, ids in ids_by_oddity.items():
        if not ids:
            continue
        text = f"{len(ids)} of {len(questions)} questions (first: {ids[0]}) {_WARNINGS[name]}"
        if name in advice:
            text += f" ({advice[name]})"
        warnings.append(text)
    return warnings


def _find_oddities(answers: Answers | None) -> Iterator[str]:
    if answers is None:
        yield "unknown"
        return
    strings = answer_strings(answers)
    if not strings:
        yield "empty"
    # two expensive checks cannot find anything in IRIs, which most answers are
    are_iris = all(map(is_gerbil_iri, strings))
    if not are_iris and never_matched(strings):
        yield "mixed"
    if len(answers.variables) > 1 and answers.rows:
        yield "several"
    if not are_iris and any(illegal_iris(answers)):
        yield "illegal"


def never_matched(values: Iterable[str]) -> list[str]:
    """Return the gold answers that GERBIL matches with no answer, not even with the same text.

    If one gold answer of a question is not an IRI to GERBIL, all of them are compared as text. A
    system's answers are treated differently: URLs remain IRIs, which never equal a text.

    >>> never_matched(["http://x.org/a", "http://x.org/b#c#d", "urn:a"])
    ['http://x.org/a']
    """
    unmatched = dict.fromkeys(values)
    if all(map(is_gerbil_iri, unmatched)):
        return []
    return [value for value in unmatched if is_url(value)]


def illegal_iris(answers: Answers) -> Iterator[Cell]:
    """Yield the non-blank answers that are IRIs in the data, but not to GERBIL."""
    iris = (cell for cell in answers.cells() if cell.type == "uri")
    return (cell for cell in iris if cell.value.strip() and not is_gerbil_iri(cell.value))
