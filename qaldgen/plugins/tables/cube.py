"""Results as an RDF Data Cube in GERBIL's vocabulary.

One observation per system, and one per system and question.

GERBIL's own export swaps two properties: it writes the data set as ``gerbil:annotator`` and the
system as ``gerbil:dataset``. Here each has its own.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from urllib.parse import quote

from pyoxigraph import BlankNode, Literal, NamedNode

from qaldgen import __version__
from qaldgen.benchmark.gold import Gold
from qaldgen.rdf.terms import BASE, PREFIXES, Statement, Term, dump_turtle, typed_literal
from qaldgen.reports.tables.score_formats import ScoreFormat
from qaldgen.scoring.measures import MEASURES
from qaldgen.scoring.score import Scores, matched_by

_PREFIXES = {
    "gerbil": "http://w3id.org/gerbil/vocab#",
    "qb": "http://purl.org/linked-data/cube#",
    **{name: PREFIXES[name] for name in ("dct", "prov", "qaldgen", "rdf", "rdfs", "void", "xsd")},
}
#: The measures of a question by the columns of counts.
_QUESTION_MEASURES = {
    "precision": "precision", "recall": "recall", "f1": "f1",
    "tp": "truePositiveCount", "fp": "falsePositiveCount", "fn": "falseNegativeCount",
}  # fmt: skip
#: The dimensions that both data sets of observations share, and the class of their values.
_DIMENSIONS = {
    "experimentType": "gerbil:ExperimentType", "annotator": "prov:SoftwareAgent",
    "dataset": "void:Dataset",
    "matching": "gerbil:Matching",
}  # fmt: skip
_QUESTION_DIMENSIONS = {**_DIMENSIONS, "datasetElement": "qaldgen:Question"}


def dump_cube(gold: Gold, scored: Sequence[Scores]) -> bytes:
    """Return the results as Turtle; the same results give the same bytes.

    The output satisfies the integrity constraints of the Data Cube (W3C 2014), which require every
    measure in every observation: an undefined one (GERBIL's ``?``) is NaN. ``gerbil:errorCount`` is
    the number of questions that failed or timed out.
    """
    return dump_turtle(_statements(gold, scored), _PREFIXES)


def _statements(gold: Gold, scored: Sequence[Scores]) -> Iterator[Statement]:
    """Yield the statements of the Data Cube."""
    from qaldgen.annotation.statements import question_iri, set_name

    same_as = scored[0].rules.same_as
    language = scored[0].rules.language
    benchmark = gold.benchmark
    iri = benchmark.iri if benchmark else f"{BASE}dataset/{set_name(gold.questions)}"
    dataset = NamedNode(iri)

    content = [gold.questions.sha256, matched_by(scored), same_as, language]
    content += [scores.run.sha256 for scores in scored]
    digest = hashlib.sha256("\n".join(content).encode()).hexdigest()
    experiment = NamedNode(f"{BASE}experiment/{digest[:16]}")

    # the measures in GERBIL's vocabulary, with the property of each
    measures = {measure.gerbil: measure for measure in MEASURES.values() if measure.gerbil}
    yield from _describe_structure("#tasks", experiment, measures, _DIMENSIONS)
    yield from _describe_structure(
        "#questions", experiment, _QUESTION_MEASURES.values(), _QUESTION_DIMENSIONS
    )

    yield dataset, _term("rdf:type"), _term("void:Dataset")
    yield dataset, _term("dct:title"), Literal(gold.questions.name)

    matching = NamedNode(f"{BASE}matching/{matched_by(scored).replace(' and ', '+')}")
    yield matching, _term("rdf:type"), _term("gerbil:Matching")
    yield _term("gerbil:QA"), _term("rdf:type"), _term("gerbil:ExperimentType")
    label = f"{matched_by(scored, with_help=True)}; same as: {same_as}"
    yield matching, _term("rdfs:label"), Literal(label, language="en")

    yield experiment, _term("rdf:type"), _term("gerbil:Experiment")
    yield experiment, _term("qaldgen:version"), Literal(f"qaldgen {__version__}")
    yield experiment, _term("dct:language"), Literal(language)

    iri_by_id = {question.id: question_iri(gold.questions, question) for question in gold.questions}
    for scores in scored:
        system = NamedNode(f"{BASE}system/{quote(scores.name, safe='')}")
        yield system, _term("rdf:type"), _term("prov:SoftwareAgent")
        yield system, _term("rdfs:label"), Literal(scores.name)
        task = NamedNode(f"{experiment.value}#{quote(scores.name, safe='')}")
        yield experiment, _term("dct:hasPart"), task

        dimensions: dict[str, NamedNode] = {
            "experimentType": _term("gerbil:QA"),
            "annotator": system,
            "dataset": dataset,
            "matching": matching,
        }
        yield task, _term("rdf:type"), _term("qb:Observation")
        yield task, _term("rdf:type"), _term("gerbil:ExperimentTask")
        yield task, _term("qb:dataSet"), NamedNode(experiment.value + "#tasks")
        for name, value in dimensions.items():
            yield task, _term(f"gerbil:{name}"), value
        for name, measure in measures.items():
            yield task, _term(f"gerbil:{name}"), _decimal(measure.of(scores.counts))

        errors = int(scores.counts["status"].isin(["failed", "timeout"]).sum())
        yield task, _term("gerbil:errorCount"), typed_literal(errors, "integer")

        for number, (question_id, row) in enumerate(scores.counts.iterrows(), 1):
            answer = NamedNode(f"{task.value}/{number}")
            yield answer, _term("rdf:type"), _term("qb:Observation")
            yield answer, _term("qb:dataSet"), NamedNode(experiment.value + "#questions")
            yield answer, _term("gerbil:subExperimentOf"), task
            for name, value in dimensions.items():
                yield answer, _term(f"gerbil:{name}"), value
            yield answer, _term("gerbil:datasetElement"), NamedNode(iri_by_id[str(question_id)])
            for column, measure_name in _QUESTION_MEASURES.items():
                count: Term = _decimal(float(row[column]))
                if column in {"tp", "fp", "fn"}:
                    count = typed_literal(int(row[column]), "integer")
                yield answer, _term(f"gerbil:{measure_name}"), count


def _describe_structure(
    part: str, experiment: NamedNode, measures: Iterable[str], dimensions: Mapping[str, str]
) -> Iterator[Statement]:
    """Yield the statements on the dimensions and measures of a data set of observations."""
    observations = NamedNode(f"{experiment.value}{part}")
    structure = NamedNode(f"{experiment.value}{part}-structure")
    yield observations, _term("rdf:type"), _term("qb:DataSet")
    yield observations, _term("qb:structure"), structure
    yield structure, _term("rdf:type"), _term("qb:DataStructureDefinition")
    components = [("dimension", name) for name in dimensions]
    components += [("measure", name) for name in measures]
    for role, name in components:
        component = BlankNode(f"{part[1:]}{name}")
        yield structure, _term("qb:component"), component
        yield component, _term(f"qb:{role}"), _term(f"gerbil:{name}")
        yield _term(f"gerbil:{name}"), _term("rdf:type"), _term(f"qb:{role.capitalize()}Property")
        if role == "dimension":
            yield _term(f"gerbil:{name}"), _term("rdfs:range"), _term(dimensions[name])


def _term(short: str) -> NamedNode:
    """Return a term of a vocabulary by its short name, such as ``rdf:type``."""
    prefix, _, local = short.partition(":")
    return NamedNode(_PREFIXES[prefix] + local)


def _decimal(value: float) -> Term:
    """Return a number as xsd:decimal, and NaN as xsd:double, because decimals have none."""
    if math.isnan(value):
        return typed_literal("NaN", "double")
    if value % 1:
        return typed_literal(format(value, ".17f").rstrip("0") + "0", "decimal")
    return typed_literal(f"{value:.1f}", "decimal")


CUBE = ScoreFormat(dump_cube, "an RDF Data Cube in GERBIL's vocabulary, as Turtle")
