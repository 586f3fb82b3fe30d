"""What it costs to annotate passages: seconds per question, for each way to find the passages.

PolQA (Rybak et al., sections 4.4 and 6.5): annotators search freely, which takes 75.5 s a pair, or
verify pairs that a retriever chose, which takes 13.6 s. In the standard strategy they search,
verify what they found, and verify what a neural retriever adds; in the efficient one they only
verify the first five passages of a re-ranked list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Seconds(NamedTuple):
    """How long one pair of question and passage takes.

    Attributes
    ----------
    search : float
        To find a passage by free search.
    verify : float
        To say whether a given passage answers the question.
    """

    search: float = 75.5
    verify: float = 13.6


class Strategy(NamedTuple):
    """How many pairs were made for how many questions.

    Attributes
    ----------
    name : str
        What to call it.
    questions : int
        Questions.
    searched : int
        Pairs that annotators found; each is verified too.
    verified : int
        Pairs that a retriever chose and annotators verified.
    """

    name: str
    questions: int
    searched: int
    verified: int


#: The strategies of PolQA, from its Table 1.
STANDARD = Strategy("standard", 7000, 24_180, 35_000)
EFFICIENT = Strategy("efficient", 7000, 0, 35_000)


class Cost(NamedTuple):
    """The cost of a strategy, with the arithmetic.

    Attributes
    ----------
    strategy : str
        Its name.
    seconds : float
        Annotation time per question.
    arithmetic : str
        The sum behind `seconds`, to be printed beside it.
    """

    strategy: str
    seconds: float
    arithmetic: str


def cost(strategy: Strategy, seconds: Seconds = Seconds()) -> Cost:  # noqa: B008
    """Return what a strategy costs per question.

    Parameters
    ----------
    strategy
        Number of pairs and questions.
    seconds
        Time per pair.

    Returns
    -------
    Cost
        The seconds per question, with the arithmetic.

    Examples
    --------
    >>> round(cost(STANDARD).seconds), round(cost(EFFICIENT).seconds)
    (376, 68)
    >>> cost(STANDARD).arithmetic
    '24,180/7,000 * (75.5 + 13.6) + 35,000/7,000 * 13.6 = 375.8'
    """
    n = strategy.questions
    # A pair that an annotator found is verified like any other, so it costs both.
    total = (
        strategy.searched / n * (seconds.search + seconds.verify)
        + strategy.verified / n * seconds.verify
    )
    searched = (
        f"{strategy.searched:,}/{n:,} * ({seconds.search:g} + {seconds.verify:g}) + "
        if strategy.searched
        else ""
    )
    arithmetic = f"{searched}{strategy.verified:,}/{n:,} * {seconds.verify:g} = {total:.1f}"
    return Cost(strategy.name, total, arithmetic)


def saving(dear: Cost, cheap: Cost) -> float:
    """Return the share of the cost that the cheaper strategy saves.

    Parameters
    ----------
    dear, cheap
        The two costs.

    Returns
    -------
    float
        Between 0 and 1; negative if `cheap` is in fact the dearer one.

    Examples
    --------
    >>> round(saving(cost(STANDARD), cost(EFFICIENT)), 2)
    0.82
    """
    return 1 - cheap.seconds / dear.seconds


def kappa(one: Sequence[object], other: Sequence[object]) -> float:
    """Return Cohen's kappa of two annotators who judged the same pairs.

    Parameters
    ----------
    one, other
        Their labels, in the same order.

    Returns
    -------
    float
        NaN if there are no labels, the lengths differ, or both use one and the same label
        throughout.

    Examples
    --------
    >>> kappa([1, 1, 0, 0], [1, 1, 0, 0]), kappa([1, 1, 0, 0], [1, 0, 1, 0])
    (1.0, 0.0)
    """
    n = len(one)
    if n == 0 or n != len(other):
        return float("nan")
    agreed = sum(a == b for a, b in zip(one, other, strict=True)) / n
    labels = {*one, *other}
    by_chance = sum(
        (list(one).count(label) / n) * (list(other).count(label) / n) for label in labels
    )
    return float("nan") if by_chance == 1.0 else (agreed - by_chance) / (1 - by_chance)


class Agreement(NamedTuple):
    """How a first annotation compares with a second one.

    Attributes
    ----------
    precision, recall : float
        Of the relevant pairs, with the second annotation as reference.
    kappa : float
        Cohen's kappa.
    pairs : int
        Pairs that both judged.
    """

    precision: float
    recall: float
    kappa: float
    pairs: int


def agreement(first: Sequence[bool], second: Sequence[bool]) -> Agreement:
    """Return precision and recall of an annotation against a second one, and their kappa.

    Parameters
    ----------
    first, second
        Whether each pair is relevant, in the same order.

    Returns
    -------
    Agreement
        Precision and recall are NaN where their denominator is 0.

    Raises
    ------
    ValueError
        If the two differ in length.

    Examples
    --------
    >>> agreement([True, True, False], [True, False, False]).precision
    0.5
    """
    both = sum(a and b for a, b in zip(first, second, strict=True))
    precision = both / sum(first) if any(first) else float("nan")
    recall = both / sum(second) if any(second) else float("nan")
    return Agreement(precision, recall, kappa(first, second), len(first))
