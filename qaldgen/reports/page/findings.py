"""What is significant, in sentences that claim no more than the tests do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from qaldgen.analysis.comparing.comparison import Comparison
from qaldgen.analysis.slices.slicing import ALL

#: With more pairs of systems than this, sentences count them instead of naming them.
NAMED_PAIRS = 6


class Findings(NamedTuple):
    """What was found, each in whole sentences."""

    #: What the questions are, where there is something to say; then one for each pair of systems.
    overall: tuple[str, ...] = ()
    winners: tuple[str, ...] = ()  # who wins where
    #: Slices on which another system is significantly ahead than overall.
    reversals: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()  # the same where it may be chance


def find_findings(
    comparison: Comparison | None,
    notes: Sequence[str] = (),
    words: Mapping[str, str] | None = None,
) -> Findings:
    """Describe a comparison; of a single system there are only the notes."""
    if comparison is None:
        return Findings(tuple(notes))
    called = {name: f"“{label}”" for name, label in (words or {}).items()}
    reversals = [
        reversal._replace(slice=called.get(reversal.slice, reversal.slice))
        for reversal in comparison.reversals
    ]
    about_pairs = _about_pairs(comparison)
    if comparison.untested:
        return Findings((*notes, comparison.untested, *about_pairs))
    return Findings(
        (*notes, *about_pairs),
        tuple(_winners(comparison, called)),
        tuple(reversal.sentence for reversal in reversals if reversal.p <= comparison.alpha),
        tuple(reversal.sentence for reversal in reversals if reversal.p > comparison.alpha),
    )


def _about_pairs(comparison: Comparison) -> list[str]:
    """Return a sentence for each pair; of many pairs how many differ, as the tests list them."""
    every = comparison.everywhere
    if len(every) <= NAMED_PAIRS:
        return [comparison.about_pair(row) for row in every.to_dict("records")]
    if comparison.untested:
        return []
    real = int((every["p_adjusted"] <= comparison.alpha).sum())
    questions = f"all {int(every['n'].max()):,} questions"
    return [
        f"{real} of {len(every)} pairs of systems differ significantly on {questions}, corrected"
        " for all pairs; the table of tests lists them."
    ]


def _winners(comparison: Comparison, called: Mapping[str, str]) -> list[str]:
    slices = comparison.winners.drop(index=ALL)
    if slices.empty:
        return []
    lines = []
    for system in comparison.overall.index:
        won = slices.index[slices["winner"] == system]
        if len(won):
            where = ", ".join(called.get(name, str(name)) for name in won)
            lines.append(
                f"{system} is significantly better than every other system on {len(won)} of"
                f" {len(slices)} slices ({where})."
            )
    tied = int((slices["winner"] == "tie").sum())
    if tied:
        lines.append(
            f"On {tied} of {len(slices)} slices no system is significantly better than every other."
        )
    return lines
