"""The example of README: every installation has it, and one command writes it."""

from __future__ import annotations

import configparser
from pathlib import Path

from click.testing import CliRunner

from qaldgen.cli.data import command
from qaldgen.errors import UsageError
from qaldgen.questions.loading import FILES

ROOT = Path(__file__).resolve().parents[2]


def test_example_is_written_as_it_is_in_a_checkout(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, ["example", "-o", str(tmp_path / "here")])
    assert result.output.split() == [str(tmp_path / "here" / name) for name in FILES]
    for name in FILES:
        assert (tmp_path / "here" / name).read_bytes() == (ROOT / "examples" / name).read_bytes()


def test_existing_files_are_kept(tmp_path: Path) -> None:
    (tmp_path / "graph.ttl").write_text("mine")
    result = CliRunner().invoke(command, ["example", "-o", str(tmp_path)])
    assert isinstance(result.exception, UsageError)
    assert [path.name for path in tmp_path.iterdir()] == ["graph.ttl"]
    assert (tmp_path / "graph.ttl").read_text() == "mine"


def test_every_file_is_installed() -> None:
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    assert setup["options.package_data"]["qaldgen.examples"].split(", ") == list(FILES)


def test_every_example_that_the_docs_read_is_written() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    words = {word.strip("`'\"().,;") for page in pages for word in page.read_text("utf-8").split()}
    named = {word.removeprefix("act:").removeprefix("examples/") for word in words
             if word.removeprefix("act:").startswith("examples/")}  # fmt: skip
    data = {
        name for name in named if Path(name).suffix in {".json", ".jsonl", ".ttl", ".tsv", ".txt"}
    }
    assert data
    assert data <= set(FILES)
