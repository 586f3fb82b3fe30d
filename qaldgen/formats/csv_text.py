"""CSV that every reader takes apart in the same way."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    r"""Return rows as CSV with line feeds; None is an empty cell.

    Python's writer leaves a carriage return unquoted unless it is part of the line end, and readers then end the row there.

    Examples
    --------
    >>> csv_text([["a\rb", "c, d", None]])
    '"a\rb","c, d",\n'
    """
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    lines = []
    for row in rows:
        buffer.seek(0)
        buffer.truncate()
        writer.writerow(row)
        lines.append(buffer.getvalue().removesuffix("\r\n") + "\n")
    return "".join(lines)
