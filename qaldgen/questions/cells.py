"""Convert a text to a cell: an IRI, which may be prefixed or an identifier, or a literal."""

from __future__ import annotations

import functools
import re

from qaldgen.model import Cell
from qaldgen.questions.results_json import iri_or_literal
from qaldgen.questions.truth_values import parse_truth
from qaldgen.sparql.repair import DEFAULT_PREFIXES

WIKIDATA = "http://www.wikidata.org/entity/"
YAGO = "http://yago-knowledge.org/resource/"
FREEBASE = "http://rdf.freebase.com/ns/"
#: The local names that are expected after a prefix, by the start of its namespace, since texts may
#: have colons too.
_LOCAL_NAMES = tuple(
    (start, re.compile(shape))
    for start, shape in {
        "http://www.wikidata.org/": r"[QPL][0-9]+\S*",
        "http://dbpedia.org/class/yago/": r"\w+[0-9]{5,}|Wikicat\w+|Yago\w+",
        "http://rdf.freebase.com/": r"[a-z]\w*(?:\.\w+)+",
        "http://dbpedia.org/resource/": r"[^\s/:]\S*",
        "": r"[^\W\d]\S*",
    }.items()
)
#: A literal as SPARQL writes it, with a datatype or a language.
_LITERAL = re.compile(
    r"""(?:"(?P<quoted>[^"\\]*)"|(?P<bare>[^\s"^@<]+(?=\^)))"""
    r"(?:\^\^<?(?P<datatype>https?://[^\s<>]+|xsd:\w+)>?|@(?P<tag>[A-Za-z]{2,3}(?:-\w+)*))"
)
_IN_BRACKETS = re.compile(r"<\S+>")
_WIKIDATA_ID = re.compile(r"[QP][0-9]+")
#: The id of an item after its name: ``Paris (Q90)``; with one digit it may be a quarter.
_NAMED_ITEM = re.compile(r"[^\W\d_].*\s\((?:wd:)?(?P<item>Q[1-9][0-9]+)\)")
#: Identifiers of Freebase in any set, and in sets that are known to be of Freebase.
_MID = re.compile(r"(?:ns:)?(?:m\.0|g\.1)[0-9a-z_]*")
_ANY_MID = re.compile(r"(?:ns:)?[mg]\.\w+")
#: An identifier of Freebase as in its dumps and its web addresses.
_SLASHED_ID = re.compile(r"(?:(?:www|rdf)\.freebase\.com)?/(?:ns/)?(?P<kind>[mg])/(?P<id>[01]\w*)")
_DATE = re.compile(r"-?[0-9]{4,}-[0-9]{2}-[0-9]{2}(?:T[0-9:.]+)?(?:Z|[+-][0-9:]+)?")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@functools.lru_cache(maxsize=4096)  # names of fields and many answers occur again and again
def parse_term(text: str, graph: str = "") -> Cell:
    """Return the cell of a text: an IRI, which may be prefixed or an identifier, or a literal.

    `graph` is the knowledge graph of the set, if it is known.

    >>> names = ("Q64", "<http://x.org/a>", "dbr:Berlin", "m.0d05w3", "12:30", "Berlin")
    >>> [parse_term(name).type for name in names]
    ['uri', 'uri', 'uri', 'uri', 'literal', 'literal']
    >>> parse_term('"Ulm"@de'), parse_term('"7"^^xsd:integer').datatype
    (Cell(type='literal', value='Ulm', datatype='', language='de'), 'http://www.w3.org/2001/XMLSchema#integer')
    """
    text = text.strip()
    if (text[:1] == '"' or "^^" in text) and (literal := _LITERAL.fullmatch(text)):
        datatype = expand_prefix(literal["datatype"] or "").value
        return Cell("literal", literal["quoted"] or literal["bare"], datatype, literal["tag"] or "")
    if text[:1] in {"Q", "P"} and _WIKIDATA_ID.fullmatch(text):
        return Cell("uri", WIKIDATA + text)
    if text[-1:] == ")" and (named_item := _NAMED_ITEM.fullmatch(text)):
        return Cell("uri", WIKIDATA + named_item["item"])
    if text[:1] in {"m", "g", "n"} and (_ANY_MID if graph == "freebase" else _MID).fullmatch(text):
        return Cell("uri", FREEBASE + text.removeprefix("ns:"))
    if text[:1] in {"/", "w", "r"} and (slashed := _SLASHED_ID.fullmatch(text)):
        return Cell("uri", f"{FREEBASE}{slashed['kind']}.{slashed['id']}")
    if _IN_BRACKETS.fullmatch(text):
        text = text[1:-1]
    return expand_prefix(text)


def guess_answer_type(text: str) -> str:
    """Return the answer type that a text looks like; empty for a blank text.

    >>> [guess_answer_type(text) for text in ("Q64", "3.5", "1999-05-01", "true", "Ulm", " ")]
    ['resource', 'number', 'date', 'boolean', 'string', '']
    """
    text = text.strip()
    if not text:
        return ""
    if parse_truth(text) is not None:
        return "boolean"
    if _NUMBER.fullmatch(text):
        return "number"
    if _DATE.fullmatch(text):
        return "date"
    if parse_term(text).type == "uri":
        return "resource"
    return "string"


def parse_number(text: str) -> float | None:
    """Return a text as a number; None if it is not a number."""
    if _NUMBER.fullmatch(text.strip()):
        return float(text)
    return None


def expand_prefix(value: str) -> Cell:
    """Return a cell like `iri_or_literal`, resolving the common prefixes of knowledge graphs.

    >>> expand_prefix("dbr:Berlin").value, expand_prefix("12:30").type, expand_prefix("p:1").type
    ('http://dbpedia.org/resource/Berlin', 'literal', 'literal')
    """
    if ":" not in value:
        return Cell("literal", value)
    prefix, _, local = value.partition(":")
    namespace = DEFAULT_PREFIXES.get(prefix)
    if namespace is not None and local:
        shape = next(shape for start, shape in _LOCAL_NAMES if namespace.startswith(start))
        if shape.fullmatch(local):
            return Cell("uri", namespace + local)
        if prefix == "yago":  # its classes in DBpedia have names of their own
            return Cell("uri", YAGO + local)
    return iri_or_literal(value)
