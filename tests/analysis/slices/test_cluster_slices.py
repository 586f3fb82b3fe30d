"""Clusters of the pool.

Kept by the benchmark, brought back to the questions, scored as a plain loop would score them.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import rdflib

import qaldgen as qg
from qaldgen.analysis.feature_table import slices_by_features, slices_of
from qaldgen.analysis.slices.cluster_slices import cluster_agreement, cluster_slices, example_table
from qaldgen.answers.record import Response, Run
from qaldgen.benchmark.clusters import METHODS, best_n_clusters, cluster, cluster_table
from qaldgen.benchmark.gold import Gold, as_gold
from qaldgen.benchmark.question_features import CLUSTER
from qaldgen.errors import DataError, UsageError
from qaldgen.io.notes import collecting
from qaldgen.scoring.evaluation import Evaluation
from qaldgen.selection.vectors import Vectors

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture(scope="module")
def vectors() -> Vectors:
    features = qg.annotate(qg.load(EXAMPLES / "questions.json"))
    return qg.select(features.store(), "annotated")


@pytest.fixture(scope="module")
def clusters(vectors: Vectors, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("clusters") / "clusters.ttl"
    cluster(vectors, 6).save(path)
    return path


@pytest.fixture(scope="module")
def pool(clusters: Path) -> Gold:
    return qg.with_clusters(EXAMPLES / "questions.json", clusters)


def perfect(gold: Gold, right: set[str]) -> Run:
    """Return a run that is right on these questions and silent on the others."""
    responses = {
        one.id: Response(one.id, "answered", one.answers)
        if one.id in right
        else Response(one.id, "empty")
        for one in gold.questions.questions
    }
    return Run("half", "table", responses)


@pytest.mark.parametrize("method", METHODS)
def test_a_benchmark_keeps_the_cluster_of_every_question_of_the_pool(
    vectors: Vectors, method: str, tmp_path: Path
) -> None:
    made = cluster(vectors, 5, method=method)  # type: ignore[arg-type]
    assert tuple(map(len, made.pool_clusters)) == made.cluster_sizes
    assert sorted(iri for own in made.pool_clusters for iri in own) == sorted(vectors.ids)
    assert all(member.iri in made.pool_clusters[member.cluster - 1] for member in made.members)
    made.save(tmp_path / "made.ttl")
    assert qg.load_benchmark(tmp_path / "made.ttl") == made


def test_outliers_are_in_no_cluster(vectors: Vectors) -> None:
    made = qg.sample(vectors, 5, method="db+km++", radius=0.3)
    assert made.outliers > 0
    assert sum(map(len, made.pool_clusters)) == len(vectors) - made.outliers


def test_scores_by_cluster_are_those_of_a_plain_loop(pool: Gold, clusters: Path) -> None:
    right = {question.id for at, question in enumerate(pool.questions.questions) if at % 3}
    scores = qg.score(pool, perfect(pool, right))
    found = example_table(pool, [scores], slices_of(Evaluation(pool, ()), ["cluster"], []))
    benchmark = qg.load_benchmark(clusters)
    by_slice = {one.name: one for one in slices_of(Evaluation(pool, ()), ["cluster"], [])}
    for number, own in enumerate(benchmark.pool_clusters, 1):
        ids = {iri.rsplit("/", 1)[1] for iri in own}
        assert set(by_slice[f"cluster {number}"].ids) == ids
        example = next(m.iri.rsplit("/", 1)[1] for m in benchmark.members if m.cluster == number)
        row = found[found["slice"] == f"cluster {number}"].iloc[0]
        f1 = scores.counts["f1"]
        same = [(f1[one] >= 0.5) == (f1[example] >= 0.5) for one in ids - {example}]
        everywhere = [
            (value >= 0.5) == (f1[example] >= 0.5) for name, value in f1.items() if name != example
        ]
        assert (row["example"], row["n"]) == (example, len(ids) - 1)
        assert row["share"] == pytest.approx(np.mean(same))
        assert row["chance"] == pytest.approx(np.mean(everywhere))


def test_reports_and_comparisons_cut_the_pool_by_its_clusters(pool: Gold) -> None:
    ids = [question.id for question in pool.questions.questions]
    runs = [
        perfect(pool, set(ids[:100])),
        dataclasses.replace(perfect(pool, set(ids[50:])), name="other"),
    ]
    found = qg.compare(pool, runs, by=["cluster"], tests=qg.Significance(n_resamples=100))
    assert found.winners.loc["cluster 1":, "n"].sum() == len(ids)
    made = qg.report(pool, runs, by=["cluster"], tests=qg.Significance(n_resamples=100))
    assert len(made.examples) == 6
    assert all(one.label.startswith(f"{one.name}: ") for one in made.slices["cluster"])


def test_the_examples_of_a_file_without_clusters_are_refused(
    pool: Gold, clusters: Path, refused: Callable[..., str], tmp_path: Path
) -> None:
    old = dataclasses.replace(qg.load_benchmark(clusters), pool_clusters=())
    assert "by its signature" in refused(lambda: qg.with_clusters(pool, old), DataError)
    other = tmp_path / "other.json"
    other.write_text(
        json.dumps([{"id": "zz", "question": "Who?", "answers": ["me"]}]), encoding="utf-8"
    )
    assert "is in its pool of 245" in refused(lambda: qg.with_clusters(other, clusters), DataError)


def test_questions_outside_the_pool_are_counted_and_in_no_cluster(
    pool: Gold, vectors: Vectors
) -> None:
    part = cluster(vectors.take(np.arange(200)), 4)
    with collecting() as notes:
        gold = qg.with_clusters(EXAMPLES / "questions.json", part)
    assert list(notes) == [
        f"45 of 245 questions are in no cluster of {part.title}, and count only for all questions"
    ]
    assert sum(len(one) for one in slices_of(Evaluation(gold, ()), ["cluster"], [])) == 200


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('\\"clusters\\": [[', '\\"clusters\\": [[\\"x\\", ', "do not add up to their sizes"),
        ('\\"clusters\\":', '\\"groups\\":', "required field `clusters`"),
    ],
)
def test_a_changed_list_of_clusters_is_refused(
    clusters: Path, tmp_path: Path, refused: Callable[..., str], old: str, new: str, message: str
) -> None:
    text = clusters.read_text(encoding="utf-8")
    assert old in text
    hurt = tmp_path / "hurt.ttl"
    hurt.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert message in refused(lambda: qg.load_benchmark(hurt), DataError)


def test_a_name_says_what_sets_a_cluster_apart_and_never_the_same_twice() -> None:
    size = 60
    table = pd.DataFrame(
        {
            "isCount": [at < 20 for at in range(size)],
            "aggregateFunctions": [
                frozenset(["count"]) if at < 20 else frozenset() for at in range(size)
            ],
            "length": [5 if at < 40 else 14 for at in range(size)],
            "hasQuote": [at % 2 == 0 for at in range(size)],
            CLUSTER: [1] * 20 + [2] * 20 + [3] * 19 + [None],
        },
        index=[f"q{at}" for at in range(size)],
    )
    found = cluster_slices(table)
    assert [len(one) for one in found] == [20, 20, 19]
    assert found[0].label == "cluster 1: the query counts, five words"
    assert found[2].label == "cluster 3: 14 words, the query does not count"
    assert [one.name for one in slices_by_features(table, [CLUSTER])] == [
        "cluster 1",
        "cluster 2",
        "cluster 3",
    ]


def test_every_command_calls_a_cluster_the_same(
    vectors: Vectors, clusters: Path, pool: Gold
) -> None:
    made = cluster(vectors, 6)
    table = cluster_table(made)
    names = table["name"].tolist()
    assert table["cluster"].tolist() == [1, 2, 3, 4, 5, 6]
    assert all(name != "-" for name in names)
    labels = (
        rdflib.Graph()
        .parse(clusters)
        .query(
            "PREFIX q: <http://qald-gen.aksw.org/vocab#> SELECT ?name { ?c q:clusterIndex ?n ;"
            " rdfs:label ?name } ORDER BY ?n"
        )
    )
    assert [str(row[0]) for row in labels] == names  # type: ignore[index]
    scored = [
        one.label.partition(": ")[2] for one in slices_of(Evaluation(pool, ()), ["cluster"], [])
    ]
    assert scored == names
    own = slices_of(Evaluation(as_gold(clusters), ()), ["cluster"], [])
    assert [one.label.partition(": ")[2] for one in own] == names


@pytest.mark.parametrize("query", ["listing-1.2", "numeric", "answer-types"])
def test_clusters_are_named_in_words_not_by_variables(query: str) -> None:
    vectors = qg.select(EXAMPLES / "features.ttl", query)
    names = " ".join(cluster(vectors, 5).cluster_names)
    assert re.search("triple pattern|answer", names)
    assert not re.search(r"pvars|\btps|\brs\b|bgps|=|number of", names)


def test_a_benchmark_without_names_is_named_by_the_features_of_the_questions(
    pool: Gold,
) -> None:
    nameless = dataclasses.replace(pool, cluster_names={})
    found = slices_of(Evaluation(nameless, ()), ["cluster"], [])
    assert all(one.label.startswith(f"{one.name}: ") for one in found)


def test_an_example_without_others_speaks_for_nobody() -> None:
    alone = cluster_agreement(["a"], ["a"], {"a": 1.0, "b": 0.0})
    assert alone.n == 0
    assert alone.share != alone.share


def test_the_number_of_clusters_is_that_of_clear_groups() -> None:
    rng = np.random.default_rng(0)
    points = np.vstack(
        [rng.normal(centre, 0.02, (30, 2)) for centre in ((0, 0), (1, 0), (0, 1), (1, 1))]
    )
    made = Vectors(tuple(f"q{at}" for at in range(120)), ("x", "y"), points, points)
    assert [best_n_clusters(made, method) for method in ("km++", "agglomerative")] == [4, 4]


def test_the_smallest_of_equally_good_numbers_of_clusters_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sklearn.metrics.silhouette_score", lambda *_: 0.5)
    points = np.random.default_rng(0).random((40, 2))
    made = Vectors(tuple(f"q{at}" for at in range(40)), ("x", "y"), points, points)
    assert best_n_clusters(made, "km++") == 2


def test_wrong_calls_are_refused(vectors: Vectors, refused: Callable[..., str]) -> None:
    assert "choose one of km++" in refused(lambda: cluster(vectors, 4, method="lpm"), UsageError)  # type: ignore[arg-type]
    same = Vectors(("a", "b"), ("x",), np.ones((2, 1)), np.ones((2, 1)))
    assert "cannot be divided" in refused(lambda: cluster(same), DataError)
    two = Vectors(("a", "b", "c"), ("x",), *2 * (np.array([[0.0], [1.0], [1.0]]),))
    assert "2 different questions" in refused(lambda: cluster(two), DataError)
