"""The feature catalogue: one row per feature, in ``data/features.tsv``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from typing import NamedTuple

from qaldgen.features.data_features import CODES, VALUES, Evidence, Group, pick
from qaldgen.features.query.query_features import FeatureValue
from qaldgen.features.text.taxonomies import ENTITY_TYPES
from qaldgen.io.arguments import did_you_mean
from qaldgen.io.extensions import Table
from qaldgen.io.packages import data_rows
from qaldgen.rdf.terms import PREFIXES

__all__ = ["FEATURES", "Evidence", "Feature", "Group", "all_features"]


class Feature(NamedTuple):
    """A question feature.

    Attributes
    ----------
    name : str
        The feature name, also its local name in the vocabulary.
    kind : str
        ``integer``, ``decimal``, ``boolean``, ``categorical`` (see `codes`), ``string``,
        ``iri``.
    source : str
        T question text, S SPARQL query, A gold answers, M metadata of the data set.
    definition : str
        One sentence.
    value : callable
        Computes the value from the evidence about a question; None if there is none. A tuple or set
        holds several values.
    term : str
        The IRI of the property.
    codes : tuple of str
        For a categorical feature, the possible values.
    several : bool
        Whether a question can have several values.
    matches : tuple of (str, str)
        For a categorical feature, pairs of a value and the IRI of the closest class in another
        vocabulary.
    searched : bool
        Whether searches for slices try it by default; users can name any feature. False for
        features that describe how something was made rather than what is asked (the rule behind
        another feature, repairs of the query, languages and wordings that the data set offers), for
        those taken from the gold answer, which no system sees, and for those that nobody talks
        about: means, shares, terms of SPARQL, other counts of the same.
    label : str
        Its name in plain words; by default the words of `name`.
    yes, no : str
        Of a boolean feature, the phrases for true and for false; of a number, the plural and the
        singular of what is counted.
    cost : int
        How costly it is to name in an explanation, 1 to 5; by default by its source, see
        `qaldgen.features.labels.cost_of`.
    quantity : str
        The quantity that it measures, which similar features share; by default its name.
    """

    name: str
    kind: str
    source: str
    definition: str
    value: Callable[[Evidence], FeatureValue | None]
    term: str
    codes: tuple[str, ...] = ()
    several: bool = False
    matches: tuple[tuple[str, str], ...] = ()
    searched: bool = True
    label: str = ""
    yes: str = ""
    no: str = ""
    cost: int = 0
    quantity: str = ""


#: The part of the evidence that has a feature, by its source in the file; R is what a query names.
_GROUPS = {"T": "text", "S": "query", "R": "resources"}


def _read_catalogue() -> Iterator[Feature]:
    """Yield the rows of ``data/features.tsv``."""
    nearest_classes = tuple(
        (name, f"http://dbpedia.org/ontology/{local}")
        for name, local in ENTITY_TYPES.items()
        if local
    )

    columns, *lines = data_rows("features/data/features.tsv")
    for cells in lines:
        row = dict(zip_longest(columns, cells, fillvalue=""))
        name = row["name"]
        source = row["source"]

        prefix, _, local = (row["property"] or f"qaldgen:{name}").partition(":")
        marks = row["marks"].split()
        yield Feature(
            name=name,
            kind=row["kind"],
            source="S" if source == "R" else source,  # users need not tell R from S
            definition=row["definition"],
            value=VALUES.get(name, pick(_GROUPS.get(source, ""), name)),
            term=PREFIXES[prefix] + local,
            codes=CODES.get(name, tuple(row["codes"].split())),
            several="several" in marks,
            matches=nearest_classes if name == "answerEntityType" else (),
            searched="unsearched" not in marks,
            label=row["label"],
            yes=row["yes"],
            no=row["no"],
            cost=int(row["cost"]),
            quantity=row["quantity"],
        )


#: Our own features, in the order of the catalogue.
FEATURES: tuple[Feature, ...] = tuple(_read_catalogue())


@functools.cache
def all_features() -> dict[str, Feature]:
    """Return all features by name, including those of other packages."""
    table = Table("features", Feature, {feature.name: feature for feature in FEATURES})
    features: dict[str, Feature] = {}
    # by the name of the feature: the entry point of a package may have another
    for feature in table.values():
        features.setdefault(feature.name, feature)
    return features


def feature_hint(name: str, names: Iterable[str]) -> str:
    """Return similar names of features, or the command that lists all features."""
    return did_you_mean(name, names, limit=3).strip() or "'qaldgen list features' lists them"
