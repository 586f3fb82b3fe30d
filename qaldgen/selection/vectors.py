"""Turn the rows of a selection query into normalised feature vectors.

One column for a number, one per value of a category; each normalised, so that none outweighs the
others. Everything works on whole columns and looks at each distinct term once: tables have many
rows and few values.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pyoxigraph import BlankNode, NamedNode

from qaldgen.errors import DataError, UsageError
from qaldgen.io.arguments import one_of
from qaldgen.io.notes import collecting, note
from qaldgen.io.text import count, natural_key
from qaldgen.questions.writing import dump_records
from qaldgen.rdf.terms import Rows, Term, Value, python_value
from qaldgen.sparql.ready_queries import Query
from qaldgen.stores.local import DataSource

if TYPE_CHECKING:
    import pandas as pd

#: Questions by features, or any other table of numbers.
Matrix: TypeAlias = NDArray[np.float64]
#: Positions of questions in a table.
Indices: TypeAlias = NDArray[np.intp]
#: A mask of questions.
Flags: TypeAlias = NDArray[np.bool_]

#: Takes raw values, and returns them scaled.
Scaling: TypeAlias = Callable[[Matrix], Matrix]

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
#: The squares of larger values overflow, and deviations would be infinite.
_MAX_VALUE = 1e150
#: A feature is nearly constant if this share of the questions has one value, and flat if this share
#: is in the lowest part of its scale.
_NEARLY_CONSTANT_SHARE = 0.95
#: The size of the lowest part of a scale.
_LOWEST_PART = 0.01
#: A category with more values than this is reported, because each value becomes a column.
WIDE_CATEGORY = 50


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
        low = float(np.mean(scaled - scaled.min() < _LOWEST_PART * np.ptp(scaled)))
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


class VariableValues(NamedTuple):
    """The distinct values of a variable for each question, as pairs of a question and a value."""

    questions: Indices  # the row of the question of each pair, in ascending order
    codes: Indices  # the value of each pair, as an index of `values`
    values: list[Value]  # every value that occurs

    def texts(self) -> set[str]:
        """Return the values that are text."""
        return {value for value in self.values if isinstance(value, str)}

    def unbound(self, n_questions: int) -> int:
        """Return how many of `n_questions` questions have no value."""
        # Rows are sorted, so a change of row begins another question.
        return n_questions - int(np.count_nonzero(np.diff(self.questions, prepend=-1)))

    def of_question(self, question: int) -> list[Value]:
        """Return the values of one question."""
        return [self.values[code] for code in self.codes[self.questions == question]]


class VariableColumns(NamedTuple):
    """The columns of a variable: one for numbers, one per value of a category."""

    variable: str  # the name of the variable
    names: list[str]  # one name per column
    values: Matrix  # one row per question; NaN for unbound


def values_by_question(
    rows: Rows, question: str, variables: Sequence[str]
) -> tuple[list[str], dict[str, VariableValues]]:
    """Return the question ids in natural order, and their distinct values per variable."""
    question_column = rows.variables.index(question)
    iris = []
    for row in rows.rows:
        iri = row[question_column]
        if not isinstance(iri, NamedNode):
            value = "unbound" if iri is None else str(iri)
            raise DataError(f"?{question} is {value} in one row; every question needs an IRI")
        iris.append(iri.value)
    ids = sorted(set(iris), key=natural_key)
    index_of_id = {iri: index for index, iri in enumerate(ids)}
    question_of_row = np.fromiter((index_of_id[iri] for iri in iris), np.intp, len(iris))
    values = {}
    for name in variables:
        column = rows.variables.index(name)
        terms = [row[column] for row in rows.rows]
        values[name] = _code_values(terms, question_of_row, name=f"?{name}", iris=iris)
    return ids, values


def _code_values(
    terms: Sequence[Term | None], question_of_row: Indices, *, name: str, iris: Sequence[str]
) -> VariableValues:
    """Give every distinct value a code, and keep each value once per question.

    Messages use `name`, the name of the variable, and `iris`, the questions of the rows.
    """
    code_of_value: dict[Value, int] = {}
    code_of_term: dict[Term | None, int] = {None: -1}

    # Each distinct term is converted once: a million rows often have a dozen values.
    for term in dict.fromkeys(terms):
        if isinstance(term, BlankNode):
            iri = iris[terms.index(term)]
            raise DataError(
                f"{name} is a blank node, which has no name; select a resource that it leads to",
                where=iri,
            )
        if term is not None:
            value = python_value(term)
            code_of_term[term] = code_of_value.setdefault(value, len(code_of_value))

    codes = np.fromiter((code_of_term[term] for term in terms), np.intp, len(terms))
    bound = codes >= 0
    n_values = max(len(code_of_value), 1)

    # a pair as one number, so that sorting and removing duplicates are single operations
    pairs = np.sort(question_of_row[bound] * n_values + codes[bound])
    pairs = pairs[np.diff(pairs, prepend=-1) != 0]
    return VariableValues(pairs // n_values, pairs % n_values, list(code_of_value))


def encode(variable: str, values: VariableValues, ids: Sequence[str]) -> VariableColumns:
    """Encode a variable as one column of numbers, or one per value if it is categorical."""
    texts = values.texts()
    if texts and len(texts) < len(values.values):
        is_text = np.array([isinstance(value, str) for value in values.values])
        row = int(values.questions[is_text[values.codes]][0])
        text = min(value for value in values.of_question(row) if isinstance(value, str))
        raise DataError(
            f"?{variable} is a number for some questions and text for others ({ids[row]} has"
            f" {text!r}); exclude the text with FILTER(isNumeric(?{variable})), or convert all"
            f" values to text with STR(?{variable})"
        )
    if texts:
        return _encode_category(variable, values, len(ids))
    return _encode_number(variable, values, ids)


def _encode_number(variable: str, values: VariableValues, ids: Sequence[str]) -> VariableColumns:
    """Return the column of a number, which every question may have once only."""
    numbers = np.array([float(value) for value in values.values])
    has_several = np.bincount(values.questions, minlength=len(ids)) > 1
    is_invalid = ~np.isfinite(numbers)[values.codes] | has_several[values.questions]
    if is_invalid.any():
        row = int(values.questions[is_invalid][0])
        row_values = [float(value) for value in values.of_question(row)]
        for value in row_values:
            if not np.isfinite(value):
                raise DataError(
                    f"{ids[row]}: ?{variable} is {value}; distances need finite numbers; exclude it"
                    " with a FILTER"
                )
        examples = ", ".join(f"{value:g}" for value in sorted(row_values)[:3])
        raise DataError(
            f"{ids[row]} has {len(row_values)} values of ?{variable} ({examples}), but a number"
            f" needs exactly one: aggregate it, for instance (MAX(?{variable}) AS ?{variable}Max)"
            " ... GROUP BY"
        )

    column = np.full((len(ids), 1), np.nan)
    column[values.questions, 0] = numbers[values.codes]
    return VariableColumns(variable, [variable], column)


def _encode_category(variable: str, values: VariableValues, n_questions: int) -> VariableColumns:
    """Return a column for each value of a category: 1 where a question has the value."""
    categories = sorted(values.texts(), key=natural_key)
    index_of_category = {category: index for index, category in enumerate(categories)}
    columns = np.array([index_of_category[str(value)] for value in values.values], dtype=np.intp)
    matrix = np.full((n_questions, len(categories)), np.nan)
    # Only questions with a value; the others stay NaN, as unbound.
    matrix[values.questions] = 0.0
    matrix[values.questions, columns[values.codes]] = 1.0

    if len(categories) > WIDE_CATEGORY:
        note(
            f"?{variable} has {len(categories):,} values, each with its own column, and outweighs"
            " the other features; group them"
        )
    # Numbers without a datatype arrive as text, as from CSV.
    if all(re.fullmatch(r"[+-]?[0-9]*\.?[0-9]+", category) for category in categories):
        note(
            f"?{variable} is text that looks like numbers and is treated as categorical; convert it"
            f" with (xsd:decimal(?{variable}) AS ?n)"
        )

    # Local names of IRIs read better, but two namespaces may share one.
    namespace = re.compile(r"\A[a-zA-Z][\w+.-]*:.*[/#]", re.DOTALL)
    names = [namespace.sub("", name) for name in categories]
    if len(set(names)) < len(names) or not all(names):
        names = categories

    return VariableColumns(variable, [f"{variable}={name}" for name in names], matrix)


def scale_max(raw: Matrix) -> Matrix:
    """Divide each column by its largest value (QaldGen, Section 2.2); a column of zeros stays."""
    return raw / _replace_zeros(raw.max(axis=0))


def scale_minmax(raw: Matrix) -> Matrix:
    """Map each column to 0..1 by its minimum and maximum; a constant column becomes 0."""
    low: Matrix = raw.min(axis=0)
    return np.asarray((raw - low) / _replace_zeros(raw.max(axis=0) - low))


def scale_rank(raw: Matrix) -> Matrix:
    """Replace each value by its rank in the column, mapped to 0..1; ties share their mean rank."""
    from scipy.stats import rankdata

    if len(raw) < 2:
        return np.zeros_like(raw)
    return np.asarray((rankdata(raw, method="average", axis=0) - 1.0) / (len(raw) - 1))


def scale_log(raw: Matrix) -> Matrix:
    """Take log(1 + x) and divide each column by its maximum."""
    logarithm = np.log1p(raw)
    return logarithm / _replace_zeros(logarithm.max(axis=0))


def scale_zscore(raw: Matrix) -> Matrix:
    """Subtract the mean of each column and divide by its standard deviation (ddof = 1).

    A constant column becomes 0.
    """
    if len(raw) < 2:
        return np.zeros_like(raw)
    # exactly constant: the mean of equal numbers can differ from them in the last bit
    constant = raw.min(axis=0) == raw.max(axis=0)
    centred = np.where(constant, 0.0, raw - raw.mean(axis=0))
    return centred / _replace_zeros(np.where(constant, 0.0, raw.std(axis=0, ddof=1)))


#: The scalings by name.
SCALINGS: dict[str, Scaling] = {
    "max": scale_max,
    "minmax": scale_minmax,
    "rank": scale_rank,
    "log": scale_log,
    "zscore": scale_zscore,
}
#: Those that need values of at least 0.
_FOR_POSITIVE = frozenset({"max", "log"})


def scale(name: str, raw: Matrix, features: Sequence[str], ids: Sequence[str]) -> Matrix:
    """Normalise finite values with the named scaling; refuse values that it cannot take."""
    large = np.argwhere(np.abs(raw) > _MAX_VALUE)
    if len(large):
        row, column = large[0]
        raise DataError(
            f"?{features[column]} is {raw[row, column]:g} for {ids[row]}; features are numbers up"
            f" to {_MAX_VALUE:g} in size; correct the value, or leave the feature out of the query"
        )
    negative = np.argwhere(raw < 0)
    if name in _FOR_POSITIVE and len(negative):
        row, column = negative[0]
        raise DataError(
            f"?{features[column]} is {raw[row, column]:g} for {ids[row]}; scaling {name} needs"
            " values of at least 0; use the `scaling` minmax, rank or zscore"
        )
    return SCALINGS[name](raw)


class Components(NamedTuple):
    """The first two principal components of a matrix."""

    points: Matrix  # the coordinates of its rows, shape (rows, 2)
    shares: Matrix  # of the variance, shape (2,)
    loadings: Matrix  # of its columns, shape (2, columns)


def principal_components(matrix: Matrix) -> Components:
    """Return the first two principal components of a matrix.

    The columns are centred but not scaled; the largest loading of each component is positive.

    >>> components = principal_components(np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> components.points.round(3).tolist(), components.shares.tolist()
    ([[-0.707, 0.0], [0.707, 0.0]], [1.0, 0.0])
    """
    centred = matrix - matrix.mean(axis=0)
    # scikit-learn's PCA takes a second to import
    _, lengths, axes = np.linalg.svd(np.linalg.qr(centred, mode="r"), full_matrices=False)
    lengths = np.where(lengths > 1e-9 * max(1.0, float(np.abs(matrix).max())), lengths, 0.0)
    total = float(np.sum(lengths**2)) or 1.0
    loadings = np.zeros((2, matrix.shape[1]))
    shares = np.zeros(2)
    for index in range(min(2, int(np.count_nonzero(lengths)))):
        sign = np.sign(axes[index, np.abs(axes[index]).round(9).argmax()])
        loadings[index] = axes[index] * sign
        shares[index] = lengths[index] ** 2 / total
    return Components((centred @ loadings.T).round(9) + 0.0, shares, loadings)


def column_deviations(values: Matrix) -> Matrix:
    """Return the standard deviation of each column (ddof = 1, or 0 for a single row)."""
    return np.asarray(values.std(axis=0, ddof=1 if len(values) > 1 else 0))


def spread_table(features: Sequence[str], raw: Matrix, matrix: Matrix) -> pd.DataFrame:
    """Describe each feature, before and after scaling: range, median, deviation, distinct values.

    ``scaled_low`` is the share of questions in the lowest hundredth of the scaled range.
    """
    import pandas as pd

    low = matrix.min(axis=0)
    narrow = matrix - low < _LOWEST_PART * _replace_zeros(matrix.max(axis=0) - low)
    return pd.DataFrame(
        {
            "min": raw.min(axis=0),
            "median": np.median(raw, axis=0),
            "max": raw.max(axis=0),
            "std": column_deviations(raw),
            "distinct": [len(np.unique(column)) for column in raw.T],
            "scaled_median": np.median(matrix, axis=0),
            "scaled_std": column_deviations(matrix),
            "scaled_low": narrow.mean(axis=0),
        },
        index=pd.Index(features, name="feature"),
    )


def _replace_zeros(divisor: Matrix) -> Matrix:
    """Replace zeros by ones, so that columns can be divided by them."""
    return np.where(divisor == 0.0, 1.0, divisor)
