"""Explore a data set: histograms of its questions, and filters, samples and scores of parts."""

from __future__ import annotations

import dataclasses
import hashlib
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.analysis.levels import Significance
from qaldgen.analysis.slices import Slice
from qaldgen.annotation.annotate import annotate
from qaldgen.annotation.iris import question_iri
from qaldgen.api.cutting import features_of
from qaldgen.api.options import Scoring
from qaldgen.api.questions import Reading, read, read_gold
from qaldgen.api.reporting import Cuts, Report, report_scores
from qaldgen.api.scoring import Scores, read_run, score_run
from qaldgen.datasets.fetching import resolve
from qaldgen.errors import DataError, QaldgenError, UsageError
from qaldgen.formats.content import is_rdf
from qaldgen.reports.page.data import page_data
from qaldgen.reports.page.map import Projection, project
from qaldgen.selection.browsing import Browse, browse
from qaldgen.selection.filters import Condition, only, restricted
from qaldgen.selection.select import TEXTS, select, usual_query
from qaldgen.selection.vectors import Vectors
from qaldgen.selection.wording import columns_in_words
from qaldgen.sparql.queries import Query, read_query, ready_queries
from qaldgen.stores.local import open_file
from qaldgen.stores.timed import TimedStore

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.scoring.gold import Gold

__all__ = [
    "Pool",
    "Query",
    "Vectors",
    "columns_in_words",
    "conditions",
    "first_selection",
    "narrowed",
    "open_pool",
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

#: The time limit of a query in seconds, and the number of statements that add a second.
_SECONDS, _EACH_SECOND = 10.0, 100_000
#: Ready-made queries that are tried in turn if `usual_query` selects nothing.
_OTHERWISE = ("annotated", TEXTS)


@dataclasses.dataclass(eq=False)
class Pool:
    """A data set to explore.

    Attributes
    ----------
    name : str
        Its name, as people see it.
    id : str
        An id that depends only on name and content.
    source : TimedStore
        Its features as RDF.
    file : str
        The input of `qaldgen sample`, as written in commands.
    before : tuple of str
        The commands that make this input; empty if the data already have features.
    browse : Browse
        Its questions with their histograms.
    path : str
        The file that was opened.
    written : str
        The file with the computed features; empty if the data already have features.
    notes : tuple of str
        What a user should know.
    """

    name: str
    id: str
    source: TimedStore
    file: str
    before: tuple[str, ...]
    browse: Browse
    path: str
    notes: tuple[str, ...] = ()
    written: str = ""

    def __post_init__(self) -> None:
        self._gold: Gold | None = None
        self._table: pd.DataFrame | None = None

    def gold(self) -> Gold:
        """Return the questions with their answers, which are read at the first call."""
        if self._gold is None:
            self._gold = read_gold(self.path, Reading())
        return self._gold

    def table(self) -> pd.DataFrame:
        """Return the features by question, as `slices` and `report` compute them."""
        if self._table is None:
            self._table = features_of(self.gold())[0]
        return self._table


def open_pool(
    name: str | Path,
    folder: Path,
    *,
    called: str = "",
    progress: Callable[[int], None] | None = None,
) -> Pool:
    """Open a data set to explore: RDF with features, or a question set, annotated first.

    Parameters
    ----------
    name
        A file, or the name of a public question set.
    folder
        Where the computed features are kept, in the file that ``qaldgen annotate`` writes.
    called
        Its name in commands, if different.
    progress
        Called with the number of questions whose features have been computed.

    Raises
    ------
    DataError
        If it cannot be read, or has no questions.
    """
    path, quoted = Path(resolve(name)), shlex.quote(called or str(name))
    if is_rdf(path):
        store, file, written = open_file(path), quoted, ""
        before: tuple[str, ...] = ()
        notes: tuple[str, ...] = ()
    else:
        made = annotate(read(path, Reading()), progress=progress)
        kept = folder / "features.ttl"
        made.save(kept)
        store, file, written, notes = open_file(kept), kept.name, str(kept), made.notes
        before = (f"qaldgen annotate {quoted} -o {file}",)
    source = TimedStore(store, _SECONDS + len(store) / _EACH_SECOND)
    shown = path.name if str(name) == str(path) else str(name)
    digest = hashlib.sha256(f"{shown}\n{store.sha256}".encode()).hexdigest()[:12]
    found = Pool(shown, digest, source, file, before, browse(store), str(path))
    return dataclasses.replace(found, notes=(*store.notes, *notes), written=written)


def first_selection(pool: Pool) -> tuple[Query, Vectors]:
    """Return the query to start with: the first ready-made one that selects questions.

    Parameters
    ----------
    pool
        The data set.

    Returns
    -------
    tuple of Query and Vectors
        The query, and what it selects.

    Raises
    ------
    DataError
        If no ready-made query selects a question.
    """
    usual = usual_query(pool.source)
    for query in (usual, *(read_query(name) for name in _OTHERWISE if name != usual.name)):
        try:
            # the reason why a query selects nothing is not shown, and takes many queries to find
            return query, select(pool.source, query, explain=False)
        except QaldgenError:
            continue
    names = ", ".join((usual.name, *_OTHERWISE))
    raise DataError(
        f"{pool.name}: none of the ready-made queries ({names}) selects a question, as the data"
        " use other properties; write your own query"
    )


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
        If a property has no histogram, or a bin does not exist.
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
    """Project the questions of a selection to two dimensions; None if all are equal.

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
        The selection; one that is not ready-made is read from the file ``selection.rq``.
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
        The name of the system.

    Raises
    ------
    DataError
        If the answers cannot be read, or none belongs to a question of the data set.
    """
    gold = pool.gold()
    return score_run(gold, read_run(path, name=name, gold=gold.questions), Scoring())


def rows_of(pool: Pool) -> dict[str, int]:
    """Return the position of each question in the data set, by its id in scores; -1 if absent.

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
    """Make the report of runs on some questions of a data set.

    Parameters
    ----------
    pool
        The data set.
    runs
        The scores, as returned by `scored`.
    iris
        The questions; None for all.
    search
        Whether to search for weak spots, which takes most of the time.

    Returns
    -------
    Report
        The same as that of `qaldgen report` on a file with just these questions.

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
    """Restrict questions, features and scores; part of a probability sample has no design."""
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
    """Return a query for the questions of a selection that are in a slice, and their number.

    The query describes the slice by conditions if the data have its features, and otherwise lists
    the questions.

    Parameters
    ----------
    pool
        The data set.
    query
        The selection.
    one
        The slice, with the ids of `Pool.gold`.

    Raises
    ------
    DataError
        If no selected question is in the slice.
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
        pass  # the data lack these features, or use other names for them
    return only(query.text, wanted), len(wanted)
