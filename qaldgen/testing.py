"""Checks for packages that extend qaldgen, to be called in their own tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from qaldgen.errors import DataError
from qaldgen.sampling.sample import Method, Sample
from qaldgen.selection.vectors import Vectors


def check_sampler(method: Method, **options: float | str) -> None:
    """Check that a sampling method keeps the contract of `qaldgen.sampling`.

    Like scikit-learn's ``check_estimator``. It is called on small pools: of different vectors, of
    equal ones, with one feature, with one question; for sizes from 1 to the whole pool.

    Parameters
    ----------
    method
        The row that the entry point in ``qaldgen.samplers`` names.
    **options
        Values of its options; the others take their defaults.

    Raises
    ------
    AssertionError
        If it breaks a rule; the message says which one, and on which pool.
    UsageError
        If the value of an option is invalid.

    Examples
    --------
    >>> from qaldgen.sampling import METHODS
    >>> check_sampler(METHODS["lpm"])
    """
    options_by_name = {option.name: option for option in method.options}
    for name, value in options.items():
        if name not in options_by_name:
            raise AssertionError(
                f"the method has no option {name!r}; it has {', '.join(options_by_name) or 'none'}"
            )
        options_by_name[name].check(value)

    _demand(bool(method.help.strip()) and "\n" not in method.help, "a method has one line of help")
    names = [option.name for option in method.options]
    _demand(len(set(names)) == len(names), "each option has a name of its own")
    for option in method.options:
        _demand(
            option.name.isidentifier() and bool(option.help.strip()),
            f"option {option.name!r} has a plain name and help",
        )
        if option.default != "":
            option.check(option.default)

    values: dict[str, Any] = {name: option.default for name, option in options_by_name.items()}
    values |= options
    # options that are off are left out
    values = {
        name: value for name, value in values.items() if value or options_by_name[name].default
    }

    for title, pool in _pools():
        for n in sorted({1, 2, len(pool) // 2, len(pool) - 1} & set(range(1, len(pool)))):
            try:
                _check_draw(method, pool, n, values, f"{n} of {title}")
            except DataError:
                if not method.removes_outliers:  # others always have questions to choose
                    raise


def _pools() -> Iterator[tuple[str, Vectors]]:
    """Yield pools on which methods are likely to fail, with a title each."""
    rng = np.random.default_rng(0)
    matrices: Mapping[str, np.ndarray] = {
        "12 different vectors": rng.random((12, 3)),
        "12 vectors, of which 4 are different": np.repeat(rng.random((4, 2)), 3, axis=0),
        "6 equal vectors": np.full((6, 2), 0.5),
        "8 vectors of one feature": np.linspace(0.0, 1.0, 8)[:, None],
        "2 vectors": np.eye(2),
    }
    for title, matrix in matrices.items():
        ids = tuple(f"http://example.org/q{row}" for row in range(len(matrix)))
        features = tuple(f"f{column}" for column in range(matrix.shape[1]))
        yield title, Vectors(ids, features, matrix, matrix.copy())


def _check_draw(
    method: Method, pool: Vectors, n: int, options: Mapping[str, float | str], case: str
) -> None:
    """Check one call: its result, that it is repeatable, and that the pool is unchanged."""
    raw_before = pool.raw.copy()
    matrix_before = pool.matrix.copy()
    sample = method.function(pool, n, np.random.default_rng(7), **options)
    repeated_sample = method.function(pool, n, np.random.default_rng(7), **options)
    _demand(
        np.array_equal(pool.raw, raw_before) and np.array_equal(pool.matrix, matrix_before),
        f"{case}: the pool was changed",
    )

    _demand(
        isinstance(sample, Sample), f"{case}: a Sample is expected, and not {type(sample).__name__}"
    )
    _demand(
        np.array_equal(sample.chosen, repeated_sample.chosen),
        f"{case}: the same seed chose other questions",
    )
    _demand(
        sample.chosen.shape == (n,) and sample.chosen.dtype.kind == "i",
        f"{case}: `chosen` holds {n} whole numbers",
    )
    _demand(len(np.unique(sample.chosen)) == n, f"{case}: a question was chosen twice")
    _demand(
        bool(((sample.chosen >= 0) & (sample.chosen < len(pool))).all()),
        f"{case}: a row is not in the pool",
    )

    _check_clusters(method, sample, len(pool), case)

    if sample.inclusion is None:
        return
    _demand(
        not sample.ordered or float(np.ptp(sample.inclusion)) < 1e-12,
        f"{case}: an order whose prefixes are samples gives every question the same chance",
    )
    is_probability = (sample.inclusion > 0) & (sample.inclusion <= 1)
    _demand(
        sample.inclusion.shape == (n,) and bool(is_probability.all()),
        f"{case}: `inclusion` holds a probability over 0 and up to 1 for each chosen question",
    )


def _check_clusters(method: Method, sample: Sample, size: int, case: str) -> None:
    """Check the clusters of a sample: their numbers, outliers, chosen questions and weights."""
    cluster = sample.cluster
    _demand(
        cluster.shape == (size,) and cluster.dtype.kind == "i",
        f"{case}: `cluster` holds a whole number for each question",
    )

    has_outliers = bool((cluster == -1).any())
    _demand(
        not has_outliers or method.removes_outliers,
        f"{case}: -1 is an outlier, and the method does not say `removes_outliers`",
    )

    numbers = set(cluster[cluster >= 0].tolist())
    _demand(
        bool((cluster >= -1).all()) and numbers == set(range(len(numbers))),
        f"{case}: clusters are numbered from 0",
    )
    _demand(
        numbers == set(cluster[sample.chosen].tolist()) - {-1},
        f"{case}: a cluster has no chosen question",
    )
    _demand(bool((cluster[sample.chosen] >= 0).all()), f"{case}: an outlier was chosen")

    total = float(sample.weights().sum())
    _demand(
        has_outliers or abs(total - 1.0) < 1e-9,
        f"{case}: the weights come to {total:g} and not to 1",
    )


def _demand(holds: bool, rule: str) -> None:
    if not holds:
        raise AssertionError(rule)
