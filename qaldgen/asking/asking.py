"""Ask a system all questions of a set.

Its answers are kept in a journal, so that an interrupted run can go on where it stopped.
"""

from __future__ import annotations

import dataclasses
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from qaldgen.asking.one_question import answer, outcome_of, pose
from qaldgen.asking.protocols import make_asker
from qaldgen.asking.record import Asker, AskOne, Posed, System
from qaldgen.asking.systems import AnyGraph, AnySystem, asker_of
from qaldgen.errors import DataError, UsageError
from qaldgen.io.progress import step
from qaldgen.io.web import background
from qaldgen.io.web.one_line import printable
from qaldgen.io.web.pace import Gate, Pace
from qaldgen.model import Question, QuestionSet
from qaldgen.options import Count, Named, Natural, Parallel, Positive
from qaldgen.runs.journal_writing import Journal, open_journal
from qaldgen.runs.looks import Rule, judge_and_keep, read_looks, responses_at_looks
from qaldgen.runs.reading import read_run
from qaldgen.runs.record import Response, Run
from qaldgen.runs.resume import DONE, Budget, Due, Outcome, Resumed, Stop, resume
from qaldgen.runs.wordings import OF_SET, spread, with_wordings
from qaldgen.scoring.gold import AnyGold, as_gold


class Asking(NamedTuple):
    """The result of asking the questions of a set."""

    responses: Mapping[str, Response]  # by question id, in the order of the set
    asked: int  # how many were asked now; the others were in the journal
    notes: tuple[str, ...]  # what a user should know, in whole sentences
    size: int = 0  # how many questions there were to ask
    stopped: str = ""  # why the run ended before all were asked; empty if it did not
    #: Whether it ended because the system does not work, or costs more than allowed.
    aborted: bool = False

    def __str__(self) -> str:
        """Return one line: how many questions were answered, failed and so on."""
        return Resumed(self.responses, self.asked).in_words("questions", self.size)

    def why_aborted(self) -> str:
        """Say why the run was aborted."""
        return (
            f"the run was aborted after {self.asked:,} questions: "
            f"{self.stopped}; run the same command again to continue"
        )


@dataclasses.dataclass(frozen=True)
class Pacing:
    """How the questions of a set are asked; see `ask`."""

    jobs: int = 1
    rate: float | None = None
    max_failures: int = 10
    limit: int | None = None
    budget: float | None = None
    stop: Rule | Stop | None = None
    contexts: Mapping[str, str] = dataclasses.field(default_factory=dict)
    times: bool = True

    def check(self, asker: Asker) -> None:
        """Refuse numbers that are out of range, and a budget without known prices."""
        if self.jobs < 1 or self.max_failures < 0 or (self.limit is not None and self.limit < 1):
            raise UsageError("jobs and limit must be at least 1, max_failures at least 0")
        if self.rate is not None and not 0 < self.rate < 1e9:
            raise UsageError(f"the rate is {self.rate:g} requests a second; it must be above 0")
        if self.budget is not None and not self.budget > 0:
            raise UsageError(f"the budget is {self.budget:g}; it must be above 0")
        if self.budget is not None and not asker.most(Posed("Who?")):
            raise UsageError(
                "a budget needs prices: --price-in and --price-out, per million tokens"
            )


def ask(
    questions: AnyGold,
    system: AnySystem,
    *,
    kg: AnyGraph | None = None,
    journal: str | Path | None = None,
    language: str = "en",
    name: str | None = None,
    jobs: Parallel = 1,
    rate: Positive | None = None,
    max_failures: Natural = 10,
    limit: Count | None = None,
    budget: Positive | None = None,
    stop: Rule | Stop | None = None,
    contexts: Mapping[str, str] | str | Path | None = None,
    times: bool = True,
    wordings: Named | None = None,
) -> Run:
    """Ask a question answering system, and keep its answers.

    Parameters
    ----------
    questions
        What is asked: a file, the name of a public set, a question set or a benchmark.
    system
        ``PROTOCOL:WHERE`` with a key of `PROTOCOLS`, for instance
        ``openai:http://localhost:8000/v1``; the address of a live system, asked as GERBIL asks; a
        `System`, which also says how long to wait, which model to ask, and the options of the
        protocol; the name of a small system; an `Asker`; or a function, sync or async, of the text
        of a question or of its id and text.
    kg
        The knowledge graph: an RDF file, or an open one, or an endpoint. Queries that a system
        makes are executed there, and functions get it that have a parameter ``store``.
    journal
        Where each answer is kept as soon as it arrives. An existing journal is resumed: what is
        missing, failed or timed out is asked. None keeps no journal.
    language
        Language of the questions to ask; several with commas: en,de.

        With several the answers to question 7 are kept as ``7@en`` and ``7@de``.
    name
        What to call the system in the run; by default its own name.
    jobs
        Number of parallel requests.
    rate
        At most N requests a second.

        Retries included.
    max_failures
        Abort after N consecutive failures; 0 disables this.
    limit
        Ask only the first N questions.
    budget
        Stop before the journal costs more; needs prices.

        Earlier runs included.
    stop
        A rule from `stop_rule`; its plan and looks are kept in the journal. Or a function that gets
        the responses in the order of the set, without gaps, whenever there is one more, and returns
        why to stop, or nothing. Questions that are being asked at that moment are kept too.
    contexts
        Retrieved text for prompts: a JSON object that maps ids to texts.

        Its file, or a mapping.
    times
        Whether to record when each question was asked, and how long it took; without times, the
        same run gives the same bytes again.
    wordings
        Ask every wording of a question: set for those in the data, or a table with id and wording.

        The answers to the second wording of question 7 are kept as ``7@en.2``.

    Returns
    -------
    Run
        The answers; ``.notes`` say how many questions failed, and why.

    Raises
    ------
    UsageError
        If there is no such system, it needs a knowledge graph, or the journal belongs to something
        else.
    DataError
        If a file cannot be read, the journal is damaged, or the system does not work: the journal
        keeps what came.
    """
    texts = read_contexts(contexts) if isinstance(contexts, (str, Path)) else contexts or {}
    pacing = Pacing(jobs, rate, max_failures, limit, budget, stop, texts, times)
    first = language.partition(",")[0].strip()
    there = as_gold(questions, language=first).questions
    asked, language = asked_as(there, language, wordings)
    called, asker = asker_of(system, kg, first)
    # answers are collected in a journal even if the user names none
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(journal) if journal is not None else Path(folder) / "journal.jsonl"
        size = len(asked.questions[:limit])
        with step(f"asking {called}", size) as advance:
            done = ask_all(
                asked, asker, kept, language=language, pacing=pacing, watch=lambda _: advance(1)
            )
        if done.aborted:
            raise DataError(done.why_aborted())
        if not language:
            run = read_run(kept, name=name or called, gold=there, language=first)
            return dataclasses.replace(run, notes=(*asked.notes, *done.notes))
    return Run(name or called, "journal", done.responses, done.notes)


def asked_as(
    questions: QuestionSet, language: str, wordings: str | Path | None
) -> tuple[QuestionSet, str]:
    """Return what to ask and its language; empty if each question has its own."""
    languages = list(dict.fromkeys(one.strip() for one in language.split(",")))
    if wordings is None and len(languages) == 1:
        return questions, languages[0]
    if wordings not in {None, OF_SET}:
        questions = with_wordings(questions, str(wordings), languages[0])
    return spread(questions, languages, wordings=wordings is not None), ""


def read_contexts(path: str | Path) -> Mapping[str, str]:
    """Read the retrieved text of each question: a JSON object of ids and texts."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(
            f"{path}: cannot be read as JSON ({error}); expected an object of ids and texts"
        ) from None
    if not isinstance(found, dict) or not all(isinstance(text, str) for text in found.values()):
        raise DataError(f"{path}: expected an object of ids and texts")
    return found


def ask_all(
    questions: QuestionSet,
    asker: Asker,
    journal: Path,
    *,
    language: str = "en",
    pacing: Pacing | None = None,
    anew: bool = False,
    watch: Callable[[Response | None], None] | None = None,
) -> Asking:
    """Ask every question of a set that the journal does not have as answered or empty."""
    pacing = pacing or Pacing()
    pacing.check(asker)
    # The journal belongs to one system and one set: mixed answers could not be scored together.
    source = f"{asker.name}, asked {questions.name} (sha256 {questions.sha256[:16]})"
    if pacing.contexts:  # other texts in the prompts are another run
        source += f", with texts {_digest(pacing.contexts)}"
    asked = questions.questions[: pacing.limit]
    with open_journal(journal, anew=anew) as kept:
        earlier = _known(kept, source)
        notes, next_time = earlier.notes, "the same command asks again"
        if isinstance(pacing.stop, Rule):
            next_time = "what a look has counted is not asked again"
            reason, more = _begin(pacing.stop, asked, kept, bool(earlier.responses))
            notes += more
            earlier = _held(earlier, kept, pacing.stop.counted)
            # Not even failures are asked again: the decision was based on the answers as they are.
            if reason:
                held = {
                    one.id: earlier.responses[one.id]
                    for one in asked
                    if one.id in earlier.responses
                }
                return Asking(held, 0, (*notes, f"nothing was asked: {reason}"), len(asked), reason)
            pacing = dataclasses.replace(pacing, stop=partial(judge_and_keep, pacing.stop, kept))
        outcome = background.run(_run(asked, asker, kept, source, earlier, language, pacing, watch))
    early = outcome.stopped and not outcome.aborted and len(outcome.responses) < len(asked)
    ended = [f"the run ended early: {outcome.stopped}"] if early else []
    all_notes = (*notes, *ended, *_failures(outcome.responses, next_time))
    return Asking(
        outcome.responses, outcome.asked, all_notes, len(asked), outcome.stopped, outcome.aborted
    )


def _digest(contexts: Mapping[str, str]) -> str:
    text = json.dumps(dict(contexts), sort_keys=True)
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def ask_one(system: System, text: str, name: str = "1") -> Response:
    """Ask a system one question, without a journal."""
    asker = make_asker(system)

    async def work() -> Response:
        gate = Gate()
        async with asker.open(gate) as ask:
            return await answer(asker, ask, Posed(text, system.language, id=name))

    return background.run(work())


async def _run(
    asked: tuple[Question, ...],
    asker: Asker,
    journal: Journal,
    source: str,
    earlier: _Earlier,
    language: str,
    pacing: Pacing,
    watch: Callable[[Response | None], None] | None,
) -> Resumed:
    gate = Gate(pacing.rate)
    async with asker.open(gate) as ask:
        done = {
            name: response
            for name, response in earlier.responses.items()
            if response.status in DONE or name in earlier.held
        }
        due = [_due(one, asker, ask, done.get(one.id), language, pacing) for one in asked]
        budget, pace = (
            Budget(pacing.budget, earlier.spent),
            Pace(pacing.jobs, pacing.rate, pacing.max_failures),
        )
        stop = None if isinstance(pacing.stop, Rule) else pacing.stop
        return await resume(
            due, journal, source=source, gate=gate, pace=pace, budget=budget, stop=stop, watch=watch
        )


def _due(
    question: Question,
    asker: Asker,
    ask: AskOne,
    known: Response | None,
    language: str,
    pacing: Pacing,
) -> Due:
    """Return what to do about a question; without a text in the language it is not sent."""
    language = language or next(iter(question.texts))
    context = pacing.contexts.get(question.id) or pacing.contexts.get(
        question.id.rpartition("@")[0], ""
    )
    posed = pose(question, language, context)

    async def work() -> Outcome:
        if not posed.text:
            error = f"the question has no text in {language!r}, so it was not asked"
            return Outcome(Response(question.id, "failed", error=error))
        return await outcome_of(asker, ask, posed, times=pacing.times)

    return Due(question.id, known, work, asker.most(posed) if known is None else 0.0)


class _Earlier(NamedTuple):
    """The content of a journal from earlier runs."""

    responses: dict[str, Response]  # the last response to each question
    spent: float  # the total cost
    notes: tuple[str, ...]  # notes on the file
    #: Questions that a stopping rule has looked at: their responses stand, failures too.
    held: frozenset[str] = frozenset()


def _begin(
    rule: Rule, asked: Sequence[Question], journal: Journal, answers: bool
) -> tuple[str, tuple[str, ...]]:
    """Let a rule continue with the looks of a journal, or write its plan.

    Returns a reason to ask nothing, if there is one, and notes.
    """
    looks = read_looks(journal.path)
    reason = rule.begin([one.id for one in asked], journal.path, looks)
    if looks:
        return reason, ()
    journal.add_look(rule.records[0])
    late = (
        f"{journal.path}: has answers from before the plan to stop; the plan is honest only if"
        " nobody looked at them"
    )
    return reason, (late,) if answers else ()


def _held(earlier: _Earlier, journal: Journal, order: Sequence[str]) -> _Earlier:
    """Return the same with the answers that were looked at as they were then."""
    held = responses_at_looks(journal.path, order)
    return earlier._replace(responses={**earlier.responses, **held}, held=frozenset(held))


def _known(journal: Journal, source: str) -> _Earlier:
    """Return the last responses in a journal, their cost, and notes on the file."""
    entries, notes, _ = journal.entries()
    other = next((entry.source for entry in entries if entry.source != source), None)
    if other is not None:
        theirs = f"is a journal of {printable(other) or 'an unnamed system'}, and not of {source}"
        raise UsageError(
            f"{journal.path}: {theirs}; name another file, or start from scratch with --force"
        )
    last = {entry.response.id: entry.response for entry in entries}
    spent = sum(entry.response.call.cost or 0.0 for entry in entries)
    return _Earlier(last, spent, (*journal.notes, *notes))


def _failures(responses: Mapping[str, Response], next_time: str) -> list[str]:
    """Report failures and timeouts: how many, with the first question and its reason."""
    lines = []
    for status in ("failed", "timeout"):
        affected = [response for response in responses.values() if response.status == status]
        if affected:
            what = "failed" if status == "failed" else "had no answer in time"
            first = f"first: {affected[0].id}: {affected[0].error}"
            lines.append(
                f"{len(affected):,} of {len(responses):,} questions {what} ({first}); {next_time}"
            )
    return lines
