"""The gold as a run scores 1.0, in every form of file that a run may have."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import qaldgen as qg
from qaldgen.answers.journal import write
from qaldgen.answers.record import Response, status_of
from qaldgen.model import Answers, QuestionSet
from qaldgen.questions.results_json import answers_json, as_literals

Gold = Mapping[str, Answers]


def _table(rows: Iterable[Iterable[object]], delimiter: str = ",") -> str:
    made = io.StringIO()
    csv.writer(made, delimiter=delimiter).writerows(rows)
    return made.getvalue()


def _cell(answers: Answers) -> str:
    return "|".join(value.replace("|", "\\|") for value in answers.values())


def _rows(answers: Answers) -> list[Any]:
    """Return values; of several variables a list for each row."""
    if len(answers.variables) < 2:
        return [answers.boolean] if answers.boolean is not None else answers.values()
    return [[cell and cell.value for cell in row] for row in answers.rows]


def _qald(gold: Gold) -> str:
    entries = [
        {"id": name, "question": [], "answers": [answers_json(as_literals(answers))]}
        for name, answers in gold.items()
    ]
    return json.dumps({"questions": entries})


#: The text of a file, by form.
FORMS: dict[str, Callable[[Gold], str]] = {
    "QALD JSON": _qald,
    "object of id and answers": lambda gold: json.dumps(
        {name: _rows(answers) for name, answers in gold.items()}
    ),
    "records": lambda gold: json.dumps(
        [{"id": name, "prediction": _rows(answers)} for name, answers in gold.items()]
    ),
    "lines of records": lambda gold: "".join(
        json.dumps({"qid": name, "answer": _rows(answers)}) + "\n" for name, answers in gold.items()
    ),
    "table with bars": lambda gold: _table(
        [("id", "answers"), *((name, _cell(answers)) for name, answers in gold.items())]
    ),
    "table with JSON": lambda gold: _table(
        [("id", "output"), *((name, json.dumps(_rows(one))) for name, one in gold.items())]
    ),
    "table with lists of Python": lambda gold: _table(
        [("id", "prediction"), *((name, repr(_rows(one))) for name, one in gold.items())], "\t"
    ),
    "table with a row for each answer": lambda gold: _table(
        [
            ("id", "answer"),
            *((name, value) for name, one in gold.items() for value in one.values() or [""]),
        ]
    ),
    "results in records": lambda gold: json.dumps(
        [
            {"id": name, "answers": {"head": {}, **answers_json(as_literals(answers))}}
            for name, answers in gold.items()
        ]
    ),
}


def lost(questions: QuestionSet, folder: Path, match: str) -> dict[str, list[str]]:
    """Return by form the questions on which the gold itself is not right."""
    gold = {one.id: one.answers for one in questions if one.answers is not None}
    paths = {form: folder / f"{at}.run" for at, form in enumerate(FORMS)}
    for form, path in paths.items():
        path.write_text(FORMS[form](gold))
    paths["journal"] = folder / "journal.jsonl"
    for name, answers in gold.items():
        write(paths["journal"], Response(name, status_of(answers), answers))
    wrong = {}
    for form, path in paths.items():
        counts = qg.score(questions, path, match=match).counts
        counts = counts.loc[counts.index.intersection(list(gold))]
        wrong[form] = [str(name) for name in counts.index[counts["f1"] < 1]]
    return {form: names for form, names in wrong.items() if names}


QUERY = "SELECT ?x { wd:Q1 wdt:P1 ?x }"
PAIRS = "SELECT ?who ?day { ?who wdt:P1 ?day }"
MIXED: list[dict[str, object]] = [
    {"id": "item", "sparql": QUERY, "answers": ["Q64", "Q90"]},
    {"id": "number", "sparql": QUERY, "answers": "7"},
    {"id": "day", "sparql": QUERY, "answers": "1999-05-01"},
    {"id": "truth", "sparql": "ASK { wd:Q1 wdt:P1 wd:Q2 }", "answers": "true"},
    {"id": "label", "sparql": QUERY, "answers": ["Ann Lee", "Bea, the second"]},
    {"id": "pairs", "sparql": PAIRS, "answers": [["Q64", "1902-09-29"], ["Q90", "1903-01-01"]]},
    {"id": "empty", "sparql": QUERY, "answers": []},
    {"id": "iri", "sparql": QUERY, "answers": "http://x.org/Paris,_Texas_(film)|http://x.org/a"},
    {"id": "words", "answers": "It was | Ann"},
    {"id": "names", "answers": [["Ann", "Anne"], ["Bea"]]},
    {"id": "yes", "answers": "yes", "answer_type": "boolean"},
    {"id": "spaces", "answers": "  Ulm  "},
    {"id": "quotes", "answers": 'The "5" o\'clock'},
    {"id": "brackets", "answers": "[Ben]"},
    {"id": "literal", "sparql": QUERY, "answers": '"5"^^xsd:integer'},
]


@pytest.mark.parametrize("match", ["strict", "auto"])
def test_the_gold_scores_one_whatever_it_is(match: str, tmp_path: Path) -> None:
    questions = qg.load([{"question": f"What is {row['id']}?", **row} for row in MIXED])
    wrong = lost(questions, tmp_path, match)
    if match == "auto":  # GERBIL's rules never match a set of IRIs and literals, as it does itself
        wrong = {form: [name for name in names if name != "pairs"] for form, names in wrong.items()}
    assert {form: names for form, names in wrong.items() if names} == {}


@pytest.mark.parametrize("name", [
    "qald/qald-9-test-multilingual.json", "qald/qald-7-test-en-wikidata.json",
    "rubq/RuBQ_2.0_dev.json", "lc-quad/test-data.json",
])  # fmt: skip
def test_the_gold_of_published_sets_scores_one(
    name: str, shared_data: Path, tmp_path: Path
) -> None:
    path = shared_data / name
    if not path.is_file():
        pytest.skip(f"{path} is not there; set QALDGEN_TEST_DATA to its folder")
    questions = qg.load(path)
    if not any(one.answers for one in questions):
        pytest.skip(f"{name} has no gold answers")
    assert lost(questions, tmp_path, "strict") == {}


@pytest.mark.parametrize("name", ["id", "qid", "question_id"])
def test_ids_like_the_answers_are_no_predictions(name: str) -> None:
    gold = pd.DataFrame({name: ["q1", "q2", "q3"], "question": ["A?", "B?", "C?"]})
    gold["answers"] = ["Q1", "Q3", "Q9"]
    run = gold[[name, "answers"]].assign(time=[1.2, 3.1, 0.4])
    assert qg.score(gold, run)["macro-f1"] == 1


@pytest.mark.parametrize("text", [
    "<col> year", "<row 1> Ulm", "<b>Ada</b> and <i>Bo</i>", "SELECT <x> WHERE <y> z",
    "Vec<int> and List<str>", "Ulm [1]", "<answer>Ulm</answer>", "The answer is Ulm", "Answer: Ulm",
    "Ulm\n\nSources: x", "- Ulm", "1. Ulm", "`ls -l`", r"\boxed{7}",
])  # fmt: skip
def test_gold_that_looks_like_markup_scores_one_as_a_reply(text: str) -> None:
    gold = [{"id": "1", "question": "What is it?", "answer": text}]
    assert qg.score(gold, {"1": text}, match="contains")["macro-f1"] == 1


def test_markup_and_entities_are_read_in_gold_and_replies() -> None:
    gold = [
        {"id": "1", "question": "Which band?", "answer": "Ada Mill&#039;s <i>Light</i> Band"},
        {"id": "2", "question": "Which type?", "answer": "List<str>"},
    ]
    run = {"1": "It is Ada Mill's Light Band.", "2": "A List<str> and nothing else."}
    assert qg.score(gold, run)["macro-f1"] == 1
    assert qg.score(gold, run | {"2": "A List<int> it is."})["macro-f1"] == 0.5


def test_a_hyphen_that_does_not_break_the_line_is_a_minus() -> None:
    gold = [{"id": "1", "question": "How much?", "answer": -0.9}]
    assert qg.score(gold, {"1": "It was \u20110,9 %."}, language="pl")["macro-f1"] == 1
