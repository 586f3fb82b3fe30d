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
        checks,
        describing,
        questions,
        tables,
    )

__all__ = [
    "checks",
    "describing",
    "questions",
    "tables",
]


#: By module that moved: where it is now.
_MOVED = {
    "acting": "qaldgen.plugins.act",
    "annotating": "qaldgen.annotation.annotate",
    "asking": "qaldgen.asking.asking or .systems",
    "chains": "qaldgen.plugins.passages",
    "checking": "qaldgen.checking.check",
    "choices": "qaldgen.commands.tables",
    "clustering": "qaldgen.benchmark.clusters or qaldgen.analysis.pool_clusters",
    "comparing": "qaldgen.analysis.compare or .slices",
    "cutting": "qaldgen.analysis.feature_table",
    "estimating": "qaldgen.analysis.estimating",
    "exploring": "qaldgen.plugins.explorer",
    "judging": "qaldgen.asking.judging",
    "judged_passages": "qaldgen.plugins.passages",
    "options": "qaldgen.scoring.setting",
    "outcomes": "qaldgen.analysis.outcomes",
    "passage_labels": "qaldgen.plugins.passages",
    "pool_runs": "qaldgen.plugins.explorer",
    "pools": "qaldgen.plugins.explorer",
    "reporting": "qaldgen.reports.report",
    "retrieving": "qaldgen.plugins.passages",
    "sampling": "qaldgen.benchmark.make, .quality, .rebuild or .export",
    "score_tables": "qaldgen.reports.tables.scores",
    "scoring": "qaldgen.analysis.scores",
    "selecting": "qaldgen.selection.select or .description",
    "swapped": "qaldgen.scoring.swapped",
    "expecting": "qaldgen.analysis.planning.expected_size",
    "labelling": "qaldgen.analysis.labelling.label or .score_labels",
    "planning": "qaldgen.analysis.planning.plan",
    "racing": "qaldgen.analysis.sequential.race",
    "rehearsing": "qaldgen.analysis.study.sequential",
    "stop_rules": "qaldgen.analysis.sequential.stop_rule",
    "stopping": "qaldgen.analysis.sequential.gate",
    "studying": "qaldgen.analysis.study.sampling",
    "wordings": "qaldgen.scoring.aliases",
}


# modules are imported on first use, so that `import qaldgen` stays fast
def __getattr__(name: str) -> ModuleType:
    if name in _MOVED:  # an AttributeError would lose its message in `from qaldgen.api import ...`
        raise ImportError(f"qaldgen.api.{name} moved; import it from {_MOVED[name]}")
    if name not in __all__:
        raise AttributeError(f"module 'qaldgen.api' has no attribute {name!r}")
    return importlib.import_module(f"qaldgen.api.{name}")
