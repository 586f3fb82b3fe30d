"""Tables as CSV, with no cell that a spreadsheet would execute."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

#: Put before a cell that a spreadsheet would execute, to make it text.
MARK = "' "
_UNSEEN = r'[\s"\x00-\x1f\u200b-\u200f\u2060\ufeff]*'
_FORMULA = re.compile(rf"(?:{MARK})*(?!{MARK})(?:[\t\r\n]|{_UNSEEN}[=+\-@＝＋－＠﹢﹣﹦﹫])")
_NUMBER = re.compile(rf"(?:{MARK})*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SEPARATORS = re.compile(r'[,;"\t\r\n]|^\s|\s$')


def dump_csv(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Format a table as CSV; None and NaN become empty cells.

    Text with any common separator is quoted, as a spreadsheet may expect another than the comma.

    >>> print(dump_csv(["id", "answer"], [["1", -5], ["2", "=1+1"], ["3", "a;b"]]), end="")
    id,answer
    1,-5
    2,' =1+1
    3,"a;b"
    """
    lines = []
    for row in itertools.chain([header], rows):
        cells = []
        for value in row:
            text = "" if value is None or value != value else str(value)
            if isinstance(value, str):
                text = protect(value)
            if _SEPARATORS.search(text):
                text = '"' + text.replace('"', '""') + '"'
            cells.append(text)
        lines.append(",".join(cells) + "\n")
    return "".join(lines)


def protect(text: str) -> str:
    """Return a cell that no spreadsheet executes; a number is not changed.

    >>> [protect(cell) for cell in ("=1+1", "-5", "-5 or -6", "a-b")]
    ["' =1+1", '-5', "' -5 or -6", 'a-b']
    """
    return MARK + text if _is_formula(text) else text


def unprotect(text: str) -> str:
    """Return the text of a cell that `protect` has marked; any other cell stays as it is."""
    if text.startswith(MARK) and _is_formula(text):
        return text.removeprefix(MARK)
    return text


def _is_formula(text: str) -> bool:
    """Return whether a spreadsheet takes a cell for a formula, with or without marks before it."""
    return _FORMULA.match(text) is not None and _NUMBER.fullmatch(text) is None
