"""Looks at runs before their end.

Gate, race, compare --sequential, and estimates of unfinished journals.
"""

from __future__ import annotations

import dataclasses
import gzip
import json
from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result

import qaldgen as qg
from qaldgen.answers.interim_looks import read_looks
from qaldgen.answers.journal import open_journal
from qaldgen.answers.record import Response
from qaldgen.cli.main import cli
from qaldgen.plugins.stopping import gate, race
from qaldgen.selection.vectors import Vectors

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, few_features: Vectors) -> Path:
    """A benchmark of 120 ordered questions, and what is known on all 245."""
    path = tmp_path_factory.mktemp("gate")
    qg.sample(few_features, 120, method="lpm").save(path / "bench.ttl")
    qg.sample(few_features, 60, method="hybrid").save(path / "hybrid.ttl")
    benchmark = qg.load_benchmark(path / "bench.ttl")
    names = [iri.rpartition("/")[2] for iri in few_features.ids]
    half = pd.DataFrame(
        {"half": [at % 2 for at in range(len(names))]},
        index=pd.Index(few_features.ids, name="id"),
        dtype=float,
    )
    half.to_csv(path / "half.csv")
    for name, right in (("good", 9), ("fair", 5), ("bad", 1)):
        answer(path / f"{name}.jsonl", benchmark, right)
    return path


def answer(
    path: Path, benchmark: qg.Benchmark, right: int, upto: int = 120, skip: Iterable[int] = ()
) -> Path:
    """Write a journal that answers so many of ten questions rightly, in their order, up to one."""
    path.parent.mkdir(exist_ok=True)
    with open_journal(path) as journal:
        for at, question in enumerate(benchmark.questions[:upto]):
            if at not in set(skip):
                good = (at * 7) % 10 < right
                given = (
                    question.answers
                    if good and question.answers is not None and question.answers.values()
                    else None
                )
                journal.add(
                    Response(question.id, "answered", given)
                    if given
                    else Response(question.id, "failed", error="no")
                )
    return path


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(one) for one in arguments])


def test_a_failure_that_is_answered_later_moves_no_later_look(folder: Path, tmp_path: Path) -> None:
    benchmark = qg.load_benchmark(folder / "bench.ttl")
    once, twice = (answer(tmp_path / f"{at}" / "mine.jsonl", benchmark, 6, 60) for at in "ab")
    for path in (once, twice):
        run("gate", folder / "bench.ttl", path, "--above", "0.57")
    before = read_looks(once)
    failed = [name for name, one in qg.read_run(once).responses.items() if one.status == "failed"]
    with open_journal(twice) as journal:
        for name in failed[:15]:
            gold = {one.id: one.answers for one in benchmark.questions}
            journal.add(Response(name, "answered", gold[name]))
    for path in (once, twice):
        with open_journal(path) as journal:
            for question in benchmark.questions[60:]:
                journal.add(Response(question.id, "answered", question.answers))
        run("gate", folder / "bench.ttl", path, "--above", "0.57")
    assert len(read_looks(once)) > len(before)
    assert read_looks(twice) == read_looks(once)


def test_a_sample_has_positions_that_survive_and_json_is_in_their_order(
    folder: Path, tmp_path: Path
) -> None:
    benchmark = qg.load_benchmark(folder / "bench.ttl")
    assert [member.position for member in benchmark.members] == list(range(1, 121))
    benchmark.save(tmp_path / "bench.json")
    written = json.loads((tmp_path / "bench.json").read_text())["questions"]
    assert [one["id"] for one in written] == [question.id for question in benchmark.questions]
    assert [one["position"] for one in written] == list(range(1, 121))


@pytest.mark.parametrize(
    ("old", "new"), [("position 7 ;", "position 8 ;"), ("position 7 ;", "position 0 ;")]
)
def test_changed_positions_are_refused(folder: Path, tmp_path: Path, old: str, new: str) -> None:
    text = (folder / "bench.ttl").read_text()
    assert old in text
    (tmp_path / "changed.ttl").write_text(text.replace(old, new))
    with pytest.raises(qg.DataError, match="positions are not 1 to the number of questions"):
        qg.load_benchmark(tmp_path / "changed.ttl")


@pytest.mark.parametrize(
    ("name", "options", "code", "said"),
    [
        ("good", ("--above", "0.5"), 0, "good is better than 0.5"),
        ("bad", ("--above", "0.5"), 4, "bad is worse than 0.5"),
        ("fair", ("--above", "0.5"), 3, "this was the last look, and no claim can be made"),
        (
            "good",
            ("--baseline", "half.csv"),
            0,
            "good is better than half (0.498 on the whole pool)",
        ),
    ],
)
def test_a_gate_ends_by_its_verdict(
    folder: Path, name: str, options: tuple[str, str], code: int, said: str
) -> None:
    rest = (options[0], folder / options[1]) if options[1].endswith(".csv") else options
    found = run("gate", folder / "bench.ttl", folder / f"{name}.jsonl", *rest, "--no-record")
    assert found.exit_code == code, found.output
    assert said in found.output
    assert ("quote the interval" in found.output) == (code != 3)


def test_a_gate_keeps_plan_and_looks_and_no_later_try_opens_a_look_again(
    folder: Path, tmp_path: Path
) -> None:
    """Killed in the middle, looked at, asked again.

    The look stands, though the failures now have answers.
    """
    benchmark = qg.load_benchmark(folder / "bench.ttl")
    path = answer(tmp_path / "mine.jsonl", benchmark, 6, upto=41)
    first = run("gate", folder / "bench.ttl", path, "--above", "0.5", "--format", "csv")
    assert first.exit_code == 3
    plan, *looks = read_looks(path)
    assert [one["n"] for one in looks] == [30, 40]
    assert plan["plan"]["sizes"] == [30, 40, 60, 85, 120]
    with open_journal(path) as journal:
        for question in benchmark.questions:
            if question.answers is not None and question.answers.values():
                journal.add(Response(question.id, "answered", question.answers))
    run("gate", folder / "bench.ttl", path, "--above", "0.5")
    assert list(read_looks(path))[1:3] == looks
    assert len(read_looks(path)) > 3


def test_another_plan_for_the_same_journal_is_refused(folder: Path, tmp_path: Path) -> None:
    path = answer(tmp_path / "mine.jsonl", qg.load_benchmark(folder / "bench.ttl"), 5, upto=50)
    assert run("gate", folder / "bench.ttl", path, "--above", "0.5").exit_code == 3
    for other in (
        ("--above", "0.4"),
        ("--above", "0.5", "--max", "90"),
        ("--baseline", folder / "half.csv"),
        # these decide what is right as much as --match does
        ("--above", "0.5", "--match", "contains", "--extract", "last-line"),
        ("--above", "0.5", "--same-as", "offline"),
        ("--above", "0.5", "--extract", "raw"),
    ):
        found = run("gate", folder / "bench.ttl", path, *other)
        assert isinstance(found.exception, qg.UsageError)
        assert "was looked at under another plan" in str(found.exception)
    assert len(read_looks(path)) == 3


@pytest.mark.parametrize("form", ["gz", "table"])
def test_where_looks_cannot_be_kept_a_note_says_so(
    folder: Path, tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = (folder / "bad.jsonl").read_bytes()
    if form == "table":
        ids = [question.id for question in qg.load_benchmark(folder / "bench.ttl").questions]
        (tmp_path / "run.csv").write_text(
            "id,answer\n" + "".join(f"{name},nothing\n" for name in ids)
        )
        name = "run.csv"
    else:
        (tmp_path / "run.jsonl.gz").write_bytes(gzip.compress(data))
        name = "run.jsonl.gz"
    found = CliRunner().invoke(cli, ["gate", str(folder / "bench.ttl"), name, "--above", "0.9"])
    assert found.exit_code == 4, found.output
    assert "the plan and the looks cannot be kept there" in found.output
    assert {path.name for path in tmp_path.iterdir()} <= {"run.csv", "run.jsonl.gz"}


def test_failures_keep_their_place_and_their_score(folder: Path, tmp_path: Path) -> None:
    benchmark = qg.load_benchmark(folder / "bench.ttl")
    path = answer(tmp_path / "mine.jsonl", benchmark, 0, upto=45)
    found = gate(folder / "bench.ttl", path, above=0.5)
    assert (found.verdict, found.asked) == ("worse", 45)


def test_a_gap_ends_the_beginning(folder: Path, tmp_path: Path) -> None:
    benchmark = qg.load_benchmark(folder / "bench.ttl")
    path = answer(tmp_path / "mine.jsonl", benchmark, 9, skip=[35])
    found = gate(folder / "bench.ttl", path, above=0.9)
    assert found.asked == 35
    assert [int(n) for n in found.table["questions"]] == [30]
    assert found.next_look == 40


def test_the_picture_and_the_path_of_a_run(folder: Path, tmp_path: Path) -> None:
    found = run(
        "gate",
        folder / "bench.ttl",
        folder / "good.jsonl",
        "--above",
        "0.5",
        "--no-record",
        "--plot",
        tmp_path / "p.svg",
    )
    assert found.exit_code == 0
    assert b"look that stops: better" in (tmp_path / "p.svg").read_bytes()
    path = gate(folder / "bench.ttl", folder / "fair.jsonl", above=0.5, record=False).path()
    assert path["questions"].iloc[-1] == 120
    assert (path["low"] <= path["estimate"]).all()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("hybrid.ttl", "good.jsonl", "--above", "0.5"),
            "have no order whose every prefix is a sample",
        ),
        (("bench.ttl", "good.jsonl"), "either --baseline SYSTEM or --above SCORE"),
        (
            ("bench.ttl", "good.jsonl", "--above", "0.5", "--baseline", "half.csv"),
            "either --baseline SYSTEM or --above",
        ),
        (
            ("bench.ttl", "good.jsonl", "--above", "0.5", "--max", "500"),
            "the benchmark has 120 questions",
        ),
        (
            ("bench.ttl", "good.jsonl", "--above", "0.5", "--max", "20"),
            "too few to look before the end",
        ),
        (
            ("bench.ttl", "good.jsonl", "--baseline", "nobody"),
            "give a CSV file with the scores of one system",
        ),
    ],
)
def test_what_cannot_be_looked_at_is_refused(
    folder: Path, arguments: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(qg.UsageError) as caught:
        CliRunner().invoke(cli, ["gate", *arguments], catch_exceptions=False, standalone_mode=False)
    assert said in str(caught.value)


def equal_to_good(folder: Path, path: Path, upto: int, rounding: float = 0.0) -> Path:
    """Write a baseline with the scores of the good run on the first questions of the order."""
    benchmark = qg.load_benchmark(folder / "bench.ttl")
    scored = qg.score(benchmark, folder / "good.jsonl").counts["f1"].to_numpy()
    own = pd.read_csv(folder / "half.csv", index_col=0)
    first = [question.iri for question in benchmark.questions][:upto]
    own.loc[first, "half"] = abs(scored[:upto] - rounding)
    own.to_csv(path)
    return path


@pytest.mark.parametrize("rounding", [0.0, 0.004])
@pytest.mark.parametrize("beside", [False, True])
def test_a_change_that_changes_nothing_is_no_difference(
    folder: Path, tmp_path: Path, rounding: float, beside: bool
) -> None:
    same = equal_to_good(folder, tmp_path / "same.csv", 120, rounding)
    gate = ("gate", folder / "bench.ttl", folder / "good.jsonl", "--no-record")
    known = ("--others", same, "--baseline", "half") if beside else ("--baseline", same)
    found = run(*gate, *known)
    assert found.exit_code == 3, found.output
    assert "no difference after 120 of at most 120 questions: good and half" in found.stderr
    assert found.stderr.endswith("this was the last look, and no claim can be made\n")


def test_a_change_that_changes_nothing_on_the_whole_pool_is_no_difference(tmp_path: Path) -> None:
    gold = [{"id": f"{n}", "question": f"What is {n}?", "answers": [f"{n}"]} for n in range(60)]
    bench = qg.sample(gold, 60, method="random")
    answers = {f"{n}": f"{n if n % 3 else 7}" for n in range(60)}
    known = qg.score(gold, answers).counts[["f1"]].rename(columns={"f1": "old"})
    found = gate(bench, answers, others=known, above="old")
    assert (found.verdict, found.equal, found.table["difference"].iloc[-1]) == (
        "undecided",
        True,
        0.0,
    )


def test_one_of_the_others_that_is_the_run_is_refused(folder: Path, tmp_path: Path) -> None:
    same = equal_to_good(folder, tmp_path / "same.csv", 120)
    with pytest.raises(qg.UsageError, match="half has the same score as the run on all"):
        gate(folder / "bench.ttl", folder / "good.jsonl", others=same, above=0.5, record=False)


def test_a_baseline_that_equals_the_run_at_the_first_look_only_is_another_system(
    folder: Path, tmp_path: Path
) -> None:
    before = equal_to_good(folder, tmp_path / "before.csv", 45)
    found = gate(folder / "bench.ttl", folder / "good.jsonl", above=before, record=False)
    assert found.table["questions"].tolist()[:2] == [30, 40]
    assert found.table["verdict"].tolist()[:2] == ["", ""]


def test_two_runs_are_compared_where_both_have_answers(folder: Path, tmp_path: Path) -> None:
    benchmark = qg.load_benchmark(folder / "bench.ttl")
    short = answer(tmp_path / "short.jsonl", benchmark, 9, upto=45)
    found = run("compare", folder / "bench.ttl", short, folder / "bad.jsonl", "--sequential")
    assert found.exit_code == 0
    assert "short is better than bad after 30 of at most 120 questions" in found.output
    three = run(
        "compare",
        folder / "bench.ttl",
        short,
        folder / "bad.jsonl",
        folder / "fair.jsonl",
        "--sequential",
    )
    assert isinstance(three.exception, qg.UsageError)


@pytest.mark.parametrize("option", [("--by", "answerType"), ("--weighted",), ("--by-question",)])
def test_slices_and_weights_are_no_matter_of_looks(folder: Path, option: tuple[str, ...]) -> None:
    found = run(
        "compare",
        folder / "bench.ttl",
        folder / "good.jsonl",
        folder / "bad.jsonl",
        "--sequential",
        *option,
    )
    assert f"{option[0]} has no effect here" in found.stderr


@pytest.mark.parametrize(
    ("verb", "runs", "options"),
    [("gate", ["good"], ["--above", "0.5", "--no-record"]), ("race", ["good", "bad"], [])],
)
def test_weights_are_no_matter_of_questions_in_random_order(
    folder: Path, verb: str, runs: list[str], options: list[str]
) -> None:
    files = [folder / f"{name}.jsonl" for name in runs]
    found = run(verb, folder / "bench.ttl", *files, *options, "--weighted")
    assert "--weighted has no effect here" in found.stderr


def test_a_race_of_the_systems_in_one_file(tmp_path: Path) -> None:
    questions = [{"id": at, "question": f"Who is {at}?", "answer": "Ann"} for at in range(120)]
    (tmp_path / "gold.json").write_text(json.dumps(questions))
    rows = "".join(f"{at},good,Ann\n{at},bad,Bo\n" for at in range(120))
    (tmp_path / "both.csv").write_text(f"id,system,answer\n{rows}")
    (tmp_path / "one.csv").write_text("id,answer\n" + "".join(f"{at},Ann\n" for at in range(120)))
    bench = tmp_path / "bench.ttl"
    drawn = run("sample", tmp_path / "gold.json", "-m", "random", "-n", "100", "-o", bench)
    assert drawn.exit_code == 0, drawn.output
    assert "good is the best" in run("race", bench, tmp_path / "both.csv").stderr
    alone = run("race", bench, tmp_path / "one.csv")
    assert "at least two runs" in str(alone.exception)


def test_a_race_names_the_best_and_says_whom_to_ask(folder: Path, tmp_path: Path) -> None:
    benchmark = qg.load_benchmark(folder / "bench.ttl")
    runs = [folder / f"{name}.jsonl" for name in ("bad", "good", "fair")]
    found = race(folder / "bench.ttl", runs)
    assert found.alive == ("good",)
    assert found.calls < found.full == 360
    short = [
        answer(tmp_path / f"{name}.jsonl", benchmark, right, upto=35)
        for name, right in (("one", 6), ("two", 5))
    ]
    going = race(folder / "bench.ttl", short)
    assert going.next_look == 40
    assert "ask one, two up to question 40" in going.sentence


def test_an_unfinished_journal_is_estimated_from_its_complete_beginning(
    folder: Path, tmp_path: Path
) -> None:
    benchmark = qg.load_benchmark(folder / "bench.ttl")
    whole = answer(tmp_path / "whole.jsonl", benchmark, 5, upto=70)
    gap = answer(tmp_path / "gap.jsonl", benchmark, 5, upto=80, skip=[70, 71])
    found = qg.estimate(folder / "bench.ttl", [whole, gap])
    rows = found.table.set_index("run")
    assert rows["questions"].to_dict() == {"whole": 70, "gap": 70, "whole - gap": 70}
    assert rows["estimate"].to_dict()["whole"] == rows["estimate"].to_dict()["gap"]
    assert any(
        "gap was asked the first 70 of 120 questions" in note and "8 later answers" in note
        for note in found.notes
    )


def test_questions_that_are_not_scored_have_no_place_in_the_order(folder: Path) -> None:
    """The others keep their order, and the pool its size."""
    gold = qg.load_benchmark(folder / "bench.ttl")
    scored = qg.score(gold, folder / "fair.jsonl", match="contains")
    scored = dataclasses.replace(scored, counts=scored.counts.iloc[1:])
    found = qg.estimate(gold, [scored])
    assert found.table["questions"].iloc[0] == len(scored.counts) < 120
    assert gate(gold, scored, above=0.1).asked == len(scored.counts)


def test_a_journal_without_the_first_question_says_so(folder: Path, tmp_path: Path) -> None:
    path = answer(tmp_path / "late.jsonl", qg.load_benchmark(folder / "bench.ttl"), 5, skip=[0])
    with pytest.raises(qg.DataError, match="was not asked, so no prefix is complete"):
        qg.estimate(folder / "bench.ttl", [path])


def test_a_baseline_sharpens_an_estimate(folder: Path) -> None:
    found = qg.estimate(folder / "bench.ttl", [folder / "fair.jsonl"], baseline=folder / "half.csv")
    assert found.table["estimator"].tolist() == ["sample", "with others"]
    assert "Wilson, plus 2" in found.table["method"].iloc[1]


@pytest.mark.parametrize("verb", [("compare", "--sequential"), ("race",)])
def test_looks_at_several_runs_stand_in_their_record(
    folder: Path, tmp_path: Path, verb: tuple[str, ...]
) -> None:
    benchmark = qg.load_benchmark(folder / "bench.ttl")
    gold = {one.id: one.answers for one in benchmark.questions}
    two = answer(tmp_path / "two.jsonl", benchmark, 5, 60)
    one = answer(tmp_path / "one.jsonl", benchmark, 6, 60)
    call = [verb[0], str(folder / "bench.ttl"), str(one), str(two), *verb[1:], "--format", "csv"]
    kept = ["--record", str(tmp_path / "looks.json")]
    first = run(*call, *kept)
    assert first.exit_code == 0, first.output
    assert "not kept" not in first.stderr
    failed = [name for name, r in qg.read_run(two).responses.items() if r.status == "failed"]
    with open_journal(two) as journal:
        for name in failed:
            journal.add(Response(name, "answered", gold[name]))
    again, afresh = run(*call, *kept), run(*call)
    assert again.stdout == first.stdout
    assert afresh.stdout != first.stdout
    assert "these looks are not kept" in afresh.stderr
    for path in (one, two):
        with open_journal(path) as journal:
            for question in benchmark.questions[60:]:
                journal.add(Response(question.id, "answered", question.answers))
    later = run(*call, *kept)
    if verb[0] == "compare":
        looks = first.stdout.splitlines()
        assert later.stdout.splitlines()[: len(looks)] == looks
    other = run(*call, *kept, "--max", "90")
    assert isinstance(other.exception, qg.UsageError)
    assert "was looked at under another plan" in str(other.exception)


@pytest.mark.parametrize(
    "text", ["", "[]", '{"plan": 1, "scores": {}}', '{"plan": {}, "scores": {"a": [2]}}']
)
def test_a_record_that_is_none_is_refused(folder: Path, tmp_path: Path, text: str) -> None:
    path = tmp_path / "looks.json"
    path.write_text(text)
    runs = (folder / "good.jsonl", folder / "bad.jsonl")
    found = run("race", folder / "bench.ttl", *runs, "--record", path)
    assert isinstance(found.exception, qg.DataError)
    assert "is not a record of looks" in str(found.exception)
    assert path.read_text() == text


def looked_at(tmp_path: Path, folder: Path, right: int, silent: int, *options: str) -> Result:
    """Gate a journal that is silent on so many of twenty questions, and right on so many of ten."""
    benchmark = qg.load_benchmark(folder / "bench.ttl")
    path = tmp_path / "mine.jsonl"
    with open_journal(path) as journal:
        for at, question in enumerate(benchmark.questions):
            given = question.answers if (at * 7) % 10 < right else qg.Answers(texts=(("no",),))
            if (at * 7) % 20 < silent:
                journal.add(Response(question.id, "failed", error="no"))
            else:
                journal.add(Response(question.id, "answered", given))
    return run("gate", folder / "bench.ttl", path, "--above", "0.3", *options)


@pytest.mark.parametrize(
    ("silent", "coverage", "code", "said"),
    [
        (0, "0.9", 0, "100.0% are answered, between"),
        (1, "0.95", 3, "this was the last look, and no claim can be made"),
        (8, "0.9", 4, "mine answers too few questions after 30 of at most 120 questions; 56.7%"),
    ],
)
def test_a_gate_wants_enough_answers(
    folder: Path, tmp_path: Path, silent: int, coverage: str, code: int, said: str
) -> None:
    found = looked_at(tmp_path, folder, 9, silent, "--coverage", coverage)
    assert found.exit_code == code, found.output
    assert said in found.stderr


def test_a_coverage_is_part_of_the_plan_and_kept_with_the_looks(
    folder: Path, tmp_path: Path
) -> None:
    first = looked_at(tmp_path, folder, 9, 0, "--coverage", "0.8", "--format", "csv")
    kept = read_looks(tmp_path / "mine.jsonl")
    assert kept[0]["plan"]["coverage"] == 0.8
    assert kept[-1]["answered"] == 1.0
    gate = ("gate", folder / "bench.ttl", tmp_path / "mine.jsonl", "--above", "0.3")
    assert run(*gate, "--coverage", "0.8", "--format", "csv").stdout == first.stdout
    with pytest.raises(qg.UsageError, match=r"under another plan \(coverage"):
        cli.main([str(one) for one in (*gate, "--coverage", "0.5")], standalone_mode=False)


def test_on_the_whole_pool_exactly_the_coverage_is_enough() -> None:
    gold = [{"id": f"{n}", "question": f"What is {n}?", "answers": [f"{n}"]} for n in range(60)]
    bench = qg.sample(gold, 60, method="random")
    answers = {f"{n}": f"{n}" if n < 54 else "" for n in range(60)}  # 90 %
    assert gate(bench, answers, above=0.85, coverage=0.9).verdict == "better"
    assert gate(bench, answers, above=0.85, coverage=0.91).verdict == "worse"


@pytest.mark.parametrize("coverage", [0.0, 1.5, "much"])
def test_a_coverage_that_is_no_share_is_refused(coverage: float) -> None:
    gold = [{"id": f"{n}", "question": f"What is {n}?", "answers": [f"{n}"]} for n in range(60)]
    with pytest.raises(qg.UsageError, match=r"coverage is .*; expected a number between 0 and 1"):
        gate(qg.sample(gold, 40, method="random"), {"1": "1"}, above=0.4, coverage=coverage)
