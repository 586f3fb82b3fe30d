"""The features of a query that LSQ records as ``lsqv:usesFeature``."""

from __future__ import annotations

from qaldgen.features.query.tree import Aggregate, QueryTree


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
