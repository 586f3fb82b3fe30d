"""Options that say when to stop asking."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import click

from qaldgen.cli import groups
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import given
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen import StopRule
    from qaldgen.formats.reading import Reading

#: Where the options are declared.
_STOP_RULE = "qaldgen.analysis.stopping.stop_rule:stop_rule"


class StoppingOptions(SimpleNamespace):
    """The values of `stopping_options`, by parameter."""

    @property
    def files(self) -> list[str | None]:
        """The files that are read."""
        return [self.others, self.baseline]

    @property
    def stops(self) -> bool:
        """Whether there is a rule."""
        return self.until is not None or self.until_decided

    def check(self) -> None:
        """Refuse incompatible options."""
        from qaldgen.cli.checks import check_files, check_no_judge, check_scoring
        from qaldgen.scoring.matchers import Scoring

        if self.until is not None and self.until_decided:
            raise UsageError("--until and --until-decided are different rules; give one of them")
        # Neither, or both.
        if self.until_decided and (self.baseline is None) == (self.above is None):
            raise UsageError(
                "--until-decided: say what the run is compared with: either --baseline SYSTEM or"
                " --above SCORE"
            )
        flags = {"largest": "--max", "families": "--family"}
        for name in given("above", "largest") if not self.until_decided else ():
            raise UsageError(f"{flags.get(name, '--above')} only applies with --until-decided")
        for name in given("baseline", "others", "families") if not self.stops else ():
            raise UsageError(
                f"{flags.get(name, f'--{name}')} only applies with --until or --until-decided"
            )
        check_no_judge(self.match)
        check_scoring(Scoring(match=self.match, extract=self.extract))
        check_files(self.others)

    def rule(self, bench: str, reading: Reading, language: str) -> StopRule | None:
        """Return the rule; None if all questions are asked."""
        from qaldgen.analysis.stopping.stop_rule import stop_rule
        from qaldgen.scoring.gold import load_gold

        if not self.stops:
            return None
        return stop_rule(
            load_gold(bench, language=language, **reading._asdict()),
            until=self.until,
            above=self.above,
            baseline=self.baseline,
            others=self.others,
            families=self.families,
            largest=self.largest,
            measure=self.measure,
            match=self.match,
            language=language,
            extract=self.extract,
        )


def stopping_options(command: groups.Command) -> groups.Command:
    """Add the options, which come as one `StoppingOptions` named ``stopping``."""
    return groups.collected(
        "stopping",
        StoppingOptions,
        options_of(_STOP_RULE, "until"),
        click.option(
            "--until-decided",
            is_flag=True,
            help="Stop when the system is known to be better or worse; see 'gate'.",
        ),
        options_of(
            _STOP_RULE,
            "baseline",
            "above",
            "others",
            "families",
            "largest",
            "measure",
            "match",
            "extract",
            called={"families": "family", "largest": "max"},
        ),
    )(command)
