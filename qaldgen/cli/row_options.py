"""Options whose values are names of rows of tables, and options that rows declare."""

from __future__ import annotations

import functools
import pkgutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from qaldgen.cli.value_types import number_type
from qaldgen.options import Option


def listed_option(
    *flags: str,
    table: str,
    help: str,
    **attrs: Any,  # noqa: ANN401 - what click takes
) -> Callable[[Any], Any]:
    """Return an option whose value is the name of a row of a table, see ``qaldgen list``."""
    attrs.setdefault("metavar", "NAME")
    help_text = f"{help.removesuffix('.')} (qaldgen list {table})."
    return click.option(*flags, help=help_text, **attrs)


def parameter_of(option: str) -> str:
    """Return the name by which click passes on an option of rows; no verb has such a parameter.

    >>> parameter_of("seed")
    'row_seed'
    """
    return f"row_{option}"


@functools.cache
def options_of_rows(table: str) -> dict[str, click.Option]:
    """Return the options of all rows by name; an option of several rows appears once."""
    rows_by_option: dict[str, list[str]] = {}
    option_by_name: dict[str, Option] = {}
    for row_name, row in pkgutil.resolve_name(table).items():
        for option in row.options:
            option_by_name.setdefault(option.name, option)
            rows_by_option.setdefault(option.name, []).append(row_name)

    short_flags: set[str] = set()
    options = {}
    for name, option in option_by_name.items():
        flags = [f"--{name.replace('_', '-')}"]
        # two rows may use the same short flag; the first keeps it
        if option.flag and option.flag not in short_flags:
            flags.insert(0, option.flag)
            short_flags.add(option.flag)

        text = f"{', '.join(rows_by_option[name])}: {option.help}"
        if not isinstance(option.default, bool) and option.default not in (None, "", ()):
            default = option.default
            if isinstance(default, (int, float)):
                default = f"{default:g}"
            text += f" ({default})"

        value_type = None
        if option.type is not bool:
            value_type = number_type(
                option.type,
                option.minimum,
                option.maximum if option.below is None else option.below,
                min_open=False,
                max_open=option.below is not None,
            )

        options[name] = click.Option(
            [*flags, parameter_of(name)],
            type=value_type,  # the row itself checks choices
            is_flag=option.type is bool,
            multiple=isinstance(option.default, tuple),
            default=None,  # the row has the default
            metavar="FILE" if issubclass(option.type, Path) else None,
            help=f"{text}.",
        )

    return options
