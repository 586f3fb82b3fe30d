"""``qaldgen sample``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from qaldgen.commands import common
from qaldgen.commands.early_checks import check_files, check_method
from qaldgen.commands.export import check_forms, output_options, render_all
from qaldgen.commands.method_options import WithMethodOptions, method_options
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen.benchmark.record import Benchmark
    from qaldgen.sampling import Sample
    from qaldgen.selection.vectors import Vectors
    from qaldgen.sparql.queries import Query
    from qaldgen.stores.local import DataSource

_DESIGNS = {
    "purposive": "purposive (chosen for their features); good for a stress test, but a score on them is no estimate of "
    "the score on all (for that take -m lpm)",
    "probability": "probability (the chance of each question is known); 'qaldgen score --estimate' estimates the score on all",
}
_FIGURES = {"size": ",d", "distinct": ",d", "same_vector": ".1%", "represented": ".1%"}


@click.command(
    cls=WithMethodOptions,
    epilog="Example: qaldgen sample features.ttl -q listing-1.2 -m feasible-exmp -n 200 -o bench.ttl -o bench.json",
)
@common.selection_options
@click.option("-n", "--size", type=click.IntRange(min=1), metavar="N", help="How many questions to choose.")
@click.option(
    "-m",
    "--method",
    default="feasible-exmp",
    show_default=True,
    metavar="METHOD",
    help="feasible, feasible-exmp, km++, db+km++, agglomerative or coverage, for diversity; lpm, hybrid, stratified or random, "
    "for honest estimates.",
)
@click.option("--seed", default=0, show_default=True, type=common.SEED, help="Of every random choice.")
@click.option("--title", help="What to call the benchmark.")
@click.option("--compare-methods", is_flag=True, help="Print the figures of all methods at this size, and write nothing.")
@click.option("--from-signature", metavar="TEXT", help="Rebuild the sample of a signature line, or of a benchmark file.")
@click.option("--plots", metavar="DIR", help="Draw the pool, the sample and the features into this folder, as PNG and SVG.")
@click.option("--voronoi", metavar="X,Y", help="The two features of FEASIBLE's Voronoi picture; needs --plots.")
@output_options
def command(
    data: str | None, endpoint: str | None, query: str | None, scale: str, missing: str, timeout: float,
    max_reply: float,
    allow_service: bool,
    size: int | None, method: str, seed: int, title: str | None, compare_methods: bool, from_signature: str | None,
    plots: str | None, voronoi: str | None, outputs: tuple[str, ...], format_: str | None, lang: str, answers: str, force: bool,
    **options: float | str | None,
) -> None:  # fmt: skip
    """Choose the N questions that represent a pool best, and write them as a benchmark.

    DATA is RDF with question features (see 'qaldgen select'). The figures and the signature, the line that rebuilds the
    sample, are printed.
    """
    from qaldgen.benchmark.make import sample as make_sample

    given = {name: value for name, value in options.items() if value is not None}
    _check_call(size, from_signature, compare_methods, outputs, plots, voronoi)
    common.check_outputs(outputs, force=force, inputs=[data, query, from_signature])
    check_forms(outputs, format_)
    if from_signature:
        _check_recipe(from_signature, query)
        source = common.open_source(data, endpoint, timeout, max_reply, allow_service=allow_service)
        benchmark, vectors = _rebuild(source, from_signature, query, title)
    else:
        chosen = common.check_query(query, endpoint)
        _check_sample(chosen, int(size or 0), method, seed, given, scale, missing, voronoi)
        source = common.open_source(data, endpoint, timeout, max_reply, allow_service=allow_service)
        vectors = common.selected(source, chosen, scale, missing)
        if compare_methods:
            _print_comparison(vectors, int(size or 0), seed)
            return
        with common.clock("sampling"):
            benchmark = make_sample(vectors, int(size or 0), method=method, random_state=seed, title=title, **given)
    _report(benchmark, vectors, "-" in outputs)
    rendered = render_all(benchmark, outputs, format_, lang, answers)
    if plots is not None:
        _draw_pictures(benchmark, vectors, Path(plots), voronoi, force)
    common.write_outputs(rendered, force=force)
    if not outputs and plots is None:
        click.echo("nothing was written; add -o bench.ttl -o bench.json", err=True)


def _check_sample(
    query: Query | None, size: int, method: str, seed: int, options: dict[str, float | str], scale: str, missing: str,
    voronoi: str | None,
) -> None:  # fmt: skip
    """Refuse what no pool can give before the data is read; where no query is named, the data will say which is taken."""
    from qaldgen.selection.select import USUAL
    from qaldgen.selection.vectors import check_rules
    from qaldgen.sparql.queries import read_query

    check_rules(scale, missing)
    text = query.text if query else "\n".join(read_query(name).text for name in USUAL)
    check_method(text, size, method, seed, options, features=(voronoi or "").split(","))


def _check_recipe(recipe: str, query: str | None) -> None:
    """Refuse a signature that does not read, and a query that there is not, before the data is read."""
    from qaldgen.benchmark.signature import parse_signature
    from qaldgen.sampling import check_call
    from qaldgen.selection.vectors import check_rules
    from qaldgen.sparql.queries import read_query

    if query is not None:
        read_query(query)
    if "|" not in recipe:
        check_files(recipe)
        return
    signature = parse_signature(recipe)
    check_rules(signature.scaling, signature.missing)
    check_call(signature.size, signature.method, random_state=signature.random_state, options=signature.options)


def _told(*names: str) -> list[str]:
    """Return which options stand on the command line."""
    context = click.get_current_context()
    return [name for name in names if context.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE]


def _rebuild(source: DataSource, recipe: str, query: str | None, title: str | None) -> tuple[Benchmark, Vectors]:
    from qaldgen.benchmark.rebuild import rebuild

    benchmark, vectors, lines = rebuild(source, recipe, query, title=title)
    common.notes(lines)
    return benchmark, vectors


def _draw_pictures(benchmark: Benchmark, vectors: Vectors, folder: Path, voronoi: str | None, force: bool) -> None:
    from qaldgen.reports.pictures.draw import draw_all

    first, _, second = (voronoi or "").partition(",")
    pair = (first.strip(), second.strip()) if voronoi else None
    for path in draw_all(benchmark, vectors, folder, pair=pair, force=force):
        click.echo(f"wrote {path}", err=True)


def _check_call(
    size: int | None, from_signature: str | None, compare: bool, outputs: tuple[str, ...], plots: str | None, voronoi: str | None
) -> None:
    if from_signature is None and size is None:
        raise UsageError("say how many questions to choose: -n N")
    chosen = _told("method", *method_options())
    fixed = [*chosen, *_told("size", "scale", "missing", "seed", "compare_methods")]
    if from_signature is not None and fixed:
        raise UsageError(f"--from-signature says everything itself; leave out {_flag(fixed[0])}")
    if compare and chosen:
        raise UsageError(f"--compare-methods takes every method with its defaults; leave out {_flag(chosen[0])}")
    if compare and (outputs or plots):
        raise UsageError("--compare-methods writes nothing; leave out -o and --plots")
    if voronoi is not None and (plots is None or voronoi.count(",") != 1):
        raise UsageError("--voronoi takes two features, X,Y, and needs --plots DIR")


def _flag(name: str) -> str:
    return "-n" if name == "size" else f"--{name.replace('_', '-')}"


def _report(benchmark: Benchmark, vectors: Vectors, to_stderr: bool) -> None:
    """Print what was selected, the figures of the sample beside those of random ones, and the signature."""
    import numpy as np
    import pandas as pd

    from qaldgen.sampling import diversity

    position = {iri: row for row, iri in enumerate(vectors.ids)}
    rows = np.array([position[member.iri] for member in benchmark.members])
    figures = diversity.measure(vectors, rows, 1.0 - benchmark.outliers / benchmark.pool_size)
    draws = diversity.yardstick_draws(vectors, len(rows), benchmark.provenance.method)
    with common.progress_bar("random samples", draws) as bar:
        yardstick = diversity.random_yardstick(vectors, len(rows), repeats=draws, progress=bar.update)
    frame = pd.DataFrame(
        {
            "sample": {name: getattr(figures, name) for name in yardstick},
            f"{draws} random samples": {name: mean for name, (mean, _) in yardstick.items()},
            "+-": {name: deviation for name, (_, deviation) in yardstick.items()},
        }
    )
    common.notes(benchmark.notes)
    click.echo(common.describe_selection(vectors), err=to_stderr)
    click.echo(common.table(frame), err=to_stderr)
    click.echo(common.table(diversity.compare_spread(vectors, rows)), err=to_stderr)
    repeated = figures.size - figures.distinct
    if repeated:
        different = f"{figures.size:,} chosen, {figures.distinct:,} different vectors"
        common.notes([f"{different}: {repeated:,} repeat the features of another; add features, or try -m coverage"])
    click.echo(f"design: {_DESIGNS[benchmark.design]}", err=to_stderr)
    click.echo(f"signature: {benchmark.signature}", err=to_stderr)


def _print_comparison(vectors: Vectors, size: int, seed: int) -> None:
    from qaldgen.errors import DataError
    from qaldgen.sampling import METHODS, diversity, draw

    rows, told = [], list[str]()
    methods = list(METHODS)
    with common.progress_bar("methods", len(methods)) as bar:
        for method in methods:
            bar.update(1)
            try:
                drawn: Sample = draw(vectors, size, method, random_state=seed)
            except DataError as error:
                told.append(str(error))
                continue
            told += drawn.notes
            rows.append((method, diversity.measure(vectors, drawn.chosen, float((drawn.cluster >= 0).mean()))))
    common.notes(told)
    click.echo(common.describe_selection(vectors))
    click.echo(common.table(diversity.figures_frame(rows), _FIGURES))
