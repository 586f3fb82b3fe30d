"""Gold and answers in forms that people make by hand, or that tools write in passing."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import qaldgen as qg

GOLD = [
    {"id": "q1", "question": "Which river crosses Ulm?", "answer": "Danube"},
    {"id": "q2", "question": "Which river crosses Bonn?", "answer": "Rhine"},
    {"id": "q3", "question": "Which river crosses Halle?", "answer": "Saale"},
    {"id": "q4", "question": "Which river crosses Bremen?", "answer": "Weser"},
]


def f1(gold: Any, run: Any) -> float:  # noqa: ANN401 - data of any form
    return float(qg.score(gold, run)["macro-f1"])


def gold_values(gold: Any) -> list[list[str]]:  # noqa: ANN401 - data of any form
    questions = qg.load(gold)
    return [[] if question.answers is None else question.answers.values() for question in questions]


def answer_values(run: qg.Run) -> list[str]:
    answers = run.response("1").answers
    return [] if answers is None else answers.values()


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "text",
    [
        "Q1: Who lit it?\nA1: Ann\n\nQ2: Who rang?\nA2: Ben\n",
        "Question: Who lit it?\nAnswer: Ann\nQuestion: Who rang?\nAnswer: Ben\n",
        "Frage 1: Who lit it?\nAntwort 1: Ann\nFrage 2: Who rang?\nAntwort 2: Ben\n",
    ],
)
def test_lines_with_labels_are_questions_and_answers(text: str, tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.txt", text)
    assert gold_values(gold) == [["Ann"], ["Ben"]]
    assert f1(gold, write(tmp_path / "run.txt", "1. Ann\n2. Bo\n")) == 0.5


def test_lines_with_colons_are_no_records(tmp_path: Path) -> None:
    run = write(tmp_path / "run.txt", "Answer: Danube\nAnswer: Rhine\nAnswer: Po\nAnswer: Po\n")
    assert f1(GOLD, run) == 0.5


def test_a_table_may_have_a_row_for_each_system(tmp_path: Path) -> None:
    text = "system,q1,q2,q3,q4\na,Danube,Rhine,Po,Po\nb,Po,Rhine,Po,Po\n"
    evaluation = qg.evaluate(GOLD, [write(tmp_path / "run.csv", text)])
    assert {name: float(evaluation[name]["macro-f1"]) for name in "ab"} == {"a": 0.5, "b": 0.25}


def test_records_may_have_a_row_for_each_system(tmp_path: Path) -> None:
    rows = [{"model": "a", "q1": "Danube", "q2": "Po", "q3": "Po", "q4": "Weser"}]
    rows.append({"model": "b", "q1": "Po", "q2": "Po", "q3": "Po", "q4": "Weser"})
    evaluation = qg.evaluate(GOLD, [write(tmp_path / "run.json", json.dumps(rows))])
    assert {name: float(evaluation[name]["macro-f1"]) for name in "ab"} == {"a": 0.5, "b": 0.25}


def test_a_form_has_a_row_for_each_person_and_a_column_for_each_question(tmp_path: Path) -> None:
    header = [f'"{n}. {entry["question"]}"' for n, entry in enumerate(GOLD, 1)]
    text = f'Timestamp,"Your name",{",".join(header)}\n7:15,Kim,Danube,Rhine,,Po\n'
    assert f1(GOLD, write(tmp_path / "run.csv", text)) == 0.5


def test_a_workbook_may_begin_with_a_sheet_of_another_kind(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["Project", "Rivers"])
    sheet = book.create_sheet("Gold")
    for row in [["ID", "Question", "Answer"], *(list(entry.values()) for entry in GOLD)]:
        sheet.append(row)
    book.save(tmp_path / "gold.xlsx")
    questions = qg.load(tmp_path / "gold.xlsx")
    assert len(questions) == 4
    assert any("the sheet 'Gold' is read" in note for note in questions.notes)


def test_a_table_in_markdown_may_have_a_title_that_is_a_field(tmp_path: Path) -> None:
    text = "# Results\n\n| ID | Question | Gold | Output |\n|---|---|---|---|\n"
    text += "".join(
        f"| {entry['id']} | {entry['question']} | {entry['answer']} | Rhine |\n" for entry in GOLD
    )
    assert f1(write(tmp_path / "results.md", text), None) == 0.25


@pytest.mark.parametrize(
    "reply",
    ['{"answer": 1204}', '{"answer": 1204, "confidence": 0.9}', '{"year": 1204}', "1204"],
)
def test_numbers_in_replies_in_json_are_answers_not_scores(reply: str) -> None:
    gold = [{"id": "1", "question": "In which year did it burn?", "answer": "1204"}]
    assert f1(gold, [{"id": "1", "prediction": reply}]) == 1
    assert f1(gold, [{"id": "1", "prediction": {"1204": 0.9, "1205": 0.1}}]) == 1
    assert f1(gold, [{"id": "1", "prediction": {"1204": 5}}]) == 1


@pytest.mark.parametrize(
    ("true", "false"), [("1", "0"), (1, 0), ("yes", "no"), (1.0, 0.0), ("T", "F")]
)
def test_one_and_zero_are_truth_values_where_the_gold_is_one(true: Any, false: Any) -> None:  # noqa: ANN401 - text or number
    gold = [
        {"id": "1", "question": "Is it lit?", "answer": True},
        {"id": "2", "question": "Is it wet?", "answer": False},
    ]
    run = [{"id": "1", "answer": true}, {"id": "2", "answer": false}]
    assert f1(gold, run) == 1
    assert f1(gold, [{**run[0]}, {"id": "2", "answer": true}]) == 0.5


def test_texts_in_brackets_without_quotes_are_a_list() -> None:
    gold = [{"id": "1", "question": "Which colours has it?", "answers": ["red", "white", "blue"]}]
    run = {"1": "[red, white, green]"}
    assert answer_values(qg.read_run(run)) == ["red", "white", "green"]
    assert f1(gold, run) == pytest.approx(2 / 3)


def test_an_array_that_numpy_wraps_is_a_list() -> None:
    gold = [{"id": "1", "question": "Which?", "answers": ["wd:Q5", "wd:Q6", "wd:Q7"]}]
    assert f1(gold, {"1": "['wd:Q5' 'wd:Q6'\n 'wd:Q7']"}) == 1


def test_labels_beside_items_are_no_answers() -> None:
    gold = [{"id": "1", "question": "Who?", "answers": ["http://www.wikidata.org/entity/Q5"]}]
    row = {
        "item": {"type": "uri", "value": "http://www.wikidata.org/entity/Q5"},
        "itemLabel": {"type": "literal", "xml:lang": "en", "value": "Ann"},
    }
    run = qg.read_run({"1": [row]}, gold=qg.load(gold))
    assert answer_values(run) == ["http://www.wikidata.org/entity/Q5"]
    assert any("are no answers" in note for note in run.notes)
    # a gold name is met by the label
    assert f1([{**gold[0], "answers": ["Ann"]}], {"1": [row]}) == 1


def test_results_in_xml_in_a_field_are_results() -> None:
    text = (
        '<?xml version="1.0"?><sparql xmlns="http://www.w3.org/2005/sparql-results#"><head>'
        '<variable name="x"/></head><results><result><binding name="x"><uri>http://x.org/a</uri>'
        '</binding></result><result><binding name="x"><uri>http://x.org/b</uri></binding></result>'
        "</results></sparql>"
    )
    run = qg.read_run([{"id": "1", "result": text}])
    assert answer_values(run) == ["http://x.org/a", "http://x.org/b"]


def test_the_same_answer_twice_counts_once() -> None:
    run = [{"id": entry["id"], "answer": "Rhine"} for entry in GOLD]
    scores = qg.score(GOLD, [*run, run[2]])
    assert float(scores["macro-f1"]) == 0.25
    assert any("same answers twice" in note for note in scores.notes)


def test_gold_patterns_are_named() -> None:
    gold = [{"id": "1", "question": "How high is it?", "answer": r"1,?204(\.5)?\s?(m|meters)"}]
    assert any("regular expressions" in note for note in qg.load(gold).notes)
    formula = [{"id": "1", "question": "Which root?", "answer": r"2\sqrt{3}"}]
    assert not any("regular expressions" in note for note in qg.load(formula).notes)


def test_languages_may_be_named_in_english() -> None:
    gold = [{"id": "1", "question": "Wer ist es?", "language": "German", "answer": "Ann"}]
    assert list(qg.load(gold).questions[0].texts) == ["de"]


def test_the_time_of_midnight_is_a_near_miss() -> None:
    gold = [
        {"id": "1", "question": "When?", "answers": ["1204-05-12"]},
        {"id": "2", "question": "Who?", "answers": ["http://x.org/a"]},
    ]
    scores = qg.score(gold, {"1": "1204-05-12T00:00:00Z", "2": "http://x.org/a"})
    assert any("the time of midnight" in note for note in scores.notes)


def test_places_of_tokens_alone_are_no_answers() -> None:
    gold = [{"question": "Who?", "answers": [{"short_answers": [{"start_token": 5}]}]}]
    questions = qg.load(gold)
    assert gold_values(gold) == [[]]
    assert any("not read" in note and "answers" in note for note in questions.notes)


def nq(**fields: Any) -> dict[str, Any]:  # noqa: ANN401 - parts of a record
    spans = [{"start_token": 3, "end_token": 5}]
    annotation = {"short_answers": spans, "yes_no_answer": "NONE", "long_answer": {}}
    return {
        "example_id": 7,
        "question_text": "who lit the lamp",
        "document_text": "It was by Ann Lee lit",
        "annotations": [annotation],
    } | fields


HUB = {
    "id": "7",
    "question": {"text": "who lit the lamp", "tokens": ["who"]},
    "document": {"title": "Sund"},
    "long_answer_candidates": {"start_token": [0]},
    "annotations": {
        "short_answers": [{"start_token": [3], "end_token": [5], "text": ["Ann Lee"]}],
        "yes_no_answer": [-1],
    },
}


@pytest.mark.parametrize(
    ("record", "answers"),
    [
        (HUB, ["Ann Lee"]),
        (nq(), ["Ann Lee"]),
        (nq(annotations=[{"short_answers": [], "yes_no_answer": "YES"}]), ["true"]),
        (nq(annotations=[*nq()["annotations"], *[{"short_answers": []}] * 4]), []),
    ],
)
def test_gold_of_natural_questions_is_the_words_of_its_spans(
    record: dict[str, Any], answers: list[str], tmp_path: Path
) -> None:
    path = write(tmp_path / "nq.jsonl", json.dumps(record) + "\n" + json.dumps(record) + "\n")
    assert qg.load(path).format == "nq"
    assert gold_values(path)[0] == answers


def test_the_original_of_natural_questions_has_tokens_as_objects(tmp_path: Path) -> None:
    words = ["It", "was", "by", "Ann", "Lee", "lit"]
    record = nq(document_tokens=[{"token": word, "html_token": False} for word in words])
    del record["document_text"]
    path = write(tmp_path / "nq.jsonl", json.dumps(record) + "\n" + json.dumps(record) + "\n")
    assert gold_values(path)[0] == ["Ann Lee"]


def test_ids_may_have_a_letter_before_the_number() -> None:
    gold = [{**entry, "id": number} for number, entry in enumerate(GOLD, 3)]
    run = {f"Q{entry['id']}": "Rhine" for entry in gold}
    scores = qg.score(gold, run)
    assert float(scores["macro-f1"]) == 0.25
    assert any("behind 'Q'" in note for note in scores.notes)


def test_an_error_among_results_by_id_is_a_failure() -> None:
    gold = [
        {"id": "1", "question": "Who?", "answers": ["http://x.org/a"]},
        {"id": "2", "question": "Where?", "answers": ["http://x.org/b"]},
    ]
    cell = {"x": {"type": "uri", "value": "http://x.org/a"}}
    results = {"head": {"vars": ["x"]}, "results": {"bindings": [cell]}}
    run = qg.read_run({"1": results, "2": {"error": "timeout"}}, gold=qg.load(gold))
    assert run.response("2").status == "failed"
    assert float(qg.score(gold, run)["macro-f1"]) == 0.5


def test_objects_with_ids_of_items_are_answers_where_the_keys_are_ids() -> None:
    gold = [{"id": "1", "question": "Who?", "answers": ["wd:Q5", "wd:Q6"]}]
    gold.append({"id": "2", "question": "Where?", "answers": ["wd:Q7"]})
    items = [{"qid": "Q5", "label": "Ann"}, {"qid": "Q6", "label": "Ben"}]
    assert f1(gold, {"1": items, "2": [{"qid": "Q8", "label": "Ulm"}]}) == 0.5


@pytest.mark.parametrize(("given", "spelling"), [
    ("http://dbpedia.org/class/yago/Ann", "prefixes"),
    ("https://en.wikipedia.org/wiki/Ann", "the address of a page"),
])  # fmt: skip
def test_other_addresses_of_a_thing_are_near_misses(given: str, spelling: str) -> None:
    namespace = "http://yago-knowledge.org/resource/"
    if spelling != "prefixes":
        namespace = "http://dbpedia.org/resource/"
    gold = [{"id": "1", "question": "Who?", "answers": [f"{namespace}Ann"]}]
    gold.append({"id": "2", "question": "Where?", "answers": [f"{namespace}Ulm"]})
    notes = qg.score(gold, {"1": given, "2": f"{namespace}Ulm"}).notes
    assert any(spelling in note for note in notes)


def test_the_named_field_of_structured_output_is_the_answer() -> None:
    replies = [
        {"id": "q1", "parsed": {"reasoning": "The Danube flows there.", "final_answer": None}},
        {"id": "q2", "parsed": {"reasoning": "Not the Po.", "final_answer": "Rhine"}},
        {"id": "q3", "parsed": {"reasoning": "Saale or Po", "final_answer": 7}},
        {"id": "q4", "parsed": {"reasoning": "?", "final_answer": "Weser"}},
    ]
    assert f1(GOLD, replies) == 0.5


def test_a_field_of_an_object_can_be_chosen() -> None:
    replies = [
        {"id": row["id"], "out": {"best": {"river": river}, "why": "known"}}
        for row, river in zip(GOLD, ["Danube", "Po", "Po", "Po"], strict=True)
    ]
    assert f1(GOLD, qg.read_run(replies, answer_field="out.best.river")) == 0.25


def test_rows_of_a_graph_database_hold_counts() -> None:
    gold = [{"question": "How many mills?", "answers": [3]}]
    assert f1(gold, [{"question": "How many mills?", "result": [{"n": 3}]}]) == 1.0
    assert f1(gold, [{"question": "How many mills?", "result": [{"count(m)": 4}]}]) == 0.0


def test_gold_may_be_an_object_from_ids_to_lists(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.json", '{"1": ["Ulm"], "2": ["Bonn", "Halle"]}')
    run = write(tmp_path / "run.json", '{"1": ["Ulm"], "2": ["Bonn"]}')
    assert float(qg.score(gold, run, match="exact")["macro-f1"]) == pytest.approx(5 / 6)


def test_the_target_of_a_reward_is_gold_and_what_was_retrieved_is_no_answer() -> None:
    dump = [
        {"input": "Who lit it?", "output": "<answer>Ann</answer>", "gts": {"target": ["Ann"]}},
        {
            "input": "Who built it?",
            "output": "<search>built</search><information>By Ben.</information> I give up.",
            "gts": {"target": ["Ben", "Benny"]},
        },
    ]
    assert float(qg.score(dump)["macro-f1"]) == 0.5


@pytest.mark.parametrize(
    "reply",
    [
        lambda text: {"choices": [{"index": 0, "turns": [text]}], "model_id": "x"},
        lambda text: {"choices": [{"message": {"role": "assistant", "content": text}}]},
        lambda text: {"candidates": [{"content": {"parts": [{"text": text}]}}]},
        lambda text: {"role": "assistant", "content": [{"type": "text", "text": text}]},
    ],
)
def test_replies_of_chat_services_stand_beside_ids(reply: Any) -> None:  # noqa: ANN401 - a function
    rivers = zip(GOLD, ["Danube", "Po", "Saale", "Po"], strict=True)
    assert f1(GOLD, [{"question_id": row["id"], **reply(river)} for row, river in rivers]) == 0.5


def test_gold_and_answers_are_split_at_one_separator() -> None:
    gold = qg.load(
        [{"id": 1, "question": "Which colours?", "answers": "red; white; blue"}], split_answers=";"
    )
    assert float(qg.score(gold, {"1": "red; white"})["macro-f1"]) == 0.8
    assert float(qg.score(gold, {"1": "blue; red; white"})["macro-f1"]) == 1.0


def test_numbers_with_decimal_commas_are_no_lists() -> None:
    rows = [
        {"question": "Wie schwer?", "answer": "12,5"},
        {"question": "Wie lang?", "answer": "1.493,5 km"},
    ]
    assert not [note for note in qg.load(rows).notes if "look like" in note]


def test_a_row_of_totals_is_no_question(tmp_path: Path) -> None:
    table = "Nr,Frage,Antwort,Vorhersage\n1,Wer?,Ann,Ann\n2,Wo?,Ulm,Bonn\n,Summe richtig,,1\n"
    questions = qg.load(write(tmp_path / "table.csv", table))
    assert [question.id for question in questions] == ["1", "2"]
    assert questions.left_out[0].reason == "a row of totals, without a gold answer"


def test_questions_are_found_whatever_their_quotation_marks() -> None:
    gold = [
        {"question": "Who wrote “The Mill”?", "answer": "Ann"},
        {"question": "Who is C?", "answer": "Bo"},
        {"question": "Who is C++?", "answer": "Cy"},
    ]
    run = [
        {"question": 'Who wrote "The Mill"', "answer": "Ann"},
        {"question": "Who is C++ ?", "answer": "Cy"},
        {"question": "who is C", "answer": "Bo"},
    ]
    assert f1(gold, run) == 1.0


def test_what_stands_beside_an_answer_is_no_system() -> None:
    row = {"question": "Who?", "answer": "Ann", "answer_session_ids": "s1", "llama answer": "Bo"}
    assert qg.load([row, {**row, "question": "Who else?"}]).systems == ("llama",)


def test_what_is_known_to_be_no_answer_leaves_the_only_column_with_answers() -> None:
    run = [
        {"id": row["id"], "link": river, "seconds": 0.4, "status": "answered"}
        for row, river in zip(GOLD, ["Danube", "Po", "Saale", "Po"], strict=True)
    ]
    assert f1(GOLD, run) == 0.5


def test_lines_may_begin_with_ids_in_any_order(tmp_path: Path) -> None:
    text = "# a comment\nq3: Saale\nq1: Danube\nor so they say\nq4: Po\n"
    run = qg.read_run(write(tmp_path / "run.txt", text), gold=qg.load(GOLD))
    assert {
        name: item.answers.values() for name, item in run.responses.items() if item.answers
    } == {
        "q3": ["Saale"],
        "q1": ["Danube\nor so they say"],
        "q4": ["Po"],
    }


def test_lines_in_order_may_have_colons(tmp_path: Path) -> None:
    text = "q: Danube\nq1: Rhine\nSaale\nWeser\n"
    run = qg.read_run(write(tmp_path / "run.txt", text), gold=qg.load(GOLD))
    assert run.response("q2").answers == qg.Answers(texts=(("q1: Rhine",),))


def test_numbered_annotators_give_names_of_the_gold_answer() -> None:
    rows = [
        {
            "question": "When?",
            "annotator_1": "at dusk",
            "annotator_2": "dusk",
            "prediction": "dusk",
        },
        {"question": "Where?", "annotator_1": "Ulm", "annotator_2": "in Ulm", "prediction": "Bonn"},
    ]
    assert gold_values(rows) == [["at dusk"], ["Ulm"]]
    assert float(qg.score(rows)["macro-f1"]) == 0.5


def test_a_chosen_gold_field_makes_a_question_set() -> None:
    rows = [{"query": "Birds of Ulm", "docs": "gull"}, {"query": "Mills of Ulm", "docs": "Old"}]
    gold = qg.load(rows, gold_field="docs")
    assert [question.text() for question in gold] == ["Birds of Ulm", "Mills of Ulm"]
    assert gold.systems == ()


def test_names_of_yago_are_no_classes_of_dbpedia() -> None:
    gold = [{"question": "Where?", "answer": "yago:Bergen"}]
    iri = "http://yago-knowledge.org/resource/Bergen"
    assert f1(gold, [{"question": "Where?", "answer": iri}]) == 1.0
    wordnet = [{"question": "What?", "answer": "yago:City108524735"}]
    assert gold_values(wordnet) == [["http://dbpedia.org/class/yago/City108524735"]]


def test_gold_numbers_keep_english_thousands_in_other_languages() -> None:
    gold = qg.load([{"id": 1, "question": "Wie viel?", "answer": "5,000"}], language="de")
    scores = [
        float(qg.score(gold, {"1": text}, language="de")["macro-f1"])
        for text in ("Es sind 5.000.", "5000", "Es sind 500.")
    ]
    assert scores == [1.0, 1.0, 0.0]


def test_a_run_may_have_columns_without_names(tmp_path: Path) -> None:
    text = "id,answer,,\nq1,Danube,sure,x\nq2,Rhine,,y\nq3,Po,sure,\nq4,Po,,x\n"
    assert f1(GOLD, write(tmp_path / "run.csv", text)) == 0.5


def test_names_of_systems_may_stand_above_the_header(tmp_path: Path) -> None:
    table = (
        ",,,Old Mill,,New Mill,\nid,question,gold,answer,time,answer,time\n"
        "1,Who?,Ann,Ann,1,Bo,2\n2,Where?,Ulm,Bonn,1,Bonn,3\n"
    )
    scores = qg.score(write(tmp_path / "table.csv", table), "Old Mill")
    assert float(scores["macro-f1"]) == 0.5
    questions = qg.load(tmp_path / "table.csv")
    assert questions.systems == ("Old Mill", "New Mill")
    assert not [note for note in questions.notes if "above the header" in note]


@pytest.mark.parametrize("system", ["Nemotron", "Isaac", "Longformer", "Numen"])
def test_systems_may_begin_like_other_columns(system: str) -> None:
    rows = [{"question": "Who?", "gold": "Ann", f"{system} answer": "Ann", "num_answers": 1}]
    assert qg.load(rows).systems == (system,)


def test_questions_without_any_gold_are_no_totals(tmp_path: Path) -> None:
    table = write(tmp_path / "set.csv", "id,question\n1,Total area of Ulm\n2,Who lit it?\n")
    assert len(qg.load(table)) == 2


def test_failures_stand_among_replies_of_chat_services() -> None:
    run: list[dict[str, Any]] = [
        {"question_id": row["id"], "choices": [{"message": {"content": row["answer"]}}]}
        for row in GOLD[:3]
    ]
    run.append({"question_id": "q4", "error": {"message": "overloaded"}})
    scores = qg.score(GOLD, run)
    assert float(scores["macro-f1"]) == 0.75
    assert list(scores.counts["status"]).count("failed") == 1


def test_blank_cells_below_the_id_continue_the_answer(tmp_path: Path) -> None:
    gold = [
        {"id": "1", "question": "Which rivers?", "answers": ["Brda", "Drwa"]},
        {"id": "2", "question": "Who lit it?", "answers": ["Ann"]},
    ]
    run = write(tmp_path / "run.csv", "id,answer\n1,Brda\n,Drwa\n2,Bo\n")
    assert f1(gold, run) == 0.5
    assert any("has those of the row above" in note for note in qg.score(gold, run).notes)


def test_extended_json_of_a_database_is_plain_values(tmp_path: Path) -> None:
    questions = [
        {"_id": {"$oid": f"a{number}"}, "question": f"Who is {number}?", "answer": "Ann"}
        for number in (1, 2)
    ]
    answers = [
        {"_id": {"$oid": "b1"}, "questionId": {"$oid": "a1"}, "answer": "Ann"},
        {"_id": {"$oid": "b2"}, "questionId": {"$oid": "a2"}, "answer": "Bo"},
    ]
    gold = write(tmp_path / "gold.json", "\n".join(map(json.dumps, questions)))
    run = write(tmp_path / "run.json", "\n".join(map(json.dumps, answers)))
    assert f1(gold, run) == 0.5


def test_a_run_in_the_text_format_of_its_gold_is_read_like_it(tmp_path: Path) -> None:
    text = (
        "q1:谁?\nselect ?x where { <A> <b> ?x. }\n<C>\n\n"
        "q2:谁呢?\nselect ?x where { <D> <b> ?x. }\n<E>\n"
    )
    gold = write(tmp_path / "gold.txt", text)
    assert f1(gold, write(tmp_path / "run.txt", text.replace("<E>", "<F>"))) == 0.5


def test_names_that_differ_by_an_unknown_prefix_are_near_misses() -> None:
    gold = [{"id": "1", "question": "Where?", "answers": ["https://kg.example.org/resource/Ulm"]}]
    scores = qg.score(gold, {"1": "acme:Ulm"}, match="gerbil")
    assert scores["macro-f1"] == 0.0
    (note,) = [note for note in scores.notes if "equal gold ones but for namespaces" in note]
    assert note.endswith("they stay wrong, otherwise macro F1 would be 1.0000")


def test_few_questions_in_another_script_are_read_in_its_language() -> None:
    gold = [
        {"id": "1", "question": "谁写了这本书？", "answer": "李安"},
        {"id": "2", "question": "这条河有多长？", "answer": "三公里"},
    ]
    notes = qg.score(gold, {"1": "王五", "2": "三天"}).notes
    assert any("read in the language of the question (zh)" in note for note in notes)


@pytest.mark.parametrize(
    "extra",
    [
        {"sparql": "SELECT ?x WHERE { <http://x.org/a> <http://x.org/b> ?x }"},
        {"a_entity": ["Brda", "Drwa"]},
        {"prediction": ["Odra", "Po"]},
        {"prediction": "These are:\nans: Odra\nans: Po"},
    ],
)
def test_a_list_has_several_answers_if_the_record_says_so(extra: dict[str, Any]) -> None:
    record = {"id": "1", "question": "Which rivers?", "answer": ["Brda", "Drwa"]}
    assert gold_values([record | extra]) == [["Brda", "Drwa"]]
    assert gold_values([record]) == [["Brda"]]  # names of one answer


def test_an_answer_may_say_that_it_is_a_list() -> None:
    answer = {"type": "list", "value": ["Brda", "Drwa"]}
    assert gold_values([{"id": "1", "question": "Which rivers?", "answer": answer}]) == [
        ["Brda", "Drwa"]
    ]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("Two:\nans: Brda\nans: Drwa", 1.0), ("ans: Brda", 2 / 3), ("Brda|Drwa", 1.0)],
)
def test_labels_and_bars_divide_the_answers_to_a_question_with_several(
    answer: str, expected: float
) -> None:
    gold = [{"id": "1", "question": "Which rivers?", "answers": ["Brda", "Drwa"]}]
    assert f1(gold, {"1": answer}) == pytest.approx(expected)


def test_verdicts_beside_the_answers_of_a_model_are_no_system() -> None:
    rows = [
        {"question": f"Who is {name}?", "gold": name, "GPT-4o": name, "GPT-4o ok?": 1}
        for name in ("Ann", "Bea", "Cid")
    ]
    rows[1] |= {"GPT-4o": "Bo", "GPT-4o ok?": 0}
    assert float(qg.score(rows)["macro-f1"]) == pytest.approx(2 / 3)


def test_texts_of_questions_may_be_keys_of_gold_and_answers_of_systems() -> None:
    gold = {
        "Who lit it?": {"gold": ["Ann"], "model_a": ["Ann"], "model_b": []},
        "Who rang?": {"gold": ["Ben"], "model_a": ["Bo"], "model_b": ["Ben"]},
    }
    assert [float(scores["macro-f1"]) for scores in qg.evaluate(gold)] == [0.5, 0.5]


def test_two_lists_of_answers_say_what_would_be_read() -> None:
    gold: Any = [["Ann"], ["Ben"]]
    with pytest.raises(qg.QaldgenError, match="one dict of questions and their answers"):
        qg.score(gold, {"1": "Ann"})


def test_letters_of_several_choices_are_sets_in_gold_and_run() -> None:
    choices = {"a": "two", "b": "three", "c": "four"}
    for options, key in (("options", "answers"), ("answers", "correct_answers")):
        gold = [
            {"id": "1", "question": "Which are even?", options: choices, key: ["a", "c"]},
            {"id": "2", "question": "Which is odd?", options: choices, key: ["b"]},
        ]
        assert gold_values(gold) == [["two", "four"], ["three"]]
        assert f1(gold, {"1": ["a", "c"], "2": ["b"]}) == 1.0
        assert f1(gold, {"1": ["a"], "2": ["c"]}) == pytest.approx(1 / 3)


def test_a_listed_wrong_answer_is_never_right_by_its_spelling() -> None:
    gold = [
        {"question": "Which heat?", "correct_answer": "exothermic", "distractor1": "endothermic"},
        {"question": "Which drug?", "correct_answer": "agonist", "distractor1": "antagonist"},
    ]
    scores = qg.score(gold, {"1": "endothermic", "2": "antagonist"})
    assert list(scores.counts["f1"]) == [0.0, 0.0]
    assert scores.counts["sure"].min() > 0.95


def test_wrong_answers_may_be_listed_in_one_text() -> None:
    gold = [{
        "question": "What lit the mill?", "Best Answer": "A lamp of oil",
        "Correct Answers": "A lamp of oil; a lamp", "Incorrect Answers": "A lamp of gas; the sun",
    }]  # fmt: skip
    assert f1(gold, {"1": "A lamp of gas"}) == 0.0
    assert f1(gold, {"1": "It was a lamp"}) == 1.0


def test_a_gold_answer_that_is_listed_as_wrong_too_is_right() -> None:
    gold = [{"question": "Which?", "correct_answer": "heat", "distractor1": "Heat"}]
    assert f1(gold, {"1": "heat"}) == 1.0


def test_ranked_choices_are_no_set() -> None:
    gold = [{"id": "1", "question": "Which?", "choices": ["tea", "ale"], "answer": "tea"}]
    assert f1(gold, [{"id": "1", "candidates": ["tea", "ale"]}]) == 1.0


def test_a_type_of_an_answer_may_be_anything() -> None:
    answer = {"type": ["list"], "value": ["Brda"]}
    assert gold_values([{"id": "1", "question": "Which?", "answer": answer}]) == [["Brda"]]


def test_parts_of_the_questions_are_no_systems(tmp_path: Path) -> None:
    gold = [{"id": name, "question": f"Who is {name}?", "answer": "Ann"} for name in "abcd"]
    answers = {"first": {"a": "Ann", "b": "Bo"}, "second": {"c": "Ann", "d": "Ann"}}
    assert f1(gold, write(tmp_path / "run.json", json.dumps(answers))) == 0.75


@pytest.mark.parametrize(
    "text", ["{'1': ['Ann', None], '2': ['Bo']}", "{'id': 1, 'answer': 'Ann'}\n{'id': 2}\n"]
)
def test_answers_as_python_prints_them(text: str, tmp_path: Path) -> None:
    gold = [
        {"id": str(number), "question": f"Who is {number}?", "answer": "Ann"} for number in (1, 2)
    ]
    assert f1(gold, write(tmp_path / "run.txt", text)) == 0.5


def test_bars_in_json_are_told() -> None:
    questions = qg.load([{"question": "Which towns?", "label": "Ulm|Bonn"}])
    assert any("with `split_answers` '|'" in note for note in questions.notes)


def test_columns_named_by_organisation_and_model_are_systems_even_if_all_is_right() -> None:
    table = [
        {"question": f"Who is {at}?", "gold": said, "org-a/Llama-3.1-8B": said, "Qwen/Qwen2.5": "x"}
        for at, said in enumerate(["Ann Lee", "Bo Kay", "Cy Fox"])
    ]
    accuracies = {scores.name: scores["accuracy"] for scores in qg.evaluate(table)}
    assert accuracies == {"org-a/Llama-3.1-8B": 1, "Qwen/Qwen2.5": 0}


def test_ids_in_results_of_queries_may_be_literals(tmp_path: Path) -> None:
    path = tmp_path / "run.tsv"
    path.write_text('?qid\t?answer\n"q1"\t<http://x.org/Ulm>\n"q2"\t"Ulm"@de\n')
    gold = [
        {"id": "q1", "question": "Where?", "answer": "http://x.org/Ulm"},
        {"id": "q2", "question": "Where is it?", "answer": "Bonn"},
    ]
    assert qg.score(gold, path)["accuracy"] == 0.5


def test_a_quiz_has_choices_with_letters_below_each_question(tmp_path: Path) -> None:
    quiz = tmp_path / "quiz.txt"
    quiz.write_text(
        "Who lit the lamp?\nA. Ann Lee\nB. Bo Kay\nANSWER: B\n\n"
        "Where is\nthe mill?\nA) in Ulm\nB) in\nBonn\nANSWER: A\n"
    )
    assert [question.text() for question in qg.load(quiz)] == [
        "Who lit the lamp?",
        "Where is\nthe mill?",
    ]
    assert qg.score(quiz, {"1": "B", "2": "B"})["accuracy"] == 0.5
    # choices are no answers: with their letters before colons, the gold is in none of these
    quiz.write_text("Q: Who lit it?\na: Ann\nb: Bo\nc: Cy\nQ: Where is it?\na: Ulm\nb: Bonn\n")
    assert [question.metadata["choices"] for question in qg.load(quiz)] == [
        "Ann | Bo | Cy",
        "Ulm | Bonn",
    ]
    assert not any(question.gold.values() for question in qg.load(quiz))


def test_a_folder_has_a_file_for_each_question_with_its_id_and_the_steps_of_the_reply(
    tmp_path: Path,
) -> None:
    names = ["Ann Lee", "Bo Kay", "Cy Fox", "Di Moss"]
    gold = [{"id": at, "question": f"Who is {at}?", "answer": names[at]} for at in range(4)]
    for at in range(3):
        path = tmp_path / "runs" / f"run_2025_{at}x.json"
        path.parent.mkdir(exist_ok=True)
        reply = [
            {"type": "reasoning", "output": ["It may be one of them."]},
            {"type": "tool_call", "output": names[at]},
            {"type": "output_text", "output": f"Exact Answer: {names[at % 2]}"},
        ]
        path.write_text(json.dumps({"query_id": str(at), "model": "m", "result": reply}))
    scores = qg.score(gold, tmp_path / "runs")
    assert (scores["accuracy"], scores.statuses()["not asked"]) == (0.5, 1)


SINGERS = ["Ann Lee", "Bo Kay", "Cy Fox", "Di Moss"]
SINGER_GOLD = [
    {"id": f"q{at}", "question": f"Who is {at}?", "reference_answer": name}
    for at, name in enumerate(SINGERS)
]
SAID_OF_SINGERS = ["Ann Lee", "Bo Kay", "Al Ray", "Di Moss"]


def test_the_steps_of_an_agent_beside_its_answer_are_no_answers() -> None:
    """Nor are the ids of its calls those of questions."""
    steps = [{"name": "sparql", "args": {"query": "x"}, "id": "call_3", "output": "Ann Lee"}]
    replies = {
        f"q{at}": {"question_id": f"q{at}", "actual_answer": text, "actual_steps": steps}
        for at, text in enumerate(SAID_OF_SINGERS)
    }
    assert qg.score(SINGER_GOLD, replies)["accuracy"] == 0.75
    assert qg.score(SINGER_GOLD, list(replies.values()))["accuracy"] == 0.75


def test_actual_answers_are_gold_beside_predicted_ones() -> None:
    rows = [
        {"question": f"Who is {at}?", "actual_answer": name, "predicted_answer": text}
        for at, (name, text) in enumerate(zip(SINGERS, SAID_OF_SINGERS, strict=True))
    ]
    assert qg.load(rows)[2].gold.texts == (("Cy Fox",),)
    assert qg.score(rows, rows)["accuracy"] == 0.75


def test_the_verdicts_of_graders_are_no_answers() -> None:
    items = [
        {
            "id": f"item_{at}",
            "datasource_item": {"question": f"Who is {at}?", "answer": name},
            "results": [{"name": "String check", "passed": name == text, "score": 1.0}],
            "sample": {
                "input": [{"role": "user", "content": f"Who is {at}?"}],
                "output": [{"role": "assistant", "content": text}],
            },
        }
        for at, (name, text) in enumerate(zip(SINGERS, SAID_OF_SINGERS, strict=True))
    ]
    assert qg.score(items, items)["accuracy"] == 0.75


def test_answers_in_an_object_are_found_by_the_ids_of_questions() -> None:
    answers = [{"question_id": f"q{at}", "value": text} for at, text in enumerate(SAID_OF_SINGERS)]
    assert qg.score(SINGER_GOLD, {"system": "s", "answers": answers})["accuracy"] == 0.75


@pytest.mark.parametrize(("gold", "said"), [
    ({"value": 7, "unit": "m"}, "7 km"),
    ("7 m", {"value": 7, "unit": "km"}),
    ({"amount": "7", "units": "m"}, {"amount": "7", "units": "ft"}),
    ({"type": "value", "answer_value": "7", "answer_unit": "m"}, "7 km"),
])  # fmt: skip
def test_a_quantity_in_an_object_keeps_its_unit(gold: object, said: object) -> None:
    questions = [{"id": at, "question": f"How long is pipe {at}?", "answer": gold} for at in (1, 2)]
    assert qg.score(questions, {"1": said, "2": "7 m"})["accuracy"] == 0.5


@pytest.mark.parametrize("wrap", [
    lambda rows: rows,
    lambda rows: rows[::-1],
    lambda rows: {"data": {"test": rows}},
])  # fmt: skip
def test_the_id_of_an_answer_may_be_in_its_metadata(wrap: Callable[[Any], Any]) -> None:
    gold = [
        {"inputs": {"text": f"Who is {at}?"}, "outputs": name, "meta": {"id": at, "author": "x"}}
        for at, name in enumerate(SINGERS)
    ]
    rows = [{"outputs": text, "meta": {"id": at}} for at, text in enumerate(SAID_OF_SINGERS)]
    assert qg.score(gold, wrap(rows))["accuracy"] == 0.75


def test_numbers_have_the_scale_beside_them() -> None:
    """A pair of an answer and its scale is one answer, and several spans are several."""
    gold: list[dict[str, Any]] = [
        {"uid": "1", "question": "How much?", "answer": 24.3, "scale": "million"},
        {"uid": "2", "question": "Which?", "answer": ["A b", "C d"], "answer_type": "multi-span"},
        {"uid": "3", "question": "What?", "answer": ["Net sales"], "scale": ""},
    ]
    records: list[dict[str, Any]] = [
        {"uid": "1", "answer": 24.3, "scale": "million"},
        {"uid": "2", "answer": ["A b"]},
    ]
    assert qg.score(gold, records)["coverage"] == pytest.approx(2 / 3)
    assert qg.score(gold[:1], records[:1])["accuracy"] == 1
    both = [{**gold[0], "pred_answer": 24.3, "pred_scale": scale} for scale in ("million", "")]
    assert [qg.score([row], [row])["accuracy"] for row in both] == [1, 0]
    run = {"1": [24.3, "million"], "2": [["A b", "C d"], ""], "3": ["Net sales", ""]}
    assert qg.score(gold, run)["accuracy"] == 1
    assert qg.score(gold, {**run, "1": [24.3, "thousand"], "2": [["A b"], ""]})["accuracy"] < 0.67


@pytest.mark.parametrize("name", ["{}", "test_{}", "my-run_{}"])
@pytest.mark.parametrize("wrap", [lambda row: row, lambda row: [json.dumps(row)]])
def test_a_file_for_each_question_may_have_a_word_before_the_id(
    name: str, wrap: Callable[[Any], Any], tmp_path: Path
) -> None:
    """What it holds may be written as a text, in a list of one."""
    gold = {
        "set": {
            f"000{at}": {"question": f"Who is {at}?", "options": dict(zip("AB", text, strict=True)),
                "answer": "B"}
            for at, text in enumerate([("x", "y"), ("u", "v"), ("m", "n"), ("k", "l")])
        }
    }  # fmt: skip
    for at, letter in enumerate("BBAB"):
        path = tmp_path / (name.format(f"000{at}") + ".json")
        path.write_text(json.dumps(wrap({"thinking": "A is not", "answer_choice": letter})))
    assert qg.score(gold, tmp_path)["accuracy"] == 0.75


def test_rows_of_assertions_have_gold_and_the_systems_that_they_test() -> None:
    rows = [
        {
            "provider": {"id": system, "label": ""},
            "response": {"output": f"It is {text}.", "cached": False},
            "score": int(text == name),
            "testCase": {"vars": {"question": f"Who is {at}?"},
                "assert": [{"type": "icontains", "value": name}]},
            "vars": {"question": f"Who is {at}?"},
        }
        for system, said in (("x:one", SAID_OF_SINGERS), ("x:two", SINGERS))
        for at, (name, text) in enumerate(zip(SINGERS, said, strict=True))
    ]  # fmt: skip
    evaluation = qg.evaluate({"results": {"results": rows}}, {"results": {"results": rows}})
    assert {scores.name: scores["accuracy"] for scores in evaluation} == {"x:one": 0.75, "x:two": 1}
    assert not any(response.confidence for response in evaluation[0].run.responses.values())


@pytest.mark.parametrize("said", [
    ["A", "B", "B"], ["Ann", "Bo", "Bo"], ["option1", "option2", "option2"], [1, 2, 2],
    ["Option 1", "(B)", "B. Bo"],
])  # fmt: skip
def test_gold_may_be_the_name_of_the_column_with_the_choice(said: list[object]) -> None:
    gold = [
        {"question": f"Who is {at}?", "option1": "Ann", "option2": "Bo", "option3": "Cy",
            "target": f"option{at}"}
        for at in (1, 2, 3)
    ]  # fmt: skip
    run = [
        {"question": question["question"], "prediction": answer}
        for question, answer in zip(gold, said, strict=True)
    ]
    assert qg.score(gold, run)["accuracy"] == pytest.approx(2 / 3)
    assert qg.load(gold)[2].gold.texts == (("Cy",),)


def test_the_program_beside_a_prediction_is_no_system() -> None:
    gold = [{"uid": "1", "question": "How much?", "answer": "106.0"}]
    run = [{"uid": "1", "predicted_ans": "106.0", "predicted_program": ["add(100, 6)"]}]
    assert qg.score(gold, run)["accuracy"] == 1


def test_a_reply_of_steps_alone_is_empty() -> None:
    gold = [{"id": at, "question": f"Who is {at}?", "answer": "Ann Lee"} for at in range(2)]
    steps = [{"type": "reasoning", "text": "Ann Lee"}, {"type": "tool_call", "output": "Ann Lee"}]
    scores = qg.score(gold, [{"id": 0, "answer": steps}, {"id": 1, "answer": "Ann Lee"}])
    assert (scores["accuracy"], scores.statuses()["empty"]) == (0.5, 1)


@pytest.mark.parametrize(("gold_ids", "run_ids"), [
    (["001", "002", "010"], [1, 2, 10]),
    (["q01", "q02", "q10"], ["q1", "q2", "q10"]),
    (["1", "2", "10"], ["01", "02", "10"]),
])  # fmt: skip
def test_ids_may_differ_by_zeros_before_numbers(gold_ids: list[str], run_ids: list[object]) -> None:
    names = ["Ann Lee", "Bo Kay", "Cy Fox"]
    gold = [
        {"id": name, "question": f"Who is {name}?", "answer": said}
        for name, said in zip(gold_ids, names, strict=True)
    ]
    run = [{"id": name, "answer": said} for name, said in zip(run_ids, names, strict=True)]
    assert qg.score(gold, run)["accuracy"] == 1


def test_keys_of_choices_are_read_in_gold_and_answers(tmp_path: Path) -> None:
    gold = tmp_path / "gold.csv"
    options = json.dumps({"option1": "Ulm", "option2": "Bonn"})
    rows = [
        {"id": at, "question": f"Where is {at}?", "answer_options": options, "answer": "option1"}
        for at in range(2)
    ]
    with gold.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    assert qg.score(gold, {"0": "option1", "1": "option2"})["accuracy"] == 0.5
    assert qg.score(gold, {"0": "Ulm", "1": "Bonn"})["accuracy"] == 0.5


def test_messages_of_langchain_say_who_speaks_in_their_type(tmp_path: Path) -> None:
    gold = [{"id": 1, "question": "Where?", "answer": "Ulm"}]
    messages = [
        {"type": "human", "content": "Where?"},
        {"type": "ai", "content": "", "tool_calls": []},
        {"type": "tool", "content": "Bonn"},
        {"type": "ai", "content": "Ulm"},
    ]
    assert qg.score(gold, [{"id": 1, "messages": messages}])["accuracy"] == 1


@pytest.mark.parametrize("cell", [
    "[('http://x.org/A',), ('http://x.org/B',)]",
    "[(rdflib.term.URIRef('http://x.org/A'),), (rdflib.term.URIRef('http://x.org/B'),)]",
    "[rdflib.term.URIRef('http://x.org/B'), rdflib.term.URIRef('http://x.org/A')]",
])  # fmt: skip
def test_rows_as_python_prints_them_are_lists_of_answers(cell: str) -> None:
    gold = [{"id": 1, "question": "Which?", "answers": ["http://x.org/A", "http://x.org/B"]}]
    assert qg.score(gold, [{"id": 1, "result": cell}])["macro-f1"] == 1


def test_or_in_brackets_separates_the_names_of_an_answer() -> None:
    gold = [{"id": 1, "question": "Which river?", "target_output": "Aubach<OR>Au"}]
    assert (
        qg.score(gold, {"1": "Aubach"})["accuracy"] == qg.score(gold, {"1": "Au"})["accuracy"] == 1
    )


def test_columns_of_several_rag_systems_are_systems() -> None:
    table = [{"question": "Where?", "gold": "Ulm", "Baseline RAG": "Bonn", "Graph RAG": "Ulm"}]
    accuracies = {scores.name: scores["accuracy"] for scores in qg.evaluate(table)}
    assert accuracies == {"Baseline RAG": 0, "Graph RAG": 1}


def test_the_place_of_the_correct_choice_is_gold() -> None:
    gold = [
        {
            "id": at,
            "question": f"Where is {at}?",
            "choices": ["Ulm", "Bonn"],
            "correct_choice_idx": at,
        }
        for at in range(2)
    ]
    assert [question.gold.texts for question in qg.load(gold)] == [(("Ulm",),), (("Bonn",),)]


@pytest.mark.parametrize(("arguments", "accuracy"), [
    ({"answer": "Ulm", "confidence": 0.9}, 1), ({"answer": "Bonn"}, 0), ({"query": "Ulm"}, 0),
])  # fmt: skip
def test_the_call_of_a_function_may_be_the_answer(
    arguments: dict[str, object], accuracy: float
) -> None:
    call = {"type": "function", "function": {"name": "f", "arguments": json.dumps(arguments)}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    run = [{"id": 1, "response": {"choices": [{"message": message}]}}]
    gold = [{"id": 1, "question": "Where?", "answer": "Ulm"}]
    scores = qg.score(gold, run)
    assert scores["accuracy"] == accuracy
    assert scores.statuses() == ({"empty": 1} if "query" in arguments else {"answered": 1})


def test_chats_of_training_are_gold_and_run(tmp_path: Path) -> None:
    def chats(answers: list[str]) -> str:
        lines = []
        for row, answer in zip(GOLD, answers, strict=True):
            messages = [{"role": "system", "content": "Be brief."}]
            messages.append({"role": "user", "content": row["question"]})
            messages.append({"role": "assistant", "content": answer})
            lines.append(json.dumps({"messages": messages}))
        return "\n".join(lines)

    gold = write(tmp_path / "test.jsonl", chats([row["answer"] for row in GOLD]))
    run = write(tmp_path / "out.jsonl", chats(["Danube", "Rhine", "Po", "Weser"]))
    assert f1(gold, run) == 0.75
    assert f1(GOLD, run) == 0.75


def test_gold_is_the_column_with_choices() -> None:
    marks = ["A", "B", "A"]
    rows = [
        {
            "question": f"How is mill {number}?",
            "option_a": "wet",
            "option_b": "dry",
            "reference": "[]",
            "answer": mark,
        }
        for number, mark in enumerate(marks)
    ]
    assert gold_values(rows) == [["wet"], ["dry"], ["wet"]]
    with_index = [
        {
            "question": row["question"],
            "options": {"A": "wet", "B": "dry"},
            "answer_idx": row["answer"],
            "output": "The answer is A",
        }
        for row in rows
    ]
    assert gold_values(with_index) == [["wet"], ["dry"], ["wet"]]
    assert qg.score(with_index)["accuracy"] == pytest.approx(2 / 3)


def test_lists_with_shorter_names_have_names_of_one_answer() -> None:
    gold = [
        {"id": "1", "question": "Who wrote it?", "answers": ["Ada Weir", "Weir", "A. M. Weir"]},
        {"id": "2", "question": "Where is it?", "answers": ["Ulm", "Ulm, Germany"]},
        {"id": "3", "question": "Who built it?", "answers": ["Bo Kim", "Kim Bo"]},
        {"id": "4", "question": "Who had it?", "answers": ["Cleo", "Dora"]},
    ]
    replies = ["Answer: Ada Weir", "He is there. **Answer:** Ulm", ["Bo Kim"], "Dora"]
    run = {row["id"]: reply for row, reply in zip(gold, replies, strict=True)}
    scores = qg.score(gold, run)
    assert scores["macro-f1"] == 1.0
    # lists without a longer name have several answers, of which a list may lack some
    others = [{**row, "answers": ["Ada", "Ben"]} for row in gold]
    assert qg.score(others, {"1": ["Ada"]}).counts.loc["1", "recall"] == 0.5


def test_answer_with_a_label_is_no_list_but_labelled_answers_are() -> None:
    gold = [{"id": "1", "question": "Which moons has Mars?", "answers": ["Phobos", "Deimos"]}]
    assert f1(gold, {"1": "Answer: Phobos"}) == 1.0  # as "Phobos" alone
    assert f1(gold, {"1": "ans: Phobos"}) == pytest.approx(2 / 3)
    assert f1(gold, {"1": "ans: Phobos\nans: Deimos"}) == 1.0


WIKIDATA = "http://www.wikidata.org/entity/"


@pytest.mark.parametrize(
    "reply",
    [
        "They are Ulm (Q3012) and Bonn (Q586).",
        "[Ulm](https://www.wikidata.org/wiki/Q3012), [Bonn](https://www.wikidata.org/wiki/Q586).",
        "- **Ulm** (https://www.wikidata.org/wiki/Q3012)\n- **Bonn** (https://www.wikidata.org/wiki/Q586)",
    ],
)
def test_iris_in_words_are_answers_where_the_gold_has_such(reply: str) -> None:
    gold = [
        {"id": "1", "question": "Which?", "answers": [WIKIDATA + "Q3012", WIKIDATA + "Q586"]},
        {"id": "2", "question": "Which?", "answers": [WIKIDATA + "Q1"]},
    ]
    scores = qg.score(gold, {"1": reply, "2": "See http://x.org/Q1 for Ulm."})
    assert scores.counts["f1"].tolist() == [1.0, 0.0]


def test_iris_in_words_keep_the_scheme_of_the_gold() -> None:
    gold = [{"id": "1", "question": "Which?", "answers": ["https://x.org/paper/Ada_1"]}]
    assert f1(gold, {"1": "It is [this one](https://x.org/paper/Ada_1)."}) == 1.0


def test_rows_of_a_graph_database_are_answers() -> None:
    rows = json.dumps([{"n.name": "Ada"}, {"n.name": "Ben"}])
    gold = [{"id": "1", "question": "Who?", "gold": rows}]
    assert gold_values(gold) == [["Ada", "Ben"]]


def test_mentions_of_a_linker_are_no_abstentions() -> None:
    gold = [{"id": "1", "question": "Who?", "answers": [WIKIDATA + "Q1"]}]
    run = [{"id": "1", "entities": [{"URI": WIKIDATA + "Q1", "surface form": "Ada"}]}]
    scores = qg.score(gold, run)
    assert any("mentions of a linker" in note for note in scores.notes)
    assert not any("I don't know" in note for note in scores.notes)


def test_rows_with_labels_of_an_endpoint_are_items() -> None:
    iri = "http://www.wikidata.org/entity/Q{}"
    gold = [
        {"id": "1", "question": "Which towns?", "answer": [iri.format(1), iri.format(2)]},
        {"id": "2", "question": "Who?", "answer": [iri.format(3)]},
    ]
    run = {
        "1": [{"item": iri.format(n), "itemLabel": f"Town {n}"} for n in (2, 1)],
        "2": [{"person": iri.format(4), "personLabel": "Ann"}],
    }
    assert f1(gold, run) == 0.5


def test_predicted_sql_beside_the_result_of_its_execution_is_no_answer() -> None:
    gold = [
        {"question_id": n, "question": f"How many in {n}?", "SQL": "SELECT 1", "gold_result": [[n]]}
        for n in (14, 15)
    ]
    run = [
        {"question_id": n, "predicted_sql": "SELECT 2", "execution_result": "[(14,)]"}
        for n in (14, 15)
    ]
    assert f1(gold, run) == 0.5


def test_lists_under_a_are_choices_beside_the_index_of_the_right_one() -> None:
    drinks = ["tea", "ale", "mead"]
    gold = [{"n": n, "q": f"Which drink is {n}?", "a": drinks, "ok": n % 3} for n in (5, 6)]
    assert gold_values(gold) == [["mead"], ["tea"]]
    assert f1(gold, [{"id": 5, "answer": "C"}, {"id": 6, "answer": "C"}]) == 0.5
    flagged = [{"question": "Who?", "answers": ["Ann", "Ann Lee"], "ok": 1}] * 2
    assert gold_values(flagged) == [["Ann"]] * 2


def test_one_letter_as_every_gold_answer_is_that_of_a_choice() -> None:
    gold = [{"id": str(n), "question": f"Which of {n}?", "answer": "A"} for n in range(5)]
    run = {str(n): "The correct answer is:\n\nB) A mill is a drink." for n in range(4)}
    assert f1(gold, {**run, "4": "A) A mill."}) == 0.2


def test_a_question_without_choices_stands_beside_others() -> None:
    gold = [
        {"question": "Which drink?", "answers": ["tea", "ale", "mead"], "correct": 2},
        {"question": "Which town?", "answers": ["Ulm", "Bonn", "Rome"], "correct": 0},
        {"question": "Which river?", "answer": "Rhine"},
    ]
    assert gold_values(gold) == [["mead"], ["Ulm"], ["Rhine"]]


def test_questions_are_found_in_lists_of_lists_of_lists() -> None:
    questions = [{"id": n, "vraag": f"Welke {n}?", "juiste_antwoord": n} for n in (1, 2)]
    book = {"vak": "x", "delen": [{"deel": 1, "paragrafen": [{"nr": 1, "vragen": questions}]}]}
    assert gold_values(book) == [["1"], ["2"]]


def test_parts_of_a_quiz_may_differ_in_a_field() -> None:
    towns = [{"file": "a.png", "correct": True}, {"file": "b.png", "correct": False}]
    quiz = {
        "north": [{"id": "q1", "type": "drag", "prompt": "Which picture?", "options": towns}],
        "south": [
            {"id": "m1", "type": "choice", "prompt": "Which town?", "answer": "Ulm",
             "options": [{"value": "Bonn"}, {"value": "Ulm"}]},
            {"id": "m2", "type": "choice", "prompt": "Which village?", "answer": "Bonn",
             "options": [{"value": "Bonn"}, {"value": "Ulm"}]},
        ],
        "west": [{"id": "q3", "type": "drag", "prompt": "Which file?", "options": towns}],
    }  # fmt: skip
    assert gold_values(quiz) == [["a.png"], ["Ulm"], ["Bonn"], ["a.png"]]


def test_records_of_one_question_are_samples_of_its_answer() -> None:
    records = [
        {"question_id": name, "sample_idx": n, "question": f"Who is {name}?", "gold_answer": name,
         "response": name if n else "Zoe"}
        for name in ("Ann", "Ben") for n in (0, 1)
    ]  # fmt: skip
    [scores] = qg.evaluate(records)
    assert (len(scores.counts), scores["accuracy"]) == (2, 0.5)


def test_values_that_recur_for_each_question_are_systems() -> None:
    records = [
        {"setup": setup, "question": f"Who is {name}?", "detail": {"reference": name},
         "extracted_answer": {"value": name if setup == "A" else "Zoe"}}
        for name in ("Ann", "Ben") for setup in ("A", "A", "B", "B")
    ]  # fmt: skip
    evaluation = qg.evaluate(records, repeats_as="mean")
    assert {scores.name: scores["accuracy"] for scores in evaluation} == {"A": 1.0, "B": 0.0}


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ([{"id": "p1", "answers": {"q1": {"choice": "Danube", "confidence": 0.9}}},
          {"id": "p2", "answers": {"q2": {"choice": "Rhine", "confidence": 0.5}}}],
         {"run": 0.5}),
        ([{"model": "a", "answers": {"q1": "Danube", "q2": "Rhine", "q3": "Saale"}},
          {"model": "b", "answers": {"q1": "Rhine", "q2": "Rhine"}}],
         {"a": 0.75, "b": 0.25}),
    ],
)  # fmt: skip
def test_a_record_may_have_the_answers_to_several_questions(
    records: list[dict[str, Any]], expected: dict[str, float]
) -> None:
    assert {run.name: run["accuracy"] for run in qg.evaluate(GOLD, records)} == expected


def test_an_answer_that_equals_the_gold_is_sure() -> None:
    answer = "Dr. Roe was perhaps hired in 2018, or Dr. Poe, and cannot say more."
    gold = [{"id": "1", "question": "Who was hired?", "answer": answer}]
    [scores] = qg.evaluate(gold, {"1": answer})
    assert scores["accuracy"] == 1.0
    assert not any("guess" in note for note in scores.notes)


@pytest.mark.parametrize("choices", [{"options": ["Elbe", "Danube"]}, {"A": "Elbe", "B": "Danube"}])
def test_letters_are_those_of_the_choices_in_the_run(choices: dict[str, Any]) -> None:
    run = [{"id": name, **choices, "prediction": "B"} for name in ("q1", "q2", "q3", "q4")]
    assert f1(GOLD, run) == 0.25


@pytest.mark.parametrize("by_id", [True, False])
def test_answers_of_systems_may_stand_in_a_list_beside_the_questions(*, by_id: bool) -> None:
    said = {"q1": "Danube", "q2": "Rhine", "q3": "Elbe", "q4": "Elbe"}
    answers: Any = said if by_id else [{"id": key, "answer": said[key]} for key in said]
    right = {row["id"]: row["answer"] for row in GOLD}
    runs = [{"model": "a", "answers": answers}, {"model": "b", "answers": right}]
    evaluation = qg.evaluate({"questions": GOLD, "runs": runs})
    assert {scores.name: scores["accuracy"] for scores in evaluation} == {"a": 0.5, "b": 1.0}


def test_records_under_numbers_may_stand_beside_a_setting() -> None:
    records = {
        str(number): {
            "prompt": [{"role": "HUMAN", "prompt": row["question"]}],
            "predictions": "Danube", "references": row["answer"], "correct": number == 0,
        }
        for number, row in enumerate(GOLD)
    }  # fmt: skip
    [scores] = qg.evaluate({"accuracy": 25.0, "details": {"type": "GEN", **records}})
    assert scores["accuracy"] == 0.25


def test_names_behind_iris_in_a_list_are_no_answers_of_their_own() -> None:
    pairs = [WIKIDATA + "Q1", "Ulm", WIKIDATA + "Q2", "Bonn"]
    gold = [
        {"id": "1", "question": "Which towns?", "answer": pairs},
        {"id": "2", "question": "Which town?", "answer": [WIKIDATA + "Q3", "Rome"]},
    ]
    assert gold_values(gold) == [[WIKIDATA + "Q1", WIKIDATA + "Q2"], [WIKIDATA + "Q3"]]
    assert f1(gold, {"1": pairs, "2": [WIKIDATA + "Q3", "Rome"]}) == 1.0
    # a text behind one IRI may be another answer
    assert f1(gold, {"1": pairs, "2": [WIKIDATA + "Q3", "Bonn"]}) == pytest.approx(5 / 6)
    assert f1(gold, {"1": [WIKIDATA + "Q2"], "2": []}) == pytest.approx(1 / 3)


def test_numbered_answers_are_choices_if_the_answer_is_a_number_of_one() -> None:
    people = {"answer_1": "Ann", "answer_2": "Ben", "answer_3": "Cy"}
    gold = [
        {"question": "How many?", "answer_1": 7, "answer_2": 3, "answer_3": 12, "answer": 3},
        {"question": "Who lit it?", **people, "answer": 1},
        {"question": "Who saw it?", **people, "answer": 2},
    ]
    assert gold_values(gold) == [["12"], ["Ann"], ["Ben"]]
    names = [
        {"question": "How many?", "answer": 3, "answer_1": "3", "answer_2": "three"},
        {"question": "How few?", "answer": 1, "answer_1": "1", "answer_2": "one"},
    ]
    assert gold_values(names) == [["3"], ["1"]]


def test_ids_of_a_run_may_go_on_with_a_document() -> None:
    run = {f"{row['id']}--river_{row['answer']}.txt": row["answer"] for row in GOLD}
    assert f1(GOLD, run) == 1.0


def test_other_questions_with_the_same_ids_do_not_make_the_gold_differ() -> None:
    own = [{**row, "gold": row["answer"], "prediction": "Danube"} for row in GOLD]
    other = [{**own[0], "id": "q2"}, {**own[1], "id": "q1"}]
    evaluation = qg.evaluate(GOLD, {"own": own, "other": other})
    assert [scores["accuracy"] for scores in evaluation] == [0.25, 0.25]
    assert not any("differs" in note for scores in evaluation for note in scores.notes)


@pytest.mark.parametrize("field", ["options", "scores"])
def test_objects_under_other_names_are_no_answers(field: str) -> None:
    gold = [{"question": row["question"], "answer": row["answer"]} for row in GOLD]
    run = [{**row, field: {"1": "Elbe", "2": "Rhine"}} for row in gold]
    assert f1(gold, run) == 1.0


def test_systems_that_answer_different_questions_stay_apart() -> None:
    run = [{"model": "a", "answers": {"q1": "Danube"}}, {"model": "b", "answers": {"q2": "Rhine"}}]
    assert [scores.name for scores in qg.evaluate(GOLD, run)] == ["a", "b"]


def test_a_number_of_something_is_no_id() -> None:
    gold = [{"question": row["question"], "answer": row["answer"]} for row in GOLD]
    run = [{"answer": row["answer"], "n": n} for row, n in zip(GOLD, (3, 1, 2, 4), strict=True)]
    assert f1(gold, run) == 1.0


def test_labels_of_choices_are_no_marks_where_an_answer_is_missing() -> None:
    choices = {"label": ["0", "1"], "text": ["Ulm", "Bonn"]}
    gold = [
        {"question": f"Which of {key}?", "choices": choices, "answerKey": key}
        for key in ("0", "1", None)
    ]
    assert gold_values(gold) == [["Ulm"], ["Bonn"], []]


def test_records_of_another_kind_are_not_joined() -> None:
    rejected = [{"id": "r", "question": "Bad?", "answer": "x", "reason": "bad"}]
    assert len(qg.load({"kept": GOLD, "rejected": rejected})) == len(GOLD)


def test_results_of_one_system_under_two_names_are_two_runs() -> None:
    zero, few = ({"model": "a", "answers": {"q1": name}} for name in ("Danube", "Elbe"))
    evaluation = qg.evaluate({"questions": GOLD, "zero shot": [zero], "few shot": [few]})
    assert {run.name: run["accuracy"] for run in evaluation} == {"a": 0.25, "few shot a": 0.0}


def test_ids_of_a_run_may_be_the_numbers_in_a_column_of_the_gold() -> None:
    drinks = ["tea", "ale", "mead"]
    gold = [{"n": n, "q": f"Which is {n}?", "a": drinks, "ok": n % 3} for n in (2, 4, 6)]
    assert f1(gold, {"4": "B", "6": "A", "2": "C"}) == 1.0
    # the numbers that the reader gave have all ids, too
    assert f1(gold, {"1": "C", "2": "B", "3": "A"}) == 1.0


def test_a_student_is_called_by_the_first_text_of_the_record() -> None:
    answers = {row["id"]: row["answer"] for row in GOLD}
    run = [
        {"student": name, "sent": f"10:0{n}", "answers": answers}
        for n, name in enumerate(("Ann", "Ben"))
    ]
    assert [scores.name for scores in qg.evaluate(GOLD, run)] == ["Ann", "Ben"]


def test_a_text_that_equals_the_gold_is_it_even_if_it_writes_an_object() -> None:
    shares = json.dumps({"north": 51.4, "south": 50.8})
    gold = [{"id": "1", "question": "Which shares?", "answer": shares}]
    assert f1(gold, {"1": shares}) == 1.0
    assert f1(gold, {"1": json.dumps({"north": 51.4, "south": 50.9})}) == 0.0


@pytest.mark.parametrize("empty", [None, []])
def test_a_system_may_have_no_answer_to_any_question(empty: list[str] | None) -> None:
    run = [{"id": row["id"], "model": "a", "answers": empty} for row in GOLD]
    [scores] = qg.evaluate(GOLD, run)
    assert scores.counts["status"].tolist() == ["empty"] * len(GOLD)
