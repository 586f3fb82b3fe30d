"""Formats of whole results, for ``score --format``, which also takes those of tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from qaldgen.io.extensions import Table
from qaldgen.options import Option


class ScoreFormat(NamedTuple):
    """A format in which scored runs are published.

    Attributes
    ----------
    write : callable
        ``(gold, scored, **options) -> bytes``: takes a `qaldgen.benchmark.gold.Gold` and a list of
        `qaldgen.Scores`, all made by the same rules.
    help : str
        A line about the format.
    options : tuple of Option
        The options of the format: arguments of `write` and options of the command line.
    """

    write: Callable[..., bytes]
    help: str
    options: tuple[Option, ...] = ()


#: Every format of scored runs; plug-ins add theirs.
SCORE_FORMATS: Table[ScoreFormat] = Table("score-forms", ScoreFormat, {})


def all_formats() -> Mapping[str, str | ScoreFormat]:
    """Return the formats of tables and of whole results, by name."""
    tables = {
        "text": "aligned columns",
        "markdown": "a Markdown table",
        "latex": "a table for booktabs",
        "csv": "exact numbers, comma-separated",
        "json": "exact numbers, a list of records",
    }
    return {**tables, **SCORE_FORMATS}
