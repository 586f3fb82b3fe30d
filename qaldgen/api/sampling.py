"""Sample a selection, compare the sample with random ones, rebuild it, plot it and write it."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from qaldgen.benchmark.export import FORMATS, files_of, format_of, make_folders, render_files
from qaldgen.benchmark.make import assemble, sample
from qaldgen.benchmark.read_rdf import load_benchmark
from qaldgen.benchmark.rebuild import rebuild
from qaldgen.benchmark.record import Benchmark
from qaldgen.benchmark.signature import parse_signature
from qaldgen.errors import DataError, UsageError
from qaldgen.io.names import one_of
from qaldgen.sampling import METHODS, Sample, check_call, diversity, draw
from qaldgen.selection.vectors import Vectors, check_rules

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "METHODS",
    "Figures",
    "draw_all",
    "figures",
    "load_benchmark",
    "rebuild",
    "sample",
]

#: What each kind of design is good for.
DESIGNS = {
    "purposive": "purposive (chosen for diversity); good for a stress test, but a score on this "
    "sample does not estimate the score on all questions (use -m lpm for that)",
    "probability": "probability (inclusion probabilities are known); 'qaldgen score --estimate' "
    "estimates the score on all questions",
}


@dataclasses.dataclass(frozen=True)
class Figures:
    """How well a sample represents its pool.

    Attributes
    ----------
    table : DataFrame
        By figure (see `qaldgen.sampling.diversity.Diversity`): the ``sample``, the mean of the
        random samples, and their deviation ``+-``.
    spread : DataFrame
        By feature, pool and sample.
    draws : int
        Random samples of the same size.
    repeated : int
        Questions of the sample that repeat the features of another.
    """

    table: pd.DataFrame
    spread: pd.DataFrame
    draws: int
    repeated: int


def draw_all(
    benchmark: Benchmark,
    vectors: Vectors,
    folder: Path,
    *,
    pair: tuple[str, str] | None = None,
    force: bool = False,
) -> list[Path]:
    """Draw the pictures of a sample; see `qaldgen.pictures.draw.draw_all`.

    Parameters
    ----------
    benchmark, vectors, folder, pair, force
        See there.

    Returns
    -------
    list of Path
        The files.
    """
    from qaldgen.pictures.draw import draw_all as draw_pictures

    return draw_pictures(benchmark, vectors, folder, pair=pair, force=force)


def figures(
    benchmark: Benchmark, vectors: Vectors, *, progress: Callable[[int], None] | None = None
) -> Figures:
    """Measure a sample, and random samples of the same size from the same pool.

    Parameters
    ----------
    benchmark
        What `sample` returned.
    vectors
        The pool it was drawn from.
    progress
        Called with 1 for each random sample.

    Raises
    ------
    UsageError
        If the pool does not have the questions of the benchmark.
    """
    import pandas as pd

    position = {iri: row for row, iri in enumerate(vectors.ids)}
    absent = next((member.iri for member in benchmark.members if member.iri not in position), None)
    if absent is not None:
        raise UsageError(
            f"{absent}: is not in this selection; pass the "
            "selection from which the benchmark was drawn"
        )
    rows = np.array([position[member.iri] for member in benchmark.members])
    own = diversity.measure(vectors, rows, 1.0 - benchmark.outliers / benchmark.pool_size)
    draws = draws_for(benchmark, vectors)
    # the baseline: figures mean little without those of random samples
    random = diversity.random_yardstick(vectors, len(rows), repeats=draws, progress=progress)
    columns = {
        "sample": {name: getattr(own, name) for name in random},
        f"{draws} random samples": {name: mean for name, (mean, _) in random.items()},
        "+-": {name: deviation for name, (_, deviation) in random.items()},
    }
    return Figures(
        pd.DataFrame(columns),
        diversity.compare_spread(vectors, rows),
        draws,
        own.size - own.distinct,
    )


def in_words(found: Figures) -> str:
    """Say how diverse a sample is compared with random ones of the same size."""
    # in order: the sample, the mean of random samples, and their standard deviation
    own, mean, deviation = (float(found.table[name].loc["diversity"]) for name in found.table)
    # two standard deviations cover about 95 % of random samples
    if abs(own - mean) <= 2 * deviation:
        beside = "about as diverse as"
    else:
        beside = "more diverse than" if own > mean else "less diverse than"
    first = f"the sample is {beside} random ones of its size"
    return f"{first}: {own:.3f}, these {mean:.3f} +- {deviation:.3f} ({found.draws} drawn)"


def preview(
    vectors: Vectors, size: int, *, method: str = "feasible-exmp", random_state: int = 0
) -> Benchmark:
    """Draw the sample that `sample` draws, without the data about its questions.

    Parameters
    ----------
    vectors
        The pool.
    size
        Questions in the sample.
    method, random_state
        See `sample`.

    Returns
    -------
    Benchmark
        For inspection and for `figures`; use `sample` to write it.

    Raises
    ------
    UsageError
        If there is no such method, or the size is wrong.
    DataError
        If the method cannot choose that many.
    """
    drawn = draw(vectors, size, method, random_state=random_state)
    return assemble(vectors, drawn, method=method, random_state=random_state, described=False)


def load_methods() -> None:
    """Import the packages that sampling methods need, so that the first sample need not wait.

    scikit-learn takes two seconds of processor time, which is longer than most samples.
    """
    importlib.import_module("sklearn.cluster")


def draws_for(benchmark: Benchmark, vectors: Vectors) -> int:
    """Return how many random samples `figures` draws.

    Parameters
    ----------
    benchmark
        The benchmark.
    vectors
        The selection from which it was drawn.

    Returns
    -------
    int
        Number of random samples.
    """
    return diversity.yardstick_draws(vectors, len(benchmark.members), benchmark.provenance.method)


def compare_methods(
    vectors: Vectors,
    size: int,
    *,
    random_state: int = 0,
    progress: Callable[[int], None] | None = None,
) -> tuple[pd.DataFrame, list[str]]:
    """Return the figures of the samples of all methods, with their defaults.

    Parameters
    ----------
    vectors
        The pool.
    size
        Questions in a sample.
    random_state
        The seed.
    progress
        Called with 1 for each method.

    Returns
    -------
    tuple of DataFrame and list of str
        One row per method; and what the methods have to say, with the reason of those that cannot
        draw that many.
    """
    rows, told = [], list[str]()
    for method in METHODS:
        if progress is not None:
            progress(1)
        try:
            drawn: Sample = draw(vectors, size, method, random_state=random_state)
        except DataError as error:
            # a method that cannot give this size must not hide the others
            told.append(str(error))
            continue
        told += drawn.notes
        rows.append(
            (method, diversity.measure(vectors, drawn.chosen, float((drawn.cluster >= 0).mean())))
        )
    return diversity.figures_frame(rows), told


def check_sample(
    query: str,
    size: int,
    method: str,
    *,
    random_state: int,
    options: Mapping[str, float | str],
    features: Sequence[str] = (),
) -> None:
    """Reject impossible samples and features missing from the query, before any data is read.

    Parameters
    ----------
    query
        The text of the selection.
    size, method, random_state, options
        See `sample`.
    features
        Further names that must be features.

    Raises
    ------
    UsageError
        If there is no such method, option or feature.
    """
    from qaldgen.sparql.tokens import tokens

    check_call(size, method, random_state=random_state, options=options)
    known = [token.text[1:] for token in tokens(query) if token.kind == "var"]
    named = [*features, *str(options.get("by", "")).split(","), str(options.get("pps", ""))]
    for name in filter(None, map(str.strip, named)):
        # a value of a category is named like kind=a
        if name.partition("=")[0] not in known:
            listed = ", ".join(f"?{one}" for one in dict.fromkeys(known))
            raise UsageError(f"unknown feature {name!r}; the variables of the query are {listed}")


def check_signature(line: str) -> None:
    """Reject an invalid signature, or one with an unknown method or rule.

    Raises
    ------
    UsageError
        If it does.
    """
    signature = parse_signature(line)
    check_rules(signature.scaling, signature.missing)
    check_call(
        signature.size,
        signature.method,
        random_state=signature.random_state,
        options=signature.options,
    )


def check_forms(outputs: Sequence[str], form: str | None) -> None:
    """Reject unknown formats and file extensions of a benchmark.

    Parameters
    ----------
    outputs
        The files; ``-`` is stdout.
    form
        The format of all files; None for what their extensions say.

    Raises
    ------
    UsageError
        If there is no such format.
    """
    if form is not None and form not in FORMATS:
        raise UsageError(f"unknown format {form!r}; {one_of(form, FORMATS)}")
    for output in outputs:
        if form is None and output != "-":
            format_of(Path(output))


def prepared(outputs: Sequence[str], form: str | None) -> list[str]:
    """Return the files that will be written, and make the folders of the forms that have several.

    Parameters
    ----------
    outputs
        What the user names; ``-`` is stdout.
    form
        The format of all files; None for what their extensions say.

    Raises
    ------
    UsageError
        If there is no such format, a folder cannot be made, or stdout would have to hold one.
    """
    check_forms(outputs, form)
    files = list[str]()
    for output in outputs:
        name = _form(output, form)
        if output == "-" and FORMATS[name].files:
            # stdout has no room for a folder
            size = len(FORMATS[name].files)
            raise UsageError(
                f"{name} is a folder with {size} files, which stdout cannot hold; name one with -o"
            )
        if output != "-":
            make_folders(Path(output), name)
        files += ["-"] if output == "-" else map(str, files_of(Path(output), name))
    return files


def rendered(
    benchmark: Benchmark,
    outputs: Sequence[str],
    form: str | None,
    *,
    language: str = "en",
    answers: str = "all",
    licence: str = "",
) -> tuple[list[tuple[str, bytes]], list[str]]:
    """Return the content of each file, and notes on its use, each once.

    Parameters
    ----------
    benchmark
        What is written.
    outputs
        The files and folders; ``-`` is stdout, which gets Turtle by default.
    form
        The format of all files; None for what their extensions say.
    language, answers, licence
        See `qaldgen.benchmark.export.render`.
    """
    made, told = [], dict[str, None]()
    for output in outputs:
        name, path = _form(output, form), Path(output)
        files, warnings = render_files(
            benchmark, path, name, language=language, answers=answers, licence=licence
        )
        told.update(dict.fromkeys(warnings))
        made += [(str(file), content) for file, content in files]
    return made, list(told)


def _form(output: str, form: str | None) -> str:
    return form or ("turtle" if output == "-" else format_of(Path(output)))
