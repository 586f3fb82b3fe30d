"""ACT Selection for one question, as in the figures of its paper.

Also the table that shows which part of it helps.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.api.asking import AnyGraph, open_graph
from qaldgen.plugins.act.ablation import Ablation, ablate
from qaldgen.plugins.act.candidates import candidate
from qaldgen.plugins.act.graph import Graph
from qaldgen.plugins.act.neural.training import PAPER, Learning, train_model
from qaldgen.plugins.act.options import NEIGHBOURS, PRESETS, TYPE_SCORES, Act, Beams, Selection
from qaldgen.plugins.act.selector import Explanation, Selector
from qaldgen.plugins.act.sources import generator_words
from qaldgen.plugins.act.system import selector_of
from qaldgen.asking.record import System
from qaldgen.errors import UsageError
from qaldgen.model import QuestionSet
from qaldgen.scoring.outcomes import resources_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "NEIGHBOURS",
    "PAPER",
    "PRESETS",
    "TYPE_SCORES",
    "Ablation",
    "Act",
    "Beams",
    "Explanation",
    "Learning",
    "Selection",
    "ablate",
    "ablation",
    "explain",
    "generator_words",
    "open_act",
    "table_of",
    "train",
]


def open_act(
    how: Act, kg: AnyGraph, language: str = "en", system: System | None = None
) -> Selector:
    """Return ACT over a knowledge graph.

    Parameters
    ----------
    how
        Where the candidates come from, and how they are scored.
    kg
        The graph.
    language
        Language of the questions.
    system
        How a model on the web is asked for candidates: its name, limits and credentials.

    Raises
    ------
    QaldgenError
        If a file cannot be read.
    """
    system = system or System("", "act")
    return selector_of(dataclasses.replace(system, language=language, kg=open_graph(kg), act=how))


def train(
    training: QuestionSet,
    folder: str | Path,
    kg: AnyGraph,
    how: Learning | None = None,
    language: str = "en",
) -> float:
    """Train a small model to answer questions, as a source of candidates; needs ``qaldgen[act]``.

    Parameters
    ----------
    training
        Questions with answers; each answer is one example.
    folder
        Where the model is written, for ``Act(generator="seq2seq:FOLDER")``.
    kg
        The graph that names the entities among the answers.
    how
        By default a tiny T5 from scratch, in a minute or two; `PAPER` for those of the paper.
    language
        Language of the questions and names.

    Returns
    -------
    float
        The loss of the state that was kept.

    Raises
    ------
    UsageError
        If the folder is not empty, or torch and transformers are not installed.
    DataError
        If no question has an answer.
    """
    graph = Graph(open_graph(kg), Selection(), language)
    known = [
        (one.text(language), value)
        for one in training.questions
        for value in (one.answers.values() if one.answers is not None else ())
    ]
    graph.learn(value for _, value in known if candidate(value).iri)
    pairs = [
        (text, graph.label(value) if candidate(value).iri else value)
        for text, value in known
        if text
    ]
    return train_model(pairs, folder, how)


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
        Language of the text to use.

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
        The number of rows.
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


def ablation(selector: Selector, questions: QuestionSet, language: str = "en") -> Ablation:
    """Return what each part of ACT contributes, as in Table 3 of the paper, with tests and limits.

    Parameters
    ----------
    selector
        From `open_act`.
    questions
        With gold answers; those without a resource among them are left out, since ACT cannot answer
        them.
    language
        Language of the wordings.

    Returns
    -------
    Ablation
        Hit@1 of each set of candidates by each choice of scores, and what limits it.

    Raises
    ------
    UsageError
        If no question has a resource as its answer.
    """
    asked = [(one, frozenset(resources_of(one.answers))) for one in questions.questions]
    # Hit@1 is not defined for questions without a resource as gold answer
    asked = [(one, gold) for one, gold in asked if gold]
    if not asked:
        raise UsageError(f"{questions.name}: no question has a resource as its answer")
    judged = [(selector.explain(one.id, one.text(language)), gold) for one, gold in asked]
    return ablate(judged, selector.graph)
