"""Options that say when to stop asking."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from qaldgen import api
from qaldgen.commands import groups
from qaldgen.commands.common import known_on_pool
from qaldgen.commands.scoring import measure_option
from qaldgen.commands.verb import FiniteRange, listed_option
from qaldgen.errors import UsageError
from qaldgen.scoring.setting import Scoring

if TYPE_CHECKING:
    from qaldgen.api.questions import Reading
    from qaldgen.api.stop_rules import StopRule

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclasses.dataclass(frozen=True)
class StoppingOptions:
    """When to stop, and when an answer is right."""

    until: float | None
    until_decided: bool
    baseline: str | None
    above: float | None
    others: str | None
    families: tuple[str, ...]
    largest: int | None
    measure: str
    match: str
    extract: str

    @property
    def files(self) -> list[str | None]:
        """The files that are read."""
        return [self.others, self.baseline]

    @property
    def _stops(self) -> bool:
        return self.until is not None or self.until_decided

    def check(self) -> None:
        """Refuse incompatible options."""
        if self.until is not None and self.until_decided:
            raise UsageError("--until and --until-decided are different rules; give one of them")
        # Neither, or both.
        if self.until_decided and (self.baseline is None) == (self.above is None):
            raise UsageError(
                "--until-decided: say what the run is compared with: either --baseline SYSTEM or"
                " --above SCORE"
            )
        decides = {"--above": self.above is not None, "--max": self.largest is not None}
        for name in (name for name, given in decides.items() if given and not self.until_decided):
            raise UsageError(f"{name} only applies with --until-decided")
        sharpens = {
            "--baseline": self.baseline is not None,
            "--others": self.others is not None,
            "--family": self.families,
        }
        for name in (name for name, given in sharpens.items() if given and not self._stops):
            raise UsageError(f"{name} only applies with --until or --until-decided")
        api.checks.check_measure(self.measure)
        api.checks.check_no_judge(self.match)
        api.checks.check_scoring(Scoring(match=self.match, extract=self.extract))
        api.checks.check_files(self.others)

    def rule(self, bench: str, reading: Reading, journal: Path, language: str) -> StopRule | None:
        """Return the rule; None if all questions are asked.

        Parameters
        ----------
        bench
            The benchmark.
        reading
            How it is read.
        journal
            The journal, after which the run is called.
        language
            Language of the questions.

        Returns
        -------
        StopRule or None
            The rule.
        """
        if not self._stops:
            return None
        # A family may name the run itself.
        run = api.stop_rules.run_name(journal)
        known = known_on_pool([run], self.others, self.families, self.baseline)
        wanted = api.stop_rules.Wanted(self.until, self.above, known, self.largest, self.measure)
        gold = api.questions.read_gold(bench, reading, language=language)
        return api.stop_rules.StopRule(
            gold, wanted, Scoring(match=self.match, language=language, extract=self.extract)
        )


def stopping_options(command: Command) -> Command:
    """Add the options, which come as one `StoppingOptions` named ``stopping``."""
    return groups.grouped("stopping", StoppingOptions, *_OPTIONS)(command)


_OPTIONS = (
    click.option(
        "--until",
        type=FiniteRange(0, 1, min_open=True, max_open=True),
        metavar="HALF-WIDTH",
        help="Stop when the interval of the score on the pool has this half-width, such as 0.05.",
    ),
    click.option("--until-decided", is_flag=True,
        help="Stop when the system is known to be better or worse; see 'gate'."),
    click.option("--baseline", metavar="SYSTEM",
        help="Compare with a system whose scores on the pool are known; see 'gate'."),
    click.option("--above", type=FiniteRange(0, 1, min_open=True, max_open=True),
        help="Compare with a threshold."),
    click.option("--others", metavar="FILE",
        help="Scores of other systems on the whole pool: CSV, see 'study'."),
    click.option("--family", "families", multiple=True, metavar="SYSTEM=NAME",
        help="Name the family of related systems, as for 'study'. Repeatable."),
    click.option(
        "--max",
        "largest",
        type=click.IntRange(min=1),
        metavar="N",
        help="Maximum number of questions (default: all); fixed before the first answer.",
    ),
    measure_option(),
    listed_option(
        "--match", table="matchers", default="gerbil", show_default=True, metavar="RULES",
        help="When an answer counts as right, for --until and --until-decided.",
    ),
    listed_option(
        "--extract", table="extractions", default="auto", show_default=True, metavar="HOW",
        help="How to find the answer in a free-text reply, for --until and --until-decided.",
    ),
)  # fmt: skip
