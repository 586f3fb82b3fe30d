"""Runs on the questions that count for all of them, so that they can be compared."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TypeVar

import pandas as pd

from qaldgen.errors import DataError
from qaldgen.io.text import count
from qaldgen.scoring.score import Scores

AnyScores = TypeVar("AnyScores", bound=Scores)
#: Of more runs than this, a note names the first ones and the last.
_MAX_NAMED_RUNS = 6


def on_common_questions(
    all_scores: Sequence[AnyScores], policy: str
) -> tuple[list[AnyScores], str]:
    """Return the scores on the questions that count for all runs, and a note on the others.

    Runs without a question in common are refused.
    """
    indexes = [scores.with_missing(policy).index for scores in all_scores]
    all_ids = all_scores[0].counts.index
    common = all_ids
    for index in indexes:
        common = common[common.isin(index)]
    if len(all_ids) and not len(common):
        raise DataError(
            f"of {count(len(all_ids), 'question')} {_list_sizes(all_scores, indexes, policy)}, and"
            " none is common to all; compare runs on the same questions, or choose"
            " `missing='zero'`, which counts those that were not asked as wrong"
        )
    note = _note_others(all_scores, indexes, policy, size=len(common), total=len(all_ids))
    common_scores = [
        dataclasses.replace(scores, counts=scores.counts.loc[common]) for scores in all_scores
    ]
    return common_scores, note


def _note_others(
    all_scores: Sequence[Scores],
    indexes: Sequence[pd.Index[str]],
    policy: str,
    size: int,
    total: int,
) -> str:
    """Return the note on questions that do not count for all runs, or count as wrong."""
    if policy == "zero":
        asked_indexes = [scores.with_missing("asked").index for scores in all_scores]
        if all(len(index) == total for index in asked_indexes):
            return ""
        sizes = _list_sizes(all_scores, asked_indexes, "asked")
        return (
            f"of {count(total, 'question')} {sizes}; those not asked count as wrong"
            " (`missing='asked'` leaves them out, for every run alike)"
        )

    if size == total:
        return ""
    note = f"of {count(total, 'question')} {_list_sizes(all_scores, indexes, policy)}"
    if len(all_scores) > 1 and all(len(index) == size for index in indexes):
        note += ", all the same ones; "
    elif len(all_scores) > 1:
        note += f"; only the {size:,} common to all are compared, "
    else:
        note += "; "

    if total - size == 1:
        return f"{note}the other one is left out (`missing='zero'` counts it as wrong)"
    return f"{note}the other {total - size:,} are left out (`missing='zero'` counts them as wrong)"


def _list_sizes(all_scores: Sequence[Scores], indexes: Sequence[pd.Index[str]], policy: str) -> str:
    """Return ``A was asked 558 questions, B 49``, the most first; of many runs a few."""
    verb = "was asked" if policy == "asked" else "has answers to"
    ranked = sorted(
        ((len(index), scores.name) for scores, index in zip(all_scores, indexes, strict=True)),
        key=lambda pair: -pair[0],
    )
    parts = [f"{name} {size:,}" for size, name in ranked]
    if len(parts) > _MAX_NAMED_RUNS:
        n_others = len(parts) - _MAX_NAMED_RUNS + 1
        parts[_MAX_NAMED_RUNS - 2 : -1] = [f"{n_others} others at most as many"]
    parts[0] = f"{ranked[0][1]} {verb} {ranked[0][0]:,}"
    return ", ".join(parts)
