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
    from qaldgen.benchmark.make import sample
    from qaldgen.benchmark.read_rdf import load_benchmark
    from qaldgen.benchmark.record import Benchmark, Member
    from qaldgen.endpoint import Endpoint
    from qaldgen.errors import DataError, EndpointError, QaldgenError, UsageError
    from qaldgen.model import Answers, Cell, Question
    from qaldgen.selection import open_data, select
    from qaldgen.vectors import Vectors

#: public name -> module; imported when it is used, so that ``import qaldgen`` is instant.
_PUBLIC = {
    "Answers": "model",
    "Benchmark": "benchmark.record",
    "Cell": "model",
    "DataError": "errors",
    "Endpoint": "endpoint",
    "EndpointError": "errors",
    "Member": "benchmark.record",
    "QaldgenError": "errors",
    "Question": "model",
    "UsageError": "errors",
    "Vectors": "vectors",
    "load_benchmark": "benchmark.read_rdf",
    "open_data": "selection",
    "sample": "benchmark.make",
    "select": "selection",
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
    "UsageError",
    "Vectors",
    "__version__",
    "load_benchmark",
    "open_data",
    "sample",
    "select",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public object
    if name not in _PUBLIC:
        raise AttributeError(f"module 'qaldgen' has no attribute {name!r}")
    return getattr(importlib.import_module(f"qaldgen.{_PUBLIC[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
