"""Ask question answering systems."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from qaldgen.asking.asking import Asker, Asking, ask_all, live_system, own_system
from qaldgen.asking.service import Service
from qaldgen.asking.systems.table import check_name
from qaldgen.asking.worded import WORDED, Sources, worded_system
from qaldgen.errors import UsageError
from qaldgen.model import QuestionSet
from qaldgen.runs.record import Response, Run
from qaldgen.stores.local import LocalStore, open_file

if TYPE_CHECKING:
    from qaldgen.benchmark.record import Benchmark

__all__ = ["WORDED", "Asker", "Asking", "Service", "Sources", "ask", "check_name", "live_system", "worded_system"]

#: Whom to ask: the address of a live system, one of the built-in systems by name, or a function of id and text of a question.
AnySystem: TypeAlias = "str | Service | Callable[[str, str], Response]"


def ask(
    questions: str | Path | QuestionSet | Benchmark,
    system: AnySystem,
    *,
    kg: str | Path | LocalStore | None = None,
    journal: str | Path | None = None,
    language: str = "en",
    name: str | None = None,
    times: bool = True,
    progress: Callable[[int], None] | None = None,
) -> Run:
    """Ask a question answering system, and keep its answers.

    Parameters
    ----------
    questions
        What is asked: a file, the name of a public set, a question set or a benchmark. The system gets the text of a question
        and nothing else.
    system
        The address of a live system, asked as GERBIL asks; a `Service`, which also says how long to wait; one of qaldgen's own
        systems by name (``lookup``, ``neighbours``, ``typed``, ``templates``); or a function of the id and the text of a
        question that returns a `Response`.
    kg
        The knowledge graph that one of the built-in systems answers from: an RDF file, or an open one.
    journal
        Where each answer is kept as soon as it is there. Where it exists, it goes on: what is missing, has failed or was not
        answered in time is asked. None keeps no journal.
    language
        The language whose wordings are asked.
    name
        What to call the system in the run; by default its own name.
    times
        Keep how long each answer took.
    progress
        Called with the number of questions that are done.

    Returns
    -------
    Run
        The answers; ``.notes`` say how many questions failed, and why.

    Raises
    ------
    UsageError
        If there is no such system, it needs a knowledge graph, or the journal is one of something else.
    DataError
        If a file cannot be read, or the journal is damaged.
    """
    from qaldgen.api.questions import gold_of

    asked = gold_of(questions, language=language).questions
    called, asker = _asker(system, kg, language)
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(journal) if journal is not None else Path(folder) / "journal.jsonl"
        done = ask_all(asked, asker, kept, language=language, times=times, progress=progress)
    return Run(name or called, "journal", done.responses, done.notes)


def _asker(system: AnySystem, kg: str | Path | LocalStore | None, language: str) -> tuple[str, Asker]:
    """Return what a system is called, and how to ask it."""
    if isinstance(system, str) and system in WORDED and kg is None:
        asker = worded_system(system)
        return asker.name, asker
    if isinstance(system, str) and not system.startswith(("http://", "https://")):
        check_name(system)
        if kg is None:
            raise UsageError(f"{system} needs a knowledge graph; pass kg='graph.ttl'")
        return system, own(system, kg)
    if kg is not None:
        raise UsageError("kg only applies to the built-in systems; remove it")
    if isinstance(system, str):
        system = Service(system, language)
    if isinstance(system, Service):
        asker = live_system(system)
        return asker.name, asker
    called = getattr(system, "__name__", type(system).__name__)
    return called, Asker(called, system)


def own(name: str, kg: str | Path | LocalStore) -> Asker:
    """Return one of the built-in systems over a knowledge graph.

    Parameters
    ----------
    name
        ``lookup``, ``neighbours``, ``typed`` or ``templates``.
    kg
        An RDF file, or an open one.

    Raises
    ------
    UsageError
        If there is no such system.
    DataError
        If the file cannot be read.
    """
    return own_system(name, kg if isinstance(kg, LocalStore) else open_file(kg))


def ask_into(
    questions: QuestionSet,
    asker: Asker,
    journal: Path,
    *,
    language: str,
    times: bool,
    anew: bool,
    progress: Callable[[int], None] | None = None,
) -> Asking:
    """Ask a system all questions of a set that the journal has no answer to; see `ask`.

    Parameters
    ----------
    questions
        What is asked.
    asker
        Whom to ask.
    journal
        Where each answer is kept.
    language, times, progress
        See `ask`.
    anew
        Overwrite an existing journal instead of resuming it.
    """
    return ask_all(questions, asker, journal, language=language, times=times, anew=anew, progress=progress)
