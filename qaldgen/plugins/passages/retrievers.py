"""Retrievers, which find the passages of a collection for a question, and re-ranking."""

from __future__ import annotations

import dataclasses
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, TypeAlias
from urllib.parse import urlsplit

import numpy as np

from qaldgen.errors import DataError, UsageError
from qaldgen.io.arguments import one_of
from qaldgen.io.packages import needs
from qaldgen.io.text import one_line
from qaldgen.io.web.access import hide_credentials, parse_address
from qaldgen.io.web.failure import tls_problem
from qaldgen.model import Question
from qaldgen.options import OneOf, Range
from qaldgen.plugins.passages.analysers import make_analyser
from qaldgen.plugins.passages.bm25 import K1, B, Bm25, Parameters, best_indices
from qaldgen.plugins.passages.collection import Collection, Passage
from qaldgen.plugins.passages.trec import Hit, HitsByQuestion

#: Passages that are sent to OpenSearch in one request.
_BATCH = 1000
#: Returns for a question and passages a score of each passage; the higher, the better.
Rerank: TypeAlias = Callable[[str, Sequence[str]], Sequence[float]]
#: Returns for a question and a number that many passages, the best first.
Retriever: TypeAlias = Callable[[str, int], Sequence[Hit]]


@dataclasses.dataclass(frozen=True)
class Settings:
    """The settings of retrievers, of which each reads its own.

    Attributes
    ----------
    analyser : str
        How BM25 splits texts into terms.
    language : str
        The language of questions and passages.
    title : bool
        Whether titles are part of the passages.
    k1 : float
        BM25: weight of repeated terms.
    b : float
        BM25: correction for the length of passages.
    model : str
        For dense: a folder, or the name of a sentence-transformers model.
    server : str
        For opensearch: http://host:port.
    """

    analyser: Annotated[str, OneOf("analysers", only=False)] = "token"
    language: str = "pl"
    title: bool = True
    k1: Annotated[float, Range(0)] = K1
    b: Annotated[float, Range(0, 1)] = B
    model: str = ""
    server: str = ""


class RetrieverKind(NamedTuple):
    """A kind of retriever."""

    #: Takes the collection and the settings, and does slow work such as building an index.
    make: Callable[[Collection, Settings], Retriever]
    help: str  #: a line about the retriever


def searched_texts(collection: Collection, settings: Settings) -> list[str]:
    """Return the texts that are searched, each followed by its title if the settings say so."""
    texts = []
    for passage in collection.passages:
        text = passage.text
        if settings.title and passage.title:
            text = f"{text} {passage.title}"
        texts.append(text)
    return texts


def _hits(collection: Collection, indices: Iterable[int], scores: Iterable[float]) -> list[Hit]:
    """Return the hits for passages by their indices in the collection."""
    pairs = zip(indices, scores, strict=True)
    return [Hit(collection.passages[index].id, score) for index, score in pairs]


def bm25_search(collection: Collection, settings: Settings) -> Retriever:
    """Return a search by our own index of BM25."""
    analyse = make_analyser(settings.analyser, settings.language)
    index = Bm25(searched_texts(collection, settings), analyse, Parameters(settings.k1, settings.b))

    def search(question: str, k: int) -> list[Hit]:
        indices, scores = index.search(question, k)
        return _hits(collection, indices.tolist(), scores.tolist())

    return search


def dense_search(collection: Collection, settings: Settings) -> Retriever:
    """Return a search for the passages whose vectors are nearest to the question's, by cosine."""
    encoder = _load_model("SentenceTransformer", settings.model)

    def encode(texts: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
        vectors = encoder.encode(
            list(texts), normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
        )
        return np.asarray(vectors, dtype=np.float32)

    nearest = nearest_search(encode(searched_texts(collection, settings)))

    def search(question: str, k: int) -> list[Hit]:
        indices, scores = nearest(encode([question]), min(k, len(collection.passages)))
        return _hits(collection, indices, scores)

    return search


def nearest_search(
    vectors: np.ndarray[Any, np.dtype[np.float32]],
) -> Callable[[np.ndarray[Any, Any], int], tuple[list[int], list[float]]]:
    """Return a search for the vectors with the largest inner product with a query.

    It takes the query as a matrix of one row, and a number; it returns the indices of as many
    vectors, the best first, and their products. The search is exact: by faiss where it is
    installed, else by numpy.
    """
    try:
        import faiss
    except ImportError:
        index = None
    else:
        index = faiss.IndexFlatIP(vectors.shape[1])
        index.add(vectors)

    def search(query: np.ndarray[Any, Any], k: int) -> tuple[list[int], list[float]]:
        if index is not None:
            products, indices = index.search(query, k)
            return indices[0].tolist(), products[0].tolist()
        scores = vectors @ query[0]
        best = best_indices(scores, k)
        return best.tolist(), scores[best].tolist()

    return search


def _load_model(class_name: str, model: str, **options: object) -> Any:  # noqa: ANN401
    """Load a model by a class of sentence-transformers; refuse one that cannot be loaded."""
    with needs(
        "dense retrieval and cross-encoders need sentence-transformers: pip install"
        " 'qaldgen[dense]'"
    ):
        import sentence_transformers
    if not model:
        raise UsageError(
            "a model is needed: a folder, or a name that sentence-transformers knows (`model`)"
        )
    try:
        return getattr(sentence_transformers, class_name)(model, device="cpu", **options)
    except (OSError, ValueError) as error:
        raise DataError(
            f"this model cannot be loaded ({' '.join(str(error).split())[:200]})", where=model
        ) from error


def opensearch_search(collection: Collection, settings: Settings) -> Retriever:
    """Return a search by an OpenSearch server; fills the index unless it has as many passages."""
    server = settings.server
    if urlsplit(server).scheme not in {"http", "https"}:
        raise UsageError(
            "an OpenSearch server is named by its address, http://host:port (`server`)"
        )
    with needs("OpenSearch needs its client: pip install 'qaldgen[opensearch]'"):
        from opensearchpy import OpenSearch
        from opensearchpy.exceptions import OpenSearchException
    # the client logs each try with a traceback; our errors say the same in one line
    logging.getLogger("opensearch").setLevel(logging.CRITICAL)
    client: Any = OpenSearch([server], timeout=60, max_retries=3, retry_on_timeout=True)
    address = parse_address(server).name
    name = f"qaldgen-{collection.name}-{collection.sha256[:12]}".lower()
    index_name = re.sub(r"[^a-z0-9-]+", "-", name).strip("-")
    fields = ["text", "title"] if settings.title else ["text"]

    def search(question: str, k: int) -> list[Hit]:
        query = {
            "query": {"multi_match": {"query": question, "fields": fields, "type": "most_fields"}},
            "size": k,
        }
        try:
            reply = client.search(index=index_name, body={**query, "_source": False})
        except OpenSearchException as error:
            raise DataError(_describe_error(error), where=address) from None
        return [Hit(str(hit["_id"]), float(hit["_score"])) for hit in reply["hits"]["hits"]]

    passages = collection.passages
    try:
        n_indexed = 0
        if client.indices.exists(index=index_name):
            n_indexed = client.count(index=index_name)["count"]
        if n_indexed != len(passages):
            for start in range(0, len(passages), _BATCH):
                lines: list[dict[str, Any]] = []
                for passage in passages[start : start + _BATCH]:
                    lines.append({"index": {"_index": index_name, "_id": passage.id}})
                    lines.append({"title": passage.title, "text": passage.text})
                if client.bulk(body=lines).get("errors"):
                    raise DataError(
                        f"the search engine refused some of the passages of {collection.name}"
                    )
            client.indices.refresh(index=index_name)
    except OpenSearchException as error:
        raise DataError(_describe_error(error), where=address) from None
    return search


def _describe_error(error: Any) -> str:  # noqa: ANN401 - the client has no types
    """Return why OpenSearch did not answer, and what to do."""
    # the client gives the status, a message and the cause, or some of them
    status, message, cause = (*error.args, "", "", "")[:3]
    if isinstance(status, int):
        reply = f"OpenSearch answers HTTP {status}"
        detail = one_line(hide_credentials(str(message)))
        return f"{reply}: {detail}" if detail else reply
    causes = getattr(cause, "args", ())
    reason = tls_problem(causes[0] if causes else None)
    if not reason:
        detail = one_line(hide_credentials(str(message).rpartition(": ")[2]))
        reason = detail or type(error).__name__
        reason += "; is it running, and is this its address (`server`)?"
    return f"OpenSearch does not answer: {reason}"


#: Every retriever, by name; the default is the first.
RETRIEVERS = {
    "bm25": RetrieverKind(
        bm25_search,
        "BM25 (Lucene's formula), ties in the order of the collection; needs no extra package",
    ),
    "dense": RetrieverKind(
        dense_search,
        "vectors of sentence-transformers, exact search by faiss or numpy (extra [dense])",
    ),
    "opensearch": RetrieverKind(
        opensearch_search,
        "an OpenSearch server, which indexes the collection once (extra [opensearch])",
    ),
}


def make_retriever(name: str, collection: Collection, settings: Settings) -> Retriever:
    """Return a retriever over a collection.

    >>> from qaldgen.plugins.passages.collection import Passage
    >>> mill, bridge = Passage("m", "Stary młyn stoi."), Passage("b", "Nowy most stoi.")
    >>> retrieve = make_retriever("bm25", Collection("two", (mill, bridge)), Settings())
    >>> retrieve("Gdzie jest młyn?", 1)[0].passage
    'm'
    """
    if name not in RETRIEVERS:
        raise UsageError(f"there is no retriever {name!r}; {one_of(name, RETRIEVERS)}")
    if not settings.k1 >= 0 or not 0 <= settings.b <= 1:
        raise UsageError(
            f"k1 must be 0 or more and b from 0 to 1; got {settings.k1:g} and {settings.b:g}"
        )
    return RETRIEVERS[name].make(collection, settings)


def cross_encoder(model: str) -> Callable[[str, Sequence[str]], list[float]]:
    """Return a function that scores passages for a question by a cross-encoder."""
    encoder = _load_model("CrossEncoder", model, num_labels=1)

    def score(question: str, passages: Sequence[str]) -> list[float]:
        if not passages:
            return []
        pairs = [(question, text) for text in passages]
        scores = np.asarray(encoder.predict(pairs, show_progress_bar=False), dtype=float)
        return scores.reshape(-1).tolist()

    return score


def rerank_hits(
    question: str, hits: Sequence[Hit], texts: Mapping[str, Passage], rerank: Rerank
) -> list[Hit]:
    """Return hits in the order of new scores; hits with equal scores keep their order.

    >>> passages = {"a": Passage("a", "Las."), "b": Passage("b", "Stary młyn.")}
    >>> shortest_last = lambda question, texts: [len(text) for text in texts]
    >>> hits = [Hit("a", 2.0), Hit("b", 1.0)]
    >>> [hit.passage for hit in rerank_hits("?", hits, passages, shortest_last)]
    ['b', 'a']
    """
    passages = [texts[hit.passage].text for hit in hits]
    scores = [float(score) for score in rerank(question, passages)]
    if len(scores) != len(hits) or any(score != score for score in scores):
        raise DataError(
            f"the re-ranker gave {len(scores):,} scores for {len(hits):,} passages, or one that is"
            " not a number; each passage needs one"
        )
    scored = [Hit(hit.passage, score) for hit, score in zip(hits, scores, strict=True)]
    return sorted(scored, key=lambda hit: -hit.score)


def rank_by_record(hits: Sequence[Hit], recorded: Sequence[Hit]) -> tuple[list[Hit], int]:
    """Return hits in the order of recorded scores, and the number of those without one.

    Hits without a score come last.

    >>> rank_by_record([Hit("a", 3.0), Hit("b", 2.0)], [Hit("b", 7.0)])
    ([Hit(passage='b', score=7.0), Hit(passage='a', score=3.0)], 1)
    """
    score_by_passage = {hit.passage: hit.score for hit in recorded}
    scored = [
        Hit(hit.passage, score_by_passage[hit.passage])
        for hit in hits
        if hit.passage in score_by_passage
    ]
    unscored = [hit for hit in hits if hit.passage not in score_by_passage]
    return sorted(scored, key=lambda hit: -hit.score) + unscored, len(unscored)


def check_recorded(recorded: HitsByQuestion, questions: Sequence[Question], location: str) -> None:
    """Refuse recorded scores of other questions."""
    if not any(question.id in recorded for question in questions):
        raise DataError(
            f"has scores for none of the {len(questions):,} questions; their ids must be the same",
            where=location,
        )
