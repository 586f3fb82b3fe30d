"""Options of several verbs: the source of data, a file or an endpoint, and the output."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from qaldgen.cli.row_options import listed_option
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import Call, Command, section
from qaldgen.defaults import LAYOUT
from qaldgen.errors import UsageError
from qaldgen.io.inputs import is_web_address
from qaldgen.options import OutputPath, Url

if TYPE_CHECKING:
    from qaldgen import Endpoint, QuestionSet
    from qaldgen.stores.local import DataSource

_CHOOSE = "choose one data source: either a file, or an endpoint with -e URL"
data_argument = click.argument("data", required=False)


class SharedOptions:
    """Where data comes from, and where results go.

    Attributes
    ----------
    endpoint
        SPARQL endpoint to query instead of a file.
    gold_from
        Execute all gold queries on this endpoint (or RDF file), and write an edition of the gold
        with date, source and hash; never over an existing file.
    output
        Output file; - is stdout.
    force
        Overwrite existing files.
    verbose
        Also show the diagnostics: what was tried and how it was tested.
    style
        Width of the picture: screen, or for a paper one-column (3.3 inches) or two-column (7), in
        8-point type.
    """

    endpoint: Url | None = None
    gold_from: Url | None = None
    output: OutputPath = "-"
    force: bool = False
    verbose: bool = False
    style: str = LAYOUT


#: A decorator that adds some of these options.
shared = functools.partial(options_of, SharedOptions)


def format_option(extra_table: str = "") -> Callable[[Any], Any]:
    """Return the option --format for tables; `extra_table` is a table with further formats."""

    def check(_: click.Context, __: click.Parameter, value: str) -> str:
        from qaldgen.cli.listed_tables import table_lines
        from qaldgen.io.arguments import check_choice
        from qaldgen.reports.tables.results import TABLE_FORMS

        # a table with further formats has those of tables, too
        check_choice("--format", value, table_lines(extra_table) if extra_table else TABLE_FORMS)
        return value

    option = click.option
    help_text = "Output format: text, markdown, latex, csv or json."
    if extra_table:
        option = functools.partial(listed_option, table=extra_table)
        help_text = "Output format: text, markdown, latex, csv or json, and more."
    return option("--format", default="text", show_default=True, callback=check, help=help_text)


def table_options(extra_table: str = "") -> Callable[[Command], Command]:
    """Add --format, -o and --force, for `Call.write`."""
    return section("Output", format_option(extra_table), shared("output", "force"))


def source_options(data: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Add a file and ``-e``, for `source_of`."""
    return section(
        "",
        data,
        shared("endpoint", called={"endpoint": "e/endpoint"}),
        options_of("Endpoint", "timeout", "max_bytes", "allow_service"),
    )


def required_source(call: Call) -> str | Endpoint:
    """Return DATA of a call: a file or an endpoint."""
    return require_source(source_of(call, call.data))


def require_source(source: str | Endpoint | None) -> str | Endpoint:
    """Return the source of a call; refuse a call without one."""
    if source is None:
        raise UsageError(_CHOOSE)
    return source


def source_of(call: Call, data: str | None) -> str | Endpoint | None:
    """Return the data of a call: a file or an endpoint, if any."""
    endpoint = call.endpoint
    if getattr(call, "gold_from", None) is not None:
        if data is not None or endpoint is not None:
            raise UsageError("--gold-from names the knowledge graph; give no --kg or -e")
        if is_web_address(call.gold_from):
            endpoint = call.gold_from
        else:
            data = call.gold_from
    if data is not None and endpoint is not None:
        raise UsageError(_CHOOSE)
    if data is not None and is_web_address(data):
        from qaldgen.io.web.access import hide_credentials  # imports urllib.request

        raise UsageError(
            "is a URL; pass an endpoint with -e, or download the file first",
            where=hide_credentials(data),
        )
    if endpoint is not None:
        from qaldgen.stores.endpoint import Endpoint

        return Endpoint(endpoint, **call.of("Endpoint"))
    if call.allow_service:
        raise UsageError(
            "--allow-service needs an endpoint (-e); queries on a file never call a service"
        )
    return data


def file_of(source: str | Endpoint | None) -> str | None:
    """Return the source if it is a file; None for an endpoint."""
    return source if isinstance(source, str) else None


#: The options of `reading_options` except the format.
READING_OPTIONS = "skip_broken split_answers gold_field answers prefixes text_property"


def reading_options(format_option: str) -> Callable[[Command], Command]:
    """Add the options for reading a question set; that of the format is called `format_option`."""
    options = options_of(
        "load", "format", *READING_OPTIONS.split(), called={"format": format_option}
    )
    return section("Reading the questions", options)


def as_data(
    call: Call, source: str | Endpoint, **extra_options: str
) -> str | Endpoint | DataSource | QuestionSet:
    """Return the source of a call; if an option for reading is given, read it as a question set.

    RDF stays RDF if the only option is the property of its texts.
    """
    from qaldgen.questions.loading import load
    from qaldgen.selection.select import open_data

    options = {name for name, value in call.of("load").items() if value} | extra_options.keys()
    if not options:
        return source
    if options == {"text_property"} and isinstance(source, str):
        return open_data(source, text_property=call.text_property)
    if not isinstance(source, str):
        raise UsageError("options for reading a question set have no effect on an endpoint")
    return load(source, **(call.of("load") | extra_options))


#: DATA, and the options of `select`.
selection_options = section(
    "",
    source_options(data_argument),
    options_of("select", "query", "where", "scaling", "missing"),
    reading_options("set_format"),
)
