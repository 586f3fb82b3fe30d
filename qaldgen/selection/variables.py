"""The features that the variables of a query hold, and what people call them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qaldgen.errors import QaldgenError
from qaldgen.features.catalogue import all_features
from qaldgen.features.labels import label_of, value_in_words
from qaldgen.rdf.own_columns import column_name
from qaldgen.rdf.terms import last_part
from qaldgen.selection.vectors import Vectors
from qaldgen.sparql.clauses import Element, group_elements, question_variable, split_select
from qaldgen.sparql.ready_queries import Query
from qaldgen.sparql.tokens import expanded_name, prologue, tokens

#: Nested groups are read down to this depth: the text of a group is read once for each level, and
#: a query that a program wrote may have thousands.
_MAX_DEPTH = 6


def columns_in_words(vectors: Vectors) -> list[str]:
    """Return what people call the columns of a selection, as pictures and tables show them.

    >>> import numpy as np
    >>> raw = np.ones((1, 2))
    >>> columns_in_words(Vectors(("urn:a",), ("tpCount", "whType=yes-no"), raw, raw, "max"))
    ['number of triple patterns', 'asks yes or no']
    """
    features = features_of_variables(vectors.query)
    words = []
    for column in vectors.features:
        variable, equals, value = column.partition("=")
        name = features.get(variable, variable)
        words.append(value_in_words(name, value) if equals else label_of(name))
    # two variables may hold one feature, as a number and as a flag of it
    names = []
    for word, column in zip(words, vectors.features, strict=True):
        names.append(f"{word} (?{column})" if words.count(word) > 1 else word)
    return names


def features_of_variables(query: Query | None) -> dict[str, str]:
    """Return which variables of a query hold a feature as it is in the data.

    >>> query = "PREFIX lsq: <http://lsq.aksw.org/vocab#> SELECT ?q ?n "
    >>> query += "{ OPTIONAL { ?q lsq:tpCount ?t } BIND (COALESCE(?t, 0) AS ?n) }"
    >>> features_of_variables(Query("mine", query))["n"]
    'tpCount'
    """
    if query is None:
        return {}
    try:
        _, prefixes, _ = prologue(tokens(query.text))
        parts = split_select(query.text)
        projected = [token.text[1:] for token in tokens(parts.projection) if token.text[0] in "?$"]
        question = question_variable(query.text, projected) if projected else "qId"
        elements = list(_elements(parts.where))
    except QaldgenError:
        return {}  # what does not parse has no words; who runs the query says why
    features: dict[str, str] = {}
    for element in elements:
        words = [token.text for token in tokens(element.text)]
        if element.kind == "BIND":
            source, target = _filled(words)
            if source in features:
                features[target] = features[source]
        elif len(words) == 3 and words[0][1:] == question and words[2][0] in "?$":
            iri = words[1] if words[1][0] == "<" else expanded_name(words[1], prefixes)
            if iri is not None:
                features.setdefault(words[2][1:], feature_name(iri[1:-1]))
    return features


def _filled(words: Sequence[str]) -> tuple[str, str]:
    """Return the variables of a BIND that only fills in missing values; empty texts for any other.

    >>> _filled("BIND ( COALESCE ( ?x , 0 ) AS ?y )".split())
    ('x', 'y')
    """
    start = [word.upper() for word in words[:4]]
    if len(words) < 8 or start[0] != "BIND" or start[2:] != ["COALESCE", "("]:
        return "", ""
    variables = [word[1:] for word in words[4:-4] if word[0] in "?$"]
    if len(variables) != 1 or words[5] != ",":
        return "", ""
    return variables[0], words[-2][1:]


def _elements(where: str, depth: int = _MAX_DEPTH) -> Iterator[Element]:
    """Yield the elements of a group, and of the groups and subqueries in it."""
    first = next(iter(tokens(where)), None)
    if first is not None and first.word == "SELECT":
        where = split_select(where).where
    for element in group_elements(where):
        opening = element.text.find("{")
        if depth and opening >= 0 and element.kind in {"OPTIONAL", "GROUP", "GRAPH"}:
            inner = element.text[opening + 1 : element.text.rindex("}")]
            yield from _elements(inner, depth - 1)
        else:
            yield element


def feature_name(iri: str) -> str:
    """Return the name of a feature by its property, or else the last part of the IRI.

    >>> feature_name("http://lsq.aksw.org/vocab#tpCount"), feature_name("http://x.org/my#size")
    ('tpCount', 'size')
    """
    for name, feature in all_features().items():
        if feature.term == iri:
            return name
    local = last_part(iri).rpartition(":")[2]  # of a URN, too
    return column_name(iri) or local or iri
