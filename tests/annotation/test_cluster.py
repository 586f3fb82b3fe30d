"""A cluster computes the same features as one process."""

from __future__ import annotations

from collections.abc import Iterator

import joblib
import pytest

from qaldgen.annotation.annotate import annotate
from qaldgen.features import compute
from qaldgen.model import Question, QuestionSet

distributed = pytest.importorskip(
    "distributed", reason="distributed is not installed: pip install .[test]"
)


@pytest.fixture
def client() -> Iterator[object]:
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
    assert not work_of(client)
    with joblib.parallel_config(backend="dask"):
        assert annotate(rivers(), cache=None).dump() == alone
    assert work_of(client)


def test_one_job_stays_in_this_process(client: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compute, "_CHUNK", 2)
    with joblib.parallel_config(backend="dask"):
        annotate(rivers(), n_jobs=1, cache=None)
    assert not work_of(client)
