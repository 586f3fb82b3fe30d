"""Divide the errors of a pipeline into misses of the retriever and misses of the reader.

A question is a *retriever miss* if none of its relevant passages is among the first k, a *reader
miss* if one is and the answer is still wrong. A right answer without a relevant passage is a case
of its own: luck, or a passage that nobody labelled. The reader's score on the relevant passages
alone is the score with a perfect retriever.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.analysis.slices.slicing import Slice
from qaldgen.answers.record import Run
from qaldgen.benchmark.gold import AnyGold, Gold, as_gold
from qaldgen.errors import DataError, UsageError
from qaldgen.options import Option, PositiveInt
from qaldgen.plugins.passages.relevance import relevant_passages
from qaldgen.plugins.passages.trec import as_run
from qaldgen.reports.page.contents import Report, Section
from qaldgen.reports.page.sections import SectionKind
from qaldgen.scoring.evaluation import known_matchers, score
from qaldgen.scoring.rules import AUTO
from qaldgen.scoring.score import AnyRun, Scores

if TYPE_CHECKING:
    import pandas as pd


#: The possible outcomes of a question.
OUTCOMES = ("right", "right without passage", "retriever miss", "reader miss")
_HOW_TO_READ = (
    "A retriever miss: no passage that answers the question is among those that the reader got. A"
    " reader miss: there is one, but the answer is still wrong. “Right without passage” is luck, or"
    " a passage that nobody has judged. Questions without a known passage are left out."
)


def classify_losses(gold: Gold, retrieved: Run, end_to_end: Scores, k: int) -> pd.Series[str]:
    """Return the outcome, one of `OUTCOMES`, of each question with a known relevant passage."""
    import pandas as pd

    is_right = end_to_end.counts["f1"] == 1.0
    outcomes = {}
    for question in gold.questions:
        relevant = set(relevant_passages(question))
        if not relevant or question.id not in is_right.index:
            continue
        passage_ids = retrieved.responses_to(question)[-1].given.values()
        is_hit = not relevant.isdisjoint(passage_ids[:k])
        if is_right[question.id]:
            outcomes[question.id] = "right" if is_hit else "right without passage"
        else:
            outcomes[question.id] = "reader miss" if is_hit else "retriever miss"
    if not outcomes:
        raise DataError(
            "no question has a known relevant passage; 'qaldgen passages build' adds them",
            where=gold.questions.name,
        )
    return pd.Series(outcomes, dtype=object, name="loss")


def loss_table(
    losses: pd.Series[str], slices: Sequence[Slice], on_gold: Scores | None = None
) -> pd.DataFrame:
    """Return the numbers of `OUTCOMES` for all questions and each slice.

    `on_gold` are the scores of the reader on the relevant passages alone.
    """
    import pandas as pd

    rows = []
    ids_by_slice = {"all": losses.index}
    for slice_ in slices:
        ids_by_slice[slice_.name] = losses.index.intersection(list(slice_.ids))
    for name, ids in ids_by_slice.items():
        outcomes = losses.loc[ids]
        counts = {outcome: int((outcomes == outcome).sum()) for outcome in OUTCOMES}
        n = len(outcomes)
        row = {"slice": name, "n": n, **counts}
        row |= dict.fromkeys(["retriever", "reader", "end to end"])
        if n:
            row["retriever"] = (counts["right"] + counts["reader miss"]) / n
            row["end to end"] = (counts["right"] + counts["right without passage"]) / n
        if n and on_gold is not None:
            row["reader"] = float(on_gold.counts["f1"].reindex(ids).eq(1.0).mean())
        rows.append(row)
    return pd.DataFrame(rows)


def usual_matcher(language: str) -> str:
    """Return PolEval's metric for Polish, where it is installed; else the default of `score`.

    Parameters
    ----------
    language
        A language tag.

    Returns
    -------
    str
        The name of a matcher.

    Examples
    --------
    >>> usual_matcher("en")
    'auto'
    """
    if language == "pl" and "poleval" in known_matchers():
        return "poleval"
    return AUTO


def losses(
    gold: AnyGold,
    retrieved: Run | str | Path,
    end_to_end: AnyRun,
    *,
    on_gold: AnyRun | None = None,
    k: PositiveInt = 10,
    slices: Sequence[Slice] = (),
) -> pd.DataFrame:
    """Split the losses of a pipeline into misses of the retriever and misses of the reader.

    Parameters
    ----------
    gold, retrieved, end_to_end
        The questions, what the retriever found, and what the reader answered: its scores, or
        answers, which are judged by PolEval's rules for Polish where they are installed.
    on_gold
        Answers of the same reader from the relevant passages alone.
    k
        Number of passages that the reader was given.
    slices
        Questions that get rows of their own.

    Returns
    -------
    DataFrame
        For all questions and each slice the numbers of right answers, of misses of the retriever
        and of the reader, and the shares of both, from 0 to 1.

    Raises
    ------
    DataError
        If a file cannot be read, or no question has a known relevant passage.
    """
    gold = as_gold(gold, language="pl")
    match = usual_matcher("pl")
    scores = score(gold, end_to_end, match=match, language="pl")
    gold_scores = None if on_gold is None else score(gold, on_gold, match=match, language="pl")
    return loss_table(classify_losses(gold, as_run(retrieved), scores, k), slices, gold_scores)


def with_losses(
    report: Report,
    gold: AnyGold,
    scored: Sequence[Scores],
    retrieved: Sequence[Run | str | Path],
    *,
    k: int = 10,
) -> Report:
    """Return a report that also splits each system's errors, overall and by slice.

    Parameters
    ----------
    report
        The report.
    gold
        The questions.
    scored
        The scores of its systems.
    retrieved
        What the retriever found: one run for all systems, or one for each.
    k
        Number of passages that the reader was given.

    Returns
    -------
    Report
        With one more section.

    Raises
    ------
    UsageError
        If there are neither one nor as many retrievers as systems.
    """
    import pandas as pd

    if len(retrieved) not in {1, len(scored)}:
        raise UsageError(
            f"{len(retrieved)} runs of retrievers for {len(scored)} systems; name one for all, or"
            " one for each"
        )

    gold = as_gold(gold)
    runs = [as_run(run) for run in retrieved]
    if len(runs) == 1:
        runs *= len(scored)
    runs_by_system = {scores.name: run for scores, run in zip(scored, runs, strict=True)}
    scores_by_system = {scores.name: scores for scores in scored}

    slices = list(itertools.chain.from_iterable(report.slices.values()))
    tables = []
    for system in report.systems:
        outcomes = classify_losses(gold, runs_by_system[system], scores_by_system[system], k)
        table = loss_table(outcomes, slices).drop(columns="reader")
        table.insert(0, "system", system)
        tables.append(table)
    table = pd.concat(tables, ignore_index=True)

    labels = {slice_.name: slice_.label for slice_ in slices}
    rows = []
    # the systems are listed below each other, so that a slice can be compared at a glance
    for name in dict.fromkeys(table["slice"]):
        for row in table[table["slice"] == name].to_dict("records"):
            n = int(row["n"])
            label = labels.get(name, "all questions")
            cells = {"questions": label, "system": row["system"], "n": n}
            for outcome in OUTCOMES:
                count = int(row[outcome])
                cells[outcome] = f"{count:,} ({count / n:.0%})" if n else "0"
            rows.append(cells)

    section = Section(
        name="losses",
        link="Retriever and reader",
        heading="What the retriever and the reader missed",
        how=_HOW_TO_READ,
        caption="Right answers and errors of each system, by kind of question",
        frame=pd.DataFrame(rows),
        labels=2,
        table=table,
    )
    return dataclasses.replace(report, sections=(*report.sections, section))


LOSSES = SectionKind(
    files=lambda options: options["retrieved"],
    add=lambda report, gold, scored, options: with_losses(
        report, gold, scored, options["retrieved"], k=options["passages"]
    ),
    help="what the retriever and the reader missed",
    options=(
        Option(
            "retrieved",
            (),
            "run of the retriever (TREC format): splits the errors into retriever and reader"
            " misses; one for all RUNS, or one for each",
            kind=Path,
        ),
        Option(
            "passages",
            10,
            "with retrieved passages: number of passages that the reader was given",
            minimum=1,
        ),
    ),
)
