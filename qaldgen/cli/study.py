"""``qaldgen study``."""

from __future__ import annotations

from collections.abc import Mapping

import click

from qaldgen.cli import common, groups, output_files
from qaldgen.cli.groups import FOR_PROGRAMS
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import verb
from qaldgen.errors import UsageError

#: What the columns of the table mean.
_COLUMNS = (
    "mae: mean absolute error, and its standard error; bias: mean signed error; deff: squared error"
    " divided by that of random samples of the size; effective_size: random questions with the"
    " same error; tau: how well the order of the systems is kept, 1 is best; coverage: how often"
    " the 95 % interval, of the given width, holds the true score; D: diversity of the sample"
)


@verb(
    epilog=(
        "Example: qaldgen study scores.csv table.csv -n 50 -n 100 --methods lpm,feasible,random"
        " --plot study.png"
    )
)
@click.argument("scores")
@click.argument("features")
@options_of(
    "qaldgen.analysis.study.sampling_study:study",
    "sizes",
    "methods",
    "n_repeats",
    short={"sizes": "-n"},
    called={"sizes": "size", "n_repeats": "repeats"},
)
@click.option(
    "--others",
    "adjust",
    is_flag=True,
    help="Adjust the estimates of probability designs with the results of the other systems.",
)
@options_of(
    "qaldgen.analysis.study.sampling_study:study",
    "others",
    "random_state",
    "n_jobs",
    called={"others": "family", "n_jobs": "jobs"},
)
@click.option(
    "--sequential",
    is_flag=True,
    help="Study the rules that stop a run, on many orders of the pool.",
)
@options_of(
    "qaldgen.analysis.study.stopping_study:study_sequential", "largest", called={"largest": "max"}
)
@click.option(
    "--plot", metavar="FILE", help="Plot error, bias and coverage against N (.png, .svg or .pdf)."
)
@groups.style_option
@groups.table_options()
def command(
    scores: str,
    features: str,
    sizes: tuple[int, ...],
    methods: tuple[str, ...],
    n_repeats: int,
    adjust: bool,
    others: Mapping[str, str] | None,
    random_state: int,
    n_jobs: int,
    sequential: bool,
    largest: int | None,
    plot: str | None,
    style: str,
    out: groups.Output,
) -> None:
    """Compare sampling methods on systems with known scores.

    SCORES is CSV with one row per question (id first) and one column per system, values from 0 to
    1, or the output of 'qaldgen score -q --format csv', or a folder of logs; FEATURES is CSV as
    written by 'qaldgen select', or one of the logs.
    """
    from qaldgen.analysis.study.sampling_study import study
    from qaldgen.analysis.study.stopping_study import study_sequential
    from qaldgen.cli.checks import check_table_form
    from qaldgen.pictures.style import check_picture
    from qaldgen.reports.tables.results import dump_frame

    check_table_form(out.form)
    picture = check_picture(plot, style)
    output_files.check_outputs(
        [out.output, *([plot] if plot else [])], force=out.force, inputs=[scores, features]
    )
    idle = {"-n": sizes, "--methods": methods, "--others": adjust, "--plot": plot}
    if sequential and any(idle.values()):
        # These options choose samples of fixed sizes; a run that stops has none.
        name = next(name for name, value in idle.items() if value)
        raise UsageError(f"{name} has no effect with --sequential; leave it out")
    if largest is not None and not sequential:
        raise UsageError("--max only applies with --sequential; add it")
    if others and not (adjust or sequential):
        raise UsageError("--family only applies with --others; add it")
    if sequential:
        tried = study_sequential(
            scores,
            features,
            families=others,
            n_repeats=n_repeats,
            largest=largest,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        common.notes(tried.notes)
        output_files.write_output(out.output, dump_frame(tried.table, out.form), force=out.force)
        return
    made = study(
        scores,
        features,
        sizes=sizes,
        methods=methods,
        others=(others or {}) if adjust else None,
        n_repeats=n_repeats,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    common.notes(made.notes)
    if out.form not in FOR_PROGRAMS:
        common.tell(_COLUMNS)
    if plot is not None:
        output_files.write_output(plot, made.draw(picture, style), force=out.force)
    output_files.write_output(out.output, dump_frame(made.table, out.form), force=out.force)
