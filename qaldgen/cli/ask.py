"""``qaldgen ask``."""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qaldgen.cli import systems
from qaldgen.cli.output_files import check_ending
from qaldgen.cli.printing import notes, progress_bar
from qaldgen.cli.shared_options import reading_options
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import NAMED, Call, given_options
from qaldgen.cli.views import views_of
from qaldgen.errors import DataError, UsageError
from qaldgen.options import JournalPath

if TYPE_CHECKING:
    from qaldgen import QuestionSet
    from qaldgen.answers.interim_looks import Rule
    from qaldgen.answers.record import Response
    from qaldgen.asking.asking import Pacing
    from qaldgen.asking.systems import Asker

_ANSWERED = frozenset({"answered", "empty"})
#: The table whose rows bring options for prompts.
_CONTEXTS = "qaldgen.asking.systems:CONTEXTS"


class AskOptions:
    """What only the command line has.

    Attributes
    ----------
    output
        Journal file, resumed if it exists; - is stdout.
    no_times
        Omit times, so that the same run gives the same bytes.
    force
        Overwrite an existing journal instead of resuming it.
    """

    output: JournalPath = "-"
    no_times: bool = False
    force: bool = False


OWN = f"{__name__}:AskOptions"


@systems.system_verb(
    usual="system url kg endpoint timeout model prompt option jobs limit budget output lang"
    " wordings force format",
    rows={**systems.ROWS, "context": _CONTEXTS},
    epilog="Example: qaldgen ask questions.json --system typed --kg graph.ttl -o typed.jsonl",
)
@click.argument("questions", type=NAMED)
@systems.system_options
@options_of("ask", "jobs", "rate", "max_failures", "limit", "budget", "contexts")
@views_of("ask")
@options_of(OWN, "output")
@options_of("ask", "language", "wordings")
@options_of(OWN, "no_times", "force")
@reading_options("format")
def command(call: Call) -> None:
    """Ask a system, and keep its answers in a journal.

    QUESTIONS is a question set or a benchmark in QALD JSON; a name from 'qaldgen data list' is
    downloaded. The system gets only the text of each question.

    The journal has one line per question; 'qaldgen score' reads it. Running the same command again
    asks the questions that are missing, failed or timed out. Only one run at a time can use a
    journal.

    Credentials come from the environment variables QALDGEN_SYSTEM_TOKEN, or QALDGEN_SYSTEM_USER and
    QALDGEN_SYSTEM_PASSWORD, or from --key-file; never from options, which everyone on the machine
    can read.
    """
    ask_questions(call)


def ask_questions(call: Call, rule_of: Callable[[], Rule] | None = None) -> str:
    """Ask the questions of a call, until a rule stops if there is one; return its verdict."""
    from qaldgen.asking import systems as sources
    from qaldgen.asking.asking import Pacing, asked_as, read_contexts
    from qaldgen.asking.protocols import asker_of, printed_instead
    from qaldgen.questions.reading import reading_notes

    first = call.lang.partition(",")[0].strip()
    # Where texts for prompts come from, if options of a source say so.
    source = sources.chosen_source(sources.CONTEXTS, given_options(_CONTEXTS))
    if source is not None and call.context is not None:
        raise UsageError(
            f"two texts for prompts given; pass either --context or {source.source.where}"
        )
    used = source.options if source else ()
    systems.check_system(call, used=used)
    files = systems.files_of_system(call)
    if source is not None:
        files += source.files
    call.check(*files, must_exist=files)
    check_ending(call.output, "journal", "a journal is JSON Lines; name it .jsonl")
    rule = None
    if rule_of is not None:
        rule = rule_of()
    questions = call.run("load", call.questions, language=first)
    texts: Mapping[str, str] = {}
    if call.context:
        texts = read_contexts(call.context)
    if source is not None:
        texts = source.open(questions, first)
    questions, language = asked_as(questions, call.lang, call.wordings)
    pace = {name: getattr(call, name) for name in _PACE}
    pacing = Pacing(**pace, stop=rule, contexts=texts, times=not call.no_times)
    notes(reading_notes(questions))
    opened = systems.open_system(call, first, used=used)
    printed = printed_instead(opened, questions)
    if printed is not None:
        click.echo(printed, nl=False)
        return ""
    asker = asker_of(opened)[1]
    if call.output != "-":
        verdict = _run(questions, asker, Path(call.output), language, pacing, anew=call.force)
    else:  # a journal is a file that is locked and appended to, which stdout cannot be
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "journal.jsonl"
            try:
                verdict = _run(questions, asker, path, language, pacing, anew=False)
            finally:  # print the answers so far even after an interruption
                call.write(path.read_bytes() if path.exists() else b"")
    return verdict


_PACE = ("jobs", "rate", "max_failures", "limit", "budget")


def _run(
    asked: QuestionSet, asker: Asker, path: Path, language: str, pacing: Pacing, *, anew: bool
) -> str:
    """Ask, and print the outcome; return the decision, if any."""
    from qaldgen.asking.asking import ask_all

    size = len(asked.questions[: pacing.limit])
    with _watching(f"asking {asker.name}", size, asked, language) as see:
        done = ask_all(asked, asker, path, language=language, pacing=pacing, anew=anew, watch=see)
    click.echo(f"{asked.name}: {done.in_words('questions')}", err=True)
    notes(done.notes)
    if done.aborted:
        raise DataError(done.why_aborted())
    if done.asked and _ANSWERED.isdisjoint(response.status for response in done.responses.values()):
        raise DataError(f"{asked.name}: no question was answered; the notes above say why")
    from qaldgen.answers.interim_looks import Rule

    rule = pacing.stop
    if not isinstance(rule, Rule):
        return ""
    verdict, sentence = rule.outcome(done.responses, path)
    click.echo(sentence, err=True)
    return verdict


@contextmanager
def _watching(
    label: str, size: int, questions: QuestionSet, language: str
) -> Iterator[Callable[[Response | None], None]]:
    """Show a bar on stderr that knows what came; yields what is called with each response."""
    from qaldgen.scoring.running_score import RunningScore

    counts, spent, bar = Counter[str](), list[float](), progress_bar(label, size)
    # Scoring each answer takes time, and nobody sees it without a bar.
    running = None
    if language and not bar.hidden:
        running = RunningScore(questions, language)

    def see(response: Response | None) -> None:
        if response is not None:
            counts["failed" if response.status not in _ANSWERED else "answered"] += 1
            spent.append(response.call.cost or 0.0)
            if running is not None:
                running.add(response)
        bar.update(1, current_item=counts)

    def words(_: object) -> str:
        parts = [f"{counts['answered']:,} answered", f"{counts['failed']:,} failed"]
        if any(spent):
            parts.append(f"cost {sum(spent):.4g}")
        if running is not None:
            mean, low, high = running.interval()
            within = "" if math.isnan(low) else f" [{low:.3f}, {high:.3f}]"
            if not math.isnan(mean):
                parts.append(f"F1 {mean:.3f}{within}")
        return ", ".join(parts)

    bar.item_show_func = words
    with bar:
        yield see
