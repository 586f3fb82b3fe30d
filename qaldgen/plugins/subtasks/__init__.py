"""GERBIL's sub-experiments of question answering, which compare the queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qaldgen.io.lazy import importer

if TYPE_CHECKING:
    from qaldgen.plugins.subtasks.experiments import query_markings, sub_experiments

__all__ = ["query_markings", "sub_experiments"]

#: Where the public names stand; a module is imported when one of its names is used.
_HOMES = {
    "query_markings": "qaldgen.plugins.subtasks.experiments",
    "sub_experiments": "qaldgen.plugins.subtasks.experiments",
}
__getattr__ = importer(__name__, _HOMES)
