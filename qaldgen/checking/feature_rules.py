"""Rules on questions with features in RDF that SHACL cannot check: they need all questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from pyoxigraph import Literal, NamedNode

from qaldgen.checking.findings import Case, Hit, shown
from qaldgen.formats.rdf_questions import TEXT_PROPERTIES
from qaldgen.rdf.rdf_file import RdfFile
from qaldgen.rdf.terms import LSQ, PREFIXES, QALDGEN, Term, python_value, term_text

#: Property to question to values.
Columns: TypeAlias = Mapping[str, Mapping[str, list[Term]]]
#: The number of questions from which equal values are unlikely to be a coincidence.
_ENOUGH = 20
#: Properties with texts, in which anything may occur.
_LONG = {
    *TEXT_PROPERTIES,
    LSQ + "text",
    LSQ + "answers",
    QALDGEN + "answersText",
    QALDGEN + "answers",
}
_KINDS = {"Entity": "totalEntities", "Relation": "totalRelations", "Class": "totalClasses"}


def read_columns(path: Path) -> Columns:
    """Return the properties of the subjects that have a text."""
    columns: dict[str, dict[str, list[Term]]] = {}
    for quad in RdfFile(path).quads():
        if isinstance(quad.subject, NamedNode):
            columns.setdefault(quad.predicate.value, {}).setdefault(quad.subject.value, []).append(
                quad.object
            )
    questions = {iri for name in TEXT_PROPERTIES for iri in columns.get(name, ())}
    kept = {
        name: {iri: terms for iri, terms in column.items() if iri in questions}
        for name, column in columns.items()
    }
    return {name: column for name, column in kept.items() if column}


def empty_values(case: Case) -> Iterator[Hit]:
    """Find properties with empty texts instead of missing values."""
    yield from _by_property(case, lambda term: not term.value.strip(), "is an empty string")


def placeholders(case: Case) -> Iterator[Hit]:
    """Find properties with placeholders for missing values."""
    yield from _by_property(case, lambda term: "@@@" in term.value, "contains the placeholder @@@")


def trailing_commas(case: Case) -> Iterator[Hit]:
    """Find properties with several values packed into one text that ends in a comma."""
    yield from _by_property(
        case,
        lambda term: term.value.rstrip().endswith(","),
        "is a list packed into one text, with a trailing comma",
    )


def iris_as_text(case: Case) -> Iterator[Hit]:
    """Find properties with IRIs written as text."""
    yield from _by_property(
        case,
        lambda term: term.value.startswith(("http://", "https://")),
        "is an IRI written as text",
    )


def _by_property(case: Case, is_wrong: Callable[[Literal], bool], what: str) -> Iterator[Hit]:
    for name, column in sorted(case.columns.items()):
        wrong = [
            iri
            for iri, terms in column.items()
            if any(_is_text(term) and is_wrong(term) for term in terms)  # type: ignore[arg-type]
        ]
        if wrong and name not in _LONG:
            yield Hit(
                "",
                f"{short(name)} {what} in {len(wrong):,} of {len(column):,} questions (first:"
                f" {wrong[0]})",
            )


def _is_text(term: Term) -> bool:
    return isinstance(term, Literal) and term.datatype.value in {
        PREFIXES["xsd"] + "string",
        PREFIXES["rdf"] + "langString",
    }


def constants(case: Case) -> Iterator[Hit]:
    """Find numbers and flags with the same value in all questions."""
    for name, column in sorted(case.columns.items()):
        values = {term for terms in column.values() for term in terms}
        if (
            len(values) == 1
            and len(column) >= _ENOUGH
            and not isinstance(python_value(*values), str)
        ):
            yield Hit(
                "",
                f"{short(name)} is {term_text(*values)} for all "
                f"{len(column):,} questions that have it",
            )


def copies(case: Case) -> Iterator[Hit]:
    """Find flags of a second entity, relation or class that always equal those of the first."""
    for kind, total in _KINDS.items():
        first, second = (case.columns.get(f"{QALDGEN}isExplicit{kind}{n}", {}) for n in (1, 2))
        totals = case.columns.get(QALDGEN + total, {})
        both = [iri for iri in second if iri in first and _number(totals.get(iri)) >= 2]
        if len(both) >= _ENOUGH and all(
            term_text(first[iri][0]) == term_text(second[iri][0]) for iri in both
        ):
            yield Hit(
                "",
                f"qaldgen:isExplicit{kind}2 equals isExplicit{kind}1 for all {len(both):,}"
                " questions with both",
            )


def totals_without_names(case: Case) -> Iterator[Hit]:
    """Find questions with a number of entities, relations or classes, but no names."""
    for kind, total in _KINDS.items():
        names = case.columns.get(f"{QALDGEN}{kind.lower()}1", {})
        totals = case.columns.get(QALDGEN + total, {})
        wrong = [
            iri
            for iri, terms in names.items()
            if not term_text(terms[0]).strip() and _number(totals.get(iri)) > 0
        ]
        if wrong:
            yield Hit(
                "",
                f"qaldgen:{total} is above 0 but {kind.lower()}1 is empty in {len(wrong):,}"
                f" questions (first: {wrong[0]})",
            )


def unknown_answer_types(case: Case) -> Iterator[Hit]:
    """Find answer types with unknown names."""
    column = case.columns.get(QALDGEN + "answerType", {})
    counts = Counter(
        term_text(term).rpartition("/answerType/")[2] or term_text(term)
        for terms in column.values()
        for term in terms
    )
    odd = {
        name: count
        for name, count in counts.items()
        if name not in {"boolean", "number", "date", "string", "resource"}
    }
    yield from (
        Hit("", f"qaldgen:answerType is {shown(name)} in {count:,} questions")
        for name, count in sorted(odd.items())
    )


def short(iri: str) -> str:
    """Return an IRI with its usual prefix.

    >>> short("http://lsq.aksw.org/vocab#tps")
    'lsq:tps'
    """
    for prefix, namespace in PREFIXES.items():
        if iri.startswith(namespace):
            return f"{prefix}:{iri.removeprefix(namespace)}"
    return iri


def _number(terms: list[Term] | None) -> float:
    value = term_text(terms[0]) if terms else ""
    return float(value) if value.replace(".", "", 1).isdigit() else 0.0
