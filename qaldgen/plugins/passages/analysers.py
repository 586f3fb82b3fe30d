"""Split texts into the terms that are compared: words, their first letters, or their lemmas."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from qaldgen.errors import UsageError
from qaldgen.io.arguments import one_of
from qaldgen.io.packages import needs
from qaldgen.questions.question_texts import base_language

#: Returns the terms of a text, in their order.
Analyse: TypeAlias = Callable[[str], list[str]]
_WORD = re.compile(r"[^\W_]+")
#: Letters of a word that a prefix keeps; in Polish five do as well as a lemmatiser
#: (docs/plugins/passages.md).
PREFIX = 5


class Analyser(NamedTuple):
    """A way to split texts into terms."""

    make: Callable[[str], Analyse]  #: takes a language tag and returns the function
    help: str  #: what it does, in one line


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, without punctuation.

    >>> words("Stary młyn (1871) – „Ulm”, O'Hara")
    ['stary', 'młyn', '1871', 'ulm', 'o', 'hara']
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return _WORD.findall(text.lower())


def prefixes(text: str) -> list[str]:
    """Return the first letters of each word of a text."""
    return [word[:PREFIX] for word in words(text)]


def _make_lemmatiser(language: str) -> Analyse:
    """Return the function from a text to the lemmas of its words."""
    with needs(
        "lemmas need the package simplemma, which is not installed: pip install 'qaldgen[pl]';"
        " or choose prefix, which does as well for Polish"
    ):
        from simplemma import lemmatize
    tag = base_language(language)
    try:
        lemmatize("a", lang=tag)
    except ValueError as error:
        raise UsageError(
            f"simplemma has no lemmas for the language {tag!r}; choose token or prefix"
        ) from error

    @functools.lru_cache(maxsize=1 << 20)
    def lemma(word: str) -> str:
        return str(lemmatize(word, lang=tag)).lower()

    return lambda text: [lemma(word) for word in words(text)]


#: Every analyser, by name.
ANALYSERS = {
    "token": Analyser(lambda language: words, "words in lower case"),
    "prefix": Analyser(lambda language: prefixes, f"the first {PREFIX} letters of each word"),
    "lemma": Analyser(_make_lemmatiser, "dictionary forms, by simplemma (extra [pl])"),
}


def make_analyser(name: str, language: str = "pl") -> Analyse:
    """Return the function from a text to its terms.

    >>> make_analyser("prefix")("Jerozolima jest stara")
    ['jeroz', 'jest', 'stara']
    """
    if name not in ANALYSERS:
        raise UsageError(f"there is no analyser {name!r}; {one_of(name, ANALYSERS)}")
    return ANALYSERS[name].make(language)


class Overlap(NamedTuple):
    """The overlap of texts and passages, with the choices that PolQA's paper leaves open."""

    analyse: Analyse  # returns the terms of a text: words or lemmas
    types: bool = False  # whether each distinct term counts once, not each occurrence
    title: bool = False  # whether the title belongs to the passage

    def share(self, texts: Sequence[str], passage: str, title: str = "") -> float | None:
        """Return the largest share, over the texts, of terms that a passage contains.

        None without any term.

        >>> from qaldgen.plugins.passages.analysers import words
        >>> Overlap(words).share(["w Ulm", "Ulm nad Dunajem"], "Młyn stoi w Ulm.")
        1.0
        """
        if self.title:
            passage = f"{title} {passage}"
        passage_terms = set(self.analyse(passage))
        shares = []
        for text in texts:
            terms = self.analyse(text)
            if self.types:
                terms = list(dict.fromkeys(terms))
            if terms:
                shares.append(sum(term in passage_terms for term in terms) / len(terms))
        return max(shares, default=None)
