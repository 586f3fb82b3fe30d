"""The numbers of a text with their units, and when one of them is the gold value.

If it is equal, converted or sensibly rounded.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple, TypeAlias

from qaldgen.scoring.words.counting import Counted, in_words, scales
from qaldgen.scoring.words.lexicon import phrases, primary
from qaldgen.scoring.words.tokens import tokens
from qaldgen.scoring.words.units import Unit, unit_at
from qaldgen.scoring.words.word_lists import word_set

_DIGITS = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_MINUS = frozenset(["minus", "moins", "menos", "meno", "минус"])
#: Words that may come between the parts of one quantity: two hours and ten minutes.
_AND = frozenset("and und et y e en i и og och ja și si ve a és es".split())  # noqa: SIM905
_SUMMED = frozenset(["length", "time", "mass"])
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
#: Notations that the tokeniser would break or drop: powers of ten, signs of units, and suffixes
#: such as 3.9M. Each with the characters that it needs, for a quick check; the order matters.
_SIGNS: tuple[tuple[str, re.Pattern[str], str], ...] = (
    (
        "×xX*·",
        re.compile(
            r"(?<=\d)\s*[×xX*·]\s*10\s*(?:\^|\*\*)?\s*\{?\s*\(?([-−+]?\d{1,3})\)?\s*\}?(?!\d)"
        ),
        r"e\1",
    ),
    ("%％٪", re.compile(r"\s?[%％٪]"), " percent "),
    ("°º℃", re.compile(r"\s?(?:°\s?|º\s?)C\b|\s?℃"), " celsius "),
    ("°º℉", re.compile(r"\s?(?:°\s?|º\s?)F\b|\s?℉"), " fahrenheit "),
    ("'′’", re.compile(r"(?<=\d)\s?['′’](?=\s?\d)"), " feet "),
    ("'′", re.compile(r"(?<=\d)\s?['′](?![\w'])"), " feet "),
    ("\"″”'", re.compile(r"(?<=\d)\s?(?:[\"″”]|'')"), " inch "),
    ("h", re.compile(r"(?<=\d)\s?h\s?(?=\d{1,2}\b)"), " hour "),
    ("h", re.compile(r"(?<=\d) hour (\d{1,2})(?:\s?m(?:in)?)?\b"), r" hour \1 minute "),
    ("m", re.compile(r"\b(\d)\s?m\s?(\d\d)\b"), r"\1.\2 m"),
    ("K", re.compile(r"(?<=\d)K\b"), " thousand "),
    ("Mm", re.compile(r"(?<=\d)(?:M|mn)\b"), " million "),
    ("Bb", re.compile(r"(?<=\d)(?:B|bn)\b"), " billion "),
    ("~≈∼≃", re.compile(r"[~≈∼≃]"), " about "),
)
_ANY_DIGIT = re.compile(r"\d")
#: What may stand between two words of one number: spaces, a hyphen; a comma after a thousand.
_JOINED = re.compile(r"[^\S\n]*|[-‐‑]")
_COMMA = re.compile(r"[,،][^\S\n]*")
_THOUSAND = 1000

#: Tells what stands in the text before a word, from the index of the word.
Gap: TypeAlias = Callable[[int], str]


class Quantity(NamedTuple):
    """A number of a text.

    Attributes
    ----------
    value : Decimal
        In the unit.
    step : Decimal
        The place of its last significant digit: 1000 in 381,000, 0.1 in 8.8.
    unit : Unit or None
        Its unit, if one is named.
    hedge : str
        ``about``, ``more`` or ``almost`` if the text says so, or empty.
    times : int
        The factor of words such as million after it; 1 without any.
    start, end : int
        Index of its first word, and index after its last.
    """

    value: Decimal
    step: Decimal
    unit: Unit | None
    hedge: str
    times: int
    start: int
    end: int

    @property
    def digits(self) -> int:
        """How many digits are significant."""
        return max(self.value.adjusted() - self.step.adjusted() + 1, 1) if self.value else 1

    def base(self) -> Decimal:
        """Return the value in the base unit.

        Returns
        -------
        Decimal
            The value itself if there is no unit.
        """
        return self.value if self.unit is None else self.value * self.unit.factor + self.unit.zero


def spell_signs(text: str) -> str:
    r"""Return a text with the signs of numbers as words, so that `tokens` keeps them.

    Parameters
    ----------
    text
        Any text.

    Returns
    -------
    str
        Unchanged if it has no digits.

    Examples
    --------
    >>> spell_signs("3.85 × 10⁷, 71 %, 5'10\", 1h20, 3.9M")
    '3.85e7, 71 percent , 5 feet 10 inch , 1 hour 20 minute , 3.9 million '
    """
    if _ANY_DIGIT.search(text) is None:
        return text
    if not text.isascii():
        text = re.sub(
            r"(?<=10)[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+",
            lambda found: "^" + found[0].translate(_SUPERSCRIPTS),
            text,
        )
    for signs, pattern, words in _SIGNS:
        if any(sign in text for sign in signs):
            text = pattern.sub(words, text)
    return text


def quantities(
    words: Sequence[str], language: str = "en", gap: Gap | None = None
) -> list[Quantity]:
    """Return the numbers of a text, in digits and in words, and the sums of adjacent ones.

    Words of the language and of English are read. A stop ends a number in words: "fifteen, twenty"
    are two, but "one thousand, two hundred" is one.

    Parameters
    ----------
    words
        The tokens of the text, after `spell_signs`.
    language
        Its language; without a table for it, only English words are read.
    gap
        Tells what stands in the text before a word; without it, stops are not seen.

    Returns
    -------
    list[Quantity]
        In the order of the text, sums last.

    Examples
    --------
    >>> numbers = quantities(tokens("two thousand five hundred of 3.5 million, minus twelve"))
    >>> [int(one.value) for one in numbers]
    [2500, 3500000, -12]
    >>> [str(one.base()) for one in quantities(tokens("6 feet 6 inches"))]
    ['1.8288', '0.1524', '1.9812']
    """
    own = primary(language)
    numbers = list(_read(words, own, gap))
    if own != "en":
        taken = {at for one in numbers for at in range(one.start, one.end)}
        numbers += [one for one in _read(words, "en", gap) if one.start not in taken]
        numbers.sort(key=lambda one: one.start)
    return numbers + list(_sums(numbers, words))


def _read(words: Sequence[str], language: str, gap: Gap | None) -> Iterator[Quantity]:
    i = 0
    while i < len(words):
        one = _number(words, i, language, gap)
        if one is None:
            i += 1
            continue
        yield one
        i = one.end


def _number(words: Sequence[str], start: int, language: str, gap: Gap | None) -> Quantity | None:
    if _DIGITS.fullmatch(words[start]):
        value, end = Decimal(words[start]), start + 1
    else:
        counted = _counted(words, start, language, gap)
        if counted is None or (
            language == "en"
            and counted.value == 1
            and words[counted.end : counted.end + 1] == ("of",)
        ):
            return None
        value, end = Decimal(counted.value), counted.end
        if start and words[start - 1] in _MINUS:
            value = -value
    step = _last_place(value)
    value, times, end = _scaled(words, value, end, language, gap)
    unit = unit_at(words, end, language)
    if unit is not None:
        return Quantity(value, step * times, unit[0], _hedge(words, start), times, start, unit[1])
    return Quantity(value, step * times, None, _hedge(words, start), times, start, end)


def _counted(words: Sequence[str], start: int, language: str, gap: Gap | None) -> Counted | None:
    """Return the number in words that begins here, up to the first stop."""
    counted = in_words(words, start, language)
    if counted is None or gap is None:
        return counted
    stop = next(
        (
            at
            for at in range(start + 1, counted.end)
            if _stops(gap(at), after=scales(language).get((words[at - 1],), 0))
        ),
        None,
    )
    if stop is None:
        return counted
    shorter = in_words(words[start:stop], 0, language)
    return shorter and Counted(shorter.value, start + shorter.end)


def _stops(gap: str, *, after: int = 0) -> bool:
    """Tell whether a number ends at what stands between two words, the first of a scale or 0."""
    return _JOINED.fullmatch(gap) is None and not (after >= _THOUSAND and _COMMA.fullmatch(gap))


def _scaled(
    words: Sequence[str], value: Decimal, end: int, language: str, gap: Gap | None
) -> tuple[Decimal, int, int]:
    """Return a number times the words such as million after it, the factor, and where they end."""
    table, times = scales(language), 1
    while end < len(words):
        joined = end + 1 if words[end] == "de" and times == 1 else end
        length = next(
            (
                n
                for n in (2, 1)
                if joined + n <= len(words) and tuple(words[joined : joined + n]) in table
            ),
            0,
        )
        if not length or (gap is not None and _stops(gap(end))):
            break
        times *= table[tuple(words[joined : joined + length])]
        end = joined + length
    return value * times, times, end


def _last_place(value: Decimal) -> Decimal:
    exponent = value.as_tuple().exponent
    if value == value.to_integral_value():
        exponent = value.normalize().as_tuple().exponent
    return Decimal(1).scaleb(int(exponent)) if isinstance(exponent, int) else Decimal(1)


@functools.cache
def _hedges() -> dict[tuple[str, ...], str]:
    kinds = ("about", "more", "almost")
    return {
        tokens(phrase): kind for kind in kinds for row in phrases(kind).values() for phrase in row
    }


def _hedge(words: Sequence[str], start: int) -> str:
    """Return the hedge in the words right before a number."""
    table = _hedges()
    for end in range(start, max(start - 3, 0), -1):
        for length in (3, 2, 1):
            kind = table.get(tuple(words[max(end - length, 0) : end])) if end >= length else None
            if kind:
                return kind
    return ""


def _sums(numbers: Sequence[Quantity], words: Sequence[str]) -> Iterator[Quantity]:
    """Yield the sums of adjacent quantities of one kind, the larger unit first: 6 feet 2 inches."""
    before: Quantity | None = None
    for one in numbers:
        sum_ = (
            _sum(before, one)
            if before and all(word in _joiners() for word in words[before.end : one.start])
            else None
        )
        if sum_ is not None:
            yield sum_
        before = sum_ or one


def _sum(larger: Quantity, smaller: Quantity) -> Quantity | None:
    units = larger.unit, smaller.unit
    if (
        units[0] is None
        or units[1] is None
        or units[0].kind != units[1].kind
        or units[0].kind not in _SUMMED
    ):
        return None
    if not 0 <= smaller.value < units[0].factor / units[1].factor:
        return None
    value = larger.value * units[0].factor / units[1].factor + smaller.value
    return smaller._replace(
        value=value,
        step=min(smaller.step, Decimal(1)),
        start=larger.start,
        hedge=larger.hedge or smaller.hedge,
    )


@functools.cache
def _joiners() -> frozenset[str]:
    return word_set(" ".join(_AND))
