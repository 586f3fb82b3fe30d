"""Features of questions from CSV, and scores in their order, as the studies take them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from qaldgen.errors import DataError
from qaldgen.questions.rdf_questions import local_names
from qaldgen.scoring.mean_bounds import Array
from qaldgen.selection.scaling import scale
from qaldgen.selection.vectors import Vectors


def read_features(path: str | Path) -> Vectors:
    """Read features of questions, as ``qaldgen select -o table.csv`` writes them."""
    table = pd.read_csv(path, index_col=0)
    table = table.loc[:, table.nunique() > 1].astype(float)
    names, ids = tuple(map(str, table.columns)), tuple(map(str, table.index))
    raw = table.to_numpy()
    return Vectors(ids, names, raw, scale("minmax", raw, names, ids), scaling="minmax")


def aligned(scores: pd.DataFrame, vectors: Vectors) -> Array:
    """Return the scores in the order of the features, shape (questions, systems)."""
    # ids may repeat only if both tables have the same rows in the same order. If one table has IRIs
    # and the other short ids, the last part of the IRI is the id.
    if list(scores.index) != list(vectors.ids):
        ids = list(vectors.ids)
        if not set(ids) & set(scores.index):
            ids, scores = local_names(ids), scores.set_axis(local_names(list(scores.index)), axis=0)
        absent = [name for name in ids if name not in scores.index]
        if absent:
            raise DataError(
                f"{len(absent)} of {len(ids)} questions have features but no scores (first:"
                f" {absent[0]}; ids of the scores look like {scores.index[0]}); both tables must"
                " use the same ids (01 is not 1)"
            )
        if not scores.index.is_unique:
            doubled = scores.index[scores.index.duplicated()][0]
            raise DataError(f"question {doubled} has scores twice; give every question one row")
        scores = scores.loc[ids]
    table = scores.to_numpy(dtype=float)
    if not ((table >= 0) & (table <= 1)).all():
        raise DataError(
            "a score is missing or not within 0 and 1;"
            " every system needs a score for every question"
        )
    return table
