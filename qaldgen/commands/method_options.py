"""Command-line options generated from the table of sampling methods, plug-ins included."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from qaldgen import api
from qaldgen.commands.groups import FiniteRange
from qaldgen.commands.listing import ListingCommand

if TYPE_CHECKING:
    from qaldgen.api.sampling import Option

_GIVEN = "qaldgen.method_options"


class WithMethodOptions(ListingCommand):
    """A command with the options of every sampling method after ``--method``, generated on use."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the command's parameters, then the method options that do not clash with them."""
        own = super().get_params(ctx)
        taken = {text for one in own for text in (*one.opts, *one.secondary_opts)}
        # An option of a plug-in may clash with one of the command; the command's own wins.
        added = [one for one in method_options().values() if not taken & set(one.opts)]
        # Next to --method, where readers of the help look for them.
        place = next(at for at, one in enumerate(own) if one.name == "method") + 1
        return [*own[:place], *added, *own[place:]]


@functools.cache
def method_options() -> dict[str, click.Option]:
    """Return the options of all methods by name; an option of several methods appears once."""
    found: dict[str, tuple[Option, list[str]]] = {}
    for method, row in api.sampling.METHODS.items():
        for option in row.options:
            found.setdefault(option.name, (option, []))[1].append(method)
    flags: set[str] = set()
    made = {}
    for name, (option, methods) in found.items():
        # Two methods may use the same short flag; the first keeps it.
        flag = "" if option.flag in flags else option.flag
        flags.add(flag)
        declared = [*([flag] if flag else []), f"--{name.replace('_', '-')}", name]
        metavar = "TEXT" if isinstance(option.default, str) else None
        made[name] = click.Option(
            declared,
            type=_type(option),
            metavar=metavar,
            help=f"{', '.join(methods)}: {option.help}{_shown(option.default)}.",
            # The command's signature cannot name options of plug-ins; `_keep` stores the values
            # instead.
            expose_value=False,
            callback=_keep,
        )
    return made


def given_options() -> dict[str, float | str]:
    """Return the method options given on this command line."""
    return dict(click.get_current_context().meta.get(_GIVEN, {}))


def _keep(ctx: click.Context, param: click.Parameter, value: float | str | None) -> None:
    """Store the value apart from the command's arguments: their names may clash."""
    if value is not None:
        ctx.meta.setdefault(_GIVEN, {})[param.name] = value


def _type(option: Option) -> click.ParamType[Any]:
    """Return the click type of the values; the method itself validates choices."""
    if isinstance(option.default, str):
        return click.STRING
    if isinstance(option.default, int):
        return click.IntRange(min=None if option.minimum is None else int(option.minimum))
    return FiniteRange(option.minimum, option.below, max_open=option.below is not None)


def _shown(default: float | str) -> str:
    if isinstance(default, str):
        return f" ({default})" if default else ""
    return f" ({default:g})"
