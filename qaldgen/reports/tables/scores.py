"""Scores as tables.

The measures of whole runs, by question, by slice, and GERBIL's sub-experiments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from qaldgen.analysis.intervals import FEWEST
from qaldgen.analysis.slicing import ALL, Slice, group_scores
from qaldgen.analysis.summary import (
    shown,
    side_by_side,
    slices_side_by_side,
    status_table,
    summarise,
)
from qaldgen.model import Answers
from qaldgen.scoring.count_table import response_to
from qaldgen.scoring.gerbil.subtasks import sub_experiments
from qaldgen.scoring.gold import Gold
from qaldgen.scoring.matchers import MATCHERS
from qaldgen.scoring.measures import MEASURES, higher_is_better, named
from qaldgen.scoring.missing import DEFAULT, RULES, SHORT_RULES
from qaldgen.scoring.outcomes import OUTCOME_COLUMNS
from qaldgen.scoring.score import Scores

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "FEWEST",
    "MEASURES",
    "RULES",
    "SHORT_RULES",
    "Slice",
    "by_question",
    "by_slice",
    "higher_is_better",
    "named",
    "shown",
    "side_by_side",
    "slices_side_by_side",
    "status_table",
    "subtasks",
    "summary",
]


def summary(
    gold: Gold,
    scored: Sequence[Scores],
    *,
    measures: Sequence[str] | None = None,
    missing: Sequence[str] = (DEFAULT,),
    weights: pd.Series[float] | None = None,
    random_state: int = 0,
) -> pd.DataFrame:
    """Return the measures of runs with intervals, narrower for a large part of a finite pool."""
    # only simple random samples get the finite-population correction
    population = (
        gold.benchmark.pool_size
        if gold.benchmark and gold.benchmark.provenance.method == "random"
        else None
    )
    return summarise(
        scored,
        missing=missing,
        measures=measures,
        weights=weights,
        population=population,
        random_state=random_state,
    )


def by_question(gold: Gold, scored: Sequence[Scores], *, missing: str = DEFAULT) -> pd.DataFrame:
    """Return one row for each run and question.

    ``run``, ``id``, the counts, the question, gold and given answers.

    Where the matcher can say which rule decided, ``rule`` says it.
    """
    import pandas as pd

    asked = {question.id: question for question in gold.questions.questions}
    parts = []
    for one in scored:
        frame = one.with_missing(missing).reset_index()
        frame.insert(0, "run", one.name)
        ids = frame["id"].tolist()
        frame["question"] = [asked[name].text() for name in ids]
        # lists in cells, so that programs need not split texts
        frame["gold"] = _cells([_values(asked[name].answers) for name in ids])
        given = [response_to(asked[name], one.run) for name in ids]
        frame["given"] = _cells([_values(response.answers) for response in given])
        explain = MATCHERS[one.match].explain
        if explain is not None:
            frame["rule"] = [
                explain(asked[name], response, one.rules)
                for name, response in zip(ids, given, strict=True)
            ]
        parts.append(
            frame.drop(columns=["expected", "returned", "hit", *OUTCOME_COLUMNS], errors="ignore")
        )
    return pd.concat(parts, ignore_index=True)


def _cells(values: list[list[str]]) -> pd.Series[Any]:
    """Return a column whose cells are lists."""
    import pandas as pd

    return pd.Series(values, index=range(len(values)), dtype=object)


def _values(answers: object) -> list[str]:
    return list(answers.values()) if isinstance(answers, Answers) else []


def by_slice(
    scored: Sequence[Scores],
    slices: Sequence[Slice],
    *,
    measure: str = "macro-f1",
    missing: Sequence[str] = (DEFAULT,),
    weights: pd.Series[float] | None = None,
    random_state: int = 0,
) -> pd.DataFrame:
    """Return the score of each run on all questions and on each slice."""
    import pandas as pd

    # all questions first, as a slice of their own, so that the columns are the same
    everywhere = [Slice(ALL, tuple(str(name) for name in scored[0].counts.index)), *slices]
    parts = []
    for one in scored:
        for rule in missing:
            counts = one.with_missing(rule)
            found = group_scores(
                counts, everywhere, measure, weights=weights, random_state=random_state
            ).reset_index()
            found.insert(0, "run", one.name)
            found.insert(1, "missing", rule)
            parts.append(found)
    return pd.concat(parts, ignore_index=True)


def subtasks(gold: Gold, scored: Sequence[Scores]) -> pd.DataFrame:
    """Return GERBIL's sub-experiments, which compare queries: one row for each run and number."""
    import pandas as pd

    rows = [
        {
            "run": one.name,
            "experiment": name,
            "measure": label,
            "value": value,
            "questions": len(one.counts),
        }
        for one in scored
        for name, found in sub_experiments(
            gold.questions.questions,
            one.run,
            same_as=one.rules.same_as,
            language=one.rules.language,
        ).items()
        for label, value in found.items()
    ]
    return pd.DataFrame(rows, columns=["run", "experiment", "measure", "value", "questions"])
