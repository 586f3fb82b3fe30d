"""Weak spots: the kinds of questions on which systems are worse than elsewhere."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qaldgen.analysis.common_questions import on_common_questions
from qaldgen.analysis.estimating.design import pool_or_sample_scores
from qaldgen.analysis.feature_table import features_of
from qaldgen.analysis.mistakes import TypeSource, score_for
from qaldgen.analysis.scores import AnyRun, notes_of, on_editions
from qaldgen.analysis.slices import search, sizes
from qaldgen.analysis.slices.examples import failed_questions
from qaldgen.analysis.slices.kinds import CODE, Kinds, kinds_of
from qaldgen.analysis.slices.result import WeakSpot, WeakSpots
from qaldgen.analysis.slices.slicing import Slice
from qaldgen.errors import DataError, UsageError
from qaldgen.features.labels import kin_of
from qaldgen.io.arguments import check_share, check_whole
from qaldgen.io.concurrency import one_thread
from qaldgen.io.result_cache import cached
from qaldgen.io.text import count
from qaldgen.options import (
    Count,
    Extractions,
    Matchers,
    Measures,
    MissingAnswers,
    Repeats,
    SameAs,
    Seed,
    Share,
)
from qaldgen.runs.reading import read_runs
from qaldgen.scoring.gold import AnyGold, as_gold, gold_as_run, why_not_tested
from qaldgen.scoring.matchers import AUTO, Resolved, Scoring
from qaldgen.scoring.measures import Array, Measure, find_measure
from qaldgen.scoring.missing import DEFAULT, check_rule
from qaldgen.scoring.score import Scores
from qaldgen.scoring.verdicts import Verdicts

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.analysis.estimating.design import Design

__all__ = ["WeakSpot", "WeakSpots", "find_weak_spots", "slices"]

#: Fewer questions are not searched: no weakness of a kind of them would be seen.
_LEAST_QUESTIONS = 40
#: Permutations, and how many of more scores than `_MANY`.
_RESAMPLES, _FEWER, _MANY = 499, 199, 20_000
#: Spots of two systems with this overlap (Jaccard) are one weakness that they share.
_SHARED = 0.5
#: How many other names of a spot are told.
_NAMES = 3


def slices(
    gold: AnyGold,
    runs: AnyRun | Sequence[AnyRun] | None = None,
    *,
    against: AnyRun | None = None,
    measure: Measures = "macro-f1",
    missing: MissingAnswers = DEFAULT,
    match: Matchers | Verdicts | Resolved = AUTO,
    same_as: SameAs = "none",
    language: str = "en",
    aliases: Mapping[str, Sequence[str]] | str | Path | None = None,
    labels: str = "",
    extract: Extractions = "auto",
    repeats_as: Repeats | None = None,
    also_gold: AnyGold | Sequence[AnyGold] = (),
    types: TypeSource | None = None,
    min_support: Count | None = None,
    alpha: Share = 0.05,
    n_resamples: Count | None = None,
    random_state: Seed = 0,
) -> WeakSpots:
    """Find the kinds of questions on which systems are worse than elsewhere.

    A kind is a condition on a feature, or two of them. All kinds, systems and questions are
    searched at once, and a claim is compared with the largest one that scores make which are dealt
    out to the questions at random. What a finding explains is taken away before the next one is
    looked for, so that its shadows are no findings of their own.

    Parameters
    ----------
    gold
        The questions: a file, the name of a public set, a question set or a benchmark.
    runs
        One system or more: files, dicts, DataFrames, what `read_run` or `ask` returns, or scores;
        None if the questions have answers in a column of their own.
    against
        Another system: find where the only run is worse compared with this one.
    measure
        What is searched for.

        A key of `qaldgen.scoring.measures.MEASURES`, of each question alone.
    missing
        See `compare`.
    match, same_as, language, aliases, labels, extract, repeats_as, also_gold
        See `score`.
    types
        See `compare`.
    min_support
        Fewest questions of a kind. Default: 1 %, at least 8.
    alpha
        The chance of naming any weak spot of any system if there is none.
    n_resamples
        Random permutations. Default: 499; 199 of more than 20,000 scores.
    random_state
        The seed of permutations and bootstrap samples.

    Returns
    -------
    WeakSpots
        By system what was found, how large it is, and what could have been found.

    Raises
    ------
    UsageError
        If a name is unknown, or `against` is given with several runs.
    DataError
        If a file cannot be read, or two runs have the same name.

    Examples
    --------
    >>> import qaldgen as qg
    >>> found = qg.slices("gold.json", ["mine.json", "other.json"])  # doctest: +SKIP
    >>> print(found)  # doctest: +SKIP
    """
    check_rule(missing)
    asked = as_gold(gold, language=language)
    runs = gold_as_run(gold, asked.questions.format) if runs is None else runs
    several = read_runs(runs, asked.questions, language, kept=Scores)
    if against is not None and len(several) != 1:
        raise UsageError("against compares one run with another; give one run")
    how = Scoring(match, same_as, language, aliases, labels, extract, repeats_as)
    both = [*several, *([] if against is None else [against])]
    scored = score_for(measure, asked, both, how, types)
    asked, scored = on_editions(asked, scored, how, also_gold)
    same, note = on_common_questions(scored, missing)
    table, problems = features_of(asked, language=language)
    return find_weak_spots(
        same,
        table,
        {question.id: question.text(language) for question in asked.questions.questions},
        measure=measure,
        difference=against is not None,
        min_support=min_support,
        alpha=alpha,
        n_resamples=n_resamples,
        random_state=random_state,
        untested=why_not_tested(asked, [spot.run for spot in same]),
        notes=notes_of(same, note, *problems),
    )


@one_thread()
def find_weak_spots(
    scored: Sequence[Scores],
    table: pd.DataFrame,
    texts: Mapping[str, str],
    *,
    measure: str = "macro-f1",
    difference: bool = False,
    weights: pd.Series[float] | Design | None = None,
    min_support: int | None = None,
    alpha: float = 0.05,
    n_resamples: int | None = None,
    random_state: int = 0,
    untested: str = "",
    notes: tuple[str, ...] = (),
) -> WeakSpots:
    """Search runs that were scored on the same questions: all of them at once; see `slices`.

    The search is unweighted; the weights, or the design of a probability sample, are for the
    scores that are reported. `difference` searches the first run minus the second; `untested` says
    why nothing is searched.
    """
    if measure == "consistency":  # which a question alone has not
        measure = "inconsistent"
    check_share("alpha", alpha)
    if n_resamples is not None:
        check_whole("n_resamples", n_resamples, 19, 1_000_000)
    check_whole("random_state", random_state, 0)
    if min_support is not None:
        check_whole("min_support", min_support, 2)
    names = [scores.name for scores in scored]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"two runs have the name {twice!r}; give each a name of its own")
    scores = _scores_to_search(scored, measure)
    if difference:
        scores = (scores.iloc[:, 0] - scores.iloc[:, 1]).to_frame(names[0])
    kind = find_measure(measure, scored[0].counts)
    found = WeakSpots(
        dict.fromkeys(map(str, scores), ()),
        questions=len(scores),
        measured=_measured(kind, names if difference else ()),
        alpha=alpha,
        random_state=random_state,
        notes=notes,
    )
    are = "is" if len(scores) == 1 else "are"
    few = f"{count(len(scores), 'question')} {are} too few to search for weak spots"
    too_few = f"{few}; {_LEAST_QUESTIONS} are needed." if len(scores) < _LEAST_QUESTIONS else ""
    if why_not := untested or too_few:
        return dataclasses.replace(found, why_not=why_not)
    conditions = kinds_of(table, scores.index, min_support=min_support)
    if not len(conditions):
        why = "No feature divides these questions into kinds that are large enough to search."
        return dataclasses.replace(found, why_not=why)
    values = scores.to_numpy(dtype=np.float64)
    made = n_resamples or (_RESAMPLES if values.size <= _MANY else _FEWER)
    settings = repr((alpha, made, random_state))
    outcome = cached(
        "weak spots",
        [values, conditions.masks, conditions.pairs, conditions.cost, settings],
        lambda: _search(values, conditions, alpha, made, random_state),
    )
    top = None
    if not kind.higher_is_better:  # what was subtracted from, for a difference nothing
        top = 0.0 if difference else kind.bounds[1]
    spots = {
        system: tuple(
            _spot(spot, system, scores, conditions, texts, top) for spot in outcome["spots"][at]
        )
        for at, system in enumerate(found.spots)
    }
    spots = _with_choosers(_with_sharers(spots), scored)
    if not difference:
        spots = _with_estimates(spots, scored, measure, weights, random_state)
    return dataclasses.replace(
        found,
        spots=spots,
        detectable={
            system: tuple(sizes.Detectable(*size) for size in outcome["detectable"][at])
            for at, system in enumerate(found.spots)
        },
        conditions=len(conditions.singles),
        pairs=len(conditions.pairs),
    )


def _scores_to_search(scored: Sequence[Scores], measure: str) -> pd.DataFrame:
    """Return a column for each system: a measure of each question alone, where low is bad."""
    import pandas as pd

    columns = {}
    for scores in scored:
        kind = find_measure(measure, scores.counts)
        values = kind.of_each(scores.counts)
        columns[scores.name] = values if kind.higher_is_better else kind.bounds[1] - values
    return pd.DataFrame(columns, index=scored[0].counts.index)


def _measured(kind: Measure, against: Sequence[str]) -> str:
    """Say what the scores of a search are."""
    words = kind.label.removesuffix(" score")
    words = words if kind.is_mean else f"{words} per question"
    words = words if kind.higher_is_better else f"{words} (lower is better)"
    return ", ".join([words, *([" minus ".join(against)] if against else [])])


def _search(
    values: Array, conditions: Kinds, alpha: float, n_resamples: int, seed: int
) -> dict[str, Any]:
    """Return findings with their sizes and other names, as JSON has them."""
    null = search.null_distribution(
        values, conditions, alpha=alpha, n_resamples=n_resamples, seed=seed
    )
    spots, seen = [], []
    for column, fit in zip(values.T, search.fit_kinds(values, conditions), strict=True):
        findings = search.find_weak_kinds(column, conditions, null, fit, alpha)
        numbers = [finding.number for finding in findings]
        masks = conditions.inside(np.array(numbers, dtype=np.intp))
        also = _also(_claimed(fit, conditions, null, numbers), masks, conditions)
        rows = []
        for at, finding in enumerate(findings):
            rest = np.asarray(~np.delete(masks, at, axis=0).any(axis=0))
            size = sizes.gap_of(column, rest, finding.number, conditions, fit, null, seed)
            rows.append([finding.number, finding.p, *size[1:], also[at]])
        spots.append(rows)
        seen.append([list(size) for size in sizes.detectable(column, null)])
    return {"spots": spots, "detectable": seen}


def _claimed(
    fit: search.Fit,
    conditions: Kinds,
    null: search.NullDistribution,
    named_kinds: Sequence[int],
) -> list[int]:
    """Return the single conditions that would be findings if nothing else were one; no codes."""
    singles = conditions.families[0]
    claims = fit.z[singles] + null.bars[0]
    seen = (claims <= null.critical) & (fit.difference[singles] <= -search.LEAST_DIFFERENCE)
    seen &= conditions.cost[singles] < CODE
    return [int(at) for at in np.flatnonzero(seen) if at not in named_kinds]


def _also(claimed: Sequence[int], masks: Any, conditions: Kinds) -> list[list[int]]:  # noqa: ANN401
    """Return by finding the kinds that are low because of it: those that overlap with it most."""
    inside = conditions.inside(np.array(claimed, dtype=np.intp)).astype(np.float64)
    findings = masks.astype(np.float64)
    sharers: list[list[int]] = [[] for _ in findings]
    if not len(findings) or not len(claimed):
        return sharers
    common = findings @ inside.T
    alike = common / (findings.sum(axis=1)[:, None] + inside.sum(axis=1)[None, :] - common)
    for at in np.lexsort((-alike.max(axis=0), conditions.cost[claimed])).tolist():
        sharers[int(alike[:, at].argmax())].append(claimed[at])
    return sharers


def _spot(
    row: Sequence[Any],
    system: str,
    scores: pd.DataFrame,
    conditions: Kinds,
    texts: Mapping[str, str],
    top: float | None,
) -> WeakSpot:
    """Put a weak spot together; scores of a measure of mistakes were subtracted from `top`."""
    number, p, expected, low, high, also = row
    values = scores[system].to_numpy(float)

    def shown(some: Any) -> float:  # noqa: ANN401 - a mask
        mean = float(values[some].mean())
        return mean if top is None else top - mean

    inside = conditions.inside(np.array([number]))[0]
    kind = conditions.slice_of(number)
    names: list[str] = []
    said = {kin_of(name) for name in conditions.features(number)}
    for other in also:
        kin = {kin_of(name) for name in conditions.features(other)}
        if not kin & said and len(names) < _NAMES:
            said |= kin
            (within,) = conditions.inside(np.array([other]))
            label = conditions.slice_of(other).label
            names.append(f"{label} ({shown(within):.2f}, elsewhere {shown(~within):.2f})")
    return WeakSpot(
        kind,
        shown(inside),
        shown(~inside),
        shown(slice(None)),
        expected,
        low,
        high,
        p,
        tuple(names),
        failed_questions(kind.ids, system, scores, texts),
    )


def _with_sharers(
    spots: Mapping[str, Sequence[WeakSpot]],
) -> dict[str, tuple[WeakSpot, ...]]:
    """Say which other systems are weak on nearly the same questions."""
    return {
        system: tuple(
            dataclasses.replace(
                finding,
                shared=tuple(
                    name
                    for name, others in spots.items()
                    if name != system
                    and any(_overlap(finding.slice, other.slice) >= _SHARED for other in others)
                ),
            )
            for finding in found_spots
        )
        for system, found_spots in spots.items()
    }


def _with_choosers(
    spots: Mapping[str, Sequence[WeakSpot]], scored: Sequence[Scores]
) -> dict[str, tuple[WeakSpot, ...]]:
    """Say in the queries of weak spots whose low scores led to them."""
    marks = {scores.name: scores.run.marks for scores in scored}
    if len(spots) < len(scored):  # differences of two runs: both led to them
        marks = dict.fromkeys(marks, tuple(itertools.chain(*marks.values())))
    return {
        system: tuple(
            dataclasses.replace(
                one,
                slice=dataclasses.replace(
                    one.slice,
                    chosen_by=tuple(mark for name in (system, *one.shared) for mark in marks[name]),
                ),
            )
            for one in found_spots
        )
        for system, found_spots in spots.items()
    }


def _overlap(slice_: Slice, other: Slice) -> float:
    either = len(slice_.members | other.members)
    return len(slice_.members & other.members) / either if either else 0.0


def _with_estimates(
    spots: Mapping[str, Sequence[WeakSpot]],
    scored: Sequence[Scores],
    measure: str,
    weights: pd.Series[float] | Design | None,
    random_state: int,
) -> dict[str, tuple[WeakSpot, ...]]:
    """Add the score with its interval on all questions of each weak spot."""
    by_system = {}
    for one in scored:
        found_spots = spots[one.name]
        rows: list[Any] = []
        if found_spots:
            kinds = [spot.slice for spot in found_spots]
            scores = pool_or_sample_scores(one.counts, kinds, measure, weights, random_state)
            rows = scores[["estimate", "low", "high"]].to_numpy(float).tolist()
        by_system[one.name] = tuple(
            dataclasses.replace(spot, estimate=tuple(row))
            for spot, row in zip(found_spots, rows, strict=True)
        )
    return by_system
