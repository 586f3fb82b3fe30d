"""Read the words for true and false, and for yes and no, in the languages of most tables."""

from __future__ import annotations

_TRUTH_WORDS = {
    **dict.fromkeys(["true", "wahr", "vrai", "vero", "verdadero", "verdadeiro", "waar"], True),
    **dict.fromkeys(["false", "falsch", "faux", "falso", "onwaar"], False),
}
_YES_WORDS = "yes ja oui sì sí si sim tak ano da да igen evet"
_NO_WORDS = "no nein non não nao nee nie ne нет nej nei nem hayır hayir"
_YES_NO_WORDS = {
    **dict.fromkeys(_YES_WORDS.split(), True),
    **dict.fromkeys(_NO_WORDS.split(), False),
}
_BOOLEANS = {
    **dict.fromkeys(["true", "yes", "t", "1", "1.0"], True),
    **dict.fromkeys(["false", "no", "f", "0", "0.0"], False),
}


def parse_truth(text: str) -> bool | None:
    """Return the truth value of a word for true or false in any language; None for other texts.

    >>> parse_truth("WAHR"), parse_truth("falso"), parse_truth("no")
    (True, False, None)
    """
    return _TRUTH_WORDS.get(text.strip().lower())


def parse_yes_or_no(text: str) -> bool | None:
    """Return the truth value of a word for yes or no in any language; None for other texts.

    >>> parse_yes_or_no("Sì"), parse_yes_or_no("nein"), parse_yes_or_no("vero")
    (True, False, None)
    """
    return _YES_NO_WORDS.get(text.strip().lower())


def parse_boolean(text: str) -> bool | None:
    """Return the truth value of an English word, or of 1 and 0; None for other texts."""
    return _BOOLEANS.get(text.strip().lower())
