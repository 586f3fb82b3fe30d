"""A benchmark can be cited: its sources, licence, publisher and date are in every export."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import qaldgen as qg
from qaldgen.benchmark.benchmark import Benchmark
from qaldgen.errors import UsageError
from qaldgen.questions.gerbil import gerbil_refusal

Refused = Callable[..., str]
LICENCE = "https://creativecommons.org/licenses/by/4.0/"
SAID: dict[str, Any] = {"publisher": "Town Library", "date": "2026-11-27"}


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("set") / "towns.csv"
    rows = [f"{n},Where is the town with {'many ' * (n % 5)}{n} mills?,A{n}" for n in range(40)]
    path.write_text("\n".join(["id,question,answers", *rows]) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def features(questions: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("features") / "features.ttl"
    qg.annotate(qg.load(questions, licence=LICENCE)).save(path)
    return path


@pytest.fixture(scope="module")
def bench(features: Path) -> Benchmark:
    return qg.sample(qg.select(features), 6, title="Six towns")


def test_the_source_is_the_set_and_not_the_file_of_features(
    bench: Benchmark, questions: Path
) -> None:
    (source,) = bench.sources
    assert (source.name, source.licence) == ("towns", LICENCE)
    assert source.sha256 == qg.load(questions).sha256
    assert bench.licence == LICENCE
    assert source.sha256 in bench.citation
    assert "Six towns, 6 of 40 questions" in bench.citation


def test_a_set_that_is_annotated_on_the_way_is_the_source_too(questions: Path) -> None:
    (source,) = qg.sample(qg.select(questions), 6).sources
    assert source.sha256 == qg.load(questions).sha256


def test_a_saved_benchmark_comes_back_with_its_citation(bench: Benchmark, tmp_path: Path) -> None:
    bench.save(tmp_path / "plain.ttl")
    assert qg.load_benchmark(tmp_path / "plain.ttl") == bench
    bench.save(tmp_path / "said.nt", **SAID)
    said = qg.load_benchmark(tmp_path / "said.nt")
    assert (said.publisher, said.date, said.licence) == (*SAID.values(), LICENCE)
    assert said.citation.startswith("Town Library (2026) Six towns")
    again = qg.sample(qg.select(tmp_path / "said.nt"), 3)
    assert again.sources == bench.sources


@pytest.mark.parametrize("date", ["27.11.2026", "2026-13-01", "today"])
def test_a_date_is_written_as_iso_says(
    date: str, bench: Benchmark, tmp_path: Path, refused: Refused
) -> None:
    assert "2026-11-27" in refused(lambda: bench.save(tmp_path / "a.ttl", date=date), UsageError)


@pytest.mark.parametrize("ending", [".json", ".extended.json"])
def test_qald_json_says_it_in_the_one_field_that_gerbil_allows(
    ending: str, tmp_path: Path, refused: Refused
) -> None:
    query = "SELECT ?x { <http://x.org/a> <http://x.org/b> ?x }"
    rows = [
        {"question": f"Where is mill {n}?", "sparql": query, "answers": ["http://x.org/c"]}
        for n in range(20)
    ]
    path = tmp_path / f"five{ending}"
    bench = qg.sample(rows, 5, method="random")
    bench.save(path, **SAID, licence=LICENCE)
    text = path.read_text(encoding="utf-8")
    signature, licence, cite = json.loads(text)["dataset"]["metadata"].splitlines()
    assert (signature, licence) == (bench.signature, f"Licence: {LICENCE}")
    assert cite.startswith("Cite: Town Library (2026)")
    assert gerbil_refusal(text) is None
    with_key = text.replace('"metadata":', '"license": "", "metadata":', 1)
    assert gerbil_refusal(with_key) == "dataset.license: unknown key"
    assert len(qg.load(path)) == 5
