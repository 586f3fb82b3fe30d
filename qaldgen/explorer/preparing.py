"""Compute what the page asks for first before it asks."""

from __future__ import annotations

from contextlib import suppress

from qaldgen import api
from qaldgen.errors import QaldgenError
from qaldgen.explorer import choosing, drawing
from qaldgen.explorer.wanted import first_query
from qaldgen.explorer.workspace import Workspace


def prepare(workspace: Workspace) -> None:
    """Compute what the page asks for first while the browser starts, then load the slow packages.

    Parameters
    ----------
    workspace
        What is open; what is computed is kept there.
    """
    for opened in tuple(workspace.pools.values()):
        with suppress(QaldgenError):  # whoever asks for it gets the message
            wanted = {"data": opened.pool.id, "query": first_query(opened).name}
            for answer in (choosing.pool, drawing.sample, drawing.figures):
                answer(workspace, wanted)
    api.sampling.load_methods()
