"""Which questions of an ordered benchmark a run that is not finished may speak for.

The complete beginning, and no others.

The order says which questions belong to a sample of n, so a question that is missing in between
ends the beginning: what has been answered is not a random part of what was asked. A failure is an
answer here: it keeps its place, and its score of 0.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from qaldgen.analysis.design import Design
from qaldgen.errors import DataError, UsageError
from qaldgen.runs.given import count
from qaldgen.scoring.score import Scores

#: Runs that say which questions were asked; in other forms a missing answer is a wrong one, as
#: GERBIL has it.
_SAYS_WHAT_WAS_ASKED = "journal"
NOT_ASKED = "not asked"


def complete(order: Sequence[str], scored: Scores) -> tuple[str, ...]:
    """Return the beginning of an order, up to the first question that the run was not asked.

    Parameters
    ----------
    order
        The questions in the order of asking.
    scored
        A run.

    Returns
    -------
    tuple[str, ...]
        Their ids.
    """
    status = scored.counts["status"].to_dict()
    return tuple(itertools.takewhile(lambda name: status[name] != NOT_ASKED, order))


def speaking(design: Design, scored: Scores) -> tuple[str, ...]:
    """Return the questions from which the score on the pool is estimated.

    Parameters
    ----------
    design
        Of the benchmark, restricted to the questions that are scored.
    scored
        A run.

    Raises
    ------
    DataError
        If a journal does not have the first question of the order.
    """
    if not design.order or scored.run.format != _SAYS_WHAT_WAS_ASKED:
        return tuple(design.inclusion)
    found = complete(design.order, scored)
    if not found:
        raise DataError(
            f"{scored.name}: the first question of the order, {design.order[0]}, was not asked, so"
            " no beginning is complete; ask the questions in the order of the benchmark"
        )
    return found


def note(design: Design, scored: Scores) -> str:
    """Say how much of the order a run has; empty if it has all.

    Parameters
    ----------
    design
        The design of the benchmark.
    scored
        A run.

    Returns
    -------
    str
        A sentence, or nothing.
    """
    found = speaking(design, scored)
    if len(found) == len(design.inclusion):
        return ""
    asked = int((scored.counts["status"] != NOT_ASKED).sum())
    later = (
        f"; {count(asked - len(found), 'later answer')} cannot be used yet"
        if asked > len(found)
        else ""
    )
    return (
        f"{scored.name} was asked the first {len(found):,} of"
        f" {count(len(design.inclusion), 'question')} in their order, and they are a sample too:"
        f" the estimate is from them{later}"
    )


def ordered_design(design: Design, name: str) -> Design:
    """Return the design, if its beginnings are samples.

    Parameters
    ----------
    design
        The design of the benchmark.
    name
        What the benchmark is called.

    Returns
    -------
    Design
        The same design.

    Raises
    ------
    UsageError
        If there is no order, or chances differ.
    """
    if not design.order:
        raise UsageError(
            f"{name}: its questions have no order of which every beginning is a sample, so nothing"
            " can be said before the end; draw the benchmark by lpm or random with this version"
            " (hybrid, stratified and --pps give unequal chances)"
        )
    return design
