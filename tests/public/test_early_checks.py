"""Wrong names are refused before any data is read.

An output that is an input is refused, however it is spelt.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from qaldgen.cli import scoring
from qaldgen.cli.main import cli
from qaldgen.errors import DataError, QaldgenError, UsageError
from qaldgen.io import unpacking
from qaldgen.questions.reading import READERS

QUERY = "PREFIX : <http://x.org/> SELECT ?qId ?n { ?qId :n ?n }"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files that all verbs can read, and the folder as the current one."""
    monkeypatch.chdir(tmp_path)
    features = "@prefix : <http://x.org/> . " + " ".join(f":q{n} :n {n} ." for n in range(9))
    (tmp_path / "f.ttl").write_text(features, encoding="utf-8")
    (tmp_path / "q.rq").write_text(QUERY, encoding="utf-8")
    (tmp_path / "bad.rq").write_text("SELECT ?qId { ?qId", encoding="utf-8")
    rows = [
        {"id": str(n), "text": f"What is thing {n}?", "answers": f"thing {n}"} for n in range(3)
    ]
    (tmp_path / "gold.json").write_text(json.dumps(rows), encoding="utf-8")
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("id,answer\n0,thing 0\n1,x\n2,x\n", encoding="utf-8")
    (tmp_path / "scores.csv").write_text("id,a\n0,1\n1,0\n2,0\n", encoding="utf-8")
    (tmp_path / "features.csv").write_text("id,n\n0,1\n1,0\n2,0\n", encoding="utf-8")
    (tmp_path / "aliases.json").write_text("{}", encoding="utf-8")
    return tmp_path


def call(words: str) -> QaldgenError | None:
    """Call the command line, and return the error that it ends with."""
    result = CliRunner().invoke(cli, words.split())
    if result.exception is not None and not isinstance(
        result.exception, (QaldgenError, SystemExit)
    ):
        raise result.exception
    return result.exception if isinstance(result.exception, QaldgenError) else None


SCORING = {
    "--match none": "unknown name", "--same-as none-such": "unknown name",
    "--gold-format none": "unknown question set format 'none'",
    "--run-format none": "no format 'none' of runs", "--aliases none.json": "No such file",
    "--lang en none.csv": "No such file",
}  # fmt: skip
SLICES = {
    "--query none": "no such query",
    "--query bad.rq": "not parse",
}
SELECTING = {
    "--scale none": "unknown name 'none'", "--missing none": "unknown name "
        "'none'", "-q none": "no such query",
    "-q bad.rq": "does not parse", "-o x.none": "unknown table format",
    "-o none/x.csv": "does not exist",
}  # fmt: skip
WRONG = {
    "select f.ttl -q q.rq": SELECTING,
    "sample f.ttl -q q.rq -n 3": SELECTING | {
        "-m none": "unknown name 'none'", "-o x.none": "unknown file extension",
        "--radius 2": "has no option", "-m stratified --by none": "variable",
        "-m lpm --pps none": "variable", "--plots p --voronoi n,none": "variable",
        "--format none": "unknown name 'none'",
    },
    "sample f.ttl --from-signature": {
        "none.ttl": "No such file",
        "table:0123abcd|q:q@0123abcd|scale:none|missing:drop|m:random|n:3|seed:0|ties:id|v:0.2.0": (
            "unknown scaling 'none'"
        ),
        "table:0123abcd|q:q@0123abcd|scale:max|missing:drop|m:none|n:3|seed:0|ties:id|v:0.2.0": (
            "unknown method 'none'"
        ),
        "no-signature|": "signature",
        "none.ttl -q none": "no such query",
    },
    "export f.ttl": {"--format none": "unknown name 'none'",
        "-o x.none": "unknown file extension"},
    "annotate gold.json --no-cache": {
        "--format none": "unknown question set format 'none'", "--licence none": "is not an IRI",
        "--labels none.ttl": "No such file", "--kg none.ttl": "No such file",
        "--train none.json": "No such file", "--train none": "neither a file nor the name",
        "--lang english_": "is not a language tag", "none.json": "No such file",
        "none": "neither a file nor the name",
    },
    "check gold.json": {
        "--form none": "unknown format 'none'", "--gold none": "neither a file nor the name",
        "--gold none.json": "No such file", "--kg none.ttl": "No such file",
        "--select none": "none", "--ignore none": "none",
    },
    "score gold.json a.csv": SCORING | SLICES | {
        "--measure none": "unknown name", "--missing none": "unknown name",
        "--format none": "unknown name", "--estimate --others none.csv": "No such file",
    },
    "compare gold.json a.csv b.csv": SCORING | SLICES | {
        "--measure none": "unknown name", "--correct none": "unknown name",
        "--format none": "unknown name",
    },
    "slices gold.json a.csv": {
        name: said for name, said in SCORING.items() if "csv" not in name
    } | {"--format none": "unknown name",
    "--against none.csv": "No such file"},
    "report gold.json a.csv b.csv -o r.html": SCORING | SLICES | {
        "--correct none": "unknown name", "-o r.none": "unknown report format",
    },
    "plan scores.csv": {"--format none": "unknown name", "--plot x.none": "unknown picture format"},
    "ask gold.json --kg f.ttl --system": {"none": "none",
        "typed --format none": "unknown question set format 'none'"},
    "ask gold.json --system typed --kg": {"none.ttl": "No such file"},
    "data fetch qald-9-test": {"none": "none"},
}  # fmt: skip


@pytest.mark.parametrize("start", WRONG)
def test_wrong_name_is_refused_before_data_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch, start: str
) -> None:
    READERS.items()  # a plug-in that is imported later would keep the function below
    monkeypatch.setattr(unpacking, "open_input", lambda path: pytest.fail(f"{path} was read"))
    for wrong, said in WRONG[start].items():
        error = call(f"{start} {wrong}")
        assert type(error) in {UsageError, DataError}, wrong
        assert said in str(error), wrong


@pytest.mark.parametrize(
    "verb", ["score gold.json a.csv", "report gold.json a.csv b.csv -o r.html"]
)
@pytest.mark.parametrize("by", ["none", "length,none"])
def test_by_is_refused_once_the_columns_of_the_questions_are_known(
    folder: Path, monkeypatch: pytest.MonkeyPatch, verb: str, by: str
) -> None:
    # a name may be that of an own column of the set, so that the questions are read, but no run
    monkeypatch.setattr(scoring, "read_runs_of", lambda *given: pytest.fail("a run was read"))
    assert "--by: unknown name 'none'" in str(call(f"{verb} --by {by}"))


READS = {
    "select f.ttl -q q.rq -o": ["f.ttl", "q.rq"],
    "sample f.ttl -q q.rq -n 3 --format turtle -o": ["f.ttl", "q.rq"],
    "sample f.ttl --from-signature bench.ttl --format turtle -o": ["f.ttl", "bench.ttl"],
    "export bench.ttl --format turtle -o": ["bench.ttl"],
    "annotate gold.json --no-cache --labels f.ttl --train train.json -o": [
        "gold.json",
        "f.ttl",
        "train.json",
    ],
    "annotate gold.json --no-cache --kg f.ttl --journal": ["gold.json", "f.ttl"],
    "check gold.json --kg f.ttl -o": ["gold.json", "f.ttl"],
    "check a.csv --gold gold.json -o": ["a.csv", "gold.json"],
    "score gold.json a.csv --match exact --aliases aliases.json -o": [
        "gold.json",
        "a.csv",
        "aliases.json",
    ],
    "compare gold.json a.csv b.csv --query q.rq -o": ["gold.json", "a.csv", "b.csv", "q.rq"],
    "slices gold.json a.csv --against b.csv -o": ["gold.json", "a.csv", "b.csv"],
    "report gold.json a.csv b.csv --query q.rq -o": ["gold.json"],
    "plan scores.csv --plot": ["scores.csv"],
    "ask gold.json --system typed --kg f.ttl -o": ["gold.json", "f.ttl"],
}
SPELLINGS: dict[str, Callable[[Path], Path]] = {
    "same": lambda path: path,
    "dot": lambda path: Path(f"./{path}"),
    "absolute": lambda path: path.absolute(),
    "link": lambda path: linked(path, "link", Path.symlink_to),
    "hard link": lambda path: linked(path, "hard", Path.hardlink_to),
}


def linked(path: Path, name: str, link: Callable[[Path, Path], None]) -> Path:
    """Make another name of the file, with the same ending."""
    other = Path(f"{name}{path.suffix}")
    link(other, path)
    return other


@pytest.mark.parametrize(
    ("words", "read"), [(words, read) for words, names in READS.items() for read in names]
)
def test_output_that_is_an_input_is_refused(folder: Path, words: str, read: str) -> None:
    (folder / "bench.ttl").write_text("", encoding="utf-8")
    (folder / "train.json").write_text("[]", encoding="utf-8")
    before = (folder / read).read_bytes()
    force = "" if "--journal" in words or words.startswith("ask") else " --force"
    for number, spelled in enumerate(SPELLINGS.values()):
        output = spelled(Path(read))
        if words.startswith(("select", "plan")):  # which write some endings only
            named = Path(f"named{number}{'.csv' if words.startswith('select') else '.png'}")
            named.symlink_to(output)
            output = named
        error = call(f"{words} {output}{force}")
        assert isinstance(error, UsageError), output
        assert "is an input of this command" in str(error), output
        assert (folder / read).read_bytes() == before, output


@pytest.mark.parametrize("other", ["x.ttl", "./x.ttl", "link.ttl"])
def test_one_file_is_written_once(folder: Path, other: str) -> None:
    (folder / "link.ttl").symlink_to("x.ttl")
    error = call(f"sample f.ttl -q q.rq -n 3 -o x.ttl -o {other} --force")
    assert isinstance(error, UsageError)
    assert str(error) == f"-o {Path(other)} is given twice"


def test_slices_do_not_overwrite_what_they_are_found_with(folder: Path) -> None:
    (folder / "weak").mkdir()
    (folder / "weak" / "slice-1.rq").hardlink_to(folder / "a.csv")
    error = call("slices gold.json a.csv --match exact --save weak --force")
    assert isinstance(error, UsageError)
    assert "is an input of this command" in str(error)
