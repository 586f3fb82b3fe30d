"""The slices of a report by feature, and the heading and label of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from qaldgen.analysis.feature_table import slices_by_features
from qaldgen.analysis.slices.slicing import Slice
from qaldgen.benchmark.question_features import CLUSTER
from qaldgen.features.catalogue import all_features
from qaldgen.features.labels import label_of

#: Features by which questions are sliced by default; those that the questions do not have, or
#: that never vary, are left out.
_TITLES = {
    "answerType": "Type of the answer",
    "whType": "Question word",
    "queryShape": "Shape of the query",
    "tpCount": "Triple patterns of the query",
    "hasAggregation": "Does the query aggregate?",
    "resultCount": "Number of gold answers",
    "length": "Length in words",
}
DEFAULT_BY = tuple(_TITLES)


def slice_groups(
    table: pd.DataFrame, by: Sequence[str] = (), queries: Iterable[Slice] = ()
) -> dict[str, list[Slice]]:
    """Return the slices by feature, by default the features of `DEFAULT_BY` and clusters.

    The slices by queries come last.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"tpCount": [1, 2, 2], "length": [5, 5, 5]}, index=["a", "b", "c"])
    >>> {name: [part.name for part in group] for name, group in slice_groups(table).items()}
    {'tpCount': ['tpCount = 1', 'tpCount = 2']}
    """
    groups = {}
    by_default = [name for name in [*DEFAULT_BY, CLUSTER] if name in table.columns]
    for name in dict.fromkeys(by or by_default):
        group = slices_by_features(table, [name])
        if by or (len(group) > 1 and any(len(part) > 1 for part in group)):
            groups[name] = group
    slices_by_query = list(queries)
    if slices_by_query:
        groups["your queries"] = slices_by_query
    return groups


def heading(feature: str) -> tuple[str, str]:
    """Return the heading of a group of slices, and a definition.

    >>> heading("tpCount")[0], heading("whType,isCount")[0]
    ('Triple patterns of the query (tpCount)', 'Question word, the query counts (whType, isCount)')
    """
    if feature == CLUSTER:
        return "Clusters of the benchmark", "Questions that stand for the same part of the pool."
    if feature == "your queries":
        return "Your queries", "The questions that each SPARQL query selects."
    catalogue = all_features()
    names = [name.strip() for name in feature.split(",")]
    joined_names = ", ".join(names)
    title = _TITLES.get(feature) or ", ".join(map(label_of, names))
    if title != joined_names:  # a column of the data set stands under its own name
        title = f"{title[:1].upper()}{title[1:]} ({joined_names})"
    return title, " ".join(catalogue[name].definition for name in names if name in catalogue)


def row_label(feature: str, name: str) -> str:
    """Return the name of a slice without the name of its feature or features.

    >>> row_label("tpCount", "tpCount = 2"), row_label("tpCount", "tpCount (missing)")
    ('2', '(missing)')
    >>> row_label("cluster", "cluster 3")
    'cluster 3'
    >>> row_label("tpCount,isCount", "tpCount = 2 and isCount = no")
    '2 and no'
    """
    if feature == CLUSTER:
        return name
    features = feature.split(",")
    parts = name.split(" and ")
    if len(features) > 1:
        if len(features) != len(parts):  # a value holds the word "and"
            return name
        return " and ".join(map(row_label, map(str.strip, features), parts))
    value = name.removeprefix(feature).strip()
    return value.removeprefix("= ").removeprefix("has ") or name
