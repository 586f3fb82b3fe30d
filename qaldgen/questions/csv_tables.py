"""Read tables with separators: commas, tabs, semicolons or bars."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Literal

from qaldgen.errors import DataError
from qaldgen.io.csv_cells import unprotect
from qaldgen.io.notes import note
from qaldgen.io.text import count
from qaldgen.questions.fields import count_field_names, identifies_question, may_hold_answers
from qaldgen.questions.file_content import Content
from qaldgen.questions.json_documents import Unparsed

#: The most characters of a cell; the default of csv (131,072) is too few for passages.
_MAX_CELL_CHARS = 2**24
#: The most columns; a first line with more has lost its end.
_MAX_COLUMNS = 10_000
_MAX_HEADER_CHARS = 100_000
#: The most lines above a header.
_MAX_LINES_ABOVE = 10
_BLANK_LINES = re.compile(r"\A(?:[ \t]*\r?\n)+")
#: A cell of the line below the header in Markdown.
_MARKDOWN_RULE = re.compile(r"\s*(?::?-+:?\s*)?")
#: The line in which spreadsheets name the separator.
_SEPARATOR_LINE = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)


def table_columns(content: Content) -> list[str]:
    """Return the names in the header of a table, in lower case; none if it is not a table."""
    return [name.lower() for name in table_header(content)]


def table_header(content: Content) -> list[str]:
    """Return the names in the header of a table; none if it is not a table.

    Repeated names get the names of their groups, which may stand above the first column of each
    group: ``GPT-4 answer``.
    """
    if content.kind != "text":
        return []
    names, groups = _header_rows(content)
    if not groups:
        return names
    header = []
    group = ""
    for name, cell in zip(names, groups, strict=True):
        group = cell or group
        header.append(f"{group} {name}" if names.count(name) > 1 else name)
    return header


def _header_rows(content: Content) -> tuple[list[str], list[str]]:
    """Return the names of the columns, and the names of groups in the row above, if any."""
    text, delimiter = _split_preamble(content)
    above = lines_above_header(content).splitlines()[-1:]
    try:
        reader = csv.reader(io.StringIO(text[:_MAX_HEADER_CHARS], newline=""), delimiter=delimiter)
        names = [unprotect(name).strip() for name in next(reader, [])]
        groups = [cell.strip() for cell in next(csv.reader(above, delimiter=delimiter), [])]
    except csv.Error:
        return [], []
    if len(groups) != len(names) or len(set(names)) == len(names):
        groups = []
    return names, groups


def table_records(
    content: Content,
    header: Sequence[str] | None = None,
    *,
    headed: bool = True,
    delimiter: str = "",
) -> list[object]:
    """Return the rows of a table as objects, without empty cells and empty rows.

    By default, the names and the delimiter are those of the table. `headed` says whether its first
    line is a header. A row with more cells than columns, or with different values in columns with
    the same name, becomes `Unparsed`.
    """
    columns = list(table_columns(content) if header is None else header)
    if len(columns) > _MAX_COLUMNS:
        raise DataError(
            f"has more than {_MAX_COLUMNS:,} columns, the most that a table may have; look for the"
            " end of its first line",
            where=content.path,
        )
    text, table_delimiter = _split_preamble(content)
    n_above = len(lines_above_header(content).splitlines())
    if n_above and not _SEPARATOR_LINE.match(content.text.lstrip()):
        _, groups = _header_rows(content)
        if groups:
            n_above -= 1
        if n_above:
            note(f"not read: {count(n_above, 'line')} above the header")
    delimiter = delimiter or table_delimiter
    with _large_cells():
        records = list(_read_records(content, text, delimiter, columns, headed=headed))
    _fill_down(records, columns)
    return records


def _fill_down(records: Sequence[object], columns: Sequence[str]) -> None:
    """Fill the id and the question of rows that have only answers from the row above.

    Spreadsheets show them once, in the first of the rows of a question.
    """
    keys = [name for name in columns if identifies_question(name)]
    answers = [name for name in columns if may_hold_answers(name) and name not in keys]
    above: dict[str, object] = {}
    n_filled = 0
    for record in records:
        if not isinstance(record, dict):
            above = {}
        elif any(name in record for name in keys):
            above = {name: record[name] for name in keys if name in record}
        elif above and any(name in record for name in answers):
            record |= above
            n_filled += 1
    if n_filled:
        have = "has" if n_filled == 1 else "have"
        note(f"{count(n_filled, 'row')} without an id or a question {have} those of the row above")


def objects_in(content: Content) -> list[dict[str, object]]:
    """Return the rows of a table, or the records of JSON that are objects."""
    is_table = content.kind == "text"
    rows = table_records(content, table_header(content)) if is_table else content.rows
    return [row for row in rows if isinstance(row, dict)]


def first_records(
    content: Content, header: Sequence[str], most: int, *, headed: bool = True
) -> list[object]:
    """Return the first rows of a table, at most up to an unclosed quote."""
    records: list[object] = []
    with _large_cells(), suppress(DataError):
        text, delimiter = _split_preamble(content)
        rows = _read_records(content, text, delimiter, list(header), headed=headed)
        records.extend(islice(rows, most))
    return records


def first_column(content: Content) -> list[str]:
    """Return the first cell of each row of a table with commas; lines end at LF or CRLF only."""
    # the csv module refuses a carriage return inside a line
    text = content.text.replace("\r\n", "\n").replace("\r", " ")
    try:
        with _large_cells():
            return [row[0] if row else "" for row in csv.reader(io.StringIO(text))]
    except csv.Error as error:
        raise DataError(f"is not a table of one column ({error})", where=content.path) from error


@contextmanager
def _large_cells() -> Iterator[None]:
    previous_limit = csv.field_size_limit(_MAX_CELL_CHARS)
    try:
        yield
    finally:
        csv.field_size_limit(previous_limit)


def unique_header(content: Content) -> list[str]:
    """Return the names of the columns, with ``column 2``, ... for missing names.

    The first column may have an empty name, because pandas writes row numbers in such a column.
    """
    header = table_header(content)
    for index in range(1, len(header)):
        header[index] = header[index] or f"column {index + 1}"
    return header


class _LineReader:
    """The lines of a text; `is_exhausted` tells whether all were read, as by an open quote."""

    def __init__(self, text: str) -> None:
        self._lines = io.StringIO(text, newline="")
        self.is_exhausted = False

    def __iter__(self) -> Iterator[str]:
        yield from self._lines
        self.is_exhausted = True


def _read_records(
    content: Content, text: str, delimiter: str, columns: list[str], *, headed: bool
) -> Iterator[object]:
    # most tab-separated files do not quote cells, so a quote in them is an ordinary character
    quoted = delimiter != "\t" or _quotes_are_closed(text, delimiter)
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    lines = _LineReader(text)
    rows = csv.reader(lines, delimiter=delimiter, strict=True, quoting=quoting)
    try:
        if headed:
            next(rows, None)
    except csv.Error as error:
        problem = _describe_quote_error(rows.line_num, error)
        raise DataError(problem, where=content.path) from error
    repeated = [name for name, count in Counter(columns).items() if count > 1]
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            problem = _describe_quote_error(rows.line_num, error)
            if lines.is_exhausted:  # the rows after the open quote cannot be recovered
                raise DataError(problem, where=content.path) from error
            yield Unparsed(problem)
            continue
        if delimiter == "|" and all(map(_MARKDOWN_RULE.fullmatch, row)):
            continue
        problem = _describe_row_error(row, columns, repeated)
        record = {
            name: unprotect(cell) for name, cell in zip(columns, row, strict=False) if cell.strip()
        }
        if problem:
            yield Unparsed(f"line {rows.line_num}: {problem}")
        elif record:
            yield record


def _describe_quote_error(line: int, error: csv.Error) -> str:
    return f"line {line}: {error}; quotes inside cells must be doubled"


def _describe_row_error(row: list[str], columns: list[str], repeated: list[str]) -> str:
    """Return what is wrong with a row; empty if it is correct."""
    if len(row) > len(columns) and any(cell.strip() for cell in row[len(columns) :]):
        return (
            f"has {len(row)} cells, the header has {len(columns)}; "
            "quote cells that contain the separator"
        )
    for name in repeated:
        cells = {
            cell.strip()
            for column, cell in zip(columns, row, strict=False)
            if column == name and cell.strip()
        }
        if len(cells) > 1:
            examples = " and ".join(repr(cell[:40]) for cell in sorted(cells)[:2])
            return (
                f"two columns are named {name!r} but have different "
                f"values, {examples}; rename one of them"
            )
    return ""


def _quotes_are_closed(text: str, delimiter: str) -> bool:
    """Return whether the quotes in a tab-separated text can be read as quotes around cells."""
    try:
        for _ in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True):
            pass
    except csv.Error:
        lines = text.split("\n")
        n_delimiters = lines[0].count(delimiter)
        return any(line.count(delimiter) != n_delimiters for line in lines if line.strip())
    return True


def lines_above_header(content: Content) -> str:
    """Return the lines above the header of a table, such as its title; empty if there are none.

    The header is the first line with a known name of a field, and needs two of them.
    """
    text = _BLANK_LINES.sub("", content.text, count=1)
    end = 0
    for line in text[:_MAX_HEADER_CHARS].splitlines(keepends=True)[:_MAX_LINES_ABOVE]:
        cells = [cell.strip(" \"'\r\n") for cell in re.split(r"[\t,;|]", line)]
        fields = count_field_names(cells)
        if fields > 1:
            return text[:end]
        if fields and len(cells) > 1:  # a single cell may be a title, such as "Results"
            return ""
        end += len(line)
    return ""


def _split_preamble(content: Content) -> tuple[str, str]:
    """Return the text of a table from its header on, and its separator."""
    text = _BLANK_LINES.sub("", content.text, count=1)
    separator_line = _SEPARATOR_LINE.match(text)
    if separator_line:
        return text[separator_line.end() :], separator_line[1]
    text = text[len(lines_above_header(content)) :]
    # old programs end lines with a carriage return alone
    header = re.split(r"[\r\n]", text[:_MAX_HEADER_CHARS], maxsplit=1)[0]
    return text, next((mark for mark in ("\t", ",", ";", "|") if mark in header), ",")
