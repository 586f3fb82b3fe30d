"""The verdict of a log as what counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from made_logs import inspect_log, inspect_sample, json_file, lines_file, lm_eval_line

import qaldgen as qg
from qaldgen.answers.reading import read_run
from qaldgen.benchmark.gold import Gold
from qaldgen.cli.main import cli
from qaldgen.questions.reading import read_questions
from qaldgen.scoring.evaluation import score
from qaldgen.scoring.score import Scores


def scored(folder: Path, *samples: object) -> Scores:
    path = json_file(folder / "log.json", inspect_log(*samples))
    return score(Gold(read_questions(path)), read_run(path), match="logged")


def test_failures_are_wrong_and_what_has_no_score_is_named(tmp_path: Path) -> None:
    found = scored(
        tmp_path, inspect_sample("1"), inspect_sample("2", None), inspect_sample("3", scores={})
    )

    assert found.counts["f1"].to_dict() == {"1": 1.0, "2": 0.0, "3": 0.0}
    assert found.statuses()["not judged"] == 1
    assert any("not judged: 1 of 3 questions (first: 3)" in note for note in found.notes)
    assert any("between 0.3333 and 0.6667" in note for note in found.notes)


def test_no_gold_answers_are_needed(tmp_path: Path) -> None:
    found = scored(tmp_path, inspect_sample("1", target=""), inspect_sample("2", "Bonn", target=""))

    assert found.counts["f1"].tolist() == [1.0, 0.0]
    assert not any("gold" in note for note in found.notes)


def test_of_several_scores_the_one_that_counts_is_told(tmp_path: Path) -> None:
    found = scored(tmp_path, inspect_sample("1", scores={"a": {"value": 1}, "b": {"value": 0}}))

    assert any("(a, b), a counts" in note for note in found.notes)


def table(*logs: Path) -> dict[str, list[str]]:
    """Return the rows that score prints, by their first column."""
    found = CliRunner().invoke(cli, ["score", *map(str, logs), "--format", "markdown"])
    assert found.exit_code == 0, found.output
    rows = [line.strip("| ").split("|") for line in found.stdout.splitlines()]
    return {row[0].strip(): [cell.strip() for cell in row[1:]] for row in rows}


def test_the_score_of_lm_eval_stands_beside_ours_under_its_name(tmp_path: Path) -> None:
    # ours takes both for right, and exact_match only the first
    replies = [("Ulm", 1.0), ("It is Ulm.", 0.0), ("Bonn", 0.0), ("The city of Ulm", 0.0)]
    lines = [lm_eval_line(at, text, exact_match=one) for at, (text, one) in enumerate(replies)]
    rows = table(lines_file(tmp_path / "samples_towns.jsonl", lines))
    assert rows["exact_match (stated)"] == ["0.2500"]
    assert rows["Accuracy"][0].startswith("0.7500")


def test_each_filter_has_its_score_as_lm_eval_prints_it(tmp_path: Path) -> None:
    said = {"strict": [1.0, 0.0, 0.0], "flexible": [1.0, 1.0, 0.0]}
    lines = [
        lm_eval_line(at, f"Ulm{name}", filter=name, exact_match=values[at])
        for name, values in said.items()
        for at in range(3)
    ]
    path = lines_file(tmp_path / "samples_towns.jsonl", lines)
    rows = table(path)
    assert rows["exact_match,strict (stated)"] == ["0.3333"]
    assert rows["exact_match,flexible (stated)"] == ["0.6667"]
    call = ["score", str(path), "--filter", "flexible", "--format", "json"]
    found = CliRunner().invoke(cli, call)
    values = {row["measure"]: row["value"] for row in json.loads(found.stdout)}
    assert values["logged:exact_match"] == pytest.approx(2 / 3)


def test_scorers_of_inspect_ai_are_over_the_samples_that_they_scored(tmp_path: Path) -> None:
    both = {"match": {"value": "C"}, "graded": {"value": "P"}, "tokens": {"value": 340}}
    samples = [inspect_sample("1", scores=both), inspect_sample("2", scores={})]
    rows = table(json_file(tmp_path / "log.json", inspect_log(*samples)))
    assert rows["match (stated)"] == ["1.0000 (of 1)"]
    assert rows["graded (stated)"] == ["0.5000 (of 1)"]
    assert "tokens (stated)" not in rows


def test_the_numbers_are_those_that_lm_eval_wrote(shared_data: Path) -> None:
    folder = shared_data / "llm-logs" / "lm-eval"
    if not folder.is_dir():
        pytest.skip(f"no logs at {folder}")
    results = json.loads((folder / "results_chat.json").read_text(encoding="utf-8"))["results"]
    plain, filtered = (
        table(folder / f"samples_qald_ex_{name}_chat.jsonl") for name in ("plain", "filtered")
    )
    own = results["qald_ex_plain"]["exact_match,none"]
    assert plain["exact_match (stated)"] == [f"{own:.4f}"]
    for name in ("strict", "extract"):
        own = results["qald_ex_filtered"][f"exact_match,{name}"]
        assert filtered[f"exact_match,{name} (stated)"] == [f"{own:.4f}"]


def test_a_run_without_a_log_has_a_dash_beside_one_with(tmp_path: Path) -> None:
    log = lines_file(tmp_path / "samples.jsonl", [lm_eval_line(at) for at in range(3)])
    other = tmp_path / "other.csv"
    other.write_text("id,answer\nq0,Ulm\nq1,Bonn\nq2,Ulm\n", encoding="utf-8")
    assert table(log, log, other)["exact_match (stated)"] == ["1.0000", "-"]


def test_a_score_beyond_all_numbers_is_none(tmp_path: Path) -> None:
    lines = [lm_eval_line(1, exact_match=10**400), lm_eval_line(2)]
    responses = read_run(lines_file(tmp_path / "samples_x.jsonl", lines)).responses
    assert [one.verdicts for one in responses.values()] == [(), (("exact_match", 1.0),)]


def test_compare_and_report_show_the_scores_of_the_logs_beside_ours(tmp_path: Path) -> None:
    paths = []
    for name, wrong in (("mine", 1), ("other", 3)):
        samples = [inspect_sample(f"{n}", "Ulm" if n > wrong else "Bonn") for n in range(1, 9)]
        paths.append(json_file(tmp_path / f"{name}.json", inspect_log(*samples)))
    compared = qg.compare(paths[0], paths)
    line = "mine has match 0.875 of 8 questions; other has match 0.625 of 8 questions"
    assert any(line in note for note in compared.notes)
    assert any(line in finding for finding in qg.report(paths[0], paths).findings.overall)
