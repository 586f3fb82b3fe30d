"""``qaldgen ask``."""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qaldgen import api
from qaldgen.commands import common, groups
from qaldgen.commands.listing import listed_option, listing_command
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen import QuestionSet
    from qaldgen.api.asking import Asker
    from qaldgen.api.questions import Reading

_ONLY_WITH = {"kg": "--system", "timeout": "--url", "retries": "--url", "max_reply": "--url", "raw": "--url"}


@dataclasses.dataclass(frozen=True)
class SystemOptions:
    """The system to ask: a built-in system over a graph, or a live one with its limits."""

    system: str | None
    kg: str | None
    passages: str | None
    wiki: str | None
    any_word: bool
    url: str | None
    timeout: float
    retries: int
    max_reply: float
    raw: bool

    def files(self, questions: str) -> list[str | None]:
        """Return what is read."""
        return [questions, self.kg, self.passages]

    def check(self) -> None:
        """Reject conflicting options before anything is read."""
        if (self.system is None) == (self.url is None):
            raise UsageError("no system given; pass either --system NAME with --kg FILE, or --url URL")
        context = click.get_current_context()
        for name, owner in _ONLY_WITH.items():
            told = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
            if told and owner != ("--url" if self.system is None else "--system"):
                raise UsageError(f"--{name.replace('_', '-')} only applies with {owner}; remove it")
        if self.system in api.asking.WORDED:
            self._check_worded()
            return
        if self.passages or self.wiki or self.any_word:
            raise UsageError("--passages, --wiki and --any-word are for systems that answer in words, such as wiki-search")
        if self.system is not None and self.kg is None:
            raise UsageError("--system needs a knowledge graph; pass its file with --kg FILE")
        if not self.timeout > 0 or self.retries < 0:
            raise UsageError(
                f"--timeout must be above 0 and --retries at least 0, but they are {self.timeout:g} and {self.retries}"
            )
        if self.system is not None:
            api.asking.check_name(self.system)

    def _check_worded(self) -> None:
        """Refuse sources that a system that answers in words does not have, or lacks."""
        if self.kg is not None:
            raise UsageError(f"{self.system} answers without a knowledge graph; leave out --kg")
        searches = api.asking.WORDED[str(self.system)].searches
        if searches and (self.passages is None) == (self.wiki is None):
            raise UsageError(f"{self.system} looks either into --passages FILE or asks --wiki URL, the api.php of a wiki")
        if not searches and (self.passages or self.wiki or self.any_word):
            raise UsageError(f"{self.system} looks nothing up; leave out --passages, --wiki and --any-word")

    def open(self, lang: str) -> Asker:
        """Return the system to ask."""
        if self.system in api.asking.WORDED:
            passages = api.retrieving.read_collection(self.passages) if self.passages else None
            sources = api.asking.Sources(passages, self.wiki or "", language=lang, require_all=not self.any_word)
            return api.asking.worded_system(str(self.system), sources)
        if self.system is not None and self.kg is not None:
            return api.asking.own(self.system, self.kg)
        most = common.reply_size(self.max_reply)
        service = api.asking.Service(self.url or "", lang, self.timeout, self.retries, self.raw, max_bytes=most)
        return api.asking.live_system(service)


@dataclasses.dataclass(frozen=True)
class Journal:
    """Where and how the answers are recorded."""

    output: str
    lang: str
    no_times: bool
    force: bool


@listing_command(epilog="Example: qaldgen ask questions.json --system typed --kg graph.ttl -o typed.jsonl")
@click.argument("questions")
@groups.grouped(
    "system",
    SystemOptions,
    listed_option("--system", table="systems", metavar="NAME", help="One of our own systems."),
    click.option("--kg", metavar="FILE", help="RDF file of the knowledge graph that the built-in system uses."),
    click.option("--passages", metavar="FILE", help="A collection of passages that wiki-search looks into."),
    click.option("--wiki", metavar="URL", help="The api.php of a wiki that wiki-search asks instead."),
    click.option("--any-word", is_flag=True, help="wiki-search in --passages: one word of a query suffices (OR)."),
    click.option(
        "--url", metavar="URL", help="URL of a live system, called as GERBIL does: POST with query and lang, reply in QALD JSON."
    ),
    click.option(
        "--timeout",
        default=60.0,
        show_default=True,
        type=groups.SECONDS,
        metavar="SECONDS",
        help="Time limit for one complete reply.",
    ),
    click.option(
        "--retries",
        default=2,
        show_default=True,
        type=click.IntRange(min=0),
        metavar="N",
        help="Number of retries if the system is busy or drops the connection.",
    ),
    groups.max_reply_option(16.0, "reply"),
    click.option("--raw", is_flag=True, help="Send the question without percent-encoding, as GERBIL does."),
)
@groups.grouped(
    "journal",
    Journal,
    groups.output_option("Journal file, resumed if it exists; - is stdout (default)."),
    click.option("--lang", default="en", show_default=True, help="Language of the questions to ask."),
    click.option("--no-times", is_flag=True, help="Omit durations, so that the same run gives the same bytes."),
    click.option("--force", is_flag=True, help="Overwrite an existing journal instead of resuming it."),
)
@groups.reading_options(groups.format_option("The format of QUESTIONS, where it is not recognised."))
def command(questions: str, system: SystemOptions, journal: Journal, reading: Reading) -> None:
    """Send questions to a question answering system and record its answers in a journal.

    QUESTIONS is a question set or a benchmark in QALD JSON; a name from 'qaldgen data list' is downloaded. The system
    only gets the text of each question.

    The journal has one line per question; 'qaldgen score' reads it. Running the same command again asks the questions
    that are missing, failed or timed out. Only one run at a time can use a journal.

    Credentials for --url come from the environment variables QALDGEN_SYSTEM_USER and QALDGEN_SYSTEM_PASSWORD, or
    QALDGEN_SYSTEM_TOKEN.
    """
    system.check()
    if journal.output != "-":
        # an existing journal is resumed
        common.check_outputs([journal.output], force=True, inputs=[questions, system.kg, system.passages])
    api.checks.check_set_form(reading.format)
    api.checks.check_files(system.kg, system.passages)
    asked = api.questions.read(questions, reading, language=journal.lang)
    common.notes(api.questions.notes_on(asked))
    asker = system.open(journal.lang)
    if journal.output != "-":
        _run(asked, asker, Path(journal.output), journal, anew=journal.force)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.jsonl"
        try:
            _run(asked, asker, path, journal, anew=False)
        finally:  # print the answers so far even after an interruption
            common.write_output("-", path.read_bytes() if path.exists() else b"", force=journal.force)


def _run(asked: QuestionSet, asker: Asker, path: Path, journal: Journal, *, anew: bool) -> None:
    """Ask the questions, and print a summary."""
    times = not journal.no_times
    with common.progress_bar(f"asking {asker.name}", len(asked.questions)) as bar:
        done = api.asking.ask_into(asked, asker, path, language=journal.lang, times=times, anew=anew, progress=bar.update)
    click.echo(f"{asked.name}: {done}", err=True)
    common.notes(done.notes)
