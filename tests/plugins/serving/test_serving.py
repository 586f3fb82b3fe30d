"""Any system as a server.

Our own client asks it in each protocol, and so do recorded requests of others.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from asked import prepare

import qaldgen as qg
from qaldgen.asking.systems import Chat, System
from qaldgen.errors import DataError
from qaldgen.model import QuestionSet
from qaldgen.plugins.serving import RunningServer, serve
from qaldgen.plugins.serving.system_server import BadRequest, Request, read_chat, read_gerbil
from qaldgen.stores.local import LocalStore, open_file

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def _direct(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")


@pytest.fixture(scope="module")
def kg() -> LocalStore:
    return open_file(ROOT / "examples" / "graph.ttl")


@pytest.fixture(scope="module")
def asked() -> QuestionSet:
    whole = qg.load(ROOT / "examples" / "questions.json")
    return QuestionSet("thirty", whole.format, whole.questions[::8], sha256=whole.sha256)


@pytest.fixture(scope="module")
def served(kg: LocalStore) -> Iterator[RunningServer]:
    with serve("typed", kg=kg) as running:
        yield running


@pytest.fixture(scope="module")
def expected(kg: LocalStore, asked: QuestionSet) -> dict[str, list[str]]:
    answer = prepare("typed", kg)
    return {one.id: answer(one.text()).answers.values() for one in asked.questions}


def answers(run: qg.Run) -> dict[str, list[str]]:
    return {
        name: one.answers.values() if one.answers else [one.error]
        for name, one in run.responses.items()
    }


@pytest.mark.parametrize("raw", [False, True])
def test_our_gerbil_client_asks_our_server(
    served: RunningServer, asked: QuestionSet, expected: dict[str, list[str]], *, raw: bool
) -> None:
    run = qg.ask(asked, System(f"{served.url}/gerbil", raw=raw), jobs=4)
    assert answers(run) == expected
    assert {one.error for one in run.responses.values()} == {""}


def test_our_text2sparql_client_asks_our_server(
    served: RunningServer, asked: QuestionSet, expected: dict[str, list[str]], kg: LocalStore
) -> None:
    system = System(f"{served.url}/text2sparql", "text2sparql", dataset="urn:example", kg=kg)
    assert answers(qg.ask(asked, system, jobs=4)) == expected


def test_our_chat_client_asks_our_server(
    served: RunningServer, asked: QuestionSet, expected: dict[str, list[str]]
) -> None:
    run = qg.ask(asked, System(f"{served.url}/v1", "openai", chat=Chat("any")), jobs=4)
    told = answers(run)
    assert {name for name, found in told.items() if found} == {
        name for name, found in expected.items() if found
    }
    assert all(one.call.tokens_in and one.call.model == "any" for one in run.responses.values())


def test_request_of_gerbil_is_read_as_gerbil_sends_it() -> None:
    body = "query=Which rivers, 50 % & more, lie in Éire + Ulster?&lang=en".encode()
    assert read_gerbil(Request(body, {})).text == "Which rivers, 50 % & more, lie in Éire + Ulster?"
    encoded = urllib.parse.urlencode({"query": "Who is 50 % of A & B?", "lang": "de"}).encode()
    assert read_gerbil(Request(encoded, {}))[:2] == ("Who is 50 % of A & B?", "de")
    swapped = urllib.parse.urlencode({"lang": "de", "query": "Who?"}).encode()
    assert read_gerbil(Request(swapped, {}))[:2] == ("Who?", "de")


def test_request_of_the_text2sparql_client_is_answered(served: RunningServer) -> None:
    # as its version 2.1.3 builds the address
    query = urllib.parse.urlencode(
        {
            "dataset": "https://text2sparql.example/",
            "question": "Which rivers flow through Belgrade?",
        }
    )
    with urllib.request.urlopen(f"{served.url}/text2sparql?{query}", timeout=20) as reply:
        said = json.load(reply)
    assert said["dataset"] == "https://text2sparql.example/"
    assert said["question"] == "Which rivers flow through Belgrade?"
    assert isinstance(said["query"], str)


@pytest.mark.parametrize("name", ["request_lm_eval.json", "request_inspect.json"])
def test_recorded_requests_of_other_tools_are_read(name: str, llm_logs: Path) -> None:
    recorded = json.loads((llm_logs / "http" / name).read_text(encoding="utf-8"))
    body = recorded.get("body", recorded)
    question = read_chat(Request(json.dumps(body).encode(), {}))
    assert question.text.endswith("?")
    assert "answer" not in question.text.lower()


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"{}", b'{"messages": 7}', b'{"messages": [7]}', b'{"messages": []}',
        b"[" * 100_000,
     b'{"messages": [{"role": "user", "content": " "}]}',
     b'{"messages": [{"role": "system", "content": "Hi"}]}'],
)  # fmt: skip
def test_request_that_is_none_is_refused(body: bytes, served: RunningServer) -> None:
    with pytest.raises(BadRequest):
        read_chat(Request(body, {}))
    request = urllib.request.Request(
        f"{served.url}/v1/chat/completions", body, {"Content-Type": "application/json"}
    )
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request, timeout=20)
    assert caught.value.code == 400
    assert "error" in json.load(caught.value)


def test_function_that_raises_is_an_error_of_the_server() -> None:
    def broken(text: str) -> str:
        raise KeyError(text)

    with serve(broken) as server:
        run = qg.ask(
            QuestionSet("q", "t", (qg.Question("1", {"en": ("Who?",)}),)),
            System(server.url + "/gerbil", retries=0),
        )
    assert "HTTP 500" in run.responses["1"].error and "KeyError" in run.responses["1"].error


def test_recorded_run_is_served_by_the_texts_of_its_questions(
    asked: QuestionSet, tmp_path: Path
) -> None:
    first = qg.ask(asked, lambda name, text: f"{name}: {text}", journal=tmp_path / "run.jsonl")
    with serve(f"recorded:{tmp_path / 'run.jsonl'}", questions=asked) as server:
        for system in (
            System(server.url + "/gerbil"),
            System(server.url + "/v1", "openai", chat=Chat("m")),
        ):
            assert answers(qg.ask(asked, system)) == answers(first)


def test_taken_port_is_told(served: RunningServer) -> None:
    port = int(served.url.rpartition(":")[2])
    with pytest.raises(DataError, match="cannot listen there"):
        serve(str.upper, port=port)


def test_command_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def answer(text): return 'Ulm'\n")
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    words = ["serve-system", "--system", "python:mine:answer", "--port", "0"]
    environment = {**os.environ, "PYTHONPATH": paths}
    running = subprocess.Popen(
        [sys.executable, "-m", "qaldgen", *words],
        cwd=tmp_path,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert running.stderr is not None
        url = re.match(r"(http://127\.0\.0\.1:\d+)/gerbil", running.stderr.readline())
        assert url is not None
        asked = QuestionSet("q", "t", (qg.Question("1", {"en": ("Where?",)}),))
        assert answers(qg.ask(asked, f"{url[1]}/gerbil")) == {"1": ["Ulm"]}
    finally:
        running.send_signal(2)
        assert running.wait(20) == 130
