"""What GERBIL's loader refuses: it reads a file as extended QALD JSON, then as QALD JSON, and one wrong place spoils the file.

The rules are those that its loader (qa.commons 0.4.24 with Jackson 2.9.10) shows on 191 small files. They hold for gold questions
and for answers of systems alike.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, NoReturn, TypeAlias

from qaldgen.formats.qald_json import parses_as_query

_BOOLEANS = ("true", "True", "false", "False", "")


class Complaint(NamedTuple):
    """A place in a file that GERBIL refuses, and the rule."""

    place: str
    rule: str


Check: TypeAlias = Callable[[object, str], Iterator[Complaint]]


def gerbil_refusal(text: str) -> str | None:
    """Say why GERBIL would refuse a file of QALD JSON or extended QALD JSON: the first place, the rule, and how many more.

    Parameters
    ----------
    text
        The whole file; a byte order mark and whatever follows the JSON value do no harm.

    Returns
    -------
    str or None
        None if GERBIL loads it.

    Examples
    --------
    >>> gerbil_refusal('{"questions": [{"id": 1, "answers": [{"boolean": true}]}]}')
    >>> gerbil_refusal('{"questions": [{"id": 1, "answers": [{"results": {"distinct": false}}]}]}')
    'question 1 (id 1), answers[0].results.distinct: there is no such key; bindings may stand here'
    """
    return _refusal(gerbil_complaints(text))


def document_refusal(document: object) -> str | None:
    """Say why GERBIL would refuse a file, as `gerbil_refusal` does, of JSON that was parsed already."""
    return _refusal(_document_complaints(document))


def _refusal(complaints: Sequence[Complaint]) -> str | None:
    if not complaints:
        return None
    place, rule = complaints[0]
    more = {1: "", 2: " (and 1 more place)"}.get(len(complaints), f" (and {len(complaints) - 1:,} more places)")
    return f"{place}: {rule}{more}"


def gerbil_complaints(text: str) -> list[Complaint]:
    """Return every place of a file that GERBIL refuses; nothing if it loads the file in one of its two forms."""
    try:
        document, _ = json.JSONDecoder(parse_constant=_no_constant).raw_decode(text.removeprefix("\ufeff").lstrip())
    except (ValueError, RecursionError) as error:
        return [Complaint("the file", f"no JSON ({getattr(error, 'msg', error)})")]
    return _document_complaints(document)


def _document_complaints(document: object) -> list[Complaint]:
    extended = [*_EXTENDED(document, "")]
    qald = [*_QALD(document, "")] if extended else []
    return extended if qald and _is_extended(document) else qald


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is none of JSON's values")


def _is_extended(document: object) -> bool:
    """Say which form the author had in mind: that of the first question."""
    questions = document.get("questions") if isinstance(document, dict) else None
    first = questions[0] if isinstance(questions, list) and questions else None
    return isinstance(first, dict) and isinstance(first.get("question"), dict)


def _text(value: object, place: str) -> Iterator[Complaint]:
    if isinstance(value, (list, dict)):
        yield Complaint(place, "a string is expected")


def _flag(value: object, place: str) -> Iterator[Complaint]:
    spelt = value in _BOOLEANS if isinstance(value, str) else value is None or isinstance(value, int)
    if not spelt:
        yield Complaint(place, 'true, false, or an integer is expected; of words "true", "True", "false" and "False" alone')


def _anything(value: object, place: str) -> Iterator[Complaint]:
    return iter(())


def _object(fields: Mapping[str, Check], *, others: bool = False, null: bool = True, required: str = "") -> Check:
    """Return the check of an object: its keys, whether others do no harm, whether null does, and what must be there."""

    def check(value: object, place: str) -> Iterator[Complaint]:
        if not isinstance(value, dict):
            if value is not None or not null:
                yield Complaint(place or "the file", "an object is expected")
            return
        for key, inner in value.items():
            where = f"{place}.{key}" if place else key
            if key in fields:
                yield from fields[key](inner, where)
            elif not others:
                yield Complaint(where, f"there is no such key; {', '.join(fields)} may stand here")
        if required and value.get(required) is None:
            yield Complaint(place, f"{required!r} is missing")

    return check


def _list(item: Check, *, null: bool = False) -> Check:
    def check(value: object, place: str) -> Iterator[Complaint]:
        if isinstance(value, list):
            for number, inner in enumerate(value):
                yield from item(inner, f"{place}[{number}]")
        elif value is not None or not null:
            yield Complaint(place, "a list is expected")

    return check


def _row(value: object, place: str) -> Iterator[Complaint]:
    if not isinstance(value, dict):
        yield Complaint(place, "an object is expected: variable to cell")
        return
    for variable, cell in value.items():
        yield from _CELL(cell, f"{place}.{variable}")


def _answer(value: object, place: str) -> Iterator[Complaint]:
    """Check SPARQL results JSON; a string holds such, or counts as empty."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return
    yield from _RESULTS(value, place)


def _entries(check: Check) -> Check:
    """Return the check of the list of questions, whose places name number and id."""

    def checked(value: object, place: str) -> Iterator[Complaint]:
        if not isinstance(value, list):
            yield Complaint(place, "a list is expected")
            return
        for number, entry in enumerate(value, 1):
            for found in check(entry, ""):
                inside = "" if found.place == "the file" else f", {found.place}"
                yield found._replace(place=f"question {number}{_id_of(entry)}{inside}")

    return checked


def _id_of(entry: object) -> str:
    """Return `` (id 12)``; nothing without an id."""
    inner = entry.get("question") if isinstance(entry, dict) else None
    holder = inner if isinstance(inner, dict) else entry
    name = holder.get("id") if isinstance(holder, dict) else None
    return f" (id {name})" if isinstance(name, (str, int, float)) else ""


def _wordings(value: object, place: str) -> Iterator[Complaint]:
    """Check the languages of extended QALD JSON.

    The loader takes out an element whose query does not parse while it walks the list. It survives that only if the element
    is the last but one: then it never looks at the last.
    """
    yield from _WORDINGS(value, place)
    queries = [item.get("SPARQL") for item in _objects(value)]
    broken = next((i for i, query in enumerate(queries) if not (isinstance(query, str) and parses_as_query(query))), None)
    if broken is not None and broken != len(queries) - 2:
        yield Complaint(f"{place}[{broken}].SPARQL", "a query that parses is expected in every language")


def _objects(value: object) -> Sequence[Mapping[str, object]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _not_null(value: object, place: str) -> Iterator[Complaint]:
    if value is None:
        yield Complaint(place, "null is not taken; leave the key out")
    yield from _text(value, place)


_CELL = _object({"type": _text, "value": _text, "datatype": _text, "xml:lang": _text}, null=False, required="value")
_RESULTS = _object({
    "head": _object({"vars": _list(_text, null=True), "link": _list(_anything, null=True)}),
    "results": _object({"bindings": _list(_row)}),
    "boolean": _flag,
    "confidence": _text,
})  # fmt: skip
_FLAGS: dict[str, Check] = {"aggregation": _flag, "onlydbo": _flag, "hybrid": _flag}
_DATASET = _object({"id": _text, "metadata": _text})
_QALD_ENTRY = _object(
    {
        "id": _text,
        "answertype": _text,
        **_FLAGS,
        "question": _list(_object({"language": _text, "string": _text, "keywords": _text}, null=False)),
        "query": _object({"sparql": _text, "pseudo": _text}),
        "answers": _list(_answer),
    },
    others=True,
    null=False,
)
_WORDINGS = _list(_object(
    {
        **dict.fromkeys(["language", "question", "SPARQL", "schemaless", "pseudo"], _text),
        "keywords": _not_null,
        "annotations": _list(_anything, null=True),
    },
    null=False,
))  # fmt: skip
_EXTENDED_QUESTION = _object({
    **dict.fromkeys(["id", "name", "answertype", "confidence"], _text),
    "answeritemtype": _list(_text, null=True),
    "metadata": _object(_FLAGS),
    "language": _wordings,
    "answers": _answer,
})  # fmt: skip
_EXTENDED_ENTRY = _object({"question": _EXTENDED_QUESTION}, null=False)
_QALD = _object({"dataset": _DATASET, "questions": _entries(_QALD_ENTRY)}, null=False)
_EXTENDED = _object({"dataset": _DATASET, "questions": _entries(_EXTENDED_ENTRY)}, null=False)
