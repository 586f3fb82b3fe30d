"""All conditions on the features of some questions: what a search for slices chooses from."""

from __future__ import annotations

import dataclasses
import threading
from typing import TYPE_CHECKING

from qaldgen.analysis.search_setting import SearchSetting
from qaldgen.errors import DataError
from qaldgen.features.catalogue import is_searched
from qaldgen.features.labels import rank_of
from qaldgen.selection.conditions import Condition, search_conditions

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.analysis.slice_search import SliceSearch


@dataclasses.dataclass(frozen=True, eq=False)
class SearchTable:
    """The conditions on the features of some questions, for any number of searches.

    Attributes
    ----------
    index : Index
        The questions.
    conditions : tuple of Condition
        Those that people understand best first; if several select the same questions, the first
        of them.
    """

    index: pd.Index
    conditions: tuple[Condition, ...]
    _settings: dict[tuple[object, ...], SearchSetting] = dataclasses.field(
        default_factory=dict, repr=False
    )
    _lock: threading.Lock = dataclasses.field(default_factory=threading.Lock, repr=False)

    def within(self, support: int) -> list[Condition]:
        """Return the conditions that neither too few nor too many questions fulfil.

        Parameters
        ----------
        support
            The fewest questions that fulfil a condition, and that do not.
        """
        most = len(self.index) - support
        return [one for one in self.conditions if support <= one.mask.sum() <= most]

    def setting(self, how: SliceSearch) -> SearchSetting:
        """Return what searches of several systems share; it is made once, also for threads.

        Parameters
        ----------
        how
            How to search.
        """
        support = how.support(len(self.index))
        key = support, how.depth, how.method, how.random_state
        with self._lock:
            if key not in self._settings:
                self._settings[key] = SearchSetting.of(
                    self.index, self.within(support), support, how
                )
            return self._settings[key]


def search_table(table: pd.DataFrame, index: pd.Index) -> SearchTable:
    """Return all conditions on the features of some questions.

    This is the one place that decides what is searched, for `slices`, reports and the explorer
    alike: features that describe no kind of question are left out.

    Parameters
    ----------
    table
        Features by question; None, NaN and the empty set are missing.
    index
        The questions, in the order of the scores that are searched.

    Raises
    ------
    DataError
        If a question has no row in the table.
    """
    unknown = index.difference(table.index)
    if len(unknown):
        raise DataError(
            f"question {unknown[0]}: has no features;"
            f" {len(unknown):,} of {len(index):,} scored questions have none"
        )
    own = table.loc[index]
    kept: dict[bytes, Condition] = {}
    for name in sorted(filter(is_searched, map(str, own.columns)), key=rank_of):
        for one in search_conditions(own[name]):
            kept.setdefault(one.mask.tobytes(), one)
    return SearchTable(index, tuple(kept.values()))
