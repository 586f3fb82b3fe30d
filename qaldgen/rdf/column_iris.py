"""The properties of a question set's own columns, in the namespace of the set."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

from qaldgen.rdf.terms import BASE

_COLUMN = re.compile(rf"{BASE}dataset/[^/]*/column/([^/]+)")


def column_iri(set_name: str, column: str) -> str:
    """Return the property of an own column of a question set.

    >>> column_iri("mine", "comp level")
    'http://qald-gen.aksw.org/dataset/mine/column/comp%20level'
    """
    return f"{BASE}dataset/{set_name}/column/{quote(column, safe='')}"


def column_name(iri: str) -> str:
    """Return the name of an own column by its property; empty for any other IRI.

    >>> column_name("http://qald-gen.aksw.org/dataset/mine/column/comp%20level")
    'comp level'
    """
    match = _COLUMN.fullmatch(iri)
    if not match:
        return ""
    return unquote(match[1])
