"""What the script of a text allows to say about it.

Whether it has blanks, capitals, and marks at the end of sentences.
"""

from __future__ import annotations

import re
import unicodedata

#: Han, kana, Thai, Lao, Burmese and Khmer: words follow each other without a blank.
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    r"\U00020000-\U0003ffff]"
)
#: Of these, Thai and Lao have no mark for the end of a sentence either.
_UNMARKED = re.compile(r"[\u0e00-\u0eff]")
_GEORGIAN = re.compile(r"[\u10a0-\u10ff\u1c90-\u1cbf\u2d00-\u2d2f]")
#: A character of these scripts says about as much as two letters.
_WEIGHT = 2


def is_spaced(text: str) -> bool:
    """Tell whether most of a text is written with blanks between its words.

    Examples
    --------
    >>> is_spaced("Wie hoch ist der Turm?"), is_spaced("NBA的总部在哪里？"), is_spaced("Who is 李白?")
    (True, False, True)
    """
    return _outweighed(text, _UNSPACED)


def marks_sentences(text: str) -> bool:
    """Tell whether most of a text is in a script that marks the end of a sentence.

    Thai and Lao do not.
    """
    return _outweighed(text, _UNMARKED)


def _outweighed(text: str, script: re.Pattern[str]) -> bool:
    if text.isascii():
        return True
    inside = len(script.findall(text))
    return not inside or inside * _WEIGHT < sum(map(str.isalpha, text)) - inside


def cased_letters(text: str) -> str:
    """Return the letters of a text that could be written as capitals and as small letters.

    Georgian has capitals in Unicode, but no sentence uses them.

    Examples
    --------
    >>> cased_letters("K2 क्या है?")
    'K'
    """
    return "".join(
        letter
        for letter in text
        if letter.lower() != letter.upper() and not _GEORGIAN.match(letter)
    )


def words_of(text: str) -> list[str]:
    """Return the words of a text in any script, folded, vowel signs and other marks included.

    Examples
    --------
    >>> words_of("Straße 2, हिन्दी!")
    ['strasse', '2', 'हिन्दी']
    """
    folded = unicodedata.normalize("NFC", text).casefold()
    if not folded.isascii():
        folded = "".join(
            char if char == "_" or unicodedata.category(char)[0] in "LMN" else " "
            for char in folded
        )
        return folded.split()
    return re.findall(r"\w+", folded)


def same_script(text: str, other: str) -> bool:
    """Tell whether two texts share a script, so that one can occur in the other.

    A text without letters shares any.

    Parameters
    ----------
    text, other
        The texts.

    Returns
    -------
    bool
        True if they share a script.

    Examples
    --------
    >>> same_script("Berlin", "Wo liegt Köln?"), same_script("Berlin", "बर्लिन कहाँ है?"), same_script("1812", "战争?")
    (True, False, True)
    """
    own = _scripts(text)
    return not own or not own.isdisjoint(_scripts(other))


def _scripts(text: str) -> set[str]:
    if text.isascii():
        return {"LATIN"} if any(map(str.isalpha, text)) else set()
    return {unicodedata.name(letter, "").split(" ")[0] for letter in text if letter.isalpha()}
