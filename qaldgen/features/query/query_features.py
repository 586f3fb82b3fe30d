"""The features of a query: those of LSQ, its size, shape, joins and hops, and the answer type."""

from __future__ import annotations

import heapq
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from statistics import fmean, median
from typing import NamedTuple

from qaldgen.features.query.query_tree import Pattern, QueryError, QueryTree, collect_parts
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

__all__ = [
    "FeatureValue",
    "FeatureValues",
    "QueryError",
    "QueryTree",
    "parse_query",
    "query_features",
]

FeatureValue = int | float | bool | str | frozenset[str] | tuple[str, ...]
#: The features of a question by name.
FeatureValues = dict[str, FeatureValue]

#: Aggregates whose result is a number whatever they aggregate, unlike MIN and MAX.
_NUMERIC_AGGREGATES = {"count", "sum", "avg"}
_IRI = re.compile(r'<([^<>"{}|^`\\\x00-\x20]*)>')
_DATATYPE = re.compile(r'"\^\^<([^<>]*)>$')
#: A node of the graph: its term, and the number of its occurrence, -1 if all are one node.
Node = tuple[str, int]
#: Hops are counted in queries of up to this many patterns: the time grows with their square.
_MAX_HOP_PATTERNS = 500


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
    for function in tree.functions:
        if function.clause == "filter":
            name = "not" if function.name == "denied" else function.name
            features |= {"Functions", f"fn-{name}"}
    for aggregate in tree.aggregates:
        # Jena, which LSQ used, tells COUNT(?x) from COUNT(*) by its class name, AggCountVar
        lsq_name = f"agg{aggregate.name}"
        if aggregate.name == "count" and aggregate.argument is not None:
            lsq_name += "var"
        if aggregate.distinct:
            lsq_name += "distinct"
        features |= {"Aggregators", lsq_name}
    if any(pattern.predicate.startswith("(") for pattern in tree.patterns):
        features.add("TriplePath")
    return frozenset(features)


def parse_query(sparql: str) -> QueryTree:
    """Repair and parse a query."""
    text, repairs = repair(sparql, bind_unknown=True)
    try:
        query = parse(text)
    except NotSparqlError as error:
        raise QueryError(str(error)) from error
    tree = QueryTree(text, repairs, query.form.lower())
    collect_parts(query, tree)
    return tree


def query_features(query: str | QueryTree) -> dict[str, FeatureValue]:
    """Compute every feature of a query; features without a value are absent.

    >>> features = query_features("SELECT COUNT(?film) { ?film dbo:director dbr:Ann_Lee }")
    >>> features["isCount"], features["answerType"], features["tpCount"]
    (True, 'number', 1)
    >>> features["queryShape"], features["answerDirection"]
    ('edge', 'subject')
    """
    tree = parse_query(query) if isinstance(query, str) else query

    # from the text, as paths, datatypes and functions name IRIs that no term of a pattern has
    text_iris = _IRI.findall(tree.text)
    iris = [iri for iri in text_iris if not iri.startswith(UNKNOWN_PREFIX)]
    values: dict[str, FeatureValue] = {"namespacesUsed": frozenset(map(namespace_of, iris))}
    graph = graph_of_iris(iris)
    if graph != "other" or len(iris) == len(text_iris):
        values["knowledgeGraph"] = graph

    uses = lsq_features(tree)
    return {
        "queryForm": tree.form,
        "projectVarCount": len(tree.projected),
        "usesFeature": uses,
        "hasPropertyPath": "TriplePath" in uses,
        **values,
        "queryRepaired": bool(tree.repairs),
        "repairKinds": frozenset(tree.repairs),
        **_count_features(tree),
        **_graph_features(tree),
        **_clause_features(tree),
        **_constraint_features(tree),
    }


def _count_features(tree: QueryTree) -> dict[str, FeatureValue]:
    """Return the numbers of triple patterns, of their blocks and of terms."""
    outside_exists = [pattern for pattern in tree.patterns if pattern.group_kind != "exists"]
    blocks = Counter(pattern.block for pattern in outside_exists)

    values: dict[str, FeatureValue] = {
        "tpCount": len(distinct_patterns(outside_exists)),
        "tripleCountAll": len(tree.patterns),
        "existsTripleCount": len(tree.patterns) - len(outside_exists),
        "bgpCount": len(blocks),
        "variableCount": sum(term.startswith("?") for term in tree.terms),
        "constantCount": sum(term.startswith(("<", '"')) for term in tree.terms),
        "literalCount": sum(term.startswith('"') for term in tree.terms),
    }

    if blocks:
        sizes = blocks.values()
        values["tpInBgpCountMin"] = min(sizes)
        values["tpInBgpCountMax"] = max(sizes)
        values["tpInBgpCountMean"] = fmean(sizes)
        values["tpInBgpCountMedian"] = float(median(sizes))
    return values


def _graph_features(tree: QueryTree) -> dict[str, FeatureValue]:
    """Return the shape of the query's graph, its joins, and the position of the answer in it."""
    patterns = largest_branches(tree)
    answers = tree.sources(tree.answer_variable).variables
    main = [pattern for pattern in tree.patterns if pattern.group_kind == "main"]
    joins = join_vertices(patterns)

    values: dict[str, FeatureValue] = {
        "queryShape": graph_shape(patterns),
        "answerDirection": answer_direction(main, answers),
        "joinVertexCount": len(joins),
    }

    hops = hop_count(patterns, answers)
    if hops is not None:
        values["hopCount"] = hops
    if joins:
        degrees = [join.degree for join in joins]
        values["joinVertexDegreeMean"] = fmean(degrees)
        values["joinVertexDegreeMax"] = max(degrees)
        values["joinVertexDegreeMedian"] = float(median(degrees))
        values["joinVertexTypes"] = frozenset(join.type for join in joins)
    return values


def _clause_features(tree: QueryTree) -> dict[str, FeatureValue]:
    """Return the features that keywords show: aggregates, UNION, OPTIONAL, superlatives.

    isCount and, if it is certain, answerType are about the first column.
    """
    aggregates = tree.sources(tree.answer_variable).aggregates

    values: dict[str, FeatureValue] = {
        "hasAggregation": bool(tree.aggregates),
        "isSuperlative": tree.superlative,
        "hasUnion": "Union" in tree.keywords,
        "hasOptional": "Optional" in tree.keywords,
        "hasSubquery": "SubQuery" in tree.keywords,
        "isCount": "count" in aggregates,
    }

    if tree.aggregates:
        names = (aggregate.name for aggregate in tree.aggregates)
        functions = {name.replace("groupconcat", "group_concat") for name in names}
        values["aggregateFunctions"] = frozenset(functions)
    if tree.form == "ask":
        values["answerType"] = "boolean"
    elif aggregates and aggregates <= _NUMERIC_AGGREGATES:
        values["answerType"] = "number"

    return values


def _constraint_features(tree: QueryTree) -> dict[str, FeatureValue]:
    """Return the features of patterns and filters; the catalogue of features defines each."""
    clauses = {"filter", "exists", "having"}
    conditions = {function.name for function in tree.functions if function.clause in clauses}
    functions = {function.name for function in tree.functions}
    is_negated = not functions.isdisjoint({"notexists", "ne", "notin", "denied"})
    iris = set(chain.from_iterable(pattern.iris for pattern in tree.patterns))
    datatypes = [function.iri for function in tree.functions if function.has_literal]
    for term in tree.terms:
        datatypes += _DATATYPE.findall(term)
    return {
        "hasComparison": not conditions.isdisjoint({"lt", "gt", "le", "ge"}),
        "hasNegation": is_negated or "Minus" in tree.keywords,
        "hasRegex": "regex" in functions,
        "hasLangFilter": not conditions.isdisjoint({"lang", "langmatches"}),
        "hasQualifier": any(map(is_qualifier, iris)),
        "hasTypeConstraint": any(map(is_type_pattern, tree.patterns)),
        "hasTemporalLiteral": any(map(is_temporal, datatypes)),
    }


def distinct_patterns(patterns: Iterable[Pattern]) -> list[Pattern]:
    """Return the patterns without duplicates, in the order of their first occurrence."""
    by_key: dict[tuple[str, str, str], Pattern] = {}
    for pattern in patterns:
        by_key.setdefault(pattern.key, pattern)
    return list(by_key.values())


def is_type_pattern(pattern: Pattern) -> bool:
    """Return whether a pattern states the class of its subject, or a superclass, as a constant."""
    iris = set(pattern.iris)
    are_types = bool(iris & TYPE_PREDICATES) and iris <= TYPE_PREDICATES | SUBCLASS_PREDICATES
    are_forward = all(step.iri and not step.inverse for step in pattern.steps)
    return are_types and are_forward and pattern.object.startswith("<")


def largest_branches(tree: QueryTree) -> list[Pattern]:
    """Return the distinct patterns outside UNION and in the largest branch of each UNION."""
    patterns = [
        pattern
        for pattern in tree.patterns
        if pattern.group_kind == "main" and pattern.subject not in DIRECTIVES
    ]

    keys_by_branch: defaultdict[tuple[int, int], set[tuple[str, str, str]]] = defaultdict(set)
    for pattern in patterns:
        for union_and_branch in pattern.branches:
            keys_by_branch[union_and_branch].add(pattern.key)

    largest: dict[int, int] = {}
    # in the order of branches, the first of which stays if another one is equally large
    for union, branch in sorted(keys_by_branch):
        previous = largest.setdefault(union, branch)
        if len(keys_by_branch[union, branch]) > len(keys_by_branch[union, previous]):
            largest[union] = branch

    return distinct_patterns(
        pattern
        for pattern in patterns
        if all(largest[union] == branch for union, branch in pattern.branches)
    )


def pattern_edges(patterns: Sequence[Pattern], *, join_entities: bool) -> list[tuple[Node, Node]]:
    """Return for each pattern the nodes of its subject and its object."""
    edges = []
    for number, pattern in enumerate(patterns):
        subject = _graph_node(pattern.subject, 2 * number, joined=join_entities)
        is_joined = join_entities and not is_type_pattern(pattern)
        edges.append((subject, _graph_node(pattern.object, 2 * number + 1, joined=is_joined)))
    return edges


def graph_shape(patterns: Sequence[Pattern]) -> str:
    """Return the shape of the graph, ignoring directions.

    ``empty``: no pattern. ``edge``: one pattern. ``disconnected``: several parts. ``cycle``:
    connected, with a cycle (two patterns between the same nodes form one). Trees are divided:
    ``chain``, no node has more than two patterns; ``star``, one node has three or more, all others
    one; ``star-chain``, one node has three or more, and a ray is longer than one pattern; ``tree``,
    several such nodes.
    """
    edges = pattern_edges(patterns, join_entities=True)
    if not edges:
        return "empty"
    if len(edges) == 1:
        return "edge"

    pattern_counts = Counter(chain.from_iterable(edges))
    nodes = pattern_counts.keys()
    if len(_distances(_neighbours(edges, [1] * len(edges)), edges[0][0])) < len(nodes):
        return "disconnected"
    if len(edges) >= len(nodes):  # a connected graph is a tree if and only if it has n - 1 edges
        return "cycle"

    degrees = sorted(pattern_counts.values(), reverse=True)
    if degrees[0] <= 2:
        return "chain"
    if degrees[1] > 2:
        return "tree"
    if degrees[1] == 1:
        return "star"
    return "star-chain"


class JoinVertex(NamedTuple):
    """A variable or blank node in several patterns."""

    degree: int
    type: str  # as in LSQ


def join_vertices(patterns: Sequence[Pattern]) -> list[JoinVertex]:
    """Return the join vertices of patterns.

    As in LSQ, the types are ``star`` (subject of all), ``sink`` (subject of none), ``path`` (once
    subject, once not), ``hybrid``.
    """
    outgoing = Counter[str]()
    incoming = Counter[str]()
    pattern_counts = Counter[str]()
    for pattern in patterns:
        outgoing[pattern.subject] += 1
        incoming.update({pattern.predicate, pattern.object})
        pattern_counts.update(dict.fromkeys(pattern.key, 1))

    joins = []
    for vertex, n_patterns in pattern_counts.items():
        if n_patterns < 2 or not _is_open(vertex):
            continue

        as_subject = outgoing[vertex]
        as_other = incoming[vertex]
        if not as_other:
            join_type = "star"
        elif not as_subject:
            join_type = "sink"
        elif as_subject == as_other == 1:
            join_type = "path"
        else:
            join_type = "hybrid"
        joins.append(JoinVertex(as_subject + as_other, join_type))

    return joins


def hop_count(patterns: Sequence[Pattern], answers: Iterable[str]) -> int | None:
    """Return the number of relations between the answer and the farthest constant.

    This is the longest of the shortest paths from an answer variable, or from any node without
    answer variables (ASK), to a subject or object that is an IRI or literal. Type patterns are not
    walked; the way over a Wikidata statement node is one hop; a property path has the hops of its
    steps.
    """
    if len(patterns) > _MAX_HOP_PATTERNS:
        return None
    walked = [pattern for pattern in patterns if not is_type_pattern(pattern)]
    lengths = [sum(half_hops(step.iri) for step in pattern.steps) for pattern in walked]
    neighbours = _neighbours(pattern_edges(walked, join_entities=False), lengths)
    answer_variables = set(answers)
    starts = [node for node in neighbours if not answer_variables or node[0] in answer_variables]
    constants = [node for node in neighbours if not _is_open(node[0])]
    farthest = 0
    for start in starts:
        distances = _distances(neighbours, start)
        farthest = max(farthest, max((distances.get(node, 0) for node in constants), default=0))
    return (farthest + 1) // 2  # half hops, rounded up, as a way may end on a statement node


def answer_direction(patterns: Iterable[Pattern], answers: Iterable[str]) -> str:
    """Return the position of the answer in its patterns, ignoring type patterns.

    An inverse path step next to the answer turns the direction around.
    """
    answer_variables = set(answers)
    positions = set()
    for pattern in patterns:
        if is_type_pattern(pattern):
            continue
        if pattern.subject in answer_variables:
            position = "object" if pattern.steps[0].inverse else "subject"
            positions.add(position)
        if pattern.object in answer_variables:
            position = "subject" if pattern.steps[-1].inverse else "object"
            positions.add(position)
    if len(positions) == 2:
        return "both"
    return next(iter(positions), "none")


def _is_open(term: str) -> bool:
    """Return whether a term is a variable or blank node."""
    return term.startswith(("?", "_:"))


def _graph_node(term: str, number: int, *, joined: bool) -> Node:
    """Return the node of a term: one for all its occurrences, or for this occurrence alone."""
    if _is_open(term) or (joined and term.startswith("<")):
        return term, -1
    return term, number


def _neighbours(
    edges: Sequence[tuple[Node, Node]], lengths: Iterable[int]
) -> dict[Node, list[tuple[int, Node]]]:
    """Return the neighbours of each node, with the length of the edge to each."""
    neighbours = defaultdict[Node, list[tuple[int, Node]]](list)
    for (subject, object_), length in zip(edges, lengths, strict=True):
        neighbours[subject].append((length, object_))
        neighbours[object_].append((length, subject))
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
