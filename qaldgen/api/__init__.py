"""The facade.

Everything that ``import qaldgen`` offers, and all that the command line calls, one module per
topic.

A module here takes files, names or objects, puts the steps of a task together and returns records
with numbers and notes. It prints nothing. A topic is imported when it is first used.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qaldgen.api import (
        annotating,
        asking,
        checking,
        checks,
        clustering,
        describing,
        expecting,
        judging,
        labelling,
        planning,
        questions,
        racing,
        rehearsing,
        sampling,
        selecting,
        stop_rules,
        stopping,
        studying,
        tables,
    )

__all__ = [
    "annotating",
    "asking",
    "checking",
    "checks",
    "clustering",
    "describing",
    "expecting",
    "judging",
    "labelling",
    "planning",
    "questions",
    "racing",
    "rehearsing",
    "sampling",
    "selecting",
    "stop_rules",
    "stopping",
    "studying",
    "tables",
]


#: What moved to a room.
_ROOMS = {
    "estimating": "analysis.estimates",
    "cutting": "analysis.feature_table",
    "outcomes": "analysis.outcomes",
    "reporting": "reports.report",
    "score_tables": "reports.tables.scores",
    "scoring": "analysis.scores",
    "swapped": "scoring.swapped",
    "wordings": "scoring.aliases",
}
#: What moved to a plug-in.
_MOVED = {
    "acting": "act",
    "chains": "passages",
    "exploring": "explorer",
    "judged_passages": "passages",
    "passage_labels": "passages",
    "pool_runs": "explorer",
    "pools": "explorer",
    "retrieving": "passages",
}


# modules are imported on first use, so that `import qaldgen` stays fast
def __getattr__(name: str) -> ModuleType:
    if name in _MOVED:  # an AttributeError would lose its message in `from qaldgen.api import ...`
        raise ImportError(
            f"qaldgen.api.{name} moved; write: from qaldgen.plugins import {_MOVED[name]}"
        )
    if name in _ROOMS:
        return importlib.import_module(f"qaldgen.{_ROOMS[name]}")
    if name not in __all__:
        raise AttributeError(f"module 'qaldgen.api' has no attribute {name!r}")
    return importlib.import_module(f"qaldgen.api.{name}")
