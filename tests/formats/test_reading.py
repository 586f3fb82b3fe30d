"""Question sets of every form: recognised by what they hold, and read with all that they say."""

from __future__ import annotations

import bz2
import dataclasses
import gzip
import hashlib
import importlib.util
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from qaldgen.errors import UsageError
from qaldgen.formats.content import load_content
from qaldgen.formats.polish_sets import load_poleval
from qaldgen.formats.qald_json import dump_extended, dump_qald
from qaldgen.formats.reading import READERS, read_questions
from qaldgen.model import Answers, Cell, LeftOut, Mention, Question, QuestionSet

DATA = Path(__file__).parent.parent / "data" / "formats"
Refused = Callable[..., str]
FORMS = {
    "choices.jsonl": "json-records",
    "complexwebquestions.json": "complexwebquestions",
    "dblp-quad.json": "dblp-quad",
    "dpr.csv": "dpr",
    "efficientqa.jsonl": "nq-open",
    "factoid-webquestions.json": "factoid-webquestions",
    "freebaseqa.json": "webqsp",
    "geoquestions.json": "geoquestions",
    "gpt-family.json": "gpt-family",
    "grailqa.json": "grailqa",
    "gsm8k.jsonl": "gsm8k",
    "kqa-pro.json": "kqa-pro",
    "lc-quad-2.json": "lc-quad-2",
    "lc-quad-earl.json": "lc-quad",
    "lc-quad.json": "lc-quad",
    "mintaka.json": "mintaka",
    "mkqa.jsonl": "mkqa",
    "nq-open.jsonl": "nq-open",
    "paraqa.json": "vquanda",
    "poleval": "poleval",
    "polqa.csv": "polqa",
    "polqa.jsonl": "polqa",
    "popqa.tsv": "table",
    "poquad.json": "squad",
    "qa.csv": "table",
    "qa.jsonl": "json-records",
    "qald-extended.json": "qald-extended",
    "qald.json": "qald-json",
    "qald.xml": "qald-xml",
    "qald5.json": "qald-json",
    "qbench.xml": "qald-xml",
    "questions.ttl": "rdf",
    "records.json": "json-records",
    "records.jsonl": "json-records",
    "rubq.json": "rubq",
    "simplequestions-freebase.txt": "simplequestions-freebase",
    "simplequestions.txt": "simplequestions-wikidata",
    "smart.json": "smart",
    "sparql-examples.ttl": "sparql-examples",
    "squad.json": "squad",
    "table.csv": "table",
    "table.tsv": "table",
    "text2sparql.json": "text2sparql",
    "text2sparql.yaml": "text2sparql",
    "triviaqa-hub.jsonl": "triviaqa",
    "triviaqa.json": "triviaqa",
    "truthfulqa.csv": "table",
    "vanilla.jsonl": "vanilla",
    "vquanda.json": "vquanda",
    "webqsp.json": "webqsp",
    "webquestions.json": "webquestions",
}
needs_yaml = pytest.mark.skipif(importlib.util.find_spec("yaml") is None, reason="PyYAML is not installed")


def load(name: str) -> QuestionSet:
    return read_questions(DATA / name)


def by_id(name: str) -> dict[str, Question]:
    return {question.id: question for question in load(name).questions}


def uri(value: str) -> Cell:
    return Cell("uri", value)


def one_column(variable: str, *cells: Cell) -> Answers:
    return Answers(variables=(variable,), rows=tuple((cell,) for cell in cells))


def read_text(folder: Path, text: str, name: str = "questions.json") -> QuestionSet:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_questions(path)


def qald(entry: str) -> str:
    return '{"questions": [{"id": "1", "question": [{"language": "en", "string": "Who?"}], ' + entry + "}]}"


# --- the table of readers


def test_every_fixture_is_listed() -> None:
    assert {path.name for path in DATA.iterdir()} == set(FORMS)


def test_every_reader_has_a_fixture() -> None:
    assert set(READERS) == set(FORMS.values())


def test_every_reader_says_what_it_reads_in_one_line() -> None:
    assert all(reader.help and "\n" not in reader.help for reader in READERS.values())


def test_documentation_has_a_line_for_every_reader() -> None:
    text = (DATA.parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    assert [line.split("`")[1] for line in text.splitlines() if line.startswith("| `")] == list(READERS)


@pytest.mark.parametrize("name", FORMS)
def test_exactly_one_reader_recognises_a_file(name: str) -> None:
    path = DATA / name
    content = load_poleval(path) or load_content(path)
    assert [form for form, reader in READERS.items() if reader.recognises(content)] == [FORMS[name]]


@pytest.mark.parametrize("name", [name for name in FORMS if name not in {"poleval", "text2sparql.yaml"}])
def test_ending_plays_no_part(tmp_path: Path, name: str) -> None:
    path = tmp_path / "data.xyz"
    shutil.copyfile(DATA / name, path)
    found = read_questions(path)
    assert found.format == FORMS[name]
    assert found.questions == load(name).questions


def test_unknown_format_is_a_wrong_call(refused: Refused) -> None:
    message = refused(lambda: read_questions(DATA / "qald.json", format="quald"), UsageError)
    assert message.startswith("unknown question set format 'quald'; choose one of qald-json, qald-extended,")


def test_given_format_is_not_looked_for(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text("Kto to?\nCo to?\n", encoding="utf-8")
    assert [q.text("pl") for q in read_questions(path, format="poleval").questions] == ["Kto to?", "Co to?"]


# --- what holds for all


@pytest.mark.parametrize("name", [name for name in FORMS if name != "text2sparql.yaml"])
def test_ids_are_unique_texts_there_and_gold_queries_not_blank(name: str) -> None:
    questions = load(name).questions
    assert len({question.id for question in questions}) == len(questions)
    assert all(question.text().strip() == question.text() != "" for question in questions)
    assert all(query.strip() for question in questions for query in question.queries.values())


def test_name_and_digest_are_of_the_file() -> None:
    found = load("qald.json")
    assert (found.name, found.sha256) == ("qald", hashlib.sha256((DATA / "qald.json").read_bytes()).hexdigest())


def test_packed_files_are_read(tmp_path: Path) -> None:
    data = (DATA / "qald.json").read_bytes()
    (tmp_path / "set.json.gz").write_bytes(gzip.compress(data))
    (tmp_path / "set.json.bz2").write_bytes(bz2.compress(data))
    with zipfile.ZipFile(tmp_path / "any.zip", "w") as archive:
        archive.writestr("set.json", data)
    for path in tmp_path.iterdir():
        found = read_questions(path)
        assert (found.name, found.questions, found.sha256) == ("set", load("qald.json").questions, load("qald.json").sha256)


@pytest.mark.parametrize("name", ["qald.json", "qald.xml", "mkqa.jsonl", "table.csv", "simplequestions.txt", "questions.ttl"])
def test_byte_order_mark_is_tolerated(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"\xef\xbb\xbf" + (DATA / name).read_bytes())
    assert read_questions(path).questions == load(name).questions


@pytest.mark.parametrize("name", ["qald.xml", "mkqa.jsonl", "table.csv", "simplequestions.txt", "polqa.csv"])
def test_line_ends_of_windows_are_tolerated(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes((DATA / name).read_bytes().replace(b"\n", b"\r\n"))
    assert [(q.id, q.texts, q.answers) for q in read_questions(path).questions] == [
        (q.id, q.texts, q.answers) for q in load(name).questions
    ]


def test_lines_of_old_programs_are_read(tmp_path: Path) -> None:
    read = read_text(tmp_path, 'id,text\r1,Who rows?\r2,"Who sings,\rand where?"\r', "set.csv")
    assert [(one.id, one.text()) for one in read.questions] == [("1", "Who rows?"), ("2", "Who sings,\rand where?")]


@pytest.mark.parametrize("separator", ["\u2028", "\x85"])
@pytest.mark.parametrize("content", ["id,text\n1,Who{}rows?\n2,Who?\n", '{{"text": "Who{}rows?"}}\n{{"text": "Who?"}}\n'])
def test_only_line_feeds_and_carriage_returns_end_a_line(tmp_path: Path, content: str, separator: str) -> None:
    read = read_text(tmp_path, content.format(separator), "set")
    assert [one.text() for one in read.questions] == [f"Who{separator}rows?", "Who?"]


@pytest.mark.parametrize(("written", "tag"), [("pt_BR", "pt-BR"), ("hi-in", "hi-IN"), ("EN", "en"), ("zh_hans_cn", "zh-Hans-CN")])
def test_language_tags_have_the_letters_of_bcp_47(tmp_path: Path, written: str, tag: str) -> None:
    read = read_text(tmp_path, f'[{{"text": "Who?", "language": "{written}"}}]')
    assert list(read.questions[0].texts) == [tag]


def test_several_queries_in_rdf_stand_under_their_graphs(tmp_path: Path) -> None:
    ours = "http://qald-gen.aksw.org/vocab#"
    main, other = "ASK { wd:Q1 wdt:P2 wd:Q3 }", "ASK { dbr:A dbo:b dbr:C }"
    text = (
        f'<http://x.org/1> <{ours}text> "Who?"@en ; <http://lsq.aksw.org/vocab#text> "{main}" ; '
        f'<{ours}alternativeQuery> "{other}" .'
    )
    one = read_text(tmp_path, text, "set.ttl").questions[0]
    assert (dict(one.queries), one.sparql) == ({"wikidata": main, "dbpedia": other}, main)


def test_of_duplicate_keys_the_last_counts_and_it_is_said(tmp_path: Path) -> None:
    found = read_text(tmp_path, qald('"answertype": "date", "answertype": "number"'))
    assert found.questions[0].answer_type == "number"
    assert found.notes == (
        "the key 'answertype' occurs twice with different values in 1 object (first: questions[0]); the last value counts",
    )


def test_third_question_with_an_id_is_numbered_too(tmp_path: Path) -> None:
    text = '[{"id": "a", "text": "1?"}, {"id": "a", "text": "2?"}, {"id": "a#2", "text": "3?"}, {"id": "a", "text": "4?"}]'
    assert [question.id for question in read_text(tmp_path, text).questions] == ["a", "a#2", "a#2#2", "a#3"]


def test_query_without_terms_of_a_graph_joins_the_only_graph_of_the_set(tmp_path: Path) -> None:
    one = '{"id": 1, "text": "A?", "sparql": "ASK { wd:Q1 ?p ?o }"}, {"id": 2, "text": "B?", "sparql": "ASK {}"}'
    two = one + ', {"id": 3, "text": "C?", "sparql": "ASK { dbr:A ?p ?o }"}'
    assert [list(q.queries) for q in read_text(tmp_path, f"[{one}]").questions] == [["wikidata"], ["wikidata"]]
    assert [list(q.queries) for q in read_text(tmp_path, f"[{two}]").questions] == [["wikidata"], [""], ["dbpedia"]]


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
    assert by_id("qald.json")["8"].answers == one_column("n", cell)


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
    assert (question.origin, question.split, question.metadata) == ("moon-cheese-train", "train", {"cluster": "3"})


def test_qald_several_answer_elements_are_united(tmp_path: Path) -> None:
    part = '{"head": {"vars": ["%s"]}, "results": {"bindings": [{"%s": {"type": "literal", "value": "%s"}}]}}'
    answers = f'"answers": [{part % ("a", "a", "1")}, {part % ("a", "a", "2")}]'
    assert read_text(tmp_path, qald(answers)).questions[0].answers == one_column("a", Cell("literal", "1"), Cell("literal", "2"))


@pytest.mark.parametrize("head", ["{}", "[]", "null", '{"vars": null}'])
def test_qald_head_may_say_nothing(tmp_path: Path, head: str) -> None:
    answers = (
        f'"answers": [{{"head": {head}, "results": {{"bindings": [{{"x": {{"type": "uri", "value": "http://x.org/a"}}}}]}}}}]'
    )
    assert read_text(tmp_path, qald(answers)).questions[0].answers == one_column("x", uri("http://x.org/a"))


def test_qald_texts_may_be_one_string(tmp_path: Path) -> None:
    text = '{"questions": [{"id": 1, "question": "Wer?"}]}'
    (tmp_path / "q").write_text(text)
    assert read_questions(tmp_path / "q", language="de").questions[0].texts == {"de": ("Wer?",)}


def test_qald_answer_type_of_no_kind_is_metadata(tmp_path: Path) -> None:
    question = read_text(tmp_path, qald('"answertype": "planet"')).questions[0]
    assert (question.answer_type, question.metadata) == ("", {"answertype": "planet"})


@pytest.mark.parametrize(("said", "type_"), [("uri", "resource"), ("list", ""), ("RESOUCE", "resource"), ("Num", "number")])
def test_qald_answer_types_are_mapped(tmp_path: Path, said: str, type_: str) -> None:
    assert read_text(tmp_path, qald(f'"answertype": "{said}"')).questions[0].answer_type == type_


def test_qald_of_ours_is_read_back(tmp_path: Path) -> None:
    written = (
        Question("a", {"en": ("Who?",), "de": ("Wer?",)}, queries={"": "ASK { ?s ?p ?o }"}, answers=Answers(boolean=True)),
        Question(
            "b",
            {"en": ("What?",)},
            queries={"": "ASK {}"},
            answers=one_column("x", uri("http://x.org/a")),
            answer_type="resource",
        ),
        Question("c", {"en": ("Where?",)}, queries={"": "ASK {}"}, answers=Answers(variables=("x",)), flags={"hybrid": False}),
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
    assert first.queries == {"dbpedia": "SELECT ?uri { ?uri <http://dbpedia.org/ontology/brews> ?t }"}
    assert first.answers == one_column(
        "uri", uri("http://dbpedia.org/resource/Samovar"), uri("http://dbpedia.org/resource/Kettle")
    )
    assert questions["3"].answers == one_column("number", Cell("literal", "400"))


def test_qald_5_pseudo_query_in_the_place_of_the_query_is_no_query() -> None:
    question = by_id("qald5.json")["3"]
    assert (question.queries, question.metadata) == ({}, {"pseudoquery": 'SELECT ?n { ?t text:"age of tea" ?n }'})


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
    found = read_questions(DATA / "qald.xml", language="nl")
    assert found.questions[0].texts == {"nl": ("Which frogs play the drum?",)}


def test_xml_marks_languages_and_keywords() -> None:
    question = by_id("qald.xml")["2"]
    assert question.texts == {"en": ("How deep is the pond?",), "es": ("¿Qué tan hondo es el estanque?",)}
    assert question.flags == {"aggregation": True, "onlydbo": False}
    assert question.metadata == {"onlyesdbp": "true"}
    assert question.keywords == {"en": "deep, pond"}
    assert (question.answer_type, question.queries) == ("number", {})


@pytest.mark.parametrize(("name", "answers"), [
    ("3", Answers(boolean=True)), ("4", Answers(boolean=False)), ("5", Answers()), ("9", None),
    ("6", one_column("date", Cell("literal", "1999-09-09"))), ("2", one_column("number", Cell("literal", "4"))),
])  # fmt: skip
def test_xml_answers(name: str, answers: Answers | None) -> None:
    assert by_id("qald.xml")[name].answers == answers


def test_xml_pseudo_query_is_no_query() -> None:
    question = by_id("qald.xml")["3"]
    assert (question.queries, question.flags) == ({}, {"hybrid": True})
    assert question.metadata == {"pseudoquery": 'ASK { ?f text:"dream of" ?x }'}


def test_xml_says_what_is_out_of_scope_or_without_text() -> None:
    assert [item.record for item in load("qald.xml").left_out] == ["7", "8"]


def test_xml_declared_in_another_encoding_but_written_in_utf8_is_read(tmp_path: Path) -> None:
    text = (
        '<?xml version="1.0" encoding="ISO-8859-1"?><dataset id="d"><question id="1"><string>Żaba?</string></question></dataset>'
    )
    assert read_text(tmp_path, text).questions[0].text() == "Żaba?"


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
    '<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:q="http://qald-gen.aksw.org/vocab#">'
    '<rdf:Description rdf:about="http://x.org/q1"><q:text>Who?</q:text></rdf:Description></rdf:RDF>',
], ids=["nt", "blank", "sparql-prefix", "jsonld", "rdfxml"])  # fmt: skip
def test_rdf_is_recognised_in_every_syntax(tmp_path: Path, text: str) -> None:
    found = read_text(tmp_path, text)
    assert (found.format, [q.text() for q in found.questions]) == ("rdf", ["Who?"])


# --- flat records


def test_lc_quad_has_template_and_bare_count() -> None:
    first = load("lc-quad.json").questions[0]
    assert first.queries["dbpedia"].startswith("SELECT DISTINCT COUNT(?uri) WHERE")
    assert first.metadata == {"template": "101", "intermediary_question": "What is the <kite> of <hill>"}
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
        "NNQT_question": "What is the {baker} of {bun}", "template": "<S P ?O>", "template_id": "2", "template_index": "65",
        "subgraph": "simple",
    }  # fmt: skip


def test_lc_quad_2_question_may_be_null_or_a_list() -> None:
    questions = by_id("lc-quad-2.json")
    assert questions["6"].texts == {"en": ("When was the oven hot?",)}
    assert questions["8"].texts == {"en": ("What rose?", "What went up?")}
    assert questions["8"].answers == one_column("answer", uri("http://www.wikidata.org/entity/Q8"), Cell("literal", "9"))


def test_lc_quad_2_text_that_says_there_is_none_is_none() -> None:
    assert load("lc-quad-2.json").left_out == (LeftOut("7", "no text in any language"),)


def test_rubq_is_russian_and_english() -> None:
    question = by_id("rubq.json")["4"]
    assert question.texts == {"ru": ("Чей это ёжик?",), "en": ("Whose hedgehog is it?",)}
    assert question.origin == "RuBQ 2.0"
    assert question.answers == one_column("answer", uri("http://www.wikidata.org/entity/Q2"))
    assert question.metadata["tags"] == "1-hop, reverse"
    assert question.metadata["question_uris"] == "http://www.wikidata.org/entity/Q1"


def test_rubq_without_query_has_an_empty_answer() -> None:
    question = by_id("rubq.json")["6"]
    assert (question.queries, question.answers) == ({}, Answers())


def test_rubq_literals_keep_datatype_and_language() -> None:
    number, word = Cell("literal", "7", "http://www.w3.org/2001/XMLSchema#integer"), Cell("literal", "семь", "", "ru")
    assert by_id("rubq.json")["5"].answers == one_column("answer", number, word)


def test_simple_questions_get_a_query() -> None:
    question = by_id("simplequestions.txt")["1"]
    entity, direct = "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/"
    assert question.queries == {"wikidata": f"SELECT ?x WHERE {{ <{entity}Q101> <{direct}P19> ?x }}"}
    assert question.answers == one_column("x", uri(f"{entity}Q102"))


def test_simple_questions_r_is_the_inverse() -> None:
    question = by_id("simplequestions.txt")["2"]
    entity, direct = "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/"
    assert question.queries == {"wikidata": f"SELECT ?x WHERE {{ ?x <{direct}P19> <{entity}Q103> }}"}
    assert question.metadata == {"subject": "Q103", "property": "R19"}


def test_mintaka_entities() -> None:
    question = by_id("mintaka.json")["aa11"]
    assert list(question.texts) == ["en", "de", "ja"]
    assert question.mentions == (Mention("Toyland", "http://www.wikidata.org/entity/Q11"),)
    assert question.answers == one_column("answer", uri("http://www.wikidata.org/entity/Q12"))
    assert question.answer_type == "resource"
    assert question.metadata == {
        "category": "geography", "complexity": "ordinal", "answer_mention": "Brick Tower", "question_values": "ordinal: third"
    }  # fmt: skip


@pytest.mark.parametrize(("name", "type_", "answers"), [
    ("aa12", "boolean", Answers(boolean=True)),
    ("aa13", "number", one_column("answer", Cell("literal", "42"))),
    ("aa14", "resource", Answers(texts=(("nobody knows",),))),
    ("aa15", "date", one_column("answer", Cell("literal", "1990-01-01"))),
])  # fmt: skip
def test_mintaka_answers(name: str, type_: str, answers: Answers) -> None:
    question = by_id("mintaka.json")[name]
    assert (question.answer_type, question.answers) == (type_, answers)


def test_kqa_pro_numbers_its_questions() -> None:
    first, second = load("kqa-pro.json").questions
    assert (first.id, second.id) == ("1", "2")
    assert first.answers == Answers(texts=(("pear",),))
    assert first.metadata == {"choices": "plum, pear", "program": "Find SelectBetween"}
    assert "<pred:name>" in first.queries[""]
    assert (second.answers, second.queries) == (None, {})


def test_smart_types_are_answer_types() -> None:
    found = load("smart.json")
    assert [(q.id, q.answer_type) for q in found.questions] == [
        ("dbpedia_1", "boolean"), ("dbpedia_1#2", "number"), ("dbpedia_3", "resource")
    ]  # fmt: skip
    assert found.questions[2].metadata == {"answer_category": "resource", "answer_class": "dbo:Goat, dbo:Animal"}
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
    assert question.answers == one_column("answer", uri("http://rdf.freebase.com/ns/m.0meow"), Cell("literal", "2012-01-01"))
    assert question.mentions == (Mention("grey cat", "http://rdf.freebase.com/ns/m.0cat"),)
    assert question.split == "test"
    assert question.metadata == {
        "ProcessedQuestion": "what does the grey cat speak", "parses": "2", "inferential_chain": "animal.speaks",
        "constraints": "1", "parse_quality": "Complete", "question_quality": "Good",
    }  # fmt: skip


def test_webqsp_without_parses_has_no_answers() -> None:
    question = by_id("webqsp.json")["WebQTrn-2"]
    assert (question.answers, question.queries, question.split) == (None, {}, "train")


def test_complex_web_questions() -> None:
    first, hidden = load("complexwebquestions.json").questions
    assert first.answers == one_column("answer", uri("http://rdf.freebase.com/ns/m.0rex"), Cell("literal", "12"))
    assert first.metadata["compositionality_type"] == "conjunction"
    assert first.metadata["machine_question"] == "dog of village that barks"
    assert (hidden.answers, hidden.queries) == (None, {})


def test_grailqa() -> None:
    first, masked, columns = load("grailqa.json").questions
    number = Cell("literal", "9.5", "http://www.w3.org/2001/XMLSchema#float")
    assert first.answers == one_column("answer", uri("http://rdf.freebase.com/ns/m.0ship"), number)
    assert (first.metadata["level"], first.metadata["domain"]) == ("zero-shot", "boats")
    assert masked.answers is None
    assert columns.answers == one_column("answer", uri("http://rdf.freebase.com/ns/g.11b"))


# --- without a knowledge graph


def test_mkqa_answers_are_in_the_language_asked_for() -> None:
    assert by_id("mkqa.jsonl")["-4321"].answers == Answers(texts=(("Tom", "Tommy"), ("Ann",)))
    for language in ("zh_cn", "zh-CN"):
        assert read_questions(DATA / "mkqa.jsonl", language=language).questions[0].answers == Answers(texts=(("汤姆",),))


def test_mkqa_without_answers_in_a_language_takes_the_english_ones() -> None:
    assert read_questions(DATA / "mkqa.jsonl", language="pl").questions[0].answers == Answers(texts=(("Tom", "Tommy"), ("Ann",)))


@pytest.mark.parametrize(("name", "kind", "type_", "answers"), [
    ("2", "binary", "boolean", Answers(boolean=True)),
    ("3", "long_answer", "", None),
    ("4", "unanswerable", "", Answers()),
    ("5", "number_with_unit", "number", Answers(texts=(("5 kilograms", "5 kg"),))),
])  # fmt: skip
def test_mkqa_kinds_of_answers(name: str, kind: str, type_: str, answers: Answers | None) -> None:
    question = by_id("mkqa.jsonl")[name]
    assert (question.metadata["answer_kind"], question.answer_type, question.answers) == (kind, type_, answers)


def test_mkqa_languages_are_tags() -> None:
    assert list(by_id("mkqa.jsonl")["-4321"].texts) == ["en", "zh-CN", "pl"]


def test_records_in_one_line_or_in_a_list_are_the_same(tmp_path: Path) -> None:
    lines = (DATA / "mkqa.jsonl").read_text(encoding="utf-8").splitlines()
    assert read_text(tmp_path, "[" + ",\n".join(lines) + "]").questions == load("mkqa.jsonl").questions
    assert read_text(tmp_path, lines[0]).questions == load("mkqa.jsonl").questions[:1]
    assert read_text(tmp_path, lines[0] + "\n\n" + lines[1] + "\n").questions == load("mkqa.jsonl").questions[:2]


def test_squad_has_one_answer_with_variants() -> None:
    known, impossible = load("squad.json").questions
    assert known.answers == Answers(texts=(("red",),))
    assert (impossible.answers, impossible.metadata["unanswerable"]) == (Answers(), "true")


def test_poquad_is_polish_and_has_no_ids() -> None:
    known, impossible = load("poquad.json").questions
    assert (known.id, known.texts) == ("1.1.1", {"pl": ("Jaki jest tramwaj?",)})
    assert known.answers == Answers(texts=(("czerwony", "Czerwony jak mak"),))
    assert (known.origin, impossible.answers) == ("PoQuAD", Answers())


def test_poleval_folder_and_file_are_the_same() -> None:
    assert load("poleval") == load("poleval/in.tsv")


def test_poleval_variants_stand_between_tabs_and_only_the_line_is_stripped() -> None:
    first, second, third = load("poleval").questions
    assert first.answers == Answers(texts=(("Kumka", "Żaba Kumka"),))
    assert second.answers == Answers(texts=(("cztery", "4"),))
    assert third.answers == Answers(texts=(("nie",),))
    assert third.texts == {"pl": ("Czy kot umie czytać?",)}


def test_poleval_variants_are_not_stripped_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "in.tsv").write_text("Kto?\n", encoding="utf-8")
    (tmp_path / "expected.tsv").write_text(" a \t b\n", encoding="utf-8")
    assert read_questions(tmp_path).questions[0].answers == Answers(texts=(("a ", " b"),))


def test_poleval_without_expected_has_no_answers(tmp_path: Path) -> None:
    folder = tmp_path / "test-B"
    folder.mkdir()
    (folder / "in.tsv").write_text("Kto?\n\nCo?\n", encoding="utf-8")
    found = read_questions(folder)
    assert (found.name, [(q.id, q.answers, q.split) for q in found.questions]) == (
        "test-B", [("1", None, "test-B"), ("3", None, "test-B")]
    )  # fmt: skip
    assert found.left_out == (LeftOut("2", "no text in any language"),)


def test_poleval_digest_covers_the_answers(tmp_path: Path) -> None:
    shutil.copytree(DATA / "poleval", tmp_path / "a")
    (tmp_path / "a" / "expected.tsv").write_text("1\n2\n3\n", encoding="utf-8")
    assert read_questions(tmp_path / "a").sha256 != load("poleval").sha256


def test_poleval_name_with_a_table_in_it_is_a_table(tmp_path: Path) -> None:
    (tmp_path / "in.tsv").write_text("id\ttext\n1\tWho?\n", encoding="utf-8")
    assert read_questions(tmp_path / "in.tsv").format == "table"


def test_polqa_rows_of_a_question_are_one_question() -> None:
    first, second = load("polqa.csv").questions
    assert first.answers == Answers(texts=(("cztery", "4"),))
    assert (first.split, first.texts) == ("train", {"pl": ("Ile nóg ma stół z bajki?",)})
    assert first.metadata == {
        "question_formulation": "QUESTION", "question_type": "SINGLE ENTITY", "entity_type": "UNNAMED", "entity_subtype": "COUNT",
        "relevant_passages": "10-1",
    }  # fmt: skip
    assert second.answer_type == "boolean"
    assert "entity_subtype" not in second.metadata


def test_polqa_as_json_lines() -> None:
    first, second = load("polqa.jsonl").questions
    assert first.answers == Answers(texts=(("Szczur", "szczurek"),))
    assert first.metadata["question_type"] == "MULTIPLE ENTITIES"
    assert second.answers == Answers()


# --- TEXT2SPARQL


@needs_yaml
def test_text2sparql_yaml_keeps_ids_and_languages_as_written() -> None:
    first, second, third = load("text2sparql.yaml").questions
    assert first.texts == {"en": ("Which box holds the map?",), "no": ("Hvilken eske har kartet?",)}
    assert (first.metadata, second.id, third.id) == ({"features": "RESULT_ORDER_MATTERS"}, "02", "3")
    assert first.queries == {"wikidata": "select ?b { ?b <http://www.wikidata.org/prop/direct/P1> ?m }"}
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
    assert question.answers == one_column("answer", *wolves)
    assert (question.answer_type, question.split, question.origin) == ("resource", "test", "woods")
    assert question.metadata == {"difficulty": "hard"}


@pytest.mark.parametrize(("name", "answers"), [
    ("b", Answers(boolean=True)), ("c", Answers(texts=(("Echo",), ("the | bar",)))), ("d", Answers()), ("e", None),
])  # fmt: skip
def test_table_answers(name: str, answers: Answers | None) -> None:
    assert by_id("table.csv")[name].answers == answers


def test_table_without_id_is_numbered() -> None:
    assert [question.id for question in load("table.tsv").questions] == ["1"]


def test_table_row_without_text_is_left_out_and_an_empty_row_is_none() -> None:
    assert load("table.csv").left_out == (LeftOut("e", "no text in any language"),)


def test_table_may_be_separated_by_semicolons(tmp_path: Path) -> None:
    assert read_text(tmp_path, "id;text\n7;Who, then?\n", "t.csv").questions[0].texts == {"en": ("Who, then?",)}


def test_json_records_have_several_wordings_and_lists() -> None:
    first, second, third = load("records.jsonl").questions
    assert first.texts == {"en": ("Who swims?", "Which one swims?")}
    assert (first.answers, first.metadata) == (Answers(texts=(("Otter",),)), {"level": "2"})
    assert (second.answers, third.answers) == (Answers(boolean=False), Answers())
    assert load("records.json").left_out == (LeftOut("2", "OUT OF SCOPE: cannot be answered from the data"),)
