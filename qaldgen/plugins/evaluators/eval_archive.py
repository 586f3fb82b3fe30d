"""Unpack a zipped log of inspect_ai (.eval), whose members may be packed by Zstandard."""

from __future__ import annotations

import copy
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from qaldgen.errors import DataError
from qaldgen.io.unpacking import DAMAGED, open_member, refuse_bomb
from qaldgen.questions.json_documents import parse_json

#: The members that a log has at its end, and from its start.
HEADER = "header.json"
START = "_journal/start.json"
_SAMPLES = "samples/"
_ZSTANDARD = 93
#: Fields that are not read, but take most of the space.
_SKIPPED_FIELDS = ("events", "events_data", "messages", "store", "timelines")


def read_eval_log(path: Path, archive: zipfile.ZipFile) -> dict[str, object]:
    """Return a zipped log as inspect_ai's JSON document without events."""
    # a member may be written twice: the later one counts
    members = {info.filename: info for info in archive.infolist()}
    packed_size = sum(info.compress_size for info in members.values())
    unpacked_size = 0

    def read_member(info: zipfile.ZipInfo) -> str:
        nonlocal unpacked_size
        location = (str(path), info.filename)
        chunks = []
        for chunk in _unpack(archive, info, location):
            unpacked_size += len(chunk)
            refuse_bomb(path, unpacked_size, packed_size)
            chunks.append(chunk)
        content = b"".join(chunks)
        # zipfile checks only members that it unpacks itself
        if zlib.crc32(content) != info.CRC:
            raise DataError(
                "the log is damaged (its checksum is wrong); download it again", where=location
            )
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise DataError(f"byte {error.start} is not UTF-8", where=location) from error

    try:
        # an interrupted log has no header; the information at its start replaces it
        header = members.get(HEADER) or members[START]
        document = parse_json(read_member(header), f"{path}: {header.filename}")
        if not isinstance(document, dict):
            raise DataError("an object is expected", where=(str(path), header.filename))
        samples = []
        for name, info in members.items():
            if not name.startswith(_SAMPLES) or not name.endswith(".json"):
                continue
            sample = parse_json(read_member(info), f"{path}: {name}")
            if isinstance(sample, dict):
                for field in _SKIPPED_FIELDS:
                    sample.pop(field, None)
            samples.append(sample)
    except DAMAGED as error:
        raise DataError(
            f"the log is damaged or cut off ({error}); download it again", where=path
        ) from error
    return {"status": "started", **document, "samples": samples}


def _unpack(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, location: tuple[str, ...]
) -> Iterator[bytes]:
    """Yield the unpacked content of a member of an archive in chunks."""
    if info.compress_type != _ZSTANDARD:
        with open_member(archive, info, location) as stream:
            yield from iter(lambda: stream.read(2**20), b"")
        return
    import zstandard

    # zipfile knows Zstandard only from Python 3.14 on, so it gives the packed bytes, unchecked
    packed = copy.copy(info)
    packed.compress_type = zipfile.ZIP_STORED
    packed.file_size = info.compress_size
    packed.CRC = cast("int", None)
    with archive.open(packed) as stream:
        reader = zstandard.ZstdDecompressor().stream_reader(stream, read_across_frames=True)
        try:
            yield from iter(lambda: reader.read(2**20), b"")
        except zstandard.ZstdError as error:
            raise DataError(
                f"the log is damaged ({error}); download it again", where=location
            ) from error
