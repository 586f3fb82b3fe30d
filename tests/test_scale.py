"""Ways that are quick on large data give what the thorough ways give."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from pyoxigraph import Store

from qaldgen.answers.reading import read_run
from qaldgen.model import Answers, Cell, Question, QuestionSet
from qaldgen.questions.reading import read_questions
from qaldgen.questions.results_json import answers_from_rows, merge_answers
from qaldgen.rdf.terms import Rows
from qaldgen.selection import select as selection
from qaldgen.stores.local import LocalStore, evaluate


def test_rows_with_one_variable_skip_those_without_a_value() -> None:
    cell = Cell("literal", "5")
    assert answers_from_rows([{"x": cell}, {}], ["y", "x"]) == Answers(
        variables=("x",), rows=((cell,),)
    )


def test_merging_one_part_changes_nothing() -> None:
    part = Answers(variables=("x",), rows=((Cell("literal", "5"),),))
    assert merge_answers([part]) == part


QALD = """{"questions": [
 {"id": "1", "question": [{"language": "en", "string": "Is it wet?"}],
  "answers": [{"head": {}, "boolean": true}], "query": {}},
 {"id": "2", "question": [{"language": "en", "string": "Is it dry?"}],
  "answers": [{"head": {}, "boolean": false}], "query": {}}
]}"""


def test_half_a_surrogate_pair_is_found_in_gold_too(tmp_path: Path, refused: object) -> None:
    path = tmp_path / "gold.json"
    path.write_text(QALD.replace("Is it wet?", "Is it \\ud83d wet?"))
    assert "unpaired surrogate" in refused(lambda: read_questions(path))  # type: ignore[operator]


@pytest.mark.parametrize("text", ["Is it wet?", "IS IT WET", "Who?", ""])
def test_runs_with_the_ids_of_the_gold_keep_them(text: str, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(QALD.replace("Is it wet?", text))
    questions = (Question("1", {"en": ("Is it wet?",)}), Question("2", {"en": ("Is it dry?",)}))
    assert list(read_run(path, gold=QuestionSet("set", "table", questions)).responses) == ["1", "2"]


def test_equal_terms_of_an_answer_are_one_object() -> None:
    store = Store()
    store.update('INSERT DATA { <urn:a> <urn:p> "v" . <urn:b> <urn:p> "v" }')
    rows = evaluate(store, "SELECT ?q ?v { ?q <urn:p> ?v }", named_graphs=False)
    assert isinstance(rows, Rows)
    assert rows.rows[0][1] is rows.rows[1][1]


def test_selecting_asks_the_query_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "data.ttl"
    path.write_text("<urn:a> <urn:p> 1 . <urn:b> <urn:p> 2 .")
    asked: list[str] = []
    real = copy.copy(LocalStore.select)

    def select(self: LocalStore, query: str) -> Rows:
        asked.append(query)
        return real(self, query)

    monkeypatch.setattr(LocalStore, "select", select)
    query = "SELECT ?q ?v { ?q <urn:p> ?v }"
    selection.select(path, query)
    assert asked.count(query) == 1
