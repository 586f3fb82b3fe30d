"""Let a system judge answers: a proxy for what is right, which hand labels correct."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from qaldgen.asking.asking import Asking, Pacing, ask_all
from qaldgen.asking.judging import (
    Briefing,
    Judged,
    as_judge,
    as_judge_system,
    as_questions,
    replayed,
    to_judge,
    verdict_of,
)
from qaldgen.asking.record import Asker, System
from qaldgen.asking.systems import AnySystem, asker_of, system_of
from qaldgen.asking.templates import JUDGE, load_judge_prompt
from qaldgen.errors import DataError
from qaldgen.io.progress import step
from qaldgen.options import Count, Natural, Parallel, Positive
from qaldgen.runs.given import count
from qaldgen.runs.reading import read_run
from qaldgen.runs.record import Response, Run
from qaldgen.scoring.aliases import gold_wordings
from qaldgen.scoring.gold import AnyGold, Gold, as_gold
from qaldgen.scoring.judging import Verdicts

_KINDS = {"right": 1.0, "partly right": 0.5, "wrong": 0.0}


def judge(
    gold: AnyGold,
    runs: str | Path | Run | Sequence[str | Path | Run],
    system: AnySystem,
    *,
    template: str = JUDGE,
    journal: str | Path | None = None,
    language: str = "en",
    aliases: Mapping[str, Sequence[str]] | str | Path | None = None,
    labels: str = "",
    jobs: Parallel = 1,
    rate: Positive | None = None,
    max_failures: Natural = 10,
    limit: Count | None = None,
    budget: Positive | None = None,
) -> Verdicts:
    """Ask a system whether the answers of runs are right.

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
        ``judge``, or a file with a Jinja template of ``question``, ``gold`` (a list), ``answer``
        and ``language``.
    journal
        Where each verdict is kept as soon as it arrives; recorded ones are not asked again. None
        keeps none.
    language
        Language of the questions.
    aliases, labels
        See `score`.
    jobs, rate, max_failures, limit, budget
        See `ask`.

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
    """
    asked = as_gold(gold, language=language)
    several = [runs] if isinstance(runs, (str, Path, Run)) else list(runs)
    given = [
        one if isinstance(one, Run) else read_run(one, gold=asked.questions, language=language)
        for one in several
    ]
    wordings = gold_wordings(aliases, labels, asked, language)
    briefing = Briefing(load_judge_prompt(template), language, wordings)
    items = to_judge(asked.questions.questions, given, briefing)
    asker = _asker(system, items, language)
    pacing = Pacing(jobs, rate, max_failures, limit, budget)
    # The loop that asks needs a journal; if the caller has none, it writes a temporary one.
    with tempfile.TemporaryDirectory() as folder, step("judging", len(items)) as advance:
        kept = Path(journal) if journal is not None else Path(folder) / "judge.jsonl"
        done = ask_all(
            as_questions(items, briefing),
            asker,
            kept,
            language=language,
            pacing=pacing,
            watch=lambda _: advance(1),
        )
    if done.aborted:
        raise DataError(f"the judge: {done.why_aborted()}")
    return _verdicts(asker, briefing, items, done, asked)


def _asker(system: AnySystem, items: Sequence[Judged], language: str) -> Asker:
    """Return whom to ask."""
    if isinstance(system, str):
        system = system_of(system, language)
    if isinstance(system, System):
        if system.protocol == "recorded":
            return replayed(read_run(Path(system.where)), items)
        system = as_judge_system(system)
    return as_judge(asker_of(system, language=language)[1], items)


def _verdicts(
    asker: Asker, briefing: Briefing, items: Sequence[Judged], done: Asking, gold: Gold
) -> Verdicts:
    """Return the verdicts of the judge, and notes on them."""
    found = {
        name: value
        for name, response in done.responses.items()
        if (value := verdict_of(response.answers)) is not None
    }
    told = [_in_words(asker, items, done, found)]
    unknown = [one.id for one in gold.questions.questions if one.answers is None]
    if unknown:
        told.append(
            f"{count(len(unknown), 'question')} without gold answers (first: {unknown[0]}) cannot"
            " be judged"
        )
    told += [f"the judge stopped early: {done.stopped}"] if done.stopped else []
    prompt = briefing.prompt
    return Verdicts(asker.name, prompt.name, prompt.text, briefing.key, found, tuple(told))


def _in_words(
    asker: Asker, items: Sequence[Judged], done: Asking, found: Mapping[str, float]
) -> str:
    """Say how many answers were judged, how many verdicts failed and why, and what they cost."""
    kinds = {name: sum(one == worth for one in found.values()) for name, worth in _KINDS.items()}
    told = ", ".join(f"{number:,} {name}" for name, number in kinds.items())
    lost = [one for name, one in done.responses.items() if name not in found]
    failed = f"; failed: {len(lost):,} (first: {_why(lost[0])})" if lost else ""
    left = len(items) - len(done.responses)
    failed += f"; not asked: {left:,}" if left else ""
    cost = sum(one.call.cost or 0.0 for one in done.responses.values())
    paid = f"; cost: {cost:.6g}" if cost else ""
    return (
        f"{asker.name} judged {count(len(found), 'answer')} ({told}); asked now:"
        f" {done.asked:,}{failed}{paid}"
    )


def _why(response: Response) -> str:
    return f"{response.id.rpartition('~')[0]}: {response.error}"
