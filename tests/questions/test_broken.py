"""Question sets that are damaged.

The message names file, record and field, and what is expected there.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from qaldgen.errors import DataError, UnknownFormat
from qaldgen.questions.collecting import SKIP_HINT, ReadOptions
from qaldgen.questions.file_content import is_rdf, load_content
from qaldgen.questions.reading import read_questions

Refused = Callable[..., str]
QUESTION = '"question": [{"language": "en", "string": "Who?"}]'
needs_yaml = pytest.mark.skipif(
    importlib.util.find_spec("yaml") is None, reason="PyYAML is not installed"
)


@pytest.fixture
def message(tmp_path: Path, refused: Refused) -> Callable[..., str]:
    """Return what is said of a file with this content, without the path."""

    def message(
        content: str | bytes,
        name: str = "set",
        format_: str | None = None,
        error: type[DataError] = DataError,
    ) -> str:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        said = refused(lambda: read_questions(path, ReadOptions(format=format_)), error)
        assert said.startswith(f"{tmp_path}")
        return said.removeprefix(f"{path}: ")

    return message


Message = Callable[..., str]


def in_set(entries: str) -> str:
    return '{"questions": [' + entries + "]}"


# --- no question set at all


@pytest.mark.parametrize(("content", "looks"), [
    ('{"aa": "x", "ab": "y"}', "a JSON object with the keys 'aa', 'ab'."),
    ('[{"foo": 1}, {"bar": 2}]', "a JSON list with the keys 'bar', 'foo'."),
    ('{"foo": 1}\n{"bar": 2}\n', "JSON Lines with the keys 'bar', 'foo'."),
    ("[1, 2]", "a JSON list without keys."),
    ("a,b\n1,2\n", "a table with the columns 'a', 'b'."),
    ("Once upon a time\n", "text that starts with 'Once upon a time\\n'."),
    ("<?xml version='1.0'?><books/>", "XML that starts with \"<?xml version='1.0'?><books/>\"."),
])  # fmt: skip
def test_unknown_form_says_what_it_looks_like(message: Message, content: str, looks: str) -> None:
    said = message(content, error=UnknownFormat)
    assert said.startswith(f"is not a question set in a known format; it looks like {looks} ")
    assert "'qaldgen list formats' has all" in said
    assert len(said) < 420


def test_many_keys_are_cut(message: Message) -> None:
    said = message("{" + ", ".join(f'"k{i}": 1' for i in range(9)) + "}", error=UnknownFormat)
    assert "'k7', ...." in said


@pytest.mark.parametrize(("content", "said"), [
    (b"", "is empty; a question set is expected. If a program was to write it, see why it did"
     " not"),
    (b" \n", "is empty; a question set is expected. If a program was to write it, see why it did"
     " not"),
    (b"\xff\xfe{", "begins as UTF-16 but is damaged at byte 2; download it again"),
    (b'{"a":\n "caf\xe9"}',
     "line 2: byte 0xe9 is not UTF-8; convert the file first, for instance: iconv -f WINDOWS-1252 "
     "-t UTF-8 FILE > NEW"),
    (b" [] ", "is an empty list; a question set is expected. If a program was to write it, see why"
     " it did not"),
    (b"id,text\n1,a\x00b\n", "contains NUL bytes, so it is not a text file and not a question set"),
    (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\xff",
     "contains NUL bytes, so it is not a text file and not a question set"),
    (b"<!DOCTYPE html><html></html>", "this is a web page, not a question set; download the file "
        "itself instead of the page about it, or save a table in a page as CSV"),
    (b"<!-- x -->\n<HTML>", "this is a web page, not a question set; download the "
        "file itself instead of the page about it, or save a table in a page as CSV"),
])  # fmt: skip
def test_file_that_is_no_text(message: Message, content: bytes, said: str) -> None:
    assert message(content) == said


@pytest.mark.parametrize(("content", "said"), [
    ('{"questions": [\n  {"id": 1,}]}', "invalid JSON at line 2, column 12: "),
    ('{"questions": [', "invalid JSON at line 1, column 16: "),
    ('{"dataset"=>{"id"=>"x"}}', "invalid JSON at line 1, column 11: Expecting ':' delimiter"),
    ('{"text": "a"}\n{"text": }\n',
        "record 2: line 2 is invalid JSON at column 10: Expecting value"),
    ('{"text": "a"}\n{"text": "b", "of": %s}\n' % ("[" * 5000 + "]" * 5000),
        "record 2: line 2 is nested too deeply"),
    ("[" * 100_000, "the JSON is nested too deeply for a question set"),
])  # fmt: skip
def test_json_that_does_not_parse(message: Message, content: str, said: str) -> None:
    assert message(content).startswith(said)


@pytest.mark.parametrize(("content", "depth"), [
    ('{"questions": %s}', 1200),
    ('{"questions": [{"id": 5, "question": [], "topic": %s}]}', 1200),
    ('[{"id": 5, "text": "Who?", "answers": %s}]', 600),
    ('{"id": 5, "text": "Who?", "answers": %s}\n{"id": 6, "text": "Why?", "answers": "a"}', 600),
    ("questions:\n- {question: {en: Who}, query: %s}\ndataset: {id: d}", 1200),
])  # fmt: skip
def test_data_nested_too_deeply_are_refused(message: Message, content: str, depth: int) -> None:
    assert "nested too deeply" in message(content % ("[" * depth + '"a"' + "]" * depth))


def test_number_with_too_many_digits_is_refused(message: Message) -> None:
    assert "the JSON cannot be read" in message('{"questions": %s}' % ("1" * 5000))


def test_half_a_surrogate_pair_is_refused(message: Message) -> None:
    assert (
        message('[{"id": 5, "text": "\\ud83d?"}]')
        == r"record 5: has an unpaired surrogate: '\ud83d?'"
    )


@pytest.mark.parametrize(("field", "what"), [
    ('"id": "\\ud800"', r"record \ud800: has an unpaired surrogate: '\ud800'"),
    ('"id": 5, "sparql": "ASK \\ud800"', r"record 5: has an unpaired surrogate: 'ASK \ud800'"),
    ('"id": 5, "language": "e\\ud800"', r"record 5: has an unpaired surrogate: 'e\ud800'"),
    ('"id": 5, "topic": "\\ud800"', r"record 5: has an unpaired surrogate: '\ud800'"),
    ('"id": 5, "answers": ["a", "\\ud800"]', r"record 5: has an unpaired surrogate: '\ud800'"),
    ('"id": 5, "sparql": "ASK {}", "answers": ["\\ud800"]',
        r"record 5: has an unpaired surrogate: '\ud800'"),
])  # fmt: skip
def test_half_a_surrogate_pair_is_refused_in_any_field(
    message: Message, field: str, what: str
) -> None:
    assert message('[{"text": "Who?", ' + field + "}]") == what


def test_text_that_is_too_long_for_a_question_is_refused(message: Message) -> None:
    said = message('[{"id": 5, "text": "' + "who " * 25_001 + '"}]')
    assert said.startswith(
        "record 5: the text has 100,003 characters, more than the limit of 100,000"
    )


def test_line_break_in_an_id_does_not_break_the_message(message: Message) -> None:
    assert message('[{"id": "a\\n b", "text": {"x": 1}}]').startswith(
        "record 1 (id a b): field 'text.string' is missing"
    )


@pytest.mark.parametrize("content", ['{"questions": []}', '{"Questions": []}', "text,id\n"])
def test_set_without_records_is_refused(message: Message, content: str) -> None:
    assert message(content) == "contains no questions"


def test_missing_file_and_folder(tmp_path: Path, refused: Refused) -> None:
    assert "cannot be opened" in refused(lambda: read_questions(tmp_path / "none.json"))
    message = refused(lambda: read_questions(tmp_path))
    assert message.startswith(f"{tmp_path}: is a folder without data. ")
    (tmp_path / "a.json").write_text("[]")
    (tmp_path / "b.json").write_text("[]")
    message = refused(lambda: read_questions(tmp_path))
    assert "is a folder of several files; name one of them (a.json, b.json)" in message


@pytest.mark.parametrize(("format_", "content", "said"), [
    ("qald-json", "id,text\n1,Who?\n", "is plain text or a table; JSON is expected"),
    ("lc-quad", "<a/>", "is XML; JSON is expected"),
    ("webqsp", "[]", "contains no questions"),
    ("qald-xml", '{"a": 1}',
        "invalid XML at line 1, column 1: not well-formed (invalid token); repair the file"),
    ("rubq", '{"a": 1}', "record 1: field 'uid' is missing; a string or a number is expected"),
    ("text2sparql", "[]", "is a list; an object is expected"),
    ("rdf", "id,text\n1,Who?\n", "is not valid Turtle"),
])  # fmt: skip
def test_format_that_the_file_does_not_have(
    message: Message, format_: str, content: str, said: str
) -> None:
    assert said in message(content, format_=format_)


# --- QALD JSON


@pytest.mark.parametrize(("entry", "said"), [
    (f"{{{QUESTION}, \"query\": {{}}}}",
        "record 1: field 'id' is missing; a string or a number is expected"),
    ('{"id": [1], "question": []}',
        "record 1: field 'id' is a list; a string or a number is expected"),
    ('{"id": 7, "question": 5}',
        "record 1 (id 7): field 'question' is a number; a list is expected"),
    ('{"id": 7, "question": ["Who?"]}',
        "record 1 (id 7): field 'question[0]' is a string; an object is expected"),
    ('{"id": 7, "question": [{"string": {}}]}',
     "record 1 (id 7): field 'question[0].string' is an object; a string or a number is expected"),
    (f'{{"id": 7, {QUESTION}, "query": []}}',
        "record 1 (id 7): field 'query' is a list; an object is expected"),
    (f'{{"id": 7, {QUESTION}, "hybrid": "maybe"}}',
        "record 1 (id 7): field 'hybrid' is 'maybe'; true or false is expected"),
    (f'{{"id": 7, {QUESTION}, "answers": ["{{yes"]}}',
     "record 1 (id 7): field 'answers[0]' begins like JSON but is not; SPARQL results JSON or a "
     "plain text is expected"),
    (f'{{"id": 7, {QUESTION}, "answers": [5]}}',
        "record 1 (id 7): field 'answers[0]' is a number; an object is expected"),
    (f'{{"id": 7, {QUESTION}, "answers": [{{"result": 1}}]}}',
     "record 1 (id 7): field 'answers[0]' has neither 'results' nor 'boolean'; SPARQL results "
     "JSON is expected"),
    (f'{{"id": 7, {QUESTION}, "answers": [{{"results": {{"bindings": [{{"x": {{"type": '
        f'"uri"}}}}]}}}}]}}',
     "record 1 (id 7): field "
     "'answers[0].results.bindings[0].x.value' is missing; a "
     "string is expected"),
    (f'{{"id": 7, {QUESTION}, "answers": [{{"results": {{"bindings": {{}}}}}}]}}',
     "record 1 (id 7): field 'answers[0].results.bindings' is an object; a list is expected"),
    (f'{{"id": 7, {QUESTION}, "answers": [{{"boolean": "perhaps"}}]}}',
     "record 1 (id 7): field 'answers[0].boolean' is 'perhaps'; true or false is expected"),
])  # fmt: skip
def test_broken_qald_json(message: Message, entry: str, said: str) -> None:
    assert message(in_set(entry), format_="qald-json") == said


def test_second_record_is_named_as_such(message: Message) -> None:
    said = message(in_set('{"id": "1", ' + QUESTION + "}, 5"))
    assert said == f"record 2: is a number; an object is expected{SKIP_HINT}"


@pytest.mark.parametrize(("inner", "said"), [
    ('{"language": [{"question": "Who?"}]}',
        "record 1: field 'id' is missing; a string or a number is expected"),
    ('{"id": 1, "language": [{"question": []}], "answers": {}}',
     "record 1 (id 1): field 'language[0].question' is a list; a string or a number is expected"),
    ('{"id": 1, "language": [{"question": "Who?"}], "metadata": 5}',
     "record 1 (id 1): field 'metadata' is a number; an object is expected"),
])  # fmt: skip
def test_broken_extended_qald(message: Message, inner: str, said: str) -> None:
    assert message(in_set('{"question": ' + inner + "}")) == said


# --- QALD XML


@pytest.mark.parametrize(("content", "said"), [
    ('<dataset id="d">\n<question id="1"><string>a < b</string></question></dataset>',
     "invalid XML at line 2, column 29: not well-formed (invalid token); repair the file"),
    ('<dataset id="d"><question id="1">',
        "invalid XML at line 1, column 34: no element found; repair the file"),
    ('<!DOCTYPE dataset [<!ENTITY x SYSTEM "file:///a">]><dataset><question '
        'id="1"><string>&x;</string></question></dataset>',
     "declares XML entities, which can read files and exhaust "
     "the memory; replace them by their values"),
    ("<dataset><question><string>Who?</string></question></dataset>",
     "record 1: field 'id' is missing; a string or a number is expected"),
    ('<dataset><question id="4" hybrid="?"><string>Who?</string></question></dataset>',
     "record 1 (id 4): field 'hybrid' is '?'; true or false is expected"),
    ("<dataset/>", "contains no questions"),
])  # fmt: skip
def test_broken_qald_xml(message: Message, content: str, said: str) -> None:
    assert message(content) == said


# --- RDF


def test_broken_rdf(message: Message) -> None:
    assert "is not valid " in message(
        "<http://x.org/a> <http://x.org/p> <http://x.org/b> .\n<http://x.org/a> oops .\n"
    )


def test_damaged_answers_in_rdf_are_named_with_file_and_question(message: Message) -> None:
    question = (
        '<http://x.org/1> <http://qald-gen.aksw.org/vocab#text> "Who?" ;'
        ' <http://lsq.aksw.org/vocab#answers> "( ?s = #" .'
    )
    assert message(question, "set.ttl").startswith("http://x.org/1: the answer string is damaged")


def test_rdf_without_questions_is_refused(message: Message) -> None:
    said = message("<http://x.org/a> <http://x.org/p> <http://x.org/b> .\n")
    assert (
        said == "no subject has a text (http://qald-gen.aksw.org/vocab#text or schema:text), so it"
        " contains no questions; name the property of the questions with `text_property`"
    )


# --- flat records

ANSWERS = "answers as texts, or objects with text, value, answer or uri is expected"


@pytest.mark.parametrize(("content", "said"), [
    ('[{"_id": "5", "corrected_question": ["a", {}], "sparql_query": ""}]',
     "record 1 (id 5): field 'corrected_question' is a list; a "
     "string or a list of strings is expected"),
    ('[{"_id": "5", "sparql_query": "", "corrected_question": "Who?"}, {"_id": "6", '
        '"sparql_query": ""}]',
     "record 2 (id 6): field 'corrected_question' is missing; the text of the question is "
     f"expected{SKIP_HINT}"),
    ('[{"SerialNumber": 5, "question": "Who?", "entity mapping": "x"}]',
     "record 1 (id 5): field 'entity mapping' is a string; a list is expected"),
    ('[{"uid": 5, "sparql_wikidata": [{}], "question": "Who?"}]',
     "record 1 (id 5): field 'sparql_wikidata' is a list; a "
     "string or a list of strings is expected"),
    ('[{"uid": 5, "sparql_wikidata": "", "question": "Who?"}, {"question": "Who?"}]',
     f"record 2: field 'uid' is missing; a string or a number is expected{SKIP_HINT}"),
    ('[{"uid": 5, "question_text": "Кто?", "question_eng": "", "answers": {}}]',
     f"record 1 (id 5): field 'answers' is an object; {ANSWERS}"),
    ('[{"uid": 5, "question_text": "Кто?", "question_eng": "", "answers": [{"type": "uri"}]}]',
     f"record 1 (id 5): field 'answers' is a list; {ANSWERS}"),
    ('[{"id": "a", "question": "Who?", "questionEntity": [], "answer": {"answerType": '
        '"entity", "answer": [{"label": "x"}]}}]',
     "record 1 (id a): field 'answer.answer[0].name' is missing; a string or a number is expected"),
    ('[{"id": "a", "question": "Who?", "questionEntity": "x"}]',
     "record 1 (id a): field 'questionEntity' is a string; a list is expected"),
    ('[{"qid": 1, "question": "Who?", "level": "i.i.d.", "answer": [{"answer_type": "Entity"}]}]',
     f"record 1 (id 1): field 'answer' is a list; {ANSWERS}"),
    ('[{"id": "a", "question": {"x": 1}, "category": "resource", "type": []}]',
     "record 1 (id a): field 'question.string' is missing; the text of the question is expected"),
    ('[{"ID": 0, "question": [[]], "ans": []}]',
     "record 1 (id 0): field 'question' is a list; a string or a list of strings is expected"),
    ('{"Questions": [{"QuestionId": "q", "RawQuestion": "Who?", "Parses": [{"Sparql": "x", '
        '"Answers": [{}]}]}]}',
     f"record 1 (id q): field 'Parses[0].Answers' is a list; {ANSWERS}"),
    ('[{"utterance": "who?", "targetValue": "(list (description \\"Ann))"}]',
     "record 1: field 'targetValue' is a string; a list such as "
     "(list (description \"Ann\")) is expected"),
    ('{"Questions": [{"RawQuestion": "Who?", "Parses": []}]}',
     "record 1: field 'QuestionId' is missing; a string or a number is expected"),
])  # fmt: skip
def test_broken_records(message: Message, content: str, said: str) -> None:
    assert message(content) == said


@pytest.mark.parametrize(("content", "said"), [
    ('{"example_id": 1, "queries": [["x"]], "answers": {}}',
     "record 1 (id 1): field 'queries' is a list; a string or a list of strings is expected"),
    ('{"example_id": 1, "queries": {"en": "x"}, "answers": {"en": "y"}}',
     "record 1 (id 1): field 'answers' is a string; a list is expected"),
    ('{"query": "x", "example_id": null, "queries": {}}',
     "record 1: field 'example_id' is null; a string or a number is expected"),
    ('{"data": [{"paragraphs": [{"qas": [{"id": "a"}]}]}]}',
     "record 1 (id a): field 'question' is missing; the text of the question is expected"),
    ('{"data": [{"paragraphs": [{"qas": {}}]}]}',
     "record 1: field 'data[0].paragraphs[0].qas' is an object; a list is expected"),
])  # fmt: skip
def test_broken_open_domain(message: Message, content: str, said: str) -> None:
    assert message(content) == said


# --- tables


@pytest.mark.parametrize(("content", "said"), [
    ("id,text\n1,Who, then?\n",
        "record 1: line 2: has 3 cells, the header has 2; quote cells that contain the separator"),
    ('id,text\n1,"Who?\n', "line 2: unexpected end of data; quotes inside cells must be doubled"),
    ('[{"id": 1, "text": {"x": "Who?"}}]',
     "record 1 (id 1): field 'text.string' is missing; the text of the question is expected"),
    ('[{"id": 1, "text": "Who?", "answers": ["a"]}, {"id": 2, '
        '"text": "Who?", "answers": [{"x": 1}]}]',
     "record 2 (id 2): field 'answers' is a list; answers as texts, or objects with text, "
     f"value, answer or uri is expected{SKIP_HINT}"),
    ("Q1\tP1\tQ2\tWho?\nQ1\tX1\tQ2\tWho?\n",
     "record 2: line 2: 'Q1\\tX1\\tQ2\\tWho?' is not item, property, item and question, "
     f"separated by tabs (such as Q1, P2 or R2, Q3){SKIP_HINT}"),
])  # fmt: skip
def test_broken_tables(message: Message, content: str, said: str) -> None:
    assert message(content) == said


# --- TEXT2SPARQL


@needs_yaml
@pytest.mark.parametrize(("content", "said"), [
    ("dataset: {id: x}\nquestions:\n  - question: {en: Who}\n  - id: 2\n",
     "record 2 (id 2): field 'question' is missing; the text of the question is expected"
     f"{SKIP_HINT}"),
    ("dataset: {id: x}\nquestions:\n  - id: [1\n", "invalid YAML at line 4, column 1: expected ',' "
        "or ']', but got '<stream end>'"),
    ("dataset: x\nquestions: []\n", "field 'dataset' is a string; an object is expected"),
])  # fmt: skip
def test_broken_text2sparql(message: Message, content: str, said: str) -> None:
    assert message(content) == said


@needs_yaml
def test_yaml_makes_no_python_objects(message: Message) -> None:
    said = message("dataset: {id: x}\nquestions: !!python/object/apply:os.getcwd []\n")
    assert said == "contains no questions"


def test_yaml_without_its_package_says_what_to_install(
    message: Message, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importlib.import_module

    def without(name: str, package: str | None = None) -> ModuleType:
        if name == "yaml":
            raise ImportError
        return real(name, package)

    monkeypatch.setattr(importlib, "import_module", without)
    said = message("dataset: {id: x}\nquestions:\n  - question: {en: Who?}\n")
    assert said == "is YAML; to read it, install PyYAML: pip install pyyaml"


@pytest.mark.parametrize(("content", "said"), [
    ("<urn:a> <urn:b> 1 .", True), ("# a comment\n@prefix : <urn:> .", True),
    ("<rdf:RDF xmlns:rdf='x'></rdf:RDF>", True), ("id,question\n1,Who?\n", False),
    ('{"questions": []}', False), ("", False), ("<dataset></dataset>", False),
])  # fmt: skip
def test_rdf_is_told_by_its_first_bytes_as_by_the_whole_file(
    tmp_path: Path, content: str, said: bool
) -> None:
    path = tmp_path / "file"
    path.write_text(content, encoding="utf-8")
    assert is_rdf(path) is said
    if content:
        assert (load_content(path).kind == "rdf") is said


def test_answers_of_a_system_alone_are_told_from_questions(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("id,exact_answer_pred\nq1,Ulm\nq2,Bonn\n")
    with pytest.raises(UnknownFormat, match=r"answers of a system, in .exact_answer_pred."):
        read_questions(path)
