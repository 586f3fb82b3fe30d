"""The clusters of a benchmark, assigned to the questions of its pool."""

from __future__ import annotations

import dataclasses

from qaldgen.annotation.iris import question_iri
from qaldgen.benchmark.record import Benchmark
from qaldgen.errors import DataError
from qaldgen.formats.rdf_questions import local_names
from qaldgen.scoring.gold import Gold


def with_pool_clusters(gold: Gold, benchmark: Benchmark, name: str) -> tuple[Gold, list[str]]:
    """Return gold questions with the clusters into which a benchmark divided its pool.

    Questions are matched by their IRIs, or else by the ids at the end of these, if all of them
    differ.

    Parameters
    ----------
    gold
        The questions of the pool.
    benchmark
        A sample of it.
    name
        The name of the benchmark in messages.

    Returns
    -------
    tuple[Gold, list[str]]
        The questions with clusters and examples, and a note if some are in no cluster.

    Raises
    ------
    DataError
        If the benchmark does not say which questions are in its clusters, or has none of these
        questions.
    """
    if not benchmark.pool_clusters:
        raise DataError(
            f"{name}: does not say which cluster each question of its pool is in, as an older"
            " version wrote it; rebuild it:"
            f" qaldgen sample DATA --from-signature {name} -o again.ttl"
        )
    numbered = {iri: number for number, own in enumerate(benchmark.pool_clusters, 1) for iri in own}
    ids = dict(zip(local_names(list(numbered)), numbered, strict=True))
    known = {}
    for question in gold.questions.questions:
        iri = question_iri(gold.questions, question)
        key = iri if iri in numbered else ids.get(question.id)
        if key is not None:
            known[question.id] = key
    if not known:
        raise DataError(
            f"{name}: none of the {len(gold.questions.questions):,} questions of"
            f" {gold.questions.name} is in its pool of {len(numbered):,}; give the questions that"
            " it was sampled from"
        )
    clusters = {id_: numbered[iri] for id_, iri in known.items()}
    by_iri = {iri: id_ for id_, iri in known.items()}
    examples: dict[int, tuple[str, ...]] = {}
    for member in benchmark.members:
        if member.iri in by_iri:
            examples[member.cluster] = (*examples.get(member.cluster, ()), by_iri[member.iri])
    missing = len(gold.questions.questions) - len(clusters)
    total = len(gold.questions.questions)
    note = (
        f"{missing:,} of {total:,} questions are in no cluster of {name},"
        " and count only for all questions"
    )
    names = dict(enumerate(benchmark.cluster_names, 1))
    known_clusters = dataclasses.replace(
        gold, clusters=clusters, examples=examples, cluster_names=names
    )
    return known_clusters, [note] if missing else []
