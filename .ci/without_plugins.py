"""Take plug-ins out, and see that the rest works: a wheel without them, installed and used.

python .ci/without_plugins.py              every plug-in in turn, with those that need it
python .ci/without_plugins.py act serving  each of these
python .ci/without_plugins.py --all        all of them together
python .ci/without_plugins.py --all -- -n auto    also the tests of the core's rooms, with these
"""

from __future__ import annotations

import argparse
import configparser
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLUGINS = Path("qaldgen/plugins")
#: The steps of the demo that need no plug-in, run where nothing but the wheel is installed.
STEPS = (
    "annotate questions.json --kg graph.ttl --r1-compat -o features.ttl",
    "select features.ttl -q listing-1.2",
    "sample features.ttl -q listing-1.2 -m feasible-exmp -n 25 -o bench.ttl -o bench.json",
    "ask questions.json --system typed --kg graph.ttl -o typed.jsonl",
    "ask questions.json --system templates --kg graph.ttl -o templates.jsonl",
    "score questions.json typed.jsonl templates.jsonl",
    "compare questions.json typed.jsonl templates.jsonl --by answerType",
    "slices questions.json typed.jsonl",
    "report questions.json typed.jsonl templates.jsonl -o report.html",
    "--help",
)
BUILDER = re.compile(r"qaldgen/examples/.*\.py")
IMPORT_ALL = """
import importlib, pkgutil, qaldgen
for module in pkgutil.walk_packages(qaldgen.__path__, "qaldgen."):
    try:
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    except ModuleNotFoundError as error:
        if error.name.startswith("qaldgen"):  # packages of extras may be missing
            raise
"""
HELP_ALL = """
from click.testing import CliRunner
from qaldgen.cli.main import cli
for name in cli.list_commands(None):
    done = CliRunner().invoke(cli, [name, "--help"])
    if done.exit_code or name not in done.output:
        raise SystemExit(f"{name} --help: {done.output}{done.exception!r}")
print(len(cli.list_commands(None)))
"""
#: One process for all steps: starting one takes longer than most of them.
STEP_ALL = """
import sys
from qaldgen.cli.main import main
for step in sys.argv[1:]:
    sys.argv[1:] = step.split()
    try:
        main()
    except SystemExit as leave:
        if leave.code:
            raise
"""


def needs(name: str) -> set[str]:
    """Return the plug-ins that a manifest names."""
    manifest = configparser.ConfigParser(delimiters=("=",), interpolation=None)
    manifest.read(ROOT / PLUGINS / name / "plugin.cfg", encoding="utf-8")
    return set(manifest.get("plugin", "needs", fallback="").split())


def with_dependents(name: str, known: list[str]) -> list[str]:
    """Return a plug-in and all that need it."""
    out = {name}
    while more := {other for other in known if needs(other) & out} - out:
        out |= more
    return sorted(out)


def run(command: list[str], folder: Path, path: Path | None = None) -> str:
    """Return what a command prints; stop with it if it fails or warns of a broken row."""
    environment = {**os.environ, "PYTHONPATH": str(path)} if path else dict(os.environ)
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0 or "is ignored: it cannot be loaded" in done.stderr:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def try_without(out: list[str], tests: list[str] | None) -> None:
    """Build and use a wheel without some plug-ins; with `tests` also run the core's tests."""
    with tempfile.TemporaryDirectory() as place:
        copy, installed, work = (Path(place, name) for name in ("copy", "installed", "work"))
        names = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard"],
            cwd=ROOT, capture_output=True, text=True, check=True,
        ).stdout.splitlines()  # fmt: skip
        for name in names:
            if (ROOT / name).is_file():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, copy / name)
        for plugin in out:
            shutil.rmtree(copy / PLUGINS / plugin)
            shutil.rmtree(copy / "tests" / "plugins" / plugin, ignore_errors=True)
            (copy / "docs" / "plugins" / f"{plugin}.md").unlink(missing_ok=True)
        pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        run([*pip, "wheel", "--no-deps", "-w", f"{place}/wheel", "."], copy)
        (wheel,) = Path(place, "wheel").glob("*.whl")
        scripts = [name for name in zipfile.ZipFile(wheel).namelist() if BUILDER.fullmatch(name)]
        if scripts:
            sys.exit(f"the wheel has scripts that build examples: {', '.join(scripts)}")
        run([*pip, "install", "--no-deps", "--target", str(installed), str(wheel)], copy)
        work.mkdir()
        for example in ("questions.json", "graph.ttl"):
            shutil.copy2(ROOT / "examples" / example, work)
        run([sys.executable, "-c", IMPORT_ALL], work, installed)
        verbs = run([sys.executable, "-c", HELP_ALL], work, installed).strip()
        run([sys.executable, "-c", STEP_ALL, *STEPS], work, installed)
        sys.stdout.write(
            f"without {', '.join(out)}: modules import, {verbs} verbs have help,"
            f" {len(STEPS)} steps run\n"
        )
        sys.stdout.flush()
        if tests is not None:
            # those of the rooms; the others read files of the checkout, or what plug-ins do
            rooms = (one.parent for one in (copy / "tests").glob("*/test_*.py"))
            folders = sorted({str(one.relative_to(copy)) for one in rooms} - {"tests/record"})
            command = [sys.executable, "-m", "pytest", *tests, *folders]
            data = os.environ.get("QALDGEN_TEST_DATA") or str(ROOT.parent / "shared" / "data")
            paths = {"PYTHONPATH": str(installed), "QALDGEN_TEST_DATA": data}
            status = subprocess.run(command, cwd=copy, env={**os.environ, **paths}, check=False)
            if status.returncode:
                sys.exit(status.returncode)


def main() -> None:
    """Try without each plug-in, or without all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--all", action="store_true", help="take all plug-ins out together")
    parser.add_argument(
        "words",
        nargs="*",
        help="with --all: run the core's tests with these options; else: the plug-ins to take out",
    )
    asked = parser.parse_args()
    known = sorted(path.parent.name for path in (ROOT / PLUGINS).glob("*/plugin.cfg"))
    if asked.all:
        try_without(known, asked.words or None)
        return
    for name in asked.words or known:
        try_without(with_dependents(name, known), None)


if __name__ == "__main__":
    main()
