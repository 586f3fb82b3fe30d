"""Find the columns with answers of systems by their names."""

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

_PREDICTION_NAMES = (*ROLE_NAMES["prediction"], *ROLE_NAMES["prediction yes or no"])
#: Other names for the answers of a run, each of which counts only if it has no earlier one.
_OTHER_ANSWERS = [
    ROLE_NAMES["bare answer"], ROLE_NAMES["candidates"], *([name] for name in ROLE_NAMES["answer"]),
    ROLE_NAMES["transcript"],
]  # fmt: skip


def answers_of_systems(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the columns with the answers of each system; "" is a system without a name.

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
    if len(set(columns.values())) < len(columns):
        columns = {name: name for name in columns}
    if columns:
        return {system: (name,) for name, system in columns.items()}
    columns_of_one = answer_columns(names)
    return {"": columns_of_one} if columns_of_one else {}


def answer_columns(names: Iterable[str]) -> tuple[str, ...]:
    """Return the columns with known names for the answers of one system.

    >>> answer_columns(["id", "output", "answer", "prediction1", "prediction2"])
    ('prediction1', 'prediction2')
    """
    bases = {name: without_number(name) for name in names}
    predictions = sorted({base for base in bases.values() if is_prediction_name(base)})
    # Only one name counts: "prediction" and "output" of a record are usually the same answer.
    preferred = [name for name in _PREDICTION_NAMES if name in predictions] or predictions
    for names_of_role in (preferred[:1], *_OTHER_ANSWERS):
        columns = tuple(name for name, base in bases.items() if base in names_of_role)
        if columns:
            return columns
    return ()
