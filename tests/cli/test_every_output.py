"""Outputs are checked before the work, all of them; one that is impossible loses no other."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from all_verbs import verbs

from qaldgen.cli.verb import WRITTEN
from qaldgen.io.outputs import write_all

Call = Callable[..., Any]
QUESTIONS = "id,question,answers\n" + "".join(f"{n},Where is town {n}?,A\n" for n in range(40))
RDF = "".join(
    f"<http://x.org/q{n}> <http://qald-gen.aksw.org/vocab#charCount> {n + 9} ;"
    f" <http://qald-gen.aksw.org/vocab#length> {n + 1} .\n"
    for n in range(40)
)
QUERY = "SELECT ?qId ?n { ?qId <http://qald-gen.aksw.org/vocab#length> ?n }"


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """Return a file that nothing can be read from: reading it would be noticed."""
    path = tmp_path / "broken.json"
    path.write_text('{"questions": [', encoding="utf-8")
    return path


def writing() -> list[tuple[str, str, list[str]]]:
    """Return every output of every verb: the words before it, its flag, and the words behind it."""
    cases = []
    for name, command in verbs():
        arguments = [one for one in command.params if isinstance(one, click.Argument)]
        words = ["BROKEN" for one in arguments if one.required or one.name == "data"]
        words += ["BROKEN" for one in arguments if one.nargs == -1]
        for option in command.params:
            named = option.type is WRITTEN or option.name in {"output", "plots", "save"}
            if isinstance(option, click.Option) and named:
                cases.append((name, max(option.opts, key=len), words))
    return cases


#: What a call needs besides its files.
MORE = {
    "sample": ["-n", "5"],
    "label": ["-n", "5"],
    "ask": ["--system", "typed", "--kg", "BROKEN"],
    "export": ["--variables", "first"],
    "gate": ["--baseline", "BROKEN"],
    "passages read": ["--run", "BROKEN"],
    "passages label": ["BROKEN", "BROKEN", "--no-rerank"],
    "compare": ["BROKEN"],
    "suite make": ["--by", "answerType"],
    "passages build": ["--asked", "BROKEN", "--questions", "asked.jsonl"],
}
#: An ending that the output may have.
ENDING = {
    "report": ".html", "label": ".csv", "select": ".csv", "--plot": ".png", "--junit": ".xml",
    "passages label": ".csv", "ask": ".jsonl", "annotate": ".ttl", "sample": ".ttl",
    "cluster": ".ttl", "export": ".ttl", "passages build": ".jsonl", "passages retrieve": ".trec",
}  # fmt: skip


@pytest.mark.parametrize(("name", "flag", "words"), writing())
def test_an_output_that_cannot_be_is_refused_before_the_work(
    name: str, flag: str, words: list[str], call: Call, broken: Path, tmp_path: Path
) -> None:
    if name.startswith("suite"):
        pytest.skip("a suite's folder is checked by tests of its own")
    if name == "data example" or flag in {"--plots", "--save"}:
        target = broken / "folder"
    else:
        target = tmp_path / "none" / f"out{ENDING.get(flag) or ENDING.get(name, '.txt')}"
    given = [str(broken) if word == "BROKEN" else word for word in (*words, *MORE.get(name, []))]
    if name == "passages build" and flag == "--questions":
        given = given[:-2]
    if name == "compare" and flag in {"--plot", "--record"}:
        given.append("--sequential")
    if name == "suite run":
        given = [str(tmp_path), str(broken), "--baseline", str(broken)]
    before = sorted(tmp_path.rglob("*"))
    said = call(*name.split(), *given, flag, target)
    assert said.code == 2, said.err
    assert "does not exist; create it first" in said.err or "Not a directory" in said.err
    assert sorted(tmp_path.rglob("*")) == before


def test_one_output_that_the_data_cannot_give_loses_no_other(call: Call, tmp_path: Path) -> None:
    pytest.importorskip("qaldgen.plugins.evaluators", reason="folders of Hugging Face are its")
    data, query = tmp_path / "data.ttl", tmp_path / "query.rq"
    data.write_text(RDF, encoding="utf-8")
    query.write_text(QUERY, encoding="utf-8")
    outputs = [tmp_path / name for name in ("a.json", "b.ttl", "c.csv", "d.hf")]
    words = [word for path in outputs for word in ("-o", path)]
    said = call("sample", data, "-q", query, "-n", 5, *words, "--plots", tmp_path / "plots")
    assert said.code == 1
    assert f"{outputs[0]} is not written" in said.err
    assert [path.exists() for path in outputs[:3]] == [False, True, True]
    assert len(list((tmp_path / "plots").iterdir())) == 9
    assert not outputs[3].exists() or any(outputs[3].iterdir())


def test_a_package_that_a_format_needs_is_missed_before_the_work(
    call: Call, broken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("qaldgen.plugins.evaluators", reason="folders of Hugging Face are its")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    before = sorted(tmp_path.rglob("*"))
    for words in (["sample", broken, "-n", 5], ["export", broken]):
        said = call(*words, "-o", tmp_path / "b.ttl", "-o", tmp_path / "b.hf")
        assert said.code == 2
        assert "qaldgen[parquet]" in said.err
    assert sorted(tmp_path.rglob("*")) == before


def test_folders_are_made_with_their_files_and_go_with_them(tmp_path: Path) -> None:
    write_all([(tmp_path / "new" / "deep" / "a", b"a")], force=False, new_folders=True)
    with pytest.raises(Exception, match="already exists"):
        write_all(
            [(tmp_path / "other" / "b", b""), (tmp_path / "new" / "deep" / "a", b"")],
            force=False,
            new_folders=True,
        )
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
