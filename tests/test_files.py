"""Opening files by what they hold, and writing them whole or not at all."""

from __future__ import annotations

import bz2
import errno
import gzip
import hashlib
import io
import os
import random
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from qaldgen import files
from qaldgen.errors import UsageError
from qaldgen.files import check_writable, content_name, open_content, unpacked_size, write_atomic

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
    """Set one byte of the local header and the same field of the directory entry of a zip with one member."""
    data = bytearray(archive)
    data[local] = value
    data[archive.index(b"PK\x01\x02") + central] = value
    return bytes(data)


def content_of(path: Path) -> bytes:
    with open_content(path) as reader:
        return reader.read()


def put(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


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
def test_content_is_unpacked_by_what_the_file_holds(tmp_path: Path, pack: Callable[[bytes], bytes], name: str) -> None:
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
    assert content_of(put(tmp_path, "data.gz", gzip.compress(b"one\n") + gzip.compress(b"two\n"))) == b"one\ntwo\n"


def test_empty_plain_file_has_no_content(tmp_path: Path) -> None:
    assert content_of(put(tmp_path, "data", b"")) == b""


def test_file_shorter_than_a_magic_number_is_plain(tmp_path: Path) -> None:
    assert content_of(put(tmp_path, "data", b"PK")) == b"PK"


def test_zip_ignores_what_macos_adds(tmp_path: Path) -> None:
    data = zipped(("features.ttl", TEXT), ("__MACOSX/._features.ttl", b"\x00\x05\x16\x07"))
    assert content_of(put(tmp_path, "data.zip", data)) == TEXT


def test_zip_ignores_folders(tmp_path: Path) -> None:
    assert content_of(put(tmp_path, "data.zip", zipped(("folder/", b""), ("folder/features.ttl", TEXT)))) == TEXT


def test_zip_with_several_files_is_refused_with_their_names(tmp_path: Path, refused: Refused) -> None:
    path = put(tmp_path, "data.zip", zipped(("a.ttl", b"1"), ("b.ttl", b"2")))
    message = refused(lambda: content_of(path))
    assert message == f"{path}: the zip holds 2 files (a.ttl, b.ttl), one is expected; unpack it and name the file"


def test_zip_with_many_files_names_the_first_four(tmp_path: Path, refused: Refused) -> None:
    path = put(tmp_path, "data.zip", zipped(*[(f"{i}.ttl", b"") for i in range(6)]))
    assert "holds 6 files (0.ttl, 1.ttl, 2.ttl, 3.ttl, ...)," in refused(lambda: content_of(path))


def test_zip_with_four_files_names_them_all(tmp_path: Path, refused: Refused) -> None:
    path = put(tmp_path, "data.zip", zipped(*[(f"{i}.ttl", b"") for i in range(4)]))
    assert "holds 4 files (0.ttl, 1.ttl, 2.ttl, 3.ttl)," in refused(lambda: content_of(path))


@pytest.mark.parametrize("members", [(), (("folder/", b""),), (("__MACOSX/._a", b"1"),)], ids=["none", "folder", "macos"])
def test_zip_without_files_is_refused(tmp_path: Path, refused: Refused, members: tuple[tuple[str, bytes], ...]) -> None:
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
def test_truncated_archive_is_refused(tmp_path: Path, refused: Refused, pack: Callable[[bytes], bytes], kept: float) -> None:
    packed = pack(noise(20_000))
    path = put(tmp_path, "data", packed[: int(len(packed) * kept)])
    message = refused(lambda: content_of(path))
    assert message.startswith(f"{path}: the ")
    assert "fetch" in message


@pytest.mark.parametrize("head", [b"\x1f\x8b", b"\x1f\x8b\x08\x00", b"BZh9", b"PK\x03\x04"])
def test_archive_of_a_few_bytes_is_refused(tmp_path: Path, refused: Refused, head: bytes) -> None:
    path = put(tmp_path, "data", head)
    assert str(path) in refused(lambda: content_of(path))


@each_archive
def test_changed_byte_in_an_archive_is_found(tmp_path: Path, refused: Refused, pack: Callable[[bytes], bytes]) -> None:
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
    assert "the archive is damaged or cut off" in refused(lambda: content_of(path))


@each_archive
def test_archive_that_grows_too_much_is_refused(
    tmp_path: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setattr(files, "SMALL", 1000)
    monkeypatch.setattr(files, "MAX_RATIO", 2)
    packed = pack(b" " * 100_000)
    path = put(tmp_path, "data", packed)
    message = refused(lambda: content_of(path))
    assert message.startswith(f"{path}: unpacks to more than {max(1000, 2 * len(packed)):,} bytes, over 2 times its size")
    assert "Unpack it by hand" in message


@each_archive
def test_growth_up_to_the_limit_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setattr(files, "SMALL", 100_000)
    monkeypatch.setattr(files, "MAX_RATIO", 1)
    assert len(content_of(put(tmp_path, "data", pack(b" " * 100_000)))) == 100_000


@each_archive
def test_one_byte_beyond_the_limit_is_refused(
    tmp_path: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setattr(files, "SMALL", 100_000)
    monkeypatch.setattr(files, "MAX_RATIO", 1)
    path = put(tmp_path, "data", pack(b" " * 100_001))
    assert "unpacks to more than 100,000 bytes" in refused(lambda: content_of(path))


def test_ratio_counts_where_it_allows_more_than_the_small_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "SMALL", 10)
    monkeypatch.setattr(files, "MAX_RATIO", 100_000)
    assert content_of(put(tmp_path, "data.gz", gzip.compress(b" " * 100_000))) == b" " * 100_000


def test_plain_file_may_have_any_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "SMALL", 10)
    monkeypatch.setattr(files, "MAX_RATIO", 0)
    assert content_of(put(tmp_path, "data", TEXT)) == TEXT


def test_real_zip_bomb_is_refused_before_it_is_all_unpacked(tmp_path: Path, refused: Refused) -> None:
    path = put(tmp_path, "bomb.zip", zipped(("zeros.ttl", bytes(100_000_000))))
    unpacked = 0

    def read() -> None:
        nonlocal unpacked
        with open_content(path) as reader:
            while piece := reader.read(2**20):
                unpacked += len(piece)

    assert "unpacks to more than" in refused(read)
    assert unpacked <= 64 * 2**20


def test_missing_file_is_named(tmp_path: Path, refused: Refused) -> None:
    path = tmp_path / "none.ttl"
    message = refused(lambda: content_of(path))
    assert message == f"{path}: cannot be opened (No such file or directory); check the name"


def test_folder_is_no_file(tmp_path: Path, refused: Refused) -> None:
    assert f"{tmp_path}: cannot be opened (Is a directory)" in refused(lambda: content_of(tmp_path))


@pytest.mark.parametrize(
    ("name", "held"),
    [("a.ttl", "a.ttl"), ("a.nt.gz", "a.nt"), ("a.nt.bz2", "a.nt"), ("a.tar.ttl", "a.tar.ttl")],
)
def test_content_name_leaves_the_packing_out(tmp_path: Path, name: str, held: str) -> None:
    assert content_name(put(tmp_path, name, TEXT)) == held


def test_content_name_of_a_zip_is_its_member(tmp_path: Path) -> None:
    data = zipped(("folder/", b""), ("folder/b.nt", TEXT), ("__MACOSX/._b.nt", b""))
    assert content_name(put(tmp_path, "a.ttl", data)) == "folder/b.nt"


@pytest.mark.parametrize(("content", "rest"), [(b"marktext", b"text"), (b"marbles", b"marbles"), (b"ma", b"ma"), (b"", b"")])
def test_prefix_is_passed_over_where_it_stands(tmp_path: Path, content: bytes, rest: bytes) -> None:
    with open_content(put(tmp_path, "data", content)) as reader:
        reader.skip(b"mark")
        assert reader.read(1) + reader.read() == rest
        assert reader.hexdigest() == hashlib.sha256(content).hexdigest()


@each_packing
def test_progress_hears_of_the_unpacked_bytes(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
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


def test_existing_output_is_refused(tmp_path: Path, refused: Refused) -> None:
    path = put(tmp_path, "out.csv", b"old")
    message = refused(lambda: check_writable(path, force=False), UsageError)
    assert message == f"{path}: exists already; choose another name or add --force"


def test_existing_output_may_be_overwritten_by_force(tmp_path: Path) -> None:
    check_writable(put(tmp_path, "out.csv", b"old"), force=True)


def test_new_output_needs_no_force(tmp_path: Path) -> None:
    check_writable(tmp_path / "out.csv", force=False)
    assert list(tmp_path.iterdir()) == []


def test_folder_as_output_is_refused_even_by_force(tmp_path: Path, refused: Refused) -> None:
    assert refused(lambda: check_writable(tmp_path, force=True), UsageError) == f"{tmp_path}: is a folder; name a file"


def test_output_in_a_missing_folder_is_refused(tmp_path: Path, refused: Refused) -> None:
    path = tmp_path / "none" / "out.csv"
    message = refused(lambda: check_writable(path, force=True), UsageError)
    assert message == f"{path}: the folder {tmp_path / 'none'} does not exist; make it first"


def test_output_in_a_protected_folder_is_refused(tmp_path: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Path, int]] = []

    def access(path: Path, mode: int) -> bool:
        asked.append((path, mode))
        return False

    monkeypatch.setattr(os, "access", access)
    assert "is not writable" in refused(lambda: check_writable(tmp_path / "out.csv", force=False), UsageError)
    assert asked == [(tmp_path, os.W_OK)]


def test_write_atomic_makes_the_file(tmp_path: Path) -> None:
    write_atomic(tmp_path / "out.bin", b"\x00\xffdata")
    assert (tmp_path / "out.bin").read_bytes() == b"\x00\xffdata"
    assert [path.name for path in tmp_path.iterdir()] == ["out.bin"]


def test_write_atomic_replaces_the_old_content(tmp_path: Path) -> None:
    path = put(tmp_path, "out.bin", b"a longer old content")
    write_atomic(path, b"new")
    assert path.read_bytes() == b"new"


def test_write_atomic_keeps_the_permissions_of_the_old_file(tmp_path: Path) -> None:
    path = put(tmp_path, "out.bin", b"old")
    path.chmod(0o640)
    write_atomic(path, b"new")
    assert path.stat().st_mode & 0o777 == 0o640


def test_write_atomic_gives_a_new_file_the_usual_permissions(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        write_atomic(tmp_path / "out.bin", b"new")
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(mask)
    assert (tmp_path / "out.bin").stat().st_mode & 0o777 == 0o640


def test_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(tmp_path, "out.bin", b"old")

    def full(self: Path, target: Path) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    message = refused(lambda: write_atomic(path, b"new"))
    assert message == f"{path}: cannot be written (No space left on device)"
    assert [(found.name, found.read_bytes()) for found in tmp_path.iterdir()] == [("out.bin", b"old")]


def test_interrupted_write_leaves_no_temporary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(self: Path, target: Path) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomic(tmp_path / "out.bin", b"new")
    assert list(tmp_path.iterdir()) == []


def test_write_into_a_missing_folder_is_refused(tmp_path: Path, refused: Refused) -> None:
    path = tmp_path / "none" / "out.bin"
    assert refused(lambda: write_atomic(path, b"new")) == f"{path}: cannot be written (No such file or directory)"


def test_spreadsheet_is_called_one(tmp_path: Path, refused: Refused) -> None:
    path = tmp_path / "mine.xlsx"
    path.write_bytes(zipped(("[Content_Types].xml", b"<Types/>"), ("xl/workbook.xml", b"<workbook/>")))
    assert "is an Office document, such as a spreadsheet; save the sheet as CSV" in refused(lambda: content_of(path))
