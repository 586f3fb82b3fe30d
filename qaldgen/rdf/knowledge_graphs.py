"""Recognise knowledge graphs by queries and IRIs, and the roles of their IRIs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

#: Of graphs with equally many IRIs, the first one here is chosen.
_TIE_ORDER = ("dbpedia", "wikidata", "freebase")
XSD = "http://www.w3.org/2001/XMLSchema#"
_RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_WIKIDATA = "http://www.wikidata.org/prop/"
#: Predicates from a resource to its class.
TYPE_PREDICATES = {
    _RDF_TYPE,
    "http://rdf.freebase.com/ns/type.object.type",
    f"{_WIKIDATA}P31",
    f"{_WIKIDATA}direct/P31",
    f"{_WIKIDATA}statement/P31",
}
#: Predicates from a class to a wider one.
SUBCLASS_PREDICATES = {
    "http://www.w3.org/2000/01/rdf-schema#subClassOf",
    f"{_WIKIDATA}P279",
    f"{_WIKIDATA}direct/P279",
    f"{_WIKIDATA}statement/P279",
}
_BIGDATA = "http://www.bigdata.com/"
#: Subjects of patterns that instruct Blazegraph (Wikidata's endpoint) rather than query the graph:
#: parameters of SERVICE, and hints to the optimiser.
DIRECTIVES = {
    f"<{_BIGDATA}rdf#serviceParam>",
    f"<{_BIGDATA}queryHints#Query>",
    f"<{_BIGDATA}queryHints#SubQuery>",
    f"<{_BIGDATA}queryHints#Group>",
    f"<{_BIGDATA}queryHints#GroupAndSubGroups>",
    f"<{_BIGDATA}queryHints#Prior>",
}
#: Namespaces whose names may hold slashes.
NAMESPACE = re.compile(
    r"https?://(?:[a-z-]+\.)?dbpedia\.org/(?:resource|ontology|property|class/yago)/"
)
_QUALIFIER = re.compile(re.escape(_WIKIDATA) + r"qualifier/(?:value/|value-normalized/)?P\d+")
_STATEMENT = re.compile(
    re.escape(_WIKIDATA) + r"(?:(?:statement|qualifier)/(?:value/|value-normalized/)?)?P\d+"
)
_VALUE = re.compile(r"http://wikiba\.se/ontology(?:-beta)?#(?:quantity|time|geo)\w+")
_TEMPORAL = re.compile(
    re.escape(XSD) + r"(?:date|dateTime|dateTimeStamp|time|gYear|gYearMonth|gMonth|gMonthDay|gDay)"
)


class _Graph(NamedTuple):
    """The patterns of a knowledge graph."""

    iris: re.Pattern[str]  # the start of its IRIs
    query_terms: re.Pattern[str]  # the terms in queries on it
    #: A query on it contains one of these texts: a fast check before the pattern.
    required_texts: tuple[str, ...]


#: In the order in which queries are tested.
_GRAPHS = {
    "wikidata": _Graph(
        re.compile(r"https?://www\.wikidata\.org/"),
        re.compile(r"wikidata\.org/|\b(?:wdt|wd|p|ps|pq|pr):[QP][0-9]"),
        ("wikidata.org/", ":Q", ":P"),
    ),
    "freebase": _Graph(
        re.compile(r"https?://rdf\.freebase\.com/"),
        re.compile(r"rdf\.freebase\.com/|\bns:[mg]\."),
        ("rdf.freebase.com/", "ns:"),
    ),
    "dbpedia": _Graph(
        re.compile(r"https?://(?:[a-z-]+\.)?dbpedia\.org/"),
        re.compile(r"dbpedia\.org/|\b(?:dbo|dbr|dbp|dbc|dbpedia):\w"),
        ("dbpedia.org/", "db"),
    ),
}


def graph_of_query(query: str) -> str:
    """Return the knowledge graph whose terms a query uses; empty without one.

    >>> graph_of_query("SELECT ?x { wd:Q64 wdt:P17 ?x }"), graph_of_query("ASK { ?s ?p ?o }")
    ('wikidata', '')
    """
    for name, graph in _GRAPHS.items():
        if any(text in query for text in graph.required_texts) and graph.query_terms.search(query):
            return name
    return ""


def graph_of_iris(iris: Iterable[str]) -> str:
    """Return the graph of most IRIs, or ``other``; ties go to dbpedia, then wikidata.

    >>> graph_of_iris(["http://dbpedia.org/resource/Ulm", "http://x.org/a"]), graph_of_iris([])
    ('dbpedia', 'other')
    """
    counts = dict.fromkeys(_TIE_ORDER, 0)
    for iri in iris:
        for name in _TIE_ORDER:
            counts[name] += _GRAPHS[name].iris.match(iri) is not None
    most_frequent = max(counts, key=counts.__getitem__)
    return most_frequent if counts[most_frequent] else "other"


def is_qualifier(iri: str) -> bool:
    """Return whether a predicate is a Wikidata qualifier (``pq:``, ``pqv:``, ``pqn:``)."""
    return _QUALIFIER.fullmatch(iri) is not None


def is_temporal(datatype: str) -> bool:
    """Return whether a datatype, or the cast to it, is one of dates and times."""
    return _TEMPORAL.fullmatch(datatype) is not None


def namespace_of(iri: str) -> str:
    """Return an IRI without its local name, which may hold slashes in DBpedia.

    >>> namespace_of("http://dbpedia.org/resource/AC/DC")
    'http://dbpedia.org/resource/'
    >>> namespace_of("http://www.wikidata.org/prop/direct/P36")
    'http://www.wikidata.org/prop/direct/'
    """
    namespace = NAMESPACE.match(iri)
    if namespace:
        return namespace[0]
    return re.sub(r"[^/#]*$", "", iri)


def half_hops(predicate: str) -> int:
    """Return the length of a predicate in half hops.

    2 for an ordinary predicate. 1 for one that leads to or from a statement node (``p:``, ``ps:``,
    ``pq:``), so that the way over the node counts as one hop. 0 from the value node of a statement
    to its number.
    """
    if _VALUE.fullmatch(predicate):
        return 0
    if _STATEMENT.fullmatch(predicate):
        return 1
    return 2
