"""Make a suite: draw a small benchmark of each kind of question, and rebuild it."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from qaldgen.analysis.feature_table import slices_of
from qaldgen.analysis.slices.weak_spots import Search, slices
from qaldgen.benchmark.benchmark import Benchmark
from qaldgen.benchmark.gold import AnyGold, Gold, as_gold
from qaldgen.benchmark.make import assemble
from qaldgen.benchmark.rdf import load_benchmark
from qaldgen.defaults import ALPHA, LANGUAGE, SEED
from qaldgen.errors import DataError, UsageError
from qaldgen.io.arguments import as_texts
from qaldgen.io.json_text import from_json
from qaldgen.io.outputs import write_atomic
from qaldgen.io.text import count
from qaldgen.io.unpacking import read_text
from qaldgen.options import ConditionText, PathOrName, Seed, Share
from qaldgen.plugins.stopping.look_plan import FIRST_LOOK
from qaldgen.plugins.suite.decisions import least_fall, plan_for, score_deviation
from qaldgen.questions.rdf_questions import local_names
from qaldgen.sampling.pivotal import spread_order
from qaldgen.sampling.sample import Sample
from qaldgen.scoring.evaluation import Evaluation, evaluate
from qaldgen.scoring.score import AnyRun
from qaldgen.selection.arrays import Indices
from qaldgen.selection.select import open_with_query, select
from qaldgen.selection.vectors import Vectors
from qaldgen.sparql.clauses import find_question_variable, with_patterns
from qaldgen.sparql.ready_queries import Query, read_query
from qaldgen.stores.local import DataSource

#: The file with the contents of a suite, and the name of the benchmark of all questions.
CONTENTS = "suite.json"
ALL = "all"
#: The assumed share of questions on which the scores of two versions of a system differ.
DISAGREEMENT = 0.35
#: Questions whose hash begins with this digit or a higher one are for judging weak spots, and the
#: others for finding them.
_FIRST_JUDGING = "8"


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of question, and its benchmark.

    Attributes
    ----------
    name : str
        Its name, which is also the name of its file without the ending.
    label : str
        Its label, for people.
    condition : str
        The condition for its questions; the query is in the benchmark.
    signature : str
        The line that rebuilds its benchmark.
    pool : int
        The number of such questions.
    sizes : tuple of int
        The numbers of questions at each look, empty if there are too few.
    least : float or None
        The least fall that is called worse with the power of the suite; None without one.
    found_by : str
        The system whose failures, on other questions, showed it; empty for other kinds.
    """

    name: str
    label: str
    condition: str
    signature: str
    pool: int
    sizes: tuple[int, ...]
    least: float | None
    found_by: str = ""


@dataclasses.dataclass(frozen=True)
class Suite:
    """A suite in a folder.

    Attributes
    ----------
    folder : Path
        The folder of the benchmarks.
    source : str
        The name of the questions.
    sha256, licence, language : str
        The hash of their file, their licence, empty if unknown, and their language.
    difference, power, disagreement : float
        The fall to detect, the probability of detecting it, and the assumed share of questions on
        which two versions differ.
    kinds : tuple of Kind
        The kinds of questions.
    """

    folder: Path
    source: str
    sha256: str
    licence: str
    language: str
    difference: float
    power: float
    disagreement: float
    kinds: tuple[Kind, ...]

    def file_of(self, kind: Kind) -> Path:
        """Return the benchmark of a kind."""
        return self.folder / f"{kind.name}.ttl"

    def __str__(self) -> str:
        """Return a line for each kind."""
        lines = []
        for kind in self.kinds:
            if kind.sizes:
                line = f"{kind.label}: {kind.sizes[-1]} of {kind.pool:,} questions"
            else:
                line = f"{kind.label}: {kind.pool}, too few questions"
            if kind.least is not None:
                line += f", a fall of {kind.least:.2f} is seen"
            lines.append(line)
        return "\n".join(lines)

    def save(self, benchmarks: Sequence[Benchmark], *, force: bool) -> None:
        """Write the benchmark of each kind, and the file of contents."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for kind, bench in zip(self.kinds, benchmarks, strict=True):
            titled = dataclasses.replace(bench, title=kind.label)
            titled.save(self.file_of(kind), force=force, language=self.language)
        content = dataclasses.asdict(self) | {"alpha": ALPHA}
        del content["folder"]
        text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
        write_atomic(self.folder / CONTENTS, text.encode(), force=force)


def load_suite(folder: str | Path) -> Suite:
    """Read a suite."""
    path = Path(folder) / CONTENTS
    if not path.is_file():
        raise UsageError(f"has no {CONTENTS}; make a suite with 'qaldgen suite make'", where=folder)
    try:
        content: dict[str, Any] = from_json(read_text(path))
        content.pop("alpha")
        kinds = []
        for row in content.pop("kinds"):
            row["sizes"] = tuple(row["sizes"])
            kinds.append(Kind(**row))
        return Suite(Path(folder), kinds=tuple(kinds), **content)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"is damaged ({error}); make the suite again", where=path) from error


class _KindDraft(NamedTuple):
    """A kind before its benchmark is drawn."""

    label: str
    condition: str
    query: Query
    found_by: str = ""


def make_suite(
    questions: AnyGold,
    folder: str | Path,
    *,
    where: Sequence[ConditionText] = (),
    by: Sequence[str] = (),
    queries: Sequence[PathOrName] = (),
    spots: AnyRun | Evaluation | None = None,
    difference: Share = 0.2,
    power: Share = 0.8,
    disagreement: Share = DISAGREEMENT,
    random_state: Seed = SEED,
    language: str = LANGUAGE,
    force: bool = False,
) -> Suite:
    """Draw a small benchmark of each kind of question, and one of all questions.

    Parameters
    ----------
    questions
        The questions: a file, the name of a public set, or a question set.
    folder
        Where the benchmarks are written.
    where
        A kind by a condition, such as 'answerType = date'.

        See `qaldgen.selection.where.parse_conditions`.
    by
        A kind for each value of a feature.
    queries
        A kind by a query that selects its questions: a file, or the name of a ready-made one.
    spots
        A kind for each weak spot of a system, from its answers to the questions, or an evaluation
        of them.

        One half of the questions finds the spots, the other half has the benchmarks: questions that
        were chosen because the system fails on them would flatter every later version.
    difference
        The fall of a score that is to be seen.
    power
        How surely it is to be seen.
    disagreement
        On which share of the questions two versions are taken to have other scores.
    random_state
        Seed of all samples.
    language
        Language of the questions.
    force
        Overwrite existing files.

    Returns
    -------
    Suite
        The kinds, with how many questions each has, and what it can see.

    Raises
    ------
    UsageError
        If no kind is named, or a condition is none.
    DataError
        If the questions cannot be read, or a condition selects none.

    Examples
    --------
    >>> import tempfile
    >>> questions = [{"id": f"{n}", "question": f"Is it {n}?", "answers": ["1"]} for n in range(90)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     suite = make_suite(questions, folder, where=["charCount > 8"])
    >>> [(kind.name, kind.pool) for kind in suite.kinds]
    [('all', 90), ('charcount-8', 80)]
    """
    if not (where or by or queries or spots is not None):
        raise UsageError("say which kinds of questions: conditions, features, queries or spots")
    gold = as_gold(questions, language=language)

    source, whole_query = open_with_query(gold.questions)
    drafts = [_KindDraft("all questions", "", whole_query)]
    for condition in as_texts(where):
        restricted = open_with_query(source, whole_query, [condition])[1]
        drafts.append(_KindDraft(condition, condition, restricted))
    for slice_ in slices_of(evaluate(gold, (), language=language), by, ()):
        restricted = Query(whole_query.name, slice_.restrict(whole_query.text))
        drafts.append(_KindDraft(slice_.label, slice_.name, restricted))
    for query in map(read_query, queries):
        drafts.append(_KindDraft(query.name, query.name, query))
    if spots is not None:
        if not isinstance(spots, Evaluation):
            spots = evaluate(gold, spots, language=language)
        drafts += _draft_weak_spots(gold, spots, source, whole_query, random_state=random_state)

    # the questions of each kind in the order of asking, and how many of them its looks need
    labels = [draft.label for draft in drafts[1:]]
    names = _file_names([ALL, *labels])
    pools = [select(source, draft.query) for draft in drafts]
    orders = shared_orders(pools, random_state)
    ids = {
        name: [pool.ids[row] for row in order]
        for name, pool, order in zip(names, pools, orders, strict=True)
    }
    deviation = score_deviation(disagreement, difference)
    plan = plan_for(ids, difference, power, deviation)
    largest = max((sizes[-1] for sizes in plan.sizes.values() if sizes), default=FIRST_LOOK)

    benchmarks = _draw_benchmarks(pools, orders, largest, random_state)
    kinds = [
        Kind(
            name=name,
            label=draft.label,
            condition=draft.condition,
            signature=bench.signature,
            pool=bench.pool_size,
            sizes=plan.sizes[name],
            least=least_fall(plan, name, deviation),
            found_by=draft.found_by,
        )
        for name, draft, bench in zip(names, drafts, benchmarks, strict=True)
    ]

    suite = Suite(
        folder=Path(folder),
        source=gold.questions.name,
        sha256=gold.questions.sha256,
        licence=gold.questions.licence,
        language=language,
        difference=difference,
        power=power,
        disagreement=disagreement,
        kinds=tuple(kinds),
    )
    suite.save(benchmarks, force=force)
    return suite


def _file_names(labels: Sequence[str]) -> list[str]:
    """Return file names for kinds: the words of their labels, numbered if they are equal.

    >>> _file_names(["charCount > 8", "charCount < 8"])
    ['charcount-8', 'charcount-8-2']
    """
    names: list[str] = []
    for label in labels:
        stem = "-".join(re.findall(r"[^\W_]+", label.lower()))[:40].rstrip("-") or "kind"
        name = stem
        number = 1
        while name in names:
            number += 1
            name = f"{stem}-{number}"
        names.append(name)
    return names


def rebuild_suite(
    questions: AnyGold, recipe: str | Path, folder: str | Path, *, force: bool = False
) -> Suite:
    """Draw the benchmarks of a suite again from their signatures.

    Parameters
    ----------
    questions
        The questions that the suite was made from.
    recipe
        The folder of the suite.
    folder
        Where to write it.
    force
        Overwrite existing files.
    """
    old_suite = load_suite(recipe)
    source = open_with_query(as_gold(questions, language=old_suite.language).questions)[0]
    suite = dataclasses.replace(old_suite, folder=Path(folder))
    old_benchmarks = [load_benchmark(old_suite.file_of(kind)) for kind in old_suite.kinds]
    random_state = old_benchmarks[0].provenance.random_state

    pools = [
        select(source, Query(bench.provenance.query_name, bench.provenance.query_text))
        for bench in old_benchmarks
    ]
    orders = shared_orders(pools, random_state)
    benchmarks = _draw_benchmarks(pools, orders, max(map(len, old_benchmarks)), random_state)

    for kind, bench in zip(suite.kinds, benchmarks, strict=True):
        if bench.signature != kind.signature:
            raise DataError(
                f"{kind.label}: the questions give the signature {bench.signature}, and"
                f" {CONTENTS} has {kind.signature}; rebuild it from the questions of the suite",
                where=old_suite.file_of(kind),
            )
    suite.save(benchmarks, force=force)
    return suite


def shared_orders(pools: Sequence[Vectors], random_state: int) -> list[Indices]:
    """Return for the pool of each kind its rows in the order of asking.

    Kinds overlap, and a question that comes early in one of its kinds comes early in all of them,
    so that one answer serves several kinds. For this, every question gets a random number from 0 to
    1 that is the same in all kinds, and each kind is sorted by it (permanent random numbers:
    Ohlsson 1995). Among the questions that belong to exactly the same kinds, the numbers are
    uniform and follow a spread order (the local pivotal method). Therefore every question of a kind
    has the same chance to be among the first n.
    """
    kinds_by_question: dict[str, list[int]] = {}
    for index, pool in enumerate(pools):
        for question_id in pool.ids:
            kinds_by_question.setdefault(question_id, []).append(index)

    groups: dict[tuple[int, ...], list[str]] = {}
    for question_id, kinds in kinds_by_question.items():
        groups.setdefault(tuple(kinds), []).append(question_id)

    rng = np.random.default_rng(random_state)
    numbers: dict[str, float] = {}
    for (first, *_), ids in groups.items():
        # the features of the first kind, as kinds may have different ones
        pool = pools[first]
        row_by_id = {question_id: row for row, question_id in enumerate(pool.ids)}
        matrix = pool.matrix[[row_by_id[question_id] for question_id in ids]]
        order = spread_order(matrix, rng)
        drawn = np.sort(rng.random(len(ids)))
        numbers |= {ids[row]: float(index) for row, index in zip(order, drawn, strict=True)}

    return [
        np.argsort([numbers[question_id] for question_id in pool.ids], kind="stable")
        for pool in pools
    ]


def _draw_benchmarks(
    pools: Sequence[Vectors], orders: Sequence[Indices], largest: int, random_state: int
) -> list[Benchmark]:
    """Return a benchmark of the first questions of each kind."""
    tables = "\n".join(pool.sha256() for pool in pools)
    # the order depends on the other kinds too, so a signature has a hash of all kinds
    options = {"suite": sha256(tables.encode()).hexdigest()[:8]}
    benchmarks = []
    for pool, order in zip(pools, orders, strict=True):
        first_rows = order[:largest]
        clusters = np.zeros(len(pool), dtype=np.intp)
        inclusion = np.full(len(first_rows), len(first_rows) / len(pool))
        sample = Sample(first_rows, clusters, inclusion=inclusion, ordered=True)
        bench = assemble(pool, sample, method="lpm", random_state=random_state)
        provenance = dataclasses.replace(bench.provenance, options=options)
        benchmarks.append(dataclasses.replace(bench, provenance=provenance))
    return benchmarks


def _draft_weak_spots(
    gold: Gold,
    evaluation: Evaluation,
    source: DataSource,
    whole_query: Query,
    *,
    random_state: int,
) -> list[_KindDraft]:
    """Return the weak spots on one half of the questions as kinds of the other half."""
    table = source.select(whole_query.text)
    column = list(table.variables).index(find_question_variable(whole_query.text))
    iris = [str(getattr(row[column], "value", "")) for row in table.rows]
    judges = {
        name
        for name, iri in zip(local_names(iris), iris, strict=True)
        if sha256(f"{random_state}{iri}".encode()).hexdigest()[0] >= _FIRST_JUDGING
    }

    finders = tuple(question for question in gold.questions if question.id not in judges)
    half = Gold(dataclasses.replace(gold.questions, questions=finders))
    scores = tuple(
        dataclasses.replace(scored, counts=scored.counts[~scored.counts.index.isin(judges)])
        for scored in evaluation
    )
    finding_evaluation = dataclasses.replace(evaluation, gold=half, scores=scores)
    weak_spots = slices(finding_evaluation, tests=Search(random_state=random_state))

    drafts = []
    for system, spots_of_system in weak_spots.spots.items():
        for spot in spots_of_system:
            # not marked as chosen by failures, as the questions that found the spot are left out
            slice_ = dataclasses.replace(spot.slice, chosen_by=())
            text = slice_.restrict(whole_query.text)
            question = f"?{find_question_variable(text)}"
            digit = f'SUBSTR(SHA256(CONCAT("{random_state}", STR({question}))), 1, 1)'
            patterns = [f'FILTER ({digit} >= "{_FIRST_JUDGING}")']
            query = Query(whole_query.name, with_patterns(text, patterns))
            drafts.append(_KindDraft(slice_.label, slice_.name, query, system))

    if not drafts:
        searched = count(len(finders), "question")
        raise DataError(
            f"no weak spot was found on {searched}, half of all; name kinds by conditions, features"
            " or queries"
        )

    return drafts
