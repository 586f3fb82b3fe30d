"""A second report takes tests and searches from the cache, and says the same as the first."""

import dataclasses
from pathlib import Path

import pandas as pd
import pytest

import qaldgen as qg
from qaldgen.analysis.comparing import comparison
from qaldgen.analysis.slices import found_kinds
from qaldgen.answers.record import Response, Run
from qaldgen.model import Answers
from qaldgen.reports.page.formats import render

SIZE = 120


@pytest.fixture(autouse=True)
def new_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own for each test."""
    monkeypatch.setenv("QALDGEN_CACHE", str(tmp_path))
    return tmp_path


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> qg.QuestionSet:
    path = tmp_path_factory.mktemp("gold") / "gold.csv"
    rows = [
        (f"q{n}", "How many moons has it?" if n % 4 == 0 else "What is its name?", f"word{n}")
        for n in range(SIZE)
    ]
    pd.DataFrame(rows, columns=["id", "question", "answer"]).to_csv(path, index=False)
    return qg.load(path)


def run(name: str, wrong: int, *, also: int = -1) -> Run:
    """Answer every question but each `wrong`th, the counting ones, and the one of number `also`."""
    texts = {
        f"q{n}": "nothing" if n % wrong == 0 or n % 4 == 0 or n == also else f"word{n}"
        for n in range(SIZE)
    }
    answers = {id: Answers(texts=((text,),)) for id, text in texts.items()}
    return Run(name, "table", {id: Response(id, answers=own) for id, own in answers.items()})


def made(gold: qg.QuestionSet, runs: list[Run], **options: object) -> dict[str, object]:
    """Return all that a report says, as JSON and CSV, and its weak spots as they are."""
    names = {"correct", "alpha", "n_resamples", "random_state"}.intersection(options)
    tests = qg.Significance(**{name: options.pop(name) for name in names})  # type: ignore[arg-type]
    judged = qg.evaluate(gold, runs, match="exact", weights=options.pop("weights", None))  # type: ignore[arg-type]
    report = qg.report(judged, tests=tests, **options)  # type: ignore[arg-type]
    assert report.comparison is not None
    return {
        "spots": report.weak.spots,
        "pairs": report.comparison.pairs.to_dict("list"),
        "dtypes": report.comparison.pairs.dtypes.to_dict(),
        **render(report, "csv"),
    }


def equal(one: object, other: object) -> bool:
    """Compare by text, in which NaN equals NaN and 1 differs from 1.0."""
    return repr(one) == repr(other)


RUNS = [("one", 5), ("two", 3), ("three", 7)]


def test_the_second_report_computes_nothing_again(
    gold: qg.QuestionSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [run(*one) for one in RUNS]
    first = made(gold, runs)
    assert any(first["spots"].values())  # type: ignore[attr-defined]

    def never(*_: object) -> None:
        raise AssertionError("computed again")

    monkeypatch.setattr(comparison, "paired_tests", never)
    monkeypatch.setattr(found_kinds, "_search", never)
    assert equal(first, made(gold, runs))


@pytest.fixture(scope="module")
def filled(gold: qg.QuestionSet, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with results of other options."""
    path = tmp_path_factory.mktemp("filled")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QALDGEN_CACHE", str(path))
        made(gold, [run(*one) for one in RUNS])
    return path


@pytest.mark.parametrize(
    "options",
    [
        {"random_state": 1},
        {"n_resamples": 500},
        {"measure": "micro-f1"},
        {"missing": "zero"},
        {"correct": "bh"},
        {"by": ["questionFormulation"]},
        {"weights": pd.Series({f"q{n}": 1.0 + n % 3 for n in range(SIZE)})},
    ],
    ids=lambda options: next(iter(options)),
)
def test_what_the_cache_holds_changes_nothing(
    gold: qg.QuestionSet,
    options: dict[str, object],
    filled: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs = [run(*one) for one in RUNS]
    monkeypatch.setenv("QALDGEN_CACHE", str(filled))
    with_cache = made(gold, runs, **options)
    monkeypatch.setenv("QALDGEN_CACHE", str(tmp_path / "empty"))
    assert equal(with_cache, made(gold, runs, **options))


def test_one_other_answer_is_seen(
    gold: qg.QuestionSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = made(gold, [run(*one) for one in RUNS])
    changed = [run("one", 5), run("two", 3, also=1), run("three", 7)]
    second = made(gold, changed)
    monkeypatch.setenv("QALDGEN_CACHE", str(tmp_path / "empty"))
    assert equal(second, made(gold, changed))
    assert not equal(first["pairs"], second["pairs"])


def test_systems_in_another_order_are_not_taken_for_each_other(
    gold: qg.QuestionSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(gold, [run("one", 5), run("two", 3)])
    names_swapped = [run("two", 5), run("one", 3)]
    second = made(gold, names_swapped)
    monkeypatch.setenv("QALDGEN_CACHE", str(tmp_path / "empty"))
    assert equal(second, made(gold, names_swapped))


def test_other_features_are_searched_anew(
    gold: qg.QuestionSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [run(*one) for one in RUNS]
    made(gold, runs)
    asked = tuple(
        dataclasses.replace(one, texts={"en": ("Who?" if n % 6 else "When was it?",)})
        for n, one in enumerate(gold.questions)
    )
    other = dataclasses.replace(gold, questions=asked)
    second = made(other, runs)
    monkeypatch.setenv("QALDGEN_CACHE", str(tmp_path / "empty"))
    assert equal(second, made(other, runs))
