"""However deep or long a query is, the process lives: it is refused by a rule, or it runs.

Each test has a process of its own.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from deep_queries import KINDS
from pyoxigraph import NamedNode, Quad

from qaldgen.errors import UsageError
from qaldgen.features.query.query_features import QueryError, query_features
from qaldgen.sparql.safety import (
    MAX_DEPTH,
    MAX_STEPS,
    MAX_TOKENS,
    QuerySize,
    query_size,
    size_problem,
)
from qaldgen.sparql.tokens import tokenize
from qaldgen.stores.local import MAX_JOINED, check_syntax, open_quads

Refused = Callable[..., str]
ROOT = Path(__file__).resolve().parent.parent.parent

DEEP = """
from deep_queries import KINDS
from qaldgen.stores.local import check_syntax
from qaldgen.errors import QaldgenError
for make in KINDS.values():
    try:
        check_syntax(make(3_000))
    except QaldgenError:
        pass
print("alive")
"""
#: As large as is allowed, where the engine needs most of its stack for it.
LARGEST = {
    "not": 1900, "minuses": 1900, "binds": 1900, "columns": 1900, "unions": 1900,
    "alternatives": 3900, "steps": 100, "nested-exists": 60, "nested-optionals": 60,
    "nested-selects": 30, "all-levels": 60, "functions": 60, "conditions": 60,
}  # fmt: skip
LARGE = f"""
import threading
from deep_queries import KINDS
from pyoxigraph import NamedNode, Quad
from qaldgen.features.query.query_features import query_features
from qaldgen.stores.local import open_quads
store = open_quads("graph", [Quad(*map(NamedNode, ("urn:s", "urn:p", "urn:o")))])
def work():
    for kind, size in {LARGEST!r}.items():
        store.select(KINDS[kind](size))
        query_features(KINDS[kind](size))
    print("alive")
threading.stack_size(512 * 1024)
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""
VERBS = """
import json
from pathlib import Path
from click.testing import CliRunner
from deep_queries import KINDS
from qaldgen.cli.main import cli
sizes = {"sums": 3_000, "or": 3_000, "not": 3_000, "unions": 3_000, "steps": 3_000}
queries = {kind: KINDS[kind](size) for kind, size in sizes.items()}
asked = [{"id": kind, "text": "Who?", "sparql": query} for kind, query in queries.items()]
answered = [{"id": kind, "answers": ["a"], "query": query} for kind, query in queries.items()]
Path("q.json").write_text(json.dumps(asked))
Path("run.jsonl").write_text("\\n".join(map(json.dumps, answered)))
Path("graph.ttl").write_text("<urn:s> <urn:p> <urn:o> .")
Path("deep.rq").write_text(queries["not"])
for words in (
    "check q.json --kg graph.ttl",
    "annotate q.json --lang xx --kg graph.ttl -o out.ttl --no-cache",
    "select graph.ttl -q deep.rq",
    "score q.json run.jsonl --by tpCount",
):
    print(CliRunner().invoke(cli, words.split()).output)
print("alive")
"""


def run(script: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        cwd=folder,
        env={
            "PYTHONPATH": f"{ROOT}:{ROOT / 'tests/support'}",
            "PATH": "/usr/bin:/bin",
            "QALDGEN_CACHE": str(folder),
        },
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("script", [DEEP, LARGE], ids=["deep", "largest"])
def test_process_survives(tmp_path: Path, script: str) -> None:
    assert "alive" in run(script, tmp_path)


def test_verbs_say_the_rule(tmp_path: Path) -> None:
    said = run(VERBS, tmp_path)
    assert "alive" in said
    assert f"at most {MAX_STEPS:,} are allowed" in said
    assert "5 of 5 queries cannot be parsed" in said


# --- the rules ----------------------------------------------------------------------------------


def test_size_of_a_query() -> None:
    for query, size in [
        ("ASK { }", (3, 1, 1)),
        ("ASK { FILTER(?a || ?b && !?c) }", (14, 5, 2)),
        ("ASK { FILTER(1 - 1 = -1) }", (12, 3, 2)),
        ("ASK { FILTER(1 -1 -1) }", (11, 4, 2)),
        ("ASK { ?a ?b 'c'^^<urn:d> , -1 }", (12, 1, 1)),
        ("ASK { VALUES (?a ?b) { (1 -2) ('c'^^<urn:d> UNDEF) } }", (9, 3, 3)),
        ("ASK { VALUES ?a { <urn:a> <urn:b> } ?a ?b ?c }", (9, 2, 2)),
        ("ASK { << ?a ?b ?c >> ?d ?e }", (12, 3, 1)),
        ("ASK { ?a <urn:b>/^<urn:c>* ?d }", (10, 4, 1)),
        ("ASK { # ((((\n ?a ?b '((((' }", (6, 1, 1)),
    ]:
        assert query_size(tokenize(query)) == QuerySize(*size)


def test_data_and_lists_are_not_limited() -> None:
    for kind, size in (("values", 8_000), ("rows", 8_000), ("in", 5_000)):
        query = KINDS[kind](size)
        assert size_problem(tokenize(query)) is None
        check_syntax(query)
        assert query_features(query)["literalCount"] == {"values": 0, "rows": 1, "in": 5_000}[kind]


@pytest.mark.parametrize(
    ("kind", "most"),
    [
        ("nested-groups", MAX_DEPTH),
        ("sums", MAX_STEPS - 3),
        ("unions", MAX_STEPS - 2),
        ("semicolons", MAX_TOKENS - 7),
    ],
)
def test_rule_ends_where_it_says(refused: Refused, kind: str, most: int) -> None:
    check_syntax(KINDS[kind](most))
    query_features(KINDS[kind](most))
    message = refused(lambda: check_syntax(KINDS[kind](most + 1)), UsageError)
    assert "are allowed" in message
    with pytest.raises(QueryError) as caught:
        query_features(KINDS[kind](most + 1))
    assert str(caught.value) == message


def test_many_patterns_are_parsed_and_have_features_but_are_not_run(refused: Refused) -> None:
    store = open_quads("graph", [Quad(NamedNode("urn:s"), NamedNode("urn:p"), NamedNode("urn:o"))])
    query = KINDS["patterns"](4_000)
    check_syntax(query)
    assert query_features(query)["tripleCountAll"] == 4_000
    message = refused(lambda: store.select(query), UsageError)
    assert "the query joins 4,000 patterns" in message
    assert f"at most {MAX_JOINED} in one group" in message


@pytest.mark.parametrize("size", [90, 250, 400])
def test_long_query_has_its_features(size: int) -> None:
    found = query_features(KINDS["chain"](size))
    assert (found["tpCount"], found["queryShape"], found["joinVertexCount"]) == (
        size,
        "chain",
        size - 1,
    )


def test_hops_of_a_huge_query_are_not_counted() -> None:
    assert query_features(KINDS["star"](500))["hopCount"] == 2
    assert "hopCount" not in query_features(KINDS["star"](501))
