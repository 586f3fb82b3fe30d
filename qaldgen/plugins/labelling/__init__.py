"""Labels by hand: which answers to label, what the labels say of all, and how many are needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qaldgen.io.lazy import importer

if TYPE_CHECKING:
    from qaldgen.plugins.labelling.agreement import Agreement, agree
    from qaldgen.plugins.labelling.label_scores import LabelScores, score_labels
    from qaldgen.plugins.labelling.labels_needed import plan_labels
    from qaldgen.plugins.labelling.worksheet import Worksheet, label

__all__ = ["Agreement", "LabelScores", "Worksheet", "agree", "label", "plan_labels", "score_labels"]

#: The public names in each module, which is imported when one of its names is used.
_NAMES = {
    "label_scores": ("LabelScores", "score_labels"),
    "agreement": ("Agreement", "agree"),
    "worksheet": ("Worksheet", "label"),
    "labels_needed": ("plan_labels",),
}
__getattr__ = importer(__name__, _NAMES)
