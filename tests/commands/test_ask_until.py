"""ask --until and --until-decided.

Where a run stops, what the journal keeps, and what is refused.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import qaldgen as qg
from qaldgen.commands.cli import cli
from qaldgen.runs.journal_writing import open_journal
from qaldgen.runs.looks import read_looks
from qaldgen.runs.record import Response

EXAMPLE = Path(__file__).resolve().parent.parent.parent / "examples"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark of 120 ordered questions, and runs that are good, fair and bad on it."""
    path = tmp_path_factory.mktemp("until")
    vectors = qg.select(str(EXAMPLE / "features.ttl"), "annotated")
    qg.sample(vectors, 120, method="lpm").save(path / "bench.ttl")
    qg.sample(vectors, 60, method="hybrid").save(path / "hybrid.ttl")
    benchmark = qg.load_benchmark(path / "bench.ttl")
    benchmark.save(path / "bench.json")
    for name, right in (("good", 9), ("fair", 5), ("bad", 1)):
        with open_journal(path / f"{name}.jsonl") as journal:
            for at, question in enumerate(benchmark.questions()):
                given = question.answers if (at * 7) % 10 < right else None
                given = given if given is not None and given.values() else None
                journal.add(
                    Response(question.id, "answered", given)
                    if given
                    else Response(question.id, "failed", error="no")
                )
    return path


def ask(
    folder: Path, system: str, journal: Path, *options: str, bench: str = "bench.ttl"
) -> Result:
    where = ["--system", f"recorded:{folder / system}.jsonl", "-o", str(journal), "--no-times"]
    return CliRunner().invoke(cli, ["ask", str(folder / bench), *where, *options])


@pytest.mark.parametrize("jobs", ["1", "4"])
def test_it_stops_where_the_rule_says(folder: Path, tmp_path: Path, jobs: str) -> None:
    journal = tmp_path / "mine.jsonl"
    found = ask(folder, "fair", journal, "--until", "0.1", "--jobs", jobs)
    assert found.exit_code == 0, found.output
    rule = qg.stop_rule(folder / "bench.ttl", until=0.1)
    f1 = qg.score(folder / "bench.ttl", folder / "fair.jsonl").counts["f1"]
    for name in rule.order:
        rule.see(name, float(f1[name]))
        if rule.stop():
            break
    assert list(read_looks(journal)) == rule.records
    assert f"precise enough after {rule.records[-1]['n']} questions" in found.output


def test_the_plan_stands_before_the_first_answer_and_names_the_rules(
    folder: Path, tmp_path: Path
) -> None:
    journal = tmp_path / "mine.jsonl"
    ask(folder, "good", journal, "--until-decided", "--above", "0.5", "--match", "strict")
    plan = json.loads(journal.read_text().splitlines()[0])["look"]["plan"]
    assert (plan["match"], plan["measure"]) == ("strict", "macro-f1")


@pytest.mark.parametrize(("system", "code"), [("good", 0), ("fair", 3), ("bad", 4)])
def test_a_decision_ends_as_gate_does_and_gate_accepts_the_journal(
    folder: Path, tmp_path: Path, system: str, code: int
) -> None:
    journal = tmp_path / "mine.jsonl"
    found = ask(folder, system, journal, "--until-decided", "--above", "0.5")
    assert found.exit_code == code, found.output
    before = journal.read_bytes()
    gate = CliRunner().invoke(
        cli, ["gate", str(folder / "bench.ttl"), str(journal), "--above", "0.5"]
    )
    assert gate.exit_code == code, gate.output
    assert journal.read_bytes() == before


@pytest.mark.parametrize("back", [0, 1, 2])
def test_a_run_killed_around_a_look_goes_on_like_one_that_was_not(
    folder: Path, tmp_path: Path, back: int
) -> None:
    """Killed after the look was kept, before it was, and before the answer it waits for."""
    whole, killed = tmp_path / "whole.jsonl", tmp_path / "killed.jsonl"
    options = ("--until-decided", "--above", "0.97")
    first = ask(folder, "good", whole, *options)
    lines = whole.read_bytes().splitlines(keepends=True)
    look = next(at for at, line in enumerate(lines) if line.startswith(b'{"look": {"n": 30'))
    killed.write_bytes(b"".join(lines[: look + 1 - back]))
    second = ask(folder, "good", killed, *options)
    assert second.exit_code == first.exit_code
    assert read_looks(killed) == read_looks(whole)


def test_a_run_that_has_stopped_asks_nothing_again_not_even_failures(
    folder: Path, tmp_path: Path
) -> None:
    journal = tmp_path / "mine.jsonl"
    first = ask(folder, "bad", journal, "--until-decided", "--above", "0.5")
    before = journal.read_bytes()
    again = ask(folder, "bad", journal, "--until-decided", "--above", "0.5")
    assert (first.exit_code, again.exit_code) == (4, 4)
    assert journal.read_bytes() == before


def test_another_plan_is_refused(folder: Path, tmp_path: Path) -> None:
    journal = tmp_path / "mine.jsonl"
    ask(folder, "good", journal, "--until-decided", "--above", "0.5")
    for other in (("--until", "0.1"), ("--until-decided", "--above", "0.4")):
        found = ask(folder, "good", journal, *other)
        assert isinstance(found.exception, qg.UsageError)
        assert "was looked at by another plan" in str(found.exception)


@pytest.mark.parametrize(
    ("bench", "options", "said"),
    [
        ("hybrid.ttl", ("--until", "0.1"), "draw the benchmark by lpm or random"),
        ("bench.json", ("--until", "0.1"), "needs the benchmark as RDF"),
        ("bench.ttl", ("--until", "0.1", "--until-decided", "--above", "0.4"), "different rules"),
        ("bench.ttl", ("--until-decided",), "either --baseline SYSTEM or --above SCORE"),
        ("bench.ttl", ("--above", "0.4"), "--above belongs to --until-decided"),
        ("bench.ttl", ("--until", "0.1", "--max", "50"), "--max belongs to --until-decided"),
    ],
)
def test_what_cannot_be_stopped_is_refused(
    folder: Path, tmp_path: Path, bench: str, options: tuple[str, ...], said: str
) -> None:
    found = ask(folder, "good", tmp_path / "mine.jsonl", *options, bench=bench)
    assert isinstance(found.exception, qg.UsageError)
    assert said in str(found.exception)
    assert not (tmp_path / "mine.jsonl").exists()


def test_python_takes_the_rule_and_refuses_another_order(folder: Path) -> None:
    bench = qg.load_benchmark(folder / "bench.ttl")
    system = f"recorded:{folder / 'good.jsonl'}"
    rule = qg.stop_rule(bench, above=0.5)
    found = qg.ask(bench, system, stop=rule)
    assert len(found.responses) == rule.records[-1]["n"] < 120
    with pytest.raises(qg.UsageError, match="not its place in the order of the benchmark"):
        qg.ask(str(EXAMPLE / "questions.json"), system, stop=qg.stop_rule(bench, above=0.5))
