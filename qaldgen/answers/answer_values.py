"""Read the answers of a system in one value, by the rules for gold answers."""

from __future__ import annotations

import dataclasses
import re
from typing import Any, TypeGuard

from qaldgen.answers.chats import chat_replies
from qaldgen.answers.record import RANKED
from qaldgen.io.notes import note
from qaldgen.model import Answers
from qaldgen.questions.answer_objects import holds_answers, listed_identifiers
from qaldgen.questions.choices import match_choice, match_choices
from qaldgen.questions.conversations import ANSWERING, conversation, last_said, last_text_part
from qaldgen.questions.fields import has_role
from qaldgen.questions.records import Fields
from qaldgen.questions.results_json import merge_answers
from qaldgen.questions.system_columns import answer_columns
from qaldgen.questions.values import NOTHING_KNOWN, Expected, read_answers_value
from qaldgen.questions.written_lists import MAX_PART_WORDS, parse_written
from qaldgen.sparql.clauses import selected_variables

#: A reply that consists of one block of code in Markdown, as language models write JSON.
_CODE_BLOCK = re.compile(r"\s*```(?:json)?\s*(?P<inside>[\[{].*[\]}])\s*```\s*", re.DOTALL)
#: A reply in JSON with one field that is a number, but not a probability: ``{"year": 1204}``. In
#: objects, and in Python's notation, a number is the votes for a candidate.
_ONE_FIELD = re.compile(r'\s*\{\s*"[^"]*"\s*:\s*-?(?:[2-9]|[1-9][0-9]+)(?:\.[0-9]+)?\s*\}\s*')
#: The label of one of several answers, in the prompts of systems over knowledge graphs.
_LIST_LABEL = re.compile(r"^\W*ans(?:wer\s*\d+|\s*\d*)\s*:", re.IGNORECASE | re.MULTILINE)
#: The suffix of variables that Wikidata's endpoint adds for texts about items.
_LABEL_SUFFIX = re.compile(r"(?:AltLabel|Label|Description)$")
#: Roles of fields of an answer.
_ANSWER_ROLES = ("answer", "bare answer", "prediction", "confidence", "seconds")
#: Fields with the probability or score of a candidate.
_SCORE_FIELDS = ("probability", "prob", "confidence", "score")


def read_system_answers(value: object, fields: Fields, name: str, expected: Expected) -> Answers:
    """Return the answers of a system in the value of a field, by the rules for gold answers.

    The value may be a text, a number or a boolean; a list or an object of these, or a text that
    writes one; SPARQL results; or a transcript, of which the last message counts.
    """
    reply = _find_reply(value, fields, name)
    decoded = parse_written(reply)
    # a text that equals a gold one is that answer, even if it looks like a list or an object
    if decoded is None or (isinstance(reply, str) and reply.strip() in expected.gold_texts):
        return _read_scalar(reply, fields, name, expected)
    if isinstance(reply, str) and isinstance(decoded, dict) and _ONE_FIELD.fullmatch(reply):
        [number] = decoded.values()
        return _read_scalar(number, fields, name, expected)
    if expected.choices and isinstance(decoded, list) and len(decoded) == 1:
        [item] = decoded
        if not isinstance(item, (list, dict)):
            return _read_scalar(item, fields, name, expected)
        return _read_collection(item, item, fields, name, expected)
    return _read_collection(reply, decoded, fields, name, expected)


def _find_reply(value: object, fields: Fields, name: str) -> object:
    """Return the last message in a transcript, and the code of a reply that is a block of code."""
    reply = value
    if has_role(name, "transcript"):
        messages = conversation(parse_written(value))
        if not messages:
            raise fields.error(name, "a list of messages with 'role' and 'content'")
        reply = last_said(messages, ANSWERING)
    elif isinstance(value, list):
        text = last_text_part(value)
        reply = value if text is None else text
    if isinstance(reply, str):
        block = _CODE_BLOCK.fullmatch(reply)
        if block is not None:
            return block["inside"]
    return reply


def _read_scalar(value: object, fields: Fields, name: str, expected: Expected) -> Answers:
    """Return the answers in a text, which may be a list in words or name a choice."""
    answer = value
    if expected.choices and isinstance(value, (str, int)) and not isinstance(value, bool):
        chosen = match_choices(value, expected.choices)
        if len(chosen) > 1:
            return Answers(texts=tuple((text,) for text in chosen))
        answer = match_choice(str(value), expected.choices)
    is_plural = has_role(name, "several")
    asked = expected._replace(several=True) if is_plural else expected
    answers = read_answers_value(answer, fields, name, asked)
    if answers is None:
        return Answers()
    # a list of one is a short text under a plural name, or "ans: Ulm", of a prompt for several
    is_short = is_plural and len(str(answer).split()) <= MAX_PART_WORDS
    is_labelled = asked.several and _LIST_LABEL.search(str(answer)) is not None
    if answers.texts and (is_short or is_labelled):
        return dataclasses.replace(answers, listed=True)
    return answers


def _read_collection(
    reply: object,
    decoded: list[object] | dict[str, object],
    fields: Fields,
    name: str,
    expected: Expected,
) -> Answers:
    """Return the answers in a reply that is a list or an object, or a text that writes one."""
    best = _choose_candidate(decoded, name, expected)
    if best is not decoded:
        return _read_value(best, fields, name, expected)
    if isinstance(decoded, list):
        chosen = match_choices(decoded, expected.choices) if expected.choices else ()
        if chosen:
            return Answers(texts=tuple((text,) for text in chosen), listed=True)
        return _read_value(reply, fields, name, expected, listed=True)
    columns = answer_columns(decoded) if listed_identifiers(decoded) is None else ()
    is_answer = holds_answers(decoded)
    if len(columns) == 1 and (not is_answer or isinstance(decoded[columns[0]], list)):
        inside = fields.inside(name, decoded)
        return read_system_answers(decoded[columns[0]], inside, columns[0], expected)
    if isinstance(reply, dict) and not is_answer:
        raise fields.error(
            name, "a string, a number, a boolean, a list of such, null or SPARQL results JSON"
        )
    return _read_value(reply, fields, name, expected)


def _read_value(
    value: object, fields: Fields, name: str, expected: Expected, *, listed: bool = False
) -> Answers:
    """Return the answers in a value; `listed` says that its texts are a list."""
    if (
        isinstance(value, list)
        and any(isinstance(item, dict) for item in value)
        and not (expected.query or holds_answers(value))
    ):
        # objects with one answer each
        parts = []
        for index, item in enumerate(value):
            if not isinstance(item, dict) or len(answer_columns(item)) != 1:
                raise fields.error(name, "a string or a list of strings")
            inside = Fields({f"{name}[{index}]": item}, fields.where)
            parts.append(read_system_answers(item, inside, f"{name}[{index}]", expected))
        return merge_answers(parts)
    answers = read_answers_value(value, fields, name, expected) or Answers()
    if not answers.texts:
        return _drop_label_columns(answers, expected)
    return dataclasses.replace(answers, listed=listed)


def _choose_candidate(
    decoded: list[object] | dict[str, object], name: str, expected: Expected
) -> object:
    """Return the best candidate, by its score or as the first one; any other value unchanged."""
    # if the query has several variables, pairs are rows
    if expected.query and len(selected_variables(expected.query)) > 1:
        return decoded
    best = most_probable(decoded)
    is_ranking = expected.ranked or has_role(name, "candidates")
    if best is not decoded or not is_ranking or not isinstance(decoded, list) or not decoded:
        return best
    if expected.ranked and len(decoded) > 1:
        note(f"of a list for a {RANKED} question only the first candidate is the answer")
    return decoded[0]


def _drop_label_columns(answers: Answers, expected: Expected) -> Answers:
    """Remove the labels that Wikidata's endpoint adds to items, if the gold answers are items.

    These are in variables such as ``itemLabel``, next to ``item``.
    """
    if len(answers.variables) < 2 or expected.answer_type != "resource":
        return answers
    items = [
        index
        for index, name in enumerate(answers.variables)
        if _LABEL_SUFFIX.sub("", name) not in set(answers.variables) - {name}
    ]
    is_labelled = len(items) < len(answers.variables)
    if not is_labelled or len(selected_variables(expected.query)) > 1:
        return answers
    note("labels that stand in a variable of their own (item, itemLabel) are no answers")
    return dataclasses.replace(
        answers,
        variables=tuple(answers.variables[index] for index in items),
        rows=tuple(tuple(row[index] for index in items) for row in answers.rows),
    )


def read_repeats(fields: Fields, name: str, expected: Expected = NOTHING_KNOWN) -> list[Answers]:
    """Return the answers in a field: one, except for samples and the choices of a chat service."""
    value = fields.data[name]
    replies = chat_replies(value)
    if replies is not None:
        repeats = [read_system_answers(text, fields, name, expected) for text in replies]
        return repeats or [Answers()]
    if has_role(name, "repeats") and isinstance(value, list) and value:
        repeats = []
        for index, item in enumerate(value):
            inside = Fields({f"{name}[{index}]": item}, fields.where)
            repeats += read_repeats(inside, f"{name}[{index}]", expected)
        return repeats
    return [read_system_answers(value, fields, name, expected)]


def most_probable(value: object) -> object:
    """Return the first candidate with the highest probability or score.

    Any value that is not candidates is returned unchanged.

    >>> most_probable({"Ulm": 0.2, "Bonn": 0.7}), most_probable([["Ulm", 0.9], ["Bonn", 0.1]])
    ('Bonn', 'Ulm')
    >>> most_probable([{"text": "Ulm", "score": 3}, {"text": "Bonn", "score": 8}])
    {'text': 'Bonn', 'score': 8}
    >>> most_probable(["Ulm", 0.93])
    'Ulm'
    """
    if isinstance(value, dict) and value and all(map(_is_number, value.values())):
        # {"answer": 1204, "confidence": 1} has fields
        if any(has_role(name, *_ANSWER_ROLES) for name in value):
            return value
        return max(value, key=lambda name: value[name])
    if not isinstance(value, list) or not value:
        return value
    if _is_scored(value):
        return value[0]
    if len(value) == 1 and _is_scored(value[0]):
        return value[0][0]
    if len(value) < 2:
        return value
    pairs = [item for item in value if isinstance(item, list) and len(item) == 2]
    if len(pairs) == len(value):
        if all(isinstance(text, str) and _is_number(score) for text, score in pairs):
            return max(pairs, key=lambda pair: pair[1])[0]
        return value
    if not all(isinstance(item, dict) for item in value):
        return value
    fields = {next((name for name in _SCORE_FIELDS if name in item), None) for item in value}
    field = fields.pop()
    if field is None or fields or not all(_is_number(item.get(field)) for item in value):
        return value
    return max(value, key=lambda item: item[field])


def _is_scored(value: object) -> TypeGuard[list[Any]]:
    """Return whether a value is a pair of an answer and its probability, written as a fraction."""
    if not isinstance(value, list) or len(value) != 2 or not isinstance(value[0], str):
        return False
    return isinstance(value[1], float) and 0 <= value[1] <= 1


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
