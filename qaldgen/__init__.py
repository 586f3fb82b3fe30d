"""Microbenchmarks for question answering.

Select questions by features, choose the ones that represent them, compare systems.

>>> import qaldgen as qg
>>> len(qg.__all__) > 0
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qaldgen.io.lazy import importer

__version__ = "0.2.0"

if TYPE_CHECKING:
    from qaldgen.analysis.comparing.comparison import compare
    from qaldgen.analysis.comparing.consistency import consistency
    from qaldgen.analysis.comparing.multiplicity import Significance
    from qaldgen.analysis.estimating.estimate import estimate
    from qaldgen.analysis.planning import plan
    from qaldgen.analysis.slices.cluster_slices import with_clusters
    from qaldgen.analysis.slices.weak_spots import slices
    from qaldgen.annotation.annotate import annotate
    from qaldgen.answers.reading import read_run
    from qaldgen.answers.record import Run
    from qaldgen.asking.asking import ask
    from qaldgen.asking.judge import judge
    from qaldgen.asking.systems import Chat, System
    from qaldgen.benchmark.benchmark import Benchmark
    from qaldgen.benchmark.clusters import cluster
    from qaldgen.benchmark.make import sample
    from qaldgen.benchmark.rdf import load_benchmark
    from qaldgen.errors import DataError, QaldgenError, UsageError
    from qaldgen.model import Answers, Question, QuestionSet
    from qaldgen.questions.loading import load
    from qaldgen.reports.page.formats import write_report
    from qaldgen.reports.report import report
    from qaldgen.scoring.evaluation import Evaluation, evaluate, score
    from qaldgen.scoring.score import Scores
    from qaldgen.selection.description import describe
    from qaldgen.selection.select import open_data, select
    from qaldgen.selection.vectors import Vectors
    from qaldgen.stores.endpoint import Endpoint

__all__ = [
    "Answers",
    "Benchmark",
    "Chat",
    "DataError",
    "Endpoint",
    "Evaluation",
    "QaldgenError",
    "Question",
    "QuestionSet",
    "Run",
    "Scores",
    "Significance",
    "System",
    "UsageError",
    "Vectors",
    "__version__",
    "annotate",
    "ask",
    "cluster",
    "compare",
    "consistency",
    "describe",
    "estimate",
    "evaluate",
    "judge",
    "load",
    "load_benchmark",
    "open_data",
    "plan",
    "read_run",
    "report",
    "sample",
    "score",
    "select",
    "slices",
    "with_clusters",
    "write_report",
]


#: The public names in each module, which is imported when one of its names is used.
_NAMES = {
    "analysis.comparing.comparison": ("compare",),
    "analysis.comparing.multiplicity": ("Significance",),
    "analysis.comparing.consistency": ("consistency",),
    "analysis.estimating.estimate": ("estimate",),
    "analysis.planning": ("plan",),
    "analysis.slices.cluster_slices": ("with_clusters",),
    "analysis.slices.weak_spots": ("slices",),
    "annotation.annotate": ("annotate",),
    "asking.asking": ("ask",),
    "asking.judge": ("judge",),
    "asking.systems": ("Chat", "System"),
    "benchmark.benchmark": ("Benchmark",),
    "benchmark.clusters": ("cluster",),
    "benchmark.make": ("sample",),
    "benchmark.rdf": ("load_benchmark",),
    "questions.loading": ("load",),
    "errors": ("DataError", "QaldgenError", "UsageError"),
    "model": ("Answers", "Question", "QuestionSet"),
    "reports.page.formats": ("write_report",),
    "reports.report": ("report",),
    "answers.reading": ("read_run",),
    "answers.record": ("Run",),
    "scoring.evaluation": ("Evaluation", "evaluate", "score"),
    "scoring.score": ("Scores",),
    "selection.description": ("describe",),
    "selection.select": ("open_data", "select"),
    "selection.vectors": ("Vectors",),
    "stores.endpoint": ("Endpoint",),
}
_imported = importer(__name__, _NAMES)


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public object
    if name not in __all__ and not name.startswith("_"):
        from qaldgen.io.arguments import did_you_mean

        verbs = [public for public in __all__ if public[0].islower()]
        raise AttributeError(
            f"module 'qaldgen' has no attribute {name!r}; {did_you_mean(name, __all__)}"
            f"its functions are {', '.join(verbs)}"
        )
    return _imported(name)


def __dir__() -> list[str]:
    return sorted(__all__)
