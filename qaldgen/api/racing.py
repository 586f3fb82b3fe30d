"""Find the best of several systems with few answers."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.analysis.scores import AnyRun, Scores, judged_alike, notes_of, score_all
from qaldgen.analysis.sequential import race as races
from qaldgen.analysis.sequential.evidence import evidence, most_questions
from qaldgen.api.options import Scoring, ScoringOptions, spelled_out, take_last
from qaldgen.api.questions import AnyGold, gold_of
from qaldgen.errors import UsageError
from qaldgen.runs.looks import UNKEPT, read_look_file

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import Unpack

    from qaldgen.scoring.gold import Gold

__all__ = ["Ranking", "race", "race_scores"]


@dataclasses.dataclass(frozen=True)
class Ranking:
    """What came of a race.

    Attributes
    ----------
    table : DataFrame
        One row per system, those left over first: ``system``, ``questions``, ``score``, ``left at``
        (the look), ``behind`` the leader.
    alive : tuple of str
        Those left over.
    calls : int
        Answers that were needed.
    full : int
        Answers needed to ask every system every question.
    next_look : int or None
        Questions up to which those left over have to be asked next; None if the race is over.
    guaranteed : bool
        Whether the best system is among those left in 95 % of the races.
    notes : tuple of str
        What a user should know.
    """

    table: pd.DataFrame
    alive: tuple[str, ...]
    calls: int
    full: int
    next_look: int | None
    guaranteed: bool
    notes: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The outcome in words."""
        left = ", ".join(self.alive)
        used = f"{self.calls:,} answers instead of {self.full:,}"
        if self.next_look is not None:
            return f"not over yet: ask {left} up to question {self.next_look}"
        # halving keeps to a budget, whatever the evidence
        if not self.guaranteed:
            return (
                f"{left} is left, with {used}. Nothing guarantees that it is the best: the"
                " budget decided, not the evidence"
            )
        if len(self.alive) == 1:
            return f"{left} is the best, with {used} (the best one is kept in 95 % of such races)"
        return (
            f"{left} cannot be told apart within {used}; the best "
            "one is among them in 95 % of such races"
        )

    def __str__(self) -> str:
        """Return the notes, the table, and the sentence."""
        return "\n\n".join([*self.notes, self.table.to_string(index=False), self.sentence])


@spelled_out(Scoring)
def race(
    gold: AnyGold, runs: Sequence[AnyRun], *, largest: int | None = None, budget: int | None = None,
    record: str | Path | None = None, **options: Unpack[ScoringOptions],
) -> Ranking:  # fmt: skip
    """Find the best of several systems with few answers: systems clearly behind drop out.

    Parameters
    ----------
    gold
        A benchmark with an order (``lpm`` or ``random``), as RDF.
    runs
        Answers to its questions, or to its first ones.
    largest
        Maximum number of questions per system; None for all of the benchmark.
    budget
        Instead, the total number of answers: the worse half drops out in each round, without any
        guarantee.
    record
        The file that records the plan and the looks, which makes them final; None keeps none.
    **options
        See `score`.

    Returns
    -------
    Ranking
        Which systems are left, and when the others dropped out.

    Raises
    ------
    UsageError
        If there are fewer than two runs, or the benchmark has no order.
    DataError
        If a file cannot be read.
    """
    how = take_last(Scoring, options, "race")
    asked = gold_of(gold, language=how.language)
    scored, note = judged_alike(score_all(asked, runs, how))
    kept = None if record is None else Path(record)
    notes = notes_of(scored, note)
    return race_scores(asked, scored, largest=largest, budget=budget, notes=notes, record=kept)


def race_scores(
    gold: Gold,
    scored: Sequence[Scores],
    *,
    largest: int | None = None,
    budget: int | None = None,
    measure: str = "macro-f1",
    notes: Sequence[str] = (),
    record: Path | None = None,
) -> Ranking:
    """Race runs that are scored; see `race`.

    Parameters
    ----------
    gold, scored
        The benchmark, and the runs on it.
    largest, budget
        See `race`.
    measure
        A measure that is a mean over questions.
    notes
        What is already known.
    record
        See `race`.
    """
    import pandas as pd

    given, told = evidence(gold, scored, measure), list(notes)
    if budget is not None and largest is not None:
        raise UsageError("--budget and --max are different rules; give one of them")
    most = given.size if budget is not None else most_questions(given, largest, told)
    rule = {"budget": budget} if budget is not None else {"largest": most}
    kept = read_look_file(record, given.plan("race", scored[0].judged_by, **rule))
    given = given.as_looked_at(kept.scores)
    if budget is not None:
        found = races.halving(given.scores, given.ready, budget=budget)
    else:
        found = races.race(
            given.scores, given.ready, given.difference, largest=most, pool_size=given.pool_size
        )
    kept.keep(
        {one.system: given.scores[one.system][: one.asked].tolist() for one in found.standings}
    )
    told += [] if record is not None else [UNKEPT]
    rows = [(one.system, one.asked, one.score, one.left_at, one.behind) for one in found.standings]
    table = pd.DataFrame(rows, columns=["system", "questions", "score", "left at", "behind"])
    # a nullable integer: those who stay have no number
    table["left at"] = table["left at"].astype("Int64")
    return Ranking(
        table,
        found.alive,
        found.calls,
        most * len(scored),
        found.next_look,
        found.guaranteed,
        tuple(told),
    )
