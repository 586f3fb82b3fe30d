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
from qaldgen.rdf.terms import CODES, LSQ, PREFIXES, QALDGEN, is_iri, typed_literal


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
_USED = ("code", "dct", "lsq", "owl", "qaldgen", "rdfs", "skos", "xsd")


def vocabulary(declared: frozenset[str] = frozenset()) -> str:
    """Return Turtle that declares the properties and code lists of the catalogue."""
    prefixes = {**PREFIXES, "owl": "http://www.w3.org/2002/07/owl#"}
    lines = ["# Generated from the feature catalogue by: qaldgen list features --format turtle", ""]
    lines += [f"@prefix {name}: <{prefixes[name]}> ." for name in _USED]
    for feature in all_features().values():
        if feature.term not in declared:
            lines += ["", *_property(feature)]
    for feature in all_features().values():
        if feature.codes:
            lines += ["", *_code_list(feature)]
    return "\n".join(lines) + "\n"


def shapes(loose: frozenset[str] = frozenset()) -> str:
    """Return Turtle with SHACL shapes for annotated questions: types and numbers of values."""
    lines = ["# Generated from the feature catalogue by: qaldgen list features --format shapes", ""]
    lines += [
        f"@prefix {name}: <{iri}> ."
        for name, iri in (*((n, PREFIXES[n]) for n in ("qaldgen", "rdfs", "xsd")), ("sh", SHACL))
    ]
    lines += [
        "",
        "qaldgen:AnnotatedQuestionShape a sh:NodeShape ;",
        '    rdfs:label "An annotated question"@en ;',
    ]
    lines += ["    sh:targetClass qaldgen:Question ;"]
    rules = [_shape(feature) for feature in all_features().values() if feature.term not in loose]
    return "\n".join(lines) + "\n" + " ;\n".join(rules) + " .\n"


def _shape(feature: Feature) -> str:
    rule = [f"sh:path <{feature.term}>", *([] if feature.several else ["sh:maxCount 1"])]
    if feature.codes:
        rule.append(
            f"sh:in ( {' '.join(f'<{CODES}{feature.name}/{code}>' for code in feature.codes)} )"
        )
    elif feature.kind == "iri":
        rule.append("sh:nodeKind sh:IRI")
    else:
        rule.append(f"sh:datatype {_RANGES[feature.kind]}")
    several = "" if feature.several else "one "
    noun = "code" if feature.kind == "categorical" else feature.kind
    rule.append(f'sh:message "{feature.name}: {several}{noun}; {feature.definition}"')
    return f"    sh:property [ {' ; '.join(rule)} ]"


def _property(feature: Feature) -> Iterator[str]:
    kind = "owl:DatatypeProperty" if feature.kind in _RANGES else "owl:ObjectProperty"
    yield f"<{feature.term}> a {kind} , qaldgen:Feature ;"
    yield f'    rdfs:label "{label_of(feature.name)}"@en ;'
    yield f'    rdfs:comment "{feature.definition}"@en ;'
    yield "    rdfs:domain qaldgen:Question ;"
    others = "skos:Concept" if feature.kind == "categorical" else "rdfs:Resource"
    yield f"    rdfs:range {_RANGES.get(feature.kind, others)} ;"
    yield f"    rdfs:isDefinedBy <{QALDGEN}> ."


def _code_list(feature: Feature) -> Iterator[str]:
    scheme = f"<{CODES}{feature.name}>"
    yield (
        f'{scheme} a skos:ConceptScheme ; dct:title "{label_of(feature.name)}"@en ; dct:description'
        f' "{feature.definition}"@en .'
    )
    near = dict(feature.matches)
    for code in feature.codes:
        label = code.replace("-", " ").replace("_", " ")
        concept = f'skos:inScheme {scheme} ; skos:notation "{code}" ; skos:prefLabel "{label}"@en'
        match = f" ; skos:closeMatch <{near[code]}>" if code in near else ""
        yield f"<{CODES}{feature.name}/{code}> a skos:Concept ; {concept}{match} ."


_HEAD = ("name", "label", "type", "source", "definition", "property")


_SOURCES = {
    "T": "the text of the question", "S": "the query", "A": "the gold answers",
    "M": "what the data set says",
}  # fmt: skip


def describe(form: str) -> str:
    """Return the catalogue of all features, including those of other packages."""
    if form in {"turtle", "shapes"}:
        elsewhere = _declared_elsewhere()
        return vocabulary(elsewhere) if form == "turtle" else shapes(elsewhere)
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
