"""The types of named things that questions ask for: 34 of PolQA, and the coarse classes of TREC.

PolQA (Rybak et al. 2022) labels by hand the type of every answer with a name of its own, including
numbers and dates. Here a table of head nouns guesses it for English from the question alone. The
coarse classes of Li and Roth (2002) follow from the same nouns; their fifty fine classes do not,
and yes/no questions have no class.
"""

from __future__ import annotations

import re

from qaldgen.features.text.languages import LabelWithRule
from qaldgen.features.text.letters import masked, sentences
from qaldgen.features.text.question_words import GAP, offers_choice
from qaldgen.features.text.words import pattern, word_list
from qaldgen.io.packages import data_rows

#: A question for another name of something that the question names.
_OTHER_NAME = pattern("other name")
#: A second question in the same sentence: "..., and is she his sister", "and how many are there".
_SECOND_QUESTION = pattern("second question")
#: Words that ask; a relative clause after such a word does not.
_QUESTION_WORD = re.compile(r"\b(?:what|which|who|whom|whose|when|where|why|how)\b")
_SEVERAL = pattern("several")
#: Classes that ask for one number, time, place or reason.
_SINGLE = frozenset({"how-many", "how-much", "how-adj", "when", "where", "why", "how"})
_UNNAMED_HEADS = word_list("nouns without a name")
_NOUN_ROWS = list(data_rows("features/text/data/nouns.tsv"))
#: By type of PolQA, in its order, the nearest class of the DBpedia ontology (as in SMART), or "".
ENTITY_TYPES = {name: "".join(cells[:1]) for name, *cells in _NOUN_ROWS}
#: By noun, the type of the things that it names; the first one, if it stands at several.
_TYPE_BY_NOUN = {
    noun: name for name, *cells in reversed(_NOUN_ROWS) for noun in " ".join(cells[1:]).split()
}
TREC_CLASSES = ("abbreviation", "description", "entity", "human", "location", "numeric")
_GIVEN_NAME = re.compile(r"\b(?:first|given|middle|christian) names?\b")
_SURNAME = re.compile(r"\b(?:surnames?|(?:last|family|maiden) names?)\b")
_DAY = re.compile(r"\b(?:born|die|died|birth|death|birthday|day)\b")
_ABBREVIATED = re.compile(r"\bstands? for\b|\babbreviat\w+|\bacronym")
_DESCRIBED = word_list("nouns that are described")
_HUMAN = frozenset(
    {"person", "name", "surname", "dynasty", "organisation", "company", "band", "nationality"}
)
_NUMBERS = frozenset({"count", "quantity"})
_TIMES = frozenset({"day", "year", "century", "period"})
_LOCATION = frozenset({
    "country", "state", "city", "mountain", "lake", "island", "sea", "river", "range",
    "archipelago", "continent", "place", "building",
})  # fmt: skip
#: By category, the types that its answers can have, and the default if no noun decides. A period
#: may be a resource, because eras have names.
_TYPES_BY_CATEGORY = {
    "literal-number": (_NUMBERS, "quantity"),
    "literal-date": (_TIMES, "year"),
    "literal-string": (frozenset({"name", "surname", "symbol", "title", "other"}), "other"),
    "resource": (frozenset(ENTITY_TYPES) - _NUMBERS - (_TIMES - {"period"}), "other"),
}
#: The same by question class, for the classes that restrict the types further.
_TYPES_BY_CODE = {
    "how-many": (_NUMBERS, "count"),
    "how-much": (frozenset({"quantity"}), "quantity"),
    "how-adj": (frozenset({"quantity"}), "quantity"),
    "who": (_HUMAN - {"name", "surname"}, "person"),
    "whom": (_HUMAN - {"name", "surname"}, "person"),
    "whose": (_HUMAN - {"name", "surname"}, "person"),
    "where": (_LOCATION, "place"),
}


def formulation(text: str, code: str, masked_text: str = "") -> LabelWithRule:
    """Return ``compound`` for several questions, else ``command`` or ``plain``, and the rule.

    `masked_text` is the text without quotations and names.
    """
    n_sentences = len(sentences(text))
    if n_sentences > 1:
        return LabelWithRule("compound", f"{n_sentences} sentences")
    if code == "command":
        return LabelWithRule("command", "an imperative")
    masked_text = " ".join((masked_text or text).lower().split())
    second_match = _SECOND_QUESTION.search(masked_text)
    if second_match and code != "none":
        # "when and where did", "the lake which is deep and which is cold": still one question
        preceding = masked_text[: second_match.start()]
        question_words = _QUESTION_WORD.findall(preceding)
        n_expected = 0 if code == "yes-no" else 1
        if len(question_words) == n_expected and preceding.split()[-1:] != question_words:
            return LabelWithRule("compound", f"a second question ({second_match[0]!r})")
    return LabelWithRule("plain", "one sentence without imperative")


def information_sought(
    text: str, code: str, category: str, *, plural: bool = False
) -> LabelWithRule:
    """Return PolQA's class of the information that a question asks for, and the rule behind it."""
    if category == "boolean":
        return LabelWithRule("yes-no", "yes or no is asked for")

    lowered = " ".join(masked(text).lower().split())
    gap_match = GAP.search(lowered)
    if gap_match:
        return LabelWithRule("gap-filling", f"asks to complete ({gap_match[0].strip()!r})")
    if offers_choice(text) and code in {"which", "what", "who", "none"}:
        return LabelWithRule("entity-choice", "offers a choice with 'or'")

    if category == "literal-number" or code in _SINGLE:
        return LabelWithRule("single-entity", f"question class {code} asks for one")
    several_match = _SEVERAL.search(lowered)
    if several_match:
        return LabelWithRule("multiple-entities", f"asks for several ({several_match[0]!r})")
    if plural and code in {"command", "which", "what", "who", "none"}:
        return LabelWithRule("multiple-entities", "the head noun is in the plural")

    name_match = _OTHER_NAME.search(lowered)
    if name_match and category in {"literal-string", "resource"} and code != "who":
        return LabelWithRule("other-name", f"asks for another name ({name_match[0]!r})")
    return LabelWithRule("single-entity", "no other rule")


def entity_kind(code: str, category: str, head: str | None) -> LabelWithRule:
    """Return whether the answer is ``named``, ``unnamed`` or ``yes-no``, and the rule behind it.

    PolQA's classes, guessed from the question alone; as in PolQA, numbers and dates count as named.
    """
    if category == "boolean":
        return LabelWithRule("yes-no", "yes or no is asked for")
    if category in {"literal-number", "literal-date"}:
        return LabelWithRule("named", "a number or a date is asked for")
    if code in {"who", "whom", "whose", "where"}:
        return LabelWithRule("named", f"question class {code}")
    if code in {"how", "why"}:
        return LabelWithRule("unnamed", f"question class {code}")
    if code == "what" and head is None:
        return LabelWithRule("unnamed", "question class what without a head noun")
    if head in _UNNAMED_HEADS:
        return LabelWithRule("unnamed", f"head noun {head!r}")
    if head:
        return LabelWithRule("named", f"head noun {head!r}")
    return LabelWithRule("named", f"question class {code}")


def type_of_noun(noun: str, text: str = "") -> str | None:
    """Return the type of the things that a lower-case noun names.

    In `text` the noun may follow a word with which it forms a compound. A compound that is not in
    the table has the type of its last part.

    >>> type_of_noun("station"), type_of_noun("station", "which tv station shows it?")
    ('building', 'company')
    """
    preceding = re.findall(rf"(\w+)[ -]{re.escape(noun)}", text) if noun else []
    candidates = [f"{word}-{noun}" for word in preceding]
    candidates.append(noun.rpartition("-")[2])
    for candidate in candidates:
        if candidate in _TYPE_BY_NOUN:
            return _TYPE_BY_NOUN[candidate]
    return None


def entity_type(text: str, code: str, category: str, kind: str, head: str | None) -> str | None:
    """Return the type of the named thing that an English question asks for.

    >>> entity_type("Which town burned?", "which", "resource", "named", "town")
    'city'
    """
    if kind != "named":
        return None
    lowered = text.lower()
    if code == "how-many":
        return "count"
    guesses = [type_of_noun(head or "", lowered)]
    if _SURNAME.search(lowered):
        guesses.insert(0, "surname")
    if _GIVEN_NAME.search(lowered):
        guesses.insert(0, "name")
    if category == "literal-date" and _DAY.search(lowered):
        guesses.append("day")
    for guess in guesses:
        if guess and guess == allowed_type(guess, code, category):
            return guess
    return allowed_type(None, code, category)


def allowed_type(guess: str | None, code: str, category: str) -> str:
    """Return a guessed type if question class and category allow it, else their default."""
    if code in _TYPES_BY_CODE and (code != "who" or category == "resource"):
        allowed, default = _TYPES_BY_CODE[code]
    else:
        allowed, default = _TYPES_BY_CATEGORY[category]
    return guess if guess in allowed else default


def trec_class(
    text: str, code: str, category: str, head: str | None, entity: str | None
) -> str | None:
    """Return the coarse class of Li and Roth (2002), one of `TREC_CLASSES`.

    Yes/no questions have none.

    >>> trec_class("Why?", "why", "literal-string", None, None)
    'description'
    >>> trec_class("Who?", "who", "resource", None, "person")
    'human'
    """
    if category == "boolean":
        return None
    if entity in _NUMBERS | _TIMES:
        return "numeric"
    if category == "literal-string" and _ABBREVIATED.search(text.lower()):
        return "abbreviation"
    if code in {"why", "how"} or head in _DESCRIBED:
        return "description"
    if entity in _HUMAN:
        return "human"
    if entity in _LOCATION:
        return "location"
    return "entity"
