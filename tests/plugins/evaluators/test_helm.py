"""Files of HELM on single instances."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from made_logs import json_file

from qaldgen.answers.reading import read_run
from qaldgen.errors import DataError, UsageError
from qaldgen.questions.reading import read_questions

TYPOS = {"name": "typos"}


def prediction(name: str = "id1", trial: int = 0, **other: object) -> dict[str, Any]:
    return {
        "instance_id": name,
        "train_trial_index": trial,
        "predicted_text": " A",
        "stats": {"exact_match": 1.0},
    } | other


def instance(name: str = "id1", **other: object) -> dict[str, Any]:
    references = [
        {"output": {"text": "tea"}, "tags": ["correct"]},
        {"output": {"text": "coffee"}, "tags": []},
    ]
    return {
        "id": name,
        "split": "test",
        "input": {"text": "Question: What is drunk?"},
        "references": references,
    } | other


def helm_run(
    folder: Path, predictions: list[dict[str, Any]], instances: list[dict[str, Any]]
) -> Path:
    json_file(folder / "display_predictions.json", predictions)
    json_file(folder / "instances.json", instances)
    return folder


def state(name: str = "id1", text: str | None = "tea", **other: object) -> dict[str, Any]:
    result = (
        {"success": True, "completions": [{"text": text}], "request_time": 0.5}
        if text is not None
        else {"success": False, "error": "gone"}
    )
    return {"instance": instance(name), "train_trial_index": 0, "result": result} | other


def test_predictions_and_instances_in_a_folder_are_a_run_and_its_gold(tmp_path: Path) -> None:
    folder = helm_run(tmp_path, [prediction(mapped_output="tea")], [instance()])

    run, (question,) = read_run(folder), read_questions(folder).questions

    assert run.format == "helm" and run.responses["id1"].answers.values() == ["tea"]  # type: ignore[union-attr]
    assert run.responses["id1"].verdicts == (("exact_match", 1.0),)
    assert (
        question.text() == "What is drunk?"
        and question.answers.values() == ["tea"]  # type: ignore[union-attr]
        and question.split == "test"
    )


def test_the_letter_itself_is_raw(tmp_path: Path) -> None:
    folder = helm_run(tmp_path, [prediction(mapped_output="tea")], [instance()])

    assert read_run(folder, filter="raw").responses["id1"].answers.values() == ["A"]  # type: ignore[union-attr]
    with pytest.raises(UsageError, match="has no filter 'other'"):
        read_run(folder, filter="other")


def test_perturbed_instances_are_left_out_and_counted(tmp_path: Path) -> None:
    predictions = [prediction(), prediction(perturbation=TYPOS, predicted_text="no")]
    folder = helm_run(
        tmp_path, predictions, [instance(), instance(perturbation=TYPOS, input={"text": "Waht?"})]
    )

    run = read_run(folder)

    assert run.responses["id1"].answers.values() == ["A"] and not run.repeats  # type: ignore[union-attr]
    assert any("1 of 2 predictions are on perturbed instances" in note for note in run.notes)
    assert [one.text() for one in read_questions(folder).questions] == ["What is drunk?"]


def test_trials_are_repeats(tmp_path: Path) -> None:
    run = read_run(helm_run(tmp_path, [prediction(), prediction(trial=1)], [instance()]))

    assert len(run.repeats["id1"]) == 2


def test_without_instances_there_is_a_run_and_no_gold(tmp_path: Path) -> None:
    path = json_file(tmp_path / "display_predictions.json", [prediction()])

    run = read_run(path)

    assert list(run.responses) == ["id1"] and any("instances.json" in note for note in run.notes)
    assert read_questions(path).questions == ()


def test_the_whole_state_has_everything_and_failures(tmp_path: Path) -> None:
    path = json_file(
        tmp_path / "scenario_state.json",
        {"adapter_spec": {}, "request_states": [state(), state("id2", None)]},
    )

    run = read_run(path)

    assert [one.status for one in run.responses.values()] == ["answered", "failed"]
    assert run.responses["id1"].seconds == 0.5 and run.responses["id2"].error == "gone"
    assert len(read_questions(path).questions) == 2


def test_letters_are_mapped_in_the_whole_state(tmp_path: Path) -> None:
    states = [state(text=" A", output_mapping={"A": "tea", "B": "coffee"})]
    path = json_file(
        tmp_path / "scenario_state.json", {"adapter_spec": {}, "request_states": states}
    )

    assert read_run(path).responses["id1"].answers.values() == ["tea"]  # type: ignore[union-attr]


def test_a_request_for_each_choice_is_refused(tmp_path: Path) -> None:
    path = json_file(
        tmp_path / "scenario_state.json",
        {"adapter_spec": {}, "request_states": [state(reference_index=0)]},
    )

    with pytest.raises(DataError, match=r"display_predictions\.json"):
        read_run(path)


def test_scores_alone_are_refused(tmp_path: Path) -> None:
    path = json_file(
        tmp_path / "per_instance_stats.json",
        [{"instance_id": "id1", "train_trial_index": 0, "stats": []}],
    )

    with pytest.raises(DataError, match="scores and no answers"):
        read_run(path)
