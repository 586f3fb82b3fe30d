"""The looks, and what it takes to stop at them."""

from __future__ import annotations

import numpy as np
import pytest

from qaldgen.errors import UsageError
from qaldgen.plugins.stopping.look_plan import (
    LookPlan,
    boundaries,
    expected_size,
    information,
    plan_looks,
)


def test_bounds_of_five_equal_looks_are_the_published_ones() -> None:
    found = boundaries((1.0, 2.0, 3.0, 4.0, 5.0), 0.05)
    assert found == pytest.approx((2.438, 2.427, 2.410, 2.397, 2.386), abs=5e-4)


def test_a_single_look_is_an_ordinary_test() -> None:
    assert boundaries((7.0,), 0.05) == pytest.approx((1.96,), abs=1e-3)


@pytest.mark.parametrize(
    ("largest", "pool", "sizes"),
    [
        (200, 5000, (30, 40, 55, 75, 105, 145, 200)),
        (30, 1000, (30,)),
        (31, 1000, (30, 31)),
        (95, 100, (30, 45, 60, 90)),  # beyond 90 % of the pool, and not all of it
        (100, 100, (30, 45, 60, 90, 100)),
        (20, 20, (20,)),
    ],
)
def test_looks_are_geometric_and_end_before_the_pool_does(
    largest: int, pool: int, sizes: tuple[int, ...]
) -> None:
    found = plan_looks(largest, pool)
    assert found.sizes == sizes
    assert len(found.bounds) == len(sizes)
    assert (found.bounds[-1] == 0.0) == (largest == pool)


@pytest.mark.parametrize(("largest", "pool"), [(25, 100), (29, 30), (33, 33_0)])
def test_too_few_questions_for_a_look_are_refused(largest: int, pool: int) -> None:
    if largest >= 30:
        assert plan_looks(largest, pool).sizes[0] == 30
        return
    with pytest.raises(UsageError, match="too few to look before the end"):
        plan_looks(largest, pool)


def test_more_questions_than_the_pool_has_are_refused() -> None:
    with pytest.raises(UsageError, match="more than the 100 of the pool"):
        plan_looks(101, 100)


@pytest.mark.parametrize(
    ("n", "pool", "wanted"), [(30, 60, 60.0), (90, 100, 900.0), (45, 60, 180.0), (1, 2, 2.0)]
)
def test_information_is_the_reciprocal_of_the_variance(n: int, pool: int, wanted: float) -> None:
    """That of a mean of n of N questions is proportional to (1 - n / N) / n."""
    assert information(n, pool) == pytest.approx(wanted)


def walks(looks: LookPlan, drift: float, repeats: int = 40_000) -> tuple[float, float]:
    """Return how many questions random walks take until they stop, and the share that does."""
    rng = np.random.default_rng(0)
    times = np.array([information(n, looks.pool_size) for n in looks.sizes])
    steps = np.diff(times, prepend=0.0)
    path = np.cumsum(
        rng.normal(size=(repeats, len(times))) * np.sqrt(steps) + drift * steps, axis=1
    ) / np.sqrt(times)
    stopped = np.abs(path) >= np.array(looks.bounds)
    first = np.where(stopped.any(axis=1), stopped.argmax(axis=1), len(times) - 1)
    return float(np.array(looks.sizes)[first].mean()), float(stopped.any(axis=1).mean())


@pytest.mark.parametrize("drift", [0.0, 0.1, 0.3])
def test_the_expected_size_is_that_of_random_walks(drift: float) -> None:
    looks = plan_looks(200, 408)
    size, decided = expected_size(looks, drift)
    seen = walks(looks, drift)
    assert size == pytest.approx(seen[0], abs=1.0)
    assert decided == pytest.approx(seen[1], abs=0.008)


def test_the_whole_pool_always_decides() -> None:
    assert expected_size(plan_looks(100, 100), 0.02)[1] == 1.0
    assert expected_size(plan_looks(20, 20), 0.5) == (20.0, 1.0)


def test_error_is_spent_in_full_and_not_more() -> None:
    assert expected_size(plan_looks(400, 9000), 0.0)[1] == pytest.approx(0.05, abs=1e-4)
    assert expected_size(plan_looks(400, 9000, alpha=0.01), 0.0)[1] == pytest.approx(0.01, abs=1e-4)
