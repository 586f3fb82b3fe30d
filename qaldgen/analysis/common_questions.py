"""Runs on the questions that count for all of them, so that they can be compared."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Sequence
from typing import TypeVar

import pandas as pd

from qaldgen.errors import DataError
from qaldgen.io.text import count
from qaldgen.scoring.guesses import SURE, expected_share, reversed_share
from qaldgen.scoring.missing import DEFAULT, counted_questions
from qaldgen.scoring.score import Scores

Run = TypeVar("Run", bound=Scores)
_LISTED = 6
#: From this score on an answer is right; a lead depends on guesses if more of the draws lose it.
_RIGHT, _LOST = 0.5, 0.05


def on_common_questions(scored: Sequence[Run], rule: str = DEFAULT) -> tuple[list[Run], str]:
    """Return runs on the questions that count for every one of them: the same for all."""
    scored = with_leads(scored)
    indexes = [counted_questions(scores.counts, rule).index for scores in scored]
    everything = scored[0].counts.index
    common = functools.reduce(lambda kept, index: kept[kept.isin(index)], indexes, everything)
    if len(everything) and not len(common):
        raise DataError(
            f"of {count(len(everything), 'question')} {_sizes(scored, indexes, rule)}, and none is"
            " common to all; compare runs on the same questions, or choose `missing='zero'`, which"
            " counts those that were not asked as wrong"
        )
    same = [dataclasses.replace(scores, counts=scores.counts.loc[common]) for scores in scored]
    return same, _note(scored, indexes, len(common), rule)


def _note(
    scored: Sequence[Scores], indexes: Sequence[pd.Index[str]], common: int, rule: str
) -> str:
    """Say how many questions each run was asked, and how many are common; empty if all are."""
    total = len(scored[0].counts)
    if rule == "zero":
        indexes = [counted_questions(scores.counts, "asked").index for scores in scored]
        if all(len(index) == total for index in indexes):
            return ""
        return (
            f"of {count(total, 'question')} {_sizes(scored, indexes, 'asked')}; those not asked"
            " count as wrong (`missing='asked'` leaves them out, for every run alike)"
        )
    if common == total:
        return ""
    what = f"of {count(total, 'question')} {_sizes(scored, indexes, rule)}"
    others = (
        "the other one is left out (`missing='zero'` counts it as wrong)"
        if total - common == 1
        else f"the other {total - common:,} are left out (`missing='zero'` counts them as wrong)"
    )
    if len(scored) == 1:
        return f"{what}; {others}"
    if all(len(index) == common for index in indexes):
        return f"{what}, all the same ones; {others}"
    return f"{what}; only the {common:,} common to all are compared, {others}"


def _sizes(scored: Sequence[Scores], indexes: Sequence[pd.Index[str]], rule: str) -> str:
    """Return ``A was asked 558 questions, B 49``, the most first; of many runs a few."""
    verb = "was asked" if rule == "asked" else "has answers to"
    ranked = sorted(
        ((len(index), scores.name) for scores, index in zip(scored, indexes, strict=True)),
        key=lambda pair: -pair[0],
    )
    parts = [f"{name} {size:,}" for size, name in ranked]
    if len(parts) > _LISTED:
        parts = [
            *parts[: _LISTED - 2],
            f"{len(parts) - _LISTED + 1} others at most as many",
            parts[-1],
        ]
    parts[0] = f"{ranked[0][1]} {verb} {ranked[0][0]:,}"
    return ", ".join(parts)


def with_leads(scored: Sequence[Run]) -> list[Run]:
    """Return the runs; each notes which leads depend on guesses, as what holds for all of them."""
    told = [note for note in (leads_on_guesses(scored), contradicted(scored)) if note]
    fresh = tuple(note for note in told if note not in scored[0].notes)
    if not fresh:
        return list(scored)
    return [dataclasses.replace(one, notes=(*one.notes, *fresh)) for one in scored]


def _ranked(scored: Sequence[Scores]) -> list[tuple[float, Scores]]:
    """Return the runs whose verdicts have probabilities, by the share right by best guess."""
    shares = [
        (float((scores.counts["hit"].astype(float) > _RIGHT).mean()), scores)
        for scores in scored
        if SURE in scores.counts and len(scores.counts)
    ]
    return sorted(shares, key=lambda one: -one[0])


def _alike(first: Scores, second: Scores) -> bool:
    return bool(first.counts.index.sort_values().equals(second.counts.index.sort_values()))


def leads_on_guesses(scored: Sequence[Scores]) -> str:
    """Say which leads of a run over the next are often lost if verdicts are drawn; or nothing."""
    leads = []
    for (_, first), (_, second) in itertools.pairwise(_ranked(scored)):
        if _alike(first, second):
            lost = reversed_share(first.counts, second.counts)
            if lost > _LOST:
                leads.append(f"that of {first.name} over {second.name} in {lost:.0%}")
    said = "a lead depends on guesses if it is lost when verdicts are drawn by their probabilities:"
    return f"{said} {', '.join(leads)} of draws" if leads else ""


def contradicted(scored: Sequence[Scores]) -> str:
    """Say which runs are ahead by best guess and behind by what is expected; or nothing.

    A fault that makes the verdicts on one system too strict, such as marks of sources in its
    answers, shows there.
    """
    pairs = []
    for (best, first), (less, second) in itertools.combinations(_ranked(scored), 2):
        expected = expected_share(first.counts), expected_share(second.counts)
        if best > less and expected[0] < expected[1] and _alike(first, second):
            pairs.append(
                f"{first.name} is ahead of {second.name} by best guess ({best:.3f}, {less:.3f}) and"
                f" behind by what is expected ({expected[0]:.3f}, {expected[1]:.3f})"
            )
    said = "only labels by hand tell who is better ('qaldgen label' for each)"
    return f"{'; '.join(pairs)}: {said}" if pairs else ""
