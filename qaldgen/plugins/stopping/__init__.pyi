# The public names: each is imported when it is used, as io/lazy does.

from qaldgen.plugins.stopping.decision import Decision as Decision
from qaldgen.plugins.stopping.decision import compare_in_order as compare_in_order
from qaldgen.plugins.stopping.decision import gate as gate
from qaldgen.plugins.stopping.expected_questions import plan_sequential as plan_sequential
from qaldgen.plugins.stopping.ranking import Ranking as Ranking
from qaldgen.plugins.stopping.ranking import race as race
from qaldgen.plugins.stopping.rule import StopRule as StopRule
from qaldgen.plugins.stopping.rule import stop_rule as stop_rule
