"""The options that name a judge, for all verbs that score runs."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qaldgen.cli import output_files
from qaldgen.cli.signatures import options_of
from qaldgen.cli.systems import parse_options
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen import Run, Verdicts
    from qaldgen.asking.systems import System
    from qaldgen.scoring.gold import Gold
    from qaldgen.scoring.matchers import Scoring

#: What `ask` has an option for; any other name is a field of the request.
_PACING = {"jobs": int, "rate": float, "max_failures": int, "budget": float}
_SYSTEM = {"timeout": float, "retries": int, "key_file": Path, "header_file": Path}
_CHAT = {"price_in": float, "price_out": float}

#: The heading of the options.
SECTION = "Judge, with --match judge"
OPTIONS = (
    click.option(
        "--judge", metavar="PROTOCOL:WHERE",
        help="Who judges the answers, for --match judge: a system as for 'ask', or recorded:FILE.",
    ),
    click.option(
        "--judge-model", default="", metavar="NAME", help="Model name of the judge, for openai."
    ),
    options_of(
        "qaldgen.asking.judge:judge",
        "template",
        "journal",
        "judge_all",
        called={"template": "judge-template", "journal": "judge-journal"},
        section=SECTION,
    ),
    click.option(
        "--judge-option", multiple=True, metavar="NAME=VALUE",
        help="jobs, rate, budget, max-failures, timeout, retries, price-in, price-out, key-file or "
        "header-file, as for 'ask'; any other name is a request field. Repeatable.",
    ),
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class JudgeOptions:
    """Who judges, how, and where the verdicts are kept."""

    system: str | None
    model: str
    template: str
    journal: str | None
    options: tuple[str, ...]
    judge_all: bool = False

    def check(self, *, wanted: bool, inputs: Sequence[str | None]) -> None:
        """Refuse an unused judge, a missing one, and a journal that is also an input."""
        if not wanted:
            if self.system or self.model or self.journal or self.options or self.judge_all:
                raise UsageError(
                    "--judge and its options are for --match judge, or --proxy judge; add one of"
                    " them, or leave the judge out"
                )
            return
        if not self.system:
            raise UsageError(
                "--match judge needs a judge: name the system with --judge"
                " PROTOCOL:WHERE, for instance openai:http://localhost:8000/v1"
            )
        system = self.read()
        _chosen(self._given(), _PACING)
        if system.protocol == "recorded":
            if self.journal or self.options or self.model:
                raise UsageError(
                    "recorded verdicts are only read; leave out --judge-journal, --judge-model and"
                    " --judge-option"
                )
        elif not self.journal:
            raise UsageError(
                "keep the verdicts in a file, with --judge-journal FILE, so that"
                " no answer is paid for twice"
            )
        else:
            # an existing journal is resumed
            output_files.check_outputs([self.journal], force=True, inputs=inputs)

    def read(self) -> System:
        """Return the judge as a system."""
        from qaldgen.asking.protocols import system_of
        from qaldgen.asking.systems import Chat

        settings = self._given()
        fields = {name: value for name, value in settings.items() if name not in _KNOWN}
        chat = Chat(self.model, options=fields, **_chosen(settings, _CHAT))
        system = system_of(self.system or "")
        return dataclasses.replace(system, chat=chat, **_chosen(settings, _SYSTEM))

    def verdicts(self, gold: Gold, runs: Sequence[Run], rules: Scoring) -> Verdicts:
        """Ask the judge about guesses, or about all answers."""
        from qaldgen.asking.judge import judge

        return judge(
            gold,
            runs,
            dataclasses.replace(self.read(), language=rules.language),
            template=self.template,
            journal=self.journal,
            language=rules.language,
            aliases=rules.aliases,
            labels=rules.labels,
            judge_all=self.judge_all,
            **_chosen(self._given(), _PACING),
        )

    def _given(self) -> dict[str, object]:
        return {
            name.replace("-", "_") if name.replace("-", "_") in _KNOWN else name: value
            for name, value in parse_options(self.options, "--judge-option").items()
        }


_KNOWN = {**_PACING, **_SYSTEM, **_CHAT}


def _chosen(settings: dict[str, object], kinds: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of one kind; raises UsageError if a value does not fit."""
    chosen = {}
    for name, kind in kinds.items():
        if name not in settings:
            continue
        try:
            chosen[name] = kind(settings[name])
        except (TypeError, ValueError):
            noun = "file" if kind is Path else "whole number" if kind is int else "number"
            raise UsageError(
                f"--judge-option {name.replace('_', '-')}: {settings[name]!r} is not a {noun}"
            ) from None
    return chosen
