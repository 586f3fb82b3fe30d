"""Samples as subsets of tasks that exist, and logs as scores on the whole pool."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from calls import skip_without
from click.testing import CliRunner, Result
from made_logs import inspect_log, inspect_sample, json_file, lines_file, lm_eval_line

from qaldgen.analysis.score_files import read_scores
from qaldgen.cli.main import cli
from qaldgen.errors import DataError

SIZE = 60


def called(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(one) for one in arguments])


def model_log(folder: Path, name: str, seed: int) -> Path:
    """Write the log of a model that is right on questions that are easy for all, mostly."""
    place = folder / name
    place.mkdir(parents=True)
    chance = random.Random(seed)
    lines = [
        lm_eval_line(at, "Ulm" if at % 3 and chance.random() < 0.9 else "Bonn")
        for at in range(SIZE)
    ]
    return lines_file(place / "samples_towns_2026-11-01.jsonl", lines)


@pytest.fixture
def logs(tmp_path: Path) -> dict[str, Path]:
    return {name: model_log(tmp_path / "full", name, at) for at, name in enumerate("abc")}


def test_indices_are_those_of_the_task_in_its_order(tmp_path: Path, logs: dict[str, Path]) -> None:
    bench, subset = tmp_path / "bench.ttl", tmp_path / "towns.lm-eval-samples.json"
    found = called("sample", logs["a"], "-m", "lpm", "-n", 20, "-o", bench, "-o", subset)

    assert found.exit_code == 0, found.output
    ((task, indices),) = json.loads(subset.read_text()).items()
    assert task == "towns" and len(set(indices)) == 20 and indices == sorted(indices)
    # a second way to the same file, from the benchmark
    again = tmp_path / "again" / "towns.lm-eval-samples.json"
    again.parent.mkdir()
    assert called("export", bench, "-o", again).exit_code == 0
    assert again.read_bytes() == subset.read_bytes()


def test_without_indices_there_is_nothing_to_write(tmp_path: Path) -> None:
    questions = lines_file(
        tmp_path / "mine.jsonl",
        [{"id": at, "question": f"Which town is {at}?", "answer": "Ulm"} for at in range(20)],
    )
    found = called("sample", questions, "-n", 5, "-o", tmp_path / "x.lm-eval-samples.json")

    assert isinstance(found.exception, DataError)
    assert "sample from a log of lm-eval" in str(found.exception)


def test_ids_are_patterns_that_only_they_fit(tmp_path: Path) -> None:
    names = ["a*b", "q[1]", "x,y", "7"]
    log = json_file(tmp_path / "log.json", inspect_log(*map(inspect_sample, names)))
    ids = tmp_path / "towns.inspect-ids.txt"
    found = called("sample", log, "-m", "random", "-n", 4, "-o", ids)

    assert found.exit_code == 0, found.output
    assert set(ids.read_text().strip().split(",")) == {"a[*]b", "q[[]1]", "x?y", "7"}


def test_a_log_of_the_sample_estimates_the_whole_task(
    tmp_path: Path, logs: dict[str, Path]
) -> None:
    bench = tmp_path / "bench.ttl"
    called("sample", logs["a"], "-m", "lpm", "-n", 20, "-o", bench)
    new = logs["c"].rename(tmp_path / "new.jsonl")
    found = called("score", bench, new, "--match", "logged", "--estimate", "--format", "csv",
        "--others", tmp_path / "full")  # fmt: skip

    assert found.exit_code == 0, found.output
    rows = [line.split(",") for line in found.stdout.splitlines()]
    spread = {row[2]: float(row[5]) - float(row[4]) for row in rows[1:]}
    assert spread["with others"] < spread["sample"]
    assert {row[7] for row in rows[1:]} == {str(SIZE)}


def test_a_folder_of_logs_is_a_table_of_scores(tmp_path: Path, logs: dict[str, Path]) -> None:
    scores = read_scores(tmp_path / "full")

    assert list(scores.columns) == ["a", "b", "c"] and scores.shape == (SIZE, 3)
    assert scores["b"].tolist() == [
        json.loads(line)["exact_match"] for line in logs["b"].read_text().splitlines()
    ]


def test_logs_of_different_questions_are_no_table(tmp_path: Path, logs: dict[str, Path]) -> None:
    lines = logs["b"].read_text().splitlines()
    logs["b"].write_text("\n".join(lines[:50]))

    with pytest.raises(DataError, match="no answer to 10 of the 60 questions"):
        read_scores(tmp_path / "full")


@pytest.mark.parametrize(
    "command",
    [
        ("race", "{bench}", "{full}/a/{name}", "{full}/b/{name}", "--match", "logged"),
        ("gate", "{bench}", "{log}", "--match", "logged", "--baseline", "{full}/b"),
    ],
)
def test_logs_are_pools(tmp_path: Path, logs: dict[str, Path], command: tuple[object, ...]) -> None:
    skip_without(str(command[0]))
    bench, log = tmp_path / "bench.ttl", logs["a"]
    assert called("sample", log, "-m", "lpm", "-n", 40, "-o", bench).exit_code == 0
    places = {"full": tmp_path / "full", "log": log, "bench": bench, "name": log.name}
    found = called(*(str(one).format(**places) for one in command))

    assert found.exit_code in {0, 3, 4} and found.stdout, found.output


def test_lm_eval_asks_the_questions_of_the_sample(tmp_path: Path, logs: dict[str, Path]) -> None:
    pytest.importorskip("lm_eval")
    bench, subset = tmp_path / "bench.ttl", tmp_path / "towns.lm-eval-samples.json"
    called("sample", logs["a"], "-m", "lpm", "-n", 20, "-o", bench, "-o", subset)
    documents = [json.loads(line)["doc"] for line in logs["a"].read_text().splitlines()]
    lines_file(tmp_path / "questions.jsonl", documents)
    (tmp_path / "towns.yaml").write_text(
        "task: towns\ndataset_path: json\ndataset_kwargs:\n  data_files:\n"
        f"    test: {tmp_path / 'questions.jsonl'}\ntest_split: test\n"
        "output_type: generate_until\ndoc_to_text: '{{question}}'\n"
        "doc_to_target: '{{answers[0]}}'\n"
        "metric_list:\n  - metric: exact_match\n"
    )
    subprocess.run(
        [sys.executable, "-m", "lm_eval", "run", "--tasks", "towns", "--include_path", ".",
            "--model", "dummy", "--log_samples", "--output_path", "out", "--samples", subset],
        cwd=tmp_path, check=True, capture_output=True,
    )  # fmt: skip
    (log,) = (tmp_path / "out").rglob("samples_*.jsonl")
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    assert [row["doc_id"] for row in rows] == json.loads(subset.read_text())["towns"]
    assert all(documents[row["doc_id"]] == row["doc"] for row in rows)
