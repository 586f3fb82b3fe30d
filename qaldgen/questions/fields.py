"""The known names of fields, and their roles: what a column or key of a set or a run may hold.

The names are in the table `data/fields.tsv`. Case, spaces, hyphens and underscores are ignored;
some names are known in other languages.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from qaldgen.io.packages import data_rows

#: Names of columns with wrong answers.
_WRONG = re.compile(
    r"(?:best)?(?:incorrect|wrong|false|bad|neg|negative|adversarial)(?:answers?|choices?|"
    r"options?)\d*|distractors?\d*|mc2targets"
)
#: One column per choice: ``A`` to ``D``, ``option_1``, ``opa``, ``answerB``.
_CHOICE = re.compile(
    r"(?:(?:option|choice|opt|op|sol|mcanswer)(?P<end>[a-h]|[0-9])|(?:answer|ans)(?P<letter>[a-h])|"
    r"(?P<bare>[a-h]))"
)
_ANSWER_WORDS = "(?:answer|output|response|prediction|predicted|pred|generation|completion|reply)s?"
#: Language codes in names such as question_de; "id" is not among them: question_id is an id.
_LANGUAGE_CODES = frozenset(
    re.findall(
        r"\w+",
        "ar be bg bn bs ca cs cy da de el en es et eu fa fi fr ga gl gu he hi hr hu hy is it ja ka"
        " kk km ko lt lv mk ml mn mr ms ne nl pa pl pt ro ru si sk sl sq sr sv sw ta te th tl tr uk"
        " ur uz vi zh",
    )
)
_LANGUAGE_NAMES = {
    "eng": "en", "english": "en", "ger": "de", "german": "de", "rus": "ru", "russian": "ru",
    "fra": "fr", "french": "fr", "spa": "es", "spanish": "es", "pol": "pl", "polish": "pl",
}  # fmt: skip
_ROLES_ABROAD = ("id", "question", "answer", "prediction", "gold")
_NAMES_ABROAD = data_rows("questions/data/names_abroad.tsv")
_ENGLISH_NAMES = {
    word: english
    for _, *words in _NAMES_ABROAD
    for english, listed in zip(_ROLES_ABROAD, words, strict=True)
    for word in listed.split()
}
_ANSWER_WORDS_ABROAD = "|".join(
    word for word, english in _ENGLISH_NAMES.items() if english == "answer"
)
_QUESTION_WORDS = {word: tag for tag, _, words, *_ in _NAMES_ABROAD for word in words.split()}
_IN_LANGUAGE = re.compile(
    r"(?:(?:question|text|utterance|q)(?:[ _-]?text|[ _-]?string)?["
    r" _-](?P<after>[a-z]+)(?P<region>[_-][a-z]{2,4})?"
    r"|(?P<before>[a-z]+)[ _-](?:question|text|utterance))",
    re.IGNORECASE,
)
#: Last words of names of systems, such as "Graph RAG".
_KINDS_OF_SYSTEMS = frozenset(["rag", "llm", "chatbot"])
#: The end of a name if the field was an object: ``input.value``.
_VALUE_SUFFIX = re.compile(r"(?<=.)\.(?:value|text|content)$")
_PUNCTUATION = re.compile(r"[\W_]+")
#: Rows of the table with parts of names instead of roles.
_PART_ROWS = ("gold word", "system word", "noun", "beside", "number or part", "model")
_ENDS_IN_ID = re.compile(r".*(?:[\W_][Ii][Dd]|[a-z]I[Dd])")
#: Roles that show a header, besides questions.
_HEADER_ROLES = ("id", "run id", "gold", "answer", "prediction", "sparql")
_IN_BRACKETS = re.compile(r"(?<=\w)\s*\([^()]*\)$")
#: A name with one of these roles is not analysed by its parts.
_EXCLUDING_ROLES = (
    "id", "run id", "question", "maybe question", "sparql", "maybe sparql", "answer", "variants",
    "maybe variants", "choices", "choice", "type", "system", "candidate", "confidence", "no answer",
    "reading",
)  # fmt: skip
#: Systems that are called by a letter or a number.
_NUMBERED_SYSTEM = re.compile(r"(?:model|system|sys|llm|bot|agent|team|run)(?:[a-h]|[0-9]{1,2})")


def _read_roles() -> dict[str, tuple[str, ...]]:
    roles: dict[str, tuple[str, ...]] = {}
    for role, names, *_ in data_rows("questions/data/fields.tsv"):
        role_names = tuple("" if name == "-" else name for name in names.split())
        roles[role] = (*roles.get(role, ()), *role_names)
    return roles


#: The known names of fields by role, preferred ones first.
ROLE_NAMES = _read_roles()


def _alternatives(role: str) -> str:
    return "|".join(sorted(ROLE_NAMES[role], key=len, reverse=True))


#: Names made of gold words or system words, and nouns: ``true_label``, ``model response``.
_GOLD = re.compile(
    rf"(?:{_alternatives('gold word')})+(?:{_alternatives('noun')})+|"
    r"(?:answer|label|value)s?(?:gold|gt|truth|groundtruth|ref|reference|expected)"
)
_SYSTEM_WORDS = _alternatives("system word")
_SYSTEM = re.compile(
    rf"(?:{_SYSTEM_WORDS})(?:{_SYSTEM_WORDS}|{_alternatives('noun')})+|"
    r"(?:answer|label|value)s?(?:preds?|predicted|prediction)"
)
#: The question in one of two tables that were joined.
_JOINED_QUESTION = re.compile(r"^(?P<name>q|question(?:text)?)(?:gold|gt|ref|pred|predicted|x|y)$")
#: Names of columns with the answers of a system: ``GPT-3 output``, ``answer_llama``.
_SYSTEM_COLUMN = re.compile(
    rf"(?!{_alternatives('gold word')})"
    rf"(?!{_ANSWER_WORDS}(?:{_alternatives('beside')})$)(?:.+{_ANSWER_WORDS}|{_ANSWER_WORDS}[a-z].*)"
)


def _compile_apart(words: str) -> re.Pattern[str]:
    """Return the pattern of separate words before or after the name of a system."""
    before = rf"^(?:{words})(?:\s+(?:by|of|von|de|di|fra|från|van|od))?[\W_]+(?=\w)"
    return re.compile(rf"{before}|(?<=\w)[\W_]+(?:{words})$", re.IGNORECASE)


_CAMEL_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])")
_APART_ABROAD = _compile_apart(_ANSWER_WORDS_ABROAD)
_APART = _compile_apart(f"{_ANSWER_WORDS}|{_ANSWER_WORDS_ABROAD}")


@functools.lru_cache(maxsize=4096)  # all records of a file have the same names
def normalize_name(name: str) -> str:
    """Return a name in lower case without spaces and punctuation; known words are translated.

    >>> normalize_name("Question Text"), normalize_name("qText"), normalize_name("Frage")
    ('questiontext', 'qtext', 'question')
    """
    stripped = _JOINED_QUESTION.sub(r"\g<name>", _strip_name(name))
    word = stripped.rstrip("0123456789")  # Antwort 1 is answer1
    return _ENGLISH_NAMES.get(word, word) + stripped[len(word) :]


def _strip_name(name: str) -> str:
    """Return a name in lower case without punctuation, and without the names of objects around."""
    outer, _, inner = name.casefold().partition(".")
    in_container = bool(inner) and _PUNCTUATION.sub("", outer) in ROLE_NAMES["container"]
    field = inner if in_container else name.casefold()
    return _PUNCTUATION.sub("", _VALUE_SUFFIX.sub("", field))


_ROLES = tuple(role for role in ROLE_NAMES if role not in _PART_ROWS)


@functools.lru_cache(maxsize=4096)
def has_role(name: str, *roles: str) -> bool:
    """Return whether a name is known for one of some roles."""
    return any(normalize_name(name) in ROLE_NAMES[role] for role in roles)


def may_be_id(name: str) -> bool:
    """Return whether a name without a role ends like the name of an id.

    >>> [may_be_id(name) for name in ("feta_id", "tweetId", "model_id", "paid")]
    [True, True, False, False]
    """
    return _ENDS_IN_ID.fullmatch(name) is not None and has_no_role(name)


def without_number(name: str) -> str:
    """Return a normalized name without the number at its end.

    >>> without_number("answer_2")
    'answer'
    """
    return normalize_name(name).rstrip("0123456789")


def holds_questions(name: str) -> bool:
    """Return whether a column of this name certainly holds questions."""
    return has_role(name, "question") or question_language(name) != ""


def identifies_question(name: str) -> bool:
    """Return whether a column of this name holds ids or questions."""
    return holds_questions(name) or has_role(name, "id", "run id", "maybe question")


def may_hold_answers(name: str) -> bool:
    """Return whether a column of this name may hold gold answers or those of a system."""
    return (
        is_gold_name(name)
        or is_prediction_name(name)
        or is_system_name(name)
        or has_role(name, "answer")
    )


def may_hold_gold(name: str) -> bool:
    """Return whether a column of this name may hold gold answers or a query."""
    return is_gold_name(name) or has_role(name, "answer", "sparql")


def count_field_names(cells: Iterable[str]) -> int:
    """Return how many cells of a line are known names of fields, as in a header.

    >>> count_field_names(["ID", "Question", "note"]), count_field_names(["7", "Who lit it?"])
    (2, 0)
    """
    return sum(holds_questions(cell) or has_role(cell, *_HEADER_ROLES) for cell in cells if cell)


@functools.lru_cache(maxsize=4096)
def is_gold_name(name: str) -> bool:
    """Return whether the name of a column says that its answers are gold.

    >>> [is_gold_name(name) for name in ("truth", "Standard-Answer", "gold_response", "answer")]
    [True, True, True, False]
    """
    normalized = normalize_name(_IN_BRACKETS.sub("", name))  # "Gold (Wikidata)"
    return normalized in ROLE_NAMES["gold"] or (
        _GOLD.fullmatch(normalized) is not None
        and not has_role(name, *_EXCLUDING_ROLES)
        and not is_wrong_answer(name)
    )


@functools.lru_cache(maxsize=4096)
def is_prediction_name(name: str) -> bool:
    """Return whether the name of a column says that it holds the answers of a system.

    >>> names = ("prediction", "llm response", "answer", "expected output")
    >>> [is_prediction_name(name) for name in names]
    [True, True, False, False]
    """
    plain = normalize_name(name)
    return has_role(name, "prediction", "prediction yes or no", "distribution") or (
        _SYSTEM.fullmatch(plain) is not None
        and not has_role(name, *_EXCLUDING_ROLES)
        and not is_gold_name(name)
    )


def is_wrong_answer(name: str) -> bool:
    """Return whether a column of this name holds wrong answers."""
    return _WRONG.fullmatch(normalize_name(name)) is not None


@functools.lru_cache(maxsize=4096)
def is_system_name(name: str) -> bool:
    """Return whether the name of a column names the system whose answers it holds.

    >>> names = ("GPT-3 output", "answer_llama", "Response by X", "gold answer", "answer_time")
    >>> [is_system_name(name) for name in names]
    [True, True, True, False, False]
    """
    match = _SYSTEM_COLUMN.fullmatch(normalize_name(name)) or _APART_ABROAD.search(name)
    words = re.findall(r"[^\W_]+", _CAMEL_CASE.sub(" ", name).casefold()) or [""]
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
    """Return the system that is named in the name of a column with its answers.

    >>> [system_in_name(name) for name in ("GPT-3 output", "answer_llama", "Antwort GPT-4")]
    ['GPT-3', 'llama', 'GPT-4']
    """
    return _APART.sub("", name).strip() or name


def is_model_name(name: str) -> bool:
    """Return whether the name of a column is that of a language model, perhaps with its version.

    >>> [is_model_name(name) for name in ("gpt-4o", "Flan_T5_xl", "llama2", "gpt score", "level")]
    [True, True, True, False, False]
    >>> is_model_name("meta-llama/Llama-3.1-8B")  # behind its organisation
    True
    """
    if _NUMBERED_SYSTEM.fullmatch(normalize_name(name)):
        return True
    words = re.findall(r"[^\W_]+", name.rpartition("/")[2].casefold())
    if not words or any(word in ROLE_NAMES["beside"] for word in words[1:]):
        return False
    if len(words) > 1 and words[-1] in _KINDS_OF_SYSTEMS:
        return True
    family = re.sub(r"\d.*", "", words[0])
    return words[0] in ROLE_NAMES["model"] or family in ROLE_NAMES["model"]


def question_language(name: str) -> str:
    """Return the language that is named in the name of a column with questions; else "".

    >>> names = ("question_de", "text-pt_BR", "question_id", "Frage")
    >>> [question_language(name) for name in names]
    ['de', 'pt_BR', '', 'de']
    """
    stripped = _strip_name(name)
    if stripped in _QUESTION_WORDS:
        return _QUESTION_WORDS[stripped]
    match = _IN_LANGUAGE.fullmatch(name.strip())
    # "text" in "question_text" is not a language
    if match is None or has_role(name, "question", "id"):
        return ""
    language = (match["after"] or match["before"]).lower()
    tag = _LANGUAGE_NAMES.get(language, language)
    if tag not in _LANGUAGE_CODES:
        return ""
    return tag + (match["region"] or "")


def choice_mark(name: str) -> str:
    """Return the letter or digit of the choice in a column of this name; else ""."""
    match = _CHOICE.fullmatch(normalize_name(name))
    if match is None:
        return ""
    return (match["end"] or match["letter"] or match["bare"]).upper()
