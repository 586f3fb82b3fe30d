"""PolEval and PolQA as question sets."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from format_files import DATA, load

from qaldgen.cli.main import cli
from qaldgen.errors import UsageError
from qaldgen.model import Answers, LeftOut
from qaldgen.questions.collecting import SKIP_HINT, ReadOptions
from qaldgen.questions.reading import read_questions


def test_poleval_folder_and_file_are_the_same() -> None:
    assert load("poleval") == load("poleval/in.tsv")


def test_poleval_variants_stand_between_tabs_and_only_the_line_is_stripped() -> None:
    first, second, third = load("poleval").questions
    assert first.answers == Answers(texts=(("Kumka", "Żaba Kumka"),))
    assert second.answers == Answers(texts=(("cztery", "4"),))
    assert third.answers == Answers(texts=(("nie",),))
    assert third.texts == {"pl": ("Czy kot umie czytać?",)}


def test_poleval_variants_are_not_stripped_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "in.tsv").write_text("Kto?\n", encoding="utf-8")
    (tmp_path / "expected.tsv").write_text(" a \t b\n", encoding="utf-8")
    assert read_questions(tmp_path).questions[0].answers == Answers(texts=(("a ", " b"),))


def test_poleval_without_expected_has_no_answers(tmp_path: Path) -> None:
    folder = tmp_path / "test-B"
    folder.mkdir()
    (folder / "in.tsv").write_text("Kto?\n\nCo?\n", encoding="utf-8")
    found = read_questions(folder)
    assert (found.name, [(q.id, q.answers, q.split) for q in found.questions]) == (
        "test-B", [("1", None, "test-B"), ("3", None, "test-B")]
    )  # fmt: skip
    assert found.left_out == (LeftOut("2", "no text in any language"),)


def test_poleval_digest_covers_the_answers(tmp_path: Path) -> None:
    shutil.copytree(DATA / "poleval", tmp_path / "a")
    (tmp_path / "a" / "expected.tsv").write_text("1\n2\n3\n", encoding="utf-8")
    assert read_questions(tmp_path / "a").sha256 != load("poleval").sha256


def test_poleval_name_with_a_table_in_it_is_a_table(tmp_path: Path) -> None:
    (tmp_path / "in.tsv").write_text("id\ttext\n1\tWho?\n", encoding="utf-8")
    assert read_questions(tmp_path / "in.tsv").format == "table"


def test_polqa_rows_of_a_question_are_one_question() -> None:
    first, second = load("polqa.csv").questions
    assert first.answers == Answers(texts=(("cztery", "4"),))
    assert (first.split, first.texts) == ("train", {"pl": ("Ile nóg ma stół z bajki?",)})
    assert first.metadata == {
        "question_formulation": "QUESTION", "question_type": "SINGLE ENTITY",
        "entity_type": "UNNAMED", "entity_subtype": "COUNT", "relevant_passages": "10-1",
    }  # fmt: skip
    assert second.answer_type == "boolean"
    assert "entity_subtype" not in second.metadata


def test_polqa_as_json_lines() -> None:
    first, second = load("polqa.jsonl").questions
    assert first.answers == Answers(texts=(("Szczur", "szczurek"),))
    assert first.metadata["question_type"] == "MULTIPLE ENTITIES"
    assert second.answers == Answers()


def test_poleval_files_of_different_length_are_refused(
    tmp_path: Path, refused: Callable[..., str]
) -> None:
    (tmp_path / "in.tsv").write_text("Kto?\nCo?\n", encoding="utf-8")
    (tmp_path / "expected.tsv").write_text("ja\n", encoding="utf-8")
    said = refused(lambda: read_questions(tmp_path))
    assert (
        said == f"{tmp_path / 'expected.tsv'}: has 1 lines, in.tsv has 2; the numbers must be equal"
    )


def test_given_format_is_not_looked_for(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text("Kto to?\nCo to?\n", encoding="utf-8")
    assert [
        q.text("pl") for q in read_questions(path, ReadOptions(format="poleval")).questions
    ] == [
        "Kto to?",
        "Co to?",
    ]


@pytest.mark.parametrize(("split", "counts"), [
    ("dev-0", {1: 890, 2: 104, 3: 5, 5: 1}), ("test-A", {1: 2178, 2: 307, 3: 14, 4: 1}),
])  # fmt: skip
def test_poleval_has_as_many_variants_as_its_paper_says(
    split: str, counts: dict[int, int], shared_data: Path
) -> None:
    path = shared_data / "poleval-2021" / split
    if not path.exists():
        pytest.skip(f"the published data are not at {path}; set QALDGEN_TEST_DATA to their folder")
    found = read_questions(path)
    assert (
        Counter(len(q.answers.texts[0]) for q in found.questions if q.answers is not None) == counts
    )
    assert {q.split for q in found.questions} == {split}


@pytest.mark.parametrize("name", ["in.tsv", "expected.tsv"])
@pytest.mark.parametrize("given", ["poleval", "poleval/in.tsv"])
def test_both_files_of_poleval_are_inputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("poleval").mkdir()
    for one in ("in.tsv", "expected.tsv"):
        Path("poleval", one).write_text("Co to jest?\n", encoding="utf-8")
    words = f"annotate {given} --no-cache --force -o poleval/{name}".split()
    result = CliRunner().invoke(cli, words)
    assert isinstance(result.exception, UsageError)
    assert "is an input of this command" in str(result.exception)


ANSWERS = "answers as texts, or objects with text, value, answer or uri is expected"


@pytest.mark.parametrize(("content", "said"), [
    ('{"question_id": 4, "passage_wiki": "1-1"}\n{"question_id": 5, "question": "Kto?"}\n',
     "record 1 (id 4): field 'question' is missing; the text of the question is "
     f"expected{SKIP_HINT}"),
    ('[{"question_id": 4, "passage_wiki": "1-1", "question": "Kto?", "answers": {}}]',
     f"record 1 (id 4): field 'answers' is an object; {ANSWERS}"),
])  # fmt: skip
def test_broken_rows_of_polqa(
    tmp_path: Path, refused: Callable[..., str], content: str, said: str
) -> None:
    path = tmp_path / "set"
    path.write_text(content, encoding="utf-8")
    assert refused(lambda: read_questions(path)) == f"{path}: {said}"
