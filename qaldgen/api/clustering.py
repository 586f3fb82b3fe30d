"""Clusters.

Found in a selection, kept by a benchmark, and applied to the questions of the pool.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.analysis.clusters import Agreement, agreement, examples_of
from qaldgen.analysis.pool_clusters import with_pool_clusters
from qaldgen.analysis.slicing import Slice
from qaldgen.api.questions import AnyGold, gold_of
from qaldgen.benchmark.make import sample
from qaldgen.benchmark.read_rdf import load_benchmark
from qaldgen.benchmark.record import Benchmark
from qaldgen.errors import UsageError
from qaldgen.io.names import one_of
from qaldgen.options import Count, Seed
from qaldgen.sampling.silhouette import best_number
from qaldgen.scoring.gold import Gold
from qaldgen.scoring.measures import named
from qaldgen.scoring.score import Scores
from qaldgen.selection.vectors import Vectors

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["METHODS", "cluster", "cluster_table", "clustered", "example_table", "with_clusters"]

#: The methods that divide the pool into clusters.
METHODS = ("km++", "agglomerative", "feasible", "feasible-exmp")


def cluster(
    vectors: Vectors,
    k: Count | None = None,
    *,
    method: str = "km++",
    random_state: Seed = 0,
    title: str | None = None,
) -> Benchmark:
    """Partition a selection into clusters.

    A benchmark with one question per cluster, which keeps the cluster of every question.

    Parameters
    ----------
    vectors
        What `select` returns.
    k
        Number of clusters. Default: the number from 2 to 12 with the largest mean silhouette.
    method
        ``km++``, ``agglomerative``, or FEASIBLE's cells: ``feasible``, ``feasible-exmp``.
    random_state
        Seed of all random choices.
    title
        Title of the clusters.

    Returns
    -------
    Benchmark
        ``.pool_clusters`` has the questions of each cluster, ``.members`` the one that stands for
        it.

    Raises
    ------
    UsageError
        If there is no such method, or `k` is wrong.
    DataError
        If the questions cannot be clustered.
    """
    if method not in METHODS:
        raise UsageError(f"unknown method {method!r}; {one_of(method, METHODS)}")
    # k is chosen by the silhouette unless it is given
    size = best_number(vectors, method, random_state=random_state) if k is None else k
    return sample(vectors, size, method=method, random_state=random_state, title=title)


def cluster_table(benchmark: Benchmark) -> pd.DataFrame:
    """Return one row per cluster.

    ``cluster``, ``n``, ``name`` in words, and the question that represents it.

    Parameters
    ----------
    benchmark
        What `cluster` returned, or any sample.
    """
    import pandas as pd

    texts = {
        member.cluster: question.text()
        for member, question in zip(benchmark.members, benchmark.questions(), strict=True)
    }
    rows = [
        (number, size, name or "-", texts.get(number, ""))
        for number, (size, name) in enumerate(
            itertools.zip_longest(benchmark.cluster_sizes, benchmark.cluster_names), 1
        )
    ]
    return pd.DataFrame(rows, columns=["cluster", "n", "name", "example"])


def with_clusters(gold: AnyGold, clusters: str | Path | Benchmark) -> Gold:
    """Return questions with the clusters of a benchmark drawn from them, to score by cluster.

    Parameters
    ----------
    gold
        The questions of the pool.
    clusters
        The benchmark, or its file.

    Returns
    -------
    Gold
        Give it to `score`, `compare` or `report`, with ``by=["cluster"]``.

    Raises
    ------
    DataError
        If the benchmark does not keep its clusters, or has none of the questions.
    """
    return clustered(gold_of(gold), clusters)[0]


def clustered(gold: Gold, clusters: str | Path | Benchmark) -> tuple[Gold, list[str]]:
    """Return what `with_clusters` does, and notes.

    Parameters
    ----------
    gold
        The questions of the pool.
    clusters
        The benchmark, or its file.
    """
    benchmark = clusters if isinstance(clusters, Benchmark) else load_benchmark(clusters)
    return with_pool_clusters(
        gold, benchmark, benchmark.title if isinstance(clusters, Benchmark) else str(clusters)
    )


def example_table(
    gold: Gold, scored: Sequence[Scores], slices: Sequence[Slice], *, measure: str = "macro-f1"
) -> pd.DataFrame:
    """Show which question represents each cluster, and whether it predicts the rest of the cluster.

    Parameters
    ----------
    gold
        Questions with clusters, see `with_clusters`.
    scored
        The runs.
    slices
        Those of the clusters; others are left out.
    measure
        By which a question counts as right, from 0.5 on.

    Returns
    -------
    DataFrame
        ``slice``, ``run``, ``example`` (its id), ``text``, ``share`` of the other questions
        answered alike, ``chance`` (the same among all other questions), ``n``.
    """
    import pandas as pd

    texts = {question.id: question.text() for question in gold.questions.questions}
    rows = []
    for one in slices:
        examples = examples_of(gold.examples, one)
        for run in scored if examples else ():
            scores = named(measure).of_each(run.counts).to_dict()
            found = agreement(
                one.ids, examples, {str(name): value for name, value in scores.items()}
            )
            rows.append((one.name, run.name, examples[0], texts[examples[0]], *found))
    return pd.DataFrame(rows, columns=["slice", "run", "example", "text", *Agreement._fields])
