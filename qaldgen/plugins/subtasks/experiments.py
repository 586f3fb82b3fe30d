"""GERBIL's sub-experiments of question answering: resources of queries, and answer types.

The resources of a query are read as ``QAUtils`` of dice-group/gerbil does, branch
QuestionAnswering, commit 794c41a1, with Jena 3.6.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Context, Decimal
from functools import lru_cache
from typing import NamedTuple

from qaldgen.answers.record import Run
from qaldgen.model import Question
from qaldgen.questions.question_texts import language_tag
from qaldgen.scoring.counts import Count
from qaldgen.scoring.gerbil.answers import SAME_AS, is_known, match_known
from qaldgen.scoring.measures import MEASURES
from qaldgen.sparql.grammar import Literal, NotSparqlError, literal_of, parse
from qaldgen.sparql.repair import repair
from qaldgen.sparql.tokens import undeclared_prefixes
from qaldgen.sparql.tree import Block, Branches, Group, Triple, Triples

_TEXT = re.compile(r'text:"([^"]*)"')
_TEXT_PROPERTY = "http://okbqa.org/text#query"
#: The repairs that Jena does not need: it allows computed columns without a name.
_ALLOWED = {"bare-aggregate", "missing-alias"}
_BARE_ALIAS = re.compile(r"\bAS\s+[?$]\w+\b(?!\s*\))", re.IGNORECASE)
#: Java prints doubles within these bounds without an exponent.
_DECIMAL_BOUNDS = (1e-3, 1e7)
_BASE_MEASURES = (
    "micro-precision",
    "micro-recall",
    "micro-f1",
    "macro-precision",
    "macro-recall",
    "macro-f1",
)
_QALD_MEASURES = (*_BASE_MEASURES, "macro-f1-qald")


class Relation(NamedTuple):
    """A triple of a query."""

    #: IRIs; None for a variable, a blank node or a literal.
    subject: str | None
    predicate: str  # an IRI
    object: str | None
    literal: str | None = None  # the text of an object that is a literal

    def equals(self, answer: Relation, equivalents: Callable[[str], frozenset[str]]) -> bool:
        """Return whether the triple of an answer is equal to this one of the gold.

        IRIs are equal to all their equivalents, literals by their text, and all variables are.
        """
        for gold_iri, answer_iri in zip(self[:3], answer[:3], strict=True):
            if gold_iri is None or answer_iri is None:
                if gold_iri is not answer_iri:
                    return False
            elif answer_iri not in equivalents(gold_iri):
                return False
        return self.literal == answer.literal


class Markings(NamedTuple):
    """The IRIs and triples of a query, in order and with repetitions."""

    #: The IRIs of subjects, predicates and objects, each with whether it is a predicate.
    concepts: tuple[tuple[str, bool], ...] = ()
    relations: tuple[Relation, ...] = ()  # the triples

    @property
    def iris(self) -> tuple[str, ...]:
        """The IRIs of all concepts."""
        return tuple(iri for iri, _ in self.concepts)

    @property
    def properties(self) -> tuple[str, ...]:
        """The IRIs of predicates."""
        return tuple(iri for iri, is_property in self.concepts if is_property)


@lru_cache(1 << 14)
def query_markings(query: str) -> Markings:
    """Return GERBIL's markings of a query; none if Jena would not parse it.

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
    for subject, predicate, value in _walk_triples(_parse_pattern(_without_text_search(query))):
        if subject.startswith("<"):
            concepts.append((subject[1:-1], False))
        if not isinstance(predicate, str) or not predicate.startswith("<"):
            break
        concepts.append((predicate[1:-1], True))

        literal = None
        if value.startswith("<"):
            concepts.append((value[1:-1], False))
        elif value.startswith('"'):
            literal = _java_text(literal_of(value))
            if literal is None:
                break

        ends = [term[1:-1] if term.startswith("<") else None for term in (subject, value)]
        relations.append(Relation(ends[0], predicate[1:-1], ends[1], literal))

    return Markings(tuple(concepts), tuple(relations))


def _without_text_search(query: str) -> str:
    """Replace each ``text:"..."`` of a hybrid question by a variable and a triple with the text."""
    start = query.lower().find("where {") + len("where {")
    texts = _TEXT.findall(query[start:])
    if start < len("where {") or not texts:
        return query
    numbers = iter(range(len(texts)))
    body = _TEXT.sub(lambda _: f"?text{next(numbers)}", query[start:])
    triples = "".join(
        f' ?text{number} <{_TEXT_PROPERTY}> "{text}" .' for number, text in enumerate(texts)
    )
    return query[:start] + triples + body


def _parse_pattern(query: str) -> Group | None:
    """Return the WHERE pattern with full IRIs; None if Jena would not parse the query."""
    text, repairs = repair(query)
    if set(repairs) - _ALLOWED or undeclared_prefixes(query) or _BARE_ALIAS.search(query):
        return None
    try:
        tree = parse(text)
    except NotSparqlError:
        return None
    keys = {condition.variable or condition.expression for condition in tree.group_by}
    if keys:
        for column in tree.columns:
            if column.expression is None and column.variable not in keys:
                return None
    return tree.where


def _walk_triples(group: Group | None) -> Iterator[Triple]:
    """Yield the triples of a group and of the groups in it."""
    if group is None:
        return
    for part in group.parts:
        if isinstance(part, Triples):
            yield from part.triples
        elif isinstance(part, Branches):
            for branch in part.groups:
                yield from _walk_triples(branch)
        elif isinstance(part, Block):
            yield from _walk_triples(part.group)


def _java_text(literal: Literal) -> str | None:
    """Return a literal as Java prints its value, dates unchanged; None for an invalid value."""
    from rdflib import Literal as TypedLiteral
    from rdflib import URIRef

    datatype = URIRef(literal.datatype) if literal.datatype else None
    logger = logging.getLogger("rdflib.term")  # logs values that do not fit their datatype
    was_disabled = logger.disabled
    logger.disabled = True
    try:
        typed_literal = TypedLiteral(literal.value, datatype=datatype)
    finally:
        logger.disabled = was_disabled
    if typed_literal.ill_typed:
        return None
    if isinstance(typed_literal.value, float):
        return _java_double(typed_literal.value)
    if isinstance(typed_literal.value, Decimal):
        # the default precision of 28 digits would round long decimals
        value = typed_literal.value.normalize(Context(prec=max(28, len(literal.value))))
        if value == value.to_integral_value():
            return str(int(value))
        return str(value)
    if not isinstance(typed_literal.value, (bool, int)):
        return literal.value
    return str(typed_literal)


def _java_double(value: float) -> str:
    """Return a double as ``Double.toString``, with an exponent below 0.001 and from 1e7 on.

    >>> _java_double(5.0), _java_double(0.0001), _java_double(1e7), _java_double(float("-inf"))
    ('5.0', '1.0E-4', '1.0E7', '-Infinity')
    """
    if not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    low, high = _DECIMAL_BOUNDS
    if value == 0 or low <= abs(value) < high:
        return repr(value)
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    fraction = "".join(map(str, digits[1:]))
    minus = "-" if sign else ""
    return f"{minus}{digits[0]}.{fraction or '0'}E{int(exponent) + len(fraction)}"


def sub_experiments(
    questions: Iterable[Question], run: Run, *, same_as: str = "none", language: str | None = None
) -> dict[str, dict[str, float]]:
    """Compute GERBIL's sub-experiments on the queries and the answer types."""
    # of each question what the gold has, and what the answer has
    iris = []
    properties = []
    relations = []
    types = []
    for question in questions:
        if language is not None and not question.texts.get(language_tag(language)):
            continue
        response = run.responses_to(question)[-1]

        query = question.sparql
        text_search = question.said("pseudoquery")
        if not query and 'text:"' in text_search:
            query = text_search

        gold = query_markings(query)
        answer = query_markings(response.query)
        iris.append((gold.iris, answer.iris))
        properties.append((gold.properties, answer.properties))
        relations.append((gold.relations, answer.relations))
        # GERBIL does not read the field "answertype"
        gold_type = "" if "answertype" in question.metadata else question.answer_type
        types.append((gold_type, response.answer_type))

    if not iris:
        return {}

    equivalents = SAME_AS[same_as]
    results = {"C2KB": _compare_by_base(iris, equivalents)}
    if any(gold_part or answer_part for gold_part, answer_part in properties):
        results["P2KB"] = _compare_by_base(properties, equivalents)
    if any(gold_part or answer_part for gold_part, answer_part in relations):
        counts = [_compare_relations(*pair, equivalents) for pair in relations]
        results["RE2KB"] = _measure_counts(counts, _QALD_MEASURES)
    if any(gold_part or answer_part for gold_part, answer_part in types):
        counts = []
        for gold_type, answer_type in types:
            tp = int(bool(gold_type) and gold_type == answer_type)
            counts.append(Count(tp, fp=bool(answer_type) - tp, fn=bool(gold_type) - tp))
        results["AType"] = _measure_counts(counts, _QALD_MEASURES)

    return results


def _compare_relations(
    gold: Sequence[Relation],
    answers: Sequence[Relation],
    equivalents: Callable[[str], frozenset[str]],
) -> Count:
    """Compare triples, each gold triple with the first equal one of the answer that is left."""
    unpaired = list(answers)
    for relation in gold:
        for index, answer in enumerate(unpaired):
            if relation.equals(answer, equivalents):
                del unpaired[index]
                break
    tp = len(answers) - len(unpaired)
    return Count(tp=tp, fp=len(unpaired), fn=len(gold) - tp)


def _compare_by_base(
    pairs: Sequence[tuple[Sequence[str], Sequence[str]]],
    equivalents: Callable[[str], frozenset[str]],
) -> dict[str, float]:
    """Compare IRIs of gold and answers: all, those in known knowledge bases (InKB), others (EE)."""
    rows: dict[str, list[Count]] = {"": [], "InKB ": [], "EE ": []}
    for gold_iris, answer_iris in pairs:
        gold = [equivalents(iri) for iri in gold_iris]
        answers = [frozenset([iri]) for iri in answer_iris]
        rows[""].append(match_known(gold, answers)[0])
        for name, in_known_base in (("InKB ", True), ("EE ", False)):
            gold_of_base = [uris for uris in gold if is_known(uris) == in_known_base]
            answers_of_base = [uris for uris in answers if is_known(uris) == in_known_base]
            rows[name].append(match_known(gold_of_base, answers_of_base)[0])
    values: dict[str, float] = {}
    for name, counts in rows.items():
        if not name or any(any(count) for count in counts):
            measures = _measure_counts(counts, _BASE_MEASURES)
            values |= {name + label: number for label, number in measures.items()}
    return values | {"confidence threshold": 0.0}


def _measure_counts(counts: Sequence[Count], names: Iterable[str]) -> dict[str, float]:
    """Return measures of counts by their labels."""
    import pandas as pd

    frame = pd.DataFrame(
        [(*count, count.precision, count.recall, count.f1) for count in counts],
        columns=["tp", "fp", "fn", "precision", "recall", "f1"],
    )
    return {MEASURES[name].label: MEASURES[name].of(frame, None) for name in names}
