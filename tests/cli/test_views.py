"""What a plug-in shows instead of what a verb does."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Any

import click
import pytest
from click.testing import CliRunner

from qaldgen.cli.verb import Call, verb
from qaldgen.cli.views import VIEWS, View, views_of
from qaldgen.errors import UsageError
from qaldgen.io.extensions import ExtensionWarning


def view(flag: str, brief: str = "") -> View:
    return View(
        click.option(f"--{flag}", is_flag=True, help=f"Show {flag}."),
        lambda call: call.given(flag),
        lambda call: click.echo(f"{flag} of {call.name}"),
        instead_of="table",
        brief=brief,
    )


@pytest.fixture
def greet(monkeypatch: pytest.MonkeyPatch) -> click.Command:
    """A verb with two views, and beside it one of another verb."""
    rows = {"greet.moon": view("moon"), "greet.sun": view("sun", "sun"), "other.star": view("star")}
    for name, row in rows.items():
        monkeypatch.setitem(VIEWS, name, row)

    @verb(brief="table")
    @click.argument("name")
    @click.option("--table", is_flag=True, help="Print a table.")
    @views_of("greet")
    def command(call: Call) -> None:
        """Greet."""
        click.echo(f"table {call.table} of {call.name}")

    greeting: click.Command = command
    return greeting


def run(command: click.Command, *words: str) -> str:
    return CliRunner().invoke(command, words, catch_exceptions=False).output


def test_the_view_that_a_flag_asks_for_is_shown_instead(greet: click.Command) -> None:
    assert run(greet, "x", "--moon") == "moon of x\n"


def test_a_verb_without_its_flags_does_the_usual(greet: click.Command) -> None:
    assert run(greet, "x") == "table False of x\n"


@pytest.mark.parametrize("other", ["--sun", "--table"])
def test_two_results_at_once_are_refused(greet: click.Command, other: str) -> None:
    with pytest.raises(UsageError, match=f"--moon and {other} select different tables"):
        run(greet, "x", "--moon", other)


def test_help_shows_the_views_of_the_verb_and_in_brief_the_usual_ones(
    greet: click.Command,
) -> None:
    everything, brief = run(greet, "--help-all"), run(greet, "--help")
    assert "--moon" in everything
    assert "--star" not in everything
    assert "--sun" in brief
    assert "--moon" not in brief


def test_a_view_that_cannot_be_loaded_takes_no_verb_away(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def brief(call: Call) -> None:
        click.echo("the brief")

    broken: Any = EntryPoint("greet.broken", "no_such_module:VIEW", "qaldgen.views")
    monkeypatch.setitem(VIEWS, "greet.broken", broken)
    with pytest.warns(ExtensionWarning, match=r"'greet\.broken' .* cannot be loaded"):
        shown = views_of("greet")(brief)
    shown(Call())
    assert capsys.readouterr().out == "the brief\n"
