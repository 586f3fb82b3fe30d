"""Protocols of linkers, which get a question's text and return entities, relations and classes.

Both sides speak NIF, as GERBIL does, or JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, parse, serialize

from qaldgen.answers.record import RunOptions
from qaldgen.asking.http_protocols import Web, access_of, over_web
from qaldgen.asking.protocols import Protocol
from qaldgen.asking.systems import Asker, PosedQuestion, System, SystemReply
from qaldgen.errors import QaldgenError
from qaldgen.io.json_text import from_json
from qaldgen.io.text import one_line
from qaldgen.io.web.client import Request, with_parameters
from qaldgen.model import Answers, Mention
from qaldgen.plugins.linkers.mentions import read_mentions, recognises_mentions
from qaldgen.questions.file_content import Content
from qaldgen.rdf.terms import PREFIXES, XSD

NIF = "http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#"
ITSRDF = "http://www.w3.org/2005/11/its/rdf#"
_TURTLE = "application/x-turtle"
#: Properties of Wikidata and DBpedia: a P number, or a lower-case name in a namespace of
#: properties.
_RELATION = re.compile(
    r"/(?:prop/direct/|entity/)?P\d+$|/(?:ontology|property|prop)/(?:[^/]*/)*[a-z][^/]*$"
)
_CLASS = re.compile(r"/ontology/[A-Z][^/]*$")


def nif(system: System) -> Asker:
    """Return a linker that speaks NIF; refuse a wrong URL or an incomplete credential."""

    def make_body(question: PosedQuestion) -> bytes:
        text = question.text.encode("utf-8", "replace").decode()
        return nif_document(text).encode()

    headers = {
        "Content-Type": f"{_TURTLE}; charset=UTF-8",
        "Accept": f"{_TURTLE}, text/turtle;q=0.9",
    }
    return _make_linker(system, "nif", make_body, read_nif, headers=headers)


def mentions(system: System) -> Asker:
    """Return a linker that takes JSON with ``text``, and returns lists of links."""

    # see `qaldgen.plugins.linkers.mentions` for the format
    def make_body(question: PosedQuestion) -> bytes:
        return json.dumps({"text": question.text}).encode()

    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    return _make_linker(system, "linker", make_body, read_json, headers=headers)


def _make_linker(
    system: System,
    name: str,
    make_body: Callable[[PosedQuestion], bytes],
    read: Callable[[str, PosedQuestion], tuple[Mention, ...]],
    *,
    headers: Mapping[str, str],
) -> Asker:
    """Return a linker, with functions that make the body of a request and read a reply."""
    access = access_of(system)
    address = access.address
    url = with_parameters(address.url, address.parameters)

    async def ask(web: Web, question: PosedQuestion) -> SystemReply:
        reply = await web.text(Request(url, make_body(question), headers))
        try:
            links = read(reply.text, question)
        except (QaldgenError, ValueError, SyntaxError) as error:
            raise web.misfit(one_line(str(error)), reply) from None
        return SystemReply(Answers(), "", reply.text, mentions=links, attempts=reply.attempts)

    journal_name = f"{name} {address.label} in {system.language}"
    return Asker(journal_name, over_web(system, access, ask))


def nif_document(text: str) -> str:
    """Return a text as a NIF document in Turtle; offsets count characters, the end is exclusive.

    >>> 'nif-core#endIndex> "2"' in nif_document("Oh")
    True
    """
    context = NamedNode(f"http://qaldgen.invalid/question#char=0,{len(text)}")
    number = NamedNode(XSD + "nonNegativeInteger")
    rdf_type = PREFIXES["rdf"] + "type"
    facts: list[tuple[str, NamedNode | Literal]] = [
        (rdf_type, NamedNode(NIF + "RFC5147String")),
        (rdf_type, NamedNode(NIF + "String")),
        (rdf_type, NamedNode(NIF + "Context")),
        (NIF + "beginIndex", Literal("0", datatype=number)),
        (NIF + "endIndex", Literal(str(len(text)), datatype=number)),
        (NIF + "isString", Literal(text)),
    ]
    triples = [Triple(context, NamedNode(name), value) for name, value in facts]
    data = serialize(triples, format=RdfFormat.TURTLE)
    if data is None:
        return ""
    return data.decode("utf-8")


def read_nif(text: str, question: PosedQuestion) -> tuple[Mention, ...]:
    """Return the links of a NIF document: each phrase with its ``itsrdf:taIdentRef``."""
    values_by_subject: dict[str, dict[str, list[Any]]] = {}
    for quad in parse(text.encode("utf-8", "replace"), format=RdfFormat.TURTLE, lenient=True):
        values_by_property = values_by_subject.setdefault(str(quad.subject), {})
        value = getattr(quad.object, "value", None)
        values_by_property.setdefault(quad.predicate.value, []).append(value)

    if not values_by_subject:
        raise ValueError("the reply holds no NIF")

    phrases = values_by_subject.values()
    strings: list[Any] = []
    for phrase in phrases:
        strings += phrase.get(NIF + "isString", ())
    if strings and question.text not in strings:
        raise ValueError("the reply is about another text")

    found_mentions: list[tuple[int, Mention]] = []  # each with its offset
    for phrase in phrases:
        begin = _offset(phrase.get(NIF + "beginIndex"))
        end = _offset(phrase.get(NIF + "endIndex"))

        anchor = ""
        anchors = phrase.get(NIF + "anchorOf")
        if anchors:
            anchor = str(anchors[0])
        elif begin >= 0:
            anchor = question.text[begin:end]

        for iri in phrase.get(ITSRDF + "taIdentRef", ()):
            if iri:
                found_mentions.append((begin, Mention(anchor, iri, iri_type(iri))))

    return tuple(mention for _, mention in sorted(found_mentions))


def _offset(values: list[Any] | None) -> int:
    """Return an offset in the text, -1 if it is missing or not a number."""
    text = str(values[0]) if values else ""
    if text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    return -1


def iri_type(iri: str) -> str:
    """Return the type of the resource of an IRI, by its pattern in DBpedia and Wikidata.

    A document in NIF has no types.

    >>> names = ("resource/Ulm", "ontology/author", "ontology/Book")
    >>> [iri_type(f"http://dbpedia.org/{name}") for name in names]
    ['entity', 'relation', 'class']
    """
    if _RELATION.search(iri):
        return "relation"
    if _CLASS.search(iri):
        return "class"
    return "entity"


def read_json(text: str, question: PosedQuestion) -> tuple[Mention, ...]:
    """Return the links of a reply in JSON."""
    document = from_json(text)
    if isinstance(document, dict):
        document["id"] = question.id or "1"
    content = Content(Path("the reply"), "jsonl", text, sha256="", document=[document])
    if not recognises_mentions(content):
        raise ValueError("the reply has no entities, relations or classes")
    response = read_mentions(content, RunOptions(None, question.language)).responses[0].response
    return response.mentions


NIF_LINKER = Protocol(nif, "URL", "a linker: sends and reads NIF, as GERBIL does", web=True)
JSON_LINKER = Protocol(
    mentions,
    "URL",
    "a linker: sends JSON with the text, reads lists of entities and relations",
    web=True,
)
