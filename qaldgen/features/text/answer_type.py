"""The category of answer that an English question expects, by its text alone (as in SMART).

The categories are those of Mihindukulasooriya et al. (2020). What the form of a question makes
certain is decided first: "how many" asks for a number, "what year" for a date. For the rest, a
table of words and weights (`data/answer_types.tsv`) decides between what the question word leaves
open. The weights come from a linear support vector machine over all DBpedia questions of SMART
2020; `benchmarks/build_answer_types.py` trains it. What the properties of Wikidata ask for
(`data/property_kinds.tsv`) is evidence too.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence

from qaldgen.features.text.letters import without_quotes
from qaldgen.features.text.question_words import offers_choice, wh_type
from qaldgen.features.text.taxonomies import type_of_noun
from qaldgen.features.text.words import AUXILIARIES, QUESTION_WORDS, pattern, singular, word_list
from qaldgen.io.packages import data_rows

#: The answer types of GERBIL and QALD by SMART's category, the three literal types apart.
CATEGORIES = {
    "boolean": "boolean",
    "literal-number": "number",
    "literal-date": "date",
    "literal-string": "string",
    "resource": "resource",
}
#: The row of the table with the constant of each category.
BIAS = "*"
#: Labels of properties and what they ask for: number, date or string.
PROPERTIES = "features/text/data/property_kinds.tsv"
_TOKEN = re.compile(r"'s\b|[^\W\d_]+|\d+|[?.]")
#: A run of words with capitals, not at the start: most likely a name.
_NAME = re.compile(
    r"(?<=[\w,] )(?!(?:What|Which|Who|When|Where|How|Why)\b)[^\W\d_a-zà-öø-ÿ][\w.'’&-]*"
    r"(?:(?: (?:of the|of|de|the|and|for))? [^\W\d_a-zà-öø-ÿ][\w.'’&-]*| \d+)*"
)
#: The words before the noun phrase that is asked for, as in "what is the **height**".
_OPENING = re.compile(
    r"\W*(?:(?:for|in|at|on|to|of|by|from)\s+)?(?:what|which|whats|who|give me|name|tell me|find|"
    r"list)\W*\b(?:'s|s|is|are|was|were)?\s*(?:the|a|an)?\s+(.*)"
)
#: The end of that noun phrase.
_CLOSING = pattern("end of what is asked")
#: Nouns that ask for a number, a string or a date, many of them names of properties in Wikidata and
#: DBpedia.
_QUANTITIES = word_list("nouns for numbers")
_STRINGS = word_list("nouns for strings")
_DATES = word_list("nouns for dates")
_THING_WORDS = word_list("nouns for things")

#: By category, the phrases that exclude any other, in the order in which they are tried.
_CERTAIN_PHRASES = {
    **{
        category: pattern(f"certain {category}")
        for category in ("boolean", "literal-date", "literal-number", "literal-string")
    },
    "resource": re.compile(
        rf"\b(?:what|which) (?:\w+ )?(?:{'|'.join(sorted(_THING_WORDS))})(?= (?:is|are|was|were|"
        r"do|does|did|has|have|had)\b)"
    ),
}
#: By question class, the category that it makes certain.
_CATEGORY_BY_CODE = {
    "yes-no": "boolean", "how-many": "literal-number", "how-much": "literal-number",
    "how-adj": "literal-number", "when": "literal-date", "whom": "resource", "whose": "resource",
    "where": "resource", "why": "literal-string",
}  # fmt: skip
#: "Is it in Chile or in Peru?" asks for one of the two.
_POLAR = re.compile(rf"\W*(?:{'|'.join(sorted(AUXILIARIES))})\b")
#: A statement with a question mark, with nothing left open at its end.
_STATEMENT = pattern("statement")
#: The manner in which something is called, healed or ended has a name.
_NAMED_MANNER = pattern("named manner")
#: "Who" asks for a literal only in this form, and if the weights are clear: "who gave the birth
#: date of".
_WHO = re.compile(r"\W*who (?:gave|is|are|was|were) (?:the )?\W*\w+(?: \w+)* of\b")
_WHO_DOUBT = 50


def category_by_form(text: str, code: str) -> str | None:
    """Return the category that the form of a question makes certain; None if there is none.

    >>> category_by_form("What year was it built?", "what"), category_by_form("What is it?", "what")
    ('literal-date', None)
    """
    if code in _CATEGORY_BY_CODE:
        return _CATEGORY_BY_CODE[code]
    # names become "xx", so that the words inside "What Year Is It Records" do not decide
    normalised = " ".join(without_quotes(_NAME.sub("xx", text)).lower().replace("’", "'").split())
    if code == "who" and not _WHO.match(normalised):
        return "resource"
    if code == "how":
        return "resource" if _NAMED_MANNER.search(normalised) else "literal-string"
    if code == "none" and offers_choice(text):
        return "resource" if _POLAR.match(normalised) else None
    if code == "none" and _STATEMENT.search(normalised):
        return "boolean"
    for category, phrase in _CERTAIN_PHRASES.items():
        if phrase.search(normalised):
            return category
    return None


def signals(text: str, code: str) -> set[str]:
    """Return the signals of a question, which may have weights.

    Its words in runs of one to three (numbers as zeros, at most five), and of up to four with one
    mark for each run of capitals (``m``); the first words (``^``) and the last (``$``); the first
    four and last three letters of longer words (``p``, ``x``); its class (``W``); of the noun
    phrase after *what is the*, its last words (``h``), the type of the last word (``H``) and its
    ending (``s``); the types of all words (``A``); whether a word is written in capitals (``a``);
    and what the labels of properties in it ask for (``D``, ``Dt`` after *the* or *is*).
    """
    plain = text.replace("’", "'").replace("{", "").replace("}", "")
    words = _tokenize(plain)
    masked = _tokenize(_NAME.sub("Xx", plain))
    found_signals = {f"W {code}"}
    found_signals.update(_word_runs(words, 3))
    found_signals.update(f"m {gram}" for gram in _word_runs(masked, 4))
    found_signals.update("$ " + " ".join(words[-size:]) for size in (2, 3))

    for word in words:
        noun_type = _noun_type(word)
        if noun_type in {"number", "string", "date"}:
            found_signals.add(f"A {noun_type}")
        if len(word) > 4:
            found_signals.update((f"p {word[:4]}", f"x {word[-3:]}"))

    opening = _OPENING.match(plain.lower())
    phrase = _TOKEN.findall(_CLOSING.split(opening[1])[0]) if opening else []
    if phrase:
        noun = singular(phrase[-1])
        found_signals.update(f"h {' '.join(phrase[-size:])}" for size in (1, 2))
        found_signals.update((f"H {_noun_type(noun)}", f"H {code} {_noun_type(noun)}"))
        found_signals.update((f"s {noun[-4:]}", f"s {noun[-3:]}"))

    found_signals.update(_property_signals(property_words(plain)))
    has_acronym = any(re.fullmatch(r"[A-Z]{2,}\??", word) for word in plain.split())
    if has_acronym and plain != plain.upper():
        found_signals.add("a")

    return found_signals


def _tokenize(text: str) -> list[str]:
    """Return the tokens of a text, numbers as zeros, at most five."""
    tokens = []
    for token in _TOKEN.findall(text.lower()):
        if token.isdigit():
            token = "00000"[: len(token)]
        tokens.append(token)
    return tokens


def _word_runs(words: Sequence[str], longest: int) -> set[str]:
    """Return the runs of up to `longest` words, and those at the start with ``^`` before them."""
    runs: set[str] = set()
    for size in range(1, longest + 1):
        for start in range(len(words) - size + 1):
            runs.add(" ".join(words[start : start + size]))
        runs.add("^ " + " ".join(words[:size]))
    return runs


def property_words(text: str) -> list[str]:
    """Return the words of a text or of the label of a property, in small letters."""
    return re.findall(r"[^\W\d_]+|\d+", text.lower())


def _property_signals(words: Sequence[str]) -> set[str]:
    """Return the signals of the labels of properties among the words; the longest label counts."""
    labels = _property_labels()
    found_signals = set[str]()

    initials = list[str]()
    start = 0
    while start < len(words):
        matching_labels = [
            (len(label), asked_type)
            for label, asked_type in labels.get(words[start], ())
            if words[start : start + len(label)] == label
        ]
        if not matching_labels:
            start += 1
            continue

        length, expected_type = matching_labels[0]
        typed_length = f"{min(length, 3)} {expected_type}"
        found_signals |= {
            f"D {expected_type}",
            f"D {typed_length}",
            f"D {min(len(initials), 2)}. {expected_type}",
        }
        if start and words[start - 1] in {"the", "is", "what", "which"}:
            found_signals |= {f"Dt {expected_type}", f"Dt {typed_length}"}
        initials.append(expected_type[0])
        start += length

    return found_signals | {f"D all {''.join(initials[:3])}"}


@functools.cache
def _property_labels() -> Mapping[str, Sequence[tuple[list[str], str]]]:
    """Return the labels of properties by first word, longest first, and what each asks for."""
    labels: dict[str, list[tuple[list[str], str]]] = {}
    rows = sorted(data_rows(PROPERTIES), key=lambda row: row[0].count(" "), reverse=True)
    for label, value_type in rows:
        words = label.split()
        labels.setdefault(words[0], []).append((words, value_type))
    return labels


@functools.lru_cache(maxsize=20_000)
def _noun_type(word: str) -> str:
    """Return what a noun asks for: number, string, date, or one of `ENTITY_TYPES`; else ""."""
    noun = singular(word)
    for noun_type, nouns in (("number", _QUANTITIES), ("string", _STRINGS), ("date", _DATES)):
        if noun in nouns:
            return noun_type
    return type_of_noun(noun) or ""


@functools.cache
def signal_weights() -> Mapping[str, tuple[int, ...]]:
    """Return the weights of each signal, in hundredths, in the order of `CATEGORIES`."""
    rows = data_rows("features/text/data/answer_types.tsv")
    return {signal: tuple(map(int, weights)) for signal, *weights in rows}


def expected_category(text: str, code: str = "") -> str:
    """Return the category of the answer that an English question expects, one of `CATEGORIES`.

    The first of equal sums wins, in the order of `CATEGORIES`.

    >>> texts = ("Is it a river?", "How many rivers are there?", "When did she die?")
    >>> [expected_category(text) for text in texts]
    ['boolean', 'literal-number', 'literal-date']
    """
    text, code = completed_phrase(text, code or wh_type(text))
    return category_by_form(text, code) or predicted_category(text, code, signal_weights())


def completed_phrase(text: str, code: str) -> tuple[str, str]:
    """Return a question and its class; a phrase without a verb is completed to "What is the ...".

    >>> completed_phrase("Height of the mill?", "none")
    ('What is the Height of the mill?', 'what')
    >>> completed_phrase("The mill is old?", "none")
    ('The mill is old?', 'none')
    """
    words = property_words(text)
    if code != "none" or not AUXILIARIES.isdisjoint(words) or QUESTION_WORDS.intersection(words):
        return text, code
    return f"What is the {re.sub(r'^(?i:the|an?) ', '', text)}", "what"


def predicted_category(text: str, code: str, weights_by_signal: Mapping[str, Sequence[int]]) -> str:
    """Return the category with the highest sum of weights.

    Only statements can be yes/no questions, because the form of the others would show it.
    """
    # sorted, so that the sums do not depend on the order of a set
    weighted = sorted((signals(text, code) | {BIAS}) & weights_by_signal.keys())
    columns = zip(*(weights_by_signal[signal] for signal in weighted), strict=True)
    sums = dict(zip(CATEGORIES, map(sum, columns), strict=True))
    if code == "who":
        sums["resource"] += _WHO_DOUBT
    if code != "none" or offers_choice(text):
        del sums["boolean"]
    return max(sums, key=lambda category: sums[category])
