"""Options of commands that compare systems: the measure, the questions that count, the tests."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from qaldgen import api
from qaldgen.api.options import MISSING
from qaldgen.commands import common, groups
from qaldgen.commands.groups import Command
from qaldgen.commands.verb import listed_option

if TYPE_CHECKING:
    from qaldgen import Scores
    from qaldgen.api.comparing import Significance


@dataclasses.dataclass(frozen=True)
class TestOptions:
    """The options for significance tests."""

    correct: str
    alpha: float
    repeats: int
    seed: int

    def read(self) -> Significance:
        """Return the settings of the significance tests."""
        api.checks.check_correction(self.correct)
        return api.comparing.Significance(self.correct, self.alpha, self.repeats, self.seed)


def test_options(*, seed: str) -> Callable[[Command], Command]:
    """Add --correct, --alpha, --repeats and --seed (with the given help).

    The command gets ``tests``.
    """
    return groups.grouped(
        "tests",
        TestOptions,
        listed_option(
            "--correct",
            table="corrections",
            default="holm",
            show_default=True,
            help="Correction for multiple tests.",
        ),
        click.option(
            "--alpha",
            default=0.05,
            show_default=True,
            type=groups.SHARE,
            help="Significance level of the corrected tests.",
        ),
        click.option(
            "--repeats",
            default=10_000,
            show_default=True,
            type=click.IntRange(100, 10_000_000),
            help="Number of resamples per test.",
        ),
        click.option("--seed", default=0, show_default=True, type=groups.SEED, help=seed),
        section="Tests",
    )


def missing_option() -> Callable[[Any], Any]:
    """Return the option --missing of commands that compare runs."""
    return listed_option(
        "--missing",
        table="missing-answers",
        default=MISSING,
        show_default=True,
        help="Which questions count, for every run alike.",
    )


def common_questions(scored: Sequence[Scores], missing: str) -> list[Scores]:
    """Restrict the runs to the questions that count for all of them, and print what is left out.

    Parameters
    ----------
    scored
        The scored runs.
    missing
        Which questions count.

    Returns
    -------
    list of Scores
        The runs on the same questions.
    """
    same, note = api.scoring.on_common_questions(scored, missing)
    common.notes([note] if note else [])
    return same


def measure_option() -> Callable[[Any], Any]:
    """Return the option --measure of commands that compare systems or slices."""
    return listed_option(
        "--measure",
        table="measures",
        default="macro-f1",
        show_default=True,
        metavar="NAME",
        help="Measure to compare.",
    )


def is_outcome(measure: str) -> bool:
    """Return whether a measure needs outcomes, and print a note if less of it is better."""
    if not api.score_tables.higher_is_better(measure):
        common.notes([f"{api.score_tables.named(measure).label}: lower is better"])
    return measure in api.outcomes.BY_OUTCOME
