"""Measures: functions of weighted sums over questions, each one row of one table.

Reports, slices, comparisons, intervals and exports all start from `MEASURES`. The counts of the
questions hold everything that a measure adds up, so resampling and slicing never look at an answer
again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from qaldgen.errors import DataError, UsageError
from qaldgen.io.extensions import Table
from qaldgen.io.names import one_of
from qaldgen.scoring.formulas import (
    Array,
    Formula,
    Weights,
    f1_qald,
    mean,
    micro_f1,
    micro_precision,
    micro_recall,
    precision_qald,
    ratio,
    share_right,
    total,
)

if TYPE_CHECKING:
    import pandas as pd

#: Makes a column from the counts.
Make: TypeAlias = "Callable[[pd.DataFrame], pd.Series[float] | pd.Series[bool]]"


class Column(NamedTuple):
    """A column that a measure adds up: one of the counts, or one made from them.

    Attributes
    ----------
    name : str
        Its name in the counts.
    make : callable or None
        Makes it from counts without it; None if the counts always have it.
    """

    name: str
    make: Make | None = None


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
        >>> MEASURES["micro-f1"].of(counts)
        0.4
        """
        totals = [total(column.tolist(), weights) for column in parts(counts, self).T]
        weight = float(len(counts)) if weights is None else total(weights)
        return float(self.formula(np.array(totals), np.array(weight)))

    def value(self, totals: Array, weight: Array) -> Array:
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
            By question.

        Examples
        --------
        >>> import pandas as pd
        >>> counts = pd.DataFrame({"tp": [1, 0], "fp": [1, 2], "fn": [0, 1]})
        >>> MEASURES["accuracy"].of_each(counts).tolist()
        [0.5, 0.0]
        """
        import pandas as pd

        return pd.Series(self.value(parts(counts, self), np.ones(len(counts))), index=counts.index)


def mean_of(
    column: str, label: str, definition: str, make: Make | None = None, *, gerbil: str = ""
) -> Measure:
    """Return the mean over questions of a column.

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
    return Measure(
        label,
        definition,
        (Column(column, make),),
        mean,
        (0.0,),
        (1.0,),
        is_mean=True,
        gerbil=gerbil,
    )


def _micro(
    label: str, definition: str, formula: Formula, size: tuple[float, float, float], gerbil: str
) -> Measure:
    """Return a micro measure: right answers (tp) over all answers, both counted `size[0]` times."""
    # Scaled to a question of size 1, as `worst` and `best` have to be: the answers of a wrong
    # question are false positives and negatives, those of a right one true positives.
    often, wrong = size[0], size[1] + size[2]
    worst, best = (0.0, size[1] / wrong, size[2] / wrong), (1.0 / often, 0.0, 0.0)
    columns = (Column("tp"), Column("fp"), Column("fn"))
    return Measure(
        label,
        definition,
        columns,
        formula,
        worst,
        best,
        right=(often, 0.0, 0.0),
        size=size,
        gerbil=gerbil,
    )


_OURS = {
    "micro-precision": _micro(
        "Micro Precision", "right answers of all answers given, over all questions together",
        micro_precision, (1.0, 1.0, 0.0), "microPrecision",
    ),
    "micro-recall": _micro(
        "Micro Recall", "right answers of all gold answers, over all questions together",
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
        "harmonic mean of mean precision and mean recall, silence counting as precision 1",
        (Column("precision_qald", precision_qald), Column("recall")), f1_qald, (0.0, 0.0),
        (1.0, 1.0), gerbil="macroF1QALD",
    ),
    "accuracy": mean_of(
        "share_right", "Accuracy",
        "mean of right answers / (gold answers and answers given, each counted once)", share_right
    ),
    "exact-match": mean_of(
        "exact", "Exact match", "share of questions with all gold answers and no other",
        lambda counts: (counts["fp"] == 0) & (counts["fn"] == 0),
    ),
    "hit-at-1": mean_of("hit", "Hit@1", "share of questions whose first answer is right"),
    "coverage": mean_of(
        "answered", "Coverage", "share of questions that got at least one answer, right or wrong",
        lambda counts: counts["status"] == "answered",
    ),
}  # fmt: skip
#: Every measure, by name; the first seven are GERBIL's. Other packages can add some by the entry
#: point group qaldgen.measures.
MEASURES = Table("measures", Measure, _OURS)
#: Means of columns that only certain matchers fill (`MatcherKind.beside`), by the column; they are
#: shown only for these matchers.
BESIDE = {
    "same_text": mean_of(
        "same_text", "Same text", "share of answers that are an accepted wording but for case"
    ),
    "shuffled": mean_of(
        "shuffled",
        "Shuffled gold",
        "what gold answers score, shuffled within the type of the answer",
    ),
    "chance": mean_of(
        "chance", "Chance level", "what a gold answer to another question of the same type scores"
    ),
    **{
        name: mean_of(name, name, f"mean over questions of {name}, by ir_measures")
        for name in (
            *("accuracy@1", "accuracy@5", "accuracy@10", "accuracy@100"),
            *("recall@10", "recall@100", "mrr@10", "ndcg@10"),
        )
    },
}


def known_measures() -> dict[str, Measure]:
    """Return every measure by name.

    Including those of `BESIDE` and `BY_OUTCOME`, whose columns not all counts have.
    """
    return {**MEASURES, **BESIDE, **BY_OUTCOME}


def higher_is_better(name: str) -> bool:
    """Tell whether the system with the higher value is ahead.

    Parameters
    ----------
    name
        A name in `known_measures`, or a column of the counts; more of a column is better.

    Examples
    --------
    >>> higher_is_better("macro-f1"), higher_is_better("wrong-type")
    (True, False)
    """
    measure = known_measures().get(name)
    return measure is None or measure.higher_is_better


def available(counts: pd.DataFrame) -> list[str]:
    """Return the names of the measures of counts.

    Those of `MEASURES`, and those of `BESIDE` whose column a matcher filled.

    Parameters
    ----------
    counts
        The counts of a run.

    Returns
    -------
    list[str]
        In the order of the tables.

    Examples
    --------
    >>> import pandas as pd
    >>> available(pd.DataFrame(columns=["tp", "fp", "fn", "chance"]))[-2:]
    ['coverage', 'chance']
    """
    return [*MEASURES, *(name for name in BESIDE if name in counts.columns)]


def _of_outcome(column: str, label: str, definition: str) -> Measure:
    mistakes = mean_of(column, label, f"share of questions {definition}")
    return mistakes._replace(worst=(1.0,), best=(0.0,), higher_is_better=False)


#: Measures of the mistakes, which count the columns of `qaldgen.scoring.outcomes`; shown only on
#: demand.
BY_OUTCOME = {
    "understood": mean_of(
        "understood", "Understood",
        "share of questions whose answer is right, in part right, or of the right type",
        lambda counts: counts["right"] + counts["partly"] + counts["right_type"],
    ),
    "wrong-kind": _of_outcome("wrong_kind", "Wrong kind",
        "answered with another kind: a date for a resource, ..."),
    "untyped": _of_outcome("untyped", "Untyped",
        "with a wrong answer of which no type is known, or of the gold answer"),
    "right-type": _of_outcome("right_type", "Right type, wrong fact",
        "answered wrongly with the right type"),
    "related-type": _of_outcome("related_type", "Related type",
        "answered with a type that has a superclass in common"),
    "wrong-type": _of_outcome("wrong_type", "Wrong type",
        "answered with a type that is not related"),
    "tcbw": Measure(
        "Right type of typed",
        "wrong answers of the right type, of all whose kind or type is known",
        (Column("right_type"), Column("typed_wrong")), lambda totals,
        _: ratio(totals[..., 0], totals[..., 1]),
        (0.0, 1.0), (1.0, 1.0),
    ),
}  # fmt: skip


def named(name: str) -> Measure:
    """Return the measure of that name, in `known_measures`.

    Parameters
    ----------
    name
        Its name.

    Returns
    -------
    Measure
        The measure.

    Raises
    ------
    UsageError
        If there is none.

    Examples
    --------
    >>> named("hit-at-1").label, named("right-type").label
    ('Hit@1', 'Right type, wrong fact')
    """
    known = known_measures()
    if name not in known:
        raise UsageError(f"unknown measure {name!r}; {one_of(name, known)}")
    return known[name]


def made_columns() -> dict[str, Column]:
    """Return the columns that measures make from the counts, by name."""
    return {
        one.name: one
        for measure in MEASURES.values()
        for one in measure.columns
        if one.make is not None
    }


def find_measure(name: str, counts: pd.DataFrame) -> Measure:
    """Return the measure of that name, or the mean of the column of that name.

    Parameters
    ----------
    name
        A name in `known_measures`, or a column.
    counts
        The counts of a run.

    Returns
    -------
    Measure
        The measure; a column with negative values ranges from -1 to 1.

    Raises
    ------
    UsageError
        If there is neither.

    Examples
    --------
    >>> import pandas as pd
    >>> find_measure("micro-f1", pd.DataFrame()).label
    'Micro F1 score'
    """
    if name in known_measures():
        return named(name)
    if name in counts.columns:
        least = -1.0 if bool((counts[name] < 0).any()) else 0.0
        return mean_of(name, name, f"mean of {name}")._replace(bounds=(least, 1.0))
    known = dict.fromkeys([*MEASURES, *map(str, counts.columns)])
    raise UsageError(f"unknown measure {name!r}; {one_of(name, known)}")


def parts(counts: pd.DataFrame, measure: Measure) -> Array:
    """Return the columns that a measure adds up.

    Parameters
    ----------
    counts
        One row per question.
    measure
        The measure.

    Returns
    -------
    Array
        Shape (questions, columns).

    Raises
    ------
    DataError
        If a column is absent or a value is missing.

    Examples
    --------
    >>> import pandas as pd
    >>> counts = pd.DataFrame({"tp": [1, 0], "fp": [0, 2], "fn": [0, 1]})
    >>> measure = find_measure("micro-f1", counts)
    >>> float(measure.value(parts(counts, measure).sum(axis=0), np.array(2.0)))
    0.4
    """
    return np.column_stack([_values(counts, column, measure.label) for column in measure.columns])


def _values(counts: pd.DataFrame, column: Column, label: str) -> Array:
    """Return a column of the counts, or make it.

    If questions have several answers, the counts have its means already.
    """
    try:
        made = (
            column.make(counts)
            if column.make is not None and column.name not in counts.columns
            else counts[column.name]
        )
    except KeyError as error:
        raise DataError(
            f"the counts have no column {error.args[0]!r}, which {label} needs; score the run"
            " first, by a matcher that fills it (poleval fills same_text, shuffled and chance;"
            " passages fills accuracy@k, recall@k, mrr@10 and ndcg@10)"
        ) from error
    values = np.asarray(made, dtype=np.float64)
    if np.isnan(values).any():
        question = counts.index[int(np.flatnonzero(np.isnan(values))[0])]
        raise DataError(
            f"question {question}: {column.name} is missing;"
            " every question needs a score (0 where none was earned)"
        )
    return values
