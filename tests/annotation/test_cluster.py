"""A cluster computes the same features as one process."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import joblib
import pytest

from qaldgen.annotation.annotate import annotate
from qaldgen.errors import DataError
from qaldgen.features import cache, compute
from qaldgen.model import Question, QuestionSet

distributed = pytest.importorskip(
    "distributed", reason="distributed is not installed: pip install .[distributed]"
)


@pytest.fixture(scope="module")
def cluster() -> Iterator[object]:
    """A cluster of two processes on this machine."""
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=None,
            host="127.0.0.1",
            protocol="tcp",
        ) as cluster,
        distributed.Client(cluster) as connected,
    ):
        yield connected


def whole_again() -> None:
    importlib.reload(compute)


@pytest.fixture
def client(cluster: Any) -> Iterator[object]:  # noqa: ANN401
    """The cluster; what a test does to its workers is undone."""
    yield cluster
    cluster.run(whole_again)


def rivers() -> QuestionSet:
    names = ("Amber", "Bronze", "Cobalt", "Dusty", "Ember", "Frosty", "Golden")
    members = tuple(
        Question(
            name,
            {"en": (f"How long is the {name} River?",)},
            queries={"": f"SELECT ?l {{ <http://x.org/{name}> ?p ?l }}"},
        )
        for name in names
    )
    return QuestionSet("rivers.json", "qald-json", members)


def work_of(client: object) -> list[tuple[object, ...]]:
    """Return what the workers of a cluster did.

    A line for each change of a task that reached its memory.
    """
    stories = client.run(  # type: ignore[attr-defined]
        lambda dask_worker: [event for event in dask_worker.state.log if "memory" in event]
    )
    return [event for story in stories.values() for event in story]


def test_a_cluster_gives_what_one_process_gives(
    client: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compute, "_CHUNK", 2)
    alone = annotate(rivers(), cache=None).dump()
    before = work_of(client)
    with joblib.parallel_config(backend="dask"):
        assert annotate(rivers(), cache=None).dump() == alone
    assert len(work_of(client)) > len(before)


def test_one_job_stays_in_this_process(client: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compute, "_CHUNK", 2)
    before = work_of(client)
    with joblib.parallel_config(backend="dask"):
        annotate(rivers(), n_jobs=1, cache=None)
    assert work_of(client) == before


def without_model() -> None:
    setattr(compute, "load_model", lambda language: None)  # noqa: B010 - mypy


def with_another_spacy() -> None:
    setattr(compute, "versions", lambda: {**cache.versions(), "spacy": "3.0.99"})  # noqa: B010


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (without_model, "has spaCy model none instead of "),
        (with_another_spacy, "has spacy 3.0.99 instead of "),
    ],
)
def test_a_worker_with_other_versions_is_refused_and_not_cached(
    client: Any,  # noqa: ANN401
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    spoil: Callable[[], None],
    said: str,
) -> None:
    if not compute.model_name("en"):
        pytest.skip("no spaCy model for English: pip install .[en]")
    monkeypatch.setattr(compute, "_CHUNK", 1)
    alone = annotate(rivers(), cache=None).dump()
    client.run(spoil, workers=[next(iter(client.scheduler_info()["workers"]))])
    kept = tmp_path / "features.sqlite"
    with (
        joblib.parallel_config(backend="dask"),
        pytest.raises(DataError, match=f"{said}.*install the same versions on every worker"),
    ):
        annotate(rivers(), cache=kept)
    assert annotate(rivers(), cache=kept).dump() == alone
