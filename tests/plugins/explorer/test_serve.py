"""``qaldgen serve``: where it listens, and how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from calls import Call

from qaldgen.plugins.explorer import server
from qaldgen.plugins.explorer.workspace import Workspace

DATA = (
    '<urn:a> <https://schema.org/text> "How long?"@en ;'
    " <http://qald-gen.aksw.org/vocab#charCount> 9 .\n"
    '<urn:b> <https://schema.org/text> "Who?"@en ; <http://qald-gen.aksw.org/vocab#charCount> 4 .\n'
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "two.ttl"
    path.write_text(DATA, encoding="utf-8")
    return path


@pytest.mark.skipif(sys.platform == "win32", reason="interrupts are sent otherwise there")
def test_it_says_where_it_listens_and_an_interrupt_ends_it(data: Path) -> None:
    words = [sys.executable, "-m", "qaldgen", "serve", str(data), "--no-open"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stderr is not None
        found = re.match(
            r"(http://127\.0\.0\.1:\d+/\?token=[\w-]{32})  \(Ctrl-C stops it\)",
            running.stderr.readline(),
        )
        assert found is not None
        with urllib.request.urlopen(found[1], timeout=20) as answer:
            assert b"qaldgen explorer" in answer.read()
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=20)
    assert (running.returncode, out, err) == (0, "", "")


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_what_a_killed_explorer_left_goes_with_the_next_start(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "tmp"
    (scratch / "qaldgen-explorer-link").parent.mkdir()
    (scratch / "qaldgen-explorer-link").symlink_to(data.parent)
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setattr("tempfile.tempdir", None)
    words = [sys.executable, "-m", "qaldgen", "serve", str(data), "--no-open"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None and running.stderr.readline()
        (left,) = (one for one in scratch.iterdir() if not one.is_symlink())
        (left / "upload").write_bytes(b"x" * 9)
        Workspace().close()
        assert (left / "upload").exists()  # its explorer still runs
        running.kill()
    with Workspace() as own:
        assert not left.exists()
        assert own.folder().exists() and data.exists()


def test_the_browser_gets_an_address_that_is_good_only_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told, came = list[str](), list[tuple[int, str]]()

    def fetch(address: str) -> None:
        for _ in range(2):
            try:
                with urllib.request.urlopen(address, timeout=20) as answer:
                    came.append((answer.status, answer.url))
            except urllib.error.HTTPError as error:
                came.append((error.code, error.url))
        os.kill(os.getpid(), signal.SIGINT)

    def browse(address: str) -> None:
        threading.Thread(target=fetch, args=[address]).start()

    monkeypatch.setattr("webbrowser.open", browse)
    with Workspace() as workspace, server.open_listener("127.0.0.1", 0) as listener:
        server.serve(workspace, listener, open_browser=True, say=told.append)
    assert came[0] == (200, told[0])
    assert came[1][0] == 403 and came[1][1] != told[0]


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "example.org", "::"])
def test_other_machines_are_let_in_only_where_that_is_said(
    call: Call, data: Path, host: str
) -> None:
    said = call("serve", data, "--host", host, "--no-open")
    assert said.code == 2
    assert "--allow-remote" in said.err


def test_a_missing_package_is_named_with_its_extra(
    call: Call, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    said = call("serve", data, "--no-open")
    assert said.code == 2
    assert "pip install 'qaldgen[web]'" in said.err
    assert len(said.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["none.ttl"], "none.ttl"),
        (["two.ttl", "none.json"], "none.json"),
        (["two.ttl", "two.ttl", "two.ttl"], "twice"),
        (["two.ttl", "--port", "99999"], "99999"),
    ],
)
def test_a_wrong_call_ends_before_anything_is_served(
    call: Call, data: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], told: str
) -> None:
    monkeypatch.chdir(data.parent)
    said = call("serve", *words, "--no-open")
    assert said.code in {1, 2}
    assert told in said.err


def test_a_port_that_is_taken_is_refused(call: Call, data: Path) -> None:
    with server.open_listener("127.0.0.1", 0) as taken:
        said = call("serve", data, "--port", taken.getsockname()[1], "--no-open")
    assert said.code == 1
    assert "cannot listen there" in said.err


def test_data_that_cannot_be_read_end_it(call: Call, tmp_path: Path) -> None:
    broken = tmp_path / "broken.ttl"
    broken.write_text("<urn:a> no RDF", encoding="utf-8")
    said = call("serve", broken, "--no-open")
    assert said.code == 1
    assert said.err.startswith("http://127.0.0.1:")
    assert "broken.ttl" in said.err.splitlines()[1]


def test_questions_and_answers_in_the_wrong_order_are_noticed(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def written(name: str, answer: bool, **more: object) -> str:
        text = {"language": "en", "string": "Is it wet?", **more}
        entry = {"id": "1", "question": [text], "answers": [{"boolean": answer}]}
        (tmp_path / name).write_text(json.dumps({"questions": [entry]}), encoding="utf-8")
        return str(tmp_path / name)

    def reads_only(workspace: Workspace, *_: object, **__: object) -> None:
        workspace.reading.result(60)

    monkeypatch.setattr(server, "serve", reads_only)
    answers, questions = written("mine.json", True), written("gold.json", True, keywords="wet")
    said = call("serve", answers, questions, "--no-open")
    assert said.code == 0, said.err
    assert "were the two swapped?" in " ".join(said.err.split())


def test_notes_of_the_thread_that_reads_name_flags(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reads_only(workspace: Workspace, *_: object, **__: object) -> None:
        workspace.reading.result(60)

    monkeypatch.setattr(server, "serve", reads_only)
    gold, mine = tmp_path / "gold.json", tmp_path / "mine.json"
    record = {"id": "1", "question": "Which moon is it?", "answers": ["Phobos"]}
    gold.write_text(json.dumps([record]), encoding="utf-8")
    mine.write_text(json.dumps({"1": "It has two.\nAnswer: Phobos"}), encoding="utf-8")
    said = call("serve", gold, mine, "--no-open")
    assert said.code == 0, said.err
    assert "--extract raw takes whole replies" in " ".join(said.err.split())
    assert "`" not in said.err
