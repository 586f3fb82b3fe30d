"""What is significant, in sentences that claim no more than the tests do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from qaldgen.analysis.comparing.comparison import Comparison
from qaldgen.analysis.slices.slicing import ALL

#: With more pairs of systems than this, sentences count them instead of naming them.
NAMED_PAIRS = 6


class Findings(NamedTuple):
    """The findings, in whole sentences."""

    #: Notes on the questions, then a sentence for each pair of systems.
    overall: tuple[str, ...] = ()
    winners: tuple[str, ...] = ()  # who wins where
    #: Slices on which another system is significantly ahead than overall.
    reversals: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()  # reversals that may be chance


def find_findings(
    comparison: Comparison | None, notes: Sequence[str] = (), words: Mapping[str, str] | None = None
) -> Findings:
    """Describe a comparison; for a single system there are only the notes."""
    if comparison is None:
        return Findings(tuple(notes))
    labels = {name: f"“{label}”" for name, label in (words or {}).items()}

    overall = list(notes)
    if comparison.untested:
        overall.append(comparison.untested)
    pairs = comparison.everywhere
    if len(pairs) <= NAMED_PAIRS:
        overall += [comparison.about_pair(row) for row in pairs.to_dict("records")]
    elif not comparison.untested:
        n_significant = int((pairs["p_adjusted"] <= comparison.alpha).sum())
        overall.append(
            f"{n_significant} of {len(pairs)} pairs of systems differ significantly on all"
            f" {int(pairs['n'].max()):,} questions, corrected for all pairs; the table of tests"
            " lists them."
        )
    if comparison.untested:
        return Findings(tuple(overall))

    reversals = list[str]()
    unsure = list[str]()
    for reversal in comparison.reversals:
        label = labels.get(reversal.slice, reversal.slice)
        sentence = reversal._replace(slice=label).sentence
        if reversal.p <= comparison.alpha:
            reversals.append(sentence)
        else:
            unsure.append(sentence)

    # on which slices each system is better than every other
    winners = []
    slices = comparison.winners.drop(index=ALL)
    for system in comparison.overall.index:
        won_slices = slices.index[slices["winner"] == system]
        if len(won_slices):
            names = ", ".join(labels.get(name, str(name)) for name in won_slices)
            winners.append(
                f"{system} is significantly better than every other system on {len(won_slices)} of"
                f" {len(slices)} slices ({names})."
            )
    n_ties = int((slices["winner"] == "tie").sum())
    if n_ties:
        winners.append(
            f"On {n_ties} of {len(slices)} slices no system is significantly better than every"
            " other."
        )

    return Findings(tuple(overall), tuple(winners), tuple(reversals), tuple(unsure))
