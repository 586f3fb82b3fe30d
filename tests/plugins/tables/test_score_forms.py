"""Results as a Data Cube and as rows of the leaderboard, in Python and with ``score --format``."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import pytest
import rdflib
from click.testing import CliRunner

from qaldgen.answers.record import Response, Run
from qaldgen.benchmark.gold import Gold
from qaldgen.cli.main import cli
from qaldgen.errors import QaldgenError
from qaldgen.model import Answers, Cell, Question, QuestionSet
from qaldgen.plugins.tables.cube import dump_cube
from qaldgen.plugins.tables.leaderboard import leaderboard_rows
from qaldgen.scoring.evaluation import score
from qaldgen.scoring.score import Scores

ASKED = 60


def cells(name: str) -> Answers:
    return Answers(variables=("x",), rows=((Cell("uri", f"http://example.org/{name}"),),))


@pytest.fixture(scope="module")
def gold() -> Gold:
    questions = (
        Question(f"q{at}", {"de": (f"Was ist {at}?",)}, answers=cells(f"q{at}"))
        for at in range(ASKED)
    )
    return Gold(QuestionSet("things", "table", tuple(questions), sha256="c0ffee00" * 8))


def make_run(gold: Gold, name: str, right: set[int]) -> Scores:
    given = {
        one.id: Response(one.id, "answered", cells(one.id if at in right else "wrong"))
        for at, one in enumerate(gold.questions.questions)
    }
    return score(gold, Run(name, "table", given, sha256="abcd0123" * 8), language="de")


@pytest.fixture(scope="module")
def runs(gold: Gold) -> list[Scores]:
    return [
        make_run(gold, "weak <b>", set(range(40, 58))),
        make_run(gold, "strong", set(range(38))),
    ]


def test_leaderboard_rows_are_sorted_and_in_percent(gold: Gold, runs: list[Scores]) -> None:
    source = "[Paper](http://example.org)"
    made = leaderboard_rows(gold, runs, year="2026", reported_by=source)
    rows = made.decode().splitlines()
    assert rows[0] == "| Model / System | Year | Precision | Recall | F1 | Language | Reported by |"
    assert rows[2] == "| strong | 2026 | 63.33 | 63.33 | 63.33 | DE | [Paper](http://example.org) |"
    assert rows[3].startswith("| weak &lt;b> | 2026 | 30.00 |")


def test_the_cube_has_system_and_questions_under_their_own_names(
    gold: Gold, runs: list[Scores]
) -> None:
    graph = rdflib.Graph().parse(data=dump_cube(gold, runs), format="turtle")
    rows = list(graph.query(
        """PREFIX gerbil: <http://w3id.org/gerbil/vocab#>
        PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
        PREFIX dct: <http://purl.org/dc/terms/>
        SELECT ?system ?set ?f1 {
            ?task a gerbil:ExperimentTask ; gerbil:annotator/rdfs:label ?system ;
            gerbil:dataset/dct:title ?set ; gerbil:macroF1 ?f1 } ORDER BY ?f1"""
    ))  # fmt: skip
    found = [
        tuple(str(value) for value in row)
        for row in rows
        if isinstance(row, rdflib.query.ResultRow)
    ]
    assert [row[:2] for row in found] == [("weak <b>", "things"), ("strong", "things")]
    assert [float(row[2]) for row in found] == [float(one.counts["f1"].mean()) for one in runs]


def test_the_cube_has_an_observation_for_each_question_and_every_dimension_of_its_structure(
    gold: Gold, runs: list[Scores]
) -> None:
    graph = rdflib.Graph().parse(data=dump_cube(gold, runs), format="turtle")
    qb = rdflib.Namespace("http://purl.org/linked-data/cube#")
    sizes = {}
    for data_set in graph.subjects(rdflib.RDF.type, qb.DataSet):
        structure = graph.value(data_set, qb.structure)
        parts = list(graph.objects(structure, qb.component))
        wanted = {
            value
            for part in parts
            for kind in (qb.dimension, qb.measure)
            for value in graph.objects(part, kind)
        }
        observations = list(graph.subjects(qb.dataSet, data_set))
        sizes[str(data_set).rpartition("#")[2]] = len(observations)
        for observation in observations:
            assert wanted <= set(graph.predicates(observation))
        dimensions = [value for part in parts for value in graph.objects(part, qb.dimension)]
        keys = Counter(tuple(graph.value(one, name) for name in dimensions) for one in observations)
        assert max(keys.values()) == 1
    assert sizes == {"tasks": 2, "questions": 2 * ASKED}


def test_an_undefined_measure_is_no_number_in_the_cube(gold: Gold) -> None:
    wrong = make_run(gold, "wrong", set())
    graph = rdflib.Graph().parse(data=dump_cube(gold, [wrong]), format="turtle")
    gerbil = rdflib.Namespace("http://w3id.org/gerbil/vocab#")
    task = graph.value(None, rdflib.RDF.type, gerbil.ExperimentTask)
    assert float(str(graph.value(task, gerbil.macroF1))) == 0.0
    assert math.isnan(float(str(graph.value(task, gerbil.macroF1QALD))))


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    gold, run = tmp_path / "gold.json", tmp_path / "run.json"
    gold.write_text(json.dumps([{"id": 1, "question": "Who?", "answers": ["Klee"]}]))
    run.write_text(json.dumps({"1": "Klee"}))
    return str(gold), str(run)


def call(*words: str) -> str:
    return CliRunner().invoke(cli, ["score", *words], catch_exceptions=False).stdout


def test_score_writes_rows_with_the_options_of_the_format(files: tuple[str, str]) -> None:
    rows = call(*files, "--match", "exact", "--format", "leaderboard", "--year", "2026")
    assert rows.splitlines()[2] == "| run | 2026 | 100.00 | 100.00 | 100.00 | EN |  |"
    assert "qb:DataSet" in call(*files, "--match", "exact", "--format", "cube")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--format", "cube", "--year", "2026"), "has no option 'year'"),
        (("--format", "cubes"), "cube"),
    ],
)
def test_a_wrong_call_is_refused(
    files: tuple[str, str], words: tuple[str, ...], message: str
) -> None:
    with pytest.raises(QaldgenError, match=message):
        call(*files, *words)
