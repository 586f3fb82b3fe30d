"""A lint with named rules for files of questions, features or answers."""

from __future__ import annotations

from qaldgen.io.lazy import importer

__getattr__ = importer(__name__)
