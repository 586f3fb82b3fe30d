"""Opening files by what they hold."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import os
import random
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from contents import content_of, put

from qaldgen.io import unpacking
from qaldgen.io.unpacking import content_name, open_content, read_text, unpacked_size

TEXT = b"".join(b"<http://x.org/q%d> <http://x.org/length> %d .\n" % (i, i % 7) for i in range(300))
Refused = Callable[..., str]


def zipped(*members: tuple[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


def noise(size: int) -> bytes:
    """Bytes that do not pack, so that a cut archive is cut in its data."""
    return random.Random(7).randbytes(size)


def patched(archive: bytes, local: int, central: int, value: int) -> bytes:
    """Set one byte in the local header and in the directory entry of a zip with one member."""
    data = bytearray(archive)
    data[local] = value
    data[archive.index(b"PK\x01\x02") + central] = value
    return bytes(data)


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "plain": lambda data: data,
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "zip": lambda data: zipped(("features.ttl", data)),
}
PACKED = {name: pack for name, pack in PACKINGS.items() if name != "plain"}
each_packing = pytest.mark.parametrize("pack", PACKINGS.values(), ids=PACKINGS.keys())
each_archive = pytest.mark.parametrize("pack", PACKED.values(), ids=PACKED.keys())


@each_packing
@pytest.mark.parametrize("name", ["right", "wrong.gz", "wrong.bz2", "wrong.zip", "wrong.ttl"])
def test_content_is_unpacked_by_what_the_file_holds(
    tmp_path: Path, pack: Callable[[bytes], bytes], name: str
) -> None:
    assert content_of(put(tmp_path, name, pack(TEXT))) == TEXT


@each_packing
def test_digest_is_of_the_unpacked_bytes(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    with open_content(put(tmp_path, "data", pack(TEXT))) as reader:
        reader.read()
        assert reader.hexdigest() == hashlib.sha256(TEXT).hexdigest()


def test_digest_covers_only_what_was_read(tmp_path: Path) -> None:
    with open_content(put(tmp_path, "data", TEXT)) as reader:
        assert reader.read(10) == TEXT[:10]
        assert reader.hexdigest() == hashlib.sha256(TEXT[:10]).hexdigest()


def test_reading_in_pieces_gives_the_same_bytes(tmp_path: Path) -> None:
    with open_content(put(tmp_path, "data.gz", gzip.compress(TEXT))) as reader:
        pieces = list(iter(lambda: reader.read(97), b""))
    assert b"".join(pieces) == TEXT
    assert max(map(len, pieces)) <= 97


def test_gzip_of_several_parts_is_read_to_the_end(tmp_path: Path) -> None:
    assert (
        content_of(put(tmp_path, "data.gz", gzip.compress(b"one\n") + gzip.compress(b"two\n")))
        == b"one\ntwo\n"
    )


def test_empty_plain_file_has_no_content(tmp_path: Path) -> None:
    assert content_of(put(tmp_path, "data", b"")) == b""


def test_file_shorter_than_a_magic_number_is_plain(tmp_path: Path) -> None:
    assert content_of(put(tmp_path, "data", b"PK")) == b"PK"


def test_zip_ignores_what_macos_adds(tmp_path: Path) -> None:
    data = zipped(("features.ttl", TEXT), ("__MACOSX/._features.ttl", b"\x00\x05\x16\x07"))
    assert content_of(put(tmp_path, "data.zip", data)) == TEXT


def test_zip_ignores_folders(tmp_path: Path) -> None:
    assert (
        content_of(
            put(tmp_path, "data.zip", zipped(("folder/", b""), ("folder/features.ttl", TEXT)))
        )
        == TEXT
    )


def test_zip_with_several_files_is_refused_with_their_names(
    tmp_path: Path, refused: Refused
) -> None:
    path = put(tmp_path, "data.zip", zipped(("a.ttl", b"1"), ("b.ttl", b"2")))
    message = refused(lambda: content_of(path))
    assert (
        message == f"{path}: the zip holds 2 files (a.ttl, b.ttl), one is expected;"
        " unpack it and name the file"
    )


def test_zip_with_many_files_names_the_first_four(tmp_path: Path, refused: Refused) -> None:
    path = put(tmp_path, "data.zip", zipped(*[(f"{i}.ttl", b"") for i in range(6)]))
    assert "holds 6 files (0.ttl, 1.ttl, 2.ttl, 3.ttl, ...)," in refused(lambda: content_of(path))


def test_zip_with_four_files_names_them_all(tmp_path: Path, refused: Refused) -> None:
    path = put(tmp_path, "data.zip", zipped(*[(f"{i}.ttl", b"") for i in range(4)]))
    assert "holds 4 files (0.ttl, 1.ttl, 2.ttl, 3.ttl)," in refused(lambda: content_of(path))


@pytest.mark.parametrize(
    "members", [(), (("folder/", b""),), (("__MACOSX/._a", b"1"),)], ids=["none", "folder", "macos"]
)
def test_zip_without_files_is_refused(
    tmp_path: Path, refused: Refused, members: tuple[tuple[str, bytes], ...]
) -> None:
    path = put(tmp_path, "data.zip", zipped(*members))
    assert "the zip holds 0 files, one is expected" in refused(lambda: content_of(path))


def test_encrypted_zip_is_refused(tmp_path: Path, refused: Refused) -> None:
    path = put(tmp_path, "data.zip", patched(zipped(("features.ttl", TEXT)), 6, 8, 1))
    message = refused(lambda: content_of(path))
    assert message.startswith(f"{path}: the zip cannot be unpacked (")
    assert "encrypted" in message
    assert "unpack it by hand" in message


def test_zip_with_unknown_compression_is_refused(tmp_path: Path, refused: Refused) -> None:
    path = put(tmp_path, "data.zip", patched(zipped(("features.ttl", TEXT)), 8, 10, 99))
    assert f"{path}: the zip cannot be unpacked (" in refused(lambda: content_of(path))


@each_archive
@pytest.mark.parametrize("kept", [0.5, 0.999], ids=["half", "almost"])
def test_truncated_archive_is_refused(
    tmp_path: Path, refused: Refused, pack: Callable[[bytes], bytes], kept: float
) -> None:
    packed = pack(noise(20_000))
    path = put(tmp_path, "data", packed[: int(len(packed) * kept)])
    message = refused(lambda: content_of(path))
    assert message.startswith(f"{path}: the ")
    assert "download" in message


@pytest.mark.parametrize("head", [b"\x1f\x8b", b"\x1f\x8b\x08\x00", b"BZh9", b"PK\x03\x04"])
def test_archive_of_a_few_bytes_is_refused(tmp_path: Path, refused: Refused, head: bytes) -> None:
    path = put(tmp_path, "data", head)
    assert str(path) in refused(lambda: content_of(path))


@each_archive
def test_changed_byte_in_an_archive_is_found(
    tmp_path: Path, refused: Refused, pack: Callable[[bytes], bytes]
) -> None:
    packed = bytearray(pack(noise(20_000)))
    packed[len(packed) // 2] ^= 0xFF
    path = put(tmp_path, "data", bytes(packed))
    assert "the archive is damaged" in refused(lambda: content_of(path))


def test_wrong_checksum_of_gzip_is_found(tmp_path: Path, refused: Refused) -> None:
    packed = bytearray(gzip.compress(TEXT))
    packed[-6] ^= 0xFF
    path = put(tmp_path, "data.gz", bytes(packed))
    assert "CRC check failed" in refused(lambda: content_of(path))


def test_garbage_behind_gzip_is_found(tmp_path: Path, refused: Refused) -> None:
    path = put(tmp_path, "data.gz", gzip.compress(TEXT) + b"garbage")
    assert "the archive is damaged or truncated" in refused(lambda: content_of(path))


@each_archive
def test_archive_that_grows_too_much_is_refused(
    tmp_path: Path,
    refused: Refused,
    monkeypatch: pytest.MonkeyPatch,
    pack: Callable[[bytes], bytes],
) -> None:
    monkeypatch.setattr(unpacking, "ALLOWED_BYTES", 1000)
    monkeypatch.setattr(unpacking, "MAX_RATIO", 2)
    packed = pack(b" " * 100_000)
    path = put(tmp_path, "data", packed)
    message = refused(lambda: content_of(path))
    assert message.startswith(f"{path}: expands to more than 2 times its size")
    assert "Unpack it by hand" in message


@each_archive
def test_growth_up_to_the_limit_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setattr(unpacking, "ALLOWED_BYTES", 100_000)
    monkeypatch.setattr(unpacking, "MAX_RATIO", 1)
    assert len(content_of(put(tmp_path, "data", pack(b" " * 100_000)))) == 100_000


@each_archive
def test_one_byte_beyond_the_limit_is_refused(
    tmp_path: Path,
    refused: Refused,
    monkeypatch: pytest.MonkeyPatch,
    pack: Callable[[bytes], bytes],
) -> None:
    monkeypatch.setattr(unpacking, "ALLOWED_BYTES", 100_000)
    monkeypatch.setattr(unpacking, "MAX_RATIO", 1)
    path = put(tmp_path, "data", pack(b" " * 100_001))
    assert "expands to more than 1 times its size" in refused(lambda: content_of(path))


def test_ratio_counts_where_it_allows_more_than_the_small_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacking, "ALLOWED_BYTES", 10)
    monkeypatch.setattr(unpacking, "MAX_RATIO", 100_000)
    assert content_of(put(tmp_path, "data.gz", gzip.compress(b" " * 100_000))) == b" " * 100_000


def test_plain_file_may_have_any_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "ALLOWED_BYTES", 10)
    monkeypatch.setattr(unpacking, "MAX_RATIO", 0)
    assert content_of(put(tmp_path, "data", TEXT)) == TEXT


@each_archive
def test_bomb_is_refused_while_it_is_small(
    tmp_path: Path, refused: Refused, pack: Callable[[bytes], bytes]
) -> None:
    path = put(tmp_path, "bomb", pack(bytes(4 * unpacking.ALLOWED_BYTES)))
    unpacked = 0

    def read() -> None:
        nonlocal unpacked
        with open_content(path) as reader:
            while piece := reader.read(2**20):
                unpacked += len(piece)

    assert "expands to more than 300 times its size" in refused(read)
    assert unpacked <= unpacking.ALLOWED_BYTES


def test_bomb_behind_what_does_not_pack_is_refused_early(tmp_path: Path, refused: Refused) -> None:
    start = noise(50_000)
    path = put(tmp_path, "bomb.gz", gzip.compress(start) + gzip.compress(bytes(100_000_000)))
    heard: list[int] = []

    def read() -> None:
        with open_content(path, heard.append) as reader:
            reader.read()

    assert "expands to more than 300 times its size" in refused(read)
    assert sum(heard) < 70_000_000


def test_zip_that_declares_too_much_is_refused_before_it_is_unpacked(
    tmp_path: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(tmp_path, "bomb.zip", zipped(("zeros.ttl", bytes(20_000_000))))
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: pytest.fail("was opened"))
    assert "expands to more than 300 times its size" in refused(lambda: content_of(path))


def test_zip_that_declares_too_little_is_refused(tmp_path: Path, refused: Refused) -> None:
    packed = bytearray(zipped(("zeros.ttl", bytes(1_000_000))))
    at = packed.index(b"PK\x01\x02") + 24
    packed[at : at + 4] = (100).to_bytes(4, "little")
    path = put(tmp_path, "bomb.zip", bytes(packed))
    assert f"{path}: the archive is damaged" in refused(lambda: content_of(path))


@each_archive
@pytest.mark.parametrize("inner", PACKED.values(), ids=PACKED.keys())
def test_archive_in_an_archive_is_refused(
    tmp_path: Path,
    refused: Refused,
    pack: Callable[[bytes], bytes],
    inner: Callable[[bytes], bytes],
) -> None:
    path = put(tmp_path, "data", pack(inner(TEXT)))
    assert (
        refused(lambda: content_of(path))
        == f"{path}: the archive contains another archive; unpack it once"
    )


def test_missing_file_is_named(tmp_path: Path, refused: Refused) -> None:
    path = tmp_path / "none.ttl"
    message = refused(lambda: content_of(path))
    assert message == f"{path}: cannot be opened (No such file or directory); check the name"


def test_folder_is_no_file(tmp_path: Path, refused: Refused) -> None:
    assert (
        refused(lambda: content_of(tmp_path))
        == f"{tmp_path}: cannot be opened (Is a directory); name a file"
    )


@pytest.mark.parametrize(
    ("name", "held"),
    [("a.ttl", "a.ttl"), ("a.nt.gz", "a.nt"), ("a.nt.bz2", "a.nt"), ("a.tar.ttl", "a.tar.ttl")],
)
def test_content_name_leaves_the_packing_out(tmp_path: Path, name: str, held: str) -> None:
    assert content_name(put(tmp_path, name, TEXT)) == held


def test_content_name_of_a_zip_is_its_member(tmp_path: Path) -> None:
    data = zipped(("folder/", b""), ("folder/b.nt", TEXT), ("__MACOSX/._b.nt", b""))
    assert content_name(put(tmp_path, "a.ttl", data)) == "folder/b.nt"


@pytest.mark.parametrize(
    ("content", "rest"),
    [(b"marktext", b"text"), (b"marbles", b"marbles"), (b"ma", b"ma"), (b"", b"")],
)
def test_prefix_is_passed_over_where_it_stands(tmp_path: Path, content: bytes, rest: bytes) -> None:
    with open_content(put(tmp_path, "data", content)) as reader:
        reader.skip(b"mark")
        assert reader.read(1) + reader.read() == rest
        assert reader.hexdigest() == hashlib.sha256(content).hexdigest()


@each_packing
def test_progress_hears_of_the_unpacked_bytes(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    heard: list[int] = []
    with open_content(put(tmp_path, "data", pack(TEXT)), heard.append) as reader:
        reader.read()
    assert sum(heard) == len(TEXT)


def test_unpacked_size_is_known_of_plain_files_and_zips(tmp_path: Path) -> None:
    assert unpacked_size(put(tmp_path, "data.ttl", TEXT)) == len(TEXT)
    assert unpacked_size(put(tmp_path, "data.zip", zipped(("a.ttl", TEXT)))) == len(TEXT)


@pytest.mark.parametrize("name", ["data.ttl.gz", "data.ttl.bz2"])
def test_unpacked_size_of_other_archives_is_a_guess(tmp_path: Path, name: str) -> None:
    assert unpacked_size(put(tmp_path, name, b"x" * 10)) == 150


def test_unpacked_size_of_a_missing_file_is_nothing(tmp_path: Path) -> None:
    assert unpacked_size(tmp_path / "none.ttl") == 0


def test_content_name_is_printable(tmp_path: Path) -> None:
    assert content_name(Path(os.fsdecode(b"caf\xe9\n.ttl"))) == "caf\\udce9\\u000a.ttl"
    assert content_name(put(tmp_path, "a.zip", zipped(("b\x1b[2J.nt", TEXT)))) == "b\\u001b[2J.nt"


def test_text_is_read_without_its_mark(tmp_path: Path) -> None:
    assert (
        read_text(put(tmp_path, "data.csv.gz", gzip.compress("\ufeffid,é\n".encode()))) == "id,é\n"
    )


def test_spreadsheet_is_called_one(tmp_path: Path, refused: Refused) -> None:
    path = tmp_path / "mine.xlsx"
    path.write_bytes(
        zipped(("[Content_Types].xml", b"<Types/>"), ("xl/workbook.xml", b"<workbook/>"))
    )
    assert "is an Office document; save it as text, or a sheet as CSV" in refused(
        lambda: content_of(path)
    )


def test_text_in_another_encoding_is_refused(tmp_path: Path, refused: Refused) -> None:
    assert "is not UTF-8 (byte 3)" in refused(
        lambda: read_text(put(tmp_path, "data.csv", b"id,\xe9\n"))
    )


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_the_unicode_text_of_spreadsheets_is_named(
    encoding: str, tmp_path: Path, refused: Refused
) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes("\ufeffid;answer\n1;Łódź\n".encode(encoding))
    assert "iconv -f UTF-16 " in refused(lambda: read_text(path))
