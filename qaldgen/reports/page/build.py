"""Gather what a report says from scores, slices and tests, without a browser or a file."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from qaldgen.analysis.cluster_slices import agreement, examples_of
from qaldgen.analysis.common_questions import on_common_questions
from qaldgen.analysis.comparing.comparison import Comparison
from qaldgen.analysis.estimating.design import Design, design_of, pool_or_sample_scores
from qaldgen.analysis.gold_editions import editions_of
from qaldgen.analysis.intervals import FEWEST
from qaldgen.analysis.slicing import ALL, Slice
from qaldgen.analysis.summary import status_table, summarise
from qaldgen.errors import UsageError
from qaldgen.io.arguments import check_whole
from qaldgen.reports.page.contents import Example
from qaldgen.reports.page.findings import find_findings
from qaldgen.reports.page.method import describe_method
from qaldgen.reports.page.notebook import ShownReport
from qaldgen.reports.page.questions import question_table
from qaldgen.scoring.gold import Gold
from qaldgen.scoring.measures import higher_is_better, named
from qaldgen.scoring.missing import DEFAULT
from qaldgen.scoring.score import Scores

if TYPE_CHECKING:
    import pandas as pd


def build_report(
    gold: Gold,
    scored: Sequence[Scores],
    *,
    comparison: Comparison | None = None,
    slices: Mapping[str, Sequence[Slice]] | None = None,
    weights: pd.Series[float] | None = None,
    measure: str = "macro-f1",
    missing: str = DEFAULT,
    random_state: int = 0,
) -> ShownReport:
    """Gather what the report shows.

    >>> from qaldgen.model import Answers, Question, QuestionSet
    >>> from qaldgen.runs.record import Response, Run
    >>> from qaldgen.scoring.score import score
    >>> question = Question("1", {"en": ("Is it wet?",)}, answers=Answers(boolean=True))
    >>> gold = Gold(QuestionSet("set", "table", (question,)))
    >>> one = score(gold, Run("mine", "table", {"1": Response("1", answers=Answers(boolean=True))}))
    >>> build_report(gold, [one]).title
    'mine on set'
    """
    check_whole("random_state", random_state, 0)
    _check_names([one.name for one in scored])
    _check_measure(measure, comparison)
    same, note = on_common_questions(scored, missing)
    design = sample_design(gold, same)
    ranked = ranked_runs(same, weights if design is None else design.weights(), measure)
    whole = [next(one for one in scored if one.name == other.name) for other in ranked]
    counted = _Counted(gold, ranked, whole, measure, missing, weights, random_state, design)
    return _report(counted, comparison, dict(slices or {}), note)


class _Counted(NamedTuple):
    """Runs and weights, the best run by `measure` first.

    `ranked` has the questions that count for all runs, `whole` has all questions.
    """

    gold: Gold
    ranked: Sequence[Scores]
    whole: Sequence[Scores]
    measure: str
    missing: str
    weights: pd.Series[float] | None
    random_state: int
    design: Design | None


def _report(
    counted: _Counted,
    comparison: Comparison | None,
    slices: Mapping[str, Sequence[Slice]],
    note: str,
) -> ShownReport:
    """Put the report together."""
    gold, ranked, design = counted.gold, counted.ranked, counted.design
    scores = _scores(counted, slices, comparison)
    over = editions_of(
        counted.whole, measure=counted.measure, missing=counted.missing, weights=counted.weights
    )
    flips = over.flips() if over else []
    return ShownReport(
        title=f"{_listed([one.name for one in ranked])} on {gold.questions.name}",
        systems=tuple(one.name for one in ranked),
        measure=counted.measure,
        questions_asked=len(ranked[0].counts),
        missing=counted.missing,
        pool=None if design is None else design.pool,
        summary=_summary(counted),
        statuses=status_table(counted.whole),
        slices=slices,
        scores=scores,
        comparison=comparison,
        findings=find_findings(
            comparison,
            scores,
            [*_sentence(note), *_about_pool(design), *flips],
            {one.name: one.label for group in slices.values() for one in group},
        ),
        questions=question_table(gold, counted.whole, ranked[0].rules.language),
        question_scores={
            one.name: named(counted.measure).of_each(one.counts) for one in counted.whole
        },
        annotated=gold.benchmark is not None,
        examples=_examples(gold, slices, ranked, counted.measure),
        queries={question.id: question.sparql for question in gold.questions.questions},
        labels=_labels(ranked[0]),
        questions_file=gold.questions.name,
        language=ranked[0].rules.language,
        match=ranked[0].match,
        editions=tuple(flips),
        method=describe_method(
            gold,
            ranked,
            comparison,
            measure=counted.measure,
            weighted=counted.weights is not None,
            missing=counted.missing,
            design=design,
            random_state=counted.random_state,
        ),
    )


def _labels(one: Scores) -> dict[str, str]:
    """Return the labels of IRIs that scoring knows, from ``--labels`` or ``--aliases``."""
    return {iri: names[0] for iri, names in (one.rules.aliases or {}).items() if names}


def _examples(
    gold: Gold, slices: Mapping[str, Sequence[Slice]], scored: Sequence[Scores], measure: str
) -> dict[str, Example]:
    """Return the examples of the clusters among the slices."""
    found = {}
    for one in (one for group in slices.values() for one in group):
        chosen = examples_of(gold.examples, one)
        if chosen:
            values = [named(measure).of_each(run.counts).to_dict() for run in scored]
            alike = [
                agreement(one.ids, chosen, {str(name): value for name, value in own.items()})
                for own in values
            ]
            found[one.name] = Example(chosen[0], tuple(alike))
    return found


def _check_names(names: Sequence[str]) -> None:
    doubled = next((name for name in names if names.count(name) > 1), None)
    if not names or doubled is not None:
        raise UsageError(
            "a report needs a run"
            if doubled is None
            else f"two runs are called {doubled!r}; rename one"
        )


def _check_measure(measure: str, comparison: Comparison | None) -> None:
    named(measure)
    if comparison is not None and comparison.measure != measure:
        raise UsageError(
            f"the comparison is about {comparison.measure}, the report about {measure}; use one"
            " measure"
        )


def _sentence(note: str) -> list[str]:
    return [f"{note[0].upper()}{note[1:]}."] if note else []


def _about_pool(design: Design | None) -> list[str]:
    if design is None:
        return []
    drawn = f"These {len(design.inclusion):,} questions are a probability sample of {design.pool:,}"
    return [
        f"{drawn}: scores and differences, with their intervals, are estimates for all"
        f" {design.pool:,}."
    ]


def sample_design(gold: Gold, same: Sequence[Scores]) -> Design | None:
    """Return the design of a probability sample, restricted to the questions that count."""
    design = design_of(gold)
    return None if design is None else design.restricted(list(same[0].counts.index))


def _summary(counted: _Counted) -> pd.DataFrame:
    """Return the measures on the questions that count for all runs.

    Other rules for missing answers have rows of their own where they count other questions.
    """
    import pandas as pd

    design = design_of(counted.gold)
    how = functools.partial(
        summarise, weights=counted.weights, random_state=counted.random_state, design=design
    )
    found = [how(counted.ranked).assign(missing=counted.missing)]
    sizes = {tuple(len(one.counts) for one in counted.ranked)}
    for rule in ("zero", "skip"):
        sized = tuple(len(one.with_missing(rule)) for one in counted.whole)
        if rule != counted.missing and sized not in sizes:
            sizes.add(sized)
            found.append(how(counted.whole, missing=(rule,)))
    return pd.concat(found, ignore_index=True)


def ranked_runs(
    scored: Sequence[Scores], weights: pd.Series[float] | None = None, measure: str = "macro-f1"
) -> list[Scores]:
    """Return the runs in the order of a measure, the best first.

    Runs with equal values keep their order; those whose value is undefined come last.
    """

    def value(one: Scores) -> float:
        found = named(measure).of(
            one.counts, None if weights is None else weights.loc[one.counts.index].tolist()
        )
        if math.isnan(found):
            return -math.inf
        return found if higher_is_better(measure) else -found

    return sorted(scored, key=lambda one: -value(one))


def large_enough(slices: Mapping[str, Sequence[Slice]]) -> list[Slice]:
    """Return the slices that are large enough for a test, each once."""
    return list(
        {one.name: one for group in slices.values() for one in group if len(one) >= FEWEST}.values()
    )


def _scores(
    counted: _Counted, slices: Mapping[str, Sequence[Slice]], comparison: Comparison | None
) -> pd.DataFrame:
    """Return the score of each run on all questions and on each slice.

    Those that a comparison has are taken from it.
    """
    import pandas as pd

    everything = Slice(ALL, tuple(str(name) for name in counted.ranked[0].counts.index))
    named = [
        ("", everything),
        *((feature, one) for feature, group in slices.items() for one in group),
    ]
    compared = None if comparison is None else comparison.scores
    known = set() if compared is None else {*compared.index.get_level_values("slice")}
    others = list({part.name: part for _, part in named if part.name not in known}.values())
    weights = counted.weights if counted.design is None else counted.design
    parts = []
    for one in counted.ranked:
        found = pool_or_sample_scores(
            one.counts, others, counted.measure, weights, counted.random_state
        )
        if compared is not None:
            both = [compared.xs(one.name, level="system"), *([found] if others else [])]
            found = pd.concat(both)
        found = found.loc[[part.name for _, part in named]].rename_axis("slice").reset_index()
        found.insert(0, "feature", [feature for feature, _ in named])
        found.insert(2, "system", one.name)
        parts.append(found)
    return pd.concat(parts, ignore_index=True)


def _listed(names: Sequence[str]) -> str:
    """Return names as people list them; of many the first three."""
    if len(names) > 4:
        return f"{', '.join(names[:3])} and {len(names) - 3} others"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
