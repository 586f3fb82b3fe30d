"""Entries of QALD JSON of the usual shape, read in one pass; readers handle all others.

The checks are strict: anything unusual returns None, so that both ways give the same questions.
"""

from __future__ import annotations

from typing import NamedTuple

from qaldgen.formats.cells import plain_results
from qaldgen.model import Answers

#: The flags that GERBIL knows; those of single years (``onlyesdbp``, ``yago``) are metadata.
FLAGS = ("aggregation", "onlydbo", "hybrid")
_KEYS = frozenset({"id", "question", "query", "answers", "answertype", *FLAGS})
_WORDING = frozenset({"language", "string", "keywords"})
_QUERY = frozenset({"sparql", "pseudo"})
_HEAD = frozenset({"vars", "link"})
_BINDINGS = frozenset({"bindings"})


class Wording(NamedTuple):
    """A text of a question with its keywords, as written in the file."""

    language: str
    text: str
    keywords: str


class PlainEntry(NamedTuple):
    """The content of an entry of the usual shape.

    GERBIL's loader accepts every such entry, in runs and in gold questions.

    Attributes
    ----------
    id : str
        The id, as text.
    wordings : tuple of Wording
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
    wordings: tuple[Wording, ...]
    query: str
    pseudo: str
    kind: str
    flags: dict[str, bool]
    answers: Answers | None


def plain_entry(entry: object) -> PlainEntry | None:
    """Return the content of an entry with only the usual fields and values; else None.

    Examples
    --------
    >>> texts = [{"language": "en", "string": "Is it wet?"}]
    >>> plain_entry({"id": 7, "question": texts, "answers": [{"boolean": True}]}).answers
    Answers(boolean=True, variables=(), rows=(), texts=())
    >>> plain_entry({"id": 7, "question": "Is it wet?"})
    """
    if not isinstance(entry, dict) or not entry.keys() <= _KEYS:
        return None
    name, kind = _id(entry.get("id")), entry.get("answertype", "")
    wordings, queries, flags = _wordings(entry.get("question")), _queries(entry), _flags(entry)
    elements = entry.get("answers", [])
    if (
        not name
        or not isinstance(kind, str)
        or wordings is None
        or queries is None
        or flags is None
    ):
        return None
    # several elements have to be merged
    if not isinstance(elements, list) or len(elements) > 1:
        return None
    answers = plain_results(elements[0]) if elements else None
    if elements and (answers is None or not _is_taken(elements[0])):
        return None
    return PlainEntry(name, wordings, *queries, kind.strip(), flags, answers)


def _id(value: object) -> str:
    # not isinstance: a boolean is an int too
    return value.strip() if isinstance(value, str) else str(value) if type(value) is int else ""


def _wordings(value: object) -> tuple[Wording, ...] | None:
    if not isinstance(value, list):
        return None
    found = []
    for item in value:
        if not isinstance(item, dict) or not item.keys() <= _WORDING:
            return None
        language, text, keywords = (
            item.get("language"),
            item.get("string"),
            item.get("keywords", ""),
        )
        if not (isinstance(language, str) and isinstance(text, str) and isinstance(keywords, str)):
            return None
        found.append(Wording(language, text, keywords))
    return tuple(found)


def _queries(entry: dict[str, object]) -> tuple[str, str] | None:
    """Return query and pseudo-query."""
    if "query" not in entry:
        return "", ""
    query = entry["query"]
    if not isinstance(query, dict) or not query.keys() <= _QUERY:
        return None
    sparql, pseudo = query.get("sparql", ""), query.get("pseudo", "")
    return (
        (sparql.strip(), pseudo.strip())
        if isinstance(sparql, str) and isinstance(pseudo, str)
        else None
    )


def _flags(entry: dict[str, object]) -> dict[str, bool] | None:
    if entry.keys().isdisjoint(FLAGS):
        return {}
    found = {name: entry[name] for name in FLAGS if name in entry}
    said = {name: value for name, value in found.items() if isinstance(value, bool)}
    return said if len(said) == len(found) else None


def _is_taken(results: dict[str, object]) -> bool:
    """Whether GERBIL's loader reads these results unchanged: known keys, no rows with a boolean."""
    head, inner = results.get("head"), results.get("results")
    if inner is not None and results.get("boolean") is not None:
        return False
    if head is not None and not (
        isinstance(head, dict) and head.keys() <= _HEAD and isinstance(head.get("link", []), list)
    ):
        return False
    return inner is None or (isinstance(inner, dict) and inner.keys() <= _BINDINGS)
