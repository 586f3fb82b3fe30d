"""Stopping early: rules that say when enough questions are asked, and what may be claimed then."""

from __future__ import annotations

from qaldgen.io.lazy import importer

__getattr__ = importer(__name__)
