"""Commands run where `os` has only what all systems have, as on Windows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from calls import parts_of, several_calls

from qaldgen.asking.programs import split_command

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
#: Deletes what Windows lacks, as far as Python's own modules for this system run without it.
RUN = """
import os, signal, sys
for name in (
    "O_NONBLOCK chown chroot fchmod fchown fdatasync fork forkpty getegid geteuid getgid"
    " getgroups getloadavg getpgid getpgrp getpriority getsid getuid killpg lchown lockf"
    " mkfifo mknod nice openpty posix_fadvise posix_fallocate pread preadv pwrite pwritev readv"
    " register_at_fork sched_getaffinity sched_yield sendfile setpgid setpriority"
    " setsid statvfs sync sysconf writev"
).split():
    if hasattr(os, name):
        delattr(os, name)
for name in "ITIMER_PROF SIGALRM SIGHUP SIGPROF SIGUSR1 alarm setitimer".split():
    delattr(signal, name)
for name in "fcntl grp pwd resource".split():
    sys.modules[name] = None
"""


def qaldgen(folder: Path, *calls: list[str], given: bytes | None = None) -> None:
    command = several_calls(*calls, before=RUN)
    done = subprocess.run(
        command, cwd=folder, input=given, capture_output=True, timeout=300, check=False
    )
    told = done.stderr.decode()
    assert [code for _, code in parts_of(told)] == [0] * len(calls), told


def test_ask_writes_and_continues_journals(tmp_path: Path) -> None:
    program = "import json; [print(json.dumps({'answers': [input() and '7']}), flush=True)"
    program += " for _ in iter(int, 1)]"
    ask = ["ask", str(EXAMPLES / "questions.json"), "--system"]
    template = [*ask, "templates", "-o", "a.jsonl", "--kg", str(EXAMPLES / "graph.ttl")]
    command = [*ask, f'command:"{sys.executable}" -c "{program}"', "-o", "b.jsonl"]
    qaldgen(tmp_path, [*template, "--limit", "3"], [*command, "--limit", "3"])
    journals = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for journal in journals:
        journal.write_bytes(journal.read_bytes()[:-20])  # as a crash leaves it
    qaldgen(tmp_path, [*template, "--limit", "5"], [*command, "--limit", "5"])
    for journal in journals:
        lines = [json.loads(line) for line in journal.read_bytes().splitlines()]
        assert len({line["id"] for line in lines}) == len(lines) == 5


def test_annotate_and_sample_and_read_stdin(tmp_path: Path) -> None:
    asked = json.loads((EXAMPLES / "questions.json").read_text(encoding="utf-8"))
    asked["questions"] = asked["questions"][:40]
    (tmp_path / "questions.json").write_text(json.dumps(asked), encoding="utf-8")
    annotate = ["annotate", "questions.json", "-o", "f.ttl", "--kg"]
    annotate += [str(EXAMPLES / "graph.ttl"), "--refresh", "--no-cache"]
    sample = ["-q", "text", "-m", "lpm", "-n", "9", "-o"]
    calls = annotate, ["sample", "f.ttl", *sample, "b.ttl"], ["sample", "-", *sample, "piped.csv"]
    qaldgen(tmp_path, *calls, given=(EXAMPLES / "features.ttl").read_bytes())
    assert (tmp_path / "b.ttl").exists()
    assert len((tmp_path / "piped.csv").read_text(encoding="utf-8").splitlines()) == 10


def test_windows_paths_keep_their_backslashes(monkeypatch: pytest.MonkeyPatch) -> None:
    line = r"""C:\tools\answer.exe "C:\My Files\m.bin" --as '{question}'"""
    assert split_command(line)[0] == "C:toolsanswer.exe"
    monkeypatch.setattr("qaldgen.asking.programs.os.name", "nt")
    assert split_command(line) == [
        r"C:\tools\answer.exe", r"C:\My Files\m.bin", "--as", "{question}"
    ]  # fmt: skip
