"""Answers about samples: drawing, judging, comparing and downloading them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from qaldgen.benchmark import quality
from qaldgen.benchmark.export import format_of, render_files
from qaldgen.benchmark.make import assemble
from qaldgen.benchmark.make import sample as make_sample
from qaldgen.errors import UsageError
from qaldgen.plugins.explorer import exploring
from qaldgen.plugins.explorer.wanted import Draw, Selection, draw_of, selection_of, text_of
from qaldgen.plugins.explorer.workspace import Workspace
from qaldgen.sampling import draw as draw_questions

#: The formats in which a benchmark can be downloaded: file name and media type.
FORMS = {
    "turtle": ("bench.ttl", "text/turtle"),
    "qald-json": ("bench.json", "application/json"),
    "csv": ("bench.csv", "text/csv"),
}


class File(NamedTuple):
    """A file to download: its name, media type and content."""

    name: str
    kind: str
    content: bytes


def sample(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Draw a sample, and return the commands that draw the same one.

    Parameters
    ----------
    workspace
        The open data sets.
    body
        The selection, as `selection_of` reads it, and the sample, as `draw_of` reads it.

    Returns
    -------
    dict
        ``members``: for each question its position in the data set (-1 without a text), its cluster
        from 1, its weight as a share of the pool, the probability that it was drawn (None for a
        purposive sample) and its raw feature values. ``clusters``: positions by cluster, empty if
        every question of the pool is a cluster of its own, and ``clusterNames`` in words. ``pool``:
        the number of selected questions. ``commands``: lines for the shell, which need the query in
        ``queryFile`` if that is not empty.

    Raises
    ------
    UsageError
        If the data set is not open, or the query, a filter, the method or the size is invalid.
    DataError
        If the query selects nothing, or the method cannot choose that many questions.
    """
    wanted, draw = selection_of(workspace, body), draw_of(body)
    vectors = wanted.vectors()
    made = _preview(wanted, draw)
    position = {iri: at for at, iri in enumerate(wanted.opened.pool.browse.ids)}
    members = [
        [position.get(one.iri, -1), one.cluster, one.weight, one.inclusion, list(one.values)]
        for one in made.members
    ]
    clusters = [[position.get(iri, -1) for iri in own] for own in made.pool_clusters]
    return {
        "members": members,
        "features": exploring.columns_in_words(vectors),
        "clusters": clusters if len(clusters) < len(vectors) else [],
        "clusterNames": made.cluster_names,
        "pool": len(vectors),
        "diversity": None if made.diversity != made.diversity else made.diversity,
        "design": made.design,
        "signature": made.signature,
        "notes": [*vectors.notes, *made.notes],
        "commands": _commands(wanted, draw),
        "queryFile": "" if wanted.query.name != "selection" else "selection.rq",
    }


def _commands(wanted: Selection, draw: Draw) -> list[str]:
    return exploring.sampling_commands(
        wanted.opened.pool,
        wanted.query,
        draw.size,
        draw.method,
        seed=draw.seed,
        scaling=wanted.scaling,
        missing=wanted.missing,
    )


def _preview(wanted: Selection, draw: Draw) -> Any:  # noqa: ANN401
    def work() -> Any:  # noqa: ANN401
        # without the data about its questions, which would be read again
        vectors, seed = wanted.vectors(), draw.seed
        drawn = draw_questions(vectors, draw.size, draw.method, random_state=seed)
        return assemble(vectors, drawn, method=draw.method, random_state=seed, described=False)

    return wanted.opened.once(("preview", *wanted.key, *draw), work)


def figures(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Compare a sample with random samples of its size, which takes longer than drawing it.

    Parameters
    ----------
    workspace
        The open data sets.
    body
        The selection and the sample, as for `sample`.

    Returns
    -------
    dict
        ``sentence``: the diversity in words. ``columns`` and ``rows``: a table with one row per
        figure, whose name comes first, then the sample, and the mean and standard deviation of
        random samples; None for an undefined value. ``repeated``: the number of questions with the
        same features as another question of the sample.

    Raises
    ------
    UsageError
        As for `sample`.
    DataError
        As for `sample`.
    """
    wanted, draw = selection_of(workspace, body), draw_of(body)
    found = wanted.opened.once(
        ("figures", *wanted.key, *draw),
        lambda: quality.figures(_preview(wanted, draw), wanted.vectors()),
    )
    table = found.table.astype(object).where(found.table.notna(), None)
    return {
        "sentence": found.in_words(),
        "repeated": found.repeated,
        "columns": [str(name) for name in table.columns],
        "rows": [
            [str(name), *row] for name, row in zip(table.index, table.values.tolist(), strict=True)
        ],
    }


def load_methods(_workspace: Workspace, _body: Mapping[str, Any]) -> dict[str, Any]:
    """Load what slow methods need, once the page has nothing else to ask.

    Parameters
    ----------
    _workspace
        Not used.
    _body
        Not used; a request for this needs no fields.

    Returns
    -------
    dict
        Nothing.
    """
    # scikit-learn takes two seconds of processor time, which is longer than most samples
    importlib.import_module("sklearn.cluster")
    return {}


def compare(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Draw a sample with every method, and compare the samples.

    Parameters
    ----------
    workspace
        The open data sets.
    body
        The selection and the sample, as for `sample`; ``method`` is ignored.

    Returns
    -------
    dict
        ``columns`` and ``rows``: a table with one row per method, whose name comes first; None for
        an undefined value. ``notes``: what the methods report, including why one could not draw a
        sample of this size.

    Raises
    ------
    UsageError
        If the data set is not open, or the query, a filter or the size is invalid.
    DataError
        If the query selects nothing.
    """
    wanted, draw = selection_of(workspace, body), draw_of(body)
    found, notes = wanted.opened.once(
        ("compared", *wanted.key, draw.size, draw.seed),
        lambda: quality.compare_methods(wanted.vectors(), draw.size, random_state=draw.seed),
    )
    table = found.astype(object).where(found.notna(), None)
    return {
        "columns": [str(name) for name in table.columns],
        "rows": [
            [str(name), *row] for name, row in zip(table.index, table.values.tolist(), strict=True)
        ],
        "notes": notes,
    }


def download(workspace: Workspace, body: Mapping[str, Any]) -> File:
    """Return a file to save: the benchmark in one of `FORMS`, its signature, or the query.

    Parameters
    ----------
    workspace
        The open data sets.
    body
        The selection and the sample, as for `sample`, and ``form``: a key of `FORMS`,
        ``signature`` or ``query``.

    Returns
    -------
    File
        Its name, media type and content.

    Raises
    ------
    UsageError
        If ``form`` is unknown; otherwise as for `sample`.
    DataError
        As for `sample`; not for ``query``, which draws no sample.
    """
    wanted, draw, form = selection_of(workspace, body), draw_of(body), text_of(body, "form")
    if form == "query":
        return File("selection.rq", "application/sparql-query", wanted.query.text.encode())
    if form == "signature":
        line = f"{_preview(wanted, draw).signature}\n"
        return File("signature.txt", "text/plain", line.encode())
    if form not in FORMS:
        raise UsageError(f"form: choose one of {', '.join([*FORMS, 'signature', 'query'])}")
    made = wanted.opened.once(
        ("benchmark", *wanted.key, *draw),
        lambda: make_sample(
            wanted.vectors(), draw.size, method=draw.method, random_state=draw.seed
        ),
    )
    name, kind = FORMS[form]
    files, _ = render_files(made, Path(name), format_of(Path(name)))
    return File(name, kind, files[0][1])
