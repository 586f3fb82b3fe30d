"""One evaluation that every view reads: also from its file, without questions and runs."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pandas as pd
import pytest

import qaldgen as qg
from qaldgen.analysis.score_files import matchers_in, read_scores
from qaldgen.benchmark.gold import Gold
from qaldgen.model import Answers, Question, QuestionSet
from qaldgen.scoring.guesses import expected_counts
from qaldgen.sparql.ready_queries import read_query

SIZE = 60


def questions() -> Gold:
    """Half about mills, half about moons; each has an own column, a weight and a cluster."""
    asked = tuple(
        Question(
            f"q{at}",
            {"en": (f"Which {'mill' if at % 2 else 'moon'} has number {at}?",)},
            answers=Answers(texts=((f"name {at}",),)),
            metadata={"topic": "mills" if at % 2 else "moons"},
        )
        for at in range(SIZE)
    )
    ids = [one.id for one in asked]
    weights = {name: 1.0 + at % 3 for at, name in enumerate(ids)}
    clusters = {name: 1 + at % 4 for at, name in enumerate(ids)}
    return Gold(QuestionSet("set", "table", asked), weights, clusters)


def answers(every: int, offset: int) -> dict[str, str]:
    return {f"q{at}": f"name {at if at % every else at + offset}" for at in range(SIZE)}


@pytest.fixture(scope="module")
def made() -> qg.Evaluation:
    gold = questions()
    runs = {"mine": answers(3, 1), "other": answers(2, 5)}
    return qg.evaluate(gold, runs, weights=pd.Series(gold.weights))


@pytest.fixture(scope="module", params=["csv", "parquet"])
def path(
    made: qg.Evaluation, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    if request.param == "parquet":
        pytest.importorskip("pyarrow", reason="install pyarrow: pip install 'qaldgen[parquet]'")
    file: Path = tmp_path_factory.mktemp("scores") / f"scores.{request.param}"
    made.save(file)
    return file


def test_an_evaluation_names_its_runs(made: qg.Evaluation) -> None:
    assert [one.name for one in made] == ["mine", "other"]
    assert made["other"] is made[1]
    assert made.only("other", "mine")[0].name == "other"
    with pytest.raises(KeyError, match="there are mine, other"):
        _ = made["nobody"]
    assert len(made.frame) == 2 * SIZE
    assert "mine, other on 60 questions" in repr(made)


def test_what_is_read_is_what_was_saved(made: qg.Evaluation, path: Path) -> None:
    read = qg.Evaluation.read(path)
    for one, other in zip(made, read, strict=True):
        assert one.name == other.name
        pd.testing.assert_frame_equal(one.counts, other.counts, check_dtype=False)
    assert read.gold.weights == made.gold.weights
    assert read.gold.clusters == made.gold.clusters
    assert read.texts == made.texts


@pytest.mark.parametrize("by", ["answerType", "length", "cluster"])
def test_views_of_the_file_are_those_of_the_evaluation(
    made: qg.Evaluation, path: Path, by: str
) -> None:
    tests = qg.Significance(n_resamples=200)
    kept = qg.compare(path, by=by, tests=tests)
    fresh = qg.compare(qg.evaluate(made.gold, list(made)), by=by, tests=tests)
    pd.testing.assert_frame_equal(kept.pairs, fresh.pairs)
    pd.testing.assert_frame_equal(kept.scores, fresh.scores)


def test_other_views_read_the_file_too(made: qg.Evaluation, path: Path) -> None:
    spots = {
        name: [one.slice.name for one in found] for name, found in qg.slices(path).spots.items()
    }
    assert spots == {
        name: [one.slice.name for one in found] for name, found in qg.slices(made).spots.items()
    }
    assert qg.plan(str(path)).errors.equals(qg.plan(made).errors)
    assert qg.report(path).systems == qg.report(made).systems


def test_a_file_cannot_be_judged_again_or_queried(path: Path, tmp_path: Path) -> None:
    query = tmp_path / "some.rq"
    query.write_text("SELECT ?q { ?q ?p ?o }")
    with pytest.raises(qg.UsageError, match="table of scores has only features"):
        qg.compare(path, where=read_query(query))
    with pytest.raises(qg.UsageError, match="an evaluation has its runs"):
        qg.compare(qg.Evaluation.read(path), answers(2, 1))
    table = tmp_path / "other.csv"
    table.write_text("id,mine\nq1,1\n")
    with pytest.raises(qg.DataError, match="no table of scores by question"):
        qg.Evaluation.read(table)
    with pytest.raises(qg.UsageError, match=r"saved as \.csv or \.parquet"):
        qg.Evaluation.read(path).save(tmp_path / "scores.txt")


def test_weights_count_in_every_view(made: qg.Evaluation) -> None:
    plain = qg.compare(made.gold, list(made)).overall["estimate"]
    weighted = qg.compare(made).overall["estimate"]
    right = expected_counts(made["mine"].counts)["f1"]
    weights = pd.Series(made.gold.weights)
    expected = (right * weights).sum() / weights.sum()
    assert weighted["mine"] == pytest.approx(expected)
    assert plain["mine"] == pytest.approx(right.mean())


def test_questions_in_the_place_of_a_run_are_noticed(tmp_path: Path) -> None:
    def written(name: str, **more: object) -> str:
        text = {"language": "en", "string": "Is it wet?", **more}
        entry = {"id": "1", "question": [text], "answers": [{"boolean": True}]}
        (tmp_path / name).write_text(json.dumps({"questions": [entry]}), encoding="utf-8")
        return str(tmp_path / name)

    mine, gold = written("mine.json"), written("gold.json", keywords="wet")
    assert any("were the two swapped?" in note for note in qg.score(mine, gold).notes)
    assert not any("swapped" in note for note in qg.score(gold, mine).notes)


def test_known_scores_are_read_from_an_evaluation(made: qg.Evaluation, path: Path) -> None:
    wide = read_scores(path)
    assert wide.columns.tolist() == ["mine", "other"]
    assert wide["mine"].to_dict() == made["mine"].counts["f1"].to_dict()
    assert matchers_in(path, "mine") == {made["mine"].rules.match}


def test_score_takes_the_rules_of_evaluate_with_their_defaults() -> None:
    rules = inspect.signature(qg.evaluate).parameters
    of_score = inspect.signature(qg.score).parameters
    shared = [name for name in rules if name not in {"runs", "alone"}]
    assert [name for name in of_score if name != "run"] == shared
    for name in shared:
        assert of_score[name].default == rules[name].default
        assert of_score[name].annotation == rules[name].annotation
