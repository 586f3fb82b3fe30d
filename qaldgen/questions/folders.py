"""Folders with a data set of Hugging Face, or one file that stands for them."""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from qaldgen.errors import DataError
from qaldgen.io.extensions import Table
from qaldgen.io.inputs import is_file, is_folder
from qaldgen.io.notes import note
from qaldgen.io.text import few
from qaldgen.io.unpacking import ContentReader, open_content
from qaldgen.questions.nested_records import with_split

#: The name of one file of several: the split, and the number of the part. What `save_to_disk`
#: of datasets wrote is called data-00000-of-00001 in a folder with the name of the split.
_PART = re.compile(r"(?:data|(?P<split>.+?))-\d{5}-of-\d{5}(?:-[0-9a-f]+)?|\d+")
_ENDINGS = (".parquet", ".arrow")
#: Several files of text of one kind are one data set if there is a card.
_CARD, _TEXT = "README.md", re.compile(r"\.(?:jsonl?|csv|tsv)(?:\.(?:gz|bz2|zip))?$")
#: Files of a folder of runs.
_RUN = re.compile(
    r".+\.(?:jsonl?|ndjson|csv|tsv|txt|xlsx|srx|srj)(?:\.(?:gz|bz2|zip))?", re.IGNORECASE
)
#: Files that `datasets` keeps beside the data.
_NO_DATA = re.compile(r"cache-[0-9a-f]+\.arrow|tmp.*|dataset_infos?\.json")
Unpack: TypeAlias = Callable[[Path, zipfile.ZipFile], dict[str, object]]


class Container(NamedTuple):
    """Where the records of a format are, if not in a plain file.

    Attributes
    ----------
    help : str
        What follows "a folder" in a message: ``with one log``.
    patterns : tuple of str
        Names of files, with ``*``, of which a folder and those below it hold just one.
    first : tuple of str
        Names of files that are read instead of their folder, whatever else it holds.
    members : tuple of str
        Names of files, any of which shows that a zip is a packed one.
    unpack : callable or None
        Returns the JSON object in such a zip, given its path and the open zip.
    """

    help: str
    patterns: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    unpack: Unpack | None = None


#: Plug-ins add rows.
CONTAINERS: Table[Container] = Table("containers", Container, {})


def unpacker(members: Sequence[zipfile.ZipInfo]) -> Unpack | None:
    """Return what unpacks a zip with these files; None if no row knows it."""
    names = {member.filename for member in members}
    for row in CONTAINERS.values():
        if not names.isdisjoint(row.members):
            return row.unpack
    return None


def single_file(folder: Path) -> Path | None:
    """Return the file to read in a folder: the one of a row, or the only data.

    None for a data set, which has several files.
    """
    rows = CONTAINERS.values()
    for name in (name for row in rows for name in row.first):
        if is_file(folder / name):
            return folder / name
    data = _data_files(folder)
    if any(file.suffix in _ENDINGS for file in data):
        return None
    logs = log_files(folder)
    if len(logs) == 1:
        return logs[0]
    if logs:
        raise DataError(
            f"holds {len(logs)} logs ({few(log.name for log in logs)}); name one of them",
            where=folder,
        )
    if data:
        if len(data) > 1:
            return None
        return data[0]
    kinds = [
        f"of Hugging Face (Parquet, Arrow, or JSON Lines beside {_CARD})",
        *dict.fromkeys(row.help for row in rows),
    ]
    inside = _inside(folder)
    fault = f"of several files; name one of them ({few(inside)})" if inside else "without data"
    raise DataError(
        f"is a folder {fault}. Folders that are read as a whole are those"
        f" {', '.join(kinds[:-1])}, or {kinds[-1]}",
        where=folder,
    )


def run_files(path: Path) -> list[Path]:
    """Return the files of a folder of runs; for anything else the path itself."""
    if not is_folder(path):
        return [path]
    if any(is_file(path / name) for row in CONTAINERS.values() for name in row.first):
        return [path]
    logs = log_files(path)
    if len(logs) > 1:
        return logs
    files = [path / name for name in _inside(path) if _RUN.fullmatch(name)]
    if logs or not files or _data_files(path):
        return [path]
    return files


def log_files(folder: Path) -> list[Path]:
    """Return the logs of other evaluators in a folder and those below."""
    names = {name for row in CONTAINERS.values() for name in row.patterns}
    return sorted({path for name in names for path in folder.rglob(name)})


def _inside(folder: Path) -> list[str]:
    """Return the names of the files of a folder without hidden ones, likely data first."""
    names = [path.name for path in folder.iterdir() if is_file(path) and path.name[0] != "."]
    return sorted(names, key=lambda name: (_RUN.fullmatch(name) is None, name))


def data_set_rows(
    folder: Path, read: Callable[[ContentReader], list[object]]
) -> tuple[list[object], str]:
    """Return the rows of a data set folder, and the sha256 of its files in order.

    All splits are read; if there are several, the field ``split`` of each row names its own.
    """
    splits = _splits(folder)
    digest, rows, sizes = hashlib.sha256(), list[object](), dict[str, int]()
    for split, files in splits.items():
        records = []
        for file in files:
            with open_content(file) as reader:
                reader.hash_packed(digest)
                records += read(reader)
        sizes[split] = len(records)
        if len(splits) > 1:
            records = with_split(records, split)
        rows += records
    if len(splits) > 1:
        listed = ", ".join(f"{split} ({size:,})" for split, size in sizes.items())
        note(f"all splits are read: {listed}; to read one, name its folder or file")
    return rows, digest.hexdigest()


def _splits(folder: Path) -> dict[str, list[Path]]:
    """Return the files of each split in their order."""
    splits: dict[str, list[Path]] = {}
    places: dict[str, Path] = {}
    for file in _data_files(folder):
        name = _TEXT.sub("", file.name) if _TEXT.search(file.name) else file.stem
        part = _PART.fullmatch(name)
        # the name of a part may only say which one it is
        split = name if part is None else part["split"] or file.parent.name
        place = places.setdefault(split, file.parent)
        # two folders with the same split are two configurations
        if place != file.parent:
            names = sorted(
                {file.parent.relative_to(folder).as_posix() for file in _data_files(folder)}
            )
            raise DataError(
                f"holds several data sets ({few(names)}); name the folder of one",
                where=folder,
            )
        splits.setdefault(split, []).append(file)
    return splits


def _data_files(folder: Path) -> list[Path]:
    """Return the data files in a folder and those below, sorted, without hidden ones."""
    paths = [
        path
        for path in folder.rglob("*")
        if (path.suffix in _ENDINGS or _TEXT.search(path.name))
        and not _NO_DATA.fullmatch(path.name)
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]
    files = sorted(path for path in paths if is_file(path))
    columnar = [path for path in files if path.suffix in _ENDINGS]
    if columnar:
        return columnar
    # the card of a configuration or of data/ is a folder or two above
    cards = [folder]
    if len(files) == 1:
        cards += folder.absolute().parents[:2]
    alike = len({".json" in file.name for file in files}) == 1  # records, or else tables
    if alike and any(is_file(place / _CARD) for place in cards):
        return files
    return []
