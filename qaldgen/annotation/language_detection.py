"""Find texts that are not in the language that their data or the user claims.

py3langid knows 140 languages by their sequences of letters. Questions are short and full of foreign
names and titles, so a single one counts as another language only if that is far more likely, and if
its common words outside quotations are of that language and not of its own. If all questions
together are in another language, less evidence suffices for each.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
import runpy
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

from qaldgen.errors import DataError
from qaldgen.features.text.letters import without_quotes
from qaldgen.io.text import count
from qaldgen.model import QuestionSet
from qaldgen.questions.question_texts import base_language

#: Another language must be this much more likely, by the difference of the natural logarithms.
_MARGIN = 20.0
#: Characters that suffice to detect the main language of a set.
_ENOUGH_CHARS = 20_000
#: The most texts of a set that are examined, spread evenly.
_MOST_TEXTS = 500
#: The least share of texts in another language that gives a note.
_LEAST_SHARE = 0.05
#: py3langid's names where they differ from language tags, and its name for "no language".
_ALIASES = {"nb": "no", "iw": "he", "in": "id"}
_NO_LANGUAGE = "zxx"
#: spaCy's name for Norwegian.
_SPACY_CODES = {"no": "nb", "nn": "nb"}
#: A text with a word of each set is English, without loading the model, which takes a second.
_QUESTION_WORDS = frozenset([
    "what", "which", "who", "whose", "whom", "where", "when", "why", "how", "does", "did", "were",
    "give",
])  # fmt: skip
_FUNCTION_WORDS = frozenset([
    "the", "of", "many", "much", "with", "from", "that", "this", "by", "for", "has", "have", "are",
])  # fmt: skip


def other_languages(wordings: Mapping[str, str], language: str) -> dict[str, str]:
    """Return the detected languages of texts, by id, where they clearly differ from `language`.

    >>> texts = {"7": "Wer hat die alte Mühle am Fluss gebaut?", "8": "Who built the Alte Mühle?"}
    >>> other_languages(texts, "en")
    {'7': 'de'}
    """
    base = base_language(language)
    examined_texts = {}
    languages = {}
    for name, text in wordings.items():
        words = re.findall(r"\w+", text.lower())
        has_both = not _QUESTION_WORDS.isdisjoint(words) and not _FUNCTION_WORDS.isdisjoint(words)
        if base == "en" and has_both:
            continue
        examined_texts[name] = text
        other_language = _detect_other(text, base, _MARGIN)
        if other_language and _is_throughout(text, base, other_language):
            languages[name] = other_language
    if len(examined_texts) < 2 or len(languages) == len(examined_texts):
        return languages

    # if all texts together are in another language, less evidence suffices for each
    texts = list(examined_texts.values())
    lengths = itertools.accumulate(map(len, texts))
    sample = [text for text, length in zip(texts, lengths, strict=True) if length <= _ENOUGH_CHARS]
    main_language = _detect_other(" ".join(sample), base, _MARGIN)
    if main_language is None:
        return languages
    for name, text in examined_texts.items():
        if name not in languages and _detect_other(text, base) == main_language:
            languages[name] = main_language
    return {name: languages[name] for name in examined_texts if name in languages}


def _detect_other(text: str, base: str, margin: float = 0.0) -> str | None:
    """Return the most likely language of a text if it is more likely than `base` by a margin."""
    language, difference = _most_likely(text, base)
    if difference <= margin:
        return None
    return language


@functools.lru_cache(1 << 14)  # verbs examine the same texts one after the other
def _most_likely(text: str, base: str) -> tuple[str, float]:
    """Return the most likely language of a text, and by how much it is more likely than `base`.

    The difference is 0 for a text without letters or in no language, and for an unknown `base`.
    """
    if not any(map(str.isalpha, text)):
        return base, 0.0
    import py3langid  # type: ignore[import-untyped]

    try:
        ranking: list[tuple[str, float]] = py3langid.rank(text)
    except OSError as error:  # it unpacks its model there
        reason = error.strerror or error
        raise DataError(
            "the languages of texts cannot be checked: the "
            f"temporary folder cannot be written ({reason})"
        ) from error
    base_score = dict(ranking).get(_ALIASES.get(base, base))
    best, best_score = ranking[0]
    if base_score is None or best == _NO_LANGUAGE:
        return base, 0.0
    return best, best_score - base_score


def _is_throughout(text: str, base: str, language: str) -> bool:
    """Return whether the words of a text, except names and quotations, are of a language.

    They must not be of `base` as well. The script of the words in small letters decides. If both
    languages have this script, common words decide: one of the first three words must be common in
    the language, because titles more often end a question.
    """
    words = re.findall(r"[^\W\d_]+", without_quotes(re.sub("[“”]", '"', text)))
    base_words = _common_words(base)
    language_words = _common_words(language)
    scripts = _scripts(word for word in words if not word.istitle() and not word.isupper())
    if base_words and scripts.isdisjoint(_scripts(base_words)):
        return bool(scripts)
    if language_words and _scripts(base_words).isdisjoint(_scripts(language_words)):
        return False
    lower_words = [word.lower() for word in words]
    # "a" and "i" are words of many languages
    only_base = {word for word in base_words - language_words if len(word) > 1}
    only_language = language_words - base_words
    return only_base.isdisjoint(lower_words) and not only_language.isdisjoint(lower_words[:3])


def _scripts(words: Iterable[str]) -> frozenset[str]:
    """Return the frequent scripts of words, by the first word of their names in Unicode."""
    letters = "".join(words)
    scripts = Counter(unicodedata.name(letter, "").partition(" ")[0] for letter in letters)
    return frozenset(name for name, number in scripts.items() if number > len(letters) / 20)


@functools.cache
def _common_words(language: str) -> frozenset[str]:
    """Return the most common words of a language in spaCy's list; none without a list.

    Only the list is imported, since spaCy and the rest of a language take up to two seconds.
    """
    spacy = find_spec("spacy")
    if spacy is None or not spacy.origin:
        return frozenset()
    for path in Path(spacy.origin).parent.glob("lang/*/stop_words.py"):
        if path.parent.name == _SPACY_CODES.get(language, language):
            return frozenset(runpy.run_path(str(path))["STOP_WORDS"])
    return frozenset()


def language_note(wordings: Mapping[str, str], language: str) -> str:
    """Return a sentence about wordings in another language than `language`, with the first id.

    It is empty if there are few or none. Of a large set, a sample is examined.

    >>> language_note({"7": "Wer hat die alte Mühle am Fluss gebaut?"}, "en")
    "1 of 1 questions in 'en' read like 'de' (first: 7); if that is correct, use `language='de'`, \
or correct the language tags"
    """
    step = max(1, math.ceil(len(wordings) / _MOST_TEXTS))
    sample = dict(itertools.islice(wordings.items(), 0, None, step))
    try:
        languages = other_languages(sample, language)
    except DataError as error:
        return str(error)
    if not languages or len(languages) < _LEAST_SHARE * len(sample):
        return ""
    detected, number = Counter(languages.values()).most_common(1)[0]
    first = next(name for name, likely in languages.items() if likely == detected)
    subject = f"{len(sample):,} questions"
    if step > 1:
        subject += " checked"
    return (
        f"{number:,} of {subject} in {language!r} read like {detected!r} (first: {first}); if"
        f" that is correct, use `language={detected!r}`, or correct the language tags"
    )


def language_notes(questions: QuestionSet, language: str) -> list[str]:
    """Return notes on questions without a text in a language, and on texts in another language."""
    notes = []
    n_without = sum(language not in question.texts for question in questions)
    if n_without:
        phrase = count(n_without, "question")
        notes.append(
            f"{questions.name}: {phrase} without a text in {language!r}, and so without text"
            " features"
        )
    wordings = {
        question.id: question.texts[language][0]
        for question in questions
        if question.texts.get(language)
    }
    note = language_note(wordings, language)
    if note:
        notes.append(f"{questions.name}: {note}")
    return notes
