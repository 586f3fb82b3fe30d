"""Names in other spellings and scripts: the consonants of Брюс Уэйн are those of Bruce Wayne."""

from __future__ import annotations

import functools
import re

_GROUPS = (
    ("tsch", "s"), ("dzh", "k"), ("shch", "s"), ("sch", "s"), ("tch", "s"), ("gh", "k"), ("ph", "f"), ("th", "t"),
    ("sh", "s"), ("ch", "s"), ("zh", "k"), ("ck", "k"), ("ts", "s"), ("tz", "s"), ("cz", "s"), ("sz", "s"),
    ("dg", "k"), ("x", "ks"), ("q", "k"),
)  # fmt: skip
_SOFT = re.compile(r"c(?=[eiy])")
_CLASSES = str.maketrans({
    **dict.fromkeys("bp", "p"), **dict.fromkeys("fv", "f"), **dict.fromkeys("cgkj", "k"), **dict.fromkeys("sz", "s"),
    **dict.fromkeys("dt", "t"), **dict.fromkeys("lr", "r"), **dict.fromkeys("mn", "n"), **dict.fromkeys("aeiouyhw'`-", ""),
})  # fmt: skip
_DOUBLE = re.compile(r"(.)\1+")
_OPEN = frozenset("aeiouyhw")


@functools.lru_cache(maxsize=1 << 16)
def skeleton(word: str) -> str:
    """Return the consonants of a word in classes that sound alike, in Latin letters whatever its script; a vowel only in front.

    Examples
    --------
    >>> skeleton("Wayne"), skeleton("Уэйн"), skeleton("Obama"), skeleton("オバマ")
    ('an', 'an', 'apn', 'apn')
    """
    from anyascii import anyascii

    plain = re.sub(r"[^a-z]", "", anyascii(word).lower()).replace("kh", "h")
    front = "a" if plain[:1] in _OPEN and plain[:2] not in ("wh",) else ""
    for letters, sound in _GROUPS:
        if letters in plain:
            plain = plain.replace(letters, sound)
    plain = _SOFT.sub("s", plain)
    return front + _DOUBLE.sub(r"\1", plain.translate(_CLASSES))


def sounds_like(given: str, name: str) -> bool:
    """Tell whether a skeleton is that of a name, up to one consonant more that an ending may have.

    Examples
    --------
    >>> sounds_like(skeleton("Меркеля"), skeleton("Merkel")), sounds_like(skeleton("Маркс"), skeleton("Merkel"))
    (True, False)
    """
    return given == name or (len(name) > 2 and given.startswith(name) and len(given) == len(name) + 1)
