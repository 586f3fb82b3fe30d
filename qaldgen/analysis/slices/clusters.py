"""Clusters as slices: their names, and whether the example of each is typical of the others."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from qaldgen.analysis.slices.slicing import Slice, slices_by_label
from qaldgen.annotation.statements import question_iri
from qaldgen.benchmark.benchmark import Benchmark
from qaldgen.benchmark.gold import AnyGold, Gold, as_gold
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


class Agreement(NamedTuple):
    """Whether the example of a cluster is typical of its other questions."""

    #: The share of the cluster's other questions that the system gets right or wrong just like the
    #: example.
    share: float
    chance: float  # the same share among all other questions
    n: int  # the other questions of the cluster


def cluster_slices(
    table: pd.DataFrame, column: str, names: Mapping[int, str] | None = None
) -> list[Slice]:
    """Return a slice for each cluster, with its name in words.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"isCount": [True] * 3 + [False] * 9, "cluster": [1] * 3 + [2] * 9})
    >>> [slice_.label for slice_ in cluster_slices(table, "cluster")]
    ['cluster 1: the query counts', 'cluster 2: the query does not count']
    """
    numbers = table[column].dropna().astype(int)
    slices = slices_by_label(numbers.rename(column))
    if not names:
        codes, code_of = np.unique(numbers.to_numpy(), return_inverse=True)
        clusters = np.full(len(table), -1)
        clusters[table[column].notna().to_numpy()] = code_of.ravel()
        named_clusters = cluster_names(table.drop(columns=column), clusters)
        names = dict(zip(codes.tolist(), named_clusters, strict=True))
    labelled = []
    for slice_, number in zip(slices, sorted(set(numbers.tolist())), strict=True):
        label = slice_.name
        if names.get(number):
            label += f": {names[number]}"
        labelled.append(slice_.called(label))
    return labelled


def agreement(
    members: Sequence[str], examples: Sequence[str], scores: Mapping[Hashable, float]
) -> Agreement:
    """Return how often a system answers the questions of a cluster as it answers the examples.

    >>> agreement(["a", "b", "c"], ["a"], {"a": 1.0, "b": 1.0, "c": 0.0, "d": 0.0, "e": 0.0})
    Agreement(share=0.5, chance=0.25, n=2)
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
        return Agreement(float("nan"), float("nan"), len(other_members))
    shares = []
    chances = []
    for example in scored_examples:
        right = is_right[example]
        shares.append(np.mean([is_right[member] == right for member in other_members]))
        chances.append(np.mean([is_right[question] == right for question in other_questions]))
    return Agreement(float(np.mean(shares)), float(np.mean(chances)), len(other_members))


def examples_of(examples: Mapping[int, tuple[str, ...]], slice_: Slice) -> tuple[str, ...]:
    """Return the questions that represent a slice, if it is a cluster.

    >>> examples_of({3: ("q7",)}, Slice("cluster 3", ("q7", "q9")))
    ('q7',)
    >>> examples_of({3: ("q7",)}, Slice("isCount = yes", ()))
    ()
    """
    prefix, _, number = slice_.name.partition(" ")
    if prefix == "cluster" and number.isdigit():
        return examples.get(int(number), ())
    return ()


def example_table(
    gold: Gold, all_scores: Sequence[Scores], slices: Sequence[Slice], *, measure: str = MEASURE
) -> pd.DataFrame:
    """Return which question represents each cluster, and whether it predicts the others.

    The columns are ``slice``, ``run``, ``example`` (the id of the question), ``text``, and those of
    `Agreement`; other slices than clusters are left out. A question counts as right if its value of
    the measure is at least 0.5.
    """
    texts = {question.id: question.text() for question in gold.questions.questions}
    rows = []
    for slice_, examples, agreements in example_agreement(gold, all_scores, slices, measure):
        for run, agreement_of_run in zip(all_scores, agreements, strict=True):
            row = {
                "slice": slice_.name,
                "run": run.name,
                "example": examples[0],
                "text": texts[examples[0]],
            }
            rows.append(row | agreement_of_run._asdict())
    return pd.DataFrame(rows, columns=["slice", "run", "example", "text", *Agreement._fields])


def example_agreement(
    gold: Gold, all_scores: Sequence[Scores], slices: Iterable[Slice], measure: str
) -> Iterator[tuple[Slice, tuple[str, ...], list[Agreement]]]:
    """Yield each cluster among slices, its examples, and whether they are typical, by run."""
    spec = find_measure(measure)
    for slice_ in slices:
        examples = examples_of(gold.examples, slice_)
        if examples:
            agreements = []
            for run in all_scores:
                scores = spec.of_each(run.counts).to_dict()
                agreements.append(agreement(slice_.ids, examples, scores))
            yield slice_, examples, agreements


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
            f"{name}: does not say which cluster each question of its pool is in, as an older"
            " version wrote it; sample its data again by its signature"
        )
    cluster_of: dict[str, int] = {}
    for number, members in enumerate(benchmark.pool_clusters, 1):
        cluster_of.update(dict.fromkeys(members, number))
    iris = _iris_in_pool(gold, list(cluster_of))
    total = len(gold.questions.questions)
    if not iris:
        raise DataError(
            f"{name}: none of the {total:,} questions of {gold.questions.name} is in its pool of"
            f" {len(cluster_of):,}; give the questions that it was sampled from"
        )
    missing = total - len(iris)
    if missing:
        note(
            f"{missing:,} of {total:,} questions are in no cluster of {name},"
            " and count only for all questions"
        )
    ids_by_iri = {iri: question_id for question_id, iri in iris.items()}
    examples: dict[int, list[str]] = {}
    for member in benchmark.members:
        if member.iri in ids_by_iri:
            examples.setdefault(member.cluster, []).append(ids_by_iri[member.iri])
    return dataclasses.replace(
        gold,
        clusters={question_id: cluster_of[iri] for question_id, iri in iris.items()},
        examples={cluster: tuple(ids) for cluster, ids in examples.items()},
        cluster_names=dict(enumerate(benchmark.cluster_names, 1)),
    )


def _iris_in_pool(gold: Gold, pool: Sequence[str]) -> dict[str, str]:
    """Return by question its IRI in a pool: the IRI of the question, or one that ends in its id."""
    iri_of_id = dict(zip(local_names(pool), pool, strict=True))
    members = frozenset(pool)
    iris = {}
    for question in gold.questions.questions:
        iri = question_iri(gold.questions, question)
        if iri not in members:
            iri = iri_of_id.get(question.id, "")
        if iri:
            iris[question.id] = iri
    return iris
