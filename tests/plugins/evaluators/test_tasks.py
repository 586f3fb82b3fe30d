"""Benchmarks written for other evaluators.

The files by themselves, and as the real packages read them where these are.
"""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from qaldgen.annotation.annotate import annotate
from qaldgen.answers.reading import read_run
from qaldgen.benchmark.benchmark import FORMATS, Benchmark, render_files
from qaldgen.benchmark.make import sample
from qaldgen.errors import UsageError
from qaldgen.io.notes import collecting
from qaldgen.model import Answers, Cell, Question, QuestionSet
from qaldgen.plugins.evaluators.tasks import task_name
from qaldgen.questions.reading import read_questions
from qaldgen.selection.select import select

DBPEDIA, WIKIDATA = "http://dbpedia.org/resource/", "http://www.wikidata.org/entity/"
QUERY = """PREFIX qaldgen: <http://qald-gen.aksw.org/vocab#>
SELECT ?qId ?words WHERE { ?qId qaldgen:text ?text OPTIONAL { ?qId qaldgen:length ?words } }"""
FOLDERS = {name: form for name, form in FORMATS.items() if form.files}


def iris(*names: str) -> Answers:
    return Answers(variables=("x",), rows=tuple((Cell("uri", name),) for name in names))


QUESTIONS = (
    Question("1", {"en": ("Which rivers meet in Belgrade?",)},
        answers=iris(f"{DBPEDIA}Danube", f"{DBPEDIA}Sava_(river)")),
    Question("2", {"en": ("Is the Sava a river?",)}, answers=Answers(boolean=True),
        answer_type="boolean"),
    Question("3", {"en": ("What is Q64 called?",)}, answers=iris(f"{WIKIDATA}Q64")),
    Question("4", {"en": ("Who wrote {this} and \"that\" for 5 $?",)},
        answers=Answers(texts=(("Ann", "Anne"),))),
    Question("5", {"pl": ("Która rzeka płynie przez Kraków i Warszawę, a potem dalej?",)},
        answers=Answers(texts=(("Wisła",),))),
    Question("6", {"en": ("What is not known to anybody at all here?",)}),
)  # fmt: skip


@pytest.fixture(scope="module")
def benchmark() -> Benchmark:
    annotation = annotate(QuestionSet("towns", "table", QUESTIONS), language="en")
    vectors = select(annotation.store(), QUERY, missing="mean")
    return sample(vectors, len(QUESTIONS), method="random", title='Towns & "rivers"')


def rows_of(files: Mapping[str, bytes]) -> dict[str, dict[str, Any]]:
    rows = [json.loads(line) for line in files["questions.jsonl"].decode().splitlines()]
    return {row["id"]: row for row in rows}


def files_of(
    benchmark: Benchmark, form: str, *, name: str = "towns", licence: str = ""
) -> Mapping[str, bytes]:
    made = render_files(benchmark, Path(name), form, licence=licence)
    return {path.relative_to(name).as_posix(): data for path, data in made}


@pytest.mark.parametrize("form", FOLDERS)
def test_the_files_are_those_of_the_form(benchmark: Benchmark, form: str, tmp_path: Path) -> None:
    benchmark.save(tmp_path / f"towns{FOLDERS[form].ending}")

    found = {
        path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()
    }
    assert found == {f"towns{FOLDERS[form].ending}/{name}" for name in FOLDERS[form].files}


@pytest.mark.parametrize("form", FOLDERS)
def test_files_that_are_there_are_kept(benchmark: Benchmark, form: str, tmp_path: Path) -> None:
    target = tmp_path / f"towns{FOLDERS[form].ending}"
    target.mkdir()
    (target / "README.md").write_text("mine")

    with pytest.raises(UsageError, match="exists"):
        benchmark.save(target)
    assert [path.name for path in target.rglob("*") if path.is_file()] == ["README.md"]


@pytest.mark.parametrize("form", FOLDERS)
def test_the_same_benchmark_gives_the_same_bytes(benchmark: Benchmark, form: str) -> None:
    assert files_of(benchmark, form) == files_of(benchmark, form)


@pytest.mark.parametrize("form", FOLDERS)
def test_what_a_model_cannot_answer_is_named(benchmark: Benchmark, form: str) -> None:
    with collecting() as told:
        render_files(benchmark, Path("towns"), form)
    notes = list(told)

    assert [note.partition(" of ")[0] for note in notes] == ["1", "1", "1"]
    assert [
        "codes without a name" in notes[0],
        "no gold answers" in notes[1],
        "no text in 'en'" in notes[2],
    ] == [True] * 3


def test_gold_is_written_in_words_with_the_iris_beside(benchmark: Benchmark) -> None:
    rows = rows_of(files_of(benchmark, "lm-eval"))

    assert rows["1"]["answers"] == ["Danube", "Sava"]
    assert rows["1"]["answer_wordings"] == [["Danube"], ["Sava", "Sava (river)"]]
    assert rows["1"]["answer_iris"] == [f"{DBPEDIA}Danube", f"{DBPEDIA}Sava_(river)"]
    assert rows["2"]["answers"] == ["yes"] and rows["4"]["answer_wordings"] == [["Ann", "Anne"]]
    assert (
        rows["3"]["answers"] == [f"{WIKIDATA}Q64"]
        and rows["6"]["answers"] == []
        and rows["5"]["language"] == "pl"
    )


@pytest.mark.parametrize("form", FOLDERS)
def test_the_card_has_provenance_signature_licence_and_weights(
    benchmark: Benchmark, form: str
) -> None:
    card = files_of(benchmark, form, licence="https://creativecommons.org/licenses/by/4.0/")[
        "README.md"
    ].decode()

    assert (
        benchmark.signature in card
        and benchmark.provenance.query_sha256 in card
        and "`weight`" in card
    )
    assert 'license: "cc-by-4.0"' in card and "https://creativecommons.org/licenses/by/4.0/" in card


def test_the_front_matter_is_yaml(benchmark: Benchmark) -> None:
    yaml = pytest.importorskip("yaml")
    front = yaml.safe_load(
        files_of(benchmark, "hugging-face")["README.md"].decode().split("---\n")[1]
    )

    assert (
        front["pretty_name"] == 'Towns & "rivers"'
        and front["language"] == ["en", "pl"]
        and front["license"] == "unknown"
    )
    assert front["configs"] == [
        {"config_name": "default", "data_files": [{"split": "test", "path": "data/test-*.parquet"}]}
    ]


@pytest.mark.parametrize(
    ("text", "name"),
    [("qald", "qald"), ("QALD-9 test", "QALD_9_test"), ("9", "task_9"), ("świat", "wiat"),
        ("", "task"), ("class", "task_class"),
     ("task", "task_task"), ("a/../b", "a_b"), ("$task", "task_task")],
)  # fmt: skip
def test_any_name_becomes_one_for_python_and_yaml(text: str, name: str) -> None:
    assert task_name(text) == name and name.isidentifier()


def test_the_task_of_inspect_is_python_whatever_the_title(benchmark: Benchmark) -> None:
    provenance = dataclasses.replace(benchmark.provenance, data_name='it\'s "quoted" \\ {x} $y.ttl')
    made = files_of(
        dataclasses.replace(benchmark, provenance=provenance), "inspect-ai", name="class"
    )

    assert "def task_class():" in made["task.py"].decode()
    compile(made["task.py"], "task.py", "exec")


@pytest.mark.parametrize("form", FOLDERS)
def test_a_folder_is_not_written_to_stdout(benchmark: Benchmark, form: str, tmp_path: Path) -> None:
    from click.testing import CliRunner

    from qaldgen.cli.main import cli

    benchmark.save(tmp_path / "bench.ttl")
    found = CliRunner().invoke(
        cli, ["export", str(tmp_path / "bench.ttl"), "-o", "-", "--format", form]
    )

    assert isinstance(found.exception, UsageError) and "stdout cannot hold" in str(found.exception)


def test_our_own_reader_reads_the_data_set(benchmark: Benchmark, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    benchmark.save(tmp_path / "towns.hf")

    found = {one.id: one for one in read_questions(tmp_path / "towns.hf").questions}

    assert len(found) == len(QUESTIONS)
    assert found["1"].answers is not None and found["1"].answers.values() == ["Danube", "Sava"]
    assert found["2"].answers == Answers(boolean=True)
    assert found["4"].answers == QUESTIONS[3].answers, "every name of the answer"
    assert found["6"].answers is None, "unknown, which is not the same as no answer"


# What follows needs the real packages; nothing of it touches the network.

OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "INSPECT_DISABLE_MODEL_API": "1"}


def run_python(folder: Path, *arguments: str) -> str:
    """Run Python in another folder than the tasks', without network and with an empty cache."""
    import os

    environment = {
        **os.environ,
        **OFFLINE,
        "HF_HOME": str(folder / "hf"),
        "XDG_DATA_HOME": str(folder / "data"),
    }
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_lm_eval_runs_the_task_and_we_read_its_log(benchmark: Benchmark, tmp_path: Path) -> None:
    pytest.importorskip("lm_eval")
    benchmark.save(tmp_path / "towns.lm-eval")
    (tmp_path / "elsewhere").mkdir()

    task = ("--tasks", "towns", "--include_path", str(tmp_path / "towns.lm-eval"))
    run_python(
        tmp_path / "elsewhere",
        "-m",
        "lm_eval",
        "run",
        *task,
        "--model",
        "dummy",
        "--output_path",
        "out",
        "--log_samples",
    )

    (log,) = (tmp_path / "elsewhere" / "out").rglob("samples_towns_*.jsonl")
    run, gold = read_run(log), read_questions(log)
    ids = [one.id for one in benchmark.questions]
    assert sorted(run.responses) == sorted(ids) == sorted(one.id for one in gold.questions)
    assert {one.status for one in run.responses.values()} == {"answered"}
    by_text = {one.id: one.answers for one in gold.questions}
    assert by_text["4"] == Answers(texts=(("Ann", "Anne"),)) and by_text["2"] == Answers(
        boolean=True
    )


EVALUATE = """
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model

def replies():
    for number in range(100):
        made = ModelOutput.from_content("mockllm/model", ["yes", "Danube"][number % 2])
        made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        yield made

for form in ("eval", "json"):
    model = get_model("mockllm/model", custom_outputs=replies())
    log = eval("task.py", model=model, display="none", log_dir="logs", log_format=form, epochs=2)[0]
    assert log.status == "success", log.error
"""


def test_inspect_runs_the_task_and_we_read_its_logs(benchmark: Benchmark, tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    benchmark.save(tmp_path / "towns.inspect")

    run_python(tmp_path / "towns.inspect", "-c", EVALUATE)

    logs = sorted((tmp_path / "towns.inspect" / "logs").iterdir())
    runs = [read_run(log) for log in logs]
    assert [log.suffix for log in logs] in ([".eval", ".json"], [".json", ".eval"])
    for log, run in zip(logs, runs, strict=True):
        gold = {one.id: one for one in read_questions(log).questions}
        assert {len(own) for own in run.repeats.values()} == {2} and len(run.responses) == len(
            QUESTIONS
        )
        assert gold["1"].answers == Answers(texts=(("Danube",), ("Sava", "Sava (river)")))
        assert gold["2"].answers == Answers(boolean=True)


def test_datasets_loads_the_folder(benchmark: Benchmark, tmp_path: Path) -> None:
    pytest.importorskip("datasets")
    benchmark.save(tmp_path / "towns.hf")
    (tmp_path / "elsewhere").mkdir()

    load = (
        "import datasets; "
        f"datasets.load_dataset({str(tmp_path / 'towns.hf')!r})['test'].to_json('rows.jsonl')"
    )
    save = f"datasets.load_dataset({str(tmp_path / 'towns.hf')!r}).save_to_disk('saved')"
    run_python(tmp_path / "elsewhere", "-c", f"{load}; {save}")

    written = {one.id: one for one in read_questions(tmp_path / "towns.hf").questions}
    saved = {one.id: one for one in read_questions(tmp_path / "elsewhere" / "saved").questions}
    assert len(written) == len(QUESTIONS) and written == saved
