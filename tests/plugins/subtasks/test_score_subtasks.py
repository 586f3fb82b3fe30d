"""``score --subtasks`` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from calls import Call
from sink import listening

from qaldgen.plugins.subtasks import query_markings

QUERY = "SELECT ?x { <http://x.org/a> <http://x.org/b> ?x }"
DEEP = "ASK { " + "FILTER(" + "!" * 3_000 + "true) }"


def write(path: Path, queries: dict[str, str]) -> Path:
    """Write questions without gold answers, or answers with queries alone."""
    asked = [
        {
            "id": name,
            "question": [{"language": "en", "string": f"Who is {name}?"}],
            "query": {"sparql": query},
        }
        for name, query in queries.items()
    ]
    path.write_text(json.dumps({"questions": asked}), encoding="utf-8")
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    """Two questions."""
    return write(tmp_path / "gold.json", {"1": QUERY, "2": QUERY})


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """Two systems, the second of which asks for something else."""
    other = QUERY.replace("org/b", "org/c")
    return [
        write(tmp_path / "mine.json", {"1": QUERY, "2": QUERY}),
        write(tmp_path / "other.json", {"1": other, "2": other}),
    ]


def test_queries_are_compared_though_no_question_has_gold_answers(
    gold: Path, runs: list[Path], call: Call
) -> None:
    said = call("score", gold, *runs, "--subtasks", "--format", "json")
    assert said.code == 0, said.err
    values = {
        row["run"]: row["value"]
        for row in json.loads(said.out)
        if (row["experiment"], row["measure"]) == ("RE2KB", "Micro F1 score")
    }
    assert values == {"mine": 1.0, "other": 0.0}


def test_people_get_a_column_for_each_run(gold: Path, runs: list[Path], call: Call) -> None:
    said = call("score", gold, *runs, "--subtasks")
    assert said.out.split("\n")[0].split() == ["experiment", "measure", "mine", "other"]
    assert "queries compared as GERBIL does, 2 questions" in said.err


@pytest.mark.parametrize("other", [["-q"], ["--by", "answerType"], ["--estimate"]])
def test_another_table_is_refused(
    gold: Path, runs: list[Path], call: Call, other: list[str]
) -> None:
    said = call("score", gold, *runs, "--subtasks", *other)
    assert said.code == 2
    assert "--subtasks and " in said.err
    assert "select different tables" in said.err


def test_a_query_that_is_too_deep_ends_no_process(runs: list[Path], call: Call) -> None:
    gold = write(runs[0].with_name("deep.json"), {"1": DEEP, "2": QUERY})
    assert call("score", gold, *runs, "--subtasks").code == 0


def test_calls_of_services_are_read_and_not_made() -> None:
    with listening() as sink:
        query_markings(f"SELECT * {{ SERVICE <{sink.url}> {{ ?s <urn:p> ?o }} }}")
        assert sink.connections == 0
