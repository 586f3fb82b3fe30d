"""A folder with a log stands for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_logs import lines_file, lm_eval_line

from qaldgen.answers.reading import read_run
from qaldgen.errors import DataError


def test_a_folder_with_one_log_stands_for_it(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    lines_file(tmp_path / "model" / "samples_towns_2026.jsonl", [lm_eval_line(1), lm_eval_line(2)])

    assert list(read_run(tmp_path).responses) == ["q1", "q2"]


def test_of_several_logs_one_must_be_named(tmp_path: Path) -> None:
    for name in ("a", "b"):
        lines_file(tmp_path / f"samples_{name}.jsonl", [lm_eval_line(1)])

    with pytest.raises(DataError, match=r"2 logs \(samples_a\.jsonl, samples_b\.jsonl\)"):
        read_run(tmp_path)
