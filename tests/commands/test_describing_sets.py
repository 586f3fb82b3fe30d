"""``describe`` over question sets: several DATA, taxonomy, passages, and printed percentages."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from click.testing import CliRunner, Result

import qaldgen as qg
from qaldgen.commands.cli import cli

POLQA = Path(__file__).parents[1] / "data" / "formats" / "polqa.csv"
#: Two splits in PolEval's files: questions, and answers with their variants.
SPLITS = {
    "one": [
        ("Kto zbudował młyn w Ulm?", "Jan Kowal\tKowal"),
        ("Czy młyn stoi nad stawem?", "tak"),
        ("Ile kół ma młyn?", "2\tdwa"),
    ],
    "two": [("Kto zbudował młyn w Ulm?", "Jan Kowal"), ("Dokończ: młyn stoi nad …", "stawem")],
}


def call(*words: str) -> Result:
    return CliRunner().invoke(cli, ["describe", *words], env={"COLUMNS": "200"})


@pytest.fixture
def splits(tmp_path: Path) -> list[str]:
    for name, rows in SPLITS.items():
        folder = tmp_path / name
        folder.mkdir()
        (folder / "in.tsv").write_text(
            "".join(f"{question}\n" for question, _ in rows), encoding="utf-8"
        )
        (folder / "expected.tsv").write_text(
            "".join(f"{answer}\n" for _, answer in rows), encoding="utf-8"
        )
    return [str(tmp_path / name) for name in SPLITS]


def table(found: Result) -> pd.DataFrame:
    assert found.exit_code == 0, found.output
    return pd.DataFrame(json.loads(found.stdout)).set_index("")


def test_several_sets_stand_side_by_side(splits: list[str]) -> None:
    found = call(*splits, "--lang", "pl", "--format", "json")
    shown = table(found)
    assert shown.columns.tolist() == ["one", "two", "all"]
    assert list(shown.loc["Questions"]) == [3, 2, 5]
    assert list(shown.loc["Answers with variants: 2"]) == [2, 0, 2]
    assert "texts that occur more than once: 1" in found.stderr


def test_one_set_has_a_table_on_request(splits: list[str]) -> None:
    shown = table(call(splits[0], "--table", "sets", "--lang", "pl", "--format", "json"))
    assert shown.columns.tolist() == ["one"]


def test_the_taxonomy_stands_beside_that_of_the_paper(splits: list[str]) -> None:
    found = call(*splits, "--table", "taxonomy", "--lang", "pl")
    assert found.exit_code == 0, found.output
    for word in ("yes-no", "gap-filling", "PolQA share", "0.9770"):
        assert word in found.stdout


def test_passages_by_strategy_and_overlap_of_words(monkeypatch: pytest.MonkeyPatch) -> None:
    # the real dictionary takes seconds to load
    plain = SimpleNamespace(lemmatize=lambda word, lang: word)
    monkeypatch.setitem(sys.modules, "simplemma", plain)
    found = call(str(POLQA), "--table", "passages", "--lang", "pl")
    assert found.exit_code == 0, found.output
    rows = [line.split() for line in found.stdout.splitlines()]
    assert ["efficient", "0", "1", "1", "0", "1", "1"] in rows
    assert ["question", "efficient", "-", "0.0000", "-", "0.0000"] in rows
    assert "896" in found.stderr
    assert "919" in found.stderr


@pytest.mark.parametrize(("printed", "told"), [
    # what 1 of 3 and 2 of 3 look like; 6, 9, ... fit as well
    ("33.33,66.67", "percentages: 3, 6, 9, 12"),
    ("50.0", "percentages: 2, 4, 6"),
    ("51.47,78.45,51.47,62.02,74.43,53.21", "percentages: 919\n"),
    ("33.33,33.34", "percentages: none"),
])  # fmt: skip
def test_printed_percentages_tell_how_many_questions_there_were(printed: str, told: str) -> None:
    found = call("--printed", printed)
    assert found.exit_code == 0, found.output
    assert told in found.stdout


@pytest.mark.parametrize(("words", "message"), [
    (("--printed", "50", "x.json"), "--printed needs only its numbers"),
    (("--printed", "fifty"), "fifty"),
    (("--printed", "101"), "101"),
    (("--printed", ""), "percentage"),
    (("x.json", "--types"), "--types only applies with --table passages"),
    (("x.json", "--lang", "pl"), "--lang only applies with --table"),
    (("--table", "sets"), "name them"),
    (("x.json", "y.json", "--verbose"), "leave out --endpoint and --verbose"),
    (("x.json", "y.json", "--endpoint", "http://localhost/"), "choose one data source"),
])  # fmt: skip
def test_wrong_calls_are_refused(words: Sequence[str], message: str) -> None:
    found = call(*words)
    assert isinstance(found.exception, (qg.UsageError, qg.DataError)) or found.exit_code == 2
    assert message in str(found.exception) + found.output


def test_passages_need_the_columns_of_polqa(splits: list[str]) -> None:
    found = call(splits[0], "--table", "passages", "--lang", "pl")
    assert "has no passages in PolQA's columns" in str(found.exception)
