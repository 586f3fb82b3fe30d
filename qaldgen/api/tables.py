"""Tables as text, Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

from qaldgen.reports.tables.results import TABLE_FORMS, dump_frame
from qaldgen.reports.tables.score_forms import SCORE_FORMS

__all__ = ["SCORE_FORMS", "TABLE_FORMS", "dump_frame"]
