"""Estimates of the score on the full benchmark for runs on a sample of it; refused where the sample cannot speak for it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from qaldgen.analysis.design import Design, design_of
from qaldgen.analysis.estimation import Estimate
from qaldgen.analysis.slices import ALL, Slice, group_scores
from qaldgen.errors import DataError, UsageError
from qaldgen.scoring.gold import Gold
from qaldgen.scoring.measures import MEASURES, Measure, find_measure, parts

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.scoring.score import Scores

_COLUMNS = ("slice", "run", "estimator", "estimate", "low", "high", "questions", "pool", "effective_size", "method")


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
        A measure that is a mean over questions.
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
        ``estimate``, ``low``, ``high``, ``questions``, ``pool``,
        ``effective_size`` (random questions that tell as much), ``method``.

    Raises
    ------
    UsageError
        If the measure is no mean, or the sample is purposive.
    DataError
        If questions of the benchmark are not among the others' results.
    """
    import pandas as pd

    kind = _mean_measure(measure, scored[0])
    index = list(scored[0].counts.index)
    design = _design(gold).restricted(index)
    rows: list[tuple[object, ...]] = []
    for part in [Slice(ALL, tuple(index)), *slices]:
        ids = [name for name in index if name in set(part.ids)]
        scores = {one.name: parts(one.counts.loc[ids], kind)[:, 0] for one in scored}
        for name, own in scores.items():
            rows.append(_row(part.name, name, "sample", design.estimate(ids, own, bounds=kind.bounds)))
            if others is not None and part.name == ALL:
                known, mean = _control(gold, ids, others, name, families or {}, design.pool)
                found = design.estimate(ids, own, others=known, others_mean=mean, bounds=kind.bounds)
                rows.append(_row(part.name, name, "with others", found))
        rows += _differences(part.name, ids, scores, kind, design)
    return pd.DataFrame(rows, columns=list(_COLUMNS))


def _differences(
    name: str, ids: Sequence[str], scores: Mapping[str, np.ndarray], kind: Measure, design: Design
) -> Iterator[tuple[object, ...]]:
    """Yield the estimate of each difference of two runs."""
    reach = kind.bounds[1] - kind.bounds[0]
    for one, two in itertools.combinations(scores, 2):
        found = design.estimate(ids, scores[one] - scores[two], bounds=(-reach, reach))
        yield _row(name, f"{one} - {two}", "difference", found)


def group_estimates(counts: pd.DataFrame, slices: Iterable[Slice], measure: str, design: Design) -> pd.DataFrame:
    """Return the table of `slices.group_scores`, with the estimates of the scores on the whole pool.

    ``n`` are the questions at hand, ``share`` is the estimated share of the pool, ``effective_n`` how many questions of a random
    sample would tell as much.
    """
    import pandas as pd

    kind, named = find_measure(measure, counts), list(slices)
    rows = []
    for one in named:
        own = counts[one.mask(counts.index)]
        found = design.estimate(list(own.index), parts(own, kind)[:, 0], bounds=kind.bounds)
        share = found.pool_size / design.pool
        rows.append((found.n, share, found.estimate, found.low, found.high, found.effective_size, found.method))
    columns = ["n", "share", "estimate", "low", "high", "effective_n", "method"]
    return pd.DataFrame(rows, index=pd.Index([one.name for one in named], name="slice"), columns=columns)


def pool_or_sample_scores(
    counts: pd.DataFrame,
    slices: Iterable[Slice],
    measure: str,
    weights: pd.Series[float] | Design | None,
    random_state: int = 0,
) -> pd.DataFrame:
    """Return the scores on slices: estimates for the pool by a design, or the scores of these questions.

    A design gives intervals for means over questions; of any other measure the questions count by what they stand for.
    """
    if isinstance(weights, Design):
        if find_measure(measure, counts).is_mean:
            return group_estimates(counts, slices, measure, weights)
        weights = weights.weights()
    return group_scores(counts, slices, measure, weights=weights, random_state=random_state)


def pool_differences(
    pairs: pd.DataFrame, counts: Mapping[str, pd.DataFrame], slices: Iterable[Slice], measure: str, design: Design
) -> pd.DataFrame:
    """Return the table of tests of a comparison with differences and intervals that are estimates for the whole pool."""
    named = {one.name: one for one in slices}
    index = next(iter(counts.values())).index
    kind = find_measure(measure, next(iter(counts.values())))
    reach = kind.bounds[1] - kind.bounds[0]
    scores = {name: parts(own, kind)[:, 0] for name, own in counts.items()}
    masks = {name: one.mask(index) for name, one in named.items()}
    found = []
    for a, b, name in pairs[["a", "b", "slice"]].itertuples(index=False):
        inside = masks[name]
        one = design.estimate(list(index[inside]), (scores[a] - scores[b])[inside], bounds=(-reach, reach))
        found.append((one.estimate, one.low, one.high, one.method))
    difference, low, high, method = zip(*found, strict=True)
    return pairs.assign(difference=difference, low=low, high=high, method=method)


def _mean_measure(measure: str, one: Scores) -> Measure:
    means = [name for name, kind in MEASURES.items() if kind.is_mean]
    kind = find_measure(measure, one.counts)
    if not kind.is_mean:
        raise UsageError(f"only means over questions can be estimated: {', '.join(means)}; not {measure}")
    return kind


def _row(part: str, name: str, estimator: str, found: Estimate) -> tuple[object, ...]:
    figures = (found.estimate, found.low, found.high, found.n, found.pool_size, found.effective_size, found.method)
    return (part, name, estimator, *figures)


def _design(gold: Gold) -> Design:
    if gold.benchmark is None:
        raise UsageError("an estimate needs the benchmark as RDF (.ttl), which says how its questions were drawn from which pool")
    if gold.benchmark.design != "probability":
        method, pool = gold.benchmark.provenance.method, f"{gold.benchmark.pool_size:,}"
        raise UsageError(
            f"{method} chose these questions on purpose, so their score is no estimate of the score on all {pool} questions, and "
            "no interval around it is honest; draw a sample by lpm, hybrid, stratified or random"
        )
    found = design_of(gold)
    if found is None:
        raise UsageError("the benchmark does not say how likely each question was to be drawn; draw it again")
    return found


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
