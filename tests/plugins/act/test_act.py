"""ACT Selection.

Its formulas by hand, its pipeline on a graph of a few entities, and what must not become a wrong
answer.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, serialize
from questions import one_column, question, uri
from sparql_servers import Step, StubServer, body, honest, status

import qaldgen as qg
from qaldgen.asking.systems import NoAnswer, PosedQuestion, System, SystemReply
from qaldgen.cli.main import cli
from qaldgen.errors import DataError, UsageError
from qaldgen.io.web.retries import Gate
from qaldgen.model import QuestionSet
from qaldgen.plugins import act as plugin
from qaldgen.plugins.act import ablation, explain, table_of
from qaldgen.plugins.act.candidates import (
    Candidate,
    as_candidate,
    nearest_questions,
    recorded_candidates,
)
from qaldgen.plugins.act.graph import Graph, Link
from qaldgen.plugins.act.linking import SimilarNames, Words, linked_entities
from qaldgen.plugins.act.row_scores import (
    purity,
    rank_score,
    score_rows,
    type_counts,
    type_score,
    wanted_types,
)
from qaldgen.plugins.act.selector import Selector
from qaldgen.plugins.act.settings import PRESETS, Act, Selection
from qaldgen.plugins.act.system import act, make_selector, summarise
from qaldgen.questions.reading import read_questions
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


def triples(*more: Quad) -> str:
    data = serialize((one.triple for one in (*quads(), *more)), format=RdfFormat.N_TRIPLES)
    return (data or b"").decode()


def graph() -> LocalStore:
    return open_quads("graph", quads())


def selector(tmp_path: Path, candidates: list[object], **how: object) -> Selector:
    path = tmp_path / "candidates.jsonl"
    path.write_text(json.dumps({"id": "1", "candidates": candidates}) + "\n", encoding="utf-8")
    chosen = Selection(**how)  # type: ignore[arg-type]
    return make_selector(System("", "act", kg=graph()), Act(candidates=str(path), how=chosen))


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


#: Twelve entities with their types, and what the state Zed is linked with. Two are called Gil.
KINDS = {
    "Zed": "State", "Arn": "Town Port", "Bea": "Person", "Cor": "Town", "Dun": "Lake", "Eck": "",
    "Fay": "Town", "Gil": "Town Port", "Gil2": "Lake", "Hob": "Person", "Ivo": "Lake", "Kim": "",
}  # fmt: skip
WAYS = {"capital": "Arn", "ruler": "Bea", "twin": "Cor", "lake": "Dun", "topic": "Eck"}
#: Similarities that are easy to add up; all others are 0.
ALIKE = {("Town", "Port"): 0.7, ("Town", "Person"): 0.2,
         ("?", "capital"): 0.5, ("?", "ruler"): 0.1, ("?", "twin"): 0.2}  # fmt: skip


@pytest.mark.parametrize(
    ("preset", "ranking"),
    [
        # Of the linked Fay, Gil, Arn, Hob, Fay four are towns; ports are similar: T has 2 types.
        # Fay has 1 of them, ranks first of 5: 1 + 0 + 1; Arn as a neighbour 1 + 1 + 3/5 + .5
        ("default", {"Arn capital": 3.1, "Cor twin": 2.2, "Fay": 2.0, "Gil": 1.8, "Arn": 1.6,
                     "Bea ruler": 1.1, "Dun lake": 1.0, "Hob": 0.4}),
        # Fay and Cor now score 1/2 for their type
        ("paper", {"Arn capital": 3.1, "Gil": 1.8, "Cor twin": 1.7, "Arn": 1.6, "Fay": 1.5,
                   "Bea ruler": 1.1, "Dun lake": 1.0, "Hob": 0.4}),
        # and Arn and Gil 0. Arn: -.136 + 2.103 * 3/5 + 5.73 * .5; Fay: 1.628 / 2 + 2.103
        ("authors", {"Arn capital": 3.9908, "Fay": 2.917, "Cor twin": 1.824, "Gil": 1.6824,
                     "Arn": 1.2618, "Hob": 0.8412, "Bea ruler": 0.437, "Dun lake": -0.136}),
    ],
)  # fmt: skip
def test_presets_on_a_graph_worked_out_by_hand(preset: str, ranking: dict[str, float]) -> None:
    data = [Quad(NamedNode(X + one), NamedNode(LABEL), Literal(one.strip("2"))) for one in KINDS]
    data += [
        Quad(NamedNode(X + one), NamedNode(A), NamedNode(X + kind))
        for one, kinds in KINDS.items()
        for kind in kinds.split()
    ]
    data += [
        Quad(NamedNode(X + "Zed"), NamedNode(X + way), NamedNode(X + to))
        for way, to in WAYS.items()
    ]
    how = dataclasses.replace(PRESETS[preset], top_types=1)
    proposed = [Candidate(one) for one in ("Fay", "Gil", "Arn", "Hob", "Nobody", "fay")]

    def alike(text: str, others: Sequence[str]) -> list[float]:
        return [ALIKE.get(("?" if "?" in text else text, other), 0.0) for other in others]

    made = Selector(Graph(open_quads("twelve", data), how), lambda *_: proposed, how, alike)
    rows = made.explain("", "What is the capital of Zed?").rows
    names = [f"{row.entity} {row.property}".replace(X, "").strip() for row in rows]
    assert dict(zip(names, [row.total for row in rows], strict=True)) == pytest.approx(ranking)
    assert names == list(ranking)


@pytest.mark.parametrize(
    ("question_", "named"),
    [
        ("Who governs Villle?", ["Ville", "Ville2"]),  # doubled, with all entities of that name
        ("Who governs Vilel?", ["Ville", "Ville2"]),  # exchanged
        ("Who governs Vvillee?", []),  # two letters
        ("Who governs Vill?", []),  # too short a name to forgive anything
        ("Who governs villle?", []),  # no name without a capital letter
        ("Villle is governed by whom?", []),  # neither does the first word have to be one
        ("Who governs Villle in Land?", ["Land"]),  # what is spelt correctly is meant
        ("Who governs the twin of (Villle)?", ["Ville", "Ville2"]),
    ],
)
def test_a_misspelt_name_is_found_if_nothing_else_is(question_: str, named: list[str]) -> None:
    assert Graph(graph(), Selection()).find_mentioned([], question_) == [X + name for name in named]
    exact = Graph(graph(), Selection(typos=0)).find_mentioned([], question_)
    assert exact == [X + name for name in named if name == "Land"]


def test_languages_are_compared_without_case() -> None:
    named = Quad(NamedNode(X + "a"), NamedNode(LABEL), Literal("Colour Town", language="en-GB"))
    assert Graph(open_quads("names", [named]), Selection(), "en-GB").find_mentioned(
        [], "Colour Town?"
    ) == [X + "a"]
    with pytest.raises(UsageError, match="not a language"):
        Graph(graph(), Selection(), 'x" }')


def test_a_correct_letter_more_is_a_better_match() -> None:
    names: dict[Words, list[str]] = {("marend",): ["a"], ("maren",): ["b"], ("marren",): ["c"]}
    assert SimilarNames(names, 2).find_entities("Marem") == ["b"]
    assert SimilarNames(names, 2).find_entities("Marendon") == []
    assert SimilarNames({("brag", "dorf"): ["a"]}, 1).find_entities("Bragdorf") == ["a"]


def test_only_what_is_reached_forward_has_the_score_for_neighbours() -> None:
    links = [Link("c", "p", False), Link("d", "p"), Link("e", "p", False), Link("e", "p")]
    types = {name: ["T"] for name in "acde"}
    rows = score_rows(["a"], links, types, ["T"], {"p": 0.5}, PRESETS["paper"])
    assert {(row.entity, row.property): row.scores for row in rows} == {
        ("a", ""): (1.0, 0.0, 1.0, 0.0),
        ("c", "p"): (1.0, 0.0, 0.0, 0.5),
        ("d", "p"): (1.0, 1.0, 0.0, 0.5),
        ("e", "p"): (1.0, 1.0, 0.0, 0.5),
    }


def test_what_leads_to_an_entity_counts_with_both_directions(tmp_path: Path) -> None:
    asked = "Which town has Rex as mayor?"
    assert not any(row.property for row in selector(tmp_path, ["Burg"]).explain("1", asked).rows)
    how: dict[str, Any] = {"neighbours": "both", "weights": (1.0, 1.0, 0.0, 1.0)}
    first = selector(tmp_path, ["Burg"], **how).explain("1", asked).rows[0]
    assert (first.entity, first.property) == (X + "Ville", X + "mayor")
    assert first.scores.neighbour == 0.0


@pytest.mark.parametrize(
    "text", ['"', "\\", "\n", "} DROP ALL #", "x" * 10_000, "<a>", "'''", "\u2028", "\ud800"]
)
def test_strange_candidates_are_no_names_and_change_nothing(tmp_path: Path, text: str) -> None:
    assert selector(tmp_path, [text, "Burg"]).explain("1", "?").linked == (X + "Burg",)


def test_names_of_strange_letters_are_found_at_an_endpoint_too() -> None:
    names = ['the "x"', "back\\slash", "new\nline", "br}ace", "\ud800 half", "y" * 10_000]
    things = [NamedNode(f"{X}strange{at}") for at in range(4)]
    more = [
        Quad(thing, NamedNode(LABEL), Literal(name, language="en"))
        for thing, name in zip(things, names[:4], strict=True)
    ]
    with StubServer(triples(*more)).running() as server:
        found = Selector(
            Graph(Endpoint(server.url, retries=0), PRESETS["default"]),
            lambda _id, _question: [as_candidate(name) for name in names],
            PRESETS["default"],
        ).explain("1", "What is the capital of Land?")
        assert len(server.requests) == 3
    assert found.linked == tuple(thing.value for thing in things)


def test_an_entity_without_a_name_is_called_by_the_decoded_end_of_its_iri() -> None:
    assert Graph(graph(), PRESETS["default"]).label(f"{X}Caf%C3%A9_Ville/") == "Café Ville"


def test_entities_without_type_and_literals_are_told_apart(tmp_path: Path) -> None:
    made = selector(tmp_path, ["Bare"])
    found = made.explain("1", "When was Rex born?")
    assert (found.counts, found.literals) == ({}, 1)
    assert [row.scores for row in found.rows] == [(0.0, 0.0, 1.0, 0.0)]
    lines = summarise([found], made.graph, PRESETS["default"])
    assert any("only literals" in line for line in lines)
    assert any("agree on no type" in line for line in lines)


def test_hubs_are_cut_and_that_is_told(tmp_path: Path) -> None:
    made = selector(tmp_path, ["Burg"], most_neighbours=2)
    made.explain("1", "What is the capital of Land?")
    assert made.graph.is_truncated


def test_the_types_of_many_entities_are_learned_at_once() -> None:
    names = [f"{X}town{number}" for number in range(450)]
    town = NamedNode(f"{X}Town")
    known = Graph(
        open_quads("towns", [Quad(NamedNode(one), NamedNode(A), town) for one in names]),
        PRESETS["default"],
    )
    known.learn(names)
    assert set(known.types(names).values()) == {frozenset([town.value])}


@pytest.mark.parametrize(
    ("text", "iri"),
    [(X + "Burg", True), ("urn:x:Burg", True), ("Burg", False), ("Burg: a town", False),
     ("Re:Zero", False), ("see http://x.org/Burg", False)],
)  # fmt: skip
def test_an_iri_names_an_entity_and_a_title_with_a_colon_does_not(text: str, iri: bool) -> None:
    assert as_candidate(text) == (Candidate(iri=text) if iri else Candidate(text))


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
        {"typos": -1},
        {"typos": 3},
        {"weights": (1e308, 1.0, 1.0, 1.0)},
        {"reranked": (1.0, 1.0), "rows": 30},
        {"reranked": (1.0, 1.0, 1.0, math.inf), "rows": 30},
        {"reranked": (1.0, 1.0, 1.0, 1.0), "rows": 0},
        {"labels": ("label",)},
        {"labels": ()},
        {"similarity": math.nan},
        {"similarity": 2.0},
        {"nearest": 0},
    ],
)
def test_options_that_make_no_sense_are_refused(how: dict[str, object]) -> None:
    # what is wrong is named
    with pytest.raises(
        UsageError, match=f"{'|'.join(how).replace('_', ' ')}|weights|is not a predicate"
    ):
        Selection(**how)  # type: ignore[arg-type]


def test_ablation_tells_what_each_part_gives(tmp_path: Path) -> None:
    asked = QuestionSet(
        "set",
        "table",
        (question("1", "What is the capital of Land?", answers=one_column(uri(X + "Ville"))),),
    )
    made = ablation(selector(tmp_path, ["Burg", "Dorf", "Rex"], top_types=1), asked)
    table = made.hits.set_index("candidates")
    assert [table[name]["full"] for name in ("all", "property", "rank", "recall")] == [
        1.0,
        1.0,
        0.0,
        1.0,
    ]
    assert table.loc["initial", "recall"] == 0.0
    assert table["all"]["model: first"] == 0.0
    assert table["all"]["model: first linked"] == 0.0
    assert table.loc["most frequent", "all"] == 1.0
    assert table.loc["full: p", "without rank"] == 1.0
    assert dict(made.limits.itertuples(index=False)) == {
        "candidates linked": 1.0,
        "questions with an entity": 1.0,
        "questions with the right types": 1.0,
        "questions with several answers": 0.0,
        "questions with literals only": 0.0,
    }


def test_explaining_a_question_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no question '7'"):
        explain(selector(tmp_path, ["Burg"]), QuestionSet("set", "table", ()), "7")


def test_names_for_the_journal_hold_the_options_and_the_files(tmp_path: Path) -> None:
    path = tmp_path / "candidates.jsonl"
    path.write_text('{"id": "1", "candidates": ["Burg"]}\n', encoding="utf-8")
    names = {
        act(System("", "act", kg=graph()), Act(candidates=str(path), how=how)).name
        for how in PRESETS.values()
    }
    path.write_text('{"id": "1", "candidates": ["Dorf"]}\n', encoding="utf-8")
    names.add(act(System("", "act", kg=graph()), Act(candidates=str(path))).name)
    assert len(names) == 4


def said(asked: list[str], endpoint: Endpoint, candidates: Path) -> list[SystemReply | NoAnswer]:
    async def ask() -> list[SystemReply | NoAnswer]:
        found: list[SystemReply | NoAnswer] = []
        made = act(
            System("", "act", kg=endpoint),
            Act(candidates=str(candidates), how=Selection(top_types=1)),
        )
        async with made.open(Gate()) as one:
            for text in asked:
                try:
                    found.append(await one(PosedQuestion(text, id="1")))
                except NoAnswer as error:
                    found.append(error)
        return found

    return asyncio.run(ask())


def test_an_endpoint_gives_the_same_answer_by_three_requests_and_is_asked_nothing_twice(
    tmp_path: Path,
) -> None:
    path = tmp_path / "candidates.jsonl"
    path.write_text('{"id": "1", "candidates": ["Burg", "x\\" } #", "Dorf"]}\n', encoding="utf-8")
    with StubServer(triples()).running() as server:
        question_ = "What is the capital of Land?"
        first, second = said([question_, question_], Endpoint(server.url, retries=0), path)
        assert len(server.requests) == 3
    assert isinstance(first, SystemReply) and isinstance(second, SystemReply)
    assert first.answers == second.answers == one_column(uri(X + "Ville"), variable="uri")


def test_names_in_other_languages_are_not_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qaldgen.plugins.act.graph_queries._MAX_ROWS", 30)
    things = [X + name for name in ("Ville", "Town", "Land", "Country")]
    more = [
        Quad(NamedNode(one), NamedNode(LABEL), Literal(f"name {end}", language=f"n{end}"))
        for one in things
        for end in "abcdefghijklmnop"
    ]
    path = tmp_path / "candidates.jsonl"
    path.write_text('{"id": "1", "candidates": ["Burg"]}\n', encoding="utf-8")
    with StubServer(triples(*more)).running() as server:
        (found,) = said(["What is the capital of Land?"], Endpoint(server.url, retries=0), path)
    assert isinstance(found, SystemReply) and found.answers == one_column(
        uri(X + "Ville"), variable="uri"
    )


def test_an_endpoint_that_is_down_makes_a_failure_and_no_wrong_answer(tmp_path: Path) -> None:
    path = tmp_path / "candidates.jsonl"
    path.write_text('{"id": "1", "candidates": ["Burg"]}\n', encoding="utf-8")
    asked = "What is the capital of Land?"
    with StubServer(triples()).running() as server:
        server.steps = [status(500)]
        down, up = said([asked, asked], Endpoint(server.url, retries=0), path)
    assert isinstance(down, NoAnswer) and isinstance(up, SystemReply)
    assert up.answers == one_column(
        uri(X + "Ville"), variable="uri"
    )  # nothing of the failure was kept as knowledge


@pytest.mark.parametrize("step", [0, 1, 2])
@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(status(500), id="an error"),
        pytest.param(body("<html>Hello</html>", "text/html"), id="a page"),
        pytest.param(
            body('{"head": {"vars": ["x"]}, "results": {"bindings": [{"x": {"type": "uri",'
                 ' "value": "urn:x"}}]}}'),
            id="the answer of another query",
        ),
    ],
)  # fmt: skip
def test_a_bad_reply_makes_a_failure_whenever_it_comes(
    tmp_path: Path, step: int, reply: Step
) -> None:
    path = tmp_path / "candidates.jsonl"
    path.write_text('{"id": "1", "candidates": ["Burg"]}\n', encoding="utf-8")
    asked = "What is the capital of Land?"
    with StubServer(triples()).running() as server:
        server.steps = [*[honest] * step, reply]
        bad, good = said([asked, asked], Endpoint(server.url, retries=0), path)
        assert len(server.requests) == 4  # only the bad reply is asked for again
    assert isinstance(bad, NoAnswer)
    assert isinstance(good, SystemReply) and good.answers == one_column(
        uri(X + "Ville"), variable="uri"
    )


def test_the_command_asks_and_explains(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph_file, asked, known = tmp_path / "graph.nt", tmp_path / "asked.tsv", tmp_path / "known.tsv"
    graph_file.write_text(triples(), encoding="utf-8")
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
    with pytest.raises(UsageError, match="different tables"):
        cli(
            [*call, "--training", str(known), "--explain", "1", "--ablation"], standalone_mode=False
        )
    with pytest.raises(UsageError, match="<Town> is not an IRI"):
        cli([*call, "--training", str(known), "--type-predicate", "Town"], standalone_mode=False)
    with pytest.raises(UsageError, match="only applies with --system act"):
        cli(
            ["ask", str(asked), "--url", "http://localhost/", "--nearest", "3"],
            standalone_mode=False,
        )


@pytest.mark.parametrize("more", [["--ablation"], ["--explain", "1"]])
def test_tables_take_the_training_set_of_the_name(more: list[str]) -> None:
    examples = Path(__file__).resolve().parents[3] / "examples"
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


def test_python_asks_by_options_or_by_settings(tmp_path: Path) -> None:
    asked, known = tmp_path / "asked.tsv", tmp_path / "known.tsv"
    asked.write_text("id\tquestion\n1\tWhat is the capital of Land?\n", encoding="utf-8")
    known.write_text(f"id\tquestion\tanswers\n1\tWhat is it?\t{X}Burg\n", encoding="utf-8")
    named = System(str(known), "act", options={"top_types": 1})
    ready = act(System("", "act", kg=graph()), Act(str(known), how=Selection(top_types=1)))
    for system in (named, ready):
        run = qg.ask(asked, system, kg=graph())
        assert run.responses["1"].answers == one_column(uri(X + "Ville"), variable="uri")
    with pytest.raises(UsageError, match="print tables"):
        qg.ask(asked, dataclasses.replace(named, options={"ablation": True}), kg=graph())


def test_public_names_are_there() -> None:
    assert all(getattr(plugin, name) for name in plugin.__all__)


@pytest.mark.parametrize(
    ("linked", "mentioned"),
    [
        ({"1": {"entities": [f"{X}Rex"]}}, (f"{X}Rex",)),
        ({"1": {"entities": []}, "2": {"entities": [f"{X}Rex"]}}, ()),
        ({"2": {"entities": [f"{X}Rex"]}}, ()),
    ],
)
def test_entities_of_another_linker_stand_for_the_names_in_the_question(
    linked: dict[str, object], mentioned: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "linked.json").write_text(json.dumps(linked), encoding="utf-8")
    (tmp_path / "c.jsonl").write_text('{"id": "1", "candidates": ["Burg"]}\n', encoding="utf-8")
    own = Act(candidates=str(tmp_path / "c.jsonl"), entities=str(tmp_path / "linked.json"))
    found = make_selector(System("", "act", kg=graph()), own).explain("1", "Capital of Land?")
    assert found.mentioned == mentioned
    assert found.unlinked == ("1" not in linked)


def test_a_linker_that_names_no_entity_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "linked.json"
    path.write_text('{"1": {"entities": []}}', encoding="utf-8")
    with pytest.raises(DataError, match="names no entity"):
        linked_entities(path)


def test_an_encoder_compares_names_once_and_is_named_in_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    class Encoder:
        def __init__(self, name: str) -> None:
            assert name == "stub"

        def encode(self, texts: list[str], **_: object) -> Any:  # noqa: ANN401 - an array
            seen.extend(texts)
            return np.array([[1.0, 0.0] if "head" in one or one == "ruler" else [0.0, 1.0]
                             for one in texts])  # fmt: skip

    package = SimpleNamespace(SentenceTransformer=Encoder)
    monkeypatch.setitem(sys.modules, "sentence_transformers", package)
    (tmp_path / "c.jsonl").write_text('{"id": "1", "candidates": ["Rex"]}\n', encoding="utf-8")
    own = Act(candidates=str(tmp_path / "c.jsonl"), encoder="stub")
    made = make_selector(System("", "act", kg=graph()), own)
    made.explain("1", "Who is the head of Land?")
    found = made.explain("1", "Who is the head of Land?")
    assert (found.rows[0].entity, found.rows[0].property) == (X + "Rex", X + "ruler")
    assert len(seen) == len(set(seen))
    assert "encoder stub" in act(System("", "act", kg=graph()), own).name
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(DataError, match=r"qaldgen\[sbert\]"):
        make_selector(System("", "act", kg=graph()), own)
