"""The usual names of fields and their roles: what a column or key of a set or a run may hold.

The names are a table, `data/fields.tsv`. Case, spaces, hyphens and underscores are ignored; some
names are known in other languages.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from qaldgen.io.packages import data_rows

#: Wrong answers: never gold.
_WRONG = re.compile(
    r"(?:best)?(?:incorrect|wrong|false|bad)(?:answers?|choices?|"
    r"options?)\d*|distractors?\d*|mc2targets"
)
#: One column per choice: ``A`` to ``D``, ``option_1``, ``opa``, ``answerB``.
_CHOICE = re.compile(
    r"(?:(?:option|choice|opt|op|sol|mcanswer)(?P<end>[a-h]|[0-9])|(?:answer|ans)(?P<letter>[a-h])|"
    r"(?P<bare>[a-h]))"
)
_SAID = "(?:answer|output|response|prediction|predicted|pred|generation|completion|reply)s?"
#: Language codes in names such as question_de; "id" is not among them: question_id is an id.
_TAGS = frozenset(
    re.findall(
        r"\w+",
        "ar be bg bn bs ca cs cy da de el en es et eu fa fi fr ga gl gu he hi hr hu hy is it ja ka"
        " kk km ko lt lv mk ml mn mr ms ne nl pa pl pt ro ru si sk sl sq sr sv sw ta te th tl tr uk"
        " ur uz vi zh",
    )
)
_LANGUAGES = {
    "eng": "en", "english": "en", "ger": "de", "german": "de", "rus": "ru", "russian": "ru",
    "fra": "fr", "french": "fr", "spa": "es", "spanish": "es", "pol": "pl", "polish": "pl",
}  # fmt: skip
_ROLES_ABROAD = ("id", "question", "answer", "prediction", "gold")
_ABROAD = data_rows("questions/data/names_abroad.tsv")
_ENGLISH = {
    word: english
    for _, *words in _ABROAD
    for english, listed in zip(_ROLES_ABROAD, words, strict=True)
    for word in listed.split()
}
_SAID_ABROAD = "|".join(word for word, english in _ENGLISH.items() if english == "answer")
_QUESTIONS = {word: tag for tag, _, words, *_ in _ABROAD for word in words.split()}
_IN_LANGUAGE = re.compile(
    r"(?:(?:question|text|utterance|q)(?:[ _-]?text|[ _-]?string)?["
    r" _-](?P<after>[a-z]+)(?P<region>[_-][a-z]{2,4})?"
    r"|(?P<before>[a-z]+)[ _-](?:question|text|utterance))",
    re.IGNORECASE,
)
#: What a name ends in if the field was an object: ``input.value``.
_INNER = re.compile(r"(?<=.)\.(?:value|text|content)$")
#: Rows of the table with parts of names.
_PARTS = ("gold word", "system word", "noun", "beside", "number or part", "model")
_ENDS_IN_ID = re.compile(r".*(?:[\W_][Ii][Dd]|[a-z]I[Dd])")
#: What a header names beside questions.
_NAMED = ("id", "run id", "gold", "answer", "prediction", "sparql")
_IN_BRACKETS = re.compile(r"(?<=\w)\s*\([^()]*\)$")
#: A name of one of these roles is not read by its parts.
_TAKEN = ("id", "run id", "question", "maybe question", "sparql", "maybe sparql", "answer",
    "variants", "maybe variants", "choices", "choice", "type", "system", "candidate",
    "confidence", "no answer", "reading")  # fmt: skip
#: Systems that have a letter or a number only.
_NUMBERED = re.compile(r"(?:model|system|sys|llm|bot|agent|team|run)(?:[a-h]|[0-9]{1,2})")


def _table() -> dict[str, tuple[str, ...]]:
    roles: dict[str, tuple[str, ...]] = {}
    for role, names, *_ in data_rows("questions/data/fields.tsv"):
        role_names = tuple("" if name == "-" else name for name in names.split())
        roles[role] = (*roles.get(role, ()), *role_names)
    return roles


#: Role to the usual names of its fields, preferred ones first.
ROLE_NAMES = _table()


def _any_of(role: str) -> str:
    return "|".join(sorted(ROLE_NAMES[role], key=len, reverse=True))


#: Names made of gold words or system words, and nouns: ``true_label``, ``model response``.
_GOLD = re.compile(rf"(?:{_any_of('gold word')})+(?:{_any_of('noun')})+")
_SYSTEM = re.compile(
    rf"(?:{_any_of('system word')})(?:{_any_of('system word')}|{_any_of('noun')})+"
)
#: Answers of the system that the name says: ``GPT-3 output``, ``answer_llama``.
_SAID_BY = re.compile(
    rf"(?!{_any_of('gold word')})"
    rf"(?!{_SAID}(?:{_any_of('beside')})$)(?:.+{_SAID}|{_SAID}[a-z].*)"
)


def _bare(words: str) -> re.Pattern[str]:
    """Return the pattern of such words that stand apart, before or behind the name of a system."""
    first = rf"^(?:{words})(?:\s+(?:by|of|von|de|di))?[\W_]+(?=\w)"
    return re.compile(rf"{first}|(?<=\w)[\W_]+(?:{words})$", re.IGNORECASE)


_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BARE_ABROAD = _bare(_SAID_ABROAD)
_BARE_SAID = _bare(f"{_SAID}|{_SAID_ABROAD}")


@functools.lru_cache(maxsize=4096)  # the same few in all records of a file
def normalize_name(name: str) -> str:
    """Return a name without case, spaces and punctuation, the usual ones in English.

    >>> normalize_name("Question Text"), normalize_name("qText"), normalize_name("Frage")
    ('questiontext', 'qtext', 'question')
    """
    plain = _squeezed(name)
    word = plain.rstrip("0123456789")  # Antwort 1 is answer1
    return _ENGLISH[word] + plain[len(word) :] if word in _ENGLISH else plain


#: What stands before the name of a field in an object: ``inputs.`` of ``inputs.question``.
_CONTAINER = re.compile(rf"(?:{_any_of('container')})\.(?=.)")


def _squeezed(name: str) -> str:
    outer = _INNER.sub("", _CONTAINER.sub("", name.casefold(), count=1))
    return re.sub(r"[\W_]+", "", outer)


_ROLES = tuple(role for role in ROLE_NAMES if role not in _PARTS)


@functools.lru_cache(maxsize=4096)
def has_role(name: str, *roles: str) -> bool:
    """Return whether a name is a usual one of one of these roles."""
    return any(normalize_name(name) in ROLE_NAMES[role] for role in roles)


def may_be_id(name: str) -> bool:
    """Return whether a name without a role ends like that of an id.

    >>> [may_be_id(name) for name in ("feta_id", "tweetId", "model_id", "paid")]
    [True, True, False, False]
    """
    return _ENDS_IN_ID.fullmatch(name) is not None and has_no_role(name)


def without_number(name: str) -> str:
    """Return a plain name without the number at its end: columns of one kind are numbered.

    >>> without_number("answer_2")
    'answer'
    """
    return normalize_name(name).rstrip("0123456789")


def holds_questions(name: str) -> bool:
    """Return whether a column of this name holds questions, and nothing else."""
    return has_role(name, "question") or question_language(name) != ""


def may_hold_gold(name: str) -> bool:
    """Return whether a column of this name may hold gold answers or a query."""
    return is_gold_name(name) or has_role(name, "answer", "sparql")


def count_field_names(cells: Iterable[str]) -> int:
    """Return how many cells of a line name a field, as those of a header do.

    >>> count_field_names(["ID", "Question", "note"]), count_field_names(["7", "Who lit it?"])
    (2, 0)
    """
    return sum(holds_questions(cell) or has_role(cell, *_NAMED) for cell in cells if cell)


@functools.lru_cache(maxsize=4096)
def is_gold_name(name: str) -> bool:
    """Return whether a name says that the answers in its column are gold.

    >>> [is_gold_name(name) for name in ("truth", "Standard-Answer", "gold_response", "answer")]
    [True, True, True, False]
    """
    plain = normalize_name(_IN_BRACKETS.sub("", name))  # "Gold (Wikidata)"
    return plain in ROLE_NAMES["gold"] or (
        _GOLD.fullmatch(plain) is not None
        and not has_role(name, *_TAKEN)
        and not is_wrong_answer(name)
    )


@functools.lru_cache(maxsize=4096)
def is_prediction_name(name: str) -> bool:
    """Return whether a name says that its column holds the answers of a system.

    >>> names = ("prediction", "llm response", "answer", "expected output")
    >>> [is_prediction_name(name) for name in names]
    [True, True, False, False]
    """
    plain = normalize_name(name)
    return has_role(name, "prediction", "prediction yes or no", "distribution") or (
        _SYSTEM.fullmatch(plain) is not None
        and not has_role(name, *_TAKEN)
        and not is_gold_name(name)
    )


def is_wrong_answer(name: str) -> bool:
    """Return whether a column of this name holds wrong answers."""
    return _WRONG.fullmatch(normalize_name(name)) is not None


@functools.lru_cache(maxsize=4096)
def is_system_name(name: str) -> bool:
    """Return whether a name says whose answers the column holds.

    >>> names = ("GPT-3 output", "answer_llama", "Response by X", "gold answer", "answer_time")
    >>> [is_system_name(name) for name in names]
    [True, True, True, False, False]
    """
    match = _SAID_BY.fullmatch(normalize_name(name)) or _BARE_ABROAD.search(name)
    words = re.findall(r"[^\W_]+", _CAMEL.sub(" ", name).casefold()) or [""]
    if words[0] in ROLE_NAMES["number or part"] or words[-1] in ROLE_NAMES["beside"]:
        return False
    return match is not None and has_no_role(name) and not system_in_name(name).isdecimal()


@functools.lru_cache(maxsize=4096)
def has_no_role(name: str) -> bool:
    """Return whether a name has no role."""
    return not (
        has_role(name, *_ROLES)
        or is_gold_name(name)
        or is_prediction_name(name)
        or is_wrong_answer(name)
        or choice_mark(name)
        or question_language(name)
    )


def system_in_name(name: str) -> str:
    """Return the system that the name of a column of answers states.

    >>> [system_in_name(name) for name in ("GPT-3 output", "answer_llama", "Antwort GPT-4")]
    ['GPT-3', 'llama', 'GPT-4']
    """
    return _BARE_SAID.sub("", name).strip() or name


def is_model_name(name: str) -> bool:
    """Return whether a column is called as a model is, perhaps with its version.

    >>> [is_model_name(name) for name in ("gpt-4o", "Flan_T5_xl", "llama2", "gpt score", "level")]
    [True, True, True, False, False]
    """
    if _NUMBERED.fullmatch(normalize_name(name)):
        return True
    first, *further = re.findall(r"[^\W_]+", name.casefold()) or [""]
    family = re.sub(r"\d.*", "", first)
    has_family = first in ROLE_NAMES["model"] or family in ROLE_NAMES["model"]
    return has_family and set(further).isdisjoint(ROLE_NAMES["beside"])


def question_language(name: str) -> str:
    """Return the language that the name of a column of questions states; else "".

    >>> names = ("question_de", "text-pt_BR", "question_id", "Frage")
    >>> [question_language(name) for name in names]
    ['de', 'pt_BR', '', 'de']
    """
    if usual := _QUESTIONS.get(_squeezed(name)):
        return usual
    match = _IN_LANGUAGE.fullmatch(name.strip())
    # "question_text" is not in a language "text"
    if match is None or has_role(name, "question", "id"):
        return ""
    language = (match["after"] or match["before"]).lower()
    tag = _LANGUAGES.get(language, language)
    if tag not in _TAGS:
        return ""
    return tag + (match["region"] or "")


def choice_mark(name: str) -> str:
    """Return the letter or digit of the choice in a column of this name; else ""."""
    match = _CHOICE.fullmatch(normalize_name(name))
    if match is None:
        return ""
    return (match["end"] or match["letter"] or match["bare"]).upper()
