"""What a newcomer reads: wrong calls are named, help is in sections, printed commands run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from calls import Call

import qaldgen as qg

ROOT = Path(__file__).resolve().parent.parent.parent
QUESTIONS = ROOT / "examples" / "questions.json"


def write_run(path: Path, right: int = 120) -> Path:
    """Write a run that is right on the shortest questions, and gives no other answer."""
    questions = qg.load(QUESTIONS).questions
    short = {one.id for one in sorted(questions, key=lambda one: len(one.text()))[:right]}
    path.write_text(
        json.dumps(
            {
                one.id: one.answers.values() if one.answers and one.id in short else []
                for one in questions
            }
        ),
        encoding="utf-8",
    )
    return path


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("run") / "mine.json")


# --- wrong calls --------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["score", "slices", "report"])
def test_a_run_in_the_place_of_the_questions_is_named(verb: str, mine: Path, call: Call) -> None:
    more = ["-o", "-"] if verb == "report" else []
    said = call(verb, mine, QUESTIONS, *more)
    assert said.code == 1
    assert f"{mine}: holds the answers of a system (id-answer)" in said.err
    assert "give the questions first and then the runs" in said.err


def test_slices_compare_one_run_with_another(mine: Path, tmp_path: Path, call: Call) -> None:
    other = shutil.copy(mine, tmp_path / "other.json")
    said = call("slices", QUESTIONS, mine, other, "--against", other)
    assert said.code == 2
    assert "--against compares one run with another; give one run" in said.err


def test_an_unknown_feature_without_a_similar_one_points_to_the_list(
    mine: Path, call: Call
) -> None:
    said = call("score", QUESTIONS, mine, "--by", "zzzzzz")
    assert said.code == 2
    assert "--by: unknown name 'zzzzzz'; 'qaldgen list features' lists them" in said.err


def test_a_broken_question_set_is_not_called_swapped(
    mine: Path, tmp_path: Path, call: Call
) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"aa": 1}', encoding="utf-8")
    said = call("score", broken, mine)
    assert said.code == 1
    assert "is not a question set in a known format" in said.err
    assert "answers of a system" not in said.err


def test_a_question_set_with_keywords_as_run_of_one_without_is_noted(
    tmp_path: Path, call: Call
) -> None:
    def entry(curated: bool) -> dict[str, object]:
        text: dict[str, str] = {"language": "en", "string": "What is one?"}
        uri = {"x": {"type": "uri", "value": "http://example.org/One"}}
        return {
            "id": "1",
            "question": [text | ({"keywords": "one"} if curated else {})],
            "query": {"sparql": "SELECT ?x { ?x ?y ?z }"},
            "answers": [{"head": {"vars": ["x"]}, "results": {"bindings": [uri]}}],
        }

    plain, curated = tmp_path / "plain.json", tmp_path / "curated.json"
    for path, one in ((plain, entry(False)), (curated, entry(True))):
        path.write_text(json.dumps({"questions": [one]}), encoding="utf-8")
    assert "were the two swapped?" in call("score", plain, curated).err
    assert "were the two swapped?" not in call("score", curated, plain).err


def written(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.parametrize("answer", ["Ulm", "http://example.org/Ulm"])
def test_names_of_answers_are_no_questions(
    answer: str, mine: Path, tmp_path: Path, call: Call
) -> None:
    aliases = written(tmp_path / "aliases.json", {answer: ["City of Ulm", "Ulm (Donau)"]})
    said = call("score", aliases, mine)
    assert said.code == 1
    assert "Names of answers go to --aliases" in said.err


def test_questions_where_a_run_should_be_are_called_questions(tmp_path: Path, call: Call) -> None:
    texts = [{"language": "en", "string": "What is one?"}]
    asked = written(tmp_path / "asked.json", [{"ID": 0, "question": texts, "ans": ["A"]}])
    said = [{"id": "0", "language": "en", "question": "What is one?", "answer": "A"}]
    given = written(tmp_path / "given.json", said)
    assert (
        "holds questions with gold answers; were the two swapped?"
        in call("score", given, asked).err
    )
    broken = written(tmp_path / "broken.json", [*said, {"id": "1", "answer": {"a": 1}}])
    message = call("score", asked, broken).err
    assert "1 question of broken is not in asked" in message
    assert "swapped" not in message


def test_looking_for_a_swap_does_not_read_a_pipe_again(tmp_path: Path, call: Call) -> None:
    plain = tmp_path / "plain.json"
    uri = {"x": {"type": "uri", "value": "http://example.org/One"}}
    answer = {"head": {"vars": ["x"]}, "results": {"bindings": [uri]}}
    text = {"language": "en", "string": "What is one?"}
    plain.write_text(
        json.dumps(
            {"questions": [{"id": "1", "question": [text], "query": {}, "answers": [answer]}]}
        )
    )
    pipe = tmp_path / "run.json"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=[plain.read_bytes()], daemon=True)
    writer.start()
    assert call("score", plain, pipe).code == 0
    writer.join(10)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "ID,Precision,Recall,F1\n1,0,0,0\n2,1.0,0.5,0.67\n"),
        ("b.tsv", "ID\tPrecision\tRecall\tF1\n1\t0\t0\t0\n"),
        ("c.csv", "question,macro_f1\nWho?,0.5\n"),
        ("d.jsonl", '{"id": 1, "f1": 0.5}\n{"id": 2, "f1": 1}\n'),
    ],
)
def test_a_table_of_scores_is_no_run(name: str, text: str, tmp_path: Path, call: Call) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    said = call("score", QUESTIONS, tmp_path / name)
    assert said.code == 1
    assert "is a table of scores (columns " in said.err
    assert "not of answers" in said.err


# --- weak spots ---------------------------------------------------------------------------------


def test_a_report_names_weak_spots_in_every_form_and_on_the_terminal(
    mine: Path, tmp_path: Path, call: Call
) -> None:
    outputs = [tmp_path / f"report.{ending}" for ending in ("md", "tex", "csv", "json")]
    said = call("report", QUESTIONS, mine, *(word for path in outputs for word in ("-o", path)))
    assert said.code == 0
    (line,) = (one for one in said.err.splitlines() if one.startswith("mine is weak on: "))
    text, latex = (path.read_text(encoding="utf-8") for path in outputs[:2])
    assert "## Where each system is weak" in text
    assert line.split(" (")[0] in text
    assert "All kinds of questions" in text
    assert r"\label{tab:weak}" in latex
    table = (tmp_path / "report.weak.csv").read_text(encoding="utf-8")
    assert table.startswith("system,number,slice,label,n,score,")
    (first, *_) = json.loads(outputs[3].read_text(encoding="utf-8"))["tables"]["weak"]
    assert f"mine is weak on: {first['label']} ({first['score']:.2f} here" in line


def test_slices_and_the_report_find_the_same(mine: Path, tmp_path: Path, call: Call) -> None:
    found = json.loads(call("slices", QUESTIONS, mine, "--format", "json").out)
    call("report", QUESTIONS, mine, "-o", tmp_path / "report.json")
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert found == report["tables"]["weak"]
    assert len(found) >= 1


def test_the_commands_that_slices_prints_run(
    mine: Path, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(QUESTIONS, tmp_path / "my questions.json")
    monkeypatch.chdir(tmp_path)
    said = call("slices", "my questions.json", mine, "--save", "weak")
    lines = said.err.partition("next, a benchmark of the first slice:\n")[2].splitlines()
    assert len(lines) == 2
    (tmp_path / "qaldgen").write_text(f'#!/bin/sh\nexec {sys.executable} -m qaldgen "$@"\n')
    (tmp_path / "qaldgen").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    subprocess.run(["sh", "-ec", "\n".join(lines)], check=True, capture_output=True)
    assert len(qg.load_benchmark("weak/slice-1.ttl")) > 0
    assert (tmp_path / "weak" / "slice-1.json").is_file()


# --- help ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["score", "compare", "slices", "report"])
def test_help_is_in_sections_and_its_lines_are_whole(verb: str, call: Call) -> None:
    text = call(verb, "--help-all").out
    sections = [line for line in text.splitlines() if re.fullmatch(r"\w[^:]*:", line)]
    assert sections[0] == "Options:"
    assert {"Scoring:", "Types of answers:", "Reading the questions:", "Output:"} <= set(sections)
    assert len(sections) == len(set(sections))
    assert re.search(r"\n  (GOLD|\[?RUN\]?)", text.partition("Options:")[2]) is None
    assert [line for line in text.splitlines() if line.endswith("...")] in (
        [], [text.splitlines()[0]]
    )  # fmt: skip


@pytest.mark.parametrize("verb", ["score", "compare", "slices", "report"])
def test_missing_has_one_default(call: Call, verb: str) -> None:
    words = call(verb, "--help").out.split()
    told = " ".join(words[words.index("--missing") :])
    assert "[default: zero]" in told[: told.index("]") + 1]
