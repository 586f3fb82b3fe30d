"""Where a pipeline of retriever and reader fails: the retriever misses, or the reader does.

A question is a *retriever miss* if none of its relevant passages is among the first k, a *reader
miss* if one is and the answer is still wrong. A right answer without a relevant passage is a case
of its own: luck, or a passage that nobody labelled. The reader's score on the relevant passages
alone tells what a perfect retriever would give.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qaldgen.analysis.slicing import Slice
from qaldgen.retrieval.gold import relevant_passages
from qaldgen.scoring.frame import response_to
from qaldgen.scoring.gold import Gold
from qaldgen.scoring.score import Scores

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.runs.record import Run

#: Every question is one of these.
KINDS = ("right", "right without passage", "retriever miss", "reader miss")


def loss_of_each(gold: Gold, retrieved: Run, end_to_end: Scores, k: int = 10) -> pd.Series[str]:
    """Return the outcome of each question, one of `KINDS`.

    Questions without a relevant passage are left out.

    Parameters
    ----------
    gold
        The questions, with their relevant passages.
    retrieved
        The results of the retriever.
    end_to_end
        The scores of the reader on the retrieved passages; an answer is right if its F1 is 1.
    k
        How many passages the reader got.

    Returns
    -------
    pandas.Series
        Kind by question.
    """
    import pandas as pd

    right = end_to_end.counts["f1"] == 1.0
    kinds = {}
    for question in gold.questions.questions:
        relevant = set(relevant_passages(question))
        if not relevant or question.id not in right.index:
            continue
        answers = response_to(question, retrieved).answers
        hit = bool(answers) and not relevant.isdisjoint((answers.values() if answers else [])[:k])
        good = bool(right[question.id])
        kinds[question.id] = KINDS[(0 if hit else 1) if good else (3 if hit else 2)]
    return pd.Series(kinds, dtype=object, name="loss")


def loss_table(
    losses: pd.Series[str], slices: Sequence[Slice], on_gold: Scores | None = None
) -> pd.DataFrame:
    """Return how the questions divide into `KINDS`, for all questions and each slice.

    Parameters
    ----------
    losses
        See `loss_of_each`.
    slices
        Slices to count besides all questions.
    on_gold
        The scores of the reader on the relevant passages alone; None if it was not run.

    Returns
    -------
    pandas.DataFrame
        ``slice``, ``n``, a column for each of `KINDS`, ``retriever`` (share with a relevant passage
        among the first k), ``reader`` (share right on relevant passages) and ``end to end``.
    """
    import pandas as pd

    rows = []
    for name, ids in [
        ("all", losses.index),
        *((one.name, losses.index.intersection(list(one.ids))) for one in slices),
    ]:
        own = losses.loc[ids]
        counts = {kind: int((own == kind).sum()) for kind in KINDS}
        n = len(own)
        hits = counts["right"] + counts["reader miss"]
        given = (
            on_gold.counts["f1"].reindex(ids).eq(1.0).mean() if on_gold is not None and n else None
        )
        right = counts["right"] + counts["right without passage"]
        rows.append(
            {
                "slice": name,
                "n": n,
                **counts,
                "retriever": hits / n if n else None,
                "reader": None if given is None else float(given),
                "end to end": right / n if n else None,
            }
        )
    return pd.DataFrame(rows)
