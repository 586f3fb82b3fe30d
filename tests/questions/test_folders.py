"""Folders: data sets of Hugging Face as they are saved and published, and folders with one log."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_logs import inspect_sample, json_file, lines_file

from qaldgen.answers.reading import read_run
from qaldgen.errors import DataError
from qaldgen.questions.collecting import ReadOptions
from qaldgen.questions.reading import read_questions

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
ROWS = [{"id": str(at), "question": f"Which town is {at}?", "answers": ["Ulm"]} for at in range(6)]


def parquet_file(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.Table.from_pylist(rows), path)


def arrow_file(path: Path, rows: list[dict[str, Any]], *, stream: bool = True) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pa.Table.from_pylist(rows)
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(path, table.schema) as writer:
        writer.write_table(table)
    return path


def saved(folder: Path, *shards: list[dict[str, Any]]) -> Path:
    names = [f"data-{at:05}-of-{len(shards):05}.arrow" for at in range(len(shards))]
    for name, rows in zip(names, shards, strict=True):
        arrow_file(folder / name, rows)
    json_file(folder / "state.json", {"_data_files": [{"filename": name} for name in names]})
    return folder


def ids(path: Path) -> list[str]:
    return [one.id for one in read_questions(path).questions]


def test_json_lines_beside_a_card_are_a_data_set(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("---\nlicense: mit\n---\n# Towns\n")
    (tmp_path / "data").mkdir()
    lines_file(tmp_path / "data" / "test-00000-of-00001.jsonl", ROWS[:2])
    assert ids(tmp_path) == ids(tmp_path / "data") == ["0", "1"]
    lines_file(tmp_path / "data" / "train.jsonl", ROWS[2:])
    json_file(tmp_path / "dataset_infos.json", {"default": {}})
    found = read_questions(tmp_path)
    assert [one.split for one in found.questions] == ["test"] * 2 + ["train"] * 4
    assert found.notes[0].startswith("all splits are read: test (2), train (4)")


def test_a_broken_line_of_a_data_set_is_named(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Towns\n")
    lines_file(tmp_path / "test.jsonl", ROWS[:2])
    lines_file(tmp_path / "train.jsonl", ROWS[2:])
    with (tmp_path / "train.jsonl").open("a") as file:
        file.write('{"id": \n')
    assert [
        one.reason for one in read_questions(tmp_path, ReadOptions(skip_broken=True)).left_out
    ] == ["line 5 is invalid JSON at column 8: Expecting value"]


@pytest.mark.parametrize("name", ["train-00000-of-00001.json.gz", "train.jsonl.gz"])
def test_a_packed_split_is_read_beside_a_plain_one(tmp_path: Path, name: str) -> None:
    (tmp_path / "README.md").write_text("# Towns\n")
    lines_file(tmp_path / "test.jsonl", ROWS[:2])
    lines = lines_file(tmp_path / "rest.txt", ROWS[2:]).read_bytes()
    (tmp_path / name).write_bytes(gzip.compress(lines))
    assert [one.split for one in read_questions(tmp_path).questions] == ["test"] * 2 + ["train"] * 4


@pytest.mark.parametrize("stream", [True, False])
def test_an_arrow_file_is_read(tmp_path: Path, stream: bool) -> None:
    assert ids(arrow_file(tmp_path / "x.arrow", ROWS, stream=stream)) == list("012345")


def test_a_damaged_arrow_file_is_refused(tmp_path: Path) -> None:
    path = arrow_file(tmp_path / "x.arrow", ROWS)
    path.write_bytes(path.read_bytes()[:200])

    with pytest.raises(DataError, match="Arrow is damaged"):
        read_questions(path)


def test_the_shards_of_a_split_are_read_in_order(tmp_path: Path) -> None:
    for at in (1, 0):
        parquet_file(
            tmp_path / "data" / f"test-0000{at}-of-00002.parquet", ROWS[3 * at : 3 * at + 3]
        )

    assert ids(tmp_path) == list("012345")


def test_what_save_to_disk_wrote_is_read_in_the_order_of_its_parts(tmp_path: Path) -> None:
    assert ids(saved(tmp_path / "set", ROWS[:4], ROWS[4:])) == list("012345")


def test_several_splits_are_read_and_told_of(tmp_path: Path) -> None:
    for name, rows in (("train", ROWS[:4]), ("test", ROWS[4:])):
        saved(tmp_path / name, rows)
    json_file(tmp_path / "dataset_dict.json", {"splits": ["train", "test"]})

    found = read_questions(tmp_path)

    assert [one.split for one in found.questions] == ["test"] * 2 + ["train"] * 4
    assert any("test (2), train (4)" in note for note in found.notes)
    assert ids(tmp_path / "test") == ["4", "5"]


def test_several_configurations_are_named(tmp_path: Path) -> None:
    for name in ("en", "pl"):
        parquet_file(tmp_path / name / "test-00000-of-00001.parquet", ROWS)

    with pytest.raises(DataError, match=r"several data sets \(en, pl\)"):
        read_questions(tmp_path)
    assert len(ids(tmp_path / "pl")) == 6


def test_a_folder_is_a_run_where_it_has_predictions(tmp_path: Path) -> None:
    parquet_file(tmp_path / "test.parquet", [{**row, "prediction": "Bonn"} for row in ROWS])

    assert read_run(tmp_path).responses["0"].answers.values() == ["Bonn"]  # type: ignore[union-attr]


def test_caches_and_hidden_files_are_no_data(tmp_path: Path) -> None:
    saved(tmp_path, ROWS)
    (tmp_path / "state.json").unlink()
    arrow_file(tmp_path / "cache-0123456789abcdef.arrow", ROWS)
    arrow_file(tmp_path / ".hidden" / "x.arrow", ROWS)

    assert ids(tmp_path) == list("012345")


@pytest.mark.parametrize("read", [read_run, read_questions])
def test_any_other_folder_is_refused_with_what_it_could_be(
    tmp_path: Path, read: Callable[[Path], object]
) -> None:
    json_file(tmp_path / "x.json", inspect_sample("1"))

    with pytest.raises(DataError, match=r"name one of them \(x\.json\)\. .* Hugging Face"):
        read(tmp_path)
