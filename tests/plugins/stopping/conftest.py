"""The pool that these tests sample from."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph
import pytest

import qaldgen as qg
from qaldgen.selection.vectors import Vectors

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "features.ttl"
#: What questions are, and the features that `annotated` selects.
KEPT = {
    *("type", "identifier", "wasDerivedFrom", "text", "answers", "length", "totalEntities"),
    *("totalRelations", "totalClasses", "tpCount", "hopCount", "resultCount"),
}


@pytest.fixture(scope="session")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Vectors:
    """The questions of the example; samples with all their features take long to read."""
    statements = [
        quad.triple
        for quad in pyoxigraph.parse(path=EXAMPLE)
        if quad.predicate.value.replace("#", "/").rpartition("/")[2] in KEPT
    ]
    path = tmp_path_factory.mktemp("pool") / "features.ttl"
    pyoxigraph.serialize(statements, path, format=pyoxigraph.RdfFormat.TURTLE)
    return qg.select(str(path), "annotated")
