"""What ACT asks a knowledge graph: who is called so, what is around an entity, and types and names.

Three requests a question.

Texts reach a query as literals only, written by the RDF library, so that no candidate can change
what is asked.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from pyoxigraph import Literal, NamedNode

from qaldgen.asking.act.options import Selection
from qaldgen.asking.act.ranking import Link
from qaldgen.errors import DataError
from qaldgen.rdf.terms import Term, is_iri
from qaldgen.stores.endpoint import Endpoint
from qaldgen.stores.local import LocalStore
from qaldgen.stores.types import values

Source: TypeAlias = LocalStore | Endpoint
#: Words as they are compared: without case, signs and variants of letters.
Words: TypeAlias = tuple[str, ...]
#: A longer text is no name, and a longer span of a question is none.
_LONGEST_NAME, _LONGEST_SPAN = 300, 12
#: Spans of a question that an endpoint is asked for; spans of small letters alone are left out.
_ENDPOINT_SPAN = 6
#: Rows of one answer of an endpoint; one that is cut would be a wrong answer, so the question
#: fails.
_MOST_ROWS = 100_000
_DIRECT = "http://www.wikidata.org/prop/direct/"


def words_of(text: str) -> Words:
    """Return the words of a text as they are compared.

    Examples
    --------
    >>> words_of("Łódź, Poland")
    ('łódź', 'poland')
    """
    return tuple(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))


class Graph:
    """A knowledge graph with what was learned of it so far.

    Parameters
    ----------
    source
        A file that was read, or an endpoint.
    how
        The predicates, and how many neighbours are looked at.
    language
        Names in this language, and those without one, count.
    """

    def __init__(self, source: Source, how: Selection, language: str = "en") -> None:
        self._source, self._how, self._language = source, how, language
        self._named: dict[Words, tuple[str, ...]] = {}
        self._links: dict[str, tuple[Link, ...]] = {}
        self._labels: dict[str, str] = {}
        self._types: dict[str, frozenset[str]] = {}
        self._degree: Counter[str] = Counter()
        self.cut = False
        self.literals: Counter[str] = Counter()
        if isinstance(source, LocalStore):
            self._index()

    def named(self, texts: Iterable[str], question: str = "") -> list[str]:
        """Return the entities that the question names.

        Learn which entities have these names, by one request.

        Of several spans of the question the longest count, and all entities of the name.
        """
        spans = _spans(
            question, _LONGEST_SPAN if isinstance(self._source, LocalStore) else _ENDPOINT_SPAN
        )
        if isinstance(self._source, Endpoint):
            asked = [text for text in texts if 0 < len(text) <= _LONGEST_NAME]
            self._learn_names([*asked, *(text for _, _, text in spans if text != text.lower())])
        found, taken = list[str](), set[int]()
        for start, end, text in spans:
            entities = () if taken & set(range(start, end)) else self._named.get(words_of(text), ())
            taken |= set(range(start, end)) if entities else set()
            found += entities
        return list(dict.fromkeys(found))

    def entity(self, text: str) -> str:
        """Return the entity of that name, of several the one with the most neighbours, then the first; empty for none."""
        found = self._named.get(words_of(text), ())
        return min(found, key=lambda one: (-self._degree[one], one)) if found else ""

    def around(self, entities: Sequence[str]) -> list[Link]:
        """Return the neighbours of entities, by one request; literals are counted, and are none."""
        new = [one for one in entities if one not in self._links]
        if new:
            self._learn_links(new)
        return [link for one in entities for link in self._links[one]]

    def learn(self, iris: Iterable[str]) -> None:
        """Learn the types and names of entities, and the names of their types, by one request."""
        new = [one for one in dict.fromkeys(iris) if one not in self._types]
        predicates = values([*self._how.classes.types, *self._how.labels])
        things = {_thing(one): one for one in new}
        if not values(things):
            return
        inside = f"VALUES ?e {{ {values(things)} }} VALUES ?p {{ {predicates} }} ?e ?p ?v"
        names = f"OPTIONAL {{ ?v {'|'.join(values([one]) for one in self._how.labels)} ?n }}"
        kinds: dict[str, set[str]] = {one: set() for one in new}
        for thing, name, value, label in self._rows(
            f"SELECT ?e ?p ?v ?n WHERE {{ {inside} {names} }}"
        ):
            if not isinstance(thing, NamedNode) or not isinstance(name, NamedNode):
                continue
            own = things.get(thing.value, thing.value)
            if name.value in self._how.labels:
                self._name(own, value)
            elif isinstance(value, NamedNode) and value.value not in self._how.classes.hidden:
                kinds.setdefault(own, set()).add(value.value)
                self._name(value.value, label)
        self._types |= {one: frozenset(found) for one, found in kinds.items()}

    def types(self, entities: Iterable[str]) -> dict[str, frozenset[str]]:
        """Return the types of entities that were learned; one without any has none."""
        return {one: self._types.get(one, frozenset()) for one in entities}

    def label(self, iri: str) -> str:
        """Return the name that was learned; of what has none, the last part of its IRI."""
        return self._labels.get(iri) or re.sub(
            r"[_\-]+|(?<=[a-z])(?=[A-Z])", " ", re.split(r"[/#]", iri)[-1]
        )

    def _name(self, iri: str, label: Term | None) -> None:
        """Keep a name.

        In the language of the questions rather than without one, of equals the first in order.
        """
        if not isinstance(label, Literal) or label.language not in {None, self._language}:
            return
        old = self._labels.get(iri)
        if old is None or (label.language == self._language and label.value < old):
            self._labels[iri] = label.value

    def _index(self) -> None:
        """Read all names of a file once: a question then needs no request for names."""
        things = f"VALUES ?l {{ {values(self._how.labels)} }} ?e ?l ?n FILTER(isIRI(?e))"
        machinery = self._rows("SELECT DISTINCT ?e WHERE { ?s ?e ?o }")
        machinery += self._rows(
            f"SELECT DISTINCT ?e WHERE {{ VALUES ?p {{ {values(self._how.classes.types)} }} ?s ?p"
            " ?e }"
        )
        without = {row[0].value for row in machinery if isinstance(row[0], NamedNode)}
        found: dict[Words, set[str]] = {}
        for thing, name in self._rows(f"SELECT ?e ?n WHERE {{ {things} }}"):
            if isinstance(thing, NamedNode) and isinstance(name, Literal):
                self._name(thing.value, name)
                if thing.value not in without and name.language in {None, self._language}:
                    found.setdefault(words_of(name.value), set()).add(thing.value)
        self._named = {words: tuple(sorted(own)) for words, own in found.items() if words}
        for thing, number in self._rows(
            "SELECT ?e (COUNT(?o) AS ?n) WHERE { ?e ?p ?o } GROUP BY ?e"
        ):
            if isinstance(thing, NamedNode) and isinstance(number, Literal):
                self._degree[thing.value] = int(number.value)

    def _learn_names(self, texts: Sequence[str]) -> None:
        """Ask who has these names, as they are written or with a small first letter, and how many neighbours they have."""
        new = [
            text
            for text in dict.fromkeys(texts)
            if words_of(text) and words_of(text) not in self._named
        ]
        forms = dict.fromkeys(form for text in new for form in (text, text[:1].lower() + text[1:]))
        literals = [str(Literal(form)) for form in forms] + [
            str(Literal(form, language=self._language)) for form in forms
        ]
        if not literals:
            return
        inside = (
            f"VALUES ?n {{ {' '.join(literals)} }} VALUES ?l {{ {values(self._how.labels)} }} ?e ?l"
            " ?n ."
        )
        query = (
            f"SELECT ?e ?n (COUNT(?o) AS ?c) WHERE {{ {inside} OPTIONAL {{ ?e ?p ?o }} }} GROUP BY"
            " ?e ?n"
        )
        rows = self._rows(query)
        self._named |= {
            words_of(text): () for text in new
        }  # only now: a request that failed has told nothing
        for thing, name, number in rows:
            if (
                isinstance(thing, NamedNode)
                and isinstance(name, Literal)
                and isinstance(number, Literal)
            ):
                words = words_of(name.value)
                self._named[words] = tuple(sorted({*self._named.get(words, ()), thing.value}))
                self._degree[thing.value] = int(number.value)

    def _learn_links(self, entities: Sequence[str]) -> None:
        inside = f"VALUES ?e {{ {values(entities)} }} ?e ?p ?o"
        if self._how.neighbours == "both":
            inside = f"VALUES ?e {{ {values(entities)} }} {{ ?e ?p ?o }} UNION {{ ?o ?p ?e }}"
        most = self._how.most_neighbours
        rows = self._rows(
            f"SELECT ?e ?p ?o WHERE {{ {inside} }} ORDER BY ?e ?p ?o LIMIT {most + 1}"
        )
        self.cut |= len(rows) > most
        found: dict[str, list[Link]] = {one: [] for one in entities}
        for thing, name, value in rows[:most]:
            if (
                isinstance(thing, NamedNode)
                and isinstance(name, NamedNode)
                and name.value not in self._how.labels
            ):
                if isinstance(value, NamedNode):
                    found[thing.value].append(Link(value.value, name.value))
                self.literals[thing.value] += isinstance(value, Literal)
        self._links |= {one: tuple(links) for one, links in found.items()}

    def _rows(self, query: str) -> list[tuple[Term | None, ...]]:
        if isinstance(self._source, LocalStore):
            return self._source.select(query).rows
        rows = self._source.select_once(
            query if " LIMIT " in query[-20:] else f"{query} LIMIT {_MOST_ROWS + 1}"
        ).rows
        if len(rows) > _MOST_ROWS:
            raise DataError(
                f"{self._source.name}: gives more than {_MOST_ROWS:,} rows about one question; ask"
                " for fewer candidates"
            )
        return rows


def _thing(iri: str) -> str:
    """Return what has the name of a property: in Wikidata the entity, and not the predicate."""
    name = iri.removeprefix(_DIRECT)
    return f"http://www.wikidata.org/entity/{name}" if name != iri and is_iri(iri) else iri


def _spans(question: str, longest: int) -> list[tuple[int, int, str]]:
    """Return the spans of words of a question, as they are written, the longest first."""
    places = [found.span() for found in re.finditer(r"\w+", question)]
    sizes = range(min(longest, len(places)), 0, -1)
    return [
        (at, at + size, question[places[at][0] : places[at + size - 1][1]])
        for size in sizes
        for at in range(len(places) - size + 1)
    ]
