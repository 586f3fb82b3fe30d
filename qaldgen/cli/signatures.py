"""Options from the signatures of public functions: each is declared there, and nowhere else.

Name, type, default and help are those of `qaldgen.cli.parameters`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast, get_args, get_origin

import click

from qaldgen import options as kinds
from qaldgen.cli.number_types import number_type
from qaldgen.cli.parameters import CALLED, PLAIN, Parameter, can_be_said, parameters
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
)

#: The types of values that name a file.
_FILES: dict[type, click.ParamType[Any]] = {
    kinds.Continued: CONTINUED,
    kinds.FileOrName: NAMED,
    kinds.RunOrName: RUN,
    kinds.Output: WRITTEN,
}


def options_of(
    function: str, *names: str, called: Mapping[str, str] | None = None
) -> Callable[[Command], Command]:
    """Add options for parameters of a public function, or of ``module:function``.

    Without names, options for all parameters whose values a command line can hold, except those for
    which a decorator below this one has an option. `called` gives parameters other names than
    `CALLED`; `verb.Call.of` returns the values of these options for a call.
    """

    def flags_of(name: str) -> list[str]:
        return ((called or {}).get(name) or CALLED.get(name, name)).split("/")

    def add(command: Command) -> Command:
        below = {param.name for param in getattr(command, "__click_params__", ())}
        declared = parameters(function)
        option_names = names or [
            name
            for name, parameter in declared.items()
            if flags_of(name)[-1].replace("-", "_") not in below
            if can_be_said(parameter.annotation)
        ]
        for name in reversed(option_names):
            if name not in declared:
                raise LookupError(
                    f"{function} has no parameter {name!r}; run 'make options' after a change of"
                    " its signature"
                )
            _option(declared[name], flags_of(name))(command)
            option = command.__click_params__[-1]  # type: ignore[attr-defined]
            option.function, option.parameter = function, name
        return command

    return add


def type_of(function: str, parameter: str) -> type:
    """Return the type of the values of a parameter."""
    return _kind(parameters(function)[parameter].annotation).python_type


class _ValueKind(NamedTuple):
    """How the values of a parameter are given on the command line."""

    python_type: type
    attributes: Mapping[str, Any]  # of the option, as click calls them
    option: Callable[..., Any] = click.option  # makes the option of flags and attributes
    unit: int = 1  # how many are one on the command line, such as bytes in a megabyte


def _option(parameter: Parameter, names: Sequence[str]) -> Callable[[Any], Any]:
    """Return the decorator that adds the option for a parameter."""
    kind = _kind(parameter.annotation)
    flags = [_flag(name) for name in names]
    default = parameter.default
    help_text = parameter.help.replace("`", "")
    if kind.attributes.get("multiple"):
        help_text += " Repeatable."
    if kind.attributes.get("is_flag") and default is True:
        flags[-1] += f"/--no-{flags[-1].removeprefix('--')}"
    if kind.unit > 1:
        default /= kind.unit
    return cast(
        "Callable[[Any], Any]",
        kind.option(
            *flags,
            cls=DeclaredOption,
            default=default,
            show_default=default is not False and default not in (None, "", ()),
            help=help_text,
            **kind.attributes,
        ),
    )


def _flag(name: str) -> str:
    """Return the flag for a name: short for a letter; a name with a hyphen before it is one."""
    if name[0] == "-":
        return name
    if len(name) == 1:
        return f"-{name}"
    return f"--{name.replace('_', '-')}"


def _kind(annotation: str) -> _ValueKind:
    """Return the kind of the values of a parameter, by the members of its annotation, a union."""
    members: list[Any] = []
    multiple = False
    for member in _members(annotation):
        if _name(member) in {"Sequence", "tuple"}:
            multiple = True
            members.append(member.slice)
        else:
            members.append(member)
    names = {_name(member) for member in members}
    first = members[0]
    declared = getattr(kinds, _name(first), None)
    if _name(first) == "Literal":
        declared = Literal[ast.literal_eval(first.slice)]
    if get_origin(declared) is Literal:
        return _ValueKind(str, {"type": click.Choice(get_args(declared))})
    if get_args(declared):
        base, limits, *_ = get_args(declared)
        return _limited(base, limits, multiple=multiple)
    if _name(first) == "Annotated":  # such as Annotated[int, Range(20)]
        base, call = first.slice.elts
        keywords = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
        limits = getattr(kinds, call.func.id)(*map(ast.literal_eval, call.args), **keywords)
        return _limited(PLAIN[base.id], limits, multiple=multiple)
    if names & {"AnyGold", "QuestionSet"}:
        return _ValueKind(str, {"type": QUESTIONS, "multiple": multiple, "metavar": "FILE"})
    if "Path" in names:
        return _ValueKind(Path, {"type": FILE, "multiple": multiple, "metavar": "FILE"})
    if "Mapping" in names:
        pairs = {"multiple": True, "metavar": "NAME=VALUE", "callback": _pairs}
        return _ValueKind(dict, pairs)
    plain = PLAIN.get(_name(first), str)
    if plain is bool:
        return _ValueKind(bool, {"is_flag": True})
    if plain is str:
        return _ValueKind(str, {"multiple": multiple, "metavar": "TEXT"})
    return _limited(plain, kinds.Range(), multiple=multiple)


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


def _limited(base: type, limits: Any, *, multiple: bool) -> _ValueKind:  # noqa: ANN401 - a class of `options`
    """Return the kind of values that a class of `qaldgen.options` limits."""
    if isinstance(limits, kinds.OneOf):
        return _ValueKind(str, {**limits._asdict(), "multiple": multiple}, listed_option)
    attributes: dict[str, Any] = {"multiple": multiple, "metavar": limits.metavar}
    if type(limits) in _FILES:
        return _ValueKind(base, {**attributes, "type": _FILES[type(limits)]})
    if isinstance(limits, kinds.Escaped):
        return _ValueKind(str, {**attributes, "callback": _unescaped})
    if not isinstance(limits, kinds.Range):
        return _ValueKind(base, attributes)
    if limits is kinds.MEGABYTES:
        megabytes = number_type(float, limits.low, limits.high, min_open=True, max_open=False)
        attributes |= {"type": megabytes, "callback": _bytes}
        return _ValueKind(int, attributes, unit=2**20)
    max_open = limits.open and limits.high is not None
    numbers = number_type(base, limits.low, limits.high, min_open=limits.open, max_open=max_open)
    return _ValueKind(base, {**attributes, "type": numbers})


def _bytes(ctx: click.Context, param: click.Parameter, megabytes: float) -> int:
    return max(1, int(megabytes * 2**20))


def _unescaped(ctx: click.Context, param: click.Parameter, text: str) -> str:
    return text.replace("\\n", "\n").replace("\\t", "\t")


def _pairs(
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
