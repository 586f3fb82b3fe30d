"""Make options from the signatures of public functions, which declare them.

Name, type, default and help come from `qaldgen.cli.parameters`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast, get_args, get_origin

import click

from qaldgen import options as option_types
from qaldgen.cli.number_types import number_type
from qaldgen.cli.parameters import BASIC_TYPES, OPTION_NAMES, Parameter, parameters, takes_text
from qaldgen.cli.row_options import listed_option
from qaldgen.cli.verb import (
    CONTINUED,
    FILE,
    NAMED,
    QUESTIONS,
    RUN,
    WRITTEN,
    Command,
    DeclaredOption,
    add_options,
)

#: The types of values that name a file.
_FILES: dict[type, click.ParamType[Any]] = {
    option_types.Continued: CONTINUED,
    option_types.FileOrName: NAMED,
    option_types.RunOrName: RUN,
    option_types.Output: WRITTEN,
}


def options_of(
    source: str | type, *names: str, called: Mapping[str, str] | None = None
) -> Callable[[Command], Command]:
    """Add options for parameters of a public function, of ``module:function``, or of a class.

    Without names, all parameters whose values can be written as text get an option, except those
    for which a decorator below this one has added one. `called` has names of options that differ
    from those in `OPTION_NAMES`. `verb.Call.of` returns the values of these options.
    """
    function = source if isinstance(source, str) else f"{source.__module__}:{source.__name__}"

    def flags_of(name: str) -> list[str]:
        return ((called or {}).get(name) or OPTION_NAMES.get(name, name)).split("/")

    def add(command: Command) -> Command:
        existing_names = {param.name for param in getattr(command, "__click_params__", ())}
        declared = parameters(function)
        option_names = list(names)
        if not names:
            for name, parameter in declared.items():
                option_name = flags_of(name)[-1].replace("-", "_")
                if option_name not in existing_names and takes_text(parameter.annotation):
                    option_names.append(name)
        for name in reversed(option_names):
            if name not in declared:
                raise LookupError(
                    f"{function} has no parameter {name!r}; run 'make options' after a change of"
                    " its signature"
                )
            for option in add_options(command, [_make_option(declared[name], flags_of(name))]):
                option.function = function
                option.parameter = name
        return command

    return add


def type_of(function: str, parameter: str) -> type:
    """Return the type of the values of a parameter."""
    return _value_type(parameters(function)[parameter].annotation).python_type


class _ValueType(NamedTuple):
    """How the values of a parameter are given on the command line."""

    python_type: type
    attributes: Mapping[str, Any]  # keyword arguments of `click.option`
    option: Callable[..., Any] = click.option  # makes the option from flags and attributes
    unit: int = 1  # how many make one on the command line, such as bytes in a megabyte


def _make_option(parameter: Parameter, names: Sequence[str]) -> Callable[[Any], Any]:
    """Return the decorator that adds the option for a parameter."""
    value_type = _value_type(parameter.annotation)
    flags = [_flag(name) for name in names]
    default = parameter.default
    help_text = parameter.help.replace("`", "")
    if value_type.attributes.get("multiple"):
        help_text += " Repeatable."
    if value_type.attributes.get("is_flag") and default is True:
        flags[-1] += f"/--no-{flags[-1].removeprefix('--')}"
    if value_type.unit > 1:
        default /= value_type.unit
    return cast(
        "Callable[[Any], Any]",
        value_type.option(
            *flags,
            cls=DeclaredOption,
            default=default,
            show_default=default is not False and default not in (None, "", ()),
            help=help_text,
            **value_type.attributes,
        ),
    )


def _flag(name: str) -> str:
    """Return the flag for a name, a short one for a letter; a flag is returned unchanged."""
    if name[0] == "-":
        return name
    if len(name) == 1:
        return f"-{name}"
    return f"--{name.replace('_', '-')}"


def _value_type(annotation: str) -> _ValueType:
    """Return the type of the values of a parameter, from its annotation, which may be a union."""
    members: list[Any] = []
    multiple = False
    for member in _members(annotation):
        if _name(member) in {"Sequence", "tuple"}:
            multiple = True
            members.append(member.slice)
        else:
            members.append(member)
    names = {_name(member) for member in members}
    first_member = members[0]
    declared = getattr(option_types, _name(first_member), None)
    if _name(first_member) == "Literal":
        declared = Literal[ast.literal_eval(first_member.slice)]
    if get_origin(declared) is Literal:
        return _ValueType(str, {"type": click.Choice(get_args(declared))})
    if get_args(declared):
        base, limits, *_ = get_args(declared)
        return _limited_type(base, limits, multiple=multiple)
    if _name(first_member) == "Annotated":  # such as Annotated[int, Range(20)]
        base, call = first_member.slice.elts
        keywords = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
        limits = getattr(option_types, call.func.id)(*map(ast.literal_eval, call.args), **keywords)
        return _limited_type(BASIC_TYPES[base.id], limits, multiple=multiple)
    if names & {"AnyGold", "QuestionSet"}:
        return _ValueType(str, {"type": QUESTIONS, "multiple": multiple, "metavar": "FILE"})
    if "Path" in names:
        return _ValueType(Path, {"type": FILE, "multiple": multiple, "metavar": "FILE"})
    if "Mapping" in names:
        pairs = {"multiple": True, "metavar": "NAME=VALUE", "callback": _parse_pairs}
        return _ValueType(dict, pairs)
    basic_type = BASIC_TYPES.get(_name(first_member), str)
    if basic_type is bool:
        return _ValueType(bool, {"is_flag": True})
    if basic_type is str:
        return _ValueType(str, {"multiple": multiple, "metavar": "TEXT"})
    return _limited_type(basic_type, option_types.Range(), multiple=multiple)


def _members(annotation: str) -> list[Any]:
    """Return the members of a union, in order; any other type alone."""
    members: list[ast.expr] = []
    union = ast.parse(annotation, mode="eval").body
    while isinstance(union, ast.BinOp):
        members.insert(0, union.right)
        union = union.left
    return [union, *members]


def _name(node: ast.AST) -> str:
    """Return the name of a type: Sequence of ``Sequence[str]``."""
    if isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _limited_type(base: type, limits: Any, *, multiple: bool) -> _ValueType:  # noqa: ANN401 - a class of `options`
    """Return the type of values that a class of `qaldgen.options` limits."""
    if isinstance(limits, option_types.OneOf):
        return _ValueType(str, {**limits._asdict(), "multiple": multiple}, listed_option)
    attributes: dict[str, Any] = {"multiple": multiple, "metavar": limits.metavar}
    if type(limits) in _FILES:
        return _ValueType(base, {**attributes, "type": _FILES[type(limits)]})
    if isinstance(limits, option_types.Escaped):
        return _ValueType(str, {**attributes, "callback": _unescape})
    if not isinstance(limits, option_types.Range):
        return _ValueType(base, attributes)
    if limits is option_types.MEGABYTES:
        megabytes = number_type(float, limits.low, limits.high, min_open=True, max_open=False)
        attributes |= {"type": megabytes, "callback": _megabytes_to_bytes}
        return _ValueType(int, attributes, unit=2**20)
    max_open = limits.open and limits.high is not None
    numbers = number_type(base, limits.low, limits.high, min_open=limits.open, max_open=max_open)
    return _ValueType(base, {**attributes, "type": numbers})


def _megabytes_to_bytes(ctx: click.Context, param: click.Parameter, megabytes: float) -> int:
    return max(1, int(megabytes * 2**20))


def _unescape(ctx: click.Context, param: click.Parameter, text: str) -> str:
    return text.replace("\\n", "\n").replace("\\t", "\t")


def _parse_pairs(
    ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]
) -> dict[str, str] | None:
    """Return NAME=VALUE texts as a mapping; None if there are none."""
    pairs = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (equals and name):
            raise click.BadParameter(f"{text!r} is not NAME=VALUE", ctx, param)
        pairs[name] = value
    return pairs or None
