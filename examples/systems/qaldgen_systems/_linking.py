"""What is named in a question: entities and classes, by their labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from qaldgen_systems._graph import GraphIndex, Names, Words, label_stems
from qaldgen_systems._words import FUNCTION_WORDS, meanings, split, stem

#: Labels of more words are not looked for.
_LONGEST, _LONGEST_CLASS = 12, 4


class Span(NamedTuple):
    """Words from `start` up to `end`, without it, and what they may name."""

    start: int
    end: int
    iris: tuple[str, ...]


class Reading(NamedTuple):
    """A question with the entities and classes that were found in it.

    Attributes
    ----------
    words : tuple of str
        All words.
    entities, classes : tuple of Span
        In the order of the question; they do not overlap.
    """

    words: Words
    entities: tuple[Span, ...]
    classes: tuple[Span, ...]

    def free(self, *, classes: bool = True) -> list[int]:
        """Return the positions of content words outside entities, optionally outside classes."""
        spans = (*self.entities, *(self.classes if classes else ()))
        taken = {place for span in spans for place in range(span.start, span.end)}
        return [place for place in range(len(self.words)) if place not in taken]


def longest_names(words: Words, names: Names) -> list[Span]:
    """Return the names in a question, the longest first match at each place, from left to right.

    Examples
    --------
    >>> longest_names(("see", "new", "york", "city"), {("york",): ("a",), ("new", "york"): ("b",)})
    [Span(start=1, end=3, iris=('b',))]
    """
    found, start = [], 0
    while start < len(words):
        ends = range(min(len(words), start + _LONGEST), start, -1)
        end = next(
            (
                end
                for end in ends
                if words[start:end] in names and not _is_function(words[start:end])
            ),
            None,
        )
        if end is not None:
            found.append(Span(start, end, names[words[start:end]]))
        start = end or start + 1
    return found


def read(graph: GraphIndex, text: str) -> Reading:
    """Find entities by their safe names, and outside them classes by label, in singular or plural.

    The last word of a label is enough where no other class ends in it.
    """
    words = split(text)
    entities = longest_names(words, graph.safe_names)
    taken = {place for span in entities for place in range(span.start, span.end)}
    return Reading(words, tuple(entities), tuple(_classes(graph, words, taken)))


def _classes(graph: GraphIndex, words: Words, taken: set[int]) -> list[Span]:
    found, start = [], 0
    while start < len(words):
        ends = [
            end
            for end in range(min(len(words), start + _LONGEST_CLASS), start, -1)
            if taken.isdisjoint(range(start, end))
        ]
        hit = next(
            (
                Span(start, end, iris)
                for end in ends
                if (iris := _class_of(words[start:end], graph.class_stems))
            ),
            None,
        )
        if hit is not None:
            found.append(hit)
        start = hit.end if hit else start + 1
    return found


def _class_of(words: Words, class_stems: Names) -> tuple[str, ...]:
    exact = class_stems.get(tuple(stem(word) for word in words))
    if exact or len(words) > 1:
        return exact or ()
    alike = [class_stems.get((other,), ()) for other in sorted(meanings(words[0]))]
    heads = [
        classes
        for label, classes in class_stems.items()
        if len(label) > 1 and label[-1] == stem(words[0])
    ]
    return next((classes for classes in alike if classes), heads[0] if len(heads) == 1 else ())


def _is_function(words: Words) -> bool:
    return all(word in FUNCTION_WORDS for word in words)


class Said(NamedTuple):
    """How a question speaks of a relation.

    The places of the words that do, and the share of the label that they meet.
    """

    places: frozenset[int]
    share: float


def spoken_of(graph: GraphIndex, reading: Reading) -> dict[str, Said]:
    """Return the relations that a question speaks of outside its names.

    A command such as ``Name ...`` is no speech of names.
    """
    command = {0} if reading.words[:1] == ("name",) else set[int]()
    meant = {
        place: meanings(reading.words[place])
        for place in reading.free(classes=False)
        if place not in command
    }
    found = {
        relation: said(meant, label_stems(words)) for relation, words in graph.relations.items()
    }
    return {relation: one for relation, one in found.items() if one.places}


def said(meant: Mapping[int, frozenset[str]], stems: Words) -> Said:
    """Return how words speak of a label.

    Examples
    --------
    >>> said({1: meanings("married"), 2: meanings("her")}, ("spous",))
    Said(places=frozenset({1}), share=1.0)
    """
    places = {place: met for place, means in meant.items() if (met := means & set(stems))}
    return Said(frozenset(places), len(frozenset[str]().union(*places.values())) / len(set(stems)))
