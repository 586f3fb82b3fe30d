"""The command line as a user meets it.

Data to stdout, talk to stderr, one-line errors, nothing half-written.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from calls import Call, Said

from qaldgen.benchmark.rdf import load_benchmark
from qaldgen.cli.main import VERBS

ROOT = Path(__file__).resolve().parent.parent.parent
FEATURES = ROOT / "examples" / "features.ttl"
XML = (
    '<?xml version="1.0"?><!DOCTYPE rdf:RDF [<!ENTITY a "0123456789">{}]><rdf:RDF'
    ' xmlns:rdf="{}"></rdf:RDF>'
)
RDF_NS = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
TURTLE = "@prefix : <http://example.org/> . " + " ".join(
    f":q{n} :length {n % 4} ; :kind :k{n % 2} ." for n in range(1, 13)
)
QUERY = "PREFIX : <http://example.org/> SELECT ?qId ?length { ?qId :length ?length }"


SAMPLE = ("sample", "data.ttl", "-q", "query.rq")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, with questions and a query."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.ttl").write_text(TURTLE, encoding="utf-8")
    (tmp_path / "query.rq").write_text(QUERY, encoding="utf-8")
    return tmp_path


def run(*words: object) -> subprocess.CompletedProcess[str]:
    """Run the program as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "qaldgen", *map(str, words)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )


def refused(result: Said, code: int, *words: str) -> None:
    """Check for a one-line error with these words and this exit code, and no traceback."""
    assert result.code == code, result.err
    errors = [
        line for line in result.err.splitlines() if not line.startswith(("Note:", "Usage:", "Try "))
    ]
    assert len([line for line in errors if line]) == 1, result.err
    assert errors[-1].startswith("Error: ")
    for word in words:
        assert word in errors[-1], errors[-1]


# --- help ---------------------------------------------------------------------------------------


def test_help_names_every_verb(call: Call) -> None:
    shown = call("--help").out
    assert all(f"  {verb} " in shown for verb in VERBS)


def test_help_of_every_verb_has_an_example(call: Call) -> None:
    shown = {verb: call(verb, "--help") for verb in VERBS}
    assert [
        verb
        for verb, said in shown.items()
        if said.code or f"Example: qaldgen {verb}" not in said.out
    ] == []


@pytest.mark.parametrize("module", ["qaldgen", "qaldgen.cli.main"])
def test_import_is_light(module: str) -> None:
    heavy = [
        "numpy",
        "pandas",
        "rdflib",
        "sklearn",
        "scipy",
        "matplotlib",
        "spacy",
        "SPARQLWrapper",
        "pyoxigraph",
    ]
    code = f"import sys, {module}; print([name for name in {heavy!r} if name in sys.modules])"
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "[]"
    )


def test_a_plan_without_a_plot_does_not_load_what_draws() -> None:
    code = (
        "import sys\nfrom qaldgen.cli.main import cli\n"
        "try:\n    cli(['plan', 'no-such-file.csv'])\nexcept BaseException as error:\n"
        "    print(type(error).__name__, 'matplotlib' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.split()[-1] == "False"


def test_help_imports_nothing_heavy() -> None:
    code = """
import click, sys
from qaldgen.cli.main import cli
def ask_for_help(command, *path):
    try:
        cli([*path, "--help"])
    except SystemExit as end:
        assert not end.code, path
    print(*path)
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            ask_for_help(command.get_command(context, name), *path, name)
ask_for_help(cli)
heavy = ("numpy", "pandas", "scipy", "spacy", "rdflib", "pyoxigraph", "aiohttp", "asyncio")
print(sorted(set(heavy) & set(sys.modules)))
"""
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert {"", "score", "ask", "data fetch"} <= set(shown)
    assert shown[-1] == "[]"


def test_unknown_verb_is_a_wrong_call() -> None:
    assert run("simple").returncode == 2


# --- select and sample --------------------------------------------------------------------------


def test_select_writes_the_table_to_stdout_and_talks_to_stderr(folder: Path, call: Call) -> None:
    result = call("select", "data.ttl", "-q", "query.rq", "-o", "-")
    lines = result.out.splitlines()
    assert lines[:2] == ["iri,feature:length", "http://example.org/q1,1.0"]
    assert len(lines) == 13
    assert "12 questions, 1 features (8 questions are like another one" in result.err


def test_select_can_write_scaled_values(folder: Path, call: Call) -> None:
    result = call("select", "data.ttl", "-q", "query.rq", "--scaled", "-o", "-")
    assert result.out.splitlines()[2] == "http://example.org/q2,0.6666666666666666"


def test_dropped_names_the_pattern(folder: Path, call: Call) -> None:
    (folder / "narrow.rq").write_text(QUERY.replace("}", "; :kind :k1 }"), encoding="utf-8")
    result = call("select", "data.ttl", "-q", "narrow.rq", "--dropped")
    assert "6 of 12 questions satisfy the patterns of narrow" in result.out
    assert "?qId :kind :k1" in result.out


def test_sample_prints_figures_and_signature_and_writes_what_is_asked(
    folder: Path, call: Call
) -> None:
    result = call(*SAMPLE, "-n", 3, "-o", "bench.ttl", "-o", "bench.csv")
    assert result.code == 0
    assert "diversity" in result.out
    assert result.out.splitlines()[-1].startswith("signature: table:")
    assert len(load_benchmark(folder / "bench.ttl")) == 3
    assert len((folder / "bench.csv").read_text(encoding="utf-8").splitlines()) == 4


def test_sample_to_stdout_is_turtle_and_nothing_else(folder: Path, call: Call) -> None:
    result = call(*SAMPLE, "-n", 3, "-o", "-")
    (folder / "piped.ttl").write_text(result.out, encoding="utf-8")
    assert len(load_benchmark(folder / "piped.ttl")) == 3
    assert "signature: " in result.err


def test_flags_of_the_old_tool(folder: Path, call: Call) -> None:
    result = call(
        *SAMPLE, "-m", "db+km++", "-n", 4, "-i", 10, "-t", 10, "-r", 1, "-p", 1, "-o", "old.ttl"
    )
    assert result.code == 0
    assert "m:db+km++|i:10|t:10|r:1|p:1|n:4" in result.out


def test_same_call_writes_the_same_bytes_in_another_process(folder: Path, call: Call) -> None:
    words = (*SAMPLE, "-m", "km++", "-n", 3, "-o")
    assert call(*words, "a.ttl").code == run(*words, "b.ttl").returncode == 0
    assert (folder / "a.ttl").read_bytes() == (folder / "b.ttl").read_bytes()


def test_compare_methods_has_a_row_for_each(folder: Path, call: Call) -> None:
    shown = call(*SAMPLE, "-n", 3, "--compare-methods").out
    names = {line.split()[0] for line in shown.splitlines() if line}
    assert {
        "feasible",
        "feasible-exmp",
        "km++",
        "db+km++",
        "agglomerative",
        "farthest-first",
        "random",
    } <= names


def test_rebuild_from_a_signature_line_and_from_a_file(folder: Path, call: Call) -> None:
    first = call(*SAMPLE, "-n", 5, "-m", "random", "--seed", 9, "-o", "bench.ttl")
    line = first.out.splitlines()[-1].removeprefix("signature: ")
    rebuilt = call(*SAMPLE, "--from-signature", line, "-o", "line.ttl")
    assert rebuilt.code == 0, rebuilt.err
    from_file = call("sample", "data.ttl", "--from-signature", "bench.ttl", "-o", "file.ttl")
    assert "5 of 5 questions are the same as in bench.ttl" in from_file.err
    ids = [
        [m.iri for m in load_benchmark(folder / name).members]
        for name in ("bench.ttl", "line.ttl", "file.ttl")
    ]
    assert ids[0] == ids[1] == ids[2]


def test_export_turns_a_benchmark_into_the_other_forms(tmp_path: Path, call: Call) -> None:
    call("sample", FEATURES, "-n", 4, "-o", tmp_path / "bench.ttl")
    result = call(
        "export",
        tmp_path / "bench.ttl",
        "-o",
        tmp_path / "bench.json",
        "-o",
        tmp_path / "bench.extended.json",
    )
    assert result.code == 0, result.err
    assert len(json.loads((tmp_path / "bench.json").read_text(encoding="utf-8"))["questions"]) == 4
    assert (
        "question"
        in json.loads((tmp_path / "bench.extended.json").read_text(encoding="utf-8"))["questions"][
            0
        ]
    )


def test_many_questions_from_a_query_with_categories(folder: Path, call: Call) -> None:
    (folder / "kinds.rq").write_text(
        QUERY.replace("?length {", "?length ?kind { ?qId :kind ?kind ."), encoding="utf-8"
    )
    result = call("select", "data.ttl", "-q", "kinds.rq", "-o", "-")
    assert result.out.splitlines()[0] == "iri,feature:length,feature:kind=k0,feature:kind=k1"


# --- bad input: each a one-line error that says what to do --------------------------------------

BAD_FILES = {
    "hello.ttl": (b"hello world, this is no RDF", ["is not valid Turtle", "line 1"]),
    "cut.ttl": (
        b"<http://e.org/q1> <http://e.org/length> 3 .\n<http://e.org/q2> <http://e.org/len",
        ["is not valid", "line 2"],
    ),
    "empty.ttl": (b"", ["is empty"]),
    "page.ttl": (b"<!DOCTYPE html><html><body>404</body></html>", ["HTML page"]),
    "latin.ttl": (
        '<http://e.org/q1> <http://e.org/text> "Käse" .'.encode("latin-1"),
        ["UTF-8", "iconv"],
    ),
    "wide.ttl": (
        '<http://e.org/q1> <http://e.org/text> "a" .'.encode("utf-16"),
        ["UTF-16", "iconv"],
    ),
    "cut.gz": (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03K", ["damaged or truncated"]),
    "cut.zip": (b"PK\x03\x04 and then nothing", ["cannot be unpacked"]),
    "laughs.rdf": (
        XML.format(
            "".join(f'<!ENTITY b{n} "{"&a;" * 60}">' for n in range(2))
            + f'<!ENTITY c "{"&b0;" * 60}">',
            RDF_NS,
        ).encode(),
        ["entity", "may expand to more than"],
    ),
    "outside.rdf": (
        XML.format('<!ENTITY b SYSTEM "file:///etc/passwd">', RDF_NS).encode(),
        ["entity 'b' is external"],
    ),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_data_file(folder: Path, name: str, call: Call) -> None:
    content, words = BAD_FILES[name]
    (folder / name).write_bytes(content)
    refused(call("sample", name, "-q", "query.rq", "-n", 2, "-o", "x.ttl"), 1, name, *words)
    assert not (folder / "x.ttl").exists()


BAD_QUERIES = {
    "half": ("SELECT ?qId ?x { ?qId <http://example.org/length> ", 2, ["does not parse at line 1"]),
    "prefix": ("SELECT ?qId ?x { ?qId ex:length ?x }", 2, ["prefix ex:", "PREFIX"]),
    "update": ("DELETE WHERE { ?s ?p ?o }", 2, ["UPDATE", "one SELECT query"]),
    "ask": ("ASK { ?s ?p ?o }", 2, ["ASK", "one SELECT query"]),
    "prose": ("give me everything", 2, ["no SELECT"]),
    "alone": (
        "SELECT ?qId { ?qId <http://example.org/length> ?x }",
        2,
        ["select at least one feature"],
    ),
    "nothing": (
        "SELECT ?qId ?x { ?qId <http://example.org/size> ?x }",
        1,
        ["selects no questions", "None of its patterns occurs"],
    ),
    "both": (
        "PREFIX : <http://example.org/> SELECT ?qId ?x { ?qId :length ?x . FILTER(?x > 99) }",
        1,
        ["selects no questions", "FILTER(?x > 99)"],
    ),
    "literal": ("SELECT ?x ?q { ?q <http://example.org/length> ?x }", 1, ["needs an IRI"]),
    "unbound": (
        (
            "PREFIX : <http://example.org/> SELECT ?qId ?y { ?qId "
            ":length ?x OPTIONAL { ?qId :size ?y } }"
        ),
        1,
        ["no question has a value for every variable", "--missing"],
    ),
    "nan": (
        (
            "PREFIX : <http://example.org/> SELECT ?qId"
            ' ("NaN"^^<http://www.w3.org/2001/XMLSchema#double> AS ?x) { ?qId :length ?y }'
        ),
        1,
        ["finite"],
    ),
    "infinite": (
        (
            "PREFIX : <http://example.org/> SELECT ?qId"
            ' ("INF"^^<http://www.w3.org/2001/XMLSchema#double> AS ?x) { ?qId :length ?y }'
        ),
        1,
        ["finite"],
    ),
    "negative": (
        "PREFIX : <http://example.org/> SELECT ?qId (2 - ?y AS ?x) { ?qId :length ?y }",
        1,
        ["-1", "--scale minmax"],
    ),
    "deep": ("SELECT ?qId ?x " + "{" * 5000 + "}" * 5000, 2, ["brackets 5,000 deep"]),
    "blank": (
        "SELECT ?qId ?x { ?qId <http://example.org/length> ?y . BIND(BNODE() AS ?x) }",
        1,
        ["blank node"],
    ),
    "huge": (
        "SELECT ?qId ?x { ?qId <http://example.org/length> ?y . BIND(1e308 * 10 AS ?x) }",
        1,
        ["finite"],
    ),
    "several": (
        "PREFIX : <http://example.org/> SELECT ?qId ?x { ?qId :length ?y VALUES ?x { 1 2 } }",
        1,
        ["aggregate"],
    ),
    "mixed": (
        'PREFIX : <http://example.org/> SELECT ?qId (IF(?y > 1, "a", 1) AS ?x) { ?qId :length ?y }',
        1,
        ["number", "text"],
    ),
}


@pytest.mark.parametrize("name", BAD_QUERIES)
def test_bad_query(folder: Path, name: str, call: Call) -> None:
    text, code, words = BAD_QUERIES[name]
    (folder / f"{name}.rq").write_text(text, encoding="utf-8")
    refused(
        call("sample", "data.ttl", "-q", f"{name}.rq", "-n", 2, "-o", "x.ttl"),
        code,
        name,
        *words,
    )
    assert not (folder / "x.ttl").exists()


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (["-n", 0], 2, ["0 is not in the range x>=1"]),
        (["-n", 13], 2, ["sample size 13", "1 to 12"]),
        (["-n", 3, "-m", "kmeans"], 2, ["unknown name 'kmeans'", "feasible-exmp"]),
        (["-n", 3, "-m", "km++", "-r", 1], 2, ["method 'km++' has no option", "db+km++"]),
        (["-n", 3, "-m", "km++", "-i", 0], 2, ["0 is not in the range x>=1"]),
        (["-n", 3, "--scale", "cube"], 2, ["unknown name 'cube'", "minmax"]),
        (["-n", 3, "--missing", "guess"], 2, ["unknown name 'guess'", "drop"]),
        (["-n", 3, "-o", "x.xlsx"], 2, ["x.xlsx", ".ttl"]),
        (["-n", 3, "-o", "nowhere/x.ttl"], 2, ["nowhere does not exist"]),
        (["-n", 3, "-o", "x.ttl", "-o", "x.ttl"], 2, ["given twice"]),
        (["-n", 3, "-o", "."], 2, ["unknown file extension"]),
        ([], 2, ["-n N"]),
        (["-n", 3, "-e", "http://localhost:1/sparql"], 2, ["either a file, or an endpoint"]),
        (["--from-signature", "nonsense|here"], 2, ["invalid signature"]),
        (["--from-signature", "missing.ttl"], 1, ["missing.ttl"]),
        (["-n", 3, "--compare-methods", "-r", 1], 2, ["remove --radius"]),
        (["-n", 3, "--seed", -1], 2, ["-1 is not in the range x>=0"]),
        (["-n", 3, "--format", "xlsx"], 2, ["unknown name 'xlsx'"]),
        (["-n", 3, "-o", "x.json"], 1, ["have no text"]),
        (["-n", 3, "-o", "x.ttl", "--plots", "query.rq"], 2, ["query.rq"]),
        (["-n", 3, "-o", "x.ttl", "--plots", "pics", "--voronoi", "length,foo"], 2, ["foo"]),
        (["-n", 3, "-o", "x" * 300 + ".ttl"], 2, ["cannot be written"]),
        (["-n", 3, "-o", "x.ttl", "--title", "two\nlines"], 2, ["title"]),
        (["-n", 3, "--voronoi", "length"], 2, ["--voronoi"]),
    ],
)
def test_bad_call(
    folder: Path, words: list[object], code: int, expected: list[str], call: Call
) -> None:
    refused(call(*SAMPLE, *words), code, *expected)
    assert sorted(path.name for path in folder.iterdir()) == ["data.ttl", "query.rq"]


def test_an_impossible_output_loses_no_other(folder: Path, call: Call) -> None:
    said = call(*SAMPLE, "-n", 3, "-o", "x.ttl", "-o", "x.json")
    assert said.code == 1
    assert "x.json is not written: 3 of 3 questions have no text" in said.err
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["data.ttl", "query.rq", "x.ttl"]


def test_existing_output_is_kept_before_any_work(folder: Path, call: Call) -> None:
    (folder / "x.ttl").write_text("mine", encoding="utf-8")
    refused(
        call("sample", "no-such-file.ttl", "-q", "query.rq", "-n", 3, "-o", "x.ttl"),
        2,
        "x.ttl",
        "--force",
    )
    assert (folder / "x.ttl").read_text(encoding="utf-8") == "mine"


def test_devices_and_links_are_not_replaced(folder: Path, call: Call) -> None:
    os.mkfifo(folder / "pipe.ttl")
    refused(call(*SAMPLE, "-n", 3, "-o", "pipe.ttl", "--force"), 2, "not a file", "-o -")
    (folder / "target.ttl").write_text("old", encoding="utf-8")
    (folder / "link.ttl").symlink_to("target.ttl")
    assert call(*SAMPLE, "-n", 3, "-o", "link.ttl", "--force").code == 0
    assert (folder / "link.ttl").is_symlink()
    assert len(load_benchmark(folder / "target.ttl")) == 3


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize(
    ("rule", "pictures"), [("minmax", ()), ("rank", ()), ("zscore", ("--plots", "p"))]
)
def test_large_numbers_are_scaled_like_others(
    folder: Path, rule: str, pictures: tuple[str, ...], call: Call
) -> None:
    (folder / "huge.ttl").write_text(
        "@prefix : <http://example.org/> . :q1 :length 1e150 . "
        ":q2 :length -1e150 . :q3 :length 0e0 .",
        encoding="utf-8",
    )
    result = call(
        "sample",
        "huge.ttl",
        "-q",
        "query.rq",
        "-n",
        2,
        "--scale",
        rule,
        "-o",
        "x.ttl",
        *pictures,
    )
    assert result.code == 0, result.err
    assert "Warning" not in result.err
    assert [member.iri[-2:] for member in load_benchmark(folder / "x.ttl").members] == ["q1", "q2"]


def test_figures_to_a_full_device_are_one_line(folder: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    with Path("/dev/full").open("wb") as full:
        result = subprocess.run(
            [sys.executable, "-m", "qaldgen", "sample", "data.ttl", "-q", "query.rq", "-n", "3"],
            stdout=full, stderr=subprocess.PIPE, text=True, cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False,
        )  # fmt: skip
    assert result.returncode == 1
    assert "Traceback" not in result.stderr


def test_query_for_an_endpoint_may_use_prefixes_that_it_knows(folder: Path, call: Call) -> None:
    (folder / "dbo.rq").write_text("SELECT ?qId ?x { ?qId dbo:length ?x }", encoding="utf-8")
    refused(
        call("sample", "-e", "http://127.0.0.1:9/sparql", "-q", "dbo.rq", "-n", 3),
        1,
        "connection refused",
    )


def test_missing_file_is_named(folder: Path, call: Call) -> None:
    refused(
        call("sample", "no-such-file.ttl", "-q", "query.rq", "-n", 3),
        1,
        "no-such-file.ttl",
        "check the name",
    )


def test_missing_query_names_the_ready_ones(folder: Path, call: Call) -> None:
    refused(
        call("sample", "data.ttl", "-q", "listing-9", "-n", 3),
        2,
        "listing-9",
        "listing-1.2",
    )


def test_endpoint_that_is_down(folder: Path, call: Call) -> None:
    result = call(
        "sample",
        "-e",
        "http://127.0.0.1:9/sparql",
        "-q",
        "query.rq",
        "-n",
        3,
        "-o",
        "x.ttl",
    )
    refused(result, 1, "127.0.0.1:9/sparql", "connection refused")


def test_a_library_that_logs_a_traceback_writes_one_line(folder: Path) -> None:
    (folder / "library.py").write_text(
        "import logging\n"
        "from qaldgen.cli.main import main\n"
        "def fail(**_):\n"
        "    try:\n"
        "        raise OSError('no\\nroute to http://me:s3cret@host')\n"
        "    except OSError:\n"
        "        logging.getLogger('library').warning('try %d', 1, exc_info=True)\n"
        "from qaldgen.cli import main as cli\n"
        "cli.cli = fail\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "library.py"],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    assert done.stderr == "Note: try 1 (OSError: no route to http://***@host)\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_unwritable_folder_is_refused(folder: Path, call: Call) -> None:
    (folder / "locked").mkdir(mode=0o500)
    refused(call(*SAMPLE, "-n", 3, "-o", "locked/x.ttl"), 2, "not writable")


def test_full_device_leaves_no_file(folder: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    with Path("/dev/full").open("wb") as full:
        result = subprocess.run(
            [sys.executable, "-m", "qaldgen", "sample", "data.ttl", "-q", "query.rq", "-n", "3",
                "-o", "-"],
            stdout=full, stderr=subprocess.PIPE, text=True, cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False,
        )  # fmt: skip
    assert result.returncode == 1
    assert "stdout: cannot be written" in result.stderr


@pytest.mark.parametrize("text", ["1", "1 ; :length 1"])
def test_one_question_can_be_sampled(folder: Path, text: str, call: Call) -> None:
    (folder / "one.ttl").write_text(
        f"@prefix : <http://example.org/> . :q :length {text} .", encoding="utf-8"
    )
    result = call("sample", "one.ttl", "-q", "query.rq", "-n", 1, "-o", "one-bench.ttl")
    assert result.code == 0, result.err
    assert len(load_benchmark(folder / "one-bench.ttl")) == 1


def test_all_constant_features_are_told_and_sampled(folder: Path, call: Call) -> None:
    (folder / "constant.rq").write_text(
        QUERY.replace("?length {", "(1 AS ?one) {"), encoding="utf-8"
    )
    result = call("sample", "data.ttl", "-q", "constant.rq", "-n", 3, "-o", "x.ttl")
    assert result.code == 0
    assert "?one is 1 for every question" in result.err
    assert "2 of 3 chosen questions have the features of another one" in result.err
