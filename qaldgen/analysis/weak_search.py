"""The search behind weak spots.

Single features on all questions, and combinations that held-out questions confirm.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

from qaldgen.analysis.discovery import find_slices
from qaldgen.analysis.found import Discovery
from qaldgen.analysis.intervals import FEWEST
from qaldgen.analysis.search_table import SearchTable, search_table
from qaldgen.analysis.slice_search import SliceSearch

if TYPE_CHECKING:
    import pandas as pd

#: The error level of both searches together: each of them gets half.
ALPHA = 0.05
#: How weak spots are searched, for people, since `discovery.find_slices` alone may name others.
HOW_SEARCHED = (
    "Weak spots come from two tests: single conditions are tested on all questions, combinations on"
    " the half of the questions that did not choose them. 'qaldgen slices' tests both on such a"
    " half, so it may name others."
)
#: A number that no feature table reaches: all single conditions are tested, since the one with the
#: clearest name need not have the lowest mean.
_ALL = 10_000
#: A single condition needs at least this share of the questions, and `FEWEST`: enough for a test,
#: as it is made on all questions.
_LEAST_SHARE = 0.02
#: Few are enough, since the uncorrected p only decides what is shown as "may be chance".
_RESAMPLES = 2_000


def search_weak_spots(
    scores: pd.Series[float], table: pd.DataFrame | SearchTable, random_state: int = 0
) -> Discovery:
    """Search one system for slices on which it scores low.

    Single conditions are searched on all questions and corrected by permutation: half of the
    questions hold too few of a rare kind to confirm anything. Combinations are so many that
    held-out questions have to confirm them.

    Parameters
    ----------
    scores
        Score by question; low is bad.
    table
        Features by question, or `search_table` of them, which the searches of several systems
        share.
    random_state
        The seed.

    Returns
    -------
    Discovery
        The slices found by either search; all single conditions with low scores are candidates.

    Raises
    ------
    DataError
        If a question has no score or no features, or there are too few questions.

    Examples
    --------
    >>> import pandas as pd
    >>> ids = [f"q{n}" for n in range(200)]
    >>> table = pd.DataFrame({"isCount": [n % 10 == 0 for n in range(200)]}, index=ids)
    >>> scores = pd.Series([0.0 if n % 10 == 0 else n % 3 / 2 for n in range(200)], index=ids)
    >>> [one.slice.label for one in search_weak_spots(scores, table).found]
    ['the query counts']
    """
    level = ALPHA / 2.0
    support = max(FEWEST, math.ceil(_LEAST_SHARE * len(scores)))
    single = SliceSearch(
        1, support, "permutation", _ALL, level, _RESAMPLES, random_state, same=1.0, intervals=False
    )
    known = table if isinstance(table, SearchTable) else search_table(table, scores.index)
    alone = find_slices(scores, known, single)
    together = find_slices(
        scores, known, SliceSearch(alpha=level, random_state=random_state, intervals=False)
    )
    combined = tuple(one for one in together.found if len(one.slice.features) > 1)
    return dataclasses.replace(
        alone,
        found=alone.found + combined,
        candidates=alone.candidates + combined,
        looked_at=alone.looked_at + together.looked_at,
    )
