"""What a search for weak spots found: in words, as a table, for programs and for the page."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING

from qaldgen.analysis.comparing.multiplicity import p_in_words
from qaldgen.analysis.slices.sizes import Detectable
from qaldgen.analysis.slices.slicing import Slice
from qaldgen.io.text import count, helpful, printed, result_html

if TYPE_CHECKING:
    import pandas as pd

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


@helpful
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
    estimate: tuple[float, float, float] = (float("nan"),) * 3

    def __repr__(self) -> str:
        """Return one line: the kind and its figures."""
        return f"<WeakSpot {self.in_words}>"

    @property
    def in_words(self) -> str:
        """The spot with its figures."""
        return (
            f"{self.slice.label} ({self.score:.2f} here, {self.elsewhere:.2f} elsewhere,"
            f" {_questions(len(self.slice))}, {p_in_words(self.p)}; expect a gap of"
            f" {self.expected:.2f}, {self.low:.2f} to {self.high:.2f}, on new questions)"
        )


@helpful
@dataclasses.dataclass(frozen=True)
class WeakSpots:
    """Where systems are weak."""

    #: By system, the largest claim first; empty where nothing was found.
    spots: Mapping[str, tuple[WeakSpot, ...]] = dataclasses.field(default_factory=dict)
    #: By system, how large a weakness would have been seen with power 80 %, by size of the kind.
    detectable: Mapping[str, tuple[Detectable, ...]] = dataclasses.field(default_factory=dict)
    questions: int = 0  # how many questions were searched
    #: How many kinds of one condition, and of two.
    conditions: int = 0
    pairs: int = 0
    measured: str = ""  # what the scores are, in words
    alpha: float = 0.05  # the chance of naming any weak spot of any system if there is none
    random_state: int = 0  # the seed
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
        """Return the same for notebooks."""
        silent = [
            self.silence(system) for system, found_spots in self.spots.items() if not found_spots
        ]
        tables = [self.table(people=True).round(4)] if any(self.spots.values()) else []
        return result_html(repr(self), tables, [*self.notes, *silent])

    def silence(self, system: str) -> str:
        """Return why nothing is named for a system, and what would have been."""
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
            f", one of {question.questions:,} from {100 * question.difference:.0f}"
            for question in rest
        )
        return (
            f"No kind of question stands out. A kind of {first.questions:,} questions would have"
            f" been seen from {100 * first.difference:.0f} points{more}."
        )

    def sentences(self) -> list[str]:
        """Return a line for each system: what it is weak on, or what would have been seen."""
        lines = []
        for system, found_spots in self.spots.items():
            said = "; ".join(spot.in_words for spot in found_spots)
            also = "".join(
                f"\n  {spot.slice.label}: also {'; '.join(spot.also)}"
                for spot in found_spots
                if spot.also
            )
            lines.append(
                f"{system} is weak on: {said}.{also}"
                if found_spots
                else f"{system}: {self.silence(system)}"
            )
        return lines

    def table(self, *, people: bool = False) -> pd.DataFrame:
        """Return one row for each weak spot."""
        import pandas as pd

        rows = [
            {
                "system": system,
                "number": number,
                "slice": spot.slice.name,
                "label": spot.slice.label,
                "n": len(spot.slice),
                **{
                    name: getattr(spot, name)
                    for name in ("score", "elsewhere", "overall", "expected", "low", "high", "p")
                },
                **dict(
                    zip(("estimate", "estimate low", "estimate high"), spot.estimate, strict=True)
                ),
                "also": "; ".join(spot.also),
                "sparql": spot.slice.sparql,
            }
            for system, found_spots in self.spots.items()
            for number, spot in enumerate(found_spots, 1)
        ]
        frame = pd.DataFrame(rows, columns=None if rows else _COLUMNS)
        return frame[list(_FOR_PEOPLE)].rename(columns=_FOR_PEOPLE) if people else frame


_COLUMNS = [
    "system", "number", "slice", "label", "n", "score", "elsewhere", "overall", "expected", "low",
    "high", "p", "estimate", "estimate low", "estimate high", "also", "sparql",
]  # fmt: skip


def _questions(count: int) -> str:
    return f"{count:,} question{'' if count == 1 else 's'}"
