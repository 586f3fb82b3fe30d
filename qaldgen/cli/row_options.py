"""Options whose values are names of rows of tables, and options that rows declare."""

from __future__ import annotations

import functools
import pkgutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from qaldgen.cli.number_types import number_type
from qaldgen.options import Option

#: The keys of the context for the options of rows that were given, and for those that were read.
_GIVEN = "qaldgen.row_options"
_TAKEN = "qaldgen.taken_options"


def listed_option(
    *flags: str,
    table: str,
    help: str,
    only: bool = False,
    check: str = "",
    **attrs: Any,  # noqa: ANN401 - what click takes
) -> Callable[[Any], Any]:
    """Return an option whose values are names of rows of a table, see ``qaldgen list``.

    With `only`, other values are refused before any work is done; `check` is that of
    `options.OneOf`. A repeatable option also takes several names with commas.
    """
    attrs.setdefault("metavar", "NAME")
    if only:
        attrs["callback"] = functools.partial(_check_rows, table, check)
    help_text = f"{help.removesuffix('.')} (qaldgen list {table})."
    return click.option(*flags, help=help_text, **attrs)


def _check_rows(
    table: str,
    check: str,
    ctx: click.Context,
    param: click.Parameter,
    value: Any,  # noqa: ANN401 - what click passes
) -> Any:  # noqa: ANN401 - what click passes
    """Return the value of a listed option; refuse names that are not rows, except a default."""
    if isinstance(value, tuple) and value:
        value = tuple(name.strip() for name in ",".join(value).split(","))
    source = ctx.get_parameter_source(str(param.name))
    if value is None or source is not click.core.ParameterSource.COMMANDLINE:
        return value
    flag = max(param.opts, key=len)
    if not isinstance(value, tuple):
        return _check_row_name(table, check, flag, value)
    for name in value:
        _check_row_name(table, check, flag, name)
    return value


def _check_row_name(table: str, check: str, flag: str, name: str) -> str:
    """Return the name of a row in its table, as a method may have its name from the paper."""
    from qaldgen.cli.listed_tables import table_lines
    from qaldgen.io.arguments import check_choice

    row_name = pkgutil.resolve_name(check)(name) if check else name
    if not isinstance(row_name, str):  # the check has made the row of the name
        return name
    check_choice(flag, row_name, table_lines(table))
    return row_name


@functools.cache
def options_of_rows(table: str) -> dict[str, click.Option]:
    """Return the options of all rows by name; an option of several rows appears once."""
    owners: dict[str, tuple[Option, list[str]]] = {}
    for name, row in pkgutil.resolve_name(table).items():
        for option in row.options:
            owners.setdefault(option.name, (option, []))[1].append(name)
    short_flags: set[str] = set()
    options = {}
    for name, (option, rows) in owners.items():
        flags = [f"--{name.replace('_', '-')}"]
        # Two rows may use the same short flag; the first keeps it.
        if option.flag and option.flag not in short_flags:
            flags.insert(0, option.flag)
            short_flags.add(option.flag)
        options[name] = _make_option(option, flags, rows)
    return options


def _make_option(option: Option, flags: Sequence[str], rows: Sequence[str]) -> click.Option:
    """Return the option of the command line for an option of rows."""
    # The row itself validates choices.
    high = option.maximum if option.below is None else option.below
    is_open = option.below is not None
    value_type: Any = None
    if option.type is not bool:
        value_type = number_type(
            option.type, option.minimum, high, min_open=False, max_open=is_open
        )
    text = f"{', '.join(rows)}: {option.help}"
    if not isinstance(option.default, bool) and option.default not in (None, "", ()):
        if isinstance(option.default, (int, float)):
            text += f" ({option.default:g})"
        else:
            text += f" ({option.default})"
    return click.Option(
        [*flags, option.name],
        type=value_type,
        is_flag=option.type is bool,
        multiple=isinstance(option.default, tuple),
        default=None,
        metavar="FILE" if issubclass(option.type, Path) else None,
        help=f"{text}.",
        # names of options of plug-ins may clash with those of the verb, so `_store_value` keeps
        # their values apart
        expose_value=False,
        callback=_store_value,
    )


def given_options(table: str = "") -> dict[str, Any]:
    """Return the options of rows that this command line gives, of one table or of all."""
    meta = click.get_current_context().meta
    options = meta.get(_GIVEN, {})
    names = [name for name in options if not table or name in options_of_rows(table)]
    meta.setdefault(_TAKEN, set()).update(names)
    return {name: options[name] for name in names}


def taken_options() -> set[str]:
    """Return the options of rows that the verb took by `given_options`."""
    taken: set[str] = click.get_current_context().meta.get(_TAKEN, set())
    return taken


def _store_value(ctx: click.Context, param: click.Parameter, value: object) -> None:
    if value not in (None, ()):
        ctx.meta.setdefault(_GIVEN, {})[param.name] = value
