"""QALD JSON: what GERBIL's loader takes, and what a user should know before it scores."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from pyoxigraph import Store
from questions import one_column, question

from qaldgen.model import Answers, Cell, Question
from qaldgen.questions.rdf_questions import read_question
from qaldgen.questions.results_json import answers_json
from qaldgen.questions.writing import dump_extended, dump_qald
from qaldgen.rdf.terms import XSD
from qaldgen.stores.local import LocalStore

Refused = Callable[..., str]

A, B = Cell("uri", "http://x.org/A"), Cell("uri", "http://x.org/B")
FIVE = Cell("literal", "5", XSD + "int")
TAGGED = Cell("literal", "cinq", "", "fr")


class Unloadable(Exception):
    """GERBIL would refuse the file."""


def need(condition: object, what: str) -> None:
    if not condition:
        raise Unloadable(what)


def keys(found: object, allowed: str, where: str) -> dict[str, Any]:
    need(isinstance(found, dict), f"{where} is no object")
    assert isinstance(found, dict)
    unknown = set(found) - set(allowed.split())
    need(not unknown, f"{where} has {unknown}")
    return found


def items(found: object, where: str) -> list[Any]:
    need(isinstance(found, list), f"{where} is no list")
    assert isinstance(found, list)
    return found


def parses(query: object) -> bool:
    try:
        Store().query(str(query))
    except SyntaxError:
        return False
    return isinstance(query, str)


def check_answer(found: object) -> None:
    answer = keys(found, "head results boolean confidence", "answer")
    need(isinstance(answer.get("boolean"), bool | None), "boolean")
    head = keys(answer.get("head", {}), "vars link", "head")
    need(all(isinstance(name, str) for name in items(head.get("vars", []), "vars")), "vars")
    results = keys(answer.get("results", {}), "bindings", "results")
    for row in items(results.get("bindings", []), "bindings"):
        need(isinstance(row, dict), "row")
        for cell in row.values():
            check_cell(cell)


def check_cell(found: object) -> None:
    cell = keys(found, "type value datatype xml:lang", "cell")
    need(isinstance(cell.get("value"), str), "a cell without a value")
    need(all(isinstance(value, str) for value in cell.values()), "cell")


def check_flags(found: Mapping[str, Any]) -> None:
    for name in ("aggregation", "onlydbo", "hybrid"):
        need(isinstance(found.get(name, False), bool), name)


def check_head(document: dict[str, Any]) -> list[Any]:
    data = keys(document.get("dataset", {}), "id metadata", "dataset")
    need(all(isinstance(value, str) for value in data.values()), "dataset")
    return items(document.get("questions", []), "questions")


def load_qald(data: bytes) -> dict[str, Any]:
    """Load QALD JSON by the rules of GERBIL's loader, the tolerant ones left out."""
    document = keys(json.loads(data), "dataset questions", "file")
    for entry in check_head(document):
        need(isinstance(entry, dict), "entry")
        need(isinstance(entry.get("id"), str), "id")
        need(isinstance(entry.get("answertype", ""), str), "answertype")
        check_flags(entry)
        for text in items(entry.get("question", []), "question"):
            need(
                all(
                    isinstance(value, str)
                    for value in keys(text, "language string keywords", "text").values()
                ),
                "text",
            )
        query = keys(entry.get("query", {}), "sparql pseudo", "query")
        need(all(isinstance(value, str) for value in query.values()), "query")
        for answer in items(entry.get("answers", []), "answers"):
            check_answer(answer)
    return document


def load_extended(data: bytes) -> dict[str, Any]:
    """Load extended QALD JSON by the rules of GERBIL's loader, the tolerant ones left out."""
    document = keys(json.loads(data), "dataset questions", "file")
    for entry in check_head(document):
        allowed = "id answertype confidence answeritemtype metadata language answers"
        question = keys(keys(entry, "question", "entry").get("question"), allowed, "question")
        need(isinstance(question.get("id"), str), "id")
        check_flags(keys(question.get("metadata", {}), "aggregation onlydbo hybrid", "metadata"))
        items(question.get("answeritemtype", []), "answeritemtype")
        for text in items(question.get("language", []), "language"):
            found = keys(
                text, "language question keywords SPARQL schemaless annotations pseudo", "text"
            )
            need(parses(found.get("SPARQL")), "SPARQL")
            need(
                all(
                    isinstance(found.get(name, ""), str)
                    for name in ("language", "question", "keywords")
                ),
                "text",
            )
        check_answer(question.get("answers") or {})
    return document


def entry(given: Question) -> dict[str, Any]:
    """Dump a question and return its entry."""
    document = load_qald(dump_qald([given], "set"))
    found: dict[str, Any] = document["questions"][0]
    return found


def extended(given: Question, language: str = "en") -> dict[str, Any]:
    found: dict[str, Any] = load_extended(dump_extended([given], "set", language=language))[
        "questions"
    ][0]["question"]
    return found


FULL = Question(
    id="7",
    answers=Answers(
        variables=("x", "y"),
        rows=((A, FIVE), (None, TAGGED), (Cell("bnode", "b0"), Cell("literal", "plain"))),
    ),
    texts={"de": ("Wer?", "Welcher?"), "en": ("Who?",)},
    queries={"dbpedia": "SELECT ?x ?y { ?x <http://x.org/p> ?y }"},
    answer_type="resource",
    flags={"aggregation": False, "onlydbo": True},
)


def test_full_question_loads_as_qald() -> None:
    load_qald(dump_qald([FULL], "set", "signature", {"7": {"cluster": 3, "weight": 1.5}}))


def test_full_question_loads_as_extended_qald() -> None:
    load_extended(dump_extended([FULL], "set", "signature"))


def test_poor_question_loads() -> None:
    load_qald(dump_qald([question()], "set"))
    load_extended(dump_extended([question(query="ASK {}")], "set"))


def test_no_question_loads() -> None:
    assert load_qald(dump_qald([], "set")) == {"dataset": {"id": "set"}, "questions": []}


def test_data_set_has_its_name_and_metadata() -> None:
    assert load_qald(dump_qald([question()], "set", "signature"))["dataset"] == {
        "id": "set",
        "metadata": "signature",
    }
    assert load_extended(dump_extended([], "set", "signature"))["dataset"] == {
        "id": "set",
        "metadata": "signature",
    }


def test_questions_keep_their_order() -> None:
    names = ["9", "10", "1"]
    assert [
        q["id"] for q in load_qald(dump_qald([question(n) for n in names], "set"))["questions"]
    ] == names


def test_cluster_and_weight_stand_in_the_entry_of_their_question() -> None:
    extra = {"2": {"cluster": 3, "weight": 1.5}}
    first, second = load_qald(dump_qald([question("1"), question("2")], "set", extra=extra))[
        "questions"
    ]
    assert (first.get("cluster"), first.get("weight")) == (None, None)
    assert (second["cluster"], second["weight"]) == (3, 1.5)


def test_of_several_wordings_the_main_one_stands_first_and_last() -> None:
    assert entry(FULL)["question"] == [
        {"language": "de", "string": "Wer?"},
        {"language": "de", "string": "Welcher?"},
        {"language": "de", "string": "Wer?"},
        {"language": "en", "string": "Who?"},
    ]


def test_gerbil_takes_the_main_wording() -> None:
    last = {text["language"]: text["string"] for text in entry(FULL)["question"]}
    assert last == {"de": "Wer?", "en": "Who?"}
    assert extended(FULL, "de")["language"][-1]["question"] == "Wer?"


def test_query_flags_and_type_are_written() -> None:
    found = entry(FULL)
    assert found["query"] == {"sparql": "SELECT ?x ?y { ?x <http://x.org/p> ?y }"}
    assert (found["answertype"], found["aggregation"], found["onlydbo"]) == (
        "resource",
        False,
        True,
    )


def test_what_is_unknown_is_left_out() -> None:
    assert set(entry(question())) == {"id", "question", "query", "answers"}
    assert entry(question())["query"] == {}


def test_unknown_answers_are_an_empty_list() -> None:
    assert entry(question())["answers"] == []


def test_empty_answers_are_an_answer_without_rows() -> None:
    assert entry(question(answers=Answers()))["answers"] == [
        {"head": {"vars": []}, "results": {"bindings": []}}
    ]


@pytest.mark.parametrize("value", [True, False])
def test_boolean_answer(value: bool) -> None:
    assert answers_json(Answers(boolean=value)) == {"head": {}, "boolean": value}


def test_rows_leave_out_unbound_cells() -> None:
    found = answers_json(Answers(variables=("x", "y"), rows=((A, None), (None, B))))
    assert found["head"] == {"vars": ["x", "y"]}
    assert found["results"] == {
        "bindings": [
            {"x": {"type": "uri", "value": A.value}},
            {"y": {"type": "uri", "value": B.value}},
        ]
    }


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        (A, '{"type": "uri", "value": "http://x.org/A"}'),
        (FIVE, f'{{"type": "literal", "value": "5", "datatype": "{XSD}int"}}'),
        (
            Cell("literal", "1", XSD + "boolean"),
            f'{{"type": "literal", "value": "1", "datatype": "{XSD}boolean"}}',
        ),
        (
            Cell("literal", "2012-1-1", XSD + "date"),
            f'{{"type": "literal", "value": "2012-1-1", "datatype": "{XSD}date"}}',
        ),
        (TAGGED, '{"type": "literal", "value": "cinq", "xml:lang": "fr"}'),
        (Cell("literal", ""), '{"type": "literal", "value": ""}'),
        (Cell("bnode", "b0"), '{"type": "bnode", "value": "b0"}'),
    ],
)
@pytest.mark.parametrize("dump", [dump_qald, dump_extended])
def test_datatype_stands_behind_the_value(
    dump: Callable[..., bytes], cell: Cell, written: str
) -> None:
    data = dump([question(answers=one_column(cell), query="ASK {}")], "set").decode()
    assert written in re.sub(r"\s+", " ", data).replace("{ ", "{").replace(" }", "}")


def test_letters_are_written_as_they_are() -> None:
    data = dump_qald([question(texts={"en": ("\u00c9t\u00e9 \u4e2d \U0001f600?",)})], "set")
    assert "\u00c9t\u00e9 \u4e2d \U0001f600?" in data.decode("utf-8")
    assert data.endswith(b"}\n")


def test_quotes_and_line_ends_survive() -> None:
    text = 'a "b" \\ \n c'
    assert entry(question(texts={"en": (text,)}))["question"][0]["string"] == text


@pytest.mark.parametrize("dump", [dump_qald, dump_extended])
@pytest.mark.parametrize("texts", [{}, {"en": ("",)}, {"en": ()}])
def test_question_without_text_is_refused(
    refused: Refused, dump: Callable[..., bytes], texts: Mapping[str, tuple[str, ...]]
) -> None:
    given = [question("1"), question("2", texts=texts), question("3", texts=texts)]
    message = refused(lambda: dump(given, "set"))
    assert message.startswith("2 of 3 questions have no text (first: 2); QALD JSON needs ")
    assert "Write .ttl or .csv instead" in message


def test_extended_form_keeps_the_language_asked_for_last() -> None:
    given = question(texts={"en": ("Who?",), "de": ("Wer?",), "fr": ("Qui ?",)}, query="ASK {}")
    assert [text["language"] for text in extended(given)["language"]] == ["de", "fr", "en"]
    assert [text["language"] for text in extended(given, language="de")["language"]] == [
        "en",
        "fr",
        "de",
    ]


def test_extended_form_has_the_query_with_every_text() -> None:
    found = extended(FULL)
    assert [text["SPARQL"] for text in found["language"]] == [FULL.sparql] * 4
    assert [text["question"] for text in found["language"]] == ["Wer?", "Welcher?", "Wer?", "Who?"]


def test_extended_form_has_flags_in_the_metadata() -> None:
    assert extended(FULL)["metadata"] == {"aggregation": False, "onlydbo": True}
    assert "metadata" not in extended(question(query="ASK {}"))


def test_extended_form_has_one_object_of_answers() -> None:
    assert extended(question(answers=Answers(boolean=True), query="ASK {}"))["answers"] == {
        "head": {},
        "boolean": True,
    }
    empty: dict[str, Any] = {"head": {"vars": []}, "results": {"bindings": []}}
    assert extended(question(answers=Answers(), query="ASK {}"))["answers"] == empty
    assert extended(question(query="ASK {}"))["answers"] is None


@pytest.mark.parametrize(
    "sparql", ["", " ", "SELEC ?x", "SELECT ?x { ?x dbo:p ?y }", "INSERT DATA {}"]
)
def test_extended_form_refuses_a_query_that_does_not_parse(refused: Refused, sparql: str) -> None:
    given = [question("1", query="ASK {}"), question("2", query=sparql), question("3")]
    message = refused(lambda: dump_extended(given, "set"))
    assert message.startswith(
        "extended QALD JSON needs a SPARQL query that parses in every question; 2 of 3 have none"
        " (first: 2)."
    )
    assert message.endswith("Write QALD JSON (.json) instead")


BASE = (
    '{"dataset": {"id": "a"}, "questions": [{"id": "1", "question": [], "query": {}, "answers":'
    " [%s]}]}"
)


@pytest.mark.parametrize(
    "data",
    [
        '{"questions": [], "more": 1}',
        '{"dataset": {"id": "a", "more": "b"}, "questions": []}',
        (
            '{"questions": [{"id": "1", "question": [{"language": '
            '"en", "string": "a", "more": "b"}]}]}'
        ),
        '{"questions": [{"id": "1", "query": {"SPARQL": "ASK {}"}}]}',
        '{"questions": [{"id": "1", "answers": {}}]}',
        BASE % '{"results": {"bindings": [], "distinct": false}}',
        BASE % '{"head": {"vars": []}, "result": {}}',
        BASE % '{"results": {"bindings": [{"x": {"type": "uri"}}]}}',
        BASE
        % '{"results": {"bindings": [{"x": {"type": "literal", "value": "a", "lang": "en"}}]}}',
    ],
)
def test_the_checks_of_these_tests_are_strict(data: str) -> None:
    with pytest.raises(Unloadable):
        load_qald(data.encode())


def test_the_checks_of_these_tests_refuse_what_gerbil_refused(shared_data: Path) -> None:
    path = shared_data / "oracles" / "gerbil" / "load_cases.json"
    if not path.is_file():
        pytest.skip(
            f"the record of GERBIL's loader is not at {path}; set QALDGEN_TEST_DATA to its folder"
        )
    wrong = []
    for case in json.loads(path.read_text(encoding="utf-8")):
        if "error" not in case:
            continue
        for load in (load_qald, load_extended):
            try:
                load(case["json"].encode())
            except (Unloadable, ValueError):
                continue
            wrong.append((case["name"], load.__name__))
    assert wrong == []


def test_published_questions_load(published_store: LocalStore, published_r1: Path) -> None:
    assert published_r1.is_file()
    iris = [f"http://qald-gen.aksw.org/question#{number}" for number in range(0, 5543, 50)]
    triples = published_store.triples(iris)
    questions = [read_question(iri, iri.rpartition("#")[2], triples) for iri in iris]
    document = load_qald(dump_qald(questions, "published"))
    assert len(document["questions"]) == len(iris)
    assert all(found["answers"] for found in document["questions"])
