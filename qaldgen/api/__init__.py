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
        asking,
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
    "asking",
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


#: Where the functions of a module are now.
_MOVED = {
    "acting": "qaldgen.plugins.act",
    "annotating": "qaldgen.annotation.annotate, or qaldgen.analysis.feature_examples",
    "checking": "qaldgen.checking.check",
    "clustering": "qaldgen.benchmark.clusters, or qaldgen.analysis.clusters and .pool_clusters",
    "exploring": "qaldgen.plugins.explorer",
    "pool_runs": "qaldgen.plugins.explorer",
    "pools": "qaldgen.plugins.explorer",
    "sampling": "qaldgen.benchmark.make, .quality, .rebuild or .export",
    "selecting": "qaldgen.selection.select or .description",
}


# modules are imported on first use, so that `import qaldgen` stays fast
def __getattr__(name: str) -> ModuleType:
    if name in _MOVED:  # an AttributeError would lose its message in `from qaldgen.api import ...`
        raise ImportError(f"qaldgen.api.{name} moved; import from {_MOVED[name]}")
    if name not in __all__:
        raise AttributeError(f"module 'qaldgen.api' has no attribute {name!r}")
    return importlib.import_module(f"qaldgen.api.{name}")
