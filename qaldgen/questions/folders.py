"""Find the files to read in a folder: a data set of Hugging Face, a log, or runs."""

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

#: The name of one of several files: the split and the number of the part. Files written by
#: `save_to_disk` of datasets are called data-00000-of-00001, in a folder named after the split.
_PART_NAME = re.compile(r"(?:data|(?P<split>.+?))-\d{5}-of-\d{5}(?:-[0-9a-f]+)?|\d+")
_COLUMNAR_SUFFIXES = (".parquet", ".arrow")
#: The card of a data set, with which several text files of one type are one data set.
_CARD = "README.md"
_TEXT_SUFFIX = re.compile(r"\.(?:jsonl?|csv|tsv)(?:\.(?:gz|bz2|zip))?$")
#: The name of a file in a folder of runs.
_RUN_FILE = re.compile(
    r".+\.(?:jsonl?|ndjson|csv|tsv|txt|xlsx|srx|srj)(?:\.(?:gz|bz2|zip))?", re.IGNORECASE
)
#: Names of files that `datasets` stores with the data.
_METADATA_FILE = re.compile(r"cache-[0-9a-f]+\.arrow|tmp.*|dataset_infos?\.json")
Unpack: TypeAlias = Callable[[Path, zipfile.ZipFile], dict[str, object]]


class Container(NamedTuple):
    """How the files of a format are found in a folder or a zip.

    Attributes
    ----------
    help : str
        The words after "a folder" in a message: ``with one log``.
    patterns : tuple of str
        Patterns of file names, such as ``*.eval``; a folder and its subfolders have one such file.
    first : tuple of str
        Names of files that are read instead of their folder.
    members : tuple of str
        Names of files, one of which a zip of this format has.
    unpack : callable or None
        Returns the content of such a zip as a JSON object, given its path and the open zip.
    """

    help: str
    patterns: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    unpack: Unpack | None = None


#: The formats, which plug-ins add.
CONTAINERS: Table[Container] = Table("containers", Container, {})


def unpacker(members: Sequence[zipfile.ZipInfo]) -> Unpack | None:
    """Return the function that unpacks a zip with some files; None if its format is unknown."""
    names = {member.filename for member in members}
    for row in CONTAINERS.values():
        if not names.isdisjoint(row.members):
            return row.unpack
    return None


def single_file(folder: Path) -> Path | None:
    """Return the file to read in a folder: that of a format, or the only file with data.

    None if the folder is a data set with several files.
    """
    rows = CONTAINERS.values()
    for name in (name for row in rows for name in row.first):
        if is_file(folder / name):
            return folder / name
    data = _data_files(folder)
    if any(file.suffix in _COLUMNAR_SUFFIXES for file in data):
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
    names = _file_names(folder)
    fault = f"of several files; name one of them ({few(names)})" if names else "without data"
    raise DataError(
        f"is a folder {fault}. Folders that are read as a whole are those"
        f" {', '.join(kinds[:-1])}, or {kinds[-1]}",
        where=folder,
    )


def run_files(path: Path) -> list[Path]:
    """Return the files in a folder of runs; for any other path the path itself."""
    if not is_folder(path):
        return [path]
    if any(is_file(path / name) for row in CONTAINERS.values() for name in row.first):
        return [path]
    logs = log_files(path)
    if len(logs) > 1:
        return logs
    files = [path / name for name in _file_names(path) if _RUN_FILE.fullmatch(name)]
    if logs or not files or _data_files(path):
        return [path]
    return files


def log_files(folder: Path) -> list[Path]:
    """Return the logs of other evaluators in a folder and those below."""
    names = {name for row in CONTAINERS.values() for name in row.patterns}
    return sorted({path for name in names for path in folder.rglob(name)})


def _file_names(folder: Path) -> list[str]:
    """Return the names of the files in a folder without hidden ones, likely data first."""
    names = [path.name for path in folder.iterdir() if is_file(path) and path.name[0] != "."]
    return sorted(names, key=lambda name: (_RUN_FILE.fullmatch(name) is None, name))


def data_set_rows(
    folder: Path, read: Callable[[ContentReader], list[object]]
) -> tuple[list[object], str]:
    """Return the rows of a data set in a folder, and the SHA-256 of its files in order.

    All splits are read; if there are several, each row has the field ``split``.
    """
    splits = _files_by_split(folder)
    digest = hashlib.sha256()
    rows: list[object] = []
    sizes: dict[str, int] = {}
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
        shown = ", ".join(f"{split} ({size:,})" for split, size in sizes.items())
        note(f"all splits are read: {shown}; to read one, name its folder or file")
    return rows, digest.hexdigest()


def _files_by_split(folder: Path) -> dict[str, list[Path]]:
    """Return the files of each split, in order."""
    splits: dict[str, list[Path]] = {}
    folders: dict[str, Path] = {}
    for file in _data_files(folder):
        name = _TEXT_SUFFIX.sub("", file.name) if _TEXT_SUFFIX.search(file.name) else file.stem
        part = _PART_NAME.fullmatch(name)
        # the name of a part may be only its number
        split = name if part is None else part["split"] or file.parent.name
        # two folders with the same split are two configurations
        if folders.setdefault(split, file.parent) != file.parent:
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
    """Return the data files in a folder and its subfolders, sorted, without hidden ones."""
    paths = [
        path
        for path in folder.rglob("*")
        if (path.suffix in _COLUMNAR_SUFFIXES or _TEXT_SUFFIX.search(path.name))
        and not _METADATA_FILE.fullmatch(path.name)
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]
    files = sorted(path for path in paths if is_file(path))
    columnar = [path for path in files if path.suffix in _COLUMNAR_SUFFIXES]
    if columnar:
        return columnar
    # the card of a configuration or of data/ is one or two folders above
    card_folders = [folder]
    if len(files) == 1:
        card_folders += folder.absolute().parents[:2]
    have_one_type = len({".json" in file.name for file in files}) == 1  # either records or tables
    if have_one_type and any(is_file(card_folder / _CARD) for card_folder in card_folders):
        return files
    return []
