"""One order of asking for many kinds of questions, so that kinds that overlap share questions.

Every question gets a number between 0 and 1. Those of the questions that belong to the same kinds
are independent and uniform, and dealt out along a spread order (the local pivotal method). So the
questions of a kind, which are all of some of these groups, stand in an order in which every prefix
gives each of them the same chance; and what comes early in one kind comes early in all of its
kinds (permanent random numbers: Ohlsson 1995).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qaldgen.sampling.pivotal import spread_order
from qaldgen.selection.vectors import Indices, Vectors


def shared_orders(pools: Sequence[Vectors], random_state: int) -> list[Indices]:
    """Return for the pool of each kind its rows in the order of asking."""
    indices_by_question: dict[str, list[int]] = {}
    for index, pool in enumerate(pools):
        for question_id in pool.ids:
            indices_by_question.setdefault(question_id, []).append(index)
    groups: dict[tuple[int, ...], list[str]] = {}
    for question_id, kinds_of_question in indices_by_question.items():
        groups.setdefault(tuple(kinds_of_question), []).append(question_id)
    rng = np.random.default_rng(random_state)
    numbers: dict[str, float] = {}
    for (first, *_), ids in groups.items():
        # the features of the first kind, as kinds may have different ones
        pool = pools[first]
        row_by_id = {question_id: row for row, question_id in enumerate(pool.ids)}
        matrix = pool.matrix[[row_by_id[question_id] for question_id in ids]]
        order = spread_order(matrix, rng)
        drawn = np.sort(rng.random(len(ids)))
        numbers |= {ids[row]: float(index) for row, index in zip(order, drawn, strict=True)}
    return [
        np.argsort([numbers[question_id] for question_id in pool.ids], kind="stable")
        for pool in pools
    ]
