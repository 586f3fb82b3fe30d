"""How well a sample represents its pool, compared with random samples of its size."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from qaldgen.benchmark.benchmark import Benchmark
from qaldgen.defaults import SEED
from qaldgen.errors import DataError, UsageError
from qaldgen.io.notes import note
from qaldgen.io.progress import step
from qaldgen.sampling import METHODS, diversity, draw
from qaldgen.sampling.diversity import RandomFigure
from qaldgen.selection.vectors import Vectors

if TYPE_CHECKING:
    import pandas as pd


@dataclasses.dataclass(frozen=True, eq=False)
class Figures:
    """How well a sample represents its pool."""

    diversity: float  # D of the sample
    random_diversity: RandomFigure  # D of random samples
    #: A row per figure (see `qaldgen.sampling.diversity.Diversity`): the ``sample``, the mean of
    #: random samples, and their deviation ``+-``.
    table: pd.DataFrame
    spread: pd.DataFrame  # by feature, pool and sample
    repeated: int  # how many questions of the sample repeat the features of another

    def summary(self) -> str:
        """Return a sentence that compares the diversity of the sample with random samples."""
        mean, deviation = self.random_diversity
        # two standard deviations cover about 95 % of random samples
        if abs(self.diversity - mean) <= 2 * deviation:
            comparison = "about as diverse as"
        elif self.diversity > mean:
            comparison = "more diverse than"
        else:
            comparison = "less diverse than"
        return (
            f"diversity D = {self.diversity:.3f}, {comparison} random samples of its size"
            f" ({mean:.3f} +- {deviation:.3f})"
        )


def measure_quality(benchmark: Benchmark, vectors: Vectors) -> Figures:
    """Measure a sample, and random samples of the same size from its pool."""
    import pandas as pd

    row_of = {iri: row for row, iri in enumerate(vectors.ids)}
    absent = [member.iri for member in benchmark.members if member.iri not in row_of]
    if absent:
        raise UsageError(
            f"{absent[0]}: is not in this selection; pass the "
            "selection from which the benchmark was drawn"
        )

    rows = np.array([row_of[member.iri] for member in benchmark.members])
    figures = diversity.measure(vectors, rows, 1.0 - benchmark.outliers / benchmark.pool_size)

    # the baseline: figures mean little without those of random samples
    repeats = diversity.n_random_samples(vectors, len(rows), benchmark.provenance.method)
    random_figures = diversity.measure_random_samples(vectors, len(rows), repeats=repeats)
    columns = {
        "sample": {name: getattr(figures, name) for name in random_figures},
        f"{repeats} random samples": {name: one.mean for name, one in random_figures.items()},
        "+-": {name: one.deviation for name, one in random_figures.items()},
    }

    return Figures(
        figures.diversity,
        random_figures["diversity"],
        table=pd.DataFrame(columns),
        spread=diversity.compare_spread(vectors, rows),
        repeated=figures.size - figures.distinct,
    )


def compare_methods(vectors: Vectors, size: int, *, random_state: int = SEED) -> pd.DataFrame:
    """Return the figures of a sample of each method, with its defaults: one row per method.

    The notes of methods are passed on. A method that cannot draw a sample of this size has a note
    with the reason instead of a row.
    """
    import pandas as pd

    methods = []
    figures = []
    with step("methods", len(METHODS)) as advance:
        for method in METHODS:
            advance(1)
            try:
                sampled = draw(vectors, size, method, random_state=random_state)
            except DataError as error:
                note(str(error))
                continue
            note(*sampled.notes)
            represented = float((sampled.cluster >= 0).mean())
            methods.append(method)
            measured = diversity.measure(vectors, sampled.chosen, represented)
            figures.append(dataclasses.asdict(measured))
    return pd.DataFrame(figures, index=pd.Index(methods, name="method"))
