"""Clusters as slices: their names, and whether the example of each is typical of the others."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from qaldgen.analysis.slices.slicing import Slice
from qaldgen.annotation.statements import question_iri
from qaldgen.benchmark.benchmark import Benchmark
from qaldgen.benchmark.gold import AnyGold, Gold, as_gold
from qaldgen.benchmark.question_features import CLUSTER
from qaldgen.benchmark.rdf import load_benchmark
from qaldgen.defaults import MEASURE
from qaldgen.errors import DataError
from qaldgen.io.notes import note
from qaldgen.questions.rdf_questions import local_names
from qaldgen.scoring.measures import find_measure
from qaldgen.scoring.score import Scores
from qaldgen.selection.cluster_names import cluster_names

#: A question counts as answered correctly from this score on.
_RIGHT = 0.5


class ClusterAgreement(NamedTuple):
    """Whether the example of a cluster is typical of its other questions."""

    #: The share of the cluster's other questions that the system gets right or wrong just like the
    #: example.
    share: float
    chance: float  # the same share among all other questions
    n: int  # the other questions of the cluster


class ClusterExample(NamedTuple):
    """The questions that represent a cluster, and whether they are typical of its others."""

    slice: Slice
    ids: tuple[str, ...]
    agreements: tuple[ClusterAgreement, ...]  # one for each run


def cluster_slices(table: pd.DataFrame, names: Mapping[int, str] | None = None) -> list[Slice]:
    """Return a slice for each cluster, with its name in words; by default features name it.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"isCount": [True] * 3 + [False] * 9, "cluster": [1] * 3 + [2] * 9})
    >>> [slice_.label for slice_ in cluster_slices(table)]
    ['cluster 1: the query counts', 'cluster 2: the query does not count']
    """
    codes, numbers = pd.factorize(table[CLUSTER], sort=True)  # the code of no cluster is -1
    if not names:
        named_clusters = cluster_names(table.drop(columns=CLUSTER), codes)
        names = dict(zip(numbers, named_clusters, strict=True))
    slices = []
    for code, number in enumerate(numbers.astype(int).tolist()):
        name = f"cluster {number}"
        words = names.get(number)
        label = f"{name}: {words}" if words else name
        ids = tuple(map(str, table.index[codes == code]))
        slices.append(Slice(name, ids, words=label, cluster=number))
    return slices


def cluster_agreement(
    members: Sequence[str], examples: Sequence[str], scores: Mapping[Hashable, float]
) -> ClusterAgreement:
    """Return how often a system answers the questions of a cluster as it answers the examples.

    >>> scores = {"a": 1.0, "b": 1.0, "c": 0.0, "d": 0.0, "e": 0.0}
    >>> cluster_agreement(["a", "b", "c"], ["a"], scores)
    ClusterAgreement(share=0.5, chance=0.25, n=2)
    """
    is_right = {
        question_id: score >= _RIGHT
        for question_id, score in scores.items()
        if not math.isnan(score)
    }
    scored_examples = [example for example in examples if example in is_right]
    other_questions = is_right.keys() - frozenset(scored_examples)
    other_members = other_questions.intersection(members)
    if not scored_examples or not other_members:
        return ClusterAgreement(float("nan"), float("nan"), len(other_members))
    shares = []
    chances = []
    for example in scored_examples:
        right = is_right[example]
        shares.append(np.mean([is_right[member] == right for member in other_members]))
        chances.append(np.mean([is_right[question] == right for question in other_questions]))
    return ClusterAgreement(float(np.mean(shares)), float(np.mean(chances)), len(other_members))


def cluster_examples(
    gold: Gold, all_scores: Sequence[Scores], slices: Iterable[Slice], measure: str
) -> list[ClusterExample]:
    """Return the examples of each cluster among slices, and whether they are typical of it.

    A question counts as right if its value of the measure is at least 0.5.
    """
    spec = find_measure(measure)
    scores_by_run = [spec.of_each(scores.counts).to_dict() for scores in all_scores]
    examples = []
    for slice_ in slices:
        ids = gold.examples.get(slice_.cluster, ()) if slice_.cluster is not None else ()
        if ids:
            agreements = [cluster_agreement(slice_.ids, ids, scores) for scores in scores_by_run]
            examples.append(ClusterExample(slice_, ids, tuple(agreements)))
    return examples


def example_table(
    gold: Gold, all_scores: Sequence[Scores], slices: Sequence[Slice], *, measure: str = MEASURE
) -> pd.DataFrame:
    """Return the first of `cluster_examples` of each cluster, a row for each run.

    The columns are ``slice``, ``run``, ``example`` (the id of the question), ``text``, and those of
    `ClusterAgreement`.
    """
    rows = []
    for example in cluster_examples(gold, all_scores, slices, measure):
        question = gold.questions.by_id[example.ids[0]]
        for scores, agreement_of_run in zip(all_scores, example.agreements, strict=True):
            cells = (example.slice.name, scores.name, question.id, question.text())
            rows.append(cells + agreement_of_run)
    return pd.DataFrame(
        rows, columns=["slice", "run", "example", "text", *ClusterAgreement._fields]
    )


def with_clusters(gold: AnyGold, clusters: str | Path | Benchmark) -> Gold:
    """Return questions with the clusters of a benchmark drawn from them, to score by cluster.

    Questions are matched by their IRIs, or else by the ids at the end of these, if all differ.

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

    Examples
    --------
    >>> import qaldgen as qg
    >>> gold = [{"question": f"What is {n}?"} for n in range(60)]
    >>> sorted(set(with_clusters(gold, qg.cluster(gold, 3)).clusters.values()))
    [1, 2, 3]
    """
    gold = as_gold(gold)

    if isinstance(clusters, Benchmark):
        benchmark = clusters
        name = clusters.title
    else:
        benchmark = load_benchmark(clusters)
        name = str(clusters)
    if not benchmark.pool_clusters:
        raise DataError(
            "does not say which cluster each question of its pool is in, as an older version wrote"
            " it; sample its data again by its signature",
            where=name,
        )

    cluster_of: dict[str, int] = {}
    for number, members in enumerate(benchmark.pool_clusters, 1):
        cluster_of |= dict.fromkeys(members, number)
    iri_by_local_name = dict(zip(local_names(list(cluster_of)), cluster_of, strict=True))

    iri_of = {}
    for question in gold.questions:
        iri = question_iri(gold.questions, question)
        if iri not in cluster_of:
            iri = iri_by_local_name.get(question.id, "")
        if iri:
            iri_of[question.id] = iri

    total = len(gold.questions)
    if not iri_of:
        raise DataError(
            f"none of the {total:,} questions of {gold.questions.name} is in its pool of"
            f" {len(cluster_of):,}; give the questions that it was sampled from",
            where=name,
        )
    n_missing = total - len(iri_of)
    if n_missing:
        note(
            f"{n_missing:,} of {total:,} questions are in no cluster of {name},"
            " and count only for all questions"
        )

    id_of = {iri: question_id for question_id, iri in iri_of.items()}
    examples: dict[int, tuple[str, ...]] = {}
    for member in benchmark.members:
        if member.iri in id_of:
            examples[member.cluster] = (*examples.get(member.cluster, ()), id_of[member.iri])

    return dataclasses.replace(
        gold,
        clusters={question_id: cluster_of[iri] for question_id, iri in iri_of.items()},
        examples=examples,
        cluster_names=dict(enumerate(benchmark.cluster_names, 1)),
    )
