"""Write tables of questions as CSV or JSON Lines, with names that stand once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from qaldgen.spreadsheets import dump_csv

if TYPE_CHECKING:
    import pandas as pd

#: The columns that a table has beside the features.
RESERVED = ("question", "id", "text", "cluster", "weight", "inclusion_probability")


def column_names(features: Iterable[str]) -> list[str]:
    """Return the names of feature columns; one that a table has anyway gets the question mark of its variable.

    Examples
    --------
    >>> column_names(["length", "text"])
    ['length', '?text']
    """
    return [f"?{name}" if name in RESERVED else name for name in features]


def dump_table(frame: pd.DataFrame, form: str) -> bytes:
    """Return a table, its index as first column, as ``csv`` or ``jsonl``."""
    whole = frame.reset_index()
    names: Sequence[str] = list(whole.columns)
    rows = zip(*(whole[name].tolist() for name in names), strict=True)
    if form == "csv":
        return dump_csv(names, rows).encode("utf-8", "backslashreplace")
    return "".join(json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) + "\n" for row in rows).encode("utf-8")
