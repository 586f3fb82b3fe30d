"""The estimates of ``qaldgen score --estimate``, and the options that name known scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from qaldgen import api
from qaldgen.commands import common
from qaldgen.commands.score_views import Shown, dump, unchecked

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.api.cutting import Slice


class KnownFiles(NamedTuple):
    """Estimates for the whole pool, as the command line prints them."""

    others: str | None = None
    families: Sequence[str] = ()
    baseline: str | None = None

    def read(self, runs: Sequence[str]) -> api.estimating.KnownScores | None:
        """Return the scores; `runs` may have families too."""
        table = api.estimating.read_scores(self.others) if self.others else None
        # A family may have systems whose scores are known and systems that were only run on the
        # sample.
        systems = [*runs, *([] if table is None else map(str, table.columns))]
        related = common.read_families(self.families, list(dict.fromkeys(systems)))
        return api.estimating.known_scores(table, related, self.baseline)


def estimates(
    shown: Shown, slices: Sequence[Slice], measure: str, files: KnownFiles, *, verbose: bool = False
) -> str:
    """Return estimates for the whole pool and its slices.

    For each run, and for each difference of two runs.

    Parameters
    ----------
    shown
        What to show.
    slices
        Slices of the pool.
    measure
        The measure.
    files
        What is known on the whole pool.
    verbose
        All columns.

    Returns
    -------
    str
        The table.
    """
    known = files.read([one.name for one in shown.scored])
    found = api.estimating.estimate_runs(
        shown.gold, shown.scored, measure=measure, slices=slices, known=known
    )
    common.notes(api.estimating.prefix_notes(shown.gold, shown.scored))
    if not shown.programs:
        label = api.score_tables.named(measure).label
        common.tell(f"{label} on the whole pool; a missing answer counts as 0; 95 % intervals")
        if not verbose:
            return dump(_estimates_for_people(found, slices), shown.form)
    return dump(unchecked(found, shown), shown.form)


def _estimates_for_people(found: pd.DataFrame, slices: Sequence[Slice]) -> pd.DataFrame:
    """Return the estimates with their intervals, and of how many questions they are."""
    import pandas as pd

    labels = {one.name: one.label for one in slices}
    return pd.DataFrame(
        {
            "questions": [labels.get(name, name) for name in found["slice"]],
            "run": [
                run if how in {"sample", "difference"} else f"{run} ({how})"
                for run, how in found[["run", "estimator"]].itertuples(index=False)
            ],
            "estimate": [
                api.score_tables.shown(*row)
                for row in found[["estimate", "low", "high"]].itertuples(index=False)
            ],
            "asked": found["questions"],
            "of the pool": found["pool"],
        }
    )
