"""ask --until and --until-decided.

Where a run stops, what the journal keeps, and what is refused.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from live_servers import LiveServer, Seen, chat

import qaldgen as qg
from qaldgen.answers.interim_looks import read_looks
from qaldgen.answers.journal import open_journal
from qaldgen.answers.record import Response
from qaldgen.cli.main import cli
from qaldgen.plugins.stopping import stop_rule
from qaldgen.plugins.stopping.rule import StopRule
from qaldgen.selection.vectors import Vectors

EXAMPLE = Path(__file__).resolve().parents[3] / "examples"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, few_features: Vectors) -> Path:
    """A benchmark of 120 ordered questions, and runs that are good, fair and bad on it."""
    path = tmp_path_factory.mktemp("until")
    qg.sample(few_features, 120, method="lpm").save(path / "bench.ttl")
    qg.sample(few_features, 60, method="hybrid").save(path / "hybrid.ttl")
    benchmark = qg.load_benchmark(path / "bench.ttl")
    benchmark.save(path / "bench.json")
    known = [f"{iri},{at % 2},{at % 3 == 0:d}" for at, iri in enumerate(few_features.ids)]
    (path / "known.csv").write_text("\n".join(["id,half,third", *known]) + "\n")
    for name, right in (("good", 9), ("fair", 5), ("bad", 1)):
        with open_journal(path / f"{name}.jsonl") as journal:
            for at, question in enumerate(benchmark.questions):
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
    rule = stop_rule(folder / "bench.ttl", until=0.1)
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
    assert "what a look has counted is not asked again" in first.stderr
    assert "asks again" not in first.stderr
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
        assert "was looked at under another plan" in str(found.exception)


@pytest.mark.parametrize(
    ("bench", "options", "said"),
    [
        ("hybrid.ttl", ("--until", "0.1"), "draw the benchmark by lpm or random"),
        ("bench.json", ("--until", "0.1"), "needs the benchmark as RDF"),
        ("bench.ttl", ("--until", "0.1", "--until-decided", "--above", "0.4"), "different rules"),
        ("bench.ttl", ("--until-decided",), "either --baseline SYSTEM or --above SCORE"),
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
    rule = stop_rule(bench, above=0.5)
    found = qg.ask(bench, system, stop=rule)
    assert len(found.responses) == rule.records[-1]["n"] < 120
    with pytest.raises(qg.UsageError, match="not next in the order of the benchmark"):
        qg.ask(str(EXAMPLE / "questions.json"), system, stop=stop_rule(bench, above=0.5))


def test_a_failure_that_was_looked_at_is_not_asked_again_and_moves_no_look(
    folder: Path, tmp_path: Path
) -> None:
    """The journal ends behind its first look, and the system has recovered since."""
    bench = qg.load_benchmark(folder / "bench.ttl")
    gold = {one.id: one.answers for one in bench.questions}
    asked: list[str] = []
    down = True

    def system(name: str, text: str) -> object:
        asked.append(name)
        place = list(gold).index(name)
        if down and place % 3 == 0:
            raise RuntimeError("down")
        return gold[name] if place % 2 else None

    whole, broken = tmp_path / "whole" / "mine.jsonl", tmp_path / "mine.jsonl"
    whole.parent.mkdir()

    def rule() -> StopRule:
        return stop_rule(bench, above=0.39, largest=60)

    qg.ask(bench, system, journal=whole, stop=rule(), max_failures=0)
    lines = whole.read_bytes().splitlines(keepends=True)
    look = next(at for at, line in enumerate(lines) if line.startswith(b'{"look": {"n": 30'))
    broken.write_bytes(b"".join(lines[: look + 1]))
    asked.clear()
    down = False
    run = qg.ask(bench, system, journal=broken, stop=rule())
    assert set(asked).isdisjoint(list(gold)[:30])
    assert run.responses[next(iter(gold))].status == "failed"
    assert read_looks(broken)[:2] == read_looks(whole)[:2]
    # a run without a rule asks failures again; later looks still see what the first look saw
    seen = read_looks(broken)
    qg.ask(bench, system, journal=broken, limit=60)
    assert qg.score(bench, broken).counts["status"].iloc[0] == "empty"
    qg.ask(bench, system, journal=broken, stop=rule())
    assert read_looks(broken) == seen


def test_a_run_that_asked_everything_did_not_end_early(folder: Path, tmp_path: Path) -> None:
    found = ask(folder, "fair", tmp_path / "mine.jsonl", "--until-decided", "--above", "0.5")
    assert found.exit_code == 3
    assert "120 questions" in found.output
    assert "ended early" not in found.output


def test_another_precision_is_refused_with_what_to_do(folder: Path, tmp_path: Path) -> None:
    journal = tmp_path / "mine.jsonl"
    ask(folder, "fair", journal, "--until", "0.1")
    found = ask(folder, "fair", journal, "--until", "0.05")
    assert isinstance(found.exception, qg.UsageError)
    assert "under another plan (half_width: 0.1, now 0.05)" in str(found.exception)
    assert "go on without one" in str(found.exception)
    on = ask(folder, "fair", journal, "--limit", "100")
    assert on.exit_code == 0, on.output
    score = CliRunner().invoke(
        cli, ["score", str(folder / "bench.ttl"), str(journal), "--estimate"]
    )
    assert "was asked the first 100 of 120 questions" in score.output


def test_what_is_known_on_the_pool_sharpens_the_stop(folder: Path, tmp_path: Path) -> None:
    stops = []
    for at, known in enumerate(
        (
            (),
            ("--others", str(folder / "known.csv")),
            ("--others", str(folder / "known.csv"), "--family", "half=a", "--family", "fair=a"),
            ("--others", str(folder / "known.csv"), "--baseline", "half"),
        )
    ):
        journal = tmp_path / str(at) / "fair.jsonl"
        journal.parent.mkdir()
        found = ask(folder, "fair", journal, "--until", "0.1", *known)
        assert found.exit_code == 0, found.output
        stops.append(read_looks(journal)[0]["plan"]["controls"])
    assert len(set(stops)) == 4
    assert stops[0] == ""


def test_a_known_baseline_decides_while_asking(folder: Path, tmp_path: Path) -> None:
    journal = tmp_path / "mine.jsonl"
    known = ("--others", str(folder / "known.csv"), "--baseline", "third")
    found = ask(folder, "good", journal, "--until-decided", *known)
    assert found.exit_code == 0, found.output
    assert "better than third" in found.output


def test_a_limit_ends_before_the_rule_and_the_run_goes_on(folder: Path, tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole" / "mine.jsonl", tmp_path / "mine.jsonl"
    whole.parent.mkdir()
    ask(folder, "fair", whole, "--until", "0.1")
    first = ask(folder, "fair", parts, "--until", "0.1", "--limit", "25")
    assert "not within ±0.1 yet after 25 questions" in first.output
    assert len(read_looks(parts)) == 1
    ask(folder, "fair", parts, "--until", "0.1")
    assert read_looks(parts) == read_looks(whole)


def test_a_budget_ends_before_the_rule_and_a_larger_one_goes_on(
    folder: Path, tmp_path: Path
) -> None:
    def answer(seen: Seen) -> object:
        return chat("Ulm" if len(seen.body) % 2 else "yes")

    with LiveServer(answer).running() as server:
        system = qg.System(
            f"{server.url}/v1",
            "openai",
            chat=qg.Chat("m", options={"max_tokens": 1}, price_in=1e6, price_out=0.0),
        )

        def run(budget: float) -> qg.Run:
            rule = stop_rule(qg.evaluate(folder / "bench.ttl", (), match="contains"), until=0.1)
            bench = qg.load_benchmark(folder / "bench.ttl")
            return qg.ask(bench, system, journal=tmp_path / "mine.jsonl", stop=rule, budget=budget)

        poor = run(1200.0)
        assert any("the budget of 1200 allows no further question" in one for one in poor.notes)
        assert len(read_looks(tmp_path / "mine.jsonl")) == 1
        rich = run(100_000.0)
        assert any("precise enough after" in one for one in rich.notes)
        assert len(server.requests) == len(rich.responses)


def test_plan_and_looks_go_to_stdout_with_the_answers(folder: Path) -> None:
    where = ["--system", f"recorded:{folder / 'fair.jsonl'}", "--no-times", "--until", "0.1"]
    found = CliRunner().invoke(cli, ["ask", str(folder / "bench.ttl"), *where])
    assert found.exit_code == 0, found.output
    lines = [json.loads(line) for line in found.stdout.splitlines()]
    assert list(lines[0]) == ["look"]
    assert lines[-1]["look"]["reached"]
    answers = [line["id"] for line in lines if "id" in line]
    assert len(answers) == lines[-1]["look"]["n"]
