"""What ACT knows about a knowledge graph: entities by name, their neighbours, types and names.

It asks three times per question, and nothing twice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pyoxigraph import Literal, NamedNode

from qaldgen.defaults import LANGUAGE
from qaldgen.plugins.act.linking import (
    SimilarNames,
    Words,
    capitalised,
    mentions,
    spans,
    split_words,
)
from qaldgen.plugins.act.settings import Selection
from qaldgen.rdf.terms import Term, checked_tag, is_iri, local_name
from qaldgen.stores import entities as facts
from qaldgen.stores.endpoint import Endpoint
from qaldgen.stores.entities import Source

#: The longest name, in characters.
_MAX_NAME_CHARS = 300
#: The longest span of a question, in words.
_MAX_SPAN_WORDS = 12
#: The longest span of a question that an endpoint is asked about; spans without capitals are not.
_MAX_ENDPOINT_SPAN_WORDS = 6
#: Half of a surrogate pair, which JSON can hold and no literal.
_HALF = re.compile("[\ud800-\udfff]")
_DIRECT = "http://www.wikidata.org/prop/direct/"


class Link(NamedTuple):
    """A neighbour of an entity of the question."""

    entity: str  # the neighbour
    property: str  # the property that leads to it, or from it
    forward: bool = True  # whether the property leads to it


class Graph:
    """A knowledge graph with the names, types and links that were asked for so far."""

    def __init__(self, source: Source, selection: Selection, language: str = LANGUAGE) -> None:
        self._source = source
        self._selection = selection
        self._language = checked_tag(language)
        self._named: dict[Words, tuple[str, ...]] = {}
        self._similar: SimilarNames | None = None
        self._links: dict[str, tuple[Link, ...]] = {}
        self._labels: dict[str, str] = {}
        self._types: dict[str, frozenset[str]] = {}
        self._degree: Counter[str] = Counter()
        self._commonest: dict[str, str] = {}
        self.cut = False
        self.literals: Counter[str] = Counter()
        if isinstance(source, Endpoint):
            return
        # the names in a file are read once; properties and classes are no answers
        schema = facts.schema_of(source, selection.classes.types)
        by_words: dict[Words, set[str]] = {}
        for iri, name in facts.all_names(source, selection.labels):
            self._name(iri, name)
            if iri not in schema and name.language in {None, self._language}:
                by_words.setdefault(split_words(name.value), set()).add(iri)
        for words, entities in by_words.items():
            if words:
                self._named[words] = tuple(sorted(entities))
        self._degree.update(facts.all_degrees(source))

    def named(self, texts: Iterable[str], question: str = "") -> list[str]:
        """Return the entities that the question names; learn by one request what the texts name.

        Of overlapping spans of the question the longest counts, with all entities of that name. If
        there are none, a file is searched for similar names; an endpoint cannot do that.
        """

        def named(text: str) -> Sequence[str]:
            return self._named.get(split_words(text), ())

        if isinstance(self._source, Endpoint):
            # fewer and shorter spans, as each of them makes the query longer
            candidates = spans(question, _MAX_ENDPOINT_SPAN_WORDS)
            names = [text for text in texts if 0 < len(text) <= _MAX_NAME_CHARS]
            names += [span.text for span in candidates if span.text != span.text.lower()]
            self._learn_names(names)
            return mentions(candidates, named)
        candidates = spans(question, _MAX_SPAN_WORDS)
        entities = mentions(candidates, named)
        if entities:
            return entities
        # made only for a misspelt name, as it takes memory
        if self._similar is None:
            self._similar = SimilarNames(self._named, self._selection.typos)
        return mentions(capitalised(candidates), self._similar.named)

    def entity(self, text: str) -> str:
        """Return the entity with a name."""
        entities = self._named.get(split_words(text), ())
        if not entities:
            return ""
        return min(entities, key=lambda iri: (-self._degree[iri], iri))

    def around(self, entities: Sequence[str]) -> list[Link]:
        """Return the neighbours of entities, by one request; literals are only counted."""
        new = [entity for entity in entities if entity not in self._links]
        if new:
            most = self._selection.most_neighbours
            backward = self._selection.neighbours == "both"
            neighbours = list(facts.neighbours(self._source, new, most, backward=backward))
            self.cut |= len(neighbours) > most
            links_by_entity: dict[str, list[Link]] = {entity: [] for entity in new}
            for neighbour in neighbours[:most]:
                if (
                    neighbour.entity not in links_by_entity
                    or neighbour.property in self._selection.labels
                ):
                    continue
                if isinstance(neighbour.value, NamedNode):
                    link = Link(neighbour.value.value, neighbour.property, neighbour.forward)
                    links_by_entity[neighbour.entity].append(link)
                elif isinstance(neighbour.value, Literal):
                    self.literals[neighbour.entity] += 1
            self._links |= {entity: tuple(links) for entity, links in links_by_entity.items()}
        return [link for entity in entities for link in self._links[entity]]

    def learn(self, iris: Iterable[str]) -> None:
        """Learn the types and names of entities, and the names of their types, by one request."""
        new = [iri for iri in dict.fromkeys(iris) if iri not in self._types]
        iri_by_entity = {}  # by the entity that has the name
        for iri in filter(is_iri, new):
            # the name of a property of Wikidata, wdt:P31, is at its entity, wd:P31
            if iri.startswith(_DIRECT):
                iri_by_entity[f"http://www.wikidata.org/entity/{iri.removeprefix(_DIRECT)}"] = iri
            else:
                iri_by_entity[iri] = iri
        if not iri_by_entity:
            return
        selection = self._selection
        types: dict[str, set[str]] = {entity: set() for entity in new}
        for description in facts.statements_about(
            self._source,
            iri_by_entity,
            (*selection.classes.types, *selection.labels),
            selection.labels,
            self._language,
        ):
            entity = iri_by_entity.get(description.entity, description.entity)
            if description.property in selection.labels:
                self._name(entity, description.value)
            elif (
                isinstance(description.value, NamedNode)
                and description.value.value not in selection.classes.hidden
            ):
                types.setdefault(entity, set()).add(description.value.value)
                self._name(description.value.value, description.name)
        self._types |= {entity: frozenset(iris) for entity, iris in types.items()}

    def types(self, entities: Iterable[str]) -> dict[str, frozenset[str]]:
        """Return the types that were learned."""
        return {entity: self._types.get(entity, frozenset()) for entity in entities}

    def label(self, iri: str) -> str:
        """Return the name that was learned, or else one made from the last part of the IRI."""
        return self._labels.get(iri) or re.sub(r"[_\-]+|(?<=[a-z])(?=[A-Z])", " ", local_name(iri))

    def commonest(self, property_: str) -> str:
        """Return the entity to which a property leads most often; of equals the first IRI."""
        if property_ not in self._commonest:
            self._commonest[property_] = facts.most_frequent_value(self._source, property_)
        return self._commonest[property_]

    def _name(self, iri: str, label: Term | None) -> None:
        """Learn a name, unless a better one is known."""
        if not isinstance(label, Literal) or label.language not in {None, self._language}:
            return
        # a name in the language is better than one without a language; then the first in order
        old = self._labels.get(iri)
        if old is None or (label.language == self._language and label.value < old):
            self._labels[iri] = label.value

    def _learn_names(self, texts: Sequence[str]) -> None:
        """Ask which entities have these names, as written or with a small first letter."""
        new = [
            text
            for text in dict.fromkeys(texts)
            if split_words(text) and split_words(text) not in self._named and not _HALF.search(text)
        ]
        forms: dict[str, None] = {}
        for text in new:
            forms[text] = None
            forms[text[:1].lower() + text[1:]] = None
        if not forms:
            return
        labels = self._selection.labels
        rows = list(facts.entities_named(self._source, forms, labels, self._language))
        # after the request, as nothing is learned if it fails
        self._named |= {split_words(text): () for text in new}
        for entity, name, number in rows:
            words = split_words(name)
            self._named[words] = tuple(sorted({*self._named.get(words, ()), entity}))
            self._degree[entity] = number
