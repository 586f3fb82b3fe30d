"""The questions of a report in two dimensions: principal components of their features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from qaldgen.benchmark.gold import Gold
from qaldgen.features.catalogue import Feature, all_features
from qaldgen.features.labels import label_of, value_phrase
from qaldgen.io.text import shorten
from qaldgen.selection.arrays import Matrix
from qaldgen.selection.principal_components import principal_components


class Projection(NamedTuple):
    """Questions in two dimensions."""

    ids: tuple[str, ...]  # the questions
    points: Matrix  # the coordinates of each
    labels: tuple[str, str]  # of the two axes
    source: str  # what was projected, a phrase


def project_gold(gold: Gold, table: pd.DataFrame) -> Projection | None:
    """Project questions onto two dimensions: by the vectors of a benchmark, or by features."""
    vectors = gold.vectors()
    if vectors is not None and gold.benchmark is not None:
        ids = tuple(question.id for question in gold.questions)
        names = tuple(map(label_of, gold.benchmark.features))
        return project(ids, vectors, names, "the features the benchmark was sampled by")
    matrix, names = feature_matrix(table)
    source = f"{len(names)} columns of features of text, query and answers"
    return project(tuple(map(str, table.index)), matrix, names, source)


def feature_matrix(table: pd.DataFrame) -> tuple[Matrix, tuple[str, ...]]:
    """Return features as columns from 0 to 1, and their names; a code is one column for each value.

    Missing numbers are replaced by the mean of the others. Features with many values (labels, IRIs)
    and constant ones are left out.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"tpCount": [1, 3, None], "queryForm": ["ask", "select", "ask"]})
    >>> feature_matrix(table)[0].tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.5, 1.0, 0.0]]
    """
    columns: list[Matrix] = []
    names: list[str] = []
    catalogue = all_features()
    for name in map(str, table.columns):
        feature = catalogue.get(name)
        if feature is None or feature.several:
            continue
        for label, numbers in _number_columns(feature, table[name].tolist()):
            if np.isnan(numbers).all() or np.nanmax(numbers) == np.nanmin(numbers):
                continue
            scaled = (numbers - np.nanmin(numbers)) / (np.nanmax(numbers) - np.nanmin(numbers))
            columns.append(np.where(np.isnan(scaled), np.nanmean(scaled), scaled))
            names.append(label)
    if not columns:
        return np.zeros((len(table), 0)), ()
    return np.column_stack(columns), tuple(names)


def _number_columns(feature: Feature, values: Sequence[Any]) -> list[tuple[str, Matrix]]:
    """Return the columns of a feature, with labels: one, one for each code, or none for texts."""
    if feature.kind == "categorical":
        parts = []
        for code in sorted({value for value in values if isinstance(value, str)}):
            has_code = np.array([float(value == code) for value in values])
            parts.append((value_phrase(feature.name, code), has_code))
        return parts
    if feature.kind == "boolean":
        label = value_phrase(feature.name, True)
    elif feature.kind in {"integer", "decimal"}:
        label = label_of(feature.name)
    else:
        return []
    numbers = [np.nan if value is None else float(value) for value in values]
    return [(label, np.array(numbers))]


def project(
    ids: tuple[str, ...], matrix: Matrix, names: Sequence[str], source: str
) -> Projection | None:
    """Return the first two principal components of a matrix.

    The columns are centred but not scaled. Each axis points to where the feature with its largest
    loading grows.

    >>> matrix = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> project(("a", "b"), matrix, ("x", "y"), "two features").points.round(3).tolist()
    [[-0.707, 0.0], [0.707, 0.0]]
    """
    if len(matrix) < 2 or not matrix.shape[1] or not np.ptp(matrix, axis=0).any():
        return None
    points, shares, loadings = principal_components(matrix)
    x_label = _axis_label(1, float(shares[0]), loadings[0], names)
    y_label = _axis_label(2, float(shares[1]), loadings[1], names)
    return Projection(ids, points, (x_label, y_label), source)


def _axis_label(number: int, share: float, loadings: Matrix, names: Sequence[str]) -> str:
    """Say which features grow or shrink along a component, and how much it explains."""
    if not share:
        return "no second component"
    words = []
    for column in np.argsort(-np.abs(loadings).round(9), kind="stable")[:3]:
        grows = "more" if loadings[column] > 0 else "less"
        words.append(f"{grows} “{shorten(names[column], 60)}”")
    return f"{', '.join(words)} (component {number}, {share:.0%} of the variance)"
