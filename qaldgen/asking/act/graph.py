"""What ACT asks a knowledge graph: entities by name, their neighbours, types and names.

Three requests per question. Texts get into a query only as literals, written by the RDF library, so
that no candidate can change the query.
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
#: Words as they are compared: without case, punctuation and variants of letters.
Words: TypeAlias = tuple[str, ...]
#: Limits for names: characters of a text, and words of a span of the question.
_LONGEST_NAME, _LONGEST_SPAN = 300, 12
#: The longest span of a question that an endpoint is asked about; spans without capitals are not.
_ENDPOINT_SPAN = 6
#: The most rows that are read from an endpoint; a truncated result would give a wrong answer, so
#: the question fails.
_MOST_ROWS = 100_000
_DIRECT = "http://www.wikidata.org/prop/direct/"


def words_of(text: str) -> Words:
    """Return the words of a text as they are compared.

    Parameters
    ----------
    text
        A name or a part of a question.

    Returns
    -------
    Words
        Without case and punctuation.

    Examples
    --------
    >>> words_of("Łódź, Poland")
    ('łódź', 'poland')
    """
    return tuple(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))


class Graph:
    """A knowledge graph with what was learned about it so far.

    Parameters
    ----------
    source
        A file that was read, or an endpoint.
    how
        The predicates, and how many neighbours are looked at.
    language
        Names in this language, and those without a language, count.
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
        """Return the entities that the question names, and learn which entities have these names.

        By one request. Of overlapping spans of the question the longest counts, with all entities
        of that name.

        Parameters
        ----------
        texts
            Names that the graph is asked about too: those of candidates.
        question
            The text of the question.

        Returns
        -------
        list[str]
            Entities without repetitions.
        """
        # An endpoint gets fewer and shorter spans: each of them makes its query longer.
        spans = _spans(
            question, _LONGEST_SPAN if isinstance(self._source, LocalStore) else _ENDPOINT_SPAN
        )
        if isinstance(self._source, Endpoint):
            asked = [text for text in texts if 0 < len(text) <= _LONGEST_NAME]
            self._learn_names([*asked, *(text for _, _, text in spans if text != text.lower())])
        matches, taken = list[str](), set[int]()
        for start, end, text in spans:
            entities = () if taken & set(range(start, end)) else self._named.get(words_of(text), ())
            taken |= set(range(start, end)) if entities else set()
            matches += entities
        return list(dict.fromkeys(matches))

    def entity(self, text: str) -> str:
        """Return the entity of that name.

        Parameters
        ----------
        text
            A name that was learned.

        Returns
        -------
        str
            Of several the one with most neighbours, then the first; empty if there is none.
        """
        entities = self._named.get(words_of(text), ())
        return min(entities, key=lambda one: (-self._degree[one], one)) if entities else ""

    def around(self, entities: Sequence[str]) -> list[Link]:
        """Return the neighbours of entities, by one request; literals are only counted.

        Parameters
        ----------
        entities
            Entities of the question.

        Returns
        -------
        list[Link]
            In the order of the entities.
        """
        new = [one for one in entities if one not in self._links]
        if new:
            self._learn_links(new)
        return [link for one in entities for link in self._links[one]]

    def learn(self, iris: Iterable[str]) -> None:
        """Learn the types and names of entities, and the names of their types, by one request.

        Parameters
        ----------
        iris
            Entities and properties.
        """
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
        self._types |= {one: frozenset(own_kinds) for one, own_kinds in kinds.items()}

    def types(self, entities: Iterable[str]) -> dict[str, frozenset[str]]:
        """Return the types that were learned.

        Parameters
        ----------
        entities
            Entities.

        Returns
        -------
        dict[str, frozenset[str]]
            By entity; empty for one without types.
        """
        return {one: self._types.get(one, frozenset()) for one in entities}

    def label(self, iri: str) -> str:
        """Return the name that was learned, or else one made from the last part of the IRI.

        Parameters
        ----------
        iri
            An entity, a property or a type.

        Returns
        -------
        str
            Never empty for a usual IRI.
        """
        return self._labels.get(iri) or re.sub(
            r"[_\-]+|(?<=[a-z])(?=[A-Z])", " ", re.split(r"[/#]", iri)[-1]
        )

    def _name(self, iri: str, label: Term | None) -> None:
        """Keep a name.

        One in the language of the questions is preferred to one without a language; of equals the
        first in order.
        """
        if not isinstance(label, Literal) or label.language not in {None, self._language}:
            return
        old = self._labels.get(iri)
        if old is None or (label.language == self._language and label.value < old):
            self._labels[iri] = label.value

    def _index(self) -> None:
        """Read all names of a file once: then a question needs no request for names."""
        things = f"VALUES ?l {{ {values(self._how.labels)} }} ?e ?l ?n FILTER(isIRI(?e))"
        # Properties and classes have names too, but are not answers.
        machinery = self._rows("SELECT DISTINCT ?e WHERE { ?s ?e ?o }")
        machinery += self._rows(
            f"SELECT DISTINCT ?e WHERE {{ VALUES ?p {{ {values(self._how.classes.types)} }} ?s ?p"
            " ?e }"
        )
        without = {row[0].value for row in machinery if isinstance(row[0], NamedNode)}
        by_words: dict[Words, set[str]] = {}
        for thing, name in self._rows(f"SELECT ?e ?n WHERE {{ {things} }}"):
            if isinstance(thing, NamedNode) and isinstance(name, Literal):
                self._name(thing.value, name)
                if thing.value not in without and name.language in {None, self._language}:
                    by_words.setdefault(words_of(name.value), set()).add(thing.value)
        self._named = {words: tuple(sorted(own)) for words, own in by_words.items() if words}
        for thing, number in self._rows(
            "SELECT ?e (COUNT(?o) AS ?n) WHERE { ?e ?p ?o } GROUP BY ?e"
        ):
            if isinstance(thing, NamedNode) and isinstance(number, Literal):
                self._degree[thing.value] = int(number.value)

    def _learn_names(self, texts: Sequence[str]) -> None:
        """Ask which entities have these names, and how many neighbours they have.

        Names as they are written, and with a small first letter.
        """
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
        # Only after the request: if it failed, nothing was learned.
        self._named |= {words_of(text): () for text in new}
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
        links_of: dict[str, list[Link]] = {one: [] for one in entities}
        for thing, name, value in rows[:most]:
            if (
                isinstance(thing, NamedNode)
                and isinstance(name, NamedNode)
                and name.value not in self._how.labels
            ):
                if isinstance(value, NamedNode):
                    links_of[thing.value].append(Link(value.value, name.value))
                self.literals[thing.value] += isinstance(value, Literal)
        self._links |= {one: tuple(links) for one, links in links_of.items()}

    def _rows(self, query: str) -> list[tuple[Term | None, ...]]:
        if isinstance(self._source, LocalStore):
            return self._source.select(query).rows
        rows = self._source.select_once(
            query if " LIMIT " in query[-20:] else f"{query} LIMIT {_MOST_ROWS + 1}"
        ).rows
        if len(rows) > _MOST_ROWS:
            raise DataError(
                f"{self._source.name}: gives more than {_MOST_ROWS:,} rows about one question;"
                " ask for fewer candidates"
            )
        return rows


def _thing(iri: str) -> str:
    """Return the IRI that carries the name of a property: in Wikidata that of the entity."""
    name = iri.removeprefix(_DIRECT)
    return f"http://www.wikidata.org/entity/{name}" if name != iri and is_iri(iri) else iri


def _spans(question: str, longest: int) -> list[tuple[int, int, str]]:
    """Return the spans of words of a question, as they are written, the longest first."""
    places = [match.span() for match in re.finditer(r"\w+", question)]
    # Longest first, since a long name is more specific than the names within it.
    sizes = range(min(longest, len(places)), 0, -1)
    return [
        (at, at + size, question[places[at][0] : places[at + size - 1][1]])
        for size in sizes
        for at in range(len(places) - size + 1)
    ]
