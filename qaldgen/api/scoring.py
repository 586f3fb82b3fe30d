"""Scores of systems: the measures with their intervals, by question, by slice, and as estimates for the whole pool."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from qaldgen.analysis.estimates import estimate_runs
from qaldgen.analysis.feature_table import feature_table, named_slices, query_slices
from qaldgen.analysis.intervals import FEWEST
from qaldgen.analysis.score_table import read_scores
from qaldgen.analysis.slices import ALL, Slice, group_scores
from qaldgen.analysis.summary import shown, side_by_side, slices_side_by_side, status_table, summarise
from qaldgen.annotation.labels import labels_of
from qaldgen.api.options import Scoring, ScoringOptions, spelled_out, take_last
from qaldgen.api.questions import AnyGold, gold_of
from qaldgen.errors import DataError, UsageError
from qaldgen.features.cache import cache_file
from qaldgen.features.problems import Complaint, problem_notes
from qaldgen.io.arguments import check_wordings
from qaldgen.io.files import read_text
from qaldgen.model import Answers
from qaldgen.runs.reading import read_run
from qaldgen.runs.record import Run
from qaldgen.scoring import judged
from qaldgen.scoring import missing as missing_answers
from qaldgen.scoring import score as base
from qaldgen.scoring.frame import response_to
from qaldgen.scoring.gerbil.subtasks import sub_experiments
from qaldgen.scoring.gold import Gold
from qaldgen.scoring.matchers import LINKING_MATCHERS
from qaldgen.scoring.measures import MEASURES
from qaldgen.scoring.missing import RULES, SHORT_RULES
from qaldgen.scoring.score import Scores as _Scores

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import Unpack

__all__ = [
    "FEWEST",
    "LINKING_MATCHERS",
    "MEASURES",
    "RULES",
    "SHORT_RULES",
    "Estimates",
    "Scores",
    "Slice",
    "estimate",
    "estimate_runs",
    "judged_alike",
    "on_common_questions",
    "read_run",
    "read_scores",
    "score",
    "shown",
    "side_by_side",
    "slices_side_by_side",
    "status_table",
]


class Scores(_Scores):
    """The counts of one run, and its measures.

    See `qaldgen.scoring.score.Scores` for the attributes: ``run``, ``counts``, ``match``, ``notes``, ``unjudged``, ``method``
    and ``rules``.
    """

    def measures(self, *, weights: pd.Series[float] | None = None, missing: str = "zero", random_state: int = 0) -> pd.DataFrame:
        """Return every measure with its 95 % interval.

        Parameters
        ----------
        weights
            By question; None for equal ones.
        missing
            Which questions count: ``zero`` (all; a missing answer is wrong), ``asked`` or ``skip``.
        random_state
            The seed of drawn weights (Macro F1 QALD).

        Returns
        -------
        pandas.DataFrame
            One row a measure (index: its name): ``value``, ``low``, ``high``, ``questions`` (the denominator) and ``interval``
            (how it was made, or why there is none). ``["value"]`` is the Series of the numbers.

        Raises
        ------
        UsageError
            If there is no such rule for missing answers.
        """
        found = summarise([self], missing=(missing,), weights=weights, random_state=random_state)
        return found.set_index("measure")[["value", "low", "high", "questions", "interval"]]


#: What a run can be given as: a file, what `read_run` or `ask` returns, or scores.
AnyRun: TypeAlias = "str | Path | Run | Scores"


@dataclasses.dataclass(frozen=True)
class Estimates:
    """Estimates of scores on the whole pool.

    Attributes
    ----------
    table : DataFrame
        ``slice`` (``(all)`` first), ``run`` (or ``A - B``), ``estimator`` (``sample``, ``with others`` or ``difference``),
        ``estimate``, ``low``, ``high``, ``questions``, ``pool``, ``worth`` (random questions that tell as much), ``method``.
    measure : str
        What was estimated.
    notes : tuple of str
        What a user should know.
    """

    table: pd.DataFrame
    measure: str
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return what there is to know, and the table."""
        return "\n\n".join([*self.notes, self.table.to_string(index=False)])


def score(
    gold: AnyGold,
    run: AnyRun,
    *,
    match: str = "gerbil",
    same_as: str = "none",
    language: str = "en",
    aliases: Mapping[str, Sequence[str]] | None = None,
    extract: str = "auto",
    repeats_as: str = "mean",
) -> Scores:
    """Compare the answers of a system with the gold answers.

    Parameters
    ----------
    gold
        The questions: a file, the name of a public set, a question set or a benchmark.
    run
        The answers: a file, or what `read_run` or `ask` returns. Scores are returned as they are.
    match
        When an answer is right: ``gerbil``, ``gerbil-2023``, ``strict``; in words ``exact``, ``token-f1``, ``hit-at-1``,
        ``contains``; of linkers ``entities``, ``relations``, ``classes``.
    same_as
        ``none`` or ``offline``: whether GERBIL's rules see through other IRIs of the same thing.
    language
        The language of the experiment.
    aliases
        Further wordings of gold answers, for answers in words.
    extract
        How the answer is found in a reply in words: ``auto``, ``whole``, ``last-line``, ``raw`` or ``regex:PATTERN``.
    repeats_as
        How several answers to one question count: ``mean``, ``majority``, ``pass@k``, ``first`` or ``last``.

    Returns
    -------
    Scores
        With the counts of every question (``.counts``), the measures (``.measures()``) and the notes (``.notes``).

    Raises
    ------
    UsageError
        If a rule is unknown.
    DataError
        If a file cannot be read, or gold and run have no question in common.
    """
    if isinstance(run, Scores):
        return run
    asked = gold_of(gold, language=language)
    answers = run if isinstance(run, Run) else read_run(run, gold=asked.questions, language=language)
    return score_run(asked, answers, Scoring(match, same_as, language, aliases, extract, repeats_as))


def score_run(gold: Gold, run: Run, how: Scoring) -> Scores:
    """Compare a run that was read with gold questions that were read; see `score`.

    Parameters
    ----------
    gold
        The questions.
    run
        The answers.
    how
        When an answer is right.
    """
    aliases = None if how.aliases is None else {name: list(own) for name, own in how.aliases.items()}
    found = base.score(
        gold,
        run,
        match=how.match,
        same_as=how.same_as,
        language=how.language,
        aliases=aliases,
        extract=how.extract,
        repeats_as=how.repeats_as,
    )
    return Scores(**{field.name: getattr(found, field.name) for field in dataclasses.fields(found)})


def judged_alike(scored: Sequence[Scores]) -> tuple[list[Scores], str]:
    """Return runs without the questions that cannot be judged for one of them, and what was left out for that."""
    found, note = judged.judged_alike(scored)
    return cast("list[Scores]", found), note


def on_common_questions(scored: Sequence[Scores], rule: str = "asked") -> tuple[list[Scores], str]:
    """Return runs on the questions that count for every one of them, and what was left out for that.

    Parameters
    ----------
    scored
        The runs.
    rule
        The rule for missing answers.

    Raises
    ------
    UsageError
        If there is no such rule.
    DataError
        If no question counts for all runs.
    """
    found, note = missing_answers.on_common_questions(scored, rule)
    return cast("list[Scores]", found), note


def score_all(gold: Gold, runs: Iterable[AnyRun], how: Scoring) -> list[Scores]:
    """Return the scores of several runs; those that are scores already stay as they are.

    Parameters
    ----------
    gold
        The questions.
    runs
        Files, runs or scores.
    how
        When an answer is right.

    Raises
    ------
    DataError
        If two runs have the same name, or a file cannot be read.
    UsageError
        If there is no run.
    """
    scored = [score(gold, run, **_fields(how)) for run in runs]
    if not scored:
        raise UsageError("there is no run to score; give one or more")
    names = [one.name for one in scored]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"two runs are called {twice!r}; name them when they are read: read_run(path, name=...)")
    return scored


def _fields(record: Any) -> Any:  # noqa: ANN401 - the keyword arguments of any record
    """Return a record as keyword arguments; `dataclasses.asdict` would copy what it holds."""
    return {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}


@spelled_out(Scoring)
def estimate(
    gold: AnyGold,
    runs: Sequence[AnyRun],
    *,
    measure: str = "macro-f1",
    by: Sequence[str] = (),
    where: Sequence[str] = (),
    others: pd.DataFrame | str | Path | None = None,
    families: Mapping[str, str] | None = None,
    **options: Unpack[ScoringOptions],
) -> Estimates:
    """Estimate the score of each run, and the difference of each two, on the whole pool of a benchmark.

    Parameters
    ----------
    gold
        A benchmark that a probability design drew (``lpm``, ``hybrid``, ``stratified`` or ``random``).
    runs
        Answers to its questions.
    measure
        A measure that is a mean over questions.
    by, where
        Slices by feature, and by SPARQL query.
    others
        Scores of other systems on all questions of the pool, which sharpen the estimates: a table, or its file.
    families
        System to family: systems of one family never sharpen each other.
    **options
        See `score`.

    Returns
    -------
    Estimates
        The table, and what a user should know.

    Raises
    ------
    UsageError
        If the measure is no mean, or the sample is purposive.
    DataError
        If a file cannot be read, or questions of the benchmark are not among the others' results.
    """
    how = take_last(Scoring, options, "estimate")
    asked = gold_of(gold, language=how.language)
    scored, note = judged_alike(score_all(asked, runs, how))
    parts = slices_of(asked, by, where, language=how.language)
    known = read_scores(others) if isinstance(others, (str, Path)) else others
    found = estimate_runs(asked, scored, measure=measure, slices=parts, others=known, families=families)
    return Estimates(found, measure, notes_of(scored, note))


def notes_of(scored: Iterable[_Scores], *more: str) -> tuple[str, ...]:
    """Return the notes of scores, and further ones, each once."""
    return tuple(dict.fromkeys([note for one in scored for note in one.notes] + [note for note in more if note]))


def features_of(
    gold: Gold, *, language: str = "en", progress: Callable[[int], None] | None = None
) -> tuple[pd.DataFrame, list[str]]:
    """Compute the features of gold questions.

    Parameters
    ----------
    gold
        The questions.
    language
        The language whose wordings are looked at.
    progress
        Called with the number of questions that are done.

    Returns
    -------
    tuple of DataFrame and list of str
        One row a question; and what could not be computed.
    """
    problems: list[Complaint] = []
    table = feature_table(gold, language=language, cache=cache_file(), progress=progress, complain=problems.append)
    return table, problem_notes(problems, gold.questions.questions)


def slices_of(gold: Gold, by: Sequence[str], where: Sequence[str], *, language: str = "en") -> list[Slice]:
    """Return the slices by features and by SPARQL queries.

    Parameters
    ----------
    gold
        The questions.
    by
        Features, ``cluster``, or several features with a comma.
    where
        Queries that select questions: files, or names of ready queries.
    language
        The language whose wordings are looked at.

    Raises
    ------
    UsageError
        If there is no such feature or query.
    DataError
        If a query selects no question.
    """
    found = named_slices(features_of(gold, language=language)[0], by) if by else []
    return found + queried_slices(gold, where, language=language)


def queried_slices(gold: Gold, where: Sequence[str], *, language: str = "en") -> list[Slice]:
    """Return the slices that SPARQL queries select; see `slices_of`."""
    return query_slices(gold, where, language=language, cache=cache_file())


def feature_slices(table: pd.DataFrame, by: Sequence[str]) -> list[Slice]:
    """Return the slices by features of a table that `features_of` returned; see `slices_of`."""
    return named_slices(table, by)


def summary(
    gold: Gold,
    scored: Sequence[_Scores],
    *,
    measures: Sequence[str] = tuple(MEASURES),
    missing: Sequence[str] = ("zero",),
    weights: pd.Series[float] | None = None,
    random_state: int = 0,
) -> pd.DataFrame:
    """Return the measures of runs with their intervals, narrower where a random sample is a large part of its pool.

    Parameters
    ----------
    gold
        The questions.
    scored
        The runs.
    measures
        Which ones.
    missing
        The rules for missing answers.
    weights
        By question.
    random_state
        The seed of drawn weights.

    Returns
    -------
    pandas.DataFrame
        See `qaldgen.analysis.summary.summarise`.
    """
    population = gold.benchmark.pool_size if gold.benchmark and gold.benchmark.provenance.method == "random" else None
    return summarise(
        scored, missing=missing, measures=measures, weights=weights, population=population, random_state=random_state
    )


def by_question(gold: Gold, scored: Sequence[_Scores], *, missing: str = "zero") -> pd.DataFrame:
    """Return one row for each run and question: ``run``, ``id``, the counts, and the objects ``question`` and ``response``.

    Parameters
    ----------
    gold
        The questions.
    scored
        The runs.
    missing
        Which questions count.
    """
    import pandas as pd

    asked = {question.id: question for question in gold.questions.questions}
    parts = []
    for one in scored:
        frame = one.with_missing(missing).reset_index()
        frame.insert(0, "run", one.name)
        ids = frame["id"].tolist()
        frame["question"] = [asked[name].text() for name in ids]
        frame["gold"] = _cells([_values(asked[name].answers) for name in ids])
        frame["given"] = _cells([_values(response_to(asked[name], one.run).answers) for name in ids])
        parts.append(frame.drop(columns=["expected", "returned", "hit"]))
    return pd.concat(parts, ignore_index=True)


def _cells(values: list[list[str]]) -> pd.Series[Any]:
    """Return a column whose cells are lists."""
    import pandas as pd

    return pd.Series(values, index=range(len(values)), dtype=object)


def _values(answers: object) -> list[str]:
    return list(answers.values()) if isinstance(answers, Answers) else []


def by_slice(
    scored: Sequence[_Scores],
    slices: Sequence[Slice],
    *,
    measure: str = "macro-f1",
    missing: Sequence[str] = ("zero",),
    weights: pd.Series[float] | None = None,
    random_state: int = 0,
) -> pd.DataFrame:
    """Return the score of each run on all questions and on each slice.

    Parameters
    ----------
    scored
        The runs.
    slices
        Where to look beside all questions.
    measure
        Which measure.
    missing
        The rules for missing answers.
    weights
        By question.
    random_state
        The seed of drawn weights.

    Returns
    -------
    pandas.DataFrame
        One row for each run, rule and slice: ``run``, ``missing``, and the columns of `qaldgen.analysis.slices.group_scores`.
    """
    import pandas as pd

    everywhere = [Slice(ALL, tuple(str(name) for name in scored[0].counts.index)), *slices]
    parts = []
    for one in scored:
        for rule in missing:
            counts = one.with_missing(rule)
            found = group_scores(counts, everywhere, measure, weights=weights, random_state=random_state).reset_index()
            found.insert(0, "run", one.name)
            found.insert(1, "missing", rule)
            parts.append(found)
    return pd.concat(parts, ignore_index=True)


def subtasks(gold: Gold, scored: Sequence[_Scores]) -> pd.DataFrame:
    """Return GERBIL's sub-experiments, which compare queries: one row for each run and number.

    Parameters
    ----------
    gold
        The questions.
    scored
        The runs; their rules say the language, and whether other IRIs of the same thing count.

    Returns
    -------
    pandas.DataFrame
        ``run``, ``experiment``, ``measure``, ``value``, ``questions``.
    """
    import pandas as pd

    rows = [
        {"run": one.name, "experiment": name, "measure": label, "value": value, "questions": len(one.counts)}
        for one in scored
        for name, found in sub_experiments(
            gold.questions.questions, one.run, same_as=one.rules.same_as, language=one.rules.language
        ).items()
        for label, value in found.items()
    ]
    return pd.DataFrame(rows, columns=["run", "experiment", "measure", "value", "questions"])


def read_aliases(path: str | Path) -> dict[str, list[str]]:
    """Read further wordings of gold answers: a JSON object of lists of strings.

    Raises
    ------
    DataError
        If the file is anything else.
    """
    try:
        found = json.loads(read_text(Path(path)))
    except ValueError as error:
        raise DataError(f"{path}: cannot be read as JSON ({error}); an object of lists of strings is expected") from error
    try:
        check_wordings("aliases", found)
    except UsageError as error:
        raise DataError(f'{path}: {error}, as in {{"Q64": ["Berlin"]}}') from error
    return dict(found)


def read_wordings(aliases: str | None, labels: str, gold: Gold, language: str) -> dict[str, list[str]] | None:
    """Return further wordings of gold answers: labels of those that are codes, and aliases from a file, which win.

    Parameters
    ----------
    aliases
        A JSON file; None for none.
    labels
        RDF, a table, or the URL of an endpoint, which name gold answers that are IRIs; empty for none.
    gold
        The questions.
    language
        Of the labels.

    Raises
    ------
    DataError
        If a file cannot be read, or the labels name none of the gold answers.
    """
    wordings = read_aliases(aliases) if aliases else None
    if not labels:
        return wordings
    answers = [question.answers for question in gold.questions.questions if question.answers is not None]
    iris = dict.fromkeys(cell.value for one in answers for row in one.rows for cell in row if cell and cell.type == "uri")
    found = labels_of(labels, list(iris), language=language)
    if not found:
        raise DataError(f"--labels {labels}: names none of the {len(iris):,} gold answers that are IRIs")
    return {**{iri: [label] for iri, label in found.items()}, **(wordings or {})}
