"""What is significant, in sentences that claim no more than the tests do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from qaldgen.analysis.slicing import ALL

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.analysis.comparing.comparison import Comparison

#: A single system is described by its worst and best slices of at least this many questions.
ENOUGH = 10
_SHOWN = 5
#: With more pairs of systems than this, sentences count them instead of naming them.
NAMED_PAIRS = 6


class Findings(NamedTuple):
    """What was found, each in whole sentences."""

    #: What the questions are, where there is something to say; then one for each pair of systems.
    overall: tuple[str, ...] = ()
    winners: tuple[str, ...] = ()  # who wins where; for a single system where it is worst and best
    #: Slices on which another system is significantly ahead than overall.
    reversals: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()  # the same where it may be chance


def find_findings(
    comparison: Comparison | None,
    scores: pd.DataFrame,
    notes: Sequence[str] = (),
    words: Mapping[str, str] | None = None,
) -> Findings:
    """Describe a comparison or, without one, the scores of the only system."""
    called = {name: f"“{label}”" for name, label in (words or {}).items()}
    if comparison is None:
        return Findings(tuple(notes), _extremes(scores, called))
    reversals = [
        reversal._replace(slice=called.get(reversal.slice, reversal.slice))
        for reversal in comparison.reversals
    ]
    every = comparison.pairs[comparison.pairs["slice"] == ALL]
    if comparison.untested:
        return Findings((*notes, comparison.untested, *_about_pairs(comparison, every)))
    return Findings(
        (*notes, *_about_pairs(comparison, every)),
        tuple(_winners(comparison, called)),
        tuple(reversal.sentence for reversal in reversals if reversal.p <= comparison.alpha),
        tuple(reversal.sentence for reversal in reversals if reversal.p > comparison.alpha),
    )


def _about_pairs(comparison: Comparison, every: pd.DataFrame) -> list[str]:
    """Return a sentence for each pair; of many pairs how many differ, as the tests list them."""
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


def _extremes(scores: pd.DataFrame, called: Mapping[str, str]) -> tuple[str, ...]:
    large = scores[(scores["feature"] != "") & (scores["n"] >= ENOUGH)].sort_values(
        "estimate", kind="stable"
    )
    if large.empty:
        return ()
    shown = min(_SHOWN, len(large) // 2 or 1)
    worst, best = large.head(shown), large.tail(shown).iloc[::-1]
    return (
        f"Lowest scores: {_named(worst, called)}.",
        f"Highest scores: {_named(best, called)}.",
        "These are the extremes of many kinds, which may be chance; a weak spot is more.",
    )


def _named(rows: pd.DataFrame, called: Mapping[str, str]) -> str:
    figures = zip(map(str, rows["slice"]), rows["estimate"], rows["n"], strict=True)
    return "; ".join(
        f"{called.get(name, name)} ({estimate:.3f}, n = {n})" for name, estimate, n in figures
    )
