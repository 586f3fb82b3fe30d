"""The published data that several test modules read; a test skips where they are not at hand."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import pytest
from pyoxigraph import RdfFormat, parse

DATA = Path(
    os.environ.get(
        "QALDGEN_TEST_DATA",
        Path(__file__).resolve().parent.parent.parent.parent / "shared" / "data",
    )
)
FULL = os.environ.get("QALDGEN_FULL") == "1"
R1_TEXT = "http://lsq.aksw.org/vocab#text"
#: Published files with queries, and how many each has.
PUBLISHED = {
    "qald/qald-9-train-multilingual.json": 408,
    "qald/qald-9-test-multilingual.json": 150,
    "qald/qald_9_plus_test_dbpedia.json": 150,
    "qald/qald-7-test-en-wikidata.json": 50,
    "qald/qald-6-test-multilingual.json": 96,
    "rubq/RuBQ_2.0_dev.json": 480,
    "lc-quad/train-data.json": 4000,
    "lc-quad/test-data.json": 1000,
}


def published(name: str) -> Path:
    """Return a published file; skip the test where it is not at hand."""
    path = DATA / name
    if not path.is_file():
        pytest.skip(f"no published data at {path}; set QALDGEN_TEST_DATA to their folder")
    return path


def records(name: str) -> list[tuple[str, str, dict[str, object]]]:
    """Return id, query and record of each question that has a query."""
    loaded = json.loads(published(name).read_text(encoding="utf-8"))
    found = []
    for record in loaded["questions"] if isinstance(loaded, dict) else loaded:
        query = record["query"] if "query" in record else record["sparql_query"]
        text = query.get("sparql") if isinstance(query, dict) else query
        if text:
            found.append(
                (str(record.get("id", record.get("_id", record.get("uid")))), str(text), record)
            )
    return found


def with_right_type(query: str) -> str:
    """Return a query of R1 with the IRI of rdf:type that it means: R1 writes https."""
    return query.replace("https://www.w3.org/1999/02/", "http://www.w3.org/1999/02/")


def published_r1(*predicates: str) -> dict[str, dict[str, list[str]]]:
    """Return the values of some predicates for each question of the published QaldGenData."""
    found: dict[str, dict[str, list[str]]] = {}
    with zipfile.ZipFile(published("qaldgen-r1/QaldGen-RDF.zip")) as archive:
        content = archive.read(next(name for name in archive.namelist() if not name.endswith("/")))
    for quad in parse(content, format=RdfFormat.TURTLE):
        if quad.predicate.value in predicates:
            values = found.setdefault(str(quad.subject), {}).setdefault(quad.predicate.value, [])
            values.append(getattr(quad.object, "value", ""))
    return found
