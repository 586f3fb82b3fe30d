"""Plan and looks in a journal, beside the answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from qaldgen.answers.interim_looks import read_looks
from qaldgen.answers.journal import open_journal, read_journal
from qaldgen.answers.reading import read_run
from qaldgen.answers.record import Response

PLAN = {"rule": "group-sequential", "sizes": [30, 40], "note": "ü\u2028"}
LOOK = {"n": 30, "estimate": 0.1, "verdict": ""}


def journal(path: Path) -> Path:
    with open_journal(path) as kept:
        kept.add_look({"plan": PLAN})
        kept.add(Response("1", "failed", error="HTTP 500"))
        kept.add_look(LOOK)
        kept.add(Response("2", "failed", error='{"look": 1}'))
    return path


def test_answers_and_looks_are_read_apart(tmp_path: Path) -> None:
    path = journal(tmp_path / "mine.jsonl")
    assert list(read_journal(path).responses) == ["1", "2"]
    assert read_looks(path) == ({"plan": PLAN}, LOOK)


def test_a_journal_that_begins_with_a_plan_is_recognised(tmp_path: Path) -> None:
    assert read_run(journal(tmp_path / "mine.jsonl")).format == "journal"


@pytest.mark.parametrize("cut", [5, 20, 60])
def test_half_a_look_at_the_end_is_left_out_and_mended(tmp_path: Path, cut: int) -> None:
    path = journal(tmp_path / "mine.jsonl")
    with open_journal(path) as kept:
        kept.add_look({**LOOK, "n": 40})
    whole = path.read_bytes()
    path.write_bytes(whole[: -min(cut, len(whole.split(b"\n")[-2]))])
    assert read_looks(path) == ({"plan": PLAN}, LOOK)
    assert list(read_journal(path).responses) == ["1", "2"]
    with open_journal(path) as kept:
        kept.add(Response("3", "failed", error="later"))
    assert list(read_journal(path).responses) == ["1", "2", "3"]
