"""BM25 over the terms of an analyser: an index that scores all passages at once.

Of passages with equal scores the first in the collection is better.

The formula is Lucene's: idf = ln(1 + (N - n + 0.5) / (n + 0.5)), and of a term that occurs f times
in a passage of length l f / (f + k1 (1 - b + b l / mean l)). The weight of each term in each
passage is computed once, so a search is a few additions.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qaldgen.plugins.passages.analysers import Analyse

#: What Anserini and PolQA's successors use; Lucene itself has 1.2 and 0.75.
K1 = 0.9
B = 0.4
#: Passages whose terms are counted at a time, so that memory stays small.
_BATCH = 50_000
#: Number of scores of which `best_indices` takes the maximum first.
_BLOCK = 256


class Parameters(NamedTuple):
    """How BM25 weighs terms."""

    k1: float = K1  # how fast further occurrences of a term stop counting
    b: float = B  # how much the length of a passage matters


class Bm25:
    """An index of texts.

    >>> from qaldgen.plugins.passages.analysers import words
    >>> index = Bm25(["stary młyn", "nowy most", "młyn i most"], words)
    >>> index.search("gdzie stoi młyn", 2)[0].tolist()
    [0, 2]
    """

    def __init__(
        self,
        texts: Iterable[str],
        analyse: Analyse,
        parameters: Parameters = Parameters(),  # noqa: B008
    ) -> None:
        self.analyse = analyse
        self.vocabulary = dict[str, int]()

        # count the terms of each passage: batches of three columns, term, passage and count
        batches: list[Sequence[NDArray[np.int32]]] = [(np.empty(0, np.int32),) * 3]
        passage_lengths = array("i")
        codes = array("i")
        owners = array("i")  # for each code the number of its passage
        for number, text in enumerate(texts):
            words = self.analyse(text)
            passage_lengths.append(len(words))
            codes.extend([self.vocabulary.setdefault(w, len(self.vocabulary)) for w in words])
            owners.extend([number] * len(words))
            if (number + 1) % _BATCH == 0:
                batches.append(_count_terms(codes, owners))
                codes = array("i")
                owners = array("i")
        batches.append(_count_terms(codes, owners))
        self.size = len(passage_lengths)

        # sort the columns by term, then by passage: a term has one span of rows
        terms, passages, counts = map(np.concatenate, zip(*batches, strict=True))
        order = np.argsort(terms, kind="stable")
        terms = terms[order]
        self._starts = np.searchsorted(terms, np.arange(len(self.vocabulary) + 1))
        self._passages = passages[order]

        # compute the weight of each term in each of its passages
        k1, b = parameters
        frequencies = np.diff(self._starts)  # the number of passages with each term
        idf = np.log1p((self.size - frequencies + 0.5) / (frequencies + 0.5)).astype(np.float32)
        lengths = np.array(passage_lengths, dtype=np.int32)
        mean_length = max(float(lengths.mean()), 1.0) if self.size else 1.0
        norm = (k1 * (1 - b + b * lengths / mean_length)).astype(np.float32)
        weights = counts[order].astype(np.float32)
        weights /= weights + norm[self._passages]
        weights *= idf[terms]
        self._weights = weights

    def _span(self, term: str) -> slice:
        """Return the span of a term in the weights; an empty one if no passage has it."""
        code = self.vocabulary.get(term)
        if code is None:
            return slice(0, 0)
        return slice(self._starts[code], self._starts[code + 1])

    def scores(self, query: str) -> NDArray[np.float32]:
        """Return the score of every passage for a query; a repeated term counts each time."""
        scores = np.zeros(self.size, dtype=np.float32)
        for term in self.analyse(query):
            span = self._span(term)
            scores[self._passages[span]] += self._weights[span]
        return scores

    def holds_all(self, query: str) -> NDArray[np.bool_]:
        """Return which passages hold every term of a query; none for a query without terms."""
        terms = set(self.analyse(query))
        if not terms:
            return np.zeros(self.size, dtype=np.bool_)
        n_terms = np.zeros(self.size, dtype=np.int32)
        for term in terms:
            n_terms[self._passages[self._span(term)]] += 1
        return np.asarray(n_terms == len(terms), dtype=np.bool_)

    def search(
        self, query: str, k: int, *, require_all: bool = False
    ) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Return the indices of the `k` best passages, and their scores."""
        scores = self.scores(query)
        if require_all:
            scores[~self.holds_all(query)] = 0.0
        best = best_indices(scores, k)
        best = best[scores[best] > 0]
        return best, scores[best]


def best_indices(scores: NDArray[np.float32], k: int) -> NDArray[np.intp]:
    """Return the indices of the `k` highest scores, highest first, of equal ones the first.

    >>> best_indices(np.array([1.0, 3.0, 3.0, 2.0], dtype=np.float32), 3).tolist()
    [1, 2, 3]
    """
    blocks = len(scores) // _BLOCK
    if blocks > k:
        # the maxima of k blocks are at least `bound`, so the k best scores are as well; this is
        # ten times as fast as a partition of a million scores
        maxima = scores[: blocks * _BLOCK].reshape(blocks, _BLOCK).max(axis=1)
        bound = np.partition(maxima, blocks - k)[blocks - k]
        above = np.flatnonzero(scores >= bound)
        return above[_sort_best(scores[above], k)]
    return _sort_best(scores, k)


def _sort_best(scores: NDArray[np.float32], k: int) -> NDArray[np.intp]:
    """Return the indices of the `k` highest scores by sorting the part that can hold them."""
    if k < len(scores):
        kth_best = np.partition(scores, len(scores) - k)[len(scores) - k]
        above = np.flatnonzero(scores > kth_best)
        ties = np.flatnonzero(scores == kth_best)[: k - len(above)]
        indices = np.concatenate([above, ties])
    else:
        indices = np.arange(len(scores))
    return indices[np.lexsort((indices, -scores[indices]))]


def _count_terms(codes: array[int], owners: array[int]) -> Sequence[NDArray[np.int32]]:
    """Return each pair of term and passage once, with how often it occurs."""
    keys = np.array(codes, dtype=np.int64) << 32 | np.array(owners, dtype=np.int64)
    pairs, counts = np.unique(keys, return_counts=True)
    return (
        (pairs >> 32).astype(np.int32),
        (pairs & 0xFFFFFFFF).astype(np.int32),
        counts.astype(np.int32),
    )
