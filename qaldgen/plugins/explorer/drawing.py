"""Answers about samples: drawing, judging, comparing and downloading them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from qaldgen.benchmark import quality
from qaldgen.benchmark.benchmark import format_of, render_files
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
    """Draw a sample, and return the commands that draw the same one."""
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
    """Compare a sample with random samples of its size, which takes longer than drawing it."""
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
    """Load what slow methods need, once the page has nothing else to ask."""
    # scikit-learn takes two seconds of processor time, which is longer than most samples
    importlib.import_module("sklearn.cluster")
    return {}


def compare(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Draw a sample with every method, and compare the samples."""
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
    """Return a file to save: the benchmark in one of `FORMS`, its signature, or the query."""
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
