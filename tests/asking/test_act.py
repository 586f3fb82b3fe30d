"""ACT Selection.

Its formulas by hand, its pipeline on a graph of a few entities, and what must not become a wrong
answer.
"""

from __future__ import annotations

import asyncio
import json
import math
from pathlib import Path

import pytest
from click.testing import CliRunner
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, serialize
from questions import one_column, question, uri
from sparql_servers import StubServer, status

from qaldgen.api.acting import ablation, explain, table_of
from qaldgen.asking.act.candidates import nearest_questions, recorded_candidates
from qaldgen.asking.act.options import PRESETS, Act, Selection
from qaldgen.asking.act.ranking import (
    Link,
    purity,
    rank_score,
    score_rows,
    type_counts,
    type_score,
    wanted_types,
)
from qaldgen.asking.act.system import Selector, act, selector_of, summary
from qaldgen.asking.record import NoAnswer, Posed, Said, System
from qaldgen.commands.cli import cli
from qaldgen.errors import DataError, UsageError
from qaldgen.formats.reading import read_questions
from qaldgen.io.web.pace import Gate
from qaldgen.model import QuestionSet
from qaldgen.rdf.terms import PREFIXES
from qaldgen.stores.endpoint import Endpoint
from qaldgen.stores.local import LocalStore, open_quads

X = "http://x.org/"
A, LABEL = f"{PREFIXES['rdf']}type", f"{PREFIXES['rdfs']}label"


@pytest.mark.parametrize(
    ("shared", "wanted", "formula", "score"),
    [
        (4, 13, "match", 1.0), (4, 13, "paper", 0.30769), (4, 13, "authors", 0.69231),
        (1, 6, "authors", 0.83333),
        (6, 6, "authors", 0.0), (0, 6, "authors", 0.0), (0, 6, "match", 0.0), (0, 0, "paper", 0.0),
    ],
)  # fmt: skip
def test_type_scores(shared: int, wanted: int, formula: str, score: float) -> None:
    assert round(type_score(shared, wanted, formula), 5) == score


def test_rank_is_one_for_the_first_and_falls_to_one_nth() -> None:
    assert [round(rank_score(rank, 22), 5) for rank in (0, 1, 21, None)] == [
        1.0,
        0.95455,
        0.04545,
        0.0,
    ]


def test_types_are_counted_over_the_linked_list_and_ties_go_to_the_first_seen() -> None:
    counts = type_counts(["a", "b", "a"], {"a": ["Town", "Port"], "b": ["Lake"]})
    assert counts == {"Port": 2, "Town": 2, "Lake": 1}
    assert purity(["a", "b", "a"], counts) == 2 / 3
    assert math.isnan(purity([], {}))


def test_similar_types_join_the_most_frequent_ones_strictly_above_the_limit() -> None:
    near = {"city": 0.9, "big city": 0.6, "lake": 0.1}
    counts = {"T": 5, "C": 2, "B": 1, "L": 1}
    names = {"T": "town", "C": "city", "B": "big city", "L": "lake"}
    found = wanted_types(
        counts, names, lambda _, others: [near[one] for one in others], Selection(top_types=1)
    )
    assert found == ["T", "C"]


def test_the_best_row_wins_and_ties_go_to_property_then_model_then_iri() -> None:
    links = [Link("d", "p"), Link("c", "p"), Link("b", "q")]
    types = {name: frozenset(["T"]) for name in "abcd"}
    rows = score_rows(["a", "b"], links, types, ["T"], {"p": 0.5, "q": 0.0}, PRESETS["default"])
    # b by q: 1 + 1 + 1/2 + 0 = c by p: 1 + 1 + 0 + 1/2 = d by p
    assert [(row.entity, row.total) for row in rows] == [
        ("c", 2.5),
        ("d", 2.5),
        ("b", 2.5),
        ("a", 2.0),
        ("b", 1.5),
    ]


def test_the_published_weights_rank_the_best_rows_again() -> None:
    rows = score_rows(
        ["a", "b"], [Link("c", "p")], {"a": ["T"]}, ["T", "U"], {"p": 0.3}, PRESETS["authors"]
    )
    expected = {"a": 1.628 * 0.5 + 2.103, "b": 2.103 / 2, "c": -0.136 + 5.73 * 0.3}
    assert {row.entity: row.total for row in rows} == pytest.approx(expected)


#: Two towns are called Ville; the larger one has more neighbours. Rex knows only a date.
FACTS: dict[str, dict[str, list[str]]] = {
    "Land": {
        "label": ["Land"],
        A: ["Country"],
        "capital": ["Ville"],
        "ruler": ["Rex"],
        "lake": ["Blue"],
    },
    "Ville": {"label": ["Ville"], A: ["Town"], "mayor": ["Rex"], "twin": ["Burg"]},
    "Ville2": {"label": ["Ville"], A: ["Town"]},
    "Burg": {"label": ["Burg"], A: ["Town"]},
    "Dorf": {"label": ["Dorf"], A: ["Town"]},
    "Rex": {"label": ["Rex"], A: ["Person"]},
    "Blue": {"label": ["Blue"], A: ["Lake"]},
    "Bare": {"label": ["Bare"]},
}


def quads() -> list[Quad]:
    def iri(name: str) -> NamedNode:
        return NamedNode(name if ":" in name else X + name)

    found = []
    for name, own in FACTS.items():
        for predicate, objects in own.items():
            for value in objects:
                target = Literal(value, language="en") if predicate == "label" else iri(value)
                found.append(
                    Quad(iri(name), iri(LABEL if predicate == "label" else predicate), target)
                )
    return [*found, Quad(iri("Rex"), iri("born"), Literal("1900-01-01"))]


def graph() -> LocalStore:
    return open_quads("graph", quads())


def selector(tmp_path: Path, candidates: list[object], **how: object) -> Selector:
    path = tmp_path / "candidates.jsonl"
    path.write_text(json.dumps({"id": "1", "candidates": candidates}) + "\n", encoding="utf-8")
    chosen = Selection(**how)  # type: ignore[arg-type]
    return selector_of(System("", "act", kg=graph(), act=Act(candidates=str(path), how=chosen)))


def test_a_neighbour_of_the_right_type_beats_what_the_model_named_first(tmp_path: Path) -> None:
    made = selector(tmp_path, ["Burg", "Dorf", "Rex"], top_types=1)
    found = made.explain("1", "What is the capital of Land?")
    assert found.mentioned == (X + "Land",)
    assert found.counts == {X + "Town": 2, X + "Person": 1}
    assert found.rows[0].entity == X + "Ville"
    shown = table_of(made, found).iloc[0]
    assert (shown["candidate"], shown["property"], shown["type"], shown["neighbour"]) == (
        "Ville",
        "capital",
        1.0,
        1.0,
    )


def test_of_two_entities_with_one_name_the_one_with_more_neighbours_is_meant(
    tmp_path: Path,
) -> None:
    assert selector(tmp_path, ["ville"]).explain("1", "?").linked == (X + "Ville",)


def test_what_leads_to_an_entity_counts_with_both_directions(tmp_path: Path) -> None:
    asked = "Which town has Rex as mayor?"
    assert not any(row.property for row in selector(tmp_path, ["Burg"]).explain("1", asked).rows)
    both = selector(tmp_path, ["Burg"], neighbours="both").explain("1", asked)
    assert (both.rows[0].entity, both.rows[0].property) == (X + "Ville", X + "mayor")


@pytest.mark.parametrize(
    "text", ['"', "\\", "\n", "} DROP ALL #", "x" * 10_000, "<a>", "'''", "\u2028"]
)
def test_strange_candidates_are_no_names_and_change_nothing(tmp_path: Path, text: str) -> None:
    assert selector(tmp_path, [text, "Burg"]).explain("1", "?").linked == (X + "Burg",)


def test_entities_without_type_and_literals_are_told_apart(tmp_path: Path) -> None:
    made = selector(tmp_path, ["Bare"])
    found = made.explain("1", "When was Rex born?")
    assert (found.counts, found.literals) == ({}, 1)
    assert [row.scores for row in found.rows] == [(0.0, 0.0, 1.0, 0.0)]
    lines = summary([found], cut=False, how=PRESETS["default"])
    assert any("only literals" in line for line in lines)
    assert any("agree on no type" in line for line in lines)


def test_hubs_are_cut_and_that_is_told(tmp_path: Path) -> None:
    made = selector(tmp_path, ["Burg"], most_neighbours=2)
    made.explain("1", "What is the capital of Land?")
    assert made.graph.cut


def test_nearest_questions_give_their_answers() -> None:
    known = [
        ("1", "Who rules Land?", "Rex"),
        ("2", "Which lake is in Land?", "Blue"),
        ("3", "Who rules Burg?", "Rex"),
    ]
    training = QuestionSet(
        "set",
        "table",
        tuple(question(name, text, answers=one_column(uri(X + own))) for name, text, own in known),
    )
    propose = nearest_questions(training, 2)
    assert [one.iri for one in propose("", "Who rules Dorf?")] == [X + "Rex"]
    with pytest.raises(DataError, match="no question has an answer"):
        nearest_questions(QuestionSet("set", "table", ()), 2)


@pytest.mark.parametrize(
    "line",
    [
        '{"id": "1"}',
        '{"candidates": ["a"]}',
        "[1]",
        '{"id": "1", "candidates": [["a", NaN]]}',
        '{"id": "1", "candidates": [7]}',
    ],
)
def test_candidates_that_are_none_are_refused_with_their_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "candidates.jsonl"
    path.write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 2"):
        recorded_candidates(path)


@pytest.mark.parametrize(
    "how",
    [
        {"weights": (1.0, math.nan, 1.0, 1.0)},
        {"weights": (1.0,)},
        {"type_score": "best"},
        {"neighbours": "all"},
    ],
)
def test_options_that_make_no_sense_are_refused(how: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        Selection(**how)  # type: ignore[arg-type]


def test_ablation_tells_what_each_part_gives(tmp_path: Path) -> None:
    asked = QuestionSet(
        "set",
        "table",
        (question("1", "What is the capital of Land?", answers=one_column(uri(X + "Ville"))),),
    )
    table = ablation(selector(tmp_path, ["Burg", "Dorf", "Rex"], top_types=1), asked).set_index(
        "candidates"
    )
    assert [table[name]["full"] for name in ("all", "property", "rank", "recall")] == [
        1.0,
        1.0,
        0.0,
        1.0,
    ]
    assert table.loc["initial", "recall"] == 0.0
    assert table.loc["model", "all"] == 0.0


def test_explaining_a_question_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no question '7'"):
        explain(selector(tmp_path, ["Burg"]), QuestionSet("set", "table", ()), "7")


def test_names_for_the_journal_hold_the_options_and_the_files(tmp_path: Path) -> None:
    path = tmp_path / "candidates.jsonl"
    path.write_text('{"id": "1", "candidates": ["Burg"]}\n', encoding="utf-8")
    names = {
        act(System("", "act", kg=graph(), act=Act(candidates=str(path), how=how))).name
        for how in PRESETS.values()
    }
    path.write_text('{"id": "1", "candidates": ["Dorf"]}\n', encoding="utf-8")
    names.add(act(System("", "act", kg=graph(), act=Act(candidates=str(path)))).name)
    assert len(names) == 4


def said(asked: list[str], endpoint: Endpoint, candidates: Path) -> list[Said | NoAnswer]:
    async def ask() -> list[Said | NoAnswer]:
        found: list[Said | NoAnswer] = []
        made = act(
            System(
                "",
                "act",
                kg=endpoint,
                act=Act(candidates=str(candidates), how=Selection(top_types=1)),
            )
        )
        async with made.open(Gate()) as one:
            for text in asked:
                try:
                    found.append(await one(Posed(text, id="1")))
                except NoAnswer as error:
                    found.append(error)
        return found

    return asyncio.run(ask())


def test_an_endpoint_gives_the_same_answer_by_three_requests_and_is_asked_nothing_twice(
    tmp_path: Path,
) -> None:
    path = tmp_path / "candidates.jsonl"
    path.write_text('{"id": "1", "candidates": ["Burg", "x\\" } #", "Dorf"]}\n', encoding="utf-8")
    turtle = (
        serialize((quad.triple for quad in quads()), format=RdfFormat.N_TRIPLES) or b""
    ).decode()
    with StubServer(turtle).running() as server:
        question_ = "What is the capital of Land?"
        first, second = said([question_, question_], Endpoint(server.url, retries=0), path)
        assert len(server.requests) == 3
    assert isinstance(first, Said) and isinstance(second, Said)
    assert first.answers == second.answers == one_column(uri(X + "Ville"), variable="uri")


def test_an_endpoint_that_is_down_makes_a_failure_and_no_wrong_answer(tmp_path: Path) -> None:
    path = tmp_path / "candidates.jsonl"
    path.write_text('{"id": "1", "candidates": ["Burg"]}\n', encoding="utf-8")
    turtle = (
        serialize((quad.triple for quad in quads()), format=RdfFormat.N_TRIPLES) or b""
    ).decode()
    asked = "What is the capital of Land?"
    with StubServer(turtle).running() as server:
        server.steps = [status(500)]
        down, up = said([asked, asked], Endpoint(server.url, retries=0), path)
    assert isinstance(down, NoAnswer) and isinstance(up, Said)
    assert up.answers == one_column(
        uri(X + "Ville"), variable="uri"
    )  # nothing of the failure was kept as knowledge


def test_the_command_asks_and_explains(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph_file, asked, known = tmp_path / "graph.nt", tmp_path / "asked.tsv", tmp_path / "known.tsv"
    graph_file.write_bytes(
        serialize((quad.triple for quad in quads()), format=RdfFormat.N_TRIPLES) or b""
    )
    asked.write_text(
        f"id\tquestion\tanswers\n1\tWhat is the capital of Land?\t{X}Ville\n", encoding="utf-8"
    )
    known.write_text(
        f"id\tquestion\tanswers\n1\tWhat is the capital of Peru?\t{X}Burg\n", encoding="utf-8"
    )
    call = ["ask", str(asked), "--system", "act", "--kg", str(graph_file)]
    with pytest.raises(UsageError, match="one source of candidates"):
        cli(call, standalone_mode=False)
    cli([*call, "--training", str(known), "--no-times"], standalone_mode=False)
    assert f"{X}Ville" in capsys.readouterr().out
    cli([*call, "--training", str(known), "--explain", "1"], standalone_mode=False)
    assert "Town 1 *" in capsys.readouterr().out
    with pytest.raises(UsageError, match="only applies with --system act"):
        cli(
            ["ask", str(asked), "--url", "http://localhost/", "--nearest", "3"],
            standalone_mode=False,
        )


@pytest.mark.parametrize("more", [["--ablation"], ["--explain", "1"]])
def test_tables_take_the_training_set_of_the_name(more: list[str]) -> None:
    examples = Path(__file__).resolve().parent.parent.parent / "examples"
    questions = read_questions(examples / "one-hop.tsv").questions
    words = [questions[0].id if word == "1" else word for word in more]
    system = f"act:{examples / 'training.tsv'}"
    call = [
        "ask",
        str(examples / "one-hop.tsv"),
        "--system",
        system,
        "--kg",
        str(examples / "graph.ttl"),
        *words,
    ]
    done = CliRunner().invoke(cli, call, catch_exceptions=False)
    assert done.exit_code == 0
    assert "type" in done.stdout
