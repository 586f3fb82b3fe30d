"""Weak spots: the kinds of questions on which systems are worse than elsewhere."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence, Set

import numpy as np
import pandas as pd

from qaldgen.analysis.common_questions import on_common_questions
from qaldgen.analysis.comparing.multiplicity import p_in_words
from qaldgen.analysis.estimating.design import Design, pool_or_sample_scores
from qaldgen.analysis.slices.detectable import Detectable
from qaldgen.analysis.slices.found_kinds import FoundKind, search_systems
from qaldgen.analysis.slices.kinds import Kinds, kinds_of
from qaldgen.analysis.slices.slicing import Slice
from qaldgen.benchmark.gold import AnyGold, why_not_tested
from qaldgen.defaults import ALPHA, DECIMALS, MEASURE, SEED
from qaldgen.errors import UsageError
from qaldgen.features.labels import quantity_of
from qaldgen.io.arguments import check_integer, check_share
from qaldgen.io.concurrency import one_thread
from qaldgen.io.notes import collecting
from qaldgen.io.result_display import result_html, result_text
from qaldgen.io.text import count
from qaldgen.options import Measures, MissingAnswers, PositiveInt, Seed, Share
from qaldgen.scoring.evaluation import AnyRuns, Evaluation, as_evaluation
from qaldgen.scoring.mean_bounds import Array, Flags
from qaldgen.scoring.measures import find_measure
from qaldgen.scoring.missing import DEFAULT, check_policy
from qaldgen.scoring.score import Scores, check_names, notes_of

#: Fewer questions are not searched: no weakness of a kind of them would be seen.
_MIN_QUESTIONS = 40
#: Spots of two systems with this overlap (Jaccard) are one weakness that they share.
_MIN_SHARED_OVERLAP = 0.5
#: The most overlapping kinds that are named with a spot.
_MAX_NAMES = 3
#: The most failed questions of a spot.
_MAX_FAILED = 3
#: The failed questions are chosen among this many.
_MAX_CANDIDATES = 60
#: The estimate and its interval if there is none.
_UNKNOWN = (float("nan"), float("nan"), float("nan"))
#: The columns of `WeakSpots.table`.
_COLUMNS = [
    "system", "number", "slice", "label", "n", "score", "elsewhere", "overall", "expected", "low",
    "high", "p", "estimate", "estimate low", "estimate high", "also", "sparql",
]  # fmt: skip
#: Those for people, with their headings.
_FOR_PEOPLE = {
    "system": "system", "label": "weak on", "n": "questions", "score": "score",
    "elsewhere": "elsewhere", "expected": "expected gap", "low": "low", "high": "high",
    "p": "corrected p",
}  # fmt: skip
#: How weak spots are searched, as the report says it.
HOW_SEARCHED = (
    "All kinds of questions that have one condition or two were searched, for all systems at once;"
    " what is named is more than the largest chance finding on a page as large. A kind that is low"
    " only because of another one stands under it."
)


@dataclasses.dataclass(frozen=True)
class WeakSpot:
    """A kind of question on which a system is worse than elsewhere."""

    slice: Slice  # its questions, name, phrase and SPARQL
    #: The mean score on its questions, on the others, and on all.
    score: float
    elsewhere: float
    overall: float
    #: How much worse the system is expected to be on new questions of the kind than elsewhere, with
    #: a 95 % interval. The gap between `score` and `elsewhere` is larger, as the kind was chosen by
    #: it.
    expected: float
    low: float
    high: float
    #: The chance that any kind shows as large a claim, of any system, where nothing is to be found.
    p: float
    #: Overlapping kinds of questions with low scores, with the scores.
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
        """The kind of question with its figures."""
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
        return result_text([repr(self), *self.sentences()], self.notes)

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
        detectable = self.detectable.get(system, ())
        if not detectable:
            return (
                "No kind of question stands out; with these scores and so few questions a weakness"
                " would not have been seen."
            )
        smallest, *larger = detectable
        larger_sizes = "".join(
            f", one of {size.questions:,} from {100 * size.difference:.0f}" for size in larger
        )
        return (
            f"No kind of question stands out. A kind of {smallest.questions:,} questions would have"
            f" been seen from {100 * smallest.difference:.0f} points{larger_sizes}."
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
                where = spot.slice
                scores = (spot.score, spot.elsewhere, spot.overall)
                gap = (spot.expected, spot.low, spot.high, spot.p)
                rows.append((
                    system, number, where.name, where.label, len(where), *scores, *gap,
                    *spot.estimate, "; ".join(spot.also), where.sparql,
                ))  # fmt: skip

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
    n_resamples: PositiveInt | None = None
    random_state: Seed = SEED

    def __post_init__(self) -> None:
        """Refuse numbers out of range."""
        check_share("alpha", self.alpha)
        if self.n_resamples is not None:
            check_integer("n_resamples", self.n_resamples, 19, 1_000_000)
        check_integer("random_state", self.random_state, 0)


def slices(
    gold: AnyGold | Evaluation,
    runs: AnyRuns = None,
    *,
    against: str = "",
    measure: Measures = MEASURE,
    missing: MissingAnswers = DEFAULT,
    min_support: PositiveInt | None = None,
    tests: Search | None = None,
) -> WeakSpots:
    """Find the kinds of questions on which systems are worse than elsewhere.

    A kind is a condition on a feature, or two of them. All kinds are searched for all systems at
    once. To tell a weakness from chance, the scores are dealt out to the questions at random many
    times, and a gap counts that is rarely reached by the largest gap of these. What a finding
    explains is taken away before the next one is looked for, so that a kind that is low only
    because it overlaps with a worse one is not found as well.

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
    check_policy(missing)

    evaluation = as_evaluation(gold, runs).for_measure(measure)
    if against:
        other_runs = [scores.name for scores in evaluation if scores.name != against]
        evaluation = evaluation.only(*other_runs, against)
        if len(evaluation) != 2:
            raise UsageError(
                f"against compares one run with another; {len(evaluation) - 1} are given"
            )

    common, note = on_common_questions(evaluation.scores, missing)
    with collecting() as feature_notes:
        features = evaluation.features

    weak = find_weak_spots(
        common,
        features,
        evaluation.texts,
        measure=measure,
        difference=bool(against),
        min_support=min_support,
        tests=tests,
        untested=why_not_tested(evaluation.gold, [scores.run for scores in common]),
    )
    return dataclasses.replace(weak, notes=notes_of(common, note, *feature_notes))


@one_thread()
def find_weak_spots(
    all_scores: Sequence[Scores],
    features: pd.DataFrame,
    texts: Mapping[str, str],
    *,
    measure: str = MEASURE,
    difference: bool = False,
    weights: pd.Series[float] | Design | None = None,
    min_support: int | None = None,
    tests: Search | None = None,
    untested: str = "",
) -> WeakSpots:
    """Search runs that were scored on one set of questions, all at once; see `slices`.

    The search is unweighted; the weights, or the design of a probability sample, are for the
    scores that are reported. With `difference` the scores of the first run minus those of the
    second are searched. `untested` says why nothing is searched; empty if it is.
    """
    search = tests or Search()
    if min_support is not None:
        check_integer("min_support", min_support, 2)
    check_names(scores.name for scores in all_scores)

    if measure == "consistency":  # a question alone has none
        measure = "inconsistent"
    values, scores, measured = _values_to_search(all_scores, measure, difference=difference)

    # what stands in the result even if nothing can be searched
    result = WeakSpots(
        spots=dict.fromkeys(map(str, values), ()),
        questions=len(values),
        measured=measured,
        alpha=search.alpha,
        random_state=search.random_state,
        why_not=untested,
    )
    if untested:
        return result
    if len(values) < _MIN_QUESTIONS:
        be = "is" if len(values) == 1 else "are"
        reason = (
            f"{count(len(values), 'question')} {be} too few to search for weak spots;"
            f" {_MIN_QUESTIONS} are needed."
        )
        return dataclasses.replace(result, why_not=reason)
    kinds = kinds_of(features, values.index, min_support=min_support)
    if not len(kinds):
        reason = "No feature divides these questions into kinds that are large enough to search."
        return dataclasses.replace(result, why_not=reason)

    search_results = search_systems(
        scores.to_numpy(dtype=np.float64),
        kinds,
        alpha=search.alpha,
        n_resamples=search.n_resamples,
        seed=search.random_state,
    )
    found = dict(zip(result.spots, search_results, strict=True))
    slices_by_system = {
        system: [kinds.slice_of(kind.number) for kind in found_kinds.weak_kinds]
        for system, found_kinds in found.items()
    }

    # how queries name each system; those of a difference name both runs
    marks = {scores.name: scores.run.marks for scores in all_scores}
    if difference:
        marks = dict.fromkeys(marks, tuple(itertools.chain.from_iterable(marks.values())))

    counts = {scores.name: scores.counts for scores in all_scores}
    spots = {}
    for system, own_slices in slices_by_system.items():
        estimates: list[tuple[float, ...]] = [_UNKNOWN] * len(own_slices)
        if own_slices and not difference:
            table = pool_or_sample_scores(
                counts[system], own_slices, measure, weights, random_state=search.random_state
            )
            columns = table[["estimate", "low", "high"]]
            estimates = list(columns.itertuples(index=False, name=None))

        own_values = values[system].to_numpy(float)
        own_spots = []
        weak_kinds = found[system].weak_kinds
        for kind, slice_, estimate in zip(weak_kinds, own_slices, estimates, strict=True):
            score, elsewhere = _mean_scores(own_values, kinds.mask(kind.number))
            shared = _systems_sharing(slice_, system, slices_by_system)
            # all systems that are weak there chose the questions
            chosen_by = tuple(mark for name in (system, *shared) for mark in marks[name])
            spot = WeakSpot(
                slice=dataclasses.replace(slice_, chosen_by=chosen_by),
                score=score,
                elsewhere=elsewhere,
                overall=float(own_values.mean()),
                expected=kind.expected,
                low=kind.low,
                high=kind.high,
                p=kind.p,
                also=_describe_overlapping(kind, kinds, own_values),
                failed=failed_questions(slice_.ids, system, scores, texts),
                shared=shared,
                estimate=estimate,
            )
            own_spots.append(spot)
        spots[system] = tuple(own_spots)

    return dataclasses.replace(
        result,
        spots=spots,
        detectable={system: found_kinds.detectable for system, found_kinds in found.items()},
        conditions=len(kinds.singles),
        pairs=len(kinds.pairs),
    )


def _values_to_search(
    all_scores: Sequence[Scores], measure: str, *, difference: bool
) -> tuple[pd.DataFrame, pd.DataFrame, str]:
    """Return a measure of each question alone, the same so that low is bad, and its name.

    There is a column for each system, or one for the difference of two.
    """
    spec = find_measure(measure, all_scores[0].counts)
    label = spec.label.removesuffix(" score")
    if not spec.is_mean:
        label += " per question"
    if not spec.higher_is_better:
        label += " (lower is better)"

    columns = {}
    for scores in all_scores:
        columns[scores.name] = find_measure(measure, scores.counts).of_each(scores.counts)
    values = pd.DataFrame(columns, index=all_scores[0].counts.index)
    highest = spec.bounds[1]
    if difference:
        first, second = columns
        values = (values[first] - values[second]).to_frame(first)
        label += f", {first} minus {second}"
        highest = 0.0
    return values, values if spec.higher_is_better else highest - values, label


def _systems_sharing(
    slice_: Slice, system: str, slices_by_system: Mapping[str, Sequence[Slice]]
) -> tuple[str, ...]:
    """Return the other systems that have a weak spot of nearly the same questions."""
    sharing = []
    for other, other_slices in slices_by_system.items():
        overlaps = [_overlap(slice_.members, each.members) for each in other_slices]
        if other != system and max(overlaps, default=0.0) >= _MIN_SHARED_OVERLAP:
            sharing.append(other)
    return tuple(sharing)


def _mean_scores(values: Array, is_inside: Flags) -> tuple[float, float]:
    """Return the mean score of the questions of a kind, and that of all others."""
    return float(values[is_inside].mean()), float(values[~is_inside].mean())


def _describe_overlapping(weak_kind: FoundKind, kinds: Kinds, values: Array) -> tuple[str, ...]:
    """Return overlapping kinds as phrases, with their scores, each about another feature."""
    named = {quantity_of(feature) for feature in kinds.features(weak_kind.number)}
    phrases: list[str] = []
    for number in weak_kind.overlapping:
        quantities = {quantity_of(feature) for feature in kinds.features(number)}
        if quantities & named:
            continue
        named |= quantities
        label = kinds.slice_of(number).label
        score, elsewhere = _mean_scores(values, kinds.mask(number))
        phrases.append(f"{label} ({score:.2f}, elsewhere {elsewhere:.2f})")
    return tuple(phrases[:_MAX_NAMES])


def _overlap(first: Set[str], second: Set[str]) -> float:
    """Return how much two sets have in common (Jaccard 1912)."""
    return len(first & second) / max(len(first | second), 1)


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
    slice_scores = scores.loc[list(ids)]
    own_scores = slice_scores[system]
    scores_of_others = slice_scores.drop(columns=system).mean(axis=1).fillna(0.0)
    # if the system has no score of at most one half there, its lowest scores have to do
    highest_failure = min(0.5, float(own_scores.min()) + 1e-9)
    failed_ids = map(str, slice_scores.index[own_scores <= highest_failure])

    candidates = sorted(
        failed_ids, key=lambda candidate: -round(float(scores_of_others[candidate]), 2)
    )
    candidates = candidates[:_MAX_CANDIDATES]
    words = {
        candidate: set(texts.get(candidate, candidate).lower().split()) for candidate in candidates
    }

    chosen_ids: list[str] = []
    while candidates and len(chosen_ids) < _MAX_FAILED:
        merits = []
        for candidate in candidates:
            overlaps = [_overlap(words[candidate], words[chosen_id]) for chosen_id in chosen_ids]
            merits.append(float(scores_of_others[candidate]) - max(overlaps, default=0.0))
        best = candidates[int(np.argmax(merits))]
        chosen_ids.append(best)
        candidates.remove(best)

    return tuple(chosen_ids)
