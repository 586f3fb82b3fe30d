"""Validate annotated questions and benchmarks against the shapes of the vocabulary.

pyshacl takes 40 to 75 ms per question, because it applies each of 200 rules: 4 to 7 minutes for the
5,543 published questions, in chunks or not. But most rules look at the values of one property only,
and few combinations of values differ: ``hasUnion`` is true or false in any number of questions. So
each rule is applied to each combination once, and its findings hold for all nodes with that
combination; the annotated examples take 2.5 seconds instead of 15. Rules that need more (do the
sizes of the clusters add up?) are applied to the whole data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pyoxigraph import NamedNode, Quad, RdfFormat, Triple, serialize

from qaldgen.errors import DataError
from qaldgen.features.vocabulary import SHACL, catalogue_text
from qaldgen.io.packages import resource_dir
from qaldgen.rdf.rdf_file import RdfFile
from qaldgen.rdf.terms import PREFIXES, Term, term_text

if TYPE_CHECKING:
    from rdflib import Graph
    from rdflib.term import Node

_Target: TypeAlias = tuple[str, str]
_TYPE = NamedNode(PREFIXES["rdf"] + "type")
_TARGETS = ("targetClass", "targetSubjectsOf", "targetObjectsOf")
_SEVERITIES = ("Violation", "Warning", "Info")
#: Properties of shapes that are no constraints on the data.
_ANNOTATIONS = {SHACL + name for name in (
        "message", "severity", "name", "description", "path", "order", "group", "declare")} | {
    PREFIXES["rdf"] + "type", PREFIXES["rdfs"] + "label", PREFIXES["rdfs"] + "comment",
}  # fmt: skip
#: Constraints that need only the values of the property, and the operators that combine them.
_LOCAL = _ANNOTATIONS | {PREFIXES["rdf"] + "first", PREFIXES["rdf"] + "rest"} | {
    SHACL + name for name in (
    "datatype", "nodeKind", "in", "hasValue", "languageIn", "uniqueLang", "pattern", "flags",
    "minCount", "maxCount", "minLength", "maxLength", "minInclusive", "maxInclusive",
    "minExclusive", "maxExclusive", "or", "and", "not", "xone", "qualifiedValueShape",
    "qualifiedMinCount", "qualifiedMaxCount",
)}  # fmt: skip


class Violation(NamedTuple):
    """A SHACL result."""

    focus: str  # the IRI of the question or benchmark, or the label of a blank node
    path: str  # the IRI of the property, or several separated by ``|``; may be empty
    #: The wrong value, an IRI or a lexical form; empty if there is none, as for too many values.
    value: str
    message: str  # the rule and the advice, from the shape
    severity: str = "Violation"  # ``Violation``, ``Warning`` or ``Info``


class _Rule(NamedTuple):
    """A property shape that needs only values: its node, targets, and properties of its path."""

    shape: Node
    targets: frozenset[_Target]
    path: tuple[str, ...]


def violations(data: str | Path | Iterable[Quad]) -> list[Violation]:
    """Validate RDF with SHACL against the shapes in ``vocab/``.

    The results are those of pyshacl on the whole data, without inference: classes must be explicit.

    >>> from pyoxigraph import Literal
    >>> question, vocabulary = NamedNode("http://x.org/q1"), "http://qald-gen.aksw.org/vocab#"
    >>> text = Quad(question, NamedNode(vocabulary + "text"), Literal("Is it long?", language="en"))
    >>> length = Quad(question, NamedNode(vocabulary + "length"), Literal("three"))
    >>> sorted({(violation.path, violation.value) for violation in violations([text, length])})
    [('http://qald-gen.aksw.org/vocab#length', 'three')]
    """
    from rdflib import SH, Graph

    if isinstance(data, (str, Path)):
        data = RdfFile(Path(data)).quads()
    quads = list(data)
    shapes = Graph()
    shapes.parse(resource_dir("vocab") / "shapes.ttl")
    shapes.parse(data=catalogue_text("shapes"), format="turtle")
    rules = []
    for shape in shapes.subjects(SH.property, unique=True):
        targets = _targets_of(shapes, shape)
        for node in shapes.objects(shape, SH.property):
            path = _shape_path(shapes, node)
            if path and targets and _is_local(shapes, node):
                rules.append(_Rule(node, targets, path))
    results = set(_check_combinations(shapes, rules, quads))

    # the rules that need more than the values of a property, on the whole data
    other_rules = Graph() + shapes
    for rule in rules:
        other_rules.remove((None, SH.property, rule.shape))
    unconstraining = _ANNOTATIONS | {SHACL + name for name in _TARGETS}
    for shape in set(other_rules.subjects()):
        if all(str(predicate) in unconstraining for predicate in other_rules.predicates(shape)):
            other_rules.remove((shape, None, None))
    # loading all data into rdflib takes long, and questions without a benchmark do not need it
    if _focus_nodes(_targets_of(other_rules, None), quads):
        results.update(_validate((quad.triple for quad in quads), other_rules))
    # sorted, as the order of a graph changes from run to run
    return sorted(results, key=lambda result: (_SEVERITIES.index(result.severity), result))


def _targets_of(shapes: Graph, shape: Node | None) -> frozenset[_Target]:
    """Return the targets of a shape, or without one those of all shapes."""
    from rdflib import SH

    targets = set()
    for name in _TARGETS:
        for target in shapes.objects(shape, SH[name]):
            targets.add((name, str(target)))
    return frozenset(targets)


def _shape_path(shapes: Graph, rule: Node | None) -> tuple[str, ...]:
    """Return the property of a path, or its alternatives; empty for a longer path."""
    from rdflib import SH, URIRef

    path = shapes.value(rule, SH.path)
    choices = shapes.value(path, SH.alternativePath)
    parts = [path] if choices is None else list(shapes.items(choices))
    if not all(isinstance(part, URIRef) for part in parts):
        return ()
    return tuple(map(str, parts))


def _is_local(shapes: Graph, rule: Node) -> bool:
    """Return whether a rule, with all its parts, needs only the values of its path."""
    from rdflib import SH

    pending = [rule]
    seen = set[object]()
    while pending:
        node = pending.pop()
        seen.add(node)
        for predicate, value in shapes.predicate_objects(node):
            if str(predicate) not in _LOCAL:
                return False
            if predicate != SH.path and value not in seen:
                pending.append(value)
    return True


def _check_combinations(
    shapes: Graph, rules: Sequence[_Rule], quads: Sequence[Quad]
) -> Iterator[Violation]:
    """Apply each rule to one artificial node per combination of values, for all its nodes."""
    from rdflib import SH, Graph, URIRef

    dropped = {SH[name] for name in _TARGETS}
    dropped.add(SH.property)
    graph = Graph()
    for statement in shapes:
        if statement[1] not in dropped:
            graph.add(statement)

    # rules with the same targets and path share the artificial nodes
    rules_by_path: dict[tuple[frozenset[_Target], tuple[str, ...]], list[_Rule]] = {}
    for rule in rules:
        rules_by_path.setdefault((rule.targets, rule.path), []).append(rule)

    paths = set(chain.from_iterable(rule.path for rule in rules))
    values: dict[Term, dict[str, set[Term]]] = {}
    for quad in quads:
        if quad.predicate.value in paths:
            values_of_subject = values.setdefault(quad.subject, {})
            values_of_subject.setdefault(quad.predicate.value, set()).add(quad.object)
    all_targets = {targets for targets, _ in rules_by_path}
    focus_nodes = {targets: _focus_nodes(targets, quads) for targets in all_targets}

    members: dict[str, list[Term]] = {}
    triples: list[Triple] = []
    for (targets, path), rules_of_path in rules_by_path.items():
        combinations: dict[tuple[frozenset[Term], ...], list[Term]] = {}
        for focus in focus_nodes[targets]:
            values_of_focus = values.get(focus, {})
            combination = tuple(frozenset(values_of_focus.get(name, ())) for name in path)
            combinations.setdefault(combination, []).append(focus)
        for combination, focuses in combinations.items():
            node = NamedNode(f"urn:combination:{len(members)}")
            members[node.value] = focuses
            for name, terms in zip(path, combination, strict=True):
                triples += [Triple(node, NamedNode(name), term) for term in terms]
            for rule in rules_of_path:
                graph.add((rule.shape, SH.targetNode, URIRef(node.value)))

    for violation in _validate(triples, graph):
        for focus in members[violation.focus]:
            yield violation._replace(focus=term_text(focus))


def _focus_nodes(targets: Iterable[_Target], quads: Iterable[Quad]) -> dict[Term, None]:
    """Return the nodes that the targets of shapes select, in the order of the data."""
    iris_by_type: dict[str, set[Term]] = {target_type: set() for target_type in _TARGETS}
    for target_type, iri in targets:
        iris_by_type[target_type].add(NamedNode(iri))
    nodes: dict[Term, None] = {}
    for quad in quads:
        is_member = quad.predicate == _TYPE and quad.object in iris_by_type["targetClass"]
        if is_member or quad.predicate in iris_by_type["targetSubjectsOf"]:
            nodes[quad.subject] = None
        if quad.predicate in iris_by_type["targetObjectsOf"]:
            nodes[quad.object] = None
    return nodes


def _validate(triples: Iterable[Triple], shapes: Graph) -> Iterator[Violation]:
    """Yield the violations of shapes that pyshacl finds in triples."""
    import pyshacl
    from rdflib import RDF, SH, Graph

    try:
        text = serialize(triples, format=RdfFormat.N_TRIPLES) or b""
        data = Graph().parse(data=text, format="nt")
    except ValueError as error:
        raise DataError(
            f"the data contain a term that rdflib rejects ({error}); correct it"
        ) from error
    # in place, as pyshacl otherwise copies the data graph
    _, report, _ = pyshacl.validate(data, shacl_graph=shapes, inplace=True)
    for result in report.subjects(RDF.type, SH.ValidationResult):
        yield Violation(
            focus=str(report.value(result, SH.focusNode)),
            path="|".join(_shape_path(shapes, report.value(result, SH.sourceShape))),
            value=str(report.value(result, SH.value) or ""),
            message=str(report.value(result, SH.resultMessage) or ""),
            severity=str(report.value(result, SH.resultSeverity)).removeprefix(SHACL),
        )
