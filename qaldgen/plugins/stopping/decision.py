"""Decide whether a system is better or worse than a baseline or threshold, before its run ends.

The looks are few and planned; the plan and the looks are kept in the journal of the run.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from qaldgen.analysis.estimating.known_scores import KnownScores, known_scores
from qaldgen.analysis.estimating.regression_estimate import Moments
from qaldgen.answers.interim_looks import responses_at_looks
from qaldgen.answers.journal import JOURNAL
from qaldgen.answers.record import Run
from qaldgen.benchmark.gold import AnyGold, Gold, why_not_tested
from qaldgen.defaults import MEASURE
from qaldgen.errors import UsageError
from qaldgen.io.arguments import check_positive, check_share
from qaldgen.io.result_display import result_html, result_text
from qaldgen.options import JournalPath, Measures, PositiveInt, Share
from qaldgen.plugins.stopping.kept_looks import (
    NOT_RECORDED,
    LookJournal,
    can_record,
    read_look_file,
)
from qaldgen.plugins.stopping.look_plan import LookPlan, plan_looks
from qaldgen.plugins.stopping.looks import (
    EXAGGERATED,
    UNDECIDED,
    Look,
    LooksTaken,
    RequiredShare,
    take_looks,
)
from qaldgen.plugins.stopping.ordered_scores import (
    OrderedScores,
    counted_design,
    last_look_notes,
    max_questions,
    scores_in_order,
)
from qaldgen.scoring.evaluation import Evaluation, evaluate_one
from qaldgen.scoring.intervals import FEWEST, NORMAL_REACH
from qaldgen.scoring.score import AnyRun, Scores, notes_of


@dataclasses.dataclass(frozen=True)
class Decision:
    """The outcome of the looks at a run.

    Attributes
    ----------
    taken : LooksTaken
        The looks that were planned and taken; `table` has them with the repeated interval.
    first, second : str
        The names of the system, and of the baseline or threshold.
    moments : callable
        Returns the estimate from the first n questions.
    reference : float
        The number with which the estimate is compared.
    notes : tuple of str
        Notes on the scoring of the run, and on looks that are not recorded.
    untested : str
        The reason why no look was taken, as a sentence; empty otherwise.
    equal : bool
        Whether the run has the score of the baseline on every question.
    coverage : float or None
        The share of questions that the system has to answer; None for any share.
    """

    taken: LooksTaken
    first: str
    second: str
    moments: Callable[[int], Moments] = dataclasses.field(repr=False, compare=False)
    reference: float = 0.0
    notes: tuple[str, ...] = ()
    untested: str = ""
    equal: bool = False
    coverage: float | None = None

    @property
    def verdict(self) -> str:
        """``better``, ``worse`` or ``undecided``."""
        return self.taken.verdict

    @property
    def asked(self) -> int:
        """The number of questions that are answered from the beginning without a gap."""
        return self.taken.ready

    @property
    def next_look(self) -> int | None:
        """The number of questions that the next look needs; None without a next look."""
        return None if self.untested else self.taken.next_look

    @property
    def table(self) -> pd.DataFrame:
        """The looks, a row each: questions, difference, interval, z, bound and verdict.

        With a coverage also the share answered, with its interval.
        """
        columns = ["questions", "difference", "low", "high", "z", "bound", "verdict"]
        columns += ["answered", "answered_low", "answered_high"]
        table = pd.DataFrame(map(dataclasses.astuple, self.taken.looks), columns=columns)
        if self.coverage is not None:
            return table
        return table.iloc[:, :7]

    def point(self, n: int) -> tuple[float, float, float]:
        """Return estimate and ordinary interval from the first n questions.

        Parameters
        ----------
        n
            At most those that are answered without a gap.
        """
        moments = self.moments(n)
        difference = moments.estimate - self.reference
        half_width = float("nan") if self.untested else NORMAL_REACH * moments.variance**0.5
        return difference, difference - half_width, difference + half_width

    @property
    def sentence(self) -> str:
        """The verdict as a sentence, with the interval and its limits."""
        if self.untested:
            if self.asked < FEWEST:
                return self.untested
            difference = f"{self.first} minus {self.second} is {self.point(self.asked)[0]:+.3f}"
            return f"{self.untested} On the first {self.asked:,} questions {difference}."

        if not self.taken.looks:
            return (
                f"undecided: {self.asked} questions are answered, the first look is at"
                f" {self.next_look}"
            )

        last = self.taken.looks[-1]
        progress = f"after {last.n} of at most {self.taken.plan.largest} questions"

        coverage = ""
        if self.coverage is not None:
            coverage = (
                f"; {last.answered:.1%} are answered, between {last.answered_low:.1%} and"
                f" {last.answered_high:.1%}, where {self.coverage:.1%} are needed"
            )
            high = last.answered_high
            if high is not None and high < self.coverage:
                return f"{self.first} answers too few questions {progress}{coverage}"

        if self.verdict == UNDECIDED:
            systems = f"{self.first} and {self.second}"
            if self.equal:
                state = f"no difference {progress}: {systems} have the same score on each of them"
            else:
                difference = f"the difference between {systems} is {last.interval}"
                state = f"undecided {progress}: {difference}"
            if self.next_look is None:
                return f"{state}{coverage}; this was the last look, and no claim can be made"
            return f"{state}{coverage}; the next look is at {self.next_look} questions"

        comparison = f"{self.first} is {self.verdict} than {self.second} {progress}"
        verdict = f"{comparison}: {last.interval}{coverage}"
        if last.n == self.taken.plan.pool_size:
            return f"{verdict} (exact: the whole pool)"
        return f"{verdict}. {EXAGGERATED}"

    def __str__(self) -> str:
        """Return the verdict, the looks, and the notes."""
        return result_text([self.sentence, self.table.to_string(index=False)], self.notes)

    def _repr_html_(self) -> str:
        """Return the verdict, the looks and the notes for notebooks."""
        return result_html(self.sentence, [self.table], self.notes)

    def path(self) -> pd.DataFrame:
        """Return the estimates over time: ``questions``, ``estimate``, ``low``, ``high``."""
        looks = [int(n) for n in self.table["questions"]]
        end = looks[-1] if self.verdict != UNDECIDED else self.asked
        # about 60 points are enough for a smooth line
        steps = set(range(10, end + 1, max(5, end // 60))).union(looks)
        rows = [(n, *self.point(n)) for n in sorted(steps)]
        return pd.DataFrame(rows, columns=["questions", "estimate", "low", "high"])

    def draw(self, form: str) -> bytes:
        """Plot estimate and interval against the number of questions asked, with the looks.

        Parameters
        ----------
        form
            ``png``, ``svg`` or ``pdf``.

        Returns
        -------
        bytes
            The picture.
        """
        from qaldgen.plugins.stopping.looks_chart import draw_looks

        return draw_looks(self.path(), self.table, f"{self.first} - {self.second}", form)


def gate(
    gold: AnyGold | Evaluation,
    run: AnyRun | None = None,
    *,
    above: float | str | Path,
    coverage: Share | None = None,
    others: KnownScores | pd.DataFrame | str | Path | None = None,
    largest: PositiveInt | None = None,
    measure: Measures = MEASURE,
    record: bool | str | Path = True,
) -> Decision:
    """Return whether a system is better or worse than a known baseline, or than a threshold.

    Parameters
    ----------
    gold
        What `evaluate` returns, of one run and a benchmark with an order (``lpm`` or ``random``),
        as RDF. Or the benchmark, which is evaluated with the run by the default rules.
    run
        With a benchmark: answers to its questions, or to its first ones; or their scores.
    above
        What the system is compared with: a threshold, such as 0.4, or a baseline.

        A baseline is a system whose scores on the whole pool are known: the name of one of
        `others`, or a CSV file with its scores.
    coverage
        Share of questions that the system must answer at least, such as 0.9.

        "Better" needs that the repeated interval of this share does not reach below it. A system
        whose interval lies below it is worse, whatever its score.
    others
        Scores of other systems on the whole pool: CSV, see 'plan', or logs.

        They sharpen the estimate. A table, its file, or what `known_scores` returns, which knows
        families of related systems.
    largest
        Maximum number of questions (default: all of BENCH); fixed before the first look.
    measure
        Measure to compare.

        It must be a mean over questions, from 0 to 1.
    record
        Record the plan and the looks in the journal, which makes them final.

        True for the file that `run` names, or another one.

    Returns
    -------
    Decision
        The verdict, the looks, and how the run was scored.

    Raises
    ------
    UsageError
        If a threshold or coverage is no share, the benchmark has no order, or the journal was
        looked at under another plan.
    DataError
        If a file cannot be read.

    Examples
    --------
    >>> import qaldgen as qg
    >>> gold = [{"id": f"{n}", "question": f"What is {n}?", "answers": [f"{n}"]} for n in range(60)]
    >>> bench = qg.sample(gold, 40, method="lpm")
    >>> gate(bench, {f"{n}": f"{n}" for n in range(60)}, above=0.4).verdict
    'better'
    """
    evaluation = evaluate_one(gold, run)
    scored = evaluation.scores
    path = run if record is True else record
    journal = Path(path) if path and isinstance(path, (str, Path)) else None

    baseline, threshold = None, None
    if isinstance(above, (str, Path)):
        baseline = above
    else:
        threshold = above

    return decide(
        evaluation.gold,
        scored[0],
        known_scores(others, None, baseline, runs=[scored[0].name]),
        threshold,
        coverage=coverage,
        largest=largest,
        measure=measure,
        journal=journal,
        notes=notes_of(scored),
    )


def decide(
    gold: Gold,
    scored: Scores,
    pool_scores: KnownScores | None,
    above: float | None,
    *,
    coverage: float | None = None,
    largest: int | None = None,
    measure: str = MEASURE,
    journal: Path | None = None,
    notes: Sequence[str] = (),
) -> Decision:
    """Take the looks at a scored run, keep them in its journal, and decide; see `gate`."""
    run_journal = None
    if journal is not None and journal.is_file() and scored.run.format == JOURNAL:
        run_journal = journal
        scored = _scores_at_looks(gold, scored, journal)
    ordered_scores = scores_in_order(gold, [scored], measure)
    ready = ordered_scores.ready[scored.name]
    most = max_questions(ordered_scores, largest)
    claim = make_claim(ordered_scores, pool_scores, above, most=most, coverage=coverage)
    all_notes = [*notes, *last_look_notes(ordered_scores, most)]

    def moments(n: int) -> Moments:
        return ordered_scores.estimate(scored.name, n, pool_scores)

    compared: list[Run | str] = [scored.run]
    if claim.baseline is not None:
        compared.append(claim.baseline)
    undecided = Decision(
        LooksTaken(claim.looks, (), ready),
        scored.name,
        claim.name,
        moments,
        reference=claim.reference,
        notes=tuple(all_notes),
        untested=why_not_tested(gold, compared),
    )
    if undecided.untested:
        return undecided

    required = None
    if coverage is not None:
        answered = scores_in_order(gold, [scored], "coverage")
        required = RequiredShare(coverage, functools.partial(answered.estimate, scored.name))

    # the looks in the journal are final, and new ones are added to it
    look_journal = None
    earlier = []
    if run_journal is not None:
        look_journal = LookJournal(run_journal, claim.plan(ordered_scores))
        earlier = [Look.of(record, str(run_journal)) for record in look_journal.earlier]
    taken = take_looks(
        claim.looks, ready, moments, reference=claim.reference, earlier=earlier, required=required
    )
    if look_journal is not None and can_record(look_journal.path):
        look_journal.add(look.record() for look in taken.looks[len(earlier) :])
    elif journal is not None:
        all_notes.append(
            f"{journal}: the plan and the looks cannot be kept there; do not look again under"
            " other rules"
        )
    return dataclasses.replace(
        undecided,
        taken=taken,
        notes=tuple(all_notes),
        equal=pool_scores is not None and ordered_scores.equals_baseline(scored.name, pool_scores),
        coverage=coverage,
    )


def _scores_at_looks(gold: Gold, scored: Scores, journal: Path) -> Scores:
    """Return the scores of a run with the responses on which earlier looks decided."""
    # a look counts the responses of its time, also where a failure was asked again since then
    responses = dict(scored.run.responses)
    responses |= responses_at_looks(journal, counted_design(gold, scored).order)
    if responses == scored.run.responses:
        return scored
    run = dataclasses.replace(scored.run, responses=responses)
    return Evaluation(gold, (scored,), scored.rules).score(run)


@dataclasses.dataclass(frozen=True, eq=False)
class Claim:
    """The claim that a system is better or worse than a number, and the looks that test it."""

    name: str  # the name of the baseline with its score, or the threshold
    reference: float  # the number: the score of the baseline on the whole pool, or the threshold
    pool_scores: KnownScores | None  # scores on the whole pool that sharpen the estimate
    looks: LookPlan
    baseline: str | None = None  # the name of the baseline; None for a threshold
    coverage: float | None = None  # the share of questions that the system must answer

    def plan(self, ordered_scores: OrderedScores) -> dict[str, Any]:
        """Return the settings that are fixed before the first look."""
        settings = {
            "reference": round(self.reference, 9),
            "controls": fingerprint(self.pool_scores),
            "alpha": self.looks.alpha,
            "sizes": list(self.looks.sizes),
            "bounds": [round(bound, 6) for bound in self.looks.bounds],
        }
        if self.coverage is not None:
            settings["coverage"] = self.coverage
        return ordered_scores.plan("group-sequential", settings)


def make_claim(
    ordered_scores: OrderedScores,
    pool_scores: KnownScores | None,
    above: float | None,
    *,
    most: int,
    coverage: float | None = None,
) -> Claim:
    """Return the claim about a threshold, or about the baseline in `pool_scores`.

    `most` is the maximum number of questions.
    """
    known_baseline = None if pool_scores is None else pool_scores.baseline
    baseline = None
    if above is not None and known_baseline is None:
        check_positive("`above`", above)
        if above >= 1.0:
            raise UsageError(
                f"`above` {above:g}: a threshold is a score between 0 and 1, such as 0.4"
            )
        name = f"{above:g}"
        reference = float(above)
    elif above is None and pool_scores is not None and known_baseline is not None:
        baseline = str(known_baseline.name)
        check_matcher(ordered_scores, baseline, pool_scores.matchers)
        reference = float(known_baseline.mean())
        name = f"{baseline} ({reference:.3f} on the whole pool)"
    else:
        raise UsageError(
            "say what the run is compared with: either a baseline with known scores, or a threshold"
        )

    looks = plan_looks(most, ordered_scores.pool_size)
    if coverage is not None:
        check_share("coverage", coverage)
    return Claim(name, reference, pool_scores, looks, baseline, coverage)


def check_matcher(ordered_scores: OrderedScores, baseline: str, matchers: Collection[str]) -> None:
    """Refuse a baseline that was scored by another matcher than the run."""
    match = ordered_scores.rules.match
    other_matchers = sorted(set(matchers) - {match})
    if other_matchers:
        raise UsageError(
            f"`baseline`: {baseline} was scored by {' and '.join(other_matchers)}, and the run by"
            f" {match}, so their scores cannot be compared; score both with the same `match`"
        )


def fingerprint(pool_scores: KnownScores | None) -> str:
    """Return a digest of known scores, independent of the order of their rows; empty for none."""
    if pool_scores is None:
        return ""
    digest = hashlib.sha256()
    tables = []
    if pool_scores.others is not None:
        tables.append(pool_scores.others)
    if pool_scores.baseline is not None:
        tables.append(pool_scores.baseline.rename("baseline").to_frame())
    for table in tables:
        digest.update(table.sort_index().round(9).to_csv().encode("utf-8"))
    digest.update(repr(sorted(pool_scores.families.items())).encode("utf-8"))
    return digest.hexdigest()[:16]


def compare_in_order(
    gold: Gold,
    scored: Sequence[Scores],
    *,
    measure: str = MEASURE,
    largest: PositiveInt | None = None,
    record: JournalPath | None = None,
) -> Decision:
    """Decide which of two systems is better, on the prefix of the order that both have answered.

    Parameters
    ----------
    gold, scored
        The benchmark, and two runs.
    measure
        See `compare`.
    largest
        Of a sequential comparison: maximum number of questions.
    record
        Of a sequential comparison: file that keeps the plan and the looks.
    """
    if len(scored) != 2:
        raise UsageError(
            f"a sequential comparison is one of two runs, but {len(scored)} were given;"
            " 'qaldgen race' finds the best of several"
        )
    ordered_scores = scores_in_order(gold, scored, measure)
    most = max_questions(ordered_scores, largest)
    notes = last_look_notes(ordered_scores, most)
    looks = plan_looks(most, ordered_scores.pool_size)
    first, second = (scores.name for scores in scored)
    undecided = Decision(
        LooksTaken(looks, (), min(ordered_scores.ready.values())),
        first,
        second,
        functools.partial(ordered_scores.difference, first, second),
        notes=tuple(notes),
        untested=why_not_tested(gold, [scores.run for scores in scored]),
    )
    if undecided.untested:
        return undecided

    # scores on which earlier looks decided replace newer ones
    settings = {"runs": [first, second], "sizes": list(looks.sizes), "alpha": looks.alpha}
    look_file = read_look_file(record, ordered_scores.plan("paired", settings))
    final_scores = ordered_scores.with_scores_at_looks(look_file.scores)
    moments = functools.partial(final_scores.difference, first, second)
    taken = take_looks(looks, min(final_scores.ready.values()), moments)
    n = taken.looks[-1].n if taken.looks else 0
    look_file.keep({name: scores[:n].tolist() for name, scores in final_scores.scores.items()})
    if record is None:
        notes.append(NOT_RECORDED)
    return dataclasses.replace(undecided, taken=taken, moments=moments, notes=tuple(notes))
