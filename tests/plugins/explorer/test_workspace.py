"""What was computed is kept, and who waits for one thing does not wait for another."""

from __future__ import annotations

import functools
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from explored import QUESTIONS, serving, write_questions, write_run

from qaldgen.errors import DataError, UsageError
from qaldgen.plugins.explorer import page_answers
from qaldgen.plugins.explorer import workspace as room
from qaldgen.plugins.explorer.workspace import OpenSet, Workspace


class Nothing(OpenSet):
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
    monkeypatch.setattr(room, "_MAX_RESULTS", 2)
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
        assert [*opened.add_run(run, "mine"), *opened.add_run(run, "mine")] == ["mine", "mine (2)"]
        with pytest.raises((DataError, UsageError)):
            opened.add_run(broken, "broken")
        assert list(opened.runs) == ["mine", "mine (2)"]
        assert workspace.open(str(tmp_path / "harbours.csv")) is opened


@pytest.mark.parametrize("asked", [True, False])
def test_a_file_of_several_systems_is_a_run_for_each(tmp_path: Path, asked: bool) -> None:
    """Beside the questions, or in a file of their own."""
    header = (
        "question,gold,first answer,second answer\n" if asked else "id,first answer,second answer\n"
    )
    rows = "".join(f"{f'Who is {name}?,Ann' if asked else name},Ann,Bo\n" for name in range(1, 9))
    (tmp_path / "wide.csv").write_text(header + rows, encoding="utf-8")
    with Workspace() as workspace:
        opened = workspace.open(str(tmp_path / "wide.csv" if asked else write_questions(tmp_path)))
        if not asked:
            opened.add_run(tmp_path / "wide.csv", "wide")
        assert list(opened.runs) == ["first", "second"]


def test_the_first_selection_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Workspace() as workspace:
        opened = workspace.open(str(write_questions(tmp_path)))
        body = {"data": opened.pool.id}
        body["query"] = page_answers.data_answer(workspace, body)["first"]
        monkeypatch.setattr(page_answers, "select", None)
        assert len(page_answers.pool_answer(workspace, body)["rows"]) == QUESTIONS


def test_the_page_is_served_while_the_data_are_read(tmp_path: Path) -> None:
    path, go_on = str(write_questions(tmp_path)), threading.Event()
    with Workspace() as workspace:

        def work() -> None:
            assert go_on.wait(20)
            workspace.open(path)

        workspace.read("harbours.csv", work)
        with serving(workspace) as place, ThreadPoolExecutor() as asking:
            assert place.ask(f"/?token={place.token}", method="GET")[0] == 200
            assert json.loads(place.ask("/api/start")[2])["reading"] == "harbours.csv"
            waiting = asking.submit(place.ask, "/api/open-sets")
            assert not waiting.done()
            go_on.set()
            assert [one["name"] for one in json.loads(waiting.result()[2])["open"]] == [
                "harbours.csv"
            ]
            assert json.loads(place.ask("/api/start")[2])["reading"] == ""


def test_data_that_are_refused_are_told_to_whoever_waits_for_them(tmp_path: Path) -> None:
    broken = tmp_path / "broken.ttl"
    broken.write_text("<urn:a> no RDF", encoding="utf-8")
    with Workspace() as workspace:

        def work() -> None:
            workspace.open(broken)

        workspace.read("broken.ttl", work)
        with serving(workspace) as place:
            status, _, answer = place.ask("/api/open-sets")
    assert status == 422
    assert "broken.ttl" in json.loads(answer)["error"]
