"""In which languages answers in words are read, where that is not the language of the run."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from qaldgen.annotation.language_detection import other_languages
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError
from qaldgen.model import Question
from qaldgen.scoring.words.phrases import main_language, phrases
from qaldgen.scoring.words.tokens import phrase_words

_WORD = re.compile(r"[^\W_]+")
#: The most texts whose language is detected, at even distances among all.
_MAX_TEXTS = 300
#: The share of these from which their language is that of all texts.
_NEARLY_ALL = 0.8


def stated_languages(questions: Sequence[Question], language: str) -> Mapping[str, str]:
    """Return by id the languages of questions that have no text in `language`, but others have.

    If none has a text in it, a user has chosen it for the answers.

    >>> texts = [{"de": ("Wer?",)}, {"fr": ("Qui ?",)}, {"en": ("Who?",), "de": ("Wer?",)}]
    >>> questions = [Question(str(index), row) for index, row in enumerate(texts)]
    >>> stated_languages(questions, "de"), stated_languages(questions, "pl")
    ({'1': 'fr'}, {})
    """
    main = main_language(language)
    languages = {}
    has_any = False
    for question in questions:
        tags = list(question.texts)
        if main in map(main_language, tags):
            has_any = True
        elif tags:
            languages[question.id] = tags[0]
    return languages if has_any else {}


def detected_languages(questions: Sequence[Question], replies: Sequence[str]) -> Mapping[str, str]:
    """Return by id the languages of questions that only seem to be in the default language.

    That is the language of texts without one. A question is left out if its language is not plain,
    and all are if the replies read like English.

    >>> texts = ("Wer hat die Mühle gebaut?", "Wo ist sie?", "Wie viele Lampen hat sie?")
    >>> questions = [Question(str(at), {"en": (text,)}) for at, text in enumerate(texts)]
    >>> detected_languages(questions, ["Ada", "Ulm", "sieben"])
    {'0': 'de', '1': 'de', '2': 'de'}
    """
    texts = {
        question.id: question.texts[LANGUAGE][0]
        for question in questions
        if question.texts.get(LANGUAGE)
    }
    if not texts or _are_english(text_sample(replies)):
        return {}
    return _detect(tuple(texts), tuple(texts.values()))


@functools.lru_cache(maxsize=4)  # each run is read by itself
def _detect(ids: tuple[str, ...], texts: tuple[str, ...]) -> Mapping[str, str]:
    """Return the plain languages of texts by their ids, where they do not read like English."""
    sample = text_sample(texts)
    if _are_english(sample):  # the detector takes a second
        return {}
    try:
        sample_languages = other_languages(
            {str(index): text for index, text in enumerate(sample)}, LANGUAGE
        )
        [(language, number)] = Counter(sample_languages.values()).most_common(1) or [("", 0)]
        if not number:
            return {}
        texts_by_id = dict(zip(ids, texts, strict=True))
        if number >= _NEARLY_ALL * len(sample):
            return {name: language for name in ids if not _is_english(texts_by_id[name])}
        return other_languages(texts_by_id, LANGUAGE)
    except DataError:  # without the detector all are in the default language
        return {}


def _are_english(texts: Sequence[str]) -> bool:
    """Return whether half of some texts have a common word of English alone; false without any."""
    return 0 < len(texts) <= 2 * sum(map(_is_english, texts))


def _is_english(text: str) -> bool:
    """Return whether a text has a common word of English alone.

    >>> _is_english("the mill"), _is_english("bạn có thể")  # with its accent, no "the"
    (True, False)
    """
    return not _english_words().isdisjoint(_WORD.findall(text.casefold()))


@functools.cache
def _english_words() -> frozenset[str]:
    """Return the common words of English that are not common in another language."""
    others = phrase_words("common", *(tag for tag in phrases("common") if tag != "en"))
    return frozenset(phrase_words("common", "en") - others)


def text_sample(texts: Sequence[str]) -> Sequence[str]:
    """Return some texts whose language is detected in place of that of all."""
    return texts[:: max(len(texts) // _MAX_TEXTS, 1)]
