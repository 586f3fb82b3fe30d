"""Features as RDF: values as terms, properties, concept schemes of values, and SHACL shapes."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from pyoxigraph import Literal, NamedNode, parse

from qaldgen.errors import UsageError
from qaldgen.features.catalogue import Feature, all_features, feature_hint
from qaldgen.features.labels import label_of, value_in_words
from qaldgen.features.query.query_features import FeatureValue
from qaldgen.io.files import resource_dir
from qaldgen.io.text import dump_csv, markdown_table, text_table
from qaldgen.rdf.terms import CODES, LSQ, PREFIXES, is_iri, typed_literal


def feature_terms(feature: Feature, value: FeatureValue) -> Iterator[Literal | NamedNode]:
    """Yield the RDF terms of a value: typed literals, and IRIs for categories and resources.

    Invalid IRIs, such as a misspelt one in a query, are left out: no RDF format can hold them.

    >>> from qaldgen.features.catalogue import all_features
    >>> [str(term) for term in feature_terms(all_features()["whType"], "how-many")]
    ['<http://qald-gen.aksw.org/code/whType/how-many>']
    """
    values = (
        sorted(value)
        if isinstance(value, frozenset)
        else list(dict.fromkeys(value))
        if isinstance(value, tuple)
        else [value]
    )
    if feature.kind == "iri":
        iris = (str(value) if ":" in str(value) else f"{LSQ}{value}" for value in values)
        yield from (NamedNode(iri) for iri in iris if is_iri(iri))
    else:
        yield from (_term(feature, value) for value in values)


def _term(feature: Feature, value: FeatureValue) -> Literal | NamedNode:
    if feature.kind == "boolean":
        return typed_literal(str(bool(value)).lower(), "boolean")
    if feature.kind == "integer":
        return typed_literal(value, "integer")
    if feature.kind == "decimal":
        return typed_literal(_decimal(float(str(value))), "decimal")
    if feature.kind == "categorical":
        return NamedNode(f"{CODES}{feature.name}/{value}")
    return Literal(str(value))


def _decimal(value: float) -> str:
    # xsd:decimal has no exponents, and Turtle writes 1.0, not 1, for it
    text = format(Decimal(repr(round(value, 6))), "f")
    return text if "." in text else text + ".0"


_RANGES = {
    "integer": "xsd:integer",
    "decimal": "xsd:decimal",
    "boolean": "xsd:boolean",
    "string": "xsd:string",
}
SHACL = "http://www.w3.org/ns/shacl#"


def _rendered(template: str) -> str:
    """Return Turtle: properties and code lists, or SHACL shapes: types and numbers of values."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("qaldgen.features"),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    owl = "http://www.w3.org/2002/07/owl#"
    return environment.get_template(template).render(
        features=all_features().values(),
        declared=_declared_elsewhere(),
        label_of=label_of,
        prefixes={**PREFIXES, "owl": owl, "sh": SHACL},
        ranges=_RANGES,
    )


_HEAD = ("name", "label", "type", "source", "definition", "property")


_SOURCES = {
    "T": "the text of the question", "S": "the query", "A": "the gold answers",
    "M": "what the data set says",
}  # fmt: skip


def describe(form: str) -> str:
    """Return the catalogue of all features, including those of other packages."""
    if form in {"turtle", "shapes"}:
        return _rendered("vocabulary.ttl.j2" if form == "turtle" else "shapes.ttl.j2")
    rows = [_row(feature) for feature in all_features().values()]
    if form == "csv":
        return dump_csv(_HEAD, rows)
    if form == "markdown":
        escaped = [[cell.replace("|", r"\|") for cell in row] for row in rows]
        return markdown_table([_HEAD, ("---",) * len(_HEAD), *escaped])
    return text_table([row[:5] for row in (_HEAD, *rows)])  # a property is too long for a line


def explain(name: str) -> str:
    """Return a description of one feature for people, with the words for its values.

    >>> print(explain("isCount").splitlines()[0])
    isCount: the query counts
    """
    features = all_features()
    if name not in features:
        raise UsageError(f"there is no feature {name!r}; {feature_hint(name, features)}")
    feature = features[name]
    sources = [_SOURCES[letter] for letter in feature.source.split(">")]
    lines = [
        f"{name}: {label_of(name)}",
        f"  {feature.definition}",
        (
            f"  from {', else '.join(sources)}; "
            f"{feature.kind}{', several values' if feature.several else ''}"
        ),
        f"  property: {feature.term}",
    ]
    if feature.codes:
        lines += [
            "  values:",
            *(f"    {code}: {value_in_words(name, code)}" for code in feature.codes),
        ]
    return "\n".join(lines) + "\n"


def _declared_elsewhere() -> frozenset[str]:
    """Return the properties declared in `vocab/qaldgen.ttl`: those of the published data."""
    quads = parse(path=str(resource_dir("vocab") / "qaldgen.ttl"))
    return frozenset(quad.subject.value for quad in quads if isinstance(quad.subject, NamedNode))


def _row(feature: Feature) -> tuple[str, str, str, str, str, str]:
    codes = f" One of {', '.join(feature.codes)}." if feature.codes else ""
    return (
        feature.name,
        label_of(feature.name),
        feature.kind,
        feature.source,
        feature.definition + codes,
        feature.term,
    )
