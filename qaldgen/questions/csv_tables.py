"""Read tables with separators: commas, tabs, semicolons or bars."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Literal

from qaldgen.errors import DataError
from qaldgen.io.csv_cells import unprotect
from qaldgen.io.notes import collecting, note
from qaldgen.io.text import count
from qaldgen.questions.fields import count_field_names, has_role
from qaldgen.questions.json_documents import Unparsed
from qaldgen.questions.system_columns import may_hold_answers

#: The most characters of a cell; the default of csv (131,072) is too few for passages.
_MAX_CELL_CHARS = 2**24
#: The most columns; a first line with more has lost its end.
_MAX_COLUMNS = 10_000
_MAX_HEADER_CHARS = 100_000
#: The most lines above a header.
_MAX_LINES_ABOVE = 10
#: The roles of columns that tell to which question a row belongs.
_KEY_ROLES = ("question", "translation", "maybe question", "id", "run id")
_LITERAL = re.compile(r'"[^"]*"')
_BLANK_LINES = re.compile(r"\A(?:[ \t]*\r?\n)+")
#: A cell of the line below the header in Markdown.
_MARKDOWN_RULE = re.compile(r"\s*(?::?-+:?\s*)?")
#: The line in which spreadsheets name the separator.
_SEPARATOR_LINE = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)


class CsvTable:
    """A table with separators; a text that is none has an empty header.

    Attributes
    ----------
    header : list of str
        The names of the columns. Repeated names get the names of their groups, which may stand
        above the first column of each group: ``GPT-4 answer``. Missing names are ``column 2``, ...;
        the first may be empty, as pandas writes row numbers.
    """

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._records: dict[tuple[object, ...], tuple[list[object], tuple[str, ...]]] = {}
        text = _BLANK_LINES.sub("", text, count=1)
        separator_line = _SEPARATOR_LINE.match(text)
        lines_above: list[str] = []
        if separator_line:
            self._text = text[separator_line.end() :]
            self._delimiter = separator_line[1]
        else:
            above = _lines_above_header(text)
            lines_above = above.splitlines()
            self._text = text[len(above) :]
            # old programs end lines with a carriage return alone
            first_line = re.split(r"[\r\n]", self._text[:_MAX_HEADER_CHARS], maxsplit=1)[0]
            self._delimiter = next((mark for mark in "\t,;|" if mark in first_line), ",")
        self._n_above = len(lines_above)

        names: list[str] = []
        groups: list[str] = []
        start = io.StringIO(self._text[:_MAX_HEADER_CHARS], newline="")
        with suppress(csv.Error):
            cells = next(csv.reader(start, delimiter=self._delimiter), [])
            groups = next(csv.reader(lines_above[-1:], delimiter=self._delimiter), [])
            names = [unprotect(name).strip() for name in cells]
        self.header = list(names)
        # repeated names are told apart by the groups above them
        if names and len(groups) == len(names) > len(set(names)):
            self._n_above -= 1
            group = ""
            for index, cell in enumerate(groups):
                group = cell.strip() or group
                if names.count(names[index]) > 1:
                    self.header[index] = f"{group} {names[index]}"
        for index in range(1, len(self.header)):
            self.header[index] = self.header[index] or f"column {index + 1}"

    def records(
        self, header: Sequence[str] | None = None, *, headed: bool = True, delimiter: str = ""
    ) -> list[object]:
        """Return the rows as objects, without empty cells and empty rows.

        By default, the names and the delimiter are those of the table. `headed` says whether its
        first line is a header. A row with more cells than columns, or with different values in
        columns with the same name, becomes `Unparsed`.
        """
        names = tuple(self.header if header is None else header)
        if len(names) > _MAX_COLUMNS:
            raise DataError(
                f"has more than {_MAX_COLUMNS:,} columns, the most that a table may have; look for"
                " the end of its first line",
                where=self._path,
            )
        if self._n_above:
            note(f"not read: {count(self._n_above, 'line')} above the header")
        key = (names, headed, delimiter)
        if key not in self._records:
            with _large_cells(), collecting() as notes:
                records = list(self._read(names, delimiter, headed=headed))
                _drop_totals(records, names)
                _fill_down(records, names)
            self._records[key] = records, tuple(notes)
        records, records_notes = self._records[key]
        note(*records_notes)
        return records

    def first_records(
        self, header: Sequence[str], most: int, *, headed: bool = True
    ) -> list[object]:
        """Return the first rows as objects, at most up to an unclosed quote."""
        records: list[object] = []
        with _large_cells(), suppress(DataError):
            records.extend(islice(self._read(header, headed=headed), most))
        return records

    def _read(
        self, names: Sequence[str], delimiter: str = "", *, headed: bool = True
    ) -> Iterator[object]:
        delimiter = delimiter or self._delimiter
        # most tab-separated files do not quote cells, so a quote in them is an ordinary character
        quoted = delimiter != "\t" or _quotes_are_closed(self._text, delimiter)
        quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
        lines = _LineReader(self._text)
        rows = csv.reader(lines, delimiter=delimiter, strict=True, quoting=quoting)
        try:
            if headed:
                next(rows, None)
        except csv.Error as error:
            problem = _describe_quote_error(rows.line_num, error)
            raise DataError(problem, where=self._path) from error

        repeated = [name for name, count in Counter(names).items() if count > 1]
        # the ids in results of SPARQL queries are literals, with quotes as in Turtle
        literals = [name for name in names if not quoted and has_role(name, *_KEY_ROLES)]

        while True:
            try:
                row = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                problem = _describe_quote_error(rows.line_num, error)
                if lines.is_exhausted:  # the rows after the open quote cannot be recovered
                    raise DataError(problem, where=self._path) from error
                yield Unparsed(problem)
                continue
            if delimiter == "|" and all(map(_MARKDOWN_RULE.fullmatch, row)):
                continue

            problem = _describe_row_error(row, names, repeated)
            record = {
                name: unprotect(cell)
                for name, cell in zip(names, row, strict=False)
                if cell.strip()
            }
            for name in literals:
                if name in record and _LITERAL.fullmatch(record[name]):
                    record[name] = record[name].strip('"')
            if problem:
                yield Unparsed(f"line {rows.line_num}: {problem}")
            elif record:
                yield record


def _drop_totals(records: list[object], columns: Sequence[str]) -> None:
    """Remove the last row without id and question if it has a label left of them, or no answer."""
    keys = [name for name in columns if has_role(name, *_KEY_ROLES)]
    last = records[-1] if len(records) > 1 else None
    if not keys or not isinstance(last, dict) or any(name in last for name in keys):
        return
    left = [name for name in columns[: columns.index(keys[0])] if name in last]
    # a value that other rows have, such as a topic, is no label
    others = [record for record in records[:-1] if isinstance(record, dict)]
    if left and not any(record.get(left[0]) == last[left[0]] for record in others):
        records.pop()
        note(f"not read: the last row, {last[left[0]]!r}, which has no id and no question")
    elif not left and not any(map(may_hold_answers, last)):
        records.pop()
        note("not read: the last row, which has no id, no question and no answer")


def _fill_down(records: Sequence[object], columns: Sequence[str]) -> None:
    """Fill the id and the question of rows that have only answers from the row above.

    Spreadsheets show them once, in the first of the rows of a question.
    """
    keys = [name for name in columns if has_role(name, *_KEY_ROLES)]
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


def first_column(path: Path, text: str) -> list[str]:
    """Return the first cell of each row of a table with commas; lines end at LF or CRLF only."""
    # the csv module refuses a carriage return inside a line
    text = text.replace("\r\n", "\n").replace("\r", " ")
    try:
        with _large_cells():
            return [row[0] if row else "" for row in csv.reader(io.StringIO(text))]
    except csv.Error as error:
        raise DataError(f"is not a table of one column ({error})", where=path) from error


@contextmanager
def _large_cells() -> Iterator[None]:
    previous_limit = csv.field_size_limit(_MAX_CELL_CHARS)
    try:
        yield
    finally:
        csv.field_size_limit(previous_limit)


class _LineReader:
    """The lines of a text; `is_exhausted` tells whether all were read, as by an open quote."""

    def __init__(self, text: str) -> None:
        self._lines = io.StringIO(text, newline="")
        self.is_exhausted = False

    def __iter__(self) -> Iterator[str]:
        yield from self._lines
        self.is_exhausted = True


def _describe_quote_error(line: int, error: csv.Error) -> str:
    return f"line {line}: {error}; quotes inside cells must be doubled"


def _describe_row_error(row: list[str], columns: Sequence[str], repeated: list[str]) -> str:
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


def _lines_above_header(text: str) -> str:
    """Return the lines above the header of a table, such as its title; empty if there are none.

    The header is the first line with a known name of a field, and needs two of them.
    """
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
