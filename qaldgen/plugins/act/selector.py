"""ACT for one question: candidates and neighbours are scored, and the best one is the answer."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from qaldgen.defaults import LANGUAGE
from qaldgen.errors import UsageError
from qaldgen.model import QuestionSet
from qaldgen.plugins.act.candidates import Candidate, Generator
from qaldgen.plugins.act.graph import Graph
from qaldgen.plugins.act.linking import Linker
from qaldgen.plugins.act.row_scores import Row, purity, score_rows, type_counts, wanted_types
from qaldgen.plugins.act.settings import Selection
from qaldgen.plugins.act.similarity import Similarity, ngram_similarity
from qaldgen.reports.tables.results import dump_frame

if TYPE_CHECKING:
    import pandas as pd


class Explanation(NamedTuple):
    """How the answer to a question was chosen: the figures of the paper.

    Attributes
    ----------
    rows : tuple of Row
        The final table, best first.
    counts : dict of str to int
        How many candidates have each type, the most frequent first.
    wanted : tuple of str
        The types that count.
    linked : tuple of str
        The entities of the candidates, best first; one may occur twice.
    first : str
        The entity of the model's first candidate; empty if it was not linked.
    proposed : int
        How many candidates there were.
    mentioned : tuple of str
        The entities of the question.
    literals : int
        How many literals are around the entities of the question; none of them can be an answer.
    pure : float
        The share of the candidates that have the most frequent type, from 0 to 1; NaN without
        candidates.
    unlinked : bool
        Whether the linker said nothing about the question.
    """

    rows: tuple[Row, ...]
    counts: dict[str, int]
    wanted: tuple[str, ...]
    linked: tuple[str, ...]
    first: str
    proposed: int
    mentioned: tuple[str, ...]
    literals: int
    pure: float
    unlinked: bool = False

    @property
    def literals_only(self) -> bool:
        """Whether only literals are around the entities of the question."""
        return self.literals > 0 and not any(row.property for row in self.rows)


class Selector:
    """ACT over one graph, with one source of candidates."""

    def __init__(
        self,
        graph: Graph,
        generate: Generator,
        selection: Selection,
        similarity: Similarity = ngram_similarity,
        linker: Linker | None = None,
    ) -> None:
        self._linker = linker
        self.graph = graph
        self._generate = generate
        self._selection = selection
        self._similarity = similarity
        # one question at a time, as each adds to what is known about the graph
        self._lock = threading.Lock()

    def explain(
        self, id_: str, question: str, proposed: Sequence[Candidate] | None = None
    ) -> Explanation:
        """Return how the answer to a question is chosen; the first row is the answer."""
        with self._lock:
            if proposed is None:
                proposed = self._generate(id_, question)
            return self._explain(id_, question, proposed)

    def _explain(self, id_: str, question: str, candidates: Sequence[Candidate]) -> Explanation:
        graph = self.graph
        texts = [candidate.text for candidate in candidates if candidate.text]
        unlinked = False
        if self._linker is None:
            mentioned = graph.named(texts, question)
        else:
            graph.named(texts)  # the graph learns the names of the candidates
            entities_of_linker = self._linker(id_, question)
            unlinked = entities_of_linker is None
            mentioned = list(entities_of_linker or ())
        entities = [candidate.iri or graph.entity(candidate.text) for candidate in candidates]
        linked = [entity for entity in entities if entity]
        links = graph.around(mentioned)
        entities_around = [*linked, *(link.entity for link in links)]
        graph.learn([*entities_around, *(link.property for link in links)])
        types = graph.types(entities_around)
        # A neighbour without a type is a category, a redirect or similar, never an answer.
        links = [link for link in links if types[link.entity]]
        counts = type_counts(linked, types)
        labels = {type_: graph.label(type_) for type_ in counts}
        target_types = wanted_types(counts, labels, self._similarity, self._selection)
        names = list(dict.fromkeys(link.property for link in links))
        values = self._similarity(question, [graph.label(name) for name in names])
        property_scores = dict(zip(names, values, strict=True))
        rows = score_rows(linked, links, types, target_types, property_scores, self._selection)
        return Explanation(
            rows=tuple(rows),
            counts=counts,
            wanted=tuple(target_types),
            linked=tuple(linked),
            first=next(iter(entities), ""),
            proposed=len(candidates),
            mentioned=tuple(mentioned),
            literals=sum(graph.literals[entity] for entity in mentioned),
            pure=purity(linked, counts),
            unlinked=unlinked,
        )


def explain(
    selector: Selector, questions: QuestionSet, id_: str, language: str = LANGUAGE
) -> Explanation:
    """Return how the answer to a question is chosen.

    Parameters
    ----------
    selector
        ACT over a knowledge graph, of `open_act`.
    questions
        The set of the question.
    id_
        The id of the question.
    language
        Language of its text.

    Returns
    -------
    Explanation
        Candidates, entities, types and scores.

    Raises
    ------
    UsageError
        If the set has no such question.
    """
    question = questions.by_id.get(id_)
    if question is None:
        raise UsageError(f"{questions.name}: has no question {id_!r}")
    return selector.explain(id_, question.text(language))


def table_of(selector: Selector, explanation: Explanation, most: int = 20) -> pd.DataFrame:
    """Return the best rows of a question with their scores, one column each.

    Parameters
    ----------
    selector
        Who explained the question; its graph has the names.
    explanation
        What happened to the question.
    most
        How many rows to return.

    Returns
    -------
    DataFrame
        Place, names of candidate and property, the four scores and their weighted sum, and the IRI.
    """
    import pandas as pd

    label = selector.graph.label
    rows = []
    for position, row in enumerate(explanation.rows[:most], 1):
        property_ = label(row.property) if row.property else ""
        rows.append((position, label(row.entity), property_, *row.scores, row.total, row.entity))
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


def explanation_text(selector: Selector, explanation: Explanation) -> str:
    """Return an explanation as text: types, links and the table."""
    label = selector.graph.label
    types = []
    for kind, number in explanation.counts.items():
        mark = " *" if kind in explanation.wanted else ""
        types.append(f"{label(kind)} {number}{mark}")
    counted = ", ".join(types) or "none"
    linked = ", ".join(map(label, explanation.linked[:20]))
    mentioned = ", ".join(map(label, explanation.mentioned)) or "none"
    return (
        f"types of the candidates (* counts): {counted}; purity {explanation.pure:.1%}\n"
        f"linked: {len(explanation.linked)} of {explanation.proposed} candidates: {linked}\n"
        f"entities of the question: {mentioned}; literals around them:"
        f" {explanation.literals}\n\n"
        f"{dump_frame(table_of(selector, explanation), 'text')}"
    )
