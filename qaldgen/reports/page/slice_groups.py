"""The slices of a report by feature, and the heading of each group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

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
#: The name of the group of the slices by conditions and queries.
OWN_QUERIES = "your queries"


def slice_groups(
    table: pd.DataFrame, by: Sequence[str] = (), own_slices: Sequence[Slice] = ()
) -> dict[str, list[Slice]]:
    """Return the slices by feature, by default the features of `DEFAULT_BY` and clusters.

    `own_slices`, by conditions and queries, come last.

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
    if own_slices:
        groups[OWN_QUERIES] = list(own_slices)
    return groups


class Heading(NamedTuple):
    """The heading of a group of slices."""

    title: str
    definition: str  # what the questions were sliced by


def heading(feature: str) -> Heading:
    """Return the heading of the slices by a feature, or by several with commas between them.

    >>> heading("tpCount").title, heading("whType,isCount").title
    ('Triple patterns of the query (tpCount)', 'Question word, the query counts (whType, isCount)')
    """
    if feature == CLUSTER:
        definition = "Questions that stand for the same part of the pool."
        return Heading("Clusters of the benchmark", definition)
    if feature == OWN_QUERIES:
        return Heading("Your queries", "The questions that each SPARQL query selects.")
    catalogue = all_features()
    names = [name.strip() for name in feature.split(",")]
    joined_names = ", ".join(names)
    title = _TITLES.get(feature) or ", ".join(map(label_of, names))
    if title != joined_names:  # a column of the data set stands under its own name
        title = f"{title[:1].upper()}{title[1:]} ({joined_names})"
    definitions = [catalogue[name].definition for name in names if name in catalogue]
    return Heading(title, " ".join(definitions))
