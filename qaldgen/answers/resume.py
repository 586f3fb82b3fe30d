"""Work through what a journal lacks: resume a run, within its budget, until all is answered."""

from __future__ import annotations

import asyncio
import dataclasses
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import NamedTuple, TypeAlias

from qaldgen.answers.journal import Journal
from qaldgen.answers.record import STATUSES, Response
from qaldgen.io.text import count
from qaldgen.io.web.retries import Gate, Pace

#: Takes the responses so far, in the order of the questions and without gaps; returns why to stop,
#: or nothing.
Stop: TypeAlias = Callable[[Sequence[Response]], "str | None"]


class Budget:
    """Keeps account of what was spent, and of what the questions being asked may cost at most.

    A question is only asked if even the most expensive reply would not exceed the limit. A server
    may charge more than it was asked for: its first reply is awaited alone, and what it charges too
    much is expected of all others.

    >>> budget = Budget(1.0)
    >>> budget.reserve(0.8)
    >>> budget.allows(0.8)
    False
    >>> budget.settle(0.8, 0.1)
    >>> budget.allows(0.8), budget.spent
    (True, 0.1)
    """

    def __init__(self, limit: float | None = None, spent: float = 0.0) -> None:
        self.limit, self.spent, self._reserved = limit, spent, 0.0
        self._replied, self._factor, self._over = False, 1.0, False

    def allows(self, most: float) -> bool:
        """Return whether a question may be asked."""
        if self.limit is None:
            return True
        if most and self._reserved and not self._replied:
            return False
        return self._fits(self.spent + (self._reserved + most) * self._factor)

    def _fits(self, cost: float) -> bool:
        # The tolerance lets a limit of 3 x 0.1 pay for three questions.
        return self.limit is None or cost <= self.limit * (1 + 1e-12)

    def reserve(self, most: float) -> None:
        """Reserve the cost of a question that is asked."""
        self._reserved += most

    def settle(self, most: float, cost: float | None) -> None:
        """Replace a reservation by the actual cost."""
        self._reserved = max(0.0, self._reserved - most)
        self.spent += most if cost is None else cost
        if cost is not None and most:
            self._factor = max(self._factor, cost / most)
        self._replied = True
        self._over = self._over or not self._fits(self.spent)

    def over(self) -> str:
        """Say that replies cost more than the limit; empty if they did not."""
        if not self._over:
            return ""
        return (
            f"the budget of {self.limit:g} is exceeded: {self.spent:.6g} is spent, since the server"
            " reports more tokens than were asked for. Raise the budget"
        )

    def reason(self, most: float) -> str:
        """Say why no further question is asked."""
        return (
            f"the budget of {self.limit:g} allows no further question: {self.spent:.6g} is spent,"
            f" and the next may cost {most * self._factor:.3g}"
        )


class Fault(Enum):
    """What a response says about the system that was asked."""

    NONE = "it replied, or nobody was asked"
    ONE = "it did not reply, or not in its protocol"
    ALL = "it will not reply to any question: the key is wrong, the address, the credit is used up"


class Outcome(NamedTuple):
    """The outcome of asking a question."""

    response: Response  # the response
    fault: Fault = Fault.NONE  # what it says about the system


class PendingQuestion(NamedTuple):
    """A question, and what to do about it."""

    id: str  # its id
    known: Response | None = None  # an earlier response
    #: Asks it, and never raises; None if nothing is to be asked.
    ask: Callable[[], Awaitable[Outcome]] | None = None
    most: float = 0.0  # what asking may cost at most


class Resumed(NamedTuple):
    """The result of asking."""

    responses: Mapping[str, Response]  # by question id, in the order of the questions
    asked: int  # how many of them were asked now
    stopped: str = ""  # why the run ended before all questions were asked; empty if it did not
    #: Whether it ended because the system does not work, or costs more than allowed.
    aborted: bool = False

    notes: tuple[str, ...] = ()  # what a user should know, in whole sentences
    size: int = 0  # how many questions there were to ask

    def abort_message(self) -> str:
        """Say why the run was aborted."""
        return (
            f"the run was aborted after {count(self.asked, 'question')}: "
            f"{self.stopped}; run the same command again to continue"
        )

    def summary(self, noun: str) -> str:
        """Say in one line how many questions were answered, failed and so on.

        >>> Resumed({"1": Response("1", "failed")}, 0, size=3).summary("questions")
        '3 questions: 1 failed, 2 not asked; 1 of them from the journal'
        """
        counts = Counter(response.status for response in self.responses.values())
        counts["not asked"] += max(0, self.size - len(self.responses))
        counted = ", ".join(f"{counts[status]:,} {status}" for status in STATUSES if counts[status])
        from_before = len(self.responses) - self.asked
        total = max(self.size, len(self.responses))
        text = f"{total:,} {noun}: {counted}"
        if from_before:
            text += f"; {from_before:,} of them from the journal"
        return text


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

    >>> from qaldgen.io.concurrency import run
    >>> async def ask() -> Outcome:
    ...     return Outcome(Response("1", "empty"))
    >>> due = [PendingQuestion("1", ask=ask), PendingQuestion("2")]
    >>> result = run(resume(due, None, source="mine"))
    >>> list(result.responses), result.asked
    (['1'], 1)
    """
    due = list(questions)
    work = _Work(
        due, journal, source, gate or Gate(), pace or Pace(), budget or Budget(), stop, watch
    )
    running: set[asyncio.Task[None]] = set()
    try:
        for question in due:
            if work.stopped or not await _started(work, question, running):
                break
        while running:
            await _next_end(running)
    finally:  # whatever happens, no task is left running
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    ordered = {item.id: work.responses[item.id] for item in due if item.id in work.responses}
    over = work.budget.over()  # with the replies that were under way
    return Resumed(ordered, work.asked, over or work.stopped, work.aborted or bool(over))


async def _started(
    work: _Work, due_item: PendingQuestion, running: set[asyncio.Task[None]]
) -> bool:
    """Start with a question; False if no more are to be asked."""
    if due_item.known is not None or due_item.ask is None:
        work.settle(due_item.id, due_item.known)
        return True
    # Wait for a free place, and while running questions hold back a part of the budget.
    while len(running) >= work.pace.jobs or (running and not work.budget.allows(due_item.most)):
        await _next_end(running)
    if not work.stopped and not work.budget.allows(due_item.most):
        work.end(work.budget.reason(due_item.most))
    if not work.stopped:
        await work.gate.turn()
    if work.stopped:
        return False
    if work.journal is not None:
        work.journal.check()
    work.budget.reserve(due_item.most)
    running.add(asyncio.create_task(work.ask(due_item)))
    return True


async def _next_end(running: set[asyncio.Task[None]]) -> None:
    """Wait for the next question that is done; errors of the journal are raised here."""
    done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
    running -= done
    for task in done:
        task.result()


@dataclasses.dataclass
class _Work:
    """The state of a run."""

    due: Sequence[PendingQuestion]
    journal: Journal | None
    source: str
    gate: Gate
    pace: Pace
    budget: Budget
    stop: Stop | None
    watch: Callable[[Response | None], None] | None
    responses: dict[str, Response] = dataclasses.field(default_factory=dict)
    asked: int = 0
    stopped: str = ""
    aborted: bool = False
    in_a_row: int = 0  # how many failures
    settled: dict[str, Response | None] = dataclasses.field(default_factory=dict)
    settled_count: int = 0  # how many of `due` are settled without gaps
    prefix: list[Response] = dataclasses.field(default_factory=list)  # their responses

    async def ask(self, due: PendingQuestion) -> None:
        """Ask a question, and keep the response."""
        assert due.ask is not None
        try:
            response, fault = await due.ask()
        # An interrupted question may have been paid for, so its reservation is kept as cost.
        except BaseException:
            self.budget.settle(due.most, None)
            raise
        self.budget.settle(due.most, response.call.cost or 0.0)
        if self.journal is not None:
            # The journal comes first: an answer that was paid for must not be lost by what follows.
            response = self.journal.add(response, source=self.source)
        self.asked += 1
        self.end(self.budget.over())
        # the run is aborted if the system does not work
        self.in_a_row += 1
        if fault is Fault.NONE:
            self.in_a_row = 0
        if fault is Fault.ALL:
            self.end(response.error, aborted=True)
        elif self.pace.max_failures and self.in_a_row >= self.pace.max_failures:
            self.end(
                f"{count(self.in_a_row, 'question')} in a row failed,"
                f" the last ({response.id}): {response.error}",
                aborted=True,
            )
        self.settle(due.id, response)

    def settle(self, name: str, response: Response | None) -> None:
        """Record the response to a question, and ask whether it is enough."""
        if response is not None:
            self.responses[name] = response
        self.settled[name] = response
        if self.watch is not None:
            self.watch(response)
        while (
            self.settled_count < len(self.due) and self.due[self.settled_count].id in self.settled
        ):
            earliest = self.settled[self.due[self.settled_count].id]
            self.settled_count += 1
            if earliest is not None:
                self.prefix.append(earliest)
                # A rule sees every prefix once, so that a resumed run stops where an uninterrupted
                # one would have.
                if self.stop is not None and not self.stopped:
                    self.end(self.stop(self.prefix) or "")

    def end(self, reason: str, *, aborted: bool = False) -> None:
        """Ask no further question."""
        if reason and not self.stopped:
            self.stopped, self.aborted = reason, aborted
            self.gate.close()
