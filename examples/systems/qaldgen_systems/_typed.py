"""`typed`.

Stems and words of the same meaning, the class of the answer, counts, yes or no, both directions, up
to two hops.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import NamedTuple

from pyoxigraph import NamedNode

from qaldgen_systems import _sparql as sparql
from qaldgen_systems._graph import GraphIndex, Step
from qaldgen_systems._linking import Reading, Said, read, spoken_of
from qaldgen_systems._neighbours import BOOLEAN, asks_count, wanted_class

#: What one more hop costs, in words explained; what a class that fits and a further name are worth.
_HOP, _CLASS, _NAME = 0.6, 0.8, 1.0
_MOST_NAMES = 3


class _Candidate(NamedTuple):
    """A way to an answer.

    How well it explains the question, its patterns, and the IRIs and terms it leads to.
    """

    score: float
    patterns: tuple[str, ...]
    last: str
    found: frozenset[object]


def typed(graph: GraphIndex, text: str) -> str:
    """Return the query for a question.

    Empty if nothing is named, or no word speaks of a relation of it.

    Of the ways from the names to an answer the one is taken that explains most words of the
    question; of equals the shortest, then the first in the alphabet.
    """
    reading = read(graph, text)
    if not reading.entities:
        return ""
    told = spoken_of(graph, reading)
    if reading.words[0] in BOOLEAN:
        return _yes_or_no(graph, reading, told)
    class_ = wanted_class(graph, reading)
    ways = [
        _typed(graph, way, class_)
        for way in (*_single(graph, reading, told), *_joint(graph, reading, told))
    ]
    if not ways:
        return ""
    best = min(ways, key=lambda way: (-way.score, len(way.patterns), way.patterns))
    counts = asks_count(reading.words) and graph.kinds[best.last] == "resource"
    return sparql.count(*best.patterns) if counts else sparql.select(*best.patterns)


def _steps(graph: GraphIndex, node: str, told: Mapping[str, Said]) -> list[tuple[Step, Said]]:
    """Return the steps from a node whose relations the question speaks of."""
    return [
        (step, told[step.relation]) for step in graph.edges.get(node, {}) if step.relation in told
    ]


def _single(graph: GraphIndex, reading: Reading, told: Mapping[str, Said]) -> Iterator[_Candidate]:
    """Return the ways of one and of two hops from each name."""
    for span in reading.entities[:_MOST_NAMES]:
        for entity in span.iris:
            for step, said in _steps(graph, entity, told):
                found = graph.targets([entity], step)
                score = len(said.places) + said.share
                yield _Candidate(
                    score,
                    (sparql.triple(entity, step, "?answer"),),
                    step.relation,
                    frozenset(found),
                )
                yield from _second(graph, entity, step, told)


def _second(
    graph: GraphIndex, entity: str, first: Step, told: Mapping[str, Said]
) -> Iterator[_Candidate]:
    """Return the ways that go on by a step of which other words speak."""
    said = told[first.relation]
    middle = [term.value for term in graph.targets([entity], first) if isinstance(term, NamedNode)]
    for step in sorted({step for node in middle for step, _ in _steps(graph, node, told)}):
        then = told[step.relation]
        if not (then.places <= said.places or said.places <= then.places):
            score = len(then.places | said.places) + (then.share + said.share) / 2 - _HOP
            found = frozenset(graph.targets(middle, step))
            yield _Candidate(score, (sparql.chain(entity, (first, step)),), step.relation, found)


def _joint(graph: GraphIndex, reading: Reading, told: Mapping[str, Said]) -> Iterator[_Candidate]:
    """Return what is one hop away from each of the first two names."""
    first, second = (*reading.entities, None, None)[:2]
    pairs = product(first.iris, second.iris) if first and second else ()
    for one, two in pairs:
        for (a, said), (b, then) in product(_steps(graph, one, told), _steps(graph, two, told)):
            found = frozenset(graph.targets([one], a)) & frozenset(graph.targets([two], b))
            if found:
                score = len(said.places | then.places) + (said.share + then.share) / 2 + _NAME
                patterns = (sparql.triple(one, a, "?answer"), sparql.triple(two, b, "?answer"))
                yield _Candidate(score, patterns, a.relation, found)


def _typed(graph: GraphIndex, way: _Candidate, class_: str) -> _Candidate:
    """Keep the answers of the wanted class, where there are any."""
    if any(graph.is_a(getattr(term, "value", ""), class_) for term in way.found):
        return way._replace(
            score=way.score + _CLASS, patterns=(*way.patterns, sparql.member("?answer", class_))
        )
    return way


def _yes_or_no(graph: GraphIndex, reading: Reading, told: Mapping[str, Said]) -> str:
    """Return the query that asks whether two names are linked, or one is in a class."""
    subject = reading.entities[0].iris[0]
    if len(reading.entities) == 1:
        return (
            sparql.ask(sparql.member(subject, reading.classes[-1].iris[0]))
            if reading.classes
            else ""
        )
    value = reading.entities[1].iris[0]
    steps = [*_steps(graph, subject, told), *_steps(graph, value, told)]
    if not steps:
        return sparql.ask(sparql.linked(subject, value))
    best = max(steps, key=lambda one: (len(one[1].places), one[1].share, one[0].relation))[
        0
    ].relation
    either = [sparql.triple(subject, Step(best, forward), value) for forward in (True, False)]
    return sparql.ask(f"{{ {either[0]} }} UNION {{ {either[1]} }}")
