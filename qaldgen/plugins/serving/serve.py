"""Serve a system to others."""

from __future__ import annotations

from qaldgen.asking.protocols import AnyGraph, AnySystem, asker_of
from qaldgen.model import QuestionSet
from qaldgen.plugins.serving.server import Place, Served


def serve(
    system: AnySystem,
    *,
    kg: AnyGraph | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    language: str = "en",
    questions: QuestionSet | None = None,
) -> Served:
    """Serve a system to GERBIL, the TEXT2SPARQL client and chat clients.

    >>> with serve(str.upper) as served:
    ...     served.url.startswith("http://127.0.0.1:")
    True
    """
    asker = asker_of(system, kg, language)[1]
    return Served(asker, Place(host, port), language=language, questions=questions)
