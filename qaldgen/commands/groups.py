"""Groups of options that several verbs share: each reaches a command as one record."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from typing import Any, TypeVar, cast

import click

from qaldgen.commands.listing import listed_option

Command = TypeVar("Command", bound=Callable[..., Any])


class FiniteRange(click.FloatRange):
    """A number within a range; neither NaN, which is in every range for click, nor infinity."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401
        """Return the number."""
        found = float(super().convert(value, param, ctx))
        if not math.isfinite(found):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return found


#: A share, both ends excluded: a level, a chance. What is waited for. What random choices start from.
SHARE = FiniteRange(0, 1, min_open=True, max_open=True)
SECONDS = FiniteRange(0, min_open=True)
SEED = click.IntRange(min=0)

_LARGEST_REPLY = 1_000_000


def max_reply_option(default: float, whose: str) -> Callable[[Command], Command]:
    """Add --max-reply."""
    megabytes = FiniteRange(0, _LARGEST_REPLY, min_open=True)
    told = f"The largest {whose}, in millions of bytes; more of it is not read."
    return click.option("--max-reply", default=default, show_default=True, type=megabytes, metavar="MB", help=told)


def grouped(name: str, kind: type[Any], *options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Add options that travel together: the command gets them as one record, under this name.

    Parameters
    ----------
    name
        The argument of the command.
    kind
        The record; its fields are called as the options are. A field that no option sets keeps its default.
    *options
        What click adds, from top to bottom.
    """

    def add(command: Command) -> Command:
        @functools.wraps(command)
        def with_record(*args: Any, **values: Any) -> Any:  # noqa: ANN401 - what click passes
            own = {field.name: values.pop(field.name) for field in dataclasses.fields(kind) if field.name in values}
            return command(*args, **{name: kind(**own)}, **values)

        for option in reversed(options):
            option(with_record)
        return cast("Command", with_record)

    return add


@dataclasses.dataclass(frozen=True)
class SourceOptions:
    """Where data is asked for: a local file, or an endpoint and how long and how much it may answer."""

    data: str | None = None
    endpoint: str | None = None
    timeout: float = 60.0
    max_reply: float = 256.0
    allow_service: bool = False


@dataclasses.dataclass(frozen=True)
class SelectionOptions:
    """How questions and features are selected."""

    query: str | None
    scale: str
    missing: str


@dataclasses.dataclass(frozen=True)
class Output:
    """Where a table goes, and how it looks."""

    output: str = "-"
    form: str = "text"
    force: bool = False


@dataclasses.dataclass(frozen=True)
class _ReadingOptions:
    """How a question set is read, as the command line says it."""

    form_of_set: str | None
    skip_broken: bool
    split_answers: str


_ALLOW_SERVICE = click.option(
    "--allow-service", is_flag=True, help="Let queries make the endpoint call other endpoints (SERVICE); refused without it."
)


def _timeout(whose: str) -> Callable[[Command], Command]:
    return click.option(
        "--timeout",
        default=60.0,
        show_default=True,
        type=SECONDS,
        metavar="SECONDS",
        help=f"Longest wait for one answer of {whose}.",
    )


def source_options(data: Callable[[Any], Any], endpoint: str, *, whose: str = "an endpoint") -> Callable[[Command], Command]:
    """Add what names a knowledge graph: a file or an endpoint; the command gets one `SourceOptions`, called ``source``.

    Parameters
    ----------
    data
        The option or argument with the file; its field is ``data``.
    endpoint
        The help of ``-e``.
    whose
        How the help calls the endpoint.
    """
    return grouped(
        "source",
        SourceOptions,
        data,
        click.option("-e", "--endpoint", metavar="URL", help=endpoint),
        _timeout(whose),
        max_reply_option(256.0, f"answer of {whose} with all its pages"),
        _ALLOW_SERVICE,
    )


def selection_options(command: Command) -> Command:
    """Add DATA and what selects from it; the command gets ``source`` and ``selection``."""
    selection = grouped(
        "selection",
        SelectionOptions,
        click.option(
            "-q",
            "--query",
            metavar="QUERY",
            help="The selection: a file, or a ready query. Default: text for data without queries, else listing-1.2.",
        ),
        listed_option(
            "--scale", table="scalings", default="max", show_default=True, metavar="RULE", help="How features are normalised."
        ),
        listed_option(
            "--missing",
            table="missing-features",
            default="drop",
            show_default=True,
            metavar="RULE",
            help="What to do with a question where a feature is unbound.",
        ),
    )
    return selection(source_options(click.argument("data", required=False), "A SPARQL endpoint instead of DATA.")(command))


def reading_options(name: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Add what says how a question set is read: the option with its form, --skip-broken and --split-answers.

    The command gets them as one `Reading`, called ``reading``.

    Parameters
    ----------
    name
        The option with the form; its field is ``form_of_set``.
    """

    def add(command: Command) -> Command:
        @functools.wraps(command)
        def with_reading(*args: Any, reading: _ReadingOptions, **rest: Any) -> Any:  # noqa: ANN401 - what click passes
            from qaldgen.api.questions import Reading

            said = Reading(reading.form_of_set, reading.skip_broken, separator(reading.split_answers))
            return command(*args, reading=said, **rest)

        return grouped(
            "reading",
            _ReadingOptions,
            name,
            click.option("--skip-broken", is_flag=True, help="Leave out broken records, by name, instead of refusing the file."),
            click.option(
                "--split-answers",
                default="",
                metavar="SEP",
                help="What separates several gold answers in one cell, beside | (tables and JSON records), such as ';'.",
            ),
        )(cast("Command", with_reading))

    return add


def format_option(help_: str) -> Callable[[Any], Any]:
    """Return --format of question sets."""
    return listed_option("--format", "form_of_set", table="formats", metavar="NAME", help=help_)


def output_option(help_: str = "Where to write the table; - is stdout (default).") -> Callable[[Any], Any]:
    """Return -o of one file."""
    return click.option("-o", "--output", default="-", metavar="FILE", help=help_)


def table_options(*, output: str = "Where to write the table; - is stdout (default).") -> Callable[[Command], Command]:
    """Add --format, -o and --force; the command gets one `Output`, called ``out``."""
    return grouped("out", Output, form_option(), output_option(output), force_option)


def form_option() -> Callable[[Any], Any]:
    """Return --format of tables."""
    return click.option("--format", "form", default="text", show_default=True, help="text, markdown, latex, csv or json.")


def separator(text: str) -> str:
    """Return a separator as it is meant: shells have no easy way to write a line break or a tab."""
    return text.replace("\\n", "\n").replace("\\t", "\t")


def force_option(command: Command) -> Command:
    """Add --force."""
    return click.option("--force", is_flag=True, help="Overwrite files that exist.")(command)
