"""Four small question answering systems over a local graph, to have something to compare.

Each is a function of the text of a question and of the knowledge graph, as ``qaldgen ask --system
python:MODULE:FUNCTION`` calls those of anybody, and returns the SPARQL query that it made. They see
nothing else, and no query is silence.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from weakref import WeakKeyDictionary

from qaldgen.stores.local import LocalStore
from qaldgen_systems._graph import GraphIndex, index
from qaldgen_systems._lookup import lookup as _lookup_query
from qaldgen_systems._neighbours import neighbours as _neighbours_query
from qaldgen_systems._templates import templates as _templates_query
from qaldgen_systems._typed import typed as _typed_query

__all__ = ["SYSTEMS", "lookup", "neighbours", "templates", "typed"]

_indexes: WeakKeyDictionary[LocalStore, GraphIndex] = WeakKeyDictionary()
_lock = threading.Lock()


def lookup(text: str, *, store: LocalStore) -> dict[str, str] | None:
    """Answer by a name and the relation whose label is most alike to the other words; one hop."""
    return _answer(_lookup_query, text, store)


def neighbours(text: str, *, store: LocalStore) -> dict[str, str] | None:
    """Answer by everything of the wanted class that is linked with what is named; any relation."""
    return _answer(_neighbours_query, text, store)


def typed(text: str, *, store: LocalStore) -> dict[str, str] | None:
    """Answer by stems and words of the same meaning, classes, counts, yes or no, up to two hops."""
    return _answer(_typed_query, text, store)


def templates(text: str, *, store: LocalStore) -> dict[str, str] | None:
    """Answer by patterns of questions: superlatives, comparisons, limits, counts, yes or no."""
    return _answer(_templates_query, text, store)


#: The systems, by name.
SYSTEMS = {"lookup": lookup, "neighbours": neighbours, "typed": typed, "templates": templates}


def _answer(
    make_query: Callable[[GraphIndex, str], str], text: str, store: LocalStore
) -> dict[str, str] | None:
    query = make_query(_index(store), text)
    return {"query": query} if query else None


def _index(store: LocalStore) -> GraphIndex:
    """Return the index of a graph, which is made once, however many ask at the same time."""
    with _lock:
        if store not in _indexes:
            _indexes[store] = index(store)
        return _indexes[store]
