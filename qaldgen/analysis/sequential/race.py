"""Find the best of several systems with few answers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.analysis.scores import AnyRun, judged_alike, notes_of, score_all
from qaldgen.analysis.sequential.elimination import eliminate, halving
from qaldgen.analysis.sequential.evidence import evidence, most_questions
from qaldgen.errors import UsageError
from qaldgen.io.helpful import helpful
from qaldgen.options import Count, Extractions, Kept, Matchers, Measures, Repeats, SameAs
from qaldgen.runs.looks import UNKEPT, read_look_file
from qaldgen.scoring.gold import AnyGold, as_gold
from qaldgen.scoring.judging import Verdicts
from qaldgen.scoring.resolving import AUTO, Resolved
from qaldgen.scoring.setting import Scoring

if TYPE_CHECKING:
    import pandas as pd


@helpful
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
        How the runs were scored, and what is not kept.
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


def race(
    gold: AnyGold,
    runs: Sequence[AnyRun],
    *,
    largest: Count | None = None,
    budget: Count | None = None,
    measure: Measures = "macro-f1",
    record: Kept | None = None,
    match: Matchers | Verdicts | Resolved = AUTO,
    same_as: SameAs = "none",
    language: str = "en",
    aliases: Mapping[str, Sequence[str]] | str | Path | None = None,
    labels: str = "",
    extract: Extractions = "auto",
    repeats_as: Repeats | None = None,
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
    budget
        Total number of answers: the worse half drops out in each round. Nothing guarantees that the
        best one stays.
    measure
        Measure to compare.

        It must be a mean over questions, from 0 to 1.
    record
        File that keeps the plan and the looks as more answers come in.

        It makes them final; None keeps none.
    match, same_as, language, aliases, labels, extract, repeats_as
        See `score`.

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
    """
    import pandas as pd

    if budget is not None and largest is not None:
        raise UsageError("--budget and --max are different rules; give one of them")
    asked = as_gold(gold, language=language)
    how = Scoring(match, same_as, language, aliases, labels, extract, repeats_as)
    scored, note = judged_alike(score_all(asked, runs, how))
    notes = list(notes_of(scored, note))
    given = evidence(asked, scored, measure)
    most = given.size if budget is not None else most_questions(given, largest, notes)
    rule = {"budget": budget} if budget is not None else {"largest": most}
    path = None if record is None else Path(record)
    kept = read_look_file(path, given.plan("race", scored[0].judged_by, **rule))
    given = given.with_scores_at_looks(kept.scores)
    if budget is not None:
        result = halving(given.scores, given.ready, budget=budget)
    else:
        result = eliminate(
            given.scores, given.ready, given.difference, largest=most, pool_size=given.pool_size
        )
    standings = result.standings
    kept.keep({each.system: given.scores[each.system][: each.asked].tolist() for each in standings})
    table = pd.DataFrame(
        [(each.system, each.asked, each.score, each.left_at, each.behind) for each in standings],
        columns=["system", "questions", "score", "left at", "behind"],
    )
    # a nullable integer: those who stay have no number
    table["left at"] = table["left at"].astype("Int64")
    return Ranking(
        table,
        result.alive,
        result.calls,
        most * len(scored),
        result.next_look,
        result.guaranteed,
        (*notes, *([UNKEPT] if record is None else [])),
    )
