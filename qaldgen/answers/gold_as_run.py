"""Read gold questions as a run: the file of the questions itself, or one in the same format."""

from __future__ import annotations

import dataclasses
from itertools import chain

from qaldgen.answers.question_matching import fold_letters
from qaldgen.errors import DataError, UsageError
from qaldgen.model import Question, QuestionSet
from qaldgen.questions.collecting import ReadOptions
from qaldgen.questions.columns import ChosenFields
from qaldgen.questions.fields import has_role, is_prediction_name
from qaldgen.questions.file_content import Content
from qaldgen.questions.line_formats import LINE_FORMATS
from qaldgen.questions.reading import questions_in
from qaldgen.questions.record_formats import RECORD_FORMATS
from qaldgen.questions.results_json import whole_answers_json


def questions_with_other_gold(
    content: Content, gold: QuestionSet, language: str
) -> tuple[str, ...]:
    """Return the questions whose gold answers in the file of a run differ from the given ones."""
    if content.sha256 == gold.sha256:
        return ()
    try:
        own_questions = questions_in(content, ReadOptions(language=language))
    except (DataError, UsageError):  # the file has no questions
        return ()
    differing = []
    for question in own_questions:
        text = question.text(language)
        asked_question = gold.by_text.get(text) or gold.by_id.get(question.id)
        if asked_question is None or question.answers is None:
            continue
        text, asked_text = fold_letters(text), fold_letters(asked_question.text(language))
        if not (text in asked_text or asked_text in text):
            continue  # another question that has the same id
        if _folded_values(asked_question) != _folded_values(question):
            differing.append(asked_question.id)
    return tuple(differing)


def _folded_values(question: Question) -> set[str]:
    answers = question.gold
    # only one of the files may show whether several names belong to one answer
    texts = (*answers.values(), *chain.from_iterable(answers.texts))
    return {text.casefold() for text in texts}


def gold_as_answers(content: Content, chosen_fields: ChosenFields, gold: QuestionSet) -> Content:
    """Convert a question set to a run, if a reader of runs would not understand all its answers.

    These are the file of the gold itself, and a file in the same format if that has lines, or
    answers that are objects. Any other file is returned unchanged.
    """
    is_run = bool(chosen_fields.answers) or any(is_prediction_name(name) for name in content.names)
    if is_run or content.kind == "lines":
        return content
    if content.sha256 == gold.sha256:
        return _convert_to_run(content, gold) or content
    if gold.format in LINE_FORMATS and LINE_FORMATS[gold.format].matches(content):
        return answers_in_gold(content, gold) or content
    if gold.format in RECORD_FORMATS and content.row_keys:
        row = next((row for row in content.rows if isinstance(row, dict)), {})
        are_objects = any(isinstance(row[name], dict) for name in row if has_role(name, "answer"))
        if are_objects and RECORD_FORMATS[gold.format].matches(content):
            return answers_in_gold(content, gold) or content
    return content


def answers_in_gold(content: Content, gold: QuestionSet) -> Content | None:
    """Return the gold answers of a question set as those of a system; None if it has none.

    A set in another format than the gold is not converted: the two files may be swapped.
    """
    try:
        questions = questions_in(content)
    except (DataError, UsageError):
        return None
    if questions.format != gold.format:
        return None
    return _convert_to_run(content, questions)


def _convert_to_run(content: Content, questions: QuestionSet) -> Content | None:
    """Return the gold answers of questions as records of a run; None if there are none."""
    if all(question.answers is None for question in questions):
        return None
    rows = [
        {
            "id": question.id,
            "question": question.text(),
            "answers": whole_answers_json(question.gold),
        }
        for question in questions
    ]
    text = "is a question set; its gold answers are taken as those of a system"
    return dataclasses.replace(content, kind="jsonl").with_records(rows, text)
