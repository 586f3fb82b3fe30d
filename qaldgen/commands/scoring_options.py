"""Options and steps that the verbs on gold and runs share."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from qaldgen import api
from qaldgen.api.options import Scoring
from qaldgen.commands import common, groups
from qaldgen.errors import DataError, UsageError
from qaldgen.io.inputs import shown_name, stream_number
from qaldgen.io.outputs import same_file
from qaldgen.io.terminal import one_line

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen import Scores
    from qaldgen.api.comparing import Significance, Slice
    from qaldgen.api.questions import Gold, Reading

Command = TypeVar("Command", bound=Callable[..., Any])
_PACKED = {".gz", ".bz2", ".zip"}


@dataclasses.dataclass(frozen=True)
class ScoringOptions:
    """How answers are compared, and how the runs are read, as the command line says it."""

    match: str
    same_as: str
    lang: str
    aliases: str | None
    labels: str
    extract: str
    repeats_as: str
    run_format: str | None
    weighted: bool

    def rules(self) -> Scoring:
        """Return when an answer is right; further wordings are read with the gold questions."""
        rules = Scoring(self.match, self.same_as, self.lang, None, self.extract, self.repeats_as)
        api.checks.check_scoring(rules)
        return rules


@dataclasses.dataclass(frozen=True)
class Cuts:
    """By what the questions are cut into slices, and which questions count."""

    by: tuple[str, ...]
    where: tuple[str, ...]
    missing: str

    def check(self) -> None:
        """Refuse features and queries that there are not."""
        api.checks.check_slices(self.by, self.where)


@dataclasses.dataclass(frozen=True)
class TestOptions:
    """How differences are tested, as the command line says it."""

    correct: str
    alpha: float
    repeats: int
    seed: int

    def read(self) -> Significance:
        """Return how differences are tested."""
        api.checks.check_correction(self.correct)
        return api.comparing.Significance(self.correct, self.alpha, self.repeats, self.seed)


def scoring_options(command: Command) -> Command:
    """Add what says how answers are compared; the command gets ``scoring`` and ``reading``."""
    reading = groups.reading_options("--gold-format", "The form of GOLD, where it is not recognised.")
    return groups.grouped("scoring", ScoringOptions, *_OPTIONS)(reading(command))


_OPTIONS = (
    click.option(
        "--match",
        default="gerbil",
        show_default=True,
        metavar="RULES",
        help="When an answer is right: gerbil, gerbil-2023, strict; in words: exact, token-f1, hit-at-1, contains, poleval, "
        "poleval-paper; of linkers: entities, relations, classes; of retrievers: passages.",
    ),
    click.option("--same-as", default="none", show_default=True, help="GERBIL's other IRIs of the same thing: none or offline."),
    click.option("--lang", default="en", show_default=True, help="The language of the experiment."),
    click.option("--aliases", metavar="FILE", help="JSON: gold answer to further wordings, for answers in words."),
    click.option(
        "--labels",
        default="",
        metavar="SOURCE",
        help="Names of gold answers that are codes (Q64): RDF, a table, or the URL of a SPARQL endpoint.",
    ),
    click.option(
        "--extract",
        default="auto",
        metavar="HOW",
        help="How the answer is found in a reply in words: auto (default), whole, last-line, raw or regex:PATTERN.",
    ),
    click.option(
        "--repeats-as",
        default="mean",
        metavar="RULE",
        help="How several answers to one question count: mean (default), majority, pass@k (pass@5), first or last.",
    ),
    click.option("--run-format", metavar="NAME", help="The form of the runs, where it is not recognised."),
    click.option("--weighted", is_flag=True, help="Use the weights of the benchmark."),
)


def test_options(*, seed: str) -> Callable[[Command], Command]:
    """Add --correct, --alpha, --repeats and --seed, which says what it is of; the command gets ``tests``."""
    return groups.grouped(
        "tests",
        TestOptions,
        click.option(
            "--correct", default="holm", show_default=True, help="For the number of tests: holm or bh (Benjamini-Hochberg)."
        ),
        click.option("--alpha", default=0.05, show_default=True, type=groups.SHARE, help="The level of the corrected tests."),
        click.option(
            "--repeats",
            default=10_000,
            show_default=True,
            type=click.IntRange(100, 10_000_000),
            help="Random exchanges of each test.",
        ),
        click.option("--seed", default=0, show_default=True, type=groups.SEED, help=seed),
    )


def missing_option() -> Callable[[Any], Any]:
    """Return --missing of verbs that compare."""
    return click.option(
        "--missing",
        default="asked",
        show_default=True,
        help="Questions that count: asked (those that every run was asked), zero (all; what is missing is wrong), skip (those "
        "that no run failed on either).",
    )


def common_questions(scored: Sequence[Scores], missing: str) -> list[Scores]:
    """Return the runs on the questions that count for all of them, and tell what is left out."""
    same, note = api.scoring.on_common_questions(scored, missing)
    common.notes([note] if note else [])
    return same


def measure_option() -> Callable[[Any], Any]:
    """Return --measure of verbs that compare systems or slices."""
    return click.option("--measure", default="macro-f1", show_default=True, metavar="NAME", help="What is compared; see 'score'.")


def slice_options(missing: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Add --by, --where and --missing; the command gets ``cuts``."""
    return groups.grouped(
        "cuts",
        Cuts,
        click.option(
            "--by", multiple=True, metavar="FEATURE", help="Slices by a feature, 'cluster', or several features with a comma."
        ),
        click.option("--where", multiple=True, metavar="QUERY", help="A slice: the questions that a SPARQL query selects."),
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
) -> tuple[Gold, list[Scores]]:
    """Read gold and runs, score the runs, and tell what there is to know.

    Without `answers` the gold queries will do; with `nothing` it may be that no question is scored, as GERBIL allows.
    """
    rules = scoring.rules()
    api.checks.check_set_form(reading.format)
    api.checks.check_run_form(scoring.run_format)
    api.checks.check_sets(gold)
    api.checks.check_files(*runs, scoring.aliases)
    names = run_names(runs)
    if scoring.aliases:
        api.wordings.read_aliases(scoring.aliases)  # a wrong file is refused before the work is done
    asked, told = _gold(gold, scoring, reading, answers=answers)
    wordings = api.wordings.read_wordings(scoring.aliases, scoring.labels, asked, scoring.lang)
    rules = dataclasses.replace(rules, aliases=wordings)
    scored: list[Scores] = []
    for path, name in zip(runs, names, strict=True):
        with common.clock(f"scoring {path}"):
            run = api.scoring.read_run(path, format=scoring.run_format, name=name, gold=asked.questions, language=scoring.lang)
            scored.append(api.scoring.score_run(asked, run, rules))
        told += scored[-1].notes
    alike, note = api.scoring.judged_alike(scored)
    common.notes(dict.fromkeys([*told, *([note] if note else [])]))
    if alike[0].counts.empty and (alike[0].unjudged or not nothing):
        raise DataError(f"{asked.questions.name}: no question is left to score; see the notes, and check --lang and --match")
    return asked, alike


def _gold(gold: str, scoring: ScoringOptions, reading: Reading, *, answers: bool) -> tuple[Gold, list[str]]:
    """Read the gold questions, with the notes on them; refuse them if `answers` are wanted and there are none."""
    with common.clock(f"reading {gold}"):
        asked = api.questions.read_gold(gold, reading, language=scoring.lang)
    told = list(api.questions.notes_on(asked.questions))
    kind = api.scoring.MATCHERS[scoring.match]
    if answers and not kind.linking and not kind.passages:
        try:
            api.questions.check_answers(asked)
        except DataError:
            common.notes(told)  # the notes may say where the answers are
            raise
    return asked, told


def run_names(runs: Sequence[str]) -> list[str]:
    """Return what to call the systems: their files without endings; where these are the same, with endings, or with the folder.

    Raises
    ------
    UsageError
        If a file is given twice.

    Examples
    --------
    >>> run_names(["a/one.v2.json.gz", "a/two.json"]), run_names(["a/one.json", "b/one.json"])
    (['one.v2', 'two'], ['a/one', 'b/one'])
    """
    doubled = next((run for at, run in enumerate(runs) if any(same_file(run, other) for other in runs[:at])), None)
    if doubled is not None:
        raise UsageError(f"{doubled}: is given twice; a run is compared with others, not with itself")
    paths = [
        Path(one_line(run)) if stream_number(run) is None else Path(f"{shown_name(Path(run))}-{at}")
        for at, run in enumerate(runs, 1)
    ]
    plain = [path.with_suffix("") if path.suffix in _PACKED else path for path in paths]
    schemes = (
        [path.stem for path in plain],
        [path.name for path in paths],
        [f"{path.parent.name}/{path.stem}".lstrip("/") for path in plain],
        [str(path) for path in paths],
    )
    return next((found for found in schemes if len(set(found)) == len(found)), schemes[-1])


def gold_weights(gold: Gold, weighted: bool) -> pd.Series[float] | None:
    """Return the weights of the benchmark, or None where they are not asked for."""
    if not weighted:
        return None
    weights = api.questions.weights_of(gold)
    if weights is None:
        raise UsageError("--weighted: the gold questions have no weights; give a benchmark that 'qaldgen sample' wrote")
    return weights


def features_of(gold: Gold, lang: str) -> pd.DataFrame:
    """Compute the features of the gold questions, with a bar; say what could not be computed."""
    with common.progress_bar("features", len(gold.questions.questions)) as bar:
        table, problems = api.cutting.features_of(gold, language=lang, progress=bar.update)
    common.notes(problems)
    return table


def wanted_slices(gold: Gold, cuts: Cuts, lang: str) -> list[Slice]:
    """Return the slices that --by and --where name."""
    found = api.cutting.feature_slices(features_of(gold, lang), cuts.by) if cuts.by else []
    return found + api.cutting.queried_slices(gold, cuts.where, language=lang)
