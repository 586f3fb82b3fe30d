"""Read tables with a header: comma-, tab-, semicolon- or bar-separated."""

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
from qaldgen.io.notes import note
from qaldgen.io.spreadsheets import unprotect
from qaldgen.io.text import count
from qaldgen.questions.fields import count_field_names
from qaldgen.questions.file_content import Content
from qaldgen.questions.json_documents import Unparsed

#: Characters of a cell; the default of csv (131,072) is too few for passages.
_LARGEST = 2**24
#: More columns are a first line whose end is lost.
_MOST_COLUMNS = 10_000
_LONGEST_HEADER = 100_000
#: Lines above a header.
_MOST_ABOVE = 10
_BLANK_LINES = re.compile(r"\A(?:[ \t]*\r?\n)+")
#: The cells of the line below the header, in Markdown.
_RULE = re.compile(r"\s*(?::?-+:?\s*)?")
#: The line in which spreadsheets name the separator.
_SEPARATOR_LINE = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)


def table_columns(content: Content) -> list[str]:
    """Return the names in the first line of a table, in lower case; none if it is not a table."""
    return [name.lower() for name in table_header(content)]


def table_header(content: Content) -> list[str]:
    """Return the names in the first line of a table; nothing if it is not a table.

    Columns of one name have the names of the groups before theirs, which may stand above the first
    column of each: ``GPT-4 answer``.
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
    """Return the names of columns, and the row above with names of groups; that may be empty."""
    text, delimiter = _table(content)
    above = lines_above_header(content).splitlines()[-1:]
    try:
        reader = csv.reader(io.StringIO(text[:_LONGEST_HEADER], newline=""), delimiter=delimiter)
        names = [unprotect(name).strip() for name in next(reader, [])]
        groups = [cell.strip() for cell in next(csv.reader(above, delimiter=delimiter), [])]
    except csv.Error:
        return [], []
    if len(groups) != len(names) or len({*names}) == len(names):
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

    A row with more cells than the header, or with two values in columns of one name, becomes
    `Unparsed`.
    """
    columns = list(table_columns(content) if header is None else header)
    if len(columns) > _MOST_COLUMNS:
        raise DataError(
            f"has more than {_MOST_COLUMNS:,} columns, the most that a table may have; look for the"
            " end of its first line",
            where=content.path,
        )
    text, usual = _table(content)
    above = len(lines_above_header(content).splitlines())
    if above and not _SEPARATOR_LINE.match(content.text.lstrip()):
        _, groups = _header_rows(content)
        if groups:
            above -= 1
        if above:
            note(f"not read: {count(above, 'line')} above the header")
    with _large_cells():
        return list(_records(content, text, delimiter or usual, columns, headed=headed))


def objects_in(content: Content) -> list[dict[str, object]]:
    """Return the rows of a table, or the records of JSON that are objects."""
    is_table = content.kind == "text"
    rows = table_records(content, table_header(content)) if is_table else content.rows
    return [row for row in rows if isinstance(row, dict)]


def first_records(
    content: Content, header: Sequence[str], most: int, *, headed: bool = True
) -> list[object]:
    """Return the first rows of a table, up to an unclosed quote."""
    records: list[object] = []
    with _large_cells(), suppress(DataError):
        records.extend(
            islice(_records(content, *_table(content), list(header), headed=headed), most)
        )
    return records


def first_column(content: Content) -> list[str]:
    """Return the first cell of each row of a table with commas; lines end at LF or CRLF only."""
    # inside a line, a carriage return is a space to people, and an error to the module
    text = content.text.replace("\r\n", "\n").replace("\r", " ")
    try:
        with _large_cells():
            return [row[0] if row else "" for row in csv.reader(io.StringIO(text))]
    except csv.Error as error:
        raise DataError(f"is not a table of one column ({error})", where=content.path) from error


@contextmanager
def _large_cells() -> Iterator[None]:
    before = csv.field_size_limit(_LARGEST)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def unique_header(content: Content) -> list[str]:
    """Return the names of the columns, with a place instead of a missing name.

    The first keeps its empty name: pandas writes row numbers like that.
    """
    header = table_header(content)
    for place in range(1, len(header)):
        header[place] = header[place] or f"column {place + 1}"
    return header


class _Lines:
    """The lines of a text, which record whether the reader wanted more: a row is left open."""

    def __init__(self, text: str) -> None:
        self._lines = io.StringIO(text, newline="")
        self.asked_for_more = False

    def __iter__(self) -> Iterator[str]:
        yield from self._lines
        self.asked_for_more = True


def _records(
    content: Content, text: str, delimiter: str, columns: list[str], *, headed: bool
) -> Iterator[object]:
    # most tab-separated files use no quotes, so a quote in them is just a character
    quoted = delimiter != "\t" or _quotes_are_closed(text, delimiter)
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    lines = _Lines(text)
    rows = csv.reader(lines, delimiter=delimiter, strict=True, quoting=quoting)
    try:
        if headed:
            next(rows, None)
    except csv.Error as error:
        raise DataError(f"{_unquoted(rows.line_num, error)}", where=content.path) from error
    repeated = [name for name, count in Counter(columns).items() if count > 1]
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            if lines.asked_for_more:  # what the open quote swallowed cannot be told
                raise DataError(f"{_unquoted(rows.line_num, error)}", where=content.path) from error
            yield Unparsed(_unquoted(rows.line_num, error))
            continue
        if delimiter == "|" and all(map(_RULE.fullmatch, row)):
            continue
        wrong = _wrong(row, columns, repeated)
        record = {
            name: unprotect(cell) for name, cell in zip(columns, row, strict=False) if cell.strip()
        }
        if wrong:
            yield Unparsed(f"line {rows.line_num}: {wrong}")
        elif record:
            yield record


def _unquoted(line: int, error: csv.Error) -> str:
    return f"line {line}: {error}; quotes inside cells must be doubled"


def _wrong(row: list[str], columns: list[str], repeated: list[str]) -> str:
    """Return what is wrong with a row; empty if nothing is."""
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
    """Return whether a tab-separated text can be read with quotes; in many, quotes mean nothing."""
    try:
        for _ in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True):
            pass
    except csv.Error:
        lines = text.split("\n")
        usual = lines[0].count(delimiter)
        return any(line.count(delimiter) != usual for line in lines if line.strip())
    return True


def lines_above_header(content: Content) -> str:
    """Return the lines above the header of a table, such as its title; empty if there are none.

    None of these names a field, and two cells of the header do.
    """
    text = _BLANK_LINES.sub("", content.text, count=1)
    above = 0
    for line in text[:_LONGEST_HEADER].splitlines(keepends=True)[:_MOST_ABOVE]:
        cells = [cell.strip(" \"'\r\n") for cell in re.split(r"[\t,;|]", line)]
        fields = count_field_names(cells)
        if fields > 1:
            return text[:above]
        if fields and len(cells) > 1:  # else a title, such as Results
            return ""
        above += len(line)
    return ""


def _table(content: Content) -> tuple[str, str]:
    """Return the text of a table, from its header on, and its separator."""
    text = _BLANK_LINES.sub("", content.text, count=1)
    stated = _SEPARATOR_LINE.match(text)
    if stated:
        return text[stated.end() :], stated[1]
    text = text[len(lines_above_header(content)) :]
    # old programs end lines with a carriage return alone
    first = re.split(r"[\r\n]", text[:_LONGEST_HEADER], maxsplit=1)[0]
    return text, next((mark for mark in ("\t", ",", ";", "|") if mark in first), ",")
