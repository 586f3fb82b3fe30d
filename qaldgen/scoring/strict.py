"""Answers compared as sets of RDF terms by their values: what GERBIL's rules are meant to be."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import TypeAlias

from qaldgen.answers.record import Response
from qaldgen.model import NUMBER_TYPES, Answers, Cell, Question
from qaldgen.questions.question_texts import language_tag
from qaldgen.rdf.terms import BOOLEANS, XSD
from qaldgen.scoring.counts import Count, Matcher

_DATE_TIME = re.compile(
    r"(-?[0-9]{4,18})-([0-9]{2})-([0-9]{2})"
    r"(?:T([0-9]{2}):([0-9]{2}):([0-9]{2}(?:\.[0-9]+)?))?"
    r"(Z|[+-][0-9]{2}:[0-9]{2})?"
)
_DAYS_IN_400_YEARS = 146_097
_INFINITE = {"INF": Decimal("Infinity"), "+INF": Decimal("Infinity"), "-INF": Decimal("-Infinity")}
#: Two terms are the same if their keys are equal.
Key: TypeAlias = tuple[Hashable, ...]


def strict_match(gold: Answers | None, answers: Answers | None) -> Count:
    """Count the terms that both have: IRIs by their text, literals by their values.

    Numbers are equal by value whatever their type, dates and times by the moment, booleans by
    truth, text in a language by text and language, other literals by text and datatype. A literal
    without datatype and language, as in many data sets, equals the typed one that its text
    represents. For gold texts, any accepted variant will do. The same answers on both sides always
    get precision and recall 1.

    >>> five = Cell("literal", "5.0", "http://www.w3.org/2001/XMLSchema#decimal")
    >>> gold, answers = Answers(rows=((five,),)), Answers(rows=((Cell("literal", "5"),),))
    >>> strict_match(gold, answers)
    Count(tp=1, fp=0, fn=0)
    """
    missing = _terms(gold)
    wrong = _terms(answers)
    common = missing.keys() & wrong.keys()
    for key in common:
        del missing[key], wrong[key]
    right = len(common) + _pair(missing, wrong) + _pair(wrong, missing)
    return Count(right, len(wrong), len(missing))


def strict_matcher() -> Matcher:
    """Return a matcher that applies `strict_match`."""
    return lambda question, response: strict_match(question.answers, response.answers)


def _terms(answers: Answers | None) -> dict[Key, tuple[str, ...]]:
    """Return the different terms: the key of each, with the texts of an untyped one."""
    if answers is None:
        return {}
    if answers.boolean is not None:
        return {("boolean", answers.boolean): ()}
    terms: dict[Key, tuple[str, ...]] = {}
    for row in answers.rows:
        for cell in filter(None, row):
            is_untyped = cell.type == "literal" and not cell.datatype and not cell.language
            terms[_key(cell)] = (cell.value,) if is_untyped else ()
    return terms | {_text(wordings[0]): wordings for wordings in answers.texts if wordings}


def _pair(untyped: dict[Key, tuple[str, ...]], terms: dict[Key, tuple[str, ...]]) -> int:
    """Remove each untyped term and the first free term that equals it; return how many."""
    by_text = {_text(str(key[1])): key for key in reversed(terms) if key[0] == "text"}
    pairs = 0
    for key, texts in list(untyped.items()):
        readings = [reading for text in texts for reading in _readings(text)]
        candidates = [by_text.get(reading, reading) for reading in readings]
        equal = next((candidate for candidate in candidates if candidate in terms), None)
        if equal is not None:
            del untyped[key], terms[equal]
            pairs += 1
    return pairs


def _text(value: str, language: str = "") -> Key:
    return "text", value, language and language_tag(language)


def _key(cell: Cell) -> Key:
    """Return the key by which a term is compared.

    A literal that does not fit its datatype is compared as it is written.
    """
    if cell.type != "literal":
        return cell.type, cell.value
    if cell.language or cell.datatype in {"", XSD + "string"}:
        return _text(cell.value, cell.language)
    kind = cell.datatype.removeprefix(XSD) if cell.datatype.startswith(XSD) else ""
    if kind in NUMBER_TYPES:
        kind = "number"
    value = _VALUES[kind](cell.value) if kind in _VALUES else None
    if value is None:
        return ("typed", cell.value, cell.datatype)
    return (kind, value)


def _readings(text: str) -> Iterator[Key]:
    """Yield the values that an untyped literal may represent."""
    yield _text(text)
    for kind, read in _VALUES.items():
        value = read(text)
        if value is not None:
            yield kind, value


def _number(text: str) -> Hashable:
    text = text.strip()
    if text == "NaN" or text in _INFINITE:
        return _INFINITE.get(text, text)
    try:
        if not re.fullmatch(r"[0-9.eE+-]+", text):
            return None
        return Decimal(text)
    except InvalidOperation:
        return None


def _moment(text: str, *, with_time: bool) -> Hashable:
    """Return the moment of a date in seconds, and whether it has a time zone.

    Counted from the start of the Gregorian calendar, in UTC if there is a time zone.
    """
    match = _DATE_TIME.fullmatch(text.strip())
    if match is None or (match[4] is not None) != with_time:
        return None
    year = int(match[1])
    try:
        # Python's dates end in the year 9999; the calendar repeats every 400 years
        date = datetime.date(2000 + year % 400, int(match[2]), int(match[3]))
    except ValueError:
        return None
    hours, minutes, seconds = (Decimal(part or 0) for part in match.groups()[3:6])
    zone = match[7] or ""
    offset = 0
    if zone not in {"", "Z"}:
        offset = int(zone[1:3]) * 60 + int(zone[4:])
        if zone[0] == "-":
            offset = -offset
    day = date.toordinal() + year // 400 * _DAYS_IN_400_YEARS
    return bool(zone), day * 86400 + hours * 3600 + (minutes - offset) * 60 + seconds


_VALUES: Mapping[str, Callable[[str], Hashable]] = {
    "number": _number,
    "boolean": lambda text: BOOLEANS.get(text.strip()),
    "date": lambda text: _moment(text, with_time=False),
    "dateTime": lambda text: _moment(text, with_time=True),
}


def mintaka_match(question: Question, response: Response) -> Count:
    """Return whether any given answer is a gold answer, however many others are given.

    A gold answer that is only in words, because no entity was linked, does not count: then giving
    none is right.

    >>> from qaldgen.model import Cell
    >>> ada, ben = Cell("uri", "http://x.org/Ada"), Cell("uri", "http://x.org/Ben")
    >>> question = Question("1", {}, answers=Answers(rows=((ben,),)))
    >>> mintaka_match(question, Response("1", answers=Answers(rows=((ada,), (ben,)))))
    Count(tp=1, fp=0, fn=0)
    """
    gold = question.answers
    if gold is not None and gold.texts and not gold.rows:
        gold = None
    counts = strict_match(gold, response.answers)
    if counts.tp:
        return Count(1, 0, 0)
    return Count(0, int(counts.fp > 0), int(counts.fn > 0))
