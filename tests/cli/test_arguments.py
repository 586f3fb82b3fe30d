"""Numbers and JSON from outside.

What makes no sense is refused with one line, from Python and from the command line.
"""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import qaldgen as qg
from qaldgen.analysis.comparing.comparison import compare_runs
from qaldgen.analysis.comparing.multiplicity import Significance
from qaldgen.analysis.planning import questions_for_difference, questions_for_error
from qaldgen.analysis.slices.weak_spots import Search, find_weak_spots
from qaldgen.answers.record import Run
from qaldgen.benchmark.aliases import check_aliases
from qaldgen.benchmark.gold import Gold
from qaldgen.cli.main import cli
from qaldgen.cli.value_types import FiniteRange
from qaldgen.errors import UsageError
from qaldgen.io.arguments import check_integer, check_positive, check_share
from qaldgen.model import Remark
from qaldgen.scoring.intervals import measure_interval
from qaldgen.scoring.score import Scores
from qaldgen.selection.vectors import Vectors

Refused = Callable[..., str]
NAN = float("nan")


@pytest.mark.parametrize("value", [-1, 2.0, 2.5, NAN, True, "3", None, math.inf])
def test_a_whole_number_is_no_other_thing(value: object, refused: Refused) -> None:
    assert refused(lambda: check_integer("n", value, 0), UsageError).startswith("n is ")


def test_whole_numbers_of_numpy_are_numbers() -> None:
    check_integer("n", np.int64(3), 0)
    check_integer("n", np.uint8(3), 0, 3)


@pytest.mark.parametrize("value", [0, 1, -0.1, 7, NAN, math.inf, "0.5", True, None])
def test_a_share_lies_between_0_and_1(value: object, refused: Refused) -> None:
    assert "expected a number between 0 and 1" in refused(
        lambda: check_share("alpha", value), UsageError
    )


@pytest.mark.parametrize("value", [NAN, math.inf, -math.inf, 0, -0.1, "1", None])
def test_a_number_is_finite_and_large_enough(value: object, refused: Refused) -> None:
    assert "expected a number above 0" in refused(lambda: check_positive("x", value), UsageError)


@pytest.mark.parametrize(
    "value",
    [
        [],
        "text",
        3,
        {"Q1": [1, 2]},
        {"Q1": "one"},
        {"Q1": None},
        {"Q1": {"a": 1}},
        {"Q1": ["one", None]},
        {1: ["one"]},
    ],
)
def test_aliases_are_lists_of_strings(value: object, refused: Refused) -> None:
    assert refused(lambda: check_aliases(value), UsageError).startswith("aliases")


def test_aliases_may_be_any_collection_of_strings() -> None:
    check_aliases({"Q1": ["one"], "Q2": ("two",), "Q3": {"three"}, "Q4": []})


# --- Python -------------------------------------------------------------------------------------

COUNTS = pd.DataFrame(
    {"f1": [0.0, 0.5, 1.0] * 10, "tp": 1, "fp": 0, "fn": 1}, index=[f"q{at}" for at in range(30)]
)
TABLE = pd.DataFrame({"flag": [True, False] * 15}, index=COUNTS.index)
SCORED = Scores(Run("mine", "table", {}), COUNTS)
POOL = Vectors(tuple(COUNTS.index), ("a", "b"), np.eye(30, 2), np.eye(30, 2))
CALLS: dict[str, Callable[[object], object]] = {
    "compare alpha": lambda x: compare_runs(
        {"a": COUNTS, "b": COUNTS},
        tests=Significance(alpha=x),  # type: ignore[arg-type]
    ),
    "slices alpha": lambda x: find_weak_spots([SCORED], TABLE, {}, tests=Search(alpha=x)),  # type: ignore[arg-type]
    "power": lambda x: questions_for_difference([0.0, 1.0], power=x),  # type: ignore[arg-type]
}
WHOLE: dict[str, Callable[[object], object]] = {
    "compare repeats": lambda x: compare_runs({"a": COUNTS, "b": COUNTS},
        tests=Significance(n_resamples=x)),  # type: ignore[arg-type]
    "compare seed": lambda x: compare_runs({"a": COUNTS, "b": COUNTS},
        tests=Significance(random_state=x)),  # type: ignore[arg-type]
    "measure seed": lambda x: measure_interval(COUNTS, "macro-f1-qald",
        random_state=x),  # type: ignore[arg-type]
    "slices support": lambda x: find_weak_spots([SCORED], TABLE, {},
        min_support=x),  # type: ignore[arg-type]
    "slices repeats": lambda x: find_weak_spots([SCORED], TABLE, {},
        tests=Search(n_resamples=x)),  # type: ignore[arg-type]
    "slices seed": lambda x: find_weak_spots([SCORED], TABLE, {},
        tests=Search(random_state=x)),  # type: ignore[arg-type]
    "sample size": lambda x: qg.sample(POOL, x),  # type: ignore[arg-type]
    "sample seed": lambda x: qg.sample(POOL, 3, method="random",
        random_state=x),  # type: ignore[arg-type]
    "sample option": lambda x: qg.sample(POOL, 3, method="km++",
        trials=x),  # type: ignore[arg-type]
    "planning pool": lambda x: questions_for_error([0.0, 1.0], 0.1,
        pool_size=x),  # type: ignore[arg-type]
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_levels_are_checked_in_python(call: str, refused: Refused) -> None:
    for value in (NAN, 7, 0, 1, -0.5):
        assert "between 0 and 1" in refused(partial(CALLS[call], value), UsageError), value


@pytest.mark.parametrize("call", WHOLE)
def test_whole_numbers_are_checked_in_python(call: str, refused: Refused) -> None:
    for value in (-5, NAN, 2.5, "3"):
        assert str(value) in refused(partial(WHOLE[call], value), UsageError)


@pytest.mark.parametrize("error", [NAN, 0, -1, math.inf])
def test_an_error_to_plan_for_is_above_0(error: float, refused: Refused) -> None:
    assert "error is" in refused(lambda: questions_for_error([0.0, 1.0], error), UsageError)
    assert "design_effect is" in refused(
        lambda: questions_for_error([0.0, 1.0], 0.1, design_effect=error), UsageError
    )


def test_scores_to_plan_with_are_numbers(refused: Refused) -> None:
    assert "not a finite number" in refused(
        lambda: questions_for_error([0.0, NAN, 1.0], 0.1), UsageError
    )


def test_aliases_are_checked_in_python(refused: Refused) -> None:
    from qaldgen.answers.record import Response, Run
    from qaldgen.model import Answers, Question, QuestionSet

    gold = Gold(
        QuestionSet(
            "set", "table", (Question("1", {"en": ("Is it?",)}, answers=Answers(boolean=True)),)
        )
    )
    run = Run("mine", "table", {"1": Response("1", answers=Answers(boolean=True))})
    wrong: Any = {"A1": [1, 2]}
    assert "'A1' has [1, 2]" in refused(
        lambda: qg.score(gold, run, match="contains", aliases=wrong), UsageError
    )


# --- the command line ---------------------------------------------------------------------------


def options() -> Iterator[tuple[str, click.Option]]:
    """Yield every option of every verb."""
    stack: list[tuple[str, click.Command]] = [("", cli)]
    while stack:
        name, command = stack.pop()
        if isinstance(command, click.Group):
            context = click.Context(command)
            stack += [
                (f"{name} {one}".strip(), command.get_command(context, one))  # type: ignore[misc]
                for one in command.list_commands(context)
            ]
            continue
        yield from ((name, option) for option in command.params if isinstance(option, click.Option))


@pytest.fixture(scope="module")
def numbers() -> dict[str, click.Option]:
    """Every option that takes a number, by verb and name."""
    return {
        f"{verb} {option.opts[0]}": option
        for verb, option in options()
        if isinstance(option.type, (click.types.IntParamType, click.types.FloatParamType))
    }


def is_bounded(kind: click.ParamType[Any]) -> bool:
    """Say whether numbers have a least one, and are finite, which click alone does not see to."""
    whole = isinstance(kind, click.types.IntParamType)
    return isinstance(kind, click.IntRange if whole else FiniteRange) and kind.min is not None


def test_no_number_on_the_command_line_is_unbounded(numbers: dict[str, click.Option]) -> None:
    assert len(numbers) > 40
    assert [name for name, option in numbers.items() if not is_bounded(option.type)] == []


def is_refused(option: click.Option, value: str) -> bool:
    try:
        option.type.convert(value, option, click.Context(cli))
    except click.BadParameter:
        return True
    return False


def test_numbers_that_make_no_sense_are_refused(numbers: dict[str, click.Option]) -> None:
    assert [
        f"{name} {value!r}"
        for name, option in numbers.items()
        for value in ("nan", "inf", "-inf", "-1", "one", "")
        if not is_refused(option, value)
    ] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["compare", "g", "a", "b", "--alpha", "nan"], "nan is not a finite number"),
        (["report", "g", "a", "-o", "x.html", "--alpha", "7"], "7.0 is not in the range 0<x<1"),
        (["slices", "g", "a", "--alpha", "0"], "not in the range"),
        (["report", "g", "a", "-o", "x.html", "--seed", "-1"], "-1 is not in the range x>=0"),
        (
            ["report", "g", "a", "-o", "x.html", "--repeats", "-5"],
            "-5 is not in the range 100<=x<=10000000",
        ),
        (["sample", "d", "-n", "0"], "0 is not in the range x>=1"),
        (["plan", "s.csv", "--error", "nan"], "nan is not a finite number"),
    ],
)
def test_a_wrong_number_is_a_wrong_call(words: list[str], said: str) -> None:
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 2
    assert said in done.output


@pytest.mark.parametrize("content", [{"A1": [1, 2]}, {"A1": "one"}, ["A1"], {"A1": [None]}, 3])
def test_aliases_on_the_command_line_are_lists_of_strings(content: object, tmp_path: Path) -> None:
    path = tmp_path / "aliases.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    gold, run = tmp_path / "gold.json", tmp_path / "run.json"
    gold.write_text("[]", encoding="utf-8")
    run.write_text("[]", encoding="utf-8")
    done = CliRunner().invoke(
        cli, ["score", str(gold), str(run), "--match", "contains", "--aliases", str(path)]
    )
    assert isinstance(done.exception, qg.DataError)
    assert f"{path}: aliases" in str(done.exception)


def test_a_remark_keeps_its_rule_where_it_is_named_and_pickled() -> None:
    one = Remark(Remark("7 stands twice", rule="duplicate-id"), where="a.csv")
    for again in (one, pickle.loads(pickle.dumps(one)), Remark(one)):
        assert (str(again), again.rule, again.text) == (
            "a.csv: 7 stands twice",
            "duplicate-id",
            "7 stands twice",
        )
