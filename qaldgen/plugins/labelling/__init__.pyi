# The public names: each is imported when it is used, as io/lazy does.

from qaldgen.plugins.labelling.agreement import Agreement as Agreement
from qaldgen.plugins.labelling.agreement import agree as agree
from qaldgen.plugins.labelling.label_scores import LabelScores as LabelScores
from qaldgen.plugins.labelling.label_scores import score_labels as score_labels
from qaldgen.plugins.labelling.labels_needed import plan_labels as plan_labels
from qaldgen.plugins.labelling.worksheet import Worksheet as Worksheet
from qaldgen.plugins.labelling.worksheet import label as label
