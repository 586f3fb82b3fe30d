"""The table of our own systems, and how one of them answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from qaldgen.asking.systems.graph import GraphIndex, index
from qaldgen.asking.systems.lookup import lookup
from qaldgen.asking.systems.neighbours import neighbours
from qaldgen.asking.systems.templates import templates
from qaldgen.asking.systems.typed import typed
from qaldgen.errors import UsageError
from qaldgen.io.extensions import Table
from qaldgen.model import Answers
from qaldgen.stores.endpoint.answers import rows_answers
from qaldgen.stores.local import LocalStore


class System(NamedTuple):
    """A question answering system over a local graph.

    Attributes
    ----------
    make_query : callable
        Takes the index of a graph and the text of a question, and returns a SPARQL query, or nothing for silence. It sees
        nothing else.
    help : str
        What it does, in one line.
    """

    make_query: Callable[[GraphIndex, str], str]
    help: str


class SystemAnswer(NamedTuple):
    """What a system gives for a question: its answers, empty for silence, and the query it made."""

    answers: Answers
    query: str


_OURS = {
    "lookup": System(lookup, "A name and the relation whose label is most alike to the other words; one hop."),
    "neighbours": System(neighbours, "Everything of the wanted class that is linked with what is named; any relation."),
    "typed": System(typed, "Stems and words of the same meaning, classes, counts, yes or no, up to two hops."),
    "templates": System(templates, "Patterns of questions: superlatives, comparisons, limits, counts, yes or no."),
}
#: Every system, by the name that `--system` takes. Other packages add some by the entry point group qaldgen.systems.
SYSTEMS = Table("systems", System, _OURS)


def prepare(name: str, store: LocalStore) -> Callable[[str], SystemAnswer]:
    """Return a function from the text of a question to the answer of a system.

    Parameters
    ----------
    name
        A key of `SYSTEMS`.
    store
        The knowledge graph; it is indexed once.

    Raises
    ------
    UsageError
        If there is no such system.

    Examples
    --------
    >>> from pyoxigraph import Literal, NamedNode, Quad
    >>> from qaldgen.rdf.terms import prefixed
    >>> from qaldgen.stores.local import open_quads
    >>> oak, height = NamedNode("http://x.org/Oak"), NamedNode("http://x.org/height")
    >>> store = open_quads("graph", [Quad(oak, height, Literal(9)), Quad(oak, prefixed("rdfs:label"), Literal("Great Oak"))])
    >>> prepare("lookup", store)("What is the height of the great oak?").answers.values()
    ['9']
    """
    check_name(name)
    graph, make_query = index(store), SYSTEMS[name].make_query

    def answer(text: str) -> SystemAnswer:
        query = make_query(graph, text)
        return SystemAnswer(_run(store, query) if query else Answers(), query)

    return answer


def check_name(name: str) -> None:
    """Refuse the name of no system, before a large graph is read."""
    if name not in SYSTEMS:
        raise UsageError(f"there is no system {name!r}; the systems are {', '.join(SYSTEMS)}")


def _run(store: LocalStore, query: str) -> Answers:
    if query.startswith("ASK"):
        return Answers(boolean=store.ask(query))
    return rows_answers(store.select(query), ordered="ORDER BY" in query)
