"""Habits that several verbs share: opening, telling, showing that it goes on, and writing."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qaldgen import api
from qaldgen.errors import DataError, UsageError
from qaldgen.io.files import unpacked_size
from qaldgen.io.outputs import check_writable, same_file, write_all
from qaldgen.io.terminal import one_line, plain_stderr, visible
from qaldgen.io.web.address import hide_credentials

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen import Vectors
    from qaldgen.api.selecting import DataSource, Query
    from qaldgen.commands import groups

#: Seconds that a step may take before `clock` shows itself.
_PATIENCE = 2.0


def reply_size(megabytes: float) -> int:
    """Return in bytes what --max-reply says."""
    return max(1, int(megabytes * 2**20))


def open_source(source: groups.SourceOptions) -> DataSource:
    """Open DATA or the endpoint, with a bar while a large file is read."""
    data, endpoint = source.data, source.endpoint
    if (data is None) == (endpoint is None):
        raise UsageError("name the data: either a file, or an endpoint by -e URL")
    if data is not None and data.startswith(("http://", "https://")):
        raise UsageError(f"{hide_credentials(data)}: is an address; an endpoint is named by -e, a file is fetched first")
    if endpoint is not None:
        most = reply_size(source.max_reply)
        return api.selecting.Endpoint(endpoint, timeout=source.timeout, max_bytes=most, allow_service=source.allow_service)
    if source.allow_service:
        raise UsageError("--allow-service is about an endpoint (-e); nothing is called for a file")
    with progress_bar(f"reading {data}", length=unpacked_size(Path(str(data)))) as bar:
        return api.selecting.open_file(Path(str(data)), progress=bar.update)


def check_query(query: str | None, source: groups.SourceOptions) -> Query | None:
    """Return the query that is named, None if none is; for a local file it is parsed before the data is read."""
    return None if query is None else api.selecting.parsed_query(query, local=source.endpoint is None)


def selected(source: DataSource, query: Query | None, selection: groups.SelectionOptions) -> Vectors:
    """Select, and tell what there is to know."""
    with clock("selecting"):
        vectors = api.selecting.select(source, query, scaling=selection.scale, missing=selection.missing)
    notes(vectors.notes)
    return vectors


def progress_bar(label: str, length: int) -> Any:  # noqa: ANN401 - click's bar has no public type
    """Return a bar on stderr; there is none where stderr is no terminal."""
    stream = plain_stderr()
    hidden = stream is None or not stream.isatty()
    return click.progressbar(length=max(length, 1), label=one_line(label), file=stream, hidden=hidden)


@contextmanager
def clock(label: str) -> Iterator[None]:
    """Show how long a step has taken, once it has taken 2 seconds, where nobody knows how long it will take."""
    stream = plain_stderr()
    if stream is None or not stream.isatty():
        yield
        return
    done, start = threading.Event(), time.monotonic()

    def show() -> None:
        while not done.wait(1.0):
            seconds = time.monotonic() - start
            if seconds >= _PATIENCE:
                stream.write(f"\r{one_line(label)}  {seconds:.0f} s")
                stream.flush()

    shower = threading.Thread(target=show, daemon=True)
    shower.start()
    try:
        yield
    finally:
        done.set()
        shower.join()
        if time.monotonic() - start >= _PATIENCE:
            stream.write("\n")


def notes(lines: Iterable[str]) -> None:
    """Tell the user something on stderr."""
    for line in lines:
        click.echo(f"Note: {one_line(hide_credentials(line))}", err=True)


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


def check_outputs(paths: Iterable[str], *, force: bool, inputs: Iterable[str | None] = ()) -> None:
    """Refuse, before the work is done, outputs that cannot be written or are an input, and stdin for two inputs."""
    names, inputs = list(paths), list(inputs)
    api.checks.check_streams(*inputs)
    for at, name in enumerate(names):
        if any(same_file(name, other) for other in names[:at]):
            raise UsageError(f"-o {name} is given twice")
    files = [name for name in names if name != "-"]
    for read in _files_of(inputs):
        written = next((name for name in files if same_file(name, read)), None)
        if written is not None:
            also = "" if written == str(read) else f", the same as {read}"
            raise UsageError(f"{written}: is read by this command{also}; name another file to write")
    for name in files:
        check_writable(Path(name), force=force)


def _files_of(inputs: Iterable[str | None]) -> Iterator[str | Path]:
    """Yield the files that are read; for PolEval, which has two, both."""
    for name in filter(None, inputs):
        yield name
        yield from api.checks.files_beside(Path(name))


def write_output(path: str, data: bytes | str, *, force: bool) -> None:
    """Write to a file, atomically, or to stdout for ``-``."""
    write_outputs([(path, data)], force=force)


def write_outputs(outputs: Sequence[tuple[str, bytes | str]], *, force: bool) -> None:
    """Write to several files, all or none, and to stdout for ``-``; text becomes UTF-8, half a surrogate pair its escape."""
    encoded = [(path, data.encode("utf-8", "backslashreplace") if isinstance(data, str) else data) for path, data in outputs]
    files = [(Path(path), data) for path, data in encoded if path != "-"]
    write_all(files, force=force)
    for file, _ in files:
        click.echo(f"wrote {one_line(str(file))}", err=True)
    for path, content in encoded:
        if path == "-":
            _print(content)


def _print(data: bytes) -> None:
    """Write to stdout: as it is into a file or pipe, made visible on a terminal."""
    if sys.stdout is None:
        raise DataError("stdout: is closed; name a file by -o")
    if sys.stdout.isatty():
        data = visible(data.decode("utf-8", "backslashreplace")).encode("utf-8", "backslashreplace")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
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
