"""Ask a system all questions of a set.

Its answers are kept in a journal, so that an interrupted run can go on where it stopped.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from functools import partial
from hashlib import sha256
from pathlib import Path
from time import monotonic

from qaldgen.answers.asked_wordings import OF_SET, expand_wordings, with_wordings
from qaldgen.answers.interim_looks import (
    PlannedStop,
    judge_and_keep,
    read_looks,
    responses_at_looks,
)
from qaldgen.answers.journal import JOURNAL, Journal, open_journal
from qaldgen.answers.reading import read_run
from qaldgen.answers.record import (
    CallDetails,
    Response,
    Run,
    describe_unexpected_error,
    status_of,
)
from qaldgen.answers.resume import (
    Budget,
    Fault,
    Outcome,
    PendingQuestion,
    Resumed,
    Stop,
    is_settled,
    resume,
)
from qaldgen.asking.protocols import AnySystem, asker_of
from qaldgen.asking.systems import Asker, AskOne, NoAnswer, PosedQuestion, SystemReply
from qaldgen.benchmark.gold import AnyGold, as_gold
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError, EndpointTimeout, QaldgenError, UsageError
from qaldgen.io import concurrency
from qaldgen.io.json_text import from_json
from qaldgen.io.notes import collecting, note
from qaldgen.io.progress import step
from qaldgen.io.text import one_line, printable
from qaldgen.io.web.failure import ALLOWS_MORE, timed_out
from qaldgen.io.web.retries import Gate, Pace
from qaldgen.model import Answers, Question, QuestionSet
from qaldgen.options import Natural, Parallel, PathOrName, Positive, PositiveInt
from qaldgen.questions.question_texts import text_in
from qaldgen.stores.graphs import AnyGraph
from qaldgen.stores.query_answers import answers_of

#: Longer replies and errors are cut in the journal, to keep it readable.
_MAX_REPLY_CHARS = 1_000_000
_MAX_ERROR_CHARS = 1_000


async def ask_question(asker: Asker, ask: AskOne, question: PosedQuestion) -> Response:
    """Ask a system one question, and return its response, which may be a failure."""
    return (await ask_timed(asker, ask, question, times=True)).response


def pose(question: Question, language: str, context: str) -> PosedQuestion:
    """Return a question as it is sent: its text in a language, without its answers."""
    written_options = question.metadata.get("choices") or question.metadata.get("options") or ()
    options: Sequence[object] = written_options
    if isinstance(written_options, str):  # JSON, or texts with bars between them
        options = written_options.split("|")
        if written_options.startswith("["):
            try:
                options = from_json(written_options)
            except ValueError:
                options = ()
    texts = [str(option).strip() for option in options]
    return PosedQuestion(
        text_in(question, language),
        language,
        options=tuple(filter(None, texts)),
        context=context or question.said("context"),
        id=question.id,
    )


async def ask_timed(asker: Asker, ask: AskOne, question: PosedQuestion, *, times: bool) -> Outcome:
    """Ask a system one question, and execute its query if it replies with one.

    Never raises: if there is no answer, the response has a status of failure and the reason.
    Without `times`, the response does not tell when it came.
    """
    if not question.text:
        error = f"the question has no text in {question.language!r}, so it was not asked"
        return Outcome(Response(question.id, "failed", error=error))

    start = monotonic()
    asked_at = datetime.now(timezone.utc)
    reply = SystemReply()
    answers: Answers | None = None
    status = "failed"
    fault = Fault.ONE

    try:
        reply = await _ask_in_time(asker, ask, question)
        answers = reply.answers
        if answers is None:
            answers = await _execute_query(asker, reply)
        status = "answered" if reply.mentions else status_of(answers)
        error = reply.note
        fault = Fault.NONE
    except NoAnswer as problem:
        reply = problem.partial_reply
        status = "timeout" if problem.late else "failed"
        error = problem.reason
        fault = problem.fault
    except QaldgenError as problem:
        error = str(problem)
    except Exception as problem:  # whatever a reply may provoke
        error = describe_unexpected_error(problem)

    raw = reply.raw
    if len(raw) > _MAX_REPLY_CHARS:
        raw = f"{raw[:_MAX_REPLY_CHARS]}... ({len(raw) - _MAX_REPLY_CHARS:,} characters more)"
    call = CallDetails(
        raw=raw,
        attempts=reply.attempts,
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        cost=reply.cost,
        model=reply.model,
        time=asked_at.isoformat(timespec="milliseconds") if times else "",
    )
    response = Response(
        question.id,
        status,
        answers,
        query=reply.query,
        answer_type=reply.answer_type,
        mentions=reply.mentions,
        seconds=round(monotonic() - start, 3) if times else None,
        error=one_line(error, _MAX_ERROR_CHARS),
        call=call,
    )
    return Outcome(response, fault)


async def _ask_in_time(asker: Asker, ask: AskOne, question: PosedQuestion) -> SystemReply:
    """Ask a question, with a time limit if the protocol has none."""
    if not asker.limited:
        return await ask(question)
    try:
        return await asyncio.wait_for(ask(question), asker.timeout)
    except (TimeoutError, asyncio.TimeoutError):  # two classes before Python 3.11
        failure = timed_out(asker.timeout)
    raise NoAnswer(f"{failure.reason}; {ALLOWS_MORE[failure.kind]}", late=True)


async def _execute_query(asker: Asker, reply: SystemReply) -> Answers:
    """Return the answers to the query in a reply.

    If it has none, `NoAnswer` blames the query, not the connection to the system (`Fault.NONE`).
    """
    if not reply.query.strip():
        return Answers()
    if asker.kg is None:
        reason = "the system gave a query and no answers; name where to execute it with `kg`"
        raise NoAnswer(reason, reply, Fault.NONE)

    late = False
    try:
        return await asyncio.wait_for(
            concurrency.in_thread(answers_of, asker.kg, reply.query), asker.timeout
        )
    except (TimeoutError, asyncio.TimeoutError, EndpointTimeout):
        reason = f"the query of the system did not end within {asker.timeout:g} seconds"
        late = True
    except QaldgenError as error:
        reason = f"the query of the system gives no answer: {one_line(str(error))}"
    except Exception as error:  # an engine may fail in unexpected ways
        reason = f"the query of the system: {describe_unexpected_error(error)}"

    raise NoAnswer(reason, reply, Fault.NONE, late=late)


@dataclasses.dataclass(frozen=True)
class Pacing:
    """The settings for asking the questions of a set; see `ask`."""

    jobs: int = 1
    rate: float | None = None
    max_failures: int = 10
    limit: int | None = None
    budget: float | None = None
    stop: PlannedStop | Stop | None = None
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
        if self.budget is not None and not asker.most(PosedQuestion("Who?")):
            raise UsageError(
                "a budget needs prices: `price_in` and `price_out`, per million tokens"
            )


def ask(
    questions: AnyGold,
    system: AnySystem,
    *,
    kg: AnyGraph | None = None,
    journal: str | Path | None = None,
    language: str = LANGUAGE,
    name: str | None = None,
    jobs: Parallel = 1,
    rate: Positive | None = None,
    max_failures: Natural = 10,
    limit: PositiveInt | None = None,
    budget: Positive | None = None,
    stop: PlannedStop | Stop | None = None,
    contexts: Mapping[str, str] | str | Path | None = None,
    times: bool = True,
    wordings: PathOrName | None = None,
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
        A rule that looks by a plan; plan and looks are kept in the journal. Or a function that gets
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

    Examples
    --------
    >>> ask([{"id": "1", "question": "Which river?"}], lambda text: "Danube").response("1").status
    'answered'
    """
    if isinstance(contexts, (str, Path)):
        contexts = read_contexts(contexts)
    pacing = Pacing(
        jobs=jobs,
        rate=rate,
        max_failures=max_failures,
        limit=limit,
        budget=budget,
        stop=stop,
        contexts=contexts or {},
        times=times,
    )

    first_language = language.partition(",")[0].strip()
    whole_set = as_gold(questions, language=first_language).questions
    to_ask, only_language = expand_questions(whole_set, language, wordings)

    asker = asker_of(system, kg, first_language)
    system_name = asker.title or asker.name

    # answers are collected in a journal even if the user names none
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.jsonl" if journal is None else Path(journal)
        n_questions = len(to_ask.questions[:limit])
        with step(f"asking {system_name}", n_questions) as advance:
            outcome = ask_all(
                to_ask,
                asker,
                path,
                language=only_language,
                pacing=pacing,
                watch=lambda _: advance(1),
            )

        if outcome.aborted:
            raise DataError(outcome.abort_message())
        if only_language is None:
            run = read_run(path, name=name or system_name, gold=whole_set, language=first_language)
            return dataclasses.replace(run, notes=(*to_ask.notes, *outcome.notes))

    return Run(name or system_name, JOURNAL, outcome.responses, outcome.notes)


def expand_questions(
    questions: QuestionSet, language: str, wordings: str | Path | None
) -> tuple[QuestionSet, str | None]:
    """Return the questions in each language and wording, and their language; None for several."""
    languages = list(dict.fromkeys(language.strip() for language in language.split(",")))
    if wordings is None and len(languages) == 1:
        return questions, languages[0]
    if wordings not in {None, OF_SET}:
        questions = with_wordings(questions, str(wordings), languages[0])
    return expand_wordings(questions, languages, wordings=wordings is not None), None


def read_contexts(path: str | Path) -> Mapping[str, str]:
    """Read the retrieved text of each question from a JSON object of ids and texts."""
    try:
        contexts: dict[str, str] = from_json(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(
            f"cannot be read as JSON ({error}); expected an object of ids and texts", where=path
        ) from None
    is_object = isinstance(contexts, dict)
    if not is_object or not all(isinstance(text, str) for text in contexts.values()):
        raise DataError("expected an object of ids and texts", where=path)
    return contexts


def ask_all(
    questions: QuestionSet,
    asker: Asker,
    journal: Path,
    *,
    language: str | None = LANGUAGE,
    pacing: Pacing | None = None,
    anew: bool = False,
    watch: Callable[[Response | None], None] | None = None,
) -> Resumed:
    """Ask the questions of a set that have no answer in the journal.

    Without a `language`, each question is asked in the language of its first text. With `anew`, an
    existing journal is overwritten. `watch` is called with each response.
    """
    pacing = pacing or Pacing()
    pacing.check(asker)
    source = f"{asker.name}, asked {questions.name} (sha256 {questions.sha256[:16]})"
    if pacing.contexts:
        texts = json.dumps(dict(pacing.contexts), sort_keys=True).encode("utf-8", "replace")
        source += f", with texts {sha256(texts).hexdigest()[:16]}"

    to_ask = questions.questions[: pacing.limit]
    gate = Gate(pacing.rate)
    with open_journal(journal, anew=anew) as calls:
        with collecting() as notes:
            earlier, spent = _read_earlier(calls, source)
            settled = {key: response for key, response in earlier.items() if is_settled(response)}
            stop = pacing.stop
            stopped = ""
            advice = "the same command asks again"
            if isinstance(stop, PlannedStop):
                rule = stop
                stopped = _begin_plan(rule, to_ask, calls, has_answers=bool(earlier))
                # Failures are not asked again either: the looks counted them as they are.
                settled |= responses_at_looks(calls.path, rule.counted)
                stop = partial(judge_and_keep, rule, calls)
                advice = "what a look has counted is not asked again"

        if stopped:
            known = {**earlier, **settled}
            ids = [question.id for question in to_ask if question.id in known]
            return Resumed(
                {question_id: known[question_id] for question_id in ids},
                0,
                stopped,
                notes=(*notes, f"nothing was asked: {stopped}"),
                size=len(to_ask),
            )

        async def ask_pending() -> Resumed:
            async with asker.open(gate) as ask:
                pending = []
                for question in to_ask:
                    # wording 7@en of question 7 has its context
                    context = pacing.contexts.get(question.id)
                    if not context:
                        context = pacing.contexts.get(question.id.rpartition("@")[0], "")
                    posed = pose(question, language or next(iter(question.texts)), context)
                    ask_once = partial(ask_timed, asker, ask, posed, times=pacing.times)
                    known = settled.get(question.id)
                    max_cost = asker.most(posed) if known is None else 0.0
                    pending.append(PendingQuestion(question.id, known, ask_once, max_cost))
                return await resume(
                    pending,
                    calls,
                    source=source,
                    gate=gate,
                    pace=Pace(pacing.jobs, pacing.rate, pacing.max_failures),
                    budget=Budget(pacing.budget, spent),
                    stop=stop,
                    watch=watch,
                )

        outcome = concurrency.run(ask_pending())
    end_notes = _failure_notes(outcome.responses, advice)
    if outcome.stopped and not outcome.aborted and len(outcome.responses) < len(to_ask):
        end_notes.insert(0, f"the run ended early: {outcome.stopped}")
    return outcome._replace(notes=(*notes, *end_notes), size=len(to_ask))


def _read_earlier(journal: Journal, source: str) -> tuple[dict[str, Response], float]:
    """Return the last response to each question in a journal, and the cost of all responses.

    A journal of another system, or of other questions, is refused.
    """
    content = journal.content()
    for entry in content.entries:
        if entry.source != source:
            owner = printable(entry.source) or "an unnamed system"
            raise UsageError(
                f"is a journal of {owner}, and not of {source}; name another file, or remove it to"
                " start from scratch",
                where=journal.path,
            )
    note(*journal.notes, *content.notes)
    responses = {entry.response.id: entry.response for entry in content.entries}
    return responses, sum(entry.response.call.cost or 0.0 for entry in content.entries)


def _begin_plan(
    rule: PlannedStop, questions: Sequence[Question], journal: Journal, *, has_answers: bool
) -> str:
    """Begin a planned rule with the looks in the journal, or write its plan to the journal.

    Returns why nothing needs to be asked; empty if something does.
    """
    looks = read_looks(journal.path)
    stopped = rule.begin([question.id for question in questions], journal.path, looks)
    if not looks:
        journal.add_look(rule.records[0])
        if has_answers:
            note(
                f"{journal.path}: has answers from before the plan to stop; the plan is honest only"
                " if nobody looked at them"
            )
    return stopped


def _failure_notes(responses: Mapping[str, Response], advice: str) -> list[str]:
    """Return notes with the number of questions that failed, and the reason of the first one."""
    notes = []
    for status, phrase in (("failed", "failed"), ("timeout", "had no answer in time")):
        failures = [response for response in responses.values() if response.status == status]
        if failures:
            first = failures[0]
            notes.append(
                f"{len(failures):,} of {len(responses):,} questions {phrase} (first:"
                f" {first.id}: {first.error}); {advice}"
            )
    return notes
