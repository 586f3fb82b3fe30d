"""The features of a query that LSQ records as ``lsqv:usesFeature``."""

from __future__ import annotations

import re
from collections import Counter
from statistics import fmean, median

from qaldgen.features.query.parts import Aggregate, QueryError, QueryTree, walk
from qaldgen.features.query.shape import (
    alternative,
    answer_direction,
    distinct,
    hop_count,
    is_type_pattern,
    join_vertices,
    shape,
)
from qaldgen.rdf.knowledge_graphs import graph_of_iris, is_qualifier, is_temporal, namespace_of
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


def parse_query(sparql: str, *, fix_https_type: bool = False) -> QueryTree:
    """Repair and parse a query."""
    text, repairs = repair(sparql, fix_https_type=fix_https_type, bind_unknown=True)
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
    found: dict[str, FeatureValue] = {"namespacesUsed": frozenset(map(namespace_of, known))}
    graph = graph_of_iris(known)
    if graph != "other" or len(known) == len(iris):
        found["knowledgeGraph"] = graph
    return found


def _pattern_counts(tree: QueryTree) -> dict[str, FeatureValue]:
    outside = [pattern for pattern in tree.patterns if pattern.place != "exists"]
    blocks = Counter(pattern.block for pattern in outside)
    found: dict[str, FeatureValue] = {
        "tpCount": len(distinct(outside)),
        "tripleCountAll": len(tree.patterns),
        "existsTripleCount": len(tree.patterns) - len(outside),
        "bgpCount": len(blocks),
    }
    if blocks:
        sizes = blocks.values()
        found |= {
            "tpInBgpCountMin": min(sizes),
            "tpInBgpCountMax": max(sizes),
            "tpInBgpCountMean": fmean(sizes),
        }
        found["tpInBgpCountMedian"] = float(median(sizes))
    return found


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
    found: dict[str, FeatureValue] = {
        "queryShape": shape(patterns),
        "answerDirection": answer_direction(
            [p for p in tree.patterns if p.place == "main"], answers
        ),
        "joinVertexCount": len(joins),
    }
    hops = hop_count(patterns, answers)
    if hops is not None:
        found["hopCount"] = hops
    if joins:
        degrees = [degree for degree, _ in joins.values()]
        types = frozenset(kind for _, kind in joins.values())
        found |= {
            "joinVertexDegreeMean": fmean(degrees),
            "joinVertexDegreeMax": max(degrees),
            "joinVertexTypes": types,
        }
        found["joinVertexDegreeMedian"] = float(median(degrees))
    return found


def _clauses(tree: QueryTree) -> dict[str, FeatureValue]:
    """Return what keywords show: aggregates, UNION, OPTIONAL, sub-queries, superlatives."""
    found: dict[str, FeatureValue] = {
        "hasAggregation": bool(tree.aggregates),
        "isSuperlative": tree.superlative,
        "hasUnion": "Union" in tree.keywords,
        "hasOptional": "Optional" in tree.keywords,
        "hasSubquery": "SubQuery" in tree.keywords,
        "hasPropertyPath": "TriplePath" in lsq_features(tree),
    }
    if tree.aggregates:
        names = (aggregate.name for aggregate in tree.aggregates)
        found["aggregateFunctions"] = frozenset(
            "group_concat" if name == "groupconcat" else name for name in names
        )
    return found


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
    found: dict[str, FeatureValue] = {"isCount": "count" in aggregates}
    if aggregates and aggregates <= _NUMERIC:
        found["answerType"] = "number"
    return found
