"""Which leads of a run over another depend on guesses."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

from qaldgen.scoring.guesses import expected_share, reversed_share
from qaldgen.scoring.score import Scores, notes_of

#: An answer with a larger score is right.
_RIGHT = 0.5
#: A lead that is lost in a larger share of the draws depends on guesses.
_MAX_LOST_SHARE = 0.05


def with_leads(all_scores: Sequence[Scores]) -> list[Scores]:
    """Return the runs with a note, the same for all, on the leads that depend on guesses."""
    notes = (leads_on_guesses(all_scores), contradicted_leads(all_scores))
    return [dataclasses.replace(scores, notes=notes_of([scores], *notes)) for scores in all_scores]


def _rank_by_best_guess(all_scores: Sequence[Scores]) -> list[tuple[float, Scores]]:
    """Return the runs whose verdicts have probabilities, with their shares right by best guess.

    The best run comes first.
    """
    shares = [
        (float((scores.counts["hit"].astype(float) > _RIGHT).mean()), scores)
        for scores in all_scores
        if scores.sure is not None and len(scores.counts)
    ]
    return sorted(shares, key=lambda pair: -pair[0])


def _have_same_questions(first: Scores, second: Scores) -> bool:
    return bool(first.counts.index.sort_values().equals(second.counts.index.sort_values()))


def leads_on_guesses(all_scores: Sequence[Scores]) -> str:
    """Say which leads of a run over the next are often lost if verdicts are drawn at random.

    Empty if there is no such lead.
    """
    leads = []
    for (_, first), (_, second) in itertools.pairwise(_rank_by_best_guess(all_scores)):
        if _have_same_questions(first, second):
            lost = reversed_share(first.counts, second.counts)
            if lost > _MAX_LOST_SHARE:
                leads.append(f"that of {first.name} over {second.name} in {lost:.0%}")
    if not leads:
        return ""
    return (
        "a lead depends on guesses if it is lost when verdicts are drawn by their probabilities:"
        f" {', '.join(leads)} of draws"
    )


def contradicted_leads(all_scores: Sequence[Scores]) -> str:
    """Say which runs are ahead by best guess and behind by the expected share; empty if none is.

    A fault that makes the verdicts on one system too strict, such as marks of sources in its
    answers, shows there.
    """
    pairs = []
    ranking = _rank_by_best_guess(all_scores)
    for (share, first), (other_share, second) in itertools.combinations(ranking, 2):
        expected = expected_share(first.counts)
        other_expected = expected_share(second.counts)
        is_contradicted = share > other_share and expected < other_expected
        if is_contradicted and _have_same_questions(first, second):
            pairs.append(
                f"{first.name} is ahead of {second.name} by best guess ({share:.3f},"
                f" {other_share:.3f}) and behind by what is expected ({expected:.3f},"
                f" {other_expected:.3f})"
            )
    if not pairs:
        return ""
    advice = "only labels by hand tell who is better ('qaldgen label --for compare')"
    return f"{'; '.join(pairs)}: {advice}"
