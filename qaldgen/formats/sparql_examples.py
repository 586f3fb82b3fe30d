"""Read SPARQL examples in RDF, as SIB publishes them: SHACL queries with comments."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence

from pyoxigraph import BlankNode, Literal, NamedNode

from qaldgen.formats.assembling import Item, ReadOptions
from qaldgen.formats.content import Content
from qaldgen.formats.texts import add_wording
from qaldgen.model import LeftOut, Question
from qaldgen.rdf.knowledge_graphs import graph_of_query
from qaldgen.rdf.rdf_file import RdfFile
from qaldgen.rdf.terms import Term

_SH = "http://www.w3.org/ns/shacl#"
_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_SPEX = "https://purl.expasy.org/sparql-examples/ontology#"
_QUERIES = (f"{_SH}select", f"{_SH}ask", f"{_SH}construct", f"{_SPEX}describe", f"{_SH}describe")
_TEXTS = (
    f"{_RDFS}comment",
    f"{_RDFS}label",
    "https://schema.org/description",
    "http://schema.org/description",
)
_MORE = {
    "target": ("https://schema.org/target", "http://schema.org/target"),
    "keywords": (
        "https://schema.org/keywords",
        "http://schema.org/keywords",
        "https://schema.org/keyword",
    ),
    "federates_with": (f"{_SPEX}federatesWith",),
}
_SHOWS = re.compile(r"(?:ns/shacl#|\bsh:)SPARQL(?:\w+)?Executable\b")
_PREFIX = re.compile(r"\bPREFIX\s+([\w.-]*):", re.IGNORECASE)


def recognises_examples(content: Content) -> bool:
    """Whether this is RDF with a resource that is an executable SPARQL query."""
    return content.kind == "rdf" and _SHOWS.search(content.text) is not None


def read_examples(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions of SPARQL examples.

    Queries get the prefixes that only ``sh:prefixes`` declares.
    """
    resources: dict[object, dict[str, list[Term]]] = {}
    for quad in RdfFile(content.path).quads():
        if isinstance(quad.predicate, NamedNode):
            resources.setdefault(quad.subject, {}).setdefault(quad.predicate.value, []).append(
                quad.object
            )
    found = [subject for subject, values in resources.items() if _is_example(values)]
    names = _names(
        [subject.value for subject in found if isinstance(subject, (NamedNode, BlankNode))]
    )
    for subject, name in zip(found, names, strict=True):
        yield _question(subject, name, resources, options.language)


def _is_example(values: Mapping[str, list[Term]]) -> bool:
    """Whether a resource is or has a query; constraints of shapes, with a message, do not count."""
    kinds = [term.value for term in values.get(f"{_RDF}type", []) if isinstance(term, NamedNode)]
    executable = any(
        kind.startswith(f"{_SH}SPARQL") and kind.endswith("Executable") for kind in kinds
    )
    return executable or (
        any(name in values for name in _QUERIES) and f"{_SH}message" not in values
    )


def _names(iris: Sequence[str]) -> list[str]:
    """Return short ids: the last part of the IRI, with up to two parts before if needed."""
    for parts in (1, 2, 3):
        short = ["/".join(re.split(r"[/#]", iri.rstrip("/#"))[-parts:]) for iri in iris]
        if len(set(short)) == len(short):
            return short
    return list(iris)


def _question(
    subject: object, name: str, resources: Mapping[object, Mapping[str, list[Term]]], language: str
) -> Question | LeftOut:
    values = resources[subject]
    query = next(
        (
            term.value
            for key in _QUERIES
            for term in values.get(key, [])
            if isinstance(term, Literal)
        ),
        "",
    ).strip()
    texts: dict[str, tuple[str, ...]] = {}
    # the comment is the question; a label only replaces it
    for key in _TEXTS:
        for term in values.get(key, []) if not texts else ():
            if isinstance(term, Literal):
                add_wording(texts, term.language or language, _plain_text(term))
    if not query:
        return LeftOut(name, "no SHACL query (sh:select, sh:ask, sh:construct)")
    query = "".join(_declarations(query, values, resources)) + query
    more = {kind: " ".join(_said(values, properties)) for kind, properties in _MORE.items()}
    more["iri"] = subject.value if isinstance(subject, NamedNode) else ""
    return Question(
        id=name,
        texts=texts,
        queries={graph_of_query(query): query},
        metadata={kind: text for kind, text in more.items() if text},
    )


def _plain_text(term: Literal) -> str:
    """Return the text of a comment; without the tags, if it is HTML."""
    is_html = term.datatype.value == f"{_RDF}HTML" or re.search(
        r"</?(?:a|b|i|em|p|br|code|strong|sup|sub)\b[^<>]*>", term.value
    )
    text = html.unescape(re.sub(r"<[^<>]+>", "", term.value)) if is_html else term.value
    return " ".join(text.split())


def _said(values: Mapping[str, list[Term]], properties: Sequence[str]) -> Iterator[str]:
    terms = (term for name in properties for term in values.get(name, []))
    return (term.value for term in terms if isinstance(term, (Literal, NamedNode)))


def _declarations(
    query: str,
    values: Mapping[str, list[Term]],
    resources: Mapping[object, Mapping[str, list[Term]]],
) -> Iterator[str]:
    """Yield the declarations of prefixes that a query uses without declaring them."""
    declared = {name.lower() for name in _PREFIX.findall(query)}
    for ontology in values.get(f"{_SH}prefixes", []):
        for entry in resources.get(ontology, {}).get(f"{_SH}declare", []):
            said = resources.get(entry, {})
            prefix = next(_said(said, (f"{_SH}prefix",)), "")
            namespace = next(_said(said, (f"{_SH}namespace",)), "")
            if (
                namespace
                and prefix.lower() not in declared
                and re.search(rf"(?<![\w.-]){re.escape(prefix)}:", query)
            ):
                declared.add(prefix.lower())
                yield f"PREFIX {prefix}: <{namespace}>\n"
