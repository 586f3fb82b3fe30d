"""In which languages answers in words are read, where that is not the language of the run."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping, Sequence

from qaldgen.annotation.language_detection import other_languages
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError
from qaldgen.model import Question
from qaldgen.scoring.words.phrases import main_language, phrases
from qaldgen.scoring.words.tokens import phrase_words, tokens

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


def detected_languages(questions: Sequence[Question]) -> Mapping[str, str]:
    """Return by id the languages of questions that only seem to be in the default language.

    That is the language of texts without one. A question is left out if its language is not plain.

    >>> texts = ("Wer hat die Mühle gebaut?", "Wo ist sie?", "Wie viele Lampen hat sie?")
    >>> questions = [Question(str(at), {"en": (text,)}) for at, text in enumerate(texts)]
    >>> detected_languages(questions)
    {'0': 'de', '1': 'de', '2': 'de'}
    """
    texts = {
        question.id: question.texts[LANGUAGE][0]
        for question in questions
        if question.texts.get(LANGUAGE)
    }
    return _detect(tuple(texts), tuple(texts.values()))


@functools.lru_cache(maxsize=4)  # each run is read by itself
def _detect(ids: Sequence[str], texts: Sequence[str]) -> Mapping[str, str]:
    """Return the plain languages of texts by their ids, where they do not read like English."""
    sample = text_sample(texts)
    # the detector takes a second
    if not texts or _read_like_english(sample):
        return {}
    try:
        languages = other_languages(
            dict(zip(map(str, range(len(sample))), sample, strict=True)), LANGUAGE
        )
        if not languages:
            return {}
        language, number = Counter(languages.values()).most_common(1)[0]
        if number >= _NEARLY_ALL * len(sample):
            return dict.fromkeys(ids, language)
        return other_languages(dict(zip(ids, texts, strict=True)), LANGUAGE)
    except DataError:  # without the detector all are in the default language
        return {}


def _read_like_english(texts: Sequence[str]) -> bool:
    """Return whether half of these texts have a common word of English alone."""
    others = phrase_words("common", *(tag for tag in phrases("common") if tag != "en"))
    english_words = phrase_words("common", "en") - others
    n_english = sum(not english_words.isdisjoint(tokens(text)) for text in texts)
    return n_english >= len(texts) / 2


def text_sample(texts: Sequence[str]) -> Sequence[str]:
    """Return some texts whose language is detected in place of that of all."""
    return texts[:: max(len(texts) // _MAX_TEXTS, 1)]
