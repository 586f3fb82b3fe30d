"""Tables without a header, whose first line is a question already: what their columns hold."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Sequence

from qaldgen.io.json_text import member
from qaldgen.questions.column_values import looks_like_sparql
from qaldgen.questions.file_content import Content
from qaldgen.questions.listed_answers import is_regular_expression
from qaldgen.questions.question_texts import looks_like_question
from qaldgen.questions.written_lists import parse_list

#: The rows by which the columns are judged.
_SAMPLED_ROWS = 200
_ID = re.compile(r"\S*[0-9]\S*")


def guessed_header(content: Content) -> list[str] | None:
    """Return names for the columns of a table without a header; None if it may have one.

    Questions, queries and ids are recognised by the values. The last other column after the
    question holds the answers, unless there are queries and it repeats a few values, such as a
    template. Two columns of lists are gold and prediction.
    """
    names = [f"column {number}" for number, _ in enumerate(content.table.header, 1)]
    if len(names) < 2:
        return None
    rows = content.table.first_records(names, _SAMPLED_ROWS, headed=False)
    if not rows:
        return None
    values = {name: [str(member(row, name) or "") for row in rows] for name in names}
    letters = list(string.ascii_uppercase[: len(names) - 2])
    if len(letters) > 1 and all(letter in letters for letter in values[names[-1]]):
        return ["question", *letters, "answer"]  # the choices and the letter of the correct one
    question = max(names, key=lambda name: sum(map(looks_like_question, values[name])))
    queries = [name for name in names if _is_majority(looks_like_sparql, values[name])]
    are_questions = [looks_like_question(text) for text in values[question]]
    first_has_query = any(looks_like_sparql(values[name][0]) for name in queries)
    if not (are_questions[0] or first_has_query) or 2 * sum(are_questions) < len(rows):
        return None
    header = {name: name for name in names}
    header[question] = "question"
    if queries:
        header[queries[0]] = "sparql"
    index = names.index(question)
    for name in names[:index]:
        are_different = len(set(values[name])) == len(rows)
        if name not in queries and are_different and all(map(_ID.fullmatch, values[name])):
            header[name] = "id"
            break
    others = [name for name in names[index + 1 :] if name not in queries]
    are_lists = [_is_majority(_is_list, values[name]) for name in others]
    if are_lists == [True, True]:  # as the evaluator of WebQuestions reads them
        header |= {others[0]: "answers", others[1]: "prediction"}
    elif others:
        answers = values[others[-1]]
        if not queries or 2 * len(set(answers)) > len(rows):
            # a list in a cell holds the names of one answer, as in the files of DPR
            header[others[-1]] = "answer" if _is_list(answers[0]) else "answers"
    return list(header.values())


def _is_list(text: str) -> bool:
    return parse_list(text) is not None


def _is_majority(test: Callable[[str], bool], values: Sequence[str]) -> bool:
    """Return whether more than half of the values pass a test."""
    return 2 * sum(map(test, values)) > len(values)


def keep_patterns(rows: list[object]) -> list[object]:
    """Return rows with lists in a column ``answers`` if some answers are regular expressions.

    Regular expressions, as in the sets of TREC, are not split at bars; in other answers of such a
    set, a bar separates names of one answer.
    """
    answers = [row["answers"] for row in rows if isinstance(row, dict) and "answers" in row]
    if not any(map(is_regular_expression, answers)):
        return rows
    kept = list(rows)
    for index, row in enumerate(rows):
        if isinstance(row, dict) and "answers" in row:
            text = row["answers"]
            names = [text] if is_regular_expression(text) else text.split("|")
            kept[index] = {**row, "answers": [names]}
    return kept
