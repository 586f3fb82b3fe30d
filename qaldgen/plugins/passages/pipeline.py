"""The steps from questions to answers in passages: relevant passages, retrieval, reading."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

from qaldgen.answers.record import Response, Run, status_of
from qaldgen.benchmark.gold import AnyGold, as_gold
from qaldgen.errors import DataError
from qaldgen.io.notes import note
from qaldgen.model import Answers, QuestionSet
from qaldgen.options import OneOf, PositiveInt
from qaldgen.plugins.passages.collection import Collection, read_collection
from qaldgen.plugins.passages.reader import extract
from qaldgen.plugins.passages.relevance import relevant_passages
from qaldgen.plugins.passages.retrievers import Settings, make_retriever
from qaldgen.plugins.passages.trec import Hit, as_run
from qaldgen.questions.question_texts import text_in

#: A collection, or its file.
AnyCollection: TypeAlias = "str | Path | Collection"
#: What a retriever found: a run, its file, or hits; None for the relevant passages instead.
AnyRetrieved: TypeAlias = "Run | Mapping[str, Sequence[Hit]] | str | Path | None"


def as_collection(passages: AnyCollection) -> Collection:
    """Return a collection; a file is read first."""
    if isinstance(passages, Collection):
        return passages
    return read_collection(passages)


def with_relevant(
    questions: AnyGold, passages: AnyCollection, *, language: str = "pl"
) -> QuestionSet:
    """Return the questions, each with the ids of the passages that answer it.

    Parameters
    ----------
    questions
        The questions, which name their passages.
    passages
        The collection in which these passages are looked up.
    language
        Language of questions without a language tag.

    Returns
    -------
    QuestionSet
        The questions; notes tell of those without a passage.
    """
    question_set = as_gold(questions, language=language).questions
    collection = as_collection(passages)

    annotated_questions = []
    without_passage = list[str]()
    with_foreign_id = list[str]()
    for question in question_set:
        relevant = relevant_passages(question, collection)
        in_collection = [passage_id for passage_id in relevant if passage_id in collection.by_id]
        if len(in_collection) < len(relevant):
            with_foreign_id.append(question.id)

        metadata = dict(question.metadata)
        metadata.pop("relevant_passages", None)
        if in_collection:
            metadata["relevant_passages"] = " ".join(in_collection)
        else:
            without_passage.append(question.id)
        annotated_questions.append(dataclasses.replace(question, metadata=metadata))

    if without_passage:
        note(
            f"{len(without_passage):,} of {len(question_set):,} questions have no known relevant"
            f" passage (first: {without_passage[0]})"
        )
    if with_foreign_id:
        note(
            f"{len(with_foreign_id):,} questions name passages that the collection does not contain"
            f" (first: {with_foreign_id[0]})"
        )

    return dataclasses.replace(question_set, questions=tuple(annotated_questions))


def dump_questions(questions: QuestionSet) -> str:
    """Return questions as JSON Lines with accepted answers and relevant passages.

    Parameters
    ----------
    questions
        The questions.

    Returns
    -------
    str
        A line for each question, which `qaldgen.load` reads.
    """
    lines = []
    for question in questions:
        language = next(iter(question.texts), "")
        record: dict[str, object] = {
            "id": question.id,
            "question": question.text(language),
            "language": language,
        }
        if question.answers is not None:
            wordings = [list(texts) for texts in question.answers.texts]
            record["answers"] = wordings or question.answers.values()
        relevant = question.metadata.get("relevant_passages")
        if relevant:
            record["relevant_passages"] = relevant
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    return "".join(lines)


def dump_answers(run: Run) -> str:
    """Return the answers of a reader as JSON Lines, which `read_run` reads.

    Parameters
    ----------
    run
        The answers.

    Returns
    -------
    str
        A line for each question: its id, and the first answer or null.
    """
    lines = []
    for question_id, response in run.responses.items():
        answers = response.given.values()
        record = {"id": question_id, "answer": answers[0] if answers else None}
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    return "".join(lines)


def retrieve(
    questions: AnyGold,
    passages: AnyCollection,
    *,
    retriever: Annotated[str, OneOf("retrievers", only=False)] = "bm25",
    k: PositiveInt = 100,
    settings: Settings = Settings(),  # noqa: B008
    progress: Callable[[int], None] | None = None,
) -> dict[str, Sequence[Hit]]:
    """Find passages for each question.

    Parameters
    ----------
    questions
        The questions for which passages are found.
    passages
        The collection that is searched.
    retriever
        Retrieval method.
    k
        Number of passages per question.
    settings
        What the retriever needs to know.
    progress
        Called with 1 after each question.

    Returns
    -------
    dict of str to sequence of Hit
        By question id the passages and their scores, best first.

    Raises
    ------
    UsageError
        If there is no such retriever, or a setting does not fit.
    DataError
        If a file cannot be read, or no question has a text in the language.
    """
    question_set = as_gold(questions, language=settings.language).questions
    search = make_retriever(retriever, as_collection(passages), settings)
    hits: dict[str, Sequence[Hit]] = {}
    for question in question_set:
        # a text in another language would find passages by chance
        text = text_in(question, settings.language)
        if text:
            hits[question.id] = search(text, k)
        if progress is not None:
            progress(1)
    if not hits:
        raise DataError(
            f"no question has a text in {settings.language!r}; choose another `language`",
            where=question_set.name,
        )
    return hits


def read_passages(
    questions: AnyGold,
    passages: AnyCollection,
    *,
    found: AnyRetrieved = None,
    k: PositiveInt = 10,
    language: str = "pl",
) -> Run:
    """Answer each question from passages, by a small reader without a model.

    Parameters
    ----------
    questions
        The questions that the reader answers.
    passages
        The collection with the passages to read.
    found
        What a retriever found; None for the relevant passages.
    k
        Number of passages to read from the run.
    language
        Language of the questions.

    Returns
    -------
    Run
        An answer for each question; an empty one where nothing was found.

    Raises
    ------
    DataError
        If a file cannot be read.
    """
    question_set = as_gold(questions, language=language).questions
    collection = as_collection(passages)
    ids_by_question = _select_passages(question_set, collection, found, k)
    responses = {}
    for question in question_set:
        ids = ids_by_question.get(question.id, ())
        to_read = [collection.by_id[passage] for passage in ids if passage in collection.by_id]
        text = text_in(question, language)
        answers = Answers()
        if text and to_read:
            answer = extract(text, language, to_read)
            if answer:
                answers = Answers(texts=((answer,),))
        responses[question.id] = Response(question.id, status_of(answers), answers)
    source = "gold" if found is None else "retrieved"
    return Run(f"extractive-{source}", "reader", responses)


def passage_texts(
    questions: AnyGold,
    passages: AnyCollection,
    *,
    found: AnyRetrieved = None,
    k: int = 5,
    language: str = "pl",
) -> dict[str, str]:
    """Return the passages of each question as one text for a prompt, numbered, the best first.

    Parameters
    ----------
    questions
        The questions that are asked.
    passages
        The collection with the passages for prompts.
    found
        What a retriever found; None for the relevant passages.
    k
        Number of passages of a question.
    language
        Language of questions without a language tag.

    Returns
    -------
    dict of str to str
        By question id; `qaldgen.ask` takes it as ``contexts``.

    Raises
    ------
    DataError
        If a file cannot be read, or no question has a passage.
    """
    question_set = as_gold(questions, language=language).questions
    collection = as_collection(passages)

    texts = {}
    for question_id, passage_ids in _select_passages(question_set, collection, found, k).items():
        lines: list[str] = []
        for passage_id in passage_ids:
            if passage_id not in collection.by_id:
                continue
            passage = collection.by_id[passage_id]
            # one line for each passage, so that only our numbers are at the beginning of lines
            line = " ".join(passage.text.split())
            if passage.title:
                line = f"{passage.title}: {line}"
            lines.append(f"[{len(lines) + 1}] {line}")
        if lines:
            texts[question_id] = "\n".join(lines)

    if not any(question.id in texts for question in question_set):
        raise DataError(
            f"no question has a passage in {collection.name}; the ids of questions and passages"
            " must be those of the run",
            where=question_set.name,
        )
    return texts


def _select_passages(
    question_set: QuestionSet, collection: Collection, found: AnyRetrieved, k: int
) -> Mapping[str, Sequence[str]]:
    """Return for each question the ids of its relevant passages, or of the first `k` in `found`."""
    if found is None:
        return {question.id: relevant_passages(question, collection) for question in question_set}
    if isinstance(found, Mapping):
        return {question: [hit.passage for hit in hits[:k]] for question, hits in found.items()}
    return {
        question: response.given.values()[:k]
        for question, response in as_run(found).responses.items()
    }
