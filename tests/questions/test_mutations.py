"""Damaged files are refused in words, within bounds of time: no traceback, whatever the damage."""

from __future__ import annotations

import io
import json
import random
import re
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from format_files import DATA

from qaldgen.answers.reading import read_run
from qaldgen.errors import QaldgenError
from qaldgen.questions.reading import read_questions

SIGNS = [
    "\x00", "\r", "\x0b", "\x1b", "\x1c", "\x85", "\u2028", "\u202e", "\ufeff", "\\ud83d", '"', "'",
    "{", "[", "]", "}", ",", ":", "\n", "\t", "\\", "<", ">", "&", "|", ";", "%", "^^", "@en", "#",
]  # fmt: skip
NUMBERS = [
    "1e400", "NaN", "-Infinity", f"1{'0' * 400}", "9" * 5000, "-0", "0x10", "1_000", "300000000",
    "null", "true", "[]", "{}", "\u00b2",
]  # fmt: skip
NAMES = [b"id", b"answer", b"dc:title", b"x" * 9999]
NESTS = [("[", "]"), ('{"a":', "}"), ("(", ")"), ("<a>", "</a>"), ('[{"question":', "}]")]
_NUMBER, _WORD = re.compile(rb'-?\d+(?:\.\d+)?|"[^"\n]{0,40}"'), re.compile(rb"[A-Za-z_]{2,}")


def damaged(rng: random.Random, data: bytes) -> bytes:
    """Return data with one to three faults, as programs, people and networks make them."""
    for _ in range(rng.choice([1, 1, 2, 3])):
        at = rng.randrange(len(data) + 1)
        end = min(len(data), at + rng.choice([1, 5, 50, 500]))
        before, middle, after = data[:at], data[at:end], data[end:]
        opening, closing = (part.encode() for part in rng.choice(NESTS))
        depth = rng.choice([30, 1200, 20_000])
        words = list(_WORD.finditer(data))
        numbers = list(_NUMBER.finditer(data))
        data = rng.choice([
            before + bytes([rng.randrange(256)]) + after, before, before + after,
            before + middle * rng.choice([2, 50]) + after,
            before + rng.choice(SIGNS).encode() + middle + after,
            _replaced(data, rng.choice(numbers or [None]), rng.choice(NUMBERS).encode()),
            _replaced(data, rng.choice(words or [None]), rng.choice(NAMES)),
            data.replace(b"\n", rng.choice([b"\r", b"\r\n", b"\n\r"]), rng.choice([1, -1])),
            before + opening * depth + middle + closing * rng.choice([depth, 0]) + after,
            before + rng.choice([b"x" * 99_999, b"a," * 9_999, b'"' * 5001]) + middle + after,
        ])  # fmt: skip
    return data[:1_000_000]


def _replaced(data: bytes, match: re.Match[bytes] | None, new: bytes) -> bytes:
    return data if match is None else data[: match.start()] + new + data[match.end() :]


def packed(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


def workbook(rows: list[list[object]]) -> bytes:
    openpyxl = pytest.importorskip("openpyxl")
    book, made = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(made)
    return made.getvalue()


def refused_or_read(path: Path) -> None:
    for read in (read_questions, read_run):
        started = time.process_time()
        try:
            read(path)
        except QaldgenError as error:
            assert len(str(error)) < 5000
        assert time.process_time() - started < 20


@pytest.mark.parametrize("name", sorted(path.name for path in DATA.iterdir() if path.is_file()))
def test_damaged_files_are_refused_in_words(name: str, tmp_path: Path) -> None:
    data = (DATA / name).read_bytes()
    for seed in range(6):
        path = tmp_path / name
        path.write_bytes(damaged(random.Random(f"{name} {seed}"), data))
        refused_or_read(path)


def test_damaged_archives_are_refused_in_words(tmp_path: Path) -> None:
    whole = packed({"set.csv": b"question,answer\nWhich moon?,Deimos\n"})
    path = tmp_path / "set.zip"
    for seed in range(200):
        path.write_bytes(damaged(random.Random(seed), whole))
        refused_or_read(path)


def test_damaged_workbooks_are_refused_in_words(tmp_path: Path) -> None:
    whole = workbook([["question", "answer"], ["Which moon?", "Deimos"], ["How many?", 2]])
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    path = tmp_path / "set.xlsx"
    for seed in range(60):
        rng = random.Random(seed)
        name = rng.choice(list(files))
        path.write_bytes(packed({**files, name: damaged(rng, files[name])}))
        refused_or_read(path)


# --- single cases


@pytest.mark.parametrize("read", [read_questions, read_run])
def test_a_zip_whose_directory_has_a_wrong_place_is_refused(
    read: Callable[[Path], object], tmp_path: Path, refused: Callable[..., str]
) -> None:
    whole = bytearray(packed({"set.csv": b"question,answer\nWhich moon?,Deimos\n"}))
    whole[-6:-2] = (2**31).to_bytes(4, "little")
    (tmp_path / "set.zip").write_bytes(bytes(whole))
    assert "the zip is damaged" in refused(lambda: read(tmp_path / "set.zip"))


def test_a_cell_far_away_is_refused(tmp_path: Path, refused: Callable[..., str]) -> None:
    whole = workbook([["question", "answer"], ["Which moon?", "Deimos"]])
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    far = files[sheet].replace(b'r="2"', b'r="300000000"').replace(b'"A2"', b'"A300000000"')
    (tmp_path / "set.xlsx").write_bytes(packed({**files, sheet: far}))
    assert "spans 300,000,000 rows" in refused(lambda: read_questions(tmp_path / "set.xlsx"))


def test_a_carriage_return_in_a_table_of_one_column_is_white_space(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_bytes(b"answer\nUlm\rBonn\n")
    found = read_run(tmp_path / "run.csv").responses.values()
    assert [one.answers and one.answers.values() for one in found] == [["Ulm Bonn"]]


def test_a_table_of_too_many_columns_is_refused(
    tmp_path: Path, refused: Callable[..., str]
) -> None:
    header = ",".join(["id", "question", "answer", *map(str, range(20_000))])
    (tmp_path / "set.csv").write_text(f"{header}\n1,Which moon?,Deimos\n")
    assert "has more than 10,000 columns" in refused(lambda: read_questions(tmp_path / "set.csv"))


def test_a_long_message_is_cut() -> None:
    error = QaldgenError(f"the id is {'x' * 100_000}; give a short one")
    assert len(str(error)) < 5000
    assert str(error).endswith("; give a short one")


def test_candidates_with_huge_scores_are_compared(tmp_path: Path) -> None:
    record = {"id": "1", "question": "Which?", "prediction": {"Ulm": 10**400, "Bonn": 1}}
    (tmp_path / "run.json").write_text(json.dumps([record]))
    answers = read_run(tmp_path / "run.json").responses["1"].answers
    assert answers is not None
    assert answers.values() == ["Ulm"]
