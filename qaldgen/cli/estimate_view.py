"""The estimates of ``qaldgen score --estimate``, and the options that name known scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qaldgen.cli import common
from qaldgen.cli.score_views import Shown, dump, unchecked

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.analysis.estimating.known_scores import KnownScores
    from qaldgen.analysis.slicing import Slice


def estimates(
    shown: Shown,
    slices: Sequence[Slice],
    measure: str,
    known: KnownScores | None,
    *,
    verbose: bool = False,
) -> str:
    """Return estimates for the pool and its slices: of each run, and each difference of two."""
    from qaldgen.analysis.estimating.estimate import estimate_runs, prefix_notes
    from qaldgen.scoring.measures import named

    found = estimate_runs(shown.gold, shown.scored, measure=measure, slices=slices, known=known)
    common.notes(prefix_notes(shown.gold, shown.scored))
    if not shown.programs:
        label = named(measure).label
        common.tell(f"{label} on the whole pool; a missing answer counts as 0; 95 % intervals")
        if not verbose:
            return dump(_estimates_for_people(found, slices), shown.form)
    return dump(unchecked(found, shown), shown.form)


def _estimates_for_people(found: pd.DataFrame, slices: Sequence[Slice]) -> pd.DataFrame:
    """Return the estimates with their intervals, and of how many questions they are."""
    import pandas as pd

    from qaldgen.analysis.summary import shown

    labels = {one.name: one.label for one in slices}
    return pd.DataFrame(
        {
            "questions": [labels.get(name, name) for name in found["slice"]],
            "run": [
                run if how in {"sample", "difference"} else f"{run} ({how})"
                for run, how in found[["run", "estimator"]].itertuples(index=False)
            ],
            "estimate": [
                shown(*row) for row in found[["estimate", "low", "high"]].itertuples(index=False)
            ],
            "asked": found["questions"],
            "of the pool": found["pool"],
        }
    )
