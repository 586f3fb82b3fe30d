"""The names of gold answers, indexed for lookup, and where a text has one of them."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from qaldgen.scoring.words.inflection import bases, inflects, is_form
from qaldgen.scoring.words.spelling import is_written_like, merged, skeleton

_NUMERALS = "ii iii iv vi vii viii ix xi xii xiii xiv xv xvi xvii xviii xix xx"
#: A name that continues with one of these is the name of something else: "World War II".
NUMERALS = frozenset(_NUMERALS.split())
#: The fewest consonants for a comparison across scripts, of one word and of several.
_ONE_WORD, _SEVERAL = 4, 4
_KATAKANA = re.compile(r"[\u30a1-\u30fa\u30fc-\u30ff]{2,}")
_NOT_LATIN = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]")
#: How many middle names may come between a first and a last name.
_BETWEEN = 2


class Name(NamedTuple):
    """One variant of a gold answer.

    Attributes
    ----------
    words : tuple of str
        Its tokens.
    gold : int
        Index of the gold answer.
    cased : str
        How it must be written; empty if upper and lower case do not matter.
    main : frozenset of str
        The tokens of the main variant.
    part : bool
        Whether it is one word of a longer main variant: a surname, for instance.
    person : bool
        Whether middle names may be inserted, as into the name of a person.
    """

    words: tuple[str, ...]
    gold: int
    cased: str = ""
    main: frozenset[str] = frozenset()
    part: bool = False
    person: bool = False


class Place(NamedTuple):
    """Where a name occurs in a text.

    Attributes
    ----------
    name : Name
        The name.
    start, end : int
        Index of its first word, and index after its last.
    """

    name: Name
    start: int
    end: int


class Names:
    """The names of the gold answers of a question, indexed for lookup.

    A name is looked up by its longest word, since many begin with the same article.

    Parameters
    ----------
    names
        The names.

    Examples
    --------
    >>> names = Names([Name(("ada", "mill"), 0, person=True)])
    >>> [(place.start, place.end) for place in names.exact(("mr", "ada", "byron", "mill"))]
    [(1, 4)]
    """

    def __init__(self, names: Iterable[Name]) -> None:
        self.all = tuple(names)
        self._anchors: dict[str, list[tuple[Name, int]]] = defaultdict(list)
        self._people: dict[str, list[Name]] = defaultdict(list)
        for name in self.all:
            at = _anchor(name)
            self._anchors[name.words[at]].append((name, at))
            if name.person and len(name.words) > 1:
                self._people[name.words[0]].append(name)
        self._sounds: Mapping[str, list[tuple[Name, tuple[str, ...]]]] | None = None

    def exact(self, forms: tuple[str, ...]) -> Iterator[Place]:
        """Yield where the text has a name word for word; a person's also with middle names.

        Parameters
        ----------
        forms
            The tokens of the text.

        Yields
        ------
        Iterator[Place]
            Some places twice, if several names match there.
        """
        known = self._anchors.keys() & set(forms) | self._people.keys() & set(forms)
        for i, form in enumerate(forms) if known else ():
            if form not in known:
                continue
            for name, at in self._anchors.get(form, ()):
                start = i - at
                if start >= 0 and forms[start : start + len(name.words)] == name.words:
                    yield Place(name, start, start + len(name.words))
            for name in self._people.get(form, ()):
                end = _with_middle_names(forms, i, name.words)
                if end:
                    yield Place(name, i, end)

    def inflected(self, forms: Sequence[str], language: str) -> Iterator[Place]:
        """Yield where the text has a name in another grammatical case.

        Parameters
        ----------
        forms
            The tokens of the text.
        language
            Its language.

        Yields
        ------
        Iterator[Place]
            Nothing for a language without rules.
        """
        if not inflects(language):
            return
        known = self._anchors.keys()
        for i, form in enumerate(forms):
            for base in known & bases(form, language):
                for name, at in self._anchors[base]:
                    part = (
                        forms[i - at : i - at + len(name.words)]
                        if i >= at and not name.cased
                        else ()
                    )
                    if len(part) == len(name.words) and all(
                        map(is_form, part, name.words, itertools.repeat(language))
                    ):
                        yield Place(name, i - at, i - at + len(part))

    def sounding(
        self, surfaces: Sequence[str], places: Sequence[tuple[int, int]]
    ) -> Iterator[Place]:
        """Yield where the text has a name in another script.

        Parameters
        ----------
        surfaces
            The words as written.
        places
            Their positions; a Japanese word has several tokens with the same position.

        Yields
        ------
        Iterator[Place]
            Compared by consonants; see `spelling`.
        """
        chunks = list(_foreign(surfaces, places))
        if not any(word for word, _, _ in chunks):
            return
        table = self._by_sound()
        for i, (word, start, _) in enumerate(chunks):
            sound = merged(skeleton(word)) if word else ""
            for name, wanted in (
                (*table.get(sound[:2], ()), *table.get("a" + sound[:1], ())) if sound else ()
            ):
                part = chunks[i : i + len(wanted)]
                if len(part) == len(wanted) and all(
                    map(is_written_like, (one[0] for one in part), wanted)
                ):
                    yield Place(name, start, part[-1][2])

    def _by_sound(self) -> Mapping[str, list[tuple[Name, tuple[str, ...]]]]:
        if self._sounds is None:
            by_sound: dict[str, list[tuple[Name, tuple[str, ...]]]] = defaultdict(list)
            for name in self.all:
                words = tuple(skeleton(word) for word in name.words if len(word) > 1)
                enough = sum(len(word.lstrip("a")) for word in words) >= (
                    _SEVERAL if len(words) > 1 else _ONE_WORD
                )
                if not name.cased and enough and all(words) and "".join(name.words).isascii():
                    by_sound[merged(words[0])[:2]].append((name, words))
            self._sounds = by_sound
        return self._sounds


def _anchor(name: Name) -> int:
    """Return the index of the longest word, the first of equals."""
    return max(range(len(name.words)), key=lambda at: (len(name.words[at]), -at))


def _foreign(
    surfaces: Sequence[str], places: Sequence[tuple[int, int]]
) -> Iterator[tuple[str, int, int]]:
    """Yield the words that are not in Latin script, with their token indices.

    For Japanese only the part in katakana; an empty string for all other words.
    """
    at = 0
    while at < len(surfaces):
        surface, end = surfaces[at], at + 1
        while end < len(surfaces) and places[end] == places[at]:
            end += 1
        part = match[0] if (match := _KATAKANA.search(surface)) else surface
        yield part if _NOT_LATIN.search(part) else "", at, end
        at = end


def _with_middle_names(forms: Sequence[str], start: int, words: tuple[str, ...]) -> int:
    """Return the index after a person's name with middle names; 0 if it does not occur here.

    An initial matches a word that it begins; otherwise up to two words may come between.
    """
    if len(words) < 2:
        return 0
    at = start + 1
    for word in words[1:-1]:
        if at >= len(forms) or not (
            forms[at] == word or (len(word) == 1 and forms[at].startswith(word))
        ):
            return 0
        at += 1
    for end in range(at, min(at + 1 + _BETWEEN * (len(words) == 2), len(forms))):
        if forms[end] == words[-1]:
            return end + 1
    return 0
