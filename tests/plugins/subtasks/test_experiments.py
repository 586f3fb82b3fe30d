"""What queries name: GERBIL's sub-experiments."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from qaldgen.answers.reading import read_run
from qaldgen.answers.record import Response, Run
from qaldgen.model import Question
from qaldgen.plugins.subtasks.experiments import query_markings, sub_experiments
from qaldgen.questions.reading import read_questions
from qaldgen.scoring.counts import Count
from qaldgen.scoring.gerbil.answers import match_known

DBR, XSD = "http://dbpedia.org/resource/", "http://www.w3.org/2001/XMLSchema#"
CASES = [
    *(f"{system}.none" for system in ("allwrong", "constant42", "extended")),
    *(
        f"{system}.{same_as}"
        for system in ("empty", "mixed", "noisy", "perfect")
        for same_as in ("none", "offline")
    ),
]


def test_what_a_query_names_equals_gerbils_reading(shared_data: Path) -> None:
    path = shared_data / "oracles" / "gerbil" / "sparql_cases.json"
    if not path.is_file():
        pytest.skip(f"GERBIL's readings of queries are not at {path}")
    cases = json.loads(path.read_text(encoding="utf-8"))
    for case in cases:
        found = query_markings(case["sparql"])
        wanted = [next(iter(marking.items())) for marking in case["markings"]]
        assert list(found.concepts) == [
            (iri, kind == "Property") for kind, iri in wanted if kind != "Relation"
        ], case["sparql"]
        assert [list(relation) for relation in found.relations] == [
            parts for kind, parts in wanted if kind == "Relation"
        ]
    assert len(cases) > 900


@pytest.mark.parametrize("folder", ["results", "results_before_2024_09"])
@pytest.mark.parametrize("case", CASES)
def test_sub_experiments_equal_gerbils(shared_data: Path, folder: str, case: str) -> None:
    system, same_as = case.split(".")
    oracles = shared_data / "oracles" / "gerbil"
    results = oracles / folder / f"qald-9-test.{case}.json"
    gold = shared_data / "qald" / "qald-9-test-multilingual.json"
    if not results.is_file():
        pytest.skip(f"GERBIL's results are not at {results}")
    given = gold if system == "perfect" else oracles / "systems" / f"qald-9-test.{system}.json"
    found = sub_experiments(
        read_questions(gold).questions, read_run(given), same_as=same_as, language="en"
    )
    assert found == json.loads(results.read_text(encoding="utf-8"))["sub_experiments"]


@pytest.mark.parametrize(
    ("query", "concepts"),
    [
        ("SELECT * { <urn:a> <urn:p> ?x }", ["urn:a", "urn:p"]),
        ("SELECT * { ?x <urn:p>/<urn:q> <urn:a> . <urn:b> <urn:q> ?x }", []),
        (
            "SELECT * { <urn:b> <urn:q> ?x . <urn:a> <urn:p>+ ?x . <urn:c> <urn:q> ?x }",
            ["urn:b", "urn:q", "urn:a"],
        ),
        ("SELECT * { <urn:a> ?p <urn:b> }", ["urn:a"]),
        ("SELECT * { OPTIONAL { ?x <urn:p> ?y } MINUS { ?x <urn:q> ?y } }", ["urn:p", "urn:q"]),
        ("SELECT * { { ?x <urn:p> ?y } UNION { ?x <urn:q> ?y } }", ["urn:p", "urn:q"]),
        (
            "SELECT * { GRAPH ?g { ?x <urn:p> ?y } SERVICE <urn:s> { ?x <urn:q> ?y } }",
            ["urn:p", "urn:q"],
        ),
        (
            (
                "SELECT * { { SELECT ?x { ?x <urn:p> ?y } } ?x <urn:q> ?y FILTER EXISTS { ?x"
                " <urn:r> ?y } }"
            ),
            ["urn:q"],
        ),
        ("SELECT * { ?x <urn:p> [ <urn:q> <urn:a> ] }", ["urn:p", "urn:q", "urn:a"]),
        ("SELECT * { ?x dbo:p ?y }", []),
        ("PREFIX p: <urn:> PREFIX q: <urn:> SELECT * { ?x p:a ?y ; q:b ?y }", ["urn:a", "urn:b"]),
        ("SELECT COUNT(?x) AS ?c { ?x <urn:p> ?y }", []),
        ("SELECT ?x { ?x <urn:p> ?y } GROUP BY ?y", []),
        ("SELECT ?y { ?x <urn:p> ?y } GROUP BY ?y", ["urn:p"]),
        ("SELECT ?x { ?x <urn:p> ?y } ORDER BY DESC(COUNT(?y))", []),
        ("DESCRIBE <urn:a>", []),
        ("OUT OF SCOPE", []),
        ("", []),
    ],
)
def test_walk_through_a_query(query: str, concepts: list[str]) -> None:
    assert [iri for iri, _ in query_markings(query).concepts] == concepts


@pytest.mark.parametrize(
    ("literal", "printed"),
    [
        ('"a"@en', "a"),
        ("05", "5"),
        ("5.0", "5"),
        ("5.50", "5.5"),
        (f'"5"^^<{XSD}double>', "5.0"),
        ("1e7", "1.0E7"),
        ("12345678.9e0", "1.23456789E7"),
        (f'"1"^^<{XSD}boolean>', "true"),
        (f'"2020-02-02"^^<{XSD}date>', "2020-02-02"),
        ('"x"^^<urn:t>', "x"),
    ],
)
def test_literals_are_printed_as_by_java(literal: str, printed: str) -> None:
    assert [
        relation.literal
        for relation in query_markings(f"SELECT * {{ ?x <urn:p> {literal} }}").relations
    ] == [printed]


def test_a_literal_that_does_not_fit_its_type_ends_the_walk() -> None:
    found = query_markings(f'SELECT * {{ ?x <urn:p> "five"^^<{XSD}integer> . ?x <urn:q> ?y }}')
    assert found.properties == ("urn:p",)
    assert found.relations == ()


def test_text_search_becomes_a_triple_with_the_text() -> None:
    found = query_markings('SELECT ?x where { ?x text:"by hand" <urn:a> }')
    assert found.relations[0] == (None, "http://okbqa.org/text#query", None, "by hand")
    assert len(found.relations) == 1


def uris(*names: str) -> list[frozenset[str]]:
    return [frozenset([name]) for name in names]


@pytest.mark.parametrize(
    ("gold", "given", "expected"),
    [
        ([DBR + "A"], [DBR + "A"], (1, 0, 0)),
        ([DBR + "A"], [DBR + "B"], (0, 1, 1)),
        ([DBR + "A"], ["urn:a"], (0, 1, 1)),
        (["urn:a"], ["urn:b"], (1, 0, 0)),
        (["urn:a", "urn:b"], ["urn:c"], (2, 0, 0)),
        (["urn:a", "urn:b"], ["urn:a", "urn:b"], (2, 1, 0)),
        ([DBR + "A", DBR + "A"], [DBR + "A", DBR + "A"], (2, 1, 0)),
        (["https://dbpedia.org/resource/A"], [DBR + "A"], (0, 1, 1)),
        (
            ["http://www.wikidata.org/entity/Q1"],
            ["http://www.wikidata.org/prop/direct/P1"],
            (0, 1, 1),
        ),
    ],
)
def test_known_iris_must_agree_and_unknown_ones_always_do(
    gold: list[str], given: list[str], expected: tuple[int, int, int]
) -> None:
    assert match_known(uris(*gold), uris(*given))[0] == expected


def test_the_first_set_that_matches_is_the_one_that_is_marked() -> None:
    known = [frozenset([DBR + name]) for name in "xxy"]
    both = frozenset([DBR + "x", DBR + "y"])
    assert match_known(known[:1], known) == (Count(1, 2, 0), {0})
    assert match_known(known[1:], [both, *known]) == (Count(2, 3, 0), {0})
    assert match_known([both], known) == (Count(1, 2, 0), {0})
    unknown = [frozenset(["urn:a"]), frozenset(["urn:b"])]
    assert match_known(unknown[:1], unknown) == (Count(1, 1, 0), {0})


def asked(query: str, kind: str = "") -> Question:
    return Question("1", {"en": ("Who?",)}, queries={"": query}, answer_type=kind)


def answered(query: str, kind: str = "") -> Run:
    return Run("mine", "table", {"1": Response("1", query=query, answer_type=kind)})


def test_only_concepts_are_reported_where_nobody_has_anything() -> None:
    found = sub_experiments([asked("")], answered(""))
    assert found == {
        "C2KB": dict.fromkeys(list(found["C2KB"])[:6], 1.0) | {"confidence threshold": 0.0}
    }
    assert sub_experiments([], answered("")) == {}


def test_classes_of_iris_are_reported_where_there_are_some() -> None:
    found = sub_experiments(
        [asked(f"SELECT * {{ <{DBR}A> <urn:p> ?x }}")],
        answered(f"SELECT * {{ <{DBR}A> <urn:q> ?x }}"),
    )
    assert found["C2KB"]["InKB Micro F1 score"] == found["C2KB"]["EE Micro F1 score"] == 1
    assert "InKB Micro F1 score" not in found["P2KB"]
    assert found["RE2KB"]["Micro F1 score"] == 0
    assert math.isnan(found["RE2KB"]["Macro F1 QALD"])
    assert "AType" not in found


def test_gold_iris_are_extended_by_what_means_the_same_and_given_ones_are_not() -> None:
    encoded, plain = (
        f"SELECT * {{ <{DBR}A%41> <urn:p> ?x }}",
        f"SELECT * {{ <{DBR}AA> <urn:p> ?x }}",
    )
    for name in ("C2KB", "RE2KB"):
        assert (
            sub_experiments([asked(encoded)], answered(plain), same_as="offline")[name][
                "Micro F1 score"
            ]
            == 1
        )
        assert sub_experiments([asked(encoded)], answered(plain))[name]["Micro F1 score"] < 1
        assert (
            sub_experiments([asked(plain)], answered(encoded), same_as="offline")[name][
                "Micro F1 score"
            ]
            < 1
        )


def test_a_literal_is_compared_by_its_text_whatever_it_says() -> None:
    gold, given = (
        f'SELECT * {{ ?x <urn:p> "{DBR}{name}" }}' for name in ("K%C3%A4rl", "K\u00e4rl")
    )
    for query, right in ((gold, 1), (given, 0)):
        found = sub_experiments([asked(gold)], answered(query), same_as="offline")
        assert found["RE2KB"]["Micro F1 score"] == right


def test_a_triple_is_found_once() -> None:
    found = sub_experiments(
        [asked("SELECT * { ?x <urn:p> ?y . ?z <urn:p> ?y }")],
        answered("SELECT * { ?x <urn:p> ?y }"),
    )
    assert found["RE2KB"]["Micro Recall"] == 0.5


def test_answer_types_must_be_equal() -> None:
    assert sub_experiments([asked("", "date")], answered("", "date"))["AType"]["Macro F1 QALD"] == 1
    assert (
        sub_experiments([asked("", "date")], answered("", "number"))["AType"]["Micro F1 score"] == 0
    )
    assert sub_experiments([asked("", "date")], answered(""))["AType"]["Micro Recall"] == 0
