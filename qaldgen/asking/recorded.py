"""Runs that are replayed as systems."""

from __future__ import annotations

from pathlib import Path

from qaldgen.answers.reading import read_run
from qaldgen.answers.record import Run
from qaldgen.answers.resume import Fault
from qaldgen.asking.replies import reply_of
from qaldgen.asking.systems import (
    Asker,
    NoAnswer,
    PosedQuestion,
    System,
    SystemReply,
    always_open,
)


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
