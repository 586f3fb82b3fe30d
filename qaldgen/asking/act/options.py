"""How ACT selects: options, their presets, and the names that go into the journal."""

from __future__ import annotations

import dataclasses
import math

from qaldgen.errors import UsageError
from qaldgen.io.names import one_of
from qaldgen.rdf.terms import PREFIXES
from qaldgen.stores.types import USUAL, ClassPredicates

#: How types count: `match` is 1 if any is shared; `paper` is the share of the wanted types that the
#: candidate has (section 3.4); `authors` is the formula of the published program, in which more
#: matches score less, and none scores 0.
TYPE_SCORES = ("match", "paper", "authors")
NEIGHBOURS = ("forward", "both")
#: The weights of the published program, which ranks its best 30 rows a second time.
_AUTHORS_WEIGHTS, _AUTHORS_ROWS = (1.628, -0.136, 2.103, 5.730), 30


@dataclasses.dataclass(frozen=True)
class Selection:
    """How candidates are scored.

    Attributes
    ----------
    type_score : str
        One of `TYPE_SCORES`.
    weights : tuple of float
        For the scores of type, neighbour, rank of the model, and property.
    top_types : int
        This many of the most frequent types of the candidates are wanted.
    similarity : float
        Types whose names are more similar than this to one of these are wanted too.
    reranked : tuple of float
        Weights by which the best rows are ranked a second time; empty for none.
    rows : int
        How many rows are ranked a second time.
    neighbours : str
        ``forward`` for the objects of the entities of the question, ``both`` for the subjects too.
    most_neighbours : int
        The most neighbours of one question that are looked at, in the order of IRIs.
    nearest : int
        Training questions whose answers are the candidates.
    labels : tuple of str
        Predicates that name things.
    classes : ClassPredicates
        Predicates that name classes, and the classes that do not count.
    """

    type_score: str = "match"
    weights: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)
    top_types: int = 3
    similarity: float = 0.6
    reranked: tuple[float, ...] = ()
    rows: int = 0
    neighbours: str = "forward"
    most_neighbours: int = 10_000
    nearest: int = 20
    labels: tuple[str, ...] = (f"{PREFIXES['rdfs']}label",)
    classes: ClassPredicates = USUAL

    def __post_init__(self) -> None:
        if self.type_score not in TYPE_SCORES:
            raise UsageError(
                f"the type score is {self.type_score!r}; {one_of(self.type_score, TYPE_SCORES)}"
            )
        if self.neighbours not in NEIGHBOURS:
            raise UsageError(
                f"neighbours is {self.neighbours!r}; {one_of(self.neighbours, NEIGHBOURS)}"
            )
        if len(self.weights) != 4 or not all(map(math.isfinite, self.weights)):
            raise UsageError(
                "the weights are four finite numbers: of type, neighbour, rank and property,"
                " such as 1,1,1,1"
            )
        if (
            min(self.top_types, self.nearest, self.most_neighbours) < 1
            or not -1 <= self.similarity <= 1
        ):
            raise UsageError(
                "top types, nearest questions and neighbours are at least 1, and the similarity"
                f" lies in -1 to 1; these are {self.top_types}, {self.nearest},"
                f" {self.most_neighbours} and {self.similarity:g}"
            )

    def __str__(self) -> str:
        """Return in one line all settings that change answers, for the journal."""
        weights = ",".join(f"{one:g}" for one in self.weights)
        again = (
            f", best {self.rows} again by {','.join(f'{one:g}' for one in self.reranked)}"
            if self.reranked
            else ""
        )
        changed = {
            field.name
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != field.default
            and field.name in {"labels", "classes", "most_neighbours"}
        }
        own = "".join(f", {name} {getattr(self, name)!r}" for name in sorted(changed))
        types = f"{self.type_score} of {self.top_types} types and those above {self.similarity:g}"
        return (
            f"{types}, weights {weights}{again}, neighbours {self.neighbours},"
            f" nearest {self.nearest}{own}"
        )


#: The best formula, that of the paper (its rank read as 1 - i/n), and that of the published
#: program.
PRESETS = {
    "default": Selection(),
    "paper": Selection(type_score="paper"),
    "authors": Selection(type_score="authors", reranked=_AUTHORS_WEIGHTS, rows=_AUTHORS_ROWS),
}


@dataclasses.dataclass(frozen=True)
class Act:
    """The sources and settings of ACT.

    Attributes
    ----------
    training : str
        A question set with answers, whose nearest questions give the candidates.
    candidates : str
        Recorded candidates as JSON Lines, instead of training questions.
    how : Selection
        How they are scored.
    """

    training: str = ""
    candidates: str = ""
    how: Selection = PRESETS["default"]
