"""Find the system that a user names, in the tables of protocols and of named systems."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, cast

from qaldgen.asking.functions import as_system, load_function, python, uses_search
from qaldgen.asking.http_protocols import gerbil, text2sparql
from qaldgen.asking.language_models import openai
from qaldgen.asking.programs import command
from qaldgen.asking.recorded import recorded
from qaldgen.asking.systems import Asker, System
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import UsageError
from qaldgen.io.arguments import one_of
from qaldgen.io.extensions import Table
from qaldgen.io.inputs import is_web_address
from qaldgen.model import QuestionSet
from qaldgen.options import Option, option_values
from qaldgen.stores.gold_queries import source_name
from qaldgen.stores.graphs import AnyGraph, open_knowledge_graph

#: The example systems of the package `qaldgen_systems`, each with a line about it.
EXAMPLES = {
    "lookup": "an example: a name and the relation most similar to the other words; one hop",
    "neighbours": "an example: everything of the requested class linked to the named entity",
    "typed": "an example: stems and synonyms, classes, counts, yes or no, up to two hops",
    "templates": "an example: superlatives, comparisons, limits, counts, yes or no",
}
_PACKAGE = "qaldgen_systems"
#: Functions by name, see `qaldgen.asking.functions`; plug-ins add theirs.
SYSTEMS: Table[Callable[..., Any]] = Table("systems", cast("Any", Callable), {})


class Protocol(NamedTuple):
    """A way to ask systems.

    Attributes
    ----------
    make : callable
        ``(system, **options) -> Asker``: makes the system from the user's settings; refuses wrong
        ones before anything is sent.
    where : str
        The part behind the colon, for messages.
    help : str
        A line about the protocol.
    web : bool
        Whether systems have an address.
    alone : bool
        Whether the name of the protocol is enough, without a colon.
    options : tuple of Option
        The options of the protocol: arguments of the functions here and options of the command
        line.
    asks : callable or None
        ``(**options) -> str``: the protocol by which a system asks another one in turn, whose
        settings apply too; empty for none. It can refuse options, before anything is read.
    show : callable or None
        ``(system, questions, **options) -> str or None``: returns a text that is printed instead of
        asking, if the options say so.
    """

    make: Callable[..., Asker]
    where: str
    help: str
    web: bool = False
    alone: bool = False
    options: tuple[Option, ...] = ()
    asks: Callable[..., str] | None = None
    show: Callable[..., str | None] | None = None


_OURS = {
    "gerbil": Protocol(
        gerbil,
        "URL",
        "POST of a form with query and lang, as GERBIL does; the reply is QALD JSON",
        web=True,
    ),
    "text2sparql": Protocol(
        text2sparql,
        "URL",
        "GET with dataset and question; the reply is a query, which is executed",
        web=True,
    ),
    "openai": Protocol(
        openai, "URL", "a language model behind chat completions; `model` names it", web=True
    ),
    "command": Protocol(
        command,
        "'PROGRAM WORDS'",
        "a program: one JSON line per question, or one call per question with {question}",
    ),
    "python": Protocol(python, "MODULE:FUNCTION", "a function of the text, sync or async"),
    "recorded": Protocol(recorded, "FILE", "an existing run, replayed"),
}
#: Every protocol, by name. Other packages can add some by the entry point group qaldgen.protocols.
PROTOCOLS = Table("protocols", Protocol, _OURS)


def make_asker(system: System) -> Asker:
    """Return the system for settings; refuse wrong ones."""
    if system.protocol not in PROTOCOLS:
        raise UsageError(
            f"there is no protocol {system.protocol!r}; {one_of(system.protocol, PROTOCOLS)}"
        )
    # written as not > 0 so that NaN is refused too
    if not system.timeout > 0 or system.retries < 0:
        raise UsageError(
            "the timeout must be above 0 and retries at least 0;"
            f" got {system.timeout:g} and {system.retries}"
        )
    return add_graph_name(PROTOCOLS[system.protocol].make(system, **protocol_options(system)))


def protocol_options(system: System) -> dict[str, Any]:
    """Return all options of the protocol of a system with their values; refuse wrong ones."""
    return option_values("system", system.protocol, PROTOCOLS, system.options)


def protocols_of(system: System) -> list[Protocol]:
    """Return the protocol of a system, and that of the system that it asks in turn."""
    if system.protocol not in PROTOCOLS:
        return []
    protocol = PROTOCOLS[system.protocol]
    options = protocol_options(system)
    inner_name = protocol.asks(**options) if protocol.asks else ""
    if inner_name:
        return [protocol, PROTOCOLS[inner_name]]
    return [protocol]


def text_to_print(system: System, questions: QuestionSet) -> str | None:
    """Return the text to print instead of asking; None if the options request none."""
    show = PROTOCOLS[system.protocol].show if system.protocol in PROTOCOLS else None
    if not show:
        return None
    return show(system, questions, **protocol_options(system))


def add_graph_name(asker: Asker) -> Asker:
    """Return the system with its knowledge graph in its name, as the answers depend on it."""
    if asker.kg is None:
        return asker
    return asker._replace(name=f"{asker.name} over {source_name(asker.kg)}")


def all_systems() -> dict[str, Any]:
    """Return the named systems: for examples a line of help, for others the function."""
    return {**EXAMPLES, **SYSTEMS}


def check_name(name: str) -> None:
    """Refuse an unknown name of a system, before a large graph is read."""
    if name not in EXAMPLES and name not in SYSTEMS:
        raise UsageError(
            f"there is no system {name!r}; {one_of(name, [*EXAMPLES, *SYSTEMS])};"
            " name your own as PROTOCOL:WHERE, for instance python:mine:answer, or openai:URL for a"
            " language model"
        )


def function_of(name: str) -> Callable[..., Any]:
    """Return the function of a named system."""
    check_name(name)
    if name in SYSTEMS:
        return SYSTEMS[name]
    clone = Path(__file__).parents[2] / "examples" / "systems"
    # A checkout that was installed before the examples became a package does not have them.
    if find_spec(_PACKAGE) is None and clone.is_dir():
        sys.path.append(str(clone))
    return load_function(f"{_PACKAGE}:{name}")


#: A system to ask: ``PROTOCOL:WHERE``, the address of a live system, the name of a small one, a
#: `System`, an `Asker`, or any callable.
AnySystem: TypeAlias = "str | System | Asker | Callable[..., Any]"


def asker_of(system: AnySystem, kg: AnyGraph | None = None, language: str = LANGUAGE) -> Asker:
    """Return a system ready to be asked; see `ask`."""
    store = None if kg is None else open_knowledge_graph(kg)
    if isinstance(system, Asker):
        return system
    if isinstance(system, str):
        system = system_of(system, language)
    if isinstance(system, System):
        system = dataclasses.replace(system, kg=store or system.kg)
        # no protocol: a small system of ours or of another package, called in this process
        if system.protocol == "":
            asker = as_system(function_of(system.where), system.where, system)
            return add_graph_name(asker)._replace(title=system.where)
        return make_asker(system)
    # functions have a name, callable objects only a type
    name = getattr(system, "__name__", type(system).__name__)
    settings = System(name, "python", language, kg=store)
    return add_graph_name(as_system(system, name, settings))._replace(title=name)


def system_of(text: str, language: str = LANGUAGE) -> System:
    """Return the system that a text names: ``PROTOCOL:WHERE``, an address, or a name.

    It has the default limits; a named system has the protocol "".

    >>> system_of("python:mine:answer").where, system_of("http://localhost/qa").protocol
    ('mine:answer', 'gerbil')
    """
    if is_web_address(text):
        return System(text, language=language)
    protocol, colon, where = text.partition(":")
    # some protocols need no address
    if not colon and protocol in PROTOCOLS and PROTOCOLS[protocol].alone:
        return System("", protocol, language)
    if colon and protocol in PROTOCOLS:
        if not where.strip():
            raise UsageError(
                f"`system` {text}: {PROTOCOLS[protocol].where} is missing after the colon"
            )
        return System(where, protocol, language)
    if colon:
        raise UsageError(f"there is no protocol {protocol!r}; {one_of(protocol, PROTOCOLS)}")
    check_name(text)
    return System(text, "", language)


def needs_search(system: System) -> bool:
    """Return whether a named system needs a search."""
    return system.protocol == "" and system.where in SYSTEMS and uses_search(SYSTEMS[system.where])


def name_of_searcher() -> str:
    """Return the name of a system that needs a search, for messages."""
    for name, function in SYSTEMS.items():
        if uses_search(function):
            return name
    return "a function of yours"
