"""Benchmarks as files, for tests."""

from __future__ import annotations

from qaldgen.benchmark.benchmark import Benchmark, render


def rendered(benchmark: Benchmark, form: str, *, language: str = "en") -> bytes:
    """Return what a benchmark becomes in a format that is one file."""
    made, _ = render(benchmark, form, language=language)
    return made
