"""PolQA's Tables 1 and 3 from its rows.

Questions and passages by strategy, and how much the words overlap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from qaldgen.retrieval.overlap import Overlap, mean
from qaldgen.retrieval.pairs import Pair

if TYPE_CHECKING:
    import pandas as pd

#: How a row says that its passage was found, to the strategy of the paper.
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
    """
    own = SOURCES.get(pair.source, pair.source or "unnamed")
    return (own, *(["standard"] if own.startswith("standard,") else []), "total")


def strategy_table(pairs: Sequence[Pair]) -> pd.DataFrame:
    """Return questions with a positive, with a negative, and all.

    And positive, negative and all passages, by strategy.

    A passage that several strategies found for a question counts once in what holds them all; it is
    positive if any row says so.

    Parameters
    ----------
    pairs
        The rows.
    """
    import pandas as pd

    found: dict[str, dict[tuple[str, str], bool]] = {}
    for pair in pairs:
        for name in strategies(pair):
            own = found.setdefault(name, {})
            key = (pair.question, pair.passage.id)
            own[key] = own.get(key, False) or pair.relevant
    rows = []
    for name in [
        *(one for one in _ORDER if one in found),
        *(one for one in found if one not in _ORDER),
    ]:
        own = found[name]
        positive = sum(own.values())
        rows.append({
            "strategy": name,
            "questions with positive": len({question for (question, _), good in own.items() if good}),
            "questions with negative": len({question for (question, _), good in own.items() if not good}),
            "questions": len({question for question, _ in own}),
            "positive passages": positive, "negative passages": len(own) - positive, "passages": len(own),
        })  # fmt: skip
    return pd.DataFrame(rows)


def overlap_table(
    pairs: Sequence[Pair],
    texts: Mapping[str, str],
    answers: Mapping[str, Sequence[str]],
    overlaps: Mapping[str, Overlap],
    *,
    by_question: bool = False,
) -> pd.DataFrame:
    """Return the mean overlap of questions and of answers with positive and negative passages, by strategy.

    Parameters
    ----------
    pairs
        The rows.
    texts
        By question its text.
    answers
        By question the variants of its answer; leave out those that are yes or no, whose overlap is
        accidental.
    overlaps
        By name (``token``, ``lemma``) how terms are found and counted.
    by_question
        Average the passages of each question first; else every pair counts the same. The paper does
        not say which.
    """
    import pandas as pd

    rows = []
    for what, wordings in (
        ("question", {name: (text,) for name, text in texts.items()}),
        ("answer", answers),
    ):
        shares: dict[str, dict[tuple[str, str, bool], list[float | None]]] = {}
        for pair in pairs:
            for kind, overlap in overlaps.items():
                share = overlap.share(
                    wordings.get(pair.question, ()), pair.passage.text, pair.passage.title
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
