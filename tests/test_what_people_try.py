"""Calls of somebody who has not read the docs work, or say what to do."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

import qaldgen as qg
from qaldgen.cli.main import cli
from qaldgen.errors import UsageError
from qaldgen.plugins.labelling import label

ROWS = [{"id": f"q{at}", "question": f"Who is number {at}?", "answer": "Ann"} for at in range(8)]
GOOD = {row["id"]: "Ann" for row in ROWS}
BAD = {row["id"]: "Ann" if at % 3 else "Bo" for at, row in enumerate(ROWS)}


@pytest.mark.parametrize("data", [5, None, ["Who is it?"], [1, 2]])
@pytest.mark.parametrize("verb", [qg.load, qg.read_run, qg.annotate])
def test_what_is_no_data_is_refused(verb: Callable[[Any], object], data: object) -> None:
    with pytest.raises(UsageError, match=r"cannot be read as|is neither"):
        verb(data)


def test_texts_alone_need_a_name() -> None:
    with pytest.raises(UsageError, match=r"make each item a dict, such as \{'question'"):
        qg.load(["Who is it?"])  # type: ignore[list-item]


def test_a_result_fits_into_a_cell_of_a_table() -> None:
    table = pd.DataFrame({"system": ["good", "bad"]})
    for result in (qg.score(ROWS, GOOD), qg.compare(ROWS, [GOOD, BAD]), qg.slices(ROWS, GOOD)):
        table["result"] = result  # type: ignore[call-overload]
        assert table["result"].tolist() == [result, result]
        assert pd.Series([result]).iloc[0] is result
        assert result  # not empty, although it has no length
        assert not hasattr(result, "__array__")


def test_records_become_a_table() -> None:
    assert list(pd.DataFrame(list(qg.load(ROWS)))["id"]) == [row["id"] for row in ROWS]


def test_public_functions_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(qg.compare)) is qg.compare


def test_results_can_still_be_copied() -> None:
    questions = qg.load(ROWS)
    assert pickle.loads(pickle.dumps(questions)) == copy.deepcopy(questions) == questions


def test_questions_by_place_and_by_id() -> None:
    questions = qg.load(ROWS)
    assert questions[1] is questions["q1"] is questions.questions[1]
    with pytest.raises(KeyError):
        questions["1"]


def test_an_unknown_name_of_the_package_lists_its_functions() -> None:
    with pytest.raises(
        AttributeError, match=r"did you mean .*read_run.* its functions are annotate"
    ):
        _ = qg.read


def test_a_frame_is_annotated() -> None:
    assert len(qg.annotate(pd.DataFrame(ROWS))) == len(ROWS)


@pytest.mark.parametrize("runs", [{"good": GOOD, "bad": BAD}, {"good": list(ROWS), "bad": BAD}])
def test_a_dict_names_the_runs(runs: dict[str, Any]) -> None:
    assert set(qg.compare(ROWS, runs).overall.index) == {"good", "bad"}


def test_a_dict_of_answers_is_one_run() -> None:
    assert qg.score(ROWS, {"q0": ["Ann", "Bo"]}).name == "run"


def run_folder(tmp_path: Path) -> tuple[Path, Path]:
    folder = tmp_path / "runs"
    folder.mkdir()
    pd.Series(GOOD, name="answer").rename_axis("id").to_csv(folder / "good.csv")
    pd.Series(BAD, name="answer").rename_axis("id").to_csv(folder / "bad.csv")
    (folder / "notes.md").write_text("mine\n")
    gold = folder / "gold.csv"
    pd.DataFrame(ROWS).to_csv(gold, index=False)
    return gold, folder


def test_a_folder_stands_for_its_runs_without_the_questions(tmp_path: Path) -> None:
    gold, folder = run_folder(tmp_path)
    done = CliRunner().invoke(cli, ["score", str(gold), str(folder), "--format", "csv"])
    assert done.exit_code == 0, done.output
    assert "bad" in done.stdout
    assert "good" in done.stdout
    assert "notes" not in done.stdout


def test_a_folder_of_runs_in_python(tmp_path: Path) -> None:
    gold, folder = run_folder(tmp_path)
    gold.unlink()
    assert set(qg.compare(ROWS, str(folder)).overall.index) == {"good", "bad"}
    with pytest.raises(UsageError, match=r"one run .* not 2 of them"):
        qg.score(ROWS, str(folder))


def test_a_plan_takes_questions_and_runs() -> None:
    made = qg.plan(ROWS, {"good": GOOD, "bad": BAD})
    assert made.errors["system"].tolist() == ["good", "bad"]
    assert any(note.endswith("matched by contains") for note in made.notes)
    assert made.differences["difference"].tolist() == [pytest.approx(3 / 8)]


def test_a_plan_for_a_difference() -> None:
    pilot = pd.DataFrame({"a": [1, 0, 1, 1] * 50, "b": [0, 1, 1, 1] * 40 + [1] * 40})
    small, large = (qg.plan(pilot, difference=size).differences for size in (0.05, 0.2))
    assert small["difference"].tolist() == [0.05]
    assert small["random"][0] > 4 * large["random"][0]


@pytest.mark.parametrize(
    ("scores", "asked", "told"),
    [
        ([1, 0, 1, 0], {}, "are equal on every question"),
        ([0.9, 0.4, 0.9, 0.4], {}, "equal on average"),
        ([0, 0, 1, 0], {"pool_size": 20}, "not even all 20 questions of the pool would show"),
    ],
)
def test_a_plan_says_why_there_is_no_number(
    scores: list[float], asked: dict[str, Any], told: str
) -> None:
    first = [1, 0, 1, 0] if told != "equal on average" else [1, 0.3, 1, 0.3]
    made = qg.plan(pd.DataFrame({"a": first, "b": scores}), **asked)
    assert made.differences["random"].tolist() == [None]
    assert [note for note in made.notes if note.startswith("a - b: ")]
    assert told in " ".join(made.notes)


def test_tiny_differences_need_no_simulation() -> None:
    pilot = pd.DataFrame({"a": [1, 0] * 50_000, "b": [0, 1] * 500 + [1, 0] * 49_500})
    pilot.loc[2_000, "b"] = 0
    (questions,) = qg.plan(pilot).differences["random"]
    assert questions > 10_000_000


def test_a_difference_is_planned_whichever_system_comes_first() -> None:
    pilot = pd.DataFrame({"a": [1, 1, 1, 0] * 10, "b": [1, 1, 0, 0] * 10})
    sizes = [
        qg.plan(pilot[order], difference=0.1).differences["random"].tolist()
        for order in (["a", "b"], ["b", "a"])
    ]
    assert sizes[0] == sizes[1] != [None]


def test_a_report_is_saved(tmp_path: Path) -> None:
    made = qg.report(ROWS, {"good": GOOD, "bad": BAD})
    assert made.save(tmp_path / "r.md") == [tmp_path / "r.md"]


def test_weak_spots_and_worksheets_print_as_one_line() -> None:
    rows = [{"id": str(at), "question": f"Who is {at}?", "answer": "Ann"} for at in range(200)]
    for at in range(60):
        rows[at]["question"] = f"How many are {at}?"
    found = qg.slices(rows, {str(at): "Bo" if at < 50 else "Ann" for at in range(200)})
    (spot,) = found.spots["run"]
    assert repr(spot).startswith('<WeakSpot the question says "how many" (0.17 here')
    assert "\n" not in repr(spot)
    assert len(repr(spot)) < 200
    sheet = label(rows, qg.read_run({str(at): "Bo" for at in range(200)}, gold=qg.load(rows)))
    assert repr(sheet).startswith("<Worksheet: ")
    assert len(repr(sheet)) < 200


def test_a_search_that_finds_nothing_prints_no_empty_table(tmp_path: Path) -> None:
    gold, folder = run_folder(tmp_path)
    done = CliRunner().invoke(cli, ["slices", str(gold), str(folder / "bad.csv")])
    assert done.exit_code == 0, done.output
    assert done.stdout == ""
    assert "too few to search" in done.stderr


def test_answers_without_ids_are_not_said_to_have_other_ids() -> None:
    named = [{"question": row["question"], "prediction": "Ann"} for row in ROWS]
    assert not any("ids" in note for note in qg.score(ROWS, named).notes)
    other = [*named, {"question": "Who else?", "prediction": "Bo"}]
    assert any("8 questions of 9 were found" in note for note in qg.score(ROWS, other).notes)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (["help", "score"], "write: qaldgen score --help"),
        (["plan", "gold"], "give a table or a log with scores, or the questions and the answers"),
        (["compare", "gold", "good"], "at least two runs (GOLD RUN RUN); use 'qaldgen score'"),
        (["export", "good"], "is no RDF; a benchmark in RDF"),
        (["score", "gold", "good", "--measure", "F1"], "did you mean micro-f1 or macro-f1?"),
    ],
)
def test_calls_that_miss_something_say_what(tmp_path: Path, call: list[str], told: str) -> None:
    gold, folder = run_folder(tmp_path)
    rows = tmp_path / "gold.json"
    rows.write_text(pd.read_csv(gold).to_json(orient="records"))
    files = {"gold": str(rows), "good": str(folder / "good.csv")}
    done = CliRunner().invoke(cli, [files.get(word, word) for word in call])
    assert told in str(done.exception)


def test_a_folder_with_files_of_several_kinds_is_no_data_set(tmp_path: Path) -> None:
    for name in ("README.md", "a.json", "b.tsv"):
        (tmp_path / name).write_text("[]")
    with pytest.raises(qg.DataError, match=r"name one of them \(a\.json, b\.tsv, README\.md\)"):
        qg.load(tmp_path)


def test_hints_name_what_may_be_meant_alone(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"did you mean macro-f1\? choose"):
        _ = qg.score(ROWS, GOOD)["macro_f1"]
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(qg.DataError, match="check the name"):
        qg.load(tmp_path / "mine.json")
    with pytest.raises(qg.DataError, match=r"did you mean other\.json"):
        qg.load(tmp_path / "othr.json")


def test_scores_need_names_of_systems(tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    table.write_text("q1,1,0\nq2,0,1\n")
    with pytest.raises(qg.DataError, match="has no header: its first line is q1, 1, 0"):
        qg.plan(str(table))


def test_a_table_of_other_columns_is_not_called_broken_rdf(tmp_path: Path) -> None:
    table = tmp_path / "mine.csv"
    table.write_text("nr,swal\n1,Wer?\n")
    with pytest.raises(qg.DataError, match="a table with the columns 'nr', 'swal'"):
        qg.select(str(table))


def test_a_difference_needs_two_systems() -> None:
    with pytest.raises(UsageError, match="give the scores of two"):
        qg.plan(pd.DataFrame({"a": [0, 1] * 5}), difference=0.1)


def test_plan_on_the_command_line_takes_runs(tmp_path: Path) -> None:
    gold, folder = run_folder(tmp_path)
    done = CliRunner().invoke(cli, ["plan", str(gold), str(folder), "--difference", "0.1"])
    assert done.exit_code == 0, done.output
    assert "0.1000" in done.stdout


def test_questions_and_runs_are_tables() -> None:
    asked = qg.load(ROWS).to_frame()
    assert list(asked.loc["q1"]) == ["Who is number 1?", ["Ann"], "", ""]
    assert list(qg.read_run(BAD).to_frame().loc["q0"]) == ["answered", ["Bo"], ""]
    assert qg.read_run({"q0": None}).to_frame()["answers"].tolist() == [[]]


def test_answers_in_a_list_are_asked_for_ids() -> None:
    with pytest.raises(UsageError, match=r"dict\(zip\(ids, answers\)\)"):
        qg.score(ROWS, ["Ann"] * len(ROWS))  # type: ignore[list-item]
