# The public names: each is imported when it is used, as io/lazy does.

from qaldgen.plugins.subtasks.experiments import query_markings as query_markings
from qaldgen.plugins.subtasks.experiments import sub_experiments as sub_experiments
