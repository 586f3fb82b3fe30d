"""The columns that the authors of a question set added, as features of its questions.

A column that no reader knows is in `Question.metadata`. Here its values get a type, the same for
all questions of the set, and a property, `qaldgen.rdf.terms.column_iri`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain

from qaldgen.answers.changes import GOLD_CHANGED
from qaldgen.features.catalogue import Evidence, Feature, all_features
from qaldgen.features.query.query_features import FeatureValue
from qaldgen.model import CHOSEN_BY, Question
from qaldgen.questions.choices import FIRST_CHOICE
from qaldgen.questions.fields import GOLD_ROLES, PREDICTION_ROLES, has_role
from qaldgen.questions.question_texts import OUT_OF_SCOPE
from qaldgen.questions.rdf_questions import DOCUMENT_INDEX
from qaldgen.questions.system_columns import is_system_name
from qaldgen.rdf.terms import column_iri

#: Metadata that other modules read; none of it describes the question.
_INTERNAL = frozenset({
    CHOSEN_BY, DOCUMENT_INDEX, FIRST_CHOICE, GOLD_CHANGED, OUT_OF_SCOPE, "choices", "options",
    "context", "iri", "relevant_passages", "pseudoquery", "cluster", "weight",
    "inclusion_probability", "position",
})  # fmt: skip
#: The roles of fields that hold answers or choices.
_ANSWER_ROLES = (
    "answer", "variants", "maybe variants", "choices", "choice", "single choice", "wrong answer",
    *GOLD_ROLES, *PREDICTION_ROLES,
)  # fmt: skip
#: The key in `attrs` of a table of features for its own columns, each with its property.
OWN_COLUMNS = "own columns"
#: The types of columns: a column has the first whose pattern all its texts match. With each type
#: the function that makes a value of a text.
_TYPES: Mapping[str, tuple[re.Pattern[str], Callable[[str], FeatureValue]]] = {
    "boolean": (re.compile("true|false"), lambda text: text == "true"),
    "integer": (re.compile(r"[+-]?(?:0|[1-9]\d{0,14})"), int),
    "decimal": (re.compile(r"[+-]?\d{1,15}(?:\.\d{1,15})?"), float),
    "string": (re.compile(".*", re.DOTALL), str),
}


def own_columns(questions: Sequence[Question], set_name: str = "") -> dict[str, Feature]:
    """Return the own columns of a set as features, by the name that tables give them.

    That is their own name; a column with the name of one of our features is called ``NAME (own)``.

    >>> first = Question("1", {}, metadata={"level": "3", "modifiers": ("count", "or")})
    >>> columns = own_columns([first, Question("2", {}, metadata={"level": "10"})], "mine")
    >>> [(name, column.kind, column.several) for name, column in columns.items()]
    [('level', 'integer', False), ('modifiers', 'string', True)]
    >>> columns["level"].term
    'http://qald-gen.aksw.org/dataset/mine/column/level'
    """
    names = dict.fromkeys(chain.from_iterable(question.metadata for question in questions))
    catalogue = all_features()
    columns = {}
    for name in names:
        holds_answers = has_role(name, *_ANSWER_ROLES) or is_system_name(name)
        if not name.strip() or name in _INTERNAL or holds_answers:
            continue

        values = {question.metadata[name] for question in questions if name in question.metadata}
        texts = [value for value in values if isinstance(value, str)]
        several = len(texts) < len(values)  # the other values are lists
        value_type = "string"
        if not several:
            for type_name, (pattern, _) in _TYPES.items():
                if all(map(pattern.fullmatch, texts)):
                    value_type = type_name
                    break

        title = f"{name} (own)" if name in catalogue else name
        columns[title] = Feature(
            name=title,
            kind=value_type,
            source="M",
            definition=f"What the data set says in its column {name!r}.",
            value=partial(_column_value, name, value_type, several),
            term=column_iri(set_name, name),
            several=several,
        )

    return columns


def _column_value(
    name: str, value_type: str, several: bool, evidence: Evidence
) -> FeatureValue | None:
    """Return what a question has in a column, as a value of its type; None if it has nothing."""
    if several:
        values = evidence.question.metadata.get(name, ())
        if isinstance(values, str):
            return (values,)
        return values or None
    text = evidence.question.said(name)
    if not text:
        return None
    _, make_value = _TYPES[value_type]
    return make_value(text)


def own_values(
    questions: Sequence[Question], columns: dict[str, Feature]
) -> list[dict[str, FeatureValue]]:
    """Return for each question its values in own columns.

    >>> question = Question("1", {}, metadata={"level": "3"})
    >>> own_values([question], own_columns([question]))
    [{'level': 3}]
    """
    rows = []
    for question in questions:
        evidence = Evidence(question, {}, {}, {})
        row = {}
        for name, column in columns.items():
            value = column.value(evidence)
            if value is not None:
                row[name] = value
        rows.append(row)
    return rows
