"""Ask question answering systems."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from qaldgen.api.options import PacingOptions, spelled_out, take_last
from qaldgen.asking.asking import Asking, Pacing, ask_all, ask_one
from qaldgen.asking.callables import callable_system, searches
from qaldgen.asking.named import EXAMPLES, SYSTEMS, check_name, function_of
from qaldgen.asking.protocols import PROTOCOLS, asked_protocols, make_asker, over, shown
from qaldgen.asking.record import Asker, Chat, Search, System
from qaldgen.asking.running import RunningScore
from qaldgen.asking.sources import CONTEXTS, SEARCHES, Chosen, chosen_source, places
from qaldgen.errors import DataError, UsageError
from qaldgen.io.names import one_of
from qaldgen.model import QuestionSet
from qaldgen.runs.record import Response, Run
from qaldgen.stores.endpoint import Endpoint
from qaldgen.stores.local import LocalStore, open_file

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from qaldgen.benchmark.record import Benchmark

__all__ = [
    "CONTEXTS",
    "EXAMPLES",
    "PROTOCOLS",
    "SEARCHES",
    "SYSTEMS",
    "AnySystem",
    "Asker",
    "Asking",
    "Chat",
    "Chosen",
    "Endpoint",
    "Pacing",
    "Response",
    "RunningScore",
    "Search",
    "System",
    "a_searcher",
    "ask",
    "ask_into",
    "ask_one",
    "asked_protocols",
    "asker_of",
    "chosen_source",
    "looks_up",
    "open_graph",
    "places",
    "read_contexts",
    "shown",
    "system_of",
]

#: Whom to ask: ``PROTOCOL:WHERE``, the address of a live system, the name of a small one, a
#: `System`, an `Asker`, or any callable.
AnySystem: TypeAlias = "str | System | Asker | Callable[..., Any]"
AnyGraph: TypeAlias = "str | Path | LocalStore | Endpoint"


@spelled_out(Pacing)
def ask(
    questions: str | Path | QuestionSet | Benchmark,
    system: AnySystem,
    *,
    kg: AnyGraph | None = None,
    journal: str | Path | None = None,
    language: str = "en",
    name: str | None = None,
    progress: Callable[[int], None] | None = None,
    **options: Unpack[PacingOptions],
) -> Run:
    """Ask a question answering system, and keep its answers.

    Parameters
    ----------
    questions
        What is asked: a file, the name of a public set, a question set or a benchmark.
    system
        ``PROTOCOL:WHERE`` with a key of `PROTOCOLS`, for instance
        ``openai:http://localhost:8000/v1``; the address of a live system, asked as GERBIL asks; a
        `System`, which also says how long to wait, which model to ask, and the options of the
        protocol; the name of a small system; an `Asker`; or a function, sync or async, of the text
        of a question or of its id and text.
    kg
        The knowledge graph: an RDF file, or an open one, or an endpoint. Queries that a system
        makes are executed there, and functions get it that have a parameter ``store``.
    journal
        Where each answer is kept as soon as it arrives. An existing journal is resumed: what is
        missing, failed or timed out is asked. None keeps no journal.
    language
        The language of the texts to ask.
    name
        What to call the system in the run; by default its own name.
    progress
        Called with the number of questions that are done.
    options
        The fields of `Pacing`: how many at once, how fast, when to stop.

    Returns
    -------
    Run
        The answers; ``.notes`` say how many questions failed, and why.

    Raises
    ------
    UsageError
        If there is no such system, it needs a knowledge graph, or the journal belongs to something
        else.
    DataError
        If a file cannot be read, the journal is damaged, or the system does not work: the journal
        keeps what came.
    """
    from qaldgen.api.questions import gold_of

    asked = gold_of(questions, language=language).questions
    called, asker = asker_of(system, kg, language)
    pacing = take_last(Pacing, options, "ask")
    # the facade reports numbers, the room below reports responses
    watch = None if progress is None else lambda _: progress(1)
    # answers are collected in a journal even if the user names none
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(journal) if journal is not None else Path(folder) / "journal.jsonl"
        done = ask_all(asked, asker, kept, language=language, pacing=pacing, watch=watch)
    if done.aborted:
        raise DataError(broken(done))
    return Run(name or called, "journal", done.responses, done.notes)


def broken(done: Asking) -> str:
    """Say why a run was aborted."""
    return (
        f"the run was aborted after {done.asked:,} questions: "
        f"{done.stopped}; run the same command again to continue"
    )


def asker_of(
    system: AnySystem, kg: AnyGraph | None = None, language: str = "en"
) -> tuple[str, Asker]:
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
        If there is no such system, or it cannot be asked this way.
    """
    store = None if kg is None else open_graph(kg)
    if isinstance(system, Asker):  # one that is made already is used as it is
        return system.name, system
    if isinstance(system, str):
        system = system_of(system, language)
    if isinstance(system, System):
        system = dataclasses.replace(system, kg=store or system.kg)
        # no protocol: a small system of ours or of another package, called in this process
        if system.protocol == "":
            function = function_of(system.where)
            return system.where, over(callable_system(function, system.where, system))
        asker = make_asker(system)
        return asker.name, asker
    # functions have a name, callable objects only a type
    called = getattr(system, "__name__", type(system).__name__)
    return called, over(
        callable_system(system, called, System(called, "python", language, kg=store))
    )


def system_of(text: str, language: str = "en") -> System:
    """Return the system that a text names: ``PROTOCOL:WHERE``, an address, or a name.

    Parameters
    ----------
    text
        The text.
    language
        Language of the questions.

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
    # some protocols need no address
    if not colon and protocol in PROTOCOLS and PROTOCOLS[protocol].alone:
        return System("", protocol, language)
    if colon and protocol in PROTOCOLS:
        if not where.strip():
            raise UsageError(
                f"--system {text}: {PROTOCOLS[protocol].where} is missing after the colon"
            )
        return System(where, protocol, language)
    if colon:
        raise UsageError(f"there is no protocol {protocol!r}; {one_of(protocol, PROTOCOLS)}")
    check_name(text)
    return System(text, "", language)


def looks_up(system: System) -> bool:
    """Tell whether a system with a name looks things up, and so needs a search."""
    return system.protocol == "" and system.where in SYSTEMS and searches(SYSTEMS[system.where])


def a_searcher() -> str:
    """Return the name of a system that looks things up, for messages."""
    return next((name for name, row in SYSTEMS.items() if searches(row)), "a function of yours")


def open_graph(kg: AnyGraph) -> LocalStore | Endpoint:
    """Return an open knowledge graph: a file is read, an address is an endpoint."""
    if isinstance(kg, LocalStore | Endpoint):
        return kg
    return (
        Endpoint(kg)
        if isinstance(kg, str) and kg.startswith(("http://", "https://"))
        else open_file(Path(kg))
    )


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
        raise DataError(
            f"{path}: cannot be read as JSON ({error}); expected an object of ids and texts"
        ) from None
    if not isinstance(found, dict) or not all(isinstance(text, str) for text in found.values()):
        raise DataError(f"{path}: expected an object of ids and texts")
    return found


def ask_into(
    questions: QuestionSet,
    asker: Asker,
    journal: Path,
    *,
    language: str,
    pacing: Pacing,
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
    pacing
        How they are asked.
    anew
        Start an existing journal from scratch.
    watch
        Called with the response to each question.

    Returns
    -------
    Asking
        What came of them.
    """
    return ask_all(
        questions, asker, journal, language=language, pacing=pacing, anew=anew, watch=watch
    )
