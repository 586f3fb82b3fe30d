"""Questions that were never asked.

Nobody is right or wrong on them, in any verb, whatever the form of the runs.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import qaldgen as qg
from qaldgen.analysis.common_questions import on_common_questions
from qaldgen.analysis.comparing.comparison import Comparison
from qaldgen.answers.reading import read_run
from qaldgen.answers.record import STATUSES, Response, Run
from qaldgen.benchmark.gold import Gold
from qaldgen.model import Answers, Question, QuestionSet
from qaldgen.reports.page.contents import Report
from qaldgen.reports.report import report_scores
from qaldgen.scoring.evaluation import score
from qaldgen.scoring.missing import DEFAULT, LEFT_OUT, POLICIES, SHORT_POLICIES
from qaldgen.scoring.score import Scores

Refused = Callable[..., str]
SIZE = 40
YES, NO = Answers(boolean=True), Answers(boolean=False)


@pytest.fixture
def gold() -> Gold:
    """Forty questions, every answer yes."""
    questions = (
        Question(str(at), {"en": (f"Is {at} a number?",)}, answers=YES) for at in range(SIZE)
    )
    return Gold(QuestionSet("numbers", "table", tuple(questions)))


def made(gold: Gold, name: str, right: range, wrong: range = range(0), **statuses: range) -> Scores:
    """Score a run that says yes, no, or comes to a status; it was not asked the rest."""
    given = {str(at): Response(str(at), "answered", YES) for at in right}
    given |= {str(at): Response(str(at), "answered", NO) for at in wrong}
    given |= {
        str(at): Response(str(at), status) for status, which in statuses.items() for at in which
    }
    return score(gold, Run(name, "journal", given))


def test_every_rule_is_told_and_every_status_has_its_place() -> None:
    assert LEFT_OUT.keys() == POLICIES.keys() == SHORT_POLICIES.keys()
    assert {status for left in LEFT_OUT.values() for status in left} == {
        "not asked",
        "failed",
        "timeout",
    }
    assert set(STATUSES) - {"not asked", "failed", "timeout"} == {"answered", "empty"}


@pytest.mark.parametrize(
    ("rule", "kept"),
    [("asked", range(10, 30)), ("zero", range(SIZE)), ("skip", [*range(10, 14), *range(15, 30)])],
)
def test_runs_are_brought_to_the_questions_that_count_for_all(
    gold: Gold, rule: str, kept: range
) -> None:
    a, b = made(gold, "a", range(30), failed=range(14, 15)), made(gold, "b", range(10, 40))
    same, _ = on_common_questions([a, b], rule)
    assert [one.counts.index.tolist() for one in same] == [[str(at) for at in kept]] * 2


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ({"a": range(40), "b": range(40)}, ""),
        (
            {"a": range(12)},
            (
                "of 40 questions a was asked 12;"
                " the other 28 are left out (`missing='zero'` counts them as wrong)"
            ),
        ),
        (
            {"a": range(12), "b": range(12)},
            "of 40 questions a was asked 12, b 12, all the same ones; the other 28 are left out",
        ),
        (
            {"a": range(9), "b": range(40)},
            "of 40 questions b was asked 40, a 9; only the 9 common to all are compared",
        ),
        (
            {"a": range(30), "b": range(20, 40)},
            "of 40 questions a was asked 30, b 20; only the 10 common to all are compared",
        ),
        (
            {"a": range(40), "b": range(40), "c": range(21)},
            "c 21; only the 21 common to all are compared, the other 19 are left out"
            " (`missing='zero'` counts them as wrong)",
        ),
    ],
)
def test_what_is_left_out_is_said(gold: Gold, runs: dict[str, range], said: str) -> None:
    scored = [made(gold, name, asked) for name, asked in runs.items()]
    note = on_common_questions(scored, "asked")[1]
    assert said in note
    assert bool(said) == bool(note)


def test_many_runs_are_told_in_short(gold: Gold) -> None:
    runs = [made(gold, f"run{at}", range(10 + at)) for at in range(12)]
    note = on_common_questions(runs, "asked")[1]
    assert (
        "run11 was asked 21, run10 20, run9 19, run8 18, 7 others at most as many, run0 10;" in note
    )


def test_runs_without_a_common_question_are_refused(gold: Gold, refused: Refused) -> None:
    message = refused(
        lambda: on_common_questions(
            [made(gold, "a", range(20)), made(gold, "b", range(20, 40))], "asked"
        )
    )
    assert "of 40 questions a was asked 20, b 20, and none is common to all" in message
    assert "`missing=" in message


def test_an_unknown_rule_is_refused_before_anything_is_read(refused: Refused) -> None:
    for call in (qg.compare, qg.slices):
        message = refused(
            lambda call=call: call("no.json", "no.jsonl", missing="some"), qg.UsageError
        )
        assert "missing is 'some'; choose one of zero, asked, skip" in message


# --- verbs ----------------------------------------------------------------------------------------


def figures(found: Comparison, system: str) -> tuple[int, float]:
    row = found.overall.to_dict("index")[system]
    return row["n"], row["estimate"]


def test_a_system_does_not_lose_on_questions_it_was_never_asked(gold: Gold) -> None:
    """The second system is right wherever it was asked, the first one nearly everywhere."""
    runs = [made(gold, "all", range(4, 40), range(4)).run, made(gold, "few", range(12)).run]
    found = qg.compare(gold, runs, missing="asked")
    assert figures(found, "few") == (12, 1.0)
    assert found.overall.index[0] == "few"
    assert "only the 12 common to all are compared" in str(found)
    whole = qg.compare(gold, runs)
    assert whole.winners.loc["(all)", "winner"] == "all"
    assert not [note for note in whole.notes if "are compared" in note]
    (told,) = [note for note in whole.notes if "count as wrong" in note]
    assert told.startswith("of 40 questions all was asked 40, few 12; those not asked")


def test_failures_count_unless_they_are_skipped(gold: Gold) -> None:
    runs = [made(gold, "a", range(40)).run, made(gold, "b", range(30), failed=range(30, 40)).run]
    assert figures(qg.compare(gold, runs), "b") == (40, 0.75)
    assert figures(qg.compare(gold, runs, missing="skip"), "b") == (30, 1.0)


def test_slices_are_searched_for_among_the_questions_asked(gold: Gold) -> None:
    run = made(gold, "half", range(0, 20, 2), range(1, 20, 2)).run
    found = qg.slices(gold, run, min_support=4, missing="asked")
    assert found.questions == 20
    (told,) = [note for note in found.notes if note.startswith("of 40 questions half was asked 20")]
    assert told in str(found)
    whole = qg.slices(gold, run, min_support=4)
    assert whole.questions == 40


def test_slices_against_another_run_are_those_of_common_questions(gold: Gold) -> None:
    one, other = made(gold, "a", range(30)).run, made(gold, "b", range(10, 40)).run
    found = qg.slices(gold, [one, other], against=other.name, min_support=4, missing="asked")
    assert found.questions == 20


def reported(gold: Gold, runs: list[Scores], rule: str = "asked") -> Report:
    return report_scores(gold, runs, missing=rule)


def test_a_report_is_about_common_questions_and_shows_all(gold: Gold) -> None:
    runs = [made(gold, "all", range(4, 40), range(4)), made(gold, "few", range(12))]
    found = reported(gold, runs)
    assert found.questions_asked == 12
    assert found.systems == ("few", "all")
    assert "only the 12 common to all are compared" in found.findings.overall[0]
    assert found.statuses.set_index("questions").loc["not asked"].to_dict() == {"few": 28, "all": 0}
    assert len(found.questions) == 2 * SIZE
    macro = found.summary[found.summary["measure"] == "macro-f1"].set_index(["missing", "run"])[
        "value"
    ]
    assert macro.to_dict() == pytest.approx({
        ("asked", "few"): 1.0, ("asked", "all"): 8 / 12, ("zero", "few"): 0.3, ("zero", "all"): 0.9,
        ("skip", "few"): 1.0,
        ("skip", "all"): 0.9,
    })  # fmt: skip


def test_a_report_by_zero_counts_every_question(gold: Gold) -> None:
    found = reported(gold, [made(gold, "all", range(36)), made(gold, "few", range(12))], "zero")
    assert found.questions_asked == SIZE
    assert found.systems == ("all", "few")
    assert set(found.summary["missing"]) == {"zero", "skip"}


def test_a_weighted_comparison_has_the_weights_of_common_questions(gold: Gold) -> None:
    from qaldgen.analysis.comparing.comparison import compare_runs

    same, _ = on_common_questions(
        [made(gold, "a", range(10), range(10, 30)), made(gold, "b", range(20))], "asked"
    )
    weights = pd.Series({str(at): 1.0 + at for at in range(SIZE)})
    found = compare_runs({one.name: one.counts for one in same}, weights=weights)
    assert found.overall.loc["a", "estimate"] == pytest.approx(
        sum(range(1, 11)) / sum(range(1, 21))
    )


def test_a_second_question_of_one_id_was_asked_with_the_first(gold: Gold) -> None:
    doubled = Question("3#2", {"en": ("Again?",)}, answers=YES)
    more = dataclasses.replace(gold.questions, questions=(*gold.questions.questions, doubled))
    runs = [made(Gold(more), "a", range(10)), made(Gold(more), "b", range(2, 40))]
    assert "3#2" in on_common_questions(runs, "asked")[0][0].counts.index


def test_one_run_has_one_score_in_every_verb(gold: Gold) -> None:
    """A run that was asked a few questions, each verb by its default."""
    few, full = (
        made(gold, "few", range(4), range(4, 6)),
        made(gold, "all", range(30), range(30, 40)),
    )
    table = qg.report(gold, [few.run, full.run]).summary
    told = table[(table["run"] == "few") & (table["measure"] == "macro-f1")]
    found = [
        qg.score(gold, few.run).measures()["value"]["macro-f1"],
        figures(qg.compare(gold, [few.run, full.run]), "few")[1],
        float(told["value"].iloc[0]),
    ]
    assert found == pytest.approx([4 / SIZE] * 3)


def test_every_default_is_the_one_that_is_declared() -> None:
    for call in (qg.compare, qg.slices, qg.report):
        assert inspect.signature(call).parameters["missing"].default == DEFAULT
    verbs = ("score", "compare", "slices", "report")
    commands = [importlib.import_module(f"qaldgen.cli.{verb}").command for verb in verbs]
    options = [one for own in commands for one in own.params if "--missing" in one.opts]
    assert [one.default for one in options] == [DEFAULT] * len(verbs)


# --- what "asked" means, for every form -----------------------------------------------------------

BOUND = {
    "head": {"vars": ["x"]},
    "results": {"bindings": [{"x": {"type": "literal", "value": "a"}}]},
}
FORMS = {
    "qald-json": json.dumps({"questions": [{"id": "1", "answers": [BOUND]},
        {"id": "2", "answers": []}]}),
    "journal": "\n".join([
        '{"id": "1", "status": "answered", "answers": {"texts": [["a"]]}}',
        '{"id": "2", "status": "empty", "answers": {"texts": [], "head": {"vars": []}, "results":'
        ' {"bindings": []}}}',
        '{"id": "3", "status": "failed", "answers": null, "error": "HTTP 500"}',
        '{"id": "4", "status": "timeout", "answers": null}',
    ]),
    "records": json.dumps([
        {"id": "1", "answer": "a"}, {"id": "2", "answer": None},
        {"id": "3", "answer": None, "error": "HTTP 500"},
        {"id": "4", "answer": None, "status": "timeout"},
        {"id": "5", "answer": None, "status": "not asked"},
    ]),
    "id-answer": json.dumps({"1": "a", "2": None}),
    "table": "id,answer,status,error\n1,a,,\n2,,,\n3,,,HTTP 500\n4,,timeout,\n5,,not asked,\n",
}  # fmt: skip
WANTED = {
    "1": "answered",
    "2": "empty",
    "3": "failed",
    "4": "timeout",
    "5": "not asked",
    "6": "not asked",
}


@pytest.mark.parametrize("form", FORMS)
def test_a_question_is_asked_if_the_file_names_it(form: str, tmp_path: Path) -> None:
    """What is not named was not asked; a name without an answer is an empty one.

    A failure is what the file calls so.
    """
    path = tmp_path / "run"
    path.write_text(FORMS[form], encoding="utf-8")
    run = read_run(path)
    assert run.format == form
    named = set(run.responses)
    found = {id_: run.response(id_).status for id_ in WANTED}
    assert found == {id_: status if id_ in named else "not asked" for id_, status in WANTED.items()}


def test_every_line_is_a_question_that_was_asked(gold: Gold, tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_text("yes\n" + "\n" * (SIZE - 1), encoding="utf-8")
    run = read_run(path, gold=gold.questions, format="lines")
    assert [run.response(str(at)).status for at in (0, 1, SIZE - 1)] == [
        "answered",
        "empty",
        "empty",
    ]
