"""Estimates of the score on the full benchmark for runs on a sample of it; refused where the sample cannot speak for it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qaldgen.analysis.estimation import estimate_mean
from qaldgen.analysis.slices import ALL, Slice
from qaldgen.errors import DataError, UsageError
from qaldgen.scoring.gold import Gold

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.scoring.score import Scores

#: Measures that are means over questions, and the column of the counts they are the mean of.
MEANS = {"macro-f1": "f1", "macro-precision": "precision", "macro-recall": "recall", "hit-at-1": "hit"}
_COLUMNS = ("slice", "run", "estimator", "estimate", "low", "high", "questions", "pool", "worth", "method")


class _Part(NamedTuple):
    """The sampled questions of one slice: their ids, inclusion probabilities and features, and how many the pool has."""

    name: str
    ids: list[str]
    chance: np.ndarray
    features: np.ndarray | None
    pool: int


def estimate_runs(
    gold: Gold,
    scored: Sequence[Scores],
    *,
    measure: str = "macro-f1",
    slices: Sequence[Slice] = (),
    others: pd.DataFrame | None = None,
    families: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Estimate the score of each run, and the difference of each two, on the whole pool.

    Parameters
    ----------
    gold
        The benchmark.
    scored
        Runs on its questions.
    measure
        A key of `MEANS`.
    slices
        Parts of the pool to estimate too; how many questions of the pool are in each is estimated as well. No interval below
        five sampled questions.
    others
        Scores of other systems on all questions of the pool (index: the question's id or IRI), used as a control variate for
        the whole pool; never those of the run itself or of its family. Not for ranking: the difference of two runs on the same
        questions does that.
    families
        System to family.

    Returns
    -------
    pandas.DataFrame
        ``slice`` (``(all)`` first), ``run`` (or ``A - B``), ``estimator`` (``sample``, ``with others`` or ``difference``),
        ``estimate``, ``low``, ``high``, ``questions``, ``pool``, ``worth`` (random questions that tell as much), ``method``.

    Raises
    ------
    UsageError
        If the measure is no mean, or the sample is purposive.
    DataError
        If questions of the benchmark are not among the others' results.
    """
    import pandas as pd

    if measure not in MEANS:
        raise UsageError(f"only means over questions can be estimated: {', '.join(MEANS)}; not {measure}")
    inclusion, pool = _design(gold)
    index = scored[0].counts.index
    chance = pd.Series([inclusion[name] for name in index], index=index, dtype=float)
    whole = _Part(ALL, list(index), chance.to_numpy(), _features(gold, list(index)), pool)
    rows: list[tuple[object, ...]] = []
    for part in [whole, *(_part(gold, one, chance) for one in slices)]:
        scores = {one.name: one.counts.loc[part.ids, MEANS[measure]].to_numpy(dtype=float) for one in scored}
        for name, own in scores.items():
            rows.append(_row(part, name, "sample", own))
            if others is not None and part is whole:
                control = _control(gold, part.ids, others, name, families or {}, pool)
                rows.append(_row(part, name, "with others", own, control=control))
        for first, second in itertools.combinations(scores, 2):
            rows.append(_row(part, f"{first} - {second}", "difference", scores[first] - scores[second], low=-1.0))
    return pd.DataFrame(rows, columns=list(_COLUMNS))


def _part(gold: Gold, one: Slice, chance: pd.Series[float]) -> _Part:
    """Return the sampled questions of a slice; each stands for 1 / inclusion probability of the pool."""
    ids = [name for name in chance.index if name in set(one.ids)]
    own = chance.loc[ids].to_numpy()
    return _Part(one.name, ids, own, _features(gold, ids), max(len(ids), round(float(np.sum(1 / own)))))


def _row(
    part: _Part,
    name: str,
    estimator: str,
    scores: np.ndarray,
    *,
    control: tuple[np.ndarray, float] | None = None,
    low: float = 0.0,
) -> tuple[object, ...]:
    known, mean = control if control else (None, 0.0)
    found = estimate_mean(
        scores, part.chance, part.pool, features=part.features, others=known, others_mean=mean, bounds=(low, 1.0)
    )
    figures = (found.estimate, found.low, found.high, found.n, found.pool_size, found.worth, found.method)
    return (part.name, name, estimator, *figures)


def _design(gold: Gold) -> tuple[Mapping[str, float], int]:
    if gold.benchmark is None:
        raise UsageError("an estimate needs the benchmark as RDF (.ttl), which says how its questions were drawn from which pool")
    if gold.benchmark.design != "probability":
        method, pool = gold.benchmark.provenance.method, f"{gold.benchmark.pool_size:,}"
        raise UsageError(
            f"{method} chose these questions on purpose, so their score is no estimate of the score on all {pool} questions, and "
            "no interval around it is honest; draw a sample by lpm, hybrid, stratified or random"
        )
    return gold.inclusion, gold.benchmark.pool_size


def _features(gold: Gold, ids: Sequence[str]) -> np.ndarray | None:
    """Return the features in which the design spread its questions; None for simple random samples."""
    matrix = gold.vectors()
    if matrix is None or gold.benchmark is None or gold.benchmark.provenance.method == "random":
        return None
    place = {question.id: at for at, question in enumerate(gold.questions.questions)}
    return np.asarray(matrix[[place[name] for name in ids]])


def _control(
    gold: Gold, ids: Sequence[str], others: pd.DataFrame, system: str, families: Mapping[str, str], pool: int
) -> tuple[np.ndarray, float]:
    """Return the mean score of the other families' systems, on the sampled questions and over the pool."""
    family = families.get(system, system)
    columns = [name for name in others.columns if families.get(str(name), str(name)) != family]
    if not columns:
        raise UsageError(f"--others: all systems are of the family of {system}; there is no other that could help")
    mean = others[columns].mean(axis=1)
    iris = {question.id: question.iri for question in gold.questions.questions}
    keys = [name if name in mean.index else iris[name] for name in ids]
    absent = [name for name, key in zip(ids, keys, strict=True) if key not in mean.index]
    if absent:
        raise DataError(f"--others: {len(absent)} of {len(ids)} questions of the benchmark have no results (first: {absent[0]})")
    if len(mean) != pool:
        raise DataError(f"--others: has results on {len(mean):,} questions, the pool has {pool:,}; the whole pool is needed")
    return mean.loc[keys].to_numpy(dtype=float), float(mean.mean())
