"""What the example scripts share: namespaces, the Turtle writer and atomic file writing."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

import pyoxigraph as ox

HERE = Path(__file__).resolve().parent
RES = "http://example.org/qaldgen/resource/"
ONT = "http://example.org/qaldgen/ontology/"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
XSD = "http://www.w3.org/2001/XMLSchema#"
PREFIXES = {"ont": ONT, "res": RES, "rdf": RDF, "rdfs": RDFS, "skos": SKOS, "xsd": XSD}

_LOCAL_NAME = re.compile(r"[^\W\d_](?:[\w-]*\w)?")
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})
_BARE = {
    XSD + "integer": re.compile(r"[+-]?\d+"),
    XSD + "decimal": re.compile(r"[+-]?\d*\.\d+"),
    XSD + "boolean": re.compile(r"true|false"),
}


def quote(text: str) -> str:
    """Put a string into double quotes, with the backslash escapes of Turtle."""
    return f'"{text.translate(_ESCAPES)}"'


def iri_text(iri: str, prefixes: dict[str, str]) -> str:
    """Write an IRI as a prefixed name where that needs no escapes, else in angle brackets."""
    for prefix, base in prefixes.items():
        if iri.startswith(base) and _LOCAL_NAME.fullmatch(iri[len(base) :]):
            return f"{prefix}:{iri[len(base) :]}"
    return f"<{iri}>"


def term_text(term: object, prefixes: dict[str, str]) -> str:
    """Write one RDF term in Turtle."""
    if isinstance(term, ox.NamedNode):
        return iri_text(term.value, prefixes)
    if not isinstance(term, ox.Literal):
        raise TypeError(f"no blank nodes or triple terms here: {term!r}")
    if term.language:
        return f"{quote(term.value)}@{term.language}"
    datatype = term.datatype.value
    if datatype == XSD + "string":
        return quote(term.value)
    if datatype in _BARE and _BARE[datatype].fullmatch(term.value):
        return term.value
    return f"{quote(term.value)}^^{iri_text(datatype, prefixes)}"


def _subject_block(subject: str, triples: Iterable[ox.Triple], prefixes: dict[str, str]) -> str:
    rows: dict[str, set[str]] = {}
    for triple in triples:
        rows.setdefault(triple.predicate.value, set()).add(term_text(triple.object, prefixes))
    ordered = sorted(rows, key=lambda predicate: (predicate != RDF + "type", predicate))
    lines = [
        ("a" if predicate == RDF + "type" else iri_text(predicate, prefixes))
        + " "
        + ", ".join(sorted(rows[predicate]))
        for predicate in ordered
    ]
    return iri_text(subject, prefixes) + " " + " ;\n    ".join(lines) + " .\n"


def turtle(triples: Iterable[ox.Triple], prefixes: dict[str, str]) -> str:
    """Write triples as Turtle, sorted, so that equal graphs give equal bytes."""

    def subject(triple: ox.Triple) -> str:
        return str(getattr(triple.subject, "value"))  # noqa: B009

    blocks: Iterator[str] = (
        _subject_block(iri, group, prefixes)
        for iri, group in groupby(sorted(triples, key=subject), key=subject)
    )
    head = "".join(f"@prefix {prefix}: <{base}> .\n" for prefix, base in sorted(prefixes.items()))
    return head + "\n" + "\n".join(blocks)


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 file in one step: a reader sees the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        Path(name).chmod(0o644)
        os.replace(name, path)  # noqa: PTH105
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def load_store(path: Path) -> ox.Store:
    """Load a Turtle file into an in-memory store."""
    store = ox.Store()
    store.bulk_load(path=str(path), format=ox.RdfFormat.TURTLE)
    return store
