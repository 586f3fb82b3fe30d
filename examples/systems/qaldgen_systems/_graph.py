"""A knowledge graph as a question answering system sees it.

Names, relations, classes, and what is linked with what.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from pyoxigraph import Literal, NamedNode

from qaldgen.model import DATE_TYPES, NUMBER_TYPES
from qaldgen.rdf.terms import PREFIXES, Term
from qaldgen.stores.local import LocalStore
from qaldgen_systems._words import content, split, stem

_LABEL, _OTHER = PREFIXES["rdfs"] + "label", PREFIXES["skos"] + "altLabel"
_TYPE, _SUB = PREFIXES["rdf"] + "type", PREFIXES["rdfs"] + "subClassOf"
_MACHINERY = (PREFIXES["rdf"], PREFIXES["rdfs"], "http://www.w3.org/2002/07/owl#", PREFIXES["dct"])
_LANGUAGES = ("", "en")

Words: TypeAlias = tuple[str, ...]
Names: TypeAlias = Mapping[Words, tuple[str, ...]]


class Step(NamedTuple):
    """One way out of a node: a relation, and whether it is followed from subject to object."""

    relation: str
    forward: bool


@dataclass(frozen=True, eq=False)
class GraphIndex:
    """What is looked up in a graph, held in memory.

    Attributes
    ----------
    store : LocalStore
        The graph itself, for queries.
    names : mapping of words to tuple of str
        The words of ``rdfs:label`` and ``skos:altLabel`` to IRIs; labels first.
    safe_names : mapping of words to tuple of str
        The same, and the adjectives that English makes of names of places, but no single word that
        the schema uses as well (capital, play).
    relations : mapping of str to tuple of str
        The IRI of each relation to the words of its label, or else of its local name.
    classes : mapping of str to tuple of str
        The same for classes.
    class_stems : mapping of words to tuple of str
        The stems of the labels of classes to the IRIs.
    members : mapping of str to frozenset of str
        The IRI of a class to its members, those of its subclasses included.
    edges : mapping of str to (mapping of Step to tuple of terms)
        What each node is linked with.
    kinds : mapping of str to str
        Whether the values of a relation are a ``resource``, ``number``, ``date`` or ``string``: the
        most frequent.
    """

    store: LocalStore
    names: Names
    safe_names: Names
    relations: Mapping[str, Words]
    classes: Mapping[str, Words]
    class_stems: Mapping[Words, tuple[str, ...]]
    members: Mapping[str, frozenset[str]]
    edges: Mapping[str, Mapping[Step, tuple[Term, ...]]]
    kinds: Mapping[str, str]

    def is_a(self, node: str, class_: str) -> bool:
        """Say whether a node is a member of a class or of a subclass."""
        return node in self.members.get(class_, frozenset())

    def targets(self, nodes: Iterable[str], step: Step) -> list[Term]:
        """Return what a step leads to from any of these nodes, each once."""
        return list(
            dict.fromkeys(term for node in nodes for term in self.edges.get(node, {}).get(step, ()))
        )


def index(store: LocalStore) -> GraphIndex:
    """Index a graph.

    Examples
    --------
    >>> from pyoxigraph import Quad
    >>> from qaldgen.stores.local import open_quads
    >>> amber, length = NamedNode("http://x.org/Amber"), NamedNode("http://x.org/riverLength")
    >>> named = Quad(amber, NamedNode(_LABEL), Literal("Amber"))
    >>> graph = index(open_quads("graph", [Quad(amber, length, Literal(7)), named]))
    >>> graph.names, graph.relations["http://x.org/riverLength"], graph.kinds["http://x.org/riverLength"]
    ({('amber',): ('http://x.org/Amber',)}, ('river', 'length'), 'number')
    """
    edges, kinds = _edges(store)
    parents = _pairs(store, _SUB)
    types = _pairs(store, _TYPE)
    labels = {iri: split(text) for iri, text in sorted(_texts(store, _LABEL), reverse=True)}
    own = {kind for kinds_ in types.values() for kind in kinds_ if not kind.startswith(_MACHINERY)}
    schema = (
        own | set(kinds) | set(parents) | {parent for above in parents.values() for parent in above}
    )
    things = [
        (iri, split(text))
        for name in (_LABEL, _OTHER)
        for iri, text in _texts(store, name)
        if iri not in schema
    ]
    relations = {
        iri: ("other", "name") if iri == _OTHER else labels.get(iri) or local_words(iri)
        for iri in sorted(kinds)
    }
    classes = {iri: labels.get(iri) or local_words(iri) for iri in sorted(schema - set(kinds))}
    names = _names(things)
    return GraphIndex(
        store,
        names,
        _safe_names(
            names, {word for label in (*relations.values(), *classes.values()) for word in label}
        ),
        relations,
        classes,
        _names((iri, tuple(stem(word) for word in label)) for iri, label in classes.items()),
        _members(types, parents),
        edges,
        kinds,
    )


def local_words(iri: str) -> Words:
    """Return the words of the local name of an IRI.

    Examples
    --------
    >>> local_words("http://x.org/ontology/birthPlace")
    ('birth', 'place')
    """
    return split(re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", re.split(r"[/#]", iri)[-1]))


def label_stems(words: Words) -> tuple[str, ...]:
    """Return the stems of a label that count.

    Without function words, and without the unit behind ``in``.

    Examples
    --------
    >>> label_stems(("length", "in", "kilometres"))
    ('length',)
    """
    unit = words.index("in") if "in" in words[1:-1] else len(words)
    return tuple(stem(word) for word in content(words[:unit]) or words)


def _texts(store: LocalStore, relation: str) -> list[tuple[str, str]]:
    """Return IRI and text of English and untagged literals, in the order of the alphabet."""
    found = []
    for subject, text in store.select(f"SELECT ?s ?text {{ ?s <{relation}> ?text }}").rows:
        if (
            isinstance(subject, NamedNode)
            and isinstance(text, Literal)
            and (text.language or "") in _LANGUAGES
        ):
            found.append((subject.value, text.value))
    return sorted(found)


def _pairs(store: LocalStore, relation: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for subject, value in store.select(f"SELECT ?s ?o {{ ?s <{relation}> ?o }}").rows:
        if isinstance(subject, NamedNode) and isinstance(value, NamedNode):
            found.setdefault(subject.value, set()).add(value.value)
    return found


def _edges(store: LocalStore) -> tuple[dict[str, dict[Step, tuple[Term, ...]]], dict[str, str]]:
    lists: dict[str, dict[Step, list[Term]]] = {}
    counts: dict[str, Counter[str]] = {}
    rows = store.select("SELECT ?s ?p ?o { ?s ?p ?o }").rows
    for subject, predicate, value in sorted(rows, key=str):
        relation = getattr(predicate, "value", "")
        if not isinstance(subject, NamedNode) or value is None or relation.startswith(_MACHINERY):
            continue
        lists.setdefault(subject.value, {}).setdefault(Step(relation, True), []).append(value)
        if isinstance(value, NamedNode):
            lists.setdefault(value.value, {}).setdefault(Step(relation, False), []).append(subject)
        counts.setdefault(relation, Counter())[_kind(value)] += 1
    edges = {
        node: {step: tuple(found) for step, found in sorted(steps.items())}
        for node, steps in lists.items()
    }
    return edges, {relation: counted.most_common(1)[0][0] for relation, counted in counts.items()}


def _kind(term: Term) -> str:
    if not isinstance(term, Literal):
        return "resource"
    name = term.datatype.value.rpartition("#")[2]
    return "number" if name in NUMBER_TYPES else "date" if name in DATE_TYPES else "string"


def _names(pairs: Iterable[tuple[str, Words]]) -> dict[Words, tuple[str, ...]]:
    found: dict[Words, list[str]] = {}
    for iri, words in pairs:
        if words and iri not in found.setdefault(words, []):
            found[words].append(iri)
    return {words: tuple(iris) for words, iris in found.items()}


def _safe_names(names: Names, vocabulary: set[str]) -> Names:
    pairs = [(iri, name) for name, iris in names.items() for iri in iris]
    forms = [(iri, form) for iri, name in pairs for form in sorted(_adjectives(name))]
    return _names(
        (iri, name) for iri, name in (*pairs, *forms) if len(name) > 1 or name[0] not in vocabulary
    )


def _adjectives(words: Words) -> set[Words]:
    """Return what English may make of the name of a place: Cuba, Cuban; Italy, Italian.

    Sweden, Swedish.
    """
    *before, last = words
    if len(last) < 4:
        return set()
    forms = {
        last + "n",
        last + "an",
        last + "ian",
        last + "ese",
        last[:-1],
        last[:-1] + "ian",
        last[:-1] + "ese",
        last[:-2] + "ish",
    }
    return {(*before, form) for form in forms if len(form) > 4}


def _members(
    types: Mapping[str, set[str]], parents: Mapping[str, set[str]]
) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for node, classes in types.items():
        pending, seen = list(classes), set[str]()
        while pending:
            class_ = pending.pop()
            if class_ not in seen:
                seen.add(class_)
                pending += parents.get(class_, ())
                found.setdefault(class_, set()).add(node)
    return {class_: frozenset(nodes) for class_, nodes in found.items()}
