"""Inputs that are no plain files.

Pipes, stdin, devices, folders, and what the system does not let us see.
"""

from __future__ import annotations

import errno
import gzip
import io
import os
import socket
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from contents import content_of

from qaldgen.io import inputs
from qaldgen.io.inputs import input_exists, shown_name, stream_number
from qaldgen.io.unpacking import content_name, unpacked_size

Refused = Callable[..., str]


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe.ttl")
    return tmp_path / "pipe.ttl"


def write_later(pipe: Path, *pieces: bytes, wait: float = 0.05) -> threading.Thread:
    """Open the pipe for writing after a while, and write piece by piece."""

    def write() -> None:
        time.sleep(wait)
        with pipe.open("wb", buffering=0) as file:
            for piece in pieces:
                time.sleep(wait)
                file.write(piece)

    thread = threading.Thread(target=write)
    thread.start()
    return thread


@pytest.fixture
def descriptor() -> Iterator[Callable[[bytes], Path]]:
    """Return the path of an anonymous pipe with this content, like process substitution."""
    opened: list[int] = []

    def make(content: bytes) -> Path:
        end, start = os.pipe()
        opened.append(end)
        os.write(start, content)
        os.close(start)
        return Path(f"/dev/fd/{end}")

    yield make
    for end in opened:
        os.close(end)


def test_pipe_that_nobody_writes_to_is_refused(
    pipe: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "WRITER_TIMEOUT", 0.05)
    message = refused(lambda: content_of(pipe))
    assert message.startswith(
        f"{pipe}: is a named pipe without a writer (waited 0.05 s); start the writer"
    )


def test_pipe_whose_writer_comes_late_and_is_slow_is_read_whole(
    pipe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "WRITER_TIMEOUT", 2.0)
    writer = write_later(pipe, b"one\n", b"two\n", b"three\n")
    assert content_of(pipe) == b"one\ntwo\nthree\n"
    writer.join()


def test_silent_writer_is_waited_for_longer_than_none(
    pipe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "WRITER_TIMEOUT", 0.05)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with pipe.open("wb", buffering=0) as file:

        def write() -> None:
            file.write(b"late\n")
            file.close()

        writer = threading.Timer(0.3, write)
        writer.start()
        assert content_of(pipe) == b"late\n"
        writer.join()
    os.close(reader)


def test_writer_that_writes_nothing_leaves_nothing(pipe: Path) -> None:
    writer = write_later(pipe)
    assert content_of(pipe) == b""
    writer.join()


def test_pipe_can_be_opened_again(pipe: Path) -> None:
    writer = write_later(pipe, b"content\n")
    assert [content_of(pipe) for _ in range(3)] == [b"content\n"] * 3
    writer.join()


def test_pipe_that_is_written_again_is_read_again(pipe: Path) -> None:
    writer = write_later(pipe, b"first\n")
    assert content_of(pipe) == b"first\n"
    writer.join()
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    writer = write_later(pipe, b"second\n", wait=0.0)
    writer.join()
    assert content_of(pipe) == b"second\n"
    os.close(reader)


def test_interrupted_wait_ends(pipe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", interrupt)
    with pytest.raises(KeyboardInterrupt):
        content_of(pipe)


def test_pipe_of_a_shell_can_be_opened_again(descriptor: Callable[[bytes], Path]) -> None:
    path = descriptor(b"content\n")
    assert [content_of(path) for _ in range(3)] == [b"content\n"] * 3


def test_packed_content_of_a_pipe_is_unpacked(descriptor: Callable[[bytes], Path]) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.nt", b"content\n")
    assert content_of(descriptor(buffer.getvalue())) == b"content\n"
    assert content_of(descriptor(gzip.compress(b"content\n"))) == b"content\n"


def test_large_content_of_a_pipe_is_whole(pipe: Path) -> None:
    content = os.urandom(300_000)
    writer = write_later(pipe, content)
    assert content_of(pipe) == content
    writer.join()


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("-", 0),
        ("/dev/stdin", 0),
        ("/dev/fd/0", 0),
        ("/dev/fd/63", 63),
        ("/proc/self/fd/7", 7),
        ("./-", None),
        ("/dev/fd/x", None),
    ],
)
def test_names_of_streams(name: str, number: int | None) -> None:
    assert stream_number(name) == number


def test_streams_have_names_that_do_not_change(tmp_path: Path) -> None:
    assert [shown_name(Path(name)) for name in ("-", "/dev/stdin", "/dev/fd/63")] == [
        "stdin",
        "stdin",
        "pipe",
    ]
    assert [content_name(Path(name)) for name in ("-", "/dev/fd/63")] == ["stdin", "pipe"]


def test_size_of_a_pipe_is_not_waited_for(pipe: Path) -> None:
    assert unpacked_size(pipe) == unpacked_size(Path("-")) == 0


def test_closed_stream_is_refused(refused: Refused) -> None:
    assert refused(lambda: content_of(Path("/dev/fd/987"))).startswith(
        "/dev/fd/987: cannot be opened (Bad file descriptor)"
    )


def test_empty_device_is_empty() -> None:
    assert content_of(Path("/dev/null")) == b""


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/urandom"])
def test_device_is_refused(name: str, refused: Refused) -> None:
    assert (
        refused(lambda: content_of(Path(name)))
        == f"{name}: is a device; name a file, or - for stdin"
    )


def test_socket_is_refused(tmp_path: Path, refused: Refused) -> None:
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        assert refused(lambda: content_of(path)).startswith(
            f"{path}: cannot be opened (No such device or address)"
        )


def test_link_that_leads_to_itself_is_refused(tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "a").symlink_to("a")
    assert "Too many levels of symbolic links" in refused(lambda: content_of(tmp_path / "a"))
    assert "Too many levels of symbolic links" in refused(lambda: input_exists(tmp_path / "a"))


def test_folder_that_may_not_be_entered_is_named_as_the_reason(
    tmp_path: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(*_: object, **__: object) -> os.stat_result:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "stat", forbidden)
    message = refused(lambda: input_exists(tmp_path / "data.ttl"))
    assert (
        message
        == f"{tmp_path / 'data.ttl'}: cannot be opened (Permission denied); check the permissions"
    )


@pytest.mark.parametrize("name", ["none", "file/none"])
def test_nothing_is_no_input(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    assert not input_exists(tmp_path / name)


def test_name_with_a_nul_is_refused(refused: Refused) -> None:
    assert "embedded null byte" in refused(lambda: input_exists("a\0b"))
