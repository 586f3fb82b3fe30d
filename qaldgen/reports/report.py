"""Reports: everything about one or several runs in one record, and the files made from it."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pandas as pd

from qaldgen.analysis.common_questions import on_common_questions
from qaldgen.analysis.comparing.comparison import Comparison, compare_scores
from qaldgen.analysis.comparing.consistency import agreement_line
from qaldgen.analysis.comparing.multiplicity import Significance
from qaldgen.analysis.estimating.design import (
    Design,
    design_of,
    pool_interval,
    pool_or_sample_scores,
)
from qaldgen.analysis.feature_table import slices_by_conditions
from qaldgen.analysis.scores_by_edition import editions_of
from qaldgen.analysis.slices.cluster_slices import cluster_examples
from qaldgen.analysis.slices.slicing import Slice, whole_slice
from qaldgen.analysis.slices.weak_spots import Search, WeakSpots, find_weak_spots
from qaldgen.benchmark.gold import AnyGold, Gold, why_not_tested
from qaldgen.defaults import MEASURE
from qaldgen.errors import UsageError
from qaldgen.features.cache import cache_file
from qaldgen.io.arguments import as_texts, check_choice
from qaldgen.io.concurrency import one_thread
from qaldgen.io.notes import collecting
from qaldgen.io.progress import step
from qaldgen.io.result_cache import caching
from qaldgen.options import ConditionText, Measures, MissingAnswers
from qaldgen.reports.page.contents import Report
from qaldgen.reports.page.findings import find_findings
from qaldgen.reports.page.formats import FIGURES, write_report
from qaldgen.reports.page.html import render_html
from qaldgen.reports.page.map import project_gold
from qaldgen.reports.page.method import describe_method
from qaldgen.reports.page.page_data import all_of, rank_ranges
from qaldgen.reports.page.slice_groups import slice_groups
from qaldgen.scoring.evaluation import AnyRuns, Evaluation, as_evaluation
from qaldgen.scoring.intervals import FEWEST
from qaldgen.scoring.measures import find_measure, higher_is_better, known_measures, weights_in
from qaldgen.scoring.missing import DEFAULT, check_policy
from qaldgen.scoring.score import Scores, check_names, logged_line, matched_by, summarise
from qaldgen.scoring.worded_answers import expected_scores
from qaldgen.sparql.ready_queries import Query

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The height of the frame of a notebook, in pixels: the first screen.
_HEIGHT = 800


class ShownReport(Report):
    """A report that notebooks show, and that `save` writes."""

    def _repr_html_(self) -> str:
        """Return the page in a frame, apart from the notebook's scripts and styles."""
        page = escape(render_html(self).decode("utf-8"))
        sandbox = 'sandbox="allow-scripts allow-downloads allow-popups"'
        size = f'width="100%" height="{_HEIGHT}" frameborder="0"'
        return f'<iframe title="{escape(self.title)}" {sandbox} {size} srcdoc="{page}"></iframe>'

    def plot(self, kind: Literal["ranking", "kinds"] = "ranking", ax: Axes | None = None) -> Axes:
        """Draw the systems with their intervals, for a paper.

        Parameters
        ----------
        kind
            ``ranking``: each system on all questions; ``kinds``: all systems by kind of question.
        ax
            Where to draw; by default axes of a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes; ``ax.figure.savefig("ranking.pdf")`` saves them.

        Examples
        --------
        >>> gold = [{"id": f"{n}", "question": f"Is it {n}?", "answers": ["7"]} for n in range(9)]
        >>> axes = report(gold, {f"{n}": "7" for n in range(9)}).plot()
        >>> axes.get_xlabel()
        'Macro F1, with 95 % intervals'
        """
        from qaldgen.pictures.score_plots import plot_kinds, plot_ranking

        check_choice("kind", kind, FIGURES)
        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.subplots(layout="constrained")[1]
        if kind == "kinds":
            return plot_kinds(ax, self.scores_by_kind, self.systems, self.measured)
        ranks = rank_ranges(self.comparison, self.systems)
        return plot_ranking(ax, self.overall, ranks, self.measured)

    def save(self, path: str | Path, *, force: bool = False) -> list[Path]:
        """Write the report in the format of the file extension.

        Parameters
        ----------
        path
            See `write_report`.
        force
            Overwrite files that exist.

        Returns
        -------
        list of Path
            The files.
        """
        return write_report(self, path, force=force)


def _summarise(
    common: Sequence[Scores],
    all_scores: Sequence[Scores],
    *,
    missing: str,
    weights: pd.Series[float] | None,
    design: Design | None,
    random_state: int,
) -> pd.DataFrame:
    """Return the measures of each system, by the rule of the report for missing answers first.

    `common` are the scores on the questions that count for all systems. A further rule, zero or
    skip, gets rows from `all_scores` if it counts other questions than the rules before it.
    """
    estimate = None if design is None else functools.partial(pool_interval, design=design)
    make_summary = functools.partial(
        summarise, weights=weights, random_state=random_state, estimate=estimate
    )
    tables = [make_summary(common).assign(missing=missing)]
    known_sizes = {tuple(len(scores.counts) for scores in common)}
    for rule in ("zero", "skip"):
        sizes = tuple(len(scores.with_missing(rule)) for scores in all_scores)
        if rule != missing and sizes not in known_sizes:
            known_sizes.add(sizes)
            tables.append(make_summary(all_scores, missing=(rule,)))
    return pd.concat(tables, ignore_index=True)


def ranked_runs(
    all_scores: Sequence[Scores], weights: pd.Series[float] | None, measure: str = MEASURE
) -> list[Scores]:
    """Return the runs in the order of a measure, the best first.

    Runs with equal values keep their order; runs whose value is undefined come last.
    """

    def badness(scores: Scores) -> float:
        weight = weights_in(weights, scores.counts)
        value = find_measure(measure).of(scores.counts, weight)
        if math.isnan(value):
            return math.inf
        return -value if higher_is_better(measure) else value

    return sorted(all_scores, key=badness)


def _score_slices(
    ranked: Sequence[Scores],
    slices: Mapping[str, Sequence[Slice]],
    comparison: Comparison | None,
    *,
    measure: str,
    weights: pd.Series[float] | Design | None,
    random_state: int,
) -> pd.DataFrame:
    """Return the score of each run on all questions and on each slice."""
    features = [""]
    all_slices = [whole_slice(ranked[0].counts.index)]
    for feature, group in slices.items():
        features += [feature] * len(group)
        all_slices += group
    names = [slice_.name for slice_ in all_slices]

    # only the scores that the comparison does not have already are computed
    new_slices = {slice_.name: slice_ for slice_ in all_slices}
    if comparison is not None:
        for name in comparison.scores.index.get_level_values("slice"):
            new_slices.pop(name, None)

    tables = []
    for scores in ranked:
        table = pool_or_sample_scores(
            scores.counts, new_slices.values(), measure, weights, random_state=random_state
        )
        if comparison is not None:
            compared_scores = pd.DataFrame(comparison.scores.xs(scores.name, level="system"))
            table = pd.concat([compared_scores, table]) if new_slices else compared_scores

        table = table.loc[names].rename_axis("slice").reset_index()
        table.insert(0, "feature", features)
        table.insert(2, "system", scores.name)
        tables.append(table)

    return pd.concat(tables, ignore_index=True)


@one_thread()
def report(
    gold: AnyGold | Evaluation,
    runs: AnyRuns = None,
    *,
    by: str | Sequence[str] = (),
    where: ConditionText | Query | Sequence[ConditionText | Query] = (),
    measure: Measures = MEASURE,
    missing: MissingAnswers = DEFAULT,
    title: str = "",
    tests: Significance | None = None,
) -> ShownReport:
    """Gather how systems score, where they fail, which differences are real, and every question.

    Parameters
    ----------
    gold
        The result of `evaluate`, whose weights count; a probability sample is weighted by its
        design. Or the questions, which are evaluated with the runs by the default rules.
    runs
        With questions: see `evaluate`.
    by
        See `compare`.

        Without it the questions are sliced by type of answer, question word, shape and size of the
        query, and by clusters.
    where, measure, missing
        See `compare`.
    title
        Title of the report.

        By default the systems and the questions.
    tests
        See `compare`.

    Returns
    -------
    Report
        Tables, findings in words and notes; its `save` writes it as a page.

    Raises
    ------
    UsageError
        If there is no run, or a name is unknown.
    DataError
        If a file cannot be read, two runs have the same name, or no question counts for all.

    Examples
    --------
    >>> gold = [{"id": f"{n}", "question": f"What is {n}?", "answers": [f"{n}"]} for n in range(60)]
    >>> right = {f"{n}": f"{n}" for n in range(60)}
    >>> result = report(gold, {"mine": right, "other": dict.fromkeys(right, "7")})
    >>> result.title
    'mine and other on questions'
    """
    check_policy(missing)
    check_choice("measure", measure, known_measures())  # some need scores that have them
    evaluation = as_evaluation(gold, runs).for_measure(measure)
    table = evaluation.features
    slices = slice_groups(table, as_texts(by), slices_by_conditions(evaluation, where))
    return report_scores(
        evaluation.gold,
        evaluation.scores,
        table,
        slices=slices,
        measure=measure,
        missing=missing,
        title=title,
        weights=evaluation.weights,
        tests=tests,
    )


def report_scores(
    gold: Gold,
    all_scores: Sequence[Scores],
    table: pd.DataFrame | None = None,
    *,
    slices: Mapping[str, Sequence[Slice]] | None = None,
    measure: str = MEASURE,
    missing: str = DEFAULT,
    title: str = "",
    weights: pd.Series[float] | None = None,
    tests: Significance | None = None,
    search: bool = True,
) -> ShownReport:
    """Gather the report of runs that were scored; see `report`.

    Weak spots are searched in the features of `table`; without `search` there are none, and slices
    are not tested.

    >>> from qaldgen.model import Answers, Question, QuestionSet
    >>> from qaldgen.answers.record import Response, Run
    >>> from qaldgen.scoring.evaluation import score
    >>> question = Question("1", {"en": ("Is it wet?",)}, answers=Answers(boolean=True))
    >>> gold = Gold(QuestionSet("set", "table", (question,)))
    >>> response = Response("1", answers=Answers(boolean=True))
    >>> scores = score(gold, Run("mine", "table", {"1": response}))
    >>> report_scores(gold, [scores]).title
    'mine on set'
    """
    if not check_names(scores.name for scores in all_scores):
        raise UsageError("a report needs a run")
    tests = tests or Significance()
    groups = dict(slices or {})
    all_slices = list(itertools.chain.from_iterable(groups.values()))

    # a probability sample brings its own weights, which include the uncertainty of sampling
    common, common_note = on_common_questions(all_scores, missing)
    design = design_of(gold)
    question_weights = weights
    weights_or_design: pd.Series[float] | Design | None = weights
    if design is not None:
        weights_or_design = design.restricted(list(common[0].counts.index))
        question_weights = weights_or_design.weights()

    # the systems, the best first by what is expected of their answers
    with collecting() as ranking_notes:
        ranked = ranked_runs(expected_scores(common), question_weights, measure)
    systems = [scores.name for scores in ranked]
    by_best_guess = [scores.name for scores in ranked_runs(common, question_weights, measure)]
    run_notes = [common_note, logged_line(common), *ranking_notes]
    if by_best_guess != systems:
        run_notes.append(f"by best guess the order is {', '.join(by_best_guess)}")
    common = sorted(common, key=lambda scores: systems.index(scores.name))
    all_scores = sorted(all_scores, key=lambda scores: systems.index(scores.name))

    # a second report on the same scores and features takes the tests and the search from the cache
    comparison = None
    weak = WeakSpots()
    with caching(cache_file("results"), [find_measure(measure).value_or_zero]):
        if len(ranked) > 1:
            # by name, as slices of two features may be the same
            tested = {part.name: part for part in all_slices if search and len(part) >= FEWEST}
            with step("comparing"):
                comparison = compare_scores(
                    gold,
                    ranked,
                    list(tested.values()),
                    measure=measure,
                    weights=weights_or_design,
                    tests=tests,
                )
        if search and table is not None:
            language = all_scores[0].rules.language
            with step("searching for weak spots"):
                weak = find_weak_spots(
                    common,
                    table,
                    {question.id: question.text(language) for question in gold.questions},
                    measure=measure,
                    weights=weights_or_design,
                    tests=Search(random_state=tests.random_state),
                    untested=why_not_tested(gold, [scores.run for scores in ranked]),
                )

    with step("making the report"):
        # what is known in words
        editions = editions_of(all_scores, measure=measure, missing=missing, weights=weights)
        flips = editions.flips() if editions else []
        agreement = agreement_line({scores.name: scores.counts for scores in ranked})
        sentences = [f"{text[0].upper()}{text[1:]}." for text in run_notes if text]
        if design is not None:
            sentences.append(
                f"These {len(common[0].counts):,} questions are a probability sample of"
                f" {design.pool:,}: scores and differences, with their intervals, are estimates for"
                f" all {design.pool:,}."
            )
        labels = {part.name: part.label for part in all_slices}
        findings = find_findings(comparison, sentences + flips, labels)
        untested_slices = () if comparison is None else comparison.notes
        overall = [*findings.overall, *untested_slices, agreement]
        findings = findings._replace(overall=tuple(filter(None, overall)))

        if not title:
            names = all_of(systems)
            if len(systems) > 4:
                names = f"{', '.join(systems[:3])} and {len(systems) - 3} others"
            title = f"{names} on {gold.questions.name}"

        examples = cluster_examples(gold, common, all_slices, measure)
        return ShownReport(
            title=title,
            measure=measure,
            questions_asked=len(common[0].counts),
            missing=missing,
            pool=None if design is None else design.pool,
            summary=_summarise(
                common,
                all_scores,
                missing=missing,
                weights=weights,
                design=design,
                random_state=tests.random_state,
            ),
            slices=groups,
            scores=_score_slices(
                ranked,
                groups,
                comparison,
                measure=measure,
                weights=weights_or_design,
                random_state=tests.random_state,
            ),
            comparison=comparison,
            findings=findings,
            method=describe_method(
                gold,
                ranked,
                comparison,
                measure=measure,
                weighted=weights is not None,
                missing=missing,
                design=design,
                random_state=tests.random_state,
            ),
            gold=gold,
            all_scores=tuple(all_scores),
            examples={example.slice.name: example for example in examples},
            projection=None if table is None else project_gold(gold, table),
            weak=weak,
            table=table,
            match=matched_by(ranked),
            in_words=any(scores.in_words for scores in ranked),
            editions=tuple(flips),
            agreement=agreement,
        )
