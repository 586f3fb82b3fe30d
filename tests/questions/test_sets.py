"""Published data sets of many kinds, as small files of ours: what each field of them becomes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from format_files import by_id, column, load, read_file_with

from qaldgen.model import Answers, Cell, LeftOut, Mention
from qaldgen.questions.collecting import ReadOptions
from qaldgen.questions.reading import read_questions

FREEBASE = "http://rdf.freebase.com/ns/"
Refused = Callable[..., str]


def words(*answers: tuple[str, ...]) -> Answers:
    return Answers(texts=answers)


@pytest.mark.parametrize(("name", "questions", "left_out"), [
    ("nq.jsonl", 3, 0), ("nq-open.jsonl", 3, 0), ("efficientqa.jsonl", 1, 0),
    ("triviaqa.json", 3, 0),
    ("triviaqa-hub.jsonl", 2, 0), ("gsm8k.jsonl", 2, 0),
    ("vanilla.jsonl", 2, 0), ("vquanda.json", 2, 0), ("paraqa.json", 1, 0),
    ("factoid-webquestions.json", 2, 0), ("dblp-quad.json", 2, 0),
    ("simplequestions-freebase.txt", 2, 0), ("geoquestions.json", 2, 0),
    ("sparql-examples.ttl", 2, 2), ("webquestions.json", 2, 0), ("dpr.csv", 2, 0),
    ("qbench.xml", 3, 0), ("freebaseqa.json", 1, 0), ("truthfulqa.csv", 1, 0), ("popqa.tsv", 1, 0),
    ("choices.jsonl", 2, 0),
])  # fmt: skip
def test_nothing_is_lost(name: str, questions: int, left_out: int) -> None:
    found = load(name)
    assert (len(found.questions), len(found.left_out)) == (questions, left_out)


def test_nq_open_answers_are_wordings_of_one() -> None:
    questions = by_id("nq-open.jsonl")
    assert (questions["1"].answers, questions["3"].answers) == (
        words(("Mara Voss", "M. Voss")),
        Answers(),
    )
    assert (questions["1"].origin, load("nq-open.jsonl").notes) == ("NQ-open", ())


def test_efficientqa_counts_the_answers_and_keeps_what_judges_added() -> None:
    question = by_id("efficientqa.jsonl")["1"]
    assert (question.origin, question.answers) == ("EfficientQA", words(("Green", "green")))
    assert question.metadata["def_correct_predictions"] == ("greenish",)


def test_records_like_those_of_nq_open_are_read_alike_but_not_called_so(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text('{"question": "Which moons has Mars?", "answer": ["Phobos", "Deimos"]}\n')
    found = read_questions(path)
    assert (found.format, found.questions[0].origin) == ("json-records", "")
    assert found.questions[0].answers == words(("Phobos", "Deimos"))
    assert "If each entry is an answer, rename the column to 'answers'" in found.notes[0]


def test_triviaqa_has_aliases() -> None:
    first, second, third = load("triviaqa.json").questions
    assert (first.id, first.answers) == ("tc_7", words(("Mount Thimble", "Thimble Mountain")))
    assert first.metadata == {"QuestionSource": "http://quiz.example.org/"}
    assert (second.answer_type, second.answers, third.answers) == (
        "number",
        words(("12", "Twelve")),
        None,
    )


def test_triviaqa_of_the_hub_is_the_same() -> None:
    first, hidden = load("triviaqa-hub.jsonl").questions
    assert (first.answers, hidden.answers) == (words(("Mount Thimble", "Thimble Mountain")), None)


def test_triviaqa_takes_normalised_aliases_where_there_are_no_others(tmp_path: Path) -> None:
    answer = {
        "Value": "The Hill",
        "Aliases": [],
        "NormalizedAliases": ["hill"],
        "HumanAnswers": ["a hill"],
    }
    path = tmp_path / "trivia.json"
    path.write_text(
        json.dumps(
            {
                "Data": [
                    {
                        "QuestionId": "t",
                        "Question": "What?",
                        "QuestionSource": "x",
                        "Answer": answer,
                    }
                ]
            }
        )
    )
    assert read_questions(path).questions[0].answers == words(("The Hill", "hill", "a hill"))


def test_gsm8k_answer_stands_behind_the_mark() -> None:
    first, second = load("gsm8k.jsonl").questions
    assert (first.answers, first.answer_type) == (words(("30",)), "number")
    assert second.answers == words(("1080", "1,080"))


def test_gsm8k_record_without_the_mark_has_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "sums.jsonl"
    path.write_text(
        '{"question": "2+2?", "answer": "It is\\n#### 4"}\n{"question": "2+3?", "answer": ""}\n'
    )
    found = read_questions(path)
    assert (found.format, [one.answers for one in found.questions]) == (
        "gsm8k",
        [words(("4",)), None],
    )


def test_gsm8k_solution_without_the_mark_is_no_gold_answer(tmp_path: Path) -> None:
    path = tmp_path / "sums.jsonl"
    lines = ['"It is\\n#### 4"', '"So\\n#### 5"', '"Six, I think"']
    path.write_text(
        "\n".join(
            f'{{"question": "What is it, {n}?", "answer": {line}}}' for n, line in enumerate(lines)
        )
    )
    found = read_questions(path, ReadOptions(skip_broken=True))
    assert (found.format, len(found.questions), [one.record for one in found.left_out]) == (
        "gsm8k",
        2,
        ["record 3"],
    )


def test_webquestions_answers_are_descriptions() -> None:
    first, second = load("webquestions.json").questions
    assert (first.answers, second.answers) == (words(('Nora "Nell" Quill',), ("Edwin",)), None)
    assert (first.origin, first.metadata) == (
        "WebQuestions",
        {"url": "http://www.freebase.com/view/en/tin_owl"},
    )


def test_lines_of_question_and_list() -> None:
    first, second = load("dpr.csv").questions
    assert (first.text(), first.answers) == ("who lit the lamp", words(("Ann Brook", "O'Hara")))
    assert (second.id, second.answers) == ("2", words(("1871",)))


def test_vanilla_keeps_the_sentence() -> None:
    question = by_id("vanilla.jsonl")["41"]
    assert (question.answers, question.mentions) == (words(("Larkham",)), (Mention("Odo Fenn"),))
    assert question.metadata == {
        "answer_sentence": "Odo Fenn was born in Larkham.",
        "question_relation": "P19",
    }


def test_vquanda_sentences_are_no_gold() -> None:
    question = by_id("vquanda.json")["61"]
    assert (question.answers, list(question.queries), question.origin) == (
        None,
        ["dbpedia"],
        "VQuAnDa",
    )
    assert question.said("verbalized_answer").endswith("[Upper Tarn, Lake Moss, Vale].")


def test_paraqa_keeps_every_sentence() -> None:
    question = by_id("paraqa.json")["61"]
    assert (question.origin, sorted(question.metadata)) == (
        "ParaQA",
        ["verbalized_answer", "verbalized_answer_2"],
    )


def test_factoid_webquestions_answers_are_several() -> None:
    questions = by_id("factoid-webquestions.json")
    assert questions["wqr900001"].answers == words(("Nora Quill",), ("Edwin Quill",))
    assert questions["wqr900002"].answers == Answers()


def test_dblp_quad_is_english_with_a_paraphrase() -> None:
    first, second = load("dblp-quad.json").questions
    assert first.texts == {"en": ("Which papers did Ida Rook write?", "What has Ida Rook written?")}
    assert first.sparql.startswith("SELECT DISTINCT ?answer")
    assert first.metadata == {
        "query_type": "SINGLE_FACT", "template_id": "TC01",
        "entities": ("<https://dblp.org/pid/00/1>",),
        "relations": ("<https://dblp.org/rdf/schema#authoredBy>",), "temporal": "false",
        "held_out": "true",
    }  # fmt: skip
    assert (second.texts, second.answers) == (
        {"en": ("Did Ida Rook publish in 2001?",)},
        Answers(boolean=True),
    )


@pytest.mark.parametrize(
    "question", [{"string": "Who?"}, {"text": "Who?"}, {"stem": "Who?", "choices": []}]
)
def test_text2sparql_has_languages_and_nothing_else(
    tmp_path: Path, question: dict[str, object]
) -> None:
    path = tmp_path / "set.json"
    path.write_text(
        json.dumps({"questions": [{"id": 1, "question": question, "query": {"sparql": "ASK {}"}}]})
    )
    found = read_questions(path)
    assert found.format != "text2sparql"
    assert (found.questions[0].texts, found.questions[0].sparql) == ({"en": ("Who?",)}, "ASK {}")


def test_simple_questions_over_freebase_get_a_query() -> None:
    question = by_id("simplequestions-freebase.txt")["1"]
    assert question.queries == {
        "freebase": (
            f"SELECT ?x WHERE {{ <{FREEBASE}m.0aa1> <{FREEBASE}book.written_work.subjects> ?x }}"
        )
    }
    assert question.answers == Answers(
        variables=("x",), rows=((Cell("uri", f"{FREEBASE}m.0bb2"),),)
    )
    assert question.metadata == {"subject": "m.0aa1", "property": "book.written_work.subjects"}


def test_geoquestions_stand_under_their_numbers() -> None:
    question = by_id("geoquestions.json")["2"]
    assert (question.texts, question.metadata) == (
        {"en": ("Is Wrenford north of Wren Brook?",)},
        {"category": "B"},
    )
    assert question.sparql.startswith("ASK {")


def test_sparql_examples_are_the_executable_queries() -> None:
    found = load("sparql-examples.ttl")
    first, second = found.questions
    assert first.texts == {
        "en": ("Which moths eat oak leaves?",),
        "de": ("Welche Falter fressen Eiche?",),
    }
    assert first.metadata == {
        "target": "https://sparql.x.org/a https://sparql.x.org/b", "keywords": "moth",
        "iri": "https://x.org/.well-known/sparql-examples/001",
    }  # fmt: skip
    assert second.texts == {"en": ("Are there any moths & leaves?",)}
    assert found.left_out == (
        LeftOut("003", "no text in any language"),
        LeftOut("004", "no SHACL query (sh:select, sh:ask, sh:construct)"),
    )


def test_untyped_sparql_examples_are_questions_or_left_out_by_name(tmp_path: Path) -> None:
    path = tmp_path / "examples.ttl"
    path.write_text(
        "PREFIX sh: <http://www.w3.org/ns/shacl#> PREFIX rdfs:"
        " <http://www.w3.org/2000/01/rdf-schema#> PREFIX : <http://x.org/> :a a sh:SPARQLExecutable"
        " ; rdfs:comment 'All?' ; sh:select 'SELECT * {}' . :b rdfs:label 'Any?' ; sh:ask 'ASK {}'"
        " . :c sh:select 'SELECT ?x {}' . :shape sh:sparql [ sh:message 'bad' ; sh:select 'SELECT"
        " $this {}' ] .",
        encoding="utf-8",
    )
    found = read_questions(path)
    assert [one.text() for one in found.questions] == ["All?", "Any?"]
    assert found.left_out == (LeftOut("c", "no text in any language"),)


def test_sparql_examples_get_the_prefixes_that_they_use_and_do_not_declare() -> None:
    first, second = load("sparql-examples.ttl").questions
    assert first.sparql == "PREFIX moth: <http://x.org/moth/>\nSELECT ?m WHERE { ?m moth:eats ?l }"
    assert second.sparql == "PREFIX moth: <http://x.org/own/> ASK { ?m moth:on ?l }"


def test_shapes_with_sparql_are_no_question_set(tmp_path: Path, refused: Refused) -> None:
    path = tmp_path / "shapes.ttl"
    path.write_text(
        '@prefix sh: <http://www.w3.org/ns/shacl#> . <http://x.org/s> sh:sparql [ sh:select "SELECT'
        ' $this {}" ] .\n'
    )
    assert "so it contains no questions" in refused(lambda: read_questions(path))


@pytest.mark.parametrize(("name", "answers"), [
    ("1", Answers(variables=("answer",), rows=((Cell("literal", "1800.5"),),))),
    ("2",
        Answers(variables=("answer",),
            rows=((Cell("uri", "http://x.org/pier/4"),), (Cell("uri", "http://x.org/pier/5"),)))),
    ("3",
        Answers(variables=("pier", "total"),
            rows=((Cell("uri", "http://x.org/pier/4"), Cell("literal", "12")),))),
])  # fmt: skip
def test_qbench_answers_stand_inside_the_query(name: str, answers: Answers) -> None:
    question = by_id("qbench.xml")[name]
    assert question.answers == answers
    assert "answer" not in question.sparql
    assert question.sparql.startswith("select ")


def test_qbench_boolean(tmp_path: Path) -> None:
    path = tmp_path / "set.xml"
    path.write_text(
        '<dataset id="d"><question id="1"><string>Is it?</string><query>ask { ?x ?y 1 }<answers>'
        '<answer answerType="boolean">false</answer></answers></query></question></dataset>'
    )
    assert read_questions(path).questions[0].answers == Answers(boolean=False)


def test_freebaseqa_is_read_like_webqsp() -> None:
    question = by_id("freebaseqa.json")["FreebaseQA-x-0"]
    assert question.answers == Answers(
        variables=("answer",), rows=((Cell("uri", f"{FREEBASE}m.0cap"),),)
    )
    assert (question.origin, question.mentions) == (
        "FreebaseQA",
        (Mention("pintail", f"{FREEBASE}m.0pin"),),
    )


def test_truthfulqa_has_the_best_answer_first() -> None:
    answers = by_id("truthfulqa.csv")["1"].answers
    assert answers == words(("No, not all the way", "No", "They turn them three quarters"))


def test_popqa_answers_are_a_list_in_a_cell() -> None:
    assert by_id("popqa.tsv")["7"].answers == words(("cooper", "barrel maker"))


@pytest.mark.parametrize(("record", "form"), [
    ({"question": "Who?", "choices": ["a", "b"], "answer": 1}, "json-records"),
    ({"qid": 1, "question": "Who?", "answer": "a"}, "json-records"),
    ({"uid": 1, "question_text": "Who?", "answer": "a"}, "json-records"),
    ({"id": 1, "question": "Who?", "category": "sport", "type": "multiple", "answer": "a"},
        "json-records"),
    ({"question_id": 1, "question": "Who?", "passage_id": 2, "answer": "a"}, "json-records"),
    ({"ID": 1, "question": "Who?", "ans": "a"}, "json-records"),
])  # fmt: skip
def test_data_sets_do_not_claim_records_of_others(
    tmp_path: Path, record: dict[str, object], form: str
) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps(record) + "\n")
    found = read_questions(path)
    assert (found.format, found.questions[0].text()) == (form, "Who?")
    assert list(found.questions[0].texts) == ["en"]


@pytest.mark.parametrize(("text", "name", "answers"), [
    ('[{"context_id": "p", "context_text": "The pond.", "qas": [{"query_id": "p1", "query_text": '
        '"How deep?", "answers": ["very", "very deep"]}]}]', "p1", ("very", "very deep")),
    ('{"header": {"dataset": "Pond"}}\n{"context": "The pond.", "qas": [{"qid": "q7", "question": '
        '"How deep?", "answers": ["very"]}]}\n', "q7", ("very",)),
    ('{"data": [{"paragraphs": [{"context": "c", "qas": [{"id": 4, "question": "How deep?", '
        '"answers": [{"text": "very", "answer_start": 0}]}]}]}]}', "4", ("very",)),
], ids=["cmrc", "mrqa", "squad"])  # fmt: skip
def test_sets_in_the_form_of_squad(
    tmp_path: Path, text: str, name: str, answers: tuple[str, ...]
) -> None:
    (question,) = read_file_with(tmp_path, text).questions
    assert (question.id, question.text(), question.answers) == (name, "How deep?", words(answers))


def test_multispanqa_has_its_answers_in_the_labels_of_words() -> None:
    question = by_id("multispanqa.json")["m1"]
    assert question.text() == "who lit it"
    assert question.answers == Answers(texts=(("Ann Mill",), ("Bea",)))


def test_ckbqa_has_blocks_of_lines() -> None:
    first, second, third = load("ckbqa.txt").questions
    assert (first.id, first.texts) == ("q1", {"zh": ("池塘在哪里？",)})
    assert first.sparql == "select ?x where { <池塘_（A）> <位置> ?x. }"
    assert first.answers == column("answer", Cell("uri", "花园"), Cell("uri", "公园"))
    assert second.answers == column("answer", Cell("literal", "4米"))
    assert (third.sparql, third.answers) == ("", None)


def test_a_block_of_ckbqa_without_a_question_is_named(tmp_path: Path) -> None:
    (tmp_path / "set.txt").write_text("q1:谁？\nselect ?x where { ?x <a> 1 }\n<b>\n", "utf-8")
    assert read_questions(tmp_path / "set.txt", ReadOptions(format="ckbqa")).questions[0].id == "q1"
    (tmp_path / "other.txt").write_text("谁？\nq1:谁？\n", encoding="utf-8")
    found = read_questions(tmp_path / "other.txt", ReadOptions(format="ckbqa", skip_broken=True))
    assert [one.reason for one in found.left_out] == [
        "line 1: '谁？' is not an id, a colon and a question"
    ]
