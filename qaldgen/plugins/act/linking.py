"""The entities of a question: named by its words, or linked by another program."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from qaldgen.answers.reading import read_run
from qaldgen.errors import DataError
from qaldgen.questions.cells import parse_term

#: Words as they are compared: without case, punctuation and variants of letters.
Words: TypeAlias = tuple[str, ...]
#: Takes the id and the text of a question; returns its entities, None if nobody linked it.
Linker: TypeAlias = Callable[[str, str], "Sequence[str] | None"]
#: One wrong letter is tolerated per this many letters of a name; shorter names are too similar.
_LETTERS_PER_TYPO = 5


class Span(NamedTuple):
    """Adjacent words of a question."""

    #: Positions of its first word and of the word after its last one.
    start: int
    end: int
    text: str  # the words as they are written


def split_words(text: str) -> Words:
    """Return the words of a text as they are compared.

    >>> split_words("Łódź, Poland")
    ('łódź', 'poland')
    """
    return tuple(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))


def spans(question: str, max_words: int) -> list[Span]:
    """Return the spans of words of a question, the longest first."""
    word_spans = [match.span() for match in re.finditer(r"\w+", question)]
    question_spans = []
    # longest first, as a long name is more specific than the names within it
    for size in range(min(max_words, len(word_spans)), 0, -1):
        for start in range(len(word_spans) - size + 1):
            end = start + size
            text = question[word_spans[start][0] : word_spans[end - 1][1]]
            question_spans.append(Span(start, end, text))
    return question_spans


def find_mentions(candidates: Iterable[Span], find: Callable[[str], Sequence[str]]) -> list[str]:
    """Return the entities that spans name; of overlapping spans the first counts."""
    mentioned = list[str]()
    used_words = set[int]()  # their positions
    for start, end, text in candidates:
        words = set(range(start, end))
        if not used_words.isdisjoint(words):
            continue
        entities = find(text)
        if entities:
            used_words |= words
            mentioned += entities
    return list(dict.fromkeys(mentioned))


class SimilarNames:
    """The names of a graph, searched for names that differ from a text by a letter or two."""

    def __init__(self, names: Mapping[Words, Sequence[str]], typos: int) -> None:
        self._typos = typos
        self._entities = {" ".join(words): entities for words, entities in names.items()}
        self._by_length: dict[int, list[str]] = {}
        for name in self._entities:
            self._by_length.setdefault(len(name), []).append(name)

    def find_entities(self, text: str) -> list[str]:
        """Return the entities with the most similar name; empty if none is similar enough."""
        from rapidfuzz.distance import OSA
        from rapidfuzz.process import extract

        name = " ".join(split_words(text))
        max_typos = min(self._typos, len(name) // _LETTERS_PER_TYPO)
        if not max_typos:
            return []
        candidates: list[str] = []
        for length in range(len(name) - max_typos, len(name) + max_typos + 1):
            candidates += self._by_length.get(length, ())
        matches = extract(name, candidates, scorer=OSA.distance, score_cutoff=max_typos, limit=None)
        best = min((distance for _, distance, _ in matches), default=0)
        entities: list[str] = []
        for candidate, distance, _ in matches:
            if distance == best:
                entities += self._entities[candidate]
        return entities


def find_capitalised(candidates: Iterable[Span]) -> list[Span]:
    """Return the spans with a capital letter that is not the first letter of the question."""
    spans_with_capital = []
    for span in candidates:
        text = span.text
        if span.start == 0:
            text = text[1:]
        if any(map(str.isupper, text)):
            spans_with_capital.append(span)
    return spans_with_capital


def linked_entities(path: str | Path) -> Linker:
    """Return a linker that reads the entities that another program linked.

    The file is a journal of `ask` with a linker, the JSON of a linker, or a run of IRIs.
    """
    iris_by_question = {}
    for question_key, response in read_run(path).responses.items():
        entities = [mention for mention in response.mentions if mention.kind == "entity"]
        iris = [mention.iri for mention in entities if mention.iri]
        if not response.mentions:
            cells = [parse_term(value) for value in response.given.values()]
            iris = [cell.value for cell in cells if cell.type == "uri"]
        iris_by_question[question_key] = tuple(dict.fromkeys(iris))
    if not any(iris_by_question.values()):
        raise DataError(
            'names no entity; write {"12": {"entities": ["http://..."]}}, or give the journal of a'
            " linker",
            where=path,
        )

    def find_linked(question_id: str, question: str) -> Sequence[str] | None:
        return iris_by_question.get(question_id, iris_by_question.get(question))

    return find_linked
