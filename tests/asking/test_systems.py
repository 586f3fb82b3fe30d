"""Our own question answering systems, live ones over HTTP, and their journal."""

from __future__ import annotations

import inspect
import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sparql_servers as servers
from asked import SystemAnswer, ask_one, prepare, small, stub
from calls import Call
from pyoxigraph import Literal, NamedNode, Quad
from qaldgen_systems import SYSTEMS
from qaldgen_systems._forms import measured
from qaldgen_systems._graph import index
from qaldgen_systems._linking import read
from qaldgen_systems._words import split, stem

from qaldgen.answers.journal import read_journal
from qaldgen.answers.record import Response
from qaldgen.asking.asking import Pacing, ask_all
from qaldgen.asking.protocols import make_asker
from qaldgen.asking.systems import System
from qaldgen.io.web.retries import Gate
from qaldgen.model import Answers, QuestionSet
from qaldgen.questions.reading import read_questions
from qaldgen.rdf.terms import XSD, prefixed
from qaldgen.stores.local import LocalStore, open_file, open_quads

ROOT = Path(__file__).resolve().parent.parent.parent
EX = "http://example.org/toy/"
QUESTION = "Which lakes, 50 % & more, lie in Éire + Ulster?"
GOOD = json.dumps(
    {
        "questions": [
            {
                "id": "other",
                "query": {"sparql": "ASK {}"},
                "answers": [{"head": {}, "boolean": True}],
            }
        ]
    }
)
ODD = [
    "", " ", "?", "is", "name", "how many", "e0 c0 r0 of e0", "is e0 longer than e1",
    "what is the r0 of e0", "Oak" * 3_000,
    "Who? " * 2_000, "\ud800 oak \udfff", "Which trees are taller than ٣٤ metres?",
    "Который дуб самый высокий?", "哪棵树最高?",
    'the "Great Oak" } UNION { ?s ?p ?o', "Is Great Oak taller than 007?", "\x00\x1b[2J",
    "Which 999999999999999999999 trees are tallest?",
    "Which trees were planted between 9 and 9999?", "Great Oak " * 400, "e\u0301" * 500,
    "and or not than of most number of",
]  # fmt: skip


def toy_store() -> LocalStore:
    """Return three trees in two gardens.

    Names, a class with a superclass, numbers, dates and links.
    """
    facts = [
        ("GreatOak", "Oak", "Great Oak", 30, "1820", "North"),
        ("OldOak", "Oak", "Old Oak", 20, "1750", "North"),
        ("TallElm", "Tree", "Tall Elm", 40, "1900", "South"),
    ]
    label, kind = prefixed("rdfs:label"), prefixed("rdf:type")
    quads = [Quad(NamedNode(EX + "Oak"), prefixed("rdfs:subClassOf"), NamedNode(EX + "Tree"))]
    schema = {
        "Oak": "oak",
        "Tree": "tree",
        "Person": "person",
        "height": "height in metres",
        "planted": "year of planting",
    }
    schema |= {"grower": "grower", "location": "location", "birthPlace": "birth place"}
    quads += [
        Quad(NamedNode(EX + iri), label, Literal(text, language="en"))
        for iri, text in schema.items()
    ]
    for iri, class_, name, height, year, garden in facts:
        tree = NamedNode(EX + iri)
        quads += [
            Quad(tree, kind, NamedNode(EX + class_)),
            Quad(tree, label, Literal(name, language="en")),
            Quad(tree, NamedNode(EX + "height"), Literal(height)),
            Quad(tree, NamedNode(EX + "planted"), Literal(year, datatype=NamedNode(XSD + "gYear"))),
            Quad(tree, NamedNode(EX + "location"), NamedNode(EX + garden)),
            Quad(tree, NamedNode(EX + "grower"), NamedNode(EX + "Ada")),
        ]
    ada = NamedNode(EX + "Ada")
    quads += [
        Quad(ada, kind, NamedNode(EX + "Person")),
        Quad(ada, label, Literal("Ada Moss", language="en")),
    ]
    quads += [
        Quad(ada, NamedNode(EX + "birthPlace"), NamedNode(EX + "South")),
        Quad(ada, prefixed("skos:altLabel"), Literal("Moss")),
    ]
    gardens = {"North": "Norda", "South": "Southland"}
    quads += [
        Quad(NamedNode(EX + iri), label, Literal(text, language="en"))
        for iri, text in gardens.items()
    ]
    return open_quads("toy", quads)


@pytest.fixture(scope="module")
def toy() -> LocalStore:
    return toy_store()


@pytest.fixture(scope="module")
def example() -> LocalStore:
    return open_file(ROOT / "examples" / "graph.ttl")


@pytest.fixture(scope="module")
def questions() -> QuestionSet:
    return read_questions(ROOT / "examples" / "questions.json")


@pytest.fixture(scope="module")
def answered(example: LocalStore, questions: QuestionSet) -> dict[str, dict[str, SystemAnswer]]:
    """What each system gives for each question of the example, and nothing raised on the way."""
    asked = {name: prepare(name, example) for name in SYSTEMS}
    return {
        name: {question.id: ask(question.text()) for question in questions.questions}
        for name, ask in asked.items()
    }


def values(store: LocalStore, system: str, text: str) -> list[str]:
    return [value.removeprefix(EX) for value in prepare(system, store)(text).answers.values()]


def f1(gold: list[str], given: list[str]) -> float:
    """Return F1 of two sets; 1 if both are empty."""
    right = len(set(gold) & set(given))
    return 2 * right / (len(set(gold)) + len(set(given))) if gold or given else 1.0


# --- what each system can do, on a graph of three trees -------------------------------------------


@pytest.mark.parametrize(
    ("system", "text", "expected"),
    [
        ("lookup", "What is the height of Great Oak?", ["30"]),
        ("lookup", "Tell me the heights of the old oak!", ["20"]),
        ("lookup", "Who looked after Tall Elm?", ["Ada"]),
        ("lookup", "When did Tall Elm begin?", ["1900"]),
        ("lookup", "Give me colours of Tall Elm", []),
        ("lookup", "Which trees have Ada Moss as grower?", ["GreatOak", "OldOak", "TallElm"]),
        ("neighbours", "Which trees stand in Norda?", ["GreatOak", "OldOak"]),
        ("neighbours", "Which oaks belong to Ada Moss?", ["GreatOak", "OldOak"]),
        ("neighbours", "Which trees of Ada Moss are in Southland?", ["TallElm"]),
        ("neighbours", "How many trees does Moss have?", ["3"]),
        ("neighbours", "Who cares for Great Oak?", ["Ada"]),
        ("neighbours", "Is Great Oak an oak in Norda?", []),
        ("typed", "How high is Great Oak?", ["30"]),
        ("typed", "Which oaks did Ada Moss grow?", ["GreatOak", "OldOak"]),
        ("typed", "How many oaks did Ada Moss grow?", ["2"]),
        ("typed", "Where was the grower of Old Oak born?", ["South"]),
        ("typed", "Did Ada Moss grow Tall Elm?", ["true"]),
        ("typed", "Was Ada Moss born in Norda?", ["false"]),
        ("typed", "Is Great Oak a tree?", ["true"]),
        ("typed", "What does Great Oak cost?", []),
        ("templates", "Which tree is the tallest?", ["TallElm"]),
        ("templates", "Which oak is the oldest one?", ["OldOak"]),
        ("templates", "Which tree in Norda is the highest?", ["GreatOak"]),
        ("templates", "How high is the highest oak?", ["30"]),
        ("templates", "Is Great Oak taller than Tall Elm?", ["false"]),
        ("templates", "Is Great Oak taller than twenty metres?", []),
        ("templates", "Is Great Oak taller than 20 metres?", ["true"]),
        ("templates", "Was Old Oak planted before Great Oak?", ["true"]),
        ("templates", "Which trees are higher than 25 metres?", ["GreatOak", "TallElm"]),
        ("templates", "How many trees are taller than Old Oak?", ["2"]),
        ("templates", "Which trees were planted before 1850?", ["GreatOak", "OldOak"]),
        ("templates", "Which trees were planted between 1800 and 1850?", ["GreatOak"]),
        ("templates", "Which trees of Ada Moss are not in Norda?", ["TallElm"]),
        ("templates", "What is the average height of the trees in Norda?", ["25"]),
        ("templates", "How many trees are in Norda?", ["2"]),
        ("templates", "What is the location of Tall Elm?", ["South"]),
        ("templates", "What is the birth place of the grower of Tall Elm?", ["South"]),
        ("templates", "Is Tall Elm an oak?", ["false"]),
        ("templates", "Who looks after Great Oak?", []),
    ],
)
def test_system_answers(toy: LocalStore, system: str, text: str, expected: list[str]) -> None:
    assert sorted(values(toy, system, text)) == expected


def test_words_lose_diacritics_and_genitives() -> None:
    assert split("Ångström’s 1,500 Oaks' age") == ("angstrom", "1500", "oaks", "age")


@pytest.mark.parametrize(
    "forms",
    [
        "discover discovers discovered discoverer discoveries",
        "city cities",
        "border borders bordered",
    ],
)
def test_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


def test_comparatives_and_superlatives_are_recognised() -> None:
    assert [
        measured(word) is not None
        for word in ("bigger", "largest", "high", "earliest", "river", "best")
    ] == [True] * 4 + [False] * 2
    assert measured("younger") != measured("older")


def test_a_word_of_the_schema_names_no_entity(toy: LocalStore) -> None:
    graph = index(
        open_quads(
            "toy",
            [
                *toy._quads(),
                Quad(NamedNode(EX + "Book"), prefixed("rdfs:label"), Literal("Grower")),
            ],
        )
    )
    assert ("grower",) in graph.names
    assert read(graph, "Who is the grower of Great Oak?").entities[0].iris == (EX + "GreatOak",)


def test_adjectives_of_places_are_names(toy: LocalStore) -> None:
    assert values(toy, "neighbours", "Which trees are Nordan?") == ["GreatOak", "OldOak"]


def test_slots_in_the_text_of_a_question_are_no_slots(toy: LocalStore) -> None:
    assert values(toy, "templates", "What is the height of e0?") == []


def test_an_iri_that_looks_like_a_variable_stays_whole() -> None:
    place, tree = NamedNode(EX + "?in=1&?out=2"), NamedNode(EX + "Ash")
    label = prefixed("rdfs:label")
    quads = [
        Quad(tree, NamedNode(EX + "near"), place),
        Quad(place, label, Literal("Pond")),
        Quad(tree, label, Literal("Ash")),
    ]
    quads += [Quad(tree, prefixed("rdf:type"), NamedNode(EX + "Tree"))]
    assert values(open_quads("toy", quads), "neighbours", "Which trees are at the Pond?") == ["Ash"]


def test_unknown_system_names_the_others(refused: Callable[..., str]) -> None:
    from qaldgen.asking.protocols import system_of
    from qaldgen.errors import UsageError

    assert "lookup, neighbours, typed, templates" in refused(
        lambda: system_of("oracle"), UsageError
    )


# --- every system: honest, deterministic, unbreakable ---------------------------------------------


@pytest.mark.parametrize("name", SYSTEMS)
def test_system_sees_text_and_graph_only(name: str) -> None:
    assert list(inspect.signature(SYSTEMS[name]).parameters) == ["text", "store"]


@pytest.mark.parametrize("name", SYSTEMS)
def test_system_survives_odd_questions(name: str, toy: LocalStore, example: LocalStore) -> None:
    for store in (toy, example):
        ask = prepare(name, store)
        start = time.monotonic()
        for text in ODD:
            ask(text)
        assert time.monotonic() - start < 20


@pytest.mark.parametrize("name", SYSTEMS)
def test_system_survives_shuffled_questions(
    name: str, example: LocalStore, questions: QuestionSet
) -> None:
    chance = random.Random(7)
    ask = prepare(name, example)
    words = [word for question in questions.questions for word in question.text().split()]
    for _ in range(200):
        ask(" ".join(chance.choices(words, k=chance.randint(1, 20))))


@pytest.mark.parametrize("name", SYSTEMS)
def test_system_says_the_same_again(
    name: str, questions: QuestionSet, answered: dict[str, dict[str, SystemAnswer]]
) -> None:
    ask = prepare(name, open_file(ROOT / "examples" / "graph.ttl"))
    again = {question.id: ask(question.text()) for question in reversed(questions.questions)}
    assert again == answered[name]


def test_answers_do_not_depend_on_the_order_of_hashes(
    answered: dict[str, dict[str, SystemAnswer]],
) -> None:
    """Those of this process, whose hashes are random, are those of another."""
    program = (
        "from qaldgen.questions.reading import read_questions; from qaldgen.stores.local import"
        " open_file\nfrom qaldgen_systems import SYSTEMS; from asked import prepare\nstore ="
        " open_file('examples/graph.ttl'); asked ="
        " read_questions('examples/questions.json').questions\nfor name in SYSTEMS:\n    answer ="
        " prepare(name, store)\n    print([answer(question.text()) for question in asked])\n"
    )
    paths = os.pathsep.join(map(str, (ROOT, ROOT / "tests/support", ROOT / "examples/systems")))
    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, timeout=120, cwd=ROOT, check=True,
        env={**os.environ, "PYTHONHASHSEED": "1", "PYTHONPATH": paths}, text=True,
    )  # fmt: skip
    assert said.stdout.splitlines() == [str(list(answered[name].values())) for name in SYSTEMS]


@pytest.mark.parametrize("name", SYSTEMS)
def test_silence_makes_no_query_and_answers_come_from_one(
    name: str, answered: dict[str, dict[str, SystemAnswer]]
) -> None:
    for given in answered[name].values():
        assert given.query or not given.answers.values()


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("lookup", 0.15, 0.25),
        ("neighbours", 0.2, 0.35),
        ("typed", 0.35, 0.5),
        ("templates", 0.35, 0.5),
    ],
)
def test_score_on_the_example(
    name: str,
    least: float,
    most: float,
    questions: QuestionSet,
    answered: dict[str, dict[str, SystemAnswer]],
) -> None:
    scores = [
        f1(q.answers.values(), answered[name][q.id].answers.values())
        for q in questions.questions
        if q.answers
    ]
    assert len(scores) == 245
    assert least < sum(scores) / len(scores) < most


def test_the_winner_changes_with_the_questions(
    questions: QuestionSet, answered: dict[str, dict[str, SystemAnswer]]
) -> None:
    def best(first: int, last: int) -> str:
        asked = [question for question in questions.questions if first <= int(question.id) <= last]
        totals = {
            name: sum(
                f1(q.answers.values(), given[q.id].answers.values()) for q in asked if q.answers
            )
            for name, given in answered.items()
        }
        return max(totals, key=lambda name: totals[name])

    one_hop, yes_no, strings, superlatives = (
        best(1, 25),
        best(26, 55),
        best(91, 105),
        best(125, 142),
    )
    assert (one_hop, yes_no, strings, superlatives) == (
        "neighbours",
        "templates",
        "typed",
        "templates",
    )


def kinds_of_questions() -> dict[str, list[str]]:
    """Return the headings of the example's questions, and the ids below each."""
    kinds: dict[str, list[str]] = {}
    for line in (ROOT / "examples" / "questions.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# --- "):
            kinds[line.strip("# -")] = []
        elif (number := re.match(r"(\d+)\. ", line)) is not None:
            kinds[list(kinds)[-1]].append(number[1])
    return kinds


def test_documentation_shows_these_scores(
    questions: QuestionSet, answered: dict[str, dict[str, SystemAnswer]]
) -> None:
    gold = {
        question.id: question.answers.values()
        for question in questions.questions
        if question.answers is not None
    }
    shown = {}
    for line in (ROOT / "examples" / "README.md").read_text(encoding="utf-8").splitlines():
        name, *cells = [cell.strip(" *") for cell in line.strip("|").split("|")]
        shown[name] = cells
    rows = {**kinds_of_questions(), "all": list(gold)}
    for name, ids in rows.items():
        scores = [
            sum(f1(gold[key], given[key].answers.values()) for key in ids) / len(ids)
            for given in answered.values()
        ]
        assert shown[name] == [str(len(ids)), *(f"{score:.2f}" for score in scores)]
    silent = [
        sum(not one.answers.values() for one in given.values()) for given in answered.values()
    ]
    assert shown["no answer"] == ["", *map(str, silent)]


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_is_silent_now_and_then_and_mistaken_too(
    name: str, questions: QuestionSet, answered: dict[str, dict[str, SystemAnswer]]
) -> None:
    given = {
        question.id: answered[name][question.id].answers.values()
        for question in questions.questions
    }
    wrong = [
        q.id
        for q in questions.questions
        if q.answers and given[q.id] and not f1(q.answers.values(), given[q.id])
    ]
    assert 50 < sum(not found for found in given.values()) < 160
    assert wrong


# --- the journal ----------------------------------------------------------------------------------


@pytest.fixture
def three(tmp_path: Path) -> QuestionSet:
    return question_set(
        tmp_path,
        {
            "1": "What is the height of Great Oak?",
            "2": "What does it cost?",
            "3": "Is Tall Elm a tree?",
        },
    )


def question_set(folder: Path, texts: dict[str, str]) -> QuestionSet:
    entries = [
        {
            "id": key,
            "question": [{"language": "en", "string": text}],
            "query": {"sparql": "SELECT ?gold { }"},
            "answers": [],
        }
        for key, text in texts.items()
    ]
    (folder / "three.json").write_text(json.dumps({"questions": entries}), encoding="utf-8")
    return read_questions(folder / "three.json")


def test_journal_holds_answers_queries_and_silence(
    tmp_path: Path, toy: LocalStore, three: QuestionSet
) -> None:
    done = ask_all(three, small("typed", toy), tmp_path / "typed.jsonl")
    run = read_journal(tmp_path / "typed.jsonl")
    assert [response.status for response in run.responses.values()] == [
        "answered",
        "empty",
        "answered",
    ]
    assert "height" in run.response("1").query
    assert run.response("1").seconds is not None
    assert run.responses == done.responses
    assert done.summary("questions") == "3 questions: 2 answered, 1 empty"


def test_without_times_the_bytes_are_the_same(
    tmp_path: Path, toy: LocalStore, three: QuestionSet
) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        ask_all(three, small("typed", toy), tmp_path / name, pacing=Pacing(times=False))
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    assert read_journal(tmp_path / "a.jsonl").response("1").seconds is None


def test_failures_are_told_with_the_first_and_its_reason(
    tmp_path: Path, three: QuestionSet
) -> None:
    def ask(name: str, text: str) -> Response:
        return Response(name, "timeout" if name == "3" else "failed", error="no")

    notes = ask_all(three, stub("stub", ask), tmp_path / "run.jsonl").notes
    assert [note.split(";")[0] for note in notes] == [
        "2 of 3 questions failed (first: 1: no)",
        "1 of 3 questions had no answer in time (first: 3: no)",
    ]


def test_failed_and_late_questions_are_asked_again(tmp_path: Path, three: QuestionSet) -> None:
    asked: list[str] = []
    outcomes = iter(["failed", "timeout", "failed", "failed", "failed"])

    def ask(name: str, text: str) -> Response:
        asked.append(name)
        return (
            Response(name, "answered", Answers(boolean=True))
            if name == "1"
            else Response(name, next(outcomes), error="no")
        )

    ask_all(three, stub("stub", ask), tmp_path / "run.jsonl")
    again = ask_all(three, stub("stub", ask), tmp_path / "run.jsonl")
    assert asked == ["1", "2", "3", "2", "3"]
    assert again.asked == 2
    assert again.responses["1"].status == "answered"


def test_journal_of_another_system_graph_or_set_is_refused(
    tmp_path: Path,
    toy: LocalStore,
    example: LocalStore,
    three: QuestionSet,
    refused: Callable[..., str],
) -> None:
    from qaldgen.errors import UsageError

    journal = tmp_path / "run.jsonl"
    ask_all(three, small("lookup", toy), journal)
    kept = journal.read_bytes()
    (tmp_path / "other").mkdir()
    others = question_set(tmp_path / "other", {"1": "Is Great Oak a tree?"})
    for questions, asker in (
        (three, small("typed", toy)),
        (three, small("lookup", example)),
        (others, small("lookup", toy)),
    ):
        message = refused(
            lambda questions=questions, asker=asker: ask_all(questions, asker, journal), UsageError
        )
        assert "run.jsonl: is a journal of lookup in en over toy" in message
        assert "remove it" in message
    assert journal.read_bytes() == kept


def test_question_without_a_wording_fails_and_is_not_sent(
    tmp_path: Path, three: QuestionSet
) -> None:
    def never(name: str, text: str) -> Response:
        raise AssertionError(text)

    done = ask_all(three, stub("stub", never), tmp_path / "run.jsonl", language="fr")
    assert {response.status for response in done.responses.values()} == {"failed"}
    assert "no text in 'fr'" in done.responses["1"].error


# --- live systems ---------------------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[servers.StubServer]:
    with servers.StubServer("").running() as running:
        running.always = servers.body(GOOD, "application/json")
        yield running


def ask(
    server: servers.StubServer,
    *,
    text: str = QUESTION,
    timeout: float = 5.0,
    retries: int = 2,
    raw: bool = False,
) -> Response:
    return ask_one(
        System(server.url, timeout=timeout, retries=retries, raw=raw, backoff=0.01), text, "7"
    )


def test_good_reply_is_an_answer_under_our_id(server: servers.StubServer) -> None:
    given = ask(server)
    assert (given.id, given.status, given.query, given.error) == ("7", "answered", "ASK {}", "")
    assert given.answers is not None and given.answers.boolean is True
    assert given.seconds is not None and 0 <= given.seconds < 5


def test_question_arrives_whole_in_a_form(server: servers.StubServer) -> None:
    ask(server)
    seen = server.requests[0]
    assert (seen.method, seen.fields) == ("POST", {"query": [QUESTION], "lang": ["en"]})


def test_raw_form_is_what_gerbil_sends(server: servers.StubServer) -> None:
    bodies: list[bytes] = []

    def keep(request: servers.Handler) -> None:
        bodies.append(request.query.encode())
        request.reply(GOOD)

    server.steps = [keep]
    ask(server, raw=True)
    assert bodies == [b"Which lakes, 50 % "]  # a form parser stops at the bare ampersand
    assert (
        server.requests[0].headers["Content-Type"]
        == "application/x-www-form-urlencoded; charset=ISO-8859-1;charset=UTF-8"
    )


def test_parameters_of_the_address_are_kept_and_the_password_is_not_shown(
    server: servers.StubServer,
) -> None:
    server.always = servers.status(500, "no secret here")
    url = server.url.replace("http://", "http://me:hidden@") + "?model=large"
    given = ask_one(System(url, retries=0), QUESTION, "7")
    assert server.requests[0].fields["model"] == ["large"]
    assert server.requests[0].headers["Authorization"].startswith("Basic ")
    assert "hidden" not in given.error


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ('{"head": {"vars": ["x"]}, "results": {"bindings": []}}', "bare SPARQL results"),
        ('{"head": {}, "boolean": true}', "bare SPARQL results"),
        ('{"questions": []}', "contains no question"),
        ('{"questions": null}', "contains no question"),
        ("[]", "contains no question"),
        ("7", "contains no question"),
        ("", "the answer is empty"),
        ("<html>Busy</html>", "a web page, not JSON: Busy"),
        ('{"questions": [{"answers": [{"boolean": tr', "not valid JSON (line 1"),
        ('{"questions": [7]}', "question 1"),
        (b"\xff\xfe\x00", "UTF-16"),
        (b'{"questions": "\xe9"}', "not UTF-8"),
    ],
)
def test_other_replies_are_failures_with_the_reason(
    server: servers.StubServer, reply: str | bytes, words: str
) -> None:
    server.always = servers.body(reply, "application/json")
    given = ask(server)
    assert (given.status, given.answers) == ("failed", None)
    assert words in given.error
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "entry",
    [{}, {"answers": []}, {"answers": [{"head": {"vars": ["x"]}, "results": {"bindings": []}}]}],
)
def test_reply_without_answers_is_empty_and_no_failure(
    server: servers.StubServer, entry: dict[str, object]
) -> None:
    server.always = servers.body(json.dumps({"questions": [entry]}))
    assert ask(server).status == "empty"


def test_only_the_first_question_of_a_reply_counts(server: servers.StubServer) -> None:
    entries = [{"answers": [{"boolean": False}]}, {"answers": [{"boolean": True}]}]
    server.always = servers.body(json.dumps({"questions": entries}))
    answers = ask(server).answers
    assert answers is not None and answers.boolean is False


def test_extended_reply_with_answers_in_a_string_is_read(server: servers.StubServer) -> None:
    inner = json.dumps(
        {
            "head": {"vars": ["x"]},
            "results": {"bindings": [{"x": {"type": "uri", "value": EX + "Oak"}}]},
        }
    )
    server.always = servers.body(json.dumps({"questions": [{"question": {"answers": inner}}]}))
    answers = ask(server).answers
    assert answers is not None and answers.values() == [EX + "Oak"]


def test_reply_that_gerbil_would_refuse_is_read_and_told(server: servers.StubServer) -> None:
    results = {"head": {"vars": []}, "results": {"distinct": True, "bindings": []}}
    server.always = servers.body(json.dumps({"questions": [{"answers": [results]}]}))
    given = ask(server)
    assert given.status == "empty"
    assert "GERBIL would refuse the reply" in given.error and "distinct" in given.error


def test_busy_system_is_tried_again(server: servers.StubServer) -> None:
    server.steps = [servers.status(503), servers.dropped]
    assert ask(server).status == "answered"
    assert len(server.requests) == 3


def test_busy_system_says_when_to_come_back(
    server: servers.StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []

    async def rest(_gate: Gate, seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(Gate, "rest", rest)
    server.steps = [servers.status(429, headers={"Retry-After": "7"}), servers.status(503)]
    assert ask(server).status == "answered"
    waits = [wait for wait in slept if wait > 0]
    assert 7 <= waits[0] <= 8
    assert any(0.02 <= wait <= 0.03 for wait in waits)


def test_tries_have_an_end(server: servers.StubServer) -> None:
    server.always = servers.status(503, "come back later")
    given = ask(server)
    assert given.status == "failed"
    assert "HTTP 503 Service Unavailable: come back later (3 tries)" in given.error
    assert len(server.requests) == 3


@pytest.mark.parametrize("code", [400, 404, 500])
def test_error_of_the_system_is_a_failure_at_once(server: servers.StubServer, code: int) -> None:
    server.always = servers.status(code, "Traceback:\n nothing")
    given = ask(server)
    assert given.status == "failed"
    assert f"HTTP {code}" in given.error and "Traceback: nothing" in given.error
    assert len(server.requests) == 1


@pytest.mark.parametrize("stall", [servers.stalled, servers.dripped, servers.dripped_head])
def test_late_reply_is_a_timeout(server: servers.StubServer, stall: servers.Step) -> None:
    server.always = stall
    start = time.monotonic()
    given = ask(server, timeout=0.4)
    assert (given.status, given.answers) == ("timeout", None)
    assert "within 0.4 seconds" in given.error
    assert time.monotonic() - start < 5
    assert len(server.requests) == 1


def test_nobody_at_the_port_is_a_failure() -> None:
    given = ask_one(System(f"http://127.0.0.1:{servers.free_port()}/qa"), QUESTION, "7")
    assert given.status == "failed"
    assert "connection refused" in given.error


def test_text_that_is_no_unicode_is_sent_all_the_same(server: servers.StubServer) -> None:
    assert ask(server, text="oak \ud800").status == "answered"
    assert ask(server, text="oak \ud800", raw=True).status == "answered"


def test_live_run_goes_on_where_it_was(
    tmp_path: Path, server: servers.StubServer, three: QuestionSet
) -> None:
    server.steps = [servers.body(GOOD), servers.status(500), servers.body(GOOD)]
    asker = make_asker(System(server.url, retries=0))
    ask_all(three, asker, tmp_path / "run.jsonl")
    done = ask_all(three, asker, tmp_path / "run.jsonl")
    assert [seen.query for seen in server.requests][-1] == three.questions[1].text()
    assert done.asked == 1
    assert done.summary("questions") == "3 questions: 3 answered; 2 of them from the journal"


# --- the command ----------------------------------------------------------------------------------


GRAPH = ROOT / "examples" / "graph.ttl"


@pytest.mark.usefixtures("three")
def test_command_writes_the_journal_and_goes_on(tmp_path: Path, call: Call) -> None:
    first = call(
        "ask",
        "three.json",
        "--system",
        "typed",
        "--kg",
        GRAPH,
        "-o",
        "run.jsonl",
        "--no-times",
        cwd=tmp_path,
    )
    assert (first.code, first.out) == (0, ""), first.err
    data = (tmp_path / "run.jsonl").read_bytes()
    again = call(
        "ask", "three.json", "--system", "typed", "--kg", GRAPH, "-o", "run.jsonl", cwd=tmp_path
    )
    assert "3 of them from the journal" in again.err
    assert (tmp_path / "run.jsonl").read_bytes() == data
    anew = call(
        "ask",
        "three.json",
        "--system",
        "lookup",
        "--kg",
        GRAPH,
        "-o",
        "run.jsonl",
        "--force",
        cwd=tmp_path,
    )
    assert anew.code == 0 and "from the journal" not in anew.err
    assert len((tmp_path / "run.jsonl").read_text(encoding="utf-8").splitlines()) == 3


@pytest.mark.usefixtures("three")
def test_command_writes_to_stdout(tmp_path: Path, call: Call) -> None:
    result = call("ask", "three.json", "--system", "typed", "--kg", GRAPH, cwd=tmp_path)
    assert [json.loads(line)["id"] for line in result.out.splitlines()] == ["1", "2", "3"]


@pytest.mark.usefixtures("three")
def test_command_leaves_its_inputs_alone(tmp_path: Path, call: Call) -> None:
    kept = (tmp_path / "three.json").read_bytes()
    result = call(
        "ask",
        "three.json",
        "--system",
        "typed",
        "--kg",
        GRAPH,
        "-o",
        "./three.json",
        "--force",
        cwd=tmp_path,
    )
    assert result.code == 2 and "is an input of this command" in result.err
    assert (tmp_path / "three.json").read_bytes() == kept


@pytest.mark.usefixtures("three")
def test_command_asks_a_make_asker(tmp_path: Path, server: servers.StubServer, call: Call) -> None:
    result = call("ask", "three.json", "--url", server.url, "-o", "run.jsonl", cwd=tmp_path)
    assert "3 answered" in result.err
    assert len(server.requests) == 3


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "or --url URL"),
        (["--system", "typed", "--url", "http://localhost/"], "two systems given"),
        (["--system", "typed"], "pass its file with --kg FILE"),
        (["--system", "oracle", "--kg", GRAPH], "there is no system 'oracle'"),
        (["--url", "http://localhost/", "--model", "m"], "--model only applies with openai"),
        (["--system", "typed", "--kg", GRAPH, "--raw"], "--raw only applies with gerbil"),
        (["--url", "http://localhost/", "--timeout", "0"], "0.0 is not in the range x>0"),
        (["--url", "localhost"], "begins with http"),
    ],
)
def test_command_refuses_wrong_calls(
    tmp_path: Path, words: list[object], message: str, call: Call
) -> None:
    result = call("ask", "three.json", *words, "-o", "run.jsonl", cwd=tmp_path)
    assert result.code == 2, result.err
    assert message in result.err.splitlines()[-1]
    assert not (tmp_path / "run.jsonl").exists()


def test_texts_for_prompts_are_a_mapping_or_its_file(tmp_path: Path) -> None:
    import qaldgen as qg

    asked = qg.QuestionSet("lakes", "table", (qg.Question("1", {"en": ("How deep?",)}),))
    path = tmp_path / "texts.json"
    path.write_text('{"1": "Lake Amber is 7 m deep."}', encoding="utf-8")
    runs = [
        qg.ask(asked, str.upper, contexts=given, journal=tmp_path / "journal.jsonl")
        for given in (path, {"1": "Lake Amber is 7 m deep."})
    ]
    assert runs[0].responses == runs[1].responses
    with pytest.raises(qg.UsageError, match="is a journal of"):
        qg.ask(asked, str.upper, journal=tmp_path / "journal.jsonl")
