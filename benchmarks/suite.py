"""Does a suite keep its promises? The goals of docs/plugins/suite.md, on real score matrices.

Run it with the folder of the matrices (``Y_*.csv`` scores, ``F_*.csv`` features); it prints
Markdown:

    python benchmarks/suite.py ../shared/data/system-scores --repeats 2000

Kinds are those of binary features, so they overlap. Equal systems are two systems whose scores are
dealt out to them anew in every repeat, question by question. A fall is planted in one kind of the
one, or in two: right answers become wrong ones at random, until the expected score is .2 lower.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import stdtr

from qaldgen.analysis.score_files import read_scores
from qaldgen.defaults import ALPHA
from qaldgen.plugins.suite.decisions import (
    InterimDifference,
    SuitePlan,
    interim_difference,
    plan_for,
    score_deviation,
)
from qaldgen.plugins.suite.making import DISAGREEMENT
from qaldgen.reports.tables.results import dump_frame
from qaldgen.scoring.mean_bounds import Array
from qaldgen.selection.arrays import Indices

KINDS, FALL, POWER = 16, 0.2, 0.8
RUNS_OF_A_SUITE = 50
MATRICES = ("qald9_kbqa", "qald9_en")


class Ran(NamedTuple):
    """What one run of a suite gave."""

    verdicts: dict[str, str]
    asked: int


class Drawn(NamedTuple):
    """A suite: its plan, and by kind the rows of its questions in the order of asking."""

    plan: SuitePlan
    orders: dict[str, Indices]  # the questions of the suite
    kinds: dict[str, Indices]  # all questions

    @property
    def largest(self) -> int:
        """The most questions of a kind."""
        return max(map(len, self.orders.values()))

    def questions(self, most: int) -> int:
        """Return how many questions are among the first of each kind."""
        return len(np.unique(np.concatenate([rows[:most] for rows in self.orders.values()])))


def possible_kinds(features: pd.DataFrame) -> dict[str, Indices]:
    """Return the questions of kinds: those with more of a feature than half of them have."""
    found = {}
    for name in features.columns:
        has = (features[name] > features[name].median()).to_numpy()
        if 30 <= has.sum() <= 0.7 * len(has):
            found[name] = np.flatnonzero(has)
    return found


def draw(possible: dict[str, Indices], questions: int, rng: np.random.Generator) -> Drawn:
    """Draw a suite of some kinds."""
    # one order for all kinds, as a suite has it, but for the spread over features
    order = rng.permutation(questions)
    names = [list(possible)[place] for place in rng.permutation(len(possible))[:KINDS]]
    orders = {name: order[np.isin(order, possible[name])] for name in names}
    as_lists = {name: rows.tolist() for name, rows in orders.items()}
    plan = plan_for(as_lists, FALL, POWER, score_deviation(DISAGREEMENT, FALL))
    first = {kind: rows[: plan.sizes[kind][-1]] for kind, rows in orders.items()}
    return Drawn(plan, first, orders)


def run(suite: Drawn, new: Array, old: Array) -> Ran:
    """Run a suite on the scores of two systems."""
    looks: dict[str, list[InterimDifference]] = {kind: [] for kind in suite.orders}
    asked: set[int] = set()
    outcomes = suite.plan.decide(looks)
    while going := [kind for kind, outcome in outcomes.items() if not outcome.verdict]:
        for kind in going:
            prefix = suite.orders[kind][: suite.plan.sizes[kind][len(looks[kind])]]
            asked.update(prefix.tolist())
            looks[kind].append(interim_difference((new - old)[prefix], old[suite.orders[kind]]))
        outcomes = suite.plan.decide(looks)
    return Ran({kind: outcome.verdict for kind, outcome in outcomes.items()}, len(asked))


def dealt(first: Array, second: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Deal the scores of two systems out to two that are equally good, question by question."""
    swap = rng.random(len(first)) < 0.5
    return np.where(swap, second, first), np.where(swap, first, second)


def with_fall(scores: Array, rows: Indices, rng: np.random.Generator) -> Array:
    """Return scores that are lower by `FALL` in expectation on some questions."""
    lost = rng.random(len(rows)) < FALL / scores[rows].mean()
    fallen = scores.copy()
    fallen[rows[lost]] = 0.0
    return fallen


def called_by_holm(suite: Drawn, apart: Array, most: int) -> set[str]:
    """Return the kinds that t-tests after so many questions of each call worse."""
    chances = {}
    for kind, rows in suite.orders.items():
        of_kind = apart[rows[:most]]
        error = of_kind.std(ddof=1) / np.sqrt(len(of_kind))
        chances[kind] = float(stdtr(len(of_kind) - 1, of_kind.mean() / error)) if error else 1.0
    called = set[str]()
    for kind in sorted(chances, key=chances.__getitem__):
        if chances[kind] > ALPHA / (len(chances) - len(called)):
            break
        called.add(kind)
    return called


def simulated(folder: Path, data: str, repeats: int) -> list[dict[str, object]]:
    """Return the figures of a matrix: with nothing planted, with a fall in one kind, in two."""
    scores = read_scores(folder / f"Y_{data}.csv")
    possible = possible_kinds(pd.read_csv(folder / f"F_{data}.csv", index_col=0))
    rng = np.random.default_rng(0)
    pairs = list(itertools.combinations(scores.columns, 2))
    suites = [draw(possible, len(scores), rng) for _ in range(max(1, repeats // RUNS_OF_A_SUITE))]
    return [
        {"data": data} | planted_falls(suites, scores, pairs, falls, runs, rng)
        for falls, runs in ((0, repeats), (1, repeats // 4), (2, repeats // 4))
    ]


def planted_falls(
    suites: list[Drawn],
    scores: pd.DataFrame,
    pairs: list[tuple[str, str]],
    falls: int,
    repeats: int,
    rng: np.random.Generator,
) -> dict[str, object]:
    """Return the figures with falls in so many kinds."""
    figures = []
    at_end: dict[int, list[tuple[int, int]]] = {}
    for at in range(repeats):
        suite = suites[at % len(suites)]
        first, second = (scores[name].to_numpy() for name in pairs[at % len(pairs)])
        new, old = dealt(first, second, rng)
        able = [
            kind
            for kind, rows in suite.orders.items()
            if len(rows) == suite.largest and new[rows].mean() > FALL
        ]
        fallen = [able[place] for place in rng.permutation(len(able))[:falls]]
        for kind in fallen:
            if new[suite.kinds[kind]].any():
                new = with_fall(new, suite.kinds[kind], rng)
        found = run(suite, new, old)
        verdicts = found.verdicts
        figures.append(
            {
                "worse": "worse" in verdicts.values(),
                "claim": bool({"worse", "better"} & set(verdicts.values())),
                "fallen": len(fallen),
                "called": sum(verdicts[kind] == "worse" for kind in fallen),
                "asked": found.asked,
                "at hand": suite.questions(suite.largest),
            }
        )
        for most in range(40, suite.largest + 1, 10):
            called = called_by_holm(suite, new - old, most) & set(fallen)
            at_end.setdefault(most, []).append((len(called), suite.questions(most)))
    table = pd.DataFrame(figures)
    power = table["called"].sum() / table["fallen"].sum() if falls else np.nan
    # the fewest questions with which tests at the end have the same power
    equal = np.nan
    for counts in reversed(at_end.values()):
        called, questions = np.sum(counts, axis=0)
        if falls and called / table["fallen"].sum() >= power:
            equal = questions / len(counts)
    return {
        "falls": falls,
        "size": np.mean([suite.largest for suite in suites]),
        "any worse": table["worse"].mean(),
        "any claim": table["claim"].mean(),
        "called worse": power,
        "questions": table["asked"].mean(),
        "asked": (table["asked"] / table["at hand"]).mean(),
        "at hand": table["at hand"].mean(),
        "tests at the end": equal,
    }


def main() -> None:
    """Print the figures and whether the goals are reached."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", nargs="+", default=MATRICES)
    parser.add_argument("--repeats", type=int, default=2000, help="with nothing planted")
    asked = parser.parse_args()
    rows = [row for data in asked.data for row in simulated(asked.folder, data, asked.repeats)]
    table = pd.DataFrame(rows)
    print(dump_frame(table, "markdown"))
    equal, fallen = table[table["falls"] == 0], table[table["falls"] > 0]
    print(f"false alarms at most {ALPHA:.0%}: {bool((equal['any claim'] <= ALPHA).all())}")
    print(f"falls called worse, {POWER:.0%}: {bool((fallen['called worse'] >= POWER).all())}")
    print(f"at most 60 % of the questions: {bool((table['asked'] <= 0.6).all())}")


if __name__ == "__main__":
    main()
