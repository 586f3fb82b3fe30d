"""Other ways to write the main name of an answer.

Without its class, its title or its initials; a king's name in other languages.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from qaldgen.scoring.words.cldr import known
from qaldgen.scoring.words.lexicon import phrases, primary
from qaldgen.scoring.words.names import NUMERALS
from qaldgen.scoring.words.tokens import tokens
from qaldgen.scoring.words.word_lists import listed, listed_phrases

#: Words that say what a thing is and can be dropped from its name, at its end and at its start.
CLASSES = listed("class")
_BEFORE = listed("class-before")
#: Words that can be dropped if two words remain.
_OF_PLACES = listed("class-of-two")
#: Words that can always be dropped from the name of a company.
LEGAL = listed("legal")
TITLES = listed("title")
#: Words that are not a name without their class: the Dead Sea, Long Island, the Great Lakes.
_COMMON = listed("common-name")
_INITIALS = re.compile(r"\b([A-Z]{2,3})(?= [A-Z][a-z])")
_UMLAUTS = {
    "ä": "ae",
    "ö": "oe",
    "ü": "ue",
    "Ä": "Ae",
    "Ö": "Oe",
    "Ü": "Ue",
    "ø": "oe",
    "å": "aa",
    "Ø": "Oe",
    "Å": "Aa",
}
#: What an address of the web may lack.
_ADDRESS = re.compile(r"^(?:https?://)?(?:www\.)?")
_CAPITALISED = re.compile(r"[^\W\d_a-z]")


class Variant(NamedTuple):
    """Another way to write a name.

    Attributes
    ----------
    words : tuple of str
        Its tokens.
    part : bool
        Whether it is just one word of a longer name.
    """

    words: tuple[str, ...]
    part: bool = False


def asks_who(texts: Mapping[str, Sequence[str]]) -> bool:
    """Tell whether a question asks for a person or an agent, by its text in any language.

    Parameters
    ----------
    texts
        The texts of the question, by language.

    Returns
    -------
    bool
        Whether a word for "who" is among its first words.

    Examples
    --------
    >>> asks_who({"de": ["Wer baute die Mühle?"]}), asks_who({"en": ["Which mill is it?"]})
    (True, False)
    """
    for language, wordings in texts.items():
        wanted = listed_phrases("who", primary(language))
        for text in wordings:
            words = tokens(text)
            if any(words[i : i + n] in wanted for i in range(min(3, len(words))) for n in (1, 2)):
                return True
    return False


def is_person_like(main: str) -> bool:
    """Tell whether a name may be a person's.

    Parameters
    ----------
    main
        The name.

    Returns
    -------
    bool
        Whether it has two to four words, all with a capital and none of them the class of a thing.

    Examples
    --------
    >>> is_person_like("Ada Mill"), is_person_like("Ada River"), is_person_like("Old mill")
    (True, False, False)
    """
    words = main.replace(",", " ").split()
    if not 2 <= len(words) <= 4 or any(char.isdigit() for char in main) or "," in main:
        return False
    forms = tokens(main)
    shouted = any(
        len(word) > 2 and word.isupper() and "." not in word and word.lower() not in NUMERALS
        for word in words
    )
    capitals = not shouted and all(
        _CAPITALISED.match(word) or word.lower() in _PARTICLES for word in words
    )
    return capitals and not any(
        form in CLASSES or form in _OF_PLACES or form in LEGAL for form in forms
    )


_PARTICLES = listed("particle")


def further_names(main: str, numbers_as: str = "en", *, who: bool = False) -> Iterator[Variant]:
    """Yield the other ways to write a name.

    Parameters
    ----------
    main
        The main name, without a qualifier in brackets.
    numbers_as
        How its numbers are written.
    who
        Whether the question asks for a person: then the last name alone is enough.

    Yields
    ------
    Iterator[Variant]
        Each once, without the main name.

    Examples
    --------
    >>> [" ".join(one.words) for one in further_names("Lake Mill")]
    ['mill']
    >>> [" ".join(one.words) for one in further_names("King John II")][:3]
    ['john ii', 'john al ii', 'johannes ii']
    """
    seen = {tokens(main, numbers_as)}
    for variant in _all_variants(main, numbers_as, who=who):
        if variant.words and variant.words not in seen:
            seen.add(variant.words)
            yield variant


def _all_variants(main: str, numbers_as: str, *, who: bool) -> Iterator[Variant]:
    words = tokens(main, numbers_as)
    bare = _without_title(words)
    yield Variant(bare)
    yield Variant(tokens(_ADDRESS.sub("", main), numbers_as))
    yield Variant(_without_class(words, is_territory=_is_territory(main)))
    yield from _before_comma(main, numbers_as)
    yield from map(Variant, _regnal(bare))
    yield from map(Variant, _respelled(main, numbers_as))
    if words[:2] == ("university", "of"):
        yield Variant((*words[2:], "university"))
    elif words[-1:] == ("university",) and len(words) > 1:
        yield Variant(("university", "of", *words[:-1]))
    if is_person_like(main):
        yield from _of_person(main, bare, who=who)


def _is_territory(main: str) -> bool:
    thing = known(main)
    return thing is not None and thing[0] == "territory"


def _without_title(words: tuple[str, ...]) -> tuple[str, ...]:
    while len(words) > 2 and words[0] in TITLES:
        words = words[1:]
    return words


def _without_class(words: tuple[str, ...], *, is_territory: bool) -> tuple[str, ...]:
    """Return a name without its class words, if the rest is still a name."""
    if is_territory or len(words) < 2:
        return ()
    rest = words
    while len(rest) > 1 and (
        rest[-1] in CLASSES or rest[-1] in LEGAL or (len(rest) > 2 and rest[-1] in _OF_PLACES)
    ):
        rest = rest[:-1]
    if rest == words and words[0] in _BEFORE:
        rest = words[2:] if words[1:2] == ("of",) else words[1:]
    if words[-2:] == ("time", "zone"):
        return (*words[:-2], "time")
    named = len(rest) > 1 or (rest and len(rest[0]) > 3 and rest[0] not in _COMMON)
    return rest if named and rest != words else ()


def _before_comma(main: str, numbers_as: str) -> Iterator[Variant]:
    """Yield a place without the region after the comma."""
    first, comma, rest = main.partition(",")
    words, region = tokens(first, numbers_as), tokens(rest)
    if comma and words and region and not any(word in TITLES or word == "of" for word in region):
        yield Variant(words)


@functools.cache
def _given() -> Mapping[str, tuple[str, ...]]:
    by_form: dict[str, tuple[str, ...]] = {}
    for row in phrases("given-name").values():
        forms = tuple(token for name in row for token in tokens(name))
        by_form.setdefault(forms[0], forms)
    return by_form


def _regnal(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the name of a king or pope in other languages: given names before a Roman numeral."""
    if len(words) < 2 or (words[-1] not in NUMERALS and words[-1] not in ("i", "v", "x")):
        return
    table = _given()
    rows = [table.get(word, ()) for word in words[:-1]]
    if all(rows):
        for forms in itertools.product(*rows):
            yield (*forms, words[-1])
            yield (*forms, "al", words[-1])


def _respelled(main: str, numbers_as: str) -> Iterator[tuple[str, ...]]:
    """Yield a name with ae for ä, and with the initials separated: J K for JK."""
    if any(char in _UMLAUTS for char in main):
        yield tokens("".join(_UMLAUTS.get(char, char) for char in main), numbers_as)
    if " Sharp" in main:
        yield tokens(main.replace(" Sharp", "#"), numbers_as)
    apart = _INITIALS.sub(lambda found: " ".join(found[1]), main.replace(".", ""))
    yield tokens(apart, numbers_as)


def _of_person(main: str, words: tuple[str, ...], *, who: bool) -> Iterator[Variant]:
    """Yield a person's name without middle initials, in reverse order, and the last name alone."""
    inner = tuple(word for word in words[1:-1] if len(word) > 1)
    yield Variant((words[0], *inner, words[-1]))
    if len(words[0]) == 1 and len(words) > 2:
        yield Variant(words[1:])
    if len(words) == 2 and not any(word in NUMERALS for word in words):
        yield Variant((words[1], words[0]))
    last = words[-1]
    # The last word of "Philip of Greece" is not a surname.
    if "of" in words:
        return
    if (
        who
        and len(last) > 3
        and last not in NUMERALS
        and last not in ("junior", "senior")
        and last not in _COMMON
    ):
        yield Variant((last,), part=True)
