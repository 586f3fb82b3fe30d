"""The words and numbers of a text, in one form for all scripts, and lists of words by language."""

from __future__ import annotations

import contextlib
import functools
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from decimal import Context, Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from qaldgen.defaults import LANGUAGE
from qaldgen.io.packages import data_rows
from qaldgen.questions.question_texts import base_language

if TYPE_CHECKING:
    from babel import Locale

#: Tags of languages that are read by the rules of another tag.
_SAME = MappingProxyType(
    {"nb": "no", "nn": "no", "iw": "he", "in": "id", "cmn": "zh", "yue": "zh", "sh": "hr"}
)
#: Kinds of phrases that are regular expressions, one a row.
_PATTERNS = ("not-pattern", "introduction")


@functools.cache
def _phrase_table() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return the phrases of ``data/phrases.tsv`` by kind, then by language."""
    table: dict[str, dict[str, tuple[str, ...]]] = {}
    for kind, language, row in data_rows("scoring/words/data/phrases.tsv"):
        rows = table.setdefault(kind, {})
        cells = (row,) if kind in _PATTERNS else tuple(row.split("|"))
        rows[language] = rows.get(language, ()) + cells
    return table


def phrases(kind: str) -> Mapping[str, tuple[str, ...]]:
    """Return the phrases of a kind in ``data/phrases.tsv`` by language (``any``: for all).

    =========================  ==============================================================
    yes, no                    say yes or no where a stop follows: "Indeed, she did"
    yes-word, no-word          say it in any place at the start: "yes", "no"
    sign-yes, sign-no          say it as the first character
    not, not-pattern           negate: a phrase, a regular expression
    not-only                   looks like a negation and is none
    instead                    denies the name after it: "rather than"
    abstention                 say that there is no answer, anywhere in a sentence
    abstention-at-start        say so where a sentence starts with them
    no-answer                  say so as the whole answer: "unknown"
    but                        lead from an abstention to an answer
    perhaps                    leave the answer open
    about                      say that the next number is rounded
    number, scale, month       are followed by their value
    ordinal                    are followed by the same in digits: "fifteenth 15th"
    han-numeral                the same, in Chinese numerals
    bc, ad                     say the era of a year
    date-joiner                stand between the parts of a date
    answer, answer-field       label an answer, before a colon, and in JSON
    introduction               lead to an answer in a sentence: regular expressions
    sources                    label the sources below a reply
    opposite-prefix            make the opposite of a word: regular expressions
    common, article            say nothing by themselves
    ending                     endings of inflected words
    comma                      languages with a decimal comma
    =========================  ==============================================================
    """
    return _phrase_table().get(kind, {})


@functools.cache
def _spellings(kind: str) -> Sequence[tuple[str, str, re.Pattern[str]]]:
    return [
        (mark.replace(r"\n", "\n"), replacement, re.compile(pattern, re.MULTILINE))
        for row_kind, mark, replacement, pattern in data_rows("scoring/words/data/spellings.tsv")
        if row_kind == kind
    ]


def respelled(text: str, kind: str) -> str:
    """Return a text in which what ``data/spellings.tsv`` has of a kind is replaced."""
    for mark, replacement, pattern in _spellings(kind):
        if mark in text:
            text = pattern.sub(replacement, text)
    return text


@functools.cache
def main_language(language: str) -> str:
    """Return the main part of a language tag, the same for all tags of one language.

    >>> main_language("pt_BR"), main_language("zh-Hans"), main_language("nb")
    ('pt', 'zh', 'no')
    """
    main = base_language(language)
    return _SAME.get(main, main)


@functools.cache
def reading_languages(language: str) -> tuple[str, ...]:
    """Return the languages in which an answer is read: its own and English.

    >>> reading_languages("pt_BR"), reading_languages("en")
    (('pt', 'en'), ('en',))
    """
    return tuple(dict.fromkeys([main_language(language), "en"]))


@functools.cache
def locales(language: str) -> tuple[Locale, ...]:
    """Return the data of CLDR on English and on a language, if it has any."""
    from babel import Locale, UnknownLocaleError

    parsed = []
    for tag in reversed(reading_languages(language)):
        with contextlib.suppress(UnknownLocaleError, ValueError):
            parsed.append(Locale.parse(tag))
    return tuple(parsed)


@functools.cache
def joiners(kind: str, language: str) -> frozenset[str]:
    """Return the words for "and" (a kind of CLDR: standard), or "or", of a language and of English.

    >>> sorted(joiners("standard", "de") | joiners("or", "de"))
    ['and', 'oder', 'or', 'und']
    """
    rows = [locale.list_patterns for locale in locales(language)]
    texts = [row.get(name, {}).get("2", "") for row in rows for name in (kind, f"{kind}-short")]
    return frozenset(word for text in texts for word in tokens(re.sub(r"\{\d\}", " ", text)))


#: Scripts without spaces between words, where each character is one: Thai to Myanmar, Khmer, CJK
#: with kana, the supplementary ideographs.
_UNSPACED = "\u0e00-\u109f\u1780-\u17ff\u2e80-\u9fff\U00020000-\U0003ffff"
#: Languages whose negations are parts of words, so that they are sought in the text.
UNSPACED = frozenset(["zh", "ja", "ko", "th", "vi"])
_GROUPED = r"\d{1,3}(?: \d{3})+(?!\d)(?:[.,]\d+)?"
_PLAIN = r"\d+(?:[.,'’٬٫]\d+)*"
#: A date in digits, or a number without a letter before it; a minus sign needs a space, a
#: bracket or a dollar sign before it.
NUMBER = re.compile(
    rf"(?<![^\W_{_UNSPACED}\uac00-\ud7af])(?<!\d[.,])"
    rf"((?P<date>\d{{1,4}}(?P<mark>[-/.])\d{{1,2}}(?P=mark)\d{{1,4}}(?!\d))"
    rf"|(?:(?<![^\s(\[$])[-−])?(?:{_GROUPED}|{_PLAIN})(?:[eE][+−-]?\d{{1,3}}(?![^\W_]))?)"
)
#: A number whose only separator may group its digits.
_GROUP = re.compile(r"-?[1-9]\d{0,2}[.,]\d{3}")
#: The start of a number; 0 and another digit begin a name (a dialling code).
_NUMERIC = re.compile(r"(?!-?0\d)[-−]?\.?\d")
_XSD = re.compile(r"-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+−-]?\d{1,3})?")
#: Letters that Unicode does not decompose, and Arabic letters that Persian writes in another way.
_LETTERS = str.maketrans("øłđðıيىكة", "olddiییکه") | {
    ord(letter): letters for letter, letters in (("æ", "ae"), ("œ", "oe"), ("þ", "th"))
}
_JOINED_BY = "\u200b\u200c"
_VOWEL_SIGNS = re.compile("[\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0670\ufe00-\ufe0f]")
_DOTTED = re.compile(r"\b(?:[^\W\d_]\.[ \u00a0]?){2,}")
#: Hangul endings follow Latin letters without a space.
_WORD = re.compile(rf"[{_UNSPACED}]|[A-Za-z0-9]+(?=[\uac00-\ud7af])|[^\s{_UNSPACED}]+")
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")
_DIGIT = re.compile("[0-9]")
#: The fewest letters of a stem.
_MIN_STEM_LETTERS = 3
#: A language with more endings than this inflects its nouns, and adds endings to endings.
_FEW_ENDINGS = 8


class Word(NamedTuple):
    """A word of a text, or a sign of a formula: its form, and its span in the normalised text."""

    form: str
    start: int
    end: int


class _Shape(dict[int, str]):
    """Letters, marks and numbers stay, all else becomes a space; the length does not change."""

    def __missing__(self, code: int) -> str:
        category = unicodedata.category(chr(code))
        stays = category[0] in "LMN" or (category == "Cf" and chr(code) not in _JOINED_BY)
        self[code] = chr(code) if stays else " "
        return self[code]


_SHAPE = _Shape()


def number_text(value: Decimal) -> str:
    """Return a number in one form: no grouping, a point, no trailing zeros, no exponent.

    >>> number_text(Decimal("8.1741E10")), number_text(Decimal("20.0"))
    ('81741000000', '20')
    """
    digits = len(value.as_tuple().digits)
    return format(value.normalize(Context(prec=max(28, digits))), "f")


def read_number(text: str, language: str = LANGUAGE) -> Decimal | None:
    """Return the number that digits denote in a language; None if the text as a whole is none.

    One separator before exactly three digits is read by language; a repeated one groups, and of two
    different ones the last is the decimal sign. 0 and more digits are a code.

    >>> read_number("1,234"), read_number("1.234,5", "de"), read_number("K2"), read_number("030")
    (Decimal('1234'), Decimal('1234.5'), None, None)
    """
    match = NUMBER.fullmatch(text.strip())
    if match is None or match["date"] or re.fullmatch(r"0\d+", match[0]):
        return None
    body, e, exponent = match[0].lower().replace("−", "-").partition("e")
    body = re.sub(r"[ '’]", "", body).replace("٬", ",").replace("٫", ".")
    marks = re.findall(r"[.,]", body)
    point = ""  # the decimal sign
    if len(set(marks)) == 2 or (len(marks) == 1 and not _GROUP.fullmatch(body)):
        point = marks[-1]
    elif len(marks) == 1:
        point = "," if main_language(language) in phrases("comma")["any"] else "."
    digits = "".join(char for char in body if char not in ".," or char == point)
    # 1,234.5.6 is the number of a version or a section
    if point and digits.count(point) > 1:
        return None
    return Decimal(digits.replace(",", ".") + e + exponent)


@functools.lru_cache(maxsize=1 << 14)
def plain_number(text: str, language: str) -> str:
    """Return the number that digits denote in one form (see `number_text`); empty for no number."""
    value = read_number(text, language)
    return "" if value is None else number_text(value)


def gold_numbers(text: str, language: str = LANGUAGE) -> frozenset[Decimal]:
    """Return the numbers that a gold value may denote: as XSD, English and the language write it.

    A value that begins with 0 and another digit is a name (a dialling code), not a number.
    """
    text = text.strip().removeprefix("+")
    if not _NUMERIC.match(text):
        return frozenset()
    values = [read_number(text, language), read_number(text)]  # many translated sets keep English
    if _XSD.fullmatch(text):
        values.append(Decimal(text))
    return frozenset(value for value in values if value is not None)


def joined_signs(text: str) -> str:
    """Return a text in which signs that belong to a name become letters: C++, C#, J. K., U.S.

    >>> joined_signs("C++ and C#, not C"), joined_signs("J. K. Mill")
    ('Cplusplus and Csharp, not C', 'JK Mill')
    """
    text = respelled(text, "name-sign")
    if "." in text:
        text = _DOTTED.sub(lambda match: re.sub(r"\.|\s(?!$)", "", match[0]), text)
    return text


@functools.lru_cache(maxsize=64)
def normalised_text(text: str, language: str = LANGUAGE) -> tuple[str, tuple[Word, ...]]:
    """Return a text in one form for all scripts, and its words without case and accents.

    Numbers have one form, a date in digits is three numbers, and in scripts without spaces each
    character is a word. Cached, since a text is read for several things.

    >>> [word.form for word in normalised_text("São-Paulo's 1,234 km, 25.06.2009 東京")[1]]
    ['sao', 'paulo', 's', '1234', 'km', '25', '6', '2009', '東', '京']
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", respelled(text, "fraction"))  # NFKC: 31/2 of 3½
        text = text.replace("\u2010", "-")  # of a hyphen that does not break the line
    text = joined_signs(text)
    words: list[Word] = []
    end = 0
    for number in NUMBER.finditer(text):
        words += _between(text, end, number.start())
        if number["date"]:
            forms = [str(int(part)) for part in re.split(r"[-/.]", number[0])]
        else:
            forms = [plain_number(number[0], language) or number[0]]
        words += [Word(form, *number.span()) for form in forms]
        end = number.end()
    return text, (*words, *_between(text, end, len(text)))


def _between(text: str, start: int, end: int) -> list[Word]:
    part = text[start:end]
    if part.isascii():  # most texts are, and are read faster
        return [
            Word(match[0].lower(), start + match.start(), start + match.end())
            for match in _ASCII_WORD.finditer(part)
        ]
    return [
        Word(form, start + match.start(), start + match.end())
        for match in _WORD.finditer(part.translate(_SHAPE))
        if (form := plain_word(match[0]))
    ]


@functools.lru_cache(maxsize=1 << 14)
def plain_word(word: str) -> str:
    """Return a word in lower case, without accents and signs of vowels."""
    chars = _VOWEL_SIGNS.sub("", unicodedata.normalize("NFKD", word.casefold()))
    letters = [char for char in chars if unicodedata.category(char)[0] in "LMN"]
    return "".join(letters).translate(_LETTERS)


@functools.lru_cache(maxsize=256)
def tokens(text: str, language: str = LANGUAGE) -> tuple[str, ...]:
    """Return the forms of the words of a text; cached, since a text is read for several things."""
    if text.isascii() and not _DIGIT.search(text):
        return tuple(_ASCII_WORD.findall(joined_signs(text).lower()))
    return tuple(word.form for word in normalised_text(text, language)[1])


@functools.cache
def phrase_tokens(kind: str, *languages: str) -> frozenset[tuple[str, ...]]:
    """Return the phrases of a kind (see `phrases`) in some languages, or in all, each as tokens.

    >>> not_only = ("nicht", "nur")
    >>> not_only in phrase_tokens("not-only", "en"), not_only in phrase_tokens("not-only")
    (False, True)
    """
    rows = phrases(kind)
    chosen = [rows.get(main_language(tag), ()) for tag in languages] or rows.values()
    return frozenset(tokens(phrase) for row in chosen for phrase in row)


@functools.cache
def phrase_words(kind: str, *languages: str) -> frozenset[str]:
    """Return the words of the phrases of a kind, in some languages or in all."""
    return frozenset(word for phrase in phrase_tokens(kind, *languages) for word in phrase)


@functools.cache
def phrase_values(kind: str, language: str) -> Mapping[tuple[str, ...], int]:
    """Return the phrases of a kind that are followed by their value, as tokens, with that value.

    >>> phrase_values("month", "es")
    {('setiembre',): 9}
    """
    pairs = [row.rpartition(" ") for row in phrases(kind).get(language, ())]
    return {tokens(phrase): int(value) for phrase, _, value in pairs}


@functools.cache
def _phrases_by_first_word(kind: str, *languages: str) -> Mapping[str, list[tuple[str, ...]]]:
    """Return the phrases of a kind by their first word, the longest phrase first."""
    by_word: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted(phrase_tokens(kind, *languages), key=len, reverse=True):
        by_word.setdefault(phrase[0], []).append(phrase)
    return by_word


@functools.lru_cache(maxsize=1 << 17)
def stem(word: str, language: str) -> str:
    """Return a word without the endings of a language: Krakowie and Kraków have one stem.

    >>> stem("krakowie", "pl"), stem("warszawie", "pl") == stem("warszawa", "pl")
    ('krak', True)
    """
    endings = phrase_words("ending", language)
    longest = max(map(len, endings), default=0)
    while True:
        lengths = range(min(len(word) - _MIN_STEM_LETTERS, longest), 0, -1)
        ending = next((word[-length:] for length in lengths if word[-length:] in endings), "")
        word = word.removesuffix(ending)
        if not ending or len(endings) <= _FEW_ENDINGS:
            return word


def other_ordinals(name: str, language: str) -> list[str]:
    """Return a name with its ordinal number in words for one in digits, or in digits for words.

    >>> other_ordinals("21st century", "en"), other_ordinals("Vierzehnter Tag", "de")
    (['twenty-first century'], ['14. Tag'])
    """
    words, table = name.split(), _ordinals(language)
    is_date = sum(word[0].isdigit() for word in words) > 1
    pairs = [(one, table.get(one) or table.get(stem(plain_word(one), language))) for one in words]
    return [name.replace(word, other) for word, other in pairs if other and not is_date]


@functools.cache
def _ordinals(language: str) -> Mapping[str, str]:
    """Return the ordinal numbers in words by their digits, and in digits by their stem."""
    table: dict[str, str] = {}
    for tag in reading_languages(language):
        for words, _, digits in (row.rpartition(" ") for row in phrases("ordinal").get(tag, ())):
            table.setdefault(digits, words)
            table.setdefault(stem(plain_word(words), language), digits)
    return table


def phrases_in(words: tuple[str, ...], kind: str, *languages: str) -> Iterator[tuple[int, int]]:
    """Yield where words have a phrase of a kind: the index of its first word, and after its last.

    >>> list(phrases_in(tokens("It may be Ulm."), "perhaps", "en"))
    [(1, 3)]
    """
    table = _phrases_by_first_word(kind, *languages)
    if table.keys().isdisjoint(words):  # most texts have none
        return
    for i, word in enumerate(words):
        for phrase in table.get(word, ()):
            if words[i : i + len(phrase)] == phrase:
                yield i, i + len(phrase)
                break
