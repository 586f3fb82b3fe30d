"""The result of a search for slices."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple

from qaldgen.analysis.slicing import Slice
from qaldgen.io.markup import result_html

if TYPE_CHECKING:
    import pandas as pd


class FoundSlice(NamedTuple):
    """A slice on which scores are low.

    Attributes
    ----------
    slice : Slice
        Name, questions and SPARQL.
    n_search, n_held_out : int
        Its questions in either half; by ``permutation`` both are all of them.
    mean_search, observed : float
        Its mean score in the search half, and among the held-out questions; by ``permutation`` both
        are of all questions.
    mean, rest : float
        The expected mean score on new questions, `rest` + `difference`; the mean of the other
        held-out questions.
    difference, low, high : float
        How much lower scores are on the slice. For a reported slice `observed` - `rest` is too
        favourable, because it was selected for that; the difference is shrunk to what is expected
        on new questions (`winners.share_that_remains`). The interval allows for all slices that
        might have been reported instead.
    p, p_adjusted : float
        One-sided; adjusted for all that was tested (``held-out``, by Holm) or looked at
        (``permutation``).
    adds : bool
        Whether the held-out questions confirm that every condition is needed; always true for a
        single condition.
    """

    slice: Slice
    n_search: int
    n_held_out: int
    mean_search: float
    observed: float
    mean: float
    rest: float
    difference: float
    low: float
    high: float
    p: float
    p_adjusted: float
    adds: bool


@dataclasses.dataclass(frozen=True)
class Discovery:
    """The result of a search for slices.

    Attributes
    ----------
    found : tuple of FoundSlice
        The slices that the held-out questions confirm, by adjusted p.
    candidates : tuple of FoundSlice
        All that were tested on them, the worst of the search first.
    conditions, looked_at : int
        Single conditions, and slices searched.
    n_search, n_held_out : int
        Questions of either half.
    method : str
        ``held-out`` or ``permutation``.
    alpha : float
        If features and scores are unrelated, the chance that `found` is not empty is at most this.
    random_state : int
        The seed of the halves.
    notes : tuple of str
        What a user should know, for instance which questions were left out.
    """

    found: tuple[FoundSlice, ...]
    candidates: tuple[FoundSlice, ...]
    conditions: int
    looked_at: int
    n_search: int
    n_held_out: int
    method: str
    alpha: float
    random_state: int
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return one line: how many slices were found, and among how many."""
        tested = (
            f"found {len(self.found)} of {len(self.candidates)} slices tested,"
            f" {self.looked_at:,} looked at"
        )
        return f"<Discovery by {self.method}: {tested}>"

    def __str__(self) -> str:
        """Return the line, the notes, and one row for each slice found, by adjusted p."""
        if not self.found:
            return "\n\n".join([repr(self), *self.notes])
        table = dataclasses.replace(self, candidates=self.found).table()
        table.insert(0, "n", [len(one.slice) for one in self.found])
        shown = table[
            ["n", "observed", "mean", "rest", "difference", "low", "high", "p_adjusted"]
        ].round(4)
        return "\n\n".join([repr(self), *self.notes, shown.to_string()])

    def _repr_html_(self) -> str:
        """Return the line, the notes, and what was found in words, for notebooks."""
        import pandas as pd

        rows = {
            one.slice.label: [len(one.slice), one.observed, one.rest, one.p_adjusted]
            for one in self.found
        }
        names = ["questions", "score", "elsewhere", "corrected p"]
        table = pd.DataFrame.from_dict(rows, orient="index", columns=names).round(4)
        return result_html(repr(self), [table] if rows else [], self.notes)

    def table(self) -> pd.DataFrame:
        """Return the candidates as a table.

        Returns
        -------
        pandas.DataFrame
            One row per slice (index: its name), the fields of `FoundSlice`, ``found`` and
            ``sparql``.
        """
        import pandas as pd

        rows = [
            {**one._asdict(), "found": one in self.found, "sparql": one.slice.sparql}
            for one in self.candidates
        ]
        frame = pd.DataFrame(rows, columns=[*FoundSlice._fields, "found", "sparql"])
        return frame.assign(slice=[one.slice.name for one in self.candidates]).set_index("slice")
