"""What it costs to annotate passages.

PolQA's Table 6 from its Tables 1 and 4, and other numbers.
"""

from __future__ import annotations

import pytest

from qaldgen.plugins.passages.annotation_cost import STRATEGIES, Seconds, cost, cost_table


def test_the_times_of_polqa_follow_from_its_tables() -> None:
    # Table 1: 24,180 found and 35,000 retrieved passages of 7,000 questions; Table 4: 75.5 s and
    # 13.6 s a pair
    standard, efficient = (cost(*pairs) for pairs in STRATEGIES.values())
    assert standard.seconds == pytest.approx(24_180 / 7_000 * (75.5 + 13.6) + 5 * 13.6)
    assert (round(standard.seconds), round(efficient.seconds)) == (376, 68)
    assert round(cost_table()["saved"].iloc[1] * 100) == 82


def test_other_seconds_and_numbers_are_reckoned_alike() -> None:
    own = cost(10, 20, 30, Seconds(search=60.0, verify=10.0))
    assert own.seconds == 2 * 70 + 3 * 10
    assert own.arithmetic == "20/10 * (60 + 10) + 30/10 * 10 = 170.0"


def test_a_worksheet_without_a_question_costs_nothing() -> None:
    assert cost(0, 0, 0).seconds == 0.0
