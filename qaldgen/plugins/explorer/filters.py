"""Filters on histograms, added to a selection query as SPARQL."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

from pyoxigraph import Literal, NamedNode

from qaldgen.errors import UsageError
from qaldgen.plugins.explorer.pools import Pool
from qaldgen.rdf.terms import PREFIXES, XSD
from qaldgen.sparql.clauses import find_question_variable, fresh_variables, with_patterns
from qaldgen.sparql.tokens import read_prologue, tokenize

Node: TypeAlias = Literal | NamedNode
_LOCAL = re.compile(r"[A-Za-z][\w-]*")
#: The patterns of literals that SPARQL writes without quotes, by their datatype.
_UNQUOTED = {
    f"{XSD}integer": re.compile(r"-?\d+"),
    f"{XSD}decimal": re.compile(r"-?\d+\.\d+"),
    f"{XSD}boolean": re.compile(r"true|false"),
}


class PropertyFilter(NamedTuple):
    """The values that a property may have: a number from `low` to `high`, or one of `values`."""

    property: str  # its IRI
    #: Both ends belong to the range.
    low: Node | None = None
    high: Node | None = None
    values: tuple[Node, ...] = ()  # for a category


def restrict_query(query: str, filters: Sequence[PropertyFilter]) -> str:
    """Return a selection query, restricted to the questions that pass all filters.

    >>> two = Literal("2", datatype=NamedNode(XSD + "integer"))
    >>> filters = [PropertyFilter("urn:n", low=two, high=two)]
    >>> print(restrict_query("SELECT ?qId ?n { ?qId <urn:n> ?n }", filters))
    SELECT ?qId ?n
    WHERE { ?qId <urn:n> ?n
        { ?qId <urn:n> ?filter1 . FILTER (?filter1 = 2) }
    }
    """
    _, prefixes, _ = read_prologue(tokenize(query))
    names = fresh_variables(query, "filter")

    lines = list[str]()
    question = f"?{find_question_variable(query)}"
    for filter_ in filters:
        variable = f"?{next(names)}"
        pattern = f"{question} {_shorten_iri(filter_.property, prefixes)} {variable} ."
        if filter_.low is None or filter_.high is None:
            values = " ".join(_write_term(value, prefixes) for value in filter_.values)
            test = f"VALUES {variable} {{ {values} }}"
        elif filter_.low == filter_.high:
            test = f"FILTER ({variable} = {_write_term(filter_.low, prefixes)})"
        else:
            low = _write_term(filter_.low, prefixes)
            high = _write_term(filter_.high, prefixes)
            test = f"FILTER ({variable} >= {low} && {variable} <= {high})"

        # in braces, as the pattern before it may end without a dot
        lines.append(f"{{ {pattern} {test} }}")

    if not lines:
        return query
    return with_patterns(query, lines)


def select_only(query: str, iris: Sequence[str]) -> str:
    """Return a selection query, restricted to some questions.

    >>> print(select_only("SELECT ?qId ?n { ?qId <urn:n> ?n }", ["urn:a"]).splitlines()[2])
        VALUES ?qId { <urn:a> }
    """
    nodes = " ".join(str(NamedNode(iri)) for iri in iris)
    return with_patterns(query, [f"VALUES ?{find_question_variable(query)} {{ {nodes} }}"])


def _write_term(term: Node, prefixes: dict[str, str]) -> str:
    """Return a term in SPARQL, without quotes and brackets where possible."""
    if isinstance(term, NamedNode):
        return _shorten_iri(term.value, prefixes)
    pattern = _UNQUOTED.get(term.datatype.value)
    if pattern is not None and pattern.fullmatch(term.value):
        return term.value
    return str(term)


def _shorten_iri(iri: str, prefixes: dict[str, str]) -> str:
    """Return an IRI with a prefix that the query declares, or in angle brackets."""
    for name, namespace in prefixes.items():
        local_name = iri.removeprefix(namespace)
        if local_name != iri and PREFIXES.get(name) == namespace and _LOCAL.fullmatch(local_name):
            return f"{name}:{local_name}"
    return str(NamedNode(iri))


def property_filters(
    pool: Pool, chosen_bins: Sequence[tuple[str, Sequence[int]]]
) -> list[PropertyFilter]:
    """Return the filters for bins that were chosen in histograms: pairs of property and indices."""
    columns = {column.property: column for column in pool.histograms.columns}
    filters = []
    for name, indices in chosen_bins:
        if name not in columns or not indices:
            raise UsageError("this data set has no histogram of this name", where=name)
        column = columns[name]
        if not all(0 <= index < len(column.bins) for index in indices):
            raise UsageError(f"{column.name}: has {len(column.bins)} bins")
        bins = [column.bins[index] for index in sorted(set(indices))]
        if column.kind == "number":
            filters.append(PropertyFilter(name, bins[0].terms[0], bins[-1].terms[-1]))
        else:
            terms = tuple(chain.from_iterable(bin_.terms for bin_ in bins))
            filters.append(PropertyFilter(name, values=terms))
    return filters
