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
from qaldgen.io.csv_cells import dump_csv
from qaldgen.io.extensions import Table
from qaldgen.io.packages import package_path
from qaldgen.io.text import text_table

#: The default server; OWNER/REPOSITORY/COMMIT/PATH follows.
HOST = "https://raw.githubusercontent.com"
#: Tables of question sets; plug-ins add others.
CATALOGUES: Table[Path] = Table(
    "catalogues",
    Path,
    {"qaldgen": package_path(Path(__file__).resolve().parent / "data" / "catalog.tsv")},
)
#: The most similar names that a message lists.
_MAX_SUGGESTIONS = 6


class RemoteFile(NamedTuple):
    """One file of a question set."""

    path: str  # its path in the repository
    #: ``sha256:`` and the SHA-256, or ``git:`` and git's object id of the file.
    checksum: str
    #: Its size in bytes; None if only the object id is known, which depends on the size.
    size: int | None

    @property
    def checksum_type(self) -> str:
        """The type of the checksum: ``sha256`` or ``git``."""
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
    def path_prefix(self) -> str:
        """The common start of the paths of the files, in their URLs and in the cache."""
        return f"{self.repository}/{self.commit}"

    def url(self, file: RemoteFile, base_url: str | None = None) -> str:
        """Return the URL of a file on the default server or on a mirror."""
        return f"{(base_url or HOST).rstrip('/')}/{quote(f'{self.path_prefix}/{file.path}')}"

    def to_dict(self) -> dict[str, object]:
        """Return the fields that the catalogue shows, with URLs instead of paths."""
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
def _read_entries() -> tuple[Entry, ...]:
    catalogue: list[Entry] = []
    for path in CATALOGUES.values():
        with path.open(encoding="utf-8", newline="") as table:
            for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE):
                # these columns have one value per file
                columns = (row[name].split() for name in ("path", "checksum", "bytes"))
                files = []
                for file_path, checksum, size in zip(*columns, strict=True):
                    n_bytes = None if size == "-" else int(size)
                    files.append(RemoteFile(file_path, checksum, n_bytes))
                texts = {name: row[name] for name in Entry._fields if name != "files"}
                catalogue.append(Entry(**texts, files=tuple(files)))
    return tuple(catalogue)


def entries() -> dict[str, Entry]:
    """Return the question sets by name.

    >>> entries()["lc-quad-1-test"].licence
    'GPL-3.0'
    """
    return {entry.name: entry for entry in _read_entries()}


def find_entry(name: str) -> Entry:
    """Return a question set by its name."""
    entry = entries().get(name)
    if entry is None:
        raise UsageError(f"unknown question set {name!r}; {suggest_names(name)}")
    return entry


def format_citation(name: str) -> str:
    """Return how a question set is cited, with its licence."""
    entry = find_entry(name)
    return (
        f"{entry.name}: {entry.citation}. Licence: {entry.licence} (github.com/{entry.repository})"
    )


def suggest_names(name: str) -> str:
    """Return a hint for messages: similar names in the catalogue, and how to list all."""
    return f"{did_you_mean(name, entries(), limit=_MAX_SUGGESTIONS)}'qaldgen data list' lists all"


def format_catalogue(format: str) -> str:
    """Return the catalogue in a format: ``text``, ``json`` or ``csv``."""
    rows = [entry.to_dict() for entry in _read_entries()]
    if format == "json":
        return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"
    if format == "csv":
        return dump_csv(rows[0], ([_format_cell(value) for value in row.values()] for row in rows))
    head = ("name", "format", "split", "bytes", "licence", "language")
    table_rows = [head, *(tuple(_format_cell(row[name], ",") for name in head) for row in rows)]
    return text_table(table_rows, right_aligned=[head.index("bytes")])


def _format_cell(value: object, spec: str = "") -> str:
    if isinstance(value, list):
        return " ".join(value)
    if isinstance(value, int):
        return f"{value:{spec}}"
    return str(value or "")
