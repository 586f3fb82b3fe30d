"""``describe`` over question sets: several DATA."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result

import qaldgen as qg
from qaldgen.cli.main import cli

#: Two splits in PolEval's files: questions, and answers with their variants.


def call(*words: str) -> Result:
    return CliRunner().invoke(cli, ["describe", *words], env={"COLUMNS": "200"})


def table(found: Result) -> pd.DataFrame:
    assert found.exit_code == 0, found.output
    return pd.DataFrame(json.loads(found.stdout)).set_index("")


@pytest.mark.parametrize(("words", "message"), [
    (("-e", "http://localhost/x", "--lang", "pl"), "have no effect on an endpoint"),
    (("--table", "sets"), "name them"),
    (("x.json", "y.json", "--verbose"), "leave out --endpoint and --verbose"),
    (("x.json", "y.json", "--endpoint", "http://localhost/"), "choose one data source"),
])  # fmt: skip
def test_wrong_calls_are_refused(words: Sequence[str], message: str) -> None:
    found = call(*words)
    assert isinstance(found.exception, (qg.UsageError, qg.DataError)) or found.exit_code == 2
    assert message in str(found.exception) + found.output


def test_one_set_is_read_as_the_options_say(tmp_path: Path) -> None:
    path = tmp_path / "set.json"
    path.write_text(json.dumps([{"question": "Gdzie jest Ulm?", "answers": ["Ulm"]}]))
    assert "languages: pl (1)" in call(str(path), "--lang", "pl").output
    assert "languages: en (1)" in call(str(path)).output


def test_a_name_with_a_colon_does_not_make_records_rdf(tmp_path: Path) -> None:
    path = tmp_path / "set.json"
    path.write_text(
        json.dumps([{"dc:title": "x", "question": "Where is Ulm?", "answers": ["Ulm"]}])
    )
    assert "1 question in" in call(str(path)).output


def test_several_sets_stand_side_by_side(tmp_path: Path) -> None:
    for name, texts in {"one": ["Who burned the mill?", "Where?"], "two": ["Where?"]}.items():
        rows = [{"question": text, "answers": ["Ada"]} for text in texts]
        (tmp_path / f"{name}.json").write_text(json.dumps(rows), encoding="utf-8")
    found = call(str(tmp_path / "one.json"), str(tmp_path / "two.json"), "--format", "json")
    shown = table(found)
    assert shown.columns.tolist() == ["one", "two", "all"]
    assert list(shown.loc["Questions"]) == [2, 1, 3]
    assert "texts that occur more than once: 1" in found.stderr


def test_an_unknown_table_is_refused() -> None:
    found = call("x.json", "--table", "stes")
    assert "did you mean sets" in str(found.exception)
