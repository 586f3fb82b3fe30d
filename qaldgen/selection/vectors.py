"""Turn the rows of a selection query into normalised feature vectors."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from qaldgen.errors import DataError, UsageError
from qaldgen.formats.writing import dump_records
from qaldgen.io.arguments import one_of
from qaldgen.io.text import helpful
from qaldgen.rdf.terms import Rows
from qaldgen.selection.arrays import Matrix
from qaldgen.selection.feature_columns import Column, encode, values_by_question
from qaldgen.selection.scaling import SCALINGS, scale, spread_table
from qaldgen.sparql.ready_queries import Query
from qaldgen.stores.local import DataSource

if TYPE_CHECKING:
    import pandas as pd

#: The columns that a table in Python has besides the features.
RESERVED = (
    "iri", "question", "id", "text", "cluster", "weight", "inclusion_probability", "position",
)  # fmt: skip


def column_names(features: Iterable[str]) -> list[str]:
    """Return the names of feature columns in Python, with a question mark for reserved names.

    >>> column_names(["length", "text"])
    ['length', '?text']
    """
    return [f"?{name}" if name in RESERVED else name for name in features]


def file_columns(features: Iterable[str]) -> list[str]:
    """Return the names of feature columns in files, all marked as features.

    Otherwise a feature called ``answers`` would be read back as gold answers.

    >>> file_columns(["length", "answers"])
    ['feature:length', 'feature:answers']
    """
    return [f"feature:{name}" for name in features]


MISSING_RULES = {
    "drop": "leave the question out",
    "zero": "count as 0",
    "mean": "count as the mean of the feature",
}
#: Cells of the table (3.2 GB of doubles); a feature with too many values would exceed the memory.
_MAX_CELLS = 400_000_000


@helpful
@dataclasses.dataclass(frozen=True, eq=False)
class Vectors:
    """Questions as feature vectors, in natural order of their ids.

    Attributes
    ----------
    ids : tuple of str
        The IRIs of the questions.
    features : tuple of str
        The columns: a variable of the query, or ``variable=value`` for one value of a category.
    raw : array of shape (n_questions, n_features)
        The values as selected, in real units; categories as 0 and 1.
    matrix : array of shape (n_questions, n_features)
        The values after scaling.
    scaling, missing : str
        The names of the rules that were applied.
    missing_counts : mapping of str to int
        The number of questions in which each variable was unbound, if any.
    dropped : int
        The number of questions left out because a variable was unbound.
    notes : tuple of str
        What a user should know: constant features, wide categories, features flattened by scaling.
    source, query
        The data and the query that selected the questions; None for a table made by hand.
    """

    ids: tuple[str, ...]
    features: tuple[str, ...]
    raw: Matrix
    matrix: Matrix
    scaling: str = "max"
    missing: str = "drop"
    missing_counts: Mapping[str, int] = dataclasses.field(default_factory=dict)
    dropped: int = 0
    notes: tuple[str, ...] = ()
    source: DataSource | None = None
    query: Query | None = None

    def __len__(self) -> int:
        """Return the number of questions."""
        return len(self.ids)

    def __repr__(self) -> str:
        """Return one line: the numbers of questions and features, and the scaling."""
        return (
            f"<Vectors: {len(self.ids):,} questions, {len(self.features)} features, scaled by"
            f" {self.scaling}>"
        )

    def to_frame(self, *, scaled: bool = False) -> pd.DataFrame:
        """Return the table as a pandas DataFrame, indexed by the questions' IRIs.

        Parameters
        ----------
        scaled
            Return the normalised values instead of the selected ones.
        """
        import pandas as pd

        index = pd.Index(self.ids, name="iri")
        return pd.DataFrame(
            self.matrix if scaled else self.raw, index=index, columns=column_names(self.features)
        )

    def dump(self, form: str, *, scaled: bool = False) -> str | bytes:
        """Return the table as ``csv`` or ``jsonl``; `scaled` as for `to_frame`."""
        names = file_columns(self.features)
        values = (self.matrix if scaled else self.raw).tolist()
        return dump_records(
            (
                {"iri": iri, **dict(zip(names, row, strict=True))}
                for iri, row in zip(self.ids, values, strict=True)
            ),
            form,
        )

    def take(self, rows: NDArray[np.intp]) -> Vectors:
        """Return the vectors of some questions, normalised again among themselves."""
        raw = self.raw[rows]
        ids = tuple(self.ids[row] for row in rows)
        return dataclasses.replace(
            # The largest value may have been that of a question left out.
            self,
            ids=ids,
            raw=raw,
            matrix=scale(self.scaling, raw, self.features, ids),
        )

    def spread(self) -> pd.DataFrame:
        """Return the spread of each feature before and after scaling, by `spread_table`."""
        return spread_table(self.features, self.raw, self.matrix)

    @functools.cached_property
    def groups(self) -> tuple[Matrix, NDArray[np.intp]]:
        """The distinct vectors, and for each question the index of its own."""
        different, inverse = np.unique(self.matrix, axis=0, return_inverse=True)
        return different, inverse.ravel()

    def distinct(self, rows: NDArray[np.intp] | None = None) -> int:
        """Return the number of distinct vectors, of all questions or of the given rows."""
        different, own = self.groups
        return len(different) if rows is None else len(np.unique(own[rows]))

    def sha256(self) -> str:
        """Return the hash of ids, features and raw values, which identifies the table."""
        # An empty line separates ids from features, so that moving a name changes the hash.
        digest = hashlib.sha256()
        for name in (*self.ids, "", *self.features):
            digest.update(name.encode("utf-8") + b"\n")
        # + 0.0 turns -0.0 into 0.0; little-endian doubles on every machine
        digest.update(np.ascontiguousarray(self.raw + 0.0, dtype="<f8").tobytes())
        return digest.hexdigest()


def build_vectors(
    rows: Rows, question: str, *, scaling: str = "max", missing: str = "drop"
) -> Vectors:
    """Turn the rows of a selection query into vectors.

    Numbers stay as they are, booleans become 0 and 1, text and IRIs one column per value; several
    texts of one question set several columns.
    """
    check_rules(scaling, missing)
    variables = [name for name in rows.variables if name != question]
    if not variables:
        raise UsageError(f"the query only selects ?{question}; select at least one feature too")
    ids, values = values_by_question(rows, question, variables)
    if not ids:
        raise DataError("no questions were selected")
    counts = {name: count for name in variables if (count := values[name].unbound(len(ids)))}
    widths = {name: len(values[name].texts()) for name in variables}
    # Refuse before the columns are allocated.
    if sum(max(width, 1) for width in widths.values()) * len(ids) > _MAX_CELLS:
        widest = max(widths, key=lambda name: widths[name])
        raise DataError(
            f"?{widest} has {widths[widest]:,} distinct values, too "
            "many for one column each; group them"
        )
    columns = [encode(name, values[name], ids) for name in variables]
    raw = np.hstack([column.values for column in columns])
    features = tuple(name for column in columns for name in column.names)
    kept, raw = _apply_missing(raw, missing, counts)
    kept_ids = tuple(ids[row] for row in kept)
    # After questions were dropped, because the rules of scaling depend on the largest and smallest
    # values.
    matrix = scale(scaling, raw, features, kept_ids)
    notes = [note for column in columns for note in column.notes]
    notes += [*_constant_notes(columns, raw), *_flat_notes(features, raw, matrix, scaling)]
    return Vectors(
        kept_ids,
        features,
        raw,
        matrix,
        scaling,
        missing,
        counts,
        len(ids) - len(kept),
        tuple(notes),
    )


def check_rules(scaling: str, missing: str) -> None:
    """Check the names of scaling and missing-value rules."""
    if scaling not in SCALINGS:
        raise UsageError(f"unknown scaling {scaling!r}; {one_of(scaling, SCALINGS)}")
    if missing not in MISSING_RULES:
        raise UsageError(
            f"unknown rule for missing values {missing!r}; {one_of(missing, MISSING_RULES)}"
        )


def _constant_notes(columns: Sequence[Column], raw: Matrix) -> list[str]:
    """Report the variables that are the same for all remaining questions."""
    notes, start = [], 0
    for column in columns:
        own = raw[:, start : start + len(column.names)]
        start += len(column.names)
        # With one question every feature is constant, which tells nothing.
        if len(raw) < 2 or (own != own[0]).any():
            continue
        values = [
            repr(name.partition("=")[2])
            for name, value in zip(column.names, own[0], strict=True)
            if value
        ]
        shown = (
            f"{own[0, 0]:g}"
            if column.names == [column.variable]
            else ", ".join(values) or "none of its values"
        )
        notes.append(
            f"?{column.variable} is {shown} for every question; a "
            "constant feature distinguishes no questions"
        )
    return notes


def _apply_missing(
    raw: Matrix, missing: str, counts: Mapping[str, int]
) -> tuple[list[int], Matrix]:
    unbound = np.isnan(raw)
    if missing == "drop":
        kept = np.flatnonzero(~unbound.any(axis=1))
        if len(kept) == 0:
            worst = max(counts, key=lambda name: counts[name], default="")
            detail = (
                f"; ?{worst} alone is unbound in {counts[worst]:,} of {len(raw):,}" if worst else ""
            )
            raise DataError(
                f"no question has a value for every variable{detail}. Use --missing zero or mean,"
                " or remove the variable"
            )
        return kept.tolist(), np.ascontiguousarray(raw[kept])
    if missing == "mean":
        bound = np.where(unbound, 0.0, raw)
        means = bound.sum(axis=0) / np.maximum((~unbound).sum(axis=0), 1)
        return list(range(len(raw))), np.where(unbound, means, raw)
    return list(range(len(raw))), np.where(unbound, 0.0, raw)


def _flat_notes(features: Sequence[str], raw: Matrix, matrix: Matrix, scaling: str) -> list[str]:
    """Report features that are nearly constant, or squeezed into a hundredth of the scale."""
    middle = np.median(raw, axis=0)
    notes = []
    for at, name in enumerate(features):
        # a category is 0 for most questions, which is as it should be
        if "=" in name:
            continue
        values, counts = np.unique(raw[:, at], return_counts=True)
        if len(values) < 2:
            continue
        column, spread = matrix[:, at], np.ptp(matrix[:, at])
        low = float(np.mean(column - column.min() < 0.01 * spread))
        if counts.max() >= 0.95 * len(raw):
            share = _percent(counts.max() / len(raw))
            notes.append(
                f"?{name} is {values[counts.argmax()]:g} for {share} "
                "of the questions: nearly constant"
            )
        elif low >= 0.95:
            notes.append(
                f"?{name}: {_percent(low)} of the questions are in the lowest hundredth of the"
                f" scale after {scaling} (median {middle[at]:g}, largest {values[-1]:g}), so it"
                " hardly counts; try --scale log or rank"
            )
    return notes


def _percent(share: float) -> str:
    """Return a share in percent, never rounded up to 100."""
    return f"{min(share, 0.999):.1%}" if 0.99 < share < 1 else f"{share:.0%}"
