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
        chains,
        checks,
        comparing,
        cutting,
        describing,
        estimating,
        expecting,
        judged_passages,
        judging,
        labelling,
        outcomes,
        passage_labels,
        planning,
        questions,
        racing,
        rehearsing,
        reporting,
        retrieving,
        score_tables,
        scoring,
        stop_rules,
        stopping,
        studying,
        swapped,
        tables,
        wordings,
    )

__all__ = [
    "chains",
    "checks",
    "comparing",
    "cutting",
    "describing",
    "estimating",
    "expecting",
    "judged_passages",
    "judging",
    "labelling",
    "outcomes",
    "passage_labels",
    "planning",
    "questions",
    "racing",
    "rehearsing",
    "reporting",
    "retrieving",
    "score_tables",
    "scoring",
    "stop_rules",
    "stopping",
    "studying",
    "swapped",
    "tables",
    "wordings",
]


#: By module that moved: what to write now.
_MOVED = {
    "acting": "from qaldgen.plugins import act",
    "annotating": "from qaldgen.annotation.annotate import ...",
    "asking": "from qaldgen.asking.asking (or .systems) import ...",
    "checking": "from qaldgen.checking.check import ...",
    "clustering": "from qaldgen.benchmark.clusters (or qaldgen.analysis.pool_clusters) import ...",
    "exploring": "from qaldgen.plugins import explorer",
    "pool_runs": "from qaldgen.plugins import explorer",
    "pools": "from qaldgen.plugins import explorer",
    "sampling": "from qaldgen.benchmark.make (or .quality, .rebuild, .export) import ...",
    "selecting": "from qaldgen.selection.select (or .description) import ...",
}


# modules are imported on first use, so that `import qaldgen` stays fast
def __getattr__(name: str) -> ModuleType:
    if name in _MOVED:  # an AttributeError would lose its message in `from qaldgen.api import ...`
        raise ImportError(f"qaldgen.api.{name} moved; write: {_MOVED[name]}")
    if name not in __all__:
        raise AttributeError(f"module 'qaldgen.api' has no attribute {name!r}")
    return importlib.import_module(f"qaldgen.api.{name}")
