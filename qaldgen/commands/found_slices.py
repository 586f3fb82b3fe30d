"""What ``qaldgen slices`` prints about the slices that it found, and its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qaldgen import api
from qaldgen.commands import common

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen import Discovery, Scores
    from qaldgen.api.comparing import FoundSlice

#: Number of candidates that are named if none is significant.
_NEAREST = 3
_EXPECTED = (
    "mean and difference: what to expect on new questions; slices are reported because they look"
    " bad, so observed values are biased downwards"
)
#: Why a report may name other weak spots, by method.
_BESIDE_REPORT = {
    "held-out": (
        "every slice is tested on the half of the questions that did not choose it; 'qaldgen"
        " report' tests single conditions on all questions, so it may name other weak spots"
    ),
    "permutation": (
        "every slice is chosen and tested on all questions; 'qaldgen report' does so for single"
        " conditions, and tests combinations on a half that did not choose them, so it may name"
        " other weak spots"
    ),
}
#: Smaller differences are printed as 0.
_VISIBLE = 0.00005
_WHOLLY_CHOSEN = (
    "difference 0: the slice only just passes the test and may be an artefact of the search;"
    " confirm it on new questions"
)


def tell(found: Discovery, scored: list[Scores], measure: str, *, verbose: bool) -> None:
    """Print what was searched, what the numbers mean, and that unreported slices were not proved.

    Without `verbose` in one line, if something was found.

    Parameters
    ----------
    found
        The slices.
    scored
        One run, or two whose difference was searched.
    measure
        What was searched for.
    verbose
        Whether to say all.
    """
    if len(scored) == 1:
        common.tell(_BESIDE_REPORT[found.method])
    what = api.comparing.searched_in_words(measure)
    if len(scored) > 1:
        what += f" of {scored[0].name} minus that of {scored[1].name}"
    held_out = found.method == "held-out"
    if found.found and not verbose:
        where = (
            "on the tested questions, which did not choose the slice"
            if held_out
            else "on all questions"
        )
        common.tell(
            f"score, elsewhere: {what} in the slice and outside it, "
            f"{where}; --verbose shows how it was tested"
        )
        return
    _tell_search(found)
    if len(scored) > 1:
        what += f", so below 0 where {scored[0].name} is behind"
    if found.found:
        _tell_columns(found, what, "the others" if held_out else "all")
    else:
        _tell_closest(found, what)


def _tell_search(found: Discovery) -> None:
    """Print how much was searched, and on how many questions."""
    looked = (
        f"{found.looked_at:,} conjunctions of {found.conditions:,} conditions, searched on"
        f" {found.n_search:,} questions"
    )
    if found.method == "held-out":
        looked += f", {len(found.candidates)} candidates tested on {found.n_held_out:,} others"
    common.tell(f"{looked}; seed {found.random_state}")


def _tell_columns(found: Discovery, what: str, where: str) -> None:
    """Print what the columns of the table mean."""
    common.tell(
        f"n: all questions of the slice; observed: {what} on "
        f"{where}; rest: the same outside the slice"
    )
    common.tell(_EXPECTED)
    # Shrinkage has removed the whole difference.
    if any(abs(one.difference) < _VISIBLE for one in found.found):
        common.tell(_WHOLLY_CHOSEN)
    common.tell("")


def _tell_closest(found: Discovery, what: str) -> None:
    """Print the candidates that came closest, if none is significant."""
    common.tell(
        f"no slice is significantly worse than the rest; the closest, which may be chance ({what}):"
    )
    for one in [one for one in found.candidates if one.observed < one.rest][:_NEAREST]:
        figures = (
            f"{one.observed:.3f} against {one.rest:.3f} elsewhere, corrected p ="
            f" {one.p_adjusted:.2g}"
        )
        common.tell(f"  {_named(one)} (n = {len(one.slice)}): {figures}")


def _named(one: FoundSlice) -> str:
    """Return the words of a slice, which the report says too, and its conditions."""
    return f"{one.slice.label} ({one.slice.name})"


def short_table(found: Discovery) -> pd.DataFrame:
    """Return what a person needs: which questions, how many, the score there and elsewhere.

    Half of the questions choose the slices, so scores are means of fewer questions than a slice
    has: both numbers are shown.
    """
    import pandas as pd

    rows = [
        (
            number,
            _named(one),
            len(one.slice),
            one.n_held_out,
            one.observed,
            one.rest,
            one.p_adjusted,
        )
        for number, one in enumerate(found.found, 1)
    ]
    return pd.DataFrame(
        rows, columns=["slice", "questions", "n", "tested", "score", "elsewhere", "corrected p"]
    )


def whole_table(found: Discovery, *, people: bool) -> pd.DataFrame:
    """Return every figure of the slices; those that only programs use are left out for people.

    Parameters
    ----------
    found
        The slices.
    people
        Whether people read it.
    """
    import pandas as pd

    return pd.DataFrame(
        [_row(number, one, people) for number, one in enumerate(found.found, 1)],
        columns=_columns(people),
    )


def _columns(people: bool) -> list[str]:
    columns = [
        "slice",
        "conditions",
        "n",
        "observed",
        "mean",
        "rest",
        "difference",
        "low",
        "high",
        "corrected p",
    ]
    return columns if people else [*columns, "p", "n_search", "n_held_out", "sparql"]


def _row(number: int, one: FoundSlice, people: bool) -> dict[str, object]:
    row = {"slice": number, "conditions": one.slice.name, **api.comparing.row_of(one)}
    return (
        row
        if people
        else row
        | {
            "p": one.p,
            "n_search": one.n_search,
            "n_held_out": one.n_held_out,
            "sparql": one.slice.sparql,
        }
    )
