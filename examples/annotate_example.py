"""Annotate the example questions: read questions.json and graph.ttl, write features.ttl.

The properties are those of the published QaldGenData, so that queries over that dataset run here unchanged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pyoxigraph as ox
from example_tools import HERE, PREFIXES, RDF, RDFS, XSD, load_store, quote, turtle, write_text
from rdflib import URIRef
from rdflib.paths import AlternativePath, InvPath, MulPath, SequencePath
from rdflib.paths import Path as PropertyPath
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.parserutils import CompValue

Q = "http://qald-gen.aksw.org/vocab#"
LSQ = "http://lsq.aksw.org/vocab#"
QUESTION = "http://example.org/qaldgen/question#"
ORIGIN = "qaldgen-example"
_TYPE, _SUBCLASS = URIRef(RDF + "type"), URIRef(RDFS + "subClassOf")
_BARE = {XSD + name for name in ("integer", "decimal", "double", "boolean", "int")}
_COMMANDS = frozenset({"count", "give", "list", "name", "show", "tell"})
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_FEATURES = ("Select", "Ask", "Filter", "Union", "Optional", "OrderBy", "Limit", "Offset", "Bind", "GroupBy", "Having")
_KEYWORDS = {name: _CAMEL.sub(" ", name).upper().replace(" ", r"\s+") for name in _FEATURES} | {
    "Distinct": r"SELECT\s+DISTINCT",
    "Aggregators": r"(?:COUNT|SUM|AVG|MIN|MAX)",
}
Terms: TypeAlias = dict[str, list[str]]


def groups(node: object, exists: bool) -> Iterator[list[Any]]:
    """Yield the triples of each basic graph pattern, with or without those inside FILTER (NOT) EXISTS."""
    if isinstance(node, CompValue):
        if node.name == "BGP" and node.triples:
            yield node.triples
        elif node.name == "TriplesBlock":  # rdflib leaves the group of EXISTS as it parsed it
            yield [tuple(flat[at : at + 3]) for flat in node.triples for at in range(0, len(flat), 3)]
        if exists or not node.name.endswith("EXISTS"):
            for child in node.values():
                yield from groups(child, exists)
    elif isinstance(node, list):
        for child in node:
            yield from groups(child, exists)


def steps(predicate: object) -> set[URIRef]:
    """Return the IRIs of a predicate or property path."""
    if isinstance(predicate, URIRef):
        return {predicate}
    if isinstance(predicate, SequencePath | AlternativePath):
        return set().union(*(steps(part) for part in predicate.args))
    if isinstance(predicate, MulPath):
        return steps(predicate.path)
    return steps(predicate.arg) if isinstance(predicate, InvPath) else set()


def terms(triples: list[Any], sparql: str) -> Terms:
    """Return the distinct entities, relations and classes, each in the order in which the query names them."""
    found: dict[str, set[str]] = {"Entity": set(), "Relation": set(), "Class": set()}
    for subject, predicate, value in triples:
        used = steps(predicate)
        found["Relation"].update(used - ({_TYPE, _SUBCLASS} if isinstance(predicate, PropertyPath) else {_TYPE}))
        found["Class" if _TYPE in used else "Entity"].update({value} if isinstance(value, URIRef) else set())
        found["Entity"].update({subject} if isinstance(subject, URIRef) else set())
    body = re.sub(r"PREFIX \w+: <[^>]*> ", "", sparql)
    for prefix, base in PREFIXES.items():
        body = re.sub(rf"(?<![\w<]){prefix}:([\w.-]*\w)", rf"<{base}\1>", body)
    return {kind: sorted(map(str, iris), key=lambda iri: body.find(f"<{iri}>")) for kind, iris in found.items()}


def label(store: ox.Store, iri: str) -> str:
    """Return the label of an IRI, else the words of its local name."""
    for quad in store.quads_for_pattern(ox.NamedNode(iri), ox.NamedNode(RDFS + "label"), None):
        return str(getattr(quad.object, "value", ""))
    return _CAMEL.sub(" ", re.split(r"[/#]", iri)[-1]).replace("_", " ")


def question_type(text: str, ask: bool) -> str:
    """Return the kind of question: yes-no, command, a wh word, or how with the word that follows."""
    words = re.findall(r"[\w-]+", text.lower())
    if ask:
        return "yes-no"
    if words[0] in _COMMANDS:
        return "command"
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word == "how":
            return f"how {following}"
        if word in ("what", "which", "who", "whom", "whose", "where", "when"):
            return "who" if word.startswith("who") else word
    return "command"


def cell_text(cell: dict[str, str]) -> str:
    """Write one answer as it stands in lsq:answers."""
    if cell["type"] == "uri":
        return f"<{cell['value']}>"
    if cell.get("datatype") in _BARE:
        return cell["value"]
    if "xml:lang" in cell:
        return f"{quote(cell['value'])}@{cell['xml:lang']}"
    kind = cell.get("datatype", "")
    return quote(cell["value"]) + (f"^^{kind.replace(XSD, 'xsd:')}" if kind else "")


def answers_text(answers: dict[str, Any]) -> str:
    """Write all answers as lsq:answers has them."""
    if "boolean" in answers:
        return "true" if answers["boolean"] else "false"
    rows = answers["results"]["bindings"]
    return "".join(" ".join(f"( ?{name} = {cell_text(row[name])} )" for name in row) + ", " for row in rows)


def term_features(found: Terms, text: str, store: ox.Store) -> Iterator[tuple[str, ox.Literal]]:
    """Yield the features of entities, relations and classes."""
    for kind, plural in (("Entity", "Entities"), ("Relation", "Relations"), ("Class", "Classes")):
        names = [label(store, iri) for iri in found[kind]]
        counts = [len(name.split()) for name in names]
        yield Q + f"total{plural}", typed(len(names), "int")
        yield Q + f"avg{plural}Words", typed(sum(counts) / len(counts) if counts else 0.0, "double")
        for index in (0, 1):
            yield Q + f"totalWords{kind}{index + 1}", typed(counts[index] if index < len(counts) else 0, "int")
            if kind == "Entity" and index < len(names):
                explicit = names[index].lower() in text.lower()
                yield Q + f"isExplicitEntity{index + 1}", typed(str(explicit).lower(), "boolean")


def typed(value: object, datatype: str) -> ox.Literal:
    """Return a literal of an XSD type."""
    return ox.Literal(str(value), datatype=ox.NamedNode(XSD + datatype))


def features(entry: dict[str, Any], store: ox.Store) -> Iterator[tuple[str, ox.Literal | ox.NamedNode]]:
    """Yield property and value of all features of one question."""
    text, sparql, answers = entry["question"][0]["string"], entry["query"]["sparql"], entry["answers"][0]
    query = translateQuery(parseQuery(sparql)).algebra
    outside = list(groups(query, exists=False))
    inside = [triple for group in groups(query, exists=True) for triple in group]
    yield Q + "text", ox.Literal(text, language="en")
    yield Q + "length", typed(len(text.split()), "int")
    yield Q + "answerType", ox.Literal(entry["answertype"])
    yield Q + "questionType", ox.Literal(question_type(text, "boolean" in answers))
    yield Q + "questionOrigin", ox.Literal(ORIGIN)
    yield from term_features(terms(inside, sparql), text, store)
    yield LSQ + "text", ox.Literal(sparql)
    yield LSQ + "tps", typed(len({triple for group in outside for triple in group}), "int")
    yield LSQ + "bgps", typed(len(outside), "int")
    yield LSQ + "projectVars", typed(0 if "boolean" in answers else len(query.PV), "int")
    yield LSQ + "resultSize", typed(1 if "boolean" in answers else len(answers["results"]["bindings"]), "int")
    yield LSQ + "answers", ox.Literal(answers_text(answers))
    bare = re.sub(r"<[^<>\s]*>|\"[^\"]*\"|[?$]\w+|\w+:[\w.-]*", " ", sparql)
    for name, pattern in _KEYWORDS.items():
        if re.search(rf"\b{pattern}\b", bare):
            yield LSQ + "usesFeature", ox.NamedNode(LSQ + name)


def build(questions: Path = HERE / "questions.json", graph: Path = HERE / "graph.ttl") -> str:
    """Return the text of features.ttl."""
    store = load_store(graph)
    triples = [
        ox.Triple(ox.NamedNode(QUESTION + entry["id"]), ox.NamedNode(name), value)
        for entry in json.loads(questions.read_text(encoding="utf-8"))["questions"]
        for name, value in features(entry, store)
    ]
    return turtle(triples, {"q": Q, "lsq": LSQ, "xsd": XSD})


def main() -> None:
    """Write features.ttl."""
    write_text(HERE / "features.ttl", build())


if __name__ == "__main__":
    main()
