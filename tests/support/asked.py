"""Systems for tests.

Functions as systems, the small ones of the examples, and what one of them answers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from qaldgen_systems import SYSTEMS

from qaldgen.answers.record import Response
from qaldgen.asking.asking import ask_question
from qaldgen.asking.functions import as_system
from qaldgen.asking.protocols import add_graph_name, make_asker
from qaldgen.asking.systems import Asker, PosedQuestion, System
from qaldgen.io import concurrency
from qaldgen.io.web.retries import Gate
from qaldgen.model import Answers
from qaldgen.stores.local import LocalStore
from qaldgen.stores.query_answers import answers_of


class SystemAnswer(NamedTuple):
    """What a small system gives for a question."""

    answers: Answers
    query: str


def stub(name: str, function: Callable[..., Any], timeout: float = 60.0) -> Asker:
    """Return a function as a system."""
    return as_system(function, name, System(name, "python", timeout=timeout))


def ask_one(system: System, text: str, name: str = "1") -> Response:
    """Ask a system one question, without a journal."""
    asker = make_asker(system)

    async def work() -> Response:
        async with asker.open(Gate()) as ask:
            return await ask_question(asker, ask, PosedQuestion(text, system.language, id=name))

    return concurrency.run(work())


def small(name: str, store: LocalStore) -> Asker:
    """Return one of the small systems over a graph."""
    return add_graph_name(as_system(SYSTEMS[name], name, System(name, "python", kg=store)))


def prepare(name: str, store: LocalStore) -> Callable[[str], SystemAnswer]:
    """Return a function from the text of a question to the answer of a small system."""

    def ask_question(text: str) -> SystemAnswer:
        made = SYSTEMS[name](text, store=store)
        return (
            SystemAnswer(answers_of(store, made["query"]), made["query"])
            if made
            else SystemAnswer(Answers(), "")
        )

    return ask_question
