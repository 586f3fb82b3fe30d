"""Where candidates come from: answers of similar training questions, or a file from any model."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from qaldgen.errors import DataError
from qaldgen.io.files import read_text
from qaldgen.rdf.terms import is_iri

if TYPE_CHECKING:
    from qaldgen.model import QuestionSet


class Candidate(NamedTuple):
    """A proposed answer.

    Attributes
    ----------
    text : str
        In words; empty if the entity is known.
    iri : str
        The entity, if it is known.
    """

    text: str = ""
    iri: str = ""


#: Takes the id and the text of a question; returns its candidates, best first.
Generator: TypeAlias = Callable[[str, str], Sequence[Candidate]]


def nearest_questions(training: QuestionSet, nearest: int, language: str = "en") -> Generator:
    """Return a generator that proposes the answers of the most similar training questions.

    Parameters
    ----------
    training
        Questions with gold answers.
    nearest
        How many of them give answers.
    language
        Language of the texts.

    Returns
    -------
    Generator
        Proposes the answers of the most similar question first.

    Raises
    ------
    DataError
        If no training question has an answer.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    known = [
        one
        for one in training.questions
        if one.text(language) and one.answers is not None and one.answers.values()
    ]
    if not known:
        raise DataError(
            f"{training.name}: no question has an answer, so that nothing can be learned from it"
        )
    answers = [
        [_candidate(value) for value in one.answers.values()]
        for one in known
        if one.answers is not None
    ]
    vectors = TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"(?u)\b\w+\b")
    matrix = vectors.fit_transform([one.text(language) for one in known])

    def propose(_id: str, question: str) -> list[Candidate]:
        # Rounded, and ties by position, so that the order is the same on every machine.
        alike = (matrix @ vectors.transform([question]).T).toarray().ravel()
        order = sorted(range(len(known)), key=lambda at: (-round(float(alike[at]), 12), at))[
            :nearest
        ]
        return list(dict.fromkeys(one for at in order for one in answers[at]))

    return propose


def recorded_candidates(path: str | Path) -> Generator:
    """Return a generator that reads candidates from JSON Lines.

    A line is ``{"id": ..., "candidates": [TEXT or [TEXT, SCORE], ...]}``; ``question`` may replace
    ``id``. The order of the file counts, best first; a text that is an IRI names the entity.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Generator
        Proposes no candidates for questions that are not in the file.

    Raises
    ------
    DataError
        If a line is something else, a score is not a number, or an id occurs twice.
    """
    by_key: dict[str, list[Candidate]] = {}
    for number, line in enumerate(read_text(Path(path)).split("\n"), 1):
        if not line.strip():
            continue
        try:
            key, own = _record(json.loads(line))
        except (ValueError, RecursionError) as error:
            raise DataError(
                f'{path}, line {number}: {error}; write {{"id": "12", "candidates": ["best",'
                ' "second"]}'
            ) from None
        if key in by_key:
            raise DataError(
                f"{path}, line {number}: the candidates of {key} are given twice; leave one out"
            )
        by_key[key] = own

    def propose(id_: str, question: str) -> list[Candidate]:
        return by_key.get(id_, by_key.get(question, []))

    return propose


def _record(value: Any) -> tuple[str, list[Candidate]]:  # noqa: ANN401 - what a file may hold
    if not isinstance(value, dict) or not isinstance(value.get("candidates"), list):
        raise ValueError("is not an object with a list of candidates")
    key = value.get("id", value.get("question"))
    if not isinstance(key, str | int) or isinstance(key, bool) or key == "":
        raise ValueError("has neither id nor question")
    texts = [_text(one) for one in value["candidates"]]
    return str(key), list(dict.fromkeys(_candidate(text) for text in texts if text.strip()))


def _text(value: Any) -> str:  # noqa: ANN401 - what a file may hold
    if isinstance(value, dict):
        value = [value.get("text"), value.get("score", 0.0)]
    if (
        isinstance(value, list)
        and len(value) == 2
        and isinstance(value[1], int | float)
        and math.isfinite(value[1])
    ):
        value = value[0]
    if not isinstance(value, str):
        raise ValueError(
            "has a candidate that is neither a text nor a text with a finite score"
            f" ({json.dumps(value)[:80]})"
        )
    return value


def _candidate(value: str) -> Candidate:
    return Candidate(iri=value) if "://" in value and is_iri(value) else Candidate(text=value)
