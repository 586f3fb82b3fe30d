"""The answers of systems to a data set: scored, reported, and weak spots as queries."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from qaldgen.analysis.slices.slicing import Slice
from qaldgen.annotation.statements import question_iri
from qaldgen.errors import DataError, QaldgenError
from qaldgen.plugins.explorer.filters import select_only
from qaldgen.plugins.explorer.pools import Pool
from qaldgen.reports.page.contents import Report
from qaldgen.reports.page.slice_groups import slice_groups
from qaldgen.reports.report import report_scores
from qaldgen.scoring.score import Scores
from qaldgen.selection.select import select
from qaldgen.sparql.ready_queries import Query, with_choice


def rows_by_id(pool: Pool) -> dict[str, int]:
    """Return the row of each question in the data set by its id; -1 for one without a text."""
    questions = pool.gold.questions
    return {
        question.id: pool.row_by_iri.get(question_iri(questions, question), -1)
        for question in questions
    }


def report_on(
    pool: Pool,
    scored: Sequence[Scores],
    iris: Sequence[str] | None,
    *,
    chosen: Sequence[str],
    search: bool,
) -> Report:
    """Gather the report of runs on some questions of a data set, or on all without `iris`."""
    gold = pool.gold
    table = pool.table

    if iris is not None:
        selected = set(iris)
        questions = gold.questions
        remaining = tuple(each for each in questions if question_iri(questions, each) in selected)
        if len(remaining) < len(questions):
            # a part of a probability sample has no design
            gold = dataclasses.replace(gold, benchmark=None, inclusion={})
        questions = dataclasses.replace(questions, questions=remaining)
        gold = dataclasses.replace(gold, questions=questions)
        table = table[table.index.isin(questions.by_id)]

        restricted = []
        for scores in scored:
            is_remaining = scores.counts.index.isin(questions.by_id)
            restricted.append(dataclasses.replace(scores, counts=scores.counts[is_remaining]))
        scored = restricted
        if any(scores.counts.empty for scores in scored):
            raise DataError("none of the remaining questions has an answer to score")

    if chosen:
        with_choices = tuple(question.with_choice(chosen) for question in gold.questions)
        questions = dataclasses.replace(gold.questions, questions=with_choices)
        gold = dataclasses.replace(gold, questions=questions)

    groups = slice_groups(table)
    return report_scores(gold, scored, table, slices=groups, search=search)


def query_in_slice(pool: Pool, query: Query, slice_: Slice) -> tuple[str, int]:
    """Return a query for the questions of a selection that are in a slice, and their number.

    It has the conditions of the slice if the data have its features, else the IRIs of the
    questions.
    """
    questions = pool.gold.questions
    ids = set(slice_.ids)
    slice_iris = {question_iri(questions, question) for question in questions if question.id in ids}
    iris_in_slice = [iri for iri in select(pool.source, query).ids if iri in slice_iris]
    if not iris_in_slice:
        raise DataError("the selection has none of these questions; use another query")
    with_conditions = slice_.restrict(query.text)
    try:
        if slice_.where and list(select(pool.source, with_conditions).ids) == iris_in_slice:
            return with_conditions, len(iris_in_slice)
    except QaldgenError:
        pass  # the data do not have these features, or they are called otherwise
    return with_choice(select_only(query.text, iris_in_slice), slice_.chosen_by), len(iris_in_slice)
