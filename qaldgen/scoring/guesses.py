"""How far scores rest on guesses: verdicts with a sign that they may be wrong."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from qaldgen.io.text import count

if TYPE_CHECKING:
    import pandas as pd

#: The column of the counts: the probability that the verdict on an answer is right.
SURE = "sure"
#: A verdict below this is a guess; those without any sign against them are above.
GUESS = 0.9
_Z = 1.959963984540054
#: The hit of an answer that counts as right, and in how many draws a lead may be lost unsaid.
_RIGHT = 0.5


class Guesses(NamedTuple):
    """How many verdicts are guesses, and the share of right answers that their probabilities imply.

    `low` and `high` bound that share: an interval of 95 % for the sample and the verdicts together.
    `accuracy` is by best guess, each verdict taken for the truth; it can be outside.
    """

    guesses: int
    verdicts: int
    accuracy: float
    implied: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return a sentence."""
        return (
            f"{self.guesses:,} of {count(self.verdicts, 'verdict')} are guesses ('score -q' marks"
            f" them and says why); {self.accuracy:.3f} are right by best guess; {self.implied:.3f}"
            " are expected to be, by how often such verdicts are right (95 % interval, of verdicts"
            f" and sample: {self.low:.3f} to {self.high:.3f})"
        )


def right_with(counts: pd.DataFrame) -> pd.Series[float]:
    """Return the probability that each answer is right: that of the verdict, or what it leaves."""
    hit = counts["hit"].astype(float) > _RIGHT
    return counts[SURE].where(hit, 1 - counts[SURE])


def guesses_of(counts: pd.DataFrame) -> Guesses | None:
    """Return how far a table of counts rests on guesses; None without probabilities.

    The variance of right and wrong answers is that between their probabilities (the sample) and
    the mean of that within (the verdicts, errors of the sure ones too): it counts both, once.

    >>> import pandas as pd
    >>> counts = pd.DataFrame({"hit": [True] * 60 + [False] * 40, SURE: [0.95] * 90 + [0.8] * 10})
    >>> [round(value, 3) for value in guesses_of(counts)]
    [10, 100, 0.6, 0.605, 0.509, 0.701]
    """
    if SURE not in counts or counts.empty:
        return None
    probabilities = right_with(counts)
    implied, size = float(probabilities.mean()), len(counts)
    wide = _Z * math.sqrt(implied * (1 - implied) / size)
    return Guesses(
        int((counts[SURE] < GUESS).sum()),
        size,
        float((counts["hit"].astype(float) > _RIGHT).mean()),
        implied,
        max(implied - wide, 0.0),
        min(implied + wide, 1.0),
    )


def reversed_share(
    first: pd.DataFrame, second: pd.DataFrame, *, draws: int = 1000, seed: int = 0
) -> float:
    """Return how often the better of two runs is no longer better when verdicts are drawn.

    Verdicts are drawn from their probabilities; both tables have the same questions.
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    pairs = [
        (frame["hit"].astype(float).to_numpy() > _RIGHT, frame[SURE].to_numpy())
        for frame in (first, second.loc[first.index])
    ]
    means = [(hit ^ (rng.random((draws, len(hit))) > sure)).mean(axis=1) for hit, sure in pairs]
    sign = np.sign(pairs[0][0].mean() - pairs[1][0].mean())
    return float(np.mean(np.sign(means[0] - means[1]) != sign)) if sign else 0.0
