"""The wrong answers that show a weak spot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

#: How many questions are shown, and among how many they are chosen.
FAILED, _CONSIDERED = 3, 60


def failed_questions(
    ids: Sequence[str], system: str, scores: pd.DataFrame, texts: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the ids of a few questions that a system gets wrong, the clearest example first.

    Preferably those that other systems get right, and whose words differ from each other.

    >>> import pandas as pd
    >>> scores = pd.DataFrame({"a": [0.0, 0.0, 1.0], "b": [0.0, 1.0, 1.0]}, index=["x", "y", "z"])
    >>> failed_questions(("x", "y", "z"), "a", scores, {})
    ('y', 'x')
    """
    inside = scores.loc[list(ids)]
    others = inside.drop(columns=system).mean(axis=1).fillna(0.0)
    # if the system has no score of at most one half there, its lowest scores have to do
    wrong = inside.index[inside[system] <= min(0.5, float(inside[system].min()) + 1e-9)]
    ranked = sorted(map(str, wrong), key=lambda name: -round(float(others[name]), 2))[:_CONSIDERED]
    words = {name: set(texts.get(name, name).lower().split()) for name in ranked}
    chosen: list[str] = []
    while ranked and len(chosen) < FAILED:
        best = max(
            ranked,
            key=lambda name: (
                float(others[name])
                - max((_common(words[name], words[question]) for question in chosen), default=0.0)
            ),
        )
        chosen.append(best)
        ranked.remove(best)
    return tuple(chosen)


def _common(words: set[str], other: set[str]) -> float:
    return len(words & other) / len(words | other) if words | other else 0.0
