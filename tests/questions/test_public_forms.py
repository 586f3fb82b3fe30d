"""Forms in which people publish predictions and gold: the fields are theirs, the content is ours.

Four questions, of which each system answers the first and the third right: accuracy .5.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import pytest

import qaldgen as qg

ASKED = ("Who lit the lamp?", "Where is the mill?", "How many stairs are there?", "Who saw it?")
GOLD = ("Ann Lee", "Ulm", "77", "Bea Low")
SAID = ("Ann Lee", "Bonn", "77", "Cy Fox")
IDS = ("q1", "q2", "q3", "q4")
EVERY = tuple(zip(IDS, ASKED, GOLD, SAID, strict=True))
PLAIN = [{"id": name, "question": asked, "answer": gold} for name, asked, gold, _ in EVERY]


def rows(**fields: str) -> list[dict[str, Any]]:
    """Return records; each value says what the field holds: id, asked, gold, said, or [gold]."""
    made = []
    for name, asked, gold, said in EVERY:
        known = {"id": name, "asked": asked, "gold": gold, "said": said}
        known |= {"[gold]": [gold], "[said]": [said], "n": name[1:]}  # type: ignore[dict-item]
        made.append({field: known.get(what, what) for field, what in fields.items()})
    return made


#: Files of predictions that need the questions beside them.
RUNS: dict[str, Any] = {
    "SQuAD 2, one object": dict(zip(IDS, SAID, strict=True)),
    "SQuAD's n-best lists": {
        name: [
            {"text": said, "probability": 0.8, "start_logit": 2.5, "end_logit": 2.0},
            {"text": gold, "probability": 0.2, "start_logit": 1.5, "end_logit": 1.0},
        ]
        for name, _, gold, said in EVERY
    },
    "evaluate's squad_v2": rows(id="id", prediction_text="said", no_answer_probability="0.0"),
    "MKQA": rows(example_id="id", prediction="said", binary_answer="", no_answer_prob="0.1"),
    "GraftNet and NSM": [
        {"id": name, "answers": [gold], "dist": {said: 0.7, "x": 0.2, "y": 0.1}}
        for name, _, gold, said in EVERY
    ],
    "chats": [
        {"id": name, "messages": [
            {"role": "user", "content": asked}, {"role": "assistant", "content": "Well?"},
            {"role": "user", "content": asked},
            {"role": "assistant", "content": [{"type": "text", "text": said}]},
        ]}
        for name, asked, _, said in EVERY
    ],
    "chats of ShareGPT": [
        {"question": asked, "conversations": [
            {"from": "human", "value": asked}, {"from": "gpt", "value": said}
        ]}
        for _, asked, _, said in EVERY
    ],
    "a leaderboard": {"team": "ours", "submission": [
        {"qid": name, "prediction": [{"value": said}]} for name, _, _, said in EVERY
    ]},
    "vLLM, ids and prompts": [
        {"request_id": name, "prompt": f"Q: {asked}", "outputs": [{"index": 0, "text": said}]}
        for name, asked, _, said in EVERY
    ],
    "a German table": rows(**{"Nr.": "id", "Antwort des Systems": "said"}),
    "OpenAI batches": [
        {
            "id": f"batch_{name}",
            "custom_id": name,
            "response": {
                "status_code": 200,
                "body": {"choices": [{"message": {"role": "assistant", "content": said}}]},
            },
            "error": None,
        }
        for name, *_, said in EVERY
    ],
    "WebQSP's script, pairs": [[name, [said]] for name, *_, said in EVERY],
    "GrailQA": {
        name: {"logical_form": "(AND x y)", "answer": [said]} for name, *_, said in EVERY
    },
    "HotpotQA": {"answer": dict(zip(IDS, SAID, strict=True)), "sp": {name: [] for name in IDS}},
    "KILT": [
        {"id": name, "input": asked, "output": [{"answer": said, "provenance": []}]}
        for name, asked, _, said in EVERY
    ],
    "Natural Questions": {
        "predictions": [
            {"example_id": name, "short_answers": [{"text": said}], "short_answers_score": 3.5}
            for name, *_, said in EVERY
        ]
    },
    "Think-on-Graph": rows(question="asked", results="said", reasoning_chains="none"),
    "lists of answers by id": {name: [said] for name, *_, said in EVERY},
    "sets in the notation of Python": {name: f"{{'{said}'}}" for name, *_, said in EVERY},
    "self-consistency": [
        {"id": name, "completions": [said, said]} for name, *_, said in EVERY
    ],
    "AlpacaEval": rows(instruction="asked", output="said", generator="ours", dataset="mills"),
    "the batches of OpenAI, by another interface": [
        {"custom_id": name, "response": {"body": {"output": [
            {"type": "reasoning", "content": []},
            {"type": "message", "content": [{"type": "output_text", "text": said}]},
        ]}}}
        for name, *_, said in EVERY
    ],
    "the batches of Anthropic": [
        {"custom_id": name, "result": {"type": "succeeded", "message": {
            "role": "assistant", "content": [{"type": "text", "text": said}]}}}
        for name, *_, said in EVERY
    ],
    "Gemini": [
        {"key": name, "response": {"candidates": [{"content": {"parts": [{"text": said}]}}]}}
        for name, *_, said in EVERY
    ],
    "Ollama": [
        {"id": name, "response": {"message": {"role": "assistant", "content": said}}}
        for name, *_, said in EVERY
    ],
    "candidates, the best first": [
        {"id": name, "candidates": [said, "x", gold]} for name, _, gold, said in EVERY
    ],
    "candidates with scores": [
        {"id": name, "candidates": [{"answer": gold, "score": 1}, {"answer": said, "score": 2}]}
        for name, _, gold, said in EVERY
    ],
    "ids of an own name": rows(mill_id="id", prediction="said"),
    "a label for the answer": rows(idx="id", label="said"),
    "answers by id, under results": {"model": "ours", "results": dict(zip(IDS, SAID, strict=True))},
    "answers with scores": [
        {"id": name, "predictions": [[said, 0.9], [gold, 0.1]]} for name, _, gold, said in EVERY
    ],
}  # fmt: skip
#: Files that carry questions, gold and predictions.
WHOLE: dict[str, Any] = {
    "OpenCompass, few-shot chats": {
        str(number): {
            "origin_prompt": [
                {"role": "HUMAN", "prompt": "Q: Where is Rome?"},
                {"role": "BOT", "prompt": "A: Italy"},
                {"role": "HUMAN", "prompt": asked},
            ],
            "prediction": said,
            "gold": gold,
        }
        for number, (_, asked, gold, said) in enumerate(EVERY)
    },
    "Azure AI evaluation, older": rows(question="asked", truth="gold", answer="said", context="c"),
    "Azure AI evaluation": rows(query="asked", response="said", ground_truth="gold", context="c"),
    "RAGAS": rows(user_input="asked", response="said", reference="gold"),
    "RAGAS, older": rows(question="asked", answer="said", contexts="c", ground_truths="[gold]"),
    "DeepEval": rows(input="asked", actual_output="said", expected_output="gold"),
    "Haystack": [
        {**row, "rank": rank, "answer": row["answer"] if rank == 1 else row["gold_answers"][0]}
        for row in rows(query="asked", gold_answers="[gold]", answer="said", context="c")
        for rank in (2, 1)
    ],
    "MLflow": rows(inputs="asked", ground_truth="gold", outputs="said"),
    "Reasoning on Graphs": rows(
        id="id", question="asked", prediction="said", ground_truth="[gold]"
    ),
    "EVOUNA": rows(question="asked", golden_answer="gold", answer_fid="said"),
    "HC3": rows(question="asked", human_answers="[gold]", chatgpt_answers="[said]", source="ours"),
    "PopQA": rows(id="id", question="asked", possible_answers="[gold]", pred="said"),
    "CRAG": rows(interaction_id="id", query="asked", answer="gold", prediction="said"),
    "SimpleQA": rows(problem="asked", answer="gold", response="said"),
    "DPR's reader": [
        {
            "question": asked,
            "gold_answers": [gold],
            "predictions": [{"top_k": 10, "prediction": {"text": said, "score": 7.5}}],
        }
        for _, asked, gold, said in EVERY
    ],
    "a column for the model": rows(question="asked", gold="gold", davinci="said"),
    "a model of another name": [
        {"question": asked, "standard_answer": gold, "KBX-2": said}
        for _, asked, gold, said in EVERY
    ],
    "a table with a column for the system": [
        {**row, "system": "ours"} for row in rows(question="asked", gold="gold", answer="said")
    ] + [
        {**row, "system": "theirs"} for row in rows(question="asked", gold="gold", answer="gold")
    ],
    "LangSmith": rows(id="id", input="asked", reference_output="gold", output="said"),
    "RAGAS, with its measures": [
        {**row, "answer_relevancy": 0.5, "faithfulness": 1.0}
        for row in rows(question="asked", answer="said", contexts="c", ground_truth="gold")
    ],
    "LangSmith, flat": rows(**{"inputs.question": "asked", "outputs.answer": "said",
                               "reference_outputs.answer": "gold"}),
    "Azure AI evaluation, its results": {"rows": rows(**{
        "inputs.query": "asked", "inputs.ground_truth": "gold", "outputs.response": "said"})},
    "MLflow, nested": [
        {"inputs": {"question": asked}, "outputs": said, "expectations": {"expected": gold}}
        for _, asked, gold, said in EVERY
    ],
    "promptfoo": {"evalId": "e", "results": {"version": 3, "results": [
        {"vars": {"question": asked, "expected": gold}, "response": {"output": said}, "score": 1}
        for _, asked, gold, said in EVERY
    ]}},
    "Phoenix": rows(**{"attributes.input.value": "asked", "attributes.output.value": "said",
                       "reference": "gold"}),
    "a German table": rows(**{"Frage": "asked", "Richtige Antwort": "gold",
                              "Systemantwort": "said"}),
    "MLflow, its table": rows(request="asked", response="said", expected_response="gold"),
    "lighteval": rows(example="asked", gold="[gold]", predictions="[said]"),
    "seq2seq": rows(source="x", question="asked", target="gold", prediction="said"),
}  # fmt: skip


def files(data: Any, folder: Path) -> Iterator[Path]:  # noqa: ANN401
    """Yield the forms of file in which data can stand."""
    (folder / "data.json").write_text(json.dumps(data, indent=1))
    yield folder / "data.json"
    if not isinstance(data, list) or not all(isinstance(row, dict) for row in data):
        return
    (folder / "data.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in data))
    yield folder / "data.jsonl"
    if any(isinstance(value, dict) for row in data for value in row.values()):
        return
    for ending, separator in (("csv", ","), ("tsv", "\t")):
        with (folder / f"data.{ending}").open("w", newline="") as file:
            writer = csv.DictWriter(file, data[0], delimiter=separator)
            writer.writeheader()
            writer.writerows(data)
        yield folder / f"data.{ending}"


@pytest.mark.parametrize("form", RUNS)
def test_predictions_in_public_forms(form: str, tmp_path: Path) -> None:
    for path in files(RUNS[form], tmp_path):
        assert qg.score(PLAIN, path, match="contains")["accuracy"] == 0.5, path.name


@pytest.mark.parametrize("form", WHOLE)
def test_predictions_with_gold_in_public_forms(form: str, tmp_path: Path) -> None:
    for path in files(WHOLE[form], tmp_path):
        name = "ours" if "column for the system" in form else None
        assert qg.score(path, name, match="contains")["accuracy"] == 0.5, path.name
        if name is None:  # the same file as a run on the gold
            assert qg.score(PLAIN, path, match="contains")["accuracy"] == 0.5, path.name


def _wide(path: Path) -> Path:
    names = ("question", "gold", "gpt-4", "llama")
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(names)
        table.writerows([asked, gold, said, ""] for _, asked, gold, said in EVERY)
    return path


def test_a_system_without_any_answer_is_a_run(tmp_path: Path) -> None:
    frame = qg.evaluate(_wide(tmp_path / "wide.csv")).frame
    assert frame.groupby("run")["status"].value_counts().to_dict() == {
        ("gpt-4", "answered"): 4, ("llama", "empty"): 4,
    }  # fmt: skip
    nulls = [{"question": asked, "gold": gold, "gpt-4": said, "llama": None}
             for _, asked, gold, said in EVERY]  # fmt: skip
    assert set(qg.evaluate(nulls).frame["run"]) == {"gpt-4", "llama"}


def test_numbered_columns_hold_names_of_the_gold_answer() -> None:
    rows = [{"question": "Who lit it?", "answer_0": "Ann Lee", "answer_1": "A. Lee"}]
    answers = qg.load(rows).questions[0].answers
    assert answers is not None and answers.texts == (("Ann Lee", "A. Lee"),)


def test_a_key_with_an_own_name_is_the_id() -> None:
    rows = [{"mill_id": name, "question": asked, "answer": gold} for name, asked, gold, _ in EVERY]
    assert [question.id for question in qg.load(rows)] == list(IDS)
    equal = [{**row, "mill_id": "m"} for row in rows]
    assert [question.id for question in qg.load(equal)] == ["1", "2", "3", "4"]


def test_passages_beside_a_question_are_no_articles() -> None:
    rows = [{"question": "Who?", "answer": "Ann", "paragraphs": [{"title": "T", "text": "Ann."}]}]
    assert qg.load(rows).format == "json-records"


def test_an_error_in_place_of_a_reply_is_a_failure() -> None:
    fine = {"body": {"choices": [{"message": {"content": "Ann Lee"}}]}}
    run = qg.read_run([
        {"custom_id": "q1", "response": fine, "error": None},
        {"custom_id": "q2", "response": None, "error": {"code": "x", "message": "too long"}},
        {"custom_id": "q3", "response": {"body": {"error": {"message": "overloaded"}}}},
    ])  # fmt: skip
    assert [(one.status, one.error) for one in run.responses.values()] == [
        ("answered", ""), ("failed", "too long"), ("failed", "overloaded"),
    ]  # fmt: skip


def test_a_letter_stands_for_the_choice() -> None:
    gold = [{"id": "1", "question": "Which is it?", "choices": ["tea", "ale", "rum"],
             "answerKey": "B"}]  # fmt: skip
    for said, right in (("B", 1), ("(B) ale", 1), ("b.", 1), ("ale", 1), ("A", 0), ("B tea", 0)):
        assert qg.score(gold, {"1": said})["accuracy"] == right, said


def test_one_file_has_the_answers_of_several_systems_by_name(tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    path.write_text(json.dumps({
        "ours": dict(zip(IDS, SAID, strict=True)), "theirs": dict(zip(IDS, GOLD, strict=True)),
    }))  # fmt: skip
    accuracy = qg.evaluate(PLAIN, path, match="contains").frame.groupby("run")["f1"].mean()
    assert accuracy.to_dict() == {"ours": 0.5, "theirs": 1.0}


def test_the_first_candidate_of_each_system_counts_not_that_of_one_system() -> None:
    rows = [
        {"question": text, "gold": right, "model": model, "rank": rank, "prediction": said}
        for text, right in zip(("Who lit it?", "Where is it?"), ("Ann", "Ulm"), strict=True)
        for model, candidates in {"ours": (right, "Bea"), "theirs": ("Bea", right)}.items()
        for rank, said in enumerate(candidates, 1)
    ]
    gold = [{"id": text, "question": text, "answer": right} for text, right in
            {row["question"]: row["gold"] for row in rows}.items()]  # fmt: skip
    answers = [{name: row[name] for name in row if name != "gold"} for row in rows]
    for given in ((rows,), (gold, answers)):
        accuracy = qg.evaluate(*given).frame.groupby("run")["f1"].mean()
        assert accuracy.to_dict() == {"ours": 1.0, "theirs": 0.0}


def test_exact_answers_count_not_the_summary_beside_them() -> None:
    gold = {"questions": [
        {"id": "b1", "body": "Who lit it?", "type": "factoid", "ideal_answer": ["It was Ann Lee."],
         "exact_answer": ["Ann Lee", "A. Lee"]},
        {"id": "b2", "body": "Which are mills?", "type": "list",
         "exact_answer": [["Ulm"], ["Bonn", "Bonna"]]},
    ]}  # fmt: skip
    assert [question.answers and question.answers.texts for question in qg.load(gold)] == [
        (("Ann Lee", "A. Lee"),), (("Ulm",), ("Bonn", "Bonna")),
    ]  # fmt: skip


@pytest.mark.parametrize("ids", [
    ["app", "app", "app", "app"], ["u0", "u1", "u0", "u1"], ["q1", "q1", "q2", "q2"],
])  # fmt: skip
@pytest.mark.parametrize("name", ["app_id", "user_id", "taskId", "id"])
def test_what_does_not_tell_questions_apart_is_no_id(name: str, ids: list[str]) -> None:
    run = [
        {name: one, "input": asked, "output": said}
        for one, asked, said in zip(ids, ASKED, SAID, strict=True)
    ]
    assert qg.score(PLAIN, run)["macro-f1"] == 0.5


def test_of_several_ids_those_of_the_gold_count() -> None:
    run = [
        {"id": f"r{at}", "session_id": "s", "item_id": name, "output": said}
        for at, (name, _, _, said) in enumerate(EVERY)
    ]
    assert qg.score(PLAIN, run)["macro-f1"] == 0.5


def test_wordings_of_a_question_share_its_id() -> None:
    run = [
        {"id": name, "question": f"{asked} ({wording})", "prediction": said, "sample": wording}
        for wording in "ab"
        for name, asked, _, said in EVERY
    ]
    assert qg.score(PLAIN, run)["macro-f1"] == 0.5


@pytest.mark.parametrize("name", [
    "composition_answer", "intermediate_answers", "reasoning_required_pred", "extra answers",
    "answer_by_crowd", "gpt-4 output",
])  # fmt: skip
def test_a_column_beside_gold_is_a_run_only_where_none_is_given(name: str) -> None:
    gold = [{**row, name: said} for row, said in zip(PLAIN, SAID, strict=True)]
    run = dict(zip(IDS, GOLD, strict=True))
    assert qg.score(gold, run)["macro-f1"] == 1
    assert qg.score(gold)["macro-f1"] == 0.5


@pytest.mark.parametrize("name", [
    "alt_ans", "alt_answers", "alternatives", "synonyms", "additional_answers", "answer_synonyms",
    "answer_aliases", "Alternative Answer",
])  # fmt: skip
def test_further_names_of_the_gold_answer(name: str) -> None:
    gold = [{**row, name: ["x", said]} for row, said in zip(PLAIN, SAID, strict=True)]
    assert qg.score(gold, dict(zip(IDS, SAID, strict=True)))["macro-f1"] == 1


def test_alternatives_with_the_answer_among_them_are_no_names_of_it() -> None:
    gold = [{**row, "alternatives": ["x", row["answer"], "y"]} for row in PLAIN]
    assert qg.score(gold, dict.fromkeys(IDS, "x"))["macro-f1"] == 0


def test_the_decision_is_gold_not_the_labels_of_sections() -> None:
    gold = {
        name: {"QUESTION": asked, "LABELS": ["METHODS", "RESULTS"], "LONG_ANSWER": "So.",
               "reasoning_free_pred": "no", "final_decision": decision}
        for name, asked, decision in zip(IDS, ASKED, ("yes", "no", "maybe", "yes"), strict=True)
    }  # fmt: skip
    assert qg.score(gold, dict.fromkeys(IDS, "yes"))["macro-f1"] == 0.5


#: The questions, as five sets write them.
SETS: dict[str, Any] = {
    "verifiable rewards": [
        {"messages": [{"role": "user", "content": asked}], "ground_truth": gold, "dataset": "mills"}
        for _, asked, gold, _ in EVERY
    ],
    "MKQA": [
        {"example_id": name, "query": asked, "queries": {"en": asked},
         "answers": {"en": [{"type": "entity", "text": gold, "aliases": [f"{gold}'s"]}]}}
        for name, asked, gold, _ in EVERY
    ],
    "TriviaQA": [
        {"question_id": name, "question": asked, "question_source": "",
         "answer": {"value": gold, "aliases": [gold, f"the {gold}"]}}
        for name, asked, gold, _ in EVERY
    ],
    "WebQuestions": [
        {"utterance": asked, "targetValue": f'(list (description "{gold}"))', "url": "u"}
        for _, asked, gold, _ in EVERY
    ],
    "KQA Pro": [
        {"question": asked, "choices": [gold, "x"], "program": [], "answer": gold}
        for _, asked, gold, _ in EVERY
    ],
    "Mintaka": [
        {"id": name, "question": asked, "questionEntity": [],
         "answer": {"answerType": "string", "answer": [gold], "mention": gold}}
        for name, asked, gold, _ in EVERY
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("field", ["prediction", "model_output", "llm answer"])
def test_predictions_in_the_records_of_a_public_set(name: str, field: str) -> None:
    both = [{**row, field: said} for row, said in zip(SETS[name], SAID, strict=True)]
    assert qg.score(both)["macro-f1"] == 0.5


#: Sets whose answers no record of a run has in that form.
GOLD_ALONE: dict[str, Any] = {
    "SQuAD": {"data": [{"title": "t", "paragraphs": [{"context": "c", "qas": [
        {"id": name, "question": asked, "answers": [{"text": gold, "answer_start": 0}]}
        for name, asked, gold, _ in EVERY
    ]}]}]},
    "ARC": [
        {"id": name, "question": {"stem": asked, "choices": [
            {"label": "A", "text": "x"}, {"label": "B", "text": gold}]}, "answerKey": "B"}
        for name, asked, gold, _ in EVERY
    ],
    "SciQ": [
        {"question": asked, "correct_answer": gold, "distractor1": "x", "distractor2": "y"}
        for _, asked, gold, _ in EVERY
    ],
    "Mintaka's entities": [
        {"id": name, "question": asked, "questionEntity": [],
         "answer": {"answerType": "entity", "answer": [{"name": "Q64", "label": {"en": gold}}]}}
        for name, asked, gold, _ in EVERY
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", [*SETS, *GOLD_ALONE])
def test_gold_is_a_perfect_run(name: str, tmp_path: Path) -> None:
    gold = (SETS | GOLD_ALONE)[name]
    path = tmp_path / "set.json"
    path.write_text(json.dumps(gold), encoding="utf-8")
    assert qg.score(path, path)["macro-f1"] == 1


@pytest.mark.parametrize("mid", [
    "m.01cj3p", "ns:m.01cj3p", "/m/01cj3p", "www.freebase.com/m/01cj3p",
    "rdf.freebase.com/ns/m/01cj3p",
])  # fmt: skip
def test_ids_of_freebase_as_in_its_dumps(mid: str) -> None:
    gold = [{"id": "1", "question": "What?", "answer": "m.01cj3p"}]
    assert qg.score(gold, {"1": mid})["macro-f1"] == 1


def test_questions_without_gold_are_refused_from_python_too() -> None:
    with pytest.raises(qg.DataError, match="nothing could be right"):
        qg.score([{"id": "1", "question": "Who?"}], {"1": "Ann"})


@pytest.mark.parametrize("mark", ["\t", ";"])
@pytest.mark.parametrize("key", [0, 1])
@pytest.mark.parametrize("form", ["{}", '["{}"]'])
def test_gold_before_the_prediction_is_no_answer(
    mark: str, key: int, form: str, tmp_path: Path
) -> None:
    lines = [mark.join([row[key], form.format(row[2]), form.format(row[3])]) for row in EVERY]
    path = tmp_path / "three.tsv"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert qg.score(PLAIN, path)["macro-f1"] == 0.5


def test_two_answers_in_a_row_are_both_answers(tmp_path: Path) -> None:
    path = tmp_path / "three.tsv"
    lines = [f"{name}\t{said}\t{gold}" for name, _, gold, said in EVERY]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert qg.score(PLAIN, path, match="exact")["macro-f1"] > 0.5


@pytest.mark.parametrize("form", ["columns", "split", "index", "records"])
@pytest.mark.parametrize("key", ["id", "question"])
def test_tables_that_pandas_writes_as_json(
    form: Literal["columns", "split", "index", "records"], key: str, tmp_path: Path
) -> None:
    table = pd.DataFrame({key: IDS if key == "id" else ASKED, "prediction": SAID})
    path = tmp_path / "run.json"
    table.to_json(path, orient=form)
    assert qg.score(PLAIN, path)["macro-f1"] == 0.5


@pytest.mark.parametrize("name", [
    "candidate", "submission", "llm", "guess", "model", "text", "label", "answer2", "sample", "xyz",
])  # fmt: skip
@pytest.mark.parametrize("gold", ["answer", "target", "reference"])
def test_what_repeats_the_gold_is_no_system_beside_other_answers(name: str, gold: str) -> None:
    """The gold is at hand: a column that says the same of all questions is the gold."""
    run = rows(id="id", question="asked", **{gold: "gold", name: "said"})
    assert qg.score(PLAIN, run, match="contains")["accuracy"] == 0.5


def test_a_perfect_system_alone_is_no_gold() -> None:
    run = rows(id="id", question="asked", answer="gold", level="easy")
    assert qg.score(PLAIN, run)["accuracy"] == 1


@pytest.mark.parametrize("name", ["id_string", "No", "pid", "key", "q_no", "task_id"])
@pytest.mark.parametrize("ending", ["csv", "json"])
def test_a_column_that_both_have_tells_the_questions(
    name: str, ending: str, tmp_path: Path
) -> None:
    """Its rows may be in another order than the questions."""
    paths = [tmp_path / f"{stem}.{ending}" for stem in ("set", "run")]
    gold = rows(**{name: "id", "question": "asked", "answer": "gold"})
    said = rows(**{name: "id", "prediction": "said"})[::-1]
    for path, table in zip(paths, (gold, said), strict=True):
        if ending == "csv":
            pd.DataFrame(table).to_csv(path, index=False)
        else:
            path.write_text(json.dumps(table))
    assert qg.score(*paths, match="contains")["accuracy"] == 0.5


def test_ids_of_the_gold_come_before_a_column_that_both_have() -> None:
    """Values that the gold has for other questions too do not tell them."""
    gold = [{**row, "level": level} for row, level in zip(PLAIN, "abcd", strict=True)]
    said = rows(id="id", prediction="said")
    run = [{**row, "level": level} for row, level in zip(said, "bcda", strict=True)]
    assert qg.score(gold, run, match="contains")["accuracy"] == 0.5


def test_row_numbers_of_pandas_are_ids_where_nothing_else_is(tmp_path: Path) -> None:
    gold, run = tmp_path / "set.csv", tmp_path / "run.csv"
    pd.DataFrame(rows(question="asked", answer="gold")).to_csv(gold)
    pd.DataFrame(rows(prediction="said"))[::-1].to_csv(run)
    assert qg.score(gold, run, match="contains")["accuracy"] == 0.5


@pytest.mark.parametrize("above", ["Our lamps,,\n,,\n", "# made by hand, in May\n", "Sheet 1\n\n"])
def test_lines_above_a_header_are_not_read(above: str, tmp_path: Path) -> None:
    path = tmp_path / "set.csv"
    path.write_text(above + pd.DataFrame(PLAIN).to_csv(index=False))
    read = qg.load(path)
    assert [question.text() for question in read] == list(ASKED)
    assert "above the header" in read.notes[0]


@pytest.mark.parametrize("change", [str.upper, lambda text: text.rstrip("?"), "{} ".format])
def test_texts_of_questions_may_differ_in_case_and_the_mark_at_their_end(
    change: Callable[[str], str],
) -> None:
    run = [
        {"question": change(asked), "answer": said} for asked, said in zip(ASKED, SAID, strict=True)
    ]
    assert qg.score(PLAIN, run, match="contains")["accuracy"] == 0.5


def test_columns_of_systems_may_have_foreign_names() -> None:
    run = rows(**{"Nr": "id", "Antwort GPT-4": "said", "Antwort Llama": "gold"})
    report = qg.compare(PLAIN, run)
    assert {"GPT-4", "Llama"} <= set(report.scores.reset_index().to_numpy().ravel())


def test_an_object_with_answers_and_evidence_is_one_run() -> None:
    said = dict(zip(IDS, SAID, strict=True))
    run = {"answer": said, "sp": {name: [["Lamps", 0]] for name in IDS}}
    assert qg.score(PLAIN, run, match="contains")["accuracy"] == 0.5


def test_several_systems_may_be_lists_under_their_names(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps({
        "first": rows(id="id", answer="said"), "second": rows(id="id", answer="gold")
    }))  # fmt: skip
    report = qg.compare(PLAIN, path)
    assert {"first", "second"} <= set(report.scores.reset_index().to_numpy().ravel())


@pytest.mark.parametrize(("places", "said"), [((1, 2), True), ((0, 2), False), ((1, 3), False)])
def test_places_of_choices_that_may_count_from_0_or_1_are_named(
    places: tuple[int, int], said: bool
) -> None:
    table = [
        {"question": f"Who is it {place}?", "choices": ["a", "b", "c"], "answer": place}
        for place in places
    ]
    assert any("taken to count from 0" in line for line in qg.load(table).notes) is said


LETTERS = "BAAB"


@pytest.mark.parametrize("form", ["alternatives", "candidates", "metadata", "question", "line"])
def test_choices_that_a_letter_refers_to(form: str) -> None:
    gold: list[dict[str, object]] = []
    for number, letter in enumerate(LETTERS):
        texts = [f"tea {number}", f"ale {number}"]
        record: dict[str, object] = {"id": str(number), "question": f"Which of {number}?"}
        if form == "question":
            record |= {"question": f"Which of {number}?\nA. {texts[0]}\nB. {texts[1]}"}
            record |= {"Choice": letter}
        elif form == "line":
            listed = f"A. {texts[0]}, B. {texts[1]}, C. mead"
            record |= {"question": f"Which of {number}? {listed}", "correct_answer": letter}
        elif form == "candidates":
            record |= {"answer": str("AB".index(letter) + 1), "candidates": texts}
        elif form == "metadata":
            record |= {"expected": letter, "metadata": {"choices": texts, "answer_idx": 7}}
        else:
            record |= {"label": letter, "alternatives": texts}
        gold.append(record)
    run = {"0": "ale 0", "1": "A", "2": "The answer is A.", "3": "B. ale 3"}
    assert qg.score(gold, run)["macro-f1"] == 1
    assert qg.score(gold, {"0": "tea 0", "1": "ale 1", "2": "B", "3": "tea 3"})["macro-f1"] == 0


def test_numbers_may_have_alternative_names() -> None:
    gold = [
        {"id": "1", "question": "How many mills?", "answer": 2, "alternatives": ["two", "II"]},
        {"id": "2", "question": "How many towns?", "answer": 1, "alternatives": ["one", "I"]},
    ]
    assert qg.score(gold, {"1": "two", "2": "I"})["macro-f1"] == 1


def test_results_of_drivers_are_answers_of_gold_and_system() -> None:
    select = {"type": "select", "vars": ["town"], "total": 1}
    records = [
        {
            "question_id": 1, "question": "Where?", "expected_sparql": "ASK {}",
            "exp_result": select | {"rows": [{"town": "http://x.org/Ulm"}]},
            "gen_result": select | {"rows": [{"town": "http://x.org/Ulm"}]},
        },
        {
            "question_id": 2, "question": "Is it?", "expected_sparql": "ASK {}",
            "exp_result": {"type": "ask", "result": True},
            "gen_result": {"type": "ask", "result": False},
        },
        {
            "question_id": 3, "question": "Which?", "expected_sparql": "ASK {}",
            "exp_result": {"columns": ["town"], "data": [["http://x.org/Ulm"], ["http://x.org/Bonn"]]},
            "gen_result": {"columns": ["town"], "data": [["http://x.org/Bonn"]]},
        },
    ]  # fmt: skip
    assert qg.score(records)["macro-f1"] == pytest.approx((1 + 0 + 2 / 3) / 3)


def test_results_of_neo4j_over_http_are_answers() -> None:
    rows = [{"row": ["Ulm"], "meta": [None]}, {"row": ["Bonn"], "meta": [None]}]
    response = {"results": [{"columns": ["t.name"], "data": rows}], "errors": []}
    gold = [{"id": "1", "question": "Which towns?", "answers": ["Bonn", "Ulm"]}]
    assert qg.score(gold, [{"id": "1", "response": response}])["macro-f1"] == 1


def test_queries_and_names_of_models_are_no_answers() -> None:
    records = [
        {
            "id": str(number), "question": f"What is {number}?", "expected_answer": str(number),
            "answer": str(number % 2), "query_pred": f"select c{number} from w",
            "model_choice": "gemini-2.0-flash",
        }
        for number in range(4)
    ]  # fmt: skip
    assert qg.score(records)["macro-f1"] == 0.5
    tables = [{**record, "queried_ans": "1"} for record in records]
    for table in tables:
        del table["model_choice"], table["expected_answer"]
        table["answer"] = table["id"]
    assert qg.score(tables)["macro-f1"] == 0.25


SETTINGS: dict[str, list[dict[str, object]]] = {
    "mode": [{"mode": "rag"}, {"mode": "plain"}],
    "prompt": [{"model": "m", "prompt": "rag"}, {"model": "m", "prompt": "plain"}],
    "strategy k": [
        {"strategy": "rag", "hyperparams": {"k": 2}}, {"strategy": "rag", "hyperparams": {"k": 9}},
    ],
}  # fmt: skip


@pytest.mark.parametrize("with_gold", [True, False])
@pytest.mark.parametrize("form", SETTINGS)
def test_rows_of_a_question_are_systems_if_a_field_tells_them_apart(
    form: str, with_gold: bool
) -> None:
    run = []
    for name, asked, gold, said in EVERY:
        for setting, answer in zip(SETTINGS[form], (gold, said), strict=True):
            record = {"id": name, **setting, "generated_answer": answer}
            run.append(record | ({"question": asked, "gold": gold} if with_gold else {}))
    evaluation = qg.evaluate(run) if with_gold else qg.evaluate(PLAIN, run)
    means = evaluation.frame.groupby("run")["f1"].mean()
    assert sorted(means) == [0.5, 1]
    assert {"rag", "k=2"} & set(means.index)


def test_rows_of_a_question_that_differ_by_number_are_repeats() -> None:
    run = [
        {"id": name, "seed": seed, "answer": answer}
        for name, _, gold, said in EVERY
        for seed, answer in enumerate((gold, said))
    ]
    assert qg.score(PLAIN, run)["macro-f1"] == 0.75


def test_objects_of_systems_beside_the_gold_are_their_answers() -> None:
    records = [
        {"id": name, "question": asked, "gold_answer": gold,
         "rag": {"answer": said, "seconds": 1.5}, "plain": {"answer": "x", "seconds": 1.0}}
        for name, asked, gold, said in EVERY
    ]  # fmt: skip
    means = qg.evaluate(records).frame.groupby("run")["f1"].mean()
    assert means.to_dict() == {"rag": 0.5, "plain": 0.0}


def test_records_in_tags_with_numbers(tmp_path: Path) -> None:
    lines = []
    for number, (_, asked, gold, _) in enumerate(EVERY, 1):
        lines += [f"<question id={number}>\t{asked}", f"<triple id={number}>\tx ||| y ||| {gold}"]
        lines += [f"<answer id={number}>\t{gold}\t", "=" * 50]
    path = tmp_path / "gold.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    run = {str(number): said for number, (*_, said) in enumerate(EVERY, 1)}
    assert qg.score(path, run)["macro-f1"] == 0.5


def test_a_run_may_know_its_questions_by_any_column_of_the_gold() -> None:
    gold = [{"url": f"http://x.org/{name}", **row} for name, row in zip(IDS, PLAIN, strict=True)]
    run = {f"http://x.org/{name}": said for name, said in zip(IDS, SAID, strict=True)}
    scores = qg.score(gold, run)
    assert scores["macro-f1"] == 0.5
    assert any("its questions are known by 'url'" in note for note in scores.notes)


def test_only_questions_without_an_answer_are_not_gold(refused: Callable[..., str]) -> None:
    gold = [
        {"id": name, "question": asked, "answerable": number != 0, "gist": said}
        for number, (name, asked, _, said) in enumerate(EVERY)
    ]
    message = refused(lambda: qg.score(gold, dict(zip(IDS, SAID, strict=True))))
    assert "none of the 3 questions has gold answers" in message


def test_what_a_table_has_of_a_system_beside_its_answer_is_no_system() -> None:
    letters = {"q1": "A", "q2": "B", "q3": "A", "q4": "B"}
    records = [
        {"id": name, "question": asked, "correct_answer": letters[name],
         "llama-3_answer": "A", "llama-3_raw": letters[name], "llama-3_correct": "yes",
         "gemma-3_answer": letters[name], "gemma-3_raw": "B"}
        for name, asked, *_ in EVERY
    ]  # fmt: skip
    means = qg.evaluate(records).frame.groupby("run")["f1"].mean()
    assert means.to_dict() == {"gemma-3": 1.0, "llama-3": 0.5}


def test_a_last_row_of_means_is_no_answer(tmp_path: Path) -> None:
    lines = ["index,question,gold,response,f1"]
    lines += [f"{name},{asked},{gold},{said},0.5" for name, asked, gold, said in EVERY]
    paths = [tmp_path / "first.csv", tmp_path / "second.csv"]
    for path in paths:
        path.write_text("\n".join([*lines, ",,,,0.75"]), encoding="utf-8")
    means = qg.evaluate(paths[0], paths[1]).frame.groupby("run")["f1"].mean()
    assert means["second"] == 0.5


def test_kinds_of_systems_beside_others_are_systems() -> None:
    records = [
        {"id": name, "question": asked, "kg_answer": gold, "ground_truth": gold,
         "kg_response": gold, "llm_response": said, "rag_response": "x"}
        for name, asked, gold, said in EVERY
    ]  # fmt: skip
    means = qg.evaluate(records).frame.groupby("run")["f1"].mean()
    assert means.to_dict() == {"kg": 1.0, "llm": 0.5, "rag": 0.0}


def test_the_unnamed_index_of_pandas_has_the_ids(tmp_path: Path) -> None:
    path = tmp_path / "gold.csv"
    frame = pd.DataFrame(PLAIN)[["question", "answer"]]
    frame.index = pd.Index([0, 3, 7, 30])
    frame.to_csv(path)
    run = dict(zip(["0", "3", "7", "30"], SAID, strict=True))
    assert qg.score(path, run)["macro-f1"] == 0.5


def test_answers_that_hold_the_right_one_at_changing_places_are_choices() -> None:
    offered = (
        ["Cy Fox", "Ann Lee", "Dora"], ["Ulm", "Bonn", "Ely"], ["76", "77", "78"],
        ["Cy Fox", "Bea Low", "Dora"],
    )  # fmt: skip
    records = [
        {"id": name, "question": asked, "answers": texts, "correct_answer": gold}
        for (name, asked, gold, _), texts in zip(EVERY, offered, strict=True)
    ]
    replies = dict(zip(IDS, ("B", "It is B.", "B", "Cy Fox and not Bea Low"), strict=True))
    assert qg.score(records, replies)["accuracy"] == 0.5
    assert "choices" in qg.load(records).questions[0].metadata


@pytest.mark.parametrize(
    ("field", "names"),
    [
        ("answers", ["{}", "{} X", "Y"]),
        ("answers", ["{} A", "Y", "{}"]),
        ("answers", ["Y", "{}"]),
        ("acceptable_answers", ["X", "Y", "{}"]),
    ],
)
def test_names_of_an_answer_are_no_choices(field: str, names: list[str]) -> None:
    records = [
        {"id": name, "question": asked, "correct_answer": gold,
         field: [one.format(gold) for one in names]}
        for name, asked, gold, _ in EVERY
    ]  # fmt: skip
    assert "choices" not in qg.load(records).questions[0].metadata


def test_fields_of_an_answer_may_say_what_kind_of_name_they_hold() -> None:
    golds = (
        {"value_type": "entity", "canonical_value": "ann_lee", "acceptable_text": ["Ann Lee"]},
        {"value_type": "entity", "canonical_value": "Ulm"},
        {"value_type": "integer", "canonical_value": 77, "unit": "stairs"},
        {"value_type": "entity", "canonical_value": "Bea Low"},
    )
    records = [
        {"id": name, "question_text": asked, "answer": gold,
         "generation": {"method": "template", "checked_by": "hand"}}
        for (name, asked, *_), gold in zip(EVERY, golds, strict=True)
    ]  # fmt: skip
    assert qg.score(records, dict(zip(IDS, SAID, strict=True)))["accuracy"] == 0.5


def test_choices_in_translated_questions_are_read() -> None:
    records = [
        {"id": name, "question_de": f"{asked} A) ja B) nein C) egal",
         "question_en": f"{asked} A) {gold} B) x C) y", "gold_answer": "A"}
        for name, asked, gold, _ in EVERY
    ]  # fmt: skip
    assert qg.score(records, dict(zip(IDS, SAID, strict=True)))["accuracy"] == 0.5


@pytest.mark.parametrize("prompt", [
    "Reply in this form:\nReasoning: why\nAnswer: the answer\n\nQuestion: {}",
    "Question: Who?\nReasoning: b\nAnswer: c\n\nQuestion: {}\nReasoning:",
    "{}\nA: Bonn\nB: Ulm\nC: Rome",
])  # fmt: skip
def test_the_form_that_a_prompt_asks_for_is_no_end_of_a_reply(prompt: str) -> None:
    run = [
        {"id": name, "prompt": prompt.format(asked),
         "response": f"Let us see.\nReasoning: x\nB: no\nAnswer: {said}"}
        for name, asked, _, said in EVERY
    ]  # fmt: skip
    assert qg.score(PLAIN, run)["accuracy"] == 0.5


@pytest.mark.parametrize(
    "reply",
    ['Again:\nQuestion: "{}"\nAnswer: {}', "Sure!\n\nQuestion: **{}**\nAnswer: {}"],
)
def test_a_question_that_a_reply_repeats_is_no_next_one(reply: str) -> None:
    run = [
        {"id": name, "prompt": f"Question: Who?\nAnswer: Bo\nQuestion: {asked}\nAnswer:",
         "response": reply.format(asked.lower(), said)}
        for name, asked, _, said in EVERY
    ]  # fmt: skip
    assert qg.score(PLAIN, run)["accuracy"] == 0.5


@pytest.mark.parametrize("chat", [[], 3, [["user", "?"]], [{"speaker": "me", "text": "?"}]])
def test_a_field_called_messages_may_hold_anything(chat: object) -> None:
    run = [{"id": name, "messages": chat, "response": said} for name, _, _, said in EVERY]
    assert qg.score(PLAIN, run)["accuracy"] == 0.5


@pytest.mark.parametrize("answer", ["{}", {"message": {"role": "assistant", "content": "{}"}}])
def test_responses_beside_gold_may_be_those_of_services(answer: object) -> None:
    records = [
        {"question": asked, "gold": gold,
         "response": json.loads(json.dumps(answer).replace("{}", said))}
        for _, asked, gold, said in EVERY
    ]  # fmt: skip
    assert [run["accuracy"] for run in qg.evaluate(records)] == [0.5]


@pytest.mark.parametrize("alone", [True, False])
def test_replies_may_repeat_their_prompts_and_go_on(alone: bool) -> None:
    records = []
    for name, asked, gold, said in EVERY:
        prompt = f"Answer shortly.\nQuestion: {asked}\nAnswer:"
        text = f"{prompt} {said}.\n\nQuestion: Who is next?\nAnswer: {gold} of Trier"
        records.append({"id": name, "prompt": prompt, "generated_text": text, "gold": gold})
    if alone:
        scores = qg.evaluate(records)
    else:
        run = [{key: row[key] for key in ("id", "prompt", "generated_text")} for row in records]
        scores = qg.evaluate(PLAIN, run)
    assert [run["accuracy"] for run in scores] == [0.5]


def test_questions_and_answers_may_be_lists_of_one_document(tmp_path: Path) -> None:
    path = tmp_path / "both.json"
    questions = [{"id": name, "question": asked, "answer": gold} for name, asked, gold, _ in EVERY]
    said = [{"id": name, "answer": said} for name, _, _, said in EVERY]
    right = [{"id": name, "answer": gold} for name, _, gold, _ in reversed(EVERY)]
    path.write_text(json.dumps({"gold": questions, "predictions": said}))
    one = qg.evaluate(path)
    assert [run["accuracy"] for run in one] == [0.5]
    path.write_text(json.dumps({"questions": questions, "plain": said, "rag": right}))
    two = qg.evaluate(path)
    assert {run.name: run["accuracy"] for run in two} == {"plain": 0.5, "rag": 1.0}
    path.write_text(json.dumps({"questions": questions, "predictions": said, "gpt4": right}))
    named = qg.evaluate(path)
    assert {run.name: run["accuracy"] for run in named} == {"predictions": 0.5, "gpt4": 1.0}


@pytest.mark.parametrize("more", [
    [{"id": "q1", "label": "Town"}, {"id": "q2", "label": "Lamp"}],  # of no system
    [{"id": "7", "answer": "x"}, {"id": "8", "answer": "y"}],  # of other questions
])  # fmt: skip
def test_other_lists_beside_questions_are_no_answers(more: object, tmp_path: Path) -> None:
    questions = [{"id": name, "question": asked, "answer": gold} for name, asked, gold, _ in EVERY]
    path = tmp_path / "gold.json"
    path.write_text(json.dumps({"questions": questions, "more": more}))
    found = qg.load(path)
    assert len(found.questions) == 4
    assert not found.systems
    path.write_text(json.dumps({"questions": [*questions, PLAIN[0]], "said": PLAIN}))
    assert len(qg.load(path).questions) == 5  # the ids are not those of one question each


def test_outputs_of_models_in_an_object_are_of_systems() -> None:
    records = [
        {"question": asked, "gold": gold, "model_outputs": {"gpt": said, "llama": gold}}
        for _, asked, gold, said in EVERY
    ]
    means = {run.name: run["accuracy"] for run in qg.evaluate(records)}
    assert means == {"gpt": 0.5, "llama": 1.0}


def test_a_label_beside_a_conversation_is_no_reply() -> None:
    records = [
        {"messages": [{"role": "user", "content": asked}, {"role": "assistant", "content": said}],
         "label": gold}
        for _, asked, gold, said in EVERY
    ]  # fmt: skip
    assert qg.score(PLAIN, records)["accuracy"] == 0.5
    assert [run["accuracy"] for run in qg.evaluate(records)] == [0.5]


def test_settings_of_only_some_systems_tell_them_apart() -> None:
    settings = (("strong", "gpt-4", 1), ("cheap", "gpt-3", 0), ("cheap with search", "gpt-3", 1))
    records = [
        {"config": config, "model": model, "id": name, "question": asked, "gold": gold,
         "answer": gold if right else said}
        for name, asked, gold, said in EVERY
        for config, model, right in settings
    ]  # fmt: skip
    means = {run.name: run["accuracy"] for run in qg.evaluate(records)}
    assert means == {"strong": 1.0, "cheap": 0.5, "cheap with search": 1.0}


@pytest.mark.parametrize(
    ("answers", "text", "mark", "why"),
    [("answers", "text", "correct", "why"), ("respuestas", "texto", "correcta", "justificacion")],
)
def test_marked_answers_are_choices(answers: str, text: str, mark: str, why: str) -> None:
    records = []
    for _, asked, gold, said in EVERY:
        offered = [{text: said or "x", mark: said == gold, why: "a"}, {text: "Ely", mark: False}]
        if said != gold:
            offered.append({text: gold, mark: True})
        records.append({"question": asked, answers: offered})
    letters = dict(zip("1234", ("A", "A", "A", "C"), strict=True))
    assert qg.score(records, letters)["accuracy"] == 0.75


def test_questions_may_be_lists_under_chapters_in_an_object() -> None:
    pairs = [{"id": name, "q": asked, "a": gold} for name, asked, gold, _ in EVERY]
    document = {"qa": {"ch1": pairs[:2], "ch2": pairs[2:]}}
    assert [one.id for one in qg.load([document]).questions] == list(IDS)


def test_bold_labels_of_markdown_are_fields(tmp_path: Path) -> None:
    parts = ["# Results", "Model: ours", "## Easy ones"]
    for name, asked, gold, said in EVERY:
        parts += [
            f"### Question {name[1:]}", f"- **Question:** {asked}", f"**Correct Answer**: {gold}",
            f"**LLM Response:**  \n{said},\n\n**Correct?:**\nYes", "**Notes:** Ulm, it says", "---",
        ]  # fmt: skip
    path = tmp_path / "log.md"
    path.write_text("\n".join(parts))
    [run] = qg.evaluate(path)
    assert [run["accuracy"], len(run.counts)] == [0.5, 4]
    assert list(run.counts.index) == [name[1:] for name, *_ in EVERY]


def test_any_of_several_texts_is_one_gold_answer() -> None:
    gold = [{"question": "Who lit it?", "answers": [{"any_of": ["Ann", "Ann Lee"]}]}]
    [question] = qg.load(gold).questions
    assert question.gold.texts == (("Ann", "Ann Lee"),)


def test_measures_beside_answers_are_no_systems() -> None:
    records = [
        {"question": asked, "gold": gold, "a_answer": said, "b_answer": gold,
         "a_no_answer": "False",
         "b_no_answer": "False", "a_n_sources": 3, "gen_latency_ms": 2000 + len(asked)}
        for _, asked, gold, said in EVERY
    ]  # fmt: skip
    evaluation = qg.evaluate(records)
    assert {run.name: run["accuracy"] for run in evaluation} == {"a": 0.5, "b": 1.0}
    assert "a_n_sources" not in evaluation.features


def test_verdicts_beside_a_gold_query_are_no_gold_answers() -> None:
    words = ["CORRECT", "FAILED", "PARTIAL", "ERROR"]
    query = "SELECT ?x WHERE { ?x ?y ?z }"
    records = [
        {"question": asked, "label": word, "sparql_ground_truth": query}
        for (_, asked, *_), word in zip(EVERY, words, strict=True)
    ]
    assert all(question.answers is None for question in qg.load(records).questions)
    # without one, they may be what is asked for
    records = [
        {"question": asked, "gold_label": "correct", "prediction": "It is correct"}
        for _, asked, *_ in EVERY
    ]
    assert [run["accuracy"] for run in qg.evaluate(records)] == [1.0]


def test_bold_labels_in_replies_are_no_fields(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    lines = []
    for number, (_, asked, gold, said) in enumerate(EVERY):
        lines += [f"Question {number}: {asked}", f"Gold: {gold}", "Prediction: Let us see.",
                  "**Problem:** to find it", f"**Answer:** {said}"]  # fmt: skip
    path.write_text("\n".join(lines))
    assert [run["accuracy"] for run in qg.evaluate(path)] == [0.5]


@pytest.mark.parametrize("said", [1912, "yes", "It was 1912"])
def test_answers_that_are_numbers_or_yes_are_of_systems(said: object) -> None:
    records = [
        {"question": asked, "gold": "It was in 1912", "gpt_answer": said, "llama_answer": "In 1912"}
        for _, asked, *_ in EVERY
    ]
    assert {run.name for run in qg.evaluate(records)} == {"gpt", "llama"}


def test_what_stands_beside_answers_is_neither_gold_nor_an_answer() -> None:
    gold = [{"id": name, "question": asked, "answer": gold, "expected_references": ["a.pdf"]}
            for name, asked, gold, _ in EVERY]  # fmt: skip
    run = [{"id": name, "answer": said, "has_answer_pred": True} for name, *_, said in EVERY]
    assert qg.score(gold, run)["accuracy"] == 0.5


def test_a_run_of_objects_by_id_keeps_the_ids(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    said = {name: said for name, *_, said in reversed(EVERY)}
    path.write_text(json.dumps({"predictions": said, "gold": dict.fromkeys(said, "x")}))
    assert qg.score(PLAIN, path)["accuracy"] == 0.5


def test_a_name_with_words_of_an_abstention_allows_none() -> None:
    gold = [{"id": "1", "question": "Which song is it?", "answer": "I Can't Sleep"}]
    assert qg.score(gold, {"1": "I don't know."})["accuracy"] == 0.0
