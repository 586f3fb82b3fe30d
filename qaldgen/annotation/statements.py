"""Question sets, questions and their features as RDF: as statements, or as Turtle at once."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias
from urllib.parse import quote

from pyoxigraph import Literal, NamedNode

from qaldgen import __version__
from qaldgen.errors import DataError
from qaldgen.features.catalogue import Feature, all_features
from qaldgen.features.own_columns import own_columns
from qaldgen.features.query.query_features import FeatureValue, FeatureValues
from qaldgen.features.r1_compat import legacy_statements, legacy_terms
from qaldgen.features.vocabulary import feature_terms
from qaldgen.model import Question, QuestionSet
from qaldgen.questions.rdf_questions import DOCUMENT_INDEX
from qaldgen.questions.results_json import whole_answers_json
from qaldgen.rdf.terms import (
    BASE,
    LSQ,
    QALDGEN,
    RDF_JSON,
    Statement,
    Term,
    column_name,
    prefixed,
    turtle_block,
    turtle_part,
    typed_literal,
    with_turtle_parts,
)


def set_name(questions: QuestionSet) -> str:
    """Return the name of a set in IRIs: the name of its file, without endings."""
    return _short_name(questions.name)


@functools.cache
def _short_name(name: str) -> str:
    """Return the name of a file without endings, with dashes for other characters."""
    stem = re.sub(r"(\.(json|jsonl|xml|tsv|csv|ttl|nt|yaml|yml|zip|gz|bz2))+$", "", name)
    return re.sub(r"[^\w-]+", "-", stem) or "set"


def question_iri(questions: QuestionSet, question: Question) -> str:
    """Return the IRI of a question in the data, or one made of the name of the set and its id."""
    if question.iri:
        return question.iri
    quoted_id = quote(question.id, safe="")  # without exceptions, as an id may contain a slash
    return f"{BASE}question/{set_name(questions)}/{quoted_id}"


def set_iri(questions: QuestionSet) -> NamedNode:
    """Return the IRI of a question set."""
    return NamedNode(f"{BASE}dataset/{set_name(questions)}")


#: Name, type and value of a feature; True and 1 are equal, but differ in RDF.
_ValueKey: TypeAlias = tuple[str, type, FeatureValue]
#: Values whose Turtle is kept, because many questions share them.
_KEPT_PARTS = 50_000


def turtle_blocks(
    questions: QuestionSet, values: Iterable[FeatureValues], *, r1_compat: bool
) -> Iterator[str]:
    """Yield the statements of each question as Turtle; frequent values are written only once."""
    features_by_name = _written_features(questions, r1_compat=r1_compat)
    parts_by_value: dict[_ValueKey, str] = {}
    for question, features in zip(questions.questions, values, strict=True):
        parts = []
        for name, value in features.items():
            if name not in features_by_name:
                continue
            key = (name, type(value), value)
            if key not in parts_by_value:
                feature, predicate = features_by_name[name]
                if len(parts_by_value) >= _KEPT_PARTS:
                    parts_by_value.clear()  # most are labels and IRIs that no other question has
                parts_by_value[key] = turtle_part(predicate, list(feature_terms(feature, value)))
            parts.append(parts_by_value[key])
        block_start = turtle_block(_question_statements(questions, question))
        origin = _origin_statements(questions, question, features, r1_compat=r1_compat)
        parts += [turtle_part(predicate, [value]) for _, predicate, value in origin]
        yield with_turtle_parts(block_start, filter(None, parts))


def _written_features(
    questions: QuestionSet, *, r1_compat: bool
) -> dict[str, tuple[Feature, NamedNode]]:
    """Return the features to write, by name, with their predicates."""
    hidden = legacy_terms() if r1_compat else frozenset()
    features = all_features() | own_columns(questions.questions, set_name(questions))
    return {
        name: (feature, NamedNode(feature.term))
        for name, feature in features.items()
        if feature.term not in hidden
    }


def _origin_statements(
    questions: QuestionSet, question: Question, values: FeatureValues, *, r1_compat: bool
) -> Iterator[tuple[NamedNode, NamedNode, Term]]:
    """Yield statements on the origin of a question; with `r1_compat` its published properties."""
    subject = NamedNode(question_iri(questions, question))
    if not r1_compat:
        yield subject, NamedNode(QALDGEN + "questionOrigin"), set_iri(questions)
        return
    for predicate, term in legacy_statements(question, values, set_name(questions)):
        yield subject, predicate, term


def statements_of(
    questions: QuestionSet, values: Sequence[FeatureValues], *, r1_compat: bool
) -> Iterator[Statement]:
    """Yield the statements on the questions of a set: their data, features and origin."""
    features_by_name = _written_features(questions, r1_compat=r1_compat)
    for question, features in zip(questions.questions, values, strict=True):
        subject = NamedNode(question_iri(questions, question))
        yield from _question_statements(questions, question)
        for name, value in features.items():
            if name not in features_by_name:
                continue
            feature, predicate = features_by_name[name]
            for term in feature_terms(feature, value):
                yield subject, predicate, term
        yield from _origin_statements(questions, question, features, r1_compat=r1_compat)


def set_statements(questions: QuestionSet, language: str) -> Iterator[Statement]:
    """Yield the statements on a set: DCAT and VoID for its content, PROV for its file."""
    root = set_iri(questions)
    source = NamedNode(root.value + "#source")
    activity = NamedNode(root.value + "#annotation")
    statements: list[tuple[NamedNode, str, Term]] = [
        (root, "rdf:type", prefixed("dcat:Dataset")),
        (root, "rdf:type", prefixed("void:Dataset")),
        (root, "dct:title", Literal(set_name(questions))),
        (root, "void:entities", typed_literal(len(questions), "integer")),
        (root, "prov:wasDerivedFrom", source),
        (root, "prov:wasGeneratedBy", activity),
        (source, "rdf:type", prefixed("prov:Entity")),
        (source, "dct:title", Literal(questions.name)),
        (source, "dct:format", Literal(questions.format)),
        (activity, "rdf:type", prefixed("prov:Activity")),
        (activity, "qaldgen:version", Literal(f"qaldgen {__version__}")),
        (activity, "dct:language", Literal(language)),
    ]

    if questions.licence:
        statements.append((root, "dct:license", NamedNode(questions.licence)))
    if questions.edition:
        gold_source = NamedNode(root.value + "#gold")
        date, _, gold_name = questions.edition.split("@")
        statements += [
            (root, "prov:wasDerivedFrom", gold_source),
            (gold_source, "rdf:type", prefixed("prov:Entity")),
            (gold_source, "prov:generatedAtTime", typed_literal(date, "dateTime")),
            (gold_source, "dct:source", Literal(gold_name)),
            (gold_source, "qaldgen:goldEdition", Literal(questions.edition)),
        ]
    if questions.sha256:
        checksum = NamedNode(root.value + "#checksum")
        statements += [
            (source, "spdx:checksum", checksum),
            (checksum, "rdf:type", prefixed("spdx:Checksum")),
            (checksum, "spdx:algorithm", prefixed("spdx:checksumAlgorithm_sha256")),
            (checksum, "spdx:checksumValue", typed_literal(questions.sha256, "hexBinary")),
        ]

    for column in own_columns(questions.questions, set_name(questions)).values():
        property_ = NamedNode(column.term)
        statements += [
            (property_, "rdf:type", prefixed("rdf:Property")),
            (property_, "rdfs:label", Literal(column_name(column.term))),
            (property_, "rdfs:comment", Literal(column.definition, language="en")),
            (property_, "rdfs:domain", prefixed("qaldgen:Question")),
            (property_, "rdfs:range", prefixed(f"xsd:{column.kind}")),
            (property_, "rdfs:isDefinedBy", root),
        ]

    return ((subject, prefixed(short), value) for subject, short, value in statements)


def _question_statements(questions: QuestionSet, question: Question) -> Iterator[Statement]:
    """Yield the statements on the data of a question: texts, queries, answers."""
    subject = NamedNode(question_iri(questions, question))
    yield subject, prefixed("rdf:type"), NamedNode(QALDGEN + "Question")
    yield subject, prefixed("dct:identifier"), Literal(question.id)
    yield subject, prefixed("prov:wasDerivedFrom"), NamedNode(set_iri(questions).value + "#source")

    for language, wordings in question.texts.items():
        for wording in wordings:
            # The first text is the main one; a question has one per language.
            name = "text" if wording == wordings[0] else "alternativeText"
            text = tagged_text(wording, language, questions, question)
            yield subject, NamedNode(QALDGEN + name), text

    for language, keywords in question.keywords.items():
        text = tagged_text(keywords, language, questions, question)
        yield subject, NamedNode(QALDGEN + "keywords"), text

    for query in filter(None, dict.fromkeys(question.queries.values())):
        # LSQ's property for the query that the features are computed from.
        name = LSQ + "text" if query == question.sparql else QALDGEN + "alternativeQuery"
        yield subject, NamedNode(name), Literal(query)

    if question.answers is not None:
        answers = json.dumps(whole_answers_json(question.answers), ensure_ascii=False)
        yield subject, NamedNode(QALDGEN + "answers"), Literal(answers, datatype=RDF_JSON)

    # so that a sample can still be used to score retrieval
    for passage in dict.fromkeys(question.said("relevant_passages").split()):
        yield subject, NamedNode(QALDGEN + "relevantPassage"), Literal(passage)

    # so that a sample can still be asked as a subset of the task it is from
    index = question.said(DOCUMENT_INDEX)
    if index.isdecimal():
        yield subject, NamedNode(QALDGEN + "documentIndex"), typed_literal(int(index), "integer")

    for system in question.chosen_by:
        yield subject, prefixed("qaldgen:chosenBy"), Literal(system)


def tagged_text(text: str, language: str, questions: QuestionSet, question: Question) -> Literal:
    """Return a text with its language tag."""
    try:
        return Literal(text, language=language)
    except ValueError as error:
        raise DataError(
            f"{language!r} is not a language tag; RDF needs BCP 47 tags, such as en or pt-BR;"
            " correct it in the data",
            where=(questions.name, f"question {question.id}"),
        ) from error
