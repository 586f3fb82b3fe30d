"""Entries of QALD JSON read while the document is parsed equal those read the thorough way."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from qaldgen.errors import DataError
from qaldgen.formats.file_content import load_content
from qaldgen.formats.gerbil.loader import document_refusal
from qaldgen.formats.qald_json import PlainEntry, plain_document
from qaldgen.formats.reading import read_questions, recognise
from qaldgen.model import QuestionSet
from qaldgen.runs import qald_answers
from qaldgen.runs.reading import read_run
from qaldgen.runs.record import RunOptions

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


def everything(found: QuestionSet) -> list[object]:
    """Return what a set says, also what its equality leaves out."""
    read = [one.answers.gerbil if one.answers else None for one in found.questions]
    return [found.questions, found.left_out, found.notes, read]


def gold(path: Path, *, quick: bool) -> list[object]:
    content = load_content(path, read_document=plain_document if quick else None)
    if not quick:
        assert not content.replaced
    return everything(
        read_questions(
            path, format="qald-json", content=content, skip_broken=True, out_of_scope=True
        )
    )


def run(path: Path, *, quick: bool) -> object:
    content = load_content(path, read_document=plain_document if quick else None)
    found = qald_answers.read_qald_answers(content, RunOptions(None, "en"))
    return [found, [item.response.answers and item.response.answers.gerbil for item in found.given]]


def outcome(read: Callable[..., object], path: Path, *, quick: bool) -> object:
    try:
        return read(path, quick=quick)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("read", [gold, run])
def test_quick_and_thorough_reading_agree(read: Callable[..., object], tmp_path: Path) -> None:
    for seed in range(400):
        path = some_file(tmp_path, seed)
        assert outcome(read, path, quick=True) == outcome(read, path, quick=False), path.read_text(
            encoding="utf-8"
        )


def is_plain(entry: object) -> bool:
    """Tell whether an entry has the usual shape, and is read while the document is parsed."""
    document = plain_document(json.dumps({"questions": [entry]}))
    questions = document["questions"] if document is not None else None
    return isinstance(questions, list) and isinstance(questions[0], PlainEntry)


def test_the_loader_of_gerbil_takes_every_plain_entry() -> None:
    rng = random.Random(0)
    entries = [entry for entry in (some_entry(rng, 1) for _ in range(2000)) if is_plain(entry)]
    assert len(entries) > 200
    assert document_refusal({"questions": entries}) is None


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
    "document",
    [
        PLAIN,
        [PLAIN],
        {"questions": {"questions": [PLAIN]}},
    ],
)
def test_entries_that_stand_elsewhere_stay_json(document: object, tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    content = load_content(path, read_document=plain_document)
    assert not content.replaced
    assert content.document == document


def test_entries_beside_the_questions_stay_json(tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    path.write_text(json.dumps({"questions": [PLAIN], "others": [PLAIN]}), encoding="utf-8")
    document = load_content(path, read_document=plain_document).document
    assert isinstance(document, dict)
    assert document["others"] == [PLAIN]
    assert isinstance(document["questions"][0], PlainEntry)


def test_only_unusual_entries_are_parsed_as_json(tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    odd = {**PLAIN, "weight": 2}
    path.write_text(json.dumps({"questions": [odd, PLAIN, odd]}), encoding="utf-8")
    document = load_content(path, read_document=plain_document).document
    assert isinstance(document, dict)
    assert [isinstance(one, PlainEntry) for one in document["questions"]] == [False, True, False]


@pytest.mark.parametrize("spaces", ["", " ", "  ", "\n", "\t", " \n ", "\r\n"])
@pytest.mark.parametrize("other", [" :", ":", "\t:"])
def test_a_repeated_key_is_seen_whatever_spaces_follow_it(
    spaces: str, other: str, tmp_path: Path
) -> None:
    path = tmp_path / "some.json"
    path.write_text(
        json.dumps({"questions": [PLAIN]}).replace(
            '"id": "1"', f'"id"{spaces}: "2", "id"{other} "1"'
        ),
        encoding="utf-8",
    )
    assert "questions[0]" in "".join(read_questions(path).notes)


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
    assert "questions[0]" in "".join(read_questions(path).notes)


def test_other_forms_get_the_json(tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    path.write_text(json.dumps({"questions": [PLAIN]}), encoding="utf-8")
    content = load_content(path, read_document=plain_document)
    assert content.replaced
    assert recognise(content) == recognise(content.as_parsed()) == "qald-json"
    assert content.as_parsed().document == {"questions": [PLAIN]}


def test_many_entries_with_an_odd_one_come_in_order(tmp_path: Path) -> None:
    path = tmp_path / "many.json"
    entries: list[dict[str, object]] = [{**PLAIN, "id": str(at)} for at in range(450)]
    entries[201] = {**entries[201], "weight": 2}
    path.write_text(json.dumps({"questions": entries}), encoding="utf-8")
    document = load_content(path, read_document=plain_document).document
    assert isinstance(document, dict)
    found = document["questions"]
    assert [one["id"] if isinstance(one, dict) else one.id for one in found] == [
        entry["id"] for entry in entries
    ]
    assert [at for at, one in enumerate(found) if isinstance(one, dict)] == [201]


def test_a_hidden_colon_does_not_make_up_for_a_repeated_key(tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    text = json.dumps({"questions": [PLAIN, {**PLAIN, "id": "2"}]})
    text = text.replace('"id": "1"', '"id": "0", "id": "1"')
    path.write_text(text.replace("wet", r"\"wet\"\u003a", 1), encoding="utf-8")
    assert any("twice" in str(note) for note in load_content(path).notes)
    assert gold(path, quick=True) == gold(path, quick=False)
