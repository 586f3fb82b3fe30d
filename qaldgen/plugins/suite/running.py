"""Run a suite: ask the questions that the looks need, and decide which kinds got worse."""

from __future__ import annotations

import dataclasses
import itertools
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from qaldgen.analysis.score_files import matchers_in, read_scores
from qaldgen.answers.journal import JOURNAL, read_entries
from qaldgen.answers.record import Response, Run
from qaldgen.answers.resume import Resumed
from qaldgen.answers.several_runs import read_runs
from qaldgen.asking.asking import Pacing, ask_all
from qaldgen.asking.protocols import AnySystem, asker_of
from qaldgen.asking.systems import Asker
from qaldgen.benchmark.gold import Gold, load_gold
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError, UsageError
from qaldgen.io.text import count
from qaldgen.io.unpacking import open_content
from qaldgen.model import Question, QuestionSet
from qaldgen.options import (
    Extractions,
    JournalPath,
    Matchers,
    Parallel,
    Positive,
    PositiveInt,
    SameAs,
)
from qaldgen.plugins.stopping.kept_looks import LookJournal
from qaldgen.plugins.suite.decisions import (
    NOT_ENOUGH,
    InterimDifference,
    KindOutcome,
    SuitePlan,
    interim_difference,
)
from qaldgen.plugins.suite.making import Suite, load_suite
from qaldgen.plugins.suite.suite_result import SuiteResult
from qaldgen.questions.collecting import ReadOptions
from qaldgen.scoring.evaluation import Evaluation, evaluate
from qaldgen.scoring.rules import AUTO, refuse_judge
from qaldgen.scoring.score import AnyRun, Scores
from qaldgen.stores.graphs import AnyGraph

#: Columns of a table of scores, as 'score -q' writes it.
_SCORES = {"run", "id", "f1"}


class _ScorePair(NamedTuple):
    """The scores of both systems, by question."""

    old: pd.Series[float]
    new: pd.Series[float]
    variance: pd.Series[float]  # that of the difference, as verdicts may be wrong


def run_suite(
    folder: str | Path,
    run: AnyRun | None = None,
    *,
    baseline: AnyRun,
    system: AnySystem | None = None,
    kg: AnyGraph | None = None,
    journal: JournalPath | None = None,
    jobs: Parallel = 1,
    budget: Positive | None = None,
    most: PositiveInt | None = None,
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
    >>> questions = [{"id": f"{n}", "question": f"Is it {n}?", "answers": ["1"]} for n in range(90)]
    >>> old = {f"{n}": "1" for n in range(90)}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     suite = make_suite(questions, folder, where=["charCount > 8"])
    ...     print(run_suite(folder, old | {f"{n}": "2" for n in range(40)}, baseline=old).verdicts)
    {'all': 'worse', 'charcount-8': 'worse'}
    """
    if (run is None) == (system is None):
        raise UsageError("give either the answers of the new system, or the system to ask")
    suite = load_suite(folder)
    refuse_judge(match)

    gold_by_kind = {
        kind.name: load_gold(suite.file_of(kind), ReadOptions(language=language))
        for kind in suite.kinds
    }
    # the questions of all kinds, each once
    by_id: dict[str, Question] = {}
    for kind_gold in gold_by_kind.values():
        by_id |= kind_gold.questions.by_id
    digest = sha256("\n".join(kind.signature for kind in suite.kinds).encode()).hexdigest()
    gold = Gold(QuestionSet("the suite", "rdf", tuple(by_id.values()), sha256=digest))

    old_system = _read_baseline(gold, baseline, language)
    evaluation = evaluate(
        gold,
        [] if old_system.run is None else [old_system.run],
        match=match,
        same_as=same_as,
        language=language,
        aliases=aliases,
        labels=labels,
        extract=extract,
    )
    if old_system.matchers - {evaluation.rules.match}:
        matchers = " and ".join(sorted(old_system.matchers))
        raise UsageError(
            f"the baseline was scored by {matchers}, and the run by {evaluation.rules.match}; score"
            " both with the same `match`"
        )

    if system is None:
        (new_run,) = read_runs(run, gold.questions, language)
        suite_run = _SuiteRun(
            suite,
            gold_by_kind,
            evaluation,
            old=old_system,
            name=new_run.name,
            responses=new_run.responses,
        )
        return suite_run.decide()

    with tempfile.TemporaryDirectory() as temporary:
        path = Path(journal) if journal is not None else Path(temporary) / "journal.jsonl"
        asker = asker_of(system, kg, language)
        new_system = _System(asker, path, language, Pacing(jobs, budget=budget), most)
        name = asker.title or asker.name
        suite_run = _SuiteRun(suite, gold_by_kind, evaluation, old=old_system, name=name)
        return suite_run.decide(new_system)


class _Baseline(NamedTuple):
    """The old system: its answers, or its scores and the matchers behind them."""

    run: Run | None
    scores: pd.Series[float]
    matchers: frozenset[str]
    digest: str


def _read_baseline(gold: Gold, baseline: AnyRun, language: str) -> _Baseline:
    """Read answers, or a table of scores; refuse one that lacks questions of the suite."""
    # the first line tells a table of scores from answers
    columns: list[str] = []
    if isinstance(baseline, (str, Path)):
        with open_content(Path(baseline)) as reader:
            header = reader.read(4096).partition(b"\n")[0].decode("utf-8", "replace")
        columns = header.strip("\ufeff\r").split(",")

    if isinstance(baseline, (str, Path)) and set(columns) >= _SCORES:
        table = read_scores(baseline)
        if table.shape[1] != 1:
            raise DataError(f"has {table.shape[1]} systems; keep the rows of one", where=baseline)
        scores = table.iloc[:, 0]
        digest = sha256(scores.sort_index().to_csv().encode()).hexdigest()[:16]
        old_system = _Baseline(None, scores, matchers_in(baseline, str(table.columns[0])), digest)
        answered_ids = set(scores.index)
    else:
        (run,) = read_runs(baseline, gold.questions, language)
        old_system = _Baseline(run, pd.Series(dtype=float), frozenset(), run.sha256[:16])
        answered_ids = set(run.responses)

    questions = gold.questions
    absent = [question.id for question in questions if question.id not in answered_ids]
    if absent:
        raise DataError(
            f"the baseline has no answer to {len(absent):,} of the"
            f" {count(len(questions), 'question')} of the suite (first: {absent[0]}); ask it all of"
            " them"
        )

    return old_system


class _System(NamedTuple):
    """The new system, and how it is asked."""

    asker: Asker
    journal: Path
    language: str
    pacing: Pacing
    most: int | None  # the maximum number of questions

    def ask(self, questions: QuestionSet, n_answered: int) -> Resumed:
        """Ask questions after others were answered, but no more than the maximum."""
        n_allowed = len(questions)
        limit_message = ""
        if self.most is not None and self.most - n_answered < n_allowed:
            n_allowed = self.most - n_answered
            limit_message = f"at most {self.most:,} questions were to be asked"
        if n_allowed < 1:
            return Resumed({}, 0, limit_message)
        allowed = dataclasses.replace(questions, questions=questions.questions[:n_allowed])
        result = ask_all(
            allowed, self.asker, self.journal, language=self.language, pacing=self.pacing
        )
        if result.aborted:
            raise DataError(result.abort_message())
        return result._replace(stopped=result.stopped or limit_message)


class _SuiteRun:
    """A run of a suite: the answers, the looks taken, and the questions that come next."""

    def __init__(
        self,
        suite: Suite,
        gold_by_kind: Mapping[str, Gold],
        evaluation: Evaluation,
        *,
        old: _Baseline,
        name: str,
        responses: Mapping[str, Response] | None = None,
    ) -> None:
        self.suite = suite
        self.evaluation = evaluation
        self.old = old
        self.name = name  # of the new system
        self.questions = evaluation.gold.questions
        self.ids = [question.id for question in self.questions]
        self.orders = {
            kind: [question.id for question in gold.questions]
            for kind, gold in gold_by_kind.items()
        }
        sizes = {kind.name: kind.sizes for kind in suite.kinds}
        self.plan = SuitePlan(self.orders, sizes, suite.difference, suite.power)
        self.looks: dict[str, list[InterimDifference]] = {kind: [] for kind in sizes}
        self.responses = dict(responses or {})
        self.needed: set[str] = set()  # the questions that looks were planned on

    def decide(self, system: _System | None = None) -> SuiteResult:
        """Look until every kind is decided, or no answers are left; ask `system` for missing ones.

        Its journal is resumed.
        """
        look_journal = None if system is None else self._resume(system.journal)
        notes: list[str] = []
        stopped = ""
        outcomes = self.plan.decide(self.looks)
        while not stopped and not all(outcome.verdict for outcome in outcomes.values()):
            # the questions of the next look at each undecided kind
            prefixes = {}
            for kind, outcome in outcomes.items():
                if not outcome.verdict:
                    size = self.plan.sizes[kind][len(self.looks[kind])]
                    prefixes[kind] = self.orders[kind][:size]
            needed = dict.fromkeys(itertools.chain(*prefixes.values()))
            self.needed |= needed.keys()
            missing = self._subset(each for each in needed if each not in self.responses)
            if missing and system is not None:
                result = system.ask(missing, len(self.responses))
                self.responses |= result.responses
                notes += result.notes
                stopped = result.stopped

            # look at the kinds whose questions are all answered
            scores = self._score_both()
            records = []
            for kind, prefix in prefixes.items():
                if self.responses.keys() >= set(prefix):
                    differences = np.asarray((scores.new - scores.old)[prefix], dtype=np.float64)
                    old = np.asarray(scores.old[self.orders[kind]], dtype=np.float64)
                    variance = float(scores.variance[prefix].sum())
                    look = interim_difference(differences, old, variance)
                    self.looks[kind].append(look)
                    records.append({"kind": kind, **look._asdict()})
            if look_journal is not None:
                look_journal.add(records)
            if not records and not stopped:
                stopped = "answers are missing"
            outcomes = self.plan.decide(self.looks)
        return self._result(outcomes, stopped, notes)

    def _resume(self, path: Path) -> LookJournal:
        """Read the answers and looks of a journal, which gets the plan if it has none."""
        plan = {
            "rule": "suite",
            "suite": self.questions.sha256[:16],
            "difference": self.suite.difference,
            "power": self.suite.power,
            "sizes": {kind.name: list(kind.sizes) for kind in self.suite.kinds},
            "baseline": self.old.digest,
            "match": self.evaluation.rules.match,
            "judging": self.evaluation.rules.unusual,
        }
        look_journal = LookJournal(path, plan)

        for record in look_journal.earlier:
            look = InterimDifference(
                int(record["n"]), float(record["estimate"]), float(record["variance"])
            )
            kind = str(record["kind"])
            self.looks[kind].append(look)
            self.needed.update(self.orders[kind][: look.n])

        if path.exists():
            entries = read_entries(path)[0]
            self.responses = {entry.response.id: entry.response for entry in entries}
        look_journal.add(())
        return look_journal

    def _subset(self, ids: Iterable[str]) -> QuestionSet:
        """Return some questions of the suite."""
        questions = tuple(self.questions.by_id[question_id] for question_id in ids)
        return dataclasses.replace(self.questions, questions=questions)

    def _result(
        self, outcomes: Mapping[str, KindOutcome], stopped: str, notes: Sequence[str]
    ) -> SuiteResult:
        """Return the result; what is undecided now lacks questions."""
        scores = self._score_both()
        final = {}
        means = {}
        for kind, outcome in outcomes.items():
            final[kind] = outcome._replace(verdict=outcome.verdict or NOT_ENOUGH)
            looks = self.looks[kind]
            prefix = self.orders[kind][: looks[-1].n] if looks else []
            means[kind] = (float(scores.old[prefix].mean()), float(scores.new[prefix].mean()))

        return SuiteResult(
            suite=self.suite,
            system=self.name,
            outcomes=final,
            scores=means,
            asked=len(self.needed & self.responses.keys()),
            size=len(self.questions),
            notes=tuple(dict.fromkeys([*self._score_answered().notes, *notes])),
            stopped=stopped,
        )

    def _score_both(self) -> _ScorePair:
        """Score both systems by one set of rules."""
        ids = self.ids
        if self.old.run is None:
            answered = self._score_answered()
            return _ScorePair(self.old.scores[ids], _f1(answered, ids), _variance(answered, ids))

        (old,) = self.evaluation
        earlier = self.old.run.responses
        # with the old answers to questions not asked yet, as guesses depend on all answers
        new = self.evaluation.score(Run(self.name, JOURNAL, {**earlier, **self.responses}))

        # equal answers have equal scores, also if a verdict on them is wrong
        unchanged = []
        for question_id in ids:
            response = self.responses.get(question_id)
            unchanged.append(
                response is not None and response.answers == earlier[question_id].answers
            )

        is_unchanged = pd.Series(unchanged, index=ids)
        old_f1 = _f1(old, ids)
        new_f1 = _f1(new, ids).mask(is_unchanged, old_f1)
        variance = _variance(new, ids) + _variance(old, ids)
        return _ScorePair(old_f1, new_f1, variance.mask(is_unchanged, 0.0))

    def _score_answered(self) -> Scores:
        """Score the answers, without counting questions that were not asked yet as missing."""
        ids = [question_id for question_id in self.ids if question_id in self.responses]
        evaluation = dataclasses.replace(self.evaluation, gold=Gold(self._subset(ids or self.ids)))
        return evaluation.score(Run(self.name, JOURNAL, self.responses))


def _f1(scored: Scores, ids: list[str]) -> pd.Series[float]:
    """Return F1 by question; an answer that the matcher cannot judge has 0."""
    return scored.counts["f1"].reindex(ids).fillna(0.0)


def _variance(scored: Scores, ids: list[str]) -> pd.Series[float]:
    """Return the variance of each verdict, from the probability that it is correct."""
    if scored.sure is None:
        return pd.Series(0.0, index=ids)
    probabilities = scored.sure.reindex(ids).fillna(1.0)
    return probabilities * (1.0 - probabilities)
