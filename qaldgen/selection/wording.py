"""What people call the variables of a query, and clusters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from qaldgen.errors import QaldgenError
from qaldgen.features.catalogue import all_features
from qaldgen.features.labels import cost_of, label_of, our_name, value_in_words
from qaldgen.rdf.own_columns import column_name
from qaldgen.rdf.terms import last_part
from qaldgen.selection.conditions import TableCondition, feature_conditions
from qaldgen.selection.vectors import Indices, Vectors
from qaldgen.sparql.clauses import Element, group_elements, question_variable, split_select
from qaldgen.sparql.ready_queries import Query
from qaldgen.sparql.tokens import expanded_name, prologue, tokens

if TYPE_CHECKING:
    import pandas as pd


#: Nested groups are read down to this depth: the text of a group is read once for each level, and
#: a query of a stranger may have thousands.
_DEEPEST = 6


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
            # in BIND ( COALESCE ( ?x , constant ) AS ?y ), ?y is ?x, but for missing values
            shape = [word.upper() for word in words[:4]]
            if len(words) < 8 or shape[:1] != ["BIND"] or shape[2:] != ["COALESCE", "("]:
                continue
            variables = [word[1:] for word in words[4:-4] if word[0] in "?$"]
            if len(variables) == 1 and words[5] == "," and variables[0] in features:
                features[words[-2][1:]] = features[variables[0]]
        elif len(words) == 3 and words[0][1:] == question and words[2][0] in "?$":
            iri = words[1] if words[1][0] == "<" else expanded_name(words[1], prefixes)
            if iri is not None:
                features.setdefault(words[2][1:], feature_name(iri[1:-1]))
    return features


def _elements(where: str, depth: int = _DEEPEST) -> Iterator[Element]:
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
    return column_name(iri) or last_part(iri) or iri


#: A name has at most this many conditions.
MOST_CONDITIONS = 3
#: A condition can name a cluster if at least this share of its questions fulfil it.
_TYPICAL = 0.6
#: The share must exceed that among the other questions by this much.
_DIFFERENCE = 0.2
#: Two conditions with a larger overlap (Jaccard) than this say the same thing.
_SAME = 0.6
#: Each step of `features.labels.cost_of` makes a condition a little worse as a name.
_CLARITY = 0.95


def cluster_names(table: pd.DataFrame, clusters: Indices) -> list[str]:
    """Return the name of each cluster; empty if no condition distinguishes it from the others.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"isCount": [True] * 3 + [False] * 9})
    >>> cluster_names(table, np.array([0] * 3 + [1] * 9))
    ['the query counts', 'the query does not count']
    """
    number = int(clusters.max(initial=-1)) + 1
    total = len(clusters)
    inside = clusters >= 0
    conditions: list[TableCondition] = []
    # a single cluster that all are in, as of a random sample, needs no name
    if number > 1 or not inside.all():
        features = all_features()
        for name in map(str, table.columns):
            feature = features.get(name)
            # free strings and IRIs have too many values, several values read badly in a name
            if feature is None or not (feature.several or feature.kind in {"string", "iri"}):
                conditions += feature_conditions(table[name])
    if not conditions:
        return [""] * number
    masks = np.column_stack([condition.mask for condition in conditions])
    having = np.column_stack(
        [np.bincount(clusters[inside], mask[inside], number) for mask in masks.T]
    )
    sizes = np.bincount(clusters[inside], minlength=number)[:, None]
    share = having / np.maximum(sizes, 1)
    difference = share - (masks.sum(axis=0) - having) / np.maximum(total - sizes, 1)
    clear = np.array([_CLARITY ** cost_of(condition.feature) for condition in conditions])
    fits = (share >= _TYPICAL) & (difference >= _DIFFERENCE) & (sizes > 1) & (sizes < total)
    # Rounded, so that ties are broken by the order of the columns and not by the last bit.
    strength = np.where(fits, difference * clear, 0.0).round(9)
    used = np.flatnonzero(strength.any(axis=0))
    # two conditions say the same if they share their feature, or most questions
    used_masks = masks[:, used]
    in_both = used_masks.T.astype(float) @ used_masks
    in_either = used_masks.sum(axis=0)[:, None] + used_masks.sum(axis=0) - in_both
    features_used = np.array([conditions[index].feature for index in used])
    alike = (features_used[:, None] == features_used) | (in_both > _SAME * in_either)
    names = []
    for row in strength[:, used]:
        chosen = list[int]()
        for index in np.argsort(-row, kind="stable").tolist():
            if row[index] and len(chosen) < MOST_CONDITIONS and not alike[index, chosen].any():
                chosen.append(index)
        names.append(", ".join(conditions[used[index]].words for index in chosen))
    return names


def vector_cluster_names(vectors: Vectors, clusters: Indices) -> list[str]:
    """Return the names of clusters of a selection, by the features that it selects."""
    import pandas as pd

    features = features_of_variables(vectors.query)
    columns: dict[str, list[Any]] = {}
    for column, values in zip(vectors.features, vectors.raw.T.tolist(), strict=True):
        variable, equals, value = column.partition("=")
        name = our_name(features.get(variable, variable))
        if not equals:
            columns[name] = values
            continue
        members = columns.setdefault(name, [frozenset()] * len(vectors))
        for row in np.flatnonzero(values):
            members[row] |= {value}
    return cluster_names(pd.DataFrame(columns, dtype=object), clusters)
