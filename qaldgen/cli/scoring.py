"""The options of verbs that score; reading and scoring of gold questions and runs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qaldgen.cli.judge_options import JUDGE, judge_options, make_judge
from qaldgen.cli.printing import print_notes, printing_notes
from qaldgen.cli.shared_options import reading_options
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import QUESTIONS, RUN, Call, Command, section
from qaldgen.errors import DataError, UsageError
from qaldgen.io.inputs import is_folder
from qaldgen.io.outputs import same_file
from qaldgen.io.progress import step
from qaldgen.options import PathOrName

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen import Evaluation, Run
    from qaldgen.benchmark.gold import Gold
    from qaldgen.model import QuestionSet
    from qaldgen.scoring.outcomes import TypeSource
    from qaldgen.sparql.ready_queries import Query

#: The options of `evaluate` that verbs have in common; `also_gold` is among those of slices.
_JUDGING = ("match", "same_as", "language", "aliases", "labels", "extract", "repeats_as")
SIGNIFICANCE = "qaldgen.analysis.comparing.multiplicity:Significance"
_TYPES = "qaldgen.scoring.outcomes:TypeSource"
_TYPE_OPTIONS = "kg type_predicate superclass_predicate related_depth hierarchy"

gold_argument = click.argument("gold", type=QUESTIONS)
bench_argument = click.argument("gold", type=QUESTIONS, metavar="BENCH")


def runs_argument(**settings: Any) -> Callable[[Command], Command]:  # noqa: ANN401 - what click takes
    """Return the argument RUNS; a folder stands for all files in it except the questions."""

    def expand_folders(
        context: click.Context, _: click.Parameter, names: Sequence[str]
    ) -> tuple[str, ...]:
        from qaldgen.questions.folders import run_files

        gold = context.params.get("gold")
        paths: list[str] = []
        for name in names:
            if not is_folder(Path(name)):
                paths.append(name)
                continue
            files_in_folder = [str(file) for file in run_files(Path(name))]
            run_paths = [file for file in files_in_folder if not (gold and same_file(file, gold))]
            if not run_paths:
                raise DataError(
                    "is a folder without a run beside the questions; name one", where=name
                )
            paths += run_paths
        return tuple(paths)

    return click.argument("runs", nargs=-1, type=RUN, callback=expand_folders, **settings)


class ScoringOptions:
    """Options of verbs that score, which no public function has.

    Attributes
    ----------
    weighted
        Weight questions as the benchmark says.
    clusters
        A benchmark of 'sample' or 'cluster': --by cluster slices its pool, GOLD, by its clusters.
    query
        Add a slice: the questions that a SPARQL query selects; a file, or a ready-made query.
    """

    weighted: bool = False
    clusters: Path | None = None
    query: Sequence[PathOrName] = ()


#: Options of reading and scoring, for `read_and_evaluate`.
scoring_options = section(
    "",
    section(
        "Scoring",
        options_of("evaluate", *_JUDGING),
        options_of("read_run", "format", "filter", "answer_field", called={"format": "run_format"}),
        options_of(ScoringOptions, "weighted"),
    ),
    judge_options,
    section("Types of answers", options_of(_TYPES)),
    reading_options("gold_format"),
)


def slice_options(function: str, missing: str = "") -> Callable[[Command], Command]:
    """Add the options of slices, and --missing, which may be that of another function."""
    return section(
        "Slices",
        options_of(function, "by", "where"),
        options_of(ScoringOptions, "query", "clusters", called={"query": "query"}),
        options_of("evaluate", "also_gold"),
        options_of(missing or function, "missing"),
    )


#: Options of significance tests.
test_options = section("Tests", options_of(SIGNIFICANCE))
_NEEDS_TWO_RUNS = (
    "this needs the questions and at least two runs (GOLD RUN RUN); use 'qaldgen score' for one"
)


def read_and_evaluate(
    call: Call,
    runs: Sequence[str],
    *,
    against: Sequence[str] = (),
    alone: bool = False,
    several: bool = False,
    across: str = "",
) -> Evaluation:
    """Read the gold questions and the runs, judge the runs, and print the notes.

    It is an error if no question can be scored.

    Parameters
    ----------
    call
        Its measure, clusters, weights and other editions of the gold are used, if it names any.
    runs, against, alone, several
        See `read_and_judge`.
    across
        See `add_details`.
    """
    types = outcome_types(call)
    evaluation = read_and_judge(call, runs, against=against, alone=alone, several=several)
    evaluation = add_details(call, evaluation, types, across)
    check_scored(evaluation)
    return evaluation


def outcome_types(call: Call, *, outcomes: bool = False) -> TypeSource | None:
    """Check --measure and the options of types; return the `TypeSource` that outcomes need.

    The result is None if no outcomes are needed, by `outcomes` or by the measure.
    """
    from qaldgen.scoring.measures import OUTCOME_MEASURES, find_measure, higher_is_better
    from qaldgen.scoring.outcomes import TypeSource

    measure = call.measure or ""
    if measure and not higher_is_better(measure):
        print_notes(f"{find_measure(measure).label}: lower is better")
    if not outcomes and measure not in OUTCOME_MEASURES:
        return None
    if call.kg is None and call.given(*_TYPE_OPTIONS.split()):
        raise UsageError("types come from a knowledge graph; name it with --kg")
    return TypeSource(**call.of(_TYPES))


def read_and_judge(
    call: Call,
    runs: Sequence[str],
    *,
    against: Sequence[str] = (),
    alone: bool = False,
    several: bool = False,
    queries: bool = False,
) -> Evaluation:
    """Read the gold questions and the runs, and judge the runs by the rules of the call.

    Parameters
    ----------
    call
        If it names no runs and its gold is a table of scores, that is read.
    runs
        Without any, the gold file must hold the answers of systems too.
    against
        Runs that come last.
    alone
        Whether answers in the file of the questions are left out where there are other runs.
    several
        Whether a single system is refused, before a judge is asked.
    queries
        Whether queries are compared, so that questions without gold answers are fine.
    """
    from qaldgen.benchmark.aliases import aliases_of, read_aliases
    from qaldgen.io.concurrency import without_garbage_collection  # imports asyncio
    from qaldgen.scoring.evaluation import check_answers, evaluate, read_evaluation
    from qaldgen.scoring.score_table import is_score_table

    # a table of scores has been judged already
    if not runs and is_score_table(call.gold):
        with step(f"reading {call.gold}"):
            evaluation = read_evaluation(call.gold)
        if several and len(evaluation) < 2:
            raise UsageError(_NEEDS_TWO_RUNS)
        gold = _with_clusters(call, evaluation.gold)
        return dataclasses.replace(evaluation, gold=gold, weights=_weights(call, gold))

    # a wrong judge or file of aliases is refused before the runs are read
    inputs = [call.gold, *runs, *against, call.aliases, call.labels]
    judge = make_judge(call, inputs) if call.match == JUDGE else None
    if call.aliases:
        read_aliases(call.aliases)

    # reading creates millions of objects that stay alive; looking for cycles among them only costs
    # time
    with without_garbage_collection():
        gold = read_gold(call, call.gold, runs)
        if not queries:
            check_answers(gold, call.match)
        by, _ = split_by(getattr(call, "by", ()))
        check_by(by, gold.questions)
        all_runs = read_runs_of(call, gold, runs, against, alone=alone)
        if several and len(all_runs) < 2:
            raise UsageError(_NEEDS_TWO_RUNS)
        gold = _with_clusters(call, gold)
        options = call.of("evaluate") | {"weights": _weights(call, gold)}
        if judge is not None:
            aliases = aliases_of(call.aliases, call.labels, gold.questions, call.lang)
            verdicts = judge(gold, all_runs, aliases=aliases)
            print_notes(verdicts.notes)
            options |= {"match": verdicts, "aliases": aliases, "labels": ""}
        return evaluate(gold, all_runs, **options)


def add_details(
    call: Call,
    evaluation: Evaluation,
    types: TypeSource | None = None,
    across: str = "",
) -> Evaluation:
    """Add details that the measure of the call needs to an evaluation, and print the notes.

    Parameters
    ----------
    call
        The call.
    evaluation
        What `read_and_judge` returned.
    types
        What `outcome_types` returned; None adds no outcomes.
    across
        A key of `scoring.measures.ACROSS`: add what runs answered in other languages or wordings.
    """
    from qaldgen.scoring.evaluation import as_evaluation
    from qaldgen.scoring.measures import WORDING_MEASURES

    if types is not None:
        evaluation = dataclasses.replace(evaluation, types=types).with_outcomes()
    if across or call.measure in WORDING_MEASURES:
        evaluation = evaluation.with_wordings(across)
    evaluation = as_evaluation(evaluation)
    print_notes(evaluation.notes)
    return evaluation


def check_scored(evaluation: Evaluation) -> None:
    """Refuse an evaluation in which no run has a question that could be scored."""
    if all((scores.counts["open"] == 1).all() for scores in evaluation):
        raise DataError(
            "no questions left to score; see the notes, and check --lang and --match",
            where=evaluation.gold.questions.name,
        )


def read_gold(call: Call, source: str, runs: Sequence[str] = ()) -> Gold:
    """Read the gold questions, and print their notes."""
    from qaldgen.benchmark.gold import open_gold
    from qaldgen.questions.collecting import ReadOptions
    from qaldgen.questions.reading import reading_notes

    fields = tuple(getattr(call, "answer_field", ()))
    options = ReadOptions(language=call.lang, answer_field=fields, **call.of("load"))
    gold = open_gold(source, options, runs)
    print_notes(reading_notes(gold.questions))
    return gold


def read_runs_of(
    call: Call, gold: Gold, runs: Sequence[str], last: Sequence[str] = (), *, alone: bool = False
) -> list[Run]:
    """Read runs, each with the name that it says itself, or else that of its file.

    Systems whose answers are in the file of the questions are read by their names, or all of them
    if `runs` is empty.
    """
    from qaldgen.benchmark.own_runs import read_all

    options = {"language": call.lang, **call.of("read_run")}
    all_runs: list[Run] = read_all(gold, list(runs) or None, alone=alone, last=last, **options)
    if getattr(call, "match", "") == JUDGE:  # so every table and report says what its numbers are
        return [dataclasses.replace(run, name=f"{run.name} (judge, unchecked)") for run in all_runs]
    return all_runs


def read_one_run(call: Call, gold: Gold, run: str) -> Run:
    """Read one run, a file or a system in the file of the questions, and print its notes."""
    systems = read_runs_of(call, gold, [run], alone=True)
    if len(systems) > 1:
        names = ", ".join(system.name for system in systems)
        raise UsageError(
            f"{run} holds the answers of several systems ({names}); --answer-field chooses a"
            " column, and of rows keep those of one system"
        )
    print_notes(systems[0].notes)
    return systems[0]


def slice_conditions(call: Call) -> list[str | Query]:
    """Return the conditions of --where and the queries of --query; refuse what does not parse."""
    from qaldgen.analysis.feature_table import read_slice_queries
    from qaldgen.selection.where import parse_conditions

    for text in call.where:
        parse_conditions(text)
    return [*call.where, *read_slice_queries(call.query)]


def check_by(by: Sequence[str], questions: QuestionSet) -> None:
    """Reject names that are neither features nor columns of the data set."""
    from qaldgen.benchmark.question_features import CLUSTER
    from qaldgen.features.catalogue import all_features, feature_hint
    from qaldgen.features.own_columns import own_columns

    names = [name.strip() for name in ",".join(by).split(",")] if by else []
    features = [*all_features(), CLUSTER]
    if not set(features).issuperset(names):
        features += own_columns(questions.questions)
    for name in names:
        if name not in features:
            raise UsageError(f"--by: unknown name {name!r}; {feature_hint(name, features)}")


def split_by(values: Sequence[str]) -> tuple[list[str], str]:
    """Return the features in --by, and ``language`` or ``wording`` if it is there, else ""."""
    from qaldgen.scoring.measures import ACROSS

    features = [name for name in values if name not in ACROSS]
    across = [name for name in values if name in ACROSS]
    if len(across) > 1:
        raise UsageError("--by language and --by wording are two questions; ask one at a time")
    return features, "".join(across)


def _with_clusters(call: Call, gold: Gold) -> Gold:
    """Return the gold questions with the clusters of the benchmark in --clusters, if any."""
    if getattr(call, "clusters", None) is None:
        return gold
    from qaldgen.analysis.slices.cluster_slices import with_clusters

    with printing_notes():
        return with_clusters(gold, call.clusters)


def _weights(call: Call, gold: Gold) -> pd.Series[float] | None:
    """Return the weights of the gold questions; None without --weighted."""
    import pandas as pd

    if not call.weighted:
        return None
    if not gold.weights:
        raise UsageError(
            "--weighted: the gold questions have no weights; use a "
            "benchmark written by 'qaldgen sample'"
        )
    return pd.Series(dict(gold.weights), dtype=float)
