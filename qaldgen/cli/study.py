"""``qaldgen study``."""

from __future__ import annotations

import click

from qaldgen.cli.output_files import write_output
from qaldgen.cli.printing import tell
from qaldgen.cli.shared_options import shared, table_options
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import FILE, Call, verb
from qaldgen.errors import UsageError
from qaldgen.options import Written

_SEQUENTIAL = "qaldgen.analysis.study:study_sequential"
#: What the columns of the table mean.
_COLUMNS = (
    "mae: mean absolute error, and its standard error; bias: mean signed error; deff: squared error"
    " divided by that of random samples of the size; effective_size: random questions with the"
    " same error; tau: how well the order of the systems is kept, 1 is best; coverage: how often"
    " the 95 % interval, of the given width, holds the true score; D: diversity of the sample"
)


class Options:
    """What only the command line has.

    Attributes
    ----------
    others
        Adjust the estimates of probability designs with the results of the other systems.
    sequential
        Study the rules that stop a run, on many orders of the pool.
    plot
        Plot error, bias and coverage against N (.png, .svg or .pdf).
    """

    others: bool = False
    sequential: bool = False
    plot: Written | None = None


OWN = f"{__name__}:Options"


@verb(
    epilog=(
        "Example: qaldgen study scores.csv table.csv -n 50 -n 100 --methods lpm,feasible,random"
        " --plot study.png"
    )
)
@click.argument("scores", type=FILE)
@click.argument("features", type=FILE)
@options_of("study", "sizes", "methods", "n_repeats")
@options_of(OWN, "others")
@options_of("study", "others", "random_state", "n_jobs", called={"others": "family"})
@options_of(OWN, "sequential")
@options_of(_SEQUENTIAL, "largest")
@options_of(OWN, "plot")
@shared("style")
@table_options()
def command(call: Call) -> None:
    """Compare sampling methods on systems with known scores.

    SCORES is CSV with one row per question (id first) and one column per system, values from 0 to
    1, or the output of 'qaldgen score -q --format csv', or a folder of logs; FEATURES is CSV as
    written by 'qaldgen select', or one of the logs.
    """
    from qaldgen.pictures.style import check_picture

    picture = check_picture(call.plot, call.style)
    call.check()
    if call.sequential:
        # These options choose samples of fixed sizes; a run that stops has none.
        call.refuse("size methods others plot", "has no effect with --sequential; leave it out")
        how = {"n_repeats": call.repeats, "random_state": call.seed, "n_jobs": call.jobs}
        how["families"] = call.family
        call.write(call.result(_SEQUENTIAL, call.scores, call.features, **how).table)
        return
    call.refuse("max", "only applies with --sequential; add it")
    if call.family and not call.others:
        raise UsageError("--family only applies with --others; add it")
    others = (call.family or {}) if call.others else None
    made = call.result("study", call.scores, call.features, others=others)
    if not call.for_programs:
        tell(_COLUMNS)
    if call.plot is not None:
        write_output(call.plot, made.draw(picture, call.style), force=call.force)
    call.write(made.table)
