"""Tables of results as text, Markdown, LaTeX, CSV and JSON.

Formats for people have rounded numbers, those for programs exact ones.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Container

import numpy as np
import pandas as pd

from qaldgen.defaults import DECIMALS
from qaldgen.errors import UsageError
from qaldgen.io.arguments import one_of
from qaldgen.io.csv_cells import dump_csv
from qaldgen.io.terminal import escape_line, table_width
from qaldgen.io.text import markdown_table, text_table

#: The formats of tables.
TABLE_FORMS = ("text", "markdown", "latex", "csv", "json")
#: Formats for programs.
FOR_PROGRAMS = ("csv", "json")
#: The most runs in a text table; further runs follow in tables below it.
_MAX_RUNS = 4
#: Spaces between two columns.
_GAP = 2
#: When a table is folded, longer words than this are broken.
_MAX_WORD = 16

#: What Markdown interprets; it leaves underscores within words and brackets without an address
#: alone.
_MARKDOWN = re.compile(r"[`*|~$]|(?<!\w)_|_(?!\w)|\](?=[(\[:])")
_ENTITY = re.compile(r"&(?=#?\w+;)")


def dump_frame(frame: pd.DataFrame, form: str) -> str:
    """Return a table, without its index, in one of five formats.

    >>> import pandas as pd
    >>> print(dump_frame(pd.DataFrame({"system": ["a_1"], "f1": [1 / 3]}), "markdown"))
    | system | f1 |
    | --- | ---: |
    | a_1 | 0.3333 |
    <BLANKLINE>
    """
    if form not in TABLE_FORMS:
        raise UsageError(f"format {form!r} is unknown; {one_of(form, TABLE_FORMS)}")
    if form == "text":
        return _text(frame)
    if form == "markdown":
        heads, *rows = [list(map(markdown, row)) for row in _cells(frame)]
        rule = ["---:" if is_number else "---" for is_number in _is_numeric(frame)]
        return markdown_table([heads, rule, *rows])
    if form == "latex":
        return latex_of(frame)

    columns = [_column_values(frame, index) for index in range(frame.shape[1])]
    if form == "csv":
        return dump_csv(map(str, frame.columns), zip(*columns, strict=True))

    names = [str(name) for name in frame.columns]
    records = []
    for row in zip(*columns, strict=True):
        values = [None if value != value else value for value in row]  # JSON has no NaN
        records.append(dict(zip(names, values, strict=True)))
    return json.dumps(records, ensure_ascii=False, indent=1) + "\n"


def dump_runs(frame: pd.DataFrame, form: str, keys: int) -> str:
    """Return a table that has a column per run after the first `keys` columns.

    As text, many runs are divided into parts, which repeat the first columns.
    """
    if form != "text" or frame.shape[1] <= keys + _MAX_RUNS:
        return dump_frame(frame, form)
    parts = []
    for start in range(keys, frame.shape[1], _MAX_RUNS):
        runs = range(start, min(start + _MAX_RUNS, frame.shape[1]))
        columns = [*range(keys), *runs]
        parts.append(dump_frame(frame.iloc[:, columns], form))
    return "\n".join(parts)


def cell(value: object) -> str:
    """Return a value as people read it.

    Numbers have `DECIMALS` decimals, whole numbers have commas, and a missing value is a dash.
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) or hasattr(value, "bit_count"):
        return f"{value:,}"
    if value is None or value != value:
        return "-"
    if isinstance(value, float):
        return f"{round(value, DECIMALS) + 0.0:.{DECIMALS}f}"  # + 0.0: no "-0.0000"
    return str(value)


def free_name(name: str, columns: Container[str]) -> str:
    """Return the name of a new column, with spaces at its end if there is one with this name."""
    while name in columns:
        name += " "
    return name


def _is_numeric(frame: pd.DataFrame) -> list[bool]:
    return [dtype.kind in "iuf" for dtype in frame.dtypes]


def _cells(frame: pd.DataFrame) -> list[list[str]]:
    """Return header and rows as people read them, each cell one line and safe for terminals."""
    columns = []
    for index, name in enumerate(frame.columns):
        values = [name, *_column_values(frame, index)]
        columns.append([escape_line(cell(value).replace("\n", " ")) for value in values])
    return [list(row) for row in zip(*columns, strict=True)]


def _column_values(frame: pd.DataFrame, index: int) -> list[object]:
    """Return the values of a column; None for a missing whole number."""
    column = frame.iloc[:, index]
    if column.dtype == "Int64":
        column = column.astype(object).where(column.notna(), None)
    return list(column.tolist())


def _text(frame: pd.DataFrame) -> str:
    """Return aligned columns; where the terminal is too narrow, texts are folded, numbers not."""
    rows = _cells(frame)
    number_columns = np.flatnonzero(_is_numeric(frame)).tolist()
    widths = []
    min_widths = []
    for index, column in enumerate(zip(*rows, strict=True)):
        width = max(map(len, column))
        widths.append(width)
        if index not in number_columns:
            words = " ".join(column).split()
            width = min(_MAX_WORD, max(map(len, words), default=0))
        min_widths.append(width)
    available = table_width()
    gaps = _GAP * (len(widths) - 1)
    # columns of single letters would be harder to read than lines that the terminal wraps
    if available is None or not sum(min_widths) + gaps <= available < sum(widths) + gaps:
        return text_table(rows, number_columns)

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=None, pad_edge=False, padding=(0, _GAP, 0, 0), show_header=True, header_style=None
    )
    for index, (name, min_width) in enumerate(zip(rows[0], min_widths, strict=True)):
        is_number = index in number_columns
        table.add_column(
            Text(name),
            justify="right" if is_number else "left",
            no_wrap=is_number,
            overflow="fold",
            min_width=min_width,
        )
    for row in rows[1:]:
        table.add_row(*map(Text, row))
    # plain text without escape codes: the output may go to a file
    text = io.StringIO()
    page = Console(
        file=text, width=available, color_system=None, legacy_windows=False, force_terminal=False
    )
    page.print(table)
    return "".join(line.rstrip() + "\n" for line in text.getvalue().splitlines())


def markdown(value: str) -> str:
    r"""Escape a text for Markdown, on one line.

    The result contains no tag, link, picture, emphasis or code, and does not end a table cell.

    >>> print(markdown("a_1 <b> |*x*|"))
    a_1 &lt;b> \|\*x\*\|
    """
    text = _ENTITY.sub("&amp;", escape_line(value)).replace("\\", "\\\\").replace("<", "&lt;")
    return _MARKDOWN.sub(r"\\\g<0>", text)


def latex_of(frame: pd.DataFrame, caption: str = "", label: str = "") -> str:
    """Return a table as people read it in LaTeX; with a caption as a float."""
    from qaldgen.reports.tables.latex import latex_table

    heads, *rows = _cells(frame)
    return latex_table(heads, rows, caption=escape_line(caption), label=label)
