"""QALD JSON whose entries have the usual shape, checked and read by msgspec in one pass.

The schemas are strict: readers of their own handle all other entries, so that both ways give the
same questions.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from qaldgen.errors import DataError
from qaldgen.formats.json_values import JsonReader
from qaldgen.formats.plain_results import KnownResults, answers_of
from qaldgen.model import Answers

#: The flags that GERBIL knows; those of single years (``onlyesdbp``, ``yago``) are metadata.
FLAGS = ("aggregation", "onlydbo", "hybrid")
#: Characters in which the opening brace is sought.
_HEAD = 1000
#: Spaces before a colon after which keys cannot be counted by their quotes, and what they end in.
_ODD_SPACES = re.compile(r'"(?: ?[\t\n\r]|  )\s*:')
_ENDS = ("\t:", "\n:", "\r:", " :")
#: An escaped quote that is not written as one, which would be counted as the end of a key.
_HIDDEN_QUOTE = b"\\u0022"


class Wording(msgspec.Struct, forbid_unknown_fields=True):
    """A text of a question with its keywords, as written in the file."""

    language: str
    text: str = msgspec.field(name="string")
    keywords: str | UnsetType = UNSET


class PlainEntry(NamedTuple):
    """The content of an entry of the usual shape.

    GERBIL's loader accepts every such entry, in runs and in gold questions.

    Attributes
    ----------
    id : str
        The id, as text.
    wordings : list of Wording
        The texts.
    query, pseudo : str
        The queries; empty if there are none.
    kind : str
        The answer type, as written in the file.
    flags : dict
        The flags that are there.
    answers : Answers or None
        The answers; None if there is no element for them.
    """

    id: str
    wordings: list[Wording]
    query: str
    pseudo: str
    kind: str
    flags: dict[str, bool]
    answers: Answers | None


class _Query(msgspec.Struct, forbid_unknown_fields=True):
    sparql: str | UnsetType = UNSET
    pseudo: str | UnsetType = UNSET


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    id: str | int
    question: list[Wording]
    query: _Query | UnsetType = UNSET
    answers: list[KnownResults] | UnsetType = UNSET
    answertype: str | UnsetType = UNSET
    aggregation: bool | UnsetType = UNSET
    onlydbo: bool | UnsetType = UNSET
    hybrid: bool | UnsetType = UNSET


_NO_QUERY = _Query()
_NO_FLAGS = (UNSET, UNSET, UNSET)
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_RECORDS = msgspec.json.Decoder(list[msgspec.Raw])
_ENTRY = msgspec.json.Decoder(_Entry)
_ENCODER = msgspec.json.Encoder()


def plain_document(text: str) -> dict[str, object] | None:
    """Parse QALD JSON, and read the entries of the usual shape under ``questions`` on the way.

    Parameters
    ----------
    text
        The text of a file.

    Returns
    -------
    dict or None
        The document; in place of each entry of the usual shape stands a `PlainEntry`. None if it
        is not QALD JSON, or if a message must name a place in it: it is broken, has a key twice in
        an object, or a number that JSON does not have.

    Examples
    --------
    >>> entry = '{"id": 7, "question": [{"language": "en", "string": "Is it wet?"}]}'
    >>> plain_document(f'{{"questions": [{entry}]}}')["questions"][0].wordings
    [Wording(language='en', text='Is it wet?', keywords=UNSET)]
    """
    if text[:_HEAD].lstrip()[:1] != "{" or _has_odd_spaces(text):
        return None
    data = text.encode()
    others = JsonReader()
    try:
        members = _MEMBERS.decode(data)
        records = _RECORDS.decode(members.get("questions", b"{}"))
        if _keys(data) != len(members) + sum(map(_keys, map(bytes, members.values()))):
            return None
        document = {
            name: _parsed(raw, others) for name, raw in members.items() if name != "questions"
        }
        document["questions"] = [plain_entry(raw) or _parsed(raw, others) for raw in records]
    except (msgspec.MsgspecError, DataError, ValueError):
        return None
    return None if any(others.notes(document)) else document


def _has_odd_spaces(text: str) -> bool:
    # by plain search first, which is much faster and nearly always enough
    return any(end in text for end in _ENDS) and _ODD_SPACES.search(text) is not None


def _parsed(raw: msgspec.Raw, reader: JsonReader) -> object:
    return reader.parse(bytes(raw).decode(), "")


def _keys(data: bytes) -> int:
    """Return the number of keys of all objects, plus that of escaped quotes before a colon."""
    return data.count(b'":') + data.count(b'" :')


def plain_entry(data: bytes | msgspec.Raw) -> PlainEntry | None:
    """Return the content of an entry with only the usual fields and values; else None.

    Parameters
    ----------
    data
        The JSON text of the entry.

    Examples
    --------
    >>> texts = b'[{"language": "en", "string": "Is it wet?"}]'
    >>> plain_entry(b'{"id": 7, "question": %s, "answers": [{"boolean": true}]}' % texts).answers
    Answers(boolean=True, variables=(), rows=(), texts=())
    >>> plain_entry(b'{"id": 7, "question": "Is it wet?"}')
    """
    data = bytes(data)
    try:
        entry = _ENTRY.decode(data)
    except msgspec.MsgspecError:
        return None
    name = str(entry.id).strip()
    elements = entry.answers or []
    # a key that occurs twice is lost on the way back; several elements have to be merged
    if (
        not name
        or len(elements) > 1
        or _keys(data) != _keys(_ENCODER.encode(entry))
        or _HIDDEN_QUOTE in data
    ):
        return None
    answers = _answers(elements[0]) if elements else None
    if elements and answers is None:
        return None
    query = entry.query or _NO_QUERY
    return PlainEntry(
        name,
        entry.question,
        (query.sparql or "").strip(),
        (query.pseudo or "").strip(),
        (entry.answertype or "").strip(),
        _flags(entry),
        answers,
    )


def _flags(entry: _Entry) -> dict[str, bool]:
    values = (entry.aggregation, entry.onlydbo, entry.hybrid)
    if values == _NO_FLAGS:
        return {}
    return {flag: value for flag, value in zip(FLAGS, values, strict=True) if value is not UNSET}


def _answers(results: KnownResults) -> Answers | None:
    """Return the answers, unless GERBIL's loader would read rows beside a boolean."""
    # not by truth: "results" without bindings is there too
    if results.results not in (None, UNSET) and results.boolean not in (None, UNSET):
        return None
    return answers_of(results)
