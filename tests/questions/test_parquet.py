"""Parquet, also as the library `datasets` writes it."""

from __future__ import annotations

import builtins
import datetime
import decimal
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from qaldgen.model import Answers
from qaldgen.questions.reading import read_questions

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
Refused = Callable[..., str]


def write(
    folder: Path,
    columns: Mapping[str, Any],
    features: object = None,
    name: str = "test-00000-of-00001.parquet",
) -> Path:
    """Write a Parquet file, with the features of a data set of Hugging Face."""
    table = pa.table(dict(columns))
    if features is not None:
        table = table.replace_schema_metadata(
            {"huggingface": json.dumps({"info": {"features": features}})}
        )
    parquet.write_table(table, folder / name)
    return folder / name


def test_rows_are_records(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {"id": [1, 2], "question": ["Who?", "Where?"], "answer": [["Ann", "Anne"], ["Oslo"]]},
    )
    found = read_questions(path)
    assert (found.format, found.name) == ("json-records", "test-00000-of-00001")
    assert [(one.id, one.answers) for one in found.questions] == [
        ("1", Answers(texts=(("Ann", "Anne"),))), ("2", Answers(texts=(("Oslo",),)))
    ]  # fmt: skip


def test_known_data_sets_are_recognised(tmp_path: Path) -> None:
    answer = {"value": "Ann", "aliases": ["Anne"], "type": "FreeForm"}
    path = write(
        tmp_path,
        {
            "question": ["Who?"],
            "question_id": ["tc_1"],
            "question_source": ["x"],
            "answer": [answer],
        },
    )
    found = read_questions(path)
    assert (found.format, found.questions[0].answers) == (
        "triviaqa",
        Answers(texts=(("Ann", "Anne"),)),
    )


def test_squad_of_the_hub(tmp_path: Path) -> None:
    answers = [{"text": ["Ann"], "answer_start": [4]}, {"text": [], "answer_start": []}]
    found = read_questions(
        write(
            tmp_path,
            {
                "id": ["a", "b"],
                "context": ["x" * 2000] * 2,
                "question": ["Who?", "Why?"],
                "answers": answers,
            },
        )
    )
    assert [one.answers for one in found.questions] == [Answers(texts=(("Ann",),)), Answers()]
    assert found.notes == ("not read, because they contain objects or long texts: 'context'",)


def test_numbers_of_classes_are_called_by_their_names(tmp_path: Path) -> None:
    features = {
        "label": {"names": ["tea", "ale"], "_type": "ClassLabel"},
        "question": {"dtype": "string", "_type": "Value"},
    }
    found = read_questions(
        write(tmp_path, {"question": ["A?", "B?", "C?"], "label": [1, 0, -1]}, features)
    )
    assert [one.answers for one in found.questions] == [
        Answers(texts=(("ale",),)),
        Answers(texts=(("tea",),)),
        None,
    ]


def test_values_that_json_does_not_have(tmp_path: Path) -> None:
    columns = {
        "question": ["When?", "How?"], "answer": pa.array([datetime.date(2001, 2, 3), None]),
        "cost": [decimal.Decimal("1.50"), None], "share": [float("nan"), 0.5],
        "picture": [b"\x00\x01", None],
    }  # fmt: skip
    first, second = read_questions(write(tmp_path, columns)).questions
    assert (first.answers, first.metadata) == (Answers(texts=(("2001-02-03",),)), {"cost": "1.50"})
    assert (second.answers, second.metadata) == (None, {"share": "0.5"})


def test_index_of_pandas_is_no_column(tmp_path: Path) -> None:
    found = read_questions(write(tmp_path, {"question": ["Who?"], "__index_level_0__": [7]}))
    assert (found.questions[0].id, found.questions[0].metadata) == ("1", {})


def test_damaged_file_is_refused(tmp_path: Path, refused: Refused) -> None:
    path = write(tmp_path, {"question": ["Who?"]})
    path.write_bytes(path.read_bytes()[:-20])
    assert "the Parquet is damaged" in refused(lambda: read_questions(path))


def test_without_its_package_it_is_said_what_to_install(
    tmp_path: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, real = write(tmp_path, {"question": ["Who?"]}), builtins.__import__

    def without(name: str, *more: Any, **options: Any) -> Any:  # noqa: ANN401
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *more, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    said = refused(lambda: read_questions(path))
    assert (
        said == f"{path}: is Parquet; to read it, install pyarrow: pip install 'qaldgen[parquet]'"
    )
