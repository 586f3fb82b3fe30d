"""The command line: a table of commands, imported on use to keep ``--help`` fast."""

from __future__ import annotations

import atexit
import gc
import io
import logging
import os
import signal
import sys
import warnings
from importlib.metadata import EntryPoint
from itertools import chain
from types import FrameType
from typing import Any, NoReturn

import click

from qaldgen import __version__
from qaldgen.cli.parameters import summary
from qaldgen.cli.progress_bar import display
from qaldgen.errors import QaldgenError, UsageError
from qaldgen.io.extensions import Table
from qaldgen.io.progress import showing
from qaldgen.io.terminal import escape_line, guard_streams

#: The core's verbs by heading of the help, in the order of the work; each is ``command`` in the
#: module of the same name in qaldgen/cli.
GROUPS = {
    "Make a benchmark": ("annotate", "select", "sample", "cluster", "export"),
    "Run systems": ("ask",),
    "See what they can do": ("score", "compare", "slices", "report", "plan"),
    "Question sets": ("data", "describe", "list"),
}
#: Every verb by name. Other packages can add some by the entry point group qaldgen.verbs.
VERBS: Table[click.Command] = Table(
    "verbs",
    click.Command,
    {
        name: EntryPoint(name, f"qaldgen.cli.{name.replace('-', '_')}:command", "qaldgen.verbs")
        for name in chain.from_iterable(GROUPS.values())
    },
)


#: Commands create millions of small long-lived objects; collecting cycles less often saves a
#: quarter of the time.
_GC_THRESHOLDS = (200_000, 30, 30)


#: Python's format of warnings, which `main` keeps for those of libraries.
_DEFAULT_FORMAT_WARNING = warnings.formatwarning


class _NoteFormatter(logging.Formatter):
    """Formats each record as one line, as some libraries log a traceback for each try."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the message with the exception, if one was raised."""
        message = record.getMessage()
        if record.exc_info and record.exc_info[1]:
            message += f" ({type(record.exc_info[1]).__name__}: {record.exc_info[1]})"
        message = " ".join(message.split())
        return f"Note: {escape_line(_hide_credentials(message))}"


class _Verbs(click.Group):
    """A group that imports each command on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table, which is the order of the work."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command and return the command."""
        return VERBS.get(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for an unknown one, suggest the nearest name."""
        if args and args[0] == "help":
            raise UsageError(f"write: {' '.join(['qaldgen', *args[1:2], '--help'])}")
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            # imported only when there is an error
            from qaldgen.io.arguments import did_you_mean

            hint = did_you_mean(args[0], VERBS).strip() or "'qaldgen --help' lists them"
            raise click.UsageError(f"there is no command {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - what click returns
        """Call the command; if it exits early, exit with its status, which click would drop."""
        try:
            return super().invoke(ctx)
        except click.exceptions.Exit as early_exit:
            sys.exit(early_exit.exit_code)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands by heading, without importing any."""
        core_names = set(chain.from_iterable(GROUPS.values()))
        plugin_names = tuple(name for name in VERBS if name not in core_names)
        for heading, names in {**GROUPS, "More": plugin_names}.items():
            rows = []
            for name in names:
                point = VERBS.point(name)
                if point is None:
                    rows.append((name, VERBS[name].get_short_help_str(200)))
                else:
                    rows.append((name, summary(point.value)))
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)


@click.command(
    cls=_Verbs,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=(
        "Example: qaldgen sample features.ttl -q listing-1.2 -m feasible-exmp -n 200 -o bench.ttl"
    ),
)
@click.version_option(__version__, prog_name="qaldgen")
def cli() -> None:
    """Make microbenchmarks for question answering; find out where systems fail."""


def main() -> None:
    """Run the command line.

    Errors are one line on stderr; the exit status is 1 for bad data and 2 for a wrong call.
    """
    gc.set_threshold(*_GC_THRESHOLDS)
    # Python would look for garbage in all that was imported once more before it ends.
    atexit.register(gc.freeze)

    # Before anything is printed: names from data may contain characters that a terminal obeys, or
    # that it cannot encode.
    guard_streams()

    # Make SIGTERM and SIGHUP exit like an error, so that files and processes are cleaned up.
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _terminate)

    notes = logging.StreamHandler(sys.stderr)
    notes.setFormatter(_NoteFormatter())
    logging.basicConfig(level=logging.WARNING, handlers=[notes])
    warnings.formatwarning = _format_note

    try:
        with showing(display):
            cli(prog_name="qaldgen", standalone_mode=False)
    except QaldgenError as error:
        _exit_with_error(str(error), error.exit_code)
    except click.ClickException as error:
        # click writes its own errors; a URL with a password in an argument must not be repeated in
        # them.
        text = io.StringIO()
        error.show(text)
        click.echo(_hide_credentials(text.getvalue()).rstrip("\n"), err=True)
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        # 130 is 128 + SIGINT, as in shells.
        _exit_with_error("interrupted", 130)
    except MemoryError:
        _exit_with_error("out of memory; use less data at once, or a machine with more memory", 1)
    # As in `qaldgen score ... | head`: the reader has seen enough, which needs no message.
    except BrokenPipeError:
        _discard_stdout()
        sys.exit(1)
    except OSError as error:
        _discard_stdout()
        problem = "stdout: cannot be written"
        if error.filename:
            problem = f"{error.filename}: cannot be read or written"
        reason = error.strerror or error
        _exit_with_error(f"{problem} ({reason})", 1)
    except Exception as error:
        from qaldgen.io.extensions import other_package  # only where something failed

        package = other_package(error)
        if package is not None:  # Python shows the traceback below
            click.echo(
                f"Error: {package}, an extension of qaldgen, failed; please report the lines below"
                " to its authors",
                err=True,
            )
        raise


def _format_note(message: Warning | str, category: type[Warning], *args: Any, **kwargs: Any) -> str:  # noqa: ANN401 - Python's
    """Return a warning about extensions as a note, and any other warning as Python shows it."""
    from qaldgen.io.extensions import ExtensionWarning  # imported only when there is a warning

    if issubclass(category, ExtensionWarning):
        return f"Note: {escape_line(_hide_credentials(str(message)))}\n"
    return _DEFAULT_FORMAT_WARNING(message, category, *args, **kwargs)


def _exit_with_error(message: str, code: int) -> NoReturn:
    click.echo(f"Error: {escape_line(_hide_credentials(message))}", err=True)
    sys.exit(code)


def _hide_credentials(message: str) -> str:
    from qaldgen.io.web.access import hide_credentials  # imported only when there is an error

    return hide_credentials(message)


def _discard_stdout() -> None:
    """Redirect pending stdout to the null device, so that Python does not fail again at exit."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _terminate(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_DFL)  # a second signal ends the process immediately
    sys.exit(128 + number)
