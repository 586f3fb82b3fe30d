"""GERBIL's sub-experiments of question answering, which compare the queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qaldgen.io.lazy import importer

if TYPE_CHECKING:
    from qaldgen.plugins.subtasks.experiments import query_markings as query_markings
    from qaldgen.plugins.subtasks.experiments import sub_experiments as sub_experiments

#: The public names in each module, which is imported when one of its names is used.
_NAMES = {
    "experiments": ("query_markings", "sub_experiments"),
}
__all__ = [name for names in _NAMES.values() for name in names]
__getattr__ = importer(__name__, _NAMES)
