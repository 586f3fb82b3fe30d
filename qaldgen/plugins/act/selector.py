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

if TYPE_CHECKING:
    import pandas as pd


class Explanation(NamedTuple):
    """The reasons for the answer to a question: the figures of the paper.

    Attributes
    ----------
    rows : tuple of Row
        The final table, best first.
    counts : dict of str to int
        The number of candidates with each type, the most frequent type first.
    wanted : tuple of str
        The types that count.
    linked : tuple of str
        The entities of the candidates, best first; one may occur twice.
    first : str
        The entity of the model's first candidate; empty if it was not linked.
    proposed : int
        The number of candidates.
    mentioned : tuple of str
        The entities of the question.
    literals : int
        The number of literals around the entities of the question; none of them can be an answer.
    pure : float
        The share of the candidates that have the most frequent type, from 0 to 1; NaN without
        candidates.
    unlinked : bool
        Whether the linker has no entry for the question.
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
        """Whether the entities of the question have literals but no neighbours."""
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
        # one question at a time, as each extends the known part of the graph
        self._lock = threading.Lock()

    def explain(
        self, question_id: str, question: str, candidates: Sequence[Candidate] | None = None
    ) -> Explanation:
        """Rank the candidates of a question, and the neighbours of its entities.

        The first row of the explanation is the answer. The model or file of the selector proposes
        the candidates unless they are given.
        """
        graph = self.graph
        with self._lock:
            if candidates is None:
                candidates = self._generate(question_id, question)

            texts = [candidate.text for candidate in candidates if candidate.text]
            is_unlinked = False
            if self._linker is None:
                mentioned_entities = graph.find_mentioned(texts, question)
            else:
                graph.find_mentioned(texts)  # the graph learns the names of the candidates
                entities_of_linker = self._linker(question_id, question)
                is_unlinked = entities_of_linker is None
                mentioned_entities = list(entities_of_linker or ())

            entities = [candidate.iri or graph.entity(candidate.text) for candidate in candidates]
            linked_entities = [entity for entity in entities if entity]
            links = graph.neighbours(mentioned_entities)
            entities_around = linked_entities + [link.entity for link in links]
            graph.learn(entities_around + [link.property for link in links])
            types = graph.types(entities_around)
            # a neighbour without a type is a category, a redirect or similar, never an answer
            links = [link for link in links if types[link.entity]]

            counts = type_counts(linked_entities, types)
            labels = {type_: graph.label(type_) for type_ in counts}
            target_types = wanted_types(counts, labels, self._similarity, self._selection)
            names = list(dict.fromkeys(link.property for link in links))
            values = self._similarity(question, [graph.label(name) for name in names])
            property_scores = dict(zip(names, values, strict=True))

            rows = score_rows(
                linked_entities,
                links,
                types=types,
                target_types=target_types,
                property_scores=property_scores,
                selection=self._selection,
            )
            return Explanation(
                rows=tuple(rows),
                counts=counts,
                wanted=tuple(target_types),
                linked=tuple(linked_entities),
                first=entities[0] if entities else "",
                proposed=len(candidates),
                mentioned=tuple(mentioned_entities),
                literals=sum(graph.literals[entity] for entity in mentioned_entities),
                pure=purity(linked_entities, counts),
                unlinked=is_unlinked,
            )


def explain(
    selector: Selector, questions: QuestionSet, id_: str, language: str = LANGUAGE
) -> Explanation:
    """Return the reasons for the answer to a question.

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
        raise UsageError(f"has no question {id_!r}", where=questions.name)
    return selector.explain(id_, question.text(language))


def table_of(selector: Selector, explanation: Explanation, most: int = 20) -> pd.DataFrame:
    """Return the best rows of a question with their scores, one column each.

    Parameters
    ----------
    selector
        ACT as it explained the question; its graph has the names.
    explanation
        The explanation of the question.
    most
        The maximum number of rows.

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
    from qaldgen.reports.tables.results import dump_frame  # imports pandas

    label = selector.graph.label
    types = []
    for type_, number in explanation.counts.items():
        mark = " *" if type_ in explanation.wanted else ""
        types.append(f"{label(type_)} {number}{mark}")
    type_list = ", ".join(types) or "none"
    linked = ", ".join(map(label, explanation.linked[:20]))
    mentioned = ", ".join(map(label, explanation.mentioned)) or "none"
    return (
        f"types of the candidates (* counts): {type_list}; purity {explanation.pure:.1%}\n"
        f"linked: {len(explanation.linked)} of {explanation.proposed} candidates: {linked}\n"
        f"entities of the question: {mentioned}; literals around them:"
        f" {explanation.literals}\n\n"
        f"{dump_frame(table_of(selector, explanation), 'text')}"
    )
