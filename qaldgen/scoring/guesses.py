"""How many answers of a run are right: the prior of the run, the expected share, its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qaldgen.defaults import LEVEL_LABEL, SEED
from qaldgen.io.text import count
from qaldgen.scoring.counts import counts_if_right
from qaldgen.scoring.intervals import NORMAL_REACH
from qaldgen.scoring.mean_bounds import Array, wilson_bounds
from qaldgen.scoring.verdict_model import (
    MAX_UNSURE,
    MAX_UNTRUE,
    MIN_MISSED,
    MIN_SURE,
    SignEvidence,
    VerdictModel,
    fitted_model,
)

if TYPE_CHECKING:
    import pandas as pd


#: The column of the counts: the probability that the verdict on an answer is right.
SURE = "sure"
#: With fewer answers than this the prior of the fitted data stands.
MIN_ANSWERS = 30

#: An answer with at least this hit counts as right.
_RIGHT = 0.5
#: The most steps in which a prior is improved.
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
        Its standard error: from the sample, and from how far data sets differ.
    labels : int
        How many hand labels it rests on.
    learnt : float
        How much of it is learnt from the answers of the run, from 0 to 1.
    """

    log_odds: float
    error: float
    labels: int = 0
    learnt: float = 0.0


def fitted_prior(model: VerdictModel | None = None) -> Prior:
    """Return the prior of the answers that the model was fitted to."""
    model = model or fitted_model()
    return Prior(model.prior, model.spread)


def learn_prior(
    answers: Sequence[SignEvidence],
    labels: Mapping[int, float] | None = None,
    model: VerdictModel | None = None,
) -> Prior:
    """Return the prior of a run, learnt from its answers and from hand labels on some of them.

    Expectation maximisation for a shift of the share that is right (Saerens, Latinne, Decaestecker
    2002), with the prior of the fitted data. All answers together are worth a limited number
    (`VerdictModel.worth`), as the signs of one run do not speak equally well in another. They are
    worth less the less they differ: if all signs are equal, they may be due to the run or to the
    answers. Labels, by the index of the answer, count in full.

    >>> evidence = [SignEvidence(4.0)] * 60 + [SignEvidence(-4.0)] * 40
    >>> round(learn_prior(evidence).log_odds, 1), learn_prior(evidence[:9]) == fitted_prior()
    (0.4, True)
    >>> round(learn_prior(evidence[:60]).log_odds, 1) == round(fitted_prior().log_odds, 1)
    True
    """
    model = model or fitted_model()
    log_odds = np.array([evidence.log_odds for evidence in answers], dtype=float)
    max_chances = np.array([evidence.max_chance for evidence in answers], dtype=float)
    prior = fitted_prior(model)
    if len(log_odds) >= MIN_ANSWERS:
        prior = _learn_from_signs(log_odds, max_chances, model)
    if not labels:
        return prior
    return _learn_from_labels(prior, log_odds, labels)


def _chances(log_odds: Array) -> Array:
    return 1 / (1 + np.exp(-np.clip(log_odds, -700, 700)))


def slope(chances: Array) -> float:
    """Return the derivative of the expected share with respect to the prior.

    The prior does not move the chances that are at a bound.

    >>> round(slope(np.array([0.5, 1.0, MAX_UNSURE, MAX_UNTRUE])), 4)
    0.0625
    """
    bounds = np.array([MIN_MISSED, MAX_UNSURE, MAX_UNTRUE])
    is_free = ~np.isclose(chances[:, None], bounds, rtol=0, atol=_SMALL).any(axis=1)
    return max(float((chances * (1 - chances) * is_free).mean()), _SMALL)


def _learn_from_signs(log_odds: Array, max_chances: Array, model: VerdictModel) -> Prior:
    """Return the prior learnt from the signs of all answers."""
    shift = model.prior
    chances = _chances(log_odds + model.prior)
    contrast = float(chances.var() / (chances.mean() * (1 - chances.mean())))
    worth = contrast * min(len(log_odds), model.worth)
    for _ in range(_MAX_STEPS):
        # a step towards the mean of the chances, which is the gradient of their likelihood
        share = float(_chances(log_odds + shift).mean())
        prior_share = 1 / (1 + math.exp(-shift))
        gradient = worth * (share - prior_share) - (shift - model.prior) / model.spread**2
        curvature = worth * prior_share * (1 - prior_share) + 1 / model.spread**2
        shift += gradient / curvature
        if abs(gradient / curvature) < _SMALL:
            break
    chances = _chances(log_odds + shift)
    information = worth * float(chances.var())
    precision = information + 1 / model.spread**2
    # the sample: the share, which counts as `worth` answers, is a mean of all answers
    sample_variance = worth * information / len(log_odds) / precision**2
    # the fitted mean, towards which the prior is drawn: runs are spread around it
    fitted_variance = 1 / (model.spread * precision) ** 2
    # the model on another data set, as an error of the prior
    bounded_chances = max_chances * chances
    share = float(bounded_chances.mean())
    model_variance = share * (1 - share) * (model.doubt / slope(bounded_chances)) ** 2
    error = math.sqrt(sample_variance + fitted_variance + model_variance)
    return Prior(shift, error, learnt=information / precision)


def _learn_from_labels(prior: Prior, log_odds: Array, labels: Mapping[int, float]) -> Prior:
    """Return a prior corrected by hand labels."""
    indices = np.array(list(labels), dtype=int)
    values = np.array(list(labels.values()), dtype=float)
    shift = prior.log_odds
    precision = prior.error**-2
    for _ in range(_MAX_STEPS):
        chances = _chances(log_odds[indices] + shift)
        gradient = float((values - chances).sum()) - (shift - prior.log_odds) * precision
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


def count_guesses(
    counts: pd.DataFrame, prior: Prior | None = None, model: VerdictModel | None = None
) -> RunVerdicts | None:
    """Return how many verdicts in a table of counts are guesses, and how many answers are right.

    None if the verdicts have no probabilities. The interval is Wilson's around the share that is
    expected to be right; its variance is that of the sample plus that of the prior, whose error
    moves all probabilities to one side. Above, it also reaches over what people may accept of the
    answers judged wrong, which differs between data sets, and which no sign shows.

    >>> import pandas as pd
    >>> counts = pd.DataFrame({"hit": [True] * 60 + [False] * 40, SURE: [0.97] * 90 + [0.8] * 10})
    >>> verdicts = count_guesses(counts, Prior(0.0, 1.0))
    >>> [round(value, 2) for value in verdicts[:6]]
    [10, 100, 0.6, 0.61, 0.48, 0.74]
    """
    if SURE not in counts or counts.empty:
        return None
    model = model or fitted_model()
    prior = prior or fitted_prior(model)
    chances = np.array(_expected_hits(counts), dtype=float)
    size = len(counts)
    expected = float(chances.mean())
    prior_slope = slope(chances)
    # the variance of the sample: that of the chances, and twice their covariance with the prior;
    # at least that of a sample whose verdicts are all known
    binomial = expected * (1 - expected)
    sample_variance = max(float(chances.var()) + 2 * prior.learnt * prior_slope, binomial) / size
    # Wilson's interval of as many answers as have that variance
    z = NORMAL_REACH
    variance = sample_variance + (prior.error * prior_slope) ** 2
    effective_size = binomial / variance if 0 < expected < 1 else size
    low, high = wilson_bounds(expected, effective_size, z)
    # without an answer, nothing is missed
    share_wrong = float(((chances > 0) & (chances < 1 / 2)).mean())
    missed = model.missed
    if prior.labels:  # these show how much
        n_wrong = prior.labels * share_wrong
        missed = (missed**-2 + n_wrong / (missed * (1 - missed))) ** -0.5
    high = min(1.0, expected + math.hypot(high - expected, z * missed * share_wrong))
    # labels correct the verdicts however good the model is; uncertain answers are labelled first
    labels = 0
    narrowed = 0.0
    deviation = float(np.sqrt(chances * (1 - chances)).mean())
    for n_labels in _LABEL_NUMBERS:
        half_width = z * math.sqrt(binomial / size + deviation**2 / n_labels)
        if n_labels < size and half_width < _NARROWER_SHARE * (high - low) / 2:
            labels = n_labels
            narrowed = half_width
            break
    return RunVerdicts(
        guesses=int((counts[SURE] < MIN_SURE).sum()),
        verdicts=size,
        accuracy=float((counts["hit"].astype(float) > _RIGHT).mean()),
        expected=expected,
        low=low,
        high=high,
        labels=labels,
        narrowed=narrowed,
    )


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
    return counts_if_right(counts, _expected_hits(counts) - counts["hit"].astype(float))


def reversed_share(first: pd.DataFrame, second: pd.DataFrame) -> float:
    """Return how often the better of two runs is no longer better when verdicts are drawn.

    Verdicts are drawn from their probabilities; both tables have the same questions.
    """
    rng = np.random.default_rng(SEED)
    shares = []
    drawn_shares = []
    for counts in (first, second.loc[first.index]):
        is_hit = counts["hit"].astype(float).to_numpy() > _RIGHT
        is_wrong = rng.random((_DRAWS, len(is_hit))) > counts[SURE].to_numpy()
        shares.append(is_hit.mean())
        drawn_shares.append((is_hit ^ is_wrong).mean(axis=1))
    sign = np.sign(shares[0] - shares[1])
    if not sign:
        return 0.0
    return float(np.mean(np.sign(drawn_shares[0] - drawn_shares[1]) != sign))
