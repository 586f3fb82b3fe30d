"""PolEval and PolQA: their formats, metric and baselines; the rules for questions in Polish."""

from pathlib import Path

from qaldgen.io.packages import packaged

#: Public sets by name.
CATALOGUE = packaged(Path(__file__).parent / "data" / "catalog.tsv")
