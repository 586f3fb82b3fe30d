"""Several answers to one question.

Samples of a language model, read in every form and counted by every rule.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from general_measures import GENERAL

from qaldgen import compare, report
from qaldgen.analysis.comparing.multiplicity import Significance
from qaldgen.answers.reading import read_run
from qaldgen.answers.record import Response, Run
from qaldgen.benchmark.gold import Gold
from qaldgen.errors import DataError, UsageError
from qaldgen.model import Answers, Question, QuestionSet
from qaldgen.scoring.evaluation import evaluate, score
from qaldgen.scoring.measures import MEASURES
from qaldgen.scoring.repeats import Aggregation, Repeats, pass_at_k, read_aggregation
from qaldgen.scoring.score import Scores

SAMPLES = {
    "1": ["Ulm", "It is Ulm.", "Bonn"],
    "2": ["Trier", "Köln", "Köln"],
    "3": ["Yes.", "No.", "Yes!"],
}
GOLD = QuestionSet(
    "gold",
    "table",
    (
        Question("1", {"en": ("Where?",)}, answers=Answers(texts=(("Ulm",),))),
        Question("2", {"en": ("Where then?",)}, answers=Answers(texts=(("Trier",),))),
        Question("3", {"en": ("Is it so?",)}, answers=Answers(boolean=True)),
    ),
)


def scored(path: Path, rule: str | None = "mean", match: str = "contains") -> Scores:
    return score(Gold(GOLD), read_run(path, gold=GOLD), match=match, repeats_as=rule)


def f1(path: Path, rule: str) -> list[float]:
    return [round(value, 4) for value in scored(path, rule).counts["f1"].tolist()]


def _records(rows: Sequence[object]) -> str:
    return "\n".join(json.dumps(row) for row in rows)


def _epochs() -> str:
    return _records([
        {"id": name, "epoch": epoch, "prediction": text} for name,
        texts in SAMPLES.items() for epoch, text in enumerate(texts)
    ])  # fmt: skip


FORMS: dict[str, Callable[[], str]] = {
    "epochs.jsonl": _epochs,
    "samples.jsonl": lambda: _records([{"ID": name, "samples": texts} for name,
        texts in SAMPLES.items()]),
    "repeated.json": lambda: json.dumps([{"id": name, "answer": text} for name,
        texts in SAMPLES.items() for text in texts]),
    "table.csv": lambda: "id,sample,answer\n" + "\n".join(
        f"{name},{number},{text}" for name, texts in SAMPLES.items() for number,
        text in enumerate(texts)
    ),
    "chat.jsonl": lambda: _records([
        {"custom_id": name,
            "response": {"body": {"choices": [{"message": {"content": text}} for text in texts]}}}
        for name, texts in SAMPLES.items()
    ]),
}  # fmt: skip


@pytest.fixture(params=FORMS)
def samples(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file with three answers to each question."""
    path = tmp_path / str(request.param)
    path.write_text(FORMS[request.param](), encoding="utf-8")
    return path


def test_every_form_keeps_all_answers(samples: Path) -> None:
    run = read_run(samples, gold=GOLD)
    texts = {
        name: [one.answers.texts[0][0] for one in own if one.answers]
        for name, own in run.repeats.items()
    }
    assert texts == SAMPLES


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("mean", [0.6667, 0.3333, 0.6667]),
        ("majority", [1.0, 0.0, 1.0]),
        ("first", [1.0, 1.0, 1.0]),
        ("last", [0.0, 0.0, 1.0]),
        ("pass@1", [0.6667, 0.3333, 0.6667]),
        ("pass@2", [1.0, 0.6667, 1.0]),
        ("pass@3", [1.0, 1.0, 1.0]),
    ],
)
def test_rules(samples: Path, rule: str, expected: list[float]) -> None:
    assert f1(samples, rule) == expected


def test_pass_at_k_counts_an_answer_that_is_partly_right_as_wrong() -> None:
    asked = Question("1", {"en": ("Which?",)}, answers=Answers(texts=(("Ulm",), ("Bonn",))))
    given = [Answers(texts=(("Ulm",),)), Answers(texts=(("Ulm",), ("Bonn",)))]
    responses = tuple(Response("1", answers=one) for one in given)
    run = Run("mine", "table", {"1": responses[0]}, repeats={"1": responses})
    gold = Gold(QuestionSet("gold", "table", (asked,)))
    assert [
        round(score(gold, run, match="exact", repeats_as=rule)["macro-f1"], 4)
        for rule in ("mean", "pass@1", "pass@2")
    ] == [0.8333, 0.5, 1.0]


def test_the_rule_is_stated(samples: Path) -> None:
    told = scored(samples)
    assert "3 questions have several answers (3 each); the mean over its answers" in told.method
    assert any("several answers" in note for note in told.notes)


def test_samples_need_no_rule(samples: Path) -> None:
    """Those that the file numbers or lists; for others, the rule must be chosen in every verb."""
    if samples.name != "repeated.json":
        assert [round(one, 4) for one in scored(samples, None).counts["f1"]] == [
            0.6667, 0.3333, 0.6667
        ]  # fmt: skip
        return
    run = read_run(samples, gold=GOLD)
    calls: list[Callable[[], object]] = [
        lambda: score(Gold(GOLD), run, match="contains"),
        lambda: compare(evaluate(GOLD, [run, run], match="contains")),
        lambda: report(evaluate(GOLD, run, match="contains")),
    ]
    for call in calls:
        with pytest.raises(DataError, match="3 questions with several answers") as told:
            call()
        assert "`repeats_as` (mean or majority for samples" in str(told.value)


def test_answers_to_other_questions_are_refused_before_repeats(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(_records([{"id": "other", "answer": one} for one in "ab"]), encoding="utf-8")
    with pytest.raises(DataError, match="have no id in common"):
        score(Gold(GOLD), read_run(path), match="contains")


def test_samples_of_several_epochs_are_all_kept(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    rows = [{"id": "1", "epoch": at, "samples": [f"a{at}", f"b{at}"]} for at in (1, 2)]
    path.write_text(_records(rows), encoding="utf-8")
    run = read_run(path, gold=GOLD)
    assert [one.answers.texts[0][0] for one in run.repeats["1"] if one.answers] == [
        "a1", "b1", "a2", "b2"
    ]  # fmt: skip
    assert not run.unnumbered


@pytest.mark.parametrize("name", GENERAL)
def test_equal_answers_count_as_one(tmp_path: Path, name: str) -> None:
    once, thrice = tmp_path / "once.json", tmp_path / "thrice.json"
    rows = [{"id": name, "answer": texts[0]} for name, texts in SAMPLES.items()]
    once.write_text(json.dumps(rows), encoding="utf-8")
    thrice.write_text(json.dumps(rows * 3), encoding="utf-8")
    values = [MEASURES[name].of(scored(path).counts, None) for path in (once, thrice)]
    assert values[0] == pytest.approx(values[1])


def test_a_try_with_the_number_of_another_takes_its_place(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(
        _records([{"id": "1", "epoch": 0, "answer": text} for text in ("Bonn", "Ulm")]),
        encoding="utf-8",
    )
    run = read_run(path, gold=GOLD)
    assert not run.repeats
    assert run.responses["1"].answers == Answers(texts=(("Ulm",),))


def test_too_few_answers_for_k_are_refused(samples: Path) -> None:
    with pytest.raises(
        DataError, match="pass@4 needs 4 answers or more to each question; question 1 has 3"
    ):
        scored(samples, "pass@4")


@pytest.mark.parametrize("rule", ["pass@k", "pass@0", "pass@-1", "best", "", "pass@1.5"])
def test_an_unknown_rule_is_a_wrong_call(rule: str) -> None:
    with pytest.raises(UsageError, match="repeats-as"):
        read_aggregation(rule)


@pytest.mark.parametrize(
    ("n", "right", "k"), [(5, 2, 1), (5, 2, 3), (6, 0, 2), (6, 6, 4), (7, 3, 7)]
)
def test_pass_at_k_is_the_share_of_draws_with_a_right_one(n: int, right: int, k: int) -> None:
    draws = list(itertools.combinations(range(n), k))
    assert pass_at_k(n, right, k) == pytest.approx(
        sum(min(draw) < right for draw in draws) / len(draws)
    )


def test_majority_of_equals_is_the_first_and_silence_has_no_vote() -> None:
    question = GOLD.questions[0]
    given = [
        Response("1", answers=Answers(texts=((text,),) if text else ()))
        for text in ("", "", "Bonn", "**bonn**", "Ulm")
    ]
    repeats = Repeats(Aggregation("majority"), "en")
    assert repeats.select(question, given) == [given[2]]
    assert repeats.select(question, given[3:]) == [given[3]]
    assert repeats.select(question, given[:2]) == [given[0]]


def test_the_answers_to_a_question_that_are_judged_count() -> None:
    tries = tuple(Response("3", answers=Answers(texts=((text,),))) for text in ("Yes.", "Ndiyo."))
    run = Run("mine", "table", {"3": tries[-1]}, repeats={"3": tries})
    told = score(
        Gold(QuestionSet("gold", "table", GOLD.questions[2:])), run, match="contains", language="sw"
    )
    assert told.counts[["status", "f1", "open"]].to_numpy().tolist() == [["not judged", 0.5, 0.5]]
    assert told.most() == 1.0
    one = score(
        Gold(QuestionSet("gold", "table", GOLD.questions[2:])),
        run,
        match="contains",
        language="sw",
        repeats_as="pass@1",
    )
    assert one.counts[["f1", "open"]].to_numpy().tolist() == [[0.5, 0.5]]


def test_an_answer_that_is_not_judged_counts_as_not_right_beside_others() -> None:
    def run(name: str, last: str) -> Run:
        texts = {"1": "Ulm", "2": "Trier", "3": last}
        return Run(
            name,
            "table",
            {key: Response(key, answers=Answers(texts=((text,),))) for key, text in texts.items()},
        )

    result = compare(
        evaluate(GOLD, [run("a", "Yes."), run("b", "Ndiyo.")], match="contains", language="sw"),
        tests=Significance(n_resamples=10),
    )
    assert result.overall["n"].tolist() == [3, 3]
    assert result.overall["estimate"].to_dict() == pytest.approx({"a": 1, "b": 2 / 3}, abs=0.02)
