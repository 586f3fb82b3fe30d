"""Runs that are interrupted, terminated or killed.

What was done is kept, and nothing else is left behind.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from qaldgen.features import cache, compute
from qaldgen.features.compute import stream_features
from qaldgen.io import text_store
from qaldgen.io.cache_folder import cache_dir
from qaldgen.model import Question

ROOT = Path(__file__).resolve().parent.parent.parent
POOL = """
import os, time
from joblib import Parallel, delayed
from qaldgen.io.concurrency import parallel_settings

def work(number):
    os.write(1, f"{os.getpid()}\\n".encode())  # in one piece: two processes write
    time.sleep(300)

if __name__ == "__main__":
    Parallel(n_jobs=2, **parallel_settings())(delayed(work)(number) for number in range(2))
"""
WRITER = """
import time
from pathlib import Path
from qaldgen.cli import main
from qaldgen.io import outputs

def place(*_, **__):
    print("written", flush=True)
    time.sleep(300)

outputs._move = place
main.cli = lambda **_: outputs.write_atomic(Path("out.bin"), b"new", force=False)
main.main()
"""


@pytest.fixture
def started(tmp_path: Path) -> Iterator[list[subprocess.Popen[str]]]:
    """Processes to be ended with the test."""
    running: list[subprocess.Popen[str]] = []
    yield running
    for process in running:
        process.kill()
        process.communicate()


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "QALDGEN_CACHE": str(folder / "cache")}
    return subprocess.Popen(
        [sys.executable, *words], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, preexec_fn=heed_signals,  # noqa: PLW1509 - no other thread runs yet
    )  # fmt: skip


def heed_signals() -> None:
    """Take back what a shell in the background, or nohup, has said about signals."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)


def is_running(number: int) -> bool:
    """Say whether a process lives; what has ended and was not waited for does not."""
    try:
        return (
            Path(f"/proc/{number}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
            != "Z"
        )
    except FileNotFoundError:
        return False


@pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="the system has no /proc to look for processes in"
)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_workers_end_with_the_process_they_work_for(
    tmp_path: Path, started: list[subprocess.Popen[str]], number: signal.Signals
) -> None:
    (tmp_path / "pool.py").write_text(POOL, encoding="utf-8")
    process = start(tmp_path, "pool.py")
    started.append(process)
    assert process.stdout is not None
    workers = [int(process.stdout.readline()) for _ in range(2)]
    assert all(map(is_running, workers))
    process.send_signal(number)
    process.wait(60)
    end = time.monotonic() + 60
    while any(map(is_running, workers)) and time.monotonic() < end:
        time.sleep(0.05)
    assert [worker for worker in workers if is_running(worker)] == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_temporary_file_goes_with_the_process(
    tmp_path: Path, started: list[subprocess.Popen[str]], number: signal.Signals
) -> None:
    process = start(tmp_path, "-c", WRITER)
    started.append(process)
    assert process.stdout is not None
    assert process.stdout.readline() == "written\n"
    assert [path.name[:9] for path in tmp_path.iterdir()] == [".qaldgen-"]
    process.send_signal(number)
    process.wait(60)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_wait_for_input_can_be_ended(
    tmp_path: Path, started: list[subprocess.Popen[str]], number: signal.Signals, code: int
) -> None:
    os.mkfifo(tmp_path / "pipe.ttl")
    process = start(tmp_path, "-m", "qaldgen", "select", "pipe.ttl")
    started.append(process)
    with (tmp_path / "pipe.ttl").open("wb"):  # it is read from now on
        process.send_signal(number)
        assert process.wait(60) == code
    assert process.stderr is not None
    assert "Traceback" not in process.stderr.read()


def questions(*numbers: int) -> list[Question]:
    return [Question(str(n), {"en": (f"How long is river {n}?",)}) for n in numbers]


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Compute in chunks of two, without any model; the ids that were computed.

    Question 5 interrupts.
    """
    computed: list[str] = []

    def compute_chunk(chunk: list[Question], *_: object) -> compute._ChunkFeatures:
        if any(question.id == "5" for question in chunk) and "interrupted" not in computed:
            computed.append("interrupted")
            raise KeyboardInterrupt
        computed.extend(question.id for question in chunk)
        made = [compute._QuestionFeatures({"length": int(question.id)}, ()) for question in chunk]
        return compute._ChunkFeatures(
            made, "here", compute._collect_versions(compute.model_name("en"))
        )

    monkeypatch.setattr(compute, "_compute_chunk", compute_chunk)
    monkeypatch.setattr(compute, "_CHUNK", 2)
    return computed


def test_what_was_computed_before_an_interruption_is_kept(tmp_path: Path, fake: list[str]) -> None:
    asked = questions(*range(8))
    with pytest.raises(KeyboardInterrupt):
        list(stream_features(asked, n_jobs=1, cache=tmp_path / "features.sqlite"))
    assert fake == ["0", "1", "2", "3", "interrupted"]
    told: list[int] = []
    found = list(
        stream_features(asked, n_jobs=1, cache=tmp_path / "features.sqlite", progress=told.append)
    )
    assert found == [{"length": n} for n in range(8)]
    assert fake[5:] == ["4", "5", "6", "7"]
    assert sum(told) == 8


def test_writers_of_one_cache_do_not_lose_values(tmp_path: Path) -> None:
    path = tmp_path / "features.sqlite"

    def write(writer: int) -> None:
        for batch in range(20):
            cache.store_features(path, {f"{writer}-{batch}": {"length": batch}})

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    assert (
        len(
            cache.load_features(
                path, [f"{writer}-{batch}" for writer in range(8) for batch in range(20)]
            )
        )
        == 160
    )


def test_cache_whose_folder_cannot_be_made_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("QALDGEN_CACHE", str(tmp_path / "file" / "cache"))
    assert cache.cache_file() is None
    assert "features are not cached" in caplog.text


def test_cache_that_may_not_be_written_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fake: list[str]
) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("attempt to write a readonly database")

    monkeypatch.setattr(text_store, "_insert", forbidden)
    assert list(stream_features(questions(1, 2), n_jobs=1, cache=tmp_path / "features.sqlite")) == [
        {"length": 1},
        {"length": 2},
    ]


def test_cache_that_is_no_database_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "features.sqlite"
    path.write_bytes(b"no database" * 1000)
    path.with_name("features.sqlite-journal").write_bytes(b"left by a crash")
    assert cache.load_features(path, ["a"]) == {}
    cache.store_features(path, {"a": {"length": 1}})
    assert cache.load_features(path, ["a"]) == {"a": {"length": 1}}
    assert [found.name for found in tmp_path.iterdir()] == ["features.sqlite"]


def test_cache_folder_of_the_user_is_found_without_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.delenv("QALDGEN_CACHE", raising=False)
    assert cache_dir().is_absolute()
