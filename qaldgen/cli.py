"""The command line: a table of verbs; each is imported when it is called, so that ``--help`` answers at once."""

from __future__ import annotations

import gc
import importlib
import io
import logging
import os
import sys
from typing import NoReturn

import click

from qaldgen._version import __version__
from qaldgen.errors import QaldgenError

#: verb -> one line about it; the verb itself is `command` in the module of that name in qaldgen/commands.
VERBS = {
    "data": "Show and fetch public question sets by name.",
    "check": "Look for errors in question sets, features, benchmarks and runs.",
    "features": "Print the catalogue of features.",
    "annotate": "Compute the features of questions and write them as RDF.",
    "select": "The table behind a sample: questions and features, as a SPARQL query selects them.",
    "sample": "Choose the N questions that represent the pool best, and write them as a benchmark.",
    "export": "Write a saved benchmark in another form: QALD JSON for GERBIL, CSV, JSON Lines.",
    "ask": "Ask a question answering system, and keep its answers in a journal.",
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
    logging.basicConfig(format="Note: %(message)s", level=logging.WARNING, stream=sys.stderr)
    try:
        cli(prog_name="qaldgen", standalone_mode=False)
    except QaldgenError as error:
        _fail(str(error), error.exit_code)
    except click.exceptions.Exit as leave:
        sys.exit(leave.exit_code)
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        click.echo("\n".join(map(_safe, shown.getvalue().splitlines())), err=True)
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        _fail("interrupted", 130)
    except MemoryError:
        _fail("the memory is full; use less data at once, or a machine with more memory", 1)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _fail(f"{error.filename or 'stdout'}: cannot be written ({error.strerror or error})", 1)


def _fail(message: str, code: int) -> NoReturn:
    click.echo(f"Error: {_safe(message)}", err=True)
    sys.exit(code)


def _safe(message: str) -> str:
    from qaldgen.commands.common import safe  # what it needs is not loaded where all goes well

    return safe(message)
