"""PolEval and PolQA: their formats, metric and baselines; the rules for questions in Polish."""

from pathlib import Path

#: Public sets by name.
CATALOGUE = Path(__file__).parent / "data" / "catalog.tsv"
