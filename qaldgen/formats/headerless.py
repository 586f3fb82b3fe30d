"""Tables without a header: what their columns hold shows in their values."""

from __future__ import annotations

import re
from collections.abc import Sequence

from qaldgen.formats.column_values import looks_like_sparql
from qaldgen.formats.content import Content
from qaldgen.formats.tables import first_records, table_header

_LOOKED_AT = 200
#: Two words or more, or a script without spaces, and a question mark.
_ASKS = re.compile(r"\s*(?:\S+\s+\S.*|[^\x00-\u024f]{3,}.*)[?？؟]\W*", re.DOTALL)
#: What a regular expression has, and hardly any answer.
_PATTERN = re.compile(r"\([^()]*\|[^()]*\)|\)[?*+]|\.[*+]|\\[sdwbSDWB.]|\w\?\w|\[[^\]]+\][?*+]?\w")
_ID = re.compile(r"\S*[0-9]\S*")


def guessed_header(content: Content) -> list[str] | None:
    """Return names for the columns of a table whose first line is a question already; else None.

    Questions, queries and ids show in the values. The last other column behind the question holds
    the answers, unless there are queries and it repeats a few values, such as a template.
    """
    names = [f"column {place}" for place in range(1, len(table_header(content)) + 1)]
    if content.kind != "text" or len(names) < 2:
        return None
    rows = first_records(content, names, _LOOKED_AT, headed=False)
    values = {name: [_cell(row, name) for row in rows] for name in names}
    asked = max(names, key=lambda name: sum(map(_asks, values[name])))
    sparql = [name for name in names if 2 * sum(map(looks_like_sparql, values[name])) > len(rows)]
    shown = _asks(values[asked][0]) or any(looks_like_sparql(values[name][0]) for name in sparql)
    if 2 * sum(map(_asks, values[asked])) < len(rows) or not shown:
        return None
    kinds = {asked: "question", **({sparql[0]: "sparql"} if sparql else {})}
    place = names.index(asked)
    ids = [name for name in names[:place] if name not in kinds and _are_ids(values[name])]
    if ids:
        kinds[ids[0]] = "id"
    last = [name for name in names[place:] if name not in {*kinds, *sparql}][-1:]
    if last and (not sparql or 2 * len(set(values[last[0]])) > len(rows)):
        kinds[last[0]] = "answers"
    return [kinds.get(name, name) for name in names]


def without_patterns(rows: Sequence[object]) -> int:
    """Write answers that are regular expressions so that they are not split; return their number.

    The sets of TREC have them. In such a set a bar separates names of one answer.
    """
    objects = [row for row in rows if isinstance(row, dict) and "answers" in row]
    patterns = sum(_PATTERN.search(row["answers"]) is not None for row in objects)
    for row in objects if patterns else ():
        said = row["answers"]
        row["answers"] = [[said] if _PATTERN.search(said) else said.split("|")]
    return patterns


def _cell(row: object, name: str) -> str:
    return str(row.get(name, "")) if isinstance(row, dict) else ""


def _asks(text: str) -> bool:
    return _ASKS.fullmatch(text) is not None


def _are_ids(values: Sequence[str]) -> bool:
    return len(set(values)) == len(values) and all(map(_ID.fullmatch, values))
