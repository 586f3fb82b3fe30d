"""The command line: a table of verbs; each is imported when it is called, so that ``--help`` answers at once."""

from __future__ import annotations

import gc
import importlib
import io
import logging
import os
import signal
import sys
from types import FrameType
from typing import NoReturn

import click

from qaldgen._version import __version__
from qaldgen.errors import QaldgenError
from qaldgen.io.terminal import guard_streams, one_line

#: verb -> one line about it; the verb itself is `command` in the module of that name in qaldgen/commands.
VERBS = {
    "data": "Show and fetch public question sets by name.",
    "check": "Look for errors in question sets, features, benchmarks and runs.",
    "describe": "Say what question sets hold: lengths, variants, duplicates, PolQA's taxonomy and passages.",
    "features": "Print the catalogue of features.",
    "annotate": "Compute the features of questions and write them as RDF.",
    "select": "The table behind a sample: questions and features, as a SPARQL query selects them.",
    "sample": "Choose the N questions that represent the pool best, and write them as a benchmark.",
    "export": "Write a saved benchmark in another form: QALD JSON for GERBIL, CSV, JSON Lines.",
    "ask": "Ask a question answering system, and keep its answers in a journal.",
    "passages": "Read a collection of texts and write it as passages, for retrieval.",
    "retrieve": "Find passages for questions: a run in TREC's form.",
    "read": "Let a reader answer questions from passages.",
    "losses": "Split what retriever and reader lose together: who missed what.",
    "score": "Score the answers of systems: GERBIL's numbers offline, per question, per slice, or as an estimate.",
    "compare": "Compare systems, overall and slice by slice, and say which differences are real.",
    "slices": "Find where a system is worst, with evidence.",
    "report": "One file that shows scores, differences, slices and every question: HTML, Markdown, LaTeX, CSV, JSON.",
    "plan": "Say how many questions it takes, for a wanted error or to tell two systems apart.",
    "study": "Compare sampling methods on systems whose scores are known: which samples tell the truth.",
}


#: A verb makes millions of small objects that stay; looking for cycles among them less often saves a quarter of the time.
_GARBAGE = (200_000, 30, 30)


class _Verbs(click.Group):
    """A group that imports a verb when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(f"qaldgen.commands.{cmd_name}")
        found = module.command
        return found if isinstance(found, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))


@click.command(
    cls=_Verbs,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: qaldgen sample features.ttl -q listing-1.2 -m feasible-exmp -n 200 -o bench.ttl",
)
@click.version_option(__version__, prog_name="qaldgen")
def cli() -> None:
    """Make microbenchmarks for question answering, to see where a system is strong and where it fails."""


def main() -> None:
    """Run the command line; errors are one line on stderr, exit 1 for bad data and 2 for a wrong call."""
    gc.set_threshold(*_GARBAGE)
    guard_streams()
    _end_cleanly()
    logging.basicConfig(format="Note: %(message)s", level=logging.WARNING, stream=sys.stderr)
    try:
        cli(prog_name="qaldgen", standalone_mode=False)
    except QaldgenError as error:
        _refuse(str(error), error.exit_code)
    except click.exceptions.Exit as leave:
        sys.exit(leave.exit_code)
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        click.echo(_without_credentials(shown.getvalue()).rstrip("\n"), err=True)
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        _refuse("interrupted", 130)
    except MemoryError:
        _refuse("the memory is full; use less data at once, or a machine with more memory", 1)
    except BrokenPipeError:
        _drop_stdout()
        sys.exit(1)
    except OSError as error:
        _drop_stdout()
        where = f"{error.filename}: cannot be read or written" if error.filename else "stdout: cannot be written"
        _refuse(f"{where} ({error.strerror or error})", 1)


def _refuse(message: str, code: int) -> NoReturn:
    click.echo(f"Error: {one_line(_without_credentials(message))}", err=True)
    sys.exit(code)


def _without_credentials(message: str) -> str:
    from qaldgen.io.web.address import hide_credentials  # what it needs is not loaded where all goes well

    return hide_credentials(message)


def _drop_stdout() -> None:
    """Let what is still to be written to stdout go nowhere, so that Python does not complain again at its end."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _end_cleanly() -> None:
    """Let SIGTERM and SIGHUP end the program as an error does, so that temporary files and processes go with it."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _terminate)


def _terminate(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_DFL)  # a second one ends at once
    sys.exit(128 + number)
