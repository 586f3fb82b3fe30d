"""The design of a sample: what each question stands for, and what its scores say about the whole pool."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from qaldgen.analysis.estimation import Estimate, estimate_mean
from qaldgen.analysis.gaffke import Array
from qaldgen.scoring.gold import Gold

if TYPE_CHECKING:
    import pandas as pd


@dataclasses.dataclass(frozen=True)
class Design:
    """A probability sample of a pool.

    Attributes
    ----------
    inclusion : mapping of str to float
        By question, the chance that it was drawn.
    pool : int
        Questions in the pool.
    features : mapping of str to array, or None
        By question, the features over which the design spread its questions; None for simple random samples.
    """

    inclusion: Mapping[str, float]
    pool: int
    features: Mapping[str, Array] | None = None

    def restricted(self, ids: Sequence[str]) -> Design:
        """Return the design where only these questions count, as if the others had been lost at random."""
        share = len(ids) / len(self.inclusion)
        return dataclasses.replace(self, inclusion={name: self.inclusion[name] * share for name in ids})

    def weights(self) -> pd.Series[float]:
        """Return by question how many questions of the pool it stands for."""
        import pandas as pd

        return 1.0 / pd.Series(dict(self.inclusion), dtype=float)

    def size_of(self, ids: Sequence[str]) -> int:
        """Return how many questions of the pool are in a slice of which these were drawn; of all questions it is known."""
        if len(ids) == len(self.inclusion):
            return self.pool
        return max(len(ids), round(sum(1.0 / self.inclusion[name] for name in ids)))

    def estimate(
        self,
        ids: Sequence[str],
        scores: Array,
        *,
        others: Array | None = None,
        others_mean: float = 0.0,
        bounds: tuple[float, float] = (0.0, 1.0),
    ) -> Estimate:
        """Return the estimate of the mean score of the pool, or of a slice of it; see `estimation.estimate_mean`."""
        chance = np.array([self.inclusion[name] for name in ids])
        features = None if self.features is None else np.array([self.features[name] for name in ids])
        return estimate_mean(
            scores, chance, self.size_of(ids), features=features, others=others, others_mean=others_mean, bounds=bounds
        )


def design_of(gold: Gold) -> Design | None:
    """Return the design of a benchmark; None where there is none, or the questions were chosen on purpose.

    A benchmark in QALD JSON has the chances of its questions, but not the pool: its size is estimated, and the features are
    unknown.
    """
    if len(gold.inclusion) != len(gold.questions.questions) or not gold.inclusion:
        return None
    if gold.benchmark is None:
        return Design(gold.inclusion, max(len(gold.inclusion), round(sum(1.0 / one for one in gold.inclusion.values()))))
    matrix = gold.vectors()
    if matrix is None or gold.benchmark.provenance.method == "random":
        return Design(gold.inclusion, gold.benchmark.pool_size)
    ids = [question.id for question in gold.questions.questions]
    return Design(gold.inclusion, gold.benchmark.pool_size, dict(zip(ids, matrix, strict=True)))
