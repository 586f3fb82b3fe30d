"""Reports on chains of retriever and reader: measures of retrieval, and who missed what."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

import qaldgen as qg
from qaldgen.cli.listed_tables import table_lines
from qaldgen.cli.main import cli
from qaldgen.plugins.passages.loss_tables import with_losses
from qaldgen.reports.page.contents import Report
from qaldgen.scoring.measures import MEASURES, known_measures

SIZE = 24


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Half of the questions ask yes or no.

    The retriever misses every third, the reader every fourth.
    """
    answers = ["tak" if at % 2 else f"Jan {at}" for at in range(SIZE)]
    asked = [
        {
            "id": f"q{at}",
            "question": f"Czy młyn {at} stoi?" if at % 2 else f"Kto zbudował młyn {at}?",
            "language": "pl",
            "answers": [answers[at]], "relevant_passages": f"p{at}",
        }
        for at in range(SIZE)
    ]  # fmt: skip
    (tmp_path / "asked.jsonl").write_text("".join(json.dumps(one) + "\n" for one in asked))
    for name, lost in (("a", 3), ("b", 2)):
        hits = (
            f"q{at} Q0 {'x' if at % lost == 0 else 'p'}{at} 1 1.0 {name}\n" for at in range(SIZE)
        )
        (tmp_path / f"{name}.trec").write_text("".join(hits))
        said = (
            {
                "id": f"q{at}",
                "answer": None if at % lost == 0 or at % 4 == 1 else answers[at],
            }
            for at in range(SIZE)
        )
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in said))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> str:
    found = CliRunner().invoke(cli, words)
    assert found.exit_code == 0, found.output
    return found.output


def test_every_measure_can_be_chosen() -> None:
    assert set(table_lines("measures")) == set(known_measures())


RETRIEVAL, ANSWERS = (
    sorted(name for name, measure in MEASURES.items() if measure.matcher == "passages"),
    ("same_text", "shuffled", "chance"),
)


@pytest.mark.parametrize("measure", ["same_text", "chance", "accuracy@1", "ndcg@10"])
def test_measures_of_some_matchers_are_reported_compared_and_sliced(
    folder: Path, measure: str
) -> None:
    if measure in RETRIEVAL:
        pytest.importorskip(
            "ir_measures", reason="ir_measures is not installed: pip install 'qaldgen[retrieval]'"
        )
    ending, match = ("trec", "passages") if measure in RETRIEVAL else ("jsonl", "poleval")
    runs = [f"a.{ending}", f"b.{ending}"]
    made = qg.report(
        qg.evaluate("asked.jsonl", runs, match=match, language="pl"),
        by=["informationSought"],
        measure=measure,
        tests=qg.Significance(n_resamples=200),
    )
    assert made.measure == measure
    shown = made.scores[made.scores["system"] == "a"]["estimate"]
    assert shown.between(0.0, 1.0).all()
    compared = qg.compare(
        qg.evaluate("asked.jsonl", runs, match=match, language="pl"),
        measure=measure,
        tests=qg.Significance(n_resamples=200),
    )
    scores = [
        qg.score("asked.jsonl", one, match=match, language="pl").counts[measure].mean()
        for one in runs
    ]
    assert compared.pairs["difference"].iloc[0] == pytest.approx(scores[0] - scores[1])
    assert run(
        "score",
        "asked.jsonl",
        *runs,
        "--match",
        match,
        "--lang",
        "pl",
        "--by",
        "informationSought",
        "--measure",
        measure,
    )


def test_a_measure_that_the_matcher_does_not_fill_says_which_does(
    folder: Path, refused: Callable[..., str]
) -> None:
    told = refused(
        lambda: qg.report(
            qg.evaluate("asked.jsonl", ["a.jsonl"], language="pl"), measure="accuracy@10"
        )
    )
    assert "by `match='passages'`, which fills it" in told


def test_an_unknown_measure_is_refused_before_anything_is_read(refused: Callable[..., str]) -> None:
    assert "accuracy@7" in refused(
        lambda: qg.report("no-such-file", ["x"], measure="accuracy@7"), qg.UsageError
    )
    assert "macro-f1" in MEASURES


@pytest.fixture
def split(folder: Path) -> Callable[..., Report]:
    scored = [
        qg.score("asked.jsonl", one, match="poleval", language="pl")
        for one in ("a.jsonl", "b.jsonl")
    ]
    made = qg.report(
        qg.evaluate("asked.jsonl", scored, match="poleval", language="pl"),
        by=["informationSought"],
        tests=qg.Significance(n_resamples=200),
    )
    return lambda *retrieved: with_losses(made, "asked.jsonl", scored, list(retrieved))


def test_losses_are_split_by_system_and_slice(split: Callable[..., Report]) -> None:
    (section,) = split("a.trec", "b.trec").sections
    losses = section.table
    every = losses[losses["slice"] == "all"].set_index("system")
    for system, lost in (("a", 3), ("b", 2)):
        missed = sum(at % lost == 0 for at in range(SIZE))
        misread = sum(at % 4 == 1 and at % lost != 0 for at in range(SIZE))
        right = SIZE - missed - misread
        expected = {"n": SIZE, "retriever miss": missed, "reader miss": misread, "right": right}
        assert {name: every[name][system] for name in expected} == expected
    parts = (
        losses[losses["slice"].str.startswith("informationSought")]
        .groupby("system")["reader miss"]
        .sum()
    )
    assert parts.to_dict() == every["reader miss"].to_dict()


def test_one_retriever_serves_all_systems(
    split: Callable[..., Report], refused: Callable[..., str]
) -> None:
    assert len(split("a.trec").sections) == 1
    assert "3 runs of retrievers for 2 systems" in refused(
        lambda: split("a.trec", "b.trec", "a.trec"), qg.UsageError
    )


def test_every_form_of_the_report_has_the_losses(folder: Path) -> None:
    outputs = [
        word for ending in ("html", "md", "tex", "csv", "json") for word in ("-o", f"r.{ending}")
    ]
    words = (
        "--match",
        "poleval",
        "--lang",
        "pl",
        "--by",
        "informationSought",
        "--retrieved",
        "a.trec",
        "--repeats",
        "200",
    )
    run("report", "asked.jsonl", "a.jsonl", *words, *outputs)
    assert 'id="losses"' in (folder / "r.html").read_text()
    assert "| seeks a yes or no | a | 12 |" in (folder / "r.md").read_text()
    assert "What the retriever and the reader missed" in (folder / "r.tex").read_text()
    assert "a,all,24," in (folder / "r.losses.csv").read_text()
    assert len(json.loads((folder / "r.json").read_text())["tables"]["losses"]) == 3


def test_reports_without_a_retriever_are_as_they_were(folder: Path) -> None:
    run(
        "report",
        "asked.jsonl",
        "a.jsonl",
        "--match",
        "poleval",
        "--lang",
        "pl",
        "-o",
        "r.html",
        "-o",
        "r.csv",
        "--repeats",
        "200",
    )
    assert 'id="losses"' not in (folder / "r.html").read_text()
    assert not (folder / "r.losses.csv").exists()
