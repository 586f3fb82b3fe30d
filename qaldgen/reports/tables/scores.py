"""Scores as tables.

The measures of whole runs, by question, by slice, over editions of the gold, and GERBIL's
sub-experiments; long for programs, and side by side for people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from qaldgen.analysis.scores_by_edition import Editions
from qaldgen.analysis.slices.slicing import ALL, Slice, group_scores
from qaldgen.analysis.summary import summarise
from qaldgen.model import Answers
from qaldgen.runs.record import STATUSES
from qaldgen.scoring.count_table import response_to
from qaldgen.scoring.gerbil.subtasks import sub_experiments
from qaldgen.scoring.gold import Gold
from qaldgen.scoring.matchers import MATCHERS
from qaldgen.scoring.measures import measure_named
from qaldgen.scoring.missing import DEFAULT, SHORT_RULES
from qaldgen.scoring.outcomes import OUTCOME_COLUMNS
from qaldgen.scoring.score import NOT_JUDGED, Scores

if TYPE_CHECKING:
    import pandas as pd


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
    """Return one row for each run and question."""
    # ``run``, ``id``, the counts, the question, gold and given answers
    # where the matcher can say which rule decided, ``rule`` says it
    import pandas as pd

    asked = gold.questions.by_id
    parts = []
    for scores in scored:
        frame = scores.with_missing(missing).reset_index()
        frame.insert(0, "run", scores.name)
        ids = frame["id"].tolist()
        frame["question"] = [asked[name].text() for name in ids]
        # lists in cells, so that programs need not split texts
        frame["gold"] = _cells([_values(asked[name].answers) for name in ids])
        given = [response_to(asked[name], scores.run) for name in ids]
        frame["given"] = _cells([_values(response.answers) for response in given])
        explain = MATCHERS[scores.match].explain
        if explain is not None:
            frame["rule"] = [
                explain(asked[name], response, scores.rules)
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
    for scores in scored:
        for rule in missing:
            counts = scores.with_missing(rule)
            table = group_scores(
                counts, everywhere, measure, weights=weights, random_state=random_state
            ).reset_index()
            table.insert(0, "run", scores.name)
            table.insert(1, "missing", rule)
            parts.append(table)
    return pd.concat(parts, ignore_index=True)


def subtasks(gold: Gold, scored: Sequence[Scores]) -> pd.DataFrame:
    """Return GERBIL's sub-experiments, which compare queries: one row for each run and number."""
    import pandas as pd

    rows = [
        {
            "run": scores.name,
            "experiment": name,
            "measure": label,
            "value": value,
            "questions": len(scores.counts),
        }
        for scores in scored
        for name, found in sub_experiments(
            gold.questions.questions,
            scores.run,
            same_as=scores.rules.same_as,
            language=scores.rules.language,
        ).items()
        for label, value in found.items()
    ]
    return pd.DataFrame(rows, columns=["run", "experiment", "measure", "value", "questions"])


def status_table(scored: Sequence[Scores]) -> pd.DataFrame:
    """Return how many questions were answered, left empty, failed, timed out or not asked."""
    import pandas as pd

    rows = [*STATUSES, *([NOT_JUDGED] if any(one.unjudged for one in scored) else [])]
    columns = {
        one.name: [
            len(one.counts) + len(one.unjudged),
            *(one.statuses().get(name, 0) for name in rows),
        ]
        for one in scored
    }
    return pd.DataFrame({_head("questions", columns): ["all", *rows], **columns})


def _head(name: str, runs: Mapping[str, object]) -> str:
    """Return the head of the first column, which no run has."""
    while name in runs:
        name += " "
    return name


def side_by_side(summary: pd.DataFrame) -> pd.DataFrame:
    """Return a summary for people: one row per measure, one column per run."""
    import pandas as pd

    both = summary["missing"].nunique() > 1
    columns: dict[str, list[str]] = {}
    for (run, rule), rows in summary.groupby(["run", "missing"], sort=False):
        name = f"{run} ({SHORT_RULES[str(rule)]})" if both else str(run)
        values = [
            score_with_interval(*row)
            for row in rows[["value", "low", "high"]].itertuples(index=False)
        ]
        columns[name] = [*values, f"{rows['questions'].iloc[0]:,}"]
    labels = list(dict.fromkeys(summary["label"]))
    return pd.DataFrame({_head("measure", columns): [*labels, "Questions"], **columns})


def editions_side_by_side(found: Editions, measure: str | None) -> pd.DataFrame:
    """Return scores on several editions for people: ranges of all measures or one, then ranks."""
    import pandas as pd

    table, label = found.scores, measure_named(found.measure).label
    spans = table.drop_duplicates(["measure", "run"]).to_dict("records")
    ranked = table[table["measure"] == found.measure].to_dict("records")
    rows = [
        (
            row["run"],
            measure_named(row["measure"]).label,
            f"{row['least']:.4f} to {row['most']:.4f}",
        )
        for row in spans
        if measure in {None, row["measure"]}
    ]
    rows += [
        (row["run"], f"{label} on {row['edition']}", f"{row['value']:.4f} (rank {row['rank']})")
        for row in ranked
    ]
    columns: dict[str, list[str]] = {run: [] for run, _, _ in rows}
    for run, _, text in rows:
        columns[run].append(text)
    heads = list(dict.fromkeys(head for _, head, _ in rows))
    return pd.DataFrame({_head("measure", columns): heads, **columns})


def slices_side_by_side(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the scores on slices for people: one row per slice, one column per run."""
    import pandas as pd

    columns: dict[str, list[object]] = {"slice": list(dict.fromkeys(scores["slice"]))}
    runs = list(scores.groupby("run", sort=False))
    same = len({tuple(rows["n"]) for _, rows in runs}) == 1
    for name, rows in runs:
        if same:
            columns["n"] = rows["n"].tolist()
        else:
            columns[f"n, {name}"] = rows["n"].tolist()
        columns[str(name)] = [
            score_with_interval(*row)
            for row in rows[["estimate", "low", "high"]].itertuples(index=False)
        ]
    return pd.DataFrame(columns)


def score_with_interval(value: float, low: float, high: float) -> str:
    """Return a score with its interval as text, if there is one."""
    if value != value:
        return "undefined"
    return f"{value:.4f}" if low != low else f"{value:.4f} [{low:.3f}, {high:.3f}]"
