"""``qaldgen study``."""

from __future__ import annotations

import dataclasses

import click

from qaldgen import api
from qaldgen.commands import common, groups, output_files
from qaldgen.commands.groups import FOR_PROGRAMS
from qaldgen.commands.verb import listed_option, verb
from qaldgen.errors import UsageError
from qaldgen.io.names import check_choice

#: What the columns of the table mean.
_COLUMNS = (
    "mae: mean absolute error, and its standard error; bias: mean signed error; deff: squared error"
    " divided by that of random samples of the size; effective_size: random questions with the"
    " same error; tau: how well the order of the systems is kept, 1 is best; coverage: how often"
    " the 95 % interval, of the given width, holds the true score; D: diversity of the sample"
)


@dataclasses.dataclass(frozen=True)
class TrialOptions:
    """Which samples are drawn, and how scores are estimated from them."""

    sizes: tuple[int, ...]
    methods: str | None
    repeats: int
    others: bool
    families: tuple[str, ...]
    seed: int
    jobs: int
    sequential: bool
    largest: int | None


@verb(
    epilog=(
        "Example: qaldgen study scores.csv table.csv -n 50 -n 100 --methods lpm,feasible,random"
        " --plot study.png"
    )
)
@click.argument("scores")
@click.argument("features")
@groups.grouped(
    "options",
    TrialOptions,
    click.option(
        "-n",
        "--size",
        "sizes",
        type=click.IntRange(min=2),
        multiple=True,
        metavar="N",
        help="Sample size. Repeatable. Default: 25, 50, 100, 200.",
    ),
    listed_option(
        "--methods",
        table="methods",
        metavar="NAMES",
        help="Sampling methods, comma-separated. Default: all.",
    ),
    click.option(
        "--repeats",
        default=300,
        show_default=True,
        type=click.IntRange(min=1),
        help="Number of samples per method and size.",
    ),
    click.option(
        "--others",
        is_flag=True,
        help="Adjust the estimates of probability designs with the results of the other systems.",
    ),
    click.option(
        "--family",
        "families",
        multiple=True,
        metavar="SYSTEM=NAME",
        help="Do not use related systems of one family to adjust each other. Repeatable.",
    ),
    click.option(
        "--seed", default=0, show_default=True, type=groups.SEED, help="Seed of the first sample."
    ),
    click.option(
        "--jobs",
        default=1,
        show_default=True,
        type=click.IntRange(min=1),
        metavar="N",
        help="Number of processes.",
    ),
    click.option(
        "--sequential",
        is_flag=True,
        help="Study the rules that stop a run, on many orders of the pool.",
    ),
    click.option(
        "--max",
        "largest",
        type=click.IntRange(min=30),
        metavar="N",
        help="With --sequential: maximum number of questions (default: 200).",
    ),
)
@click.option(
    "--plot", metavar="FILE", help="Plot error, bias and coverage against N (.png, .svg or .pdf)."
)
@groups.style_option
@groups.table_options()
def command(
    scores: str,
    features: str,
    options: TrialOptions,
    plot: str | None,
    style: str,
    out: groups.Output,
) -> None:
    """Compare sampling methods on systems whose scores on all questions are known.

    SCORES is CSV with one row per question (id first) and one column per system, values from 0 to
    1, or the output of 'qaldgen score -q --format csv'; FEATURES is CSV as written by 'qaldgen
    select'.
    """
    studying = api.studying
    api.checks.check_table_form(out.form)
    picture = api.planning.picture_form(plot) if plot is not None else ""
    check_choice("--style", style, api.planning.LAYOUTS)
    output_files.check_outputs(
        [out.output, *([plot] if plot else [])], force=out.force, inputs=[scores, features]
    )
    if options.sequential:
        _study_rules(scores, features, options, plot, out)
        return
    if options.largest is not None:
        raise UsageError("--max only applies with --sequential; add it")
    methods = studying.known_methods(
        [name.strip() for name in options.methods.split(",")] if options.methods else []
    )
    table, vectors = studying.read_scores(scores), studying.read_features(features)
    sizes = studying.fitting_sizes(options.sizes, len(vectors))
    families = common.read_families(options.families, [str(name) for name in table.columns])
    trials = studying.Trials(sizes, methods, options.repeats, options.seed)
    # Families alone do not ask for the adjustment.
    related = families if options.others else None
    with common.progress_bar("drawing samples", len(methods) * len(sizes) * options.repeats) as bar:
        found = studying.study_samples(
            table, vectors, trials, others=related, n_jobs=options.jobs, progress=bar.update
        )
    common.notes(found.notes)
    if out.form not in FOR_PROGRAMS:
        common.tell(_COLUMNS)
    if plot is not None:
        output_files.write_output(plot, found.draw(picture, style), force=out.force)
    output_files.write_output(
        out.output, api.tables.dump_frame(found.table, out.form), force=out.force
    )


def _study_rules(
    scores: str, features: str, options: TrialOptions, plot: str | None, out: groups.Output
) -> None:
    """Print how well the stopping rules work."""
    # These options choose samples of fixed sizes; a run that stops has none.
    idle = {
        "-n": bool(options.sizes),
        "--methods": options.methods is not None,
        "--others": options.others,
        "--plot": plot,
    }
    said = next((name for name, given in idle.items() if given), None)
    if said is not None:
        raise UsageError(f"{said} has no effect with --sequential; leave it out")
    table, vectors = api.studying.read_scores(scores), api.studying.read_features(features)
    families = common.read_families(options.families, [str(name) for name in table.columns])
    with common.progress_bar("orders", options.repeats) as bar:
        found = api.rehearsing.study_sequential(
            table,
            vectors,
            families=families,
            n_repeats=options.repeats,
            largest=options.largest,
            random_state=options.seed,
            n_jobs=options.jobs,
            progress=bar.update,
        )
    common.notes(found.notes)
    output_files.write_output(
        out.output, api.tables.dump_frame(found.table, out.form), force=out.force
    )
