"""Options that name data: a local file or an endpoint, and what is selected from it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from qaldgen.cli import groups
from qaldgen.cli.signatures import options_of
from qaldgen.errors import UsageError
from qaldgen.io.web.access import hide_credentials

if TYPE_CHECKING:
    from qaldgen import Endpoint, Vectors


def source_options(
    data: Callable[[Any], Any], endpoint: str, *, required: bool = False
) -> Callable[[Any], Any]:
    """Add the file ``data`` and ``-e``; the command gets one ``source``: a file or an endpoint.

    Without `required` the source may be None.
    """

    def add(command: Any) -> Any:  # noqa: ANN401 - what click takes
        @functools.wraps(command)
        def with_source(
            *args: Any,  # noqa: ANN401 - what click passes
            data: str | None,
            endpoint: str | None,
            timeout: float,
            max_reply: int,
            allow_service: bool,
            **rest: Any,  # noqa: ANN401 - what click passes
        ) -> Any:  # noqa: ANN401 - what click passes
            if rest.get("gold_from") is not None:
                if data is not None or endpoint is not None:
                    raise UsageError("--gold-from names the knowledge graph; give no --kg or -e")
                remote = rest["gold_from"].startswith(("http://", "https://"))
                data, endpoint = (None, rest["gold_from"]) if remote else (rest["gold_from"], None)
            given = (data is not None) + (endpoint is not None)
            if given > 1 or (required and not given):
                raise UsageError(
                    "choose one data source: either a file, or an endpoint with -e URL"
                )
            if data is not None and data.startswith(("http://", "https://")):
                raise UsageError(
                    f"{hide_credentials(data)}: is a URL; pass an endpoint "
                    "with -e, or download the file first"
                )
            if endpoint is None:
                if allow_service:
                    raise UsageError(
                        "--allow-service needs an endpoint (-e); queries on a file never call a"
                        " service"
                    )
                return command(*args, source=data, **rest)
            from qaldgen.stores.endpoint import Endpoint

            limits: dict[str, Any] = {"timeout": timeout, "allow_service": allow_service}
            return command(*args, source=Endpoint(endpoint, max_bytes=max_reply, **limits), **rest)

        for option in (
            options_of("qaldgen.stores.endpoint:Endpoint", "allow_service"),
            groups.max_reply_option(256.0, "answer of an endpoint, all pages together"),
            options_of("qaldgen.stores.endpoint:Endpoint", "timeout"),
            click.option("-e", "--endpoint", metavar="URL", help=endpoint),
            data,
        ):
            option(with_source)
        return with_source

    return add


#: Makes an edition of the gold.
gold_from_option = click.option(
    "--gold-from",
    metavar="URL",
    help="Execute all gold queries on this endpoint (or RDF file), and write an edition of the gold"
    " with date, source and hash; never over an existing file.",
)


def file_of(source: str | Endpoint | None) -> str | None:
    """Return the file of a source; None for an endpoint."""
    return source if isinstance(source, str) else None


def selection_options(command: Any) -> Any:  # noqa: ANN401 - what click takes
    """Add DATA and the options of `select`: ``source``, ``query``, ``scaling``, ``missing``."""
    selection = options_of(
        "qaldgen.selection.select:select",
        "query",
        "scaling",
        "missing",
        short={"query": "-q"},
        called={"scaling": "scale"},
    )
    return source_options(
        click.argument("data", required=False),
        "Query a SPARQL endpoint instead of DATA.",
        required=True,
    )(selection(command))


def describe_selection(vectors: Vectors) -> str:
    """Return a one-line summary of the selection, with its missing values."""
    line = f"{len(vectors):,} questions, {len(vectors.features)} features"
    alike = len(vectors) - vectors.distinct()
    if alike:
        line += f" ({alike:,} questions are like another one in all of them)"
    unbound = ", ".join(f"?{name} in {count:,}" for name, count in vectors.missing_counts.items())
    if not unbound:
        return line
    done = (
        f"{vectors.dropped:,} questions dropped"
        if vectors.missing == "drop"
        else f"filled with {vectors.missing}"
    )
    return f"{line}; without a value: {unbound} ({done})"
