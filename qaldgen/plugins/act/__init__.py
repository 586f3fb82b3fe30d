"""ACT Selection: the candidates of a language model, ranked by the types that they share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.io.lazy import importer
from qaldgen.io.packages import package_path

if TYPE_CHECKING:
    from qaldgen.plugins.act.ablation_table import Ablation as Ablation
    from qaldgen.plugins.act.ablation_table import ablate as ablate
    from qaldgen.plugins.act.ablation_table import ablation as ablation
    from qaldgen.plugins.act.selector import Explanation as Explanation
    from qaldgen.plugins.act.selector import explain as explain
    from qaldgen.plugins.act.selector import table_of as table_of
    from qaldgen.plugins.act.settings import NEIGHBOURS as NEIGHBOURS
    from qaldgen.plugins.act.settings import PRESETS as PRESETS
    from qaldgen.plugins.act.settings import TYPE_SCORES as TYPE_SCORES
    from qaldgen.plugins.act.settings import Act as Act
    from qaldgen.plugins.act.settings import Beams as Beams
    from qaldgen.plugins.act.settings import Selection as Selection
    from qaldgen.plugins.act.system import act as act
    from qaldgen.plugins.act.system import open_act as open_act

#: The prompt that asks a chat model for candidates.
CANDIDATES = package_path(Path(__file__).parent / "prompts" / "candidates.j2")

#: The public names in each module, which is imported when one of its names is used.
_NAMES = {
    "ablation_table": ("Ablation", "ablate", "ablation"),
    "selector": ("Explanation", "explain", "table_of"),
    "settings": ("NEIGHBOURS", "PRESETS", "TYPE_SCORES", "Act", "Beams", "Selection"),
    "system": ("act", "open_act"),
}
__all__ = [name for names in _NAMES.values() for name in names]
__getattr__ = importer(__name__, _NAMES)
