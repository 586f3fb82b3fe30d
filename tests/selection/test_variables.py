"""What people call the variables of a query."""

from __future__ import annotations

import numpy as np
import pytest

from qaldgen.selection.variables import column_labels, features_of_variables
from qaldgen.selection.vectors import Vectors
from qaldgen.sparql.ready_queries import Query, read_query, ready_queries

PREFIXES = (
    "PREFIX qaldgen: <http://qald-gen.aksw.org/vocab#> PREFIX lsq: <http://lsq.aksw.org/vocab#> "
)


def vectors(query: str, *names: str) -> Vectors:
    raw = np.ones((1, len(names)))
    return Vectors(("urn:a",), names, raw, raw, "max", query=Query("mine", PREFIXES + query))


@pytest.mark.parametrize(
    "where",
    [
        "?qId lsq:tpCount ?n",
        "?qId <http://lsq.aksw.org/vocab#tpCount> ?n .",
        "?qId lsq:bgpCount ?b ; lsq:tpCount ?n .",
        "OPTIONAL { ?qId lsq:tpCount ?n }",
        "OPTIONAL { ?qId lsq:tpCount ?t } BIND (COALESCE(?t, 0) AS ?n)",
        "{ SELECT ?qId ?n { { ?qId lsq:tpCount ?n } } }",
        "GRAPH ?g { ?qId lsq:tpCount ?n }",
        "?qId lsq:tps ?n",
    ],
)
def test_a_variable_is_called_by_the_feature_it_holds(where: str) -> None:
    found = column_labels(vectors(f"SELECT ?qId ?n {{ {where} }}", "n"))
    assert found == ["number of triple patterns"]


@pytest.mark.parametrize(
    "where",
    [
        "?qId lsq:tpCount ?t BIND (?t * 2 AS ?manyThings)",
        "?qId lsq:tpCount ?t ; lsq:bgpCount ?b BIND (COALESCE(?t, ?b) AS ?manyThings)",
        "?qId lsq:tpCount ?t BIND (COALESCE(?t + 1, 0) AS ?manyThings)",
        "?other lsq:tpCount ?manyThings",
        "?qId lsq:x/lsq:tpCount ?manyThings",
        "?qId unknown:tpCount ?manyThings",
        "?qId lsq:tpCount",
    ],
)
def test_a_variable_with_a_meaning_of_its_own_keeps_its_name(where: str) -> None:
    found = column_labels(vectors(f"SELECT ?qId ?manyThings {{ {where} }}", "manyThings"))
    assert found == ["manyThings"]


def test_values_of_a_category_are_called_as_in_the_catalogue() -> None:
    found = vectors("SELECT ?qId ?k { ?qId qaldgen:whType ?k }", "k=yes-no", "k=how-many")
    assert column_labels(found) == ["asks yes or no", 'the question says "how many"']


def test_columns_of_one_feature_are_told_apart_by_their_variables() -> None:
    query = "SELECT ?qId ?a ?b { ?qId lsq:tpCount ?a . ?qId lsq:tps ?b }"
    assert column_labels(vectors(query, "a", "b")) == [
        "number of triple patterns (?a)",
        "number of triple patterns (?b)",
    ]


@pytest.mark.parametrize("name", ready_queries())
def test_variables_of_ready_queries_are_understood(name: str) -> None:
    assert len(features_of_variables(read_query(name))) > 1


@pytest.mark.parametrize("depth", [3, 300])
def test_deep_groups_end(depth: int) -> None:
    query = f"SELECT ?qId ?n {{ {'{' * depth} ?qId lsq:tpCount ?n {'}' * depth} }}"
    found = column_labels(vectors(query, "n"))
    assert found == (["number of triple patterns"] if depth < 6 else ["n"])
