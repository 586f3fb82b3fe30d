"""Read the answer that a reply in words states: choices of its question, or IRIs.

A run keeps replies as they are. How the answer is found in a reply is an option of scoring, so this
is done when answers are judged. Matchers that compare words read the whole reply themselves.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from qaldgen.answers.record import Response
from qaldgen.answers.stated_choices import find_choices
from qaldgen.model import Answers, Question
from qaldgen.questions.choices import question_choices, shown_first_number
from qaldgen.questions.records import scalar_text
from qaldgen.questions.values import NOTHING_KNOWN, Choices, as_terms
from qaldgen.questions.written_lists import parse_list


def first_number_in_replies(
    answered: Iterable[tuple[Question, Sequence[Response]]], extract: Callable[[str], Sequence[str]]
) -> int | None:
    """Return where the numbers of choices in replies count from; None if they do not show it."""
    pairs: list[tuple[object, Choices]] = []
    for question, responses in answered:
        choices = question_choices(question)
        if choices is None:
            continue
        for response in responses:
            for reply in response.given.values():
                pairs += [(text, choices) for text in extract(reply)]
    return shown_first_number(pairs)


def with_stated_answer(
    response: Response,
    question: Question,
    readers: Sequence[Callable[[str], Sequence[str]]],
    first_choice: int | None = None,
) -> Response:
    """Return a response with the choices that its reply names as answers, or else with its IRIs.

    A reply with any other answer stays as it is, and so does one with IRIs where the gold answers
    are not terms. `readers` find the texts of the answers in a reply; the first one counts that
    finds choices, or any text where there are none. Numbers of choices count from `first_choice`,
    or else as in the gold.
    """
    answers = response.given
    if len(answers.texts) != 1 or not answers.texts[0]:
        return response
    reply = answers.texts[0][0]
    choices = question_choices(question)
    stated: Answers | None = None
    if choices is not None:
        if first_choice is not None:
            choices = choices._replace(first=first_choice)
        for read in readers:
            found = [find_choices(text, choices) for text in read(reply)]
            if found and all(found):
                names = dict.fromkeys(chain.from_iterable(found))
                stated = Answers(texts=tuple((name,) for name in names))
                break
    elif question.gold.rows:
        words: list[str] = []
        for text in readers[0](reply):
            words += [scalar_text(word) for word in parse_list(text) or [text]]
        terms = as_terms(Answers(texts=tuple((word,) for word in words)), NOTHING_KNOWN)
        # words alone are no rows: then the matcher reads the whole reply
        if terms is not None and terms.rows and all(cell.type == "uri" for cell in terms.cells()):
            stated = terms
    if stated is None or not stated.values():
        return response
    return dataclasses.replace(response, answers=stated)
