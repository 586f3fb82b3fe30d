"""Find the best of several systems with few answers."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from qaldgen.analysis.estimating.regression_estimate import Moments
from qaldgen.benchmark.gold import AnyGold, why_not_tested
from qaldgen.defaults import ALPHA, MEASURE
from qaldgen.errors import UsageError
from qaldgen.io.result_display import result_html, result_text
from qaldgen.options import JournalPath, Measures, PositiveInt
from qaldgen.plugins.stopping.kept_looks import NOT_RECORDED, read_look_file
from qaldgen.plugins.stopping.look_plan import plan_looks
from qaldgen.plugins.stopping.looks import BETTER, take_look
from qaldgen.plugins.stopping.ordered_scores import last_look_notes, max_questions, scores_in_order
from qaldgen.scoring.evaluation import AnyRuns, Evaluation, as_evaluation
from qaldgen.scoring.mean_bounds import Array
from qaldgen.scoring.score import notes_of

#: More looks than in a comparison of two: several systems leave at different times, and each saves
#: the answers that it would have been asked for.
RACE_GROWTH = 1.15
#: The difference of two systems from the first n questions.
Difference = Callable[[str, str, int], Moments]


@dataclasses.dataclass(frozen=True, eq=False)
class Ranking:
    """The outcome of a race.

    Attributes
    ----------
    table : DataFrame
        One row per system, the remaining ones first: ``system``, ``questions``, ``score``, ``left
        at`` (the look), ``behind`` the leader.
    calls : int
        The number of answers that were needed.
    full : int
        The number of answers to ask every system every question.
    next_look : int or None
        The question up to which the remaining systems are asked next; None if the race is over.
    notes : tuple of str
        Notes on the scoring of the runs, and on looks that are not recorded.
    untested : str
        The reason why no system drops out, as a sentence; empty otherwise.
    """

    table: pd.DataFrame
    calls: int
    next_look: int | None
    full: int = 0
    notes: tuple[str, ...] = ()
    untested: str = ""

    @property
    def alive(self) -> tuple[str, ...]:
        """The remaining systems."""
        return tuple(self.table.loc[self.table["left at"].isna(), "system"])

    @property
    def sentence(self) -> str:
        """The outcome as a sentence."""
        if self.untested:
            return f"{self.untested} Nobody drops out."
        names = ", ".join(self.alive)
        used = f"{self.calls:,} answers instead of {self.full:,}"
        if self.next_look is not None:
            return f"not over yet: ask {names} up to question {self.next_look}"
        if len(self.alive) == 1:
            return f"{names} is the best, with {used} (the best one is kept in 95 % of such races)"
        return (
            f"{names} cannot be told apart within {used}; the best "
            "one is among them in 95 % of such races"
        )

    def __str__(self) -> str:
        """Return the sentence, the table, and the notes."""
        return result_text([self.sentence, self.table.to_string(index=False)], self.notes)

    def _repr_html_(self) -> str:
        """Return the sentence, the table and the notes for notebooks."""
        return result_html(self.sentence, [self.table], self.notes)


def race(
    gold: AnyGold | Evaluation,
    runs: AnyRuns = None,
    *,
    largest: PositiveInt | None = None,
    measure: Measures = MEASURE,
    record: JournalPath | None = None,
) -> Ranking:
    """Find the best of several systems with few answers: systems clearly behind drop out.

    Parameters
    ----------
    gold
        A benchmark with an order (``lpm`` or ``random``), as RDF.
    runs
        Answers to its questions, or to its first ones; or their scores.
    largest
        Maximum number of questions per system (default: all of BENCH).
    measure
        Measure to compare.

        It must be a mean over questions, from 0 to 1.
    record
        File that keeps the plan and the looks as more answers come in.

        It makes them final; None keeps none.

    Returns
    -------
    Ranking
        Which systems are left, and when the others dropped out.

    Raises
    ------
    UsageError
        If there are fewer than two runs, the benchmark has no order, or the record has another
        plan.
    DataError
        If a file cannot be read.

    Examples
    --------
    >>> import qaldgen as qg
    >>> gold = [{"id": f"{n}", "question": f"What is {n}?", "answers": [f"{n}"]} for n in range(60)]
    >>> right = {f"{n}": f"{n}" for n in range(60)}
    >>> bench = qg.sample(gold, 40, method="lpm")
    >>> race(bench, {"mine": right, "other": dict.fromkeys(right, "7")}).alive
    ('mine',)
    """
    evaluation = as_evaluation(gold, runs)
    all_scores = evaluation.scores
    notes = list(notes_of(all_scores))
    ordered_scores = scores_in_order(evaluation.gold, all_scores, measure)
    largest_size = max_questions(ordered_scores, largest)
    notes += last_look_notes(ordered_scores, largest_size)

    why_untested = why_not_tested(evaluation.gold, [scores.run for scores in all_scores])
    if why_untested:
        ready = min(*ordered_scores.ready.values(), largest_size)
        result = _make_ranking(
            ordered_scores.scores,
            list(ordered_scores.scores),
            standings=[],
            n=ready,
            next_look=None,
        )
    else:
        settings = {"runs": list(ordered_scores.scores), "largest": largest_size}
        look_file = read_look_file(record, ordered_scores.plan("race", settings))
        ordered_scores = ordered_scores.with_scores_at_looks(look_file.scores)
        result = eliminate(
            ordered_scores.scores,
            ordered_scores.ready,
            ordered_scores.difference,
            largest=largest_size,
            pool_size=ordered_scores.pool_size,
        )

        sizes = result.table[["system", "questions"]].itertuples(index=False)
        look_file.keep({name: ordered_scores.scores[name][:n].tolist() for name, n in sizes})
        if record is None:
            notes.append(NOT_RECORDED)

    full = largest_size * len(all_scores)
    return dataclasses.replace(result, full=full, notes=tuple(notes), untested=why_untested)


class Standing(NamedTuple):
    """A row of the table of a race."""

    system: str
    questions: int
    score: float
    left_at: int | None  # the look at which it dropped out
    behind: float  # the score of the leader minus its own


def eliminate(
    scores: Mapping[str, Array],
    ready: Mapping[str, int],
    difference: Difference,
    *,
    largest: int,
    pool_size: int,
) -> Ranking:
    """Drop systems that are clearly behind another one, at looks that are fixed beforehand.

    The error is shared among the rivals of the best system, so that the best one leaves in at most
    5 % of the races. `scores` are in the order of asking, `ready` are the lengths of their complete
    prefixes, and `difference` estimates the difference of two systems from the
    first n questions. The result is from the last look for which all remaining systems have the
    answers.
    """
    if len(scores) < 2:
        raise UsageError(f"a race needs at least two systems; there is {len(scores)}")
    # Only one side of each test can drop the best system, and each of its rivals may: double the
    # two-sided level, divided among the rivals.
    plan = plan_looks(largest, pool_size, alpha=2.0 * ALPHA / (len(scores) - 1), growth=RACE_GROWTH)

    alive = list(scores)
    standings = list[Standing]()
    n_seen = 0
    for n, bound in zip(plan.sizes, plan.bounds, strict=True):
        if len(alive) == 1 or any(ready[name] < n for name in alive):
            break

        n_seen = n
        means = _mean_scores(scores, alive, n)
        ranked_names = sorted(alive, key=lambda name: -means[name])
        remaining = []
        for name in alive:
            # The leader is compared first, as it usually decides. Relatives, which differ on few
            # questions, may beat a system before the leader does.
            ahead = [rival for rival in ranked_names if means[rival] > means[name]]
            looks = (take_look(difference(rival, name, n), n, bound) for rival in ahead)
            if any(look_.verdict == BETTER for look_ in looks):
                behind = means[ranked_names[0]] - means[name]
                standings.append(Standing(name, n, means[name], left_at=n, behind=behind))
            else:
                remaining.append(name)

        alive = remaining

    next_look = None
    if len(alive) > 1 and n_seen < plan.largest:
        next_look = min(size for size in plan.sizes if size > n_seen)
    return _make_ranking(scores, alive, standings, n=n_seen, next_look=next_look)


def _mean_scores(scores: Mapping[str, Array], names: Sequence[str], n: int) -> dict[str, float]:
    """Return the mean of the first n scores of systems; NaN for none."""
    if not n:
        return dict.fromkeys(names, math.nan)
    return {name: float(scores[name][:n].mean()) for name in names}


def _make_ranking(
    scores: Mapping[str, Array],
    alive: Sequence[str],
    standings: Sequence[Standing],
    *,
    n: int,
    next_look: int | None,
) -> Ranking:
    """Return the ranking by the first n questions; systems without an answer have no score."""
    means = _mean_scores(scores, alive, n)
    best = max(means.values())
    rows = [
        Standing(name, n, mean, left_at=None, behind=best - mean) for name, mean in means.items()
    ]
    if n:
        rows.sort(key=lambda row: -row.score)
    rows += reversed(standings)
    columns = ["system", "questions", "score", "left at", "behind"]
    table = pd.DataFrame(rows, columns=columns)
    # a nullable integer, as the remaining systems have none
    table["left at"] = table["left at"].astype("Int64")
    return Ranking(table, int(table["questions"].sum()), next_look)
