"""The looks at unfinished runs: those at one run in its journal, those at several in a file.

In a journal, a line ``{"look": {...}}`` is either the plan, which is written before the first look
and says when and how it will be looked at, or the result of a look. They are final, whatever
happens to the answers later: an answer that came with a second try does not reopen a look, and a
journal never gets a second plan.

The file of several runs keeps the plan, and the scores that were looked at: looks follow from both,
so that a rerun takes them again as they were, whatever later tries changed in the runs.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

from qaldgen.answers.journal import LOOK, LOOK_START, Journal, is_look, journal_lines, parse_entry
from qaldgen.answers.record import Response
from qaldgen.errors import DataError, UsageError
from qaldgen.io.files import read_text
from qaldgen.io.json_text import from_json
from qaldgen.io.outputs import write_atomic

Record = Mapping[str, Any]
#: The note when no file keeps the looks at several runs.
UNKEPT = (
    "these looks are not kept: with more answers the command would start afresh, even on answers"
    " that changed; `record` keeps the plan and the looks"
)
#: How much of a setting a message shows, and how much of it before the difference.
_LONGEST, _BEFORE = 60, 20


@runtime_checkable
class Rule(Protocol):
    """Says when enough is known, with a plan and looks."""

    @property
    def records(self) -> Sequence[Record]:
        """The plan, and the looks that were taken."""

    @property
    def counted(self) -> Sequence[str]:
        """The questions that looks count, in the order of asking; known once it began."""

    def begin(self, asked: Sequence[str], journal: Path, known: Sequence[Record]) -> str:
        """Start with the plan and the looks of a journal; `asked` are ids in the order of asking.

        Returns why no more questions need to be asked; empty if some do.
        """

    def judge(self, responses: Sequence[Response]) -> str:
        """Look at the responses so far, in the order of asking without gaps.

        Returns why to stop; empty to go on.
        """

    def outcome(self, responses: Mapping[str, Response], journal: Path) -> tuple[str, str]:
        """Return a verdict, empty if there is none, and in words what is known at the end."""


def judge_and_keep(rule: Rule, journal: Journal, responses: Sequence[Response]) -> str:
    """Let a rule look at the responses so far, and write each look to the journal at once."""
    before = len(rule.records)
    reason = rule.judge(responses)
    # Written before the run goes on, so that an interruption cannot lose a look that was taken.
    for record in rule.records[before:]:
        journal.add_look(record)
    return reason


def read_looks(path: str | Path) -> tuple[dict[str, Any], ...]:
    """Return the plan and the looks of a journal, in the order of the file."""
    records = []
    for number, line in journal_lines(path)[0]:
        if not number or not line.startswith(LOOK_START):
            continue
        try:
            record = from_json(line)[LOOK]
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"{path}: line {number}: a look is damaged; the file was changed"
            ) from error
        if not isinstance(record, dict):
            raise DataError(f"{path}: line {number}: a look is damaged; the file was changed")
        records.append(record)
    return tuple(records)


def responses_at_looks(path: str | Path, order: Sequence[str]) -> dict[str, Response]:
    """Return by question the answers that a journal had at its looks; no later try replaces them.

    Otherwise a failure that is asked again would move the looks that follow, after everybody saw
    how the run stands.
    """
    first: dict[str, Response] = {}
    seen = 0
    places = {name: at for at, name in enumerate(order)}
    for _, line in journal_lines(path)[0]:
        if is_look(line):
            seen = max(seen, _size(line))
            continue
        with suppress(DataError):  # `read_entries` names damaged lines
            response = parse_entry(line, (str(path),)).response
            if response.id not in first or places.get(response.id, seen) >= seen:
                first[response.id] = response
    return {name: first[name] for name in order[:seen] if name in first}


def _size(line: bytes) -> int:
    """Return how many questions a look saw; a plan saw none."""
    record = from_json(line).get(LOOK)
    n = record.get("n") if isinstance(record, dict) else None
    return n if type(n) is int else 0


def can_keep(path: str | Path) -> bool:
    """Say whether looks can be added to a file: a plain one, not a stream or an archive."""
    path = Path(path)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(1) == b"{"


def kept_looks(path: str | Path, plan: Record, known: Sequence[Record]) -> tuple[Record, ...]:
    """Return the looks that were taken by a plan; refuse another plan than that of the file."""
    if not known:
        return ()
    first = known[0].get("plan")
    if not isinstance(first, dict):
        raise DataError(f"{path}: looks without a plan; the file was changed")
    # Settings that only one of the plans has count as different, too.
    differs = [name for name in {**first, **plan} if first.get(name) != plan.get(name)]
    if differs:
        name = differs[0]
        before, now = _apart(first.get(name), plan.get(name))
        raise UsageError(
            f"{path}: was looked at under another plan ({name}: {before}, now {now}); looking again"
            " under new rules would find a difference sooner or later, so keep the plan, go on"
            " without one, or ask from the start into another journal"
        )
    return tuple(known[1:])


def _apart(*values: object) -> list[str]:
    """Return long values from shortly before their first difference: the rest says nothing."""
    texts = [json.dumps(value, ensure_ascii=False) for value in values]
    pairs = zip(*texts, strict=False)
    alike = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
    start = max(0, alike - _BEFORE) if max(map(len, texts)) > _LONGEST else 0
    cut = [f"...{text[start:]}" if start else text for text in texts]
    return [text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..." for text in cut]


class LookFile(NamedTuple):
    """The scores of several runs that were looked at."""

    path: Path | None  # where they are kept; None for nowhere
    plan: Mapping[str, Any]  # what was fixed before the first look
    scores: Mapping[str, tuple[float, ...]]  # by run, in the order of asking

    def keep(self, scores: Mapping[str, Sequence[float]]) -> None:
        """Write what has been looked at now."""
        now = {name: tuple(map(float, values)) for name, values in scores.items()}
        if self.path is None or (now == dict(self.scores) and self.path.exists()):
            return
        text = json.dumps({"plan": self.plan, "scores": now}, ensure_ascii=False, indent=1)
        write_atomic(self.path, (text + "\n").encode(), force=True)


def read_look_file(record: str | Path | None, plan: Mapping[str, Any]) -> LookFile:
    """Return what was looked at before; None keeps nothing."""
    path = None if record is None else Path(record)
    if path is None or not path.exists():
        return LookFile(path, plan, {})
    try:
        before = from_json(read_text(path))
        scores = {name: tuple(map(float, values)) for name, values in before["scores"].items()}
        whole = isinstance(before["plan"], dict)
    except (ValueError, TypeError, KeyError, AttributeError):
        whole, scores = False, {}
    if not whole or not all(0 <= value <= 1 for values in scores.values() for value in values):
        raise DataError(f"{path}: is not a record of looks, or was changed; name another file")
    kept_looks(path, plan, [{"plan": before["plan"]}])
    return LookFile(path, plan, scores)
