"""The names of the columns of tables of questions and features."""

from __future__ import annotations

from collections.abc import Iterable

#: The columns that a table in Python has beside the features.
RESERVED = (
    "iri",
    "question",
    "id",
    "text",
    "cluster",
    "weight",
    "inclusion_probability",
    "position",
)


def column_names(features: Iterable[str]) -> list[str]:
    """Return the names of feature columns in Python.

    One that a table has anyway gets the question mark of its variable.

    Examples
    --------
    >>> column_names(["length", "text"])
    ['length', '?text']
    """
    return [f"?{name}" if name in RESERVED else name for name in features]


def file_columns(features: Iterable[str]) -> list[str]:
    """Return the names of feature columns in files.

    All are marked, so that no reader takes one for anything else.

    A feature called ``answers`` or ``query`` would come back as gold answers or as a query.

    Examples
    --------
    >>> file_columns(["length", "answers"])
    ['feature:length', 'feature:answers']
    """
    return [f"feature:{name}" for name in features]
