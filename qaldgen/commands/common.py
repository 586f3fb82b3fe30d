"""Options and habits that several verbs share."""

from __future__ import annotations

import functools
import math
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from qaldgen.errors import DataError, UsageError
from qaldgen.formats.polish_sets import EXPECTED, QUESTIONS
from qaldgen.io.files import unpacked_size
from qaldgen.io.inputs import is_folder
from qaldgen.io.outputs import check_writable, same_file, write_all
from qaldgen.io.terminal import one_line, plain_stderr, visible
from qaldgen.io.web.address import hide_credentials

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.selection.vectors import Vectors
    from qaldgen.sparql.queries import Query
    from qaldgen.stores.local import DataSource

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
#: Seconds that a step may take before `clock` shows itself.
_PATIENCE = 2.0


def max_reply_option(default: float, whose: str) -> Callable[[Command], Command]:
    """Add --max-reply."""
    megabytes = FiniteRange(0, _LARGEST_REPLY, min_open=True)
    told = f"The largest {whose}, in millions of bytes; more of it is not read."
    return click.option("--max-reply", default=default, show_default=True, type=megabytes, metavar="MB", help=told)


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
        "--timeout", default=60.0, show_default=True, type=SECONDS, metavar="SECONDS",
        help="Longest wait for one answer of an endpoint.",
    ),
    max_reply_option(256.0, "answer of an endpoint with all its pages"),
)  # fmt: skip
_ALLOW_SERVICE = click.option(
    "--allow-service", is_flag=True, help="Let queries make the endpoint call other endpoints (SERVICE); refused without it."
)


def selection_options(command: Command) -> Command:
    """Add DATA, -e, -q, --scale, --missing, --timeout, --max-reply and --allow-service."""
    for option in reversed((*_SELECTION, _ALLOW_SERVICE)):
        command = option(command)
    return command


def reading_options(option: str, help_: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add what says how a question set is read: the option with its form, --skip-broken and --split-answers.

    The command gets them as one `Reading`, called ``reading``.
    """

    def add(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def with_reading(*args: Any, form_of_set: str | None, skip_broken: bool, split_answers: str, **rest: Any) -> None:  # noqa: ANN401
            from qaldgen.formats.reading import Reading

            command(*args, reading=Reading(form_of_set, skip_broken, separator(split_answers)), **rest)

        for added in reversed((
            click.option(option, "form_of_set", metavar="NAME", help=help_),
            click.option("--skip-broken", is_flag=True, help="Leave out broken records, by name, instead of refusing the file."),
            click.option(
                "--split-answers", default="", metavar="SEP",
                help="What separates several gold answers in one cell, beside | (tables and JSON records), such as ';'.",
            ),
        )):  # fmt: skip
            added(with_reading)
        return with_reading

    return add


def separator(text: str) -> str:
    """Return a separator as it is meant: shells have no easy way to write a line break or a tab."""
    return text.replace("\\n", "\n").replace("\\t", "\t")


def force_option(command: Command) -> Command:
    """Add --force."""
    return click.option("--force", is_flag=True, help="Overwrite files that exist.")(command)


def reply_size(megabytes: float) -> int:
    """Return in bytes what --max-reply says."""
    return max(1, int(megabytes * 2**20))


def service_option(command: Command) -> Command:
    """Add --allow-service."""
    return _ALLOW_SERVICE(command)


def open_source(
    data: str | None, endpoint: str | None, timeout: float, max_reply: float, *, allow_service: bool = False
) -> DataSource:
    """Open DATA or the endpoint, with a bar while a large file is read."""
    if (data is None) == (endpoint is None):
        raise UsageError("name the data: either a file, or an endpoint by -e URL")
    if data is not None and data.startswith(("http://", "https://")):
        raise UsageError(f"{hide_credentials(data)}: is an address; an endpoint is named by -e, a file is fetched first")
    if endpoint is not None:
        from qaldgen.stores.endpoint import Endpoint

        return Endpoint(endpoint, timeout=timeout, max_bytes=reply_size(max_reply), allow_service=allow_service)
    if allow_service:
        raise UsageError("--allow-service is about an endpoint (-e); nothing is called for a file")
    from qaldgen.stores.local import open_file

    with progress_bar(f"reading {data}", length=unpacked_size(Path(str(data)))) as bar:
        return open_file(Path(str(data)), progress=bar.update)


def check_query(query: str | None, endpoint: str | None) -> Query | None:
    """Return the query that is named, None if none is; for a local file it is parsed before the data is read."""
    from qaldgen.sparql.queries import read_query
    from qaldgen.stores.engine import check_syntax

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
    from qaldgen.selection.select import select

    with clock("selecting"):
        vectors = select(source, query, scaling=scale, missing=missing)
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
    """Refuse, before the work is done, outputs that cannot be written, and those that are an input; ``-`` is stdout, once."""
    names = list(paths)
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
        path = Path(name)
        if path.name == QUESTIONS or is_folder(path):
            folder = path if is_folder(path) else path.parent
            yield from (folder / QUESTIONS, folder / EXPECTED)


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
