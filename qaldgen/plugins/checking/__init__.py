"""A lint with named rules for files of questions, features or answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qaldgen.io.lazy import importer

if TYPE_CHECKING:
    from qaldgen.plugins.checking.lint import Checked as Checked
    from qaldgen.plugins.checking.lint import check as check

#: The public names in each module, which is imported when one of its names is used.
_NAMES = {
    "lint": ("Checked", "check"),
}
__all__ = [name for names in _NAMES.values() for name in names]
__getattr__ = importer(__name__, _NAMES)
