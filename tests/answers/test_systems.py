"""Several systems in one file, or in files that carry their gold: each is a run, by its name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import pytest
from calls import Call

import qaldgen as qg
from qaldgen.errors import DataError, UsageError

Refused = Callable[..., str]
ROWS = [
    ("Who lit it?", "Ann", "Ann", "Ann", "Bea"),
    ("Where is it?", "Ulm", "Ulm", "Bonn", "Bonn"),
    ("How many?", "7", "7", "7", "8"),
    ("Who saw it?", "Bea", "Cy", "Cy", "Cy"),
]
RIGHT = {"gpt": 0.75, "davinci": 0.5, "flan": 0.0}


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    """A table with a column for each model."""
    path = tmp_path / "wide.csv"
    pd.DataFrame(ROWS, columns=["question", "gold", *RIGHT]).to_csv(path, index=False)
    return path


@pytest.fixture
def long(tmp_path: Path) -> Path:
    """A table with a row for each question and model."""
    path = tmp_path / "long.csv"
    rows = [
        {"question": asked, "gold": gold, "model": model, "answer": said}
        for asked, gold, *every in ROWS
        for model, said in zip(RIGHT, every, strict=True)
    ]
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


@pytest.mark.parametrize("shape", ["wide", "long"])
def test_every_system_is_a_run_under_its_name(
    shape: str, request: pytest.FixtureRequest, call: Call, refused: Refused
) -> None:
    path = request.getfixturevalue(shape)
    for name, value in RIGHT.items():
        assert qg.score(path, name)["accuracy"] == value
        assert qg.score(pd.read_csv(path), name)["accuracy"] == value
    assert list(qg.compare(path).overall.index) == list(RIGHT)
    assert list(qg.compare(path, ["flan", "gpt"]).overall.index) == ["gpt", "flan"]
    shown = call("score", path, "--format", "json")
    assert all(name in shown.out for name in RIGHT)
    assert "davinci" not in call("score", path, "gpt", "flan", "--format", "json").out
    said = refused(lambda: qg.score(path, "llama"), UsageError)
    assert "'gpt', 'davinci', 'flan'" in said


@pytest.mark.parametrize("shape", ["wide", "long"])
def test_systems_are_compared_with_one_by_its_name(
    shape: str, request: pytest.FixtureRequest, call: Call
) -> None:
    path = request.getfixturevalue(shape)
    told = call("slices", path, "gpt", "--against", "davinci")
    assert told.code == 0
    assert "gpt: 4 questions are too few" in told.err
    assert qg.slices(path, ["gpt", "davinci"], against="davinci").questions == 4


def test_a_table_of_answers_alone_has_the_same_systems(
    wide: Path, tmp_path: Path, call: Call
) -> None:
    table = pd.read_csv(wide)
    run, gold = tmp_path / "run.csv", tmp_path / "gold.csv"
    table.drop(columns="gold").to_csv(run, index=False)
    table[["question", "gold"]].to_csv(gold, index=False)
    for files in ([gold, run], [gold, wide]):
        shown = json.loads(call("score", *files, "--format", "json").out)
        assert all(name in str(shown) for name in RIGHT)
    one = call("score", gold, run, "--answer-field", "davinci", "--format", "json")
    assert "gpt" not in one.out


def test_fields_are_chosen_where_names_do_not_tell(
    tmp_path: Path, call: Call, refused: Refused
) -> None:
    path = tmp_path / "set.csv"
    rows = [(asked, gold, said) for asked, gold, said, *_ in ROWS]
    pd.DataFrame(rows, columns=["question", "answer", "said"]).to_csv(path, index=False)
    assert "--answer-field" in call("score", path).err
    shown = call("score", path, "--answer-field", "said", "--format", "json")
    assert '"value": 0.75' in shown.out
    swapped = call("score", path, "--gold-field", "said", "--format", "json")
    assert '"value": 0.75' in swapped.out
    assert qg.load(path, gold_field="said").questions[1].answers.values() == ["Ulm"]  # type: ignore[union-attr]
    said = refused(lambda: qg.load(path, gold_field="none"), UsageError)
    assert "'question', 'answer', 'said'" in said
    run = qg.read_run(path, answer_field="said", gold=qg.load(path))
    assert run.response("4").answers.values() == ["Cy"]  # type: ignore[union-attr]


def test_a_single_chosen_field_of_an_object_is_noted_once(tmp_path: Path, call: Call) -> None:
    path = tmp_path / "set.json"
    rows = [{"question": row[0], "gold": row[1], "out": {"reply": row[2]}} for row in ROWS]
    path.write_text(json.dumps(rows))
    told = call("score", path, "--answer-field", "out.reply")
    assert told.code == 0
    assert told.err.count("'out.reply'") == 1


@pytest.fixture
def carried(tmp_path: Path) -> Callable[..., Path]:
    """Write a file of predictions that carries the gold."""

    def write(name: str, at: int, **more: Any) -> Path:  # noqa: ANN401
        path = tmp_path / f"{name}.jsonl"
        rows = [{"question": row[0], "truth": row[1], "answer": row[at], **more} for row in ROWS]
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        return path

    return write


def test_files_that_carry_their_gold_are_systems_on_one_gold(
    carried: Callable[..., Path], tmp_path: Path, call: Call
) -> None:
    one, two, three = (carried(name, at) for at, name in enumerate(RIGHT, 2))
    for verb in ("score", "compare"):
        shown = call(verb, one, two, three, "--format", "json")
        assert shown.code == 0
        assert all(name in shown.out for name in RIGHT)
    assert call("slices", one, two, "--format", "json").code == 0
    page = tmp_path / "report.html"
    assert call("report", one, two, "-o", page).code == 0
    assert "davinci" in page.read_text()
    assert list(qg.compare(one, [two]).overall.index) == ["gpt", "davinci"]
    assert qg.score(one, two)["accuracy"] == RIGHT["davinci"]
    assert "'truth'" in call("score", one, two).err


def test_gold_that_differs_is_no_one_gold(
    carried: Callable[..., Path], tmp_path: Path, call: Call, refused: Refused
) -> None:
    one = carried("gpt", 2)
    other = tmp_path / "other.jsonl"
    other.write_text(one.read_text().replace('"truth": "Ulm"', '"truth": "Bonn"'))
    said = call("score", one, other)
    assert said.code == 1
    assert "the gold differs for 1 question (first: 2)" in said.err
    assert "the gold differs" in refused(lambda: qg.compare(one, [other]), DataError)
    gold = [{"id": str(at), "question": row[0], "answer": row[1]} for at, row in enumerate(ROWS)]
    notes = qg.score(gold, other).notes
    assert any("its own gold, 'truth', differs" in note for note in notes)


@pytest.mark.parametrize("name", ["Llama output", "answer_gpt", "gpt-4", "Model 7 response"])
def test_the_only_named_system_of_a_run_is_read(name: str) -> None:
    run = qg.read_run([{"id": 1, name: "Ulm"}, {"id": 2, name: "Bonn"}])
    assert [run.response(one).answers.values() for one in "12"] == [["Ulm"], ["Bonn"]]  # type: ignore[union-attr]


def test_predictions_with_gold_and_without_questions_are_a_run(tmp_path: Path) -> None:
    gold = [{"id": f"a{at}", "question": row[0], "answer": row[1]} for at, row in enumerate(ROWS)]
    rows = [
        {"id": f"a{at}", "answers": [row[1]], "dist": {row[3]: 0.9, "other": 0.1}}
        for at, row in enumerate(ROWS)
    ]
    assert qg.score(gold, rows)["accuracy"] == RIGHT["davinci"]


def test_runs_keep_the_names_they_are_given_and_files_alone_have_those_they_state(
    tmp_path: Path,
) -> None:
    gold = [{"id": "1", "question": "Who lit it?", "answer": "Ann"}]
    paths = []
    for age in ("new", "old"):
        path = tmp_path / f"{age}.json"
        content = {"name": f"gpt, {age}", "data": [{"id": "1", "answer": "Ann"}]}
        path.write_text(json.dumps(content), encoding="utf-8")
        paths.append(path)
    assert list(qg.compare(gold, paths).overall.index) == ["gpt, new", "gpt, old"]
    by_name = {"mine": paths[0], "other": paths[1]}
    assert list(qg.compare(gold, by_name).overall.index) == ["mine", "other"]


def records_of(name: str) -> list[dict[str, str]]:
    """The records of one of the systems, with questions and gold."""
    at = list(RIGHT).index(name)
    return [{"question": asked, "gold": gold, "reply": every[at]} for asked, gold, *every in ROWS]


SYSTEMS_IN_OBJECTS: dict[str, Any] = {
    "lists by name": {"date": "1 May", **{name: records_of(name) for name in RIGHT}},
    "lists in objects by name": {
        name: {"items": records_of(name), "scores": {"f1": 0.5}} for name in RIGHT
    },
    "objects by name beside totals": {
        "totals": {name: {"f1": 0.5} for name in RIGHT},
        "details": {name: {"f1": 0.5, "items": records_of(name)} for name in RIGHT},
    },
    "records by question in objects by name": {
        name: {row["question"]: row for row in records_of(name)} for name in RIGHT
    },
    "a list of runs": {
        "runs": [{"name": name, "results": records_of(name)} for name in RIGHT],
    },
    "a list of runs with settings": [
        {"config": {"model": name, "top": 5}, "results": records_of(name)} for name in RIGHT
    ],
    "rows with settings": [{**row, "config": name} for name in RIGHT for row in records_of(name)],
    "objects with a prediction": [
        {
            "question": row[0],
            "gold": row[1],
            **{name: {"output": said} for name, said in zip(RIGHT, row[2:], strict=True)},
        }
        for row in ROWS
    ],
    "one object of predictions": [
        {
            "question": row[0],
            "gold": row[1],
            "responses": dict(zip(RIGHT, row[2:], strict=True)),
        }
        for row in ROWS
    ],
    "lists with ids of their own": {
        name: [{"problem_id": at, **row} for at, row in enumerate(records_of(name), 40)]
        for name in RIGHT
    },
}


@pytest.mark.parametrize("form", SYSTEMS_IN_OBJECTS)
def test_lists_that_answer_the_same_questions_are_of_systems(form: str) -> None:
    evaluation = qg.evaluate(SYSTEMS_IN_OBJECTS[form])
    assert {scores.name: scores["accuracy"] for scores in evaluation} == RIGHT


def test_lists_that_ask_other_questions_are_one_set() -> None:
    first, second = ROWS[:2], ROWS[2:]
    lists = {
        name: [
            {"id": at, "question": asked, "gold": gold} for at, (asked, gold, *_) in enumerate(rows)
        ]
        for name, rows in (("easy", first), ("hard", second))
    }
    gold = qg.load(lists)
    assert [question.id for question in gold] == ["easy.0", "easy.1", "hard.0", "hard.1"]
    assert [question.text() for question in gold] == [row[0] for row in ROWS]


def test_repeated_questions_without_names_of_systems_are_noted() -> None:
    evaluation = qg.evaluate(records_of("gpt") + records_of("flan"))
    assert [scores.name for scores in evaluation] == ["run"]
    assert any("name each in a field 'model'" in text for text in evaluation.notes)
    assert not any("'model'" in text for text in qg.evaluate(records_of("gpt")).notes)


@pytest.mark.parametrize("column", ["{}_answer", "pred_{}", "{} prediction", "{}"])
def test_a_kind_of_system_shows_the_columns_of_the_others(column: str) -> None:
    names = [column.format(name) for name in ("rag", "baseline", "ours")]
    rows = [dict(zip(["question", "target", *names], row, strict=True)) for row in ROWS]
    evaluation = qg.evaluate(pd.DataFrame(rows))
    assert sorted(scores["accuracy"] for scores in evaluation) == sorted(RIGHT.values())


def test_a_final_answer_is_of_a_system_beside_a_target() -> None:
    rows = [{"question": row[0], "target": row[1], "final_answer": row[2]} for row in ROWS]
    assert qg.evaluate(pd.DataFrame(rows))[0]["accuracy"] == RIGHT["gpt"]


def test_rows_with_an_answer_beside_gold_are_of_systems(tmp_path: Path) -> None:
    rows = [
        {"id": at, "question": asked, "retriever": name, "answer": said, "gold": gold, "path": None}
        for at, (asked, gold, *every) in enumerate(ROWS)
        for name, said in zip(RIGHT, every, strict=True)
    ]
    evaluation = qg.evaluate(rows)
    assert {scores.name: scores["accuracy"] for scores in evaluation} == RIGHT


def test_two_columns_may_tell_systems_apart_only_together() -> None:
    right = {"sparse short": 0.75, "sparse long": 0.5, "dense short": 0.0}
    rows = []
    for asked, gold, *answers in ROWS:
        for name, said in zip(right, answers, strict=True):
            retriever, length = name.split()
            settings = {"retriever": retriever, "length": length}
            rows.append({"question": asked, "gold": gold, **settings, "answer": said})
    evaluation = qg.evaluate(rows)
    assert {scores.name: scores["accuracy"] for scores in evaluation} == right


def test_a_table_without_header_may_repeat_the_questions(tmp_path: Path) -> None:
    gold = [{"id": at, "question": row[0], "answers": [row[1]]} for at, row in enumerate(ROWS)]
    path = tmp_path / "run.txt"
    path.write_text("\n".join(f"{at}\t{row[0]}\tIt is {row[2]}." for at, row in enumerate(ROWS)))
    scores = qg.score(gold, path)
    assert scores["accuracy"] == RIGHT["gpt"]
    assert any("column 2 has the questions" in note for note in scores.notes)


def test_rows_of_systems_may_have_several_answers_each() -> None:
    rows = [
        {"id": at, "model": name, "gold": gold, "plain answer": said, "rag answer": gold}
        for at, (_, gold, *every) in enumerate(ROWS)
        for name, said in zip(RIGHT, every, strict=True)
    ]
    evaluation = qg.evaluate(rows)
    plain = {f"{name} plain": value for name, value in RIGHT.items()}
    rag = {f"{name} rag": 1.0 for name in RIGHT}
    assert {scores.name: scores["accuracy"] for scores in evaluation} == plain | rag


def test_objects_of_systems_may_be_in_one_object() -> None:
    rows = [
        {
            "question": row[0],
            "gold": row[1],
            "variants": {
                name: {"text": {"n": 1}, "answer": said}
                for name, said in zip(RIGHT, row[2:], strict=True)
            },
        }
        for row in ROWS
    ]
    evaluation = qg.evaluate(rows)
    expected = {f"variants.{name}": value for name, value in RIGHT.items()}
    assert {scores.name: scores["accuracy"] for scores in evaluation} == expected


def test_what_is_correct_in_words_is_the_gold_beside_a_prediction() -> None:
    rows = [
        {"question_id": at, "correct": row[1], "is_correct": row[1] == row[2], "predicted": row[2]}
        for at, row in enumerate(ROWS)
    ]
    rows[2]["correct"] = "seven"
    assert qg.evaluate(rows)[0]["accuracy"] == 0.75


def test_a_copy_of_the_gold_in_a_public_set_is_no_system() -> None:
    gold = [
        {
            "utterance": row[0],
            "targetValue": f'(list (description "{row[1]}"))',
            "result": [row[1]],
            "url": "u",
        }
        for row in ROWS
    ]
    run = [{"question": row[0], "answer": row[2]} for row in ROWS]
    evaluation = qg.evaluate(gold, run)
    assert [scores["accuracy"] for scores in evaluation] == [RIGHT["gpt"]]


@pytest.mark.parametrize("names", [("train", "test"), ("easy", "hard"), ("questions", "examples")])
def test_lists_that_share_a_question_are_no_systems(names: tuple[str, str]) -> None:
    rows = [{"question": asked, "gold": gold} for asked, gold, *_ in ROWS]
    lists = {names[0]: rows[:3], names[1]: [*rows[3:], rows[0]]}
    assert len(qg.load(lists)) >= 3
    assert not any("system" in note for note in qg.load(lists).notes)


def test_a_field_with_one_value_does_not_make_lists_ask_the_same() -> None:
    lists = {
        name: [
            {"instruction": "Solve it.", "problem": f"{at} {sign} 2?", "answer": str(at)}
            for at in range(4)
        ]
        for name, sign in (("sums", "+"), ("products", "*"))
    }
    assert len(qg.load(lists)) == 8


def test_lists_with_gold_alone_are_no_systems() -> None:
    rows = {
        year: [{"question": asked, "answer": f"{gold} {year}"} for asked, gold, *_ in ROWS]
        for year in ("2022", "2023")
    }
    assert not any("system" in note for note in qg.load(rows).notes)


def test_parts_of_one_prediction_are_no_systems() -> None:
    gold = [{"id": at, "question": row[0], "answer": row[1]} for at, row in enumerate(ROWS)]
    run = [
        {"id": at, "response.content": row[2], "response.finish_reason": "stop"}
        for at, row in enumerate(ROWS)
    ]
    assert qg.score(gold, pd.DataFrame(run))["accuracy"] == RIGHT["gpt"]


def test_a_group_of_a_run_is_not_that_of_the_reader() -> None:
    gold = [{"id": str(at), "question": row[0], "answer": row[1]} for at, row in enumerate(ROWS)]
    run = [
        {"id": str(at), "group": name, "answer": said}
        for at, row in enumerate(ROWS)
        for name, said in zip(RIGHT, row[2:], strict=True)
    ]
    evaluation = qg.evaluate(gold, run)
    assert {scores.name: scores["accuracy"] for scores in evaluation} == RIGHT


def test_systems_on_few_labels_are_known_by_their_agreement() -> None:
    gold = ["good"] * 14 + ["bad"] * 4 + ["neither"] * 2
    said = ["good"] * 11 + ["bad"] * 6 + ["good", "neither", "good"]
    rows = [
        {"id": at, "question": f"How is {at}?", "gold": gold[at], "ours": said[at]}
        for at in range(20)
    ]
    assert qg.score(rows)["accuracy"] == 0.75


def test_what_stands_beside_a_key_of_choices_is_a_system_only_if_it_is_a_choice() -> None:
    rows = [
        {"question": f"Which is {at}?", "choices": ["x", "y", "z"], "label": at % 3, "answer": why}
        for at, why in enumerate(["It is so.", "By the law.", "So they say.", "It is so."])
    ]
    with pytest.raises(UsageError, match="no answers of a system"):
        qg.evaluate(rows)


def test_each_row_answers_its_own_question_though_two_have_one_id(tmp_path: Path) -> None:
    path = tmp_path / "both.csv"
    path.write_text(
        "id,question,prediction,gold\n"
        "q1,Who lit it?,Ann,Ann\n"
        "q1,Where is it?,Ulm,Ulm\n"
        "q2,Who saw it?,Cy,Cy\n"
        "q2,How many?,Cy,7\n"
    )
    [scores] = qg.evaluate(path)

    assert scores.counts["f1"].to_dict() == {"q1": 1.0, "q1#2": 1.0, "q2": 1.0, "q2#2": 0.0}


def test_a_field_for_predictions_that_is_empty_is_told(tmp_path: Path) -> None:
    rows = [
        {"question": asked, "ground_truth": gold, "normalized_truth": gold, "prediction": ""}
        for asked, gold, *_ in ROWS
    ]
    with pytest.raises(UsageError, match="'prediction' is empty in all records") as caught:
        qg.evaluate(rows)
    assert "normalized_truth" not in str(caught.value)


def test_a_named_system_without_any_answer_is_there(tmp_path: Path) -> None:
    gold = [{"id": f"q{at}", "question": f"Is it {at}?", "answer": f"Y{at}"} for at in range(2)]
    said: dict[str, dict[str, str]] = {
        "a": {"q0": "Y0", "q1": "Y1"}, "b": {"q0": "Y0", "q1": "N"}, "c": {},
    }  # fmt: skip
    path = tmp_path / "runs.json"
    path.write_text(json.dumps([{"model": name, "answers": said[name]} for name in said]))
    scores = qg.evaluate(gold, str(path))
    assert {one.name: one["accuracy"] for one in scores} == {"a": 1.0, "b": 0.5, "c": 0.0}

    # without names, these are parts of one run
    path.write_text(
        json.dumps([{"answers": {"q0": "Y0"}}, {"answers": {"q1": "Y1"}}, {"answers": {}}])
    )
    assert [one["accuracy"] for one in qg.evaluate(gold, str(path))] == [1.0]


@pytest.mark.parametrize("field", ["question_number", "id"])
@pytest.mark.parametrize("has_texts", [True, False])
def test_numbers_that_begin_anew_in_each_block_are_of_other_questions(
    field: str, has_texts: bool
) -> None:
    gold = {"law": "ABCA", "tax": "BCDC"}
    said = {("law", "alpha"): "ABCB", ("law", "beta"): "ABBB", ("tax", "alpha"): "BCDC"}
    said["tax", "beta"] = "BAAA"
    blocks = []
    for (subject, model), letters in said.items():
        results = []
        for number, letter in enumerate(letters):
            correct = gold[subject][number]
            record = {field: number + 1, "extracted_answer": letter, "correct_answer": correct}
            if has_texts:
                record["question"] = f"What holds in {subject}, case {number}?"
            results.append(record)
        blocks.append({"subject": subject, "model_name": model, "results": results})
    means = {run.name: run["accuracy"] for run in qg.evaluate(blocks)}
    assert means == {"alpha": 7 / 8, "beta": 3 / 8}


def test_wordings_of_one_question_are_not_others() -> None:
    rows = [
        {"id": number, "style": style, "question": f"{style} is {number}?", "model": model,
         "gold": f"Y{number}", "prediction": f"Y{number}" if model == "a" else "N"}
        for number in range(4) for style in ("Who", "Which") for model in ("a", "b")
    ]  # fmt: skip
    means = {run.name: run["accuracy"] for run in qg.evaluate(rows)}
    assert means == {"a Who": 1.0, "a Which": 1.0, "b Who": 0.0, "b Which": 0.0}


def test_columns_of_a_run_may_be_objects_by_row(tmp_path: Path) -> None:
    columns = {
        "row": {"20": "Who lit it?", "21": "Where is it?"},
        "gold": {"20": "Ann", "21": "Ulm"},
        "output": {"20": "Ann", "21": "Bonn"},
    }
    path = tmp_path / "columns.json"
    path.write_text(json.dumps(columns))
    assert [run["accuracy"] for run in qg.evaluate(path)] == [0.5]


@pytest.mark.parametrize(("field", "n_right"), [("expected_result", 0), ("acceptable_answers", 2)])
def test_other_numbers_are_no_names_of_one_answer(field: str, n_right: int) -> None:
    rows = [
        {"id": at, "question": f"Which are {at}?", field: [100 + at, 200 + at],
         "prediction": str(200 + at)}
        for at in range(2)
    ]  # fmt: skip
    [run] = qg.evaluate(rows, match="exact")
    assert sum(run.counts["f1"] == 1) == n_right


def test_gold_lists_that_are_read_like_those_of_systems_are_told() -> None:
    rows = [
        {"question": f"Which are {at}?", "expected": ["Ann", "Ben"], "prediction": ["Ann", "Ben"]}
        for at in range(2)
    ]
    [run] = qg.evaluate(rows)
    assert run["macro-f1"] == 1.0
    assert any("each entry is an answer, since the systems" in text for text in run.notes)


def test_questions_gold_and_answers_may_be_lists_of_one_document(tmp_path: Path) -> None:
    asked = [{"id": f"q{n}", "question": f"Who is {n}?"} for n in range(4)]
    gold = [{"question_id": f"q{n}", "text": f"Ann {n}"} for n in range(4)]
    runs = [
        {"model": name, "answers": {f"q{n}": f"Ann {n if n < right else 9}" for n in range(4)}}
        for name, right in (("a", 3), ("b", 1))
    ]
    path = tmp_path / "all.json"
    path.write_text(json.dumps({"questions": asked, "answers": gold, "runs": runs}))
    assert {run.name: run["accuracy"] for run in qg.evaluate(path)} == {"a": 0.75, "b": 0.25}


@pytest.mark.parametrize(
    ("said", "is_told"),
    [("ERROR: Generation failed", True), ("[ERROR] 429 rate limit", True),
     ("requests.ReadTimeoutError: Read timed out.", True), ("Error: timeout", True),
     ("Errors of the second kind", False), ("KeyError is raised", False)],
)  # fmt: skip
def test_answers_that_look_like_errors_are_told_and_compared(said: str, is_told: bool) -> None:
    gold: list[dict[str, object]] = [
        {"id": "1", "question": "Who lit it?", "answers": []},
        {"id": "2", "question": "What is raised?", "answer": said},
    ]
    scores = qg.score(gold, [{"id": name, "answer": said} for name in "12"], match="exact")
    assert any("look like errors of a program" in text for text in scores.notes) == is_told
    assert scores.counts["f1"].tolist() == [0.0, 1.0]


def test_columns_that_are_set_aside_are_told() -> None:
    rows = [
        {"question": f"Who is {at}?", "truth": f"Ann {at}", "kg_answer": f"Ann {at}",
         "kg_response": f"Ann {at % 2}", "llm_response": "Bo", "llm_text": "It is Bo.",
         "model": "ab"[at % 2]}
        for at in range(4)
    ]  # fmt: skip
    notes = " ".join(qg.evaluate(rows).notes)
    assert "not read, as they repeat the gold or say more of a system" in notes
    assert all(f"'{name}'" in notes for name in rows[0] if name != "question")


def test_several_systems_in_one_run_are_told() -> None:
    rows = [
        {"question": f"Who is {at}?", "truth": f"Ann {at}", "prediction": f"Ann {at % 2}",
         "model": "ab"[at % 2]}
        for at in range(4)
    ]  # fmt: skip
    evaluation = qg.evaluate(rows)
    assert any("'model' has 2 values; all are scored as one run" in text
               for text in evaluation.notes)  # fmt: skip


@pytest.mark.parametrize("match", ["exact", "contains", "token-f1"])
def test_to_say_that_there_is_no_answer_is_right_if_there_is_none(
    match: Literal["exact", "contains", "token-f1"],
) -> None:
    gold = [{"id": "1", "question": "Who lit it?", "answers": []},
            {"id": "2", "question": "Where is it?", "answers": ["Ulm"]}]  # fmt: skip
    for said in ("", "I don't know.", "unanswerable"):
        run = [{"id": name, "answer": said} for name in "12"]
        assert qg.score(gold, run, match=match).counts["f1"].tolist() == [1.0, 0.0], said


def test_of_two_lists_in_a_document_the_one_called_gold_is_gold(tmp_path: Path) -> None:
    asked = [{"id": f"q{n}", "question": f"Who is {n}?"} for n in range(4)]
    lists = {
        "answers": [{"question_id": f"q{n}", "answer": f"Ann {n % 2}"} for n in range(4)],
        "gold": [{"question_id": f"q{n}", "answer": f"Ann {n}"} for n in range(4)],
    }
    path = tmp_path / "all.json"
    path.write_text(json.dumps({"questions": asked, **lists}))
    [run] = qg.evaluate(path)
    assert [run["accuracy"], *qg.load(path).questions[3].gold.values()] == [0.5, "Ann 3"]
    # without gold, these are questions still
    path.write_text(json.dumps({"questions": asked, "predictions": lists["answers"]}))
    assert len(qg.load(path).questions) == 4
