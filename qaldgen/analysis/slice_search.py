"""How slices are searched for: depth, support, method and level, in one record."""

from __future__ import annotations

import dataclasses
import math

from qaldgen.errors import UsageError
from qaldgen.io.arguments import check_share, check_whole
from qaldgen.io.names import one_of

#: Of two candidates whose questions overlap by more than this (Jaccard), only the worse is kept;
#: but one with fewer conditions stays too, since the longer one may turn out to be over-fitted.
SAME = 0.7
SEARCHES = {
    "held-out": "find slices on half of the questions, test them on the other half",
    "permutation": "find and test on all questions, against randomly permuted scores",
}


@dataclasses.dataclass(frozen=True)
class SliceSearch:
    """How slices are searched for.

    Attributes
    ----------
    depth : int
        Most conditions of a slice, 1 to 3.
    min_support : int or None
        Fewest questions of a slice; None for 2 %, but 10 at least.
    method : str
        ``held-out``: search one half of the questions, and test the candidates on the other half.
        ``permutation``: search all questions, and compare with what the same search finds in
        shuffled scores (maximum statistic, Westfall and Young 1993): it finds more where questions
        are few, takes longer, and its means are those of the questions that chose the slice.
    top : int
        Candidates that are tested.
    alpha : float
        The chance of reporting anything where there is nothing.
    n_resamples : int
        Random permutations of each test; ``permutation`` makes `SHUFFLES` searches.
    random_state : int
        The seed of halves and permutations.
    same : float
        Of candidates whose questions overlap by more (Jaccard) only the worst is tested; 1 tests
        all.
    intervals : bool
        Whether differences get intervals, which take as long as the search; NaN without.

    Raises
    ------
    UsageError
        If the method is unknown, or a number is out of its range.
    """

    depth: int = 3
    min_support: int | None = None
    method: str = "held-out"
    top: int = 10
    alpha: float = 0.05
    n_resamples: int = 10_000
    random_state: int = 0
    same: float = SAME
    intervals: bool = True

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        if self.min_support is not None:
            check_whole("min_support", self.min_support, 2)
        check_whole("top", self.top, 1)
        check_share("alpha", self.alpha)
        check_whole("n_resamples", self.n_resamples, 1, 10_000_000)
        check_whole("random_state", self.random_state, 0)
        if self.depth not in (1, 2, 3):
            raise UsageError(f"depth is {self.depth}; slices have 1, 2 or 3 conditions")
        if self.method not in SEARCHES:
            raise UsageError(f"unknown method {self.method!r}; {one_of(self.method, SEARCHES)}")

    def support(self, questions: int) -> int:
        """Return the fewest questions of a slice.

        Parameters
        ----------
        questions
            How many questions are searched.

        Returns
        -------
        int
            `min_support`, or 2 % of the questions and at least 10.
        """
        return (
            max(10, math.ceil(0.02 * questions)) if self.min_support is None else self.min_support
        )
