"""Submissions to PolEval as runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from qaldgen.answers.question_matching import match_report
from qaldgen.answers.reading import read_run
from qaldgen.questions.reading import read_questions


def published(shared_data: Path, name: str) -> Path:
    path = shared_data / name
    if not path.is_file():
        pytest.skip(
            f"the published answers are not at {path}; set QALDGEN_TEST_DATA to their folder"
        )
    return path


def test_published_poleval_answers(shared_data: Path) -> None:
    questions = read_questions(published(shared_data, "poleval-2021/dev-0/in.tsv"))
    run = read_run(shared_data / "poleval-2021" / "dev-0" / "out-mt5.tsv", gold=questions)
    assert (run.format, len(run.responses), match_report(run, questions)) == ("lines", 1000, [])
