"""Clusters as slices: a name in words, and whether the example is typical of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qaldgen.analysis.conditions import Condition, feature_conditions
from qaldgen.analysis.slices import Slice, slices_by_label
from qaldgen.features.catalogue import all_features
from qaldgen.features.labels import rank_of

if TYPE_CHECKING:
    import pandas as pd

#: A name has at most this many conditions.
MOST_CONDITIONS = 3
#: A condition can name a cluster if this share of its questions fulfil it, and if that exceeds the
#: share among the other questions by this much.
_TYPICAL, _APART = 0.6, 0.2
#: Two conditions with a larger overlap (Jaccard) than this say the same thing.
_SAME = 0.6
#: Each step of `features.labels.rank_of` makes a condition a little worse as a name.
_CLARITY = 0.95
#: A question counts as answered correctly from this score on.
_RIGHT = 0.5

Scores = Mapping[str, float]


class Agreement(NamedTuple):
    """Whether the example of a cluster is typical of its other questions.

    Attributes
    ----------
    share : float
        The share of the cluster's other questions that the system gets right or wrong just like the
        example.
    chance : float
        The same share among all other questions.
    n : int
        The other questions of the cluster.
    """

    share: float
    chance: float
    n: int


def cluster_slices(table: pd.DataFrame, column: str) -> list[Slice]:
    """Return a slice for each cluster, named by up to three conditions that set it apart.

    Parameters
    ----------
    table
        Features by question; None where a question is in no cluster.
    column
        The column with the cluster numbers.

    Returns
    -------
    list[Slice]
        One slice per cluster, in order of their numbers. A cluster that no condition describes is
        named by its number alone.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"isCount": [True] * 3 + [False] * 9, "cluster": [1] * 3 + [2] * 9})
    >>> [one.label for one in cluster_slices(table, "cluster")]
    ['cluster 1: the query counts', 'cluster 2: the query does not count']
    """
    clusters = slices_by_label(table[column].dropna().astype(int).rename(column))
    known = all_features()
    # Free strings and IRIs have too many values to describe a cluster, and features with several
    # values per question read badly in a name.
    columns = [
        name
        for name in map(str, table.columns)
        if name != column
        and (
            name not in known or not (known[name].several or known[name].kind in {"string", "iri"})
        )
    ]
    conditions = [one for name in columns for one in feature_conditions(table[name])]
    return [one.called(_named(one, conditions, table.index)) for one in clusters]


def _named(one: Slice, conditions: Sequence[Condition], index: pd.Index[Any]) -> str:
    """Return the name of a cluster: its number, and what sets most of its questions apart."""
    inside = one.mask(index)
    if not conditions or inside.sum() < 2 or inside.all():
        return one.name
    masks = np.column_stack([condition.mask for condition in conditions])
    share, elsewhere = masks[inside].mean(axis=0), masks[~inside].mean(axis=0)
    clear = np.array([_CLARITY ** rank_of(condition.feature) for condition in conditions])
    strength = np.where(
        (share >= _TYPICAL) & (share - elsewhere >= _APART), (share - elsewhere) * clear, 0.0
    )
    chosen: list[int] = []
    # Rounded, so that ties are broken by the order of the columns and not by the last bit.
    for at in np.argsort(-strength.round(9), kind="stable").tolist():
        if not strength[at] or len(chosen) == MOST_CONDITIONS:
            break
        if not any(_alike(masks, conditions, at, other) for other in chosen):
            chosen.append(at)
    return f"{one.name}: {', '.join(conditions[at].words for at in chosen)}" if chosen else one.name


def _alike(masks: NDArray[np.bool_], conditions: Sequence[Condition], one: int, other: int) -> bool:
    both, either = masks[:, one] & masks[:, other], masks[:, one] | masks[:, other]
    return conditions[one].feature == conditions[other].feature or bool(
        both.sum() > _SAME * either.sum()
    )


def agreement(members: Sequence[str], examples: Sequence[str], scores: Scores) -> Agreement:
    """Say whether a system answers the questions of a cluster as it answers the example.

    Parameters
    ----------
    members
        The questions of the cluster.
    examples
        The questions that represent it; of several, the mean is taken.
    scores
        Score by question.

    Returns
    -------
    Agreement
        NaN in both shares if no example or no other question has a score.

    Examples
    --------
    >>> agreement(["a", "b", "c"], ["a"], {"a": 1.0, "b": 1.0, "c": 0.0, "d": 0.0, "e": 0.0})
    Agreement(share=0.5, chance=0.25, n=2)
    """
    right = {name: value >= _RIGHT for name, value in scores.items() if value == value}
    known = [name for name in examples if name in right]
    rest = [name for name in members if name in right and name not in set(known)]
    others = [name for name in right if name not in set(known)]
    if not known or not rest:
        return Agreement(float("nan"), float("nan"), len(rest))
    share = np.mean([np.mean([right[name] == right[one] for name in rest]) for one in known])
    chance = np.mean([np.mean([right[name] == right[one] for name in others]) for one in known])
    return Agreement(float(share), float(chance), len(rest))


def examples_of(examples: Mapping[int, tuple[str, ...]], one: Slice) -> tuple[str, ...]:
    """Return the questions that represent a slice, if it is a cluster.

    Parameters
    ----------
    examples
        By cluster number, as in `scoring.gold.Gold`.
    one
        A slice.

    Returns
    -------
    tuple[str, ...]
        Empty for slices that are not clusters.

    Examples
    --------
    >>> examples_of({3: ("q7",)}, Slice("cluster 3", ("q7", "q9")))
    ('q7',)
    >>> examples_of({3: ("q7",)}, Slice("isCount = yes", ()))
    ()
    """
    word, _, number = one.name.partition(" ")
    return examples.get(int(number), ()) if word == "cluster" and number.isdigit() else ()
