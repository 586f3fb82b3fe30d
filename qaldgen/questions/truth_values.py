"""Read the words for true and false, and for yes and no, in the languages of most tables."""

from __future__ import annotations

_TRUE_AND_FALSE = {
    **dict.fromkeys(["true", "wahr", "vrai", "vero", "verdadero", "verdadeiro", "waar"], True),
    **dict.fromkeys(["false", "falsch", "faux", "falso", "onwaar"], False),
}
#: Words that mean something else where no truth value is expected.
_OTHERS = {
    **dict.fromkeys(["yes", "ja", "oui", "sì", "sí", "si", "sim", "tak", "ano", "da", "да"], True),
    **dict.fromkeys(["no", "nein", "non", "não", "nao", "nee", "nie", "ne", "нет"], False),
    **dict.fromkeys(["t", "1", "1.0"], True),
    **dict.fromkeys(["f", "0", "0.0"], False),
}


def parse_truth(text: str) -> bool | None:
    """Return the truth value of a word for true or false; None for any other text.

    >>> parse_truth("WAHR"), parse_truth("falso"), parse_truth("no")
    (True, False, None)
    """
    return _TRUE_AND_FALSE.get(text.strip().lower())


def parse_boolean(text: str) -> bool | None:
    """Return the truth value of a text where one is expected: also of yes and no, and of 1 and 0.

    >>> parse_boolean("Sì"), parse_boolean("nein"), parse_boolean("vero"), parse_boolean("Ulm")
    (True, False, True, None)
    """
    word = text.strip().lower()
    return _TRUE_AND_FALSE.get(word, _OTHERS.get(word))
