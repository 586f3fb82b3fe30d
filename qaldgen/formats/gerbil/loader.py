"""What GERBIL's loader refuses: one wrong place spoils the whole file.

It tries extended QALD JSON, then QALD JSON. The rules were derived from the behaviour of the loader
(qa.commons 0.4.24 with Jackson 2.9.10) on 191 small files. They are the same for gold questions and
for answers of systems.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, NoReturn, TypeAlias

from qaldgen.formats.qald_json import PlainEntry
from qaldgen.formats.writing import parses_as_query

_BOOLEANS = ("true", "True", "false", "False", "")


class Complaint(NamedTuple):
    """A place in a file that GERBIL refuses, and the rule."""

    place: str
    rule: str


#: Returns what is wrong with a value. Places are relative to it, such as ``.results[3]``: nearly
#: always nothing is wrong, so absolute places would be built in vain.
Check: TypeAlias = Callable[[object], Sequence[Complaint]]


def gerbil_refusal(text: str) -> str | None:
    """Explain why GERBIL would refuse a file of QALD JSON or extended QALD JSON.

    >>> gerbil_refusal('{"questions": [{"id": 1, "answers": [{"boolean": true}]}]}')
    >>> gerbil_refusal('{"questions": [{"id": 1, "answers": [{"results": {"distinct": false}}]}]}')
    'question 1 (id 1), answers[0].results.distinct: unknown key; bindings are allowed here'
    """
    return _refusal(gerbil_complaints(text))


def document_refusal(document: object) -> str | None:
    """Explain why GERBIL would refuse a file, like `gerbil_refusal`, for JSON already parsed.

    Questions may have been read already, by `plain_document`.
    """
    return _refusal(_document_complaints(document))


def _refusal(complaints: Sequence[Complaint]) -> str | None:
    if not complaints:
        return None
    place, rule = complaints[0]
    more = {1: "", 2: " (and 1 more place)"}.get(
        len(complaints), f" (and {len(complaints) - 1:,} more places)"
    )
    return f"{place}: {rule}{more}"


def gerbil_complaints(text: str) -> Sequence[Complaint]:
    """Return every place that GERBIL refuses; none if it loads the file in one of its formats."""
    try:
        document, _ = json.JSONDecoder(parse_constant=_no_constant).raw_decode(
            text.removeprefix("\ufeff").lstrip()
        )
    except (ValueError, RecursionError) as error:
        return [Complaint("the file", f"invalid JSON ({getattr(error, 'msg', error)})")]
    return _document_complaints(document)


def _document_complaints(document: object) -> Sequence[Complaint]:
    """Return why the intended format is refused, unless the file is valid in the other format."""
    # the loader tries both, but advice on the other format would only confuse
    meant, other = (_EXTENDED, _QALD) if _is_extended(document) else (_QALD, _EXTENDED)
    complaints = meant(document)
    if not complaints or not other(document):
        return ()
    return [
        complaint._replace(place=complaint.place.removeprefix(".") or "the file")
        for complaint in complaints
    ]


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _is_extended(document: object) -> bool:
    """Whether the author meant the extended format, judging by the first question."""
    questions = document.get("questions") if isinstance(document, dict) else None
    first = questions[0] if isinstance(questions, list) and questions else None
    return isinstance(first, dict) and isinstance(first.get("question"), dict)


def _text(value: object) -> Sequence[Complaint]:
    return [Complaint("", "a string is expected")] if isinstance(value, (list, dict)) else ()


def _flag(value: object) -> Sequence[Complaint]:
    # Jackson's rules for booleans
    spelt = (
        value in _BOOLEANS if isinstance(value, str) else value is None or isinstance(value, int)
    )
    rule = (
        "true, false, or an integer is expected; of strings "
        'only "true", "True", "false" and "False"'
    )
    return () if spelt else [Complaint("", rule)]


def _anything(value: object) -> Sequence[Complaint]:
    return ()


def _object(
    fields: Mapping[str, Check], *, others: bool = False, null: bool = True, required: str = ""
) -> Check:
    """Return the check of an object.

    `others` allows unknown keys, `null` allows null, and `required` names a key that must be there.
    """

    def check(value: object) -> Sequence[Complaint]:
        if not isinstance(value, dict):
            return [Complaint("", "an object is expected")] if value is not None or not null else ()
        complaints: list[Complaint] = []
        for key, inner in value.items():
            if key in fields:
                complaints += _inside(f".{key}", wrong) if (wrong := fields[key](inner)) else ()
            elif not others:
                complaints.append(
                    Complaint(f".{key}", f"unknown key; {', '.join(fields)} are allowed here")
                )
        if required and value.get(required) is None:
            complaints.append(Complaint("", f"{required!r} is missing"))
        return complaints

    return check


def _inside(place: str, complaints: Sequence[Complaint]) -> list[Complaint]:
    """Return complaints with places relative to the enclosing object.

    Places that start with a question are complete.
    """
    return [
        complaint
        if complaint.place.startswith("question ")
        else complaint._replace(place=place + complaint.place)
        for complaint in complaints
    ]


def _list(item: Check, *, null: bool = False) -> Check:
    def check(value: object) -> Sequence[Complaint]:
        if not isinstance(value, list):
            return [Complaint("", "a list is expected")] if value is not None or not null else ()
        complaints: list[Complaint] = []
        for number, inner in enumerate(value):
            complaints += _inside(f"[{number}]", wrong) if (wrong := item(inner)) else ()
        return complaints

    return check


def _row(value: object) -> Sequence[Complaint]:
    if not isinstance(value, dict):
        return [Complaint("", "an object is expected: variable to cell")]
    complaints: list[Complaint] = []
    for variable, cell in value.items():
        complaints += _inside(f".{variable}", wrong) if (wrong := _CELL(cell)) else ()
    return complaints


def _answer(value: object) -> Sequence[Complaint]:
    """Check SPARQL results JSON; a string holds such, or counts as empty."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return ()
    return _RESULTS(value)


def _entries(check: Check, passed: tuple[type, ...] = ()) -> Check:
    """Return the check of the list of questions, except entries of the types in `passed`."""

    def checked(value: object) -> Sequence[Complaint]:
        if not isinstance(value, list):
            return [Complaint("", "a list is expected")]
        complaints: list[Complaint] = []
        for number, entry in enumerate(value, 1):
            if isinstance(entry, passed):
                continue
            for one in check(entry):
                inside = f", {one.place.removeprefix('.')}" if one.place else ""
                complaints.append(one._replace(place=f"question {number}{_id_of(entry)}{inside}"))
        return complaints

    return checked


def _id_of(entry: object) -> str:
    """Return `` (id 12)``; nothing without an id."""
    inner = entry.get("question") if isinstance(entry, dict) else None
    holder = inner if isinstance(inner, dict) else entry
    name = holder.get("id") if isinstance(holder, dict) else None
    return f" (id {name})" if isinstance(name, (str, int, float)) else ""


def _wordings(value: object) -> Sequence[Complaint]:
    """Check the languages of extended QALD JSON.

    The loader removes an element whose query does not parse while it iterates over the list. That
    crashes it, unless the element is the last but one: then the iteration ends before the last.
    """
    wordings = [*_WORDINGS(value)]
    queries = [item.get("SPARQL") for item in _objects(value)]
    broken = next(
        (
            i
            for i, query in enumerate(queries)
            if not (isinstance(query, str) and parses_as_query(query))
        ),
        None,
    )
    if broken is not None and broken != len(queries) - 2:
        wordings.append(
            Complaint(f"[{broken}].SPARQL", "a query that parses is expected in every language")
        )
    return wordings


def _objects(value: object) -> Sequence[Mapping[str, object]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _not_null(value: object) -> Sequence[Complaint]:
    return (
        _text(value) if value is not None else [Complaint("", "null is not allowed; omit the key")]
    )


_CELL = _object(
    {"type": _text, "value": _text, "datatype": _text, "xml:lang": _text},
    null=False,
    required="value",
)
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
        "question": _list(
            _object({"language": _text, "string": _text, "keywords": _text}, null=False)
        ),
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
_QALD = _object(
    {"dataset": _DATASET, "questions": _entries(_QALD_ENTRY, (PlainEntry,))}, null=False
)
_EXTENDED = _object({"dataset": _DATASET, "questions": _entries(_EXTENDED_ENTRY)}, null=False)
