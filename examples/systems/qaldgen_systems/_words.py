"""The words of questions and labels.

Cut, stemmed, and set beside other words that mean the same.
"""

from __future__ import annotations

import functools
import re
import unicodedata

from qaldgen.features.text.letters import word_set

_WORD = re.compile(r"[^\W_]+(?:[.,]\d+)*")
_POSSESSIVE = re.compile(r"['’]s?\b|['’](?=\s|$)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_PLURAL = (
    ("ies", "y"),
    ("sses", "ss"),
    ("shes", "sh"),
    ("ches", "ch"),
    ("xes", "x"),
    ("ss", "ss"),
    ("us", "us"),
    ("s", ""),
)
_ENDING = re.compile(r"(?:ing|ed|er|or|ion|ie|y|e)$")

#: Words that say nothing about a relation.
FUNCTION_WORDS = word_set(
    "a all also among an and any are as at be been both but by can could did do does each ever"
    " every for from give had has have he her his how i if in into is it its just like list many me"
    " much my name number of on only or other our out over people person she show so some such tell"
    " than that the their them then there these they this those to under up us was we were what"
    " when where which who whom whose will with within would you"
)

#: A word of labels, and words of questions that mean the same; both are stemmed before they are
#: compared.
_SAME = {
    "area": "large big size cover",
    "artist": "paint painted painter sculptor drew",
    "author": "write wrote written writer novelist",
    "award": "win won prize honoured received laureate",
    "based": "adapted adaptation",
    "birth": "born birthday birthplace native",
    "border": "neighbour neighbor adjacent touch surrounded next",
    "child": "children son daughter father mother parent",
    "composer": "compose wrote written",
    "country": "state nation",
    "crosses": "cross flow pass run through",
    "currency": "money pay",
    "date": "when day",
    "death": "die died dead",
    "depth": "deep",
    "director": "direct made",
    "discoverer": "discover found find",
    "discovery": "discovered found",
    "exhibited": "hang seen kept displayed shown museum",
    "film": "movie picture",
    "flows": "flow pass run",
    "height": "high tall elevation rise",
    "invention": "invented",
    "inventor": "invent",
    "language": "speak spoken tongue",
    "length": "long",
    "location": "where stand lie situated",
    "located": "where stand lie situated found",
    "maximum": "deepest",
    "mountain": "peak summit",
    "mouth": "end empty",
    "name": "called known nickname title",
    "occupation": "profession job trade work",
    "office": "president minister chancellor office",
    "orbits": "circle orbit revolve round",
    "other": "nickname also former",
    "person": "people",
    "place": "where",
    "population": "inhabitant live populous resident",
    "publication": "published appeared",
    "release": "released came",
    "running": "last long",
    "spouse": "wife husband marry married",
    "starring": "star cast actor actress act appear play",
    "symbol": "sign",
    "year": "when",
}  # fmt: skip


def fold(text: str) -> str:
    """Return a text in lower case, without diacritics.

    Examples
    --------
    >>> fold("Żółw und Straße")
    'zołw und strasse'
    """
    return "".join(
        letter
        for letter in unicodedata.normalize("NFKD", text.casefold())
        if not unicodedata.combining(letter)
    )


def split(text: str) -> tuple[str, ...]:
    """Return the words and numbers of a text, folded, without the ending of the genitive.

    Examples
    --------
    >>> split("Which of Ångström's 1,500 letters?")
    ('which', 'of', 'angstrom', '1500', 'letters')
    """
    return tuple(_WORD.findall(fold(_THOUSANDS.sub("", _POSSESSIVE.sub(" ", text)))))


@functools.lru_cache(maxsize=10_000)
def stem(word: str) -> str:
    """Return a word without the ending of the plural and up to two more endings.

    At least three letters are left.

    Examples
    --------
    >>> stem("discoveries"), stem("discoverer"), stem("discovered"), stem("glass")
    ('discov', 'discov', 'discov', 'glass')
    """
    for ending, singular in _PLURAL:
        if word.endswith(ending) and len(word) > len(ending) + 2:
            word = word.removesuffix(ending) + singular
            break
    for _ in range(2):
        shorter = _ENDING.sub("", word)
        word = shorter if len(shorter) > 2 else word
    return word


def content(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words that are no function words."""
    return tuple(word for word in words if word not in FUNCTION_WORDS)


@functools.lru_cache(maxsize=10_000)
def meanings(word: str) -> frozenset[str]:
    """Return the stem of a word, and those of the words in labels that it may stand for.

    Examples
    --------
    >>> sorted(meanings("husband"))
    ['husband', 'spous']
    """
    return frozenset({stem(word)}) | _heads().get(stem(word), frozenset())


@functools.cache
def _heads() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for head, others in _SAME.items():
        for other in others.split():
            found.setdefault(stem(other), set()).add(stem(head))
    return {word: frozenset(heads) for word, heads in found.items()}
