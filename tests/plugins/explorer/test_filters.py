"""Filters as SPARQL: what is added restricts, and leaves the rest of a query alone."""

from __future__ import annotations

import pytest
from pyoxigraph import Literal, NamedNode, Quad

from qaldgen.errors import UsageError
from qaldgen.plugins.explorer.filters import PropertyFilter, restrict_query, select_only
from qaldgen.rdf.terms import QALDGEN, XSD
from qaldgen.sparql.clauses import find_question_variable
from qaldgen.sparql.ready_queries import read_query, ready_queries
from qaldgen.stores.local import LocalStore, check_syntax, open_quads

N = "urn:n"


def whole(number: int) -> Literal:
    return Literal(str(number), datatype=NamedNode(XSD + "integer"))


@pytest.fixture(scope="module")
def store() -> LocalStore:
    quads = [Quad(NamedNode(f"urn:{n}"), NamedNode(N), whole(n)) for n in range(10)]
    odd = NamedNode("urn:odd")
    quads += [
        Quad(NamedNode(f"urn:{n}"), odd, Literal('it\'s "odd"\n' if n % 2 else "even"))
        for n in range(10)
    ]
    return open_quads("numbers", quads)


def selected(store: LocalStore, query: str) -> set[str]:
    check_syntax(query)
    rows = store.select(query)
    at = rows.variables.index(find_question_variable(query))
    return {str(getattr(row[at], "value", "")) for row in rows.rows}


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?qId ?n { ?qId <urn:n> ?n }",
        "SELECT * WHERE { ?qId <urn:n> ?n }",
        "SELECT ?n ?qid { ?qid <urn:n> ?n . }",
        "SELECT ?q ?filter1 { ?q <urn:n> ?filter1 # }\n}",
        "SELECT ?q (MAX(?n) AS ?m) { ?q <urn:n> ?n } GROUP BY ?q",
        "SELECT ?q ?n { { ?q <urn:n> ?n } UNION { ?q <urn:none> ?n } } ORDER BY ?n LIMIT 99",
        "SELECT ?q ?n { ?q <urn:n> ?n OPTIONAL { ?q <urn:none> ?o } } VALUES ?n { 3 4 9 }",
        "SELECT ?q ?n { SELECT ?q ?n { ?q <urn:n> ?n } }",
        "PREFIX : <urn:> SELECT DISTINCT ?q ?n\nFROM <urn:g> WHERE {\n  ?q :n ?n\n}",
    ],
)
def test_a_filter_leaves_what_it_says(store: LocalStore, query: str) -> None:
    text = restrict_query(query, [PropertyFilter(N, whole(3), whole(4))])
    if "FROM" in query:
        check_syntax(text)
        assert "FROM <urn:g>" in text
    else:
        assert selected(store, text) == {"urn:3", "urn:4"}


def test_values_are_taken_as_they_are(store: LocalStore) -> None:
    query = "SELECT ?qId ?n { ?qId <urn:n> ?n }"
    odd = PropertyFilter("urn:odd", values=(Literal('it\'s "odd"\n'),))
    assert selected(store, restrict_query(query, [odd, PropertyFilter(N, whole(0), whole(4))])) == {
        "urn:1",
        "urn:3",
    }


def test_no_filter_no_change() -> None:
    assert (
        restrict_query("SELECT ?qId ?n { ?qId <urn:n> ?n }", [])
        == "SELECT ?qId ?n { ?qId <urn:n> ?n }"
    )


@pytest.mark.parametrize("name", ready_queries())
def test_ready_queries_can_be_filtered(name: str) -> None:
    query = read_query(name).text
    check_syntax(restrict_query(query, [PropertyFilter(f"{QALDGEN}length", whole(3), whole(3))]))
    check_syntax(select_only(query, ["urn:a", "urn:b"]))
    assert "qaldgen:length ?filter1 . FILTER (?filter1 = 3)" in restrict_query(
        query, [PropertyFilter(f"{QALDGEN}length", whole(3), whole(3))]
    )


def test_only_some_questions(store: LocalStore) -> None:
    query = select_only("SELECT ?qId ?n { ?qId <urn:n> ?n }", ["urn:2", "urn:7", "urn:none"])
    assert selected(store, query) == {"urn:2", "urn:7"}


@pytest.mark.parametrize("query", ["ASK { ?s ?p ?o }", "SELECT", "DROP ALL"])
def test_what_is_no_select_is_refused(query: str) -> None:
    with pytest.raises(UsageError):
        restrict_query(query, [PropertyFilter(N, whole(1), whole(1))])
