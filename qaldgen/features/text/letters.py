"""Features of the letters of a question in any language: script, lengths, sentences, capitals."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import TypeAlias

#: Han, kana, Thai, Lao, Burmese and Khmer have no spaces between words.
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
#: Thai and Lao do not mark the end of a sentence either.
_UNMARKED = re.compile(r"[\u0e00-\u0eff]")
_GEORGIAN = re.compile(r"[\u10a0-\u10ff\u1c90-\u1cbf\u2d00-\u2d2f]")
#: One character of these scripts counts as two letters, since it says about as much.
_WEIGHT = 2


def is_spaced(text: str) -> bool:
    """Return whether most of a text is written with spaces between words.

    >>> texts = ("Wie hoch ist der Turm?", "NBA的总部在哪里？", "Who is 李白?")
    >>> [is_spaced(text) for text in texts]
    [True, False, True]
    """
    return _is_mostly_outside(text, _UNSPACED)


def marks_sentences(text: str) -> bool:
    """Return whether most of a text is in a script that marks the end of a sentence."""
    return _is_mostly_outside(text, _UNMARKED)


def _is_mostly_outside(text: str, script: re.Pattern[str]) -> bool:
    """Return whether most of a text is not in a script, whose characters count twice."""
    if text.isascii():
        return True
    n_inside = len(script.findall(text))
    return not n_inside or n_inside * _WEIGHT < sum(map(str.isalpha, text)) - n_inside


def cased_letters(text: str) -> str:
    """Return the letters of a text that have upper and lower case.

    Georgian is left out: it has capitals in Unicode, but no sentence uses them.

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


def same_script(text: str, second_text: str) -> bool:
    """Return whether two texts share a script, so that one can occur in the other.

    >>> same_script("Berlin", "Wo liegt Köln?"), same_script("Berlin", "बर्लिन कहाँ है?")
    (True, False)
    >>> same_script("1812", "战争?")
    True
    """
    scripts = _scripts(text)
    return not scripts or not scripts.isdisjoint(_scripts(second_text))


def _scripts(text: str) -> set[str]:
    """Return the scripts of the letters of a text, as Unicode names them."""
    if text.isascii():
        if any(map(str.isalpha, text)):
            return {"LATIN"}
        return set()
    return {unicodedata.name(letter, "").split(" ")[0] for letter in text if letter.isalpha()}


FeatureValue: TypeAlias = int | float | bool | str | tuple[str, ...]


def word_set(words: str) -> frozenset[str]:
    """Return the words of a text, which are separated by white space."""
    return frozenset(words.split())


#: A word, a number, or the possessive ending; an apostrophe or hyphen inside a word belongs to it.
WORD = re.compile(r"\d+(?:[.,]\d+)*(?:st|nd|rd|th)?\b|[^\W\d_]+(?:[-'][^\W\d_]+)*|\d+")
#: A quotation in the marks of English, German, French, Swedish, Polish, Chinese, Japanese. Between
#: Hebrew letters the same mark makes an abbreviation.
QUOTED = re.compile(
    r"„[^”“\"]+[”“\"]|“[^”]+”|”[^”]+”|(?<![א-ת])\"[^\"]+\"(?![א-ת])|«[^»]+»|»[^«]+«|‹[^›]+›|"
    r"(?<!\w)'[^']+'(?!\w)|(?<!\w)‘[^’]+’(?!\w)|‚[^‘’]+[‘’]|「[^」]+」|『[^』]+』|《[^》]+》|〈[^〉]+〉"
    # its length has a bound, so that a mark without a partner does not cost the rest of the text
    .replace("]+", "]{1,1000}")
)
#: The end of a sentence: not inside "..." or "?.", and not at the end of the text.
_END = re.compile(
    r"(?<![.?!])(?!\.\.)[.?!]+[\"”»)]*\s+(?=[^\s])|[。！？｡؟۔।॥።։။។]+[\"”»)」』》]*\s*(?=\S)"
)
_OPENING = "\"„“«»‹(¿¡「『《'‘"
#: Words whose full stop does not end a sentence; nor does that of letters, numbers and numerals.
ABBREVIATIONS = word_set(
    """mr mrs ms fr dr st jr sr bros prof gen col capt lt sgt rev hon no nr vs vol ed fig op inc ltd
    co corp dept mt ft etc al św ps pw ul pl im ks gen płk mjr kpt por prof dr mgr inż
    hab r w m.in p.n.e n.e ds wg tzw np tj itd itp zob woj pow bl hr ok str tys mln mld
    wlk cz szt nast bzw ca geb gest usw evtl ggf inkl vgl jh jhd chr mio mrd bzgl abk
    sog hl av bd mme mlle env av sra srta ud uds pág núm aprox dra ee uu sig dott dr.ssa
    pagg ecc ing avv dhr mevr drs blz nl bijv г гг им ул др проф акад св стр тыс млн
    млрд руб обл"""
)
#: Replaces the characters that rules should not read.
MARK = "¤"
#: A quotation longer than this share of a question is the question itself.
MOST_OF = 0.8
#: Rules read this many characters of the beginning and of the end of a text: those between are a
#: passage or a table rather than the question.
ENDS = 500
_ROMAN = re.compile(r"[IVXLCDM]+")


def sentences(text: str) -> list[str]:
    """Split at a stop, question or exclamation mark, not inside quotation marks.

    In scripts with capitals, a capital or a digit must follow. A full stop after an abbreviation,
    an initial, a number or a Roman numeral does not end a sentence, nor do three dots.

    >>> sentences("Dr. Roe came. Why?"), sentences("他来了。为什么？")
    (['Dr. Roe came.', 'Why?'], ['他来了。', '为什么？'])
    """
    # same length as the text, so that places in one are places in the other
    unquoted = QUOTED.sub(lambda match: "_" * len(match[0]), text)
    parts = []
    start = 0
    for match in _END.finditer(unquoted):
        preceding_words = unquoted[max(start, match.start() - 40) : match.start()].split()
        if match[0].startswith(".") and preceding_words:
            # a full stop that belongs to the word
            word = preceding_words[-1].lstrip("(\"'„“")
            if word.lower() in ABBREVIATIONS or len(word) == 1 or word.isdigit():
                continue
            if re.fullmatch(r"(?:\w\.)+\w", word) or _ROMAN.fullmatch(word):
                continue

        if match[0][-1].isspace() and match[0][0] in ".?!":
            following = unquoted[match.end() :]
            next_char = following.lstrip(_OPENING)[:1] or following[:1]
            is_capital = next_char.isalpha() and not next_char.islower()
            if not (next_char.isdigit() or next_char == "_" or is_capital):
                continue

        parts.append(text[start : match.end()].strip())
        start = match.end()

    parts.append(text[start:].strip())
    return [part for part in parts if part]


def ends_of(text: str) -> str:
    """Return the beginning and the end of a long text, cut between words where it has spaces.

    >>> ends_of("Who is it?")
    'Who is it?'
    >>> len(ends_of("word " * 1000)) < 2 * ENDS + 2
    True
    """
    if len(text) <= 2 * ENDS:
        return text
    beginning = text[:ENDS].rpartition(" ")[0] or text[:ENDS]
    end = text[-ENDS:].partition(" ")[2] or text[-ENDS:]
    return f"{beginning} {end}"


def without_quotes(text: str) -> str:
    """Return the text without its quotations, so that rules do not read titles."""
    return QUOTED.sub("   ", text)


def masked(text: str, spans: Iterable[tuple[int, int]] = ()) -> str:
    """Mask quotations and other stretches of a text, so that rules do not read them.

    A quotation that covers nearly the whole text is not masked: it is the question.

    >>> masked("Who wrote 'It' for Ada?", [(19, 22)])
    'Who wrote ¤¤¤¤ for ¤¤¤?'
    """
    max_chars = MOST_OF * len(text)
    quotations = [match.span() for match in QUOTED.finditer(text) if len(match[0]) < max_chars]
    for start, end in [*spans, *quotations]:
        text = text[:start] + MARK * (end - start) + text[end:]
    return text


def words(text: str) -> list[str]:
    """Return words and numbers in lower case.

    The possessive and other endings with an apostrophe stay on the word.

    >>> words("Who’s the 3rd-best player of F.C. X?")
    ["who's", 'the', '3rd', 'best', 'player', 'of', 'f', 'c', 'x']
    """
    return WORD.findall(text.replace("’", "'").lower())


def capitalisation(text: str) -> str | None:
    """Return ``lower`` or ``upper`` if all letters are, else ``mixed``; None without capitals.

    >>> [capitalisation(text) for text in ("who is it?", "Who is it?", "NBA的总部在哪里？", "12?")]
    ['lower', 'mixed', None, None]
    """
    letters = cased_letters(text)
    if not letters or not is_spaced(text) or 2 * len(letters) <= sum(map(str.isalpha, text)):
        return None
    if letters.islower():
        return "lower"
    if letters.isupper():
        return "upper"
    return "mixed"


def syllables(word: str) -> int:
    """Return the number of syllables of an English word: groups of vowels, without a silent e."""
    n_groups = len(re.findall(r"[aeiouyà-öø-ÿ]+", word.lower()))
    if n_groups > 1 and re.search(r"[^aeiouylà-öø-ÿ]e$|[aeiouy]le$", word.lower()):
        n_groups -= 1
    return max(1, n_groups)


def flesch_reading_ease(text: str) -> float | None:
    """Return 206.835 - 1.015 words per sentence - 84.6 syllables per word (Flesch 1948).

    None without words. Syllables are estimated, so compare values of one version only.
    """
    tokens = words(text)
    if not tokens:
        return None
    per_sentence = len(tokens) / max(1, len(sentences(text)))
    n_syllables = sum(map(syllables, tokens))
    return round(206.835 - 1.015 * per_sentence - 84.6 * n_syllables / len(tokens), 2)


def letter_features(text: str, language: str) -> dict[str, FeatureValue]:
    """Return the features that need neither rules of a language nor a model."""
    features: dict[str, FeatureValue | None] = {
        "charCount": len(text.strip()),
        "hasQuote": QUOTED.search(text) is not None,
        "capitalisation": capitalisation(text),
    }
    if is_spaced(text):
        features["length"] = len(text.split())
    if marks_sentences(text):
        features["sentenceCount"] = len(sentences(text))
    if language == "en":
        features["fleschReadingEase"] = flesch_reading_ease(text)
    return {name: value for name, value in features.items() if value is not None}
