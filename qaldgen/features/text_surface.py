"""What can be read off the letters of a question in any language: lengths, sentences, quotation marks, capitals."""

from __future__ import annotations

import re
from typing import TypeAlias

FeatureValue: TypeAlias = int | float | bool | str | tuple[str, ...]


def word_set(words: str) -> frozenset[str]:
    """Return the words of a table, written with white space between them."""
    return frozenset(words.split())


#: A word, a number, or the possessive ending; an apostrophe or hyphen inside a word belongs to it.
WORD = re.compile(r"\d+(?:[.,]\d+)*(?:st|nd|rd|th)?\b|[^\W\d_]+(?:[-'][^\W\d_]+)*|\d+")
_QUOTED = re.compile(r"„[^”“\"]+[”“\"]|“[^”]+”|\"[^\"]+\"|«[^»]+»|(?<!\w)'[^']+'(?!\w)|(?<!\w)‘[^’]+’(?!\w)|‚[^‘’]+[‘’]")
_END = re.compile(r"(?<!\.)(?!\.\.)[.?!]+[\"”»)]*\s+(?=[\"„“«(]?[A-ZÀ-ÖØ-ÞĄĆĘŁŃÓŚŹŻА-Я0-9])")
#: Words whose full stop ends no sentence; single letters, numbers and Roman numerals neither.
_ABBREVIATIONS = word_set(
    """mr mrs ms fr dr st jr sr bros prof gen col capt lt sgt rev hon no nr vs vol ed fig op inc ltd co corp dept mt ft etc al
    św ps pw ul pl im ks gen płk mjr kpt por prof dr mgr inż hab r w m.in p.n.e n.e ds wg tzw np tj itd itp zob woj pow
    bl hr ok str tys mln mld wlk cz szt nast"""
)
_ROMAN = re.compile(r"[IVXLCDM]+")


def sentences(text: str) -> list[str]:
    """Split at a stop, question or exclamation mark before a capital or digit, not inside quotation marks.

    A full stop after an abbreviation, an initial, a number or a Roman numeral ends no sentence, three dots neither.
    """
    masked = _QUOTED.sub(lambda match: "_" * len(match[0]), text)
    parts, start = [], 0
    for match in _END.finditer(masked):
        if match[0].startswith(".") and _abbreviates(masked[max(start, match.start() - 40) : match.start()]):
            continue
        parts.append(text[start : match.end()].strip())
        start = match.end()
    rest = text[start:].strip()
    return [*parts, rest] if rest else parts


def _abbreviates(before: str) -> bool:
    word = before.split()[-1].lstrip("(\"'„“") if before.split() else ""
    short = word.lower() in _ABBREVIATIONS or len(word) == 1 or re.fullmatch(r"(?:\w\.)+\w", word)
    return bool(short or word.isdigit() or _ROMAN.fullmatch(word))


def without_quotes(text: str, mark: str = " ") -> str:
    """Return the text with `mark` for every quotation, so that rules do not read titles."""
    return _QUOTED.sub(f" {mark} ", text)


def words(text: str) -> list[str]:
    """Return words and numbers in lower case; the possessive and other endings with an apostrophe stay on the word.

    Examples
    --------
    >>> words("Who’s the 3rd-best player of F.C. X?")
    ["who's", 'the', '3rd', 'best', 'player', 'of', 'f', 'c', 'x']
    """
    return WORD.findall(text.replace("’", "'").lower())


def capitalisation(text: str) -> str | None:
    """Return ``lower`` or ``upper`` if all letters are, ``mixed`` otherwise, None without letters."""
    if not any(letter.isalpha() for letter in text):
        return None
    if text == text.lower():
        return "lower"
    return "upper" if text == text.upper() else "mixed"


def syllables(word: str) -> int:
    """Return the syllables of an English word by the groups of its vowels; a final silent e is none."""
    groups = len(re.findall(r"[aeiouyà-öø-ÿ]+", word.lower()))
    silent = re.search(r"[^aeiouylà-öø-ÿ]e$|[aeiouy]le$", word.lower())
    return max(1, groups - bool(silent and groups > 1))


def flesch_reading_ease(text: str) -> float | None:
    """Return 206.835 - 1.015 words per sentence - 84.6 syllables per word (Flesch 1948); None without words.

    Syllables are estimated (see `syllables`), so compare the figure within one version only.
    """
    tokens = words(text)
    if not tokens:
        return None
    per_sentence = len(tokens) / max(1, len(sentences(text)))
    return round(206.835 - 1.015 * per_sentence - 84.6 * sum(map(syllables, tokens)) / len(tokens), 2)


def surface(text: str, language: str) -> dict[str, FeatureValue]:
    """Return the features that need neither rules of a language nor a model.

    ``length`` counts what white space separates, so a mark of its own counts and a mark on a word does not: the
    definition of QaldGenData. ``charCount`` counts characters without the white space around the question.
    """
    features: dict[str, FeatureValue] = {
        "length": len(text.split()),
        "charCount": len(text.strip()),
        "sentenceCount": len(sentences(text)),
        "hasQuote": _QUOTED.search(text) is not None,
    }
    case = capitalisation(text)
    if case:
        features["capitalisation"] = case
    ease = flesch_reading_ease(text) if language == "en" else None
    if ease is not None:
        features["fleschReadingEase"] = ease
    return features
