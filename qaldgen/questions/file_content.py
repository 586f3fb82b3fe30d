"""The content of a file, or of data in memory, loaded once for all readers."""

from __future__ import annotations

import codecs
import csv
import dataclasses
import hashlib
import io
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

from qaldgen.errors import DataError, UsageError
from qaldgen.io.inputs import is_folder, shown_name
from qaldgen.io.json_text import as_list, member
from qaldgen.io.notes import collecting
from qaldgen.io.unpacking import ContentReader, open_content
from qaldgen.questions.csv_tables import CsvTable
from qaldgen.questions.excel_and_parquet import (
    columnar_rows,
    is_columnar,
    is_workbook,
    workbook_table,
)
from qaldgen.questions.fields import ROLE_NAMES, normalize_name
from qaldgen.questions.folders import data_set_rows, single_file, unpacker
from qaldgen.questions.json_documents import (
    JsonReader,
    is_json_lines,
    json_value,
    may_be_json_lines,
    python_document,
    yaml_document,
)
from qaldgen.questions.labelled_lines import labelled_records
from qaldgen.questions.nested_records import find_rows
from qaldgen.questions.record_kinds import FileRecords
from qaldgen.questions.xml_documents import xml_document

if TYPE_CHECKING:
    import pandas as pd


#: Bytes that are read to recognise RDF, which its own reader then reads.
_HEAD_BYTES = 2**16
#: What to do about a file without content.
EMPTY = "If a program was to write it, see why it did not"
#: Records whose keys are collected.
_LOOKED_AT = 50
#: An escape, in JSON or YAML, of half of a surrogate pair, which no UTF-8 can hold.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
#: The start of Turtle, N-Triples or their relatives.
_RDF_START = re.compile(
    r'(?:@prefix|@base|PREFIX|BASE)\s|<[^<>"{}|^`\\\s]*>\s+(?:<|a\s)|_:\S+\s+(?:<|a\s)',
    re.IGNORECASE,
)
#: The marks that programs such as spreadsheets put in front of a text, longest first.
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32", codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip
_WEB_PAGE = re.compile(
    r"(?:<!--.*?-->\s*)?<(?:!doctype\s+html|html[\s>])", re.IGNORECASE | re.DOTALL
)
#: How YAML may start: with a record, or as TEXT2SPARQL does.
_YAML_START = re.compile(r"(?:---\s+)?(?:-\s+\w+|dataset|questions)\s*:\s")
#: What makes JSON JSON-LD.
_JSON_LD_KEYS = frozenset({"@context", "@graph", "@id"})
#: Data that need no file: a DataFrame or Series, a dict, or a list of dicts.
InMemory: TypeAlias = (
    "pd.DataFrame | pd.Series[Any] | Mapping[Any, Any] | Sequence[Mapping[str, Any]] | Content"
)


@dataclasses.dataclass(frozen=True)
class Content:
    """The content of a file."""

    path: Path  # the file
    #: ``json``, ``jsonl`` (one JSON value a line), ``xml``, ``rdf``, ``text``, or the name of a
    #: format that loads its files itself (`Reader.load`).
    kind: str
    #: The text, without a byte order mark; of RDF, which its own reader reads, only the beginning;
    #: empty for Parquet, Arrow and logs in a zip.
    text: str
    sha256: str  # the hash of the unpacked bytes
    document: object = None  # the JSON value; for JSON Lines the list of the lines' values
    #: Notes of the parser: repeated keys in an object, numbers that are not valid JSON.
    notes: tuple[str, ...] = ()
    file_name: str = ""  # the name of the file inside a packed file; empty for the name of `path`

    def with_records(self, records: Sequence[Mapping[str, object]], *notes: str) -> Content:
        """Return the content with its records replaced by others, and with further notes."""
        all_notes = (*self.notes, *notes)
        if self.kind != "text":
            document = list(records)
            return dataclasses.replace(
                self, kind="jsonl", text="", document=document, notes=all_notes
            )
        table = io.StringIO()
        writer = csv.DictWriter(table, dict.fromkeys(chain.from_iterable(records)))
        writer.writeheader()
        writer.writerows(records)
        return dataclasses.replace(self, text=table.getvalue(), notes=all_notes)

    @property
    def name(self) -> str:
        """The name of the file without its extension, and without that of its compression."""
        return Path(self.file_name or shown_name(self.path)).stem

    @cached_property
    def table(self) -> CsvTable:
        """The text as a table; without columns if the content is no text."""
        return CsvTable(self.path, self.text if self.kind == "text" else "")

    @property
    def json(self) -> object:
        """The document; any other content than JSON is refused."""
        if self.kind not in {"json", "jsonl"}:
            descriptions = {"xml": "XML", "rdf": "RDF", "text": "plain text or a table"}
            description = descriptions.get(self.kind, "lines of text")
            raise DataError(f"is {description}; JSON is expected", where=self.path)
        return self.document

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of the first records: of the array, of the lines, or of the one object."""
        return _keys(self.document)

    @property
    def records(self) -> list[object]:
        """The records of a JSON array or of JSON Lines; a single object is one record."""
        return as_list(self.json)

    @cached_property
    def file_records(self) -> FileRecords:
        """The records of the questions and the names of ignored lists; see `find_rows`."""
        return find_rows(self.json)

    @property
    def rows(self) -> list[object]:
        """The records of the questions, wherever the document nests them."""
        return self.file_records.rows

    @property
    def objects(self) -> list[dict[str, object]]:
        """The rows of a table, or the records of JSON that are objects."""
        rows = self.table.records() if self.kind == "text" else self.rows
        return [row for row in rows if isinstance(row, dict)]

    @property
    def lower_rows(self) -> list[object]:
        """The rows of a table by the names of its columns in lower case, or those of JSON."""
        if self.kind != "text":
            return self.rows
        return self.table.records([name.lower() for name in self.table.header])

    @property
    def names(self) -> Collection[str]:
        """The columns of a table, or the keys of the first of `rows`."""
        return self.table.header or self.row_keys

    @cached_property
    def row_keys(self) -> frozenset[str]:
        """The keys of the first of `rows`; none if the file is not JSON."""
        if self.kind not in {"json", "jsonl"}:
            return frozenset()
        return _keys(self.rows)

    def list_under(self, name: str) -> list[object] | None:
        """Return the list under a key of the document; None if there is none."""
        values = member(self.document, name)
        if self.kind != "json" or not isinstance(values, list):
            return None
        return values

    def first_object_under(self, name: str) -> dict[str, object] | None:
        """Return the first item of the list under a key if it is an object, else None."""
        values = self.list_under(name)
        if values and isinstance(values[0], dict):
            return values[0]
        return None

    @property
    def surrogate_free(self) -> bool:
        """Whether no text can hold half of a surrogate pair, which would need an escape."""
        if self.kind == "json" and not self.text:
            return False
        return _SURROGATE.search(self.text) is None

    @property
    def lines(self) -> list[str]:
        """The lines of the text, without line ends."""
        return split_lines(self.text)


def load_content(path: Path, noun: str = "question set") -> Content:
    """Read a file or folder; `noun` is what messages call it."""
    if is_folder(path):
        file = single_file(path)
        if file is not None:
            return load_content(file)
        with collecting() as collected:
            rows, digest = data_set_rows(path, lambda reader: read_content(reader).rows)
        notes = tuple(collected)
        return Content(path, "jsonl", "", digest, document=rows, notes=notes)
    with open_content(path) as reader:
        return read_content(reader, noun)


def read_content(reader: ContentReader, noun: str = "question set") -> Content:
    """Read an open file, and detect the kind of its text; `noun` is what messages call it."""
    content = _read_parts(reader) or _read_bytes(reader, noun)
    return dataclasses.replace(content, file_name=reader.name)


def _read_parts(reader: ContentReader) -> Content | None:
    """Return the content of a workbook or of an unpacked container; None for any other file."""
    packed = hashlib.sha256()
    if is_workbook(reader.members):
        with collecting() as notes:
            text = workbook_table(reader)
        reader.hash_packed(packed)
        return Content(reader.path, "text", text, packed.hexdigest(), notes=tuple(notes))
    unpack = unpacker(reader.members)
    if unpack is None or reader.archive is None:
        return None
    log = unpack(reader.path, reader.archive)
    reader.hash_packed(packed)
    return Content(reader.path, "json", text="", sha256=packed.hexdigest(), document=log)


def _read_bytes(reader: ContentReader, noun: str) -> Content:
    """Return the content of a single file, whose kind its first bytes or its text show."""
    path = reader.path
    head = reader.peek(_HEAD_BYTES)
    data = reader.read()
    digest = reader.hexdigest()
    # these are recognised by their first bytes, before anything is decoded
    if is_columnar(head):
        rows = columnar_rows(path, data)
        return Content(path, "jsonl", text="", sha256=digest, document=rows)
    beginning = head.decode("utf-8", "replace")
    if _looks_like_rdf(beginning):
        return Content(path, "rdf", beginning, digest)
    text = decode_text(path, data, noun)
    del data  # keep a large file in memory only once, as text
    start = text.lstrip()[:2000]
    if not start:
        raise DataError(f"is empty; a {noun} is expected. {EMPTY}", where=path)
    if _WEB_PAGE.match(start):  # a frequent mistake: the page about a file on GitHub
        raise DataError(
            f"this is a web page, not a {noun}; download the file itself instead of the page about"
            " it, or save a table in a page as CSV",
            where=path,
        )
    if start[0] in "{[":
        return parse_json_content(path, text, digest)
    is_yaml = reader.name.lower().endswith((".yaml", ".yml"))
    if is_yaml or _YAML_START.match(start):
        return Content(path, "json", text, digest, document=yaml_document(path, text))
    records = labelled_records(text)
    if records:
        return Content(path, "jsonl", text, digest, document=records)
    document = xml_document(text, path)
    if isinstance(document, (dict, list)):
        return Content(path, "json", text, digest, document=document)
    kind = "xml" if start[0] == "<" else "text"
    return Content(path, kind, text, digest)


def is_rdf(path: Path) -> bool:
    """Return whether a file holds RDF, by its first bytes alone."""
    data = _beginning(path)
    return not is_columnar(data) and _looks_like_rdf(data.decode("utf-8", "replace"))


def is_plain_json(path: Path) -> bool:
    """Return whether a file is JSON that says nothing of RDF, by its first bytes alone."""
    head = _beginning(path).decode("utf-8", "replace").removeprefix("\ufeff").lstrip()
    return head[:1] in {"{", "["} and not any(f'"{name}"' in head for name in _JSON_LD_KEYS)


def _beginning(path: Path) -> bytes:
    """Return the first bytes of a file; none of a folder, a workbook or an unpacked container."""
    if is_folder(path):
        return b""
    with open_content(path) as reader:
        if has_parts(reader):
            return b""
        return reader.read(_HEAD_BYTES)


def has_parts(reader: ContentReader) -> bool:
    """Return whether a file is a workbook, or is unpacked by an entry of `CONTAINERS`."""
    return is_workbook(reader.members) or unpacker(reader.members) is not None


def decode_text(path: Path, data: bytes, noun: str = "question set") -> str:
    """Decode bytes as UTF-8, or as UTF-16 or UTF-32 with a byte order mark."""
    binary = DataError(f"contains NUL bytes, so it is not a text file and not a {noun}", where=path)
    encoding = next((name for mark, name in _BYTE_ORDER_MARKS.items() if data.startswith(mark)), "")
    try:
        text = data.decode(encoding or "utf-8-sig")
    except UnicodeDecodeError as error:
        if encoding:
            raise DataError(
                f"begins as {encoding.upper()} but is damaged at byte "
                f"{error.start:,}; download it again",
                where=path,
            ) from error
        if b"\0" in data[:_HEAD_BYTES]:
            raise binary from error
        # people look for a line, not for a byte
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"line {line}: byte 0x{data[error.start]:02x} is not UTF-8; convert the file first, for"
            " instance: iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW",
            where=path,
        ) from error
    if "\x00" in text:
        raise binary
    return text


def split_lines(text: str) -> list[str]:
    """Return the lines of a text, which end at LF or CRLF, or at CR if it has no LF.

    `str.splitlines` would also split at U+2028, which JSON strings may contain.
    """
    if "\n" not in text:
        text = text.replace("\r", "\n")
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def parse_json_content(path: Path, text: str, digest: str) -> Content:
    """Parse JSON or JSON Lines; `digest` is the hash of the file."""
    lines = split_lines(text)
    if is_json_lines(lines):
        return _json_lines_content(path, text, digest, lines)
    reader = JsonReader()
    try:
        value = reader.parse(text, str(path))
    except DataError:
        if may_be_json_lines(lines):
            return _json_lines_content(path, text, digest, lines)
        value = python_document(text)  # as print writes it
        if not isinstance(value, (dict, list)):
            raise
    # JSON-LD is read as RDF
    kind = "rdf" if _keys(value) & _JSON_LD_KEYS else "json"
    return Content(path, kind, text, digest, document=value, notes=tuple(reader.notes()))


def _json_lines_content(path: Path, text: str, digest: str, lines: list[str]) -> Content:
    reader = JsonReader()
    values = reader.parse_lines(lines)
    return Content(path, "jsonl", text, digest, document=values, notes=tuple(reader.notes()))


def _keys(document: object) -> frozenset[str]:
    """Return the keys of the first records, or of a single object."""
    records = [record for record in as_list(document)[:_LOOKED_AT] if isinstance(record, dict)]
    return frozenset(chain.from_iterable(records))


def _looks_like_rdf(head: str) -> bool:
    text = head.removeprefix("\ufeff").lstrip()
    if text.startswith("<") and re.search(r"<(?:\w+:)?RDF[\s>]", text):
        return True
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            return _RDF_START.match(line.strip()) is not None
    return False


def is_in_memory(data: object) -> bool:
    """Return whether this is a DataFrame, a Series, a dict, a list of dicts, or a `Content`."""
    return (
        isinstance(data, (Mapping, Content))
        or _is_table(data)
        or (isinstance(data, (list, tuple)) and all(isinstance(row, Mapping) for row in data))
    )


def check_source(data: object, noun: str, expected: str) -> None:
    """Refuse anything but a text or a path, and say what is `expected` instead."""
    if isinstance(data, (str, PurePath)):
        return
    hint = ""
    if isinstance(data, (list, tuple)) and data and isinstance(data[0], (str, list, tuple)):
        hint = (
            "; make each item a dict, such as {'question': ...} or {'id': ..., 'answer': ...}, or"
            " all of them one dict of questions and their answers"
        )
    raise UsageError(f"{type(data).__name__} cannot be read as a {noun}; give {expected}{hint}")


def content_in_memory(data: Any, name: str = "questions") -> Content:  # noqa: ANN401 - of any library
    """Convert data in memory to the content of a file: tables to CSV, all else to JSON.

    A table with lists or objects in its cells becomes a list of records. Missing values are blank.
    """
    if isinstance(data, Content):
        return data
    table = data.to_pandas() if hasattr(data, "to_pandas") else data  # polars, Hugging Face
    if not _is_table(table):
        return _content_of_value(name, table)
    if not hasattr(table, "columns"):  # a Series: an answer for each id
        return _content_of_value(name, table.to_dict())

    # numbers with missing values are floats, and the id 7 would be 7.0
    table = table.convert_dtypes()
    index = table.index
    is_named = any(name is not None for name in index.names)
    are_numbers = index.inferred_type == "integer" and list(index) != list(range(len(table)))
    has_ids = any(normalize_name(str(column)) in ROLE_NAMES["id"] for column in table.columns)
    if is_named or index.inferred_type == "string" or (are_numbers and not has_ids):
        table = table.reset_index(names=None if is_named else "id")

    nested = table.map(lambda cell: isinstance(cell, Iterable) and not isinstance(cell, str))
    if not nested.any(axis=None):
        text = table.to_csv(index=False)
        if not text.strip():
            raise DataError(f"is a table without columns and rows. {EMPTY}", where=name)
        return Content(Path(name), "text", text, hashlib.sha256(text.encode()).hexdigest())
    rows = []
    for row in table.to_dict("records"):
        values = {key: json_value(value) for key, value in row.items()}
        rows.append({key: value for key, value in values.items() if value is not None})
    return _content_of_value(name, rows)


def _is_table(data: object) -> bool:
    return hasattr(data, "to_pandas") or (hasattr(data, "to_csv") and hasattr(data, "index"))


def _content_of_value(name: str, data: object) -> Content:
    text = json.dumps(json_value(data), ensure_ascii=False)
    return parse_json_content(Path(name), text, hashlib.sha256(text.encode()).hexdigest())
