"""`qaldgen list` shows what options take, also what other packages add; help fits on a screen."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from qaldgen.cli.listed_tables import table_lines, tables
from qaldgen.cli.main import VERBS, cli
from qaldgen.cli.verb import Verb
from qaldgen.io.extensions import Table
from qaldgen.scoring import matchers


def said(*args: str) -> str:
    return CliRunner().invoke(cli, args, terminal_width=80, max_content_width=80).output


@pytest.mark.parametrize("table", tables())
def test_every_value_has_a_line(table: str) -> None:
    assert all(len(line) > 3 for line in table_lines(table).values())


def test_tables_that_options_name_exist() -> None:
    options = [option for verb in VERBS.values() for option in verb.params]
    named = [
        name
        for option in options
        for name in str(getattr(option, "help", "")).rpartition("(qaldgen list ")[2].split(" or ")
        if "(qaldgen list " in str(getattr(option, "help", ""))
    ]
    assert len(named) > 10
    assert {name.removesuffix(").") for name in named} <= set(tables())


def test_a_matcher_of_another_package_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {**matchers.MATCHERS, "mine": matchers.MATCHERS["strict"]._replace(help="as I like it")}
    monkeypatch.setattr(matchers, "MATCHERS", Table("nobody", matchers.MatcherKind, rows))
    assert said("list", "matchers", "mine").split() == ["mine", "as", "I", "like", "it"]


def test_an_unknown_table_is_refused_with_the_nearest() -> None:
    result = CliRunner().invoke(cli, ["list", "matcher"])
    assert "did you mean matchers?" in str(result.exception)


def test_the_list_of_verbs_fits_on_a_screen() -> None:
    lines = said("--help").splitlines()
    assert len(lines) <= 48
    assert [verb for verb in VERBS if sum(line.split()[:1] == [verb] for line in lines) != 1] == []


@pytest.mark.parametrize("verb", VERBS)
def test_help_fits_on_a_screen(verb: str) -> None:
    assert len(said(verb, "--help").splitlines()) <= 80


@pytest.mark.parametrize("verb", VERBS)
def test_help_all_shows_every_option(verb: str) -> None:
    command = VERBS[verb]
    if isinstance(command, Verb) and command.brief:
        everything = said(verb, "--help-all")
        assert set(command.brief) <= {option.name for option in command.params}
        assert all(
            max(option.opts, key=len) in everything
            for option in command.params
            if isinstance(option, click.Option)
        )
