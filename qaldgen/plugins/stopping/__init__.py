"""Stopping early: rules that say when enough questions are asked, and what may be claimed then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qaldgen.io.lazy import importer

if TYPE_CHECKING:
    from qaldgen.plugins.stopping.decision import Decision as Decision
    from qaldgen.plugins.stopping.decision import compare_in_order as compare_in_order
    from qaldgen.plugins.stopping.decision import gate as gate
    from qaldgen.plugins.stopping.expected_questions import plan_sequential as plan_sequential
    from qaldgen.plugins.stopping.ranking import Ranking as Ranking
    from qaldgen.plugins.stopping.ranking import race as race
    from qaldgen.plugins.stopping.rule import StopRule as StopRule
    from qaldgen.plugins.stopping.rule import stop_rule as stop_rule

#: The public names in each module, which is imported when one of its names is used.
_NAMES = {
    "decision": ("Decision", "compare_in_order", "gate"),
    "expected_questions": ("plan_sequential",),
    "ranking": ("Ranking", "race"),
    "rule": ("StopRule", "stop_rule"),
}
__all__ = [name for names in _NAMES.values() for name in names]
__getattr__ = importer(__name__, _NAMES)
