"""What a file holds, as far as its form can be told: its text, JSON parsed, and the keys of its first records."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

from qaldgen.errors import DataError
from qaldgen.files import content_name, open_content

_HEAD = 2**16
_LOOKED_AT = 50
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
        The text, without a byte order mark; empty for RDF, which its own reader reads.
    sha256 : str
        Of the unpacked bytes.
    document : object
        The JSON value; for JSON Lines the list of the lines' values.
    keys : frozenset of str
        The keys of the first records: of the objects in an array, of the lines, or of the one object.
    """

    path: Path
    kind: str
    text: str
    sha256: str
    document: object = None
    keys: frozenset[str] = frozenset()

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
            raise DataError(f"{self.path}: is {_KINDS[self.kind]}; JSON is expected")
        return self.document if isinstance(self.document, list) else [self.document]

    @property
    def lines(self) -> list[str]:
        """The lines of the text, without line ends."""
        return split_lines(self.text)


class Decimals(float):
    """A JSON number with a point or an exponent; as text it is what the file says, ``1e3`` and not ``1000.0``."""

    def __new__(cls, text: str) -> Decimals:
        """Keep the text beside the number."""
        made = super().__new__(cls, text)
        made.text = text
        return made

    text: str

    def __str__(self) -> str:
        """Return the text in the file."""
        return self.text


_KINDS = {"xml": "XML", "rdf": "RDF", "text": "plain text or a table", "poleval": "lines of text"}


def load_content(path: Path, what: str = "question set") -> Content:
    """Read a file, packed or not, and find out what kind of text it is; `what` is expected, for messages.

    Raises
    ------
    DataError
        If it cannot be read, is empty, is not UTF-8, is a web page, or is JSON that does not parse.
    """
    with open_content(path) as reader:
        data = reader.read(_HEAD)
        rdf = _looks_like_rdf(data.decode("utf-8", "replace"))
        rest = reader.read()
        digest = reader.hexdigest()
    if rdf:
        return Content(path, "rdf", "", digest)
    text = decode(path, data + rest, what)
    start = text.lstrip()[:2000]
    if not start:
        raise DataError(f"{path}: is empty; a {what} is expected")
    if re.match(r"(?:<!--.*?-->\s*)?<(?:!doctype\s+html|html[\s>])", start, re.IGNORECASE | re.DOTALL):
        raise DataError(f"{path}: this is a web page, not a {what}; fetch the file itself, not the page about it")
    if start[0] in "{[":
        return _json_content(path, text, digest)
    return Content(path, "xml" if start[0] == "<" else "text", text, digest)


def decode(path: Path, data: bytes, what: str = "question set") -> str:
    """Return UTF-8 bytes as text, without a byte order mark.

    Raises
    ------
    DataError
        If they are in another encoding; the message names it or the line.
    """
    if data[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        raise DataError(f"{path}: is UTF-16, not UTF-8; convert it first: iconv -f UTF-16 -t UTF-8 FILE > NEW")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{path}: line {line}: byte 0x{data[error.start]:02x} is not UTF-8; convert the file first, for instance: "
            "iconv -f ISO-8859-1 -t UTF-8 FILE > NEW"
        ) from error
    if "\x00" in text:
        raise DataError(f"{path}: holds NUL bytes; it is no text file, so no {what}")
    return text


def split_lines(text: str) -> list[str]:
    """Return the lines of a text; only a line feed ends one, alone or after a carriage return."""
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def parse_json(text: str, where: str) -> object:
    """Parse JSON; of keys that occur twice the last counts.

    Raises
    ------
    DataError
        If it does not parse, with line and column.
    """
    try:
        value: object = json.loads(text, parse_float=Decimals)
    except json.JSONDecodeError as error:
        raise DataError(f"{where}: no JSON at line {error.lineno}, column {error.colno}: {error.msg}") from error
    except RecursionError as error:
        raise DataError(f"{where}: the JSON is nested too deeply; no question set is") from error
    except ValueError as error:  # a number of more than 4,300 digits
        raise DataError(f"{where}: the JSON cannot be read ({error})") from error
    return value


def _json_content(path: Path, text: str, digest: str) -> Content:
    lines = split_lines(text)  # not str.splitlines, which also cuts at U+2028: JSON strings may hold it
    several = next((line for line in lines if line.strip()), "").strip()
    if len(lines) > 1 and several.startswith("{") and several.endswith("}") and _parses(several):
        values = [parse_json(line, f"{path}: record in line {n}") for n, line in enumerate(lines, 1) if line.strip()]
        return Content(path, "jsonl", text, digest, values, _keys(values))
    value = parse_json(text, str(path))
    keys = _keys(value if isinstance(value, list) else [value])
    kind = "rdf" if keys & {"@context", "@graph", "@id"} else "json"
    return Content(path, kind, text, digest, value, keys)


def _parses(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _keys(records: list[object]) -> frozenset[str]:
    return frozenset(key for record in records[:_LOOKED_AT] if isinstance(record, dict) for key in record)


def _looks_like_rdf(head: str) -> bool:
    text = head.removeprefix("\ufeff").lstrip()
    if text.startswith("<") and re.search(r"<(?:\w+:)?RDF[\s>]", text):
        return True
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    return _RDF.match(first.strip()) is not None
