"""The help of a verb lists what its options take, also what other packages add."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from qaldgen import api
from qaldgen.commands.cli import VERBS
from qaldgen.commands.listing import ListedOption, ListingCommand
from qaldgen.io.extensions import Table
from qaldgen.scoring import matchers


def help_of(verb: str) -> str:
    return " ".join(
        CliRunner()
        .invoke(VERBS[verb], ["--help"], terminal_width=1000, max_content_width=1000)
        .output.split()
    )


@pytest.mark.parametrize("table", api.choices.TABLES)
def test_every_value_has_a_line(table: str) -> None:
    assert all(len(line) > 3 for line in api.choices.listed(table).values())


@pytest.mark.parametrize("verb", VERBS)
def test_listed_options_are_listed(verb: str) -> None:
    found = VERBS[verb]
    listed = [option for option in found.params if isinstance(option, ListedOption)]
    assert isinstance(found, ListingCommand) or not listed
    text = help_of(verb)
    for option in listed:
        assert all(
            f"{name} {line}" in text for name, line in api.choices.listed(option.table).items()
        )


@pytest.mark.parametrize("verb", VERBS)
def test_default_is_one_of_the_values(verb: str) -> None:
    for option in VERBS[verb].params:
        if isinstance(option, ListedOption) and isinstance(option.default, str):
            assert option.default in api.choices.listed(option.table)


def test_matcher_of_another_package_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {**matchers.MATCHERS, "mine": matchers.MATCHERS["strict"]._replace(help="as I like it")}
    monkeypatch.setattr(matchers, "MATCHERS", Table("nobody", matchers.MatcherKind, rows))
    assert "mine as I like it" in help_of("score")
