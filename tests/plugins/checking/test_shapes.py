"""Validation by combination finds what pyshacl finds on the whole data."""

from __future__ import annotations

import collections
import zipfile
from pathlib import Path

import pyoxigraph
import pyshacl
import pytest
from rdflib import RDF, SH, Graph

from qaldgen.annotation.annotate import annotate
from qaldgen.errors import DataError
from qaldgen.features.vocabulary import catalogue_text
from qaldgen.io.packages import resource_dir
from qaldgen.model import Question, QuestionSet
from qaldgen.plugins.checking.shapes import Violation, violations

QALDGEN = "http://qald-gen.aksw.org/vocab#"
PREFIXES = """
@prefix ex: <http://x.org/> .
@prefix lsq: <http://lsq.aksw.org/vocab#> .
@prefix qaldgen: <http://qald-gen.aksw.org/vocab#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
FAULTY = (
    PREFIXES
    + """
ex:a qaldgen:text "Is it long?"@en ; qaldgen:length "three" ; qaldgen:totalEntities 1 , 2 ;
  qaldgen:nouns "river, " .
ex:b qaldgen:text "Is it short?"@en ; qaldgen:length "three" ; lsq:tps -1 .
ex:c a qaldgen:Question ; qaldgen:text "" , "So?" ; qaldgen:tripleCountAll 1.5 ;
  qaldgen:hasUnion "yes" .
ex:d a qaldgen:Question ; qaldgen:text "Wo?"@de , "Where?"@de ; qaldgen:whType "where" .
_:e qaldgen:text "Who?"@en ; qaldgen:length "9"^^xsd:int ; qaldgen:totalClasses "x"^^xsd:int .
ex:bench a qaldgen:Benchmark ; qaldgen:benchmarkSize 3 ; qaldgen:hasQuestion ex:a , ex:b .
ex:a qaldgen:cluster ex:one . ex:b qaldgen:cluster ex:one .
"""
)


def turtle(text: str) -> list[pyoxigraph.Quad]:
    return list(pyoxigraph.parse(text, format=pyoxigraph.RdfFormat.TURTLE))


def on_the_whole(quads: list[pyoxigraph.Quad]) -> collections.Counter[tuple[str, str, str, str]]:
    """Return what pyshacl says: focus node, value, message, severity."""
    lines = pyoxigraph.serialize(
        (quad.triple for quad in quads), format=pyoxigraph.RdfFormat.N_TRIPLES
    )
    shapes = (
        Graph()
        .parse(resource_dir("vocab") / "shapes.ttl")
        .parse(data=catalogue_text("shapes"), format="turtle")
    )
    _, report, _ = pyshacl.validate(
        Graph().parse(data=lines or b"", format="nt"), shacl_graph=shapes
    )
    names = (SH.focusNode, SH.value, SH.resultMessage, SH.resultSeverity)
    return collections.Counter(
        tuple(str(report.value(result, name) or "").removeprefix(str(SH)) for name in names)  # type: ignore[misc]
        for result in report.subjects(RDF.type, SH.ValidationResult)
    )


def seen(found: list[Violation]) -> set[tuple[str, str, str, str]]:
    return {(one.focus, one.value, one.message, one.severity) for one in found}


def without_labels(rows: set[tuple[str, str, str, str]]) -> set[tuple[str, str, str, str]]:
    """Blank nodes have another label after each reading."""
    return {(focus if focus.startswith("http") else "_", *others) for focus, *others in rows}  # type: ignore[misc]


def test_faults_of_questions_and_benchmarks_are_those_of_pyshacl() -> None:
    quads = turtle(FAULTY)
    assert without_labels(seen(violations(quads))) == without_labels(set(on_the_whole(quads)))


def test_published_questions_have_the_faults_that_pyshacl_finds(published_r1: Path) -> None:
    with zipfile.ZipFile(published_r1) as archive:
        text = archive.read(archive.namelist()[0])
    quads = [
        quad
        for quad in pyoxigraph.parse(text, format=pyoxigraph.RdfFormat.TURTLE)
        if int(str(quad.subject).strip("<>").rpartition("#")[2]) % 90 == 0
    ]
    found = seen(violations(quads))
    assert len(found) > 100
    assert found == set(on_the_whole(quads))


def test_one_fault_is_found_in_every_question_that_has_it() -> None:
    quads = turtle(FAULTY)
    wrong = [
        one for one in violations(quads) if one.path == QALDGEN + "length" and one.value == "three"
    ]
    assert {one.focus for one in wrong} == {"http://x.org/a", "http://x.org/b"}


def test_violations_come_before_warnings() -> None:
    severities = [one.severity for one in violations(turtle(FAULTY))]
    assert severities == sorted(severities, key=["Violation", "Warning", "Info"].index)
    assert {"Violation", "Warning"} <= set(severities)


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "faulty.ttl"
    path.write_text(FAULTY, encoding="utf-8")
    assert without_labels(seen(violations(path))) == without_labels(
        seen(violations(turtle(FAULTY)))
    )


def test_a_file_that_is_no_rdf_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "broken.ttl"
    path.write_text("this is no Turtle", encoding="utf-8")
    with pytest.raises(DataError, match=r"broken\.ttl"):
        violations(path)


def test_annotated_questions_are_valid() -> None:
    asked = Question(
        "1",
        {"en": ("How long is the Amber River?",)},
        queries={"": "SELECT ?l { <http://x.org/A> <http://x.org/l> ?l }"},
    )
    made = annotate(QuestionSet("rivers.json", "qald-json", (asked,)))
    assert violations([pyoxigraph.Quad(*statement) for statement in made.statements]) == []  # type: ignore[arg-type]
