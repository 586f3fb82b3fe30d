"""What the explorer answers is what the commands print and write."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calls import Call
from explored import QUESTIONS, is_count, write_questions, write_run

import qaldgen as qg
from qaldgen.analysis.slices.slicing import Slice, slices_by
from qaldgen.errors import QaldgenError, UsageError
from qaldgen.plugins.explorer import page_answers, system_scores
from qaldgen.plugins.explorer.page_answers import DOWNLOADS, open_selection
from qaldgen.plugins.explorer.workspace import OpenSet, Workspace

#: What the questions that ask for a number are called.
COUNTS = 'the question says "how many"'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("explored")
    write_questions(made)
    write_run(made, "counts-badly.csv", weak=True)
    write_run(made, "fine.csv", weak=False)
    return made


@pytest.fixture(scope="module")
def workspace() -> Iterator[Workspace]:
    with Workspace() as made:
        yield made


@pytest.fixture(scope="module")
def opened(workspace: Workspace, folder: Path) -> OpenSet:
    found = workspace.open(str(folder / "harbours.csv"))
    for name in ("counts-badly", "fine"):
        found.add_run(folder / f"{name}.csv", name)
    return found


@pytest.fixture
def body(workspace: Workspace, opened: OpenSet) -> dict[str, Any]:
    """What the page sends at first."""
    found = page_answers.data_answer(workspace, {"data": opened.pool.id})
    return {"data": opened.pool.id, "query": found["first"], "size": 12, "method": "lpm", "seed": 3}


def column_of(opened: OpenSet, name: str) -> Any:  # noqa: ANN401
    return next(one for one in opened.pool.histograms.columns if one.name == name)


def filter_on(opened: OpenSet, name: str, *labels: str) -> list[Any]:
    column = column_of(opened, name)
    return [column.property, [at for at, bin_ in enumerate(column.bins) if bin_.label in labels]]


def left_by(opened: OpenSet, *filters: list[Any]) -> list[int]:
    """Return the questions that the page keeps: those whose bins are among the wanted ones."""
    kept = np.ones(len(opened.pool.histograms.ids), dtype=bool)
    for name, places in filters:
        column = next(one for one in opened.pool.histograms.columns if one.property == name)
        kept &= np.isin(column.codes, places)
    return np.flatnonzero(kept).tolist()


def test_all_questions_are_shown_with_their_texts(
    workspace: Workspace, body: dict[str, Any]
) -> None:
    found = page_answers.data_answer(workspace, body)
    assert len(found["ids"]) == len(found["texts"]) == QUESTIONS
    assert any("Norden160" in text for text in found["texts"])
    json.dumps(found, allow_nan=False)


def test_columns_come_as_a_byte_for_each_question(
    workspace: Workspace, opened: OpenSet, body: dict[str, Any]
) -> None:
    content = page_answers.columns_answer(workspace, {**body, "columns": [1, 0]})
    assert len(content) == 2 * QUESTIONS
    assert content[QUESTIONS:] == opened.pool.histograms.columns[0].codes.tobytes()


@pytest.mark.parametrize("name", ["hasQuote", "length", "whType", "charCount"])
def test_the_query_of_a_filter_selects_what_the_page_keeps(
    workspace: Workspace, opened: OpenSet, body: dict[str, Any], name: str
) -> None:
    column = column_of(opened, name)
    for at in range(0, len(column.bins), 1 + len(column.bins) // 3):
        wanted = [column.property, [at]]
        found = page_answers.pool_answer(workspace, {**body, "filters": [wanted]})
        assert sorted(found["rows"]) == left_by(opened, wanted)


def test_filters_combine(workspace: Workspace, opened: OpenSet, body: dict[str, Any]) -> None:
    length = column_of(opened, "length")
    filters = [filter_on(opened, "whType", "asks which"), [length.property, [2, 3, 4]]]
    found = page_answers.pool_answer(workspace, {**body, "filters": filters})
    assert sorted(found["rows"]) == left_by(opened, *filters)
    assert len(np.frombuffer(base64.b64decode(found["points"] or ""), "<f4")) in {
        0,
        2 * len(found["rows"]),
    }


@pytest.mark.parametrize(("filtered", "method"), [(False, "feasible-exmp"), (True, "lpm")])
def test_the_command_writes_the_same_benchmark(
    workspace: Workspace, opened: OpenSet, body: dict[str, Any], folder: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, call: Call, *, filtered: bool, method: str,
) -> None:  # fmt: skip
    filters = [filter_on(opened, "whType", COUNTS)] if filtered else []
    wanted = {**body, "filters": filters, "method": method, "scaling": "rank"}
    monkeypatch.chdir(tmp_path)
    (tmp_path / "selection.rq").write_bytes(
        page_answers.download(workspace, {**wanted, "form": "query"}).content
    )
    for line in page_answers.sample_answer(workspace, wanted)["commands"]:
        program, *words = line.split()
        assert program == "qaldgen"
        said = call(*words)
        assert said.code == 0, said.err
    for form in DOWNLOADS:
        file = page_answers.download(workspace, {**wanted, "form": form})
        assert file.content == (tmp_path / file.name).read_bytes(), form


def test_the_signature_rebuilds_the_sample(
    workspace: Workspace, body: dict[str, Any], opened: OpenSet, tmp_path: Path, call: Call
) -> None:
    line = page_answers.download(workspace, {**body, "form": "signature"}).content.decode().strip()
    features = tmp_path / "features.ttl"
    workspace_file = next(workspace._scratch.rglob("features.ttl"))
    features.write_bytes(workspace_file.read_bytes())
    said = call(
        "sample",
        features,
        "-q",
        body["query"],
        "--from-signature",
        line,
        "-o",
        tmp_path / "bench.csv",
    )
    assert said.code == 0, said.err
    assert (tmp_path / "bench.csv").read_bytes() == page_answers.download(
        workspace, {**body, "form": "csv"}
    ).content


def test_the_sample_is_compared_with_random_ones(
    workspace: Workspace, body: dict[str, Any]
) -> None:
    assert "random samples of its size" in page_answers.figures_answer(workspace, body)["sentence"]


def test_methods_are_compared(workspace: Workspace, body: dict[str, Any]) -> None:
    found = page_answers.compare(workspace, body)
    assert {"lpm", "km++"} <= {row[0] for row in found["rows"]}
    json.dumps(found, allow_nan=False)


# --- runs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["counts-badly", "fine"])
def test_scores_are_those_of_the_report(
    workspace: Workspace, body: dict[str, Any], folder: Path, name: str
) -> None:
    """Answers in words count by the probability that they are right."""
    found = page_answers.screen_answer(workspace, body)
    runs = [folder / "counts-badly.csv", folder / "fine.csv"]
    scores = qg.report(folder / "harbours.csv", runs).scores
    of_system = scores[scores["system"] == name].set_index(["feature", "slice"])
    figures = of_system[["estimate", "low", "high"]]
    own = next(system for system in found["systems"] if system["name"] == name)
    assert [own[key] for key in ("score", "low", "high")] == pytest.approx(
        figures.loc[""].iloc[0].tolist(), abs=1e-4
    )
    at = [system["name"] for system in found["systems"]].index(name)
    cells = {row["name"]: row["cells"][at] for row in found["heat"]}
    for slice_ in ("whType = which", "whType = how-many"):
        assert cells[slice_] == pytest.approx(list(figures.T["whType", slice_]), abs=1e-4)


def card_of(found: dict[str, Any], system: str) -> dict[str, Any]:
    names = [one["name"] for one in found["systems"]]
    return next(card for card in found["cards"] if names[card["system"]] == system)


def test_the_planted_weakness_is_on_the_card_of_its_system(
    workspace: Workspace, body: dict[str, Any]
) -> None:
    card = card_of(page_answers.screen_answer(workspace, body), "counts-badly")
    assert card["spots"][0]["label"] == COUNTS
    assert card["spots"][0]["n"] == QUESTIONS // 4


def test_a_part_is_scored_as_a_file_of_that_part(
    workspace: Workspace, opened: OpenSet, body: dict[str, Any], folder: Path
) -> None:
    half = filter_on(opened, "whType", "asks which")
    found = page_answers.screen_answer(workspace, {**body, "filters": [half], "quick": True})
    lines = (folder / "harbours.csv").read_text(encoding="utf-8").splitlines()
    kept = [line for at, line in enumerate(lines) if at == 0 or not (is_count(at) or at == 3)]
    part = folder / "part.csv"
    part.write_text("\n".join(kept) + "\n", encoding="utf-8")
    assert found["asked"] == len(kept) - 1
    scores = qg.report(
        part, [folder / f"{system['name']}.csv" for system in found["systems"]]
    ).scores
    overall = scores[scores["feature"] == ""].set_index("system")["estimate"]
    for system in found["systems"]:
        # how probable a verdict is, is learnt from all answers of the run
        assert system["score"] == pytest.approx(overall[system["name"]], abs=0.02)


def test_a_weak_spot_becomes_a_query_for_its_questions(
    workspace: Workspace, opened: OpenSet, body: dict[str, Any]
) -> None:
    spot = card_of(page_answers.screen_answer(workspace, body), "counts-badly")["spots"][0]
    found = page_answers.weakness_answer(
        workspace, {**body, "system": "counts-badly", "spot": spot["name"]}
    )
    rows = page_answers.pool_answer(workspace, {**body, "query": found["text"]})["rows"]
    texts = [opened.pool.histograms.texts[row] for row in rows]
    assert len(texts) == found["n"] == QUESTIONS // 4
    assert all(text.startswith("How many") for text in texts)
    assert "qaldgen:whType" in found["text"]


def test_questions_that_a_failing_system_chose_are_described_and_not_tested(
    workspace: Workspace, body: dict[str, Any]
) -> None:
    spot = card_of(page_answers.screen_answer(workspace, body), "counts-badly")["spots"][0]
    text = page_answers.weakness_answer(
        workspace, {**body, "system": "counts-badly", "spot": spot["name"]}
    )
    found = page_answers.screen_answer(workspace, {**body, "query": text["text"]})
    assert found["sure"] == ""
    assert found["unsure"].startswith("These questions were chosen because counts-badly did badly")


def test_a_weak_spot_of_a_filtered_selection_stays_within_it(
    workspace: Workspace, opened: OpenSet, body: dict[str, Any]
) -> None:
    column = column_of(opened, "length")
    long = [column.property, list(range(len(column.bins) - 2, len(column.bins)))]
    query = open_selection(workspace, {**body, "filters": [long]}).query
    counting = next(
        one for one in slices_by(opened.pool.table, "whType") if one.name == "whType = how-many"
    )
    text, n = system_scores.query_in_slice(opened.pool, query, counting)
    rows = page_answers.pool_answer(workspace, {**body, "query": text})["rows"]
    assert 0 < n == len(rows) < QUESTIONS // 4
    assert set(rows) <= set(left_by(opened, long))


def test_a_slice_that_the_data_cannot_say_is_named_by_its_questions(
    workspace: Workspace, opened: OpenSet, body: dict[str, Any]
) -> None:
    query = open_selection(workspace, body).query
    text, n = system_scores.query_in_slice(opened.pool, query, Slice("mine", ("3", "8")))
    assert n == 2
    assert "VALUES ?qId" in text
    assert page_answers.pool_answer(workspace, {**body, "query": text})["rows"] == [2, 7]


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"query": "SELECT ?qId { ?qId"}, "does not parse"),
        ({"query": "DELETE WHERE { ?s ?p ?o }"}, "SELECT"),
        ({"query": "ASK { ?s ?p ?o }"}, "SELECT"),
        ({"query": "SELECT ?qId ?n { SERVICE <http://example.org/> { ?qId ?p ?n } }"}, "SERVICE"),
        ({"query": "/etc/passwd"}, "SELECT"),
        ({"query": 7}, "query"),
        ({"data": "0" * 12}, "not open"),
        ({"data": ["x"]}, "not open"),
        ({"filters": [["http://x.org/none", [0]]]}, "histogram"),
        ({"filters": [["x"]]}, "filter"),
        ({"filters": "x"}, "filters"),
        ({"method": "best"}, "unknown method"),
        ({"size": 10**6}, "impossible"),
        ({"size": "many"}, "size"),
        ({"size": True}, "size"),
        ({"seed": -1}, "random_state"),
        ({"scaling": "wide"}, "unknown scaling"),
        ({"missing": "guess"}, "unknown rule"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_in_words(
    workspace: Workspace, body: dict[str, Any], change: dict[str, Any], words: str
) -> None:
    with pytest.raises(QaldgenError, match=words):
        page_answers.sample_answer(workspace, {**body, **change})


@pytest.mark.parametrize("name", ["/etc/passwd", "../harbours.csv", "-", "", "no-such-set"])
def test_a_page_cannot_open_files_of_this_machine(workspace: Workspace, name: str) -> None:
    with pytest.raises(UsageError, match="catalogue"):
        page_answers.open_named(workspace, {"name": name})


def test_an_unknown_form_is_refused(workspace: Workspace, body: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="choose one of"):
        page_answers.download(workspace, {**body, "form": "exe"})


def test_bins_beyond_the_end_are_refused(
    workspace: Workspace, opened: OpenSet, body: dict[str, Any]
) -> None:
    name = opened.pool.histograms.columns[0].property
    with pytest.raises(UsageError, match="bins"):
        page_answers.pool_answer(workspace, {**body, "filters": [[name, [250]]]})


@pytest.mark.parametrize("places", [[-1], [10**6], [0] * 10**4, ["0"], "0", None, [True]])
def test_columns_that_are_not_there_are_refused(
    workspace: Workspace, body: dict[str, Any], places: object
) -> None:
    with pytest.raises(UsageError, match="columns"):
        page_answers.columns_answer(workspace, {**body, "columns": places})


def test_no_runs_no_screen(workspace: Workspace, folder: Path, tmp_path: Path) -> None:
    other = workspace.open(str(write_questions(tmp_path, "other.csv")))
    with pytest.raises(UsageError, match="no runs"):
        page_answers.screen_answer(workspace, {"data": other.pool.id, "query": "text"})


def test_another_matcher_scores_all_runs_again(
    workspace: Workspace, opened: OpenSet, body: dict[str, Any]
) -> None:
    before = opened.match
    names = [
        one["name"]
        for one in page_answers.screen_answer(workspace, {**body, "quick": True})["systems"]
    ]
    assert page_answers.match_answer(workspace, {**body, "match": "strict"})["match"] == "strict"
    found = page_answers.screen_answer(workspace, {**body, "quick": True})
    assert found["match"] == "strict"
    assert sorted(one["name"] for one in found["systems"]) == sorted(names)
    with pytest.raises(UsageError, match="no matcher 'contain'; did you mean"):
        page_answers.match_answer(workspace, {**body, "match": "contain"})
    assert opened.match == "strict"
    assert page_answers.match_answer(workspace, {**body, "match": "auto"})["match"] == before
