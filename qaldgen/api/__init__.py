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
        judging,
        questions,
        sampling,
        selecting,
        tables,
    )

__all__ = [
    "annotating",
    "asking",
    "checking",
    "checks",
    "clustering",
    "describing",
    "judging",
    "questions",
    "sampling",
    "selecting",
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
#: What moved to a plug-in, or to the room that owns it.
_MOVED = {
    "acting": "plugins.act",
    "chains": "plugins.passages",
    "expecting": "analysis.planning.expected_size",
    "exploring": "plugins.explorer",
    "judged_passages": "plugins.passages",
    "labelling": "analysis.labelling.label",
    "passage_labels": "plugins.passages",
    "planning": "analysis.planning.plan",
    "pool_runs": "plugins.explorer",
    "pools": "plugins.explorer",
    "racing": "analysis.sequential.race",
    "rehearsing": "analysis.study.sequential",
    "retrieving": "plugins.passages",
    "stop_rules": "analysis.sequential.stop_rule",
    "stopping": "analysis.sequential.gate",
    "studying": "analysis.study.sampling",
}


# modules are imported on first use, so that `import qaldgen` stays fast
def __getattr__(name: str) -> ModuleType:
    if name in _MOVED:  # an AttributeError would lose its message in `from qaldgen.api import ...`
        room, _, module = f"qaldgen.{_MOVED[name]}".rpartition(".")
        raise ImportError(f"qaldgen.api.{name} moved; write: from {room} import {module}")
    if name in _ROOMS:
        return importlib.import_module(f"qaldgen.{_ROOMS[name]}")
    if name not in __all__:
        raise AttributeError(f"module 'qaldgen.api' has no attribute {name!r}")
    return importlib.import_module(f"qaldgen.api.{name}")
