"""Slices: named sets of questions, each also a SPARQL query, and the scores on them."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from pyoxigraph import Literal

from qaldgen.defaults import MEASURE, SEED
from qaldgen.errors import UsageError
from qaldgen.features.catalogue import feature_hint
from qaldgen.rdf.terms import PREFIXES, is_iri
from qaldgen.scoring.intervals import Interval, measure_intervals, question_weights
from qaldgen.scoring.mean_bounds import Flags
from qaldgen.selection.conditions import TableCondition, feature_conditions
from qaldgen.sparql.clauses import with_patterns
from qaldgen.sparql.ready_queries import with_choice

#: The name of the slice of all questions.
ALL = "(all)"


@dataclasses.dataclass(frozen=True)
class Slice:
    """A named set of questions."""

    name: str  # in words, for tables
    ids: tuple[str, ...]  # the questions
    where: str = ""  # the condition on ``?qId`` in SPARQL; empty if it is defined by the ids alone
    query: str = ""  # the query that defines it, if a user wrote one
    #: The phrase that people read, which completes "questions: ..."; empty if there is only the
    #: name.
    words: str = ""
    features: tuple[str, ...] = ()  # the features whose conditions it combines
    #: The systems whose low scores led to it; its queries name them.
    chosen_by: tuple[str, ...] = ()
    value: str = ""  # what the name says of the features; empty if it names none
    cluster: int | None = None  # the number of the cluster that it is

    def __len__(self) -> int:
        """Return the number of questions."""
        return len(self.ids)

    @functools.cached_property
    def members(self) -> frozenset[str]:
        """The questions as a set, to compare it with other slices."""
        return frozenset(self.ids)

    @property
    def label(self) -> str:
        """The phrase for people, or else the name."""
        return self.words or self.name

    @property
    def condition(self) -> str:
        """The condition on ``?qId`` in SPARQL: `where`, or else the list of ids."""
        if self.where:
            return self.where
        ids = " ".join(str(Literal(question_id)) for question_id in self.ids)
        identified = f"?qId dct:identifier ?id . VALUES ?id {{ {ids} }}"
        # An id may be a dct:identifier or the IRI of the question itself; both are looked for.
        if self.ids and all("://" in iri and is_iri(iri) for iri in self.ids):
            iris = f"VALUES ?qId {{ {' '.join(f'<{iri}>' for iri in self.ids)} }}"
            return f"{{ {iris} }} UNION {{ {identified} }}"
        return identified

    @property
    def sparql(self) -> str:
        """The query that selects these questions from annotated data, as ``?qId``."""
        query = self.query
        if not query:
            heading = _prefix_lines(_prefixes(self.condition))
            body = _pattern_lines(self.condition)
            query = f"{heading}\nSELECT DISTINCT ?qId\nWHERE {{\n{body}}}\n"
        return with_choice(query, self.chosen_by)

    def mask(self, index: pd.Index[Any]) -> Flags:
        """Return for each entry of an index whether it belongs to the slice."""
        return slice_masks([self], index)[:, 0]

    def restrict(self, query: str) -> str:
        """Return a selection query with this condition added, to sample from the slice.

        >>> long = Slice("long", (), "?qId qaldgen:length ?length . FILTER (?length >= 9)")
        >>> print(long.restrict("SELECT ?qId ?n { ?qId <http://x.org/n> ?n }"))
        PREFIX qaldgen: <http://qald-gen.aksw.org/vocab#>
        SELECT ?qId ?n
        WHERE { ?qId <http://x.org/n> ?n
            { SELECT DISTINCT ?qId WHERE {
                ?qId a qaldgen:Question .
                ?qId qaldgen:length ?length . FILTER (?length >= 9)
            } }
        }
        """
        undeclared = [
            name
            for name in _prefixes(self.condition)
            if not re.search(rf"PREFIX\s+{name}\s*:", query, re.IGNORECASE)
        ]
        heading = _prefix_lines(undeclared)
        patterns = _pattern_lines(self.condition).splitlines()
        subquery = ["{ SELECT DISTINCT ?qId WHERE {", *patterns, "} }"]
        return with_choice(heading + with_patterns(query, subquery), self.chosen_by)


def whole_slice(index: pd.Index[Any]) -> Slice:
    """Return the slice of all questions of an index."""
    return Slice(ALL, tuple(map(str, index)))


def _prefixes(condition: str) -> list[str]:
    """Return the prefixes that a query with a condition needs."""
    return [name for name in ("dct", "lsq") if f"{name}:" in condition] + ["qaldgen"]


def _prefix_lines(prefixes: Iterable[str]) -> str:
    return "".join(f"PREFIX {name}: <{PREFIXES[name]}>\n" for name in prefixes)


def _pattern_lines(condition: str) -> str:
    return "".join(
        f"    {line}\n" for line in ["?qId a qaldgen:Question .", *condition.split("\n")]
    )


def slices_by(table: pd.DataFrame, feature: str) -> list[Slice]:
    """Divide the questions by a feature.

    One slice for each value or range, one for the questions without a value.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"isCount": [True, False, True]}, index=["a", "b", "c"])
    >>> yes, no = slices_by(table, "isCount")
    >>> yes.name, yes.ids
    ('isCount = yes', ('a', 'c'))
    >>> print(yes.sparql.splitlines()[-2].strip())
    ?qId qaldgen:isCount "true"^^<http://www.w3.org/2001/XMLSchema#boolean> .
    """
    if feature not in table.columns:
        hint = feature_hint(feature, map(str, table.columns))
        raise UsageError(f"there is no feature {feature!r} in the table; {hint}")
    return [
        slice_where(table.index, [condition]) for condition in feature_conditions(table[feature])
    ]


def slice_where(index: pd.Index[Any], conditions: Sequence[TableCondition]) -> Slice:
    """Return the slice of the questions that fulfil all conditions."""
    mask = np.logical_and.reduce([condition.mask for condition in conditions])
    parts = [
        Slice(
            part.name,
            (),
            part.pattern,
            words=part.phrase,
            features=(part.feature,),
            value=part.value,
        )
        for part in conditions
    ]
    return _join_slices(parts, tuple(map(str, index[mask].tolist())))


def _join_slices(parts: Sequence[Slice], ids: tuple[str, ...]) -> Slice:
    """Return the questions that several slices share, as one slice."""
    where = ""
    if all(part.where for part in parts):
        where = "\n".join(part.where for part in parts)
    features: tuple[str, ...] = ()
    for part in parts:
        features += part.features
    return Slice(
        " and ".join(part.name for part in parts),
        ids,
        where,
        words=" and ".join(part.label for part in parts),
        features=features,
        value=" and ".join(part.value or part.name for part in parts),
    )


def cross(*groups: Sequence[Slice]) -> list[Slice]:
    """Return the intersections of the slices of one feature with those of others; no empty ones.

    >>> left, right = [Slice("x", ("a", "b"))], [Slice("y", ("b",)), Slice("z", ("c",))]
    >>> [slice_.name for slice_ in cross(left, right)]
    ['x and y']
    """
    combined = []
    for members in itertools.product(*groups):
        # empty combinations are left out: most pairs of rare values never occur together
        common = members[0].members
        for member in members[1:]:
            common &= member.members
        if common:
            ids = tuple(question_id for question_id in members[0].ids if question_id in common)
            combined.append(_join_slices(members, ids))
    return combined


def slice_masks(slices: Sequence[Slice], index: pd.Index[Any]) -> Flags:
    """Return which questions of an index belong to each slice, a column for each slice.

    >>> import pandas as pd
    >>> slice_masks([Slice("x", ("a", "c")), Slice("y", ())], pd.Index(["a", "b"])).tolist()
    [[True, False], [False, False]]
    """
    codes, ids = pd.factorize(np.array(list(map(str, index.tolist())), dtype=object))
    code_of = {question_id: code for code, question_id in enumerate(ids)}
    # Column by column in memory, as the masks are filled and used.
    masks = np.empty((len(codes), len(slices)), dtype=np.bool_, order="F")
    for column, slice_ in enumerate(slices):
        is_member = np.zeros(len(ids), dtype=np.bool_)
        is_member[[code_of[member] for member in slice_.ids if member in code_of]] = True
        masks[:, column] = is_member[codes]
    return masks


def group_scores(
    counts: pd.DataFrame,
    slices: Iterable[Slice],
    measure: str = MEASURE,
    *,
    weights: pd.Series[float] | None = None,
    random_state: int = SEED,
) -> pd.DataFrame:
    """Return the score on each slice.

    >>> import pandas as pd
    >>> counts = pd.DataFrame({"f1": [1.0, 0.0, 1.0]}, index=["a", "b", "c"])
    >>> group_scores(counts, [Slice("x", ("a", "c"))])[["n", "estimate", "method"]].values.tolist()
    [[2, 1.0, 'none: fewer than 5 questions']]
    """
    weight = question_weights(counts, weights)
    slices = list(slices)
    masks = slice_masks(slices, counts.index)
    intervals = measure_intervals(
        counts, masks, measure, weights=weights, random_state=random_state
    )
    index = pd.Index([slice_.name for slice_ in slices], name="slice")
    table = pd.DataFrame(intervals, columns=list(Interval._fields), index=index)
    table.insert(0, "share", weight @ masks / weight.sum())
    table.insert(0, "n", table.pop("n"))
    return table
