"""The columns with answers of systems, by their names, and beside gold by their values."""

from __future__ import annotations

from collections.abc import Iterable

from qaldgen.questions.fields import (
    ROLE_NAMES,
    has_no_role,
    is_model_name,
    is_prediction_name,
    is_system_name,
    system_in_name,
    without_number,
)

_PREDICTIONS = (*ROLE_NAMES["prediction"], *ROLE_NAMES["prediction yes or no"])
#: Names that a run may have for its answers, each only where it has none of those before.
_RATHER_GOLD = [
    ROLE_NAMES["bare answer"], ROLE_NAMES["candidates"], *([name] for name in ROLE_NAMES["answer"]),
    ROLE_NAMES["transcript"],
]  # fmt: skip


def answers_of_systems(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the columns with answers of systems, by system; "" for the one that none names.

    >>> answers_of_systems(["id", "gold", "Llama output", "answer_gpt"])
    {'Llama': ('Llama output',), 'gpt': ('answer_gpt',)}
    >>> answers_of_systems(["id", "answer", "gpt-4", "flan_t5"])
    {'gpt-4': ('gpt-4',), 'flan_t5': ('flan_t5',)}
    """
    names = tuple(names)
    if any(map(is_prediction_name, names)):
        return {"": answer_columns(names)}
    columns = {name: system_in_name(name) for name in names if is_system_name(name)}
    models = [name for name in names if has_no_role(name) and is_model_name(name)]
    columns |= {name: name for name in models if name not in columns}
    if len({*columns.values()}) < len(columns):
        columns = {name: name for name in columns}
    if columns:
        return {system: (name,) for name, system in columns.items()}
    usual_columns = answer_columns(names)
    if usual_columns:
        return {"": usual_columns}
    return {}


def answer_columns(names: Iterable[str]) -> tuple[str, ...]:
    """Return the columns with the usual names of the answers of one system.

    >>> answer_columns(["id", "output", "answer", "prediction1", "prediction2"])
    ('prediction1', 'prediction2')
    """
    bases = {name: without_number(name) for name in names}
    predictions = sorted({base for base in bases.values() if is_prediction_name(base)})
    # Only one kind counts: "prediction" and "output" of one record are usually the same answer.
    best = [name for name in _PREDICTIONS if name in predictions] or predictions
    for usual in (best[:1], *_RATHER_GOLD):
        columns = tuple(name for name, base in bases.items() if base in usual)
        if columns:
            return columns
    return ()
