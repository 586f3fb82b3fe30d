"""Runs, the answers of systems: every form, what is odd in them, and what is damaged."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import qaldgen as qg
from qaldgen.answers.journal import read_journal, write
from qaldgen.answers.question_matching import match_report
from qaldgen.answers.reading import RUN_READERS, read_run
from qaldgen.answers.record import Response, Run
from qaldgen.answers.several_runs import read_runs
from qaldgen.errors import DataError, UsageError
from qaldgen.model import Answers, Cell, Question, QuestionSet
from qaldgen.questions.gerbil import answer_strings, gerbil_complaints, gerbil_date, gerbil_refusal
from qaldgen.questions.reading import read_questions

Refused = Callable[..., str]
XSD = "http://www.w3.org/2001/XMLSchema#"
A = "http://x.org/A"


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Run]:
    """Read a run with this content."""

    def read(content: object, **options: Any) -> Run:  # noqa: ANN401
        path = tmp_path / "mine.run"
        text = content if isinstance(content, (str, bytes)) else json.dumps(content)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_run(path, **options)

    return read


@pytest.fixture
def message(read: Callable[..., Run], tmp_path: Path, refused: Refused) -> Callable[..., str]:
    """Return what is said of a run with this content, without the path."""

    def message(content: object, **options: Any) -> str:  # noqa: ANN401
        return refused(lambda: read(content, **options)).removeprefix(f"{tmp_path / 'mine.run'}: ")

    return message


Read = Callable[..., Run]
Message = Callable[..., str]


def gold(*ids: str) -> QuestionSet:
    return QuestionSet(
        "gold", "table", tuple(Question(name, {"en": (f"What is {name}?",)}) for name in ids)
    )


def qald(answers: object, **more: object) -> dict[str, object]:
    return {"questions": [{"id": "1", "answers": answers, **more}]}


def bindings(*cells: object, **more: object) -> list[object]:
    return [
        {"head": {"vars": ["x"]}, "results": {"bindings": [{"x": cell} for cell in cells], **more}}
    ]


def given(run: Run, name: str = "1") -> Answers:
    answers = run.responses[name].answers
    assert answers is not None
    return answers


def strings(answers: Answers) -> set[str]:
    return set(answer_strings(answers))


# --- QALD JSON


@pytest.mark.parametrize(
    ("name", "expected"),
    [(7, "7"), (1.5, "1.5"), (True, "true"), ("a b#c", "a b#c"), (None, "null")],
)
def test_id_may_be_any_scalar(read: Read, name: object, expected: str) -> None:
    assert list(read({"questions": [{"id": name, "answers": []}]}).responses) == [expected]


def test_elements_of_answers_are_united(read: Read) -> None:
    run = read(qald(bindings({"value": A}) + bindings({"value": "http://x.org/B"}, {"value": A})))
    assert given(run).values() == [A, "http://x.org/B", A]
    assert run.responses["1"].status == "answered"


@pytest.mark.parametrize(
    "more", [{"answers": []}, {"answers": None}, {}, {"answers": [{}]}, {"answers": [None]}]
)
def test_missing_answers_are_empty(read: Read, more: dict[str, object]) -> None:
    response = read({"questions": [{"id": "1", **more}]}).responses["1"]
    assert response.status == "empty"
    assert response.answers == Answers()


@pytest.mark.parametrize(
    ("written", "truth"),
    [
        (True, True),
        (False, False),
        ("True", True),
        ("false", False),
        (0, False),
        (2, True),
        ("TRUE", True),
        ("no", False),
        (0.0, False),
    ],
)
def test_booleans(read: Read, written: object, truth: bool) -> None:
    assert given(read(qald([{"boolean": written}]))).boolean is truth


def test_query_and_answer_type_are_kept(read: Read) -> None:
    response = read(qald([], query={"sparql": "ASK {}"}, answertype="Boolean")).responses["1"]
    assert (response.query, response.answer_type) == ("ASK {}", "boolean")


@pytest.mark.parametrize("number", ["5", "5.0", "1e3", "12345678901234567890.10"])
def test_numbers_keep_the_text_of_the_file(read: Read, number: str) -> None:
    run = read(json.dumps(qald(bindings({"value": "N"}))).replace('"N"', number))
    assert given(run).values() == [number]


def test_last_of_repeated_ids_counts(read: Read) -> None:
    run = read(
        {
            "questions": [
                {"id": 1, "answers": [{"boolean": True}]},
                {"id": "1", "answers": [{"boolean": False}]},
            ]
        }
    )
    assert given(run).boolean is False
    assert run.notes[-1].endswith("1 id (first: 1) used more than once; the last entry counts")


def test_cell_without_value_is_left_out_with_a_note(read: Read) -> None:
    run = read(qald(bindings({"type": "uri"}, {"value": A}, None)))
    assert given(run).values() == [A]
    assert run.notes[0].endswith(
        "1 question have a cell without a value, which is left out (first: 1)"
    )
    assert (
        "GERBIL would refuse this file: question 1 (id 1), answers[0].results.bindings[0]"
        in run.notes[1]
    )


def test_forbidden_keys_are_read_and_named(read: Read) -> None:
    run = read(qald(bindings({"type": "uri", "value": A}, distinct=False, ordered=True)))
    assert given(run).values() == [A]
    assert len(run.notes) == 1
    assert run.notes[0].endswith(
        "GERBIL would refuse this file: question 1 (id 1), answers[0].results.distinct: unknown key"
    )


def test_string_of_json_is_read_and_one_that_is_cut_is_empty(read: Read) -> None:
    assert given(read(qald(['{"boolean": true}']))).boolean is True
    run = read(qald(['{"boolean": tr']))
    assert run.responses["1"].status == "empty"
    assert "a string without JSON" in run.notes[0]


def test_answers_in_plain_texts_are_read_with_a_note(read: Read) -> None:
    run = read(qald(["http://x.org/A", "wd:Q1", "Ulm", " "]))
    assert given(run).values() == ["http://x.org/A", "http://www.wikidata.org/entity/Q1", "Ulm"]
    assert "have answers that are plain texts" in run.notes[0]
    assert given(read(qald("true", answertype="boolean"))).boolean is True


def test_question_without_entry_is_not_asked(read: Read) -> None:
    assert read(qald([])).response("2").status == "not asked"


def test_datatype_before_the_value_is_kept_as_gerbil_has_it(read: Read) -> None:
    cells = [
        {"datatype": XSD + "date", "value": "2012-2-30"},
        {"datatype": XSD + "boolean", "value": "1"},
    ]
    answers = given(read(qald(bindings(*cells))))
    assert answers.values() == ["2012-2-30", "1"]
    assert strings(answers) == {"2012-03-01", "false"}


def test_datatype_behind_the_value_changes_nothing(read: Read) -> None:
    cell = {"value": "2012-1-1", "datatype": XSD + "date"}
    assert strings(given(read(qald(bindings(cell))))) == {"2012-1-1"}


def test_boolean_and_rows_are_both_answers_for_gerbil(read: Read) -> None:
    element = {"boolean": True, "results": {"bindings": [{"x": {"value": A}}]}}
    answers = given(read(qald([element])))
    assert (answers.values(), strings(answers)) == (["true"], {"true", A})


def test_gold_questions_have_what_gerbil_makes_of_them(tmp_path: Path) -> None:
    path = tmp_path / "gold.json"
    question = [{"language": "en", "string": "When?"}]
    path.write_text(
        json.dumps(
            qald(bindings({"datatype": XSD + "date", "value": "2012-1-1"}), question=question)
        )
    )
    answers = read_questions(path).questions[0].answers
    assert answers is not None
    assert (answers.values(), strings(answers)) == (["2012-1-1"], {"2012-01-01"})


def test_a_single_record_is_no_table_of_ids(read: Read) -> None:
    run = read({"id": "7", "text": "Which moons?", "answers": ["Phobos", "Deimos"]})
    assert run.format == "records"
    assert given(run, "7").values() == ["Phobos", "Deimos"]


@pytest.mark.parametrize(("answer", "value"), [
    ("dbr:Mars", "http://dbpedia.org/resource/Mars"), ("wd:Q1", "http://www.wikidata.org/entity/Q1"),
    ("note:Mars", "note:Mars"),
])  # fmt: skip
def test_usual_prefixes_are_resolved_in_records(read: Read, answer: str, value: str) -> None:
    assert given(read([{"id": "1", "answer": answer}])).values() == [value]


def test_records_keep_words_and_what_gerbil_makes_of_dates(read: Read) -> None:
    cells = [{"x": {"type": "literal", "datatype": XSD + "date", "value": "2012-1-1"}}]
    results = {"head": {"vars": ["x"]}, "results": {"bindings": cells}}
    run = read(
        [{"id": "1", "answers": {"texts": [["Phobos", "Mars I"]]}}, {"id": "2", "answers": results}]
    )
    assert given(run).texts == (("Phobos", "Mars I"),)
    assert strings(given(run, "2")) == {"2012-01-01"}


@pytest.mark.parametrize(
    ("cell", "values"), [("[]", []), ('"{""texts"": [[""a|b""]]}"', ["a|b"]), ("{a}", ["{a}"])]
)
def test_cells_of_our_own_tables_are_read(tmp_path: Path, cell: str, values: list[str]) -> None:
    (tmp_path / "run.csv").write_text(f"id,answers\n1,{cell}\n")
    assert given(read_run(tmp_path / "run.csv")).values() == values


def test_extended_form(read: Read) -> None:
    language = [
        {"language": "en", "question": "Who?", "SPARQL": "ASK {}"},
        {"language": "de", "SPARQL": "ASK { ?s ?p ?o }"},
    ]
    run = read(
        {
            "questions": [
                {"question": {"id": 3, "language": language, "answers": '{"boolean": false}'}}
            ]
        }
    )
    assert (run.format, run.notes) == ("qald-extended", ())
    assert given(run, "3").boolean is False
    assert run.responses["3"].query == "ASK { ?s ?p ?o }"


# --- what GERBIL does


def load_cases(shared_data: Path) -> list[dict[str, Any]]:
    path = shared_data / "oracles" / "gerbil" / "load_cases.json"
    if not path.is_file():
        pytest.skip(
            f"the record of GERBIL's loader is not at {path}; set QALDGEN_TEST_DATA to its folder"
        )
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def is_refused(case: dict[str, Any]) -> bool:
    return "error" in case or any("translate_error" in question for question in case["questions"])


def test_refusals_are_those_of_gerbil(shared_data: Path) -> None:
    cases = load_cases(shared_data)
    assert len(cases) == 191
    assert [
        case["name"]
        for case in cases
        if (gerbil_refusal(case["json"]) is not None) != is_refused(case)
    ] == []


def test_answers_are_those_of_gerbil(shared_data: Path, read: Read) -> None:
    compared = 0
    for case in load_cases(shared_data):
        if is_refused(case) or not case["questions"] or case["name"] == "trailing garbage":
            continue
        run = read(case["json"])
        expected = {
            question["id"]: (set(question["answers"]), question["sparql"] or "")
            for question in case["questions"]
        }
        found = {
            name: (strings(given(run, name)), response.query)
            for name, response in run.responses.items()
        }
        if case["name"] == "answers bad string":  # the one that is read all the same, with a note
            assert (found, expected) == ({"1": ({"x"}, "ASK {}")}, {"1": (set(), "ASK {}")})
            assert "plain texts, which other loaders take for empty" in run.notes[0]
            continue
        assert found == expected, case["name"]
        assert not any("GERBIL would refuse" in note for note in run.notes)
        compared += 1
    assert compared == 131


def test_dates_are_those_of_gerbil(shared_data: Path) -> None:
    path = shared_data / "oracles" / "gerbil" / "date_cases.json"
    if not path.is_file():
        pytest.skip(
            f"the record of GERBIL's dates is not at {path}; set QALDGEN_TEST_DATA to its folder"
        )
    cases = json.loads(path.read_text(encoding="utf-8"))
    assert [
        (case["s"], gerbil_date(case["s"]))
        for case in cases
        if gerbil_date(case["s"]) != case["out"]
    ] == []


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("1582-10-04", "1582-10-04"), ("1582-10-05", "1582-10-15"), ("1582-10-15", "1582-10-15"),
        ("1582-10-14", "1582-10-24"), ("1582-9-40", "1582-10-20"), ("1582-10-31", "1582-10-31"),
        ("1582-12-31", "1582-12-31"), ("1583-01-01", "1583-01-01"),
        ("1581-12-400", "1583-01-14"),
        ("0-1-1", "0001-01-01"), ("1584--20-1", "1582-04-01"), ("2012- 1-\t2", "2012-01-02"),
        ("x2012-01-01", "x2012-01-01"),
    ],
)  # fmt: skip
def test_dates_around_the_change_of_the_calendar(text: str, printed: str) -> None:
    assert gerbil_date(text) == printed


def test_refusal_counts_the_places() -> None:
    text = json.dumps(
        {"questions": [{"id": name, "answers": [{"a": 1, "b": 1}]} for name in "123"]}
    )
    assert len(gerbil_complaints(text)) == 3
    assert str(gerbil_refusal(text)).endswith("(and 2 more places)")


# --- other forms


def test_journal(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    write(path, Response("1", "answered", Answers(boolean=True), seconds=0.5))
    write(path, Response("2", "timeout", error="too slow"))
    path.write_text(path.read_text() + '{"id": "3", "sta')
    run = read_run(path, name="ours")
    assert (run.name, run.format, list(run.responses)) == ("ours", "journal", ["1", "2"])
    assert run.responses["2"] == Response("2", "timeout", error="too slow")
    assert any("the last line is cut off" in note for note in run.notes)
    assert read_run(path, format="journal").sha256 == read_journal(path).sha256


@pytest.mark.parametrize(
    ("value", "answers"),
    [
        ("Blue", Answers(texts=(("Blue",),))),
        (
            "Q64",
            Answers(
                variables=("answer",), rows=((Cell("uri", "http://www.wikidata.org/entity/Q64"),),)
            ),
        ),
        (A, Answers(variables=("answer",), rows=((Cell("uri", A),),))),
        (5, Answers(texts=(("5",),))),
        (False, Answers(boolean=False)),
        ("True", Answers(boolean=True)),
        (None, Answers()),
        ([], Answers()),
        (["Blue", "Red"], Answers(texts=(("Blue",), ("Red",)))),
        ({"boolean": True, "head": {}}, Answers(boolean=True)),
    ],
)
def test_object_of_id_to_answer(read: Read, value: object, answers: Answers) -> None:
    run = read({"a": value, "b": "x"})
    assert run.format == "id-answer"
    assert given(run, "a") == answers
    assert run.responses["a"].status == ("answered" if answers.values() else "empty")


def test_table_with_header(read: Read) -> None:
    run = read(
        "ID,Answer,Status,Seconds,Query,Error\n1,a|b,,0.5,ASK {},\n2,,timeout,,,too"
        " slow\n3,,,,,HTTP 500\n1,c\\|d,,,,\n4,,,,,\n"
    )
    assert run.format == "table"
    assert given(run).values() == ["a", "b", "c|d"]
    assert (run.responses["1"].seconds, run.responses["1"].query) == (0.5, "ASK {}")
    assert run.responses["2"] == Response("2", "timeout", error="too slow")
    assert [run.responses[name].status for name in "34"] == ["failed", "empty"]


@pytest.mark.parametrize("text", ["1\ta\tb\n2\t\n", "1,a,b\n2,\n", '1;"a";b\n2;\n'])
def test_several_columns_without_header_are_several_answers(read: Read, text: str) -> None:
    run = read(text)
    assert (run.format, len(run.notes)) == ("table", 1)
    assert "columns 2 to 3 as several answers" in run.notes[0]
    assert given(run).values() == ["a", "b"]
    assert run.responses["2"].status == "empty"


@pytest.mark.parametrize("text", ["1\ta|b\n2\n", "1\ta\n1\tb\n2\t\n"])
def test_table_without_header(read: Read, text: str) -> None:
    run = read(text)
    assert (run.format, run.notes) == ("table", ())
    assert given(run).values() == ["a", "b"]
    assert run.responses["2"].status == "empty"


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("nr,modell\n1,Ulm\n2,Bonn\n", None),
        ("nr,frage,modell\n1,Who?,Ulm\n2,Who?,Bonn\n", None),
        (",one,two\n1,Ulm,Bonn\n2,Bonn,Kiel\n", None),
        ("key;said\na;Ulm\nb;Bonn\nc;Kiel\n", "abx"),
        ("asked;said\nWhat is a?;Ulm\nWhat is b?;Bonn\n", "ab"),
    ],
)
def test_unknown_names_of_columns_are_no_answer(
    message: Message, text: str, ids: str | None
) -> None:
    said = message(text, gold=gold(*ids) if ids else None)
    assert said.startswith(f"the columns '{text[:2].strip(',o')}")
    assert "call one 'id' (or 'question') and one 'answer'" in said


@pytest.mark.parametrize("text", ["a,Ulm\nb,Bonn\n", "x,Ulm\na,Bonn\nc,Ulm\nd,Ulm\n"])
def test_a_first_line_that_may_be_an_answer_is_one(read: Read, text: str) -> None:
    assert len(read(text, gold=gold("a", "b")).responses) == text.count("\n")


def test_ids_of_the_questions_with_other_texts_are_told(read: Read) -> None:
    def told(text: str) -> bool:
        rows = [{"id": name, "question": text, "answer": "Ulm"} for name in "xy"]
        notes = read(rows, gold=gold("x", "y")).notes
        return any("none has the text of its question there" in note for note in notes)

    assert told("Where is it?")
    assert not told("Answer briefly. What is x?")


def test_lines_have_numbers_or_the_ids_of_the_questions(read: Read) -> None:
    assert list(read("a, b\n\nc\n").responses) == ["1", "2", "3"]
    run = read("a, b\n\nc\n", gold=gold("x", "y", "z"))
    assert [(name, response.status) for name, response in run.responses.items()] == [
        ("x", "answered"),
        ("y", "empty"),
        ("z", "answered"),
    ]
    assert given(run, "x").texts == (("a, b",),)


def test_another_number_of_lines_is_refused(message: Message) -> None:
    said = message("a\nb\n", gold=gold("x", "y", "z"))
    assert said.startswith("has 2 lines, gold has 3 questions; ")


def test_records_in_several_languages(read: Read, message: Message) -> None:
    records = [{"id": 1, "language": tag, "answer": f"in {tag}"} for tag in ("en", "pt_BR")]
    assert given(read(records)).texts == (("in en",),)
    run = read(records, language="pt-BR")
    assert given(run).texts == (("in pt_BR",),)
    assert run.notes[0].endswith("1 of 2 answers are read, those in 'pt-BR'; there are also en")
    assert message(records, language="de").startswith("has answers in en, pt-BR, none in 'de'")


def test_records_keep_status_and_query(read: Read) -> None:
    run = read(
        [
            {"id": 1, "answers": ["a"], "sparql": "ASK {}"},
            {"id": 2, "answers": [], "status": "failed", "error": "HTTP 500"},
        ]
    )
    assert run.format == "records"
    assert run.responses["1"].query == "ASK {}"
    assert run.responses["2"] == Response("2", "failed", error="HTTP 500")


def test_every_form_has_words_for_it() -> None:
    assert all(reader.help for reader in RUN_READERS.values())


def test_unknown_format_is_a_wrong_call(refused: Refused) -> None:
    assert "choose one of qald-extended, qald-json" in refused(
        lambda: read_run("x", format="gold"), UsageError
    )


# --- run and gold


def test_keys_that_are_questions_are_joined_by_text(read: Read) -> None:
    run = read({"what is  b?": "B", "What is A?": "a", "What is c?": "c"}, gold=gold("A", "B"))
    assert list(run.responses) == ["B", "A", "What is c?"]
    assert run.notes[0].endswith(": 2 questions of 3 were found by their text")


def test_other_ids_are_joined_by_text(read: Read) -> None:
    records = [
        {"id": "A", "question": "What is B?", "answer": "b"},
        {"id": "B", "question": "What is A?", "answer": "a"},
    ]
    run = read(records, gold=gold("A", "B"))
    assert given(run, "A").texts == (("a",),)


def test_ids_that_agree_with_the_texts_stay(read: Read) -> None:
    records = [
        {"id": "A", "question": "what is a?", "answer": "a"},
        {"id": "B", "question": "Else?", "answer": "b"},
    ]
    run = read(records, gold=gold("A", "B"))
    assert (list(run.responses), run.notes) == (["A", "B"], ())


def test_no_id_in_common_is_refused(read: Read, refused: Refused) -> None:
    run = read({"q1": "a", "q2": "b"}, name="mine")
    said = refused(lambda: match_report(run, gold("1", "2", "3", "4")))
    assert said.startswith(
        "mine and gold have no id in common: the run has 'q1', 'q2',"
        " the gold questions have '1', '2', '3', ...; "
    )


def test_questions_of_one_side_are_counted(read: Read) -> None:
    notes = match_report(read({"1": "a", "8": "b", "9": "c"}, name="mine"), gold("0", "1", "2"))
    assert notes == [
        "mine has no record for 2 of 3 questions (first: 0); their status is 'not asked'",
        "2 questions of mine are not in gold (first: 8); what was answered there is not counted",
    ]


def test_a_run_of_another_set_that_shares_a_few_questions_is_named(read: Read) -> None:
    asked = gold(*map(str, range(10)))
    other = read({str(number): "a" for number in range(9, 19)}, name="mine")
    assert match_report(other, asked)[-1] == (
        "mine answers mostly other questions than those of gold; if that is the wrong set, give the"
        " questions that this system was asked"
    )
    whole = read({str(number): "a" for number in range(50)}, name="mine")
    assert len(match_report(whole, asked)) == 1  # a sample of what the system was asked


def test_same_questions_need_no_words(read: Read) -> None:
    assert match_report(read({"1": "a"}), gold("1")) == []


# --- damaged files


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty; a run is expected"),
        (" \n", "is empty; a run is expected"),
        ("[]", "is not a run in a known format"),
        ("{}", "holds no answer to any question"),
        ({"questions": []}, "holds no answer to any question"),
        (b"1\ta\x00b\n", "contains NUL bytes, so it is not a text file and not a run"),
        ("1\té\n".encode("utf-16")[:-1], "begins as UTF-16 but is damaged at byte 8"),
        ("0\ta\n1\té\n".encode("latin-1"),
            "line 2: byte 0xe9 is not UTF-8; convert the file first"),
        ('{"1": "a",\n "2": }', "invalid JSON at line 2, column 7: Expecting value"),
        ({"head": {}, "results": {"bindings": []}},
            "is not a run in a known format; it looks like a JSON object with the keys 'head'"),
        ({"1": {"foo": 2}},
            "is not a run in a known format; it looks like a JSON object with the keys '1'."
            " A table or JSON records need an id and an answer ('id', 'answers'); 'qaldgen"
            " list runs' has all"),
        ({"1": [{"a": 1}]}, "field '1' is a list; a string or a list of strings is expected"),
        ("<html><body>x</body></html>", "this is a web page, not a run"),
        ("<a/>", "is not a run in a known format; it looks like XML"),
        (qald(5), "question 1 (id 1): field 'answers[0]' is a number; an object is expected"),
        (qald([{"boolean": "perhaps"}]),
            "question 1 (id 1): field 'answers[0].boolean' is 'perhaps'; true or false"),
        (qald([{"results": {"bindings": {}}}]),
            "question 1 (id 1): field 'answers[0].results.bindings' is an object"),
        ({"questions": [{"id": [1]}]}, "question 1: field 'id' is a list"),
        ({"questions": [3]}, "question 1: is a number; an object is expected"),
        ([{"id": 1, "answer": "a", "seconds": -1}],
            "record 1 (id 1): field 'seconds' is '-1'; a number from 0 on"),
        ([{"id": 1, "answer": "a"}, {"answer": "b"}], "record 2: field 'id' is missing"),
        ("id,answer\n1,a,b\n", "record 1: line 2: has 3 cells, the header has 2"),
        ('1;"a\n2;b\n', "line 2: unexpected end of data; quotes inside cells must be"),
    ],
)  # fmt: skip
def test_damaged_file_is_refused(message: Message, content: object, said: str) -> None:
    assert message(content).startswith(said)


@pytest.mark.parametrize(
    ("answer", "status", "error"), [("a", "answered", "max_steps"), (None, "failed", "max_steps")]
)
def test_a_status_of_another_program_is_why_it_stopped(
    answer: str | None, status: str, error: str
) -> None:
    run = read_run([{"id": "1", "answer": answer, "status": "max_steps"}])
    assert (run.response("1").status, run.response("1").error) == (status, error)


def test_folder_is_refused(tmp_path: Path, refused: Refused) -> None:
    assert refused(lambda: read_run(tmp_path)).startswith(f"{tmp_path}: ")


def test_missing_file_is_refused(tmp_path: Path, refused: Refused) -> None:
    assert refused(lambda: read_run(tmp_path / "none")).startswith(f"{tmp_path / 'none'}: ")


@pytest.mark.parametrize(
    "form", ["1\t{}\n2\tb\n", '{{"1": "{}", "2": "b"}}', "id,answer\n1,{}\n2,b\n", "{}\nb\n"]
)
def test_very_long_answer(read: Read, form: str) -> None:
    answer = "x" * 1_600_000
    assert given(read(form.format(answer))).values() == [answer]


VALUES: list[object] = [
    None,
    True,
    0,
    -1.5,
    "",
    "x",
    A,
    [],
    {},
    [None],
    ["x", 1],
    {"x": None},
    [[]],
    {"value": "x"},
    "{}",
    {"boolean": 1},
]
NAMES = [
    *(
        "id",
        "question",
        "questions",
        "answers",
        "answer",
        "results",
        "bindings",
        "head",
        "vars",
        "boolean",
        "value",
        "type",
    ),
    *(
        "datatype",
        "query",
        "sparql",
        "language",
        "status",
        "seconds",
        "error",
        "entities",
        "relations",
        "rerankedlists",
    ),
    *("chunktext", "ertypes", "string", "SPARQL", "name", "metadata", "dataset"),
]


def anything(rng: random.Random, depth: int) -> object:
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(VALUES)
    if rng.random() < 0.4:
        return [anything(rng, depth - 1) for _ in range(rng.randint(0, 3))]
    return {rng.choice(NAMES): anything(rng, depth - 1) for _ in range(rng.randint(1, 4))}


def damaged(rng: random.Random, value: object) -> object:
    """Return a copy of a document with a few values of wrong types."""
    if rng.random() < 0.12:
        return anything(rng, 2)
    if isinstance(value, list):
        return [damaged(rng, item) for item in value]
    if isinstance(value, dict):
        return {name: damaged(rng, item) for name, item in value.items() if rng.random() > 0.05}
    return value


GOOD: list[object] = [
    qald(
        bindings({"type": "uri", "value": A}),
        question=[{"language": "en", "string": "Who?"}],
        query={"sparql": "ASK {}"},
    ),
    {
        "questions": [
            {
                "question": {
                    "id": 1,
                    "language": [{"question": "Who?", "SPARQL": "ASK {}"}],
                    "answers": {"boolean": True},
                }
            }
        ]
    },
    [
        {"id": 1, "question": "Who?", "answer": "a", "seconds": 1, "status": "answered"},
        {"id": 2, "answer": ["b"]},
    ],
    {"1": {"entities": [{"uri": A}], "relations": [["p", A]]}},
    {
        "1": {
            "rerankedlists": {"0": [[0.5, A]]},
            "chunktext": [{"chunk": "a"}],
            "ertypes": ["entity"],
        }
    },
    {"1": "a", "2": [1, "b"]},
]


def test_wrong_types_everywhere_are_errors_of_the_data(read: Read) -> None:
    rng = random.Random(11)
    outcomes = {True: 0, False: 0}
    for number in range(2000):
        document = damaged(rng, GOOD[number % len(GOOD)]) if number % 4 else anything(rng, 4)
        form = rng.choice([None, *RUN_READERS]) if number % 3 == 0 else None
        try:
            run = read(document, format=form, gold=gold("1", "2"))
        except DataError:
            outcomes[False] += 1
        else:
            outcomes[True] += 1
            assert all(response.id == name for name, response in run.responses.items())
    assert min(outcomes.values()) > 200


# --- published answers


@pytest.mark.parametrize(
    ("name", "answered", "queries"),
    [("GANSWER2", 304, 0), ("QAKIS", 363, 363), ("TeBaQA", 210, 210)],
)
def test_published_kbqa_answers(shared_data: Path, name: str, answered: int, queries: int) -> None:
    run = read_run(published(shared_data, f"kbqa-answers/qald-9-train/{name}.json"))
    assert (len(run.responses), run.notes) == (408, ())
    assert sum(response.status == "answered" for response in run.responses.values()) == answered
    assert sum(bool(response.query) for response in run.responses.values()) == queries


def test_published_mintaka_answers(shared_data: Path) -> None:
    run = read_run(published(shared_data, "mintaka/example_kg_predictions.json"))
    assert (run.format, len(run.responses)) == ("id-answer", 4000)
    assert sum(response.status == "empty" for response in run.responses.values()) == 67
    assert sum(given(run, name).boolean is not None for name in run.responses) == 573


def test_published_llm_answers_are_found_by_text(shared_data: Path) -> None:
    path = published(shared_data, "llm-answers/qald-9/flan-t5-xxl.json")
    questions = read_questions(published(shared_data, "qald/qald-9-train-multilingual.json"))
    run = read_run(path, gold=questions)
    assert len(run.responses.keys() & {question.id for question in questions.questions}) == 407
    by_id = read_questions(published(shared_data, "llm-answers/qald-9/questions.json"))
    assert len(read_run(path, gold=by_id, language="hi_IN").responses) == 554


def published(shared_data: Path, name: str) -> Path:
    path = shared_data / name
    if not path.is_file():
        pytest.skip(
            f"the published answers are not at {path}; set QALDGEN_TEST_DATA to their folder"
        )
    return path


@pytest.mark.parametrize(
    "names",
    [
        ("ID", "prediction_text"), ("question_id", "Prediction"), ("qid", "model_output"),
        ("Example-ID", "generated text"),
        ("_id", "completion"), ("uid", "final_answer"), ("custom_id", "Response"),
        ("idx", "hypothesis"), ("Id", "answerText"),
    ],
)  # fmt: skip
def test_usual_names_of_fields_in_any_case(read: Read, names: tuple[str, str]) -> None:
    rows = [{names[0]: "1", names[1]: "Ulm"}, {names[0]: "2", names[1]: "Bonn"}]
    table = "\n".join([",".join(names), "1,Ulm", "2,Bonn"])
    for content in (rows, table):
        run = read(content, gold=gold("1", "2"))
        assert [given(run, name) for name in "12"] == [
            Answers(texts=(("Ulm",),)),
            Answers(texts=(("Bonn",),)),
        ]


@pytest.mark.parametrize("nothing", [None, [], "absent"])
def test_the_gold_answer_is_never_taken_for_a_prediction_that_is_missing(
    read: Read, nothing: object
) -> None:
    missing = {} if nothing == "absent" else {"prediction": nothing}
    run = read(
        [
            {"id": "1", "answer": "Bonn", "prediction": "Ulm"},
            {"id": "2", "answer": "Rome", **missing},
            {"id": "3", "answers": ["Paris"], **missing},
        ]
    )
    assert [run.response(name).status for name in "123"] == ["answered", "empty", "empty"]


def test_an_answer_beside_a_prediction_is_the_gold_answer(read: Read) -> None:
    run = read([{"id": "1", "answer": "Bonn", "prediction": "Ulm"}])
    assert given(run) == Answers(texts=(("Ulm",),))
    assert any("'answer' is taken for the gold answer" in note for note in run.notes)


@pytest.mark.parametrize("name", ["answer", "prediction"])
def test_records_called_questions_are_qald_json_only_without_other_answers(
    read: Read, name: str
) -> None:
    run = read({"questions": [{"id": "1", "question": "Where?", name: "Ulm"}, {"id": "2"}]})
    assert (run.format, given(run, "1")) == ("records", Answers(texts=(("Ulm",),)))
    bare = read({"questions": [{"id": "1", "question": [], "query": {}, "answertype": "date"}]})
    assert (bare.format, bare.responses["1"].status) == ("qald-json", "empty")
    answered = {"id": "3", "answers": [{"head": {}, "boolean": True}]}
    mixed = read({"questions": [{"id": "1", name: "Ulm"}, answered]})
    assert (mixed.format, given(mixed, "3")) == ("qald-json", Answers(boolean=True))


def test_a_bare_list_is_in_the_order_of_the_questions(read: Read) -> None:
    run = read(["Ulm", None, True, ["Trier", "Köln"]], gold=gold("a", "b", "c", "d"))
    assert [run.responses[name].status for name in "abcd"] == [
        "answered",
        "empty",
        "answered",
        "answered",
    ]
    assert given(run, "a") == Answers(texts=(("Ulm",),))
    assert given(run, "c") == Answers(boolean=True)
    assert given(run, "d") == Answers(texts=(("Trier",), ("Köln",)))
    assert any("in the order of the questions" in note for note in run.notes)


def test_a_bare_list_of_another_length_is_refused(message: Message) -> None:
    assert "in a list: null" in message(["Ulm", "Bonn"], gold=gold("1", "2", "3"))


def test_answers_all_in_another_language_are_named(read: Read) -> None:
    run = read([{"id": "1", "answer": "Rom", "language": "de"}], language="en")
    assert any("in 'de', and are compared in 'en'; `language='de'`" in note for note in run.notes)
    assert not read([{"id": "1", "answer": "Rom", "language": "de-AT"}], language="de").notes


@pytest.mark.parametrize(
    "reply",
    [
        {"choices": [{"message": {"role": "assistant", "content": "Ulm"}}]},
        {"choices": [{"text": "Ulm"}]},
        {"choices": [{"message": "Ulm"}]},
        {"role": "assistant", "content": "Ulm"},
        {"content": [{"type": "text", "text": "Ulm"}]},
        {"status_code": 200, "body": {"choices": [{"message": {"content": "Ulm"}}]}},
    ],
)
def test_replies_of_chat_services(read: Read, reply: dict[str, object]) -> None:
    assert given(read([{"custom_id": "1", "response": reply}])) == Answers(texts=(("Ulm",),))


def test_a_role_that_is_no_text_is_not_one_of_a_chat(read: Read) -> None:
    record = {"id": "1", "answer": "Ulm", "content": "a passage", "role": ["cook", "writer"]}
    assert given(read([record])) == Answers(texts=(("Ulm",),))


def test_a_number_of_results_beside_the_records_is_no_result_of_a_query(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"results": 3, "note": {"a": {"b": 1}}}), encoding="utf-8")
    with pytest.raises(DataError, match="is not a run in a known format"):
        qg.read_run(path)


def test_runs_are_named_by_their_files_as_briefly_as_differs(tmp_path: Path) -> None:
    paths = [tmp_path / folder / f"{name}.csv" for folder in "ab" for name in ("one", "two")]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_text("id,answer\n1,Ada\n", encoding="utf-8")
    asked = QuestionSet("asked", "table", (Question("1", {"en": ("Who?",)}),))
    assert [run.name for run in read_runs(paths[:2], asked)] == ["one", "two"]
    assert [run.name for run in read_runs(paths, asked)] == ["a/one", "a/two", "b/one", "b/two"]
    with pytest.raises(UsageError, match="is given twice"):
        read_runs([paths[0], paths[0]], asked)


LONG_GOLD = QuestionSet("gold", "table", tuple(
    Question(name, {"en": (f"Who is {name}?",)}, answers=Answers(texts=((text,),)))
    for name, text in (("x1", "Ann"), ("x2", "Bo"))
))  # fmt: skip


@pytest.mark.parametrize("key", ["id", "Frage-ID"])
@pytest.mark.parametrize(("column", "values"), [
    ("tool", ("first", "second")), ("prompt_style", ("short", "long")),
    ("temperature", ("0.0", "0.7")), ("Modell", ("first", "second")),
])  # fmt: skip
def test_rows_that_differ_in_a_column_each_question_has_are_of_several_systems(
    tmp_path: Path, key: str, column: str, values: tuple[str, str]
) -> None:
    path = tmp_path / "long.csv"
    rows = [f"x1,{values[0]},Ann", f"x1,{values[1]},Cy", f"x2,{values[0]},Di", f"x2,{values[1]},Bo"]
    path.write_text("\n".join([f"{key},{column},answer", *rows]))
    found = qg.evaluate(LONG_GOLD, [path])
    assert {run.name: run["macro-f1"] for run in found} == dict.fromkeys(values, 0.5)


def test_a_question_with_very_many_answers_in_rows_of_their_own_is_read_at_once(
    tmp_path: Path,
) -> None:
    path = tmp_path / "run.csv"
    rows = [f"1,http://x.org/a{at}\n" for at in range(8_000)]
    path.write_text("".join(["id,answer\n", *rows, "2,http://x.org/b\n"]), encoding="utf-8")
    start = time.process_time()
    answers = read_run(path).responses["1"].answers
    assert answers is not None and len(answers.rows) == 8_000
    assert time.process_time() - start < 5


def test_rows_that_number_the_parts_of_an_answer_stay_one_answer(tmp_path: Path) -> None:
    path = tmp_path / "parts.csv"
    for first, size in ((1, 2), (0, 2), (1, 12)):
        rows = [f"{name},{first + at},A{at}" for name in ("x1", "x2") for at in range(size)]
        path.write_text("\n".join(["id,part,answer", *rows]))
        assert list(read_run(path, gold=LONG_GOLD).responses) == ["x1", "x2"]


@pytest.mark.parametrize("key", ["prediction", "completion", "generated_text", "answer"])
def test_records_without_ids_are_in_the_order_of_the_questions(tmp_path: Path, key: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(f'{{"{key}": "Ann", "length": 3}}\n{{"{key}": "Cy", "length": 2}}\n')
    scores = qg.score(LONG_GOLD, path)
    assert scores.counts["f1"].to_list() == [1.0, 0.0]
    assert any("in the order of the questions" in note for note in scores.notes)
    path.write_text(f'{{"{key}": "Ann"}}\n{{"{key}": "Cy"}}\n{{"{key}": "Di"}}\n')
    with pytest.raises(qg.DataError, match="has 3 lines, gold has 2 questions"):
        qg.score(LONG_GOLD, path)
