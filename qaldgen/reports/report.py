"""Reports: everything about one or several runs in one record, and the files made from it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.analysis.common_questions import on_common_questions
from qaldgen.analysis.comparing.comparison import Comparison, compare_runs
from qaldgen.analysis.comparing.consistency import agreement_line
from qaldgen.analysis.comparing.multiplicity import Significance
from qaldgen.analysis.feature_table import features_of, query_slices
from qaldgen.analysis.mistakes import TypeSource, score_for
from qaldgen.analysis.scores import AnyRun
from qaldgen.analysis.slices import WeakSpots, find_weak_spots
from qaldgen.errors import UsageError
from qaldgen.features.cache import cache_file
from qaldgen.formats.results_json import Json
from qaldgen.formats.writing import benchmark_entry
from qaldgen.io.arguments import check_choice, texts
from qaldgen.io.outputs import check_writable, write_all
from qaldgen.io.progress import step
from qaldgen.io.result_cache import caching
from qaldgen.options import (
    Corrections,
    Extractions,
    Matchers,
    Measures,
    MissingAnswers,
    Repeats,
    Resamples,
    SameAs,
    Seed,
    Share,
)
from qaldgen.reports.page.build import build_report, large_enough, ranked_runs, sample_design
from qaldgen.reports.page.contents import Report
from qaldgen.reports.page.formats import FORMS, part_names, render
from qaldgen.reports.page.map import project_gold
from qaldgen.reports.page.sections import SECTIONS
from qaldgen.reports.page.slices import slice_groups
from qaldgen.scoring.gold import AnyGold, Gold, as_gold, gold_as_run, why_not_tested
from qaldgen.scoring.matchers import AUTO, Resolved, Scoring
from qaldgen.scoring.measures import known_measures, named
from qaldgen.scoring.missing import DEFAULT, check_rule
from qaldgen.scoring.score import Scores
from qaldgen.scoring.verdicts import Verdicts

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.analysis.estimating.design import Design
    from qaldgen.analysis.slicing import Slice


@dataclasses.dataclass(frozen=True)
class Cuts:
    """How a report slices, what it measures, which questions count, and its title."""

    #: Slices by feature, and by SPARQL query.
    by: Sequence[str] = ()
    where: Sequence[str] = ()
    measure: str = "macro-f1"  # what slices, tests and pictures are about
    missing: str = DEFAULT  # which questions count
    title: str = ""  # what to call the report; empty for the systems and the questions
    #: The file of the questions, for the commands that the page shows; empty for their name.
    source: str = ""


def report(
    gold: AnyGold,
    runs: AnyRun | Sequence[AnyRun] | None = None,
    *,
    by: str | Sequence[str] = (),
    where: str | Sequence[str] = (),
    measure: Measures = "macro-f1",
    missing: MissingAnswers = DEFAULT,
    weights: pd.Series[float] | None = None,
    title: str = "",
    match: Matchers | Verdicts | Resolved = AUTO,
    same_as: SameAs = "none",
    language: str = "en",
    aliases: Mapping[str, Sequence[str]] | str | Path | None = None,
    labels: str = "",
    extract: Extractions = "auto",
    repeats_as: Repeats | None = None,
    types: TypeSource | None = None,
    correct: Corrections = "holm",
    alpha: Share = 0.05,
    n_resamples: Resamples = 10_000,
    random_state: Seed = 0,
) -> Report:
    """Gather how systems score, where they fail, which differences are real, and every question.

    Parameters
    ----------
    gold
        The questions: a file, the name of a public set, a question set or a benchmark.
    runs
        One system or more: files, dicts, DataFrames, what `read_run` or `ask` returns, or scores;
        None if the questions have answers in a column of their own.
    by
        See `compare`.

        Without it the questions are sliced by type of answer, question word, shape and size of the
        query, and by clusters.
    where, measure, missing
        See `compare`.
    weights
        By question. A probability sample is weighted by its design.
    title
        Title of the report.

        By default the systems and the questions.
    match, same_as, language, aliases, labels, extract, repeats_as
        See `score`.
    types, correct, alpha, n_resamples, random_state
        See `compare`.

    Returns
    -------
    Report
        Tables, findings in words and notes; `write_report` writes it as a page.

    Raises
    ------
    UsageError
        If there is no run, or a name is unknown.
    DataError
        If a file cannot be read, two runs have the same name, or no question counts for all.
    """
    tests = Significance(correct, alpha, n_resamples, random_state)
    check_rule(missing)
    check_choice("measure", measure, known_measures())  # some need scores that have them
    how = Scoring(match, same_as, language, aliases, labels, extract, repeats_as)
    asked = as_gold(gold, language=language)
    runs = gold_as_run(gold, asked.questions.format) if runs is None else runs
    scored = score_for(measure, asked, runs, how, types)
    cuts = Cuts(texts(by), texts(where), measure, missing, title, asked.source)
    table, _ = features_of(asked, language=language)
    return report_scores(asked, scored, table, cuts, weights=weights, tests=tests)


def report_scores(
    gold: Gold,
    scored: Sequence[Scores],
    table: pd.DataFrame,
    cuts: Cuts,
    *,
    weights: pd.Series[float] | None,
    tests: Significance,
    search: bool = True,
) -> Report:
    """Gather the report of runs that were scored; see `report`."""
    same, _ = on_common_questions(scored, cuts.missing)
    # a probability sample brings its own weights, which include the uncertainty of sampling
    design = sample_design(gold, same)
    counted = weights if design is None else design
    slices = slice_groups(
        table, tuple(cuts.by), query_slices(gold, cuts.where, language=scored[0].rules.language)
    )
    ranked = ranked_runs(same, weights if design is None else design.weights(), cuts.measure)
    counts = {one.name: one.counts for one in ranked}
    untested = why_not_tested(gold, counts)
    tested, weak = large_enough(slices) if search else (), WeakSpots()
    # a second report on the same scores and features takes the tests and the search from the cache
    with caching(cache_file("results"), [named(cuts.measure).value]):
        with step("comparing"):
            comparison = _compared(counts, tested, cuts.measure, counted, tests, untested)
        if search:
            with step("searching for weak spots"):
                weak = _weak_spots(gold, same, table, cuts, counted, tests, untested)
    with step("making the report"):
        made = build_report(
            gold,
            scored,
            comparison=comparison,
            slices=slices,
            weights=weights,
            measure=cuts.measure,
            missing=cuts.missing,
            random_state=tests.random_state,
        )
    agreement = agreement_line(counts)
    found = made.findings
    overall = (*found.overall, *([agreement] if agreement else []))
    return dataclasses.replace(
        made,
        agreement=agreement,
        findings=found._replace(overall=overall),
        title=cuts.title or made.title,
        questions_file=cuts.source or made.questions_file,
        projection=project_gold(gold, table),
        weak=weak,
        table=table,
        entries=benchmark_entries(gold, weak),
    )


def benchmark_entries(gold: Gold, weak: WeakSpots) -> dict[str, dict[str, Json]]:
    """Return the questions of weak spots, of which the page makes benchmarks."""
    ids = {name for own in weak.spots.values() for spot in own for name in spot.slice.ids}
    return {one.id: benchmark_entry(one) for one in gold.questions.questions if one.id in ids}


def _weak_spots(
    gold: Gold,
    same: Sequence[Scores],
    table: pd.DataFrame,
    cuts: Cuts,
    counted: pd.Series[float] | Design | None,
    tests: Significance,
    untested: str,
) -> WeakSpots:
    language = same[0].rules.language
    return find_weak_spots(
        same,
        table,
        {question.id: question.text(language) for question in gold.questions.questions},
        measure=cuts.measure,
        weights=counted,
        random_state=tests.random_state,
        untested=untested,
    )


def _compared(
    counts: Mapping[str, pd.DataFrame],
    slices: Sequence[Slice],
    measure: str,
    weights: pd.Series[float] | Design | None,
    tests: Significance,
    untested: str,
) -> Comparison | None:
    """Compare the runs; None for a single run."""
    # one run alone has nothing to be compared with
    if len(counts) < 2:
        return None
    return compare_runs(
        counts, slices, measure=measure, weights=weights, tests=tests, untested=untested
    )


def form_of(path: str) -> str:
    """Return the report format that a file extension selects; ``-`` is Markdown."""
    return "md" if path == "-" else Path(path).suffix[1:].lower()


def files_of(paths: Sequence[str]) -> list[str]:
    """Return the files a report is written to: one for each path, of CSV one for each table."""
    for path in paths:
        if path != "-" and form_of(path) not in FORMS:
            raise UsageError(
                f"-o {path}: unknown report format; use {', '.join('.' + name for name in FORMS)}"
            )
    parts = ("scores", "status", "slices", "weak", "tests", "winners", *SECTIONS, "questions")
    return [
        name
        for path in paths
        for name in part_names(path, parts if form_of(path) == "csv" else ("",))
    ]


def rendered(made: Report, paths: Sequence[str]) -> list[tuple[str, bytes | str]]:
    """Return what each file gets."""
    found: list[tuple[str, bytes | str]] = []
    for path in paths:
        parts = render(made, form_of(path))
        found += zip(part_names(path, tuple(parts)), parts.values(), strict=True)
    return found


def write_report(made: Report, path: str | Path, *, force: bool = False) -> list[Path]:
    """Write a report, atomically.

    Parameters
    ----------
    made
        What `report` returned.
    path
        The extension selects the format: ``.html``, ``.md``, ``.tex``, ``.csv`` (a file for each
        table) or ``.json``.
    force
        Overwrite files that exist.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    UsageError
        If the extension names no format, or a file exists and `force` is not set.
    """
    files_of([str(path)])
    parts = [
        (Path(name), data.encode() if isinstance(data, str) else data)
        for name, data in rendered(made, [str(path)])
    ]
    for file, _ in parts:
        # all files are checked before the first is written
        check_writable(file, force=force)
    write_all(parts, force=force)
    return [file for file, _ in parts]
