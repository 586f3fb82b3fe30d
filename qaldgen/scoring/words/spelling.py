"""Names in other spellings and scripts: the consonants of Брюс Уэйн are those of Bruce Wayne."""

from __future__ import annotations

import functools
import re

_GROUPS = (
    ("tsch", "s"), ("dzh", "k"), ("shch", "s"), ("sch", "s"), ("tch", "s"), ("gh", "k"),
    ("ph", "f"), ("th", "t"),
    ("sh", "s"), ("ch", "s"), ("zh", "k"), ("ck", "k"), ("ts", "s"), ("tz", "s"), ("cz", "s"),
    ("sz", "s"),
    ("dg", "k"), ("x", "ks"), ("q", "k"),
)  # fmt: skip
_SOFT = re.compile(r"c(?=[eiy])")
_CLASSES = str.maketrans({
    **dict.fromkeys("bp", "p"), **dict.fromkeys("fv", "f"), **dict.fromkeys("cgkj", "k"),
    **dict.fromkeys("sz", "s"),
    **dict.fromkeys("dt", "t"), **dict.fromkeys("aeiouyhw'`-", ""),
})  # fmt: skip
#: Sounds that some scripts do not tell apart: kana and hangul have one letter for l and r, and kana
#: writes m as n before b.
_MERGED = str.maketrans("lm", "rn")
_MERGES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_DOUBLE = re.compile(r"(.)\1+")
_OPEN = frozenset("aeiouyhw")


@functools.lru_cache(maxsize=1 << 16)
def skeleton(word: str) -> str:
    """Return the consonants of a word in classes that sound alike, in Latin letters.

    A vowel is kept only at the start, where scripts with and without vowels both write one.

    Parameters
    ----------
    word
        A word in any script.

    Returns
    -------
    str
        May be empty.

    Examples
    --------
    >>> skeleton("Wayne"), skeleton("Уэйн"), skeleton("Obama"), skeleton("オバマ")
    ('an', 'an', 'apm', 'apm')
    """
    from anyascii import anyascii

    plain = re.sub(r"[^a-z]", "", anyascii(word).lower()).replace("kh", "h")
    front = "a" if plain[:1] in _OPEN and plain[:2] not in ("wh",) else ""
    for letters, sound in _GROUPS:
        if letters in plain:
            plain = plain.replace(letters, sound)
    plain = _SOFT.sub("s", plain)
    return front + _DOUBLE.sub(r"\1", plain.translate(_CLASSES))


def merged(sound: str) -> str:
    """Return a skeleton without the differences of l and r, m and n, which some scripts lack.

    Parameters
    ----------
    sound
        A skeleton.

    Returns
    -------
    str
        Another one, for comparisons only.
    """
    return _DOUBLE.sub(r"\1", sound.translate(_MERGED))


def is_written_like(surface: str, sound: str) -> bool:
    """Tell whether a word of another script has the skeleton of a name.

    As far as that script tells its sounds apart. Scripts without vowels leave out the first one.

    Parameters
    ----------
    surface
        The word as written.
    sound
        The skeleton of the name.

    Returns
    -------
    bool
        Whether it has.

    Examples
    --------
    >>> name = skeleton("Balak")
    >>> is_written_like("Балак", name), is_written_like("Барак", name)
    (True, False)
    >>> is_written_like("バラク", name)
    True
    """
    given = skeleton(surface)
    if _MERGES.search(surface):
        given, sound = merged(given), merged(sound)
    return bool(given) and (sounds_like(given, sound) or sounds_like("a" + given, sound))


def sounds_like(given: str, name: str) -> bool:
    """Tell whether a skeleton is that of a name, allowing one more consonant for an ending.

    Parameters
    ----------
    given
        The skeleton of a word.
    name
        The skeleton of the name.

    Returns
    -------
    bool
        Whether it is.

    Examples
    --------
    >>> name = skeleton("Merkel")
    >>> sounds_like(skeleton("Меркеля"), name), sounds_like(skeleton("Маркс"), name)
    (True, False)
    """
    return given == name or (
        len(name) > 2 and given.startswith(name) and len(given) == len(name) + 1
    )
