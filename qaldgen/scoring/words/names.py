"""The names of gold answers, ready to be looked up, and where a text has one of them."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from qaldgen.scoring.words.inflection import bases, inflects, is_form
from qaldgen.scoring.words.spelling import is_written_like, merged, skeleton

#: A name that goes on with one of these is the name of something else: "World War II".
NUMERALS = frozenset("ii iii iv vi vii viii ix xi xii xiii xiv xv xvi xvii xviii xix xx".split())  # noqa: SIM905
#: The fewest consonants of a name in another script, of one word and of several.
_ONE_WORD, _SEVERAL = 4, 4
_KATAKANA = re.compile(r"[\u30a1-\u30fa\u30fc-\u30ff]{2,}")
_NOT_LATIN = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]")
#: Words that may stand between a first and a last name, beside one that an initial stands for.
_BETWEEN = 2


class Name(NamedTuple):
    """A wording of a gold answer.

    Attributes
    ----------
    words : tuple of str
        Its tokens.
    gold : int
        The gold answer.
    cased : str
        How it must be written; empty if upper and lower case do not matter.
    main : frozenset of str
        The tokens of the main wording.
    part : bool
        Whether it is one word of a longer main wording: a surname, for instance.
    person : bool
        Whether it may have middle names, and its words stand in the other order.
    """

    words: tuple[str, ...]
    gold: int
    cased: str = ""
    main: frozenset[str] = frozenset()
    part: bool = False
    person: bool = False


class Place(NamedTuple):
    """Where a name stands in a text: its first word, and the one behind its last."""

    name: Name
    start: int
    end: int


class Names:
    """The names of the gold answers of a question, ready to be looked up.

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
        """Yield where the text has a name word for word; a person's also with middle names."""
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
        """Yield where the text has a name in another case."""
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
        """Yield where the text has a name in another script."""
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
            found: dict[str, list[tuple[Name, tuple[str, ...]]]] = defaultdict(list)
            for name in self.all:
                words = tuple(skeleton(word) for word in name.words if len(word) > 1)
                enough = sum(len(word.lstrip("a")) for word in words) >= (
                    _SEVERAL if len(words) > 1 else _ONE_WORD
                )
                if not name.cased and enough and all(words) and "".join(name.words).isascii():
                    found[merged(words[0])[:2]].append((name, words))
            self._sounds = found
        return self._sounds


def _anchor(name: Name) -> int:
    """Return the place of the longest word, of equals the first."""
    return max(range(len(name.words)), key=lambda at: (len(name.words[at]), -at))


def _foreign(
    surfaces: Sequence[str], places: Sequence[tuple[int, int]]
) -> Iterator[tuple[str, int, int]]:
    """Yield the words that are not in Latin script (of Japanese the parts in katakana.

    Else nothing), and their places.
    """
    at = 0
    while at < len(surfaces):
        surface, end = surfaces[at], at + 1
        while end < len(surfaces) and places[end] == places[at]:
            end += 1
        part = found[0] if (found := _KATAKANA.search(surface)) else surface
        yield part if _NOT_LATIN.search(part) else "", at, end
        at = end


def _with_middle_names(forms: Sequence[str], start: int, words: tuple[str, ...]) -> int:
    """Return where a person's name ends that has middle names here; 0 if it does not stand here.

    An initial stands for a word that it begins; without one, up to two words may come between.
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
