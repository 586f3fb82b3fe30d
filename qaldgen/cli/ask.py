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

from qaldgen.cli.output_files import check_ending
from qaldgen.cli.printing import print_notes
from qaldgen.cli.progress_bar import progress_bar
from qaldgen.cli.shared_options import reading_options
from qaldgen.cli.signatures import options_of
from qaldgen.cli.system_verbs import (
    ROWS,
    check_system,
    files_of_system,
    open_system,
    system_options,
    system_verb,
)
from qaldgen.cli.verb import NAMED, Call
from qaldgen.cli.views import views_of
from qaldgen.errors import DataError, UsageError
from qaldgen.options import JournalPath

if TYPE_CHECKING:
    from qaldgen import QuestionSet
    from qaldgen.answers.interim_looks import PlannedStop
    from qaldgen.answers.record import Response
    from qaldgen.asking.asking import Pacing
    from qaldgen.asking.systems import Asker

_LIMITS = ("jobs", "rate", "max_failures", "limit", "budget")
_ANSWERED_STATUSES = frozenset({"answered", "empty"})
#: The table whose rows bring options for prompts.
_CONTEXT_TABLE = "qaldgen.asking.systems:CONTEXTS"


class AskOptions:
    """Command-line options of `ask`.

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


@system_verb(
    brief="system url kg endpoint timeout model prompt option jobs limit budget output lang"
    " wordings force format",
    rows={**ROWS, "context": _CONTEXT_TABLE},
    epilog="Example: qaldgen ask questions.json --system typed --kg graph.ttl -o typed.jsonl",
)
@click.argument("questions", type=NAMED)
@system_options
@options_of("ask", *_LIMITS, "contexts")
@views_of("ask")
@options_of(AskOptions, "output")
@options_of("ask", "language", "wordings")
@options_of(AskOptions, "no_times", "force")
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


def ask_questions(call: Call, make_rule: Callable[[], PlannedStop] | None = None) -> str | None:
    """Ask the questions of a call; with a rule, stop when it says so, and return its verdict.

    `make_rule` is called after all options are checked.
    """
    from qaldgen.asking.asking import Pacing, expand_questions, read_contexts
    from qaldgen.asking.protocols import asker_of, text_to_print
    from qaldgen.asking.systems import CONTEXTS, chosen_source
    from qaldgen.questions.loading import load
    from qaldgen.questions.reading import reading_notes

    first_language = call.lang.partition(",")[0].strip()
    source = chosen_source(CONTEXTS, call.row_options(_CONTEXT_TABLE))
    if source is not None and call.context is not None:
        raise UsageError(
            f"two texts for prompts given; pass either --context or {source.source.where}"
        )
    used = source.options if source else ()
    check_system(call, used=used)
    files = files_of_system(call)
    if source is not None:
        files += source.files
    call.check(*files, must_exist=files)
    check_ending(call.output, "journal", "a journal is JSON Lines; name it .jsonl")
    rule = None if make_rule is None else make_rule()

    questions = load(call.questions, language=first_language, **call.of("load"))
    contexts: Mapping[str, str] = read_contexts(call.context) if call.context else {}
    if source is not None:
        contexts = source.open(questions, first_language)
    questions, language = expand_questions(questions, call.lang, call.wordings)
    limits = {name: call.of("ask")[name] for name in _LIMITS}
    pacing = Pacing(**limits, stop=rule, contexts=contexts, times=not call.no_times)
    print_notes(reading_notes(questions))

    system = open_system(call, first_language, used=used)
    text = text_to_print(system, questions)
    if text is not None:
        click.echo(text, nl=False)
        return None
    asker = asker_of(system)
    if call.output != "-":
        journal = Path(call.output)
        return _ask_all(
            questions, asker, journal, language=language, pacing=pacing, anew=call.force
        )
    # a journal is a file that is locked and appended to, which stdout cannot be
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.jsonl"
        try:
            return _ask_all(questions, asker, path, language=language, pacing=pacing, anew=False)
        finally:  # print the answers so far even after an interruption
            answers = path.read_bytes() if path.exists() else b""
            call.write(answers)


def _ask_all(
    questions: QuestionSet,
    asker: Asker,
    path: Path,
    *,
    language: str | None,
    pacing: Pacing,
    anew: bool,
) -> str | None:
    """Ask all questions, and print the outcome; return the verdict of the rule, if any."""
    from qaldgen.answers.interim_looks import PlannedStop
    from qaldgen.asking.asking import ask_all

    size = len(questions.questions[: pacing.limit])
    with _show_progress(f"asking {asker.name}", size, questions, language) as update:
        outcome = ask_all(
            questions, asker, path, language=language, pacing=pacing, anew=anew, watch=update
        )
    click.echo(f"{questions.name}: {outcome.summary('questions')}", err=True)
    print_notes(outcome.notes)
    if outcome.aborted:
        raise DataError(outcome.abort_message())
    statuses = {response.status for response in outcome.responses.values()}
    if outcome.asked and _ANSWERED_STATUSES.isdisjoint(statuses):
        raise DataError("no question was answered; the notes above say why", where=questions.name)
    if not isinstance(pacing.stop, PlannedStop):
        return None
    conclusion = pacing.stop.outcome(outcome.responses, path)
    click.echo(conclusion.sentence, err=True)
    return conclusion.verdict


@contextmanager
def _show_progress(
    label: str, size: int, questions: QuestionSet, language: str | None
) -> Iterator[Callable[[Response | None], None]]:
    """Show a bar on stderr with counts, cost and score; yield the function that takes responses."""
    from qaldgen.scoring.running_score import RunningScore

    counts = Counter[str]()
    costs = list[float]()
    bar = progress_bar(label, size)
    # Scoring each answer takes time, and only the bar shows the score.
    running_score = RunningScore(questions, language) if language and not bar.hidden else None

    def update(response: Response | None) -> None:
        if response is not None:
            outcome = "answered" if response.status in _ANSWERED_STATUSES else "failed"
            counts[outcome] += 1
            costs.append(response.call.cost or 0.0)
            if running_score is not None:
                running_score.add(response)
        bar.update(1, current_item=counts)

    def describe(_: object) -> str:
        parts = [f"{counts['answered']:,} answered", f"{counts['failed']:,} failed"]
        if any(costs):
            parts.append(f"cost {sum(costs):.4g}")
        if running_score is not None:
            score = running_score.interval()
            if not math.isnan(score.estimate):
                text = f"F1 {score.estimate:.3f}"
                if not math.isnan(score.low):
                    text += f" [{score.low:.3f}, {score.high:.3f}]"
                parts.append(text)
        return ", ".join(parts)

    bar.item_show_func = describe
    with bar:
        yield update
