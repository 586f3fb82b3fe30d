"""``qaldgen study``."""

from __future__ import annotations

from pathlib import Path

import click

from qaldgen.commands import common
from qaldgen.commands.scoring_options import check_form
from qaldgen.errors import UsageError

#: Sizes of samples where none is named.
SIZES = (25, 50, 100, 200)


@click.command(epilog="Example: qaldgen study scores.csv table.csv -n 50 -n 100 --methods lpm,feasible,random --plot study.png")
@click.argument("scores")
@click.argument("features")
@click.option(
    "-n",
    "--size",
    "sizes",
    type=click.IntRange(min=2),
    multiple=True,
    metavar="N",
    help="Questions in a sample; say it again for more (25, 50, 100, 200).",
)
@click.option("--methods", metavar="NAMES", help="Which sampling methods, with commas (all).")
@click.option("--repeats", default=300, show_default=True, type=click.IntRange(min=1), help="Samples for each method and size.")
@click.option("--others", is_flag=True, help="Adjust the honest designs by the results of the other systems.")
@click.option("--family", "families", multiple=True, metavar="SYSTEM=NAME", help="Systems of one family never help each other.")
@click.option("--seed", default=0, show_default=True, type=common.SEED, help="Of the first sample.")
@click.option("--jobs", default=1, show_default=True, type=click.IntRange(min=1), metavar="N", help="Processes to compute with.")
@click.option("--format", "form", default="text", show_default=True, help="text, markdown, latex, csv or json.")
@click.option("--plot", metavar="FILE", help="Draw error, bias and coverage against N: .png or .svg.")
@click.option("-o", "--output", default="-", metavar="FILE", help="Where to write the table; - is stdout (default).")
@common.force_option
def command(
    scores: str, features: str, sizes: tuple[int, ...], methods: str | None, repeats: int, others: bool,
    families: tuple[str, ...], seed: int, jobs: int, form: str, plot: str | None, output: str, force: bool,
) -> None:  # fmt: skip
    """Compare sampling methods on systems whose scores on all questions are known: which samples tell the truth.

    SCORES is CSV with one row a question (its id first) and one column a system, values 0 to 1, or what 'qaldgen score -q
    --format csv' writes; FEATURES is CSV as 'qaldgen select' writes it.
    """
    from qaldgen.analysis.score_table import read_features, read_scores
    from qaldgen.analysis.study import study
    from qaldgen.reports.tables.results import dump_frame
    from qaldgen.sampling import METHODS

    check_form(form)
    if plot is not None and not plot.endswith((".png", ".svg")):
        raise UsageError(f"{plot}: the ending names no picture; use .png or .svg")
    common.check_outputs([output, *([plot] if plot else [])], force=force, inputs=[scores, features])
    names = [name.strip() for name in methods.split(",")] if methods else list(METHODS)
    unknown = next((name for name in names if name not in METHODS), None)
    if unknown is not None:
        raise UsageError(f"method {unknown!r} is unknown; choose of {', '.join(METHODS)}")
    table, vectors = read_scores(scores), read_features(features)
    sizes = _sizes(sizes, len(vectors))
    if len(table) > len(vectors):
        common.notes(
            [f"{len(table) - len(vectors):,} of {len(table):,} questions have scores but no features; they are left out"]
        )
    related = common.read_families(families, [str(name) for name in table.columns])
    with common.progress_bar("drawing samples", len(names) * len(sizes) * repeats) as bar:
        found = study(
            table, vectors, sizes=sizes, methods=names, repeats=repeats, families=related,
            use_others=others, random_state=seed, jobs=jobs, progress=bar.update,
        )  # fmt: skip
    if plot is not None:
        from qaldgen.reports.pictures.study import draw_study

        common.write_output(plot, draw_study(found, Path(plot).suffix[1:]), force=force)
    common.write_output(output, dump_frame(found, form), force=force)


def _sizes(said: tuple[int, ...], pool: int) -> tuple[int, ...]:
    """Return the wanted sizes, or of the usual ones those that fit."""
    wrong = next((size for size in said if not 1 < size < pool), None)
    if wrong is not None:
        raise UsageError(f"-n {wrong}: a sample has 2 to {pool - 1} of the {pool} questions")
    found = said or tuple(size for size in SIZES if size < pool)
    if not found:
        raise UsageError(f"the pool has {pool} questions only; name sizes of samples below that with -n")
    return found
