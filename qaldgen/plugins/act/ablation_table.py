"""Which part of ACT helps: Table 3 of the paper, with tests, baselines and limits."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from qaldgen.defaults import LANGUAGE
from qaldgen.errors import QaldgenError, UsageError
from qaldgen.plugins.act.selector import Row, place_of
from qaldgen.scoring.outcomes import resources_of

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.model import QuestionSet
    from qaldgen.plugins.act.graph import Graph
    from qaldgen.plugins.act.selector import Explanation, Selector


#: The sets of candidates.
SETS = ("initial", "neighbours", "full")
#: What is left of the four scores: each alone, all, and all but one.
USED = {
    "type": (0,), "neighbour": (1,), "rank": (2,), "property": (3,), "all": (0, 1, 2, 3),
    "without type": (1, 2, 3), "without neighbour": (0, 2, 3), "without rank": (0, 1, 3),
    "without property": (0, 1, 2),
}  # fmt: skip
#: Questions as they were explained, with their gold answers.
Judged: TypeAlias = "Sequence[tuple[Explanation, Collection[str]]]"


class Ablation(NamedTuple):
    """What each part of ACT is worth.

    Attributes
    ----------
    hits : DataFrame
        One row for ``initial`` (the model's candidates), ``neighbours`` and ``full``: Hit@1 by each
        score alone, by all, and by all but one, and ``recall``, how often the set has a right
        answer at all. ``full: p`` has the p-value of each choice against all scores, by the exact
        test of McNemar. Then what needs no scores, under ``all``: the model alone by its first
        candidate and by its first one that is linked, and the most frequent answer of the gold
        relation (empty where the graph cannot count).
    limits : DataFrame
        ``limit`` and ``share``, from 0 to 1: candidates that were linked; questions with a linked
        entity, with the right types, with several gold answers, and with literals only around
        their entities.
    """

    hits: pd.DataFrame
    limits: pd.DataFrame


def ablation(selector: Selector, questions: QuestionSet, language: str = LANGUAGE) -> Ablation:
    """Return what each part of ACT contributes, as in the paper's Table 3, with tests.

    Parameters
    ----------
    selector
        ACT over a knowledge graph, of `open_act`.
    questions
        Questions with gold answers; those without a resource among them are left out.
    language
        Language of the questions.

    Returns
    -------
    Ablation
        Hit@1 by sets of candidates and by scores, and the limits.

    Raises
    ------
    UsageError
        If no question has a resource as its answer.
    """
    judged = []
    for question in questions.questions:
        gold = frozenset(resources_of(question.answers))
        # Hit@1 is not defined for questions without a resource as gold answer
        if gold:
            judged.append((selector.explain(question.id, question.text(language)), gold))
    if not judged:
        raise UsageError(f"{questions.name}: no question has a resource as its answer")
    return ablate(judged, selector.graph)


def ablate(judged: Judged, graph: Graph) -> Ablation:
    """Return what each part is worth on questions that were explained.

    Parameters
    ----------
    judged
        Pairs of an `Explanation` and the IRIs of the gold answers.
    graph
        The knowledge graph of the explanations.

    Returns
    -------
    Ablation
        As of `ablation`.
    """
    import pandas as pd

    from qaldgen.analysis.comparing.significance import exact_test

    table: list[dict[str, object]] = []
    right: dict[str, list[bool]] = {}
    for candidates in SETS:
        right = {
            name: [best_entity(act.rows, candidates, used) in gold for act, gold in judged]
            for name, used in USED.items()
        }
        reached = [
            any(row.entity in gold for row in rows_of_set(act.rows, candidates))
            for act, gold in judged
        ]
        shares = {name: _mean(found) for name, found in right.items()}
        table.append({"candidates": candidates, **shares, "recall": _mean(reached)})
    tests = {name: exact_test(found, right["all"]) for name, found in right.items()}
    table.append({"candidates": "full: p", **tests, "all": math.nan})
    first = _mean([act.first in gold for act, gold in judged])
    linkable = _mean([bool(act.linked) and act.linked[0] in gold for act, gold in judged])
    table += [
        {"candidates": "model: first", "all": first},
        {"candidates": "model: first linked", "all": linkable},
        {"candidates": "most frequent", "all": _most_frequent(judged, graph)},
    ]
    columns = ["candidates", *USED, "recall", "questions"]
    hits = pd.DataFrame([{**row, "questions": len(judged)} for row in table], columns=columns)
    proposed = sum(act.proposed for act, _ in judged)
    linked = sum(len(act.linked) for act, _ in judged)
    graph.learn(iri for _, gold in judged for iri in gold)
    right_types = []
    for act, gold in judged:
        types_of_gold = frozenset[str]().union(*graph.types(gold).values())
        right_types.append(not types_of_gold.isdisjoint(act.wanted))
    limits = [
        ("candidates linked", linked / proposed if proposed else math.nan),
        ("questions with an entity", _mean([bool(act.mentioned) for act, _ in judged])),
        ("questions with the right types", _mean(right_types)),
        ("questions with several answers", _mean([len(gold) > 1 for _, gold in judged])),
        ("questions with literals only", _mean([act.literals_only for act, _ in judged])),
    ]
    return Ablation(hits, pd.DataFrame(limits, columns=["limit", "share"]))


def rows_of_set(rows: Sequence[Row], candidates: str) -> list[Row]:
    """Return the rows of a set of candidates, one of `SETS`."""
    if candidates == "initial":
        return [row for row in rows if row.rank is not None]
    if candidates == "neighbours":
        return [row for row in rows if row.property]
    return list(rows)


def best_entity(rows: Sequence[Row], candidates: str, used: Collection[int]) -> str:
    """Return the best entity of a set of candidates by some of the four scores.

    >>> rows = [Row("a", "", 0, (0, 0, 1, 0), 1), Row("b", "capital", None, (0, 1, 0, 0.5), 1.5)]
    >>> best_entity(rows, "initial", [2]), best_entity(rows, "full", [3])
    ('a', 'b')
    """
    again = [
        row._replace(total=math.fsum(row.scores[at] for at in used))
        for row in rows_of_set(rows, candidates)
    ]
    if not again:
        return ""
    return min(again, key=place_of).entity


def _most_frequent(judged: Judged, graph: Graph) -> float:
    """Return how often the most frequent value of the gold relation in the graph is right."""
    # the relation is the one that leads to a gold answer, the most similar one of several; a
    # question without such a relation counts as wrong
    hits = []
    for act, gold in judged:
        ways = [row for row in act.rows if row.property and row.entity in gold]
        ways.sort(key=lambda row: -row.scores[3])
        try:
            hits.append(bool(ways) and graph.commonest(ways[0].property) in gold)
        except QaldgenError:  # public endpoints refuse to count everything
            return math.nan
    return _mean(hits)


def _mean(values: Sequence[bool]) -> float:
    return sum(values) / len(values)
