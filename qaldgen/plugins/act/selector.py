"""ACT for one question: scores of candidates and neighbours, the best of which is the answer."""

from __future__ import annotations

import math
import sys
import threading
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError, UsageError
from qaldgen.io.packages import needs
from qaldgen.model import QuestionSet
from qaldgen.plugins.act.candidates import Candidate, Generator
from qaldgen.plugins.act.graph import Graph, Link
from qaldgen.plugins.act.linking import Linker
from qaldgen.plugins.act.settings import Selection
from qaldgen.reports.tables.results import dump_frame

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


#: Takes a text and candidates; returns the similarity to each candidate, from -1 to 1.
Similarity: TypeAlias = Callable[[str, Sequence[str]], Sequence[float]]
#: Lengths of the n-grams, with the blanks around a word.
_SIZES = (2, 3, 4)


def ngram_similarity(text: str, candidates: Sequence[str]) -> list[float]:
    """Return the cosines of the n-grams of a text with the n-grams of each candidate.

    >>> near, far = ngram_similarity("What is the capital of Peru?", ["capital", "mayor"])
    >>> near > 0.5 > far
    True
    """
    vector = _vector(text)
    cosines = []
    for candidate in candidates:
        short, long = sorted((vector, _vector(candidate)), key=len)
        products = (value * long[gram] for gram, value in short.items() if gram in long)
        cosines.append(math.fsum(products))
    return cosines


@lru_cache(1 << 16)
def _vector(text: str) -> Mapping[str, float]:
    """Return the n-grams of the words of a text, as a vector of length 1."""
    words = unicodedata.normalize("NFKC", text).casefold().split()
    counts = Counter[str]()
    for word in words:
        padded = f" {word} "
        for size in _SIZES:
            starts = range(len(padded) + 1 - size)
            counts.update(padded[start : start + size] for start in starts)
    length = math.sqrt(math.fsum(count * count for count in counts.values()))
    return {gram: count / length for gram, count in counts.items()}


def encoder_similarity(model: str) -> Similarity:
    """Return the cosine of a model of sentence-transformers: a folder, or a name that it knows."""
    with needs("`encoder` needs sentence-transformers: pip install 'qaldgen[sbert]'"):
        import sentence_transformers
    try:
        if transformers := sys.modules.get("transformers"):  # it draws progress bars
            transformers.utils.logging.disable_progress_bar()
        encoder: Any = sentence_transformers.SentenceTransformer(model)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        raise DataError(f"{model}: this encoder cannot be loaded ({reason})") from error
    vectors: dict[str, np.ndarray[Any, Any]] = {}  # kept, as names of types occur again and again

    def similarity(text: str, candidates: Sequence[str]) -> list[float]:
        new = [name for name in dict.fromkeys([text, *candidates]) if name not in vectors]
        if new:
            encoded = encoder.encode(new, normalize_embeddings=True, show_progress_bar=False)
            vectors.update(zip(new, encoded, strict=True))
        # rounded, as the last digits depend on which texts are encoded together
        return [round(float(vectors[text] @ vectors[name]), 6) for name in candidates]

    return similarity


class Row(NamedTuple):
    """A candidate with its scores."""

    entity: str  # the candidate
    property: str  # the property by which it is a neighbour; empty for a candidate of the model
    rank: int | None  # its position among the linked candidates of the model, from 0
    scores: tuple[float, float, float, float]  # for type, neighbour, rank and property
    total: float  # their weighted sum


def type_counts(candidates: Sequence[str], types: Mapping[str, Collection[str]]) -> dict[str, int]:
    """Return how many candidates have each type, the most frequent first.

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
    top = types[: selection.top_types]
    rarer = [type_ for type_ in types[selection.top_types :] if names.get(type_)]
    similar: set[str] = set()
    for name in filter(None, map(names.get, top)):
        values = similarity(name, [names[type_] for type_ in rarer])
        for type_, value in zip(rarer, values, strict=True):
            if value > selection.similarity:
                similar.add(type_)
    return top + [type_ for type_ in rarer if type_ in similar]


def type_score(shared: int, size: int, formula: str) -> float:
    """Return the score of a candidate that has `shared` of `size` wanted types.

    >>> [round(type_score(4, 13, formula), 5) for formula in ("match", "paper", "authors")]
    [1.0, 0.30769, 0.69231]
    """
    if not shared or not size:
        return 0.0
    return {"match": 1.0, "paper": shared / size, "authors": (size - shared) / size}[formula]


def rank_score(rank: int | None, size: int) -> float:
    """Return the score for the rank of the model.

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
    for place, candidate in enumerate(candidates):
        ranks.setdefault(candidate, place)  # an entity proposed twice keeps its better rank
    # of a link in both directions the forward one counts
    link_by_key = {(link.entity, link.property): link for link in links}
    link_by_key |= {(link.entity, link.property): link for link in links if link.forward}
    rows = []
    proposed = [Link(candidate, "") for candidate in ranks]
    for entity, name, forward in [*proposed, *link_by_key.values()]:
        shared = len(set(types.get(entity, ())) & set(target_types))
        type_ = type_score(shared, len(target_types), selection.type_score)
        # as in the paper and in the authors' program, only forward links count
        neighbour = float(bool(name) and forward)
        rank = rank_score(ranks.get(entity), len(candidates))
        scores = (type_, neighbour, rank, property_scores.get(name, 0.0))
        rows.append(
            Row(entity, name, ranks.get(entity), scores, weighted_sum(scores, selection.weights))
        )
    rows.sort(key=rank_key)
    if not selection.reranked:
        return rows
    reranked = [
        row._replace(total=weighted_sum(row.scores, selection.reranked))
        for row in rows[: selection.rows]
    ]
    return sorted(reranked, key=rank_key)


def weighted_sum(scores: Sequence[float], weights: Sequence[float]) -> float:
    """Return the weighted sum of scores."""
    return math.fsum(score * weight for score, weight in zip(scores, weights, strict=True))


def rank_key(row: Row) -> tuple[float, float, float, str, str]:
    """Return the key by which rows are sorted, the best first.

    Ties go to the more similar property, then to the model's order, then to the IRI.
    """
    rank = math.inf if row.rank is None else row.rank
    return -row.total, -row.scores[3], rank, row.entity, row.property


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
    for place, row in enumerate(explanation.rows[:most], 1):
        property_ = label(row.property) if row.property else ""
        rows.append((place, label(row.entity), property_, *row.scores, row.total, row.entity))
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
