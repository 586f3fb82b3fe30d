"""What verbs return can be used as values: in a cell of a table, in a list, in an ``if``."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import qaldgen as qg

GOLD = pd.DataFrame({"id": [str(n) for n in range(12)], "question": "Which?", "answer": "Phobos"})
RIGHT = GOLD[["id", "answer"]]
WRONG = RIGHT.assign(answer=["Phobos"] * 9 + ["Deimos"] * 3)
PILOT = pd.DataFrame({"first": [0.0, 1.0] * 50, "second": [1.0, 1.0] * 50})

RESULTS: dict[str, Callable[[], Any]] = {
    "score": lambda: qg.score(GOLD, WRONG),
    "compare": lambda: qg.compare(GOLD, {"right": RIGHT, "wrong": WRONG}),
    "plan": lambda: qg.plan(PILOT),
    "describe": lambda: qg.describe(qg.annotate(GOLD)),
}


@pytest.mark.parametrize("verb", RESULTS)
def test_results_are_values(verb: str) -> None:
    result = RESULTS[verb]()
    table = pd.DataFrame({"run": ["wrong", "right"]})
    table["result"] = [result, result]
    assert table["result"][1] is result
    assert bool(result)
    assert result != copy.copy(result)
    assert result in {result: 1}
