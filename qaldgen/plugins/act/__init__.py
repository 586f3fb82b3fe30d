"""ACT Selection: the candidates of a language model, ranked by the types that they share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.io.lazy import importer
from qaldgen.io.packages import package_path

if TYPE_CHECKING:
    from qaldgen.plugins.act.ablation_table import Ablation, ablate, ablation
    from qaldgen.plugins.act.candidates import generator_words
    from qaldgen.plugins.act.selector import Explanation, explain, table_of
    from qaldgen.plugins.act.settings import NEIGHBOURS, PRESETS, TYPE_SCORES, Act, Beams, Selection
    from qaldgen.plugins.act.system import act, open_act
    from qaldgen.plugins.act.training import PAPER, Learning, train

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
CANDIDATES = package_path(Path(__file__).parent / "prompts" / "candidates.j2")

#: The public names in each module, which is imported when one of its names is used.
_NAMES = {
    "ablation_table": ("Ablation", "ablate", "ablation"),
    "candidates": ("generator_words",),
    "selector": ("Explanation", "explain", "table_of"),
    "settings": ("NEIGHBOURS", "PRESETS", "TYPE_SCORES", "Act", "Beams", "Selection"),
    "system": ("act", "open_act"),
    "training": ("PAPER", "Learning", "train"),
}
__getattr__ = importer(__name__, _NAMES)
