"""The options that slice the questions, and the slices that they define."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from qaldgen import api
from qaldgen.commands import common, groups
from qaldgen.commands.groups import Command

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.api.comparing import Slice
    from qaldgen.api.questions import Gold


@dataclasses.dataclass(frozen=True)
class Cuts:
    """How the questions are sliced, and which questions count."""

    by: tuple[str, ...]
    where: tuple[str, ...]
    missing: str
    clusters: str | None = None

    def check(self) -> None:
        """Reject unknown features and queries."""
        api.checks.check_slices(self.by, self.where)
        api.checks.check_files(self.clusters)

    def clustered(self, gold: Gold) -> Gold:
        """Return the questions with the clusters of --clusters, if it is given."""
        if self.clusters is None:
            return gold
        from qaldgen.analysis.pool_clusters import clustered

        found, told = clustered(gold, self.clusters)
        common.notes(told)
        return found


def slice_options(missing: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Add --by, --where and --missing; the command gets ``cuts``."""
    return groups.grouped(
        "cuts",
        Cuts,
        click.option(
            "--by",
            multiple=True,
            metavar="FEATURE",
            help=(
                "Slice by a feature, by 'cluster', or by several features (comma-separated)."
                " Repeatable."
            ),
        ),
        click.option(
            "--where",
            multiple=True,
            metavar="QUERY",
            help="Add a slice: the questions selected by a SPARQL query. Repeatable.",
        ),
        click.option(
            "--clusters",
            metavar="FILE",
            help=(
                "A benchmark of 'sample' or 'cluster': --by cluster "
                "slices its pool, GOLD, by its clusters."
            ),
        ),
        missing,
        section="Slices",
    )


def features_of(gold: Gold, lang: str) -> pd.DataFrame:
    """Compute the features of the gold questions, with a progress bar, and print problems.

    Parameters
    ----------
    gold
        The gold questions.
    lang
        Language of the texts.

    Returns
    -------
    DataFrame
        One row per question.
    """
    with common.progress_bar("features", len(gold.questions.questions)) as bar:
        table, problems = api.cutting.features_of(gold, language=lang, progress=bar.update)
    common.notes(problems)
    return table


def wanted_slices(gold: Gold, cuts: Cuts, lang: str) -> list[Slice]:
    """Return the slices defined by --by and --where.

    Parameters
    ----------
    gold
        The gold questions.
    cuts
        The slicing options.
    lang
        Language of the texts.

    Returns
    -------
    list of Slice
        The slices.
    """
    found = api.cutting.feature_slices(features_of(gold, lang), cuts.by) if cuts.by else []
    return found + api.cutting.queried_slices(gold, cuts.where, language=lang)
