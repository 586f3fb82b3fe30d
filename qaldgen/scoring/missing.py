"""Which questions count if answers are missing: one policy for all commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qaldgen.errors import UsageError
from qaldgen.io.arguments import one_of

if TYPE_CHECKING:
    import pandas as pd

#: By policy, the statuses (`answers.record.STATUSES`) of the questions that are left out; other
#: questions without an answer are wrong.
LEFT_OUT: dict[str, tuple[str, ...]] = {
    "zero": (),
    "asked": ("not asked",),
    "skip": ("not asked", "failed", "timeout"),
}
#: What each policy does.
POLICIES = {
    "zero": "a missing answer counts as 0",
    "asked": "questions that were not asked are left out; a failure counts as 0",
    "skip": "missing answers are left out",
}
#: The policies in brief, for the heading of a run.
SHORT_POLICIES = {"zero": "missing is 0", "asked": "asked", "skip": "missing left out"}
#: The policy that every command and function applies by default: GERBIL's.
DEFAULT = "zero"


def check_policy(policy: str) -> None:
    """Refuse an unknown policy."""
    if policy not in LEFT_OUT:
        raise UsageError(f"missing is {policy!r}; {one_of(policy, LEFT_OUT)}")


def counted_questions(counts: pd.DataFrame, policy: str) -> pd.DataFrame:
    """Return the counts of the questions that count by a policy."""
    check_policy(policy)
    if not LEFT_OUT[policy]:
        return counts
    return counts[~counts["status"].isin(LEFT_OUT[policy])]
