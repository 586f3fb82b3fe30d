"""Files that record the plan and the looks: the journal of one run, or a file for several runs.

The file for several runs has the plan, and the scores on which the looks decided. The looks can be
computed from these, so a later call takes the same looks again, even if answers have changed since.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from qaldgen.answers.interim_looks import Record, read_looks
from qaldgen.answers.journal import open_journal
from qaldgen.errors import DataError, UsageError
from qaldgen.io.json_text import from_json
from qaldgen.io.outputs import write_atomic
from qaldgen.io.text import truncate
from qaldgen.io.unpacking import read_text

#: The note if the looks at several runs are not recorded.
NOT_RECORDED = (
    "these looks are not kept: with more answers the command would start afresh, even on answers"
    " that changed; `record` keeps the plan and the looks"
)
#: The most characters of a setting in a message.
_MAX_CHARS = 60
#: Characters that are shown before the first difference of two settings.
_CHARS_BEFORE = 20


def can_record(path: str | Path) -> bool:
    """Return whether looks can be added to a file: a plain one, not a stream or an archive."""
    path = Path(path)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(1) == b"{"


def check_plan(path: str | Path, plan: Record, records: Sequence[Record]) -> tuple[Record, ...]:
    """Return the recorded looks, without the plan before them; refuse a plan that has changed."""
    if not records:
        return ()
    old_plan = records[0].get("plan")
    if not isinstance(old_plan, dict):
        raise DataError("looks without a plan; the file was changed", where=path)
    differing = [name for name in {**old_plan, **plan} if old_plan.get(name) != plan.get(name)]
    if differing:
        name = differing[0]
        old_value, new_value = _shorten(old_plan.get(name), plan.get(name))
        raise UsageError(
            f"was looked at under another plan ({name}: {old_value}, now {new_value}); looking"
            " again under new rules would find a difference sooner or later, so keep the plan, go"
            " on without one, or ask from the start into another journal",
            where=path,
        )
    return tuple(records[1:])


def _shorten(old: object, new: object) -> list[str]:
    """Return two values as texts, of long ones the part around their first difference."""
    texts = [json.dumps(value, ensure_ascii=False) for value in (old, new)]
    pairs = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False))
    n_equal = len(list(pairs))
    start = n_equal - _CHARS_BEFORE
    if start > 0 and max(map(len, texts)) > _MAX_CHARS:
        texts = [f"...{text[start:]}" for text in texts]
    return [truncate(text, _MAX_CHARS) for text in texts]


class LookJournal:
    """The journal of one run, with the plan and the looks; another plan is refused."""

    def __init__(self, path: Path, plan: Record) -> None:
        records = read_looks(path) if path.exists() else ()
        self.path = path
        self.earlier = check_plan(path, plan, records)  # the looks that the journal has
        self._missing: list[Record] = [] if records else [{"plan": plan}]

    def add(self, looks: Iterable[Record]) -> None:
        """Write looks; before the first ones, the plan."""
        records = [*self._missing, *looks]
        self._missing = []
        if records:
            with open_journal(self.path) as journal:
                for record in records:
                    journal.add_look(record)


class LookFile(NamedTuple):
    """The scores of several runs that were looked at."""

    path: Path | None  # the file; None if the scores are not recorded
    plan: Mapping[str, Any]  # the settings that were fixed before the first look
    scores: Mapping[str, tuple[float, ...]]  # by run, in the order of asking

    def keep(self, scores: Mapping[str, Sequence[float]]) -> None:
        """Write the scores that were looked at."""
        new_scores = {name: tuple(map(float, values)) for name, values in scores.items()}
        if self.path is None or (new_scores == dict(self.scores) and self.path.exists()):
            return
        text = json.dumps({"plan": self.plan, "scores": new_scores}, ensure_ascii=False, indent=1)
        write_atomic(self.path, (text + "\n").encode(), force=True)


def read_look_file(record: str | Path | None, plan: Mapping[str, Any]) -> LookFile:
    """Read the scores of earlier looks; without a file there are none."""
    path = None if record is None else Path(record)
    if path is None or not path.exists():
        return LookFile(path, plan, {})
    try:
        content = from_json(read_text(path))
        scores = {name: tuple(map(float, values)) for name, values in content["scores"].items()}
        is_intact = isinstance(content["plan"], dict)
    except (ValueError, TypeError, KeyError, AttributeError):
        is_intact = False
        scores = {}
    for values in scores.values():
        is_intact = is_intact and all(0 <= value <= 1 for value in values)
    if not is_intact:
        raise DataError("is not a record of looks, or was changed; name another file", where=path)
    check_plan(path, plan, [{"plan": content["plan"]}])
    return LookFile(path, plan, scores)
