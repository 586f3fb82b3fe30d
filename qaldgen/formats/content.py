"""What a file holds, as far as its form can be told: its text, JSON parsed, and the keys of its first records."""

from __future__ import annotations

import codecs
import dataclasses
import re
from functools import cached_property
from pathlib import Path

from qaldgen.errors import DataError
from qaldgen.formats.containers import FileRecords, rows_of
from qaldgen.formats.json_values import JsonReader, is_json_lines, may_be_json_lines
from qaldgen.formats.parquet import MAGIC, parquet_rows
from qaldgen.io.files import content_name, open_content

_HEAD = 2**16
_LOOKED_AT = 50
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_RDF = re.compile(r'(?:@prefix|@base|PREFIX|BASE)\s|<[^<>"{}|^`\\\s]*>\s+(?:<|a\s)|_:\S+\s+(?:<|a\s)', re.IGNORECASE)


@dataclasses.dataclass(frozen=True)
class Content:
    """A file that was read.

    Attributes
    ----------
    path : Path
        The file.
    kind : str
        ``json``, ``jsonl`` (one JSON value a line), ``xml``, ``rdf``, ``text``, or ``poleval`` for its two files.
    text : str
        The text, without a byte order mark; of RDF, which its own reader reads, only the beginning; empty for Parquet.
    sha256 : str
        Of the unpacked bytes.
    document : object
        The JSON value; for JSON Lines the list of the lines' values.
    keys : frozenset of str
        The keys of the first records: of the objects in an array, of the lines, or of the one object.
    notes : tuple of str
        What was noticed while it was parsed: a key twice in an object, numbers that JSON does not have.
    """

    path: Path
    kind: str
    text: str
    sha256: str
    document: object = None
    keys: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of what the file holds, without ending."""
        return Path(content_name(self.path)).stem

    @property
    def records(self) -> list[object]:
        """The records of a JSON array or of JSON Lines; a single object is one record.

        Raises
        ------
        DataError
            If the file is not JSON.
        """
        if self.kind not in {"json", "jsonl"}:
            raise DataError(f"is {_KINDS[self.kind]}; JSON is expected", where=self.path)
        return self.document if isinstance(self.document, list) else [self.document]

    @cached_property
    def held(self) -> FileRecords:
        """The records, wherever the document holds them, and what was passed over there; see `rows_of`.

        Raises
        ------
        DataError
            If the file is not JSON.
        """
        if self.kind not in {"json", "jsonl"}:
            raise DataError(f"is {_KINDS[self.kind]}; JSON is expected", where=self.path)
        return rows_of(self.document)

    @property
    def rows(self) -> list[object]:
        """The records, wherever the document holds them."""
        return self.held.rows

    @cached_property
    def row_keys(self) -> frozenset[str]:
        """The keys of the first of `rows`; none if the file is not JSON."""
        return _keys(self.rows) if self.kind in {"json", "jsonl"} else frozenset()

    @property
    def whole(self) -> bool:
        """Whether it is certain that no text in it has half of a surrogate pair, which only an escape of JSON can make."""
        return self.kind in {"json", "jsonl"} and self.text != "" and _SURROGATE.search(self.text) is None

    @property
    def lines(self) -> list[str]:
        """The lines of the text, without line ends."""
        return split_lines(self.text)


#: The marks that programs such as spreadsheets put in front of a text, longest first.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip
_KINDS = {"xml": "XML", "rdf": "RDF", "text": "plain text or a table", "poleval": "lines of text"}


def load_content(path: Path, what: str = "question set") -> Content:
    """Read a file, decompressing it if needed, and detect the kind of its text.

    Parameters
    ----------
    path
        The file.
    what
        What is expected, for error messages.

    Returns
    -------
    Content
        The content.

    Raises
    ------
    DataError
        If it cannot be read, is empty, is not UTF-8, is a web page, or is JSON that does not parse.
    """
    with open_content(path) as reader:
        data = reader.read(_HEAD)
        head = data.decode("utf-8", "replace")
        rest = reader.read()
        digest = reader.hexdigest()
    if data.startswith(MAGIC):
        rows = parquet_rows(path, data + rest)
        return Content(path, "jsonl", "", digest, rows, _keys(rows))
    if _looks_like_rdf(head):
        return Content(path, "rdf", head, digest)
    data += rest
    del rest
    text = decode(path, data, what)
    del data  # a file of any size is in memory once, as text
    start = text.lstrip()[:2000]
    if not start:
        raise DataError(f"is empty; a {what} is expected", where=path)
    if re.match(r"(?:<!--.*?-->\s*)?<(?:!doctype\s+html|html[\s>])", start, re.IGNORECASE | re.DOTALL):
        raise DataError(f"this is a web page, not a {what}; download the file itself instead of the page about it", where=path)
    if start[0] in "{[":
        return _json_content(path, text, digest)
    return Content(path, "xml" if start[0] == "<" else "text", text, digest)


def decode(path: Path, data: bytes, what: str = "question set") -> str:
    """Decode bytes as UTF-8, or as UTF-16 or UTF-32 with a byte order mark.

    Parameters
    ----------
    path
        The file, for error messages.
    data
        Its bytes.
    what
        What is expected, for error messages.

    Returns
    -------
    str
        The text without a byte order mark.

    Raises
    ------
    DataError
        If they are in another encoding; the message names the line.
    """
    encoding = next((name for mark, name in _MARKS.items() if data.startswith(mark)), "utf-8-sig")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding != "utf-8-sig":
            raise DataError(
                f"begins as {encoding.upper()} but is damaged at byte {error.start:,}; download it again", where=path
            ) from error
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"line {line}: byte 0x{data[error.start]:02x} is not UTF-8; convert the file first, for instance: "
            "iconv -f ISO-8859-1 -t UTF-8 FILE > NEW",
            where=path,
        ) from error
    if "\x00" in text:
        raise DataError(f"contains NUL bytes, so it is not a text file and not a {what}", where=path)
    return text


def split_lines(text: str) -> list[str]:
    """Return the lines of a text; only a line feed ends one, alone or after a carriage return."""
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def _json_content(path: Path, text: str, digest: str) -> Content:
    lines = split_lines(text)  # not str.splitlines, which also cuts at U+2028: JSON strings may hold it
    reader = JsonReader()
    if is_json_lines(lines):
        return _records_content(path, text, digest, reader, lines)
    try:
        value = reader.parse(text, str(path))
    except DataError:
        if may_be_json_lines(lines):
            return _records_content(path, text, digest, JsonReader(), lines)
        raise
    keys = _keys(value if isinstance(value, list) else [value])
    kind = "rdf" if keys & {"@context", "@graph", "@id"} else "json"
    return Content(path, kind, text, digest, value, keys, tuple(reader.notes(value)))


def _records_content(path: Path, text: str, digest: str, reader: JsonReader, lines: list[str]) -> Content:
    values = reader.parse_lines(lines)
    return Content(path, "jsonl", text, digest, values, _keys(values), tuple(reader.notes(values)))


def _keys(records: list[object]) -> frozenset[str]:
    return frozenset(key for record in records[:_LOOKED_AT] if isinstance(record, dict) for key in record)


def _looks_like_rdf(head: str) -> bool:
    text = head.removeprefix("\ufeff").lstrip()
    if text.startswith("<") and re.search(r"<(?:\w+:)?RDF[\s>]", text):
        return True
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    return _RDF.match(first.strip()) is not None
