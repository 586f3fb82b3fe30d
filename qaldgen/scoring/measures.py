"""The measures: which columns of the counts each adds up, and a formula over the sums.

The counts of the questions hold everything that a measure adds up, so resampling and slicing never
look at an answer again.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from qaldgen.defaults import DECIMALS
from qaldgen.errors import DataError, UsageError
from qaldgen.io.arguments import one_of
from qaldgen.io.extensions import ExtensionWarning, Table
from qaldgen.io.text import one_line
from qaldgen.scoring.mean_bounds import Array

if TYPE_CHECKING:
    import pandas as pd

#: One weight for each row of the counts; only their proportions matter. None for equal weights.
Weights: TypeAlias = "Sequence[float] | None"
#: Takes totals of shape (..., columns) and the sum of the weights, of shape (...); returns shape
#: (...), NaN where the measure is undefined.
Formula: TypeAlias = Callable[[Array, Array], Array]
#: What the wordings of a question vary in.
ACROSS = ("language", "wording")
#: An F1 of at least this is right: tables of scores are rounded.
RIGHT = 1 - 1e-6


def total(values: Iterable[float], weights: Weights = None) -> float:
    """Return the sum, added in order.

    Plain additions, as in Java: ``sum`` compensates rounding errors since Python 3.12, and numpy
    adds in pairs, so that the last bits would differ from GERBIL's.

    >>> total([0.1] * 3), total([1, 3], [2, 0.5])
    (0.30000000000000004, 3.5)
    """
    result = 0.0
    if weights is not None:
        values = [value * weight for value, weight in zip(values, weights, strict=True)]
    for value in values:
        result += value
    return result


def ratio(numerator: Array, denominator: Array, fallback: float = math.nan) -> Array:
    """Divide, with a fixed result for division by 0."""
    shape = np.broadcast_shapes(numerator.shape, denominator.shape)
    return np.asarray(
        np.divide(numerator, denominator, out=np.full(shape, fallback), where=denominator > 0.0)
    )


def mean(totals: Array, weight: Array) -> Array:
    """Return the mean of the first column."""
    return ratio(totals[..., 0], weight)


def _ratio_of_columns(totals: Array, _weight: Array) -> Array:
    return ratio(totals[..., 0], totals[..., 1])


def _harmonic_mean(precision: Array, recall: Array, fallback: float = math.nan) -> Array:
    return ratio(2.0 * precision * recall, precision + recall, fallback)


def micro_precision(totals: Array, _weight: Array) -> Array:
    """Return tp / (tp + fp) of totals; 1 if there are neither gold answers nor given ones."""
    return _share_of_tp(totals, totals[..., 1])


def micro_recall(totals: Array, _weight: Array) -> Array:
    """Return tp / (tp + fn) of totals; 1 if there are neither gold answers nor given ones."""
    return _share_of_tp(totals, totals[..., 2])


def micro_f1(totals: Array, weight: Array) -> Array:
    """Return the harmonic mean of micro precision and micro recall."""
    return _harmonic_mean(micro_precision(totals, weight), micro_recall(totals, weight), 0.0)


def _share_of_tp(totals: Array, n_wrong: Array) -> Array:
    shares = ratio(totals[..., 0], totals[..., 0] + n_wrong, 0.0)
    return np.where(np.abs(totals).sum(axis=-1) == 0.0, 1.0, shares)


def f1_qald(totals: Array, weight: Array) -> Array:
    """Return GERBIL's Macro F1 QALD."""
    return _harmonic_mean(ratio(totals[..., 0], weight), ratio(totals[..., 1], weight))


def precision_qald(counts: pd.DataFrame) -> pd.Series[float]:
    """Return GERBIL's precision for Macro F1 QALD: 1 where gold answers got no answer at all."""
    is_unanswered = (counts["tp"] == 0) & (counts["fp"] == 0) & (counts["fn"] > 0)
    return counts["precision"].astype(float).mask(is_unanswered, 1.0)


def accuracy_by_question(counts: pd.DataFrame) -> pd.Series[float]:
    """Return the share of right answers in the union of gold and given ones; 1 if it is empty.

    The accuracy of multi-label classification (S. Godbole and S. Sarawagi, PAKDD 2004).
    """
    union = counts["tp"] + counts["fp"] + counts["fn"]
    return (counts["tp"] / union.where(union > 0)).fillna(1.0)


def is_answered(counts: pd.DataFrame) -> pd.Series[bool]:
    """Return whether each question got an answer, judged or not."""
    return counts["status"].isin(["answered", "not judged"])


def accuracy_if_answered(counts: pd.DataFrame) -> pd.Series[float]:
    """Return the accuracy of each question that got an answer; 0 for the others."""
    return accuracy_by_question(counts).where(is_answered(counts), 0.0)


#: Computes a column from the counts.
MakeColumn: TypeAlias = "Callable[[pd.DataFrame], pd.Series[float] | pd.Series[bool]]"


class Column(NamedTuple):
    """A column that a measure adds up: one of the counts, or one computed from them.

    Attributes
    ----------
    name : str
        Its name in the counts.
    make : callable or None
        Computes it from counts that do not have it; None if all counts have it.
    """

    name: str
    make: MakeColumn | None = None


class Measure(NamedTuple):
    """One number about many questions.

    Attributes
    ----------
    label : str
        Its name in tables; for GERBIL's measures the name that GERBIL uses.
    definition : str
        What it is, in one line.
    columns : tuple of Column
        The columns that are added up.
    formula : callable
        Computes it from the totals.
    worst, best : tuple of float
        The columns of a question of size 1 that was answered as badly or as well as possible.
    is_mean : bool
        Whether it is the mean of a score per question, within `bounds`.
    bounds : tuple of float
        Least and largest value.
    right, size : tuple of float
        For a ratio of sums of tp, fp and fn: how often each counts in the numerator and in the
        denominator; empty for all other measures.
    gerbil : str
        Its property in GERBIL's vocabulary; empty if it has none.
    higher_is_better : bool
        Whether the system with the higher value is ahead; not so for shares of mistakes.
    matcher : str
        The matcher that fills its column; empty if all do.
    """

    label: str
    definition: str
    columns: tuple[Column, ...]
    formula: Formula
    worst: tuple[float, ...]
    best: tuple[float, ...]
    is_mean: bool = False
    bounds: tuple[float, float] = (0.0, 1.0)
    right: tuple[float, ...] = ()
    size: tuple[float, ...] = ()
    gerbil: str = ""
    higher_is_better: bool = True
    matcher: str = ""

    def of(self, counts: pd.DataFrame, weights: Weights = None) -> float:
        """Return the measure of the counts of a run, equal to GERBIL's to the last bit.

        Parameters
        ----------
        counts
            One row per question.
        weights
            One weight per row; None for equal weights.

        Returns
        -------
        float
            NaN if it is undefined.

        Raises
        ------
        DataError
            If a column that it needs is absent, or a value is missing.

        Examples
        --------
        >>> import pandas as pd
        >>> counts = pd.DataFrame({"tp": [1, 0], "fp": [0, 2], "fn": [0, 1]})
        >>> from qaldgen.scoring.measures import MEASURES
        >>> MEASURES["micro-f1"].of(counts)
        0.4
        """
        columns = summed_columns(counts, self)
        totals = [total(column.tolist(), weights) for column in columns.T]
        weight = float(len(columns)) if weights is None else total(weights)
        return float(self.formula(np.array(totals), np.array(weight)))

    def value_or_zero(self, totals: Array, weight: Array) -> Array:
        """Return the measure for many totals at once, for resampling.

        Parameters
        ----------
        totals
            Shape (..., columns).
        weight
            The sums of the weights, shape (...).

        Returns
        -------
        Array
            Shape (...); 0 where it is undefined.
        """
        return np.asarray(np.nan_to_num(self.formula(totals, weight), nan=0.0))

    def of_each(self, counts: pd.DataFrame) -> pd.Series[float]:
        """Return the measure of each question alone.

        Parameters
        ----------
        counts
            One row per question.

        Returns
        -------
        pandas.Series
            By question; 0 where it is undefined.

        Examples
        --------
        >>> import pandas as pd
        >>> counts = pd.DataFrame({"tp": [1, 0], "fp": [1, 2], "fn": [0, 1]})
        >>> from qaldgen.scoring.measures import MEASURES
        >>> MEASURES["accuracy"].of_each(counts).tolist()
        [0.5, 0.0]
        """
        import pandas as pd

        values = self.value_or_zero(summed_columns(counts, self), np.ones(len(counts)))
        return pd.Series(values, index=counts.index)


def mean_of(
    column: str,
    label: str,
    definition: str,
    make: MakeColumn | None = None,
    *,
    gerbil: str = "",
    higher_is_better: bool = True,
) -> Measure:
    """Return a measure: the mean of a column over questions.

    Parameters
    ----------
    column
        Its name in the counts.
    label, definition
        See `Measure`.
    make
        Computes the column from counts that do not have it.
    gerbil
        Its property in GERBIL's vocabulary.
    higher_is_better
        False for a share of mistakes: the system with less of it is ahead.

    Returns
    -------
    Measure
        A measure with values from 0 to 1.

    Examples
    --------
    >>> import pandas as pd
    >>> silent = mean_of("silent", "Silent", "share without answers", lambda c: c["returned"] == 0)
    >>> silent.of(pd.DataFrame({"returned": [1, 0, 0, 2]}))
    0.5
    """
    worst, best = (0.0, 1.0) if higher_is_better else (1.0, 0.0)
    return Measure(
        label,
        definition,
        columns=(Column(column, make),),
        formula=mean,
        worst=(worst,),
        best=(best,),
        is_mean=True,
        gerbil=gerbil,
        higher_is_better=higher_is_better,
    )


def summed_columns(counts: pd.DataFrame, measure: Measure) -> Array:
    """Return the columns that a measure adds up.

    >>> import pandas as pd
    >>> counts = pd.DataFrame({"tp": [1, 0], "fp": [0, 2], "fn": [0, 1]})
    >>> from qaldgen.scoring.measures import find_measure
    >>> measure = find_measure("micro-f1", counts)
    >>> summed_columns(counts, measure).sum(axis=0).tolist()
    [1.0, 2.0, 1.0]
    """
    columns = []
    for column in measure.columns:
        try:
            # if questions have several answers, the counts have its means already
            if column.make is not None and column.name not in counts.columns:
                values = np.asarray(column.make(counts), dtype=np.float64)
            else:
                values = np.asarray(counts[column.name], dtype=np.float64)
        except KeyError as error:
            matcher = f"`match={measure.matcher!r}`, which" if measure.matcher else "a matcher that"
            raise DataError(
                f"the counts have no column {error.args[0]!r}, which {measure.label} needs; score"
                f" the run first, by {matcher} fills it"
            ) from error
        missing = np.flatnonzero(np.isnan(values))
        if len(missing):
            raise DataError(
                f"question {counts.index[int(missing[0])]}: {column.name} is missing;"
                " every question needs a score (0 where none was earned)"
            )
        columns.append(values)
    return np.column_stack(columns)


def weights_in(weights: pd.Series[float] | None, counts: pd.DataFrame) -> Weights:
    """Return the weights of questions in the order of their counts, as `Measure.of` takes them."""
    if weights is None:
        return None
    return weights.loc[counts.index].tolist()


def _micro(
    label: str, definition: str, formula: Formula, size: tuple[float, float, float], gerbil: str
) -> Measure:
    """Return the measure `size[0]` * tp / (`size[0]` * tp + `size[1]` * fp + `size[2]` * fn)."""
    # `worst` and `best` are of a question of size 1: the answers to a wrong one are false positives
    # and negatives, those to a right one true positives
    wrong_size = size[1] + size[2]
    return Measure(
        label,
        definition,
        columns=(Column("tp"), Column("fp"), Column("fn")),
        formula=formula,
        worst=(0.0, size[1] / wrong_size, size[2] / wrong_size),
        best=(1.0 / size[0], 0.0, 0.0),
        right=(size[0], 0.0, 0.0),
        size=size,
        gerbil=gerbil,
    )


def _share_with_outcome(column: str, label: str, definition: str) -> Measure:
    return mean_of(column, label, f"share of questions {definition}", higher_is_better=False)


_BUILTIN = {
    "micro-precision": _micro(
        "Micro Precision", "right answers / all answers given, over all questions together",
        micro_precision, (1.0, 1.0, 0.0), "microPrecision",
    ),
    "micro-recall": _micro(
        "Micro Recall", "right answers / all gold answers, over all questions together",
        micro_recall, (1.0, 0.0, 1.0), "microRecall",
    ),
    "micro-f1": _micro(
        "Micro F1 score", "harmonic mean of Micro Precision and Micro Recall", micro_f1,
        (2.0, 1.0, 1.0), "microF1"
    ),
    "macro-precision": mean_of(
        "precision", "Macro Precision",
        "mean precision of the questions; 0 where a question with answers got none",
        gerbil="macroPrecision",
    ),
    "macro-recall": mean_of("recall", "Macro Recall", "mean recall of the questions",
        gerbil="macroRecall"),
    "macro-f1": mean_of(
        "f1", "Macro F1 score",
        "mean F1 of the questions, not the harmonic mean of the two numbers above", gerbil="macroF1"
    ),
    "macro-f1-qald": Measure(
        "Macro F1 QALD",
        "harmonic mean of mean precision and mean recall; an empty answer has precision 1",
        (Column("precision_qald", precision_qald), Column("recall")), f1_qald,
        worst=(0.0, 0.0), best=(1.0, 1.0), gerbil="macroF1QALD",
    ),
    "accuracy": mean_of(
        "share_right", "Accuracy",
        "mean of right answers / (gold answers and answers given, each counted once)",
        accuracy_by_question,
    ),
    "exact-match": mean_of(
        "exact", "Exact match", "share of questions with all gold answers and no other",
        lambda counts: (counts["fp"] == 0) & (counts["fn"] == 0),
    ),
    "hit-at-1": mean_of("hit", "Hit@1", "share of questions whose first answer is right"),
    "coverage": mean_of(
        "answered", "Coverage",
        "share of questions that got at least one answer, right or wrong; \"I don't know\" is none",
        is_answered,
    ),
    "selective-accuracy": Measure(
        "Accuracy if answered", "mean accuracy of the questions that got an answer",
        (Column("right_answered", accuracy_if_answered), Column("answered", is_answered)),
        _ratio_of_columns, worst=(0.0, 1.0), best=(1.0, 1.0),
    ),
}  # fmt: skip
#: Every measure, by name; the first seven are GERBIL's. Other packages can add some by the entry
#: point group qaldgen.measures. A measure of one matcher is named like the column that it adds
#: (`MatcherKind.extra_columns`), and is shown only for it.
MEASURES = Table("measures", Measure, _BUILTIN)


#: Measures of outcomes, which add up the columns of `qaldgen.scoring.mistakes`; shown only on
#: demand.
OUTCOME_MEASURES = {
    "understood": mean_of(
        "understood", "Understood",
        "share of questions whose answer is right, partly right, or of the right type",
        lambda counts: counts["right"] + counts["partly"] + counts["right_type"],
    ),
    "wrong-kind": _share_with_outcome("wrong_kind", "Wrong kind",
        "answered with the wrong kind, such as a date for a resource"),
    "untyped": _share_with_outcome("untyped", "Untyped",
        "answered wrongly, where the type of the answer or gold answer is unknown"),
    "right-type": _share_with_outcome("right_type", "Right type, wrong fact",
        "answered wrongly with the right type"),
    "related-type": _share_with_outcome("related_type", "Related type",
        "answered with a type that shares a superclass with the right one"),
    "wrong-type": _share_with_outcome("wrong_type", "Wrong type",
        "answered with an unrelated type"),
    "tcbw": Measure(
        "Right type of typed",
        "share of the right type among wrong answers whose kind or type is known",
        (Column("right_type"), Column("typed_wrong")), _ratio_of_columns,
        worst=(0.0, 1.0), best=(1.0, 1.0),
    ),
}  # fmt: skip

#: Measures of questions that were asked in several languages or wordings, which add up the columns
#: of `agreement_columns`; shown where the counts have these.
WORDING_MEASURES = {
    "consistency": Measure(
        "Consistency",
        "share right in every wording or language among the questions right in any",
        (Column("consistent"), Column("inconsistent"), Column("never_right")),
        lambda totals, _: ratio(totals[..., 0], totals[..., 0] + totals[..., 1]),
        worst=(0.0, 1.0, 0.0), best=(1.0, 0.0, 0.0),
        right=(1.0, 0.0, 0.0), size=(1.0, 1.0, 0.0),
    ),
    "inconsistent": mean_of(
        "inconsistent", "Inconsistent",
        "share of questions right in one wording or language and wrong in another",
        higher_is_better=False,
    ),
}  # fmt: skip


def known_measures() -> dict[str, Measure]:
    """Return every measure by name, those of `OUTCOME_MEASURES` and `WORDING_MEASURES` last."""
    return dict(MEASURES.items()) | OUTCOME_MEASURES | WORDING_MEASURES


def _known_measure(name: str) -> Measure | None:
    for table in (OUTCOME_MEASURES, WORDING_MEASURES, MEASURES):
        if name in table:
            return table[name]
    return None


def find_measure(name: str, counts: pd.DataFrame | None = None) -> Measure:
    """Return a measure by its name; with counts also the mean of one of their columns.

    >>> import pandas as pd
    >>> find_measure("micro-f1").label, find_measure("right-type").label
    ('Micro F1 score', 'Right type, wrong fact')
    >>> find_measure("hit", pd.DataFrame({"hit": [1.0]})).definition
    'mean of hit'
    """
    measure = _known_measure(name)
    if measure is not None:
        return measure
    if counts is None:
        raise UsageError(f"unknown measure {name!r}; {one_of(name, known_measures())}")
    if name in counts.columns:
        has_negative = bool((counts[name] < 0).any())
        bounds = (-1.0 if has_negative else 0.0, 1.0)
        return mean_of(name, name, f"mean of {name}")._replace(bounds=bounds)
    choices = list(MEASURES) + [str(name) for name in counts.columns]
    raise UsageError(f"unknown measure {name!r}; {one_of(name, choices)}")


def higher_is_better(name: str) -> bool:
    """Return whether the system with the higher value is ahead, as it is for any column of counts.

    >>> higher_is_better("macro-f1"), higher_is_better("wrong-type")
    (True, False)
    """
    measure = _known_measure(name)
    return measure is None or measure.higher_is_better


def available_measures(counts: pd.DataFrame) -> list[str]:
    """Return the names of the measures that can be computed from counts.

    A measure of one matcher is among them if the counts have its column. A measure of another
    package that cannot be computed is left out, with a warning.

    >>> import pandas as pd
    >>> available_measures(pd.DataFrame(columns=["tp", "fp", "fn"]))[0]
    'micro-precision'
    """
    measures = dict(MEASURES.items())
    names = [name for name in measures if not measures[name].matcher and _can_compute(name, counts)]
    names += [name for name in counts.columns if name in measures and measures[name].matcher]
    if "inconsistent" in counts.columns:
        names += list(WORDING_MEASURES)
    return names


def duplicates_of_accuracy(values: Mapping[str, Sequence[float]]) -> list[str]:
    """Return the measures whose values equal accuracy as it is printed.

    >>> duplicates_of_accuracy({"macro-f1": [0.5], "accuracy": [0.50001], "coverage": [1.0]})
    ['macro-f1']
    """
    printed = {}
    for name, row in values.items():
        printed[name] = [f"{value:.{DECIMALS}f}" for value in row]
    accuracy = printed.pop("accuracy", None)
    return [name for name, row in printed.items() if row == accuracy]


def duplicates_note(names: Iterable[str]) -> str:
    """Say which measures have the same values as accuracy."""
    return f"the same as Accuracy: {', '.join(find_measure(name).label for name in names)}"


def _can_compute(name: str, counts: pd.DataFrame) -> bool:
    """Return whether a measure can be computed; warn if one of another package cannot."""
    if name in _BUILTIN:  # if one of ours fails, nothing may hide it
        return True
    try:
        columns = summed_columns(counts, MEASURES[name])
        MEASURES[name].value_or_zero(columns.sum(axis=0), np.array(float(len(counts))))
    except Exception as error:  # one broken package must not affect the other measures
        warnings.warn(
            f"qaldgen.measures: {name!r} is left out: it cannot be computed"
            f" ({type(error).__name__}: {one_line(str(error))})",
            ExtensionWarning,
            stacklevel=2,
        )
        return False
    return True


def agreement_columns(table: pd.DataFrame) -> pd.DataFrame:
    """Return for each row of scores 1 in the column that applies: all, some or none is right."""
    import pandas as pd

    n_right = (table >= RIGHT).sum(axis=1)
    all_right = n_right == table.notna().sum(axis=1)
    none_right = n_right == 0
    columns = {
        "consistent": all_right & ~none_right,
        "inconsistent": ~all_right & ~none_right,
        "never_right": none_right,
    }
    return pd.DataFrame(columns, dtype=int)


def computed_columns(counts: pd.DataFrame) -> dict[str, pd.Series[float] | pd.Series[bool]]:
    """Return the columns that measures compute from the counts, by name.

    >>> import pandas as pd
    >>> answers = pd.DataFrame({"tp": [1], "fp": [1], "fn": [0], "precision": [0.5]})
    >>> computed_columns(answers.assign(status="answered"))["share_right"].tolist()
    [0.5]
    """
    columns: dict[str, pd.Series[float] | pd.Series[bool]] = {}
    for name, measure in MEASURES.items():
        functions = {column.name: column.make for column in measure.columns if column.make}
        if functions and _can_compute(name, counts):
            columns |= {column: make(counts) for column, make in functions.items()}
    return columns
