"""ACT Selection: the candidates of a language model, ranked by the types that they share."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qaldgen.plugins.act.ablating import Ablation, ablate, ablation
    from qaldgen.plugins.act.explaining import explain, table_of
    from qaldgen.plugins.act.neural.training import PAPER, Learning, train
    from qaldgen.plugins.act.options import (
        NEIGHBOURS,
        PRESETS,
        TYPE_SCORES,
        Act,
        Beams,
        Selection,
    )
    from qaldgen.plugins.act.selector import Explanation
    from qaldgen.plugins.act.sources import generator_words
    from qaldgen.plugins.act.system import act, open_act

__all__ = [
    "NEIGHBOURS",
    "PAPER",
    "PRESETS",
    "TYPE_SCORES",
    "Ablation",
    "Act",
    "Beams",
    "Explanation",
    "Learning",
    "Selection",
    "ablate",
    "ablation",
    "act",
    "explain",
    "generator_words",
    "open_act",
    "table_of",
    "train",
]

#: The prompt that asks a chat model for candidates.
CANDIDATES = Path(__file__).parent / "prompts" / "candidates.j2"
_MODULES = ("options", "selector", "sources", "system", "explaining", "ablating", "neural.training")


# modules are imported on first use, so that the names of the plug-in cost nothing
def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public object
    for module in _MODULES if name in __all__ else ():
        found = importlib.import_module(f"{__name__}.{module}")
        if hasattr(found, name):
            return getattr(found, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
