"""Clusters as slices: a name in words, and whether the example is typical of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qaldgen.analysis.slicing import Slice, slices_by_label
from qaldgen.selection.cluster_names import cluster_names

if TYPE_CHECKING:
    import pandas as pd

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


def cluster_slices(
    table: pd.DataFrame, column: str, names: Mapping[int, str] | None = None
) -> list[Slice]:
    """Return a slice for each cluster, with its name in words.

    Parameters
    ----------
    table
        Features by question; None where a question is in no cluster.
    column
        The column with the cluster numbers.
    names
        The names that a benchmark keeps, by number; without any the features in the table tell
        them.

    Returns
    -------
    list[Slice]
        One slice per cluster, in order of their numbers. A cluster that nothing describes is named
        by its number alone.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"isCount": [True] * 3 + [False] * 9, "cluster": [1] * 3 + [2] * 9})
    >>> [one.label for one in cluster_slices(table, "cluster")]
    ['cluster 1: the query counts', 'cluster 2: the query does not count']
    """
    numbers = table[column].dropna().astype(int)
    slices = slices_by_label(numbers.rename(column))
    if not names:
        codes, own = np.unique(numbers.to_numpy(), return_inverse=True)
        clusters = np.full(len(table), -1)
        clusters[table[column].notna().to_numpy()] = own.ravel()
        found = cluster_names(table.drop(columns=column), clusters)
        names = dict(zip(codes.tolist(), found, strict=True))
    words = [names.get(number, "") for number in sorted(set(numbers.tolist()))]
    return [
        one.called(f"{one.name}: {said}" if said else one.name)
        for one, said in zip(slices, words, strict=True)
    ]


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
