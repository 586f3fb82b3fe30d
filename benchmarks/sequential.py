"""Do the stopping rules keep their promises? The goals of docs/plugins/stopping.md.

Run it with the folder of the matrices (``Y_*.csv`` scores, ``F_*.csv`` features); it prints
Markdown:

    python benchmarks/sequential.py ../shared/data/system-scores --repeats 300 --jobs 2
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from stopping_study import study_sequential

from qaldgen.analysis.score_files import read_scores
from qaldgen.reports.tables.results import dump_frame

#: Prompts of one model are a family; every other system is one of its own.
FAMILIES = {"FLAN-T5-prompt": "FLAN-T5", "davinci2-prompt": "davinci2"}
KBQA, LLM = "qald9_kbqa", "qald9_en"


class Goal(NamedTuple):
    """A figure of a rule on a matrix, and the range that it should be in."""

    data: str
    rule: str
    figure: str
    low: float
    high: float


def goals() -> list[Goal]:
    """Return every goal."""
    found = []
    for data in (KBQA, LLM):
        found += [Goal(data, f"beginning of {n}: deff", "right", 0.0, 0.9) for n in (50, 100, 200)]
        for rule in ("until +-0.05", "until +-0.03"):
            found += [Goal(data, rule, "right", 0.94, 0.98), Goal(data, rule, "worst", 0.92, 1.0)]
        for rule in ("known baseline, equal systems", "paired, equal systems"):
            found += [
                Goal(data, rule, "wrong", 0.0, 0.05),
                Goal(data, rule, "worst_wrong", 0.0, 0.08),
            ]
        found.append(Goal(data, "race: best is kept", "right", 0.95, 1.0))
    most = {
        "until +-0.05": (145, 138),
        "until +-0.03": (236, 258),
        "known baseline": (77, 105),
        "paired": (96, 118),
        "race: best is kept": (560, 900),
    }
    found += [
        Goal(data, rule, "questions", 0, both[at])
        for rule, both in most.items()
        for at, data in enumerate((KBQA, LLM))
    ]
    least = {"known baseline": (0.93, 0.82), "paired": (0.90, 0.77)}
    found += [
        Goal(data, rule, "right", both[at], 1.0)
        for rule, both in least.items()
        for at, data in enumerate((KBQA, LLM))
    ]
    return found


def main() -> None:
    """Print the tables and the goals."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeats", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    found: dict[str, pd.DataFrame] = {}
    for data in (KBQA, LLM):
        scores = read_scores(asked.folder / f"Y_{data}.csv")
        table = study_sequential(
            scores,
            asked.folder / f"F_{data}.csv",
            families={name: kind for name, kind in FAMILIES.items() if name in scores.columns},
            n_repeats=asked.repeats,
            n_jobs=asked.jobs,
        ).table
        found[data] = table.set_index("rule")
        print(f"## {data}, {asked.repeats} orders\n")
        print(dump_frame(table, "markdown"), flush=True)
    print("## Goals\n")
    rows = [
        (*goal, float(found[goal.data].to_dict("index")[goal.rule][goal.figure]))
        for goal in goals()
    ]
    table = pd.DataFrame(rows, columns=["data", "rule", "figure", "low", "high", "value"])
    print(
        dump_frame(
            table.assign(reached=table["value"].between(table["low"], table["high"])), "markdown"
        )
    )


if __name__ == "__main__":
    main()
