"""Features of Polish questions never contradict each other."""

from __future__ import annotations

from pathlib import Path

import pytest
from contradictions import contradictions

from qaldgen.features.text.text_features import text_features


@pytest.mark.parametrize("part", ["dev-0", "test-A", "test-B"])
def test_polish_sets(shared_data: Path, part: str) -> None:
    path = shared_data / "poleval-2021" / part / "in.tsv"
    if not path.is_file():
        pytest.skip(f"the questions of PolEval 2021 are not at {path}")
    texts = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    chosen = texts[::3]
    found = text_features(chosen, language="pl")
    assert [
        (text, broken)
        for text, features in zip(chosen, found, strict=True)
        for broken in contradictions(features)
    ] == []
