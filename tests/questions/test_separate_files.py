"""Gold and prefixes in files of their own, languages in keys, questions called Query."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import qaldgen as qg
from qaldgen.cli.shared_options import READING_OPTIONS
from qaldgen.errors import DataError, UsageError
from qaldgen.questions.collecting import ReadOptions

Refused = Callable[..., str]
RESULTS = {
    "head": {"vars": ["x"]},
    "results": {"bindings": [{"x": {"type": "uri", "value": "http://x.org/Ann"}}]},
}
ASKED = [
    {"id": "Q1", "question": "Who lit it?", "sparql": "SELECT ?x { ?x ex:lit ex:Lamp }"},
    {"id": "Q2", "question": "How many?", "sparql": "SELECT (COUNT(?x) AS ?n) { ?x a ex:Lamp }"},
]


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    path = tmp_path / "set.json"
    path.write_text(json.dumps(ASKED))
    return path


@pytest.mark.parametrize("text", [
    json.dumps({"answers": [{"id": "Q1", "answer": RESULTS}, {"id": "Q2", "answer": ["7"]}]}),
    json.dumps([{"id": "Q1", "answer": RESULTS}, {"id": "Q2", "answer": 7}]),
    json.dumps({"Q1": ["http://x.org/Ann"], "Q2": "7"}),
    json.dumps({"Who lit it?": "<http://x.org/Ann>", "How many?": ["7"]}),
    "id,answer\nQ1,http://x.org/Ann\nQ2,7\n",
    json.dumps({"questions": [{"id": "Q1", "answers": [RESULTS]}, {"id": "Q2", "answers": ["7"]}]}),
    json.dumps({"a:Q1-en": {"http://x.org/Ann": 1, "http://x.org/Bo": 0}, "a:Q2-en": {"7": 1}}),
])  # fmt: skip
def test_gold_may_lie_apart(asked: Path, tmp_path: Path, text: str) -> None:
    gold = tmp_path / "gold"
    gold.write_text(text)
    questions = qg.load(asked, answers=gold)
    values = [one.answers.values() for one in questions if one.answers is not None]
    assert values == [["http://x.org/Ann"], ["7"]]
    assert "the gold answers are those in gold" in questions.notes
    assert qg.score(questions, {"Q1": "http://x.org/Ann", "Q2": "7"})["macro-f1"] == 1.0


def test_gold_of_other_questions_is_refused(asked: Path, tmp_path: Path, refused: Refused) -> None:
    gold = tmp_path / "gold.json"
    gold.write_text('{"z9": "Ann", "z8": "Bo"}')
    said = refused(lambda: qg.load(asked, answers=gold), DataError)
    assert "has no answer to a question of set; it has 'z9', 'z8'" in said


@pytest.mark.parametrize(("labels", "said"), [("0110", "0111"), ("1221", "1222"), ("ABBA", "ABBB")])
def test_numbers_and_letters_of_choices_may_lie_apart(
    tmp_path: Path, labels: str, said: str
) -> None:
    goals = [
        {"goal": f"To open loft {at},", "sol1": f"burn it {at}", "sol2": f"turn key {at}"}
        for at in range(4)
    ]
    asked, gold, run = (tmp_path / name for name in ("dev.jsonl", "labels.lst", "run.lst"))
    asked.write_text("\n".join(map(json.dumps, goals)))
    gold.write_text("\n".join(labels))
    run.write_text("\n".join(said))
    questions = qg.load(asked, answers=gold)
    assert questions[2].gold.texts == (("turn key 2",),)
    assert qg.score(questions, run)["accuracy"] == 0.75


@pytest.mark.parametrize("text", [
    "@prefix ex: <http://x.org/> .\n", "PREFIX ex: <http://x.org/>\n", "prefix,iri\nex,http://x.org/\n",
    "ex:\thttp://x.org/\n",
])  # fmt: skip
def test_prefixes_may_lie_apart(asked: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "prefixes").write_text(text)
    questions = qg.load(asked, prefixes=tmp_path / "prefixes")
    assert questions["Q1"].sparql == f"PREFIX ex: <http://x.org/>\n{ASKED[0]['sparql']}"


@pytest.mark.parametrize("key", ["db25:{}-{}", "{}-{}", "{}_{}"])
def test_keys_may_have_the_set_and_the_language(key: str) -> None:
    gold = [{"id": "1", "question_en": "Who?", "question_es": "¿Quién?", "answer": "Ann"}]
    given = {key.format(1, "en"): "Ann", key.format(1, "es"): "Bea"}
    assert qg.score(gold, given)["accuracy"] == 1.0
    assert qg.score(gold, given, language="es")["accuracy"] == 0.0
    known = [{"id": "a-en", "question": "Who?", "answer": "Ann"}]
    assert qg.score(known, {"a-en": "Ann"})["accuracy"] == 1.0


def test_a_query_in_words_is_the_question_even_without_answers() -> None:
    rows = [
        {"ID": "1", "Query": "who lit the lamp", "Subject": "http://x.org/Lamp", "Predicates": []},
        {
            "ID": "2",
            "Query": "Where is the mill?",
            "Subject": "http://x.org/Mill",
            "Predicates": [],
        },
    ]
    for data in (rows, {"Questions": rows}):
        questions = qg.load(data)
        assert [one.text() for one in questions] == ["who lit the lamp", "Where is the mill?"]
        assert [one.id for one in questions] == ["1", "2"]


def test_methods_have_the_names_of_the_paper_too(refused: Refused) -> None:
    rows = [{"question": f"What is {n} and {'so ' * n}on?"} for n in range(9)]
    for name, known in (("KMeans++", "km++"), ("FEASIBLE-Exemplars", "feasible-exmp")):
        assert qg.sample(qg.annotate(qg.load(rows)), 3, method=name).signature == (
            qg.sample(qg.annotate(qg.load(rows)), 3, method=known).signature
        )
    assert "unknown method" in refused(lambda: qg.sample(rows, 3, method="kmeens"), UsageError)


@pytest.mark.parametrize("reads", [ReadOptions, qg.load])
def test_every_option_of_reading_is_an_argument_of_what_reads(reads: Callable[..., object]) -> None:
    assert {*READING_OPTIONS.split(), "format"} <= set(inspect.signature(reads).parameters)
