"""Forms in which people publish predictions and gold: the fields are theirs, the content is ours.

Four questions, of which each system answers the first and the third right: accuracy .5.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
    "answers with scores": [
        {"id": name, "predictions": [[said, 0.9], [gold, 0.1]]} for name, _, gold, said in EVERY
    ],
}  # fmt: skip
#: Files that carry questions, gold and predictions.
WHOLE: dict[str, Any] = {
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
