"""The strings that the loader of GERBIL makes of answers, and gold that it treats unexpectedly."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from qaldgen.errors import DataError
from qaldgen.formats.gerbil.uris import is_gerbil_iri, is_url, same_uris
from qaldgen.formats.json_documents import parse_json
from qaldgen.formats.records import boolean_of, scalar_text
from qaldgen.model import Answers, Cell, Question
from qaldgen.rdf.terms import XSD

#: The first day of the Gregorian calendar (15 October 1582), as a Julian day number.
_CUTOVER = 2299161
_CUTOVER_YEAR = 1582
_DATE = re.compile(r"[ \t]*(-?[0-9]{1,18})-[ \t]*(-?[0-9]{1,18})-[ \t]*(-?[0-9]{1,18})")
#: Java's String.trim removes all characters up to the space.
_TRIMMED = "".join(map(chr, range(0x21)))
#: Keys of QALD-5's own answer elements, which GERBIL's loader ignores.
_QALD_5 = frozenset({"uri", "string", "number", "date"})


def with_gerbil(answers: Answers, elements: Sequence[object]) -> Answers:
    """Return the answers with GERBIL's reading of them in `gerbil`, where it differs.

    >>> cell = {"datatype": "http://www.w3.org/2001/XMLSchema#date", "value": "2012-1-1"}
    >>> with_gerbil(Answers(), [{"results": {"bindings": [{"x": cell}]}}]).gerbil
    ('2012-01-01',)
    """
    if any(
        isinstance(element, dict) and "results" not in element and not _QALD_5.isdisjoint(element)
        for element in elements
    ):
        return answers  # GERBIL does not read these
    # stored only if it differs, which is rare
    strings = gerbil_strings(elements)
    return (
        answers
        if set(strings) == set(answers.values())
        else dataclasses.replace(answers, gerbil=strings)
    )


def answer_strings(answers: Answers | None) -> Sequence[str]:
    """Return the answers as GERBIL's loader reads them; unknown ones are empty there."""
    if answers is None:
        return ()
    return answers.values() if answers.gerbil is None else answers.gerbil


def gerbil_strings(elements: Sequence[object]) -> tuple[str, ...]:
    """Return the answers as GERBIL's loader has them: distinct strings of all elements together.

    A cell without a value, which crashes GERBIL, is skipped.
    """
    return tuple(dict.fromkeys(text for element in elements for text in _strings(element)))


def _strings(element: object) -> list[str]:
    if isinstance(element, str):
        try:
            element = parse_json(element, "")
        except DataError:
            return []
    if not isinstance(element, dict):
        return []
    boolean = element.get("boolean")
    truth = (
        boolean_of(boolean)
        if isinstance(boolean, str)
        else boolean != 0
        if isinstance(boolean, (int, float))
        else None
    )
    strings = [] if truth is None else [str(truth).lower()]
    results = element.get("results")
    rows = results.get("bindings") if isinstance(results, dict) else None
    for row in rows if isinstance(rows, list) else []:
        for cell in row.values() if isinstance(row, dict) else ():
            if isinstance(cell, dict) and isinstance(cell.get("value"), (str, int, float)):
                strings.append(gerbil_value(cell))
    return strings


def gerbil_value(cell: Mapping[str, object]) -> str:
    """Return the string that GERBIL makes of a cell; a datatype after the value is ignored.

    >>> gerbil_value({"datatype": "http://www.w3.org/2001/XMLSchema#boolean", "value": "1"})
    'false'
    >>> gerbil_value({"value": True})
    'true'
    """
    value = cell["value"]
    text = value if isinstance(value, str) else scalar_text(value)
    if "datatype" not in cell:
        return text
    # the loader reads key by key, and rewrites a value only with the datatype at hand
    before = list(cell)[: list(cell).index("value")]
    datatype = cell.get("datatype") if "datatype" in before else None
    if datatype == XSD + "boolean":
        return str(text.lower() == "true").lower()
    return gerbil_date(text) if datatype == XSD + "date" else text


def gerbil_date(text: str) -> str:
    """Return a date as GERBIL prints it, like Java's lenient ``SimpleDateFormat`` (yyyy-MM-dd).

    The start of the text is read as a date, the rest and the era are dropped. Months and days may
    be out of range and roll over; days before 15 October 1582 are in the Julian calendar. Text that
    does not start with such a date is only trimmed.

    >>> gerbil_date("2012-02-30"), gerbil_date("2012-1-1T00:00:00Z")
    ('2012-03-01', '2012-01-01')
    >>> gerbil_date("-0044-03-15"), gerbil_date(" May 1982 ")
    ('0045-03-15', 'May 1982')
    """
    text = text.strip(_TRIMMED)
    match = _DATE.match(text)
    if match is None:
        return text
    year, month, day = _calendar_date(_day_number(*map(int, match.groups())))
    return f"{year if year > 0 else 1 - year:04}-{month:02}-{day:02}"


def _day_number(year: int, month: int, day: int) -> int:
    """Return the Julian day number; from 1582 on the Gregorian day, if it is after the change."""
    gregorian, julian = (_days(year, month, is_julian) + day for is_julian in (False, True))
    return gregorian if year >= _CUTOVER_YEAR and gregorian >= _CUTOVER else julian


def _days(year: int, month: int, julian: bool) -> int:
    """Return the Julian day number of the day before a month; year and month may be any number."""
    months = 12 * (year + 4800) + month - 3  # counted from March, so that the leap day comes last
    years, since_march = divmod(months, 12)
    days = (153 * since_march + 2) // 5 + 365 * years + years // 4
    return days - 32083 if julian else days - years // 100 + years // 400 - 32045


def _calendar_date(number: int) -> tuple[int, int, int]:
    """Return year, month and day of a Julian day number (E. G. Richards, Mapping Time, 1998)."""
    shifted = number + 1401
    if number >= _CUTOVER:
        shifted += (4 * number + 274277) // 146097 * 3 // 4 - 38
    years, quarters = divmod(4 * shifted + 3, 1461)
    month_day = 5 * (quarters // 4) + 2
    month = (month_day // 153 + 2) % 12 + 1
    return years - 4716 + (14 - month) // 12, month, month_day % 153 // 5 + 1


#: By kind of oddity, the end of a sentence whose subject is the questions.
_WARNINGS = {
    "unknown": (
        "have no gold answers in the data; GERBIL treats them as "
        "empty, so an empty answer scores 1 there"
    ),
    "empty": "have an empty gold answer; an empty answer scores 1 there",
    "mixed": (
        "mix IRIs and literals in the gold answers; GERBIL then matches none of the IRIs, not even"
        " for a perfect system"
    ),
    "several": "have several variables in the gold rows; GERBIL counts every value as an answer",
    "illegal": (
        "have a gold IRI that GERBIL does not accept as an IRI "
        "(space, quote, pipe, second hash, ...)"
    ),
}
#: What the author of a benchmark can do about it.
_ADVICE = {"several": "--answers first keeps only one"}


def load_warnings(questions: Sequence[Question], *, writing: bool = True) -> list[str]:
    """Return warnings about gold answers that GERBIL scores in unexpected ways."""
    advice = {name: f" ({text})" for name, text in _ADVICE.items() if writing}
    warnings: dict[str, list[str]] = {name: [] for name in _WARNINGS}
    for question in questions:
        for name in _oddities(question.answers):
            warnings[name].append(question.id)
    return [
        f"{len(ids)} of {len(questions)} questions (first: {ids[0]})"
        f" {_WARNINGS[name]}{advice.get(name, '')}"
        for name, ids in warnings.items()
        if ids
    ]


def _oddities(answers: Answers | None) -> Iterator[str]:
    if answers is None:
        yield "unknown"
        return
    strings = answer_strings(answers)
    if not strings:
        yield "empty"
    # nothing but IRIs, as in most answers: the two expensive checks cannot find anything
    plain = answers.gerbil is None and all(map(is_gerbil_iri, strings))
    if not plain and never_matched(strings):
        yield "mixed"
    if len(answers.variables) > 1 and answers.rows:
        yield "several"
    if not plain and next(illegal_iris(answers), None) is not None:
        yield "illegal"


def never_matched(values: Iterable[str]) -> list[str]:
    """Return the gold answers that GERBIL matches with no answer at all, not even the same text.

    If one gold answer of a question is not an IRI to GERBIL, all of them are compared as text. A
    system's answers are treated differently: URLs remain IRIs, which never equal a text.

    >>> never_matched(["http://x.org/a", "http://x.org/b#c#d", "urn:a"])
    ['http://x.org/a']
    """
    unmatched = dict.fromkeys(values)
    return (
        []
        if all(map(is_gerbil_iri, unmatched))
        else [value for value in unmatched if is_url(value)]
    )


def same_to_gerbil(values: Iterable[str]) -> list[tuple[str, str]]:
    """Return the pairs of gold IRIs that GERBIL treats as one, so that only the first can match.

    >>> same_to_gerbil(["http://dbpedia.org/resource/Ulm", "http://en.wikipedia.org/wiki/Ulm"])
    [('http://dbpedia.org/resource/Ulm', 'http://en.wikipedia.org/wiki/Ulm')]
    """
    distinct = dict.fromkeys(values)
    if len(distinct) < 2 or not all(map(is_gerbil_iri, distinct)):
        return []
    # equivalence is transitive, so the set of equivalent URIs identifies the thing
    first: dict[frozenset[str], str] = {}
    pairs = ((first.setdefault(same_uris(value), value), value) for value in distinct)
    return [(earlier, value) for earlier, value in pairs if earlier != value]


def illegal_iris(answers: Answers) -> Iterator[Cell]:
    """Yield the non-blank answers that the data calls IRIs but GERBIL does not accept as such."""
    cells = (
        cell for row in answers.rows for cell in row if cell is not None and cell.type == "uri"
    )
    return (cell for cell in cells if cell.value.strip() and not is_gerbil_iri(cell.value))
