"""Large sets are annotated a batch at a time, with the same bytes and notes as all at once."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from questions import question

from qaldgen.annotation.annotate import annotate, annotate_to
from qaldgen.features import compute
from qaldgen.features.compute import stream_features
from qaldgen.features.generalisation import training_items
from qaldgen.model import Question, QuestionSet

RIVER = "SELECT ?x { <http://x.org/River%d> <http://x.org/length> ?x }"


def river(number: int) -> Question:
    return question(str(number), f"How long is river {number}?", query=RIVER % number)


def sets() -> list[QuestionSet]:
    broken = question("broken", "Which one is broken?", query="SELECT ?x { nothing }")
    known = question(
        "prefix", "Which prefix is unknown?", query="SELECT ?x { nowhere:a nowhere:b ?x }"
    )
    return [
        QuestionSet("long.json", "qald-json", tuple(river(number) for number in range(7))),
        QuestionSet("short.json", "qald-json", (broken, known)),
    ]


@pytest.fixture
def tiny_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compute, "_CHUNK", 2)
    monkeypatch.setattr(compute, "_CHUNKS_AHEAD", 1)


@pytest.mark.usefixtures("tiny_batches")
@pytest.mark.parametrize("jobs", [1, 2])
def test_stream_has_the_same_bytes_and_notes(jobs: int) -> None:
    train = training_items([river(100)])
    whole = annotate(sets(), cache=None, train=train)
    file = io.BytesIO()

    notes = annotate_to(file, sets(), n_jobs=jobs, cache=None, train=train)

    assert file.getvalue() == whole.dump()
    assert notes == list(whole.notes) and len(notes) == 2


@pytest.mark.usefixtures("tiny_batches")
def test_stream_computes_no_more_than_a_batch_ahead(tmp_path: Path) -> None:
    done: list[int] = []
    streamed = stream_features(
        [river(number) for number in range(7)],
        cache=tmp_path / "features.sqlite",
        progress=done.append,
    )

    next(streamed)
    assert sum(done) == 2
    assert len(list(streamed)) == 6 and sum(done) == 7


@pytest.mark.usefixtures("tiny_batches")
def test_stream_reads_what_an_earlier_one_kept(tmp_path: Path) -> None:
    members, cache = [river(number) for number in range(7)], tmp_path / "features.sqlite"
    first = list(stream_features(members[:3], cache=cache))
    told: list[int] = []

    again = list(stream_features(members, cache=cache, progress=told.append))

    assert again[:3] == first
    assert again == list(stream_features(members))
