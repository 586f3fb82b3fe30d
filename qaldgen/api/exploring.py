"""Look at questions: a data set restricted, sampled and scored in parts."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.analysis.levels import Significance
from qaldgen.analysis.slices import Slice
from qaldgen.annotation.iris import question_iri
from qaldgen.api.options import Scoring
from qaldgen.api.pools import Pool
from qaldgen.api.reporting import Cuts, Report, report_scores
from qaldgen.api.scoring import Scores, read_run, score_run
from qaldgen.errors import DataError, QaldgenError, UsageError
from qaldgen.reports.page.data import page_data
from qaldgen.reports.page.map import Projection, project
from qaldgen.selection.filters import Condition, only, restricted
from qaldgen.selection.select import select
from qaldgen.selection.vectors import Vectors
from qaldgen.selection.wording import columns_in_words
from qaldgen.sparql.queries import Query, read_query, ready_queries

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.scoring.gold import Gold

__all__ = [
    "Query",
    "Vectors",
    "columns_in_words",
    "conditions",
    "narrowed",
    "page_data",
    "projected",
    "read_query",
    "ready_queries",
    "report_on",
    "restricted",
    "rows_of",
    "sampling_commands",
    "scored",
    "select",
]


def conditions(pool: Pool, filters: Sequence[tuple[str, Sequence[int]]]) -> list[Condition]:
    """Return the conditions of filters on histograms.

    Parameters
    ----------
    pool
        The data set.
    filters
        Pairs of a property and the positions of the chosen bins.

    Raises
    ------
    UsageError
        If there is no such property or bin.
    """
    columns = {column.property: column for column in pool.browse.columns}
    found = []
    for name, places in filters:
        if name not in columns or not places:
            raise UsageError(f"{name}: this data set has no histogram of this name")
        column = columns[name]
        if not all(0 <= place < len(column.bins) for place in places):
            raise UsageError(f"{column.name}: has {len(column.bins)} bins")
        bins = [column.bins[place] for place in sorted(set(places))]
        if column.kind == "number":
            low, high = bins[0].terms[0], bins[-1].terms[-1]
            found.append(Condition(name, low, high))  # type: ignore[arg-type]
        else:
            terms = tuple(term for one in bins for term in one.terms)
            found.append(Condition(name, values=terms))
    return found


def projected(vectors: Vectors) -> Projection | None:
    """Return the questions of a selection in two dimensions; None where they do not differ.

    Parameters
    ----------
    vectors
        The selection.
    """
    return project(
        vectors.ids, vectors.matrix, columns_in_words(vectors), "the features of the query"
    )


def sampling_commands(
    pool: Pool, query: Query, size: int, method: str, *, seed: int, scaling: str, missing: str
) -> list[str]:
    """Return the commands that draw a sample as the explorer does.

    Parameters
    ----------
    pool
        The data set.
    query
        The selection; one that is not ready-made stands in the file ``selection.rq``.
    size, method, seed, scaling, missing
        As for `qaldgen.api.sampling.sample` and `select`.
    """
    named = query.name if query.name in ready_queries() else f"{query.name}.rq"
    rules = "" if scaling == "max" else f" --scale {scaling}"
    rules += "" if missing == "drop" else f" --missing {missing}"
    words = f"qaldgen sample {pool.file} -q {named} -m {method} -n {size} --seed {seed}{rules}"
    return [*pool.before, f"{words} -o bench.ttl -o bench.json -o bench.csv"]


def scored(pool: Pool, path: str | Path, name: str) -> Scores:
    """Score a run on the questions of a data set, by GERBIL's rules.

    Parameters
    ----------
    pool
        The data set.
    path
        The answers.
    name
        What to call the system.

    Raises
    ------
    DataError
        If the answers cannot be read, or none is to a question of the data set.
    """
    gold = pool.gold()
    return score_run(gold, read_run(path, name=name, gold=gold.questions), Scoring())


def rows_of(pool: Pool) -> dict[str, int]:
    """Return by id of a question, as scores have it, its place in the data set.

    Parameters
    ----------
    pool
        The data set.
    """
    asked = pool.gold().questions
    at = {iri: place for place, iri in enumerate(pool.browse.ids)}
    return {one.id: at.get(question_iri(asked, one), -1) for one in asked.questions}


def report_on(
    pool: Pool, runs: Sequence[Scores], iris: Sequence[str] | None = None, *, search: bool = True
) -> Report:
    """Gather the report of runs on some questions of a data set.

    Parameters
    ----------
    pool
        The data set.
    runs
        What `scored` returned.
    iris
        The questions; None for all.
    search
        Whether to search for weak spots, which takes most of the time.

    Returns
    -------
    Report
        The same as `qaldgen report` gives on a file with just these questions.

    Raises
    ------
    DataError
        If no question is left.
    """
    gold, table = pool.gold(), pool.table()
    if iris is not None:
        gold, table, runs = _part(gold, table, runs, set(iris))
    cuts, tests = Cuts(source=pool.path), Significance()
    return report_scores(gold, runs, table, cuts, weights=None, tests=tests, search=search)


def _part(
    gold: Gold, table: pd.DataFrame, runs: Sequence[Scores], iris: set[str]
) -> tuple[Gold, pd.DataFrame, list[Scores]]:
    """Restrict questions, features and scores; a part of a probability sample has no design."""
    asked = gold.questions
    kept = tuple(one for one in asked.questions if question_iri(asked, one) in iris)
    if not kept:
        raise DataError("none of the remaining questions has an answer to score")
    ids = {question.id for question in kept}
    part = dataclasses.replace(
        gold,
        questions=dataclasses.replace(asked, questions=kept),
        benchmark=gold.benchmark if len(kept) == len(asked.questions) else None,
        inclusion=gold.inclusion if len(kept) == len(asked.questions) else {},
    )
    restricted_runs = [
        dataclasses.replace(one, counts=one.counts[one.counts.index.isin(ids)]) for one in runs
    ]
    if any(one.counts.empty for one in restricted_runs):
        raise DataError("none of the remaining questions has an answer to score")
    return part, table[table.index.isin(ids)], restricted_runs


def narrowed(pool: Pool, query: Query, one: Slice) -> tuple[str, int]:
    """Return a query for the questions of a selection that are in a slice, and how many they are.

    Where the data have the features of the slice, it says them as conditions, else it names the
    questions.

    Parameters
    ----------
    pool
        The data set.
    query
        The selection.
    one
        The slice, of ids as `Pool.gold` has them.

    Raises
    ------
    DataError
        If no question is in both.
    """
    asked = pool.gold().questions
    ids = set(one.ids)
    inside = {question_iri(asked, each) for each in asked.questions if each.id in ids}
    wanted = [iri for iri in select(pool.source, query).ids if iri in inside]
    if not wanted:
        raise DataError("the selection has none of these questions; use another query")
    said = one.restrict(query.text)
    try:
        if one.where and list(select(pool.source, said).ids) == wanted:
            return said, len(wanted)
    except QaldgenError:
        pass  # the data do not have these features, or they are called otherwise
    return only(query.text, wanted), len(wanted)
