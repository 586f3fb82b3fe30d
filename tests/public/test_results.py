"""What verbs return can be used as values: in a cell of a table, in a list, in an ``if``."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import qaldgen as qg

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
GOLD = pd.DataFrame({"id": [str(n) for n in range(12)], "question": "Which?", "answer": "Phobos"})
RIGHT = GOLD[["id", "answer"]]
WRONG = RIGHT.assign(answer=["Phobos"] * 9 + ["Deimos"] * 3)
PILOT = pd.DataFrame({"first": [0.0, 1.0] * 50, "second": [1.0, 1.0] * 50})

#: Results that hold tables: each equals only itself.
TABLES: dict[str, Callable[[], Any]] = {
    "score": lambda: qg.score(GOLD, WRONG),
    "compare": lambda: qg.compare(GOLD, {"right": RIGHT, "wrong": WRONG}),
    "plan": lambda: qg.plan(PILOT),
    "describe": lambda: qg.describe(qg.annotate(GOLD)),
    "select": lambda: qg.select(GOLD),
}
#: Results that equal others with the same content.
VALUES: dict[str, Callable[[], Any]] = {
    "load": lambda: qg.load(GOLD),
    "read_run": lambda: qg.read_run(RIGHT),
    "annotate": lambda: qg.annotate(GOLD),
    "sample": lambda: qg.sample(GOLD, 5, method="lpm"),
    "slices": lambda: qg.slices(GOLD, WRONG),
    "System": lambda: qg.System("http://localhost:1", options={"top": 1}),
    "Chat": lambda: qg.Chat("model", options={"seed": 1}),
    "Question": lambda: qg.load(GOLD).questions[0],
}


@pytest.mark.parametrize("verb", TABLES)
def test_results_are_values(verb: str) -> None:
    result = TABLES[verb]()
    table = pd.DataFrame({"run": ["wrong", "right"]})
    table["result"] = [result, result]
    assert table["result"][1] is result
    assert bool(result)
    assert result != copy.copy(result)
    assert result in {result: 1}
    assert str(pickle.loads(pickle.dumps(result))) == str(result)


@pytest.mark.parametrize("verb", VALUES)
def test_results_of_the_same_content_are_equal(verb: str) -> None:
    result = VALUES[verb]()
    for other in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert other == result
        assert other in {result: 1}


def test_selected_questions_are_pickled_with_their_data() -> None:
    table = qg.select(EXAMPLES / "features.ttl", "text")
    again = pickle.loads(pickle.dumps(table))
    assert again.source.sha256 == table.source.sha256  # type: ignore[union-attr]
    first, second = (qg.sample(vectors, 5, method="lpm") for vectors in (table, again))
    assert first == second


@pytest.mark.parametrize("verb", ["describe", "compare", "plan", "score"])
def test_notebooks_show_tables(verb: str) -> None:
    assert "<table" in TABLES[verb]()._repr_html_()
