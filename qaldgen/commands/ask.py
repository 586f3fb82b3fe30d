"""``qaldgen ask``."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qaldgen.commands import common
from qaldgen.commands.early_checks import check_files, check_set_form
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen.asking.asking import Asker
    from qaldgen.formats.reading import Reading
    from qaldgen.model import QuestionSet

_ONLY_WITH = {"kg": "--system", "timeout": "--url", "retries": "--url", "max_reply": "--url", "raw": "--url"}


@click.command(epilog="Example: qaldgen ask questions.json --system typed --kg graph.ttl -o typed.jsonl")
@click.argument("questions")
@click.option("--system", metavar="NAME", help="One of our own systems: lookup, neighbours, typed, templates.")
@click.option("--kg", metavar="FILE", help="RDF of the knowledge graph that the system answers from.")
@click.option("--url", metavar="URL", help="A live system, asked as GERBIL asks: POST with query and lang, reply in QALD JSON.")
@click.option(
    "-o", "--output", default="-", metavar="FILE", help="The journal; where it exists, it goes on. - is stdout (default)."
)
@click.option("--lang", default="en", show_default=True, help="The language whose wordings are asked.")
@common.reading_options("--format", "The form of QUESTIONS, where it is not recognised.")
@click.option(
    "--timeout", default=60.0, show_default=True, type=common.SECONDS, metavar="SECONDS", help="Longest wait for one whole reply."
)
@click.option(
    "--retries",
    default=2,
    show_default=True,
    type=click.IntRange(min=0),
    metavar="N",
    help="Further tries where the system is busy or hangs up.",
)
@common.max_reply_option(16.0, "reply")
@click.option("--raw", is_flag=True, help="Send the question without percent-encoding, as GERBIL does.")
@click.option("--no-times", is_flag=True, help="Leave out the seconds, so that the same run gives the same bytes.")
@click.option("--force", is_flag=True, help="Begin an existing journal anew.")
def command(
    questions: str, system: str | None, kg: str | None, url: str | None, output: str, lang: str, timeout: float,
    retries: int, max_reply: float, raw: bool, no_times: bool, reading: Reading, force: bool,
) -> None:  # fmt: skip
    """Ask a question answering system, and keep its answers in a journal.

    QUESTIONS is a question set or a benchmark in QALD JSON; a name of 'qaldgen data list' is fetched. The system gets the
    text of a question and nothing else.

    The journal has one line a question, and 'qaldgen score' reads it. The same command again asks what is missing, has failed or
    was not answered in time. Only one run at a time can use a journal.

    Credentials for --url are taken from QALDGEN_SYSTEM_USER and QALDGEN_SYSTEM_PASSWORD, or from QALDGEN_SYSTEM_TOKEN.
    """
    from qaldgen.asking.asking import live_system
    from qaldgen.asking.service import Service
    from qaldgen.asking.systems.table import check_name
    from qaldgen.datasets.fetching import resolve
    from qaldgen.formats.reading import read_questions, reading_notes

    _check_call(system, kg, url, timeout, retries)
    if output != "-":
        common.check_outputs([output], force=True, inputs=[questions, kg])  # an existing journal goes on
    check_set_form(reading.format)
    if system is not None:
        check_name(system)
    check_files(kg)
    asked = read_questions(resolve(questions), language=lang, **reading._asdict())
    common.notes(reading_notes(asked))
    if system is not None and kg is not None:
        asker = _own(system, kg)
    else:
        asker = live_system(Service(url or "", lang, timeout, retries, raw, max_bytes=common.reply_size(max_reply)))
    if output != "-":
        _run(asked, asker, Path(output), lang, times=not no_times, force=force)
        return
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder) / "journal.jsonl"
        try:
            _run(asked, asker, journal, lang, times=not no_times, force=False)
        finally:  # an interruption too gives what came
            common.write_output("-", journal.read_bytes() if journal.exists() else b"", force=force)


def _check_call(system: str | None, kg: str | None, url: str | None, timeout: float, retries: int) -> None:
    """Refuse options that do not go together, before anything is read."""
    if (system is None) == (url is None):
        raise UsageError("name whom to ask: either --system NAME with --kg FILE, or --url URL")
    context = click.get_current_context()
    for name, owner in _ONLY_WITH.items():
        told = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if told and owner != ("--url" if system is None else "--system"):
            raise UsageError(f"--{name.replace('_', '-')} goes with {owner} only; leave it out")
    if system is not None and kg is None:
        raise UsageError("--system answers from a knowledge graph; name its file by --kg FILE")
    if not timeout > 0 or retries < 0:
        raise UsageError(f"--timeout must be above 0 and --retries at least 0; these are {timeout:g} and {retries}")


def _own(system: str, kg: str) -> Asker:
    from qaldgen.asking.asking import own_system
    from qaldgen.stores.local import open_file

    return own_system(system, open_file(kg))


def _run(asked: QuestionSet, asker: Asker, journal: Path, lang: str, *, times: bool, force: bool) -> None:
    """Ask, and say what became of it."""
    from qaldgen.asking.asking import ask_all

    with common.progress_bar(f"asking {asker.name}", len(asked.questions)) as bar:
        done = ask_all(asked, asker, journal, language=lang, times=times, anew=force, progress=bar.update)
    click.echo(f"{asked.name}: {done}", err=True)
    common.notes(done.notes)
