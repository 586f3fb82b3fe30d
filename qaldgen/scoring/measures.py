"""The measures, each one row of one table, and how they are looked up.

Reports, slices, comparisons, intervals and exports all start from `MEASURES`.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from qaldgen.errors import UsageError
from qaldgen.io.arguments import one_of
from qaldgen.io.extensions import ExtensionWarning, Table
from qaldgen.scoring.formulas import (
    Formula,
    f1_qald,
    micro_f1,
    micro_precision,
    micro_recall,
    precision_qald,
    ratio,
    share_right,
)
from qaldgen.scoring.measure_type import Column, Measure, mean_of, parts

if TYPE_CHECKING:
    import pandas as pd


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
#: shown only for these matchers. Other packages can add some by the entry point group
#: qaldgen.matcher-measures.
BESIDE: Table[Measure] = Table("matcher-measures", Measure, {})


def known_measures() -> dict[str, Measure]:
    """Return every measure by name.

    Including those of `BESIDE`, `BY_OUTCOME` and `BY_WORDING`, whose columns not all counts have.
    """
    return {**dict(MEASURES.items()), **dict(BESIDE.items()), **BY_OUTCOME, **BY_WORDING}


def higher_is_better(name: str) -> bool:
    """Tell whether the system with the higher value is ahead.

    >>> higher_is_better("macro-f1"), higher_is_better("wrong-type")
    (True, False)
    """
    measure = known_measures().get(name)
    return measure is None or measure.higher_is_better


def available(counts: pd.DataFrame) -> list[str]:
    """Return the names of the measures of counts.

    Those of `MEASURES`, and those of `BESIDE` whose column a matcher filled. A measure of another
    package that cannot be computed is left out with a warning.

    >>> import pandas as pd
    >>> available(pd.DataFrame(columns=["tp", "fp", "fn"]))[-1]
    'coverage'
    """
    return [
        *(name for name in MEASURES if _works(name, counts)),
        *(str(name) for name in counts.columns if name in BESIDE),
        *(BY_WORDING if "inconsistent" in counts.columns else ()),
    ]


def _works(name: str, counts: pd.DataFrame) -> bool:
    """Tell whether a measure can be computed; warn if one of another package cannot."""
    if name in _OURS:  # if one of ours fails, nothing may hide it
        return True
    try:
        columns = parts(counts, MEASURES[name])
        MEASURES[name].value(columns.sum(axis=0), np.array(float(len(counts))))
    except Exception as error:  # one broken package must not affect the other measures
        warnings.warn(
            f"qaldgen.measures: {name!r} is left out: it cannot be computed"
            f" ({type(error).__name__}: {' '.join(str(error).split())[:200]})",
            ExtensionWarning,
            stacklevel=2,
        )
        return False
    return True


def _of_outcome(column: str, label: str, definition: str) -> Measure:
    return mean_of(column, label, f"share of questions {definition}", higher_is_better=False)


#: Measures of the mistakes, which count the columns of `qaldgen.scoring.outcomes`; shown only on
#: demand.
BY_OUTCOME = {
    "understood": mean_of(
        "understood", "Understood",
        "share of questions whose answer is right, partly right, or of the right type",
        lambda counts: counts["right"] + counts["partly"] + counts["right_type"],
    ),
    "wrong-kind": _of_outcome("wrong_kind", "Wrong kind",
        "answered with the wrong kind, such as a date for a resource"),
    "untyped": _of_outcome("untyped", "Untyped",
        "answered wrongly, where the type of the answer or gold answer is unknown"),
    "right-type": _of_outcome("right_type", "Right type, wrong fact",
        "answered wrongly with the right type"),
    "related-type": _of_outcome("related_type", "Related type",
        "answered with a type that shares a superclass with the right one"),
    "wrong-type": _of_outcome("wrong_type", "Wrong type",
        "answered with an unrelated type"),
    "tcbw": Measure(
        "Right type of typed",
        "share of the right type among wrong answers whose kind or type is known",
        (Column("right_type"), Column("typed_wrong")), lambda totals,
        _: ratio(totals[..., 0], totals[..., 1]),
        (0.0, 1.0), (1.0, 1.0),
    ),
}  # fmt: skip

#: What the wordings of a question vary in.
ACROSS = ("language", "wording")
#: Measures of questions that were asked in several languages or wordings, which count the columns
#: of `qaldgen.analysis.comparing.consistency`; shown where the counts have them.
BY_WORDING = {
    "consistency": Measure(
        "Consistency",
        "share right in every wording or language among the questions right in any",
        (Column("consistent"), Column("inconsistent"), Column("never_right")),
        lambda totals, _: ratio(totals[..., 0], totals[..., 0] + totals[..., 1]),
        (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), right=(1.0, 0.0, 0.0), size=(1.0, 1.0, 0.0),
    ),
    "inconsistent": mean_of(
        "inconsistent", "Inconsistent",
        "share of questions right in one wording or language and wrong in another",
        higher_is_better=False,
    ),
}  # fmt: skip


def named(name: str) -> Measure:
    """Return the measure of that name, in `known_measures`.

    >>> named("hit-at-1").label, named("right-type").label
    ('Hit@1', 'Right type, wrong fact')
    """
    known = known_measures()
    if name not in known:
        raise UsageError(f"unknown measure {name!r}; {one_of(name, known)}")
    return known[name]


def made_columns(counts: pd.DataFrame) -> dict[str, pd.Series[float] | pd.Series[bool]]:
    """Return the columns that measures make from the counts, by name.

    >>> import pandas as pd
    >>> answers = pd.DataFrame({"tp": [1], "fp": [1], "fn": [0], "precision": [0.5]})
    >>> made_columns(answers.assign(status="answered"))["share_right"].tolist()
    [0.5]
    """
    return {
        one.name: one.make(counts)
        for name, measure in MEASURES.items()
        if any(one.make for one in measure.columns) and _works(name, counts)
        for one in measure.columns
        if one.make is not None
    }


def find_measure(name: str, counts: pd.DataFrame) -> Measure:
    """Return the measure of that name, or the mean of the column of that name.

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
