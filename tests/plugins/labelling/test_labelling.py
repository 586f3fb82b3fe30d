"""Hand labels that correct an automatic verdict: worksheets, estimates, agreement."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from qaldgen.analysis.comparing.hand_labels import is_sheet
from qaldgen.answers.record import Response, Run
from qaldgen.benchmark.gold import Gold
from qaldgen.errors import UsageError
from qaldgen.model import Answers, Question, QuestionSet
from qaldgen.plugins.labelling.accuracy import estimate_accuracy
from qaldgen.plugins.labelling.agreement import agreement
from qaldgen.plugins.labelling.label_pool import (
    Item,
    describe_drawing,
    draw,
    label_pool,
    restore_strata,
)
from qaldgen.plugins.labelling.label_scores import score_labels
from qaldgen.plugins.labelling.labels_needed import labels_needed
from qaldgen.plugins.labelling.sheets import COLUMNS, changed_answers, dump_sheet, read_sheet
from qaldgen.scoring.evaluation import evaluate


def words(text: str) -> Answers:
    return Answers(texts=((text,),))


def made(answered: int = 40, failed: int = 10) -> tuple[Gold, Run]:
    """Return questions about things, and answers in words to most of them."""
    total = answered + failed
    questions = tuple(
        Question(
            f"q{at}",
            {"en": (f"Which {'river' if at % 3 else 'lake'} is number {at}?",)},
            answers=words(f"Thing {at}"),
        )
        for at in range(total)
    )
    given = {
        f"q{at}": Response(f"q{at}", "answered", words(f"It is =Thing {at}; I think,\nperhaps"))
        for at in range(answered)
    }
    given |= {
        f"q{at}": Response(f"q{at}", "failed", error="HTTP 500") for at in range(answered, total)
    }
    return Gold(QuestionSet("things", "table", questions)), Run("mine", "journal", given)


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def sheet(
    tmp_path: Path, labels: list[str], *, size: int | None = None, reverse: bool = False
) -> Path:
    gold, run = made()
    of = label_pool(evaluate(gold, run))
    found = rows(dump_sheet(draw(of, size or len(labels)), describe_drawing(of, 0)))
    for row, mark in zip(found, labels, strict=False):
        row["label"] = mark
    path, out = tmp_path / "sheet.csv", io.StringIO()
    writer = csv.DictWriter(out, COLUMNS)
    writer.writeheader()
    writer.writerows(reversed(found) if reverse else found)
    path.write_text(out.getvalue(), encoding="utf-8")
    return path


def test_only_answers_are_labelled_and_silence_is_wrong() -> None:
    of = label_pool(evaluate(*made()))
    assert (len(of.items), of.total) == (40, 50)


def test_silence_is_labelled_where_the_right_answer_is_that_there_is_none() -> None:
    gold, run = made(2, 0)
    nothing = Question("none", {"en": ("Which river flows upwards?",)}, answers=Answers())
    both = Gold(QuestionSet("things", "table", (*gold.questions.questions, nothing)))
    silent = Run("mine", "journal", {**run.responses, "none": Response("none", "empty", Answers())})
    assert len(label_pool(evaluate(both, silent)).items) == 3


def test_a_run_without_an_answer_is_refused(refused: Callable[..., str]) -> None:
    gold, _ = made()
    assert "none of the 50 questions has an answer" in refused(
        lambda: label_pool(evaluate(gold, Run("mine", "journal", {"q0": Response("q0", "empty")})))
    )


def test_the_sample_is_the_beginning_of_a_larger_one_and_depends_on_the_seed() -> None:
    of = label_pool(evaluate(*made()))
    assert draw(of, 10) == draw(of, 25)[:10]
    assert draw(of, 25, 1) != draw(of, 25, 2)


def test_more_labels_than_answers_are_refused(refused: Callable[..., str]) -> None:
    assert "41 labels were requested, but the run has 40 answers" in refused(
        lambda: draw(label_pool(evaluate(*made())), 41), UsageError
    )


def test_a_worksheet_shows_all_and_runs_nothing() -> None:
    of = label_pool(evaluate(*made()))
    found = rows(dump_sheet(draw(of, 5), describe_drawing(of, 0)))
    assert [row["position"] for row in found] == ["1", "2", "3", "4", "5"]
    assert {row["label"] for row in found} == {""}
    assert all(
        row["answer"].startswith("It is =Thing") and "\n" not in row["answer"] for row in found
    )
    assert found[0]["gold"].startswith("Thing")


@pytest.mark.parametrize("reverse", [False, True])
def test_labels_count_up_to_the_first_empty_one_in_the_order_of_the_sheet(
    tmp_path: Path, reverse: bool
) -> None:
    found = read_sheet(
        sheet(tmp_path, ["y", "No", "P", "s", "0.25", "", "y", "n"], size=10, reverse=reverse)
    )
    assert list(found.labels.values()) == [1.0, 0.0, 0.5, 0.25]
    assert len(found.skipped) == 1
    assert found.later == 2
    assert len(found.listed) == 10


def test_rows_that_were_removed_end_the_sample(tmp_path: Path) -> None:
    path = sheet(tmp_path, ["y"] * 8)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([*lines[:4], *lines[5:]]), encoding="utf-8")
    found = read_sheet(path)
    assert (len(found.labels), found.later) == (3, 4)


@pytest.mark.parametrize("separator", [";", "\t"])
def test_spreadsheets_with_other_separators_are_read(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(f"id{separator}label\nq1{separator}y\nq2{separator}n\n")
    assert read_sheet(path).labels == {"q1": 1.0, "q2": 0.0}
    assert is_sheet(path)


def test_empty_rows_that_a_spreadsheet_leaves_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("position;id;label\n1;q1;y\n2;q2;n\n;;\n;;\n \n")
    assert read_sheet(path).labels == {"q1": 1.0, "q2": 0.0}


def test_a_position_far_away_is_only_a_gap(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("position,id,label\n1,q1,y\n300000000000,q2,n\n")
    sheet = read_sheet(path)
    assert (sheet.labels, sheet.later) == ({"q1": 1.0}, 1)


@pytest.mark.parametrize(
    ("shown", "given", "changed"),
    [
        ("Paris, France", "Paris, Texas", True),
        ("paris  FRANCE", "Paris, France", False),
        ("01.09.1939", "1 September 1939", False),
        ("1,2E+19", "12345678901234567890", False),
        ("in the year 1939, I believe", "in the year 1940, as they say", True),
        ("??????? is her name", "Мария is her name", False),
        ("is not ???", "Мария is her name", True),
        ("Мария", "Анна", True),
        ("' =1+1", "=1+1", False),
    ],
)
def test_answers_on_a_sheet_are_compared_as_spreadsheets_leave_them(
    shown: str, given: str, changed: bool, tmp_path: Path
) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(f'id,answer,label\nq1,"{shown}",y\n')
    item = Item(Question("q1", {}), Response("q1", "answered", words(given)))
    assert changed_answers(read_sheet(path), [item]) == (["q1"] if changed else [])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,label\nq1,perhaps\n", "question q1: the label is 'perhaps'; write y (right)"),
        ("id,label\nq1,1.5\n", "the label is '1.5'"),
        ("id,label\nq1,y\nq1,n\n", "question q1 is listed twice"),
        ("id,answer\nq1,y\n", "is not a worksheet"),
        ("id,label\nq1,\n", "no answer is labelled yet"),
        ("position,id,label\nx,q1,y\n", "position is 'x'"),
        (f"position,id,label\n{'9' * 5000},q1,y\n", "position is '999"),
        ("id,label\rx\nq1,y\n", "is not a table"),
        ("id,label,draw\nq1,y,one\nq2,y,two\n", "drawn in different ways"),
    ],
)
def test_broken_worksheets_are_refused(
    tmp_path: Path, text: str, said: str, refused: Callable[..., str]
) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(text)
    assert said in refused(lambda: read_sheet(path))


def simulated(
    agree: float, n: int, size: int = 600, repeats: int = 300
) -> tuple[float, float, float]:
    """Return coverage with a verdict, and the mean squared errors with it and alone."""
    rng = np.random.default_rng(0)
    truth = (rng.random(size) < 0.55).astype(float)
    verdict = np.where(rng.random(size) < agree, truth, 1.0 - truth)
    verdict[rng.random(size) < 0.03] = 0.0  # and a bias of its own
    hits, squares, plain = 0, [], []
    for _ in range(repeats):
        own = rng.choice(size, n, replace=False)
        found = estimate_accuracy(truth[own], own, verdict, size, None)
        hits += found.low <= truth.mean() <= found.high
        squares.append((found.estimate - truth.mean()) ** 2)
        plain.append((truth[own].mean() - truth.mean()) ** 2)
    return hits / repeats, float(np.mean(squares)), float(np.mean(plain))


@pytest.mark.parametrize("n", [40, 100])
def test_a_verdict_that_agrees_halves_the_labels_and_the_interval_holds(n: int) -> None:
    coverage, corrected, alone = simulated(0.92, n)
    assert 0.92 <= coverage <= 0.995
    assert corrected < 0.55 * alone


def test_a_useless_verdict_does_no_harm() -> None:
    coverage, corrected, alone = simulated(0.5, 40)
    assert coverage >= 0.92
    assert corrected < 1.15 * alone


def test_unanswered_questions_lower_the_accuracy_and_narrow_nothing_else() -> None:
    labels = np.array([1.0, 0.0] * 20)
    full, half = (
        estimate_accuracy(labels, np.arange(40), np.full(200, np.nan), total, None)
        for total in (200, 400)
    )
    assert half.estimate == pytest.approx(full.estimate / 2)
    assert half.high - half.low == pytest.approx((full.high - full.low) / 2)


def test_kappa_of_partly_and_of_one_label_throughout() -> None:
    assert agreement(np.array([1.0, 0.5, 0.0]), np.array([1.0, 0.5, 0.0])) == (1.0, 1.0)
    assert agreement(np.array([0.9, 0.1]), np.array([1.0, 0.0]))[0] == 0.0
    agreed, kappa = agreement(np.ones(5), np.ones(5))
    assert agreed == 1.0
    assert np.isnan(kappa)


def test_labels_needed_fall_with_agreement_and_never_exceed_the_answers() -> None:
    labels = np.array([1.0, 0.0] * 30)
    close = labels.copy()
    close[:3] = 1 - close[:3]
    alone, helped = (
        labels_needed(labels, None, 0.05, answers=2000),
        labels_needed(labels, close, 0.05, answers=2000),
    )
    assert alone is not None
    assert helped is not None
    assert helped < 0.5 * alone
    assert labels_needed(labels, None, 0.0001, answers=80) == 80
    assert labels_needed(np.ones(20), None, 0.05) is None


def hedged(total: int = 200) -> tuple[Gold, Run]:
    """Return a run of which every fourth verdict is a guess, because the answer hedges."""
    texts = {at: f"Perhaps Thing {at}" if at % 4 == 0 else f"Thing {at}" for at in range(total)}
    texts |= dict.fromkeys(range(0, total, 3), "A stone")
    gold, _ = made(total, 0)
    given = {f"q{at}": Response(f"q{at}", "answered", words(text)) for at, text in texts.items()}
    return gold, Run("mine", "journal", given)


def test_guesses_are_drawn_first_and_any_prefix_has_sure_ones_too() -> None:
    of = label_pool(evaluate(*hedged()))
    guesses = of.guesses(of.items)
    for size in (8, 40, 100):
        drawn = of.guesses(draw(of, size))
        assert size * guesses / len(of.items) < drawn < size
    assert len(draw(of, len(of.items))) == len(of.items)


def test_labels_on_guesses_first_are_without_bias_and_their_intervals_cover() -> None:
    of = label_pool(evaluate(*hedged()))
    rng = np.random.default_rng(3)
    # The verdicts err often on guesses, and on sure ones in one direction.
    said = np.isin(of.strata, (1, 3)).astype(float)
    truth = np.abs(said - (rng.random(len(said)) < np.where(of.strata < 3, 0.4, 0.05)))
    at = {item.question.id: place for place, item in enumerate(of.items)}
    for verdicts in (np.full(len(truth), np.nan), said):
        found = []
        for seed in range(150):
            chosen = np.array([at[item.question.id] for item in draw(of, 40, seed)])
            found.append(
                estimate_accuracy(truth[chosen], chosen, verdicts, len(truth), None, of.strata)
            )
        estimates = np.array([one.estimate for one in found])
        assert abs(estimates.mean() - truth.mean()) < 3 * estimates.std() / 150**0.5
        covered = [one.low <= truth.mean() <= one.high for one in found]
        assert np.mean(covered) > 0.93


def test_answers_without_a_label_are_like_the_labelled_of_their_stratum() -> None:
    strata = np.repeat([0, 1, 2, 2], [50, 50, 60, 40])
    verdicts = np.repeat([0.0, 0.2, 1.0, 0.5], [50, 50, 60, 40])
    chosen = np.r_[0:30, 50:70, 100:110]
    found = estimate_accuracy(
        (strata[chosen] == 2).astype(float), chosen, verdicts, 200, None, strata
    )
    assert found.estimate == pytest.approx(0.5)


def test_a_worksheet_of_answers_that_were_all_drawn_alike_still_counts() -> None:
    of = label_pool(evaluate(*hedged()))
    assert restore_strata(of, describe_drawing(of, 3)).stratified
    assert not restore_strata(of, "lpm of 200 answers, seed 3").stratified


def test_each_labelled_answer_has_the_probability_that_it_was_drawn(tmp_path: Path) -> None:
    gold, run = hedged()
    of = label_pool(evaluate(gold, run))
    found = rows(dump_sheet(draw(of, 40), describe_drawing(of, 0)))
    lines = [",".join(COLUMNS)]
    lines += [f'{row["position"]},{row["id"]},,,,y,"{row["draw"]}"' for row in found]
    path = tmp_path / "sheet.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    drawn = score_labels(gold, run, path).pairs["probability"]
    assert (1 / drawn).sum() == pytest.approx(len(of.items))
    assert drawn.iloc[0] > drawn.min()
