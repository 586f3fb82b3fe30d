"""``qaldgen compare``."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from qaldgen import api
from qaldgen.commands import common, groups
from qaldgen.commands.gate import show
from qaldgen.commands.listing import listing_command
from qaldgen.commands.score_views import FOR_PROGRAMS
from qaldgen.commands.scoring_options import (
    Cuts,
    ScoringOptions,
    TestOptions,
    common_questions,
    gold_weights,
    is_outcome,
    measure_option,
    missing_option,
    scored_runs,
    scoring_options,
    slice_options,
    test_options,
    wanted_slices,
)
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen import Comparison, Scores
    from qaldgen.api.questions import Gold, Reading


@dataclasses.dataclass(frozen=True)
class View:
    """What is compared and shown."""

    by_question: bool
    measure: str
    sequential: bool
    largest: int | None
    plot: str | None

    def check(self, runs: int, idle: dict[str, bool]) -> None:
        """Refuse options that have no effect with or without --sequential.

        Parameters
        ----------
        runs
            Number of runs given.
        idle
            Option to whether it was given, for the options that --sequential excludes.

        Raises
        ------
        UsageError
            For the first such option; also if not exactly two runs are to be compared in sequence.
        """
        if not self.sequential:
            alone = (
                "--max" if self.largest is not None else "--plot" if self.plot is not None else ""
            )
            if alone:
                raise UsageError(f"{alone} is about the looks before the end; add --sequential")
            return
        if runs != 2:
            raise UsageError(
                f"--sequential compares two runs, and these are {runs}; 'qaldgen race' finds the"
                " best of several"
            )
        if self.plot is not None and not self.plot.endswith((".png", ".svg")):
            raise UsageError(f"{self.plot}: unknown picture format; use .png or .svg")
        said = next((name for name, given in idle.items() if given), None)
        if said is not None:
            raise UsageError(
                f"{said} does not go with --sequential: the size of a slice in the pool is not"
                " known, and weights are equal"
            )


@listing_command(
    epilog="Example: qaldgen compare gold.json mine.json other.json --by answerType --by whType"
)
@click.argument("gold")
@click.argument("runs", nargs=-1, required=True)
@scoring_options
@slice_options(missing_option())
@groups.grouped(
    "view",
    View,
    click.option(
        "-q",
        "--by-question",
        is_flag=True,
        help="Print one row per question: the F1 of every system, side by side.",
    ),
    measure_option(),
    click.option(
        "--sequential",
        is_flag=True,
        help=(
            "Two runs that need not be finished: look at the questions both have so far, and stop."
            " Keeps no looks."
        ),
    ),
    click.option(
        "--max",
        "largest",
        type=click.IntRange(min=1),
        metavar="N",
        help="With --sequential: the most questions.",
    ),
    click.option(
        "--plot",
        metavar="FILE",
        help="With --sequential: draw the difference against the questions asked.",
    ),
)
@test_options(seed="Seed of the random resamples.")
@groups.table_options(output="Output file for the table of tests; - is stdout (default).")
def command(
    gold: str,
    runs: tuple[str, ...],
    scoring: ScoringOptions,
    reading: Reading,
    cuts: Cuts,
    view: View,
    tests: TestOptions,
    out: groups.Output,
) -> None:
    """Compare systems on the same questions, overall and by slice, with significance tests.

    Runs are compared on the questions that all of them were asked. p-values are corrected for the
    number of pairs, and on slices also for the number of slices; the tests on all questions do not
    depend on the slices.
    """
    api.checks.check_table_form(out.form)
    api.checks.check_measure(view.measure)
    how = tests.read()
    api.checks.check_missing(cuts.missing)
    if len(runs) < 2:
        raise UsageError("a comparison needs at least two runs; use 'qaldgen score' for one")
    idle = {
        "-q": view.by_question,
        "--by": bool(cuts.by),
        "--where": bool(cuts.where),
        "--weighted": scoring.weighted,
    }
    view.check(len(runs), idle)
    outputs = [out.output, *([view.plot] if view.plot else [])]
    common.check_outputs(
        outputs, force=out.force, inputs=[gold, *runs, scoring.aliases, cuts.clusters, *cuts.where]
    )
    cuts.check()
    asked, scored = scored_runs(gold, runs, scoring, reading, outcomes=is_outcome(view.measure))
    if view.sequential:
        looked = api.stopping.compare_in_order(
            asked, scored, measure=view.measure, largest=view.largest
        )
        common.notes(looked.notes)
        show(looked, out, view.plot)
        return
    asked = cuts.clustered(asked)
    if view.by_question:
        table = _questions(asked, scored, cuts.missing)
        common.write_output(out.output, api.tables.dump_frame(table, out.form), force=out.force)
        return
    same = common_questions(scored, cuts.missing)
    slices, weights = (
        wanted_slices(asked, cuts, scoring.lang),
        gold_weights(asked, scoring.weighted),
    )
    found = api.comparing.compare_scores(
        same, slices, measure=view.measure, weights=weights, tests=how
    )
    if out.form not in FOR_PROGRAMS:
        labels = {one.name: one.label for one in slices}
        _tell(found, labels)
    table = found.pairs if out.form in FOR_PROGRAMS else _for_people(found, labels)
    common.write_output(out.output, api.tables.dump_frame(table, out.form, keys=3), force=out.force)


def _questions(gold: Gold, scored: Sequence[Scores], missing: str) -> pd.DataFrame:
    """Return the F1 of every system on every question, with the text.

    Missing if a question does not count.
    """
    texts = {question.id: question.text() for question in gold.questions.questions}
    table = api.comparing.question_scores(scored, missing)
    table.insert(0, "id", table.index)
    table["question"] = [texts[name] for name in table.index]
    return table


def _for_people(found: Comparison, labels: Mapping[str, str]) -> pd.DataFrame:
    """Return the tests as people read them.

    All questions first, then the slices that could be tested.
    """
    # Slices without a p-value are too small to test; `_tell` counts them.
    table = found.pairs[found.pairs["p"].notna()].copy()
    table["better"] = [
        # The winner depends on the measure: for some, less is better.
        "-" if p > found.alpha else found.in_order(a, b, difference)[0]
        for a, b, difference, p in table[["a", "b", "difference", "p_adjusted"]].itertuples(
            index=False
        )
    ]
    # A stable sort by "is a slice" moves all questions to the top and keeps the order of the rest.
    table = table.iloc[(table["slice"] != api.comparing.ALL).argsort(kind="stable")]
    table["slice"] = [labels.get(name, name) for name in table["slice"]]
    columns = [
        "slice",
        "a",
        "b",
        "n",
        "difference",
        "low",
        "high",
        "p_adjusted",
        "better",
        "wins",
        "ties",
        "losses",
    ]
    return table[columns].rename(columns={"p_adjusted": "corrected p"})


def _tell(found: Comparison, labels: Mapping[str, str]) -> None:
    """Print who leads overall, who wins where, and the rank reversals."""
    label = api.score_tables.named(found.measure).label
    overall = found.overall.reset_index()
    overall[label] = [
        api.score_tables.shown(*row)
        for row in overall[["estimate", "low", "high"]].itertuples(index=False)
    ]
    click.echo(api.tables.dump_frame(overall[["system", "n", label]], "text"), err=True)
    if len(found.winners) > 1:
        click.echo(
            api.tables.dump_frame(found.winners.rename(index=labels).reset_index(), "text"),
            err=True,
        )
    # Among many slices some system is ahead by chance; only significant reversals are named.
    certain = [reversal for reversal in found.reversals if reversal.p <= found.alpha]
    for reversal in certain:
        click.echo(reversal.sentence, err=True)
    chance = len(found.reversals) - len(certain)
    if chance:
        again = "also " if certain else ""
        what = "a system that is behind overall is ahead on a slice; that may be chance"
        click.echo(f"{again}{'once' if chance == 1 else f'{chance} times'} {what}", err=True)
    # Unique, in order: a slice has a row for each pair of systems.
    untested = list(dict.fromkeys(found.pairs.loc[found.pairs["p"].isna(), "slice"]))
    if untested:
        click.echo(
            f"{len(untested)} slices are too small to test and left out (first: {untested[0]})",
            err=True,
        )
    click.echo(f"p: two-sided, {api.comparing.tested_in_words(found.measure)}", err=True)
    click.echo(
        f"{api.comparing.families_in_words(found)}, level {found.alpha:g}; seed"
        f" {found.random_state}",
        err=True,
    )
    click.echo(
        "difference: a - b with its 95 % interval; better: who, if it is significant\n", err=True
    )
