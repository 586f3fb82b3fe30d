"""The types of options on the command line, from the annotations of the library's parameters."""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

import click

from qaldgen import options as option_types
from qaldgen.options import Choice, FileName, Flag, Pairs, Range, Text


class ValueType(NamedTuple):
    """What the values of a parameter are, and how they are written on the command line."""

    python_type: type
    form: Any  # of a class of `qaldgen.options`, such as Range
    multiple: bool = False  # whether there may be several


#: The types by names that count wherever they stand in a union; the first one here counts.
_DECISIVE_TYPES = {
    "AnyGold": ValueType(str, FileName("questions")),
    "QuestionSet": ValueType(str, FileName("questions")),
    "Path": ValueType(Path, FileName("file")),
    "Mapping": ValueType(dict, Pairs(), multiple=True),
}
#: The types by names that count where they come first in a union.
_PLAIN_TYPES = {
    "bool": ValueType(bool, Flag()),
    "str": ValueType(str, Text("TEXT")),
    "int": ValueType(int, Range()),
    "float": ValueType(float, Range()),
}


@functools.cache
def value_type(annotation: str) -> ValueType | None:
    """Return the type of a parameter with this annotation; None if its values are no texts.

    Annotations are parsed, not evaluated: most of their names are imported for type checkers only.

    >>> value_type("Sequence[str]").form, value_type("pd.DataFrame | None")
    (Text(metavar='TEXT', escaped=False), None)
    """
    names = []
    has_sequence = False
    for member in _members(ast.parse(annotation, mode="eval").body):
        item = member
        if isinstance(member, ast.Subscript) and ast.unparse(member.value) in {"Sequence", "tuple"}:
            has_sequence = True
            item = member.slice
            if isinstance(item, ast.Tuple):  # tuple[str, ...]
                item = item.elts[0]
        names.append(ast.unparse(item))

    # a name of `qaldgen.options`, or an annotation with one of its forms
    found: ValueType | None
    first = vars(option_types).get(names[0])
    if names[0].startswith(("Annotated[", "Literal[")):  # its names are all in `qaldgen.options`
        first = eval(names[0], vars(option_types))
    if get_origin(first) is Literal:
        found = ValueType(str, Choice(get_args(first)))
    elif get_origin(first) is Annotated:
        base, form, *_ = get_args(first)
        found = ValueType(base if base in {int, float} else str, form)
    else:
        bare_names = [name.partition("[")[0] for name in names]
        decisive = [_DECISIVE_TYPES[name] for name in _DECISIVE_TYPES if name in bare_names]
        found = decisive[0] if decisive else _PLAIN_TYPES.get(bare_names[0])
    if found is None:
        return None
    return found._replace(multiple=found.multiple or has_sequence)


def _members(annotation: ast.expr) -> Iterator[ast.expr]:
    """Yield the members of a union; the annotation itself if it is none."""
    if isinstance(annotation, ast.BinOp):
        yield from _members(annotation.left)
        yield annotation.right
    else:
        yield annotation


class FiniteRange(click.FloatRange):
    """A finite number within a range; click itself accepts NaN in every range."""

    def convert(
        self,
        value: Any,  # noqa: ANN401 - what click passes
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> float:
        """Convert a value, or fail."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


def number_type(
    python_type: type, low: float | None, high: float | None, *, min_open: bool, max_open: bool
) -> click.ParamType[Any]:
    """Return the click type of numbers within limits; of any text for other types."""
    if python_type is int:
        if low is None and high is None:
            return click.INT
        minimum = None if low is None else int(low)
        maximum = None if high is None else int(high)
        return click.IntRange(minimum, maximum)
    if python_type is float:
        return FiniteRange(low, high, min_open=min_open, max_open=max_open)
    return click.STRING
