"""``qaldgen sample``."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qaldgen import api
from qaldgen.commands import common, groups, output_files
from qaldgen.commands.export import Outputs, output_options
from qaldgen.commands.verb import given_options, listed_option, options_of_rows, verb
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen import Benchmark, Vectors
    from qaldgen.api.selecting import DataSource, Query

_FIGURES = {"size": ",d", "distinct": ",d", "same_vector": ".1%", "represented": ".1%"}


@dataclasses.dataclass(frozen=True)
class SampleOptions:
    """What to sample: by a method, or from a signature."""

    size: int | None
    method: str
    seed: int
    title: str | None
    compare_methods: bool
    from_signature: str | None


@dataclasses.dataclass(frozen=True)
class Pictures:
    """Which pictures are drawn."""

    plots: str | None
    voronoi: str | None

    def pair(self) -> tuple[str, str] | None:
        """Return the two features of the Voronoi plot."""
        if not self.voronoi:
            return None
        first, _, second = self.voronoi.partition(",")
        return first.strip(), second.strip()


#: The table whose rows bring options.
METHODS = "qaldgen.sampling:METHODS"


@verb(
    rows={"method": METHODS},
    epilog=(
        "Example: qaldgen sample features.ttl -q listing-1.2 -m feasible-exmp -n 200 -o bench.ttl"
        " -o bench.json"
    ),
)
@groups.selection_options
@groups.grouped(
    "wanted",
    SampleOptions,
    click.option(
        "-n",
        "--size",
        type=click.IntRange(min=1),
        metavar="N",
        help="Number of questions to sample.",
    ),
    listed_option(
        "-m",
        "--method",
        table="methods",
        default="feasible-exmp",
        show_default=True,
        metavar="METHOD",
        help=(
            "How to choose: most methods look for diversity; lpm, hybrid, stratified and random"
            " give honest estimates."
        ),
    ),
    click.option(
        "--seed", default=0, show_default=True, type=groups.SEED, help="Seed of all random choices."
    ),
    click.option("--title", help="Title of the benchmark."),
    click.option(
        "--compare-methods",
        is_flag=True,
        help="Print the quality figures of all methods at this size, and write nothing.",
    ),
    click.option(
        "--from-signature",
        metavar="TEXT",
        help="Rebuild a sample from a signature line or a benchmark file.",
    ),
)
@groups.grouped(
    "pictures",
    Pictures,
    click.option(
        "--plots",
        metavar="DIR",
        help="Plot the pool, the sample and the features into this folder, as PNG and SVG.",
    ),
    click.option(
        "--voronoi", metavar="X,Y", help="The two features of the Voronoi plot; requires --plots."
    ),
)
@output_options
@groups.verbose_option
def command(
    source: groups.SourceOptions,
    selection: groups.SelectionOptions,
    wanted: SampleOptions,
    pictures: Pictures,
    out: Outputs,
    verbose: bool,
) -> None:
    """Sample N questions that represent a pool, and write them as a benchmark.

    DATA is RDF with question features (see 'qaldgen select'). Prints quality figures and the
    signature, a line from which the sample can be rebuilt.
    """
    options = given_options()
    _check_call(wanted, pictures, out.outputs)
    output_files.check_outputs(
        out.files(), force=out.force, inputs=[source.data, selection.query, wanted.from_signature]
    )
    if wanted.from_signature:
        _check_recipe(wanted.from_signature, selection.query)
        benchmark, vectors = _rebuild(
            common.open_source(source), wanted.from_signature, selection.query, wanted.title
        )
    else:
        chosen = common.check_query(selection.query, source)
        _check_sample(chosen, wanted, options, selection, pictures)
        vectors = common.selected(common.open_source(source), chosen, selection)
        if wanted.compare_methods:
            _print_comparison(vectors, int(wanted.size or 0), wanted.seed)
            return
        benchmark = _draw(vectors, wanted, options)
    _report(benchmark, vectors, to_stderr="-" in out.outputs, verbose=verbose)
    rendered = out.render(benchmark) if out.outputs else []
    if pictures.plots is not None:
        folder = Path(pictures.plots)
        for path in api.sampling.draw_all(
            benchmark, vectors, folder, pair=pictures.pair(), force=out.force
        ):
            click.echo(f"wrote {path}", err=True)
    output_files.write_outputs(rendered, force=out.force)
    if not out.outputs and pictures.plots is None:
        click.echo(
            "nothing was written; pass -o bench.ttl -o bench.json to save the benchmark", err=True
        )


def _draw(vectors: Vectors, wanted: SampleOptions, options: Mapping[str, float | str]) -> Benchmark:
    with common.clock("sampling"):
        return api.sampling.sample(
            vectors,
            int(wanted.size or 0),
            method=wanted.method,
            random_state=wanted.seed,
            title=wanted.title,
            **options,
        )


def _check_sample(
    query: Query | None,
    wanted: SampleOptions,
    options: Mapping[str, float | str],
    selection: groups.SelectionOptions,
    pictures: Pictures,
) -> None:
    """Reject impossible samples before the data are read.

    Without -q, the data decide which query is used.
    """
    api.selecting.check_rules(selection.scale, selection.missing)
    api.sampling.check_sample(
        api.selecting.query_text(query),
        int(wanted.size or 0),
        wanted.method,
        random_state=wanted.seed,
        options=options,
        features=(pictures.voronoi or "").split(","),
    )


def _check_recipe(recipe: str, query: str | None) -> None:
    """Reject an invalid signature or unknown query before the data are read."""
    if query is not None:
        api.selecting.read_query(query)
    # A signature line has fields separated by |; anything else names a benchmark file.
    if "|" not in recipe:
        api.checks.check_files(recipe)
        return
    api.sampling.check_signature(recipe)


def _told(*names: str) -> list[str]:
    """Return the options given on the command line."""
    context = click.get_current_context()
    return [
        name
        for name in names
        if context.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE
    ]


def _rebuild(
    source: DataSource, recipe: str, query: str | None, title: str | None
) -> tuple[Benchmark, Vectors]:
    benchmark, vectors, lines = api.sampling.rebuild(source, recipe, query, title=title)
    common.notes(lines)
    return benchmark, vectors


def _check_call(wanted: SampleOptions, pictures: Pictures, outputs: tuple[str, ...]) -> None:
    """Reject conflicting options."""
    recipe, compare, voronoi = wanted.from_signature, wanted.compare_methods, pictures.voronoi
    if recipe is None and wanted.size is None:
        raise UsageError("no sample size given; pass -n N")
    # --method has a default, so only its source tells whether a user chose it.
    chosen = _told("method", *options_of_rows(METHODS))
    fixed = [*chosen, *_told("size", "scale", "missing", "seed", "compare_methods")]
    if recipe is not None and fixed:
        raise UsageError(
            f"--from-signature determines the sample completely; remove {_flag(fixed[0])}"
        )
    if compare and chosen:
        raise UsageError(
            f"--compare-methods runs every method with its defaults; remove {_flag(chosen[0])}"
        )
    if compare and (outputs or pictures.plots):
        raise UsageError("--compare-methods writes nothing; remove -o and --plots")
    if voronoi is not None and (pictures.plots is None or voronoi.count(",") != 1):
        raise UsageError("--voronoi takes two features, X,Y, and requires --plots DIR")


def _flag(name: str) -> str:
    return "-n" if name == "size" else f"--{name.replace('_', '-')}"


def _report(benchmark: Benchmark, vectors: Vectors, *, to_stderr: bool, verbose: bool) -> None:
    """Print the selection, the quality of the sample next to random ones, and the signature."""
    with common.progress_bar("random samples", api.sampling.draws_for(benchmark, vectors)) as bar:
        found = api.sampling.figures(benchmark, vectors, progress=bar.update)
    common.notes(benchmark.notes)
    click.echo(common.describe_selection(vectors), err=to_stderr)
    if verbose:
        click.echo(common.table(found.table), err=to_stderr)
        click.echo(common.table(found.spread), err=to_stderr)
    else:
        click.echo(f"{api.sampling.in_words(found)}; --verbose shows all figures", err=to_stderr)
    if found.repeated:
        size = len(benchmark)
        different = f"{size:,} chosen, {size - found.repeated:,} different vectors"
        common.notes(
            [
                f"{different}: {found.repeated:,} repeat the features of another; add features, or"
                " try -m farthest-first"
            ]
        )
    click.echo(f"design: {api.sampling.DESIGNS[benchmark.design]}", err=to_stderr)
    click.echo(f"signature: {benchmark.signature}", err=to_stderr)


def _print_comparison(vectors: Vectors, size: int, seed: int) -> None:
    with common.progress_bar("methods", len(api.sampling.METHODS)) as bar:
        table, told = api.sampling.compare_methods(
            vectors, size, random_state=seed, progress=bar.update
        )
    common.notes(told)
    click.echo(common.describe_selection(vectors))
    click.echo(common.table(table, _FIGURES))
