"""The time that annotators need to find and to judge passages, by PolQA's figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

from qaldgen.options import Range

if TYPE_CHECKING:
    import pandas as pd


class Seconds(NamedTuple):
    """The time that annotators need for a pair of question and passage.

    Attributes
    ----------
    search : float
        For the cost: time to find a passage by free search.
    verify : float
        For the cost: time to judge one passage.
    """

    search: Annotated[float, Range(0, metavar="S")] = 75.5
    verify: Annotated[float, Range(0, metavar="S")] = 13.6


#: The strategies of PolQA, from its Table 1: questions, pairs that annotators found (each is
#: verified too), and pairs that a retriever chose and annotators verified.
STRATEGIES = {"standard": (7000, 24_180, 35_000), "efficient": (7000, 0, 35_000)}


class Cost(NamedTuple):
    """The annotation time per question, with the arithmetic."""

    seconds: float
    arithmetic: str  # the sum behind `seconds`, to be printed with it


def cost(questions: int, searched: int, verified: int, seconds: Seconds = Seconds()) -> Cost:  # noqa: B008
    """Return the time per question to find and to verify pairs.

    >>> [round(cost(*pairs).seconds) for pairs in STRATEGIES.values()]
    [376, 68]
    >>> cost(*STRATEGIES["standard"]).arithmetic
    '24,180/7,000 * (75.5 + 13.6) + 35,000/7,000 * 13.6 = 375.8'
    """
    if questions == 0:
        return Cost(0.0, "no question = 0")
    # pairs that were searched are verified, too
    total = searched / questions * (seconds.search + seconds.verify)
    total += verified / questions * seconds.verify
    arithmetic = f"{verified:,}/{questions:,} * {seconds.verify:g} = {total:.1f}"
    if searched:
        search = f"{searched:,}/{questions:,} * ({seconds.search:g} + {seconds.verify:g})"
        arithmetic = f"{search} + {arithmetic}"
    return Cost(total, arithmetic)


def cost_table(seconds: Seconds = Seconds()) -> pd.DataFrame:  # noqa: B008
    """Return the time per question of PolQA's two strategies, from its Tables 1 and 4.

    Parameters
    ----------
    seconds
        How long one pair takes.

    Returns
    -------
    DataFrame
        For each strategy the seconds per question, the share saved, and the arithmetic.

    Examples
    --------
    >>> cost_table()["seconds"].round().tolist()
    [376.0, 68.0]
    """
    import pandas as pd

    costs = [cost(*pairs, seconds) for pairs in STRATEGIES.values()]
    table = pd.DataFrame(costs).assign(strategy=list(STRATEGIES))
    table["saved"] = 1 - table["seconds"] / table["seconds"].iloc[0]
    return table[["strategy", "seconds", "saved", "arithmetic"]]
