"""What was seen of several runs before their end, in a file of its own beside their journals.

The plan is kept, and the scores that were looked at. Looks follow from both, so a rerun takes the
looks that were taken again as they were, whatever later tries changed in the runs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from qaldgen.errors import DataError
from qaldgen.io.files import read_text
from qaldgen.io.outputs import write_atomic
from qaldgen.runs.looks import agreed

#: The note when no record is kept.
UNKEPT = (
    "these looks are not kept: with more answers the command would start afresh, even on answers"
    " that changed; --record FILE keeps the plan and the looks"
)


class LookedAt(NamedTuple):
    """The scores that were looked at.

    Attributes
    ----------
    path : Path or None
        Where they are kept; None for nowhere.
    plan : mapping
        What was fixed before the first look.
    scores : mapping of str to tuple of float
        By run, in the order of asking.
    """

    path: Path | None
    plan: Mapping[str, Any]
    scores: Mapping[str, tuple[float, ...]]

    def keep(self, scores: Mapping[str, Sequence[float]]) -> None:
        """Write what has been looked at now.

        Raises
        ------
        DataError
            If the file cannot be written.
        """
        now = {name: tuple(map(float, own)) for name, own in scores.items()}
        if self.path is None or (now == dict(self.scores) and self.path.exists()):
            return
        text = json.dumps({"plan": self.plan, "scores": now}, ensure_ascii=False, indent=1)
        write_atomic(self.path, (text + "\n").encode(), force=True)


def read_looked_at(path: Path | None, plan: Mapping[str, Any]) -> LookedAt:
    """Return what was looked at before.

    Parameters
    ----------
    path
        The file, which need not exist; None for nowhere.
    plan
        What is planned now.

    Returns
    -------
    LookedAt
        Without scores before the first look.

    Raises
    ------
    UsageError
        If the file has another plan.
    DataError
        If it cannot be read, or is something else.
    """
    if path is None or not path.exists():
        return LookedAt(path, plan, {})
    try:
        found = json.loads(read_text(path))
        scores = {name: tuple(map(float, own)) for name, own in found["scores"].items()}
        whole = isinstance(found["plan"], dict)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        whole, scores = False, {}
    if not whole or not all(0 <= one <= 1 for own in scores.values() for one in own):
        raise DataError(f"{path}: is not a record of looks, or was changed; name another file")
    agreed(path, plan, [{"plan": found["plan"]}])
    return LookedAt(path, plan, scores)
