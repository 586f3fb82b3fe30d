"""Print on stderr for people: notes, explanations, tables."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from qaldgen.cli.parameters import default_flag
from qaldgen.io.terminal import escape_line, unguarded_stderr, wrap_line

if TYPE_CHECKING:
    import pandas as pd

#: How messages of the library call a parameter: `language`, or with a value `language='de'`.
_PARAMETER = re.compile(r"`(\w+)(?:=([^`]*))?`")
#: The notes that a call has printed.
_PRINTED = "qaldgen.notes"


@contextmanager
def printing_notes() -> Iterator[None]:
    """Print the notes of a block after it."""
    from qaldgen.io.notes import collecting

    with collecting() as collected:
        yield
    print_notes(collected)


def print_notes(lines: str | Iterable[str]) -> None:
    """Print one or several notes on stderr, each only once: runs often have notes in common."""
    from qaldgen.io.web.access import hide_credentials  # imports urllib.request

    context = click.get_current_context(silent=True)
    if context is None:
        printed_lines: set[str] = set()
    else:
        printed_lines = context.meta.setdefault(_PRINTED, set())
    if isinstance(lines, str):
        lines = [lines]
    for line in lines:
        if line not in printed_lines:
            printed_lines.add(line)
            print_line(f"Note: {escape_line(hide_credentials(line))}")


def with_flags(message: str) -> str:
    """Replace the parameters in a message of the library by the flags of this verb.

    Parameters that the verb does not have get their default flags.
    """
    context = click.get_current_context(silent=True)
    if context is None:
        return message
    from qaldgen.cli.row_options import parameter_of

    options = context.command.get_params(context)

    def replace_name(match: re.Match[str]) -> str:
        name = match[1]
        value = (match[2] or "True").strip("'\"")
        flag = default_flag(name)
        for option in options:
            parameter = getattr(option, "parameter", "")
            has_name = name == parameter or option.name in (name, parameter_of(name))
            if has_name and isinstance(option, click.Option):
                flag = max(option.opts, key=len)
                break
        if not flag:
            return match[0]
        if value == "False":
            return flag.replace("--", "--no-", 1)
        if value == "True":
            return flag
        return f"{flag} {shlex.quote(value)}"

    return _PARAMETER.sub(replace_name, message)


def print_line(line: str) -> None:
    """Print a line for people on stderr, wrapped at words on a terminal."""
    click.echo(wrap_line(with_flags(line), unguarded_stderr()), err=True)


def print_lines(lines: Iterable[str]) -> None:
    """Print the lines and smaller tables that explain a table, on stderr."""
    for line in lines:
        click.echo(with_flags(line), err=True)


def format_table(
    frame: pd.DataFrame, formatters: Mapping[str, Callable[[object], str]] | None = None
) -> str:
    """Format a table as plain text; `formatters` are for columns, by name."""
    return frame.to_string(formatters=formatters, na_rep="-", float_format=_format_number)


def _format_number(value: float) -> str:
    """Format a number for people: without rounding noise, and without an exponent if possible."""
    # Beyond 1e15 a float no longer holds every digit that would be printed.
    if 1000 <= abs(value) < 1e15:
        return f"{value:,.0f}"
    # Differences of equal sums are of the order of 1e-16 and would print as 1e-16.
    if abs(value) < 1e-12:
        return "0"
    return f"{value:.4g}"
