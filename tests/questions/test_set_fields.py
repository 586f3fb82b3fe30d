"""Question sets of records, of every kind of graph or none: what each field of them becomes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from format_files import DATA, by_id, column, load, needs_yaml, read_file_with
from questions import uri

from qaldgen.model import Answers, Cell, LeftOut, Mention
from qaldgen.questions.collecting import ReadOptions
from qaldgen.questions.reading import read_questions

Refused = Callable[..., str]


# --- flat records


def test_lc_quad_has_template_and_bare_count() -> None:
    first = load("lc-quad.json").questions[0]
    assert first.queries["dbpedia"].startswith("SELECT DISTINCT COUNT(?uri) WHERE")
    assert first.metadata == {
        "template": "101",
        "intermediary_question": "What is the <kite> of <hill>",
    }
    assert (first.answers, first.origin) == (None, "LC-QuAD")


def test_lc_quad_duplicate_ids_are_kept() -> None:
    assert [question.id for question in load("lc-quad.json").questions] == ["31", "31#2"]


def test_lc_quad_annotations_are_mentions() -> None:
    assert load("lc-quad-earl.json").questions[0].mentions == (
        Mention("Blue River", "http://dbpedia.org/resource/Blue_River", "entity"),
        Mention("cities", "http://dbpedia.org/ontology/City", "class"),
        Mention("lie on", "http://dbpedia.org/ontology/river", "relation"),
    )


def test_lc_quad_2_has_paraphrases_and_two_graphs() -> None:
    question = by_id("lc-quad-2.json")["5"]
    assert question.texts == {"en": ("Which baker baked the bun?", "Who made the bun?")}
    assert list(question.queries) == ["wikidata", "dbpedia"]
    assert question.answers is None
    assert question.metadata == {
        "NNQT_question": "What is the {baker} of {bun}", "template": "<S P ?O>", "template_id": "2",
        "template_index": "65", "subgraph": "simple",
    }  # fmt: skip


def test_lc_quad_2_question_may_be_null_or_a_list() -> None:
    questions = by_id("lc-quad-2.json")
    assert questions["6"].texts == {"en": ("When was the oven hot?",)}
    assert questions["8"].texts == {"en": ("What rose?", "What went up?")}
    assert questions["8"].answers == column(
        "answer", uri("http://www.wikidata.org/entity/Q8"), Cell("literal", "9")
    )


def test_lc_quad_2_text_that_says_there_is_none_is_none() -> None:
    assert load("lc-quad-2.json").left_out == (LeftOut("7", "no text in any language"),)


def test_rubq_is_russian_and_english() -> None:
    question = by_id("rubq.json")["4"]
    assert question.texts == {"ru": ("Чей это ёжик?",), "en": ("Whose hedgehog is it?",)}
    assert question.origin == "RuBQ 2.0"
    assert question.answers == column("answer", uri("http://www.wikidata.org/entity/Q2"))
    assert question.metadata["tags"] == ("1-hop", "reverse")
    assert question.metadata["question_uris"] == ("http://www.wikidata.org/entity/Q1",)


def test_rubq_without_query_has_an_empty_answer() -> None:
    question = by_id("rubq.json")["6"]
    assert (question.queries, question.answers) == ({}, Answers())


def test_rubq_literals_keep_datatype_and_language() -> None:
    number, word = (
        Cell("literal", "7", "http://www.w3.org/2001/XMLSchema#integer"),
        Cell("literal", "семь", "", "ru"),
    )
    assert by_id("rubq.json")["5"].answers == column("answer", number, word)


def test_simple_questions_get_a_query() -> None:
    question = by_id("simplequestions.txt")["1"]
    entity, direct = "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/"
    assert question.queries == {
        "wikidata": f"SELECT ?x WHERE {{ <{entity}Q101> <{direct}P19> ?x }}"
    }
    assert question.answers == column("x", uri(f"{entity}Q102"))


def test_simple_questions_r_is_the_inverse() -> None:
    question = by_id("simplequestions.txt")["2"]
    entity, direct = "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/"
    assert question.queries == {
        "wikidata": f"SELECT ?x WHERE {{ ?x <{direct}P19> <{entity}Q103> }}"
    }
    assert question.metadata == {"subject": "Q103", "property": "R19"}


def test_mintaka_entities() -> None:
    question = by_id("mintaka.json")["aa11"]
    assert list(question.texts) == ["en", "de", "ja"]
    assert question.mentions == (Mention("Toyland", "http://www.wikidata.org/entity/Q11"),)
    assert question.answers == column("answer", uri("http://www.wikidata.org/entity/Q12"))
    assert question.answer_type == "resource"
    assert question.metadata == {"category": "geography", "complexity": "ordinal"}


@pytest.mark.parametrize(("name", "type_", "answers"), [
    ("aa12", "boolean", Answers(boolean=True)),
    ("aa13", "number", column("answer", Cell("literal", "42"))),
    ("aa14", "resource", Answers(texts=(("nobody knows",),))),
    ("aa15", "date", column("answer", Cell("literal", "1990-01-01"))),
])  # fmt: skip
def test_mintaka_answers(name: str, type_: str, answers: Answers) -> None:
    question = by_id("mintaka.json")[name]
    assert (question.answer_type, question.answers) == (type_, answers)


def test_kqa_pro_numbers_its_questions() -> None:
    first, second = load("kqa-pro.json").questions
    assert (first.id, second.id) == ("1", "2")
    assert first.answers == Answers(texts=(("pear",),))
    assert first.metadata == {"choices": ("plum", "pear")}
    assert "<pred:name>" in first.queries[""]
    assert (second.answers, second.queries) == (None, {})


def test_smart_types_are_answer_types() -> None:
    found = load("smart.json")
    assert [(q.id, q.answer_type) for q in found.questions] == [
        ("dbpedia_1", "boolean"), ("dbpedia_1#2", "number"), ("dbpedia_3", "resource")
    ]  # fmt: skip
    assert found.questions[2].metadata == {
        "answer_category": "resource",
        "answer_class": ("dbo:Goat", "dbo:Animal"),
    }
    assert found.left_out == (LeftOut("dbpedia_2", "no text in any language"),)


def test_gpt_family_answers_are_labels() -> None:
    first, second = load("gpt-family.json").questions
    assert first.texts == {"en": ("Which lamp is on?",), "hi-IN": ("कौन सा दीपक?",)}
    assert first.answers == Answers(texts=(("Red_Lamp",), ("Blue_Lamp",)))
    assert second.answers == Answers(boolean=True)


# --- Freebase


def test_webqsp_takes_the_first_parse_with_a_query() -> None:
    question = by_id("webqsp.json")["WebQTest-1"]
    assert question.texts == {"en": ("what does the Grey Cat speak?",)}
    assert question.queries["freebase"].startswith("#MANUAL SPARQL")
    assert question.answers == column(
        "answer", uri("http://rdf.freebase.com/ns/m.0meow"), Cell("literal", "2012-01-01")
    )
    assert question.mentions == (Mention("grey cat", "http://rdf.freebase.com/ns/m.0cat"),)
    assert question.split == "test"
    assert question.metadata == {"ProcessedQuestion": "what does the grey cat speak"}


def test_webqsp_without_parses_has_no_answers() -> None:
    question = by_id("webqsp.json")["WebQTrn-2"]
    assert (question.answers, question.queries, question.split) == (None, {}, "train")


def test_complex_web_questions() -> None:
    first, hidden = load("complexwebquestions.json").questions
    assert first.answers == column(
        "answer", uri("http://rdf.freebase.com/ns/m.0rex"), Cell("literal", "12")
    )
    assert first.metadata["compositionality_type"] == "conjunction"
    assert first.metadata["machine_question"] == "dog of village that barks"
    assert (hidden.answers, hidden.queries) == (None, {})


def test_grailqa() -> None:
    first, masked, columns = load("grailqa.json").questions
    number = Cell("literal", "9.5", "http://www.w3.org/2001/XMLSchema#float")
    assert first.answers == column("answer", uri("http://rdf.freebase.com/ns/m.0ship"), number)
    assert (first.metadata["level"], first.metadata["domain"]) == ("zero-shot", ("boats",))
    assert masked.answers is None
    assert columns.answers == column("answer", uri("http://rdf.freebase.com/ns/g.11b"))


# --- without a knowledge graph


def test_mkqa_answers_are_in_the_language_asked_for() -> None:
    assert by_id("mkqa.jsonl")["-4321"].answers == Answers(texts=(("Tom", "Tommy"), ("Ann",)))
    for language in ("zh_cn", "zh-CN"):
        assert read_questions(DATA / "mkqa.jsonl", ReadOptions(language=language)).questions[
            0
        ].answers == Answers(texts=(("汤姆",),))


def test_mkqa_without_answers_in_a_language_takes_the_english_ones() -> None:
    assert read_questions(DATA / "mkqa.jsonl", ReadOptions(language="pl")).questions[
        0
    ].answers == Answers(texts=(("Tom", "Tommy"), ("Ann",)))


@pytest.mark.parametrize(("name", "kind", "type_", "answers"), [
    ("2", "binary", "boolean", Answers(boolean=True)),
    ("3", "long_answer", "", None),
    ("4", "unanswerable", "", Answers()),
    ("5", "number_with_unit", "number", Answers(texts=(("5 kilograms", "5 kg"),))),
])  # fmt: skip
def test_mkqa_kinds_of_answers(name: str, kind: str, type_: str, answers: Answers | None) -> None:
    question = by_id("mkqa.jsonl")[name]
    assert (question.metadata["answer_kind"], question.answer_type, question.answers) == (
        kind,
        type_,
        answers,
    )


def test_mkqa_languages_are_tags() -> None:
    assert list(by_id("mkqa.jsonl")["-4321"].texts) == ["en", "zh-CN", "pl"]


def test_records_in_one_line_or_in_a_list_are_the_same(tmp_path: Path) -> None:
    lines = (DATA / "mkqa.jsonl").read_text(encoding="utf-8").splitlines()
    assert (
        read_file_with(tmp_path, "[" + ",\n".join(lines) + "]").questions
        == load("mkqa.jsonl").questions
    )
    assert read_file_with(tmp_path, lines[0]).questions == load("mkqa.jsonl").questions[:1]
    assert (
        read_file_with(tmp_path, lines[0] + "\n\n" + lines[1] + "\n").questions
        == load("mkqa.jsonl").questions[:2]
    )


def test_squad_has_one_answer_with_variants() -> None:
    known, impossible = load("squad.json").questions
    assert known.answers == Answers(texts=(("red",),))
    assert (impossible.answers, impossible.metadata["unanswerable"]) == (Answers(), "true")


def test_poquad_is_polish_and_has_no_ids() -> None:
    known, impossible = load("poquad.json").questions
    assert (known.id, known.texts) == ("1.1.1", {"pl": ("Jaki jest tramwaj?",)})
    assert known.answers == Answers(texts=(("czerwony", "Czerwony jak mak"),))
    assert (known.origin, impossible.answers) == ("PoQuAD", Answers())


# --- TEXT2SPARQL


@needs_yaml
def test_text2sparql_yaml_keeps_ids_and_languages_as_written() -> None:
    first, second, third = load("text2sparql.yaml").questions
    assert first.texts == {"en": ("Which box holds the map?",), "no": ("Hvilken eske har kartet?",)}
    assert (first.metadata, second.id, third.id) == (
        {"features": ("RESULT_ORDER_MATTERS",)},
        "02",
        "3",
    )
    assert first.queries == {
        "wikidata": "select ?b { ?b <http://www.wikidata.org/prop/direct/P1> ?m }"
    }
    assert (first.origin, first.split) == ("https://example.org/2025/attic-test/", "test")
    assert first.answers is None


def test_text2sparql_as_json_needs_no_yaml() -> None:
    first, second = load("text2sparql.json").questions
    assert (first.queries, second.queries) == ({"": "select ?b {}"}, {})


# --- the plain form


def test_table_reads_our_columns_and_keeps_the_others() -> None:
    question = by_id("table.csv")["a"]
    assert question.texts == {"en": ("Which wolf, of the two, howls?",)}
    assert list(question.queries) == ["dbpedia"]
    wolves = (uri("http://dbpedia.org/resource/Wolf_A"), uri("http://dbpedia.org/resource/Wolf_B"))
    assert question.answers == column("answer", *wolves)
    assert (question.answer_type, question.split, question.origin) == ("resource", "test", "woods")
    assert question.metadata == {"difficulty": "hard"}


@pytest.mark.parametrize(("name", "answers"), [
    ("b", Answers(boolean=True)), ("c", Answers(texts=(("Echo",), ("the | bar",)))),
    ("d", Answers()), ("e", None),
])  # fmt: skip
def test_table_answers(name: str, answers: Answers | None) -> None:
    assert by_id("table.csv")[name].answers == answers


def test_table_without_id_is_numbered() -> None:
    assert [question.id for question in load("table.tsv").questions] == ["1"]


def test_table_row_without_text_is_left_out_and_an_empty_row_is_none() -> None:
    assert load("table.csv").left_out == (LeftOut("e", "no text in any language"),)


def test_table_may_be_separated_by_semicolons(tmp_path: Path) -> None:
    assert read_file_with(tmp_path, "id;text\n7;Who, then?\n", "t.csv").questions[0].texts == {
        "en": ("Who, then?",)
    }


def test_json_records_have_several_wordings_and_lists() -> None:
    first, second, third = load("records.jsonl").questions
    assert first.texts == {"en": ("Who swims?", "Which one swims?")}
    assert (first.answers, first.metadata) == (Answers(texts=(("Otter",),)), {"level": "2"})
    assert (second.answers, third.answers) == (Answers(boolean=False), Answers())
    assert load("records.json").left_out == (
        LeftOut("2", "OUT OF SCOPE: cannot be answered from the data"),
    )
