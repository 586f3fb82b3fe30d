"""The names of fields and their roles: what a column or key of a set or a run may hold.

The table `data/fields.tsv` lists the known names by role. Case, spaces, hyphens and underscores are
ignored; some names are known in other languages.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable

from qaldgen.io.packages import data_rows

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
_IN_LANGUAGE = re.compile(
    r"(?:(?:question|text|utterance|q)(?:[ _-]?text|[ _-]?string)?["
    r" _-](?P<after>[a-z]+)(?P<region>[_-][a-z]{2,4})?"
    r"|(?P<before>[a-z]+)[ _-](?:question|text|utterance))",
    re.IGNORECASE,
)
_PUNCTUATION = re.compile(r"[\W_]+")
#: The English names that the first columns of `data/names_abroad.tsv` translate.
_TRANSLATED = ("id", "question", "answer", "prediction", "gold", "options", "text")


def _read_names_abroad() -> dict[str, dict[str, str]]:
    """Return the words in each column of `data/names_abroad.tsv`, each with its language.

    Each word is there also without its accents, and without punctuation. "gold word" and "system
    word" make an answer one of gold or of a system's.
    """
    columns: dict[str, dict[str, str]] = {
        name: {} for name in (*_TRANSLATED, "gold word", "system word")
    }
    for tag, *cells in data_rows("questions/data/names_abroad.tsv"):
        for column, cell in zip(columns.values(), cells, strict=True):
            words = cell.casefold()
            unaccented = re.sub(r"[\u0300-\u036f]", "", unicodedata.normalize("NFD", words))
            words += " " + unaccented.translate(str.maketrans("łđøı", "ldoi"))
            for word in words.split():
                column[word] = column[_PUNCTUATION.sub("", word)] = tag
    return columns


_ABROAD = _read_names_abroad()
#: English names by their translations.
ENGLISH_NAMES = {word: name for name in _TRANSLATED for word in _ABROAD[name]}

#: The known names of fields by role, preferred ones first. An empty name is that of row numbers.
ROLE_NAMES: dict[str, tuple[str, ...]] = {}
for _role, _names, *_ in data_rows("questions/data/fields.tsv"):
    ROLE_NAMES[_role] = ROLE_NAMES.get(_role, ()) + tuple(
        "" if name == "-" else name for name in _names.split()
    )
#: The words of which other names are made; in the table they stand below the roles.
NAME_WORDS = {
    words: ROLE_NAMES.pop(words)
    for words in ("gold word", "system word", "noun", "beside", "number or part", "model")
}


def alternatives(names: Iterable[str]) -> str:
    """Return a regular expression that matches each of some names, longer ones first."""
    return "|".join(sorted(set(names), key=lambda name: (-len(name), name)))


#: Names made of words for gold or for systems, and nouns: ``true_label``, ``model response``.
_NOUNS = alternatives(NAME_WORDS["noun"])
_SYSTEM_WORDS = alternatives(NAME_WORDS["system word"])
_GOLD = re.compile(
    rf"(?:{alternatives(NAME_WORDS['gold word'])})+(?:{_NOUNS}|reference|truth)+|"
    r"(?:answer|label|value)s?(?:gold|gt|truth|groundtruth|ref|reference|expected)"
)
_PREDICTION = re.compile(
    rf"(?:{_SYSTEM_WORDS})(?:{_SYSTEM_WORDS}|{_NOUNS})+|"
    r"(?:exact|short|final|ideal)?(?:answer|label|value)s?(?:preds?|predicted|prediction)"
)
#: The words for an answer in other languages, as a regular expression.
ANSWERS_ABROAD = alternatives(_ABROAD["answer"])
#: Names of the answer in other languages, with such words: ``respuesta del modelo``.
_ANSWER_ABROAD = re.compile(
    rf"(?:(?P<gold>{alternatives([*_ABROAD['gold word'], *NAME_WORDS['gold word']])})"
    rf"|(?P<prediction>{alternatives(_ABROAD['system word'])})"
    rf"|(?P<answer>{ANSWERS_ABROAD})"
    r"|(?:d[aeiou]|del|des|der|della|d|van|af|av|на|του|của|の|された|した))+"
)
#: A name with one of these roles is not analysed by its words.
_NOT_MADE_OF_WORDS = frozenset({
    "id", "run id", "question", "maybe question", "sparql", "maybe sparql", "answer", "variants",
    "maybe variants", "choices", "choice", "type", "system", "candidate", "confidence", "no answer",
    "reading", "wrong answer", "verdict",
})  # fmt: skip
_WRONG = re.compile(
    r"(?:best)?(?:incorrect|wrong|false|bad|neg|negative|adversarial)(?:answers?|choices?|"
    r"options?)\d*|distractors?\d*|mc2targets"
)
#: One column per choice: ``A`` to ``D``, ``option_1``, ``opa``, ``answerB``.
_CHOICE = re.compile(
    r"(?:(?:options?|choices?|opt|op|sol|ending|holding|mcanswer)(?P<end>[a-j]|[0-9])|"
    r"(?:answer|ans)(?P<letter>[a-j])|(?P<bare>[a-h]))"
)
#: Names of ids that only number records.
_NUMBERS = frozenset({
    "number", "no", "nr", "idx", "index", "questionnumber", "questionno", "qno", "qnum",
})  # fmt: skip
#: What one system may use several of.
_PARTS_OF_SYSTEMS = frozenset({"tool", "agent", "provider"})
_ENDS_IN_ID = re.compile(r".*(?:[\W_][Ii][Dd]|[a-z]I[Dd])")
_IN_BRACKETS = re.compile(r"(?<=\w)\s*\([^()]*\)$")
#: The roles of columns that are certainly gold, and of those that are certainly a system's.
GOLD_ROLES = ("gold", "gold in words")
PREDICTION_ROLES = (
    "prediction", "prediction in words", "prediction yes or no", "distribution",
)  # fmt: skip
#: Roles that show a header.
_HEADER_ROLES = (
    "question", "translation", "id", "run id", "gold", "answer", "prediction", "sparql",
)  # fmt: skip
#: The question in one of two tables that were joined.
_JOINED_QUESTION = re.compile(r"^(?P<name>q|question(?:text)?)(?:gold|gt|ref|pred|predicted|x|y)$")
#: The end of a name if the field was an object: ``input.value``.
_VALUE_SUFFIX = re.compile(r"(?<=.)\.(?:value|text|content)$")


@functools.lru_cache(maxsize=4096)  # all records of a file have the same names
def normalize_name(name: str) -> str:
    """Return a name in lower case without spaces and punctuation; known words are translated.

    >>> normalize_name("Question Text"), normalize_name("Frage"), normalize_name("id_pregunta")
    ('questiontext', 'question', 'questionid')
    """
    stripped = _JOINED_QUESTION.sub(r"\g<name>", _strip_name(name))
    word = stripped.rstrip("0123456789")  # Antwort 1 is answer1
    english = ENGLISH_NAMES.get(word, word)
    for part in (word.removesuffix("id"), word.removeprefix("id")):
        if part != word and part in ENGLISH_NAMES:  # questao_id
            english = f"{ENGLISH_NAMES[part]}id"
    composed = _ANSWER_ABROAD.fullmatch(word)
    if english == word and composed and composed["answer"]:
        for role in ("prediction", "gold"):
            if composed[role]:
                english = role
    return english + stripped[len(word) :]


def _strip_name(name: str) -> str:
    """Return a name in lower case without punctuation, and without the names of objects around."""
    outer, _, inner = name.casefold().partition(".")
    in_container = bool(inner) and _PUNCTUATION.sub("", outer) in ROLE_NAMES["container"]
    field = inner if in_container else name.casefold()
    return _PUNCTUATION.sub("", _VALUE_SUFFIX.sub("", field))


def without_number(name: str) -> str:
    """Return a normalized name without the number at its end.

    >>> without_number("answer_2")
    'answer'
    """
    return normalize_name(name).rstrip("0123456789")


@functools.lru_cache(maxsize=4096)
def roles_of(name: str) -> frozenset[str]:
    """Return the roles of a field by its name; none if the name is unknown.

    Besides the roles of the table, these are "translation" (``question_de``), "single choice"
    (``option A``), "wrong answer", and for names made of known words "gold in words" (``true
    label``) or "prediction in words" (``model response``).

    >>> sorted(roles_of("qid")), sorted(roles_of("gold_response")), sorted(roles_of("topic"))
    (['id', 'run id'], ['gold in words'], [])
    """
    normalized = normalize_name(name)
    roles = {role for role, names in ROLE_NAMES.items() if normalized in names}
    if question_language(name):
        roles.add("translation")
    if choice_mark(name):
        roles.add("single choice")
    if _WRONG.fullmatch(normalized):
        roles.add("wrong answer")
    if normalize_name(name.rpartition(".")[2]) in ROLE_NAMES["verdict"]:  # scores.em
        roles.add("verdict")
    without_brackets = normalize_name(_IN_BRACKETS.sub("", name))  # "Gold (Wikidata)"
    may_be_in_words = roles.isdisjoint(_NOT_MADE_OF_WORDS)
    is_gold = without_brackets in ROLE_NAMES["gold"]
    if is_gold or (may_be_in_words and _GOLD.fullmatch(without_brackets)):
        roles.add("gold in words")
    elif may_be_in_words and _PREDICTION.fullmatch(normalized):
        roles.add("prediction in words")
    return frozenset(roles)


def has_role(name: str, *roles: str) -> bool:
    """Return whether a field has one of some roles; see `roles_of`."""
    return not roles_of(name).isdisjoint(roles)


def has_no_role(name: str) -> bool:
    """Return whether a name is unknown, so that only the values tell what the field holds."""
    return not roles_of(name)


def holds_questions(name: str) -> bool:
    """Return whether a column of this name certainly holds questions."""
    return has_role(name, "question", "translation")


def is_gold_name(name: str) -> bool:
    """Return whether the name of a column says that its answers are gold.

    >>> [is_gold_name(name) for name in ("truth", "Standard-Answer", "gold_response", "answer")]
    [True, True, True, False]
    """
    return has_role(name, *GOLD_ROLES)


def may_hold_gold(name: str) -> bool:
    """Return whether a column of this name may hold gold answers or a query."""
    return has_role(name, *GOLD_ROLES, "answer", "sparql")


def is_gold_abroad(name: str) -> bool:
    """Return whether words of another language make a name one of gold: "svar korrekt"."""
    word = _strip_name(name)
    return word not in ENGLISH_NAMES and normalize_name(name) == "gold" != word


def is_prediction_name(name: str) -> bool:
    """Return whether the name of a column says that it holds the answers of a system.

    >>> names = ("prediction", "llm response", "answer", "expected output")
    >>> [is_prediction_name(name) for name in names]
    [True, True, False, False]
    """
    return has_role(name, *PREDICTION_ROLES)


def may_hold_systems(name: str) -> bool:
    """Return whether an object of this name may have systems for keys: ``responses``, ``models``.

    >>> may_hold_systems("responses"), may_hold_systems("models"), may_hold_systems("response")
    (True, True, False)
    """
    word = normalize_name(name)
    singular = word.removesuffix("s")
    if singular == word or singular in _PARTS_OF_SYSTEMS:
        return False
    return is_prediction_name(word) or has_role(singular, "system")


def names_system(name: str) -> bool:
    """Return whether a column of this name has the systems that answered, not what they use.

    >>> names_system("model"), names_system("tool")
    (True, False)
    """
    return has_role(name, "system") and normalize_name(name) not in _PARTS_OF_SYSTEMS


def is_number_name(name: str) -> bool:
    """Return whether a name of ids says that they only number records; so do most words abroad.

    >>> [is_number_name(name) for name in ("no", "index", "Nummer", "id", "qid")]
    [True, True, True, False, False]
    """
    word = _strip_name(name)
    return word in _NUMBERS or (word in ENGLISH_NAMES and ENGLISH_NAMES[word] == "id")


def may_be_id(name: str) -> bool:
    """Return whether an unknown name ends like the name of an id.

    >>> [may_be_id(name) for name in ("feta_id", "tweetId", "model_id", "paid")]
    [True, True, False, False]
    """
    return _ENDS_IN_ID.fullmatch(name) is not None and has_no_role(name)


def count_field_names(cells: Iterable[str]) -> int:
    """Return how many cells of a line are known names of fields, as in a header.

    >>> count_field_names(["ID", "Question", "note"]), count_field_names(["7", "Who lit it?"])
    (2, 0)
    """
    return sum(has_role(cell, *_HEADER_ROLES) for cell in cells if cell)


def question_language(name: str) -> str:
    """Return the language that is named in the name of a column with questions; else "".

    >>> names = ("question_de", "text-pt_BR", "question_id", "Frage")
    >>> [question_language(name) for name in names]
    ['de', 'pt_BR', '', 'de']
    """
    stripped = _strip_name(name)
    if stripped in _ABROAD["question"]:
        return _ABROAD["question"][stripped]
    match = _IN_LANGUAGE.fullmatch(name.strip())
    # "text" in "question_text" is not a language
    if match is None or normalize_name(name) in ROLE_NAMES["question"] + ROLE_NAMES["id"]:
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
