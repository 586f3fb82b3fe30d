"""How many questions it takes to know a score within an error, or to find a difference."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from qaldgen.analysis.score_files import read_scores
from qaldgen.benchmark.gold import AnyGold
from qaldgen.defaults import ALPHA, HALF_WIDTH, LAYOUT, LEVEL_LABEL, SEED
from qaldgen.errors import UsageError
from qaldgen.io.arguments import check_integer, check_positive, check_share
from qaldgen.io.concurrency import one_thread
from qaldgen.io.notes import collecting, note
from qaldgen.io.result_display import result_html, result_text
from qaldgen.options import AtLeastTwo, Share
from qaldgen.scoring.evaluation import Evaluation, evaluate
from qaldgen.scoring.intervals import FEWEST, NORMAL_REACH
from qaldgen.scoring.mean_bounds import Array, Sums, two_sided_p
from qaldgen.scoring.score import AnyRun, Scores, check_names, notes_of

Counts: TypeAlias = NDArray[np.int64]
#: What the local pivotal method saves: its variance over that of a simple random sample, measured
#: on four data sets with 25 to 200 questions (docs/fewer-questions.md).
LPM_DESIGN_EFFECT = 0.84
#: The variance of each design divided by that of a simple random sample.
DESIGNS = {"random": 1.0, "lpm": LPM_DESIGN_EFFECT}
#: The largest sample of a curve.
_LARGEST_SAMPLE = 1000
#: Simulated comparisons for each size.
_SIMULATIONS = 1000
#: Resamples in each simulated comparison of graded scores.
_RESAMPLES = 499
#: Above this size the randomisation test of graded scores is approximated by a normal one.
_MAX_RESAMPLED_SIZE = 200
#: Above this size the normal approximation takes the place of the simulation.
_MAX_SIMULATED_SIZE = 10_000_000
#: Graded differences are simulated to two decimals.
_DECIMALS = 2
#: The factor by which sizes grow or shrink in the search.
_STEP_FACTOR = 1.3
#: Sizes whose power differs by less than this from the target decide together.
_NEAR_POWER = 0.1
#: The largest slope of a tilt; a steeper one would leave a single kind of difference.
_MAX_SLOPE = 500.0
#: Sums that differ by less are equal.
_ROUNDING = 1e-9


def questions_for_error(
    scores: ArrayLike, error: float, *, pool_size: int | None = None, design_effect: float = 1.0
) -> int | None:
    """Return how many questions give an interval of plus or minus `error` around the mean.

    None if all scores are equal: a pilot without spread says nothing about that of the pool.

    >>> questions_for_error([0, 1] * 50, 0.1), questions_for_error([0, 1] * 50, 0.1, pool_size=150)
    (98, 59)
    """
    check_positive("error", error)
    check_design(pool_size, design_effect)
    variance = variance_of(scores)
    if not variance:
        return None
    size = variance * design_effect * (NORMAL_REACH / error) ** 2
    if pool_size is None:
        return max(2, math.ceil(size))
    # with the finite population correction
    return min(pool_size, max(2, math.ceil(size / (1 + size / pool_size))))


def error_of(
    scores: ArrayLike,
    sizes: Iterable[int],
    *,
    pool_size: int | None,
    design_effect: float = 1.0,
) -> list[float]:
    """Return half the width of the 95 % interval for each size; 0 for the whole pool."""
    check_design(pool_size, design_effect)
    variance = variance_of(scores) * design_effect
    correction = 1 / pool_size if pool_size else 0.0
    return [NORMAL_REACH * math.sqrt(variance * max(0.0, 1 / n - correction)) for n in sizes]


def error_curves(scores: pd.DataFrame, pool_size: int | None) -> pd.DataFrame:
    """Return the error by size (index), for each system and design (columns)."""
    largest = min(pool_size or _LARGEST_SAMPLE, _LARGEST_SAMPLE)
    sizes = np.unique(np.geomspace(10, largest, 300).astype(int)).tolist()
    errors = {}
    for system, column in scores.items():
        for design, effect in DESIGNS.items():
            errors[system, design] = error_of(
                column, sizes, pool_size=pool_size, design_effect=effect
            )
    return pd.DataFrame(errors, index=sizes)


def check_design(pool_size: int | None, design_effect: float) -> None:
    """Refuse an impossible size of a pool, or design effect."""
    check_positive("design_effect", design_effect)
    if pool_size is not None:
        check_integer("pool_size", pool_size, 1)


def variance_of(scores: ArrayLike) -> float:
    """Return the variance of scores; refuse fewer than two, and those that are not finite."""
    values = np.asarray(scores, dtype=float)
    if len(values) < 2:
        raise UsageError(
            f"{len(values)} scores are too few to plan with; give those of at least two questions"
        )
    if not np.isfinite(values).all():
        raise UsageError("a score is not a finite number; every question needs one to plan with")
    return float(values.var(ddof=1))


def questions_for_difference(
    differences: ArrayLike,
    *,
    difference: float | None = None,
    pool_size: int | None = None,
    design_effect: float = 1.0,
    power: float = 0.8,
) -> int | None:
    """Return how many questions it takes until `compare` finds a difference between two systems.

    `differences` are the scores of one system minus those of the other on each question of a pilot.
    Samples of them are tested as `compare` tests two systems. With `difference`, the samples are
    drawn from the most similar distribution with this mean. None if the pilot does not say, as the
    systems are equal on average or differ by the same amount on every question; also None if not
    even the whole pool would be enough.

    >>> questions_for_difference([1] * 30 + [-1] * 10 + [0] * 60, pool_size=40) is None
    True
    """
    check_share("power", power)
    check_design(pool_size, design_effect)
    pilot = _make_pilot(np.asarray(differences, dtype=float), difference)
    if pilot is None:
        return None
    rng = np.random.default_rng(SEED)

    def power_with(n: int) -> float:
        # a design that spreads its questions acts like a smaller pool: both lower the variance
        unseen = design_effect
        if pool_size:
            unseen *= 1.0 - n / pool_size
        if unseen >= 1.0:
            counts = rng.multinomial(n, pilot.shares, _SIMULATIONS)
        else:
            size = round(n / (1.0 - unseen))
            pool = np.diff(np.round(np.cumsum(pilot.shares) * size), prepend=0.0).astype(np.int64)
            counts = rng.multivariate_hypergeometric(pool, n, _SIMULATIONS, method="marginals")
        return float(np.mean(p_values(pilot.differences, counts, rng) <= ALPHA))

    largest = pool_size or np.iinfo(np.int32).max
    if pool_size is not None and (pool_size < FEWEST or power_with(pool_size) < power):
        return None
    normal = NormalDist()
    spread = (normal.inv_cdf(1 - ALPHA / 2) + normal.inv_cdf(power)) / pilot.mean
    guess = max(FEWEST, pilot.variance * design_effect * spread**2)
    if pool_size is not None:
        guess /= 1 + guess / pool_size
    if guess > _MAX_SIMULATED_SIZE:
        return min(largest, math.ceil(guess))
    return _smallest_size(power_with, power, int(np.clip(guess, FEWEST, largest)), largest)


class _Pilot(NamedTuple):
    """The differences between two systems, question by question, as a distribution."""

    differences: Array  # the distinct ones
    shares: Array  # the share of the questions with each
    mean: float
    variance: float


def _make_pilot(values: Array, target: float | None) -> _Pilot | None:
    """Return the distribution of differences, tilted to a target mean; None if it says nothing."""
    differences, sizes = np.unique(np.round(values, _DECIMALS), return_counts=True)
    shares = sizes / len(values)
    variance = variance_of(values)
    mean = float(values.mean())
    if target is not None:
        if not differences.min() < target < differences.max():
            return None
        from scipy.optimize import brentq

        observed_shares = shares

        def tilt(slope: float) -> Array:
            weights = observed_shares * np.exp(slope * differences)
            return np.asarray(weights / weights.sum())

        # of all shares with the target mean, those with the least relative entropy
        slope = brentq(lambda slope: tilt(slope) @ differences - target, -_MAX_SLOPE, _MAX_SLOPE)
        shares = tilt(slope)
        mean = target
        variance = float(shares @ differences**2) - mean**2
    if abs(mean) < _ROUNDING or variance == 0 or not differences.any():
        return None
    return _Pilot(differences, shares, mean, variance)


def _smallest_size(
    power_with: Callable[[int], float], power: float, guess: int, largest: int
) -> int:
    """Return the smallest size with a power; `power_with` simulates the power of a size."""
    power_by_size: dict[int, float] = {}

    def has_power(n: int) -> bool:
        power_by_size[n] = power_with(n)
        return power_by_size[n] >= power

    low = high = guess
    while high < largest and not has_power(high):
        low = high
        high = min(largest, math.ceil(_STEP_FACTOR * high))
    while low > FEWEST and (low == high or power_by_size.get(low, 0.0) >= power):
        high = low
        low = max(FEWEST, math.floor(low / _STEP_FACTOR))
        has_power(low)
    while high - low > max(1, high // 50):
        middle = (low + high) // 2
        if has_power(middle):
            high = middle
        else:
            low = middle
    # each simulation errs by about a percent: a line through those near the target errs by less
    points = [(math.log(n), p) for n, p in power_by_size.items() if abs(p - power) < _NEAR_POWER]
    if len(points) > 2:
        log_sizes, powers = zip(*points, strict=True)
        slope, offset = np.polyfit(log_sizes, powers, 1)
        if slope > 0:
            return int(np.clip(math.ceil(math.exp((power - offset) / slope)), FEWEST, largest))
    return high


def p_values(differences: Array, counts: Counts, rng: np.random.Generator) -> Array:
    """Return the p-value of each sample by the tests of `significance.paired_tests`.

    `counts` has a row for each sample: how many of its questions have each difference.
    """
    differ = differences != 0.0
    if np.ptp(np.abs(differences[differ])) == 0.0:
        from scipy.stats import binom

        wins = counts[:, differences > 0.0].sum(axis=1)
        losses = counts[:, differences < 0.0].sum(axis=1)
        # McNemar's exact test; p of equal means is never larger.
        tail = binom.cdf(np.minimum(wins, losses), wins + losses, 0.5)
        return np.asarray(np.minimum(1.0, 2.0 * tail))
    ones = np.ones(len(differences))
    sums = Sums(differences, ones, counts.astype(float))
    means_p = two_sided_p(sums, np.ones(len(counts)), (-1.0, 1.0))

    # of the randomisation test; all samples share the resamples
    gaps = differences[differ]
    counts = counts[:, differ]
    observed = np.abs(counts @ gaps)
    sizes = counts.sum(axis=1)
    largest = int(sizes.max())
    if largest > _MAX_RESAMPLED_SIZE:
        from scipy.special import ndtr

        random_p = 2.0 * ndtr(-observed / np.sqrt(counts @ gaps**2))
    else:
        samples = np.zeros((len(counts), largest))
        samples[np.arange(largest) < sizes[:, None]] = np.repeat(
            np.tile(gaps, len(counts)), counts.ravel()
        )
        signs = rng.integers(0, 2, (_RESAMPLES, largest)) * 2.0 - 1.0
        extreme_counts = (np.abs(signs @ samples.T) >= observed - _ROUNDING).sum(axis=0)
        random_p = (extreme_counts + 1.0) / (_RESAMPLES + 1.0)
    return np.asarray(np.maximum(means_p, random_p))


@dataclasses.dataclass(frozen=True, eq=False)
class Plan:
    """How many questions it takes.

    Attributes
    ----------
    errors : DataFrame
        One row per system: ``system``, ``mean``, ``deviation``, and for each design the questions
        for the error; missing where all scores of the pilot are equal.
    differences : DataFrame
        One row per pair of systems: ``systems``, ``difference``, and for each design the questions
        until `compare` tells them apart; missing where the pilot does not say, or the whole pool
        would not do.
    error, power : float
        The error, half the width of the 95 % interval, and the chance to tell two systems apart.
    pool_size : int or None
        Questions in the pool.
    notes : tuple of str
        What the pilot says nothing about, and why.
    """

    errors: pd.DataFrame
    differences: pd.DataFrame
    error: float
    power: float
    pool_size: int | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return one line: the systems and the error."""
        return f"<Plan for {', '.join(self.errors['system'])}: error {self.error:g}>"

    @property
    def parts(self) -> list[tuple[str, pd.DataFrame]]:
        """The tables, each with its heading."""
        error = (
            f"questions until a score is known within +-{self.error:g} ({LEVEL_LABEL} interval),"
            " drawn at random, and drawn by lpm, which spreads them (sample -m lpm):"
        )
        difference = (
            "questions until 'compare' finds the difference of two systems with a chance of"
            f" {self.power:.0%}:"
        )
        tables = [(error, self.errors), (difference, self.differences)]
        return [(heading, table) for heading, table in tables if len(table)]

    def __str__(self) -> str:
        """Return the tables and the notes."""
        tables = [f"{heading}\n{table.to_string(index=False)}" for heading, table in self.parts]
        return result_text(tables, self.notes)

    def _repr_html_(self) -> str:
        """Return the line, the notes and the tables, for notebooks."""
        return result_html(repr(self), [table for _, table in self.parts], self.notes)

    def table(self) -> pd.DataFrame:
        """Return both tables as one.

        Its columns are ``for`` (``error`` or ``difference``), ``systems``, ``mean``, and for each
        design the questions.
        """
        names = {"system": "systems", "difference": "mean"}
        tables = {"error": self.errors, "difference": self.differences}
        parts = []
        for purpose, table in tables.items():
            if len(table):
                part = table.rename(columns=names)[["systems", "mean", *DESIGNS]]
                part.insert(0, "for", purpose)
                parts.append(part.astype(dict.fromkeys(DESIGNS, object)))
        return _with_whole_numbers(pd.concat(parts, ignore_index=True))

    def draw(self, scores: pd.DataFrame, form: str, layout: str = LAYOUT) -> bytes:
        """Draw the error against the number of questions.

        Parameters
        ----------
        scores
            The scores of the pilot, one column per system.
        form
            ``png``, ``svg`` or ``pdf``.
        layout
            ``screen``, or for a paper ``one-column`` or ``two-column``.
        """
        from qaldgen.pictures.line_charts import draw_plan

        curves = error_curves(scores, self.pool_size)
        return draw_plan(curves, form, wanted=self.error, layout=layout)


@one_thread()
def plan(
    scores: pd.DataFrame | Evaluation | Scores | Sequence[Scores] | AnyGold,
    *runs: AnyRun | Sequence[AnyRun],
    error: Share = HALF_WIDTH,
    difference: Share | None = None,
    pool_size: AtLeastTwo | None = None,
    power: Share = 0.8,
) -> Plan:
    """Report how many questions a given error, or telling two systems apart, requires.

    Parameters
    ----------
    scores
        Scores of a pilot, or of past results: one row per question, one column per system, values 0
        to 1; or their CSV file; or the result of `evaluate` or `score`, of which the F1 of each
        question counts. Or the questions of a pilot, as for `compare`.
    runs
        The answers of systems to these questions, or the scores of further systems.
    error
        Target error: half the width of the 95 % interval.
    difference
        Plan for two systems that differ by this much. Default: as they do in the pilot.
    pool_size
        Size of the pool to sample from. Default: infinite.
    power
        Target power: the probability of detecting the difference of two systems.

    Returns
    -------
    Plan
        The questions for each system and each pair, for random samples and for ``lpm``.

    Raises
    ------
    UsageError
        If a number is out of its range, or there are fewer than two scores.
    DataError
        If the file cannot be read, or a value is not a score.

    Examples
    --------
    >>> import pandas as pd
    >>> pilot = pd.DataFrame({"mine": [0, 1] * 50}, index=[f"q{n}" for n in range(100)])
    >>> plan(pilot, error=0.1).errors[["system", "random"]].values.tolist()
    [['mine', 98]]
    """
    check_share("error", error)
    with collecting() as notes:
        table = pilot_scores(scores, runs)
        if difference is not None and len(table.columns) < 2:
            raise UsageError(
                "the questions that a difference requires depend on how two systems differ; give"
                " the scores of two"
            )

        error_rows = []
        for name, column in table.items():
            deviation = float(column.std(ddof=1))
            row: dict[str, object] = {"system": name, "mean": float(column.mean())}
            row["deviation"] = deviation
            for design, effect in DESIGNS.items():
                row[design] = questions_for_error(
                    column, error, pool_size=pool_size, design_effect=effect
                )
            error_rows.append(row)
            if not deviation:
                note(
                    f"{name}: all scores of the pilot are equal, so their variance cannot be"
                    " estimated"
                )

        difference_rows = []
        for first, second in itertools.combinations(table.columns, 2):
            gaps = table[first] - table[second]
            systems = f"{first} - {second}"
            planned = float(gaps.mean())
            target = None
            if difference is not None:
                # the system that is better in the pilot stays the better one
                target = math.copysign(difference, planned)
                planned = difference
            row = {"systems": systems, "difference": planned}
            for design, effect in DESIGNS.items():
                row[design] = questions_for_difference(
                    gaps, difference=target, pool_size=pool_size, design_effect=effect, power=power
                )
            difference_rows.append(row)
            if None in row.values():
                note(f"{systems}: {_why_no_size(gaps, difference, pool_size)}")

    columns = ["systems", "difference", *DESIGNS]
    return Plan(
        errors=_with_whole_numbers(pd.DataFrame(error_rows, dtype=object)),
        differences=_with_whole_numbers(
            pd.DataFrame(difference_rows, columns=columns, dtype=object)
        ),
        error=error,
        power=power,
        pool_size=pool_size,
        notes=tuple(notes),
    )


def pilot_scores(
    scores: Any,  # noqa: ANN401 - scores of any kind, or questions
    runs: Sequence[Any] = (),
) -> pd.DataFrame:
    """Return scores with a column for each system; note how answers were scored."""
    if not runs and isinstance(scores, (str, Path)):
        return read_scores(scores)
    if not runs and isinstance(scores, pd.DataFrame):
        if all(map(pd.api.types.is_numeric_dtype, scores.dtypes)):
            return scores
        all_scores = list(evaluate(scores))  # with texts it is a table of questions and answers
    else:
        all_scores = list(scores) if isinstance(scores, (list, tuple, Evaluation)) else [scores]
        all_scores += runs
        if runs and not isinstance(all_scores[0], Scores):
            all_scores = list(evaluate(scores, runs if len(runs) > 1 else runs[0]))
            note(
                *notes_of(all_scores), f"F1 of each question, matched by {all_scores[0].judged_by}"
            )

    for value in all_scores:
        if not isinstance(value, Scores):
            raise UsageError(
                f"a plan needs scores, or questions and runs, not a {type(value).__name__}:"
                " qg.plan(gold, run, ...) or qg.plan(qg.score(gold, run), ...)"
            )

    check_names(run_scores.name for run_scores in all_scores)
    columns = {run_scores.name: run_scores.counts["f1"] for run_scores in all_scores}
    return pd.DataFrame(columns).dropna()  # the questions that all of them have


def _why_no_size(gaps: pd.Series[float], difference: float | None, pool_size: int | None) -> str:
    """Say why no number of questions finds the difference of two systems."""
    if gaps.nunique() == 1:
        relation = "differ by the same" if gaps.mean() else "are equal"
        return (
            f"their scores {relation} on every question of the pilot, so it does not say how many"
            " questions a difference takes"
        )
    if difference is None and pool_size is None:
        return "they are equal on average in the pilot; plan for a `difference`, such as 0.05"
    if pool_size is None:
        return f"in the pilot no question shows a difference of {difference:g} or more"
    size = abs(float(gaps.mean())) if difference is None else difference
    return f"not even all {pool_size:,} questions of the pool would show a difference of {size:.3f}"


def _with_whole_numbers(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table in which numbers of questions are integers, or missing."""
    columns = {}
    for name in table.columns:
        numbers = table[name].tolist()
        # pandas would turn whole numbers into floats in a column with a missing one
        columns[name] = pd.Series(numbers, dtype=object if None in numbers else None)
    return pd.DataFrame(columns)
