"""The tables that ``qaldgen list`` shows, those of other packages included, and their rows."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import EntryPoint

from qaldgen.io.extensions import entry_points_of

_GROUP = "qaldgen.tables"
#: The import path of each table, a mapping or a function that returns one. Plug-ins add theirs.
_CORE_TABLES = {
    "corrections": "qaldgen.analysis.comparing.multiplicity:CORRECTIONS",
    "exports": "qaldgen.benchmark.benchmark:FORMATS",
    "extractions": "qaldgen.scoring.words.extraction:EXTRACTIONS",
    "formats": "qaldgen.questions.reading:READERS",
    "matchers": "qaldgen.scoring.matchers:all_matchers",
    "measures": "qaldgen.scoring.measures:known_measures",
    "methods": "qaldgen.sampling:METHODS",
    "missing-answers": "qaldgen.scoring.missing:POLICIES",
    "missing-features": "qaldgen.selection.vectors:MISSING_RULES",
    "protocols": "qaldgen.asking.protocols:PROTOCOLS",
    "repeats": "qaldgen.scoring.repeats:AGGREGATIONS",
    "runs": "qaldgen.answers.reading:RUN_READERS",
    "same-as": "qaldgen.scoring.gerbil.answers:SAME_AS",
    "scalings": "qaldgen.selection.scaling:SCALINGS",
    "score-forms": "qaldgen.reports.tables.score_formats:all_formats",
    "set-tables": "qaldgen.analysis.question_sets:SET_TABLES",
    "systems": "qaldgen.asking.protocols:all_systems",
}


def tables() -> dict[str, EntryPoint]:
    """Return the entry point of each table by name; nothing is imported."""
    entries = {point.name: point for point in entry_points_of(_GROUP)}
    entries |= {name: EntryPoint(name, value, _GROUP) for name, value in _CORE_TABLES.items()}
    return dict(sorted(entries.items()))


def table_lines(table: str) -> dict[str, str]:
    """Return the names that a table has, and a line about each.

    >>> table_lines("missing-features")["drop"]
    'leave the question out'
    """
    rows: Mapping[str, object] = tables()[table].load()
    if callable(rows):
        rows = rows()
    return {name: row_line(row) for name, row in rows.items()}


def row_line(row: object) -> str:
    """Return the description of a row: its help, its definition, or its docstring."""
    if isinstance(row, str):
        text = row
    else:
        text = getattr(row, "help", "") or getattr(row, "definition", "")
    if not text:
        text = first_paragraph(row.__doc__ or "").removeprefix("Return ")
        text = text[:1].lower() + text[1:]
    # A list has no full stops, but an ellipsis says that there is more.
    if text.endswith("..."):
        return text
    return text.removesuffix(".")


def first_paragraph(text: str) -> str:
    """Return the first paragraph of a text, on one line."""
    return " ".join(text.partition("\n\n")[0].split())
