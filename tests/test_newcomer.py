"""What a newcomer sees who prints a result: a line or a table, not a screenful of objects."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import qaldgen as qg
from qaldgen.analysis.compare import Comparison, compare_runs
from qaldgen.analysis.discovery import find_slices
from qaldgen.analysis.found import Discovery
from qaldgen.analysis.slices import Slice
from qaldgen.commands import compare as verb
from qaldgen.model import Answers, Question, QuestionSet
from qaldgen.runs.record import Response, Run
from qaldgen.scoring.score import Scores

IDS = [f"q{number}" for number in range(400)]


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    first = pd.DataFrame({"f1": [1.0] * 9 + [0.0] * 3}, index=IDS[:12])
    return compare_runs({"slow": 1 - first, "quick": first}, [Slice("hard", ("q9", "q10", "q11"))], repeats=100)


def discovery(scores: list[float]) -> Discovery:
    every = {"isCount": 4, "isBoolean": 3, "isSuperlative": 7}
    table = pd.DataFrame({name: [number % step == 0 for number in range(400)] for name, step in every.items()}, index=IDS)
    return find_slices(pd.Series(scores, index=IDS), table, depth=1)


@pytest.fixture(scope="module")
def scores() -> Scores:
    asked = tuple(
        Question(str(number), {"en": (f"Is {number} a prime number?",)}, answers=Answers(boolean=True)) for number in (2, 3, 5)
    )
    given = Run("mine", "table", {"2": Response("2", answers=Answers(boolean=True))})
    return qg.score(QuestionSet("primes", "table", asked), given)


def test_a_comparison_names_systems_best_first_in_one_line(comparison: Comparison) -> None:
    assert repr(comparison) == "<Comparison of quick, slow: macro-f1, tests: 1, corrected by holm>"


def test_a_printed_comparison_shows_scores_and_winners(comparison: Comparison) -> None:
    line, scores, winners = str(comparison).split("\n\n")
    assert line == repr(comparison)
    assert scores.splitlines()[-2].split()[:3] == ["quick", "12", "0.75"]
    assert [row.split()[0] for row in winners.splitlines()[2:]] == ["(all)", "hard"]


def test_a_discovery_counts_what_it_found_in_one_line() -> None:
    found = discovery([0.0 if number % 4 == 0 else 1.0 for number in range(400)])
    tested = f"found 1 of {len(found.candidates)} slices tested, {found.looked_at} looked at"
    assert len(found.candidates) > 1
    assert repr(found) == f"<Discovery by held-out: {tested}>"


def test_a_printed_discovery_shows_only_what_was_found() -> None:
    found = discovery([0.0 if number % 4 == 0 else 1.0 for number in range(400)])
    rows = str(found).splitlines()[4:]
    assert [row.split()[:5] for row in rows] == [["isCount", "=", "yes", "100", "0.0"]]


def test_a_printed_discovery_without_a_slice_is_the_line() -> None:
    found = discovery([float(number % 8 < 4) for number in range(400)])
    assert str(found) == repr(found)
    assert str(found).startswith("<Discovery by held-out: found 0 of ")


def test_scores_say_in_one_line_what_became_of_the_questions(scores: Scores) -> None:
    assert repr(scores) == "<Scores of mine: 3 questions (1 answered, 2 not asked), matched by gerbil>"


def test_printed_scores_show_every_measure(scores: Scores) -> None:
    rows = dict(row.rsplit("  ", 1) for row in str(scores).splitlines()[2:])
    assert rows["Macro F1 score  "] == "0.3333"
    assert len(rows) == 11


def test_an_annotation_is_one_line(tmp_path: Path) -> None:
    table = tmp_path / "rivers.csv"
    table.write_text("id,question\n1,Which river is long?\n2,Which river is short?\n", encoding="utf-8")
    found = qg.annotate(qg.load(table))
    assert str(found) == repr(found) == f"<Annotation of rivers: 2 questions, {len(found.statements)} statements>"


@pytest.mark.parametrize(("slices", "said"), [(1, "\nonce a system that is behind"), (2, "\n2 times a system that is behind")])
def test_compare_counts_slices_that_may_be_chance_in_words(slices: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    first = pd.DataFrame({"f1": [1.0] * 15 + [0.0] * 5}, index=IDS[:20])
    hard = [Slice(f"hard {number}", tuple(IDS[15:20])) for number in range(slices)]
    verb._tell(compare_runs({"quick": first, "slow": 1 - first}, hard, repeats=100))
    assert said in capsys.readouterr().err
