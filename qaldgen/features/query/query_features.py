"""The features of a query that LSQ records as ``lsqv:usesFeature``."""

from __future__ import annotations

import heapq
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, median

from qaldgen.features.query.query_tree import Aggregate, Pattern, QueryError, QueryTree, walk
from qaldgen.rdf.knowledge_graphs import (
    DIRECTIVES,
    SUBCLASS_PREDICATES,
    TYPE_PREDICATES,
    graph_of_iris,
    half_hops,
    is_qualifier,
    is_temporal,
    namespace_of,
)
from qaldgen.sparql.grammar import NotSparqlError, parse
from qaldgen.sparql.repair import UNKNOWN_PREFIX, repair


def lsq_features(tree: QueryTree) -> frozenset[str]:
    """Return the LSQ resources of a query, by their local names.

    The form and the clauses (``Select``, ``Distinct``, ``Filter``, ``GroupBy``, ...; OFFSET 0 does
    not count); ``TriplePath`` for property paths; ``Aggregators`` and each aggregate
    (``aggcountvar``, ``aggcountvardistinct``, ``aggcount`` for ``COUNT(*)``); ``Functions`` and
    each operator and function in a FILTER (``fn-gt``, ``fn-regex``, ``fn-function`` for a cast or
    other function with an IRI). The contents of EXISTS are ignored. All as in the published
    QaldGenData, except that ``GroupBy`` needs the keyword (in the repaired text) and that
    ``Having`` is recorded.
    """
    features = set(tree.keywords)
    functions = {
        f"fn-{'not' if call.name == 'denied' else call.name}"
        for call in tree.calls
        if call.place == "filter"
    }
    if functions:
        features |= {"Functions", *functions}
    if tree.aggregates:
        features |= {"Aggregators", *(_aggregate(aggregate) for aggregate in tree.aggregates)}
    if any(
        pattern.predicate[0] != "?" and not _is_iri(pattern.predicate) for pattern in tree.patterns
    ):
        features.add("TriplePath")
    return frozenset(features)


def _is_iri(predicate: str) -> bool:
    return predicate.startswith("<") and ">" not in predicate[:-1]


def _aggregate(aggregate: Aggregate) -> str:
    # Jena, which LSQ used, tells COUNT(?x) from COUNT(*) by its class name, AggCountVar
    variable = "var" if aggregate.name == "count" and not aggregate.star else ""
    return f"agg{aggregate.name}{variable}{'distinct' if aggregate.distinct else ''}"


def parse_query(sparql: str) -> QueryTree:
    """Repair and parse a query."""
    text, repairs = repair(sparql, bind_unknown=True)
    try:
        query = parse(text)
    except NotSparqlError as error:
        raise QueryError(str(error)) from error
    tree = QueryTree(text, repairs, query.form.lower())
    walk(query, tree)
    return tree


__all__ = ["FeatureValue", "QueryError", "QueryTree", "parse_query", "query_features"]

FeatureValue = int | float | bool | str | frozenset[str] | tuple[str, ...]

#: Aggregates whose result is a number whatever they aggregate, unlike MIN and MAX.
_NUMERIC = {"count", "sum", "avg"}
_IRI = re.compile(r'<([^<>"{}|^`\\\x00-\x20]*)>')
_DATATYPE = re.compile(r'"\^\^<([^<>]*)>$')


def query_features(query: str | QueryTree) -> dict[str, FeatureValue]:
    """Compute every feature of a query; what the query does not have is absent.

    >>> features = query_features("SELECT COUNT(?film) { ?film dbo:director dbr:Ann_Lee }")
    >>> features["isCount"], features["answerType"], features["tpCount"]
    (True, 'number', 1)
    >>> features["queryShape"], features["answerDirection"]
    ('edge', 'subject')
    """
    tree = parse_query(query) if isinstance(query, str) else query
    return {
        "queryForm": tree.form,
        "projectVarCount": len(tree.projected),
        "usesFeature": lsq_features(tree),
        **_namespaces(tree),
        "queryRepaired": bool(tree.repairs),
        "repairKinds": frozenset(tree.repairs),
        **_pattern_counts(tree),
        **_term_counts(tree),
        **_graph(tree),
        **_clauses(tree),
        **_constraints(tree),
        **_answer(tree),
    }


def _namespaces(tree: QueryTree) -> dict[str, FeatureValue]:
    """Return the namespaces, and the knowledge graph they belong to.

    It stays open if an undeclared prefix might belong to another graph.
    """
    # from the text, because paths, datatypes and functions name IRIs that no term of a pattern has
    iris = _IRI.findall(tree.text)
    known = [iri for iri in iris if not iri.startswith(UNKNOWN_PREFIX)]
    values: dict[str, FeatureValue] = {"namespacesUsed": frozenset(map(namespace_of, known))}
    graph = graph_of_iris(known)
    if graph != "other" or len(known) == len(iris):
        values["knowledgeGraph"] = graph
    return values


def _pattern_counts(tree: QueryTree) -> dict[str, FeatureValue]:
    outside = [pattern for pattern in tree.patterns if pattern.place != "exists"]
    blocks = Counter(pattern.block for pattern in outside)
    values: dict[str, FeatureValue] = {
        "tpCount": len(distinct(outside)),
        "tripleCountAll": len(tree.patterns),
        "existsTripleCount": len(tree.patterns) - len(outside),
        "bgpCount": len(blocks),
    }
    if blocks:
        sizes = blocks.values()
        values |= {
            "tpInBgpCountMin": min(sizes),
            "tpInBgpCountMax": max(sizes),
            "tpInBgpCountMean": fmean(sizes),
        }
        values["tpInBgpCountMedian"] = float(median(sizes))
    return values


def _term_counts(tree: QueryTree) -> dict[str, FeatureValue]:
    return {
        "variableCount": sum(term.startswith("?") for term in tree.terms),
        "constantCount": sum(term.startswith(("<", '"')) for term in tree.terms),
        "literalCount": sum(term.startswith('"') for term in tree.terms),
    }


def _graph(tree: QueryTree) -> dict[str, FeatureValue]:
    patterns = alternative(tree)
    answers, _ = tree.sources(tree.answer_variable)
    joins = join_vertices(patterns)
    values: dict[str, FeatureValue] = {
        "queryShape": shape(patterns),
        "answerDirection": answer_direction(
            [p for p in tree.patterns if p.place == "main"], answers
        ),
        "joinVertexCount": len(joins),
    }
    hops = hop_count(patterns, answers)
    if hops is not None:
        values["hopCount"] = hops
    if joins:
        degrees = [degree for degree, _ in joins.values()]
        types = frozenset(kind for _, kind in joins.values())
        values |= {
            "joinVertexDegreeMean": fmean(degrees),
            "joinVertexDegreeMax": max(degrees),
            "joinVertexTypes": types,
        }
        values["joinVertexDegreeMedian"] = float(median(degrees))
    return values


def _clauses(tree: QueryTree) -> dict[str, FeatureValue]:
    """Return what keywords show: aggregates, UNION, OPTIONAL, sub-queries, superlatives."""
    values: dict[str, FeatureValue] = {
        "hasAggregation": bool(tree.aggregates),
        "isSuperlative": tree.superlative,
        "hasUnion": "Union" in tree.keywords,
        "hasOptional": "Optional" in tree.keywords,
        "hasSubquery": "SubQuery" in tree.keywords,
        "hasPropertyPath": "TriplePath" in lsq_features(tree),
    }
    if tree.aggregates:
        names = (aggregate.name for aggregate in tree.aggregates)
        values["aggregateFunctions"] = frozenset(
            "group_concat" if name == "groupconcat" else name for name in names
        )
    return values


def _constraints(tree: QueryTree) -> dict[str, FeatureValue]:
    """Return what patterns and filters ask for.

    ``hasComparison``: <, >, <= or >= in FILTER or HAVING. ``hasNegation``: NOT EXISTS, MINUS,
    ``!=``, NOT IN, ``!bound(...)`` or ``!EXISTS``. ``hasLangFilter``: lang() or langMatches() in
    FILTER. ``hasQualifier``: a Wikidata qualifier (pq:). ``hasTypeConstraint``: a pattern with
    rdf:type or wdt:P31 and a constant class. ``hasTemporalLiteral``: a literal with a datatype of
    dates or times, or cast to one.
    """
    conditions = {call.name for call in tree.calls if call.place in {"filter", "exists", "having"}}
    everywhere = {call.name for call in tree.calls}
    datatypes = (match.group(1) for term in tree.terms if (match := _DATATYPE.search(term)))
    casts = (call.iri for call in tree.calls if call.of_literal)
    return {
        "hasComparison": bool(conditions & {"lt", "gt", "le", "ge"}),
        "hasNegation": bool(everywhere & {"notexists", "ne", "notin", "denied"})
        or "Minus" in tree.keywords,
        "hasRegex": "regex" in everywhere,
        "hasLangFilter": bool(conditions & {"lang", "langmatches"}),
        "hasQualifier": any(is_qualifier(iri) for pattern in tree.patterns for iri in pattern.iris),
        "hasTypeConstraint": any(is_type_pattern(pattern) for pattern in tree.patterns),
        "hasTemporalLiteral": any(is_temporal(datatype) for datatype in (*datatypes, *casts)),
    }


def _answer(tree: QueryTree) -> dict[str, FeatureValue]:
    """Return ``isCount`` and, if it is certain, ``answerType``, from the first column."""
    if tree.form == "ask":
        return {"isCount": False, "answerType": "boolean"}
    _, aggregates = tree.sources(tree.answer_variable)
    values: dict[str, FeatureValue] = {"isCount": "count" in aggregates}
    if aggregates and aggregates <= _NUMERIC:
        values["answerType"] = "number"
    return values


Node = tuple[str, int]
#: Hops are not counted beyond this many patterns: the time grows with their square.
_MOST_HOPS = 500


def distinct(patterns: Iterable[Pattern]) -> list[Pattern]:
    """Return the patterns without duplicates, in the order of their first occurrence."""
    # reversed twice: of equal patterns the first one stays, at its own place
    return list({pattern.key: pattern for pattern in reversed(list(patterns))}.values())[::-1]


def is_type_pattern(pattern: Pattern) -> bool:
    """Whether a pattern gives its subject a constant class, also by steps to wider classes."""
    typing = any(iri in TYPE_PREDICATES for iri in pattern.iris)
    only = all(iri in TYPE_PREDICATES or iri in SUBCLASS_PREDICATES for iri in pattern.iris)
    forward = all(step.iri and not step.inverse for step in pattern.steps)
    return typing and only and forward and pattern.object.startswith("<")


def alternative(tree: QueryTree) -> list[Pattern]:
    """Return the distinct patterns of the largest alternative, as the module describes."""
    patterns = [
        pattern
        for pattern in tree.patterns
        if pattern.place == "main" and pattern.subject not in DIRECTIVES
    ]
    keys: defaultdict[tuple[int, int], set[tuple[str, str, str]]] = defaultdict(set)
    for pattern in patterns:
        for place in pattern.branches:
            keys[place].add(pattern.key)
    chosen: dict[int, int] = {}
    # in order of branches, and only a larger one replaces: the first of equals stays
    for union, branch in sorted(keys):
        if union not in chosen or len(keys[union, branch]) > len(keys[union, chosen[union]]):
            chosen[union] = branch
    return distinct(
        p for p in patterns if all(chosen[union] == branch for union, branch in p.branches)
    )


def ends(patterns: Sequence[Pattern], *, join_entities: bool) -> list[tuple[Node, Node]]:
    """Return the nodes of each pattern, its subject and its object."""
    return [
        (
            _node(pattern.subject, 2 * at, joined=join_entities),
            _node(
                pattern.object, 2 * at + 1, joined=join_entities and not is_type_pattern(pattern)
            ),
        )
        for at, pattern in enumerate(patterns)
    ]


def shape(patterns: Sequence[Pattern]) -> str:
    """Return the shape of the graph, ignoring directions.

    ``empty``: no pattern. ``edge``: one pattern. ``disconnected``: several parts. ``cycle``:
    connected, with a cycle (two patterns between the same nodes form one). Trees are divided:
    ``chain``, no node has more than two patterns; ``star``, one node has three or more, all others
    one; ``star-chain``, one node has three or more, and a ray is longer than one pattern; ``tree``,
    several such nodes.
    """
    edges = ends(patterns, join_entities=True)
    if len(edges) < 2:
        return ("empty", "edge")[len(edges)]
    nodes = {node for edge in edges for node in edge}
    if len(_distances(_neighbours(edges, [1] * len(edges)), edges[0][0])) < len(nodes):
        return "disconnected"
    if len(edges) >= len(nodes):  # a connected graph is a tree if and only if it has n - 1 edges
        return "cycle"
    degrees = sorted(Counter(node for edge in edges for node in edge).values(), reverse=True)
    if degrees[0] <= 2:
        return "chain"
    if degrees[1] > 2:
        return "tree"
    return "star" if degrees[1] == 1 else "star-chain"


def join_vertices(patterns: Sequence[Pattern]) -> dict[str, tuple[int, str]]:
    """Return degree and type of each join vertex: a variable or blank node in several patterns.

    As in LSQ, the types are ``star`` (subject of all), ``sink`` (subject of none), ``path`` (once
    subject, once not), ``hybrid``.
    """
    outgoing, incoming, having = Counter[str](), Counter[str](), Counter[str]()
    for pattern in patterns:
        outgoing[pattern.subject] += 1
        incoming.update({pattern.predicate, pattern.object})
        having.update(set(pattern.key))
    joins = {}
    for vertex in dict.fromkeys(term for pattern in patterns for term in pattern.key):
        degree = outgoing[vertex] + incoming[vertex]
        if degree > 1 and _is_open(vertex) and having[vertex] > 1:
            joins[vertex] = degree, _vertex_type(outgoing[vertex], incoming[vertex])
    return joins


def hop_count(patterns: Sequence[Pattern], answers: Iterable[str]) -> int | None:
    """Return the number of relations between the answer and the farthest constant.

    The longest of the shortest paths from an answer variable to a subject or object that is an IRI
    or literal; without answer variables (ASK) from any node. Type patterns are not walked; the way
    over a Wikidata statement node is one hop; a property path has the hops of its steps.
    """
    if len(patterns) > _MOST_HOPS:
        return None
    used = [pattern for pattern in patterns if not is_type_pattern(pattern)]
    edges = ends(used, join_entities=False)
    ways = _neighbours(
        edges, [sum(half_hops(step.iri) for step in pattern.steps) for pattern in used]
    )
    names = set(answers)
    starts = [node for node in ways if not names or node[0] in names]
    constants = [node for node in ways if not _is_open(node[0])]
    reached = (_distances(ways, start) for start in starts)
    farthest = max(
        (distances[node] for distances in reached for node in constants if node in distances),
        default=0,
    )
    return (farthest + 1) // 2  # half hops, rounded up: a way may end on a statement node


def answer_direction(patterns: Iterable[Pattern], answers: Iterable[str]) -> str:
    """Return the position of the answer in its patterns, ignoring type patterns.

    An inverse path step next to the answer turns the direction around.
    """
    names, positions = set(answers), set()
    for pattern in patterns:
        if is_type_pattern(pattern):
            continue
        if pattern.subject in names:
            positions.add("object" if pattern.steps[0].inverse else "subject")
        if pattern.object in names:
            positions.add("subject" if pattern.steps[-1].inverse else "object")
    return "both" if len(positions) == 2 else next(iter(positions), "none")


def _is_open(term: str) -> bool:
    """Whether a term is a variable or blank node."""
    return term.startswith(("?", "_:"))


def _node(term: str, number: int, *, joined: bool) -> Node:
    return (term, -1) if _is_open(term) or (joined and term.startswith("<")) else (term, number)


def _vertex_type(outgoing: int, incoming: int) -> str:
    if not incoming:
        return "star"
    if not outgoing:
        return "sink"
    return "path" if outgoing == incoming == 1 else "hybrid"


def _neighbours(
    edges: Sequence[tuple[Node, Node]], lengths: Iterable[int]
) -> dict[Node, list[tuple[int, Node]]]:
    """Return the neighbours of each node, with the length of the way to them."""
    neighbours = defaultdict[Node, list[tuple[int, Node]]](list)
    for (source, other), length in zip(edges, lengths, strict=True):
        neighbours[source].append((length, other))
        neighbours[other].append((length, source))
    return neighbours


def _distances(
    neighbours: Mapping[Node, Sequence[tuple[int, Node]]], start: Node
) -> dict[Node, int]:
    """Return the length of the shortest path from `start` to each reachable node (Dijkstra)."""
    distances: dict[Node, int] = {}
    waiting = [(0, start)]
    while waiting:
        distance, node = heapq.heappop(waiting)
        if node not in distances:
            distances[node] = distance
            for length, neighbour in neighbours[node]:
                heapq.heappush(waiting, (distance + length, neighbour))
    return distances
