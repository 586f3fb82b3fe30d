"""Candidates of answers: from similar training questions, a file, or a model."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from qaldgen.asking.language_models import openai
from qaldgen.asking.systems import Asker, NoAnswer, PosedQuestion, System, SystemReply
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError, UsageError
from qaldgen.io.concurrency import run
from qaldgen.io.json_text import from_json
from qaldgen.io.unpacking import read_text
from qaldgen.io.web.retries import Gate
from qaldgen.model import QuestionSet
from qaldgen.plugins.act.seq2seq import check_folder, seq2seq_model
from qaldgen.plugins.act.settings import Act, Beams
from qaldgen.plugins.act.versions import file_digest, installed_version, model_digest
from qaldgen.questions.reading import read_questions
from qaldgen.rdf.terms import is_iri

#: The types of `generator`, each with the placeholder of its location: seq2seq:FOLDER.
GENERATORS = {"seq2seq": "FOLDER", "openai": "URL"}


class Candidate(NamedTuple):
    """A proposed answer."""

    text: str = ""  # in words; empty if the entity is known
    iri: str = ""  # the entity, if it is known


#: Takes the id and the text of a question; returns its candidates, best first.
Generator: TypeAlias = Callable[[str, str], Sequence[Candidate]]


def as_candidate(value: str) -> Candidate:
    """Return a value as a candidate: an IRI as an entity, any other text as a name.

    >>> as_candidate("urn:x:1").iri, as_candidate("Alien: Covenant").iri
    ('urn:x:1', '')
    """
    # `is_iri` alone would accept "Re:Zero"
    if ("://" in value or value.startswith("urn:")) and is_iri(value):
        return Candidate(iri=value)
    return Candidate(text=value)


def nearest_questions(training: QuestionSet, nearest: int, language: str = LANGUAGE) -> Generator:
    """Return a generator that proposes the answers of the most similar training questions."""
    import numpy as np
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = []
    answers = []
    for question in training:
        text = question.text(language)
        values = question.gold.values()
        if text and values:
            texts.append(text)
            answers.append([as_candidate(value) for value in values])
    if not texts:
        raise DataError(
            "no question has an answer, so there is nothing to learn from it", where=training.name
        )
    vectors = TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"(?u)\b\w+\b")
    matrix = vectors.fit_transform(texts)

    def propose(_id: str, question: str) -> list[Candidate]:
        similarities = (matrix @ vectors.transform([question]).T).toarray().ravel()
        # rounded, and ties by position, so that the order is the same on every machine
        order = np.argsort(-similarities.round(12), kind="stable")
        proposed: list[Candidate] = []
        for row in order[:nearest].tolist():
            proposed += answers[row]
        return list(dict.fromkeys(proposed))

    return propose


def recorded_candidates(path: str | Path) -> Generator:
    """Return a generator that reads candidates from JSON Lines.

    A line is ``{"id": ..., "candidates": [TEXT or [TEXT, SCORE], ...]}``; ``question`` may replace
    ``id``. The order of the file counts, best first; a text that is an IRI names the entity.
    """
    candidates_by_key: dict[str, list[Candidate]] = {}
    for number, line in enumerate(read_text(Path(path)).split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            key, candidates = _read_record(from_json(line))
        except ValueError as error:
            raise DataError(
                f'{error}; write {{"id": "12", "candidates": ["best", "second"]}}', where=where
            ) from None
        if key in candidates_by_key:
            raise DataError(f"the candidates of {key} are given twice; remove one", where=where)
        candidates_by_key[key] = candidates

    def propose(question_id: str, question: str) -> list[Candidate]:
        return candidates_by_key.get(question_id, candidates_by_key.get(question, []))

    return propose


def _read_record(record: Any) -> tuple[str, list[Candidate]]:  # noqa: ANN401 - any JSON
    """Return the id or question of a line, and its candidates; raises ValueError."""
    if not isinstance(record, dict) or not isinstance(record.get("candidates"), list):
        raise ValueError("is not an object with a list of candidates")
    key = record.get("id", record.get("question"))
    if not isinstance(key, str | int) or isinstance(key, bool) or key == "":
        raise ValueError("has neither id nor question")

    candidates = []
    for value in record["candidates"]:
        text = value
        score = 0.0
        if isinstance(value, dict):
            text = value.get("text")
            score = value.get("score", 0.0)
        elif isinstance(value, list) and len(value) == 2:
            text, score = value

        is_scored = isinstance(score, int | float) and math.isfinite(score)
        if not isinstance(text, str) or not is_scored:
            raise ValueError(
                "has a candidate that is neither a text nor a text with a finite score"
                f" ({json.dumps(value)[:80]})"
            )
        if text.strip():
            candidates.append(as_candidate(text))

    return str(key), list(dict.fromkeys(candidates))


def model_candidates(path: str, beams: Beams) -> Generator:
    """Return a generator that asks a local model."""
    ask = seq2seq_model(path, beams)

    def propose(_id: str, question: str) -> list[Candidate]:
        return [Candidate(text=text) for text in ask(question)]

    return propose


class CandidateSource(NamedTuple):
    """A source of candidates."""

    name: str  # for the journal, with the digest of a file
    open: Callable[[], Generator]  # returns the function that proposes candidates
    model: Asker | None = None  # a model on the web; `open` asks it one question at a time


def choose_source(system: System, settings: Act) -> CandidateSource:
    """Return the source of candidates; ``act:SET`` names the training questions too."""
    if system.where and (settings.training or settings.candidates or settings.generator):
        raise UsageError(
            f"act:{system.where} names the training questions; leave out `training`,"
            " `candidates` and `generator`"
        )
    training = settings.training or system.where
    sources = [source for source in (training, settings.candidates, settings.generator) if source]
    if len(sources) != 1:
        raise UsageError(
            "act needs one source of candidates: `training` (questions with answers),"
            " `candidates` or `generator`"
        )
    if training:
        return _training_source(training, settings.how.nearest, system.language)
    if settings.candidates:
        path = settings.candidates
        name = f"candidates {Path(path).name} {file_digest(path)}"
        return CandidateSource(name, lambda: recorded_candidates(path))
    model_type, location = generator_words(settings.generator)
    if model_type == "openai":
        return _chat_model_source(system, location)
    return _local_model_source(location, settings.how.beams)


def _training_source(path: str, nearest: int, language: str) -> CandidateSource:
    """Return the answers of the most similar questions of a set as a source of candidates."""

    def open_questions() -> Generator:
        return nearest_questions(read_questions(Path(path)), nearest, language)

    return CandidateSource(f"training {Path(path).name} {file_digest(path)}", open_questions)


def _local_model_source(folder: str, beams: Beams) -> CandidateSource:
    """Return a model of transformers as a source of candidates."""
    check_folder(folder)
    # versions of transformers may search differently
    library = f"transformers {installed_version('transformers')}"
    name = f"seq2seq {Path(folder).name} {model_digest(folder)}, {library}"
    return CandidateSource(name, lambda: model_candidates(folder, beams))


def _chat_model_source(system: System, url: str) -> CandidateSource:
    """Return a model behind chat completions as a source of candidates."""
    chat = dataclasses.replace(system.chat, answer_in=system.chat.answer_in or "lines")
    if chat.prompt == "short":
        chat = dataclasses.replace(chat, prompt="candidates")
    asker = openai(dataclasses.replace(system, where=url, protocol="openai", chat=chat, kg=None))

    def propose(question_id: str, question: str) -> list[Candidate]:
        async def ask() -> SystemReply:
            async with asker.open(Gate()) as ask_one:
                return await ask_one(PosedQuestion(question, system.language, id=question_id))

        try:
            return candidates_in(run(ask()))
        except NoAnswer as error:
            raise DataError(f"question {question_id}: {error.reason}") from None

    return CandidateSource(asker.name, lambda: propose, asker)


def candidates_in(reply: SystemReply) -> list[Candidate]:
    """Return the answers of a system as candidates, best first."""
    texts = reply.answers.values() if reply.answers else []
    return [as_candidate(text) for text in dict.fromkeys(map(str.strip, texts)) if text]


def generator_words(text: str) -> tuple[str, str]:
    """Return the type and the location of a model.

    >>> generator_words("seq2seq:models/tiny")
    ('seq2seq', 'models/tiny')
    """
    model_type, _, location = text.partition(":")
    if model_type not in GENERATORS or not location:
        expected = " or ".join(f"{name}:{label}" for name, label in GENERATORS.items())
        raise UsageError(f"`generator` {text}: {expected} is expected")
    return model_type, location
