"""What SPARQL makes of questions for things and numbers.

Functions of the graph, the question, and where a pattern matched.
"""

from __future__ import annotations

import re
from collections import Counter

from qaldgen_systems import _sparql as sparql
from qaldgen_systems._forms import Base, Form, Measure, base, measure, measured
from qaldgen_systems._graph import GraphIndex, Step
from qaldgen_systems._truth_templates import second_value

_YEAR = r'<http://www.w3.org/2001/XMLSchema#integer>(REPLACE(STR(?value), "^(-?[0-9]+).*$", "$1"))'


def most_of(graph: GraphIndex, form: Form, found: re.Match[str]) -> str:
    """Return what has the most of something.

    Of a number, or of different things that it is linked with.
    """
    about, wanted = base(graph, form), form.slots[found["what"]]
    if about is None:
        return ""
    if graph.kinds.get(wanted) == "number":
        return sparql.top(
            "?value",
            *about.patterns,
            sparql.triple("?answer", Step(wanted, True), "?value"),
            descending=True,
        )
    step = _step_to(graph, about, wanted)
    return (
        sparql.top_count(
            "?value", *about.patterns, sparql.triple("?answer", step, "?value"), descending=True
        )
        if step
        else ""
    )


def at_least(graph: GraphIndex, form: Form, found: re.Match[str]) -> str:
    """Return what is linked with at least so many things."""
    about = base(graph, form)
    step = _step_to(graph, about, form.slots[found["what"]]) if about else None
    if about is None or step is None:
        return ""
    patterns = " ".join((*about.patterns, sparql.triple("?answer", step, "?value")))
    return (
        f"SELECT ?answer WHERE {{ {patterns} }} GROUP BY ?answer HAVING(COUNT(DISTINCT ?value) >="
        f" {found['number']})"
    )


def _step_to(graph: GraphIndex, about: Base, wanted: str) -> Step | None:
    """Return the step that is wanted, or leads to the class that is.

    Of several the most frequent, then the first by IRI.
    """
    counts: Counter[Step] = Counter()
    for node in about.nodes:
        for step, terms in graph.edges.get(node, {}).items():
            if step.relation == wanted or any(
                graph.is_a(getattr(term, "value", ""), wanted) for term in terms
            ):
                counts[step] += len(terms)
    return min(counts, key=lambda step: (-counts[step], step), default=None)


def superlative(graph: GraphIndex, form: Form, found: re.Match[str]) -> str:
    """Return the first by a measure.

    Its value where that is asked for (how high is the highest ...).
    """
    about = base(graph, form)
    words = [
        word
        for word in form.text.split()
        if word.endswith(("st", "most")) or word in {"north", "south"}
    ]
    if about is None:
        return ""
    by = next(
        (made for word in words if measured(word) and (made := measure(graph, about.nodes, word))),
        None,
    )
    if by is None:
        return ""
    value = sparql.triple("?answer", Step(by.relation, True), "?value")
    if form.text.startswith(("how ", "what is the r")):
        return (
            f"SELECT ({'MAX' if by.more else 'MIN'}(?value) AS ?best) WHERE {{"
            f" {' '.join(about.patterns)} {value} }}"
        )
    number = re.search(r"^which (\d{1,6}) c", form.text)
    return sparql.top(
        "?value", *about.patterns, value, descending=by.more, limit=int(number[1]) if number else 1
    )


def limit(graph: GraphIndex, form: Form, found: re.Match[str]) -> str:
    """Return what is more than a number or than something else."""
    other = found["other"]
    slots = {name: iri for name, iri in form.slots.items() if name != other}
    about = base(graph, form._replace(slots=slots))
    words = [*found["words"].split(), *found["after"].split()[:2]]
    by = next(
        (made for word in words if about and (made := _limited_by(graph, form, about, word))), None
    )
    if about is None or by is None:
        return ""
    value = sparql.triple("?answer", Step(by.relation, True), "?value")
    test = f"FILTER(?value {'>' if by.more else '<'} ?other)"
    return _listed(form, (*about.patterns, value, second_value(form, other, by.relation), test))


def _limited_by(graph: GraphIndex, form: Form, about: Base, word: str) -> Measure | None:
    if word in form.slots:
        return (
            Measure(form.slots[word], True)
            if graph.kinds.get(form.slots[word]) == "number"
            else None
        )
    return measure(graph, about.nodes, word, ["number"]) if measured(word) else None


def dated(graph: GraphIndex, form: Form, found: re.Match[str]) -> str:
    """Return what is dated before, after, between or in a year.

    By the date that is named, or the only kind that there is.
    """
    about = base(graph, form)
    if about is None:
        return ""
    steps = {step for node in about.nodes for step in graph.edges.get(node, {})}
    dates = sorted(
        step.relation for step in steps if step.forward and graph.kinds[step.relation] == "date"
    )
    named = [relation for relation in form.some("r") if relation in dates]
    if not named and len(dates) != 1:
        return ""
    year, until = found["year"], found["until"]
    test = {"before": f"< {year}", "after": f"> {year}", "since": f">= {year}"}.get(
        found["order"], f"= {year}"
    )
    test = f">= {year} && {_YEAR} <= {until}" if until else test
    value = sparql.triple("?answer", Step((named or dates)[0], True), "?value")
    return _listed(form, (*about.patterns, value, f"FILTER({_YEAR} {test})"))


def all_but(graph: GraphIndex, form: Form, found: re.Match[str]) -> str:
    """Return what is linked with all that is named but not with the last."""
    left_out = next(reversed(form.some("e")), "")
    slots = {name: iri for name, iri in form.slots.items() if iri != left_out}
    about = base(graph, form._replace(slots=slots)) if left_out else None
    if about is None:
        return ""
    return _listed(
        form,
        (
            *about.patterns,
            f"FILTER NOT EXISTS {{ {sparql.linked('?answer', left_out, where='Not')} }}",
        ),
    )


def whole(graph: GraphIndex, form: Form, found: re.Match[str]) -> str:
    """Return the sum or mean of a number over everything asked about, or over the named things."""
    entities, about = form.some("e"), base(graph, form)
    nodes, patterns = (
        about[::-1]
        if about
        else (entities, (f"VALUES ?answer {{ {' '.join(map(sparql.term, entities))} }}",))
    )
    theirs = {step.relation for node in nodes for step in graph.edges.get(node, {})}
    number = next(
        (iri for iri in form.some("r") if graph.kinds[iri] == "number" and iri in theirs), ""
    )
    if not number:
        return ""
    each = " ".join((*patterns, sparql.triple("?answer", Step(number, True), "?value")))
    sign = "AVG" if found["how"] in {"average", "mean"} else "SUM"
    return (
        f"SELECT ({sign}(?value) AS ?whole) WHERE {{ {{ SELECT DISTINCT ?answer ?value WHERE {{"
        f" {each} }} }} }}"
    )


def linked_members(graph: GraphIndex, form: Form, found: re.Match[str]) -> str:
    """Return the members of the class that are linked with the named things, or their count."""
    about = base(graph, form)
    return _listed(form, about.patterns) if about and form.some("e") else ""


def of_both_classes(graph: GraphIndex, form: Form, found: re.Match[str]) -> str:
    """Return what is of two classes."""
    return sparql.select(
        *(sparql.member("?answer", form.slots[found[name]]) for name in ("one", "other"))
    )


def value(graph: GraphIndex, form: Form, found: re.Match[str]) -> str:
    """Return the value of a relation of the named thing, or of a second relation of that value."""
    entity, inner = form.slots[found["one"]], form.slots.get(found["inner"] or "", "")
    steps = [
        Step(iri, True)
        for iri in (inner, _as_relation(graph, form.slots[found["relation"]]))
        if iri
    ]
    reached = [entity]
    for step in steps:
        reached = [getattr(term, "value", "") for term in graph.targets(reached, step)]
    return sparql.select(sparql.chain(entity, steps)) if reached else ""


def _as_relation(graph: GraphIndex, iri: str) -> str:
    """Return the relation that is called like a class; a relation as it is."""
    return next(
        (
            relation
            for relation, words in graph.relations.items()
            if words == graph.classes.get(iri)
        ),
        iri,
    )


def how_much(graph: GraphIndex, form: Form, found: re.Match[str]) -> str:
    """Return the number that an adjective measures, of what is named."""
    by = measure(graph, [form.slots[found["one"]]], found["word"], ["number"])
    return (
        sparql.select(sparql.triple(form.slots[found["one"]], Step(by.relation, True), "?answer"))
        if by
        else ""
    )


def _listed(form: Form, patterns: tuple[str, ...]) -> str:
    counts = re.search(r"^(?:in )?how many\b|^count\b|\bnumber of\b", form.text)
    return sparql.count(*patterns) if counts else sparql.select(*patterns)
