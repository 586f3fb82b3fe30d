"""A journal belongs to one run at a time, loses no paid answer, and can always be read again."""

from __future__ import annotations

import errno
import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from asked import stub
from hostile_servers import Client, HostileServer, reply
from pyoxigraph import Literal, NamedNode, Quad

from qaldgen.answers import journal as journal_module
from qaldgen.answers.journal import open_journal, read_entries, read_journal, write
from qaldgen.answers.record import CallDetails, Response, status_of
from qaldgen.asking.asking import ask_all
from qaldgen.asking.http_protocols import read_reply
from qaldgen.asking.systems import NoAnswer, PosedQuestion
from qaldgen.errors import DataError, UsageError
from qaldgen.io.outputs import Lock
from qaldgen.model import Answers, Cell, Question, QuestionSet
from qaldgen.questions.reading import read_questions
from qaldgen.stores.gold_queries import execute_gold
from qaldgen.stores.local import open_quads

ROOT = Path(__file__).resolve().parent.parent.parent
YES = Answers(boolean=True)
GOOD = reply(b'{"questions": [{"answers": [{"boolean": true}]}]}')
TAKEN = "another run is writing to this journal"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


@pytest.fixture
def questions(tmp_path: Path) -> QuestionSet:
    asked = [
        {"id": str(n), "question": [{"language": "en", "string": f"Who is {n}?"}]}
        for n in range(1, 6)
    ]
    (tmp_path / "five.json").write_text(json.dumps({"questions": asked}), encoding="utf-8")
    return read_questions(tmp_path / "five.json")


def yes(name: str, text: str) -> Response:
    return Response(name, "answered", YES)


def ids(path: Path) -> list[str]:
    return [entry.response.id for entry in read_entries(path).entries]


# --- one run at a time ----------------------------------------------------------------------------


def test_second_run_is_refused_and_asks_nobody(path: Path, questions: QuestionSet) -> None:
    asked: list[str] = []

    def ask(name: str, text: str) -> Response:
        asked.append(name)
        with pytest.raises(UsageError, match=TAKEN) as caught:
            ask_all(questions, stub("stub", yes), path)
        assert str(path) in str(caught.value)
        return yes(name, text)

    ask_all(questions, stub("stub", ask), path)
    assert asked == ids(path) == ["1", "2", "3", "4", "5"]


def test_second_run_does_not_begin_anew_over_the_first(path: Path) -> None:
    write(path, Response("1", "answered", YES))
    before = path.read_bytes()
    with open_journal(path), pytest.raises(UsageError, match=TAKEN), open_journal(path, anew=True):
        pass
    assert path.read_bytes() == before


def test_gold_queries_take_the_lock_too(path: Path) -> None:
    store = open_quads("g", [Quad(NamedNode("x:a"), NamedNode("x:b"), Literal(1))])
    asked = Question("1", {}, queries={"": "ASK { ?a ?b 1 }"})
    with open_journal(path) as ours:
        with pytest.raises(UsageError, match=TAKEN):
            execute_gold([asked], store, journal=path)
        assert execute_gold([asked], store, journal=ours).asked == 1
    assert execute_gold([asked], store, journal=path).asked == 0


def test_journal_is_read_while_it_is_written(path: Path) -> None:
    with open_journal(path) as journal:
        journal.add(Response("1", "answered", YES))
        assert list(read_journal(path).responses) == ["1"]


def test_kill_releases_the_lock_and_loses_no_line(path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path; from qaldgen.answers.record import"
        " Response, status_of\nfrom qaldgen.answers.journal import open_journal\nwith"
        " open_journal(Path(sys.argv[1])) as journal:\n    journal.add(Response('1', 'failed'))\n  "
        "  print('ready', flush=True); time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, path], stdout=subprocess.PIPE, cwd=ROOT
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"ready\n"
        with pytest.raises(UsageError, match=TAKEN), open_journal(path):
            pass
        other.kill()
        other.wait(10)
        write(path, Response("2", "failed"))
    assert ids(path) == ["1", "2"]


def start_asking(folder: Path, server: HostileServer, *words: str) -> subprocess.Popen[str]:
    """Start the command on the five questions."""
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": paths, "no_proxy": "127.0.0.1"}
    command = [sys.executable, "-m", "qaldgen", "ask", "five.json", "--url", server.url, *words]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=pipe, stderr=pipe, text=True
    )


def wait_for_requests(server: HostileServer, count: int, asking: subprocess.Popen[str]) -> None:
    while len(server.requests) < count:
        assert asking.poll() is None
        time.sleep(0.02)


def test_two_commands_at_once_pay_once(tmp_path: Path, questions: QuestionSet) -> None:
    go = threading.Event()
    with HostileServer(lambda client: go.wait(30) and GOOD(client)).running() as server:
        first = start_asking(tmp_path, server, "-o", "run.jsonl")
        wait_for_requests(server, 1, first)
        second = start_asking(tmp_path, server, "-o", "run.jsonl")
        _, told = second.communicate(timeout=60)
        go.set()
        _, done = first.communicate(timeout=60)
    assert second.returncode == 2 and TAKEN in told
    assert first.returncode == 0 and "5 answered" in done
    assert len(server.requests) == len(questions.questions) == 5


def test_without_locks_another_writer_stops_the_run(
    path: Path, questions: QuestionSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "lock", lambda file: Lock.NONE)
    asked: list[str] = []

    def ask(name: str, text: str) -> Response:
        asked.append(name)
        if name == "2":
            write(path, Response("9", "answered", YES), source="other")
        return yes(name, text)

    with pytest.raises(DataError, match="somebody else wrote to the journal"):
        ask_all(questions, stub("stub", ask), path)
    assert asked == ["1", "2"]
    assert ids(path) == ["1", "9", "2"]


def test_file_system_without_locks_is_told(
    path: Path, questions: QuestionSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(file: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", unknown)
    assert "has no locks" in ask_all(questions, stub("stub", yes), path).notes[0]


@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_journal_that_is_taken_away_stops_the_run(
    how: str, path: Path, questions: QuestionSet
) -> None:
    asked: list[str] = []

    def ask(name: str, text: str) -> Response:
        asked.append(name)
        if name == "2":
            path.unlink()
            if how == "replaced":
                path.write_text("{}\n", encoding="utf-8")
        return yes(name, text)

    with pytest.raises(DataError, match="removed or replaced"):
        ask_all(questions, stub("stub", ask), path)
    assert asked == ["1", "2"]


# --- what stays -----------------------------------------------------------------------------------


def test_journal_without_a_line_does_not_stay(path: Path) -> None:
    with open_journal(path):
        assert path.exists()
    assert not path.exists()


def test_empty_file_of_somebody_else_stays(path: Path) -> None:
    path.touch()
    with open_journal(path):
        pass
    assert path.exists()


def test_beginning_anew_keeps_the_file_and_its_link(path: Path, tmp_path: Path) -> None:
    write(path, Response("1", "failed"))
    link = tmp_path / "link.jsonl"
    link.symlink_to(path)
    with open_journal(link, anew=True) as journal:
        journal.add(Response("2", "failed"))
    assert link.is_symlink()
    assert ids(path) == ["2"]


def test_packed_journal_is_refused_before_anybody_is_asked(
    path: Path, questions: QuestionSet
) -> None:
    path.write_bytes(b"\x1f\x8b\x08abc")

    def never(name: str, text: str) -> Response:
        raise AssertionError(name)

    with pytest.raises(DataError, match="name another journal"):
        ask_all(questions, stub("stub", never), path)


@pytest.mark.parametrize("device", ["/dev/null", "/dev/zero"])
def test_device_is_no_journal_and_stays(device: str) -> None:
    with pytest.raises(DataError, match="device"), open_journal(Path(device)):
        pass
    assert Path(device).exists()


def test_block_of_nul_bytes_that_a_power_failure_leaves_is_cut_off(
    path: Path, questions: QuestionSet
) -> None:
    for name in ("1", "2"):
        write(
            path,
            Response(name, "answered", YES),
            source="stub in en, asked five (sha256 " + questions.sha256[:16] + ")",
        )
    path.write_bytes(path.read_bytes() + b"\0" * 4_096)
    done = ask_all(questions, stub("stub", yes), path)
    assert done.asked == 3
    assert "the last line is cut off" in done.notes[0]
    assert ids(path) == ["1", "2", "3", "4", "5"]


def test_full_disk_ends_the_run_with_whole_lines(path: Path, questions: QuestionSet) -> None:
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    write(path, Response("0", "failed"))
    size = path.stat().st_size
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, limit[1]))
    try:
        with pytest.raises(DataError, match="the journal cannot be written"):
            write(path, Response("1", "failed", error="x" * 100))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, handler)
    assert ids(path) == ["0"]
    assert path.read_bytes().endswith(b"}\n")


# --- what can be read again -----------------------------------------------------------------------

HOSTILE_TEXTS = [
    "",
    " ",
    "\x00",
    "\x1b[2J",
    "\x9b2J",
    "\x7f",
    "\u2028",
    "\ud800",
    "\udfff",
    "é" * 9,
    '"',
    "\\",
    "\r\n",
    "true",
]
KINDS = ["uri", "bnode", "literal", "typed-literal", "triple", "URI", "", "\x00"]


def random_value(chance: random.Random, depth: int = 3) -> object:
    """Return a JSON value of any shape, with the keys that replies have."""
    if depth == 0 or chance.random() < 0.3:
        return chance.choice(
            [
                None,
                True,
                False,
                0,
                -1,
                1.5,
                10**30,
                chance.choice(HOSTILE_TEXTS),
                float("nan"),
                float("inf"),
            ]
        )
    if chance.random() < 0.4:
        return [random_value(chance, depth - 1) for _ in range(chance.randrange(3))]
    keys = [
        "id",
        "answers",
        "questions",
        "head",
        "vars",
        "results",
        "bindings",
        "x",
        "type",
        "value",
        "boolean",
        "query",
        "texts",
    ]
    return {
        chance.choice(keys): random_value(chance, depth - 1) for _ in range(chance.randrange(4))
    }


def random_reply(chance: random.Random) -> bytes:
    """Return a reply that is almost right: a few values of a good one are replaced."""
    cell = {
        "type": chance.choice(KINDS),
        "value": chance.choice(HOSTILE_TEXTS),
        "datatype": chance.choice(HOSTILE_TEXTS),
    }
    cell["xml:lang"] = chance.choice(HOSTILE_TEXTS)
    row = {
        chance.choice(["x", "", "y z", *HOSTILE_TEXTS]): chance.choice([cell, random_value(chance)])
    }
    results = {
        "head": {"vars": chance.choice([["x"], ["x", "x"], random_value(chance)])},
        "results": {"bindings": [row]},
    }
    question = {
        "id": random_value(chance, 1),
        "answers": chance.choice([[results], [results, results], random_value(chance)]),
    }
    question["query"] = chance.choice(
        [{"sparql": chance.choice(HOSTILE_TEXTS)}, random_value(chance)]
    )
    if chance.random() < 0.2:
        question["answertype"] = random_value(chance, 1)
    if chance.random() < 0.2:
        question = {"question": question}
    return json.dumps({"questions": [question]}).encode()


def replied(name: str, reply: bytes) -> Response:
    """Return what `ask_all` would make of a reply."""
    try:
        said = read_reply(reply.decode("utf-8", "surrogatepass"), "x", PosedQuestion("Who?"))
    except NoAnswer as problem:
        return Response(
            name, "failed", error=problem.reason, call=CallDetails(raw=problem.partial_reply.raw)
        )
    assert said.answers is not None
    given = status_of(said.answers)
    return Response(
        name,
        given,
        said.answers,
        said.query,
        said.answer_type,
        error=said.note,
        call=CallDetails(raw=said.raw),
    )


def test_whatever_a_system_replies_can_be_read_again(path: Path) -> None:
    chance, seen = random.Random(9), set[str]()
    with open_journal(path) as journal:
        for number in range(1_500):
            response = journal.add(replied(str(number), random_reply(chance)), source="s")
            seen.add(response.status)
    entries = read_entries(path).entries
    assert [entry.response.id for entry in entries] == [str(number) for number in range(1_500)]
    assert seen == {"answered", "empty", "failed"}
    text = path.read_text(encoding="utf-8")
    assert all(sign.isprintable() or sign == "\n" or ord(sign) > 0x9F for sign in text)


def test_answer_that_could_not_be_read_again_is_a_failure(path: Path) -> None:
    odd = Answers(variables=("x",), rows=((Cell("literal", "7"),),))
    with open_journal(path) as journal:
        kept = journal.add(Response("1", "empty", odd))
    assert kept.status == "failed"
    assert "cannot be kept" in read_journal(path).responses["1"].error


@pytest.mark.parametrize(
    "error",
    [
        KeyError("head"),
        RecursionError("deep"),
        MemoryError(),
        ValueError("http://me:s3cret@h/ \x1b[2J"),
    ],
)
def test_unforeseen_error_is_one_failed_question(
    error: Exception, path: Path, questions: QuestionSet
) -> None:
    def ask(name: str, text: str) -> Response:
        if name == "2":
            raise error
        return yes(name, text)

    done = ask_all(questions, stub("stub", ask), path)
    assert [response.status for response in done.responses.values()] == [
        "answered",
        "failed",
        *["answered"] * 3,
    ]
    told = read_journal(path).responses["2"].error
    assert told == ("the memory is full" if isinstance(error, MemoryError) else told)
    assert type(error).__name__ in told or isinstance(error, MemoryError)
    assert told.isprintable() and "s3cret" not in told


def test_unforeseen_error_is_one_failed_gold_query(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> Answers:
        raise KeyError("head")

    monkeypatch.setattr("qaldgen.stores.query_answers.rows_answers", broken)
    store = open_quads("g", [Quad(NamedNode("x:a"), NamedNode("x:b"), Literal(1))])
    asked = [
        Question("1", {}, queries={"": "SELECT ?a { ?a ?b 1 }"}),
        Question("2", {}, queries={"": "ASK { ?a ?b 1 }"}),
    ]
    done = execute_gold(asked, store, journal=path)
    assert [response.status for response in done.responses.values()] == ["failed", "answered"]
    assert "KeyError" in done.responses["1"].error


# --- interruptions --------------------------------------------------------------------------------


@pytest.mark.usefixtures("questions")
def test_interrupted_ask_prints_what_came(tmp_path: Path) -> None:
    def step(client: Client) -> object:
        return GOOD(client) if len(server.requests) < 3 else client.over.wait(30)

    server = HostileServer(step)
    with server.running(), start_asking(tmp_path, server) as asking:
        wait_for_requests(server, 3, asking)
        asking.send_signal(signal.SIGINT)
        out, told = asking.communicate(timeout=30)
    assert asking.returncode == 130
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["1", "2"]
    assert "interrupted" in told
