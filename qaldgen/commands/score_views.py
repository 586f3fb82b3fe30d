"""The tables that ``qaldgen score`` prints, for people (rounded, side by side) and for programs (long, exact)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from qaldgen.commands import common

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.analysis.slices import Slice
    from qaldgen.scoring.gold import Gold
    from qaldgen.scoring.score import Scores

#: Forms of tables that programs read.
FOR_PROGRAMS = ("csv", "json")
#: Runs beside each other in text; more stand below.
_ABREAST = 4
_LONGEST = 60


def summary(
    gold: Gold, scored: Sequence[Scores], form: str, *, rules: Sequence[str], measure: str | None,
    weights: pd.Series[float] | None, seed: int,
) -> pd.DataFrame:  # fmt: skip
    """Return the measures of whole runs, or the one that is named; what became of the questions is told beside them."""
    from qaldgen.analysis.summary import side_by_side, status_table, summarise
    from qaldgen.scoring.measures import MEASURES

    population = gold.benchmark.pool_size if gold.benchmark and gold.benchmark.provenance.method == "random" else None
    wanted = [measure] if measure else list(MEASURES)
    found = summarise(scored, missing=rules, measures=wanted, weights=weights, population=population, random_state=seed)
    if form in FOR_PROGRAMS:
        return found
    click.echo(dump(status_table(scored), "text", keys=1), err=True)
    tell(scored, rules, weights)
    return side_by_side(found)


def tell(scored: Sequence[Scores], rules: Sequence[str], weights: pd.Series[float] | None, measure: str = "") -> None:
    """Say how the numbers of a table were made."""
    from qaldgen.analysis.intervals import FEWEST
    from qaldgen.scoring.measures import MEASURES
    from qaldgen.scoring.missing import RULES

    said = [MEASURES[measure].label] if measure else []
    said += [f"matched by {scored[0].match}", " / ".join(RULES[rule] for rule in rules)]
    said += ["weighted as the benchmark says"] if weights is not None else []
    click.echo(f"{'; '.join(said)}; 95 % intervals, none below {FEWEST} questions", err=True)


def question_rows(gold: Gold, scored: Sequence[Scores], form: str, *, rule: str) -> pd.DataFrame:
    """Return one row for each run and question; for people long texts are cut."""
    import pandas as pd

    from qaldgen.scoring.frame import response_to

    asked = {question.id: question for question in gold.questions.questions}
    parts = []
    for one in scored:
        frame = one.with_missing(rule).reset_index()
        frame.insert(0, "run", one.name)
        ids = frame["id"].tolist()
        frame = frame.drop(columns=["expected", "returned", "hit"])
        frame["question"] = [_text(asked[id_].text(), form) for id_ in ids]
        frame["gold"] = _lists((_values(asked[id_].answers, form) for id_ in ids), len(ids))
        frame["given"] = _lists((_values(response_to(asked[id_], one.run).answers, form) for id_ in ids), len(ids))
        parts.append(frame)
    return pd.concat(parts, ignore_index=True)


def _lists(values: Iterator[Any], size: int) -> pd.Series[Any]:
    """Return a column whose cells may be lists."""
    import pandas as pd

    return pd.Series(list(values), index=range(size), dtype=object)


def _text(text: str, form: str) -> str:
    return text if form in FOR_PROGRAMS or len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _values(answers: object, form: str) -> str | list[str]:
    """Return answers: a list in JSON, lines in CSV, the first three by their last part for people."""
    from qaldgen.model import Answers

    values = list(answers.values()) if isinstance(answers, Answers) else []
    if form == "json":
        return values
    if form == "csv":
        return "\n".join(values)
    short = ", ".join(value.rpartition("/")[2] or value if "://" in value[:8] else _text(value, form) for value in values[:3])
    return _text(short, form) + (f" ({len(values):,} in all)" if len(values) > 3 else "")


def slice_rows(
    scored: Sequence[Scores], slices: Sequence[Slice], form: str, *, measure: str, rules: Sequence[str],
    weights: pd.Series[float] | None, seed: int,
) -> pd.DataFrame:  # fmt: skip
    """Return the score of each run on all questions and on each slice."""
    import pandas as pd

    from qaldgen.analysis.slices import ALL, Slice, group_scores
    from qaldgen.analysis.summary import slices_side_by_side
    from qaldgen.scoring.missing import SHORT_RULES

    everywhere = [Slice(ALL, tuple(str(id_) for id_ in scored[0].counts.index)), *slices]
    parts = []
    for one in scored:
        for rule in rules:
            found = group_scores(one.with_missing(rule), everywhere, measure, weights=weights, random_state=seed).reset_index()
            found.insert(0, "run", one.name)
            found.insert(1, "missing", rule)
            parts.append(found)
    table = pd.concat(parts, ignore_index=True)
    if form in FOR_PROGRAMS:
        return table
    tell(scored, rules, weights, measure)
    if len(rules) > 1:
        table["run"] += [f" ({SHORT_RULES[rule]})" for rule in table["missing"]]
    return slices_side_by_side(table)


def estimates(
    gold: Gold, scored: Sequence[Scores], slices: Sequence[Slice], form: str, *, measure: str, others: str | None,
    families: Sequence[str] = (),
) -> pd.DataFrame:  # fmt: skip
    """Return the estimate of the score of each run, and of each difference of two, on the whole pool and on slices of it."""
    from qaldgen.analysis.estimates import estimate_runs
    from qaldgen.analysis.score_table import read_scores
    from qaldgen.scoring.measures import MEASURES

    known = read_scores(others) if others else None
    systems = [one.name for one in scored] + ([] if known is None else [str(name) for name in known.columns])
    related = common.read_families(families, list(dict.fromkeys(systems)))
    found = estimate_runs(gold, scored, measure=measure, slices=slices, others=known, families=related)
    if form not in FOR_PROGRAMS:
        click.echo(f"{MEASURES[measure].label} on the whole pool; a missing answer counts as 0; 95 % intervals", err=True)
    return found


def subtask_rows(gold: Gold, scored: Sequence[Scores], form: str, *, same_as: str, lang: str) -> pd.DataFrame:
    """Return GERBIL's sub-experiments: one row a number, for people one column a run."""
    import pandas as pd

    from qaldgen.scoring.gerbil.subtasks import sub_experiments

    rows = [
        {"run": one.name, "experiment": name, "measure": label, "value": value, "questions": len(one.counts)}
        for one in scored
        for name, found in sub_experiments(gold.questions.questions, one.run, same_as=same_as, language=lang).items()
        for label, value in found.items()
    ]
    table = pd.DataFrame(rows, columns=["run", "experiment", "measure", "value", "questions"])
    if form in FOR_PROGRAMS:
        return table
    click.echo(f"queries compared as GERBIL does, {len(scored[0].counts):,} questions", err=True)
    wide = table.pivot_table(index=["experiment", "measure"], columns="run", values="value", sort=False, dropna=False)
    return wide[[one.name for one in scored]].reset_index().rename_axis(columns=None) if rows else table


def dump(table: pd.DataFrame, form: str, *, keys: int | None = None) -> str:
    """Return a table in a form; where a text table has a column for each of many runs, several, each with the first `keys`."""
    from qaldgen.reports.tables.results import dump_frame

    if form == "latex":
        return dump_frame(table, form, keys=keys or 1)
    if keys is None or form != "text" or table.shape[1] <= keys + _ABREAST:
        return dump_frame(table, form)
    starts = range(keys, table.shape[1], _ABREAST)
    columns = [[*range(keys), *range(at, min(at + _ABREAST, table.shape[1]))] for at in starts]
    return "\n".join(dump_frame(table.iloc[:, own], form) for own in columns)
