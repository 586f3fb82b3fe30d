"""What searches for slices share that differ only in the scores: conditions, halves and sizes."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from qaldgen.analysis.confirmation import Halves
from qaldgen.analysis.intervals import FEWEST
from qaldgen.analysis.randomisation import Flags
from qaldgen.analysis.search import Search
from qaldgen.analysis.slicing import Slice, slice_where
from qaldgen.selection.conditions import Condition

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.analysis.slice_search import SliceSearch


@dataclasses.dataclass(frozen=True, eq=False)
class SearchSetting:
    """The questions and conditions of a search.

    Attributes
    ----------
    index : Index
        The questions.
    conditions : sequence of Condition
        What slices are made of.
    masks : ndarray of bool
        Which question fulfils which condition, shape (questions, conditions).
    halves : Halves
        The questions to search and those to test on.
    finder : Search
        The search on the first half.
    """

    index: pd.Index
    conditions: Sequence[Condition]
    masks: Flags
    halves: Halves
    finder: Search
    _rng: np.random.Generator
    _slices: dict[tuple[int, ...], Slice] = dataclasses.field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, index: pd.Index, conditions: Sequence[Condition], support: int, how: SliceSearch
    ) -> SearchSetting:
        """Divide the questions, and count those of each condition.

        Parameters
        ----------
        index
            The questions.
        conditions
            Those that are neither too rare nor too frequent.
        support
            The fewest questions of a slice.
        how
            How to search.
        """
        masks = (
            np.column_stack([one.mask for one in conditions])
            if conditions
            else np.zeros((len(index), 0), dtype=bool)
        )
        rng, split = np.random.default_rng(how.random_state), how.method == "held-out"
        halves = _halves(len(index), rng, split=split)
        # A slice that is large enough overall may be smaller in one half by chance; half the
        # support is asked of each.
        fewest = max(FEWEST, math.ceil(support / 2)) if split else support
        finder = Search(masks[halves.here], masks[halves.there], how.depth, fewest)
        return cls(index, conditions, masks, halves, finder, rng)

    def rng(self) -> np.random.Generator:
        """Return the random generator as dividing the questions left it, anew for each search."""
        return copy.deepcopy(self._rng)

    def slice_of(self, key: tuple[int, ...]) -> Slice:
        """Return the slice of a conjunction of conditions, the same object for all systems.

        Parameters
        ----------
        key
            Columns of the conditions.
        """
        if key not in self._slices:
            self._slices[key] = slice_where(self.index, [self.conditions[at] for at in key])
        return self._slices[key]


def _halves(size: int, rng: np.random.Generator, *, split: bool) -> Halves:
    order, whole = rng.permutation(size), np.arange(size)
    return (
        Halves(np.sort(order[: size // 2]), np.sort(order[size // 2 :]))
        if split
        else Halves(whole, whole)
    )
