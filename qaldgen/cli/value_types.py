"""What the values of parameters are, from their annotations."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from qaldgen import options as option_types
from qaldgen.options import Choice, FileName, Flag, Pairs, Range, Text

_PYTHON_TYPES = {each.__name__: each for each in (bool, int, float, str, Path, dict)}


class ValueType(NamedTuple):
    """What the values of a parameter are, and how they are written on the command line."""

    python_type: type
    form: Any  # of a class of `qaldgen.options`, such as Range
    multiple: bool = False  # whether there may be several

    def record(self) -> dict[str, object]:
        """Return the type as it is written into options.json."""
        record: dict[str, object] = {
            "type": self.python_type.__name__,
            "form": type(self.form).__name__,
        }
        for field in dataclasses.fields(self.form):
            value = getattr(self.form, field.name)
            if value != field.default:
                record[field.name] = value
        if self.multiple:
            record["multiple"] = True
        return record

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> ValueType:
        """Return the type of a record."""
        fields = dict(record)
        python_type = _PYTHON_TYPES[fields.pop("type")]
        make_form = getattr(option_types, fields.pop("form"))
        multiple = fields.pop("multiple", False)
        return cls(python_type, make_form(**fields), multiple)


class _AnyName(type):
    """The type of `_Unknown`, with any attribute and any parameters, as in ``pd.Series[float]``."""

    def __getattr__(cls, name: str) -> _AnyName:
        if name.startswith("__"):
            raise AttributeError(name)
        return cls

    def __getitem__(cls, item: object) -> _AnyName:
        return cls


class _Unknown(metaclass=_AnyName):
    """Stands for every type of another module in annotations."""


class _Questions:
    """Stands for questions in annotations."""


class _Names(dict[str, Any]):
    """The names in annotations."""

    def __missing__(self, name: str) -> object:
        return _PYTHON_TYPES.get(name, _Unknown)


_NAMES = _Names(vars(option_types))
_NAMES |= {
    "Sequence": Sequence,
    "tuple": tuple,
    "AnyGold": _Questions,
    "QuestionSet": _Questions,
}


def value_type(annotation: object) -> ValueType | None:
    """Return the type of a parameter with this annotation; None if its values are no texts.

    >>> value_type("Sequence[str]").form, value_type("pd.DataFrame | None")
    (Text(metavar='TEXT', escaped=False), None)
    """
    if isinstance(annotation, str):
        # names of other modules are not imported, as some are for type checkers only
        try:
            annotation = eval(annotation, {}, _NAMES)
        except TypeError:  # such as a union with a name in quotes
            return None
    members: Sequence[Any] = [annotation]
    if get_origin(annotation) in {Union, UnionType}:
        members = get_args(annotation)
    types = []
    multiple = False
    for member in members:
        if get_origin(member) in {Sequence, tuple}:
            multiple = True
            member = get_args(member)[0]
        types.append(member)
    first = types[0]
    if get_origin(first) is Literal:
        return ValueType(str, Choice(get_args(first)))
    if get_origin(first) is Annotated:
        base, form, *_ = get_args(first)
        return ValueType(base if base in {int, float} else str, form, multiple)
    if _Questions in types:
        return ValueType(str, FileName("questions"), multiple)
    if Path in types:
        return ValueType(Path, FileName("file"), multiple)
    if any(get_origin(member) is Mapping for member in types):
        return ValueType(dict, Pairs(), multiple=True)
    if first is bool:
        return ValueType(bool, Flag())
    if first is str:
        return ValueType(str, Text("TEXT"), multiple)
    if first in {int, float}:
        return ValueType(first, Range(), multiple)
    return None
