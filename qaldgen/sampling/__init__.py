"""Choose N questions from a pool: one table of methods, one contract.

A method is a function ``(vectors, n, rng, **options) -> Sample`` and an entry of `METHODS`. The
rows of `vectors` are in natural order of the question ids, so "the lowest row" is the tie rule
everywhere. Third parties add a method by an entry point in the group ``qaldgen.samplers``, whose
object is a `Method`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from qaldgen.defaults import SEED
from qaldgen.errors import DataError, UsageError
from qaldgen.io.arguments import check_integer, one_of
from qaldgen.io.extensions import Table
from qaldgen.options import Option, option_values
from qaldgen.sampling.clustering import agglomerative, db_km, km
from qaldgen.sampling.designs import hybrid, lpm, random, stratified
from qaldgen.sampling.farthest import farthest_first, feasible, feasible_exemplars
from qaldgen.sampling.sample import Method, Sample, around, identity
from qaldgen.selection.vectors import Vectors

__all__ = ["METHODS", "Method", "Option", "Sample", "around", "draw"]

_ITERATIONS = Option("iterations", 10, "maximum number of k-means iterations", minimum=1, flag="-i")
_TRIALS = Option("trials", 10, "number of k-means runs; the best is kept", minimum=1, flag="-t")
_ORDER = Option(
    "order",
    "",
    "'pool' orders the whole pool, so that a smaller sample with the same seed is the beginning of"
    " a larger one",
)
_PER_CLUSTER = Option(
    "per_cluster", 0, "number of random members per cluster; 0 takes the central one", minimum=0
)

_LINKAGES = ("ward", "average", "complete")

_BUILTIN: dict[str, Method] = {
    "feasible": Method(
        feasible,
        (_PER_CLUSTER,),
        "exemplars as far apart as possible, each with its neighbours a cluster; takes the question"
        " nearest to the mean of each",
    ),
    "feasible-exmp": Method(
        feasible_exemplars, (), "questions as far apart as possible; the most diverse"
    ),
    "km++": Method(
        km,
        (_ITERATIONS, _TRIALS, _PER_CLUSTER),
        "k-means++; takes the question nearest to the mean of each cluster",
    ),
    "db+km++": Method(
        db_km,
        (
            _ITERATIONS,
            _TRIALS,
            Option("radius", 1.0, "maximum distance of neighbours", minimum=0.0, flag="-r"),
            Option(
                "min_points",
                1,
                "minimum number of neighbours of a question that is not an outlier",
                minimum=0,
                flag="-p",
            ),
        ),
        "removes outliers with DBSCAN, normalises the rest again, then runs km++",
        removes_outliers=True,
    ),
    "agglomerative": Method(
        agglomerative,
        (Option("linkage", "ward", "ward, average or complete", choices=_LINKAGES), _PER_CLUSTER),
        "hierarchical clustering cut at N clusters",
    ),
    "farthest-first": Method(
        farthest_first,
        (),
        "repeatedly the question farthest from its nearest chosen one; no vector twice while a new"
        " one is left",
    ),
    "random": Method(random, (_ORDER,), "every question with the same probability", orders=True),
    "lpm": Method(
        lpm,
        (
            Option(
                "pps",
                "",
                "feature whose square root sets the sampling probability, for micro scores",
            ),
            _ORDER,
        ),
        "local pivotal method: equal probabilities, well spread over the features; the best"
        " estimates of the full score",
        orders=True,
    ),
    "hybrid": Method(
        hybrid,
        (
            Option(
                "exemplars",
                0.3,
                "share of FEASIBLE exemplars in the sample",
                minimum=0.0,
                below=1.0,
            ),
        ),
        "a fixed share of FEASIBLE exemplars, the rest by lpm; diverse, with unbiased estimates",
    ),
    "stratified": Method(
        stratified,
        (
            Option("by", "", "features that define the strata, comma-separated"),
            Option(
                "power",
                1.0,
                "exponent of the stratum sizes; less than 1 gives small strata a larger share",
                minimum=0.0,
            ),
        ),
        "a share for each stratum (questions with equal values), by lpm within",
    ),
}
#: All methods by name. Other packages add theirs by the entry point group qaldgen.samplers.
METHODS = Table("samplers", Method, _BUILTIN)
#: Methods by the names that the paper and its tool give them.
_PAPER_NAMES = {
    "kmeans++": "km++", "k-means++": "km++", "dbscan+kmeans++": "db+km++",
    "dbscan+k-means++": "db+km++", "db+kmeans++": "db+km++", "feasible-exemplars": "feasible-exmp",
}  # fmt: skip


def draw(
    vectors: Vectors,
    n: int,
    method: str,
    *,
    random_state: int = SEED,
    options: Mapping[str, float | str] | None = None,
) -> Sample:
    """Choose `n` questions.

    The same arguments choose the same questions, whatever the order of the data was.

    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.4, 0.4]])
    >>> pool = Vectors(("q1", "q2", "q3", "q4", "q5"), ("a", "b"), X, X)
    >>> draw(pool, 2, "feasible-exmp").chosen.tolist()
    [3, 0]
    """
    check_integer("n", n, 1)
    if n > len(vectors):
        raise UsageError(
            f"sample size {n} is impossible, because the pool has {len(vectors):,} questions;"
            f" choose from 1 to {len(vectors):,}"
        )

    settings = check_call(n, method, random_state=random_state, options=options or {})
    spec = METHODS[method]
    takes_whole_pool = n == len(vectors)
    if takes_whole_pool and not (spec.removes_outliers or spec.orders):
        return identity(n)

    sample = spec.function(vectors, n, np.random.default_rng(random_state), **settings)
    if not isinstance(sample, Sample):  # a method of another package
        raise DataError(
            f"method {method!r} returned a {type(sample).__name__};"
            " a qaldgen.sampling.Sample is expected"
        )

    n_distinct = len(np.unique(sample.chosen))
    if n_distinct != n:
        raise DataError(
            f"method {method!r} returned {n_distinct} distinct questions instead of {n}"
        )
    return sample


def method_named(name: str) -> str:
    """Return the key of a method; upper and lower case and the names of the paper are accepted.

    An unknown name is returned as it is.

    >>> [method_named(name) for name in ("KMeans++", "FEASIBLE-Exemplars", "Random")]
    ['km++', 'feasible-exmp', 'random']
    """
    if name in METHODS:
        return name
    keys = {key.lower(): key for key in METHODS} | _PAPER_NAMES
    return keys.get(name.strip().lower().replace("_", "-"), name)


def check_call(
    n: int, method: str, *, random_state: int, options: Mapping[str, float | str]
) -> dict[str, float | str]:
    """Validate a sampling call as far as possible without a pool, and return all options."""
    if method not in METHODS:
        raise UsageError(f"unknown method {method!r}; {one_of(method, METHODS)}")
    check_integer("n", n, 1)
    check_integer("random_state", random_state, 0)
    return resolve_options(method, options)


def resolve_options(method: str, values: Mapping[str, float | str]) -> dict[str, float | str]:
    """Return the options of a method with their values or defaults, without those that are off."""
    for name in {"seed", "rng", "random_seed"}.intersection(values):
        raise UsageError(f"method {method!r} has no option {name!r}; the seed is random_state")
    resolved = option_values("method", method, METHODS, values)
    # options that are off are left out of signatures, so that new ones do not change old lines
    return {
        option.name: resolved[option.name]
        for option in METHODS[method].options
        if resolved[option.name] or option.default
    }
