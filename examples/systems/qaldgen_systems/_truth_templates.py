"""What SPARQL makes of questions for yes or no.

Functions of the graph, the question, and where a pattern matched.
"""

from __future__ import annotations

import re

from qaldgen_systems import _sparql as sparql
from qaldgen_systems._forms import Form, measure
from qaldgen_systems._graph import GraphIndex, Step


def compared(graph: GraphIndex, form: Form, found: re.Match[str]) -> str:
    """Ask whether one is more than the other, or than a number."""
    one, other = form.slots[found["one"]], found["other"]
    nodes = [one, form.slots[other]] if other in form.slots else [one]
    by = next(
        (made for word in found["words"].split() if (made := measure(graph, nodes, word))), None
    )
    if by is None:
        return ""
    value = sparql.triple(one, Step(by.relation, True), "?one")
    second = second_value(form, other, by.relation)
    return sparql.ask(value, second, f"FILTER(?one {'>' if by.more else '<'} ?other)")


def second_value(form: Form, other: str, relation: str) -> str:
    """Return the pattern for ``?other``: a number, or the value of a named thing."""
    named = other in form.slots
    return (
        sparql.triple(form.slots[other], Step(relation, True), "?other")
        if named
        else f"BIND({other} AS ?other)"
    )


def earlier(graph: GraphIndex, form: Form, found: re.Match[str]) -> str:
    """Ask whether one was before the other, by the first kind of date that both have."""
    nodes = [form.slots[found["one"]], form.slots[found["other"]]]
    shared = frozenset.intersection(*(frozenset(graph.edges.get(node, {})) for node in nodes))
    dates = sorted(step for step in shared if graph.kinds[step.relation] == "date")
    if not dates:
        return ""
    patterns = [
        sparql.triple(node, dates[0], name)
        for node, name in zip(nodes, ("?one", "?other"), strict=True)
    ]
    return sparql.ask(
        *patterns, f"FILTER(?one {'<' if found['order'] == 'before' else '>'} ?other)"
    )


def same(graph: GraphIndex, form: Form, found: re.Match[str]) -> str:
    """Ask whether both have a value of a relation in common."""
    step = Step(form.slots[found["relation"]], True)
    return sparql.ask(
        *(sparql.triple(form.slots[found[name]], step, "?value") for name in ("one", "other"))
    )


def is_class(graph: GraphIndex, form: Form, found: re.Match[str]) -> str:
    """Ask whether it is of this class."""
    return sparql.ask(sparql.member(form.slots[found["one"]], form.slots[found["class"]]))


def related(graph: GraphIndex, form: Form, found: re.Match[str]) -> str:
    """Ask whether the two are linked by the first relation named, or by any if none is named."""
    one, other = form.slots[found["one"]], form.slots[found["other"]]
    theirs = {step.relation for node in (one, other) for step in graph.edges.get(node, {})}
    named = next((iri for iri in form.some("r") if iri in theirs), "")
    if not named:
        return sparql.ask(sparql.linked(one, other))
    sides = [sparql.triple(one, Step(named, forward), other) for forward in (True, False)]
    return sparql.ask(f"{{ {sides[0]} }} UNION {{ {sides[1]} }}")
