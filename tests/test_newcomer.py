"""What a newcomer sees who prints a result: a line or a table, not a screenful of objects."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from general_measures import GENERAL

import qaldgen as qg
from qaldgen.analysis.comparing.comparison import Comparison, compare_runs
from qaldgen.analysis.comparing.multiplicity import Significance
from qaldgen.analysis.slices.slicing import Slice
from qaldgen.analysis.slices.weak_spots import WeakSpots, find_weak_spots
from qaldgen.answers.record import Response, Run
from qaldgen.cli.main import cli
from qaldgen.model import Answers, Cell, Question, QuestionSet
from qaldgen.reports.tables.comparisons import comparison_lines
from qaldgen.scoring.score import Scores
from qaldgen.stores.local import LocalStore

EXAMPLE = Path(__file__).resolve().parent.parent / "examples"
IDS = [f"q{number}" for number in range(400)]


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    first = pd.DataFrame({"f1": [1.0] * 9 + [0.0] * 3}, index=IDS[:12])
    return compare_runs(
        {"slow": 1 - first, "quick": first},
        [Slice("hard", ("q9", "q10", "q11"))],
        tests=Significance(n_resamples=100),
    )


def weak_spots(values: list[float]) -> WeakSpots:
    every = {"isCount": 4, "isBoolean": 3, "isSuperlative": 7}
    table = pd.DataFrame(
        {name: [number % step == 0 for number in range(400)] for name, step in every.items()},
        index=IDS,
    )
    counts = pd.DataFrame({"f1": values, "status": "answered"}, index=IDS)
    return find_weak_spots([Scores(Run("mine", "table", {}), counts)], table, {})


@pytest.fixture(scope="module")
def scores() -> Scores:
    asked = tuple(
        Question(
            str(number), {"en": (f"Is {number} a prime number?",)}, answers=Answers(boolean=True)
        )
        for number in (2, 3, 5)
    )
    given = Run("mine", "table", {"2": Response("2", answers=Answers(boolean=True))})
    return qg.score(QuestionSet("primes", "table", asked), given)


def test_a_comparison_names_systems_best_first_in_one_line(comparison: Comparison) -> None:
    assert (
        repr(comparison)
        == "<Comparison of quick, slow: macro-f1, tests on all questions: 1, on slices: 0, each"
        " corrected by holm>"
    )


def test_a_printed_comparison_shows_scores_and_winners(comparison: Comparison) -> None:
    verdict, line, scores, winners = str(comparison).split("\n\n")
    assert verdict == comparison.verdict
    assert line == repr(comparison)
    assert scores.splitlines()[-2].split()[:3] == ["quick", "12", "0.75"]
    assert [row.split()[0] for row in winners.splitlines()[2:]] == ["(all)", "hard"]


def test_weak_spots_are_counted_in_one_line() -> None:
    found = weak_spots([0.0 if number % 4 == 0 else 1.0 for number in range(400)])
    kinds = found.conditions + found.pairs
    assert (
        repr(found) == f"<WeakSpots: 1 found for 1 system, searched {kinds} kinds of 400 questions>"
    )


def test_printed_weak_spots_say_what_a_system_is_weak_on() -> None:
    found = weak_spots([0.0 if number % 4 == 0 else 1.0 for number in range(400)])
    assert "mine is weak on: the query counts (0.00 here, 1.00 elsewhere, 100 q" in str(found)


def test_where_nothing_is_found_it_is_said_what_would_have_been() -> None:
    found = weak_spots([float(number % 8 < 4) for number in range(400)])
    assert found.spots == {"mine": ()}
    first = found.detectable["mine"][0]
    points = f"{100 * first.difference:.0f} points"
    assert f"A kind of {first.questions} questions would have been seen from {points}" in str(found)


def test_scores_say_in_one_line_what_became_of_the_questions(scores: Scores) -> None:
    assert (
        repr(scores) == "<Scores of mine: 3 questions (1 answered, 2 not asked), matched by gerbil>"
    )


def test_printed_scores_show_every_measure(scores: Scores) -> None:
    table = str(scores).partition("\n\n")[2]
    rows = dict(row.rsplit("  ", 1) for row in table.splitlines())
    assert rows["Macro F1 score  "] == "0.3333"
    assert len(rows) == len(GENERAL)


def test_an_annotation_is_one_line(tmp_path: Path) -> None:
    table = tmp_path / "rivers.csv"
    table.write_text(
        "id,question\n1,Which river is long?\n2,Which river is short?\n", encoding="utf-8"
    )
    found = qg.annotate(qg.load(table))
    assert (
        str(found)
        == repr(found)
        == f"<Annotation of rivers: 2 questions, {len(found.statements)} statements>"
    )


@pytest.mark.parametrize(
    ("slices", "said"),
    [
        (1, "may be chance: slow before quick on “hard 0”\n"),
        (2, "“hard 0”, slow before quick on “hard 1”\n"),
        (5, "slow before quick on “hard 2” and 2 more\n"),
    ],
)
def test_compare_names_slices_where_another_order_may_be_chance(slices: int, said: str) -> None:
    first = pd.DataFrame({"f1": [1.0] * 15 + [0.0] * 5}, index=IDS[:20])
    hard = [Slice(f"hard {number}", tuple(IDS[15:20])) for number in range(slices)]
    found = compare_runs(
        {"quick": first, "slow": 1 - first}, hard, tests=Significance(n_resamples=100)
    )
    assert said in "".join(f"{line}\n" for line in comparison_lines(found))


@pytest.mark.parametrize(
    "printed",
    [
        lambda: qg.load(EXAMPLE / "questions.json"),
        lambda: qg.select(EXAMPLE / "features.ttl", "entities"),
    ],
)
def test_large_results_print_as_one_short_line(printed: Callable[[], object]) -> None:
    assert len(repr(printed())) < 120
    assert "245 questions" in repr(printed())


def test_a_benchmark_and_a_run_print_as_one_short_line() -> None:
    made = qg.sample(qg.select(EXAMPLE / "features.ttl", "entities"), 5, method="random")
    assert repr(made).endswith("5 of 245 questions by random>")
    assert repr(Run("mine", "table", {"2": Response("2")})) == "<Run mine: 1 response, table>"


def test_answers_in_words_are_told_which_matcher_compares_words() -> None:
    asked = (
        Question(
            "1",
            {"en": ("Who owns the mill?",)},
            answers=Answers(variables=("x",), rows=((Cell("uri", "urn:a"),),)),
        ),
    )
    said = Run("mine", "table", {"1": Response("1", answers=Answers(texts=(("It is Ada's.",),)))})
    notes = qg.score(QuestionSet("mills", "table", asked), said, match="gerbil").notes
    assert any("`match` contains" in note for note in notes)
    assert not any(
        "`match` contains" in note
        for note in qg.score(QuestionSet("mills", "table", asked), said, match="contains").notes
    )


def test_a_listing_on_features_without_published_names_names_the_cure(tmp_path: Path) -> None:
    annotated = qg.annotate(qg.load(EXAMPLE / "questions.json"))
    with pytest.raises(
        qg.DataError, match="use `query='annotated'`, or 'qaldgen annotate' with `r1_compat`"
    ):
        qg.select(annotated.store(), "listing-1.2")


@pytest.fixture(scope="module")
def texts_only() -> LocalStore:
    """The features of the example's questions, as if nothing but their texts were known."""
    known = qg.load(EXAMPLE / "questions.json")
    bare = tuple(Question(one.id, one.texts) for one in known.questions)
    return qg.annotate(dataclasses.replace(known, questions=bare)).store()


def test_texts_alone_are_selected_by_their_wording(texts_only: LocalStore) -> None:
    vectors = qg.select(texts_only)
    assert vectors.query is not None
    assert vectors.query.name == "text"
    assert any("-q text is used" in note for note in vectors.notes)
    assert len(vectors) == 245


def test_the_features_of_a_wording_vary(texts_only: LocalStore) -> None:
    vectors = qg.select(texts_only, "text")
    assert (vectors.raw.min(axis=0) < vectors.raw.max(axis=0)).all()
    assert len(np.unique(vectors.matrix, axis=0)) > 0.6 * len(vectors)
    assert not any("is used" in note for note in vectors.notes)


def test_with_a_query_the_listing_of_the_paper_stays_the_default() -> None:
    annotated = qg.annotate(qg.load(EXAMPLE / "questions.json"), r1_compat=True)
    vectors = qg.select(annotated.store())
    assert vectors.query is not None
    assert vectors.query.name == "listing-1.2"


def test_sample_of_texts_needs_no_query(tmp_path: Path) -> None:
    (tmp_path / "mills.csv").write_text(
        "question\n" + "\n".join(f"Who built mill {n}?" for n in range(9)), encoding="utf-8"
    )
    features, bench = str(tmp_path / "mills.ttl"), str(tmp_path / "bench.ttl")
    CliRunner().invoke(
        cli, ["annotate", str(tmp_path / "mills.csv"), "-o", features], catch_exceptions=False
    )
    for call in (
        ["select", features, "--dropped"],
        ["sample", features, "-m", "random", "-n", "3", "-o", bench],
    ):
        assert "-q text is used" in CliRunner().invoke(cli, call, catch_exceptions=False).stderr
    assert "|q:text@" in Path(bench).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def asked_twice(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Journals of two systems on the example."""
    folder = tmp_path_factory.mktemp("runs")
    for name in ("typed", "templates"):
        call = [
            "ask",
            str(EXAMPLE / "questions.json"),
            "--system",
            name,
            "--kg",
            str(EXAMPLE / "graph.ttl"),
        ]
        CliRunner().invoke(
            cli, [*call, "-o", str(folder / f"{name}.jsonl")], catch_exceptions=False
        )
    return [str(folder / f"{name}.jsonl") for name in ("typed", "templates")]


def test_questions_stand_side_by_side_hardest_first(asked_twice: list[str]) -> None:
    call = ["compare", str(EXAMPLE / "questions.json"), *asked_twice, "-q", "--format", "json"]
    rows = json.loads(CliRunner().invoke(cli, call, catch_exceptions=False).stdout)
    assert len(rows) == 245
    assert set(rows[0]) == {"id", "typed", "templates", "question"}
    means = [row["typed"] + row["templates"] for row in rows]
    assert means == sorted(means)


def test_slices_of_an_earlier_search_are_refused_before_the_search_and_replaced_by_force(
    asked_twice: list[str], tmp_path: Path
) -> None:
    (tmp_path / "slice-99.rq").write_text("old")
    call = ["slices", str(EXAMPLE / "questions.json"), asked_twice[0], "--save", str(tmp_path)]
    with pytest.raises(qg.UsageError, match=r"slice-99\.rq"):
        CliRunner().invoke(cli, call, catch_exceptions=False)
    CliRunner().invoke(cli, [*call, "--force"], catch_exceptions=False)
    assert not (tmp_path / "slice-99.rq").exists()
    assert (tmp_path / "slice-1.rq").exists()


class Seen(HTMLParser):
    """The tags of a piece of HTML and its text, as a notebook would see them."""

    def __init__(self, shown: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""
        self.feed(shown)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


PLAIN = {"div", "p", "b", "table", "thead", "tbody", "tr", "th", "td"}
HOSTILE = "<img src=x onerror=alert(1)>&amp;"


def hostile_scores() -> Scores:
    one = Question("1", {"en": (HOSTILE,)}, answers=Answers(boolean=True))
    given = {"1": Response("1", answers=Answers(boolean=True))}
    return qg.score(QuestionSet(HOSTILE, "table", (one,)), Run(HOSTILE, "table", given))


def hostile_benchmark() -> object:
    """Sample from a table whose questions and name are markup."""
    rows = tuple(Question(str(n), {"en": (HOSTILE + "a" * n,)}) for n in range(20))
    vectors = qg.select(qg.annotate(QuestionSet("set", "table", rows)).store(), "text")
    return dataclasses.replace(qg.sample(vectors, 12, method="random"), title=HOSTILE)


def hostile_comparison() -> Comparison:
    counts = {name: hostile_scores().counts for name in (HOSTILE, "other")}
    return compare_runs(counts, [], tests=Significance(n_resamples=50))


@pytest.mark.parametrize("make", [hostile_scores, hostile_benchmark, hostile_comparison])
def test_results_in_a_notebook_are_tables_whose_text_is_text(make: Callable[[], Any]) -> None:
    seen = Seen(make()._repr_html_())
    assert seen.tags <= PLAIN
    assert "table" in seen.tags
    assert HOSTILE in seen.text


def test_weak_spots_in_a_notebook_are_named_in_words() -> None:
    found = weak_spots([0.0 if number % 4 == 0 else 1.0 for number in range(400)])
    seen = Seen(found._repr_html_())
    assert "the query counts" in seen.text
    assert "100" in seen.text


def test_scores_in_a_notebook_are_those_that_are_printed(scores: Scores) -> None:
    seen = Seen(scores._repr_html_())
    assert "0.3333" in seen.text
    assert "3 questions (1 answered, 2 not asked)" in seen.text
