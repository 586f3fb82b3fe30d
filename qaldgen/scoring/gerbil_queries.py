"""What GERBIL reads out of a SPARQL query: the IRIs and triples that its experiments on queries compare.

Source: ``QAUtils`` of dice-group/gerbil, branch QuestionAnswering, commit 794c41a1, with Jena 3.6.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from decimal import Context, Decimal
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from qaldgen.features.query_tree import _quiet
from qaldgen.sparql import undeclared_prefixes
from qaldgen.sparql_repair import repair

if TYPE_CHECKING:
    from rdflib import Literal
    from rdflib.plugins.sparql.parserutils import CompValue

_TEXT = re.compile(r'text:"([^"]*)"')
_TEXT_PROPERTY = "http://okbqa.org/text#query"
#: What Jena allows beyond standard SPARQL: columns that are calculated but have no name.
_ALLOWED = {"bare-aggregate", "missing-alias"}
_BARE_ALIAS = re.compile(r"\bAS\s+[?$]\w+\b(?!\s*\))", re.IGNORECASE)
_PLAIN = (1e-3, 1e7)
_GROUPS = {"OptionalGraphPattern", "MinusGraphPattern", "GraphGraphPattern", "ServiceGraphPattern"}


class Relation(NamedTuple):
    """A triple: IRIs, or None for a variable or blank node; the text of a literal stands in `literal`."""

    subject: str | None
    predicate: str
    object: str | None
    literal: str | None = None


class Markings(NamedTuple):
    """What a query names, in the order of its triples, as often as it stands there.

    Attributes
    ----------
    concepts : tuple of (str, bool)
        The IRIs of subjects, predicates and objects, and whether it is a predicate.
    relations : tuple of Relation
        The triples.
    """

    concepts: tuple[tuple[str, bool], ...] = ()
    relations: tuple[Relation, ...] = ()

    @property
    def properties(self) -> tuple[str, ...]:
        """The IRIs of predicates."""
        return tuple(iri for iri, is_property in self.concepts if is_property)


class _StopError(Exception):
    """The walk ends here, as it does in GERBIL by an exception that it swallows."""


@lru_cache(1 << 14)
def query_markings(query: str) -> Markings:
    """Return what GERBIL reads out of a query; nothing of one that Jena would not parse.

    Groups, OPTIONAL, UNION, MINUS, GRAPH and SERVICE are walked; sub-queries, FILTER, BIND and VALUES are not. A property path,
    a variable predicate or a literal that does not fit its datatype ends the walk; what was found before stays.

    Examples
    --------
    >>> query_markings("SELECT * { ?x <urn:p> <urn:a> ; ?y 5 }").concepts
    (('urn:p', True), ('urn:a', False))
    >>> query_markings("SELECT * { ?x dbo:p 5 }")
    Markings(concepts=(), relations=())
    """
    concepts: list[tuple[str, bool]] = []
    relations: list[Relation] = []
    where = _parse(_without_text_search(query))
    try:
        for triple in _group(where):
            _add(triple, concepts, relations)
    except _StopError:
        pass
    return Markings(tuple(concepts), tuple(relations))


def _without_text_search(query: str) -> str:
    """Write ``text:"..."`` of hybrid questions as a variable, and a triple with the text at the start of the pattern."""
    start = query.lower().find("where {") + len("where {")
    texts = _TEXT.findall(query[start:])
    if start < len("where {") or not texts:
        return query
    numbers = iter(range(len(texts)))
    rest = _TEXT.sub(lambda _: f"?text{next(numbers)}", query[start:])
    triples = "".join(f' ?text{number} <{_TEXT_PROPERTY}> "{text}" .' for number, text in enumerate(texts))
    return query[:start] + triples + rest


def _parse(query: str) -> CompValue | None:
    """Return the WHERE pattern as rdflib parses it, IRIs in full; None where Jena would not parse the query."""
    from rdflib.plugins.sparql.algebra import translatePath, translatePName, traverse
    from rdflib.plugins.sparql.parser import parseQuery
    from rdflib.plugins.sparql.sparql import Prologue

    text, repairs = repair(query)
    if set(repairs) - _ALLOWED or undeclared_prefixes(query) or _BARE_ALIAS.search(query):
        return None
    try:
        with _quiet():
            body: Any = traverse(parseQuery(text)[1], visitPost=partial(translatePName, prologue=Prologue()))
            body = traverse(body, visitPost=translatePath)
    except Exception:  # rdflib raises plain Exception, too
        return None
    return body.where if _is_grouped(body) else None


def _is_grouped(query: CompValue) -> bool:
    """Say whether a query with GROUP BY returns no plain variable but those that it groups by, as Jena wants it."""
    if query.groupby is None:
        return True
    keys = {str(getattr(key, "var", None) or key) for key in query.groupby.condition}
    return all(column.var is None or str(column.var) in keys for column in query.projection or ())


def _group(group: CompValue | None) -> Iterator[Sequence[Any]]:
    """Yield the triples of a group and of the groups in it."""
    if group is None or group.name == "SubSelect":
        return
    for part in group.part or ():
        if part.name == "TriplesBlock":
            for flat in part.triples:
                yield from (flat[at : at + 3] for at in range(0, len(flat), 3))
        elif part.name == "GroupOrUnionGraphPattern":
            for branch in part.graph:
                yield from _group(branch)
        elif part.name in _GROUPS:
            yield from _group(part.graph)


def _add(triple: Sequence[Any], concepts: list[tuple[str, bool]], relations: list[Relation]) -> None:
    from rdflib import Literal, URIRef

    subject, predicate, value = triple
    if isinstance(subject, URIRef):
        concepts.append((str(subject), False))
    if not isinstance(predicate, URIRef):
        raise _StopError
    concepts.append((str(predicate), True))
    if isinstance(value, URIRef):
        concepts.append((str(value), False))
    literal = _java_text(value) if isinstance(value, Literal) else None
    ends = [str(term) if isinstance(term, URIRef) else None for term in (subject, value)]
    relations.append(Relation(ends[0], str(predicate), ends[1], literal))


def _java_text(literal: Literal) -> str:
    """Return a literal as Java prints its value; dates and times stay as they are written."""
    from rdflib import Literal

    with _quiet():
        plain = Literal(str(literal), datatype=literal.datatype, lang=literal.language)
    if plain.ill_typed:
        raise _StopError
    if isinstance(plain.value, float):
        return _java_double(plain.value)
    if isinstance(plain.value, Decimal):
        value = plain.value.normalize(Context(prec=max(28, len(literal))))
        return str(int(value) if value == value.to_integral_value() else value)
    return str(plain) if isinstance(plain.value, (bool, int)) else str(literal)


def _java_double(value: float) -> str:
    """Return a double as ``Double.toString``: an exponent below 0.001 and from ten million on.

    Examples
    --------
    >>> _java_double(5.0), _java_double(0.0001), _java_double(1e7), _java_double(float("-inf"))
    ('5.0', '1.0E-4', '1.0E7', '-Infinity')
    """
    if not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    if value == 0 or _PLAIN[0] <= abs(value) < _PLAIN[1]:
        return repr(value)
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    first, rest = str(digits[0]), "".join(map(str, digits[1:]))
    return f"{'-' * sign}{first}.{rest or '0'}E{int(exponent) + len(rest)}"
