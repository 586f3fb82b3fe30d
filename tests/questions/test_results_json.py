"""Answers as JSON keep what GERBIL made of them, and the words beside them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode

from qaldgen.answers.journal import open_journal, read_journal
from qaldgen.answers.record import Response
from qaldgen.errors import DataError
from qaldgen.features.r1_compat import answer_string
from qaldgen.io.csv_cells import dump_csv
from qaldgen.model import Answers, Cell, Question, WrittenCell
from qaldgen.questions.gerbil import answer_strings
from qaldgen.questions.rdf_questions import local_names, parse_answers, read_question
from qaldgen.questions.reading import read_questions
from qaldgen.questions.records import Fields
from qaldgen.questions.results_json import (
    answers_json,
    as_literals,
    read_answers,
    read_answers_json,
    with_wordings,
)
from qaldgen.questions.values import results_in_value
from qaldgen.questions.writing import dump_qald, dump_records, left_out_of_table, plain_record
from qaldgen.rdf.terms import LSQ, QALDGEN, XSD
from qaldgen.reports.tables.results import dump_frame

Refused = Callable[..., str]
A = Cell("uri", "http://x.org/A")
DATE = Cell("literal", "2012-1-1", XSD + "date")
FIRST = WrittenCell.of(DATE, {"type": "literal", "datatype": DATE.datatype, "value": DATE.value})
MOONS = Answers(texts=(("Phobos", "Mars I"), ("Deimos",)))


# --- what GERBIL makes of them ------------------------------------------------------------------


def test_a_date_whose_datatype_stood_first_is_written_like_that() -> None:
    made = answers_json(Answers(variables=("x",), rows=((FIRST,),)))
    assert (
        json.dumps(made["results"])
        == f'{{"bindings": [{{"x": {{"type": "literal", "datatype": "{XSD}date", "value":'
        ' "2012-1-1"}}]}'
    )
    assert answer_strings(read_answers(made)) == ["2012-01-01"]


def test_the_first_variable_keeps_what_gerbil_makes_of_it() -> None:
    both = Answers(variables=("x", "y"), rows=((FIRST, A), (A, FIRST)))
    assert answer_strings(both.first_variable()) == ["2012-01-01", "http://x.org/A"]


def write(path: Path, answers: Answers) -> None:
    with open_journal(path) as journal:
        journal.add(Response("1", "answered", answers))


@pytest.mark.parametrize(
    "answers", [Answers(variables=("x",), rows=((FIRST,),)), Answers(boolean=True, beside=(FIRST,))]
)
def test_a_journal_keeps_what_gerbil_makes_of_an_answer(answers: Answers, tmp_path: Path) -> None:
    write(tmp_path / "run.jsonl", answers)
    found = read_journal(tmp_path / "run.jsonl").responses["1"].answers
    assert (found, answer_strings(found)) == (answers, answer_strings(answers))


def test_a_journal_keeps_a_boolean_beside_words(tmp_path: Path) -> None:
    answers = Answers(boolean=True, texts=(("Yes, it is.",),))
    write(tmp_path / "run.jsonl", answers)
    assert read_journal(tmp_path / "run.jsonl").responses["1"].answers == answers


# --- words --------------------------------------------------------------------------------------


def test_words_that_are_no_answers_are_refused() -> None:
    with pytest.raises(ValueError, match="Ceres"):
        with_wordings(as_literals(MOONS), [["Ceres", "1 Ceres"]])


def test_a_literal_with_a_language_is_no_word() -> None:
    with pytest.raises(ValueError, match="Phobos"):
        with_wordings(
            Answers(variables=("x",), rows=((Cell("literal", "Phobos", "", "en"),),)), [["Phobos"]]
        )


def test_words_stand_in_a_variable_of_their_own() -> None:
    found = as_literals(Answers(variables=("answer",), rows=((A,),), texts=MOONS.texts))
    assert found.variables == ("answer", "answer2")
    assert found.rows == (
        (A, None),
        (None, Cell("literal", "Phobos")),
        (None, Cell("literal", "Deimos")),
    )


def test_qald_json_whose_answers_were_changed_is_refused(tmp_path: Path, refused: Refused) -> None:
    text = dump_qald([Question("7", {"en": ("Which moons?",)}, answers=MOONS)], "set").decode()
    (tmp_path / "set.json").write_text(
        text.replace('"value": "Phobos"', '"value": "Ceres"'), encoding="utf-8"
    )
    message = refused(lambda: read_questions(tmp_path / "set.json"))
    assert (
        "(id 7): field 'answer_wordings' has 'Phobos', which is not an answer of the question"
        in message
    )


def test_qald_json_whose_query_was_changed_has_the_new_one(tmp_path: Path) -> None:
    queries = {"wikidata": "ASK { wd:Q1 ?p 1 }", "dbpedia": "ASK { dbr:A ?p 1 }"}
    text = dump_qald([Question("7", {"en": ("Is it?",)}, queries=queries)], "set").decode()
    (tmp_path / "set.json").write_text(text, encoding="utf-8")
    assert dict(read_questions(tmp_path / "set.json").questions[0].queries) == queries
    (tmp_path / "set.json").write_text(
        text.replace("wd:Q1 ?p 1", "wd:Q1 ?p 2", 1), encoding="utf-8"
    )
    assert dict(read_questions(tmp_path / "set.json").questions[0].queries) == {
        "wikidata": "ASK { wd:Q1 ?p 2 }"
    }


def test_the_published_answer_string_has_the_words() -> None:
    assert parse_answers(answer_string(as_literals(MOONS))).values() == ["Phobos", "Deimos"]


# --- what does not read -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"boolean": "maybe"}',
        '{"head": {}, "results": {}}',
        '{"texts": [1]}',
        '{"texts": 1}',
    ],
)
def test_what_is_no_answer_is_refused(text: str) -> None:
    with pytest.raises(DataError, match="not SPARQL results JSON"):
        read_answers_json(text)


@pytest.mark.parametrize("text", ["{Phobos}", '{"moons": 2}', "Phobos", "[1]", ""])
def test_text_that_only_looks_like_json_stays_text(text: str) -> None:
    assert results_in_value(text, Fields({"answers": text}, ("here",)), "answers") is None


def test_broken_answers_in_a_table_are_named(tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "set.csv").write_text(
        'id,text,answers\n7,Who?,"{""results"": {""bindings"": 1}}"\n', encoding="utf-8"
    )
    message = refused(lambda: read_questions(tmp_path / "set.csv"))
    assert "record 1 (id 7): " in message
    assert "bindings" in message


# --- tables -------------------------------------------------------------------------------------


def test_the_text_is_the_one_in_the_language_asked_for() -> None:
    question = Question("1", {"en": ("Moon",), "de": ("Moon", "Mond"), "fr": ("Lune",)})
    found = [plain_record(question, tag, "csv") for tag in ("de", "fr", "xx")]
    assert [(row["language"], row["text"]) for row in found] == [
        ("de", "Moon"),
        ("fr", "Lune"),
        ("en", "Moon"),
    ]
    assert [
        note.partition(": ")[2].partition(" are")[0]
        for note in left_out_of_table([question], "de", "csv")
    ] == ["texts in other languages of 1 of 1 questions", "paraphrases of 1 of 1 questions"]


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_cells_with_line_ends_of_any_kind_are_quoted(end: str) -> None:
    rows = [["a", f"b{end}c"], [f"e{end}", "d"]]
    assert (
        list(csv.reader(io.StringIO(dump_csv(rows[0], rows[1:]), newline=""), strict=True)) == rows
    )


def test_tables_of_results_quote_line_ends_too() -> None:
    import pandas as pd

    frame = pd.DataFrame({"id": ["007", "NA"], "text": ["a\rb", "c"], "f1": [0.1, None]})
    read = pd.read_csv(
        io.StringIO(dump_frame(frame, "csv")), dtype=str, keep_default_na=False, lineterminator="\n"
    )
    assert read.to_numpy().tolist() == [["007", "a\rb", "0.1"], ["NA", "c", ""]]


# --- RDF ----------------------------------------------------------------------------------------


def test_the_main_wording_does_not_depend_on_the_order_of_the_triples() -> None:
    iri = NamedNode("http://x.org/1")
    triples = [
        (iri, NamedNode(QALDGEN + "alternativeText"), Literal("Another one?", language="en")),
        (iri, NamedNode(QALDGEN + "text"), Literal("Who?", language="en")),
        (iri, NamedNode(QALDGEN + "text"), Literal("Wer?", language="de")),
    ]
    for given in (triples, triples[::-1]):
        assert read_question(iri.value, "1", given).texts == {
            "en": ("Who?", "Another one?"),
            "de": ("Wer?",),
        }


def test_two_queries_of_one_graph_are_both_kept() -> None:
    iri = NamedNode("http://x.org/1")
    triples = [(iri, NamedNode(LSQ + "text"), Literal("ASK {}"))]
    triples += [
        (iri, NamedNode(QALDGEN + "alternativeQuery"), Literal(f"ASK {{ ?s ?p {n} }}"))
        for n in (1, 2)
    ]
    found = read_question(iri.value, "1", triples).queries
    assert dict(found) == {"": "ASK {}", "#2": "ASK { ?s ?p 1 }", "#3": "ASK { ?s ?p 2 }"}


def test_ids_are_decoded_unless_they_are_no_utf_8() -> None:
    assert local_names(["http://x.org/a%20b", "http://x.org/%E4", "http://x.org/%"]) == [
        "a b",
        "%E4",
        "%",
    ]


def test_ids_that_are_equal_when_decoded_are_iris() -> None:
    assert local_names(["http://x.org/a%20b", "http://x.org/a b"]) == [
        "http://x.org/a%20b",
        "http://x.org/a b",
    ]


def test_csv_does_not_hold_a_nul_character(refused: Refused) -> None:
    question = Question("1", {"en": ("Who?",)}, answers=Answers(texts=(("a\x00b",),)))
    assert json.loads(str(plain_record(question, "en", "csv")["answers"]))["texts"] == [["a\x00b"]]
    assert "NUL character" in refused(lambda: dump_records([{"text": "a\x00b"}], "csv"))


def test_a_table_tells_of_questions_without_text() -> None:
    assert left_out_of_table(
        [Question("1", {}), Question("2", {"en": ("Who?",)})], "en", "csv"
    ) == ["1 of 2 questions have no text in the data; a reader of .csv skips them"]


def test_the_header_of_a_table_has_one_line(tmp_path: Path) -> None:
    (tmp_path / "set.csv").write_bytes(
        dump_records([{"id": "7", "text": "Who?", "feature:kind=a\tb\nc\rd": 1}], "csv")
    )
    assert read_questions(tmp_path / "set.csv").questions[0].texts == {"en": ("Who?",)}
