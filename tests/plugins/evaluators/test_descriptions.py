"""Folders and descriptions of data sets say where the questions come from, and how to cite them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import qaldgen as qg
from qaldgen.benchmark.benchmark import Benchmark
from qaldgen.errors import UsageError

Call = Callable[..., Any]
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


@pytest.mark.parametrize("ending", [".lm-eval", ".inspect", ".hf"])
def test_folders_have_a_citation_and_a_card(ending: str, bench: Benchmark, tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    pytest.importorskip("pyarrow")
    folder = tmp_path / f"six{ending}"
    bench.save(folder, **SAID)
    cited = yaml.safe_load((folder / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["license-url"] == LICENCE
    assert cited["authors"] == [{"name": "Town Library"}]
    assert str(cited["date-released"]) == "2026-11-27"
    assert bench.sources[0].sha256 in cited["references"][0]["notes"]
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "Town Library, 2026-11-27" in card
    assert bench.sources[0].sha256 in card


def croissant(path: Path) -> Any:  # noqa: ANN401 - JSON
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture
def written(features: Path, call: Call, tmp_path: Path) -> Path:
    """Write tables, a folder and their descriptions by the command line; return the place."""
    names = ("six.csv", "six.jsonl", "six.croissant.json", "six.hf")
    words = [word for name in names for word in ("-o", tmp_path / name)]
    how = ["--publisher", "Town Library", "--date", "2026-11-27"]
    said = call("sample", features, "-n", 6, *words, *how)
    assert said.code == 0, said.err
    return tmp_path


def test_croissant_describes_the_tables_that_are_written(written: Path) -> None:
    found = croissant(written / "six.croissant.json")
    assert [one["name"] for one in found["distribution"]] == ["six.csv", "six.jsonl"]
    for one in found["distribution"]:
        content = (written / one["contentUrl"]).read_bytes()
        assert one["sha256"] == hashlib.sha256(content).hexdigest()
    header = (written / "six.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
    assert [field["name"] for field in found["recordSet"][0]["field"]] == header
    assert (found["license"], found["datePublished"]) == (LICENCE, "2026-11-27")
    assert "Town Library (2026)" in found["citeAs"]


def test_croissant_leaves_out_columns_with_objects(written: Path) -> None:
    found = croissant(written / "six.croissant.json")
    fields = [{field["name"] for field in one["field"]} for one in found["recordSet"]]
    assert fields[0] - fields[1] == {"answers"}


def test_a_description_without_its_table_is_refused_before_the_work(
    call: Call, tmp_path: Path, bench: Benchmark, refused: Refused
) -> None:
    said = call("sample", "none.ttl", "-n", 6, "-o", tmp_path / "six.croissant.json")
    assert said.code == 2
    assert "six.csv" in said.err
    refused(lambda: bench.save(tmp_path / "six.croissant.json"), UsageError)
    bench.save(tmp_path / "six.csv")
    bench.save(tmp_path / "six.croissant.json")
    assert len(croissant(tmp_path / "six.croissant.json")["distribution"]) == 1


def test_mlcroissant_reads_the_questions(written: Path) -> None:
    mlcroissant = pytest.importorskip(
        "mlcroissant", reason="mlcroissant, which validates Croissant, is not installed"
    )
    for path in (written / "six.croissant.json", written / "six.hf" / "croissant.json"):
        data = mlcroissant.Dataset(jsonld=path)
        assert not data.metadata.ctx.issues.errors
        for record_set in data.metadata.record_sets:
            assert len(list(data.records(record_set=record_set.uuid))) == 6
