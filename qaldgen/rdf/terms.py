"""RDF terms and tables of them, our namespaces, values of terms in Python, and Turtle."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias
from urllib.parse import quote, unquote

from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Triple, serialize

from qaldgen.errors import UsageError
from qaldgen.model import NUMBER_TYPES

Term: TypeAlias = NamedNode | BlankNode | Literal | Triple
Value: TypeAlias = float | bool | str
Statement: TypeAlias = tuple[Term, Term, Term]

#: The beginning of the IRIs of question sets and questions.
BASE = "http://qald-gen.aksw.org/"
QALDGEN = f"{BASE}vocab#"
LSQ = "http://lsq.aksw.org/vocab#"
#: The namespace of categorical values: the name of the feature, a slash and the value follow.
CODES = f"{BASE}code/"
PREFIXES = {
    "qaldgen": QALDGEN,
    "lsq": LSQ,
    "code": CODES,
    "dcat": "http://www.w3.org/ns/dcat#",
    "dct": "http://purl.org/dc/terms/",
    "prov": "http://www.w3.org/ns/prov#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "spdx": "http://spdx.org/rdf/terms#",
    "void": "http://rdfs.org/ns/void#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
XSD = PREFIXES["xsd"]
#: The properties with the text of a question, the first one that it has.
TEXT_PROPERTIES = (QALDGEN + "text", "https://schema.org/text", "http://schema.org/text")
#: Properties of questions that hold in one benchmark only.
BENCHMARK_PROPERTIES = frozenset(
    QALDGEN + name for name in ("cluster", "weight", "vector", "inclusionProbability", "position")
)
#: The datatype of literals with JSON.
RDF_JSON = NamedNode(PREFIXES["rdf"] + "JSON")
#: The lexical forms of xsd:boolean.
BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_NUMERIC = {XSD + name for name in NUMBER_TYPES}
#: The subject of a part, a predicate with its objects, until it is joined to a block.
_PLACEHOLDER = NamedNode("urn:x-any")
_SUBJECT = f"{_PLACEHOLDER} "
_SEPARATOR = " ;\n\t"
_END = " .\n"
_ADDRESS = re.compile(r"[A-Za-z][\w+.-]*://")
#: The property of an own column of a question set, in the namespace of the set.
_COLUMN = re.compile(rf"{BASE}dataset/[^/]*/column/([^/]+)")


@functools.cache
def prefixed(short: str) -> NamedNode:
    """Return the IRI of a name with one of `PREFIXES`.

    >>> prefixed("dct:title").value
    'http://purl.org/dc/terms/title'
    """
    prefix, local = short.split(":")
    return NamedNode(PREFIXES[prefix] + local)


def is_iri(text: str) -> bool:
    """Return whether a text is a valid absolute IRI.

    >>> is_iri("http://x.org/1"), is_iri("http://x.org/a b"), is_iri("Amber")
    (True, False, False)
    """
    try:
        NamedNode(text)
    except ValueError:
        return False
    return True


def checked_tag(language: str) -> str:
    """Return a language tag in small letters, as RDF compares them; refuse any other text.

    >>> checked_tag("pt-BR")
    'pt-br'
    """
    try:
        return Literal("", language=language).language or ""
    except ValueError:
        raise UsageError(
            f"{language!r} is not a language tag; use one such as en or pt-BR"
        ) from None


class Rows(NamedTuple):
    """The result of a SELECT query."""

    variables: tuple[str, ...]  # the names of the variables, without ``?``
    rows: list[tuple[Term | None, ...]]  # one tuple of terms per row; None for unbound


def with_blank_nodes(
    statements: Iterable[Statement], by_subject: Mapping[Term, Sequence[Statement]]
) -> list[Statement]:
    """Return statements, and after them those of the blank nodes that they refer to, each once."""
    nodes = dict.fromkeys(statements)
    pending = [statement[2] for statement in nodes]
    while pending:
        node = pending.pop(0)
        if isinstance(node, BlankNode):
            new = [statement for statement in by_subject.get(node, ()) if statement not in nodes]
            nodes.update(dict.fromkeys(new))
            pending += [statement[2] for statement in new]
    return list(nodes)


def typed_literal(value: object, datatype: str) -> Literal:
    """Return a literal of a datatype of XML Schema, such as ``integer``."""
    return Literal(str(value), datatype=NamedNode(XSD + datatype))


def dump_turtle(statements: Iterable[Statement], prefixes: Mapping[str, str]) -> bytes:
    """Return statements as Turtle, in their order; equal statements give equal bytes."""
    triples = [Triple(*statement) for statement in statements]  # type: ignore[arg-type]
    data = serialize(triples, format=RdfFormat.TURTLE, prefixes=dict(prefixes)) or b""
    lines = data.splitlines(keepends=True)
    # the order in which prefixes are written is not stable
    return b"".join(sorted(lines[: len(prefixes)]) + lines[len(prefixes) :])


def term_text(term: Term) -> str:
    """Return the IRI or the value of a term."""
    if isinstance(term, (Literal, NamedNode)):
        return term.value
    return str(term)


def python_value(term: Term) -> Value:
    """Return the value of a term: numbers as float, booleans as bool, everything else as text.

    IRIs and blank nodes give their name, other literals their lexical form. An ill-typed number or
    boolean (``"abc"^^xsd:int``) is text, so that the caller sees the wrong value.

    >>> python_value(Literal("9", datatype=NamedNode(XSD + "int")))
    9.0
    """
    if isinstance(term, Triple):
        return str(term)
    if not isinstance(term, Literal):
        return term.value
    datatype = term.datatype.value
    if datatype in _NUMERIC:
        # XSD writes infinity INF and knows no underscores; Python accepts 1_000 and "inf"
        try:
            value = float(term.value)
        except ValueError:
            return term.value
        if "_" in term.value or (math.isinf(value) and "inf" in term.value):
            return term.value
        return value
    if datatype == XSD + "boolean":
        return BOOLEANS.get(term.value.strip(), term.value)
    return term.value


@functools.cache
def turtle_prefixes() -> str:
    """Return the lines that declare `PREFIXES`, sorted, since the serialiser's order varies."""
    lines = _serialize([Triple(_PLACEHOLDER, _PLACEHOLDER, _PLACEHOLDER)]).splitlines(keepends=True)
    return "".join(sorted(lines[: len(PREFIXES)]))


def turtle_block(statements: Iterable[Statement]) -> str:
    r"""Return statements as Turtle without prefix lines, for `with_turtle_parts` among others.

    >>> turtle_block([(NamedNode("urn:a"), NamedNode("urn:b"), NamedNode("urn:c"))])
    '<urn:a> <urn:b> <urn:c> .\n'
    """
    text = _serialize([Triple(*statement) for statement in statements])  # type: ignore[arg-type]
    return text[len(turtle_prefixes()) :]


def turtle_part(predicate: NamedNode, values: Sequence[Term]) -> str:
    """Return a predicate with its objects as Turtle, for `with_turtle_parts`.

    >>> turtle_part(NamedNode("urn:b"), [NamedNode("urn:c"), NamedNode("urn:d")])
    '<urn:b> <urn:c> , <urn:d>'
    """
    return (
        turtle_block((_PLACEHOLDER, predicate, value) for value in values)
        .removeprefix(_SUBJECT)
        .removesuffix(_END)
    )


def with_turtle_parts(start: str, parts: Iterable[str]) -> str:
    r"""Return the block of a subject, extended by parts.

    >>> with_turtle_parts("<urn:a> <urn:b> <urn:c> .\n", ["<urn:d> <urn:e>"])
    '<urn:a> <urn:b> <urn:c> ;\n\t<urn:d> <urn:e> .\n'
    """
    return _SEPARATOR.join([start.removesuffix(_END), *parts]) + _END


def _serialize(triples: Sequence[Triple]) -> str:
    """Return triples as Turtle with `PREFIXES`."""
    return (serialize(triples, format=RdfFormat.TURTLE, prefixes=PREFIXES) or b"").decode()


def last_part(text: str) -> str:
    """Return the part of an IRI after its last slash or hash; it may be empty.

    A URN and any other text stay as they are.

    >>> [last_part(text) for text in ("http://x.org/a#b", "http://x.org/a/", "urn:a:b", "a / b")]
    ['b', '', 'urn:a:b', 'a / b']
    """
    if not _ADDRESS.match(text):
        return text
    return re.split(r"[/#]", text)[-1]


def local_name(iri: str) -> str:
    """Return the last part of an IRI that is not empty, its percent signs decoded."""
    return unquote(last_part(iri.rstrip("/#")))


def column_iri(set_name: str, column: str) -> str:
    """Return the property of an own column of a question set.

    >>> column_iri("mine", "comp level")
    'http://qald-gen.aksw.org/dataset/mine/column/comp%20level'
    """
    return f"{BASE}dataset/{set_name}/column/{quote(column, safe='')}"


def column_name(iri: str) -> str:
    """Return the name of an own column by its property; empty for any other IRI.

    >>> column_name("http://qald-gen.aksw.org/dataset/mine/column/comp%20level")
    'comp level'
    """
    match = _COLUMN.fullmatch(iri)
    if not match:
        return ""
    return unquote(match[1])
