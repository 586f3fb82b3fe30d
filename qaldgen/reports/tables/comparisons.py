"""Comparisons as tables and lines for people."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import pandas as pd

from qaldgen.analysis.comparing.comparison import Comparison, families_in_words, tested_in_words
from qaldgen.analysis.comparing.consistency import Consistency
from qaldgen.analysis.slices.slicing import ALL
from qaldgen.benchmark.gold import Gold
from qaldgen.defaults import LEVEL_LABEL
from qaldgen.io.text import count, few_and_more
from qaldgen.reports.tables.results import dump_frame, free_name
from qaldgen.reports.tables.scores import score_with_interval as with_interval
from qaldgen.scoring.measures import find_measure
from qaldgen.scoring.score import Scores

#: The most reversals that may be chance, and are named.
_MAX_NAMED = 3
#: Tests between more pairs are shown only where they are significant.
_MOST_PAIRS = 30


def f1_by_question(gold: Gold, all_scores: Sequence[Scores], missing: str) -> pd.DataFrame:
    """Return the F1 of each system by question, the hardest first; NaN where it does not count."""
    index = all_scores[0].counts.index
    table = pd.DataFrame(
        {scores.name: scores.with_missing(missing)["f1"] for scores in all_scores}, index=index
    )
    # stable, so that equally hard questions stay in the order of the data
    table = table.iloc[table.mean(axis=1).argsort(kind="stable")]
    table.insert(0, "id", table.index)
    texts = {question.id: question.text() for question in gold.questions}
    table["question"] = [texts[question_id] for question_id in table.index]
    return table


def scores_by_slice(comparison: Comparison) -> pd.DataFrame:
    """Return the score of each system on each slice, and who is better than every other there."""
    scores = comparison.scores["estimate"]
    winners = comparison.winners["winner"]
    wide = scores.unstack("system").loc[winners.index, comparison.overall.index]
    table = pd.DataFrame({
        "slice": [comparison.labels.get(name, name) for name in wide.index],
        "n": comparison.winners["n"].tolist(),
    })  # fmt: skip
    for system in wide:
        table[free_name(str(system), table)] = wide[system].tolist()
    winners = winners.replace("tie", "-")
    table[free_name("significantly best", table)] = winners.tolist()
    return table


def comparison_json(comparison: Comparison) -> str:
    """Return a comparison as JSON: the verdict, the scores, the tests, who wins where."""
    tables = {
        "scores": comparison.scores.reset_index(),
        "tests": comparison.pairs,
        "winners": comparison.winners.reset_index(),
    }
    contents: dict[str, object] = {
        name: getattr(comparison, name) for name in ("verdict", "measure", "alpha")
    }
    for name, frame in tables.items():
        contents[name] = json.loads(dump_frame(frame, "json"))
    return json.dumps(contents, ensure_ascii=False, indent=1) + "\n"


def tests_for_people(comparison: Comparison) -> pd.DataFrame:
    """Return the tests as people read them: all questions first, then the slices with a test."""
    # Slices without a p-value are too small to test; `comparison_lines` counts them.
    is_tested = comparison.pairs["p"].notna()
    table = comparison.pairs[is_tested | bool(comparison.untested)].copy()

    better = []
    for row in table.to_dict("records"):
        # The winner depends on the measure: for some, less is better.
        leader, _ = comparison.in_order(row["a"], row["b"], row["difference"])
        if row["p_adjusted"] > comparison.alpha:
            leader = "-"
        better.append(leader)
    table["better"] = better

    # A stable sort by "is a slice" moves all questions to the top and keeps the order of the rest.
    table = table.iloc[(table["slice"] != ALL).argsort(kind="stable")]
    table["slice"] = [comparison.labels.get(name, name) for name in table["slice"]]

    columns = ["slice", "a", "b", "n", "difference"]
    if not comparison.untested:
        columns += ["low", "high", "p_adjusted", "better"]
    columns += ["wins", "ties", "losses"]
    return table[columns].rename(columns={"p_adjusted": "corrected p"})


def comparison_lines(comparison: Comparison, *, verbose: bool = False) -> Iterator[str]:
    """Yield the verdict, who leads overall, who wins where, and the rank reversals."""
    yield f"{comparison.verdict}\n"

    alpha = comparison.alpha
    label = find_measure(comparison.measure).label
    overall = comparison.overall.reset_index()
    overall[label] = list(map(with_interval, overall["estimate"], overall["low"], overall["high"]))
    yield dump_frame(overall[["system", "n", label]], "text")

    if comparison.untested:
        return

    if len(comparison.winners) > 1:
        yield dump_frame(scores_by_slice(comparison), "text")
    yield from _reversal_lines(comparison)

    pairs = comparison.pairs
    # a slice has a row for each pair of systems
    untested_slices = list(dict.fromkeys(pairs.loc[pairs["p"].isna(), "slice"]))
    if untested_slices:
        slices = count(len(untested_slices), "slice")
        yield f"{slices} left out, too small to test (first: {untested_slices[0]})"

    if verbose:
        yield f"p: two-sided, {tested_in_words(comparison.measure)}"
        yield f"{families_in_words(comparison)}, level {alpha:g}; seed {comparison.random_state}"
    families = {"on all questions": comparison.tests, "on slices": comparison.slice_tests}
    family_sizes = [f"{n:,} tests {family}" for family, n in families.items() if n > 1]
    correction = ""
    if family_sizes:
        correction = f", corrected for {' and, apart, '.join(family_sizes)}"

    hint = "" if verbose else "; `verbose` says how"
    yield (
        f"difference: a - b with its {LEVEL_LABEL} interval; better: which one, if more than"
        f" chance explains (p up to {alpha:g}{correction}){hint}\n"
    )


def _reversal_lines(comparison: Comparison) -> Iterator[str]:
    """Yield a line for each rank reversal that is significant, and one for all others."""
    unsure = []
    for reversal in comparison.reversals:
        if reversal.p <= comparison.alpha:
            yield reversal.sentence
        else:
            label = comparison.labels.get(reversal.slice, reversal.slice)
            unsure.append(f"{reversal.other} before {reversal.leader} on “{label}”")
    if unsure:
        start = "also the order" if len(unsure) < len(comparison.reversals) else "the order"
        yield (
            f"{start} on a slice differs from that on all questions, which may be chance:"
            f" {few_and_more(unsure, _MAX_NAMED)}"
        )


def consistency_lines(consistency: Consistency) -> Iterator[str]:
    """Yield how consistent each system is, and the tests between systems and between wordings."""
    yield from consistency.sentences

    tables = {
        "consistency between systems": consistency.between_systems,
        f"F1 between {consistency.across}s, corrected within each system": (
            consistency.between_wordings
        ),
    }
    for subject, table in tables.items():
        heading = f"paired tests of {subject}"
        tests = table.rename(columns={"p_adjusted": "corrected p"})
        if len(table) > _MOST_PAIRS:
            tests = tests[table["p_adjusted"] <= consistency.alpha]
            heading += f": the {len(tests)} significant ones of {len(table)}"
        if len(tests):
            yield f"\n{heading}\n{dump_frame(tests, 'text')}"

    yield (
        f"right: F1 of 1; p corrected for the number of pairs, level {consistency.alpha:g};"
        " `by_question` lists the questions that flip\n"
    )
