"""Build what a release uploads, and use it as those who install it do.

An sdist, and a wheel from it, are built and checked by twine. The wheel is installed into bare
environments; on every Python 3.10 to 3.14 that is present the first block of
README runs there, in a folder of its own. See docs/releasing.md.

python .ci/release_check.py             every Python that is present
python .ci/release_check.py 3.11 3.14   these
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
#: The last lines of a failed command that are shown.
_LINES = 40
#: Files that a wheel must have, and folders that it must not have.
NEEDED = ("qaldgen/py.typed", "qaldgen/examples/questions.json", "qaldgen/vocab/qaldgen.ttl")
FOREIGN = ("tests/", "benchmarks/", "docs/")


def run(command: list[str], folder: Path, path: str = "") -> None:
    """Run a command; stop with what it said if it fails."""
    environment = {**os.environ, "PATH": f"{path}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = "\n".join(f"{done.stdout}{done.stderr}".splitlines()[-_LINES:])
        sys.exit(f"{' '.join(command)}\n{said}")


def say(words: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def find_python(version: str) -> str | None:
    """Return a Python of this version that starts, from the path or from pyenv."""
    by_pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"), reverse=True)
    for candidate in filter(None, [shutil.which(f"python{version}"), *map(str, by_pyenv)]):
        asked = [candidate, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
        if done.stdout.strip() == version:
            return candidate
    return None


def bare(python: str, folder: Path, *packages: str) -> Path:
    """Make an environment with these packages alone; return the folder of its programs."""
    run([python, "-m", "venv", str(folder)], ROOT)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    pip = [str(programs / "python"), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    run([*pip, "install", *packages], ROOT)
    return programs


def first_block() -> str:
    """Return the first commands that README tells a newcomer to type into a shell."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(r"```sh\n(.*?)```", text, re.DOTALL)[0]


def check_wheel(wheel: Path) -> None:
    """Stop if a wheel lacks what it needs, or has what belongs to the checkout."""
    names = zipfile.ZipFile(wheel).namelist()
    missing = [name for name in NEEDED if name not in names]
    foreign = [name for name in names if name.startswith(FOREIGN)]
    if missing or foreign:
        sys.exit(f"{wheel.name}: missing {missing}; foreign {foreign[:3]}")


def build(place: Path) -> tuple[Path, Path]:
    """Build the sdist, and the wheel from it; return both, checked by twine."""
    programs = bare(sys.executable, place / "tools", "build", "twine")
    python = str(programs / "python")
    dist = place / "dist"
    run([python, "-m", "build", "--sdist", "--outdir", str(dist), str(ROOT)], place)
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as packed:
        packed.extractall(place / "unpacked", filter="data")
    (source,) = (place / "unpacked").iterdir()
    # From the sdist, so that nothing of the checkout is in the wheel that the sdist has not.
    run([python, "-m", "build", "--wheel", "--outdir", str(dist), str(source)], place)
    (wheel,) = dist.glob("*.whl")
    check_wheel(wheel)
    run([python, "-m", "twine", "check", "--strict", str(sdist), str(wheel)], place)
    say(f"{sdist.name} and {wheel.name} are built; twine finds nothing")
    return sdist, wheel


def main() -> None:
    """Check the release on each Python."""
    asked = sys.argv[1:] or list(PYTHONS)
    found = {version: find_python(version) for version in asked}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        _, wheel = build(place)
        for version, python in found.items():
            if python is None:
                say(f"Python {version} is not present: not checked")
                continue
            work = place / f"work-{version}"
            work.mkdir()
            programs = bare(python, place / f"bare-{version}", f"{wheel}[en]")
            path = str(programs)
            run([str(programs / "qaldgen"), "data", "example"], work)
            run(["sh", "-euc", first_block()], work, path)
            say(f"Python {version}: installed from the wheel, README's first block runs")
    if not any(found.values()):
        sys.exit("no Python was checked")


if __name__ == "__main__":
    main()
