"""No rule of stopping misreads answers in words to questions with gold of a knowledge graph."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import qaldgen as qg
from qaldgen.answers.interim_looks import read_looks
from qaldgen.answers.journal import open_journal
from qaldgen.answers.record import Response
from qaldgen.cli.main import cli
from qaldgen.model import Answers, Question
from qaldgen.plugins.stopping import gate, stop_rule
from qaldgen.plugins.stopping.rule import StopRule
from qaldgen.selection.vectors import Vectors

EXAMPLE = Path(__file__).resolve().parents[3] / "examples"
SIZE = 120


def in_words(question: Question) -> Answers:
    """Say the gold answer of a knowledge graph as a language model does."""
    gold = question.answers
    assert gold is not None
    if gold.boolean is not None:
        return Answers(texts=(("Yes, it is." if gold.boolean else "No, it is not.",),))
    names = [value.rpartition("/")[2].replace("_", " ").split(" (")[0] for value in gold.values()]
    return Answers(texts=((f"The answer is {', '.join(names)}.",),))


def wrong(question: Question) -> Answers:
    return Answers(texts=(("The answer is Atlantis.",),))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, few_features: Vectors) -> Path:
    """A benchmark, and runs in words that are right on nine, six and two of ten questions."""
    path = tmp_path_factory.mktemp("words")
    qg.sample(few_features, SIZE, method="lpm").save(path / "bench.ttl")
    everything = qg.load(EXAMPLE / "questions.json").questions
    for name, right in (("good", 9), ("fair", 6), ("bad", 2)):
        record(path / f"{name}.jsonl", everything, right)
    for name in ("fair", "bad"):
        given = (EXAMPLE / "questions.json", path / f"{name}.jsonl")
        scores = run("score", *given, "-q", "--format", "csv")
        (path / f"{name}.csv").write_text(scores.stdout, encoding="utf-8")
    return path


def record(path: Path, questions: tuple[Question, ...], right: int) -> Path:
    with open_journal(path) as journal:
        for question in questions:
            # by the id, so that a question has the same answer in every order
            good = int(question.id) * 7 % 10 < right
            answers = in_words(question) if good else wrong(question)
            journal.add(Response(question.id, "answered", answers))
    return path


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(one) for one in arguments])


def ask(folder: Path, system: str, journal: Path, *options: str | Path) -> Result:
    where = ("--system", f"recorded:{folder / system}.jsonl", "-o", journal, "--no-times")
    return run("ask", folder / "bench.ttl", *where, *options)


def planned(journal: Path) -> object:
    """Return by which rules a plan judges."""
    return read_looks(journal)[0]["plan"]["match"]


@pytest.mark.parametrize(("system", "code"), [("good", 0), ("bad", 4)])
def test_a_threshold_decides_while_asking(
    folder: Path, tmp_path: Path, system: str, code: int
) -> None:
    journal = tmp_path / "mine.jsonl"
    found = ask(folder, system, journal, "--until-decided", "--above", "0.5")
    assert found.exit_code == code, found.output
    assert planned(journal) == "auto"


@pytest.mark.parametrize(("system", "code"), [("good", 0), ("fair", 3), ("bad", 4)])
@pytest.mark.parametrize("asking", [True, False])
def test_a_baseline_decides_worse_equal_and_better(
    folder: Path, tmp_path: Path, system: str, code: int, asking: bool
) -> None:
    known = ("--baseline", folder / "fair.csv")
    if asking:
        found = ask(folder, system, tmp_path / "mine.jsonl", "--until-decided", *known)
    else:
        found = run("gate", folder / "bench.ttl", folder / f"{system}.jsonl", *known, "--no-record")
    assert found.exit_code == code, found.output
    assert ("no difference" in found.output) == (system == "fair")


def test_a_precision_is_reached_for_the_score_in_words(folder: Path, tmp_path: Path) -> None:
    journal = tmp_path / "mine.jsonl"
    found = ask(folder, "good", journal, "--until", "0.08")
    assert found.exit_code == 0, found.output
    assert planned(journal) == "auto"
    last = read_looks(journal)[-1]
    assert last["low"] <= 0.9 <= last["high"]


def test_gate_goes_on_with_the_journal_of_ask_and_ask_with_that_of_gate(
    folder: Path, tmp_path: Path
) -> None:
    options = ("--above", "0.95")
    journal = tmp_path / "mine.jsonl"
    ask(folder, "good", journal, "--until-decided", *options, "--limit", "45")
    seen = read_looks(journal)
    assert len(seen) == 3
    run("gate", folder / "bench.ttl", journal, *options)
    assert read_looks(journal) == seen
    other = tmp_path / "other.jsonl"
    ask(folder, "good", other, "--limit", "45")
    run("gate", folder / "bench.ttl", other, *options)
    assert planned(other) == "auto"
    found = ask(folder, "good", other, "--until-decided", *options)
    assert not isinstance(found.exception, qg.UsageError), found.exception
    assert len(read_looks(other)) > 3


def test_a_plan_without_answers_or_with_few_of_them_holds_for_those_that_follow(
    folder: Path, tmp_path: Path
) -> None:
    early = tmp_path / "early.jsonl"
    ask(folder, "good", early, "--limit", "10")
    run("gate", folder / "bench.ttl", early, "--above", "0.5")
    assert planned(early) == "auto"
    looks = tmp_path / "looks.json"
    bad = tmp_path / "bad.jsonl"
    ask(folder, "bad", bad, "--limit", "10")
    race = ("race", folder / "bench.ttl", early, bad, "--record", looks)
    assert run(*race).exit_code == 0
    assert '"match": "auto"' in looks.read_text(encoding="utf-8")
    ask(folder, "good", early)
    ask(folder, "bad", bad)
    found = run(*race)
    assert found.exit_code == 0, found.output
    assert "early is the best" in found.output
    assert run("gate", folder / "bench.ttl", early, "--above", "0.5").exit_code == 0
    assert planned(early) == "auto"


@pytest.mark.parametrize("cut", [1, 20, 35])
def test_a_run_that_was_killed_is_judged_as_if_it_had_gone_on(
    folder: Path, tmp_path: Path, cut: int
) -> None:
    """It answers in words at first, with terms later: each answer has the matcher that fits."""
    bench = qg.load_benchmark(folder / "bench.ttl")
    gold = {question.id: question for question in bench.questions}
    order = list(gold)

    def system(name: str, text: str) -> object:
        at = order.index(name)
        if at % 3 == 0:
            return "Atlantis"
        return in_words(gold[name]).texts[0][0] if at < 32 else gold[name].answers

    def rule() -> StopRule:
        return stop_rule(bench, above=0.65)

    whole, killed = tmp_path / "whole" / "mine.jsonl", tmp_path / "mine.jsonl"
    whole.parent.mkdir()
    qg.ask(bench, system, journal=whole, stop=rule(), times=False)
    killed.write_bytes(b"".join(whole.read_bytes().splitlines(keepends=True)[: cut + 1]))
    qg.ask(bench, system, journal=killed, stop=rule(), times=False)
    assert planned(whole) == "auto"
    assert len(read_looks(whole)) > 3
    assert killed.read_bytes() == whole.read_bytes()


def test_the_looks_of_a_journal_hold_for_one_matcher(folder: Path, tmp_path: Path) -> None:
    journal = tmp_path / "mine.jsonl"
    ask(folder, "good", journal, "--until-decided", "--above", "0.5")
    same = ("gate", folder / "bench.ttl", journal, "--above", "0.5")
    assert run(*same).exit_code == 0
    found = run(*same, "--match", "gerbil")
    assert isinstance(found.exception, qg.UsageError)
    assert 'another plan (match: "auto", now "gerbil")' in str(found.exception)


def test_a_loop_of_ones_own_scores_by_rules_of_its_own(folder: Path) -> None:
    f1 = qg.score(folder / "bench.ttl", folder / "good.jsonl").counts["f1"]
    rule = stop_rule(folder / "bench.ttl", above=0.5)
    for name in rule.order:
        rule.see(name, float(f1[name]))
        if rule.stop():
            break
    assert rule.stop().startswith("better than 0.5")
    assert rule.records[0]["plan"]["match"] == "auto"


@pytest.mark.parametrize("deciding", ["ask", "gate", "rule"])
def test_a_baseline_scored_by_another_matcher_is_refused(
    folder: Path, tmp_path: Path, deciding: str
) -> None:
    terms = tmp_path / "terms.csv"
    given = (EXAMPLE / "questions.json", folder / "fair.jsonl", "--match", "gerbil")
    terms.write_text(run("score", *given, "-q", "--format", "csv").stdout, encoding="utf-8")
    journal = tmp_path / "mine.jsonl"

    def decide() -> object:
        if deciding == "rule":
            rule = stop_rule(folder / "bench.ttl", baseline=terms)
            return qg.ask(folder / "bench.ttl", f"recorded:{folder / 'good.jsonl'}", stop=rule)
        if deciding == "gate":
            found = run("gate", folder / "bench.ttl", folder / "good.jsonl", "--baseline", terms)
        else:
            found = ask(folder, "good", journal, "--until-decided", "--baseline", terms)
        assert found.exception is not None
        raise found.exception

    said = r"fair was scored by gerbil, and the run by auto"
    with pytest.raises(qg.UsageError, match=said):
        decide()


def test_a_baseline_among_the_others_is_held_to_its_matcher_too(
    folder: Path, tmp_path: Path
) -> None:
    others = tmp_path / "others.csv"
    given = (EXAMPLE / "questions.json", folder / "fair.jsonl", folder / "bad.jsonl")
    for match, code in (("auto", 0), ("exact", 2)):
        table = run("score", *given, "--match", match, "-q", "--format", "csv").stdout
        others.write_text(table, encoding="utf-8")
        gate = ("gate", folder / "bench.ttl", folder / "good.jsonl", "--no-record")
        found = run(*gate, "--others", others, "--baseline", "fair")
        refused = isinstance(found.exception, qg.UsageError)
        assert refused == bool(code), found.output


def compare_pairs(folder: Path, first: str, second: str, *options: str | Path) -> Result:
    runs = (folder / f"{first}.jsonl", folder / f"{second}.jsonl")
    return run("compare", folder / "bench.ttl", *runs, "--sequential", *options)


def test_two_runs_in_words_are_told_apart(folder: Path) -> None:
    assert "good is better than bad" in compare_pairs(folder, "good", "bad").output


@pytest.mark.parametrize(
    "said",
    [
        lambda gold: in_words(gold).texts[0][0].replace("The answer is", "It must be"),
        lambda gold: in_words(gold).texts[0][0].upper(),
    ],
)
def test_other_words_for_the_same_answers_are_no_difference(
    folder: Path, tmp_path: Path, said: Callable[[Question], str]
) -> None:
    """The kind of change that a workflow sees most: everything is right that was right before."""
    bench = qg.load_benchmark(folder / "bench.ttl")
    journal = tmp_path / "new.jsonl"
    with open_journal(journal) as kept:
        for question in bench.questions:
            good = int(question.id) * 7 % 10 < 6
            text = said(question) if good else "Atlantis, I think."
            kept.add(Response(question.id, "answered", Answers(texts=((text,),))))
    decision = gate(bench, journal, above=folder / "fair.csv", record=False)
    assert (decision.verdict, decision.equal) == ("undecided", True)
    assert decision.sentence.startswith("no difference after 120 of at most 120 questions")
