"""RDF of a vocabulary of its own: the property with the questions can be said."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import qaldgen as qg
from qaldgen.errors import DataError, UsageError

Call = Callable[..., Any]
Refused = Callable[..., str]
TEXT = ("--text-property", "own:wording")
QUERY = "PREFIX own: <http://x.org/own#> SELECT ?qId ?w ?h { ?qId own:words ?w ; own:hops ?h }"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Return questions with features, whose schema:text is only their topic."""
    path = tmp_path / "own.ttl"
    rows = [
        f'own:q{n} own:wording "Where is mill {n}?"@en ; schema:text "topic {n}" ;'
        f" own:words {4 + n % 3} ; own:hops {n % 4} ."
        for n in range(1, 25)
    ]
    names = "@prefix own: <http://x.org/own#> .\n@prefix schema: <https://schema.org/> .\n"
    path.write_text(names + "\n".join(rows) + "\n", encoding="utf-8")
    path.with_suffix(".rq").write_text(QUERY, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["own:wording", "http://x.org/own#wording"])
def test_load_and_open_data_take_the_property(name: str, own: Path) -> None:
    questions = qg.load(own, text_property=name)
    assert questions.questions[0].texts == {"en": ("Where is mill 1?",)}
    described = qg.describe(qg.open_data(own, text_property=name))
    assert (described.questions, list(described.languages.index)) == (24, ["en"])


def test_prefixes_of_json_ld_and_known_ones_are_understood(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonld"
    graph = [{"@id": "http://x.org/1", "name": "Where is Ulm?", "s:label": "Who is Bo?"}]
    context = {"s": "http://www.w3.org/2000/01/rdf-schema#", "name": "https://schema.org/name"}
    path.write_text(json.dumps({"@context": context, "@graph": graph}), encoding="utf-8")
    for name, text in (("rdfs:label", "Who is Bo?"), ("https://schema.org/name", "Where is Ulm?")):
        assert qg.load(path, text_property=name).questions[0].text() == text


def test_a_sample_of_own_features_has_the_texts(own: Path, call: Call, tmp_path: Path) -> None:
    made = [tmp_path / name for name in ("four.ttl", "four.json")]
    words = ["-q", own.with_suffix(".rq"), "-n", 4, "-o", made[0], "-o", made[1]]
    assert call("sample", own, *TEXT, *words).code == 0
    for path in made:
        assert all(one.text().startswith("Where is mill") for one in qg.load(path))


def test_a_benchmark_without_texts_gets_them_from_its_data(
    own: Path, call: Call, tmp_path: Path
) -> None:
    plain = tmp_path / "plain.ttl"
    query = own.with_suffix(".rq")
    assert call("sample", own, "-q", query, "-n", 4, "-o", plain).code == 0
    said = call("export", plain, "--text-property", "http://x.org/own#wording", "-o", "-")
    assert said.code == 0, said.err
    assert said.out.count("qaldgen:text") == 4


@pytest.mark.parametrize("verb", ["annotate", "describe"])
def test_verbs_read_it(verb: str, own: Path, call: Call) -> None:
    said = call(verb, own, *TEXT)
    assert said.code == 0, said.err
    assert "24 questions" in said.out + said.err
    assert "topic" not in said.out or verb == "describe"


def test_what_is_not_there_or_not_rdf_is_refused(
    own: Path, tmp_path: Path, refused: Refused
) -> None:
    said = refused(lambda: qg.load(own, text_property="own:text"), DataError)
    assert "http://x.org/own#text" in said
    assert "<http://x.org/own#wording> (24)" in said
    table = tmp_path / "t.csv"
    table.write_text("question,answer\nWhere?,Ulm\n", encoding="utf-8")
    assert "this is table" in refused(lambda: qg.load(table, text_property="q"), UsageError)


def test_rdf_without_texts_names_the_option(tmp_path: Path, refused: Refused) -> None:
    path = tmp_path / "own.nt"
    path.write_text('<http://x.org/1> <http://x.org/p> "Where is Ulm?" .\n', encoding="utf-8")
    assert "`text_property`" in refused(lambda: qg.load(path), DataError)
