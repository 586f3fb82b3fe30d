"""Labels by hand: which answers to label, what the labels say of all, and how many are needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qaldgen.io.lazy import importer

if TYPE_CHECKING:
    from qaldgen.plugins.labelling.agreement import Agreement as Agreement
    from qaldgen.plugins.labelling.agreement import agree as agree
    from qaldgen.plugins.labelling.label_scores import LabelScores as LabelScores
    from qaldgen.plugins.labelling.label_scores import score_labels as score_labels
    from qaldgen.plugins.labelling.labels_needed import plan_labels as plan_labels
    from qaldgen.plugins.labelling.worksheet import Worksheet as Worksheet
    from qaldgen.plugins.labelling.worksheet import label as label

#: The public names in each module, which is imported when one of its names is used.
_NAMES = {
    "label_scores": ("LabelScores", "score_labels"),
    "agreement": ("Agreement", "agree"),
    "worksheet": ("Worksheet", "label"),
    "labels_needed": ("plan_labels",),
}
__all__ = [name for names in _NAMES.values() for name in names]
__getattr__ = importer(__name__, _NAMES)
