"""Bars for the picture of the features: the distribution of each in the pool and the sample."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from qaldgen.features.labels import label_of
from qaldgen.io.shorten import short
from qaldgen.pictures.scene import Scene
from qaldgen.pictures.style import round_values, short_number
from qaldgen.selection.arrays import Matrix
from qaldgen.selection.scaling import column_means, column_medians, shrink
from qaldgen.selection.wording import features_of_variables

#: Up to this many different values get a bar each. More numbers are binned; the remaining
#: categories share one bar.
MAX_BARS = 12
#: Larger whole numbers are binned instead of getting a bar each.
_COUNTABLE = 2.0**52
#: Numbers outside this range go to the first and last bin of a logarithmic axis.
_LEAST, _MOST = 1e-300, 1e300


class Panel(NamedTuple):
    """The bars of one feature, at positions 0, 1, ...

    Shares of pool and sample, tick labels, and the two means as values and as positions.
    """

    name: str
    pool: Matrix
    sample: Matrix
    ticks: list[tuple[float, str]]
    means: tuple[float, float] | None = None
    places: tuple[float, float] | None = None
    axis: str = ""


def panels_of(scene: Scene) -> list[Panel]:
    """Return one panel per feature; all columns ``variable=value`` of a category share a panel."""
    groups: dict[tuple[str, bool], list[int]] = {}
    for column, name in enumerate(scene.vectors.features):
        variable, equals, _ = name.partition("=")
        raw = scene.vectors.raw[:, column]
        category = bool(equals) and raw.min() >= 0.0 and raw.max() <= 1.0
        groups.setdefault((variable if category else name, category), []).append(column)
    query = scene.vectors.query
    known = {} if query is None else features_of_variables(query.text)
    return [
        _category_panel(scene, label_of(known.get(name, name)), columns)
        if category
        else _number_panel(scene, label_of(known.get(name, name)), columns[0])
        for (name, category), columns in groups.items()
    ]


def _category_panel(scene: Scene, name: str, columns: list[int]) -> Panel:
    pool = scene.vectors.raw[:, columns]
    parts = (pool, pool[scene.chosen])
    order = np.argsort(-pool.mean(axis=0), kind="stable")
    shown, rest = np.split(order, [MAX_BARS if len(order) > MAX_BARS + 1 else len(order)])
    labels = [
        short(scene.vectors.features[columns[at]].partition("=")[2] or "(empty)", 20)
        for at in shown
    ]
    shares = [part[:, shown].mean(axis=0) for part in parts]
    if len(rest):
        labels.append(f"{len(rest):,} others")
        shares = [
            np.append(share, part[:, rest].max(axis=1).mean())
            for share, part in zip(shares, parts, strict=True)
        ]
    return Panel(
        name, shares[0], shares[1], [(float(at), label) for at, label in enumerate(labels)]
    )


def _number_panel(scene: Scene, name: str, column: int) -> Panel:
    pool = scene.vectors.raw[:, column]
    sample = pool[scene.chosen]
    means = (_mean(pool), _mean(sample))
    values, value_of = np.unique(pool, return_inverse=True)
    if len(values) <= MAX_BARS:
        shares = [
            np.bincount(part, minlength=len(values)) / len(part)
            for part in (value_of, value_of[scene.chosen])
        ]
        ticks = [(float(at), short_number(value)) for at, value in enumerate(values)]
        places = np.interp(means, values, np.arange(len(values)))
        return Panel(name, shares[0], shares[1], ticks, means, (places[0], places[1]))
    edges, axis = _edges(pool)
    shares = [
        np.histogram(np.clip(part, edges[0], edges[-1]), edges)[0] / len(part)
        for part in (pool, sample)
    ]
    at_edges = np.arange(float(len(edges))) - 0.5
    places = np.interp(means, edges, at_edges)
    return Panel(
        name,
        shares[0],
        shares[1],
        _bin_ticks(edges, at_edges, bool(axis)),
        means,
        (places[0], places[1]),
        axis,
    )


def _mean(values: Matrix) -> float:
    return float(column_means(values[:, None], len(values))[0])


def _edges(raw: Matrix) -> tuple[Matrix, str]:
    """Return the borders of the bins, and a word on the axis where it is not even."""
    median = float(column_medians(raw[:, None])[0]) or float(np.median(raw[raw != 0.0]))
    if raw.min() >= 0.0 and raw.max() > 50.0 * median:
        least, most = np.clip((raw[raw > 0.0].min(), raw.max()), _LEAST, _MOST)
        powers = range(math.floor(math.log10(least)), math.ceil(math.log10(most * 1.001)) + 1)
        steps = (1.0, 2.0, 5.0) if len(powers) <= 7 else (1.0,)
        edges = np.array([step * 10.0**power for power in powers for step in steps])
        first, last = int(np.sum(edges <= least)) - 1, int(np.sum(edges <= most))
        edges = edges[first : last + 1]
        return (np.insert(edges, 0, 0.0) if raw.min() == 0.0 else edges), "log scale"
    if np.abs(raw).max() < _COUNTABLE and np.array_equal(raw, raw.round()):
        width = max(1, math.ceil((raw.max() - raw.min() + 1) / 25))
        return np.arange(raw.min() - 0.5, raw.max() + width, width), ""
    small, exponents = shrink(raw[:, None])
    return np.ldexp(np.linspace(small.min(), small.max(), 21), exponents[0]), ""


def _bin_ticks(edges: Matrix, places: Matrix, logarithmic: bool) -> list[tuple[float, str]]:
    every = math.ceil(len(edges) / 8)
    values = edges[::every] if logarithmic else round_values(edges[0], edges[-1])
    inside = [value for value in values if edges[0] <= value <= edges[-1]]
    return [(float(np.interp(value, edges, places)), short_number(value)) for value in inside]
