"""What must be known before asking stops, and the resulting plan of looks."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from qaldgen.analysis.sequential import gate as gates
from qaldgen.analysis.sequential.evidence import Evidence, most_questions
from qaldgen.analysis.sequential.precision import Precision
from qaldgen.analysis.sequential.stopping import Step, look_for_decision, look_for_precision
from qaldgen.api.stopping import reference_of
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen.analysis.known_scores import KnownScores

__all__ = ["LooksAt", "Wanted"]

#: Looks at the scores of a run, by its name, in the order of asking, given the records of earlier
#: looks.
LooksAt: TypeAlias = "Callable[[Evidence, str, Sequence[Mapping[str, Any]]], Step]"


@dataclasses.dataclass(frozen=True, eq=False)
class Wanted:
    """What must be known before asking stops.

    Attributes
    ----------
    until : float or None
        Half the width of the 95 % interval; None for a decision.
    above : float or None
        The threshold of a decision.
    known : KnownScores or None
        Scores on the whole pool: the baseline of a decision, and what sharpens estimates.
    largest : int or None
        Maximum number of questions for a decision.
    measure : str
        What is estimated.
    """

    until: float | None = None
    above: float | None = None
    known: KnownScores | None = None
    largest: int | None = None
    measure: str = "macro-f1"

    def __post_init__(self) -> None:
        """Refuse both precision and decision, and neither."""
        decision = self.above is not None or (
            self.known is not None and self.known.baseline is not None
        )
        if self.until is None and not decision:
            raise UsageError(
                "say when to stop: either at a precision (until), or when it is clear which is"
                " better (above, baseline)"
            )
        if self.until is not None and (self.above is not None or self.largest is not None):
            raise UsageError(
                "say when to stop: a precision (until) cannot be combined with a threshold "
                "(above) or a largest size"
            )

    def in_words(self, span: tuple[float, float, float], n: int, *, reached: bool) -> str:
        """Say how well a score is known from the first n questions.

        Parameters
        ----------
        span
            The estimate with its interval.
        n
            Questions.
        reached
            Whether that is precise enough.

        Returns
        -------
        str
            A sentence.
        """
        told = "precise enough" if reached else f"not within ±{self.until:g} yet"
        value, low, high = span
        return (
            f"{told} after {n} questions: {value:.3f}, between {low:.3f} and {high:.3f} (95 %) on"
            " the whole pool"
        )

    def plan(self, given: Evidence, match: str) -> tuple[dict[str, Any], LooksAt]:
        """Return what is fixed before the first look, and the function that looks.

        Parameters
        ----------
        given
            The scores in the order of asking, of which there are none yet.
        match
            When an answer is right.

        Returns
        -------
        tuple of dict and callable
            The plan, and what looks.
        """
        known = self.known
        if self.until is not None:
            rule, benchmark = Precision(self.until), given.gold.benchmark
            plan = {
                "rule": "precision",
                "half_width": self.until,
                "pool": given.pool_size,
                "first": rule.first,
            }
            plan |= {
                "step": rule.step,
                "controls": gates.fingerprint(known),
                "measure": given.measure,
                "match": match,
            }
            plan |= {"benchmark": benchmark.signature if benchmark else ""}
            return plan, lambda now, run, before: look_for_precision(rule, now, run, known, before)
        question = gates.Question(
            *reference_of(known, self.above), known, most_questions(given, self.largest, [])
        )
        looks, plan = gates.plan_of(question, given, match)
        return plan, lambda now, run, before: look_for_decision(question, looks, now, run, before)
