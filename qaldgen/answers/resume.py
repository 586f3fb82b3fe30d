"""Resume a run: ask the questions that its journal lacks, within a budget."""

from __future__ import annotations

import asyncio
import dataclasses
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import NamedTuple, TypeAlias

from qaldgen.answers.journal import Journal
from qaldgen.answers.record import DONE, STATUSES, Response
from qaldgen.io.text import count
from qaldgen.io.web.retries import Gate, Pace

#: A rule for stopping: takes the responses to the first questions, as far as all of them have one,
#: and returns the reason to stop, or nothing.
Stop: TypeAlias = Callable[[Sequence[Response]], "str | None"]


class Budget:
    """The money spent, and the most that the questions being asked may cost.

    A question is only asked if even the most expensive reply would not exceed the limit. A server
    may charge more than the prices say. So the first question is asked alone, and if its reply
    costs more than expected, all others are expected to cost more by the same factor.

    >>> budget = Budget(1.0)
    >>> budget.reserve(0.8)
    >>> budget.allows(0.8)
    False
    >>> budget.settle(0.8, 0.1)
    >>> budget.allows(0.8), budget.spent
    (True, 0.1)
    """

    def __init__(self, limit: float | None = None, spent: float = 0.0) -> None:
        self.limit = limit
        self.spent = spent
        self._reserved = 0.0
        self._surcharge = 1.0  # the factor by which replies cost more than expected
        self._has_reply = False
        self.is_exceeded = False

    def allows(self, max_cost: float) -> bool:
        """Return whether a question may be asked that costs at most so much."""
        if self.limit is None:
            return True
        if max_cost and self._reserved and not self._has_reply:
            return False
        return self._fits(self.spent + (self._reserved + max_cost) * self._surcharge)

    def _fits(self, cost: float) -> bool:
        # The tolerance lets a limit of 3 x 0.1 pay for three questions.
        return self.limit is None or cost <= self.limit * (1 + 1e-12)

    def reserve(self, max_cost: float) -> None:
        """Reserve the most that a question may cost which is asked now."""
        self._reserved += max_cost

    def settle(self, max_cost: float, cost: float | None) -> None:
        """Replace a reservation by the actual cost; None if it is not known."""
        self._reserved = max(0.0, self._reserved - max_cost)
        self.spent += max_cost if cost is None else cost
        if cost is not None and max_cost:
            self._surcharge = max(self._surcharge, cost / max_cost)
        self._has_reply = True
        self.is_exceeded = self.is_exceeded or not self._fits(self.spent)

    def excess_message(self) -> str:
        """Return a message that replies cost more than the limit."""
        return (
            f"the budget of {self.limit:g} is exceeded: {self.spent:.6g} is spent, since the server"
            " reports more tokens than were asked for. Raise the budget"
        )

    def end_message(self, max_cost: float) -> str:
        """Return a message that the budget does not suffice for another question."""
        return (
            f"the budget of {self.limit:g} allows no further question: {self.spent:.6g} is spent,"
            f" and the next may cost {max_cost * self._surcharge:.3g}"
        )


class Fault(Enum):
    """What a response says about the system that was asked."""

    NONE = "it replied, or nobody was asked"
    ONE = "it did not reply, or not in its protocol"
    ALL = "it will not reply to any question: the key is wrong, the address, the credit is used up"


class Outcome(NamedTuple):
    """The outcome of asking a question."""

    response: Response
    fault: Fault = Fault.NONE  # what the response says about the system


class PendingQuestion(NamedTuple):
    """A question that may have to be asked."""

    id: str
    known: Response | None = None  # an earlier response
    #: Asks the question, and never raises; None if it is not to be asked.
    ask: Callable[[], Awaitable[Outcome]] | None = None
    max_cost: float = 0.0  # the most that asking may cost


class Resumed(NamedTuple):
    """The result of resuming a run."""

    responses: Mapping[str, Response]  # by question id, in the order of the questions
    asked: int  # the number of questions that were asked now
    stopped: str = ""  # why the run ended before all questions were asked; empty if it did not
    #: Whether it ended because the system does not work, or costs more than allowed.
    aborted: bool = False

    notes: tuple[str, ...] = ()  # notes for users, in whole sentences
    size: int = 0  # the number of all questions

    def abort_message(self) -> str:
        """Return a message with the reason why the run was aborted."""
        return (
            f"the run was aborted after {count(self.asked, 'question')}: "
            f"{self.stopped}; run the same command again to continue"
        )

    def summary(self, noun: str) -> str:
        """Return one line with the number of questions by status; `noun` is what they are called.

        >>> Resumed({"1": Response("1", "failed")}, 0, size=3).summary("questions")
        '3 questions: 1 failed, 2 not asked; 1 of them from the journal'
        """
        counts = Counter(response.status for response in self.responses.values())
        counts["not asked"] += max(0, self.size - len(self.responses))
        parts = ", ".join(f"{counts[status]:,} {status}" for status in STATUSES if counts[status])
        n_from_journal = len(self.responses) - self.asked
        total = max(self.size, len(self.responses))
        text = f"{total:,} {noun}: {parts}"
        if n_from_journal:
            text += f"; {n_from_journal:,} of them from the journal"
        return text


def is_settled(response: Response) -> bool:
    """Return whether a resumed run keeps an earlier response; failures and timeouts it asks again.

    >>> [is_settled(Response("1", status)) for status in ("answered", "empty", "failed", "timeout")]
    [True, True, False, False]
    """
    return response.status in DONE


async def resume(
    questions: Iterable[PendingQuestion],
    journal: Journal | None,
    *,
    source: str,
    gate: Gate | None = None,
    pace: Pace | None = None,
    budget: Budget | None = None,
    stop: Stop | None = None,
    watch: Callable[[Response | None], None] | None = None,
) -> Resumed:
    """Ask the unanswered questions, in order, and write each response to the journal at once.

    `source` is the system in the journal, `stop` a rule that may end the run, and `watch` is called
    with each response.

    >>> from qaldgen.io.concurrency import run
    >>> async def ask() -> Outcome:
    ...     return Outcome(Response("1", "empty"))
    >>> due = [PendingQuestion("1", ask=ask), PendingQuestion("2")]
    >>> result = run(resume(due, None, source="mine"))
    >>> list(result.responses), result.asked
    (['1'], 1)
    """
    all_questions = list(questions)
    gate = gate or Gate()
    pace = pace or Pace()
    budget = budget or Budget()
    state = _RunState(all_questions, journal, source, stop, watch, gate, pace, budget)

    running: set[asyncio.Task[None]] = set()
    try:
        for question in all_questions:
            if state.stopped:
                break
            if question.known is not None or question.ask is None:
                state.settle(question.id, question.known)
                continue
            # Wait for a free slot, and while running questions reserve a part of the budget.
            while len(running) >= pace.jobs or (running and not budget.allows(question.max_cost)):
                await _wait_for_next(running)
            if not state.stopped and not budget.allows(question.max_cost):
                state.end(budget.end_message(question.max_cost))
            if not state.stopped:
                await gate.turn()
            if state.stopped:  # while this waited
                break
            if journal is not None:
                journal.check()
            budget.reserve(question.max_cost)
            running.add(asyncio.create_task(state.ask(question)))
        while running:
            await _wait_for_next(running)
    finally:  # whatever happens, no task is left running
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    ids = [question.id for question in all_questions if question.id in state.responses]
    responses = {question_id: state.responses[question_id] for question_id in ids}
    if budget.is_exceeded:  # also by the last replies
        return Resumed(responses, state.asked, budget.excess_message(), aborted=True)
    return Resumed(responses, state.asked, state.stopped, state.aborted)


async def _wait_for_next(running: set[asyncio.Task[None]]) -> None:
    """Wait for the next question that is done; errors of the journal are raised here."""
    done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
    running -= done
    for task in done:
        task.result()


@dataclasses.dataclass
class _RunState:
    """The state of a run."""

    questions: Sequence[PendingQuestion]
    journal: Journal | None
    source: str
    stop: Stop | None
    watch: Callable[[Response | None], None] | None
    gate: Gate
    pace: Pace
    budget: Budget
    responses: dict[str, Response] = dataclasses.field(default_factory=dict)
    asked: int = 0
    stopped: str = ""
    aborted: bool = False
    n_failures: int = 0  # in a row
    settled: dict[str, Response | None] = dataclasses.field(default_factory=dict)
    n_settled: int = 0  # the number of first questions that are settled without gaps
    prefix: list[Response] = dataclasses.field(default_factory=list)  # their responses

    async def ask(self, question: PendingQuestion) -> None:
        """Ask a question, and keep the response."""
        assert question.ask is not None
        try:
            response, fault = await question.ask()
        # An interrupted question may have been paid for, so its reservation is kept as cost.
        except BaseException:
            self.budget.settle(question.max_cost, None)
            raise
        self.budget.settle(question.max_cost, response.call.cost or 0.0)
        if self.journal is not None:
            # The journal comes first: an answer that was paid for must not be lost by what follows.
            response = self.journal.add(response, source=self.source)
        self.asked += 1
        if self.budget.is_exceeded:
            self.end(self.budget.excess_message())
        # the run is aborted if the system does not work
        self.n_failures = 0 if fault is Fault.NONE else self.n_failures + 1
        if fault is Fault.ALL and response.error:
            self.end(response.error, aborted=True)
        elif self.pace.max_failures and self.n_failures >= self.pace.max_failures:
            self.end(
                f"{count(self.n_failures, 'question')} in a row failed,"
                f" the last ({response.id}): {response.error}",
                aborted=True,
            )
        self.settle(question.id, response)

    def settle(self, question_id: str, response: Response | None) -> None:
        """Record the response to a question, and let the rule decide whether to stop."""
        if response is not None:
            self.responses[question_id] = response
        self.settled[question_id] = response
        if self.watch is not None:
            self.watch(response)
        for question in self.questions[self.n_settled :]:
            if question.id not in self.settled:
                break
            self.n_settled += 1
            next_response = self.settled[question.id]
            if next_response is not None:
                self.prefix.append(next_response)
                # A rule sees every prefix once, so that a resumed run stops where an uninterrupted
                # one would have.
                reason = None
                if self.stop is not None and not self.stopped:
                    reason = self.stop(self.prefix)
                if reason:
                    self.end(reason)

    def end(self, reason: str, *, aborted: bool = False) -> None:
        """Stop asking questions; the first reason counts."""
        if not self.stopped:
            self.stopped = reason
            self.aborted = aborted
            self.gate.close()
