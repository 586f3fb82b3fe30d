"""A text as it is read: its words, their positions, and whether capitals tell anything."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from qaldgen.scoring.words.spans import spans
from qaldgen.scoring.words.tokens import tokens

#: From this share of capitals on a text is a headline; of a few words all may have one.
_HEADLINE, _FEW = 0.8, 5


class Reading:
    """A text as it is read; the positions of its words are computed only on demand.

    Parameters
    ----------
    text
        The text.
    language
        Its language.
    asked
        The tokens of the question.
    forms
        The tokens of the text, if they are known already.
    """

    def __init__(
        self, text: str, language: str, asked: frozenset[str], forms: Sequence[str] | None = None
    ) -> None:
        self.text, self.language, self.asked = text, language, asked
        self.forms = tokens(text, language) if forms is None else tuple(forms)

    @functools.cached_property
    def _spans(self) -> tuple[str, list[tuple[int, int]]]:
        return spans(self.text, self.language)

    @property
    def source(self) -> str:
        """The normalised text, to which positions refer."""
        return self._spans[0]

    @property
    def places(self) -> list[tuple[int, int]]:
        """Start and end of each word in `source`."""
        return self._spans[1]

    @functools.cached_property
    def surfaces(self) -> list[str]:
        """The words as written."""
        source, places = self._spans
        return [source[start:end] for start, end in places]

    @functools.cached_property
    def has_upper(self) -> bool:
        """Whether there is any capital."""
        return self.text != self.text.lower()

    @functools.cached_property
    def cased(self) -> bool:
        """Whether capitals set names apart: some words have one, and not nearly all of many."""
        letters = [surface for surface in self.surfaces if surface[0].isalpha()]
        upper = sum(surface[0].isupper() for surface in letters)
        return upper > 0 and (upper < _HEADLINE * len(letters) or len(letters) < _FEW)

    def surface(self, at: int) -> str:
        """Return a word as written.

        Parameters
        ----------
        at
            Index of the word.

        Returns
        -------
        str
            A part of `source`.
        """
        start, end = self.places[at]
        return self.source[start:end]

    def gap(self, before: int) -> str:
        """Return the text between a word and the one before it.

        Parameters
        ----------
        before
            Index of the word.

        Returns
        -------
        str
            A line break before the first and after the last word.
        """
        if not 0 < before < len(self.places):
            return "\n"
        return self.source[self.places[before - 1][1] : self.places[before][0]]
