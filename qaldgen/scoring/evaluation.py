"""Evaluations: runs judged question by question, from which `compare` and other views are made."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, cast

import pandas as pd

from qaldgen.answers.journal import JOURNAL
from qaldgen.answers.record import Response, Run
from qaldgen.benchmark.aliases import aliases_of
from qaldgen.benchmark.benchmark import Benchmark
from qaldgen.benchmark.gold import AnyGold, Gold, as_gold
from qaldgen.benchmark.own_runs import read_all
from qaldgen.benchmark.question_features import CLUSTER, features_of
from qaldgen.defaults import DECIMALS, LANGUAGE
from qaldgen.errors import DataError, UsageError
from qaldgen.io.notes import collecting
from qaldgen.io.progress import step
from qaldgen.io.result_display import result_html, result_text
from qaldgen.io.text import count
from qaldgen.model import BAR, CHOSEN_BY, Question, QuestionSet
from qaldgen.options import Extractions, Matchers, Repeats, SameAs
from qaldgen.questions.file_content import is_in_memory
from qaldgen.questions.question_texts import choose_language
from qaldgen.scoring.judging import RunScorer, on_editions
from qaldgen.scoring.leads import with_leads
from qaldgen.scoring.matchers import MATCHERS, all_matchers
from qaldgen.scoring.measures import OUTCOME_MEASURES, WORDING_MEASURES, available_measures
from qaldgen.scoring.outcomes import TypeSource, with_outcomes
from qaldgen.scoring.repeats import read_aggregation
from qaldgen.scoring.rules import AUTO, Rules, Verdicts
from qaldgen.scoring.score import AnyRun, Scores, check_names, notes_of
from qaldgen.scoring.score_table import (
    QUESTION,
    is_score_table,
    read_score_table,
    write_score_table,
)
from qaldgen.scoring.wordings import in_other_wordings, with_wordings

#: The format of questions and runs of which only the scores are known.
SAVED = "scores"
#: One run or several; None for those in columns of the questions.
AnyRuns: TypeAlias = "AnyRun | Iterable[AnyRun] | None"
#: Columns of a saved evaluation that are about questions, without their features.
_QUESTION_COLUMNS = [QUESTION, "language", "weight", "cluster", "inclusion", CHOSEN_BY]
_ONE_RUN = (
    "one run is needed (a file, what read_run or ask returns, scores, a dict of id and answer, a"
    " list of dicts or a DataFrame), not {}; call it for each run, or compare several with compare."
    " Answers alone, in the order of the questions, need ids: dict(zip(ids, answers))"
)


@dataclasses.dataclass(frozen=True, eq=False)
class Evaluation:
    """Questions with the scores of runs, which every view reads.

    Attributes
    ----------
    gold : Gold
        The questions, with the changes of other editions of the gold.
    scores : tuple of Scores
        One for each run.
    rules : Rules
        When an answer is right.
    types : TypeSource or None
        Where the types of answers come from, for measures of mistakes.
    weights : Series or None
        By question; None for equal ones.
    known : DataFrame or None
        The features of the questions, if they were read from a file.
    """

    gold: Gold
    scores: tuple[Scores, ...]
    rules: Rules = Rules()  # noqa: RUF009 - a tuple
    types: TypeSource | None = None
    weights: pd.Series[float] | None = None
    known: pd.DataFrame | None = dataclasses.field(default=None, repr=False)

    @functools.cached_property
    def features(self) -> pd.DataFrame:
        """The features of each question (index: its id), computed on first use."""
        if self.known is not None:
            return self.known
        return features_of(self.gold, language=self.language)

    def __len__(self) -> int:
        """Return the number of runs."""
        return len(self.scores)

    def __iter__(self) -> Iterator[Scores]:
        """Return the scores of each run."""
        return iter(self.scores)

    def __getitem__(self, run: str | int) -> Scores:
        """Return the scores of a run, by its name or its position."""
        if isinstance(run, int):
            return self.scores[run]
        by_name = {scores.name: scores for scores in self.scores}
        if run not in by_name:
            raise KeyError(f"there is no run {run!r}; there are {', '.join(by_name)}")
        return by_name[run]

    @property
    def language(self) -> str:
        """The language of the questions."""
        return self.rules.language

    @property
    def texts(self) -> dict[str, str]:
        """The text of each question."""
        return {question.id: question.text(self.language) for question in self.gold.questions}

    def only(self, *runs: str) -> Evaluation:
        """Return the evaluation of some runs, in this order.

        Parameters
        ----------
        *runs
            The names of the runs.
        """
        return dataclasses.replace(self, scores=tuple(self[name] for name in runs))

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes on the questions and the runs."""
        return notes_of(self.scores)

    @property
    def frame(self) -> pd.DataFrame:
        """One row for each run and question: the counts, the status and the matcher."""
        tables = {
            scores.name: scores.counts.assign(match=scores.rules.match) for scores in self.scores
        }
        return pd.concat(tables, names=["run", "id"]).reset_index()

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the scores and the features of the questions: one row for each run and question.

        `Evaluation.read` reads them, and so does every view that takes a file.

        Parameters
        ----------
        path
            A file ending in ``.csv`` or ``.parquet``.
        force
            Overwrite it if it exists.
        """
        scores = self.frame
        features = self.features.drop(columns=CLUSTER, errors="ignore")
        reserved = set(_QUESTION_COLUMNS).union(scores)
        features = features.rename(
            columns={name: f"{name} (own)" for name in features if name in reserved}
        )

        values_by_column = {
            "weight": self.gold.weights,
            "cluster": self.gold.clusters,
            "inclusion": self.gold.inclusion,
            CHOSEN_BY: {
                question.id: BAR.join(question.chosen_by)
                for question in self.gold.questions
                if question.chosen_by
            },
        }
        questions = pd.DataFrame({QUESTION: self.texts, "language": self.language}, dtype=object)
        for name, values in values_by_column.items():
            if values:
                questions[name] = pd.Series(values, dtype=object)

        question_rows = questions.join(features).reindex(scores["id"]).reset_index(drop=True)
        write_score_table(pd.concat([scores, question_rows], axis=1), path, force=force)

    def __repr__(self) -> str:
        """Return one line: the questions and the runs."""
        questions = count(len(self.gold.questions), "question")
        return f"<Evaluation of {', '.join(scores.name for scores in self.scores)} on {questions}>"

    def __str__(self) -> str:
        """Return the line, a line for each run, and the notes."""
        lines = [repr(self)]
        lines += [repr(scores) for scores in self.scores]
        return result_text(lines, self.notes)

    def _repr_html_(self) -> str:
        """Return the line, the measures of each run, and the notes, for notebooks."""
        values = {}
        for scores in self.scores:
            values[scores.name] = {name: scores[name] for name in available_measures(scores.counts)}
        return result_html(repr(self), [pd.DataFrame(values).round(DECIMALS)], self.notes)

    @staticmethod
    def read(path: str | Path) -> Evaluation:
        """Read a file of `save`: all scores, and no gold answers, so nothing is judged again.

        Parameters
        ----------
        path
            The file, CSV or Parquet.

        Examples
        --------
        >>> import tempfile
        >>> gold = [{"id": "1", "question": "Which moon?", "answers": ["Phobos", "Deimos"]}]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     evaluate(gold, {"1": "Phobos"}).save(Path(folder) / "scores.csv")
        ...     evaluation = Evaluation.read(Path(folder) / "scores.csv")
        >>> evaluation["run"]["macro-f1"]
        1.0
        """
        return read_evaluation(path)

    def score(self, run: Run) -> Scores:
        """Judge a further run by the same rules.

        Parameters
        ----------
        run
            The answers.

        Returns
        -------
        Scores
            As of the function `score`.
        """
        return _score_in_all_wordings(self._scorer, run)

    @functools.cached_property
    def _scorer(self) -> RunScorer:
        return RunScorer(self.gold, self.rules)

    def by(self, match: str | Verdicts) -> Evaluation:
        """Judge the runs again by another matcher, or by the verdicts of a judge.

        Parameters
        ----------
        match
            As for `evaluate`.
        """
        rules = self.rules.by(match)
        scorer = RunScorer(self.gold, rules)
        scores = [_score_in_all_wordings(scorer, scores.run) for scores in self.scores]
        return dataclasses.replace(self, scores=tuple(scores), rules=rules)

    def for_measure(self, measure: str) -> Evaluation:
        """Return the evaluation with the columns of a measure: outcomes, or other wordings.

        Parameters
        ----------
        measure
            The name of the measure.

        Returns
        -------
        Evaluation
            The evaluation itself, if the counts have all columns of the measure.
        """
        if measure in OUTCOME_MEASURES:
            return self.with_outcomes()
        if self.types is not None:
            raise UsageError(
                f"types are for the measures of mistakes ({', '.join(OUTCOME_MEASURES)});"
                f" {measure} needs none"
            )
        if measure not in WORDING_MEASURES:
            return self
        if all(measure in available_measures(scores.counts) for scores in self.scores):
            return self
        return self.with_wordings()

    def with_outcomes(self) -> Evaluation:
        """Return the evaluation with the outcome of each question."""
        if all("outcome" in scores.counts for scores in self.scores):
            return self
        scores = with_outcomes(self.gold, self.scores, self.types)
        return dataclasses.replace(self, scores=tuple(scores))

    def with_wordings(
        self, across: str = "", *, among: Sequence[str] = (), needed: bool = True
    ) -> Evaluation:
        """Return the evaluation with the answers of runs in other languages or wordings.

        Parameters
        ----------
        across
            ``language`` or ``wording``; empty for the kind that each run has.
        among
            Languages; empty for all.
        needed
            Whether a run with answers in one language or wording alone is refused.
        """
        scores = with_wordings(self.gold, self.scores, across, among=among, needed=needed)
        return dataclasses.replace(self, scores=tuple(scores))


def evaluate(
    gold: AnyGold,
    runs: AnyRuns = None,
    *,
    match: Matchers | Verdicts = AUTO,
    same_as: SameAs = "none",
    language: str = LANGUAGE,
    aliases: Mapping[str, Sequence[str]] | str | Path | None = None,
    labels: str = "",
    extract: Extractions = "auto",
    repeats_as: Repeats | None = None,
    also_gold: AnyGold | Sequence[AnyGold] = (),
    types: TypeSource | None = None,
    weights: pd.Series[float] | None = None,
    alone: bool = False,
) -> Evaluation:
    """Judge the answers of systems, question by question; views such as `compare` read the result.

    Which rules judge an answer depends on its question, the gold answers and the answer, never on
    other systems; numbers and dates as text are terms in a set with queries or IRIs. Answers that
    cannot be judged count as not right, and a note says so. The journal of a system that was asked
    in several languages or wordings is judged in all of them.

    Parameters
    ----------
    gold
        The questions: a file, the name of a public set, a DataFrame, a list of dicts, a question
        set or a benchmark.
    runs
        The answers of one system or more: files, dicts of id and answer, lists of dicts,
        DataFrames, what `read_run` or `ask` returns, or scores, which stay as they are. None if the
        questions have them in columns of their own, such as 'prediction'; a name for one of these.
    match
        When an answer counts as right.

        Names are keys of `qaldgen.scoring.matchers.MATCHERS`; ``auto`` takes ``gerbil`` where gold
        answers and answer are terms of a knowledge graph, ``contains`` where either is in words,
        ``exact`` where the answer is a list of such. Or what `qaldgen.judge` returned, the verdicts
        of a judge.
    same_as
        Whether other IRIs of the same thing are right too, as in GERBIL.
    language
        Language of the questions to score; the only one of a set that has no English.
    aliases
        JSON file that maps gold answers to aliases, for free-text answers.

        In Python also the mapping itself.
    labels
        Labels for gold answers that are identifiers (Q64): RDF, a table, or the URL of a SPARQL
        endpoint.
    extract
        How to find the answer in a free-text reply.

        ``auto``, ``whole``, ``last-line``, ``raw`` or ``regex:PATTERN``.
    repeats_as
        How several answers to one question count (default: mean, if they are samples).

        ``mean``, ``majority``, ``pass@k``, ``first`` or ``last``.
    also_gold
        Another edition of the gold: 'score' gives ranges over the editions, and what changed is the
        feature goldChanged.

        A file, a name or questions, or a list of them.
    types
        Where the types of answers come from, for the measures of mistakes.
    weights
        By question; None for equal ones.
    alone
        Leave out the answers that stand beside the questions, if runs are given.

    Returns
    -------
    Evaluation
        The scores of each run (``evaluation["mine"]``), and a table (``.frame``).

    Raises
    ------
    UsageError
        If a rule is unknown.
    DataError
        If a file cannot be read, two runs have the same name, or gold and runs have no question in
        common.

    Examples
    --------
    >>> gold = [{"id": "1", "question": "Which moons has Mars?", "answers": ["Phobos", "Deimos"]}]
    >>> evaluation = evaluate(gold, {"mine": {"1": "Phobos"}, "other": {"1": "Io"}})
    >>> evaluation.frame[["run", "f1", "matcher"]].values.tolist()
    [['mine', 1.0, 'contains'], ['other', 0.0, 'contains']]
    """
    loaded_gold = as_gold(gold, language=language)
    with collecting() as notes:
        language = choose_language(loaded_gold.questions, language)
    all_runs: Sequence[Run | Scores] = ()
    if not isinstance(runs, (list, tuple)) or runs:
        all_runs = read_all(loaded_gold, runs, language=language, kept=Scores, alone=alone)

    questions = dataclasses.replace(
        loaded_gold.questions, notes=(*loaded_gold.questions.notes, *notes)
    )
    loaded_gold = dataclasses.replace(loaded_gold, questions=questions)

    # aliases are read once for all runs: they may be in a file, or behind an endpoint
    names = aliases_of(aliases, labels, questions, language)
    rules = Rules(
        same_as=same_as, language=language, aliases=names, extract=extract, repeats_as=repeats_as
    ).by(match)
    read_aggregation(rules.repeats_as)

    scorer = RunScorer(loaded_gold, rules)
    all_scores: list[Scores] = []
    for run in all_runs:
        if isinstance(run, Scores):
            all_scores.append(run)
        else:
            all_scores.append(_score_in_all_wordings(scorer, run))
    if all_scores and all(isinstance(run, Scores) for run in all_runs):
        rules = all_scores[0].rules
    check_names(scores.name for scores in all_scores)

    if isinstance(also_gold, (str, Path, QuestionSet, Gold, Benchmark)):
        also_gold = [also_gold]
    editions = [
        as_gold(edition, language=language) for edition in cast("Sequence[AnyGold]", also_gold)
    ]
    loaded_gold, all_scores = on_editions(loaded_gold, all_scores, editions)

    return Evaluation(loaded_gold, tuple(all_scores), rules, types=types, weights=weights)


def _score_in_all_wordings(scorer: RunScorer, run: Run) -> Scores:
    """Judge a run; judge a journal in several languages or wordings in each of them."""
    with step(f"scoring {run.name}"):
        scores = scorer.score(run)
        if run.format != JOURNAL or scores.by_judge:
            return scores
        return in_other_wordings(scorer.gold, scores) or scores


def known_matchers() -> list[str]:
    """Return the names that `match` takes."""
    return list(all_matchers())


def check_answers(gold: Gold, match: str = AUTO) -> None:
    """Refuse questions none of which has gold answers, if the matcher needs them.

    Every answer would count as wrong, and every empty one as right.
    """
    matcher = MATCHERS.get(match)
    questions = gold.questions.questions
    if matcher is not None and matcher.gold is not None:
        return
    # the only gold of a set may be that some of its questions have no answer
    unknown = [question for question in questions if question.answers is None]
    if unknown and not any(question.gold.values() for question in questions):
        without_answers = [name for name in MATCHERS if MATCHERS[name].gold is not None]
        raise DataError(
            f"none of the {len(unknown):,} questions has gold answers in the data, so nothing could"
            " be right; give a set with answers, say `gold_field` if a column has them, compare the"
            f" queries, or take a `match` that needs no answers ({', '.join(without_answers)})",
            where=gold.questions.name,
        )


def read_evaluation(path: str | Path) -> Evaluation:
    """Read scores that `Evaluation.save` wrote; the questions have no gold answers then."""
    table = read_score_table(path)
    n_answer_columns = table.columns.get_loc(QUESTION)  # the others are about the question
    rows = table.iloc[:, n_answer_columns:].set_index(_id_index(table))
    rows = rows[~rows.index.duplicated()]
    language = str(rows["language"].iloc[0]) if len(rows) else LANGUAGE

    # the questions, from the rows of one run
    chosen_by = _values_by_id(rows, CHOSEN_BY)
    clusters = _values_by_id(rows, "cluster")
    questions = []
    for question_id, text in rows[QUESTION].items():
        texts = {language: (str(text),)} if text else {}
        metadata = {CHOSEN_BY: chosen_by[question_id]} if question_id in chosen_by else {}
        questions.append(Question(str(question_id), texts, metadata=metadata))
    gold = Gold(
        QuestionSet(Path(path).stem, SAVED, tuple(questions)),
        _values_by_id(rows, "weight"),
        {question_id: int(number) for question_id, number in clusters.items()},
        _values_by_id(rows, "inclusion"),
        source=str(path),
    )

    features = rows.drop(columns=_QUESTION_COLUMNS, errors="ignore")
    features = features.astype(object).where(features.notna(), None)
    if gold.clusters:
        features[CLUSTER] = [gold.clusters.get(question_id) for question_id in features.index]

    all_scores = []
    for name, answers in table.iloc[:, :n_answer_columns].groupby("run", sort=False):
        rules = Rules(str(answers["match"].iloc[0]), language=language)
        counts = answers.drop(columns=["run", "match"]).dropna(axis=1, how="all")
        counts = counts.set_index(_id_index(counts)).drop(columns="id")
        responses = {question_id: Response(question_id, "empty") for question_id in counts.index}
        all_scores.append(Scores(Run(str(name), SAVED, responses), counts, rules))

    return Evaluation(gold, tuple(all_scores), all_scores[0].rules, known=features)


def _values_by_id(rows: pd.DataFrame, column: str) -> dict[str, Any]:
    """Return the values of a column that may be missing, by question."""
    if column not in rows:
        return {}
    return {str(question_id): value for question_id, value in rows[column].dropna().items()}


def _id_index(table: pd.DataFrame) -> pd.Index[str]:
    return pd.Index([str(question_id) for question_id in table["id"]], name="id", dtype=object)


def as_evaluation(
    gold: AnyGold | Evaluation, runs: AnyRuns = None, *, language: str = LANGUAGE
) -> Evaluation:
    """Return the evaluation from which a view is made; judge questions and runs by default rules.

    The notes of the evaluation say which leads depend on guesses.
    """
    if isinstance(gold, Evaluation) and runs is not None:
        raise UsageError("an evaluation has its runs; give it alone, or questions and runs")
    if isinstance(gold, Evaluation):
        evaluation = gold
    elif runs is None and is_score_table(gold):
        evaluation = read_evaluation(cast("str | Path", gold))
    else:
        evaluation = evaluate(gold, runs, language=language)
    if not evaluation.scores:
        raise UsageError("no runs to score; pass at least one")
    return dataclasses.replace(evaluation, scores=tuple(with_leads(evaluation.scores)))


def score(
    gold: AnyGold,
    run: AnyRun | None = None,
    *,
    match: Matchers | Verdicts = AUTO,
    same_as: SameAs = "none",
    language: str = LANGUAGE,
    aliases: Mapping[str, Sequence[str]] | str | Path | None = None,
    labels: str = "",
    extract: Extractions = "auto",
    repeats_as: Repeats | None = None,
    also_gold: AnyGold | Sequence[AnyGold] = (),
    types: TypeSource | None = None,
    weights: pd.Series[float] | None = None,
) -> Scores:
    """Compare the answers of a system with the gold answers.

    Parameters
    ----------
    gold
        The questions: a file, the name of a public set, a DataFrame, a list of dicts, a question
        set or a benchmark.
    run
        The answers: a file, a dict of id and answer, a list of dicts, a DataFrame, or what
        `read_run` or `ask` returns. Scores are returned as they are. None if the questions have
        them in a column of their own, such as 'prediction'; of several systems the name.
    match, same_as, language, aliases, labels, extract, repeats_as, also_gold, types, weights
        See `evaluate`.

    Returns
    -------
    Scores
        With the counts of every question (``.counts``), the measures (``.measures()``) and the
        notes (``.notes``).

    Raises
    ------
    UsageError
        If a rule is unknown.
    DataError
        If a file cannot be read, or gold and run have no question in common.

    Examples
    --------
    >>> gold = [{"id": "1", "question": "Which moons has Mars?", "answers": ["Phobos", "Deimos"]}]
    >>> round(score(gold, {"1": "Phobos"}, match="exact")["macro-f1"], 2)
    0.67
    """
    if isinstance(run, Scores):
        return run
    evaluation = evaluate_one(
        gold,
        run,
        match=match,
        same_as=same_as,
        language=language,
        aliases=aliases,
        labels=labels,
        extract=extract,
        repeats_as=repeats_as,
        also_gold=also_gold,
        types=types,
        weights=weights,
    )
    return evaluation[0]


def evaluate_one(
    gold: AnyGold | Evaluation,
    run: AnyRun | None = None,
    **options: Any,  # noqa: ANN401 - those of `evaluate`
) -> Evaluation:
    """Return the evaluation of one run, from which a view is made; refuse several runs."""
    if isinstance(run, Iterator):
        run = list(run)  # records of one run
    if isinstance(gold, Evaluation):
        evaluation = as_evaluation(gold, run)
    else:
        if not (run is None or isinstance(run, (str, Path, Run, Scores)) or is_in_memory(run)):
            raise UsageError(_ONE_RUN.format(f"a {type(run).__name__}"))
        evaluation = evaluate(gold, run, alone=True, **options)
        if not isinstance(run, Scores):
            check_answers(evaluation.gold, evaluation.rules.match)
    if len(evaluation) != 1:
        names = ", ".join(scores.name for scores in evaluation)
        raise UsageError(
            _ONE_RUN.format(f"{len(evaluation)} of them, the answers of several systems ({names})")
        )
    return evaluation
