"""Language models as readers: retrieved or relevant passages in their prompts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from live_servers import LiveServer, Seen, chat

import qaldgen as qg
from qaldgen.cli.main import cli
from qaldgen.plugins.passages.loss_tables import losses
from qaldgen.plugins.passages.pipeline import passage_texts

PASSAGES = {
    "p0": ("Młyn", "Młyn zbudował\nJan Kowal."),
    "p1": ("", "Młyn spłonął w 1871 roku."),
    "p2": ("Staw", "Staw wysechł."),
}
QUESTIONS = {
    "q0": ("Kto zbudował młyn?", "Jan Kowal", "p0"),
    "q1": ("Kiedy spłonął młyn?", "1871", "p1"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    passages = (
        {"id": name, "title": title, "text": text} for name, (title, text) in PASSAGES.items()
    )
    asked = (
        {
            "id": name,
            "question": text,
            "language": "pl",
            "answers": [answer],
            "relevant_passages": relevant,
        }
        for name, (text, answer, relevant) in QUESTIONS.items()
    )
    for name, records in (("p.jsonl", passages), ("q.jsonl", asked)):
        (tmp_path / name).write_text(
            "".join(json.dumps(one) + "\n" for one in records), encoding="utf-8"
        )
    (tmp_path / "r.trec").write_text(
        "q0 Q0 p2 1 3 x\nq0 Q0 p0 2 2 x\nq0 Q0 p1 3 1 x\nq1 Q0 p2 1 3 x\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def reads(seen: Seen) -> dict[str, object]:
    """Answer as a model that finds what is in its passages, and nothing else."""
    prompt = seen.json["messages"][0]["content"]
    found = [
        answer for text, answer, _ in QUESTIONS.values() if text in prompt and answer in prompt
    ]
    return chat(found[0] if found else "nie wiem")


def ask(url: str, *words: str) -> Result:
    system = ("--system", f"openai:{url}/v1", "--model", "tiny", "--lang", "pl", "--no-times")
    return CliRunner().invoke(cli, ["ask", "q.jsonl", *system, *words])


def prompts(server: LiveServer) -> list[str]:
    return [one.json["messages"][0]["content"] for one in server.requests]


def test_retrieved_passages_are_numbered_in_the_prompt(folder: Path) -> None:
    with LiveServer(reads).running() as server:
        done = ask(
            server.url,
            "--passages",
            "p.jsonl",
            "--read",
            "r.trec",
            "--read-top",
            "2",
            "--prompt",
            "passages",
            "-o",
            "a.jsonl",
        )
    assert done.exit_code == 0, done.output
    first, second = prompts(server)
    assert "[1] Staw: Staw wysechł.\n[2] Młyn: Młyn zbudował Jan Kowal." in first
    assert "[3]" not in first
    assert "1871" not in second


def test_the_chain_of_retriever_and_model_is_split_into_losses(folder: Path) -> None:
    with LiveServer(reads).running() as server:
        ask(server.url, "--passages", "p.jsonl", "--read", "r.trec", "-o", "end.jsonl")
        ask(server.url, "--passages", "p.jsonl", "--read", "relevant", "-o", "gold.jsonl")
    row = losses("q.jsonl", "r.trec", "end.jsonl", on_gold="gold.jsonl").iloc[0]
    assert [row[name] for name in ("right", "retriever miss", "reader miss", "reader")] == [
        1,
        1,
        0,
        1.0,
    ]


def test_other_passages_are_another_run(folder: Path) -> None:
    words = ("--passages", "p.jsonl", "--read", "r.trec", "-o", "a.jsonl")
    with LiveServer(reads).running() as server:
        assert ask(server.url, *words).exit_code == 0
        assert ask(server.url, *words).exit_code == 0  # nothing is missing, nobody is asked
        assert len(server.requests) == 2
        other = ask(server.url, *words, "--read-top", "1")
    assert isinstance(other.exception, qg.UsageError)


@pytest.mark.parametrize(("words", "message"), [
    (("--read", "r.trec"), "name the collection with --passages"),
    (("--read", "r.trec", "--passages", "p.jsonl", "--context", "c.json"),
     "pass either --context or --read"),
    (("--passages", "p.jsonl"), "only applies with a system that looks things up"),
    (("--read", "r.trec", "--passages", "p.jsonl", "--any-word"),
     "only applies with a system that looks things up"),
    (("--read", "no.trec", "--passages", "p.jsonl"), "no.trec"),
])  # fmt: skip
def test_wrong_calls_ask_nobody(folder: Path, words: tuple[str, ...], message: str) -> None:
    with LiveServer(reads).running() as server:
        found = ask(server.url, *words, "-o", "a.jsonl")
    assert message in str(found.exception)
    assert server.requests == []


def test_a_run_of_other_questions_is_refused(folder: Path, refused: Callable[..., str]) -> None:
    (folder / "r.trec").write_text("z Q0 p2 1 3 x\n")
    assert "no question has a passage in p" in refused(
        lambda: passage_texts("q.jsonl", "p.jsonl", found="r.trec")
    )
