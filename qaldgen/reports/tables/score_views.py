"""Scores as tables for people (rounded, wide) or programs (exact, long), and what explains them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from qaldgen.analysis.intervals import FEWEST
from qaldgen.analysis.mistakes import outcome_table
from qaldgen.analysis.scores_by_edition import editions_of
from qaldgen.reports.tables import scores as tables
from qaldgen.reports.tables.results import FOR_PROGRAMS, dump_frame
from qaldgen.scoring.matchers import MATCHERS
from qaldgen.scoring.measures import alike, like_accuracy, measure_named
from qaldgen.scoring.missing import RULES, SHORT_RULES
from qaldgen.scoring.verdicts import JUDGE

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.analysis.estimating.known_scores import KnownScores
    from qaldgen.analysis.scores import Scores
    from qaldgen.analysis.slices.slicing import Slice
    from qaldgen.scoring.gold import Gold

#: Number of runs side by side in text tables; further runs follow below.
_ABREAST = 4
#: Characters of a text in a table for people.
_LONGEST = 60
_ALIKE = (
    "like its example: how many other questions of the cluster a run gets right or wrong as it does"
    " the example; in brackets the same among all questions, the chance level"
)
#: Columns that say what is right; verdicts of a judge have other names.
_TRUTHS = ("value", "estimate", "precision", "recall", "f1", "tp", "fp", "fn")


class View(NamedTuple):
    """A table as text, and the lines that explain it to people."""

    text: str
    told: Sequence[str] = ()


class ScoreOutput(NamedTuple):
    """What to show: gold, runs, table format, rules for missing answers, weights and seed."""

    gold: Gold
    scored: Sequence[Scores]
    form: str
    rules: Sequence[str]
    weights: pd.Series[float] | None
    seed: int

    @property
    def programs(self) -> bool:
        """Whether the table is read by a program."""
        return self.form in FOR_PROGRAMS


def summary(shown: ScoreOutput, measure: str | None) -> View:
    """Return the measures of whole runs, or only `measure`, with the questions by status."""
    wanted = [measure] if measure else None
    found = tables.summary(
        shown.gold,
        shown.scored,
        measures=wanted,
        missing=shown.rules,
        weights=shown.weights,
        random_state=shown.seed,
    )
    if shown.programs:
        return View(dump(unchecked(found, shown), shown.form, keys=1))
    told = [dump(tables.status_table(shown.scored), "text", keys=1), _how(shown)]
    if shown.form == "text" and MATCHERS[shown.scored[0].match].words:
        by_measure = found.groupby("measure", sort=False)
        same = like_accuracy({str(name): list(of["value"]) for name, of in by_measure})
        found = found[~found["measure"].isin(same)]
        told += [alike(same)] if same else []
    return View(dump(tables.side_by_side(found), shown.form, keys=1), told)


def edition_rows(shown: ScoreOutput, measure: str | None) -> View:
    """Return measures as ranges over editions, with who changes rank, and what it comes from."""
    found = editions_of(
        shown.scored,
        measure=measure or "macro-f1",
        missing=shown.rules[0],
        weights=shown.weights,
    )
    assert found is not None
    if shown.programs:
        rows = found.scores if measure is None else found.scores.query("measure == @measure")
        return View(dump(unchecked(rows, shown), shown.form))
    told = [
        f"matched by {shown.scored[0].match}; {RULES[shown.rules[0]]}; least to most of"
        f" {len(shown.scored[0].editions)} editions"
    ]
    if len(shown.scored) > 1:
        same = "No system changes its rank between the editions."
        told += [*(found.flips() or [same]), *found.sources()]
    return View(dump(tables.editions_side_by_side(found, measure), shown.form, keys=1), told)


def _how(shown: ScoreOutput, measure: str = "") -> str:
    """Say how the numbers of a table were computed."""
    said = [measure_named(measure).label] if measure else []
    said += [
        f"matched by {shown.scored[0].match}",
        " / ".join(RULES[rule] for rule in shown.rules),
    ]
    said += ["weighted by the benchmark"] if shown.weights is not None else []
    return f"{'; '.join(said)}; 95 % intervals, none below {FEWEST} questions"


def question_rows(shown: ScoreOutput) -> View:
    """Return one row per run and question; for people, long texts are truncated."""
    table = tables.by_question(shown.gold, shown.scored, missing=shown.rules[0])
    table["question"] = [_text(text, shown.form) for text in table["question"]]
    for name in ("gold", "given"):
        table[name] = table[name].map(lambda values: _values(values, shown.form))
    return View(dump(unchecked(table, shown), shown.form))


def unchecked(table: pd.DataFrame, shown: ScoreOutput) -> pd.DataFrame:
    """Return a table whose columns say so where a judge's verdicts take the place of the truth."""
    judged = shown.scored[0].match == JUDGE
    return table.rename(columns={name: f"judge_{name}" for name in _TRUTHS}) if judged else table


def _text(text: str, form: str) -> str:
    return text if form in FOR_PROGRAMS or len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _values(values: list[str], form: str) -> str | list[str]:
    """Format answers: a list for JSON, lines for CSV, the first three in short form for people."""
    if form == "json":
        return values
    if form == "csv":
        return "\n".join(values)
    # The last part of an IRI says what it is: Berlin for http://dbpedia.org/resource/Berlin.
    short = ", ".join(
        value.rpartition("/")[2] or value if "://" in value[:8] else _text(value, form)
        for value in values[:3]
    )
    return _text(short, form) + (f" ({len(values):,} in all)" if len(values) > 3 else "")


def slice_rows(shown: ScoreOutput, slices: Sequence[Slice], measure: str) -> View:
    """Return the scores of each run on all questions and on each slice."""
    # of clusters also their examples
    table = tables.by_slice(
        shown.scored,
        slices,
        measure=measure,
        missing=shown.rules,
        weights=shown.weights,
        random_state=shown.seed,
    )
    from qaldgen.analysis.slices.clusters import example_table

    examples = example_table(shown.gold, shown.scored, slices, measure=measure)
    if shown.programs:
        if len(examples):
            spoken = examples.rename(
                columns={"share": "like_example", "chance": "like_example_by_chance"}
            )
            table = table.merge(spoken.drop(columns=["text", "n"]), on=["run", "slice"], how="left")
        return View(dump(unchecked(table, shown), shown.form, keys=2))
    if len(shown.rules) > 1:
        table["run"] += [f" ({SHORT_RULES[rule]})" for rule in table["missing"]]
    wide = tables.slices_side_by_side(table)
    wide["slice"] = wide["slice"].map({one.name: one.label for one in slices}).fillna(wide["slice"])
    dumped = dump(wide, shown.form, keys=2 if "n" in wide else 1)
    how = _how(shown, measure)
    if not len(examples):
        return View(dumped, [how])
    return View(f"{dumped}\n{_example_rows(examples, shown)}", [how, _ALIKE])


def _example_rows(examples: pd.DataFrame, shown: ScoreOutput) -> str:
    """Return the table of representatives, and whether their clusters are answered alike."""
    import pandas as pd

    first = examples.drop_duplicates("slice")
    columns = {
        "slice": first["slice"].tolist(),
        "example": [_text(text, shown.form) for text in first["text"]],
    }
    for run, own in examples.groupby("run", sort=False):
        columns[str(run)] = [
            # NaN is the only number that differs from itself: the cluster has no other question.
            "-" if share != share else f"{share:.0%} ({chance:.0%})"
            for share, chance in zip(own["share"], own["chance"], strict=True)
        ]
    return dump(pd.DataFrame(columns), shown.form, keys=2)


def outcome_rows(shown: ScoreOutput, slices: Sequence[Slice]) -> View:
    """Return how often each outcome occurred."""
    import pandas as pd

    found = outcome_table(shown.scored, slices, missing=shown.rules[0], weights=shown.weights)
    if shown.programs:
        return View(dump(found, shown.form, keys=3))
    columns: dict[str, list[str]] = {}
    for run, rows in found.groupby("run", sort=False):
        cells = rows[["questions", "share"]].itertuples(index=False)
        columns[str(run)] = [
            # Weighted numbers of questions are not whole; a share of no questions is NaN.
            f"{number:,.5g} ({share:.1%})" if share == share else "-"
            for number, share in cells
        ]
    names = found[found["run"] == found["run"].iloc[0]][["slice", "outcome"]].reset_index(drop=True)
    table = pd.concat([names, pd.DataFrame(columns)], axis=1)
    return View(dump(table, shown.form, keys=2), [_how(shown)])


def subtask_rows(shown: ScoreOutput) -> View:
    """Return GERBIL's sub-experiments: one row per number, or for people one column per run."""
    table = tables.subtasks(shown.gold, shown.scored)
    if shown.programs:
        return View(dump(table, shown.form, keys=2))
    how = f"queries compared as GERBIL does, {len(shown.scored[0].counts):,} questions"
    if len(table):
        wide = table.pivot_table(
            index=["experiment", "measure"], columns="run", values="value", sort=False, dropna=False
        )
        table = wide[[one.name for one in shown.scored]].reset_index().rename_axis(columns=None)
    return View(dump(table, shown.form, keys=2), [how])


def estimates(
    shown: ScoreOutput,
    slices: Sequence[Slice],
    measure: str,
    known: KnownScores | None,
    *,
    verbose: bool = False,
) -> View:
    """Return estimates for the pool and its slices: of each run, and each difference of two."""
    from qaldgen.analysis.estimating.estimate import estimate_runs

    found = estimate_runs(shown.gold, shown.scored, measure=measure, slices=slices, known=known)
    label = measure_named(measure).label
    how = f"{label} on the whole pool; a missing answer counts as 0; 95 % intervals"
    if shown.programs or verbose:
        told = [] if shown.programs else [how]
        return View(dump(unchecked(found, shown), shown.form), told)
    return View(dump(_estimates_for_people(found, slices), shown.form), [how])


def _estimates_for_people(found: pd.DataFrame, slices: Sequence[Slice]) -> pd.DataFrame:
    """Return the estimates with their intervals, and of how many questions they are."""
    import pandas as pd

    labels = {part.name: part.label for part in slices}
    return pd.DataFrame(
        {
            "questions": [labels.get(name, name) for name in found["slice"]],
            "run": [
                run if how in {"sample", "difference"} else f"{run} ({how})"
                for run, how in found[["run", "estimator"]].itertuples(index=False)
            ],
            "estimate": [
                tables.score_with_interval(*row)
                for row in found[["estimate", "low", "high"]].itertuples(index=False)
            ],
            "asked": found["questions"],
            "of the pool": found["pool"],
        }
    )


def dump(table: pd.DataFrame, form: str, *, keys: int | None = None) -> str:
    """Format a table."""
    # text tables with many runs are split, each part repeating the first `keys` columns
    if form == "latex":
        return dump_frame(table, form, keys=keys or 1)
    if keys is None or form != "text" or table.shape[1] <= keys + _ABREAST:
        return dump_frame(table, form)
    starts = range(keys, table.shape[1], _ABREAST)
    columns = [[*range(keys), *range(at, min(at + _ABREAST, table.shape[1]))] for at in starts]
    return "\n".join(dump_frame(table.iloc[:, own], form) for own in columns)
