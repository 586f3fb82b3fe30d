"""Names in other grammatical cases: Krakowie for Kraków, Германии for Германия, 독일에 for 독일."""

from __future__ import annotations

import functools
import re

from qaldgen.scoring.words.cldr import territory_names
from qaldgen.scoring.words.lexicon import phrases
from qaldgen.scoring.words.word_lists import listed

#: Endings of names that other cases replace, by language; in other languages none are.
_LATIN, _CYRILLIC = (
    ("a", "e", "i", "o", "u", "y"),
    ("а", "е", "и", "о", "у", "я", "ь", "і", "ои", "ыи", "ии", "ая", "ое"),
)
_LOST = {
    **dict.fromkeys(
        ("pl", "cs", "sk", "hr", "bs", "sl", "ro", "lt", "lv", "et", "fi", "it"), _LATIN
    ),
    **dict.fromkeys(("ru", "uk", "bg", "be", "mk"), _CYRILLIC),
    "sr": (*_LATIN, *_CYRILLIC),
    "el": ("α", "η", "ο", "ι", "ου", "οσ", "ησ", "ασ"),
}
#: Followers of a movement, and the endings of its name: Cubist, Cubism.
_FOLLOWER = re.compile(r"(\w{2,}[iyи])(?:st|ст)\w{0,6}")
_MOVEMENT = ("sm", "sme", "smo", "smus", "zm", "зм", "smul", "smen")
#: The fewest letters of a stem: of a complete word, and of one that lost its ending.
_WHOLE, _CUT = 3, 4


def inflects(language: str) -> bool:
    """Tell whether there are rules for grammatical cases of names in a language.

    Parameters
    ----------
    language
        A primary language tag.

    Returns
    -------
    bool
        Whether there are.

    Examples
    --------
    >>> inflects("pl"), inflects("zh")
    (True, False)
    """
    return language in phrases("ending") or language in phrases("prefix")


@functools.lru_cache(maxsize=1 << 17)
def bases(form: str, language: str) -> frozenset[str]:
    """Return the words of which a token may be an inflected form.

    The stem has at least three letters, or four if the word lost its ending. The name of a country
    is never a form of another country's: Nigeria is not Niger.

    Parameters
    ----------
    form
        The token of a text.
    language
        Language of the text.

    Returns
    -------
    frozenset[str]
        Including the token itself.

    Examples
    --------
    >>> "krakow" in bases("krakowie", "pl"), "германия" in bases("германии", "ru")
    (True, True)
    >>> "cubism" in bases("cubist", "en"), "niger" in bases("nigeria", "pl")
    (True, False)
    """
    if (form,) in territory_names(language):
        return frozenset([form])
    endings, prefixes = listed("ending", language), phrases("prefix").get(language, ())
    stems = {form} | {form[:-n] for n in range(1, len(form) - _WHOLE + 1) if form[-n:] in endings}
    stems |= {
        form[len(one) :]
        for one in prefixes
        if form.startswith(one) and len(form) - len(one) >= _WHOLE
    }
    words = stems | {
        stem + end for stem in stems if len(stem) >= _CUT for end in _LOST.get(language, ())
    }
    follower = _FOLLOWER.fullmatch(form)
    return frozenset(words | {follower[1] + end for end in _MOVEMENT} if follower else words)


def is_form(given: str, word: str, language: str) -> bool:
    """Tell whether a token is an inflected form of a word.

    Parameters
    ----------
    given
        The token.
    word
        The word.
    language
        Language of the text.

    Returns
    -------
    bool
        True too if they are equal.

    Examples
    --------
    >>> is_form("warszawie", "warszawa", "pl"), is_form("martin", "marta", "pl")
    (True, False)
    """
    return given == word or word in bases(given, language)
