"""Functions in Python as systems."""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from qaldgen.answers.record import describe_unexpected_error
from qaldgen.asking.replies import reply_of
from qaldgen.asking.systems import (
    SEARCHES,
    Asker,
    NoAnswer,
    PosedQuestion,
    System,
    SystemReply,
    always_open,
    options_of_sources,
)
from qaldgen.errors import UsageError
from qaldgen.io.concurrency import in_thread, isolated_task
from qaldgen.io.text import one_line

_USAGE = "write MODULE:FUNCTION, for instance mine:answer for the function answer of mine.py"
#: Names of parameters with which a function requests more than the question.
_EXTRA_PARAMETERS = ("store", "language", "options", "context", "search")


def python(system: System) -> Asker:
    """Return the function at ``MODULE:FUNCTION`` as a system; see `load_function`."""
    return as_system(load_function(system.where), system.where, system)


def load_function(import_path: str) -> Callable[..., Any]:
    """Import the function at ``module:function``, also from the current folder."""
    module_name, colon, name = import_path.partition(":")
    if not colon or not module_name or not name:
        raise UsageError(_USAGE, where=import_path)

    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        module = importlib.import_module(module_name)
        function = functools.reduce(getattr, name.split("."), module)
    except Exception as error:  # whatever a module may do when it is imported
        raise UsageError(
            f"cannot be imported ({type(error).__name__}: {one_line(str(error))}); {_USAGE}",
            where=import_path,
        ) from error

    if not callable(function):
        raise UsageError(
            f"is a {type(function).__name__}, which cannot be called; {_USAGE}", where=import_path
        )
    system: Callable[..., Any] = function
    return system


def as_system(function: Callable[..., Any], name: str, system: System) -> Asker:
    """Return a function as a system; `name` is its name in a journal."""
    signature = _inspect_signature(function, name)
    extras = signature.extras
    # Refuse a system that lacks a source it needs, and a search that is not used.
    if "store" in extras and system.kg is None:
        raise UsageError(f"{name} needs a knowledge graph; pass its file with `kg`")
    if "search" in extras and system.search is None:
        raise UsageError(f"{name} searches {options_of_sources(SEARCHES)}; pass one of them")
    if system.search is not None and "search" not in extras:
        raise UsageError(f"{name} does not search; leave out {options_of_sources(SEARCHES)}")

    async def ask(question: PosedQuestion) -> SystemReply:
        values = {
            "store": system.kg,
            "language": question.language,
            "options": question.options,
            "context": question.context,
            "search": system.search,
        }

        extra_arguments = {key: values[key] for key in extras}
        arguments = (question.id, question.text) if signature.takes_id else (question.text,)

        try:
            if inspect.iscoroutinefunction(function):
                result = await isolated_task(function(*arguments, **extra_arguments))
            else:
                result = await in_thread(functools.partial(function, *arguments, **extra_arguments))
                if inspect.isawaitable(result):
                    result = await isolated_task(result)
        except NoAnswer:
            raise
        except Exception as error:  # whatever a function may raise; it ends the question only
            raise NoAnswer(describe_unexpected_error(error)) from error
        try:
            return reply_of(result)
        except ValueError as error:
            raise NoAnswer(str(error), SystemReply(raw=one_line(repr(result), 10_000))) from None

    source = f" over {system.search.name}" if system.search else ""
    return Asker(
        f"{name} in {system.language}{source}",
        always_open(ask),
        system.timeout,
        system.kg,
        limited=True,
    )


def uses_search(function: Callable[..., Any]) -> bool:
    """Return whether a function has a parameter ``search``, and so needs a search."""
    return "search" in _inspect_signature(function, "the system").extras


class _Signature(NamedTuple):
    """The arguments with which a function is called."""

    takes_id: bool  # whether it is called with id and text rather than the text alone
    extras: tuple[str, ...]  # which parameters of `_EXTRA_PARAMETERS` it has


def _inspect_signature(function: Callable[..., Any], name: str) -> _Signature:
    """Return the arguments of a function; refuse one that cannot be called with a question."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # some functions in C have no signature
        return _Signature(takes_id=False, extras=())

    extras = []
    takes_text = False
    n_required = 0
    has_required_keyword = False
    for parameter in parameters:
        is_required = parameter.default is parameter.empty
        if parameter.name in _EXTRA_PARAMETERS and parameter.kind is not parameter.POSITIONAL_ONLY:
            extras.append(parameter.name)
        elif parameter.kind in {parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD}:
            takes_text = True
            n_required += is_required
        elif parameter.kind is parameter.VAR_POSITIONAL:
            takes_text = True
        elif parameter.kind is parameter.KEYWORD_ONLY and is_required:
            has_required_keyword = True

    if has_required_keyword or n_required > 2 or not takes_text:
        raise UsageError(
            "has the wrong parameters; a system is a function of the text of a question, or of id"
            " and text",
            where=name,
        )
    return _Signature(takes_id=n_required == 2, extras=tuple(extras))
