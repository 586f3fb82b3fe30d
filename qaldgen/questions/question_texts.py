"""Interpret the texts, language tags and answer types of questions, as files write them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from qaldgen.defaults import LANGUAGE
from qaldgen.io.notes import note
from qaldgen.model import ANSWER_TYPES, Question, Remark

#: Other names of answer types in data sets, including misspellings, than in `ANSWER_TYPES`.
_OTHER_TYPE_NAMES = {
    "resouce": "resource", "entity": "resource", "num": "number", "numerical": "number",
    "number_with_unit": "number", "bool": "boolean", "binary": "boolean", "short_phrase": "string",
    "time": "date",
}  # fmt: skip
#: The metadata field that marks a question which the data cannot answer.
OUT_OF_SCOPE = "outOfScope"
#: Reasons for leaving out a question.
UNANSWERABLE = Remark("OUT OF SCOPE: cannot be answered from the data", rule=OUT_OF_SCOPE)
NO_TEXT = Remark("no text in any language", rule="noText")
_EXACT_TYPES = frozenset(ANSWER_TYPES.values())
_OUT_OF_SCOPE = re.compile(r"\W*out[ _]of[ _]scope\W*", re.IGNORECASE)
_SPLIT = re.compile(r"(?:^|[-_ ./])(train|test|dev|valid|validation)(?=$|[-_ ./])", re.IGNORECASE)
#: Two words or more, or a script without spaces, and a question mark; or an English question word
#: and two words more, as people type into a search box.
_QUESTION_PATTERN = re.compile(
    r"\s*(?:(?:\S+\s+\S.*|[^\x00-\u024f]{3,}.*)[?？؟]\W*|(?:who|whose|what|which|when|where|why|how|is|"
    r"are|was|were|do|does|did|can)(?:\s+\S+){2,}\s*)",
    re.DOTALL,
)
#: Codes of languages have two or three letters.
_LONGEST_CODE = 3


def looks_like_question(text: str) -> bool:
    """Return whether a text looks like a question.

    >>> [looks_like_question(text) for text in ("Who lit it?", "who lit it", "Ann Lee")]
    [True, True, False]
    """
    return _QUESTION_PATTERN.fullmatch(text) is not None


@lru_cache(maxsize=1024)
def language_tag(name: str) -> str:
    """Return a language tag in the case of BCP 47 (2.1.1): ``pt-BR``, ``zh-Hant-TW``.

    RDF stores may return tags in lower case, which would not match the language of other texts.
    Some data sets name languages in English.

    >>> language_tag("pt_br"), language_tag("ZH-hant-TW"), language_tag("en-x-us")
    ('pt-BR', 'zh-Hant-TW', 'en-x-us')
    >>> language_tag("English")
    'en'
    """
    if len(name) > _LONGEST_CODE and name.isalpha():
        from babel import Locale

        names = {text.lower(): tag for tag, text in Locale("en").languages.items()}
        return str(names.get(name.lower(), name.lower()))
    language, *subtags = name.strip().replace("_", "-").lower().split("-")
    for index, subtag in enumerate(subtags):
        if len(subtag) == 1:  # private subtags follow, which stay in lower case
            break
        if len(subtag) == 2:
            subtags[index] = subtag.upper()
        elif len(subtag) == 4:
            subtags[index] = subtag.title()
    return "-".join([language, *subtags])


def base_language(tag: str) -> str:
    """Return the language of a tag, without script and region, in lower case.

    >>> base_language("pt_BR"), base_language("zh-Hans")
    ('pt', 'zh')
    """
    return tag.replace("_", "-").partition("-")[0].lower()


def text_in(question: Question, language: str) -> str:
    """Return the main text of a question in a language; empty without one."""
    wordings = question.texts.get(language_tag(language))
    return wordings[0] if wordings else ""


def add_wording(texts: dict[str, tuple[str, ...]], language: str, text: str) -> None:
    """Add a text to `texts` by its language, unless it is blank or a duplicate."""
    text = text.strip()
    tag = language_tag(language)
    if text and text not in texts.get(tag, ()):
        texts[tag] = (*texts.get(tag, ()), text)


def answer_type(name: str) -> str:
    """Return the answer type with a name in a data set; empty if it is not a known one.

    >>> answer_type("Entity"), answer_type("Yes/No"), answer_type("planet")
    ('resource', 'boolean', '')
    """
    name = name.strip().lower()
    return ANSWER_TYPES.get(name) or _OTHER_TYPE_NAMES.get(name, "")


def exact_answer_type(name: str) -> str:
    """Return the answer type with exactly this name; empty for others, such as ``uri``.

    >>> exact_answer_type("Resouce"), exact_answer_type("uri")
    ('resource', '')
    """
    name = name.lower().replace("resouce", "resource")
    return name if name in _EXACT_TYPES else ""


def find_split(name: str) -> str:
    """Return the split in the name of a data set, such as train or test; empty if there is none."""
    split = _SPLIT.search(name)
    return split[1].lower() if split else ""


def is_out_of_scope(query: str) -> bool:
    """Return whether a text in place of a query says that the data cannot answer the question."""
    return _OUT_OF_SCOPE.fullmatch(query) is not None


def choose_language(questions: Iterable[Question], language: str) -> str:
    """Return the language in which to read questions.

    If none has a text in the default language, it is the most frequent one, of equally frequent
    ones the first. A language that the user has chosen is kept.
    """
    if language != LANGUAGE or any(language in question.texts for question in questions):
        return language
    tags = Counter(tag for question in questions for tag in question.texts)
    if not tags:
        return language
    tag = tags.most_common(1)[0][0]
    where = " where they have a text in it" if len(tags) > 1 else ""
    note(f"no question has a text in {language!r}; they are read in {tag!r}{where}")
    return tag
