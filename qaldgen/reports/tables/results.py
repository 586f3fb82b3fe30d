"""Tables of results as text, Markdown, LaTeX, CSV and JSON.

Formats for people have rounded numbers, those for programs exact ones.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Sequence

import pandas as pd

from qaldgen.defaults import DECIMALS
from qaldgen.errors import UsageError
from qaldgen.io.arguments import one_of
from qaldgen.io.spreadsheets import dump_csv
from qaldgen.io.terminal import escape_line, table_width
from qaldgen.io.text import markdown_table, text_table

#: Formats that programs read.
FOR_PROGRAMS = ("csv", "json")
#: The most runs in a text table; further runs follow in tables below it.
_ABREAST = 4
#: Spaces between two columns.
_GAP = 2
#: When a table is folded, longer words than this are broken.
_WORD = 16

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
    return TABLE_FORMS[form](frame)


def dump_runs(frame: pd.DataFrame, form: str, keys: int) -> str:
    """Return a table with a column per run after the first ones.

    Of many runs, text has parts that each repeat the first columns.
    """
    if form != "text" or frame.shape[1] <= keys + _ABREAST:
        return dump_frame(frame, form)
    parts = []
    for first in range(keys, frame.shape[1], _ABREAST):
        runs = range(first, min(first + _ABREAST, frame.shape[1]))
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


def _numeric(frame: pd.DataFrame) -> list[bool]:
    return [kind.kind in "iuf" for kind in frame.dtypes]


def _cells(frame: pd.DataFrame) -> list[list[str]]:
    """Return head and cells as people read them, each on one line and safe for terminals."""
    columns = []
    for number, name in enumerate(frame.columns):
        values = [name, *_values(frame, number)]
        columns.append([escape_line(cell(value).replace("\n", " ")) for value in values])
    return [list(row) for row in zip(*columns, strict=True)]


def _values(frame: pd.DataFrame, number: int) -> list[object]:
    """Return the values of a column; None for a missing whole number."""
    column = frame.iloc[:, number]
    if column.dtype == "Int64":
        column = column.astype(object).where(column.notna(), None)
    return list(column.tolist())


def _text(frame: pd.DataFrame) -> str:
    """Return aligned columns, folded where the terminal is too narrow."""
    rows = _cells(frame)
    right = [number for number, numeric in enumerate(_numeric(frame)) if numeric]
    widths = []
    least = []
    for number, column in enumerate(zip(*rows, strict=True)):
        width = max(map(len, column))
        widths.append(width)
        words = " ".join(column).split()
        longest = max(map(len, words), default=0)
        least.append(width if number in right else min(_WORD, longest))
    room = table_width()
    gaps = _GAP * (len(widths) - 1)
    # columns of single letters would be harder to read than lines that the terminal wraps
    if room is None or not sum(least) + gaps <= room < sum(widths) + gaps:
        return text_table(rows, right)
    return _folded(rows, right, least, room)


def _folded(
    rows: Sequence[Sequence[str]], right: Sequence[int], least: Sequence[int], room: int
) -> str:
    """Return aligned columns in a room of so many characters; texts are folded, numbers never.

    `right` are the columns of numbers, `least` the least width of each column.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=None, pad_edge=False, padding=(0, _GAP, 0, 0), show_header=True, header_style=None
    )
    for number, (name, needed) in enumerate(zip(rows[0], least, strict=True)):
        numeric = number in right
        table.add_column(
            Text(name),
            justify="right" if numeric else "left",
            no_wrap=numeric,
            overflow="fold",
            min_width=needed,
        )
    for row in rows[1:]:
        table.add_row(*map(Text, row))
    # plain text without escape codes: the output may go to a file
    text = io.StringIO()
    page = Console(
        file=text, width=room, color_system=None, legacy_windows=False, force_terminal=False
    )
    page.print(table)
    return "".join(line.rstrip() + "\n" for line in text.getvalue().splitlines())


def _markdown(frame: pd.DataFrame) -> str:
    rule = ["---:" if right else "---" for right in _numeric(frame)]
    rows = [[markdown(value) for value in row] for row in _cells(frame)]
    return markdown_table([rows[0], rule, *rows[1:]])


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


def _csv(frame: pd.DataFrame) -> str:
    columns = [_values(frame, number) for number in range(frame.shape[1])]
    return dump_csv(map(str, frame.columns), zip(*columns, strict=True))


def _json(frame: pd.DataFrame) -> str:
    names = [str(name) for name in frame.columns]
    columns = []
    for number in range(frame.shape[1]):
        columns.append([None if value != value else value for value in _values(frame, number)])
    rows = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


#: The formats of tables by name.
TABLE_FORMS: dict[str, Callable[[pd.DataFrame], str]] = {
    "text": _text,
    "markdown": _markdown,
    "latex": latex_of,
    "csv": _csv,
    "json": _json,
}
