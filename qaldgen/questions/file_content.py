"""The content of a file, or of data in memory, loaded once for all readers."""

from __future__ import annotations

import codecs
import csv
import dataclasses
import hashlib
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

from qaldgen.errors import DataError, UsageError
from qaldgen.io.inputs import is_folder, shown_name
from qaldgen.io.json_text import as_list
from qaldgen.io.notes import collecting
from qaldgen.io.unpacking import ContentReader, open_content
from qaldgen.questions.binary_tables import columnar_rows, is_columnar, is_workbook, workbook_table
from qaldgen.questions.fields import ROLE_NAMES, normalize_name
from qaldgen.questions.folders import data_set_rows, single_file, unpacker
from qaldgen.questions.json_documents import (
    JsonReader,
    is_json_lines,
    json_value,
    may_be_json_lines,
    yaml_document,
)
from qaldgen.questions.labelled_lines import labelled_records
from qaldgen.questions.nested_records import FileRecords, find_rows

if TYPE_CHECKING:
    import pandas as pd


#: Bytes that are read to recognise RDF, which its own reader then reads.
_HEAD = 2**16
#: What to do about a file without content.
EMPTY = "If a program was to write it, see why it did not"
#: Records whose keys are collected.
_LOOKED_AT = 50
#: An escape, in JSON or YAML, of half of a surrogate pair, which no UTF-8 can hold.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
#: The start of Turtle, N-Triples or their relatives.
_RDF = re.compile(
    r'(?:@prefix|@base|PREFIX|BASE)\s|<[^<>"{}|^`\\\s]*>\s+(?:<|a\s)|_:\S+\s+(?:<|a\s)',
    re.IGNORECASE,
)
#: The marks that programs such as spreadsheets put in front of a text, longest first.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32", codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip
#: How YAML may start: with a record, or as TEXT2SPARQL does.
_YAML = re.compile(r"(?:---\s+)?(?:-\s+\w+|dataset|questions)\s*:\s")
#: What makes JSON JSON-LD.
_JSON_LD = frozenset({"@context", "@graph", "@id"})
#: Data that need no file: a DataFrame or Series, a dict, or a list of dicts.
InMemory: TypeAlias = (
    "pd.DataFrame | pd.Series[Any] | Mapping[Any, Any] | Sequence[Mapping[str, Any]] | Content"
)


@dataclasses.dataclass(frozen=True)
class Content:
    """A file that was read."""

    path: Path  # the file
    #: ``json``, ``jsonl`` (one JSON value a line), ``xml``, ``rdf``, ``text``, or the name of a
    #: format that loads its files itself (`Reader.load`).
    kind: str
    #: The text, without a byte order mark; of RDF, which its own reader reads, only the beginning;
    #: empty for Parquet, Arrow and logs in a zip.
    text: str
    sha256: str  # the hash of the unpacked bytes
    document: object = None  # the JSON value; for JSON Lines the list of the lines' values
    #: The keys of the first records: of the objects in an array, of the lines, or of the one
    #: object.
    keys: frozenset[str] = frozenset()
    #: What was noticed while it was parsed: a key twice in an object, numbers that JSON does not
    #: have.
    notes: tuple[str, ...] = ()
    file_name: str = ""  # the name of what a packed file holds; empty for that of the file

    def of_records(self, records: Sequence[Mapping[str, object]]) -> Content:
        """Return the same file with other records, in place of its own."""
        if self.kind != "text":
            rows = list(records)
            return dataclasses.replace(self, kind="jsonl", text="", document=rows, keys=_keys(rows))
        table = io.StringIO()
        writer = csv.DictWriter(table, dict.fromkeys(chain.from_iterable(records)))
        writer.writeheader()
        writer.writerows(records)
        return dataclasses.replace(self, text=table.getvalue())

    @property
    def name(self) -> str:
        """The name of the file without its ending, and without that of its compression."""
        return Path(self.file_name or shown_name(self.path)).stem

    @property
    def json(self) -> object:
        """The document, which is refused if it is not JSON."""
        if self.kind not in {"json", "jsonl"}:
            kinds = {"xml": "XML", "rdf": "RDF", "text": "plain text or a table"}
            called = kinds.get(self.kind, "lines of text")
            raise DataError(f"is {called}; JSON is expected", where=self.path)
        return self.document

    @property
    def records(self) -> list[object]:
        """The records of a JSON array or of JSON Lines; a single object is one record."""
        return as_list(self.json)

    @cached_property
    def held(self) -> FileRecords:
        """The records, wherever the document holds them, and the names of ignored lists.

        See `find_rows`.
        """
        return find_rows(self.json)

    @property
    def rows(self) -> list[object]:
        """The records, wherever the document holds them."""
        return self.held.rows

    @cached_property
    def row_keys(self) -> frozenset[str]:
        """The keys of the first of `rows`; none if the file is not JSON."""
        if self.kind not in {"json", "jsonl"}:
            return frozenset()
        return _keys(self.rows)

    def listed(self, name: str) -> list[object] | None:
        """Return the list under a key of a JSON object; None if there is none."""
        if self.kind != "json" or not isinstance(self.document, dict):
            return None
        values = self.document.get(name)
        if isinstance(values, list):
            return values
        return None

    def first_listed(self, name: str) -> dict[str, object] | None:
        """Return the first value in the list under a key, if it is an object."""
        values = self.listed(name)
        if values and isinstance(values[0], dict):
            return values[0]
        return None

    @property
    def surrogate_free(self) -> bool:
        """Whether no text can hold half of a surrogate pair, which needs an escape."""
        unseen = self.kind == "json" and not self.text
        return not unseen and _SURROGATE.search(self.text) is None

    @property
    def lines(self) -> list[str]:
        """The lines of the text, without line ends."""
        return split_lines(self.text)


def load_content(path: Path, noun: str = "question set") -> Content:
    """Read a file, decompressing it if needed, and detect the kind of its text."""
    if is_folder(path):
        file = single_file(path)
        if file is not None:
            return load_content(file)
        with collecting() as collected:
            rows, digest = data_set_rows(path, lambda reader: content_in(reader).rows)
        notes = tuple(collected)
        return Content(path, "jsonl", "", digest, document=rows, keys=_keys(rows), notes=notes)
    with open_content(path) as reader:
        return content_in(reader, noun)


def content_in(reader: ContentReader, noun: str = "question set") -> Content:
    """Return what an open file holds, and detect the kind of its text."""
    return dataclasses.replace(_content_in(reader, noun), file_name=reader.name)


def _content_in(reader: ContentReader, noun: str) -> Content:
    path = reader.path
    packed = hashlib.sha256()
    if is_workbook(reader.members):
        with collecting() as notes:
            text = workbook_table(reader)
        reader.hash_packed(packed)
        return Content(path, "text", text, packed.hexdigest(), notes=tuple(notes))
    unpack = unpacker(reader.members)
    if unpack is not None and reader.archive is not None:
        log = unpack(path, reader.archive)
        reader.hash_packed(packed)
        digest = packed.hexdigest()
        return Content(path, "json", text="", sha256=digest, document=log, keys=_keys(log))
    head = reader.peek(_HEAD)
    data = reader.read()
    digest = reader.hexdigest()
    # by the first bytes, before anything is decoded
    if is_columnar(head):
        rows = columnar_rows(path, data)
        return Content(path, "jsonl", text="", sha256=digest, document=rows, keys=_keys(rows))
    beginning = head.decode("utf-8", "replace")
    if _looks_like_rdf(beginning):
        return Content(path, "rdf", beginning, digest)
    text = decode(path, data, noun)
    del data  # so that a large file is in memory only once, as text
    start = text.lstrip()[:2000]
    if not start:
        raise DataError(f"is empty; a {noun} is expected. {EMPTY}", where=path)
    # a frequent mistake: the page about a file on GitHub instead of the file
    if re.match(
        r"(?:<!--.*?-->\s*)?<(?:!doctype\s+html|html[\s>])", start, re.IGNORECASE | re.DOTALL
    ):
        raise DataError(
            f"this is a web page, not a {noun}; download the file "
            "itself instead of the page about it",
            where=path,
        )
    if start[0] in "{[":
        return content_of_json(path, text, digest)
    is_yaml = reader.name.lower().endswith((".yaml", ".yml"))
    if is_yaml or _YAML.match(start):
        document = yaml_document(path, text)
        return Content(path, "json", text, digest, document=document, keys=_keys(document))
    if start[0] == "<":
        return Content(path, "xml", text, digest)
    records = labelled_records(text)
    if records:
        return Content(path, "jsonl", text, digest, document=records, keys=_keys(records))
    return Content(path, "text", text, digest)


def is_rdf(path: Path) -> bool:
    """Return whether a file holds RDF, by its first bytes alone."""
    data = _beginning(path)
    return not is_columnar(data) and _looks_like_rdf(data.decode("utf-8", "replace"))


def is_plain_json(path: Path) -> bool:
    """Return whether a file is JSON that says nothing of RDF, by its first bytes alone."""
    head = _beginning(path).decode("utf-8", "replace").removeprefix("\ufeff").lstrip()
    return head[:1] in {"{", "["} and not any(f'"{name}"' in head for name in _JSON_LD)


def _beginning(path: Path) -> bytes:
    """Return the first bytes of a file; nothing of a folder or of what has parts."""
    if is_folder(path):
        return b""
    with open_content(path) as reader:
        if has_parts(reader):
            return b""
        return reader.read(_HEAD)


def has_parts(reader: ContentReader) -> bool:
    """Return whether this is a workbook, or a file that a row of `CONTAINERS` unpacks."""
    return is_workbook(reader.members) or unpacker(reader.members) is not None


def decode(path: Path, data: bytes, noun: str = "question set") -> str:
    """Decode bytes as UTF-8, or as UTF-16 or UTF-32 with a byte order mark."""
    binary = DataError(f"contains NUL bytes, so it is not a text file and not a {noun}", where=path)
    encoding = next((name for mark, name in _MARKS.items() if data.startswith(mark)), "")
    try:
        text = data.decode(encoding or "utf-8-sig")
    except UnicodeDecodeError as error:
        if encoding:
            raise DataError(
                f"begins as {encoding.upper()} but is damaged at byte "
                f"{error.start:,}; download it again",
                where=path,
            ) from error
        if b"\0" in data[:_HEAD]:
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
    """Return the lines of a text, which end at LF or CRLF only.

    Those of old programs end at CR. Unlike `str.splitlines`, which also cuts at U+2028: JSON
    strings may contain it.
    """
    if "\n" not in text:
        text = text.replace("\r", "\n")
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def content_of_json(path: Path, text: str, digest: str) -> Content:
    """Return JSON or JSON Lines as content; see `load_content`."""
    lines = split_lines(text)
    if is_json_lines(lines):
        return _records_content(path, text, digest, lines)
    reader = JsonReader()
    try:
        value = reader.parse(text, str(path))
    except DataError:
        if may_be_json_lines(lines):
            return _records_content(path, text, digest, lines)
        raise
    keys = _keys(value)
    # JSON-LD is RDF, and goes to the reader of RDF
    kind = "rdf" if keys & _JSON_LD else "json"
    return Content(path, kind, text, digest, document=value, keys=keys, notes=tuple(reader.notes()))


def _records_content(path: Path, text: str, digest: str, lines: list[str]) -> Content:
    reader = JsonReader()
    values = reader.parse_lines(lines)
    return Content(
        path,
        "jsonl",
        text,
        digest,
        document=values,
        keys=_keys(values),
        notes=tuple(reader.notes()),
    )


def _keys(document: object) -> frozenset[str]:
    """Return the keys of the first records, or of the one object."""
    records = [record for record in as_list(document)[:_LOOKED_AT] if isinstance(record, dict)]
    return frozenset(chain.from_iterable(records))


def _looks_like_rdf(head: str) -> bool:
    text = head.removeprefix("\ufeff").lstrip()
    if text.startswith("<") and re.search(r"<(?:\w+:)?RDF[\s>]", text):
        return True
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            return _RDF.match(line.strip()) is not None
    return False


def in_memory(data: object) -> bool:
    """Whether this is a DataFrame, a Series, a dict, a list of dicts, or was read already."""
    return (
        isinstance(data, (Mapping, Content))
        or _is_table(data)
        or (isinstance(data, (list, tuple)) and all(isinstance(row, Mapping) for row in data))
    )


def check_source(data: object, noun: str, forms: str) -> None:
    """Refuse what is neither text nor a path, and say what can be read."""
    if isinstance(data, (str, PurePath)):
        return
    hint = ""
    if isinstance(data, (list, tuple)) and data and isinstance(data[0], str):
        hint = "; make each text a dict, such as {'question': ...} or {'id': ..., 'answer': ...}"
    raise UsageError(f"{type(data).__name__} cannot be read as a {noun}; give {forms}{hint}")


def content_in_memory(data: Any, name: str = "questions") -> Content:  # noqa: ANN401 - of any library
    """Return data in memory as if they had been read: a table as CSV, all else as JSON.

    A table with lists or objects in its cells is a list of records. Missing values are empty.
    """
    if isinstance(data, Content):
        return data
    if hasattr(data, "to_pandas"):  # polars, Hugging Face
        data = data.to_pandas()
    if not _is_table(data):
        return _json_content(name, data)
    if not hasattr(data, "columns"):  # a Series: an answer for each id
        return _json_content(name, data.to_dict())
    # numbers with missing values are floats, and the id 7 would be 7.0
    table = data.convert_dtypes()
    has_named_index = any(part is not None for part in table.index.names)
    numbered = table.index.inferred_type == "integer" and list(table.index) != [*range(len(table))]
    has_ids = any(normalize_name(str(name)) in ROLE_NAMES["id"] for name in table.columns)
    if has_named_index or table.index.inferred_type == "string" or (numbered and not has_ids):
        table = table.reset_index(names=None if has_named_index else "id")
    nested = table.map(lambda cell: isinstance(cell, Iterable) and not isinstance(cell, str))
    if not nested.any(axis=None):
        text = table.to_csv(index=False)
        if not text.strip():
            raise DataError(f"is a table without columns and rows. {EMPTY}", where=name)
        return Content(Path(name), "text", text, hashlib.sha256(text.encode()).hexdigest())
    rows = []
    for row in table.to_dict("records"):
        plain = {key: json_value(value) for key, value in row.items()}
        rows.append({key: value for key, value in plain.items() if value is not None})
    return _json_content(name, rows)


def _is_table(data: object) -> bool:
    return hasattr(data, "to_pandas") or (hasattr(data, "to_csv") and hasattr(data, "index"))


def _json_content(name: str, data: object) -> Content:
    text = json.dumps(json_value(data), ensure_ascii=False)
    return content_of_json(Path(name), text, hashlib.sha256(text.encode()).hexdigest())
