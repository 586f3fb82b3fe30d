"""Estimates of the score on the full benchmark for runs on a sample of it.

Refused where the sample cannot speak for it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from qaldgen.analysis import prefix
from qaldgen.analysis.design import Design, design_of
from qaldgen.analysis.estimation import Estimate
from qaldgen.analysis.known_scores import KnownScores
from qaldgen.analysis.slices import ALL, Slice, group_scores
from qaldgen.errors import UsageError
from qaldgen.scoring.gold import Gold
from qaldgen.scoring.measures import MEASURES, Measure, find_measure, parts

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.scoring.score import Scores

_COLUMNS = (
    "slice",
    "run",
    "estimator",
    "estimate",
    "low",
    "high",
    "questions",
    "pool",
    "effective_size",
    "method",
)


def estimate_runs(
    gold: Gold,
    scored: Sequence[Scores],
    *,
    measure: str = "macro-f1",
    slices: Sequence[Slice] = (),
    known: KnownScores | None = None,
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
        Parts of the pool to estimate too; how many questions of the pool are in each is estimated
        as well. No interval below five sampled questions.
    known
        Scores on all questions of the pool, used as control variates for the whole pool; never
        those of the run itself. Not for ranking: the difference of two runs on the same questions
        does that.

    Returns
    -------
    pandas.DataFrame
        ``slice`` (``(all)`` first), ``run`` (or ``A - B``), ``estimator`` (``sample``, ``with
        others`` or ``difference``), ``estimate``, ``low``, ``high``, ``questions``, ``pool``,
        ``effective_size`` (random questions that tell as much), ``method``.

    Raises
    ------
    UsageError
        If the measure is no mean, or the sample is purposive.
    DataError
        If questions of the benchmark are not among the others' results.
    """
    import pandas as pd

    kind = mean_measure(measure, scored[0])
    index = list(scored[0].counts.index)
    design = probability_design(gold).restricted(index)
    told = {one.name: set(prefix.speaking(design, one)) for one in scored}
    common = [name for name in index if all(name in own for own in told.values())]
    rows: list[tuple[object, ...]] = []
    for part in [Slice(ALL, tuple(index)), *slices]:
        inside = set(part.ids)
        for one in scored:
            own = design.restricted([name for name in index if name in told[one.name]])
            rows += _estimates(gold, one, part, own, kind, known)
        ids = [name for name in common if name in inside]
        together = {one.name: parts(one.counts.loc[ids], kind)[:, 0] for one in scored}
        rows += _differences(part.name, ids, together, kind, design.restricted(common))
    return pd.DataFrame(rows, columns=list(_COLUMNS))


def _estimates(
    gold: Gold, one: Scores, part: Slice, design: Design, kind: Measure, known: KnownScores | None
) -> Iterator[tuple[object, ...]]:
    """Yield the estimate of a run from its sample, and of the whole pool the one that known scores sharpen."""
    inside = set(part.ids)
    ids = [name for name in design.inclusion if name in inside]
    scores = parts(one.counts.loc[ids], kind)[:, 0]
    yield _row(part.name, one.name, "sample", design.estimate(ids, scores, bounds=kind.bounds))
    if known is not None and part.name == ALL:
        columns = known.for_run(gold, one.name, ids, scores, design.pool)
        yield _row(
            part.name,
            one.name,
            "with others",
            design.estimate_with(ids, scores, columns, bounds=kind.bounds),
        )


def prefix_notes(gold: Gold, scored: Sequence[Scores]) -> list[str]:
    """Say for each run that is not finished from how many questions its estimate is."""
    design = probability_design(gold).restricted(list(scored[0].counts.index))
    return [told for one in scored if (told := prefix.note(design, one))]


def _differences(
    name: str, ids: Sequence[str], scores: Mapping[str, np.ndarray], kind: Measure, design: Design
) -> Iterator[tuple[object, ...]]:
    """Yield the estimate of each difference of two runs."""
    reach = kind.bounds[1] - kind.bounds[0]
    for one, two in itertools.combinations(scores, 2):
        found = design.estimate(ids, scores[one] - scores[two], bounds=(-reach, reach))
        yield _row(name, f"{one} - {two}", "difference", found)


def group_estimates(
    counts: pd.DataFrame, slices: Iterable[Slice], measure: str, design: Design
) -> pd.DataFrame:
    """Return the table of `slices.group_scores`, with the estimates of the scores on the whole pool.

    ``n`` are the questions at hand, ``share`` is the estimated share of the pool, ``effective_n``
    how many questions of a random sample would tell as much.
    """
    import pandas as pd

    kind, named = find_measure(measure, counts), list(slices)
    rows = []
    for one in named:
        own = counts[one.mask(counts.index)]
        found = design.estimate(list(own.index), parts(own, kind)[:, 0], bounds=kind.bounds)
        share = found.pool_size / design.pool
        rows.append(
            (
                found.n,
                share,
                found.estimate,
                found.low,
                found.high,
                found.effective_size,
                found.method,
            )
        )
    columns = ["n", "share", "estimate", "low", "high", "effective_n", "method"]
    return pd.DataFrame(
        rows, index=pd.Index([one.name for one in named], name="slice"), columns=columns
    )


def pool_or_sample_scores(
    counts: pd.DataFrame,
    slices: Iterable[Slice],
    measure: str,
    weights: pd.Series[float] | Design | None,
    random_state: int = 0,
) -> pd.DataFrame:
    """Return the scores on slices.

    Estimates for the pool by a design, or the scores of these questions.

    A design gives intervals for means over questions; of any other measure the questions count by
    what they stand for.
    """
    if isinstance(weights, Design):
        if find_measure(measure, counts).is_mean:
            return group_estimates(counts, slices, measure, weights)
        weights = weights.weights()
    return group_scores(counts, slices, measure, weights=weights, random_state=random_state)


def pool_differences(
    pairs: pd.DataFrame,
    counts: Mapping[str, pd.DataFrame],
    slices: Iterable[Slice],
    measure: str,
    design: Design,
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
        one = design.estimate(
            list(index[inside]), (scores[a] - scores[b])[inside], bounds=(-reach, reach)
        )
        found.append((one.estimate, one.low, one.high, one.method))
    difference, low, high, method = zip(*found, strict=True)
    return pairs.assign(difference=difference, low=low, high=high, method=method)


def mean_measure(measure: str, one: Scores) -> Measure:
    """Return a measure that is a mean over questions; raises UsageError if it is none."""
    means = [name for name, kind in MEASURES.items() if kind.is_mean]
    kind = find_measure(measure, one.counts)
    if not kind.is_mean:
        raise UsageError(
            f"only means over questions can be estimated: {', '.join(means)}; not {measure}"
        )
    return kind


def _row(part: str, name: str, estimator: str, found: Estimate) -> tuple[object, ...]:
    figures = (
        found.estimate,
        found.low,
        found.high,
        found.n,
        found.pool_size,
        found.effective_size,
        found.method,
    )
    return (part, name, estimator, *figures)


def probability_design(gold: Gold) -> Design:
    """Return the design of a benchmark.

    Raises
    ------
    UsageError
        If there is none: the questions were chosen on purpose, or the file does not say how.
    """
    if gold.benchmark is None:
        raise UsageError(
            "an estimate needs the benchmark as RDF (.ttl), which says how its questions were drawn"
            " from which pool"
        )
    if gold.benchmark.design != "probability":
        method, pool = gold.benchmark.provenance.method, f"{gold.benchmark.pool_size:,}"
        raise UsageError(
            f"{method} chose these questions on purpose, so their score is no estimate of the score"
            f" on all {pool} questions, and no interval around it is honest; draw a sample by lpm,"
            " hybrid, stratified or random"
        )
    found = design_of(gold)
    if found is None:
        raise UsageError(
            "the benchmark does not say how likely each question was to be drawn; draw it again"
        )
    return found
