"""The similarity of a text to names, by n-grams of letters or by an encoder."""

from __future__ import annotations

import math
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from qaldgen.errors import DataError
from qaldgen.io.packages import needs
from qaldgen.io.text import one_line

if TYPE_CHECKING:
    import numpy as np

#: Takes a text and candidates; returns the similarity to each candidate, from -1 to 1.
Similarity: TypeAlias = Callable[[str, Sequence[str]], Sequence[float]]
#: Lengths of the n-grams, with the blanks around a word.
_SIZES = (2, 3, 4)


def ngram_similarity(text: str, candidates: Sequence[str]) -> list[float]:
    """Return the cosines of the n-grams of a text with the n-grams of each candidate.

    >>> high, low = ngram_similarity("What is the capital of Peru?", ["capital", "mayor"])
    >>> high > 0.5 > low
    True
    """
    vector = _ngram_vector(text)
    cosines = []
    for candidate in candidates:
        short, long = sorted((vector, _ngram_vector(candidate)), key=len)
        products = (value * long[gram] for gram, value in short.items() if gram in long)
        cosines.append(math.fsum(products))
    return cosines


@lru_cache(1 << 16)
def _ngram_vector(text: str) -> Mapping[str, float]:
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
        transformers = sys.modules.get("transformers")
        if transformers:  # it draws progress bars
            transformers.utils.logging.disable_progress_bar()
        encoder: Any = sentence_transformers.SentenceTransformer(model)
    except (OSError, ValueError) as error:
        raise DataError(
            f"this encoder cannot be loaded ({one_line(str(error))})", where=model
        ) from error
    vectors: dict[str, np.ndarray[Any, Any]] = {}  # kept, as names of types occur again and again

    def similarity(text: str, candidates: Sequence[str]) -> list[float]:
        unknown = [name for name in dict.fromkeys([text, *candidates]) if name not in vectors]
        if unknown:
            encoded = encoder.encode(unknown, normalize_embeddings=True, show_progress_bar=False)
            vectors.update(zip(unknown, encoded, strict=True))
        # rounded, as the last digits depend on which texts are encoded together
        return [round(float(vectors[text] @ vectors[name]), 6) for name in candidates]

    return similarity
