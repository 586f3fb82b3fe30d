"""ACT Selection: the candidates of a language model, ranked by the types that they share."""

from __future__ import annotations

from pathlib import Path

from qaldgen.io.lazy import importer
from qaldgen.io.packages import package_path

#: The prompt that asks a chat model for candidates.
CANDIDATES = package_path(Path(__file__).parent / "prompts" / "candidates.j2")

__getattr__ = importer(__name__)
