"""The terms and property paths of rdflib as text."""

from __future__ import annotations

from collections.abc import Iterator

from rdflib import BNode, Literal, URIRef, Variable
from rdflib.paths import AlternativePath, InvPath, MulPath, NegatedPath, Path, SequencePath
from rdflib.plugins.sparql.parserutils import CompValue

from qaldgen.features.query_tree import Step


def term_text(term: object) -> str:
    """Write a term as in N-Triples."""
    if isinstance(term, CompValue):  # a literal, which rdflib only makes in its algebra
        term = Literal(term.string, lang=term.lang, datatype=term.datatype)
    if isinstance(term, BNode):
        return f"_:{term}"
    if isinstance(term, Path):
        try:
            return str(term.n3())
        except TypeError:  # rdflib cannot write !(^iri), and forgets its IRI
            return repr(term)
    return str(term.n3()) if isinstance(term, (URIRef, Literal, Variable)) else str(term)


def path_iris(path: object) -> Iterator[str]:
    """Return every IRI of a predicate, in its order."""
    if isinstance(path, URIRef):
        yield str(path)
    elif isinstance(path, (SequencePath, AlternativePath, NegatedPath)):
        for part in path.args:
            yield from path_iris(part)
    elif isinstance(path, InvPath):
        yield from path_iris(path.arg)
    elif isinstance(path, MulPath):
        yield from path_iris(path.path)


def path_steps(path: object) -> Iterator[Step]:
    """Return the steps of a predicate; of alternatives those of the first."""
    if isinstance(path, URIRef):
        yield Step(str(path), False)
    elif isinstance(path, SequencePath):
        for part in path.args:
            yield from path_steps(part)
    elif isinstance(path, AlternativePath):
        yield from path_steps(path.args[0])
    elif isinstance(path, InvPath):
        yield from (Step(step.iri, not step.inverse) for step in reversed(list(path_steps(path.arg))))
    elif isinstance(path, MulPath):
        yield from path_steps(path.path)
    else:
        yield Step("", False)
