"""The features of a query.

Every rule on a small query, then the published data against their own figures and Jena's.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import TypeVar

import pytest
from published import FULL, PUBLISHED, R1_TEXT, published, published_r1, records, with_right_type

from qaldgen.errors import DataError
from qaldgen.features.query.query_features import (
    FeatureValue,
    QueryError,
    parse_query,
    query_features,
)

DBR = "http://dbpedia.org/resource/"

LSQ = "http://lsq.aksw.org/vocab#"
T = TypeVar("T")


def of(query: str, *names: str) -> FeatureValue | tuple[FeatureValue | None, ...]:
    """Return some features of a query; one alone as it is."""
    features = query_features(query)
    values = tuple(features.get(name) for name in names)
    return values[0] if len(values) == 1 and values[0] is not None else values


def uses(query: str) -> set[str]:
    value = query_features(query)["usesFeature"]
    assert isinstance(value, frozenset)
    return set(value)


def sample(items: Iterable[T], step: int = 10) -> list[T]:
    """Return every tenth item; all with QALDGEN_FULL=1."""
    return list(items)[:: 1 if FULL else step]


# Counts of patterns, blocks, variables


@pytest.mark.parametrize(
    ("group", "distinct", "all_", "exists", "blocks"),
    [
        ("{ }", 0, 0, 0, 0),
        ("{ ?x :p ?y }", 1, 1, 0, 1),
        ("{ ?x :p ?y ; :q ?z , ?w }", 3, 3, 0, 1),
        ("{ ?x :p ?y . ?x :p ?y }", 1, 2, 0, 1),
        ("{ ?x :p ?y . FILTER(?y > 1) ?y :q ?z }", 2, 2, 0, 1),
        ("{ ?x :p ?y BIND(1 AS ?n) ?y :q ?z }", 2, 2, 0, 2),
        ("{ { ?x :p ?y } UNION { ?x :p ?y } UNION { ?x :q ?y } }", 2, 3, 0, 3),
        ("{ ?x :p ?y OPTIONAL { ?x :q ?z } }", 2, 2, 0, 2),
        ("{ ?x :p ?y MINUS { ?x :q ?z } }", 2, 2, 0, 2),
        ("{ ?x :p ?y { ?y :q ?z } }", 2, 2, 0, 2),
        ("{ ?x :p ?y { SELECT ?y { ?y :q ?z ; :r ?w } } }", 3, 3, 0, 2),
        ("{ ?x :p ?y SERVICE <http://s> { ?y :q ?z } GRAPH ?g { ?y :r ?z } }", 3, 3, 0, 3),
        ("{ ?x :p ?y FILTER NOT EXISTS { ?x :q ?z ; :p ?w } }", 1, 3, 2, 1),
        ("{ ?x :p ?y FILTER EXISTS { { ?x :q ?z } UNION { ?x :r ?z } } }", 1, 3, 2, 1),
        ("{ ?x :p/:q* ?y . ?x :p|:q ?z }", 2, 2, 0, 1),
        ("{ ?x :p/:q ?y . ?x :p/:q ?y }", 1, 2, 0, 1),
        ("{ ?x :p [ :q ?y ] }", 2, 2, 0, 1),
        ('{ ?x :p "a"@en , "a"@de , "a" }', 3, 3, 0, 1),
    ],
)
def test_patterns_and_blocks(
    group: str, distinct: int, all_: int, exists: int, blocks: int
) -> None:
    found = of(
        f"PREFIX : <http://x.org/> SELECT * {group}",
        "tpCount",
        "tripleCountAll",
        "existsTripleCount",
        "bgpCount",
    )
    assert found == (distinct, all_, exists, blocks)


def test_patterns_in_blocks() -> None:
    names = ("tpInBgpCountMin", "tpInBgpCountMax", "tpInBgpCountMean")
    assert of("ASK { ?x ?p ?y ; ?q ?z ; ?r ?w OPTIONAL { ?x ?s ?v } }", *names) == (1, 3, 2)
    assert of("ASK { VALUES ?x { 1 } }", *names) == (None, None, None)


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("ASK { ?x ?p ?y }", 0),
        ("SELECT ?x { ?x ?p ?y }", 1),
        ("SELECT ?x (COUNT(?y) AS ?n) { ?x ?p ?y } GROUP BY ?x", 2),
        ("SELECT * { ?x ?p ?y }", 3),
        ("SELECT * { ?x ?p [ ?q ?y ] FILTER NOT EXISTS { ?y ?r ?s } }", 4),
        ("SELECT * { ?x ?p ?y MINUS { ?y ?r ?s } FILTER(?z > 1) }", 3),
        ("SELECT * { GRAPH ?g { ?x <http://p> 1 } BIND(2 AS ?y) VALUES ?z { 3 } }", 4),
        (
            (
                "SELECT * { { ?x <http://p> 1 } UNION { ?y <http://p> 1 } OPTIONAL { ?z "
                "<http://p> 1 } }"
            ),
            3,
        ),
        ("SELECT * { { SELECT ?x { ?x ?p ?y } } }", 1),
        ("SELECT * { { SELECT * { ?x ?p ?y } } }", 3),
        ("SELECT * { ?x ?p ?y FILTER NOT EXISTS { SELECT ?z { ?z ?p ?y } } }", 3),
        ("SELECT ?x { { SELECT ?x ?y { ?x ?p ?y } } }", 1),
    ],
)
def test_projected_variables(query: str, count: int) -> None:
    assert of(query, "projectVarCount") == count


def test_terms() -> None:
    names = ("variableCount", "constantCount", "literalCount")
    assert of("ASK { GRAPH ?g { } BIND(1 AS ?x) }", *names) == (2, 1, 1)
    assert of(
        "ASK { dbr:A ?p 'a', 'a', 'a'@en, ?y FILTER(?y > 3 && ?z != dbr:B) VALUES ?v { 4 UNDEF } }",
        *names,
    ) == (4, 6, 4)
    assert of("ASK { ?x dbo:p ?y FILTER NOT EXISTS { ?x dbo:q ?z , 'b' } }", *names) == (3, 1, 1)


# What LSQ records


@pytest.mark.parametrize(
    ("query", "features"),
    [
        ("ASK { ?x ?p ?y }", "Ask"),
        ("SELECT DISTINCT ?x { ?x ?p ?y }", "Select Distinct"),
        (
            "SELECT REDUCED ?x { ?x ?p ?y } ORDER BY ?x LIMIT 1 OFFSET 0",
            "Select Reduced OrderBy Limit",
        ),
        ("SELECT ?x { ?x ?p ?y } OFFSET 1", "Select Offset"),
        (
            "SELECT ?x { { ?x ?p ?y } UNION { ?y ?p ?x } OPTIONAL { ?x ?q ?z } }",
            "Select Union Optional",
        ),
        ("SELECT ?x { ?x ?p ?y MINUS { ?x ?q ?z } BIND(1 + 2 AS ?n) }", "Select Minus Bind"),
        ("SELECT ?x { { SELECT ?x { ?x ?p ?y } LIMIT 3 } }", "Select SubQuery Limit"),
        (
            "ASK { GRAPH ?g { ?x ?p ?y } SERVICE <http://s> { } VALUES ?x { 1 } }",
            "Ask NamedGraph Service Values",
        ),
        ("SELECT ?x { ?x ?p ?y } VALUES ?x { 1 }", "Select Values"),
        ("SELECT ?x { ?x ?p ?y } GROUP BY ?x", "Select GroupBy"),
        ("SELECT (COUNT(?x) AS ?n) { ?x ?p ?y }", "Select Aggregators aggcountvar"),
        (
            "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x ?p ?y }",
            "Select Aggregators aggcountvardistinct",
        ),
        (
            "SELECT (COUNT(*) AS ?n) (SUM(?x) AS ?s) { ?x ?p ?y }",
            "Select Aggregators aggcount aggsum",
        ),
        ("SELECT (GROUP_CONCAT(?x) AS ?n) { ?x ?p ?y }", "Select Aggregators agggroupconcat"),
        (
            "SELECT ?x { ?x ?p ?y } GROUP BY ?x HAVING (MAX(?y) > 1) ORDER BY MIN(DISTINCT ?y)",
            "Select GroupBy Having OrderBy Aggregators aggmax aggmindistinct",
        ),
        ("ASK { ?x dbo:p/dbo:q ?y }", "Ask TriplePath"),
        ("ASK { ?x ^dbo:p ?y }", "Ask TriplePath"),
        ("ASK { ?x !(dbo:p|^dbo:q) ?y }", "Ask TriplePath"),
        ("ASK { ?x (!(^dbo:q))/dbo:p ?y }", "Ask TriplePath"),
        ("ASK { ?x (dbo:p) ?y }", "Ask"),
        ("CONSTRUCT { ?x ?p ?y } { ?x ?p ?y }", "Construct"),
        ("DESCRIBE <http://x>", "Describe"),
    ],
)
def test_clauses(query: str, features: str) -> None:
    assert uses(query) == set(features.split())


@pytest.mark.parametrize(
    ("condition", "functions"),
    [
        ("?x = ?y", "eq"),
        ("?x != ?y || ?x < ?y", "or ne lt"),
        ("?x >= ?y && ?x <= ?y && ?x > ?y", "and ge le gt"),
        ("!(?x = ?y)", "not eq"),
        ("!bound(?x)", "not bound"),
        ("?x IN (1, 2)", "in"),
        ("?x NOT IN (1, 2)", "notin"),
        ("-?x + ?y - 1 > +?y * 2 / 3", "unaryminus add subtract gt unaryplus multiply divide"),
        ("regex(lcase(str(?x)), 'a', 'i')", "regex lcase str"),
        ("langMatches(lang(?x), 'en')", "langmatches lang"),
        ("year(now()) = xsd:integer(?y)", "eq year now function"),
        ("EXISTS { ?x ?q ?z FILTER(?z < 1) }", "exists"),
        ("NOT EXISTS { ?x ?q ?z }", "notexists"),
    ],
)
def test_functions_in_filters(condition: str, functions: str) -> None:
    names = {f"fn-{name}" for name in functions.split()}
    assert uses(f"ASK {{ ?x ?p ?y FILTER({condition}) }}") == {"Ask", "Filter", "Functions", *names}


def test_functions_elsewhere_are_not_recorded() -> None:
    query = "SELECT (STR(?x) AS ?s) { ?x ?p ?y BIND(year(?y) AS ?z) FILTER(?x) } ORDER BY lcase(?x)"
    assert uses(query) == {
        "Select", "Bind", "Filter", "OrderBy",
    }  # fmt: skip


def test_clauses_inside_exists_are_not_recorded() -> None:
    query = (
        "ASK { ?x ?p ?y FILTER NOT EXISTS { { ?x ?q ?z } UNION { "
        "?x ?q ?y } OPTIONAL { ?x ?r ?z } } }"
    )
    assert uses(query) == {"Ask", "Filter", "Functions", "fn-notexists"}
    assert of(query, "hasUnion", "hasOptional") == (False, False)


# The graph


@pytest.mark.parametrize(
    ("group", "shape"),
    [
        ("", "empty"),
        ("?a :p ?b", "edge"),
        (":a :p :b", "edge"),
        ("?a :p ?a", "edge"),
        ("?a :p ?b . ?a :p ?b", "edge"),
        ("?a :p ?b . ?b :p ?c", "chain"),
        ("?a :p ?b . ?a :p ?c", "chain"),
        ("?a :p ?b . ?b :p ?c . ?d :p ?c", "chain"),
        ("?a :p ?b ; :q ?c ; :r ?d", "star"),
        ("?a :p ?b . ?c :q ?b . ?d :r ?b", "star"),
        ("?a :p ?b ; :q ?c ; :r ?d . ?d :s ?e", "star-chain"),
        ("?a :p ?b ; :q ?c ; :r ?d . ?d :s ?e ; :t ?f", "tree"),
        ("?a :p ?b . ?b :p ?c . ?c :p ?a", "cycle"),
        ("?a :p ?b . ?a :q ?b", "cycle"),
        ("?a :p ?b . ?c :p ?d", "disconnected"),
        ("?a :p ?b . ?c :p ?d . ?d :p ?c", "disconnected"),
        ("?a :p _:b . _:b :p ?c", "chain"),
        (":a :p ?b . :a :q ?c", "chain"),
        ("?a a :C . ?b a :C", "disconnected"),
        ("?a a :C . ?a :p :C", "chain"),
        ("?a :p 1 . ?b :p 1", "disconnected"),
        ("?a ?p ?b . ?c ?p ?d", "disconnected"),
        ("?a :p ?b { ?b :p ?c } UNION { ?c :p ?b }", "chain"),
        ("{ ?b :p ?c } UNION { ?a :p ?b . ?a :q ?b }", "cycle"),
        ("?a :p ?b OPTIONAL { ?b :p ?c }", "chain"),
        ("?a :p ?b FILTER NOT EXISTS { ?b :p ?c }", "edge"),
        ("?a :p ?b MINUS { ?b :p ?c }", "edge"),
        ("{ { ?a :p ?b } UNION { ?a :q ?b } ?b :r ?c } UNION { ?a :s ?b }", "chain"),
        ("{ ?a :p ?b } UNION { ?a :q ?b } { ?a :p ?b } UNION { ?a :q ?b }", "edge"),
        ("?a :p ?b { ?a :p ?b } UNION { ?a :p ?b }", "edge"),
        ("{ ?a :p ?b } UNION { ?a :p ?b . ?b :q ?c . ?b :r ?d }", "star"),
        ("{ ?a :p ?b } UNION { { ?a :p ?b } UNION { ?b :q ?c } ?a :r ?d }", "chain"),
        ("{ } UNION { FILTER(?a) } UNION { ?a !^a :b }", "edge"),
    ],
)
def test_shape(group: str, shape: str) -> None:
    assert of(f"PREFIX : <http://x.org/> SELECT ?a {{ {group} }}", "queryShape") == shape


@pytest.mark.parametrize(
    ("group", "count", "mean", "highest", "types"),
    [
        ("?a :p ?b", 0, None, None, None),
        ("?a :p ?a", 0, None, None, None),
        (":a :p :b . :a :q :b", 0, None, None, None),
        ("?a :p ?b ; :q ?c ; :r ?d", 1, 3, 3, {"star"}),
        ("?a :p ?b . ?c :q ?b", 1, 2, 2, {"sink"}),
        ("?a :p ?b . ?b :q ?c", 1, 2, 2, {"path"}),
        ("?a :p ?b . ?b :q ?c . ?d :r ?b", 1, 3, 3, {"hybrid"}),
        ("?a ?p ?b . ?c ?p ?d", 1, 2, 2, {"sink"}),
        ("?a :p ?b ; :q ?c . ?c :r ?d ; :s ?e", 2, 2.5, 3, {"star", "hybrid"}),
        ("{ ?a :p ?b } UNION { ?a :q ?b }", 0, None, None, None),
    ],
)
def test_join_vertices(
    group: str, count: int, mean: float | None, highest: int | None, types: set[str] | None
) -> None:
    names = ("joinVertexCount", "joinVertexDegreeMean", "joinVertexDegreeMax", "joinVertexTypes")
    assert of(f"PREFIX : <http://x.org/> SELECT ?a {{ {group} }}", *names) == (
        count,
        mean,
        highest,
        types,
    )


@pytest.mark.parametrize(
    ("query", "hops", "direction"),
    [
        ("SELECT ?a { dbr:A dbo:p ?a }", 1, "object"),
        ("SELECT ?a { ?a dbo:p dbr:A }", 1, "subject"),
        ("SELECT ?a { ?a dbo:p 3 }", 1, "subject"),
        ("SELECT ?a { dbr:A dbo:p ?b . ?b dbo:q ?a }", 2, "object"),
        ("SELECT ?a { dbr:A dbo:p ?b . ?b dbo:q ?a . ?a dbo:r dbr:C }", 2, "both"),
        ("SELECT ?a { dbr:A dbo:p ?b . ?b dbo:q ?a . dbr:A dbo:r ?a }", 2, "object"),
        ("SELECT ?a { ?a a dbo:C }", 0, "none"),
        ("SELECT ?a { ?a a dbo:C ; dbo:p dbr:A }", 1, "subject"),
        ("SELECT ?a { dbr:A a ?a }", 1, "object"),
        ("SELECT ?a { ?a dbo:p ?b }", 0, "subject"),
        ("SELECT ?a { dbr:A dbo:p ?a ; dbo:q ?b . ?b dbo:r dbr:B }", 1, "object"),
        ("SELECT ?a { dbr:A dbo:p/dbo:q ?a }", 2, "object"),
        ("SELECT ?a { dbr:A ^dbo:p ?a }", 1, "subject"),
        ("SELECT ?a { dbr:A dbo:p/^dbo:q ?a }", 2, "subject"),
        ("SELECT ?a { ?a ^dbo:p/dbo:q dbr:A }", 2, "object"),
        ("SELECT ?a { dbr:A ^(dbo:p/^dbo:q) ?a }", 2, "subject"),
        ("SELECT ?a { dbr:A dbo:p*|(dbo:q/dbo:r) ?a }", 1, "object"),
        ("SELECT ?a { dbr:A !(dbo:p) ?a }", 1, "object"),
        ("SELECT ?a { wd:Q1 wdt:P31 ?a }", 1, "object"),
        ("SELECT ?a { ?a wdt:P31/wdt:P279* wd:Q5 ; wdt:P1 wd:Q1 }", 1, "subject"),
        ("SELECT ?a { wd:Q1 p:P1 [ ps:P1 ?a ; pq:P2 wd:Q2 ] }", 1, "object"),
        ("SELECT ?a { wd:Q1 p:P1/ps:P1 ?a }", 1, "object"),
        ("SELECT ?a { wd:Q1 p:P1/psv:P1/wikibase:timeValue ?a }", 1, "object"),
        ("SELECT ?a { wd:Q1 wdt:P1 ?b . ?b p:P1/ps:P1 ?a }", 2, "object"),
        # half a hop at the end, on a statement node, counts as a whole one
        ("SELECT ?a { wd:Q1 p:P1 ?a }", 1, "object"),
        ("SELECT ?a { wd:Q1 wdt:P1 ?b . ?b p:P1 ?a }", 2, "object"),
        ("SELECT ?a { wd:Q1 wdt:P1/wdt:P2 ?b . ?b p:P1 ?a }", 3, "object"),
        ("SELECT (COUNT(DISTINCT ?a) AS ?n) { ?a dbo:p dbr:A }", 1, "subject"),
        ("SELECT ?n { dbr:A dbo:p ?a BIND(year(?a) AS ?n) }", 1, "object"),
        ("SELECT ?n { { SELECT (COUNT(?a) AS ?n) { dbr:A dbo:p ?a } } }", 1, "object"),
        ("SELECT ?n { dbr:B dbo:q ?n { SELECT (MAX(?a) AS ?n) { ?a dbo:p dbr:A } } }", 1, "both"),
        ("SELECT (COUNT(*) AS ?n) { ?a dbo:p dbr:A }", 1, "none"),
        ("SELECT ?a ?b { dbr:A dbo:p ?b . ?b dbo:p ?a }", 2, "object"),
        ("SELECT ?b ?a { dbr:A dbo:p ?b . ?b dbo:p ?a }", 1, "both"),
        ("SELECT * { dbr:A dbo:p ?b . ?b dbo:p ?a }", 1, "both"),
        ("SELECT ?a { { dbr:A dbo:p ?a } UNION { ?a dbo:p dbr:A } }", 1, "both"),
        ("SELECT ?a { dbr:A dbo:p ?a FILTER NOT EXISTS { ?a dbo:q dbr:B } }", 1, "object"),
        ("ASK { dbr:A dbo:p dbr:B }", 1, "none"),
        ("ASK { dbr:A dbo:p ?x . ?x dbo:q dbr:B }", 2, "none"),
        ("ASK { dbr:A a dbo:C }", 0, "none"),
    ],
)
def test_hops_and_direction(query: str, hops: int, direction: str) -> None:
    assert of(query, "hopCount", "answerDirection") == (hops, direction)


# Yes or no


@pytest.mark.parametrize(
    ("query", "true"),
    [
        ("SELECT (COUNT(?x) AS ?n) { ?x ?p ?y }", "hasAggregation isCount"),
        ("SELECT ?x (COUNT(?y) AS ?n) { ?x ?p ?y } GROUP BY ?x", "hasAggregation"),
        (
            "SELECT ?n { { SELECT (COUNT(?x) AS ?n) { ?x ?p ?y } } }",
            "hasAggregation isCount hasSubquery",
        ),
        ("SELECT (MAX(?x) AS ?n) { ?x ?p ?y }", "hasAggregation"),
        ("SELECT ?x { ?x ?p ?y } ORDER BY ?y LIMIT 1", "isSuperlative"),
        ("SELECT ?x { ?x ?p ?y } ORDER BY ?y", ""),
        ("SELECT ?x { ?x ?p ?y } LIMIT 1", ""),
        (
            "SELECT ?x { ?x ?p ?y { SELECT ?y { ?y ?q ?z } ORDER BY ?z LIMIT 1 } }",
            "isSuperlative hasSubquery",
        ),
        ("ASK { ?x ?p ?y FILTER(?y < 3) }", "hasComparison"),
        ("ASK { ?x ?p ?y FILTER(?y >= 3) }", "hasComparison"),
        ("ASK { ?x ?p ?y FILTER EXISTS { ?y ?q ?z FILTER(?z > 1) } }", "hasComparison"),
        ("ASK { ?x ?p ?y FILTER(?y = 3) }", ""),
        ("ASK { ?x ?p ?y BIND(?y > 3 AS ?z) }", ""),
        (
            "SELECT ?x { ?x ?p ?y } GROUP BY ?x HAVING (COUNT(?y) <= 3)",
            "hasAggregation hasComparison",
        ),
        ("ASK { ?x ?p ?y FILTER(?y != 3) }", "hasNegation"),
        ("ASK { ?x ?p ?y FILTER(?y NOT IN (3)) }", "hasNegation"),
        ("ASK { ?x ?p ?y FILTER(!bound(?y)) }", "hasNegation"),
        ("ASK { ?x ?p ?y FILTER(!(bound(?y))) }", "hasNegation"),
        ("ASK { ?x ?p ?y FILTER(!EXISTS { ?y ?q ?z }) }", "hasNegation"),
        ("ASK { ?x ?p ?y FILTER(!(EXISTS { ?y ?q ?z })) }", "hasNegation"),
        ("ASK { ?x ?p ?y FILTER(!(bound(?y) || ?x = ?y)) }", ""),
        ("ASK { ?x ?p ?y FILTER(!isLiteral(?y)) }", ""),
        ("ASK { ?x ?p ?y FILTER NOT EXISTS { ?y ?q ?z } }", "hasNegation"),
        ("ASK { ?x ?p ?y FILTER EXISTS { ?y ?q ?z } }", ""),
        ("ASK { ?x ?p ?y MINUS { ?y ?q ?z } }", "hasNegation"),
        ("ASK { ?x ?p ?y FILTER regex(?y, 'a') }", "hasRegex"),
        ("ASK { ?x ?p ?y FILTER contains(?y, 'a') }", ""),
        ("ASK { ?x ?p ?y FILTER(lang(?y) = 'en') }", "hasLangFilter"),
        ("ASK { ?x ?p ?y FILTER(langMatches(?y, 'en')) }", "hasLangFilter"),
        ("ASK { { ?x ?p ?y } UNION { ?y ?p ?x } }", "hasUnion"),
        ("ASK { OPTIONAL { ?x ?p ?y } }", "hasOptional"),
        ("ASK { ?x dbo:p/dbo:q ?y }", "hasPropertyPath"),
        ("ASK { wd:Q1 p:P1 [ ps:P1 ?x ; pq:P2 ?y ] }", "hasQualifier"),
        ("ASK { wd:Q1 p:P1/pqv:P2/wikibase:timeValue ?x }", "hasQualifier hasPropertyPath"),
        ("ASK { wd:Q1 p:P1/ps:P1 ?x }", "hasPropertyPath"),
        ("ASK { ?x a dbo:C }", "hasTypeConstraint"),
        ("ASK { ?x wdt:P31 wd:Q5 }", "hasTypeConstraint"),
        ("ASK { ?x wdt:P31/wdt:P279* wd:Q5 }", "hasTypeConstraint hasPropertyPath"),
        ("ASK { ?x wdt:P1/wdt:P31 wd:Q5 }", "hasPropertyPath"),
        ("ASK { ?x ^wdt:P31 wd:Q5 }", "hasPropertyPath"),
        ("ASK { ?x a ?y }", ""),
        ("ASK { ?x wdt:P279 wd:Q5 }", ""),
        ("ASK { ?x ?p '2000'^^xsd:gYear }", "hasTemporalLiteral"),
        ("ASK { ?x ?p ?y FILTER(?y = '2000-01-01'^^xsd:date) }", "hasTemporalLiteral"),
        ("ASK { ?x ?p ?y FILTER(?y = xsd:dateTime('2000-01-01T00:00:00')) }", "hasTemporalLiteral"),
        ("ASK { ?x ?p ?y FILTER(?y = xsd:date(?x)) }", ""),
        ("ASK { ?x ?p '2000'^^xsd:integer , '2000-01-01' }", ""),
    ],
)
def test_yes_or_no(query: str, true: str) -> None:
    features = query_features(query)
    flags = {name for name, value in features.items() if value is True} - {"queryRepaired"}
    assert flags == set(true.split())


def test_denied_exists_is_two_functions_for_lsq() -> None:
    used = query_features("ASK { ?x ?p ?y FILTER(!EXISTS { ?y ?q ?z }) }")["usesFeature"]
    assert used == frozenset({"Ask", "Filter", "Functions", "fn-not", "fn-exists"})


@pytest.mark.parametrize(
    "directive",
    [
        'SERVICE wikibase:label { bd:serviceParam wikibase:language "en" }',
        'hint:Query hint:optimizer "None"',
        "hint:Prior hint:gearing 'forward'",
    ],
)
def test_what_speaks_to_the_endpoint_is_no_part_of_the_graph(directive: str) -> None:
    query = "SELECT ?x { ?x wdt:P1 wd:Q1 . ?x wdt:P2 wd:Q2 . %s }"
    with_it, without = query_features(query % directive), query_features(query % "")
    assert [with_it[name] for name in ("queryShape", "hopCount", "joinVertexCount")] == [
        "chain",
        1,
        1,
    ]
    assert (with_it["tpCount"], without["tpCount"]) == (3, 2)


def test_medians() -> None:
    found = query_features(
        "ASK { ?x dbo:a ?y ; dbo:b ?y ; dbo:c ?z OPTIONAL { ?y "
        "dbo:d ?w } OPTIONAL { ?z dbo:e ?v } }"
    )
    assert (found["tpInBgpCountMedian"], found["tpInBgpCountMean"]) == (1.0, 5 / 3)
    assert found["joinVertexDegreeMedian"] == 3.0
    assert "tpInBgpCountMedian" not in query_features("ASK { }")


def test_namespaces() -> None:
    found = query_features(
        "ASK { dbr:AC/DC dbo:genre ?g . wd:Q1 wdt:P1 '1'^^xsd:integer }".replace(
            "dbr:AC/DC", f"<{DBR}AC/DC>"
        )
    )
    assert found["namespacesUsed"] == frozenset({
        DBR, "http://dbpedia.org/ontology/", "http://www.wikidata.org/entity/",
        "http://www.wikidata.org/prop/direct/", "http://www.w3.org/2001/XMLSchema#",
    })  # fmt: skip


def test_aggregate_functions() -> None:
    assert of(
        "SELECT (COUNT(?x) AS ?n) { ?x ?p ?y } HAVING (MIN(?y) > 1)", "aggregateFunctions"
    ) == frozenset({"count", "min"})
    assert of("SELECT (GROUP_CONCAT(?x) AS ?n) { ?x ?p ?y }", "aggregateFunctions") == frozenset(
        {"group_concat"}
    )
    assert "aggregateFunctions" not in query_features("ASK { ?x ?p ?y }")


@pytest.mark.parametrize(
    ("query", "answer_type"),
    [
        ("ASK { ?x ?p ?y }", "boolean"),
        ("SELECT (COUNT(?x) AS ?n) { ?x ?p ?y }", "number"),
        ("SELECT (SUM(?x) / 2 AS ?n) { ?x ?p ?y }", "number"),
        ("SELECT ?n { { SELECT (AVG(?x) AS ?n) { ?x ?p ?y } } }", "number"),
        ("SELECT (MAX(?x) AS ?n) { ?x ?p ?y }", None),
        ("SELECT (SAMPLE(?x) AS ?n) { ?x ?p ?y }", None),
        ("SELECT ?x (COUNT(?y) AS ?n) { ?x ?p ?y } GROUP BY ?x", None),
        ("SELECT ?x { ?x ?p ?y } GROUP BY ?x ORDER BY COUNT(?y)", None),
    ],
)
def test_answer_type(query: str, answer_type: str | None) -> None:
    assert query_features(query).get("answerType") == answer_type


@pytest.mark.parametrize(
    ("query", "graph"),
    [
        ("ASK { dbr:A dbo:p ?x }", "dbpedia"),
        ("ASK { <http://de.dbpedia.org/resource/A> foaf:name ?x }", "dbpedia"),
        ("ASK { wd:Q1 wdt:P1 ?x }", "wikidata"),
        ("ASK { ns:m.1 ns:a.b ?x }", "freebase"),
        ("ASK { dbr:A owl:sameAs wd:Q1 . wd:Q1 wdt:P1 ?x }", "wikidata"),
        ("ASK { ?x foaf:name ?y }", "other"),
        ("ASK { ?x ?p ?y }", "other"),
    ],
)
def test_knowledge_graph(query: str, graph: str) -> None:
    assert of(query, "knowledgeGraph") == graph


def test_form_and_repair() -> None:
    assert of("SELECT ?x { ?x ?p ?y }", "queryForm", "queryRepaired", "repairKinds") == (
        "select",
        False,
        frozenset(),
    )
    assert of("ASK { ?x a dbo:C }", "queryForm", "queryRepaired", "repairKinds") == (
        "ask",
        True,
        frozenset({"undeclared-prefix"}),
    )


def test_a_parsed_query_gives_the_same() -> None:
    query = "SELECT COUNT(?x) { ?x a dbo:C }"
    assert query_features(parse_query(query)) == query_features(query)


def test_wrong_iri_of_a_type_is_none() -> None:
    query = "SELECT ?x { ?x <https://www.w3.org/1999/02/22-rdf-syntax-ns#type> dbo:C }"
    assert query_features(query)["hasTypeConstraint"] is False


@pytest.mark.parametrize(
    "query",
    [
        "",
        "OUT OF SCOPE",
        "SELECT ?x { ?x ?p",
        "INSERT DATA { <a> <b> <c> }",
        'ASK { ?x text:"a" ?y }',
    ],
)
def test_unreadable_query(query: str) -> None:
    with pytest.raises(QueryError) as caught:
        query_features(query)
    assert isinstance(caught.value, (ValueError, DataError))
    assert len(str(caught.value).splitlines()) == 1
    assert "  " not in str(caught.value)


def test_query_with_an_unknown_prefix_has_its_structure() -> None:
    declared = (
        "SELECT (COUNT(?x) AS ?n) { ?x nobody:knows/nobody:likes nobody:Ann ; a :Person FILTER(?x"
        " != nobody:Bob) }"
    )
    known = query_features("PREFIX nobody: <http://x.org/> PREFIX : <http://x.org/> " + declared)
    unknown = query_features(declared)
    changed = {name for name in known if known[name] != unknown.get(name)}
    assert changed == {"queryRepaired", "repairKinds", "namespacesUsed", "knowledgeGraph"}
    assert unknown["repairKinds"] == frozenset({"unknown-prefix"})


def test_unknown_prefix_is_no_known_namespace() -> None:
    found = query_features(
        "ASK { ?x nobody:knows dbr:A ; a nobody:Person ; nobody:likes nobody:B }"
    )
    assert (found["namespacesUsed"], found["knowledgeGraph"]) == (frozenset({DBR}), "dbpedia")
    assert "knowledgeGraph" not in query_features("ASK { ?x nobody:knows nobody:A }")


def test_odd_literals_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    query_features("ASK { ?x ?p 'soon'^^xsd:date , 'many'^^xsd:integer }")
    assert not caplog.records


# Published data


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_queries_have_features(name: str) -> None:
    for _, query, _ in sample(records(name)):
        assert query_features(query)["tpCount"] is not None


def test_published_r1_has_the_same_figures() -> None:
    names = {"tpCount": "tps", "bgpCount": "bgps", "projectVarCount": "projectVars"}
    questions = published_r1(R1_TEXT, f"{LSQ}usesFeature", *(LSQ + old for old in names.values()))
    differences: Counter[tuple[frozenset[str], frozenset[str]]] = Counter()
    for values in sample(questions.values()):
        features = query_features(with_right_type(values[R1_TEXT][0]))
        assert {old: features[new] for new, old in names.items()} == {
            old: int(values[LSQ + old][0]) for old in names.values()
        }
        published_features = frozenset(
            value.removeprefix(LSQ) for value in values[f"{LSQ}usesFeature"]
        )
        assert isinstance(features["usesFeature"], frozenset)
        differences[
            published_features - features["usesFeature"],
            features["usesFeature"] - published_features,
        ] += 1
    known = {
        (frozenset({"GroupBy"}), frozenset[str]()): 681,
        (frozenset[str](), frozenset({"Having"})): 5,
    }
    assert differences.keys() - {(frozenset(), frozenset())} <= known.keys()
    assert not FULL or all(differences[kind] == number for kind, number in known.items())


@pytest.mark.parametrize(("oracle", "parts"), [
    ("lc-quad", {"": "lc-quad/train-data.json", " ": "lc-quad/test-data.json"}),
    ("qald-9",
        {"train": "qald/qald-9-train-multilingual.json",
            "test": "qald/qald-9-test-multilingual.json"}),
])  # fmt: skip
def test_counts_equal_those_of_jena(oracle: str, parts: dict[str, str]) -> None:
    with published(f"oracles/jena-counts-{oracle}.tsv").open(encoding="utf-8") as file:
        rows = {
            row["id"]: row for row in csv.DictReader(file, delimiter="\t") if row["status"] == "OK"
        }
    compared = 0
    for part, name in parts.items():
        for number, query, _ in sample(
            record for record in records(name) if part.strip() + record[0] in rows
        ):
            row, features = rows[part.strip() + number], query_features(query)
            outside = int(str(features["tripleCountAll"])) - int(str(features["existsTripleCount"]))
            found = [
                outside,
                *(features[key] for key in ("tpCount", "bgpCount", "projectVarCount")),
            ]
            assert found == [
                int(row[key]) for key in ("patterns", "distinct_patterns", "blocks", "project_vars")
            ], number
            compared += 1
    assert compared == len(rows) if FULL else compared > 50


def test_shape_and_hops_are_those_of_the_template() -> None:
    found: defaultdict[str, set[tuple[FeatureValue, FeatureValue]]] = defaultdict(set)
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for part in ("train", "test"):
        for _, query, record in records(f"lc-quad/{part}-data.json"):
            groups[str(record["sparql_template_id"])].append(query)
    for template, queries in groups.items():
        for query in sample(queries):
            features = query_features(query)
            found[template].add((features["queryShape"], features["hopCount"]))
    assert len(found) == 38
    assert {template: kinds for template, kinds in found.items() if len(kinds) > 1} == {}


def test_features_agree_with_the_tags_of_rubq() -> None:
    checked = Counter[str]()
    wanted = ("count", "ranking", "reverse", "exclusion", "qualifier", "multi-hop")
    questions = [
        (query, str(record["tags"])) for _, query, record in records("rubq/RuBQ_2.0_dev.json")
    ]
    for query, tags in [q for q in questions if any(tag in q[1] for tag in wanted)] + sample(
        questions
    ):
        features = query_features(query)
        assert features["isCount"] == ("count" in tags)
        assert features["isSuperlative"] == ("ranking" in tags)
        assert features["hasNegation"] == ("exclusion" in tags)
        assert features["hasQualifier"] == ("qualifier" in tags)
        assert features["answerDirection"] in {"subject", "both"} or "reverse" not in tags
        assert int(str(features["hopCount"])) > 1 or "multi-hop" not in tags
        checked.update(tag for tag in wanted if tag in tags)
    assert all(checked[tag] for tag in wanted)
