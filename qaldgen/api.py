"""Where what once was the facade is now: the public verbs stand in the rooms that own them."""

from __future__ import annotations

from typing import NoReturn

#: By module of the facade.
_MOVED = {
    "acting": "qaldgen.plugins.act",
    "annotating": "qaldgen.annotation.annotate",
    "asking": "qaldgen.asking.asking or .protocols",
    "chains": "qaldgen.plugins.passages",
    "checking": "qaldgen.checking.check",
    "checks": "qaldgen.io.arguments or qaldgen.io.files",
    "choices": "qaldgen.cli.tables",
    "clustering": "qaldgen.benchmark.clusters or qaldgen.analysis.cluster_slices",
    "comparing": "qaldgen.analysis.comparing.comparison or .slices",
    "cutting": "qaldgen.analysis.feature_table",
    "describing": "qaldgen.analysis.question_sets",
    "estimating": "qaldgen.analysis.estimating.estimate",
    "expecting": "qaldgen.analysis.planning.expected_size",
    "exploring": "qaldgen.plugins.explorer",
    "judging": "qaldgen.asking.judge",
    "judged_passages": "qaldgen.plugins.passages",
    "labelling": "qaldgen.analysis.labelling.worksheet or .estimate",
    "options": "qaldgen.scoring.matchers",
    "outcomes": "qaldgen.analysis.mistakes",
    "passage_labels": "qaldgen.plugins.passages",
    "planning": "qaldgen.analysis.planning.questions_needed",
    "pool_runs": "qaldgen.plugins.explorer",
    "pools": "qaldgen.plugins.explorer",
    "questions": "qaldgen.datasets.loading or qaldgen.scoring.gold",
    "racing": "qaldgen.analysis.stopping.race",
    "rehearsing": "qaldgen.analysis.study.stopping_study",
    "reporting": "qaldgen.reports.report",
    "retrieving": "qaldgen.plugins.passages",
    "sampling": "qaldgen.benchmark.make, .quality, .rebuild or .export",
    "score_tables": "qaldgen.reports.tables.scores",
    "scoring": "qaldgen.analysis.scores",
    "selecting": "qaldgen.selection.select or .description",
    "stop_rules": "qaldgen.analysis.stopping.stop_rule",
    "stopping": "qaldgen.analysis.stopping.gate",
    "studying": "qaldgen.analysis.study.sampling_study",
    "swapped": "qaldgen.scoring.gold",
    "tables": "qaldgen.reports.tables.results",
    "wordings": "qaldgen.scoring.gold",
}


def __getattr__(name: str) -> NoReturn:
    if name in _MOVED:  # an AttributeError would lose its message in `from qaldgen.api import ...`
        raise ImportError(f"qaldgen.api.{name} moved; import it from {_MOVED[name]}")
    raise AttributeError(f"module 'qaldgen.api' has no attribute {name!r}")
