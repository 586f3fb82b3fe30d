"""Ask a system all questions of a set, and keep what it says in a journal, so that a run that broke off goes on where it was."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from qaldgen.asking.protocols import make_asker
from qaldgen.asking.record import Asker, AskOne, NoAnswer, Posed, Said, System
from qaldgen.errors import EndpointTimeout, QaldgenError, UsageError
from qaldgen.formats.gather import language_tag
from qaldgen.io.web import background
from qaldgen.io.web.one_line import one_line, printable
from qaldgen.io.web.pace import Gate, Pace
from qaldgen.model import Answers, Question, QuestionSet
from qaldgen.runs.budget import Budget
from qaldgen.runs.journal_writing import Journal, open_journal
from qaldgen.runs.looks import Rule, judge_and_keep, read_looks
from qaldgen.runs.record import Call, Response, status_of, unforeseen
from qaldgen.runs.resume import DONE, Due, Fault, Outcome, Resumed, Stop, resume
from qaldgen.stores.execution import answers_of

#: Longer replies are cut in the journal; who wants more has a log of their own.
_LONGEST_RAW = 1_000_000
_LONGEST_ERROR = 1_000


class Asking(NamedTuple):
    """What came of the questions of a set.

    Attributes
    ----------
    responses : mapping of str to Response
        By question id, in the order of the set.
    asked : int
        How many were asked now; the journal had the others.
    notes : tuple of str
        What a user should know, in whole sentences.
    size : int
        How many questions there were to ask.
    stopped : str
        Why the run ended before all were asked; empty if it did not.
    aborted : bool
        Whether it ended because the system does not work.
    """

    responses: Mapping[str, Response]
    asked: int
    notes: tuple[str, ...]
    size: int = 0
    stopped: str = ""
    aborted: bool = False

    def __str__(self) -> str:
        """Return in one line what became of the questions."""
        return Resumed(self.responses, self.asked).in_words("questions", self.size)


@dataclasses.dataclass(frozen=True)
class Pacing:
    """How the questions of a set are asked.

    Attributes
    ----------
    jobs : int
        How many at once.
    rate : float or None
        At most so many requests a second, further tries included; None for as many as come.
    max_failures : int
        So many failures in a row end the run; 0 for never.
    limit : int or None
        Only the first so many questions of the set.
    budget : float or None
        What the whole journal may cost, earlier runs included; needs prices.
    stop : StopRule, callable or None
        What `qaldgen.stop_rule` returns; its plan and looks are kept in the journal. Or a function
        that is given the responses in the order of the set, without gaps, whenever there is one
        more, and says why to stop, or nothing. Questions that are being asked then are kept too.
    contexts : mapping of str to str
        Retrieved text, by question id.
    times : bool
        Keep when each question was asked, and how long it took; without, the same run gives the
        same bytes again.
    """

    jobs: int = 1
    rate: float | None = None
    max_failures: int = 10
    limit: int | None = None
    budget: float | None = None
    stop: Rule | Stop | None = None
    contexts: Mapping[str, str] = dataclasses.field(default_factory=dict)
    times: bool = True

    def check(self, asker: Asker) -> None:
        """Refuse numbers that are out of range, and a budget where nobody knows what a question costs; raises UsageError."""
        if self.jobs < 1 or self.max_failures < 0 or (self.limit is not None and self.limit < 1):
            raise UsageError("jobs and limit are at least 1, max_failures at least 0")
        if self.rate is not None and not 0 < self.rate < 1e9:
            raise UsageError(f"the rate is {self.rate:g} requests a second; it is above 0")
        if self.budget is not None and not self.budget > 0:
            raise UsageError(f"the budget is {self.budget:g}; it is above 0")
        if self.budget is not None and not asker.most(Posed("Who?")):
            raise UsageError(
                "a budget needs prices: --price-in and --price-out, for a million tokens"
            )


def ask_all(
    questions: QuestionSet,
    asker: Asker,
    journal: Path,
    *,
    language: str = "en",
    pacing: Pacing | None = None,
    anew: bool = False,
    watch: Callable[[Response | None], None] | None = None,
) -> Asking:
    """Ask every question of a set that the journal does not have as answered or empty.

    Parameters
    ----------
    questions
        The set; of each question the main wording in `language` is sent. One without is a failure,
        for which nobody is asked.
    asker
        Whom to ask.
    journal
        Where each response is added as soon as it is there; an existing journal goes on.
    language
        The language tag of the wording.
    pacing
        How they are asked; by default one by one.
    anew
        Begin an existing journal anew.
    watch
        Called with what came of each question, in the order in which it came.

    Returns
    -------
    Asking
        What came of them.

    Raises
    ------
    UsageError
        If the journal has answers of somebody else, or to other questions, or another run is
        writing to it.
    DataError
        If the journal is damaged or cannot be written, or another run wrote to it all the same.
    """
    pacing = pacing or Pacing()
    pacing.check(asker)
    source = f"{asker.name}, asked {questions.name} (sha256 {questions.sha256[:16]})"
    asked = questions.questions[: pacing.limit]
    with open_journal(journal, anew=anew) as kept:
        earlier = _known(kept, source)
        notes = earlier.notes
        if isinstance(pacing.stop, Rule):
            reason, more = _begin(pacing.stop, asked, kept, bool(earlier.responses))
            notes += more
            if reason:  # also what failed is not asked again: the answers that were looked at stand
                held = {
                    one.id: earlier.responses[one.id]
                    for one in asked
                    if one.id in earlier.responses
                }
                return Asking(held, 0, (*notes, f"nothing was asked: {reason}"), len(asked), reason)
            pacing = dataclasses.replace(pacing, stop=partial(judge_and_keep, pacing.stop, kept))
        found = background.run(_run(asked, asker, kept, source, earlier, language, pacing, watch))
    ended = [f"the run ended early: {found.stopped}"] if found.stopped and not found.aborted else []
    told = (*notes, *ended, *_failures(found.responses))
    return Asking(found.responses, found.asked, told, len(asked), found.stopped, found.aborted)


def ask_one(system: System, text: str, name: str = "1") -> Response:
    """Ask a system one question, and keep no journal.

    Parameters
    ----------
    system
        Whom to ask.
    text
        The question.
    name
        Its id, which is not sent.

    Returns
    -------
    Response
        Whatever goes wrong is in it.

    Raises
    ------
    UsageError
        If the system cannot be asked so.
    """
    asker = make_asker(system)

    async def work() -> Response:
        gate = Gate()
        async with asker.open(gate) as ask:
            return await answer(asker, ask, Posed(text, system.language, id=name))

    return background.run(work())


async def answer(asker: Asker, ask: AskOne, posed: Posed) -> Response:
    """Ask one question of a system that is open; whatever goes wrong is in the response.

    Parameters
    ----------
    asker, ask
        The system, and what its `open` gave.
    posed
        The question.

    Returns
    -------
    Response
        Its query is executed.
    """
    return (await _outcome(asker, ask, posed, times=True)).response


async def _run(
    asked: tuple[Question, ...], asker: Asker, journal: Journal, source: str, earlier: _Earlier,
    language: str, pacing: Pacing, watch: Callable[[Response | None], None] | None,
) -> Resumed:  # fmt: skip
    gate = Gate(pacing.rate)
    async with asker.open(gate) as ask:
        done = {
            name: response
            for name, response in earlier.responses.items()
            if response.status in DONE
        }
        due = [_due(one, asker, ask, done.get(one.id), language, pacing) for one in asked]
        budget, pace = (
            Budget(pacing.budget, earlier.spent),
            Pace(pacing.jobs, pacing.rate, pacing.max_failures),
        )
        stop = None if isinstance(pacing.stop, Rule) else pacing.stop
        return await resume(
            due, journal, source=source, gate=gate, pace=pace, budget=budget, stop=stop, watch=watch
        )


def _due(
    question: Question,
    asker: Asker,
    ask: AskOne,
    known: Response | None,
    language: str,
    pacing: Pacing,
) -> Due:
    """Return what is to be done about a question.

    Without a wording in the language nobody is asked.
    """
    posed = pose(question, language, pacing.contexts.get(question.id, ""))

    async def work() -> Outcome:
        if not posed.text:
            error = f"the question has no text in {language!r}, so it was not asked"
            return Outcome(Response(question.id, "failed", error=error))
        return await _outcome(asker, ask, posed, times=pacing.times)

    return Due(question.id, known, work, asker.most(posed) if known is None else 0.0)


def pose(question: Question, language: str, context: str = "") -> Posed:
    """Return a question as it is posed.

    Its main wording in a language, and nothing that tells the answer.
    """
    text = next(iter(question.texts.get(language_tag(language), ())), "")
    data = question.metadata
    options = _listed(data.get("choices") or data.get("options") or "")
    return Posed(text, language, options, context or data.get("context", ""), question.id)


def _listed(text: str) -> tuple[str, ...]:
    try:
        found = json.loads(text) if text.startswith("[") else text.split("|")
    except (ValueError, RecursionError):
        return ()
    return tuple(str(one).strip() for one in found if str(one).strip())


async def _outcome(asker: Asker, ask: AskOne, posed: Posed, *, times: bool) -> Outcome:
    """Ask one question; whatever goes wrong is in the response, and the others are asked."""
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
    """Ask a question; a protocol that has no time limit of its own gets one."""
    if not asker.limited:
        return await ask(posed)
    try:
        return await asyncio.wait_for(ask(posed), asker.timeout)
    except (TimeoutError, asyncio.TimeoutError):  # two classes before Python 3.11
        reason = f"no complete answer within {asker.timeout:g} seconds; --timeout allows more"
    raise NoAnswer(reason, late=True)


async def _found(asker: Asker, said: Said) -> Answers:
    """Execute the query that a system made; what is wrong with it is no fault of the connection."""
    if not said.query.strip():
        return Answers()
    if asker.kg is None:
        reason = (
            "the system gave a query and no answers; name where it is executed: --kg FILE or"
            " --endpoint URL"
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
    except Exception as error:  # an engine may fail on queries that nobody foresaw
        reason, late = f"the query of the system: {unforeseen(error)}", False
    raise NoAnswer(reason, said, Fault.NONE, late=late)


def _cut(raw: str) -> str:
    if len(raw) <= _LONGEST_RAW:
        return raw
    return f"{raw[:_LONGEST_RAW]}... ({len(raw) - _LONGEST_RAW:,} characters more)"


class _Earlier(NamedTuple):
    """What a journal has from runs before.

    What came of each question last, what it cost, and notes on the file.
    """

    responses: dict[str, Response]
    spent: float
    notes: tuple[str, ...]


def _begin(
    rule: Rule, asked: Sequence[Question], journal: Journal, answers: bool
) -> tuple[str, tuple[str, ...]]:
    """Let a rule go on with the looks of a journal, or write its plan.

    Return why to ask nothing, and notes.
    """
    looks = read_looks(journal.path)
    reason = rule.begin([one.id for one in asked], journal.path, looks)
    if looks:
        return reason, ()
    journal.add_look(rule.records[0])
    late = (
        f"{journal.path}: has answers from before the plan to stop; the plan is honest only if"
        " nobody looked at them"
    )
    return reason, (late,) if answers else ()


def _known(journal: Journal, source: str) -> _Earlier:
    """Return what came of the questions of a journal last, by id, what it cost, and the notes on the file."""
    entries, notes, _ = journal.entries()
    other = next((entry.source for entry in entries if entry.source != source), None)
    if other is not None:
        theirs = f"is a journal of {printable(other) or 'somebody unnamed'}, and not of {source}"
        raise UsageError(f"{journal.path}: {theirs}; name another file, or begin anew with --force")
    last = {entry.response.id: entry.response for entry in entries}
    spent = sum(entry.response.call.cost or 0.0 for entry in entries)
    return _Earlier(last, spent, (*journal.notes, *notes))


def _failures(responses: Mapping[str, Response]) -> list[str]:
    """Say for each status that is no answer how many questions it is about, with the first and its reason."""
    lines = []
    for status in ("failed", "timeout"):
        found = [response for response in responses.values() if response.status == status]
        if found:
            what = "failed" if status == "failed" else "had no answer in time"
            first = f"first: {found[0].id}: {found[0].error}"
            lines.append(
                f"{len(found):,} of {len(responses):,} questions {what} ({first}); the same command"
                " asks again"
            )
    return lines
