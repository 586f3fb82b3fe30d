"""What the explorer answers: each function takes what is open and a request, and returns JSON."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

import qaldgen
from qaldgen import api
from qaldgen.api.reporting import Report
from qaldgen.errors import UsageError
from qaldgen.explorer.wanted import Draw, Selection, draw_of, selection_of, text_of
from qaldgen.explorer.workspace import Opened, Workspace

#: Answers a request.
Answer: TypeAlias = Callable[[Workspace, Mapping[str, Any]], Any]
#: The forms of a benchmark that can be downloaded: name of the file, and its media type.
FORMS = {
    "turtle": ("bench.ttl", "text/turtle"),
    "qald-json": ("bench.json", "application/json"),
    "csv": ("bench.csv", "text/csv"),
}


class File(NamedTuple):
    """A file to save."""

    name: str
    kind: str
    content: bytes


def start(workspace: Workspace, _body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is open and what there is to choose from.

    Parameters
    ----------
    workspace
        The open data sets.
    _body
        Not used; a request for this needs no fields.

    Returns
    -------
    dict
        ``open`` lists the open data sets and their runs. The other keys are the version, the names
        of public question sets, sampling methods and rules, and the ready queries with their text.
    """
    return {
        "version": qaldgen.__version__,
        "open": [_named(opened) for opened in workspace.pools.values()],
        "catalogue": api.questions.names(),
        "methods": api.choices.listed("methods"),
        "scalings": api.choices.listed("scalings"),
        "missing": api.choices.listed("missing-features"),
        "queries": [
            {"name": name, "text": api.exploring.read_query(name).text}
            for name in api.exploring.ready_queries()
        ],
    }


def _named(opened: Opened) -> dict[str, Any]:
    pool = opened.pool
    return {
        "id": pool.id,
        "name": pool.name,
        "questions": len(pool.browse.ids),
        "runs": list(opened.runs),
    }


def open_named(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Open a public question set from the catalogue; a page cannot name files.

    Parameters
    ----------
    workspace
        The open data sets; the new one is added.
    body
        ``name``: a name in the catalogue.

    Returns
    -------
    dict
        The id and name of the data set, its number of questions and the names of its runs.

    Raises
    ------
    UsageError
        If the catalogue does not have this name, or too many data sets are open.
    DataError
        If the question set cannot be fetched or read.
    """
    name = text_of(body, "name")
    if name not in api.questions.names():
        raise UsageError(f"{name[:80]}: the catalogue has no question set of this name")
    return _named(workspace.open(name))


def data(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the questions of a data set and the bins of its histograms.

    Parameters
    ----------
    workspace
        The open data sets.
    body
        ``data``: the id of an open data set.

    Returns
    -------
    dict
        Ids and texts in the same order; ``columns``, one histogram each, with the label and the
        limits of every bin; ``first``, the name of the query to start with; ``leftOut``, the number
        of properties without a histogram.

    Raises
    ------
    UsageError
        If the data set is not open.
    DataError
        If none of the ready queries selects a question.
    """
    opened = workspace.opened(body.get("data"))
    pool = opened.pool
    first = opened.once("first query", lambda: api.exploring.first_query(pool))
    columns = [
        {
            "property": column.property,
            "name": column.name,
            "label": column.label,
            "kind": column.kind,
            "bins": [[one.label, one.low, one.high] for one in column.bins],
        }
        for column in pool.browse.columns
    ]
    return {
        **_named(opened),
        "ids": list(pool.browse.ids),
        "texts": list(pool.browse.texts),
        "columns": columns,
        "first": first.name,
        "leftOut": pool.browse.left_out,
        "notes": list(pool.notes),
    }


def columns(workspace: Workspace, body: Mapping[str, Any]) -> bytes:
    """Return the bin of every question in some histograms, one byte per question.

    Parameters
    ----------
    workspace
        The open data sets.
    body
        ``data``: the id of an open data set; ``columns``: positions of histograms, counted from 0
        in the order in which `data` returns them.

    Returns
    -------
    bytes
        Of length n_columns * n_questions, one histogram after the other. Each byte is the position
        of a bin, 255 for a question without a value.

    Raises
    ------
    UsageError
        If the data set is not open, or ``columns`` is not a list of valid positions.
    """
    found = workspace.opened(body.get("data")).pool.browse.columns
    places = body.get("columns")
    if not isinstance(places, list) or not all(type(at) is int for at in places):
        raise UsageError("columns: is no list of places")
    if len(places) > len(found) or not all(0 <= at < len(found) for at in places):
        raise UsageError(f"columns: there are {len(found)}")
    return b"".join(found[at].codes.tobytes() for at in places)


def pool(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the questions that a query selects, and where they lie on the map.

    Parameters
    ----------
    workspace
        The open data sets.
    body
        The selection, as `selection_of` reads it.

    Returns
    -------
    dict
        ``rows``: by selected question its position in the data set, -1 if it has no text.
        ``points``: the map, float32 values of shape (n_selected, 2), row by row, little-endian, in
        base64; None if the questions do not differ. ``labels``: the meaning of the two axes.
        ``dropped``: the number of questions left out because a feature is missing.

    Raises
    ------
    UsageError
        If the data set is not open, or the query or a filter is invalid.
    DataError
        If the query selects nothing.
    """
    wanted = selection_of(workspace, body)
    vectors = wanted.vectors()
    position = {iri: at for at, iri in enumerate(wanted.opened.pool.browse.ids)}
    rows = [position.get(iri, -1) for iri in vectors.ids]
    without = rows.count(-1)
    found = api.exploring.projected(vectors)
    points = None if found is None else _packed(found.points)
    notes = list(vectors.notes)
    if without:
        notes.append(f"{without:,} questions have no text and are not shown")
    return {
        "text": wanted.query.text,
        "rows": rows,
        "points": points,
        "labels": [] if found is None else list(found.labels),
        "features": list(vectors.features),
        "dropped": vectors.dropped,
        "notes": notes,
    }


def _packed(points: Any) -> str:  # noqa: ANN401
    flat = np.ascontiguousarray(points, dtype="<f4")
    return base64.b64encode(flat.tobytes()).decode("ascii")


def query(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the SPARQL text of a query with filters, without running it.

    Parameters
    ----------
    workspace
        The open data sets.
    body
        The selection, as `selection_of` reads it.

    Returns
    -------
    dict
        ``text``: the query.

    Raises
    ------
    UsageError
        If the data set is not open, or the query or a filter is invalid.
    """
    return {"text": selection_of(workspace, body).query.text}


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
        every question of the pool is a cluster of its own. ``pool``: the number of selected
        questions. ``commands``: lines for the shell, which need the query in ``queryFile`` if that
        is not empty.

    Raises
    ------
    UsageError
        If the data set is not open, or the query, a filter, the method or the size is invalid.
    DataError
        If the query selects nothing, or the method cannot choose so many questions.
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
        "features": list(made.features),
        "clusters": clusters if len(clusters) < len(vectors) else [],
        "pool": len(vectors),
        "diversity": None if made.diversity != made.diversity else made.diversity,
        "design": made.design,
        "signature": made.signature,
        "notes": [*vectors.notes, *made.notes],
        "commands": _commands(wanted, draw),
        "queryFile": "" if wanted.query.name != "selection" else "selection.rq",
    }


def _commands(wanted: Selection, draw: Draw) -> list[str]:
    return api.exploring.sampling_commands(
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
        return api.sampling.preview(
            wanted.vectors(), draw.size, method=draw.method, random_state=draw.seed
        )

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
        lambda: api.sampling.figures(_preview(wanted, draw), wanted.vectors()),
    )
    table = found.table.astype(object).where(found.table.notna(), None)
    return {
        "sentence": api.sampling.in_words(found),
        "repeated": found.repeated,
        "columns": [str(name) for name in table.columns],
        "rows": [
            [str(name), *row] for name, row in zip(table.index, table.values.tolist(), strict=True)
        ],
    }


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
        lambda: api.sampling.compare_methods(wanted.vectors(), draw.size, random_state=draw.seed),
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
        The selection and the sample, as for `sample`, and ``form``: a key of `FORMS`, ``signature``
        or ``query``.

    Returns
    -------
    File
        Its name, media type and content.

    Raises
    ------
    UsageError
        If the form is unknown; otherwise as for `sample`.
    DataError
        As for `sample`; the form ``query`` draws no sample and does not raise it.
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
        lambda: api.sampling.sample(
            wanted.vectors(), draw.size, method=draw.method, random_state=draw.seed
        ),
    )
    name, kind = FORMS[form]
    files, _ = api.sampling.rendered(made, [name], None)
    return File(name, kind, files[0][1])


def screen(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the report on the selected questions, as its page needs it.

    Searching for weak spots takes most of the time; with ``quick`` it is skipped.

    Parameters
    ----------
    workspace
        The open data sets.
    body
        The selection, as `selection_of` reads it, and ``quick``, false if absent.

    Returns
    -------
    dict
        What `page_data` returns, without the map, and ``rows``: by question of the report its
        position in the data set, -1 if it has no text.

    Raises
    ------
    UsageError
        If the data set or no run is open, or the query or a filter is invalid.
    DataError
        If the query selects nothing, or none of its questions can be scored.
    """
    wanted = selection_of(workspace, body)
    quick = bool(body.get("quick"))
    found = api.exploring.page_data(_report(wanted, search=not quick))
    places = wanted.opened.once("rows", lambda: api.exploring.rows_of(wanted.opened.pool))
    return {**found, "map": None, "rows": [places[name] for name in found["ids"]]}


def _report(wanted: Selection, *, search: bool = True) -> Report:
    opened = wanted.opened
    if not opened.runs:
        raise UsageError("no runs are open; drop one on the page")
    pool, runs = opened.pool, list(opened.runs.values())

    def work() -> Report:
        chosen = wanted.vectors().ids
        whole = len(chosen) == len(pool.browse.ids)
        return api.exploring.report_on(pool, runs, None if whole else chosen, search=search)

    return opened.once(("report", search, *wanted.key, *opened.runs), work)


def weakness(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a query for those of the selected questions that belong to a weak spot.

    Parameters
    ----------
    workspace
        The open data sets.
    body
        The selection, as `selection_of` reads it; ``system`` and ``spot``, the names of a system
        and of one of its weak spots, as `screen` returned them.

    Returns
    -------
    dict
        ``text``: the query; ``n``: the number of questions that it selects.

    Raises
    ------
    UsageError
        If the report no longer has this weak spot; otherwise as for `screen`.
    DataError
        As for `screen`.
    """
    wanted = selection_of(workspace, body)
    report = _report(wanted)
    system, name = text_of(body, "system"), text_of(body, "spot")
    spots = report.weak.spots.get(system, ())
    one = next((spot.slice for spot in spots if spot.slice.name == name), None)
    if one is None:
        raise UsageError("the report has no such weak spot any more; look at it again")
    text, n = api.exploring.narrowed(wanted.opened.pool, wanted.query, one)
    return {"text": text, "n": n}


def remove_run(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Remove a run from a data set; nothing happens if it is not there.

    Parameters
    ----------
    workspace
        The open data sets.
    body
        ``data``: the id of an open data set; ``name``: the name of the run.

    Returns
    -------
    dict
        What is left, in the form that `open_named` returns.

    Raises
    ------
    UsageError
        If the data set is not open, or ``name`` is missing.
    """
    opened = workspace.opened(body.get("data"))
    opened.runs.pop(text_of(body, "name"), None)
    return _named(opened)


#: What each address answers.
ANSWERS: dict[str, Answer] = {
    "start": start,
    "open": open_named,
    "data": data,
    "columns": columns,
    "pool": pool,
    "query": query,
    "sample": sample,
    "figures": figures,
    "compare": compare,
    "download": download,
    "screen": screen,
    "weakness": weakness,
    "remove-run": remove_run,
}
