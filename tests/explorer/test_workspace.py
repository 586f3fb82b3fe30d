"""What was computed is kept, and who waits for one thing does not wait for another."""

from __future__ import annotations

import functools
import threading
from pathlib import Path

import pytest
from explored import QUESTIONS, write_questions, write_run

from qaldgen import api
from qaldgen.errors import DataError, UsageError
from qaldgen.explorer import answers
from qaldgen.explorer import workspace as room
from qaldgen.explorer.preparing import prepare
from qaldgen.explorer.workspace import Opened, Workspace


class Nothing(Opened):
    """No data set, but something to keep results in."""

    def __init__(self) -> None:
        super().__init__(None)  # type: ignore[arg-type]


def test_the_same_is_computed_once() -> None:
    kept, numbers = Nothing(), iter(range(10))
    assert [kept.once("key", lambda: next(numbers)) for _ in range(3)] == [0, 0, 0]


def test_a_long_computation_does_not_hold_up_another() -> None:
    kept, begun, go_on = Nothing(), threading.Event(), threading.Event()

    def long() -> str:
        begun.set()
        assert go_on.wait(20)
        return "long"

    waiting = threading.Thread(target=lambda: kept.once("long", long))
    waiting.start()
    assert begun.wait(20)
    assert kept.once("short", lambda: "short") == "short"
    go_on.set()
    waiting.join()
    assert kept.once("long", lambda: "again") == "long"


def test_what_failed_is_tried_again() -> None:
    kept = Nothing()

    def fail() -> str:
        raise DataError("no luck")

    with pytest.raises(DataError, match="no luck"):
        kept.once("key", fail)
    assert kept.once("key", lambda: "luck") == "luck"


def test_only_the_latest_results_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_KEPT", 2)
    kept = Nothing()
    for key in ("a", "b", "a", "c"):
        kept.once(key, functools.partial(str, key))
    assert kept.once("a", lambda: "computed again") == "a"
    assert kept.once("b", lambda: "computed again") == "computed again"


def test_runs_of_one_name_are_told_apart_and_a_broken_one_is_not_kept(tmp_path: Path) -> None:
    run = write_run(tmp_path, "mine.csv", weak=False)
    broken = tmp_path / "broken.csv"
    broken.write_text("no answers here\n", encoding="utf-8")
    with Workspace() as workspace:
        opened = workspace.open(str(write_questions(tmp_path)))
        assert [opened.add_run(run, "mine"), opened.add_run(run, "mine")] == ["mine", "mine (2)"]
        with pytest.raises((DataError, UsageError)):
            opened.add_run(broken, "broken")
        assert list(opened.runs) == ["mine", "mine (2)"]
        assert workspace.open(str(tmp_path / "harbours.csv")) is opened


def test_what_the_page_asks_first_is_computed_before_it_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Workspace() as workspace:
        opened = workspace.open(str(write_questions(tmp_path)))
        prepare(workspace)
        for name in ("select", "first_selection"):
            monkeypatch.setattr(api.exploring, name, None)
        for name in ("preview", "figures"):
            monkeypatch.setattr(api.sampling, name, None)
        body = {"data": opened.pool.id}
        body["query"] = answers.data(workspace, body)["first"]
        assert len(answers.pool(workspace, body)["rows"]) == QUESTIONS
        assert len(answers.sample(workspace, body)["members"]) == 50
        assert answers.figures(workspace, body)["rows"]


def test_a_set_that_no_ready_query_fits_does_not_stop_the_preparation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[bool] = []
    monkeypatch.setattr(api.sampling, "load_methods", lambda: loaded.append(True))
    odd = tmp_path / "odd.ttl"
    odd.write_text('<urn:a> <https://schema.org/text> "Who?" ; <urn:n> 1 .', encoding="utf-8")
    with Workspace() as workspace:
        workspace.open(str(odd))
        prepare(workspace)
    assert loaded == [True]
