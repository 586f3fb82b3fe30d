"""GERBIL's sub-experiments of question answering, which compare the queries."""

from __future__ import annotations

from qaldgen.io.lazy import importer

__getattr__ = importer(__name__)
