"""Ask a system whether answers are right, and read its verdicts strictly.

A judge is asked like any system: the filled template is the question. The key of an answer in the
journal is made from the message, so that nothing is judged twice, and nothing else is ever taken
for the verdict on this answer.
"""

from __future__ import annotations

import dataclasses
import re
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from qaldgen.answers.reading import read_run
from qaldgen.answers.record import Response, Run
from qaldgen.answers.resume import Resumed
from qaldgen.answers.several_runs import read_runs
from qaldgen.asking.asking import Pacing, ask_all
from qaldgen.asking.language_models import JUDGE, Prompt, load_judge_prompt
from qaldgen.asking.protocols import AnySystem, asker_of, system_of
from qaldgen.asking.recorded import recorded_system
from qaldgen.asking.replies import THOUGHT
from qaldgen.asking.systems import Asker, AskOne, PosedQuestion, System, SystemReply
from qaldgen.benchmark.aliases import aliases_of
from qaldgen.benchmark.gold import AnyGold, as_gold
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError
from qaldgen.io.json_text import from_json, member
from qaldgen.io.progress import step
from qaldgen.io.text import count
from qaldgen.io.web.retries import Gate
from qaldgen.model import Answers, Question, QuestionSet
from qaldgen.options import JournalPath, Natural, Parallel, Positive, PositiveInt
from qaldgen.questions.question_texts import language_tag
from qaldgen.scoring.rules import Rules, Verdicts
from qaldgen.scoring.worded_answers import readable_answers, verdicts_by_rule

#: The values of the words that a judge may say.
VERDICTS: Mapping[str, float] = {"yes": 1.0, "partly": 0.5, "no": 0.0}
_PHRASES = {"right": 1.0, "partly right": 0.5, "wrong": 0.0}
_NO_VERDICT = 'the reply is not a verdict: just yes, no or partly, or {"verdict": "yes"}'
_FENCED = re.compile(r"```(?:json)?\s*(.*?)\s*```", re.DOTALL | re.IGNORECASE)
#: Marks that models put around a word.
_MARKS = " \t\r\n*_`\"'."
#: Longer answers are cut in the message: it is paid by the token.
_MAX_ANSWER_CHARS = 20_000
_HASH_LENGTH = 12


def judge(
    gold: AnyGold,
    runs: str | Path | Run | Sequence[str | Path | Run],
    system: AnySystem,
    *,
    template: str = JUDGE,
    journal: JournalPath | None = None,
    language: str = LANGUAGE,
    aliases: Mapping[str, Sequence[str]] | str | Path | None = None,
    labels: str = "",
    jobs: Parallel = 1,
    rate: Positive | None = None,
    max_failures: Natural = 10,
    limit: PositiveInt | None = None,
    budget: Positive | None = None,
    times: bool = True,
    judge_all: bool = False,
) -> Verdicts:
    """Ask a system whether the answers of runs are right.

    Of answers in words it is asked about those on which the verdict of `contains` is a guess; the
    sure verdicts are taken as they are.

    Parameters
    ----------
    gold
        The questions.
    runs
        The answers: one run, or several.
    system
        The judge, as in `ask`: ``PROTOCOL:WHERE``, a `System`, or a function of the message.
        ``recorded:FILE`` replays verdicts: a journal of a judge, or a run with a verdict a
        question.
    template
        Prompt of the judge: a Jinja template over question, gold, answer, language.

        ``judge``, or a file; ``gold`` is a list.
    journal
        File that keeps verdicts; recorded ones are not asked again.

        None keeps none.
    language
        Language of the questions.
    aliases, labels
        Names of gold answers that are codes.
    jobs, rate, max_failures, budget, times
        See `ask`.
    limit
        Ask about the first N answers only.
    judge_all
        Ask the judge about every answer, not about guesses alone.

    Returns
    -------
    Verdicts
        Give them to `score` as ``match``, or to `score_labels` as a proxy. They are not the truth.

    Raises
    ------
    UsageError
        If there is no such system, the template cannot be used, or the journal is one of another
        judge or template.
    DataError
        If a file cannot be read, or the judge does not work: the journal keeps what came.

    Examples
    --------
    >>> gold = [{"id": "1", "question": "Which river?", "answers": ["Danube"]}]
    >>> verdicts = judge(gold, {"1": "Donau"}, lambda message: "yes", judge_all=True)
    >>> verdicts
    <Verdicts of <lambda> in en on 1 answer>
    """
    gold = as_gold(gold, language=language)
    answers = read_runs(runs, gold.questions, language)
    names = aliases_of(aliases, labels, gold.questions, language)
    instructions = JudgeInstructions(load_judge_prompt(template), language, names)
    answered = answers_to_judge(gold.questions.questions, answers, instructions)

    by_rule = {}  # the verdicts of contains, by the key of the answer
    if not judge_all:
        rules = Rules(language=language, aliases=names)
        for verdict in verdicts_by_rule(gold, answers, rules):
            by_rule[instructions.key(verdict.question, verdict.response)] = verdict
    certain = {key: verdict.value for key, verdict in by_rule.items() if not verdict.is_guess}
    items = [item for item in answered if item.key not in certain]

    if isinstance(system, str):
        system = system_of(system, language)
    source = "asked now"
    if isinstance(system, System) and system.protocol == "recorded":
        source = "replayed"
        asker = replay_verdicts(read_run(Path(system.where)), items)
    else:
        if isinstance(system, System):
            # the message is the whole prompt, and the whole reply is the verdict
            chat = dataclasses.replace(system.chat, prompt="plain", answer_in="text")
            system = dataclasses.replace(system, chat=chat)
        asker = as_judge(asker_of(system, language=language), items)

    pacing = Pacing(
        jobs=jobs, rate=rate, max_failures=max_failures, limit=limit, budget=budget, times=times
    )
    # The loop that asks needs a journal; if the caller has none, it writes a temporary one.
    with tempfile.TemporaryDirectory() as folder, step("judging", len(items)) as advance:
        path = Path(folder) / "judge.jsonl" if journal is None else Path(journal)
        outcome = ask_all(
            judge_questions(items, instructions),
            asker,
            path,
            language=language,
            pacing=pacing,
            watch=lambda _: advance(1),
        )

    if outcome.aborted:
        raise DataError(f"the judge: {outcome.abort_message()}")

    judged = {}
    for key, response in outcome.responses.items():
        value = verdict_of(response.answers)
        if value is not None:
            judged[key] = value
    not_asked = [item.key for item in items if item.key not in outcome.responses]
    guesses = {key: by_rule[key].value for key in not_asked if key in by_rule}

    notes = []
    if by_rule:
        notes.append(
            f"the judge is asked about guesses: {len(items):,} of {count(len(answered), 'answer')};"
            f" the other verdicts are sure ones of contains (`judge_all` asks about every answer)"
        )
    if guesses:
        notes.append(
            f"{count(len(guesses), 'answer')} without a verdict of the judge, who was not asked,"
            f" keep the best guess of contains ('score -q' marks them)"
        )
    notes.append(_summary(asker.name, outcome, judged, len(not_asked), source))
    unknown = [question.id for question in gold.questions if question.answers is None]
    if unknown:
        notes.append(
            f"{count(len(unknown), 'question')} without gold answers (first: {unknown[0]}) cannot"
            " be judged"
        )
    if outcome.stopped:
        notes.append(f"the judge stopped early: {outcome.stopped}")
    return Verdicts(
        judge=asker.name,
        template_name=instructions.prompt.name,
        template=instructions.prompt.text,
        key=instructions.key,
        found={**certain, **guesses, **judged},
        notes=tuple(notes),
        guessed=frozenset(guesses),
    )


def _summary(
    name: str, outcome: Resumed, judged: Mapping[str, float], n_not_asked: int, source: str
) -> str:
    """Return a line on what a judge said: how many verdicts, failures, and their cost."""
    values = list(judged.values())
    counts = ", ".join(f"{values.count(value):,} {phrase}" for phrase, value in _PHRASES.items())
    text = f"{name} judged {count(len(judged), 'answer')} ({counts}); {source}: {outcome.asked:,}"
    failures = [response for key, response in outcome.responses.items() if key not in judged]
    if failures:
        question_id = failures[0].id.rpartition("~")[0]
        text += f"; failed: {len(failures):,} (first: {question_id}: {failures[0].error})"
    if n_not_asked:
        text += f"; not asked: {n_not_asked:,}"
    cost = sum(response.call.cost or 0.0 for response in outcome.responses.values())
    if cost:
        text += f"; cost: {cost:.6g}"
    return text


class JudgeItem(NamedTuple):
    """An answer that is to be judged."""

    key: str  # the question with a hash of the message
    question: str  # the id of the question
    message: str  # the filled template


@dataclasses.dataclass(frozen=True, eq=False)
class JudgeInstructions:
    """How the messages to a judge are made."""

    prompt: Prompt  # the template
    language: str = LANGUAGE  # language of the questions
    aliases: Mapping[str, Sequence[str]] | None = None  # names of gold answers that are codes

    def make_item(self, question: Question, response: Response) -> JudgeItem:
        """Return an answer with the message about it.

        The message is empty where the template fails; then the judge is not asked.
        """
        answer = "; ".join(readable_answers(response.given, None))
        if len(answer) > _MAX_ANSWER_CHARS:
            answer = f"{answer[:_MAX_ANSWER_CHARS]} (cut)"
        values = {
            "question": question.text(self.language),
            "gold": readable_answers(question.gold, self.aliases),
            "answer": answer,
            "language": self.language,
        }
        try:
            message = self.prompt.render(values)
        except Exception:  # whatever a template does with this answer
            message = ""
        digest = sha256(message.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_LENGTH]
        return JudgeItem(f"{question.id}~{digest}", question.id, message)

    def key(self, question: Question, response: Response) -> str:
        """Return the key of an answer."""
        return self.make_item(question, response).key


def answers_to_judge(
    questions: Sequence[Question], runs: Sequence[Run], instructions: JudgeInstructions
) -> list[JudgeItem]:
    """Return the answers to judge, each once, in the order of the questions.

    Answers to a question without gold answers are left out, and those that no gold could match.
    """
    items = {}
    for question in questions:
        if question.answers is None:
            continue
        for run in runs:
            for response in run.responses_to(question):
                if response.could_be_right(question.answers):
                    item = instructions.make_item(question, response)
                    items[item.key] = item
    return list(items.values())


def judge_questions(items: Sequence[JudgeItem], instructions: JudgeInstructions) -> QuestionSet:
    """Return the messages as a question set that can be asked.

    Its name and hash depend on the template alone, so that one journal can hold the verdicts on
    several runs.
    """
    tag = language_tag(instructions.language)
    questions = []
    for item in items:
        texts = {tag: (item.message,)} if item.message else {}
        questions.append(Question(item.key, texts))
    digest = sha256(instructions.prompt.text.encode()).hexdigest()
    name = f"for verdicts by {instructions.prompt.name}"
    return QuestionSet(name, "verdicts", tuple(questions), sha256=digest)


def as_judge(asker: Asker, items: Sequence[JudgeItem]) -> Asker:
    """Return an asker whose answers are verdicts; a reply without a verdict is an empty answer.

    It gets the id of the question, and not the key. Empty answers are kept with the reply, so that
    it is not paid for again.
    """
    names = {item.key: item.question for item in items}

    @asynccontextmanager
    async def opened(gate: Gate) -> AsyncIterator[AskOne]:
        async with asker.open(gate) as ask:

            async def judge(question: PosedQuestion) -> SystemReply:
                reply = await ask(question._replace(id=names.get(question.id, question.id)))
                reply = reply._replace(query="", mentions=())
                value = verdict_of(reply.answers)
                if value is not None:
                    word = next(name for name, worth in VERDICTS.items() if worth == value)
                    return reply._replace(answers=Answers(texts=((word,),)))
                raw = reply.raw
                if not raw and reply.answers is not None:
                    raw = " ".join(reply.answers.values())
                return reply._replace(answers=Answers(), raw=raw, note=_NO_VERDICT)

            yield judge

    return asker._replace(open=opened, kg=None)


def replay_verdicts(run: Run, items: Sequence[JudgeItem]) -> Asker:
    """Return a run of verdicts as a judge: the journal of a judge, or a verdict per question.

    A verdict by question counts only where one answer to it is judged: otherwise it would be
    ambiguous. Where the run has no verdict, the judge fails.
    """
    answers_to = Counter(item.question for item in items)
    responses = {}
    for item in items:
        verdict = run.responses.get(item.key)
        if verdict is None and answers_to[item.question] == 1:
            verdict = run.responses.get(item.question)
        if verdict is not None:
            responses[item.key] = dataclasses.replace(verdict, id=item.key)
    return as_judge(recorded_system(dataclasses.replace(run, responses=responses)), ())


def verdict_of(answers: Answers | None) -> float | None:
    """Return the value of the verdict that answers hold; None if they hold none.

    Strict: yes, no or partly alone, true or false, or a JSON object with ``verdict``.

    >>> says = lambda text: verdict_of(Answers(texts=((text,),)))
    >>> says("**Partly.**"), says('{"verdict": "no"}'), says("Yes, but it might be wrong")
    (0.5, 0.0, None)
    """
    if answers is None or answers.rows:
        return None
    if answers.boolean is not None:
        return float(answers.boolean)
    if len(answers.texts) != 1 or not answers.texts[0]:
        return None

    text = THOUGHT.sub("", answers.texts[0][0]).strip()
    if fenced := _FENCED.fullmatch(text):
        text = fenced[1]
    if text.startswith("{"):
        try:
            document = from_json(text)
        except ValueError:
            return None
        value = member(document, "verdict")
        text = str(value)
        if isinstance(value, bool):
            text = "yes" if value else "no"

    return VERDICTS.get(text.strip(_MARKS).casefold())
