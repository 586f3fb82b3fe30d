"""Features as RDF: values as terms, properties, concept schemes of values, and SHACL shapes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal

from pyoxigraph import Literal, NamedNode, parse

from qaldgen.errors import UsageError
from qaldgen.features.catalogue import Feature, all_features, feature_hint
from qaldgen.features.labels import label_of, value_phrase
from qaldgen.features.query.query_features import FeatureValue
from qaldgen.io.csv_cells import dump_csv
from qaldgen.io.packages import resource_dir
from qaldgen.io.text import markdown_table, text_table
from qaldgen.rdf.terms import CODES, LSQ, PREFIXES, is_iri, typed_literal

SHACL = "http://www.w3.org/ns/shacl#"
_RANGES = {
    "integer": "xsd:integer",
    "decimal": "xsd:decimal",
    "boolean": "xsd:boolean",
    "string": "xsd:string",
}
#: The head of the table of features.
_HEAD = ("name", "label", "type", "source", "definition", "property")
_SOURCES = {
    "T": "the text of the question", "S": "the query", "A": "the gold answers",
    "M": "what the data set says",
}  # fmt: skip


def feature_terms(feature: Feature, value: FeatureValue) -> Iterator[Literal | NamedNode]:
    """Yield the RDF terms of a value: typed literals, and IRIs for categories and resources.

    Invalid IRIs, such as a misspelt one in a query, are left out: no RDF format can hold them.

    >>> from qaldgen.features.catalogue import all_features
    >>> [str(term) for term in feature_terms(all_features()["whType"], "how-many")]
    ['<http://qald-gen.aksw.org/code/whType/how-many>']
    """
    values: Iterable[FeatureValue] = [value]
    if isinstance(value, frozenset):
        values = sorted(value)
    elif isinstance(value, tuple):
        values = dict.fromkeys(value)
    for item in values:
        text = str(item)
        if feature.kind == "iri":
            iri = text if ":" in text else f"{LSQ}{text}"
            if is_iri(iri):
                yield NamedNode(iri)
        elif feature.kind == "boolean":
            yield typed_literal(str(bool(item)).lower(), "boolean")
        elif feature.kind == "integer":
            yield typed_literal(item, "integer")
        elif feature.kind == "decimal":
            # xsd:decimal has no exponents, and Turtle writes 1.0, not 1, for it
            digits = format(Decimal(repr(round(float(text), 6))), "f")
            yield typed_literal(digits if "." in digits else digits + ".0", "decimal")
        elif feature.kind == "categorical":
            yield NamedNode(f"{CODES}{feature.name}/{text}")
        else:
            yield Literal(text)


def catalogue_text(file_format: str) -> str:
    """Return the catalogue of all features, including those of other packages.

    `file_format` is ``turtle`` (properties and code lists), ``shapes`` (SHACL), or a table as
    ``csv``, ``markdown`` or text.
    """
    if file_format == "turtle":
        return _render_catalogue("vocabulary.ttl.j2")
    if file_format == "shapes":
        return _render_catalogue("shapes.ttl.j2")

    rows = []
    for feature in all_features().values():
        definition = feature.definition
        if feature.codes:
            definition += f" One of {', '.join(feature.codes)}."
        label = label_of(feature.name)
        rows.append((feature.name, label, feature.kind, feature.source, definition, feature.term))

    if file_format == "csv":
        return dump_csv(_HEAD, rows)
    if file_format == "markdown":
        lines = [list(_HEAD), ["---"] * len(_HEAD)]
        for row in rows:
            lines.append([cell.replace("|", r"\|") for cell in row])
        return markdown_table(lines)
    return text_table([row[:5] for row in [_HEAD, *rows]])  # a property is too long for a line


def _render_catalogue(template: str) -> str:
    """Return the catalogue in RDF, written with a template."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("qaldgen.features"),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    # the properties of the published data are declared in the vocabulary itself
    quads = parse(path=str(resource_dir("vocab") / "qaldgen.ttl"))
    declared = {quad.subject.value for quad in quads if isinstance(quad.subject, NamedNode)}
    return environment.get_template(template).render(
        features=all_features().values(),
        declared=declared,
        label_of=label_of,
        prefixes={**PREFIXES, "owl": "http://www.w3.org/2002/07/owl#", "sh": SHACL},
        ranges=_RANGES,
    )


def feature_text(name: str) -> str:
    """Return a description of one feature for people, with the words for its values.

    >>> print(feature_text("isCount").splitlines()[0])
    isCount: the query counts
    """
    features = all_features()
    if name not in features:
        raise UsageError(f"there is no feature {name!r}; {feature_hint(name, features)}")
    feature = features[name]
    sources = [_SOURCES[letter] for letter in feature.source.split(">")]
    several = ", several values" if feature.several else ""
    lines = [
        f"{name}: {label_of(name)}",
        f"  {feature.definition}",
        f"  from {', else '.join(sources)}; {feature.kind}{several}",
        f"  property: {feature.term}",
    ]
    if feature.codes:
        lines.append("  values:")
    for code in feature.codes:
        lines.append(f"    {code}: {value_phrase(name, code)}")
    return "\n".join(lines) + "\n"
