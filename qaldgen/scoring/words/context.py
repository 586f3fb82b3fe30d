"""Whether a name that occurs in a text is meant there.

It may be part of another name, denied, or merely offered.
"""

from __future__ import annotations

from qaldgen.scoring.words.cldr import territory_names
from qaldgen.scoring.words.denial import UNSPACED, is_denied
from qaldgen.scoring.words.languages import is_common
from qaldgen.scoring.words.names import NUMERALS, Place
from qaldgen.scoring.words.reading import Reading
from qaldgen.scoring.words.tokens import tokens
from qaldgen.scoring.words.variants import CLASSES, LEGAL, TITLES
from qaldgen.scoring.words.word_lists import listed, phrases_in

#: Words that turn the name before them into the name of something else: Ulm University.
_INSTITUTIONS = listed("institution")
#: Words that turn a single name after them into another one: New Ulm.
_OTHER_PLACES = listed("other-place")
_PARTICLES, _HARMLESS = listed("particle"), listed("harmless-after")
#: An answer of at most this many words without capitals may be a name.
_FEW_WORDS = 5
#: Words that make another republic: the Democratic Republic of the Congo; of China, the People's.
_OTHER_REPUBLICS = frozenset(["democratic", "s", "peoples"])
_HYPHENS = frozenset("-‐‑–")


def is_said(place: Place, text: Reading) -> bool:
    """Tell whether a name that occurs in a text is meant, and asserted.

    Parameters
    ----------
    place
        Where it occurs.
    text
        The text.

    Returns
    -------
    bool
        In scripts without spaces only denials are looked for.
    """
    if text.language in UNSPACED:
        return not is_denied(place.start, place.end, text)
    if _is_in_other_territory(place, text):
        return False
    plain = _is_plainly_whole(place, text) or not (
        _is_broken(place, text) or _is_other_name(place, text)
    )
    return plain and not is_denied(place.start, place.end, text)


def _is_in_other_territory(place: Place, text: Reading) -> bool:
    """Tell whether the name is part of another country's: Equatorial Guinea."""
    before = text.forms[place.start - 1] if place.start else ""
    if place.name.words[0] == "republic" and before in _OTHER_REPUBLICS - place.name.main:
        return True
    for language in dict.fromkeys([text.language, "en"]):
        table = territory_names(language)
        own = table.get(tuple(text.forms[place.start : place.end]))
        for start in range(max(place.start - 2, 0), place.start + 1) if own else ():
            around = (
                table.get(tuple(text.forms[start:end])) for end in range(place.end, place.end + 3)
            )
            if any(code not in (None, own) for code in around):
                return True
    return False


def _is_plainly_whole(place: Place, text: Reading) -> bool:
    """Tell from the tokens alone that a name of several words is not part of a longer one.

    A short cut that spares most names the closer look.
    """
    words = place.name.words
    after = text.forms[place.end] if place.end < len(text.forms) else ""
    whole = len(words) > 1 and place.end - place.start == len(words) and "\n" not in text.text
    return whole and after not in NUMERALS and after not in _INSTITUTIONS


def _is_broken(place: Place, text: Reading) -> bool:
    """Tell whether the words of a name do not belong together here.

    A line ends between them, or there is a word between them that is not a name.
    """
    name = place.name
    longer = place.end - place.start > len(name.words)
    for at in range(place.start + 1, place.end):
        if longer and not (text.surface(at)[:1].isupper() or text.forms[at] in _PARTICLES):
            return True
        if len(name.words) > 1 and "\n" in text.gap(at):
            return True
    return False


def _is_other_name(place: Place, text: Reading) -> bool:
    """Tell whether a name is part of a longer one that is somebody else's."""
    name, start, end = place.name, place.start, place.end
    single = end - start == 1
    touched = end < len(text.forms) and _touches(text.gap(end)) and text.forms[end] not in name.main
    if touched and (
        text.forms[end] in NUMERALS or _goes_on(end, text, single=single, part=name.part)
    ):
        return True
    if name.part:
        while start > 1 and text.forms[start - 1] in _PARTICLES and _touches(text.gap(start)):
            start -= 1
    if (
        not start
        or not single
        or not _touches(text.gap(start))
        or text.forms[start - 1] in name.main
    ):
        return False
    capital = text.surface(start - 1)[:1].isupper()
    if (
        text.forms[start - 1] in _OTHER_PLACES
        and (capital or not text.cased)
        and len(name.main) < 2
    ):
        return text.gap(start).isspace()
    if text.gap(start) in _HYPHENS and capital and text.cased:
        return True
    return name.part and _is_first_name(start - 1, text)


def _touches(gap: str) -> bool:
    return gap in (" ", "\u00a0") or gap in _HYPHENS


def _goes_on(at: int, text: Reading, *, single: bool, part: bool) -> bool:
    """Tell whether the word after a name belongs to it and turns it into another name."""
    form, upper = text.forms[at], text.surface(at)[:1].isupper()
    if form in _INSTITUTIONS:
        return (upper and text.cased) or not text.has_upper
    # German writes every noun with a capital, so a capital says nothing there.
    if not text.cased or not upper or text.language == "de" or is_common(form) or not single:
        return False
    if text.gap(at) in _HYPHENS:
        return True
    if form in CLASSES or form in LEGAL or form in TITLES or form.isdecimal():
        return False
    is_place = (form,) in territory_names(text.language) or (form,) in territory_names("en")
    return not is_place and (part or form not in _HARMLESS)


def _is_first_name(at: int, text: Reading) -> bool:
    """Tell whether the word before a last name is somebody's first name.

    A word with a capital that is neither a title nor a common word.
    """
    form = text.forms[at]
    if form in TITLES or form in CLASSES or is_common(form):
        return False
    if not text.cased:
        return len(text.forms) <= _FEW_WORDS and not text.has_upper
    return text.surface(at)[:1].isupper()


def only_offers(sentence: str, language: str) -> bool:
    """Tell whether a sentence offers alternatives and chooses none.

    Parameters
    ----------
    sentence
        For instance "It could be Ulm or Bonn".
    language
        Its language.

    Returns
    -------
    bool
        False for a sentence without a word for "or".

    Examples
    --------
    >>> only_offers("It could be Ulm or Bonn.", "en"), only_offers("It is Ulm or Bonn.", "en")
    (True, False)
    """
    words = tokens(sentence, language)
    if listed("or", language).isdisjoint(words):
        return False
    return next(phrases_in(words, "perhaps", language), None) is not None
