"""Logs that lm-evaluation-harness and inspect_ai themselves wrote, read as runs and as gold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qaldgen.answers.reading import read_run
from qaldgen.benchmark.gold import Gold
from qaldgen.questions.reading import read_questions
from qaldgen.scoring.evaluation import score


@pytest.fixture(scope="module")
def logs(llm_logs: Path) -> Path:
    return llm_logs


def accuracy(path: Path, match: str = "logged", filter: str = "") -> float:
    gold = Gold(read_questions(path))
    return float(
        score(gold, read_run(path, gold=gold.questions, filter=filter), match=match)
        .counts["f1"]
        .mean()
    )


@pytest.mark.parametrize(
    ("name", "wanted", "asked", "failed"),
    [
        ("lm-eval/samples_qald_ex_plain_chat.jsonl", "lm-eval", 20, 0),
        ("lm-eval/samples_qald_ex_plain_dummy.jsonl", "lm-eval", 20, 0),
        ("lm-eval/samples_qald_ex_filtered_chat.jsonl", "lm-eval", 20, 0),
        ("lm-eval/samples_qald_ex_mc_dummy.jsonl", "lm-eval", 20, 0),
        ("lm-eval/samples_qald_example_portable_chat.jsonl", "lm-eval", 20, 0),
        ("inspect-ai/epochs1.eval", "inspect-ai", 20, 0),
        ("inspect-ai/epochs3.json", "inspect-ai", 20, 0),
        ("inspect-ai/errors.eval", "inspect-ai", 20, 2),
        ("inspect-ai/errors-retried.json", "inspect-ai", 20, 2),
        ("inspect-ai/aborted.eval", "inspect-ai", 20, 20),
        ("inspect-ai/graded.eval", "inspect-ai", 20, 0),
        ("inspect-ai/early-stopping.json", "inspect-ai", 10, 0),
        ("inspect-ai/old/v0.3.63.eval", "inspect-ai", 5, 0),
        ("inspect-ai/old/v0.3.63.json", "inspect-ai", 5, 0),
    ],
)
def test_every_log_is_a_run_and_its_gold(
    logs: Path, name: str, wanted: str, asked: int, failed: int
) -> None:
    run, questions = read_run(logs / name), read_questions(logs / name)

    assert run.format == questions.format == wanted
    assert (
        list(run.responses) == [one.id for one in questions.questions]
        and len(run.responses) == asked
    )
    assert sum(one.status == "failed" for one in run.responses.values()) == failed
    assert all(one.text() and one.answers is not None for one in questions.questions)


def test_the_json_form_and_the_zip_say_the_same_answers(logs: Path) -> None:
    zipped, plain = (
        read_run(logs / "inspect-ai/epochs3.eval"),
        read_run(logs / "inspect-ai/epochs3.json"),
    )

    assert {name: [one.answers for one in own] for name, own in zipped.repeats.items()} == {
        name: [one.answers for one in own] for name, own in plain.repeats.items()
    }
    assert {len(own) for own in zipped.repeats.values()} == {3}


@pytest.mark.parametrize("name", ["plain_chat", "mc_dummy"])
def test_the_verdicts_of_lm_eval_have_its_own_mean(logs: Path, name: str) -> None:
    means = json.loads((logs / f"lm-eval/results_{name.rpartition('_')[2]}.json").read_text())[
        "results"
    ]
    own = means[f"qald_ex_{name.rpartition('_')[0]}"]

    mean = next(value for key, value in own.items() if key in {"exact_match,none", "acc,none"})
    assert accuracy(logs / f"lm-eval/samples_qald_ex_{name}.jsonl") == pytest.approx(mean)


@pytest.mark.parametrize(
    ("name", "scorer"),
    [("epochs3.json", "match"), ("epochs3.json", "includes"), ("mock.json", "match")],
)
def test_the_verdicts_of_inspect_have_its_own_accuracy(logs: Path, name: str, scorer: str) -> None:
    scores = json.loads((logs / "inspect-ai" / name).read_text())["results"]["scores"]

    own = next(one["metrics"]["accuracy"]["value"] for one in scores if one["name"] == scorer)
    assert accuracy(logs / "inspect-ai" / name, filter=scorer) == pytest.approx(own)


def test_failed_samples_lower_the_accuracy_that_inspect_gives(logs: Path) -> None:
    assert accuracy(logs / "inspect-ai/errors-retried.json") == pytest.approx(
        11 / 20
    )  # inspect_ai itself says 11 / 18


@pytest.mark.parametrize("name", ["qald-example", "qald-example-disk", "qald-example-disk/test"])
def test_the_folders_of_hugging_face_hold_the_same_questions(logs: Path, name: str) -> None:
    plain = read_questions(logs / "tasks/inspect-ai/questions.jsonl").questions

    found = read_questions(logs / "hf-folder" / name).questions

    assert [(one.id, one.text()) for one in found] == [(one.id, one.text()) for one in plain]
