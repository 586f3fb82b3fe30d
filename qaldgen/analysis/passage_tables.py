"""PolQA's Tables 1 and 3 from its rows: questions and passages by strategy, and word overlap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from qaldgen.retrieval.overlap import Overlap, mean
from qaldgen.retrieval.pairs import Pair

if TYPE_CHECKING:
    import pandas as pd

#: From the source that a row names to the strategy of the paper.
SOURCES = {
    "human": "standard, manual",
    "hard-negatives": "standard, neural",
    "zero-shot": "efficient",
}
_ORDER = ("standard", "standard, manual", "standard, neural", "efficient", "total")


def strategies(pair: Pair) -> tuple[str, ...]:
    """Return the strategies to which a row belongs.

    Parameters
    ----------
    pair
        The row. A source that the paper does not name is a strategy of its own.

    Returns
    -------
    tuple[str, ...]
        The row's own strategy first, then those that include it.
    """
    own = SOURCES.get(pair.source, pair.source or "unnamed")
    return (own, *(["standard"] if own.startswith("standard,") else []), "total")


def strategy_table(pairs: Sequence[Pair]) -> pd.DataFrame:
    """Return how many questions and passages each strategy gave.

    A passage that several strategies found for a question counts once in their total; it is
    positive if any row says so.

    Parameters
    ----------
    pairs
        The rows.

    Returns
    -------
    pandas.DataFrame
        One row per strategy: questions with a positive passage, with a negative one, and all;
        positive, negative and all passages.
    """
    import pandas as pd

    by_strategy: dict[str, dict[tuple[str, str], bool]] = {}
    for pair in pairs:
        for name in strategies(pair):
            own = by_strategy.setdefault(name, {})
            key = (pair.question, pair.passage.id)
            own[key] = own.get(key, False) or pair.relevant
    rows = []
    for name in [
        *(one for one in _ORDER if one in by_strategy),
        *(one for one in by_strategy if one not in _ORDER),
    ]:
        own = by_strategy[name]
        positive = sum(own.values())
        rows.append(
            {
                "strategy": name,
                "questions with positive": len({key[0] for key, good in own.items() if good}),
                "questions with negative": len({key[0] for key, good in own.items() if not good}),
                "questions": len({question for question, _ in own}),
                "positive passages": positive,
                "negative passages": len(own) - positive,
                "passages": len(own),
            }
        )
    return pd.DataFrame(rows)


def overlap_table(
    pairs: Sequence[Pair],
    texts: Mapping[str, str],
    answers: Mapping[str, Sequence[str]],
    overlaps: Mapping[str, Overlap],
    *,
    by_question: bool = False,
) -> pd.DataFrame:
    """Return the mean overlap of questions and answers with passages, by strategy.

    Parameters
    ----------
    pairs
        The rows.
    texts
        Text by question.
    answers
        By question the variants of its answer; leave out yes and no, whose overlap is accidental.
    overlaps
        By name (``token``, ``lemma``) how terms are found and counted.
    by_question
        Average the passages of each question first; otherwise every pair counts the same. The paper
        does not say which.

    Returns
    -------
    pandas.DataFrame
        ``of`` (question or answer), ``strategy``, and a column for each overlap with positive and
        with negative passages.
    """
    import pandas as pd

    rows = []
    for what, variants in (
        ("question", {name: (text,) for name, text in texts.items()}),
        ("answer", answers),
    ):
        shares: dict[str, dict[tuple[str, str, bool], list[float | None]]] = {}
        for pair in pairs:
            for kind, overlap in overlaps.items():
                share = overlap.share(
                    variants.get(pair.question, ()), pair.passage.text, pair.passage.title
                )
                for name in strategies(pair):
                    own = shares.setdefault(name, {})
                    own.setdefault(
                        (kind, pair.question if by_question else "", pair.relevant), []
                    ).append(share)
        for name in [
            *(one for one in _ORDER if one in shares),
            *(one for one in shares if one not in _ORDER),
        ]:
            row: dict[str, object] = {"of": what, "strategy": name}
            for kind in overlaps:
                for relevant, label in ((True, "positive"), (False, "negative")):
                    groups = [
                        mean(own)
                        for key, own in shares[name].items()
                        if (key[0], key[2]) == (kind, relevant)
                    ]
                    row[f"{kind}, {label}"] = mean(groups)
            rows.append(row)
    return pd.DataFrame(rows)
