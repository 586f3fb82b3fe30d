"""Microbenchmarks for question answering: select questions by features, choose the ones that represent them, compare systems.

>>> import qaldgen as qg
>>> len(qg.__all__) > 0
True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from qaldgen._version import __version__

if TYPE_CHECKING:
    from qaldgen.annotation.annotate import annotate
    from qaldgen.benchmark.make import sample
    from qaldgen.benchmark.read_rdf import load_benchmark
    from qaldgen.benchmark.record import Benchmark, Member
    from qaldgen.errors import DataError, EndpointError, QaldgenError, UsageError
    from qaldgen.evaluation import compare, load, score, slices
    from qaldgen.model import Answers, Cell, Question, QuestionSet
    from qaldgen.runs.reading import read_run
    from qaldgen.runs.record import Run
    from qaldgen.selection.select import open_data, select
    from qaldgen.selection.vectors import Vectors
    from qaldgen.stores.endpoint import Endpoint

#: public name -> module; imported when it is used, so that ``import qaldgen`` is instant.
_PUBLIC = {
    "Answers": "model",
    "Benchmark": "benchmark.record",
    "Cell": "model",
    "DataError": "errors",
    "Endpoint": "stores.endpoint",
    "EndpointError": "errors",
    "Member": "benchmark.record",
    "QaldgenError": "errors",
    "Question": "model",
    "QuestionSet": "model",
    "Run": "runs.record",
    "UsageError": "errors",
    "Vectors": "selection.vectors",
    "annotate": "annotation.annotate",
    "compare": "evaluation",
    "load": "evaluation",
    "load_benchmark": "benchmark.read_rdf",
    "open_data": "selection.select",
    "read_run": "runs.reading",
    "sample": "benchmark.make",
    "score": "evaluation",
    "select": "selection.select",
    "slices": "evaluation",
}

__all__ = [
    "Answers",
    "Benchmark",
    "Cell",
    "DataError",
    "Endpoint",
    "EndpointError",
    "Member",
    "QaldgenError",
    "Question",
    "QuestionSet",
    "Run",
    "UsageError",
    "Vectors",
    "__version__",
    "annotate",
    "compare",
    "load",
    "load_benchmark",
    "open_data",
    "read_run",
    "sample",
    "score",
    "select",
    "slices",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public object
    if name not in _PUBLIC:
        raise AttributeError(f"module 'qaldgen' has no attribute {name!r}")
    return getattr(importlib.import_module(f"qaldgen.{_PUBLIC[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
