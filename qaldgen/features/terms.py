"""What a feature value is in RDF."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from pyoxigraph import Literal, NamedNode

from qaldgen.features.catalogue import Feature
from qaldgen.features.query import FeatureValue
from qaldgen.rdf import CODES, LSQ, XSD


def feature_terms(feature: Feature, value: FeatureValue) -> Iterator[Literal | NamedNode]:
    """Yield the terms of a value: numbers and flags as typed literals, codes and resources as IRIs; several, sorted sets.

    Examples
    --------
    >>> from qaldgen.features.catalogue import all_features
    >>> [str(term) for term in feature_terms(all_features()["whType"], "how-many")]
    ['<http://qald-gen.aksw.org/code/whType/how-many>']
    """
    values = (
        sorted(value) if isinstance(value, frozenset) else list(dict.fromkeys(value)) if isinstance(value, tuple) else [value]
    )
    for one in values:
        yield _term(feature, one)


def _term(feature: Feature, value: FeatureValue) -> Literal | NamedNode:
    if feature.kind == "boolean":
        return Literal(str(bool(value)).lower(), datatype=NamedNode(XSD + "boolean"))
    if feature.kind == "integer":
        return Literal(str(value), datatype=NamedNode(XSD + "integer"))
    if feature.kind == "decimal":
        return Literal(_decimal(float(str(value))), datatype=NamedNode(XSD + "decimal"))
    if feature.kind == "code":
        return NamedNode(f"{CODES}{feature.name}/{value}")
    if feature.kind == "iri":
        text = str(value)
        return NamedNode(text if ":" in text else LSQ + text)
    return Literal(str(value))


def _decimal(value: float) -> str:
    text = format(Decimal(repr(round(value, 6))), "f")
    return text if "." in text else text + ".0"
