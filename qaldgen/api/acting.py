"""ACT Selection for one question: what the figures of its paper show.

And the table that says which part of it helps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qaldgen.api.asking import AnyGraph, open_graph
from qaldgen.asking.act.options import NEIGHBOURS, PRESETS, TYPE_SCORES, Act, Selection
from qaldgen.asking.act.ranking import SETS, best, members
from qaldgen.asking.act.system import Explanation, Selector, selector_of
from qaldgen.asking.record import System
from qaldgen.errors import UsageError
from qaldgen.model import QuestionSet
from qaldgen.scoring.outcomes import resources_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "NEIGHBOURS",
    "PRESETS",
    "TYPE_SCORES",
    "Act",
    "Explanation",
    "Selection",
    "ablation",
    "explain",
    "open_act",
    "table_of",
]

#: What is left of the four scores: each alone, all, and all but one.
_USED = {
    "type": (0,), "neighbour": (1,), "rank": (2,), "property": (3,), "all": (0, 1, 2, 3),
    "without type": (1, 2, 3), "without neighbour": (0, 2, 3), "without rank": (0, 1, 3),
    "without property": (0, 1, 2),
}  # fmt: skip


def open_act(how: Act, kg: AnyGraph, language: str = "en") -> Selector:
    """Return ACT over a knowledge graph.

    Parameters
    ----------
    how
        Where the candidates come from, and how they are scored.
    kg
        The graph.
    language
        Of the questions.

    Raises
    ------
    QaldgenError
        If a file cannot be read.
    """
    return selector_of(System("", "act", language, kg=open_graph(kg), act=how))


def explain(
    selector: Selector, questions: QuestionSet, id_: str, language: str = "en"
) -> Explanation:
    """Return what happens to one question.

    Parameters
    ----------
    selector
        From `open_act`.
    questions
        The set.
    id_
        Which question.
    language
        Whose wording is taken.

    Raises
    ------
    UsageError
        If there is no such question.
    """
    question = next((one for one in questions.questions if one.id == id_), None)
    if question is None:
        raise UsageError(f"{questions.name}: has no question {id_!r}")
    return selector.explain(id_, question.text(language))


def table_of(selector: Selector, found: Explanation, most: int = 20) -> pd.DataFrame:
    """Return the best rows of a question with their scores, one column each.

    Parameters
    ----------
    selector
        From `open_act`, for the names.
    found
        What happened.
    most
        So many rows.
    """
    import pandas as pd

    label = selector.graph.label
    rows = [
        (
            at,
            label(row.entity),
            label(row.property) if row.property else "",
            *row.scores,
            row.total,
            row.entity,
        )
        for at, row in enumerate(found.rows[:most], 1)
    ]
    columns = [
        "place",
        "candidate",
        "property",
        "type",
        "neighbour",
        "rank",
        "property score",
        "total",
        "entity",
    ]
    return pd.DataFrame(rows, columns=columns)


def ablation(selector: Selector, questions: QuestionSet, language: str = "en") -> pd.DataFrame:
    """Return Hit@1 of each candidate set for each choice of scores (Table 3), with its bounds.

    Parameters
    ----------
    selector
        From `open_act`.
    questions
        With gold answers; those without a resource among them are left out, since ACT cannot answer
        them.
    language
        Of the wordings.

    Returns
    -------
    pandas.DataFrame
        One row for ``initial`` (the model's candidates), ``neighbours`` and ``full``: Hit@1 by each
        score alone, by all, and by all but one; ``recall``, how often the set has a right answer at
        all; ``questions``. The row ``model`` has the first linked candidate alone.

    Raises
    ------
    UsageError
        If no question has a resource as its answer.
    """
    import pandas as pd

    asked = [(one, frozenset(resources_of(one.answers))) for one in questions.questions]
    # Hit@1 is not defined for questions without a resource as gold answer
    asked = [(one, gold) for one, gold in asked if gold]
    if not asked:
        raise UsageError(f"{questions.name}: no question has a resource as its answer")
    found = [(selector.explain(one.id, one.text(language)), gold) for one, gold in asked]
    table: list[dict[str, object]] = []
    for kept in SETS:
        # the same explained rows for every choice of scores: asking the graph takes the time
        hits = {
            name: _mean([best(one.rows, kept, used) in gold for one, gold in found])
            for name, used in _USED.items()
        }
        reach = _mean(
            [any(row.entity in gold for row in members(one.rows, kept)) for one, gold in found]
        )
        table.append({"candidates": kept, **hits, "recall": reach, "questions": len(found)})
    # the model's own first candidate, before any of the four scores
    first = _mean([bool(one.linked) and one.linked[0] in gold for one, gold in found])
    table.append({"candidates": "model", "all": first, "questions": len(found)})
    return pd.DataFrame(table, columns=["candidates", *_USED, "recall", "questions"])


def _mean(values: list[bool]) -> float:
    return sum(values) / len(values)
