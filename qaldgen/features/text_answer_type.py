"""What kind of answer an English question expects, from its text alone: SMART's categories (Mihindukulasooriya et al. 2020).

Rules give a first guess; a table of words and weights (`data/answer_types.tsv`) corrects it. The weights come from a
logistic regression over the DBpedia questions of SMART 2020; `benchmarks/build_answer_types.py` makes the table again.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from pathlib import Path

from qaldgen.features.text_surface import without_quotes
from qaldgen.features.text_wh import wh_word

#: SMART's category, with the three literal types apart, to the answer type of GERBIL and QALD.
CATEGORIES = {
    "boolean": "boolean",
    "literal-number": "number",
    "literal-date": "date",
    "literal-string": "string",
    "resource": "resource",
}
#: Stands in the table for the constant of each category.
BIAS = "*"
_TABLE = Path(__file__).resolve().parent / "data" / "answer_types.tsv"
_TOKEN = re.compile(r"'s\b|[^\W\d_]+|\d+|[?.]")
_OPENING = re.compile(
    r"\W*(?:(?:for|in|at|on|to|of|by|from)\s+)?(?:what|which|whats|who|give me|name|tell me|find|list)\W*"
    r"\b(?:'s|s|is|are|was|were)?\s*(?:the|a|an)?\s+(.*)"
)
_CLOSING = re.compile(
    r"\b(?:of|for|in|at|on|by|from|that|which|who|whose|with|to|did|does|do|is|was|are|were|has|have|had|can|when"
    r"|where)\b|[,?.]"
)
_DATE = re.compile(
    r"\b(?:(?:in|on|at|since) )?(?:what|which) (?:\w+ )?(?:years?|dates?|days?|months?|century|centuries|decades?"
    r"|birthday|time)\b"
    r"|\b(?:what|which|give me|name|tell me) (?:is|was|are|were|'s)? ?(?:the )?(?:\w+ ){0,3}(?:date|dates"
    r"|birthdays?|birthdates?|dob"
    r"|day of birth|day of death|year of \w+)\b|\bdate of \w+|\bbirth ?date\b|\bpoint in time\b"
)
_NUMBER = re.compile(
    r"\b(?:number|amount|count|quantity|percentage|population|height|width|length|depth|weight|mass|area"
    r"|elevation|altitude|distance"
    r"|temperature|density|revenue|income|budget|salary|cost|price|net worth|gdp|speed|duration|radius|diameter"
    r"|ratio|rate|age|size"
    r"|capacity|volume|frequency|latitude|longitude|magnitude|score|wavelength|voltage|atomic number|total"
    r"|boiling point|melting point)"
    r"s? (?:of|for|in|at|between)\b"
)
_STRING = re.compile(
    r"\b(?:nick-?names?|birth ?names?|full names?|real names?|first names?|alias(?:es)?|abbreviation|acronym"
    r"|motto|slogan|formula"
    r"|codes?|(?:postal|zip|area) ?code|zipcode|telephone|phone number|identifiers?|identification|ids?|url"
    r"|web ?site|homepage|e-?mail"
    r"|address|symbol|isbn|issn|title|nicknames?|pseudonym|transcription|pronunciation|ipa|inscription|quotation"
    r"|label|name of the)\b"
)


def rule(text: str) -> str:
    """Return the category that rules alone give; about 90 % right on SMART."""
    plain = " ".join(without_quotes(text).lower().replace("’", "'").split())
    code = wh_word(text).code
    if code == "yes-no":
        return "boolean"
    if code in {"how-many", "how-much"} or re.match(r"\W*(count|how (?!do|does|did|is|are|was|were|can|to|come)\w+)\b", plain):
        return "literal-number"
    if code == "when" or _DATE.search(plain):
        return "literal-date"
    if code in {"what", "which", "command", "none", "how"}:
        subject = plain[:60]
        if _STRING.search(subject):
            return "literal-string"
        if _NUMBER.search(subject):
            return "literal-number"
    return "resource"


def signals(text: str) -> set[str]:
    """Return what the table may know of a question: its words by one, two and three, first and last words, and word parts.

    A leading ``^`` marks the first words, ``$`` the last, ``h`` the words before the first preposition or verb after
    *what is the*, ``p`` and ``x`` the first four and last three letters of a word, ``r`` the category by rule, ``k`` a word
    with the first word. Numbers are replaced by as many zeros (five at most).
    """
    words = ["0" * min(len(word), 5) if word.isdigit() else word for word in _TOKEN.findall(text.lower().replace("’", "'"))]
    found = {f"r {rule(text)}"}
    for size in (1, 2, 3):
        found.update(" ".join(words[start : start + size]) for start in range(len(words) - size + 1))
        found.add("^ " + " ".join(words[:size]))
    found.update("$ " + " ".join(words[-size:]) for size in (2, 3))
    found.update(f"k {words[0]} {word}" for word in words[1:])
    for word in words:
        if len(word) > 4:
            found.update((f"p {word[:4]}", f"x {word[-3:]}"))
    opening = _OPENING.match(text.lower().replace("{", "").replace("}", ""))
    if opening:
        phrase = re.findall(r"[^\W\d_]+|\d+", _CLOSING.split(opening[1])[0])
        found.update(f"h {' '.join(phrase[-size:])}" for size in (1, 2) if phrase)
    if any(re.fullmatch(r"\{?[A-Z]{2,}\}?\??", word) for word in text.split()) and text != text.upper():
        found.add("a")
    return found


@functools.cache
def table() -> Mapping[str, tuple[int, ...]]:
    """Return the weights, in hundredths, of each signal for the categories in the order of `CATEGORIES`."""
    text = _TABLE.read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return {signal: tuple(map(int, weights)) for signal, *weights in rows}


def expected_category(text: str) -> str:
    """Return the category of the answer that an English question expects, one of `CATEGORIES`.

    Of equal sums the first category in the order of `CATEGORIES` wins.

    Examples
    --------
    >>> [expected_category(text) for text in ("Is it a river?", "How many rivers are there?", "When did she die?")]
    ['boolean', 'literal-number', 'literal-date']
    """
    if wh_word(text).code == "how-adj":
        return "literal-number"
    known = table()
    weights = [known[signal] for signal in sorted(signals(text) | {BIAS}) if signal in known]
    sums = [sum(column) for column in zip(*weights, strict=True)]
    return list(CATEGORIES)[sums.index(max(sums))]
