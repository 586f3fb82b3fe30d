"""Choose the best of several candidates in one value, by their probabilities or scores."""

from __future__ import annotations

from typing import Any, TypeGuard

from qaldgen.questions.fields import has_role

#: Roles of fields of an answer.
_ANSWER_ROLES = ("answer", "bare answer", "prediction", "confidence", "seconds")
#: Fields with the probability or score of a candidate.
_SCORE_FIELDS = ("probability", "prob", "confidence", "score")


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
