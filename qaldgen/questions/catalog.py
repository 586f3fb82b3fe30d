"""Public question sets by name, with pinned address, checksum, licence and citation."""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from qaldgen.errors import UsageError
from qaldgen.io.arguments import did_you_mean
from qaldgen.io.extensions import Table
from qaldgen.io.packages import packaged
from qaldgen.io.spreadsheets import dump_csv
from qaldgen.io.text import text_table

#: The default server; OWNER/REPOSITORY/COMMIT/PATH follows.
HOST = "https://raw.githubusercontent.com"
#: Tables of question sets, like ours; plug-ins add theirs.
CATALOGUES: Table[Path] = Table(
    "catalogues",
    Path,
    {"qaldgen": packaged(Path(__file__).resolve().parent / "data" / "catalog.tsv")},
)
#: Similar names that a message lists.
_NEAR = 6


class RemoteFile(NamedTuple):
    """One file of a question set."""

    path: str  # its path in the repository
    #: ``sha256:`` and the sha256, or ``git:`` and the object id that git gives the file.
    checksum: str
    #: Its size in bytes; None if only the object id is known, which covers the size too.
    size: int | None

    @property
    def kind(self) -> str:
        """The kind of the checksum: ``sha256`` or ``git``."""
        return self.checksum.partition(":")[0]


class Entry(NamedTuple):
    """A named question set; the head of `data/catalog.tsv` explains the fields."""

    name: str
    format: str
    split: str
    language: str
    licence: str
    repository: str
    commit: str
    files: tuple[RemoteFile, ...]
    citation: str

    @property
    def size(self) -> int | None:
        """The size of all files in bytes; None if one is not known."""
        sizes = [file.size for file in self.files if file.size is not None]
        if len(sizes) < len(self.files):
            return None
        return sum(sizes)

    @property
    def place(self) -> str:
        """The common part of the files' addresses, and of their paths in the cache."""
        return f"{self.repository}/{self.commit}"

    def url(self, file: RemoteFile, base_url: str | None = None) -> str:
        """Return the URL of a file."""
        return f"{(base_url or HOST).rstrip('/')}/{quote(f'{self.place}/{file.path}')}"

    def to_dict(self) -> dict[str, object]:
        """Return the fields that the catalogue shows, with addresses instead of paths."""
        return {
            "name": self.name,
            "format": self.format,
            "split": self.split,
            "language": self.language.split(),
            "bytes": self.size,
            "licence": self.licence,
            "citation": self.citation,
            "repository": f"https://github.com/{self.repository}",
            "urls": [self.url(file) for file in self.files],
            "checksums": [file.checksum for file in self.files],
        }


@cache
def _read() -> tuple[Entry, ...]:
    catalogue: list[Entry] = []
    for path in CATALOGUES.values():
        with path.open(encoding="utf-8", newline="") as table:
            for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE):
                # these have one value per file
                columns = (row[name].split() for name in ("path", "checksum", "bytes"))
                files = []
                for address, checksum, size in zip(*columns, strict=True):
                    files.append(RemoteFile(address, checksum, None if size == "-" else int(size)))
                texts = {name: row[name] for name in Entry._fields if name != "files"}
                catalogue.append(Entry(**texts, files=tuple(files)))
    return tuple(catalogue)


def entries() -> dict[str, Entry]:
    """Return the question sets by name.

    >>> entries()["lc-quad-1-test"].licence
    'GPL-3.0'
    """
    return {entry.name: entry for entry in _read()}


def find_entry(name: str) -> Entry:
    """Return a question set by its name."""
    entry = entries().get(name)
    if entry is None:
        raise UsageError(f"unknown question set {name!r}; {suggest_names(name)}")
    return entry


def format_citation(name: str) -> str:
    """Describe how a question set is cited, and its licence."""
    entry = find_entry(name)
    return (
        f"{entry.name}: {entry.citation}. Licence: {entry.licence} (github.com/{entry.repository})"
    )


def suggest_names(name: str) -> str:
    """Return a hint with similar names of the catalogue, or how to list all."""
    return f"{did_you_mean(name, entries(), most=_NEAR)}'qaldgen data list' lists all"


def format_catalogue(form: str) -> str:
    """Return the catalogue in a format: ``text``, ``json`` or ``csv``."""
    rows = [entry.to_dict() for entry in _read()]
    if form == "json":
        return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"
    if form == "csv":
        return dump_csv(rows[0], ([_cell(value) for value in row.values()] for row in rows))
    head = ("name", "format", "split", "bytes", "licence", "language")
    table_rows = [head, *(tuple(_cell(row[name], ",") for name in head) for row in rows)]
    return text_table(table_rows, right=[head.index("bytes")])


def _cell(value: object, spec: str = "") -> str:
    if isinstance(value, list):
        return " ".join(value)
    if isinstance(value, int):
        return format(value, spec)
    return str(value or "")
