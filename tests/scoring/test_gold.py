"""Gold questions from question sets and benchmarks, and the notes that scoring gives about them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from questions import run_of

import qaldgen as qg
from qaldgen.answers.record import Response, Run
from qaldgen.benchmark.aliases import read_aliases
from qaldgen.benchmark.gold import Gold, load_gold
from qaldgen.errors import UsageError
from qaldgen.model import Answers, Question, QuestionSet
from qaldgen.scoring.evaluation import check_answers, score
from qaldgen.scoring.matchers import MATCHERS, make_matcher
from qaldgen.scoring.rules import Rules

ROOT = Path(__file__).resolve().parent.parent.parent
FEATURES = str(ROOT / "examples" / "features.ttl")
YES = Answers(boolean=True)
Refused = Callable[..., str]


def gold_of(*questions: Question) -> Gold:
    return Gold(QuestionSet("gold", "table", questions))


def asked(
    name: str, answers: Answers | None = YES, language: str = "en", **metadata: str
) -> Question:
    return Question(name, {language: ("Is it wet?",)}, answers=answers, metadata=metadata)


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gold") / "mine.bench.ttl"
    made = qg.sample(qg.select(FEATURES, "annotated"), 20, method="lpm", random_state=1)
    made.save(path)
    made.save(path.with_suffix(".json"))
    return path


def test_turtle_and_json_of_one_benchmark_are_the_same_gold(benchmark: Path) -> None:
    turtle, as_json = load_gold(benchmark), load_gold(benchmark.with_suffix(".json"))
    assert turtle.questions.name == as_json.questions.name == "mine.bench"
    assert [one.id for one in turtle.questions.questions] == [
        one.id for one in as_json.questions.questions
    ]
    assert turtle.weights == pytest.approx(as_json.weights)
    assert turtle.inclusion == pytest.approx(as_json.inclusion)
    assert turtle.clusters == as_json.clusters


def test_only_rdf_holds_the_benchmark_and_its_vectors(benchmark: Path) -> None:
    vectors = load_gold(benchmark).vectors()
    assert vectors is not None
    assert vectors.shape == (20, 7)
    assert np.isfinite(vectors).all()
    assert load_gold(benchmark.with_suffix(".json")).vectors() is None


@pytest.mark.parametrize(
    ("value", "words"),
    [("many", "not a number"), (0, "above 0"), (-1, "above 0"), ("inf", "above 0")],
)
def test_a_weight_that_is_none_is_refused_with_the_question(
    benchmark: Path, tmp_path: Path, refused: Refused, value: object, words: str
) -> None:
    data = json.loads(benchmark.with_suffix(".json").read_text(encoding="utf-8"))
    data["questions"][3]["weight"] = value
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    message = refused(lambda: load_gold(path))
    assert words in message
    assert f"question {data['questions'][3]['id']}: weight" in message


@pytest.mark.parametrize(
    ("cells", "weights"),
    [(("heavy", "light"), {}), (("3", "0"), {}), (("3", "1"), {"1": 3.0, "2": 1.0})],
)
def test_column_of_a_table_is_a_weight_only_where_it_holds_weights(
    tmp_path: Path, cells: tuple[str, str], weights: dict[str, float]
) -> None:
    path = tmp_path / "gold.csv"
    path.write_text(f"question,answers,weight\nWho?,Ann,{cells[0]}\nWhere?,Oslo,{cells[1]}\n")
    assert load_gold(path).weights == weights


def test_weights_that_not_every_question_has_are_none(benchmark: Path, tmp_path: Path) -> None:
    data = json.loads(benchmark.with_suffix(".json").read_text(encoding="utf-8"))
    del data["questions"][3]["weight"]
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    assert load_gold(path).weights == {}


def test_gold_needs_one_answer_at_least(refused: Refused) -> None:
    check_answers(gold_of(asked("1"), asked("2", None)))
    check_answers(gold_of(asked("1", Answers())))
    assert "none of the 2 questions" in refused(
        lambda: check_answers(gold_of(asked("1", None), asked("2", None)))
    )


def test_notes_about_the_gold_name_it_and_those_about_the_run_name_the_run() -> None:
    found = score(gold_of(asked("1"), asked("2", None)), run_of(**{"1": YES}))
    assert [note.split()[0] for note in found.notes] == ["gold:", "mine"]


def test_questions_without_a_text_in_the_language_are_dropped_by_gerbil_alone() -> None:
    gold = gold_of(asked("1"), asked("2", language="de"))
    by_gerbil, strict = (
        score(gold, run_of(**{"1": YES, "2": YES}), match=match) for match in ("gerbil", "strict")
    )
    assert by_gerbil.counts.index.tolist() == ["1"]
    assert by_gerbil.notes == (
        "gold: 1 of 2 questions have no text in 'en' and are dropped, as by GERBIL",
    )
    assert strict.counts.index.tolist() == ["1", "2"]


def test_a_second_question_of_one_id_is_scored_with_the_same_answer_and_not_missing() -> None:
    found = score(gold_of(asked("7"), asked("7#2", Answers(boolean=False))), run_of(**{"7": YES}))
    assert found.counts["f1"].tolist() == [1.0, 0.0]
    assert found.notes == (
        (
            "gold: ids that are used more than once: 1 (first: 7);"
            " each is scored with the one answer given"
        ),
    )


def test_missing_answers_are_failures_timeouts_and_questions_not_asked() -> None:
    responses = {
        "1": Response("1", answers=YES),
        "2": Response("2", "failed"),
        "3": Response("3", "timeout"),
        "5": Response("5", "empty"),
    }
    found = score(gold_of(*(asked(name) for name in "12345")), Run("mine", "table", responses))
    assert found.with_missing("zero").index.tolist() == list("12345")
    assert found.with_missing("skip").index.tolist() == ["1", "5"]
    assert found.statuses() == {
        "answered": 1,
        "failed": 1,
        "timeout": 1,
        "not asked": 1,
        "empty": 1,
    }
    with pytest.raises(UsageError, match="choose one of zero, asked, skip"):
        found.with_missing("none")


@pytest.mark.parametrize("name", sorted(set(MATCHERS) - {"judge"}))
def test_every_matcher_can_be_made(name: str) -> None:
    assert callable(make_matcher(name, Rules()))


def test_the_judge_needs_verdicts() -> None:
    with pytest.raises(UsageError, match="judge"):
        make_matcher("judge", Rules())


def test_unknown_matchers_and_rules_are_refused(refused: Refused) -> None:
    assert "choose one of gerbil" in refused(lambda: make_matcher("f1", Rules()), UsageError)
    assert "choose one of none, offline" in refused(
        lambda: make_matcher("gerbil", Rules(same_as="online")), UsageError
    )


def test_aliases_nested_too_deeply_are_refused(tmp_path: Path, refused: Refused) -> None:
    path = tmp_path / "aliases.json"
    path.write_text('{"Q1": ' + "[" * 100_000)
    assert "nested too deeply" in refused(lambda: read_aliases(path))


def test_every_run_and_language_has_its_own_remarks_on_the_gold() -> None:
    gold = gold_of(
        asked("1"), asked("2", None), asked("3", None, language="de"), asked("4", language="de")
    )
    english = [score(gold, run_of(**{"1": YES}), match="gerbil").notes for _ in range(2)]
    german = score(gold, run_of(**{"4": YES}), match="gerbil", language="de").notes
    assert english[0] == english[1]
    assert any("1 of 2 questions (first: 2)" in note for note in english[0])
    assert any("1 of 2 questions (first: 3)" in note for note in german)
