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

#: The modules of the public names; a module is imported when one of its names is used.
_HOMES = {
    "Ablation": "qaldgen.plugins.act.ablation_table",
    "ablate": "qaldgen.plugins.act.ablation_table",
    "ablation": "qaldgen.plugins.act.ablation_table",
    "generator_words": "qaldgen.plugins.act.candidates",
    "Explanation": "qaldgen.plugins.act.selector",
    "explain": "qaldgen.plugins.act.selector",
    "table_of": "qaldgen.plugins.act.selector",
    "NEIGHBOURS": "qaldgen.plugins.act.settings",
    "PRESETS": "qaldgen.plugins.act.settings",
    "TYPE_SCORES": "qaldgen.plugins.act.settings",
    "Act": "qaldgen.plugins.act.settings",
    "Beams": "qaldgen.plugins.act.settings",
    "Selection": "qaldgen.plugins.act.settings",
    "act": "qaldgen.plugins.act.system",
    "open_act": "qaldgen.plugins.act.system",
    "PAPER": "qaldgen.plugins.act.training",
    "Learning": "qaldgen.plugins.act.training",
    "train": "qaldgen.plugins.act.training",
}
__getattr__ = importer(__name__, _HOMES)
