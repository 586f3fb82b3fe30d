"""Query a knowledge graph about entities: their classes, names and neighbours."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TypeAlias

from pyoxigraph import Literal, NamedNode

from qaldgen.errors import DataError, UsageError
from qaldgen.io.unpacking import read_text
from qaldgen.rdf.terms import PREFIXES, Rows, Term, is_iri
from qaldgen.sparql.clauses import selected_variables
from qaldgen.sparql.repair import DEFAULT_PREFIXES
from qaldgen.stores.endpoint import Endpoint
from qaldgen.stores.local import LocalStore

Source: TypeAlias = LocalStore | Endpoint
_WIKIDATA = "http://www.wikidata.org/"
_OWL = "http://www.w3.org/2002/07/owl#"
#: Classes that say nothing about an entity: those of every entity, and those of Wikimedia pages
#: (disambiguation, category, template, lists, modules, portals).
NO_TYPES = frozenset(
    [f"{_OWL}Thing", f"{_OWL}NamedIndividual", f"{PREFIXES['rdfs']}Resource"]
    + [
        f"{_WIKIDATA}entity/{name}"
        for name in (
            "Q35120", "Q4167410", "Q4167836", "Q11266439", "Q13406463", "Q14204246", "Q4663903",
            "Q17362920", "Q22808320", "Q11753321", "Q15184295", "Q17442446", "Q15138389",
        )
    ]
)  # fmt: skip
#: IRIs in one request; servers refuse longer ones.
_BATCH = 500
#: Levels of superclasses that are followed; no ontology in use has that many.
_MAX_LEVELS = 50
_COLUMNS = ["Type", "Depth", "Parent"]
#: The most rows that are read from an endpoint; a truncated result would give a wrong answer, so
#: more of them are an error.
_MAX_ROWS = 100_000


def columns_of(rows: Rows, names: Sequence[str]) -> list[tuple[Term | None, ...]]:
    """Return the rows of a result with some columns only.

    A column that the result lacks has None in every row.

    >>> [(a, c)] = columns_of(Rows(("b", "a"), [(None, Literal("1"))]), ["a", "c"])
    >>> a.value, c
    ('1', None)
    """
    if rows.rows and set(names).isdisjoint(rows.variables):
        raise DataError(
            f"a SPARQL server answered with the columns {', '.join(rows.variables)}; expected are"
            f" {', '.join(names)}; is another query answered from a cache?"
        )
    columns = []
    for name in names:
        column: list[Term | None] = [None] * len(rows.rows)
        if name in rows.variables:
            index = rows.variables.index(name)
            column = [row[index] for row in rows.rows]
        columns.append(column)
    return list(zip(*columns, strict=True))


def whole_number(term: Term | None) -> int:
    """Return the value of a count; 0 for any other term, which some servers give for no rows."""
    if isinstance(term, Literal) and term.value.isdecimal():
        return int(term.value)
    return 0


@dataclasses.dataclass(frozen=True)
class ClassPredicates:
    """The predicates that name classes.

    By default those of RDF (DBpedia, most graphs) and of Wikidata.
    """

    #: From an entity to its class.
    types: tuple[str, ...] = (f"{PREFIXES['rdf']}type", f"{_WIKIDATA}prop/direct/P31")
    #: From a class to its superclass.
    superclasses: tuple[str, ...] = (
        f"{PREFIXES['rdfs']}subClassOf",
        f"{_WIKIDATA}prop/direct/P279",
    )

    def __post_init__(self) -> None:
        for iri in (*self.types, *self.superclasses):
            if not is_iri(iri):
                raise UsageError(
                    f"<{iri}> is not an IRI; predicates are written in full, for"
                    f" instance {PREFIXES['rdf']}type"
                )


#: The default predicates.
DEFAULT_PREDICATES = ClassPredicates()


def iri_list(iris: Iterable[str]) -> str:
    """Return IRIs in the notation of VALUES in SPARQL.

    Texts that are not IRIs are left out, as no graph can have them.

    >>> iri_list(["http://x.org/a", "Amber } DROP ALL"])
    '<http://x.org/a>'
    """
    return " ".join(str(NamedNode(iri)) for iri in iris if is_iri(iri))


def types_of(
    source: Source, iris: Iterable[str], predicates: ClassPredicates = DEFAULT_PREDICATES
) -> dict[str, frozenset[str]]:
    """Return the types of entities.

    >>> from pyoxigraph import NamedNode, Quad
    >>> from qaldgen.stores.local import open_quads
    >>> is_a = NamedNode(ClassPredicates().types[0])
    >>> quad = Quad(NamedNode("urn:a"), is_a, NamedNode("urn:City"))
    >>> types_of(open_quads("graph", [quad]), ["urn:a", "urn:b"])
    {'urn:a': frozenset({'urn:City'})}
    """
    types_by_iri = {}
    for iri, types in _find_objects(source, iris, predicates.types).items():
        if types - NO_TYPES:
            types_by_iri[iri] = frozenset(types - NO_TYPES)
    return types_by_iri


def superclasses_of(
    source: Source, classes: Iterable[str], predicates: ClassPredicates = DEFAULT_PREDICATES
) -> dict[str, frozenset[str]]:
    """Return the direct superclasses of classes and of all classes above them.

    Cycles are followed once.
    """
    parents: dict[str, frozenset[str]] = {}
    level = sorted(set(classes))
    # Level by level, so that a whole level takes one request.
    for _ in range(_MAX_LEVELS):
        if not level:
            break
        superclasses = _find_objects(source, level, predicates.superclasses)
        for iri in level:
            parents[iri] = frozenset(superclasses.get(iri, set()) - NO_TYPES - {iri})
        above = set(chain.from_iterable(parents[iri] for iri in level))
        level = sorted(above - parents.keys())
    return parents


def shares_of_types(
    source: Source,
    type_sets: Collection[frozenset[str]],
    predicates: ClassPredicates = DEFAULT_PREDICATES,
) -> Mapping[frozenset[str], float]:
    """Return for each set of types the share of typed entities that have one of these types."""
    predicate_list = iri_list(predicates.types)
    hidden = ", ".join(iri_list(sorted(NO_TYPES)).split())
    conditions = f"isIRI(?t) && ?t NOT IN ({hidden})"
    total = _count(source, f"VALUES ?p {{ {predicate_list} }} ?e ?p ?t FILTER({conditions})")
    if not total:
        return {}
    shares = {}
    for types in type_sets:
        type_list = iri_list(sorted(types))
        pattern = f"VALUES ?p {{ {predicate_list} }} VALUES ?t {{ {type_list} }} ?e ?p ?t"
        shares[types] = _count(source, pattern) / total
    return shares


def _count(source: Source, pattern: str) -> int:
    rows = source.select(f"SELECT (COUNT(DISTINCT ?e) AS ?n) WHERE {{ {pattern} }}")
    return sum(whole_number(cell) for (cell,) in columns_of(rows, ["n"])[:1])


def _find_objects(
    source: Source, iris: Iterable[str], predicates: Iterable[str]
) -> dict[str, set[str]]:
    """Return by subject the IRIs that are objects of any of the predicates."""
    subjects = list(dict.fromkeys(iri for iri in iris if is_iri(iri)))
    predicate_list = iri_list(predicates)
    objects: dict[str, set[str]] = {}
    for start in range(0, len(subjects), _BATCH):
        batch = iri_list(subjects[start : start + _BATCH])
        pattern = f"VALUES ?e {{ {batch} }} VALUES ?p {{ {predicate_list} }} ?e ?p ?t"
        rows = source.select(f"SELECT DISTINCT ?e ?t WHERE {{ {pattern} FILTER(isIRI(?t)) }}")
        for entity, class_iri in columns_of(rows, ["e", "t"]):
            if isinstance(entity, NamedNode) and isinstance(class_iri, NamedNode):
                objects.setdefault(entity.value, set()).add(class_iri.value)
    return objects


def read_hierarchy(path: str | Path) -> dict[str, frozenset[str]]:
    """Read the direct superclasses of classes from a table.

    The table is separated by tabs and has the columns ``Type``, ``Depth`` and ``Parent``, as the
    ``dbpedia_types.tsv`` of SMART; classes are IRIs or have a usual prefix, such as ``dbo:``. The
    depth is not read: it follows from the superclasses.
    """
    lines = read_text(Path(path)).splitlines()
    if not lines or lines[0].split("\t") != _COLUMNS:
        raise DataError(
            f"{path}: not a table of classes; its first line must have the columns"
            f" {', '.join(_COLUMNS)}, separated by tabs"
        )

    parents_by_class: dict[str, set[str]] = {}
    for line_number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != len(_COLUMNS):
            raise DataError(f"{path}, line {line_number}: has {len(cells)} cells; 3 are expected")

        location = f"{path}, line {line_number}"
        child = _class_iri(cells[0].strip(), location)
        parent = _class_iri(cells[2].strip(), location)
        parents_by_class.setdefault(child, set()).update({parent} - NO_TYPES - {child})

    return {child: frozenset(parents) for child, parents in parents_by_class.items()}


def _class_iri(name: str, location: str) -> str:
    """Return the IRI of a class; refuse a name that is neither an IRI nor has a known prefix."""
    prefix, colon, local = name.partition(":")
    has_prefix = bool(colon) and prefix in DEFAULT_PREFIXES
    iri = f"{DEFAULT_PREFIXES[prefix]}{local}" if has_prefix else name
    # dbo2:City is an IRI too, but dbo2 must be an unknown prefix
    if not is_iri(iri) or (not has_prefix and "/" not in iri and not iri.startswith("urn:")):
        raise DataError(
            f"{location}: {name!r} is neither an IRI nor has a known prefix, such as dbo:"
        )
    return iri


class EntityStatement(NamedTuple):
    """A statement of a graph about an entity."""

    entity: str
    property: str
    value: Term | None  # the other end of the property
    name: Term | None = None  # a name of the value, if names were asked for
    forward: bool = True  # whether the property leads from the entity to the value


def all_names(source: Source, predicates: Iterable[str]) -> Iterator[tuple[str, Literal]]:
    """Yield every entity with each of its names."""
    pattern = f"VALUES ?l {{ {iri_list(predicates)} }} ?e ?l ?n FILTER(isIRI(?e))"
    for entity, name in _select_columns(source, f"SELECT ?e ?n WHERE {{ {pattern} }}"):
        if isinstance(entity, NamedNode) and isinstance(name, Literal):
            yield entity.value, name


def all_degrees(source: Source) -> dict[str, int]:
    """Return the number of statements about each entity."""
    query = "SELECT ?e (COUNT(?o) AS ?n) WHERE { ?e ?p ?o } GROUP BY ?e"
    return {
        entity.value: whole_number(number)
        for entity, number in _select_columns(source, query)
        if isinstance(entity, NamedNode)
    }


def schema_of(source: Source, types: Iterable[str]) -> set[str]:
    """Return the properties and classes of a graph."""
    pattern = f"VALUES ?p {{ {iri_list(types)} }} ?s ?p ?e"
    rows = _select_columns(source, "SELECT DISTINCT ?e WHERE { ?s ?e ?o }")
    rows += _select_columns(source, f"SELECT DISTINCT ?e WHERE {{ {pattern} }}")
    return {entity.value for (entity,) in rows if isinstance(entity, NamedNode)}


def entities_named(
    source: Source, texts: Iterable[str], predicates: Iterable[str], language: str
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
    source: Source, entities: Iterable[str], limit: int, *, backward: bool
) -> Iterator[EntityStatement]:
    """Yield the statements about entities, in the order of their IRIs."""
    pattern = "{ ?e ?p ?o } UNION { ?o ?p ?e BIND(1 AS ?b) }" if backward else "?e ?p ?o"
    conditions = f"VALUES ?e {{ {iri_list(entities)} }} {pattern}"
    query = f"SELECT ?e ?p ?o ?b WHERE {{ {conditions} }} ORDER BY ?e ?p ?o ?b LIMIT {limit + 1}"
    for entity, name, value, inverse in _select_columns(source, query, limited=True):
        if isinstance(entity, NamedNode) and isinstance(name, NamedNode):
            yield EntityStatement(entity.value, name.value, value, forward=inverse is None)


def statements_about(
    source: Source,
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


def most_frequent_value(source: Source, property_iri: str) -> str:
    """Return the entity to which a property leads most often; of several, the first by IRI."""
    pattern = f"{{ ?s {iri_list([property_iri])} ?o FILTER(isIRI(?o)) }} GROUP BY ?o"
    query = f"SELECT ?o (COUNT(*) AS ?n) WHERE {pattern} ORDER BY DESC(?n) ?o LIMIT 1"
    rows = _select_columns(source, query, limited=True)
    value = rows[0][0] if rows else None
    if isinstance(value, NamedNode):
        return value.value
    return ""


def _select_columns(
    source: Source, query: str, *, limited: bool = False
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
            f"{source.name}: gives more than {_MAX_ROWS:,} rows about one question;"
            " ask for fewer candidates"
        )
    return columns_of(rows, selected_variables(query))
