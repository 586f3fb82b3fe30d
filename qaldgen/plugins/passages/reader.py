"""A small extractive reader: rules, without a model, that find the answer in a passage.

It looks for the type of answer that the question asks for: a number, a date, a year, a name, a
choice, yes or no. Of the candidates it takes the first one in the sentence that has the most words
of the question; a candidate is never made of words of the question alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from qaldgen.features.text.text_features import text_features
from qaldgen.plugins.passages.analysers import PREFIX, prefixes, words
from qaldgen.plugins.passages.collection import Passage

_TOKEN = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-ząćęłńóśźż])")
_NUMBER = re.compile(r"\d+(?:[., ]\d+)*")
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_NAME = re.compile(
    r"[^\W\d_a-ząćęłńóśźż][\w’'-]*(?:\s+(?:de|van|von|da|of|the|[^\W\d_a-ząćęłńóśźż][\w’'-]*))*"
)
_CHOICE = re.compile(r"([^,:;–-]+?)\s+(?:czy|lub|albo|or)\s+([^?]+)\?")
#: The pattern of an answer by its category; other answers are names.
_PATTERN_BY_CATEGORY = {"literal-number": _NUMBER, "literal-date": _YEAR}


def extract(question: str, language: str, passages: Sequence[Passage]) -> str:
    """Return the text in the passages that answers a question best; empty without one.

    >>> mill = Passage("1", "Młyn stał długo. Młyn spłonął w 1871 roku.")
    >>> extract("W którym roku spłonął młyn?", "pl", [mill])
    '1871'
    """
    features = next(iter(text_features([question], language=language)))
    if features.get("informationSought") == "yes-no":
        return {"pl": "tak", "en": "yes"}.get(language.partition("-")[0], "")

    stems = {word[:PREFIX] for word in words(question) if len(word) > 1}
    options = []
    choice_match = _CHOICE.search(question)
    if choice_match and features.get("informationSought") == "entity-choice":
        options = [option.strip(" „”\"'") for option in choice_match.groups()]
    pattern = _PATTERN_BY_CATEGORY.get(str(features.get("expectedAnswerCategory", "")), _NAME)

    answer = ""
    best_score = 0.0
    for rank, passage in enumerate(passages):
        for sentence in _SENTENCE.split(passage.text):
            shared_stems = stems.intersection(prefixes(f"{sentence} {passage.title}"))
            score = len(shared_stems) / max(len(stems), 1) - 0.05 * rank
            for candidate in _find_candidates(sentence, pattern, options, stems):
                if score > best_score:
                    answer = candidate
                    best_score = score
    return answer


def _find_candidates(
    sentence: str, pattern: re.Pattern[str], options: Sequence[str], stems: set[str]
) -> Iterator[str]:
    """Yield the options of the question in a sentence, or the matches of a pattern."""
    if options:
        sentence_stems = set(prefixes(sentence))
        for option in options:
            if sentence_stems.issuperset(prefixes(option)):
                yield option
        return
    for text_match in pattern.finditer(sentence):
        text = text_match[0].strip()
        # a single word at the beginning has its capital from its position
        is_first_word = pattern is _NAME and text_match.start() == 0 and " " not in text
        if not is_first_word and not stems.issuperset(prefixes(text)):
            yield text
