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

from qaldgen.analysis.score_files import read_scores
from qaldgen.plugins.suite.decisions import (
    ALPHA,
    KindLook,
    decide,
    deviation_of,
    look_at,
    size_for,
    sizes_of,
)
from qaldgen.plugins.suite.making import DISAGREEMENT
from qaldgen.reports.tables.results import dump_frame
from qaldgen.scoring.mean_bounds import Array
from qaldgen.selection.vectors import Indices

KINDS, FALL, POWER = 16, 0.2, 0.8
MATRICES = ("qald9_kbqa", "qald9_en")


class Ran(NamedTuple):
    """What one run of a suite gave."""

    verdicts: dict[str, str]
    asked: int
    at_hand: int  # questions of the suite
    fixed: set[str]  # kinds that a test after all questions calls worse, with Holm's correction


def possible_kinds(features: pd.DataFrame) -> dict[str, Indices]:
    """Return the questions of kinds: those with more of a feature than half of them have."""
    found = {}
    for name in features.columns:
        has = (features[name] > features[name].median()).to_numpy()
        if 30 <= has.sum() <= 0.7 * len(has):
            found[name] = np.flatnonzero(has)
    return found


def run(kinds: dict[str, Indices], size: int, apart: Array, rng: np.random.Generator) -> Ran:
    """Draw a suite, and run it on the differences of two systems."""
    # one order for all kinds, as a suite has it, but for the spread over features
    order = rng.permutation(len(apart))
    orders = {kind: order[np.isin(order, rows)][:size] for kind, rows in kinds.items()}
    plans = {kind: sizes_of(len(order)) for kind, order in orders.items()}
    looks: dict[str, list[KindLook]] = {kind: [] for kind in kinds}
    asked: set[int] = set()
    while going := [
        kind for kind, outcome in decide(plans, looks, FALL).items() if not outcome.verdict
    ]:
        for kind in going:
            prefix = orders[kind][: plans[kind][len(looks[kind])]]
            asked.update(prefix.tolist())
            looks[kind].append(look_at(apart[prefix]))
    verdicts = {kind: outcome.verdict for kind, outcome in decide(plans, looks, FALL).items()}
    last = {kind: (len(order),) for kind, order in orders.items()}
    whole = {kind: [look_at(apart[order])] for kind, order in orders.items()}
    fixed = {kind for kind, one in decide(last, whole, FALL).items() if one.verdict == "worse"}
    at_hand = len(set(itertools.chain(*(order.tolist() for order in orders.values()))))
    return Ran(verdicts, len(asked), at_hand, fixed)


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


def simulated(folder: Path, data: str, repeats: int) -> list[dict[str, object]]:
    """Return the figures of a matrix: with nothing planted, with a fall in one kind, in two."""
    scores = read_scores(folder / f"Y_{data}.csv")
    possible = possible_kinds(pd.read_csv(folder / f"F_{data}.csv", index_col=0))
    rng = np.random.default_rng(0)
    pairs = list(itertools.combinations(scores.columns, 2))
    size = size_for(FALL, POWER, deviation_of(DISAGREEMENT, FALL), KINDS)
    rows = list[dict[str, object]]()
    for planted in (0, 1, 2):
        ran, told, promised, called, called_fixed = [], 0, 0, 0, 0
        for at in range(repeats):
            first, second = (scores[name].to_numpy() for name in pairs[at % len(pairs)])
            new, old = dealt(first, second, rng)
            chosen = rng.permutation(len(possible))[:KINDS]
            kinds = {list(possible)[place]: list(possible.values())[place] for place in chosen}
            able = [k for k, own in kinds.items() if len(own) >= size and new[own].mean() > FALL]
            fallen = [able[place] for place in rng.permutation(len(able))[:planted]]
            for kind in fallen[:planted]:
                new = with_fall(new, kinds[kind], rng)
            one = run(kinds, size, new - old, rng)
            ran.append(one)
            told += any(verdict in {"worse", "better"} for verdict in one.verdicts.values())
            promised += len(fallen)
            called += sum(one.verdicts[kind] == "worse" for kind in fallen)
            called_fixed += sum(kind in one.fixed for kind in fallen)
        rows.append(
            {
                "data": data,
                "falls": planted,
                "size": size,
                "any claim": told / repeats,
                "any worse": np.mean(["worse" in one.verdicts.values() for one in ran]),
                "called worse": called / promised if promised else np.nan,
                "called worse, all asked": called_fixed / promised if promised else np.nan,
                "asked": np.mean([one.asked / one.at_hand for one in ran]),
                "questions": np.mean([one.asked for one in ran]),
                "at hand": np.mean([one.at_hand for one in ran]),
            }
        )
    return rows


def main() -> None:
    """Print the figures and whether the goals are reached."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeats", type=int, default=2000)
    asked = parser.parse_args()
    rows = [row for data in MATRICES for row in simulated(asked.folder, data, asked.repeats)]
    table = pd.DataFrame(rows)
    print(dump_frame(table, "markdown"))
    equal, fallen = table[table["falls"] == 0], table[table["falls"] > 0]
    print(f"false alarms at most {ALPHA:.0%}: {bool((equal['any claim'] <= ALPHA).all())}")
    print(f"falls called worse, {POWER:.0%}: {bool((fallen['called worse'] >= POWER).all())}")
    print(f"at most 60 % of the questions: {bool((table['asked'] <= 0.6).all())}")


if __name__ == "__main__":
    main()
