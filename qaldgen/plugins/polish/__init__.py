"""PolEval and PolQA: their formats, metric and baselines; the rules for questions in Polish."""

from pathlib import Path

from qaldgen.io.packages import package_path

#: Public sets by name.
CATALOGUE = package_path(Path(__file__).parent / "data" / "catalog.tsv")
