"""Commands at the end of pipes, on terminals, in parallel, on full disks, with odd file names."""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from calls import Call, parts_of, several_calls, skip_without
from click.testing import CliRunner

from qaldgen.cli.main import VERBS, cli

EVIL = "\x1b]0;owned\x07\x1b[2J\u202e\x9b31m"
COMMAND = [sys.executable, "-m", "qaldgen"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Questions whose texts, ids and answers are terminal commands, and a run that answers them."""
    path = tmp_path_factory.mktemp("streams")
    features = "@prefix : <http://x.org/> . " + " ".join(
        f':q{n} :n {n} ; :kind "k{n % 2}{EVIL}" .' for n in range(40)
    )
    (path / "features.ttl").write_text(features, encoding="utf-8")
    (path / "query.rq").write_text(
        "SELECT ?qId ?n ?kind { ?qId <http://x.org/n> ?n ; <http://x.org/kind> ?kind }",
        encoding="utf-8",
    )
    rows = [
        {"id": f"{n}{EVIL}", "text": f"What{EVIL} is {n}?", "answers": f"thing {n}{EVIL}"}
        for n in range(40)
    ]
    (path / "gold.json").write_text(json.dumps(rows), encoding="utf-8")
    for name in ("one", "two"):
        run = [{"id": row["id"], "answer": f"{name}{EVIL}"} for row in rows]
        (path / f"{name}.json").write_text(json.dumps(run), encoding="utf-8")
    (path / "aliases.json").write_text("{}", encoding="utf-8")
    (path / "scores.csv").write_text(
        "id,a\n" + "".join(f"http://x.org/q{n},{n % 2}\n" for n in range(40)), encoding="utf-8"
    )
    (path / "features.csv").write_text(
        "id,n\n" + "".join(f"http://x.org/q{n},{n}\n" for n in range(40)), encoding="utf-8"
    )
    (path / "named.ttl").write_text(
        '<http://x.org/q1> <http://schema.org/text> "What is 1?"@en .', encoding="utf-8"
    )
    done = run_verb(path, "sample", "features.ttl", "-q", "query.rq", "-n", "5", "-o", "bench.ttl")
    assert done.returncode == 0, done.stderr
    return path


def run_verb(
    folder: Path,
    *words: str | bytes,
    **options: Any,  # noqa: ANN401
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, *words],
        cwd=folder,
        timeout=120,
        check=False,
        capture_output=True,
        **options,
    )


# --- pipes --------------------------------------------------------------------------------------


@pytest.fixture
def piped(folder: Path) -> Iterator[Callable[[str], str]]:
    """Make a pipe of a file's content, as ``<(cat FILE)`` does."""
    feeders: list[subprocess.Popen[bytes]] = []
    ends: list[int] = []

    def make(name: str) -> str:
        feeder = subprocess.Popen(["cat", folder / name], stdout=subprocess.PIPE)
        assert feeder.stdout is not None
        feeders.append(feeder)
        ends.append(os.dup(feeder.stdout.fileno()))
        feeder.stdout.close()
        return f"/dev/fd/{ends[-1]}"

    yield make
    for feeder in feeders:
        feeder.wait()
    for end in ends:
        os.close(end)


PIPES = [
    "select |features.ttl -q |query.rq --dropped",
    "sample |features.ttl -q |query.rq -n 5",
    "sample |features.ttl -q query.rq -n 5 --compare-methods",
    "export |bench.ttl -o -",
    "check |gold.json",
    "check |named.ttl",
    "check |one.json --gold |gold.json",
    "annotate |gold.json --lang de --no-cache --labels |features.ttl --train gold.json",
    "score |gold.json |one.json |two.json --match contains --aliases |aliases.json",
    "compare |gold.json |one.json |two.json --match contains",
    "slices |gold.json |one.json --match contains",
    "report |gold.json |one.json -o - --match contains",
    "plan |scores.csv",
    "ask |gold.json --system lookup --kg |features.ttl",
]


@pytest.mark.parametrize("words", PIPES)
def test_every_input_may_be_a_pipe(
    folder: Path, piped: Callable[[str], str], monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    skip_without(words.split()[0])
    monkeypatch.chdir(folder)
    monkeypatch.setenv("QALDGEN_CACHE", str(folder / "cache"))
    parts = [piped(part[1:]) if part.startswith("|") else part for part in words.split()]
    result = CliRunner().invoke(cli, parts, catch_exceptions=False)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.exit_code in ({0, 1} if words.startswith("check") else {0}), result.output
    if words.startswith("check"):
        assert "unreadable" not in result.output


def test_the_device_of_stdin_is_an_input(folder: Path) -> None:
    data = (folder / "features.ttl").read_bytes()
    result = run_verb(folder, "select", "/dev/stdin", "-q", "query.rq", "-o", "-", input=data)
    assert result.returncode == 0, result.stderr
    assert len(result.stdout.splitlines()) == 41


def test_provenance_has_a_name_for_stdin(folder: Path) -> None:
    data = (folder / "features.ttl").read_bytes()
    result = run_verb(folder, "sample", "-", "-q", "query.rq", "-n", "5", "-o", "-", input=data)
    assert b'dct:title "stdin"' in result.stdout


def test_reader_that_leaves_is_no_error_message(folder: Path) -> None:
    words = ["score", "gold.json", "one.json", "-q", "--match", "contains", "--format", "json"]
    with subprocess.Popen(
        [*COMMAND, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        told = process.stderr.read()
    assert b"Traceback" not in told and b"Error" not in told and b"Exception" not in told


# --- terminals ----------------------------------------------------------------------------------


def on_terminal(folder: Path, *calls: list[str]) -> str:
    """Return what a terminal gets that is stdout and stderr of verbs."""
    own, theirs = os.openpty()
    environment = {
        **os.environ,
        "QALDGEN_CACHE": str(folder / "cache"),
        "TERM": "xterm",
    }
    with subprocess.Popen(
        several_calls(*calls),
        cwd=folder,
        env=environment,
        stdout=theirs,
        stderr=theirs,
        stdin=theirs,
    ) as process:
        os.close(theirs)
        pieces = []
        with contextlib.suppress(OSError):  # a terminal that was hung up
            while piece := os.read(own, 2**16):
                pieces.append(piece)
        process.wait()
    os.close(own)
    return b"".join(pieces).decode("utf-8")


SHOWN = [
    "score gold.json one.json -q --match contains",
    "score gold.json one.json -q --match contains --format json",
    "score gold.json one.json -q --match contains --format csv",
    "select features.ttl -q query.rq -o -",
    "check gold.json --all",
    "annotate gold.json --lang de --no-cache",
    "score gold.json none\x1b[2J.json",
    "select features.ttl --none\x1b[2J",
]


def test_terminal_gets_no_command_of_the_data(folder: Path) -> None:
    calls = [words.split() for words in SHOWN if words.split()[0] in VERBS]
    parts = parts_of(on_terminal(folder, *calls))
    for call, (shown, _) in zip(calls, parts, strict=True):
        # older versions of click leave it out of their own messages
        assert re.search(r"\\(u001b|x1b)|No such option: --none\r", shown), call
        # of progress bars, and of the line ends of terminals
        ours = re.sub(r"\x1b\[\?25[lh]|\x1b\[K|\r", "", shown)
        commands = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
        assert set(re.findall(commands, ours)) == set(), call


@pytest.mark.parametrize("form", ["json", "csv"])
def test_pipe_gets_the_data_as_they_are(folder: Path, call: Call, form: str) -> None:
    words = ["score", "gold.json", "one.json", "-q", "--match", "contains", "--format", form]
    text = call(*words, cwd=folder).out
    assert EVIL in (json.loads(text)[0]["question"] if form == "json" else text)


def test_messages_are_one_line_without_commands(folder: Path, call: Call) -> None:
    assert (
        call("select", "a\nb\x1b[2J.ttl", "-q", "query.rq", cwd=folder).err
        == "Error: a\\u000ab\\u001b[2J.ttl: cannot be opened (No such file or directory); check"
        " the name\n"
    )


# --- names, streams and disks -------------------------------------------------------------------


@pytest.mark.parametrize(
    "locale",
    [{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "ascii"}],
)
def test_names_need_not_be_text(folder: Path, tmp_path: Path, locale: dict[str, str]) -> None:
    source, target = os.fsencode(tmp_path) + b"/g\xe9.json", os.fsencode(tmp_path) + b"/f\xe9.ttl"
    Path(os.fsdecode(source)).write_bytes((folder / "gold.json").read_bytes())
    query = "SELECT ?qId ?n { ?qId <http://qald-gen.aksw.org/vocab#length> ?n }"
    command = several_calls(
        ["annotate", source, "-o", target, "--no-cache", "--lang", "de"],
        ["sample", target, "-q", query, "-n", "3", "-o", "-"],
    )
    environment = {**os.environ, **locale}
    result = subprocess.run(command, env=environment, capture_output=True, check=True)
    (annotated, code), (_, sampled) = parts_of(result.stderr.decode())
    assert (code, sampled) == (0, 0), result.stderr
    assert "f\\udce9.ttl" in annotated
    assert 'dct:title "g\\\\udce9"' in Path(os.fsdecode(target)).read_text(encoding="utf-8")
    assert b'dct:title "f\\\\udce9.ttl"' in result.stdout


@pytest.mark.parametrize("closed", ["1", "2", "0", "0 1 2"])
def test_closed_streams_do_no_harm(folder: Path, tmp_path: Path, closed: str) -> None:
    ends = " ".join(f"{number}{'<' if number == '0' else '>'}&-" for number in closed.split())
    line = f"{sys.executable} -m qaldgen select features.ttl -q query.rq -o {tmp_path}/x.csv {ends}"
    assert (
        subprocess.run(line, shell=True, cwd=folder, capture_output=True, check=False).returncode
        == 0
    )
    assert (tmp_path / "x.csv").read_text(encoding="utf-8").startswith("iri,feature:n,")
    assert len((tmp_path / "x.csv").read_bytes().splitlines()) == 41


def test_output_to_a_closed_stream_is_refused(folder: Path) -> None:
    line = f"{sys.executable} -m qaldgen select features.ttl -q query.rq -o - >&-"
    result = subprocess.run(line, shell=True, cwd=folder, capture_output=True, check=False)
    assert result.returncode == 1
    assert b"Error: stdout: is closed; name a file with -o" in result.stderr


def small_files() -> None:
    """Let no file grow above a kilobyte, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))


def test_full_disk_leaves_nothing_and_a_pipe_needs_no_temporary_folder(
    folder: Path, tmp_path: Path
) -> None:
    calls = [
        "select - -q query.rq -o -",
        f"sample features.ttl -q query.rq -n 30 -o {tmp_path}/a.jsonl -o {tmp_path}/a.ttl",
        f"annotate gold.json --lang de --no-cache -o {tmp_path}/a.ttl",
        f"score gold.json one.json -q --match contains -o {tmp_path}/a.txt",
    ]
    # a limit of files would cut short what Python compiles
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    result = subprocess.run(
        several_calls(*map(str.split, calls)), cwd=folder, env=environment, capture_output=True,
        input=(folder / "features.ttl").read_bytes(), check=False, preexec_fn=small_files,
    )  # fmt: skip
    (told, code), *refused = parts_of(result.stderr.decode())
    assert (len(refused), code) == (3, 0), told
    assert result.stdout.count(b"\nhttp://x.org/q") == 40
    for told, code in refused:
        assert code == 1
        cannot = r"Error: \S+: cannot be written \(File too large\)(; features are [^\n]*)?$"
        assert re.search(cannot, told), told
    assert list(tmp_path.iterdir()) == []


def test_of_verbs_that_write_one_file_at_once_one_succeeds(folder: Path, tmp_path: Path) -> None:
    words = [
        *COMMAND,
        *["sample", "features.ttl", "-q", "query.rq", "-n", "5", "-o"],
        str(tmp_path / "x.ttl"),
    ]
    running = [
        subprocess.Popen(
            [*words, "--seed", str(seed)],
            cwd=folder,
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )
        for seed in range(3)
    ]
    told = [process.communicate()[1] for process in running]
    codes = [process.returncode for process in running]
    assert sorted(codes) == [0, 2, 2]
    assert [b"wrote" in one for one in told] == [code == 0 for code in codes]
    assert all(b"already exists" in one for one, code in zip(told, codes, strict=True) if code)
    assert [path.name for path in tmp_path.iterdir()] == ["x.ttl"]
    written = (tmp_path / "x.ttl").read_text(encoding="utf-8")
    assert f"seed:{codes.index(0)}|" in written


@pytest.mark.parametrize(
    "words",
    [
        ["score", "-", "-"],
        ["score", "-", "/dev/stdin"],
        ["compare", "gold.json", "-", "-"],
        ["report", "-", "-", "-o", "page.html"],
        ["sample", "-", "-q", "-", "-n", "5"],
    ],
)
def test_stdin_is_one_input_only(folder: Path, call: Call, words: list[str]) -> None:
    said = call(*words, cwd=folder)
    assert said.code == 2
    assert "stdin is named for 2 inputs" in said.err
