"""Tables as text, Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

from qaldgen.reports.tables.results import TABLE_FORMS, dump_frame

__all__ = ["TABLE_FORMS", "dump_frame"]
