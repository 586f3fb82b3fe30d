"""Names of clusters, by the conditions that most of their questions fulfil and few others do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from qaldgen.features.catalogue import all_features
from qaldgen.features.labels import cost_of, our_name
from qaldgen.selection.conditions import TableCondition, feature_conditions
from qaldgen.selection.variables import features_of_variables
from qaldgen.selection.vectors import Indices, Matrix, Vectors

if TYPE_CHECKING:
    import pandas as pd

#: A name has at most this many conditions.
MOST_CONDITIONS = 3
#: A condition can name a cluster if at least this share of its questions fulfil it.
_TYPICAL = 0.6
#: The share must exceed that among the other questions by this much.
_DIFFERENCE = 0.2
#: Two conditions with a larger overlap (Jaccard) than this say the same thing.
_SAME = 0.6
#: Each step of `features.labels.cost_of` makes a condition a little worse as a name.
_CLARITY = 0.95


def cluster_names(table: pd.DataFrame, clusters: Indices) -> list[str]:
    """Return the name of each cluster; empty if no condition distinguishes it from the others.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"isCount": [True] * 3 + [False] * 9})
    >>> cluster_names(table, np.array([0] * 3 + [1] * 9))
    ['the query counts', 'the query does not count']
    """
    count = int(clusters.max(initial=-1)) + 1
    conditions: list[TableCondition] = []
    # a single cluster that all are in, as of a random sample, needs no name
    if count > 1 or (clusters < 0).any():
        conditions = _naming_conditions(table)
    if not conditions:
        return [""] * count
    strengths = _strengths(conditions, clusters, count)
    used = np.flatnonzero(strengths.any(axis=0))
    if not len(used):
        return [""] * count
    alike = _alike([conditions[index] for index in used])
    names = []
    for row in strengths[:, used]:
        chosen = list[int]()
        for index in np.argsort(-row, kind="stable").tolist():
            if row[index] and len(chosen) < MOST_CONDITIONS and not alike[index, chosen].any():
                chosen.append(index)
        names.append(", ".join(conditions[used[index]].words for index in chosen))
    return names


def _naming_conditions(table: pd.DataFrame) -> list[TableCondition]:
    """Return the conditions on features that read well in a name.

    Free strings and IRIs have too many values, and features with several values read badly.
    """
    features = all_features()
    conditions = []
    for name in map(str, table.columns):
        feature = features.get(name)
        if feature is None or not (feature.several or feature.kind in {"string", "iri"}):
            conditions += feature_conditions(table[name])
    return conditions


def _strengths(conditions: Sequence[TableCondition], clusters: Indices, count: int) -> Matrix:
    """Return how well each condition names each cluster; 0 where it does not fit.

    That is how much more frequent the condition is inside than outside, times its clarity.
    """
    masks = np.column_stack([condition.mask for condition in conditions])
    total = len(clusters)
    clustered = clusters >= 0
    fulfilling = np.column_stack(
        [np.bincount(clusters[clustered], mask[clustered], count) for mask in masks.T]
    )
    sizes = np.bincount(clusters[clustered], minlength=count)[:, None]
    share = fulfilling / np.maximum(sizes, 1)
    share_outside = (masks.sum(axis=0) - fulfilling) / np.maximum(total - sizes, 1)
    difference = share - share_outside
    clarity = np.array([_CLARITY ** cost_of(condition.feature) for condition in conditions])
    fits = (share >= _TYPICAL) & (difference >= _DIFFERENCE) & (sizes > 1) & (sizes < total)
    # rounded, so that ties are broken by the order of the columns and not by the last bit
    return np.asarray(np.where(fits, difference * clarity, 0.0).round(9))


def _alike(conditions: Sequence[TableCondition]) -> NDArray[np.bool_]:
    """Return which pairs of conditions say the same: they share their feature, or most questions.

    >>> masks = np.array([[True, True], [True, True], [False, True]])
    >>> rows = [TableCondition("", name, mask, "", "") for name, mask in zip("abc", masks)]
    >>> _alike(rows).tolist()
    [[True, True, False], [True, True, False], [False, False, True]]
    """
    masks = np.array([condition.mask for condition in conditions], dtype=float)
    features = np.array([condition.feature for condition in conditions])
    in_both = masks @ masks.T
    sizes = masks.sum(axis=1)
    in_either = sizes[:, None] + sizes - in_both
    return np.asarray((features[:, None] == features) | (in_both > _SAME * in_either))


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
