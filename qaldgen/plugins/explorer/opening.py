"""Answers about what is open: data sets, their runs, and the histograms of their questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import qaldgen
from qaldgen.cli.tables import listed
from qaldgen.datasets.catalog import entries
from qaldgen.errors import UsageError
from qaldgen.plugins.explorer import exploring
from qaldgen.plugins.explorer.wanted import first_query, text_of
from qaldgen.plugins.explorer.workspace import Opened, Workspace
from qaldgen.scoring.verdicts import JUDGE


def start(workspace: Workspace, _body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what there is to choose from; this alone is answered while data are still read."""
    return {
        "version": qaldgen.__version__,
        "reading": "" if workspace.reading.done() else workspace.read_at_start,
        "catalogue": list(entries()),
        "methods": listed("methods"),
        "scalings": listed("scalings"),
        "missing": listed("missing-features"),
        "matchers": {
            name: words for name, words in listed("matchers").items() if name != JUDGE
        },  # a judge costs money
        "queries": [
            {"name": name, "text": exploring.read_query(name).text}
            for name in exploring.ready_queries()
        ],
    }


def open_sets(workspace: Workspace, _body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is open, once the data are read that the explorer was started with."""
    return {"open": [_named(opened) for opened in workspace.pools.values()]}


def _named(opened: Opened) -> dict[str, Any]:
    pool = opened.pool
    return {
        "id": pool.id,
        "name": pool.name,
        "questions": len(pool.browse.ids),
        "runs": list(opened.runs),
        "match": opened.match,
    }


def open_named(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Open a public question set from the catalogue; the page cannot name files."""
    name = text_of(body, "name")
    if name not in entries():
        raise UsageError(f"{name[:80]}: the catalogue has no question set of this name")
    return _named(workspace.open(name))


def remove_run(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Remove a run from a data set; nothing happens if it is not there."""
    opened = workspace.opened(body.get("data"))
    opened.runs.pop(text_of(body, "name"), None)
    return _named(opened)


def match(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Score the runs of a data set by other rules."""
    opened, wanted = workspace.opened(body.get("data")), text_of(body, "match")
    if wanted == JUDGE:
        raise UsageError("a judge costs money; give its verdicts to 'qaldgen score'")
    opened.match_by(wanted)
    return _named(opened)


def data(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the questions of a data set and the bins of its histograms."""
    opened = workspace.opened(body.get("data"))
    pool = opened.pool
    first = first_query(opened)
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
    """Return the bin of every question in some histograms, one byte per question."""
    found = workspace.opened(body.get("data")).pool.browse.columns
    places = body.get("columns")
    if not isinstance(places, list) or not all(type(at) is int for at in places):
        raise UsageError("columns: is not a list of places")
    if len(places) > len(found) or not all(0 <= at < len(found) for at in places):
        raise UsageError(f"columns: there are {len(found)}")
    return b"".join(found[at].codes.tobytes() for at in places)
