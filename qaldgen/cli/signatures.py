"""Make options from the signatures of public functions, which declare them.

Name, type, default and help come from `qaldgen.cli.parameters`.
"""

from __future__ import annotations

import functools
import pkgutil
from collections.abc import Callable, Mapping
from typing import Any

import click

from qaldgen.cli.parameters import OPTION_NAMES, Parameter, parameters
from qaldgen.cli.row_options import listed_option
from qaldgen.cli.value_types import ValueType, number_type
from qaldgen.cli.verb import FILE_TYPES, Command, DeclaredOption, add_options
from qaldgen.options import Choice, FileName, Flag, Megabytes, OneOf, Pairs, Range, Text

_MEGABYTE = 2**20
#: The type of a parameter that is named although its annotation says nothing of texts.
_TEXT = ValueType(str, Text("TEXT"))
#: A terabyte is more than any reply.
_MAX_MEGABYTES = 1_000_000


def options_of(
    source: str | type, *names: str, called: Mapping[str, str] | None = None
) -> Callable[[Command], Command]:
    """Add options for parameters of a public function, of ``module:function``, or of a class.

    Without names, all parameters whose values can be written as text get an option, except those
    for which a decorator below this one has added one. `called` has names of options that differ
    from those in `OPTION_NAMES`. `verb.Call.of` returns the values of these options.
    """
    function = source if isinstance(source, str) else f"{source.__module__}:{source.__name__}"
    option_names = {**OPTION_NAMES, **(called or {})}

    def add(command: Command) -> Command:
        existing_flags = set[str]()
        for param in getattr(command, "__click_params__", ()):
            existing_flags.update(param.opts)

        declared = parameters(function)
        flags = {name: _flags(option_names.get(name, name)) for name in declared}
        chosen_names = list(names)
        if not names:
            for name, parameter in declared.items():
                if parameter.type is not None and existing_flags.isdisjoint(flags[name]):
                    chosen_names.append(name)

        for name in reversed(chosen_names):
            if name not in declared:
                raise LookupError(
                    f"{function} has no parameter {name!r}; run 'make options' after a change of"
                    " its signature"
                )
            [option] = add_options(command, [_make_option(declared[name], flags[name])])
            option.function = function
            option.parameter = name

        return command

    return add


def _flags(names: str) -> list[str]:
    """Return the flags of the names of an option: for ``n/size`` -n and --size."""
    flags = []
    for name in names.split("/"):
        dashes = "-" if len(name) == 1 else "--"
        flags.append(f"{dashes}{name.replace('_', '-')}")
    return flags


def type_of(function: str, parameter: str) -> type:
    """Return the type of the values of a parameter."""
    return (parameters(function)[parameter].type or _TEXT).python_type


def _make_option(parameter: Parameter, flags: list[str]) -> Callable[[Any], Any]:
    """Return the decorator that adds the option for a parameter."""
    value_type = parameter.type or _TEXT
    default = parameter.default
    help_text = parameter.help.replace("`", "")
    if value_type.multiple:
        help_text += " Repeatable."

    if isinstance(value_type.form, Flag) and default is True:
        flags[-1] += f"/--no-{flags[-1].removeprefix('--')}"
    if isinstance(value_type.form, Megabytes):
        default /= _MEGABYTE

    make_option = listed_option if isinstance(value_type.form, OneOf) else click.option
    return make_option(
        *flags,
        cls=DeclaredOption,
        default=default,
        show_default=default is not False and default not in (None, "", ()),
        help=help_text,
        **_attributes(value_type),
    )


def _attributes(value_type: ValueType) -> dict[str, Any]:
    """Return the keyword arguments of `click.option` for values of a type."""
    multiple = value_type.multiple
    match value_type.form:
        case Flag():
            return {"is_flag": True}
        case Choice(choices):
            return {"type": click.Choice(choices)}
        case OneOf(table, only, check):
            check_name = functools.partial(_check_row_name, table, check) if only else None
            return {"table": table, "multiple": multiple, "callback": check_name}
        case FileName(use, metavar):
            return {"type": FILE_TYPES[use], "multiple": multiple, "metavar": metavar}
        case Text(metavar, escaped):
            unescape = _unescape if escaped else None
            return {"multiple": multiple, "metavar": metavar, "callback": unescape}
        case Pairs():
            return {"multiple": True, "metavar": "NAME=VALUE", "callback": _parse_pairs}
        case Megabytes():
            size = number_type(float, 0, _MAX_MEGABYTES, min_open=True, max_open=False)
            return {"type": size, "metavar": "MB", "callback": _megabytes_to_bytes}
        case Range(low, high, is_open, metavar):
            max_open = is_open and high is not None
            number = number_type(
                value_type.python_type, low, high, min_open=is_open, max_open=max_open
            )
            return {"type": number, "multiple": multiple, "metavar": metavar}
    raise TypeError(f"{value_type}: is not written on the command line")


def _check_row_name(
    table: str, check: str, ctx: click.Context, param: click.Parameter, value: str | None
) -> str | None:
    """Return the name of a row, as a method may be called by its name in the paper.

    Other values are refused before any work is done; for `check` see `options.OneOf`.
    """
    from qaldgen.cli.listed_tables import table_lines
    from qaldgen.io.arguments import check_choice

    source = ctx.get_parameter_source(str(param.name))
    if source is not click.core.ParameterSource.COMMANDLINE:  # a default need not be a row
        return value
    row_name = pkgutil.resolve_name(check)(value) if check else value
    if not isinstance(row_name, str):  # the check has made the row of the name
        return value
    check_choice(max(param.opts, key=len), row_name, table_lines(table))
    return row_name


def _megabytes_to_bytes(ctx: click.Context, param: click.Parameter, megabytes: float) -> int:
    return max(1, int(megabytes * _MEGABYTE))


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
