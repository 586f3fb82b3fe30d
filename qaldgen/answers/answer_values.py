"""Read the answers of a system in one value, by the rules for gold answers."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from qaldgen.answers.chats import chat_replies
from qaldgen.model import Answers
from qaldgen.questions.choices import meant_choice, named_choices
from qaldgen.questions.columns import (
    answer_columns,
)
from qaldgen.questions.conversations import ANSWERING, conversation, last_said
from qaldgen.questions.fields import (
    is_a,
    plain_name,
)
from qaldgen.questions.records import Fields
from qaldgen.questions.results_json import merge_answers
from qaldgen.questions.values import (
    NOTHING_KNOWN,
    Expected,
    answers_of,
    as_terms,
    holds_answers,
    most_probable,
    read_value,
    written,
)
from qaldgen.sparql.clauses import projected

#: A reply that is one block of code in Markdown, as language models write JSON.
_FENCED = re.compile(r"\s*```(?:json)?\s*(?P<inside>[\[{].*[\]}])\s*```\s*", re.DOTALL)


#: What stands before an answer in a list in Markdown.
_BULLET = re.compile(r"(?:[-*•]|[0-9]{1,3}[.)])\s+")


#: A line with more words is no answer in a list.
_MOST_WORDS = 8


def answer_lines(text: str) -> list[str]:
    r"""Return the answers in a text that has one in each line; none if its lines are others.

    Bullets may stand before them, and a line that ends in a colon before the bullets.

    >>> answer_lines("The moons are:\n- Phobos\n- Deimos"), answer_lines("Io.\nIt is a moon.")
    (['Phobos', 'Deimos'], [])
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > 2 and lines[0].endswith(":") and _BULLET.match(lines[1]):
        del lines[0]
    bullets = [_BULLET.match(line) for line in lines]
    if len(lines) < 2 or (any(bullets) and not all(bullets)):
        return []
    answers = []
    for line in lines:
        answer = _BULLET.sub("", line, count=1).strip("*_` ")
        if not answer or answer[-1] in ".:;!?" or len(answer.split()) > _MOST_WORDS:
            return []
        answers.append(answer)
    return answers


def answers_in(
    value: object, fields: Fields, name: str, expected: Expected, *, bars: bool
) -> Answers:
    """Return the answers of a system in the value of a field, by the rules for gold answers."""
    if isinstance(value, str):
        block = _FENCED.fullmatch(value)
        if block is not None:
            value = block["inside"]
        elif expected.several and "\n" in value.strip():
            value = answer_lines(value) or value
    parsed = value
    if isinstance(value, str):
        parsed = written(value)
    if is_a(name, "transcript"):
        messages = conversation(parsed)
        if not messages:
            raise fields.error(name, "a list of messages with 'role' and 'content'")
        parsed = value = last_said(messages, ANSWERING)
    if expected.choices and isinstance(parsed, list) and len(parsed) == 1:
        parsed = value = parsed[0]
    if isinstance(parsed, (list, dict)):
        return _answers_in_json(value, parsed, fields, name, expected, bars=bars)
    if expected.choices and isinstance(value, (str, int)) and not isinstance(value, bool):
        several = named_choices(value, expected.choices)
        if len(several) > 1:
            return Answers(texts=tuple((text,) for text in several))
        value = meant_choice(str(value), expected.choices)
    return as_terms(answers_of(value, fields, name, bars=bars), expected) or Answers()


def _answers_in_json(
    value: object,
    parsed: list[object] | dict[str, object],
    fields: Fields,
    name: str,
    expected: Expected,
    *,
    bars: bool,
) -> Answers:
    """Return the answers in a list or object; `value` may be its text."""
    best = most_probable(parsed)
    ranked = expected.ranked or is_a(name, "candidates")
    if ranked and best is parsed and isinstance(parsed, list) and parsed:
        best = parsed[0]  # the best comes first
    # pairs are candidates with scores, unless the query has rows of several variables
    are_candidates = best is not parsed and len(projected(expected.query)) < 2
    if are_candidates:
        value = best
    elif isinstance(parsed, dict):
        columns = answer_columns(parsed)
        whole = holds_answers(parsed)
        if len(columns) == 1 and (not whole or isinstance(parsed[columns[0]], list)):
            inside = fields.inside(name, parsed)
            return answers_in(parsed[columns[0]], inside, columns[0], expected, bars=bars)
        if isinstance(value, dict) and not whole:
            raise fields.error(
                name, "a string, a number, a boolean, a list of such, null or SPARQL results JSON"
            )
    items = value if isinstance(value, list) else []
    objects = any(isinstance(item, dict) for item in items)
    if objects and not expected.query and not holds_answers(items):
        return _answers_in_objects(items, fields, name, expected, bars=bars)
    answers = read_value(value, fields, name, expected, bars=bars) or Answers()
    if are_candidates or not answers.texts:
        return answers
    if isinstance(value, str):
        value = written(value)
    return dataclasses.replace(answers, listed=isinstance(value, list))


def _answers_in_objects(
    items: Sequence[object], fields: Fields, name: str, expected: Expected, *, bars: bool
) -> Answers:
    """Return the answers in a list of objects, each of which has one under a usual name."""
    parts = []
    for place, item in enumerate(items):
        if not isinstance(item, dict) or len(answer_columns(item)) != 1:
            raise fields.error(name, "a string or a list of strings")
        inside = Fields({f"{name}[{place}]": item}, fields.where)
        parts.append(answers_in(item, inside, f"{name}[{place}]", expected, bars=bars))
    return merge_answers(parts)


def tries_in(fields: Fields, name: str, expected: Expected = NOTHING_KNOWN) -> list[Answers]:
    """Return the tries in a field: one, except for samples and the choices of a chat service."""
    value = fields.data[name]
    replies = chat_replies(value)
    if replies == []:
        return [Answers()]
    if replies is not None:
        return [answers_in(text, fields, name, expected, bars=False) for text in replies]
    if is_a(name, "tries") and isinstance(value, list) and value:
        tries = []
        for place, item in enumerate(value):
            inside = Fields({f"{name}[{place}]": item}, fields.where)
            tries += tries_in(inside, f"{name}[{place}]", expected)
        return tries
    return [answers_in(value, fields, name, expected, bars=plain_name(name) == "answers")]
