"""`lookup`: an entity by its label, and the relation whose label is most alike to the other words.

One hop, nothing else.
"""

from __future__ import annotations

from rapidfuzz.distance import Indel

from qaldgen.rdf.terms import Term
from qaldgen_systems._graph import GraphIndex, Step, Words
from qaldgen_systems._linking import longest_names
from qaldgen_systems._sparql import select, triple
from qaldgen_systems._words import content, split, stem

#: Two words are taken for one word if they are at least so alike (1 - insertions and deletions /
#: letters of both), and a label is met if at least so much of it is.
_ALIKE, _LEAST = 0.8, 0.3
#: What a question word asks for: the kind of values, or the label of a class.
_ASKS_FOR = {
    "who": "person", "whom": "person", "whose": "person", "where": "place", "when": "date",
    "date": "date", "day": "date", "year": "date", "how": "number", "name": "string",
}  # fmt: skip


def lookup(graph: GraphIndex, text: str) -> str:
    """Return the query for a question; empty if there is no name, or nothing to follow from it.

    If no word is like a relation of what is named, the question word decides, where one relation of
    the first name alone has values of its kind.

    Of relations that are met equally well the first is taken: by the order of the names in the
    question, subjects before objects, then by IRI.
    """
    words = split(text)
    spans = longest_names(words, graph.names)
    taken = {place for span in spans for place in range(span.start, span.end)}
    free = content(tuple(word for place, word in enumerate(words) if place not in taken))
    found: list[tuple[float, bool, str, Step]] = []
    for span in spans:
        for entity in span.iris:
            steps = graph.edges.get(entity, {})
            found += [
                (_overlap(graph.relations[step.relation], free), step.forward, entity, step)
                for step in steps
            ]
    score, _, entity, step = max(
        found, key=lambda one: one[:2], default=(0.0, False, "", Step("", True))
    )
    if score < _LEAST and spans:
        entity = spans[0].iris[0]
        step = _only_of_kind(graph, entity, words)
    return select(triple(entity, step, "?answer")) if step.relation else ""


def _only_of_kind(graph: GraphIndex, entity: str, words: Words) -> Step:
    """Return the one relation whose values are what the question word asks for.

    No relation if there are several.
    """
    wanted = next((_ASKS_FOR[word] for word in words if word in _ASKS_FOR), "")
    steps = [
        step
        for step, terms in graph.edges.get(entity, {}).items()
        if step.forward and _is(graph, step, terms[0], wanted)
    ]
    return steps[0] if len(steps) == 1 else Step("", True)


def _is(graph: GraphIndex, step: Step, term: Term, wanted: str) -> bool:
    classes = graph.class_stems.get((stem(wanted),), ())
    return graph.kinds[step.relation] == wanted or any(
        graph.is_a(getattr(term, "value", ""), class_) for class_ in classes
    )


def _overlap(label: Words, words: Words) -> float:
    """Return the share of a label's words that are met, each by the word that is most alike."""
    wanted = content(label) or label
    best = [
        max((Indel.normalized_similarity(one, word) for word in words), default=0.0)
        for one in wanted
    ]
    return sum(value for value in best if value >= _ALIKE) / max(len(best), 1)
