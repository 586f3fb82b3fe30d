"""Read tables in binary files: Parquet, Arrow (also of Hugging Face), and Excel workbooks."""

from __future__ import annotations

import datetime
import json
import os
import warnings
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qaldgen.errors import DataError
from qaldgen.io.csv_cells import dump_csv
from qaldgen.io.json_text import member
from qaldgen.io.notes import note
from qaldgen.io.unpacking import ContentReader, refuse_bomb
from qaldgen.questions.fields import count_field_names
from qaldgen.questions.json_documents import json_value

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet


#: The first bytes of Parquet, of Arrow files, and of the Arrow streams that `datasets` writes.
_PARQUET, _ARROW, _ARROW_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
#: The prefix of columns in which pandas stores the numbers of the rows.
_INDEX_PREFIX = "__index_level_"
_WORKBOOK = "xl/workbook.xml"
#: The most cells of a sheet, including blank ones; a single cell far away could fill the memory.
_MAX_CELLS = 20_000_000


def is_columnar(data: bytes) -> bool:
    """Return whether a file with this beginning is Parquet or Arrow."""
    return data.startswith((_PARQUET, _ARROW, _ARROW_STREAM))


def columnar_rows(path: Path, data: bytes) -> list[object]:
    """Return the rows of a Parquet or Arrow file as JSON-like objects.

    Class labels are replaced by their names.
    """
    file_type = "Parquet" if data.startswith(_PARQUET) else "Arrow"
    try:
        import pyarrow as pa
        from pyarrow import ipc, parquet
    except ImportError as error:
        raise DataError(
            f"is {file_type}; to read it, install pyarrow: pip install 'qaldgen[parquet]'",
            where=path,
        ) from error

    try:
        source = pa.BufferReader(data)  # also of tables with pictures and sounds
        if data.startswith(_PARQUET):
            table = parquet.read_table(source)
        elif data.startswith(_ARROW):
            table = ipc.open_file(source).read_all()
        else:
            table = ipc.open_stream(source).read_all()
        columns = [name for name in table.column_names if not name.startswith(_INDEX_PREFIX)]
        rows: list[dict[str, Any]] = table.select(columns).to_pylist()
    # for a damaged file, pyarrow may even raise a SystemError
    except (pa.ArrowException, OSError, ValueError, LookupError, SystemError, MemoryError) as error:
        raise DataError(
            f"the {file_type} is damaged ({' '.join(str(error).split())[:200]}); download it again",
            where=path,
        ) from error

    features: Mapping[str, object] = {}
    with suppress(ValueError, KeyError, TypeError):  # metadata of the library `datasets`
        hub_metadata = json.loads((table.schema.metadata or {}).get(b"huggingface", b"{}"))
        features = dict(hub_metadata["info"]["features"])

    for name in columns:
        names = member(features.get(name), "names")
        if isinstance(names, list) and pa.types.is_integer(table.schema.field(name).type):
            classes = dict(enumerate(names))
            for row in rows:
                row[name] = classes.get(row[name])
        else:
            for row in rows:
                row[name] = json_value(row[name])
    return list(rows)


def is_workbook(members: Sequence[zipfile.ZipInfo]) -> bool:
    """Return whether a zip with these files is an Excel file."""
    return any(member.filename == _WORKBOOK for member in members)


def workbook_table(reader: ContentReader) -> str:
    """Return a sheet as CSV: the first whose header names fields, else the first with content."""
    path = reader.path
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise DataError(
            "is an Excel workbook; to read it, install openpyxl: pip install 'qaldgen[excel]', or"
            " save the sheet as CSV",
            where=path,
        ) from error

    packed = reader.file.seek(0, os.SEEK_END)
    refuse_bomb(path, sum(member.file_size for member in reader.members), packed)
    try:
        # formulas are read as their values when the file was saved
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about parts that are not cells
            book = load_workbook(reader.file, data_only=True)
        tables = {sheet.title: list(_sheet_rows(sheet, path)) for sheet in book.worksheets}
    except DataError:
        raise
    except Exception as error:  # a damaged workbook makes openpyxl raise nearly anything
        raise DataError(
            f"the workbook is damaged ({' '.join(str(error).split())[:200]}); open and save it"
            " again, or save the sheet as CSV",
            where=path,
        ) from error

    filled = [name for name, rows in tables.items() if rows]
    if not filled:
        raise DataError("is a workbook without any filled cell", where=path)
    with_fields = [name for name in filled if count_field_names(tables[name][0]) > 1]
    title = (with_fields or filled)[0]
    if len(filled) > 1:
        others = ", ".join(repr(name) for name in filled if name != title)
        note(
            f"the sheet {title!r} is read; to read another ({others}), save it as a file of its own"
        )

    header, *rows = tables[title]
    return dump_csv(header, rows)


def _sheet_rows(sheet: Worksheet, path: Path) -> Iterator[list[str]]:
    """Yield the rows of a sheet with content, as texts."""
    if sheet.max_row * sheet.max_column > _MAX_CELLS:
        raise DataError(
            f"the sheet {sheet.title!r} spans {sheet.max_row:,} rows and {sheet.max_column:,}"
            " columns, because a cell far away is filled; delete it, or save the table as CSV",
            where=path,
        )
    for row in sheet.iter_rows(values_only=True):
        cells = [_cell_text(value) for value in row]
        if any(cells):
            yield cells


def _cell_text(value: object) -> str:
    """Return a cell as a text: 7 instead of 7.0, and a day without the time of midnight."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        value = value.date()
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return ""
    return str(json_value(value)).strip()
