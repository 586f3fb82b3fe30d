"""Programs on this machine as systems."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import shlex
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from qaldgen.asking.replies import reply_of
from qaldgen.asking.systems import (
    Asker,
    AskOne,
    NoAnswer,
    PosedQuestion,
    System,
    SystemReply,
)
from qaldgen.errors import UsageError
from qaldgen.io.json_text import from_json
from qaldgen.io.text import one_line
from qaldgen.io.web.failure import ALLOWS_MORE, FailureKind
from qaldgen.io.web.retries import Gate

_SLOT = "{question}"
#: Bytes of the error output of a program that are kept for messages.
_MAX_ERROR_BYTES = 2_000
#: Seconds until the exit code of a program that closed its output is known.
_EXIT_SECONDS = 1.0
#: Seconds that a program has to end, before and after it is killed.
_GRACE_SECONDS = 2.0


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
        raise UsageError(f"{error}; write the command as for a shell", where=system.where) from None
    if not words:
        raise UsageError("command: name the program, for instance command:'./answer --fast'")
    has_slot = any(_SLOT in word for word in words)

    @asynccontextmanager
    async def opened(_gate: Gate) -> AsyncIterator[AskOne]:
        programs = _Programs(words, system.max_bytes)
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


class _Program:
    """A running program, and the end of its error output."""

    def __init__(self, process: Process) -> None:
        assert process.stdin is not None and process.stdout is not None
        self.process = process
        self.input = process.stdin
        self.output = process.stdout
        self._errors = deque[bytes](maxlen=_MAX_ERROR_BYTES)
        self._error_reader = asyncio.create_task(self._read_errors())

    async def run(self, max_bytes: int) -> tuple[bytes, int]:
        """Return its whole output, and its exit code."""
        self.input.close()
        try:
            # one byte more than allowed, to recognise a reply that is too large
            await self.output.readexactly(max_bytes + 1)
        except asyncio.IncompleteReadError as end:
            return end.partial, await self.process.wait()
        raise NoAnswer(f"the program prints more than is allowed; {ALLOWS_MORE[FailureKind.SIZE]}")

    async def exchange(self, line: bytes) -> str:
        """Write a line, and return the line that the program answers."""
        with suppress(ConnectionError):  # if it has ended, its output shows that below
            self.input.write(line)
            await self.input.drain()
        try:
            output = await self.output.readline()
        except ValueError:
            raise NoAnswer(
                f"the program prints a longer line than is allowed; {ALLOWS_MORE[FailureKind.SIZE]}"
            ) from None
        text = output.decode("utf-8", "replace")
        if not output.endswith(b"\n"):
            # a program that crashed needs a moment until its exit code is known
            await self.wait(_EXIT_SECONDS)
            raise NoAnswer(self.end_message(), SystemReply(raw=text))
        return text.strip()

    async def wait(self, seconds: float) -> None:
        """Wait until the program ends, at most some seconds."""
        with suppress(asyncio.TimeoutError, TimeoutError):
            await asyncio.wait_for(self.process.wait(), seconds)

    async def kill(self) -> None:
        """End the program by force."""
        with suppress(ProcessLookupError):
            self.process.kill()
        self._error_reader.cancel()
        await self.wait(_GRACE_SECONDS)

    def end_message(self) -> str:
        """Return a sentence on its end, with the last line of its error output."""
        lines = b"".join(self._errors).decode("utf-8", "replace").strip().splitlines()
        sentence = "the program closed its output"
        if self.process.returncode is not None:
            sentence = f"the program ended with exit code {self.process.returncode}"
        if lines:
            sentence += f": {one_line(lines[-1])}"
        return sentence

    async def _read_errors(self) -> None:
        """Read its error output, so that it does not block, and keep the end."""
        assert self.process.stderr is not None
        while piece := await self.process.stderr.read(65_536):
            # byte by byte: the deque then drops the oldest bytes by itself
            self._errors.extend(bytes([code]) for code in piece[-_MAX_ERROR_BYTES:])


class _Programs:
    """The running programs, as many as questions are asked at once."""

    def __init__(self, words: list[str], max_bytes: int) -> None:
        self._words = words
        self._max_bytes = max_bytes  # of a reply
        self._idle: list[_Program] = []
        self._running: set[_Program] = set()
        self._numbers = itertools.count(1)

    async def call(self, question: PosedQuestion) -> SystemReply:
        """Call the program with the question as an argument."""
        # an argument of a program can contain neither a null character nor half of a surrogate pair
        text = question.text.replace("\0", " ").encode("utf-8", "replace").decode()
        program = await self._start([word.replace(_SLOT, text) for word in self._words])
        try:
            output, exit_code = await program.run(self._max_bytes)
        finally:
            await self._end(program)
        reply = output.decode("utf-8", "replace")
        if exit_code:
            raise NoAnswer(program.end_message(), SystemReply(raw=reply))
        reply = reply.strip()
        try:
            value = from_json(reply)
        except ValueError:
            value = reply
        return _read_reply(value, reply)

    async def ask(self, question: PosedQuestion) -> SystemReply:
        """Send the question to an idle program, or to a new one."""
        if self._idle:
            program = self._idle.pop()
        else:
            program = await self._start(self._words)

        # numbers of ours, because the ids could reveal the data set to the program
        number = next(self._numbers)
        request: dict[str, object] = {
            "id": number,
            "question": question.text,
            "language": question.language,
        }
        if question.options:
            request["options"] = list(question.options)
        if question.context:
            request["context"] = question.context

        try:
            line = await program.exchange(json.dumps(request).encode() + b"\n")
            try:
                value = from_json(line)
            except ValueError as error:
                reason = f"the program printed no JSON line ({one_line(str(error))})"
                raise NoAnswer(reason, SystemReply(raw=line)) from None
            if isinstance(value, dict) and value.get("id") not in {None, number, str(number)}:
                raise NoAnswer("the program answered another question", SystemReply(raw=line))
        except BaseException:
            # it may still work on this question, and answer it when asked the next
            await self._end(program)
            raise

        self._idle.append(program)
        return _read_reply(value, line)

    async def _start(self, words: list[str]) -> _Program:
        """Start a program."""
        try:
            process = await asyncio.create_subprocess_exec(
                *words,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                limit=self._max_bytes,
                # An interrupt at the terminal should reach us first, not the program.
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise NoAnswer(f"{words[0]}: cannot be started ({reason})") from None
        program = _Program(process)
        self._running.add(program)
        return program

    async def _end(self, program: _Program) -> None:
        """End a program by force."""
        self._running.discard(program)
        await program.kill()

    async def close(self) -> None:
        """End all programs: by closing their input, and soon after by force."""
        # A program that reads its input line by line ends by itself when the input is closed.
        for program in self._idle:
            with suppress(ConnectionError, OSError):
                program.input.close()
        await asyncio.gather(*(program.wait(_GRACE_SECONDS) for program in self._idle))
        for program in list(self._running):
            await self._end(program)


def _read_reply(value: Any, text: str) -> SystemReply:  # noqa: ANN401 - any value of JSON
    """Read the value that a program printed as `text`."""
    answer = value
    if isinstance(value, dict):
        # the id is the number of the request rather than a part of the answer
        answer = {name: part for name, part in value.items() if name != "id"}
    try:
        return reply_of(answer)._replace(raw=text)
    except ValueError as error:
        raise NoAnswer(str(error), SystemReply(raw=text)) from None
    except NoAnswer as problem:
        raise NoAnswer(problem.reason, problem.partial_reply._replace(raw=text)) from None
