"""The table of an evaluation as a file: CSV or Parquet, one row for each run and question.

The columns before ``question`` are about the answer, those after it about the question.
"""

from __future__ import annotations

import io
import json
from pathlib import Path

import pandas as pd

from qaldgen.errors import DataError, UsageError
from qaldgen.io.csv_cells import dump_csv, unprotect
from qaldgen.io.inputs import stream_number
from qaldgen.io.outputs import write_atomic
from qaldgen.io.unpacking import read_text

#: The endings of such files.
ENDINGS = (".csv", ".parquet")
#: The column with the text of the question.
QUESTION = "question"
#: The columns by which such a table is recognised.
_REQUIRED = ("run", "id", "match", "f1", "hit", "matcher", "open", QUESTION)
_COLLECTIONS = (list, tuple, set, frozenset)
#: Truth values as CSV writes them.
_BOOLEANS = {"True": True, "False": False}


def is_score_table(path: object) -> bool:
    """Return whether a file holds the table of an evaluation."""
    if not isinstance(path, (str, Path)) or Path(path).suffix.lower() not in ENDINGS:
        return False
    if stream_number(path) is not None or not Path(path).is_file():
        return False
    try:
        if Path(path).suffix.lower() == ".parquet":
            from pyarrow import parquet

            return set(_REQUIRED) <= set(parquet.read_schema(path).names)
        with Path(path).open(encoding="utf-8-sig") as file:
            columns = pd.read_csv(io.StringIO(file.readline()), nrows=0).columns
    except (ImportError, OSError, ValueError):
        return False
    return set(_REQUIRED) <= set(columns)


def write_score_table(table: pd.DataFrame, path: str | Path, *, force: bool) -> None:
    """Write the table of an evaluation, in the format of the file's ending."""
    suffix = Path(path).suffix.lower()
    if suffix not in ENDINGS:
        raise UsageError(f"scores are saved as {' or '.join(ENDINGS)}", where=path)
    for name in table:
        if table[name].map(lambda value: isinstance(value, _COLLECTIONS)).any():
            table = table.assign(**{str(name): table[name].map(_dump_list)})

    if suffix == ".csv":
        rows = table.astype(object).where(table.notna(), None).itertuples(index=False)
        write_atomic(Path(path), dump_csv(table.columns, rows).encode(), force=force)
        return

    text_columns = {}
    for name in table:
        if table[name].dropna().map(type).nunique() > 1:  # Parquet columns have one type
            text_columns[str(name)] = table[name].map(str, na_action="ignore")
    data = io.BytesIO()
    try:
        table.assign(**text_columns).to_parquet(data, index=False)
    except ImportError as error:
        raise UsageError(
            "to write Parquet, install pyarrow: pip install 'qaldgen[parquet]'", where=path
        ) from error
    write_atomic(Path(path), data.getvalue(), force=force)


def read_score_table(path: str | Path) -> pd.DataFrame:
    """Read the table of an evaluation; cells without a value are None or NaN."""
    if not is_score_table(path):
        raise DataError(
            "is no table of scores by question; 'qaldgen score GOLD RUNS -o scores.csv' writes one",
            where=path,
        )
    if Path(path).suffix.lower() == ".parquet":
        frame = pd.read_parquet(path)
        text_columns = [name for name in frame if frame[name].dtype == object]
        return frame.assign(**{str(name): _parse_lists(frame[name]) for name in text_columns})
    text = io.StringIO(read_text(Path(path)))
    frame = pd.read_csv(text, dtype=str, keep_default_na=False).map(unprotect)
    text_names = {"run", "id", "match", "matcher", "status", "language", QUESTION}
    columns = {str(name): _parse_column(frame[name]) for name in frame if name not in text_names}
    return frame.assign(**columns)


def _parse_column(column: pd.Series[str]) -> pd.Series:
    """Return a column of texts as truth values, numbers, lists, or as it is."""
    values = column[column != ""]
    if values.isin(list(_BOOLEANS)).all() and len(values):
        booleans = column.map(_BOOLEANS)
        if len(values) == len(column):
            return booleans.astype(bool)
        return booleans.where(column != "", None)
    numbers = pd.to_numeric(column, errors="coerce")
    if len(values) and numbers[values.index].notna().all():
        return numbers
    return _parse_lists(column.astype(object).where(column != "", None))


def _dump_list(value: object) -> object:
    """Return several values as JSON, a single one as it is."""
    if isinstance(value, (set, frozenset)):
        value = sorted(value)
    return json.dumps(value) if isinstance(value, (list, tuple)) else value


def _parse_lists(column: pd.Series) -> pd.Series:
    """Return a column with the lists in its cells, which are JSON, as tuples."""
    values = column.dropna()
    if not len(values) or not values.astype(str).str.fullmatch(r"\[.*\]").all():
        return column
    return column.map(lambda text: tuple(json.loads(text)), na_action="ignore")
