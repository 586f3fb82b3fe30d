"""Run a suite: ask what the looks need, and say of each kind whether it got worse."""

from __future__ import annotations

import dataclasses
import itertools
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from qaldgen.analysis.score_files import matchers_in, read_scores
from qaldgen.answers.interim_looks import kept_looks, read_looks
from qaldgen.answers.journal import open_journal, read_entries
from qaldgen.answers.reading import read_runs
from qaldgen.answers.record import Response, Run
from qaldgen.asking.asking import Pacing, ask_all
from qaldgen.asking.protocols import AnyGraph, AnySystem, asker_of
from qaldgen.benchmark.gold import Gold, load_gold
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError, UsageError
from qaldgen.io.files import open_content
from qaldgen.io.text import count
from qaldgen.model import QuestionSet
from qaldgen.options import Count, Extractions, Kept, Matchers, Parallel, Positive, SameAs
from qaldgen.plugins.suite.decisions import NOT_ENOUGH, KindLook, Outcome, Plan, look_at
from qaldgen.plugins.suite.making import Suite, load_suite
from qaldgen.plugins.suite.results import SuiteResult
from qaldgen.scoring.evaluation import Evaluation, evaluate
from qaldgen.scoring.rules import AUTO, refuse_judge
from qaldgen.scoring.score import AnyRun, Scores

#: Columns of a table of scores, as 'score -q' writes it.
_SCORES = {"run", "id", "f1"}
#: Answers more questions: takes their ids, and returns why it ended before the last of them.
Ask = Callable[[Sequence[str]], str]


class _Judged(NamedTuple):
    """The scores of both systems, by question."""

    old: pd.Series[float]
    new: pd.Series[float]
    doubt: pd.Series[float]  # the variance that verdicts add which may be wrong


def run_suite(
    folder: str | Path,
    run: AnyRun | None = None,
    *,
    baseline: AnyRun,
    system: AnySystem | None = None,
    kg: AnyGraph | None = None,
    journal: Kept | None = None,
    jobs: Parallel = 1,
    budget: Positive | None = None,
    most: Count | None = None,
    match: Matchers = AUTO,
    same_as: SameAs = "none",
    language: str = LANGUAGE,
    aliases: Mapping[str, Sequence[str]] | str | Path | None = None,
    labels: str = "",
    extract: Extractions = "auto",
) -> SuiteResult:
    """Say of each kind of question whether a system is worse than a baseline.

    Parameters
    ----------
    folder
        What `make_suite` wrote.
    run
        Answers of the system; None to ask it.
    baseline
        Answers of the system before, to all questions of the suite; or its scores.

        A table as 'score -q --format csv' writes it.
    system, kg
        What is asked, as for `ask`.
    journal
        Where answers, plan and looks are kept; the same call resumes it.
    jobs
        Number of parallel requests.
    budget
        Stop before the journal costs more; needs prices.
    most
        Ask at most N questions.
    match, same_as, language, aliases, labels, extract
        See `evaluate`.

    Returns
    -------
    SuiteResult
        A verdict for each kind, with its figures.

    Raises
    ------
    UsageError
        If neither or both of answers and system are given, or the journal has another plan.
    DataError
        If a file cannot be read, or the baseline lacks answers.

    Examples
    --------
    >>> import tempfile
    >>> from qaldgen.plugins.suite.making import make_suite
    >>> asked = [{"id": f"{n}", "question": f"What is {n}?", "answers": ["1"]} for n in range(90)]
    >>> old = {f"{n}": "1" for n in range(90)}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     suite = make_suite(asked, folder, where=["charCount > 10"])
    ...     print(run_suite(folder, old | {f"{n}": "2" for n in range(40)}, baseline=old).verdicts)
    {'all': 'worse', 'charcount-10': 'worse'}
    """
    if (run is None) == (system is None):
        raise UsageError("give either the answers of the new system, or the system to ask")
    suite = load_suite(folder)
    refuse_judge(match)
    golds = {kind.name: load_gold(suite.file_of(kind), language=language) for kind in suite.kinds}
    gold = _together(suite, golds.values())
    old = _baseline(gold, baseline, language)
    before = [] if old.run is None else [old.run]
    made = evaluate(
        gold,
        before,
        match=match,
        same_as=same_as,
        language=language,
        aliases=aliases,
        labels=labels,
        extract=extract,
    )
    course = _Course(suite, golds, made, old)
    if run is not None:
        (given,) = read_runs(run, gold.questions, language)
        course.responses = dict(given.responses)
        return course.finish(given.name, lambda _: "")
    assert system is not None
    name, asker = asker_of(system, kg, language)
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(journal) if journal is not None else Path(temporary) / "journal.jsonl"
        course.resume(path)
        questions, notes = gold.questions, list[str]()

        def ask(ids: Sequence[str]) -> str:
            left = len(ids) if most is None else min(len(ids), most - len(course.responses))
            ended = "" if left == len(ids) else f"at most {most:,} questions were to be asked"
            if left < 1:
                return ended
            chosen = tuple(questions.by_id[name] for name in ids[:left])
            due = dataclasses.replace(questions, questions=chosen)
            pacing = Pacing(jobs, budget=budget)
            done = ask_all(due, asker, path, language=language, pacing=pacing)
            notes.extend(done.notes)
            if done.aborted:
                raise DataError(done.why_aborted())
            course.responses |= done.responses
            return done.stopped or ended

        result = course.finish(name, ask)
    return dataclasses.replace(result, notes=tuple(dict.fromkeys([*result.notes, *notes])))


def _together(suite: Suite, golds: Iterable[Gold]) -> Gold:
    """Return the questions of all kinds, each once."""
    every = itertools.chain(*(gold.questions.questions for gold in golds))
    questions = tuple({question.id: question for question in every}.values())
    digest = sha256("\n".join(kind.signature for kind in suite.kinds).encode()).hexdigest()
    return Gold(QuestionSet(suite.source, "rdf", questions, sha256=digest))


class _Baseline(NamedTuple):
    """The system before: its answers, or its scores and the matchers that made them."""

    run: Run | None
    scores: pd.Series[float]
    matchers: frozenset[str]
    digest: str


def _baseline(gold: Gold, given: AnyRun, language: str) -> _Baseline:
    """Read the baseline, and refuse one that lacks questions."""
    nothing = pd.Series(dtype=float)
    if isinstance(given, (str, Path)) and _holds_scores(Path(given)):
        table = read_scores(given)
        if table.shape[1] != 1:
            raise DataError(f"has {table.shape[1]} systems; keep the rows of one", where=given)
        scores, name = table.iloc[:, 0], str(table.columns[0])
        digest = sha256(scores.sort_index().to_csv().encode()).hexdigest()[:16]
        read, there = _Baseline(None, scores, matchers_in(given, name), digest), set(scores.index)
    else:
        (run,) = read_runs(given, gold.questions, language)
        read, there = _Baseline(run, nothing, frozenset(), run.sha256[:16]), set(run.responses)
    absent = [one.id for one in gold.questions.questions if one.id not in there]
    if absent:
        raise DataError(
            f"the baseline has no answer to {len(absent):,} of the"
            f" {count(len(gold.questions.questions), 'question')} of the suite (first:"
            f" {absent[0]}); ask it all of them"
        )
    return read


def _holds_scores(path: Path) -> bool:
    with open_content(path) as reader:
        first = reader.read(4096).partition(b"\n")[0]
    return set(first.decode("utf-8", "replace").strip("\ufeff\r").split(",")) >= _SCORES


class _Course:
    """A run of a suite: what is answered, what was looked at, and what comes next."""

    def __init__(
        self, suite: Suite, golds: Mapping[str, Gold], made: Evaluation, old: _Baseline
    ) -> None:
        self.suite, self.made, self.gold, self.old = suite, made, made.gold, old
        if old.matchers - {made.rules.match}:
            raise UsageError(
                f"the baseline was scored by {' and '.join(sorted(old.matchers))}, and the run by"
                f" {made.rules.match}; score both with the same `match`"
            )
        self.orders = {
            name: [question.id for question in own.questions.questions]
            for name, own in golds.items()
        }
        sizes = {kind.name: kind.sizes for kind in suite.kinds}
        self.plan = Plan(self.orders, sizes, suite.difference, suite.power)
        self.looks: dict[str, list[KindLook]] = {name: [] for name in sizes}
        self.responses: dict[str, Response] = {}
        self.wanted: set[str] = set()
        self.journal: Path | None = None
        self.known: list[Mapping[str, Any]] = []

    def resume(self, path: Path) -> None:
        """Go on with the answers and looks of a journal, if there are any."""
        self.journal = path
        if not path.exists():
            return
        self.known = list(read_looks(path))
        for record in kept_looks(path, self.fixed(), self.known):
            look = KindLook(int(record["n"]), float(record["estimate"]), float(record["variance"]))
            kind = str(record["kind"])
            self.looks[kind].append(look)
            self.wanted.update(self.orders[kind][: look.n])
        entries = read_entries(path)[0]
        self.responses = {entry.response.id: entry.response for entry in entries}

    def fixed(self) -> dict[str, Any]:
        """Return what is fixed before the first look, as the journal keeps it."""
        return {
            "rule": "suite",
            "suite": self.gold.questions.sha256[:16],
            "difference": self.suite.difference,
            "power": self.suite.power,
            "sizes": {kind.name: list(kind.sizes) for kind in self.suite.kinds},
            "baseline": self.old.digest,
            "match": self.made.rules.match,
            "judging": self.made.rules.unusual,
        }

    def finish(self, name: str, ask: Ask) -> SuiteResult:
        """Ask and look, until every kind is decided or no answer comes."""
        stopped = ""
        judged: _Judged | None = None
        if self.journal is not None and not self.known:
            self._keep([{"plan": self.fixed()}])
        while not stopped and (due := self._due()):
            wanted = dict.fromkeys(
                itertools.chain(*(self.orders[kind][:n] for kind, n in due.items()))
            )
            self.wanted |= wanted.keys()
            if missing := [one for one in wanted if one not in self.responses]:
                stopped = ask(missing)
            judged = self._judged(name)
            taken = []
            for kind, n in due.items():
                prefix = self.orders[kind][:n]
                if all(one in self.responses for one in prefix):
                    apart = np.asarray((judged.new - judged.old)[prefix], dtype=np.float64)
                    old = np.asarray(judged.old[self.orders[kind]], dtype=np.float64)
                    look = look_at(apart, old, float(judged.doubt[prefix].sum()))
                    self.looks[kind].append(look)
                    taken.append({"kind": kind, **look._asdict()})
            if taken:
                self._keep(taken)
            elif not stopped:
                stopped = "answers are missing"
        judged = judged or self._judged(name)
        return SuiteResult(
            self.suite, name, self._outcomes(), self._figures(judged),
            len(self.wanted & self.responses.keys()),
            len(self.gold.questions.questions), self._answered(name).notes, stopped,
        )  # fmt: skip

    def _due(self) -> dict[str, int]:
        """Return by kind that is not decided how many questions its next look needs."""
        outcomes = self.plan.decide(self.looks)
        return {
            kind: self.plan.sizes[kind][len(self.looks[kind])]
            for kind, outcome in outcomes.items()
            if not outcome.verdict
        }

    def _outcomes(self) -> dict[str, Outcome]:
        """Return the verdicts at the end: what is not decided has too few answers."""
        outcomes = self.plan.decide(self.looks)
        return {
            kind: outcome if outcome.verdict else outcome._replace(verdict=NOT_ENOUGH)
            for kind, outcome in outcomes.items()
        }

    def _figures(self, judged: _Judged) -> dict[str, tuple[float, float]]:
        """Return by kind the scores of both systems on the questions of its last look."""
        figures = {}
        for kind, looks in self.looks.items():
            prefix = self.orders[kind][: looks[-1].n] if looks else []
            figures[kind] = float(judged.old[prefix].mean()), float(judged.new[prefix].mean())
        return figures

    def _judged(self, name: str) -> _Judged:
        """Score both systems by the same rules."""
        ids = [question.id for question in self.gold.questions.questions]
        if self.old.run is None:
            new = self._answered(name)
            return _Judged(self.old.scores[ids], _f1(new, ids), _doubt(new, ids))
        # a verdict that is a guess depends on the other answers: what is not asked is as before
        (old,), before = self.made, self.old.run.responses
        new = self.made.score(Run(name, "journal", {**before, **self.responses}))
        # a verdict that is wrong on both in the same way is no difference
        same = pd.Series(
            [
                name in self.responses and self.responses[name].answers == before[name].answers
                for name in ids
            ],
            index=ids,
        )
        old_f1 = _f1(old, ids)
        doubt = (_doubt(new, ids) + _doubt(old, ids)).where(~same, 0.0)
        return _Judged(old_f1, _f1(new, ids).where(~same, old_f1), doubt)

    def _answered(self, name: str) -> Scores:
        """Score what is answered; what was not asked yet is not missing."""
        questions = self.gold.questions
        answered = tuple(one for one in questions.questions if one.id in self.responses)
        gold = Gold(dataclasses.replace(questions, questions=answered or questions.questions))
        made = dataclasses.replace(self.made, gold=gold)
        return made.score(Run(name, "journal", self.responses))

    def _keep(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Write the plan or looks to the journal."""
        if self.journal is None:
            return
        with open_journal(self.journal) as kept:
            for record in records:
                kept.add_look(record)


def _f1(scored: Scores, ids: list[str]) -> pd.Series[float]:
    """Return F1 by question; what the matcher cannot judge is not right."""
    return scored.counts["f1"].reindex(ids).fillna(0.0)


def _doubt(scored: Scores, ids: list[str]) -> pd.Series[float]:
    """Return the variance of each verdict, from the probability that it is right."""
    if scored.sure is None:
        return pd.Series(0.0, index=ids)
    sure = scored.sure.reindex(ids).fillna(1.0)
    return sure * (1.0 - sure)
