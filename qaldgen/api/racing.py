"""Find the best of several systems with few answers."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from qaldgen.analysis.sequential import race as races
from qaldgen.analysis.sequential.evidence import evidence, most_questions
from qaldgen.api.options import Scoring, ScoringOptions, spelled_out, take_last
from qaldgen.api.questions import AnyGold, gold_of
from qaldgen.api.scoring import AnyRun, Scores, judged_alike, notes_of, score_all
from qaldgen.errors import UsageError

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
        One row a system, those left over first: ``system``, ``questions``, ``score``, ``left at``
        (the look), ``behind`` the leader.
    alive : tuple of str
        Those left over.
    calls : int
        Answers that were needed.
    full : int
        Answers that it would have taken to ask everyone everything.
    next_look : int or None
        Questions up to which those left over have to be asked next; None if the race is over.
    guaranteed : bool
        Whether the best one is left over in 95 % of the races.
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
        """What came of it, in words."""
        left = ", ".join(self.alive)
        used = f"{self.calls:,} answers instead of {self.full:,}"
        if self.next_look is not None:
            return f"not over yet: ask {left} up to question {self.next_look}"
        # halving keeps to a budget, whatever the evidence
        if not self.guaranteed:
            return (
                f"{left} is left over, with {used}. Nothing guarantees that it is the best: the"
                " budget decided, not the evidence"
            )
        if len(self.alive) == 1:
            return f"{left} is the best, with {used} (the best one is kept in 95 % of such races)"
        return (
            f"{left} cannot be told apart within {used}; the best "
            "one is among them in 95 % of such races"
        )

    def __str__(self) -> str:
        """Return what there is to know, the table, and the sentence."""
        return "\n\n".join([*self.notes, self.table.to_string(index=False), self.sentence])


@spelled_out(Scoring)
def race(
    gold: AnyGold, runs: Sequence[AnyRun], *, largest: int | None = None, budget: int | None = None,
    **options: Unpack[ScoringOptions],
) -> Ranking:  # fmt: skip
    """Find the best of several systems with few answers: who is clearly behind the leader leaves.

    Parameters
    ----------
    gold
        A benchmark with an order (``lpm`` or ``random``), as RDF.
    runs
        Answers to its questions, or to its first ones.
    largest
        The most questions for a system; None for all of the benchmark.
    budget
        A number of answers in all instead: the worse half leaves, round after round, without any
        guarantee.
    **options
        See `score`.

    Returns
    -------
    Ranking
        Who is left over, and when the others left.

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
    return race_scores(asked, scored, largest=largest, budget=budget, notes=notes_of(scored, note))


def race_scores(
    gold: Gold,
    scored: Sequence[Scores],
    *,
    largest: int | None = None,
    budget: int | None = None,
    measure: str = "macro-f1",
    notes: Sequence[str] = (),
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
        What there is to know already.
    """
    import pandas as pd

    given, told = evidence(gold, scored, measure), list(notes)
    if budget is not None:
        if largest is not None:
            # halving spends a budget, the race stops at a size
            raise UsageError("--budget and --max are different rules; give one of them")
        found = races.halving(given.scores, given.ready, budget=budget)
        most = given.size
    else:
        most = most_questions(given, largest, told)
        found = races.race(
            given.scores, given.ready, given.difference, largest=most, pool_size=given.pool_size
        )
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
