"""GERBIL's sub-experiments of question answering: what the queries name, and the answer type.

What GERBIL reads out of a query is read as ``QAUtils`` of dice-group/gerbil does, branch
QuestionAnswering, commit 794c41a1, with Jena 3.6.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Context, Decimal
from functools import lru_cache
from typing import NamedTuple

from qaldgen.answers.record import Response, Run
from qaldgen.model import Question
from qaldgen.questions.question_texts import language_tag
from qaldgen.scoring.counts import Count
from qaldgen.scoring.gerbil.answers import SAME_AS, is_known, match_known
from qaldgen.scoring.measures import MEASURES
from qaldgen.sparql.grammar import Literal, NotSparqlError, literal_of, parse
from qaldgen.sparql.repair import repair
from qaldgen.sparql.tokens import undeclared_prefixes
from qaldgen.sparql.tree import Block, Branches, Group, Query, Triple, Triples

_TEXT = re.compile(r'text:"([^"]*)"')
_TEXT_PROPERTY = "http://okbqa.org/text#query"
#: What Jena allows beyond standard SPARQL: computed columns without a name.
_ALLOWED = {"bare-aggregate", "missing-alias"}
_BARE_ALIAS = re.compile(r"\bAS\s+[?$]\w+\b(?!\s*\))", re.IGNORECASE)
#: Java prints doubles within these bounds without an exponent.
_PLAIN = (1e-3, 1e7)


class Relation(NamedTuple):
    """A triple of a query."""

    #: IRIs; None for a variable, a blank node or a literal.
    subject: str | None
    predicate: str  # an IRI
    object: str | None
    literal: str | None = None  # the text of an object that is a literal


class Markings(NamedTuple):
    """The IRIs and triples of a query, in order and with repetitions."""

    #: The IRIs of subjects, predicates and objects, and whether it is a predicate.
    concepts: tuple[tuple[str, bool], ...] = ()
    relations: tuple[Relation, ...] = ()  # the triples

    @property
    def properties(self) -> tuple[str, ...]:
        """The IRIs of predicates."""
        return tuple(iri for iri, is_property in self.concepts if is_property)


class _StopError(Exception):
    """The walk ends here, as it does in GERBIL by an exception that it swallows."""


@lru_cache(1 << 14)
def query_markings(query: str) -> Markings:
    """Return what GERBIL reads out of a query; nothing if Jena would not parse it.

    Groups, OPTIONAL, UNION, MINUS, GRAPH and SERVICE are walked; sub-queries, FILTER, BIND and
    VALUES are not. A property path, a variable predicate or a literal that does not fit its
    datatype ends the walk; what was found before stays.

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
    """Replace each ``text:"..."`` of a hybrid question by a variable and a triple with the text."""
    start = query.lower().find("where {") + len("where {")
    texts = _TEXT.findall(query[start:])
    if start < len("where {") or not texts:
        return query
    numbers = iter(range(len(texts)))
    rest = _TEXT.sub(lambda _: f"?text{next(numbers)}", query[start:])
    triples = "".join(
        f' ?text{number} <{_TEXT_PROPERTY}> "{text}" .' for number, text in enumerate(texts)
    )
    return query[:start] + triples + rest


def _parse(query: str) -> Group | None:
    """Return the WHERE pattern, IRIs in full; None if Jena would not parse the query."""
    text, repairs = repair(query)
    if set(repairs) - _ALLOWED or undeclared_prefixes(query) or _BARE_ALIAS.search(query):
        return None
    try:
        tree = parse(text)
    except NotSparqlError:
        return None
    return tree.where if _is_grouped(tree) else None


def _is_grouped(query: Query) -> bool:
    """Say whether a query returns only the plain variables that it groups by, as Jena wants it."""
    keys = {condition.variable or condition.expression for condition in query.group_by}
    return not keys or all(
        column.expression is not None or column.variable in keys for column in query.columns
    )


def _group(group: Group | None) -> Iterator[Triple]:
    """Yield the triples of a group and of the groups in it."""
    for part in group.parts if group is not None else ():
        if isinstance(part, Triples):
            yield from part.triples
        elif isinstance(part, Branches):
            for branch in part.groups:
                yield from _group(branch)
        elif isinstance(part, Block):
            yield from _group(part.group)


def _add(triple: Triple, concepts: list[tuple[str, bool]], relations: list[Relation]) -> None:
    subject, predicate, value = triple
    if subject.startswith("<"):
        concepts.append((subject[1:-1], False))
    if not isinstance(predicate, str) or not predicate.startswith("<"):
        raise _StopError
    concepts.append((predicate[1:-1], True))
    if value.startswith("<"):
        concepts.append((value[1:-1], False))
    literal = _java_text(literal_of(value)) if value.startswith('"') else None
    ends = [term[1:-1] if term.startswith("<") else None for term in (subject, value)]
    relations.append(Relation(ends[0], predicate[1:-1], ends[1], literal))


def _java_text(literal: Literal) -> str:
    """Return a literal as Java prints its value; dates and times as they are written."""
    from rdflib import Literal as TypedLiteral
    from rdflib import URIRef

    with _quiet():
        plain = TypedLiteral(
            literal.value, datatype=URIRef(literal.datatype) if literal.datatype else None
        )
    if plain.ill_typed:
        raise _StopError
    if isinstance(plain.value, float):
        return _java_double(plain.value)
    if isinstance(plain.value, Decimal):
        # Enough digits for any literal: the default of 28 would round long decimals.
        value = plain.value.normalize(Context(prec=max(28, len(literal.value))))
        return str(int(value) if value == value.to_integral_value() else value)
    return str(plain) if isinstance(plain.value, (bool, int)) else literal.value


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep rdflib from logging literals that do not fit their datatype."""
    logger = logging.getLogger("rdflib.term")
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


def _java_double(value: float) -> str:
    """Return a double as ``Double.toString``: an exponent below 0.001 and from ten million on.

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


_SIX = (
    "micro-precision",
    "micro-recall",
    "micro-f1",
    "macro-precision",
    "macro-recall",
    "macro-f1",
)
_QALD = (*_SIX, "macro-f1-qald")


class _Asked(NamedTuple):
    """The markings and types of one question, and the closure of an IRI of the gold."""

    gold: Markings
    given: Markings
    gold_type: str
    given_type: str
    same: Callable[[str], frozenset[str]]


def sub_experiments(
    questions: Iterable[Question], run: Run, *, same_as: str = "none", language: str | None = None
) -> dict[str, dict[str, float]]:
    """Compute GERBIL's sub-experiments on the queries and the answer types."""
    asked = [
        _asked(question, run.responses_to(question)[-1], SAME_AS[same_as])
        for question in questions
        if language is None or question.texts.get(language_tag(language))
    ]
    if not asked:
        return {}
    results = {"C2KB": _known(asked, lambda markings: [iri for iri, _ in markings.concepts])}
    if any(item.gold.properties or item.given.properties for item in asked):
        results["P2KB"] = _known(asked, lambda markings: markings.properties)
    if any(item.gold.relations or item.given.relations for item in asked):
        results["RE2KB"] = _measured([_relations(item) for item in asked], _QALD)
    if any(item.gold_type or item.given_type for item in asked):
        types = [
            ([item.gold_type] * bool(item.gold_type), [item.given_type] * bool(item.given_type))
            for item in asked
        ]
        results["AType"] = _measured(
            [_one_to_one(gold, given, str.__eq__) for gold, given in types], _QALD
        )
    return results


def _asked(question: Question, response: Response, same: Callable[[str], frozenset[str]]) -> _Asked:
    text_search = question.said("pseudoquery")
    query = question.sparql or (text_search if 'text:"' in text_search else "")
    # A type from a field called "answertype" has a name that GERBIL does not know.
    gold_type = "" if "answertype" in question.metadata else question.answer_type
    return _Asked(
        query_markings(query), query_markings(response.query), gold_type, response.answer_type, same
    )


def _known(asked: Sequence[_Asked], iris: Callable[[Markings], Sequence[str]]) -> dict[str, float]:
    """Compare IRIs: all, those in known knowledge bases (InKB), and the others (EE)."""
    rows: dict[str, list[Count]] = {"": [], "InKB ": [], "EE ": []}
    for item in asked:
        gold = [item.same(iri) for iri in iris(item.gold)]
        given = [frozenset([iri]) for iri in iris(item.given)]
        rows[""].append(match_known(gold, given)[0])
        for name, known in (("InKB ", True), ("EE ", False)):
            wanted = [uris for uris in gold if is_known(uris) == known]
            rows[name].append(
                match_known(wanted, [uris for uris in given if is_known(uris) == known])[0]
            )
    measured: dict[str, float] = {}
    for name, counts in rows.items():
        if not name or any(any(count) for count in counts):
            measured |= {name + label: value for label, value in _measured(counts, _SIX).items()}
    return measured | {"confidence threshold": 0.0}


def _relations(item: _Asked) -> Count:
    """Compare triples: IRIs by overlap, variables with variables, literals by their text."""

    def equal(gold: tuple[object, ...], given: tuple[object, ...]) -> bool:
        for at, (wanted, got) in enumerate(zip(gold, given, strict=True)):
            if wanted is None or got is None:
                alike = wanted is got
            elif at < _LITERAL:
                alike = got in item.same(str(wanted))
            else:
                alike = wanted == got
            if not alike:
                return False
        return True

    return _one_to_one(item.gold.relations, item.given.relations, equal)


#: The place of the literal in a `Relation`; the places before it have IRIs.
_LITERAL = 3


def _one_to_one(
    gold: Sequence[object], given: Sequence[object], equal: Callable[..., bool]
) -> Count:
    """Give each gold item the first free item that equals it."""
    free = list(given)
    for wanted in gold:
        hit = next((at for at, got in enumerate(free) if equal(wanted, got)), None)
        if hit is not None:
            del free[hit]
    right = len(given) - len(free)
    return Count(right, len(free), len(gold) - right)


def _measured(counts: Sequence[Count], names: Iterable[str]) -> dict[str, float]:
    """Return measures of counts by their labels."""
    import pandas as pd

    frame = pd.DataFrame(
        [(*count, count.precision, count.recall, count.f1) for count in counts],
        columns=["tp", "fp", "fn", "precision", "recall", "f1"],
    )
    return {MEASURES[name].label: MEASURES[name].of(frame, None) for name in names}
