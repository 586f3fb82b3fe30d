"""Linkers: asking them, reading what they found, and comparing it with queries."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from asked import ask_one
from live_servers import LiveServer
from matched import counts_frame

import qaldgen as qg
from qaldgen.answers.reading import read_run
from qaldgen.answers.record import Response, Run
from qaldgen.asking.systems import System
from qaldgen.benchmark.gold import Gold
from qaldgen.errors import UsageError
from qaldgen.model import Answers, Mention, Question, QuestionSet
from qaldgen.plugins.linkers.link_matchers import linking_gold, linking_matcher, with_linking_gold
from qaldgen.plugins.linkers.linker_protocols import nif_document
from qaldgen.scoring.measures import MEASURES
from qaldgen.scoring.outcomes import with_outcomes
from qaldgen.scoring.running_score import RunningScore

A, DBR, DBO = (
    "http://x.org/A",
    "http://dbpedia.org/resource/",
    "http://dbpedia.org/ontology/",
)
Read = Callable[[object], Run]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Read a run with this content."""

    def read(content: object) -> Run:
        path = tmp_path / "mine.run"
        path.write_text(json.dumps(content), encoding="utf-8")
        return read_run(path)

    return read


def asked(query: str) -> Question:
    return Question("1", {"en": ("Who?",)}, queries={"": query})


NIF_REPLY = """
@prefix nif: <http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#> .
@prefix itsrdf: <http://www.w3.org/2005/11/its/rdf#> .
<urn:t#char=0,{n}> a nif:Context ; nif:isString {text} ; nif:beginIndex 0 ; nif:endIndex {n} .
<urn:t#2> a nif:Phrase ; nif:referenceContext <urn:t#char=0,{n}> ;
  nif:anchorOf "author" ; nif:beginIndex 11 ; nif:endIndex 17 ;
  itsrdf:taIdentRef <http://dbpedia.org/ontology/author> .
<urn:t#1> a nif:Phrase ; nif:referenceContext <urn:t#char=0,{n}> ;
  nif:beginIndex 21 ; nif:endIndex 25 ;
  itsrdf:taIdentRef <http://dbpedia.org/resource/Emma> .
"""
LINKED = "Who is the author of Emma 𝒳?"


def test_nif_goes_out_and_mentions_come_back() -> None:
    reply = NIF_REPLY.format(n=len(LINKED), text=json.dumps(LINKED, ensure_ascii=False))
    with LiveServer(
        lambda _: (200, {"Content-Type": "application/x-turtle"}, reply)
    ).running() as server:
        given = ask_one(System(server.url, "nif"), LINKED)
    assert [(one.text, one.kind) for one in given.mentions] == [
        ("author", "relation"),
        ("Emma", "entity"),
    ]
    sent = server.requests[0]
    assert sent.headers["Content-Type"].startswith("application/x-turtle")
    assert sent.body.decode() == nif_document(LINKED)
    assert f'"{len(LINKED)}"' in sent.body.decode()


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "<",
        "{}",
        NIF_REPLY.format(n=3, text='"Who"'),
        NIF_REPLY.format(n=3, text='"Wh\\u0000o"'),
    ],
)
def test_nif_about_something_else_fails(reply: str) -> None:
    with LiveServer(lambda _: reply).running() as server:
        assert ask_one(System(server.url, "nif"), LINKED).status == "failed"


def test_plain_linker() -> None:
    said = {
        "entities": [{"text": "Emma", "iri": "http://dbpedia.org/resource/Emma"}],
        "relations": ["http://dbpedia.org/ontology/author"],
    }
    with LiveServer(lambda _: said).running() as server:
        given = ask_one(System(server.url, "linker"), LINKED)
    assert server.requests[0].json == {"text": LINKED}
    assert [(one.iri.rpartition("/")[2], one.kind) for one in given.mentions] == [
        ("Emma", "entity"),
        ("author", "relation"),
    ]


def test_mentions_are_scored_as_components(tmp_path: Path) -> None:
    query = (
        "SELECT ?x { <http://dbpedia.org/resource/Emma> <http://dbpedia.org/ontology/author> ?x }"
    )
    entry = {
        "id": "1",
        "question": [{"language": "en", "string": LINKED}],
        "query": {"sparql": query},
        "answers": [],
    }
    (tmp_path / "q.json").write_text(json.dumps({"questions": [entry]}))
    said = {"entities": ["http://dbpedia.org/resource/Emma"], "relations": []}
    run = qg.ask(tmp_path / "q.json", lambda text: said)
    for match, f1 in (("entities", 1.0), ("relations", 0.0)):
        assert qg.score(tmp_path / "q.json", run, match=match).counts["f1"].tolist() == [f1]


@pytest.mark.parametrize(
    "entry",
    [
        {"entities": [A], "relations": [["born in", "http://x.org/p"]]},
        {"entities": [{"uri": A}], "relations": [{"label": "born in", "uri": "http://x.org/p"}]},
        {"entities_dbpedia": [[A]], "relations_dbpedia": [["http://x.org/p", "born in"]]},
        {
            "entity mapping": [{"uri": A}],
            "predicate mapping": [{"label": "born in", "uri": "http://x.org/p"}],
        },
        {
            "rerankedlists": {
                "0": [[0.9, A], [0.1, "http://x.org/B"]],
                "1": [[0.5, "http://x.org/p"]],
            },
            "chunktext": [{"chunk": ""}, {"chunk": "born in"}],
            "ertypes": ["entity", "relation"],
        },
    ],
)
def test_mentions_of_linkers(read: Read, entry: dict[str, object]) -> None:
    expected = (Mention("", A, "entity"), Mention("born in", "http://x.org/p", "relation"))
    for document in ({"7": entry}, [{"_id": 7, **entry}]):
        run = read(document)
        assert run.format == "mentions"
        assert run.responses["7"].mentions == expected


def test_mentions_that_are_empty(read: Read) -> None:
    run = read({"1": {"entities": ["Q64"], "relations": []}, "2": {"entities": []}})
    assert run.responses["1"].mentions == (Mention("", "http://www.wikidata.org/entity/Q64"),)
    assert run.responses["2"].status == "empty"


def test_class_in_the_annotations_of_earl(read: Read) -> None:
    run = read({"1": {"predicate mapping": [{"uri": "http://x.org/City"}]}})
    assert run.responses["1"].mentions[0].kind == "class"


QUERY = (
    f"SELECT ?x {{ <{DBR}Ann> <{DBO}child> ?x . ?x"
    f" <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{DBO}Person> }}"
)
FOUND = (
    Mention("Ann", DBR + "Ann"),
    Mention("child", DBO + "parent", "relation"),
    Mention("who"),
    Mention("p", DBO + "Person", "class"),
)


@pytest.mark.parametrize(
    ("kind", "expected"), [("entity", (1, 0, 0)), ("relation", (0, 1, 1)), ("class", (1, 0, 0))]
)
def test_linking_compares_the_mentions_of_one_kind(
    kind: str, expected: tuple[int, int, int]
) -> None:
    assert linking_matcher(kind)(asked(QUERY), Response("1", mentions=(*FOUND, *FOUND))) == expected


def test_linking_has_precision_and_recall_over_questions() -> None:
    questions = [
        asked(QUERY),
        dataclasses.replace(asked(QUERY), id="2"),
        dataclasses.replace(asked(QUERY), id="3"),
    ]
    wrong = (Mention("Ben", DBR + "Ben"), Mention("Ann", DBR + "Ann"))
    responses = {"1": Response("1", mentions=FOUND), "2": Response("2", mentions=wrong)}
    frame = counts_frame(questions, Run("mine", "mentions", responses), linking_matcher("entity"))
    assert MEASURES["micro-precision"].of(frame, None) == 2 / 3
    assert MEASURES["micro-recall"].of(frame, None) == 2 / 3
    assert MEASURES["macro-precision"].of(frame, None) == 1.5 / 3
    assert frame["hit"].tolist() == [True, False, False]


def test_gold_of_linking_is_the_query_or_else_the_mentions() -> None:
    question = Question("1", {}, mentions=(*FOUND, *FOUND))
    assert linking_gold(question, "entity") == (DBR + "Ann",)
    assert linking_gold(dataclasses.replace(question, queries={"": QUERY}), "relation") == (
        DBO + "child",
    )


def test_questions_without_gold_for_linking_are_named() -> None:
    bare = Question("2", {})
    broken = dataclasses.replace(asked("SELECT"), id="3")
    kept, left_out = with_linking_gold([asked(QUERY), bare, broken])
    assert [question.id for question in kept] == ["1"]
    assert [one.record for one in left_out] == ["2", "3"]
    assert "neither a query nor mentions" in left_out[0].reason
    assert "does not parse" in left_out[1].reason


def test_a_question_without_mentions_in_the_file_was_not_asked(read: Read) -> None:
    run = read({"1": {"entities": ["http://x.org/a"]}, "2": {"entities": []}})
    assert [run.response(name).status for name in "123"] == ["answered", "empty", "not asked"]


def test_mentions_are_watched_while_a_linker_is_asked() -> None:
    running = RunningScore(QuestionSet("mine", "table", (asked(QUERY),)), "en")
    running.add(Response("1", answers=Answers(), mentions=FOUND))
    assert running.interval().estimate == 1


def test_a_linker_has_no_outcomes(tmp_path: Path) -> None:
    run = Run("mine", "mentions", {"1": Response("1", answers=Answers(), mentions=FOUND)})
    gold = Gold(QuestionSet("mine", "table", (asked(QUERY),)))
    with pytest.raises(UsageError, match=r"`match=.entities.` compares something else"):
        with_outcomes(gold, [qg.score(gold, run, match="entities")])


def test_unknown_kind_of_linking_is_refused() -> None:
    with pytest.raises(UsageError, match="choose one of entity, relation, class"):
        linking_matcher("verb")


@pytest.mark.parametrize("linked", [
    {"entities": ["Q1"]}, {"relations": ["P1"], "classes": []}, {"entity mapping": [{"uri": A}]},
])  # fmt: skip
@pytest.mark.parametrize("field", ["prediction", "answer", "model_output"])
def test_a_record_with_an_answer_is_no_linkers(field: str, linked: dict[str, object]) -> None:
    gold = [{"id": "1", "question": "Where?", "answer": "Ulm"}]
    assert qg.score(gold, [{"id": "1", field: "Ulm", **linked}])["macro-f1"] == 1
