"""A log alone on the command line, and benchmarks written for other evaluators."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from made_logs import (
    eval_file,
    eval_members,
    inspect_log,
    inspect_sample,
    json_file,
    lines_file,
    lm_eval_line,
)

from qaldgen.cli.main import cli
from qaldgen.errors import UsageError

ROOT = Path(__file__).resolve().parents[3]


def called(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(one) for one in arguments])


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return lines_file(
        tmp_path / "samples_towns.jsonl",
        [lm_eval_line(at, "Ulm" if at % 2 else "Bonn") for at in range(50)],
    )


def test_score_needs_nothing_but_a_log(log: Path) -> None:
    found = called("score", log, "--match", "contains", "--measure", "accuracy", "--format", "csv")

    assert found.exit_code == 0 and ",0.5," in found.stdout


def test_slices_need_nothing_but_a_log(log: Path) -> None:
    found = called("slices", log, "--match", "contains")

    assert found.exit_code == 0, found.output
    assert "No kind of question stands out" in found.stderr


def test_a_report_needs_nothing_but_a_log(log: Path, tmp_path: Path) -> None:
    found = called("report", log, "--match", "contains", "-o", tmp_path / "report.md")

    assert found.exit_code == 0, found.output
    assert "samples_towns" in (tmp_path / "report.md").read_text()


def test_a_log_may_come_through_a_pipe(tmp_path: Path) -> None:
    path = eval_file(tmp_path / "log.eval", eval_members(*(inspect_sample(at) for at in range(3))))
    call = [
        sys.executable,
        "-m",
        "qaldgen",
        "score",
        "-",
        "--match",
        "exact",
        "--measure",
        "accuracy",
        "--format",
        "csv",
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    with path.open("rb") as stream:
        found = subprocess.run(
            call, stdin=stream, capture_output=True, text=True, env=environment, check=False
        )
    piped = subprocess.run(
        call, input=path.read_bytes(), capture_output=True, env=environment, check=False
    )

    assert ",1.0," in found.stdout and found.stdout == piped.stdout.decode(), found.stderr


@pytest.mark.parametrize("verb", ["score", "slices"])
def test_questions_alone_are_not_their_own_perfect_run(verb: str) -> None:
    found = called(verb, ROOT / "examples/questions.json")

    assert isinstance(found.exception, UsageError) and "name a run too" in str(found.exception)


def test_two_logs_are_compared_by_naming_the_first_twice(log: Path, tmp_path: Path) -> None:
    other = lines_file(tmp_path / "samples_other.jsonl", [lm_eval_line(at) for at in range(50)])

    found = called("compare", log, log, other, "--match", "contains")

    assert found.exit_code == 0, found.output
    assert "samples_other" in found.stdout


def test_a_filter_of_what_is_no_log_is_refused(tmp_path: Path) -> None:
    run = json_file(tmp_path / "run.json", {"1": "a"})

    found = called("score", ROOT / "examples/questions.json", run, "--filter", "strict")

    assert isinstance(found.exception, UsageError) and "leave 'strict' out" in str(found.exception)


def test_the_verdict_of_a_scorer_is_named_by_filter(tmp_path: Path) -> None:
    scores = {"match": {"value": "C"}, "judge": {"value": "I"}}
    path = json_file(
        tmp_path / "log.json", inspect_log(*(inspect_sample(at, scores=scores) for at in range(3)))
    )

    found = called(
        "score",
        path,
        "--match",
        "logged",
        "--filter",
        "judge",
        "--measure",
        "accuracy",
        "--format",
        "csv",
    )

    assert found.exit_code == 0 and ",0.0," in found.stdout
