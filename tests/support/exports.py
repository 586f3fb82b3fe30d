"""Benchmarks as files, for tests."""

from __future__ import annotations

from pathlib import Path

from qaldgen.benchmark.benchmark import Benchmark, render_files
from qaldgen.io.notes import collecting


def render(benchmark: Benchmark, form: str, *, language: str = "en") -> tuple[bytes, list[str]]:
    """Return what a benchmark becomes in a format that is one file, and the notes."""
    with collecting() as notes:
        ((_, made),) = render_files(benchmark, Path("benchmark"), form, language=language)
    return made, list(notes)


def rendered(benchmark: Benchmark, form: str, *, language: str = "en") -> bytes:
    """Return what a benchmark becomes in a format that is one file."""
    return render(benchmark, form, language=language)[0]
