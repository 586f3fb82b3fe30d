"""The features that the variables of a query hold, and their labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from qaldgen.errors import QaldgenError
from qaldgen.features.catalogue import all_features
from qaldgen.features.labels import label_of, value_phrase
from qaldgen.rdf.terms import column_name, last_part
from qaldgen.selection.vectors import Vectors
from qaldgen.sparql.clauses import (
    Element,
    group_elements,
    question_variable,
    split_select,
    variables_in,
)
from qaldgen.sparql.ready_queries import Query
from qaldgen.sparql.tokens import expand_name, read_prologue, tokenize

#: Nested groups are read down to this depth: the text of a group is read once for each level, and
#: a query that a program wrote may have thousands.
_MAX_DEPTH = 6


def column_labels(vectors: Vectors) -> list[str]:
    """Return the labels of the columns of a selection, for pictures and tables.

    >>> import numpy as np
    >>> raw = np.ones((1, 2))
    >>> column_labels(Vectors(("urn:a",), ("tpCount", "whType=yes-no"), raw, raw, "max"))
    ['number of triple patterns', 'asks yes or no']
    """
    features = features_of_variables(vectors.query)
    labels = []
    for column in vectors.features:
        variable, equals, value = column.partition("=")
        name = features.get(variable, variable)
        if equals:
            labels.append(value_phrase(name, value))
        else:
            labels.append(label_of(name))
    # two variables may hold one feature, as a number and as a flag of it
    unique_labels = []
    for label, column in zip(labels, vectors.features, strict=True):
        if labels.count(label) > 1:
            label = f"{label} (?{column})"
        unique_labels.append(label)
    return unique_labels


def features_of_variables(query: Query | None) -> dict[str, str]:
    """Return the name of the feature that each variable of a query holds unchanged.

    >>> query = "PREFIX lsq: <http://lsq.aksw.org/vocab#> SELECT ?q ?n "
    >>> query += "{ OPTIONAL { ?q lsq:tpCount ?t } BIND (COALESCE(?t, 0) AS ?n) }"
    >>> features_of_variables(Query("mine", query))["n"]
    'tpCount'
    """
    if query is None:
        return {}

    try:
        prefixes = read_prologue(tokenize(query.text)).prefixes
        clauses = split_select(query.text)
        projected = variables_in(clauses.projection)
        question = question_variable(query.text, projected) if projected else "qId"
        elements = list(_nested_elements(clauses.where))
    except QaldgenError:
        return {}  # running the query reports what does not parse

    features: dict[str, str] = {}
    for element in elements:
        parts = [token.text for token in tokenize(element.text)]
        if element.kind == "BIND":
            default = _read_default(parts)
            if default is not None and default.source in features:
                features[default.target] = features[default.source]
        elif len(parts) == 3 and parts[0][1:] == question and parts[2][0] in "?$":
            iri = parts[1] if parts[1][0] == "<" else expand_name(parts[1], prefixes)
            if iri is not None:
                features.setdefault(parts[2][1:], feature_name(iri[1:-1]))

    return features


class _Default(NamedTuple):
    """A BIND that only fills in the missing values of a variable."""

    source: str
    target: str  # the variable with the default value


def _read_default(parts: Sequence[str]) -> _Default | None:
    """Return the variables of a BIND that only fills in missing values; None for any other.

    >>> _read_default("BIND ( COALESCE ( ?x , 0 ) AS ?y )".split())
    _Default(source='x', target='y')
    """
    opening = [word.upper() for word in parts[:4]]
    if len(parts) < 8 or opening[0] != "BIND" or opening[2:] != ["COALESCE", "("]:
        return None
    variables = [word[1:] for word in parts[4:-4] if word[0] in "?$"]
    if len(variables) != 1 or parts[5] != ",":
        return None
    return _Default(variables[0], parts[-2][1:])


def _nested_elements(where: str, depth: int = _MAX_DEPTH) -> Iterator[Element]:
    """Yield the elements of a group, and of the groups and subqueries in it."""
    first_token = next(iter(tokenize(where)), None)
    if first_token is not None and first_token.word == "SELECT":
        where = split_select(where).where
    for element in group_elements(where):
        opening = element.text.find("{")
        if depth and opening >= 0 and element.kind in {"OPTIONAL", "GROUP", "GRAPH"}:
            inner = element.text[opening + 1 : element.text.rindex("}")]
            yield from _nested_elements(inner, depth - 1)
        else:
            yield element


def feature_name(iri: str) -> str:
    """Return the name of the feature with a property; if there is none, the last part of the IRI.

    >>> feature_name("http://lsq.aksw.org/vocab#tpCount"), feature_name("http://x.org/my#size")
    ('tpCount', 'size')
    """
    for name, feature in all_features().items():
        if feature.term == iri:
            return name
    local = last_part(iri).rpartition(":")[2]  # of a URN, too
    return column_name(iri) or local or iri
