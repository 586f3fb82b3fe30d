"""What the templates match.

A question whose names are replaced by slots, and what its words of measure mean.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from qaldgen_systems import _sparql as sparql
from qaldgen_systems._graph import GraphIndex, Step, label_stems
from qaldgen_systems._linking import Reading, Span, read
from qaldgen_systems._neighbours import wanted_class, with_edges
from qaldgen_systems._words import FUNCTION_WORDS, meanings, stem

#: Adjectives, the words of labels that they measure (the likeliest first), and whether more of it
#: is more of the value.
_ADJECTIVES = {
    "long": ("length running duration", True), "short": ("length running duration", False),
    "high": ("height elevation", True), "tall": ("height", True),
    "low": ("height elevation", False), "deep": ("depth", True), "shallow": ("depth", False),
    "large": ("area population diameter", True), "big": ("area population diameter", True),
    "small": ("area diameter population", False), "populous": ("population", True),
    "heavy": ("mass weight atomic", True), "light": ("mass weight atomic", False),
    "old": ("birth release publication discovery invention year", False),
    "early": ("birth release publication discovery year", False),
    "young": ("birth release publication discovery invention year", True),
    "new": ("release publication discovery year", True),
    "late": ("birth release publication discovery year", True),
    "north": ("latitude", True), "south": ("latitude", False),
}  # fmt: skip
_IRREGULAR = {"last": "late", "northernmost": "north", "southernmost": "south"}
_UNITS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
#: What a slot looks like; a word of a question that holds one is none.
_SLOT = re.compile(r"[ecr]\d")
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}


class Form(NamedTuple):
    """A question with slots.

    Attributes
    ----------
    text : str
        The words, in which ``e0`` stands for the first entity, ``c0`` for the first class, ``r0``
        for the first relation.
    reading : Reading
        What was found in the question.
    slots : dict of str to str
        The IRI of each slot.
    """

    text: str
    reading: Reading
    slots: dict[str, str]

    def some(self, letter: str) -> list[str]:
        """Return the IRIs of all slots of a letter, in the order of the question."""
        return [iri for slot, iri in self.slots.items() if slot[0] == letter]


class Base(NamedTuple):
    """What is asked about: its patterns for ``?answer``, and the nodes that they give."""

    patterns: tuple[str, ...]
    nodes: tuple[str, ...]


class Measure(NamedTuple):
    """A relation whose values are compared, and whether the adjective means more of them."""

    relation: str
    more: bool


def form_of(graph: GraphIndex, text: str) -> Form:
    """Replace names by slots, and number words by numbers."""
    reading = read(graph, text)
    spans = [("e", span.start, span.end, with_edges(graph, span)) for span in reading.entities]
    spans += [("c", span.start, span.end, span.iris[0]) for span in reading.classes]
    spans += [("r", span.start, span.end, span.iris[0]) for span in _relations(graph, reading)]
    words = tuple("_" if _SLOT.search(word) else word for word in reading.words)
    parts, slots, place = [], dict[str, str](), 0
    for letter, start, end, iri in sorted(spans, key=lambda one: one[1]):
        slot = f"{letter}{sum(name[0] == letter for name in slots)}"
        slots[slot] = iri
        parts += [*words[place:start], slot]
        place = end
    return Form(_numbers([*parts, *words[place:]]), reading, slots)


def _relations(graph: GraphIndex, reading: Reading) -> list[Span]:
    """Return the relations that match all words of their labels, or one synonym."""
    labels = {relation: label_stems(words) for relation, words in graph.relations.items()}
    free, found, after = set(reading.free()), list[Span](), 0
    for place in sorted(free):
        if (
            place < after
            or reading.words[place] in FUNCTION_WORDS
            or measured(reading.words[place])
        ):
            continue
        pair = (
            (stem(reading.words[place]), stem(reading.words[place + 1]))
            if place + 1 in free
            else ()
        )
        means = meanings(reading.words[place])
        exact = [iri for iri, stems in labels.items() if pair and stems == pair]
        alike = [iri for iri, stems in labels.items() if len(stems) == 1 and stems[0] in means]
        loose = [iri for iri, stems in labels.items() if not means.isdisjoint(stems)]
        hits = exact or alike or loose
        if hits:
            after = place + (2 if exact else 1)
            found.append(Span(place, after, tuple(hits)))
    return found


def _numbers(words: Iterable[str]) -> str:
    """Return the words in one line, with ``three million`` as ``3000000``."""
    found: list[str] = []
    for word in words:
        if word in _SCALES and found and re.fullmatch(r"\d+(\.\d+)?", found[-1]):
            found[-1] = f"{float(found[-1]) * _SCALES[word]:.0f}"
        else:
            found.append(str(_UNITS.index(word)) if word in _UNITS else word)
    return " ".join(found)


def measured(word: str) -> tuple[str, bool] | None:
    """Return what an adjective measures and whether it means more; None for other words.

    Examples
    --------
    >>> measured("deepest"), measured("earlier")[1], measured("green")
    (('depth', True), False, None)
    """
    word = _IRREGULAR.get(word, word)
    for base in (
        word,
        *(
            word.removesuffix(ending)
            for ending in ("er", "est", "r", "st")
            if word.endswith(ending)
        ),
    ):
        for form in (base, base[:-1] + "y" if base.endswith("i") else base, base[:-1]):
            if form in _ADJECTIVES and (form == base or word != base):
                return _ADJECTIVES[form]
    return None


def measure(
    graph: GraphIndex,
    nodes: Collection[str],
    word: str,
    kinds: Collection[str] = ("number", "date"),
) -> Measure | None:
    """Return the relation of these nodes that a word speaks of.

    An adjective, or a noun such as inhabitants; None for none.

    Of several the one comes first whose word stands first in the table, then the one that most
    nodes have.
    """
    found = measured(word)
    stems, more = (
        ([stem(one) for one in found[0].split()], found[1])
        if found
        else (sorted(meanings(word)), True)
    )
    best: list[tuple[int, int, str]] = []
    for relation, label in graph.relations.items():
        places = [stems.index(one) for one in label_stems(label) if one in stems]
        having = (
            sum(Step(relation, True) in graph.edges.get(node, {}) for node in nodes)
            if places
            else 0
        )
        if having and graph.kinds[relation] in kinds:
            best.append((min(places), -having, relation))
    return Measure(min(best)[2], more) if best else None


def base(graph: GraphIndex, form: Form) -> Base | None:
    """Return what is asked about.

    The first class, or the values of the first relation, linked with all that is named.
    """
    entities = form.some("e")[:2]
    first = next(
        (
            slot
            for slot in form.slots
            if slot[0] in "cr" and _is_thing(graph, slot, form.slots[slot])
        ),
        "",
    )
    asked = form.slots[first] if first else wanted_class(graph, form.reading)
    if not asked:
        return None
    is_class = not first.startswith("r")
    variable = "?answer" if is_class else "?owner"
    own = (
        sparql.member("?answer", asked)
        if is_class
        else sparql.triple("?owner", Step(asked, True), "?answer")
    )
    nodes = _nodes(graph, asked, is_class, entities)
    links = (sparql.linked(variable, *entities),) if entities else ()
    return Base((own, *links), tuple(sorted(nodes))) if nodes else None


def _is_thing(graph: GraphIndex, slot: str, iri: str) -> bool:
    return slot[0] == "c" or graph.kinds[iri] == "resource"


def _nodes(graph: GraphIndex, iri: str, is_class: bool, entities: list[str]) -> set[str]:
    owners = (
        set(graph.members.get(iri, ()))
        if is_class
        else {node for node, steps in graph.edges.items() if Step(iri, True) in steps}
    )
    for entity in entities:
        owners &= {
            getattr(term, "value", "")
            for terms in graph.edges.get(entity, {}).values()
            for term in terms
        }
    return (
        owners
        if is_class
        else {getattr(term, "value", "") for term in graph.targets(sorted(owners), Step(iri, True))}
    )
