"""Answers about systems: the report on the selected questions, and a weak spot as a query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from qaldgen.errors import UsageError
from qaldgen.plugins.explorer.wanted import Selection, selection_of, text_of
from qaldgen.plugins.explorer.workspace import Workspace
from qaldgen.sparql.ready_queries import chosen_by

if TYPE_CHECKING:
    from qaldgen.reports.page.contents import Report


def screen(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the report on the selected questions, as the page needs it.

    Searching for weak spots takes most of the time; with ``quick`` it is skipped.
    """
    from qaldgen.plugins.explorer import pool_runs  # it takes long to import

    wanted = selection_of(workspace, body)
    quick = bool(body.get("quick"))
    found = pool_runs.page_data(_report(wanted, search=not quick))
    places = wanted.opened.once("rows", lambda: pool_runs.rows_of(wanted.opened.pool))
    return {**found, "map": None, "entries": {}, "rows": [places[name] for name in found["ids"]]}


def _report(wanted: Selection, *, search: bool = True) -> Report:
    from qaldgen.plugins.explorer import pool_runs  # it takes long to import

    opened = wanted.opened
    if not opened.runs:
        raise UsageError("no runs are open; drop one on the page")
    pool, runs = opened.pool, list(opened.runs.values())

    def work() -> Report:
        chosen = wanted.vectors().ids
        whole = len(chosen) == len(pool.browse.ids)
        return pool_runs.report_on(
            pool,
            runs,
            None if whole else chosen,
            chosen=chosen_by(wanted.query.text),
            search=search,
        )

    return opened.once(("report", search, opened.match, *wanted.key, *opened.runs), work)


def weakness(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a query for those of the selected questions that belong to a weak spot."""
    from qaldgen.plugins.explorer import pool_runs  # it takes long to import

    wanted = selection_of(workspace, body)
    report = _report(wanted)
    system, name = text_of(body, "system"), text_of(body, "spot")
    spots = report.weak.spots.get(system, ())
    one = next((spot.slice for spot in spots if spot.slice.name == name), None)
    if one is None:
        raise UsageError("the report no longer has this weak spot; open it again")
    text, n = pool_runs.narrowed(wanted.opened.pool, wanted.query, one)
    return {"text": text, "n": n}
