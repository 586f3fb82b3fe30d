"""Options and habits that several verbs share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from qaldgen.errors import DataError, UsageError
from qaldgen.files import check_writable, unpacked_size, write_atomic
from qaldgen.web.address import hide_credentials
from qaldgen.web.one_line import printable

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.queries import Query
    from qaldgen.store import DataSource
    from qaldgen.vectors import Vectors

Command = TypeVar("Command", bound=Callable[..., Any])

_LARGEST_REPLY = 1_000_000


def max_reply_option(default: float, whose: str) -> Callable[[Command], Command]:
    """Add --max-reply."""
    told = f"The largest {whose}, in millions of bytes; more of it is not read."
    return click.option("--max-reply", default=default, show_default=True, metavar="MB", help=told)


_SELECTION = (
    click.argument("data", required=False),
    click.option("-e", "--endpoint", metavar="URL", help="A SPARQL endpoint instead of DATA."),
    click.option(
        "-q",
        "--query",
        metavar="QUERY",
        help="The selection: a file, or a ready query. Default: text for data without queries, else listing-1.2.",
    ),
    click.option(
        "--scale", default="max", show_default=True, metavar="RULE", help="Normalise by max, minmax, rank, log or zscore."
    ),
    click.option(
        "--missing",
        default="drop",
        show_default=True,
        metavar="RULE",
        help="A question with an unbound feature: drop, zero, mean.",
    ),
    click.option(
        "--timeout", default=60.0, show_default=True, metavar="SECONDS", help="Longest wait for one answer of an endpoint."
    ),
    max_reply_option(256.0, "answer of an endpoint with all its pages"),
)


def selection_options(command: Command) -> Command:
    """Add DATA, -e, -q, --scale, --missing, --timeout and --max-reply."""
    for option in reversed(_SELECTION):
        command = option(command)
    return command


def force_option(command: Command) -> Command:
    """Add --force."""
    return click.option("--force", is_flag=True, help="Overwrite files that exist.")(command)


def reply_size(megabytes: float) -> int:
    """Return in bytes what --max-reply says."""
    if not 0 < megabytes <= _LARGEST_REPLY:
        raise UsageError(f"--max-reply is {megabytes:g}; it can be above 0 and at most {_LARGEST_REPLY:,} (MB)")
    return max(1, int(megabytes * 2**20))


def open_source(data: str | None, endpoint: str | None, timeout: float, max_reply: float) -> DataSource:
    """Open DATA or the endpoint, with a bar while a large file is read."""
    if (data is None) == (endpoint is None):
        raise UsageError("name the data: either a file, or an endpoint by -e URL")
    if data is not None and data.startswith(("http://", "https://")):
        raise UsageError(f"{hide_credentials(data)}: is an address; an endpoint is named by -e, a file is fetched first")
    if endpoint is not None:
        from qaldgen.endpoint import Endpoint

        return Endpoint(endpoint, timeout=timeout, max_bytes=reply_size(max_reply))
    from qaldgen.store import open_file

    with progress_bar(f"reading {data}", length=unpacked_size(Path(str(data)))) as bar:
        return open_file(Path(str(data)), progress=bar.update)


def check_query(query: str | None, endpoint: str | None) -> Query | None:
    """Return the query that is named, None if none is; for a local file it is parsed before the data is read."""
    from qaldgen.queries import read_query
    from qaldgen.store import check_syntax

    if query is None:
        return None
    chosen = read_query(query)
    if endpoint is None:
        try:
            check_syntax(chosen.text)
        except UsageError as error:
            raise UsageError(f"{chosen.name}: {error}") from error
    return chosen


def selected(source: DataSource, query: Query | None, scale: str, missing: str) -> Vectors:
    """Select, and tell what there is to know."""
    from qaldgen.selection import select

    vectors = select(source, query, scaling=scale, missing=missing)
    notes(vectors.notes)
    return vectors


def progress_bar(label: str, length: int) -> Any:  # noqa: ANN401 - click's bar has no public type
    """Return a bar on stderr; there is none where stderr is no terminal."""
    return click.progressbar(length=max(length, 1), label=label, file=sys.stderr, hidden=not sys.stderr.isatty())


def notes(lines: Iterable[str]) -> None:
    """Tell the user something on stderr."""
    for line in lines:
        click.echo(f"Note: {safe(line)}", err=True)


def safe(message: str) -> str:
    """Return a message without passwords in URLs, and without characters that a terminal might obey."""
    return printable(hide_credentials(message))


def describe_selection(vectors: Vectors) -> str:
    """Return in one line what was selected, with the missing values named."""
    line = f"{len(vectors):,} questions, {vectors.distinct():,} different vectors of {len(vectors.features)} features"
    unbound = ", ".join(f"?{name} in {count:,}" for name, count in vectors.missing_counts.items())
    if not unbound:
        return line
    done = f"{vectors.dropped:,} questions dropped" if vectors.missing == "drop" else f"filled with {vectors.missing}"
    return f"{line}; unbound: {unbound} ({done})"


def table(frame: pd.DataFrame, formats: Mapping[str, str] | None = None) -> str:
    """Return a table as plain text."""
    formatters = {name: (lambda value, spec=spec: format(value, spec)) for name, spec in (formats or {}).items()}
    return frame.to_string(formatters=formatters, na_rep="-", float_format=_number)


def _number(value: float) -> str:
    """Return a number as people read it: no exponent where it can be done without, no rounding noise."""
    if 1000 <= abs(value) < 1e15:
        return f"{value:,.0f}"
    return "0" if abs(value) < 1e-12 else f"{value:.4g}"


def check_outputs(paths: Iterable[str], *, force: bool) -> None:
    """Refuse outputs that cannot be written before the work is done; ``-`` is stdout, once."""
    names = list(paths)
    doubled = next((name for name in names if names.count(name) > 1), None)
    if doubled is not None:
        raise UsageError(f"-o {doubled} is given twice")
    for name in names:
        if name != "-":
            check_writable(Path(name), force=force)


def write_output(path: str, data: bytes) -> None:
    """Write to a file, atomically, or to stdout for ``-``."""
    if path != "-":
        write_atomic(Path(path), data)
        click.echo(f"wrote {path}", err=True)
        return
    stream = sys.stdout.buffer
    try:
        stream.write(data)
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise DataError(f"stdout: cannot be written ({error.strerror})") from error


def read_families(said: Sequence[str], systems: Sequence[str]) -> dict[str, str]:
    """Return system -> family of ``SYSTEM=NAME``."""
    found = {}
    for text in said:
        system, equals, family = text.partition("=")
        if not equals or system not in systems:
            raise UsageError(f"--family {text}: SYSTEM=NAME is expected, with one of {', '.join(systems)}")
        found[system] = family
    return found
