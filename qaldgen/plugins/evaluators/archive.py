"""The files of logs in folders, and the zip of inspect_ai, with members packed by Zstandard."""

from __future__ import annotations

import copy
import hashlib
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from qaldgen.errors import DataError
from qaldgen.formats.folders import Container
from qaldgen.formats.json_documents import parse_json
from qaldgen.io.files import DAMAGED, is_file, open_input, refuse_bomb, stream_number

_HEADER, _START, _SAMPLES = "header.json", "_journal/start.json", "samples/"
_ZSTANDARD = 93
#: Fields that nothing is made of, but that take most of the space.
_HEAVY = ("events", "events_data", "messages", "store", "timelines")


def is_eval_log(path: Path) -> bool:
    """Say whether a file is a zip of inspect_ai, by the names of its members."""
    if not is_file(path) and stream_number(path) is None:
        return False
    try:
        with open_input(path) as file:
            if file.read(2) != b"PK":
                return False
            with zipfile.ZipFile(file) as archive:
                names = archive.namelist()
    except (DataError, *DAMAGED, OSError):
        return False
    return any(name in {_HEADER, _START} for name in names)


def read_eval_log(path: Path) -> tuple[dict[str, object], str]:
    """Return a zipped log as inspect_ai's JSON document without events, and the file's sha256.

    An interrupted log has no header; the information at its start replaces it.
    """
    with open_input(path) as file:
        digest = _sha256(file)
    try:
        with open_input(path) as file, zipfile.ZipFile(file) as archive:
            document = _document(path, archive)
    except DAMAGED as error:
        raise DataError(
            f"the log is damaged or cut off ({error}); download it again", where=path
        ) from error
    return document, digest


def _document(path: Path, archive: zipfile.ZipFile) -> dict[str, object]:
    # a member may be written twice: the later one counts
    members = {info.filename: info for info in archive.infolist()}
    head = members.get(_HEADER) or members[_START]
    room = _Room(path, sum(info.compress_size for info in members.values()))
    document = parse_json(_text(archive, head, room), f"{path}: {head.filename}")
    if not isinstance(document, dict):
        raise DataError("an object is expected", where=(str(path), head.filename))
    samples = [
        _light(parse_json(_text(archive, info, room), f"{path}: {name}"))
        for name, info in members.items()
        if name.startswith(_SAMPLES) and name.endswith(".json")
    ]
    return {"status": "started", **document, "samples": samples}


class _Room:
    """The size to which an archive may unpack, all members together."""

    def __init__(self, path: Path, packed: int) -> None:
        self.path, self._packed, self._size = path, packed, 0

    def take(self, data: bytes) -> None:
        """Count unpacked bytes; raise DataError if there are too many for the packed size."""
        self._size += len(data)
        refuse_bomb(self.path, self._size, self._packed)


def _light(sample: object) -> object:
    return (
        {name: value for name, value in sample.items() if name not in _HEAVY}
        if isinstance(sample, dict)
        else sample
    )


def _text(archive: zipfile.ZipFile, info: zipfile.ZipInfo, room: _Room) -> str:
    """Return a member as text."""
    parts, check, where = [], 0, (str(room.path), info.filename)
    for data in _unpacked(archive, info, where):
        check = zlib.crc32(data, check)
        room.take(data)
        parts.append(data)
    # zipfile compares it only for members that it unpacks itself
    if check != info.CRC:
        raise DataError(
            "the log is damaged (its checksum is wrong); download it again", where=where
        )
    try:
        return b"".join(parts).decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"byte {error.start} is not UTF-8", where=where) from error


def _unpacked(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, where: tuple[str, ...]
) -> Iterator[bytes]:
    if info.compress_type != _ZSTANDARD:
        with archive.open(info) as stream:
            yield from iter(lambda: stream.read(2**20), b"")
        return
    import zstandard

    # zipfile knows Zstandard from Python 3.14 on: the packed bytes are read as they are, and the
    # checksum is ours to compare
    packed = copy.copy(info)
    packed.compress_type, packed.file_size = zipfile.ZIP_STORED, info.compress_size
    packed.CRC = cast("int", None)
    with archive.open(packed) as stream:
        reader = zstandard.ZstdDecompressor().stream_reader(stream, read_across_frames=True)
        try:
            yield from iter(lambda: reader.read(2**20), b"")
        except zstandard.ZstdError as error:
            raise DataError(
                f"the log is damaged ({error}); download it again", where=where
            ) from error


def _sha256(file: IO[bytes]) -> str:
    found = hashlib.sha256()
    for data in iter(lambda: file.read(2**20), b""):
        found.update(data)
    return found.hexdigest()


#: The shorter file with the answers to single questions, and the one with everything.
PREDICTIONS, STATE = "display_predictions.json", "scenario_state.json"
HELM = Container("of HELM", first=(PREDICTIONS, STATE))
LM_EVAL = Container("with one log", patterns=("samples_*.jsonl",))
EVERY_EVAL_EVER = Container("with one log", ("*_samples.jsonl",))
INSPECT = Container("with one log", ("*.eval",), packs=is_eval_log, unpack=read_eval_log)
