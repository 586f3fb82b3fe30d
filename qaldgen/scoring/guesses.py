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
#: The part of the verdicts expected to be false that may be on one side, as a standard error: those
#: on the answers of one system to one data set err alike.
_ONE_SIDED = 1 / 2
#: From here on the hit of an answer counts as right.
_RIGHT = 0.5


class Guesses(NamedTuple):
    """How many verdicts are guesses, and the share of right answers by best guess.

    `low` and `high` bound the true share: an interval of 95 % for the sample and the verdicts.
    """

    guesses: int
    verdicts: int
    accuracy: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return a sentence."""
        return (
            f"{self.guesses:,} of {count(self.verdicts, 'verdict')} are guesses ('score -q' marks"
            f" them and says why); {self.accuracy:.3f} are right by best guess (95 % interval, of"
            f" verdicts and sample: {self.low:.3f} to {self.high:.3f})"
        )


def guesses_of(counts: pd.DataFrame) -> Guesses | None:
    """Return how far a table of counts rests on guesses; None without probabilities.

    Wilson's interval around the share that is expected to be right, widened to the best guess.
    Verdicts on the answers of one system to one data set err alike: a part of those that are
    expected to be false, among the sure ones too, may be on one side. It counts as a standard error
    beside that of the sample.

    >>> import pandas as pd
    >>> counts = pd.DataFrame({"hit": [True] * 60 + [False] * 40, SURE: [0.97] * 90 + [0.8] * 10})
    >>> [round(value, 2) for value in guesses_of(counts)]
    [10, 100, 0.6, 0.5, 0.71]
    """
    if SURE not in counts or counts.empty:
        return None
    size = len(counts)
    error = _ONE_SIDED * float((1 - counts[SURE]).mean())
    worth = size / (1 + 4 * size * error**2)  # how many certain verdicts tell as much
    right = counts["hit"].astype(float) > _RIGHT
    best = float(right.mean())
    share = float(counts[SURE].where(right, 1 - counts[SURE]).mean())
    middle = (share + _Z**2 / (2 * worth)) / (1 + _Z**2 / worth)
    wide = math.sqrt(share * (1 - share) / worth + (_Z / (2 * worth)) ** 2)
    wide *= _Z / (1 + _Z**2 / worth)
    guesses = int((counts[SURE] < GUESS).sum())
    low, high = min(middle - wide, best), max(middle + wide, best)
    return Guesses(guesses, size, best, max(low, 0.0), min(high, 1.0))


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
