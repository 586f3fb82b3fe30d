"""Options from the signatures of public functions: each is declared there, and nowhere else.

Name, type, default and help are those of `qaldgen.cli.parameters`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast, get_args, get_origin

import click

from qaldgen import options as kinds
from qaldgen.cli.parameters import CALLED, PLAIN, Parameter, can_be_said, parameters
from qaldgen.cli.verb import (
    CONTINUED,
    FILE,
    NAMED,
    QUESTIONS,
    RUN,
    WRITTEN,
    Command,
    DeclaredOption,
    listed_option,
    number_type,
)


def options_of(
    function: str, *names: str, called: Mapping[str, str] | None = None
) -> Callable[[Command], Command]:
    """Add options for parameters of a public function, or of ``module:function``.

    Without names, for all that no option below is for, and whose values a command line can say.
    `called` gives them other names than `CALLED`; `verb.Call.of` returns their values for a call.
    """

    def flags_of(name: str) -> list[str]:
        return ((called or {}).get(name) or CALLED.get(name, name)).split("/")

    def add(command: Command) -> Command:
        below = {param.name for param in getattr(command, "__click_params__", ())}
        declared = parameters(function)
        wanted = names or [
            name
            for name, parameter in declared.items()
            if flags_of(name)[-1].replace("-", "_") not in below
            if can_be_said(parameter.annotation)
        ]
        for name in reversed(wanted):
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
    kind, limits, *_ = _kind(parameters(function)[parameter].annotation)
    return Path if limits is FILE else kind


def _option(parameter: Parameter, names: Sequence[str]) -> Callable[[Any], Any]:
    kind, limits, many, metavar = _kind(parameter.annotation)
    flags = [
        name if name[0] == "-" else f"{'-' * min(len(name), 2)}{name.replace('_', '-')}"
        for name in names
    ]
    default = parameter.default
    attributes: dict[str, Any] = {
        "cls": DeclaredOption,
        "default": default,
        "show_default": default is not False and default not in (None, "", ()),
        "help": parameter.help.replace("`", "") + (" Repeatable." if many else ""),
    }
    if kind is bool:
        off = f"/--no-{names[-1]}" if default is True else ""
        return click.option(*flags[:-1], f"{flags[-1]}{off}", is_flag=True, **attributes)
    if kind is tuple and isinstance(limits, tuple):
        return click.option(*flags, type=click.Choice(limits), **attributes)
    if isinstance(limits, kinds.OneOf):
        return listed_option(*flags, **limits._asdict(), multiple=many, **attributes)
    if kind is dict:
        attributes["callback"] = _pairs
    if isinstance(limits, kinds.Escaped):
        attributes["callback"] = _unescaped
    click_type: click.ParamType[Any]
    if isinstance(limits, click.ParamType):
        click_type = limits
    elif type(limits) in _FILES:
        click_type = _FILES[type(limits)]
    elif limits is kinds.MEGABYTES:
        attributes |= {"default": default / 2**20, "callback": _bytes}
        click_type = number_type(
            float, kinds.MEGABYTES.low, kinds.MEGABYTES.high, min_open=True, max_open=False
        )
    else:
        low, high, is_open, _ = limits if isinstance(limits, kinds.Range) else kinds.Range()
        max_open = is_open and high is not None
        click_type = number_type(kind, low, high, min_open=is_open, max_open=max_open)
    return click.option(*flags, type=click_type, multiple=many, metavar=metavar, **attributes)


#: The types of values that name a file.
_FILES: dict[type, click.ParamType[Any]] = {
    kinds.Continued: CONTINUED,
    kinds.FileOrName: NAMED,
    kinds.RunOrName: RUN,
    kinds.Output: WRITTEN,
}


def _kind(annotation: str) -> tuple[type, object, bool, str]:
    """Return the type of a value, its limits, whether it may be repeated, and what it is called."""
    if annotation.startswith("Literal["):
        values = annotation.removesuffix(" | None").removeprefix("Literal")
        return tuple, tuple(ast.literal_eval(values)), False, ""
    if "Annotated[" in annotation:
        many = annotation.startswith("Sequence[")
        # such as Annotated[int, Range(20)]
        text = annotation.removesuffix(" | None")
        if many:
            text = annotation[len("Sequence[") : -1]
        base, limit = cast("Any", ast.parse(text, mode="eval").body).slice.elts
        keywords = {keyword.arg: ast.literal_eval(keyword.value) for keyword in limit.keywords}
        limits = getattr(kinds, limit.func.id)(*map(ast.literal_eval, limit.args), **keywords)
        return PLAIN[base.id], limits, many, getattr(limits, "metavar", "N")
    words = [word.strip() for word in annotation.split("|") if word.strip() != "None"]
    many = any(word.startswith(("Sequence[", "tuple[")) for word in words)
    words = [word.removeprefix("Sequence[").removesuffix("]") for word in words]
    if named := get_args(declared := getattr(kinds, words[0], None)):
        if get_origin(declared) is Literal:
            return tuple, named, many, ""
        kind, limits, *_ = named
        return kind, limits, many, getattr(limits, "metavar", "N")
    if "AnyGold" in words or "QuestionSet" in words:
        return str, QUESTIONS, many, "FILE"
    if "Path" in words:
        return str, FILE, many, "FILE"
    if any(word.startswith("Mapping[") for word in words):
        return dict, None, True, "NAME=VALUE"
    kind = PLAIN.get(words[0], str)
    return kind, None, many, "TEXT" if kind is str else "N"


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
        if not equals or not name:
            raise click.BadParameter(f"{text!r} is not NAME=VALUE", ctx, param)
        pairs[name] = value
    return pairs or None
