"""``describe`` over PolEval and PolQA: several splits, the taxonomy, passages."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from qaldgen.cli.main import cli


def call(*words: str) -> Result:
    return CliRunner().invoke(cli, ["describe", *words], env={"COLUMNS": "200"})


def table(found: Result) -> pd.DataFrame:
    assert found.exit_code == 0, found.output
    return pd.DataFrame(json.loads(found.stdout)).set_index("")


POLQA = Path(__file__).parents[2] / "data" / "formats" / "polqa.csv"


SPLITS = {
    "one": [
        ("Kto zbudował młyn w Ulm?", "Jan Kowal\tKowal"),
        ("Czy młyn stoi nad stawem?", "tak"),
        ("Ile kół ma młyn?", "2\tdwa"),
    ],
    "two": [("Kto zbudował młyn w Ulm?", "Jan Kowal"), ("Dokończ: młyn stoi nad …", "stawem")],
}


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


def test_passages_need_the_columns_of_polqa(splits: list[str]) -> None:
    found = call(splits[0], "--table", "passages", "--lang", "pl")
    assert "has no passages in PolQA's columns" in str(found.exception)


def test_an_option_of_a_table_belongs_to_it() -> None:
    found = call("x.json", "--types")
    assert "has no option 'types'; it belongs to passages" in str(found.exception)
