# The public names: each is imported when it is used, as io/lazy does.

from pathlib import Path

from qaldgen.plugins.act.ablation_table import Ablation as Ablation
from qaldgen.plugins.act.ablation_table import ablate as ablate
from qaldgen.plugins.act.ablation_table import ablation as ablation
from qaldgen.plugins.act.candidates import generator_words as generator_words
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
from qaldgen.plugins.act.training import PAPER as PAPER
from qaldgen.plugins.act.training import Learning as Learning
from qaldgen.plugins.act.training import train as train

CANDIDATES: Path
