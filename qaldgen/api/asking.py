"""Ask question answering systems."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from qaldgen.asking.asking import Asking, Plan, ask_all, ask_one
from qaldgen.asking.callables import callable_system
from qaldgen.asking.named import EXAMPLES, SYSTEMS, check_name, function_of
from qaldgen.asking.protocols import PROTOCOLS, make_asker, over
from qaldgen.asking.record import Asker, Chat, System
from qaldgen.asking.running import RunningScore
from qaldgen.errors import DataError, UsageError
from qaldgen.io.web.pace import Pace
from qaldgen.model import QuestionSet
from qaldgen.runs.record import Response, Run
from qaldgen.runs.resume import Stop
from qaldgen.stores.endpoint import Endpoint
from qaldgen.stores.local import LocalStore, open_file

if TYPE_CHECKING:
    from qaldgen.benchmark.record import Benchmark

__all__ = [
    "EXAMPLES",
    "PROTOCOLS",
    "SYSTEMS",
    "AnySystem",
    "Asker",
    "Asking",
    "Chat",
    "Endpoint",
    "Pace",
    "Plan",
    "Response",
    "RunningScore",
    "System",
    "ask",
    "ask_into",
    "ask_one",
    "asker_of",
    "open_graph",
    "read_contexts",
    "system_of",
]

#: Whom to ask: ``PROTOCOL:WHERE``, the address of a live system, the name of a small one, a `System`, or any callable.
AnySystem: TypeAlias = "str | System | Callable[..., Any]"
AnyGraph: TypeAlias = "str | Path | LocalStore | Endpoint"


def ask(
    questions: str | Path | QuestionSet | Benchmark,
    system: AnySystem,
    *,
    kg: AnyGraph | None = None,
    journal: str | Path | None = None,
    language: str = "en",
    name: str | None = None,
    jobs: int = 1,
    rate: float | None = None,
    max_failures: int = 10,
    limit: int | None = None,
    budget: float | None = None,
    stop: Stop | None = None,
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
        ``PROTOCOL:WHERE`` with a key of `PROTOCOLS`, for instance ``openai:http://localhost:8000/v1``; the address of a live
        system, asked as GERBIL asks; a `System`, which also says how long to wait and which model to ask; the name of a small
        system (``lookup``, ``neighbours``, ``typed``, ``templates``); or a function, sync or async, of the text of a question
        or of its id and text.
    kg
        The knowledge graph: an RDF file, or an open one, or an endpoint. Queries that a system makes are executed there, and
        functions get it that have a parameter ``store``.
    journal
        Where each answer is kept as soon as it is there. Where it exists, it goes on: what is missing, has failed or was not
        answered in time is asked. None keeps no journal.
    language
        The language whose wordings are asked.
    name
        What to call the system in the run; by default its own name.
    jobs
        How many questions are asked at once.
    rate
        At most so many requests a second; None for as many as come.
    max_failures
        So many failures in a row end the run; 0 for never.
    limit
        Only the first so many questions.
    budget
        What the run may cost; only with prices in the `System`.
    stop
        Is given the responses so far, in the order of the questions and without gaps; says why to stop, or None.
    times
        Keep when each question was asked and how long it took.
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
        If a file cannot be read, the journal is damaged, or the system does not work: the journal keeps what came.
    """
    from qaldgen.api.questions import gold_of

    asked = gold_of(questions, language=language).questions
    called, asker = asker_of(system, kg, language)
    plan = Plan(Pace(jobs, rate, max_failures), limit, budget, stop, times=times)
    check_plan(plan, asker)
    watch = None if progress is None else lambda _: progress(1)
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(journal) if journal is not None else Path(folder) / "journal.jsonl"
        done = ask_all(asked, asker, kept, language=language, plan=plan, watch=watch)
    if done.aborted:
        raise DataError(broken(done))
    return Run(name or called, "journal", done.responses, done.notes)


def broken(done: Asking) -> str:
    """Say why a run was aborted."""
    return f"the run was aborted after {done.asked:,} questions: {done.stopped}; the same command goes on"


def check_plan(plan: Plan, asker: Asker) -> None:
    """Refuse numbers that are out of range, and a budget for what costs nothing that is known."""
    if plan.pace.jobs < 1 or plan.pace.most_failures < 0 or (plan.limit is not None and plan.limit < 1):
        raise UsageError("jobs and limit are at least 1, max_failures at least 0")
    if plan.pace.rate is not None and not 0 < plan.pace.rate < 1e9:
        raise UsageError(f"the rate is {plan.pace.rate:g} requests a second; it is above 0")
    if plan.budget is not None:
        from qaldgen.asking.record import Posed

        if not plan.budget > 0:
            raise UsageError(f"the budget is {plan.budget:g}; it is above 0")
        if not asker.most(Posed("Who?")):
            raise UsageError("a budget needs prices: --price-in and --price-out, for a million tokens")


def asker_of(system: AnySystem, kg: AnyGraph | None = None, language: str = "en") -> tuple[str, Asker]:
    """Return what a system is called, and how to ask it; see `ask`.

    Parameters
    ----------
    system, kg, language
        See `ask`.

    Returns
    -------
    tuple of str and Asker
        The name, and whom to ask.

    Raises
    ------
    UsageError
        If there is no such system, or it cannot be asked so.
    """
    store = None if kg is None else open_graph(kg)
    if isinstance(system, str):
        system = system_of(system, language)
    if isinstance(system, System):
        system = dataclasses.replace(system, kg=store or system.kg)
        if system.protocol == "":
            function = function_of(system.where)
            return system.where, over(callable_system(function, system.where, system))
        asker = make_asker(system)
        return asker.name, asker
    called = getattr(system, "__name__", type(system).__name__)
    return called, over(callable_system(system, called, System(called, "python", language, kg=store)))


def system_of(text: str, language: str = "en") -> System:
    """Return the system that a text names: ``PROTOCOL:WHERE``, an address, or a name.

    Parameters
    ----------
    text
        The text.
    language
        Of the questions.

    Returns
    -------
    System
        With the usual limits; one with a name has no protocol.

    Raises
    ------
    UsageError
        If it names nothing.

    Examples
    --------
    >>> system_of("python:mine:answer").where, system_of("http://localhost/qa").protocol
    ('mine:answer', 'gerbil')
    """
    if text.startswith(("http://", "https://")):
        return System(text, language=language)
    protocol, colon, where = text.partition(":")
    if colon and protocol in PROTOCOLS:
        if not where.strip():
            raise UsageError(f"--system {text}: {PROTOCOLS[protocol].where} is missing behind the colon")
        return System(where, protocol, language)
    if colon:
        raise UsageError(f"there is no protocol {protocol!r}; the protocols are {', '.join(PROTOCOLS)}")
    check_name(text)
    return System(text, "", language)


def open_graph(kg: AnyGraph) -> LocalStore | Endpoint:
    """Return an open knowledge graph: a file is read, an address is an endpoint."""
    if isinstance(kg, LocalStore | Endpoint):
        return kg
    return Endpoint(kg) if isinstance(kg, str) and kg.startswith(("http://", "https://")) else open_file(Path(kg))


def read_contexts(path: str | Path) -> Mapping[str, str]:
    """Read the retrieved text of each question: a JSON object of ids and texts.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    mapping of str to str
        By question id.

    Raises
    ------
    DataError
        If it cannot be read, or is something else.
    """
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path}: cannot be read as JSON ({error}); an object of ids and texts is expected") from None
    if not isinstance(found, dict) or not all(isinstance(text, str) for text in found.values()):
        raise DataError(f"{path}: an object of ids and texts is expected")
    return found


def ask_into(
    questions: QuestionSet,
    asker: Asker,
    journal: Path,
    *,
    language: str,
    plan: Plan,
    anew: bool = False,
    watch: Callable[[Response | None], None] | None = None,
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
    language
        See `ask`.
    plan
        How they are asked.
    anew
        Begin an existing journal anew.
    watch
        Called with what came of each question.

    Returns
    -------
    Asking
        What came of them.
    """
    check_plan(plan, asker)
    return ask_all(questions, asker, journal, language=language, plan=plan, anew=anew, watch=watch)
