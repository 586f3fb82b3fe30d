"""Ask one question of a system; whatever goes wrong becomes a part of the response."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime, timezone
from time import monotonic

from qaldgen.asking.record import Asker, AskOne, NoAnswer, Posed, Said
from qaldgen.errors import EndpointTimeout, QaldgenError
from qaldgen.formats.question_texts import language_tag
from qaldgen.io.web import background
from qaldgen.io.web.one_line import one_line
from qaldgen.model import Answers, Question
from qaldgen.runs.record import Call, Response, status_of, unforeseen
from qaldgen.runs.resume import Fault, Outcome
from qaldgen.stores.answering import answers_of

#: Longer replies and errors are cut in the journal, to keep it readable.
_LONGEST_RAW = 1_000_000
_LONGEST_ERROR = 1_000


async def answer(asker: Asker, ask: AskOne, posed: Posed) -> Response:
    """Ask one question of a system that is open; failures are responses too."""
    return (await outcome_of(asker, ask, posed, times=True)).response


def pose(question: Question, language: str, context: str = "") -> Posed:
    """Return a question as it is sent: its text in a language, nothing about the answer."""
    text = next(iter(question.texts.get(language_tag(language), ())), "")
    data = question.metadata
    options = _listed(data.get("choices") or data.get("options") or "")
    return Posed(text, language, options, context or data.get("context", ""), question.id)


def _listed(text: str) -> tuple[str, ...]:
    try:
        options = json.loads(text) if text.startswith("[") else text.split("|")
    except (ValueError, RecursionError):
        return ()
    return tuple(str(one).strip() for one in options if str(one).strip())


async def outcome_of(asker: Asker, ask: AskOne, posed: Posed, *, times: bool) -> Outcome:
    """Ask one question; failures are responses too, so that the others are still asked."""
    start, when = monotonic(), datetime.now(timezone.utc)
    status, error, fault, said = "failed", "", Fault.ONE, Said()
    answers: Answers | None = None
    try:
        said = await _in_time(asker, ask, posed)
        given = said.answers if said.answers is not None else await _found(asker, said)
    except NoAnswer as problem:
        status, error, fault = (
            "timeout" if problem.late else "failed",
            problem.reason,
            problem.fault,
        )
        said = problem.said
    except QaldgenError as problem:
        error = str(problem)
    except asyncio.CancelledError:
        raise
    except Exception as problem:  # whatever a reply may provoke
        error = unforeseen(problem)
    else:
        status = "answered" if said.mentions else status_of(given)
        error, fault, answers = said.note, Fault.NONE, given
    call = Call(
        _cut(said.raw), said.attempts, said.tokens_in, said.tokens_out, said.cost, said.model,
        when.isoformat(timespec="milliseconds") if times else "",
    )  # fmt: skip
    seconds = round(monotonic() - start, 3) if times else None
    return Outcome(
        Response(
            posed.id, status, answers, said.query, said.answer_type, said.mentions, seconds,
            one_line(error, _LONGEST_ERROR), call,
        ),
        fault,
    )  # fmt: skip


async def _in_time(asker: Asker, ask: AskOne, posed: Posed) -> Said:
    """Ask a question; a protocol without a time limit of its own gets one."""
    if not asker.limited:
        return await ask(posed)
    try:
        return await asyncio.wait_for(ask(posed), asker.timeout)
    except (TimeoutError, asyncio.TimeoutError):  # two classes before Python 3.11
        reason = f"no complete answer within {asker.timeout:g} seconds; --timeout allows more"
    raise NoAnswer(reason, late=True)


async def _found(asker: Asker, said: Said) -> Answers:
    """Execute the query that a system gave; its errors are not faults of the connection."""
    if not said.query.strip():
        return Answers()
    if asker.kg is None:
        reason = (
            "the system gave a query and no answers;"
            " name where it is executed: --kg FILE or --endpoint URL"
        )
        raise NoAnswer(reason, said, Fault.NONE)
    try:
        return await asyncio.wait_for(
            background.in_thread(answers_of, asker.kg, said.query), asker.timeout
        )
    except (TimeoutError, asyncio.TimeoutError, EndpointTimeout):
        reason, late = f"the query of the system did not end within {asker.timeout:g} seconds", True
    except QaldgenError as error:
        reason, late = f"the query of the system gives no answer: {one_line(str(error))}", False
    except Exception as error:  # an engine may fail in unexpected ways
        reason, late = f"the query of the system: {unforeseen(error)}", False
    raise NoAnswer(reason, said, Fault.NONE, late=late)


def _cut(raw: str) -> str:
    if len(raw) <= _LONGEST_RAW:
        return raw
    return f"{raw[:_LONGEST_RAW]}... ({len(raw) - _LONGEST_RAW:,} characters more)"
