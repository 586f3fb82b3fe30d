"""The part of a knowledge graph that ACT knows: entities by name, neighbours, types and names.

It takes three requests per question; nothing is requested twice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pyoxigraph import Literal, NamedNode

from qaldgen.defaults import LANGUAGE
from qaldgen.plugins.act import graph_queries
from qaldgen.plugins.act.linking import (
    SimilarNames,
    Words,
    find_capitalised,
    find_mentions,
    spans,
    split_words,
)
from qaldgen.plugins.act.settings import Selection
from qaldgen.rdf.terms import Term, checked_tag, is_iri, local_name
from qaldgen.stores.endpoint import Endpoint
from qaldgen.stores.entities import NO_TYPES
from qaldgen.stores.graphs import KnowledgeGraph

#: The longest name, in characters.
_MAX_NAME_CHARS = 300
#: The longest span of a question, in words.
_MAX_SPAN_WORDS = 12
#: The longest span of a question that an endpoint is asked for, in words.
_MAX_ENDPOINT_SPAN_WORDS = 6
#: Half of a surrogate pair, which JSON can hold and no literal.
_SURROGATE = re.compile("[\ud800-\udfff]")
_DIRECT = "http://www.wikidata.org/prop/direct/"


class Link(NamedTuple):
    """A neighbour of an entity of the question."""

    entity: str  # the neighbour
    property: str  # the property that leads to it, or from it
    forward: bool = True  # whether the property leads to it


class Graph:
    """A knowledge graph with the names, types and links that were requested so far."""

    def __init__(
        self, source: KnowledgeGraph, selection: Selection, language: str = LANGUAGE
    ) -> None:
        self._source = source
        self._selection = selection
        self._language = checked_tag(language)
        self._entities: dict[Words, tuple[str, ...]] = {}
        self._similar: SimilarNames | None = None
        self._links: dict[str, tuple[Link, ...]] = {}
        self._labels: dict[str, str] = {}
        self._types: dict[str, frozenset[str]] = {}
        self._degree: Counter[str] = Counter()
        self._frequent_values: dict[str, str] = {}
        self.is_truncated = False
        self.literals: Counter[str] = Counter()

        if isinstance(source, Endpoint):
            return

        # the names in a file are read once; properties and classes are no answers
        schema = graph_queries.schema_of(source, selection.classes.types)
        entities_by_name: dict[Words, set[str]] = {}
        for iri, name in graph_queries.all_names(source, selection.labels):
            self._learn_label(iri, name)
            if iri not in schema and name.language in {None, self._language}:
                entities_by_name.setdefault(split_words(name.value), set()).add(iri)

        for words, entities in entities_by_name.items():
            if words:
                self._entities[words] = tuple(sorted(entities))
        self._degree.update(graph_queries.all_degrees(source))

    def find_mentioned(self, texts: Iterable[str], question: str = "") -> list[str]:
        """Return the entities that a question names; learn the entities of texts by one request.

        Of overlapping spans of the question the longest counts, with all entities of that name. If
        there are none, a file is searched for similar names; an endpoint cannot do that.
        """
        if isinstance(self._source, Endpoint):
            # fewer and shorter spans, as each of them makes the query longer
            candidates = spans(question, _MAX_ENDPOINT_SPAN_WORDS)
            names = [text for text in texts if 0 < len(text) <= _MAX_NAME_CHARS]
            names += [span.text for span in candidates if span.text != span.text.lower()]
            self._learn_names(names)
            return find_mentions(candidates, self._with_name)
        candidates = spans(question, _MAX_SPAN_WORDS)
        entities = find_mentions(candidates, self._with_name)
        if entities:
            return entities
        # made only for a misspelt name, as it takes memory
        if self._similar is None:
            self._similar = SimilarNames(self._entities, self._selection.typos)
        return find_mentions(find_capitalised(candidates), self._similar.find_entities)

    def entity(self, text: str) -> str:
        """Return the entity with a name that has the most statements; empty without one."""
        return min(self._with_name(text), key=lambda iri: (-self._degree[iri], iri), default="")

    def neighbours(self, entities: Sequence[str]) -> list[Link]:
        """Return the neighbours of entities, by one request; literals are only counted."""
        unknown = [entity for entity in entities if entity not in self._links]
        if unknown:
            limit = self._selection.most_neighbours
            backward = self._selection.neighbours == "both"
            neighbours = list(
                graph_queries.neighbours(self._source, unknown, limit, backward=backward)
            )
            self.is_truncated |= len(neighbours) > limit

            links_by_entity: dict[str, list[Link]] = {entity: [] for entity in unknown}
            for neighbour in neighbours[:limit]:
                is_name = neighbour.property in self._selection.labels
                if is_name or neighbour.entity not in links_by_entity:
                    continue
                if isinstance(neighbour.value, NamedNode):
                    link = Link(neighbour.value.value, neighbour.property, neighbour.forward)
                    links_by_entity[neighbour.entity].append(link)
                elif isinstance(neighbour.value, Literal):
                    self.literals[neighbour.entity] += 1
            self._links |= {entity: tuple(links) for entity, links in links_by_entity.items()}

        links_of_all: list[Link] = []
        for entity in entities:
            links_of_all += self._links[entity]
        return links_of_all

    def learn(self, iris: Iterable[str]) -> None:
        """Learn the types and names of entities, and the names of their types, by one request."""
        unknown_iris = [iri for iri in dict.fromkeys(iris) if iri not in self._types]
        iri_by_entity = {}  # by the entity that has the name
        for iri in filter(is_iri, unknown_iris):
            # the name of a property of Wikidata, wdt:P31, is at its entity, wd:P31
            if iri.startswith(_DIRECT):
                iri_by_entity[f"http://www.wikidata.org/entity/{iri.removeprefix(_DIRECT)}"] = iri
            else:
                iri_by_entity[iri] = iri

        if not iri_by_entity:
            return

        selection = self._selection
        types: dict[str, set[str]] = {entity: set() for entity in unknown_iris}
        descriptions = graph_queries.statements_about(
            self._source,
            iri_by_entity,
            predicates=selection.classes.types + selection.labels,
            names=selection.labels,
            language=self._language,
        )

        for description in descriptions:
            entity = iri_by_entity.get(description.entity, description.entity)
            if description.property in selection.labels:
                self._learn_label(entity, description.value)
            elif (
                isinstance(description.value, NamedNode) and description.value.value not in NO_TYPES
            ):
                types.setdefault(entity, set()).add(description.value.value)
                self._learn_label(description.value.value, description.name)

        self._types |= {entity: frozenset(iris) for entity, iris in types.items()}

    def types(self, entities: Iterable[str]) -> dict[str, frozenset[str]]:
        """Return the learned types of entities."""
        return {entity: self._types.get(entity, frozenset()) for entity in entities}

    def label(self, iri: str) -> str:
        """Return the learned name, or the last part of the IRI as words without one."""
        return self._labels.get(iri) or re.sub(r"[_\-]+|(?<=[a-z])(?=[A-Z])", " ", local_name(iri))

    def most_frequent_value(self, property_: str) -> str:
        """Return the most frequent value of a property, the first IRI of equally frequent ones."""
        if property_ not in self._frequent_values:
            self._frequent_values[property_] = graph_queries.most_frequent_value(
                self._source, property_
            )
        return self._frequent_values[property_]

    def _with_name(self, text: str) -> tuple[str, ...]:
        """Return the known entities with a name."""
        return self._entities.get(split_words(text), ())

    def _learn_label(self, iri: str, label: Term | None) -> None:
        """Learn a name, unless a better one is known."""
        if not isinstance(label, Literal) or label.language not in {None, self._language}:
            return
        # a name in the language is better than one without a language; then the first in order
        known = self._labels.get(iri)
        if known is None or (label.language == self._language and label.value < known):
            self._labels[iri] = label.value

    def _learn_names(self, texts: Sequence[str]) -> None:
        """Request the entities with these names, as written or with a small first letter."""
        unknown: set[Words] = set()
        spellings: list[str] = []
        for text in texts:
            words = split_words(text)
            if words and words not in self._entities and not _SURROGATE.search(text):
                unknown.add(words)
                spellings += [text, text[:1].lower() + text[1:]]

        if not spellings:
            return
        labels = self._selection.labels
        names = dict.fromkeys(spellings)
        rows = list(graph_queries.entities_named(self._source, names, labels, self._language))

        # after the request, as nothing is learned if it fails
        self._entities |= dict.fromkeys(unknown, ())
        for entity, name, degree in rows:
            entities = {*self._with_name(name), entity}
            self._entities[split_words(name)] = tuple(sorted(entities))
            self._degree[entity] = degree
