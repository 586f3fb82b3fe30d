"""What somebody tries in a notebook without reading the docs works, or says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

import qaldgen as qg
from qaldgen.annotation.annotate import Annotation
from qaldgen.model import QuestionSet

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def questions() -> QuestionSet:
    return qg.load(EXAMPLES / "one-hop.tsv")


@pytest.fixture(scope="module")
def run(questions: QuestionSet, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "mine.csv"
    lines = [f"{one.id},{number % 3}" for number, one in enumerate(questions)]
    path.write_text("\n".join(["id,answers", *lines, ""]), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def annotated(questions: QuestionSet) -> Annotation:
    return qg.annotate(questions)


def test_a_question_set_has_a_length_and_can_be_iterated(questions: QuestionSet) -> None:
    assert len(questions) == len(questions.questions) > 0
    assert list(questions) == list(questions.questions)


def test_features_come_as_a_table_by_question(annotated: Annotation) -> None:
    table = annotated.to_frame()
    assert len(table) == len(annotated)
    assert set(qg.select(annotated, "text").ids) <= set(table.index)
    assert (table["length"] > 0).all()


def test_a_sample_of_annotated_questions_names_their_set_once(annotated: Annotation) -> None:
    bench = qg.sample(qg.select(annotated, "text"), 5, method="lpm")
    assert repr(bench) == f"<Benchmark one-hop: 5 of {bench.pool_size} questions by lpm>"


def test_one_feature_and_one_run_need_no_list(questions: QuestionSet, run: Path) -> None:
    found = qg.report(questions, run, by="length")
    assert found.systems == ("mine",)
    assert repr(found) == f"<Report on mine: {len(questions):,} questions, macro-f1>"
    assert str(found).startswith(repr(found))
    assert "mine" in str(found).removeprefix(repr(found))
    with pytest.raises(qg.UsageError, match="no feature 'lenght'"):
        qg.report(questions, qg.read_run(run), by="lenght")
    with pytest.raises(qg.UsageError, match="two"):
        qg.compare(questions, str(run))


def test_several_runs_are_for_compare(questions: QuestionSet, run: Path) -> None:
    with pytest.raises(qg.UsageError, match=r"one run is needed .* compare several with compare"):
        qg.score(questions, [run, run])  # type: ignore[list-item]


def test_a_plan_takes_scores(questions: QuestionSet, run: Path) -> None:
    scored = qg.score(questions, run, match="contains")
    table = scored.counts[["f1"]].set_axis(["mine"], axis=1)
    assert qg.plan(scored).errors.equals(qg.plan(table).errors)


def test_the_seed_and_misspelt_options_are_named(annotated: Annotation) -> None:
    pool = qg.select(annotated, "text")
    with pytest.raises(qg.UsageError, match="no option 'seed'; the seed is random_state"):
        qg.sample(pool, 5, seed=3)
    with pytest.raises(qg.UsageError, match="did you mean trials\\? it has iterations, trials"):
        qg.sample(pool, 5, method="km++", trial=3)


def test_what_is_no_data_is_told(annotated: Annotation) -> None:
    with pytest.raises(qg.UsageError, match="a Vectors is no data to select from"):
        qg.describe(qg.select(annotated, "text"))  # type: ignore[arg-type]
