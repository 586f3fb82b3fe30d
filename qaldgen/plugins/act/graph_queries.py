"""What ACT asks a knowledge graph: names, neighbours, and statements about entities."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from pyoxigraph import Literal, NamedNode

from qaldgen.errors import DataError
from qaldgen.rdf.terms import Term
from qaldgen.sparql.clauses import selected_variables
from qaldgen.stores.entities import columns_of, iri_list, whole_number
from qaldgen.stores.graphs import KnowledgeGraph
from qaldgen.stores.local import LocalStore

#: The most rows that are read from an endpoint; a truncated result would give a wrong answer, so
#: more of them are an error.
_MAX_ROWS = 100_000


class EntityStatement(NamedTuple):
    """A statement of a graph about an entity."""

    entity: str
    property: str
    value: Term | None  # the other end of the property
    name: Term | None = None  # a name of the value, if names were asked for
    forward: bool = True  # whether the property leads from the entity to the value


def all_names(source: KnowledgeGraph, predicates: Iterable[str]) -> Iterator[tuple[str, Literal]]:
    """Yield every entity with each of its names."""
    pattern = f"VALUES ?l {{ {iri_list(predicates)} }} ?e ?l ?n FILTER(isIRI(?e))"
    for entity, name in _select_columns(source, f"SELECT ?e ?n WHERE {{ {pattern} }}"):
        if isinstance(entity, NamedNode) and isinstance(name, Literal):
            yield entity.value, name


def all_degrees(source: KnowledgeGraph) -> dict[str, int]:
    """Return the number of statements about each entity."""
    query = "SELECT ?e (COUNT(?o) AS ?n) WHERE { ?e ?p ?o } GROUP BY ?e"
    return {
        entity.value: whole_number(number)
        for entity, number in _select_columns(source, query)
        if isinstance(entity, NamedNode)
    }


def schema_of(source: KnowledgeGraph, types: Iterable[str]) -> set[str]:
    """Return the properties and classes of a graph."""
    pattern = f"VALUES ?p {{ {iri_list(types)} }} ?s ?p ?e"
    rows = _select_columns(source, "SELECT DISTINCT ?e WHERE { ?s ?e ?o }")
    rows += _select_columns(source, f"SELECT DISTINCT ?e WHERE {{ {pattern} }}")
    return {entity.value for (entity,) in rows if isinstance(entity, NamedNode)}


def entities_named(
    source: KnowledgeGraph, texts: Iterable[str], predicates: Iterable[str], language: str
) -> Iterator[tuple[str, str, int]]:
    """Yield the entities with one of some names: entity, name, and its number of statements."""
    texts = list(texts)
    literals = [str(Literal(text)) for text in texts]
    literals += [str(Literal(text, language=language)) for text in texts]
    pattern = (
        f"VALUES ?n {{ {' '.join(literals)} }} VALUES ?l {{ {iri_list(predicates)} }} ?e ?l ?n ."
        " OPTIONAL { ?e ?p ?o }"
    )
    query = f"SELECT ?e ?n (COUNT(?o) AS ?c) WHERE {{ {pattern} }} GROUP BY ?e ?n"
    for entity, name, number in _select_columns(source, query):
        if isinstance(entity, NamedNode) and isinstance(name, Literal):
            yield entity.value, name.value, whole_number(number)


def neighbours(
    source: KnowledgeGraph, entities: Iterable[str], limit: int, *, backward: bool
) -> Iterator[EntityStatement]:
    """Yield the statements about entities, in the order of their IRIs."""
    pattern = "{ ?e ?p ?o } UNION { ?o ?p ?e BIND(1 AS ?b) }" if backward else "?e ?p ?o"
    conditions = f"VALUES ?e {{ {iri_list(entities)} }} {pattern}"
    query = f"SELECT ?e ?p ?o ?b WHERE {{ {conditions} }} ORDER BY ?e ?p ?o ?b LIMIT {limit + 1}"
    for entity, name, value, inverse in _select_columns(source, query, limited=True):
        if isinstance(entity, NamedNode) and isinstance(name, NamedNode):
            yield EntityStatement(entity.value, name.value, value, forward=inverse is None)


def statements_about(
    source: KnowledgeGraph,
    entities: Iterable[str],
    predicates: Iterable[str],
    names: Collection[str],
    language: str,
) -> Iterator[EntityStatement]:
    """Yield the statements about entities with some predicates, and the names of the values.

    Texts and names in other languages are left out: Wikidata has hundreds for an entity.
    """
    language_test = f'IN ("", {Literal(language.lower())}))'
    # one branch for each predicate: with a list of them, Oxigraph reads all their triples
    branches = []
    for predicate in predicates:
        iri = iri_list([predicate])
        branches.append(f"{{ ?e {iri} ?v BIND({iri} AS ?p) }}")
    pattern = f"VALUES ?e {{ {iri_list(entities)} }} {{ {' UNION '.join(branches)} }}"
    pattern += f" FILTER(!isLiteral(?v) || LCASE(LANG(?v)) {language_test}"
    path = "|".join(iri_list([name]) for name in names)
    labels = f"OPTIONAL {{ ?v {path} ?n FILTER(LCASE(LANG(?n)) {language_test} }}"
    query = f"SELECT ?e ?p ?v ?n WHERE {{ {pattern} {labels} }}"
    for entity, name, value, label in _select_columns(source, query):
        if isinstance(entity, NamedNode) and isinstance(name, NamedNode):
            yield EntityStatement(entity.value, name.value, value, label)


def most_frequent_value(source: KnowledgeGraph, property_iri: str) -> str:
    """Return the entity to which a property leads most often; of several, the first by IRI."""
    pattern = f"{{ ?s {iri_list([property_iri])} ?o FILTER(isIRI(?o)) }} GROUP BY ?o"
    query = f"SELECT ?o (COUNT(*) AS ?n) WHERE {pattern} ORDER BY DESC(?n) ?o LIMIT 1"
    rows = _select_columns(source, query, limited=True)
    value = rows[0][0] if rows else None
    if isinstance(value, NamedNode):
        return value.value
    return ""


def _select_columns(
    source: KnowledgeGraph, query: str, *, limited: bool = False
) -> list[tuple[Term | None, ...]]:
    """Return the rows of a query, with a cell for each variable that it selects.

    If an endpoint has too many rows, an error says so. `limited` means that the query has a LIMIT.
    """
    if isinstance(source, LocalStore):
        return source.select(query).rows
    limit = "" if limited else f" LIMIT {_MAX_ROWS + 1}"
    rows = source.select_once(f"{query}{limit}")
    if len(rows.rows) > _MAX_ROWS:
        raise DataError(
            f"gives more than {_MAX_ROWS:,} rows about one question; ask for fewer candidates",
            where=source.name,
        )
    return columns_of(rows, selected_variables(query))
