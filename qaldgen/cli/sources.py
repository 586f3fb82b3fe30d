"""Options that name data: a local file or an endpoint, and what is selected from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import Call, Command, section
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen import Endpoint

_CHOOSE = "choose one data source: either a file, or an endpoint with -e URL"
data_argument = click.argument("data", required=False)
#: Makes an edition of the gold.
gold_from_option = click.option(
    "--gold-from",
    metavar="URL",
    help="Execute all gold queries on this endpoint (or RDF file), and write an edition of the gold"
    " with date, source and hash; never over an existing file.",
)


def source_options(data: Callable[[Any], Any], endpoint: str) -> Callable[[Command], Command]:
    """Add a file and ``-e``, for `source_of`."""
    return section(
        "",
        data,
        click.option("-e", "--endpoint", metavar="URL", help=endpoint),
        options_of("Endpoint", "timeout", "max_bytes", "allow_service"),
    )


def required_source(call: Call) -> str | Endpoint:
    """Return DATA of a call: a file or an endpoint."""
    source = source_of(call, call.data)
    if source is None:
        raise UsageError(_CHOOSE)
    return source


def source_of(call: Call, data: str | None) -> str | Endpoint | None:
    """Return the data of a call: a file or an endpoint, if any."""
    endpoint = call.endpoint
    if getattr(call, "gold_from", None) is not None:
        if data is not None or endpoint is not None:
            raise UsageError("--gold-from names the knowledge graph; give no --kg or -e")
        remote = call.gold_from.startswith(("http://", "https://"))
        data, endpoint = (None, call.gold_from) if remote else (call.gold_from, None)
    if data is not None and endpoint is not None:
        raise UsageError(_CHOOSE)
    if data is not None and data.startswith(("http://", "https://")):
        from qaldgen.io.web.access import hide_credentials  # imports urllib.request

        raise UsageError(
            f"{hide_credentials(data)}: is a URL; pass an endpoint "
            "with -e, or download the file first"
        )
    if endpoint is not None:
        remote_data: Endpoint = call.run("Endpoint", endpoint)
        return remote_data
    if call.allow_service:
        raise UsageError(
            "--allow-service needs an endpoint (-e); queries on a file never call a service"
        )
    return data


def file_of(source: str | Endpoint | None) -> str | None:
    """Return the file of a source; None for an endpoint."""
    return source if isinstance(source, str) else None


#: DATA, and the options of `select`.
selection_options = section(
    "",
    source_options(data_argument, "Query a SPARQL endpoint instead of DATA."),
    options_of("select", "query", "scaling", "missing"),
)
