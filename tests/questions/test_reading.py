"""Question sets of every form: recognised by what they hold, and read with all that they say."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest
from format_files import DATA, load, qald, read_file_with

import qaldgen as qg
from qaldgen.errors import UsageError
from qaldgen.io import unpacking
from qaldgen.io.inputs import open_input
from qaldgen.questions.collecting import ReadOptions
from qaldgen.questions.reading import PLAIN_FORMATS, READERS, open_questions, read_questions

Refused = Callable[..., str]
FIXTURES = {
    "choices.jsonl": "json-records",
    "ckbqa.txt": "ckbqa",
    "complexwebquestions.json": "complexwebquestions",
    "dblp-quad.json": "dblp-quad",
    "dpr.csv": "table",
    "efficientqa.jsonl": "nq-open",
    "factoid-webquestions.json": "factoid-webquestions",
    "freebaseqa.json": "webqsp",
    "geoquestions.json": "geoquestions",
    "gpt-family.json": "gpt-family",
    "grailqa.json": "grailqa",
    "gsm8k.jsonl": "gsm8k",
    "kqa-pro.json": "kqa-pro",
    "lc-quad-2.json": "lc-quad-2",
    "lc-quad-earl.json": "lc-quad",
    "lc-quad.json": "lc-quad",
    "mintaka.json": "mintaka",
    "mkqa.jsonl": "mkqa",
    "multispanqa.json": "multispanqa",
    "nq-open.jsonl": "nq-open",
    "nq.jsonl": "nq",
    "paraqa.json": "vquanda",
    "poleval": "poleval",
    "polqa.csv": "polqa",
    "polqa.jsonl": "polqa",
    "popqa.tsv": "table",
    "poquad.json": "squad",
    "qa.csv": "table",
    "qa.jsonl": "json-records",
    "qald-extended.json": "qald-extended",
    "qald.json": "qald-json",
    "qald.xml": "qald-xml",
    "qald5.json": "qald-json",
    "qbench.xml": "qald-xml",
    "questions.ttl": "rdf",
    "records.json": "json-records",
    "records.jsonl": "json-records",
    "result-sets.json": "result-sets",
    "rubq.json": "rubq",
    "simplequestions-freebase.txt": "simplequestions-freebase",
    "simplequestions.txt": "simplequestions-wikidata",
    "smart.json": "smart",
    "sparql-examples.ttl": "sparql-examples",
    "squad.json": "squad",
    "table.csv": "table",
    "table.tsv": "table",
    "text2sparql.json": "text2sparql",
    "text2sparql.yaml": "text2sparql",
    "triviaqa-hub.jsonl": "triviaqa",
    "triviaqa.json": "triviaqa",
    "truthfulqa.csv": "table",
    "vanilla.jsonl": "vanilla",
    "vquanda.json": "vquanda",
    "webqsp.json": "webqsp",
    "webquestions.json": "webquestions",
}
#: Those of plug-ins that are installed.
FORMS = {name: form for name, form in FIXTURES.items() if form in READERS}


# --- the table of readers


def test_every_fixture_is_listed() -> None:
    assert {path.name for path in DATA.iterdir()} == set(FIXTURES)


def test_every_reader_has_a_fixture() -> None:
    # the fixtures of logs, which hold answers too, are in the tests of their plug-in
    own = {name for name, reader in READERS.items() if not reader.answers}
    assert own == set(FORMS.values())


def test_every_reader_says_what_it_reads_in_one_line() -> None:
    assert all(reader.help and "\n" not in reader.help for reader in READERS.values())


def recognised(path: Path) -> list[str]:
    content = open_questions(path)
    forms = [form for form, reader in READERS.items() if reader.recognises(content)]
    return [form for form in forms if form not in PLAIN_FORMATS] or forms


def test_exactly_one_reader_recognises_a_file() -> None:
    assert {name: recognised(DATA / name) for name in FORMS} == {
        name: [form] for name, form in FORMS.items()
    }


def test_ending_plays_no_part(tmp_path: Path) -> None:
    path = tmp_path / "data.xyz"
    for name in FORMS.keys() - {"poleval", "text2sparql.yaml"}:
        shutil.copyfile(DATA / name, path)
        found = read_questions(path)
        assert found.format == FORMS[name]
        assert found.questions == load(name).questions, name


def test_unknown_format_is_a_wrong_call(refused: Refused) -> None:
    message = refused(
        lambda: read_questions(DATA / "qald.json", ReadOptions(format="quald")), UsageError
    )
    assert message.startswith("unknown question set format 'quald'; did you mean ")


# --- what holds for all


def test_ids_are_unique_texts_there_and_gold_queries_not_blank() -> None:
    for name in FORMS.keys() - {"text2sparql.yaml"}:
        questions = load(name).questions
        assert len({question.id for question in questions}) == len(questions), name
        for question in questions:
            assert question.text().strip() == question.text() != "", (name, question.id)
            assert all(query.strip() for query in question.queries.values()), (name, question.id)


def test_name_and_digest_are_of_the_file() -> None:
    found = load("qald.json")
    assert (found.name, found.sha256) == (
        "qald",
        hashlib.sha256((DATA / "qald.json").read_bytes()).hexdigest(),
    )


def test_a_set_in_rdf_is_called_as_its_file_and_not_as_its_folder(tmp_path: Path) -> None:
    """Its format and its kind of content have one name; only sets of several files are folders."""
    path = tmp_path / "mine.ttl"
    shutil.copy(DATA / "questions.ttl", path)
    assert read_questions(path).name == "mine"


def test_packed_files_are_read(tmp_path: Path) -> None:
    data = (DATA / "qald.json").read_bytes()
    (tmp_path / "set.json.gz").write_bytes(gzip.compress(data))
    (tmp_path / "set.json.bz2").write_bytes(bz2.compress(data))
    with zipfile.ZipFile(tmp_path / "any.zip", "w") as archive:
        archive.writestr("set.json", data)
    for path in tmp_path.iterdir():
        found = read_questions(path)
        assert (found.name, found.questions, found.sha256) == (
            "set",
            load("qald.json").questions,
            load("qald.json").sha256,
        )


@pytest.mark.parametrize(
    "name",
    ["qald.json", "qald.xml", "mkqa.jsonl", "table.csv", "simplequestions.txt", "questions.ttl"],
)
def test_byte_order_mark_is_tolerated(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"\xef\xbb\xbf" + (DATA / name).read_bytes())
    assert read_questions(path).questions == load(name).questions


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in ("qald.xml", "mkqa.jsonl", "table.csv", "simplequestions.txt", "polqa.csv")
        if name in FORMS
    ],
)
def test_line_ends_of_windows_are_tolerated(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes((DATA / name).read_bytes().replace(b"\n", b"\r\n"))
    assert [(q.id, q.texts, q.answers) for q in read_questions(path).questions] == [
        (q.id, q.texts, q.answers) for q in load(name).questions
    ]


def test_lines_of_old_programs_are_read(tmp_path: Path) -> None:
    read = read_file_with(tmp_path, 'id,text\r1,Who rows?\r2,"Who sings,\rand where?"\r', "set.csv")
    assert [(one.id, one.text()) for one in read.questions] == [
        ("1", "Who rows?"),
        ("2", "Who sings,\rand where?"),
    ]


@pytest.mark.parametrize("separator", ["\u2028", "\x85"])
@pytest.mark.parametrize(
    "content", ["id,text\n1,Who{}rows?\n2,Who?\n", '{{"text": "Who{}rows?"}}\n{{"text": "Who?"}}\n']
)
def test_only_line_feeds_and_carriage_returns_end_a_line(
    tmp_path: Path, content: str, separator: str
) -> None:
    read = read_file_with(tmp_path, content.format(separator), "set")
    assert [one.text() for one in read.questions] == [f"Who{separator}rows?", "Who?"]


@pytest.mark.parametrize(
    ("written", "tag"),
    [("pt_BR", "pt-BR"), ("hi-in", "hi-IN"), ("EN", "en"), ("zh_hans_cn", "zh-Hans-CN")],
)
def test_language_tags_have_the_letters_of_bcp_47(tmp_path: Path, written: str, tag: str) -> None:
    read = read_file_with(tmp_path, f'[{{"text": "Who?", "language": "{written}"}}]')
    assert list(read.questions[0].texts) == [tag]


def test_several_queries_in_rdf_stand_under_their_graphs(tmp_path: Path) -> None:
    ours = "http://qald-gen.aksw.org/vocab#"
    main, other = "ASK { wd:Q1 wdt:P2 wd:Q3 }", "ASK { dbr:A dbo:b dbr:C }"
    text = (
        f'<http://x.org/1> <{ours}text> "Who?"@en ; <http://lsq.aksw.org/vocab#text> "{main}" ; '
        f'<{ours}alternativeQuery> "{other}" .'
    )
    one = read_file_with(tmp_path, text, "set.ttl").questions[0]
    assert (dict(one.queries), one.sparql) == ({"wikidata": main, "dbpedia": other}, main)


def test_of_duplicate_keys_the_last_counts_and_it_is_said(tmp_path: Path) -> None:
    found = read_file_with(tmp_path, qald('"answertype": "date", "answertype": "number"'))
    assert found.questions[0].answer_type == "number"
    (note,) = found.notes
    assert note.startswith(
        "the key 'answertype' occurs twice with different values in 1 object (first: {'id': "
    )


def test_third_question_with_an_id_is_numbered_too(tmp_path: Path) -> None:
    text = (
        '[{"id": "a", "text": "1?"}, {"id": "a", "text": "2?"}, {"id": "a#2", "text": "3?"}, {"id":'
        ' "a", "text": "4?"}]'
    )
    assert [question.id for question in read_file_with(tmp_path, text).questions] == [
        "a",
        "a#2",
        "a#2#2",
        "a#3",
    ]


def test_query_without_terms_of_a_graph_joins_the_only_graph_of_the_set(tmp_path: Path) -> None:
    one = (
        '{"id": 1, "text": "A?", "sparql": "ASK { wd:Q1 ?p ?o }"}, {"id": 2, "text": "B?",'
        ' "sparql": "ASK {}"}'
    )
    two = one + ', {"id": 3, "text": "C?", "sparql": "ASK { dbr:A ?p ?o }"}'
    assert [list(q.queries) for q in read_file_with(tmp_path, f"[{one}]").questions] == [
        ["wikidata"],
        ["wikidata"],
    ]
    assert [list(q.queries) for q in read_file_with(tmp_path, f"[{two}]").questions] == [
        ["wikidata"],
        [""],
        ["dbpedia"],
    ]


ROWS_BY_LANGUAGE = (
    "id,language,question,answer\n"
    "7,de,Wie heißt der Fluss?,Donau\n7,en,What is the river called?,Danube\n"
    "8,de,Wo liegt er?,Ulm\n8,de,Wo noch?,Wien\n"
)


@pytest.mark.parametrize(
    ("language", "answer"), [("en", "Danube"), ("de", "Donau"), ("fr", "Donau")]
)
def test_rows_of_one_id_in_several_languages_are_one_question(
    tmp_path: Path, language: str, answer: str
) -> None:
    (tmp_path / "set.csv").write_text(ROWS_BY_LANGUAGE, encoding="utf-8")
    questions = read_questions(tmp_path / "set.csv", ReadOptions(language=language))
    assert [one.id for one in questions] == ["7", "8", "8#2"]  # one language: two questions
    assert dict(questions["7"].texts) == {
        "de": ("Wie heißt der Fluss?",), "en": ("What is the river called?",)
    }  # fmt: skip
    assert questions["7"].answers is not None
    assert questions["7"].answers.values() == [answer]
    assert any(
        "translations of another one with the same id: 1;" in note for note in questions.notes
    )


def test_a_few_equal_ids_in_different_languages_are_no_translations(tmp_path: Path) -> None:
    rows = "".join(f"{at},en,Who is {at}?,Ann\n" for at in range(9))
    (tmp_path / "set.csv").write_text(f"id,language,question,answer\n{rows}3,de,Wo?,Ulm\n")
    questions = read_questions(tmp_path / "set.csv")
    assert (len(questions), questions["3#2"].text("de")) == (10, "Wo?")
    assert not any("translations" in note for note in questions.notes)


@pytest.mark.parametrize("column", ["origin", "split"])
def test_equal_ids_in_different_sets_are_no_translations(tmp_path: Path, column: str) -> None:
    rows = "7,de,Wo?,Ulm,a\n7,en,Who?,Ada,b\n7,fr,Qui?,Ada,b\n"
    (tmp_path / "set.csv").write_text(f"id,language,question,answer,{column}\n{rows}")
    questions = read_questions(tmp_path / "set.csv")
    assert [sorted(one.texts) for one in questions] == [["de"], ["en", "fr"]]
    assert [one.answers and one.answers.values() for one in questions] == [["Ulm"], ["Ada"]]


@pytest.mark.parametrize("name", ["set.json", "set.json.gz", "set.zip"])
def test_a_file_with_questions_and_answers_is_opened_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path, data = tmp_path / name, b'[{"question": "Who?", "answer": "Ann", "prediction": "Bo"}]'
    if name.endswith(".zip"):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("set.json", data)
    else:
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    opened: list[Path] = []

    def noted(file: Path) -> BinaryIO:
        opened.append(file)
        return open_input(file)

    monkeypatch.setattr(unpacking, "open_input", noted)
    assert len(qg.score(path).counts) == 1
    assert opened == [path]
