"""`neighbours`.

Everything of the wanted class that is linked with what is named, whatever the relation is called.
"""

from __future__ import annotations

from qaldgen.features.text.letters import word_set
from qaldgen_systems import _sparql as sparql
from qaldgen_systems._graph import GraphIndex
from qaldgen_systems._linking import Reading, Span, read

#: The class that a question word asks for.
_ASKS_FOR = {"who": "person", "whom": "person", "where": "place"}
_MOST = 3


def neighbours(graph: GraphIndex, text: str) -> str:
    """Return the query for a question; empty if it names nothing, or no class is wanted.

    With several names the answers are linked with each of them, or else with the first; ``how
    many`` counts them. There is no yes or no, no number and no date.
    """
    reading = read(graph, text)
    class_ = wanted_class(graph, reading)
    entities = [with_edges(graph, span) for span in reading.entities[:_MOST]]
    if not class_ or not entities or reading.words[0] in BOOLEAN:
        return ""
    found = [_linked_members(graph, entity, class_) for entity in entities]
    if not found[0]:
        return ""
    kept = entities if frozenset.intersection(*found) else entities[:1]
    patterns = (sparql.member("?answer", class_), sparql.linked("?answer", *kept))
    return sparql.count(*patterns) if asks_count(reading.words) else sparql.select(*patterns)


#: The first words of questions for yes or no.
BOOLEAN = word_set("is are was were do does did has have had can could")


def asks_count(words: tuple[str, ...]) -> bool:
    """Say whether a question asks how many there are.

    Examples
    --------
    >>> asks_count(("in", "how", "many", "towns")), asks_count(("count", "the", "towns"))
    (True, True)
    """
    line = " ".join(words)
    return "how many" in line or "number of" in line or words[:1] == ("count",)


def wanted_class(graph: GraphIndex, reading: Reading) -> str:
    """Return the class that a question asks for: the first one named, or that of the question word.

    Empty for none.
    """
    if reading.classes and not set(reading.words[: reading.classes[0].start]) & _ASKS_FOR.keys():
        return reading.classes[0].iris[0]
    label = next((_ASKS_FOR[word] for word in reading.words if word in _ASKS_FOR), "")
    return next(
        (class_ for class_, words in graph.classes.items() if label and words == (label,)), ""
    )


def with_edges(graph: GraphIndex, span: Span) -> str:
    """Return the resource of a name that is linked with most others; of equals the first."""
    return max(
        span.iris, key=lambda iri: sum(len(values) for values in graph.edges.get(iri, {}).values())
    )


def _linked_members(graph: GraphIndex, entity: str, class_: str) -> frozenset[str]:
    found = {
        getattr(term, "value", "")
        for values in graph.edges.get(entity, {}).values()
        for term in values
    }
    return frozenset(found) & graph.members.get(class_, frozenset())
