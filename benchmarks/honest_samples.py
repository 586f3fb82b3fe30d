"""Which samples tell the truth.

The study of docs/fewer-questions.md on the score matrices, and the goals for 100 questions.

Run it with the folder of the matrices (``Y_*.csv`` scores, ``F_*.csv`` features); it prints
Markdown:

    python benchmarks/honest_samples.py ../shared/data/system-scores --repeats 300 --jobs 2
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from score_tables import read_features
from study import draw_study, study

from qaldgen.analysis.score_files import read_scores
from qaldgen.reports.tables.results import dump_frame

#: Prompts of one model are a family; every other system is one of its own.
FAMILIES = {"FLAN-T5-prompt": "FLAN-T5", "davinci2-prompt": "davinci2"}
SIZES = (25, 50, 100, 200)
HONEST = ("random", "lpm", "hybrid", "stratified")
SHOWN = [
    "method",
    "n",
    "design",
    "mae",
    "mae_se",
    "bias",
    "deff",
    "effective_size",
    "tau",
    "coverage",
    "worst_coverage",
    "width",
    "D",
]


class Goal(NamedTuple):
    """A figure at 100 questions, and what it should reach."""

    data: str
    method: str
    others: bool
    figure: str
    low: float
    high: float


GOALS = (
    Goal("qald9_kbqa", "lpm", False, "mae", 0.0, 0.0245),
    Goal("qald9_kbqa", "lpm", True, "mae", 0.0, 0.024),
    Goal("qald9_en", "lpm", False, "mae", 0.0, 0.033),
    Goal("qald9_en", "lpm", True, "mae", 0.0, 0.024),
    *(
        Goal(data, "lpm", others, "farthest-first", 0.94, 0.98)
        for data in ("qald9_kbqa", "qald9_en")
        for others in (False, True)
    ),
    *(
        Goal(data, "lpm", others, "worst_coverage", 0.9, 1.0)
        for data in ("qald9_kbqa", "qald9_en")
        for others in (False, True)
    ),
    Goal("qald9_kbqa", "hybrid", False, "D", 0.27, 1.0),
    Goal("qald9_kbqa", "hybrid", False, "mae", 0.0, 0.03),
    Goal("qald9_kbqa", "hybrid", False, "farthest-first", 0.94, 1.0),
)


def run(folder: Path, data: str, repeats: int, jobs: int, *, others: bool) -> pd.DataFrame:
    """Return the table of the study for one matrix.

    With other systems' results only the honest designs.
    """
    scores, vectors = read_scores(folder / f"Y_{data}.csv"), read_features(folder / f"F_{data}.csv")
    families = {name: family for name, family in FAMILIES.items() if name in scores.columns}
    return study(
        scores,
        vectors,
        sizes=[size for size in SIZES if size < len(vectors)],
        methods=HONEST if others else (),
        n_repeats=repeats,
        others=families if others else None,
        n_jobs=jobs,
    ).table


def main() -> None:
    """Print the tables and the goals; draw the pictures where --pictures names a folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeats", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--pictures", type=Path)
    asked = parser.parse_args()
    found: dict[tuple[str, bool], pd.DataFrame] = {}
    for data in ("qald9_kbqa", "qald9_en"):
        for others in (False, True):
            table = found[data, others] = run(
                asked.folder, data, asked.repeats, asked.jobs, others=others
            )
            print(
                f"## {data}{', with the results of other systems' if others else ''},"
                f" {asked.repeats} samples each\n"
            )
            print(dump_frame(table[SHOWN], "markdown"), flush=True)
            if asked.pictures and not others:
                (asked.pictures / f"{data}.png").write_bytes(draw_study(table, "png"))
    print("## Goals at 100 questions\n")
    print(
        dump_frame(
            pd.DataFrame([_reached(goal, found[goal.data, goal.others]) for goal in GOALS]),
            "markdown",
        )
    )


def _reached(goal: Goal, table: pd.DataFrame) -> dict[str, object]:
    value = float(
        table[(table["method"] == goal.method) & (table["n"] == 100)][goal.figure].iloc[0]
    )
    wanted = f"{goal.low:g} to {goal.high:g}"
    reached = goal.low <= value <= goal.high
    asked = {"data": goal.data, "method": goal.method, "others": goal.others, "figure": goal.figure}
    return {**asked, "wanted": wanted, "value": value, "reached": reached}


if __name__ == "__main__":
    main()
