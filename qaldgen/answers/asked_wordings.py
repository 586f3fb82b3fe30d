"""Ask and match questions in several languages and wordings.

``7@de.2`` is question 7, asked in its second German wording.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from qaldgen.answers.question_matching import with_id
from qaldgen.answers.record import ParsedResponse
from qaldgen.errors import DataError
from qaldgen.model import QuestionSet
from qaldgen.questions.file_content import load_content
from qaldgen.questions.question_texts import add_wording, language_tag
from qaldgen.questions.records import record_fields

#: Stands for the wordings that are in the set itself.
OF_SET = "set"
_ASKED_AS = re.compile(r"(?P<id>.+)@(?P<as>[a-z]{2,3}(?:-[A-Za-z0-9-]+)?(?:\.\d+)?)")
#: A key with the name of the set and the language, as in TEXT2SPARQL: ``db25:1-en``.
_ID_WITH_LANGUAGE = re.compile(r"(?P<whole>(?:[^:\s]+:)?(?P<id>[^:\s]+))[-_](?P<as>[a-z]{2})")
#: The patterns of ids when the gold is known, and the group with the id of a question.
_ASKED_ID_PATTERNS = ((_ID_WITH_LANGUAGE, "whole"), (_ID_WITH_LANGUAGE, "id"), (_ASKED_AS, "id"))
_TEXT_FIELDS = ("wording", "question", "paraphrase", "text")


def expand_wordings(
    questions: QuestionSet, languages: Sequence[str], *, wordings: bool
) -> QuestionSet:
    """Return a set with a question for each language, and with `wordings` for each wording."""
    tags = [language_tag(language) for language in languages]
    expanded = []
    for question in questions:
        for tag in tags:
            texts = question.texts.get(tag, ())
            if not wordings:
                texts = texts[:1]
            for number, text in enumerate(texts, 1):
                question_id = f"{question.id}@{tag}"
                if number > 1:
                    question_id += f".{number}"
                expanded.append(dataclasses.replace(question, id=question_id, texts={tag: (text,)}))
    n_missing = {tag: sum(not question.texts.get(tag) for question in questions) for tag in tags}
    unavailable = [tag for tag, number in n_missing.items() if number == len(questions)]
    if unavailable:
        available = ", ".join(sorted({tag for question in questions for tag in question.texts}))
        raise DataError(
            f"{questions.name}: no question has a text in {', '.join(unavailable)};"
            f" there are {available}"
        )
    notes = [
        f"{number:,} of {len(questions):,} questions have no text in {tag!r}, and are not asked"
        " in it"
        for tag, number in n_missing.items()
        if number
    ]
    return dataclasses.replace(
        questions, questions=tuple(expanded), notes=(*questions.notes, *notes)
    )


def with_wordings(questions: QuestionSet, table: str | Path, language: str) -> QuestionSet:
    """Add wordings from a table with id and wording, and optionally language, to a set."""
    content = load_content(Path(table), "table of wordings")
    texts = {question.id: dict(question.texts) for question in questions}
    for record in record_fields(content, ["id"], content.lower_rows):
        question_id = record.required("id")
        if question_id not in texts:
            raise DataError(
                f"question {question_id} is not in {questions.name}; a table of wordings has the"
                " ids of the questions",
                where=table,
            )
        text = record.first(_TEXT_FIELDS)
        if not text:
            raise record.error("wording", "another wording of the question")
        add_wording(texts[question_id], record.scalar("language") or language, text)
    extended = (dataclasses.replace(question, texts=texts[question.id]) for question in questions)
    return dataclasses.replace(questions, questions=tuple(extended))


def split_asked_ids(
    responses: Iterable[ParsedResponse], gold: QuestionSet | None = None
) -> list[ParsedResponse]:
    """Split ids such as ``7@de.2`` into the id 7 and the wording de.2.

    If the gold questions are given, ids such as ``set:7-de`` are split too, but only if the result
    is an id of the gold and the whole is none.
    """
    patterns = ((_ASKED_AS, "id"),) if gold is None else _ASKED_ID_PATTERNS
    known_ids = set[str]() if gold is None else gold.by_id.keys()
    split_responses = []
    for item in responses:
        run_id = item.response.id
        if not item.asked_as and run_id not in known_ids:
            for pattern, group in patterns:
                match = pattern.fullmatch(run_id)
                if match and (gold is None or match[group] in known_ids):
                    item = with_id(item._replace(asked_as=match["as"]), match[group])
                    break
        split_responses.append(item)
    return split_responses


def choose_asked_as(responses: Sequence[ParsedResponse], language: str, where: str | Path) -> str:
    """Return the wording to read, in the wanted language; empty if the responses state none."""
    wordings = {item.asked_as for item in responses}
    if "" in wordings or not wordings:
        return ""
    tag = language_tag(language)
    if tag not in wordings:
        available = ", ".join(sorted(wordings))
        raise DataError(
            f"has answers in {available}, none in {tag!r}; choose one of these languages",
            where=where,
        )
    return tag
