"""``qaldgen ask``."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qaldgen.cli import common, groups, output_files, systems
from qaldgen.cli.gate import EXITS
from qaldgen.cli.signatures import options_of
from qaldgen.cli.stopping_options import StoppingOptions, stopping_options
from qaldgen.cli.verb import given_options
from qaldgen.cli.watching import Watcher
from qaldgen.errors import DataError, UsageError

if TYPE_CHECKING:
    from qaldgen import QuestionSet
    from qaldgen.asking.asking import Pacing
    from qaldgen.asking.systems import Asker, Chosen
    from qaldgen.formats.reading import Reading

#: Where answers for stdout are collected.
_KEPT = "journal.jsonl"
#: The table whose rows bring options for prompts.
CONTEXTS = "qaldgen.asking.systems:CONTEXTS"
_ASK = "qaldgen.asking.asking:ask"


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
        "language",
        "wordings",
        "force",
        "form_of_set",
    ),
    rows={**systems.ROWS, "contexts": CONTEXTS},
    epilog="Example: qaldgen ask questions.json --system typed --kg graph.ttl -o typed.jsonl",
)
@click.argument("questions")
@systems.system_options
@options_of(
    _ASK,
    "jobs",
    "rate",
    "max_failures",
    "limit",
    "budget",
    "contexts",
    called={"contexts": "context"},
)
@stopping_options
@groups.output_option("Journal file, resumed if it exists; - is stdout (default).")
@options_of(_ASK, "language", "wordings")
@click.option(
    "--no-times", is_flag=True, help="Omit times, so that the same run gives the same bytes."
)
@click.option("--force", is_flag=True, help="Overwrite an existing journal instead of resuming it.")
@groups.reading_options(groups.format_option("Format of QUESTIONS, if it is not recognised."))
def command(
    questions: str,
    system: systems.SystemOptions,
    contexts: str | None,
    stopping: StoppingOptions,
    output: str,
    language: str,
    wordings: str | None,
    no_times: bool,
    force: bool,
    reading: Reading,
    **pace: Any,  # noqa: ANN401 - how many are asked, how fast, and when it is enough
) -> None:
    """Ask a system, and keep its answers in a journal.

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
    from qaldgen.asking.asking import Pacing, asked_as, read_contexts
    from qaldgen.asking.protocols import asker_of, shown
    from qaldgen.datasets.loading import load
    from qaldgen.formats.reading import check_format, reading_notes
    from qaldgen.io.files import check_files

    first = language.partition(",")[0].strip()
    source = _source(contexts)
    used = source.options if source else ()
    system.check(used=used)
    stopping.check()
    table = None if wordings == "set" else wordings
    files = [*system.files(), contexts, table, *(source.files if source else ())]
    if output != "-":
        # an existing journal is resumed
        inputs = [questions, *files, *stopping.files]
        output_files.check_outputs([output], force=True, inputs=inputs)
    check_format(reading.format)
    check_files(*files)
    journal = Path(_KEPT if output == "-" else output)
    rule = stopping.rule(questions, reading, first)
    if rule is not None and (wordings or first != language):
        raise UsageError(
            "--until and --until-decided are about questions asked once; leave out --wordings, and"
            " name one language"
        )
    asked = load(questions, language=first, **reading._asdict())
    texts: Mapping[str, str] = read_contexts(contexts) if contexts else {}
    if source is not None:
        texts = source.open(asked, first)
    asked, language = asked_as(asked, language, wordings)
    pacing = Pacing(**pace, stop=rule, contexts=texts, times=not no_times)
    common.notes(reading_notes(asked))
    opened = system.open(first, used=used)
    printed = shown(opened, asked)
    if printed is not None:
        click.echo(printed, nl=False)
        return
    asker = asker_of(opened)[1]
    if output != "-":
        _end(_run(asked, asker, journal, language, pacing, anew=force))
        return
    # A journal is a file that is locked and appended to, which stdout cannot be.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / _KEPT
        try:
            verdict = _run(asked, asker, path, language, pacing, anew=False)
        finally:  # print the answers so far even after an interruption
            output_files.write_output("-", path.read_bytes() if path.exists() else b"", force=force)
    _end(verdict)


def _source(contexts: str | None) -> Chosen | None:
    """Return where texts for prompts come from, if options of a source say so."""
    from qaldgen.asking import systems

    chosen = systems.chosen_source(systems.CONTEXTS, given_options(CONTEXTS))
    if chosen is not None and contexts is not None:
        raise UsageError(
            f"two texts for prompts given; pass either --context or {chosen.source.where}"
        )
    return chosen


def _end(verdict: str) -> None:
    """Exit as `gate` does, if there was something to decide."""
    if code := EXITS.get(verdict, 0):
        sys.exit(code)


def _run(
    asked: QuestionSet, asker: Asker, path: Path, language: str, pacing: Pacing, *, anew: bool
) -> str:
    """Ask, and print the outcome; return the decision, if any."""
    from qaldgen.asking.asking import ask_all

    size = len(asked.questions[: pacing.limit])
    with Watcher(f"asking {asker.name}", size, asked, language) as watcher:
        done = ask_all(
            asked, asker, path, language=language, pacing=pacing, anew=anew, watch=watcher.see
        )
    click.echo(f"{asked.name}: {done}", err=True)
    common.notes(done.notes)
    if done.aborted:
        raise DataError(done.why_aborted())
    if done.asked and not any(
        one.status in {"answered", "empty"} for one in done.responses.values()
    ):
        raise DataError(f"{asked.name}: no question was answered; the notes above say why")
    from qaldgen.analysis.stopping.stop_rule import StopRule

    rule = pacing.stop
    if not isinstance(rule, StopRule):
        return ""
    verdict, sentence = rule.outcome(done.responses, path)
    click.echo(sentence, err=True)
    return verdict
