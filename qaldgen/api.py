"""Where what once was the facade is now: the public verbs stand in the rooms that own them."""

from __future__ import annotations

from typing import NoReturn

#: By module of the facade.
_MOVED = {
    "acting": "qaldgen.plugins.act",
    "annotating": "qaldgen.annotation.annotate",
    "asking": "qaldgen.asking.asking or .systems",
    "chains": "qaldgen.plugins.passages",
    "checking": "qaldgen.checking.check",
    "checks": "qaldgen.io.arguments or qaldgen.io.inputs",
    "choices": "qaldgen.cli.list",
    "clustering": "qaldgen.benchmark.clusters or qaldgen.analysis.pool_clusters",
    "comparing": "qaldgen.analysis.compare or .slices",
    "cutting": "qaldgen.analysis.feature_table",
    "describing": "qaldgen.analysis.question_sets",
    "estimating": "qaldgen.analysis.estimating",
    "expecting": "qaldgen.analysis.planning.expected_size",
    "exploring": "qaldgen.plugins.explorer",
    "judging": "qaldgen.asking.judging",
    "judged_passages": "qaldgen.plugins.passages",
    "labelling": "qaldgen.analysis.labelling.label or .score_labels",
    "options": "qaldgen.scoring.setting",
    "outcomes": "qaldgen.analysis.outcomes",
    "passage_labels": "qaldgen.plugins.passages",
    "planning": "qaldgen.analysis.planning.plan",
    "pool_runs": "qaldgen.plugins.explorer",
    "pools": "qaldgen.plugins.explorer",
    "questions": "qaldgen.datasets.loading or qaldgen.scoring.gold",
    "racing": "qaldgen.analysis.sequential.race",
    "rehearsing": "qaldgen.analysis.study.sequential",
    "reporting": "qaldgen.reports.report",
    "retrieving": "qaldgen.plugins.passages",
    "sampling": "qaldgen.benchmark.make, .quality, .rebuild or .export",
    "score_tables": "qaldgen.reports.tables.scores",
    "scoring": "qaldgen.analysis.scores",
    "selecting": "qaldgen.selection.select or .description",
    "stop_rules": "qaldgen.analysis.sequential.stop_rule",
    "stopping": "qaldgen.analysis.sequential.gate",
    "studying": "qaldgen.analysis.study.sampling",
    "swapped": "qaldgen.scoring.swapped",
    "tables": "qaldgen.reports.tables.results",
    "wordings": "qaldgen.scoring.aliases",
}


def __getattr__(name: str) -> NoReturn:
    if name in _MOVED:  # an AttributeError would lose its message in `from qaldgen.api import ...`
        raise ImportError(f"qaldgen.api.{name} moved; import it from {_MOVED[name]}")
    raise AttributeError(f"module 'qaldgen.api' has no attribute {name!r}")
