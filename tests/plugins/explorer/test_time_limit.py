"""Queries end when their time is over, and nothing of them is left."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

import pytest
from pyoxigraph import Literal, NamedNode, Quad

from qaldgen.errors import DataError, UsageError
from qaldgen.plugins.explorer import time_limit
from qaldgen.plugins.explorer.time_limit import TimedStore, run_within
from qaldgen.stores.local import open_quads

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot copy processes")


@pytest.fixture
def store() -> TimedStore:
    quads = [Quad(NamedNode(f"urn:{n}"), NamedNode("urn:n"), Literal(n)) for n in range(300)]
    return TimedStore(open_quads("numbers", quads), 20.0)


def test_answers_are_those_of_the_store(store: TimedStore) -> None:
    rows = store.select("SELECT ?s ?n { ?s <urn:n> ?n } ORDER BY ?n LIMIT 2")
    assert rows.variables == ("s", "n")
    assert rows.rows == [(NamedNode("urn:0"), Literal(0)), (NamedNode("urn:1"), Literal(1))]
    assert store.ask("ASK { <urn:7> ?p ?o }")
    assert store.name == "numbers"
    assert len(store.triples(["urn:7"])) == 1


@forks
def test_a_query_ends_with_its_time_and_its_process_with_it(
    store: TimedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    children: list[int] = []

    own = threading.get_ident()

    def recorded(fork: Callable[[], int] = os.fork) -> int:
        child = fork()
        # a server that another test left in this process may fork meanwhile
        if threading.get_ident() == own:
            children.append(child)
        return child

    monkeypatch.setattr(os, "fork", recorded)
    store.seconds = 0.3
    begin = time.monotonic()
    with pytest.raises(UsageError, match=r"more than 0\.3 seconds"):
        store.select("SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }")
    assert time.monotonic() - begin < 10
    (child,) = children
    with pytest.raises(ChildProcessError):
        os.waitpid(child, os.WNOHANG)


@pytest.mark.parametrize(
    "query", ["SELECT ?s { ?s", "ASK { ?s ?p ?o }", "SELECT * { SERVICE <urn:x> { ?s ?p ?o } }"]
)
def test_refusals_are_those_of_the_store(store: TimedStore, query: str) -> None:
    with pytest.raises(UsageError) as of_store:
        open_quads("x", [Quad(NamedNode("urn:a"), NamedNode("urn:b"), Literal(1))]).select(query)
    with pytest.raises(UsageError) as ours:
        store.select(query)
    assert str(ours.value) == str(of_store.value)


def test_too_many_rows_are_refused(store: TimedStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_limit, "MAX_ROWS", 1000)
    with pytest.raises(UsageError, match="more than 1,000 rows"):
        store.select("SELECT * { ?a ?b ?c . ?d ?e ?f }")


def _refuse() -> None:
    raise DataError("has no id", where=("set.json", "record 2"))


def test_errors_keep_their_kind_and_place() -> None:
    with pytest.raises(DataError, match=r"set\.json: record 2: has no id"):
        run_within(5.0, _refuse)


@forks
def test_what_fails_otherwise_is_told_by_its_kind() -> None:
    with pytest.raises(UsageError, match="ZeroDivisionError"):
        run_within(5.0, lambda: 1 // 0)
