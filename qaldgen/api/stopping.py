"""Look at runs before they are complete.

Is one better or worse than a baseline, a threshold, or another one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from qaldgen.analysis.known_scores import known_scores
from qaldgen.analysis.scores import AnyRun, Scores, judged_alike, notes_of, score_all, score_run
from qaldgen.analysis.sequential import gate as gates
from qaldgen.analysis.sequential.bounds import Looks, plan_looks
from qaldgen.analysis.sequential.evidence import Evidence, evidence, most_questions
from qaldgen.analysis.sequential.looks import EXAGGERATED, Look, Taken, take
from qaldgen.api.options import Scoring, ScoringOptions, spelled_out, take_last
from qaldgen.api.questions import AnyGold, gold_of
from qaldgen.errors import UsageError
from qaldgen.io.arguments import check_number
from qaldgen.runs import looks as kept_looks
from qaldgen.runs.journal_writing import open_journal
from qaldgen.runs.looks import UNKEPT, read_look_file

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import Unpack

    from qaldgen.analysis.controls import Moments
    from qaldgen.analysis.known_scores import KnownScores
    from qaldgen.scoring.gold import Gold

#: Returns a difference and its ordinary interval from the first n questions.
Point: TypeAlias = "Callable[[int], tuple[float, float, float]]"

__all__ = ["Decision", "compare_in_order", "decide", "gate"]


@dataclasses.dataclass(frozen=True)
class Decision:
    """What the looks at a run showed.

    Attributes
    ----------
    verdict : str
        ``better``, ``worse`` or ``undecided``.
    table : DataFrame
        One row per look: ``questions``, ``difference``, ``low``, ``high`` (the repeated interval),
        ``z``, ``bound``, ``verdict``.
    first, second : str
        What was compared.
    asked : int
        Questions that are answered from the beginning without a gap.
    next_look : int or None
        Questions that the next look needs; None if there is none.
    plan : Looks
        The looks that were planned.
    point : callable
        Returns estimate and ordinary interval from the first n questions.
    notes : tuple of str
        What a user should know.
    """

    verdict: str
    table: pd.DataFrame
    first: str
    second: str
    asked: int
    next_look: int | None
    plan: Looks
    point: Point = dataclasses.field(repr=False, compare=False)
    notes: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The verdict in words, with the interval and what it does not mean."""
        if not len(self.table):
            return (
                f"undecided: {self.asked} questions are answered, the first look is at"
                f" {self.next_look}"
            )
        last = self.table.iloc[-1]
        span = f"{last['difference']:+.3f}, between {last['low']:+.3f} and {last['high']:+.3f}"
        where = f"after {int(last['questions'])} of at most {self.plan.largest} questions"
        # the whole pool is asked: the difference is known, not estimated
        exact = int(last["questions"]) == self.plan.pool_size
        if self.verdict == "undecided":
            pair = f"{self.first} and {self.second}"
            what = f"undecided {where}: the difference between {pair} is {span}"
            if self.next_look is None:
                return f"{what}; this was the last look, and no claim can be made"
            return f"{what}; the next look is at {self.next_look} questions"
        what = f"{self.first} is {self.verdict} than {self.second} {where}: {span}"
        return (
            f"{what} (exact: the whole pool)"
            if exact
            else f"{what}. {EXAGGERATED[0].upper()}{EXAGGERATED[1:]}"
        )

    def __str__(self) -> str:
        """Return the notes, the looks, and the verdict."""
        return "\n\n".join([*self.notes, self.table.to_string(index=False), self.sentence])

    def path(self) -> pd.DataFrame:
        """Return how the estimate developed: ``questions``, ``estimate``, ``low``, ``high``."""
        import pandas as pd

        looks = [int(n) for n in self.table["questions"]]
        upto = looks[-1] if self.verdict != "undecided" else self.asked
        # at most about 60 points, which is enough for a smooth line
        steps = sorted({*range(10, upto + 1, max(5, upto // 60)), *looks})
        return pd.DataFrame(
            [(n, *self.point(n)) for n in steps], columns=["questions", "estimate", "low", "high"]
        )

    def draw(self, form: str) -> bytes:
        """Plot estimate and interval against the number of questions asked, with the looks.

        Parameters
        ----------
        form
            ``png`` or ``svg``.

        Returns
        -------
        bytes
            The picture.
        """
        from qaldgen.pictures.looks import draw_looks

        return draw_looks(self.path(), self.table, f"{self.first} - {self.second}", form)


@spelled_out(Scoring)
def gate(
    gold: AnyGold,
    run: AnyRun,
    *,
    baseline: str | Path | None = None,
    above: float | None = None,
    others: pd.DataFrame | str | Path | None = None,
    families: Mapping[str, str] | None = None,
    largest: int | None = None,
    record: bool = True,
    **options: Unpack[ScoringOptions],
) -> Decision:
    """Say whether a system is better or worse than a known baseline, or than a threshold.

    Parameters
    ----------
    gold
        A benchmark with an order (``lpm`` or ``random``), as RDF.
    run
        Answers to its questions, or to its first ones.
    baseline
        A system whose scores on the whole pool are known: the file of its scores, or a name of
        `others`.
    above
        A threshold instead: is the score on the whole pool above it, or below?
    others
        Scores of other systems on the whole pool, which sharpen the estimate.
    families
        System to family.
    largest
        Maximum number of questions; None for all of the benchmark. It is fixed before the first
        look.
    record
        Record the plan and the looks in the journal of the run, which makes them final.
    **options
        See `score`.

    Returns
    -------
    Decision
        The verdict, the looks, and what a user should know.

    Raises
    ------
    UsageError
        If neither or both of baseline and threshold are given, the benchmark has no order, or the
        journal was looked at under another plan.
    DataError
        If a file cannot be read.
    """
    how = take_last(Scoring, options, "gate")
    asked = gold_of(gold, language=how.language)
    scored, note = judged_alike(score_all(asked, [run], how))
    known = known_scores(others, families, baseline)
    path = Path(run) if record and isinstance(run, (str, Path)) else None
    return decide(
        asked, scored[0], known, above, largest=largest, journal=path, notes=notes_of(scored, note)
    )


def decide(
    gold: Gold,
    scored: Scores,
    known: KnownScores | None,
    above: float | None,
    *,
    largest: int | None = None,
    measure: str = "macro-f1",
    journal: Path | None = None,
    notes: Sequence[str] = (),
) -> Decision:
    """Take the looks at a run that is scored; see `gate`.

    Parameters
    ----------
    gold, scored
        The benchmark, and the run on it.
    known
        What is known on the whole pool.
    above, largest
        See `gate`.
    measure
        A measure that is a mean over questions.
    journal
        Where plan and looks are kept; None for nowhere.
    notes
        What is already known.
    """
    told = list(notes)
    given = _looked_at(evidence(gold, [scored], measure), scored, journal)
    question = gates.Question(
        *reference_of(known, above), known, most_questions(given, largest, told)
    )
    looks, plan = gates.plan_of(question, given, scored.judged_by)
    # plan and looks are kept in the journal, so that nobody can look again under other rules
    keep = _kept(scored, journal)
    before = kept_looks.agreed(keep, plan, kept_looks.read_looks(keep)) if keep is not None else ()
    taken = gates.decide(
        question, looks, given, scored.name, [Look.of(one, str(keep)) for one in before]
    )
    if journal is not None and (keep is None or not kept_looks.can_keep(keep)):
        told.append(
            f"{journal}: the plan and the looks cannot be kept there; do not look again under"
            " other rules"
        )
    elif keep is not None:
        _keep(keep, plan, taken, len(before))

    def point(n: int) -> tuple[float, float, float]:
        return _span(given.estimate(scored.name, n, question.known), question.reference)

    return _decision(taken, (scored.name, question.name), told, point)


def _kept(scored: Scores, journal: Path | None) -> Path | None:
    """Return the journal, if it is one that looks can be read from."""
    there = scored.run.format == "journal" and journal is not None and journal.is_file()
    return journal if there else None


def _looked_at(given: Evidence, scored: Scores, journal: Path | None) -> Evidence:
    """Return the scores; those at earlier looks stay as they were then.

    Otherwise a failure that was asked again and answered would move the later looks.
    """
    keep = _kept(scored, journal)
    held = {} if keep is None else kept_looks.responses_at_looks(keep, given.design.order)
    later = scored.run.responses
    if all(later.get(name) == response for name, response in held.items()):
        return given
    rules = scored.rules
    how = Scoring(scored.match, rules.same_as, rules.language, rules.aliases, extract=rules.extract)
    then = dataclasses.replace(scored.run, responses={**later, **held})
    return evidence(given.gold, [score_run(given.gold, then, how)], given.measure)


def compare_in_order(
    gold: Gold,
    scored: Sequence[Scores],
    *,
    measure: str = "macro-f1",
    largest: int | None = None,
    record: Path | None = None,
) -> Decision:
    """Say which of two systems is better, on the prefix of the order that both have answered.

    Parameters
    ----------
    gold
        A benchmark with an order.
    scored
        Two runs on it.
    measure
        A measure that is a mean over questions.
    largest
        Maximum number of questions; None for all of the benchmark.
    record
        The file that records the plan and the looks, which makes them final; None keeps none.

    Raises
    ------
    UsageError
        If there are not two runs, the benchmark has no order, or the record has another plan.
    """
    if len(scored) != 2:
        raise UsageError(
            f"--sequential compares two runs, but {len(scored)} were given; 'qaldgen race' finds "
            f"the"
            " best of several"
        )
    given, told = evidence(gold, scored, measure), list[str]()
    one, two = (run.name for run in scored)
    plan = plan_looks(most_questions(given, largest, told), given.pool_size)
    kept = read_look_file(
        record, given.plan("paired", scored[0].judged_by, sizes=list(plan.sizes), alpha=plan.alpha)
    )
    given = given.as_looked_at(kept.scores)
    taken = take(plan, min(given.ready.values()), lambda n: given.difference(one, two, n))
    seen = taken.looks[-1].n if taken.looks else 0
    kept.keep({name: own[:seen].tolist() for name, own in given.scores.items()})
    told += [] if record is not None else [UNKEPT]
    return _decision(taken, (one, two), told, lambda n: _span(given.difference(one, two, n)))


def reference_of(known: KnownScores | None, above: float | None) -> tuple[str, float]:
    """Return what a run is compared with, and its score on the pool.

    Parameters
    ----------
    known
        What is known on the whole pool; None for nothing.
    above
        The threshold; None for a baseline.

    Returns
    -------
    tuple[str, float]
        The name, and the score.

    Raises
    ------
    UsageError
        If neither or both of baseline and threshold are given, or the threshold is invalid.
    """
    baseline = None if known is None else known.baseline
    if (baseline is None) == (above is None):
        raise UsageError(
            "say what the run is compared with: either --baseline with known scores, or --above"
            " with a threshold"
        )
    if baseline is not None:
        mean = float(baseline.mean())
        return f"{baseline.name} ({mean:.3f} on the whole pool)", mean
    check_number("--above", float(above or 0.0), above=0)
    if float(above or 0.0) >= 1.0:
        raise UsageError(f"--above {above:g}: a threshold is a score between 0 and 1, such as 0.4")
    return f"{above:g}", float(above or 0.0)


def _keep(journal: Path, plan: Mapping[str, object], taken: Taken, known: int) -> None:
    """Append the plan and the new looks to the journal."""
    already = kept_looks.read_looks(journal)
    new = [*([] if already else [{"plan": plan}]), *(one.record() for one in taken.looks[known:])]
    if new:
        with open_journal(journal) as kept:
            for record in new:
                kept.add_look(record)


def _span(found: Moments, reference: float = 0.0) -> tuple[float, float, float]:
    """Return a difference with its ordinary interval."""
    reach = 1.96 * found.variance**0.5
    apart = found.estimate - reference
    return apart, apart - reach, apart + reach


def _decision(taken: Taken, names: tuple[str, str], notes: Sequence[str], point: Point) -> Decision:
    import pandas as pd

    rows = [
        (one.n, one.estimate, one.low, one.high, one.z, one.bound, one.verdict)
        for one in taken.looks
    ]
    table = pd.DataFrame(
        rows, columns=["questions", "difference", "low", "high", "z", "bound", "verdict"]
    )
    first, second = names
    return Decision(
        taken.verdict,
        table,
        first,
        second,
        taken.ready,
        taken.next_look,
        taken.plan,
        point,
        tuple(notes),
    )
