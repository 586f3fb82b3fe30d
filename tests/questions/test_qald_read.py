"""QALD in JSON and XML, and questions in RDF: what each field of them becomes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest
from format_files import DATA, by_id, column, load, qald, read_file_with
from questions import uri

from qaldgen.model import Answers, Cell, LeftOut, Question
from qaldgen.questions.collecting import ReadOptions
from qaldgen.questions.reading import read_questions
from qaldgen.questions.writing import dump_extended, dump_qald

Refused = Callable[..., str]


# --- QALD JSON


def test_qald_keeps_all_wordings_of_a_language() -> None:
    assert by_id("qald.json")["7"].texts == {
        "en": ("Which mice own the moon?", "Whose is the moon?"),
        "pt-BR": ("De quem é a lua?",),
    }


def test_qald_keywords_are_text_or_list() -> None:
    assert by_id("qald.json")["7"].keywords == {"en": "mouse, own, moon", "pt-BR": "lua, dono"}


def test_qald_flags_are_booleans_or_words() -> None:
    questions = by_id("qald.json")
    assert questions["7"].flags == {"aggregation": False, "onlydbo": True, "hybrid": False}
    assert questions["8"].flags == {"aggregation": True, "onlydbo": True, "hybrid": False}


def test_qald_answers_are_a_list() -> None:
    pip, squeak = uri("http://dbpedia.org/resource/Pip"), uri("http://dbpedia.org/resource/Squeak")
    rows = ((pip, None), (squeak, Cell("literal", "Squeak", "", "en")))
    assert by_id("qald.json")["7"].answers == Answers(variables=("uri", "name"), rows=rows)


def test_qald_answers_are_a_string_with_json_and_typed_literals() -> None:
    cell = Cell("literal", "12", "http://www.w3.org/2001/XMLSchema#integer")
    assert by_id("qald.json")["8"].answers == column("n", cell)


def test_qald_answers_are_one_object_with_a_word_for_the_boolean() -> None:
    assert by_id("qald.json")["9"].answers == Answers(boolean=False)


def test_qald_without_answers_differs_from_an_empty_answer() -> None:
    questions = by_id("qald.json")
    assert questions["9#2"].answers is None
    assert questions["12"].answers == Answers(variables=("uri",))


def test_qald_says_what_is_out_of_scope_or_without_text() -> None:
    assert load("qald.json").left_out == (
        LeftOut("10", "OUT OF SCOPE: cannot be answered from the data"),
        LeftOut("11", "no text in any language"),
    )


def test_qald_pseudo_query_is_no_query() -> None:
    question = by_id("qald.json")["9"]
    assert question.queries == {}
    assert question.metadata == {"pseudoquery": 'ASK { ?x text:"is made of" text:"cheddar" }'}


def test_qald_says_origin_and_split_and_keeps_more_keys() -> None:
    question = by_id("qald.json")["12"]
    assert (question.origin, question.split, question.metadata) == (
        "moon-cheese-train",
        "train",
        {"cluster": "3"},
    )


def test_qald_several_answer_elements_are_united(tmp_path: Path) -> None:
    part = (
        '{"head": {"vars": ["%s"]}, "results": {"bindings": '
        '[{"%s": {"type": "literal", "value": "%s"}}]}}'
    )
    answers = f'"answers": [{part % ("a", "a", "1")}, {part % ("a", "a", "2")}]'
    assert read_file_with(tmp_path, qald(answers)).questions[0].answers == column(
        "a", Cell("literal", "1"), Cell("literal", "2")
    )


@pytest.mark.parametrize("head", ["{}", "[]", "null", '{"vars": null}'])
def test_qald_head_may_say_nothing(tmp_path: Path, head: str) -> None:
    answers = (
        f'"answers": [{{"head": {head}, "results": {{"bindings": [{{"x": {{"type": "uri", "value":'
        ' "http://x.org/a"}}]}}]'
    )
    assert read_file_with(tmp_path, qald(answers)).questions[0].answers == column(
        "x", uri("http://x.org/a")
    )


def test_qald_texts_may_be_one_string(tmp_path: Path) -> None:
    text = '{"questions": [{"id": 1, "question": "Wer?"}]}'
    (tmp_path / "q").write_text(text)
    assert read_questions(tmp_path / "q", ReadOptions(language="de")).questions[0].texts == {
        "de": ("Wer?",)
    }


def test_qald_answer_type_of_no_kind_is_metadata(tmp_path: Path) -> None:
    question = read_file_with(tmp_path, qald('"answertype": "planet"')).questions[0]
    assert (question.answer_type, question.metadata) == ("", {"answertype": "planet"})


@pytest.mark.parametrize(
    ("said", "type_"),
    [("uri", "resource"), ("list", ""), ("RESOUCE", "resource"), ("Num", "number")],
)
def test_qald_answer_types_are_mapped(tmp_path: Path, said: str, type_: str) -> None:
    assert (
        read_file_with(tmp_path, qald(f'"answertype": "{said}"')).questions[0].answer_type == type_
    )


def test_qald_of_ours_is_read_back(tmp_path: Path) -> None:
    written = (
        Question(
            "a",
            {"en": ("Who?",), "de": ("Wer?",)},
            queries={"": "ASK { ?s ?p ?o }"},
            answers=Answers(boolean=True),
        ),
        Question(
            "b",
            {"en": ("What?",)},
            queries={"": "ASK {}"},
            answers=column("x", uri("http://x.org/a")),
            answer_type="resource",
        ),
        Question(
            "c",
            {"en": ("Where?",)},
            queries={"": "ASK {}"},
            answers=Answers(variables=("x",)),
            flags={"hybrid": False},
        ),
    )
    (tmp_path / "q").write_bytes(dump_qald([*written, Question("d", {"en": ("Why?",)})], "mine"))
    (tmp_path / "x").write_bytes(dump_extended(written, "mine", language="de"))
    plain, extended = read_questions(tmp_path / "q"), read_questions(tmp_path / "x")
    assert (plain.format, extended.format) == ("qald-json", "qald-extended")
    expected = [dataclasses.replace(question, origin="mine") for question in written]
    assert list(plain.questions) == [*expected, Question("d", {"en": ("Why?",)}, origin="mine")]
    assert list(extended.questions) == expected


def test_qald_5_has_texts_in_body_and_plain_answers() -> None:
    questions = by_id("qald5.json")
    first = questions["1"]
    assert first.texts == {"en": ("Who brews the tea?",), "ro": ("Cine face ceaiul?",)}
    assert first.queries == {
        "dbpedia": "SELECT ?uri { ?uri <http://dbpedia.org/ontology/brews> ?t }"
    }
    assert first.answers == column(
        "uri", uri("http://dbpedia.org/resource/Samovar"), uri("http://dbpedia.org/resource/Kettle")
    )
    assert questions["3"].answers == column("number", Cell("literal", "400"))


def test_qald_5_pseudo_query_in_the_place_of_the_query_is_no_query() -> None:
    question = by_id("qald5.json")["3"]
    assert (question.queries, question.metadata) == (
        {},
        {"pseudoquery": 'SELECT ?n { ?t text:"age of tea" ?n }'},
    )


def test_extended_qald_is_read() -> None:
    found = load("qald-extended.json")
    first, second = found.questions
    assert first.texts == {"en": ("Which clouds sing?",), "de": ("Welche Wolken singen?",)}
    assert first.queries == {"dbpedia": "SELECT ?c { ?c <http://dbpedia.org/ontology/sings> ?s }"}
    assert first.flags == {"aggregation": False, "onlydbo": True, "hybrid": False}
    assert (first.keywords, first.split) == ({"en": "cloud, sing"}, "test")
    assert second.answers == Answers(boolean=True)
    assert second.metadata == {"pseudoquery": 'ASK { ?c text:"sleep" ?x }'}
    assert found.left_out == (LeftOut("3", "no text in any language"),)


# --- QALD XML


def test_xml_texts_are_stripped_and_cells_of_one_answer_are_one_row() -> None:
    question = by_id("qald.xml")["1"]
    assert question.texts == {"en": ("Which frogs play the drum?",)}
    croak = (uri("http://dbpedia.org/resource/Croak"), Cell("literal", "Croak"))
    assert question.answers == Answers(
        variables=("uri", "string"), rows=(croak, (uri("http://dbpedia.org/resource/Ribbit"), None))
    )


def test_xml_text_without_language_is_in_the_language_given() -> None:
    found = read_questions(DATA / "qald.xml", ReadOptions(language="nl"))
    assert found.questions[0].texts == {"nl": ("Which frogs play the drum?",)}


def test_xml_marks_languages_and_keywords() -> None:
    question = by_id("qald.xml")["2"]
    assert question.texts == {
        "en": ("How deep is the pond?",),
        "es": ("¿Qué tan hondo es el estanque?",),
    }
    assert question.flags == {"aggregation": True, "onlydbo": False}
    assert question.metadata == {"onlyesdbp": "true", "answertype": "num"}
    assert question.keywords == {"en": "deep, pond"}
    assert (question.answer_type, question.queries) == ("number", {})


@pytest.mark.parametrize(("name", "answers"), [
    ("3", Answers(boolean=True)), ("4", Answers(boolean=False)), ("5", Answers()), ("9", None),
    ("6", column("date", Cell("literal", "1999-09-09"))),
    ("2", column("number", Cell("literal", "4"))),
])  # fmt: skip
def test_xml_answers(name: str, answers: Answers | None) -> None:
    assert by_id("qald.xml")[name].answers == answers


@pytest.mark.parametrize(("answers", "values"), [
    ("<answers><number>3</number></answers>", ["3"]),
    ("<answers> <uri> http://x.org/a </uri><uri>http://x.org/b</uri> </answers>",
        ["http://x.org/a", "http://x.org/b"]),
    ("<answers><uri>http://x.org/a</uri><string>A</string></answers>", ["http://x.org/a", "A"]),
    ("<answers><boolean>false</boolean></answers>", ["false"]),
    ("<answers><integer>5</integer></answers>", ["5"]),
    ("<answers> 1999-01-01 </answers>", ["1999-01-01"]),
    ("<answers><answer><string>x</string></answer><string>y</string></answers>", ["x", "y"]),
    ("<answers><number>1</number></answers><answers><number>2</number></answers>", ["1", "2"]),
    ('<answers><answer uri="http://x.org/c"/><answer value="7"/></answers>',
        ["http://x.org/c", "7"]),
    ("<answer><string>x</string></answer>", ["x"]),
    ("<answers><answer>The <b>big</b> one</answer></answers>", ["The big one"]),
    ('<query>select ?p {}<answers><p answerType="uri">x:a</p><p answerType="uri">x:b</p></answers>'
        "</query>", ["x:a", "x:b"]),
    ("<answers><answer><uri/></answer></answers>", []),
], ids=str)  # fmt: skip
def test_xml_answers_are_read_in_every_shape(
    tmp_path: Path, answers: str, values: list[str]
) -> None:
    text = f'<dataset id="d"><question id="1"><string>Who?</string>{answers}</question></dataset>'
    read = read_file_with(tmp_path, text).questions[0].answers
    assert read is not None
    assert read.values() == values


def test_xml_pseudo_query_is_no_query() -> None:
    question = by_id("qald.xml")["3"]
    assert (question.queries, question.flags) == ({}, {"hybrid": True})
    assert question.metadata == {"pseudoquery": 'ASK { ?f text:"dream of" ?x }'}


def test_xml_says_what_is_out_of_scope_or_without_text() -> None:
    assert [item.record for item in load("qald.xml").left_out] == ["7", "8"]


def test_xml_declared_in_another_encoding_but_written_in_utf8_is_read(tmp_path: Path) -> None:
    text = (
        '<?xml version="1.0" encoding="ISO-8859-1"?><dataset id="d"><question'
        ' id="1"><string>Żaba?</string></question></dataset>'
    )
    assert read_file_with(tmp_path, text).questions[0].text() == "Żaba?"


# --- RDF


def test_rdf_questions_are_the_subjects_with_a_text() -> None:
    found = load("questions.ttl")
    first, second = found.questions
    assert (first.id, first.iri) == ("1", "http://x.org/question#1")
    assert first.texts == {"en": ("Who paints the fence?",), "de": ("Wer streicht den Zaun?",)}
    assert (second.answers, second.origin) == (Answers(boolean=True), "garden")
    assert found.left_out == (LeftOut("http://x.org/question#3", "no text in any language"),)


@pytest.mark.parametrize("text", [
    '<http://x.org/q1> <http://qald-gen.aksw.org/vocab#text> "Who?" .\n',
    '_:b <http://x.org/p> "x" .\n<http://x.org/q1> <https://schema.org/text> "Who?" .\n',
    'PREFIX q: <http://qald-gen.aksw.org/vocab#> <http://x.org/q1> q:text "Who?" .',
    '{"@id": "http://x.org/q1", "http://qald-gen.aksw.org/vocab#text": "Who?"}',
    '<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    'xmlns:q="http://qald-gen.aksw.org/vocab#"><rdf:Description '
    'rdf:about="http://x.org/q1"><q:text>Who?</q:text></rdf:Description></rdf:RDF>',
], ids=["nt", "blank", "sparql-prefix", "jsonld", "rdfxml"])  # fmt: skip
def test_rdf_is_recognised_in_every_syntax(tmp_path: Path, text: str) -> None:
    found = read_file_with(tmp_path, text)
    assert (found.format, [q.text() for q in found.questions]) == ("rdf", ["Who?"])
