"""What README and docs show works.

Their blocks run, their links lead somewhere, the examples in docstrings hold.
"""

from __future__ import annotations

import doctest
import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from qaldgen.features.compute import model_name

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(language: str) -> list[str]:
    return re.findall(
        rf"```{language}\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL
    )


def test_readme_blocks_run_from_top_to_bottom(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "qaldgen"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m qaldgen "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
    }
    for block in blocks("sh"):
        result = subprocess.run(
            ["sh", "-e", "-c", block],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, f"{block}\n{result.stderr}"
    for block in blocks("python") * 2:  # people run a block again
        result = subprocess.run(
            [sys.executable, "-c", block],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, f"{block}\n{result.stderr}"
    assert {path.name for path in tmp_path.iterdir()} >= {
        "bench.ttl",
        "bench.json",
        "again.ttl",
        "honest.ttl",
        "report.html",
        "mine.ttl",
        "mine.json",
    }
    assert {path.name for path in (tmp_path / "pictures").iterdir()} >= {
        "pool.png",
        "voronoi.svg",
        "features.png",
    }
    assert list((tmp_path / "weak").glob("slice-*.rq"))
    shown = re.search(
        r"signature: (features\.ttl@\S+)", (ROOT / "README.md").read_text(encoding="utf-8")
    )
    assert shown is not None
    if model_name("en"):
        assert shown[1] in (tmp_path / "bench.ttl").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))
    assert [
        link for link in links if not link.startswith("http") and not (page.parent / link).exists()
    ] == []


def modules_with_examples() -> list[str]:
    package = ROOT / "qaldgen"
    paths = [
        path for path in sorted(package.rglob("*.py")) if ">>> " in path.read_text(encoding="utf-8")
    ]
    return [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in paths
    ]


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_in_docstrings_hold(name: str) -> None:
    result = doctest.testmod(
        importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert result.attempted > 0
    assert result.failed == 0
