"""A value is the same answer in gold and in a run, whatever else its file holds."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

import qaldgen as qg
from qaldgen.answers.answer_values import most_probable
from qaldgen.model import Answers, Cell
from qaldgen.questions.cells import guess_answer_type, parse_term
from qaldgen.questions.written_lists import parse_list

SPARQL = "SELECT ?x { wd:Q1 wdt:P1 ?x }"
WD = "http://www.wikidata.org/entity/"


@pytest.mark.parametrize(("text", "values"), [
    ('["Q64", "Q90"]', ["Q64", "Q90"]), ("['Q64', 'Q90']", ["Q64", "Q90"]),
    ("{'b', 'a'}", ["b", "a"]), ("('a', 'b')", ["a", "b"]), ("frozenset({'a'})", ["a"]),
    ("set()", []), ("wd:Q64, wd:Q90", ["wd:Q64", "wd:Q90"]), ("[Q64, Q90]", ["Q64", "Q90"]),
    ("http://x.org/a, http://x.org/b", ["http://x.org/a", "http://x.org/b"]),
    ("<http://x.org/a> <http://x.org/b>", ["<http://x.org/a>", "<http://x.org/b>"]),
    ("http://x.org/Ulm,_Texas; http://x.org/b", ["http://x.org/Ulm,_Texas", "http://x.org/b"]),
    ("(1, 2)", None), ("[Ben]", None), ("Q64 is Berlin", None), ("Ann, Bea", None),
    ("http://x.org/Ulm,_Texas", None),
])  # fmt: skip
def test_lists_in_a_text(text: str, values: list[str] | None) -> None:
    assert parse_list(text) == values


@pytest.mark.parametrize("cell", [
    "Q64", "wd:Q64", f"<{WD}Q64>", f"{WD}Q64", "['Q64']", '["wd:Q64"]', "{'Q64'}", " Q64 ",
])  # fmt: skip
@pytest.mark.parametrize("beside", ["7", "Ulm", "true", "1999-05-01"])
def test_an_item_is_an_item_whatever_stands_in_other_rows(cell: str, beside: str) -> None:
    gold = qg.load(
        [
            {"id": "1", "question": "What?", "sparql": SPARQL, "answers": cell},
            {"id": "2", "question": "How?", "sparql": SPARQL, "answers": beside},
        ]
    )
    run = qg.read_run([{"id": "1", "answer": cell}, {"id": "2", "answer": beside}])
    for answers in (gold["1"].answers, run.response("1").answers):
        assert answers is not None
        assert answers.values() == [f"{WD}Q64"]
    assert qg.score(gold, run, match="strict")["macro-f1"] == 1.0
    assert qg.score(gold, run)["macro-f1"] == 1.0


def test_a_row_of_several_variables_stays_one_answer() -> None:
    query = "SELECT ?who (MIN(?d) AS ?day) { ?who wdt:P1 ?d } GROUP BY ?who"
    rows = [["Q64", "1902-09-29"], ["Q90", "1903-09-29"]]
    gold = qg.load([{"id": "1", "question": "Who?", "sparql": query, "answers": rows}])
    answers = gold["1"].answers
    assert answers is not None
    assert (answers.variables, len(answers.rows), answers.texts) == (("who", "day"), 2, ())
    written = [{"who": who, "day": day} for who, day in rows]
    for given in (rows, json.dumps(rows), written):
        run = qg.read_run({"1": given}, gold=gold)
        assert run.response("1").answers == answers
    only = qg.score(gold, {"1": "1902-09-29"}, match="strict")
    assert only["macro-f1"] < 1


def test_lists_without_a_query_are_names_of_one_answer() -> None:
    asked = {"id": "1", "question": "Who?", "answers": [["Ann", "Anne"], ["Bea"]]}
    answers = qg.load([asked])["1"].answers
    assert answers is not None
    assert answers.texts == (("Ann", "Anne"), ("Bea",))
    assert qg.read_run({"1": asked["answers"]}).response("1").answers == answers


@pytest.mark.parametrize(("text", "kind"), [
    ("Q64", "resource"), ("dbr:Ulm", "resource"), ("-3.5e2", "number"), ("1999-05-01", "date"),
    ("True", "boolean"), ("Ulm", "string"), ("", ""), ("12:30", "string"),
])  # fmt: skip
def test_values_have_a_class(text: str, kind: str) -> None:
    assert guess_answer_type(text) == kind


def test_literals_as_sparql_writes_them() -> None:
    xsd = "http://www.w3.org/2001/XMLSchema#"
    assert parse_term('"5"^^xsd:integer') == Cell("literal", "5", f"{xsd}integer")
    assert parse_term(f'"1999-05-01"^^<{xsd}date>') == Cell("literal", "1999-05-01", f"{xsd}date")
    assert parse_term('"Ulm"@de') == Cell("literal", "Ulm", "", "de")
    assert parse_term('"Ulm" is a town') == Cell("literal", '"Ulm" is a town')


@pytest.mark.parametrize(("value", "best"), [
    ({"Ulm": 0.1, "Bonn": 0.9}, "Bonn"), ({"Ulm": 0.5, "Bonn": 0.5}, "Ulm"),
    ([["Ulm", 0.2], ["Bonn", 0.8]], "Bonn"),
    ([{"text": "Ulm", "probability": 0.9}, {"text": "Bonn", "probability": 0.1}],
        {"text": "Ulm", "probability": 0.9}),
    (["Ulm", "Bonn"], ["Ulm", "Bonn"]), ("Ulm", "Ulm"), ({"text": "Ulm"}, {"text": "Ulm"}),
])  # fmt: skip
def test_of_candidates_the_most_probable_counts(value: object, best: object) -> None:
    assert most_probable(value) == best


@pytest.mark.parametrize(
    "text", ["Q1" + " " * 30_000 + "x", "a:b," * 10_000, "[" * 20_000, "Q1," * 10_000]
)
def test_long_values_take_no_time(text: str) -> None:
    start = time.perf_counter()
    parse_list(text)
    parse_term(text)
    assert time.perf_counter() - start < 2


NO_DATE = {"day": "", "month": "", "year": ""}


@pytest.mark.parametrize(("value", "values"), [
    ({"number": "2", "date": NO_DATE, "spans": []}, ["2"]),
    ({"number": "", "date": {"day": "2", "month": "May", "year": "1931"}, "spans": []},
     ["2 May 1931"]),
    ({"number": "", "date": {"day": "", "month": "", "year": 1931}, "spans": []}, ["1931"]),
    ({"number": "", "date": NO_DATE, "spans": ["Ann", "Bea"]}, ["Ann", "Bea"]),
    ({"spans": [], "value": "Ulm"}, ["Ulm"]),
    ({"number": "", "date": NO_DATE, "spans": []}, []),
])  # fmt: skip
def test_an_empty_list_beside_other_values_is_no_empty_answer(
    value: object, values: list[str]
) -> None:
    question = qg.load([{"question": "How many?", "answer": value}]).questions[0]
    assert question.answers is not None
    assert question.answers.values() == values


@pytest.mark.parametrize(
    "source", [{"provenance": [{"title": "t"}]}, {"provenance": [], "meta": {}}]
)
def test_sources_among_the_answers_are_no_answers(source: object) -> None:
    output = [source, {"answer": "Ulm", "provenance": []}, source]
    question = qg.load([{"question": "Where?", "output": output}]).questions[0]
    assert question.answers is not None
    assert question.answers.values() == ["Ulm"]


@pytest.mark.parametrize("answer", ["7; 3.5; 12", "1999-04-03; 2010-12-01"])
def test_numbers_and_dates_with_semicolons_between_them_are_a_list(answer: str) -> None:
    gold = [{"id": "1", "question": "How many?", "answers": answer.split("; ")}]
    written = [{"id": "1", "question": "How many?", "answers": answer}]
    assert qg.load(written).questions[0].answers == qg.load(gold).questions[0].answers
    assert qg.score(gold, {"1": answer}, match="exact")["macro-f1"] == 1


def test_semicolons_separate_answers_where_there_may_be_several() -> None:
    gold = [
        {"id": "1", "question": "Which moons?", "gold_answers": "Io; Leda", "answer": "Io;Leda"}
    ]
    scores = qg.score(gold, match="exact")
    assert scores["macro-f1"] == 1
    more = [{"id": "1", "question": "Who?", "gold_answers": "Ann", "predicted_answers": "Ann; Bo"}]
    assert qg.score(more)["macro-f1"] == pytest.approx(2 / 3)
    one = [{"id": "1", "question": "Which film?", "gold": "Io; Leda"}]
    assert qg.load(one).questions[0].answers == Answers(texts=(("Io; Leda",),))


def test_semicolons_separate_further_names() -> None:
    gold = [{"id": "1", "question": "Who?", "answer": "Ann Mill", "aliases": "A. Mill; Annie"}]
    assert qg.score(gold, {"1": "Annie"}, match="exact")["macro-f1"] == 1
    entity = [{"id": "1", "question": "Who?", "answer": "A&amp;T", "aliases": "The A&amp;T; AT"}]
    assert qg.load(entity).questions[0].answers == Answers(
        texts=(("A&amp;T", "The A&amp;T", "AT"),)
    )


def test_lines_and_names_with_prefixes_are_lists_on_both_sides() -> None:
    gold = [
        {"id": "1", "question": "Which moons?", "answers": "Io\nLeda"},
        {"id": "2", "question": "Which pumps?", "answers": "ex:Pump_1, ex:Pump_2"},
    ]
    assert qg.score(gold, {"1": ["Io", "Leda"], "2": ["ex:Pump_2", "ex:Pump_1"]})["macro-f1"] == 1
    run = [{"id": "1", "answers": "Io"}, {"id": "2", "answers": "ex:Pump_2"}]
    assert qg.score(gold, run)["macro-f1"] == pytest.approx(2 / 3)


def test_answers_in_the_languages_of_the_questions_are_gold() -> None:
    gold = [
        {"question_en": "Which river?", "question_de": "Welcher Fluss?", "answer_en": "Danube",
         "answer_de": "Donau"},
        {"question_en": "Is it?", "question_de": "Ist es so?", "answer_en": "yes",
         "answer_de": "ja"},
    ]  # fmt: skip
    for answers in (["Donau", "ja"], ["Danube", "yes"]):
        run = {str(number): answer for number, answer in enumerate(answers, 1)}
        assert qg.score(gold, run)["accuracy"] == 1


def test_two_columns_of_lists_behind_questions_are_gold_and_prediction(tmp_path: Path) -> None:
    path = tmp_path / "results.tsv"
    path.write_text(
        'which moons has mars?\t["Io", "Leda"]\t["Io"]\nwho lit the lamp?\t["Ann"]\t["Ann"]\n'
    )
    assert qg.score(path)["macro-f1"] == pytest.approx((2 / 3 + 1) / 2)


def test_tuples_of_answers_are_gold_and_prediction() -> None:
    cell = {"item": {"type": "uri", "value": "http://x.org/Ulm"}}
    record = {"question": "Where?", "gold_answer_tuple": [cell], "predicted_answer_tuple": [cell]}
    assert qg.score([record])["macro-f1"] == 1


def test_predictions_that_each_name_their_model_are_those_of_several_systems() -> None:
    gold = [
        {"id": n, "question": question, "gold_answers": [answer],
         "predictions": [{"model": "a", "answer": [answer]}, {"model": "b", "answer": "Bo"}]}
        for n, (question, answer) in enumerate([("Who lit it?", "Ann"), ("Who left?", "Bea")])
    ]  # fmt: skip
    evaluation = qg.evaluate(gold)
    assert [(scores.run.name, scores["macro-f1"]) for scores in evaluation] == [("a", 1), ("b", 0)]


def test_labels_of_a_printed_log_are_fields(tmp_path: Path) -> None:
    for label in ("Got", "Model answer", "Predicted"):
        path = tmp_path / "log.txt"
        path.write_text(
            f"Question 1: Who lit it?\nExpected: Ann\n{label}: Ann\n\n"
            f"Question 2: Who left?\nExpected: Bea\n{label}: Cal\n"
        )
        assert qg.score(path)["accuracy"] == 0.5


def test_items_behind_their_names_are_a_list_with_commas() -> None:
    gold = [{"id": "1", "question": "Where?", "answers": "Ulm (Q3012), New Ulm (Texas) (Q90)"}]
    assert qg.score(gold, {"1": ["Q90", "Q3012"]})["macro-f1"] == 1
    assert qg.score(gold, {"1": "Ulm (Q3012), Bonn (Q586)"})["macro-f1"] == 0.5
    assert qg.score(gold, {"1": "Ulm (Q3012)"})["macro-f1"] == pytest.approx(2 / 3)


def test_a_text_that_equals_the_gold_is_not_divided() -> None:
    gold = [{"id": "1", "question": "Which film?", "answer": "Ulm; Bonn"}]
    assert qg.score(gold, [{"id": "1", "answers": "Ulm; Bonn"}], match="exact")["macro-f1"] == 1


def test_an_answer_beside_answers_in_languages_stays_the_gold() -> None:
    record = {"question_en": "Where?", "question_de": "Wo?", "answer": "Rome", "answer_de": "Rom"}
    (question,) = qg.load([record]).questions
    assert question.answers == Answers(texts=(("Rome", "Rom"),))


def test_models_that_are_objects_are_no_names_of_systems() -> None:
    predictions = [{"model": {"name": name}, "answer": "Ann"} for name in "ab"]
    record = {"id": "1", "question": "Who?", "gold": "Ann", "predictions": predictions}
    assert qg.score([record])["macro-f1"] == 1
