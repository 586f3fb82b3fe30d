"""Logs of inspect_ai, as JSON and as a zip."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from made_logs import (
    DEFLATED,
    STORED,
    ZSTANDARD,
    eval_file,
    eval_members,
    inspect_log,
    inspect_sample,
    json_file,
)

from qaldgen.answers.reading import read_run
from qaldgen.answers.record import Run
from qaldgen.errors import DataError, UsageError
from qaldgen.model import Question
from qaldgen.questions.reading import read_questions


def run_of(folder: Path, *samples: object, filter: str = "", **run: object) -> Run:
    return read_run(json_file(folder / "log.json", inspect_log(*samples, **run)), filter=filter)


def question_of(folder: Path, sample: object) -> Question:
    return read_questions(json_file(folder / "log.json", inspect_log(sample))).questions[0]


def reply(run: Run, name: str = "1") -> str:
    answers = run.responses[name].answers
    return " ".join(answers.values()) if answers is not None else "-"


@pytest.mark.parametrize("method", [STORED, DEFLATED, ZSTANDARD])
@pytest.mark.parametrize("frames", [1, 3])
def test_a_zip_is_read_as_the_json_form(tmp_path: Path, method: int, frames: int) -> None:
    samples = [
        inspect_sample("1"),
        inspect_sample("2", "Bonn", events=[{"event": "x"}], messages=[]),
    ]
    zipped = eval_file(tmp_path / "log.eval", eval_members(*samples), method=method, frames=frames)
    plain = json_file(tmp_path / "log.json", inspect_log(*samples))

    assert read_run(zipped).responses == read_run(plain).responses
    assert read_questions(zipped).questions == read_questions(plain).questions
    assert read_run(zipped).format == "inspect-ai"


def test_a_killed_run_has_no_header_and_is_read_all_the_same(tmp_path: Path) -> None:
    dataset = {"dataset": {"sample_ids": ["1", "2", "3"]}}
    run = read_run(
        eval_file(tmp_path / "log.eval", eval_members(inspect_sample("1"), header=False, **dataset))
    )

    assert list(run.responses) == ["1"]
    assert any("did not come to its end: 1 of 3 samples" in note for note in run.notes)


def test_ids_are_taken_from_inside_and_may_be_numbers_or_paths(tmp_path: Path) -> None:
    samples = [inspect_sample(7), inspect_sample("../../etc/passwd"), inspect_sample("a b/c")]

    assert list(read_run(eval_file(tmp_path / "log.eval", eval_members(*samples))).responses) == [
        "7",
        "../../etc/passwd",
        "a b/c",
    ]


def test_questions_stand_in_the_order_in_which_they_were_asked(tmp_path: Path) -> None:
    samples = [inspect_sample("1"), inspect_sample("100"), inspect_sample("3")]

    assert list(
        run_of(tmp_path, *samples, dataset={"sample_ids": ["1", "3", "100"]}).responses
    ) == ["1", "3", "100"]


def test_a_run_is_called_as_its_model(tmp_path: Path) -> None:
    log = inspect_log(inspect_sample(1), model="tiny/a")
    assert read_run(json_file(tmp_path / "log.json", log)).system == "tiny/a"


def test_epochs_are_repeats(tmp_path: Path) -> None:
    samples = [
        inspect_sample(name, text, epoch)
        for name in "12"
        for epoch, text in ((1, "Ulm"), (2, "Bonn"))
    ]
    run = run_of(tmp_path, *samples, config={"epochs": 2})

    assert [one.answers.values() for one in run.repeats["1"]] == [["Ulm"], ["Bonn"]]  # type: ignore[union-attr]
    assert len(run.repeats) == 2


def test_a_failed_sample_is_failed_and_told_of(tmp_path: Path) -> None:
    run = run_of(tmp_path, inspect_sample("1"), inspect_sample("2", None))

    assert (
        run.responses["2"].status == "failed"
        and run.responses["2"].error == "RuntimeError('no luck')"
    )
    assert any("1 failed of 2 samples" in note and "match 1.000" in note for note in run.notes)


def test_a_failed_epoch_counts_beside_the_others(tmp_path: Path) -> None:
    run = run_of(tmp_path, inspect_sample("1"), inspect_sample("1", None, 2), config={"epochs": 2})

    assert [one.status for one in run.repeats["1"]] == ["answered", "failed"]


@pytest.mark.parametrize(
    ("limit", "text", "status"),
    [
        ("time", None, "timeout"),
        ("working", None, "timeout"),
        ("token", None, "failed"),
        ("time", "Ulm", "answered"),
    ],
)
def test_a_limit_is_a_timeout_or_a_failure_unless_there_is_a_reply(
    tmp_path: Path, limit: str, text: str | None, status: str
) -> None:
    sample = inspect_sample("1", text, limit={"type": limit, "limit": 5})
    sample.pop("error", None)

    assert run_of(tmp_path, sample).responses["1"].status == status


@pytest.mark.parametrize("status", ["error", "cancelled", "started"])
def test_an_evaluation_that_broke_off_is_told_of(tmp_path: Path, status: str) -> None:
    run = run_of(tmp_path, inspect_sample("1"), status=status, dataset={"sample_ids": ["1", "2"]})

    assert any("1 of 2 samples are there" in note for note in run.notes)


def test_replies_that_were_cut_off_are_counted(tmp_path: Path) -> None:
    choices = [{"message": {"content": "Ul"}, "stop_reason": "max_tokens"}]
    run = run_of(tmp_path, inspect_sample("1", output={"choices": choices, "completion": "Ul"}))

    assert any("1 of 1 replies were cut off at the limit of tokens" in note for note in run.notes)


@pytest.mark.parametrize(
    "output",
    [
        {"completion": "Ulm", "choices": []},
        {"choices": [{"message": {"content": "Ulm"}}]},
        {"choices": [{"message": {"content": [{"type": "reasoning", "reasoning": "no"},
                            {"type": "text", "text": "Ulm"}]}}]},
    ],
    ids=["completion", "content", "parts"],
)  # fmt: skip
def test_the_reply_is_found(tmp_path: Path, output: dict[str, Any]) -> None:
    assert reply(run_of(tmp_path, inspect_sample("1", output=output))) == "Ulm"


def test_long_texts_are_fetched_from_the_attachments(tmp_path: Path) -> None:
    output = {"completion": "attachment://abc", "choices": []}
    sample = inspect_sample(
        "1",
        output=output,
        input="attachment://def",
        attachments={"abc": "long reply", "def": "long question?"},
    )

    assert (
        reply(run_of(tmp_path, sample)) == "long reply"
        and question_of(tmp_path, sample).text() == "long question?"
    )


def test_the_answer_of_a_scorer_can_be_chosen(tmp_path: Path) -> None:
    sample = inspect_sample(
        "1",
        "It is Ulm",
        scores={"a": {"value": "I", "answer": "Bonn"}, "b": {"value": "C", "answer": "Ulm"}},
    )

    run = run_of(tmp_path, sample, filter="b")

    assert reply(run) == "Ulm" and run.responses["1"].verdicts[0] == ("b", 1.0)
    assert (
        reply(run_of(tmp_path, sample))
        == reply(run_of(tmp_path, sample, filter="raw"))
        == "It is Ulm"
    )
    with pytest.raises(UsageError, match="no scorer 'c'; choose one of a, b, raw"):
        run_of(tmp_path, sample, filter="c")


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("C", 1.0),
        ("I", 0.0),
        ("P", 0.5),
        ("N", 0.0),
        (True, 1.0),
        (0.25, 0.25),
        ("0.5", 0.5),
        (None, None),
        ("good", None),
        ([1], None),
    ],
)
def test_scores_become_numbers(tmp_path: Path, value: object, found: float | None) -> None:
    verdicts = (
        run_of(tmp_path, inspect_sample("1", scores={"s": {"value": value}}))
        .responses["1"]
        .verdicts
    )

    assert verdicts == (() if found is None else (("s", found),))


def test_scores_of_several_parts_have_a_name_for_each(tmp_path: Path) -> None:
    run = run_of(tmp_path, inspect_sample("1", scores={"s": {"value": {"style": 1, "truth": "I"}}}))

    assert run.responses["1"].verdicts == (("s/style", 1.0), ("s/truth", 0.0))


@pytest.mark.parametrize(
    ("target", "texts"),
    [
        ("Ulm", (("Ulm",),)),
        (["Ulm", "Bonn"], (("Ulm", "Bonn"),)),
        (1953, (("1953",),)),
        ("a|b", (("a|b",),)),
    ],
)
def test_the_entries_of_a_target_are_wordings_as_for_the_scorers(
    tmp_path: Path, target: object, texts: object
) -> None:
    answers = question_of(tmp_path, inspect_sample("1", target=target)).answers

    assert answers is not None and answers.texts == texts


@pytest.mark.parametrize("target", ["", [], None])
def test_no_target_is_no_gold(tmp_path: Path, target: object) -> None:
    assert question_of(tmp_path, inspect_sample("1", target=target)).answers is None


def test_letters_stand_for_choices(tmp_path: Path) -> None:
    sample = inspect_sample(
        "1", "I think it is hot.\nANSWER: B", choices=["snow", "coffee"], target="B"
    )

    assert reply(run_of(tmp_path, sample)) == "coffee"
    assert question_of(tmp_path, sample).answers.values() == ["coffee"]  # type: ignore[union-attr]


def test_messages_and_metadata_of_a_sample_are_read(tmp_path: Path) -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "Which town?"}]},
    ]
    metadata = {
        "answer_type": "string",
        "difficulty": "hard",
        "answer": "not the gold",
        "sparql": "SELECT ?x { ?x ?y ?z }",
    }
    question = question_of(tmp_path, inspect_sample("1", input=messages, metadata=metadata))

    assert question.text() == "Which town?" and question.metadata["difficulty"] == "hard"
    assert question.answers is not None and question.answers.values() == ["Ulm"]
    assert question.sparql.startswith("SELECT")


@pytest.mark.parametrize("cut", [0.3, 0.9])
def test_a_truncated_zip_is_refused(tmp_path: Path, cut: float) -> None:
    path = eval_file(
        tmp_path / "log.eval", eval_members(*(inspect_sample(str(at)) for at in range(30)))
    )
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * cut)])

    with pytest.raises(DataError, match=r"zip|log"):
        read_run(path)


@pytest.mark.parametrize("method", [STORED, DEFLATED, ZSTANDARD])
def test_a_damaged_member_is_refused(tmp_path: Path, method: int) -> None:
    path = eval_file(
        tmp_path / "log.eval", eval_members(inspect_sample("1", "x" * 1000)), method=method
    )
    data = bytearray(path.read_bytes())
    at = data.index(b"samples/") + 60
    data[at : at + 4] = b"\0\1\2\3"
    path.write_bytes(bytes(data))

    with pytest.raises(DataError, match="damaged"):
        read_run(path)


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    path = eval_file(
        tmp_path / "log.eval", eval_members() | {"samples/1_epoch_1.json": b" " * 40_000_000}
    )

    with pytest.raises(DataError, match="300 times"):
        read_run(path)


@pytest.mark.parametrize("samples", [[], None])
def test_a_log_without_samples_says_why(tmp_path: Path, samples: object) -> None:
    path = json_file(tmp_path / "log.json", inspect_log() | {"samples": samples})

    with pytest.raises(DataError, match="holds no samples"):
        read_run(path)


@pytest.mark.parametrize(
    "broken", [{"id": None}, {"scores": []}, {"output": "text"}, {"epoch": {}}]
)
def test_a_broken_sample_is_named(tmp_path: Path, broken: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="sample 2"):
        run_of(tmp_path, inspect_sample("1"), inspect_sample("2") | broken)


def test_an_unknown_version_is_told_of(tmp_path: Path) -> None:
    path = json_file(tmp_path / "log.json", inspect_log(inspect_sample("1")) | {"version": 3})

    assert any("version '3'" in note for note in read_run(path).notes)
