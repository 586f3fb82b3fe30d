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
    from qaldgen.analysis.comparing.comparison import compare as compare
    from qaldgen.analysis.comparing.consistency import consistency as consistency
    from qaldgen.analysis.comparing.multiplicity import Significance as Significance
    from qaldgen.analysis.estimating.estimate import estimate as estimate
    from qaldgen.analysis.planning import plan as plan
    from qaldgen.analysis.slices.cluster_slices import with_clusters as with_clusters
    from qaldgen.analysis.slices.weak_spots import slices as slices
    from qaldgen.annotation.annotate import annotate as annotate
    from qaldgen.answers.reading import read_run as read_run
    from qaldgen.answers.record import Run as Run
    from qaldgen.asking.asking import ask as ask
    from qaldgen.asking.judge import judge as judge
    from qaldgen.asking.systems import Chat as Chat
    from qaldgen.asking.systems import System as System
    from qaldgen.benchmark.benchmark import Benchmark as Benchmark
    from qaldgen.benchmark.clusters import cluster as cluster
    from qaldgen.benchmark.make import sample as sample
    from qaldgen.benchmark.rdf import load_benchmark as load_benchmark
    from qaldgen.errors import DataError as DataError
    from qaldgen.errors import QaldgenError as QaldgenError
    from qaldgen.errors import UsageError as UsageError
    from qaldgen.model import Answers as Answers
    from qaldgen.model import Question as Question
    from qaldgen.model import QuestionSet as QuestionSet
    from qaldgen.questions.loading import load as load
    from qaldgen.reports.page.formats import write_report as write_report
    from qaldgen.reports.report import report as report
    from qaldgen.scoring.evaluation import Evaluation as Evaluation
    from qaldgen.scoring.evaluation import evaluate as evaluate
    from qaldgen.scoring.evaluation import score as score
    from qaldgen.scoring.score import Scores as Scores
    from qaldgen.selection.description import describe as describe
    from qaldgen.selection.select import open_data as open_data
    from qaldgen.selection.select import select as select
    from qaldgen.selection.vectors import Vectors as Vectors
    from qaldgen.stores.endpoint import Endpoint as Endpoint


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
__all__ = [name for names in _NAMES.values() for name in names] + ["__version__"]
_imported = importer(__name__, _NAMES)


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public object
    if name not in __all__ and not name.startswith("_"):
        from qaldgen.io.arguments import did_you_mean

        verbs = [public for public in __dir__() if public[0].islower()]
        raise AttributeError(
            f"module 'qaldgen' has no attribute {name!r}; {did_you_mean(name, __all__)}"
            f"its functions are {', '.join(verbs)}"
        )
    return _imported(name)


def __dir__() -> list[str]:
    return sorted(__all__)
