"""Questions as normalised feature vectors, built from the rows of a selection query."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qaldgen.errors import DataError, UsageError
from qaldgen.io.arguments import one_of
from qaldgen.io.notes import collecting, note
from qaldgen.io.text import count
from qaldgen.questions.writing import dump_records
from qaldgen.rdf.terms import Rows
from qaldgen.selection.arrays import Indices, Matrix
from qaldgen.selection.encoding import VariableColumns, encode, values_by_question
from qaldgen.selection.scaling import LOWEST_PART, SCALINGS, scale, spread_table
from qaldgen.sparql.ready_queries import Query
from qaldgen.stores.local import DataSource

if TYPE_CHECKING:
    import pandas as pd

#: The columns that a table in Python has besides the features.
RESERVED = (
    "iri", "question", "id", "text", "cluster", "weight", "inclusion_probability", "position",
)  # fmt: skip
MISSING_RULES = {
    "drop": "leave the question out",
    "zero": "count as 0",
    "mean": "count as the mean of the feature",
}
#: Variables that say how many words the labels of entities, relations and classes have.
_WORDS_OF_LABELS = re.compile(r"\b(?:totalWords|avg)(?:Entit|Relation|Class)")
#: Cells of the table (3.2 GB of doubles); a feature with too many values would exceed the memory.
_MAX_CELLS = 400_000_000
#: A feature is nearly constant if this share of the questions has one value, and flat if this share
#: is in the lowest part of its scale.
_NEARLY_CONSTANT_SHARE = 0.95


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


class DistinctVectors(NamedTuple):
    """The distinct vectors of questions, and for each question the index of its vector."""

    vectors: Matrix
    index_of_row: Indices


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

    Examples
    --------
    >>> import qaldgen as qg
    >>> table = qg.select([{"id": "7", "question": "Who is she?"}], scaling="max")
    >>> table.ids, len(table)
    (('http://qald-gen.aksw.org/question/questions/7',), 1)
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

    def __str__(self) -> str:
        """Return the numbers of questions and features, of equal questions and missing values."""
        line = f"{count(len(self), 'question')}, {len(self.features)} features"
        n_repeated = len(self) - self.distinct()
        if n_repeated:
            line += f" ({n_repeated:,} questions are like another one in all of them)"
        unbound = ", ".join(f"?{name} in {n:,}" for name, n in self.missing_counts.items())
        if not unbound:
            return line
        treatment = f"filled with {self.missing}"
        if self.missing == "drop":
            treatment = f"{self.dropped:,} questions dropped"
        return f"{line}; without a value: {unbound} ({treatment})"

    def to_frame(self, *, scaled: bool = False) -> pd.DataFrame:
        """Return the table as a pandas DataFrame, indexed by the questions' IRIs.

        Parameters
        ----------
        scaled
            Return the normalised values instead of the selected ones.
        """
        import pandas as pd

        index = pd.Index(self.ids, name="iri")
        values = self.matrix if scaled else self.raw
        return pd.DataFrame(values, index=index, columns=column_names(self.features))

    def dump(self, form: str, *, scaled: bool = False) -> str | bytes:
        """Return the table as ``csv`` or ``jsonl``; `scaled` as for `to_frame`."""
        names = file_columns(self.features)
        values = self.matrix if scaled else self.raw
        records = (
            {"iri": iri, **dict(zip(names, row, strict=True))}
            for iri, row in zip(self.ids, values.tolist(), strict=True)
        )
        return dump_records(records, form)

    def take(self, rows: Indices) -> Vectors:
        """Return the vectors of some questions, normalised again among themselves."""
        raw = self.raw[rows]
        ids = tuple(self.ids[row] for row in rows)
        # The largest value may have been that of a question left out.
        matrix = scale(self.scaling, raw, self.features, ids)
        return dataclasses.replace(self, ids=ids, raw=raw, matrix=matrix)

    def spread(self) -> pd.DataFrame:
        """Return the spread of each feature before and after scaling, by `spread_table`."""
        return spread_table(self.features, self.raw, self.matrix)

    @functools.cached_property
    def groups(self) -> DistinctVectors:
        """The distinct vectors."""
        vectors, inverse = np.unique(self.matrix, axis=0, return_inverse=True)
        return DistinctVectors(vectors, inverse.ravel())

    def distinct(self, rows: Indices | None = None) -> int:
        """Return the number of distinct vectors, of all questions or of the given rows."""
        if rows is None:
            return len(self.groups.vectors)
        return len(np.unique(self.groups.index_of_row[rows]))

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
    rows: Rows,
    question: str,
    *,
    scaling: str = "max",
    missing: str = "drop",
    skip_empty: bool = False,
) -> Vectors:
    """Turn the rows of a selection query into vectors.

    Numbers stay as they are, booleans become 0 and 1, text and IRIs one column per value; several
    texts of one question set several columns. With `skip_empty`, variables without any value are
    left out.
    """
    check_rules(scaling, missing)
    variables = [name for name in rows.variables if name != question]
    if not variables:
        raise UsageError(f"the query only selects ?{question}; select at least one feature too")

    ids, values = values_by_question(rows, question, variables)
    if not ids:
        raise DataError("no questions were selected")

    unbound = {name: values[name].unbound(len(ids)) for name in variables}
    empty = [name for name in variables if skip_empty and unbound[name] == len(ids)]
    variables = [name for name in variables if name not in empty]
    counts = {name: unbound[name] for name in variables if unbound[name]}
    widths = {name: len(values[name].texts()) for name in variables}

    # Refuse before the columns are allocated.
    if sum(max(width, 1) for width in widths.values()) * len(ids) > _MAX_CELLS:
        widest = max(widths, key=lambda name: widths[name])
        raise DataError(
            f"?{widest} has {widths[widest]:,} distinct values, too "
            "many for one column each; group them"
        )

    with collecting() as notes:
        if empty:
            names = ", ".join(f"?{name}" for name in empty)
            note(f"no question has a value of {names}; left out, not counted as 0")

        columns = [encode(name, values[name], ids) for name in variables]
        raw = np.hstack([column.values for column in columns])
        features = tuple(chain.from_iterable(column.names for column in columns))

        rows_left, raw = _apply_missing(raw, missing, counts)
        ids_left = tuple(ids[row] for row in rows_left)
        # After questions were dropped, because the rules of scaling depend on the largest and
        # smallest values.
        matrix = scale(scaling, raw, features, ids_left)
        _note_constants(columns, raw)
        _note_flat_features(features, raw, matrix, scaling)

    return Vectors(
        ids=ids_left,
        features=features,
        raw=raw,
        matrix=matrix,
        scaling=scaling,
        missing=missing,
        missing_counts=counts,
        dropped=len(ids) - len(ids_left),
        notes=tuple(notes),
    )


def label_notes(texts: Iterable[str]) -> list[str]:
    """Return a note on labels if variables or patterns count the words of labels, else none.

    >>> len(label_notes(["length"])), len(label_notes(["length", "avgEntitiesWords"]))
    (0, 1)
    """
    if not any(map(_WORDS_OF_LABELS.search, texts)):
        return []
    return [
        "Where the data do not say how many words an entity, relation or class has, its label was"
        " unknown; 'qaldgen annotate' with `labels` reads them"
    ]


def check_rules(scaling: str, missing: str) -> None:
    """Check the names of scaling and missing-value rules."""
    if scaling not in SCALINGS:
        raise UsageError(f"unknown scaling {scaling!r}; {one_of(scaling, SCALINGS)}")
    if missing not in MISSING_RULES:
        raise UsageError(
            f"unknown rule for missing values {missing!r}; {one_of(missing, MISSING_RULES)}"
        )


def _note_constants(columns: Sequence[VariableColumns], raw: Matrix) -> None:
    """Report in one note the variables that are the same for all remaining questions."""
    # with one question every feature is constant
    if len(raw) < 2:
        return

    constants = []
    start = 0
    for column in columns:
        values = raw[:, start : start + len(column.names)]
        start += len(column.names)
        if (values != values[0]).any():
            continue
        if column.names == [column.variable]:
            constant = f"{values[0, 0]:g}"
        else:
            names = [name for name, value in zip(column.names, values[0], strict=True) if value]
            categories = [repr(name.partition("=")[2]) for name in names]
            constant = ", ".join(categories) or "none of its values"
        constants.append(f"?{column.variable} is {constant}")

    if constants:
        note(
            f"{', '.join(constants)} for every question; a constant feature distinguishes no"
            " questions"
        )


def _apply_missing(
    raw: Matrix, missing: str, counts: Mapping[str, int]
) -> tuple[list[int], Matrix]:
    """Return the rows that a rule for missing values leaves, and their values without gaps."""
    unbound = np.isnan(raw)
    if missing == "drop":
        complete = np.flatnonzero(~unbound.any(axis=1))
        if len(complete) == 0:
            worst = max(counts, key=lambda name: counts[name])
            raise DataError(
                f"no question has a value for every variable; ?{worst} alone is unbound in"
                f" {counts[worst]:,} of {len(raw):,}. Use `missing='zero'` or `missing='mean'`, or"
                f" remove the variable{'. '.join(['', *label_notes([worst])])}"
            )
        return complete.tolist(), np.ascontiguousarray(raw[complete])
    if missing == "mean":
        bound = np.where(unbound, 0.0, raw)
        means = bound.sum(axis=0) / np.maximum((~unbound).sum(axis=0), 1)
        return list(range(len(raw))), np.where(unbound, means, raw)
    return list(range(len(raw))), np.where(unbound, 0.0, raw)


def _note_flat_features(features: Sequence[str], raw: Matrix, matrix: Matrix, scaling: str) -> None:
    """Report features that are nearly constant, or squeezed into a hundredth of the scale."""
    medians = np.median(raw, axis=0)
    for index, name in enumerate(features):
        # a category is 0 for most questions, which is as it should be
        if "=" in name:
            continue
        values, counts = np.unique(raw[:, index], return_counts=True)
        if len(values) < 2:
            continue
        scaled = matrix[:, index]
        low = float(np.mean(scaled - scaled.min() < LOWEST_PART * np.ptp(scaled)))
        if counts.max() >= _NEARLY_CONSTANT_SHARE * len(raw):
            share = _percent(counts.max() / len(raw))
            note(
                f"?{name} is {values[counts.argmax()]:g} for {share} "
                "of the questions: nearly constant"
            )
        elif low >= _NEARLY_CONSTANT_SHARE:
            note(
                f"?{name}: {_percent(low)} of the questions are in the lowest hundredth of the"
                f" scale after {scaling} (median {medians[index]:g}, largest {values[-1]:g}), so it"
                " hardly counts; try `scaling='log'` or `scaling='rank'`"
            )


def _percent(share: float) -> str:
    """Return a share in percent, never rounded up to 100."""
    if 0.99 < share < 1:
        return f"{min(share, 0.999):.1%}"
    return f"{share:.0%}"
