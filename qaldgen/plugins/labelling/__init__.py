"""Labels by hand: which answers to label, what the labels say of all, and how many are needed."""

from __future__ import annotations

from qaldgen.io.lazy import importer

__getattr__ = importer(__name__)
