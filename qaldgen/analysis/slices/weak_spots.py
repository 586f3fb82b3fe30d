"""Weak spots: the kinds of questions on which systems are worse than elsewhere."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from qaldgen.analysis.common_questions import on_common_questions
from qaldgen.analysis.comparing.multiplicity import p_in_words
from qaldgen.analysis.estimating.design import Design, pool_or_sample_scores
from qaldgen.analysis.slices import gaps, search
from qaldgen.analysis.slices.gaps import Detectable
from qaldgen.analysis.slices.kinds import CODE, Kinds, kinds_of
from qaldgen.analysis.slices.slicing import Slice
from qaldgen.benchmark.gold import AnyGold, why_not_tested
from qaldgen.defaults import ALPHA, DECIMALS, MEASURE, SEED
from qaldgen.errors import UsageError
from qaldgen.features.labels import kin_of
from qaldgen.io.arguments import check_share, check_whole
from qaldgen.io.concurrency import one_thread
from qaldgen.io.notes import collecting
from qaldgen.io.result_cache import cached
from qaldgen.io.text import count, printed, result_html
from qaldgen.options import (
    Count,
    Measures,
    MissingAnswers,
    Seed,
    Share,
)
from qaldgen.scoring.evaluation import AnyRuns, Evaluation, as_evaluation
from qaldgen.scoring.measures import Array, Measure, find_measure
from qaldgen.scoring.missing import DEFAULT, check_rule
from qaldgen.scoring.score import Scores, check_names, notes_of

#: Fewer questions are not searched: no weakness of a kind of them would be seen.
_LEAST_QUESTIONS = 40
#: Permutations, and how many of more scores than `_MANY`.
_RESAMPLES, _FEWER, _MANY = 499, 199, 20_000
#: Spots of two systems with this overlap (Jaccard) are one weakness that they share.
_SHARED = 0.5
#: How many other names of a spot are told.
_NAMES = 3
#: How many failed questions are shown of a spot, and among how many they are chosen.
FAILED, _CONSIDERED = 3, 60
#: Where there is no estimate.
_UNKNOWN = (float("nan"),) * 3
#: Figures of a spot that are columns of a table.
_FIGURES = ("score", "elsewhere", "overall", "expected", "low", "high", "p")
_COLUMNS = [
    "system", "number", "slice", "label", "n", *_FIGURES, "estimate", "estimate low",
    "estimate high", "also", "sparql",
]  # fmt: skip


#: How weak spots are searched, for people.
HOW_SEARCHED = (
    "All kinds of questions that have one condition or two were searched, for all systems at once;"
    " what is named is more than the largest chance finding on a page as large. A kind that is low"
    " only because of another one stands under it."
)
#: Columns of `WeakSpots.table` that people read, and what these are called.
_FOR_PEOPLE = {
    "system": "system", "label": "weak on", "n": "questions", "score": "score",
    "elsewhere": "elsewhere", "expected": "expected gap", "low": "low", "high": "high",
    "p": "corrected p",
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class WeakSpot:
    """A kind of question on which a system is worse than elsewhere."""

    slice: Slice  # its questions, name, phrase and SPARQL
    #: The mean score on its questions, on the others, and on all.
    score: float
    elsewhere: float
    overall: float
    #: How much worse the system is to be expected on new questions of the kind than elsewhere, with
    #: a 95 % interval. The gap between `score` and `elsewhere` flatters the finding, because these
    #: questions chose it.
    expected: float
    low: float
    high: float
    #: The chance that any kind shows as large a claim, of any system, where nothing is to be found.
    p: float
    #: What is lower because of it, or describes nearly the same questions, with the scores.
    also: tuple[str, ...] = ()
    #: Ids of questions that show it: those that other systems get right come first.
    failed: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()  # other systems with a weak spot of nearly the same questions
    #: The score on all questions of the kind with its interval; for a probability sample the
    #: estimate for all such questions of the pool.
    estimate: tuple[float, ...] = _UNKNOWN

    def __repr__(self) -> str:
        """Return one line: the kind and its figures."""
        return f"<WeakSpot {self.in_words}>"

    @property
    def in_words(self) -> str:
        """The spot with its figures."""
        return (
            f"{self.slice.label} ({self.score:.2f} here, {self.elsewhere:.2f} elsewhere,"
            f" {count(len(self.slice), 'question')}, {p_in_words(self.p)}; expect a gap of"
            f" {self.expected:.2f}, {self.low:.2f} to {self.high:.2f}, on new questions)"
        )


@dataclasses.dataclass(frozen=True)
class WeakSpots:
    """Where systems are weak."""

    #: By system, the largest claim first; empty where nothing was found.
    spots: Mapping[str, tuple[WeakSpot, ...]] = dataclasses.field(default_factory=dict, hash=False)
    #: By system, how large a weakness would have been seen with power 80 %, by size of the kind.
    detectable: Mapping[str, tuple[Detectable, ...]] = dataclasses.field(
        default_factory=dict, hash=False
    )
    questions: int = 0  # how many questions were searched
    #: How many kinds of one condition, and of two.
    conditions: int = 0
    pairs: int = 0
    measured: str = ""  # what the scores are, in words
    alpha: float = ALPHA  # the chance of naming any weak spot of any system if there is none
    random_state: int = SEED  # the seed
    why_not: str = ""  # why nothing was searched; empty if it was
    #: What a user should know, for instance which questions were left out.
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return one line: how many weak spots there are, and among how many kinds."""
        number = sum(map(len, self.spots.values()))
        systems = count(len(self.spots), "system")
        kinds = f"{self.conditions + self.pairs:,} kinds of {self.questions:,} questions"
        return f"<WeakSpots: {number} found for {systems}, searched {kinds}>"

    def __str__(self) -> str:
        """Return the line, a sentence for each system, and the notes."""
        return printed([repr(self), *self.sentences()], self.notes)

    def _repr_html_(self) -> str:
        """Return the line, the table of spots, and the notes, for notebooks."""
        silences = [self.silence(system) for system, spots in self.spots.items() if not spots]
        tables = []
        if any(self.spots.values()):
            tables.append(self.table(people=True).round(DECIMALS))
        return result_html(repr(self), tables, [*self.notes, *silences])

    def silence(self, system: str) -> str:
        """Say why no weak spot of a system is named, and how large one would have been seen."""
        if self.why_not:
            return self.why_not
        seen = self.detectable.get(system, ())
        if not seen:
            return (
                "No kind of question stands out; with these scores and so few questions a weakness"
                " would not have been seen."
            )
        first, *rest = seen
        more = "".join(
            f", one of {size.questions:,} from {100 * size.difference:.0f}" for size in rest
        )
        return (
            f"No kind of question stands out. A kind of {first.questions:,} questions would have"
            f" been seen from {100 * first.difference:.0f} points{more}."
        )

    def sentences(self) -> list[str]:
        """Return a line for each system: its weak spots, or how large one would have been seen."""
        lines = []
        for system, spots in self.spots.items():
            if not spots:
                lines.append(f"{system}: {self.silence(system)}")
                continue
            line = f"{system} is weak on: {'; '.join(spot.in_words for spot in spots)}."
            for spot in spots:
                if spot.also:
                    line += f"\n  {spot.slice.label}: also {'; '.join(spot.also)}"
            lines.append(line)
        return lines

    def table(self, *, people: bool = False) -> pd.DataFrame:
        """Return one row for each weak spot."""
        rows = []
        for system, spots in self.spots.items():
            for number, spot in enumerate(spots, 1):
                rows.append({
                    "system": system,
                    "number": number,
                    "slice": spot.slice.name,
                    "label": spot.slice.label,
                    "n": len(spot.slice),
                    **{name: getattr(spot, name) for name in _FIGURES},
                    **dict(zip(_COLUMNS[-5:-2], spot.estimate, strict=True)),
                    "also": "; ".join(spot.also),
                    "sparql": spot.slice.sparql,
                })  # fmt: skip
        frame = pd.DataFrame(rows, columns=_COLUMNS)
        if not people:
            return frame
        return frame[list(_FOR_PEOPLE)].rename(columns=_FOR_PEOPLE)


@dataclasses.dataclass(frozen=True)
class Search:
    """How sure a finding must be.

    Parameters
    ----------
    alpha
        The chance of naming any weak spot of any system if there is none.
    n_resamples
        Random permutations. Default: 499; 199 of more than 20,000 scores.
    random_state
        The seed of permutations and bootstrap samples.
    """

    alpha: Share = ALPHA
    n_resamples: Count | None = None
    random_state: Seed = SEED


def slices(
    gold: AnyGold | Evaluation,
    runs: AnyRuns = None,
    *,
    against: str = "",
    measure: Measures = MEASURE,
    missing: MissingAnswers = DEFAULT,
    min_support: Count | None = None,
    tests: Search | None = None,
) -> WeakSpots:
    """Find the kinds of questions on which systems are worse than elsewhere.

    A kind is a condition on a feature, or two of them. All kinds, systems and questions are
    searched at once, and a claim is compared with the largest one that scores make which are dealt
    out to the questions at random. What a finding explains is taken away before the next one is
    looked for, so that its shadows are no findings of their own.

    Parameters
    ----------
    gold
        The result of `evaluate`. Or the questions, which are evaluated with the runs by the default
        rules.
    runs
        With questions: see `evaluate`.
    against
        The name of one of two runs: find where the other one is worse compared with it.
    measure
        What is searched for.

        A key of `qaldgen.scoring.measures.MEASURES`, of each question alone.
    missing
        See `compare`.
    min_support
        Fewest questions of a kind. Default: 1 %, at least 8.
    tests
        How sure a finding must be; None for the defaults of `Search`.

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
    how = tests or Search()
    evaluation = as_evaluation(gold, runs).for_measure(measure)
    if against:
        evaluation = evaluation.only(
            *(scores.name for scores in evaluation if scores.name != against), against
        )
        if len(evaluation) != 2:
            raise UsageError(
                f"against compares one run with another; {len(evaluation) - 1} are given"
            )
    common, note = on_common_questions(evaluation.scores, missing)
    with collecting() as problems:
        table = evaluation.features
    return find_weak_spots(
        common,
        table,
        evaluation.texts,
        measure=measure,
        difference=bool(against),
        min_support=min_support,
        alpha=how.alpha,
        n_resamples=how.n_resamples,
        random_state=how.random_state,
        untested=why_not_tested(evaluation.gold, [scores.run for scores in common]),
        notes=notes_of(common, note, *problems),
    )


@one_thread()
def find_weak_spots(
    scored: Sequence[Scores],
    table: pd.DataFrame,
    texts: Mapping[str, str],
    *,
    measure: str = MEASURE,
    difference: bool = False,
    weights: pd.Series[float] | Design | None = None,
    min_support: int | None = None,
    alpha: float = ALPHA,
    n_resamples: int | None = None,
    random_state: int = SEED,
    untested: str = "",
    notes: tuple[str, ...] = (),
) -> WeakSpots:
    """Search runs that were scored on one set of questions, all at once; see `slices`.

    The search is unweighted; the weights, or the design of a probability sample, are for the
    scores that are reported. `difference` searches the first run minus the second; `untested` says
    why nothing is searched.
    """
    if measure == "consistency":  # a question alone has none
        measure = "inconsistent"
    check_share("alpha", alpha)
    if n_resamples is not None:
        check_whole("n_resamples", n_resamples, 19, 1_000_000)
    check_whole("random_state", random_state, 0)
    if min_support is not None:
        check_whole("min_support", min_support, 2)
    names = check_names(scores.name for scores in scored)
    kind = find_measure(measure, scored[0].counts)
    scores = _scores_to_search(scored, measure)
    measured = _searched_in_words(kind)
    if difference:
        scores = (scores.iloc[:, 0] - scores.iloc[:, 1]).to_frame(names[0])
        measured += f", {' minus '.join(names)}"
    weak = WeakSpots(
        dict.fromkeys(map(str, scores), ()),
        questions=len(scores),
        measured=measured,
        alpha=alpha,
        random_state=random_state,
        notes=notes,
    )
    if untested:
        return dataclasses.replace(weak, why_not=untested)
    if len(scores) < _LEAST_QUESTIONS:
        be = "is" if len(scores) == 1 else "are"
        why = (
            f"{count(len(scores), 'question')} {be} too few to search for weak spots;"
            f" {_LEAST_QUESTIONS} are needed."
        )
        return dataclasses.replace(weak, why_not=why)
    kinds = kinds_of(table, scores.index, min_support=min_support)
    if not len(kinds):
        why = "No feature divides these questions into kinds that are large enough to search."
        return dataclasses.replace(weak, why_not=why)
    table_of_scores = scores.to_numpy(dtype=np.float64)
    resamples = n_resamples or _RESAMPLES
    if n_resamples is None and table_of_scores.size > _MANY:
        resamples = _FEWER
    settings = repr((alpha, resamples, random_state))
    outcome = cached(
        "weak spots",
        [table_of_scores, kinds.masks, kinds.pairs, kinds.cost, settings],
        lambda: _search(table_of_scores, kinds, alpha, resamples, random_state),
    )
    top = None
    if not kind.higher_is_better:  # mistakes were subtracted from it; a difference from nothing
        top = 0.0 if difference else kind.bounds[1]
    kinds_found = {}
    detectable = {}
    parts = zip(weak.spots, outcome["spots"], outcome["detectable"], strict=True)
    for system, rows, sizes in parts:
        kinds_found[system] = [kinds.slice_of(row[0]) for row in rows]
        detectable[system] = tuple(Detectable(*size) for size in sizes)
    marks = {scores.name: scores.run.marks for scores in scored}
    if difference:  # both led to them
        marks = dict.fromkeys(marks, tuple(itertools.chain(*marks.values())))
    searched = _Searched(scores, kinds, kinds_found, marks, top, texts)
    counts = {run.name: run.counts for run in scored}
    spots = {}
    for system, rows in zip(weak.spots, outcome["spots"], strict=True):
        slices_found = kinds_found[system]
        estimates: list[tuple[float, ...]] = [_UNKNOWN] * len(slices_found)
        if slices_found and not difference:
            estimated = pool_or_sample_scores(
                counts[system], slices_found, measure, weights, random_state
            )
            figures = estimated[["estimate", "low", "high"]].to_numpy(float).tolist()
            estimates = [tuple(row) for row in figures]
        spots[system] = tuple(
            searched.spot(system, row, slice_, estimate)
            for row, slice_, estimate in zip(rows, slices_found, estimates, strict=True)
        )
    return dataclasses.replace(
        weak,
        spots=spots,
        detectable=detectable,
        conditions=len(kinds.singles),
        pairs=len(kinds.pairs),
    )


def _searched_in_words(kind: Measure) -> str:
    """Return the name of a measure of each question alone."""
    words = kind.label.removesuffix(" score")
    if not kind.is_mean:
        words += " per question"
    if not kind.higher_is_better:
        words += " (lower is better)"
    return words


def _scores_to_search(scored: Sequence[Scores], measure: str) -> pd.DataFrame:
    """Return a column for each system: a measure of each question alone, where low is bad."""
    columns = {}
    for scores in scored:
        kind = find_measure(measure, scores.counts)
        values = kind.of_each(scores.counts)
        if not kind.higher_is_better:
            values = kind.bounds[1] - values
        columns[scores.name] = values
    return pd.DataFrame(columns, index=scored[0].counts.index)


def _search(
    values: Array, kinds: Kinds, alpha: float, n_resamples: int, seed: int
) -> dict[str, Any]:
    """Return findings with their sizes and other names, as JSON has them."""
    null = search.null_distribution(values, kinds, alpha=alpha, n_resamples=n_resamples, seed=seed)
    spots = []
    seen = []
    for column, fit in zip(values.T, search.fit_kinds(values, kinds), strict=True):
        findings = search.find_weak_kinds(column, kinds, null, fit, alpha)
        numbers = [finding.number for finding in findings]
        masks = kinds.inside(np.array(numbers, dtype=np.intp))
        # the single conditions that would be findings if nothing else were one; no codes
        singles = kinds.families[0]
        claims = fit.z[singles] + null.bars[0] <= null.critical
        claims &= fit.difference[singles] <= -search.LEAST_DIFFERENCE
        claims &= kinds.cost[singles] < CODE
        claimed = [number for number in np.flatnonzero(claims).tolist() if number not in numbers]
        also = _also(claimed, masks, kinds)
        rows = []
        for place, finding in enumerate(findings):
            rest = np.asarray(~np.delete(masks, place, axis=0).any(axis=0))
            gap = gaps.gap_of(column, rest, finding.number, kinds, fit=fit, null=null, seed=seed)
            rows.append([finding.number, finding.p, gap.expected, gap.low, gap.high, also[place]])
        spots.append(rows)
        seen.append([list(size) for size in gaps.detectable(column, null)])
    return {"spots": spots, "detectable": seen}


def _also(claimed: Sequence[int], masks: Any, kinds: Kinds) -> list[list[int]]:  # noqa: ANN401
    """Return for each finding the claimed kinds that overlap most with it."""
    inside = kinds.inside(np.array(claimed, dtype=np.intp)).astype(np.float64)
    findings = masks.astype(np.float64)
    sharers: list[list[int]] = [[] for _ in findings]
    if not len(findings) or not len(claimed):
        return sharers
    common = findings @ inside.T
    alike = common / (findings.sum(axis=1)[:, None] + inside.sum(axis=1)[None, :] - common)
    for place in np.lexsort((-alike.max(axis=0), kinds.cost[claimed])).tolist():
        sharers[int(alike[:, place].argmax())].append(claimed[place])
    return sharers


class _Searched(NamedTuple):
    """The scores that were searched and the kinds that were found, to put weak spots together."""

    scores: pd.DataFrame  # a column for each system, where low is bad
    kinds: Kinds
    named: Mapping[str, Sequence[Slice]]  # by system the kinds that were found
    marks: Mapping[str, tuple[str, ...]]  # by system how queries name it
    top: float | None  # what scores of a measure of mistakes were subtracted from
    texts: Mapping[str, str]

    def spot(
        self, system: str, row: Sequence[Any], kind: Slice, estimate: tuple[float, ...]
    ) -> WeakSpot:
        """Return a weak spot."""
        number, p, expected, low, high, also = row
        (inside,) = self.kinds.inside(np.array([number]))
        shared = tuple(
            name
            for name, others in self.named.items()
            if name != system
            and any(_overlap(kind.members, other.members) >= _SHARED for other in others)
        )
        chosen_by = tuple(mark for name in (system, *shared) for mark in self.marks[name])
        return WeakSpot(
            slice=dataclasses.replace(kind, chosen_by=chosen_by),
            score=self._shown(system, inside),
            elsewhere=self._shown(system, ~inside),
            overall=self._shown(system, slice(None)),
            expected=expected,
            low=low,
            high=high,
            p=p,
            also=tuple(self._also(system, number, also)),
            failed=failed_questions(kind.ids, system, self.scores, self.texts),
            shared=shared,
            estimate=estimate,
        )

    def _shown(self, system: str, some: Any) -> float:  # noqa: ANN401 - a mask
        """Return the mean score on some questions."""
        mean = float(self.scores[system].to_numpy(float)[some].mean())
        if self.top is None:
            return mean
        return self.top - mean

    def _also(self, system: str, number: int, others: Sequence[int]) -> Iterator[str]:
        """Yield other names of a kind with their scores, each about something else."""
        kins = {kin_of(name) for name in self.kinds.features(number)}
        names = 0
        for other in others:
            kin = {kin_of(name) for name in self.kinds.features(other)}
            if not kin & kins and names < _NAMES:
                kins |= kin
                names += 1
                (within,) = self.kinds.inside(np.array([other]))
                label = self.kinds.slice_of(other).label
                here = self._shown(system, within)
                elsewhere = self._shown(system, ~within)
                yield f"{label} ({here:.2f}, elsewhere {elsewhere:.2f})"


def _overlap(left: Set[str], right: Set[str]) -> float:
    """Return how much two sets have in common (Jaccard 1912)."""
    either = len(left | right)
    if not either:
        return 0.0
    return len(left & right) / either


def failed_questions(
    ids: Sequence[str], system: str, scores: pd.DataFrame, texts: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the ids of a few questions that a system gets wrong, the clearest example first.

    Questions are preferred that other systems get right, and whose words differ from each other.

    >>> import pandas as pd
    >>> scores = pd.DataFrame({"a": [0.0, 0.0, 1.0], "b": [0.0, 1.0, 1.0]}, index=["x", "y", "z"])
    >>> failed_questions(("x", "y", "z"), "a", scores, {})
    ('y', 'x')
    """
    inside = scores.loc[list(ids)]
    others = inside.drop(columns=system).mean(axis=1).fillna(0.0)
    # if the system has no score of at most one half there, its lowest scores have to do
    wrong = inside.index[inside[system] <= min(0.5, float(inside[system].min()) + 1e-9)]
    ranked = sorted(map(str, wrong), key=lambda name: -round(float(others[name]), 2))[:_CONSIDERED]
    words = {name: set(texts.get(name, name).lower().split()) for name in ranked}
    chosen: list[str] = []
    while ranked and len(chosen) < FAILED:
        values = []
        for name in ranked:
            likeness = [_overlap(words[name], words[question]) for question in chosen]
            values.append(float(others[name]) - max(likeness, default=0.0))
        best = ranked[int(np.argmax(values))]
        chosen.append(best)
        ranked.remove(best)
    return tuple(chosen)
