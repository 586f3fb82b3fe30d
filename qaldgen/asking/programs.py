"""Systems on this machine: functions in Python, programs, and runs that are replayed."""

from __future__ import annotations

import asyncio
import functools
import importlib
import inspect
import itertools
import json
import os
import shlex
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from qaldgen.answers.reading import read_run
from qaldgen.answers.record import Run, describe_unexpected_error
from qaldgen.answers.resume import Fault
from qaldgen.asking.replies import reply_of
from qaldgen.asking.systems import (
    SEARCHES,
    Asker,
    AskOne,
    NoAnswer,
    PosedQuestion,
    System,
    SystemReply,
    always_open,
    options_of_sources,
)
from qaldgen.errors import UsageError
from qaldgen.io.concurrency import in_thread, isolated_task
from qaldgen.io.json_text import from_json
from qaldgen.io.text import one_line
from qaldgen.io.web.failure import ALLOWS_MORE, FailureKind
from qaldgen.io.web.retries import Gate

_USAGE = "write MODULE:FUNCTION, for instance mine:answer for the function answer of mine.py"
#: Names of parameters with which a function requests more than the question.
_EXTRA_PARAMETERS = ("store", "language", "options", "context", "search")
_SLOT = "{question}"
#: Bytes of the error output of a program that are kept for messages.
_MAX_ERROR_BYTES = 2_000


def python(system: System) -> Asker:
    """Return the function at ``MODULE:FUNCTION`` as a system; see `load_function`."""
    return as_system(load_function(system.where), system.where, system)


def load_function(import_path: str) -> Callable[..., Any]:
    """Import the function at ``module:function``, also from the current folder."""
    module_name, colon, name = import_path.partition(":")
    if not colon or not module_name or not name:
        raise UsageError(f"{import_path}: {_USAGE}")
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        module = importlib.import_module(module_name)
        function = functools.reduce(getattr, name.split("."), module)
    except Exception as error:  # whatever a module may do when it is imported
        raise UsageError(
            f"{import_path}: cannot be imported ({type(error).__name__}: {one_line(str(error))});"
            f" {_USAGE}"
        ) from error
    if not callable(function):
        raise UsageError(
            f"{import_path}: is a {type(function).__name__}, which cannot be called; {_USAGE}"
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
            f"{name}: has the wrong parameters; a system is a function of the text of a question,"
            " or of id and text"
        )
    return _Signature(takes_id=n_required == 2, extras=tuple(extras))


class _OutOfStep(NoAnswer):
    """The next line of the program would belong to another question, so it must be ended."""


def command(system: System) -> Asker:
    """Return a program as a system.

    With ``{question}`` among its arguments it is called for each question, and prints the answer.
    Without, one is started for each question asked at the same time; it reads ``{"id": 1,
    "question": "...", "language": "en"}`` line by line, and answers each with a line. There is no
    shell.
    """
    try:
        words = split_command(system.where)
    except ValueError as error:
        raise UsageError(f"{system.where}: {error}; write the command as for a shell") from None
    if not words:
        raise UsageError("command: name the program, for instance command:'./answer --fast'")
    has_slot = any(_SLOT in word for word in words)

    @asynccontextmanager
    async def opened(_gate: Gate) -> AsyncIterator[AskOne]:
        programs = _Programs(words, system)
        ask = programs.call if has_slot else programs.ask
        try:
            yield ask
        finally:
            await programs.close()

    return Asker(
        f"command {system.where} in {system.language}",
        opened,
        system.timeout,
        system.kg,
        limited=True,
    )


def split_command(text: str) -> list[str]:
    r"""Split a command as a shell does; on Windows a backslash is part of a path.

    >>> split_command("'my answer' --at \"a b\" c#d")
    ['my answer', '--at', 'a b', 'c#d']
    """
    lexer = shlex.shlex(text, posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.commenters = ""
    if os.name == "nt":
        lexer.escape = ""
    return list(lexer)


class _Programs:
    """The running programs, as many as questions are asked at once."""

    def __init__(self, words: list[str], system: System) -> None:
        self._words = words
        self._system = system
        self._idle: list[tuple[Process, deque[bytes]]] = []
        self._running: dict[Process, asyncio.Task[None]] = {}
        self._numbers = itertools.count(1)

    async def call(self, question: PosedQuestion) -> SystemReply:
        """Call the program with the question as an argument."""
        # an argument of a program can contain neither a null character nor half of a surrogate pair
        text = question.text.replace("\0", " ").encode("utf-8", "replace").decode()
        words = [word.replace(_SLOT, text) for word in self._words]
        process, last_output = await self._start(words)
        try:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.close()
            try:
                # one byte more than allowed, to recognise a reply that is too large
                output = await process.stdout.readexactly(self._system.max_bytes + 1)
            except asyncio.IncompleteReadError as end:
                output = end.partial
            if len(output) > self._system.max_bytes:
                raise NoAnswer(
                    f"the program prints more than is allowed; {ALLOWS_MORE[FailureKind.SIZE]}"
                )
            code = await process.wait()
        finally:
            await self._end(process)
        if code:
            reply = SystemReply(raw=output.decode("utf-8", "replace"))
            raise NoAnswer(_describe_exit(code, last_output), reply)
        return _read_output(output, number=0)

    async def ask(self, question: PosedQuestion) -> SystemReply:
        """Send the question to an idle program, or to a new one."""
        if self._idle:
            process, last_output = self._idle.pop()
        else:
            process, last_output = await self._start(self._words)
        is_reusable = False
        try:
            assert process.stdin is not None and process.stdout is not None
            # numbers of ours, because the ids could reveal the data set to the program
            number = next(self._numbers)
            fields: dict[str, object] = {
                "id": number,
                "question": question.text,
                "language": question.language,
            }
            if question.options:
                fields["options"] = list(question.options)
            if question.context:
                fields["context"] = question.context
            with suppress(ConnectionError):  # if it has ended, its output shows that below
                process.stdin.write(json.dumps(fields).encode() + b"\n")
                await process.stdin.drain()
            try:
                output = await process.stdout.readline()
            except ValueError:
                raise _OutOfStep(
                    "the program prints a longer line than is allowed;"
                    f" {ALLOWS_MORE[FailureKind.SIZE]}"
                ) from None
            if not output.endswith(b"\n"):
                with suppress(asyncio.TimeoutError, TimeoutError):
                    # a program that crashed needs a moment until its exit code is known
                    await asyncio.wait_for(process.wait(), 1)
                reply = SystemReply(raw=output.decode("utf-8", "replace"))
                raise _OutOfStep(_describe_exit(process.returncode, last_output), reply)
            reply = _read_output(output, number)
            is_reusable = True
            return reply
        except NoAnswer as problem:
            is_in_step = not problem.late and not isinstance(problem, _OutOfStep)
            is_reusable = process.returncode is None and is_in_step
            raise
        finally:
            if is_reusable:
                self._idle.append((process, last_output))
            else:  # it may still work on this question, and answer it when asked the next
                await self._end(process)

    async def _start(self, words: list[str]) -> tuple[Process, deque[bytes]]:
        """Start a program, and keep the end of its error output."""
        try:
            process = await asyncio.create_subprocess_exec(
                *words,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                limit=self._system.max_bytes,
                # An interrupt at the terminal should reach us first, not the program.
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise NoAnswer(f"{words[0]}: cannot be started ({reason})") from None
        last_output = deque[bytes](maxlen=_MAX_ERROR_BYTES)
        self._running[process] = asyncio.create_task(_keep_error_output(process, last_output))
        return process, last_output

    async def _end(self, process: Process) -> None:
        """End a program by force."""
        with suppress(ProcessLookupError):
            process.kill()
        hearer = self._running.pop(process, None)
        if hearer is not None:
            hearer.cancel()
        with suppress(asyncio.TimeoutError, TimeoutError):
            await asyncio.wait_for(process.wait(), 2)

    async def close(self) -> None:
        """End all programs: by closing their input, and soon after by force."""
        for process, _ in self._idle:
            with suppress(ConnectionError, OSError):
                assert process.stdin is not None
                process.stdin.close()
        # A program that reads its input line by line ends by itself when the input is closed.
        idle = [process.wait() for process, _ in self._idle]
        if idle:
            with suppress(asyncio.TimeoutError, TimeoutError):
                await asyncio.wait_for(asyncio.gather(*idle), 2)
        for process in list(self._running):
            await self._end(process)


async def _keep_error_output(process: Process, last_output: deque[bytes]) -> None:
    """Read the error output of a program, so that it does not block, and keep its end."""
    assert process.stderr is not None
    while piece := await process.stderr.read(65_536):
        # byte by byte: the deque then drops the oldest bytes by itself
        last_output.extend(bytes([code]) for code in piece[-_MAX_ERROR_BYTES:])


def _describe_exit(code: int | None, last_output: deque[bytes]) -> str:
    """Return a sentence on the end of a program, with the last line of its error output."""
    lines = b"".join(last_output).decode("utf-8", "replace").strip().splitlines()
    sentence = "the program closed its output"
    if code is not None:
        sentence = f"the program ended with exit code {code}"
    if lines:
        sentence += f": {one_line(lines[-1])}"
    return sentence


def _read_output(output: bytes, number: int) -> SystemReply:
    """Read the output of a program: JSON, or also plain text if `number` is 0."""
    text = output.decode("utf-8", "replace").strip()
    try:
        value = from_json(text)
    except ValueError as error:
        if number:
            raise _OutOfStep(
                f"the program printed no JSON line ({one_line(str(error))})", SystemReply(raw=text)
            ) from None
        value = text
    if number and isinstance(value, dict) and value.get("id") not in {None, number, str(number)}:
        raise _OutOfStep("the program answered another question", SystemReply(raw=text))
    if isinstance(value, dict):
        # the id is the number of the request rather than a part of the answer
        value.pop("id", None)
    try:
        return reply_of(value)._replace(raw=text)
    except ValueError as error:
        raise NoAnswer(str(error), SystemReply(raw=text)) from None
    except NoAnswer as problem:
        raise NoAnswer(problem.reason, problem.partial_reply._replace(raw=text)) from None


def recorded(system: System) -> Asker:
    """Return a recorded run as a system."""
    return recorded_system(read_run(Path(system.where)))


def recorded_system(run: Run) -> Asker:
    """Return a run as a system, by the ids of the questions."""

    async def ask(question: PosedQuestion) -> SystemReply:
        response = run.responses.get(question.id)
        if response is None:
            raise NoAnswer(f"{run.name} does not have this question", fault=Fault.NONE)
        try:
            return reply_of(response)
        except NoAnswer as problem:  # an old failure says nothing about the system now
            raise NoAnswer(
                problem.reason, problem.partial_reply, Fault.NONE, late=problem.late
            ) from None

    return Asker(f"{run.name} (sha256 {run.sha256[:16]}), recorded", always_open(ask))
