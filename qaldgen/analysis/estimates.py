"""Estimates of the score on the full benchmark for runs on a sample of it.

Refused where the sample does not allow any.
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
from qaldgen.analysis.slicing import ALL, Slice, group_scores
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
    """Estimate the score of each run, and the difference of each pair, on the whole pool."""
    import pandas as pd

    kind = mean_measure(measure, scored[0])
    index = list(scored[0].counts.index)
    design = probability_design(gold).restricted(index)
    # An unfinished run counts only up to its first gap. Differences of two runs need the questions
    # that all of them were asked.
    usable = {one.name: set(prefix.speaking(design, one)) for one in scored}
    common = [name for name in index if all(name in own for own in usable.values())]
    rows: list[tuple[object, ...]] = []
    for part in [Slice(ALL, tuple(index)), *slices]:
        inside = set(part.ids)
        for one in scored:
            own = design.restricted([name for name in index if name in usable[one.name]])
            rows += _estimates(gold, one, part, own, kind, known)
        ids = [name for name in common if name in inside]
        together = {one.name: parts(one.counts.loc[ids], kind)[:, 0] for one in scored}
        rows += _differences(part.name, ids, together, kind, design.restricted(common))
    return pd.DataFrame(rows, columns=list(_COLUMNS))


def _estimates(
    gold: Gold, one: Scores, part: Slice, design: Design, kind: Measure, known: KnownScores | None
) -> Iterator[tuple[object, ...]]:
    """Yield the estimate of a run from its sample and, for the whole pool, with known scores."""
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
    """Say for each unfinished run how many questions its estimate is based on."""
    design = probability_design(gold).restricted(list(scored[0].counts.index))
    return [text for one in scored if (text := prefix.note(design, one))]


def _differences(
    name: str, ids: Sequence[str], scores: Mapping[str, np.ndarray], kind: Measure, design: Design
) -> Iterator[tuple[object, ...]]:
    """Yield the estimate of each difference of two runs."""
    reach = kind.bounds[1] - kind.bounds[0]
    for one, two in itertools.combinations(scores, 2):
        difference = design.estimate(ids, scores[one] - scores[two], bounds=(-reach, reach))
        yield _row(name, f"{one} - {two}", "difference", difference)


def group_estimates(
    counts: pd.DataFrame, slices: Iterable[Slice], measure: str, design: Design
) -> pd.DataFrame:
    """Return the table of `slicing.group_scores`, as estimates for the whole pool."""
    import pandas as pd

    kind, named = find_measure(measure, counts), list(slices)
    rows = []
    for one in named:
        own = counts[one.mask(counts.index)]
        result = design.estimate(list(own.index), parts(own, kind)[:, 0], bounds=kind.bounds)
        share = result.pool_size / design.pool
        rows.append(
            (
                result.n,
                share,
                result.estimate,
                result.low,
                result.high,
                result.effective_size,
                result.method,
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
    """Return the scores on slices: estimates for the pool by a design, or of these questions.

    A design gives intervals for means over questions; for any other measure it only provides the
    weights.
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
    """Return the tests of a comparison with differences and intervals for the whole pool."""
    named = {one.name: one for one in slices}
    index = next(iter(counts.values())).index
    kind = find_measure(measure, next(iter(counts.values())))
    reach = kind.bounds[1] - kind.bounds[0]
    scores = {name: parts(own, kind)[:, 0] for name, own in counts.items()}
    masks = {name: one.mask(index) for name, one in named.items()}
    figures = []
    for a, b, name in pairs[["a", "b", "slice"]].itertuples(index=False):
        inside = masks[name]
        one = design.estimate(
            list(index[inside]), (scores[a] - scores[b])[inside], bounds=(-reach, reach)
        )
        figures.append((one.estimate, one.low, one.high, one.method))
    difference, low, high, method = zip(*figures, strict=True)
    return pairs.assign(difference=difference, low=low, high=high, method=method)


def mean_measure(measure: str, one: Scores) -> Measure:
    """Return a measure that is a mean over questions."""
    means = [name for name, kind in MEASURES.items() if kind.is_mean]
    kind = find_measure(measure, one.counts)
    if not kind.is_mean:
        raise UsageError(
            f"only means over questions can be estimated: {', '.join(means)}; not {measure}"
        )
    return kind


def _row(part: str, name: str, estimator: str, result: Estimate) -> tuple[object, ...]:
    figures = (
        result.estimate,
        result.low,
        result.high,
        result.n,
        result.pool_size,
        result.effective_size,
        result.method,
    )
    return (part, name, estimator, *figures)


def probability_design(gold: Gold) -> Design:
    """Return the design of a benchmark."""
    if gold.benchmark is None:
        raise UsageError(
            "an estimate needs the benchmark as RDF (.ttl),"
            " which says how its questions were drawn from which pool"
        )
    if gold.benchmark.design != "probability":
        method, pool = gold.benchmark.provenance.method, f"{gold.benchmark.pool_size:,}"
        raise UsageError(
            f"{method} chose these questions on purpose, so their score does not estimate the score"
            f" on all {pool} questions, and no interval around it is honest; draw a sample by lpm,"
            " hybrid, stratified or random"
        )
    design = design_of(gold)
    if design is None:
        raise UsageError(
            "the benchmark does not say how likely each question was to be drawn; draw it again"
        )
    return design
