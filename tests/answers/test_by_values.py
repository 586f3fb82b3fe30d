"""Inputs whose names leave open what is what, where the values or the gold tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import qaldgen as qg
from qaldgen.errors import DataError

GOLD = [
    {"id": "a", "question": "Which river crosses Ulm?", "answer": "Danube"},
    {"id": "b", "question": "Which river crosses Bonn?", "answer": "Rhine"},
    {"id": "c", "question": "Which river crosses Halle?", "answer": "Saale"},
    {"id": "d", "question": "Which river crosses Bremen?", "answer": "Weser"},
]
SAID = ["Danube", "Rhine", "Elbe", "Oder"]


def said(**columns: list[Any]) -> list[dict[str, Any]]:
    rows = []
    for at, one in enumerate(GOLD):
        rows.append({"id": one["id"]} | {name: values[at] for name, values in columns.items()})
    return rows


def f1(gold: Any, run: Any = None, **rules: Any) -> float:  # noqa: ANN401 - data of any form
    return float(qg.score(gold, run, **rules)["macro-f1"])


@pytest.mark.parametrize("name", ["xyz", "candidate", "choice", "y", "key"])
@pytest.mark.parametrize("beside", [{}, {"ref": [one["answer"] for one in GOLD]}])
def test_a_column_of_any_name_that_agrees_with_the_gold_has_the_answers(
    name: str, beside: dict[str, list[Any]]
) -> None:
    assert f1(GOLD, said(**beside, **{name: SAID}, steps=[3, 4, 5, 6])) == 0.5


def test_the_only_column_beside_the_id_has_the_answers() -> None:
    assert f1(GOLD, said(xyz=["Elbe", "Oder", "Po", "Po"])) == 0


def test_two_columns_that_agree_are_not_chosen_from() -> None:
    with pytest.raises(DataError, match="`answer_field` names another column"):
        qg.score(GOLD, said(xyz=SAID, abc=[*SAID[:3], "Weser"]))


@pytest.mark.parametrize("form", ["csv", "json", "map", "reference"])
def test_an_answer_key_is_gold(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"key.{form}"
    answers = {one["id"]: one["answer"] for one in GOLD}
    rows = [{"id": one["id"], "answer": one["answer"]} for one in GOLD]
    forms = {"json": rows, "map": answers, "reference": {"reference": answers, "table": ["d"]}}
    text = "\n".join(["id,answer", *(",".join(row.values()) for row in rows)])
    path.write_text(text if form == "csv" else json.dumps(forms[form]), encoding="utf-8")
    assert f1(path, dict(zip(answers, SAID, strict=True))) == 0.5


@pytest.mark.parametrize("form", ["txt", "json", "csv", "jsonl"])
def test_answers_in_order_are_gold_for_answers_in_order(form: str, tmp_path: Path) -> None:
    texts = {}
    for name, answers in {"gold": [row["answer"] for row in GOLD], "run": SAID}.items():
        objects = [json.dumps({"answer": answer}) for answer in answers]
        lines = {
            "txt": answers,
            "json": [json.dumps(answers)],
            "csv": ["answer", *answers],
            "jsonl": objects,
        }
        texts[name] = tmp_path / f"{name}.{form}"
        texts[name].write_text("\n".join(lines[form]), encoding="utf-8")
    assert f1(texts["gold"], texts["run"]) == 0.5
    assert f1(texts["gold"], texts["gold"]) == 1


def test_a_column_with_the_same_answers_tells_no_questions(tmp_path: Path) -> None:
    path = tmp_path / "both.csv"
    path.write_text("reference,prediction\nElbe,Elbe\nOder,Po\nMain,Inn\n", encoding="utf-8")
    scores = qg.score(path, path)
    assert float(scores["macro-f1"]) == 1 / 3
    assert not any("told by" in text for text in scores.run.notes)


def test_predictions_and_references_side_by_side_are_gold_and_run() -> None:
    references = [[one["answer"], "water"] for one in GOLD]
    both = {"predictions": SAID, "references": references}
    assert float(qg.score(both)["macro-f1"]) == 0.5


def test_systems_with_missing_answers_are_told_apart() -> None:
    rows = [
        {"system": "A", "question_id": "a", "answer": "Danube"},
        {"system": "A", "question_id": "b", "answer": "Elbe"},
        {"system": "B", "question_id": "b", "answer": "Rhine"},
        {"system": "A", "question_id": "c", "answer": "Saale"},
        {"system": "B", "question_id": "d", "answer": "Weser"},
    ]
    scores = {one.name: float(one["macro-f1"]) for one in qg.evaluate(GOLD, rows)}
    assert scores == {"A": 0.5, "B": 0.5}


def test_wordings_of_one_question_are_no_uneven_lists() -> None:
    gold = [
        {"id": "1", "questions": ["Who wrote X?", "X is by whom?"], "answers": ["Ann Poe"]},
        {"id": "2", "questions": ["Who wrote Y?"], "answers": ["Bo Kim"]},
    ]
    assert f1(gold, {"1": "Ann Poe", "2": "Cy Day"}) == 0.5


def test_a_system_may_say_that_there_is_no_answer() -> None:
    gold = [
        {"id": "1", "question": "Who wrote X?", "answer": "Ann Poe", "answerable": True},
        {"id": "2", "question": "Who wrote Y?", "answer": "Bo Kim", "answerable": False},
    ]
    run = [
        {"id": "1", "predicted_answer": "Ann Poe", "predicted_answerable": True},
        {"id": "2", "predicted_answer": "Bo Kim", "predicted_answerable": False},
    ]
    assert f1(gold, run) == 1


def test_json_in_a_block_of_markdown_is_read() -> None:
    gold = [{"id": "1", "question": "Where is X?", "answers": ["Q64"]}, *GOLD]
    assert f1(gold, {"1": '```json\n{"answer": ["Q64"]}\n```'}) == 0.2


def test_an_item_behind_its_name_is_the_item() -> None:
    gold = [{"id": "1", "question": "Where is X?", "answers": ["Q64"]}, *GOLD]
    assert f1(gold, {"1": "Berlin (Q64)", "a": "Rhine (river)"}) == 0.2


def test_several_letters_are_several_choices() -> None:
    options = {"A": "Danube", "B": "Rhine", "C": "Elbe"}
    gold = [
        {"id": "1", "question": "Which cross Austria?", **options, "answer": "A, B"},
        {"id": "2", "question": "Which cross Czechia?", **options, "answer": "C"},
    ]
    assert f1(gold, {"1": "A; B", "2": "C"}) == 1
    assert f1(gold, {"1": "A", "2": "C"}) == pytest.approx(5 / 6)


def test_one_list_answers_all_questions_of_a_record() -> None:
    gold = [
        {"id": "p", "questions": ["Who?", "Where?", "When?"], "answers": ["Ann", "Ulm", "1954"]}
    ]
    assert f1(gold, {"p": ["Ann", None, "1954"]}) == pytest.approx(2 / 3)


def test_two_columns_together_tell_the_questions() -> None:
    gold = [
        {"dialogue": 1, "turn": 1, "question": "Who?", "answer": "Ann"},
        {"dialogue": 1, "turn": 2, "question": "Where?", "answer": "Ulm"},
        {"dialogue": 2, "turn": 1, "question": "When?", "answer": "1954"},
    ]
    run = [
        {"dialogue": 2, "turn": 1, "model_answer": "1954"},
        {"dialogue": 1, "turn": 2, "model_answer": "Bonn"},
    ]
    assert f1(gold, run) == pytest.approx(1 / 3)


def test_records_may_come_one_by_one() -> None:
    assert f1(GOLD, iter(said(prediction=SAID))) == 0.5


def test_ranked_objects_beside_a_copy_of_the_gold_are_the_answers() -> None:
    first = [
        [{"answer": {"id": name, "label": "x"}, "rank": 1}] for name in ("Q1", "Q2", "Q9", "Q8")
    ]
    gold = [one | {"answer": f"Q{at}"} for at, one in enumerate(GOLD, 1)]
    right = [[{"id": one["answer"], "label": "y"}] for one in gold]
    assert f1(gold, said(answers=right, ranked_answers=first)) == 0.5


def test_one_of_several_answers_in_words_is_noted() -> None:
    gold = [{"id": "1", "question": "Which moons has Mars?", "answers": ["Phobos", "Deimos"]}]
    notes = qg.score([*gold, *GOLD], {"1": "Phobos"}).notes
    assert any("takes one of several gold answers for right in 1 question" in one for one in notes)


def test_names_under_identifiers_are_those_of_the_answers() -> None:
    named = [
        {f"http://www.wikidata.org/entity/Q{at}": one["answer"]} for at, one in enumerate(GOLD, 1)
    ]
    gold = [one | {"answer": answer} for one, answer in zip(GOLD, named, strict=True)]
    assert f1(gold, {one["id"]: f"Q{at}" for at, one in enumerate(GOLD[:2], 1)}) == 0.5
    assert f1(gold, {one["id"]: text for one, text in zip(GOLD, SAID, strict=True)}) == 0.5


def test_answers_of_several_annotators_by_number_are_variants() -> None:
    gold = [
        {**GOLD[0], "additional_answers": {"0": {"text": "the blue one"}, "1": {"text": "D"}}},
        GOLD[1],
    ]
    assert f1(gold, {"a": "the blue one", "b": "Oder"}) == 0.5


def test_where_an_answer_comes_from_is_no_system() -> None:
    gold = [{**one, "answer_src": "kb", "answer_score": 3} for one in GOLD]
    assert f1(gold, said(prediction=SAID)) == 0.5
    assert [one.name for one in qg.evaluate(gold, said(prediction=SAID))] == ["run"]


def test_accepted_answers_of_schema_org_are_gold(tmp_path: Path) -> None:
    path = tmp_path / "gold.ttl"
    path.write_text(
        "@prefix s: <https://schema.org/> .\n@prefix wd: <http://www.wikidata.org/entity/> .\n"
        '<http://x.org/q/1> s:text "Which rivers meet?"@en ; s:acceptedAnswer wd:Q584, wd:Q1650 .\n'
        '<http://x.org/q/2> s:text "Who?"@en ; s:acceptedAnswer "Ann Poe" .\n',
        encoding="utf-8",
    )
    assert f1(path, {"1": ["Q584", "Q1650"], "2": "Bo Kim"}) == 0.5
    # the IRIs of the questions are ids, too
    assert f1(path, {"http://x.org/q/1": ["Q584"], "http://x.org/q/2": "Bo Kim"}) == 1 / 3


def test_a_quarter_in_brackets_is_no_item() -> None:
    gold = [{"id": "1", "question": "When?", "answer": "third quarter (Q3)"}]
    answers = qg.load(gold).questions[0].answers
    assert answers is not None
    assert answers.texts == (("third quarter (Q3)",),)


def test_places_of_choices_in_a_run_beside_texts_in_the_gold() -> None:
    gold = [
        {"id": n, "question": f"What is {n}?", "choices": ["tea", "ale", "rum"], "answer": "ale"}
        for n in range(4)
    ]
    zero_based = [{"id": n, "label": label} for n, label in enumerate([1, 1, 0, 2])]
    one_based = [{"id": n, "label": label} for n, label in enumerate([2, 2, 1, 3])]
    assert qg.score(gold, zero_based)["accuracy"] == 0.5
    assert qg.score(gold, one_based)["accuracy"] == 0.5
    listed = [{"id": row["id"], "prediction": [str(row["label"])]} for row in zero_based]
    assert qg.score(gold, listed)["accuracy"] == 0.5


def test_a_marked_identifier_in_a_reply_is_the_answer_where_the_gold_has_some() -> None:
    gold = [
        {"id": n, "question": f"Where is {n}?", "answers": [f"http://www.wikidata.org/entity/{q}"]}
        for n, q in enumerate(["Q64", "Q90", "Q1085"])
    ]
    run = {"0": "I looked it up.\nFinal Answer: wd:Q64", "1": "Answer: Q64", "2": "Prague"}
    assert qg.score(gold, run).counts["f1"].tolist() == [1.0, 0.0, 0.0]


def test_candidates_with_scores_beside_a_copy_of_the_gold_are_the_answers() -> None:
    towns = ["Ulm", "Bonn", "Oslo", "Turin", "Graz", "Genoa"]
    gold = [{"id": n, "question": f"Where is {n}?", "answers": [t]} for n, t in enumerate(towns)]
    run = [
        {"id": n, "answers": [t], "top_entities": [[t if n % 2 else "Rome", 0.9], ["Nice", 0.1]]}
        for n, t in enumerate(towns)
    ]
    assert qg.score(gold, run)["accuracy"] == 0.5


def test_lists_of_spans_in_lines_are_answers_in_order(tmp_path: Path) -> None:
    gold = [{"id": n, "question": f"Where is {n}?", "answer": "Ulm"} for n in range(2)]
    spans = [[{"span": town, "span_score": 5.2}] for town in ("Ulm", "Bonn")]
    (tmp_path / "run.preds").write_text("\n".join(map(json.dumps, spans)))
    assert qg.score(gold, tmp_path / "run.preds")["accuracy"] == 0.5


NUMBERED = [
    {"question": f"Who is number {word}?", "answer": word} for word in ("one", "two", "six")
]


@pytest.mark.parametrize(
    "ids", [["0", "1", "2"], ["task-0", "task-1", "task-2"], ["q1", "q2", "q3"]]
)
def test_ids_that_count_the_questions_are_their_places(ids: list[str]) -> None:
    answers = dict(zip(ids, ["one", "five", "six"], strict=True))
    scores = qg.score(NUMBERED, {name: answers[name] for name in reversed(ids)})
    assert scores["macro-f1"] == pytest.approx(2 / 3)
    assert any("its ids count the questions" in note for note in scores.notes)


@pytest.mark.parametrize("ids", [["task-1", "task-2"], ["a-1", "b-2"], ["x0", "x1", "x9"]])
def test_ids_that_may_count_otherwise_are_refused(ids: list[str]) -> None:
    with pytest.raises(qg.DataError):
        qg.score(NUMBERED, dict.fromkeys(ids, "one"))


def test_columns_of_predictions_and_gold_beside_figures_are_in_order(tmp_path: Path) -> None:
    run = tmp_path / "out.json"
    columns = {
        "preds": ["one", "two", "five"],
        "prompts": ["Instruction"] * 3,
        "details": [{"step": "one"}] * 3,
        "golds": [["one"], ["two"], ["six"]],
        "metric": "match",
        "metric_mean": 0.67,
    }
    run.write_text(json.dumps(columns))
    scores = qg.score(NUMBERED, run)
    assert scores["macro-f1"] == pytest.approx(2 / 3)
    assert any("in the order of the questions" in note for note in scores.notes)


def test_rows_of_a_table_with_one_question_have_its_answers(tmp_path: Path) -> None:
    gold, run = tmp_path / "gold.csv", tmp_path / "run.csv"
    moons = "1,Which moons has Mars?,"
    gold.write_text(f"id,question,answer\n{moons}Phobos\n{moons}Deimos\n2,Where is Ulm?,Germany\n")
    run.write_text("id,answer\n1,Deimos\n1,Io\n2,Germany\n")
    questions = qg.load(gold)
    assert [len(one.answers.values()) for one in questions if one.answers] == [2, 1]
    assert any("1 row with a further answer" in note for note in questions.notes)
    assert qg.score(gold, gold)["macro-f1"] == 1.0
    assert qg.score(gold, run)["macro-f1"] == 0.75


def test_rows_with_one_id_and_other_texts_or_the_same_answer_stay(tmp_path: Path) -> None:
    gold = tmp_path / "gold.csv"
    gold.write_text("id,question,answer\n1,Who?,Ann\n1,Where?,Ulm\n2,When?,1990\n2,When?,1990\n")
    assert [one.id for one in qg.load(gold)] == ["1", "1#2", "2", "2#2"]


def test_predictions_in_an_object_are_in_the_order_of_the_questions() -> None:
    said = [{"response": text, "contexts": ["A text."]} for text in ("one", "five", "six")]
    run = {"class_name": "Predictions", "predictions": said}
    assert qg.score(NUMBERED, run)["macro-f1"] == pytest.approx(2 / 3)


def test_gold_without_questions_stands_beside_predictions(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    rows = [{"pred": "Ulm", "answers": ["Ulm"]}, {"pred": "Bonn", "answers": ["Oslo"]}]
    path.write_text("\n".join(map(json.dumps, rows)))
    assert qg.score(path)["macro-f1"] == 0.5


def test_rows_with_one_id_and_other_choices_stay(tmp_path: Path) -> None:
    gold = tmp_path / "gold.csv"
    gold.write_text("id,question,A,B,answer\n1,Which one?,tea,ale,A\n1,Which one?,ale,mead,B\n")
    assert [one.id for one in qg.load(gold)] == ["1", "1#2"]


def test_a_column_that_agrees_with_the_gold_is_a_system_beside_one_with_a_known_name() -> None:
    right = [one["answer"] for one in GOLD]
    rows = said(**{"Best Answer": right, "llama-7b": SAID, "UQA": [right[0], "Po", "Inn", "Isar"]})
    scores = {run.name: run["macro-f1"] for run in qg.evaluate(GOLD, rows)}
    assert scores == {"llama-7b": 0.5, "UQA": 0.25}


def test_the_question_of_an_answer_may_be_a_chat() -> None:
    rows = [
        {"input": [{"role": "user", "content": one["question"]}], "output": answer}
        for one, answer in zip(GOLD, SAID, strict=True)
    ]
    assert f1(GOLD, rows[::-1]) == 0.5


def test_an_answer_with_its_probability_is_one_answer() -> None:
    rights = {one["id"]: [one["answer"], 0.93] for one in GOLD}
    assert f1(GOLD, rights) == 1
    assert f1(GOLD, {name: [[text, score]] for name, (text, score) in rights.items()}) == 1


def test_records_in_memory_without_ids_are_in_order() -> None:
    answers = [{"score": 0.9, "start": 3, "end": 8, "answer": text} for text in SAID]
    assert f1(GOLD, answers) == 0.5


def test_of_two_texts_that_of_the_gold_questions_counts() -> None:
    rows = [
        {"query": one["question"], "prompt": f"Read this. {one['question']}", "response": answer}
        for one, answer in zip(GOLD, SAID, strict=True)
    ]
    assert f1(GOLD, rows[::-1]) == 0.5


def test_each_reading_of_an_ambiguous_question_has_an_answer_of_its_own() -> None:
    pairs = [
        {"question": "the film", "answer": ["1999"]},
        {"question": "the album", "answer": ["2004"]},
    ]
    annotations = [{"type": "multipleQAs", "qaPairs": pairs}]
    gold = [{"id": "a", "question": "When did it come out?", "annotations": annotations}]
    assert f1(gold, {"a": ["1999"]}) == pytest.approx(2 / 3)


def test_factoid_questions_have_candidates_the_best_first() -> None:
    gold = [
        {"id": name, "body": text, "type": kind, "exact_answer": answers}
        for name, text, kind, answers in (
            ("a", "Which gene is it?", "factoid", ["MIL1"]),
            ("b", "Which gene was it?", "factoid", ["MIL2"]),
            ("c", "Which genes are these?", "list", [["A1"], ["B1"]]),
        )
    ]
    run = [
        {"id": "a", "exact_answer": [["MIL1"], ["X1"], ["X2"]]},
        {"id": "b", "exact_answer": [["X1"], ["MIL2"]]},
        {"id": "c", "exact_answer": [["A1"], ["B1"]]},
    ]
    scores = qg.score(gold, run)
    assert list(scores.counts["f1"]) == [1, 0, 1]
    assert any("only the first candidate" in note for note in scores.notes)


def test_factoid_questions_with_several_gold_answers_have_sets() -> None:
    gold = [{"id": "a", "question": "Which genes?", "type": "factoid", "answers": ["A1", "B1"]}]
    assert f1(gold, [{"id": "a", "answers": ["A1", "B1"]}]) == 1


@pytest.mark.parametrize(("true", "false", "yes", "no"), [
    ("WAHR", "FALSCH", "ja", "Nein"), ("vero", "falso", "Sì", "no"),
    ("TRUE", "FALSE", "oui", "non"), ("Verdadeiro", "Falso", "sim", "não"),
    ("vrai", "faux", "vrai", "non"),
])  # fmt: skip
def test_truth_values_are_written_in_other_languages(
    true: str, false: str, yes: str, no: str
) -> None:
    gold = [{**one, "answer": text} for one, text in zip(GOLD, [true, false] * 2, strict=True)]
    assert f1(gold, said(answer=[yes, no, no, no])) == 0.75
    assert f1(gold, said(answer=[true, false, true, false])) == 1


def test_gold_that_names_no_answer_is_met_by_no_answer() -> None:
    words = ["unanswerable", "nicht beantwortbar", "No answer", "N/A"]
    gold = [{**one, "answer": text} for one, text in zip(GOLD, words, strict=True)]
    assert f1(gold, said(answer=["I don't know", "", "This cannot be answered.", "Danube"])) == 0.75
    assert f1(gold, said(answer=words)) == 1


def test_numbered_columns_of_answers_abroad_are_several_answers() -> None:
    rows = said(**{"Antwort 1": SAID, "Antwort 2": ["", "", "Saale", ""]})
    assert f1(GOLD, rows) == f1(GOLD, said(answer_1=SAID, answer_2=["", "", "Saale", ""])) > 0.5


def test_a_date_before_christ_meets_itself() -> None:
    gold = [{**one, "answer": "-0044-03-15"} for one in GOLD]
    answers = ["-0044-03-15", "15 March 44 BC", "-0045-03-15", "15 May 1999"]
    assert f1(gold, said(answer=answers)) == 0.5


def test_answers_are_read_in_the_plain_language_of_the_questions() -> None:
    asked = [
        "Quelle rivière traverse la ville d'Ulm ?", "Combien de moulins y a-t-il dans la ville ?",
        "Qui a allumé la lampe de la tour ?", "Où se trouve le moulin de la rivière ?",
        "Est-ce que le moulin est dans la ville ?",
    ]  # fmt: skip
    gold = [{"id": str(n), "question": text, "answer": "quatre"} for n, text in enumerate(asked)]
    scores = qg.score(gold, {str(n): "4" for n in range(5)})
    assert scores["accuracy"] == 1
    assert any("read in the language of the question (fr)" in note for note in scores.notes)


@pytest.mark.parametrize(("gold", "answer", "spelling"), [
    (42, 42.0, "zeros behind the point"),
    ("1.0E6", 1000000, "powers of ten"),
    (1200, "1,200", "groups of digits"),
])  # fmt: skip
def test_another_notation_of_a_number_is_a_near_miss(
    gold: object, answer: object, spelling: str
) -> None:
    query = "SELECT ?n { ?x ?y ?n }"
    questions = [{"id": "a", "question": "How many?", "sparql": query, "answer": gold}]
    scores = qg.score(questions, {"a": answer}, match="gerbil")
    assert scores["macro-f1"] == 0
    assert any(f"but for {spelling}" in note for note in scores.notes)


def test_an_empty_table_is_named() -> None:
    for read in (qg.load, qg.read_run):
        with pytest.raises(DataError, match="a table without columns and rows"):
            read(pd.DataFrame())


def test_gold_with_an_identifier_and_a_label_is_met_by_either() -> None:
    gold = [
        {"id": "a", "question": "Which city is it?", "answer_qid": "Q3012", "answer_label": "Ulm"},
        {"id": "b", "question": "Which town is it?", "answer_qid": "Q586", "answer_label": "Bonn"},
    ]
    assert f1(gold, {"a": "Q3012", "b": "Q1"}) == 0.5
    assert f1(gold, {"a": "It is Ulm.", "b": "Po"}) == 0.5


@pytest.mark.parametrize("name", ["eval", "run", "sample_score"])
def test_a_prediction_inside_an_object_beside_the_gold_is_the_answer(name: str) -> None:
    scored = []
    for row, answer in zip(GOLD, SAID, strict=True):
        scored.append(row | {name: {"score": {"prediction": answer, "value": 0.5}, "n": 1}})
    assert f1(scored) == 0.5


def test_a_prediction_of_another_file_counts_before_one_inside_an_object() -> None:
    gold = [row | {"trace": {"prediction": "Po"}} for row in GOLD]
    assert f1(gold, said(prediction=SAID)) == 0.5


def test_each_model_with_each_prompt_is_a_system() -> None:
    rows = []
    for model, prompt, right in [("A", "x", 1), ("A", "y", 2), ("B", "x", 3), ("B", "y", 4)]:
        for at, row in enumerate(GOLD):
            answer = row["answer"] if at < right else "Po"
            rows.append({"id": row["id"], "model": model, "prompt": prompt, "answer": answer})
    scores = {one.name: float(one["macro-f1"]) for one in qg.evaluate(GOLD, rows)}
    assert scores == {"A x": 0.25, "A y": 0.5, "B x": 0.75, "B y": 1}


def test_numbers_of_tokens_and_settings_are_no_answers() -> None:
    beside: dict[str, list[Any]] = {
        "tokens_predicted": [3, 4, 5, 6],
        "generation_settings": [{"n_predict": 64}] * 4,
    }
    assert f1(GOLD, said(**beside, content=SAID)) == 0.5


def test_a_request_beside_the_reply_holds_the_question() -> None:
    rows = []
    for row, answer in zip(GOLD, SAID, strict=True):
        request = {"model": "m", "messages": [{"role": "user", "content": row["question"]}]}
        rows.append({"request": request, "response": answer})
    assert f1(GOLD, rows) == 0.5


@pytest.mark.parametrize("index", [["a", "b", "c", "d"], [0, 1, 2, 3]])
def test_a_frame_in_parts_has_its_index_as_ids(index: list[Any], tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    parts = {"columns": ["response"], "index": index, "data": [[answer] for answer in SAID]}
    path.write_text(json.dumps(parts), encoding="utf-8")
    assert f1(GOLD, path) == 0.5


def test_identifiers_beside_labels_are_the_answers() -> None:
    gold = [{"id": "1", "question": "Where?", "answer_entities": ["Q64", "Q3012"]}]
    run = [{"id": "1", "final_answer": {"entities": ["Q64"], "labels": ["Ulm"]}}]
    assert f1(gold, run) == pytest.approx(2 / 3)


def test_questions_may_stand_above_their_answers(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    lines = []
    for number, (row, answer) in enumerate(zip(GOLD, SAID, strict=True), 1):
        lines += [f"{number}) {row['question']}", f"   - {answer}", ""]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert f1(GOLD, path) == 0.5


def test_bullets_are_several_answers_to_a_question_with_one() -> None:
    assert f1(GOLD[:1], {"a": f"- {GOLD[0]['answer']}\n- Po"}) == pytest.approx(2 / 3)


def test_columns_of_joined_tables_are_gold_and_answers() -> None:
    rows = []
    for row, answer in zip(GOLD, SAID, strict=True):
        texts = {"question_gold": row["question"], "question_pred": row["question"]}
        rows.append({**texts, "answer_gold": row["answer"], "answer_pred": answer})
    assert f1(rows) == 0.5


def test_gold_and_question_may_stand_in_objects() -> None:
    rows = []
    for row, answer in zip(GOLD, SAID, strict=True):
        fields = {"question": row["question"], "model_response": answer}
        responses = {"correct_answer": [{"value": row["answer"], "user_id": "u1"}]}
        rows.append({"id": row["id"], "fields": fields, "responses": responses})
    assert f1(rows) == 0.5


def test_predictions_in_several_objects_are_those_of_several_systems() -> None:
    rows = []
    for row, answer in zip(GOLD, SAID, strict=True):
        rows.append(row | {"a": {"prediction": answer}, "b": {"prediction": row["answer"]}})
    scores = {one.name: float(one["macro-f1"]) for one in qg.evaluate(rows)}
    assert scores == {"a": 0.5, "b": 1}


def test_numbered_answers_beside_a_label_are_choices() -> None:
    gold = []
    for at, row in enumerate(GOLD):
        answers = {f"answer{number}": one["answer"] for number, one in enumerate(GOLD)}
        gold.append({"id": row["id"], "question": row["question"], **answers, "label": at})
    assert f1(gold, {"a": "Danube", "b": 1, "c": "0", "d": "Rhine"}) == 0.5


@pytest.mark.parametrize("reply", ["It is so. ANSWER: {}", "Thinking.\nANSWER: {}", "{}"])
def test_a_run_may_count_choices_from_another_number_than_the_gold(reply: str) -> None:
    gold = []
    for at, texts in enumerate([["tea", "ale"], ["milk", "rum"], ["beer", "gin"]]):
        gold.append({"id": at, "question": "Which?", "choices": texts, "answer_index": at % 2})
    run = {str(at): reply.format(number) for at, number in enumerate([1, 2, 2])}
    assert f1(gold, run) == pytest.approx(2 / 3)


@pytest.mark.parametrize("first", [0, 1])
def test_the_question_at_the_end_of_a_prompt_tells_the_question(first: int) -> None:
    gold = [row | {"id": str(at)} for at, row in enumerate(GOLD, 1)]
    run = []
    for at, (row, answer) in enumerate(zip(GOLD, SAID, strict=True), first):
        prompt = f"Answer briefly.\nQuestion: {row['question']}\nAnswer:"
        run.append({"request_id": str(at), "prompt": prompt, "outputs": [{"text": answer}]})
    assert f1(gold, run) == 0.5


def test_verdicts_beside_expected_and_actual_answers_are_no_answers() -> None:
    rows = []
    for row, answer in zip(GOLD, SAID, strict=True):
        result = "Pass" if answer == row["answer"] else "Fail"
        texts = {"Question": row["question"], "Expected response": row["answer"]}
        rows.append({**texts, "Actual response": answer, "Result": result})
    assert f1(rows) == 0.5


def test_questions_are_the_same_with_and_without_entities_of_html() -> None:
    gold = [{"id": "1", "question": "Who said &quot;I &amp; you&quot;?", "answer": "Ann"}]
    assert f1(gold, [{"question": 'Who said "I & you"?', "answer": "Ann"}]) == 1


def test_a_question_that_ends_in_another_is_itself() -> None:
    gold = [
        {"id": "1", "question": "Is it true: Ulm is in Bavaria?", "answer": "no"},
        {"id": "2", "question": "Ulm is in Bavaria?", "answer": "yes"},
    ]
    run = [{"question": row["question"], "answer": row["answer"]} for row in gold]
    assert f1(gold, run) == 1


@pytest.mark.parametrize("entities", [[], ["the river Danube", "Ulm"], [{"text": "Ulm"}]])
def test_entities_beside_an_answer_are_not_its_identifiers(entities: list[object]) -> None:
    run = [row | {"answer": {"answer": row["answer"], "entities": entities}} for row in GOLD]
    assert f1(GOLD, run) == 1
    gold = [row | {"answer": {"text": row["answer"], "entities": entities}} for row in GOLD]
    assert f1(gold, said(prediction=SAID)) == 0.5


def test_words_for_right_and_wrong_may_be_answers() -> None:
    words = ["right", "wrong", "right", "wrong"]
    gold = [row | {"answer": word} for row, word in zip(GOLD, words, strict=True)]
    assert f1(gold, said(prediction=["right"] * 4)) == 0.5
    assert f1([row | {"prediction": "right"} for row in gold]) == 0.5


def test_a_number_in_a_sentence_is_right_where_the_gold_is_of_a_graph() -> None:
    number = {"type": "literal", "value": "9", "datatype": "http://www.w3.org/2001/XMLSchema#int"}
    result = {"head": {"vars": ["c"]}, "results": {"bindings": [{"c": number}]}}
    question = {"id": "1", "question": "How many countries touch Germany?", "answers": [result]}
    scores = qg.evaluate([question], {"1": "The answer is 9."})[0]
    assert scores.counts["f1"].tolist() == [1.0]
