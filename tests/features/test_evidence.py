"""Features that join text, query, answers and what the data says; and a feature of one's own.

The questions are our own.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pyoxigraph
import pytest

from qaldgen.features.catalogue import Feature, all_features
from qaldgen.features.compute import stream_features
from qaldgen.features.data_features import COMPLEXITIES
from qaldgen.features.query.query_features import FeatureValue, FeatureValues
from qaldgen.features.text.text_features import load_model
from qaldgen.features.vocabulary import catalogue_text, feature_terms
from qaldgen.model import Answers, Cell, Mention, Question

ROOT = Path(__file__).resolve().parent.parent.parent
OWNER = "SELECT ?m { ?m dbo:owner dbr:Ada }"
needs_model = pytest.mark.skipif(
    load_model("en") is None, reason="no English spaCy model is installed: pip install .[en]"
)


def values(text: str = "", **given: object) -> FeatureValues:
    query = given.pop("query", "")
    queries = {"": query} if query else {}
    made = Question("1", {"en": (text,)} if text else {}, queries=queries, **given)  # type: ignore[arg-type]
    return next(stream_features([made]))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (OWNER, ("generic",)),
        ("ASK { dbr:Mill dbo:owner dbr:Ada }", ("yesno",)),
        ("SELECT (COUNT(?m) AS ?n) { ?m dbo:owner dbr:Ada }", ("count",)),
        ("SELECT ?m { ?m dbo:age ?a } ORDER BY DESC(?a) LIMIT 1", ("superlative",)),
        ("SELECT (MAX(?a) AS ?b) { ?m dbo:age ?a }", ("superlative",)),
        ("SELECT (SUM(?a) AS ?b) { ?m dbo:age ?a }", ("generic",)),
        ("SELECT ?m { ?m dbo:age ?a } ORDER BY ?a LIMIT 1 OFFSET 1", ("ordinal",)),
        ("SELECT ?m { ?m dbo:age ?a } LIMIT 1 OFFSET 1", ("generic",)),
        ("SELECT ?m { ?m dbo:age ?a FILTER(?a > 9) }", ("comparative",)),
        ("SELECT ?m { ?m dbo:owner dbr:Ada MINUS { ?m a dbo:Barn } }", ("difference",)),
        ("SELECT ?m { ?m dbo:owner ?o . ?o dbo:spouse dbr:Ada }", ("multihop",)),
        ("SELECT ?m { ?m dbo:owner dbr:Ada ; dbo:river dbr:Dee }", ("intersection",)),
        ("SELECT ?m { ?m p:P1 [ ps:P1 wd:Q1 ; pq:P2 wd:Q2 ] }", ("generic",)),
    ],
)
def test_complexity_that_the_query_shows(query: str, expected: tuple[str, ...]) -> None:
    assert values(query=query)["complexityType"] == expected
    assert set(expected) <= set(COMPLEXITIES)


def test_complexity_of_the_data_goes_first() -> None:
    assert values(query=OWNER, metadata={"complexity": "Ordinal"})["complexityType"] == ("ordinal",)
    assert values(query=OWNER, metadata={"complexity": "odd"})["complexityType"] == ("generic",)
    assert "complexityType" not in values("Who?")


def test_a_query_too_long_for_hops_has_no_complexity() -> None:
    patterns = " ".join(f"?x <http://x.org/p{number}> ?y{number} ." for number in range(501))
    told: list[object] = []
    asked = Question("long", {}, queries={"": f"SELECT ?x {{ {patterns} }}"})

    (found,) = stream_features([asked], complain=told.append)

    assert found["tpCount"] == 501
    assert "hopCount" not in found and "complexityType" not in found
    assert told == []


@pytest.mark.parametrize(
    ("said", "expected"),
    [("PERSON", "person"), ("CELESTIAL  BODY", "celestial-body"), ("GNOME", "year"), ("", "year")],
)
def test_entity_type_of_the_data_goes_first(said: str, expected: str) -> None:
    assert (
        values("When did the mill burn?", metadata={"entity_subtype": said})["answerEntityType"]
        == expected
    )


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("i.i.d.", "iid"),
        ("compositional", "compositional"),
        ("zero-shot", "zero-shot"),
        ("far", None),
    ],
)
def test_generalisation_level_of_the_data(said: str, expected: str | None) -> None:
    assert values("Who?", metadata={"level": said}).get("generalisationLevel") == expected


@pytest.mark.parametrize(
    ("answers", "single", "aliases"),
    [
        (None, None, None),
        (Answers(boolean=False), True, None),
        (Answers(variables=("m",)), False, None),
        (Answers(variables=("m",), rows=((Cell("uri", "a"),), (Cell("uri", "a"),))), True, None),
        (Answers(variables=("m",), rows=((Cell("uri", "a"),), (Cell("uri", "b"),))), False, None),
        (Answers(texts=(("Ada", "Ada Mill", "A. Mill"),)), True, 2),
        (Answers(texts=(("Ada",), ("Ben", "Benny"))), False, 1),
    ],
)
def test_how_many_answers(
    answers: Answers | None, single: bool | None, aliases: int | None
) -> None:
    found = values("Who?", answers=answers)
    assert (found.get("isSingleAnswer"), found.get("answerAliasesCount")) == (single, aliases)


def test_wordings_and_languages() -> None:
    texts = {"en": ("Who?", "Which miller?"), "de": ("Wer?",), "pt-BR": ()}
    found = next(stream_features([Question("1", texts)]))
    assert (found["languages"], found["wordingCount"]) == (("de", "en"), 2)
    assert not {"languages", "wordingCount"} & set(next(stream_features([Question("1", {})])))


def test_words_of_mentions() -> None:
    assert (
        values("Who?", mentions=(Mention("Old Mill"), Mention("Dee"), Mention(" ")))[
            "avgMentionWords"
        ]
        == 1.5
    )
    assert "avgMentionWords" not in values("Who?")


@needs_model
def test_explicit_by_lemma_of_relations_and_classes() -> None:
    query = "SELECT ?m { ?m a dbo:WaterMill ; dbo:owner dbr:Ada_Lee ; dbo:starring ?x }"
    found = values("Which water mills did Ada Lee, who starred in a film, sell?", query=query)
    assert (found["isExplicitClass1"], found["isExplicitLemmaClass1"]) == (False, True)
    assert (found["isExplicitRelation2"], found["isExplicitLemmaRelation2"]) == (False, True)
    assert (found["isExplicitRelation1"], found["isExplicitLemmaRelation1"]) == (False, False)
    assert found["isExplicitLemmaEntity1"] is True


@needs_model
def test_explicit_as_written_is_explicit_by_lemma() -> None:
    found = values(
        "Who owns the well-known mill of F.C. Dee?",
        query="ASK { dbr:F.C._Dee dbo:owner dbr:Well-known_mill }",
    )
    assert {
        found[f"{name}{n}"]
        for name in ("isExplicitEntity", "isExplicitLemmaEntity")
        for n in (1, 2)
    } == {True}


def test_explicit_by_lemma_needs_a_text() -> None:
    assert "isExplicitLemmaEntity1" not in values(query=OWNER)


def term(name: str, value: FeatureValue) -> list[str]:
    return [str(one) for one in feature_terms(all_features()[name], value)]


def test_codes_are_iris() -> None:
    assert term("answerEntityType", "celestial-body") == [
        "<http://qald-gen.aksw.org/code/answerEntityType/celestial-body>"
    ]
    assert term("generalisationLevel", "zero-shot") == [
        "<http://qald-gen.aksw.org/code/generalisationLevel/zero-shot>"
    ]


def test_entity_types_are_a_scheme_matched_to_dbpedia() -> None:
    code = "http://qald-gen.aksw.org/code/answerEntityType"
    skos = "http://www.w3.org/2004/02/skos/core#"
    store = pyoxigraph.Store()
    store.load(catalogue_text("turtle"), pyoxigraph.RdfFormat.TURTLE)
    scheme, match = pyoxigraph.NamedNode(code), pyoxigraph.NamedNode(skos + "closeMatch")
    assert (
        len(list(store.quads_for_pattern(None, pyoxigraph.NamedNode(skos + "inScheme"), scheme)))
        == 34
    )
    river = [
        quad.object
        for quad in store.quads_for_pattern(pyoxigraph.NamedNode(f"{code}/river"), match, None)
    ]
    assert river == [pyoxigraph.NamedNode("http://dbpedia.org/ontology/River")]


def test_feature_of_the_guide_is_found_by_its_entry_point(tmp_path: Path) -> None:
    """A package as the guide shows it, on the path of a new process.

    Listed, computed, written and checked.
    """
    guide = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    guide = guide[guide.index("## A feature") : guide.index("## A verb")]
    module, table = re.findall(r"```(?:python|toml)\n(.*?)```", guide, flags=re.DOTALL)
    (tmp_path / "my_features.py").write_text(module, encoding="utf-8")
    told = tmp_path / "my_features-1.dist-info"
    told.mkdir()
    (told / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: my-features\nVersion: 1\n", encoding="utf-8"
    )
    line = re.findall(r'(\w+) = "(.*)"', table)[0]
    (told / "entry_points.txt").write_text(
        f"[qaldgen.features]\n{line[0]} = {line[1]}\n", encoding="utf-8"
    )
    code = (
        "from qaldgen.features.catalogue import all_features; from qaldgen.features.compute import"
        " stream_features\nfrom qaldgen.features.vocabulary import feature_terms"
        "\nfrom qaldgen.model import Question\nfound = next(stream_features("
        "[Question('1', {'en': ('Who owns it?',)})],"
        " language='xx'))\nprint(*feature_terms(all_features()['vowels'], found['vowels']))"
        "\nimport pyshacl\nfrom rdflib import RDF, SH, Graph, Literal, URIRef\n"
        "from qaldgen.features.vocabulary import catalogue_text\n"
        "it, data = URIRef('http://x.org/1'), Graph()\n"
        "data.add((it, RDF.type, URIRef('http://qald-gen.aksw.org/vocab#Question')))\n"
        "data.add((it, URIRef(all_features()['vowels'].term), Literal('four')))\n"
        "shapes = Graph().parse(data=catalogue_text('shapes'), format='turtle')\n"
        "report = pyshacl.validate(data, shacl_graph=shapes)[1]\n"
        "print([str(value) for value in report.objects(None, SH.value)])"
    )
    paths = os.pathsep.join([str(tmp_path), str(ROOT)])
    shown = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": paths},
    ).stdout
    assert shown == "\"3\"^^<http://www.w3.org/2001/XMLSchema#integer>\n['four']\n"


def test_every_row_is_a_feature_with_a_value_for_anything() -> None:
    assert all(isinstance(feature, Feature) for feature in all_features().values())
    assert next(stream_features([Question("1", {})], language="xx")) == {}
