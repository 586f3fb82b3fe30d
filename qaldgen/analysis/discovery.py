"""Find where a system is worst.

Only what held-out questions confirm is reported, or what no search in shuffled scores finds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from qaldgen.analysis.confirmation import confirm, member
from qaldgen.analysis.found import Discovery, FoundSlice
from qaldgen.analysis.randomisation import Flags
from qaldgen.analysis.search import Candidate
from qaldgen.analysis.search_setting import SearchSetting
from qaldgen.analysis.search_table import SearchTable, search_table
from qaldgen.analysis.slice_search import SliceSearch
from qaldgen.errors import DataError
from qaldgen.io.remembered import remembered
from qaldgen.scoring.formulas import Array
from qaldgen.scoring.measures import find_measure, named

if TYPE_CHECKING:
    import pandas as pd


def find_slices(
    scores: pd.Series[float],
    table: pd.DataFrame | SearchTable,
    search: SliceSearch | None = None,
) -> Discovery:
    """Find the slices on which scores are lowest, as conjunctions of conditions on features.

    Parameters
    ----------
    scores
        Score by question; low is bad. With a difference of scores, the search finds where one
        system loses most against another.
    table
        Features by question; None, NaN and the empty set are missing, which is a condition too.
        For several searches on the same questions, `search_table` of them.
        Features that describe no kind of question are left out; see
        `qaldgen.features.catalogue.is_searched`.
    search
        How to search; None for the defaults of `SliceSearch`.

    Returns
    -------
    Discovery
        The slices that are confirmed, and all candidates with their figures.

    Raises
    ------
    DataError
        If a question has no score or no row in the table, or there are too few questions.

    Examples
    --------
    >>> import pandas as pd
    >>> ids = [f"q{n}" for n in range(200)]
    >>> counts, lengths = [n % 4 == 0 for n in range(200)], [n % 7 for n in range(200)]
    >>> table = pd.DataFrame({"isCount": counts, "length": lengths}, index=ids)
    >>> scores = pd.Series([0.1 if n % 4 == 0 else n % 3 / 2 for n in range(200)], index=ids)
    >>> [one.slice.name for one in find_slices(scores, table).found]
    ['isCount = yes']
    """
    how = search or SliceSearch()
    support = how.support(len(scores))
    _check(scores, support)
    known = table if isinstance(table, SearchTable) else search_table(table, scores.index)
    values, setting = np.asarray(scores, dtype=np.float64), known.setting(how)
    halves = setting.halves
    chosen, looked = remembered(
        "slices", [values, setting.masks, *halves, how], lambda: _searched(values, setting, how)
    )
    named = [
        FoundSlice(setting.slice_of(tuple(conditions)), *figures) for conditions, figures in chosen
    ]
    confirmed = sorted(
        (one for one in named if one.p_adjusted <= how.alpha and one.adds),
        key=lambda one: one.p_adjusted,
    )
    sizes = len(setting.conditions), looked, len(halves.here), len(halves.there)
    return Discovery(
        tuple(confirmed), tuple(named), *sizes, how.method, how.alpha, how.random_state
    )


def _searched(
    values: Array, setting: SearchSetting, how: SliceSearch
) -> tuple[Sequence[tuple[Sequence[int], Sequence[Any]]], int]:
    """Return conditions and figures of each slice tested, and how many were searched."""
    ranked, looked = setting.finder.run(values[setting.halves.here])
    chosen = _distinct(ranked, setting.masks, how.top, how.same)
    rng, finder = setting.rng(), setting.finder
    figures = confirm(values, setting.masks, chosen, setting.halves, how, finder, rng)
    tested = [(one.conditions, own) for one, own in zip(chosen, figures, strict=True)]
    return tested, looked


def scores_to_search(counts: Sequence[pd.DataFrame], measure: str = "macro-f1") -> pd.Series[float]:
    """Return the scores that `find_slices` searches: a measure of each question alone.

    With two systems, the first's minus the second's. The search looks for low values, so a measure
    of mistakes is subtracted from its largest value first.

    Parameters
    ----------
    counts
        One or two tables of counts, one row per question.
    measure
        A name in `scoring.measures.MEASURES`, or a column of the counts.

    Returns
    -------
    pandas.Series
        Score by question.

    Raises
    ------
    UsageError
        If there is no such measure.

    Examples
    --------
    >>> import pandas as pd
    >>> one = pd.DataFrame({"tp": [1, 0], "fp": [1, 2], "fn": [0, 1]}, index=["a", "b"])
    >>> scores_to_search([one], "micro-precision").tolist()
    [0.5, 0.0]
    """
    kinds = [find_measure(measure, own) for own in counts]
    first, *second = [
        kind.of_each(own) if kind.higher_is_better else kind.bounds[1] - kind.of_each(own)
        for kind, own in zip(kinds, counts, strict=True)
    ]
    return first - second[0] if second else first


def searched_in_words(measure: str) -> str:
    """Say what the scores of a search are.

    Parameters
    ----------
    measure
        As for `scores_to_search`.

    Returns
    -------
    str
        A phrase for captions.

    Examples
    --------
    >>> searched_in_words("macro-f1"), searched_in_words("micro-recall")
    ('Macro F1', 'the mean over questions of Micro Recall, computed per question')
    """
    kind = named(measure)
    label = kind.label.removesuffix(" score")
    if not kind.higher_is_better:
        label = f"{kind.bounds[1]:g} - {label} (lower is better)"
    return label if kind.is_mean else f"the mean over questions of {label}, computed per question"


def _check(scores: pd.Series[float], support: int) -> None:
    absent = scores.index[scores.isna()]
    if len(absent):
        raise DataError(
            f"question {absent[0]}: has no score;"
            " every question needs one (0 where none was earned)"
        )
    if len(scores) < 4 * support:
        raise DataError(
            f"{len(scores)} questions are too few to search and confirm slices of {support} or"
            f" more; at least {4 * support} are needed"
        )


def _distinct(ranked: Sequence[Candidate], masks: Flags, top: int, same: float) -> list[Candidate]:
    """Return the first `top` candidates that do not nearly repeat an earlier one."""
    if same >= 1.0:  # no overlap is too much
        return list(ranked[:top])
    chosen: list[Candidate] = []
    kept: list[Flags] = []
    for candidate in ranked:
        if len(chosen) == top:
            break
        mask = member(masks, candidate)
        rivals = (
            other
            for one, other in zip(chosen, kept, strict=True)
            if len(one.conditions) <= len(candidate.conditions)
        )
        if all((mask & other).sum() <= same * (mask | other).sum() for other in rivals):
            chosen.append(candidate)
            kept.append(mask)
    return chosen
