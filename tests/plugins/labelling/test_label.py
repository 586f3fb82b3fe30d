"""``label``, ``score --labels`` and ``plan --labels``.

From a sample of answers to the accuracy of all.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import qaldgen as qg
from qaldgen.cli.main import cli
from qaldgen.plugins.labelling import label, score_labels

TOTAL = 90


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Questions, and answers in words of which three of four are right.

    One in ten is right in words no rule knows, and some wrong ones are much like these.
    """
    questions = [
        {"id": f"q{at}", "question": f"Which moon is number {at}?", "answers": [f"Moon {at}"]}
        for at in range(TOTAL)
    ]
    (tmp_path / "gold.json").write_text(json.dumps(questions))
    (tmp_path / "run.json").write_text(json.dumps({f"q{at}": said(at) for at in range(TOTAL)}))
    return tmp_path


def said(at: int) -> str:
    if at % 12 == 0:
        return "The rock called by its number"
    return (
        "That is a rock."
        if at % 4 == 0
        else "The satellite called by its number"
        if at % 10 == 1
        else f"It is Moon {at}."
    )


def right(name: str) -> bool:
    return "rock" not in said(int(name[1:]))


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(one) for one in arguments])


def fill(path: Path, upto: int = TOTAL) -> None:
    rows = list(csv.DictReader(io.StringIO(path.read_text())))
    for row in rows[:upto]:
        row["label"] = "y" if right(row["id"]) else "n"
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(out.getvalue())


def test_labels_correct_a_rule_that_misses_some(folder: Path) -> None:
    drawn = run(
        "label", folder / "gold.json", folder / "run.json", "-n", "30", "-o", folder / "w.csv"
    )
    assert "30 of 90 answers are to be labelled" in drawn.output
    fill(folder / "w.csv")
    found = run(
        "score",
        folder / "gold.json",
        folder / "run.json",
        "--labels",
        folder / "w.csv",
        "--proxy",
        "contains",
        "--format",
        "json",
    )
    assert found.exit_code == 0, found.output
    alone, corrected = json.loads(found.stdout)
    truth = sum(right(f"q{at}") for at in range(TOTAL)) / TOTAL
    assert corrected["verdict"] < truth - 0.05
    assert corrected["low"] <= truth <= corrected["high"]
    # the labels are drawn by the verdicts of the rule, so these help "labels alone" as well
    assert corrected["high"] - corrected["low"] <= alone["high"] - alone["low"]
    assert 0.8 < corrected["agreement"] < 1.0
    assert corrected["effective_size"] > 30


def test_labels_that_decide_are_asked_for_and_taken(folder: Path) -> None:
    other = {f"q{at}": "That is a rock." if at % 3 else said(at) for at in range(TOTAL)}
    (folder / "other.json").write_text(json.dumps(other))
    files = (folder / "gold.json", folder / "run.json", folder / "other.json")
    drawn = run("label", *files, "--for", "compare", "-n", "20", "-o", folder / "w.csv")
    assert drawn.exit_code == 0, drawn.output
    assert "20 of" in drawn.output
    fill(folder / "w.csv")
    found = run("compare", *files, "--labels", folder / "w.csv")
    assert found.exit_code == 0, found.output
    refused = run("label", *files, "-n", "20")
    assert "one run is labelled at a time, but the runs given are 2" in str(refused.exception)


def test_an_unfinished_worksheet_is_a_sample_too(folder: Path) -> None:
    run("label", folder / "gold.json", folder / "run.json", "-n", "50", "-o", folder / "w.csv")
    fill(folder / "w.csv", upto=30)
    found = score_labels(folder / "gold.json", folder / "run.json", folder / "w.csv", ["contains"])
    assert found.table["labels"].tolist() == [30, 30]


def test_labels_after_an_empty_one_are_left_out_and_counted(folder: Path) -> None:
    lines = [f"{at + 1},q{at},{'y' if right(f'q{at}') else 'n'}\n" for at in range(30)]
    lines[27] = "28,q27,\n"
    path = folder / "own.csv"
    path.write_text("".join(["position,id,label\n", *lines]))
    found = score_labels(folder / "gold.json", folder / "run.json", path, ["contains"])
    assert found.table["labels"].tolist() == [27, 27]
    said_why = "2 labels after the first empty one left out; keep to the order of the sheet"
    assert f"{path}: {said_why}" in found.notes


def test_verdicts_of_a_judge_come_from_a_file(folder: Path) -> None:
    run("label", folder / "gold.json", folder / "run.json", "-n", "40", "-o", folder / "w.csv")
    fill(folder / "w.csv")
    lines = [f"q{at},{'right' if right(f'q{at}') else 'wrong'}" for at in range(TOTAL)]
    (folder / "judge.csv").write_text("\n".join(["id,label", *lines]) + "\n")
    found = score_labels(
        folder / "gold.json", folder / "run.json", folder / "w.csv", [folder / "judge.csv"]
    )
    assert found.table["agreement"].iloc[1] == 1.0
    (folder / "judge.csv").write_text("\n".join(["id,label", *lines[5:]]) + "\n")
    less = score_labels(
        folder / "gold.json", folder / "run.json", folder / "w.csv", [folder / "judge.csv"]
    )
    assert any("no verdict on 5 answers (first: q0)" in note for note in less.notes)


def test_labels_are_no_proxy_for_themselves(folder: Path) -> None:
    run("label", folder / "gold.json", folder / "run.json", "-n", "40", "-o", folder / "w.csv")
    fill(folder / "w.csv")
    with pytest.raises(qg.DataError, match="has verdicts on labelled answers only"):
        score_labels(
            folder / "gold.json", folder / "run.json", folder / "w.csv", [folder / "w.csv"]
        )


def test_labels_of_ones_own_are_a_random_sample(folder: Path) -> None:
    (folder / "own.csv").write_text(
        "id,label\n"
        + "".join(f"q{at},{'y' if right(f'q{at}') else 'n'}\n" for at in range(0, 90, 3))
    )
    found = score_labels(
        folder / "gold.json", folder / "run.json", folder / "own.csv", ["contains"]
    )
    assert any("taken for a random sample" in note for note in found.notes)


def test_a_worksheet_of_another_run_or_with_other_rows_is_refused(folder: Path) -> None:
    run("label", folder / "gold.json", folder / "run.json", "-n", "40", "-o", folder / "w.csv")
    fill(folder / "w.csv")
    answers = json.loads((folder / "run.json").read_text())
    (folder / "other.json").write_text(
        json.dumps({name: text for name, text in answers.items() if name != "q7"})
    )
    with pytest.raises(
        qg.DataError, match=r"not those that were drawn from this run|this run has no answer"
    ):
        score_labels(folder / "gold.json", folder / "other.json", folder / "w.csv")
    rows = (folder / "w.csv").read_text().splitlines()
    swapped = [re.sub("^[0-9]+", str(at), row) for at, row in enumerate(reversed(rows[1:]), 1)]
    (folder / "w.csv").write_text("\n".join([rows[0], *swapped]) + "\n")
    with pytest.raises(qg.DataError, match="not those that were drawn from this run"):
        score_labels(folder / "gold.json", folder / "run.json", folder / "w.csv")


def test_labels_of_answers_that_have_changed_are_refused(folder: Path) -> None:
    run("label", folder / "gold.json", folder / "run.json", "-n", "40", "-o", folder / "w.csv")
    fill(folder / "w.csv")
    sheet = folder / "w.csv"
    whole = sheet.read_text()
    row = next(line for line in whole.splitlines() if "a rock" in line)
    # as if the run had been asked again: the same kind of answer, with other words
    sheet.write_text(whole.replace(row, row.replace("a rock", "a lake")))
    with pytest.raises(qg.DataError, match=rf"1 question \(first: {row.split(',')[1]}\)"):
        score_labels(folder / "gold.json", folder / "run.json", sheet)
    with pytest.raises(qg.DataError, match="belong to the answers that were labelled"):
        label(folder / "gold.json", folder / "run.json", 40, resume=sheet)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--proxy", "contains"), "name the worksheet with --labels"),
        (("--labels", "w.csv", "--proxy", "contians"), "contians"),
        (("run2.json", "--labels", "w.csv"), "a worksheet has the answers of one run"),
    ],
)
def test_what_does_not_go_with_labels_is_refused(
    folder: Path, options: tuple[str, ...], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    run("label", "gold.json", "run.json", "-n", "40", "-o", "w.csv")
    fill(folder / "w.csv")
    (folder / "run2.json").write_text((folder / "run.json").read_text())
    found = run("score", "gold.json", "run.json", *options)
    assert isinstance(found.exception, (qg.UsageError, qg.DataError))
    assert text in str(found.exception)


def test_two_labellers_agree(folder: Path) -> None:
    for name in ("a.csv", "b.csv"):
        run("label", folder / "gold.json", folder / "run.json", "-n", "20", "-o", folder / name)
        fill(folder / name)
    text = (folder / "b.csv").read_text().replace(",y,", ",n,", 2)
    (folder / "b.csv").write_text(text)
    found = run("label", folder / "a.csv", folder / "b.csv", "--agreement")
    assert "20 answers labelled by both: they agree on 90.0% (kappa " in found.output


def test_labels_by_question_plan_more_labels(folder: Path) -> None:
    run("label", folder / "gold.json", folder / "run.json", "-n", "40", "-o", folder / "w.csv")
    fill(folder / "w.csv")
    pairs = folder / "pairs.csv"
    labels = (
        "--labels",
        folder / "w.csv",
        "--proxy",
        "contains",
        "-q",
        "--format",
        "csv",
        "-o",
        pairs,
    )
    assert run("score", folder / "gold.json", folder / "run.json", *labels).exit_code == 0
    found = run(
        "plan", pairs, "--labels", "label", "--error", "0.05", "--pool", "2000", "--format", "csv"
    )
    needed = {
        row["verdict"]: int(row["labels"]) for row in csv.DictReader(io.StringIO(found.stdout))
    }
    assert needed["contains"] < needed["none"]


def test_the_page_holds_the_items_and_asks_nothing_of_the_network(folder: Path) -> None:
    run(
        "label",
        folder / "gold.json",
        folder / "run.json",
        "-n",
        "20",
        "-o",
        folder / "w.csv",
        "-o",
        folder / "w.html",
    )
    page = (folder / "w.html").read_text()
    data = json.loads(re.search('id="data">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    assert (
        data["header"] + "".join(item["before"] + item["after"] for item in data["items"])
        == (folder / "w.csv").read_text()
    )
    assert "http" not in re.sub("http-equiv", "", page)
    assert "default-src 'none'" in page


def test_a_page_goes_on_with_a_worksheet(folder: Path) -> None:
    run("label", folder / "gold.json", folder / "run.json", "-n", "20", "-o", folder / "w.csv")
    fill(folder / "w.csv", upto=7)
    again = label(folder / "gold.json", folder / "run.json", 20, resume=folder / "w.csv")
    assert len(again.labels) == 7
    with pytest.raises(qg.UsageError, match="belongs to another sample"):
        label(
            folder / "gold.json", folder / "run.json", 20, resume=folder / "w.csv", random_state=4
        )


def test_empty_labels_do_not_count_as_a_pilot(folder: Path) -> None:
    (folder / "pairs.csv").write_text(
        "id,label,contains\n" + "".join(f"q{at},{at % 2 if at < 8 else ''},1\n" for at in range(30))
    )
    found = run("plan", folder / "pairs.csv", "--labels", "label", "--error", "0.05")
    assert isinstance(found.exception, qg.UsageError)
    assert "8 labels are too few to plan with" in str(found.exception)


def test_questions_that_were_chosen_for_losing_are_told(folder: Path) -> None:
    gold = qg.load(folder / "gold.json")
    chosen = tuple(one.with_choice(["run"]) for one in gold.questions)
    made = label(dataclasses.replace(gold, questions=chosen), folder / "run.json", 20)
    assert made.notes[0].startswith("These questions were chosen because run did badly on them")
    assert label(gold, folder / "run.json", 20).notes == ()
