"""``qaldgen ask``."""

from __future__ import annotations

import dataclasses
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qaldgen import api
from qaldgen.commands import common, groups, output_files, systems
from qaldgen.commands.gate import EXITS
from qaldgen.commands.stopping_options import StoppingOptions, stopping_options
from qaldgen.commands.verb import given_options
from qaldgen.commands.watching import Watcher
from qaldgen.errors import DataError, UsageError

if TYPE_CHECKING:
    from qaldgen import QuestionSet
    from qaldgen.analysis.sequential.stop_rule import StopRule
    from qaldgen.api.asking import Asker, Chosen, Pacing
    from qaldgen.api.questions import Reading


#: Where answers for stdout are collected.
_KEPT = "journal.jsonl"
#: The table whose rows bring options for prompts.
CONTEXTS = "qaldgen.asking.sources:CONTEXTS"


@dataclasses.dataclass(frozen=True)
class PaceOptions:
    """How many are asked, how fast, and when it is enough."""

    jobs: int
    rate: float | None
    max_failures: int
    limit: int | None
    budget: float | None
    context: str | None

    def source(self) -> Chosen | None:
        """Return where texts for prompts come from, if options of a source say so."""
        chosen = api.asking.chosen_source(api.asking.CONTEXTS, given_options(CONTEXTS))
        if chosen is not None and self.context is not None:
            raise UsageError(
                f"two texts for prompts given; pass either --context or {chosen.source.where}"
            )
        return chosen

    def pacing(self, texts: Mapping[str, str], *, times: bool, stop: StopRule | None) -> Pacing:
        """Return the same settings for the Python interface.

        Parameters
        ----------
        texts
            The text that belongs to each question in prompts.
        times
            Record how long each answer took; without times, the same run gives the same bytes.
        stop
            When to stop before all questions are asked; None for never.
        """
        return api.asking.Pacing(
            self.jobs, self.rate, self.max_failures, self.limit, self.budget, stop, texts, times
        )


@dataclasses.dataclass(frozen=True)
class Journal:
    """Where the answers are kept, and how."""

    output: str
    lang: str
    no_times: bool
    force: bool


@systems.system_command(
    usual=(
        "system",
        "url",
        "kg",
        "endpoint",
        "timeout",
        "model",
        "prompt",
        "option",
        "jobs",
        "limit",
        "budget",
        "until",
        "output",
        "lang",
        "force",
        "form_of_set",
    ),
    rows={**systems.ROWS, "context": CONTEXTS},
    epilog="Example: qaldgen ask questions.json --system typed --kg graph.ttl -o typed.jsonl",
)
@click.argument("questions")
@systems.system_options
@groups.grouped(
    "pace",
    PaceOptions,
    click.option(
        "--jobs", default=1, show_default=True, type=click.IntRange(min=1, max=1_000), metavar="N",
        help="Number of parallel requests.",
    ),
    click.option("--rate", type=groups.SECONDS, metavar="N", help="At most N requests a second."),
    click.option(
        "--max-failures", default=10, show_default=True, type=click.IntRange(min=0), metavar="N",
        help="Abort after N consecutive failures; 0 disables this.",
    ),
    click.option("--limit", type=click.IntRange(min=1), metavar="N",
        help="Ask only the first N questions."),
    click.option("--budget", type=groups.SECONDS, metavar="COST",
        help="Stop before the journal costs more; needs prices."),
    click.option("--context", metavar="FILE",
        help="Retrieved text for prompts: a JSON object that maps ids to texts."),
)  # fmt: skip
@stopping_options
@groups.grouped(
    "journal",
    Journal,
    groups.output_option("Journal file, resumed if it exists; - is stdout (default)."),
    click.option(
        "--lang", default="en", show_default=True, help="Language of the questions to ask."
    ),
    click.option(
        "--no-times", is_flag=True, help="Omit times, so that the same run gives the same bytes."
    ),
    click.option(
        "--force", is_flag=True, help="Overwrite an existing journal instead of resuming it."
    ),
)
@groups.reading_options(groups.format_option("Format of QUESTIONS, if it is not recognised."))
def command(
    questions: str,
    system: systems.SystemOptions,
    pace: PaceOptions,
    stopping: StoppingOptions,
    journal: Journal,
    reading: Reading,
) -> None:
    """Ask a question answering system, and keep its answers in a journal.

    QUESTIONS is a question set or a benchmark in QALD JSON; a name from 'qaldgen data list' is
    downloaded. The system gets only the text of each question.

    The journal has one line per question; 'qaldgen score' reads it. Running the same command again
    asks the questions that are missing, failed or timed out. Only one run at a time can use a
    journal.

    --until stops at a precision, --until-decided when it is known whether the system is better or
    worse than a baseline or a threshold; the exit status is then that of 'qaldgen gate'. Both need
    a benchmark by lpm or random, as RDF.

    Credentials come from the environment variables QALDGEN_SYSTEM_TOKEN, or QALDGEN_SYSTEM_USER and
    QALDGEN_SYSTEM_PASSWORD, or from --key-file; never from options, which everyone on the machine
    can read.
    """
    source = pace.source()
    used = source.options if source else ()
    system.check(used=used)
    stopping.check()
    read = [pace.context, *(source.files if source else ())]
    if journal.output != "-":
        files = [*system.files(), *read, *stopping.files]
        # an existing journal is resumed
        output_files.check_outputs([journal.output], force=True, inputs=[questions, *files])
    api.checks.check_set_form(reading.format)
    api.checks.check_files(*system.files(), *read)
    rule = stopping.rule(questions, reading, journal.lang)
    asked = api.questions.read(questions, reading, language=journal.lang)
    texts = api.asking.read_contexts(pace.context) if pace.context else {}
    if source is not None:
        texts = source.open(asked, journal.lang)
    pacing = pace.pacing(texts, times=not journal.no_times, stop=rule)
    common.notes(api.questions.notes_on(asked))
    opened = system.open(journal.lang, used=used)
    shown = api.asking.shown(opened, asked)
    if shown is not None:
        click.echo(shown, nl=False)
        return
    asker = api.asking.asker_of(opened)[1]
    if journal.output != "-":
        _end(_run(asked, asker, Path(journal.output), journal, pacing, anew=journal.force))
        return
    # A journal is a file that is locked and appended to, which stdout cannot be.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / _KEPT
        try:
            verdict = _run(asked, asker, path, journal, pacing, anew=False)
        finally:  # print the answers so far even after an interruption
            output_files.write_output(
                "-", path.read_bytes() if path.exists() else b"", force=journal.force
            )
    _end(verdict)


def _end(verdict: str) -> None:
    """Exit as `gate` does, if there was something to decide."""
    if code := EXITS.get(verdict, 0):
        sys.exit(code)


def _run(
    asked: QuestionSet, asker: Asker, path: Path, journal: Journal, pacing: Pacing, *, anew: bool
) -> str:
    """Ask, and print the outcome; return the decision, if any."""
    size = min(len(asked.questions), pacing.limit or len(asked.questions))
    with Watcher(f"asking {asker.name}", size, asked, journal.lang) as watcher:
        done = api.asking.ask_into(
            asked, asker, path, language=journal.lang, pacing=pacing, anew=anew, watch=watcher.see
        )
    click.echo(f"{asked.name}: {done}", err=True)
    common.notes(done.notes)
    if done.aborted:
        raise DataError(api.asking.broken(done))
    if done.asked and not any(
        one.status in {"answered", "empty"} for one in done.responses.values()
    ):
        raise DataError(f"{asked.name}: no question was answered; the notes above say why")
    from qaldgen.analysis.sequential.stop_rule import StopRule

    rule = pacing.stop
    if not isinstance(rule, StopRule):
        return ""
    verdict, sentence = rule.outcome(done.responses, path)
    click.echo(sentence, err=True)
    return verdict
