"""BM25 over the terms of an analyser: an index that scores all passages at once.

Of passages with equal scores the first in the collection is better.

The formula is Lucene's: idf = ln(1 + (N - n + 0.5) / (n + 0.5)), and of a term that occurs f times
in a passage of length l f / (f + k1 (1 - b + b l / mean l)). The weight of each term in each
passage is computed once, so a search is a few additions.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qaldgen.plugins.passages.analysers import Analyse

#: What Anserini and PolQA's successors use; Lucene itself has 1.2 and 0.75.
K1 = 0.9
B = 0.4
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

        # count the terms of each passage: the counts of a term stand together, by passage
        codes = array("i")
        ends = array("q", [0])
        for text in texts:
            words = self.analyse(text)
            codes.extend([self.vocabulary.setdefault(w, len(self.vocabulary)) for w in words])
            ends.append(len(codes))
        self.size = len(ends) - 1
        counts = csr_array(
            (np.ones(len(codes), dtype=np.float32), np.array(codes), np.array(ends)),
            shape=(self.size, len(self.vocabulary)),
        )
        counts.sum_duplicates()
        by_term = counts.tocsc()
        self._starts, self._passages = by_term.indptr, by_term.indices.astype(np.int32)

        # compute the weight of each term in each of its passages
        k1, b = parameters
        frequencies = np.diff(self._starts)  # the number of passages with each term
        idf = np.log1p((self.size - frequencies + 0.5) / (frequencies + 0.5)).astype(np.float32)
        lengths = np.diff(ends)
        mean_length = max(float(lengths.mean()), 1.0) if self.size else 1.0
        norm = (k1 * (1 - b + b * lengths / mean_length)).astype(np.float32)
        weights = by_term.data
        weights /= weights + norm[self._passages]
        weights *= np.repeat(idf, frequencies)
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
    bounding = scores
    if blocks > k:
        # the maxima of k blocks are at least `bound`, so the k best scores are as well; this is
        # ten times as fast as a partition of a million scores
        bounding = scores[: blocks * _BLOCK].reshape(blocks, _BLOCK).max(axis=1)
    bound = np.partition(bounding, -k)[-k] if k < len(bounding) else -np.inf
    above = np.flatnonzero(scores >= bound)
    return above[np.argsort(-scores[above], kind="stable")[:k]]
