"""Many are asked at once, in order and not too fast; who does not work is left alone.

Nothing is asked or paid twice.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from asked import stub
from click.testing import CliRunner
from live_servers import LiveServer, Seen, chat, yes

import qaldgen as qg
from qaldgen.answers.journal import read_entries, read_journal
from qaldgen.answers.record import Response
from qaldgen.answers.resume import Resumed
from qaldgen.asking.asking import Pacing, ask_all
from qaldgen.asking.protocols import make_asker
from qaldgen.asking.systems import Chat, System
from qaldgen.cli.main import cli
from qaldgen.errors import DataError, UsageError

ROOT = Path(__file__).resolve().parent.parent.parent
KEY = "sk-v3ry-s3cr3t-k3y"


@pytest.fixture(autouse=True)
def _direct(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


def questions(count: int) -> qg.QuestionSet:
    asked = (qg.Question(str(n), {"en": (f"Is it {n}?",)}) for n in range(1, count + 1))
    return qg.QuestionSet("few", "test", tuple(asked), sha256="0" * 64)


def ask_server(
    server: LiveServer, path: Path, count: int, pacing: Pacing, **more: object
) -> Resumed:
    system = System(server.url, **{"backoff": 0.01, "timeout": 5.0, **more})  # type: ignore[arg-type]
    return ask_all(questions(count), make_asker(system), path, pacing=pacing)


# --- at once --------------------------------------------------------------------------------------


def test_as_many_are_asked_at_once_as_allowed(path: Path) -> None:
    def slow(_: Seen) -> object:
        time.sleep(0.03)
        return yes()

    with LiveServer(slow).running() as server:
        done = ask_server(server, path, 60, Pacing(jobs=20))
    assert list(done.responses) == [str(n) for n in range(1, 61)]
    assert {one.status for one in done.responses.values()} == {"answered"}
    assert 10 <= server.most_at_once <= 20
    assert Counter(seen.form["query"] for seen in server.requests).most_common(1)[0][1] == 1


def test_rate_is_kept_by_all_together(path: Path) -> None:
    times: list[float] = []

    async def ask(text: str) -> str:
        times.append(time.monotonic())
        return text

    ask_all(questions(8), stub("s", ask), path, pacing=Pacing(jobs=8, rate=40))
    gaps = [after - before for before, after in pairwise(times)]
    assert sum(gaps) >= 7 / 40 * 0.9


def test_wait_that_the_server_asks_for_holds_everybody(path: Path) -> None:
    times: list[float] = []

    def busy(_: Seen) -> object:
        times.append(time.monotonic())
        return (429, {"Retry-After": "1"}, "slow down") if len(times) == 1 else yes()

    with LiveServer(busy).running() as server:
        done = ask_server(server, path, 4, Pacing(jobs=1))
        assert times[1] - times[0] >= 0.95
    assert {one.status for one in done.responses.values()} == {"answered"}
    assert done.responses["1"].call.attempts == 2


# --- giving up ------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 5])
@pytest.mark.parametrize(
    "answer", [(500, {}, "oh"), "<html>Busy", "{}", (200, {"Content-Encoding": "gzip"}, "x")]
)
def test_failures_in_a_row_end_the_run(path: Path, jobs: int, answer: object) -> None:
    with LiveServer(lambda _: answer).running() as server:
        done = ask_server(server, path, 200, Pacing(jobs, max_failures=6), retries=0)
    assert done.aborted
    assert done.stopped.startswith("6 questions in a row failed")
    assert 6 <= len(server.requests) <= 6 + jobs
    assert len(read_entries(path).entries) == len(server.requests)


def test_failures_that_are_not_in_a_row_do_not_end_it(path: Path) -> None:
    def half(seen: Seen) -> object:
        return yes() if seen.form["query"].endswith(("0?", "5?")) else (500, {}, "oh")

    with LiveServer(half).running() as server:
        done = ask_server(server, path, 40, Pacing(max_failures=5), retries=0)
    assert not done.stopped and done.asked == 40


@pytest.mark.parametrize("status", [401, 402, 403])
@pytest.mark.parametrize("jobs", [1, 8])
def test_wrong_key_burns_no_calls(path: Path, status: int, jobs: int) -> None:
    with LiveServer(
        lambda _: (status, {}, {"error": {"message": "Incorrect key"}})
    ).running() as server:
        done = ask_server(
            server, path, 500, Pacing(jobs, max_failures=0), protocol="openai", chat=Chat("m")
        )
    assert done.aborted and f"HTTP {status}" in done.stopped
    assert len(server.requests) <= 2 * jobs


def test_used_up_quota_is_final_and_a_busy_server_is_not(path: Path) -> None:
    error = {
        "error": {"message": "You exceeded your current quota. " * 10, "code": "insufficient_quota"}
    }
    with LiveServer(lambda _: (429, {}, error)).running() as server:
        done = ask_server(server, path, 50, Pacing(), protocol="openai", chat=Chat("m"), retries=0)
    assert done.aborted and len(server.requests) == 1


def test_nobody_at_the_port_ends_the_run_with_exit_1(tmp_path: Path) -> None:
    write_set(tmp_path / "q.json", 50)
    words = [
        "ask",
        str(tmp_path / "q.json"),
        "--url",
        "http://127.0.0.1:9/",
        "--max-failures",
        "3",
        "-o",
        str(tmp_path / "r.jsonl"),
    ]
    result = CliRunner().invoke(cli, words)
    assert isinstance(result.exception, DataError)
    assert result.exception.exit_code == 1
    assert "aborted after 3 questions" in str(result.exception) and "connection refused" in str(
        result.exception
    )
    assert "47 not asked" in result.output


def test_run_without_any_answer_exits_with_1(tmp_path: Path) -> None:
    write_set(tmp_path / "q.json", 2)
    words = [
        "ask",
        str(tmp_path / "q.json"),
        "--url",
        "http://127.0.0.1:9/",
        "-o",
        str(tmp_path / "r.jsonl"),
    ]
    result = CliRunner().invoke(cli, words)
    assert isinstance(result.exception, DataError)
    assert "no question was answered" in str(result.exception)


def test_python_is_told_of_an_aborted_run(path: Path) -> None:
    with pytest.raises(DataError, match="4 questions in a row failed"):
        qg.ask(questions(50), lambda text: 1 / 0, journal=path, max_failures=4)
    assert len(read_entries(path).entries) == 4


def test_limit_takes_the_first(path: Path) -> None:
    done = ask_all(questions(9), stub("s", str), path, pacing=Pacing(limit=3))
    assert list(done.responses) == ["1", "2", "3"]
    more = ask_all(questions(9), stub("s", str), path, pacing=Pacing(limit=5))
    assert (more.asked, list(more.responses)) == (2, ["1", "2", "3", "4", "5"])


@pytest.mark.parametrize(
    "bad",
    [
        {"jobs": 0},
        {"limit": 0},
        {"rate": 0.0},
        {"rate": -1.0},
        {"max_failures": -1},
        {"budget": 1.0},
    ],
)
def test_numbers_out_of_range_are_a_wrong_call(bad: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        qg.ask(questions(1), str, **bad)  # type: ignore[arg-type]


# --- stopping rules -------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 7])
def test_rule_sees_the_questions_in_order_and_without_gaps(path: Path, jobs: int) -> None:
    seen: list[list[str]] = []

    async def uneven(name: str, text: str) -> str:
        await asyncio.sleep(0.02 if int(name) % 3 == 0 else 0.001)
        return text

    def rule(responses: Sequence[Response]) -> str | None:
        seen.append([one.id for one in responses])
        return "enough is known" if len(responses) == 10 else None

    done = ask_all(questions(60), stub("s", uneven), path, pacing=Pacing(jobs, stop=rule))
    assert seen == [[str(n) for n in range(1, size + 1)] for size in range(1, 11)]
    assert (done.stopped, done.aborted) == ("enough is known", False)
    # others go on while a slow one is waited for, so how many were asked depends on the machine
    assert 10 <= done.asked < (11 if jobs == 1 else 60)
    assert len(read_entries(path).entries) == done.asked
    assert "the run ended early: enough is known" in done.notes


def test_stopped_run_stops_at_the_same_place_again(path: Path) -> None:
    rule = lambda responses: "enough" if len(responses) >= 5 else None  # noqa: E731
    first = ask_all(questions(20), stub("s", str), path, pacing=Pacing(stop=rule))
    again = ask_all(questions(20), stub("s", str), path, pacing=Pacing(stop=rule))
    assert (first.asked, again.asked) == (5, 0)
    assert ask_all(questions(20), stub("s", str), path).asked == 15


def test_rule_that_raises_ends_the_run_and_keeps_what_came(path: Path) -> None:
    def rule(responses: Sequence[Response]) -> str | None:
        raise ZeroDivisionError("rule")

    with pytest.raises(ZeroDivisionError):
        ask_all(questions(20), stub("s", str), path, pacing=Pacing(3, stop=rule))
    assert 1 <= len(read_entries(path).entries) <= 4


# --- money ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 6])
def test_budget_is_not_exceeded_and_nearly_used(path: Path, jobs: int) -> None:
    how = Chat("m", price_in=100.0, price_out=1_000.0, options={"max_tokens": 4})
    with LiveServer(lambda _: chat("Ulm")).running() as server:
        done = ask_server(server, path, 200, Pacing(jobs, budget=0.5), protocol="openai", chat=how)
        spent = sum(one.call.cost or 0 for one in done.responses.values())
        assert "the budget of 0.5" in done.stopped and not done.aborted
        assert 0.5 - 0.05 <= spent <= 0.5
        asked = len(server.requests)
        again = ask_server(server, path, 200, Pacing(jobs, budget=0.5), protocol="openai", chat=how)
        assert (again.asked, len(server.requests)) == (0, asked)
        more = ask_server(server, path, 200, Pacing(jobs, budget=0.6), protocol="openai", chat=how)
        assert 0 < more.asked < asked


@pytest.mark.parametrize(("jobs", "each"), [(1, 0.4), (5, 0.4), (5, 4.0)])
def test_reply_that_costs_more_than_it_may_ends_the_run(path: Path, jobs: int, each: float) -> None:
    how = Chat("m", price_in=100.0, price_out=1_000.0, options={"max_tokens": 4})
    usage = {"prompt_tokens": 0, "completion_tokens": int(each * 1_000)}
    with LiveServer(lambda _: chat("Ulm", usage=usage)).running() as server:
        system = System(server.url, "openai", chat=how)
        with pytest.raises(DataError) as caught:
            qg.ask(questions(50), system, journal=path, jobs=jobs, budget=0.3)
    # the first reply is awaited alone, so that none is under way when it passes the limit
    assert f"the budget of 0.3 is exceeded: {each:g} is spent" in str(caught.value)
    assert len(server.requests) == len(read_entries(path).entries) == 1


def test_replies_under_way_are_expected_to_cost_as_much_as_the_dearest(path: Path) -> None:
    how = Chat("m", price_in=0.0, price_out=1_000.0, options={"max_tokens": 4})
    usage = {"prompt_tokens": 9, "completion_tokens": 100}
    with LiveServer(lambda _: chat("Ulm", usage=usage)).running() as server:
        system = System(server.url, "openai", chat=how)
        done = qg.ask(questions(50), system, journal=path, jobs=8, budget=0.65)
    assert len(done.responses) == 6  # 0.1 each, where 0.004 was the most
    assert any("0.6 is spent, and the next may cost 0.1" in note for note in done.notes)


def test_budget_counts_replies_without_usage_and_lost_ones_at_their_most(path: Path) -> None:
    how = Chat("m", price_in=1.0, price_out=1.0)
    with LiveServer(lambda _: chat("Ulm", usage=None)).running() as server:
        done = ask_server(server, path, 50, Pacing(budget=0.002), protocol="openai", chat=how)
    assert done.stopped and sum(one.call.cost or 0 for one in done.responses.values()) <= 0.002


def test_budget_without_an_end_of_the_reply_is_refused() -> None:
    how = Chat("m", price_in=1.0, options={"max_tokens": None})
    with pytest.raises(UsageError, match="max_tokens"):
        qg.ask(questions(1), System("http://127.0.0.1:9/", "openai", chat=how), budget=1.0)


# --- nothing is lost, nothing twice ---------------------------------------------------------------


def write_set(path: Path, count: int) -> None:
    entries = [
        {"id": str(n), "question": [{"language": "en", "string": f"Is it {n}?"}]}
        for n in range(1, count + 1)
    ]
    path.write_text(json.dumps({"questions": entries}))


def start(folder: Path, url: str, *words: str, **more: str) -> subprocess.Popen[str]:
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": paths, "no_proxy": "127.0.0.1", **more}
    command = [
        sys.executable,
        "-m",
        "qaldgen",
        "ask",
        "q.json",
        "--url",
        url,
        "-o",
        "r.jsonl",
        *words,
    ]
    return subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)


def test_killed_runs_lose_nothing_and_ask_again_only_what_was_in_flight(tmp_path: Path) -> None:
    write_set(tmp_path / "q.json", 70)
    enough, jobs, kills = threading.Event(), 4, 2

    def slow(_: Seen) -> object:
        if len(server.requests) % 25 == 0:
            enough.set()
        time.sleep(0.02)
        return yes()

    with LiveServer(slow).running() as server:
        for _ in range(kills):
            enough.clear()
            asking = start(tmp_path, server.url, "--jobs", str(jobs))
            assert enough.wait(60)
            asking.kill()
            asking.wait(10)
        last = start(tmp_path, server.url, "--jobs", str(jobs))
        _, told = last.communicate(timeout=60)
        assert "70 answered" in told
        asked = Counter(seen.form["query"] for seen in server.requests)
    assert len(asked) == 70
    assert sum(asked.values()) <= 70 + kills * jobs
    lines = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()]
    assert len(lines) == len({line["id"] for line in lines}) == 70


def test_interrupted_run_keeps_what_came(tmp_path: Path) -> None:
    write_set(tmp_path / "q.json", 100)
    enough = threading.Event()

    def slow(_: Seen) -> object:
        enough.set() if len(server.requests) > 10 else None
        time.sleep(0.02)
        return yes()

    with LiveServer(slow).running() as server:
        asking = start(tmp_path, server.url, "--jobs", "3")
        assert enough.wait(60)
        asking.send_signal(signal.SIGINT)
        assert asking.wait(30) == 130
        assert len(read_journal(tmp_path / "r.jsonl").responses) >= 7


def test_key_is_in_no_file_message_or_list_of_processes(tmp_path: Path) -> None:
    write_set(tmp_path / "q.json", 3)
    lists: list[str] = []

    def echo(seen: Seen) -> object:
        lists.append(
            subprocess.run(
                ["ps", "-ww", "-eo", "args"], capture_output=True, text=True, check=False
            ).stdout
        )
        told = seen.headers.get("Authorization", "")
        return (
            (500, {}, f"you sent {told}")
            if len(server.requests) == 1
            else {"questions": [], "you": told}
        )

    with LiveServer(echo).running() as server:
        asking = start(tmp_path, server.url, "--retries", "0", QALDGEN_SYSTEM_TOKEN=KEY)
        _, told = asking.communicate(timeout=60)
    assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    for text in (told, (tmp_path / "r.jsonl").read_text(), *lists):
        assert KEY not in text


def test_journal_has_all_there_is_to_know(path: Path) -> None:
    with LiveServer(
        lambda _: chat("\x1b[2J<script>alert(1)</script>\u202eUlm")
    ).running() as server:
        ask_server(
            server, path, 1, Pacing(), protocol="openai", chat=Chat("m", price_in=1, price_out=1)
        )
    (line,) = path.read_bytes().splitlines()
    found = json.loads(line)
    assert found.keys() == {
        "id", "status", "answers", "query", "seconds", "error", "raw", "attempts", "tokens_in",
        "tokens_out", "cost", "model",
        "time", "source",
    }  # fmt: skip
    assert found["raw"] == "\x1b[2J<script>alert(1)</script>\u202eUlm"
    assert b"\x1b" not in line
    assert read_journal(path).responses["1"].call.tokens_in == 40


def test_huge_reply_is_cut_in_the_journal(path: Path) -> None:
    text = "Ulm " * 500_000
    with LiveServer(lambda _: chat(text)).running() as server:
        ask_server(server, path, 1, Pacing(), protocol="openai", chat=Chat("m"))
    raw = read_journal(path).responses["1"].call.raw
    assert len(raw) < 1_100_000
    assert raw.endswith("(1,000,000 characters more)")


@pytest.mark.parametrize("what", ["stall", "drip", "drop", "429", "500", "page", "bomb", "other"])
def test_bad_servers_at_fifty_in_parallel_fail_each_question_in_its_own_words(
    what: str, path: Path
) -> None:
    import gzip

    import hostile_servers as hostile

    bomb = hostile.reply(gzip.compress(b" " * 20_000_000), b"Content-Encoding: gzip\r\n")
    other = {
        "questions": [
            {
                "question": [{"language": "en", "string": "Another one?"}],
                "answers": [{"boolean": True}],
            }
        ]
    }
    steps: dict[str, tuple[hostile.Step, str]] = {
        "stall": (lambda client: client.over.wait(5), "within 0.5 seconds"),
        "drip": (lambda client: client.drip(b"HTTP/1.1 200 OK\r\n"), "127.0.0.1"),
        "drop": (lambda client: None, "dropped"),
        "429": (hostile.reply(b"", b"Retry-After: 3600\r\n", b"429 Busy"), "HTTP 429"),
        "500": (hostile.reply(b"oh", status=b"500 Oh"), "HTTP 500"),
        "page": (hostile.reply(b"<html><h1>Sign in</h1>"), "a web page, not JSON: Sign in"),
        "bomb": (bomb, "larger than"),
        "other": (hostile.reply(json.dumps(other).encode()), "another question"),
    }
    step, words = steps[what]
    begun = time.monotonic()
    with hostile.HostileServer(step).running() as server:
        system = System(
            server.url,
            timeout=0.5 if what in {"stall", "drip"} else 10,
            retries=0,
            max_bytes=10_000,
        )
        done = ask_all(questions(100), make_asker(system), path, pacing=Pacing(50, max_failures=0))
    assert len(done.responses) == 100
    for one in done.responses.values():
        assert one.status in {"failed", "timeout"}
        assert words in one.error
    assert time.monotonic() - begun < 20
