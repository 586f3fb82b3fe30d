"""The contribution of each part of ACT: Table 3 of the paper, with baselines and limits."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from qaldgen.defaults import LANGUAGE
from qaldgen.errors import QaldgenError, UsageError
from qaldgen.plugins.act.row_scores import Row, RowScores, rank_key
from qaldgen.plugins.act.selector import Explanation, Selector
from qaldgen.scoring.mistakes import answer_resources

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.model import QuestionSet
    from qaldgen.plugins.act.graph import Graph


#: The sets of candidates.
SETS = ("initial", "neighbours", "full")
#: Selections of scores: each alone, all, and all but one.
SCORE_NAMES: dict[str, tuple[str, ...]] = {name: (name,) for name in RowScores._fields}
SCORE_NAMES["all"] = RowScores._fields
for _name in RowScores._fields:
    SCORE_NAMES[f"without {_name}"] = tuple(other for other in RowScores._fields if other != _name)
#: Explanations of questions, each with the gold answers.
Judged: TypeAlias = "Sequence[tuple[Explanation, Collection[str]]]"


class Ablation(NamedTuple):
    """The contribution of each part of ACT.

    Attributes
    ----------
    hits : DataFrame
        One row for ``initial`` (the model's candidates), ``neighbours`` and ``full``: Hit@1 by each
        score alone, by all, and by all but one, and ``recall``, how often the set has a right
        answer at all. ``full: p`` has the p-value of each choice against all scores, by the exact
        test of McNemar. Then baselines without scores, under ``all``: the model alone by its first
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
    """Return the contribution of each part of ACT, as in the paper's Table 3, with tests.

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
    for question in questions:
        gold = frozenset(answer_resources(question.gold))
        # Hit@1 is not defined for questions without a resource as gold answer
        if gold:
            judged.append((selector.explain(question.id, question.text(language)), gold))
    if not judged:
        raise UsageError("no question has a resource as its answer", where=questions.name)
    return ablate(judged, selector.graph)


def ablate(judged: Judged, graph: Graph) -> Ablation:
    """Return the contribution of each part on questions that were explained.

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

    # Hit@1 by sets of candidates and scores, with the tests and the baselines
    rows: list[dict[str, object]] = []
    for candidates in SETS:
        shares = {label: _share(hits) for label, hits in _find_hits(judged, candidates).items()}
        has_gold = []
        for explanation, gold in judged:
            entities = {row.entity for row in rows_of_set(explanation.rows, candidates)}
            has_gold.append(not entities.isdisjoint(gold))
        rows.append({"candidates": candidates, **shares, "recall": _share(has_gold)})
    full = _find_hits(judged, "full")
    p_values = {label: exact_test(hits, full["all"]) for label, hits in full.items()}
    p_values["all"] = math.nan
    rows.append({"candidates": "full: p", **p_values})
    hits_of_first = [explanation.first in gold for explanation, gold in judged]
    hits_of_first_linked = [
        bool(explanation.linked) and explanation.linked[0] in gold for explanation, gold in judged
    ]
    rows += [
        {"candidates": "model: first", "all": _share(hits_of_first)},
        {"candidates": "model: first linked", "all": _share(hits_of_first_linked)},
        {"candidates": "most frequent", "all": _most_frequent_hits(judged, graph)},
    ]
    columns = ["candidates", *SCORE_NAMES, "recall"]
    hits = pd.DataFrame(rows, columns=columns).assign(questions=len(judged))

    # the shares that limit the accuracy
    explanations = [explanation for explanation, _ in judged]
    golds = [gold for _, gold in judged]
    proposed = sum(explanation.proposed for explanation in explanations)
    linked = sum(len(explanation.linked) for explanation in explanations)
    graph.learn(itertools.chain(*golds))
    has_correct_type = []
    for explanation, gold in judged:
        types_of_gold = frozenset[str]().union(*graph.types(gold).values())
        has_correct_type.append(not types_of_gold.isdisjoint(explanation.wanted))
    limits = {
        "candidates linked": math.nan,
        "questions with an entity": _share([bool(each.mentioned) for each in explanations]),
        "questions with the right types": _share(has_correct_type),
        "questions with several answers": _share([len(gold) > 1 for gold in golds]),
        "questions with literals only": _share([each.literals_only for each in explanations]),
    }
    if proposed:
        limits["candidates linked"] = linked / proposed
    return Ablation(hits, pd.DataFrame(list(limits.items()), columns=["limit", "share"]))


def _find_hits(judged: Judged, candidates: str) -> dict[str, list[bool]]:
    """Return by selection of scores whether the best candidate of each question is correct."""
    hits = {}
    for label, names in SCORE_NAMES.items():
        hits[label] = [best_entity(each.rows, candidates, names) in gold for each, gold in judged]
    return hits


def rows_of_set(rows: Sequence[Row], candidates: str) -> list[Row]:
    """Return the rows of a set of candidates, one of `SETS`."""
    if candidates == "initial":
        return [row for row in rows if row.rank is not None]
    if candidates == "neighbours":
        return [row for row in rows if row.property]
    return list(rows)


def best_entity(rows: Sequence[Row], candidates: str, names: Collection[str]) -> str:
    """Return the best entity of a set of candidates by the named scores.

    >>> rows = [Row("a", "", 0, RowScores(0, 0, 1, 0), 1)]
    >>> rows.append(Row("b", "capital", None, RowScores(0, 1, 0, 0.5), 1.5))
    >>> best_entity(rows, "initial", ["rank"]), best_entity(rows, "full", ["property"])
    ('a', 'b')
    """
    rescored = []
    for row in rows_of_set(rows, candidates):
        total = math.fsum(getattr(row.scores, name) for name in names)
        rescored.append(row._replace(total=total))
    if not rescored:
        return ""
    return min(rescored, key=rank_key).entity


def _most_frequent_hits(judged: Judged, graph: Graph) -> float:
    """Return the share of questions whose gold relation most often leads to a gold answer.

    The gold relation is the most similar one that leads to a gold answer; its most frequent value
    is taken from the graph. A question without such a relation counts as wrong.
    """
    hits = []
    for explanation, gold in judged:
        relations = [row for row in explanation.rows if row.property and row.entity in gold]
        if not relations:
            hits.append(False)
            continue
        gold_relation = max(relations, key=lambda row: row.scores.property).property
        try:
            hits.append(graph.most_frequent_value(gold_relation) in gold)
        except QaldgenError:  # public endpoints refuse to count everything
            return math.nan
    return _share(hits)


def _share(values: Sequence[bool]) -> float:
    """Return the share of values that are true."""
    return sum(values) / len(values)
