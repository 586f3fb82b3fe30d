"""Kinds of questions, among which weak spots are searched: conditions on features, and pairs."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
import pandas as pd

from qaldgen.analysis.slices.slicing import Slice, slice_where
from qaldgen.errors import DataError
from qaldgen.features.labels import cost_of, is_searched, quantity_of
from qaldgen.scoring.mean_bounds import Flags
from qaldgen.selection.arrays import Indices
from qaldgen.selection.conditions import TableCondition, search_conditions

#: A kind has at least this share of the questions; as many are outside of it.
LEAST_SHARE = 0.01
#: A kind has at least this many questions; as many are outside of it.
MIN_KIND_SIZE = 8
#: A kind covers at most this share of the questions; beyond, it is "everything but ...".
MOST_SHARE = 0.75
#: A pair has at most this share of the questions of either of its conditions.
_MAX_PAIR_SHARE = 0.9
#: The cost of codes (`features.labels.cost_of`), which are in no pair.
CODE = 5
#: A cause is a pair this much likelier than a single condition; with this factor both are named
#: correctly about equally often.
_PAIR_FACTOR = 2.0

Numbers: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.float32]]


@dataclasses.dataclass(frozen=True, eq=False)
class Kinds:
    """Single conditions and pairs of them, each set of questions once, by its plainest name.

    Kinds are numbered: the singles first, then the pairs, both from the fewest questions to the
    most; equally large ones from the plainest name.
    """

    index: pd.Index  # the questions
    singles: tuple[TableCondition, ...]  # the single conditions
    masks: Flags  # shape (singles, questions)
    pairs: Indices  # the two singles of each pair, shape (pairs, 2)
    sizes: np.ndarray[tuple[int], np.dtype[np.float64]]  # the questions of each kind
    #: The cost of each kind (`features.labels.cost_of`); of a pair that of the costlier condition.
    cost: Indices

    def __len__(self) -> int:
        """Return the number of kinds."""
        return len(self.sizes)

    @property
    def families(self) -> tuple[slice, ...]:
        """The range of the numbers of the singles, and that of the pairs if there are any."""
        cut = len(self.singles)
        if not len(self.pairs):
            return (slice(0, cut),)
        return (slice(0, cut), slice(cut, len(self)))

    @functools.cached_property
    def family(self) -> Indices:
        """The family of each kind, 0 or 1."""
        return (np.arange(len(self)) >= len(self.singles)).astype(np.intp)

    @functools.cached_property
    def prior(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """How likely each kind is as a cause before any score is seen, up to a factor.

        All pairs together are twice as likely as all single conditions, and each cost is half as
        likely as the next lower one; kinds of one family and cost are equally likely.
        """
        (family, cost), group_of_kind, kinds = np.unique(
            [self.family, self.cost], axis=1, return_inverse=True, return_counts=True
        )
        return np.asarray((_PAIR_FACTOR**family * 0.5**cost / kinds)[group_of_kind.ravel()])

    def inside(self, numbers: Indices) -> Flags:
        """Return the questions of kinds as masks, by their numbers; shape (kinds, questions)."""
        cut = len(self.singles)
        masks = np.empty((len(numbers), self.masks.shape[1]), dtype=np.bool_)
        single = numbers < cut
        masks[single] = self.masks[numbers[single]]
        first, second = self.pairs[numbers[~single] - cut].T
        masks[~single] = self.masks[first] & self.masks[second]
        return masks

    def sums(self, family: slice, columns: Numbers) -> Iterator[tuple[Indices, Numbers]]:
        """Yield kinds of a family with their sums of some columns, a few kinds at a time.

        Pairs share the condition that has fewer questions (singles are numbered by their sizes, so
        it is the first), and only the questions of that one are summed.
        """
        if family.start == 0:
            yield np.arange(family.stop), self.masks.astype(np.float32) @ columns
            return
        firsts, seconds = self.pairs.T
        order = np.argsort(firsts, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(firsts[order])) + 1):
            questions = np.flatnonzero(self.masks[firsts[rows[0]]])
            indicators = self.masks[seconds[rows]][:, questions].astype(np.float32)
            yield family.start + rows, indicators @ columns[questions]

    def mask(self, number: int) -> Flags:
        """Return the questions of one kind as a mask."""
        return np.asarray(self.inside(np.array([number]))[0])

    def features(self, number: int) -> tuple[str, ...]:
        """Return the features of a kind."""
        return tuple(part.feature for part in self._parts(number))

    def slice_of(self, number: int) -> Slice:
        """Return the questions of a kind, with its name and its SPARQL."""
        return slice_where(self.index, self._parts(number))

    def _parts(self, number: int) -> Sequence[TableCondition]:
        cut = len(self.singles)
        rows = [number] if number < cut else self.pairs[number - cut].tolist()
        return [self.singles[row] for row in rows]


def kinds_of(table: pd.DataFrame, index: pd.Index, *, min_support: int | None = None) -> Kinds:
    """Return the kinds of questions that features define.

    Features that describe no kind of question are left out (`features.labels.is_searched`).
    """
    missing = index.difference(table.index)
    if len(missing):
        raise DataError(
            f"question {missing[0]}: has no features;"
            f" {len(missing):,} of {len(index):,} scored questions have none"
        )
    features = table.loc[index]
    min_size = min_support or max(MIN_KIND_SIZE, math.ceil(LEAST_SHARE * len(index)))
    max_size = min(len(index) - min_size, math.floor(MOST_SHARE * len(index)))
    conditions = []
    for name in filter(is_searched, map(str, features.columns)):
        for condition in search_conditions(features[name]):
            if min_size <= condition.mask.sum() <= max_size:
                conditions.append(condition)

    def plainness(condition: TableCondition) -> tuple[int, bool]:
        # of names with equal cost, a length comes last; the others stay in the catalogue's order
        return cost_of(condition.feature), quantity_of(condition.feature) == "length"

    plainest: dict[bytes, TableCondition] = {}
    for condition in sorted(conditions, key=plainness):
        plainest.setdefault(np.packbits(condition.mask).tobytes(), condition)
    singles = sorted(plainest.values(), key=lambda condition: int(condition.mask.sum()))
    masks = np.array([single.mask for single in singles], dtype=bool)
    masks = masks.reshape(len(singles), len(index))  # also if there are none
    costs = np.array([cost_of(single.feature) for single in singles], dtype=np.intp)
    rows = np.zeros((0, 2), dtype=np.intp)
    sizes = np.zeros(0)
    if len(singles) > 1:
        rows, sizes = _find_pairs(singles, masks, costs, min_size)
    return Kinds(
        index=index,
        singles=tuple(singles),
        masks=masks,
        pairs=rows,
        sizes=np.concatenate([masks.sum(axis=1), sizes]).astype(np.float64),
        cost=np.concatenate([costs, costs[rows].max(axis=1, initial=0)]),
    )


def _find_pairs(
    singles: Sequence[TableCondition], masks: Flags, costs: Indices, min_size: int
) -> tuple[Indices, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """Return the pairs of conditions on unrelated features, and their sizes, the smallest first."""
    indicators = masks.astype(np.float64)
    sizes = indicators.sum(axis=1)
    common = indicators @ indicators.T

    quantities = [quantity_of(single.feature) for single in singles]
    quantity = np.unique(quantities, return_inverse=True)[1]
    is_readable = costs < CODE
    is_pair = np.triu(quantity[:, None] != quantity[None, :], 1) & (common >= min_size)
    is_pair &= is_readable[:, None] & is_readable[None, :]
    is_pair &= common <= _MAX_PAIR_SHARE * np.minimum(sizes[:, None], sizes[None, :])
    first, second = np.nonzero(is_pair)

    # Equal sets of questions have equal sums of random whole weights; two sums of up to 2^40 each
    # differ for any two of 55,000 sets, and are exact in doubles.
    questions = indicators.shape[1]
    weights = np.random.default_rng(0).integers(1, min(2**40, 2**53 // questions), (2, questions))
    weights = weights.astype(np.float64)
    sums = np.stack([(indicators * weight) @ indicators.T for weight in weights])

    by_cost = np.lexsort((costs[first] + costs[second], np.maximum(costs[first], costs[second])))
    # a single goes before its pairs
    keys = np.concatenate([weights @ indicators.T, sums[:, first, second][:, by_cost]], axis=1)
    first_with_key = np.sort(np.unique(keys, axis=1, return_index=True)[1])
    distinct = by_cost[first_with_key[first_with_key >= len(singles)] - len(singles)]

    counts = common[first, second][distinct]
    by_size = np.argsort(counts, kind="stable")
    return np.column_stack([first, second])[distinct][by_size], counts[by_size]
