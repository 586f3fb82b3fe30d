# The public names: each is imported when it is used, as io/lazy does.

from qaldgen.analysis.comparing.comparison import compare as compare
from qaldgen.analysis.comparing.consistency import consistency as consistency
from qaldgen.analysis.comparing.multiplicity import Significance as Significance
from qaldgen.analysis.estimating.estimate import estimate as estimate
from qaldgen.analysis.planning import plan as plan
from qaldgen.analysis.slices.cluster_slices import with_clusters as with_clusters
from qaldgen.analysis.slices.weak_spots import slices as slices
from qaldgen.annotation.annotate import annotate as annotate
from qaldgen.answers.reading import read_run as read_run
from qaldgen.answers.record import Run as Run
from qaldgen.asking.asking import ask as ask
from qaldgen.asking.judge import judge as judge
from qaldgen.asking.systems import Chat as Chat
from qaldgen.asking.systems import System as System
from qaldgen.benchmark.benchmark import Benchmark as Benchmark
from qaldgen.benchmark.clusters import cluster as cluster
from qaldgen.benchmark.make import sample as sample
from qaldgen.benchmark.rdf import load_benchmark as load_benchmark
from qaldgen.errors import DataError as DataError
from qaldgen.errors import QaldgenError as QaldgenError
from qaldgen.errors import UsageError as UsageError
from qaldgen.model import Answers as Answers
from qaldgen.model import Question as Question
from qaldgen.model import QuestionSet as QuestionSet
from qaldgen.questions.loading import load as load
from qaldgen.reports.page.formats import write_report as write_report
from qaldgen.reports.report import report as report
from qaldgen.scoring.evaluation import Evaluation as Evaluation
from qaldgen.scoring.evaluation import evaluate as evaluate
from qaldgen.scoring.evaluation import score as score
from qaldgen.scoring.score import Scores as Scores
from qaldgen.selection.description import describe as describe
from qaldgen.selection.select import open_data as open_data
from qaldgen.selection.select import select as select
from qaldgen.selection.vectors import Vectors as Vectors
from qaldgen.stores.endpoint import Endpoint as Endpoint

__version__: str
