"""Results of long computations on disk: taken only for the same inputs and code."""

import json
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, copy_context
from pathlib import Path

import numpy as np
import pytest

from qaldgen.io import cache_keys, result_cache
from qaldgen.io.cache_keys import code_hashes
from qaldgen.io.result_cache import cached, caching


class Counter:
    """Computes a number, and counts how often it was asked to."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> int:
        self.calls += 1
        return self.calls


def test_nothing_is_kept_outside(tmp_path: Path) -> None:
    compute = Counter()
    assert [cached("a", [1], compute) for _ in range(2)] == [1, 2]
    with caching(None):
        assert cached("a", [1], compute) == 3
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.array([1.0, 2.0]), np.array([1.0, 2.5])),
        (np.array([1, 2]), np.array([1.0, 2.0])),
        (np.zeros((2, 3)), np.zeros((3, 2))),
        (np.array([True, False]), np.array([False, True])),
        ("macro-f1", "micro-f1"),
        (1, "1"),
        (0, None),
    ],
)
def test_other_inputs_are_computed(tmp_path: Path, one: object, other: object) -> None:
    compute = Counter()
    with caching(tmp_path / "kept"):
        first = [cached("a", [one], compute) for _ in range(2)]
        assert first == [1, 1]
        assert cached("a", [other], compute) == 2
        assert cached("b", [one], compute) == 3
    with caching(tmp_path / "kept"):
        assert cached("a", [one], compute) == 1


def test_inputs_are_not_run_together(tmp_path: Path) -> None:
    compute = Counter()
    with caching(tmp_path / "kept"):
        assert cached("a", ["b", "cd"], compute) == 1
        assert cached("a", ["bc", "d"], compute) == 2
        assert cached("a", [np.array([1, 2]), np.array([3])], compute) == 3
        assert cached("a", [np.array([1]), np.array([2, 3])], compute) == 4


def test_an_array_counts_by_its_content_and_not_by_its_memory(tmp_path: Path) -> None:
    compute, array = Counter(), np.arange(12).reshape(3, 4)
    with caching(tmp_path / "kept"):
        assert cached("a", [array], compute) == 1
        assert cached("a", [np.asfortranarray(array)], compute) == 1
        assert cached("a", [array.T], compute) == 2


def test_new_code_computes_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compute = Counter()
    with caching(tmp_path / "kept"):
        cached("a", [1], compute)
    monkeypatch.setattr(
        cache_keys, "code_hashes", lambda package: [*code_hashes(package), "new.py 0"]
    )
    with caching(tmp_path / "kept"):
        assert cached("a", [1], compute) == 2


def test_the_code_of_other_packages_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def hashes(package: str) -> list[str]:
        seen.append(package)
        return [package]

    monkeypatch.setattr(cache_keys, "code_hashes", hashes)
    with caching(tmp_path / "kept", [json.dumps, Counter]):
        assert sorted(seen) == sorted({"json", "qaldgen", Counter.__module__.partition(".")[0]})


def test_figures_come_back_bit_for_bit(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    figures = [*rng.standard_normal(200).tolist(), 0.1 + 0.2, 5e-324, float("inf"), -0.0]
    with caching(tmp_path / "kept"):
        for _ in range(2):
            found = cached("figures", [1], lambda: figures)
            assert [one.hex() for one in found] == [one.hex() for one in figures]
        missing = [cached("nan", [1], lambda: [float("nan")]) for _ in range(2)]
    assert all(one != one for (one,) in missing)


def damaged(path: Path) -> None:
    path.write_bytes(b"this is no database" * 100)


def not_json(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE kept SET content = '[1, '")


@pytest.mark.parametrize("harm", [damaged, not_json, Path.unlink])
def test_a_damaged_file_only_costs_time(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    compute, path = Counter(), tmp_path / "kept"
    with caching(path):
        cached("a", [1], compute)
        harm(path)
        assert [cached("a", [1], compute) for _ in range(2)] == [2, 2]


def test_a_folder_that_is_not_there_only_costs_time(tmp_path: Path) -> None:
    compute = Counter()
    with caching(tmp_path / "none" / "kept"):
        assert [cached("a", [1], compute) for _ in range(2)] == [1, 2]


def test_old_results_are_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_cache, "_MAX_RESULTS", 3)
    with caching(tmp_path / "kept"):
        for at in range(5):
            cached("a", [at], lambda: 0)
        compute = Counter()
        kept = [at for at in reversed(range(5)) if cached("a", [at], compute) == 0]
    assert kept == [4, 3, 2]


def test_threads_keep_results_in_a_copy_of_the_context(tmp_path: Path) -> None:
    compute = Counter()
    with caching(tmp_path / "kept"), ThreadPoolExecutor(4) as pool:
        contexts = [copy_context() for _ in range(20)]

        def keep(own: Context, at: int) -> int:
            return own.run(cached, "a", [at], lambda: at)

        found = list(pool.map(keep, contexts, range(20)))
        assert found == list(range(20))
        assert [cached("a", [at], compute) for at in range(20)] == found
    assert compute.calls == 0
