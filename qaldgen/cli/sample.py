"""``qaldgen sample``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from qaldgen.cli.export import check_exports, output_options, write_exports
from qaldgen.cli.output_files import check_outputs
from qaldgen.cli.printing import format_table, print_notes, printing_notes
from qaldgen.cli.row_options import options_of_rows, parameter_of
from qaldgen.cli.shared_options import as_data, file_of, required_source, selection_options, shared
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import Call, verb
from qaldgen.errors import UsageError
from qaldgen.options import Folder, PositiveInt, Text

if TYPE_CHECKING:
    from qaldgen import Benchmark, Vectors

#: How the figures of methods are written.
_FIGURE_FORMATTERS = {
    "size": "{:,d}".format,
    "distinct": "{:,d}".format,
    "same_vector": "{:.1%}".format,
    "represented": "{:.1%}".format,
}
#: What each kind of design is good for.
_DESIGN_REMARKS = {
    "purposive": "chosen for diversity: good for a stress test, but a score on this sample does "
    "not estimate the score on all questions (use -m lpm for that)",
    "probability": "drawn at random, with known chances: 'qaldgen score --estimate' estimates the "
    "score on all questions",
}
#: The table whose rows bring options.
_METHOD_TABLE = "qaldgen.sampling:METHODS"


class SampleOptions:
    """Command-line options of `sample`.

    Attributes
    ----------
    size
        Number of questions to sample.
    compare_methods
        Print the quality figures of all methods at this size, and write nothing.
    from_signature
        Rebuild a sample from a signature line or a benchmark file.
    plots
        Plot the pool, the sample and the features into this folder, as PNG and SVG.
    voronoi
        The two features of the Voronoi plot; requires --plots.
    """

    size: PositiveInt | None = None
    compare_methods: bool = False
    from_signature: str | None = None
    plots: Folder | None = None
    voronoi: Annotated[str, Text("X,Y")] | None = None


@verb(
    brief="endpoint query where scale missing size method seed title compare_methods from_signature"
    " plots output lang licence force verbose",
    rows={"method": _METHOD_TABLE},
    epilog=(
        "Example: qaldgen sample questions.json -m feasible-exmp -n 200 -o bench.ttl -o bench.json"
    ),
)
@selection_options
@options_of(SampleOptions, "size")
@options_of("sample")
@options_of(SampleOptions, "compare_methods", "from_signature", "plots", "voronoi")
@output_options
@shared("verbose")
def command(call: Call) -> None:
    """Sample N questions that represent a pool.

    DATA is RDF with question features (see 'qaldgen select'), or a question set, whose features are
    computed on the way. Writes a benchmark. Prints quality figures and the signature, a line from
    which the sample can be rebuilt.
    """
    data = required_source(call)
    _check_options(call)
    inputs = [file_of(data), call.query, call.from_signature]
    check_exports(call, call.output, *inputs)
    if call.plots is not None:
        from qaldgen.pictures.draw import plot_files

        files = [str(path) for path in plot_files(Path(call.plots))]
        check_outputs(files, force=call.force, inputs=inputs, in_new_folders=files)
    pair = tuple(map(str.strip, call.voronoi.split(","))) if call.voronoi else None
    if call.from_signature:
        from qaldgen.benchmark.rebuild import rebuild

        with printing_notes():
            benchmark, vectors = rebuild(
                as_data(call, data), call.from_signature, call.query, title=call.title
            )
    else:
        from qaldgen.benchmark.make import check_sample, sample
        from qaldgen.benchmark.quality import compare_methods
        from qaldgen.selection.select import select

        options = call.row_options(_METHOD_TABLE)
        check_sample(
            call.query,
            call.size,
            call.method,
            random_state=call.seed,
            options=options,
            features=pair or (),
        )
        vectors = select(as_data(call, data), **call.of("select"))
        print_notes(vectors.notes)
        if call.compare_methods:
            with printing_notes():
                comparison = compare_methods(vectors, call.size, random_state=call.seed)
            click.echo(str(vectors))
            click.echo(format_table(comparison, _FIGURE_FORMATTERS))
            return
        benchmark = sample(vectors, call.size, **call.of("sample"), **options)
    _print_sample(benchmark, vectors, to_stderr="-" in call.output, verbose=call.verbose)

    def draw_plots() -> list[tuple[str, bytes]]:
        from qaldgen.pictures import draw

        files = draw.plots(benchmark, vectors, Path(call.plots), pair=pair)  # type: ignore[arg-type]
        return [(str(path), data) for path, data in files]

    extra_outputs = {} if call.plots is None else {str(call.plots): draw_plots}
    write_exports(call, benchmark, call.output, extra_outputs)
    if not call.output and call.plots is None:
        click.echo(
            "nothing was written; pass -o bench.ttl -o bench.json to save the benchmark", err=True
        )


def _check_options(call: Call) -> None:
    """Refuse options that are missing or contradict each other."""
    if call.from_signature is None and call.size is None:
        raise UsageError("no sample size given; pass -n N")
    method_option = call.given("method", *map(parameter_of, options_of_rows(_METHOD_TABLE)))
    if call.compare_methods and method_option:
        raise UsageError(
            f"--compare-methods runs every method with its defaults; remove {method_option}"
        )
    if call.compare_methods and (call.output or call.plots):
        raise UsageError("--compare-methods writes nothing; remove -o and --plots")
    if call.voronoi is not None and (call.plots is None or call.voronoi.count(",") != 1):
        raise UsageError("--voronoi takes two features, X,Y, and requires --plots DIR")


def _print_sample(
    benchmark: Benchmark, vectors: Vectors, *, to_stderr: bool, verbose: bool
) -> None:
    """Print the selection, the quality of the sample next to random ones, and the signature."""
    from qaldgen.benchmark.quality import measure_quality

    quality = measure_quality(benchmark, vectors)
    print_notes(benchmark.notes)
    click.echo(str(vectors), err=to_stderr)
    if verbose:
        click.echo(format_table(quality.table), err=to_stderr)
        click.echo(format_table(quality.spread), err=to_stderr)
    else:
        click.echo(f"{quality.summary()}; --verbose shows the figures", err=to_stderr)
    if quality.repeated:
        print_notes(
            f"{quality.repeated:,} of {len(benchmark):,} chosen questions have the features of"
            " another one; add features, or try -m farthest-first"
        )
    click.echo(_DESIGN_REMARKS[benchmark.design], err=to_stderr)
    click.echo(f"signature: {benchmark.signature}", err=to_stderr)
