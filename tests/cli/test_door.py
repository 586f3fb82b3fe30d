"""What people have goes straight into the verbs."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result

import qaldgen as qg
from qaldgen.cli.main import cli
from qaldgen.errors import UsageError


def called(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(one) for one in arguments])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "mine.csv"
    path.write_text(
        "question,gold,prediction\nWhere is the minster?,Ulm,in Ulm\nWho came?,Ann,Bo\n"
    )
    return path


@pytest.mark.parametrize("verb", ["score", "slices"])
def test_a_table_with_both_needs_no_run(table: Path, verb: str) -> None:
    done = called(verb, table)
    assert done.exit_code == 0, done.output
    assert "mine" in done.output


def test_without_a_prediction_the_columns_are_named(tmp_path: Path) -> None:
    path = tmp_path / "gold.csv"
    path.write_text("question,answer\nWhere is the minster?,Ulm\n")
    done = called("score", path)
    assert isinstance(done.exception, UsageError)
    assert "'answer' is taken for the gold answers" in str(done.exception)
    assert "'prediction'" in str(done.exception)


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "asked.json"
    rows = [
        {"id": f"q{at}", "question": f"{word} is in town{' or not' * at}?", "answers": ["Ulm"]}
        for at, word in enumerate(["Who", "What", "Which mill", "Where", "How much"])
    ]
    path.write_text(json.dumps(rows))
    return path


@pytest.mark.parametrize("call", [("sample", "-n", 3), ("select",), ("cluster", "-k", 2)])
def test_a_question_set_is_annotated_on_the_way(questions: Path, call: tuple[object, ...]) -> None:
    done = called(call[0], questions, *call[1:])
    assert done.exit_code == 0, done.output
    assert "its features are computed on the way" in done.stderr


def test_questions_in_another_language_alone_have_its_features(tmp_path: Path) -> None:
    path = tmp_path / "eo.csv"
    rows = [f"Kio estas numero {'unu ' * at},eo\n" for at in range(6)]
    path.write_text("question,language\n" + "".join(rows))
    done = called("sample", path, "-n", 3)
    assert done.exit_code == 0, done.output
    assert "no question has a text in 'en'; they are read in 'eo'" in done.stderr
    assert "?nouns, ?adjectives" in done.stderr
    assert "2 features" in done.stdout + done.stderr


def test_a_sample_is_that_of_the_annotated_file(questions: Path, tmp_path: Path) -> None:
    assert called("annotate", questions, "-o", tmp_path / "f.ttl").exit_code == 0
    direct, apart = (
        called("sample", data, "-n", 3).stdout for data in (questions, tmp_path / "f.ttl")
    )
    assert direct == apart


def test_python_samples_what_it_is_given(questions: Path) -> None:
    frame = pd.read_json(questions)
    assert len(qg.sample(questions, 3)) == len(qg.sample(frame, 3)) == 3
    assert len(qg.select(qg.load(questions))) == len(
        qg.cluster(questions, 2).pool_clusters[0]
    ) + len(qg.cluster(questions, 2).pool_clusters[1])


def test_the_usual_query_fits_what_annotate_wrote(tmp_path: Path) -> None:
    path = tmp_path / "asked.csv"
    path.write_text(
        "question,sparql\n"
        "Who is in Ulm?,SELECT ?a { ?a <http://x.org/in> <http://x.org/Ulm> }\n"
        "Is it old?,ASK { <http://x.org/Ulm> <http://x.org/age> ?b . ?b a <http://x.org/Old> }\n"
    )
    vectors = qg.select(path)
    assert vectors.query is not None and vectors.query.name == "annotated"
    assert len(vectors) == 2


def test_broken_rdf_is_not_taken_for_questions(tmp_path: Path) -> None:
    path = tmp_path / "features.ttl"
    path.write_text("@prefix x: <http://x.org/> .\nx:a x:b\n")
    with pytest.raises(qg.DataError, match="features"):
        qg.sample(path, 1)


@pytest.mark.parametrize("verb", ["score", "compare", "slices"])
def test_a_table_with_a_column_for_each_system(tmp_path: Path, verb: str) -> None:
    path = tmp_path / "wide.csv"
    rows = "".join(f"Who is {at}?,Ann,Ann,{'Ann' if at % 2 else 'Bo'}\n" for at in range(12))
    path.write_text(f"question,gold,tiny answer,huge answer\n{rows}")
    done = called(verb, path)
    assert done.exit_code == 0, done.output
    assert "tiny answer" in done.output and "huge answer" in done.output


def test_one_system_beside_the_questions_is_too_few_to_compare(table: Path) -> None:
    assert "at least two runs" in str(called("compare", table).exception)


@pytest.mark.parametrize("ends", [b"\r", b"\r\n"])
def test_lines_end_as_the_program_wrote_them(tmp_path: Path, ends: bytes) -> None:
    path = tmp_path / "mine.jsonl"
    rows = [{"question": f"Who is {at}?", "gold": "Ann", "output": "Ann"} for at in range(3)]
    path.write_bytes(ends.join(json.dumps(row).encode() for row in rows))
    assert qg.score(path).measures()["value"]["macro-f1"] == 1


def test_the_rule_of_a_markdown_table_is_no_row(tmp_path: Path) -> None:
    path = tmp_path / "mine.md"
    path.write_text("| question | gold | output |\n|:--|---|--:|\n| Who? | Ann | Ann |\n")
    assert qg.score(path).counts["f1"].tolist() == [1.0]
