"""Read Excel workbooks (.xlsx), of which one sheet becomes a table."""

from __future__ import annotations

import datetime
import hashlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

from qaldgen.errors import DataError
from qaldgen.io.files import open_input, refuse_bomb, zip_members
from qaldgen.io.text import dump_csv

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

_WORKBOOK = "xl/workbook.xml"


def is_workbook(path: Path) -> bool:
    """Whether this is an Excel file."""
    return any(member.filename == _WORKBOOK for member in zip_members(path))


def workbook_table(path: Path) -> tuple[str, str, list[str]]:
    """Return the first sheet with content as CSV, the sha256 of the file, and notes."""
    try:
        from openpyxl import load_workbook
        from openpyxl.utils.exceptions import InvalidFileException
    except ImportError as error:
        raise DataError(
            "is an Excel workbook; to read it, install openpyxl: pip install 'qaldgen[excel]', or"
            " save the sheet as CSV",
            where=path,
        ) from error
    with open_input(path) as file:
        data = file.read()
    refuse_bomb(path, sum(member.file_size for member in zip_members(path)), len(data))
    try:
        # the values that formulas had when the file was saved
        book = load_workbook(io.BytesIO(data), data_only=True)
        tables = {sheet.title: list(_rows(sheet)) for sheet in book.worksheets}
    except (InvalidFileException, BadZipFile, KeyError, ValueError, TypeError, OSError) as error:
        raise DataError(
            f"the workbook is damaged ({' '.join(str(error).split())[:200]}); open and save it"
            " again, or save the sheet as CSV",
            where=path,
        ) from error
    filled = [name for name, rows in tables.items() if rows]
    if not filled:
        raise DataError("is a workbook without any filled cell", where=path)
    others = ", ".join(repr(name) for name in filled[1:])
    notes = [
        f"the sheet {filled[0]!r} is read; to read another ({others}), save it as a file of its own"
    ]
    header, *rows = tables[filled[0]]
    return dump_csv(header, rows), hashlib.sha256(data).hexdigest(), notes if others else []


def _rows(sheet: Worksheet) -> Iterator[list[str]]:
    """Yield the rows of a sheet that have content."""
    for row in sheet.iter_rows(values_only=True):
        cells = [_text(value) for value in row]
        if any(cells):
            yield cells


def _text(value: object) -> str:
    """Return a cell as CSV has it: 7 instead of 7.0, and a day without the time of midnight."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime.datetime):
        midnight = value.time() == datetime.time()
        return value.date().isoformat() if midnight else value.isoformat()
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    return str(value).strip()
