"""The data of the page as JSON.

What stands on the first screen, slices, map, questions, answers and features.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from qaldgen.analysis.intervals import FEWEST
from qaldgen.features.catalogue import all_features
from qaldgen.features.labels import label_of
from qaldgen.reports.page.first_screen import first_screen
from qaldgen.reports.page.questions import answer_data
from qaldgen.reports.page.slices import heading
from qaldgen.selection.conditions import coded

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.reports.page.contents import Report

#: Longer text is compressed; browsers decompress it themselves.
MOST_PLAIN = 3_000_000
#: A feature of questions with more values than this is left out of the page: texts that are never
#: twice the same.
_MOST_VALUES = 2_000


def page_data(report: Report) -> dict[str, Any]:
    """Return everything the scripts of the page need, as JSON can hold it."""
    answers = answer_data(report)
    position = {name: at for at, name in enumerate(answers["ids"])}
    return {
        "title": report.title,
        "measure": report.measured,
        "measureOfQuestion": report.score_of_question,
        "match": report.match,
        "pool": report.pool,
        "asked": report.questions_asked,
        **first_screen(report),
        "heat": _heat(report, position),
        "map": _map(report, position),
        **answers,
        "features": (
            feature_columns(report.table, answers["ids"]) if report.table is not None else []
        ),
        "labels": dict(report.labels),
    }


def packed(data: dict[str, Any]) -> tuple[str, str]:
    r"""Return data as text for a ``script`` tag, and how it is packed: ``json`` or ``gzip``.

    >>> packed({"a": "</script>"})
    ('{"a":"\\u003c/script>"}', 'json')
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    if len(text) <= MOST_PLAIN:
        return text, "json"
    # Level 9 takes eight times as long for 6 % less.
    return base64.b64encode(gzip.compress(text.encode("utf-8"), 6, mtime=0)).decode("ascii"), "gzip"


def _heat(report: Report, position: dict[str, int]) -> list[dict[str, Any]]:
    """Return a row for all questions and one for each slice, the weakest slices first.

    Kinds of too few questions for an interval come last.
    """
    winners = report.comparison.winners["winner"].to_dict() if report.comparison is not None else {}
    slices = {one.name: one for group in report.slices.values() for one in group}
    rows: list[dict[str, Any]] = []
    for (feature, name), own in report.scores.groupby(["feature", "slice"], sort=False):
        by_system = own.set_index("system").loc[list(report.systems)]
        cells = [
            [_rounded(value) for value in row]
            for row in by_system[["estimate", "low", "high"]].to_numpy(float)
        ]
        one = slices.get(str(name)) if feature else None
        rows.append({
            "feature": feature,
            "about": heading(str(feature))[0] if feature else "",
            "name": str(name),
            "label": one.label if one is not None else "all questions",
            "n": int(by_system["n"].iloc[0]),
            "cells": cells,
            "winner": _winner(report, str(winners.get(name, "tie"))),
            "example": _example(report, str(name), position),
            "members": None if one is None else [position[at] for at in one.ids if at in position],
        })  # fmt: skip
    overall = [cell[0] or 0.0 for cell in rows[0]["cells"]]

    def weakness(row: dict[str, Any]) -> tuple[bool, float]:
        gaps = [
            cell[0] - all_
            for cell, all_ in zip(row["cells"], overall, strict=True)
            if cell[0] is not None
        ]
        return row["n"] < FEWEST or not gaps, float(np.mean(gaps)) if gaps else 0.0

    return rows[:1] + sorted(rows[1:], key=weakness)


def _example(report: Report, name: str, position: dict[str, int]) -> dict[str, Any] | None:
    """Return the question that stands for a cluster, with share and chance by system."""
    found = report.examples.get(name)
    if found is None or found.id not in position:
        return None
    return {
        "at": position[found.id],
        "alike": [[_rounded(one.share), _rounded(one.chance)] for one in found.alike],
    }


def _winner(report: Report, name: str) -> int:
    return report.systems.index(name) if name in report.systems else -1


def _map(report: Report, position: dict[str, int]) -> dict[str, Any] | None:
    if report.projection is None:
        return None
    kept = [at for at, name in enumerate(report.projection.ids) if name in position]
    return {
        "questions": [position[report.projection.ids[at]] for at in kept],
        "points": [[_rounded(value) for value in report.projection.points[at]] for at in kept],
        "labels": list(report.projection.labels),
        "source": report.projection.source,
    }


def feature_columns(table: pd.DataFrame, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Return the features of questions.

    Of each its different values once, and for each question which one it has.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"isCount": [True, None, True]}, index=["a", "b", "c"], dtype=object)
    >>> (column,) = feature_columns(table, ["a", "b", "c"])
    >>> column["label"], column["kind"], column["values"], column["at"]
    ('the query counts', 'boolean', ['yes'], 'AAD//wAA')
    """
    found, known = [], all_features()
    own = table.loc[list(ids)]
    for name in map(str, own.columns):
        different, at = coded(own[name].tolist())
        shown = [_shown(value) for value in different]
        values = sorted(set(shown), key=_natural)
        if not values or len(values) > _MOST_VALUES:
            continue
        places = {value: place for place, value in enumerate(values)}
        # the last one is for questions without a value
        codes = np.array([*map(places.__getitem__, shown), 65_535], dtype="<u2")[at]
        kind = known[name].kind if name in known else "categorical"
        packed_codes = base64.b64encode(codes.tobytes()).decode("ascii")
        found.append(
            {
                "name": name,
                "label": label_of(name),
                "kind": kind,
                "values": values,
                "at": packed_codes,
            }
        )
    return found


def _shown(value: Any) -> str:  # noqa: ANN401
    """Return the value of a feature as people read it."""
    if isinstance(value, frozenset):
        return ", ".join(sorted(map(str, value)))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _natural(value: str) -> tuple[int, float, str]:
    try:
        return 0, float(value), value
    except ValueError:
        return 1, 0.0, value


def _rounded(value: float) -> float | None:
    return None if value != value else round(float(value), 4)
