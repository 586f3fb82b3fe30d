"""``qaldgen report``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from qaldgen.commands import common
from qaldgen.commands.early_checks import check_choice, check_slices
from qaldgen.commands.scoring_options import (
    check_measure,
    check_missing,
    common_questions,
    features_of,
    gold_weights,
    measure_option,
    missing_option,
    scored_runs,
    scoring_options,
    slice_options,
)
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.formats.reading import Reading
    from qaldgen.reports.page.build import Report
    from qaldgen.scoring.gold import Gold
    from qaldgen.scoring.score import Scores

#: The parts that a report in CSV can have, for the check before the work is done.
_PARTS = ("scores", "status", "slices", "tests", "winners", "questions")


@click.command(epilog="Example: qaldgen report gold.json mine.json other.json -o report.html -o tables.tex")
@click.argument("gold")
@click.argument("runs", nargs=-1, required=True)
@click.option(
    "-o", "--output", "outputs", multiple=True, metavar="FILE",
    help="Where to write the report; the ending says the form: .html, .md, .tex, .csv (a file for each table), .json. "
    "- is stdout, as Markdown.",
)  # fmt: skip
@scoring_options
@slice_options
@missing_option
@measure_option
@click.option("--correct", default="holm", show_default=True, help="For the number of tests: holm or bh (Benjamini-Hochberg).")
@click.option("--alpha", default=0.05, show_default=True, type=common.SHARE, help="The level of the corrected tests.")
@click.option(
    "--repeats", default=10_000, show_default=True, type=click.IntRange(100, 10_000_000), help="Random exchanges of each test."
)
@click.option("--seed", default=0, show_default=True, type=common.SEED, help="Of all random draws.")
@click.option("--title", default="", help="What to call the report.")
@click.option("--cube", metavar="FILE", help="Also write the results as RDF Data Cube in GERBIL's vocabulary (.ttl).")
@click.option("--leaderboard", is_flag=True, help="Print rows for the KGQA leaderboard.")
@click.option("--year", default="", help="The year in these rows.")
@click.option("--reported-by", default="", metavar="TEXT", help="The source in these rows, as a Markdown link.")
@common.force_option
def command(
    gold: str, runs: tuple[str, ...], outputs: tuple[str, ...], match: str, same_as: str, lang: str, aliases: str | None,
    reading: Reading, run_format: str | None, weighted: bool, by: tuple[str, ...], where: tuple[str, ...], missing: str,
    measure: str, correct: str, alpha: float, repeats: int, seed: int, title: str, cube: str | None, leaderboard: bool, year: str,
    reported_by: str, force: bool,
) -> None:  # fmt: skip
    """Write one file that shows how systems score, where they fail, which differences are real, and every question.

    GOLD is a question set or a benchmark; RUNS are files of answers, as for 'score'. The HTML page needs no network.
    Without --by the questions are cut by type of answer, question word, shape and size of the query, and by clusters.
    """
    from qaldgen.analysis.multiplicity import CORRECTIONS

    files = _check_call(outputs, cube, leaderboard)
    common.check_outputs(files, force=force, inputs=[gold, *runs, aliases, *where])
    check_slices(by, where)
    check_choice("--correct", correct, CORRECTIONS)
    check_missing(missing)
    check_measure(measure)
    asked, scored = scored_runs(
        gold, runs, match=match, same_as=same_as, lang=lang, aliases=aliases, reading=reading, run_format=run_format
    )
    if outputs:
        made = _report(
            asked, scored, by=by, where=where, missing=missing, measure=measure, weights=gold_weights(asked, weighted),
            correct=correct, alpha=alpha, repeats=repeats, seed=seed, title=title, lang=lang, same_as=same_as,
        )  # fmt: skip
        _write(made, outputs, force)
        _tell(made)
    if cube is not None:
        from qaldgen.reports.tables.cube import dump_cube

        common.write_output(files[-1], dump_cube(asked, scored, same_as=same_as, language=lang), force=force)
    if leaderboard:
        from qaldgen.reports.tables.leaderboard import leaderboard_rows

        click.echo(leaderboard_rows(scored, language=lang, year=year, reported_by=reported_by), nl=False)


def _check_call(outputs: tuple[str, ...], cube: str | None, leaderboard: bool) -> list[str]:
    """Refuse a call that cannot be fulfilled before the work is done; return all files that are written."""
    from qaldgen.reports.page.forms import FORMS, part_names

    if not outputs and cube is None and not leaderboard:
        raise UsageError("nothing to make; give -o report.html, --cube FILE or --leaderboard")
    if leaderboard and "-" in (*outputs, cube):
        raise UsageError("--leaderboard prints to stdout, and so does '-'; name a file")
    for path in outputs:
        if path != "-" and _form(path) not in FORMS:
            raise UsageError(f"-o {path}: the ending names no form of a report; use {', '.join('.' + name for name in FORMS)}")
    files = [name for path in outputs for name in part_names(path, _PARTS if _form(path) == "csv" else ("",))]
    return files + ([cube] if cube is not None else [])


def _form(path: str) -> str:
    return "md" if path == "-" else Path(path).suffix[1:].lower()


def _report(
    gold: Gold, scored: list[Scores], *, by: tuple[str, ...], where: tuple[str, ...], missing: str, measure: str,
    weights: pd.Series[float] | None, correct: str, alpha: float, repeats: int, seed: int, title: str, lang: str, same_as: str,
) -> Report:  # fmt: skip
    """Cut the questions, compare the systems if there are several, and gather the report."""
    from qaldgen.analysis.compare import compare_runs
    from qaldgen.analysis.feature_table import query_slices
    from qaldgen.features.cache import cache_file
    from qaldgen.reports.page.build import build_report, large_enough, ranked_runs, sample_design
    from qaldgen.reports.page.map import project_gold
    from qaldgen.reports.page.slices import slice_groups

    same = common_questions(scored, missing)
    design = sample_design(gold, same)
    table = features_of(gold, lang)
    slices = slice_groups(table, by, query_slices(gold, where, language=lang, cache=cache_file()))
    comparison = None
    if len(scored) > 1:
        ranked = ranked_runs(same, weights if design is None else design.weights(), measure)
        counts = {one.name: one.counts for one in ranked}
        with common.clock("comparing"):
            comparison = compare_runs(
                counts, large_enough(slices), measure=measure, correct=correct,
                alpha=alpha, weights=weights, repeats=repeats, random_state=seed, design=design,
            )  # fmt: skip
    with common.clock("making the report"):
        return build_report(
            gold, scored, comparison=comparison, slices=slices, projection=project_gold(gold, table), weights=weights,
            measure=measure, missing=missing, title=title, language=lang, same_as=same_as, random_state=seed,
        )  # fmt: skip


def _write(report: Report, outputs: tuple[str, ...], force: bool) -> None:
    from qaldgen.reports.page.forms import part_names, render

    rendered: list[tuple[str, bytes | str]] = []
    for path in outputs:
        parts = render(report, _form(path))
        rendered += zip(part_names(path, tuple(parts)), parts.values(), strict=True)
    common.write_outputs(rendered, force=force)


def _tell(report: Report) -> None:
    """Print what was found overall, and what turns round."""
    found = report.findings
    for sentence in (*found.overall, *found.winners, *found.flips):
        click.echo(sentence, err=True)
