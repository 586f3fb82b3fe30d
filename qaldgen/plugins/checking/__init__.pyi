# The public names: each is imported when it is used, as io/lazy does.

from qaldgen.plugins.checking.lint import Checked as Checked
from qaldgen.plugins.checking.lint import check as check
