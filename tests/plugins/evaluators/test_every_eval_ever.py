"""Instance records of Every Eval Ever, read and written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from made_logs import lines_file

from qaldgen.answers.reading import read_run
from qaldgen.cli.main import cli
from qaldgen.errors import DataError
from qaldgen.questions.reading import read_questions


def record(name: str, reply: str = "Ulm", metric: str = "match", **other: object) -> dict[str, Any]:
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "towns/x_y/1",
        "model_id": "x/y",
        "evaluation_name": metric,
        "sample_id": name,
        "interaction_type": "single_turn",
        "input": {"raw": f"Which town is {name}?", "reference": ["Ulm", "Ulm (town)"]},
        "output": {"raw": [reply]},
        "messages": None,
        "answer_attribution": [
            {"turn_idx": 0, "source": "output.raw", "extracted_value": reply.lower(),
             "extraction_method": "lower", "is_terminal": True}
        ],
        "evaluation": {"score": float(reply == "Ulm"), "is_correct": reply == "Ulm"},
        "error": None,
        **other,
    }  # fmt: skip


def test_a_record_is_a_question_and_an_answer(tmp_path: Path) -> None:
    path = lines_file(tmp_path / "a_samples.jsonl", [record("1"), record("2", "Bonn")])
    run, questions = read_run(path), read_questions(path)

    assert questions.format == run.format == "every-eval-ever"
    first = questions.questions[0]
    assert first.text("en") == "Which town is 1?" and first.answers is not None
    assert first.answers.texts == (("Ulm", "Ulm (town)"),)
    said = run.responses["2"]
    assert said.answers is not None and said.answers.texts == (("Bonn",),)
    assert said.verdicts == (("match", 0.0),)


def test_records_of_further_scores_are_no_further_tries(tmp_path: Path) -> None:
    rows = [record("1"), record("1", metric="judge"), record("2"), record("2")]
    run = read_run(lines_file(tmp_path / "a_samples.jsonl", rows), filter="judge")

    assert [name for name, _ in run.responses["1"].verdicts] == ["judge", "match"]
    assert {name: len(tries) for name, tries in run.repeats.items()} == {"2": 2}


def test_the_extracted_value_is_read_by_its_method(tmp_path: Path) -> None:
    run = read_run(lines_file(tmp_path / "a_samples.jsonl", [record("1")]), filter="lower")

    answers = run.responses["1"].answers
    assert answers is not None and answers.texts == (("ulm",),)


def test_the_last_message_of_a_conversation_is_the_answer(tmp_path: Path) -> None:
    said = [{"turn_idx": 0, "role": "assistant", "content": "Let me look."},
            {"turn_idx": 1, "role": "assistant", "content": "Ulm"}]  # fmt: skip
    row = record("1", output=None, messages=said, interaction_type="agentic")
    answers = read_run(lines_file(tmp_path / "a.jsonl", [row])).responses["1"].answers

    assert answers is not None and answers.texts == (("Ulm",),)


def test_an_error_without_an_answer_is_a_failure(tmp_path: Path) -> None:
    rows = [record("1", "", error="timeout after 30 s"), record("2", "", error="refused")]
    run = read_run(lines_file(tmp_path / "a.jsonl", rows))

    assert [one.status for one in run.responses.values()] == ["timeout", "failed"]


def test_two_models_are_two_runs(tmp_path: Path) -> None:
    rows = [record("1"), record("1", model_id="x/z")]

    with pytest.raises(DataError, match="2 models"):
        read_run(lines_file(tmp_path / "a.jsonl", rows))


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """Write the records of a run that is right on two of three questions."""
    asked = [{"id": at, "question": f"Which town is {at}?", "answer": "Ulm"} for at in range(3)]
    gold = lines_file(tmp_path / "gold.jsonl", asked)
    given = [{"id": 0, "answer": "Ulm"}, {"id": 1, "answer": "Bonn"}, {"id": 2, "answer": "Ulm"}]
    path = tmp_path / "out_samples.jsonl"
    run = lines_file(tmp_path / "run.jsonl", given)
    form = ["--format", "every-eval-ever", "--model", "x/y", "-o", str(path)]
    found = CliRunner().invoke(cli, ["score", str(gold), str(run), "--match", "contains", *form])
    assert found.exit_code == 0, found.output
    return path


def test_what_is_written_is_read_back(written: Path) -> None:
    verdicts = [one.verdicts[0][1] for one in read_run(written).responses.values()]

    assert verdicts == [1.0, 0.0, 1.0]
    assert {json.loads(line)["model_id"] for line in written.read_text().splitlines()} == {"x/y"}


def test_what_is_written_is_what_the_package_takes(written: Path) -> None:
    types = pytest.importorskip(
        "every_eval_ever.instance_level_types",
        reason="every_eval_ever is not installed; it needs Python 3.12",
    )
    for line in written.read_text().splitlines():
        types.InstanceLevelEvaluationLog.model_validate_json(line)


def test_a_run_is_called_as_the_records_say_unless_two_say_the_same(
    written: Path, tmp_path: Path
) -> None:
    def names(*runs: Path) -> list[str]:
        call = ["score", str(runs[0]), *map(str, runs), "--match", "logged", "--format", "json"]
        done = CliRunner().invoke(cli, call, catch_exceptions=False)
        return list(dict.fromkeys(row["run"] for row in json.loads(done.stdout)))

    assert names(written) == ["x/y"]
    other = tmp_path / "other_samples.jsonl"
    other.write_text(written.read_text())
    assert names(written, other) == ["out_samples", "other_samples"]
