"""Whether texts are in the language that their data, or the user, claims.

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
from qaldgen.features.compute import model_name
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
#: py3langid's names where they differ from the usual tags, and its name for "no language".
_ALIASES = {"nb": "no", "iw": "he", "in": "id"}
_NO_LANGUAGE = "zxx"
#: spaCy's name for Norwegian.
_SPACY = {"no": "nb", "nn": "nb"}
#: A text with a word of each set is English: that saves loading the model, which takes a second.
_ASKS = frozenset([
    "what", "which", "who", "whose", "whom", "where", "when", "why", "how", "does", "did", "were",
    "give",
])  # fmt: skip
_JOINS = frozenset([
    "the", "of", "many", "much", "with", "from", "that", "this", "by", "for", "has", "have", "are",
])  # fmt: skip


def other_languages(wordings: Mapping[str, str], language: str) -> dict[str, str]:
    """Return the texts whose language clearly differs from their tag, with that language.

    >>> texts = {"7": "Wer hat die alte Mühle am Fluss gebaut?", "8": "Who built the Alte Mühle?"}
    >>> other_languages(texts, "en")
    {'7': 'de'}
    """
    base = base_language(language)
    doubtful = {}
    languages = {}
    for name, text in wordings.items():
        words = re.findall(r"\w+", text.lower())
        plainly_english = not _ASKS.isdisjoint(words) and not _JOINS.isdisjoint(words)
        if base == "en" and plainly_english:
            continue
        doubtful[name] = text
        likely = _other_language(text, base, _MARGIN)
        if likely and _is_throughout(text, base, likely):
            languages[name] = likely
    if len(doubtful) < 2 or len(languages) == len(doubtful):
        return languages
    texts = list(doubtful.values())
    lengths = itertools.accumulate(map(len, texts))
    first = [text for text, length in zip(texts, lengths, strict=True) if length <= _ENOUGH_CHARS]
    of_all = _other_language(" ".join(first), base, _MARGIN)
    if of_all is None:
        return languages
    return {
        name: languages.get(name, of_all)
        for name, text in doubtful.items()
        if name in languages or _other_language(text, base) == of_all
    }


def _other_language(text: str, base: str, margin: float = 0.0) -> str | None:
    """Return the most likely language of a text if it is likelier than `base` by a margin."""
    if not any(map(str.isalpha, text)):
        return None
    import py3langid  # type: ignore[import-untyped]

    try:
        likely: dict[str, float] = dict(py3langid.rank(text))
    except OSError as error:  # it unpacks its model there
        reason = error.strerror or error
        raise DataError(
            "the languages of texts cannot be checked: the "
            f"temporary folder cannot be written ({reason})"
        ) from error
    score = likely.get(_ALIASES.get(base, base))
    best = max(likely, key=lambda name: likely[name])
    if score is None or best == _NO_LANGUAGE or likely[best] - score <= margin:
        return None
    return best


def _is_throughout(text: str, base: str, language: str) -> bool:
    """Return whether all of a text but names and quotations is in a language, and not in `base`.

    The script of its small letters decides, or else its words: one of the first three must be
    common in the language, because a title more often ends a question.
    """
    words = re.findall(r"[^\W\d_]+", without_quotes(re.sub("[“”]", '"', text)))
    of_base = _common_words(base)
    of_language = _common_words(language)
    scripts = _scripts(word for word in words if not word.istitle() and not word.isupper())
    if of_base and scripts.isdisjoint(_scripts(of_base)):
        return bool(scripts)
    if of_language and _scripts(of_base).isdisjoint(_scripts(of_language)):
        return False
    lower = [word.lower() for word in words]
    # "a" and "i" are words of many languages
    only_base = {word for word in of_base - of_language if len(word) > 1}
    only_language = of_language - of_base
    return only_base.isdisjoint(lower) and not only_language.isdisjoint(lower[:3])


def _scripts(words: Iterable[str]) -> frozenset[str]:
    """Return the scripts of most letters, by the first word of their names in Unicode."""
    letters = "".join(words)
    scripts = Counter(unicodedata.name(letter, "").partition(" ")[0] for letter in letters)
    return frozenset(name for name, number in scripts.items() if number > len(letters) / 20)


@functools.cache
def _common_words(language: str) -> frozenset[str]:
    """Return the most common words of a language, as spaCy lists them; none if it does not.

    Only the list is run: spaCy and the rest of a language take up to two seconds.
    """
    spacy = find_spec("spacy")
    if spacy is None or not spacy.origin:
        return frozenset()
    for path in Path(spacy.origin).parent.glob("lang/*/stop_words.py"):
        if path.parent.name == _SPACY.get(language, language):
            return frozenset(runpy.run_path(str(path))["STOP_WORDS"])
    return frozenset()


def language_note(wordings: Mapping[str, str], language: str) -> str:
    """Return a sentence about wordings that are in another language than they should be.

    It is empty if there are few or none. Of a large set, some wordings are examined.

    >>> language_note({"7": "Wer hat die alte Mühle am Fluss gebaut?"}, "en")
    "1 of 1 questions in 'en' read like 'de' (first: 7); if that is correct, use `language='de'`, \
or correct the language tags"
    """
    step = max(1, math.ceil(len(wordings) / _MOST_TEXTS))
    chosen = dict(itertools.islice(wordings.items(), 0, None, step))
    try:
        languages = other_languages(chosen, language)
    except DataError as error:
        return str(error)
    if not languages or len(languages) < _LEAST_SHARE * len(chosen):
        return ""
    most_common, number = Counter(languages.values()).most_common(1)[0]
    first = next(name for name, likely in languages.items() if likely == most_common)
    subject = f"{len(chosen):,} questions"
    if step > 1:
        subject += " checked"
    return (
        f"{number:,} of {subject} in {language!r} read like {most_common!r} (first: {first}); if"
        f" that is correct, use `language={most_common!r}`, or correct the language tags"
    )


def language_notes(questions: QuestionSet, language: str) -> list[str]:
    """Report questions without a text in a language, and texts that look like another language."""
    notes = []
    without = sum(language not in question.texts for question in questions.questions)
    if without:
        number = count(without, "question")
        notes.append(
            f"{questions.name}: {number} without a text in {language!r}, and so without text"
            " features"
        )
    wordings = {
        question.id: question.texts[language][0]
        for question in questions.questions
        if question.texts.get(language)
    }
    note = language_note(wordings, language)
    if note:
        notes.append(f"{questions.name}: {note}")
    return notes


def model_notes(language: str) -> list[str]:
    """Report which features are absent because no model for a language is installed."""
    if model_name(language):
        return []
    absent = "features that need it (parts of speech, head noun, named entities) are absent"
    return [f"no spaCy model for {language!r} is installed: {absent}"]
