"""Answers compared as sets of RDF terms by their values: what GERBIL's rules are meant to be."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import TypeAlias

from qaldgen.answers.record import Response
from qaldgen.model import NUMBER_TYPES, Answers, Cell, Question
from qaldgen.questions.question_texts import language_tag
from qaldgen.rdf.terms import BOOLEANS, XSD
from qaldgen.scoring.counts import Count, Matcher

_DATE_TIME = re.compile(
    r"(?P<year>-?[0-9]{4,18})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
    r"(?P<time>T(?P<hours>[0-9]{2}):(?P<minutes>[0-9]{2}):(?P<seconds>[0-9]{2}(?:\.[0-9]+)?))?"
    r"(?P<zone>Z|[+-][0-9]{2}:[0-9]{2})?"
)
_DAYS_IN_400_YEARS = 146_097
_INFINITE = {"INF": Decimal("Infinity"), "+INF": Decimal("Infinity"), "-INF": Decimal("-Infinity")}
#: Two terms are the same if their keys are equal.
Key: TypeAlias = tuple[Hashable, ...]


def strict_match(gold: Answers, answers: Answers) -> Count:
    """Count the terms that both sets have: IRIs by their text, literals by their values.

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
    unmatched_gold = _terms(gold)
    unmatched_answers = _terms(answers)
    common = unmatched_gold.keys() & unmatched_answers.keys()
    for key in common:
        del unmatched_gold[key], unmatched_answers[key]
    n_right = len(common)
    n_right += _remove_pairs(unmatched_gold, unmatched_answers)
    n_right += _remove_pairs(unmatched_answers, unmatched_gold)
    return Count(n_right, len(unmatched_answers), len(unmatched_gold))


def strict_matcher() -> Matcher:
    """Return a matcher that applies `strict_match`."""
    return lambda question, response: strict_match(question.gold, response.given)


def _terms(answers: Answers) -> dict[Key, tuple[str, ...]]:
    """Return the different terms: the key of each, with the texts of an untyped one."""
    if answers.boolean is not None:
        return {("boolean", answers.boolean): ()}
    terms: dict[Key, tuple[str, ...]] = {}
    for cell in answers.cells():
        is_untyped = cell.type == "literal" and not cell.datatype and not cell.language
        terms[_cell_key(cell)] = (cell.value,) if is_untyped else ()
    return terms | {_text_key(wordings[0]): wordings for wordings in answers.texts if wordings}


def _remove_pairs(left: dict[Key, tuple[str, ...]], right: dict[Key, tuple[str, ...]]) -> int:
    """Remove each untyped left term and the first right term that it equals; return how many."""
    keys_by_text = {_text_key(str(key[1])): key for key in reversed(right) if key[0] == "text"}
    n_pairs = 0
    for left_key, texts in list(left.items()):
        for possible_key in _possible_keys(texts):
            right_key = keys_by_text.get(possible_key, possible_key)
            if right_key in right:
                del left[left_key], right[right_key]
                n_pairs += 1
                break
    return n_pairs


def _text_key(value: str, language: str = "") -> Key:
    return "text", value, language_tag(language) if language else ""


def _cell_key(cell: Cell) -> Key:
    """Return the key by which a term is compared.

    A literal that does not fit its datatype is compared as it is written.
    """
    if cell.type != "literal":
        return cell.type, cell.value
    if cell.language or cell.datatype in {"", XSD + "string"}:
        return _text_key(cell.value, cell.language)
    datatype = cell.datatype.removeprefix(XSD) if cell.datatype.startswith(XSD) else ""
    if datatype in NUMBER_TYPES:
        datatype = "number"
    value = _PARSERS[datatype](cell.value) if datatype in _PARSERS else None
    if value is None:
        return ("typed", cell.value, cell.datatype)
    return (datatype, value)


def _possible_keys(texts: Iterable[str]) -> Iterator[Key]:
    """Yield the keys of the values that the texts of an untyped literal may represent."""
    for text in texts:
        yield _text_key(text)
        for datatype, parse in _PARSERS.items():
            value = parse(text)
            if value is not None:
                yield datatype, value


def _parse_number(text: str) -> Hashable:
    """Return the value of a number; None for any other text."""
    text = text.strip()
    if text == "NaN":  # equal to itself here, unlike the number
        return text
    if text in _INFINITE:
        return _INFINITE[text]
    if not re.fullmatch(r"[0-9.eE+-]+", text):
        return None
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def _parse_date(text: str, *, with_time: bool) -> Hashable:
    """Return whether a date has a time zone, and its moment in seconds.

    Seconds are counted from the start of the Gregorian calendar, in UTC if there is a time zone.
    """
    match = _DATE_TIME.fullmatch(text.strip())
    if match is None or (match["time"] is not None) != with_time:
        return None

    year = int(match["year"])
    try:
        # Python's dates end in the year 9999; the calendar repeats every 400 years
        date = datetime.date(2000 + year % 400, int(match["month"]), int(match["day"]))
    except ValueError:
        return None

    hours = Decimal(match["hours"] or 0)
    minutes = Decimal(match["minutes"] or 0)
    seconds = Decimal(match["seconds"] or 0)
    zone = match["zone"] or ""
    offset = 0
    if zone not in {"", "Z"}:
        offset = int(zone[1:3]) * 60 + int(zone[4:])
        if zone[0] == "-":
            offset = -offset

    day = date.toordinal() + year // 400 * _DAYS_IN_400_YEARS
    return bool(zone), day * 86400 + hours * 3600 + (minutes - offset) * 60 + seconds


_PARSERS: Mapping[str, Callable[[str], Hashable]] = {
    "number": _parse_number,
    "boolean": lambda text: BOOLEANS.get(text.strip()),
    "date": lambda text: _parse_date(text, with_time=False),
    "dateTime": lambda text: _parse_date(text, with_time=True),
}


def mintaka_match(question: Question, response: Response) -> Count:
    """Count a question as right if any answer is a gold answer, however many others are given.

    A gold answer that is only in words, because no entity was linked, does not count: then giving
    none is right.

    >>> from qaldgen.model import Cell
    >>> ada, ben = Cell("uri", "http://x.org/Ada"), Cell("uri", "http://x.org/Ben")
    >>> question = Question("1", {}, answers=Answers(rows=((ben,),)))
    >>> mintaka_match(question, Response("1", answers=Answers(rows=((ada,), (ben,)))))
    Count(tp=1, fp=0, fn=0)
    """
    gold = question.gold
    if gold.texts and not gold.rows:
        gold = Answers()
    counts = strict_match(gold, response.given)
    if counts.tp:
        return Count(1, 0, 0)
    return Count(0, int(counts.fp > 0), int(counts.fn > 0))
