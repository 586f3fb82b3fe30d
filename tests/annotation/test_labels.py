"""Labels come from RDF, from a table, or from an endpoint asked for what the queries name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from sparql_servers import StubServer

from qaldgen.annotation.iri_labels import named_iris, read_labels
from qaldgen.cli.main import cli
from qaldgen.errors import UsageError
from qaldgen.model import Question

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
GRAPH = f"""
<http://x.org/a> <{LABEL}> "Amber"@en, "Bernstein"@de .
<http://x.org/p> <{LABEL}> "flows past"@en, "flows by"@en .
<http://www.wikidata.org/entity/P17> <{LABEL}> "country"@en .
<http://x.org/unasked> <{LABEL}> "nobody asks"@en .
"""
ASKED = [
    Question("1", {}, queries={"": "SELECT ?x { <http://x.org/a> <http://x.org/p> ?x }"}),
    Question(
        "2",
        {},
        queries={
            "": "SELECT ?x { ?x <http://www.wikidata.org/prop/direct/P17> <http://x.org/nameless> }"
        },
    ),
    Question("3", {}, queries={"": "SELECT WHERE {{ broken"}),
]
FOUND = {
    "http://x.org/a": "Amber",
    "http://x.org/p": "flows by",
    "http://www.wikidata.org/prop/direct/P17": "country",
}
Refused = Callable[..., str]


def test_an_endpoint_is_asked_for_what_the_queries_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qaldgen.annotation.iri_labels._BATCH", 2)
    with StubServer(GRAPH).running() as server:
        assert read_labels(server.url, questions=ASKED) == FOUND


def test_rdf_gives_the_first_label_in_the_alphabet(tmp_path: Path) -> None:
    (tmp_path / "graph.ttl").write_text(GRAPH)
    labels = read_labels(tmp_path / "graph.ttl")
    assert labels["http://x.org/p"] == "flows by"
    assert labels["http://x.org/unasked"] == "nobody asks"
    assert "Bernstein" not in labels.values()


def test_the_language_is_a_tag_in_any_spelling(tmp_path: Path) -> None:
    (tmp_path / "graph.ttl").write_text(f'<http://x.org/a> <{LABEL}> "Rio"@pt-BR .')
    assert read_labels(tmp_path / "graph.ttl", language="pt_br") == {"http://x.org/a": "Rio"}


@pytest.mark.parametrize("source", ["graph.ttl", "http://localhost:1/sparql"])
def test_other_text_than_a_language_does_not_get_into_the_query(
    source: str, refused: Refused
) -> None:
    text = "en') || true || ('"
    assert "is not a language tag" in refused(
        lambda: read_labels(source, questions=ASKED, language=text), UsageError
    )


@pytest.mark.parametrize(("name", "mark"), [("labels.csv", ","), ("labels.tsv", "\t")])
def test_a_table_with_or_without_a_header(name: str, mark: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(
        f"iri{mark}label\nhttp://x.org/a{mark}Amber River\nhttp://x.org/a{mark}again\n"
    )
    assert read_labels(tmp_path / name) == {"http://x.org/a": "Amber River"}


def test_a_row_without_iri_names_the_line(tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "labels.csv").write_text("http://x.org/a,Amber\nAmber,Amber\n")
    assert "labels.csv, line 2: expected IRI and label" in refused(
        lambda: read_labels(tmp_path / "labels.csv")
    )


def test_queries_that_cannot_be_parsed_name_nothing() -> None:
    assert named_iris(ASKED[2:]) == []
    assert named_iris(ASKED[:1]) == ["http://x.org/a", "http://x.org/p"]


def test_annotate_takes_a_table(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("http://x.org/a,One Two Three\n")
    (tmp_path / "q.csv").write_text(
        "id,text,sparql\n1,Where is one two three?,SELECT ?x { <http://x.org/a> <http://x.org/p>"
        " ?x }\n"
    )
    call = [
        "annotate",
        str(tmp_path / "q.csv"),
        "--labels",
        str(tmp_path / "labels.csv"),
        "--no-cache",
    ]
    assert (
        "qaldgen:totalWordsEntity1 3"
        in CliRunner().invoke(cli, call, catch_exceptions=False).stdout
    )
