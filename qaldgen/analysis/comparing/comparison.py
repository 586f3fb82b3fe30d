"""Systems side by side: who is better overall and on each slice, and what may be chance."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from qaldgen.analysis.common_questions import on_common_questions
from qaldgen.analysis.comparing.hand_labels import with_hand_labels
from qaldgen.analysis.comparing.multiplicity import Significance, adjust, p_in_words
from qaldgen.analysis.comparing.significance import PairedTest, paired_tests
from qaldgen.analysis.estimating.design import Design, pool_differences, pool_or_sample_scores
from qaldgen.analysis.feature_table import slices_of
from qaldgen.analysis.slices.slicing import ALL, Slice, slice_masks, whole_slice
from qaldgen.benchmark.gold import AnyGold, Gold, why_not_tested, why_only_described
from qaldgen.defaults import DECIMALS, LEVEL_LABEL, MEASURE
from qaldgen.errors import DataError, UsageError
from qaldgen.io.concurrency import one_thread
from qaldgen.io.notes import collecting
from qaldgen.io.result_cache import cached
from qaldgen.io.result_display import result_html, result_text
from qaldgen.io.text import count, few
from qaldgen.options import ConditionText, Measures, MissingAnswers
from qaldgen.scoring.evaluation import AnyRuns, Evaluation, as_evaluation
from qaldgen.scoring.intervals import NORMAL_REACH, question_weights
from qaldgen.scoring.measures import (
    MEASURES,
    OUTCOME_MEASURES,
    find_measure,
    higher_is_better,
    summed_columns,
)
from qaldgen.scoring.missing import DEFAULT, check_policy
from qaldgen.scoring.score import Scores, logged_line, notes_of
from qaldgen.scoring.worded_answers import expected_scores
from qaldgen.sparql.ready_queries import Query

#: The power with which a difference would have been seen: 4 of 5 comparisons.
_POWER = 0.8


@dataclasses.dataclass(frozen=True, eq=False)
class Comparison:
    """Several systems on the same questions.

    Attributes
    ----------
    measure, correction : str
        The measure compared, and the correction of p for the number of tests.
    alpha : float
        The level of the corrected tests.
    tests, slice_tests : int
        Tests on all questions, one for each pair of systems, and tests on slices. Each is a family
        of its own: looking at slices does not change the verdict on all questions.
    n_resamples, n_slice_resamples : int
        Resamples of each test on all questions, and of each test on a slice.
    random_state : int
        The seed of the resamples.
    overall : DataFrame
        By system, the best first: the columns of `slicing.group_scores`.
    scores : DataFrame
        By slice and system: the columns of `slicing.group_scores`; the first slice is ``(all)``.
    pairs : DataFrame
        One row for each pair of systems and slice: ``a``, ``b``, ``slice``, the fields of
        `significance.PairedTest`, and ``p_adjusted``.
    winners : DataFrame
        By slice: ``n``; ``winner``, which is ``tie`` unless one system is significantly better than
        every other; ``best``, the system with the best score; ``not_worse``, the systems that
        are not significantly worse than it.
    reversals : tuple of Reversal
        Slices where the order of two systems is reversed: the certain ones first, then by corrected
        p.
    notes : tuple of str
        What a user should know, for instance which questions were left out.
    labels : mapping of str to str
        By name of a slice, how people call it.
    untested : str
        Why nothing was tested: a sentence. Empty if it was.
    """

    measure: str
    correction: str
    alpha: float
    tests: int
    slice_tests: int
    n_resamples: int
    n_slice_resamples: int
    random_state: int
    overall: pd.DataFrame
    scores: pd.DataFrame
    pairs: pd.DataFrame
    winners: pd.DataFrame
    reversals: tuple[Reversal, ...]
    notes: tuple[str, ...] = ()
    labels: Mapping[str, str] = dataclasses.field(default_factory=dict)
    untested: str = ""

    def in_order(self, a: str, b: str, difference: float) -> tuple[str, str]:
        """Return two systems, the one that is ahead first.

        Parameters
        ----------
        a, b
            Their names.
        difference
            A's value minus B's. For most measures more is better; for shares of mistakes, less.

        Returns
        -------
        tuple[str, str]
            The names; in the given order if they are equal.
        """
        lead = difference if higher_is_better(self.measure) else -difference
        return (a, b) if lead >= 0 else (b, a)

    @property
    def everywhere(self) -> pd.DataFrame:
        """The pairs on all questions."""
        return self.pairs[self.pairs["slice"] == ALL]

    @property
    def verdict(self) -> str:
        """Who is better on all questions, by how much and with which p; or that no one is."""
        systems = [str(name) for name in self.overall.index]
        if self.untested:
            scores = self.overall["estimate"].items()
            return f"{', '.join(f'{name} {score:.3f}' for name, score in scores)}. {self.untested}"
        tests = self.everywhere
        has_best_two = tests["a"].isin(systems[:2]) & tests["b"].isin(systems[:2])
        row = tests[has_best_two].iloc[0].to_dict()
        sentence = self.about_pair(row)
        if len(systems) > 2 and self.winners.loc[ALL, "winner"] == systems[0]:
            n_others = len(systems) - 1
            return f"{systems[0]} is better than each of the {n_others} others. {sentence}"
        if len(systems) > 2:
            not_worse = str(self.winners.loc[ALL, "not_worse"])
            sentence = (
                f"No system is shown to be the best; beside {systems[0]}: {not_worse}. {sentence}"
            )
        return f"{sentence}{self._detectable_sentence(row)}"

    def _detectable_sentence(self, row: Mapping[Any, Any]) -> str:
        """Say how large a difference would have been seen; empty if one was seen."""
        half_width = (row["high"] - row["low"]) / 2
        if not (row["p_adjusted"] > self.alpha and half_width > 0):
            return ""
        error = half_width / NORMAL_REACH
        # alpha is divided by the number of tests, as it is for the smallest p
        quantile = NormalDist().inv_cdf
        reach = quantile(1 - self.alpha / (2 * max(self.tests, 1))) + quantile(_POWER)
        return (
            f" A difference of about {error * reach:.2f} would have been seen in 4 of 5 such"
            " comparisons."
        )

    def about_pair(self, row: Mapping[Any, Any]) -> str:
        """Say who of two is ahead on all questions, by how much, and whether that is significant.

        Parameters
        ----------
        row
            A row of `pairs`.
        """
        difference = row["difference"]
        low, high = row["low"], row["high"]
        p = row["p_adjusted"]
        a, b = self.in_order(str(row["a"]), str(row["b"]), difference)
        if difference < 0:
            low, high = -high, -low

        if self.untested:
            return f"{a} is {abs(difference):.3f} ahead of {b} on these {row['n']:,} questions."
        if math.isnan(p):
            return (
                f"{a} is {abs(difference):.3f} ahead of {b}; {row['n']} questions are too few for"
                " a test."
            )

        size = f"{LEVEL_LABEL} interval {low:.3f} to {high:.3f}, {p_in_words(p)}"
        if p <= self.alpha:
            return (
                f"{a} is better than {b} on all {row['n']:,} questions, by {abs(difference):.3f}"
                f" ({size})."
            )
        return (
            f"There is no evidence of a difference between {a} and {b} on all {row['n']:,}"
            f" questions: {abs(difference):.3f} ({size})."
        )

    def __repr__(self) -> str:
        """Return one line: the systems, the measure and the number of tests."""
        systems = ", ".join(str(name) for name in self.overall.index)
        if self.untested:
            return f"<Comparison of {systems}: {self.measure}, described and not tested>"
        tests = f"tests on all questions: {self.tests}, on slices: {self.slice_tests}"
        return (
            f"<Comparison of {systems}: {self.measure}, {tests},"
            f" each corrected by {self.correction}>"
        )

    def __str__(self) -> str:
        """Return the verdict, the line, the scores on all questions, who wins where, and notes."""
        scores = self.overall[["n", "estimate", "low", "high"]].round(DECIMALS)
        lines = [self.verdict, repr(self), scores.to_string(), self.winners.to_string()]
        return result_text(lines, self.notes)

    def _repr_html_(self) -> str:
        """Return the verdict, the scores, who wins where, and the notes, for notebooks."""
        scores = self.overall[["n", "estimate", "low", "high"]].round(DECIMALS)
        return result_html(self.verdict, [scores, self.winners], (repr(self), *self.notes))


def compare(
    gold: AnyGold | Evaluation,
    runs: AnyRuns = None,
    *,
    by: str | Sequence[str] = (),
    where: ConditionText | Query | Sequence[ConditionText | Query] = (),
    measure: Measures = MEASURE,
    missing: MissingAnswers = DEFAULT,
    tests: Significance | None = None,
    labels: str | Path | None = None,
) -> Comparison:
    """Compare systems on the same questions, overall and by slice, with corrected tests.

    A verdict on an answer in words may be wrong, so the answer counts by the probability that it is
    right.

    Parameters
    ----------
    gold
        The result of `evaluate` for two systems or more. Or the questions, which are evaluated with
        the runs by the default rules.
    runs
        With questions: see `evaluate`.
    by
        Slice by a feature, by 'cluster', or by several features (comma-separated).
    where
        Add a slice: the questions that fulfil a condition, such as 'tps > 2 and whType = who'.

        In Python also those that a SPARQL query (`Query`) selects.
    measure
        Measure to compare.
    missing
        Which questions count, for every run alike.

        ``zero`` (all; what is missing is wrong), ``asked`` (those that every run was asked) or
        ``skip`` (those that no run failed on either).
    tests
        How differences are tested; None for the defaults of `Significance`.
    labels
        Table of answers with hand labels (`id`, `answer`, `label`), which are the verdicts on them.

    Returns
    -------
    Comparison
        The scores, the tests and who wins where; ``.notes`` say what was left out, and what is to
        be known of the runs.

    Raises
    ------
    UsageError
        If there are fewer than two systems, or a name is unknown.
    DataError
        If a file cannot be read, two runs have the same name, or no question counts for all.

    Examples
    --------
    >>> gold = [{"id": f"{n}", "question": f"What is {n}?", "answers": [f"{n}"]} for n in range(60)]
    >>> right = {f"{n}": f"{n}" for n in range(60)}
    >>> compare(gold, {"mine": right, "other": dict.fromkeys(right, "7")}).verdict[:25]
    'mine is better than other'
    """
    check_policy(missing)

    evaluation = as_evaluation(gold, runs)
    if labels is not None:
        evaluation = with_hand_labels(evaluation, labels)
    evaluation = evaluation.for_measure(measure)

    common, note = on_common_questions(evaluation.scores, missing)
    with collecting() as notes:
        slices = slices_of(evaluation, by, where)
        expected = expected_scores(common)
    comparison = compare_scores(
        evaluation.gold, expected, slices, measure=measure, weights=evaluation.weights, tests=tests
    )
    all_notes = notes_of(common, note, logged_line(common), *notes, *comparison.notes)
    return dataclasses.replace(comparison, notes=all_notes)


def compare_scores(
    gold: Gold,
    all_scores: Sequence[Scores],
    slices: Sequence[Slice],
    *,
    measure: str,
    weights: pd.Series[float] | Design | None,
    tests: Significance | None,
) -> Comparison:
    """Compare runs by `compare_runs`; notes say which slices are not tested, and why.

    A slice that was chosen because a run fails on it is only described.
    """
    runs = [scores.run for scores in all_scores]
    reasons = {}
    for slice_ in slices:
        reason = why_only_described(slice_.label, slice_.chosen_by, runs)
        if reason:
            reasons[slice_.name] = reason
    comparison = compare_runs(
        {scores.name: scores.counts for scores in all_scores},
        slices,
        measure=measure,
        weights=weights,
        tests=tests,
        untested=why_not_tested(gold, runs),
        untested_slices=reasons,
    )
    return dataclasses.replace(comparison, notes=tuple(reasons.values()))


@one_thread()
def compare_runs(
    counts_by_system: Mapping[str, pd.DataFrame],
    slices: Sequence[Slice] = (),
    *,
    measure: str = MEASURE,
    weights: pd.Series[float] | Design | None = None,
    tests: Significance | None = None,
    untested: str = "",
    untested_slices: Collection[str] = (),
) -> Comparison:
    """Compare systems overall and on each slice, with paired tests.

    The tests on all questions are one family, those on slices another: p is corrected for the
    number of tests within each. `untested` says why nothing is tested; empty if something is.
    `untested_slices` are the names of slices that are not tested.

    >>> import pandas as pd
    >>> a = pd.DataFrame({"f1": [1.0] * 9 + [0.0] * 3}, index=[f"q{n}" for n in range(12)])
    >>> result = compare_runs({"A": a, "B": 1 - a}, [Slice("hard", ("q9", "q10", "q11"))])
    >>> result.overall["estimate"].to_dict(), result.winners.loc["hard", "winner"]
    ({'A': 0.75, 'B': 0.25}, 'tie')
    """
    significance = tests or Significance()
    seed = significance.random_state
    names = [ALL] + [slice_.name for slice_ in slices]
    _check_systems_and_slices(counts_by_system, names)
    first_counts = next(iter(counts_by_system.values()))
    # in one order, because the tests pair the rows of two systems by position
    counts = {name: counts.loc[first_counts.index] for name, counts in counts_by_system.items()}
    spec = find_measure(measure, first_counts)
    all_questions = whole_slice(first_counts.index)
    all_slices = [all_questions, *slices]

    # Two families: slices that a user adds must not raise the p-values of the main result.
    families = []
    for family in ([all_questions], slices):
        n_resamples = significance.enough(len(counts), len(family))
        table = _test_pairs(counts, family, measure, weights, n_resamples=n_resamples, seed=seed)
        table.loc[table["slice"].isin(list(untested_slices)), ["low", "high", "p"]] = np.nan
        p = table["p"].to_numpy(dtype=float)
        table["p_adjusted"] = adjust(p, significance.correct)
        if untested:
            table[["low", "high", "p", "p_adjusted"]] = np.nan
        families.append(table)

    pairs = pd.concat([table for table in families if len(table)], ignore_index=True)
    # for each pair all questions first, then the slices
    order = pairs.groupby(["a", "b"], sort=False).ngroup().argsort(kind="stable")
    pairs = pairs.iloc[order].reset_index(drop=True)
    if not untested and isinstance(weights, Design) and spec.is_mean:
        pairs = pool_differences(pairs, counts, all_slices, measure=measure, design=weights)

    tables = {
        name: pool_or_sample_scores(table, all_slices, measure, weights, random_state=seed)
        for name, table in counts.items()
    }
    scores = pd.concat(tables, names=["system", "slice"]).swaplevel().loc[names]

    # stable, so that tied systems stay in the order in which they were given
    higher = spec.higher_is_better
    ranking = scores.sort_values("estimate", ascending=not higher, kind="stable")

    n_tests, n_slice_tests = (int(family["p"].notna().sum()) for family in families)
    return Comparison(
        measure=measure,
        correction=significance.correct,
        alpha=significance.alpha,
        tests=n_tests,
        slice_tests=n_slice_tests,
        n_resamples=significance.enough(len(counts), 1),
        n_slice_resamples=significance.enough(len(counts), len(slices)),
        random_state=seed,
        overall=pd.DataFrame(ranking.xs(ALL, level="slice")),
        scores=scores,
        pairs=pairs,
        winners=_find_winners(pairs, scores, names, significance.alpha, higher=higher),
        reversals=find_reversals(pairs, significance.alpha, higher=higher),
        labels={part.name: part.label for part in slices},
        untested=untested,
    )


def tested_in_words(measure: str) -> str:
    """Return the null hypothesis of the test of a difference in a measure, as a phrase.

    >>> tested_in_words("macro-f1")
    'the larger p of the paired randomisation test and a test of equal means'
    """
    if (measure in MEASURES or measure in OUTCOME_MEASURES) and not find_measure(measure).is_mean:
        return (
            "paired randomisation test: could the systems be exchanged? A difference in spread"
            " alone can be significant too"
        )
    return "the larger p of the paired randomisation test and a test of equal means"


def families_in_words(comparison: Comparison) -> str:
    """Return how many tests were made and how p was corrected, as a phrase."""
    tests = (
        f"{count(comparison.tests, 'paired test')} on all questions"
        f" ({comparison.n_resamples:,} random resamples)"
    )
    correction = f"p corrected by {comparison.correction}"
    if comparison.slice_tests:
        tests += f" and {comparison.slice_tests:,} on slices ({comparison.n_slice_resamples:,})"
        correction += ", separately for each of these families"
    return f"{tests}; {correction}"


def _test_pairs(
    counts: Mapping[str, pd.DataFrame],
    slices: Sequence[Slice],
    measure: str,
    weights: pd.Series[float] | Design | None,
    *,
    n_resamples: int,
    seed: int,
) -> pd.DataFrame:
    """Test each pair of systems on each slice, or take the tests from the cache of results."""
    tables = list(counts.values())
    spec = find_measure(measure, tables[0])
    masks = slice_masks(slices, tables[0].index)
    weight = weights.weights() if isinstance(weights, Design) else weights

    # the key of the cache: by system what the tests read of its counts, one row per question
    inputs = []
    for table in tables:
        columns = summed_columns(table, spec)
        scores = table[["f1"]] if "f1" in table.columns else table[[]]
        table_weights = question_weights(table, weight)
        inputs.append(np.column_stack([columns, table_weights, scores.to_numpy(float)]))

    tests_by_pair = cached(
        "paired tests",
        [*inputs, masks, measure, n_resamples, seed],
        lambda: paired_tests(
            tables,
            masks,
            measure=measure,
            weights=weight,
            n_resamples=n_resamples,
            random_state=seed,
        ),
    )

    rows = []
    for (a, b), tests in zip(combinations(counts, 2), tests_by_pair, strict=True):
        for slice_, test in zip(slices, tests, strict=True):
            rows.append([a, b, slice_.name, *test])
    return pd.DataFrame(rows, columns=["a", "b", "slice", *PairedTest._fields])


def _check_systems_and_slices(
    counts_by_system: Mapping[str, pd.DataFrame], names: Sequence[str]
) -> None:
    """Refuse fewer than two systems, equal names of slices, and unequal sets of questions."""
    if len(counts_by_system) < 2:
        raise UsageError(
            f"comparing needs two systems or more, {len(counts_by_system)} given; add a run"
        )
    duplicate = next((name for name in names if names.count(name) > 1), None)
    if duplicate is not None:
        raise UsageError(f"two slices are called {duplicate!r}; rename one")

    (first, counts), *other_tables = counts_by_system.items()
    for name, table in counts_by_system.items():
        if table.index.has_duplicates:
            raise DataError(
                f"question {table.index[table.index.duplicated()][0]} is scored twice; keep one row"
                " per question",
                where=name,
            )

    for name, table in other_tables:
        missing_ids = (
            (name, first, counts.index.difference(table.index)),
            (first, name, table.index.difference(counts.index)),
        )
        for system, other_system, ids in missing_ids:
            if len(ids):
                raise DataError(
                    f"{count(len(ids), 'question')} with a score only in {other_system}"
                    f" ({few(ids)}); systems are compared on the same questions, so score all on"
                    " one question set",
                    where=system,
                )


def _find_winners(
    pairs: pd.DataFrame, scores: pd.DataFrame, names: Sequence[str], alpha: float, *, higher: bool
) -> pd.DataFrame:
    """Return for each slice the best system, those not significantly worse, and the winner."""
    rows = []
    # A slice without a test has NaN here, which is never significant: it ends as a tie.
    is_significant = pairs["p_adjusted"] <= alpha
    for name in names:
        slice_scores = scores.xs(name, level="slice")
        n = int(slice_scores["n"].iloc[0])
        if not n:
            rows.append({"n": 0, "winner": "tie", "best": "", "not_worse": ""})
            continue

        ranking = slice_scores["estimate"].sort_values(ascending=not higher, kind="stable")
        best = str(ranking.index[0])
        has_best = (pairs["a"] == best) | (pairs["b"] == best)
        won_pairs = pairs[is_significant & (pairs["slice"] == name) & has_best]
        worse = set(won_pairs["a"]).union(won_pairs["b"])
        others = slice_scores.index.drop(best)
        not_worse = [system for system in others if system not in worse]
        winner = "tie" if not_worse else best
        rows.append({"n": n, "winner": winner, "best": best, "not_worse": ", ".join(not_worse)})

    return pd.DataFrame(rows, index=pd.Index(names, name="slice"))


class Reversal(NamedTuple):
    """A slice on which another system is ahead than overall.

    Attributes
    ----------
    leader, other : str
        The system that is ahead overall, and the one that is ahead on the slice.
    slice : str
        The name of the slice.
    n : int
        Its questions.
    overall, overall_p : float
        By how much `leader` is ahead overall, and the corrected p-value.
    difference, p : float
        By how much `other` is ahead on the slice, and the corrected p-value.
    alpha : float
        The level of the tests.
    """

    leader: str
    other: str
    slice: str
    n: int
    overall: float
    overall_p: float
    difference: float
    p: float
    alpha: float

    @property
    def certain(self) -> bool:
        """Whether both differences are significant after correction."""
        return max(self.overall_p, self.p) <= self.alpha

    @property
    def sentence(self) -> str:
        """A sentence on the reversal, which claims no more than the tests do."""
        overall = (
            f"{self.leader} leads overall by {self.overall:.3f} ({p_in_words(self.overall_p)})"
        )
        lead = f"{self.slice} by {self.difference:.3f} (n = {self.n}, {p_in_words(self.p)})"
        if self.certain:
            return f"{overall}, {self.other} leads on {lead}."

        tie = (
            f"overall there is no evidence of a difference between {self.leader} and {self.other}"
            f" ({self.overall:.3f}, {p_in_words(self.overall_p)})"
        )
        if self.p <= self.alpha:
            return f"{self.other} leads on {lead}; {tie}."

        if self.overall_p > self.alpha:
            start = f"{tie[0].upper()}{tie[1:]}"
        else:
            start = (
                f"{self.leader} is ahead of {self.other} overall by {self.overall:.3f}"
                f" ({p_in_words(self.overall_p)})"
            )
        return f"{start}; {self.other} has the higher score on {lead}, but this may be chance."


def find_reversals(
    pairs: pd.DataFrame, alpha: float, *, higher: bool = True
) -> tuple[Reversal, ...]:
    """Return the rank reversals in a table of pairs."""
    reversals = []
    for (a, b), group in pairs.groupby(["a", "b"], sort=False):
        overall = group[group["slice"] == ALL].iloc[0]
        lead = float(overall["difference"])
        leader, slice_leader = (a, b) if (lead > 0.0) == higher else (b, a)
        reversed_rows = group[group["p"].notna() & (group["difference"] * lead < 0.0)]
        for row in reversed_rows.to_dict("records"):
            reversal = Reversal(
                leader=str(leader),
                other=str(slice_leader),
                slice=str(row["slice"]),
                n=int(row["n"]),
                overall=abs(lead),
                overall_p=float(overall["p_adjusted"]),
                difference=abs(float(row["difference"])),
                p=float(row["p_adjusted"]),
                alpha=alpha,
            )
            reversals.append(reversal)
    return tuple(sorted(reversals, key=lambda reversal: (not reversal.certain, reversal.p)))
