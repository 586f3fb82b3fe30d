"""QALD JSON as many programs write it: gold and runs are read by the same rules."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import TypeVar

import pytest

from qaldgen.answers.reading import read_run
from qaldgen.errors import DataError
from qaldgen.model import Answers
from qaldgen.questions.collecting import ReadOptions
from qaldgen.questions.gerbil import answer_strings
from qaldgen.questions.reading import read_questions

T = TypeVar("T")
XSD = "http://www.w3.org/2001/XMLSchema#"
IRI = {"type": "uri", "value": "http://x.org/a"}
CELLS: list[object] = [
    IRI, {"type": "bnode", "value": "b0"}, {"type": "uri", "value": " http://x.org/a "},
    {"type": ["uri"], "value": "a"}, {"type": "literal", "value": " 5 ", "datatype": XSD + "int"},
    {"type": "literal", "value": "Ulm", "xml:lang": "de"},
    {"datatype": XSD + "date", "type": "literal", "value": "2012-1-1"},
    {"datatype": XSD + "boolean", "value": "1"},
    {"type": "literal", "value": 5}, {"type": "uri", "value": "urn:a", "more": 1}, None, "Ulm",
]  # fmt: skip
QUESTIONS: list[object] = [
    [{"language": "en", "string": " Is it wet? ", "keywords": "wet, it "}],
    [{"language": "en", "string": "Is it wet?"}, {"language": "pt_BR", "string": "Chove?"}], [],
    "Is it wet?", [{"language": "en", "string": "Is it wet?", "keywords": ["wet", " it "]}],
    [{"string": "Is it wet?"}],
]  # fmt: skip
QUERIES: list[object] = [
    {"sparql": " ASK { ?x <http://dbpedia.org/ontology/a> ?y } "}, {"sparql": "OUT OF SCOPE"},
    {"pseudo": 'text:"a"'}, {}, "ASK {}", {"sparql": None}, {"sparql": "ASK {}", "schemaless": "a"},
]  # fmt: skip
HEADS: list[object] = [
    {"vars": ["x"]},
    {"vars": ["x", " y"], "link": []},
    {"vars": [1]},
    {"vars": ["x"], "more": 1},
    None,
    [],
]
ODD: dict[str, list[object]] = {
    "answertype": ["resource", " uri ", "place", 5],
    "hybrid": [True, "true"],
    "weight": [2],
}


def usually(rng: random.Random, values: list[T]) -> T:
    """Choose the first of the values four times in five."""
    return values[0] if rng.random() < 0.8 else rng.choice(values)


def some_entry(rng: random.Random, number: int) -> dict[str, object]:
    rows = [
        {name: usually(rng, CELLS) for name in rng.choice(["x", "x", "xy"])}
        for _ in range(rng.randint(0, 3))
    ]
    results: dict[str, object] = {"head": usually(rng, HEADS), "results": {"bindings": rows}}
    answers: list[dict[str, object]] = [
        results,
        {"head": {}, "boolean": True},
        {"boolean": "yes"},
        {**results, "boolean": False},
    ]
    found = usually(rng, answers)
    ids: list[object] = [str(number), number, f" {number} "]
    elements: list[object] = [[found], [], [found, found], found, None]
    entry: dict[str, object] = {
        "id": usually(rng, ids),
        "question": usually(rng, QUESTIONS),
        "query": usually(rng, QUERIES),
        "answers": usually(rng, elements),
    }
    return entry | {name: rng.choice(values) for name, values in ODD.items() if rng.random() < 0.1}


def some_file(folder: Path, seed: int) -> Path:
    rng = random.Random(seed)
    path = folder / "some.json"
    document = {
        "dataset": {"id": "some-train"},
        "questions": [some_entry(rng, number) for number in range(1, 4)],
    }
    path.write_text(some_text(rng, document), encoding="utf-8")
    return path


def some_text(rng: random.Random, document: object) -> str:
    """Write JSON as many programs do, now and then with a key twice or an escape in odd places."""
    separators = rng.choice([(", ", ": "), (",", ":"), (",", " : "), (",\n", "\t: ")])
    indent = rng.choice([None, 2])
    text = json.dumps(document, indent=indent, separators=separators, ensure_ascii=False)
    for old, new in [
        (r'"(id|string|type|vars|questions)"( ?: ?)', r'"\1"\2"twice", "\1"\2'),
        (r'"id"( ?: ?)', r'"id"\n\1'),
        (r'"(id|value|sparql)"', r'"\\u0069d"'),
        ("wet", r'\\"wet\\": and \\u0022 : '),
        ("wet", r"\\ud83d"),
        ("true", "NaN"),
        (r"\}$", "} x"),
    ]:
        if rng.random() < 0.1:
            text = re.sub(old, new, text, count=rng.choice([0, 1]))
    return text


def gold(path: Path) -> dict[str, object]:
    """Return answers, query, and what GERBIL makes of the answers, of all questions that read."""
    found = read_questions(
        path, ReadOptions(format="qald-json", skip_broken=True, out_of_scope=True)
    )
    texts = {left.record for left in found.left_out}
    return {
        one.id: (one.answers or Answers(), set(answer_strings(one.answers)))
        for one in found.questions
        if one.id not in texts and "#" not in one.id
    }


def test_gold_and_runs_are_read_by_the_same_rules(tmp_path: Path) -> None:
    compared = 0
    for seed in range(400):
        path = some_file(tmp_path, seed)
        try:
            expected = gold(path)
            run = read_run(path, format="qald-json")
        except DataError:  # either is broken as a whole
            continue
        answers = {name: one.answers or Answers() for name, one in run.responses.items()}
        found = {name: (one, set(answer_strings(one))) for name, one in answers.items()}
        assert expected.items() <= found.items(), path.read_text(encoding="utf-8")
        compared += len(expected)
    assert compared > 400


def test_a_type_that_is_a_list_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    row = {"x": {"type": ["uri"], "value": "urn:a"}}
    entry = {
        "id": "7",
        "question": [],
        "answers": [{"head": {"vars": ["x"]}, "results": {"bindings": [row]}}],
    }
    path.write_text(json.dumps({"questions": [entry]}), encoding="utf-8")
    with pytest.raises(DataError, match=r"id 7.*type' is a list"):
        read_run(path)


PLAIN = {
    "id": "1",
    "question": [{"language": "en", "string": "Is it wet?"}],
    "answers": [{"boolean": True}],
}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('{"questions"', '{"questions": [], "questions"'),
        ('"boolean": true', '"boolean": false, "boolean": true'),
        ('"language": "en"', '"language": "de", "language": "en"'),
        ('"Is it wet?"', '"Is it \\u0022: wet?", "string": "Is it wet?"'),
    ],
)
def test_a_key_repeated_anywhere_is_noticed(old: str, new: str, tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    text = json.dumps({"questions": [PLAIN]})
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    assert "occurs twice" in "".join(read_questions(path).notes)


def test_a_repeated_key_is_noticed_in_a_plain_entry(tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    path.write_text(
        json.dumps({"questions": [PLAIN]}).replace('"id": "1"', '"id": "2", "id": "1"'),
        encoding="utf-8",
    )
    assert "the key 'id' occurs twice" in "".join(read_questions(path).notes)
