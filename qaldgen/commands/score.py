"""``qaldgen score``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from qaldgen.commands import common
from qaldgen.commands.scoring_options import (
    check_form,
    format_option,
    gold_weights,
    scored_runs,
    scoring_options,
    slice_options,
    wanted_slices,
)
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.analysis.slices import Slice
    from qaldgen.scoring.gold import Gold
    from qaldgen.scoring.score import Scores

_MISSING = {"zero": ("zero",), "skip": ("skip",), "both": ("zero", "skip")}


@click.command(epilog="Example: qaldgen score gold.json mine.json other.json --by answerType")
@click.argument("gold")
@click.argument("runs", nargs=-1, required=True)
@scoring_options
@click.option(
    "--missing", default="zero", show_default=True, help="A missing answer counts as 0: zero, is left out: skip, or both."
)
@click.option("-q", "--by-question", is_flag=True, help="One row a question: counts, scores, status, gold and given answers.")
@slice_options
@click.option(
    "--measure", default="macro-f1", show_default=True, metavar="NAME", help="The measure of --by, --where and --estimate."
)
@click.option(
    "--estimate", is_flag=True, help="Estimate the score on all questions from this benchmark, with an honest interval."
)
@click.option(
    "--others", metavar="FILE", help="Scores of other systems on all questions, to sharpen --estimate: CSV, see 'study'."
)
@click.option("--subtasks", is_flag=True, help="GERBIL's sub-experiments, from the queries: C2KB, P2KB, RE2KB, AType.")
@click.option("--seed", default=0, show_default=True, help="Of the bootstrap.")
@format_option
@click.option("-o", "--output", default="-", metavar="FILE", help="Where to write the table; - is stdout (default).")
@common.force_option
def command(
    gold: str, runs: tuple[str, ...], match: str, same_as: str, lang: str, aliases: str | None, gold_format: str | None,
    run_format: str | None, weighted: bool, missing: str, by_question: bool, by: tuple[str, ...], where: tuple[str, ...],
    measure: str, estimate: bool, others: str | None, subtasks: bool, seed: int, form: str, output: str, force: bool,
) -> None:  # fmt: skip
    """Score the answers of systems: GERBIL's numbers offline, per question, per slice, or as an estimate.

    GOLD is a question set or a benchmark; RUNS are files of answers: QALD JSON, the journal, id to answer, tables, free text.
    """
    from qaldgen.report.result_tables import dump_frame

    _check_call(missing, measure, [by_question, bool(by or where), estimate, subtasks], others, estimate)
    check_form(form)
    common.check_outputs([output], force=force)
    asked, scored = scored_runs(
        gold, runs, match=match, same_as=same_as, lang=lang, aliases=aliases, gold_format=gold_format, run_format=run_format
    )
    weights = gold_weights(asked, weighted)
    rules = _MISSING[missing]
    if by_question:
        table = _questions(asked, scored, people=form in {"text", "markdown", "latex"})
    elif by or where:
        table = _slices(scored, wanted_slices(asked, by, where, lang), measure, rules[0], weights, seed)
    elif estimate:
        table = _estimates(asked, scored, measure, others)
    elif subtasks:
        table = _subtasks(asked, scored, same_as, lang)
    else:
        table = _summary(asked, scored, rules, weights, seed, form)
    common.write_output(output, dump_frame(table, form).encode())


def _check_call(missing: str, measure: str, views: list[bool], others: str | None, estimate: bool) -> None:
    from qaldgen.scoring.measures import MEASURES

    if missing not in _MISSING:
        raise UsageError(f"--missing {missing}: choose one of {', '.join(_MISSING)}")
    if measure not in MEASURES:
        raise UsageError(f"--measure {measure}: choose one of {', '.join(MEASURES)}")
    if sum(views) > 1:
        raise UsageError("-q, --by/--where, --estimate and --subtasks are different tables; ask for one at a time")
    if others and not estimate:
        raise UsageError("--others sharpens an estimate; add --estimate")


def _summary(
    gold: Gold, scored: list[Scores], rules: tuple[str, ...], weights: pd.Series[float] | None, seed: int, form: str
) -> pd.DataFrame:
    """Return the measures; what was asked and what became of it is told beside them."""
    from qaldgen.analysis.summary import side_by_side, status_table, summarise
    from qaldgen.report.result_tables import dump_frame

    population = gold.benchmark.pool_size if gold.benchmark and gold.benchmark.provenance.method == "random" else None
    found = summarise(scored, missing=rules, weights=weights, population=population, random_state=seed)
    if form in {"csv", "json"}:
        return found
    click.echo(dump_frame(status_table(scored), "text"), err=True)
    means = {"zero": "a missing answer counts as 0", "skip": "missing answers are left out"}
    click.echo(f"matched by {scored[0].match}; {' / '.join(means[rule] for rule in rules)}; 95 % intervals", err=True)
    return side_by_side(found)


def _questions(gold: Gold, scored: list[Scores], *, people: bool) -> pd.DataFrame:
    """Return one row for each run and question; for people long answers are cut."""
    import pandas as pd

    by_id = {question.id: question for question in gold.questions.questions}
    parts = []
    for one in scored:
        frame = one.counts.reset_index()
        frame.insert(0, "run", one.name)
        frame = frame.drop(columns=["expected", "returned", "hit"])
        frame["question"] = [by_id[id_].text() for id_ in one.counts.index]
        frame["gold"] = [_values(by_id[id_].answers, people) for id_ in one.counts.index]
        frame["given"] = [_values(one.run.response(id_).answers, people) for id_ in one.counts.index]
        parts.append(frame)
    return pd.concat(parts, ignore_index=True)


def _values(answers: object, people: bool) -> str:
    from qaldgen.model import Answers

    values = answers.values() if isinstance(answers, Answers) else []
    if not people:
        return "\n".join(values)
    shown = ", ".join(value.rpartition("/")[2] or value for value in values[:3])
    more = f", ... ({len(values)})" if len(values) > 3 else ""
    return (shown if len(shown) < 60 else shown[:57] + "...") + more


def _slices(
    scored: list[Scores], slices: list[Slice], measure: str, rule: str, weights: pd.Series[float] | None, seed: int
) -> pd.DataFrame:
    """Return the score of each run on each slice."""
    import pandas as pd

    from qaldgen.analysis.slices import group_scores

    parts = []
    for one in scored:
        found = group_scores(one.with_missing(rule), slices, measure, weights=weights, random_state=seed).reset_index()
        found.insert(0, "run", one.name)
        parts.append(found)
    return pd.concat(parts, ignore_index=True)


def _estimates(gold: Gold, scored: list[Scores], measure: str, others: str | None) -> pd.DataFrame:
    from qaldgen.analysis.estimates import estimate_runs
    from qaldgen.analysis.score_table import read_scores

    known = read_scores(others) if others else None
    return estimate_runs(gold, scored, measure=measure, others=known)


def _subtasks(gold: Gold, scored: list[Scores], same_as: str, lang: str) -> pd.DataFrame:
    import pandas as pd

    from qaldgen.scoring.gerbil_subtasks import sub_experiments

    rows = [
        {"run": one.name, "experiment": name, "measure": label, "value": value}
        for one in scored
        for name, found in sub_experiments(gold.questions.questions, one.run, same_as=same_as, language=lang).items()
        for label, value in found.items()
    ]
    return pd.DataFrame(rows)
