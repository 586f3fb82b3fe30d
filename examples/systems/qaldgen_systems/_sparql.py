"""The queries that the systems make, put together from parts."""

from __future__ import annotations

from collections.abc import Sequence

from qaldgen_systems._graph import Step

_SUBCLASS = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>/<http://www.w3.org/2000/01/rdf-schema#subClassOf>*"


def triple(node: str, step: Step, other: str) -> str:
    """Return the pattern of one step; nodes are variables or IRIs.

    Examples
    --------
    >>> triple("http://x.org/Oak", Step("http://x.org/height", True), "?answer")
    '<http://x.org/Oak> <http://x.org/height> ?answer .'
    """
    subject, value = (node, other) if step.forward else (other, node)
    return f"{term(subject)} <{step.relation}> {term(value)} ."


def chain(node: str, steps: Sequence[Step]) -> str:
    """Return the pattern that leads from a node by these steps to ``?answer``."""
    nodes = [node, *(f"?via{number}" for number in range(1, len(steps))), "?answer"]
    return " ".join(
        triple(nodes[place], step, nodes[place + 1]) for place, step in enumerate(steps)
    )


def linked(node: str, *others: str, where: str = "") -> str:
    """Return the pattern that links a node to each of the others by any relation, either way.

    `where` keeps the variables of two such patterns in one query apart.

    Examples
    --------
    >>> linked("?answer", "http://x.org/Oak")
    '{ ?answer ?out0 <http://x.org/Oak> } UNION { <http://x.org/Oak> ?in0 ?answer }'
    """
    one = term(node)
    return " ".join(
        f"{{ {one} ?out{where}{n} {two} }} UNION {{ {two} ?in{where}{n} {one} }}"
        for n, two in enumerate(map(term, others))
    )


def member(node: str, class_: str) -> str:
    """Return the pattern that a node is of a class or of one of its subclasses."""
    return f"{term(node)} {_SUBCLASS} <{class_}> ."


def select(*patterns: str) -> str:
    """Return the query for ``?answer``, in a fixed order."""
    return f"SELECT DISTINCT ?answer WHERE {{ {' '.join(patterns)} }}"


def count(*patterns: str) -> str:
    """Return the query for the number of different ``?answer``."""
    return f"SELECT (COUNT(DISTINCT ?answer) AS ?count) WHERE {{ {' '.join(patterns)} }}"


def ask(*patterns: str) -> str:
    """Return the query for yes or no."""
    return f"ASK {{ {' '.join(patterns)} }}"


def top(value: str, *patterns: str, descending: bool, limit: int = 1) -> str:
    """Return the query for the `limit` answers with the most or least of `value`.

    Of equals the first IRI.
    """
    order = f"DESC({value})" if descending else f"ASC({value})"
    return f"SELECT ?answer WHERE {{ {' '.join(patterns)} }} ORDER BY {order} ?answer LIMIT {limit}"


def top_count(counted: str, *patterns: str, descending: bool) -> str:
    """Return the query for the answer with the most or fewest distinct values of `counted`."""
    order = f"{'DESC' if descending else 'ASC'}(COUNT(DISTINCT {counted}))"
    return (
        f"SELECT ?answer WHERE {{ {' '.join(patterns)} }} GROUP BY ?answer ORDER BY {order} "
        "?answer LIMIT 1"
    )


def term(node: str) -> str:
    """Return a variable as it is, and an IRI in angle brackets."""
    return node if node.startswith("?") else f"<{node}>"
