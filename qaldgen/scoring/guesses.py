"""How many answers of a run are right: the prior of the run, the expected share, its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from qaldgen.defaults import LEVEL_LABEL, SEED
from qaldgen.io.text import count
from qaldgen.scoring.counts import if_right
from qaldgen.scoring.intervals import NORMAL_REACH
from qaldgen.scoring.verdict_model import GUESS, UNSURE, UNTRUE, Model, SignEvidence, fitted_model

if TYPE_CHECKING:
    import pandas as pd

Array: TypeAlias = npt.NDArray[np.float64]

#: The column of the counts: the probability that the verdict on an answer is right.
SURE = "sure"
#: With fewer answers than this the prior of the fitted data stands.
MIN_ANSWERS = 30

#: An answer with at least this hit counts as right.
_RIGHT = 0.5
#: How often a prior is improved at most.
_MAX_STEPS = 500
#: A change of a prior below this counts as none.
_SMALL = 1e-6
#: How often verdicts are drawn to see whether a lead holds.
_DRAWS = 1000
#: How many labels a note may advise.
_LABEL_NUMBERS = (50, 100, 200)
#: A note advises labels that make an interval at most this wide, as a share of its width.
_NARROWER_SHARE = 0.85


class Prior(NamedTuple):
    """How probable an answer of a run is right before it is read, in log-odds.

    Attributes
    ----------
    log_odds : float
        The prior.
    error : float
        Its standard error: what the run leaves open, and how far data sets differ.
    labels : int
        How many hand labels it rests on.
    learnt : float
        How much of it is learnt from the answers of the run, from 0 to 1.
    """

    log_odds: float
    error: float
    labels: int = 0
    learnt: float = 0.0


def fitted_prior(model: Model | None = None) -> Prior:
    """Return the prior of the answers that the model was fitted to."""
    model = model or fitted_model()
    return Prior(model.prior, model.spread)


def learn_prior(
    answers: Sequence[SignEvidence],
    labels: Mapping[int, float] | None = None,
    model: Model | None = None,
) -> Prior:
    """Return the prior of a run, learnt from its answers and from hand labels on some of them.

    Expectation maximisation for a shift of the share that is right (Saerens, Latinne, Decaestecker
    2002), with the prior of the fitted data. However many the answers are, they are worth a limited
    number, as the signs of one run do not speak equally well in another; and they teach by how much
    they differ: where all answers are alike, nothing tells whether the run or the signs make them
    so. Labels, by the index of the answer, count in full.

    >>> ours = [SignEvidence(4.0)] * 60 + [SignEvidence(-4.0)] * 40
    >>> round(learn_prior(ours).log_odds, 1), learn_prior(ours[:9]) == fitted_prior()
    (0.4, True)
    >>> round(learn_prior(ours[:60]).log_odds, 1) == round(fitted_prior().log_odds, 1)
    True
    """
    model = model or fitted_model()
    odds = np.array([evidence.log_odds for evidence in answers], dtype=float)
    most = np.array([evidence.most for evidence in answers], dtype=float)
    prior = fitted_prior(model) if len(odds) < MIN_ANSWERS else _by_signs(odds, most, model)
    if not labels:
        return prior
    return _by_labels(prior, odds, labels)


def _chances(log_odds: Array) -> Array:
    return 1 / (1 + np.exp(-np.clip(log_odds, -700, 700)))


def slope(chances: Array) -> float:
    """Return how far the expected share moves with the prior, which moves no chance at a bound.

    >>> round(slope(np.array([0.5, 1.0, UNSURE, UNTRUE])), 4)
    0.0625
    """
    free = ~np.isin(chances, (UNSURE, UNTRUE))
    return max(float((chances * (1 - chances) * free).mean()), _SMALL)


def _by_signs(odds: Array, most: Array, model: Model) -> Prior:
    """Return the prior by the signs of all answers."""
    shift = model.prior
    first = _chances(odds + model.prior)
    contrast = float(first.var() / (first.mean() * (1 - first.mean())))
    worth = contrast * min(len(odds), model.worth)
    for _ in range(_MAX_STEPS):
        # a step towards the mean of the chances, which is the gradient of their likelihood
        share = float(_chances(odds + shift).mean())
        prior_share = 1 / (1 + math.exp(-shift))
        gradient = worth * (share - prior_share) - (shift - model.prior) / model.spread**2
        curvature = worth * prior_share * (1 - prior_share) + 1 / model.spread**2
        shift += gradient / curvature
        if abs(gradient / curvature) < _SMALL:
            break
    chances = _chances(odds + shift)
    information = worth * float(chances.var())
    precision = information + 1 / model.spread**2
    # the error of the sample: the share, which counts as `worth` answers, is a mean of all answers
    sample = worth * information / len(odds) / precision**2
    # the error of the fitted mean, towards which the prior is drawn: the spread of runs
    pull = 1 / (model.spread * precision) ** 2
    # the error of the model on another data set, as an error of the prior
    bounded = np.minimum(chances, most)
    share = float(bounded.mean())
    between = share * (1 - share) * (model.doubt / slope(bounded)) ** 2
    return Prior(shift, math.sqrt(sample + pull + between), learnt=information / precision)


def _by_labels(prior: Prior, odds: Array, labels: Mapping[int, float]) -> Prior:
    """Return a prior after hand labels."""
    indices = np.array(list(labels), dtype=int)
    right = np.array(list(labels.values()), dtype=float)
    shift = prior.log_odds
    precision = prior.error**-2
    for _ in range(_MAX_STEPS):
        chances = _chances(odds[indices] + shift)
        gradient = float((right - chances).sum()) - (shift - prior.log_odds) * precision
        curvature = float((chances * (1 - chances)).sum()) + precision
        # a step is damped: far from the optimum there is no curvature
        step = max(min(gradient / curvature, 1.0), -1.0)
        shift += step
        if abs(step) < _SMALL:
            break
    return Prior(shift, curvature**-0.5, len(labels), prior.learnt * precision / curvature)


class RunVerdicts(NamedTuple):
    """How many answers of a run are right by the verdicts.

    Attributes
    ----------
    guesses, verdicts : int
        How many verdicts are guesses, of how many.
    accuracy : float
        The share that is right by best guess.
    expected : float
        The share that is expected to be right.
    low, high : float
        Bounds of the true share: an interval of 95 % for the sample, the verdicts and the model.
    labels : int
        How many hand labels would narrow the interval; 0 if it is no wider than that of a sample.
    narrowed : float
        Half the width of the interval with these labels.
    """

    guesses: int
    verdicts: int
    accuracy: float
    expected: float
    low: float
    high: float
    labels: int = 0
    narrowed: float = 0.0

    def __str__(self) -> str:
        """Return a sentence."""
        text = (
            f"{self.guesses:,} of {count(self.verdicts, 'verdict')} are guesses ('score -q' marks"
            f" them and says why); {self.accuracy:.3f} are right by best guess, {self.expected:.3f}"
            f" are expected to be ({LEVEL_LABEL} interval, of sample, verdicts and model:"
            f" {self.low:.3f} to {self.high:.3f})"
        )
        if self.labels:
            text += f"; {self.labels} labels by hand ('qaldgen label') would narrow it to about"
            text += f" ± {self.narrowed:.3f}"
        return text


def guesses_of(counts: pd.DataFrame, prior: Prior | None = None) -> RunVerdicts | None:
    """Return how many answers in a table of counts are right; None without probabilities.

    Wilson's interval around the share that is expected to be right, with the error of the prior
    beside that of the sample: it moves all probabilities to one side.

    >>> import pandas as pd
    >>> counts = pd.DataFrame({"hit": [True] * 60 + [False] * 40, SURE: [0.97] * 90 + [0.8] * 10})
    >>> verdicts = guesses_of(counts, Prior(0.0, 1.0))
    >>> [round(value, 2) for value in verdicts[:6]]
    [10, 100, 0.6, 0.61, 0.48, 0.73]
    """
    if SURE not in counts or counts.empty:
        return None
    prior = prior or fitted_prior()
    chances = np.array(_expected_hits(counts), dtype=float)
    size = len(counts)
    expected = float(chances.mean())
    prior_slope = slope(chances)
    # the variance of the sample: that of the chances, and twice their covariance with the prior;
    # at least that of a sample whose verdicts are all known
    certain = expected * (1 - expected)
    sample = max(float(chances.var()) + 2 * prior.learnt * prior_slope, certain) / size
    # Wilson's interval of as many answers as have that variance
    z = NORMAL_REACH
    variance = sample + (prior.error * prior_slope) ** 2
    worth = certain / variance if 0 < expected < 1 else size
    middle = (expected + z**2 / (2 * worth)) / (1 + z**2 / worth)
    reach = math.sqrt(certain / worth + (z / (2 * worth)) ** 2)
    reach *= z / (1 + z**2 / worth)
    low, high = max(middle - reach, 0.0), min(middle + reach, 1.0)
    verdicts = RunVerdicts(
        guesses=int((counts[SURE] < GUESS).sum()),
        verdicts=size,
        accuracy=float((counts["hit"].astype(float) > _RIGHT).mean()),
        expected=expected,
        low=low,
        high=high,
    )
    # labels correct the verdicts whatever the model is worth; they are drawn by doubt
    deviation = float(np.sqrt(chances * (1 - chances)).mean())
    for labels in _LABEL_NUMBERS:
        error = math.sqrt(certain / size + deviation**2 / labels)
        half = NORMAL_REACH * error
        if labels < size and half < _NARROWER_SHARE * (high - low) / 2:
            return verdicts._replace(labels=labels, narrowed=half)
    return verdicts


def expected_share(counts: pd.DataFrame) -> float:
    """Return the share of answers that is expected to be right, by the probabilities of verdicts.

    >>> import pandas as pd
    >>> round(expected_share(pd.DataFrame({"hit": [True, False], SURE: [0.9, 0.8]})), 2)
    0.55
    """
    return float(_expected_hits(counts).mean())


def _expected_hits(counts: pd.DataFrame) -> pd.Series[float]:
    """Return how probable it is that each answer is right."""
    hits = counts["hit"].astype(float)
    return hits * counts[SURE] + (1 - hits) * (1 - counts[SURE])


def expected_counts(counts: pd.DataFrame) -> pd.DataFrame:
    """Return counts in which answers in words are right with their probability.

    >>> import pandas as pd
    >>> hits = [1.0, 0.0]
    >>> columns = dict.fromkeys(["tp", "fp", "fn", "precision", "recall", "f1", "hit"], hits)
    >>> expected_counts(pd.DataFrame({**columns, SURE: [0.9, 0.8]}))["f1"].round(2).tolist()
    [0.9, 0.2]
    """
    if SURE not in counts:
        return counts
    return if_right(counts, _expected_hits(counts) - counts["hit"].astype(float))


def reversed_share(first: pd.DataFrame, second: pd.DataFrame) -> float:
    """Return how often the better of two runs is no longer better when verdicts are drawn.

    Verdicts are drawn from their probabilities; both tables have the same questions.
    """
    rng = np.random.default_rng(SEED)
    guessed = []
    drawn = []
    for counts in (first, second.loc[first.index]):
        hit = counts["hit"].astype(float).to_numpy() > _RIGHT
        wrong = rng.random((_DRAWS, len(hit))) > counts[SURE].to_numpy()
        guessed.append(hit.mean())
        drawn.append((hit ^ wrong).mean(axis=1))
    sign = np.sign(guessed[0] - guessed[1])
    if not sign:
        return 0.0
    return float(np.mean(np.sign(drawn[0] - drawn[1]) != sign))
