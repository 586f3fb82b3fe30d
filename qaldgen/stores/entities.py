"""Query a knowledge graph about the classes of entities."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from pyoxigraph import Literal, NamedNode

from qaldgen.errors import DataError, UsageError
from qaldgen.rdf.terms import PREFIXES, Rows, Term, is_iri
from qaldgen.stores.graphs import KnowledgeGraph

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
    source: KnowledgeGraph, iris: Iterable[str], predicates: ClassPredicates = DEFAULT_PREDICATES
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
    source: KnowledgeGraph, classes: Iterable[str], predicates: ClassPredicates = DEFAULT_PREDICATES
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
    source: KnowledgeGraph,
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


def _count(source: KnowledgeGraph, pattern: str) -> int:
    rows = source.select(f"SELECT (COUNT(DISTINCT ?e) AS ?n) WHERE {{ {pattern} }}")
    return sum(whole_number(cell) for (cell,) in columns_of(rows, ["n"])[:1])


def _find_objects(
    source: KnowledgeGraph, iris: Iterable[str], predicates: Iterable[str]
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
