"""The benchmark scripts run, compare what they measure, and print their tables.

How fast anything is, is not tested.
"""

from __future__ import annotations

import importlib
import operator
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qaldgen.sampling import draw

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
NEEDS_JAVA = pytest.mark.skipif(
    shutil.which("javac") is None or shutil.which("java") is None, reason="needs a JDK"
)


def script(name: str) -> Any:  # noqa: ANN401
    """Import a script of the benchmarks folder."""
    if str(BENCHMARKS) not in sys.path:
        sys.path.insert(0, str(BENCHMARKS))
    return importlib.import_module(name)


def table_lines(text: str, title: str) -> list[list[str]]:
    """Return the cells of the rows of a printed text table, without header and rule."""
    lines = text[text.index(title) :].split("\n\n")[0].splitlines()
    assert re.fullmatch(r"-+(  -+)+", lines[2]), lines[2]
    return [re.split(r"  +", line.strip()) for line in lines[3:]]


def test_load_and_select_compares_the_rows(capsys: pytest.CaptureFixture[str]) -> None:
    assert script("load_and_select").main(["--quick"]) == 0
    printed = capsys.readouterr().out
    assert "SYNTHETIC" in printed
    assert "150 rows" in printed
    assert "the same rows: yes" in printed
    assert [line[0] for line in table_lines(printed, "synthetic.ttl:")] == [
        "load",
        "select",
        "both",
    ]


def test_load_and_select_notices_other_rows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    module = script("load_and_select")
    data = tmp_path / "data.ttl"
    data.write_text(
        "<http://x.org/q1> <http://x.org/p> 1 . <http://x.org/q2> <http://x.org/p> '009' .",
        encoding="utf-8",
    )
    query = tmp_path / "all.rq"
    query.write_text("SELECT ?qId ?n { ?qId <http://x.org/p> ?n }", encoding="utf-8")
    arguments = [str(data), "--query", str(query)]
    assert module.main(arguments) == 0
    monkeypatch.setattr(module, "_values", lambda answer: [("http://x.org/q1", 1.0)])
    assert module.main(arguments) == 1
    assert "the same rows: NO" in capsys.readouterr().out


def test_feasible_compares_the_chosen_vectors(capsys: pytest.CaptureFixture[str]) -> None:
    assert script("feasible").main(["--quick", "--rows", "2000"]) == 0
    printed = capsys.readouterr().out
    for title in ("Exemplars, CPU seconds", "FEASIBLE, CPU seconds"):
        lines = table_lines(printed, title)
        assert [line[0] for line in lines] == ["5", "20", "50"]
        assert [line[6] for line in lines] == ["yes"] * 3
        assert "-" not in lines[0]
    assert len(table_lines(printed, "Targets")) == 5


def test_feasible_notices_another_choice(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = script("feasible")
    monkeypatch.setattr(module, "numpy_exemplars", lambda matrix, k: list(range(k)))
    assert module.main(["--quick", "--sizes", "5", "--rows", "100"]) == 1
    assert table_lines(capsys.readouterr().out, "Exemplars, CPU seconds")[0][6] == "NO"


def test_large_sizes_are_left_out_of_plain_python(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        script("feasible").main(
            ["--quick", "--sizes", "5,30", "--max-plain", "10", "--rows", "100"]
        )
        == 0
    )
    lines = table_lines(capsys.readouterr().out, "Exemplars, CPU seconds")
    assert lines[0][1] != "-"
    assert lines[1][1] == "-"


@pytest.mark.parametrize("seed", range(20))
def test_the_plain_implementations_agree_with_the_samplers(seed: int) -> None:
    """Small integers make many ties.

    The same rows are chosen, not only equal vectors, since all take the lowest row.
    """
    plain = script("plain_feasible")
    rng = np.random.default_rng(seed)
    vectors = script("bench_tools").vectors_of(
        rng.integers(0, 4, (60, 5)) / 3.0 + rng.random(5) * rng.integers(0, 9, (60, 1))
    )
    table = plain.PlainFeasible(dict(zip(vectors.ids, vectors.matrix.tolist(), strict=True)))
    rows = {name: row for row, name in enumerate(vectors.ids)}
    for k in (2, 13, 40):
        exemplars = sorted(draw(vectors, k, "feasible-exmp").chosen.tolist())
        assert sorted(rows[name] for name in table.exemplars(k)) == exemplars
        assert sorted(plain.numpy_exemplars(vectors.matrix, k)) == exemplars
        feasible = sorted(draw(vectors, k, "feasible").chosen.tolist())
        assert sorted(rows[name] for name in table.feasible(k)) == feasible
        assert sorted(plain.numpy_feasible(vectors.matrix, vectors.ids, k)) == feasible


def test_large_runs_measures_each_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert script("large_runs").main(["--questions", "60", "--systems", "2"]) == 0
    steps = [line[0] for line in table_lines(capsys.readouterr().out, "60 questions")]
    assert steps == ["gold", "system0", "system1", "comparing on 25 slices"]


def test_growth_prints_each_method_and_size(capsys: pytest.CaptureFixture[str]) -> None:
    assert script("growth").main(["--quick"]) == 0
    printed = capsys.readouterr().out
    found = Counter(line[0] for line in table_lines(printed, "CPU seconds, 50 features"))
    assert found == {"feasible-exmp": 2, "feasible": 2, "farthest-first": 2, "km++": 2, "random": 2}
    assert "every sample has k different questions: yes" in printed


def test_growth_leaves_out_what_takes_too_long(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "--questions",
        "100,200",
        "--exemplars",
        "5,150",
        "--methods",
        "farthest-first,random",
        "--max-seconds",
        "0",
    ]
    assert script("growth").main(arguments) == 0
    lines = table_lines(capsys.readouterr().out, "CPU seconds, 50 features")
    assert [line[:2] for line in lines] == [["farthest-first", "100"], ["random", "100"]]
    assert all(line[3] == "-" for line in lines)


def test_tables_as_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    assert script("growth").main(["--quick", "--markdown", "--methods", "random"]) == 0
    printed = capsys.readouterr().out.splitlines()
    header = next(at for at, line in enumerate(printed) if line.startswith("| method"))
    assert re.fullmatch(r"\| :-+ (\| -+: )+\|", printed[header + 1])
    assert {line.count("|") for line in printed[header : header + 4]} == {7}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("growth", ["--methods", "best"]),
        ("growth", ["--questions", "0"]),
        ("growth", ["--exemplars", "many"]),
        ("feasible", ["--rows", "20"]),
        ("load_and_select", ["one.ttl", "two.ttl"]),
    ],
)
def test_wrong_arguments_end_with_a_message(
    name: str, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        script(name).main(["--quick", *arguments])
    assert ended.value.code == 2
    assert "error: " in capsys.readouterr().err


def test_java_without_a_compiler_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(SystemExit, match="--java needs javac and java"):
        script("feasible").main(["--quick", "--java", "classes"])


@NEEDS_JAVA
def test_java_class_path_without_the_class_is_said(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"javac failed:[\s\S]*QueryClustering"):
        script("feasible").main(["--quick", "--java", str(tmp_path)])


@NEEDS_JAVA
def test_java_is_called_and_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A stand-in with the reference's names: checks the dimension, returns the first names."""
    (tmp_path / "CleanQueryReader.java").write_text(
        "package org.aksw.simba.benchmark.log.operations; public class CleanQueryReader { public"
        " static int length; }",
        encoding="utf-8",
    )
    (tmp_path / "QueryClustering.java").write_text(
        """package org.aksw.simba.benchmark.clustring;
        import java.util.*;
        import org.aksw.simba.benchmark.log.operations.CleanQueryReader;
        public class QueryClustering {
            public Set<String> getExemplars(Map<String, Double[]> vectors, int size) {
                if (CleanQueryReader.length != 9) throw new IllegalStateException();
                Set<String> names = new TreeSet<>(vectors.keySet());
                return new TreeSet<>(new ArrayList<>(names).subList(0, size));
            }
            public Set<String> getPrototypicalQueries(Map<String, Double[]> vectors, int size) {
                System.out.println("talks"); return getExemplars(vectors, size);
            }
        }""",
        encoding="utf-8",
    )
    subprocess.run(["javac", "-d", str(tmp_path), *map(str, tmp_path.glob("*.java"))], check=True)
    arguments = [
        "--quick",
        "--sizes",
        "5,10",
        "--max-java",
        "5",
        "--rows",
        "100",
        "--java",
        str(tmp_path),
    ]
    assert script("feasible").main(arguments) == 1
    printed = capsys.readouterr().out
    exemplars, feasible = (
        table_lines(printed, f"{title}, CPU seconds") for title in ("Exemplars", "FEASIBLE")
    )
    assert [line[6] for line in exemplars] == ["NO", "yes"]
    assert [line[6] for line in feasible] == ["yes", "yes"]
    assert exemplars[1][-3:] == ["-", "-", "-"]


def test_families_of_rules_name_what_the_rules_have() -> None:
    module = script("text_agreement")
    for patches in module.FAMILIES.values():
        for name, attribute, _ in patches:
            operator.attrgetter(attribute)(importlib.import_module(module.WORDS + name))


def test_weak_spots_finds_what_it_planted(capsys: pytest.CaptureFixture[str]) -> None:
    assert script("weak_spots").main(["--quick"]) == 0
    printed = capsys.readouterr().out
    planted = table_lines(printed, "Planted, gap")
    assert [row[3] for row in planted] == ["3"] * 4
    # three pages a row, of 150 questions: one may miss
    assert sum(float(row[4]) for row in planted) / 4 > 0.9
    assert sum(float(row[5]) for row in planted) / 4 > 0.8
    assert [row[1] for row in table_lines(printed, "Nothing planted")] == ["3", "8", "16"]
