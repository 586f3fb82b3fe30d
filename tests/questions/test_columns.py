"""Tables and JSON records of any origin.

The usual names of columns are understood, and every other column is named.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from format_files import needs_yaml

import qaldgen as qg
from qaldgen.cli.main import cli
from qaldgen.errors import UnknownFormat, UsageError
from qaldgen.model import Answers, Cell, Question, QuestionSet
from qaldgen.questions.collecting import ReadOptions
from qaldgen.questions.file_content import load_content
from qaldgen.questions.listed_answers import listed_answers
from qaldgen.questions.reading import read_questions

Read = Callable[..., QuestionSet]
Refused = Callable[..., str]
SPARQL = "SELECT ?x { ?x a <http://x.org/Lamp> }"


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Return what reads a text, or JSON Lines of several objects."""

    def read(*content: str | dict[str, object], name: str = "set", **options: str) -> QuestionSet:
        path = tmp_path / name
        lines = [
            part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)
            for part in content
        ]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return read_questions(path, ReadOptions(**options))  # type: ignore[arg-type]

    return read


def words(*answers: str | tuple[str, ...]) -> Answers:
    return Answers(texts=tuple((one,) if isinstance(one, str) else one for one in answers))


def iris(*values: str, variable: str = "answer") -> Answers:
    return Answers(variables=(variable,), rows=tuple((Cell("uri", value),) for value in values))


# --- names of columns


@pytest.mark.parametrize("name", [
    "question", "Question", "QUESTION", "text", "question_text", "Question Text", "questionText",
    "qText", "utterance", "natural-language question", "NL_Question", "query", "q", "prompt",
    "input", "problem", "instruction",
])  # fmt: skip
def test_question_has_many_names(read: Read, name: str) -> None:
    found = read(f"{name},answer", "Who lit it?,Ann")
    assert found.questions[0].texts == {"en": ("Who lit it?",)}
    assert found.questions[0].answers == words("Ann")


@pytest.mark.parametrize("name", [
    "answer", "Answer", "answers", "gold", "gold_answer", "goldAnswers", "target", "label",
    "reference", "References", "output", "ideal", "expected", "expected output", "correct_answer",
    "best_answer", "Correct Answer", "ground_truth", "final_answer",
])  # fmt: skip
@pytest.mark.parametrize("as_json", [True, False])
def test_gold_has_many_names(read: Read, name: str, as_json: bool) -> None:
    found = (
        read({"question": "Who lit it?", name: "Ann"})
        if as_json
        else read(f"question,{name}", "Who lit it?,Ann")
    )
    assert found.questions[0].answers == words("Ann")
    assert found.questions[0].metadata == {}


@pytest.mark.parametrize(
    "name",
    [
        "sparql",
        "SPARQL",
        "sparql_query",
        "sparqlQuery",
        "query",
        "gold_query",
        "logical form",
        "output",
    ],
)
def test_query_has_many_names(read: Read, name: str) -> None:
    found = read(f"question,{name}", f"Who?,{SPARQL}")
    assert (found.questions[0].sparql, found.questions[0].answers) == (SPARQL, None)


@pytest.mark.parametrize(
    "name", ["id", "ID", "_id", "uid", "qid", "qId", "question_id", "QuestionId", "example_id"]
)
def test_id_has_many_names(read: Read, name: str) -> None:
    assert read(f"{name},question", "x7,Who?").questions[0].id == "x7"


@pytest.mark.parametrize(("columns", "row", "texts"), [
    ("question_en,question_de", "Who?,Wer?", {"en": ("Who?",), "de": ("Wer?",)}),
    ("id,text-pt_BR", "1,Quem?", {"pt-BR": ("Quem?",)}),
    ("question,paraphrased_question", "Who?,Which one?", {"en": ("Who?", "Which one?")}),
    ("question_id,question", "5,Who?", {"en": ("Who?",)}),
])  # fmt: skip
def test_wordings_in_columns_of_their_own(
    read: Read, columns: str, row: str, texts: dict[str, tuple[str, ...]]
) -> None:
    assert read(columns, row).questions[0].texts == texts


@pytest.mark.parametrize(("value", "texts"), [
    ({"string": "Who?"}, {"en": ("Who?",)}),
    ({"stem": "Who?", "choices": ["a", "b"]}, {"en": ("Who?",)}),
    ({"en": "Who?", "pl": ["Kto?", "Kto to?"]}, {"en": ("Who?",), "pl": ("Kto?", "Kto to?")}),
    ([{"language": "de", "string": "Wer?"}, {"language": "en", "string": None}], {"de": ("Wer?",)}),
    (["Who?", "Which one?"], {"en": ("Who?", "Which one?")}),
    ([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who?"}],
        {"en": ("Who?",)}),
])  # fmt: skip
def test_question_may_be_an_object_or_a_list(
    read: Read, value: object, texts: dict[str, tuple[str, ...]]
) -> None:
    rows = [{"id": str(n), "question": value, "sparql": SPARQL} for n in range(2)]
    assert read(*rows).questions[0].texts == texts


# --- ambiguous columns


def test_query_is_the_question_where_it_is_no_sparql(read: Read) -> None:
    found = read({"query": "Who lit it?", "answer": "Ann"})
    assert (found.questions[0].text(), found.questions[0].queries) == ("Who lit it?", {})


def test_query_in_another_language_than_sparql_is_named_and_no_query(read: Read) -> None:
    found = read({"question": "Who?", "query": "SELECT name FROM keepers"})
    assert (found.questions[0].queries, found.questions[0].metadata) == (
        {},
        {"query": "SELECT name FROM keepers"},
    )
    assert found.notes == ("features under their own names: 'query'",)


def test_answer_that_is_sparql_is_the_query(read: Read) -> None:
    found = read({"question": "Who?", "answer": SPARQL})
    assert (found.questions[0].sparql, found.questions[0].answers) == (SPARQL, None)


def test_instruction_that_is_always_the_same_is_not_the_question(read: Read) -> None:
    rows = [
        {"instruction": "Write SPARQL.", "input": text, "output": SPARQL}
        for text in ("Who lit it?", "Who saw it?")
    ]
    assert [one.text() for one in read(*rows).questions] == ["Who lit it?", "Who saw it?"]


def test_question_comes_before_text(read: Read) -> None:
    found = read({"question": "Who?", "text": "Ann lit the lamp."})
    assert (found.questions[0].texts, found.questions[0].metadata) == (
        {"en": ("Who?",)},
        {"text": "Ann lit the lamp."},
    )


def test_text_stands_in_for_a_question_that_is_not_there(read: Read) -> None:
    found = read({"id": 1, "text": "Who?"}, {"id": 2, "question": "Where?"})
    assert [one.text() for one in found.questions] == ["Who?", "Where?"]


def test_answers_come_before_answer_and_the_other_is_named(read: Read) -> None:
    found = read({"question": "Who?", "answer": "Ann or Bea", "answers": ["Ann", "Bea"]})
    assert found.questions[0].answers == words("Ann", "Bea")
    assert found.notes == ("features under their own names: 'answer'",)


@pytest.mark.parametrize(
    "name", ["ground_truth", "reference", "expected", "gold", "correct_answer"]
)
def test_column_that_says_it_is_gold_comes_before_answer(read: Read, name: str) -> None:
    found = read(f"question,answer,{name}", "Who?,It was Bea.,Ann")
    assert (found.questions[0].answers, found.questions[0].metadata) == (
        words("Ann"),
        {"answer": "It was Bea."},
    )


def test_two_columns_that_say_the_same_need_no_note(read: Read) -> None:
    assert read("question,answer,answers", "Who?,Ann,Ann", "Where?,Oslo,Oslo").notes == ()


def test_wrong_answers_are_never_gold(read: Read) -> None:
    rows = (
        "Question,Best Answer,Correct Answers,Incorrect Answers",
        "Is it so?,No,No; Not at all,Yes; Of course",
    )
    found = read(*rows).questions[0]
    assert found.answers == words(("No", "Not at all"))
    assert found.metadata == {"Incorrect Answers": "Yes; Of course"}
    assert (
        read({"question": "Who?", "incorrect_answers": ["Bea"], "distractor1": "Cy"})
        .questions[0]
        .answers
        is None
    )


def test_general_names_alone_show_no_question_set(read: Read, refused: Refused) -> None:
    assert "not a question set in a known format" in refused(
        lambda: read("input,height", "a,1"), UnknownFormat
    )


def test_predictions_are_no_question_set(read: Read, refused: Refused) -> None:
    assert "not a question set in a known format" in refused(
        lambda: read({"id": 1, "question": "Who?", "prediction": "Ann"}), UnknownFormat
    )
    assert "not a question set in a known format" in refused(
        lambda: read("id,question,prediction", "1,Who?,Ann"), UnknownFormat
    )


# --- what is said


def test_columns_that_are_not_understood_are_named(read: Read) -> None:
    found = read(
        {
            "question": "Who?",
            "level": "hard",
            "passage": "x" * 2000,
            "graph": [{"a": 1}],
            "gold": "Ann",
        }
    )
    assert found.notes == (
        "reads the gold answers from 'gold'",
        "features under their own names: 'level'",
        "not read, because they contain objects or long texts: 'graph', 'passage'",
    )
    assert found.questions[0].metadata == {"level": "hard"}


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("prediction", "answers of systems"),
        ("llama_answer", "what may be answers of systems"),  # or those of an annotator
    ],
)
def test_a_note_says_how_surely_a_column_is_of_a_system(read: Read, name: str, part: str) -> None:
    found = read(
        {"question": "Who lit it?", "gold": "Ann", name: "Ann"},
        {"question": "Where is it?", "gold": "Ulm", name: "Bonn"},
    )
    assert found.notes == (f"reads the gold answers from 'gold', {part} from {name!r}",)


def test_column_with_a_name_of_ours_does_not_leave_questions_out(read: Read) -> None:
    found = read(
        {"question": "Who?", "outOfScope": "false"}, {"question": "Where?", "outOfScope": "no"}
    )
    assert len(found.questions) == 2


def test_plain_form_needs_no_notes(read: Read) -> None:
    assert read("id,question,language,answers,split", "1,Who?,en,Ann,test").notes == ()


def test_fields_of_a_known_data_set_that_are_not_read_are_named(read: Read) -> None:
    found = read(
        {"_id": "1", "corrected_question": "Who?", "sparql_query": "ASK {}", "trace": {"a": 1}}
    )
    assert (found.format, found.notes) == (
        "lc-quad",
        ("not read, because they contain objects or long texts: 'trace'",),
    )


def test_answer_types_that_are_none_of_ours_are_named_and_kept(read: Read) -> None:
    found = read(
        "question,answer_type", "Who?,planet", "Where?,place", "When?,date", "What?,planet"
    )
    assert [one.answer_type for one in found.questions] == ["", "", "date", ""]
    assert found.questions[0].metadata == {"answer_type": "planet"}
    assert found.notes == (
        (
            "3 answer types are not one of resource, string, number, date and boolean, such as "
            "'planet' (2); they are kept as metadata"
        ),
    )


def test_unknown_columns_are_told_what_to_be_called(read: Read, refused: Refused) -> None:
    message = refused(lambda: read("nr;Galdera", "1;Wer?"), UnknownFormat)
    assert "name the columns 'question' and 'answers'" in message


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("Sorszám;Kérdés;Helyes válasz", "hu"),
        ("Nummer;Fråga;Facit", "sv"),
        ("Tunniste;Kysymys;Oikea vastaus", "fi"),
        ("Номер;Питання;Правильна відповідь", "uk"),
        ("číslo;otázka;správná odpověď", "cs"),
        ("número;pregunta;respuesta correcta", "es"),
        ("id;pregunta;respuesta_real", "es"),
        ("id;pytanie;prawidlowa_odpowiedz", "pl"),
        ("id;प्रश्न;सही उत्तर", "hi"),
    ],
)
def test_headers_in_other_languages_are_known(read: Read, header: str, language: str) -> None:
    found = read(header, "7;Galdera?;Ann", "8;Zer?;Bea")
    assert [(one.id, one.text(language)) for one in found.questions] == [
        ("7", "Galdera?"),
        ("8", "Zer?"),
    ]
    assert [one.answers for one in found.questions] == [words("Ann"), words("Bea")]


def test_a_column_of_an_unknown_name_with_questions_is_the_question(read: Read) -> None:
    found = read("asked,answer", "Who lit it?,Ann", "Who saw it?,Bea")
    assert [one.text() for one in found.questions] == ["Who lit it?", "Who saw it?"]
    assert [one.answers for one in found.questions] == [words("Ann"), words("Bea")]


def test_numbers_of_rows_are_ids_if_each_belongs_to_one_question(read: Read) -> None:
    found = read("No,question,answer", "7,Who lit it?,Ann", "9,Who saw it?,Bea")
    assert [one.id for one in found.questions] == ["7", "9"]
    found = read("number,question,answer", "7,Who lit it?,Ann", "7,Who saw it?,Bea")
    assert [one.id for one in found.questions] == ["1", "2"]


def test_numbered_columns_of_names_say_how_they_would_be_answers(read: Read) -> None:
    found = read("question,answer 1,answer 2", "Who lit it?,Ann,Bea", "Who saw it?,Cid,")
    assert found.notes[1].startswith("if 'answer 2' holds answers of its own")


@pytest.mark.parametrize("header", ["No,question,answer", "id,question,answer"])
def test_rows_below_belong_to_the_question_above(read: Read, header: str) -> None:
    found = read(header, "7,Who lit it?,Ann", ",,Bea", "9,Who saw it?,Cid", ",,")
    assert [(one.id, one.answers) for one in found.questions] == [
        ("7", words("Ann", "Bea")),
        ("9", words("Cid")),
    ]
    assert "1 row without an id or a question has those of the row above" in found.notes


def test_last_row_with_a_label_in_place_of_a_question_is_a_total(read: Read) -> None:
    found = read("Shelf,question,answer", "7,Who lit it?,Ann", "9,Who saw it?,Cid", "Hits,,2")
    assert [one.answers for one in found.questions] == [words("Ann"), words("Cid")]
    assert "not read: the last row, 'Hits', which has no id and no question" in found.notes
    # a topic that is repeated is none
    found = read("Shelf,question,answer", "7,Who lit it?,Ann", "9,Who saw it?,Cid", "9,,Bo")
    assert [one.answers for one in found.questions] == [words("Ann"), words("Cid", "Bo")]


def test_labels_beside_the_iris_of_answers_are_their_names(read: Read) -> None:
    found = read(
        "id,question,answer_uri,answer_label",
        "1,Who?,http://x.org/Q1,Ann",
        "2,Who?,http://x.org/Q2,Cid",
    )
    assert [one.gold.values() for one in found.questions] == [
        ["http://x.org/Q1"],
        ["http://x.org/Q2"],
    ]
    assert found.questions[1].names == {"http://x.org/Q2": ("Cid",)}


def test_rows_that_repeat_the_question_above_are_its_further_answers(read: Read) -> None:
    lines = ["Who lit it?,Ann", "Who lit it?,Bea", "Who saw it?,Cid", "Who lit it?,Dan"]
    found = read("question,answer", *lines)
    assert [(one.id, one.answers) for one in found.questions] == [
        ("1", words("Ann", "Bea")),
        ("2", words("Cid")),
        ("3", words("Dan")),
    ]


# --- answers


@pytest.mark.parametrize(("cell", "answers"), [
    ("Ann|Bea", words("Ann", "Bea")),
    (r"the \| bar", words("the | bar")),
    ("['Ann', 'Bea']", words("Ann", "Bea")),
    ('["Ann", "Bea"]', words("Ann", "Bea")),
    ("['Ann' 'Bea']", words("Ann", "Bea")),
    ("array(['Ann'], dtype=object)", words("Ann")),
    ("[['Ann', 'Anne'], ['Bea']]", words(("Ann", "Anne"), "Bea")),
    ("[Ann]", words("[Ann]")),
    ("[1, 2.50]", words("1", "2.5")),
    ("Ann; Bea", words("Ann", "Bea")), ("A&amp;B", words("A&amp;B")),
    ("It is Ann; the lamp was lit by her.", words("It is Ann; the lamp was lit by her.")),
    ("Ann, Bea", words("Ann, Bea")),
    ("true", Answers(boolean=True)),
    ("[]", Answers()),
    ("", None),
    ("http://x.org/a|http://x.org/b", iris("http://x.org/a", "http://x.org/b")),
    ("<http://x.org/a>", iris("http://x.org/a")),
    ("Q64|Q65", iris("http://www.wikidata.org/entity/Q64", "http://www.wikidata.org/entity/Q65")),
    ("wd:Q64", iris("http://www.wikidata.org/entity/Q64")),
    ("dbr:Berlin|wd:Q64",
        iris("http://dbpedia.org/resource/Berlin", "http://www.wikidata.org/entity/Q64")),
    ("res:12_Monkeys", iris("http://dbpedia.org/resource/12_Monkeys")),
    ("yago:Pond109404142", iris("http://dbpedia.org/class/yago/Pond109404142")),
    ("fb:m.0a1", iris("http://rdf.freebase.com/ns/m.0a1")),
    ("note:Berlin", words("note:Berlin")), ("p:1", words("p:1")), ("fb:me", words("fb:me")),
    ("dbr: Berlin", words("dbr: Berlin")), ("geo:51.5", words("geo:51.5")),
    ("12:30", words("12:30")), ("DBR:Berlin", words("DBR:Berlin")),
    ("m.0a1", iris("http://rdf.freebase.com/ns/m.0a1")),
    ('{"head": {"vars": ["x"]}, "results": {"bindings": [{"x": {"type": "uri", "value": '
        '"http://x.org/a"}}]}}',
     iris("http://x.org/a", variable="x")),
])  # fmt: skip
def test_cells_with_answers(read: Read, cell: str, answers: Answers | None) -> None:
    quoted = cell.replace('"', '""')
    assert read("question,answers", f'Who?,"{quoted}"').questions[0].answers == answers


@pytest.mark.parametrize(("value", "answers"), [
    (["Ann", "Bea"], words("Ann", "Bea")),
    ([["Ann", "Anne"], ["Bea"]], words(("Ann", "Anne"), "Bea")),
    ([{"text": "Ann", "aliases": ["Anne"]}, {"text": "Bea"}], words(("Ann", "Anne"), "Bea")),
    ([{"answer_text": "Ann", "answer_id": 7}], words("Ann")),
    ([{"id": "Q64", "label": "Berlin"}], iris("http://www.wikidata.org/entity/Q64")),
    ([{"text": "Ann", "answer_start": 3}, {"text": "Ann Lee", "answer_start": 3}],
        words(("Ann", "Ann Lee"))),
    ({"text": ["Ann", "Ann Lee"], "answer_start": [3, 3]}, words(("Ann", "Ann Lee"))),
    ({"text": [], "answer_start": []}, Answers()),
    ({"value": "Ann", "aliases": ["Anne"]}, words(("Ann", "Anne"))),
    ({"spans": ["Ann", "Bea"]}, words("Ann", "Bea")),
    ([{"x": {"type": "uri", "value": "http://x.org/a"}}], iris("http://x.org/a", variable="x")),
    ([{"uri": "http://x.org/a", "label": "A"}], iris("http://x.org/a")),
    ([{"id": "dbr:Ann", "label": "Ann"}], iris("http://dbpedia.org/resource/Ann")),
    ([{"head": {}, "results": {"bindings": [{"x": {"type": "uri", "value": "http://x.org/a"}}]}}],
     iris("http://x.org/a", variable="x")),
    ({"head": {}, "boolean": False}, Answers(boolean=False)),
    ({"texts": [["Ann", "Anne"], ["Bea"]]}, words(("Ann", "Anne"), "Bea")),
    ([{"output": {"text": "Ann"}, "tags": ["correct"]}, {"output": {"text": "Bea"}, "tags": []}],
        words("Ann")),
    ("a | b", words("a", "b")), (7, words("7")), (2.5, words("2.5")),
    (True, Answers(boolean=True)), ([], Answers()), (None, None),
])  # fmt: skip
def test_values_with_answers(read: Read, value: object, answers: Answers | None) -> None:
    assert read({"question": "Who?", "answers": value}).questions[0].answers == answers


@pytest.mark.parametrize("in_cell", [False, True])
@pytest.mark.parametrize(
    "name", ["answer", "target", "references", "gold", "golden_answers", "possible_answers"]
)
def test_list_under_the_name_of_one_answer_holds_its_wordings_and_it_is_said(
    read: Read, name: str, in_cell: bool
) -> None:
    found = (
        read(f"id,question,{name}", """1,Who?,"['Ann', 'Anne']\"""")
        if in_cell
        else read({"id": 1, "question": "Who?", name: ["Ann", "Anne"]})
    )
    assert found.questions[0].answers == words(("Ann", "Anne"))
    said = (
        "their entries are read as variants of one answer. If each entry is an answer, rename the"
        " column to 'answers'"
    )
    assert found.notes[-1] == f"{name!r} holds lists (1); {said}"


def test_iris_are_no_wordings_of_each_other(read: Read) -> None:
    found = read({"id": 1, "question": "Who?", "answer": ["http://x.org/a", "http://x.org/b"]})
    assert found.questions[0].answers == iris("http://x.org/a", "http://x.org/b")


def test_bar_in_a_json_text_separates_only_answers(read: Read) -> None:
    assert read({"question": "Who?", "answer": "a|b"}).questions[0].answers == words("a|b")


@pytest.mark.parametrize(
    "name", ["aliases", "answer_aliases", "possible_answers", "alternative_answers"]
)
def test_aliases_are_wordings_of_the_answer(read: Read, name: str) -> None:
    found = read(f"id,question,answer,{name}", '1,Who?,Ann,"[""Anne"", ""A.""]"')
    assert found.questions[0].answers == words(("Ann", "Anne", "A."))


def test_aliases_belong_to_several_answers_if_there_are_as_many_lists(read: Read) -> None:
    found = read(
        {"question": "Who?", "answers": ["Ann", "Bea"], "aliases": [["Anne"], ["B.", "Bee"]]}
    )
    assert found.questions[0].answers == words(("Ann", "Anne"), ("Bea", "B.", "Bee"))


@pytest.mark.parametrize(
    ("field", "value"), [("is_impossible", True), ("answerable", False), ("answerable", "no")]
)
def test_question_that_cannot_be_answered_has_an_empty_answer(
    read: Read, field: str, value: object
) -> None:
    assert (
        read({"question": "Who?", "answer": "Ann", field: value}).questions[0].answers == Answers()
    )


def test_objects_that_nothing_can_be_made_of_are_named_and_no_gold(read: Read) -> None:
    found = read(
        {"question": "Who?", "answers": [{"x": 1}]}, {"question": "Where?", "answers": [{"y": 2}]}
    )
    assert [one.answers for one in found.questions] == [None, None]
    assert found.notes == ("not read, because they contain objects or long texts: 'answers'",)


@pytest.mark.parametrize("variable", ["date", "type", "result", "lang", "source", "river"])
def test_rows_of_a_query_are_answers_whatever_their_variable_is_called(
    read: Read, variable: str
) -> None:
    lines = [f"{number},Which?,\"[{{'{variable}': 'Ulm {number}'}}]\"" for number in (1, 2)]
    found = read("id,question,answer", *lines)
    assert [one.answers for one in found.questions] == [words(("Ulm 1",)), words(("Ulm 2",))]


def test_answers_with_a_query_are_cells(read: Read) -> None:
    found = read({"question": "Who?", "sparql": SPARQL, "answers": ["Ann"]})
    assert found.questions[0].answers == Answers(
        variables=("answer",), rows=((Cell("literal", "Ann"),),)
    )


def test_answers_in_words_that_are_written_out_stay_words(read: Read) -> None:
    row = {"question": "Who?", "sparql": SPARQL, "answers": {"texts": [["Ann", "Anne"]]}}
    assert read(row).questions[0].answers == words(("Ann", "Anne"))
    cell = json.dumps(row["answers"]).replace('"', '""')
    assert read("question,sparql,answers", f'Who?,{SPARQL},"{cell}"').questions[0].answers == words(
        ("Ann", "Anne")
    )


def test_queries_over_several_graphs(read: Read) -> None:
    row = {
        "question": "Who?",
        "sparql_wikidata": "ASK { ?x ?y 1 }",
        "sparql_dbpedia": "ASK { ?x ?y 2 }",
    }
    assert read(row).questions[0].queries == {
        "wikidata": "ASK { ?x ?y 1 }",
        "dbpedia": "ASK { ?x ?y 2 }",
    }


# --- choices


@pytest.mark.parametrize(("record", "answer"), [
    ({"choices": ["tea", "ale", "ink"], "answer": 1}, "ale"),
    ({"choices": ["tea", "ale", "ink"], "answer": "B"}, "ale"),
    ({"choices": ["tea", "ale", "ink"], "answer": "(b)"}, "ale"),
    ({"choices": ["tea", "ale", "ink"], "answer": "Ale"}, "ale"),
    ({"options": ["1", "2", "3"], "answer": "2"}, "2"),
    ({"choices": {"text": ["tea", "ale"], "label": ["1", "2"]}, "answerKey": "2"}, "ale"),
    ({"options": {"A": "tea", "B": "ale"}, "answer": "B"}, "ale"),
    ({"choices": [{"label": "A", "text": "tea"}, {"label": "B", "text": "ale"}], "answerKey": "B"},
        "ale"),
    ({"opa": "tea", "opb": "ale", "opc": "ink", "cop": 1}, "ale"),
    ({"A": "tea", "B": "ale", "C": "ink", "D": "mud", "answer": "B"}, "ale"),
    ({"answerA": "tea", "answerB": "ale", "answerC": "ink", "label": "1"}, "ale"),
    ({"mc1_targets": {"choices": ["ale", "tea"], "labels": [1, 0]}}, "ale"),
    ({"choices": "['tea', 'ale']", "answer_idx": 1}, "ale"),
])  # fmt: skip
def test_choices(read: Read, record: dict[str, object], answer: str) -> None:
    found = read({"id": 1, "question": "Which?", **record})
    assert found.questions[0].answers == words(answer)
    assert answer in found.questions[0].said("choices").split(" | ")


def test_choices_inside_the_question(read: Read) -> None:
    stem = {
        "stem": "Which?",
        "choices": [{"label": "A", "text": "tea"}, {"label": "B", "text": "ale"}],
    }
    assert read({"id": 1, "question": stem, "answerKey": "B"}).questions[0].answers == words("ale")


def test_choices_are_counted_from_1_where_the_last_number_shows_it(read: Read) -> None:
    rows = [{"id": n, "question": "Which?", "choices": ["tea", "ale"], "answer": n} for n in (1, 2)]
    assert [one.answers for one in read(*rows).questions] == [words("tea"), words("ale")]


def test_choice_that_a_question_lacks_keeps_its_letter(read: Read) -> None:
    found = read(
        "question,A,B,C,D,answer", "Which?,tea,,ink,mud,D", "Is it?,yes,no,,,B", "Or?,a,b,,,D"
    )
    assert [one.answers for one in found.questions] == [words("mud"), words("no"), words("D")]
    assert [one.metadata["choices"] for one in found.questions] == [
        "tea | ink | mud",
        "yes | no",
        "a | b",
    ]


def test_several_right_choices(read: Read) -> None:
    found = read(
        {"id": 1, "question": "Which?", "options": ["tea", "ale", "ink"], "answer": ["A", "C"]}
    )
    assert found.questions[0].answers == words("tea", "ink")


def test_gold_that_is_no_choice_is_kept_and_said(read: Read) -> None:
    found = read({"id": 7, "question": "Which?", "choices": ["tea", "ale"], "answer": "mud"})
    assert found.questions[0].answers == words("mud")
    assert (
        "1 gold answers (first: question 7) match none of the choices; they are used as they are"
        in found.notes
    )


@pytest.mark.parametrize("column", ["answer", "solution"])
@pytest.mark.parametrize(("solution", "wordings"), [
    ("3 + 4 = <<3+4=7>>7 mills\n#### 7", ("7",)),
    ("That is 1100 more.\n#### 1,320", ("1320", "1,320")),
    (r"Hence $x = \boxed{\frac{1}{2}}$.", (r"\frac{1}{2}",)),
    (r"First \boxed{3}, then \boxed{4}", ("4",)),
])  # fmt: skip
def test_result_that_a_worked_solution_marks_is_the_gold(
    read: Read, column: str, solution: str, wordings: tuple[str, ...]
) -> None:
    found = read({"problem": "How many?", "level": "2", column: solution})
    assert found.questions[0].answers == Answers(texts=(wordings,))
    assert any(f"the solutions in '{column}' mark" in note for note in found.notes)


def test_heading_in_few_of_the_gold_answers_marks_no_result(read: Read) -> None:
    texts = ["#### Mills\nThere are two.", "Old Mill", "New Mill", "None"]
    found = read(*({"id": n, "question": "Who?", "answer": text} for n, text in enumerate(texts)))
    assert found.questions[0].answers == words("#### Mills\nThere are two.")


@pytest.mark.parametrize("metadata", [{"topic": "art", "hops": 2}, "{'topic': 'art', 'hops': 2}"])
def test_fields_of_a_metadata_object_are_features_by_name(read: Read, metadata: object) -> None:
    found = read({"id": 1, "question": "Who?", "answer": "Ann", "metadata": metadata})
    assert found.questions[0].metadata == {"metadata.topic": "art", "metadata.hops": "2"}
    assert "features under their own names: 'metadata.topic', 'metadata.hops'" in found.notes


def test_metadata_in_words_is_one_feature(read: Read) -> None:
    found = read({"id": 1, "question": "Who?", "answer": "Ann", "metadata": "{art}"})
    assert found.questions[0].metadata == {"metadata": "{art}"}


# --- where the records stand


@pytest.mark.parametrize("document", [
    [{"question": "Who?", "answer": "Ann"}, {"question": "Where?", "answer": "Oslo"}],
    {"version": "1",
        "data": [{"question": "Who?", "answer": "Ann"}, {"question": "Where?", "answer": "Oslo"}]},
    {"questions": [{"question": "Who?", "answer": "Ann"},
            {"question": "Where?", "answer": "Oslo"}]},
    {"question": ["Who?", "Where?"], "answer": ["Ann", "Oslo"]},
    {"question": {"0": "Who?", "1": "Where?"}, "answer": {"0": "Ann", "1": "Oslo"}},
    {"columns": ["question", "answer"], "index": [0, 1],
        "data": [["Who?", "Ann"], ["Where?", "Oslo"]]},
    {"features": [], "rows": [{"row_idx": 0, "row": {"question": "Who?", "answer": "Ann"}},
                              {"row_idx": 1, "row": {"question": "Where?", "answer": "Oslo"}}]},
    {"1": {"question": "Who?", "answer": "Ann"}, "2": {"question": "Where?", "answer": "Oslo"}},
])  # fmt: skip
def test_records_are_found_wherever_they_stand(read: Read, document: object) -> None:
    found = read(json.dumps(document))
    assert [(one.id, one.text(), one.answers) for one in found.questions] == [
        ("1", "Who?", words("Ann")), ("2", "Where?", words("Oslo"))
    ]  # fmt: skip


def test_key_of_a_record_is_its_id(read: Read) -> None:
    assert [
        one.id
        for one in read(
            json.dumps({"q7": {"question": "Who?"}, "q9": {"question": "Where?"}})
        ).questions
    ] == ["q7", "q9"]


def test_lists_by_split_say_the_split(read: Read) -> None:
    found = read(json.dumps({"train": [{"question": "Who?"}], "test": [{"question": "Where?"}]}))
    assert [one.split for one in found.questions] == ["train", "test"]


@pytest.mark.parametrize("document", [
    {"dev": {"q7": {"question": "Who?"}}},
    {"data": {"questions": [{"id": "q7", "question": "Who?"}]}},
])  # fmt: skip
def test_records_may_be_wrapped_twice(read: Read, document: object) -> None:
    assert [(one.id, one.text()) for one in read(json.dumps(document)).questions] == [
        ("q7", "Who?")
    ]


@pytest.mark.parametrize("record", [
    {"question": {"text": "Who?", "tokens": ["Who", "?"]},
        "answers": [{"text": "Ann", "tokens": ["Ann"]}]},
    {"prompt": "Who?", "references": [{"text": "Ann"}]},
    {"id": 1, "question": ["Who?"], "answers": [{"text": "Ann"}]},
])  # fmt: skip
def test_answers_of_one_record_are_not_taken_for_records(
    read: Read, record: dict[str, object]
) -> None:
    found = read(record)
    assert [(one.text(), one.answers) for one in found.questions] == [("Who?", words("Ann"))]


def test_second_list_of_records_is_named(read: Read) -> None:
    found = read(json.dumps({"lamps": [{"watt": 7}], "items": [{"question": "Who?"}]}))
    assert (len(found.questions), found.notes) == (
        1,
        ("not read: the list 'lamps' next to the one with the questions",),
    )


def test_one_record_may_hold_lists(read: Read) -> None:
    found = read({"id": 1, "question": "Who?", "answers": [{"text": "Ann"}]})
    assert found.questions == (Question("1", {"en": ("Who?",)}, answers=words("Ann")),)


# --- tables


@pytest.mark.parametrize("lines", [
    ("sep=;", "question;answer", "Who?;Ann"),
    ("question|answer", "Who?|Ann"),
    ("", "  ", "question,answer", "Who?,Ann"),
    ("\tquestion\tanswer", "0\tWho?\tAnn"),
    (",question,answer,,", "0,Who?,Ann,,"),
    ("Unnamed: 0,question,answer", "0,Who?,Ann"),
])  # fmt: skip
def test_tables_as_spreadsheets_and_pandas_write_them(read: Read, lines: tuple[str, ...]) -> None:
    found = read(*lines)
    assert [(one.text(), one.answers) for one in found.questions] == [("Who?", words("Ann"))]
    assert found.notes == ()


def test_column_without_a_name_is_called_by_its_place(read: Read) -> None:
    found = read("question,answer,", "Who?,Ann,hard")
    assert (found.questions[0].metadata, found.notes) == (
        {"column 3": "hard"}, ("features under their own names: 'column 3'",)
    )  # fmt: skip


def test_tabs_separate_without_quotes_too(read: Read) -> None:
    found = read("question\tanswer", '"Who\tAnn', 'The 5" lamp?\t"it"')
    assert [(one.text(), one.answers) for one in found.questions] == [
        ('"Who', words("Ann")),
        ('The 5" lamp?', words('"it"')),
    ]


def test_column_twice_with_the_same_values_is_harmless(read: Read) -> None:
    assert read("question,answer,answer", "Who?,Ann,Ann", "Where?,,Oslo").questions[
        1
    ].answers == words("Oslo")


def test_column_twice_with_different_values_is_refused(read: Read, refused: Refused) -> None:
    said = refused(lambda: read("question,answer,answer", "Who?,Ann,Bea"))
    assert said.endswith(
        "record 1: line 2: two columns are named 'answer' but have different values, 'Ann' and"
        " 'Bea'; rename one of them"
    )


def test_column_twice_but_for_case_counts_as_two_columns(read: Read) -> None:
    found = read("question,Answer,answer", "Who?,Ann,Bea")
    assert (found.questions[0].answers, found.notes) == (
        words("Ann"),
        ("features under their own names: 'answer'",),
    )


# --- lists in one cell


@pytest.mark.parametrize(("text", "cell", "separator"), [
    ("Which moons has Mars?", "Phobos, Deimos", ","),
    ("Name the moons of Mars.", "Phobos, Deimos", ","),
    ("What has two moons?", "Mars; Haumea", ";"),
    ("Who was it?", "Ann Lee\nBea Low", "\n"),
    ("Where was it filmed?", "Salzburg, Austria", ""),
    ("Which days are free?", "July 4, 1976", ""),
    ("Which numbers are there?", "1,234", ""),
    ("Which lamps are there?", "Well, that is a long story that nobody ever told", ""),
    ("Which lamps are there?", "red", ""),
])  # fmt: skip
def test_list_in_one_cell_is_noticed(text: str, cell: str, separator: str) -> None:
    asked = Question("1", {"en": (text,)}, answers=words(cell))
    assert listed_answers([asked]) == ({"1": separator} if separator else {})


def test_many_commas_are_lists_whatever_is_asked() -> None:
    asked = [
        Question(str(n), {"en": ("Who was it?",)}, answers=words(f"Ann {n}, Bea")) for n in range(3)
    ]
    assert listed_answers(asked) == {"0": ",", "1": ",", "2": ","}


def test_list_in_one_cell_is_not_split_but_noted(read: Read) -> None:
    found = read("question,answers", 'Which moons has Mars?,"Phobos, Deimos"')
    assert found.questions[0].answers == words("Phobos, Deimos")
    assert found.notes == (
        (
            "1 gold answer looks like several in one text (first: question 1); separate them with"
            " |, or split them with `split_answers` ','"
        ),
    )


def test_separator_splits_and_nothing_is_left_to_note(read: Read) -> None:
    found = read("question,answers", 'Which moons has Mars?,"Phobos, Deimos"', split_answers=",")
    assert (found.questions[0].answers, found.notes) == (words("Phobos", "Deimos"), ())


def test_separator_is_refused_where_answers_are_no_cells(read: Read, refused: Refused) -> None:
    qald = '{"questions": [{"id": 1, "question": [{"language": "en", "string": "Who?"}]}]}'
    said = refused(lambda: read(qald, split_answers=","), UsageError)
    assert said.endswith(
        "answers are only split at ',' in tables and JSON records; this is qald-json"
    )


def test_second_query_of_a_question_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "question,SPARQL,sparql_query\nWho?,ASK { ?s ?p 1 },ASK { ?s ?p 2 }\nWhat?,ASK { ?s ?p 3"
        " },\nWhere?,,ASK { ?s ?p 4 }\nWhen?,ASK {},ASK {}\n",
        encoding="utf-8",
    )
    found = read_questions(path)
    assert [one.sparql for one in found.questions] == [
        "ASK { ?s ?p 1 }",
        "ASK { ?s ?p 3 }",
        "ASK { ?s ?p 4 }",
        "ASK {}",
    ]
    assert found.questions[0].metadata == {"sparql_query": "ASK { ?s ?p 2 }"}
    assert (
        found.notes[-1]
        == "1 of 4 questions has another query for the same knowledge graph in 'sparql_query'; it"
        " is not used, but kept as metadata"
    )


# --- tables without a header


@pytest.mark.parametrize(("lines", "columns"), [
    (["q1\tfactoid\tWho lit it?\tAnn", "q2\tfactoid\tHow deep is it?\tvery"],
        "id, column 2, question, answers"),
    (["Who lit it?,Ann", "Name the lamp,Bea"], "question, answers"),
    ([f'7,Who lit it?,"{SPARQL}",3', f'8,Name the lamp,"{SPARQL}",3', f'9,Who is it?,"{SPARQL}",3'],
        "id, question, sparql, column 4"),
    ([f"Name the lamp,{SPARQL},Ann", f"Who lit it?,{SPARQL},Bea"], "question, sparql, answers"),
    (["灯有多亮？\t很亮", "谁？\t安"], "question, answers"),
    (["31\twho lit the lamp", "32\toil of the lamp", "33\thow deep is it"], "id, question"),
])  # fmt: skip
def test_columns_without_a_header_show_in_their_values(
    read: Read, lines: list[str], columns: str
) -> None:
    found = read(*lines)
    assert len(found.questions) == len(lines)
    assert found.notes[0].startswith(f"has no header; its columns are read as {columns}. ")
    gold = [one.answers is not None for one in found.questions]
    assert gold == ["answers" in columns] * len(lines)


@pytest.mark.parametrize("lines", [
    ["Ann,London", "Bea,Rome"], ["Ann asks whether it rains", "Why?"],
])  # fmt: skip
def test_a_table_whose_first_line_is_no_question_is_not_guessed(
    read: Read, lines: list[str]
) -> None:
    with pytest.raises(UnknownFormat):
        read(*lines)


def test_regular_expressions_of_trec_are_not_split(read: Read) -> None:
    found = read("t1\tWho lit it?\tAnn( Lee|a)?", "t2\tHow deep is it?\tvery|extremely")
    assert [one.answers for one in found.questions] == [
        words("Ann( Lee|a)?"),
        words(("very", "extremely")),
    ]
    assert "1 gold answers are regular expressions" in found.notes[1]


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("id\tquestion, in words", ["id", "question, in words"]),
        ("id,question; in words", ["id", "question; in words"]),
        ("id;question|answer", ["id", "question|answer"]),
    ],
)
def test_of_several_signs_the_likelier_separates(
    tmp_path: Path, header: str, names: list[str]
) -> None:
    path = tmp_path / "table.csv"
    path.write_text(header + "\n")
    assert load_content(path).table.header == names


@pytest.mark.parametrize(("header", "language"), [
    ("Nr,Frage,Antwort,Vorhersage", "de"), ("id,Pregunta,Respuestas,Predicción", "es"),
    ("编号,问题,答案,预测", "zh"), ("id,Вопрос,Ответ,Предсказание", "ru"),
])  # fmt: skip
def test_names_in_other_languages_are_known(tmp_path: Path, header: str, language: str) -> None:
    (tmp_path / "set.csv").write_text(f"{header}\n7,Wo?,Ulm,Wien\n8,Wer?,Ann,Ann\n", "utf-8")
    questions = qg.load(tmp_path / "set.csv")
    assert questions["7"].texts == {language: ("Wo?",)}
    assert qg.score(tmp_path / "set.csv")["accuracy"] == 0.5
    (tmp_path / "run.csv").write_text(
        f"{header.split(',')[0]},{header.split(',')[2]}\n7,Ulm\n8,Bo\n"
    )
    assert qg.read_run(tmp_path / "run.csv").response("7").answers.values() == ["Ulm"]  # type: ignore[union-attr]


@needs_yaml
@pytest.mark.parametrize("text", [
    "- id: 07\n  question: Is it no?\n  answer: no\n",
    "questions:\n- {id: 07, question: Is it no, answers: [no]}\n",
])  # fmt: skip
def test_records_of_yaml_are_read_as_those_of_json(tmp_path: Path, text: str) -> None:
    for name in ("set.yml", "set.txt"):
        (tmp_path / name).write_text(text)
        question = qg.load(tmp_path / name)["07"]
        assert question.answers is not None
        assert question.answers.values() == ["no"]
    (tmp_path / "run.yml").write_text("07: Ulm\n")
    assert qg.read_run(tmp_path / "run.yml").response("07").status == "answered"


def test_chats_say_what_to_name_each_message(tmp_path: Path) -> None:
    chat = {"messages": [{"role": "user", "content": "Who?"}, {"role": "tool", "content": "A"}]}
    (tmp_path / "chat.jsonl").write_text(f"{json.dumps(chat)}\n" * 2)
    for read in (qg.load, qg.read_run):
        with pytest.raises(qg.DataError, match=r"chats: .*'question'.*'answer'.*'prediction'"):
            read(tmp_path / "chat.jsonl")


def test_a_table_without_header_whose_last_cells_are_letters_has_choices(read: Read) -> None:
    found = read("The rank is,1,2,3,4,B\nA prime is,9,15,21,23,D\n")
    assert [question.answers for question in found.questions] == [words("2"), words("23")]


def test_places_are_places_where_a_choice_is_that_number(tmp_path: Path) -> None:
    rows = [
        {"question": "Which drink?", "choices": ["tea", "ale", "mead"], "answer": 0},
        {"question": "How many mills?", "choices": ["1", "2", "3"], "answer": 2},
        {"question": "How many locks?", "choices": ["2", "1", "0"], "answer": 1},
    ]
    path = tmp_path / "gold.json"
    path.write_text(json.dumps(rows))
    gold = [one.answers.values() for one in qg.load(path) if one.answers]
    assert gold == [["tea"], ["3"], ["1"]]
    assert qg.score(path, path)["accuracy"] == 1.0
    for said in (["A", "C", "B"], [0, 2, 1], ["tea", "3", "1"]):
        run = [
            {"question": row["question"], "prediction": one}
            for row, one in zip(rows, said, strict=True)
        ]
        assert qg.score(path, run)["accuracy"] == 1.0


def test_numbers_that_are_choices_everywhere_are_choices(tmp_path: Path) -> None:
    rows = [
        {"question": "How many mills?", "choices": ["1", "2", "3"], "answer": "2"},
        {"question": "How many locks?", "choices": ["2", "1", "5"], "answer": "5"},
    ]
    path = tmp_path / "gold.json"
    path.write_text(json.dumps(rows))
    assert [one.answers.values() for one in qg.load(path) if one.answers] == [["2"], ["5"]]


def test_choices_of_a_reading_test_are_counted_from_1(tmp_path: Path) -> None:
    choices = {"mc_answer1": "tea", "mc_answer2": "ale", "mc_answer3": "mead"}
    rows = [
        {"question": "Which drink?", **choices, "correct_answer_num": "3"},
        {"question": "Which one is hot?", **choices, "correct_answer_num": "1"},
    ]
    path = tmp_path / "gold.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    assert [one.answers.values() for one in qg.load(path) if one.answers] == [["mead"], ["tea"]]


def test_the_answer_of_an_object_is_its_answer_rather_than_a_text_beside_it() -> None:
    gold = [{"id": 1, "question": "Who lit it?", "answers": ["Ann Lee"]}]
    run = [{"id": 1, "answers": [{"answer": "Ann Lee", "score": 0.9, "text": "Bea saw it lit."}]}]
    assert qg.score(gold, run)["accuracy"] == 1


def test_the_letter_of_the_right_choice_is_gold_beside_its_raw_form() -> None:
    options = [{"label": label, "text": text} for label, text in (("A", "tea"), ("B", "ale"))]
    gold = [
        {"question": f"Which {at}?", "options": options, "correctLetter": "B", "answerRaw": "B)"}
        for at in range(3)
    ]
    assert qg.score(gold, {"1": "ale", "2": "b", "3": "tea"})["accuracy"] == pytest.approx(2 / 3)


def test_the_scale_of_answers_in_a_list_belongs_to_each_number() -> None:
    gold = [{"id": "1", "question": "By how much?", "answer": -12.6, "scale": "million"}]
    assert qg.score(gold, {"1": [[-12.6], "million"]})["macro-f1"] == 1
    assert qg.score(gold, {"1": [[-12.6], "percent"]})["macro-f1"] == 0


def test_of_ranked_answers_the_first_is_named() -> None:
    rows = [
        {"question": "Who lit it?", "target": "Ann", "answer_0": "Bea", "answer_1": "Cy"},
        {"question": "Where is it?", "target": "Ulm", "answer_0": "Bonn", "answer_1": "Rome"},
    ]
    with pytest.raises(UsageError, match="answer_field='answer_0'"):
        qg.evaluate(rows)


def test_q_and_a_are_a_question_and_its_answer_but_a_beside_b_is_a_choice() -> None:
    rows = [{"q": "Who lit the lamp?", "a": "Ann"}, {"q": "Who saw?", "a": "Bo"}]
    assert [question.gold.texts for question in qg.load(rows)] == [(("Ann",),), (("Bo",),)]
    choices = [{"question": "Who lit the lamp?", "a": "Ann", "b": "Bo", "answer": "b"}]
    assert qg.load(choices)[0].gold.texts == (("Bo",),)


def test_a_last_line_may_mark_the_result_of_a_solution() -> None:
    gold = [
        {"question": f"How many, {at}?", "ground_truth": f"It has {at} and 2.\nA: {at + 2}"}
        for at in range(3)
    ]
    assert qg.score(gold, {"1": "2", "2": "It is 3.\nA: 3", "3": "5"})["accuracy"] == pytest.approx(
        2 / 3
    )


def test_a_dash_is_no_gold_answer_unless_it_is_a_choice() -> None:
    rows: list[dict[str, object]] = [
        {"question": "Which town?", "answer": "Ulm"},
        {"question": "Which mill?", "answer": "---"},
        {"question": "Which sign?", "answer": "-", "choices": ["+", "-"]},
    ]
    values = [question.gold.values() for question in qg.load(rows)]
    assert values == [["Ulm"], [], ["-"]]


def test_chosen_fields_leave_an_answer_key_what_it_is(tmp_path: Path) -> None:
    key = tmp_path / "key.csv"
    key.write_text("id,truth,said\n1,Ulm,Ulm\n2,Bonn,Rome\n")
    call = ["score", str(key), "--gold-field", "truth", "--answer-field", "said"]
    result = CliRunner().invoke(cli, call)
    assert result.exit_code == 0, result.output
    assert "Accuracy   0.5000" in result.stdout
    with pytest.raises(UnknownFormat, match="no field with questions among 'id', 'truth', 'said'"):
        qg.load(key, gold_field="truth")


def test_a_text_that_was_taken_for_a_list_is_one() -> None:
    iri = "http://www.wikidata.org/entity/Q64"
    [question] = qg.load([{"question": "Which town?", "answers": [list(iri)]}])
    assert question.gold.values() == [iri]


def test_an_answer_key_may_stand_beside_what_it_is_about(tmp_path: Path) -> None:
    path = tmp_path / "key.json"
    path.write_text(json.dumps({"subject": "mills", "solutions": {"1": "B", "2": "C", "3": "A"}}))
    scores = qg.score(path, {"1": "B", "2": "C", "3": "D"})
    assert scores["accuracy"] == pytest.approx(2 / 3)
