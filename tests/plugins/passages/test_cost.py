"""What it costs to judge passages."""

from __future__ import annotations

import pytest

from qaldgen.model import Question
from qaldgen.plugins.passages.collection import Passage
from qaldgen.plugins.passages.passage_sheets import Candidate, PassageSheet


def sheet(n_questions: int, passages_each: int) -> PassageSheet:
    pairs = [
        Candidate(Question(f"q{asked}", {}), Passage(f"p{found}", "", ""))
        for asked in range(n_questions)
        for found in range(passages_each)
    ]
    return PassageSheet(tuple(pairs), "bm25", "pl")


def test_the_time_of_the_efficient_strategy_follows_from_tables_1_and_4_of_polqa() -> None:
    # 35,000 passages of 7,000 questions, 13.6 s each
    assert sheet(70, 5).cost().seconds == pytest.approx(68.0)


def test_other_seconds_are_reckoned_alike() -> None:
    own = sheet(10, 3).cost(10.0)
    assert own.seconds == 30.0
    assert own.arithmetic == "30/10 * 10 = 30.0"


def test_a_worksheet_without_a_question_costs_nothing() -> None:
    assert sheet(0, 0).cost().seconds == 0.0
