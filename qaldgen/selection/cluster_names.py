"""Names of clusters, by the conditions that most of their questions fulfil and few others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from qaldgen.features.catalogue import all_features
from qaldgen.features.labels import cost_of, our_name
from qaldgen.selection.arrays import Indices, Matrix
from qaldgen.selection.conditions import TableCondition, feature_conditions
from qaldgen.selection.variables import features_of_variables
from qaldgen.selection.vectors import Vectors

if TYPE_CHECKING:
    import pandas as pd

#: The most conditions in a name.
MAX_CONDITIONS = 3
#: A condition can name a cluster if at least this share of its questions fulfil it.
_MIN_SHARE = 0.6
#: The share must exceed that among the other questions by this much.
_MIN_DIFFERENCE = 0.2
#: Two conditions with a larger overlap (Jaccard) than this say the same.
_MAX_OVERLAP = 0.6
#: Ratings are multiplied by this once for each step of `features.labels.cost_of`.
_CLARITY_FACTOR = 0.95


def cluster_names(table: pd.DataFrame, clusters: Indices) -> list[str]:
    """Return the name of each cluster; empty if no condition distinguishes it from the others.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"isCount": [True] * 3 + [False] * 9})
    >>> cluster_names(table, np.array([0] * 3 + [1] * 9))
    ['the query counts', 'the query does not count']
    """
    n_clusters = int(clusters.max(initial=-1)) + 1
    conditions: list[TableCondition] = []
    # the one cluster of a random sample, which has all questions, needs no name
    if n_clusters > 1 or (clusters < 0).any():
        features = all_features()
        for name in map(str, table.columns):
            feature = features.get(name)
            # Free strings and IRIs have too many values, several values of a question read badly.
            if feature is None or not (feature.several or feature.kind in {"string", "iri"}):
                conditions += feature_conditions(table[name])

    if not conditions:
        return [""] * n_clusters
    ratings = _rate(conditions, clusters, n_clusters)
    rated_indices = np.flatnonzero(ratings.any(axis=0))
    if not len(rated_indices):
        return [""] * n_clusters

    overlaps = _find_overlaps([conditions[index] for index in rated_indices])
    names = []
    for row in ratings[:, rated_indices]:
        picks = list[int]()
        for index in np.argsort(-row, kind="stable").tolist():
            if row[index] and len(picks) < MAX_CONDITIONS and not overlaps[index, picks].any():
                picks.append(index)
        names.append(", ".join(conditions[rated_indices[index]].phrase for index in picks))

    return names


def _rate(conditions: Sequence[TableCondition], clusters: Indices, n_clusters: int) -> Matrix:
    """Return how well each condition names each cluster (clusters by conditions).

    The rating is the share of questions in the cluster that fulfil the condition, minus the share
    of those outside, times a factor for features that are hard to understand. It is 0 where the
    condition does not fit.
    """
    masks = np.column_stack([condition.mask for condition in conditions])
    total = len(clusters)
    clustered = clusters >= 0
    n_inside = np.column_stack(
        [np.bincount(clusters[clustered], mask[clustered], n_clusters) for mask in masks.T]
    )
    sizes = np.bincount(clusters[clustered], minlength=n_clusters)[:, None]
    share_inside = n_inside / np.maximum(sizes, 1)
    share_outside = (masks.sum(axis=0) - n_inside) / np.maximum(total - sizes, 1)
    difference = share_inside - share_outside
    clarity = np.array([_CLARITY_FACTOR ** cost_of(condition.feature) for condition in conditions])
    is_typical = (share_inside >= _MIN_SHARE) & (difference >= _MIN_DIFFERENCE)
    fits = is_typical & (sizes > 1) & (sizes < total)
    # rounded, so that ties are broken by the order of the columns and not by the last bit
    return np.asarray(np.where(fits, difference * clarity, 0.0).round(9))


def _find_overlaps(conditions: Sequence[TableCondition]) -> NDArray[np.bool_]:
    """Return which pairs of conditions share their feature, or most of their questions.

    >>> masks = np.array([[True, True], [True, True], [False, True]])
    >>> rows = [TableCondition("", name, mask, "", "", "") for name, mask in zip("abc", masks)]
    >>> _find_overlaps(rows).tolist()
    [[True, True, False], [True, True, False], [False, False, True]]
    """
    masks = np.array([condition.mask for condition in conditions], dtype=float)
    features = np.array([condition.feature for condition in conditions])
    in_both = masks @ masks.T
    sizes = masks.sum(axis=1)
    in_either = sizes[:, None] + sizes - in_both
    return np.asarray((features[:, None] == features) | (in_both > _MAX_OVERLAP * in_either))


def vector_cluster_names(vectors: Vectors, clusters: Indices) -> list[str]:
    """Return the names of clusters of a selection, by the features that it selects."""
    import pandas as pd

    features = features_of_variables(vectors.query)
    columns: dict[str, list[Any]] = {}
    for column, values in zip(vectors.features, vectors.raw.T.tolist(), strict=True):
        variable, equals, value = column.partition("=")
        name = our_name(features.get(variable, variable))
        if not equals:
            columns[name] = values
            continue
        members = columns.setdefault(name, [frozenset()] * len(vectors))
        for row in np.flatnonzero(values):
            members[row] |= {value}
    return cluster_names(pd.DataFrame(columns, dtype=object), clusters)
