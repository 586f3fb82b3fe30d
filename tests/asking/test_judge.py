"""A judge.

Who is asked what, what counts as a verdict, what is paid for, and what is said of the result.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from calls import skip_without
from click.testing import CliRunner, Result
from live_servers import LiveServer, Seen, chat

import qaldgen as qg
from qaldgen.asking.judge import verdict_of
from qaldgen.cli.main import cli
from qaldgen.model import Answers, Cell

TOTAL = 30


def said(at: int) -> str:
    return "I do not know such a rock." if at % 5 == 0 else f"It is Moon {at}."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Thirty questions, and answers in words of which every fifth is wrong."""
    questions = [
        {"id": f"q{at}", "question": f"Which moon is number {at}?", "answers": [f"Moon {at}"]}
        for at in range(TOTAL)
    ]
    (tmp_path / "gold.json").write_text(json.dumps(questions))
    (tmp_path / "run.json").write_text(json.dumps({f"q{at}": said(at) for at in range(TOTAL)}))
    return tmp_path


def reply_to(prompt: str) -> str:
    """Judge as a strict model would: every seventh reply is too wordy to be a verdict."""
    gold = prompt.partition("Gold answer: ")[2].splitlines()[0]
    answer = prompt.partition("Answer to judge: ")[2].splitlines()[0]
    if gold.endswith("7"):
        return "Well, I think that it is yes."
    return "Yes." if gold in answer else "no"


@pytest.fixture
def server() -> Iterator[LiveServer]:
    def answer(seen: Seen) -> object:
        return chat(reply_to(seen.json["messages"][0]["content"]))

    with LiveServer(answer).running() as one:
        yield one


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(one) for one in arguments])


def judged(folder: Path, server: LiveServer, *options: str | Path, model: str = "tiny") -> Result:
    who = ("--judge", f"openai:{server.url}/v1", "--judge-model", model)
    kept = ("--judge-journal", folder / "judge.jsonl")
    return guesses_judged(folder, *who, *kept, "--judge-all", *options)


def guesses_judged(folder: Path, *options: str | Path) -> Result:
    return run("score", folder / "gold.json", folder / "run.json", "--match", "judge", *options)


def labelled(folder: Path) -> Path:
    skip_without("label")
    sheet = folder / "w.csv"
    run("label", folder / "gold.json", folder / "run.json", "-n", "20", "-o", sheet)
    rows = list(csv.DictReader(io.StringIO(sheet.read_text())))
    for row in rows:
        row["label"] = "n" if "rock" in row["answer"] else "y"
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    sheet.write_text(out.getvalue())
    return sheet


@pytest.mark.parametrize(
    ("reply", "worth"),
    [
        ("yes", 1.0),
        ("No.", 0.0),
        ("**Partly**", 0.5),
        ("<think>Is it? No, ...</think>\nyes", 1.0),
        ('{"verdict": "partly", "why": "one of two"}', 0.5),
        ('```json\n{"verdict": false}\n```', 0.0),
        ("", None),
        ("Yes, it is right.", None),
        ("yes no", None),
        ("yes\nno", None),
        ("correct", None),
        ('{"answer": "yes"}', None),
        ('{"verdict": 1}', None),
        ('{"verdict": "yes"', None),
        ("<think>yes", None),
    ],
)
def test_a_verdict_is_yes_no_or_partly_and_nothing_else(reply: str, worth: float | None) -> None:
    assert verdict_of(Answers(texts=((reply,),))) == worth


def test_a_truth_value_is_a_verdict_and_entities_are_none() -> None:
    assert verdict_of(Answers(boolean=True)) == 1.0
    row = (Cell("uri", "http://x.org/yes"),)
    assert verdict_of(Answers(variables=("a",), rows=(row,))) is None


def test_nothing_is_asked_twice_and_a_new_answer_is_asked_alone(
    folder: Path, server: LiveServer
) -> None:
    assert judged(folder, server).exit_code == 0
    assert len(server.requests) == TOTAL
    again = judged(folder, server)
    assert (again.exit_code, len(server.requests)) == (0, TOTAL)
    answers = json.loads((folder / "run.json").read_text()) | {"q3": "It is Moon 33."}
    (folder / "run.json").write_text(json.dumps(answers))
    judged(folder, server)
    assert len(server.requests) == TOTAL + 1
    assert "Moon 33" in server.requests[-1].json["messages"][0]["content"]


def hedge(folder: Path, *names: str) -> None:
    answers = json.loads((folder / "run.json").read_text())
    answers |= {name: f"Perhaps it is Moon {name[1:]}." for name in names}
    (folder / "run.json").write_text(json.dumps(answers))


def test_a_judge_is_asked_about_guesses_and_the_sure_verdicts_are_those_of_the_matcher(
    folder: Path, server: LiveServer
) -> None:
    hedge(folder, "q3", "q10", "q17")
    who = ("--judge", f"openai:{server.url}/v1", "--judge-model", "tiny")
    found = guesses_judged(
        folder, *who, "--judge-journal", folder / "j.jsonl", "-q", "--format", "csv"
    )
    assert found.exit_code == 0, found.output
    rows = {row["id"]: row for row in csv.DictReader(io.StringIO(found.stdout))}
    assert len(server.requests) == 3
    # the judge fails on q17; q5 is surely wrong and q7 surely right without it
    scores = [rows[name]["judge_f1"] for name in ("q3", "q5", "q7", "q17")]
    assert scores == ["1.0", "0.0", "1.0", "0.0"]
    assert rows["q17"]["status"] == "not judged"
    assert f"about guesses: 3 of {TOTAL} answers; the other verdicts are sure ones" in found.stderr


def test_guesses_that_the_budget_leaves_keep_the_best_guess_and_are_marked(
    folder: Path, server: LiveServer
) -> None:
    hedge(folder, *(f"q{at}" for at in range(TOTAL)))
    prices = ("--judge-option", "price-in=1000000", "--judge-option", "price-out=0")
    limits = ("--judge-option", "max_tokens=1", "--judge-option", "budget=1100")
    who = ("--judge", f"openai:{server.url}/v1", "--judge-model", "tiny", "--judge-journal")
    found = guesses_judged(
        folder, *who, folder / "j.jsonl", *prices, *limits, "-q", "--format", "csv"
    )
    left = TOTAL - len(server.requests)
    assert 0 < left < TOTAL
    rows = list(csv.DictReader(io.StringIO(found.stdout)))
    marked = [row for row in rows if row["rule"] == "a guess: the judge was not asked"]
    assert len(marked) == left
    assert {row["judge_f1"] for row in marked} == {"1.0"}
    assert f"{left} answers without a verdict of the judge, who was not asked, keep" in found.stderr


def test_a_replay_asks_nobody(folder: Path) -> None:
    hedge(folder, "q3")
    verdicts = qg.judge(folder / "gold.json", folder / "run.json", lambda text: "yes",
        journal=folder / "j.jsonl")  # fmt: skip
    assert "asked now: 1" in verdicts.notes[1]
    again = qg.judge(folder / "gold.json", folder / "run.json", f"recorded:{folder / 'j.jsonl'}")
    assert "; replayed: 1" in again.notes[1]


@pytest.mark.parametrize("option", ["--match", "--proxy"])
def test_a_missing_judge_is_asked_for_by_the_option_that_was_given(
    folder: Path, option: str
) -> None:
    labels = ("--labels", labelled(folder)) if option == "--proxy" else ()
    files = folder / "gold.json", folder / "run.json"
    found = run("score", *files, option, "judge", *labels)
    assert str(found.exception).startswith(f"{option} judge needs a judge: name the system with")


def test_a_judge_has_nothing_to_do_where_every_verdict_is_sure(folder: Path) -> None:
    verdicts = qg.judge(folder / "gold.json", folder / "run.json", lambda text: 1 / 0)
    assert len(verdicts.found) == TOTAL
    assert f"about guesses: 0 of {TOTAL} answers" in verdicts.notes[0]


def test_a_judge_sees_question_gold_and_answer_and_no_id(folder: Path, server: LiveServer) -> None:
    judged(folder, server)
    text = server.requests[1].json["messages"][0]["content"]
    for part in ("Which moon is number 1?", "Gold answer: Moon 1\n", "judge: It is Moon 1."):
        assert part in text
    assert "q1" not in text


def test_a_reply_that_is_no_verdict_is_neither_right_nor_wrong(
    folder: Path, server: LiveServer
) -> None:
    found = judged(folder, server, "-q", "--format", "csv")
    rows = {row["id"]: row for row in csv.DictReader(io.StringIO(found.stdout))}
    silent = {name for name, row in rows.items() if row["status"] == "not judged"}
    assert silent == {"q7", "q17", "q27"}
    assert rows["q1"]["judge_f1"] == "1.0"
    assert rows["q5"]["judge_f1"] == "0.0"
    assert "failed: 3 (first: q7: the reply is not a verdict" in found.stderr
    assert "not judged: 3 of 30 questions (first: q7)" in found.stderr
    assert "macro F1 lies between" in found.stderr
    kept = [json.loads(line) for line in (folder / "judge.jsonl").read_text().splitlines()]
    assert next(one for one in kept if one["id"].startswith("q7~"))["raw"].startswith("Well, I")


def test_without_labels_every_table_says_that_a_judge_spoke(
    folder: Path, server: LiveServer
) -> None:
    text = judged(folder, server)
    assert "run (judge, unchecked)" in text.stdout
    assert "are the verdicts of a judge here, not the truth" in text.stderr
    table = judged(folder, server, "--format", "csv").stdout.splitlines()
    assert "judge_value" in table[0].split(",")
    assert "value" not in table[0].split(",")


def test_labels_correct_a_judge_and_plan_more_labels(folder: Path, server: LiveServer) -> None:
    sheet = labelled(folder)
    found = judged(folder, server, "--labels", sheet, "--format", "json")
    assert found.exit_code == 0, found.output
    alone, corrected = json.loads(found.stdout)
    assert corrected["estimator"] == "with judge"
    assert corrected["agreement"] == 1.0
    # labels alone speak for strata by the verdict of the rules, which is as good as the judge here
    assert corrected["high"] - corrected["low"] <= alone["high"] - alone["low"]
    assert "not the truth" not in found.stderr
    pairs = folder / "pairs.csv"
    judged(folder, server, "--labels", sheet, "-q", "--format", "csv", "-o", pairs)
    assert len(server.requests) == TOTAL
    plan = run("plan", pairs, "--labels", "label", "--pool", "2000", "--format", "csv")
    needed = {row["verdict"]: row for row in csv.DictReader(io.StringIO(plan.stdout))}
    assert float(needed["judge"]["agreement"]) == 1.0
    assert int(needed["judge"]["labels"]) < int(needed["none"]["labels"])


def test_what_the_judge_costs_is_kept_and_limited(folder: Path, server: LiveServer) -> None:
    prices = ("--judge-option", "price-in=1000000", "--judge-option", "price-out=0")
    size = ("--judge-option", "max_tokens=1")
    # a message may cost about 800, for each byte may be a token, and costs 40 in the end
    found = judged(folder, server, *prices, *size, "--judge-option", "budget=1100")
    assert 0 < len(server.requests) < TOTAL
    assert "the judge stopped early: the budget of 1100 allows no further question" in found.stderr
    assert "since the judge failed there" in found.stderr
    before = len(server.requests)
    whole = judged(folder, server, *prices, *size, "--judge-option", "budget=20000")
    assert len(server.requests) == TOTAL
    assert before < TOTAL
    assert f"; cost: {40 * TOTAL:g}" in whole.stderr


def test_a_judge_that_is_down_ends_the_run_and_goes_on_later(folder: Path) -> None:
    down = True

    def answer(seen: Seen) -> object:
        if down and len(one.requests) > 8:
            return (401, {}, {"error": "no"})
        return chat(reply_to(seen.json["messages"][0]["content"]))

    with LiveServer(answer).running() as one:
        found = judged(folder, one)
        assert isinstance(found.exception, qg.DataError)
        assert "the judge: the run was aborted" in str(found.exception)
        down = False
        assert judged(folder, one).exit_code == 0
        assert len(one.requests) == 9 + TOTAL - 8


def test_a_journal_of_another_model_or_template_is_refused(
    folder: Path, server: LiveServer
) -> None:
    judged(folder, server)
    (folder / "mine.j2").write_text("{{ question }} {{ gold }}: is {{ answer }} right?")
    for found in (
        judged(folder, server, model="large"),
        judged(folder, server, "--judge-template", folder / "mine.j2"),
    ):
        assert isinstance(found.exception, qg.UsageError)
        assert "is a journal of" in str(found.exception)
    assert len(server.requests) == TOTAL


@pytest.mark.parametrize(
    ("template", "told"),
    [
        ("{{ question }}", "does not show the answer"),
        ("{{ answer }} {{ options }}", "it knows question, gold, answer and language"),
        ("{{ answer", "mine.j2, line 1"),
    ],
)
def test_a_template_that_does_not_work_is_refused_before_anything_is_sent(
    folder: Path, server: LiveServer, template: str, told: str
) -> None:
    (folder / "mine.j2").write_text(template)
    found = judged(folder, server, "--judge-template", folder / "mine.j2")
    assert isinstance(found.exception, qg.UsageError)
    assert told in str(found.exception)
    assert not server.requests


def test_functions_judge_and_partly_is_half(folder: Path) -> None:
    async def half(identifier: str, text: str) -> str:
        assert identifier.startswith("q")
        assert "~" not in identifier
        return "partly"

    verdicts = qg.judge(folder / "gold.json", folder / "run.json", half, jobs=4, judge_all=True)
    assert verdicts.judge == "half in en"
    scores = qg.score(folder / "gold.json", folder / "run.json", match=verdicts)
    assert scores.counts["f1"].tolist() == [0.5] * TOTAL
    assert scores.match == "judge"
    assert any("not the truth" in note for note in scores.notes)


def test_recorded_verdicts_count_by_question_only_where_one_answer_is_meant(folder: Path) -> None:
    (folder / "verdicts.json").write_text(json.dumps({f"q{at}": "yes" for at in range(TOTAL)}))
    who = f"recorded:{folder / 'verdicts.json'}"
    one = qg.judge(folder / "gold.json", folder / "run.json", who, judge_all=True)
    assert len(one.found) == TOTAL
    other = json.loads((folder / "run.json").read_text()) | {"q3": "It is Moon 33."}
    (folder / "other.json").write_text(json.dumps(other))
    runs = [folder / "run.json", folder / "other.json"]
    both = qg.judge(folder / "gold.json", runs, who, judge_all=True)
    assert len(both.found) == TOTAL - 1
    assert "failed: 2 (first: q3: " in both.notes[0]


def test_a_failure_of_the_system_is_wrong_and_nobody_is_asked(folder: Path) -> None:
    (folder / "run.jsonl").write_text(
        '{"id": "q0", "status": "failed", "answers": null, "error": "down"}\n'
        '{"id": "q1", "status": "answered", "answers": {"texts": [["Moon 1"]]}}\n'
    )
    asked = []

    def judge(text: str) -> bool:
        asked.append(text)
        return True

    verdicts = qg.judge(folder / "gold.json", folder / "run.jsonl", judge, judge_all=True)
    assert len(asked) == 1
    scores = qg.score(folder / "gold.json", folder / "run.jsonl", match=verdicts)
    assert scores.counts["f1"].sum() == 1.0
    assert "not judged" not in scores.statuses()


def test_a_report_states_judge_and_template(folder: Path, server: LiveServer) -> None:
    judged(folder, server)
    page = folder / "page.html"
    who = ("--match", "judge", "--judge", f"recorded:{folder / 'judge.jsonl'}", "--judge-all")
    found = run("report", folder / "gold.json", folder / "run.json", *who, "-o", page)
    assert found.exit_code == 0, found.output
    text = page.read_text()
    for part in ("judge@", "You judge whether an answer to a question is right", "not the truth"):
        assert part in text


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--match", "judge"), "name the system with --judge"),
        (("--match", "judge", "--judge", "python:a:b"), "--judge-journal FILE"),
        (("--match", "judge", "--judge", "recorded:x", "--judge-journal", "y"), "only read"),
        (
            ("--match", "judge", "--judge", "python:a:b", "--judge-option", "jobs=many"),
            "--judge-option jobs: 'many' is not a whole number",
        ),
        (
            ("--match", "judge", "--judge", "python:a:b", "--judge-journal", "run.json"),
            "run.json",
        ),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], told: str
) -> None:
    monkeypatch.chdir(folder)
    found = run("score", "gold.json", "run.json", *options)
    assert isinstance(found.exception, qg.UsageError)
    assert told in str(found.exception)
