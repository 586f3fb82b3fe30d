"""Comparisons as tables and lines for people."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Sequence

import pandas as pd

from qaldgen.analysis.comparing.comparison import (
    Comparison,
    families_in_words,
    tested_in_words,
)
from qaldgen.analysis.comparing.consistency import Consistency
from qaldgen.analysis.slices.slicing import ALL
from qaldgen.benchmark.gold import Gold
from qaldgen.io.text import count
from qaldgen.reports.tables.results import dump_frame
from qaldgen.reports.tables.scores import score_with_interval as with_interval
from qaldgen.scoring.measures import measure_named
from qaldgen.scoring.score import Scores

#: How many reversals that may be chance are named.
_NAMED = 3
#: Tests between more pairs are shown only where they are significant.
_MOST_PAIRS = 30


def question_table(gold: Gold, scored: Sequence[Scores], missing: str) -> pd.DataFrame:
    """Return the F1 of every system on every question, the hardest first; NaN if it counts not."""
    index = scored[0].counts.index
    table = pd.DataFrame(
        {scores.name: scores.with_missing(missing)["f1"] for scores in scored}, index=index
    )
    # stable, so that equally hard questions stay in the order of the data
    table = table.iloc[table.mean(axis=1).argsort(kind="stable")]
    table.insert(0, "id", table.index)
    texts = {question.id: question.text() for question in gold.questions.questions}
    table["question"] = [texts[name] for name in table.index]
    return table


def scores_by_slice(found: Comparison) -> pd.DataFrame:
    """Return the score of each system on each slice, and who is better than every other there."""
    wide = found.scores["estimate"].unstack("system").loc[found.winners.index, found.overall.index]
    table = pd.DataFrame({
        "slice": [found.labels.get(name, name) for name in wide.index],
        "n": found.winners["n"].tolist(),
    })  # fmt: skip
    for system in wide:
        table[free_name(str(system), table)] = wide[system].tolist()
    winners = found.winners["winner"].replace("tie", "-")
    table[free_name("significantly best", table)] = winners.tolist()
    return table


def free_name(name: str, taken: Container[str]) -> str:
    """Return the name of a column, with spaces behind if a system has it."""
    while name in taken:
        name += " "
    return name


def comparison_json(found: Comparison) -> str:
    """Return a comparison for programs: the verdict, the scores, the tests, who wins where."""
    tables = {
        "scores": found.scores.reset_index(),
        "tests": found.pairs,
        "winners": found.winners.reset_index(),
    }
    whole = {"verdict": found.verdict, "measure": found.measure, "alpha": found.alpha} | {
        name: json.loads(dump_frame(frame, "json")) for name, frame in tables.items()
    }
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def tests_for_people(found: Comparison) -> pd.DataFrame:
    """Return the tests as people read them: all questions first, then the slices with a test."""
    # Slices without a p-value are too small to test; `comparison_lines` counts them.
    tested = found.pairs["p"].notna()
    table = found.pairs[tested | bool(found.untested)].copy()
    table["better"] = [
        # The winner depends on the measure: for some, less is better.
        "-" if p > found.alpha else found.in_order(a, b, difference)[0]
        for a, b, difference, p in table[["a", "b", "difference", "p_adjusted"]].itertuples(
            index=False
        )
    ]
    # A stable sort by "is a slice" moves all questions to the top and keeps the order of the rest.
    table = table.iloc[(table["slice"] != ALL).argsort(kind="stable")]
    table["slice"] = [found.labels.get(name, name) for name in table["slice"]]
    test = [] if found.untested else ["low", "high", "p_adjusted", "better"]
    columns = ["slice", "a", "b", "n", "difference", *test, "wins", "ties", "losses"]
    return table[columns].rename(columns={"p_adjusted": "corrected p"})


def comparison_lines(found: Comparison, *, verbose: bool = False) -> Iterator[str]:
    """Yield the verdict, who leads overall, who wins where, and the rank reversals."""
    yield f"{found.verdict}\n"
    labels = found.labels
    label = measure_named(found.measure).label
    overall = found.overall.reset_index()
    overall[label] = [
        with_interval(*row) for row in overall[["estimate", "low", "high"]].itertuples(index=False)
    ]
    yield dump_frame(overall[["system", "n", label]], "text")
    if found.untested:
        return
    if len(found.winners) > 1:
        yield dump_frame(scores_by_slice(found), "text")
    # Among many slices some system is ahead by chance; only significant reversals are named.
    certain = [reversal for reversal in found.reversals if reversal.p <= found.alpha]
    for reversal in certain:
        yield reversal.sentence
    chance = len(found.reversals) - len(certain)
    if chance:
        also = "also " if certain else ""
        first = ", ".join(
            f"{one.other} before {one.leader} on “{labels.get(one.slice, one.slice)}”"
            for one in [one for one in found.reversals if one.p > found.alpha][:_NAMED]
        )
        more = f" and {chance - _NAMED} more" if chance > _NAMED else ""
        yield (
            f"{also}the order on a slice differs from that on all questions, which may be chance:"
            f" {first}{more}"
        )
    # Unique, in order: a slice has a row for each pair of systems.
    untested = list(dict.fromkeys(found.pairs.loc[found.pairs["p"].isna(), "slice"]))
    if untested:
        left = count(len(untested), "slice")
        yield f"{left} left out, too small to test (first: {untested[0]})"
    if verbose:
        yield f"p: two-sided, {tested_in_words(found.measure)}"
        yield f"{families_in_words(found)}, level {found.alpha:g}; seed {found.random_state}"
    families = {"on all questions": found.tests, "on slices": found.slice_tests}
    counted = [f"{number:,} tests {where}" for where, number in families.items() if number > 1]
    corrected = f", corrected for {' and, apart, '.join(counted)}" if counted else ""
    yield (
        "difference: a - b with its 95 % interval; better: which one, if more than chance explains"
        f" (p up to {found.alpha:g}{corrected}){'' if verbose else '; `verbose` says how'}\n"
    )


def consistency_lines(found: Consistency) -> Iterator[str]:
    """Yield how consistent each system is, and the tests between systems and between wordings."""
    yield from found.sentences
    for table, what in (
        (found.between_systems, "consistency between systems"),
        (found.between_wordings, f"F1 between {found.across}s, corrected within each system"),
    ):
        shown = table.rename(columns={"p_adjusted": "corrected p"})
        if len(table) > _MOST_PAIRS:
            shown = shown[table["p_adjusted"] <= found.alpha]
            what += f": the {len(shown)} significant ones of {len(table)}"
        if len(shown):
            yield f"\npaired tests of {what}\n{dump_frame(shown, 'text')}"
    yield (
        f"right: F1 of 1; p corrected for the number of pairs, level {found.alpha:g};"
        " `by_question` lists the questions that flip\n"
    )
