"""What the rules promise, on made and real scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from score_tables import read_features
from stopping_study import equally_good, study_sequential

from qaldgen.analysis.score_files import read_scores
from qaldgen.plugins.stopping.expected_questions import (
    _unexplained_variance,
    plan_sequential,
    questions_to_decide,
    questions_until,
)
from qaldgen.plugins.stopping.look_plan import plan_looks
from qaldgen.selection.vectors import Vectors


def made(size: int = 240) -> tuple[np.ndarray, Vectors]:
    rng = np.random.default_rng(0)
    matrix = rng.random((size, 3))
    hard = matrix[:, 0] + 0.3 * rng.random(size)
    table = np.column_stack(
        [(rng.random(size) < chance * (1.3 - hard)).astype(float) for chance in (0.9, 0.6, 0.3)]
    )
    names = tuple(f"q{at}" for at in range(size))
    return table, Vectors(names, ("a", "b", "c"), matrix, matrix)


@pytest.fixture(scope="module")
def found() -> pd.DataFrame:
    table, vectors = made()
    scores = pd.DataFrame(table, index=pd.Index(vectors.ids), columns=["a", "b", "c"])
    tried = study_sequential(scores, vectors, n_repeats=40, largest=120, half_widths=(0.06,))
    return tried.table.set_index("rule")


def figure(table: pd.DataFrame, rule: str, name: str) -> float:
    return float(table.to_dict("index")[rule][name])


def test_intervals_hold_where_the_precision_stops(found: pd.DataFrame) -> None:
    assert figure(found, "until +-0.06", "right") >= 0.9
    assert 30 <= figure(found, "until +-0.06", "questions") < 240


def test_a_known_baseline_needs_fewer_questions_than_pairing(found: pd.DataFrame) -> None:
    assert figure(found, "known baseline", "questions") < figure(found, "paired", "questions")
    assert figure(found, "known baseline", "right") > 0.8


def test_equal_systems_are_seldom_told_apart_and_peeking_is_not_so_careful(
    found: pd.DataFrame,
) -> None:
    for rule in ("known baseline, equal systems", "paired, equal systems"):
        assert figure(found, rule, "wrong") <= 0.1
    assert figure(found, "peeking, equal systems", "wrong") > 0.12


def test_the_best_is_kept(found: pd.DataFrame) -> None:
    assert figure(found, "race: best is kept", "right") == 1.0


@pytest.mark.parametrize("graded", [False, True])
def test_systems_made_equal_have_equal_means_and_the_same_scores(graded: bool) -> None:
    rng = np.random.default_rng(1)
    one, two = rng.random((2, 301))
    if not graded:
        one, two = (one < 0.7).astype(float), (two < 0.3).astype(float)
    first, second = equally_good(one, two, rng)
    assert abs(first.mean() - second.mean()) < 1.01 / 301
    assert np.allclose(np.sort([one, two], axis=0), np.sort([first, second], axis=0))


def test_what_is_expected_is_what_happens(found: pd.DataFrame) -> None:
    table, _ = made()
    others = [
        table[:, [at for at in range(3) if at != own]].mean(axis=1)[:, None] for own in range(3)
    ]
    until = [
        questions_until(table[:, own], 0.06, pool_size=240, known=others[own]) for own in range(3)
    ]
    assert np.mean([n for n in until if n is not None]) == pytest.approx(
        figure(found, "until +-0.06", "questions"), rel=0.15
    )
    looks = plan_looks(120, 240)
    pairs = [(a, b) for a in range(3) for b in range(a)]
    paired = [questions_to_decide(table[:, a], table[:, b], looks, paired=True) for a, b in pairs]
    assert np.mean([n for n, _ in paired]) == pytest.approx(
        figure(found, "paired", "questions"), rel=0.2
    )


def test_equal_scores_say_nothing_about_a_precision() -> None:
    assert questions_until([1.0] * 20, 0.05) is None


def test_a_spread_sample_saves_less_of_what_known_scores_leave() -> None:
    """Half of the answers are right, and the known scores say nothing of which.

    Alone the variance of 25/99 counts 0.84 times: 1.967 * sqrt(0.2121/340 + 1/340^2) = 0.0495, and
    of 330 questions 0.0502. Known scores leave 25/98, which counts 0.92 times:
    1.966 * sqrt(0.2347/370 * 369/368 + 1/370^2) = 0.0499, and of 360 questions 0.0506.
    """
    scores, known = np.tile([0.0, 0.0, 1.0, 1.0], 25), np.tile([0.0, 1.0], 50)[:, None]
    assert questions_until(scores, 0.05) == 340
    assert questions_until(scores, 0.05, known=known) == 370


def test_known_scores_that_tell_nothing_cost_degrees_of_freedom() -> None:
    """Each column takes one from the variance and one from the quantile."""
    rng = np.random.default_rng(0)
    runs, columns = [rng.random(30) for _ in range(300)], [rng.random((30, 10)) for _ in range(300)]
    left = [_unexplained_variance(*pair) for pair in zip(runs, columns, strict=True)]
    assert (
        abs(np.mean(left) / np.mean([_unexplained_variance(one, None) for one in runs]) - 1.0)
        < 0.03
    )
    scores, noise = rng.random(400), rng.random((400, 27))
    few, many = (questions_until(scores, 0.15, known=noise[:, :n]) for n in (1, 27))
    assert few == 30
    assert many is not None and many > 30  # 30 questions would leave two degrees of freedom


def test_two_systems_are_enough_to_help_each_other() -> None:
    table, _ = made(60)
    scores = pd.DataFrame(table[:, :2], columns=["a", "b"])
    assert list(plan_sequential(scores).until["system"]) == ["a", "b"]


@pytest.mark.parametrize("data", ["qald9_kbqa", "qald9_en"])
def test_the_rules_hold_on_real_systems(shared_data: Path, data: str) -> None:
    """A few orders only: `benchmarks/sequential.py` has the figures."""
    folder = shared_data / "system-scores"
    if not folder.is_dir():
        pytest.skip(f"the score matrices are not at {folder}; set QALDGEN_TEST_DATA")
    scores, vectors = read_scores(folder / f"Y_{data}.csv"), read_features(folder / f"F_{data}.csv")
    tried = study_sequential(scores, vectors, n_repeats=5, half_widths=(0.05,))
    table = tried.table.set_index("rule")
    assert figure(table, "until +-0.05", "right") > 0.8
    assert figure(table, "until +-0.05", "questions") < 150
    assert figure(table, "known baseline", "wrong") < 0.02
    assert figure(table, "paired, equal systems", "wrong") < 0.12
