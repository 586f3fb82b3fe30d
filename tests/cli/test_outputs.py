"""Writing files whole or not at all, and never over what somebody wants to keep."""

from __future__ import annotations

import errno
import io
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

import click
import pytest
from calls import Call
from click.testing import CliRunner
from contents import put

import qaldgen as qg
from qaldgen.cli.main import VERBS, cli
from qaldgen.cli.printing import with_flags
from qaldgen.errors import UsageError
from qaldgen.io.outputs import check_writable, same_file, write_all, write_atomic

Refused = Callable[..., str]
EXAMPLE = Path(__file__).parents[2] / "examples"


def test_existing_output_is_refused(tmp_path: Path, refused: Refused) -> None:
    path = put(tmp_path, "out.csv", b"old")
    message = refused(lambda: check_writable(path, force=False), UsageError)
    assert (
        message == f"{path}: already exists; choose another name, or overwrite it with `force=True`"
    )


def test_existing_output_may_be_overwritten_by_force(tmp_path: Path) -> None:
    check_writable(put(tmp_path, "out.csv", b"old"), force=True)


def test_new_output_needs_no_force(tmp_path: Path) -> None:
    check_writable(tmp_path / "out.csv", force=False)
    assert list(tmp_path.iterdir()) == []


def test_folder_as_output_is_refused_even_by_force(tmp_path: Path, refused: Refused) -> None:
    assert (
        refused(lambda: check_writable(tmp_path, force=True), UsageError)
        == f"{tmp_path}: is a folder; name a file"
    )


def test_output_in_a_missing_folder_is_refused(tmp_path: Path, refused: Refused) -> None:
    path = tmp_path / "none" / "out.csv"
    message = refused(lambda: check_writable(path, force=True), UsageError)
    assert message == f"{path}: the folder {tmp_path / 'none'} does not exist; create it first"


def test_output_in_a_protected_folder_is_refused(
    tmp_path: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Path, int]] = []

    def access(path: Path, mode: int) -> bool:
        asked.append((path, mode))
        return False

    monkeypatch.setattr(os, "access", access)
    assert "is not writable" in refused(
        lambda: check_writable(tmp_path / "out.csv", force=False), UsageError
    )
    assert asked == [(tmp_path, os.W_OK | os.X_OK)]


def test_write_atomic_makes_the_file(tmp_path: Path) -> None:
    write_atomic(tmp_path / "out.bin", b"\x00\xffdata", force=False)
    assert (tmp_path / "out.bin").read_bytes() == b"\x00\xffdata"
    assert [path.name for path in tmp_path.iterdir()] == ["out.bin"]


def test_write_atomic_replaces_the_old_content(tmp_path: Path) -> None:
    path = put(tmp_path, "out.bin", b"a longer old content")
    write_atomic(path, b"new", force=True)
    assert path.read_bytes() == b"new"


def test_write_atomic_keeps_the_permissions_of_the_old_file(tmp_path: Path) -> None:
    path = put(tmp_path, "out.bin", b"old")
    path.chmod(0o640)
    write_atomic(path, b"new", force=True)
    assert path.stat().st_mode & 0o777 == 0o640


def test_write_atomic_gives_a_new_file_the_usual_permissions(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        write_atomic(tmp_path / "out.bin", b"new", force=True)
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
    message = refused(lambda: write_atomic(path, b"new", force=True))
    assert message == f"{path}: cannot be written (No space left on device)"
    assert [(found.name, found.read_bytes()) for found in tmp_path.iterdir()] == [
        ("out.bin", b"old")
    ]


def test_interrupted_write_leaves_no_temporary_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(self: Path, target: Path) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomic(tmp_path / "out.bin", b"new", force=True)
    assert list(tmp_path.iterdir()) == []


def test_write_into_a_missing_folder_is_refused(tmp_path: Path, refused: Refused) -> None:
    path = tmp_path / "none" / "out.bin"
    assert (
        refused(lambda: write_atomic(path, b"new", force=True))
        == f"{path}: cannot be written (No such file or directory)"
    )


def test_file_made_meanwhile_is_not_overwritten(tmp_path: Path, refused: Refused) -> None:
    path = put(tmp_path, "out.bin", b"theirs")
    message = refused(lambda: write_atomic(path, b"ours", force=False), UsageError)
    assert (
        message == f"{path}: already exists; choose another name, or overwrite it with `force=True`"
    )
    assert [(found.name, found.read_bytes()) for found in tmp_path.iterdir()] == [
        ("out.bin", b"theirs")
    ]


@pytest.mark.parametrize("links", [True, False], ids=["links", "no-links"])
def test_of_several_writers_at_once_one_succeeds(
    tmp_path: Path, links: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not links:
        monkeypatch.setattr(Path, "hardlink_to", no_links)
    start = threading.Barrier(8)

    def write(number: int) -> bool:
        start.wait()
        try:
            write_atomic(tmp_path / "out.bin", bytes([number]) * 100_000, force=False)
        except UsageError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(write, range(8)))
    assert sum(done) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["out.bin"]
    assert (tmp_path / "out.bin").read_bytes() == bytes([done.index(True)]) * 100_000


def no_links(self: Path, target: Path) -> None:
    raise PermissionError(errno.EPERM, "Operation not permitted")


def test_without_links_a_failed_write_leaves_nothing(
    tmp_path: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Path, target: Path) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "hardlink_to", no_links)
    monkeypatch.setattr(Path, "replace", full)
    assert "No space left" in refused(
        lambda: write_atomic(tmp_path / "out.bin", b"new", force=False)
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("taken", [0, 1, 2])
def test_several_files_are_written_all_or_none(
    tmp_path: Path, refused: Refused, taken: int
) -> None:
    paths = [tmp_path / name for name in ("a", "b", "c")]
    paths[taken].write_bytes(b"theirs")
    message = refused(
        lambda: write_all([(path, b"ours") for path in paths], force=False), UsageError
    )
    assert message.startswith(f"{paths[taken]}: already exists")
    assert list(tmp_path.iterdir()) == [paths[taken]]
    assert paths[taken].read_bytes() == b"theirs"


def test_several_files_replace_others_by_force(tmp_path: Path) -> None:
    put(tmp_path, "a", b"old")
    write_all([(tmp_path / "a", b"new"), (tmp_path / "b", b"new")], force=True)
    assert sorted((path.name, path.read_bytes()) for path in tmp_path.iterdir()) == [
        ("a", b"new"),
        ("b", b"new"),
    ]


class FullDisk(io.BytesIO):
    """Content for which no space is left."""

    def read(self, size: int | None = -1, /) -> bytes:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_disk_that_is_full_leaves_every_old_file(tmp_path: Path, refused: Refused) -> None:
    put(tmp_path, "a", b"old")
    files: list[tuple[Path, bytes | IO[bytes]]] = [
        (tmp_path / "a", b"first"),
        (tmp_path / "b", FullDisk()),
    ]
    assert (
        refused(lambda: write_all(files, force=True))
        == f"{tmp_path / 'b'}: cannot be written (No space left on device)"
    )
    assert [(found.name, found.read_bytes()) for found in tmp_path.iterdir()] == [("a", b"old")]


@pytest.mark.parametrize("force", [True, False])
def test_longest_possible_name_can_be_written(tmp_path: Path, force: bool) -> None:
    path = tmp_path / ("x" * 251 + ".csv")
    check_writable(path, force=force)
    write_atomic(path, b"new", force=force)
    assert path.read_bytes() == b"new"


def test_name_that_is_too_long_is_refused(tmp_path: Path, refused: Refused) -> None:
    path = tmp_path / ("x" * 256)
    message = refused(lambda: check_writable(path, force=False), UsageError)
    assert message == f"{path}: cannot be written (File name too long); choose another name"


def test_name_with_a_nul_is_refused(tmp_path: Path, refused: Refused) -> None:
    assert "embedded null byte" in refused(
        lambda: check_writable(tmp_path / "a\0b", force=False), UsageError
    )


@pytest.mark.parametrize("force", [True, False])
def test_link_that_leads_to_itself_is_refused(
    tmp_path: Path, refused: Refused, force: bool
) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    message = refused(lambda: check_writable(tmp_path / "a", force=force), UsageError)
    assert message.startswith(
        f"{tmp_path / 'a'}: cannot be written (Too many levels of symbolic links)"
    )


def test_link_goes_on_leading_to_its_file(tmp_path: Path) -> None:
    put(tmp_path, "real", b"old")
    (tmp_path / "link").symlink_to("real")
    write_atomic(tmp_path / "link", b"new", force=True)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_link_to_nothing_is_no_free_name(tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "link").symlink_to("none")
    assert "already exists" in refused(
        lambda: check_writable(tmp_path / "link", force=False), UsageError
    )
    check_writable(tmp_path / "link", force=True)
    write_atomic(tmp_path / "link", b"new", force=True)
    assert (tmp_path / "none").read_bytes() == b"new"


@pytest.mark.parametrize("name", ["/dev/null", "pipe"])
def test_device_or_pipe_is_refused(tmp_path: Path, refused: Refused, name: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    path = tmp_path / name
    assert refused(lambda: check_writable(path, force=True), UsageError).startswith(
        f"{path}: is a device or pipe, not a file"
    )


def test_file_whose_name_is_not_utf8_can_be_written(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.ttl"))
    check_writable(path, force=False)
    write_atomic(path, b"new", force=False)
    assert [os.fsencode(found.name) for found in tmp_path.iterdir()] == [b"caf\xe9.ttl"]


@pytest.mark.parametrize(
    "other", ["file", "./file", "folder/../file", "soft", "hard", "folder/soft"]
)
def test_names_of_one_file_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, "file", b"")
    (tmp_path / "folder").mkdir()
    (tmp_path / "soft").symlink_to("file")
    (tmp_path / "folder" / "soft").symlink_to("../soft")
    (tmp_path / "hard").hardlink_to("file")
    assert same_file("file", other)
    assert same_file(tmp_path / "file", other)
    assert not same_file("file", "folder")


def test_names_of_a_file_that_is_not_there_yet_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to("none")
    assert same_file("none", tmp_path / "none")
    assert same_file("none", "link")
    assert not same_file("none", "other")


def test_message_about_a_file_that_exists_fits_the_caller(tmp_path: Path, call: Call) -> None:
    path = tmp_path / "features.ttl"
    path.touch()
    with pytest.raises(UsageError, match="overwrite it with `force=True`"):
        check_writable(path, force=False)
    qg.annotate(EXAMPLE / "questions.json").save(path, force=True)
    said = call("annotate", EXAMPLE / "questions.json", "-o", path)
    assert said.err.endswith("choose another name, or overwrite it with --force\n")


def test_a_chosen_gold_field_is_not_advised_as_that_of_a_system(call: Call, tmp_path: Path) -> None:
    gold = tmp_path / "gold.csv"
    gold.write_text("asked,said\nWho lit it?,Ann\nWho saw it?,Bea\n")
    said = call("score", gold, "--gold-field", "said")
    assert said.code == 2
    assert "'said' is taken for the gold answers" in said.err
    assert "--answer-field said" not in said.err


def test_a_value_follows_the_flag_and_other_backticks_stay() -> None:
    with click.Context(VERBS["score"]):
        assert with_flags("use `language='de'` or `judge_all=True`") == (
            "use --lang de or --judge-all"
        )
        assert with_flags("annotate with `r1_compat`, not `x`") == (
            "annotate with --r1-compat, not `x`"
        )
    assert with_flags("use `language='de'`") == "use `language='de'`"


def test_values_of_flags_can_be_pasted_into_a_shell() -> None:
    with click.Context(VERBS["score"]):
        assert with_flags("say `gold_field='Doğru Cevap'`") == "say --gold-field 'Doğru Cevap'"
        assert with_flags("say `split_answers=';'`") == "say --split-answers ';'"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("annotate", "SET", "-o", "features.csv"), "would hold turtle, not what .csv says"),
        (("annotate", "SET", "-o", "features.ttl.gz"), "would hold turtle, not what .gz says"),
        (("score", "SET", "SET", "-q", "-o", "scores.csv"), "would hold text, not what .csv says"),
        (("score", "SET", "SET", "-o", "s.HTML", "--format", "csv"), "would hold csv"),
        (("describe", "SET", "-o", "d.json"), "would hold text"),
        (("ask", "SET", "--url", "http://localhost/qa", "-o", "a.csv"), "would hold journal"),
    ],
)
def test_an_ending_that_contradicts_the_content_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("set.json").write_text('[{"id": "1", "question": "Where is Ulm?", "answer": "Ulm"}]')
    found = CliRunner().invoke(cli, [word.replace("SET", "set.json") for word in words])
    assert said in f"{found.exception}{found.output}"
    assert [path.name for path in tmp_path.iterdir()] == ["set.json"]


def test_an_ending_that_fits_or_says_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("set.json").write_text('[{"id": "1", "question": "Where is Ulm?", "answer": "Ulm"}]')
    for name, form in {"a.csv": "csv", "a.json": "json", "a.txt": "text", "a": "csv"}.items():
        call = ["score", "set.json", "set.json", "-o", name, "--format", form]
        assert CliRunner().invoke(cli, call).exit_code == 0
