"""Run a suite: ask the questions that the looks need, and decide which kinds got worse."""

from __future__ import annotations

import dataclasses
import itertools
import tempfile
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from qaldgen.analysis.score_files import matchers_in, read_scores
from qaldgen.answers.interim_looks import read_looks
from qaldgen.answers.journal import JOURNAL, open_journal, read_entries
from qaldgen.answers.record import Response, Run
from qaldgen.answers.several_runs import read_runs
from qaldgen.asking.asking import Pacing, ask_all
from qaldgen.asking.protocols import AnyGraph, AnySystem, asker_of
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
from qaldgen.plugins.stopping.kept_looks import check_plan
from qaldgen.plugins.suite.decisions import NOT_ENOUGH, InterimDifference, Plan, interim_difference
from qaldgen.plugins.suite.making import Suite, load_suite
from qaldgen.plugins.suite.results import SuiteResult
from qaldgen.questions.records import ReadOptions
from qaldgen.scoring.evaluation import Evaluation, evaluate
from qaldgen.scoring.rules import AUTO, refuse_judge
from qaldgen.scoring.score import AnyRun, Scores

#: Columns of a table of scores, as 'score -q' writes it.
_SCORES = {"run", "id", "f1"}
#: Asks more questions: takes their ids, and returns why it ended before the last of them.
Ask = Callable[[Sequence[str]], str]


class _ScorePair(NamedTuple):
    """The scores of both systems, by question."""

    old: pd.Series[float]
    new: pd.Series[float]
    doubt: pd.Series[float]  # the variance due to verdicts that may be wrong


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
    by_id: dict[str, Question] = {}
    for gold_of_kind in gold_by_kind.values():
        by_id |= gold_of_kind.questions.by_id
    digest = sha256("\n".join(kind.signature for kind in suite.kinds).encode()).hexdigest()
    gold = Gold(QuestionSet("the suite", "rdf", tuple(by_id.values()), sha256=digest))
    old = _read_baseline(gold, baseline, language)
    runs = [] if old.run is None else [old.run]
    evaluation = evaluate(
        gold,
        runs,
        match=match,
        same_as=same_as,
        language=language,
        aliases=aliases,
        labels=labels,
        extract=extract,
    )
    if old.matchers - {evaluation.rules.match}:
        raise UsageError(
            f"the baseline was scored by {' and '.join(sorted(old.matchers))}, and the run by"
            f" {evaluation.rules.match}; score both with the same `match`"
        )
    if run is not None:
        (new,) = read_runs(run, gold.questions, language)
        suite_run = _SuiteRun(suite, gold_by_kind, evaluation, old=old, system=new.name)
        suite_run.responses = dict(new.responses)
        return suite_run.finish(lambda missing: "")
    assert system is not None
    asker = asker_of(system, kg, language)
    name = asker.title or asker.name
    suite_run = _SuiteRun(suite, gold_by_kind, evaluation, old=old, system=name)
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(journal) if journal is not None else Path(temporary) / "journal.jsonl"
        suite_run.resume(path)
        notes: list[str] = []

        def ask(ids: Sequence[str]) -> str:
            limit = len(ids)
            reason = ""
            if most is not None and most - len(suite_run.responses) < limit:
                limit = most - len(suite_run.responses)
                reason = f"at most {most:,} questions were to be asked"
            if limit < 1:
                return reason
            next_questions = tuple(by_id[name] for name in ids[:limit])
            next_set = dataclasses.replace(gold.questions, questions=next_questions)
            pacing = Pacing(jobs, budget=budget)
            outcome = ask_all(next_set, asker, path, language=language, pacing=pacing)
            notes.extend(outcome.notes)
            if outcome.aborted:
                raise DataError(outcome.abort_message())
            suite_run.responses |= outcome.responses
            return outcome.stopped or reason

        result = suite_run.finish(ask)
    return dataclasses.replace(result, notes=tuple(dict.fromkeys([*result.notes, *notes])))


class _Baseline(NamedTuple):
    """The old system: its answers, or its scores and the matchers behind them."""

    run: Run | None
    scores: pd.Series[float]
    matchers: frozenset[str]
    digest: str


def _read_baseline(gold: Gold, baseline: AnyRun, language: str) -> _Baseline:
    """Read answers, or a table of scores; refuse one that lacks questions of the suite."""
    if isinstance(baseline, (str, Path)) and _is_score_table(baseline):
        table = read_scores(baseline)
        if table.shape[1] != 1:
            raise DataError(f"has {table.shape[1]} systems; keep the rows of one", where=baseline)
        scores = table.iloc[:, 0]
        digest = sha256(scores.sort_index().to_csv().encode()).hexdigest()[:16]
        old = _Baseline(None, scores, matchers_in(baseline, str(table.columns[0])), digest)
        answered = set(scores.index)
    else:
        (run,) = read_runs(baseline, gold.questions, language)
        old = _Baseline(run, pd.Series(dtype=float), frozenset(), run.sha256[:16])
        answered = set(run.responses)
    questions = gold.questions
    absent = [question.id for question in questions if question.id not in answered]
    if absent:
        raise DataError(
            f"the baseline has no answer to {len(absent):,} of the"
            f" {count(len(questions), 'question')} of the suite (first: {absent[0]}); ask it all of"
            " them"
        )
    return old


def _is_score_table(path: str | Path) -> bool:
    """Return whether a file is a table of scores, by its first line."""
    with open_content(Path(path)) as reader:
        header = reader.read(4096).partition(b"\n")[0].decode("utf-8", "replace")
    return set(header.strip("\ufeff\r").split(",")) >= _SCORES


class _SuiteRun:
    """A run of a suite: the answers, the looks taken, and the questions that come next."""

    def __init__(
        self,
        suite: Suite,
        golds: Mapping[str, Gold],
        evaluation: Evaluation,
        *,
        old: _Baseline,
        system: str,
    ) -> None:
        self.suite = suite
        self.evaluation = evaluation
        self.old = old
        self.system = system
        self.questions = evaluation.gold.questions
        self.orders = {name: [each.id for each in gold.questions] for name, gold in golds.items()}
        sizes = {kind.name: kind.sizes for kind in suite.kinds}
        self.plan = Plan(self.orders, sizes, suite.difference, suite.power)
        self.looks: dict[str, list[InterimDifference]] = {name: [] for name in sizes}
        self.responses: dict[str, Response] = {}
        self.needed: set[str] = set()  # the questions that looks were planned on
        self.journal: Path | None = None

    def resume(self, path: Path) -> None:
        """Use a journal for answers, plan and looks, and read those that it has."""
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
        self.journal = path
        records = read_looks(path) if path.exists() else ()
        for record in check_plan(path, plan, records):
            look = InterimDifference(
                int(record["n"]), float(record["estimate"]), float(record["variance"])
            )
            kind = str(record["kind"])
            self.looks[kind].append(look)
            self.needed.update(self.orders[kind][: look.n])
        if path.exists():
            entries = read_entries(path)[0]
            self.responses = {entry.response.id: entry.response for entry in entries}
        if not records:
            self._record_looks([{"plan": plan}])

    def finish(self, ask: Ask) -> SuiteResult:
        """Ask and look until every kind is decided or no further answers come."""
        stopped = ""
        outcomes = self.plan.decide(self.looks)
        while not stopped and not all(outcome.verdict for outcome in outcomes.values()):
            prefixes = {
                kind: self.orders[kind][: self.plan.sizes[kind][len(self.looks[kind])]]
                for kind, outcome in outcomes.items()
                if not outcome.verdict
            }
            needed = dict.fromkeys(itertools.chain(*prefixes.values()))
            self.needed |= needed.keys()
            missing = [name for name in needed if name not in self.responses]
            if missing:
                stopped = ask(missing)
            if not self._take_looks(prefixes) and not stopped:
                stopped = "answers are missing"
            outcomes = self.plan.decide(self.looks)
        for kind, outcome in outcomes.items():
            if not outcome.verdict:
                outcomes[kind] = outcome._replace(verdict=NOT_ENOUGH)
        scores = self._score_both()
        means = {}
        for kind, looks in self.looks.items():
            prefix = self.orders[kind][: looks[-1].n] if looks else []
            means[kind] = (float(scores.old[prefix].mean()), float(scores.new[prefix].mean()))
        return SuiteResult(
            suite=self.suite,
            system=self.system,
            outcomes=outcomes,
            scores=means,
            asked=len(self.needed & self.responses.keys()),
            size=len(self.questions),
            notes=self._score_answered().notes,
            stopped=stopped,
        )

    def _take_looks(self, prefixes: Mapping[str, list[str]]) -> bool:
        """Look at the kinds whose questions are all answered, and return whether there are any."""
        scores = self._score_both()
        records = []
        for kind, prefix in prefixes.items():
            if self.responses.keys() >= set(prefix):
                differences = np.asarray((scores.new - scores.old)[prefix], dtype=np.float64)
                old = np.asarray(scores.old[self.orders[kind]], dtype=np.float64)
                look = interim_difference(differences, old, float(scores.doubt[prefix].sum()))
                self.looks[kind].append(look)
                records.append({"kind": kind, **look._asdict()})
        self._record_looks(records)
        return bool(records)

    def _score_both(self) -> _ScorePair:
        """Score both systems by one set of rules."""
        ids = [question.id for question in self.questions]
        if self.old.run is None:
            answered = self._score_answered()
            return _ScorePair(self.old.scores[ids], _f1(answered, ids), _doubt(answered, ids))
        (old,) = self.evaluation
        earlier = self.old.run.responses
        # with the old answers to questions not asked yet, as guesses depend on all answers
        new = self.evaluation.score(Run(self.system, JOURNAL, {**earlier, **self.responses}))
        # equal answers have equal scores, also if a verdict on them is wrong
        unchanged = []
        for name in ids:
            response = self.responses.get(name)
            unchanged.append(response is not None and response.answers == earlier[name].answers)
        is_unchanged = pd.Series(unchanged, index=ids)
        old_f1 = _f1(old, ids)
        new_f1 = _f1(new, ids).mask(is_unchanged, old_f1)
        doubt = _doubt(new, ids) + _doubt(old, ids)
        return _ScorePair(old_f1, new_f1, doubt.mask(is_unchanged, 0.0))

    def _score_answered(self) -> Scores:
        """Score the answers, without counting questions that were not asked yet as missing."""
        questions = self.questions.questions
        answered = tuple(question for question in questions if question.id in self.responses)
        answered_set = dataclasses.replace(self.questions, questions=answered or questions)
        evaluation = dataclasses.replace(self.evaluation, gold=Gold(answered_set))
        return evaluation.score(Run(self.system, JOURNAL, self.responses))

    def _record_looks(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Write the plan or looks to the journal."""
        if self.journal is None or not records:
            return
        with open_journal(self.journal) as journal:
            for record in records:
                journal.add_look(record)


def _f1(scored: Scores, ids: list[str]) -> pd.Series[float]:
    """Return F1 by question; an answer that the matcher cannot judge has 0."""
    return scored.counts["f1"].reindex(ids).fillna(0.0)


def _doubt(scored: Scores, ids: list[str]) -> pd.Series[float]:
    """Return the variance of each verdict, from the probability that it is correct."""
    if scored.sure is None:
        return pd.Series(0.0, index=ids)
    probabilities = scored.sure.reindex(ids).fillna(1.0)
    return probabilities * (1.0 - probabilities)
