"""The questions of a data set for the page: their texts, and each property as a histogram."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pyoxigraph import Literal, NamedNode

from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError
from qaldgen.features.catalogue import all_features
from qaldgen.features.labels import label_of, value_phrase
from qaldgen.io.text import natural_key
from qaldgen.rdf.terms import (
    BENCHMARK_PROPERTIES,
    CODES,
    TEXT_PROPERTIES,
    Term,
    last_part,
    python_value,
)
from qaldgen.selection.variables import feature_name
from qaldgen.stores.local import DataSource

#: The most bars of a histogram of numbers.
MAX_BINS = 24
#: The most values of a category with a histogram.
MAX_CATEGORIES = 40
#: The index of the bin of questions without a value.
NONE = 255
#: Numbers whose maximum is more than this times their median get bins of equal width in the
#: logarithm.
_SKEWED_FACTOR = 20.0


class Bin(NamedTuple):
    """A bar of a histogram."""

    label: str  # its label, for people
    #: The least and the greatest number that questions have in it.
    low: float | None
    high: float | None
    #: For numbers the least and the greatest term, for categories all terms of the bin.
    terms: tuple[Literal | NamedNode, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class Column:
    """A property of questions as a histogram."""

    property: str  # its IRI
    name: str  # its technical name
    label: str  # its label, for people
    kind: str  # ``number`` or ``category``
    bins: tuple[Bin, ...]  # from left to right
    codes: NDArray[np.uint8]  # by question the index of its bin; `NONE` without a value


@dataclasses.dataclass(frozen=True, eq=False)
class Histograms:
    """Questions to look at."""

    ids: tuple[str, ...]  # their IRIs, in natural order
    texts: tuple[str, ...]  # their texts
    columns: tuple[Column, ...]  # the properties that have a histogram
    #: Number of properties without a histogram: texts, names, several values for one question, or
    #: the same value for all.
    left_out: int


def make_histograms(source: DataSource) -> Histograms:
    """Read the questions of a data set with all properties that make a histogram.

    >>> import rdflib
    >>> from qaldgen.stores.local import open_graph
    >>> data = "<urn:a> <https://schema.org/text> 'How long?'@en ; <https://example.org/words> 2 . "
    >>> data += "<urn:b> <https://schema.org/text> 'Who?'@en ; <https://example.org/words> 1 ."
    >>> graph = open_graph(rdflib.Graph().parse(data=data, format="turtle"))
    >>> column = make_histograms(graph).columns[0]
    >>> column.name, [bar.label for bar in column.bins], column.codes.tolist()
    ('words', ['1', '2'], [1, 0])
    """
    texts = _read_texts(source)
    ids = sorted(texts, key=natural_key)

    # numbers, and properties with few values, may have a histogram
    candidates = []
    n_properties = 0
    query = "SELECT ?p (COUNT(DISTINCT ?o) AS ?n) (SAMPLE(?o) AS ?one) { ?q ?p ?o } GROUP BY ?p"
    for predicate, count, value in source.select(query).rows:
        iri = getattr(predicate, "value", "")
        if iri in TEXT_PROPERTIES or iri in BENCHMARK_PROPERTIES or iri == "":
            continue
        n_properties += 1
        is_number = isinstance(value, Literal) and not isinstance(python_value(value), str)
        has_few_values = int(getattr(count, "value", "0")) <= MAX_CATEGORIES
        if is_number or (has_few_values and isinstance(value, Literal | NamedNode)):
            candidates.append(iri)

    columns = []
    if candidates:
        for iri, pairs in _read_values(source, candidates, ids).items():
            column = _make_column(iri, pairs, len(ids)) if pairs else None
            if column is not None:
                columns.append(column)
    # features of the catalogue first, in its order
    rank_by_name = {name: rank for rank, name in enumerate(all_features())}
    columns.sort(key=lambda column: (rank_by_name.get(column.name, len(rank_by_name)), column.name))
    return Histograms(
        ids=tuple(ids),
        texts=tuple(texts[iri] for iri in ids),
        columns=tuple(columns),
        left_out=n_properties - len(columns),
    )


def _read_values(
    source: DataSource, properties: Sequence[str], ids: Sequence[str]
) -> dict[str, list[tuple[Term, list[int]]]]:
    """Return the values of each property, each with the rows of the questions that have it."""
    values: dict[str, list[tuple[Term, list[int]]]] = {iri: [] for iri in properties}
    row_by_iri = {iri: row for row, iri in enumerate(ids)}
    iris = " ".join(str(NamedNode(iri)) for iri in properties)
    # grouped, as a row for each statement would take three times as long
    query = (
        f"SELECT ?p ?o (GROUP_CONCAT(STR(?q); separator=' ') AS ?all) {{ VALUES ?p {{ {iris} }} "
        "?q ?p ?o FILTER (isIRI(?q)) } GROUP BY ?p ?o"
    )
    for predicate, term, subjects in source.select(query).rows:
        if isinstance(predicate, NamedNode) and isinstance(subjects, Literal) and term is not None:
            names = subjects.value.split(" ")
            questions = [row_by_iri[name] for name in names if name in row_by_iri]
            if questions:
                values[predicate.value].append((term, questions))
    return values


def _read_texts(source: DataSource) -> dict[str, str]:
    """Return the texts of questions by IRI, of several that in our language."""
    properties = " ".join(str(NamedNode(iri)) for iri in TEXT_PROPERTIES)
    texts: dict[str, tuple[bool, str]] = {}
    rows = source.select(f"SELECT ?q ?text {{ VALUES ?p {{ {properties} }} ?q ?p ?text }}").rows
    for subject, text in rows:
        if isinstance(subject, NamedNode) and isinstance(text, Literal):
            is_ours = (text.language or LANGUAGE).partition("-")[0] == LANGUAGE
            if subject.value not in texts or (is_ours and not texts[subject.value][0]):
                texts[subject.value] = (is_ours, text.value)
    if not texts:
        raise DataError(
            f"no subject has a text ({TEXT_PROPERTIES[0]} or schema:text), so there is no question"
            " to look at",
            where=source.name,
        )
    return {iri: text for iri, (_, text) in texts.items()}


def _make_column(iri: str, pairs: Sequence[tuple[Term, list[int]]], total: int) -> Column | None:
    """Return the histogram of a property from its values and their questions; None without one."""
    terms = [term for term, _ in pairs]
    if not all(isinstance(term, Literal | NamedNode) for term in terms):
        return None
    questions = np.concatenate([np.array(rows) for _, rows in pairs])
    if np.bincount(questions).max() > 1:  # a question has several values
        return None

    name = feature_name(iri)
    values = [python_value(term) for term in terms]
    if all(isinstance(value, float) and math.isfinite(value) for value in values):
        kind = "number"
        bins, bin_indices = _number_bins(terms, np.array(values, dtype=float))  # type: ignore[arg-type]
    elif len(terms) <= MAX_CATEGORIES:
        kind = "category"
        # terms with the same label share a bin
        labels = [_label_term(term, name) for term in terms]  # type: ignore[arg-type]
        distinct_labels = sorted(set(labels), key=natural_key)
        bin_indices = np.array([distinct_labels.index(label) for label in labels])
        bins = tuple(
            Bin(label, None, None, tuple(itertools.compress(terms, bin_indices == index)))  # type: ignore[arg-type]
            for index, label in enumerate(distinct_labels)
        )
    else:
        return None

    if len(bins) < 2 and len(questions) == total:
        return None

    codes = np.full(total, NONE, dtype=np.uint8)
    codes[questions] = np.repeat(bin_indices, [len(rows) for _, rows in pairs])
    return Column(iri, name, label=label_of(name), kind=kind, bins=bins, codes=codes)


def _label_term(term: Literal | NamedNode, feature: str) -> str:
    """Return the label of a value of a feature, for people."""
    if isinstance(term, NamedNode):
        if not term.value.startswith(CODES):
            return last_part(term.value) or term.value
        label = value_phrase(feature, last_part(term.value))
        return label.removeprefix(f"{label_of(feature)}: ")
    value = python_value(term)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value) or "(empty)"


def _number_bins(
    terms: Sequence[Literal], values: NDArray[np.float64]
) -> tuple[tuple[Bin, ...], NDArray[np.intp]]:
    """Return the bins of numbers, and the index of the bin of each number."""
    distinct = np.unique(values)
    least = distinct[0]
    greatest = distinct[-1]
    median = float(np.median(distinct))

    if len(distinct) <= MAX_BINS:
        bin_indices = np.searchsorted(distinct, values)
    else:
        edges = np.linspace(least, greatest, MAX_BINS + 1)[1:-1]
        if least >= 0 and median > 0 and greatest / median > _SKEWED_FACTOR:
            edges = np.expm1(np.linspace(np.log1p(least), np.log1p(greatest), MAX_BINS + 1)[1:-1])
        bin_indices = np.searchsorted(edges, values, side="right")
        # number the bins anew, without empty ones
        _, bin_indices = np.unique(bin_indices, return_inverse=True)
        bin_indices = bin_indices.ravel()

    bins = []
    for index in range(int(bin_indices.max()) + 1):
        rows = np.flatnonzero(bin_indices == index)
        low = rows[np.argmin(values[rows])]
        high = rows[np.argmax(values[rows])]

        label = f"{values[low]:.6g}"
        if label != f"{values[high]:.6g}":
            label = f"{label} to {values[high]:.6g}"
        ends = (terms[low], terms[high])
        bins.append(Bin(label, float(values[low]), float(values[high]), ends))

    return tuple(bins), bin_indices
