"""Which questions count if answers are missing: one rule for all commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qaldgen.errors import UsageError
from qaldgen.io.arguments import one_of

if TYPE_CHECKING:
    import pandas as pd

#: By rule, the statuses (`answers.record.STATUSES`) of the questions that are left out; other
#: questions without an answer are wrong.
LEFT_OUT: dict[str, tuple[str, ...]] = {
    "zero": (),
    "asked": ("not asked",),
    "skip": ("not asked", "failed", "timeout"),
}
#: What each rule does.
RULES = {
    "zero": "a missing answer counts as 0",
    "asked": "questions that were not asked are left out; a failure counts as 0",
    "skip": "missing answers are left out",
}
#: The rules in brief, for the heading of a run.
SHORT_RULES = {"zero": "missing is 0", "asked": "asked", "skip": "missing left out"}
#: The rule that every command and function applies by default: GERBIL's.
DEFAULT = "zero"


def check_rule(rule: str) -> None:
    """Refuse an unknown rule."""
    if rule not in LEFT_OUT:
        raise UsageError(f"missing is {rule!r}; {one_of(rule, LEFT_OUT)}")


def counted_questions(counts: pd.DataFrame, rule: str) -> pd.DataFrame:
    """Return the counts of the questions that count by a rule."""
    check_rule(rule)
    if not LEFT_OUT[rule]:
        return counts
    return counts[~counts["status"].isin(LEFT_OUT[rule])]
