"""Read scores and features of questions from CSV: one row per question, its id first."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from qaldgen.errors import DataError
from qaldgen.io.files import read_text
from qaldgen.io.spreadsheets import unprotect
from qaldgen.selection.scaling import scale
from qaldgen.selection.vectors import Vectors

if TYPE_CHECKING:
    import pandas as pd

#: Columns that ``qaldgen score -q --format csv`` writes, one row for each run and question.
_LONG = ("run", "id", "f1")


def read_scores(path: str | Path) -> pd.DataFrame:
    """Read the scores of systems.

    One column per system, or the table that ``qaldgen score -q --format csv`` writes.

    Parameters
    ----------
    path
        A CSV file with a header.

    Returns
    -------
    pandas.DataFrame
        One row per question (index: its id), one column per system, values 0 to 1.

    Raises
    ------
    DataError
        If the file cannot be read, or a value is not a number within 0 and 1.
    """
    frame = _read(path)
    if set(_LONG) <= {frame.index.name, *frame.columns}:
        long = frame.reset_index()
        frame = long.pivot_table(
            index="id", columns="run", values="f1", aggfunc="first", sort=False
        )
    scores = _numbers(frame, path)
    outside = np.argwhere(~((scores >= 0) & (scores <= 1)).to_numpy())
    if len(outside):
        row, column = outside[0]
        where, value = (
            f"question {scores.index[row]}, {scores.columns[column]}",
            scores.iloc[row, column],
        )
        raise DataError(f"{where}: {value} is not a score within 0 and 1", where=path)
    return scores


def read_features(path: str | Path) -> Vectors:
    """Read features of questions, as ``qaldgen select -o table.csv`` writes them.

    Parameters
    ----------
    path
        A CSV file with a header.

    Returns
    -------
    Vectors
        Scaled to 0..1, without constant features.

    Raises
    ------
    DataError
        If the file cannot be read, a value is not a number, or no feature varies.
    """
    table = _numbers(_read(path), path)
    table = table.loc[:, table.nunique() > 1]
    if table.empty:
        raise DataError(
            "no feature has two different values; questions cannot be told apart by it", where=path
        )
    names, ids, raw = (
        tuple(map(str, table.columns)),
        tuple(map(str, table.index)),
        table.to_numpy(dtype=float),
    )
    return Vectors(ids, names, raw, scale("minmax", raw, names, ids), scaling="minmax")


def _read(path: str | Path) -> pd.DataFrame:
    import pandas as pd

    try:
        frame = pd.read_csv(io.StringIO(read_text(Path(path))), dtype=str, keep_default_na=False)
    except ValueError as error:
        raise DataError(
            f"cannot be read as CSV ({str(error).splitlines()[0]})", where=path
        ) from error
    if frame.shape[1] < 2 or frame.empty:
        raise DataError(
            "a table with a header, the question's id in the first column"
            " and values after it is expected",
            where=path,
        )
    frame = frame.rename(columns=unprotect).map(unprotect)
    return frame.set_index(frame.columns[0])


def _numbers(frame: pd.DataFrame, path: str | Path) -> pd.DataFrame:
    import pandas as pd

    numbers = frame.apply(pd.to_numeric, errors="coerce")
    bad = np.argwhere(~np.isfinite(numbers.to_numpy(dtype=float)))
    if len(bad):
        row, column = bad[0]
        where, value = (
            f"question {frame.index[row]}, {frame.columns[column]}",
            frame.iloc[row, column],
        )
        raise DataError(f"{where}: {value!r} is not a number ({len(bad)} in all)", where=path)
    return pd.DataFrame(numbers, dtype=float)
