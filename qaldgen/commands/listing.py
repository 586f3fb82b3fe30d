"""Options whose values come from a table.

The help of the verb lists them, with a line about each.
"""

from __future__ import annotations

import functools
from typing import Any

import click

from qaldgen import api


class ListedOption(click.Option):
    """An option that takes a name from a table.

    Parameters
    ----------
    *args, **attrs
        As for `click.Option`.
    table
        A key of `qaldgen.api.choices.TABLES`; it is read when the help is shown.
    """

    def __init__(self, *args: Any, table: str, **attrs: Any) -> None:  # noqa: ANN401 - what click takes
        super().__init__(*args, **attrs)
        self.table = table


class ListingCommand(click.Command):
    """A command whose help ends with what its options take."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by section, then the values of those that take names from a table.

        Parameters
        ----------
        ctx, formatter
            As for `click.Command.format_options`.
        """
        sections: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx)
            if record is not None and isinstance(option, click.Option):
                sections.setdefault(getattr(option, "section", "Options"), []).append(record)
        ends = sections.pop("Options", [])  # few, and --help, which people look for first
        for title, records in {"Options": ends, **sections}.items():
            with formatter.section(title):
                formatter.write_dl(records)
        for option in self.get_params(ctx):
            if isinstance(option, ListedOption):
                # The long spelling: --method, not -m.
                flag = max(option.opts, key=len)
                with formatter.section(f"Values of {flag}"):
                    # Read here and not on definition: plug-ins may add to the tables, and reading
                    # them takes time.
                    formatter.write_dl(list(api.choices.listed(option.table).items()))


#: As `click.command` and `click.option`.
listing_command = functools.partial(click.command, cls=ListingCommand)
listed_option = functools.partial(click.option, cls=ListedOption)
