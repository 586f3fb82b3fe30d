"""Conditions that people write: read, as a mask, and as part of a query."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyoxigraph import Literal, NamedNode, Quad

import qaldgen as qg
from qaldgen.benchmark.rebuild import rebuild
from qaldgen.benchmark.signature import parse_signature
from qaldgen.errors import DataError, UsageError
from qaldgen.io.notes import collecting
from qaldgen.rdf.terms import CODES, LSQ, QALDGEN
from qaldgen.selection.select import select
from qaldgen.selection.where import conditions_of, parse_conditions, restrict, rows_fulfilling
from qaldgen.sparql.ready_queries import read_query, ready_queries
from qaldgen.stores.local import LocalStore, check_syntax, open_quads

Call = Callable[..., Any]
Refused = Callable[..., str]
KINDS = ["date", "number", "resource"]
#: A question of each number: its triple patterns, answer type, level, and operators, if any.
TABLE = pd.DataFrame(
    {
        "tps": range(1, 13),
        "answerType": [KINDS[n % 3] for n in range(12)],
        "isCount": [n % 4 == 0 for n in range(12)],
        "my level": ["very hard" if n % 2 else "easy" for n in range(12)],
        "mark": [frozenset({"a", "b"}) if n % 2 else frozenset({"b"}) for n in range(12)],
        "rare": [{3: 7, 5: 8}.get(n) for n in range(12)],
    }
)
#: Conditions that every way of asking must answer alike.
CONDITIONS = [
    "tps > 2",
    "tps <= 2.5",
    "tps = 3|5",
    "tps != 3|5",
    "tpCount >= 4",
    "answerType = date",
    "answerType = date | number",
    "answerType != date",
    "isCount = true",
    "isCount != true",
    "mark = a",
    "mark != a",
    "rare = 7",
    "rare != 7",
    "rare != 8",
    "rare > 6 and tps < 9",
]


def store(*, published: bool) -> LocalStore:
    """Return the table as RDF, with the names and terms of our data or the published ones."""
    quads = []

    def add(number: int, property_: str, value: NamedNode | Literal) -> None:
        quads.append(Quad(NamedNode(f"urn:q:{number}"), NamedNode(property_), value))

    for number, row in TABLE.iterrows():
        kind = row["answerType"]
        at = int(str(number))
        add(at, QALDGEN + "length", Literal(5 + at))
        add(at, LSQ + ("tps" if published else "tpCount"), Literal(int(row["tps"])))
        code = NamedNode(f"{CODES}answerType/{kind}")
        add(at, QALDGEN + "answerType", Literal(kind) if published else code)
        add(at, QALDGEN + "isCount", Literal(bool(row["isCount"])))
        for mark in row["mark"]:
            add(at, "http://x.org/own#mark", Literal(mark))
        if row["rare"] > 0:
            add(at, "http://x.org/own#rare", Literal(int(row["rare"])))
    return open_quads("table", quads)


QUERY = f"SELECT ?qId ?length {{ ?qId <{QALDGEN}length> ?length }}"


@pytest.mark.parametrize("published", [False, True])
@pytest.mark.parametrize("text", CONDITIONS)
def test_query_and_mask_agree(text: str, published: bool) -> None:
    found = select(store(published=published), QUERY, where=[text]).ids
    wanted = TABLE.index[rows_fulfilling(TABLE, parse_conditions(text))]
    assert list(found) == [f"urn:q:{n}" for n in wanted]
    assert 0 < len(found) < len(TABLE)


@pytest.mark.parametrize("name", ["steps", "kind"])
def test_variables_of_the_query_are_names(name: str) -> None:
    query = f"SELECT ?qId ?steps {{ ?qId <{LSQ}tpCount> ?steps ; <{QALDGEN}answerType> ?kind }}"
    text = {"steps": "steps > 9", "kind": "kind != date|number"}[name]
    same = {"steps": "tps > 9", "kind": "answerType = resource"}[name]
    source = store(published=False)
    assert select(source, query, where=[text]).ids == select(source, query, where=[same]).ids


def test_several_conditions_hold_at_once() -> None:
    source = store(published=False)
    found = select(source, QUERY, where=["tps > 2", "answerType = date"])
    assert found.ids == select(source, QUERY, where=["tps > 2 and answerType = date"]).ids
    assert found.ids == ("urn:q:3", "urn:q:6", "urn:q:9")


@pytest.mark.parametrize("name", ready_queries())
def test_ready_queries_take_conditions(name: str) -> None:
    source = store(published=False)
    query = restrict(read_query(name), ["tps > 2", "answerType = date"], source)
    check_syntax(query.text)
    assert conditions_of(query.text) == ["tps > 2", "answerType = date"]
    assert restrict(query, ["answerType = date"], source) == query


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("tps>2", "tps > 2"),
        ('  "tps"  =  "3" ', "tps = 3"),
        ('"my level" = "very hard"', '"my level" = "very hard"'),
        ('note = "a and b"', 'note = "a and b"'),
        (r'note = "say \"so\""', r'note = "say \"so\""'),
        ("level = very hard", 'level = "very hard"'),
        ("kind = a | b|c", "kind = a|b|c"),
        ("lsq:tps >= -2.5", "lsq:tps >= -2.5"),
    ],
)
def test_a_condition_is_written_as_it_is_read(text: str, written: str) -> None:
    (condition,) = parse_conditions(text)
    assert str(condition) == written
    assert parse_conditions(written) == (condition,)


@pytest.mark.parametrize(
    "text",
    ["", "tps", "tps >", "> 2", "tps => 2", "tps > two", "tps > 2|3", "a = b = c", " = 3", '= ""'],
)
def test_what_is_no_condition_is_refused(text: str, refused: Refused) -> None:
    said = refused(lambda: parse_conditions(text), UsageError)
    assert "'" in said


def test_an_unknown_name_is_refused_with_a_hint(refused: Refused) -> None:
    said = refused(lambda: select(store(published=False), QUERY, where=["marc = a"]), UsageError)
    assert "marc = a" in said
    assert "did you mean mark?" in said
    refused(lambda: rows_fulfilling(TABLE, parse_conditions("marc = a")), UsageError)


def test_an_unknown_name_like_no_other_leads_to_describe(refused: Refused) -> None:
    said = refused(lambda: select(store(published=False), QUERY, where=["zzz = a"]), UsageError)
    assert said.endswith("no question has 'zzz'; see what there is with 'qaldgen describe'")


def test_conditions_are_read_before_the_data(refused: Refused) -> None:
    said = refused(lambda: select("no-such-file.ttl", QUERY, where=["tps"]), UsageError)
    assert "is no condition" in said


def test_a_condition_that_nothing_fulfils_is_named(refused: Refused) -> None:
    source = store(published=False)
    said = refused(lambda: select(source, QUERY, where=["answerType = dates"]), DataError)
    assert "answerType = dates" in said
    assert "date (4)" in said


def test_a_sample_with_conditions_is_rebuilt_from_its_signature(tmp_path: Path) -> None:
    questions = [{"question": f"What is {'x' * n} {n}?", "level": f"l {n % 2}"} for n in range(60)]
    graph = qg.annotate(questions).store()
    vectors = select(graph, where=["charCount > 20", "informationSought != person"])
    made = qg.sample(vectors, 10, random_state=3)
    assert "|where:charCount > 20 and informationSought != person|" in made.signature
    assert parse_signature(made.signature).where
    with collecting() as notes:
        again, _ = rebuild(graph, made.signature)
    assert (again, list(notes)) == (made, [])
    made.save(tmp_path / "bench.ttl")
    from_file, _ = rebuild(graph, str(tmp_path / "bench.ttl"))
    from_file.save(tmp_path / "again.ttl")
    assert (tmp_path / "again.ttl").read_bytes() == (tmp_path / "bench.ttl").read_bytes()


def test_the_command_line_takes_conditions(call: Call, tmp_path: Path) -> None:
    asked = tmp_path / "asked.csv"
    lines = [f"Where is {'x' * n} now?,a" for n in range(1, 41)]
    asked.write_text("\n".join(["question,answers", *lines]) + "\n", encoding="utf-8")
    bench = tmp_path / "bench.ttl"
    made = call("sample", asked, "-n", 5, "--where", "charCount > 30", "-o", bench)
    assert "24 questions" in made.out
    assert "|where:charCount > 30|" in made.out
    assert re.search(
        r"^diversity D = 0\.\d{3}, .* random samples of its size \(0\.\d{3} \+- 0\.\d{3}\)",
        made.out,
        re.M,
    )
    signature = made.out.split("signature: ")[1].strip()
    again = call("sample", asked, "--from-signature", signature, "-o", tmp_path / "again.ttl")
    assert again.code == 0
    assert (tmp_path / "again.ttl").read_bytes() == bench.read_bytes()
    twice = call("sample", asked, "--from-signature", signature, "--where", "charCount > 9")
    assert "--where has no effect here" in twice.err
    said = call("select", asked, "--where", "charCount > 30", "--dropped")
    assert "24 of 40 questions satisfy" in said.out
    assert "tps two" in call("select", "none.csv", "--where", "tps two").err
