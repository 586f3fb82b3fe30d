"""Broken records: named in the refusal, or left out by name on request.

And files as careless programs write them.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

import qaldgen as qg
from qaldgen.errors import DataError
from qaldgen.model import LeftOut, QuestionSet
from qaldgen.questions.collecting import SKIP_HINT, ReadOptions
from qaldgen.questions.file_content import load_content
from qaldgen.questions.json_documents import JsonReader
from qaldgen.questions.reading import (
    PLAIN_FORMATS,
    READERS,
    open_questions,
    read_questions,
    reading_notes,
)

DATA = Path(__file__).parent.parent / "data" / "formats"
Refused = Callable[..., str]
NO_ANSWER = '"results": {"bindings": [{"x": {"type": "uri"}}]}'
#: A set with one broken record of each kind, by form: the content, what the record is called, and
#: what is wrong with it.
SETS = {
    "qald-json": (
        '{"questions": [{"id": "7", "question": [{"language": "en", '
        '"string": "Who?"}], "aggregation": "union"}, {"id": "8", '
        '"question": [{"language": "en", "string": "Where?"}]}]}',
        "7", "field 'aggregation' is 'union'; true or false is expected",
    ),
    "qald-xml": (
        '<dataset><question><string>Who?</string></question><question '
        'id="8"><string>Where?</string></question></dataset>',
        "record 1", "field 'id' is missing; a string or a number is expected",
    ),
    "rdf": (
        '<http://x.org/7> <http://qald-gen.aksw.org/vocab#text> "Who?" ; '
        '<http://lsq.aksw.org/vocab#answers> "( ?s = #" .\n<http://x.org/8> '
        '<http://qald-gen.aksw.org/vocab#text> "Where?" .\n',
        "7", "the answer string is damaged",
    ),
    "lc-quad": (
        '[5, {"_id": "8", "corrected_question": "Where?", "sparql_query": ""}]', "record 1",
        "is a number; an object is expected",
    ),
    "webqsp": (
        '{"Questions": [{"RawQuestion": "Who?", "Parses": []}, {"QuestionId": "8", '
        '"RawQuestion": "Where?", "Parses": []}]}',
        "record 1", "field 'QuestionId' is missing; a string or a number is expected",
    ),
    "squad": (
        '{"data": [{"paragraphs": [{"qas": [{"id": "7"}, {"id": "8", "question": "Where?"}]}, '
        '{"qas": 5}]}, {"paragraphs": 5}]}',
        "7", "field 'question' is missing; the text of the question is expected",
    ),
    "mkqa": (
        '{"example_id": 7, "queries": [[]]}\n{"example_id": 8, "queries": {"en": "Where?"}}\n',
        "7", "field 'queries' is a list; a string or a list of strings is expected",
    ),
    "polqa": (
        "question_id,question,answers,passage_wiki\n,Kto?,['a'],1\n8,Gdzie?,['b'],1\n",
        "record 1", "field 'question_id' is missing; a string or a number is expected",
    ),
    "simplequestions-wikidata": ("Q1\tP1\tQ2\tWho?\nQ1\tP1\n", "record 2",
        "line 2: 'Q1\\tP1' is not item, property, item and question"),
    "table": (
        "id,question\n7,Who, then?\n8,Where?\n", "record 1",
        "line 2: has 3 cells, the header has 2; quote cells that contain the separator",
    ),
    "json-records": (
        '{"id": 7, "question": "Who?"}\n{"id": 8, "question": '
        '"Where?"\n{"id": 9, "question": "When?"}\n',
        "record 2", "line 2 is invalid JSON at column 31: Expecting ',' delimiter",
    ),
}  # fmt: skip


def put(folder: Path, content: str | bytes, name: str = "set") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("form", [form for form in SETS if form in READERS])
def test_broken_record_is_left_out_by_name_and_the_others_are_read(
    tmp_path: Path, form: str
) -> None:
    content, name, reason = SETS[form]
    found = read_questions(put(tmp_path, content), ReadOptions(skip_broken=True))
    assert found.format == form
    assert found.questions
    left = found.left_out[0]
    assert (left.record, left.reason.startswith(reason), left.broken) == (name, True, True)


@pytest.mark.parametrize("form", [form for form in SETS if form in READERS])
def test_without_asking_the_file_is_refused_and_the_way_out_is_told(
    tmp_path: Path, refused: Refused, form: str
) -> None:
    content, _, reason = SETS[form]
    said = refused(lambda: read_questions(put(tmp_path, content)))
    assert reason in said
    assert said.endswith(SKIP_HINT)


def records(broken: int, whole: int) -> str:
    return json.dumps([5] * broken + [{"id": n, "question": "Who?"} for n in range(whole)])


def test_first_broken_records_are_named_and_all_are_counted(
    tmp_path: Path, refused: Refused
) -> None:
    said = refused(lambda: read_questions(put(tmp_path, records(5, 95))))
    assert (
        said.removeprefix(f"{tmp_path / 'set'}: ")
        == "5 of 100 records are broken: record 1: is a number; an object is expected; record "
        "2: is a number; an object is expected; record 3: is a number; an object is "
        f"expected; and 2 more{SKIP_HINT}"
    )


def test_counts_in_are_counts_out(tmp_path: Path) -> None:
    found = read_questions(put(tmp_path, records(5, 95)), ReadOptions(skip_broken=True))
    assert (len(found.questions), len(found.left_out)) == (95, 5)
    assert reading_notes(found)[0].startswith(
        "set: 5 broken records skipped: record 1: is a number; an object is expected; record 2:"
    )


def test_set_with_nothing_but_broken_records_is_refused_even_so(
    tmp_path: Path, refused: Refused
) -> None:
    path = put(tmp_path, '{"questions": [5, 6]}')
    said = refused(lambda: read_questions(path, ReadOptions(format="qald-json", skip_broken=True)))
    assert said.removeprefix(f"{path}: ").startswith(
        "all 2 records are broken: record 1: is a number; an object is expected"
    )


def test_load_passes_it_on(tmp_path: Path) -> None:
    path = put(tmp_path, records(1, 2))
    assert qg.load(path, skip_broken=True).left_out == (
        LeftOut("record 1", "is a number; an object is expected", broken=True),
    )
    with pytest.raises(DataError):
        qg.load(path)


def test_question_set_says_that_there_is_more_to_know(tmp_path: Path) -> None:
    path = put(tmp_path, '[5, {"id": 2, "question": "Who?", "level": "easy"}]')
    assert (
        repr(read_questions(path, ReadOptions(skip_broken=True)))
        == "<QuestionSet set: 1 question, json-records, 1 left out, 1 note>"
    )


# --- JSON as careless programs write it


def test_key_twice_with_the_same_value_is_harmless(tmp_path: Path) -> None:
    assert read_questions(put(tmp_path, '[{"id": 1, "question": "Who?", "id": 1}]')).notes == ()


def test_key_twice_is_said_with_the_first_and_the_count(tmp_path: Path) -> None:
    rows = '{"id": 1, "question": "Who?", "answer": "a", "answer": "b"}\n' * 2
    found = read_questions(put(tmp_path, rows))
    said = (
        "the key 'answer' occurs twice with different values in 2 objects (first: {'id': 1,"
        " 'question': 'Who?', 'answer': 'b'}); the last value counts"
    )
    assert found.notes == (said,)
    assert found.questions[0].answers == qg.Answers(texts=(("b",),))


def test_key_twice_deep_inside_is_shown() -> None:
    reader = JsonReader()
    reader.parse('{"questions": [{"a": 1}, {"b": [0, {"c": 1, "c": 2}]}]}', "set")
    assert list(reader.notes()) == [
        "the key 'c' occurs twice with different values in 1 object (first: {'c': 2}); the last"
        " value counts"
    ]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_json_does_not_have_are_null_and_said(tmp_path: Path, number: str) -> None:
    found = read_questions(put(tmp_path, f'[{{"id": 1, "question": "Who?", "answer": {number}}}]'))
    assert (found.questions[0].answers, found.notes) == (
        None,
        (f"{number} is not valid JSON; it is read as null (1 time)",),
    )


def test_json_lines_with_a_damaged_first_line_are_json_lines(tmp_path: Path) -> None:
    found = read_questions(
        put(
            tmp_path,
            '{"id": 1, "ques\n{"id": 2, "question": "Who?"}\n{"id": 3, "question": "Who?"}\n',
        ),
        ReadOptions(skip_broken=True),
    )
    assert ([one.id for one in found.questions], len(found.left_out)) == (["2", "3"], 1)


def test_qald_json_that_breaks_off_is_not_taken_for_json_lines(
    tmp_path: Path, refused: Refused
) -> None:
    entry = '{"id": "1", "question": [{"language": "en", "string": "Who?"}]}'
    assert "invalid JSON at line 3" in refused(
        lambda: read_questions(put(tmp_path, f'{{"questions": [\n{entry},\n{entry[:30]}'))
    )


# --- encodings


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
@pytest.mark.parametrize("name", ["table.csv", "records.jsonl", "qald.json", "simplequestions.txt"])
def test_marked_encodings_are_read(tmp_path: Path, name: str, encoding: str) -> None:
    text = (DATA / name).read_text(encoding="utf-8")
    assert (
        read_questions(put(tmp_path, text.encode(encoding), name)).questions
        == read_questions(DATA / name).questions
    )


# --- fuzz

#: What may get into a file.
INTRUDERS = (
    b"\xff",
    b"\x00",
    b"null",
    b"{}",
    b"[]",
    b"NaN",
    b'"',
    b"\n",
    b"\\ud800",
    b"9" * 5000,
    b"[" * 50,
)


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Return data with a few accidents of the kinds that happen to files."""
    for _ in range(chance.randint(1, 3)):
        at, to = sorted(chance.randrange(len(data) + 1) for _ in range(2))
        to = min(to, at + 40)
        accidents = [
            data[:at], data[:at] + data[to:], data[:to] + data[at:],
            data[:at] + data[to : to + 1] * 3 + data[to:],
            data[:at] + chance.choice(INTRUDERS) + data[to:],
            data[:at] + data[at:].replace(b'"', b"", 2),
            data[:at] + data[at:].replace(b":", b",", 1), data.replace(b"\n", b"\r\n"),
        ]  # fmt: skip
        data = chance.choice(accidents) or b"{"
    return data


def _try(path: Path, *, skip_broken: bool = False) -> QuestionSet | None:
    """Read a damaged file: it is read, or refused in one line that names it."""
    try:
        return read_questions(path, ReadOptions(skip_broken=skip_broken))
    except DataError as error:
        assert str(error).startswith(str(path))
        assert len(str(error).splitlines()) == 1
        return None


@pytest.mark.parametrize(
    "name",
    [path.name for path in sorted(DATA.iterdir()) if path.is_file() and path.suffix != ".yaml"],
)
def test_damaged_files_are_read_or_refused_in_one_line(tmp_path: Path, name: str) -> None:
    data, chance = (DATA / name).read_bytes(), random.Random(name)
    for number in range(25):
        path = put(tmp_path, damaged(data, chance), f"{number}")
        strict, tolerant = _try(path), _try(path, skip_broken=True)
        if strict is not None:
            assert tolerant == strict
        elif tolerant is not None:
            assert any(left.broken for left in tolerant.left_out)


def test_every_form_refuses_every_other_in_one_line() -> None:
    paths = [path for path in sorted(DATA.iterdir()) if path.suffix != ".yaml"]
    for path, form in itertools.product(paths, READERS):
        try:
            read_questions(path, ReadOptions(format=form))
        except DataError as error:
            assert len(str(error).splitlines()) == 1, (path.name, form)


def mutated(value: object, chance: random.Random) -> object:
    """Return a JSON value one of whose parts is of another type."""
    if chance.random() < 0.15 or not isinstance(value, (dict, list)) or not value:
        return chance.choice(
            [
                None,
                True,
                0,
                -1.5,
                "",
                "x",
                " ",
                [],
                {},
                [[]],
                [{}],
                {"x": []},
                ["a", 1, None],
                "\ud800",
                "[",
                "|",
            ]
        )
    if isinstance(value, dict):
        key = chance.choice(list(value))
        return {
            name: mutated(item, chance) if name == key else item for name, item in value.items()
        }
    at = chance.randrange(len(value))
    return [mutated(item, chance) if number == at else item for number, item in enumerate(value)]


@pytest.mark.parametrize(
    "name", [path.name for path in sorted(DATA.iterdir()) if path.suffix in {".json", ".jsonl"}]
)
def test_fields_of_any_type_are_read_or_refused_in_one_line(tmp_path: Path, name: str) -> None:
    document, chance = load_content(DATA / name).document, random.Random(name)
    form = read_questions(DATA / name).format
    for number in range(40):
        path = put(tmp_path, json.dumps(mutated(document, chance)), f"{number}")
        _try(path)
        _try(path, skip_broken=True)
        try:
            read_questions(path, ReadOptions(format=form, skip_broken=True))
        except DataError as error:
            assert len(str(error).splitlines()) == 1


def test_recognition_survives_any_shape(tmp_path: Path) -> None:
    chance = random.Random(7)
    shapes: list[object] = [
        {},
        [],
        {"question": {}},
        {"question": [], "answer": []},
        {"data": {}},
        {"questions": {}},
        [[]],
        [None],
        5,
        "x",
        None,
    ]
    for number in range(200):
        shapes.append(
            {
                chance.choice(["question", "data", "answers", "id", "Questions"]): chance.choice(
                    shapes
                )
                for _ in range(3)
            }
        )
        path = put(tmp_path, json.dumps(shapes[-1]), f"{number}")
        content = open_questions(path)
        certain = [reader for name, reader in READERS.items() if name not in PLAIN_FORMATS]
        assert sum(reader.recognises(content) for reader in certain) <= 1
