"""A lint with named rules for files of questions, features or answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qaldgen.io.lazy import importer

if TYPE_CHECKING:
    from qaldgen.plugins.checking.lint import Checked, check

__all__ = ["Checked", "check"]

#: Where the public names stand; a module is imported when one of its names is used.
_HOMES = {"Checked": "qaldgen.plugins.checking.lint", "check": "qaldgen.plugins.checking.lint"}
__getattr__ = importer(__name__, _HOMES)
