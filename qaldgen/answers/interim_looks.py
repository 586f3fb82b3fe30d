"""Read and write the looks at an unfinished run in its journal.

A line ``{"look": {...}}`` is either the plan, which is written before the first look
and says when and how it will be looked at, or the result of a look. They are final, whatever
happens to the answers later: an answer that came with a second try does not reopen a look, and a
journal never gets a second plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

from qaldgen.answers.journal import LOOK, LOOK_START, Journal, is_look, journal_lines, parse_entry
from qaldgen.answers.record import Response
from qaldgen.errors import DataError
from qaldgen.io.json_text import from_json, member

Record = Mapping[str, Any]


class Conclusion(NamedTuple):
    """What the looks at a run say in the end."""

    verdict: str | None  # ``better``, ``worse`` or ``undecided``; None if nothing was compared
    sentence: str


@runtime_checkable
class PlannedStop(Protocol):
    """A rule for stopping a run early, with a plan and looks at the answers so far."""

    counted: Sequence[str]  # ids that looks count, in the order of asking; set by `begin`

    @property
    def records(self) -> Sequence[Record]:
        """The plan, and the results of the looks so far."""

    def begin(self, asked: Sequence[str], journal: Path, known: Sequence[Record]) -> str:
        """Start with the plan and the looks of a journal; `asked` are ids in the order of asking.

        Returns why no more questions need to be asked; empty if some do.
        """

    def judge(self, responses: Sequence[Response]) -> str:
        """Look at the responses so far, in the order of asking without gaps.

        Returns why to stop; empty to go on.
        """

    def outcome(self, responses: Mapping[str, Response], journal: Path) -> Conclusion:
        """Return what is known at the end."""


def judge_and_keep(rule: PlannedStop, journal: Journal, responses: Sequence[Response]) -> str:
    """Let a rule look at the responses so far, and write its looks to the journal at once."""
    n_records = len(rule.records)
    reason = rule.judge(responses)
    # Written before the run goes on, so that an interruption cannot lose a look that was taken.
    for record in rule.records[n_records:]:
        journal.add_look(record)
    return reason


def read_looks(path: str | Path) -> tuple[dict[str, Any], ...]:
    """Return the plan and the looks of a journal, in the order of the file."""
    records = []
    for number, line in journal_lines(path).lines:
        if not line.startswith(LOOK_START):
            continue
        try:
            record = from_json(line)[LOOK]
        except (ValueError, KeyError, TypeError):
            record = None
        if not isinstance(record, dict):
            raise DataError(f"{path}: line {number}: a look is damaged; the file was changed")
        records.append(record)
    return tuple(records)


def responses_at_looks(path: str | Path, order: Sequence[str]) -> dict[str, Response]:
    """Return the responses that a journal had at its looks, by question; `order` is that of asking.

    Later tries do not replace them: otherwise a failure that is asked again would change the looks
    that follow, after their results were seen.
    """
    responses: dict[str, Response] = {}
    n_seen = 0
    positions = {question_id: position for position, question_id in enumerate(order)}
    for _, line in journal_lines(path).lines:
        if is_look(line):
            size = member(from_json(line)[LOOK], "n")
            if type(size) is int:  # a plan has none
                n_seen = max(n_seen, size)
            continue
        with suppress(DataError):  # `read_entries` names damaged lines
            response = parse_entry(line, (str(path),)).response
            if response.id not in responses or positions.get(response.id, n_seen) >= n_seen:
                responses[response.id] = response
    seen = [question_id for question_id in order[:n_seen] if question_id in responses]
    return {question_id: responses[question_id] for question_id in seen}
