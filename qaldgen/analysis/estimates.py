"""Estimates of the score on the full benchmark for runs on a sample of it; refused where the sample cannot speak for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from qaldgen.analysis.estimation import estimate_mean
from qaldgen.errors import DataError, UsageError
from qaldgen.scoring.gold import Gold

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.scoring.score import Scores

#: Measures that are means over questions, and the column of the counts they are the mean of.
MEANS = {"macro-f1": "f1", "macro-precision": "precision", "macro-recall": "recall", "hit-at-1": "hit"}


def estimate_runs(
    gold: Gold,
    scored: Sequence[Scores],
    *,
    measure: str = "macro-f1",
    others: pd.DataFrame | None = None,
    families: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Estimate the score of each run on the whole pool.

    Parameters
    ----------
    gold
        The benchmark.
    scored
        Runs on its questions.
    measure
        A key of `MEANS`.
    others
        Scores of other systems on all questions of the pool (index: the question's id or IRI), used as a control variate; never
        those of the run itself or of its family. Not for ranking: compare systems on the same questions instead.
    families
        System to family.

    Returns
    -------
    pandas.DataFrame
        One row a run, with others a second one: ``run``, ``estimator`` (``sample`` or ``with others``), ``estimate``, ``low``,
        ``high``, ``questions``, ``pool``, ``worth`` (random questions that tell as much), ``method``.

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
    rows = []
    for one in scored:
        counts = one.counts
        chance = np.array([inclusion[name] for name in counts.index], dtype=float)
        features = _features(gold, list(counts.index))
        scores = counts[MEANS[measure]].to_numpy(dtype=float)
        found = [("sample", estimate_mean(scores, chance, pool, features=features))]
        if others is not None:
            known, mean = _control(gold, list(counts.index), others, one.name, families or {}, pool)
            adjusted = estimate_mean(scores, chance, pool, features=features, others=known, others_mean=mean)
            found.append(("with others", adjusted))
        for label, value in found:
            low, high = value.low, value.high
            rows.append((one.name, label, value.estimate, low, high, value.n, value.pool_size, value.worth, value.method))
    columns = ["run", "estimator", "estimate", "low", "high", "questions", "pool", "worth", "method"]
    return pd.DataFrame(rows, columns=columns)


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
