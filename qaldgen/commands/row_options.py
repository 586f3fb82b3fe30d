"""Options that the rows of a table bring: a verb has them without knowing them."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import click

from qaldgen.commands.groups import FiniteRange
from qaldgen.commands.listing import ListingCommand
from qaldgen.options import Option

_GIVEN = "qaldgen.row_options"


class RowCommand(ListingCommand):
    """A command with the options of the rows of tables, made when they are needed.

    Parameters
    ----------
    *args, **attrs
        As for `click.Command`.
    rows
        For each parameter that takes the name of a row, ``module:TABLE``. Its rows have a field
        ``options``.
    """

    def __init__(self, *args: Any, rows: Mapping[str, str], **attrs: Any) -> None:  # noqa: ANN401 - what click takes
        super().__init__(*args, **attrs)
        self.rows = rows

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the command's parameters, and the options of rows that do not clash with them."""
        params = super().get_params(ctx)
        taken = {text for one in params for text in (*one.opts, *one.secondary_opts)}
        for name, table in self.rows.items():
            # An option of a plug-in may clash with one of the command; the command's own wins.
            added = [
                one for one in options_of_rows(table).values() if not taken.intersection(one.opts)
            ]
            taken.update(text for one in added for text in one.opts)
            # Next to the parameter, where readers of the help look for them.
            place = next(at for at, one in enumerate(params) if one.name == name) + 1
            for one in added:
                one.section = getattr(params[place - 1], "section", "Options")  # type: ignore[attr-defined]
            params = [*params[:place], *added, *params[place:]]
        return params


@functools.cache
def options_of_rows(table: str) -> dict[str, click.Option]:
    """Return the options of all rows by name; an option of several rows appears once."""
    found: dict[str, tuple[Option, list[str]]] = {}
    for name, row in EntryPoint("", table, "").load().items():
        for option in row.options:
            found.setdefault(option.name, (option, []))[1].append(name)
    flags: set[str] = set()
    made = {}
    for name, (option, rows) in found.items():
        # Two rows may use the same short flag; the first keeps it.
        flag = "" if option.flag in flags else option.flag
        flags.add(flag)
        made[name] = click.Option(
            [*([flag] if flag else []), f"--{name.replace('_', '-')}", name],
            type=_type(option),
            is_flag=option.type is bool,
            multiple=isinstance(option.default, tuple),
            default=None,
            metavar="FILE" if issubclass(option.type, Path) else None,
            help=f"{', '.join(rows)}: {option.help}{_shown(option.default)}.",
            # The command's signature cannot name options of plug-ins; `_keep` stores the values
            # instead.
            expose_value=False,
            callback=_keep,
        )
    return made


def given_options(table: str = "") -> dict[str, Any]:
    """Return the options of rows that this command line gives; of one table, or of all."""
    given = click.get_current_context().meta.get(_GIVEN, {})
    return {
        name: value for name, value in given.items() if not table or name in options_of_rows(table)
    }


def _keep(ctx: click.Context, param: click.Parameter, value: object) -> None:
    """Store the value apart from the command's arguments: their names may clash."""
    if value not in (None, ()):
        ctx.meta.setdefault(_GIVEN, {})[param.name] = value


def _type(option: Option) -> click.ParamType[Any] | None:
    """Return the click type of the values; the row itself validates choices."""
    if option.type is bool:
        return None
    if issubclass(option.type, (str, Path)):
        return click.STRING
    if option.type is int:
        low, high = (None if end is None else int(end) for end in (option.minimum, option.maximum))
        return click.IntRange(low, high)
    open_ = option.below is not None
    return FiniteRange(option.minimum, option.below if open_ else option.maximum, max_open=open_)


def _shown(default: object) -> str:
    if isinstance(default, bool) or default in (None, "", ()):
        return ""
    return f" ({default:g})" if isinstance(default, (int, float)) else f" ({default})"
