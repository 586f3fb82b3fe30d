"""Options and steps shared by the commands that score runs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from qaldgen import api
from qaldgen.api.options import Scoring
from qaldgen.commands import common, groups
from qaldgen.commands.listing import listed_option
from qaldgen.errors import DataError, UsageError
from qaldgen.io.garbage import collecting_no_garbage
from qaldgen.io.inputs import shown_name, stream_number
from qaldgen.io.outputs import same_file
from qaldgen.io.terminal import one_line

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen import Scores
    from qaldgen.api.comparing import Significance, Slice
    from qaldgen.api.outcomes import TypeSource
    from qaldgen.api.questions import Gold, Reading

Command = TypeVar("Command", bound=Callable[..., Any])
#: Left out of a run's name, like its extension.
_PACKED = {".gz", ".bz2", ".zip"}


@dataclasses.dataclass(frozen=True)
class ScoringOptions:
    """The options for comparing answers and reading runs."""

    match: str
    same_as: str
    lang: str
    aliases: str | None
    labels: str
    extract: str
    repeats_as: str
    run_format: str | None
    filter_: str
    weighted: bool
    kg: str | None = None
    type_predicate: tuple[str, ...] = ()
    superclass_predicate: tuple[str, ...] = ()
    related_depth: int | None = None

    def types(self) -> TypeSource:
        """Return where the types of answers come from."""
        known = api.outcomes.ClassPredicates()
        predicates = dataclasses.replace(
            known,
            types=self.type_predicate or known.types,
            superclasses=self.superclass_predicate or known.superclasses,
        )
        return api.outcomes.TypeSource(
            self.kg, predicates, self.related_depth or api.outcomes.RELATED_DEPTH
        )

    def check_types(self, *, wanted: bool) -> None:
        """Refuse options about types where no table has outcomes, and predicates that are none."""
        told = self.kg or self.type_predicate or self.superclass_predicate or self.related_depth
        if told and not wanted:
            measures = ", ".join(api.outcomes.BY_OUTCOME)
            raise UsageError(
                "--kg and the options about types are for outcomes: score --outcomes, or --measure"
                f" with one of {measures}"
            )
        if self.kg is None and (
            self.type_predicate or self.superclass_predicate or self.related_depth
        ):
            raise UsageError("types come from a knowledge graph; name it by --kg")
        self.types()
        if self.kg is not None and not self.kg.startswith(("http://", "https://")):
            api.checks.check_files(self.kg)

    def rules(self) -> Scoring:
        """Return the scoring rules; aliases are read later, with the gold questions."""
        rules = Scoring(self.match, self.same_as, self.lang, None, self.extract, self.repeats_as)
        api.checks.check_scoring(rules)
        return rules


@dataclasses.dataclass(frozen=True)
class Cuts:
    """How the questions are sliced, and which questions count."""

    by: tuple[str, ...]
    where: tuple[str, ...]
    missing: str
    clusters: str | None = None

    def check(self) -> None:
        """Reject unknown features and queries."""
        api.checks.check_slices(self.by, self.where)
        api.checks.check_files(self.clusters)

    def clustered(self, gold: Gold) -> Gold:
        """Return the questions with the clusters of --clusters, if it is given."""
        if self.clusters is None:
            return gold
        found, told = api.clustering.clustered(gold, self.clusters)
        common.notes(told)
        return found


@dataclasses.dataclass(frozen=True)
class TestOptions:
    """The options for significance tests."""

    correct: str
    alpha: float
    repeats: int
    seed: int

    def read(self) -> Significance:
        """Return the settings of the significance tests."""
        api.checks.check_correction(self.correct)
        return api.comparing.Significance(self.correct, self.alpha, self.repeats, self.seed)


def scoring_options(command: Command) -> Command:
    """Add the scoring options; the command gets ``scoring`` and ``reading``."""
    told = "The format of GOLD, where it is not recognised; 'qaldgen annotate --help' lists them."
    reading = groups.reading_options(
        click.option("--gold-format", "form_of_set", metavar="NAME", help=told)
    )
    return groups.grouped("scoring", ScoringOptions, *_OPTIONS)(reading(command))


_OPTIONS = (
    listed_option(
        "--match", table="matchers", default="gerbil", show_default=True, metavar="RULES",
        help="When an answer is right."
    ),
    listed_option("--same-as", table="same-as", default="none", show_default=True,
        help="GERBIL's other IRIs of the same thing."),
    click.option("--lang", default="en", show_default=True,
        help="Language of the questions to score."),
    click.option("--aliases", metavar="FILE",
        help="JSON file that maps gold answers to aliases, for free-text answers."),
    click.option(
        "--labels",
        default="",
        metavar="SOURCE",
        help=("Labels for gold answers that are identifiers (Q64): RDF, a table, or the URL of a "
            "SPARQL endpoint. For 'score' also a worksheet of 'label'."),
    ),
    listed_option(
        "--extract",
        table="extractions",
        default="auto",
        show_default=True,
        metavar="HOW",
        help="How the answer is found in a reply in words.",
    ),
    listed_option(
        "--repeats-as",
        table="repeats",
        default="mean",
        show_default=True,
        metavar="RULE",
        help="How several answers to one question count.",
    ),
    listed_option("--run-format", table="runs", metavar="NAME",
        help="The format of the runs, where it is not recognised."),
    click.option(
        "--filter",
        "filter_",
        default="",
        metavar="NAME",
        help=("For logs: the filter (lm-eval) or scorer (inspect_ai) whose answers count; raw: the "
            "unfiltered responses."),
    ),
    click.option("--weighted", is_flag=True, help="Weight questions as the benchmark says."),
    click.option(
        "--kg", metavar="SOURCE",
        help="RDF or an endpoint with the types of answers, for outcomes and their measures."
    ),
    click.option(
        "--type-predicate", multiple=True, metavar="IRI",
        help="Names a type there: rdf:type and wdt:P31, if not given."
    ),
    click.option(
        "--superclass-predicate", multiple=True, metavar="IRI",
        help="Names a superclass there: rdfs:subClassOf and wdt:P279, if not given.",
    ),
    click.option(
        "--related-depth", type=click.IntRange(min=1), metavar="N",
        help="How deep a common superclass relates two types; the top is at 1 (default: 2).",
    ),
)  # fmt: skip


def test_options(*, seed: str) -> Callable[[Command], Command]:
    """Add --correct, --alpha, --repeats and --seed (with the given help).

    The command gets ``tests``.
    """
    return groups.grouped(
        "tests",
        TestOptions,
        listed_option(
            "--correct",
            table="corrections",
            default="holm",
            show_default=True,
            help="For the number of tests.",
        ),
        click.option(
            "--alpha",
            default=0.05,
            show_default=True,
            type=groups.SHARE,
            help="Significance level of the corrected tests.",
        ),
        click.option(
            "--repeats",
            default=10_000,
            show_default=True,
            type=click.IntRange(100, 10_000_000),
            help="Number of resamples per test.",
        ),
        click.option("--seed", default=0, show_default=True, type=groups.SEED, help=seed),
    )


def missing_option() -> Callable[[Any], Any]:
    """Return the option --missing of commands that compare runs."""
    return listed_option(
        "--missing",
        table="missing-answers",
        default="asked",
        show_default=True,
        help="Questions that count; of several runs, those that count for each of them.",
    )


def common_questions(scored: Sequence[Scores], missing: str) -> list[Scores]:
    """Restrict the runs to the questions that count for all of them, and print what is left out.

    Parameters
    ----------
    scored
        The scored runs.
    missing
        Which questions count.

    Returns
    -------
    list of Scores
        The runs on the same questions.
    """
    same, note = api.scoring.on_common_questions(scored, missing)
    common.notes([note] if note else [])
    return same


def measure_option() -> Callable[[Any], Any]:
    """Return the option --measure of commands that compare systems or slices."""
    return listed_option(
        "--measure",
        table="measures",
        default="macro-f1",
        show_default=True,
        metavar="NAME",
        help="What is compared.",
    )


def slice_options(missing: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Add --by, --where and --missing; the command gets ``cuts``."""
    return groups.grouped(
        "cuts",
        Cuts,
        click.option(
            "--by",
            multiple=True,
            metavar="FEATURE",
            help=(
                "Slice by a feature, by 'cluster', or by several features (comma-separated)."
                " Repeatable."
            ),
        ),
        click.option(
            "--where",
            multiple=True,
            metavar="QUERY",
            help="Add a slice: the questions selected by a SPARQL query. Repeatable.",
        ),
        click.option(
            "--clusters",
            metavar="FILE",
            help=(
                "A benchmark of 'sample' or 'cluster': --by cluster "
                "slices its pool, GOLD, by its clusters."
            ),
        ),
        missing,
    )


def scored_runs(
    gold: str,
    runs: Sequence[str],
    scoring: ScoringOptions,
    reading: Reading,
    *,
    answers: bool = True,
    nothing: bool = False,
    alone: bool = False,
    outcomes: bool = False,
) -> tuple[Gold, list[Scores]]:
    """Read the gold questions and the runs, score the runs, and print the notes.

    With `answers` false, gold queries are enough. With `nothing` true, it is not an error if no
    question can be scored, as in GERBIL.

    Parameters
    ----------
    gold
        The gold file or name.
    runs
        The run files.
    scoring
        Scoring options.
    reading
        How to read the gold file.
    answers
        Require gold answers.
    nothing
        Allow that no question is scored.
    alone
        Require that the gold file is a log, as no run is named.
    outcomes
        Add the outcome of each question to the counts.

    Returns
    -------
    tuple of Gold and list of Scores
        The gold questions and the scored runs.
    """
    rules = scoring.rules()
    scoring.check_types(wanted=outcomes)
    _check_inputs(gold, runs, scoring, reading)
    names = run_names(runs)
    # Reading creates millions of objects that stay alive; looking for cycles among them only costs
    # time.
    with collecting_no_garbage():
        asked, told = _gold(gold, scoring, reading, answers=answers)
        if alone:
            api.checks.check_log(gold, asked.questions)
        wordings = api.wordings.read_wordings(scoring.aliases, scoring.labels, asked, scoring.lang)
        rules = dataclasses.replace(rules, aliases=wordings)
        scored = [
            _scored_run(asked, path, name, rules, scoring)
            for path, name in zip(runs, names, strict=True)
        ]
    if outcomes:
        scored = api.outcomes.with_outcomes(asked, scored, rules, scoring.types())
    told += [note for one in scored for note in one.notes]
    alike, note = api.scoring.judged_alike(scored)
    # Each note once, in order: several runs often give the same.
    common.notes(dict.fromkeys([*told, *([note] if note else [])]))
    # Answers that only await a judge are not an error.
    if alike[0].counts.empty and (alike[0].unjudged or not nothing):
        raise DataError(
            f"{asked.questions.name}: no questions left to score; see the notes, and check --lang"
            " and --match"
        )
    return asked, alike


def _check_inputs(
    gold: str, runs: Sequence[str], scoring: ScoringOptions, reading: Reading
) -> None:
    """Reject unknown formats, and files that are missing or invalid, before any work is done."""
    api.checks.check_set_form(reading.format)
    api.checks.check_run_form(scoring.run_format)
    api.checks.check_sets(gold)
    api.checks.check_files(*runs, scoring.aliases)
    if scoring.aliases:
        api.wordings.read_aliases(scoring.aliases)


def _scored_run(
    asked: Gold, path: str, name: str, rules: Scoring, scoring: ScoringOptions
) -> Scores:
    """Read and score one run."""
    with common.clock(f"scoring {path}"):
        run = api.scoring.read_run(
            path,
            format=scoring.run_format,
            name=name,
            gold=asked.questions,
            language=scoring.lang,
            filter=scoring.filter_,
        )
        return api.scoring.score_run(asked, run, rules)


def _gold(
    gold: str, scoring: ScoringOptions, reading: Reading, *, answers: bool
) -> tuple[Gold, list[str]]:
    """Read the gold questions with their notes; raise if `answers` are required but missing."""
    with common.clock(f"reading {gold}"):
        asked = api.questions.read_gold(gold, reading, language=scoring.lang)
    told = list(api.questions.notes_on(asked.questions))
    matcher = api.scoring.MATCHERS[scoring.match]
    # These matchers compare queries, passages or recorded verdicts, not answers.
    if answers and not (matcher.linking or matcher.passages or matcher.logged):
        try:
            api.questions.check_answers(asked)
        except DataError:
            common.notes(told)  # the notes may say where the answers are
            raise
    return asked, told


def is_outcome(measure: str) -> bool:
    """Say whether a measure needs outcomes, and tell if less of it is better."""
    if not api.score_tables.higher_is_better(measure):
        common.notes([f"{api.score_tables.named(measure).label}: lower is better"])
    return measure in api.outcomes.BY_OUTCOME


def run_names(runs: Sequence[str]) -> list[str]:
    """Name the systems by their files, as briefly as uniqueness allows.

    Names are the files without extension, else with it, else with their folder, else the full
    paths.

    Raises
    ------
    UsageError
        If a file is given twice.

    Examples
    --------
    >>> run_names(["a/one.v2.json.gz", "a/two.json"]), run_names(["a/one.json", "b/one.json"])
    (['one.v2', 'two'], ['a/one', 'b/one'])
    """
    doubled = next(
        (run for at, run in enumerate(runs) if any(same_file(run, other) for other in runs[:at])),
        None,
    )
    # Two systems with the same answers would tie everywhere, and the correction of p-values would
    # count a test too many.
    if doubled is not None:
        raise UsageError(f"{doubled}: is given twice; name each run once")
    paths = [
        Path(one_line(run)) if stream_number(run) is None else Path(f"{shown_name(Path(run))}-{at}")
        for at, run in enumerate(runs, 1)
    ]
    # Only the packing is dropped here: one.v2.json.gz becomes one.v2, not one.
    plain = [path.with_suffix("") if path.suffix in _PACKED else path for path in paths]
    schemes = (
        [path.stem for path in plain],
        [path.name for path in paths],
        [f"{path.parent.name}/{path.stem}".lstrip("/") for path in plain],
        [str(path) for path in paths],
    )
    return next((found for found in schemes if len(set(found)) == len(found)), schemes[-1])


def gold_weights(gold: Gold, weighted: bool) -> pd.Series[float] | None:
    """Return the weights of the benchmark, or None without --weighted.

    Parameters
    ----------
    gold
        The gold questions.
    weighted
        Whether --weighted was given.

    Returns
    -------
    Series or None
        Weights by question.
    """
    if not weighted:
        return None
    weights = api.questions.weights_of(gold)
    if weights is None:
        raise UsageError(
            "--weighted: the gold questions have no weights; use a "
            "benchmark written by 'qaldgen sample'"
        )
    return weights


def features_of(gold: Gold, lang: str) -> pd.DataFrame:
    """Compute the features of the gold questions, with a progress bar, and print problems.

    Parameters
    ----------
    gold
        The gold questions.
    lang
        Language of the texts.

    Returns
    -------
    DataFrame
        One row per question.
    """
    with common.progress_bar("features", len(gold.questions.questions)) as bar:
        table, problems = api.cutting.features_of(gold, language=lang, progress=bar.update)
    common.notes(problems)
    return table


def wanted_slices(gold: Gold, cuts: Cuts, lang: str) -> list[Slice]:
    """Return the slices defined by --by and --where.

    Parameters
    ----------
    gold
        The gold questions.
    cuts
        The slicing options.
    lang
        Language of the texts.

    Returns
    -------
    list of Slice
        The slices.
    """
    found = api.cutting.feature_slices(features_of(gold, lang), cuts.by) if cuts.by else []
    return found + api.cutting.queried_slices(gold, cuts.where, language=lang)
