"""Every verb that reads questions reads them as the options for reading say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from all_verbs import verbs

import qaldgen as qg
from qaldgen.cli.verb import QUESTIONS

Call = Callable[..., Any]


def test_verbs_that_read_questions_have_the_options_for_reading() -> None:
    lacking = []
    for name, command in verbs():
        arguments = [one for one in command.params if isinstance(one, click.Argument)]
        named = {"data", "questions", "gold", "files"}
        reads = any(one.type is QUESTIONS or one.name in named for one in arguments)
        flags = {flag for option in command.params for flag in option.opts}
        wanted = {"--split-answers", "--text-property"}
        if reads and name not in {"list", "suite make"} and not wanted <= flags:
            lacking.append(name)
    assert lacking == []


def test_no_two_parameters_of_a_verb_overwrite_each_other() -> None:
    for name, command in verbs():
        named = [param.name for param in command.get_params(click.Context(command))]
        assert len(named) == len(set(named)), name


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Return a table whose cells hold two answers, with a semicolon and a word between them."""
    path = tmp_path / "asked.csv"
    rows = [f'{n},Which two rivers meet in town {n}?,"A{n} und B{n}"' for n in range(1, 41)]
    path.write_text("\n".join(["id,question,answers", *rows]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Return a run that gives both answers to each question."""
    path = tmp_path / "mine.jsonl"
    lines = [json.dumps({"id": str(n), "answers": [f"A{n}", f"B{n}"]}) for n in range(1, 41)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


SPLIT = ("--split-answers", " und ")


def test_sample_select_and_cluster_split(call: Call, table: Path, tmp_path: Path) -> None:
    made = tmp_path / "bench.ttl"
    assert call("sample", table, *SPLIT, "-n", 3, "-o", made).code == 0
    answers = [one.answers.values() for one in qg.load_benchmark(made).questions if one.answers]
    assert [len(values) for values in answers] == [2, 2, 2]
    for verb in ("select", "cluster"):
        assert call(verb, table, *SPLIT, *(["-k", 2] if verb == "cluster" else [])).code == 0


def test_notes_on_a_set_are_printed_once(call: Call, table: Path) -> None:
    table.write_text(table.read_text(encoding="utf-8").replace("answers", "Gold Answer"))
    said = call("select", table, *SPLIT, "--where", "length > 3")
    assert said.err.count("Gold Answer") == 1
    assert "--dropped" not in said.err


def test_tables_of_sets_split(call: Call, table: Path) -> None:
    said = call("describe", table, *SPLIT, "--table", "sets")
    assert said.code == 0, said.err


def test_plan_splits(call: Call, table: Path, run: Path) -> None:
    other = run.with_name("other.jsonl")
    other.write_text(run.read_text(encoding="utf-8").replace('"A7"', '"C"'), encoding="utf-8")
    said = call("plan", table, run, other, *SPLIT, "--match", "exact", "--difference", "0.1")
    assert said.code == 0, said.err
    assert "0.9875" in said.out
    assert "is not a number" in call("plan", table, *SPLIT).err


def test_export_splits_the_questions_of_a_submission(call: Call, table: Path, run: Path) -> None:
    said = call("export", run, "--gold", table, *SPLIT)
    assert said.code == 0, said.err
    assert len(said.out.splitlines()) == 40


def test_an_endpoint_has_no_answers_to_split(call: Call) -> None:
    said = call("select", "-e", "http://localhost:1/sparql", *SPLIT)
    assert said.code == 2
    assert "endpoint" in said.err
