"""What GERBIL's loader refuses: one wrong place spoils the whole file.

It tries extended QALD JSON, then QALD JSON. The rules were derived from the behaviour of the loader
(qa.commons 0.4.24 with Jackson 2.9.10) on 191 small files. They are the same for gold questions and
for answers of systems.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, NoReturn

import msgspec
from msgspec import UNSET, UnsetType

from qaldgen.formats.writing import parses_as_query

#: What Jackson reads as text, and as a truth value.
_Said = str | int | float | bool
_Text = _Said | None
_Flag = bool | int | Literal["true", "True", "false", "False", ""] | None


class _Closed(msgspec.Struct, forbid_unknown_fields=True):
    """An object without other keys than those of its class."""


class _Cell(_Closed):
    value: _Said
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
    keywords: _Said | UnsetType = UNSET
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
    """A place in a file that GERBIL refuses, and the rule."""

    place: str
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
    place, rule = complaints[0]
    more = {1: "", 2: " (and 1 more place)"}.get(
        len(complaints), f" (and {len(complaints) - 1:,} more places)"
    )
    return f"{place}: {rule}{more}"


def gerbil_complaints(text: str) -> Sequence[Complaint]:
    """Return what GERBIL refuses, one place a question; none if it loads the file in a format."""
    try:
        if not any(map(_unread, _QALD.decode(text).questions)):
            return ()
    except (msgspec.MsgspecError, UnicodeError):  # the rest finds out where and why
        pass
    try:
        # the loader ignores what follows the document
        document, _ = json.JSONDecoder(parse_constant=_no_constant).raw_decode(
            text.removeprefix("\ufeff").lstrip()
        )
    except (ValueError, RecursionError) as error:
        return [Complaint("the file", f"invalid JSON ({getattr(error, 'msg', error)})")]
    # the loader tries both, but advice on the other format would only confuse
    formats = (_ExtendedEntry, _Entry) if _is_extended(document) else (_Entry, _ExtendedEntry)
    complaints, others = (list(_complaints(document, form)) for form in formats)
    return complaints if others else ()


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _is_extended(document: object) -> bool:
    """Whether the author meant the extended format, judging by the first question."""
    questions = document.get("questions") if isinstance(document, dict) else None
    first = questions[0] if isinstance(questions, list) and questions else None
    return isinstance(first, dict) and isinstance(first.get("question"), dict)


def _complaints(document: object, form: type[_Entry | _ExtendedEntry]) -> Iterator[Complaint]:
    try:
        questions = msgspec.convert(document, _File).questions
    except msgspec.ValidationError as error:
        yield _complaint("", error)
        return
    for number, entry in enumerate(questions, 1):
        place = f"question {number}{_id_of(entry)}"
        try:
            wrong = _unread(msgspec.convert(entry, form))
        except msgspec.ValidationError as error:
            yield _complaint(place, error)
        else:
            if wrong is not None:
                yield Complaint(f"{place}, {wrong.place}", wrong.rule)


def _complaint(place: str, error: msgspec.ValidationError) -> Complaint:
    """Return what is wrong, and where: msgspec writes ``$.questions[0]`` behind the reason."""
    reason, _, path = str(error).removesuffix("`").partition(" - at `$")
    _, _, key = reason.partition("unknown field `")
    if key:
        path, reason = f"{path}.{key.rstrip('`')}", "unknown key"
    inside = re.sub(r"^\.?(?:question\.)?", "", path)
    return Complaint(
        ", ".join(filter(None, [place, inside])) or "the file", reason[:1].lower() + reason[1:]
    )


def _id_of(entry: object) -> str:
    """Return `` (id 12)``; nothing without an id."""
    inner = entry.get("question") if isinstance(entry, dict) else None
    holder = inner if isinstance(inner, dict) else entry
    name = holder.get("id") if isinstance(holder, dict) else None
    return f" (id {name})" if isinstance(name, (str, int, float)) else ""


def _unread(entry: _Entry | _ExtendedEntry) -> Complaint | None:
    """Return what is wrong in the texts of an entry: answers as JSON text, and queries.

    A text that is no JSON counts as an empty answer. The loader removes an element whose query does
    not parse while it iterates over the list, which crashes it, unless the element is the last but
    one: then the iteration ends before the last.
    """
    question = entry.question if isinstance(entry, _ExtendedEntry) else None
    said = entry.answers if isinstance(entry, _Entry) else [question and question.answers]
    for at, text in enumerate(said):
        try:
            if isinstance(text, str) and text:
                msgspec.convert(json.loads(text), _Results | None)
        except (msgspec.ValidationError, ValueError, RecursionError) as error:
            if isinstance(error, msgspec.ValidationError):
                return _complaint(f"answers[{at}]", error)
    queries = [one.query for one in question.language] if question else []
    broken = next(
        (
            at
            for at, query in enumerate(queries)
            if not (isinstance(query, str) and parses_as_query(query))
        ),
        None,
    )
    if broken is None or broken == len(queries) - 2:
        return None
    return Complaint(
        f"language[{broken}].SPARQL", "a query that parses is expected in every language"
    )
