"""The scores of candidates and neighbours by type, link, rank of the model, and property."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from qaldgen.plugins.act.graph import Link
from qaldgen.plugins.act.settings import Selection
from qaldgen.plugins.act.similarity import Similarity


class RowScores(NamedTuple):
    """The scores of a candidate, from 0 to 1; that of its property is from -1 to 1."""

    type: float
    neighbour: float
    rank: float
    property: float


class Row(NamedTuple):
    """A candidate with its scores."""

    entity: str  # the candidate
    property: str  # the property by which it is a neighbour; empty for a candidate of the model
    rank: int | None  # its position among the linked candidates of the model, from 0
    scores: RowScores
    total: float  # their weighted sum


def type_counts(candidates: Sequence[str], types: Mapping[str, Collection[str]]) -> dict[str, int]:
    """Return the number of candidates with each type, the most frequent type first.

    >>> type_counts(["a", "b"], {"a": ["Town", "City"], "b": ["City"]})
    {'City': 2, 'Town': 1}
    """
    counts = Counter[str]()
    for candidate in candidates:
        counts.update(sorted(types.get(candidate, ())))
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def purity(candidates: Sequence[str], counts: Mapping[str, int]) -> float:
    """Return the share of the candidates that have their most frequent type."""
    if not candidates:
        return math.nan
    return max(counts.values(), default=0) / len(candidates)


def wanted_types(
    counts: Mapping[str, int],
    names: Mapping[str, str],
    similarity: Similarity,
    selection: Selection,
) -> list[str]:
    """Return the most frequent types, and types with similar names."""
    types = list(counts)
    frequent = types[: selection.top_types]
    rarer = [type_ for type_ in types[selection.top_types :] if names.get(type_)]
    similar: set[str] = set()
    for name in filter(None, map(names.get, frequent)):
        values = similarity(name, [names[type_] for type_ in rarer])
        for type_, value in zip(rarer, values, strict=True):
            if value > selection.similarity:
                similar.add(type_)
    return frequent + [type_ for type_ in rarer if type_ in similar]


def type_score(shared: int, size: int, formula: str) -> float:
    """Return the score of a candidate that has `shared` of `size` wanted types.

    >>> [round(type_score(4, 13, formula), 5) for formula in ("match", "paper", "authors")]
    [1.0, 0.30769, 0.69231]
    """
    if not shared or not size:
        return 0.0
    if formula == "match":
        return 1.0
    if formula == "paper":
        return shared / size
    return (size - shared) / size


def rank_score(rank: int | None, size: int) -> float:
    """Return the score for the rank of the model among `size` candidates; 0 without a rank.

    >>> rank_score(0, 22), round(rank_score(1, 22), 5), rank_score(None, 22)
    (1.0, 0.95455, 0.0)
    """
    if rank is None:
        return 0.0
    return (size - rank) / size


def score_rows(
    candidates: Sequence[str],
    links: Sequence[Link],
    types: Mapping[str, Collection[str]],
    target_types: Collection[str],
    property_scores: Mapping[str, float],
    selection: Selection,
) -> list[Row]:
    """Return the ranking: a row for each candidate, and for each neighbour with its property."""
    ranks: dict[str, int] = {}
    for rank, candidate in enumerate(candidates):
        ranks.setdefault(candidate, rank)  # a repeated entity keeps its better rank

    # the forward link counts if there are links in both directions
    link_by_key = {(link.entity, link.property): link for link in links}
    link_by_key |= {(link.entity, link.property): link for link in links if link.forward}

    rows = []
    candidate_links = [Link(candidate, "") for candidate in ranks]
    for entity, name, forward in candidate_links + list(link_by_key.values()):
        n_shared = len(set(types.get(entity, ())) & set(target_types))
        scores = RowScores(
            type=type_score(n_shared, len(target_types), selection.type_score),
            # as in the paper and in the authors' program, only forward links count
            neighbour=1.0 if name and forward else 0.0,
            rank=rank_score(ranks.get(entity), len(candidates)),
            property=property_scores.get(name, 0.0),
        )
        row = Row(
            entity=entity,
            property=name,
            rank=ranks.get(entity),
            scores=scores,
            total=weighted_sum(scores, selection.weights),
        )
        rows.append(row)
    rows.sort(key=rank_key)

    if not selection.reranked:
        return rows
    reranked_rows = [
        row._replace(total=weighted_sum(row.scores, selection.reranked))
        for row in rows[: selection.rows]
    ]
    return sorted(reranked_rows, key=rank_key)


def weighted_sum(scores: Sequence[float], weights: Sequence[float]) -> float:
    """Return the weighted sum of scores."""
    return math.fsum(score * weight for score, weight in zip(scores, weights, strict=True))


def rank_key(row: Row) -> tuple[float, float, float, str, str]:
    """Return the key by which rows are sorted, the best first.

    Ties go to the more similar property, then to the model's order, then to the IRI.
    """
    rank = math.inf if row.rank is None else row.rank
    return -row.total, -row.scores.property, rank, row.entity, row.property
