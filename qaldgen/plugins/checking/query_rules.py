"""Rules on queries: their syntax, what they ask, their IRIs, and whether they were executed."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from qaldgen.io.text import count
from qaldgen.model import Question
from qaldgen.plugins.checking.checks import Case, Hit, each_query, each_question, quoted
from qaldgen.sparql.grammar import NotSparqlError, parse
from qaldgen.sparql.repair import repair, unknown_prefixes
from qaldgen.sparql.tokens import tokenize
from qaldgen.sparql.tree import Aggregate, Query, all_queries

#: Addresses of pages that people use as IRIs, and the correct IRIs.
_PAGE_ADDRESSES = (
    (
        re.compile(
            r"https(://www\.w3\.org/(?:1999/02/22-rdf-syntax-ns|2000/01/rdf-schema|"
            r"2001/XMLSchema|2002/07/owl)#)"
        ),
        r"http\1",
    ),
    (re.compile(r"https(://dbpedia\.org/(?:resource|ontology|property|class)/)"), r"http\1"),
    (re.compile(r"https?(://dbpedia\.org/)page/"), r"http\1resource/"),
    (re.compile(r"https(://www\.wikidata\.org/(?:entity|prop)/)"), r"http\1"),
    (
        re.compile(r"https?://(?:www\.|m\.)?wikidata\.org/wiki/(?:Property:)?(?=[QPL][0-9])"),
        "http://www.wikidata.org/entity/",
    ),
    (re.compile(r"https?://wikidata\.org/(?=entity/|prop/)"), "http://www.wikidata.org/"),
)
#: The aggregates whose result depends on repetitions.
_COUNTING = {"COUNT", "SUM", "AVG"}
#: The functions that give another value each time.
_CHANGING = {"NOW", "RAND", "UUID", "STRUUID"}
_CHANGING_WORD = re.compile(r"\b(?:now|rand|(?:str)?uuid)\b", re.IGNORECASE)


class Diagnosis(NamedTuple):
    """The faults of a query, in itself or in a sub-query."""

    repairs: tuple[str, ...] = ()  # that it needed
    error: str = ""  # of the parser
    distinct_aggregate: str = ""  # counts repetitions behind a DISTINCT that changes nothing
    is_cut_unordered: bool = False  # has LIMIT or OFFSET without ORDER BY


@functools.lru_cache(maxsize=20_000)
def diagnose(query: str) -> Diagnosis:
    """Return whether a query is standard SPARQL, needs repair, or cannot be parsed.

    The parser is that of the features.

    >>> diagnose("SELECT COUNT(?x) { ?x ?y ?z }").repairs
    ('bare-aggregate',)
    """
    text, repairs = repair(query, bind_unknown=True)
    try:
        selects = list(all_queries(parse(text)))
    except NotSparqlError as error:
        return Diagnosis(error=str(error))
    aggregates = filter(None, map(_distinct_aggregate, selects))
    return Diagnosis(repairs, "", next(aggregates, ""), any(map(_is_cut_unordered, selects)))


def _distinct_aggregate(select: Query) -> str:
    """Return the aggregate that counts repetitions although DISTINCT stands in front of it."""
    if select.modifier != "DISTINCT" or select.group_by:
        return ""
    for column in select.columns:
        value = column.expression
        if isinstance(value, Aggregate) and not value.distinct and value.name in _COUNTING:
            return value.name
    return ""


def _is_cut_unordered(select: Query) -> bool:
    """Return whether a query takes some of several rows without an order."""
    if select.form != "SELECT" or select.order_by:
        return False
    has_aggregates = all(isinstance(column.expression, Aggregate) for column in select.columns)
    has_one_row = bool(select.columns) and has_aggregates and not select.group_by
    return (select.limit is not None or bool(select.offset)) and not has_one_row


@each_query
def query_unparsable(query: str) -> str:
    """Find queries that cannot be parsed, even after the repair."""
    return diagnose(query).error


@each_query
def query_repaired(query: str) -> str:
    """Find the queries that are SPARQL only after a repair."""
    repairs = [code for code in diagnose(query).repairs if code != "unknown-prefix"]
    if not repairs:
        return ""
    return f"the query is not standard SPARQL ({', '.join(repairs)})"


@each_query
def query_prefix(query: str) -> str:
    """Find queries with a prefix that is neither declared nor well known."""
    if "unknown-prefix" not in diagnose(query).repairs:
        return ""
    return f"the query uses {' and '.join(unknown_prefixes(query))} without declaring it"


@each_query
def query_distinct_count(query: str) -> str:
    """Find DISTINCT in front of an aggregate that counts repetitions."""
    aggregate = diagnose(query).distinct_aggregate
    if not aggregate:
        return ""
    return f"DISTINCT stands in front of {aggregate}, where it changes nothing"


@each_query
def query_limit_unordered(query: str) -> str:
    """Find queries that choose some of their rows without an order."""
    if not diagnose(query).is_cut_unordered:
        return ""
    return "LIMIT or OFFSET without ORDER BY takes whatever rows come first"


@each_query
def query_changing(query: str) -> str:
    """Find queries whose answer changes each time."""
    if not _CHANGING_WORD.search(query):  # spares cutting nearly all queries into tokens
        return ""
    for token, following in pairwise(tokenize(query)):
        if following.text == "(" and token.word in _CHANGING:
            return f"{token.word}() gives another value each time"
    return ""


def query_missing(case: Case) -> Iterator[Hit]:
    """Find questions without a query, if at least half of all questions have one."""
    without_query = [member for member in case.members if not member.sparql]
    if 2 * len(without_query) <= len(case.members):
        yield from (Hit(question.id, "has no query") for question in without_query)


def resource_iri(address: str) -> str | None:
    """Return the IRI of the resource that a page is about; None for any other address.

    >>> resource_iri("https://www.wikidata.org/wiki/Q64")
    'http://www.wikidata.org/entity/Q64'
    >>> resource_iri("http://www.wikidata.org/entity/Q64")
    """
    for pattern, replacement in _PAGE_ADDRESSES:
        if pattern.match(address):
            return pattern.sub(replacement, address, count=1)
    return None


def iri_look_alike(case: Case) -> Iterator[Hit]:
    """Find addresses of pages in queries and answers that stand for IRIs of resources."""
    for item_id, query in case.queries():
        if not any(pattern.search(query) for pattern, _ in _PAGE_ADDRESSES):
            continue
        iris = (token.text[1:-1] for token in tokenize(query) if token.kind == "iri")
        for iri in dict.fromkeys(iris):
            resource = resource_iri(iri)
            if resource:
                yield Hit(item_id, f"the query has <{iri}>, probably instead of <{resource}>")
    for item_id, answers in case.answers():
        addresses = [cell.value for cell in answers.cells() if cell.type == "uri"]
        page_addresses = [address for address in dict.fromkeys(addresses) if resource_iri(address)]
        if page_addresses:
            number = count(len(page_addresses), "answer")
            first = page_addresses[0]
            yield Hit(
                item_id,
                f"{number} with the wrong IRI, such as {quoted(first)},"
                f" probably instead of <{resource_iri(first)}>",
            )


@each_question
def query_answer_form(question: Question) -> str:
    """Find ASK queries with rows as answer, and SELECT queries with a boolean."""
    query = question.sparql
    answers = question.gold
    if not answers.rows and answers.boolean is None:
        return ""
    form = next((token.word for token in tokenize(query) if token.word in {"ASK", "SELECT"}), "")
    # ``ASK {}`` is a placeholder where a query is mandatory
    if not form or re.search(r"\{\s*\}\s*$", query):
        return ""
    words = {value.lower() for value in answers.values()}
    is_boolean = answers.boolean is not None or words <= {"true", "false"}
    if is_boolean == (form == "ASK"):
        return ""
    result = "true or false" if is_boolean else count(len(answers.rows), "row")
    return f"the query is {form}, but the gold answer is {result}"


def query_not_executed(case: Case) -> Iterator[Hit]:
    """Find queries that could not be executed, or whose answer may be truncated."""
    for name, response in case.executed.items():
        if response.answers is None:
            yield Hit(name, f"the query was not executed: {response.error}")
        elif response.error:
            yield Hit(name, f"the result of the query may be incomplete: {response.error}")
