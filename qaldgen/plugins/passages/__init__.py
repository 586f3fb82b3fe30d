"""Passages: collections, retrievers, readers, what they miss, and passages judged by hand."""

from __future__ import annotations

from pathlib import Path

from qaldgen.io.lazy import importer
from qaldgen.io.packages import package_path

#: The prompt that shows passages to a chat model.
PROMPT = package_path(Path(__file__).parent / "prompts" / "passages.j2")

__getattr__ = importer(__name__)
