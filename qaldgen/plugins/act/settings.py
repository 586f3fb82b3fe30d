"""The settings of ACT: the sources of candidates, and their scores."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

from qaldgen.errors import UsageError
from qaldgen.io.arguments import check_integer, one_of
from qaldgen.options import Option
from qaldgen.rdf.terms import PREFIXES, is_iri
from qaldgen.stores.entities import DEFAULT_PREDICATES, ClassPredicates

#: How types count: `match` is 1 if any is shared; `paper` is the share of the wanted types that the
#: candidate has (section 3.4); `authors` is the formula of the published program, in which more
#: matches score less, and none scores 0.
TYPE_SCORES = ("match", "paper", "authors")
NEIGHBOURS = ("forward", "both")
#: The weights of the published program.
_AUTHORS_WEIGHTS = (1.628, -0.136, 2.103, 5.730)
#: The rows that the published program ranks a second time.
_AUTHORS_ROWS = 30
#: Above any sensible weight, and small enough for sums of weighted scores to be exact.
_MAX_WEIGHT = 1_000_000


@dataclasses.dataclass(frozen=True)
class Beams:
    """How a local model searches for candidates.

    Attributes
    ----------
    beams : int
        The number of candidates that are followed at a time, and returned.
    groups : int
        The number of groups that share the beams; a group avoids the words of earlier ones.
    penalty : float
        The penalty of a word for each beam of another group that has it.

    Examples
    --------
    >>> Beams(200, groups=20, penalty=0.1).beams
    200
    """

    beams: int = 50
    groups: int = 1
    penalty: float = 0.0

    def __post_init__(self) -> None:
        check_integer("beams", self.beams, 1)
        check_integer("groups", self.groups, 1)
        if self.beams % self.groups:
            raise UsageError(
                f"{self.beams} beams cannot be divided into {self.groups} groups of equal size"
            )
        if not 0 <= self.penalty < math.inf:
            raise UsageError(f"`penalty` is {self.penalty:g}; expected a number of at least 0")


@dataclasses.dataclass(frozen=True)
class Selection:
    """Settings for the scores of candidates.

    Attributes
    ----------
    type_score : str
        One of `TYPE_SCORES`.
    weights : tuple of float
        For the scores of type, neighbour, rank of the model, and property.
    top_types : int
        The number of types that are wanted: the most frequent ones of the candidates.
    similarity : float
        Types whose names are more similar than this to one of these are wanted too.
    reranked : tuple of float
        Weights by which the best rows are ranked a second time; empty for none.
    rows : int
        The number of rows that are ranked a second time.
    neighbours : str
        ``forward`` for the objects of the entities of the question, ``both`` for the subjects too.
    typos : int
        The maximum number of wrong letters in a name of the question, if no name is spelt
        correctly; at most one in five letters, and only in a file.
    most_neighbours : int
        The maximum number of neighbours of one question, in the order of IRIs.
    nearest : int
        The number of training questions whose answers are the candidates.
    beams : Beams
        How a local model searches for candidates.
    labels : tuple of str
        Predicates that name things.
    classes : ClassPredicates
        Predicates that name classes.
    """

    type_score: str = "match"
    weights: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)
    top_types: int = 3
    similarity: float = 0.6
    reranked: tuple[float, ...] = ()
    rows: int = 0
    neighbours: str = "forward"
    typos: int = 1
    most_neighbours: int = 10_000
    nearest: int = 20
    beams: Beams = Beams()
    labels: tuple[str, ...] = (f"{PREFIXES['rdfs']}label",)
    classes: ClassPredicates = DEFAULT_PREDICATES

    def __post_init__(self) -> None:
        if self.type_score not in TYPE_SCORES:
            suggestion = one_of(self.type_score, TYPE_SCORES)
            raise UsageError(f"the type score is {self.type_score!r}; {suggestion}")
        if self.neighbours not in NEIGHBOURS:
            suggestion = one_of(self.neighbours, NEIGHBOURS)
            raise UsageError(f"neighbours is {self.neighbours!r}; {suggestion}")

        are_sensible = all(abs(weight) <= _MAX_WEIGHT for weight in self.weights + self.reranked)
        if len(self.weights) != 4 or len(self.reranked) not in {0, 4} or not are_sensible:
            raise UsageError(
                "the weights must be four numbers (type, neighbour, rank, property), such as"
                f" 1,1,1,1; none is above {_MAX_WEIGHT:,} or below -{_MAX_WEIGHT:,}"
            )

        if not self.labels or not all(map(is_iri, self.labels)):
            labels = ", ".join(self.labels) or "nothing"
            raise UsageError(
                f"{labels} is not a predicate of names; write IRIs in full, for instance"
                f" {PREFIXES['rdfs']}label"
            )

        for name in ("top_types", "nearest", "most_neighbours"):
            check_integer(name, getattr(self, name), 1)
        check_integer("typos", self.typos, 0, 2)
        check_integer("rows", self.rows, 1 if self.reranked else 0)
        if not -1 <= self.similarity <= 1:
            raise UsageError(f"`similarity` is {self.similarity!r}; expected a number from -1 to 1")

    def __str__(self) -> str:
        """Return in one line all settings that change answers, for the journal."""
        weights = ",".join(f"{weight:g}" for weight in self.weights)
        parts = [
            f"{self.type_score} of {self.top_types} types and those above {self.similarity:g}",
            f"weights {weights}",
        ]
        if self.reranked:
            reranked = ",".join(f"{weight:g}" for weight in self.reranked)
            parts.append(f"best {self.rows} again by {reranked}")
        parts.append(f"neighbours {self.neighbours}")
        parts.append(f"nearest {self.nearest}")
        parts.append(f"typos {self.typos}")
        for name in ("beams", "classes", "labels", "most_neighbours"):
            value = getattr(self, name)
            if value != getattr(Selection, name):
                parts.append(f"{name} {value!r}")
        return ", ".join(parts)


_PAPER_BEAMS = Beams(200, 20, 0.1)
#: The best formula, the formula of the paper (its rank read as 1 - i/n), and the formula of the
#: published program.
PRESETS = {
    "default": Selection(),
    "paper": Selection(type_score="paper", beams=_PAPER_BEAMS),
    "authors": Selection(
        type_score="authors", reranked=_AUTHORS_WEIGHTS, rows=_AUTHORS_ROWS, beams=_PAPER_BEAMS
    ),
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
    generator : str
        A model, instead of either: ``seq2seq:FOLDER`` for a local one of transformers, or
        ``openai:URL`` for one behind chat completions.
    how : Selection
        The settings for scores.
    entities : str
        A file with the entities of each question; empty to look for their names.
    encoder : str
        A model of sentence-transformers that compares names; empty for n-grams of letters.
    """

    training: str = ""
    candidates: str = ""
    generator: str = ""
    how: Selection = PRESETS["default"]
    entities: str = ""
    encoder: str = ""


#: None takes the value of the preset; `Selection` and `Beams` check the values.
OPTIONS = (
    Option("training", None, "questions with answers; the nearest give the candidates", kind=Path),
    Option("candidates", None, "recorded candidates: JSON Lines of id, candidates", kind=Path),
    Option("entities", None, "linked entities by question, from any linker", kind=Path),
    Option("encoder", "", "model of sentence-transformers that compares names: folder or name"),
    Option("generator", "", "a model that proposes candidates: seq2seq:FOLDER or openai:URL"),
    Option("beams", None, "number of seq2seq candidates", kind=int),
    Option("groups", None, "groups of beams; each avoids the words of the others", kind=int),
    Option("penalty", None, "penalty for a word that another group uses", kind=float),
    Option("preset", "default", "settings to start from", choices=tuple(PRESETS)),
    Option("type_score", None, f"type score: {', '.join(TYPE_SCORES)}", kind=str),
    Option("weights", None, "weights of type, neighbour, rank and property: 1,1,1,1", kind=str),
    Option("top_types", None, "how many of the most frequent types count", kind=int),
    Option("similarity", None, "also count types whose names are more similar", kind=float),
    Option("neighbours", None, f"direction of links: {', '.join(NEIGHBOURS)}", kind=str),
    Option("nearest", None, "training questions whose answers are candidates", kind=int),
    Option(
        "typos",
        None,
        "wrong letters allowed in a name, if nothing else is named (0 to 2)",
        kind=int,
    ),
    Option("name_predicate", (), "IRI of a predicate of names (rdfs:label); repeatable"),
    Option("type_predicate", (), "IRI of a predicate of types (rdf:type, wdt:P31); repeatable"),
    Option("explain", None, "id of a question; shows how it is answered, and asks none", kind=str),
    Option("ablation", False, "print Hit@1 by sets of candidates and by scores, and ask none"),
)
#: Options that are fields of `Selection` with the same values.
_FIELDS = ("type_score", "top_types", "similarity", "neighbours", "nearest", "typos")


def read_settings(options: dict[str, Any]) -> Act:
    """Return the settings of options: the preset, changed by the other options."""
    if options["explain"] is not None and options["ablation"]:
        raise UsageError("`explain` and `ablation` print different tables; remove one")

    preset = PRESETS[options["preset"]]
    classes = preset.classes
    if options["type_predicate"]:
        classes = dataclasses.replace(classes, types=tuple(options["type_predicate"]))

    search = {
        name: options[name] for name in ("beams", "groups", "penalty") if options[name] is not None
    }
    changes = {name: options[name] for name in _FIELDS if options[name] is not None}
    if options["name_predicate"]:
        changes["labels"] = tuple(options["name_predicate"])

    if options["weights"] is not None:
        try:
            weights = tuple(float(word) for word in options["weights"].split(","))
        except ValueError:
            raise UsageError(
                f"`weights` {options['weights']}: four numbers with commas are expected, such as"
                " 1,1,1,1"
            ) from None
        changes["weights"] = weights

    beams = dataclasses.replace(preset.beams, **search)
    return Act(
        training=str(options["training"] or ""),
        candidates=str(options["candidates"] or ""),
        generator=options["generator"],
        how=dataclasses.replace(preset, classes=classes, beams=beams, **changes),
        entities=str(options["entities"] or ""),
        encoder=options["encoder"],
    )
