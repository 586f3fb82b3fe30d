"""What people have goes straight into the verbs."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from qaldgen.commands.cli import cli
from qaldgen.errors import UsageError


def called(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(one) for one in arguments])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "mine.csv"
    path.write_text(
        "question,gold,prediction\nWhere is the minster?,Ulm,in Ulm\nWho came?,Ann,Bo\n"
    )
    return path


@pytest.mark.parametrize("verb", ["score", "slices"])
def test_a_table_with_both_needs_no_run(table: Path, verb: str) -> None:
    done = called(verb, table)
    assert done.exit_code == 0, done.output
    assert "mine" in done.output


def test_without_a_prediction_the_columns_are_named(tmp_path: Path) -> None:
    path = tmp_path / "gold.csv"
    path.write_text("question,answer\nWhere is the minster?,Ulm\n")
    done = called("score", path)
    assert isinstance(done.exception, UsageError)
    assert "'answer' is taken for the gold answers" in str(done.exception)
    assert "'prediction'" in str(done.exception)
