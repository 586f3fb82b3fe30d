"""The graph of a query's triple patterns: its shape, join vertices, hops, and the answer's place.

All of it is read off one *alternative* of the query: patterns inside FILTER EXISTS and MINUS are
left out, and so are parameters of SERVICE and hints to the optimiser; equal patterns count once,
and each UNION keeps only its branch with the most distinct patterns (the first of equals). Nodes
are the subjects and objects. A variable or blank node is one node wherever it occurs; a literal,
and the class of a type pattern, is a separate node in each pattern. An entity is one node for the
shape; for hops it is a separate node in each pattern, because no path leads on from a constant.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from qaldgen.features.query.parts import Pattern, QueryTree
from qaldgen.rdf.knowledge_graphs import DIRECTIVES, SUBCLASS_PREDICATES, TYPE_PREDICATES, half_hops

Node = tuple[str, int]
#: Hops are not counted beyond this many patterns: the time grows with their square.
_MOST_HOPS = 500


def distinct(patterns: Iterable[Pattern]) -> list[Pattern]:
    """Return the patterns without duplicates, in the order of their first occurrence."""
    # reversed twice: of equal patterns the first one stays, at its own place
    return list({pattern.key: pattern for pattern in reversed(list(patterns))}.values())[::-1]


def is_type_pattern(pattern: Pattern) -> bool:
    """Whether a pattern gives its subject a constant class, also by steps to wider classes."""
    typing = any(iri in TYPE_PREDICATES for iri in pattern.iris)
    only = all(iri in TYPE_PREDICATES or iri in SUBCLASS_PREDICATES for iri in pattern.iris)
    forward = all(step.iri and not step.inverse for step in pattern.steps)
    return typing and only and forward and pattern.object.startswith("<")


def alternative(tree: QueryTree) -> list[Pattern]:
    """Return the distinct patterns of the largest alternative, as the module describes."""
    patterns = [
        pattern
        for pattern in tree.patterns
        if pattern.place == "main" and pattern.subject not in DIRECTIVES
    ]
    keys: defaultdict[tuple[int, int], set[tuple[str, str, str]]] = defaultdict(set)
    for pattern in patterns:
        for place in pattern.branches:
            keys[place].add(pattern.key)
    chosen: dict[int, int] = {}
    # in order of branches, and only a larger one replaces: the first of equals stays
    for union, branch in sorted(keys):
        if union not in chosen or len(keys[union, branch]) > len(keys[union, chosen[union]]):
            chosen[union] = branch
    return distinct(
        p for p in patterns if all(chosen[union] == branch for union, branch in p.branches)
    )


def ends(patterns: Sequence[Pattern], *, join_entities: bool) -> list[tuple[Node, Node]]:
    """Return the nodes of each pattern, its subject and its object."""
    return [
        (
            _node(pattern.subject, 2 * at, joined=join_entities),
            _node(
                pattern.object, 2 * at + 1, joined=join_entities and not is_type_pattern(pattern)
            ),
        )
        for at, pattern in enumerate(patterns)
    ]


def shape(patterns: Sequence[Pattern]) -> str:
    """Return the shape of the graph, ignoring directions.

    ``empty``: no pattern. ``edge``: one pattern. ``disconnected``: several parts. ``cycle``:
    connected, with a cycle (two patterns between the same nodes form one). Trees are divided:
    ``chain``, no node has more than two patterns; ``star``, one node has three or more, all others
    one; ``star-chain``, one node has three or more, and a ray is longer than one pattern; ``tree``,
    several such nodes.
    """
    edges = ends(patterns, join_entities=True)
    if len(edges) < 2:
        return ("empty", "edge")[len(edges)]
    nodes = {node for edge in edges for node in edge}
    if len(_distances(_neighbours(edges, [1] * len(edges)), edges[0][0])) < len(nodes):
        return "disconnected"
    if len(edges) >= len(nodes):  # a connected graph is a tree if and only if it has n - 1 edges
        return "cycle"
    degrees = sorted(Counter(node for edge in edges for node in edge).values(), reverse=True)
    if degrees[0] <= 2:
        return "chain"
    if degrees[1] > 2:
        return "tree"
    return "star" if degrees[1] == 1 else "star-chain"


def join_vertices(patterns: Sequence[Pattern]) -> dict[str, tuple[int, str]]:
    """Return degree and type of each join vertex: a variable or blank node in several patterns.

    As in LSQ, the types are ``star`` (subject of all), ``sink`` (subject of none), ``path`` (once
    subject, once not), ``hybrid``.
    """
    outgoing, incoming, having = Counter[str](), Counter[str](), Counter[str]()
    for pattern in patterns:
        outgoing[pattern.subject] += 1
        incoming.update({pattern.predicate, pattern.object})
        having.update(set(pattern.key))
    joins = {}
    for vertex in dict.fromkeys(term for pattern in patterns for term in pattern.key):
        degree = outgoing[vertex] + incoming[vertex]
        if degree > 1 and _is_open(vertex) and having[vertex] > 1:
            joins[vertex] = degree, _vertex_type(outgoing[vertex], incoming[vertex])
    return joins


def hop_count(patterns: Sequence[Pattern], answers: Iterable[str]) -> int | None:
    """Return the number of relations between the answer and the farthest constant.

    The longest of the shortest paths from an answer variable to a subject or object that is an IRI
    or literal; without answer variables (ASK) from any node. Type patterns are not walked; the way
    over a Wikidata statement node is one hop; a property path has the hops of its steps.
    """
    if len(patterns) > _MOST_HOPS:
        return None
    used = [pattern for pattern in patterns if not is_type_pattern(pattern)]
    edges = ends(used, join_entities=False)
    ways = _neighbours(
        edges, [sum(half_hops(step.iri) for step in pattern.steps) for pattern in used]
    )
    names = set(answers)
    starts = [node for node in ways if not names or node[0] in names]
    constants = [node for node in ways if not _is_open(node[0])]
    reached = (_distances(ways, start) for start in starts)
    farthest = max(
        (distances[node] for distances in reached for node in constants if node in distances),
        default=0,
    )
    return (farthest + 1) // 2  # half hops, rounded up: a way may end on a statement node


def answer_direction(patterns: Iterable[Pattern], answers: Iterable[str]) -> str:
    """Return the position of the answer in its patterns, ignoring type patterns.

    An inverse path step next to the answer turns the direction around.
    """
    names, positions = set(answers), set()
    for pattern in patterns:
        if is_type_pattern(pattern):
            continue
        if pattern.subject in names:
            positions.add("object" if pattern.steps[0].inverse else "subject")
        if pattern.object in names:
            positions.add("subject" if pattern.steps[-1].inverse else "object")
    return "both" if len(positions) == 2 else next(iter(positions), "none")


def _is_open(term: str) -> bool:
    """Whether a term is a variable or blank node."""
    return term.startswith(("?", "_:"))


def _node(term: str, number: int, *, joined: bool) -> Node:
    return (term, -1) if _is_open(term) or (joined and term.startswith("<")) else (term, number)


def _vertex_type(outgoing: int, incoming: int) -> str:
    if not incoming:
        return "star"
    if not outgoing:
        return "sink"
    return "path" if outgoing == incoming == 1 else "hybrid"


def _neighbours(
    edges: Sequence[tuple[Node, Node]], lengths: Iterable[int]
) -> dict[Node, list[tuple[int, Node]]]:
    """Return the neighbours of each node, with the length of the way to them."""
    found = defaultdict[Node, list[tuple[int, Node]]](list)
    for (one, other), length in zip(edges, lengths, strict=True):
        found[one].append((length, other))
        found[other].append((length, one))
    return found


def _distances(
    neighbours: Mapping[Node, Sequence[tuple[int, Node]]], start: Node
) -> dict[Node, int]:
    """Return the length of the shortest path from `start` to each reachable node (Dijkstra)."""
    found: dict[Node, int] = {}
    waiting = [(0, start)]
    while waiting:
        distance, node = heapq.heappop(waiting)
        if node not in found:
            found[node] = distance
            for length, neighbour in neighbours[node]:
                heapq.heappush(waiting, (distance + length, neighbour))
    return found
